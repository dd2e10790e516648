//! What the system refuses, hides or loses: the labels say less then, never more, and nothing crashes.

use super::device::LoopFilesystem;
use super::driver::{Desk, Finished, Running, User, cache_label, phase};
use super::need::{Need, is_missing};
use super::sandbox::{CACHESTAT, refusing, sandboxed};
use barrow::model::label::{CacheLabel, Durability};
use barrow::model::phase::Phase;
use barrow::model::record::{RunRecord, Status};
use std::fs;

const NEEDS: [Need; 5] = [Need::Root, Need::Loop, Need::Filesystem("ext4"), Need::Program("mkfs.ext4"), Need::Program("bwrap")];
const WORK: &str = "file_size=64m seeks=400 seek_seconds=0 files=512";
const READING: [Phase; 3] = [Phase::Rewrite, Phase::BlockRead, Phase::RandomSeek];

fn measured(filesystem: &LoopFilesystem, options: &[&str], sandbox: &str, filter: Option<Vec<u8>>) -> RunRecord {
    let desk = Desk::new();
    let path = desk.path("filter");
    let filter = filter.map(|program| {
        fs::write(&path, program).unwrap();
        path.as_path()
    });
    let mut command = desk.run(User::Tester, WORK, &[&["--runs", "1", "-q"], options].concat());
    Finished::of(&mut sandboxed(command.arg(filesystem.path()), sandbox, filter)).expect_code(0);
    desk.runs().remove(0)
}

fn expect_reads(run: &RunRecord, expected: CacheLabel) {
    for which in READING {
        assert_eq!(cache_label(phase(run, which)), Some(expected), "{}: {:?}", which.name(), phase(run, which).evidence);
    }
}

#[test]
#[ignore = "needs root, loop devices, bwrap"]
fn without_cachestat_mincore_tells_the_same() {
    if is_missing(&NEEDS) {
        return;
    }
    let filesystem = LoopFilesystem::of("ext4", 400);
    for error in [libc::EPERM, libc::ENOSYS] {
        let filter = || Some(refusing(&[CACHESTAT], error));
        expect_reads(&measured(&filesystem, &[], "--seccomp 9", filter()), CacheLabel::Cold);
        expect_reads(&measured(&filesystem, &["--cache", "warm"], "--seccomp 9", filter()), CacheLabel::Cached);
    }
}

/// Then only the two counters together prove anything.
#[test]
#[ignore = "needs root, loop devices, bwrap"]
fn without_residency_a_warm_read_is_unknown() {
    if is_missing(&NEEDS) {
        return;
    }
    let filesystem = LoopFilesystem::of("ext4", 400);
    let filter = || Some(refusing(&[CACHESTAT, libc::SYS_mincore], libc::EPERM));
    let warm = measured(&filesystem, &["--cache", "warm"], "--seccomp 9", filter());
    expect_reads(&warm, CacheLabel::Unknown);
    assert_eq!(phase(&warm, Phase::BlockRead).evidence.resident_before, None);
    let cold = measured(&filesystem, &[], "--seccomp 9", filter());
    let label = phase(&cold, Phase::BlockRead).cache.unwrap();
    assert!(matches!(label, CacheLabel::Cold | CacheLabel::Unknown), "{label}");
}

#[test]
#[ignore = "needs root, loop devices, bwrap"]
fn without_sys_nothing_is_called_cold_or_durable() {
    if is_missing(&NEEDS) {
        return;
    }
    let filesystem = LoopFilesystem::of("ext4", 400);
    let run = measured(&filesystem, &[], "--tmpfs /sys", None);
    for record in &run.phases {
        assert!(matches!(record.cache, None | Some(CacheLabel::ColdUnproven | CacheLabel::Unknown)), "{record:?}");
        assert!(matches!(record.durable, None | Some(Durability::Uncertain)), "{record:?}");
    }
}

#[test]
#[ignore = "needs root, loop devices, bwrap"]
fn without_proc_it_is_refused_by_name() {
    if is_missing(&NEEDS) {
        return;
    }
    let filesystem = LoopFilesystem::of("ext4", 400);
    let desk = Desk::new();
    let mut command = desk.run(User::Tester, WORK, &["--runs", "1"]);
    let said = Finished::of(&mut sandboxed(command.arg(filesystem.path()), "--tmpfs /proc", None)).expect_code(1);
    said.expect_said(&["its mount is not known", "/proc/self/mountinfo"]);
}

/// The image loses its blocks while a run stands still: what is read from them from then on is an error.
#[test]
#[ignore = "needs root, loop devices"]
fn a_device_that_vanishes_fails_the_phases_that_need_it() {
    if is_missing(&NEEDS) {
        return;
    }
    let filesystem = LoopFilesystem::of("ext4", 400);
    let desk = Desk::new();
    let mut command = desk.run(User::Tester, "file_size=64m seeks=400 seek_seconds=0 files=0", &["--runs", "1", "--pause", "1s"]);
    let mut running = Running::start(command.arg(filesystem.path()));
    running.wait_for_line(&["rewrite"]);
    running.pause();
    filesystem.lose_blocks();
    running.resume();
    running.finish().expect_code(1).expect_said(&["block_read", "input/output error"]);
    let run = desk.runs().remove(0);
    assert_eq!(phase(&run, Phase::Rewrite).status, Status::Ok);
    for which in [Phase::BlockRead, Phase::RandomSeek] {
        let record = phase(&run, which);
        assert_eq!((record.status, record.cache, record.result.is_some()), (Status::Failed, None, false), "{record:?}");
    }
    assert!(!run.complete);
}
