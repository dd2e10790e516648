//! Axes and their ticks: linear from zero, linear close up, logarithmic. Any finite values make an axis with an end.

use crate::report::figures::latency_figure;
use crate::units::{decimals_for, with_thousands};

/// From this ratio of the greatest to the least value on, a linear axis shows the least as nothing.
const MOST_LINEAR_RATIO: f64 = 30.0;

/// Beyond these an axis is written with powers of ten.
const PLAIN: std::ops::Range<f64> = 1e-3..1e10;

/// How values become places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// Equal distances are equal differences; begins at 0.
    FromZero,
    /// Equal distances are equal differences; begins near the least value.
    CloseUp,
    /// Equal distances are equal ratios.
    Log,
    /// Nanoseconds; equal distances are equal ratios, and each line is ten times the one before.
    Durations,
    /// Ratios: 2 and ½ lie equally far from 1.
    Ratios,
}

/// An axis for some values.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    pub scale: Scale,
    /// The least and the greatest value that it must hold.
    pub low: f64,
    pub high: f64,
    /// Stands behind each number but 0: ` %`.
    pub suffix: &'static str,
    /// A value whose line is stronger.
    pub reference: Option<f64>,
    /// From where to where a value makes no difference.
    pub band: Option<(f64, f64)>,
}

/// The ends of an axis, and where it is labelled.
#[derive(Debug, Clone, PartialEq)]
pub struct Ticks {
    pub low: f64,
    pub high: f64,
    /// Ascending, from `low` to `high`.
    pub at: Vec<(f64, String)>,
}

/// The values that can stand on an axis: finite and not negative.
fn drawable(values: &[f64]) -> impl Iterator<Item = f64> {
    values.iter().copied().filter(|value| value.is_finite() && *value >= 0.0)
}

/// Whether the least of the values above 0 would be nothing on a linear axis that holds the greatest.
pub fn is_wide(values: &[f64]) -> bool {
    let positive = || drawable(values).filter(|value| *value > 0.0);
    let (low, high) = (positive().fold(f64::INFINITY, f64::min), positive().fold(0.0, f64::max));
    high / low > MOST_LINEAR_RATIO
}

impl Axis {
    /// An axis from zero.
    pub fn from_zero(values: &[f64]) -> Self {
        let high = drawable(values).fold(0.0, f64::max);
        Self { scale: Scale::FromZero, low: 0.0, high, suffix: "", reference: None, band: None }
    }

    /// The axis on which dots can be told apart: logarithmic where the values are far apart, close up where they are all near each
    /// other, else from zero.
    pub fn to_resolve(values: &[f64]) -> Self {
        let positive = || drawable(values).filter(|value| *value > 0.0);
        let low = positive().fold(f64::INFINITY, f64::min);
        let axis = Self::from_zero(values);
        if is_wide(values) {
            Self { scale: Scale::Log, low, ..axis }
        } else if drawable(values).all(|value| value > 0.0) && low >= axis.high / 2.0 && axis.high - low > axis.high * 1e-9 {
            Self { scale: Scale::CloseUp, low, ..axis }
        } else {
            axis
        }
    }

    /// An axis for nanoseconds, by decades.
    pub fn of_durations(values: &[f64]) -> Self {
        let positive = || drawable(values).filter(|value| *value > 0.0);
        let high = positive().fold(0.0, f64::max);
        // Without any value, some decades that operations take.
        let (low, high) = if high > 0.0 { (positive().fold(high, f64::min), high) } else { (1e3, 1e6) };
        Self { scale: Scale::Durations, low, high, ..Self::from_zero(&[]) }
    }

    /// An axis for ratios, around 1 with its band.
    pub fn of_ratios(values: &[f64], band: (f64, f64)) -> Self {
        let (low, high) = drawable(values).filter(|value| *value > 0.0).fold(band, |(low, high), value| (low.min(value), high.max(value)));
        Self { scale: Scale::Ratios, low, high, suffix: "×", reference: Some(1.0), band: Some(band) }
    }

    /// Whether a value has a place on it.
    pub fn holds(&self, value: f64) -> bool {
        value.is_finite() && (value > 0.0 || (value == 0.0 && matches!(self.scale, Scale::FromZero | Scale::CloseUp)))
    }

    /// What is said of the axis behind the unit.
    pub fn remark(&self) -> &'static str {
        match self.scale {
            Scale::FromZero => "",
            Scale::CloseUp => ", not from zero",
            Scale::Log | Scale::Durations | Scale::Ratios => ", log scale",
        }
    }

    /// Its ticks: at most `most` steps on a linear axis, one more close up.
    pub fn ticks(&self, most: usize) -> Ticks {
        match self.scale {
            Scale::Log => self.log_ticks(),
            Scale::Durations => self.decades(),
            Scale::Ratios => self.ratio_ticks(most + 1),
            Scale::FromZero => self.linear_ticks(0.0, most),
            // Room for a dot at either end.
            Scale::CloseUp => {
                let room = (self.high - self.low) * 0.04;
                Self { high: self.high + room, ..self.clone() }.linear_ticks(self.low - room, most + 1)
            }
        }
    }

    /// The ticks of a small plot from zero, which ends at its greatest value and not at a tick.
    pub fn ticks_within(&self, most: usize) -> Ticks {
        let ticks = self.linear_ticks(0.0, most);
        let high = if self.high > 0.0 { self.high } else { ticks.high };
        Ticks { high, at: ticks.at.into_iter().filter(|(at, _)| *at <= high).collect(), ..ticks }
    }

    fn linear_ticks(&self, low: f64, most: usize) -> Ticks {
        let Some((step, first, count)) = linear_steps(low, self.high, most) else {
            let high = if self.high > 0.0 { self.high } else { 1.0 };
            let at = if self.high > 0.0 { vec![0.0, high] } else { vec![0.0] };
            return self.labelled(0.0, high, &at, high);
        };
        let at: Vec<f64> = (0..=count).map(|place| (first + place as f64) * step).collect();
        self.labelled(first * step, at.last().copied().unwrap_or(step), &at, step)
    }

    /// At 1, 2 and 5 times each power of ten; of more than five powers only at these.
    fn log_ticks(&self) -> Ticks {
        let room = (self.high.ln() - self.low.ln()) * 0.03;
        let low = (self.low.ln() - room).exp().max(f64::MIN_POSITIVE).min(self.low);
        let high = (self.high.ln() + room).exp().min(f64::MAX).max(self.high);
        let (first, last) = (low.log10().floor() as i32, high.log10().ceil() as i32);
        let factors: &[f64] = if last - first > 5 { &[1.0] } else { &[1.0, 2.0, 5.0] };
        let all = (first..=last).flat_map(|power| factors.iter().map(move |factor| factor * 10_f64.powi(power)));
        let at: Vec<f64> = all.filter(|value| (low..=high).contains(value)).collect();
        let labels = at.iter().map(|value| (*value, self.label(*value, *value))).collect();
        Ticks { low, high, at: labels }
    }

    /// At each power of ten, from the one below the least to the one above the greatest value.
    fn decades(&self) -> Ticks {
        let (first, last) = (self.low.log10().floor() as i32, self.high.log10().ceil() as i32);
        // Above the greatest power of ten that a number holds there is none to end at.
        let (first, last) = (first.min(f64::MAX_10_EXP - 1), last.max(first + 1).min(f64::MAX_10_EXP));
        let powers: Vec<f64> = (first..=last).map(|power| 10_f64.powi(power)).collect();
        // The logarithm of a power of ten may be rounded to the wrong side.
        let low = powers.first().copied().unwrap_or(self.low).min(self.low);
        let high = powers.last().copied().unwrap_or(self.high).max(self.high);
        Ticks { low, high, at: powers.into_iter().map(|value| (value, decade_label(value))).collect() }
    }

    /// At powers of 2 (or of its root) on either side of 1, in the smallest steps of which at most `most` hold all values.
    fn ratio_ticks(&self, most: usize) -> Ticks {
        let (low, high) = (self.low.log2(), self.high.log2());
        // 13 times 0.5 doubled is more than all that numbers hold.
        let steps = (0..13).map(|power| 0.5 * f64::from(1 << power));
        let ends = steps.map(|step: f64| (step, (low / step).floor(), (high / step).ceil()));
        let Some((step, first, last)) = ends.into_iter().find(|(_, first, last)| last - first <= most as f64) else {
            return Ticks { low: self.low, high: self.high, at: vec![(1.0, self.label(1.0, 1.0))] };
        };
        let at = (first as i32..=last as i32).map(|place| (f64::from(place) * step).exp2());
        let at: Vec<f64> = at.filter(|value| value.is_normal()).collect();
        let low = (first * step).exp2().max(f64::MIN_POSITIVE).min(self.low);
        let high = (last * step).exp2().min(f64::MAX).max(self.high);
        let labels = at.into_iter().map(|value| (value, self.ratio_label(value))).collect();
        Ticks { low, high, at: labels }
    }

    /// `0.35×`, `1×`, `1.4×`: in two digits, since a line at a root of 2 has no last one; powers of 2 in three.
    fn ratio_label(&self, value: f64) -> String {
        if !PLAIN.contains(&value) {
            return format!("{}{}", power_of_ten(value), self.suffix);
        }
        let digits = if is_whole(value.log2()) { 3 } else { 2 };
        let text = with_thousands(value, decimals_for(value, digits));
        let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
        format!("{text}{}", self.suffix)
    }

    fn labelled(&self, low: f64, high: f64, at: &[f64], step: f64) -> Ticks {
        let at = at.iter().map(|value| (*value, self.label(*value, step))).collect();
        Ticks { low, high, at }
    }

    /// A number of the axis with the decimals that its steps need.
    fn label(&self, value: f64, step: f64) -> String {
        if value == 0.0 {
            return "0".to_owned();
        }
        if !PLAIN.contains(&value) || step < PLAIN.start {
            return format!("{}{}", power_of_ten(value), self.suffix);
        }
        let decimals = (0..6).find(|decimals| is_whole(step * 10_f64.powi(*decimals))).unwrap_or(6);
        format!("{}{}", with_thousands(value, usize::try_from(decimals).unwrap_or(0)), self.suffix)
    }
}

fn is_whole(value: f64) -> bool {
    (value - value.round()).abs() < 1e-6 * value.abs().max(1e-3)
}

/// `1 µs`, `10 µs`: a power of ten has one digit.
fn decade_label(nanoseconds: f64) -> String {
    latency_figure(nanoseconds).replacen("1.0", "1", 1)
}

/// `2.5e12`, in as many digits as it needs and not more than three.
fn power_of_ten(value: f64) -> String {
    let text = format!("{value:.2e}");
    match text.split_once('e') {
        Some((digits, exponent)) => format!("{}e{exponent}", digits.trim_end_matches('0').trim_end_matches('.')),
        None => text,
    }
}

/// The smallest step of 1, 2, 2.5 or 5 times a power of ten with which at most `most` steps reach from below `low` to above `high`:
/// step, number of the first tick, steps. `None` where no number is small or large enough.
fn linear_steps(low: f64, high: f64, most: usize) -> Option<(f64, f64, usize)> {
    let smallest = (high - low) / most as f64;
    if !(smallest > 0.0 && smallest.is_finite()) {
        return None;
    }
    let power = smallest.log10().floor() as i32;
    let steps = (power..=power + 2).flat_map(|power| [1.0, 2.0, 2.5, 5.0].map(|factor| factor * 10_f64.powi(power)));
    for step in steps.filter(|step| *step > 0.0 && step.is_finite()) {
        let (first, last) = ((low / step).floor(), (high / step).ceil());
        if last - first <= most as f64 && (last * step).is_finite() {
            return Some((step, first, (last - first) as usize));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn labels(axis: &Axis, most: usize) -> Vec<String> {
        axis.ticks(most).at.into_iter().map(|(_, label)| label).collect()
    }

    #[test]
    fn ticks_are_those_of_the_examples() {
        let cases: [(f64, usize, &[&str]); 6] = [
            (531.0, 4, &["0", "200", "400", "600"]),
            (32_860.0, 4, &["0", "10,000", "20,000", "30,000", "40,000"]),
            (32_860.0, 3, &["0", "20,000", "40,000"]),
            (85_900.0, 4, &["0", "25,000", "50,000", "75,000", "100,000"]),
            (781_000.0, 3, &["0", "500,000", "1,000,000"]),
            (0.9, 4, &["0", "0.25", "0.50", "0.75", "1.00"]),
        ];
        for (high, most, expected) in cases {
            assert_eq!(labels(&Axis::from_zero(&[high]), most), expected);
        }
    }

    #[test]
    fn dots_have_an_axis_on_which_they_can_be_told_apart() {
        let axis = Axis::to_resolve(&[100.0, 20.0, 700.0]);
        assert_eq!((axis.scale, labels(&axis, 4).join(" ")), (Scale::Log, "20 50 100 200 500".to_owned()));
        let axis = Axis::to_resolve(&[490.0, 508.0]);
        assert_eq!((axis.scale, labels(&axis, 4).join(" ")), (Scale::CloseUp, "485 490 495 500 505 510".to_owned()));
        assert_eq!(Axis::to_resolve(&[100.0, 200.1]).scale, Scale::FromZero);
        assert_eq!(Axis::to_resolve(&[100.0, 100.0]).scale, Scale::FromZero);
        assert_eq!(Axis::to_resolve(&[0.0, 100.0]).scale, Scale::FromZero);
        assert_eq!(Axis::to_resolve(&[0.0, 1.0, 100.0]).scale, Scale::Log);
        assert!(!Axis::to_resolve(&[0.0, 1.0, 100.0]).holds(0.0));
    }

    #[test]
    fn durations_have_a_line_a_decade() {
        let axis = Axis::of_durations(&[1_300.0, 0.0, 930e6]);
        assert_eq!(labels(&axis, 4), ["1 µs", "10 µs", "100 µs", "1 ms", "10 ms", "100 ms", "1 s"]);
        assert!(axis.holds(1.0) && !axis.holds(0.0));
        assert_eq!(labels(&Axis::of_durations(&[1000.0]), 4), ["1 µs", "10 µs"]);
        assert_eq!(labels(&Axis::of_durations(&[]), 4).len(), 4);
        assert_eq!(labels(&Axis::of_durations(&[1.8e19]), 4), ["1.0e10 s", "1.0e11 s"].map(|label| label.replacen("1.0", "1", 1)));
    }

    #[test]
    fn two_and_a_half_are_equally_far_from_one() {
        let of = |values: &[f64], most| labels(&Axis::of_ratios(values, (0.95, 1.05)), most).join(" ");
        assert_eq!(of(&[0.28, 1.11], 4), "0.25× 0.35× 0.5× 0.71× 1× 1.4×");
        assert_eq!(of(&[], 4), "0.71× 1× 1.4×");
        assert_eq!(of(&[3.9], 3), "0.5× 1× 2× 4×");
        assert_eq!(of(&[0.001, 3.0], 4), "2.44e-4× 0.00391× 0.0625× 1× 16×");
        assert_eq!(of(&[1e-300, 1e300], 4).split(' ').count(), 3);
        let ticks = Axis::of_ratios(&[0.28, 1.11], (0.95, 1.05)).ticks(4);
        assert!(ticks.low <= 0.25 && ticks.high >= 1.41 && ticks.at.iter().any(|(at, _)| *at == 1.0));
    }

    #[test]
    fn a_small_plot_ends_at_its_greatest_value() {
        let ticks = Axis::from_zero(&[531.0]).ticks_within(3);
        assert_eq!((ticks.high, ticks.at.len()), (531.0, 3));
        assert_eq!(Axis::from_zero(&[]).ticks_within(3).at.len(), 1);
    }

    #[test]
    fn extremes_have_an_axis() {
        assert_eq!(labels(&Axis::from_zero(&[]), 4), ["0"]);
        assert_eq!(labels(&Axis::from_zero(&[0.0, f64::NAN, f64::INFINITY, -1.0]), 4), ["0"]);
        assert_eq!(labels(&Axis::from_zero(&[f64::MAX]), 4).len(), 2);
        assert_eq!(labels(&Axis::from_zero(&[f64::MIN_POSITIVE / 1e10]), 4).len(), 2);
        assert_eq!(labels(&Axis::from_zero(&[2e12]), 4), ["0", "5e11", "1e12", "1.5e12", "2e12"]);
        assert_eq!(labels(&Axis::to_resolve(&[1e-3, 1e9]), 4).len(), 13);
        for greatest in [1e308, 1.4e308, f64::MAX] {
            let ticks = Axis::of_durations(&[greatest]).ticks(4);
            assert!(ticks.low < ticks.high && ticks.high.is_finite() && ticks.high >= greatest, "{ticks:?}");
        }
    }

    proptest! {
        #[test]
        fn every_axis_holds_its_values(values in prop::collection::vec(any::<f64>(), 0..8), most in 2_usize..6) {
            let of_ratios = Axis::of_ratios(&values, (0.95, 1.05));
            let axes = [Axis::from_zero(&values), Axis::to_resolve(&values), Axis::of_durations(&values), of_ratios];
            let small = axes[0].ticks_within(most);
            for (axis, ticks) in axes.iter().map(|axis| (axis, axis.ticks(most))).chain([(&axes[0], small)]) {
                prop_assert!(ticks.low < ticks.high && ticks.low.is_finite() && ticks.high.is_finite(), "{axis:?} {ticks:?}");
                prop_assert!(ticks.at.len() < 700);
                for value in values.iter().filter(|value| axis.holds(**value)) {
                    prop_assert!((ticks.low..=ticks.high).contains(value), "{value} {axis:?} {ticks:?}");
                }
                prop_assert!(ticks.at.iter().all(|(at, label)| (ticks.low..=ticks.high).contains(at) && label.len() < 20));
            }
        }
    }
}
