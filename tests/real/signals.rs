//! The wish to stop: what is finished is kept, nothing is left, and the process ends by the signal that asked.

use super::device::LoopFilesystem;
use super::driver::{Desk, Finished, Running, User, phase, phases_with, scratches, through_shell, wait_for_files, wait_until};
use super::need::{Need, is_missing};
use barrow::model::phase::Phase;
use barrow::model::record::Status;
use nix::sys::signal::Signal;
use std::path::PathBuf;

/// The file phases take long enough to be met in the middle, anywhere.
pub const LONG: &str = "file_size=1m files=300000 seeks=10 seek_seconds=0";
const BLOCK_PHASES: [&str; 4] = ["block_write", "rewrite", "block_read", "random_seek"];

/// A new directory on a desk.
pub fn target(desk: &Desk) -> PathBuf {
    let target = desk.path("target");
    std::fs::create_dir(&target).unwrap();
    target
}

fn stop_by(signal: Signal) {
    let desk = Desk::new();
    let target = target(&desk);
    let mut running = Running::start(desk.run(User::Tester, LONG, &["--runs", "2"]).arg(&target));
    wait_for_files(&mut running, &target);
    running.signal(signal);
    let finished = running.finish().expect_signal(signal).expect_said(&[signal.as_str(), "stopping after the current call"]);
    assert!(finished.stdout.contains("Block write"), "no report:\n{}", finished.stdout);
    let runs = desk.runs();
    assert_eq!(runs.len(), 1);
    assert_eq!(phases_with(&runs[0], Status::Ok), BLOCK_PHASES);
    assert_eq!(phase(&runs[0], Phase::SeqCreate).reason.as_deref(), Some("the run was stopped in it"));
    assert!(!runs[0].complete);
    assert!(scratches(&target).is_empty());
}

#[test]
fn sigint_stops_and_leaves_nothing() {
    stop_by(Signal::SIGINT);
}

#[test]
fn sigterm_stops_and_leaves_nothing() {
    stop_by(Signal::SIGTERM);
}

#[test]
fn sighup_stops_and_leaves_nothing() {
    stop_by(Signal::SIGHUP);
}

#[test]
fn a_signal_that_was_ignored_stays_ignored() {
    let desk = Desk::new();
    let target = target(&desk);
    let settings = "file_size=1m files=20000 seeks=10 seek_seconds=0";
    let mut shell = through_shell("trap '' INT HUP", desk.run(User::Tester, settings, &["--runs", "1"]).arg(&target));
    let mut running = Running::start(&mut shell);
    for line in ["block_write", "random_seek", "seq_create"] {
        running.wait_for_line(&[line]);
        running.signal(Signal::SIGINT);
        running.signal(Signal::SIGHUP);
    }
    let finished = running.finish().expect_code(0);
    assert!(!finished.stderr.contains("stopping"), "{}", finished.stderr);
    assert!(desk.runs()[0].complete);
    assert!(scratches(&target).is_empty());
}

/// In the middle of a phase of which each call takes its time.
#[test]
#[ignore = "needs root, loop devices"]
fn a_slow_phase_stops_after_the_current_call() {
    if is_missing(&[Need::Root, Need::Loop, Need::Throttle, Need::Filesystem("ext4"), Need::Program("mkfs.ext4")]) {
        return;
    }
    let filesystem = LoopFilesystem::of("ext4", 256);
    filesystem.limit_read(4_000_000);
    let desk = Desk::new();
    let settings = "file_size=128m files=0 seeks=10 seek_seconds=0";
    let mut running = Running::start(desk.run(User::Tester, settings, &["--runs", "1"]).arg(filesystem.path()));
    running.wait_for_line(&["block_write"]);
    running.wait_for_call(libc::SYS_pread64);
    running.signal(Signal::SIGTERM);
    let start = std::time::Instant::now();
    running.finish().expect_signal(Signal::SIGTERM);
    // All of it takes half a minute, one call a quarter of a second.
    assert!(start.elapsed().as_secs() < 15, "{:?}", start.elapsed());
    let runs = desk.runs();
    assert_eq!(phases_with(&runs[0], Status::Ok), ["block_write"]);
    assert_eq!(phase(&runs[0], Phase::Rewrite).reason.as_deref(), Some("the run was stopped in it"));
    assert!(scratches(filesystem.path()).is_empty());
}

/// A process that waits for its device in the kernel cannot end: it does so when the limit is lifted, and does nothing more.
#[test]
#[ignore = "needs root, loop devices"]
fn the_second_signal_ends_at_once_and_names_what_is_left() {
    if is_missing(&[Need::Root, Need::Loop, Need::Throttle, Need::Filesystem("ext4"), Need::Program("mkfs.ext4")]) {
        return;
    }
    let filesystem = LoopFilesystem::of("ext4", 128);
    filesystem.limit_write(1_000_000);
    let desk = Desk::new();
    let settings = "file_size=64m files=0 seeks=10 seek_seconds=0";
    let mut running = Running::start(desk.run(User::Tester, settings, &["--runs", "1"]).arg(filesystem.path()));
    wait_until("the block file is written", || {
        let block_file = scratches(filesystem.path()).first().map(|scratch| scratch.join("block.0"));
        block_file.and_then(|file| file.metadata().ok()).is_some_and(|metadata| metadata.len() == 64 << 20)
    });
    running.wait_for_call(libc::SYS_fsync);
    running.signal(Signal::SIGINT);
    running.wait_for_line(&["SIGINT", "once more stops at once"]);
    let left = scratches(filesystem.path());
    running.signal_until_line(Signal::SIGINT, &["SIGINT again", "left behind", &left[0].to_string_lossy(), "barrow clean"]);
    filesystem.lift_limits();
    let finished = running.finish().expect_signal(Signal::SIGINT);
    assert_eq!(finished.stdout, "");
    assert!(desk.runs().is_empty());
    assert_eq!(scratches(filesystem.path()), left);
    let cleaned = Finished::of(desk.barrow(User::Tester, ["clean"]).arg(filesystem.path())).expect_code(0);
    assert_eq!(cleaned.stdout, format!("removed {}\n", left[0].display()));
    assert!(scratches(filesystem.path()).is_empty());
}
