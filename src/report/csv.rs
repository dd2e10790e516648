//! CSV with a row per run and phase: everything that was counted, for spreadsheets and scripts.

use super::{Renderer, Rendering, Report, facts};
use crate::model::phase::Unit;
use crate::model::printable::printable;
use crate::model::record::{Counted, PhaseRecord, PhaseResult, RunRecord};
use crate::model::settings::Settings;
use std::collections::BTreeMap;

/// The format `csv`.
pub struct Csv;

/// The columns. Never reordered or renamed: scripts rely on them.
const COLUMNS: [&str; 37] = [
    "label",
    "run",
    "round",
    "phase",
    "unit",
    "work",
    "elapsed_s",
    "rate",
    "ack_s",
    "ack_rate",
    "cpu_own_pct",
    "cpu_system_pct",
    "p50_us",
    "p99_us",
    "max_us",
    "cpu_user_seconds",
    "cpu_system_seconds",
    "cpu_seconds_per_gib",
    "cpu_seconds_per_1000",
    "tool_percent",
    "cache",
    "durable",
    "io_obtained",
    "flags",
    "status",
    "profile",
    "workload_id",
    "seed",
    "started",
    "batch",
    "filesystem",
    "mount_options",
    "device",
    "kernel",
    "io",
    "workers",
    "tags",
];

impl Renderer for Csv {
    fn name(&self) -> &'static str {
        "csv"
    }

    fn extension(&self) -> &'static str {
        "csv"
    }

    fn purpose(&self) -> &'static str {
        "a row per run and phase, every number, for spreadsheets and scripts"
    }

    fn compares(&self) -> bool {
        false
    }

    fn render(&self, report: &Report<'_>) -> Rendering {
        let rows = report.records.iter().zip(1_usize..).flat_map(|(run, number)| {
            let facts = RunCells::of(run, number);
            run.phases.iter().map(move |record| facts.row(record))
        });
        text_of(&COLUMNS, rows).into()
    }
}

/// What begins a formula in a spreadsheet; the wide forms too, which some read as the plain ones.
const FORMULA: [char; 8] = ['=', '+', '-', '@', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}'];

/// A cell that no spreadsheet takes for a formula: a text that begins like one gets an apostrophe before it, which says there that it
/// is text (OWASP, CSV Injection). Numbers stay as they are.
pub fn inert(cell: String) -> String {
    let is_number = || cell.parse::<f64>().is_ok() && cell.ends_with(|last: char| last.is_ascii_digit());
    if cell.starts_with(FORMULA) && !is_number() { format!("'{cell}") } else { cell }
}

/// Rows of cells as CSV text, quoted where RFC 4180 asks for it, each line ended by a line feed.
pub fn text_of(columns: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let header: Vec<String> = columns.iter().map(|column| (*column).to_owned()).collect();
    for row in std::iter::once(header).chain(rows) {
        let row: Vec<String> = row.into_iter().map(inert).collect();
        // Memory takes all that is written, and every row has as many cells as the first.
        writer.write_record(&row).expect("a row of CSV fits in memory");
    }
    let bytes = writer.into_inner().expect("memory needs no flush");
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The cells that all phases of a run share.
struct RunCells {
    before: [String; 3],
    after: [String; 12],
}

impl RunCells {
    fn of(run: &RunRecord, number: usize) -> Self {
        let setting = |of: fn(&Settings) -> String| run.settings().map(of).unwrap_or_default();
        Self {
            before: [printable(&run.label), number.to_string(), run.round.to_string()],
            after: [
                printable(&run.profile),
                run.workload_id.to_string(),
                setting(|settings| settings.seed.to_string()),
                printable(&run.started),
                run.batch.to_string(),
                printable(&run.filesystem.kind),
                printable(&run.filesystem.mount_options),
                facts::device_cell(&run.device).unwrap_or_default(),
                printable(run.machine.kernel.as_deref().unwrap_or_default()),
                setting(|settings| settings.io.name()),
                setting(|settings| settings.workers.to_string()),
                tags(&run.tags),
            ],
        }
    }

    fn row(&self, record: &PhaseRecord) -> Vec<String> {
        let row = record.name.row();
        let phase = [row.name.to_owned(), row.unit.name().to_owned()];
        let parts = [&self.before[..], &phase, &figures(record), &words(record), &self.after];
        parts.concat()
    }
}

/// The cells from `cache` to `status`.
fn words(record: &PhaseRecord) -> [String; 5] {
    let cache = record.cache.map(|label| label.to_string()).unwrap_or_default();
    let durable = record.durable.map(|label| label.word().to_owned()).unwrap_or_default();
    let flags = record.flags.iter().map(|flag| flag.word()).collect::<Vec<_>>().join("; ");
    let io = record.io.map(|io| io.word().to_owned()).unwrap_or_default();
    [cache, durable, io, flags, record.status.name().to_owned()]
}

/// The cells from `work` to `tool_percent`; what is not known is empty.
fn figures(record: &PhaseRecord) -> [String; 15] {
    let mut cells: [String; 15] = Default::default();
    match record.number() {
        None => {}
        Some(PhaseResult::Counted(counted)) => {
            let (first, last) = cells.split_at_mut(10);
            first.clone_from_slice(&counted_figures(counted));
            last.clone_from_slice(&cost_figures(counted, record.name.row().unit));
        }
        Some(PhaseResult::Reported(reported)) => {
            cells[2] = fixed(reported.rate, 3);
            cells[5] = fixed(reported.cpu_percent, 2);
            cells[9] = reported.latency_max_ns.map(|ns| microseconds(ns as f64)).unwrap_or_default();
        }
    }
    cells
}

/// The cells from `work` to `max_us`.
fn counted_figures(counted: &Counted) -> [String; 10] {
    let percentile = |share| counted.latency_percentile_ns(share).map(microseconds).unwrap_or_default();
    [
        counted.work.to_string(),
        seconds(counted.elapsed_ns),
        fixed(counted.rate(), 3),
        counted.acknowledged_ns.map(seconds).unwrap_or_default(),
        fixed(counted.acknowledged_rate(), 3),
        fixed(counted.cpu_own_percent(), 2),
        fixed(counted.cpu_system_percent(), 2),
        percentile(0.5),
        percentile(0.99),
        microseconds(counted.latency_max_ns as f64),
    ]
}

/// The cells from `cpu_user_seconds` to `tool_percent`.
fn cost_figures(counted: &Counted, unit: Unit) -> [String; 5] {
    let (user, system) = counted.cpu_split_ns().map(|(user_ns, system_ns)| (seconds(user_ns), seconds(system_ns))).unwrap_or_default();
    [
        user,
        system,
        cpu_seconds(counted.cpu_ns_per_gib(unit)),
        cpu_seconds(counted.cpu_ns_per_1000_operations(unit)),
        fixed(counted.tool_percent(), 2),
    ]
}

/// The cells of the facts of a run that tables of its phases end with: profile, workload, batch, filesystem, mount options, device,
/// kernel, tags.
pub fn facts_of(run: &RunRecord) -> [String; 8] {
    [
        printable(&run.profile),
        run.workload_id.to_string(),
        run.batch.to_string(),
        printable(&run.filesystem.kind),
        printable(&run.filesystem.mount_options),
        facts::device_cell(&run.device).unwrap_or_default(),
        printable(run.machine.kernel.as_deref().unwrap_or_default()),
        tags(&run.tags),
    ]
}

/// Nanoseconds of CPU as seconds, with six decimals.
pub fn cpu_seconds(nanoseconds: Option<f64>) -> String {
    fixed(nanoseconds.map(|nanoseconds| nanoseconds / 1e9), 6)
}

/// A number with fixed decimals and no comma; empty when it is not known.
pub fn fixed(value: Option<f64>, decimals: usize) -> String {
    value.filter(|value| value.is_finite()).map(|value| format!("{value:.decimals$}")).unwrap_or_default()
}

/// Seconds with nine decimals, exact.
pub fn seconds(nanoseconds: u64) -> String {
    format!("{}.{:09}", nanoseconds / 1_000_000_000, nanoseconds % 1_000_000_000)
}

/// Microseconds with three decimals.
pub fn microseconds(nanoseconds: f64) -> String {
    format!("{:.3}", nanoseconds / 1e3)
}

/// `key=value` pairs joined by blanks; a blank, `=` or `%` inside is percent-encoded, so that the cell can be taken apart again.
fn tags(tags: &BTreeMap<String, String>) -> String {
    let encoded = |text: &str| printable(text).replace('%', "%25").replace(' ', "%20").replace('=', "%3D");
    tags.iter().map(|(key, value)| format!("{}={}", encoded(key), encoded(value))).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::flag::Flag;
    use crate::model::phase::Phase;
    use crate::model::record::{Reported, Status};
    use crate::model::sample;

    fn rows_of(records: &[RunRecord]) -> Vec<BTreeMap<String, String>> {
        let text = Csv.render(&Report::of(records)).text().unwrap().to_owned();
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        reader.deserialize().map(Result::unwrap).collect()
    }

    #[test]
    fn a_row_has_every_cell() {
        let mut run = sample::run("ext4, old", 3);
        run.tags = [("a b".to_owned(), "50%=x".to_owned()), ("disk".to_owned(), "new".to_owned())].into();
        sample::phase_mut(&mut run, Phase::BlockWrite).flags = vec![Flag::Short, Flag::Batched];
        let expected = "\"ext4, old\",1,3,block_write,bytes,524288000,1.000000000,524288000.000,0.800000000,655360000.000,16.00,40.00,\
            41.983,41.983,50.000,0.020000000,0.140000000,0.327680,,1.23,,durable,,short; batched,ok,std/1,7f3a91c2e05d4b18,1,2026-11-30T10:00:00Z,51ce77aa01020304,ext4,\
            \"rw,relatime\",sda1 Samsung SSD 870,Linux 6.18.4,buffered,1,a%20b=50%25%3Dx disk=new";
        run.filesystem.kind = "ext4".to_owned();
        sample::counted_mut(&mut run, Phase::BlockWrite).tool_ns = Some(12_340_000);
        let text = Csv.render(&Report::of(&[run])).text().unwrap().to_owned();
        let mut lines = text.lines();
        assert_eq!(lines.next().unwrap(), COLUMNS.join(","));
        assert_eq!(lines.next().unwrap(), expected);
        assert_eq!(text.lines().count(), 1 + Phase::STANDARD.len());
        assert!(text.ends_with('\n') && !text.contains('\r'));
    }

    #[test]
    fn a_text_that_would_be_a_formula_has_an_apostrophe() {
        for text in ["=1+1", "+x", "-", "-1+1", "@a", "-inf", "\u{ff1d}1"] {
            assert_eq!(inert(text.to_owned()), format!("'{text}"));
        }
        for text in ["-5", "-1.5e3", "+7", "a=1", "", "ext4"] {
            assert_eq!(inert(text.to_owned()), text);
        }
    }

    #[test]
    fn runs_are_counted_over_all_records() {
        let rows = rows_of(&[sample::run("a", 1), sample::run("b", 1), sample::run("a", 2)]);
        assert_eq!(rows.len(), 30);
        let runs: Vec<(&str, &str)> = rows.iter().step_by(10).map(|row| (row["run"].as_str(), row["round"].as_str())).collect();
        assert_eq!(runs, [("1", "1"), ("2", "1"), ("3", "2")]);
    }

    #[test]
    fn what_has_no_number_has_its_row() {
        let mut run = sample::run("a", 1);
        run.phases = vec![PhaseRecord::failed(Phase::BlockWrite, "full"), PhaseRecord::skipped(Phase::SeqStat, "files = 0")];
        let reported = Reported { rate: Some(1234.5), cpu_percent: Some(7.0), latency_max_ns: Some(12_345) };
        let result = Some(PhaseResult::Reported(reported));
        run.phases.push(PhaseRecord { result, status: Status::Ok, ..PhaseRecord::skipped(Phase::SeqDelete, "") });
        let rows = rows_of(&[run]);
        let picked: Vec<[&str; 7]> = rows
            .iter()
            .map(|row| ["status", "work", "elapsed_s", "rate", "cpu_own_pct", "p99_us", "max_us"].map(|column| row[column].as_str()))
            .collect();
        assert_eq!(picked[0], ["failed", "", "", "", "", "", ""]);
        assert_eq!(picked[1], ["skipped", "", "", "", "", "", ""]);
        assert_eq!(picked[2], ["ok", "", "", "1234.500", "7.00", "", "12.345"]);
    }

    #[test]
    fn a_short_phase_has_no_split_and_cpu_is_by_the_unit() {
        let mut run = sample::run("a", 1);
        sample::counted_mut(&mut run, Phase::SeqStat).elapsed_ns = 999_999_999;
        let rows = rows_of(&[run]);
        let columns = ["cpu_user_seconds", "cpu_system_seconds", "cpu_seconds_per_gib", "cpu_seconds_per_1000", "tool_percent"];
        let picked = |phase: &str| {
            let row = rows.iter().find(|row| row["phase"] == phase).unwrap();
            columns.map(|column| row[column].clone())
        };
        assert_eq!(picked("seq_stat"), ["", "", "", "0.003200", ""]);
        assert_eq!(picked("random_stat"), ["0.020000000", "0.140000000", "", "0.003200", ""]);
        assert_eq!(picked("rewrite"), ["0.020000000", "0.140000000", "0.327680", "", ""]);
    }
}
