//! The run file on a filesystem that runs full: no finished run is lost, and it is said which lies where.

use super::device::{LoopFilesystem, MemoryFilesystem};
use super::driver::{Desk, Finished, User, alone, scratches, through_shell};
use super::full::{Others, Taken};
use super::need::{Need, is_missing};
use super::stepped::Stepped;
use barrow::model::record::RunRecord;
use barrow::store::{load, load_from};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Files without content, and few of them: what is removed at the end of a run frees less space than its line takes.
const SETTINGS: &str = "file_size=0 files=40";
const FULL: &str = "cannot be written: no space left on device";

fn runs_of(path: &Path) -> Vec<RunRecord> {
    let loaded = load(path).unwrap();
    assert_eq!(loaded.bad, [], "{} holds half a line", path.display());
    loaded.runs
}

/// barrow with two runs of over 60 KiB each, which is the most that tags may take; the settings come first.
fn two_runs(desk: &Desk, output: &[&str], filesystem: &Path) -> Command {
    let long = format!("note={}", "x".repeat(63 << 10));
    let mut command = desk.barrow(User::Tester, ["run", "-p", "quick", "--runs", "2", "--pause", "100ms", "--tag", &long]);
    for setting in SETTINGS.split(' ') {
        command.args(["--set", setting]);
    }
    command.args(output).arg(filesystem);
    command
}

/// Fills the filesystem when the second run has made its last file, so that all of it can still be measured.
fn full_in_the_second_run(command: &mut Command, desk: &Desk, others: &Others) -> Finished {
    let stepped = Stepped::start(command, desk);
    stepped.stop_when_said("2/2  random_create");
    others.fill(Taken::Space);
    stepped.finish().expect_code(1)
}

/// The default run file lies in the directory that is measured, where that is the current one.
fn kept_in_a_second_place(kind: &'static str, mkfs: &'static str, size_mib: u64) {
    if is_missing(&[Need::Root, Need::Loop, Need::Filesystem(kind), Need::Program(mkfs)]) {
        return;
    }
    let (filesystem, desk) = (LoopFilesystem::of(kind, size_mib), Desk::new());
    let others = Others::on(filesystem.path());
    let mut command = two_runs(&desk, &[], Path::new("."));
    let finished = full_in_the_second_run(command.current_dir(filesystem.path()).env("TMPDIR", desk.path("")), &desk, &others);
    let run_file = filesystem.path().join("barrow.jsonl");
    let second = second_places(&desk.path("")).remove(0);
    let kept = format!("run 2 of {kind} was kept in {} instead", second.display());
    let advice =
        format!("1 of 2 runs are not in barrow.jsonl but in {0}; when it can be written again: cat {0} >> barrow.jsonl", second.display());
    let finished = finished.expect_said(&["barrow.jsonl", FULL, &kept, &advice]);
    assert!(finished.stdout.contains("1 target × 2 runs"), "no report of both runs:\n{}", finished.stdout);
    let (first, mut rest) = (runs_of(&run_file), runs_of(&second));
    assert_eq!((first.len(), rest.len()), (1, 1));
    assert_eq!((first[0].round, rest.remove(0).round), (1, 2));
    assert!(scratches(filesystem.path()).is_empty());
    // What it advises can be done.
    others.leave();
    io::copy(&mut File::open(&second).unwrap(), &mut File::options().append(true).open(&run_file).unwrap()).unwrap();
    assert_eq!(runs_of(&run_file).len(), 2);
}

/// The files of barrow's in a second place.
fn second_places(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let is_one = |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("barrow-") && path.is_file());
    entries.filter(is_one).collect()
}

#[test]
#[ignore = "needs root, loop devices"]
fn a_run_that_finds_ext4_full_is_kept_in_a_second_place() {
    kept_in_a_second_place("ext4", "mkfs.ext4", 64);
}

#[test]
#[ignore = "needs root, loop devices"]
fn a_run_that_finds_xfs_full_is_kept_in_a_second_place() {
    kept_in_a_second_place("xfs", "mkfs.xfs", 300);
}

#[test]
#[ignore = "needs root, loop devices"]
fn a_run_that_finds_btrfs_full_is_kept_in_a_second_place() {
    kept_in_a_second_place("btrfs", "mkfs.btrfs", 128);
}

/// The place that the environment names is on the full filesystem too, and the usual one cannot be written.
#[test]
#[ignore = "needs root, loop devices"]
fn a_run_that_can_be_kept_nowhere_is_said() {
    if is_missing(&[Need::Root, Need::Loop, Need::Filesystem("ext4"), Need::Program("mkfs.ext4")]) {
        return;
    }
    let (filesystem, desk) = (LoopFilesystem::of("ext4", 64), Desk::new());
    let others = Others::on(filesystem.path());
    let shown = filesystem.path().display();
    let run_file = filesystem.path().join("runs.jsonl");
    let command = two_runs(&desk, &["-o", &run_file.to_string_lossy()], filesystem.path());
    let first = format!("mount --rbind /tmp /tmp && mount -o remount,bind,ro /tmp && export TMPDIR='{shown}'");
    let closed = through_shell(&first, &command);
    let mut closed_alone = alone("/usr/bin/unshare");
    closed_alone.args(["-m", "--propagation", "private"]).arg(closed.get_program()).args(closed.get_args());
    let finished = full_in_the_second_run(&mut closed_alone, &desk, &others);
    let finished =
        finished.expect_said(&[FULL, "/tmp/barrow-", "read-only file system", "run 2 of ext4 is in no file", "1 of 2 runs are in no file"]);
    let line = finished.stderr.lines().find(|line| line.starts_with("{\"schema\":")).expect("the run is not said");
    let said = load_from(Path::new("stderr"), line.as_bytes()).unwrap();
    assert_eq!((said.runs.len(), said.runs[0].round, said.bad.len()), (1, 2, 0));
    assert_eq!(runs_of(&run_file).len(), 1);
    assert!(second_places(filesystem.path()).is_empty());
    assert!(finished.stdout.contains("1 target × 2 runs"), "no report of both runs:\n{}", finished.stdout);
}

/// The run file cannot be made at all: nothing is measured.
#[test]
#[ignore = "needs root, loop devices"]
fn a_run_file_that_cannot_be_made_is_refused() {
    if is_missing(&[Need::Root]) {
        return;
    }
    let filesystem = MemoryFilesystem::of("size=8m,nr_inodes=1");
    let desk = Desk::new();
    let output = filesystem.path().join("runs.jsonl");
    let finished = Finished::of(&mut two_runs(&desk, &["-o", &output.to_string_lossy()], &desk.path("")));
    let finished =
        finished.expect_code(1).expect_said(&["name another run file with -o FILE", "runs.jsonl: cannot be opened", "no space left"]);
    assert_eq!(finished.stdout, "");
}
