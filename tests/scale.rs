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

/// Few targets, so that the series are long: up to 200 runs of one are compared with each other for drift, and no more.
const TARGETS: u32 = 2;

/// What is linear takes [`TIMES`] as much, and a tenth more where names grow by a digit. Memory that doubles when it is full can be
/// twice as large as it need be, and so twice as much more. What is quadratic takes 16 times as much.
fn is_linear(few: u64, many: u64, can_double: bool) -> bool {
    many * 10 <= few * TIMES * 11 * if can_double { 2 } else { 1 }
}

/// Each thing that is done with some runs, by its name.
fn doings(count: u32) -> Vec<(String, Allocated)> {
    let mut found = Vec::new();
    for shape in SHAPES {
        let runs = many_runs(count, TARGETS, shape);
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
        let counts = [
            ("pieces", few.pieces, many.pieces, false),
            ("bytes", few.bytes, many.bytes, true),
            ("bytes at once", few.peak, many.peak, true),
        ];
        for (what, few, many, can_double) in counts {
            over.extend((!is_linear(few, many, can_double)).then(|| format!("{name}: {many} {what} for {few}")));
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
    assert!(is_linear(1000, 4400, false) && is_linear(1000, 8800, true));
    assert!(!is_linear(1000, 5000, false) && !is_linear(1000, 16_000, true));
}
