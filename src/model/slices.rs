//! The trend within a phase: how long each of up to 64 slices of equal work took.

use serde::{Deserialize, Serialize};

/// The most slices that are kept.
pub const MOST_SLICES: usize = 64;

/// Slices of equal work in the order in which they were done. Every slice but the last has `operations_each` operations.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Slices {
    /// Operations in each slice but the last, which has the rest.
    pub operations_each: u64,
    /// Nanoseconds that each slice took.
    pub elapsed_ns: Vec<u64>,
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
        self.done += operations;
        self.done_in_slice += operations;
        self.last_end_ns = now_ns;
        if self.done_in_slice == self.operations_each {
            self.end_slice(now_ns);
        }
    }

    fn end_slice(&mut self, now_ns: u64) {
        self.done_in_slice = 0;
        if self.ends_ns.len() == MOST_SLICES {
            self.merge_pairs();
            // The slice that ends now is the first half of a slice of the new size.
            self.done_in_slice = self.operations_each / 2;
            return;
        }
        self.ends_ns.push(now_ns);
    }

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
        let mut slices = Slices { operations_each, elapsed_ns: Vec::with_capacity(MOST_SLICES) };
        let (mut done, mut last_end) = (0, 0);
        for (end, operations) in events {
            done += operations;
            while done >= operations_each * (slices.elapsed_ns.len() as u64 + 1) || done == total {
                slices.elapsed_ns.push(end - last_end);
                last_end = end;
                if operations_each * slices.elapsed_ns.len() as u64 >= total {
                    return Some(slices);
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
    fn nothing_done_has_no_slices() {
        assert_eq!(SliceClock::together(&[SliceClock::of_known(10)]), None);
        assert_eq!(SliceClock::together(&[]), None);
    }

    proptest! {
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
