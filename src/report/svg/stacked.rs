//! Panels below each other: labels left, drawing in the middle, median, range and words right; in the narrow form phases above their
//! rows and words below.

use super::canvas::{Area, Canvas};
use super::elements::{Anchor, SPAN_GAP, Span};
use super::form::{AXIS, Form, HEADING, LABEL, LABEL_PITCH, MEDIAN, PHASE, RANGE, SMALL_PITCH, UNIT};
use super::letters::{cut, cut_in_the_middle, width, wrap};
use super::palette::{self, PAPER};
use super::track::{LABEL_DROP, Track};
use super::{figures, marks};
use crate::report::chart::model::{Chart, Group, Panel, Row, Tone};

/// Between two phases.
const GROUP_GAP: f64 = 7.0;

/// From the top of a panel to its first row.
const HEAD: f64 = 22.0;

/// What a phase above its rows takes in the narrow form.
const PHASE_HEAD: f64 = 18.0;

/// From the labels of an axis to the next panel.
const PANEL_GAP: f64 = 20.0;

/// The widest words beside a row; longer ones take two lines.
const MOST_WORDS: f64 = 150.0;

/// The columns that all panels share, as places in pixels from the left of the chart.
struct Columns {
    label: f64,
    label_room: f64,
    plot_left: f64,
    plot_right: f64,
    median_right: f64,
    range_left: f64,
    range_right: f64,
    words: f64,
    words_room: f64,
}

impl Columns {
    fn of(chart: &Chart, form: &Form) -> Self {
        let groups = || chart.panels.iter().flat_map(|panel| &panel.groups);
        let rows = || groups().flat_map(|group| &group.rows);
        let widest = |widths: &mut dyn Iterator<Item = f64>| widths.fold(0.0, f64::max);
        let phases = widest(&mut groups().filter_map(|group| group.heading.as_ref()).map(|phase| width(phase, PHASE.face)));
        let label = if form.is_wide && phases > 0.0 { phases + 14.0 } else { 0.0 };
        let label_room = widest(&mut rows().map(|row| width(&row.label, LABEL.face))).min(form.most_label);
        let medians = widest(&mut chart.panels.iter().map(figures::median_width))
            .max(widest(&mut chart.panels.iter().map(|panel| width(panel.figure, AXIS.face))));
        let has_ranges = form.is_wide && chart.panels.iter().any(|panel| panel.range.is_some());
        let headings = || chart.panels.iter().filter_map(|panel| panel.range.as_ref()).map(|range| width(range, AXIS.face));
        let ranges = widest(&mut chart.panels.iter().map(figures::range_width).chain(headings()));
        let words_room = if form.is_wide { widest(&mut rows().map(|row| width(&row.words, AXIS.face))).min(MOST_WORDS) } else { 0.0 };
        let words = form.width - words_room;
        let range_right = if words_room > 0.0 { words - 12.0 } else { words };
        let range_left = if has_ranges { range_right - ranges } else { range_right };
        let median_right = if has_ranges { range_left - 18.0 } else { range_left };
        let plot_left = label + label_room + if form.is_wide { 12.0 } else { 10.0 };
        let plot_right = median_right - medians - 26.0;
        Self { label, label_room, plot_left, plot_right, median_right, range_left, range_right, words, words_room }
    }
}

/// Draws the panels from `top` on; gives back the base line of the last axis.
pub fn draw(canvas: &mut Canvas, form: &Form, top: f64, chart: &Chart) -> f64 {
    let columns = Columns::of(chart, form);
    let mut y = top;
    let mut end = top - 26.0;
    for panel in &chart.panels {
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
    fn of(row: &Row, form: &Form, columns: &Columns, is_said_above: bool) -> Self {
        let label = wrap(&row.label, columns.label_room, LABEL.face, 2);
        let words = match (form.is_wide, is_said_above) {
            (true, _) => wrap(&row.words, columns.words_room, AXIS.face, 2),
            (false, true) => Vec::new(),
            (false, false) => wrap(&row.words, form.width, AXIS.face, 2),
        };
        let label_height = form.row + LABEL_PITCH * (label.len().max(1) - 1) as f64;
        let words_height = SMALL_PITCH * words.len() as f64;
        let height = if form.is_wide { label_height.max(form.row + words_height - SMALL_PITCH) } else { label_height + words_height };
        Self { label, words, height }
    }
}

fn draw_panel(canvas: &mut Canvas, form: &Form, columns: &Columns, top: f64, panel: &Panel) -> f64 {
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
    let rows_height: f64 = laid.iter().flatten().map(|lines| lines.height).sum();
    let heads: f64 = panel.groups.iter().map(phase_head).sum();
    let bottom = top + HEAD + rows_height + heads + GROUP_GAP * panel.groups.len().saturating_sub(1) as f64 + 3.0;
    track.draw(canvas, top + HEAD - 2.0, bottom, left + form.width);
    let slots = figures::Slots::of(panel);
    let mut y = top + HEAD;
    for ((group, lines), said) in panel.groups.iter().zip(&laid).zip(&said) {
        if let Some(phase) = &group.heading {
            phase_heading(canvas, form, y, phase, *said);
        }
        y += phase_head(group);
        for (row, lines) in group.rows.iter().zip(lines) {
            draw_row(canvas, form, columns, &track, &slots, y, row, lines);
            y += lines.height;
        }
        y += GROUP_GAP;
    }
    bottom + LABEL_DROP
}

/// Name and unit of a panel, and what stands in its columns.
fn heading(canvas: &Canvas, form: &Form, columns: &Columns, top: f64, panel: &Panel) {
    let (left, y) = (form.margin, top + 11.0);
    let has_ranges = form.is_wide && panel.range.is_some();
    let room = columns.median_right - width(panel.figure, AXIS.face) - 8.0;
    let name = cut_in_the_middle(&panel.heading, room, HEADING.face);
    let unit = cut(&panel.unit, room - width(&name, HEADING.face) - SPAN_GAP, UNIT.face);
    canvas.new_line();
    canvas.spans(left, y, Anchor::Start, vec![Span { text: &name, kind: HEADING }, Span { text: &unit, kind: UNIT }]);
    canvas.text(left + columns.median_right, y, Anchor::End, AXIS, panel.figure);
    if let (true, Some(range)) = (has_ranges, &panel.range) {
        let middle = left + f64::midpoint(columns.range_left, columns.range_right);
        canvas.text(middle, y, Anchor::Middle, AXIS, range);
    }
}

/// In the narrow form: the words that all rows of a phase share, which then stand once beside its name.
fn said_above<'g>(group: &'g Group, form: &Form) -> Option<&'g str> {
    let phase = group.heading.as_ref().filter(|_| !form.is_wide)?;
    let first = group.rows.first()?.words.as_str();
    let is_shared = !first.is_empty() && group.rows.iter().all(|row| row.words == first);
    let fits = width(phase, PHASE.face) + 12.0 + width(first, AXIS.face) <= form.width;
    (is_shared && fits).then_some(first)
}

/// The name of a phase: beside its first row, or above its rows on a strip of paper that interrupts the lines of the axis.
fn phase_heading(canvas: &Canvas, form: &Form, top: f64, phase: &str, words: Option<&str>) {
    let left = form.margin;
    if form.is_wide {
        canvas.text(left, top + form.row / 2.0 + 4.0, Anchor::Start, PHASE, phase);
        return;
    }
    canvas.fill(Area { left, top: top - 2.0, right: left + form.width, bottom: top + PHASE_HEAD - 2.0 }, PAPER, 1.0);
    canvas.text(left, top + 13.0, Anchor::Start, PHASE, phase);
    if let Some(words) = words {
        canvas.text(left + form.width, top + 13.0, Anchor::End, AXIS, words);
    }
}

#[expect(clippy::too_many_arguments, reason = "what a row is, where it stands and what it shares with the others")]
fn draw_row(
    canvas: &mut Canvas,
    form: &Form,
    columns: &Columns,
    track: &Track,
    slots: &figures::Slots,
    top: f64,
    row: &Row,
    lines: &Lines,
) {
    let left = form.margin;
    let words_below = if form.is_wide { 0.0 } else { SMALL_PITCH * lines.words.len() as f64 };
    let middle = top + (lines.height - words_below) / 2.0;
    canvas.open_row(&class(row.tone), &row.title);
    let block = |count: usize, pitch: f64| middle + 4.0 - pitch * (count.max(1) - 1) as f64 / 2.0;
    for (place, line) in lines.label.iter().enumerate() {
        canvas.text(left + columns.label, block(lines.label.len(), LABEL_PITCH) + LABEL_PITCH * place as f64, Anchor::Start, LABEL, line);
    }
    marks::draw(canvas, track, middle, palette::of(row.tone), &row.marks);
    slots.median(canvas, left + columns.median_right, middle + 4.0, MEDIAN, &row.figures);
    if form.is_wide {
        slots.range(canvas, left + columns.range_right, middle + 4.0, RANGE, &row.figures);
    }
    for (place, line) in lines.words.iter().enumerate() {
        if form.is_wide {
            let y = block(lines.words.len(), SMALL_PITCH) + SMALL_PITCH * place as f64;
            canvas.text(left + columns.words, y, Anchor::Start, AXIS, line);
        } else {
            let y = top + lines.height - words_below + SMALL_PITCH * place as f64 + 8.0;
            canvas.text(left + form.width, y, Anchor::End, AXIS, line);
        }
    }
    canvas.close_row();
}

/// The classes by which a page finds the rows of a target.
pub fn class(tone: Tone) -> String {
    match tone {
        Tone::Target(place) => format!("t t{}", place + 1),
        Tone::Plain => "t".to_owned(),
    }
}
