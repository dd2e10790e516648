//! The rooms of the house: which room may import which, who may print, and where `unsafe` may be.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Each room with the rooms that it may import (DESIGN 1).
const ROOMS: &[(&str, &[&str])] = &[
    ("units", &[]),
    ("stats", &[]),
    ("rng", &[]),
    ("model", &["units", "stats"]),
    ("sys", &["units", "model"]),
    ("target", &["sys", "model", "units"]),
    ("phases", &["target", "model", "units", "rng"]),
    ("runner", &["phases", "target", "sys", "model", "rng", "units"]),
    ("lab", &["target", "sys", "model", "units"]),
    ("store", &["model", "sys"]),
    ("import", &["model", "units", "rng"]),
    ("report", &["model", "units", "stats"]),
    ("cli", &["units", "stats", "rng", "model", "sys", "target", "phases", "runner", "lab", "store", "import", "report"]),
    ("main", &["cli"]),
];

const MOST_LINES: usize = 400;

fn sources() -> Vec<PathBuf> {
    fn walk(directory: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(directory).expect("src can be read") {
            let path = entry.expect("src can be read").path();
            if path.is_dir() {
                walk(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    let mut found = Vec::new();
    walk(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut found);
    found.sort();
    assert!(found.len() > 30, "src was found");
    found
}

/// The room of a source file: the first part of its path below src.
fn room_of(path: &Path) -> String {
    let below = path.strip_prefix(Path::new(env!("CARGO_MANIFEST_DIR")).join("src")).expect("a source");
    let first = below.iter().next().expect("a name").to_string_lossy().into_owned();
    first.trim_end_matches(".rs").to_owned()
}

/// The code of a file without comments, without the texts in quotes, and without its tests.
fn code_of(text: &str) -> String {
    let without_tests = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let lines = without_tests.lines().map(|line| line.split("//").next().unwrap_or_default());
    lines.collect::<Vec<_>>().join("\n")
}

fn is_tests(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == "tests.rs") || path.parent().is_some_and(|directory| directory.ends_with("tests"))
}

/// The rooms that a file names behind `crate::` (or, in main, behind `barrow::`).
fn imports_of(code: &str) -> BTreeSet<String> {
    let mut rooms = BTreeSet::new();
    for root in ["crate::", "barrow::"] {
        for (place, _) in code.match_indices(root) {
            let rest = &code[place + root.len()..];
            if let Some(list) = rest.strip_prefix('{') {
                let list = list.split("};").next().unwrap_or_default();
                rooms.extend(list.split(',').map(|item| first_word(item.trim())));
            } else {
                rooms.insert(first_word(rest));
            }
        }
    }
    rooms
}

fn first_word(text: &str) -> String {
    text.chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect()
}

#[test]
fn each_room_imports_only_what_it_may() {
    let rooms: BTreeMap<&str, &[&str]> = ROOMS.iter().copied().collect();
    let mut seen = BTreeSet::new();
    for path in sources() {
        let room = room_of(&path);
        if room == "lib" || room == "profiles" || is_tests(&path) {
            continue;
        }
        let allowed = rooms.get(room.as_str()).unwrap_or_else(|| panic!("{}: the room `{room}` is not on the map", path.display()));
        seen.insert(room.clone());
        for import in imports_of(&code_of(&fs::read_to_string(&path).expect("a source can be read"))) {
            assert!(import == room || allowed.contains(&import.as_str()), "{}: {room} may not import {import}", path.display());
        }
    }
    assert_eq!(seen.len(), rooms.len(), "every room of the map has a file: {seen:?}");
}

#[test]
fn a_planted_import_is_found() {
    assert!(imports_of("use crate::sys::meter;").contains("sys"));
    assert!(imports_of("use crate::{model::phase, sys};").contains("sys"));
    assert!(imports_of("let x = crate::cli::main();").contains("cli"));
    assert!(!imports_of(&code_of("// crate::sys")).contains("sys"));
}

#[test]
fn only_the_command_line_prints_and_only_sys_is_unsafe() {
    for path in sources() {
        let text = fs::read_to_string(&path).expect("a source can be read");
        let code = code_of(&text);
        let room = room_of(&path);
        for word in ["println!", "eprintln!", "print!(", "eprint!(", "dbg!", "io::stdout", "io::stderr"] {
            assert!(room == "cli" || !code.contains(word), "{}: {word} outside cli", path.display());
        }
        for word in
            ["unsafe {", "unsafe fn", "unsafe impl", " libc::", "(libc::", " nix::", "(nix::", " signal_hook::", "\"/proc", "\"/sys"]
        {
            let is_allowed = room == "sys" || is_tests(&path);
            assert!(is_allowed || !code.contains(word), "{}: {word} outside sys", path.display());
        }
        let blocks = code.matches("unsafe {").count();
        let reasons = text.matches("// SAFETY:").count();
        assert!(reasons >= blocks, "{}: {blocks} unsafe blocks, {reasons} SAFETY lines", path.display());
        if !is_tests(&path) && ["report", "model", "stats"].contains(&room.as_str()) {
            for word in ["std::fs", "Instant", "SystemTime", "Utc::now", "std::env::"] {
                assert!(!code.contains(word), "{}: {word} in a room that only computes", path.display());
            }
        }
    }
}

#[test]
fn every_file_says_what_it_is_for_and_is_short() {
    for path in sources() {
        let text = fs::read_to_string(&path).expect("a source can be read");
        assert!(is_tests(&path) || text.starts_with("//! "), "{}: opens with no `//!` sentence", path.display());
        let lines = text.lines().count();
        assert!(lines <= MOST_LINES, "{}: {lines} lines", path.display());
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        assert!(!["utils", "util", "helpers", "common", "manager", "misc"].contains(&name.as_str()), "{}", path.display());
    }
}
