//! The figures beside a drawing: medians under each other by the decimal point, ranges by the dash.

use super::canvas::Canvas;
use super::elements::{Anchor, Type};
use super::form::{MEDIAN, RANGE};
use super::letters::width;
use crate::report::chart::model::{Figures, Panel, Row};

/// Half of what the dash of a range takes with the gaps around it.
const DASH: f64 = 6.4;

/// Where the points and dashes of a panel stand.
pub struct Slots {
    fraction: f64,
    high: f64,
}

/// The part of a figure before its decimal point, and the rest; a power of ten is not taken apart.
fn parts(figure: &str) -> (&str, &str) {
    match figure.find('.') {
        Some(point) if !figure.contains('e') => figure.split_at(point),
        _ => (figure, ""),
    }
}

fn rows(panel: &Panel) -> impl Iterator<Item = &Row> {
    panel.groups.iter().flat_map(|group| &group.rows)
}

fn widest(widths: impl Iterator<Item = f64>) -> f64 {
    widths.fold(0.0, f64::max)
}

/// The room that the medians of a panel need.
pub fn median_width(panel: &Panel) -> f64 {
    let slots = Slots::of(panel);
    widest(rows(panel).map(|row| {
        let (whole, fraction) = parts(&row.figures.median);
        width(whole, MEDIAN.face) + if has_point(whole) { slots.fraction } else { width(fraction, MEDIAN.face) }
    }))
}

/// Whether a figure stands with its last whole digit before the point.
fn has_point(whole: &str) -> bool {
    !whole.contains('e')
}

/// The room that the ranges of a panel need.
pub fn range_width(panel: &Panel) -> f64 {
    let low = widest(rows(panel).map(|row| width(&row.figures.low, RANGE.face)));
    let high = widest(rows(panel).map(|row| width(&row.figures.high, RANGE.face)));
    if low == 0.0 { 0.0 } else { low + 2.0 * DASH + high }
}

impl Slots {
    pub fn of(panel: &Panel) -> Self {
        Self {
            fraction: widest(rows(panel).map(|row| width(parts(&row.figures.median).1, MEDIAN.face))),
            high: widest(rows(panel).map(|row| width(&row.figures.high, RANGE.face))),
        }
    }

    /// Writes a median so that the longest ends at `right`.
    pub fn median(&self, canvas: &Canvas, right: f64, y: f64, kind: Type, figures: &Figures) {
        let (whole, fraction) = parts(&figures.median);
        let point = if has_point(whole) { right - self.fraction } else { right };
        if !whole.is_empty() {
            canvas.text(point, y, Anchor::End, kind, whole);
        }
        if !fraction.is_empty() {
            canvas.text(point, y, Anchor::Start, kind, fraction);
        }
    }

    /// Writes a range so that the longest ends at `right`.
    pub fn range(&self, canvas: &Canvas, right: f64, y: f64, kind: Type, figures: &Figures) {
        if figures.low.is_empty() {
            return;
        }
        let dash = right - self.high - DASH;
        canvas.text(dash - DASH, y, Anchor::End, kind, &figures.low);
        canvas.text(dash, y, Anchor::Middle, kind, "–");
        canvas.text(dash + DASH, y, Anchor::Start, kind, &figures.high);
    }
}
