//! The profiles `sync/1` and `blocks/1` on real filesystems: complete, durable, cold and direct; true on limited devices; and with the
//! figures of dd(1) and fio(1).

use super::device::LoopFilesystem;
use super::driver::{Desk, Finished, User, ahead_of_others, alone, cache_label, listing, phase};
use super::need::{Need, is_missing};
use barrow::model::label::{CacheLabel, Durability};
use barrow::model::machine::ObtainedIo;
use barrow::model::phase::Phase;
use barrow::model::record::{Counted, RunRecord};
use std::time::Duration;

fn named(name: &str) -> Phase {
    Phase::named(name).unwrap()
}

fn counted<'r>(run: &'r RunRecord, name: &str) -> &'r Counted {
    let record = phase(run, named(name));
    record.counted().unwrap_or_else(|| panic!("{name} has no counts: {:?}", record.reason))
}

fn seconds(run: &RunRecord, name: &str) -> f64 {
    counted(run, name).elapsed_ns as f64 / 1e9
}

/// The runs of a profile with some settings. Files are evicted, and no more: that is all that direct I/O needs.
fn runs(filesystem: &LoopFilesystem, profile: &str, settings: &str, rest: &[&str]) -> Vec<RunRecord> {
    let desk = Desk::new();
    let mut command = desk.barrow(User::Tester, ["run", "-p", profile, "--drop-caches", "never", "-o"]);
    command.arg(desk.run_file());
    for setting in settings.split_whitespace() {
        command.args(["--set", setting]);
    }
    command.args(rest).arg(filesystem.path());
    Finished::of(&mut ahead_of_others(&command)).expect_code(0);
    desk.runs()
}

fn run(filesystem: &LoopFilesystem, profile: &str, settings: &str) -> RunRecord {
    let mut runs = runs(filesystem, profile, settings, &["--runs", "1", "--no-report"]);
    assert_eq!(runs.len(), 1);
    runs.remove(0)
}

/// Small flushed writes of each kind, and transfers of each phase.
const SYNC_WRITES: u64 = 20;
const TRANSFERS: u64 = 24;

/// Every phase of both profiles gives a result with what it must have moved, in each of some runs, and nothing is left.
fn profiles_on(kind: &'static str, mkfs: &'static str, times: &str) {
    if is_missing(&[Need::Root, Need::Loop, Need::Filesystem(kind), Need::Program(mkfs)]) {
        return;
    }
    let filesystem = LoopFilesystem::of(kind, 384);
    let before = listing(filesystem.path());
    for run in runs(&filesystem, "sync/1", &format!("sync_writes={SYNC_WRITES} file_size=16m"), &["--runs", times]) {
        assert!(run.complete, "{:?}", run.phases);
        for (name, bytes) in [("dsync_write", 512), ("fsync_write", 4096)] {
            let (record, counts) = (phase(&run, named(name)), counted(&run, name));
            assert_eq!((counts.work, counts.operations, counts.bytes), (SYNC_WRITES, SYNC_WRITES, Some(SYNC_WRITES * bytes)));
            assert_eq!(record.durable, Some(Durability::Durable), "{kind}: {name}: {:?}", record.evidence);
            // The first device of the stack is the loop device itself: it was written, and flushed, for each of them.
            let device = record.evidence.devices[0];
            assert!(device.writes >= SYNC_WRITES && device.flushes >= Some(SYNC_WRITES), "{kind}: {name}: {device:?}");
        }
        let written = phase(&run, Phase::BlockWrite);
        assert_eq!((written.durable, written.io), (Some(Durability::Durable), Some(ObtainedIo::Direct)), "{kind}");
        assert_eq!(cache_label(phase(&run, Phase::BlockRead)), Some(CacheLabel::Cold), "{kind}");
    }
    let settings = format!("file_size=16m transfers={TRANSFERS} transfer_seconds=0");
    for run in runs(&filesystem, "blocks/1", &settings, &["--runs", times]) {
        assert!(run.complete, "{:?}", run.phases);
        assert_eq!(run.phases.len(), 16);
        for record in &run.phases {
            let Phase::Transfer(transfer) = record.name else { panic!("{} is no transfer", record.name.name()) };
            let (name, counts) = (record.name.name(), counted(&run, record.name.name()));
            // Of 16 MiB there are 16 in transfers of 1 MiB.
            let expected = TRANSFERS.min((16 << 20) / u64::from(transfer.bytes));
            assert_eq!((counts.operations, counts.work), (expected, expected * u64::from(transfer.bytes)), "{name}");
            assert_eq!(record.io, Some(ObtainedIo::Direct), "{kind}: {name}");
            if record.name.row().writes {
                assert_eq!(record.durable, Some(Durability::Durable), "{kind}: {name}: {:?}", record.evidence);
            } else {
                assert_eq!(cache_label(record), Some(CacheLabel::Cold), "{kind}: {name}: {:?}", record.evidence);
            }
        }
    }
    assert_eq!(listing(filesystem.path()), before, "the directory is not as it was");
}

#[test]
#[ignore = "needs root, loop devices"]
fn sync_and_blocks_work_on_ext4() {
    profiles_on("ext4", "mkfs.ext4", "2");
}

#[test]
#[ignore = "needs root, loop devices"]
fn sync_and_blocks_work_on_xfs() {
    profiles_on("xfs", "mkfs.xfs", "1");
}

#[test]
#[ignore = "needs root, loop devices"]
fn sync_and_blocks_work_on_btrfs() {
    profiles_on("btrfs", "mkfs.btrfs", "1");
}

/// How often it is measured at the most; a busy machine can spoil a measurement.
const ATTEMPTS: u32 = 3;

/// The time of transfers is that of their bytes, or of their number, on a device that is limited in these.
#[test]
#[ignore = "needs root, loop devices"]
fn transfers_on_a_limited_device_are_true() {
    /// Bytes, and reads, that the device moves a second.
    const BYTES_A_SECOND: u64 = 40_000_000;
    const READS_A_SECOND: u64 = 800;
    const READS: u64 = 1200;
    if is_missing(&[Need::Root, Need::Loop, Need::Throttle, Need::Filesystem("xfs"), Need::Program("mkfs.xfs")]) {
        return;
    }
    let filesystem = LoopFilesystem::of("xfs", 384);
    let is_true = |run: &RunRecord, name: &str, truth: f64| {
        let off = seconds(run, name) - truth;
        println!("{name:<20} {:7.3} s, true {truth:7.3} s, off by {off:+.3} s", seconds(run, name));
        // The limits let a tenth of a second or two through in advance.
        off.abs() <= 0.02 * truth + 0.25
    };
    let bytes_are_true = |_| {
        filesystem.limit_read(BYTES_A_SECOND);
        filesystem.limit_write(BYTES_A_SECOND);
        let run = run(&filesystem, "blocks/1", "file_size=48m phases=seq_write_1m_1w,seq_read_1m_2w transfers=0");
        filesystem.lift_limits();
        let truth = f64::from(48 << 20) / BYTES_A_SECOND as f64;
        ["seq_write_1m_1w", "seq_read_1m_2w"].iter().all(|name| is_true(&run, name, truth))
    };
    assert!((0..ATTEMPTS).any(bytes_are_true), "bytes are untrue, {ATTEMPTS} times");
    let reads_are_true = |_| {
        filesystem.limit_read_operations(READS_A_SECOND);
        let settings = format!("file_size=16m phases=random_read_4k_4w transfers={READS} transfer_seconds=0");
        let run = run(&filesystem, "blocks/1", &settings);
        filesystem.lift_limits();
        let counts = counted(&run, "random_read_4k_4w");
        assert_eq!((counts.operations, counts.work), (READS, READS * 4096));
        is_true(&run, "random_read_4k_4w", READS as f64 / READS_A_SECOND as f64)
    };
    assert!((0..ATTEMPTS).any(reads_are_true), "reads are untrue, {ATTEMPTS} times");
}

/// How often barrow and its peer take turns.
const ROUNDS: usize = 6;
/// MiB that they move, and what the limited device takes and gives of them: on one without limits it is the machine that is compared.
const PEER_MIB: u64 = 64;
const PEER_LIMIT: u64 = 160_000_000;
/// Small reads, and how many of them a second.
const PEER_READS: u64 = 2000;
const PEER_READS_A_SECOND: u64 = 4000;
/// How long the device rests before a peer begins: barrow waits until it is quiet, and a device that rested has some transfers to spare.
const REST: Duration = Duration::from_millis(300);
/// How far apart the ranges may lie: the limits let up to two tenths of a second through in advance.
const SHARE_APART: f64 = 0.25;

/// Says which rates are not the same; all are shown. A column a phase, a row a round.
fn differences(names: &[&str], ours: &[Vec<f64>], theirs: &[Vec<f64>]) -> Vec<String> {
    assert_eq!((ours.len(), theirs.len()), (ROUNDS, ROUNDS));
    let range = |rounds: &[Vec<f64>], place: usize| {
        let values = rounds.iter().map(|round| round[place]);
        (values.clone().fold(f64::INFINITY, f64::min), values.fold(f64::NEG_INFINITY, f64::max))
    };
    let compared = |(place, name): (usize, &&str)| {
        let (ours, theirs) = (range(ours, place), range(theirs, place));
        println!("{name:<20} barrow {:.4e} to {:.4e}, peer {:.4e} to {:.4e} a second", ours.0, ours.1, theirs.0, theirs.1);
        let are_apart = ours.0 > theirs.1 * (1.0 + SHARE_APART) || theirs.0 > ours.1 * (1.0 + SHARE_APART);
        are_apart.then(|| format!("{name}: {ours:?}, not {theirs:?}"))
    };
    names.iter().enumerate().filter_map(compared).collect()
}

/// Lets both take turns until their ranges lie together.
fn expect_same(filesystem: &LoopFilesystem, names: &[&str], ours: impl Fn() -> Vec<f64>, theirs: impl Fn() -> Vec<f64>) {
    filesystem.limit_read(PEER_LIMIT);
    filesystem.limit_write(PEER_LIMIT);
    filesystem.limit_read_operations(PEER_READS_A_SECOND);
    let mut found = Vec::new();
    for _ in 0..ATTEMPTS {
        let rounds: (Vec<_>, Vec<_>) = (0..ROUNDS).map(|_| (ours(), theirs())).unzip();
        found = differences(names, &rounds.0, &rounds.1);
        if found.is_empty() {
            return;
        }
    }
    panic!("{found:?}, {ATTEMPTS} times");
}

/// The rate of one dd, as it says in the last line: `33554432 bytes (34 MB, 32 MiB) copied, 0.0312 s, 1.1 GB/s`.
fn dd(arguments: &[&str]) -> f64 {
    std::thread::sleep(REST);
    let mut command = alone("dd");
    command.args(arguments).args(["bs=1M", &format!("count={PEER_MIB}")]).env("LC_ALL", "C");
    let finished = Finished::of(&mut ahead_of_others(&command)).expect_code(0);
    let line = finished.stderr.lines().last().unwrap();
    let time: f64 = line.split(", ").find_map(|part| part.strip_suffix(" s")).unwrap().parse().unwrap();
    (PEER_MIB << 20) as f64 / time
}

#[test]
#[ignore = "needs root, loop devices"]
fn the_block_figures_of_sync_are_those_of_dd() {
    if is_missing(&[Need::Root, Need::Loop, Need::Throttle, Need::Filesystem("ext4"), Need::Program("mkfs.ext4")]) {
        return;
    }
    let filesystem = LoopFilesystem::of("ext4", 384);
    let ours = || {
        let run = run(&filesystem, "sync/1", &format!("sync_writes=0 file_size={PEER_MIB}m"));
        ["block_write", "block_read"].map(|name| counted(&run, name).rate().unwrap()).to_vec()
    };
    let file = filesystem.path().join("peer");
    let (output, input) = (format!("of={}", file.display()), format!("if={}", file.display()));
    let theirs = || {
        let written = dd(&["if=/dev/zero", &output, "oflag=direct", "conv=fsync,excl"]);
        let read = dd(&[&input, "of=/dev/null", "iflag=direct"]);
        std::fs::remove_file(&file).unwrap();
        vec![written, read]
    };
    expect_same(&filesystem, &["block_write", "block_read"], ours, theirs);
}

#[test]
#[ignore = "needs root, loop devices, fio"]
fn transfers_are_those_of_fio() {
    if is_missing(&[Need::Root, Need::Loop, Need::Throttle, Need::Filesystem("ext4"), Need::Program("mkfs.ext4"), Need::Program("fio")]) {
        return;
    }
    const NAMES: [&str; 3] = ["seq_write_1m_4w", "seq_read_1m_4w", "random_read_4k_4w"];
    let filesystem = LoopFilesystem::of("ext4", 384);
    let settings = format!("file_size={PEER_MIB}m transfers={PEER_READS} transfer_seconds=0 phases={}", NAMES.join(","));
    let ours = || {
        let run = run(&filesystem, "blocks/1", &settings);
        let rate = |name: &str| if name.contains("4k") { counted(&run, name).operation_rate() } else { counted(&run, name).rate() };
        NAMES.map(|name| rate(name).unwrap()).to_vec()
    };
    let directory = format!("--directory={}", filesystem.path().display());
    let (size, some) = (format!("--size={}M", PEER_MIB / 4), format!("--io_size={}", PEER_READS / 4 * 4096));
    // Files of the four jobs, which all three use, laid out before the first.
    let rest = format!("--startdelay={}ms", REST.as_millis());
    let always = [rest.as_str(), "--numjobs=4", "--group_reporting", "--filename_format=peer.$jobnum", "--stonewall", "--new_group"];
    let theirs = || {
        let mut command = alone("fio");
        command.args([&directory, &size, "--direct=1", "--ioengine=psync", "--iodepth=1", "--overwrite=1", "--output-format=json"]);
        command.args(["--name=w", "--rw=write", "--bs=1M", "--end_fsync=1"]).args(always);
        command.args(["--name=r", "--rw=read", "--bs=1M"]).args(always);
        command.args(["--name=x", "--rw=randread", "--bs=4k", &some]).args(always);
        let finished = Finished::of(&mut ahead_of_others(&command)).expect_code(0);
        let report: serde_json::Value = serde_json::from_str(&finished.stdout).unwrap();
        (0..4).for_each(|job| std::fs::remove_file(filesystem.path().join(format!("peer.{job}"))).unwrap());
        let of = |job: usize, way: &str, key: &str| report["jobs"][job][way][key].as_f64().unwrap();
        vec![of(0, "write", "bw_bytes"), of(1, "read", "bw_bytes"), of(2, "read", "iops")]
    };
    expect_same(&filesystem, &NAMES, ours, theirs);
}
