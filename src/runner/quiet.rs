//! Quiet: before a phase it is watched until nobody moves the device or keeps the processors busy; after one, until its own work is
//! done. Bounded, so that a busy machine is measured all the same, and said to be busy.

use crate::model::evidence::Watch;
use crate::model::settings::Settings;
use crate::sys::meter::{Meter, Reading, difference};
use crate::target::ground::{Counters, Ground, GroundError};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How often it is looked.
const SAMPLE: Duration = Duration::from_millis(10);
/// It is quiet when so many looks in a row, together, found no more than the two limits below.
const LOOKS: usize = 5;
/// Bytes that the leaves move even when nobody does anything: a journal's commit, a log line.
const STILL_BYTES: u64 = 32 << 10;
/// Nanoseconds that processors are busy even when nobody does anything: two ticks of 10 ms.
const STILL_BUSY_NS: u64 = 20_000_000;
/// Nanoseconds of a millisecond, in which a watch is kept.
const NS_PER_MS: u64 = 1_000_000;
/// The longest wait.
const LONGEST_NS: u64 = 3_000_000_000;
/// All waits of a run together take at most one part in so many of it: of what it took so far, and of what it must take at the least.
const PART_OF_RUN: u64 = 10;
/// A fast device moves so many bytes and makes so many files a second.
const FAST_BYTES: u64 = 1 << 30;
const FAST_FILES: u64 = 50_000;
const NS_PER_SECOND: u64 = 1_000_000_000;

/// How much waiting a run has had.
#[derive(Debug, Clone, Copy, Default)]
pub struct Patience {
    least_run_ns: u64,
    spent_ns: u64,
}

impl Patience {
    /// For a run of such work, which even a fast device needs some time for.
    #[must_use]
    pub const fn of(settings: &Settings) -> Self {
        let of_bytes = settings.file_size.saturating_mul(4) / (FAST_BYTES / 1000);
        let of_files = settings.files.saturating_mul(6) / (FAST_FILES / 1000);
        let least_ms = of_bytes.saturating_add(of_files).saturating_add(settings.seek_seconds.saturating_mul(1000));
        Self { least_run_ns: least_ms.saturating_mul(NS_PER_SECOND / 1000), spent_ns: 0 }
    }

    /// Nanoseconds that may still be waited when the run has lasted so long.
    fn left_ns(&self, run_ns: u64) -> u64 {
        (run_ns.max(self.least_run_ns) / PART_OF_RUN).saturating_sub(self.spent_ns).min(LONGEST_NS)
    }
}

/// One look.
#[derive(Clone)]
struct Look {
    clock_ns: u64,
    counters: Counters,
    reading: Reading,
}

/// Who is looked at.
pub struct Scene<'a> {
    /// The ground with the devices below.
    pub ground: &'a dyn Ground,
    /// The processors.
    pub meter: &'a dyn Meter,
    /// Whether the run is to stop.
    pub interrupted: &'a AtomicBool,
    /// When the run began, on the target's clock.
    pub run_start_ns: u64,
}

impl Scene<'_> {
    fn look(&self) -> Result<Look, GroundError> {
        let clock_ns = self.ground.target()?.now_ns();
        Ok(Look { clock_ns, counters: self.ground.counters(), reading: self.meter.read() })
    }

    /// What happened between two looks: bytes that the leaves moved, and nanoseconds that others kept processors busy.
    fn between(&self, before: &Look, after: &Look) -> (u64, Option<u64>) {
        let counters = after.counters.since(&before.counters);
        let leaves = counters.devices.and_then(|devices| self.ground.stack().leaf_traffic(&devices));
        let used = difference(&before.reading, &after.reading);
        let own_ns = used.usage.user_ns + used.usage.system_ns;
        let others_ns = used.system_busy_ns().map(|busy_ns| busy_ns.saturating_sub(own_ns));
        (leaves.map_or(0, |leaves| leaves.moved_bytes()), others_ns)
    }

    /// Watches until it is quiet, or the patience is at its end.
    ///
    /// # Errors
    /// When the run is to stop, or its place is out of reach.
    pub fn watch(&self, patience: &mut Patience) -> Result<Watch, GroundError> {
        let first = self.look()?;
        let most_ns = patience.left_ns(first.clock_ns.saturating_sub(self.run_start_ns));
        let proof_ns = SAMPLE.as_nanos() as u64 * LOOKS as u64;
        let mut looks = VecDeque::from([first.clone()]);
        loop {
            if self.interrupted.load(Ordering::Relaxed) {
                return Err(GroundError::Stopped);
            }
            self.ground.wait(SAMPLE);
            let now = self.look()?;
            let elapsed_ns = now.clock_ns.saturating_sub(first.clock_ns);
            let is_quiet = looks.len() == LOOKS && looks.front().is_some_and(|oldest| self.is_still(oldest, &now));
            let is_over = looks.len() == LOOKS && elapsed_ns >= proof_ns + most_ns;
            if is_quiet || is_over {
                patience.spent_ns += elapsed_ns.saturating_sub(proof_ns);
                let (moved_bytes, others_busy_ns) = self.between(&first, &now);
                let others_busy_ms = others_busy_ns.map(|busy_ns| busy_ns / NS_PER_MS);
                return Ok(Watch { elapsed_ms: elapsed_ns / NS_PER_MS, is_quiet, moved_bytes, others_busy_ms });
            }
            if looks.len() == LOOKS {
                looks.pop_front();
            }
            looks.push_back(now);
        }
    }

    fn is_still(&self, before: &Look, after: &Look) -> bool {
        let (moved_bytes, others_ns) = self.between(before, after);
        moved_bytes <= STILL_BYTES && others_ns.unwrap_or(0) <= STILL_BUSY_NS
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::Target;
    use crate::target::pretend::PretendTarget;
    use crate::target::pretend_ground::PretendGround;
    use std::sync::Arc;

    /// A ground on which somebody writes at every look until `quiet_after` looks were taken.
    fn watched(busy_looks: u64, patience: &mut Patience) -> Watch {
        let target = Arc::new(PretendTarget::costing(|_| 0));
        target.disturb(busy_looks, 1 << 20);
        let mut ground = PretendGround::of(Arc::clone(&target));
        ground.take(1, 1).unwrap();
        let interrupted = AtomicBool::new(false);
        let scene = Scene { ground: &ground, meter: target.as_ref(), interrupted: &interrupted, run_start_ns: target.now_ns() };
        scene.watch(patience).unwrap()
    }

    /// The patience of a run that takes ten seconds at the least.
    fn patience() -> Patience {
        Patience::of(&Settings { file_size: 2 << 30, files: 10_000, seek_seconds: 1, ..Settings::default() })
    }

    #[test]
    fn a_quiet_machine_is_proven_quiet_in_five_looks() {
        let watch = watched(0, &mut patience());
        assert_eq!(watch, Watch { elapsed_ms: 50, is_quiet: true, moved_bytes: 0, others_busy_ms: Some(0) });
    }

    #[test]
    fn work_that_ends_is_waited_for_and_counted() {
        let mut patience = patience();
        let watch = watched(20, &mut patience);
        assert!(watch.is_quiet);
        assert!(watch.elapsed_ms > 200 && watch.elapsed_ms < 400, "{watch:?}");
        assert!(watch.moved_bytes >= 18 << 20, "{watch:?}");
        assert_eq!(patience.spent_ns, (watch.elapsed_ms - 50) * NS_PER_MS);
    }

    #[test]
    fn patience_ends_and_says_so() {
        let mut patience = patience();
        let watch = watched(u64::MAX, &mut patience);
        assert!(!watch.is_quiet);
        // A tenth of 8 + 1.2 + 1 seconds, after the five looks.
        assert_eq!(watch.elapsed_ms, 1070);
        // Nothing is left for the next phase but the five looks.
        assert_eq!(watched(u64::MAX, &mut patience).elapsed_ms, 50);
        assert_eq!(Patience::default().left_ns(600 * NS_PER_SECOND), LONGEST_NS);
        assert_eq!(Patience::default().left_ns(0), 0);
    }

    #[test]
    fn a_stop_ends_the_watch() {
        let target = Arc::new(PretendTarget::costing(|_| 0));
        let mut ground = PretendGround::of(Arc::clone(&target));
        ground.take(1, 1).unwrap();
        let interrupted = AtomicBool::new(true);
        let scene = Scene { ground: &ground, meter: target.as_ref(), interrupted: &interrupted, run_start_ns: 0 };
        assert!(matches!(scene.watch(&mut patience()), Err(GroundError::Stopped)));
    }
}
