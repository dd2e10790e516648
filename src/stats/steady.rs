//! Whether a phase went on as it began: the trend of the slices of equal work within one run.

use std::ops::Range;

/// The least number of slices of which this can be said: fewer are too few to tell a step from noise.
const LEAST_SLICES: usize = 32;
/// The groups into which the slices of the last three quarters are merged, as many as the rounds of SNIA's test.
const GROUPS: usize = 5;
/// The largest range of the groups' rates, as a share of their mean, that is steady.
const LARGEST_RANGE: f64 = 0.20;
/// The largest change along the straight line through the groups' rates, as a share of their mean, that is steady.
const LARGEST_CHANGE: f64 = 0.10;
/// What Kruskal and Wallis's H of 5 groups passes by chance in 2.5 % of cases (chi-squared, 4 degrees of freedom).
const CHANCE: f64 = 11.143;

/// How steady a phase was.
///
/// It is *not steady* when two things hold of its last three quarters:
///
/// 1. Merged into 5 groups, their rates break SNIA's rule (Solid State Storage Performance Test Specification 2.0, 2.1.24): a range
///    over 20 % of the mean, or a least-squares line that rises or falls by over 10 % of it.
/// 2. The slices show that this is no noise: Kruskal and Wallis's test finds the groups different at 2.5 %. By ranks, so that a
///    single stall, however long, is none.
///
/// SNIA's rule is made for rounds of a minute. By itself it would call slices with independent noise not steady as follows, with 64
/// slices (with 32): SOLO. Both together: BOTH; and at most 2.5 % whatever the noise. The price: of 32 slices a step is found only
/// if at least 5 of the last 24 are on each side of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Steadiness {
    /// Whether nothing speaks against it.
    pub is_steady: bool,
    /// The rate of the first quarter of the slices over the rate of all of them: work over time, not a mean of rates.
    pub first_quarter: f64,
    /// The rate of the last quarter of the slices over the rate of all of them.
    pub last_quarter: f64,
    /// The range of the rates of the 5 groups as a share of their mean.
    pub range: f64,
    /// The change along the straight line through the rates of the 5 groups as a share of their mean; under 0 when it falls.
    pub change: f64,
}

impl Steadiness {
    /// Of the nanoseconds that slices of equal work took, in their order; a last slice with less work is to be left out. `None` for
    /// fewer than 32 slices, or when a quarter or a group took no time.
    #[must_use]
    pub fn of(elapsed_ns: &[u64]) -> Option<Self> {
        let n = elapsed_ns.len();
        if n < LEAST_SLICES {
            return None;
        }
        let all = rate_of(elapsed_ns, 0..n)?;
        let steady_part = elapsed_ns.get(n / 4..)?;
        let groups = (0..GROUPS).map(|group| rate_of(steady_part, group_of(group, steady_part.len())));
        let rates = groups.collect::<Option<Vec<f64>>>()?;
        let mean = rates.iter().sum::<f64>() / GROUPS as f64;
        let (range, change) = (range_of(&rates) / mean, change_of(&rates) / mean);
        let breaks_rule = range > LARGEST_RANGE || change.abs() > LARGEST_CHANGE;
        Some(Self {
            is_steady: !(breaks_rule && difference_of_groups(steady_part) > CHANCE),
            first_quarter: rate_of(elapsed_ns, 0..n / 4)? / all,
            last_quarter: rate_of(elapsed_ns, n - n / 4..n)? / all,
            range,
            change,
        })
    }
}

/// The slices of a group, so that the sizes of two groups differ by one at the most.
const fn group_of(group: usize, slices: usize) -> Range<usize> {
    (group * slices + GROUPS / 2) / GROUPS..((group + 1) * slices + GROUPS / 2) / GROUPS
}

/// Slices in a nanosecond; `None` when they took no time.
fn rate_of(elapsed_ns: &[u64], slices: Range<usize>) -> Option<f64> {
    let taken = elapsed_ns.get(slices)?;
    // As floating point, because a sum of whole nanoseconds from a damaged file might not fit.
    let time = taken.iter().map(|elapsed| *elapsed as f64).sum::<f64>();
    (time > 0.0).then(|| taken.len() as f64 / time)
}

fn range_of(rates: &[f64]) -> f64 {
    rates.iter().copied().fold(f64::NEG_INFINITY, f64::max) - rates.iter().copied().fold(f64::INFINITY, f64::min)
}

/// The change along the least-squares line from the first to the last of equally spaced rates.
fn change_of(rates: &[f64]) -> f64 {
    let last = (rates.len() - 1) as f64;
    let from_middle = |place: usize| place as f64 - last / 2.0;
    let squares = (0..rates.len()).map(|place| from_middle(place).powi(2)).sum::<f64>();
    let products = rates.iter().enumerate().map(|(place, rate)| from_middle(place) * rate).sum::<f64>();
    products / squares * last
}

/// Kruskal and Wallis's H of the groups (1952), by the mean ranks of their slices. Equal times have their middle rank, and no
/// correction: H is then too small rather than too large.
fn difference_of_groups(elapsed_ns: &[u64]) -> f64 {
    let n = elapsed_ns.len();
    let mut sorted = elapsed_ns.to_vec();
    sorted.sort_unstable();
    let rank = |elapsed: u64| {
        let below = sorted.partition_point(|other| *other < elapsed);
        let up_to = sorted.partition_point(|other| *other <= elapsed);
        (below + up_to + 1) as f64 / 2.0
    };
    let groups = (0..GROUPS).filter_map(|group| elapsed_ns.get(group_of(group, n)));
    let from_middle = groups.map(|group| {
        let mean = group.iter().map(|elapsed| rank(*elapsed)).sum::<f64>() / group.len() as f64;
        group.len() as f64 * (mean - (n + 1) as f64 / 2.0).powi(2)
    });
    12.0 / (n * (n + 1)) as f64 * from_middle.sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Slices around 1 ms that go up and down a little, the last of which are slower.
    fn with_step(slices: usize, slow: usize, times: u64) -> Vec<u64> {
        let elapsed = |i: usize| (1_000_000 + 7_919 * (i as u64 * 5 % 11)) * if i + slow >= slices { times } else { 1 };
        (0..slices).map(elapsed).collect()
    }

    #[test]
    fn a_phase_that_goes_on_as_it_began_is_steady() {
        for slices in [32, 33, 64] {
            let steady = Steadiness::of(&with_step(slices, 0, 1)).unwrap();
            assert!(steady.is_steady && steady.range < 0.05 && steady.change.abs() < 0.05, "{steady:?}");
            assert!((steady.first_quarter - 1.0).abs() < 0.05 && (steady.last_quarter - 1.0).abs() < 0.05, "{steady:?}");
        }
        assert_eq!(Steadiness::of(&with_step(31, 0, 1)), None);
    }

    #[test]
    fn a_planted_step_is_found_wherever_it_is() {
        for slices in 32..=64 {
            for slow in 5..=slices - slices / 4 - 5 {
                let step = Steadiness::of(&with_step(slices, slow, 3)).unwrap();
                assert!(!step.is_steady && step.change < -0.10, "{slow} of {slices}: {step:?}");
            }
        }
    }

    #[test]
    fn the_quarters_say_how_much() {
        // 32 slices of 1 ns, then 32 of 3 ns: 64 in 128 ns.
        let elapsed: Vec<u64> = (0..64).map(|i| if i < 32 { 1 } else { 3 }).collect();
        let step = Steadiness::of(&elapsed).unwrap();
        assert_eq!((step.first_quarter, step.last_quarter), (2.0, 2.0 / 3.0));
        // Groups of 1, 1, 1/3 and the two that the step divides: rates 1, 10/14 (8 fast, 2 slow), 1/3, 1/3, 1/3 and so on.
        assert!(!step.is_steady && step.range > 0.20, "{step:?}");
    }

    #[test]
    fn a_slow_fall_is_found_and_a_single_stall_is_not() {
        let falling: Vec<u64> = (0..64).map(|i| 1_000_000 + 5_000 * i + 9_000 * (i * 5 % 11)).collect();
        let fall = Steadiness::of(&falling).unwrap();
        assert!(!fall.is_steady && fall.change < -0.10 && fall.range < 0.20, "{fall:?}");
        let mut stalled = with_step(64, 0, 1);
        stalled[40] *= 100;
        let stall = Steadiness::of(&stalled).unwrap();
        assert!(stall.is_steady && stall.range > 0.20, "{stall:?}");
    }

    #[test]
    fn what_took_no_time_has_no_rate() {
        assert_eq!(Steadiness::of(&[0; 64]), None);
        let mut elapsed = with_step(64, 0, 1);
        elapsed[..16].fill(0);
        assert_eq!(Steadiness::of(&elapsed), None);
        assert!(Steadiness::of(&[u64::MAX; 64]).unwrap().is_steady);
    }

    #[test]
    fn the_line_and_the_ranks_are_as_by_hand() {
        assert!((change_of(&[1.0, 2.0, 3.0, 4.0, 5.0]) - 4.0).abs() < 1e-12);
        assert!((change_of(&[1.0, 1.0, 1.0, 1.0, 2.0]) - 0.8).abs() < 1e-12);
        // Ten values in order in groups of two: rank sums 3, 7, 11, 15, 19; H = 12/110 * 382.5 - 33.
        let ordered: Vec<u64> = (0..10).collect();
        assert!((difference_of_groups(&ordered) - (12.0 / 110.0 * 382.5 - 33.0)).abs() < 1e-9);
        assert_eq!(difference_of_groups(&[5; 10]), 0.0);
        let sizes: Vec<usize> = (0..GROUPS).map(|group| group_of(group, 24).len()).collect();
        assert_eq!(sizes, [5, 5, 4, 5, 5]);
    }

    proptest! {
        #[test]
        fn the_unit_does_not_matter(elapsed in prop::collection::vec(1_u64..1_000_000, 32..65), power in 0_u32..20) {
            let scaled: Vec<u64> = elapsed.iter().map(|elapsed| elapsed << power).collect();
            prop_assert_eq!(Steadiness::of(&elapsed), Steadiness::of(&scaled));
        }

        #[test]
        fn every_slice_is_in_one_group(slices in 5_usize..200) {
            let groups: Vec<usize> = (0..GROUPS).flat_map(|group| group_of(group, slices)).collect();
            prop_assert_eq!(groups, (0..slices).collect::<Vec<_>>());
        }
    }
}
