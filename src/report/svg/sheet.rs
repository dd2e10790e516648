//! A sheet: the charts of a report below each other, each with its title, how it is read, its panels and its foot.

use super::backend::Surroundings;
use super::canvas::Canvas;
use super::elements::Anchor;
use super::form::{AXIS, Form, LABEL, SUBTITLE, TITLE};
use super::letters::{width, wrap};
use super::palette::I2;
use super::{beside, marks, plots, stacked};
use crate::report::chart::model::{Chart, Drawing, Key};

/// No text is worth more lines.
const MOST_LINES: usize = 12;

/// Between two charts.
const CHART_GAP: f64 = 32.0;

/// The charts as one SVG file. `why_several` heads more than one.
pub fn document(charts: &[Chart], why_several: &str, form: &Form) -> String {
    let id = charts.first().map_or("chart", |chart| chart.kind);
    let mut canvas = canvas(form, Surroundings::File, format!("{id}-{}", form.name));
    let mut y = 10.0;
    if let [_, _, ..] = charts {
        y = paragraph(&mut canvas, form, y + 14.0, why_several) + CHART_GAP - 18.0;
    }
    for (place, chart) in charts.iter().enumerate() {
        y = draw(&mut canvas, form, y + if place == 0 { 0.0 } else { CHART_GAP }, chart);
    }
    let (title, description) = words(charts);
    if charts.is_empty() {
        canvas.text(form.margin, y + 24.0, Anchor::Start, TITLE, &title);
        y += 30.0;
    }
    canvas.document(title, description, y + form.margin - 4.0)
}

/// A file without a chart that says why.
pub fn notice(title: &str, sentence: &str, form: &Form) -> String {
    let mut canvas = canvas(form, Surroundings::File, format!("notice-{}", form.name));
    canvas.text(form.margin, 34.0, Anchor::Start, TITLE, title);
    let y = paragraph(&mut canvas, form, 58.0, sentence);
    canvas.document(title.to_owned(), sentence.to_owned(), y + form.margin - 12.0)
}

/// A chart to stand in a page, which has its title, how it is read and its foot in words of its own. `id` begins the ids in it.
pub fn inline(chart: &Chart, form: &Form, id: &str) -> String {
    let mut canvas = canvas(form, Surroundings::Page, format!("{id}-{}", form.name));
    let y = keys(&mut canvas, form, 0.0, &chart.keys);
    let end = panels(&mut canvas, form, y, chart);
    canvas.document(chart.title.clone(), chart.reading.clone(), end + 6.0)
}

/// An empty sheet; `id` begins the ids in the file.
fn canvas(form: &Form, surroundings: Surroundings, id: String) -> Canvas {
    Canvas::new((form.width + 2.0 * form.margin) as u32, surroundings, id)
}

/// Title and description of the whole, for those who cannot see it.
fn words(charts: &[Chart]) -> (String, String) {
    match charts {
        [] => ("No runs".to_owned(), "There is nothing to draw.".to_owned()),
        [only] => (only.title.clone(), only.reading.clone()),
        [first, ..] => (format!("{}, {} charts", first.title, charts.len()), first.reading.clone()),
    }
}

/// Draws a chart from `top` on; gives back where it ends.
fn draw(canvas: &mut Canvas, form: &Form, top: f64, chart: &Chart) -> f64 {
    let mut y = top + 24.0;
    canvas.new_line();
    for line in wrap(&chart.title, form.width, TITLE.face, 3) {
        canvas.text(form.margin, y, Anchor::Start, TITLE, &line);
        y += 22.0;
    }
    y = paragraph(canvas, form, y, &chart.reading) + 6.0;
    y = keys(canvas, form, y, &chart.keys);
    let mut y = panels(canvas, form, y, chart) + 26.0;
    canvas.new_line();
    for line in foot_lines(&chart.footnote, form) {
        canvas.text(form.margin, y, Anchor::Start, AXIS, &line);
        y += 15.0;
    }
    y - 8.0
}

/// Draws the panels of a chart from `top` on; gives back the base line of the last axis.
fn panels(canvas: &mut Canvas, form: &Form, top: f64, chart: &Chart) -> f64 {
    match &chart.drawing {
        Drawing::Stacked(panels) => stacked::draw(canvas, form, top, &chart.columns, panels),
        Drawing::Beside(panels) => beside::draw(canvas, form, top, panels),
        Drawing::Plots(plots) => plots::draw(canvas, form, top, plots),
    }
}

/// The foot, broken between its parts where it can be.
fn foot_lines(foot: &str, form: &Form) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for part in foot.split(" · ") {
        match lines.last_mut() {
            Some(line) if width(&format!("{line} · {part}"), AXIS.face) <= form.width => *line = format!("{line} · {part}"),
            Some(_) | None => lines.extend(wrap(part, form.width, AXIS.face, MOST_LINES)),
        }
    }
    lines
}

/// A text under the title, from the base line `y` on; gives back the base line of the next.
fn paragraph(canvas: &mut Canvas, form: &Form, mut y: f64, text: &str) -> f64 {
    for line in wrap(text, form.width, SUBTITLE.face, MOST_LINES) {
        canvas.text(form.margin, y, Anchor::Start, SUBTITLE, &line);
        y += 18.0;
    }
    y
}

/// What the marks are, in a row that is broken where it must be.
fn keys(canvas: &mut Canvas, form: &Form, top: f64, keys: &[Key]) -> f64 {
    if keys.is_empty() {
        return top;
    }
    let (mut x, mut y) = (form.margin, top + 11.0);
    for key in keys {
        let kind = if key.mark.is_some() { LABEL } else { super::form::UNIT };
        let before = if key.mark.is_some() { 14.0 } else { 0.0 };
        let room = width(&key.text, kind.face) + before;
        if x > form.margin && x + room > form.margin + form.width {
            (x, y) = (form.margin, y + 18.0);
        }
        if let Some(mark) = &key.mark {
            marks::draw_key(canvas, x + 5.0, y - 4.0, I2, mark);
        }
        let lines = wrap(&key.text, form.width - before, kind.face, 3);
        let count = lines.len();
        for (place, line) in lines.iter().enumerate() {
            canvas.text(x + before, y, Anchor::Start, kind, line);
            y += if place + 1 < count { 18.0 } else { 0.0 };
        }
        x += room + 20.0;
    }
    y + 17.0
}
