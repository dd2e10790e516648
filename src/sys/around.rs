//! What the machine did beside barrow, since some fixed moment: stolen time, pressure, suspension; and writes that were taken back.

use crate::model::evidence::Surroundings;
use nix::time::{ClockId, clock_gettime};
use std::fs;
use std::time::Duration;

/// Nanoseconds and bytes since some fixed moment; two of these say what happened in between. `None` where the kernel does not say.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Around {
    /// Time that the hypervisor gave to others.
    pub stolen_ns: Option<u64>,
    /// Time that the machine was suspended.
    pub suspended_ns: Option<u64>,
    /// Time that some task waited for a processor, for I/O, for memory.
    pub pressure_ns: Option<[u64; 3]>,
    /// Bytes that this process had written to memory and deleted before they reached storage.
    pub cancelled_bytes: Option<u64>,
}

impl Around {
    /// Reads everything; `stolen_ns` comes from the meter, which has /proc/stat open.
    #[must_use]
    pub fn now(stolen_ns: Option<u64>) -> Self {
        let pressure = |what: &str| fs::read_to_string(format!("/proc/pressure/{what}")).ok().and_then(|text| some_total_ns(&text));
        let pressures = pressure("cpu").zip(pressure("io")).zip(pressure("memory"));
        Self {
            stolen_ns,
            suspended_ns: suspended_ns(),
            pressure_ns: pressures.map(|((cpu, io), memory)| [cpu, io, memory]),
            cancelled_bytes: fs::read_to_string("/proc/self/io").ok().and_then(|text| cancelled_bytes(&text)),
        }
    }

    /// What happened between two of them.
    #[must_use]
    pub fn since(&self, before: &Self) -> Self {
        let pressures = before.pressure_ns.zip(self.pressure_ns);
        Self {
            stolen_ns: grown(before.stolen_ns, self.stolen_ns),
            suspended_ns: grown(before.suspended_ns, self.suspended_ns),
            pressure_ns: pressures.map(|(a, b)| std::array::from_fn(|which| b[which].saturating_sub(a[which]))),
            cancelled_bytes: grown(before.cancelled_bytes, self.cancelled_bytes),
        }
    }

    /// The same as a record keeps it, in milliseconds.
    #[must_use]
    pub fn surroundings(&self) -> Surroundings {
        const MS: u64 = 1_000_000;
        let suspended_ns = self.suspended_ns.filter(|grown_ns| *grown_ns >= NO_SUSPENSION_NS).unwrap_or(0);
        Surroundings {
            stolen_ms: self.stolen_ns.map(|stolen_ns| stolen_ns / MS),
            suspended_ms: suspended_ns / MS,
            pressure_ms: self.pressure_ns.map(|pressure_ns| pressure_ns.map(|one_ns| one_ns / MS)),
        }
    }
}

fn grown(before: Option<u64>, after: Option<u64>) -> Option<u64> {
    before.zip(after).map(|(before, after)| after.saturating_sub(before))
}

/// The two clocks are read one after the other, so a difference that grew by less is none.
const NO_SUSPENSION_NS: u64 = 100_000_000;

/// Nanoseconds that the machine was suspended since it started: what the one clock counts and the other does not.
fn suspended_ns() -> Option<u64> {
    let of = |clock| clock_gettime(clock).ok().map(Duration::from);
    let (monotonic, boottime) = (of(ClockId::CLOCK_MONOTONIC)?, of(ClockId::CLOCK_BOOTTIME)?);
    Some(boottime.saturating_sub(monotonic).as_nanos() as u64)
}

/// The time in which some task was held up, from a file of /proc/pressure, which counts microseconds (Documentation/accounting/psi.rst);
/// in nanoseconds. `None` when it has another form.
#[must_use]
pub fn some_total_ns(text: &str) -> Option<u64> {
    let line = text.lines().find(|line| line.starts_with("some "))?;
    let total = line.split(' ').find_map(|field| field.strip_prefix("total="))?;
    total.parse::<u64>().ok()?.checked_mul(1000)
}

/// `cancelled_write_bytes` of /proc/self/io (proc_pid_io(5)); `None` when it is not there, or below 0.
#[must_use]
pub fn cancelled_bytes(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("cancelled_write_bytes:"))?;
    line.trim().parse::<i64>().ok().and_then(|bytes| u64::try_from(bytes).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pressure_counts_microseconds_in_which_some_task_waited() {
        let text = "some avg10=0.00 avg60=0.00 avg300=0.00 total=123456\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=7\n";
        assert_eq!(some_total_ns(text), Some(123_456_000));
        assert_eq!(some_total_ns("full avg10=0.00 total=7\n"), None);
        assert_eq!(some_total_ns(""), None);
    }

    #[test]
    fn writes_that_were_taken_back_are_found() {
        assert_eq!(cancelled_bytes("rchar: 1\nwrite_bytes: 9\ncancelled_write_bytes: 4096\n"), Some(4096));
        assert_eq!(cancelled_bytes("cancelled_write_bytes: -4096\n"), None);
        assert_eq!(cancelled_bytes("rchar: 1\n"), None);
    }

    #[test]
    fn what_is_unknown_on_one_side_is_unknown() {
        let known = Around { cancelled_bytes: Some(7), ..Around::default() };
        assert_eq!(known.since(&Around::default()).cancelled_bytes, None);
        assert_eq!(known.since(&known).cancelled_bytes, Some(0));
    }

    #[test]
    fn the_machine_was_not_suspended_between_two_readings() {
        let before = Around::now(None);
        assert_eq!(Around::now(None).since(&before).surroundings().suspended_ms, 0);
    }
}
