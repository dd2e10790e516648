//! `barrow import`: what it says, how it ends, what it writes and what it leaves alone.

use crate::cli::{Work, ended};
use std::fs;
use std::path::Path;
use std::process::Command;

const LINE: &str = "1.97,1.97,host,1,1466787633,8196M,,630,94,112045,16,37432,5,2084,98,80393,4,950.7,9,16,,,,,29005,66,+++++,+++,30628,57,26771,36,+++++,+++,30726,56,12352us,1034ms,2232ms,5020us,45519us,229ms,612us,667us,735us,66us,32us,63us";
const OLD: &str = "pc,6G,44179,80,49453,17,17477,6,38956,76,46240,8,158.5,1,16,32493,87,+++++,+++,+++++,+++,+++++,+++,+++++,+++,+++++,+++";

fn work(files: &[(&str, &str)]) -> Work {
    let work = Work::new();
    for (name, text) in files {
        fs::write(work.path(name), text).expect("a file");
    }
    work
}

fn lines(work: &Work, name: &str) -> Vec<serde_json::Value> {
    let text = fs::read_to_string(work.path(name)).expect("the run file");
    text.lines().map(|line| serde_json::from_str(line).expect("a run")).collect()
}

#[test]
fn files_become_runs_that_report() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/bonnie-csv");
    let work = Work::new();
    let many = data.join("cloud_v1.97_RAIDZ2_8C.csv");
    let said = work.barrow(["import".as_ref(), many.as_os_str(), "-o".as_ref(), "runs.jsonl".as_ref()]);
    ended(&said, 0, &["72 runs of 1 series are in runs.jsonl; `barrow report runs.jsonl` makes reports and charts of them"]);
    let report = ended(&work.barrow(["report", "runs.jsonl"]), 0, &[]);
    assert!(report.contains("RAIDZ2_8C") && report.contains("bonnie++ 1.97, 80G"), "{report}");
    assert!(report.lines().all(|line| line.chars().count() <= 80), "{report}");
    let again = work.barrow(["import".as_ref(), many.as_os_str(), "-o".as_ref(), "runs.jsonl".as_ref()]);
    ended(&again, 0, &["72 runs are in runs.jsonl already"]);
    assert_eq!(lines(&work, "runs.jsonl").len(), 72);
}

#[test]
fn a_text_around_the_lines_is_told_and_no_fault() {
    let work = work(&[("notes.txt", &format!("Hello,\n\nmy disk:\n> {LINE}\n> {OLD}\nbye\n"))]);
    let said = work.barrow(["import", "notes.txt", "-o", "runs.jsonl", "--label", "disk", "--tag", "raid=10"]);
    ended(&said, 0, &["notes.txt: 3 lines are nothing of Bonnie++'s (1-3, 6)", "2 runs of 2 series are in runs.jsonl"]);
    let runs = lines(&work, "runs.jsonl");
    assert!(runs.iter().all(|run| run["label"] == "disk" && run["tags"]["raid"] == "10" && run["plan"].is_null()));
    assert_eq!(runs[0]["imported"]["line"], 4);
}

#[test]
fn what_cannot_be_read_is_named_beside_what_can() {
    let cut: Vec<&str> = LINE.split(',').take(12).collect();
    let moved = LINE.replacen("host", "my,host", 1);
    let work = work(&[("a.csv", &format!("{}\n{LINE}\n{moved}\n", cut.join(",")))]);
    let said = work.barrow(["import", "a.csv", "missing.csv", "-o", "runs.jsonl"]);
    ended(
        &said,
        1,
        &["a.csv:1: the line is cut: 12 of 48 fields", "a.csv:3: ", "missing.csv: cannot be read: no such file", "2 runs of 2 series"],
    );
    assert_eq!(lines(&work, "runs.jsonl").len(), 2);
}

#[test]
fn nothing_readable_writes_nothing() {
    let work = work(&[("a.txt", "hello\nworld, this, is, not, a, line\n"), ("empty.txt", "")]);
    let said = work.barrow(["import", "a.txt", "empty.txt", "-o", "runs.jsonl"]);
    ended(&said, 1, &["a.txt: holds nothing that Bonnie++ prints (CSV", "no run was read; nothing was written to runs.jsonl"]);
    assert!(!work.path("runs.jsonl").exists());
}

#[test]
fn stdin_is_read_where_a_file_is_called_minus() {
    let work = work(&[("a.csv", &format!("{LINE}\n"))]);
    let mut command = Command::new(env!("CARGO_BIN_EXE_barrow"));
    command
        .args(["import", "-", "-o", "runs.jsonl"])
        .current_dir(work.path("."))
        .stdin(fs::File::open(work.path("a.csv")).expect("a file"));
    ended(&command.output().expect("barrow runs"), 0, &["1 run of 1 series is in runs.jsonl"]);
    assert_eq!(lines(&work, "runs.jsonl").len(), 1);
}

#[test]
fn other_files_are_left_as_they_are() {
    let text = format!("{LINE}\n");
    let work = work(&[("a.csv", &text), ("b.csv", &text)]);
    ended(&work.barrow(["import", "a.csv", "-o", "b.csv"]), 1, &["b.csv: is not a run file"]);
    ended(&work.barrow(["import", "a.csv", "-o", "./a.csv"]), 2, &["a.csv: is the run file that is written to"]);
    ended(&work.barrow(["import", "a.csv", "-o", "-"]), 2, &["it needs a name"]);
    ended(&work.barrow(["import", "a.csv"]), 2, &["--output <FILE>"]);
    ended(&work.barrow(["import", "a.csv", "-o", "runs.jsonl", "--label", " "]), 2, &["a label is not empty"]);
    assert_eq!(
        (fs::read_to_string(work.path("a.csv")).ok(), fs::read_to_string(work.path("b.csv")).ok()),
        (Some(text.clone()), Some(text))
    );
    ended(&work.barrow(["import", "a.csv", "b.csv", "-o", "runs.jsonl"]), 0, &["1 run is in runs.jsonl already", "1 run of 1 series"]);
    ended(&work.barrow(["import", "runs.jsonl", "-o", "c.jsonl"]), 1, &["runs.jsonl: holds runs already; `barrow report` reads it"]);
}

#[test]
fn hostile_names_are_kept_and_printable() {
    let long = "x".repeat(60_000);
    let names = ["\u{1b}[31m\u{7}", "<script>", long.as_str(), ""];
    let text: String = names.iter().map(|name| LINE.replacen("host", name, 1) + "\n").collect();
    let work = work(&[("a.csv", &text)]);
    ended(&work.barrow(["import", "a.csv", "-o", "runs.jsonl"]), 0, &["4 runs of 4 series"]);
    let found: Vec<String> = lines(&work, "runs.jsonl").iter().map(|run| run["label"].as_str().expect("a label").to_owned()).collect();
    assert!(found == names, "the names are as they stood");
    let report = ended(&work.barrow(["report", "runs.jsonl"]), 0, &[]);
    assert!(!report.contains('\u{1b}') && report.lines().all(|line| line.chars().count() <= 80));
    let too_long = LINE.replacen("host", &"\u{1}".repeat(1_000_000), 1);
    fs::write(work.path("b.csv"), format!("{too_long}\n{LINE}\n")).expect("a file");
    ended(&work.barrow(["import", "b.csv", "-o", "b.jsonl"]), 1, &["b.csv:1: the name has 1000000 bytes", "1 run of 1 series"]);
}
