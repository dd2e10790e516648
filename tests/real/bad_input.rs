//! What the system refuses, hides or loses: the labels say less then, never more, and nothing crashes.

use super::device::LoopFilesystem;
use super::driver::{Desk, Finished, Running, User, alone, cache_label, phase};
use super::need::{Need, is_missing};
use barrow::model::label::{CacheLabel, Durability};
use barrow::model::phase::Phase;
use barrow::model::record::{RunRecord, Status};
use std::fs;
use std::path::Path;
use std::process::Command;

const NEEDS: [Need; 5] = [Need::Root, Need::Loop, Need::Filesystem("ext4"), Need::Program("mkfs.ext4"), Need::Program("bwrap")];
const WORK: &str = "file_size=64m seeks=400 seek_seconds=0 files=512";
const READING: [Phase; 3] = [Phase::Rewrite, Phase::BlockRead, Phase::RandomSeek];

/// A program of the kernel's that refuses some system calls with an error (linux/filter.h and linux/seccomp.h).
fn refusing(calls: &[libc::c_long], error: i32) -> Vec<u8> {
    const LOAD_NUMBER: u16 = 0x20;
    const JUMP_IF_EQUAL: u16 = 0x15;
    const RETURN: u16 = 0x06;
    const ALLOW: u32 = 0x7fff_0000;
    const FAIL: u32 = 0x0005_0000;
    let step = |code: u16, if_so: u8, if_not: u8, value: u32| -> Vec<u8> {
        [&code.to_ne_bytes()[..], &[if_so, if_not], &value.to_ne_bytes()].concat()
    };
    let mut program = step(LOAD_NUMBER, 0, 0, 0);
    for call in calls {
        program.extend(step(JUMP_IF_EQUAL, 0, 1, *call as u32));
        program.extend(step(RETURN, 0, 0, FAIL | error as u32));
    }
    program.extend(step(RETURN, 0, 0, ALLOW));
    program
}

/// cachestat(2), which libc does not name.
const CACHESTAT: libc::c_long = 451;

/// The same command in a sandbox made with these options; `filter` may be read from descriptor 9.
fn sandboxed(command: &Command, options: &str, filter: Option<&Path>) -> Command {
    let filter = filter.map_or(String::new(), |path| format!(" 9<{}", path.display()));
    let mut shell = alone("/bin/sh");
    shell.args(["-c", &format!("exec bwrap --dev-bind / / {options} \"$0\" \"$@\"{filter}")]).arg(command.get_program());
    shell.args(command.get_args());
    shell
}

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
