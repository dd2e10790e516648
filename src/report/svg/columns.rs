//! The columns of stacked panels: labels, the drawing, figures and words, each as wide as the widest thing in it.

use super::figures::Slot;
use super::form::{AXIS, Form, LABEL, PHASE};
use super::letters::width;
use crate::report::chart::model::{Column, Group, Panel, Row};

/// The widest words beside a row; longer ones take two lines.
const MOST_WORDS: f64 = 150.0;

/// Between two columns of figures.
const FIGURE_GAP: f64 = 18.0;

/// What the arrow before a word takes.
pub const ARROW: f64 = 13.0;

/// The columns that all panels share, as places in pixels from the left of the chart.
pub struct Columns<'c> {
    pub label: f64,
    pub label_room: f64,
    pub plot_left: f64,
    pub plot_right: f64,
    pub figures: Vec<Place<'c>>,
    pub words: f64,
    pub words_room: f64,
    /// What stands before the words for an arrow.
    pub arrow: f64,
}

/// Where a column of figures stands.
pub struct Place<'c> {
    /// Which of the figures of a row.
    pub index: usize,
    pub column: &'c Column,
    pub left: f64,
    pub right: f64,
}

fn widest(widths: impl Iterator<Item = f64>) -> f64 {
    widths.fold(0.0, f64::max)
}

/// What the words of a row take, without an arrow.
fn words_width(row: &Row) -> f64 {
    match &row.verdict {
        Some(verdict) => width(&verdict.text, PHASE.face),
        None => width(&row.words, AXIS.face),
    }
}

impl<'c> Columns<'c> {
    pub fn of(columns: &'c [Column], panels: &[Panel], form: &Form) -> Self {
        let groups = || panels.iter().flat_map(|panel| &panel.groups);
        let rows = || groups().flat_map(|group| &group.rows);
        let phase = |group: &Group| {
            let heading = group.heading.as_ref().map_or(0.0, |phase| width(phase, PHASE.face));
            heading.max(width(&group.note, AXIS.face))
        };
        let phases = widest(groups().map(phase));
        let label = if form.is_wide && phases > 0.0 { phases + 14.0 } else { 0.0 };
        let label_room = widest(rows().map(|row| width(&row.label, LABEL.face))).min(form.most_label);
        let has_arrow = rows().any(|row| row.verdict.as_ref().is_some_and(|verdict| verdict.arrow.is_some()));
        let arrow = if form.is_wide && has_arrow { ARROW } else { 0.0 };
        let words_room = if form.is_wide { widest(rows().map(words_width)).min(MOST_WORDS) } else { 0.0 };
        let words = form.width - words_room - arrow;
        let mut right = if words_room > 0.0 { words - 12.0 } else { words };
        let mut figures = Vec::new();
        for (index, column) in columns.iter().enumerate().rev().filter(|(_, column)| form.is_wide || column.is_in_narrow) {
            let room = widest(panels.iter().map(|panel| Slot::of(panel, index).width)).max(width(&column.heading, AXIS.face));
            figures.push(Place { index, column, left: right - room, right });
            right -= room + FIGURE_GAP;
        }
        figures.reverse();
        let plot_left = label + label_room + if form.is_wide { 12.0 } else { 10.0 };
        let plot_right = figures.first().map_or(right, |first| first.left) - 26.0;
        Self { label, label_room, plot_left, plot_right, figures, words, words_room, arrow }
    }
}
