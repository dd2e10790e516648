//! Reports of hostile records: each format is read by a reader of its own, and holds nothing but what barrow writes.

use super::documents::{TEXTS, changed, full, places, read, short};
use super::{bare, say};
use barrow::model::printable::printable;
use barrow::model::record::RunRecord;
use barrow::report::baseline::compare;
use barrow::report::chart::{CHARTS, ChartChoice};
use barrow::report::layout::Layout;
use barrow::report::{Arrangement, RENDERERS, Renderer, Report, Section};
use pulldown_cmark::{Event, Options, Parser, Tag};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use unicode_width::UnicodeWidthStr;

/// Renders records in every format and every chart, and has each checked by its reader.
#[track_caller]
pub fn check_reports(records: &[RunRecord]) {
    for renderer in texts() {
        let text = renderer.render(&Report::of(records)).text().unwrap().to_owned();
        assert!(text.ends_with('\n'), "{}", renderer.name());
        // Org alone needs a sign that nobody sees, to keep its marks apart.
        let seen = if renderer.name() == "org" { text.replace('\u{200b}', "") } else { text.clone() };
        for line in seen.lines() {
            assert_eq!(printable(line), line, "{}: what has no place in a line", renderer.name());
        }
        check(renderer.name(), &text);
    }
    for renderer in texts().filter(|renderer| renderer.lays_out()) {
        for layout in Layout::ALL {
            let report = Report { layout, ..Report::of(records) };
            let text = renderer.render(&report).text().unwrap().to_owned();
            let is_bare = layout == Layout::Bonnie && !["text", "ascii", "markdown", "bbcode"].contains(&renderer.name());
            let is_measured = |section: &&Section<'_>| section.summaries.iter().flatten().any(|summary| summary.n > 0);
            // A section in which nothing has a rate may have its words in a block.
            let blocks = report.sections.iter().filter(is_measured).count()..=report.sections.len();
            let text = if is_bare { bare::without_blocks(renderer.name(), &text, blocks) } else { text };
            check(renderer.name(), &text);
        }
    }
    let mut compared = Report::arranged(records, &Arrangement { is_mixed: true, ..Arrangement::default() });
    let baseline = compared.sections.first().and_then(|section| section.series.last()).map(|series| series.name.clone());
    if baseline.is_some_and(|name| compare(&mut compared, &name, true).is_ok()) {
        for renderer in texts() {
            check(renderer.name(), renderer.render(&compared).text().unwrap());
        }
    }
    for renderer in texts().filter(|renderer| renderer.draws()) {
        for kind in CHARTS {
            for narrow in [false, true] {
                let report = Report { chart: ChartChoice { kind: Some(*kind), narrow }, ..Report::of(records) };
                check(renderer.name(), renderer.render(&report).text().unwrap());
            }
        }
    }
}

/// The formats that are texts. A picture is made of the text of svg, and tried apart: it takes a hundred times longer.
fn texts() -> impl Iterator<Item = &'static &'static dyn Renderer> {
    RENDERERS.iter().filter(|renderer| renderer.name() != "png")
}

#[track_caller]
fn check(format: &str, text: &str) {
    match format {
        "text" | "ascii" => check_text(text),
        "markdown" => check_markdown(text),
        "csv" | "csv-summary" | "csv-making" | "csv-details" | "csv-operations" => check_csv(text),
        "bonnie-csv" => check_bonnie_csv(text),
        "json" => check_json(text),
        "svg" => check_svg(text),
        "html" => check_html(text),
        "bbcode" => check_block(text),
        "mediawiki" | "dokuwiki" | "trac" | "jira" | "textile" | "rst" | "org" | "asciidoc" | "bbcode-table" => bare::check(format, text),
        other => panic!("no reader is known for the format {other}"),
    }
}

#[track_caller]
fn check_text(text: &str) {
    for line in text.lines() {
        assert!(line.width() <= 80, "{} columns: {line}", line.width());
    }
}

/// One block of code and nothing else.
#[track_caller]
fn check_block(text: &str) {
    let inside = text.strip_prefix("[code]\n").and_then(|rest| rest.strip_suffix("[/code]\n")).expect("one block");
    let small = inside.to_ascii_lowercase();
    assert!(!small.contains("[code") && !small.contains("[/code"), "{inside}");
    check_text(inside);
}

/// Only headings, tables, lists, paragraphs, bold figures and lines of code; no HTML, no links, no images.
#[track_caller]
fn check_markdown(text: &str) {
    for event in Parser::new_ext(text, Options::all()) {
        match event {
            Event::Start(
                Tag::Table(_)
                | Tag::TableHead
                | Tag::TableRow
                | Tag::TableCell
                | Tag::Heading { .. }
                | Tag::Paragraph
                | Tag::List(None)
                | Tag::Item
                | Tag::Strong
                | Tag::CodeBlock(_),
            )
            | Event::End(_)
            | Event::Text(_)
            | Event::Code(_)
            | Event::SoftBreak => {}
            other => panic!("{other:?} in\n{text}"),
        }
    }
}

/// Rows of equal length, and no cell that a spreadsheet takes for a formula.
#[track_caller]
fn check_csv(text: &str) {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
    let rows: Vec<csv::StringRecord> = reader.records().map(|row| row.expect("a row like the first")).collect();
    assert_eq!(rows.len(), text.lines().count());
    for cell in rows.iter().flatten() {
        let is_formula = cell.starts_with(['=', '+', '-', '@', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}']);
        assert!(!is_formula || cell.parse::<f64>().is_ok(), "{cell:?}");
    }
}

/// Lines of 50 fields without any quoting, and no name that a spreadsheet takes for a formula.
#[track_caller]
fn check_bonnie_csv(text: &str) {
    for line in text.lines() {
        let fields: Vec<&str> = line.split(',').collect();
        assert!(fields.len() == 50 && fields[0] == "1.98" && !line.contains('"'), "{line}");
        assert!(
            !fields[2].starts_with(['=', '+', '-', '@', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}'])
                || fields[2].parse::<f64>().is_ok()
        );
    }
}

/// One document, with the fields that every document has and no others.
#[track_caller]
fn check_json(text: &str) {
    let document: Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let keys: Vec<&str> = document.as_object().expect("an object").keys().map(String::as_str).collect();
    assert_eq!(keys, ["generator", "report_schema", "sections"]);
    for series in document["sections"].as_array().expect("a list").iter().flat_map(|section| section["series"].as_array().expect("a list"))
    {
        assert!(series["runs"].as_array().is_some_and(|runs| !runs.is_empty()), "{series}");
    }
}

/// The elements and attributes that a file of harmless records has.
fn vocabulary() -> &'static (BTreeSet<String>, String) {
    static FOUND: std::sync::OnceLock<(BTreeSet<String>, String)> = std::sync::OnceLock::new();
    FOUND.get_or_init(|| {
        let mut names = BTreeSet::new();
        let mut style = String::new();
        let directory = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("reports");
        for entry in std::fs::read_dir(directory).expect("reports/ can be read") {
            let path = entry.expect("an entry").path();
            if path.extension().is_some_and(|extension| extension == "svg") {
                let svg = std::fs::read_to_string(path).expect("a chart");
                names.extend(names_in(&svg));
                style = style_of(&svg);
            }
        }
        // Patterns of doubtful bars, which the samples have not.
        for name in ["pattern", "pattern id", "pattern width", "pattern height", "pattern patternUnits", "pattern patternTransform"] {
            names.insert(name.to_owned());
        }
        assert!(names.contains("text") && names.contains("svg viewBox") && !style.is_empty());
        (names, style)
    })
}

fn names_in(svg: &str) -> BTreeSet<String> {
    let document = roxmltree::Document::parse(svg).unwrap_or_else(|error| panic!("{error}\n{svg}"));
    let elements = document.descendants().filter(roxmltree::Node::is_element);
    let names = elements.flat_map(|element| {
        let name = element.tag_name().name().to_owned();
        let attributes: Vec<String> = element.attributes().map(|attribute| format!("{name} {}", attribute.name())).collect();
        std::iter::once(name).chain(attributes)
    });
    names.collect()
}

/// The text of the style sheet, with the id of the file taken out.
fn style_of(svg: &str) -> String {
    let document = roxmltree::Document::parse(svg).expect("XML");
    let style = document.descendants().find(|node| node.has_tag_name("style"));
    style.and_then(|style| style.text()).unwrap_or_default().to_owned()
}

#[track_caller]
fn check_svg(svg: &str) {
    let (known, _) = vocabulary();
    let foreign: Vec<String> = names_in(svg).difference(known).cloned().collect();
    assert!(foreign.is_empty(), "{foreign:?} in\n{svg}");
    let document = roxmltree::Document::parse(svg).expect("XML");
    for node in document.descendants() {
        assert!(!node.is_comment() && !node.is_pi());
        for attribute in node.attributes() {
            let value = attribute.value();
            assert_eq!(printable(value), value);
            let is_elsewhere = value.contains("url(") && !value.starts_with("url(#") || value.contains("script:");
            assert!(!is_elsewhere, "{value}");
        }
    }
}

/// Elements that a page has; none of them fetches anything, and what its script and style are is checked apart.
const ELEMENTS: &str = "html head meta title style body main header h1 h2 h3 h4 p span ul li a article div nav form fieldset legend label input i \
                        section table thead tbody tr th td figure svg desc defs pattern g path rect circle text tspan details summary dl dt dd \
                        pre footer script";

/// The element of a name, without the rules that hide so many targets as there are.
fn own_text(document: &roxmltree::Document<'_>, name: &str) -> String {
    let element = document.descendants().find(|node| node.has_tag_name(name));
    let text = element.and_then(|element| element.text()).unwrap_or_default();
    text.lines().filter(|line| !line.starts_with(".part:has(.show")).collect::<Vec<_>>().join("\n")
}

fn page_of(page: &str) -> roxmltree::Document<'_> {
    let options = roxmltree::ParsingOptions { allow_dtd: true, ..roxmltree::ParsingOptions::default() };
    roxmltree::Document::parse_with_options(page, options).unwrap_or_else(|error| panic!("{error}\n{page}"))
}

/// The rules that only a page with details has.
const DETAILS_STYLE: &str = include_str!("../../src/report/html/details.css");

/// A page whose elements, script and style are those of a page of harmless records, and which fetches nothing.
#[track_caller]
fn check_html(page: &str) {
    static HARMLESS: std::sync::OnceLock<String> = std::sync::OnceLock::new();
    let directory = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("reports/three-filesystems.html");
    let harmless = page_of(HARMLESS.get_or_init(|| std::fs::read_to_string(directory).expect("a page")));
    let document = page_of(page);
    let known: BTreeSet<&str> = ELEMENTS.split_whitespace().collect();
    for node in document.descendants().filter(roxmltree::Node::is_element) {
        let name = node.tag_name().name();
        assert!(known.contains(name), "{name} in\n{page}");
        for attribute in node.attributes() {
            let (name, value) = (attribute.name(), attribute.value());
            assert!(!name.starts_with("on") && !["src", "srcset", "style", "action", "formaction"].contains(&name), "{name}={value}");
            assert!(name != "href" || value.starts_with('#'), "{value}");
            assert!(!value.contains("url(") || value.starts_with("url(#"), "{value}");
        }
    }
    assert!(document.descendants().all(|node| !node.is_comment() && !node.is_pi()));
    for name in ["script", "style"] {
        assert_eq!(document.descendants().filter(|node| node.has_tag_name(name)).count(), 1);
        // The rules for details stand behind the others where a page has any, as they are in the source.
        let found = own_text(&document, name);
        let found = found.replace(&format!("\n{}", DETAILS_STYLE.trim_end()), "");
        assert_eq!(found, own_text(&harmless, name));
    }
}

#[test]
fn the_readers_find_planted_faults() {
    let finds = |format: &'static str, text: &'static str| std::panic::catch_unwind(move || check(format, text)).is_err();
    assert!(finds("markdown", "a <b>c</b>\n") && finds("markdown", "[a](http://b)\n") && finds("markdown", "![a](b)\n"));
    assert!(finds("csv", "a,b\n=1,2\n") && finds("csv", "a,b\n1\n") && !finds("csv", "a,b\n-1,2\n"));
    assert!(finds("svg", "<svg><script/></svg>") && finds("svg", "<svg onload=\"x\"/>") && finds("svg", "<svg>"));
    assert!(!finds("svg", "<svg viewBox=\"0\"/>"));
    assert!(finds("json", "{") && finds("json", "{}") && finds("json", "[]") && finds("json", "{\"generator\":1,\"report_schema\":NaN}"));
    let own = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/reports/three-filesystems.html")).expect("a page");
    check("html", &own);
    for planted in ["<img/>", "<p onclick=\"x\">a</p>", "<a href=\"http://b\">a</a>", "<script>a</script>", "<!-- a -->", "<p>"] {
        let page: &'static str = own.replacen("</main>", &format!("{planted}</main>"), 1).leak();
        assert!(finds("html", page), "{planted}");
    }
    assert!(finds("mediawiki", "* a [[b]]\n") && finds("mediawiki", "* a <b>\n") && !finds("mediawiki", "* a '''b'''\n"));
    assert!(finds("dokuwiki", "  * a [[c]]\n") && !finds("dokuwiki", "  * %%[[c]]%%\n") && !finds("dokuwiki", "| **b** |\n"));
    assert!(finds("trac", " * a [wiki:b]\n") && !finds("trac", " * `[wiki:b]`\n") && finds("jira", "* a {code}\n"));
    assert!(finds("textile", "* a @b@ [c]\n") && finds("asciidoc", "* a {b}\n") && finds("org", "- a_b\n"));
    assert!(finds("rst", "- a `b`_\n") && !finds("rst", "- a \\`b\\`\\_\n") && finds("bbcode-table", "[url]a\n"));
    assert!(finds("bbcode", "[code]\na [/code] b\n[/code]\n"));
    let long: &'static str = "x".repeat(81).leak();
    assert!(finds("text", long));
}

/// The style sheet is barrow's own, whatever the records say.
#[test]
fn no_text_reaches_the_style_sheet() {
    let (_, own) = vocabulary();
    let renderer = RENDERERS.iter().find(|renderer| renderer.draws()).expect("svg");
    for text in TEXTS {
        let run = read(&changed(&full(0), "/label", &json!(text))).expect("a record");
        assert_eq!(&style_of(renderer.render(&Report::of(&[run])).text().unwrap()), own);
    }
}

/// Every text of a record in turn, and the keys of its tags.
#[test]
fn no_text_from_outside_is_more_than_text_in_any_format() {
    let (mut count, mut done) = (0, BTreeSet::new());
    for document in [short(0, 3), failed(short(0, 3))] {
        let is_text = |pointer: &String| document.pointer(pointer).is_some_and(Value::is_string);
        for pointer in places(&document).into_iter().filter(is_text) {
            // Of the failed run only what the other one does not say.
            if !done.insert(pointer.clone()) {
                continue;
            }
            let runs: Vec<RunRecord> = TEXTS.iter().filter_map(|text| read(&changed(&document, &pointer, &json!(text)))).collect();
            // Alone, so that it stands at the beginning of its line, and then all together.
            if !runs.is_empty() {
                count += runs.len();
                runs.iter().for_each(|run| check_reports(std::slice::from_ref(run)));
                check_reports(&runs);
            }
        }
    }
    for text in TEXTS {
        check_reports(&[read(&changed(&full(0), "/tags", &json!({ text: text }))).expect("a record")]);
    }
    say(&format!("markup: {count} records with one hostile text each"));
    assert!(count > 400, "{count}");
}

/// How a filesystem was made is text from the programs that made it: each of its texts, and a list of features of every kind.
#[test]
fn no_text_of_a_making_is_more_than_text_in_any_format() {
    let pointers = ["/making/mkfs", "/making/mkfs_version", "/making/mount_options", "/making/features/0", "/making/check_words"];
    let document = short(0, 3);
    for pointer in pointers {
        assert!(document.pointer(pointer).is_some_and(Value::is_string), "{pointer} is a text of a record");
    }
    let unlike = |text: &str, other: &str| {
        let all = pointers.iter().fold(document.clone(), |document, pointer| changed(&document, pointer, &json!(text)));
        let lists = [json!(TEXTS), json!([other])];
        let runs = lists.map(|features| read(&changed(&all, "/making/features", &features)).expect("a record"));
        let [mut one, two] = runs;
        one.label = "other".to_owned();
        [one, two]
    };
    for (text, other) in TEXTS.iter().zip(TEXTS.iter().cycle().skip(1)) {
        check_reports(&unlike(text, other));
    }
    let unchecked = changed(&document, "/making/check_ns", &Value::Null);
    for text in TEXTS {
        check_reports(&[read(&changed(&unchecked, "/making/check_words", &json!(text))).expect("a record")]);
    }
}

/// Every hostile text as a label, in a picture: it is drawn, and it is whole.
#[test]
fn hostile_labels_are_drawn() {
    let renderer = RENDERERS.iter().find(|renderer| renderer.name() == "png").expect("the format");
    let long = "x".repeat(1 << 20);
    let labels = TEXTS.iter().copied().chain([long.as_str()]);
    let runs: Vec<RunRecord> = labels.map(|text| read(&changed(&full(0), "/label", &json!(text))).expect("a record")).collect();
    let rendering = renderer.render(&Report::of(&runs));
    let bytes = rendering.bytes();
    assert!(bytes.starts_with(b"\x89PNG") && bytes.ends_with(b"IEND\xaeB`\x82"), "{} bytes", bytes.len());
}

/// A record whose second phase failed and whose third was skipped.
fn failed(document: Value) -> Value {
    let failed = changed(&document, "/phases/1/status", &json!("failed"));
    changed(&failed, "/phases/2/status", &json!("skipped"))
}
