//! THE CHART: a table with one drawn column, as data. A kind of chart is a file that makes it from a section, and a line in [`CHARTS`].

pub(super) mod axis;
mod bars;
pub(super) mod caption;
mod cpu;
pub(super) mod doubt;
mod history;
mod latency;
pub(super) mod model;
pub(super) mod operations;
pub(super) mod plots;
mod rates;
mod ratio;
mod runs;
mod sweep;
pub(super) mod trend;

use super::Section;
use crate::model::nearest::UnknownName;
use crate::model::phase::Phase;

/// Every kind of chart, in the order in which they are offered.
pub const CHARTS: &[&ChartKind] = &[
    &bars::BARS,
    &runs::RUNS,
    &ratio::RATIO,
    &cpu::CPU,
    &latency::LATENCY,
    &operations::OPERATIONS,
    &trend::TREND,
    &history::HISTORY,
    &sweep::SWEEP,
];

/// A kind of chart.
pub struct ChartKind {
    /// The name on the command line.
    pub name: &'static str,
    /// The question that it answers.
    pub purpose: &'static str,
    chart: fn(&Section<'_>) -> model::Chart,
}

impl std::fmt::Debug for ChartKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("ChartKind").field(&self.name).finish()
    }
}

impl ChartKind {
    /// The chart of this kind over a section.
    pub(super) fn of(&self, section: &Section<'_>) -> model::Chart {
        (self.chart)(section)
    }
}

/// Which chart is drawn, and for how wide a page.
#[derive(Debug, Clone, Copy, Default)]
pub struct ChartChoice {
    /// The kind; `None` leaves it to the data: ratio where there is a baseline, sweep where a device was swept, else bars, or runs where
    /// bars would be stubs.
    pub kind: Option<&'static ChartKind>,
    /// For a phone: 344 px of chart instead of 860 px.
    pub narrow: bool,
}

/// The kind of chart of a name.
///
/// # Errors
/// Suggests the nearest names and lists all when there is none.
pub fn chart_named(name: &str) -> Result<&'static ChartKind, UnknownName> {
    let found = CHARTS.iter().copied().find(|kind| kind.name == name);
    found.ok_or_else(|| UnknownName::of("chart", name, CHARTS.iter().map(|kind| kind.name)))
}

/// From so many runs on, every run is worth a dot.
const LEAST_FOR_RUNS: usize = 3;

/// The kind of chart that the data ask for, where none was asked for: with a baseline `ratio`; of a device that was swept its curve;
/// where phases have kinds of operations, those; else `bars`, which answer the first question (how much?) and carry
/// the range as well. But where the medians that share an axis from zero differ so much that a bar would be a stub, and there are
/// three runs or more, `runs`: its axis is then a logarithmic one, on which each value can be read.
pub(super) fn kind_for(section: &Section<'_>) -> &'static ChartKind {
    if section.comparison.is_some() {
        return &ratio::RATIO;
    }
    if sweep::is_measured(section) {
        return &sweep::SWEEP;
    }
    if operations::is_known(section) {
        return &operations::OPERATIONS;
    }
    let has_runs = section.measured().iter().any(|(_, summary)| summary.n >= LEAST_FOR_RUNS);
    let phases: Vec<Vec<Phase>> = rates::kinds(&section.phases).into_iter().map(|(_, phases)| phases).collect();
    let has_stubs = phases.iter().any(|phases| {
        let medians = section.measured().into_iter().filter(|(_, summary)| phases.contains(&summary.phase));
        let medians: Vec<f64> = medians.filter_map(|(_, summary)| summary.rate).map(|rate| rate.median).collect();
        axis::is_wide(&medians)
    });
    if has_runs && has_stubs { &runs::RUNS } else { &bars::BARS }
}

#[cfg(test)]
mod tests;
