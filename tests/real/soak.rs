//! Many runs in a row: no descriptor, thread, memory or file is left over from any of them.

use super::driver::{Desk, User, listing, quick_target};
use super::need::{Need, is_missing};
use super::traced::{SLEEPLESS, Traced};
use nix::unistd::Pid;
use std::fs;

const RUNS: &str = "200";
const TINY: &str = "file_size=64k chunk_size=4k seeks=16 seek_seconds=0 files=16";
/// What a run may leave in memory: its record, which the report at the end is made of, and which takes about as much in the run file.
const BYTES_A_RUN: u64 = 48 << 10;
/// Descriptors and threads differ by the moment of a run; one that a run leaves would be there a hundred times and more.
const BY_THE_MOMENT: usize = 12;

/// What a process has.
#[derive(Debug, Clone, Copy)]
struct Taken {
    descriptors: usize,
    threads: usize,
    memory_bytes: u64,
    own_bytes: u64,
}

fn taken(pid: Pid) -> Taken {
    let entries = |what: &str| fs::read_dir(format!("/proc/{pid}/{what}")).unwrap().count();
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let bytes = |key: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(key)).unwrap();
        line.split_whitespace().next().unwrap().parse::<u64>().unwrap() << 10
    };
    Taken { descriptors: entries("fd"), threads: entries("task"), memory_bytes: bytes("VmRSS:"), own_bytes: bytes("RssAnon:") }
}

#[test]
#[ignore = "needs strace"]
fn two_hundred_runs_leave_nothing_over() {
    if is_missing(&[Need::Program("strace")]) {
        return;
    }
    let desk = Desk::new();
    let home = quick_target();
    let target = home.path();
    let before = listing(target);
    let mut command = desk.run(User::Tester, TINY, &["--runs", RUNS, "--drop-caches", "never"]);
    // With its rests it would take minutes. It goes on only as its lines are read, so that it is there when it is looked at.
    let mut traced = Traced::of(&["-o", "/dev/null", "-e", "trace=clock_nanosleep", "-e", SLEEPLESS], &[], command.arg(target));
    let mut look = |round: &str| {
        traced.wait_for_line(&[round, "random_delete"]);
        taken(traced.pid())
    };
    let (early, late) = (look(" 20/200"), look(" 190/200"));
    let finished = traced.finish().expect_code(0);
    assert!(finished.stdout.contains("Random delete"));
    assert_eq!(listing(target), before);
    let runs = desk.runs();
    assert!(runs.len() == 200 && runs.iter().all(|run| run.complete));
    let line_bytes = fs::metadata(desk.run_file()).unwrap().len() / 200;
    let growth = |late: u64, early: u64| late.saturating_sub(early) / 170;
    let (memory, own) = (growth(late.memory_bytes, early.memory_bytes), growth(late.own_bytes, early.own_bytes));
    println!("soak: {early:?} at run 20, {late:?} at run 190: {memory} bytes a run, {own} of its own; a line has {line_bytes}");
    assert!(late.descriptors <= early.descriptors + BY_THE_MOMENT, "{early:?} {late:?}");
    assert!(late.threads <= early.threads + BY_THE_MOMENT, "{early:?} {late:?}");
    assert!(own <= BYTES_A_RUN && memory <= BYTES_A_RUN, "{early:?} {late:?}");
}
