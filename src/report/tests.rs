//! Tests of whole reports: widths, bytes, and what hostile records do to them.

use super::lines::{COLUMNS, width};
use super::*;
use crate::model::flag::Flag;
use crate::model::label::{CacheLabel, Durability};
use crate::model::machine::{Device, FilesystemClass, Machine};
use crate::model::record::{PhaseRecord, PhaseResult, Reported, Status};
use crate::model::sample;
use proptest::prelude::*;

fn text_of(records: &[RunRecord]) -> String {
    laid_out(records, Layout::default())
}

fn laid_out(records: &[RunRecord], layout: Layout) -> String {
    text::Text.render(&Report { layout, ..Report::of(records) }).text().unwrap().to_owned()
}

/// The one-character stand-ins for the characters beyond ASCII that barrow itself prints.
fn ascii(text: &str) -> String {
    text.replace('–', "-").replace('×', "x").replace('µ', "u")
}

#[test]
fn formats_are_found_by_name() {
    let names: Vec<&str> = RENDERERS.iter().map(|renderer| renderer.name()).collect();
    assert_eq!(names.first(), Some(&"text"));
    for renderer in RENDERERS {
        assert_eq!(renderer_named(renderer.name()).unwrap().purpose(), renderer.purpose());
        assert!(!renderer.extension().is_empty());
    }
    let error = renderer_named("cvs\n").err().unwrap();
    let all = names.join(", ");
    assert_eq!(error.to_string(), format!("there is no format `cvs?`; did you mean `csv`?; the formats are {all}"));
    let error = renderer_named("zzz").err().unwrap();
    assert_eq!(error.to_string(), format!("there is no format `zzz`; the formats are {all}"));
}

#[test]
fn no_records_make_an_empty_report() {
    assert_eq!(text_of(&[]), "No runs.\n");
    for renderer in RENDERERS {
        // A block of code has a line before and behind; a page has its frame.
        let frame = if renderer.name() == "bbcode" { 2 } else { 0 };
        match renderer.render(&Report::of(&[])) {
            // Every line of this one is a run.
            Rendering::Text(text) if renderer.name() == "bonnie-csv" => assert!(text.is_empty()),
            Rendering::Text(text) => assert!(text.lines().count() == 1 + frame || renderer.name() == "html", "{}", renderer.name()),
            Rendering::Picture(bytes) => assert!(!bytes.is_empty(), "{}", renderer.name()),
        }
    }
}

#[test]
fn one_run_makes_the_whole_text() {
    let mut run = sample::run("ext4", 1);
    sample::phase_mut(&mut run, Phase::SeqStat).flags = vec![Flag::Short];
    let phases = [Phase::BlockWrite, Phase::BlockRead, Phase::SeqStat, Phase::SeqDelete];
    run.phases.retain(|record| phases.contains(&record.name));
    run.phases.push(PhaseRecord::skipped(Phase::RandomSeek, "seeks = 0"));
    let expected = "\
barrow 0.1.0   std/1   1 target × 1 run   2026-11-30
Linux 6.18.4 x86_64, 4 CPUs, 16 GiB RAM
ext4 (rw,relatime), 200 GiB 10 % full, sda1 (Samsung SSD 870, 931 GiB)

Seq. stat was answered from memory.

                        CPU %
       median    ack.  own sys    p99  cache
Block write, MiB/s
 ext4     500     625   16  40  42 µs  durable
Block read, MiB/s
 ext4     500           16  40  42 µs  cold

Seq. stat, files/s
 ext4  50,000           16  40  42 µs  cached s
Seq. delete, files/s
 ext4  50,000  62,500   16  40  42 µs  durable

1 run: no range. CPU: 100 % is one core; own = barrow, sys = the whole machine.
ack. = rate up to the last call, before the flush. p99 = 99th percentile of one
operation.

cache
  durable  flushed to the device inside the clock
  cold     not in the page cache before, then read from storage by barrow itself
  cached   answered from memory: not a device figure
flags
  s        short: the phase took under 1 s: rate and CPU are coarse (seq. stat)

Seq. delete read from memory (cached).

without a rate
  random seek: skipped: seeks = 0

Parameters: profile=std/1 file_size=4g chunk_size=1m seek_size=4k seeks=1000
            seek_seconds=10 seekers=1 seek_rewrite_percent=0 files=65536
            min_size=0 max_size=0 dirs=1 workers=1 io=buffered
            sequential_order=index seed=1 runs=6 drop_caches=auto
Workload 7f3a91c2e05d4b18; not root, so no dentry or inode could be evicted.
";
    assert_eq!(text_of(&[run]), expected);
}

#[test]
fn figures_stand_under_each_other() {
    let mut records = Vec::new();
    for (label, rates) in [("ext4", [490.84, 499.41, 508.62]), ("btrfs (zstd:3)", [436.0, 450.0, 467.0])] {
        for (round, rate) in (1..).zip(rates) {
            let mut run = sample::run(label, round);
            sample::set_rate(&mut run, Phase::BlockWrite, rate);
            run.phases.truncate(1);
            records.push(run);
        }
    }
    let text = text_of(&records);
    let rows: Vec<&str> = text.lines().skip_while(|line| !line.starts_with("Block write")).skip(1).take(2).collect();
    let expected = [
        " ext4             499.4    490.8 – 508.6   999   16  40  42 µs  durable",
        " btrfs (zstd:3)   450        436 – 467     900   16  40  42 µs  durable",
    ];
    assert_eq!(rows, expected);
}

#[test]
fn a_label_that_does_not_fit_stands_on_its_own_line() {
    let text = text_of(&[sample::run(&"long ".repeat(20), 1), sample::run("xfs", 1)]);
    let rows: Vec<&str> = text.lines().skip_while(|line| !line.starts_with("Block write")).skip(1).take(4).collect();
    let expected = [
        " long long long long long long long long long long long long long long long long",
        "   long long long long",
        "         500     625   16  40  42 µs  durable",
        " xfs     500     625   16  40  42 µs  durable",
    ];
    assert_eq!(rows, expected);
}

#[test]
fn unlike_workloads_have_their_own_tables() {
    let other = RunRecord { workload_id: Identity(5), ..sample::run("ext4", 1) };
    let text = text_of(&[sample::run("ext4", 1), other, sample::run("xfs", 1)]);
    assert!(text.starts_with("2 workloads"), "{text}");
    assert_eq!(text.matches("Block write, MiB/s").count(), 2);
    assert_eq!(text.matches("Workload ").count(), 2);
}

#[test]
fn a_reported_result_invents_nothing() {
    let mut run = sample::run("old", 1);
    for phase in Phase::STANDARD {
        let reported = Reported { rate: Some(5e8), cpu_percent: Some(12.0), latency_max_ns: None };
        let result = Some(PhaseResult::Reported(reported));
        *sample::phase_mut(&mut run, *phase) = PhaseRecord { result, reason: None, status: Status::Ok, ..PhaseRecord::skipped(*phase, "") };
    }
    let text = text_of(&[run]);
    assert!(text.contains("as another program reported them"), "{text}");
    for absent in ["ack.", "p99", "sys", "durable", "cold", "not root"] {
        assert!(!text.contains(absent), "{absent}: {text}");
    }
}

fn label() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        Just("ext4".to_owned()),
        Just("btrfs (zstd:3)".to_owned()),
        Just("x".repeat(60)),
        Just("sixty characters of words and blanks that must be wrapped ok".to_owned()),
        Just("y".repeat(200)),
        Just("漢字のラベル".repeat(9)),
        Just("תווית ארוכה מאוד בעברית ".repeat(5)),
        Just("a|b,c\"d'<e>\n&\t\u{1b}[2J\u{202e}\u{200b}".to_owned()),
        ".{0,80}",
    ]
}

/// Rates from nothing to far more than any filesystem has, in the heading's unit.
fn rate() -> impl Strategy<Value = f64> {
    prop_oneof![Just(0.0), Just(500.0), (-3.0..12.0).prop_map(|exponent: f64| 10_f64.powf(exponent)), 100.0..100_000.0]
}

#[derive(Debug, Clone, Copy)]
enum Fate {
    Counted,
    SomeFailed,
    AllFailed,
    AllSkipped,
    Reported,
}

fn fate() -> impl Strategy<Value = Fate> {
    prop_oneof![6 => Just(Fate::Counted), 1 => Just(Fate::SomeFailed), 1 => Just(Fate::AllFailed), 1 => Just(Fate::AllSkipped), 1 => Just(Fate::Reported)]
}

/// Records with hostile labels, rates, times and ends.
#[derive(Debug, Clone)]
pub(super) struct Hostile {
    labels: Vec<String>,
    runs: u32,
    rates: Vec<f64>,
    fates: Vec<Fate>,
    reason: String,
    nanoseconds: Vec<u64>,
}

pub(super) fn hostile() -> impl Strategy<Value = Hostile> {
    let runs = prop_oneof![4 => 1_u32..9, 1 => Just(72)];
    let nanoseconds = prop::collection::vec(any::<u64>().prop_map(|bits| bits >> (bits % 60)), 7);
    let parts = (prop::collection::vec(label(), 1..=12), runs, prop::collection::vec(rate(), 1..9), prop::collection::vec(fate(), 1..11));
    (parts, ".{0,120}", nanoseconds).prop_map(|((labels, runs, rates, fates), reason, nanoseconds)| {
        let runs = if labels.len() > 2 { runs.min(8) } else { runs };
        Hostile { labels, runs, rates, fates, reason, nanoseconds }
    })
}

impl Hostile {
    pub(super) fn records(&self) -> Vec<RunRecord> {
        let mut records = Vec::new();
        for (target, label) in self.labels.iter().enumerate() {
            let mut first = sample::run(label, 1);
            first.batch = Identity(0xabcd_ef00_0000_0000 + target as u64);
            first.filesystem.mount_options = format!("rw,{}", self.reason);
            first.filesystem.class = if target % 2 == 0 { FilesystemClass::Block } else { FilesystemClass::Memory };
            first.machine = if target % 3 == 2 { Machine::default() } else { first.machine };
            first.device = if target % 2 == 1 { Device::default() } else { first.device };
            first.tags.insert(self.reason.clone(), label.clone());
            for round in 1..=self.runs {
                let mut run = RunRecord { round, ..first.clone() };
                for (i, phase) in Phase::STANDARD.iter().enumerate() {
                    self.decide(&mut run, *phase, i + target + round as usize, i + target);
                }
                records.push(run);
            }
        }
        records
    }

    fn decide(&self, run: &mut RunRecord, phase: Phase, turn: usize, place: usize) {
        sample::set_rate(run, phase, self.rates[turn % self.rates.len()]);
        let counted = sample::counted_mut(run, phase);
        counted.usage.system_ns = self.nanoseconds[turn % 7] / 2;
        counted.system_busy_ns = Some(self.nanoseconds[(turn + 1) % 7]);
        counted.latency_max_ns = u64::MAX;
        counted.latency.record(self.nanoseconds[(turn + 2) % 7], 1_000_000);
        let record = sample::phase_mut(run, phase);
        let labels =
            [CacheLabel::Cold, CacheLabel::Mixed((turn % 101) as u8), CacheLabel::CachedBelow, CacheLabel::ColdHere, CacheLabel::Unknown];
        record.cache = record.cache.map(|_| labels[turn % labels.len()]);
        record.durable = record.durable.map(|_| [Durability::Durable, Durability::Acknowledged, Durability::Uncertain][turn % 3]);
        record.flags = if turn.is_multiple_of(2) { vec![Flag::Short, Flag::Batched] } else { Vec::new() };
        record.preparation.hindrance = Some(self.reason.clone());
        match self.fates[place % self.fates.len()] {
            Fate::SomeFailed if !turn.is_multiple_of(3) => {}
            Fate::Counted => {}
            Fate::SomeFailed | Fate::AllFailed => *record = PhaseRecord::failed(phase, self.reason.clone()),
            Fate::AllSkipped => *record = PhaseRecord::skipped(phase, self.reason.clone()),
            Fate::Reported => {
                let reported = Reported { rate: record.rate(), cpu_percent: Some(7.0), latency_max_ns: Some(9) };
                record.result = Some(PhaseResult::Reported(reported));
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn no_line_of_text_is_over_80_columns(hostile in hostile()) {
        let records = hostile.records();
        for layout in Layout::ALL {
            let text = laid_out(&records, layout);
            for line in text.lines() {
                prop_assert!(width(line) <= COLUMNS, "{} columns: {line}", width(line));
                prop_assert_eq!(line, line.trim_end());
                prop_assert!(!line.chars().any(char::is_control), "{:?}", line);
                prop_assert_eq!(width(&ascii(line)), width(line));
            }
            prop_assert!(text.ends_with('\n') && !text.contains("\n\n\n\n"));
            prop_assert_eq!(&laid_out(&records, layout), &text);
        }
    }

    #[test]
    fn with_plain_records_the_stand_ins_make_ascii(rates in prop::collection::vec(rate(), 6), runs in 1_u32..8) {
        let hostile = Hostile { labels: vec!["ext4".into(), "xfs".into()], runs, rates, fates: vec![Fate::Counted, Fate::SomeFailed], reason: "no space".into(), nanoseconds: vec![5; 7] };
        let records = hostile.records();
        for layout in Layout::ALL {
            prop_assert!(ascii(&laid_out(&records, layout)).is_ascii());
        }
    }

    #[test]
    fn csv_reads_back(hostile in hostile()) {
        let records = hostile.records();
        let report = Report::of(&records);
        let text = csv::Csv.render(&report).text().unwrap().to_owned();
        let mut reader = ::csv::Reader::from_reader(text.as_bytes());
        let rows: Vec<::csv::StringRecord> = reader.records().map(Result::unwrap).collect();
        prop_assert_eq!(rows.len(), records.len() * Phase::STANDARD.len());
        for (row, number) in rows.iter().zip(0..) {
            let run = &records[number / Phase::STANDARD.len()];
            prop_assert_eq!(&row[0], csv::inert(crate::model::printable::printable(&run.label)));
            prop_assert_eq!(&row[1], (number / Phase::STANDARD.len() + 1).to_string());
            prop_assert_eq!(&row[31], csv::inert(crate::model::printable::printable(&run.filesystem.mount_options)));
            for cell in row.iter().skip(5).take(15).filter(|cell| !cell.is_empty()) {
                prop_assert!(cell.parse::<f64>().is_ok(), "{cell}");
            }
            prop_assert_eq!(&row[24] == "ok", !row[7].is_empty());
        }
        prop_assert_eq!(text.lines().count(), rows.len() + 1);
        prop_assert_eq!(csv::Csv.render(&Report::of(&records)).text().unwrap().to_owned(), text);
    }

    #[test]
    fn the_summary_has_no_empty_cell_where_something_was_measured(hostile in hostile()) {
        let records = hostile.records();
        let text = csv_summary::CsvSummary.render(&Report::of(&records)).text().unwrap().to_owned();
        let mut reader = ::csv::Reader::from_reader(text.as_bytes());
        for row in reader.records().map(Result::unwrap) {
            prop_assert_eq!(&row[3] == "0", row.iter().any(str::is_empty), "{:?}", row);
        }
        prop_assert_eq!(csv_summary::CsvSummary.render(&Report::of(&records)).text().unwrap().to_owned(), text);
    }
}
