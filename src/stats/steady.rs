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
/// What the F of 5 groups passes by chance in 1 % of cases, if its slices are without number (4 degrees of freedom).
const CHANCE: f64 = 3.32;
/// By how much more over the degrees of freedom of the slices: 4.50 for 19 of them, 4.02 for 30, 3.79 for 43 in the tables; by this
/// line 4.50, 4.07 and 3.84.
const CHANCE_OF_FEW: f64 = 22.5;

/// How steady a phase was.
///
/// It is *not steady* when two things hold of its last three quarters:
///
/// 1. Merged into 5 groups, their rates break SNIA's rule (Solid State Storage Performance Test Specification 2.0, 2.1.24): a range
///    over 20 % of the mean, or a least-squares line that rises or falls by over 10 % of it.
/// 2. The slices show that this is no noise: an analysis of variance of their times finds the groups different at 1 %. Of times and
///    not of their logarithms: readahead makes every other slice of a read take next to no time. A single stall, however long, is no
///    trend, since it is as large within its group as between the groups.
///
/// SNIA's rule is made for rounds of a minute, and by itself it calls independent noise not steady: of 64 slices with noise of 10 %
/// each 1 phase in 60, of 20 % 1 in 3; of 32 slices 1 in 11 and 2 in 3 (measured). Both together: with noise of 5 % under 0.1 % of
/// phases, of 10 % under 1 %, and about 1 % with more, also when it is exponential, has two modes or is full of stalls. Noise that
/// comes in waves as long as a group is not independent, and is rightly found. A step to a third of the rate is found when at
/// least a sixth of those slices is on either side of it.
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
            is_steady: !(breaks_rule && is_more_than_noise(steady_part)),
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

/// Whether the groups differ by more than the slices in them do: Fisher's F of the times is over what chance explains.
fn is_more_than_noise(elapsed_ns: &[u64]) -> bool {
    let times: Vec<f64> = elapsed_ns.iter().map(|elapsed| *elapsed as f64).collect();
    let n = times.len();
    let groups = (0..GROUPS).filter_map(|group| times.get(group_of(group, n)));
    let within = groups.map(squares_of).sum::<f64>();
    let between = squares_of(&times) - within;
    let freedom = (n - GROUPS) as f64;
    let chance = CHANCE + CHANCE_OF_FEW / freedom;
    // Multiplied out, because slices that are all equal have no variance to divide by.
    between * freedom > chance * within * (GROUPS - 1) as f64
}

/// The sum of the squares of the distances from the mean.
fn squares_of(values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    values.iter().map(|value| (value - mean).powi(2)).sum()
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
        for slices in 32_usize..=64 {
            let last = slices - slices / 4;
            for slow in last.div_ceil(6)..=last - last.div_ceil(6) {
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
        // The groups of 10, 9, 10, 9, 10: 1; 9 / 15 with 6 fast and 3 slow; 1/3 three times. Their mean is 13/25.
        assert!(!step.is_steady && (step.range - 2.0 / 3.0 * 25.0 / 13.0).abs() < 1e-12, "{step:?}");
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
    fn the_line_the_squares_and_the_groups_are_as_by_hand() {
        assert!((change_of(&[1.0, 2.0, 3.0, 4.0, 5.0]) - 4.0).abs() < 1e-12);
        assert!((change_of(&[1.0, 1.0, 1.0, 1.0, 2.0]) - 0.8).abs() < 1e-12);
        assert_eq!(squares_of(&[1.0, 2.0, 6.0]), 14.0);
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
