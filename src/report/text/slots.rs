//! The figures of a phase under each other: medians by the decimal point, ranges by the dash.

use crate::report::figures::RateFigures;
use crate::report::lines::{blanks, left, right, width};

/// The most columns of a median with the room for its neighbours' fractions. A phase that mixes `999,999,999` and `1.234e12` is
/// not worth more.
const MOST_ALIGNED: usize = 11;

/// Where the decimal point of the medians and the dash of the ranges stand in a phase.
pub struct Slots {
    fraction: usize,
    low: usize,
    high: usize,
}

impl Slots {
    /// The slots of some rates.
    pub fn of<'f>(rates: impl Iterator<Item = &'f RateFigures> + Clone) -> Self {
        let widest = |of: fn(&RateFigures) -> usize| rates.clone().map(of).max().unwrap_or(0);
        let whole = widest(|rate| width(&rate.median) - fraction_width(&rate.median));
        let fraction = widest(|rate| fraction_width(&rate.median));
        Self {
            fraction: if whole + fraction > MOST_ALIGNED { 0 } else { fraction },
            low: widest(|rate| width(&rate.low)),
            high: widest(|rate| width(&rate.high)),
        }
    }

    /// The median with blanks behind it, up to the end of the longest fraction.
    pub fn median(&self, rate: &RateFigures) -> String {
        format!("{}{}", rate.median, blanks(self.fraction.saturating_sub(fraction_width(&rate.median))))
    }

    /// The range with a blank on each side of the dash; empty where there is none.
    pub fn range(&self, rate: &RateFigures) -> String {
        if rate.low.is_empty() { String::new() } else { format!("{} – {}", right(&rate.low, self.low), left(&rate.high, self.high)) }
    }
}

/// The columns of a figure from its decimal point on.
fn fraction_width(figure: &str) -> usize {
    figure.find('.').map_or(0, |point| figure.len() - point)
}
