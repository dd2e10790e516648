//! Tests of whole pages: well-formed, complete, alike each time, and nothing in them but what barrow writes.

use super::*;
use crate::model::flag::Flag;
use crate::model::identity::Identity;
use crate::model::label::CacheLabel;
use crate::model::phase::Phase;
use crate::model::record::{PhaseRecord, PhaseResult, Reported, RunRecord};
use crate::model::sample;
use proptest::prelude::*;
use roxmltree::{Document, ParsingOptions};
use std::collections::BTreeSet;

fn page(records: &[RunRecord]) -> String {
    Html.render(&Report::of(records)).text().unwrap().to_owned()
}

/// The page as XML, which it is too.
fn parsed(page: &str) -> Document<'_> {
    Document::parse_with_options(page, ParsingOptions { allow_dtd: true, ..ParsingOptions::default() })
        .unwrap_or_else(|error| panic!("{error}\n{page}"))
}

/// Everything that a reader of the page sees or hears, without blanks that do not break.
fn texts(document: &Document<'_>) -> String {
    let texts = document.descendants().filter(|node| node.is_text()).filter_map(|node| node.text());
    texts.collect::<Vec<_>>().join(" ").replace('\u{a0}', " ")
}

#[track_caller]
fn assert_sound(page: &str) {
    let document = parsed(page);
    let ids: Vec<&str> = document.descendants().filter_map(|node| node.attribute("id")).collect();
    assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len(), "each id once: {ids:?}");
    let elements = || document.descendants().filter(roxmltree::Node::is_element);
    for node in elements() {
        let names = node.attribute("aria-labelledby").unwrap_or_default().split(' ').filter(|name| !name.is_empty());
        let links = node.attribute("href").into_iter().map(|link| link.strip_prefix('#').unwrap_or_else(|| panic!("{link} is elsewhere")));
        for id in names.chain(links) {
            assert!(ids.contains(&id), "nothing is called {id}");
        }
        for attribute in node.attributes() {
            assert!(!attribute.name().starts_with("on") && attribute.name() != "src", "{attribute:?}");
            assert!(!attribute.value().contains("url(") || attribute.value().starts_with("url(#"), "{attribute:?}");
            assert!(!attribute.value().contains("://") && !attribute.value().contains("NaN"), "{attribute:?}");
        }
    }
    assert_eq!(elements().filter(|node| node.has_tag_name("h1")).count(), 1);
    assert_eq!(elements().filter(|node| node.has_tag_name("script")).count(), 1);
    // No heading skips a level.
    let levels = elements().filter_map(|node| node.tag_name().name().strip_prefix('h')?.parse::<usize>().ok());
    levels.fold(0, |before, level| {
        assert!(level <= before + 1, "h{level} after h{before}");
        level
    });
    // A row has as many cells as there are heads.
    for table in elements().filter(|node| node.has_tag_name("table")) {
        let rows: Vec<_> = table.descendants().filter(|node| node.has_tag_name("tr")).collect();
        let width = |row: &roxmltree::Node<'_, '_>| -> usize {
            let cells = row.children().filter(|node| node.has_tag_name("td") || node.has_tag_name("th"));
            cells.map(|cell| cell.attribute("colspan").map_or(1, |span| span.parse().unwrap())).sum()
        };
        let first = width(&rows[0]);
        let is_of_runs = table.attribute("class").is_some_and(|class| class.starts_with("runs"));
        assert!(
            rows.iter().all(|row| width(row) == first || is_of_runs && width(row) <= first),
            "{:?}",
            rows.iter().map(width).collect::<Vec<_>>()
        );
    }
}

fn records(targets: usize, runs: u32) -> Vec<RunRecord> {
    let labels = [
        "ext4",
        "xfs",
        "btrfs (zstd:3)",
        "",
        "<script>alert(1)</script>",
        "a label of over twenty-two characters",
        "漢字",
        "שלום",
        "j",
        "k",
        "l",
        "m",
    ];
    let mut records = Vec::new();
    for round in 1..=runs {
        for (place, label) in labels.iter().take(targets).enumerate() {
            let mut run = sample::run(label, round);
            run.target = u32::try_from(place).unwrap();
            for phase in Phase::STANDARD {
                sample::set_rate(&mut run, *phase, 400.0 + f64::from(round) + 70.0 * place as f64);
            }
            records.push(run);
        }
    }
    records
}

#[test]
fn filesystems_that_were_made_have_their_table_and_its_legend() {
    let mut records: Vec<RunRecord> = (1..=3).flat_map(|round| ["ext4", "xfs"].map(|label| sample::made(label, round))).collect();
    records.push(sample::run("tmpfs", 1));
    records[2].making.as_mut().unwrap().check_words = Some("<inode 12>".to_owned());
    let page = page(&records);
    assert_sound(&page);
    let document = parsed(&page);
    let section = document.descendants().find(|node| node.attribute("id") == Some("made")).unwrap();
    let rows: Vec<_> = section.descendants().filter(|node| node.has_tag_name("tr")).collect();
    assert_eq!(rows.len(), 1 + 14, "a row a quantity");
    let text = texts(&document);
    for expected in
        ["The filesystems as made", "faults found", "The check found faults on ext4 (run 2): <inode 12>.", "making it", "began remounted"]
    {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    let without = self::page(&[sample::run("ext4", 1)]);
    assert!(!without.contains("id=\"made\"") && !without.contains("As made"));
}

#[test]
fn pages_of_any_size_are_sound_and_alike_each_time() {
    for (targets, runs) in [(0, 0), (1, 1), (1, 6), (2, 2), (3, 6), (4, 3), (6, 3), (7, 1), (12, 3), (3, 72)] {
        let records = records(targets, runs);
        let first = page(&records);
        assert_sound(&first);
        assert_eq!(first, page(&records), "{targets} targets, {runs} runs");
    }
}

#[test]
fn every_figure_of_the_table_is_in_the_page() {
    let records = records(3, 6);
    let report = Report::of(&records);
    let page = page(&records);
    let shown = texts(&parsed(&page));
    // A median is taken apart at its point.
    let shown: String = shown.split_whitespace().collect();
    for block in &table(&report.sections[0]).blocks {
        for row in block.phases.iter().flat_map(|phase| &phase.rows) {
            let figures =
                [&row.rate.median, &row.rate.low, &row.rate.high, &row.acknowledged, &row.cpu_own, &row.cpu_system, &row.p50, &row.p99];
            for figure in figures {
                let figure: String = figure.split_whitespace().collect();
                assert!(shown.contains(&figure), "{figure}");
            }
        }
    }
    for record in &records {
        let rate = record.phase(Phase::BlockWrite).unwrap().rate().unwrap() / 1_048_576.0;
        assert!(shown.contains(&format!("{rate:.1}")), "the value of each run: {rate}");
    }
}

#[test]
fn what_is_doubtful_or_missing_is_said() {
    let mut records = records(2, 3);
    sample::phase_mut(&mut records[0], Phase::SeqStat).flags = vec![Flag::Short];
    for run in &mut records {
        sample::phase_mut(run, Phase::RandomStat).cache = Some(CacheLabel::Mixed(8));
    }
    *sample::phase_mut(&mut records[1], Phase::Rewrite) = PhaseRecord::failed(Phase::Rewrite, "no <space>");
    let page = page(&records);
    assert_sound(&page);
    let shown = texts(&parsed(&page));
    assert!(page.contains("<span class=\"chip mem\">mixed 8%</span>") && page.contains("<span class=\"chip\">short</span>"));
    assert!(shown.contains("xfs, rewrite: failed in run 1: no <space>"), "{shown}");
    assert!(shown.contains("the phase took under 1 s: rate and CPU are coarse. Here: ext4, seq. stat."), "{shown}");
    assert!(page.contains("<td class=\"t1 q\">"), "a doubtful median is quiet");
}

#[test]
fn unlike_work_has_parts_of_its_own() {
    let mut records = records(2, 3);
    let others: Vec<RunRecord> = records.iter().map(|run| RunRecord { workload_id: Identity(5), ..run.clone() }).collect();
    records.extend(others);
    let page = page(&records);
    assert_sound(&page);
    assert!(page.contains("<h1 class=\"title\">2 workloads</h1>") && page.contains("id=\"s2-bars-wide-t\""));
    assert_eq!(page.matches("<article").count(), 2);
}

#[test]
fn only_failures_and_reported_numbers_make_a_page() {
    let mut run = sample::run("old", 1);
    for phase in Phase::STANDARD {
        *sample::phase_mut(&mut run, *phase) = PhaseRecord::failed(*phase, "gone");
    }
    let failed = page(&[run.clone()]);
    assert_sound(&failed);
    assert!(failed.contains("No phase has a figure.") && !failed.contains("<svg"));
    for rate in [5e8, 0.0, 1e300, f64::NAN, -1.0] {
        run = sample::imported("old", 1);
        for record in &mut run.phases {
            let reported = Reported { rate: Some(rate), cpu_percent: Some(rate), latency_max_ns: None };
            record.result = Some(PhaseResult::Reported(reported));
        }
        let page = page(&[run.clone()]);
        assert_sound(&page);
        assert!(!page.contains("barrow run"), "what another program measured cannot be repeated");
    }
}

#[test]
fn of_very_many_runs_the_page_stays_small() {
    let page = page(&(1..=3000).map(|round| sample::run("ext4", round)).collect::<Vec<_>>());
    assert_sound(&page);
    assert!(page.contains("They are 30,000, too many for a page"));
    assert!(page.len() < 250_000, "{}", page.len());
}

#[test]
fn a_comparison_says_its_verdicts() {
    let records = records(2, 6);
    let mut report = Report::of(&records);
    report.sections[0].comparison = Some(Comparison::of(&report.sections[0], 0));
    let page = Html.render(&report).text().unwrap().to_owned();
    assert_sound(&page);
    let shown = texts(&parsed(&page));
    assert!(shown.contains("xfs against ext4: faster in") && shown.contains("Ratios to ext4") && shown.contains("▲ faster"), "{shown}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn any_labels_make_a_sound_page(labels in prop::collection::vec(prop_oneof!["[ -~]{0,60}", ".{0,30}", "[\u{fffe}\u{ffff}\u{0}<&\"'>]{0,9}"], 1..5)) {
        let records: Vec<RunRecord> = labels.iter().flat_map(|label| (1..3).map(|round| sample::run(label, round))).collect();
        let page = page(&records);
        assert_sound(&page);
        // Nothing of a label is markup, so the harmless page has as many elements.
        let harmless: Vec<RunRecord> = (0..labels.len()).flat_map(|place| (1..3).map(move |round| sample::run(&place.to_string(), round))).collect();
        if labels.iter().collect::<BTreeSet<_>>().len() == labels.len() && labels.iter().all(|label| label.chars().count() <= 10) {
            let count = |page: &str| parsed(page).descendants().filter(|node| node.has_tag_name("td") || node.has_tag_name("script")).count();
            prop_assert_eq!(count(&page), count(&self::page(&harmless)));
        }
    }
}
