//! How numbers are written in tables: as many digits as their spread bears, and never wider than a column.

use crate::stats::Spread;
use crate::units::{short_duration, with_thousands};

/// What stands for a number that does not exist.
pub const NO_FIGURE: &str = "–";

/// The most characters of a plain rate: `999,999,999`. Wider ones are written with a power of ten.
const MOST_CHARACTERS: usize = 11;

/// Below this a rate is written with a power of ten.
const LEAST_PLAIN: f64 = 1e-3;

/// A median with its ends, written with equal decimals; the ends are empty where there is one run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RateFigures {
    pub median: String,
    pub low: String,
    pub high: String,
}

/// The most digits of a median with its ends, and where there is little room.
const MOST_DIGITS: i32 = 4;
const MOST_DIGITS_NARROW: i32 = 3;

/// Writes a spread of rates. `unit` is the number of work units in one of the heading's unit.
///
/// Half the width of the interval, in two digits, decides the last place; but the median shows two digits at least and four at most.
/// One run has three digits.
pub fn rate_figures(rate: &Spread, unit: f64) -> RateFigures {
    figures_in(rate, unit, MOST_DIGITS)
}

/// The same where there is little room: the median shows three digits at most.
pub fn narrow_rate_figures(rate: &Spread, unit: f64) -> RateFigures {
    figures_in(rate, unit, MOST_DIGITS_NARROW)
}

fn figures_in(rate: &Spread, unit: f64, most_digits: i32) -> RateFigures {
    if rate.n == 1 {
        return RateFigures { median: rate_figure(rate.median, unit), ..RateFigures::default() };
    }
    let values = [rate.median / unit, rate.low / unit, rate.high / unit];
    let [median, low, high] = same_form(values, place_of(rate, unit, most_digits), 3);
    RateFigures { median, low, high }
}

/// A share of the high end below which a low end may be written as 0.
const NEXT_TO_NOTHING: f64 = 1e-6;

/// The power of ten of the last place that a spread of rates is written to.
fn place_of(rate: &Spread, unit: f64, most_digits: i32) -> i32 {
    let (median, low, high) = (rate.median / unit, rate.low / unit, rate.high / unit);
    let shown = if median > 0.0 { median } else { high };
    match last_place(half_width(low, high), 2) {
        _ if rate.n == 1 => last_place(shown, 3).unwrap_or(0),
        Some(place) => {
            let place = place.clamp(last_place(shown, most_digits).unwrap_or(0), last_place(shown, 2).unwrap_or(0));
            // A low end that is not 0 is not written as 0, unless it is next to nothing beside the other.
            if low > high * NEXT_TO_NOTHING { place.min(last_place(low, 1).unwrap_or(place)) } else { place }
        }
        None => last_place(shown, most_digits).unwrap_or(0),
    }
}

/// Writes an acknowledged rate beside the rate that contains the flush: in three digits, but no finer than that one, so that rounding
/// cannot make it look the slower of the two.
pub fn acknowledged_figure(acknowledged: f64, rate: &Spread, unit: f64) -> String {
    let value = acknowledged / unit;
    let place = last_place(value, 3).unwrap_or(0).max(place_of(rate, unit, MOST_DIGITS));
    let [text] = same_form([value], place, 2);
    text
}

/// Writes a rate that stands without its spread, in three digits.
pub fn rate_figure(rate: f64, unit: f64) -> String {
    let value = rate / unit;
    let [text] = same_form([value], last_place(value, 3).unwrap_or(0), 2);
    text
}

/// Writes the rates of single runs to the same last place as their spread.
pub fn run_figures(rates: &[f64], spread: &Spread, unit: f64) -> Vec<String> {
    let place = place_of(spread, unit, MOST_DIGITS);
    let figure = |rate: &f64| {
        let [text] = same_form([rate / unit], place, 3);
        text
    };
    rates.iter().map(figure).collect()
}

/// Times of one operation are not written finer than to this place: ten nanoseconds in milliseconds.
const LEAST_PLACE_OF_DURATIONS: i32 = -5;

/// Writes a spread of durations where a column has one unit: in two digits, small ones in plain digits too.
pub fn duration_figures(durations: &Spread, unit: f64) -> RateFigures {
    let place = last_place(durations.median / unit, 2).unwrap_or(0).max(LEAST_PLACE_OF_DURATIONS);
    with_ends(durations, [durations.median, durations.low, durations.high].map(|value| to_place(value / unit, place)))
}

/// From so many of a unit on, the next one is used.
const MOST_OF_A_UNIT: f64 = 10_240.0;

/// The unit in which bytes are written of which the highest are so many, and how many bytes are one of it.
pub fn byte_unit(highest: f64) -> (&'static str, f64) {
    let units = [("KiB", 1024.0), ("MiB", 1024.0 * 1024.0), ("GiB", 1024.0 * 1024.0 * 1024.0)];
    let fits = |(_, size): &&(&'static str, f64)| highest < size * MOST_OF_A_UNIT;
    units.iter().find(fits).copied().unwrap_or(("TiB", 1024.0 * 1024.0 * 1024.0 * 1024.0))
}

/// Writes a spread of counts: whole numbers, of three digits at most where runs differ by more.
pub fn count_figures(counts: &Spread) -> RateFigures {
    let place = place_of(counts, 1.0, MOST_DIGITS_NARROW).max(0);
    let place = if half_width(counts.low, counts.high) == 0.0 { 0 } else { place };
    with_ends(counts, same_form([counts.median, counts.low, counts.high], place, 3))
}

/// The decimals of a share that may be a hair under 1.
const SHARE_DECIMALS: i32 = 4;

/// Writes a spread of shares, 0 to 1, rounded down: 1 is only what is 1.
pub fn share_figures(shares: &Spread) -> RateFigures {
    let step = 10_f64.powi(SHARE_DECIMALS);
    // What is a hair under a round number by the arithmetic alone is that number.
    let down = |share: f64| ((share * step + 1e-6).floor()) / step;
    with_ends(shares, same_form([shares.median, shares.low, shares.high].map(down), -SHARE_DECIMALS, 3))
}

/// One value has no ends.
fn with_ends(spread: &Spread, [median, low, high]: [String; 3]) -> RateFigures {
    if spread.n == 1 { RateFigures { median, ..RateFigures::default() } } else { RateFigures { median, low, high } }
}

/// A figure up to its decimal point, and the rest; a power of ten is not taken apart.
pub fn at_point(figure: &str) -> (&str, &str) {
    match figure.find('.') {
        Some(point) if !figure.contains('e') => figure.split_at(point),
        _ => (figure, ""),
    }
}

/// Writes how many times another a rate is, with the ends of its interval: two decimals, or as many as show two digits. The ends are
/// rounded outward, so that what is written never says more than was found.
pub fn ratio_figures(ratio: f64, low: f64, high: f64) -> RateFigures {
    let decimals = match ratio {
        ratio if ratio >= 99.95 => 0,
        ratio if ratio >= 9.995 => 1,
        ratio if ratio >= 0.0995 => 2,
        ratio => usize::try_from(-last_place(ratio, 2).unwrap_or(-2)).unwrap_or(2),
    };
    let texts = [ratio, low, high].map(|value| with_thousands(value, decimals));
    if decimals > MOST_RATIO_DECIMALS || texts.iter().any(|text| text.len() > MOST_CHARACTERS) {
        let [median, low, high] = [ratio, low, high].map(|value| format!("{value:.1e}"));
        return RateFigures { median, low, high };
    }
    let step = 10_f64.powi(i32::try_from(decimals).unwrap_or(0));
    // What is a hair off a round number by the arithmetic alone is that number.
    let is_round = |value: f64| ((value * step).round() - value * step).abs() < 1e-6;
    let outward = |value: f64, round: fn(f64) -> f64| if is_round(value) { value } else { round(value * step) / step };
    let [median, ..] = texts;
    RateFigures {
        median,
        low: with_thousands(outward(low, f64::floor), decimals),
        high: with_thousands(outward(high, f64::ceil), decimals),
    }
}

/// A ratio of more decimals is written with a power of ten.
const MOST_RATIO_DECIMALS: usize = 5;

/// Writes a share of CPU in whole per cent.
pub fn cpu_figure(percent: f64) -> String {
    if percent.abs() < 999_999.5 { with_thousands(percent, 0) } else { format!("{percent:.1e}") }
}

/// Writes a latency in two digits with its unit.
pub fn latency_figure(nanoseconds: f64) -> String {
    if nanoseconds.abs() < 1e13 { short_duration(nanoseconds) } else { format!("{:.1e} s", nanoseconds / 1e9) }
}

fn half_width(low: f64, high: f64) -> f64 {
    (high - low) / 2.0
}

/// The power of ten of the last of `digits` significant digits; `None` for 0.
fn last_place(value: f64, digits: i32) -> Option<i32> {
    if value == 0.0 || !value.is_finite() {
        return None;
    }
    // Through text, because a half-width of 9.96 has its first digit elsewhere once it is rounded to 10.
    let decimals = usize::try_from(digits - 1).unwrap_or(0);
    let text = format!("{:.decimals$e}", value.abs());
    let exponent: i32 = text.split_once('e').and_then(|(_, exponent)| exponent.parse().ok())?;
    Some(exponent + 1 - digits)
}

/// Writes values to the same last place, or all with a power of ten where one would be too wide or too small to read.
fn same_form<const N: usize>(values: [f64; N], place: i32, decimals_of_power: usize) -> [String; N] {
    let plain = values.map(|value| to_place(value, place));
    let is_tiny = values.first().is_some_and(|value| *value > 0.0 && *value < LEAST_PLAIN);
    if !is_tiny && plain.iter().all(|text| text.len() <= MOST_CHARACTERS) {
        return plain;
    }
    values.map(|value| if value == 0.0 { "0".to_owned() } else { format!("{value:.decimals_of_power$e}") })
}

fn to_place(value: f64, place: i32) -> String {
    match usize::try_from(-place) {
        Ok(decimals) => with_thousands(value, decimals),
        Err(_) => {
            let step = 10_f64.powi(place);
            with_thousands((value / step).round() * step, 0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn written(values: &[f64]) -> String {
        let figures = rate_figures(&Spread::of(values).unwrap(), 1.0);
        format!("{} [{} – {}]", figures.median, figures.low, figures.high)
    }

    #[test]
    fn the_width_of_the_range_decides_the_digits() {
        // The examples of the report that is the target.
        assert_eq!(written(&[499.64, 503.26, 506.31]), "503.3 [499.6 – 506.3]");
        assert_eq!(written(&[436.2, 449.9, 467.4]), "450 [436 – 467]");
        assert_eq!(written(&[31_413.0, 31_822.0, 32_658.0]), "31,820 [31,410 – 32,660]");
        assert_eq!(written(&[58_612.0, 60_700.0, 62_031.0]), "60,700 [58,600 – 62,000]");
        assert_eq!(written(&[525.9, 526.6, 527.8]), "526.6 [525.9 – 527.8]");
        assert_eq!(written(&[743.0, 1563.0, 2383.0]), "1,560 [740 – 2,380]");
    }

    #[test]
    fn where_there_is_little_room_a_median_has_three_digits() {
        let written = |values: &[f64], unit| {
            let figures = narrow_rate_figures(&Spread::of(values).unwrap(), unit);
            format!("{} [{}–{}]", figures.median, figures.low, figures.high)
        };
        assert_eq!(written(&[490.84, 499.41, 508.62], 1.0), "499 [491–509]");
        assert_eq!(written(&[54_180.0, 55_050.0, 55_650.0], 1000.0), "55.0 [54.2–55.6]");
        assert_eq!(written(&[58_612.0, 60_700.0, 62_031.0], 1000.0), "60.7 [58.6–62.0]");
    }

    #[test]
    fn no_spread_has_four_digits_and_one_run_three() {
        assert_eq!(written(&[1.0, 1.0, 1.0]), "1.000 [1.000 – 1.000]");
        assert_eq!(written(&[49_999.4, 49_999.4]), "50,000 [50,000 – 50,000]");
        assert_eq!(written(&[0.0, 0.0]), "0 [0 – 0]");
        assert_eq!(written(&[1234.5]), "1,230 [ – ]");
        assert_eq!(rate_figure(74_812.0, 1.0), "74,800");
        assert_eq!(rate_figure(0.0, 1.0), "0");
    }

    #[test]
    fn counts_are_whole_and_shares_are_rounded_down() {
        let counts = |values: &[f64]| count_figures(&Spread::of(values).unwrap());
        let written = |figures: RateFigures| format!("{} [{} – {}]", figures.median, figures.low, figures.high);
        assert_eq!(written(counts(&[1.0])), "1 [ – ]");
        assert_eq!(written(counts(&[12_345.0])), "12,345 [ – ]");
        assert_eq!(written(counts(&[1.0, 1.0, 2.0])), "1 [1 – 2]");
        assert_eq!(written(counts(&[9.0, 9.0, 9.0])), "9 [9 – 9]");
        assert_eq!(written(counts(&[11_000.0, 12_345.0, 13_000.0])), "12,300 [11,000 – 13,000]");
        let shares = |values: &[f64]| written(share_figures(&Spread::of(values).unwrap()));
        assert_eq!(shares(&[0.999_99, 1.0, 1.0]), "1.0000 [0.9999 – 1.0000]");
        assert_eq!(shares(&[0.9999]), "0.9999 [ – ]");
        assert_eq!(shares(&[0.0]), "0.0000 [ – ]");
    }

    #[test]
    fn a_median_far_from_its_ends_keeps_two_digits() {
        assert_eq!(written(&[1.0, 20.0, 20_000.0]), "20 [1 – 20,000]");
        assert_eq!(written(&[0.0, 0.0, 500.0]), "0 [0 – 500]");
    }

    #[test]
    fn the_ends_of_a_ratio_are_rounded_outward() {
        let written = |ratio, low, high| {
            let figures = ratio_figures(ratio, low, high);
            format!("{} [{} – {}]", figures.median, figures.low, figures.high)
        };
        assert_eq!(written(1.006, 0.994, 1.021), "1.01 [0.99 – 1.03]");
        assert_eq!(written(1.1, 1.1, 1.1), "1.10 [1.10 – 1.10]");
        assert_eq!(written(0.95, 0.95, 1.05), "0.95 [0.95 – 1.05]");
        assert_eq!(written(12.34, 11.96, 12.71), "12.3 [11.9 – 12.8]");
        assert_eq!(written(1234.0, 1200.5, 1300.2), "1,234 [1,200 – 1,301]");
        assert_eq!(written(0.034_4, 0.033_1, 0.036_7), "0.034 [0.033 – 0.037]");
        assert_eq!(written(1e-9, 1e-9, 2e-9), "1.0e-9 [1.0e-9 – 2.0e-9]");
        assert_eq!(written(1e12, 1e12, 2e12), "1.0e12 [1.0e12 – 2.0e12]");
    }

    #[test]
    fn what_is_too_wide_has_a_power_of_ten() {
        assert_eq!(written(&[1.2e12, 1.3e12, 1.4e12]), "1.300e12 [1.200e12 – 1.400e12]");
        assert_eq!(written(&[0.000_1, 0.000_2, 0.000_3]), "2.000e-4 [1.000e-4 – 3.000e-4]");
        assert_eq!(written(&[0.0, 0.001, 1e9]), "1.000e-3 [0 – 1.000e9]");
        assert_eq!(cpu_figure(12_800.4), "12,800");
        assert_eq!(cpu_figure(1e12), "1.0e12");
        assert_eq!(latency_figure(1.8e19), "1.8e10 s");
    }

    proptest! {
        #[test]
        fn no_figure_is_wider_than_its_column(values in prop::collection::vec(prop_oneof![Just(0.0), -20_f64..20.0].prop_map(|x| if x == 0.0 { x } else { 10_f64.powf(x) }), 1..9)) {
            let figures = rate_figures(&Spread::of(&values).unwrap(), 1.0);
            for text in [figures.median, figures.low, figures.high, rate_figure(values[0], 1.0)] {
                prop_assert!(text.len() <= MOST_CHARACTERS, "{text}");
            }
            prop_assert!(cpu_figure(values[0]).len() <= 7);
            prop_assert!(latency_figure(values[0]).chars().count() <= 8);
        }
    }
}
