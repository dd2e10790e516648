//! Reports: stored records go in, text comes out. The same records make the same bytes: no clock and no filesystem in here.

mod ascii;
pub mod chart;
mod csv;
mod csv_summary;
mod direct_io;
mod document;
mod facts;
mod figures;
pub mod layout;
mod legend;
mod limits;
pub(crate) mod lines;
mod markdown;
mod markup;
mod places;
mod quietness;
mod remarks;
mod rendering;
mod svg;
mod table;
mod text;

#[cfg(test)]
mod tests;

use self::chart::ChartChoice;
use self::layout::Layout;
pub use self::rendering::Rendering;
use crate::model::identity::Identity;
use crate::model::nearest::UnknownName;
use crate::model::phase::Phase;
use crate::model::record::RunRecord;
use crate::model::series::Series;
use crate::model::summary::PhaseSummary;

/// Everything that a report is made of.
#[derive(Debug, Clone)]
pub struct Report<'a> {
    /// The records, in the order in which they were read.
    pub records: &'a [RunRecord],
    /// What is compared with one another, in the order of first appearance.
    pub sections: Vec<Section<'a>>,
    /// Which chart is drawn, in the formats that draw.
    pub chart: ChartChoice,
    /// How tables are laid out, in the formats that have tables.
    pub layout: Layout,
}

/// The series of one workload: only like work stands in one table.
#[derive(Debug, Clone)]
pub struct Section<'a> {
    /// The workload of every run in it.
    pub workload_id: Identity,
    /// The series, in the order of first appearance; never empty.
    pub series: Vec<Series<'a>>,
    /// Per series, in the same order: a summary a phase, in the order of the catalogue.
    pub summaries: Vec<Vec<PhaseSummary>>,
}

impl<'a> Report<'a> {
    /// The report of some records.
    #[must_use]
    pub fn of(records: &'a [RunRecord]) -> Self {
        let mut sections: Vec<Section<'a>> = Vec::new();
        for series in Series::of(records) {
            let workload_id = series.first.workload_id;
            let summaries = Phase::ALL.iter().map(|phase| PhaseSummary::of(&series, *phase)).collect();
            match sections.iter_mut().find(|section| section.workload_id == workload_id) {
                Some(section) => {
                    section.series.push(series);
                    section.summaries.push(summaries);
                }
                None => sections.push(Section { workload_id, series: vec![series], summaries: vec![summaries] }),
            }
        }
        Self { records, sections, chart: ChartChoice::default(), layout: Layout::default() }
    }
}

/// Why a report of several workloads has several tables.
fn unlike_work(count: usize) -> String {
    format!("{count} workloads. They are unlike work, so each has its own table.")
}

impl Report<'_> {
    /// The sections as one text: unlike work stands apart, and the reader is told.
    fn text_of_sections(&self, section_text: fn(&Section<'_>) -> String, between: &str) -> String {
        let sections: Vec<String> = self.sections.iter().map(section_text).collect();
        match sections.len() {
            0 => "No runs.\n".to_owned(),
            1 => sections.concat(),
            count => {
                let head = format!("{}\n", unlike_work(count));
                std::iter::once(head).chain(sections).collect::<Vec<_>>().join(between)
            }
        }
    }
}

impl Section<'_> {
    /// The summaries of a phase that the table shows, each with the place of its series; empty when no series holds the phase, or
    /// all that hold it skipped it.
    fn rows(&self, phase: Phase) -> Vec<(usize, &PhaseSummary)> {
        let rows: Vec<(usize, &PhaseSummary)> = self
            .summaries
            .iter()
            .enumerate()
            .filter_map(|(place, summaries)| Some((place, summaries.iter().find(|summary| summary.phase == phase)?)))
            .collect();
        let is_done = |summary: &PhaseSummary| summary.recorded > 0 && summary.skipped().is_none();
        if rows.iter().any(|(_, summary)| is_done(summary)) { rows } else { Vec::new() }
    }

    /// Every summary with a rate, with the place of its series, phase by phase.
    fn measured(&self) -> Vec<(usize, &PhaseSummary)> {
        Phase::ALL.iter().flat_map(|phase| self.rows(*phase)).filter(|(_, summary)| summary.n > 0).collect()
    }
}

/// A format of reports.
pub trait Renderer: Sync {
    /// The name on the command line.
    fn name(&self) -> &'static str;
    /// The ending of its files, without a dot.
    fn extension(&self) -> &'static str;
    /// What it is for, in a few words.
    fn purpose(&self) -> &'static str;
    /// Whether it draws charts.
    fn draws(&self) -> bool {
        false
    }
    /// Whether its tables can be laid out in several ways ([`Layout`]).
    fn lays_out(&self) -> bool {
        false
    }

    /// The report; of a text each line is ended. The same records make the same bytes.
    fn render(&self, report: &Report<'_>) -> Rendering;
}

/// Every format. The first is the default.
pub const RENDERERS: &[&dyn Renderer] = &[&text::Text, &ascii::Ascii, &markdown::Markdown, &csv::Csv, &csv_summary::CsvSummary, &svg::Svg];

/// The format of a name.
///
/// # Errors
/// Suggests the nearest names and lists all when there is none.
pub fn renderer_named(name: &str) -> Result<&'static dyn Renderer, UnknownName> {
    let found = RENDERERS.iter().copied().find(|renderer| renderer.name() == name);
    found.ok_or_else(|| UnknownName::of("format", name, RENDERERS.iter().map(|renderer| renderer.name())))
}
