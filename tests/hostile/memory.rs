//! Memory: reading a run file or a profile takes at most ten times its size, whatever it holds.

use super::documents::{changed, full, short};
use super::say;
use crate::allocation::{is_alone, peak_of, run_alone};
use barrow::model::profile::{MOST_BYTES, Profile};
use barrow::store::load_from;
use serde_json::{Value, json};
use std::path::Path;

/// The most that reading may take, as a multiple of the input.
const MOST: u64 = 10;
/// What any reading takes, however small its input: a line, a first few items of lists.
const ALWAYS: u64 = 64 << 10;
/// What the reader of TOML takes of a profile that is as long as one may be.
const ALWAYS_OF_TOML: u64 = 2 << 20;
/// The least size of the inputs, so that what is always taken does not hide the rest.
const LEAST: usize = 2 << 20;

/// The line so often that it is a large file.
fn file_of(line: &str) -> String {
    format!("{line}\n").repeat(LEAST / line.len() + 1)
}

/// A record with nothing that could be left out, and no phase.
fn least() -> Value {
    let mut run = short(0, 0);
    let object = run.as_object_mut().expect("an object");
    let names: Vec<String> = object.keys().cloned().collect();
    for name in names {
        let without = {
            let mut copy = Value::Object(object.clone());
            copy.as_object_mut().expect("an object").remove(&name);
            copy
        };
        if super::documents::read(&without).is_some() {
            object.remove(&name);
        }
    }
    changed(&run, "/plan/profile", &json!(""))
}

/// A phase with nothing but a histogram.
fn phase(latency: &str) -> Value {
    let usage = json!({"user_ns": 0, "system_ns": 0, "max_resident_bytes": 0});
    let counted =
        json!({"work": 0, "operations": 0, "elapsed_ns": 0, "usage": usage, "latency": latency, "latency_max_ns": 0, "latency_batch": 0});
    json!({"name": "rewrite", "status": "ok", "result": {"counted": counted}})
}

fn with_phase(phase: &Value) -> String {
    changed(&least(), "/phases", &Value::Array(vec![phase.clone(); 10])).to_string()
}

fn with(object: &Value, key: &str, value: Value) -> String {
    let mut run = object.clone();
    run[key] = value;
    run.to_string()
}

/// Files that take as much memory for their size as they can.
fn run_files() -> Vec<(&'static str, String)> {
    let buckets = vec!["1"; 900].join(",");
    let sparse: Vec<String> = (0..480).map(|place| format!("{}=1", place * 2)).collect();
    let many_tags: Value = (0..256).map(|number| (format!("{number:x}"), json!(""))).collect::<serde_json::Map<_, _>>().into();
    let mut slices = phase("");
    slices["result"]["counted"]["slices"] = json!({"operations_each": 1, "unit_ns": 1, "elapsed": vec![0; 64]});
    let mut devices = phase("");
    devices["evidence"] = json!({"devices": vec![json!([0, 0, 0, 0, 0, 0]); 300]});
    let device = json!({"name": "", "layer": "disk", "is_leaf": true, "is_counted": true});
    let mut flags = phase("");
    flags["flags"] = json!(vec!["short"; 8]);
    let texts = json!(vec![["", ""]; 256]);
    let imported = json!({"program": "", "form": "", "line": 1, "parameters": texts, "values": texts});
    let mut of_others = least();
    if let Some(run) = of_others.as_object_mut() {
        run.remove("plan");
    }
    let machine = changed(&least(), "/machine", &json!({"root": true, "inside": vec![""; 16]}));
    vec![
        ("whole runs", file_of(&full(0).to_string())),
        ("least runs", file_of(&least().to_string())),
        ("least phases", file_of(&with_phase(&json!({"name": "rewrite", "status": "ok"})))),
        ("histograms of few counts far apart", file_of(&with_phase(&phase("0=1;975=1")))),
        ("histograms without gaps", file_of(&with_phase(&phase(&format!("0={buckets}"))))),
        ("histograms with gaps", file_of(&with_phase(&phase(&sparse.join(";"))))),
        ("slices", file_of(&with_phase(&slices))),
        ("traffic of devices", file_of(&with_phase(&devices))),
        ("devices", file_of(&with(&least(), "stack", json!({"bottom": "devices", "devices": vec![device; 1000]})))),
        ("flags", file_of(&with_phase(&flags))),
        ("surroundings", file_of(&machine.to_string())),
        ("tags", file_of(&with(&least(), "tags", many_tags))),
        ("texts of other programs", file_of(&with(&of_others, "imported", imported))),
        ("a long text", file_of(&with(&least(), "label", json!("\u{e9}".repeat(1 << 20))))),
        ("unknown fields", file_of(&with(&least(), "later", json!(vec![json!([{}]); 100_000])))),
        ("too many phases", file_of(&changed(&least(), "/phases", &Value::Array(vec![phase(""); 10_000])).to_string())),
        ("lines that are no runs", file_of("x")),
        ("empty lists", file_of("[]")),
        ("one line without an end", "[".repeat(3 * LEAST)),
        ("one gigantic line", format!("{{\"schema\":1,\"label\":\"{}\"}}", "x".repeat(5 * LEAST))),
    ]
}

/// Profiles of the most bytes that are read, and one that is not read.
fn profiles() -> Vec<(&'static str, String)> {
    let keys: String = (0..2_000).map(|number| format!("a{number}=0\n")).collect();
    let tables: String = (0..2_000).map(|number| format!("[a{number}]\n")).collect();
    let profiles = vec![
        ("keys", keys),
        ("tables", tables),
        ("a list", format!("seeks=[{}]", "0,".repeat(8_000))),
        ("a list of lists", format!("seeks=[{}]", "[],".repeat(5_400))),
        ("dots", format!("{}a=1", "a.".repeat(8_000))),
        ("a long text", format!("purpose='{}'", "x".repeat(16_000))),
        ("brackets", "[".repeat(MOST_BYTES)),
        ("comments", "#\n".repeat(MOST_BYTES / 2)),
    ];
    assert!(profiles.iter().all(|(_, text)| text.len() <= MOST_BYTES && text.len() > MOST_BYTES * 3 / 4));
    profiles.into_iter().chain([("a length that is refused", "[".repeat(1 << 20))]).collect()
}

/// Runs alone in a process of its own, since other tests allocate beside it.
#[test]
#[ignore = "needs a process of its own: started by reading_takes_at_most_ten_times_the_input"]
fn alone_in_its_process() {
    if !is_alone() {
        return;
    }
    let mut over = Vec::new();
    let mut note = |what: String, size: usize, always: u64, peak: u64| {
        say(&format!("memory: {what}: {:.1} times {size} bytes", peak as f64 / size as f64));
        over.extend((peak > size as u64 * MOST + always).then_some(what));
    };
    for (name, text) in run_files() {
        let peak = peak_of(|| {
            let loaded = load_from(Path::new("x"), text.as_bytes()).expect("memory is read");
            assert!(!loaded.runs.is_empty() || !loaded.bad.is_empty());
        });
        note(format!("a run file of {name}"), text.len(), ALWAYS, peak);
    }
    for (name, text) in profiles() {
        let peak = peak_of(|| drop(Profile::of_text("x", &text, 0)));
        note(format!("a profile of {name}"), text.len(), ALWAYS_OF_TOML, peak);
    }
    assert!(over.is_empty(), "over {MOST} times the input: {over:#?}");
}

#[test]
fn reading_takes_at_most_ten_times_the_input() {
    let words = run_alone("hostile::memory::alone_in_its_process");
    assert!(words.matches("memory: ").count() == run_files().len() + profiles().len(), "{words}");
    say(&words);
}
