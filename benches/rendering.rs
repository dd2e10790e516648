//! What a report of 10,000 real runs costs: reading them, arranging them, and each format.
//!
//! `cargo bench --bench rendering` measures; `cargo bench -- --test` and `cargo test --benches` only do each once, small. There is no
//! bound: `tests/scale.rs` counts whether it all stays linear.
#![allow(clippy::print_stdout)] // A bench is a program of its own: printing is how it tells.

#[path = "../tests/many_runs.rs"]
mod many_runs;

use barrow::report::baseline::compare;
use barrow::report::{RENDERERS, Report};
use barrow::stats::Spread;
use barrow::store::{line_of, load_from};
use many_runs::{SHAPES, many_runs};
use std::path::Path;
use std::time::Instant;

/// How many targets there are.
const TARGETS: u32 = 10;

/// How often each is measured.
const TIMES: usize = 5;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let has = |wanted: &str| arguments.iter().any(|argument| argument == wanted);
    let is_smoke = !has("--bench") || has("--test");
    let (count, times) = if is_smoke { (2 * TARGETS, 1) } else { (10_000, TIMES) };
    for shape in SHAPES {
        let runs = many_runs(count, TARGETS, shape);
        let file: Vec<u8> = runs.iter().flat_map(|run| line_of(run).expect("a line")).collect();
        println!("{} runs of {TARGETS} targets as {shape:?}", runs.len());
        measure("load", times, || load_from(Path::new("runs"), file.as_slice()).expect("memory can be read").runs.len());
        measure("arrange", times, || Report::of(&runs).sections.len());
        let mut report = Report::of(&runs);
        for renderer in RENDERERS {
            measure(renderer.name(), times, || renderer.render(&report).bytes().len());
        }
        let name = report.sections.first().and_then(|section| section.series.first()).map(|series| series.name.clone());
        measure("compare", times, || compare(&mut report, name.as_deref().unwrap_or_default(), true).map_or(0, |groups| groups.len()));
    }
}

/// Prints the median and the range of the milliseconds that some work takes, and the number that it gives back.
fn measure(name: &str, times: usize, mut work: impl FnMut() -> usize) {
    let mut made = 0;
    let milliseconds: Vec<f64> = (0..times)
        .map(|_| {
            let begin = Instant::now();
            made = work();
            begin.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    if let Some(Spread { median, min, max, .. }) = Spread::of(&milliseconds) {
        println!("  {name:<12} {median:>9.1} ms {:>22} {made:>12}", format!("({min:.1} to {max:.1})"));
    }
}
