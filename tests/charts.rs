//! Charts as a real text engine sets them: no text is clipped, no two lie on each other, whatever the labels are.

use barrow::model::record::{PhaseResult, Reported, RunRecord};
use barrow::report::chart::{CHARTS, ChartChoice};
use barrow::report::{Report, renderer_named};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// As many targets as a chart must hold, with labels that are trouble.
pub const LABELS: [&str; 12] = [
    "ext4",
    "btrfs (zstd:3)",
    "",
    "a label of sixty characters that names a very long mount pnt",
    "a_label_of_sixty_characters_without_a_single_blank_in_it_at_all",
    "漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字",
    "מערכת קבצים מהירה מאוד עם שם ארוך",
    "<&>\"'\u{1b}[31m\u{0}\u{202e}",
    "MMMMMMMMMMMMWWWWWWWWWWWW",
    "ÆŒǱѼ⋙‱😴 e\u{301}\u{301}",
    "i",
    "{{7*7}} ]]> --> &amp;",
];

/// A run that barrow really did, as small as can be.
pub fn real_run() -> RunRecord {
    let directory = tempfile::tempdir().expect("a directory");
    let sizes = ["--set=file_size=1m", "--set=seek_seconds=0", "--set=seeks=9", "--set=files=9", "--drop-caches=never"];
    let mut command = Command::new(env!("CARGO_BIN_EXE_barrow"));
    let output = command.args(["run", ".", "-p", "quick", "-q", "-n1", "--no-report"]).args(sizes).current_dir(directory.path()).output();
    let output = output.expect("barrow runs");
    assert!(output.status.success(), "{output:?}");
    let loaded = barrow::store::load(&directory.path().join("barrow.jsonl")).expect("a run file");
    loaded.runs.into_iter().next().expect("a run")
}

/// The run, again and again: for each target as many runs, each slower than the one before by this factor.
pub fn series(run: &RunRecord, labels: &[&str], runs: u32, slower: f64) -> Vec<RunRecord> {
    let mut records = Vec::new();
    for round in 1..=runs {
        for (target, label) in (1..).zip(labels) {
            let mut record = RunRecord { label: (*label).to_owned(), round, target, order: target, ..run.clone() };
            for phase in &mut record.phases {
                if let Some(PhaseResult::Counted(counted)) = &mut phase.result {
                    let factor = slower.powi(i32::try_from(round).unwrap_or(i32::MAX)) * f64::from(target);
                    counted.elapsed_ns = (counted.elapsed_ns as f64 * factor) as u64;
                }
            }
            records.push(record);
        }
    }
    records
}

/// The run in several batches on days of their own, long, not steady and with all slices, so that every chart has all its parts.
fn batches(run: &RunRecord, labels: &[&str], count: u8) -> Vec<RunRecord> {
    let mut records = Vec::new();
    for number in 1..=count {
        let mut batch = series(run, labels, 2, 1.01);
        for record in &mut batch {
            record.batch = barrow::model::identity::Identity(u64::from(number));
            record.started = format!("20{:02}-1{}-0{}T1{}:00:00Z", number / 3 + 10, number % 3, number % 9 + 1, number % 10);
            record.machine.kernel = Some(format!("Linux 6.{number}.{}", "1".repeat(usize::from(number % 9))));
            record.tags.insert("a long key of a tag".to_owned(), LABELS[usize::from(number) % LABELS.len()].to_owned());
            for phase in &mut record.phases {
                phase.flags = vec![barrow::model::flag::Flag::NotSteady];
                if let Some(PhaseResult::Counted(counted)) = &mut phase.result {
                    counted.elapsed_ns += 2_000_000_000;
                    counted.operations = 640;
                    let elapsed_ns = (0..64).map(|place| 1_000_000 * (1 + place % 7 + place / 32 * 90)).collect();
                    counted.slices = Some(barrow::model::slices::Slices { operations_each: 10, elapsed_ns });
                }
            }
        }
        records.extend(batch);
    }
    records
}

/// Each chart in each width, with its name.
fn every_form(records: &[RunRecord]) -> Vec<(String, String)> {
    let renderer = renderer_named("svg").expect("the format");
    let forms = CHARTS.iter().flat_map(|kind| [(*kind, false), (*kind, true)]);
    forms
        .map(|(kind, narrow)| {
            let chart = ChartChoice { kind: Some(kind), narrow };
            (format!("{} narrow={narrow}", kind.name), renderer.render(&Report { chart, ..Report::of(records) }).text().unwrap().to_owned())
        })
        .collect()
}

/// The files of DejaVu Sans, the widest face that the charts ask for.
fn fonts() -> Option<[PathBuf; 2]> {
    let directory = Path::new("/usr/share/fonts/truetype/dejavu");
    let files = ["DejaVuSans.ttf", "DejaVuSans-Bold.ttf"].map(|name| directory.join(name));
    if files.iter().all(|file| file.is_file()) {
        return Some(files);
    }
    assert!(std::env::var("BARROW_NEED").as_deref() != Ok("all"), "DejaVu Sans is missing: apt-get install fonts-dejavu-core");
    let _ = writeln!(std::io::stderr(), "skipped: needs DejaVu Sans (apt-get install fonts-dejavu-core)");
    None
}

/// Every text with its box as usvg sets it; and the size of the file.
fn boxes(svg: &str, fonts: &[PathBuf]) -> (Vec<(String, usvg::Rect)>, usvg::Size) {
    let mut options = usvg::Options::default();
    for font in fonts {
        options.fontdb_mut().load_font_data(std::fs::read(font).expect("a font"));
    }
    let tree = usvg::Tree::from_str(svg, &options).expect("an SVG file");
    let mut found = Vec::new();
    let mut groups = vec![tree.root()];
    while let Some(group) = groups.pop() {
        for node in group.children() {
            match node {
                usvg::Node::Group(inner) => groups.push(inner),
                usvg::Node::Text(text) => {
                    let content: String = text.chunks().iter().map(usvg::TextChunk::text).collect();
                    found.push((content, text.abs_bounding_box()));
                }
                _ => {}
            }
        }
    }
    (found, tree.size())
}

/// Where boxes may touch or rounding may push them.
const TOLERANCE: f32 = 0.3;

fn faults(svg: &str, fonts: &[PathBuf]) -> Vec<String> {
    let (texts, size) = boxes(svg, fonts);
    let written = svg.matches("<text").count();
    let mut faults = Vec::new();
    if texts.len() != written || texts.is_empty() {
        faults.push(format!("{} of {written} texts were set", texts.len()));
    }
    for (place, (content, one)) in texts.iter().enumerate() {
        let is_inside = one.left() >= -TOLERANCE
            && one.top() >= -TOLERANCE
            && one.right() <= size.width() + TOLERANCE
            && one.bottom() <= size.height() + TOLERANCE;
        if !is_inside {
            faults.push(format!("clipped: `{content}` {one:?} of {size:?}"));
        }
        for (other_content, other) in &texts[..place] {
            let is_apart = one.right() <= other.left() + TOLERANCE
                || other.right() <= one.left() + TOLERANCE
                || one.bottom() <= other.top() + TOLERANCE
                || other.bottom() <= one.top() + TOLERANCE;
            if !is_apart {
                faults.push(format!("overlap: `{content}` {one:?} and `{other_content}` {other:?}"));
            }
        }
    }
    faults
}

#[track_caller]
fn expect_sound(records: &[RunRecord], fonts: &[PathBuf]) {
    for (form, svg) in every_form(records) {
        let faults = faults(&svg, fonts);
        assert!(faults.is_empty(), "{form}: {} targets: {faults:#?}", LABELS.len());
    }
}

#[test]
fn no_text_is_clipped_or_lies_on_another() {
    let Some(fonts) = fonts() else { return };
    let run = real_run();
    for targets in 1..=LABELS.len() {
        expect_sound(&series(&run, &LABELS[..targets], 3, 1.1), &fonts);
    }
    for runs in [1, 2, 6, 72] {
        expect_sound(&series(&run, &LABELS[..3], runs, 1.02), &fonts);
    }
    for label in LABELS {
        expect_sound(&series(&run, &[label], 6, 1.3), &fonts);
    }
    // Far apart: powers of ten beside small numbers, axes with many decades.
    for slower in [30.0, 1000.0, 1e-3] {
        expect_sound(&series(&run, &LABELS[..4], 5, slower), &fonts);
    }
    expect_sound(&[], &fonts);
}

#[test]
fn small_plots_hold_their_texts() {
    let Some(fonts) = fonts() else { return };
    let run = real_run();
    for (labels, count) in [(1, 2), (1, 8), (1, 40), (2, 3), (3, 8), (5, 2)] {
        let records = batches(&run, &LABELS[LABELS.len() - labels..], count);
        for (form, svg) in every_form(&records) {
            let faults = faults(&svg, &fonts);
            assert!(faults.is_empty(), "{form}: {labels} labels, {count} batches: {faults:#?}");
        }
        let history = &every_form(&records).into_iter().find(|(form, _)| form == "history narrow=false").expect("the chart").1;
        assert_eq!(history.matches("<g class=\"p\"").count(), labels * usize::from(count) * run.phases.len());
    }
}

#[test]
fn planted_faults_are_found() {
    let Some(fonts) = fonts() else { return };
    let (_, svg) = every_form(&series(&real_run(), &LABELS[..2], 3, 1.1)).remove(0);
    assert_eq!(faults(&svg, &fonts), Vec::<String>::new());
    assert!(faults(&svg.replacen("<text x=\"20\"", "<text x=\"-30\"", 1), &fonts).iter().any(|fault| fault.starts_with("clipped")));
    assert!(faults(&svg.replace("text-anchor=\"end\"", ""), &fonts).iter().any(|fault| fault.starts_with("overlap")));
    assert!(faults(&svg.replace("DejaVu Sans", "No Such Face"), &fonts).iter().any(|fault| fault.ends_with("texts were set")));
}

#[test]
fn the_command_line_draws_what_is_asked_for() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("runs.jsonl");
    let run = serde_json::to_string(&real_run()).expect("a line");
    std::fs::write(&file, format!("{run}\n")).expect("a run file");
    let report = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_barrow")).arg("report").arg(&file).args(arguments).output().expect("barrow runs");
        (output.status.code(), String::from_utf8(output.stdout).expect("text"), String::from_utf8(output.stderr).expect("text"))
    };
    for (arguments, id, width) in [
        (&["-f", "svg"][..], "bars-wide", 900),
        (&["--chart", "runs"], "runs-wide", 900),
        (&["--chart", "cpu", "--narrow"], "cpu-narrow", 360),
        (&["--narrow"], "bars-narrow", 360),
        (&["--chart", "ratio"], "ratio-wide", 900),
        (&["--chart", "latency", "--narrow"], "latency-narrow", 360),
        (&["--chart", "operations"], "operations-wide", 900),
        (&["--chart", "trend"], "trend-wide", 900),
        (&["--chart", "history"], "history-wide", 900),
    ] {
        let (code, svg, _) = report(arguments);
        let document = roxmltree::Document::parse(&svg).expect("well-formed XML");
        let root = document.root_element();
        assert_eq!(code, Some(0));
        assert_eq!(root.attribute("aria-labelledby"), Some(format!("{id}-t {id}-d").as_str()));
        assert_eq!(root.attribute("width"), Some(width.to_string().as_str()));
        assert_eq!(report(arguments).1, svg, "the same bytes twice");
    }
    for (arguments, name, begin) in [
        (&["--chart", "runs", "--narrow"][..], "chart.png", &b"\x89PNG"[..]),
        (&[], "usual.png", b"\x89PNG"),
        (&["--chart", "runs"], "chart.svg", b"<svg"),
        (&["--chart", "runs"], "chart.out", b"<svg"),
        (&[], "report.json", b"{\"report_schema\":1"),
    ] {
        let path = directory.path().join(name);
        let arguments = [arguments, &["-o", path.to_str().expect("a path")]].concat();
        // A second time too: no report is taken for a run file, which would not be written over.
        for _ in 0..2 {
            assert_eq!(report(&arguments), (Some(0), String::new(), String::new()), "{name}");
        }
        assert!(std::fs::read(path).expect("the file").starts_with(begin), "{name}");
    }
    let (code, _, said) = report(&["--chart", "barz"]);
    assert_eq!(
        (code, said.as_str()),
        (
            Some(2),
            "barrow: there is no chart `barz`; did you mean `bars`?; the charts are bars, runs, ratio, cpu, latency, operations, trend, history, sweep\n"
        )
    );
    let (code, _, said) = report(&["-f", "csv", "--chart", "bars"]);
    assert_eq!((code, said.as_str()), (Some(2), "barrow: --chart is for formats that draw, and csv does not; use -f svg\n"));
    assert_eq!(report(&["-f", "text", "--narrow"]).0, Some(2));
    let target = directory.path().join("missing/chart.svg");
    let (code, out, said) = report(&["-f", "svg", "-o", target.to_str().expect("a path")]);
    assert!(code == Some(1) && out.is_empty() && said.contains("missing/chart.svg: cannot be written"), "{said}");
    let (code, _, said) = report(&["-f", "svg", "-o", directory.path().to_str().expect("a path")]);
    assert!(code == Some(1) && said.contains("is a directory"), "{said}");
}

#[test]
fn many_runs_are_drawn_in_time() {
    let records = series(&real_run(), &LABELS[..4], 2500, 1.0);
    let begin = Instant::now();
    for (form, svg) in every_form(&records) {
        assert!(svg.len() < 400_000, "{form}: {}", svg.len());
    }
    // All charts of 10,000 records each; the limit is wide, for a debug build on a busy machine.
    assert!(begin.elapsed() < Duration::from_secs(30), "{:?}", begin.elapsed());
}

#[test]
fn extremes_never_hang() {
    let run = real_run();
    let (done, ended) = std::sync::mpsc::channel();
    // In a thread of its own: what hangs is found by the clock, not by the patience of whoever waits.
    std::thread::spawn(move || {
        let numbers = [0.0, 1e-3, 5.0, 5.0, 1e9, f64::MAX, f64::MIN_POSITIVE, 5e-324, -1.0, f64::NAN, f64::INFINITY];
        for first in numbers {
            for second in numbers {
                let mut records = series(&run, &LABELS[..2], 2, 1.0);
                for (record, rate) in records.iter_mut().zip([first, second, second, first]) {
                    for phase in &mut record.phases {
                        let reported = Reported { rate: Some(rate), cpu_percent: Some(rate), latency_max_ns: None };
                        phase.result = Some(PhaseResult::Reported(reported));
                    }
                }
                for (form, svg) in every_form(&records) {
                    let document = roxmltree::Document::parse(&svg).expect("well-formed XML");
                    let rows = document.descendants().filter(|node| node.has_tag_name("g")).count();
                    let expected = match form.split(' ').next() {
                        Some("bars" | "runs" | "cpu") => 2 * run.phases.len(),
                        // The baseline has no row.
                        Some("ratio") => run.phases.len(),
                        // Reported rates have no latency and no slices, and one batch has no history.
                        _ => 0,
                    };
                    assert_eq!(rows, expected, "{form}: {first} {second}: no row vanishes");
                    assert!(!svg.contains("NaN"), "{form}: {first} {second}");
                }
            }
        }
        done.send(()).expect("somebody waits");
    });
    assert!(ended.recv_timeout(Duration::from_secs(60)).is_ok(), "an extreme value hangs or fails");
}
