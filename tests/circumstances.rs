//! What is done around the phases: a command of the user's, a warm start, a rest; and what becomes of a run when that goes wrong.

use crate::real::driver::{Desk, Finished, Running, User, phase, phases_with, scratches};
use barrow::model::phase::Phase;
use barrow::model::record::{RunRecord, Status};
use nix::sys::signal::Signal;
use std::fs;

const SETTINGS: &str = "file_size=1m chunk_size=64k files=40 seeks=50 seek_seconds=0";

/// Runs a small batch with more options on a directory of its own; gives how it ended and its record.
fn run(desk: &Desk, rest: &[&str]) -> (Finished, RunRecord) {
    let target = desk.path("target");
    fs::create_dir_all(&target).unwrap();
    let options = [&["--runs", "1"], rest].concat();
    let finished = Finished::of(desk.run(User::Tester, SETTINGS, &options).arg(&target));
    assert!(scratches(&target).is_empty(), "{}", finished.stderr);
    (finished, desk.runs().remove(0))
}

#[test]
fn a_command_runs_before_each_cold_phase_and_is_recorded() {
    let desk = Desk::new();
    let log = desk.path("log");
    let command = format!("echo \"$BARROW_TARGET\" >> {}", log.display());
    let (finished, run) = run(&desk, &["--prepare", &command]);
    let finished = finished.expect_code(0);
    assert_eq!(fs::read_to_string(&log).unwrap().lines().count(), 7, "seven phases begin cold");
    assert_eq!(run.circumstances().unwrap().prepare.as_deref(), Some(command.as_str()));
    assert!(phase(&run, Phase::BlockRead).preparation.command_ns.is_some());
    assert!(phase(&run, Phase::BlockWrite).preparation.command_ns.is_none());
    assert!(finished.stdout.contains("prepare=echo"), "{}", finished.stdout);
}

#[test]
fn a_command_that_fails_fails_the_phase_by_name() {
    for (command, words) in [
        ("echo no such pool >&2; exit 3", "the command of --prepare: it ended with exit status: 3 and said: no such pool"),
        ("/no/such/command", "the command of --prepare: it ended with exit status: 127"),
    ] {
        let (finished, run) = run(&Desk::new(), &["--prepare", command]);
        finished.expect_code(1).expect_said(&[words]);
        assert!(!run.complete);
        assert_eq!(phases_with(&run, Status::Ok), ["block_write", "seq_create", "random_create"]);
        let reason = phase(&run, Phase::Rewrite).reason.clone().unwrap_or_default();
        assert!(reason.starts_with(words), "{reason}");
        assert_eq!(phase(&run, Phase::BlockRead).status, Status::Skipped);
    }
}

#[test]
fn a_command_that_hangs_is_ended_with_the_run() {
    let desk = Desk::new();
    let target = desk.path("target");
    fs::create_dir_all(&target).unwrap();
    let options = ["--runs", "1", "--prepare", "echo begun >&2; exec sleep 600"];
    let mut running = Running::start(desk.run(User::Tester, SETTINGS, &options).arg(&target));
    running.wait_for_line(&["block_write"]);
    running.signal(Signal::SIGTERM);
    running.finish().expect_signal(Signal::SIGTERM);
    let run = desk.runs().remove(0);
    assert_eq!(phases_with(&run, Status::Ok), ["block_write"]);
    assert!(scratches(&target).is_empty());
}

#[test]
fn a_command_that_takes_the_directory_away_is_named() {
    let desk = Desk::new();
    let target = desk.path("target");
    let moved = desk.path("moved");
    fs::create_dir_all(&target).unwrap();
    let command = format!("mv \"$BARROW_TARGET\" {}", moved.display());
    let finished = Finished::of(desk.run(User::Tester, SETTINGS, &["--runs", "1", "--prepare", &command]).arg(&target));
    finished.expect_code(1).expect_said(&["could not remove", ".barrow-"]);
    let cleaned = Finished::of(desk.barrow(User::Tester, ["clean"]).arg(&moved)).expect_code(0);
    assert!(cleaned.stdout.starts_with("removed "), "{}", cleaned.stdout);
}

#[test]
fn a_warm_start_is_made_and_said() {
    let (finished, run) = run(&Desk::new(), &["--cache", "warm"]);
    let finished = finished.expect_code(0);
    let read = phase(&run, Phase::BlockRead);
    assert!(read.preparation.warmed && !read.preparation.evicted && read.preparation.drops == 0);
    // Another test may drop the caches of the whole system at any moment, so the evidence is not looked at here.
    assert!(finished.stdout.contains("cache=warm"), "{}", finished.stdout);
}

#[test]
fn a_rest_is_recorded_and_ends_with_a_signal() {
    let (finished, record) = run(&Desk::new(), &["--pause", "1ms"]);
    finished.expect_code(0);
    assert_eq!(record.circumstances().unwrap().pause_ms, 1);
    let desk = Desk::new();
    let target = desk.path("target");
    fs::create_dir_all(&target).unwrap();
    let running = Running::start(desk.run(User::Tester, SETTINGS, &["--runs", "1", "--pause", "1h"]).arg(&target));
    crate::real::driver::wait_until("the scratch directory is made", || !scratches(&target).is_empty());
    running.signal(Signal::SIGTERM);
    running.finish().expect_signal(Signal::SIGTERM);
    assert!(scratches(&target).is_empty());
}
