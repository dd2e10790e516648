//! The main job on real filesystems: every phase gives a result, the labels are right, and the directory is as it was.

use super::device::{DeviceLock, LoopFilesystem, MemoryFilesystem};
use super::driver::{Desk, Finished, User, cache_label, listing, phase, phases_with};
use super::need::{Need, is_missing};
use barrow::model::label::{CacheLabel, Durability};
use barrow::model::phase::Phase;
use barrow::model::record::{RunRecord, Status};
use std::path::Path;

const SETTINGS: &str = "file_size=64m files=2048 seek_seconds=1";
/// The longest line that a run may take in its file.
const LONGEST_LINE: usize = 16 << 10;
/// Room for a file that is written twice, and the least that xfs makes.
const IMAGE_MIB: u64 = 384;

/// Runs twice in a directory that holds something already, and gives the runs.
fn run_twice(user: User, directory: &Path) -> Vec<RunRecord> {
    std::fs::write(directory.join("somebody's file"), "kept").unwrap();
    let before = listing(directory);
    let desk = Desk::new();
    let finished = Finished::of(desk.run(user, SETTINGS, &["--runs", "2"]).arg(directory)).expect_code(0);
    assert_eq!(listing(directory), before, "the directory is not as it was");
    assert!(finished.stdout.contains("Random delete"), "{}", finished.stdout);
    for line in std::fs::read_to_string(desk.run_file()).unwrap().lines() {
        assert!(line.len() < LONGEST_LINE, "a line of {} bytes", line.len());
    }
    let runs = desk.runs();
    assert_eq!(runs.len(), 2);
    for run in &runs {
        assert!(run.complete);
        assert_eq!(phases_with(run, Status::Ok).len(), Phase::STANDARD.len(), "{:?}", run.phases);
    }
    assert_eq!(runs[0].workload_id, runs[1].workload_id);
    assert_ne!(runs[0].nonce, runs[1].nonce);
    runs
}

fn cache(run: &RunRecord, which: Phase) -> Option<CacheLabel> {
    cache_label(phase(run, which))
}

/// Without rights nothing empties the caches of metadata, unless another test, as root, drops those of the whole system meanwhile.
fn expect_cached_stat(run: &RunRecord) {
    let stat = phase(run, Phase::SeqStat);
    assert_eq!((stat.preparation.drops, stat.preparation.hindrance.as_deref()), (0, Some("not root")));
    let is_undisturbed = stat.evidence.own_read_bytes == Some(0);
    assert_eq!(stat.cache == Some(CacheLabel::Cached), is_undisturbed, "{:?} with {:?}", stat.cache, stat.evidence);
}

fn job_on_a_device(kind: &'static str, mkfs: &'static str) {
    if is_missing(&[Need::Root, Need::Loop, Need::Filesystem(kind), Need::Program(mkfs)]) {
        return;
    }
    let filesystem = LoopFilesystem::of(kind, IMAGE_MIB);
    for user in [User::Tester, User::Nobody] {
        for run in run_twice(user, filesystem.path()) {
            assert_eq!(run.label, filesystem.kind());
            assert_eq!(run.machine.root, user == User::Tester);
            for which in [Phase::Rewrite, Phase::BlockRead, Phase::RandomSeek] {
                assert_eq!(cache(&run, which), Some(CacheLabel::Cold), "{kind} as {user:?}: {}", which.name());
            }
            if user == User::Nobody {
                expect_cached_stat(&run);
            }
            for which in [Phase::BlockWrite, Phase::Rewrite, Phase::SeqCreate, Phase::SeqDelete] {
                assert_eq!(phase(&run, which).durable, Some(Durability::Durable), "{}", which.name());
            }
        }
    }
}

#[test]
#[ignore = "needs root, loop devices"]
fn the_main_job_works_on_ext4() {
    job_on_a_device("ext4", "mkfs.ext4");
}

#[test]
#[ignore = "needs root, loop devices"]
fn the_main_job_works_on_xfs() {
    job_on_a_device("xfs", "mkfs.xfs");
}

#[test]
#[ignore = "needs root, loop devices"]
fn the_main_job_works_on_btrfs() {
    job_on_a_device("btrfs", "mkfs.btrfs");
}

#[test]
#[ignore = "needs root"]
fn the_main_job_works_in_memory() {
    if is_missing(&[Need::Root]) {
        return;
    }
    let _lock = DeviceLock::take();
    let filesystem = MemoryFilesystem::of("size=256m");
    for user in [User::Tester, User::Nobody] {
        for run in run_twice(user, filesystem.path()) {
            for which in [Phase::Rewrite, Phase::BlockRead, Phase::RandomSeek, Phase::SeqStat, Phase::RandomStat] {
                assert_eq!(cache(&run, which), Some(CacheLabel::Memory), "{}", which.name());
            }
            for which in [Phase::BlockWrite, Phase::Rewrite, Phase::SeqCreate, Phase::RandomDelete] {
                assert_eq!(phase(&run, which).durable, Some(Durability::Acknowledged), "{}", which.name());
            }
        }
    }
}

#[test]
#[ignore = "needs root, loop devices"]
fn two_targets_are_interleaved() {
    if is_missing(&[Need::Root, Need::Loop, Need::Filesystem("ext4"), Need::Program("mkfs.ext4")]) {
        return;
    }
    let filesystem = LoopFilesystem::of("ext4", IMAGE_MIB);
    let memory = MemoryFilesystem::of("size=256m");
    let desk = Desk::new();
    let named = [("a", filesystem.path()), ("b", memory.path())].map(|(label, path)| format!("{label}={}", path.display()));
    let mut command = desk.run(User::Tester, "file_size=8m files=64 seeks=10 seek_seconds=0", &["--runs", "3"]);
    Finished::of(command.args(&named)).expect_code(0);
    let runs = desk.runs();
    let rounds: Vec<(u32, u32)> = runs.iter().map(|run| (run.round, run.order)).collect();
    assert_eq!(rounds, [(1, 1), (1, 2), (2, 1), (2, 2), (3, 1), (3, 2)]);
    for round in runs.chunks(2) {
        let mut labels: Vec<&str> = round.iter().map(|run| run.label.as_str()).collect();
        labels.sort_unstable();
        assert_eq!(labels, ["a", "b"]);
    }
    assert!(runs.iter().all(|run| run.batch == runs[0].batch && run.complete));
}
