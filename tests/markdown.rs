//! Markdown of the binary, read back by two readers of GitHub's tables that know nothing of each other: they see the same cells.

use crate::real::need::{Need, is_missing};
use pulldown_cmark::{Options, Parser, html};
use std::io::Write;
use std::process::{Command, Stdio};

/// Labels that are markup to somebody.
const LABELS: [&str; 12] = [
    "a|b*c_ `d` [e] <f> ^g^ {h} +++++",
    r"a\|b\\|c\",
    "`|` ``x`",
    "**b** __i__ ~~s~~",
    "<script>alert(1)</script> <!-- &amp; &#124;",
    "[x](y) ![z](w)",
    "# h",
    "1. item",
    "漢字の|ラベル",
    "תווית|בעברית",
    "🦀|é",
    "$x$ :smile:",
];

/// A run file of barrow's own, with a run for each label: one real run, renamed.
fn run_file(directory: &std::path::Path) -> std::path::PathBuf {
    let arguments = ["run", ".", "-p", "quick", "-q", "-n1", "--no-report", "--set=file_size=1m", "--set=seek_seconds=0", "--set=seeks=9"];
    let mut command = Command::new(env!("CARGO_BIN_EXE_barrow"));
    let output = command.args(arguments).args(["--set=files=9", "--drop-caches=never"]).current_dir(directory).output();
    let output = output.expect("barrow runs");
    assert!(output.status.success(), "{output:?}");
    let path = directory.join("barrow.jsonl");
    let line = std::fs::read_to_string(&path).expect("a run file");
    let run: serde_json::Value = serde_json::from_str(&line).expect("a run");
    let mut text = String::new();
    let long = "x|y ".repeat(50);
    for (target, label) in (1..).zip(LABELS.iter().chain(&[long.trim_end(), ""])) {
        let mut renamed = run.clone();
        renamed["label"] = (*label).into();
        renamed["target"] = target.into();
        text += &format!("{renamed}\n");
    }
    std::fs::write(&path, text).expect("a run file");
    path
}

fn markdown(path: &std::path::Path) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_barrow")).args(["report", "-f", "markdown"]).arg(path).output().expect("barrow runs");
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).expect("text")
}

/// The texts of the cells of all tables in HTML, row by row.
fn cells(html: &str) -> Vec<Vec<String>> {
    let rows = html.split("<tr").skip(1).map(|row| row.split("</tr>").next().unwrap_or_default());
    let cells = rows.map(|row| row.split("<t").skip(1).filter(|cell| cell.starts_with(['d', 'h'])).map(text_of).collect::<Vec<_>>());
    cells.filter(|row| !row.is_empty()).collect()
}

/// The text of a cell without its tags; whatever is markup stays out, so that a label that became markup is not the label any more.
fn text_of(cell: &str) -> String {
    let (_, content) = cell.split_once('>').unwrap_or_default();
    let content = content.split("</t").next().unwrap_or_default();
    let mut text = String::new();
    let mut is_tag = false;
    for letter in content.chars() {
        match letter {
            '<' => is_tag = true,
            '>' => is_tag = false,
            other if !is_tag => text.push(other),
            _ => {}
        }
    }
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&").trim().to_owned()
}

#[track_caller]
fn expect_labels(rows: &[Vec<String>]) {
    let columns = rows[0].len();
    assert!(rows.iter().all(|row| row.len() == columns), "{rows:#?}");
    let wanted: Vec<String> = LABELS.iter().map(|label| (*label).to_owned()).collect();
    let found: Vec<&String> = rows[1..].iter().map(|row| &row[1]).take(LABELS.len()).collect();
    assert_eq!(found, wanted.iter().collect::<Vec<_>>());
    assert_eq!(rows[0][..3], ["Phase", "Target", "Median"]);
    assert_eq!(rows.len(), 1 + 10 * (LABELS.len() + 2));
}

fn by_pulldown(text: &str) -> String {
    let mut shown = String::new();
    html::push_html(&mut shown, Parser::new_ext(text, Options::ENABLE_TABLES));
    shown
}

#[test]
fn labels_come_back_from_a_reader() {
    let directory = tempfile::tempdir().expect("a directory");
    let text = markdown(&run_file(directory.path()));
    expect_labels(&cells(&by_pulldown(&text)));
}

#[test]
#[ignore = "needs cmark-gfm"]
fn labels_come_back_from_the_reader_of_github() {
    if is_missing(&[Need::Program("cmark-gfm")]) {
        return;
    }
    let directory = tempfile::tempdir().expect("a directory");
    let text = markdown(&run_file(directory.path()));
    let mut command = Command::new("cmark-gfm");
    command.args(["-e", "table", "-e", "strikethrough", "-e", "autolink"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut reader = command.spawn().expect("cmark-gfm runs");
    // The whole is small enough for the pipe's own buffer, or it is read while it is written.
    let mut input = reader.stdin.take().expect("a pipe");
    let written = text.clone();
    let writer = std::thread::spawn(move || input.write_all(written.as_bytes()));
    let output = reader.wait_with_output().expect("cmark-gfm ends");
    writer.join().expect("no panic").expect("cmark-gfm reads");
    let shown = String::from_utf8(output.stdout).expect("text");
    let rows = cells(&shown);
    expect_labels(&rows);
    assert_eq!(rows, cells(&by_pulldown(&text)));
    assert!(!shown.contains("<!-- raw HTML omitted -->") && !shown.contains("<script"), "{shown}");
}
