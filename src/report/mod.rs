//! Reports: stored records go in, text comes out. The same records make the same bytes: no clock and no filesystem in here.

mod ascii;
mod asciidoc;
pub mod baseline;
mod bbcode;
mod bbcode_table;
mod bonnie;
pub mod bonnie_csv;
pub mod chart;
mod checks;
pub mod comparison;
mod csv;
mod csv_details;
mod csv_making;
mod csv_operations;
mod csv_summary;
mod details;
mod differences;
mod direct_io;
mod document;
mod dokuwiki;
mod ends;
mod evidence;
mod facts;
mod figures;
mod findings;
mod gathered;
mod html;
mod jira;
mod json;
pub mod layout;
mod legend;
mod limits;
pub(crate) mod lines;
mod makings;
mod markdown;
mod marks;
mod markup;
mod mediawiki;
mod neighbours;
mod org;
mod padding;
mod places;
mod png;
mod quietness;
mod ratios;
mod remarks;
mod rendering;
mod rst;
mod statements;
mod svg;
mod sweep;
mod table;
mod text;
mod textile;
mod trac;
mod verdicts;

#[cfg(test)]
mod tests;

use self::chart::ChartChoice;
use self::comparison::Comparison;
use self::layout::Layout;
pub use self::rendering::Rendering;
use crate::model::fact::Key;
use crate::model::identity::Identity;
use crate::model::nearest::UnknownName;
use crate::model::phase::Phase;
use crate::model::record::RunRecord;
use crate::model::series::{Pooling, Series, name_apart};
use crate::model::summary::PhaseSummary;
use std::collections::{BTreeSet, HashMap};

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
    /// The value that its runs are grouped by, printable: `kernel=6.18`; `None` where they are not grouped.
    pub group: Option<String>,
    /// The workload of every run in it; of the first where unlike work was put side by side.
    pub workload_id: Identity,
    /// The series, in the order of first appearance; never empty.
    pub series: Vec<Series<'a>>,
    /// The phases that its runs hold, in the order in which they are shown: that of the plan, else of the catalogue.
    pub phases: Vec<Phase>,
    /// Per series, in the same order: a summary a phase, in their order.
    pub summaries: Vec<Vec<PhaseSummary>>,
    /// The series beside one of them; `None` without a baseline.
    pub comparison: Option<Comparison>,
}

/// How records become series and sections.
#[derive(Debug, Clone, Default)]
pub struct Arrangement {
    /// Whether the batches of a label are one series.
    pub pooling: Pooling,
    /// Runs with different values of it stand in different tables.
    pub group_by: Option<Key>,
    /// Whether unlike work stands in one table.
    pub is_mixed: bool,
}

impl Arrangement {
    /// The group of a run, printable.
    fn group_of(&self, run: &RunRecord) -> Option<String> {
        let key = self.group_by.as_ref()?;
        Some(format!("{}={}", key.name(), key.of(run).unwrap_or_else(|| "not known".to_owned())))
    }
}

impl<'a> Report<'a> {
    /// The report of some records: each batch of a label is a series, each workload has its table.
    #[must_use]
    pub fn of(records: &'a [RunRecord]) -> Self {
        Self::arranged(records, &Arrangement::default())
    }

    /// The report of some records in another arrangement.
    #[must_use]
    pub fn arranged(records: &'a [RunRecord], arrangement: &Arrangement) -> Self {
        let mut groups: Vec<(Option<String>, Vec<&'a RunRecord>)> = Vec::new();
        let mut places: HashMap<Option<String>, usize> = HashMap::new();
        for run in records {
            let group = arrangement.group_of(run);
            let place = *places.entry(group.clone()).or_insert(groups.len());
            match groups.get_mut(place) {
                Some((_, runs)) => runs.push(run),
                None => groups.push((group, vec![run])),
            }
        }
        let sections = groups.into_iter().flat_map(|(group, runs)| sections_of(&group, &runs, arrangement)).collect();
        Self { records, sections, chart: ChartChoice::default(), layout: Layout::default() }
    }
}

/// The sections of a group: one a workload, in the order of first appearance.
fn sections_of<'a>(group: &Option<String>, runs: &[&'a RunRecord], arrangement: &Arrangement) -> Vec<Section<'a>> {
    let mut workloads: Vec<Vec<Series<'a>>> = Vec::new();
    let mut places: HashMap<Identity, usize> = HashMap::new();
    for series in Series::of(runs.iter().copied(), arrangement.pooling) {
        let workload_id = if arrangement.is_mixed { Identity(0) } else { series.first.workload_id };
        let place = *places.entry(workload_id).or_insert(workloads.len());
        match workloads.get_mut(place) {
            Some(all) => all.push(series),
            None => workloads.push(vec![series]),
        }
    }
    workloads.into_iter().filter_map(|series| Section::of(group.clone(), series)).collect()
}

impl<'a> Section<'a> {
    /// The section of some series; `None` without any.
    fn of(group: Option<String>, mut series: Vec<Series<'a>>) -> Option<Self> {
        name_apart(&mut series);
        let workload_id = series.first()?.first.workload_id;
        let phases = phases_of(&series);
        let summary_of = |one: &Series<'_>| phases.iter().map(|phase| PhaseSummary::of(one, *phase)).collect();
        let summaries = series.iter().map(summary_of).collect();
        Some(Self { group, workload_id, series, phases, summaries, comparison: None })
    }
}

/// The phases that the runs of some series hold: first those of the first plan in its order, then the others in that of the catalogue.
fn phases_of(series: &[Series<'_>]) -> Vec<Phase> {
    let runs = || series.iter().flat_map(|one| one.runs.iter());
    let mut held: BTreeSet<Phase> = runs().flat_map(|run| run.phases.iter().map(|record| record.name)).collect();
    let plan = runs().find_map(|run| run.plan.as_ref());
    let mut phases: Vec<Phase> = plan.iter().flat_map(|plan| plan.settings.phases.iter().copied()).collect();
    phases.retain(|phase| held.remove(phase));
    phases.extend(held);
    phases
}

/// Why a report has several tables, or charts.
fn several(what: &str, sections: &[Section<'_>]) -> String {
    let groups: Vec<&String> = sections.iter().filter_map(|section| section.group.as_ref()).collect();
    let key = groups.first().and_then(|group| group.split_once('=')).map(|(key, _)| key);
    match key {
        Some(key) => format!("{} {what}s, by {key}.", sections.len()),
        None => format!("{} workloads. They are unlike work, so each has its own {what}.", sections.len()),
    }
}

impl Report<'_> {
    /// The sections as one text: unlike work stands apart, and the reader is told.
    fn text_of_sections(&self, section_text: impl Fn(&Section<'_>) -> String, between: &str) -> String {
        let sections: Vec<String> = self.sections.iter().map(section_text).collect();
        match sections.len() {
            0 => "No runs.\n".to_owned(),
            1 => sections.concat(),
            _ => {
                let head = format!("{}\n", several("table", &self.sections));
                std::iter::once(head).chain(sections).collect::<Vec<_>>().join(between)
            }
        }
    }
}

impl Section<'_> {
    /// The summaries of a phase that the table shows, each with the place of its series; empty when no series holds the phase, or
    /// all that hold it skipped it.
    fn rows(&self, phase: Phase) -> Vec<(usize, &PhaseSummary)> {
        let rows = self.summaries_of(phase);
        if self.shows(phase) { rows.collect() } else { Vec::new() }
    }

    /// Whether the table shows a phase.
    fn shows(&self, phase: Phase) -> bool {
        self.summaries_of(phase).any(|(_, summary)| summary.recorded > 0 && summary.skipped().is_none())
    }

    fn summaries_of(&self, phase: Phase) -> impl Iterator<Item = (usize, &PhaseSummary)> {
        let of_series = move |summaries: &'_ Vec<PhaseSummary>| summaries.iter().position(|summary| summary.phase == phase);
        let places = self.summaries.iter().enumerate();
        places.filter_map(move |(place, summaries)| Some((place, summaries.get(of_series(summaries)?)?)))
    }

    /// Every summary with a rate, with the place of its series, phase by phase.
    fn measured(&self) -> Vec<(usize, &PhaseSummary)> {
        self.phases.iter().flat_map(|phase| self.rows(*phase)).filter(|(_, summary)| summary.n > 0).collect()
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

    /// Whether it shows the ratios to a baseline.
    fn compares(&self) -> bool {
        true
    }

    /// The report; of a text each line is ended. The same records make the same bytes.
    fn render(&self, report: &Report<'_>) -> Rendering;
}

/// Every format. The first is the default.
pub const RENDERERS: &[&dyn Renderer] = &[
    &text::Text,
    &ascii::Ascii,
    &markdown::Markdown,
    &bbcode::BbCode,
    &bbcode_table::BbCodeTable,
    &mediawiki::MediaWiki,
    &dokuwiki::DokuWiki,
    &trac::Trac,
    &jira::Jira,
    &textile::Textile,
    &rst::Rst,
    &org::Org,
    &asciidoc::AsciiDoc,
    &csv::Csv,
    &csv_summary::CsvSummary,
    &csv_making::CsvMaking,
    &csv_details::CsvDetails,
    &csv_operations::CsvOperations,
    &bonnie_csv::BonnieCsv,
    &json::Json,
    &html::Html,
    &svg::Svg,
    &png::Png,
];

/// The format of a name, or else of the ending of its files.
///
/// # Errors
/// Suggests the nearest names and lists all when there is none.
pub fn renderer_named(name: &str) -> Result<&'static dyn Renderer, UnknownName> {
    let named = |is_meant: fn(&dyn Renderer) -> &'static str| RENDERERS.iter().copied().find(|renderer| is_meant(*renderer) == name);
    let found = named(|renderer| renderer.name()).or_else(|| named(|renderer| renderer.extension()));
    found.ok_or_else(|| UnknownName::of("format", name, RENDERERS.iter().map(|renderer| renderer.name())))
}
