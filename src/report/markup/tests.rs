//! Whatever a label is, a table keeps its rows and cells in every markup. What is read back is in tests/markups.rs, by the real readers.

use super::*;
use crate::model::phase::Phase;
use crate::model::record::{PhaseRecord, RunRecord};
use crate::model::sample;
use crate::report::{asciidoc, bbcode_table, dokuwiki, jira, mediawiki, org, renderer_named, rst, textile, trac};
use proptest::prelude::*;

/// How many cells the lines of a table have, row by row, and whether a cell of several rows is written once.
struct Splitter {
    format: &'static str,
    rows: fn(&str) -> Vec<usize>,
    spans: bool,
}

const SPLITTERS: [Splitter; 9] = [
    Splitter { format: "mediawiki", rows: mediawiki_rows, spans: true },
    Splitter { format: "dokuwiki", rows: dokuwiki_rows, spans: false },
    Splitter { format: "trac", rows: trac_rows, spans: false },
    Splitter { format: "jira", rows: jira_rows, spans: false },
    Splitter { format: "textile", rows: |text| marks_of_lines(text, "|", |bars| bars - 1), spans: true },
    Splitter { format: "rst", rows: rst_rows, spans: false },
    Splitter { format: "org", rows: org_rows, spans: false },
    Splitter { format: "asciidoc", rows: asciidoc_rows, spans: true },
    Splitter { format: "bbcode-table", rows: bbcode_rows, spans: false },
];

/// Counts in the lines that have a mark at their beginning.
fn marks_of_lines(text: &str, mark: &str, cells: impl Fn(usize) -> usize) -> Vec<usize> {
    text.lines().filter(|line| line.starts_with(mark)).map(|line| cells(line.matches(mark).count())).collect()
}

fn mediawiki_rows(text: &str) -> Vec<usize> {
    let start = text.find("{|").unwrap();
    let table = &text[start..text.find("\n|}").unwrap()];
    let cells =
        |row: &str| -> usize { row.lines().filter(|line| line.starts_with(['!', '|'])).map(|line| 1 + line.matches(" || ").count()).sum() };
    table.split("\n|-\n").map(cells).collect()
}

/// A line without what stands between two marks.
fn unquoted(line: &str, quotes: &[(&str, &str)]) -> String {
    let mut bare = String::new();
    let mut rest = line;
    'letters: while let Some(letter) = rest.chars().next() {
        for (opening, closing) in quotes {
            if let Some((_, behind)) = rest.strip_prefix(opening).and_then(|quoted| quoted.split_once(closing)) {
                rest = behind;
                continue 'letters;
            }
        }
        bare.push(letter);
        rest = &rest[letter.len_utf8()..];
    }
    bare
}

fn dokuwiki_rows(text: &str) -> Vec<usize> {
    let bare = text.lines().map(|line| unquoted(line, &[("%%", "%%"), ("<nowiki>", "</nowiki>")])).collect::<Vec<_>>().join("\n");
    let heads = marks_of_lines(&bare, "^", |marks| marks - 1);
    [heads, marks_of_lines(&bare, "|", |marks| marks - 1)].concat()
}

fn trac_rows(text: &str) -> Vec<usize> {
    let bare = text.lines().map(|line| unquoted(line, &[("`", "`"), ("{{{", "}}}")])).collect::<Vec<_>>().join("\n");
    marks_of_lines(&bare, "||", |marks| marks - 1)
}

fn jira_rows(text: &str) -> Vec<usize> {
    let heads = marks_of_lines(text, "||", |marks| marks - 1);
    let rows = text.lines().filter(|line| line.starts_with("| "));
    heads.into_iter().chain(rows.map(|line| line.matches('|').count() - 1)).collect()
}

fn rst_rows(text: &str) -> Vec<usize> {
    let lines = text.lines().skip_while(|line| !line.starts_with("   :delim:")).skip(2).take_while(|line| !line.is_empty());
    let table: String = lines.map(|line| format!("{}\n", line.replace("| ", "|"))).collect();
    let mut reader = ::csv::ReaderBuilder::new().delimiter(b'|').has_headers(false).flexible(true).from_reader(table.as_bytes());
    reader.records().map(|row| row.unwrap().len()).collect()
}

fn org_rows(text: &str) -> Vec<usize> {
    let lines = text.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| <l>"));
    lines.map(|line| line.matches('|').count() - 1).collect()
}

fn asciidoc_rows(text: &str) -> Vec<usize> {
    let table = text.lines().skip_while(|line| *line != "|===").skip(1).take_while(|line| *line != "|===");
    table.map(|line| line.matches('|').count()).collect()
}

fn bbcode_rows(text: &str) -> Vec<usize> {
    let rows = text.lines().filter(|line| line.starts_with("[tr]"));
    rows.map(|line| line.matches("[th]").count() + line.matches("[td]").count()).collect()
}

/// The cells that each row of the document should have.
fn expected(report: &Report<'_>, spans: bool) -> Vec<usize> {
    let grids = documents(report).into_iter().flatten().filter_map(|part| if let Part::Grid(grid) = part { Some(grid) } else { None });
    let rows = grids.flat_map(|grid| {
        let rows = grid.rows.iter().map(|cells| cells.iter().filter(|cell| cell.rows > 0 || !spans).count()).collect::<Vec<_>>();
        std::iter::once(grid.heads.len()).chain(rows).collect::<Vec<_>>()
    });
    rows.collect()
}

#[track_caller]
fn check(records: &[RunRecord]) {
    let report = Report::of(records);
    for splitter in &SPLITTERS {
        let rendering = renderer_named(splitter.format).unwrap().render(&report);
        let text = rendering.text().unwrap();
        assert_eq!((splitter.rows)(text), expected(&report, splitter.spans), "{}\n{text}", splitter.format);
    }
}

#[test]
fn a_table_keeps_its_cells() {
    let labels = ["ext4", "a|b*c_ `d` [e] <f> ^g^ {h} +++++", "| ||", "a %% | </nowiki> ^", "}}} ` || }", "\" | \"", "[/td][td]", "-1.5"];
    check(&labels.map(|label| sample::run(label, 1)));
    labels.iter().for_each(|label| check(&[sample::run(label, 1)]));
}

/// What a program makes of this is in tests/markups.rs too; here it is what a person sees who pastes it.
#[test]
fn a_harmless_report_stays_readable() {
    let mut run = sample::run("btrfs (zstd:3)", 1);
    run.phases.retain(|record| record.name == Phase::BlockWrite);
    let report = Report::of(std::slice::from_ref(&run));
    for splitter in &SPLITTERS {
        let rendering = renderer_named(splitter.format).unwrap().render(&report);
        let text = rendering.text().unwrap();
        assert!(text.contains("barrow 0.1.0, std/1, 1 target × 1 run, 2026-11-30"), "{text}");
        assert!(text.contains("btrfs (zstd:3)") || text.contains(r"btrfs (zstd\:3)"), "{text}");
        assert!(text.contains("1 run: no range. "), "{text}");
        assert!(!text.contains("+++++"), "{text}");
    }
}

/// The lines of a block that stands as it is. Where a format cannot say a mark of its own there, the stand-in is known.
#[test]
fn blocks_hold_any_line() {
    let lines =
        ["a <b> & * c", "  }}}", "{{{", "{noformat}", "</code></file>", "....", "include::x[]", "* x", "[/code]"].map(str::to_owned);
    let of = |markup: &dyn Markup| markup.verbatim(&lines).join("\n");
    let same = lines.join("\n");
    assert_eq!(
        of(&mediawiki::MediaWiki),
        format!("<pre>\n{}\n</pre>", same.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;"))
    );
    assert_eq!(of(&dokuwiki::DokuWiki), format!("<file>\n{}\n</file>", same.replace("</file>", "< /file>")));
    assert_eq!(dokuwiki::DokuWiki.verbatim(&lines[..4]), ["<code>", &lines[0], &lines[1], &lines[2], &lines[3], "</code>"]);
    assert_eq!(of(&trac::Trac), format!("{{{{{{\n#!text\n{}\n}}}}}}", same.replace("}}}", "}} }").replace("{{{", "{{ {")));
    assert_eq!(of(&jira::Jira), format!("{{noformat}}\n{}\n{{noformat}}", same.replace("{noformat}", "{ noformat}")));
    assert_eq!(of(&rst::Rst), format!("::\n\n   {}", lines.join("\n   ")));
    assert_eq!(of(&org::Org), format!("#+begin_example\n{}\n#+end_example", same.replace("* x", ",* x")));
    assert_eq!(of(&asciidoc::AsciiDoc), format!("[subs=specialchars]\n.....\n{}\n.....", same.replace("include", "\\include")));
    assert_eq!(of(&bbcode_table::BbCodeTable), format!("[code]\n{}\n[/code]", same.replace('[', "(").replace(']', ")")));
    assert_eq!(of(&textile::Textile), format!("<pre>\n{same}\n</pre>"));
    assert_eq!(textile::Textile.verbatim(&["a </pre>".to_owned()])[1], "a < /pre>");
}

/// Parameters hold what a user has given as a command.
#[test]
fn texts_in_a_fixed_width_hold_their_own_marks() {
    let of = |markup: &dyn Markup, text: &str| markup.list(&[Item::Code(text.to_owned())]).concat();
    assert_eq!(of(&textile::Textile, "a=1 @b"), "* <code>a=1 @b</code>");
    assert_eq!(of(&textile::Textile, "@</code>"), "* &#64;&#60;/code&#62;");
    assert_eq!(of(&rst::Rst, "a`b"), r"- :literal:`a\`b`");
    assert_eq!(of(&org::Org, "a~b"), "- =a~b=");
    assert_eq!(of(&trac::Trac, "a`b"), " * {{{a`b}}}");
    assert_eq!(of(&dokuwiki::DokuWiki, "50%"), "  * ''<nowiki>50%</nowiki>''");
}

#[test]
fn a_heading_is_a_heading() {
    assert_eq!(dokuwiki::DokuWiki.heading("a == b"), ["==== a == b ===="]);
    assert_eq!(dokuwiki::DokuWiki.heading("a ="), ["**a =**"]);
    assert_eq!(dokuwiki::DokuWiki.heading("== a"), ["**%%==%% a**"]);
    assert_eq!(mediawiki::MediaWiki.heading("a ="), ["=== a &#61; ==="]);
}

fn label() -> impl Strategy<Value = String> {
    prop_oneof![".{0,40}", r#"[|\\`*_<>&\[\]{}^ a1~$#="'%/!:.-]{0,30}"#, Just("漢|字".repeat(30))]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn any_label_keeps_the_cells(labels in prop::collection::vec(label(), 1..5), reason in label()) {
        let mut records = Vec::new();
        for (target, label) in (1..).zip(&labels) {
            let mut run = RunRecord { target, ..sample::run(label, 1) };
            *sample::phase_mut(&mut run, Phase::Rewrite) = PhaseRecord::failed(Phase::Rewrite, reason.clone());
            records.push(run);
        }
        check(&records);
    }
}
