//! The page of the report as JSON: each field of the document is described, with its kind, and nothing else is.

use super::form::sample;
use super::{described, page};
use barrow::model::fact::Key;
use barrow::model::making::Layout;
use barrow::model::phase::Phase;
use barrow::model::record::{PhaseRecord, PhaseResult, RunRecord, Status};
use barrow::report::baseline::compare;
use barrow::report::{Arrangement, Report, renderer_named};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// What is described once, by the example of the time.
const LIKE_THE_TIME: [&str; 7] =
    ["ack_rate", "cpu_own_pct", "cpu_system_pct", "p99_us", "cpu_seconds_per_gib", "cpu_seconds_per_1000", "tool_percent"];

/// Runs of which everything is known, of some targets.
fn rich(labels: &[&str]) -> Vec<RunRecord> {
    let mut runs = Vec::new();
    for round in 1..=6 {
        for label in labels {
            let mut run: RunRecord = sample(0);
            let [phase] = run.phases.as_mut_slice() else { panic!("one phase is made up") };
            phase.status = Status::Ok;
            let Some(PhaseResult::Counted(counted)) = &mut phase.result else { panic!("it has counts") };
            (counted.work, counted.elapsed_ns, counted.acknowledged_ns) = (1 << 30, 2_000_000_000, Some(1_000_000_000 + u64::from(round)));
            let making = run.making.as_mut().expect("everything is made up");
            for layout in [&mut making.written, &mut making.rewritten] {
                *layout = Some(Layout { extents: 2, bytes: 1 << 20, block_bytes: 4096 });
            }
            let files = PhaseRecord { name: Phase::SeqStat, ..run.phases[0].clone() };
            let transfers = PhaseRecord { name: Phase::named("random_read_4k_1w").expect("a phase"), ..run.phases[0].clone() };
            run.phases.extend([files, transfers]);
            runs.push(RunRecord { label: (*label).to_owned(), round, ..run });
        }
    }
    runs
}

/// A run of which nothing is known that need not be.
fn poor() -> RunRecord {
    let mut run: RunRecord = sample(0);
    for text in [&mut run.profile, &mut run.filesystem.kind, &mut run.filesystem.mount_options, &mut run.started, &mut run.finished] {
        text.clear();
    }
    run.machine.kernel = None;
    run.device = Default::default();
    let least = r#"{"storage":"image","storage_bytes":1,"mkfs":"","mount_options":""}"#;
    run.making = Some(serde_json::from_str(least).expect("a making"));
    run.phases = vec![PhaseRecord { reason: None, ..PhaseRecord::skipped(Phase::BlockRead, "") }];
    run
}

fn document(report: &Report<'_>) -> Value {
    let rendering = renderer_named("json").expect("the format").render(report);
    serde_json::from_slice(rendering.bytes()).expect("JSON")
}

/// Documents in which every field has a value, and every one that can be null is null.
fn documents() -> Vec<Value> {
    let runs = rich(&["old", "new"]);
    let group_by = Some(Key::named("kernel", &runs).expect("a key"));
    let mut compared = Report::arranged(&runs, &Arrangement { group_by, ..Arrangement::default() });
    compare(&mut compared, "old", false).expect("a baseline");
    let poor = [poor()];
    // Of a file of one block there is no score.
    let small = [RunRecord { making: sample::<RunRecord>(0).making, ..poor[0].clone() }];
    vec![document(&compared), document(&Report::of(&poor)), document(&Report::of(&small))]
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_u64() => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "list",
        Value::Object(_) => "object",
    }
}

/// Notes the kinds that each field has, by its path.
fn note(value: &Value, path: &str, found: &mut BTreeMap<String, BTreeSet<String>>) {
    let Value::Object(fields) = value else { return };
    for (key, value) in fields {
        let key = if path.ends_with("tags") || path.ends_with("parameters") { "KEY" } else { key };
        let path = if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
        let kinds = found.entry(path.clone()).or_default();
        match value {
            Value::Array(items) => kinds.extend(items.iter().map(|item| format!("list of {}s", kind_of(item)))),
            other => {
                kinds.insert(kind_of(other).to_owned());
            }
        }
        note(value, &path, found);
        for item in value.as_array().into_iter().flatten() {
            note(item, &format!("{path}[]"), found);
        }
    }
}

/// `number or null`.
fn in_words(kinds: &BTreeSet<String>) -> String {
    let words: Vec<&str> = kinds.iter().map(String::as_str).filter(|kind| *kind != "null").collect();
    format!("{}{}", words.join(" or "), if kinds.contains("null") { " or null" } else { "" })
}

#[test]
fn the_manual_describes_each_field_of_the_report() {
    let mut found = BTreeMap::new();
    documents().iter().for_each(|document| note(document, "", &mut found));
    let spread = |name: &str| format!("sections[].series[].summaries[].{name}.");
    let fields_of = |found: &BTreeMap<String, BTreeSet<String>>, name: &str| -> Vec<(String, String)> {
        let fields = found.iter().filter_map(|(path, kinds)| Some((path.strip_prefix(&spread(name))?.to_owned(), in_words(kinds))));
        fields.collect()
    };
    for name in LIKE_THE_TIME {
        assert_eq!(fields_of(&found, name), fields_of(&found, "elapsed_s"), "{name}");
        found.retain(|path, _| !path.starts_with(&spread(name)));
    }
    let written: BTreeMap<String, String> = found.iter().map(|(path, kinds)| (path.clone(), in_words(kinds))).collect();
    let described = described(&page("barrow-report.5"));
    let both: BTreeSet<&String> = written.keys().chain(described.keys()).collect();
    let wrong: Vec<_> = both.into_iter().filter(|path| written.get(*path) != described.get(*path)).collect();
    let wrong: Vec<_> = wrong.into_iter().map(|path| (path, written.get(path), described.get(path))).collect();
    assert!(wrong.is_empty(), "field, its kind, and what is described: {wrong:#?}");
    assert!(written.len() > 70, "{}", written.len());
}

#[test]
fn the_manual_names_the_version() {
    let schema = &document(&Report::of(&[]))["report_schema"];
    assert!(page("barrow-report.5").contains(&format!("This page describes version {schema}.")), "{schema}");
}
