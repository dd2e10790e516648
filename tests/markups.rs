//! Reports read back by the programs they are written for: each sees the cells and the texts that a reader of Markdown sees.

use crate::labels::{LABELS, report, run_file};
use crate::real::need::{Need, is_missing, python_with_readers};
use pulldown_cmark::{Alignment, Event, Options, Parser, Tag, TagEnd};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What is seen of a report, with one blank for any number of them.
#[derive(Debug, Default, PartialEq, Eq)]
struct Seen {
    /// The cells of all tables, row by row.
    rows: Vec<Vec<String>>,
    /// To which side each cell leans, `right` or `left`; nothing where that cannot be seen.
    sides: Vec<Vec<String>>,
    /// Headings, paragraphs, list items and blocks of code.
    blocks: Vec<String>,
}

fn one_blank(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn side(alignment: Alignment) -> String {
    if alignment == Alignment::Right { "right" } else { "left" }.to_owned()
}

/// What a reader of Markdown sees.
fn seen_in_markdown(text: &str) -> Seen {
    let mut seen = Seen::default();
    let mut current = String::new();
    let mut sides: Vec<String> = Vec::new();
    for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::Table(alignments)) => sides = alignments.into_iter().map(side).collect(),
            Event::Start(Tag::TableHead | Tag::TableRow) => {
                seen.rows.push(Vec::new());
                seen.sides.push(sides.clone());
            }
            Event::Start(Tag::TableCell | Tag::Heading { .. } | Tag::Paragraph | Tag::Item | Tag::CodeBlock(_)) => current.clear(),
            Event::End(TagEnd::TableCell) => seen.rows.last_mut().expect("a row").push(one_blank(&current)),
            Event::End(TagEnd::Heading(_) | TagEnd::Paragraph | TagEnd::Item | TagEnd::CodeBlock) => seen.blocks.push(one_blank(&current)),
            Event::Start(_) | Event::End(_) => {}
            Event::Text(part) | Event::Code(part) => current.push_str(&part),
            Event::SoftBreak => current.push(' '),
            other => panic!("{other:?} in\n{text}"),
        }
    }
    seen
}

/// What `read.py` says that the program of a format sees: the page itself, taken apart.
fn read(format: &str, text: &str) -> serde_json::Value {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/markups/read.py");
    let mut command = Command::new(python_with_readers().expect("readers"));
    let pipes = command.arg(script).arg(format).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut reader = pipes.spawn().expect("Python runs");
    let mut input = reader.stdin.take().expect("a pipe");
    let written = text.to_owned();
    let writer = std::thread::spawn(move || input.write_all(written.as_bytes()));
    let output = reader.wait_with_output().expect("Python ends");
    writer.join().expect("no panic").expect("the report is read");
    assert!(output.status.success(), "{format}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

fn strings(value: &serde_json::Value) -> Vec<String> {
    value.as_array().expect("a list").iter().map(|text| one_blank(text.as_str().expect("text"))).collect()
}

/// What the program of a format sees; nothing stands outside of blocks and tables, and nothing is a link, a picture or emphasis.
#[track_caller]
fn seen(format: &str, text: &str) -> Seen {
    let read = read(format, text);
    assert_eq!((strings(&read["foreign"]), read["beside"].as_str()), (Vec::new(), Some("")), "{format}\n{text}");
    let blocks = strings(&read["blocks"]).into_iter().filter(|block| !block.is_empty()).collect();
    let lists = |name: &str| read[name].as_array().expect("rows").iter().map(strings).collect();
    Seen { rows: lists("rows"), sides: lists("sides"), blocks }
}

/// The reports that are read: of labels that are markup, and of the gallery, in one table and in several.
fn reports(directory: &Path) -> [(PathBuf, Vec<&'static str>); 3] {
    let gallery = Path::new(env!("CARGO_MANIFEST_DIR")).join("reports/three-filesystems.jsonl");
    let compared = vec!["--baseline", "ext4"];
    [(run_file(directory, LABELS), vec![]), (gallery.clone(), vec![]), (gallery, compared)]
}

/// The formats that can say to which side a cell leans.
const SIDED: [&str; 7] = ["mediawiki", "dokuwiki", "trac", "textile", "org", "asciidoc", "bbcode-table"];

/// Whether a program sees what a reader of Markdown sees, but for signs that its format cannot say.
#[track_caller]
fn expect_the_same(format: &str, needs: &[Need], stand_in: fn(&str) -> String) {
    if is_missing(&[needs, &[Need::Readers]].concat()) {
        return;
    }
    let directory = tempfile::tempdir().expect("a directory");
    for (path, options) in reports(directory.path()) {
        let wanted = seen_in_markdown(&report(&path, "markdown", &options));
        let text = report(&path, format, &options);
        let found = seen(format, &text);
        assert!(wanted.rows.len() > 30 && wanted.blocks.len() > 5, "{wanted:?}");
        let rows: Vec<Vec<String>> = wanted.rows.iter().map(|row| row.iter().map(|cell| stand_in(cell)).collect()).collect();
        for (found, wanted) in found.rows.iter().zip(&rows) {
            assert_eq!(found, wanted, "{format}\n{text}");
        }
        assert_eq!(found.rows.len(), rows.len(), "{format}\n{text}");
        if SIDED.contains(&format) {
            let is_as_wanted = |(found, wanted): (&String, &String)| found.is_empty() || found == wanted;
            for ((found, wanted), row) in found.sides.iter().zip(&wanted.sides).zip(&rows) {
                assert!(found.iter().zip(wanted).all(is_as_wanted), "{format}: {row:?} leans {found:?}\n{text}");
            }
        }
        assert_eq!(found.blocks, wanted.blocks.iter().map(|block| stand_in(block)).collect::<Vec<_>>(), "{format}\n{text}");
    }
}

#[test]
#[ignore = "needs MediaWiki"]
fn mediawiki_sees_what_is_meant() {
    expect_the_same("mediawiki", &[Need::Program("php"), Need::File("/usr/share/mediawiki/maintenance/parse.php")], str::to_owned);
}

#[test]
#[ignore = "needs DokuWiki"]
fn dokuwiki_sees_what_is_meant() {
    expect_the_same("dokuwiki", &[Need::Program("php"), Need::File("/usr/share/dokuwiki/bin/render.php")], str::to_owned);
}

#[test]
#[ignore = "needs Trac"]
fn trac_sees_what_is_meant() {
    expect_the_same("trac", &[], str::to_owned);
}

/// Jira itself cannot be had; the reader of its markup in pandoc knows no backslashes, so that barrow uses none.
#[test]
#[ignore = "needs pandoc"]
fn a_reader_of_jira_sees_what_is_meant() {
    expect_the_same("jira", &[], str::to_owned);
}

#[test]
#[ignore = "needs RedCloth"]
fn redcloth_sees_what_is_meant() {
    expect_the_same("textile", &[Need::Program("ruby"), Need::Program("redcloth")], str::to_owned);
}

#[test]
#[ignore = "needs docutils"]
fn docutils_sees_what_is_meant() {
    expect_the_same("rst", &[], str::to_owned);
}

#[test]
#[ignore = "needs Emacs"]
fn org_sees_what_is_meant() {
    expect_the_same("org", &[Need::Program("emacs")], str::to_owned);
}

#[test]
#[ignore = "needs asciidoctor"]
fn asciidoctor_sees_what_is_meant() {
    expect_the_same("asciidoc", &[Need::Program("asciidoctor")], str::to_owned);
}

/// BBCode has no escape: round brackets stand in for square ones.
#[test]
#[ignore = "needs a reader of BBCode"]
fn a_forum_sees_the_table_that_is_meant() {
    expect_the_same("bbcode-table", &[], |text| text.replace('[', "(").replace(']', ")"));
}

/// The text of 80 columns comes back line by line.
#[test]
#[ignore = "needs a reader of BBCode"]
fn a_forum_sees_the_text_that_is_meant() {
    if is_missing(&[Need::Readers]) {
        return;
    }
    let directory = tempfile::tempdir().expect("a directory");
    for (path, options) in reports(directory.path()) {
        let wanted = report(&path, "text", &options).replace("[code", "(code").replace("[/code", "(/code");
        let read = read("bbcode", &report(&path, "bbcode", &options));
        assert_eq!(read["code"].as_array().map(Vec::len), Some(1));
        assert_eq!(read["code"][0].as_str().map(str::trim), Some(wanted.trim()));
        assert_eq!(read["beside"], "");
    }
}
