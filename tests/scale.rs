//! Reports of very many runs stay linear: what each format allocates, in pieces and in bytes, grows as the runs do. Counted, not timed.

use crate::allocation::{Allocated, allocated_by, is_alone, run_alone};
use crate::many_runs::{SHAPES, many_runs};
use barrow::report::baseline::compare;
use barrow::report::{RENDERERS, Report};
use barrow::store::{line_of, load_from};
use std::path::Path;

/// Runs in the smaller report, and how many times more the larger one has.
const FEW: u32 = 200;
const TIMES: u64 = 4;

/// What is linear takes at most so many per cent more than [`TIMES`] as much: tables double, names grow by a digit. What is quadratic
/// takes up to three times more.
const SLACK_PERCENT: u64 = 30;

fn is_linear(few: u64, many: u64) -> bool {
    many * 100 <= few * TIMES * (100 + SLACK_PERCENT)
}

/// Each thing that is done with some runs, by its name.
fn doings(count: u32) -> Vec<(String, Allocated)> {
    let mut found = Vec::new();
    for shape in SHAPES {
        let runs = many_runs(count, shape);
        let file: Vec<u8> = runs.iter().flat_map(|run| line_of(run).expect("a line")).collect();
        let mut note = |name: &str, work: &mut dyn FnMut()| found.push((format!("{shape:?}: {name}"), allocated_by(work)));
        note("load", &mut || assert_eq!(load_from(Path::new("x"), file.as_slice()).expect("a file").runs.len(), runs.len()));
        note("arrange", &mut || drop(Report::of(&runs)));
        let mut report = Report::of(&runs);
        for renderer in RENDERERS {
            note(renderer.name(), &mut || drop(renderer.render(&report)));
        }
        let first = report.sections[0].series[0].name.clone();
        note("compare", &mut || assert_eq!(compare(&mut report, &first, true), Ok(Vec::new())));
        for renderer in RENDERERS.iter().filter(|renderer| !renderer.draws()) {
            note(&format!("{} with a baseline", renderer.name()), &mut || drop(renderer.render(&report)));
        }
    }
    found
}

/// Runs alone in a process of its own, since other tests allocate beside it.
#[test]
#[ignore = "needs a process of its own: started by reports_of_many_runs_stay_linear"]
fn alone_in_its_process() {
    if !is_alone() {
        return;
    }
    let factor = u32::try_from(TIMES).expect("a small number");
    let mut over = Vec::new();
    for ((name, few), (_, many)) in doings(FEW).into_iter().zip(doings(FEW * factor)) {
        for (what, few, many) in [("pieces", few.pieces, many.pieces), ("bytes", few.bytes, many.bytes), ("peak", few.peak, many.peak)] {
            over.extend((!is_linear(few, many)).then(|| format!("{name}: {many} {what} for {few}")));
        }
    }
    assert!(over.is_empty(), "more than {TIMES} times as much: {over:#?}");
}

#[test]
fn reports_of_many_runs_stay_linear() {
    run_alone("scale::alone_in_its_process");
}

#[test]
fn what_is_quadratic_is_found() {
    assert!(is_linear(1000, 4000) && is_linear(1000, 5000));
    assert!(!is_linear(1000, 16_000) && !is_linear(1000, 8000));
}
