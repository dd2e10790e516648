//! Source trees and libraries on real filesystems: as many files and bytes as are said, cold, and gone afterwards whatever happens.

use super::device::LoopFilesystem;
use super::driver::{Desk, Finished, User, alone, cache_label, listing, phase, quick_target, scratches};
use super::need::{Need, is_missing};
use barrow::model::label::CacheLabel;
use barrow::model::phase::{Phase, Reads};
use barrow::model::record::{RunRecord, Status};
use std::path::Path;
use std::process::Command;

/// A fiftieth of the profile.
const SMALL: [&str; 2] = ["--set", "scale=2%"];

fn tree(desk: &Desk, options: &[&str], target: &Path) -> Command {
    let mut command = desk.barrow(User::Tester, ["run", "-p", "tree", "-o"]);
    command.arg(desk.run_file()).args(options).arg(target);
    command
}

/// Fails unless every phase did what its plan says.
fn expect_whole(run: &RunRecord) {
    assert!(run.complete, "{:#?}", run.phases.iter().map(|phase| (phase.name.name(), &phase.reason)).collect::<Vec<_>>());
    let settings = run.settings().unwrap();
    let counted = |which| phase(run, which).counted().unwrap();
    let (tree, library, large) = (settings.tree(), settings.library(), settings.large_copies());
    for (which, work) in [
        (Phase::TreeUnpack, tree.files),
        (Phase::TreeCopy, settings.copied_tree_files()),
        (Phase::TreeSearch, tree.files),
        (Phase::TreePrune, settings.copied_tree_files()),
        (Phase::LibraryWrite, library.bytes),
        (Phase::LibraryRead, library.bytes),
        (Phase::LargeCopy, large.bytes),
        (Phase::TreeDelete, tree.files + library.files + large.files),
    ] {
        assert_eq!(counted(which).work, work, "{}", which.name());
    }
    assert_eq!((counted(Phase::TreeUnpack).bytes, counted(Phase::TreeSearch).bytes), (Some(tree.bytes), Some(tree.bytes)));
    for which in [Phase::TreeUnpack, Phase::TreeCopy, Phase::LibraryWrite, Phase::LargeCopy] {
        let after = &phase(run, which).after;
        let pieces = after.extents_per_file().unwrap_or_else(|| panic!("{}: {after:?}", which.name()));
        assert!(pieces > 0.5, "{}: {pieces} pieces a file", which.name());
    }
    let free = |which| phase(run, which).after.free_bytes.unwrap();
    // xfs gives the space of deleted files back when it finds the time.
    assert!(
        run.filesystem.kind == "xfs" || free(Phase::TreeDelete) >= free(Phase::LargeCopy) + tree.bytes / 2 + library.bytes + large.bytes,
        "nothing became free"
    );
}

/// Phases that read data and were not shown to be cold.
fn not_cold(run: &RunRecord) -> Vec<String> {
    let read = run.phases.iter().filter(|record| record.name.row().reads == Reads::Data);
    let warm = read.filter(|record| cache_label(record) != Some(CacheLabel::Cold));
    warm.map(|record| format!("{} {:?}", record.name.name(), cache_label(record))).collect()
}

fn tree_on(kind: &'static str, mkfs: &'static str, size_mib: u64) {
    if is_missing(&[Need::Root, Need::Loop, Need::Filesystem(kind), Need::Program(mkfs)]) {
        return;
    }
    let filesystem = LoopFilesystem::of(kind, size_mib);
    let mut warm = Vec::new();
    // Others may keep the devices busy, which is then said.
    for _ in 0..3 {
        let desk = Desk::new();
        Finished::of(&mut tree(&desk, &[&SMALL[..], &["--runs", "2"]].concat(), filesystem.path())).expect_code(0);
        let runs = desk.runs();
        assert_eq!(runs.len(), 2);
        runs.iter().for_each(expect_whole);
        assert!(scratches(filesystem.path()).is_empty());
        warm = runs.iter().flat_map(not_cold).collect();
        println!("{kind}: not cold: {warm:?}");
        if warm.is_empty() {
            return;
        }
    }
    panic!("{kind}: {warm:?}");
}

#[test]
#[ignore = "needs root, loop devices"]
fn ext4_takes_a_tree() {
    tree_on("ext4", "mkfs.ext4", 192);
}

#[test]
#[ignore = "needs root, loop devices"]
fn xfs_takes_a_tree() {
    tree_on("xfs", "mkfs.xfs", 320);
}

#[test]
#[ignore = "needs root, loop devices"]
fn btrfs_takes_a_tree() {
    tree_on("btrfs", "mkfs.btrfs", 320);
}

/// The library goes to the device at its limit, whatever the threads do; copies are read and written.
#[test]
#[ignore = "needs root, loop devices, throttling"]
fn large_files_are_written_at_the_speed_of_the_device() {
    if is_missing(&[Need::Root, Need::Loop, Need::Throttle, Need::Filesystem("ext4"), Need::Program("mkfs.ext4")]) {
        return;
    }
    const LIMIT: u64 = 40_000_000;
    let filesystem = LoopFilesystem::of("ext4", 256);
    let desk = Desk::new();
    filesystem.limit_write(LIMIT);
    let changes = ["--set", "tree_files=0", "--set", "library_files=12", "--runs", "1"];
    Finished::of(&mut tree(&desk, &changes, filesystem.path())).expect_code(0);
    filesystem.lift_limits();
    let run = &desk.runs()[0];
    for which in [Phase::LibraryWrite, Phase::LargeCopy] {
        let counted = phase(run, which).counted().unwrap();
        let (elapsed, truth) = (counted.elapsed_ns as f64 / 1e9, counted.work as f64 / LIMIT as f64);
        println!("{}: {elapsed:.3} s, true {truth:.3} s", which.name());
        assert!(elapsed > 0.98 * truth - 0.25, "{}: {elapsed} s, at the least {truth} s", which.name());
    }
}

#[test]
#[ignore = "needs root, loop devices"]
fn a_tree_that_does_not_fit_is_refused() {
    if is_missing(&[Need::Root, Need::Loop, Need::Filesystem("ext4"), Need::Program("mkfs.ext4")]) {
        return;
    }
    let filesystem = LoopFilesystem::with_options("ext4", 64, &["-N", "64"]);
    for (changes, words) in [
        (&["--set", "tree_files=0"][..], &["needs", "free", "has 5"][..]),
        (&["--set", "tree_files=200", "--set", "library_files=0"], &["free inodes", "has 5"]),
        (&["--fill", "90%", "--set", "tree_files=20", "--set", "library_files=3"], &["needs", "free", "has 5"]),
    ] {
        let desk = Desk::new();
        Finished::of(&mut tree(&desk, changes, filesystem.path())).expect_code(1).expect_said(words);
        assert!(!desk.run_file().exists() && scratches(filesystem.path()).is_empty());
    }
}

#[test]
#[ignore = "needs root, loop devices"]
fn a_filesystem_is_filled_before_the_phases() {
    if is_missing(&[Need::Root, Need::Loop, Need::Filesystem("ext4"), Need::Program("mkfs.ext4")]) {
        return;
    }
    let filesystem = LoopFilesystem::of("ext4", 128);
    let desk = Desk::new();
    let options = ["--fill", "60%", "--set", "tree_files=50", "--set", "library_files=3", "--runs", "1"];
    Finished::of(&mut tree(&desk, &options, filesystem.path())).expect_code(0);
    let run = &desk.runs()[0];
    assert_eq!(run.circumstances().unwrap().fill_percent, 60);
    let whole = run.filesystem.used_bytes.unwrap() + run.filesystem.free_bytes;
    let free = phase(run, Phase::TreeDelete).after.free_bytes.unwrap();
    let share = 1.0 - free as f64 / whole as f64;
    assert!((0.58..0.62).contains(&share), "{share}");
    assert!(scratches(filesystem.path()).is_empty());
    let now = nix::sys::statvfs::statvfs(filesystem.path()).unwrap();
    assert!(now.blocks_available() as f64 > 0.9 * whole as f64 / now.fragment_size() as f64, "the files that filled it are gone");
    Finished::of(&mut tree(&desk, &["--fill", "96%"], filesystem.path())).expect_code(2).expect_said(&["96%", "1% to 95%"]);
}

/// barrow below strace, which does something at the n-th call of a kind.
fn traced(desk: &Desk, injection: &str, call: &str, target: &Path) -> Command {
    let mut strace = alone("/usr/bin/strace");
    strace.args(["-f", "-qq", "-o", "/dev/null", "-e", &format!("trace={call}"), "-e", injection]);
    let barrow = tree(desk, &[&SMALL[..], &["--runs", "1", "--quiet"]].concat(), target);
    strace.arg(barrow.get_program()).args(barrow.get_args()).current_dir(desk.path(""));
    strace
}

#[test]
#[ignore = "needs strace"]
fn a_tree_for_which_the_space_runs_out_fails_by_name() {
    if is_missing(&[Need::Program("strace")]) {
        return;
    }
    let (desk, target) = (Desk::new(), quick_target());
    let before = listing(target.path());
    // One thread writes so many files: that which unpacks.
    let injection = "inject=pwrite64:error=ENOSPC:when=300";
    Finished::of(&mut traced(&desk, injection, "pwrite64", target.path())).expect_code(1);
    let run = &desk.runs()[0];
    let reason = phase(run, Phase::TreeUnpack).reason.clone().unwrap_or_default();
    assert!(reason.starts_with("write file 299 of 480 of tree.0, ") && reason.ends_with("no space left on device"), "{reason}");
    assert_eq!(phase(run, Phase::TreeCopy).reason.as_deref(), Some("needs tree_unpack, which has no result"));
    assert_eq!(phase(run, Phase::LibraryRead).status, Status::Ok);
    assert_eq!(listing(target.path()), before);
}

#[test]
#[ignore = "needs strace"]
fn a_tree_that_was_left_by_a_kill_is_cleaned() {
    if is_missing(&[Need::Program("strace")]) {
        return;
    }
    let (desk, target) = (Desk::new(), quick_target());
    let before = listing(target.path());
    let _ = Finished::of(&mut traced(&desk, "inject=pwrite64:signal=SIGKILL:when=300", "pwrite64", target.path()));
    let left = scratches(target.path());
    assert_eq!(left.len(), 1, "nothing was left to be cleaned");
    assert!(left[0].join("tree.0").is_dir());
    let cleaned = Finished::of(desk.barrow(User::Tester, ["clean"]).arg(target.path())).expect_code(0);
    assert_eq!(cleaned.stdout, format!("removed {}\n", left[0].display()));
    assert_eq!(listing(target.path()), before);
}
