//! The tally of a worker: it counts work, reads the clock after each operation, and never allocates.

use super::Job;
use super::error::PhaseError;
use crate::model::aftermath::Kind;
use crate::model::histogram::Histogram;
use crate::model::slices::SliceClock;
use crate::model::usage::Usage;
use crate::target::Target;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Operations by which it is decided how often the clock is read.
const TRIAL: u64 = 1024;
/// Under this average, in nanoseconds, one reading of the clock serves several operations.
const FAST_NANOSECONDS: u64 = 2000;
/// How many.
const BATCH: u64 = 16;
const NS_PER_SECOND: u64 = 1_000_000_000;

/// Why work ends early.
#[derive(Debug)]
pub struct Stop<'a> {
    /// The user asked for it.
    pub interrupted: &'a AtomicBool,
    /// Another worker failed.
    pub failed: AtomicBool,
    /// Seconds that a phase may take; 0 for as long as it needs.
    pub most_seconds: u64,
}

impl<'a> Stop<'a> {
    /// Nothing failed yet; the user may ask through `interrupted`.
    #[must_use]
    pub const fn of(interrupted: &'a AtomicBool) -> Self {
        Self { interrupted, failed: AtomicBool::new(false), most_seconds: 0 }
    }

    /// The same, for a phase that may take so many seconds (0: any).
    #[must_use]
    pub fn within(self, most_seconds: u64) -> Self {
        Self { most_seconds, ..self }
    }

    /// Whether a phase that has lasted so long took no longer than it may.
    ///
    /// # Errors
    /// [`PhaseError::OutOfTime`] when it did.
    pub fn check_time(&self, elapsed_ns: u64) -> Result<(), PhaseError> {
        let is_over = self.most_seconds > 0 && elapsed_ns > self.most_seconds.saturating_mul(NS_PER_SECOND);
        if is_over { Err(PhaseError::OutOfTime { seconds: self.most_seconds }) } else { Ok(()) }
    }

    /// Why work that has lasted so long is to end; nothing when it may go on.
    ///
    /// # Errors
    /// [`PhaseError::Stopped`] or [`PhaseError::OutOfTime`].
    pub fn check(&self, elapsed_ns: u64) -> Result<(), PhaseError> {
        if self.interrupted.load(Ordering::Relaxed) || self.failed.load(Ordering::Relaxed) {
            return Err(PhaseError::Stopped);
        }
        self.check_time(elapsed_ns)
    }
}

/// What a worker counts.
pub struct Tally<'t> {
    target: &'t dyn Target,
    stop: &'t Stop<'t>,
    start_ns: u64,
    last_ns: u64,
    /// The work so far, for whoever watches.
    seen: Arc<AtomicU64>,
    pending: u64,
    until_reading: u64,
    batch: u64,
    /// Work done, in the phase's unit.
    pub work: u64,
    /// Timed operations.
    pub operations: u64,
    /// Nanoseconds from the start to the end of the last operation, before any flush.
    pub acknowledged_ns: u64,
    /// Latencies.
    pub latency: Histogram,
    /// The longest one in nanoseconds.
    pub latency_max_ns: u64,
    /// Operations that one reading of the clock served, at the most.
    pub latency_batch: u64,
    /// The trend.
    pub slices: SliceClock,
    /// Bytes of data that were moved, where the work is counted in something else.
    pub bytes: u64,
    /// The kinds of operations, where there are several.
    pub kinds: Vec<Kind>,
    /// What programs used that were started for the work.
    pub children: Usage,
}

impl<'t> Tally<'t> {
    /// For a worker of a known number of operations.
    #[must_use]
    pub fn of_known(job: Job<'t>, operations: u64) -> Self {
        Self::of(job, SliceClock::of_known(operations))
    }

    /// For a worker whose slices have so many operations each.
    #[must_use]
    pub fn of_slices(job: Job<'t>, operations_each: u64) -> Self {
        Self::of(job, SliceClock::of_slices(operations_each))
    }

    /// For a worker whose end is not known.
    #[must_use]
    pub fn of_unknown(job: Job<'t>) -> Self {
        Self::of(job, SliceClock::of_unknown())
    }

    /// For a worker with several kinds of operations, whose end is not known.
    #[must_use]
    pub fn of_kinds<'n>(job: Job<'t>, names: impl IntoIterator<Item = &'n str>) -> Self {
        Self { kinds: names.into_iter().map(Kind::named).collect(), ..Self::of_unknown(job) }
    }

    fn of(job: Job<'t>, slices: SliceClock) -> Self {
        Self {
            target: job.target,
            stop: job.stop,
            start_ns: 0,
            last_ns: 0,
            seen: Arc::default(),
            pending: 0,
            until_reading: 1,
            batch: 1,
            work: 0,
            operations: 0,
            acknowledged_ns: 0,
            latency: Histogram::default(),
            latency_max_ns: 0,
            latency_batch: 1,
            slices,
            bytes: 0,
            kinds: Vec::new(),
            children: Usage::default(),
        }
    }

    /// Starts at a moment of the target's clock, the same for all workers of a phase.
    pub const fn start(&mut self, start_ns: u64) {
        self.start_ns = start_ns;
        self.last_ns = start_ns;
    }

    /// Where the work so far can be watched while the worker works.
    #[must_use]
    pub fn seen(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.seen)
    }

    /// Nanoseconds from the start to the last reading of the clock.
    #[inline]
    #[must_use]
    pub const fn elapsed_ns(&self) -> u64 {
        self.last_ns - self.start_ns
    }

    /// Whether an operation that takes long may go on.
    ///
    /// # Errors
    /// As [`Tally::operation`].
    pub fn may_go_on(&self) -> Result<(), PhaseError> {
        self.stop.check(self.target.now_ns().saturating_sub(self.start_ns))
    }

    /// Counts one operation with its work.
    ///
    /// # Errors
    /// [`PhaseError::Stopped`] when the phase is to end early.
    #[inline]
    pub fn operation(&mut self, work: u64) -> Result<(), PhaseError> {
        self.work += work;
        self.pending += 1;
        if self.pending < self.until_reading { Ok(()) } else { self.read_clock() }
    }

    /// Counts one operation of a kind, by its place among the names, with the bytes that it moved. The clock is read for each.
    ///
    /// # Errors
    /// As [`Tally::operation`].
    #[inline]
    pub fn operation_of(&mut self, kind: usize, bytes: u64) -> Result<(), PhaseError> {
        let before_ns = self.last_ns;
        self.bytes += bytes;
        self.until_reading = 1;
        let counted = self.operation(1);
        let last_ns = self.last_ns;
        if let Some(kind) = self.kinds.get_mut(kind) {
            kind.count(last_ns - before_ns, bytes);
        }
        counted
    }

    fn read_clock(&mut self) -> Result<(), PhaseError> {
        self.settle();
        self.stop.check(self.elapsed_ns())
    }

    /// Reads the clock for the operations since the last reading.
    fn settle(&mut self) {
        if self.pending == 0 {
            return;
        }
        let now_ns = self.target.now_ns();
        let each_ns = (now_ns - self.last_ns) / self.pending;
        self.latency.record(each_ns, self.pending);
        self.latency_max_ns = self.latency_max_ns.max(each_ns);
        self.slices.done(self.pending, now_ns - self.start_ns);
        self.operations += self.pending;
        self.pending = 0;
        self.seen.store(self.work, Ordering::Relaxed);
        self.last_ns = now_ns;
        if self.kinds.is_empty() && self.operations == TRIAL && self.elapsed_ns() < TRIAL * FAST_NANOSECONDS {
            self.batch = BATCH;
            self.latency_batch = BATCH;
        }
        self.until_reading = self.batch.min(self.slices.until_end());
    }

    /// Ends the operations: counts the last ones of a batch, and notes that all of them are acknowledged now.
    pub fn finish(&mut self) {
        self.settle();
        self.acknowledged_ns = self.elapsed_ns();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::plan::{Circumstances, Plan};
    use crate::model::profile::Profile;
    use crate::phases::Stamps;
    use crate::target::pretend::PretendTarget;

    /// Hands a job on a pretended target, whose calls take `cost_ns`, to a test.
    fn with_job(cost_ns: u64, test: impl FnOnce(Job<'_>, &PretendTarget, &Stop<'_>)) {
        let target = PretendTarget::costing(move |_| cost_ns);
        let interrupted = AtomicBool::new(false);
        let stop = Stop::of(&interrupted).within(5);
        let plan = Plan::of(&Profile::named("quick", 0).unwrap(), 1, Circumstances::WITHOUT_DROPS).unwrap();
        let job = Job { plan: &plan, target: &target, stamps: &Stamps::default(), stop: &stop };
        test(job, &target, &stop);
    }

    fn check(cost_ns: u64, operations: u64, expected_batch: u64) {
        with_job(cost_ns, |job, target, _| {
            let mut tally = Tally::of_known(job, operations);
            tally.start(target.now_ns());
            for _ in 0..operations {
                target.flush().unwrap();
                tally.operation(10).unwrap();
            }
            tally.finish();
            assert_eq!(tally.latency.total(), operations);
            assert_eq!((tally.work, tally.operations), (10 * operations, operations));
            assert_eq!((tally.latency_batch, tally.acknowledged_ns), (expected_batch, operations * cost_ns));
            assert_eq!(tally.latency_max_ns, cost_ns);
            let p50 = tally.latency.percentile(0.5).unwrap();
            assert!((p50 / cost_ns as f64 - 1.0).abs() < 1.0 / 16.0);
        });
    }

    #[test]
    fn slow_operations_are_timed_one_by_one() {
        check(2048, 5000, 1);
    }

    #[test]
    fn fast_operations_are_timed_in_batches_and_none_is_lost() {
        check(1000, 5003, 16);
    }

    #[test]
    fn few_operations_are_never_timed_in_batches() {
        check(10, 1024, 16);
        check(10, 1023, 1);
    }

    #[test]
    fn each_kind_has_its_own_latencies() {
        with_job(100, |job, target, _| {
            let mut tally = Tally::of_kinds(job, ["open", "close"]);
            tally.start(target.now_ns());
            for kind in [0, 1, 1].into_iter().cycle().take(3000) {
                (0..=kind).for_each(|_| target.flush().unwrap());
                tally.operation_of(kind, 7).unwrap();
            }
            tally.finish();
            let seen: Vec<(u64, u64, u64)> = tally.kinds.iter().map(|kind| (kind.count, kind.bytes, kind.max_ns)).collect();
            assert_eq!(seen, [(1000, 7000, 100), (2000, 14_000, 200)]);
            assert_eq!((tally.operations, tally.bytes, tally.latency_batch), (3000, 21_000, 1));
        });
    }

    #[test]
    fn a_wish_to_stop_is_heard() {
        with_job(1, |job, _, stop| {
            let mut tally = Tally::of_unknown(job);
            tally.start(0);
            assert!(tally.operation(1).is_ok());
            stop.failed.store(true, Ordering::Relaxed);
            assert!(matches!(tally.operation(1), Err(PhaseError::Stopped)));
        });
    }

    #[test]
    fn a_limit_of_time_is_kept() {
        with_job(NS_PER_SECOND, |job, target, _| {
            let mut tally = Tally::of_unknown(job);
            tally.start(0);
            let mut operation = || target.flush().map(|()| tally.operation(1)).unwrap();
            assert!((0..5).all(|_| operation().is_ok()));
            assert!(matches!(operation(), Err(PhaseError::OutOfTime { seconds: 5 })));
        });
    }
}
