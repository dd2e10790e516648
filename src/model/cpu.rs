//! CPU of a phase by its work, which stays comparable where speeds differ, and the share that barrow itself took.

use super::phase::Unit;
use super::record::Counted;

/// From so long on the kernel's split of CPU into user and system is told: it is sampled by the ticks of the timer, some hundred a
/// second, while the sum is exact.
const LEAST_FOR_SPLIT_NS: u64 = 1_000_000_000;
/// Bytes of a GiB.
const GIB: f64 = (1_u64 << 30) as f64;
/// Seeks or files that CPU is told for.
const THOUSAND: f64 = 1e3;

impl Counted {
    /// Nanoseconds of the process's CPU for a GiB of work in bytes; `None` in another unit, or without work.
    #[must_use]
    pub fn cpu_ns_per_gib(&self, unit: Unit) -> Option<f64> {
        match unit {
            Unit::Bytes => self.cpu_ns_per(GIB),
            Unit::Seeks | Unit::Files | Unit::Writes | Unit::Operations | Unit::Programs => None,
        }
    }

    /// Nanoseconds of the process's CPU for 1000 seeks or files; `None` for bytes, or without work.
    #[must_use]
    pub fn cpu_ns_per_1000_operations(&self, unit: Unit) -> Option<f64> {
        match unit {
            Unit::Bytes | Unit::Programs => None,
            Unit::Seeks | Unit::Files | Unit::Writes | Unit::Operations => self.cpu_ns_per(THOUSAND),
        }
    }

    fn cpu_ns_per(&self, work: f64) -> Option<f64> {
        let used_ns = self.usage.user_ns.saturating_add(self.usage.system_ns);
        (self.work > 0).then(|| used_ns as f64 * work / self.work as f64)
    }

    /// Nanoseconds of CPU in user mode and in the kernel; `None` where the phase was too short for the split to be told.
    #[must_use]
    pub fn cpu_split_ns(&self) -> Option<(u64, u64)> {
        (self.elapsed_ns >= LEAST_FOR_SPLIT_NS).then_some((self.usage.user_ns, self.usage.system_ns))
    }

    /// The share of the phase's time that barrow's own work took, in per cent. `None` where it was not counted, or no time passed.
    #[must_use]
    pub fn tool_percent(&self) -> Option<f64> {
        let tool_ns = self.tool_ns?;
        (self.elapsed_ns > 0).then(|| tool_ns as f64 * 100.0 / self.elapsed_ns as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::phase::Phase;
    use crate::model::sample;

    fn counted(change: impl FnOnce(&mut Counted)) -> Counted {
        let mut run = sample::run("ext4", 1);
        let counted = sample::counted_mut(&mut run, Phase::BlockWrite);
        counted.usage.user_ns = 100_000_000;
        counted.usage.system_ns = 400_000_000;
        change(counted);
        counted.clone()
    }

    #[test]
    fn cpu_is_told_by_the_work() {
        let bytes = counted(|counted| counted.work = 2 << 30);
        assert_eq!((bytes.cpu_ns_per_gib(Unit::Bytes), bytes.cpu_ns_per_1000_operations(Unit::Bytes)), (Some(250e6), None));
        let files = counted(|counted| counted.work = 5000);
        for unit in [Unit::Seeks, Unit::Files] {
            assert_eq!((files.cpu_ns_per_gib(unit), files.cpu_ns_per_1000_operations(unit)), (None, Some(100e6)));
        }
        assert_eq!(counted(|counted| counted.work = 0).cpu_ns_per_gib(Unit::Bytes), None);
    }

    #[test]
    fn the_split_of_a_short_phase_is_not_told() {
        assert_eq!(counted(|counted| counted.elapsed_ns = 1_000_000_000).cpu_split_ns(), Some((100_000_000, 400_000_000)));
        assert_eq!(counted(|counted| counted.elapsed_ns = 999_999_999).cpu_split_ns(), None);
    }

    #[test]
    fn barrows_own_share_is_of_the_time() {
        let own = |tool_ns, elapsed_ns| counted(|counted| (counted.tool_ns, counted.elapsed_ns) = (tool_ns, elapsed_ns)).tool_percent();
        assert_eq!(own(Some(70_000_000), 1_000_000_000), Some(7.0));
        assert_eq!(own(Some(7), 0), None);
        assert_eq!(own(None, 1_000_000_000), None);
    }
}
