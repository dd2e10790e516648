//! The numbers are durable and right: a device that is limited to so many bytes a second says how long each block phase must take.

use super::device::LoopFilesystem;
use super::driver::{Desk, Finished, User, phase};
use super::need::{Need, is_missing};
use barrow::model::phase::Phase;
use barrow::model::record::{Counted, RunRecord};

/// Bytes a second that the device takes, and gives.
const LIMIT: u64 = 20_000_000;
/// Bytes of the file: 120 MiB.
const FILE: u64 = 120 << 20;
/// Seconds that a transfer of the file takes at the limit.
const TRANSFER: f64 = FILE as f64 / LIMIT as f64;
/// How far a time may be off, either way: 2 % and what the limit lets through in advance.
const SHARE_OFF: f64 = 0.02;
const SECONDS_OFF: f64 = 0.25;

fn measured(filesystem: &LoopFilesystem, options: &[&str]) -> RunRecord {
    let desk = Desk::new();
    filesystem.assert_no_hole();
    filesystem.limit_read(LIMIT);
    filesystem.limit_write(LIMIT);
    let settings = "file_size=120m seeks=10 seek_seconds=0 files=0";
    let mut command = desk.run(User::Tester, settings, &[&["--runs", "1"], options].concat());
    Finished::of(command.arg(filesystem.path())).expect_code(0);
    filesystem.lift_limits();
    filesystem.assert_no_hole();
    let mut runs = desk.runs();
    assert_eq!(runs.len(), 1);
    runs.remove(0)
}

fn counted(run: &RunRecord, which: Phase) -> &Counted {
    phase(run, which).counted().unwrap_or_else(|| panic!("{} has no counts: {:?}", which.name(), phase(run, which).reason))
}

fn seconds(nanoseconds: u64) -> f64 {
    nanoseconds as f64 / 1e9
}

/// Fails unless a phase took as long as is true, and shows both.
fn check(kind: &str, run: &RunRecord, which: Phase, truth: f64) {
    let elapsed = seconds(counted(run, which).elapsed_ns);
    let allowed = SHARE_OFF * truth + SECONDS_OFF;
    println!("{kind:<6} {:<12} {elapsed:8.3} s, true {truth:8.3} s, off by {:+.3} of {allowed:.3} s", which.name(), elapsed - truth);
    assert!((elapsed - truth).abs() <= allowed, "{kind}: {} took {elapsed} s, not {truth} s", which.name());
}

/// Acknowledged seconds of a phase, which must be far fewer than the durable ones.
fn acknowledged(kind: &str, run: &RunRecord, which: Phase) -> f64 {
    let counted = counted(run, which);
    let acknowledged = seconds(counted.acknowledged_ns.unwrap());
    let ratio = seconds(counted.elapsed_ns) / acknowledged;
    println!("{kind:<6} {:<12} {acknowledged:8.3} s until acknowledged: {ratio:.1} times as fast", which.name());
    acknowledged
}

fn buffered_truth(kind: &'static str, mkfs: &'static str) {
    if is_missing(&[Need::Root, Need::Loop, Need::Throttle, Need::Filesystem(kind), Need::Program(mkfs)]) {
        return;
    }
    let filesystem = LoopFilesystem::of(kind, 512);
    let run = measured(&filesystem, &[]);
    let taken = acknowledged(kind, &run, Phase::BlockWrite);
    check(kind, &run, Phase::BlockWrite, taken + TRANSFER);
    assert!(taken * 5.0 < taken + TRANSFER, "{kind}: the acknowledged write is not far faster: {taken} s");
    check(kind, &run, Phase::Rewrite, 2.0 * TRANSFER);
    check(kind, &run, Phase::BlockRead, TRANSFER);
}

#[test]
#[ignore = "needs root, loop devices"]
fn times_on_a_limited_ext4_are_true() {
    buffered_truth("ext4", "mkfs.ext4");
}

#[test]
#[ignore = "needs root, loop devices"]
fn times_on_a_limited_xfs_are_true() {
    buffered_truth("xfs", "mkfs.xfs");
}

#[test]
#[ignore = "needs root, loop devices"]
fn times_on_a_limited_btrfs_are_true() {
    buffered_truth("btrfs", "mkfs.btrfs");
}

/// One call at a time waits for its own transfer: nothing of a direct write is left to the flush.
#[test]
#[ignore = "needs root, loop devices"]
fn times_of_direct_io_are_true() {
    if is_missing(&[Need::Root, Need::Loop, Need::Throttle, Need::Filesystem("ext4"), Need::Program("mkfs.ext4")]) {
        return;
    }
    let filesystem = LoopFilesystem::of("ext4", 512);
    let run = measured(&filesystem, &["--io", "direct"]);
    check("direct", &run, Phase::BlockWrite, TRANSFER);
    acknowledged("direct", &run, Phase::BlockWrite);
    check("direct", &run, Phase::Rewrite, TRANSFER);
    check("direct", &run, Phase::BlockRead, TRANSFER);
}
