//! What barrow's own timed loops cost: each phase on tmpfs against a raw loop of the same system calls on the same buffers, offsets
//! and names, without stamps, clock and histogram. Fails when the exact 95 % interval of a ratio lies wholly under its bound.
//!
//! What is compared is the processor time of the one thread that works: on tmpfs nothing waits, so that this is the time by the clock
//! on a machine without other work, and stays so on one with it.
//!
//! `cargo bench` measures; `cargo bench -- --test` and `cargo test --benches` only run each loop once, small.
#![allow(clippy::print_stdout)] // A bench is a program of its own: printing is how it tells.

use anyhow::Context;
use barrow::model::machine::FilesystemClass;
use barrow::model::phase::Phase;
use barrow::model::settings::Settings;
use barrow::runner::yardstick::{Bench, Yardstick};
use barrow::stats::Spread;
use barrow::target::real::RealTarget;
use std::fs::File;
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Pairs of one barrow and one raw measurement; their order changes from pair to pair.
const PAIRS: usize = 31;
/// Each measurement repeats its pass until the first raw one took so long.
const LEAST_TIME: Duration = Duration::from_millis(80);

/// A phase with its sizes, and the ratio that it must reach.
struct Case {
    name: &'static str,
    phase: Phase,
    chunk_size: u64,
    bound: f64,
}

const CASES: [Case; 10] = [
    Case { name: "block_write, 1 MiB", phase: Phase::BlockWrite, chunk_size: 1 << 20, bound: 0.95 },
    Case { name: "block_write, 8 KiB", phase: Phase::BlockWrite, chunk_size: 8 << 10, bound: 0.95 },
    Case { name: "rewrite, 1 MiB", phase: Phase::Rewrite, chunk_size: 1 << 20, bound: 0.95 },
    // A checked read as below, and a write.
    Case { name: "rewrite, 8 KiB", phase: Phase::Rewrite, chunk_size: 8 << 10, bound: 0.92 },
    Case { name: "block_read, 1 MiB", phase: Phase::BlockRead, chunk_size: 1 << 20, bound: 0.95 },
    Case { name: "block_read, 8 KiB", phase: Phase::BlockRead, chunk_size: 8 << 10, bound: 0.92 },
    Case { name: "random_seek, 4 KiB", phase: Phase::RandomSeek, chunk_size: 1 << 20, bound: 0.93 },
    Case { name: "seq_create", phase: Phase::SeqCreate, chunk_size: 1 << 20, bound: 0.95 },
    Case { name: "seq_stat", phase: Phase::SeqStat, chunk_size: 1 << 20, bound: 0.95 },
    Case { name: "seq_delete", phase: Phase::SeqDelete, chunk_size: 1 << 20, bound: 0.95 },
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    let has = |wanted: &str| arguments.iter().any(|argument| argument == wanted);
    let is_smoke = !has("--bench") || has("--test");
    let wanted: Vec<&String> = arguments.iter().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let chosen = CASES.iter().filter(|case| wanted.is_empty() || wanted.iter().any(|name| case.name.contains(name.as_str())));
    println!("Rate of barrow's loop / rate of a raw loop of the same system calls, on tmpfs, one worker.");
    println!("{:<20} {:>8} {:>18} {:>6} {:>14}", "phase", "median", "95 % interval", "bound", "raw, ns each");
    let mut is_fine = true;
    for case in chosen {
        match compare(case, is_smoke) {
            Ok(Compared { spread, raw_ns }) => {
                let is_met = spread.high >= case.bound;
                let verdict = if is_smoke || is_met { "" } else { "MISSED" };
                let interval = format!("{:.3} to {:.3}", spread.low, spread.high);
                println!("{:<20} {:>8.3} {interval:>18} {:>6.2} {raw_ns:>14.0}  {verdict}", case.name, spread.median, case.bound);
                is_fine &= is_smoke || is_met;
            }
            Err(error) => {
                println!("{:<20} failed: {error:#}", case.name);
                is_fine = false;
            }
        }
    }
    if is_fine { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// What came out of all pairs of a case.
struct Compared {
    /// Of the ratios of the pairs.
    spread: Spread,
    /// Nanoseconds of one operation of the raw loop, in the first pass.
    raw_ns: f64,
}

/// Measures all pairs of a case.
fn compare(case: &Case, is_smoke: bool) -> anyhow::Result<Compared> {
    let shared_memory = Path::new("/dev/shm");
    let parent = if shared_memory.is_dir() { shared_memory.to_owned() } else { std::env::temp_dir() };
    let directory = tempfile::tempdir_in(parent)?;
    let root = File::open(directory.path())?;
    let target = RealTarget::of(root.try_clone()?, FilesystemClass::Memory);
    let bench = Bench { target: &target, root: &root, interrupted: &AtomicBool::new(false) };
    let yardstick = Yardstick::of(case.phase, settings(case, is_smoke), bench)?;
    yardstick.raw(1)?;
    let first = yardstick.raw(1)?;
    let passes = if is_smoke { 1 } else { (LEAST_TIME.as_nanos() / first.as_nanos().max(1)) as usize + 1 };
    let mut ratios = Vec::new();
    for pair in 0..if is_smoke { 1 } else { PAIRS } {
        let (barrow, raw) = if pair % 2 == 0 {
            let barrow = yardstick.barrow(passes)?;
            (barrow, yardstick.raw(passes)?)
        } else {
            let raw = yardstick.raw(passes)?;
            (yardstick.barrow(passes)?, raw)
        };
        ratios.push(raw.as_secs_f64() / barrow.as_secs_f64());
    }
    let raw_ns = first.as_nanos() as f64 / yardstick.operations() as f64;
    Ok(Compared { spread: Spread::of(&ratios).context("no ratio")?, raw_ns })
}

fn settings(case: &Case, is_smoke: bool) -> Settings {
    Settings {
        file_size: if is_smoke { 4 << 20 } else { 256 << 20 },
        chunk_size: case.chunk_size,
        seeks: if is_smoke { 100 } else { 65_536 },
        files: if is_smoke { 100 } else { 50_000 },
        ..Settings::default()
    }
}
