//! The page in a real browser: nothing reaches beyond its edge, nothing is fetched, keys and print work, and the judges of HTML and of
//! accessibility find no fault.

use crate::charts::{LABELS, real_run, series};
use crate::real::need::{Need, is_missing, page_modules};
use barrow::model::identity::Identity;
use barrow::model::record::{PhaseRecord, RunRecord};
use barrow::report::chart::{CHARTS, ChartChoice};
use barrow::report::comparison::Comparison;
use barrow::report::{Report, renderer_named};
use std::path::{Path, PathBuf};
use std::process::Command;

const NEEDS: [Need; 5] =
    [Need::Program("chromium"), Need::Program("node"), Need::Program("java"), Need::Program("pdftotext"), Need::PageModules];

fn written(directory: &Path, name: &str, format: &str, report: &Report<'_>) -> PathBuf {
    let path = directory.join(name);
    std::fs::write(&path, renderer_named(format).expect("the format").render(report).bytes()).expect("a file");
    path
}

/// What check.mjs says of some files: whether it is content, and its lines.
fn checked(files: &[PathBuf]) -> (bool, String) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/page/check.mjs");
    let modules = page_modules().expect("a directory");
    let output = Command::new("node").arg(script).args(files).env("BARROW_PAGE_MODULES", modules).output().expect("node runs");
    let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    (output.status.success(), said)
}

/// Two workloads; in the first a target is compared with another, and a phase failed.
fn unlike_work(run: &RunRecord) -> Vec<RunRecord> {
    let mut records = series(run, &LABELS[..2], 6, 1.02);
    records.extend(series(run, &LABELS[2..6], 2, 1.1).into_iter().map(|run| RunRecord { workload_id: Identity(5), ..run }));
    let first = &mut records[0].phases[0];
    *first = PhaseRecord::failed(first.name, "no space left on device");
    records
}

#[test]
#[ignore = "needs chromium, node, java, pdftotext and the packages of tests/page"]
fn a_browser_finds_no_fault() {
    if is_missing(&NEEDS) {
        return;
    }
    let directory = tempfile::tempdir().expect("a directory");
    let run = real_run();
    let (one, many, unlike) = (series(&run, &LABELS[..1], 1, 1.0), series(&run, &LABELS, 3, 1.1), unlike_work(&run));
    let mut compared = Report::of(&unlike);
    compared.sections[0].comparison = Some(Comparison::of(&compared.sections[0], 1));
    let page = |name: &str, report: &Report<'_>| written(directory.path(), name, "html", report);
    let mut files = vec![
        Path::new(env!("CARGO_MANIFEST_DIR")).join("reports/three-filesystems.html"),
        page("none.html", &Report::of(&[])),
        page("one.html", &Report::of(&one)),
        page("twelve.html", &Report::of(&many)),
        page("unlike.html", &compared),
    ];
    for kind in CHARTS {
        let chart = ChartChoice { kind: Some(*kind), narrow: false };
        files.push(written(directory.path(), &format!("{}.svg", kind.name), "svg", &Report { chart, ..Report::of(&many) }));
    }
    let (is_content, said) = checked(&files);
    assert!(is_content, "{said}");
}

#[test]
#[ignore = "needs chromium, node, java, pdftotext and the packages of tests/page"]
fn a_browser_finds_planted_faults() {
    if is_missing(&NEEDS) {
        return;
    }
    let directory = tempfile::tempdir().expect("a directory");
    let records = series(&real_run(), &LABELS[..2], 3, 1.1);
    let path = written(directory.path(), "page.html", "html", &Report::of(&records));
    let page = std::fs::read_to_string(&path).expect("a page");
    let wide = "<p style=\"width:2000px\">wide</p><img src=\"x.png\"/><p style=\"color:#ccc\">pale</p></main>";
    let bad = page.replace("</main>", wide).replace("img-src", "").replace("default-src 'none'; ", "").replace("aria-sort", "data-sorted");
    std::fs::write(&path, bad.replace(".t1{display:none}", ".t1{}").replace("size:A4", "size:A5")).expect("a page");
    let (is_content, said) = checked(&[path]);
    assert!(!is_content);
    for fault in ["wide", "x.png", "axe image-alt", "axe color-contrast", "Content Security Policy", "hidden:", "print:", "vnu:"] {
        assert!(said.contains(fault), "{fault} is not among\n{said}");
    }
}
