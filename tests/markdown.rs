//! Markdown of the binary, read back by two readers of GitHub's tables that know nothing of each other: they see the same cells.

use crate::labels::{LABELS, PHASES, report, run_file};
use crate::real::need::{Need, is_missing};
use pulldown_cmark::{Options, Parser, html};
use std::io::Write;
use std::process::{Command, Stdio};

/// A label that is not, and one that is longer than its column.
fn labels() -> Vec<&'static str> {
    let long: &'static str = "x|y ".repeat(50).trim_end().to_owned().leak();
    LABELS.iter().copied().chain(["ext4", long]).collect()
}

fn markdown(directory: &std::path::Path) -> String {
    report(&run_file(directory, &labels()), "markdown", &[])
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
    let found: Vec<&str> = rows[1..].iter().map(|row| row[1].as_str()).collect();
    assert_eq!(found, labels().repeat(PHASES));
    assert_eq!(rows[0][..3], ["Phase", "Target", "Median"]);
}

fn by_pulldown(text: &str) -> String {
    let mut shown = String::new();
    html::push_html(&mut shown, Parser::new_ext(text, Options::ENABLE_TABLES));
    shown
}

#[test]
fn labels_come_back_from_a_reader() {
    let directory = tempfile::tempdir().expect("a directory");
    let text = markdown(directory.path());
    expect_labels(&cells(&by_pulldown(&text)));
}

#[test]
#[ignore = "needs cmark-gfm"]
fn labels_come_back_from_the_reader_of_github() {
    if is_missing(&[Need::Program("cmark-gfm")]) {
        return;
    }
    let directory = tempfile::tempdir().expect("a directory");
    let text = markdown(directory.path());
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
