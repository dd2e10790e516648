//! The chart `bars`: how much? Bars from zero, solid to the low end of the range, pale across it, a tick at the median.

use super::axis::Axis;
use super::model::{Chart, Drawing, Fill, Mark};
use super::rates::{Drawn, columns, panels};
use super::{ChartKind, caption, doubt};
use crate::model::likeness::is_from_memory;
use crate::model::series::Series;
use crate::model::summary::PhaseSummary;
use crate::report::Section;

/// The kind.
pub const BARS: ChartKind = ChartKind { name: "bars", purpose: "how much? bars from zero with their range", chart };

fn chart(section: &Section<'_>) -> Chart {
    Chart {
        kind: BARS.name,
        title: title(section).to_owned(),
        reading: reading(section),
        keys: Vec::new(),
        columns: columns(section),
        drawing: Drawing::Stacked(panels(section, values, Axis::from_zero, drawn)),
        footnote: caption::footnote(section),
    }
}

fn title(section: &Section<'_>) -> &'static str {
    if caption::has_range(section) { "Rates, with their range over the runs" } else { "Rates" }
}

fn values(_: &Series<'_>, summary: &PhaseSummary) -> Vec<f64> {
    summary.rate.iter().flat_map(|rate| [rate.low, rate.median, rate.high]).collect()
}

fn drawn(_: &Series<'_>, summary: &PhaseSummary, axis: &Axis) -> Drawn {
    let (_, size) = summary.phase.row().unit.rate();
    let mut marks = Vec::new();
    if let Some(rate) = summary.rate {
        // An end that has no place on the axis (it is below 0) is at its start; the words of the row say so.
        let place = |rate: f64| if axis.holds(rate / size) { rate / size } else { 0.0 };
        let (low, high) = (place(rate.low), place(rate.high));
        marks.push(Mark::Bar { to: low, end: high, fill: doubt::fill(summary) });
        if high > low {
            marks.push(Mark::PaleEnd { from: low, to: high });
        }
        if rate.n > 1 && axis.holds(rate.median / size) {
            marks.push(Mark::Tick { at: rate.median / size });
        }
    }
    Drawn { marks, runs: String::new() }
}

fn reading(section: &Section<'_>) -> String {
    let range = caption::range_in_words(section);
    let mut sentences = match range {
        Some(range) => vec![format!("Bar: solid to the low end of {range}, pale across it; tick: median.")],
        None => vec!["Bar: the value of the one run.".to_owned()],
    };
    let measured = section.measured();
    if measured.iter().any(|(_, summary)| is_from_memory(summary.phase, &summary.cache)) {
        sentences.push("Hollow: no figure of the device.".to_owned());
    }
    if measured.iter().any(|(_, summary)| doubt::fill(summary) == Fill::Hatched) {
        sentences.push("Hatched: phase under 1 s.".to_owned());
    }
    caption::reading(section, sentences)
}
