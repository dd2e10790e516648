//! Axes and their ticks: linear from zero, linear close up, logarithmic. Any finite values make an axis with an end.

use crate::units::with_thousands;

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
        Self { scale: Scale::FromZero, low: 0.0, high, suffix: "", reference: None }
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

    /// Whether a value has a place on it.
    pub fn holds(&self, value: f64) -> bool {
        value.is_finite() && value >= 0.0 && (value > 0.0 || self.scale != Scale::Log)
    }

    /// What is said of the axis behind the unit.
    pub fn remark(&self) -> &'static str {
        match self.scale {
            Scale::FromZero => "",
            Scale::CloseUp => ", not from zero",
            Scale::Log => ", log scale",
        }
    }

    /// Its ticks: at most `most` steps on a linear axis, one more close up.
    pub fn ticks(&self, most: usize) -> Ticks {
        match self.scale {
            Scale::Log => self.log_ticks(),
            Scale::FromZero => self.linear_ticks(0.0, most),
            // Room for a dot at either end.
            Scale::CloseUp => {
                let room = (self.high - self.low) * 0.04;
                Self { high: self.high + room, ..self.clone() }.linear_ticks(self.low - room, most + 1)
            }
        }
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
    fn extremes_have_an_axis() {
        assert_eq!(labels(&Axis::from_zero(&[]), 4), ["0"]);
        assert_eq!(labels(&Axis::from_zero(&[0.0, f64::NAN, f64::INFINITY, -1.0]), 4), ["0"]);
        assert_eq!(labels(&Axis::from_zero(&[f64::MAX]), 4).len(), 2);
        assert_eq!(labels(&Axis::from_zero(&[f64::MIN_POSITIVE / 1e10]), 4).len(), 2);
        assert_eq!(labels(&Axis::from_zero(&[2e12]), 4), ["0", "5e11", "1e12", "1.5e12", "2e12"]);
        assert_eq!(labels(&Axis::to_resolve(&[1e-3, 1e9]), 4).len(), 13);
    }

    proptest! {
        #[test]
        fn every_axis_holds_its_values(values in prop::collection::vec(any::<f64>(), 0..8), most in 2_usize..6) {
            for axis in [Axis::from_zero(&values), Axis::to_resolve(&values)] {
                let ticks = axis.ticks(most);
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
