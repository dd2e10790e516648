//! Two series side by side: how many times the other the one is, within what bounds, and whether that may be said in a word.

use super::null::Null;
use super::spread::Interval;

/// The least number of runs on each side for a verdict: from 5 and 5 on, p can be under 0.01 (2/252 = 0.8 %).
const LEAST_FOR_VERDICT: usize = 5;

/// How far from 1 a ratio must be to be called a difference, and within what an interval must lie to be called the same.
const THRESHOLD: f64 = 0.05;

/// The largest p that is called a difference. It is this small because a comparison has ten phases: see [`Verdict`].
const DIFFERENCE: f64 = 0.01;

/// The probability that a 95 % interval may miss the ratio.
const MISS: f64 = 0.05;

/// What may be said of a series beside its baseline, from exact p, ratio and interval.
///
/// False alarms, of two series of one distribution: `Faster` or `Slower` comes up in at most 1 % of phases (0.9 % at 6 runs a side),
/// so in 7 to 9 of 100 comparisons of ten phases when the noise is 10 to 20 %, in 2 of 100 when it is 3 %, and in none when it is 1 %
/// (measured at 6 runs a side).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Verdict {
    /// Greater by 5 % or more, p at most 0.01.
    Faster,
    /// Smaller by 5 % or more, p at most 0.01.
    Slower,
    /// The 95 % interval of the ratio lies within 0.95 to 1.05.
    Same,
    /// None of these: more runs would be needed to tell.
    NotResolved,
    /// Fewer than 5 runs on a side, which no word fits.
    TooFew,
}

impl Verdict {
    /// The words of a report: `faster`, `slower`, `same within 5 %`, `not resolved`, `too few runs`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Faster => "faster",
            Self::Slower => "slower",
            Self::Same => "same within 5 %",
            Self::NotResolved => "not resolved",
            Self::TooFew => "too few runs",
        }
    }

    /// Whether it says that the two differ.
    #[must_use]
    pub const fn is_difference(self) -> bool {
        match self {
            Self::Faster | Self::Slower => true,
            Self::Same | Self::NotResolved | Self::TooFew => false,
        }
    }
}

/// How many times its baseline a series is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ratio {
    /// How many values the baseline has; at least 1.
    pub baseline_n: usize,
    /// How many values the other series has; at least 1.
    pub other_n: usize,
    /// The middle of the ratios of every value to every value of the baseline (Hodges and Lehmann 1963, on logarithms: of an even
    /// number the geometric mean of the middle two, so that exchanging the series gives the inverse).
    pub ratio: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
    /// What the two ends are: from 4 and 4 values on (or as 3 and 5) the 95 % interval; before, the range of the ratios, which holds
    /// the true one less often; the value itself if there is only one.
    pub interval: Interval,
    /// The exact two-sided p of Mann and Whitney's test that both series are of one distribution. With equal values among the two
    /// series, the largest p of all the ways to break the ties. Over 120 values in both together, the normal approximation.
    pub p: f64,
}

impl Ratio {
    /// Of two series of rates, in any order. `None` when one is empty or has a value of which no ratio can be made: one that is not
    /// finite or not over 0, or so far from the others that the ratio is no number. Takes time and memory by the number of values, not
    /// of their pairs.
    ///
    /// The interval is that of the ratios which Mann and Whitney's test would not reject at 5 %: between the k-th least and the
    /// k-th greatest, with k the largest for which 2 P(U <= k-1) <= 0.05 (Hollander and Wolfe, Nonparametric Statistical Methods,
    /// 4.3). It asks of the series only that they differ by a factor; with equal values in a series it holds at least as often.
    #[must_use]
    pub fn of(baseline: &[f64], other: &[f64]) -> Option<Self> {
        let ratios = Ratios::of(baseline, other)?;
        let count = ratios.count();
        let null = Null::of_pairs(baseline.len(), other.len());
        let (rank, interval) = match rank_of_interval(&null, count) {
            0 if count == 1 => (1, Interval::Values),
            0 => (1, Interval::Range),
            rank => (rank, Interval::Ci95),
        };
        let (middle, upper_middle) = (ratios.at_rank(count.div_ceil(2)), ratios.at_rank(count / 2 + 1));
        Some(Self {
            baseline_n: baseline.len(),
            other_n: other.len(),
            // The product of the roots, because the product itself may be too large.
            ratio: if middle == upper_middle { middle } else { middle.sqrt() * upper_middle.sqrt() },
            low: ratios.at_rank(rank),
            high: ratios.at_rank(count + 1 - rank),
            interval,
            p: ratios.p_of_difference(&null),
        })
    }

    /// What may be said of the other series. Exchanging the series exchanges faster and slower, except for ratios within a hair of
    /// the threshold: 5 % more is not the inverse of 5 % less (1 / 0.95 = 1.053).
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        let differs = self.p <= DIFFERENCE && (self.ratio - 1.0).abs() >= THRESHOLD;
        if self.baseline_n.min(self.other_n) < LEAST_FOR_VERDICT {
            Verdict::TooFew
        } else if differs {
            if self.ratio > 1.0 { Verdict::Faster } else { Verdict::Slower }
        } else if 1.0 - THRESHOLD <= self.low && self.high <= 1.0 + THRESHOLD {
            Verdict::Same
        } else {
            Verdict::NotResolved
        }
    }
}

/// The ratios of every other value to every value of the baseline, without a list of them.
struct Ratios {
    /// Ascending, all over 0.
    baseline: Vec<f64>,
    /// Ascending, all over 0.
    other: Vec<f64>,
}

impl Ratios {
    fn of(baseline: &[f64], other: &[f64]) -> Option<Self> {
        let sorted = |values: &[f64]| {
            let mut values = values.to_vec();
            values.sort_by(f64::total_cmp);
            values
        };
        let ratios = Self { baseline: sorted(baseline), other: sorted(other) };
        let can_divide = |value: f64| value.is_finite() && value > 0.0;
        let (least, greatest) = (ratios.other.first()? / ratios.baseline.last()?, ratios.other.last()? / ratios.baseline.first()?);
        let is_sound = ratios.baseline.iter().chain(&ratios.other).chain([&least, &greatest]).all(|value| can_divide(*value));
        is_sound.then_some(ratios)
    }

    fn count(&self) -> usize {
        self.baseline.len() * self.other.len()
    }

    /// How many are at most so large. Division rounds in order, so that along the sorted values one boundary moves one way.
    fn at_most(&self, ratio: f64) -> usize {
        let mut within = 0;
        let counts = self.baseline.iter().map(|value| {
            while self.other.get(within).is_some_and(|other| other / value <= ratio) {
                within += 1;
            }
            within
        });
        counts.sum()
    }

    /// The ratio of a rank, from 1 for the least to their number. Positive numbers are in the order of their bits, so that halving
    /// the bits between the least and the greatest finds it exactly.
    fn at_rank(&self, rank: usize) -> f64 {
        let end = |other: Option<&f64>, value: Option<&f64>| other.zip(value).map_or(0, |(other, value)| (other / value).to_bits());
        let (mut low, mut high) = (end(self.other.first(), self.baseline.last()), end(self.other.last(), self.baseline.first()));
        while low < high {
            let middle = low + (high - low) / 2;
            if self.at_most(f64::from_bits(middle)) >= rank {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        f64::from_bits(low)
    }

    /// The two-sided p of the pairs in which the other value is the greater one.
    fn p_of_difference(&self, null: &Null) -> f64 {
        let under = |value: f64, is_under: fn(f64, f64) -> bool| self.baseline.partition_point(|other| is_under(*other, value));
        let greater: usize = self.other.iter().map(|value| under(*value, |one, two| one < two)).sum();
        let not_less: usize = self.other.iter().map(|value| under(*value, |one, two| one <= two)).sum();
        null.two_sided(greater, not_less)
    }
}

/// The largest k with 2 P(U <= k-1) <= 0.05, up to the middle; 0 when there is none.
fn rank_of_interval(null: &Null, pairs: usize) -> usize {
    let (mut within, mut beyond) = (0, pairs / 2 + 1);
    while within + 1 < beyond {
        let rank = usize::midpoint(within, beyond);
        if 2.0 * null.at_most(rank - 1) <= MISS {
            within = rank;
        } else {
            beyond = rank;
        }
    }
    within
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_ratio_of_one_and_of_a_few_values() {
        let one = Ratio::of(&[2.0], &[3.0]).unwrap();
        assert_eq!((one.ratio, one.low, one.high, one.interval, one.p), (1.5, 1.5, 1.5, Interval::Values, 1.0));
        // Ratios 2, 4, 4, 8; the range is no 95 % interval.
        let four = Ratio::of(&[1.0, 2.0], &[4.0, 8.0]).unwrap();
        assert_eq!((four.ratio, four.low, four.high, four.interval), (4.0, 2.0, 8.0, Interval::Range));
        assert_eq!(four.p, 2.0 / 6.0);
        assert_eq!(four.verdict(), Verdict::TooFew);
    }

    #[test]
    fn the_interval_begins_at_4_a_side_and_has_the_ranks_of_the_tables() {
        // C of Hollander and Wolfe: the critical U of the two-sided 5 % table, plus 1.
        let expected = [(3, 3, 0), (3, 4, 0), (3, 5, 1), (4, 4, 1), (5, 5, 3), (6, 6, 6), (8, 8, 14), (10, 10, 24), (20, 20, 128)];
        for (n, m, rank) in expected {
            assert_eq!(rank_of_interval(&Null::of_pairs(n, m), n * m), rank, "{n} and {m}");
        }
        let (baseline, other): (Vec<f64>, Vec<f64>) = (1..=4).map(|i| (f64::from(i), f64::from(10 * i))).unzip();
        let ratio = Ratio::of(&baseline, &other).unwrap();
        assert_eq!((ratio.ratio, ratio.low, ratio.high, ratio.interval), (10.0, 2.5, 40.0, Interval::Ci95));
    }

    #[test]
    fn a_word_needs_5_runs_a_small_p_and_5_per_cent() {
        let around = |middle: f64, n: u32| -> Vec<f64> { (0..n).map(|i| middle * (1.0 + 0.001 * f64::from(i))).collect() };
        let verdict = |n, m, factor| Ratio::of(&around(100.0, n), &around(100.0 * factor, m)).unwrap().verdict();
        assert_eq!(verdict(4, 9, 2.0), Verdict::TooFew);
        assert_eq!(verdict(9, 4, 2.0), Verdict::TooFew);
        assert_eq!(verdict(5, 5, 1.06), Verdict::Faster);
        assert_eq!(verdict(5, 5, 0.94), Verdict::Slower);
        assert_eq!(verdict(5, 5, 1.03), Verdict::Same, "p is small, but so is the difference");
        assert_eq!(verdict(5, 5, 1.049), Verdict::NotResolved, "the interval reaches past 1.05");
        let wide = Ratio::of(&[1.0, 2.0, 3.0, 4.0, 5.0], &[2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
        assert_eq!((wide.ratio, wide.verdict()), (4.0 / 3.0, Verdict::NotResolved), "the 13th of 25 ratios");
        // Of an even number of ratios the middle is geometric: 1/2, 1, 2, 4 of two pairs give the root of 2.
        assert!((Ratio::of(&[1.0, 2.0], &[1.0, 4.0]).unwrap().ratio - 2.0_f64.sqrt()).abs() < 1e-15);
    }

    #[test]
    fn what_has_no_ratio_has_none() {
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(Ratio::of(&[1.0, bad], &[1.0]), None);
            assert_eq!(Ratio::of(&[1.0], &[bad, 1.0]), None);
        }
        assert_eq!(Ratio::of(&[], &[1.0]), None);
        assert_eq!(Ratio::of(&[1.0], &[]), None);
        assert_eq!(Ratio::of(&[f64::MIN_POSITIVE], &[f64::MAX]), None);
        assert_eq!(Ratio::of(&[f64::MAX], &[f64::MIN_POSITIVE]), None);
    }

    #[test]
    fn equal_values_never_make_a_difference() {
        let same = Ratio::of(&[7.0; 8], &[7.0; 8]).unwrap();
        assert_eq!((same.ratio, same.low, same.high, same.p, same.verdict()), (1.0, 1.0, 1.0, 1.0, Verdict::Same));
        // 5 and 5 apart is p = 2/252; one tie between them makes it the p of one pair less.
        let apart = Ratio::of(&[1.0, 1.1, 1.2, 1.3, 1.4], &[1.5, 1.6, 1.7, 1.8, 1.9]).unwrap();
        let touching = Ratio::of(&[1.0, 1.1, 1.2, 1.3, 1.5], &[1.5, 1.6, 1.7, 1.8, 1.9]).unwrap();
        assert_eq!((apart.p, touching.p), (2.0 / 252.0, 4.0 / 252.0));
        assert_eq!((apart.verdict(), touching.verdict()), (Verdict::Faster, Verdict::NotResolved));
    }

    #[test]
    fn many_runs_are_compared_too() {
        let many: Vec<f64> = (0..200).map(|i| 100.0 + f64::from(i % 20)).collect();
        let more: Vec<f64> = many.iter().map(|value| value * 1.2).collect();
        let ratio = Ratio::of(&many, &more).unwrap();
        assert!((ratio.ratio - 1.2).abs() < 1e-9 && ratio.low > 1.17 && ratio.high < 1.23, "{ratio:?}");
        assert_eq!(ratio.verdict(), Verdict::Faster);
        assert_eq!(Ratio::of(&many, &many).unwrap().verdict(), Verdict::Same);
    }

    /// By a list of every ratio and a walk over every pair.
    fn plainly(baseline: &[f64], other: &[f64]) -> (Vec<f64>, usize, usize) {
        let pairs = || other.iter().flat_map(|other| baseline.iter().map(move |value| (value, other)));
        let mut ratios: Vec<f64> = pairs().map(|(value, other)| other / value).collect();
        ratios.sort_by(f64::total_cmp);
        (ratios, pairs().filter(|(value, other)| other > value).count(), pairs().filter(|(value, other)| other >= value).count())
    }

    fn rates() -> impl Strategy<Value = Vec<f64>> {
        prop::collection::vec(1e-3_f64..1e6, 1..14)
    }

    fn is_near(left: f64, right: f64) -> bool {
        (left / right - 1.0).abs() < 1e-9
    }

    /// Rates a few per cent apart, of whole numbers so that some are equal.
    fn near_rates() -> impl Strategy<Value = Vec<f64>> {
        prop::collection::vec((90_u32..112).prop_map(f64::from), 5..12)
    }

    proptest! {
        #[test]
        fn ranks_are_those_of_the_list_of_every_ratio(baseline in prop_oneof![rates(), near_rates()], other in prop_oneof![rates(), near_rates()]) {
            let (list, greater, not_less) = plainly(&baseline, &other);
            let ratios = Ratios::of(&baseline, &other).unwrap();
            let found: Vec<f64> = (1..=list.len()).map(|rank| ratios.at_rank(rank)).collect();
            let null = Null::of_pairs(baseline.len(), other.len());
            prop_assert_eq!(ratios.p_of_difference(&null), null.two_sided(greater, not_less));
            let rank = (0..list.len() / 2).take_while(|&count| 2.0 * null.at_most(count) <= MISS).count();
            prop_assert_eq!(rank_of_interval(&null, list.len()), rank);
            prop_assert_eq!(found, list);
        }

        #[test]
        fn a_ratio_is_in_order(baseline in rates(), other in rates()) {
            let ratio = Ratio::of(&baseline, &other).unwrap();
            let (n, m) = (baseline.len(), other.len());
            // The roots of a geometric mean round, so the middle may pass an equal end by a hair.
            prop_assert!(ratio.low <= ratio.ratio * (1.0 + 1e-12) && ratio.ratio <= ratio.high * (1.0 + 1e-12));
            prop_assert!(ratio.p > 0.0 && ratio.p <= 1.0);
            prop_assert_eq!((ratio.baseline_n, ratio.other_n), (n, m));
        }

        #[test]
        fn exchanging_the_series_inverts_the_ratio(baseline in near_rates(), other in near_rates()) {
            let there = Ratio::of(&baseline, &other).unwrap();
            let back = Ratio::of(&other, &baseline).unwrap();
            prop_assert!(is_near(there.ratio * back.ratio, 1.0));
            prop_assert!(is_near(there.low * back.high, 1.0) && is_near(there.high * back.low, 1.0));
            prop_assert_eq!((there.p, there.interval), (back.p, back.interval));
            let is_at_threshold = |value: f64| (0.949..0.953).contains(&value) || (1.049..1.053).contains(&value);
            if ![there.ratio, there.low, there.high].into_iter().any(is_at_threshold) {
                let expected = match there.verdict() {
                    Verdict::Faster => Verdict::Slower,
                    Verdict::Slower => Verdict::Faster,
                    other @ (Verdict::Same | Verdict::NotResolved | Verdict::TooFew) => other,
                };
                prop_assert_eq!(back.verdict(), expected);
            }
        }

        #[test]
        fn the_unit_does_not_matter_and_a_factor_comes_out(baseline in rates(), other in rates(), factor in 1e-3_f64..1e3) {
            let scaled = |values: &[f64]| values.iter().map(|value| value * factor).collect::<Vec<f64>>();
            let plain = Ratio::of(&baseline, &other).unwrap();
            let both = Ratio::of(&scaled(&baseline), &scaled(&other)).unwrap();
            prop_assert!(is_near(plain.ratio, both.ratio) && is_near(plain.low, both.low) && is_near(plain.high, both.high));
            let times = Ratio::of(&baseline, &scaled(&other)).unwrap();
            prop_assert!(is_near(plain.ratio * factor, times.ratio) && is_near(plain.low * factor, times.low));
        }

        #[test]
        fn the_order_of_the_runs_does_not_matter(baseline in rates(), other in rates(), turn in 0_usize..14) {
            let turned = |values: &[f64]| {
                let mut values: Vec<f64> = values.iter().rev().copied().collect();
                let by = turn % values.len();
                values.rotate_left(by);
                values
            };
            prop_assert_eq!(Ratio::of(&baseline, &other), Ratio::of(&turned(&baseline), &turned(&other)));
        }
    }
}
