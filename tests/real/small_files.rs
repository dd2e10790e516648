//! The profiles of many small files on real filesystems: counts, labels, durable times on a limited device, and a peer that does the
//! same by the rules in the manual.

use super::device::LoopFilesystem;
use super::driver::{Desk, Finished, User, alone, cache_label, phase, quick_target, scratches};
use super::need::{Need, is_missing};
use barrow::model::label::{CacheLabel, Durability};
use barrow::model::phase::Phase;
use barrow::model::record::{Counted, RunRecord};
use std::path::Path;

/// How often it is measured at the most: others who use the disk of this machine meanwhile rightly spoil a proof, or a time.
const ATTEMPTS: u32 = 4;

/// Runs of a profile with these settings.
fn runs_of(path: &Path, user: User, profile: &str, options: &[&str]) -> Vec<RunRecord> {
    let desk = Desk::new();
    let mut command = desk.barrow(user, ["run", "-p", profile, "-q", "--no-report", "-o"]);
    command.arg(desk.run_file()).args(options).arg(path);
    Finished::of(&mut command).expect_code(0);
    assert!(scratches(path).is_empty());
    let runs = desk.runs();
    assert!(runs.iter().all(|run| run.complete), "{:?}", runs[0].phases);
    runs
}

fn counted(run: &RunRecord, which: Phase) -> &Counted {
    phase(run, which).counted().unwrap_or_else(|| panic!("{} has no counts", which.name()))
}

/// What a phase did, in files.
fn work(run: &RunRecord) -> Vec<(&'static str, u64)> {
    run.phases.iter().map(|record| (record.name.name(), record.counted().unwrap().work)).collect()
}

/// The phases of a run whose label is not the wanted one.
fn others_than(run: &RunRecord, wanted: CacheLabel) -> Vec<String> {
    let cold = run.phases.iter().filter(|record| record.name.starts_cold() && cache_label(record) != Some(wanted));
    let durable = run.phases.iter().filter(|record| record.name.row().writes && record.durable != Some(Durability::Durable));
    cold.chain(durable).map(|record| format!("{} {:?} {:?}", record.name.name(), record.cache, record.durable)).collect()
}

/// Measures until every phase that reads has this label, and every one that writes is durable.
fn expect_labels(path: &Path, user: User, profile: &str, options: &[&str], wanted: CacheLabel, work_wanted: &[(&str, u64)]) {
    let mut found = Vec::new();
    for _ in 0..ATTEMPTS {
        let runs = runs_of(path, user, profile, options);
        assert!(runs.iter().all(|run| work(run) == work_wanted), "{:?}", work(&runs[0]));
        found = runs.iter().flat_map(|run| others_than(run, wanted)).collect();
        if found.is_empty() {
            return;
        }
    }
    panic!("{} as {user:?}: not {wanted:?} and durable: {found:?}", path.display());
}

fn profiles_on(kind: &'static str, mkfs: &'static str) {
    if is_missing(&[Need::Root, Need::Loop, Need::Filesystem(kind), Need::Program(mkfs)]) {
        return;
    }
    let filesystem = LoopFilesystem::of(kind, 320);
    let small = [("seq_create", 1500), ("file_rewrite", 150), ("file_read", 150), ("file_random_read", 150), ("seq_delete", 1500)];
    let scaled = ["--set", "scale=0.5%", "--runs", "2"];
    expect_labels(filesystem.path(), User::Tester, "smallfiles", &scaled, CacheLabel::Cold, &small);
    expect_labels(filesystem.path(), User::Nobody, "smallfiles", &["--set", "scale=0.5%", "--runs", "1"], CacheLabel::Cached, &small);
    let mail = ["seq_create", "seq_stat", "seq_delete", "random_create", "random_stat", "random_delete"].map(|name| (name, 1024));
    expect_labels(filesystem.path(), User::Tester, "mail", &["--set", "scale=0.05%", "--runs", "2"], CacheLabel::Cold, &mail);
}

#[test]
#[ignore = "needs root, loop devices"]
fn small_files_on_ext4_are_counted_and_labelled() {
    profiles_on("ext4", "mkfs.ext4");
}

#[test]
#[ignore = "needs root, loop devices"]
fn small_files_on_xfs_are_counted_and_labelled() {
    profiles_on("xfs", "mkfs.xfs");
}

#[test]
#[ignore = "needs root, loop devices"]
fn small_files_on_btrfs_are_counted_and_labelled() {
    profiles_on("btrfs", "mkfs.btrfs");
}

/// Bytes a second that the device takes.
const LIMIT: u64 = 5_000_000;
/// How far a time may be off: 2 %, and what the limit lets through in advance.
const SHARE_OFF: f64 = 0.02;
const SECONDS_OFF: f64 = 0.25;

/// Whether a phase took as long as the device needs for what it wrote, the flush included; all is shown.
fn is_true(run: &RunRecord, which: Phase) -> bool {
    let counted = counted(run, which);
    let seconds = |nanoseconds: u64| nanoseconds as f64 / 1e9;
    let (elapsed, acknowledged) = (seconds(counted.elapsed_ns), seconds(counted.acknowledged_ns.unwrap()));
    let device = phase(run, which).evidence.devices[0].written_bytes;
    let truth = device as f64 / LIMIT as f64;
    let data = counted.bytes.unwrap();
    println!("{:<13} {elapsed:.3} s, acknowledged {acknowledged:.3} s, {device} bytes written for {data}: {truth:.3} s", which.name());
    assert!(device >= data, "the device has not all of the data");
    let allowed = SHARE_OFF * truth + SECONDS_OFF;
    (truth - allowed..=truth + acknowledged + allowed).contains(&elapsed)
}

/// Creating and rewriting files lasts until the device has them.
#[test]
#[ignore = "needs root, loop devices"]
fn durable_times_of_small_files_are_true() {
    if is_missing(&[Need::Root, Need::Loop, Need::Throttle, Need::Filesystem("ext4"), Need::Program("mkfs.ext4")]) {
        return;
    }
    let filesystem = LoopFilesystem::of("ext4", 320);
    let number = filesystem.statistics().parent().unwrap().file_name().unwrap().to_string_lossy().into_owned();
    let limit = |bytes: u64| format!("echo {number} {bytes} > /sys/fs/cgroup/blkio/blkio.throttle.write_bps_device");
    let measure = |files: &str, prepare: &str| {
        let files = format!("files={files}");
        let sizes =
            ["--set", "min_size=200k", "--set", "max_size=400k", "--set", "dirs=4", "--set", "phases=seq_create,file_rewrite,seq_delete"];
        let options = [&["--runs", "1", "--set", files.as_str(), "--prepare", prepare][..], &sizes].concat();
        let run = runs_of(filesystem.path(), User::Tester, "smallfiles", &options).remove(0);
        filesystem.lift_limits();
        run
    };
    // The command is run before cold phases, of which the rewrite is the first: it ends the limit of the create, or begins its own.
    let is_create_true = || {
        filesystem.limit_write(LIMIT);
        is_true(&measure("40", &limit(0)), Phase::SeqCreate)
    };
    let is_rewrite_true = || is_true(&measure("400", &limit(LIMIT)), Phase::FileRewrite);
    assert!((0..ATTEMPTS).any(|_| is_create_true()), "the time of seq_create is untrue, {ATTEMPTS} times");
    assert!((0..ATTEMPTS).any(|_| is_rewrite_true()), "the time of file_rewrite is untrue, {ATTEMPTS} times");
}

/// A script that knows the rules of the manual and nothing of barrow moves as many files and bytes in each step, whatever the seed.
#[test]
#[ignore = "needs python3"]
fn a_script_of_the_same_steps_moves_the_same_files_and_bytes() {
    if is_missing(&[Need::Program("python3")]) {
        return;
    }
    let target = quick_target();
    let below = target.path().join("script");
    std::fs::create_dir(&below).unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/real/small_files.py");
    let done = Finished::of(alone("python3").arg(script).arg(&below).args(["1500", "512", "1536", "100"])).expect_code(0);
    let theirs: serde_json::Value = serde_json::from_str(&done.stdout).unwrap();
    for seed in ["1", "7"] {
        let run = runs_of(target.path(), User::Tester, "smallfiles", &["--set", "scale=0.5%", "--seed", seed, "--runs", "1"]).remove(0);
        assert_eq!(run.phases.len(), 5);
        for record in &run.phases {
            let (step, counted) = (&theirs[record.name.name()], record.counted().unwrap());
            let ours = (Some(counted.work), Some(counted.bytes.unwrap_or(0)));
            println!("{:<16} {ours:?}", record.name.name());
            assert_eq!(ours, (step["files"].as_u64(), step["bytes"].as_u64()), "{}", record.name.name());
        }
    }
}

#[test]
#[ignore = "needs root, loop devices"]
fn what_a_large_profile_takes_is_said_before_it_is_refused() {
    if is_missing(&[Need::Root, Need::Loop, Need::Filesystem("ext4"), Need::Program("mkfs.ext4")]) {
        return;
    }
    let filesystem = LoopFilesystem::of("ext4", 64);
    let said = |more: &[&str]| {
        let desk = Desk::new();
        let mut command = desk.barrow(User::Tester, ["run", "-p", "mail"]);
        Finished::of(command.args(more).arg(filesystem.path())).expect_code(1)
    };
    let told = "mail/1 makes 4,096,200 files and directories with 19.1 GiB of data in each of its 3 runs";
    said(&[]).expect_said(&[told, "GiB free", "needs 2048108 free inodes"]);
    let quiet = said(&["-q"]).expect_said(&["GiB free"]);
    assert!(!quiet.stderr.contains("makes"), "{}", quiet.stderr);
}
