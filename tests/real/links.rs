//! Sets of links on real filesystems, with every change flushed; and filesystems that have none.

use super::device::LoopFilesystem;
use super::driver::{Desk, Finished, User, phase, scratches};
use super::need::{Need, is_missing};
use barrow::model::phase::Phase;
use barrow::model::record::Status;

fn links_on(kind: &'static str, mkfs: &'static str) {
    if is_missing(&[Need::Root, Need::Loop, Need::Filesystem(kind), Need::Program(mkfs)]) {
        return;
    }
    let filesystem = LoopFilesystem::of(kind, 384);
    for links in ["hard", "symbolic"] {
        for more in ["", "sequential_order=readdir sync=every workers=2"] {
            let desk = Desk::new();
            let settings = format!("file_size=0 files=500 dirs=3 links={links} {more}");
            Finished::of(desk.run(User::Tester, &settings, &["--runs", "1"]).arg(filesystem.path())).expect_code(0);
            let runs = desk.runs();
            assert!(runs[0].complete, "{links} {more}: {:?}", runs[0].phases);
            assert!(scratches(filesystem.path()).is_empty());
        }
    }
}

#[test]
#[ignore = "needs root, loop devices"]
fn ext4_takes_sets_of_links() {
    links_on("ext4", "mkfs.ext4");
}

#[test]
#[ignore = "needs root, loop devices"]
fn xfs_takes_sets_of_links() {
    links_on("xfs", "mkfs.xfs");
}

#[test]
#[ignore = "needs root, loop devices"]
fn a_filesystem_without_links_is_named() {
    if is_missing(&[Need::Root, Need::Loop, Need::Filesystem("vfat"), Need::Program("mkfs.vfat")]) {
        return;
    }
    let filesystem = LoopFilesystem::of("vfat", 64);
    for links in ["hard", "symbolic"] {
        let desk = Desk::new();
        let settings = format!("file_size=0 files=20 links={links}");
        let done = Finished::of(desk.run(User::Tester, &settings, &["--runs", "1"]).arg(filesystem.path())).expect_code(1);
        done.expect_said(&["seq_create", &format!("the filesystem has no {links} links")]);
        assert_eq!(phase(&desk.runs()[0], Phase::SeqCreate).status, Status::Failed);
        assert!(scratches(filesystem.path()).is_empty());
    }
}
