//! The trend within a phase: how long each of up to 64 slices of equal work took.

use super::bounded::at_most;
use crate::stats::Steadiness;
use serde::{Deserialize, Serialize};

/// The most slices that are kept.
pub const MOST_SLICES: usize = 64;

/// Slices of equal work in the order in which they were done. Every slice but the last has `operations_each` operations.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Stored", into = "Stored")]
pub struct Slices {
    /// Operations in each slice but the last, which has the rest.
    pub operations_each: u64,
    /// Nanoseconds that each slice took, to at least three digits of the longest one.
    pub elapsed_ns: Vec<u64>,
}

/// Slices as a run file keeps them: four digits are enough for a trend, and ten phases of them must fit a line.
#[derive(Serialize, Deserialize)]
struct Stored {
    operations_each: u64,
    /// Nanoseconds that each number of `elapsed` stands for.
    unit_ns: u64,
    #[serde(deserialize_with = "at_most::<MOST_SLICES, _, _>")]
    elapsed: Vec<u64>,
}

/// The most digits that a slice has in a run file.
const MOST_DIGITS: u32 = 4;

/// The power of ten nanoseconds in which the longest slice has at most four digits.
fn unit_of(elapsed_ns: &[u64]) -> u64 {
    let longest = elapsed_ns.iter().max().copied().unwrap_or(0);
    let digits = longest.checked_ilog10().map_or(1, |digits| digits + 1);
    10_u64.pow(digits.saturating_sub(MOST_DIGITS))
}

impl From<Slices> for Stored {
    fn from(slices: Slices) -> Self {
        let unit_ns = unit_of(&slices.elapsed_ns);
        let elapsed = slices.elapsed_ns.iter().map(|elapsed| elapsed / unit_ns).collect();
        Self { operations_each: slices.operations_each, unit_ns, elapsed }
    }
}

impl From<Stored> for Slices {
    fn from(stored: Stored) -> Self {
        let mut elapsed_ns: Vec<u64> = stored.elapsed.into_iter().map(|elapsed| elapsed.saturating_mul(stored.unit_ns)).collect();
        // Another program may have kept more digits: what is read is what would be written.
        let unit_ns = unit_of(&elapsed_ns);
        elapsed_ns.iter_mut().for_each(|elapsed| *elapsed -= *elapsed % unit_ns);
        Self { operations_each: stored.operations_each, elapsed_ns }
    }
}

impl Slices {
    /// How steady a phase of so many operations was; `None` where there are too few slices to tell.
    #[must_use]
    pub fn steadiness(&self, operations: u64) -> Option<Steadiness> {
        let whole = usize::try_from(operations / self.operations_each.max(1)).unwrap_or(usize::MAX);
        Steadiness::of(self.elapsed_ns.get(..whole.min(self.elapsed_ns.len()))?)
    }

    /// Operations a second in each of `parts` equal parts of a phase of so many operations, in their order. Where the parts are as
    /// many as the slices these are the rates of the slices; where they are fewer, a slice that lies across a border has gone on
    /// evenly. `None` where a part took no time, or the slices do not hold the phase.
    #[must_use]
    pub fn rates(&self, operations: u64, parts: usize) -> Option<Vec<f64>> {
        let mut ends = Vec::with_capacity(self.elapsed_ns.len() + 1);
        let (mut done, mut elapsed) = (0_u64, 0_u64);
        ends.push((0.0, 0.0));
        for slice in &self.elapsed_ns {
            done = done.saturating_add(self.operations_each).min(operations);
            elapsed = elapsed.saturating_add(*slice);
            ends.push((done as f64, elapsed as f64));
        }
        let part = done as f64 / parts as f64;
        let moments: Vec<f64> = (0..=parts).map(|place| moment(&ends, part * place as f64)).collect::<Option<_>>()?;
        let rate = |pair: &[f64]| match pair {
            [start, end] if end > start => Some(part * 1e9 / (end - start)),
            _ => None,
        };
        moments.windows(2).map(rate).collect()
    }

    /// From the moments at which slices ended: rounded to what a run file keeps, so that a result is the same before and after it
    /// was stored. The moments are rounded and not the slices, so that nothing adds up.
    fn of_ends(operations_each: u64, ends_ns: &[u64]) -> Self {
        let between = |ends: &[u64]| -> Vec<u64> {
            let starts = std::iter::once(0).chain(ends.iter().copied());
            starts.zip(ends).map(|(start, end)| end - start).collect()
        };
        let unit_ns = unit_of(&between(ends_ns));
        let rounded: Vec<u64> = ends_ns.iter().map(|end| end / unit_ns * unit_ns).collect();
        Self { operations_each, elapsed_ns: between(&rounded) }
    }
}

/// When so many operations were done, on straight lines between the ends of slices (operations and nanoseconds).
fn moment(ends: &[(f64, f64)], operations: f64) -> Option<f64> {
    let behind = ends.partition_point(|(done, _)| *done < operations);
    let (done, elapsed) = *ends.get(behind).or(ends.last())?;
    let (done_before, elapsed_before) = *ends.get(behind.saturating_sub(1))?;
    let share = if done > done_before { ((operations - done_before) / (done - done_before)).min(1.0) } else { 1.0 };
    Some(elapsed_before + (elapsed - elapsed_before) * share)
}

/// Notes when slices end while a worker works. Never allocates after it was made.
#[derive(Debug, Clone)]
pub struct SliceClock {
    operations_each: u64,
    done_in_slice: u64,
    done: u64,
    last_end_ns: u64,
    ends_ns: Vec<u64>,
}

impl SliceClock {
    /// For a phase of a known number of operations: at most [`MOST_SLICES`] slices.
    #[must_use]
    pub fn of_known(operations: u64) -> Self {
        Self::with_slices_of(operations.div_ceil(MOST_SLICES as u64).max(1))
    }

    /// For a phase whose end is not known: slices begin with one operation, and pairs are merged as it grows.
    #[must_use]
    pub fn of_unknown() -> Self {
        Self::with_slices_of(1)
    }

    /// For a phase whose slices mean something by themselves: each of so many operations, and at most [`MOST_SLICES`].
    #[must_use]
    pub fn of_slices(operations_each: u64) -> Self {
        Self::with_slices_of(operations_each.max(1))
    }

    fn with_slices_of(operations_each: u64) -> Self {
        Self { operations_each, done_in_slice: 0, done: 0, last_end_ns: 0, ends_ns: Vec::with_capacity(MOST_SLICES) }
    }

    /// Operations that still belong to the slice that is being done.
    #[inline]
    #[must_use]
    pub fn until_end(&self) -> u64 {
        self.operations_each - self.done_in_slice
    }

    /// Counts operations that ended at `now_ns` after the start; they must not reach past [`SliceClock::until_end`].
    #[inline]
    pub fn done(&mut self, operations: u64, now_ns: u64) {
        if self.ends_ns.len() == MOST_SLICES {
            self.merge_pairs();
        }
        self.done += operations;
        self.done_in_slice += operations;
        self.last_end_ns = now_ns;
        if self.done_in_slice == self.operations_each {
            self.done_in_slice = 0;
            self.ends_ns.push(now_ns);
        }
    }

    /// Work goes on after the last slice: from here on slices are twice as large.
    fn merge_pairs(&mut self) {
        for pair in 0..MOST_SLICES / 2 {
            self.ends_ns[pair] = self.ends_ns[2 * pair + 1];
        }
        self.ends_ns.truncate(MOST_SLICES / 2);
        self.operations_each *= 2;
    }

    /// The moments at which slices ended, each with the number of operations done in it.
    fn events(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let rest = (self.done_in_slice > 0).then_some((self.last_end_ns, self.done_in_slice));
        self.ends_ns.iter().map(|end| (*end, self.operations_each)).chain(rest)
    }

    /// The slices of the whole phase, from those of its workers: a slice ends when all workers together have done its share.
    /// With one worker these are that worker's slices. `None` when nothing was done.
    #[must_use]
    pub fn together(workers: &[Self]) -> Option<Slices> {
        let mut events: Vec<(u64, u64)> = workers.iter().flat_map(Self::events).collect();
        events.sort_unstable();
        let total: u64 = workers.iter().map(|worker| worker.done).sum();
        let operations_each = match workers {
            [only] => only.operations_each,
            _ => total.div_ceil(MOST_SLICES as u64).max(1),
        };
        let mut ends: Vec<u64> = Vec::with_capacity(MOST_SLICES);
        let mut done = 0;
        for (end, operations) in events {
            done += operations;
            while done >= operations_each * (ends.len() as u64 + 1) || done == total {
                ends.push(end);
                if operations_each * ends.len() as u64 >= total {
                    return Some(Slices::of_ends(operations_each, &ends));
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn known_work_makes_equal_slices() {
        let mut clock = SliceClock::of_known(128);
        for i in 1..=128 {
            clock.done(1, i * 10);
        }
        let slices = SliceClock::together(&[clock]).unwrap();
        assert_eq!((slices.operations_each, slices.elapsed_ns), (2, vec![20; 64]));
    }

    #[test]
    fn the_last_slice_has_the_rest() {
        let mut clock = SliceClock::of_known(130);
        for i in 1..=130 {
            clock.done(1, i * 10);
        }
        let slices = SliceClock::together(&[clock]).unwrap();
        assert_eq!(slices.operations_each, 3);
        assert_eq!(slices.elapsed_ns.len(), 44);
        assert_eq!(slices.elapsed_ns[43], 10);
    }

    #[test]
    fn rates_are_those_of_the_slices_or_of_equal_parts_of_them() {
        let slices = Slices { operations_each: 10, elapsed_ns: vec![1000, 2000, 1000, 500] };
        assert_eq!(slices.rates(40, 4).unwrap(), [1e7, 5e6, 1e7, 2e7]);
        assert_eq!(slices.rates(40, 2).unwrap(), [20.0 * 1e9 / 3000.0, 20.0 * 1e9 / 1500.0]);
        // The border of the thirds lies a third into the second slice, and two thirds into the third.
        let thirds = slices.rates(40, 3).unwrap();
        let expected = [1000.0 + 2000.0 / 3.0, 2000.0 * 2.0 / 3.0 + 1000.0 * 2.0 / 3.0, 1000.0 / 3.0 + 500.0];
        for (rate, time) in thirds.iter().zip(expected) {
            assert!((rate * time / (40.0 / 3.0 * 1e9) - 1.0).abs() < 1e-12, "{thirds:?}");
        }
        // The last slice has the rest: 5 operations.
        let last = slices.rates(35, 7).unwrap();
        assert!((last[6] - 1e7).abs() < 1.0, "{last:?}");
        assert_eq!(Slices { operations_each: 1, elapsed_ns: vec![5, 0, 5] }.rates(3, 3), None);
        assert_eq!(Slices { operations_each: 1, elapsed_ns: vec![] }.rates(3, 2), None);
        assert_eq!(Slices { operations_each: 0, elapsed_ns: vec![1, 1] }.rates(3, 2), None);
    }

    #[test]
    fn unknown_work_merges_pairs() {
        let mut clock = SliceClock::of_unknown();
        for i in 1..=1000 {
            clock.done(1, i);
        }
        let slices = SliceClock::together(&[clock]).unwrap();
        assert_eq!(slices.operations_each, 16);
        assert_eq!(slices.elapsed_ns.len(), 63);
        assert_eq!(slices.elapsed_ns[0], 16);
        assert_eq!(slices.elapsed_ns[62], 1000 - 62 * 16);
    }

    #[test]
    fn there_are_never_more_than_64() {
        let mut clock = SliceClock::of_unknown();
        for i in 1..=257 {
            clock.done(1, i);
            let count = SliceClock::together(std::slice::from_ref(&clock)).unwrap().elapsed_ns.len() as u64;
            assert!(count == i || (32..=64).contains(&count), "{count} slices of {i} operations");
        }
    }

    #[test]
    fn two_workers_share_the_slices() {
        let mut fast = SliceClock::of_known(64);
        let mut slow = SliceClock::of_known(64);
        for i in 1..=64 {
            fast.done(1, i);
            slow.done(1, i * 3);
        }
        let slices = SliceClock::together(&[fast, slow]).unwrap();
        assert_eq!(slices.operations_each, 2);
        assert_eq!(slices.elapsed_ns.len(), 64);
        assert_eq!(slices.elapsed_ns.iter().sum::<u64>(), 192);
    }

    #[test]
    fn slices_are_the_same_after_they_were_stored() {
        let mut clock = SliceClock::of_known(640);
        for i in 1..=640 {
            clock.done(1, i * 15_625_111);
        }
        let slices = SliceClock::together(&[clock]).unwrap();
        let text = serde_json::to_string(&slices).unwrap();
        assert!(text.starts_with("{\"operations_each\":10,\"unit_ns\":100000,\"elapsed\":[1562,1563,"), "{text}");
        assert_eq!(serde_json::from_str::<Slices>(&text).unwrap(), slices);
        let total: u64 = slices.elapsed_ns.iter().sum();
        assert!(640 * 15_625_111 - total < 100_000);
    }

    #[test]
    fn what_another_program_kept_is_read_as_it_would_be_written() {
        let slices: Slices = serde_json::from_str("{\"operations_each\":1,\"unit_ns\":1,\"elapsed\":[1234567,89]}").unwrap();
        assert_eq!(slices.elapsed_ns, [1_234_000, 0]);
        let text = "{\"operations_each\":1,\"unit_ns\":18446744073709551615,\"elapsed\":[18446744073709551615]}";
        let greatest: Slices = serde_json::from_str(text).unwrap();
        assert_eq!(greatest.elapsed_ns, [18_440_000_000_000_000_000]);
        assert_eq!(serde_json::from_str::<Slices>(&serde_json::to_string(&greatest).unwrap()).unwrap(), greatest);
    }

    #[test]
    fn nothing_done_has_no_slices() {
        assert_eq!(SliceClock::together(&[SliceClock::of_known(10)]), None);
        assert_eq!(SliceClock::together(&[]), None);
    }

    proptest! {
        #[test]
        fn equal_parts_take_all_the_time(
            each in 1_u64..1000,
            elapsed in prop::collection::vec(1_u64..1_000_000, 1..65),
            missing in 0_u64..1000,
            parts in 1_usize..65,
        ) {
            let operations = each * elapsed.len() as u64 - missing % each;
            let total: u64 = elapsed.iter().sum();
            let rates = Slices { operations_each: each, elapsed_ns: elapsed }.rates(operations, parts).unwrap();
            let time: f64 = rates.iter().map(|rate| operations as f64 / parts as f64 * 1e9 / rate).sum();
            prop_assert!((time / total as f64 - 1.0).abs() < 1e-9, "{time} {total}");
        }

        #[test]
        fn slices_cover_the_work_and_the_time(counts in prop::collection::vec(1_u64..500, 1..5), unknown: bool) {
            let workers: Vec<SliceClock> = counts
                .iter()
                .map(|count| {
                    let mut clock = if unknown { SliceClock::of_unknown() } else { SliceClock::of_known(*count) };
                    (1..=*count).for_each(|i| clock.done(1, i * 7));
                    clock
                })
                .collect();
            let slices = SliceClock::together(&workers).unwrap();
            let total: u64 = counts.iter().sum();
            let slice_count = slices.elapsed_ns.len() as u64;
            prop_assert!(slice_count <= MOST_SLICES as u64);
            prop_assert!(slices.operations_each * slice_count >= total);
            prop_assert!(slices.operations_each * (slice_count - 1) < total);
            prop_assert_eq!(slices.elapsed_ns.iter().sum::<u64>(), counts.iter().max().unwrap() * 7);
        }
    }
}
