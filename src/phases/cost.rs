//! What barrow's own work costs on the clock: reading it, making data, checking data.

use super::pool::Pool;
use super::stamp::{Generation, Origin, Stamper};
use crate::model::costs::Costs;
use crate::target::Target;
use std::hint::black_box;

/// Bytes that are made and checked at a time, as in the profiles: the MiB of the costs.
const CHUNK: usize = 1 << 20;
/// Batches of which the least counts: other work on the machine can only make one dearer.
const BATCHES: u32 = 16;
/// No further batch once so many nanoseconds went into one cost: a clock with long steps needs, and gets, one batch.
const BUDGET_NS: u64 = 5_000_000;
/// Readings of a batch at the least.
const READINGS: u64 = 1000;
/// Chunks between two readings.
const CHUNKS: u64 = 8;
/// Steps of the clock of which the least counts.
const STEPS: u32 = 1000;
/// After so many readings without a step a clock is taken to stand still. One that steps each 10 ms has long stepped by then: a
/// reading takes 20 ns and more.
const MOST_READINGS: u64 = 1_000_000;
/// The same for chunks, each of which takes microseconds.
const MOST_CHUNKS: u64 = 20_000;

/// Measures what barrow itself costs by a target's clock, in some milliseconds; in less than 100 where the clock steps each 10 ms. The
/// memory ceiling is not known here. A clock that stands still makes all costs 0.
#[must_use]
pub fn costs(target: &dyn Target) -> Costs {
    let stamper = Stamper::of(1, Origin { file: 0, generation: Generation::Written });
    let mut pool = Pool::of(1, 0, CHUNK);
    let mut offset = 0;
    let make = || {
        stamper.mark(black_box(pool.slice(CHUNK)), offset);
        offset += CHUNK as u64;
    };
    let mut chunk = vec![0; CHUNK];
    stamper.mark(&mut chunk, 0);
    let check = || {
        black_box(stamper.first_wrong(black_box(&chunk), 0));
    };
    costs_by(&|| target.now_ns(), make, check)
}

/// The costs by any clock, with any work on a chunk.
fn costs_by(now: &impl Fn() -> u64, mut make: impl FnMut(), mut check: impl FnMut()) -> Costs {
    let Some(clock_step_ns) = least_step(now) else {
        return Costs::default();
    };
    let clock_ns = least(now, || each_reading(now));
    Costs {
        clock_ns,
        clock_step_ns,
        make_ns_per_mib: least(now, || each_chunk(now, clock_ns, &mut make)),
        check_ns_per_mib: least(now, || each_chunk(now, clock_ns, &mut check)),
        memory_bytes_per_second: None,
    }
}

/// The least of several batches; 0 when there was none.
fn least(now: &impl Fn() -> u64, mut batch: impl FnMut() -> Option<u64>) -> u64 {
    let start = now();
    let mut least = None;
    for _ in 0..BATCHES {
        let Some(each) = batch() else { break };
        least = Some(least.map_or(each, |least: u64| least.min(each)));
        if now().saturating_sub(start) > BUDGET_NS {
            break;
        }
    }
    least.unwrap_or(0)
}

/// Waits until the clock steps: the times before and after. `None` when it stands still.
fn step(now: &impl Fn() -> u64) -> Option<(u64, u64)> {
    let before = now();
    let after = (0..MOST_READINGS).map(|_| now()).find(|after| *after > before)?;
    Some((before, after))
}

/// The least step that was seen, in nanoseconds.
fn least_step(now: &impl Fn() -> u64) -> Option<u64> {
    let (before, start) = step(now)?;
    let mut least = start - before;
    for _ in 1..STEPS {
        let Some((before, after)) = step(now).filter(|(_, after)| after - start <= BUDGET_NS) else { break };
        least = least.min(after - before);
    }
    Some(least)
}

/// Nanoseconds of one of many readings, from a step of the clock to a step.
fn each_reading(now: &impl Fn() -> u64) -> Option<u64> {
    let (_, start) = step(now)?;
    (1..=MOST_READINGS).map(|count| (count, now())).find(|(count, end)| *count >= READINGS && *end > start).map(|(count, end)| {
        // To the nearest, half up.
        (end - start + count / 2) / count
    })
}

/// Nanoseconds of the work on one of several chunks, without the readings between them.
fn each_chunk(now: &impl Fn() -> u64, clock_ns: u64, work: &mut impl FnMut()) -> Option<u64> {
    let (_, start) = step(now)?;
    for group in 1..=MOST_CHUNKS / CHUNKS {
        (0..CHUNKS).for_each(|_| work());
        let end = now();
        if end > start {
            let count = group * CHUNKS;
            return Some(((end - start).saturating_sub(group * clock_ns) + count / 2) / count);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::pretend::PretendTarget;
    use std::cell::Cell;

    /// A clock that takes `reading_ns` for a reading and shows whole steps. It counts its readings.
    struct PretendClock {
        time_ns: Cell<u64>,
        readings: Cell<u64>,
        reading_ns: u64,
        step_ns: u64,
    }

    impl PretendClock {
        const fn of(reading_ns: u64, step_ns: u64) -> Self {
            Self { time_ns: Cell::new(0), readings: Cell::new(0), reading_ns, step_ns }
        }

        fn pass(&self, ns: u64) {
            self.time_ns.set(self.time_ns.get() + ns);
        }

        fn now(&self) -> u64 {
            self.pass(self.reading_ns);
            self.readings.set(self.readings.get() + 1);
            self.time_ns.get() / self.step_ns * self.step_ns
        }

        fn costs(&self, make_ns: u64, check_ns: u64) -> Costs {
            costs_by(&|| self.now(), || self.pass(make_ns), || self.pass(check_ns))
        }
    }

    fn known(clock_ns: u64, clock_step_ns: u64, make_ns_per_mib: u64, check_ns_per_mib: u64) -> Costs {
        Costs { clock_ns, clock_step_ns, make_ns_per_mib, check_ns_per_mib, memory_bytes_per_second: None }
    }

    #[test]
    fn known_costs_are_found_exactly() {
        assert_eq!(PretendClock::of(50, 1).costs(80_000, 4000), known(50, 50, 80_000, 4000));
        assert_eq!(PretendClock::of(25, 25).costs(120_000, 9000), known(25, 25, 120_000, 9000));
    }

    #[test]
    fn a_clock_in_steps_of_10_ms_is_found_in_bounded_time() {
        let clock = PretendClock::of(40, 10_000_000);
        let costs = clock.costs(80_000, 4000);
        assert_eq!((costs.clock_ns, costs.clock_step_ns), (40, 10_000_000));
        // A group of chunks is the grain of what such a clock tells.
        assert!(costs.make_ns_per_mib.abs_diff(80_000) <= 80_000 / 10, "{costs:?}");
        assert!(costs.check_ns_per_mib.abs_diff(4000) <= 4000 / 100, "{costs:?}");
        assert!(clock.time_ns.get() < 100_000_000, "{} ns", clock.time_ns.get());
    }

    #[test]
    fn other_work_on_the_machine_makes_nothing_dearer() {
        let clock = PretendClock::of(50, 1);
        let calls = Cell::new(0);
        // Every thirtieth piece of work is held up, as by another process.
        let work = |ns| {
            calls.set(calls.get() + 1);
            clock.pass(if calls.get() % 30 == 0 { 100 * ns } else { ns });
        };
        assert_eq!(costs_by(&|| clock.now(), || work(80_000), || work(4000)), known(50, 50, 80_000, 4000));
    }

    #[test]
    fn a_clock_that_stands_still_holds_nobody_up() {
        let clock = PretendClock::of(0, 1);
        assert_eq!(costs_by(&|| clock.now(), || {}, || {}), Costs::default());
        assert_eq!(clock.readings.get(), MOST_READINGS + 1);
        // It steps while it is looked at, and never again.
        let clock = PretendClock::of(0, 1);
        let stops = || {
            let now = clock.now();
            if clock.readings.get() < 10_000 { clock.readings.get() } else { now.max(10_000) }
        };
        assert_eq!(costs_by(&stops, || {}, || {}).clock_step_ns, 1);
        assert_eq!(costs(&PretendTarget::costing(|_| 1)), Costs::default());
    }

    #[test]
    fn making_and_checking_real_data_takes_time() {
        let directory = tempfile::tempdir().unwrap();
        let file = std::fs::File::open(directory.path()).unwrap();
        let target = crate::target::real::RealTarget::of(file, crate::model::machine::FilesystemClass::Other);
        let costs = costs(&target);
        assert!(costs.clock_ns > 0 && costs.clock_step_ns > 0, "{costs:?}");
        assert!(costs.make_ns_per_mib > 0 && costs.check_ns_per_mib > 0, "{costs:?}");
    }
}
