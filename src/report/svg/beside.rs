//! Panels beside each other on equal axes, the labels of their rows once at the left; of many panels, several such bands.

use super::canvas::Canvas;
use super::elements::Anchor;
use super::form::{AXIS, Form, HEADING, LABEL};
use super::letters::{cut, cut_in_the_middle, width};
use super::palette;
use super::stacked::class;
use super::track::{LABEL_DROP, Track};
use super::{elements::Type, marks};
use crate::report::chart::model::Panel;

/// The most panels beside each other in the wide form.
const MOST_BESIDE: usize = 3;

/// Between two panels; the labels at the ends of their axes lie in it.
const PANEL_GAP: f64 = 34.0;

/// What the last label of an axis needs beyond its end.
const OVERHANG: f64 = 18.0;

/// What half of the first label of an axis takes, with some air before it.
const FIRST_LABEL: f64 = 12.0;

/// The height of a row, in both forms: there are no figures in it.
const ROW: f64 = 19.0;

/// Between two groups of rows.
const GROUP_GAP: f64 = 4.0;

/// From the top of a panel to its first row.
const HEAD: f64 = 22.0;

/// Between two bands of panels.
const BAND_GAP: f64 = 24.0;

/// The labels of rows are names of phases here: headings, not quiet labels.
const NAME: Type = Type { face: LABEL.face, paint: palette::INK };

/// Draws the panels from `top` on; gives back the base line of the last axis.
pub fn draw(canvas: &mut Canvas, form: &Form, top: f64, panels: &[Panel]) -> f64 {
    let rows = || panels.iter().flat_map(|panel| &panel.groups).flat_map(|group| &group.rows);
    let labels = rows().map(|row| width(&row.label, NAME.face)).fold(0.0, f64::max) + 12.0;
    let beside = if form.is_wide { panels.len().clamp(1, MOST_BESIDE) } else { 1 };
    let pitch = (form.width - labels - OVERHANG + PANEL_GAP) / beside as f64;
    let mut y = top;
    let mut end = top - 26.0;
    for band in panels.chunks(beside) {
        for (place, panel) in band.iter().enumerate() {
            let left = form.margin + labels + pitch * place as f64;
            if place == 0 {
                names(canvas, form, y, panel);
            }
            end = draw_panel(canvas, form, left, pitch - PANEL_GAP, y, panel);
        }
        y = end + BAND_GAP;
    }
    end
}

/// The names of the rows, which all panels of a band share.
fn names(canvas: &Canvas, form: &Form, top: f64, panel: &Panel) {
    let mut y = top + HEAD;
    canvas.new_line();
    for group in &panel.groups {
        for row in &group.rows {
            canvas.text(form.margin, y + ROW / 2.0 + 4.0, Anchor::Start, NAME, &row.label);
            y += ROW;
        }
        y += GROUP_GAP;
    }
}

fn draw_panel(canvas: &mut Canvas, form: &Form, left: f64, plot: f64, top: f64, panel: &Panel) -> f64 {
    let rows: usize = panel.groups.iter().map(|group| group.rows.len()).sum();
    let bottom = top + HEAD + ROW * rows as f64 + GROUP_GAP * panel.groups.len().saturating_sub(1) as f64 + 3.0;
    canvas.new_line();
    canvas.text(left, top + 11.0, Anchor::Start, HEADING, &cut_in_the_middle(&panel.heading, plot, HEADING.face));
    let track = Track::new(&panel.axis, form, left, left + plot);
    // The first label of the next panel, `0`, begins in the gap.
    let edge = (left + plot + PANEL_GAP - FIRST_LABEL).min(form.margin + form.width);
    track.draw(canvas, top + HEAD - 2.0, bottom, edge);
    let mut y = top + HEAD;
    for group in &panel.groups {
        for row in &group.rows {
            canvas.open_row(&class(row.tone), &row.title);
            let middle = y + ROW / 2.0;
            marks::draw(canvas, &track, middle, palette::of(row.tone), &row.marks);
            if !row.words.is_empty() {
                canvas.text(left + 4.0, middle + 4.0, Anchor::Start, AXIS, &cut(&row.words, plot - 4.0, AXIS.face));
            }
            canvas.close_row();
            y += ROW;
        }
        y += GROUP_GAP;
    }
    bottom + LABEL_DROP
}
