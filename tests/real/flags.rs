//! The marks come where what they name is provoked: another program that computes, one that writes, a device that slows down.

use super::device::LoopFilesystem;
use super::driver::{Desk, Finished, OnDrop, Running, User, phase, wait_until};
use super::need::{Need, is_missing};
use barrow::model::flag::Flag;
use barrow::model::phase::Phase;
use barrow::model::record::RunRecord;
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// How often it is tried at the most.
const ATTEMPTS: u32 = 3;
const EXT4: [Need; 4] = [Need::Root, Need::Loop, Need::Filesystem("ext4"), Need::Program("mkfs.ext4")];

/// A run while something else goes on in so many threads, again and again until it is over.
fn measured_beside(path: &Path, threads: usize, settings: &str, other: impl Fn() + Sync) -> RunRecord {
    let desk = Desk::new();
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let over = OnDrop(&is_over);
        for _ in 0..threads {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    other();
                }
            });
        }
        let mut command = desk.run(User::Tester, settings, &["--runs", "1", "-q"]);
        let finished = Finished::of(command.arg(path));
        drop(over);
        finished.expect_code(0);
    });
    desk.runs().remove(0)
}

fn marked(run: &RunRecord, flag: Flag) -> Vec<&'static str> {
    run.phases.iter().filter(|record| record.flags.contains(&flag)).map(|record| record.name.name()).collect()
}

#[test]
#[ignore = "needs root, loop devices"]
fn a_busy_machine_is_marked() {
    if is_missing(&EXT4) {
        return;
    }
    let filesystem = LoopFilesystem::of("ext4", 400);
    let run = measured_beside(filesystem.path(), 2, "file_size=64m seeks=100 seek_seconds=1 files=512", || {
        std::hint::black_box((0..100_000_u64).fold(0_u64, |sum, number| sum.wrapping_mul(31).wrapping_add(number)));
    });
    let busy = marked(&run, Flag::Busy);
    assert!(busy.contains(&"random_seek") && busy.len() > 5, "{busy:?}");
}

#[test]
#[ignore = "needs root, loop devices"]
fn somebody_who_writes_is_marked() {
    if is_missing(&EXT4) {
        return;
    }
    let filesystem = LoopFilesystem::of("ext4", 400);
    let other = filesystem.path().join("somebody else's file");
    let piece = vec![7; 4 << 20];
    let run = measured_beside(filesystem.path(), 1, "file_size=64m seeks=100 seek_seconds=1 files=512", || {
        let mut file = File::create(&other).unwrap();
        file.write_all(&piece).unwrap();
        file.sync_all().unwrap();
    });
    let disturbed = marked(&run, Flag::OthersIo);
    assert!(disturbed.len() > 3, "{disturbed:?}");
}

/// The rate of the device falls to a fifth in the middle of the read.
#[test]
#[ignore = "needs root, loop devices"]
fn a_device_that_slows_down_is_marked_and_one_that_does_not_is_not() {
    if is_missing(&[&EXT4[..], &[Need::Throttle]].concat()) {
        return;
    }
    // Slices of 4 MiB: under the readahead of a device every other one takes no time.
    const FILE: u64 = 256 << 20;
    let filesystem = LoopFilesystem::of("ext4", 400);
    let read = |slows_down: bool| {
        let desk = Desk::new();
        let mut command = desk.run(User::Tester, "file_size=256m seeks=1 seek_seconds=0 files=0", &["--runs", "1", "--pause", "1s"]);
        let mut running = Running::start(command.arg(filesystem.path()));
        running.wait_for_line(&["rewrite"]);
        filesystem.limit_read(80_000_000);
        let before = filesystem.traffic();
        if slows_down {
            wait_until("half of the file is read", || filesystem.traffic().since(before).read > FILE / 2);
            filesystem.limit_read(16_000_000);
        }
        running.finish().expect_code(0);
        filesystem.lift_limits();
        let record = phase(&desk.runs()[0], Phase::BlockRead).clone();
        println!("slows down: {slows_down}, {:?}, {:?}", record.flags, record.counted().unwrap().slices);
        record.flags.contains(&Flag::NotSteady)
    };
    // A machine that others slow down meanwhile is rightly marked: an error of barrow's is there each time.
    assert!((0..ATTEMPTS).any(|_| !read(false)), "a steady device is called not steady");
    assert!((0..ATTEMPTS).any(|_| read(true)), "a device that slows down is called steady");
}
