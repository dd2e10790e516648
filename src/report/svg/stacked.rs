//! Panels below each other: labels left, drawing in the middle, median, range and words right; in the narrow form phases above their
//! rows and words below.

use super::canvas::{Area, Canvas};
use super::columns::Columns;
use super::elements::{Anchor, SPAN_GAP, Span};
use super::figures::Slot;
use super::form::{AXIS, Form, HEADING, LABEL, LABEL_PITCH, PHASE, SMALL_PITCH, UNIT};
use super::letters::{cut, cut_in_the_middle, width, wrap};
use super::marks;
use super::palette::{self, INK, PAPER};
use super::track::{LABEL_DROP, Track};
use crate::report::chart::model::{Arrow, Column, Group, Holds, Panel, Row, Tone};

/// Between two phases.
const GROUP_GAP: f64 = 7.0;

/// From the top of a panel to its first row.
const HEAD: f64 = 22.0;

/// What a phase above its rows takes in the narrow form.
const PHASE_HEAD: f64 = 18.0;

/// From the labels of an axis to the next panel.
const PANEL_GAP: f64 = 20.0;

/// The height of a phase with a note under it.
const NOTED: f64 = 32.0;

/// Draws the panels from `top` on; gives back the base line of the last axis.
pub fn draw(canvas: &mut Canvas, form: &Form, top: f64, figures: &[Column], panels: &[Panel]) -> f64 {
    let columns = Columns::of(figures, panels, form);
    let mut y = top;
    let mut end = top - 26.0;
    for panel in panels {
        end = draw_panel(canvas, form, &columns, y, panel);
        y = end + PANEL_GAP;
    }
    end
}

/// The lines of a row: its label, and its words in the narrow form below, in the wide form beside.
struct Lines {
    label: Vec<String>,
    words: Vec<String>,
    height: f64,
}

impl Lines {
    fn of(row: &Row, form: &Form, columns: &Columns<'_>, is_said_above: bool) -> Self {
        let label = wrap(&row.label, columns.label_room, LABEL.face, 2);
        let words = match (&row.verdict, form.is_wide, is_said_above) {
            // In the narrow form the figure and the colour say it.
            (Some(_), false, _) | (None, false, true) => Vec::new(),
            (Some(verdict), true, _) => wrap(&verdict.text, columns.words_room, PHASE.face, 1),
            (None, true, _) => wrap(&row.words, columns.words_room, AXIS.face, 2),
            (None, false, false) => wrap(&row.words, form.width, AXIS.face, 2),
        };
        let label_height = form.row + LABEL_PITCH * (label.len().max(1) - 1) as f64;
        let words_height = SMALL_PITCH * words.len() as f64;
        let height = if form.is_wide { label_height.max(form.row + words_height - SMALL_PITCH) } else { label_height + words_height };
        Self { label, words, height }
    }
}

fn draw_panel(canvas: &mut Canvas, form: &Form, columns: &Columns<'_>, top: f64, panel: &Panel) -> f64 {
    let left = form.margin;
    heading(canvas, form, columns, top, panel);
    let track = Track::new(&panel.axis, form, left + columns.plot_left, left + columns.plot_right);
    let said: Vec<Option<&str>> = panel.groups.iter().map(|group| said_above(group, form)).collect();
    let laid: Vec<Vec<Lines>> = panel
        .groups
        .iter()
        .zip(&said)
        .map(|(group, said)| group.rows.iter().map(|row| Lines::of(row, form, columns, said.is_some())).collect())
        .collect();
    let phase_head = |group: &Group| if form.is_wide || group.heading.is_none() { 0.0 } else { PHASE_HEAD };
    let height = |(group, lines): (&Group, &Vec<Lines>)| {
        let rows: f64 = lines.iter().map(|lines| lines.height).sum();
        if form.is_wide && !group.note.is_empty() { rows.max(NOTED) } else { rows }
    };
    let heights: Vec<f64> = panel.groups.iter().zip(&laid).map(height).collect();
    let rows_height: f64 = heights.iter().sum();
    let heads: f64 = panel.groups.iter().map(phase_head).sum();
    let bottom = top + HEAD + rows_height + heads + GROUP_GAP * panel.groups.len().saturating_sub(1) as f64 + 3.0;
    track.draw(canvas, top + HEAD - 2.0, bottom, left + form.width);
    let slots: Vec<Slot> = columns.figures.iter().map(|place| Slot::of(panel, place.index)).collect();
    let mut y = top + HEAD;
    for (((group, lines), said), height) in panel.groups.iter().zip(&laid).zip(&said).zip(&heights) {
        phase_heading(canvas, form, y, group, *said);
        y += phase_head(group);
        let mut row_top = y;
        for (row, lines) in group.rows.iter().zip(lines) {
            draw_row(canvas, form, columns, &track, &slots, row_top, row, lines);
            row_top += lines.height;
        }
        y += height + GROUP_GAP;
    }
    bottom + LABEL_DROP
}

/// Name and unit of a panel, and what stands in its columns.
fn heading(canvas: &Canvas, form: &Form, columns: &Columns<'_>, top: f64, panel: &Panel) {
    let (left, y) = (form.margin, top + 11.0);
    let room = columns.figures.first().map_or(form.width, |first| first.right - width(&first.column.heading, AXIS.face) - 8.0);
    let name = cut_in_the_middle(&panel.heading, room, HEADING.face);
    let rest = room - width(&name, HEADING.face) - SPAN_GAP;
    let unit = cut(&panel.unit, rest, UNIT.face);
    let mut spans = vec![Span { text: &name, kind: HEADING }];
    // A long name may leave no room, not even for a part of it.
    if width(&unit, UNIT.face) <= rest {
        spans.push(Span { text: &unit, kind: UNIT });
    }
    canvas.new_line();
    canvas.spans(left, y, Anchor::Start, spans);
    for place in &columns.figures {
        let heading = &place.column.heading;
        match place.column.holds {
            Holds::Numbers => canvas.text(left + place.right, y, Anchor::End, AXIS, heading),
            Holds::Ranges => canvas.text(left + f64::midpoint(place.left, place.right), y, Anchor::Middle, AXIS, heading),
        }
    }
}

/// In the narrow form: the words that all rows of a phase share, which then stand once beside its name.
fn said_above<'g>(group: &'g Group, form: &Form) -> Option<&'g str> {
    let phase = group.heading.as_ref().filter(|_| !form.is_wide)?;
    let first = group.rows.first()?.words.as_str();
    let is_shared = !first.is_empty() && group.rows.iter().all(|row| row.words == first);
    let note = if group.note.is_empty() { 0.0 } else { SPAN_GAP + width(&group.note, AXIS.face) };
    let fits = width(phase, PHASE.face) + note + 12.0 + width(first, AXIS.face) <= form.width;
    (is_shared && fits).then_some(first)
}

/// The name of a phase: beside its first row, or above its rows on a strip of paper that interrupts the lines of the axis.
fn phase_heading(canvas: &Canvas, form: &Form, top: f64, group: &Group, words: Option<&str>) {
    let Some(phase) = &group.heading else { return };
    let left = form.margin;
    if form.is_wide {
        let y = top + form.row / 2.0 + 4.0;
        canvas.text(left, y, Anchor::Start, PHASE, phase);
        if !group.note.is_empty() {
            canvas.text(left, y + SMALL_PITCH, Anchor::Start, AXIS, &group.note);
        }
        return;
    }
    canvas.fill(Area { left, top: top - 2.0, right: left + form.width, bottom: top + PHASE_HEAD - 2.0 }, PAPER, 1.0);
    let mut spans = vec![Span { text: phase, kind: PHASE }];
    if !group.note.is_empty() {
        spans.push(Span { text: &group.note, kind: AXIS });
    }
    canvas.spans(left, top + 13.0, Anchor::Start, spans);
    if let Some(words) = words {
        canvas.text(left + form.width, top + 13.0, Anchor::End, AXIS, words);
    }
}

#[expect(clippy::too_many_arguments, reason = "what a row is, where it stands and what it shares with the others")]
fn draw_row(canvas: &mut Canvas, form: &Form, columns: &Columns<'_>, track: &Track, slots: &[Slot], top: f64, row: &Row, lines: &Lines) {
    let left = form.margin;
    let words_below = if form.is_wide { 0.0 } else { SMALL_PITCH * lines.words.len() as f64 };
    let middle = top + (lines.height - words_below) / 2.0;
    canvas.open_row(&class(row.tone), &row.title);
    let block = |count: usize, pitch: f64| middle + 4.0 - pitch * (count.max(1) - 1) as f64 / 2.0;
    for (place, line) in lines.label.iter().enumerate() {
        canvas.text(left + columns.label, block(lines.label.len(), LABEL_PITCH) + LABEL_PITCH * place as f64, Anchor::Start, LABEL, line);
    }
    let paint = if row.is_grey { palette::GREY } else { palette::of(row.tone) };
    marks::draw(canvas, track, middle, paint, &row.marks);
    for (place, slot) in columns.figures.iter().zip(slots) {
        if let Some(figure) = row.figures.get(place.index) {
            slot.draw(canvas, left + place.right, middle + 4.0, figure);
        }
    }
    let arrow = row.verdict.as_ref().and_then(|verdict| verdict.arrow).filter(|_| form.is_wide);
    if let Some(arrow) = arrow {
        canvas.triangle(left + columns.words + 4.0, middle, 4.0, arrow == Arrow::Up, INK);
    }
    let kind = if arrow.is_some() { PHASE } else { AXIS };
    for (place, line) in lines.words.iter().enumerate() {
        if form.is_wide {
            let y = block(lines.words.len(), SMALL_PITCH) + SMALL_PITCH * place as f64;
            canvas.text(left + columns.words + columns.arrow, y, Anchor::Start, kind, line);
        } else {
            let y = top + lines.height - words_below + SMALL_PITCH * place as f64 + 8.0;
            canvas.text(left + form.width, y, Anchor::End, AXIS, line);
        }
    }
    canvas.close_row();
}

/// The classes by which a page finds the rows of a target.
pub fn class(tone: Tone) -> String {
    let (Tone::Target(place) | Tone::Plain(place)) = tone;
    format!("t t{}", place + 1)
}
