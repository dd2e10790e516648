//! The numbers are durable and right: a device that is limited to so many bytes a second says how long each block phase must take.

use super::device::LoopFilesystem;
use super::driver::{Desk, Finished, User, phase};
use super::need::{Need, is_missing};
use barrow::model::phase::Phase;
use barrow::model::record::{Counted, RunRecord};
use std::fs::File;
use std::io::Write;

/// Bytes a second that the device takes, and gives.
const LIMIT: u64 = 20_000_000;
/// Bytes of the file: 120 MiB.
const FILE: u64 = 120 << 20;
/// Seconds that a transfer of the file takes at the limit.
const TRANSFER: f64 = FILE as f64 / LIMIT as f64;
/// How far a time may be off, either way: 2 % and what the limit lets through in advance.
const SHARE_OFF: f64 = 0.02;
const SECONDS_OFF: f64 = 0.25;

/// Writes as much as the run will and takes it away again, without limits: a new filesystem sets things up at its first large write.
fn use_once(filesystem: &LoopFilesystem) {
    let path = filesystem.path().join("first use");
    let file = File::create(&path).unwrap();
    let piece = vec![0x5a; 1 << 20];
    (0..FILE >> 20).for_each(|_| (&file).write_all(&piece).unwrap());
    file.sync_all().unwrap();
    std::fs::remove_file(path).unwrap();
    nix::unistd::syncfs(File::open(filesystem.path()).unwrap()).unwrap();
}

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

/// Seconds until the writes of the file were acknowledged.
fn acknowledged(run: &RunRecord) -> f64 {
    seconds(counted(run, Phase::BlockWrite).acknowledged_ns.unwrap())
}

/// The phases that took longer or shorter than is true; every time is shown.
fn untrue(name: &str, run: &RunRecord, truths: &[(Phase, f64)]) -> Vec<&'static str> {
    let is_untrue = |(which, truth): &(Phase, f64)| {
        let elapsed = seconds(counted(run, *which).elapsed_ns);
        let allowed = SHARE_OFF * truth + SECONDS_OFF;
        let off = elapsed - truth;
        println!("{name:<12} {:<12} {elapsed:7.3} s, true {truth:7.3} s, off by {off:+.3} of {allowed:.3} s", which.name());
        off.abs() > allowed
    };
    truths.iter().filter(|truth| is_untrue(truth)).map(|(which, _)| which.name()).collect()
}

/// How often it is measured at the most. A busy machine can spoil a measurement: where other devices take most writes, the kernel gives
/// this one little room for changed pages and writes them back while a rewrite still reads. An error of barrow's is in every one.
const ATTEMPTS: u32 = 3;

/// Measures until every time is true.
fn expect_truth(name: &str, filesystem: &LoopFilesystem, options: &[&str], truths: impl Fn(&RunRecord) -> Vec<(Phase, f64)>) -> RunRecord {
    use_once(filesystem);
    let mut wrong = Vec::new();
    for _ in 0..ATTEMPTS {
        let run = measured(filesystem, options);
        wrong = untrue(name, &run, &truths(&run));
        if wrong.is_empty() {
            return run;
        }
    }
    panic!("{name}: times of {wrong:?} are untrue, {ATTEMPTS} times");
}

fn buffered_truth(kind: &'static str, mkfs: &'static str) {
    if is_missing(&[Need::Root, Need::Loop, Need::Throttle, Need::Filesystem(kind), Need::Program(mkfs)]) {
        return;
    }
    let filesystem = LoopFilesystem::of(kind, 512);
    let run = expect_truth(kind, &filesystem, &[], |run| {
        vec![(Phase::BlockWrite, acknowledged(run) + TRANSFER), (Phase::Rewrite, 2.0 * TRANSFER), (Phase::BlockRead, TRANSFER)]
    });
    let ratio = seconds(counted(&run, Phase::BlockWrite).elapsed_ns) / acknowledged(&run);
    println!("{kind:<12} the acknowledged write is {ratio:.1} times as fast");
    assert!(ratio > 5.0, "{kind}: the acknowledged write is not far faster");
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

/// One call at a time waits for its own transfer: nothing of a direct write is left to the flush, and while a chunk is written the
/// right to read the next one grows.
#[test]
#[ignore = "needs root, loop devices"]
fn times_of_direct_io_are_true() {
    if is_missing(&[Need::Root, Need::Loop, Need::Throttle, Need::Filesystem("xfs"), Need::Program("mkfs.xfs")]) {
        return;
    }
    let filesystem = LoopFilesystem::of("xfs", 512);
    let truths = vec![(Phase::BlockWrite, TRANSFER), (Phase::Rewrite, TRANSFER), (Phase::BlockRead, TRANSFER)];
    let run = expect_truth("xfs, direct", &filesystem, &["--io", "direct"], |_| truths.clone());
    let write = counted(&run, Phase::BlockWrite);
    assert!(seconds(write.elapsed_ns) < 1.2 * acknowledged(&run), "a direct write was not done when it was acknowledged: {write:?}");
}
