//! The numbers are durable and right: a device that is limited to so many bytes or reads a second says how long each block phase must
//! take.

use super::device::LoopFilesystem;
use super::driver::{Desk, Finished, User, phase};
use super::need::{Need, is_missing};
use barrow::model::phase::Phase;
use barrow::model::record::{Counted, RunRecord};
use std::fs::File;
use std::io::Write;

/// How fast a device is, and what is moved on it.
#[derive(Debug, Clone, Copy)]
struct Work {
    /// Bytes a second that it takes, and gives.
    limit: u64,
    /// MiB of the file: enough for some seconds.
    file_mib: u64,
}

const SLOW: Work = Work { limit: 10_000_000, file_mib: 30 };
const MIDDLE: Work = Work { limit: 20_000_000, file_mib: 60 };
const FAST: Work = Work { limit: 40_000_000, file_mib: 100 };

impl Work {
    /// Seconds that a transfer of the file takes at the limit.
    fn transfer(self) -> f64 {
        (self.file_mib << 20) as f64 / self.limit as f64
    }
}

/// How far a time may be off, either way: 2 % and what the limit lets through in advance.
const SHARE_OFF: f64 = 0.02;
const SECONDS_OFF: f64 = 0.25;

/// Writes as much as the run will and takes it away again, without limits: a new filesystem sets things up at its first large write.
fn use_once(filesystem: &LoopFilesystem, mib: u64) {
    let path = filesystem.path().join("first use");
    let file = File::create(&path).unwrap();
    let piece = vec![0x5a; 1 << 20];
    (0..mib).for_each(|_| (&file).write_all(&piece).unwrap());
    file.sync_all().unwrap();
    std::fs::remove_file(path).unwrap();
    nix::unistd::syncfs(File::open(filesystem.path()).unwrap()).unwrap();
}

/// One run under limits that are set just before it.
fn measured(filesystem: &LoopFilesystem, settings: &str, options: &[&str], limit: impl Fn()) -> RunRecord {
    let desk = Desk::new();
    filesystem.assert_no_hole();
    limit();
    let mut command = desk.run(User::Tester, settings, &[&["--runs", "1"], options].concat());
    Finished::of(command.arg(filesystem.path())).expect_code(0);
    filesystem.lift_limits();
    filesystem.assert_no_hole();
    let mut runs = desk.runs();
    assert_eq!(runs.len(), 1);
    runs.remove(0)
}

/// One run of the block phases on a device of limited speed.
fn moved(filesystem: &LoopFilesystem, work: Work, options: &[&str]) -> RunRecord {
    let settings = format!("file_size={}m seeks=10 seek_seconds=0 files=0", work.file_mib);
    measured(filesystem, &settings, options, || {
        filesystem.limit_read(work.limit);
        filesystem.limit_write(work.limit);
    })
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
        println!("{name:<14} {:<12} {elapsed:7.3} s, true {truth:7.3} s, off by {off:+.3} of {allowed:.3} s", which.name());
        off.abs() > allowed
    };
    truths.iter().filter(|truth| is_untrue(truth)).map(|(which, _)| which.name()).collect()
}

/// How often it is measured at the most. A busy machine can spoil a measurement: where other devices take most writes, the kernel gives
/// this one little room for changed pages and writes them back while a rewrite still reads. An error of barrow's is in every one.
const ATTEMPTS: u32 = 3;

/// Measures until every time is true.
fn expect_truth(name: &str, measure: impl Fn() -> RunRecord, truths: impl Fn(&RunRecord) -> Vec<(Phase, f64)>) -> RunRecord {
    let mut wrong = Vec::new();
    for _ in 0..ATTEMPTS {
        let run = measure();
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
    use_once(&filesystem, MIDDLE.file_mib);
    for work in [SLOW, MIDDLE, FAST] {
        let (name, transfer) = (format!("{kind}, {} MB/s", work.limit / 1_000_000), work.transfer());
        let run = expect_truth(
            &name,
            || moved(&filesystem, work, &[]),
            |run| vec![(Phase::BlockWrite, acknowledged(run) + transfer), (Phase::Rewrite, 2.0 * transfer), (Phase::BlockRead, transfer)],
        );
        let ratio = seconds(counted(&run, Phase::BlockWrite).elapsed_ns) / acknowledged(&run);
        println!("{name:<14} the acknowledged write is {ratio:.1} times as fast");
        assert!(ratio > 5.0, "{name}: the acknowledged write is not far faster");
    }
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
    use_once(&filesystem, MIDDLE.file_mib);
    let truths = [Phase::BlockWrite, Phase::Rewrite, Phase::BlockRead].map(|which| (which, MIDDLE.transfer()));
    let run = expect_truth("xfs, direct", || moved(&filesystem, MIDDLE, &["--io", "direct"]), |_| truths.to_vec());
    let write = counted(&run, Phase::BlockWrite);
    assert!(seconds(write.elapsed_ns) < 1.2 * acknowledged(&run), "a direct write was not done when it was acknowledged: {write:?}");
}

/// Reads a second that the device gives.
const SEEKS_PER_SECOND: u64 = 200;
/// Enough for ten seconds: the limit lets 20 through in advance.
const SEEKS: u64 = 2100;
/// Bytes of a seek.
const SEEK: u64 = 4096;
/// How far the time of seeks, and the share of their bytes that the device gave, may be off.
const SEEK_SHARE_OFF: f64 = 0.03;
const BYTES_SHARE_OFF: f64 = 0.01;

/// The time of seeks, in seconds, and whether it is that of the limit; it is shown.
fn are_seeks_true(kind: &str, seeks: &Counted) -> bool {
    let (elapsed, truth) = (seconds(seeks.elapsed_ns), seeks.operations as f64 / SEEKS_PER_SECOND as f64);
    let off = elapsed / truth - 1.0;
    println!("{kind:<14} {} seeks {elapsed:7.3} s, true {truth:7.3} s, off by {:+.2} %", seeks.operations, 100.0 * off);
    off.abs() <= SEEK_SHARE_OFF
}

/// Whether the device gave the bytes of the seeks, each once, and the system charged this process for all of them; it is shown. The
/// charge is the process' whole: code of its own that is read from its disk meanwhile is in it.
fn are_bytes_true(kind: &str, run: &RunRecord) -> bool {
    let (seeks, evidence) = (counted(run, Phase::RandomSeek), &phase(run, Phase::RandomSeek).evidence);
    let share = |bytes: u64| bytes as f64 / (seeks.operations * SEEK) as f64;
    let (device, own) = (share(evidence.devices[0].read_bytes), share(evidence.own_read_bytes.expect("bytes are counted on Linux")));
    let faults = seeks.usage.major_faults;
    println!(
        "{kind:<14} {} seeks: the device gave {device:.4} of their bytes, {own:.4} were charged; {faults} major faults",
        seeks.operations
    );
    (device - 1.0).abs() <= BYTES_SHARE_OFF && own >= 1.0 - BYTES_SHARE_OFF
}

/// Each seek is one read of its own size, and none is answered from memory.
fn seek_truth(kind: &'static str, mkfs: &'static str) {
    if is_missing(&[Need::Root, Need::Loop, Need::Throttle, Need::Filesystem(kind), Need::Program(mkfs)]) {
        return;
    }
    let filesystem = LoopFilesystem::of(kind, 384);
    let settings = format!("file_size=16m seek_size={SEEK} seeks={SEEKS} seek_seconds=0 files=0");
    let is_true = |_| {
        let run = measured(&filesystem, &settings, &[], || filesystem.limit_read_operations(SEEKS_PER_SECOND));
        let seeks = counted(&run, Phase::RandomSeek);
        assert_eq!(seeks.operations, SEEKS);
        are_bytes_true(kind, &run) & are_seeks_true(kind, seeks)
    };
    assert!((0..ATTEMPTS).any(is_true), "{kind}: seeks are untrue, {ATTEMPTS} times");
}

#[test]
#[ignore = "needs root, loop devices"]
fn seeks_on_a_limited_ext4_are_true() {
    seek_truth("ext4", "mkfs.ext4");
}

#[test]
#[ignore = "needs root, loop devices"]
fn seeks_on_a_limited_xfs_are_true() {
    seek_truth("xfs", "mkfs.xfs");
}

#[test]
#[ignore = "needs root, loop devices"]
fn seeks_on_a_limited_btrfs_are_true() {
    seek_truth("btrfs", "mkfs.btrfs");
}
