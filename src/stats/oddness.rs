//! What is odd about the runs of one series, taken in their order: outliers, a slow first run, drift. Flags only; nothing is dropped.

use super::null::Null;
use super::spread::sorted_finite;

/// The least number of runs among which one can be an outlier.
const LEAST_FOR_OUTLIER: usize = 6;
/// How many standard deviations, as the median absolute deviation estimates them, an outlier is away (hyperfine's threshold).
const FAR: f64 = 10.0;
/// The standard deviation of a normal distribution over its median absolute deviation.
const DEVIATION_OF_MAD: f64 = 1.4826;
/// How far from the median, as a share of it, a run is an outlier when over half of the runs are equal.
const FAR_FROM_EQUALS: f64 = 0.05;

/// The least number of runs of which the first can be called slow.
const LEAST_FOR_FIRST: usize = 3;
/// By how much of the slowest other run a slow first run is below it.
const BELOW_OTHERS: f64 = 0.10;

/// The least number of runs that can drift: no order of 4 has a p under 0.05.
const LEAST_FOR_DRIFT: usize = 5;
/// From so many runs on, neighbours are taken together by their median for drift, since each run is compared with each.
const MOST_FOR_DRIFT: usize = 200;
/// The largest p that is called drift.
const ORDERED: f64 = 0.05;
/// The least change over a series, as a share of its median, that is called drift.
const LEAST_CHANGE: f64 = 0.05;

/// A run far from the others.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outlier {
    /// Its place in the series, from 0.
    pub index: usize,
    /// How many times the median of the series it is.
    pub of_median: f64,
}

/// A series that rises or falls while it is run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Drift {
    /// The change from the first to the last run as a share of the median: -0.3 is 30 % slower at the end. It is Theil and Sen's: the
    /// median of the slopes between all pairs of runs.
    pub change: f64,
    /// The two-sided p of Kendall's rank correlation with the order of the runs: exact up to 30 runs, normal beyond; with equal
    /// values the largest p of all the ways to break the ties.
    pub p: f64,
}

/// What is odd about a series of rates.
///
/// How often a series of independent runs of one distribution is flagged all the same, by measurement:
///
/// | flag | noise of 3 % | of 10 % | of 20 % | of any kind |
/// | --- | --- | --- | --- | --- |
/// | outlier, 6 runs | 1 % | 1 % | 1 % | exponential: 6 % |
/// | slow first run, 3 runs | 0.1 % | 10 % | 21 % | at most 1 in 3 |
/// | slow first run, 6 runs | 0.02 % | 3 % | 8 % | at most 1 in 6 |
/// | drift, 6 runs | 1.5 % | 1.7 % | 1.7 % | at most 1.7 % |
/// | drift, 10 runs | 3.3 % | 4.5 % | 4.5 % | at most 5 % |
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Oddness {
    /// From 6 runs on: those over 10 robust standard deviations (1.4826 times the median absolute deviation) from the median. When
    /// over half of the runs are equal that deviation is 0 and says nothing; then those over 5 % from the median.
    pub outliers: Vec<Outlier>,
    /// From 3 runs on: how many times the median of the others the first run is, if it is over 10 % below the slowest of them.
    pub slow_first: Option<f64>,
    /// From 5 runs on: the drift, if p is at most 0.05 and the change is over 5 % of the median.
    pub drift: Option<Drift>,
}

impl Oddness {
    /// Of a series of rates in the order in which they were measured. Values that are not finite keep their place and are otherwise
    /// left out; a series whose median is not over 0 has no flag, because nothing can be a share of it.
    #[must_use]
    pub fn of(rates: &[f64]) -> Self {
        let placed: Vec<(usize, f64)> = rates.iter().copied().enumerate().filter(|(_, rate)| rate.is_finite()).collect();
        let median = median_of(placed.iter().map(|(_, rate)| *rate));
        match median {
            Some(median) if median > 0.0 => {
                Self { outliers: outliers_of(&placed, median), slow_first: slow_first_of(&placed), drift: drift_of(&placed, median) }
            }
            Some(_) | None => Self::default(),
        }
    }

    /// Whether nothing is odd.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.outliers.is_empty() && self.slow_first.is_none() && self.drift.is_none()
    }
}

fn median_of(values: impl Iterator<Item = f64>) -> Option<f64> {
    let sorted = sorted_finite(&values.collect::<Vec<f64>>());
    let upper = *sorted.get(sorted.len() / 2)?;
    Some(f64::midpoint(*sorted.get((sorted.len() - 1) / 2)?, upper))
}

fn outliers_of(placed: &[(usize, f64)], median: f64) -> Vec<Outlier> {
    if placed.len() < LEAST_FOR_OUTLIER {
        return Vec::new();
    }
    let deviation = DEVIATION_OF_MAD * median_of(placed.iter().map(|(_, rate)| (rate - median).abs())).unwrap_or_default();
    let far = if deviation > 0.0 { FAR * deviation } else { FAR_FROM_EQUALS * median };
    let outliers = placed.iter().filter(|(_, rate)| (rate - median).abs() > far);
    outliers.map(|&(index, rate)| Outlier { index, of_median: rate / median }).collect()
}

fn slow_first_of(placed: &[(usize, f64)]) -> Option<f64> {
    let (&(0, first), others) = placed.split_first()? else { return None };
    let slowest = others.iter().map(|(_, rate)| *rate).fold(f64::INFINITY, f64::min);
    let is_slow = placed.len() >= LEAST_FOR_FIRST && first < slowest * (1.0 - BELOW_OTHERS);
    is_slow.then(|| median_of(others.iter().map(|(_, rate)| *rate)).map(|median| first / median))?
}

/// At most [`MOST_FOR_DRIFT`] runs: themselves, or the medians of neighbours at the place of the first of them.
fn thinned(placed: &[(usize, f64)]) -> Vec<(usize, f64)> {
    let together = placed.len().div_ceil(MOST_FOR_DRIFT).max(1);
    let parts = placed.chunks(together);
    parts.filter_map(|part| Some((part.first()?.0, median_of(part.iter().map(|(_, rate)| *rate))?))).collect()
}

fn drift_of(placed: &[(usize, f64)], median: f64) -> Option<Drift> {
    let placed = &thinned(placed);
    let ((first, _), (last, _)) = (placed.first()?, placed.last()?);
    if placed.len() < LEAST_FOR_DRIFT {
        return None;
    }
    let pairs = || placed.iter().enumerate().flat_map(|(k, later)| placed.iter().take(k).map(move |earlier| (earlier, later)));
    let falling = pairs().filter(|(earlier, later)| later.1 < earlier.1).count();
    let equal = pairs().filter(|(earlier, later)| later.1 == earlier.1).count();
    let slope = median_of(pairs().map(|(earlier, later)| (later.1 - earlier.1) / (later.0 - earlier.0) as f64))?;
    let change = slope * (last - first) as f64 / median;
    let p = Null::of_inversions(placed.len()).two_sided(falling, falling + equal);
    (p <= ORDERED && change.abs() > LEAST_CHANGE).then_some(Drift { change, p })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_planted_outlier_is_found_and_named() {
        let odd = Oddness::of(&[100.0, 101.0, 99.0, 30.0, 102.0, 98.0]);
        assert_eq!(odd.outliers, [Outlier { index: 3, of_median: 30.0 / 99.5 }]);
        assert!(!odd.is_none());
        // One of 6 at 102 is no outlier, and 5 are too few to have one.
        assert_eq!(Oddness::of(&[100.0, 101.0, 99.0, 103.0, 102.0, 98.0]), Oddness::default());
        assert!(Oddness::of(&[100.0, 101.0, 30.0, 102.0, 98.0]).outliers.is_empty());
        let both = Oddness::of(&[100.0, 101.0, 3000.0, 100.5, 30.0, 102.0, 98.0]);
        assert_eq!(both.outliers.iter().map(|outlier| outlier.index).collect::<Vec<_>>(), [2, 4]);
    }

    #[test]
    fn among_equal_runs_an_outlier_is_5_per_cent_away() {
        assert!(Oddness::of(&[100.0; 6]).is_none());
        assert!(Oddness::of(&[100.0, 100.0, 100.0, 100.0, 100.0, 104.0]).is_none());
        let odd = Oddness::of(&[100.0, 100.0, 100.0, 100.0, 100.0, 106.0]);
        assert_eq!(odd.outliers, [Outlier { index: 5, of_median: 1.06 }]);
    }

    #[test]
    fn a_slow_first_run_is_found_and_a_fast_one_is_not() {
        assert_eq!(Oddness::of(&[7.0, 100.0, 102.0]).slow_first, Some(7.0 / 101.0));
        assert_eq!(Oddness::of(&[91.0, 100.0, 102.0]).slow_first, None);
        assert_eq!(Oddness::of(&[200.0, 100.0, 102.0]).slow_first, None);
        assert_eq!(Oddness::of(&[100.0, 102.0, 7.0]).slow_first, None, "not the first");
        assert_eq!(Oddness::of(&[7.0, 100.0]).slow_first, None, "too few");
        assert_eq!(Oddness::of(&[f64::NAN, 7.0, 100.0, 102.0]).slow_first, None, "the first has no rate");
    }

    #[test]
    fn drift_is_found_both_ways_and_has_its_size() {
        let down = Oddness::of(&[100.0, 95.0, 90.0, 85.0, 80.0]).drift.unwrap();
        assert!((down.change + 20.0 / 90.0).abs() < 1e-12, "{down:?}");
        assert_eq!(down.p, 2.0 / 120.0);
        let up = Oddness::of(&[80.0, 85.0, 90.0, 95.0, 100.0]).drift.unwrap();
        assert_eq!((up.change, up.p), (-down.change, down.p));
        assert_eq!(Oddness::of(&[100.0, 99.0, 98.5, 97.5, 96.0]).drift, None, "perfect order, but under 5 %");
        assert_eq!(Oddness::of(&[100.0, 95.0, 85.0, 90.0, 80.0]).drift, None, "one exchange of 5 is p = 0.083");
        assert_eq!(Oddness::of(&[100.0, 90.0, 80.0, 70.0]).drift, None, "too few");
        assert_eq!(Oddness::of(&[100.0, 100.0, 90.0, 85.0, 80.0]).drift, None, "a tie counts against order");
        // A run without a rate keeps its place: 5 a run over 5 steps.
        let gap = Oddness::of(&[100.0, 95.0, f64::NAN, 85.0, 80.0, 75.0]).drift.unwrap();
        assert!((gap.change + 25.0 / 85.0).abs() < 1e-12, "{gap:?}");
    }

    #[test]
    fn drift_of_many_runs_is_found_among_their_neighbours() {
        let falling: Vec<f64> = (0..10_000).map(|run| 1000.0 - f64::from(run) / 20.0 + f64::from(run * 7 % 11)).collect();
        let drift = Oddness::of(&falling).drift.unwrap();
        assert!((drift.change + 0.66).abs() < 0.02, "{drift:?}");
        assert_eq!(thinned(&(0..10_000).map(|run| (run, 1.0)).collect::<Vec<_>>()).len(), MOST_FOR_DRIFT);
        assert_eq!(thinned(&[(0, 1.0), (2, 3.0)]), [(0, 1.0), (2, 3.0)]);
    }

    #[test]
    fn nothing_is_odd_about_what_has_no_share() {
        for rates in [&[][..], &[1.0], &[f64::NAN; 6], &[0.0; 8], &[-1.0, -2.0, -3.0, -4.0, -5.0, -90.0]] {
            assert!(Oddness::of(rates).is_none(), "{rates:?}");
        }
    }

    proptest! {
        #[test]
        fn the_unit_does_not_matter(rates in prop::collection::vec((1_u32..1000).prop_map(f64::from), 0..14), power in -20_i32..20) {
            // By a power of two, so that nothing is rounded.
            let scaled: Vec<f64> = rates.iter().map(|rate| rate * 2.0_f64.powi(power)).collect();
            prop_assert_eq!(Oddness::of(&rates), Oddness::of(&scaled));
        }

        #[test]
        fn backwards_drift_is_drift_the_other_way(rates in prop::collection::vec(1.0_f64..1000.0, 5..14)) {
            let backwards: Vec<f64> = rates.iter().rev().copied().collect();
            let (there, back) = (Oddness::of(&rates), Oddness::of(&backwards));
            prop_assert_eq!(there.outliers.len(), back.outliers.len());
            prop_assert_eq!(there.drift.is_some(), back.drift.is_some());
            if let (Some(there), Some(back)) = (there.drift, back.drift) {
                prop_assert!((there.change + back.change).abs() < 1e-9 && there.p == back.p);
            }
        }
    }
}
