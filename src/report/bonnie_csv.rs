//! The CSV of Bonnie++ 1.98 to 2.00a: a line of 50 fields a run, for the tools that read what Bonnie++ prints.
//!
//! Bonnie++ has no field for an error, so a phase that failed, was skipped or is not known is empty as one that was not run, and what
//! took under half a second is `+++++`. The other formats say why, and keep the number.

use super::csv::{fixed, inert};
use super::{Renderer, Rendering, Report};
use crate::model::imported::Imported;
use crate::model::phase::{Phase, Unit};
use crate::model::printable::printable;
use crate::model::record::{PhaseRecord, PhaseResult, RunRecord};
use crate::model::settings::{Links, Settings};
use crate::units::exact_size;
use std::collections::HashMap;

/// The format `bonnie-csv`.
pub struct BonnieCsv;

/// The form of the line: the only one that `bon_csv2html` and `bon_csv2txt` of Debian's bonnie++ 2.00a take.
const FORMAT_VERSION: &str = "1.98";

/// What is said of the work before the figures of the block file.
const BLOCK_WORK: [&str; 6] = ["concurrency", "seed", "file_size", "io_chunk_size", "io_seeks", "seek_proc_count"];

/// What is said of the files before their figures, in the order of the data: Bonnie++'s own heading has `num_dirs` before
/// `file_chunk_size`, and leaves out both fields of the seeks.
const FILE_WORK: [&str; 5] = ["num_files", "max_size", "min_size", "file_chunk_size", "num_dirs"];

/// The phases of the block file with the names of their fields.
const BLOCK_PHASES: [(Phase, &str); 6] = [
    (Phase::CharWrite, "putc"),
    (Phase::BlockWrite, "put_block"),
    (Phase::Rewrite, "rewrite"),
    (Phase::CharRead, "getc"),
    (Phase::BlockRead, "get_block"),
    (Phase::RandomSeek, "seeks"),
];

/// The phases of the files.
const FILE_PHASES: [(Phase, &str); 6] = [
    (Phase::SeqCreate, "seq_create"),
    (Phase::SeqStat, "seq_stat"),
    (Phase::SeqDelete, "seq_del"),
    (Phase::RandomCreate, "ran_create"),
    (Phase::RandomStat, "ran_stat"),
    (Phase::RandomDelete, "ran_del"),
];

/// A phase under this time has no figures in Bonnie++ (`MinTime` in its bonnie.h).
const LEAST_NANOSECONDS: u64 = 500_000_000;

impl Renderer for BonnieCsv {
    fn name(&self) -> &'static str {
        "bonnie-csv"
    }

    fn extension(&self) -> &'static str {
        "csv"
    }

    fn purpose(&self) -> &'static str {
        "a line a run as Bonnie++ 2.00 prints it, for the tools that read those"
    }

    fn compares(&self) -> bool {
        false
    }

    fn render(&self, report: &Report<'_>) -> Rendering {
        let names = names_apart(report);
        let line_of =
            |run: &RunRecord| format!("{}\n", named_line(run, names.get(&std::ptr::from_ref(run)).unwrap_or(&run.label.as_str())));
        report.records.iter().map(line_of).collect::<String>().into()
    }
}

/// The names of the runs whose series share a label with others of their table: in a chart of these lines they must not look the same.
fn names_apart<'r>(report: &'r Report<'_>) -> HashMap<*const RunRecord, &'r str> {
    let series = report.sections.iter().flat_map(|section| &section.series).filter(|series| series.name != series.label);
    series.flat_map(|series| series.runs.iter().map(|run| (std::ptr::from_ref(*run), series.name.as_str()))).collect()
}

/// The names of the 50 fields, joined by commas and without a line ending.
#[must_use]
pub fn header() -> String {
    let texts = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let names = |(_, name): (Phase, &str)| Fields { rate: name.to_owned(), cpu: format!("{name}_cpu"), latency: format!("{name}_latency") };
    joined(texts(&["format_version", "bonnie_version", "name"]), [texts(&BLOCK_WORK), texts(&FILE_WORK)], names)
}

/// The line of a run: 50 fields joined by commas, without a line ending. The name is the label of the run.
#[must_use]
pub fn line(run: &RunRecord) -> String {
    named_line(run, &run.label)
}

fn named_line(run: &RunRecord, name: &str) -> String {
    let head = vec![FORMAT_VERSION.to_owned(), safe(&program(run)), inert(safe(name))];
    joined(head, work(run), |(phase, name)| Fields::of(run, phase, name))
}

/// The fields in their order.
fn joined(head: Vec<String>, [block_work, file_work]: [Vec<String>; 2], of_phase: impl Fn((Phase, &str)) -> Fields) -> String {
    let [block, files] = [BLOCK_PHASES, FILE_PHASES].map(|phases| phases.map(&of_phase));
    let figures = |fields: &[Fields]| fields.iter().flat_map(|fields| [fields.rate.clone(), fields.cpu.clone()]).collect::<Vec<_>>();
    let latencies = block.iter().chain(&files).map(|fields| fields.latency.clone()).collect();
    [head, block_work, figures(&block), file_work, figures(&files), latencies].concat().join(",")
}

/// Bonnie++ knows no quoting: what would end a field, a line or a quoted text becomes a character that does not.
fn safe(text: &str) -> String {
    printable(text).replace(',', ";").replace('"', "'")
}

/// What measured, without a blank: `barrow-0.1.0`, or the version of Bonnie++ as it stood.
fn program(run: &RunRecord) -> String {
    match &run.imported {
        Some(imported) => {
            let version = || imported.program.rsplit(' ').next().unwrap_or_default();
            imported.value("bonnie_version").unwrap_or_else(version).to_owned()
        }
        None => format!("barrow-{}", run.version),
    }
}

/// The fields of [`BLOCK_WORK`] and [`FILE_WORK`].
fn work(run: &RunRecord) -> [Vec<String>; 2] {
    let named = |names: &[&str], text: &dyn Fn(&str) -> String| names.iter().map(|name| text(name)).collect::<Vec<_>>();
    match (&run.imported, run.settings()) {
        (Some(imported), _) => [&BLOCK_WORK[..], &FILE_WORK].map(|names| named(names, &|name| as_it_stood(imported, name))),
        (None, Some(settings)) => [block_work(settings, seeks_done(run)).to_vec(), file_work(settings).to_vec()],
        (None, None) => [&BLOCK_WORK[..], &FILE_WORK].map(|names| named(names, &|_| String::new())),
    }
}

fn as_it_stood(imported: &Imported, name: &str) -> String {
    safe(imported.parameter(name).or_else(|| imported.value(name)).unwrap_or_default())
}

/// The seeks that were done, which may be fewer or more than were asked for.
fn seeks_done(run: &RunRecord) -> Option<u64> {
    run.phase(Phase::RandomSeek).and_then(PhaseRecord::counted).map(|counted| counted.work)
}

fn block_work(settings: &Settings, seeks: Option<u64>) -> [String; 6] {
    let of_block = |text: String| if settings.file_size > 0 { text } else { String::new() };
    [
        settings.workers.to_string(),
        settings.seed.to_string(),
        of_block(file_size(settings.file_size)),
        of_block(exact_size(settings.chunk_size)),
        of_block(seeks.unwrap_or(settings.seeks).to_string()),
        of_block(settings.seekers.to_string()),
    ]
}

/// Bonnie++ writes no larger unit than G: `1024G`.
fn file_size(bytes: u64) -> String {
    const GIB: u64 = 1 << 30;
    if bytes.is_multiple_of(GIB) { format!("{}G", bytes / GIB) } else { exact_size(bytes).to_uppercase() }
}

/// The count of files is in units of 1024, with a fraction where it is no whole number of these.
fn file_work(settings: &Settings) -> [String; 5] {
    let known = |text: String, is_said: bool| if is_said && settings.files > 0 { text } else { String::new() };
    let has_content = settings.max_size > 0;
    [
        known((settings.files as f64 / 1024.0).to_string(), true),
        match settings.links {
            Links::None => known(settings.max_size.to_string(), has_content),
            Links::Hard => known("link".to_owned(), true),
            Links::Symbolic => known("symlink".to_owned(), true),
        },
        known(settings.min_size.to_string(), has_content),
        String::new(),
        known(settings.dirs.to_string(), settings.dirs > 1),
    ]
}

/// The fields of a phase; empty where nothing is known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Fields {
    rate: String,
    cpu: String,
    latency: String,
}

impl Fields {
    /// The fields of a phase; `name` is that of its rate.
    fn of(run: &RunRecord, phase: Phase, name: &str) -> Self {
        let Some(record) = run.phase(phase) else { return Self::default() };
        let made = Self::made(record);
        match (&run.imported, record.number()) {
            (Some(imported), Some(PhaseResult::Reported(_))) => made.with_what_stood(imported, name),
            (Some(_), Some(PhaseResult::Counted(_)) | None) | (None, _) => made,
        }
    }

    /// The fields as Bonnie++ makes them from figures.
    fn made(record: &PhaseRecord) -> Self {
        let latency = record.latency_max_ns().map(latency_field).unwrap_or_default();
        if record.counted().is_some_and(|counted| counted.elapsed_ns > 0 && counted.elapsed_ns < LEAST_NANOSECONDS) {
            return Self { rate: "+++++".to_owned(), cpu: "+++".to_owned(), latency };
        }
        Self {
            rate: record.rate().map(|rate| rate_field(record.name, rate)).unwrap_or_default(),
            cpu: record.cpu_own_percent().map(whole).unwrap_or_default(),
            latency,
        }
    }

    /// The fields with each text that stood in the form of this line. In a table a rate may have a letter, or be known to be wrong.
    fn with_what_stood(self, imported: &Imported, name: &str) -> Self {
        let stood = |name: &str| imported.value(name).unwrap_or_default().to_owned();
        let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        let is_latency = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit() || byte.is_ascii_lowercase());
        Self {
            rate: either(stood(name), self.rate, is_number),
            cpu: either(stood(&format!("{name}_cpu")), self.cpu, is_number),
            latency: either(stood(&format!("{name}_latency")), self.latency, is_latency),
        }
    }
}

/// What stood where it is a figure that is known, or the signs of a phase that was too short for one; else what was made.
fn either(stood: String, made: String, is_figure: impl Fn(&str) -> bool) -> String {
    let is_short = stood.bytes().all(|byte| byte == b'+');
    let is_meant = if made.is_empty() { is_short } else { is_figure(&stood) };
    if is_meant && !stood.is_empty() { stood } else { made }
}

/// Bytes in KiB, all as whole numbers without what is behind the point; seeks below 1000 with one decimal.
fn rate_field(phase: Phase, rate: f64) -> String {
    match phase.row().unit {
        Unit::Bytes => whole(rate / 1024.0),
        Unit::Seeks if rate < 1000.0 => fixed(Some(rate), 1),
        // Bonnie++ rounds these and no others.
        Unit::Seeks => fixed(Some(rate), 0),
        Unit::Files | Unit::Writes | Unit::Operations | Unit::Programs => whole(rate),
    }
}

fn whole(value: f64) -> String {
    fixed(Some(value.trunc()), 0)
}

/// `99999us`, `100ms` and on to `99999ms`, `100s`: whole numbers without what is behind the point.
fn latency_field(nanoseconds: f64) -> String {
    let (value, unit) = match nanoseconds {
        ns if ns > 99_999_999_000.0 => (ns / 1e9, "s"),
        ns if ns > 99_999_000.0 => (ns / 1e6, "ms"),
        ns => (ns / 1e3, "us"),
    };
    format!("{}{unit}", whole(value))
}

#[cfg(test)]
mod tests;
