//! What barrow itself costs on a machine: measured once a run, so that its share of every phase is known.

use serde::{Deserialize, Serialize};

/// What the parts of barrow that are on the clock cost, and what memory allows at the most.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Costs {
    /// Nanoseconds of one reading of the clock.
    pub clock_ns: u64,
    /// The least step of the clock that was seen, in nanoseconds.
    pub clock_step_ns: u64,
    /// Nanoseconds to make and stamp a MiB of data.
    pub make_ns_per_mib: u64,
    /// Nanoseconds to check a MiB of data.
    pub check_ns_per_mib: u64,
    /// Bytes a second at which a file of 64 MiB that lies in memory is read: a cold read that comes near it came from a cache. `None` when it could not be measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_bytes_per_second: Option<u64>,
}

/// Bytes of a MiB.
const MIB: u64 = 1 << 20;

impl Costs {
    /// Nanoseconds that barrow's own work took of a phase: so many readings of the clock, bytes made and bytes checked.
    #[must_use]
    pub fn of_phase(&self, clock_readings: u64, made_bytes: u64, checked_bytes: u64) -> u64 {
        let of_bytes = |bytes: u64, ns_per_mib: u64| (u128::from(bytes) * u128::from(ns_per_mib) / u128::from(MIB)) as u64;
        let data_ns = of_bytes(made_bytes, self.make_ns_per_mib).saturating_add(of_bytes(checked_bytes, self.check_ns_per_mib));
        clock_readings.saturating_mul(self.clock_ns).saturating_add(data_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_of_a_phase_is_the_sum_of_its_parts() {
        let costs = Costs { clock_ns: 50, clock_step_ns: 1, make_ns_per_mib: 1000, check_ns_per_mib: 2000, memory_bytes_per_second: None };
        assert_eq!(costs.of_phase(10, 3 << 20, 1 << 19), 500 + 3000 + 1000);
        assert_eq!(Costs::default().of_phase(1, 1, 1), 0);
    }
}
