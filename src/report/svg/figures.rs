//! The figures beside a drawing: numbers under each other by the decimal point or by their units, ranges by the dash.

use super::canvas::Canvas;
use super::elements::{Anchor, Type};
use super::form::{MEDIAN, RANGE, UNIT};
use super::letters::width;
use crate::report::chart::model::{Figure, Panel, Weight};
use crate::report::figures::at_point;

/// Half of what the dash of a range takes with the gaps around it.
const DASH: f64 = 6.4;

/// Between a number and its unit.
const UNIT_GAP: f64 = 5.0;

/// Where the points, units and dashes of a column stand in a panel: widths of what lies behind them.
#[derive(Debug, Clone, Copy, Default)]
pub struct Slot {
    fraction: f64,
    unit: f64,
    high: f64,
    /// All of it.
    pub width: f64,
}

/// The part of a number before its decimal point, and the rest; a power of ten is not taken apart, and values of several units have
/// no common point.
fn parts<'v>(value: &'v str, unit: &str) -> (&'v str, &'v str) {
    if unit.is_empty() { at_point(value) } else { (value, "") }
}

/// Whether a figure stands with its last whole digit before the point.
fn has_point(whole: &str, unit: &str) -> bool {
    unit.is_empty() && !whole.contains('e')
}

fn kind_of(weight: Weight) -> Type {
    match weight {
        Weight::Strong => MEDIAN,
        Weight::Quiet => RANGE,
    }
}

fn widest(widths: impl Iterator<Item = f64>) -> f64 {
    widths.fold(0.0, f64::max)
}

impl Slot {
    /// The slot of the column at a place.
    pub fn of(panel: &Panel, column: usize) -> Self {
        let figures = || panel.groups.iter().flat_map(|group| &group.rows).filter_map(move |row| row.figures.get(column));
        let slot = Self {
            fraction: widest(figures().map(|figure| match figure {
                Figure::Number { value, unit, weight } => width(parts(value, unit).1, kind_of(*weight).face),
                Figure::Range { .. } => 0.0,
            })),
            unit: widest(figures().map(|figure| match figure {
                Figure::Number { unit, .. } if !unit.is_empty() => UNIT_GAP + width(unit, UNIT.face),
                Figure::Number { .. } | Figure::Range { .. } => 0.0,
            })),
            high: widest(figures().map(|figure| match figure {
                Figure::Range { high, .. } => width(high, RANGE.face),
                Figure::Number { .. } => 0.0,
            })),
            width: 0.0,
        };
        Self { width: widest(figures().map(|figure| slot.before(figure) + slot.behind(figure))), ..slot }
    }

    /// What a figure takes before its point or dash.
    fn before(&self, figure: &Figure) -> f64 {
        match figure {
            Figure::Number { value, unit, weight } => width(parts(value, unit).0, kind_of(*weight).face),
            Figure::Range { low, .. } if low.is_empty() => 0.0,
            Figure::Range { low, .. } => width(low, RANGE.face) + DASH,
        }
    }

    /// What lies behind it.
    fn behind(&self, figure: &Figure) -> f64 {
        match figure {
            Figure::Number { value, unit, .. } if has_point(value, unit) => self.fraction + self.unit,
            Figure::Number { .. } => self.unit,
            Figure::Range { low, .. } if low.is_empty() => 0.0,
            Figure::Range { .. } => DASH + self.high,
        }
    }

    /// Writes a figure so that the longest ends at `right`.
    pub fn draw(&self, canvas: &Canvas, right: f64, y: f64, figure: &Figure) {
        let place = right - self.behind(figure);
        match figure {
            Figure::Number { value, unit, weight } => {
                let (kind, (whole, fraction)) = (kind_of(*weight), parts(value, unit));
                if !whole.is_empty() {
                    canvas.text(place, y, Anchor::End, kind, whole);
                }
                if !fraction.is_empty() {
                    canvas.text(place, y, Anchor::Start, kind, fraction);
                }
                if !unit.is_empty() {
                    canvas.text(place + UNIT_GAP, y, Anchor::Start, UNIT, unit);
                }
            }
            Figure::Range { low, .. } if low.is_empty() => {}
            Figure::Range { low, high } => {
                canvas.text(place - DASH, y, Anchor::End, RANGE, low);
                canvas.text(place, y, Anchor::Middle, RANGE, "–");
                canvas.text(place + DASH, y, Anchor::Start, RANGE, high);
            }
        }
    }
}
