//! Tests of the document: read back, compared with the format csv, and with numbers that no filesystem has.

use super::*;
use crate::model::flag::Flag;
use crate::model::histogram::Histogram;
use crate::model::phase::Phase;
use crate::model::record::{PhaseRecord, PhaseResult, Reported, RunRecord, Status};
use crate::model::sample;
use crate::report::baseline::compare;
use crate::report::csv::Csv;
use proptest::prelude::*;
use serde_json::{Value, json};

fn document(report: &Report<'_>) -> Value {
    let text = Json.render(report).text().unwrap().to_owned();
    assert!(text.ends_with("}\n") && text.lines().count() == 1);
    serde_json::from_str(&text).unwrap()
}

fn of(records: &[RunRecord]) -> Value {
    document(&Report::of(records))
}

/// The member of a list whose key has a value.
fn with<'v>(list: &'v Value, key: &str, value: &str) -> &'v Value {
    list.as_array().unwrap().iter().find(|item| item[key] == value).unwrap()
}

#[test]
fn no_records_make_an_empty_document() {
    assert_eq!(of(&[]), json!({"report_schema": 1, "generator": GENERATOR, "sections": []}));
}

#[test]
fn every_number_of_csv_is_there_under_its_name_and_in_its_unit() {
    let mut records: Vec<RunRecord> = (1..=3).map(|round| sample::run("ext4", round)).collect();
    for phase in [Phase::BlockWrite, Phase::RandomSeek] {
        sample::phase_mut(&mut records[1], phase).flags = vec![Flag::Short, Flag::Batched];
        sample::counted_mut(&mut records[1], phase).tool_ns = Some(12_345_678);
    }
    let reported = Reported { rate: Some(1234.5), cpu_percent: Some(7.0), latency_max_ns: Some(12_345) };
    sample::phase_mut(&mut records[2], Phase::Rewrite).result = Some(PhaseResult::Reported(reported));
    let document = of(&records);
    let series = &document["sections"][0]["series"][0];
    let text = Csv.render(&Report::of(&records)).text().unwrap().to_owned();
    let mut rows = csv::Reader::from_reader(text.as_bytes());
    let mut compared = 0;
    for row in rows.deserialize() {
        let row: BTreeMap<String, String> = row.unwrap();
        let run = &series["runs"][row["run"].parse::<usize>().unwrap() - 1];
        let phase = with(&run["phases"], "phase", &row["phase"]);
        for (column, cell) in &row {
            let Some(value) = phase.get(column).or_else(|| run.get(column)).or_else(|| series.get(column)) else { continue };
            compared += 1;
            match value {
                Value::Null => assert_eq!(cell, "", "{column}"),
                Value::Number(number) => {
                    let (number, cell) = (number.as_f64().unwrap(), cell.parse::<f64>().unwrap());
                    assert!((number - cell).abs() <= 0.005 + cell.abs() * 1e-9, "{column}: {number} {cell}");
                }
                Value::String(text) => assert_eq!(text, cell, "{column}"),
                Value::Array(words) => {
                    let words: Vec<&str> = words.iter().map(|word| word.as_str().unwrap()).collect();
                    assert_eq!(words.join("; "), *cell, "{column}");
                }
                Value::Bool(_) | Value::Object(_) => {}
            }
        }
    }
    assert!(compared > 30 * 30, "{compared}");
}

#[test]
fn how_a_filesystem_was_made_is_there_where_it_was_made() {
    let mut records: Vec<RunRecord> = (1..=3).map(|round| sample::made("ext4", round)).collect();
    records[1].making.as_mut().unwrap().check_words = Some("inode\n12".to_owned());
    records.push(sample::run("xfs", 1));
    let document = of(&records);
    let [ext4, xfs] = [0, 1].map(|place| &document["sections"][0]["series"][place]);
    let making = &ext4["runs"][1]["making"];
    assert_eq!((&making["storage"], &making["mkfs_s"], &making["check_words"]), (&json!("image"), &json!(0.125), &json!("inode?12")));
    assert_eq!((&making["written"]["extents"], &making["features"][2]), (&json!(9), &json!("64bit")));
    let mkfs = with(&ext4["makings"], "quantity", "mkfs_s");
    assert_eq!((&mkfs["unit"], &mkfs["n"], &mkfs["interval"]), (&json!("seconds"), &json!(3), &json!("range")));
    let phase = |series: &Value, name: &str| with(&series["runs"][0]["phases"], "phase", name)["remounted"].clone();
    assert_eq!((phase(ext4, "rewrite"), phase(ext4, "block_write")), (json!(true), Value::Null));
    let has = |value: &Value, key: &str| value.as_object().unwrap().contains_key(key);
    assert!(!has(xfs, "makings") && !has(&xfs["runs"][0], "making") && !has(&xfs["runs"][0]["phases"][1], "remounted"));
}

#[test]
fn what_is_not_known_is_null_and_says_why() {
    let mut run = sample::run("", 1);
    run.phases = vec![PhaseRecord::failed(Phase::BlockWrite, "no\u{1b} space"), PhaseRecord::skipped(Phase::SeqStat, "files = 0")];
    run.device = Default::default();
    let document = of(&[run]);
    let series = &document["sections"][0]["series"][0];
    assert_eq!((&series["label"], &series["device"]), (&json!("(no label)"), &Value::Null));
    let phases = &series["runs"][0]["phases"];
    assert_eq!((&phases[0]["status"], &phases[0]["reason"], &phases[0]["rate"]), (&json!("failed"), &json!("no? space"), &Value::Null));
    assert_eq!((&phases[1]["status"], &phases[1]["reason"]), (&json!("skipped"), &json!("files = 0")));
    let summaries = &series["summaries"];
    assert_eq!(summaries.as_array().unwrap().len(), 2, "only phases that the runs hold");
    assert_eq!((&summaries[0]["n"], &summaries[0]["recorded"], &summaries[0]["rate"]), (&json!(0), &json!(1), &Value::Null));
    assert_eq!(document["sections"][0]["baseline"], Value::Null);
    assert_eq!(summaries[0]["against_baseline"], Value::Null);
}

#[test]
fn spreads_have_full_precision() {
    let mut records: Vec<RunRecord> = (1..=6).map(|round| sample::run("ext4", round)).collect();
    for (i, run) in records.iter_mut().enumerate() {
        sample::counted_mut(run, Phase::SeqStat).elapsed_ns = 999_999_937 + i as u64;
    }
    let document = of(&records);
    let section = &document["sections"][0];
    let rate = &with(&section["series"][0]["summaries"], "phase", "seq_stat")["rate"];
    let work = sample::counted_mut(&mut records[0], Phase::SeqStat).work as f64;
    assert_eq!((&rate["n"], &rate["interval"]), (&json!(6), &json!("ci95")));
    assert_eq!(rate["max"].as_f64(), Some(work * 1e9 / 999_999_937.0));
    assert_eq!(rate["min"].as_f64(), Some(work * 1e9 / 999_999_942.0));
    assert_eq!((&section["parameters"]["profile"], &section["parameters"]["runs"]), (&json!("std/1"), &json!("6")));
    assert!(section["facts"][0].as_str().unwrap().starts_with("Linux 6.18.4"));
}

#[test]
fn a_baseline_adds_ratios_and_verdicts() {
    let mut records = Vec::new();
    for round in 1..=6 {
        for (label, factor) in [("old", 1.0), ("new", 1.5)] {
            let mut run = sample::run(label, round);
            for phase in Phase::STANDARD {
                sample::set_rate(&mut run, *phase, factor * (100.0 + f64::from(round)));
            }
            if label == "new" {
                *sample::phase_mut(&mut run, Phase::Rewrite) = PhaseRecord::failed(Phase::Rewrite, "full");
            }
            records.push(run);
        }
    }
    let mut report = Report::of(&records);
    compare(&mut report, "old", false).unwrap();
    let document = document(&report);
    let section = &document["sections"][0];
    assert_eq!(section["baseline"], "old");
    let against = |series: usize, phase: &str| &with(&section["series"][series]["summaries"], "phase", phase)["against_baseline"];
    let seek = against(1, "random_seek");
    assert_eq!((&seek["words"], &seek["verdict"], &seek["interval"]), (&json!("faster"), &json!("faster"), &json!("ci95")));
    let number = |key: &str| seek[key].as_f64().unwrap();
    assert!((number("ratio") - 1.5).abs() < 0.01 && number("low") < 1.5 && number("high") > 1.49 && number("p") < 0.01, "{seek}");
    assert_eq!((&against(0, "random_seek")["words"], &against(0, "random_seek")["ratio"]), (&json!("baseline"), &Value::Null));
    let none = against(1, "rewrite");
    assert_eq!((&none["words"], &none["verdict"], &none["p"]), (&json!("no verdict: no figure"), &Value::Null, &Value::Null));
}

#[test]
fn the_size_is_linear_in_the_runs() {
    let size = |count: u32| {
        let records: Vec<RunRecord> = (1..=count).map(|round| sample::run("ext4", round)).collect();
        Json.render(&Report::of(&records)).bytes().len()
    };
    let (ten, hundred) = (size(10), size(100));
    assert!(hundred - ten < ten * 10, "{ten} {hundred}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn absurd_counts_make_a_document(
        counts in prop::collection::vec(prop_oneof![Just(0), Just(u64::MAX), any::<u64>()], 9),
        rate in prop_oneof![any::<f64>(), Just(f64::NAN), Just(f64::INFINITY)],
        label in ".{0,40}",
        rounds in 1_u32..8,
    ) {
        let mut records = Vec::new();
        for (round, label) in (1..=rounds).flat_map(|round| [(round, label.as_str()), (round, "other")]) {
            let mut run = sample::run(label, round);
            let counted = sample::counted_mut(&mut run, Phase::BlockRead);
            counted.work = counts[0];
            counted.operations = counts[1];
            counted.elapsed_ns = counts[2];
            counted.acknowledged_ns = Some(counts[3]);
            counted.usage.user_ns = counts[4];
            counted.usage.system_ns = counts[5];
            counted.system_busy_ns = Some(counts[6]);
            counted.tool_ns = Some(counts[7]);
            counted.latency_max_ns = counts[8];
            counted.latency = Histogram::default();
            let reported = Reported { rate: Some(rate), cpu_percent: Some(rate), latency_max_ns: Some(counts[8]) };
            let seek = sample::phase_mut(&mut run, Phase::RandomSeek);
            *seek = PhaseRecord { result: Some(PhaseResult::Reported(reported)), status: Status::Ok, ..PhaseRecord::skipped(Phase::RandomSeek, "") };
            records.push(run);
        }
        let mut report = Report::of(&records);
        let _ = compare(&mut report, "other", true);
        let document = document(&report);
        let read = with(&document["sections"][0]["series"][0]["runs"][0]["phases"], "phase", "block_read");
        prop_assert_eq!(read["work"].as_u64(), Some(counts[0]));
        prop_assert_eq!(read["rate"].is_null(), counts[2] == 0);
        let seek = with(&document["sections"][0]["series"][0]["runs"][0]["phases"], "phase", "random_seek");
        prop_assert_eq!(seek["rate"].as_f64(), Some(rate).filter(|rate| rate.is_finite()));
    }
}
