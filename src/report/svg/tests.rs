//! Tests of whole files: well-formed, the same each time, nothing clipped and nothing on each other, by the widths that barrow itself
//! reckons with. `tests/charts.rs` asks a real text engine the same.

use super::letters::{Face, width};
use super::*;
use crate::model::flag::Flag;
use crate::model::identity::Identity;
use crate::model::label::CacheLabel;
use crate::model::phase::Phase;
use crate::model::record::{PhaseRecord, RunRecord};
use crate::model::sample;
use crate::model::slices::Slices;
use crate::report::chart::{CHARTS, ChartChoice, ChartKind};
use proptest::prelude::*;

fn svg(records: &[RunRecord], kind: Option<&'static ChartKind>, narrow: bool) -> String {
    Svg.render(&Report { chart: ChartChoice { kind, narrow }, ..Report::of(records) }).text().unwrap().to_owned()
}

fn every_form(records: &[RunRecord]) -> Vec<(String, String)> {
    let forms = CHARTS.iter().flat_map(|kind| [(kind, false), (kind, true)]);
    forms.map(|(kind, narrow)| (format!("{} narrow={narrow}", kind.name), svg(records, Some(kind), narrow))).collect()
}

/// A text with its box: left, top, right, bottom.
struct Text {
    content: String,
    area: [f64; 4],
}

/// Every text of a file with its box, by the table of widths.
fn texts(document: &roxmltree::Document<'_>) -> Vec<Text> {
    let number = |node: roxmltree::Node<'_, '_>, name: &str| node.attribute(name).map(|text| text.parse::<f64>().unwrap());
    let face = |node: roxmltree::Node<'_, '_>| Face {
        size: number(node, "font-size").unwrap_or(12.0),
        is_bold: node.attribute("font-weight").is_some(),
    };
    let measured = |node: roxmltree::Node<'_, '_>| {
        let spans: Vec<_> = node.children().filter(|child| child.has_tag_name("tspan")).collect();
        let of = |node: roxmltree::Node<'_, '_>| {
            (node.text().unwrap_or_default().to_owned(), width(node.text().unwrap_or_default(), face(node)))
        };
        let parts: Vec<(String, f64)> = if spans.is_empty() { vec![of(node)] } else { spans.iter().map(|span| of(*span)).collect() };
        let gaps = elements::SPAN_GAP * (parts.len() - 1) as f64;
        let size = spans.iter().map(|span| face(*span).size).fold(face(node).size, f64::max);
        (parts.iter().map(|(text, _)| text.as_str()).collect::<String>(), parts.iter().map(|(_, width)| width).sum::<f64>() + gaps, size)
    };
    let text = |node: roxmltree::Node<'_, '_>| {
        let (content, width, size) = measured(node);
        let (x, y) = (number(node, "x").unwrap(), number(node, "y").unwrap());
        let left = match node.attribute("text-anchor") {
            Some("middle") => x - width / 2.0,
            Some("end") => x - width,
            _ => x,
        };
        Text { content, area: [left, y - size * 0.78, left + width, y + size * 0.22] }
    };
    document.descendants().filter(|node| node.has_tag_name("text")).map(text).collect()
}

/// What is wrong with a file, in words.
fn faults(svg: &str) -> Vec<String> {
    let document = roxmltree::Document::parse(svg).expect("well-formed XML");
    let root = document.root_element();
    let size: Vec<f64> = root.attribute("viewBox").unwrap().split(' ').map(|number| number.parse().unwrap()).collect();
    let texts = texts(&document);
    let mut faults = Vec::new();
    if texts.is_empty() {
        faults.push("no text at all".to_owned());
    }
    for (place, Text { content, area: [left, top, right, bottom] }) in texts.iter().enumerate() {
        if *left < -0.1 || *top < -0.1 || *right > size[2] + 0.1 || *bottom > size[3] + 0.1 {
            faults.push(format!("clipped: {content} at {left:.1} {top:.1} {right:.1} {bottom:.1} of {size:?}"));
        }
        for other in &texts[..place] {
            let [other_left, other_top, other_right, other_bottom] = other.area;
            let is_apart =
                *right <= other_left + 0.15 || other_right <= *left + 0.15 || *bottom <= other_top + 0.15 || other_bottom <= *top + 0.15;
            if !is_apart && !content.is_empty() && !other.content.is_empty() {
                faults.push(format!("overlap: `{content}` and `{}`", other.content));
            }
        }
    }
    let ids: Vec<&str> = document.descendants().filter_map(|node| node.attribute("id")).collect();
    let prefix = ids.first().map_or("", |id| id.trim_end_matches("-t"));
    if !ids.iter().all(|id| id.starts_with(prefix)) || root.attribute("role") != Some("img") {
        faults.push(format!("head: {ids:?}"));
    }
    let named: Vec<&str> = root.attribute("aria-labelledby").unwrap().split(' ').collect();
    if named.iter().any(|name| !ids.contains(name)) {
        faults.push(format!("aria-labelledby: {named:?} of {ids:?}"));
    }
    let rows = document.descendants().filter(|node| node.has_tag_name("g"));
    faults
        .extend(rows.filter(|row| row.first_child().and_then(|title| title.text()).is_none()).map(|_| "a row without a title".to_owned()));
    faults
}

fn assert_sound(records: &[RunRecord]) {
    for (form, svg) in every_form(records) {
        assert_eq!(faults(&svg), Vec::<String>::new(), "{form}\n{svg}");
    }
}

#[test]
fn every_kind_of_profile_is_drawn_soundly() {
    for kind in ["small files", "sync", "blocks", "file server", "tree", "commands"] {
        let phases = sample::phases_of(kind);
        let one = |round| LABELS[..3].iter().map(|label| sample::of_phases(label, round, &phases)).collect::<Vec<_>>();
        assert_sound(&(1..=3).flat_map(one).collect::<Vec<_>>());
    }
}

const LABELS: [&str; 12] = [
    "ext4",
    "",
    "a label of sixty characters that names a very long mount pnt",
    "a_label_of_sixty_characters_without_a_single_blank_in_it_at_all",
    "漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字",
    "מערכת קבצים מהירה מאוד עם שם ארוך",
    "<&>\"'\u{1b}[31m\u{0}\u{202e}",
    "btrfs (zstd:3)",
    "MMMMMMMMMMMMWWWWWWWWWWWW",
    "ÆŒǱѼ⋙‱😴",
    "e\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}",
    "i",
];

fn records(targets: usize, runs: u32, spread: f64) -> Vec<RunRecord> {
    let mut records = Vec::new();
    for round in 1..=runs {
        for (place, label) in LABELS.iter().take(targets).enumerate() {
            let mut run = sample::run(label, round);
            run.target = u32::try_from(place).unwrap();
            let factor = spread.powf(f64::from(round) / f64::from(runs)) * (place + 1) as f64;
            for phase in Phase::STANDARD {
                sample::set_rate(&mut run, *phase, 100.0 * factor);
            }
            sample::phase_mut(&mut run, Phase::BlockRead).cache = Some(CacheLabel::Mixed(u8::try_from(round).unwrap()));
            sample::phase_mut(&mut run, Phase::SeqCreate).flags = vec![Flag::NotSteady];
            for phase in [Phase::BlockWrite, Phase::RandomSeek, Phase::SeqCreate] {
                let counted = sample::counted_mut(&mut run, phase);
                let slices = u64::from(round % 33) + 32;
                counted.operations = slices;
                let elapsed_ns = (0..slices).map(|place| 1_000_000 * u64::from(round) * (1 + place / 16)).collect();
                counted.slices = Some(Slices { operations_each: 1, elapsed_ns });
            }
            records.push(run);
        }
    }
    records
}

#[test]
fn texts_stand_apart_for_every_number_of_targets_and_runs() {
    for targets in 1..=LABELS.len() {
        assert_sound(&records(targets, 3, 1.1));
    }
    for runs in [1, 2, 6, 72] {
        assert_sound(&records(3, runs, 1.5));
    }
    for label in LABELS {
        assert_sound(&[RunRecord { label: label.to_owned(), ..sample::run("", 1) }]);
    }
}

#[test]
fn batches_stand_apart_for_every_number_of_labels() {
    for (targets, count) in [(1, 2), (2, 9), (4, 30), (12, 3)] {
        let mut all = Vec::new();
        for number in 1..=count {
            let mut batch = records(targets, 3, 1.1);
            for run in &mut batch {
                run.batch = Identity(number);
                run.started = format!("2026-{:02}-{:02}T10:{number:02}:00Z", number % 12 + 1, number % 28 + 1);
                run.machine.kernel = Some(format!("Linux 6.{number}.{}", "0".repeat(number as usize)));
            }
            all.extend(batch);
        }
        assert_sound(&all);
    }
}

#[test]
fn a_trend_has_its_line_its_shading_and_its_words() {
    let kind = CHARTS.iter().copied().find(|kind| kind.name == "trend");
    let svg = svg(&records(2, 3, 1.1), kind, false);
    let document = roxmltree::Document::parse(&svg).unwrap();
    let rows: Vec<_> = document.descendants().filter(|node| node.has_tag_name("g")).collect();
    assert_eq!(rows.len(), 2 * 5, "block and seek phases, and the one that was not steady");
    let first: Vec<&str> = rows[0].children().map(|node| node.tag_name().name()).collect();
    assert_eq!(first, ["title", "path", "path"]);
    assert!(texts(&document).iter().any(|text| text.content.starts_with("not steady: ")), "{svg}");
}

#[test]
fn a_planted_fault_is_found() {
    let svg = svg(&records(2, 3, 1.1), None, false);
    assert!(faults(&svg).is_empty());
    let clipped = svg.replacen("<text x=\"20\"", "<text x=\"-20\"", 1);
    assert!(faults(&clipped).iter().any(|fault| fault.starts_with("clipped")), "{clipped}");
    let overlapping = svg.replace("text-anchor=\"end\"", "text-anchor=\"start\"");
    assert!(faults(&overlapping).iter().any(|fault| fault.starts_with("overlap")));
}

#[test]
fn no_records_make_one_line_that_says_so() {
    for (form, svg) in every_form(&[]) {
        assert!(svg.contains(">No runs</text>") && svg.lines().count() == 1, "{form} {svg}");
        assert_eq!(faults(&svg), Vec::<String>::new());
    }
}

#[test]
fn runs_without_any_figure_are_drawn_and_said() {
    let mut run = sample::run("ext4", 1);
    run.phases = Phase::STANDARD.iter().map(|phase| PhaseRecord::failed(*phase, "no space left on device")).collect();
    assert_sound(std::slice::from_ref(&run));
    assert!(svg(std::slice::from_ref(&run), None, false).contains("No phase has a figure."));
    run.phases.clear();
    assert_sound(&[run]);
}

#[test]
fn each_workload_has_its_chart() {
    let mut records = records(2, 2, 1.1);
    for run in records.iter_mut().skip(2) {
        run.workload_id = Identity(7);
    }
    assert_sound(&records);
    let svg = svg(&records, None, false);
    assert!(svg.contains("2 workloads. They are unlike work") && svg.matches("workload 7f3a91c2e05d4b18").count() == 1);
}

#[test]
fn every_figure_is_in_a_text_and_its_row_is_a_sentence() {
    let records = records(2, 6, 1.2);
    for kind in ["bars", "runs"] {
        let kind = CHARTS.iter().copied().find(|other| other.name == kind);
        let svg = svg(&records, kind, false);
        let document = roxmltree::Document::parse(&svg).unwrap();
        let shown: Vec<String> = texts(&document).into_iter().map(|text| text.content).collect();
        let report = Report::of(&records);
        for (_, summary) in report.sections[0].measured() {
            let (_, unit) = summary.phase.row().unit.rate();
            let figures = crate::report::figures::rate_figures(&summary.rate.unwrap(), unit);
            let whole = figures.median.split('.').next().unwrap().to_owned();
            for text in [&whole, &figures.low, &figures.high] {
                assert!(shown.contains(text), "{text} of {}", summary.phase.name());
            }
            assert!(svg.contains(&format!(": median {} ", figures.median)));
        }
    }
}

#[test]
fn extremes_are_drawn_and_said() {
    let rates: [&[f64]; 8] = [
        &[0.0],
        &[0.0, 0.0, 0.0],
        &[5.0, 5.0, 5.0],
        &[1e-3, 1.0, 1e9],
        &[1e-3, 1e9],
        &[1e12, 2e12, 1e12],
        &[f64::MIN_POSITIVE, 1.0, 1e300],
        &[f64::NAN, f64::INFINITY, -1.0],
    ];
    for values in rates {
        let mut records = Vec::new();
        for (round, rate) in (1..).zip(values) {
            let mut run = sample::run("ext4", round);
            for phase in Phase::STANDARD {
                let reported = crate::model::record::Reported { rate: Some(*rate), cpu_percent: Some(*rate), latency_max_ns: None };
                sample::phase_mut(&mut run, *phase).result = Some(crate::model::record::PhaseResult::Reported(reported));
            }
            records.push(run);
        }
        assert_sound(&records);
        for (form, svg) in every_form(&records) {
            assert!(!svg.contains("NaN") && !svg.contains("\"inf"), "{form}: {values:?}");
        }
    }
}

#[test]
fn of_very_many_runs_equal_dots_are_drawn_once() {
    let records: Vec<RunRecord> = (1..=3000).map(|round| sample::run("ext4", round)).collect();
    let kind = CHARTS.iter().copied().find(|kind| kind.name == "runs");
    let svg = svg(&records, kind, false);
    assert!(svg.len() < 60_000, "{}", svg.len());
    assert!(svg.contains("3000 runs: from 500 to 500"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn any_labels_and_rates_make_a_sound_file(
        labels in prop::collection::vec(prop_oneof!["[ -~]{0,60}", ".{0,30}", "[漢字שלום]{0,20}"], 1..5),
        powers in prop::collection::vec(-3.0_f64..9.0, 1..8),
    ) {
        let mut records = Vec::new();
        for (round, power) in (1..).zip(&powers) {
            for label in &labels {
                let mut run = sample::run(label, round);
                for (place, phase) in Phase::STANDARD.iter().enumerate() {
                    sample::set_rate(&mut run, *phase, 10_f64.powf(power / (place + 1) as f64));
                }
                records.push(run);
            }
        }
        for (form, svg) in every_form(&records) {
            prop_assert_eq!(faults(&svg), Vec::<String>::new(), "{}", form);
        }
        prop_assert_eq!(svg(&records, None, false), svg(&records, None, false));
    }
}
