//! A filesystem that does not answer: what is finished is kept and reported, the phase is called hung, what is left is named; and a phase
//! that takes longer than allowed is truncated.

use super::device::LoopFilesystem;
use super::driver::{Desk, Finished, OnDrop, Running, User, alone, phase, phases_with, wait_until};
use super::fuse::{Behaviour, Delays, Fault, FuseFilesystem, Operation, Planned};
use super::need::{Need, is_missing};
use barrow::model::phase::Phase;
use barrow::model::record::{RunRecord, Status};
use nix::sys::signal::Signal;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

const NEEDS: [Need; 2] = [Need::Root, Need::Fuse];
const SMALL: &str = "file_size=1m chunk_size=128k seek_size=4k seeks=10 seek_seconds=0 files=12";
/// How long nothing moves before it is given up: long beside a moment in which a busy machine lets nobody work.
const HANG_AFTER: [&str; 2] = ["--hang-after", "3s"];

/// A filesystem whose calls of a kind hang from the `nth` on.
fn hanging_at(operation: Operation, nth: u64) -> FuseFilesystem {
    let filesystem = FuseFilesystem::of(Behaviour { passes_page_cache: true, ..Behaviour::default() });
    filesystem.plan(Planned { operation, round: None, nth, is_lasting: true, fault: Fault::Hang });
    filesystem
}

/// A call that hangs, and the phase in which it is made: none where it makes or removes files between phases.
struct Case {
    operation: Operation,
    nth: u64,
    phase: Option<Phase>,
    /// Phases that are done by then.
    done: usize,
}

const fn case(operation: Operation, nth: u64, phase: Option<Phase>, done: usize) -> Case {
    Case { operation, nth, phase, done }
}

const CASES: [Case; 11] = [
    case(Operation::MakeDirectory, 1, None, 0),
    case(Operation::Write, 5, Some(Phase::BlockWrite), 0),
    case(Operation::SyncFile, 1, Some(Phase::BlockWrite), 0),
    case(Operation::Read, 3, Some(Phase::Rewrite), 1),
    case(Operation::Read, 12, Some(Phase::BlockRead), 2),
    case(Operation::Read, 20, Some(Phase::RandomSeek), 3),
    case(Operation::Unlink, 1, None, 4),
    case(Operation::Create, 8, Some(Phase::SeqCreate), 4),
    case(Operation::SyncDirectory, 1, Some(Phase::SeqCreate), 4),
    case(Operation::Unlink, 5, Some(Phase::SeqDelete), 6),
    case(Operation::RemoveDirectory, 3, None, 10),
];

/// Fails unless the run has these results and no other, and says of the phase in which it hung that it did.
fn expect_hung(run: &RunRecord, case: &Case, how: Status) {
    let words: Vec<&str> = case.phase.iter().map(|phase| phase.name()).collect();
    assert_eq!(phases_with(run, how), words);
    assert_eq!(phases_with(run, Status::Ok).len(), case.done);
    assert_eq!(phases_with(run, Status::Skipped).len(), Phase::STANDARD.len() - case.done - words.len());
    assert_eq!(run.complete, case.done == Phase::STANDARD.len());
    assert!(run.phases.iter().all(|record| record.result.is_some() == (record.status == Status::Ok)));
}

fn expect_given_up(case: &Case) {
    let (filesystem, desk) = (hanging_at(case.operation, case.nth), Desk::new());
    let mut command = desk.run(User::Tester, SMALL, &[&["--runs", "2"], &HANG_AFTER[..]].concat());
    let mut running = Running::start(command.arg(filesystem.path()));
    filesystem.wait_for_hang();
    let doing = case.phase.map_or("making or removing files", Phase::name);
    running.wait_for_line(&["fuse 1/2", doing, "nothing moved for 3 s; ending with what is finished"]);
    // Nothing could be named before it was made.
    if case.operation != Operation::MakeDirectory {
        running.wait_for_line(&["left behind: ", ".barrow-", "barrow clean"]);
    }
    filesystem.abort();
    let finished = running.finish().expect_code(1);
    let runs = desk.runs();
    assert_eq!(runs.len(), 1, "{}", finished.stderr);
    expect_hung(&runs[0], case, Status::Hung);
    assert_eq!(finished.stdout.contains("hung: nothing moved for 3 s"), case.phase.is_some(), "the report:\n{}", finished.stdout);
    println!("{:?} {}: {} results, {} hung", case.operation, case.nth, case.done, case.phase.map_or("nothing", Phase::name));
}

#[test]
#[ignore = "needs root, FUSE"]
fn a_hang_ends_the_run_and_loses_nothing() {
    if is_missing(&NEEDS) {
        return;
    }
    std::thread::scope(|scope| {
        for case in &CASES {
            scope.spawn(move || expect_given_up(case));
        }
    });
}

/// The run file does not answer either.
#[test]
#[ignore = "needs root, FUSE"]
fn a_run_file_that_hangs_too_is_replaced() {
    if is_missing(&NEEDS) {
        return;
    }
    let (filesystem, desk) = (hanging_at(Operation::Create, 9), Desk::new());
    let second = desk.path("second place");
    std::fs::create_dir(&second).unwrap();
    let mut command = desk.barrow(User::Tester, ["run", "-p", "quick", "--runs", "1", "-o"]);
    command.arg(filesystem.path().join("runs.jsonl")).args(HANG_AFTER).env("TMPDIR", &second);
    command.args(SMALL.split_whitespace().flat_map(|setting| ["--set", setting]));
    let mut running = Running::start(command.arg(filesystem.path()));
    filesystem.wait_for_hang();
    running.wait_for_line(&["did not take the run in 10 s"]);
    running.wait_for_line(&["run 1 of fuse was kept in", "second place/barrow-"]);
    running.wait_for_line(&["left behind: "]);
    filesystem.abort();
    let finished = running.finish().expect_code(1);
    assert!(finished.stdout.contains("hung: nothing moved"), "{}", finished.stdout);
    let kept = std::fs::read_dir(&second).unwrap().next().expect("nothing was kept").unwrap().path();
    let loaded = barrow::store::load(&kept).unwrap();
    assert_eq!((loaded.bad.len(), phases_with(&loaded.runs[0], Status::Ok).len()), (0, 4));
}

/// Who wishes to stop at once keeps what is finished, though nothing answers.
#[test]
#[ignore = "needs root, FUSE"]
fn a_second_signal_in_a_hang_keeps_what_is_finished() {
    if is_missing(&NEEDS) {
        return;
    }
    let (filesystem, desk) = (hanging_at(Operation::Read, 12), Desk::new());
    let mut running = Running::start(desk.run(User::Tester, SMALL, &["--runs", "1"]).arg(filesystem.path()));
    filesystem.wait_for_hang();
    running.signal_until_line(Signal::SIGINT, &["SIGINT again: stopped at once", "left behind"]);
    wait_until("the run is kept", || !desk.runs().is_empty());
    filesystem.abort();
    running.finish().expect_signal(Signal::SIGINT);
    let run = desk.runs().remove(0);
    assert_eq!(phases_with(&run, Status::Ok), ["block_write", "rewrite"]);
    assert_eq!(phase(&run, Phase::BlockRead).reason.as_deref(), Some("the run was stopped in it"));
}

/// A phase whose calls return is ended between two of them, and the rest goes on; one whose call does not return ends the run.
#[test]
#[ignore = "needs root, FUSE"]
fn a_phase_that_takes_longer_than_allowed_is_truncated() {
    if is_missing(&NEEDS) {
        return;
    }
    let delays = Delays { read: Duration::from_millis(200), ..Delays::default() };
    let slow = FuseFilesystem::of(Behaviour { passes_page_cache: true, delays, ..Behaviour::default() });
    let desk = Desk::new();
    let limit = ["--runs", "1", "--max-phase-seconds", "1"];
    let mut command = desk.run(User::Tester, SMALL, &limit);
    let finished = Running::start(command.arg(slow.path())).finish().expect_code(1);
    let run = desk.runs().remove(0);
    assert_eq!(phases_with(&run, Status::Truncated), ["rewrite"]);
    assert_eq!(phases_with(&run, Status::Skipped), ["block_read", "random_seek"]);
    assert_eq!(phases_with(&run, Status::Ok).len(), 7);
    assert!(finished.stdout.contains("truncated: took over 1 s"), "{}", finished.stdout);
    assert!(slow.root_names().is_empty(), "{:?}", slow.root_names());

    let (hung, desk) = (hanging_at(Operation::Write, 5), Desk::new());
    let mut running = Running::start(desk.run(User::Tester, SMALL, &[&limit[..], &["--hang-after", "0s"]].concat()).arg(hung.path()));
    hung.wait_for_hang();
    running.wait_for_line(&["block_write", "took over 1 s, which --max-phase-seconds allows, and its last call does not return"]);
    hung.abort();
    running.finish().expect_code(1);
    expect_hung(&desk.runs()[0], &CASES[1], Status::Truncated);
}

/// What is only slow is not given up: each call takes longer than the time between two looks, all of them longer than the limit.
#[test]
#[ignore = "needs root, FUSE"]
fn what_is_slow_is_not_taken_for_a_hang() {
    if is_missing(&NEEDS) {
        return;
    }
    let filesystem = FuseFilesystem::of(Behaviour { passes_page_cache: true, ..Behaviour::default() });
    let fault = Fault::Delay(Duration::from_millis(900));
    for operation in [Operation::Write, Operation::Unlink] {
        filesystem.plan(Planned { operation, round: None, nth: 2, is_lasting: true, fault });
    }
    let desk = Desk::new();
    let settings = "file_size=512k chunk_size=128k seek_size=4k seeks=10 seek_seconds=0 files=2";
    let mut command = desk.run(User::Tester, settings, &[&["--runs", "1"], &HANG_AFTER[..]].concat());
    Running::start(command.arg(filesystem.path())).finish().expect_code(0);
    assert!(desk.runs()[0].complete);
    assert!(filesystem.root_names().is_empty());
}

/// A filesystem that is frozen until this is dropped.
struct Frozen(PathBuf);

impl Frozen {
    fn of(path: &Path) -> Self {
        Finished::of(alone("/sbin/fsfreeze").arg("-f").arg(path)).expect_code(0);
        Self(path.to_owned())
    }
}

impl Drop for Frozen {
    fn drop(&mut self) {
        let _ = Finished::of(alone("/sbin/fsfreeze").arg("-u").arg(&self.0));
    }
}

/// The disk below is busy with others all the time; the filesystem's own device stands still.
#[test]
#[ignore = "needs root, loop devices"]
fn a_frozen_filesystem_on_a_busy_disk_is_noticed() {
    if is_missing(&[Need::Root, Need::Loop, Need::Filesystem("ext4"), Need::Program("mkfs.ext4"), Need::Program("fsfreeze")]) {
        return;
    }
    let (filesystem, desk, is_over) = (LoopFilesystem::of("ext4", 256), Desk::new(), AtomicBool::new(false));
    std::thread::scope(|scope| {
        let over = OnDrop(&is_over);
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                let file = std::fs::File::create(desk.path("others")).unwrap();
                (&file).write_all(&[7; 65536]).and_then(|()| file.sync_all()).unwrap();
            }
        });
        let settings = "file_size=32m files=40000 seeks=10 seek_seconds=0";
        let mut command = desk.run(User::Tester, settings, &[&["--runs", "1"], &HANG_AFTER[..]].concat());
        let mut running = Running::start(command.arg(filesystem.path()));
        running.wait_for_line(&["rewrite"]);
        let frozen = Frozen::of(filesystem.path());
        running.wait_for_line(&["nothing moved for 3 s; ending with what is finished"]);
        drop(frozen);
        running.finish().expect_code(1);
        drop(over);
    });
    let run = desk.runs().remove(0);
    // None where the removal of the block file hangs, between two phases.
    assert!(phases_with(&run, Status::Hung).len() <= 1, "{run:?}");
    assert!(phases_with(&run, Status::Ok).len() >= 2 && !run.complete);
}
