//! The spread of repeated values: the middle, the ends, and an honest name for what lies between them.

/// What the ends of a [`Spread`] or of a [`Ratio`](super::Ratio) are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Interval {
    /// The values themselves: one or two.
    Values,
    /// The least and the greatest value.
    Range,
    /// The interval that holds the true value (of a spread the median) with at least 95 % probability.
    Ci95,
}

impl Interval {
    /// The name in CSV: `values`, `range`, `ci95`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Values => "values",
            Self::Range => "range",
            Self::Ci95 => "ci95",
        }
    }
}

/// The spread of repeated values, in their unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// How many values there are; at least 1.
    pub n: usize,
    /// The least value.
    pub min: f64,
    /// The greatest value.
    pub max: f64,
    /// The middle value; of an even number the mean of the middle two.
    pub median: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
    /// What the two ends are.
    pub interval: Interval,
}

/// From so many values on, the range is at least a 95 % interval of the median: 1 - 2 / 2^6 = 96.9 %.
const LEAST_FOR_CI95: usize = 6;

/// The probability that a 95 % interval may miss the median.
const MISS: f64 = 0.05;

impl Spread {
    /// The spread of some values: up to 2 themselves, up to 5 their range, from 6 on the 95 % interval of the median. Values that
    /// are not finite are left out; `None` when none is left.
    #[must_use]
    pub fn of(values: &[f64]) -> Option<Self> {
        let sorted = sorted_finite(values);
        let range = Self::between(&sorted, 1, Interval::Range)?;
        match sorted.len() {
            0..=2 => Some(Self { interval: Interval::Values, ..range }),
            n if n < LEAST_FOR_CI95 => Some(range),
            n => Self::between(&sorted, rank_of_interval(n), Interval::Ci95),
        }
    }

    /// The spread of values that are no sample of one thing, as of several batches: their range, however many there are. `None`
    /// when none is finite.
    #[must_use]
    pub fn with_range(values: &[f64]) -> Option<Self> {
        Self::between(&sorted_finite(values), 1, Interval::Range)
    }

    /// From the `rank`-th least to the `rank`-th greatest of sorted values; `rank` counts from 1.
    fn between(sorted: &[f64], rank: usize, interval: Interval) -> Option<Self> {
        let n = sorted.len();
        let (min, max) = (*sorted.first()?, *sorted.last()?);
        let (low, high) = (*sorted.get(rank.checked_sub(1)?)?, *sorted.get(n.checked_sub(rank)?)?);
        let median = f64::midpoint(*sorted.get((n - 1) / 2)?, *sorted.get(n / 2)?);
        Some(Self { n, min, max, median, low, high, interval })
    }
}

pub(super) fn sorted_finite(values: &[f64]) -> Vec<f64> {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    sorted
}

/// The largest k for which `[x_k, x_(n+1-k)]` of n sorted values holds the median with at least 95 % probability:
/// 2 P(B <= k-1) <= 0.05 with B binomial(n, 1/2) (Conover, Practical Nonparametric Statistics, 3.2). For n from 6 on.
fn rank_of_interval(n: usize) -> usize {
    // Logarithms, because 2^-n is no number any more for n over 1074.
    let mut ln_probability = -(n as f64) * std::f64::consts::LN_2;
    let mut miss = 0.0;
    let mut rank = 0;
    while rank < n / 2 {
        miss += 2.0 * ln_probability.exp();
        if miss > MISS {
            break;
        }
        ln_probability += ((n - rank) as f64 / (rank + 1) as f64).ln();
        rank += 1;
    }
    rank.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn few_values_are_themselves_then_a_range() {
        assert_eq!(Spread::of(&[]), None);
        let one = Spread::of(&[3.0]).unwrap();
        assert_eq!((one.n, one.low, one.median, one.high, one.interval), (1, 3.0, 3.0, 3.0, Interval::Values));
        let two = Spread::of(&[4.0, 2.0]).unwrap();
        assert_eq!((two.low, two.median, two.high, two.interval), (2.0, 3.0, 4.0, Interval::Values));
        for n in 3..=5 {
            let values: Vec<f64> = (1..=n).map(f64::from).collect();
            let spread = Spread::of(&values).unwrap();
            assert_eq!((spread.low, spread.high, spread.interval), (1.0, f64::from(n), Interval::Range));
        }
    }

    #[test]
    fn the_ranks_are_those_of_the_exact_binomial() {
        let expected = [(6, 1), (8, 1), (9, 2), (11, 2), (12, 3), (14, 3), (15, 4), (16, 4), (17, 5), (20, 6), (25, 8), (30, 10)];
        for (n, rank) in expected {
            assert_eq!(rank_of_interval(n), rank, "n = {n}");
        }
        // The normal approximation n/2 - 1.96 sqrt(n)/2, which is good for large n.
        for n in [1_000, 5_000, 20_000] {
            let normal = n as f64 / 2.0 - 1.96 * (n as f64).sqrt() / 2.0;
            assert!((rank_of_interval(n) as f64 - normal).abs() < 2.0, "n = {n}");
        }
    }

    #[test]
    fn six_values_are_their_interval() {
        let spread = Spread::of(&[6.0, 5.0, 4.0, 3.0, 2.0, 1.0]).unwrap();
        assert_eq!((spread.n, spread.low, spread.median, spread.high, spread.interval), (6, 1.0, 3.5, 6.0, Interval::Ci95));
        let nine = Spread::of(&[9.0, 8.0, 7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0]).unwrap();
        assert_eq!((nine.min, nine.low, nine.median, nine.high, nine.max), (1.0, 2.0, 5.0, 8.0, 9.0));
        let pooled = Spread::with_range(&[9.0, 8.0, 7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0]).unwrap();
        assert_eq!((pooled.low, pooled.high, pooled.interval), (1.0, 9.0, Interval::Range));
    }

    #[test]
    fn what_is_not_finite_is_left_out() {
        assert_eq!(Spread::of(&[f64::NAN, f64::INFINITY, f64::NEG_INFINITY]), None);
        assert_eq!(Spread::with_range(&[f64::NAN]), None);
        assert_eq!(Spread::of(&[f64::NAN, 2.0]).unwrap().n, 1);
        assert_eq!(Spread::of(&[f64::MAX, f64::MAX]).unwrap().median, f64::MAX);
    }

    proptest! {
        #[test]
        fn a_spread_is_in_order(values in prop::collection::vec(prop::num::f64::ANY, 0..80)) {
            match Spread::of(&values) {
                None => prop_assert!(values.iter().all(|value| !value.is_finite())),
                Some(spread) => {
                    prop_assert!(spread.min <= spread.low && spread.low <= spread.median);
                    prop_assert!(spread.median <= spread.high && spread.high <= spread.max);
                    prop_assert_eq!(spread.n, values.iter().filter(|value| value.is_finite()).count());
                }
            }
        }

        #[test]
        fn the_order_of_the_values_does_not_matter(values in prop::collection::vec(-1e6_f64..1e6, 1..40)) {
            let reversed: Vec<f64> = values.iter().rev().copied().collect();
            prop_assert_eq!(Spread::of(&values), Spread::of(&reversed));
        }

        #[test]
        fn every_rank_covers_95_per_cent_and_the_next_does_not(n in 6_usize..900) {
            let mut probability = 0.5_f64.powi(n as i32);
            let mut below = Vec::new();
            let mut sum = 0.0;
            for i in 0..n {
                sum += probability;
                below.push(2.0 * sum);
                probability *= (n - i) as f64 / (i + 1) as f64;
            }
            let rank = rank_of_interval(n);
            prop_assert!(below[rank - 1] <= 0.05);
            prop_assert!(below[rank] > 0.05);
        }
    }
}
