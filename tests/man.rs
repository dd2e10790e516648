//! The manual pages: what is made of data is what the data say, each field of the run file is described, and mandoc finds no fault.

pub mod form;
mod lab;
mod report;

use crate::real::need::{Need, is_missing};
use barrow::model::fact::FACTS;
use barrow::model::flag::Flag;
use barrow::model::label::{CacheLabel, Durability};
use barrow::model::phase::Phase;
use barrow::model::profile::Profile;
use barrow::model::record::{RunRecord, SCHEMA};
use barrow::report::RENDERERS;
use form::{Field, fields, sample};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("man").join(name)
}

fn page(name: &str) -> String {
    std::fs::read_to_string(path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Text in the language of manual pages: the marks that it would take for its own are escaped.
fn plain(text: &str) -> String {
    let safe = text.replace('\\', "\\e").replace('-', "\\-").replace('µ', "\\(mc").replace('×', "\\(mu");
    let is_control = safe.starts_with(['.', '\'']);
    if is_control { format!("\\&{safe}") } else { safe }
}

/// What barrow prints.
fn said(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_barrow")).args(arguments).output().expect("barrow runs");
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).expect("text")
}

/// The subcommands with a usage line each.
fn synopsis() -> String {
    let mut command = barrow::cli::command();
    command.build();
    let usage = command.get_subcommands_mut().filter(|one| one.get_name() != "help").map(|one| {
        let usage = one.render_usage().to_string();
        let usage = usage.trim_start_matches("Usage: ").to_owned();
        let words = usage.strip_prefix(&format!("barrow {}", one.get_name())).unwrap_or_default();
        // An empty line would be a blank one on the page.
        let words = if words.trim().is_empty() { String::new() } else { format!("{}\n", plain(words.trim_start())) };
        format!(".B barrow {}\n{words}.br\n", one.get_name())
    });
    usage.collect::<String>().trim_end_matches(".br\n").to_owned()
}

/// The options of each subcommand, from clap_mangen.
fn commands() -> String {
    let mut command = barrow::cli::command();
    command.build();
    let one = |one: &clap::Command| {
        let about = one.get_about().map(ToString::to_string).unwrap_or_default();
        let mut options = Vec::new();
        clap_mangen::Man::new(one.clone()).render_options_section(&mut options).expect("memory takes it");
        let options = String::from_utf8(options).expect("text");
        format!(".SS barrow {}\n{}.\n{}", one.get_name(), plain(&about), without_frame(&options))
    };
    command.get_subcommands().filter(|one| one.get_name() != "help").map(one).collect()
}

/// The section without its heading, the definitions before it, empty lines, and the option that every command has; possible values
/// in one line.
fn without_frame(options: &str) -> String {
    let lines: Vec<&str> = options.lines().map(str::trim_end).collect();
    let is_help = |place: usize| lines.get(place + 1).is_some_and(|line| line.starts_with(r"\fB\-h\fR, "));
    let mut kept: Vec<String> = Vec::new();
    let mut values: Vec<&str> = Vec::new();
    let mut place = 0;
    while let Some(line) = lines.get(place) {
        match *line {
            ".TP" if is_help(place) => place += 2,
            "" | ".br" | ".SH OPTIONS" | r".ie \n(.g .ds Aq \(aq" | ".el .ds Aq '" | ".RS 14" | r"\fIPossible values:\fR" => {}
            r".IP \(bu 2" => {
                place += 1;
                values.extend(lines.get(place));
            }
            ".RE" => kept.push(format!("(one of {})", std::mem::take(&mut values).join(", "))),
            other => kept.push(other.to_owned()),
        }
        place += 1;
    }
    kept.iter().map(|line| format!("{line}\n")).collect()
}

/// The phases with their purpose and the calls on the clock, as `barrow explain` says it.
fn phases() -> String {
    let list = said(&["explain"]);
    let one = |phase: &Phase| {
        let page = said(&["explain", phase.name()]);
        let purpose: Vec<&str> = page.lines().take_while(|line| !line.starts_with("  ")).collect();
        let purpose = purpose.join(" ").split_once(": ").expect("a purpose").1.to_owned();
        let calls = list.lines().find(|line| line.split_whitespace().next() == Some(phase.name())).expect("a line");
        let calls: Vec<&str> = calls.split_whitespace().skip(2).collect();
        format!(".TP\n.B {}\n{}\nOn the clock: {}.\n", phase.name(), plain(&capital(&purpose)), plain(&calls.join(" ")))
    };
    Phase::STANDARD.iter().map(one).collect()
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// The built-in profiles; sizes that depend on the memory are named so.
fn profiles() -> String {
    let one = |profile: Profile| {
        let (name, file) = match profile.name.split_once('@') {
            Some((name, _)) => (name.to_owned(), "twice the memory".to_owned()),
            None => (profile.name.clone(), barrow::units::rounded_size(profile.settings.file_size)),
        };
        let settings = &profile.settings;
        let runs = if settings.runs == 1 { "1 run".to_owned() } else { format!("{} runs", settings.runs) };
        let file = if settings.file_size > 0 { format!(" File: {file}.") } else { String::new() };
        let files = if settings.files > 0 { format!(" Files: {}.", settings.files) } else { String::new() };
        let facts = format!("{}.{file}{files} {}.", capital(&profile.purpose), capital(&runs));
        format!(".TP\n.B {name}\n{}\n", plain(&facts))
    };
    Profile::built_in(16 << 30).into_iter().map(one).collect()
}

fn formats() -> String {
    let one = |renderer: &&dyn barrow::report::Renderer| {
        format!(".TP\n.B {}\n{}.\n", plain(renderer.name()), plain(&capital(renderer.purpose())))
    };
    RENDERERS.iter().map(one).collect()
}

/// The names of the facts, in a line.
fn facts() -> String {
    let names: Vec<String> = FACTS.iter().map(|fact| plain(fact.name)).collect();
    format!("{}.\n", names.join(", "))
}

/// A word and what it means, each.
fn words(words: impl Iterator<Item = (String, String)>) -> String {
    words.map(|(word, meaning)| format!(".TP\n.B {}\n{}.\n", plain(&word), plain(&capital(&meaning)))).collect()
}

fn cache_words() -> String {
    words(CacheLabel::ALL.iter().map(|label| (label.to_string(), label.legend().to_owned())))
}

fn durable_words() -> String {
    words(Durability::ALL.iter().map(|label| (label.word().to_owned(), label.legend().to_owned())))
}

fn flag_words() -> String {
    let meaning = |flag: &Flag| flag.legend().split_once(": ").expect("a word and its meaning").1.to_owned();
    words(Flag::ALL.iter().map(|flag| (format!("{} {}", flag.letter(), flag.word()), meaning(flag))))
}

/// Replaces what stands between `.\" made: NAME` and `.\" end` by what the data say.
fn renewed(text: &str) -> String {
    let parts = [
        ("synopsis", synopsis()),
        ("commands", commands()),
        ("phases", phases()),
        ("profiles", profiles()),
        ("cache", cache_words()),
        ("durable", durable_words()),
        ("flags", flag_words()),
        ("facts", facts()),
        ("formats", formats()),
    ];
    let mut text = text.to_owned();
    for (name, made) in parts {
        let begin = format!(".\\\" made: {name}\n");
        let start = text.find(&begin).unwrap_or_else(|| panic!("no part `{name}`")) + begin.len();
        let end = start + text[start..].find(".\\\" end\n").expect("an end");
        text.replace_range(start..end, &made);
    }
    text
}

#[test]
fn the_manual_says_what_the_command_line_takes() {
    let found = page("barrow.1");
    let expected = renewed(&found);
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(path("barrow.1"), expected).expect("man/barrow.1 can be written");
        return;
    }
    assert!(found == expected, "man/barrow.1 is no longer true; BLESS=1 renews it");
}

/// The fields that a page describes: lines `.BR PATH " \- KIND: …"`, behind the path of the last line `.\" below: PATH`.
fn described(page: &str) -> BTreeMap<String, String> {
    let mut fields = BTreeMap::new();
    let mut below = "";
    for line in page.lines() {
        below = line.strip_prefix(".\\\" below: ").unwrap_or(below);
        let Some((path, rest)) = line.strip_prefix(".BR ").and_then(|rest| rest.split_once(" \" \\- ")) else { continue };
        let kind = rest.trim_end_matches('"').split(':').next().unwrap_or_default().trim().to_owned();
        assert!(fields.insert(format!("{below}{path}"), kind).is_none(), "{path} is described twice");
    }
    fields
}

#[test]
fn the_manual_describes_each_field_of_the_run_file() {
    let text = page("barrow-runs.5");
    let described = described(&text);
    let kinds: BTreeMap<String, String> = fields::<RunRecord>().iter().map(|(path, field)| (path.clone(), field.kind())).collect();
    let missing: Vec<_> = kinds.iter().filter(|(path, _)| !described.contains_key(*path)).collect();
    let unknown: Vec<_> = described.keys().filter(|path| !kinds.contains_key(*path)).collect();
    assert!(missing.is_empty() && unknown.is_empty(), "not described: {missing:#?}; described, but no field: {unknown:#?}");
    let wrong: Vec<_> =
        kinds.iter().filter(|(path, kind)| described[*path] != **kind).map(|(path, kind)| (path, kind, &described[path])).collect();
    assert!(wrong.is_empty(), "field, its kind, and what is described: {wrong:#?}");
    for (path, Field { words, .. }) in fields::<RunRecord>() {
        for word in words {
            assert!(text.contains(&format!("\\(lq{word}\\(rq")), "{path} can be {word}, which the page does not say");
        }
    }
    assert!(text.contains(&format!("this page describes version {SCHEMA}")), "the version");
}

/// The keys of a JSON value as paths.
fn keys(value: &serde_json::Value, path: &str, found: &mut BTreeSet<String>) {
    match value {
        serde_json::Value::Object(map) => {
            for (key, value) in map {
                let key = if path == "tags" { "KEY" } else { key };
                let path = if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
                keys(value, &path, found);
                found.insert(path);
            }
        }
        serde_json::Value::Array(list) => {
            let path = format!("{path}[]");
            for item in list {
                keys(item, &path, found);
                // A list in a list is a field of its own.
                found.extend(item.is_array().then(|| path.clone()));
            }
        }
        _ => {}
    }
}

/// What serde reads is also what it writes, so the page is true both ways.
#[test]
fn a_full_record_writes_each_field_that_it_reads() {
    let mut written = BTreeSet::new();
    for variant in 0..2 {
        let run: RunRecord = sample(variant);
        keys(&serde_json::to_value(&run).expect("a record"), "", &mut written);
    }
    let read: BTreeSet<String> = fields::<RunRecord>().into_keys().collect();
    assert_eq!(written, read);
}

#[test]
#[ignore = "needs mandoc"]
fn mandoc_finds_no_fault() {
    if is_missing(&[Need::Program("mandoc")]) {
        return;
    }
    for name in ["barrow.1", "barrow-runs.5", "barrow-report.5", "barrow-lab.5"] {
        let output = Command::new("mandoc").args(["-T", "lint", "-W", "warning"]).arg(path(name)).output().expect("mandoc runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
        let shown = Command::new("mandoc").args(["-T", "utf8", "-O", "width=80"]).arg(path(name)).output().expect("mandoc runs");
        let text = String::from_utf8_lossy(&shown.stdout).into_owned();
        for line in text.lines() {
            // Bold is a letter, a step back, and the letter again.
            let width = line.chars().count() - 2 * line.matches('\u{8}').count();
            assert!(width <= 80, "{name}: {width} columns: {line}");
        }
    }
}
