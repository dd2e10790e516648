//! Records as JSON with every field set, and what each place of them could hold and still be read.

use crate::man::form::sample;
use barrow::model::phase::Phase;
use barrow::model::record::{RunRecord, SCHEMA};
use serde::Deserialize;
use serde_json::{Value, json};

/// A run with every optional field set and all phases; of their results the first or second kind.
pub fn full(variant: usize) -> Value {
    let mut run = serde_json::to_value(sample::<RunRecord>(variant)).expect("a record is JSON");
    // A run has either a plan, or was read of another program, whose results are of the second kind.
    if let Some(fields) = run.as_object_mut() {
        fields.remove(if variant == 0 { "imported" } else { "plan" });
    }
    let mut phase = run["phases"][0].take();
    phase["status"] = json!("ok");
    run["phases"] = Phase::STANDARD.iter().map(|which| with(&phase, "name", json!(which.name()))).collect();
    run["schema"] = json!(1);
    run
}

/// The same with only the first so many phases.
pub fn short(variant: usize, phases: usize) -> Value {
    let mut run = full(variant);
    if let Some(list) = run["phases"].as_array_mut() {
        list.truncate(phases);
    }
    run
}

fn with(object: &Value, key: &str, value: Value) -> Value {
    let mut changed = object.clone();
    changed[key] = value;
    changed
}

/// The record that a document holds, if it holds one of a schema that this barrow reads.
pub fn read(document: &Value) -> Option<RunRecord> {
    let has_one_source = |run: &RunRecord| run.plan.is_some() != run.imported.is_some();
    RunRecord::deserialize(document).ok().filter(|run| run.schema <= SCHEMA && has_one_source(run))
}

/// The JSON pointers of all places below a value, its own (the empty one) left out.
pub fn places(value: &Value) -> Vec<String> {
    fn walk(value: &Value, pointer: &str, found: &mut Vec<String>) {
        let mut below = |key: &str, value: &Value| {
            let pointer = format!("{pointer}/{key}");
            found.push(pointer.clone());
            walk(value, &pointer, found);
        };
        match value {
            Value::Object(map) => map.iter().for_each(|(key, value)| below(key, value)),
            Value::Array(list) => list.iter().enumerate().for_each(|(place, value)| below(&place.to_string(), value)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    let mut found = Vec::new();
    walk(value, "", &mut found);
    found
}

/// A document with another value at a place.
pub fn changed(document: &Value, pointer: &str, value: &Value) -> Value {
    let mut changed = document.clone();
    *changed.pointer_mut(pointer).expect("a place of the document") = value.clone();
    changed
}

/// Texts that would be markup, script, a formula, a command of the terminal or of the shell, or turn a line around.
pub const TEXTS: [&str; 16] = [
    "",
    " ",
    "<script>alert(1)</script><img src=x onerror=alert(1)>\"'><svg onload=alert(1)>]]>--><!--",
    "&lt;b&gt; &amp; &#60; &nbsp;",
    "[a](javascript:alert(1)) ![b](http://c/d) <http://e> [f]: http://g",
    "a|b\\|c`|`**d**_e_~~f~~$g$^h^",
    "# h",
    "1. x",
    "=1+1|'cmd'!A0",
    "+1+1",
    "-1+1",
    "@SUM(A1)",
    "\u{ff1d}1+1",
    "\u{1b}[2J\u{1b}]0;x\u{7}\u{9b}31m\0\u{8}\r\n\t\u{85}\u{7f}",
    "\u{202e}\u{2066}\u{200f}\u{200b}\u{feff}\u{2028}\u{e0041}e\u{301}\u{301}",
    "$(touch /tmp/x); `id` | sh -c 'x' & \"\\",
];

/// Words that some field knows: with them phases fail, labels and marks change.
const WORDS: [&str; 12] = [
    "ok",
    "failed",
    "skipped",
    "cached below",
    "mixed 0%",
    "mixed 100%",
    "durable?",
    "never",
    "busy",
    "0=18446744073709551615",
    "0=1;975=18446744073709551614",
    "ffffffffffffffff",
];

/// What could stand anywhere: numbers at their ends, texts, words, lists and nothing.
pub fn values() -> Vec<Value> {
    let mut values = vec![json!(null), json!([]), json!({}), json!(true), json!(false)];
    values.extend([0, 1, 2, 999, 1_000_000_007, u64::from(u32::MAX), 1 << 53, i64::MAX as u64, u64::MAX].map(|number| json!(number)));
    values.extend([-1_i64, i64::MIN].map(|number| json!(number)));
    values.extend([0.5, -0.5, 1e308, -1e308, f64::MIN_POSITIVE, 5e-324, 1e18].map(|number| json!(number)));
    values.extend(TEXTS.iter().chain(&WORDS).map(|text| json!(text)));
    values.push(json!("x".repeat(3000)));
    values
}

/// A place of a document with the values that it can hold.
pub type Choice = (String, Vec<Value>);

/// Each place of a document with the values that it can hold so that it is still a record.
pub fn choices(document: &Value) -> Vec<Choice> {
    let values = values();
    let fitting = |pointer: String| {
        let fits = |value: &&Value| read(&changed(document, &pointer, value)).is_some();
        let mut fitting: Vec<Value> = values.iter().filter(fits).cloned().collect();
        let list = document.pointer(&pointer).and_then(Value::as_array).and_then(|list| list.first());
        let longer = list.map(|item| Value::Array(vec![item.clone(); 8]));
        fitting.extend(longer.filter(|longer| read(&changed(document, &pointer, longer)).is_some()));
        (pointer, fitting)
    };
    places(document).into_iter().map(fitting).filter(|(_, fitting)| !fitting.is_empty()).collect()
}

/// A document in which each place holds, by the numbers of `draw`, one of its other values or what it held.
pub fn scrambled(document: &Value, choices: &[Choice], one_in: u64, draw: &mut impl FnMut() -> u64) -> Value {
    let mut scrambled = document.clone();
    for (pointer, fitting) in choices {
        if draw().is_multiple_of(one_in)
            // A place may have gone with the one above it.
            && let Some(place) = scrambled.pointer_mut(pointer)
        {
            *place = fitting[draw() as usize % fitting.len()].clone();
        }
    }
    scrambled
}

#[test]
fn the_full_record_has_every_field_and_every_kind_of_place_has_choices() {
    for variant in [0, 1] {
        let document = full(variant);
        assert_eq!(read(&document).expect("a record").phases.len(), Phase::STANDARD.len());
        let pointers = places(&short(variant, 1));
        let choices = choices(&short(variant, 1));
        assert!(pointers.len() > 90 && choices.len() * 10 > pointers.len() * 8, "{} of {}", choices.len(), pointers.len());
        assert!(choices.iter().map(|(_, fitting)| fitting.len()).sum::<usize>() > 800);
    }
}
