//! Small plots: phases from top to bottom, targets from left to right; of many targets several such bands, in the narrow form one each.

use super::backend::TENTHS;
use super::canvas::Canvas;
use super::elements::{Anchor, Span, Type};
use super::form::{AXIS, Form, HEADING, LABEL_PITCH, MEDIAN, PHASE, SMALL_PITCH};
use super::letters::{cut, cut_in_the_middle, width};
use super::palette::{self, GRID, INK, Paint, RULE};
use super::stacked::class;
use super::track::LABEL_DROP;
use crate::report::chart::axis::Ticks;
use crate::report::chart::plots::{Place, Plot, PlotColumn, PlotRow, Plots, Point, Shape};
use plotters::coord::ranged1d::Ranged;
use plotters::coord::types::RangedCoordf64;

/// The most plots beside each other in the wide form.
const MOST_BESIDE: usize = 3;

/// Between two plots beside each other.
const COLUMN_GAP: f64 = 22.0;

/// The height of a plot.
const HEIGHT: f64 = 58.0;

/// The same of a tall one.
const TALL: f64 = 190.0;

/// From the bottom of a plot to the top of the next row, and from there to its plot.
const ROW_GAP: f64 = 20.0;
const ABOVE: f64 = 8.0;

/// What a phase above its plot takes in the narrow form, and a line of words.
const NARROW_HEAD: f64 = 18.0;

/// What the names of the columns take.
const HEAD: f64 = 25.0;

/// Between two bands.
const BAND_GAP: f64 = 24.0;

/// From the numbers of a scale to the plot, and from a last point to its value.
const GAP: f64 = 8.0;

/// From the edge of a plot to its first and last dot, which have room there.
const INSET: f64 = 8.0;

/// Steps of a scale.
const MOST_STEPS: usize = 3;

/// The same of a tall plot.
const MOST_STEPS_TALL: usize = 5;

/// The least between two labels below a plot.
const LEAST_GAP: f64 = 8.0;

/// What the number at the zero line takes below it.
const ZERO: f64 = 4.0;

/// The widest label below a plot.
const MOST_LABEL: f64 = 110.0;

/// Words at a plot, in ink, because they are what the plot is there for.
const WORDS: Type = Type { face: AXIS.face, paint: INK };

/// The measures that all bands share, in pixels.
struct Measures {
    /// From the left of the sheet to the first plot.
    left: f64,
    plot: f64,
    /// From one plot to the next.
    pitch: f64,
    /// How many stand beside each other.
    beside: usize,
}

impl Measures {
    fn of(plots: &Plots, scales: &[Ticks], form: &Form) -> Self {
        let widest = |widths: &mut dyn Iterator<Item = f64>| widths.fold(0.0, f64::max);
        let numbers = widest(&mut scales.iter().flat_map(|ticks| &ticks.at).map(|(_, label)| width(label, AXIS.face)));
        let headings = plots.rows.iter().map(|row| width(&row.heading, PHASE.face).max(width(&row.unit, AXIS.face)));
        let names = if form.is_wide { widest(&mut headings.chain([width(&plots.below, AXIS.face)])) + 14.0 } else { 0.0 };
        let ends = widest(&mut plots.columns.iter().flat_map(|column| &column.plots).map(|plot| width(&plot.end, MEDIAN.face)));
        let end = if ends > 0.0 { ends + GAP } else { 0.0 };
        let left = form.margin + names + numbers + GAP;
        let beside = if form.is_wide { plots.columns.len().clamp(1, MOST_BESIDE) } else { 1 };
        let pitch = (form.margin + form.width - left + COLUMN_GAP) / beside as f64;
        Self { left, plot: pitch - COLUMN_GAP - end, pitch, beside }
    }
}

/// Draws the plots from `top` on; gives back the base line of what stands below the last.
pub fn draw(canvas: &mut Canvas, form: &Form, top: f64, plots: &Plots) -> f64 {
    let steps = if plots.is_tall { MOST_STEPS_TALL } else { MOST_STEPS };
    let scales: Vec<Ticks> = plots.rows.iter().map(|row| row.axis.ticks_within(steps)).collect();
    let measures = Measures::of(plots, &scales, form);
    let mut y = top;
    let mut end = top - 26.0;
    for band in plots.columns.chunks(measures.beside) {
        end = draw_band(canvas, form, &measures, y, plots, &scales, band);
        y = end + BAND_GAP;
    }
    end
}

fn draw_band(canvas: &Canvas, form: &Form, measures: &Measures, top: f64, plots: &Plots, scales: &[Ticks], band: &[PlotColumn]) -> f64 {
    let lefts = || band.iter().enumerate().map(|(place, column)| (measures.left + measures.pitch * place as f64, column));
    let has_heads = band.iter().any(|column| !column.heading.is_empty());
    canvas.new_line();
    for (left, column) in lefts().filter(|(_, column)| !column.heading.is_empty()) {
        // Alone in its band, the name has the whole line.
        let (left, room) = if form.is_wide { (left, measures.pitch - COLUMN_GAP) } else { (form.margin, form.width) };
        canvas.text(left, top + 11.0, Anchor::Start, HEADING, &cut_in_the_middle(&column.heading, room, HEADING.face));
    }
    let mut y = top + if has_heads { HEAD } else { 0.0 };
    let mut bottom = y;
    for (place, (row, ticks)) in plots.rows.iter().zip(scales).enumerate() {
        let shown = || lefts().filter_map(move |(left, column)| Some((left, column, column.plots.get(place)?)));
        let has_words = shown().any(|(_, _, plot)| !plot.words.is_empty());
        let plot_top = y + head(canvas, form, y, row, has_words);
        bottom = plot_top + if plots.is_tall { TALL } else { HEIGHT };
        let scale = Scale::new(ticks, plot_top, bottom);
        scale.draw_numbers(canvas, measures.left - GAP, ticks);
        for (left, column, plot) in shown() {
            scale.draw_lines(canvas, left, left + measures.plot, ticks);
            canvas.open_row(&class(column.tone), &plot.title);
            draw_plot(canvas, &scale, left, measures.plot, palette::of(column.tone), plot);
            let words = cut(&plot.words, if form.is_wide { measures.pitch - COLUMN_GAP } else { form.width }, WORDS.face);
            if !words.is_empty() {
                canvas.text(if form.is_wide { left } else { form.margin }, plot_top - 5.0, Anchor::Start, WORDS, &words);
            }
            canvas.close_row();
        }
        y = bottom + ROW_GAP;
    }
    // The label of a first dot may lie under the zero of the scale.
    let has_dots = band.iter().flat_map(|column| &column.plots).any(|plot| plot.shape == Shape::Dots);
    below(canvas, form, measures, bottom + LABEL_DROP + if has_dots { ZERO } else { 0.0 }, plots, band)
}

/// The phase and its unit, beside the first plot or above it; gives back what lies above the plot.
fn head(canvas: &Canvas, form: &Form, top: f64, row: &PlotRow, has_words: bool) -> f64 {
    canvas.new_line();
    if form.is_wide {
        canvas.text(form.margin, top + 11.0, Anchor::Start, PHASE, &row.heading);
        canvas.text(form.margin, top + 11.0 + LABEL_PITCH, Anchor::Start, AXIS, &row.unit);
        return ABOVE;
    }
    let spans = vec![Span { text: &row.heading, kind: PHASE }, Span { text: &row.unit, kind: AXIS }];
    canvas.spans(form.margin, top + 9.0, Anchor::Start, spans);
    NARROW_HEAD + if has_words { SMALL_PITCH } else { 0.0 }
}

/// The scale of a row in pixels, by plotters' coordinates.
struct Scale {
    map: RangedCoordf64,
    top: f64,
    bottom: f64,
}

impl Scale {
    fn new(ticks: &Ticks, top: f64, bottom: f64) -> Self {
        Self { map: (ticks.low..ticks.high).into(), top, bottom }
    }

    /// How high a value lies, in pixels of the sheet.
    fn at(&self, value: f64) -> f64 {
        let limits = ((self.bottom * TENTHS).round() as i32, (self.top * TENTHS).round() as i32);
        f64::from(self.map.map(&value, limits).clamp(limits.1, limits.0)) / TENTHS
    }

    fn draw_numbers(&self, canvas: &Canvas, right: f64, ticks: &Ticks) {
        for (value, label) in &ticks.at {
            canvas.text(right, self.at(*value) + 4.0, Anchor::End, AXIS, label);
        }
    }

    fn draw_lines(&self, canvas: &Canvas, left: f64, right: f64, ticks: &Ticks) {
        for (value, _) in &ticks.at {
            let y = self.at(*value);
            canvas.line((left, y), (right, y), if *value == 0.0 { RULE } else { GRID }, 1.0, 1.0);
        }
    }
}

fn draw_plot(canvas: &Canvas, scale: &Scale, left: f64, plot: f64, paint: Paint, drawn: &Plot) {
    let inset = inset(drawn.shape);
    let x = |point: &Point| left + inset + (plot - 2.0 * inset) * point.along;
    for piece in &drawn.pieces {
        let middle = piece.iter().map(|point| (x(point), scale.at(point.at)));
        match drawn.shape {
            Shape::Line => {
                let above = piece.iter().map(|point| (x(point), scale.at(point.high)));
                let below = piece.iter().rev().map(|point| (x(point), scale.at(point.low)));
                if piece.iter().any(|point| point.high > point.low) {
                    canvas.ribbon(above.chain(below), paint, 0.24);
                }
                canvas.curve(middle, paint, 1.6, 1.0);
            }
            Shape::Dots => {
                canvas.curve(middle, paint, 1.2, 0.6);
                for point in piece {
                    dot(canvas, x(point), scale, paint, point);
                }
            }
        }
    }
    let last = drawn.pieces.last().and_then(|piece| piece.last());
    if let Some(last) = last.filter(|_| !drawn.end.is_empty()) {
        canvas.text(left + plot + GAP - 2.0, scale.at(last.at) + 4.0, Anchor::Start, MEDIAN, &drawn.end);
    }
}

fn inset(shape: Shape) -> f64 {
    match shape {
        Shape::Line => 0.0,
        Shape::Dots => INSET,
    }
}

/// A dot with its range, which has a sentence of its own.
fn dot(canvas: &Canvas, x: f64, scale: &Scale, paint: Paint, point: &Point) {
    canvas.open_row("p", &point.title);
    if point.high > point.low {
        let (low, high) = (scale.at(point.low), scale.at(point.high));
        canvas.line((x, low), (x, high.min(low - 0.1)), paint, 7.0, 0.26);
    }
    let y = scale.at(point.at);
    if point.is_hollow {
        canvas.ring(x, y, 3.0, paint, 1.4)
    } else {
        canvas.disc(x, y, 3.4, paint, 1.0)
    }
    canvas.close_row();
}

/// What stands below the plots of a band; gives back its last base line.
fn below(canvas: &Canvas, form: &Form, measures: &Measures, y: f64, plots: &Plots, band: &[PlotColumn]) -> f64 {
    canvas.new_line();
    if form.is_wide && !plots.below.is_empty() {
        canvas.text(form.margin, y, Anchor::Start, AXIS, &plots.below);
    }
    let mut most = 1;
    for (place, column) in band.iter().enumerate() {
        let left = measures.left + measures.pitch * place as f64;
        let inset = column.plots.first().map_or(0.0, |plot| inset(plot.shape));
        // Labels of dots may begin before their plot: below the numbers of the scale, or in the gap between two plots.
        let first = form.margin + if plots.below.is_empty() || !form.is_wide { 0.0 } else { width(&plots.below, AXIS.face) + GAP };
        let start = if inset == 0.0 {
            left
        } else if place == 0 {
            first
        } else {
            left - COLUMN_GAP / 2.0
        };
        let edges = (start, left + measures.pitch - COLUMN_GAP);
        for Label { x, anchor, lines, .. } in labels(&column.places, left + inset, measures.plot - 2.0 * inset, edges) {
            for (place, line) in lines.iter().enumerate().filter(|(_, line)| !line.is_empty()) {
                canvas.text(x, y + LABEL_PITCH * place as f64, anchor, AXIS, line);
            }
            most = most.max(lines.len());
        }
    }
    y + LABEL_PITCH * (most - 1) as f64
}

/// A label below a plot and where it stands.
struct Label {
    x: f64,
    anchor: Anchor,
    start: f64,
    end: f64,
    lines: Vec<String>,
}

impl Label {
    /// Under its place, or at the edge that it would reach over; `None` where it is wider than both edges are apart.
    fn of(place: &Place, middle: f64, edges: (f64, f64)) -> Option<Self> {
        let lines: Vec<String> = place.lines.iter().map(|line| cut(line, MOST_LABEL, AXIS.face)).collect();
        let room = lines.iter().map(|line| width(line, AXIS.face)).fold(0.0, f64::max);
        let (x, anchor, start) = if middle - room / 2.0 < edges.0 {
            (edges.0, Anchor::Start, edges.0)
        } else if middle + room / 2.0 > edges.1 {
            (edges.1, Anchor::End, edges.1 - room)
        } else {
            (middle, Anchor::Middle, middle - room / 2.0)
        };
        (room <= edges.1 - edges.0).then_some(Self { x, anchor, start, end: start + room, lines })
    }
}

/// Every label, or where they would touch every second, every third … from the last on.
fn labels(places: &[Place], left: f64, room: f64, edges: (f64, f64)) -> Vec<Label> {
    let every = |stride: usize| -> Vec<Label> {
        let shown = places.iter().rev().step_by(stride);
        shown.filter_map(|place| Label::of(place, left + room * place.along, edges)).collect()
    };
    let is_clear = |labels: &[Label]| {
        labels.windows(2).all(|pair| match pair {
            [later, earlier] => earlier.end + LEAST_GAP <= later.start,
            _ => true,
        })
    };
    (1..=places.len().max(1)).map(every).find(|labels| is_clear(labels)).unwrap_or_default()
}
