//! The programs that read Bonnie++'s CSV, imitated as they read it: by place, by count, by the form of a figure, by shell. Each sees the
//! values of the record.

use crate::real::need::{Need, is_missing};
use barrow::model::phase::{Phase, Unit};
use barrow::model::record::{PhaseRecord, RunRecord};
use barrow::report::bonnie_csv::{header, line};
use barrow::report::{Report, renderer_named};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The places of rate and latency of each phase in a line of 1.98, from 0, as PerfKitBenchmarker has them.
const PLACES: [(Phase, usize, usize); 12] = [
    (Phase::CharWrite, 9, 38),
    (Phase::BlockWrite, 11, 39),
    (Phase::Rewrite, 13, 40),
    (Phase::CharRead, 15, 41),
    (Phase::BlockRead, 17, 42),
    (Phase::RandomSeek, 19, 43),
    (Phase::SeqCreate, 26, 44),
    (Phase::SeqStat, 28, 45),
    (Phase::SeqDelete, 30, 46),
    (Phase::RandomCreate, 32, 47),
    (Phase::RandomStat, 34, 48),
    (Phase::RandomDelete, 36, 49),
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Runs of barrow from the gallery, and runs of Bonnie++ of every version.
fn runs() -> Vec<RunRecord> {
    let mut runs = barrow::store::load(&root().join("reports/three-filesystems.jsonl")).expect("a run file").runs;
    let entries = std::fs::read_dir(root().join("tests/data/bonnie-csv")).expect("the data");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    for file in files.iter().filter(|file| file.extension().is_some_and(|ending| ending == "csv")) {
        runs.extend(barrow::import::read(&std::fs::read(file).expect("a file"), None).records);
    }
    assert!(runs.len() > 130, "{}", runs.len());
    runs
}

/// The rate that a line should show, in KiB where it is of bytes; `None` where Bonnie++ shows none.
fn expected(record: &PhaseRecord) -> Option<f64> {
    let is_short = record.counted().is_some_and(|counted| counted.elapsed_ns < 500_000_000);
    let factor = if record.name.row().unit == Unit::Bytes { 1024.0 } else { 1.0 };
    record.rate().filter(|_| !is_short).map(|rate| rate / factor)
}

#[track_caller]
fn assert_shows(record: Option<&PhaseRecord>, shown: Option<f64>, line: &str) {
    match (record.and_then(expected), shown) {
        (None, None) => {}
        (Some(expected), Some(shown)) => {
            let is_seek = record.is_some_and(|record| record.name == Phase::RandomSeek);
            let is_same = if is_seek { (expected - shown).abs() <= 0.5 } else { (0.0..1.0 + 1e-9).contains(&(expected - shown + 1e-9)) };
            assert!(is_same, "{expected} {shown} in {line}");
        }
        (expected, shown) => panic!("{expected:?} {shown:?} in {line}"),
    }
}

/// PerfKitBenchmarker: by place; a value that is empty or holds a plus is left out; a latency is digits and then its unit.
#[test]
fn by_place() {
    for run in runs() {
        let line = line(&run);
        let fields: Vec<&str> = line.split(',').collect();
        assert_eq!(fields.len(), 50, "{line}");
        let value = |place: usize| Some(fields[place]).filter(|text| !text.is_empty() && !text.contains('+'));
        for (phase, rate, latency) in PLACES {
            let record = run.phase(phase);
            assert_shows(record, value(rate).map(|text| text.parse().expect("a number")), &line);
            let cpu = value(rate + 1).map(|text| text.parse::<f64>().expect("a number"));
            let has_cpu = record.is_some_and(|record| expected(record).is_some() && record.cpu_own_percent().is_some());
            assert_eq!(cpu.is_some(), has_cpu, "{} in {line}", phase.name());
            let said = record.and_then(PhaseRecord::latency_max_ns);
            assert_eq!(value(latency).is_some(), said.is_some(), "{} in {line}", phase.name());
            if let (Some(text), Some(nanoseconds)) = (value(latency), said) {
                let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
                let unit = [("us", 1e3), ("ms", 1e6), ("s", 1e9)].into_iter().find(|(unit, _)| text[digits.len()..] == **unit);
                let (_, unit) = unit.expect("a unit");
                let off = nanoseconds - digits.parse::<f64>().expect("digits") * unit;
                assert!((0.0..unit).contains(&off), "{nanoseconds} {text}");
            }
        }
    }
}

/// bonnie2gchart and a script in Ruby: fifty columns, and of times only `^(\\d+)([mun]s)$`.
#[test]
fn by_count_and_by_the_form_of_a_figure() {
    let names = header();
    let names: Vec<&str> = names.split(',').collect();
    assert_eq!((names.len(), names[19], names[26], names[38]), (50, "seeks", "seq_create", "putc_latency"));
    for run in runs() {
        let line = line(&run);
        let columns: Vec<&str> = line.split(',').collect();
        assert_eq!(columns.len(), names.len());
        for (place, column) in columns.iter().enumerate() {
            let is_time = ["ms", "us", "ns"].iter().any(|unit| {
                column.strip_suffix(unit).is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
            });
            // Only `12s` and the like are missed by them, as they are in what Bonnie++ itself prints.
            let is_long = column.strip_suffix('s').is_some_and(|digits| digits.parse::<u64>().is_ok());
            assert!(place == 2 || is_time == (names[place].ends_with("_latency") && !column.is_empty() && !is_long), "{column} in {line}");
        }
    }
}

/// Shell scripts of test suites: the lines that begin with a digit, and a field by its number.
#[test]
fn by_shell() {
    let runs = runs();
    let text = renderer_named("bonnie-csv").expect("the format").render(&Report::of(&runs)).text().expect("text").to_owned();
    for (phase, rate, _) in PLACES.into_iter().filter(|(phase, ..)| [Phase::BlockWrite, Phase::SeqCreate].contains(phase)) {
        let done = fed("sh", &["-c", &format!("grep '^[0-9]' | cut -d, -f{} | sed 's/[+]*//'", rate + 1)], &text);
        let shown = String::from_utf8(done.stdout).expect("text");
        assert_eq!(shown.lines().count(), runs.len());
        for (run, text) in runs.iter().zip(shown.lines()) {
            assert_shows(run.phase(phase), text.parse().ok(), text);
        }
    }
}

/// A program with a text on its standard input.
fn fed(program: &str, arguments: &[&str], text: &str) -> Output {
    let mut command = Command::new(program);
    let mut child = command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let mut input = child.stdin.take().expect("a pipe");
    let text = text.to_owned();
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let output = child.wait_with_output().expect("it ends");
    writer.join().expect("no panic").expect("it reads all");
    output
}

/// Debian's own tools read every line without a complaint, and show its name and its figures.
#[test]
#[ignore = "needs bonnie++"]
fn the_tools_of_bonnie_itself() {
    if is_missing(&[Need::Program("bon_csv2html"), Need::Program("bon_csv2txt")]) {
        return;
    }
    for run in runs() {
        let line = line(&run);
        let fields: Vec<&str> = line.split(',').collect();
        for tool in ["bon_csv2html", "bon_csv2txt"] {
            let done = fed(tool, &[], &format!("{line}\n"));
            let (shown, complaints) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
            assert!(done.status.success() && complaints.is_empty(), "{tool} {line}: {complaints}");
            let first = fields[2].chars().take(4).collect::<String>();
            assert!(shown.contains(&first), "{tool} {line}: {shown}");
            // Neither shows rates of bytes as they stand: they change the unit.
            for place in [19, 26, 28, 30, 32, 34, 36].into_iter().chain(38..50).filter(|place| !fields[*place].is_empty()) {
                assert!(shown.contains(fields[place]), "{tool}, field {place} of {line}: {shown}");
            }
        }
    }
}
