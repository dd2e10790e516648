//! JSON for scripts: every section with its series, all that was counted in each run, the summaries, and the comparison with a baseline.
//! `man/barrow-report.5` describes each field.

mod details;
mod making;
mod run;
mod summary;

#[cfg(test)]
mod tests;

use super::differences::in_series;
use super::{Renderer, Rendering, Report, Section, facts};
use crate::model::printable::printable;
use crate::model::record::RunRecord;
use crate::model::series::Series;
use making::QuantityForm;
use run::RunForm;
use serde::{Serialize, Serializer};
use std::collections::{BTreeMap, BTreeSet};
use summary::SummaryForm;

/// The format `json`.
pub struct Json;

/// The version of the form. Fields may be added to a version; none is renamed or changes its meaning. It is not called `schema`, by
/// which a run is known: a report must never be taken for a run file.
const REPORT_SCHEMA: u32 = 1;

/// Who made the document.
const GENERATOR: &str = concat!("barrow ", env!("CARGO_PKG_VERSION"));

impl Renderer for Json {
    fn name(&self) -> &'static str {
        "json"
    }

    fn extension(&self) -> &'static str {
        "json"
    }

    fn purpose(&self) -> &'static str {
        "one document with every run, its summaries and ratios, for scripts"
    }

    fn render(&self, report: &Report<'_>) -> Rendering {
        let sections = Each(|| report.sections.iter().map(|section| SectionForm { section }));
        let document = Document { report_schema: REPORT_SCHEMA, generator: GENERATOR, sections };
        // Memory takes all that is written, and every key is a text.
        let mut text = serde_json::to_string(&document).expect("a document fits in memory");
        text.push('\n');
        text.into()
    }
}

/// The whole document.
#[derive(Serialize)]
struct Document<S: Serialize> {
    report_schema: u32,
    generator: &'static str,
    sections: S,
}

/// A list whose items are made while it is written, one at a time: all of them together would take several times the document's size.
struct Each<F>(F);

impl<F, I> Serialize for Each<F>
where
    F: Fn() -> I,
    I: Iterator,
    I::Item: Serialize,
{
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((self.0)())
    }
}

/// A number of a document: what is not finite is not known, as JSON has no word for it.
fn finite(value: Option<f64>) -> Option<f64> {
    value.filter(|value| value.is_finite())
}

/// A text that is empty where it is not known.
fn known(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| printable(text))
}

/// Tags, safe to print.
fn tags(tags: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    tags.iter().map(|(key, value)| (printable(key), printable(value))).collect()
}

/// A section, written as [`SectionFields`].
struct SectionForm<'s, 'a> {
    section: &'s Section<'a>,
}

#[derive(Serialize)]
struct SectionFields<'s, S: Serialize> {
    group: Option<&'s str>,
    workload_id: String,
    parameters: BTreeMap<String, String>,
    facts: Vec<String>,
    baseline: Option<&'s str>,
    series: S,
}

impl Serialize for SectionForm<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let section = self.section;
        let split = |text: String| text.split_once('=').map(|(key, value)| (key.to_owned(), value.to_owned()));
        let baseline = section.comparison.as_ref().and_then(|comparison| section.series.get(comparison.baseline));
        let fields = SectionFields {
            group: section.group.as_deref(),
            workload_id: section.workload_id.to_string(),
            parameters: facts::parameters(section).into_iter().filter_map(split).collect(),
            facts: facts::lines(section),
            baseline: baseline.map(|series| series.name.as_str()),
            series: Each(|| section.series.iter().enumerate().map(|(place, series)| SeriesForm { section, place, series })),
        };
        fields.serialize(serializer)
    }
}

/// A series, written as [`SeriesFields`].
struct SeriesForm<'s, 'a> {
    section: &'s Section<'a>,
    /// Its place in the section.
    place: usize,
    series: &'s Series<'a>,
}

#[derive(Serialize)]
struct SeriesFields<'s, S: Serialize, R: Serialize> {
    name: &'s str,
    label: &'s str,
    batch: String,
    batches: usize,
    tags: BTreeMap<String, String>,
    profile: Option<String>,
    seed: Option<u64>,
    io: Option<String>,
    workers: Option<u64>,
    filesystem: Option<String>,
    mount_options: Option<String>,
    device: Option<String>,
    kernel: Option<String>,
    summaries: S,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    makings: Vec<QuantityForm>,
    runs: R,
}

impl Serialize for SeriesForm<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (series, run) = (self.series, self.series.first);
        let settings = run.settings();
        let summaries = || self.section.summaries.get(self.place).into_iter().flatten().filter(|summary| summary.recorded > 0);
        let comparison = self.section.comparison.as_ref();
        let fact = |of: &dyn Fn(&RunRecord) -> Option<String>| in_series(series, of);
        let keys: BTreeSet<&String> = series.runs.iter().flat_map(|run| run.tags.keys()).collect();
        let tag = |key: &String| Some((printable(key), fact(&|run| run.tags.get(key).map(|value| printable(value)))?));
        let beside = |phase| comparison.map(|comparison| comparison.beside(self.place, phase));
        let fields = SeriesFields {
            name: &series.name,
            label: &series.label,
            batch: series.batch.to_string(),
            batches: series.batches,
            tags: keys.into_iter().filter_map(tag).collect(),
            profile: known(&run.profile),
            seed: settings.map(|settings| settings.seed),
            io: settings.map(|settings| settings.io.name()),
            workers: settings.map(|settings| settings.workers),
            filesystem: fact(&|run| known(&run.filesystem.kind)),
            mount_options: fact(&|run| known(&run.filesystem.mount_options)),
            device: fact(&|run| facts::device_cell(&run.device)),
            kernel: fact(&|run| run.machine.kernel.as_deref().and_then(known)),
            summaries: Each(|| summaries().map(|summary| SummaryForm::of(series, summary, beside(summary.phase)))),
            makings: QuantityForm::all(series),
            runs: Each(|| series.runs.iter().map(|run| RunForm { run })),
        };
        fields.serialize(serializer)
    }
}
