//! CSV with a row per series and phase: median, ends and their kind, for plots and comparisons.

use super::csv::{cpu_seconds, fixed, text_of};
use super::differences::{all_tags, in_series};
use super::table::cache_words;
use super::{Renderer, Rendering, Report, Section, facts};
use crate::model::machine::FilesystemClass;
use crate::model::phase::{Phase, Reads, Unit};
use crate::model::printable::printable;
use crate::model::record::RunRecord;
use crate::model::series::Series;
use crate::model::summary::PhaseSummary;
use crate::stats::Spread;

/// The format `csv-summary`.
pub struct CsvSummary;

/// The columns. Never reordered or renamed: scripts rely on them.
const COLUMNS: [&str; 31] = [
    "label",
    "phase",
    "unit",
    "n",
    "rate_median",
    "rate_low",
    "rate_high",
    "interval",
    "rate_min",
    "rate_max",
    "cpu_own_pct_median",
    "cpu_own_pct_min",
    "cpu_own_pct_max",
    "cpu_system_pct_median",
    "cpu_system_pct_min",
    "cpu_system_pct_max",
    "p99_us_median",
    "p99_us_min",
    "p99_us_max",
    "cpu_seconds_per_gib_median",
    "cpu_seconds_per_1000_median",
    "cache",
    "durable",
    "flags",
    "profile",
    "workload_id",
    "batch",
    "filesystem",
    "device",
    "kernel",
    "tags",
];

/// What stands in a cell that does not apply, so that no cell of a measured series is empty.
const NONE: &str = "none";

/// What stands in a cell whose fact is not known.
const UNKNOWN: &str = "unknown";

impl Renderer for CsvSummary {
    fn name(&self) -> &'static str {
        "csv-summary"
    }

    fn extension(&self) -> &'static str {
        "csv"
    }

    fn purpose(&self) -> &'static str {
        "a row per series and phase: median, range, labels, for plots"
    }

    fn compares(&self) -> bool {
        false
    }

    fn render(&self, report: &Report<'_>) -> Rendering {
        text_of(&COLUMNS, report.sections.iter().flat_map(rows)).into()
    }
}

fn rows<'a>(section: &'a Section<'_>) -> impl Iterator<Item = Vec<String>> + 'a {
    section.series.iter().zip(&section.summaries).flat_map(|(series, summaries)| {
        let held = summaries.iter().filter(|summary| summary.recorded > 0);
        held.map(move |summary| row(series, summary))
    })
}

fn row(series: &Series<'_>, summary: &PhaseSummary) -> Vec<String> {
    let phase = summary.phase.row();
    let mut cells = vec![series.label.clone(), phase.name.to_owned(), phase.unit.name().to_owned(), summary.n.to_string()];
    cells.extend(rate_cells(summary.rate.as_ref()));
    for (spread, unit, decimals) in [(&summary.cpu_own, 1.0, 2), (&summary.cpu_system, 1.0, 2), (&summary.p99_ns, 1e3, 3)] {
        cells.extend(spread_cells(spread.as_ref(), summary.n, unit, decimals));
    }
    cells.extend(work_cells(summary));
    cells.extend(word_cells(summary));
    cells.extend(fact_cells(series));
    cells
}

fn rate_cells(rate: Option<&Spread>) -> [String; 6] {
    let Some(rate) = rate else { return Default::default() };
    let cell = |value| fixed(Some(value), 3);
    [cell(rate.median), cell(rate.low), cell(rate.high), rate.interval.name().to_owned(), cell(rate.min), cell(rate.max)]
}

/// Median, least and greatest; empty when nothing was measured, `unknown` when only this was not.
fn spread_cells(spread: Option<&Spread>, n: usize, unit: f64, decimals: usize) -> [String; 3] {
    match (spread, n) {
        (Some(spread), _) => [spread.median, spread.min, spread.max].map(|value| fixed(Some(value / unit), decimals)),
        (None, 0) => Default::default(),
        (None, _) => [UNKNOWN; 3].map(str::to_owned),
    }
}

/// The medians of CPU for a GiB and for 1000 operations, one of which does not apply.
fn work_cells(summary: &PhaseSummary) -> [String; 2] {
    let is_bytes = summary.phase.row().unit == Unit::Bytes;
    [(&summary.cpu_ns_per_gib, is_bytes), (&summary.cpu_ns_per_1000, !is_bytes)].map(|(spread, does_apply)| match (spread, summary.n) {
        (_, 0) => String::new(),
        (Some(spread), _) => cpu_seconds(Some(spread.median)),
        (None, _) => if does_apply { UNKNOWN } else { NONE }.to_owned(),
    })
}

/// Cache, durable and flags. Several labels are joined by `/`.
fn word_cells(summary: &PhaseSummary) -> [String; 3] {
    let applies = |words: Vec<String>, does_apply: bool| match (words.is_empty(), does_apply) {
        (false, _) => words.join("/"),
        (true, true) => UNKNOWN.to_owned(),
        (true, false) => NONE.to_owned(),
    };
    let durable = summary.durable.iter().map(|label| label.word().to_owned()).collect();
    let flags = summary.flags.iter().map(|flag| flag.word()).collect::<Vec<_>>().join("; ");
    let phase = summary.phase;
    [
        applies(cache_words(&summary.cache), summary.n > 0 && reads_something(phase)),
        applies(durable, summary.n > 0 && phase.row().writes),
        if flags.is_empty() { NONE.to_owned() } else { flags },
    ]
}

fn reads_something(phase: Phase) -> bool {
    match phase.row().reads {
        Reads::Nothing => false,
        Reads::Data | Reads::Metadata => true,
    }
}

/// `key=value` each.
fn tags(run: &RunRecord) -> String {
    all_tags(run).unwrap_or_else(|| NONE.to_owned())
}

fn fact_cells(series: &Series<'_>) -> [String; 7] {
    let run = series.first;
    let known = |text: &str| if text.is_empty() { UNKNOWN.to_owned() } else { printable(text) };
    let no_device = match run.filesystem.class {
        FilesystemClass::Memory | FilesystemClass::Network => NONE,
        FilesystemClass::Block | FilesystemClass::Fuse | FilesystemClass::Zfs | FilesystemClass::Overlay | FilesystemClass::Other => {
            UNKNOWN
        }
    };
    let fact = |of: &dyn Fn(&RunRecord) -> String| in_series(series, &|run| Some(of(run))).unwrap_or_default();
    [
        known(&run.profile),
        run.workload_id.to_string(),
        fact(&|run| run.batch.to_string()),
        fact(&|run| known(&run.filesystem.kind)),
        fact(&|run| facts::device_cell(&run.device).unwrap_or_else(|| no_device.to_owned())),
        fact(&|run| known(run.machine.kernel.as_deref().unwrap_or_default())),
        fact(&tags),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::machine::Device;
    use crate::model::record::{PhaseRecord, PhaseResult, Reported, RunRecord, Status};
    use crate::model::sample;

    fn text(records: &[RunRecord]) -> String {
        CsvSummary.render(&Report::of(records)).text().unwrap().to_owned()
    }

    fn line<'a>(text: &'a str, start: &str) -> &'a str {
        text.lines().find(|line| line.starts_with(start)).unwrap()
    }

    #[test]
    fn a_row_has_every_cell() {
        let mut records: Vec<RunRecord> = (1..=6).map(|round| sample::run("ext4", round)).collect();
        for (i, run) in records.iter_mut().enumerate() {
            sample::set_rate(run, Phase::RandomSeek, 1e6 + i as f64);
        }
        let text = text(&records);
        assert_eq!(text.lines().next().unwrap(), COLUMNS.join(","));
        let expected = "ext4,random_seek,seeks,6,1000002.500,1000000.000,1000005.000,ci95,1000000.000,1000005.000,16.00,16.00,16.00,\
            40.00,40.00,40.00,41.983,41.983,41.983,none,0.000160,cold,none,none,std/1,7f3a91c2e05d4b18,51ce77aa01020304,ext4,sda1 Samsung SSD 870,\
            Linux 6.18.4,none";
        assert_eq!(line(&text, "ext4,random_seek"), expected);
        assert!(line(&text, "ext4,block_write").contains(",none,durable,none,"));
        assert_eq!(text.lines().count(), 11);
    }

    #[test]
    fn no_cell_of_a_measured_series_is_empty() {
        let mut run = sample::run("", 1);
        run.device = Device::default();
        run.machine.kernel = None;
        for phase in Phase::STANDARD {
            let reported = Reported { rate: Some(5.0), cpu_percent: None, latency_max_ns: None };
            let record = sample::phase_mut(&mut run, *phase);
            let result = Some(PhaseResult::Reported(reported));
            *record = PhaseRecord { result, status: Status::Ok, ..PhaseRecord::skipped(*phase, "") };
        }
        let text = text(&[run]);
        assert!(!text.contains(",,") && !text.contains(",\n"), "{text}");
        assert!(line(&text, "(no label),rewrite").contains(",unknown,none,unknown,unknown,none,"), "{text}");
    }

    #[test]
    fn a_series_without_a_figure_has_its_row() {
        let mut run = sample::run("xfs", 1);
        *sample::phase_mut(&mut run, Phase::Rewrite) = PhaseRecord::failed(Phase::Rewrite, "full");
        let text = text(&[run]);
        assert!(line(&text, "xfs,rewrite").starts_with("xfs,rewrite,bytes,0,,,,,,,,,,,,,,,,,,none,none,none,std/1,"), "{text}");
    }
}
