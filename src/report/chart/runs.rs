//! The chart `runs`: how sure? Every run a dot, the range behind them, a tick at the median.

use super::axis::{Axis, Scale};
use super::model::{Chart, Drawing, Mark};
use super::rates::{Drawn, columns, panels};
use super::{ChartKind, caption, doubt};
use crate::model::record::PhaseRecord;
use crate::model::series::Series;
use crate::model::summary::PhaseSummary;
use crate::report::Section;
use crate::report::figures::rate_figure;

/// The kind.
pub const RUNS: ChartKind = ChartKind { name: "runs", purpose: "how sure? every run a dot", chart };

/// More runs than these are not listed in the sentence of a row, which then has their least and greatest.
const MOST_LISTED: usize = 100;

fn chart(section: &Section<'_>) -> Chart {
    let panels = panels(section, values, Axis::to_resolve, drawn);
    Chart {
        kind: RUNS.name,
        title: "Every run".to_owned(),
        reading: reading(section, panels.iter().any(|panel| panel.axis.scale == Scale::Log)),
        keys: Vec::new(),
        columns: columns(section),
        drawing: Drawing::Stacked(panels),
        footnote: caption::footnote(section),
    }
}

fn records<'s>(series: &'s Series<'_>, summary: &PhaseSummary) -> impl Iterator<Item = (usize, f64, &'s PhaseRecord)> {
    let phase = summary.phase;
    let rate = move |(place, record): (usize, &'s PhaseRecord)| Some((place, record.rate().filter(|rate| rate.is_finite())?, record));
    series.runs.iter().enumerate().filter_map(move |(place, run)| Some((place, run.phase(phase)?))).filter_map(rate)
}

fn values(series: &Series<'_>, summary: &PhaseSummary) -> Vec<f64> {
    let ends = summary.rate.iter().flat_map(|rate| [rate.low, rate.median, rate.high]);
    records(series, summary).map(|(_, rate, _)| rate).chain(ends).collect()
}

fn drawn(series: &Series<'_>, summary: &PhaseSummary, axis: &Axis) -> Drawn {
    let (_, size) = summary.phase.row().unit.rate();
    let Some(rate) = summary.rate else { return Drawn { marks: Vec::new(), runs: String::new() } };
    let all = || records(series, summary);
    let mut marks = Vec::new();
    let (low, high) = (rate.low / size, rate.high / size);
    if axis.holds(high) && rate.n > 1 {
        // An end without a place is at the start of the axis; the words of the row say so.
        marks.push(Mark::Shade { from: if axis.holds(low) { low } else { axis.low }, to: high });
    }
    // Below the dots, or it would hide the run that is the median.
    if rate.n > 1 && axis.holds(rate.median / size) {
        marks.push(Mark::Tick { at: rate.median / size });
    }
    let dots = all().map(|(run, rate, record)| Mark::Dot { at: rate / size, run, is_hollow: doubt::is_doubtful(record) });
    marks.extend(dots.filter(|dot| matches!(dot, Mark::Dot { at, .. } if axis.holds(*at))));
    let runs = match rate.n {
        1 => String::new(),
        2..=MOST_LISTED => all().map(|(_, rate, _)| rate_figure(rate, size)).collect::<Vec<_>>().join(", "),
        _ => format!("from {} to {}", rate_figure(rate.min, size), rate_figure(rate.max, size)),
    };
    Drawn { marks, runs }
}

fn reading(section: &Section<'_>, has_log_scale: bool) -> String {
    let mut sentences = vec!["Dot: one run.".to_owned()];
    if let Some(range) = caption::range_in_words(section) {
        sentences.push(format!("Shading: {range}. Tick: median."));
    }
    let doubtful = section.series.iter().flat_map(|series| series.runs.iter()).flat_map(|run| &run.phases);
    if doubtful.filter(|record| record.rate().is_some()).any(doubt::is_doubtful) {
        sentences.push("Hollow: no figure of the device, or under 1 s.".to_owned());
    }
    if has_log_scale {
        sentences.push("On a log scale equal distances are equal ratios.".to_owned());
    }
    caption::reading(section, sentences)
}
