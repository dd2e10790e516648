//! What goes wrong with a filesystem: refused in advance with the numbers, or one phase fails by name and the rest is reported.

use super::device::{LoopFilesystem, MemoryFilesystem};
use super::driver::{Desk, Finished, User, phase, phases_with, scratches, through_shell};
use super::need::{Need, is_missing};
use barrow::model::phase::Phase;
use barrow::model::record::{RunRecord, Status};
use std::path::Path;

const EXT4: [Need; 4] = [Need::Root, Need::Loop, Need::Filesystem("ext4"), Need::Program("mkfs.ext4")];
const SMALL: &str = "file_size=64m files=2048 seeks=100 seek_seconds=0";

/// Fails unless a run is refused: exit 1, these words, no run file, nothing made.
fn expect_refusal(desk: &Desk, directory: &Path, settings: &str, words: &[&str]) {
    let finished = Finished::of(desk.run(User::Tester, settings, &[]).arg(directory)).expect_code(1).expect_said(words);
    assert_eq!(finished.stdout, "");
    assert!(!desk.run_file().exists(), "a run file was left");
    if directory.is_dir() {
        assert!(scratches(directory).is_empty());
    }
}

#[test]
fn what_is_no_directory_is_refused() {
    let desk = Desk::new();
    expect_refusal(&desk, &desk.path("nowhere"), SMALL, &["nowhere", "there is no such directory"]);
    std::fs::write(desk.path("file"), "kept").unwrap();
    expect_refusal(&desk, &desk.path("file"), SMALL, &["file", "is not a directory"]);
    assert_eq!(std::fs::read(desk.path("file")).unwrap(), b"kept");
}

#[test]
#[ignore = "needs root, loop devices"]
fn a_target_without_room_is_refused_with_the_numbers() {
    if is_missing(&EXT4) {
        return;
    }
    let filesystem = LoopFilesystem::with_options("ext4", 64, &["-N", "64"]);
    let desk = Desk::new();
    expect_refusal(&desk, filesystem.path(), SMALL, &["needs 67.2 MiB free", "has 5", "MiB", "file_size"]);
    expect_refusal(&desk, filesystem.path(), "file_size=1m files=2048", &["needs 2", "free inodes", "has 5", "files"]);
    filesystem.remount_read_only();
    expect_refusal(&desk, filesystem.path(), "file_size=1m files=2", &["cannot be written", "read-only file system"]);
}

#[test]
#[ignore = "needs root"]
fn a_filesystem_in_memory_without_inodes_is_refused() {
    if is_missing(&[Need::Root]) {
        return;
    }
    let filesystem = MemoryFilesystem::of("size=8m,nr_inodes=50");
    let desk = Desk::new();
    expect_refusal(&desk, filesystem.path(), "file_size=1m files=2048", &["lies in memory", "free inodes", "has 49"]);
    expect_refusal(&desk, filesystem.path(), "file_size=8m files=2", &["needs 8.4 MiB free", "has 8 MiB"]);
}

#[test]
#[ignore = "needs root"]
fn a_read_only_directory_is_refused_to_others() {
    if is_missing(&[Need::Root]) {
        return;
    }
    let desk = Desk::new();
    std::fs::create_dir(desk.path("closed")).unwrap();
    let mut command = desk.run(User::Nobody, SMALL, &[]);
    Finished::of(command.arg(desk.path("closed"))).expect_code(1).expect_said(&["cannot be written", "permission denied"]);
}

/// Fails unless the block file was cut short in one phase with this reason, and everything else is reported.
fn expect_block_write_failed(run: &RunRecord, reason: &str) {
    let failed = phase(run, Phase::BlockWrite);
    let found = failed.reason.as_deref().unwrap_or_default();
    assert_eq!(failed.status, Status::Failed);
    assert!(found.starts_with("write chunk ") && found.contains(" of 64 of block.0 at byte ") && found.ends_with(reason), "{found}");
    assert_eq!(phases_with(run, Status::Failed), ["block_write"]);
    assert_eq!(phases_with(run, Status::Skipped), ["rewrite", "block_read", "random_seek"]);
    assert_eq!(phases_with(run, Status::Ok).len(), 6);
    assert!(!run.complete);
}

/// Fails unless the report says these words, wherever its lines end.
fn expect_reported(finished: &Finished, words: &str) {
    let text = finished.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains(words), "the report does not say why:\n{}", finished.stdout);
}

#[test]
fn a_file_over_the_size_limit_fails_one_phase() {
    let desk = Desk::new();
    let target = desk.path("target");
    std::fs::create_dir(&target).unwrap();
    // In blocks of 512 bytes: 32 MiB, for barrow alone.
    let mut limited = through_shell("ulimit -f 65536", desk.run(User::Tester, SMALL, &["--runs", "1"]).arg(&target));
    let finished = Finished::of(&mut limited)
        .expect_code(1)
        .expect_said(&["block_write on", "write chunk 32 of 64 of block.0 at byte 33554432: file too large"]);
    expect_reported(&finished, "file too large");
    expect_block_write_failed(&desk.runs()[0], "write chunk 32 of 64 of block.0 at byte 33554432: file too large");
    assert!(scratches(&target).is_empty());
}
