use super::*;
use crate::model::flag::Flag;
use crate::model::label::CacheLabel;
use crate::model::phase::Phase;
use crate::model::record::{PhaseRecord, PhaseResult, Reported, RunRecord};
use crate::model::sample;
use crate::report::document::{Part, documents};
use proptest::prelude::*;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

fn text_of(records: &[RunRecord]) -> String {
    Markdown.render(&Report::of(records)).text().unwrap().to_owned()
}

/// What a reader of CommonMark with tables makes of a text.
#[derive(Debug, Default)]
struct Read {
    /// The cells of all tables, row by row.
    rows: Vec<Vec<String>>,
    /// Headings, paragraphs and list items.
    blocks: Vec<String>,
    /// Markup other than what barrow writes.
    foreign: Vec<String>,
}

fn read(text: &str) -> Read {
    let mut read = Read::default();
    let mut current = String::new();
    for event in Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH) {
        match event {
            Event::Start(Tag::TableHead | Tag::TableRow) => read.rows.push(Vec::new()),
            Event::Start(Tag::Table(_) | Tag::TableCell | Tag::Heading { .. } | Tag::Paragraph | Tag::List(None) | Tag::Item) => {
                current.clear();
            }
            Event::Start(Tag::Strong) | Event::End(TagEnd::Strong) => {}
            Event::End(TagEnd::TableCell) => read.rows.last_mut().unwrap().push(std::mem::take(&mut current)),
            Event::End(TagEnd::Heading(_) | TagEnd::Paragraph | TagEnd::Item) => read.blocks.push(std::mem::take(&mut current)),
            Event::End(_) => {}
            Event::Text(part) | Event::Code(part) => current.push_str(&part),
            other => read.foreign.push(format!("{other:?}")),
        }
    }
    read
}

/// The cells of the documents of some records, without any markup.
fn document_rows(parts: &[Part]) -> Vec<Vec<String>> {
    let grids = parts.iter().filter_map(|part| if let Part::Grid(grid) = part { Some(grid) } else { None });
    let plain = |text: &str| text.trim_matches(' ').to_owned();
    let rows = grids.flat_map(|grid| {
        let heads = grid.heads.iter().map(|(head, _)| plain(head)).collect();
        let rows = grid.rows.iter().map(|cells| cells.iter().map(|cell| plain(&cell.text)).collect());
        std::iter::once(heads).chain(rows).collect::<Vec<_>>()
    });
    rows.collect()
}

/// What the headings, paragraphs and items of some parts say.
fn document_blocks(parts: &[Part]) -> Vec<String> {
    let said = parts.iter().flat_map(|part| match part {
        Part::Heading(text) => vec![text.clone()],
        Part::Paragraph(sentences) => vec![sentences.concat()],
        Part::List(items) => items.iter().map(|(Item::Text(text) | Item::Code(text))| text.clone()).collect(),
        Part::Grid(_) => Vec::new(),
        Part::Verbatim(lines) => lines.clone(),
    });
    said.map(|text| text.trim_matches(' ').to_owned()).collect()
}

#[track_caller]
fn check(records: &[RunRecord]) {
    let text = text_of(records);
    let read = read(&text);
    let parts = documents(&Report::of(records)).concat();
    assert_eq!(read.rows, document_rows(&parts), "{text}");
    assert_eq!(read.foreign, Vec::<String>::new(), "{text}");
    assert_eq!(read.blocks, document_blocks(&parts), "{text}");
}

/// A run with four phases, so that the whole fits a page.
fn short_run(label: &str, round: u32) -> RunRecord {
    let mut run = sample::run(label, round);
    let phases = [Phase::BlockWrite, Phase::BlockRead, Phase::SeqStat, Phase::SeqDelete];
    run.phases.retain(|record| phases.contains(&record.name));
    run
}

#[test]
fn two_targets_make_the_whole_text() {
    let mut records: Vec<RunRecord> = Vec::new();
    for round in 1..=3 {
        for (target, label) in [(1, "ext4"), (2, "btrfs (zstd:3)")] {
            let mut run = RunRecord { target, ..short_run(label, round) };
            sample::set_rate(&mut run, Phase::BlockWrite, 480.0 + f64::from(10 * round));
            sample::phase_mut(&mut run, Phase::SeqStat).flags = vec![Flag::Short];
            run.phases.push(PhaseRecord::skipped(Phase::RandomSeek, "seeks = 0"));
            records.push(run);
        }
    }
    let found = text_of(&records);
    let table: Vec<&str> = found.lines().filter(|line| line.starts_with('|')).collect();
    let expected = "\
| Phase                | Target         |     Median | Range of 3 runs |   Ack. | CPU % own / sys |   p99 | Cache, flags  |
|:---------------------|:---------------|-----------:|----------------:|-------:|----------------:|------:|:--------------|
| Block write, MiB/s   | ext4           |    **500** |       490 – 510 |  1,000 |         16 / 40 | 42 µs | durable       |
|                      | btrfs (zstd:3) |    **500** |       490 – 510 |  1,000 |         16 / 40 | 42 µs | durable       |
| Block read, MiB/s    | ext4           |  **500.0** |   500.0 – 500.0 |        |         16 / 40 | 42 µs | cold          |
|                      | btrfs (zstd:3) |  **500.0** |   500.0 – 500.0 |        |         16 / 40 | 42 µs | cold          |
| Seq. stat, files/s   | ext4           | **50,000** | 50,000 – 50,000 |        |         16 / 40 | 42 µs | cached, short |
|                      | btrfs (zstd:3) | **50,000** | 50,000 – 50,000 |        |         16 / 40 | 42 µs | cached, short |
| Seq. delete, files/s | ext4           | **50,000** | 50,000 – 50,000 | 62,500 |         16 / 40 | 42 µs | durable       |
|                      | btrfs (zstd:3) | **50,000** | 50,000 – 50,000 | 62,500 |         16 / 40 | 42 µs | durable       |
";
    assert_eq!(format!("{}\n", table.join("\n")), expected, "{found}");
    for said in [
        "### barrow 0.1.0, std/1, 2 targets × 3 runs, interleaved, 2026-11-30\n\nSeq. stat was answered from memory.\n",
        "- Linux 6.18.4",
        "- Median and range of 3 runs.",
        "- durable: flushed to the device inside the clock. cold: ",
        "short: the phase took under 1 s",
        "- Without a rate: random seek, every target: skipped: seeks = 0.",
        "- `profile=std/1 file\u{5f}size=4g ",
        "- Workload 7f3a91c2e05d4b18",
    ] {
        assert!(found.contains(said), "{said} is not in\n{found}");
    }
    check(&records);
}

#[test]
fn hostile_labels_come_back() {
    let hostile = [
        "a|b*c_ `d` [e] <f> ^g^ {h} +++++",
        "",
        "   ",
        "a\nb\r\nc",
        "|",
        "\\",
        "a\\|b\\\\|c\\",
        "`|`",
        "``x`",
        "<script>alert(1)</script>",
        "<!-- x",
        "&amp; &#124; &nbsp;",
        "[x](http://y) ![z](w) <http://v>",
        "**bold** __x__ ~~y~~ _z_",
        "# h",
        "- item",
        "1. item",
        "---",
        "漢字のラベル|と",
        "תווית|בעברית",
        "e\u{301}\u{202e}x",
        "🦀|🦀",
        "$x$ :smile: @you #1",
        "https://example.org/a_b_c",
    ];
    for label in hostile {
        check(&[sample::run(label, 1)]);
    }
    let all: Vec<RunRecord> = hostile.iter().chain(&["x|".repeat(100).as_str()]).map(|label| sample::run(label, 1)).collect();
    check(&all);
}

#[test]
fn hostile_reasons_and_facts_come_back() {
    let hostile = "a|b\n# c <d> `e` \\";
    let mut run = sample::run(hostile, 1);
    *sample::phase_mut(&mut run, Phase::Rewrite) = PhaseRecord::failed(Phase::Rewrite, hostile);
    run.profile = "my`|file".to_owned();
    run.tags.insert(hostile.to_owned(), hostile.to_owned());
    run.filesystem.mount_options = hostile.to_owned();
    run.machine.cpu_model = Some("1. <b>".to_owned());
    let text = text_of(std::slice::from_ref(&run));
    assert!(read(&text).blocks.iter().any(|block| block.contains("rewrite: failed: a|b?# c <d> `e` \\.")), "{text}");
    check(&[run]);
}

#[test]
fn a_section_for_each_workload() {
    let mut other = sample::run("xfs", 1);
    other.workload_id = crate::model::identity::Identity(9);
    let records = [sample::run("ext4", 1), other];
    let text = text_of(&records);
    assert!(text.starts_with("2 workloads. "), "{text}");
    assert_eq!(text.matches("\n### barrow").count(), 2, "{text}");
    check(&records);
    assert_eq!(text_of(&[]), "No runs.\n");
}

#[test]
fn what_is_not_known_has_no_column() {
    let mut run = sample::run("old", 1);
    for phase in Phase::STANDARD {
        let record = sample::phase_mut(&mut run, *phase);
        let reported = Reported { rate: Some(5.0), cpu_percent: Some(7.0), latency_max_ns: None };
        *record = PhaseRecord { result: Some(PhaseResult::Reported(reported)), cache: None, durable: None, ..record.clone() };
    }
    let text = text_of(std::slice::from_ref(&run));
    assert_eq!(read(&text).rows[0], ["Phase", "Target", "Median", "CPU % own"]);
    check(&[run]);
    let mut nothing = sample::run("xfs", 1);
    for phase in Phase::STANDARD {
        *sample::phase_mut(&mut nothing, *phase) = PhaseRecord::failed(*phase, "no space");
    }
    let text = text_of(std::slice::from_ref(&nothing));
    assert!(text.contains("| xfs    |      – | failed |") && text.contains("\nNo phase has a figure.\n"), "{text}");
    check(&[nothing]);
}

fn label() -> impl Strategy<Value = String> {
    prop_oneof![".{0,60}", r"[|\\`*_<>&\[\] a~$#-]{0,30}", Just("漢|字".repeat(30))]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn any_label_comes_back(labels in prop::collection::vec(label(), 1..5), reason in label(), runs in 1_u32..7, rate in 0.0..1e9) {
        let mut records = Vec::new();
        for (target, label) in (1..).zip(&labels) {
            for round in 1..=runs {
                let mut run = RunRecord { target, ..sample::run(label, round) };
                run.batch = crate::model::identity::Identity(u64::from(target));
                sample::set_rate(&mut run, Phase::BlockWrite, rate * f64::from(round));
                sample::counted_mut(&mut run, Phase::RandomSeek).system_busy_ns = None;
                sample::phase_mut(&mut run, Phase::SeqStat).cache = Some(CacheLabel::Mixed(round as u8));
                *sample::phase_mut(&mut run, Phase::Rewrite) = PhaseRecord::failed(Phase::Rewrite, reason.clone());
                run.tags.insert(reason.clone(), label.clone());
                records.push(run);
            }
        }
        check(&records);
        prop_assert_eq!(text_of(&records), text_of(&records));
    }
}
