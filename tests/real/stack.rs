//! `barrow info` follows a real filesystem down to the device that holds it.

use super::device::{LoopFilesystem, system};
use super::driver::{Desk, Finished, User};
use super::need::{Need, is_missing};
use barrow::model::stack::{Bottom, Layer, Stack};
use barrow::sys::mounts::mount_of;
use barrow::sys::stack::{Roots, find};
use barrow::sys::traffic::TrafficReader;
use std::fs::File;
use std::io::Write;
use std::path::Path;

fn stack_below(path: &Path) -> Stack {
    find(&Roots::of_this_machine(), &mount_of(&File::open(path).unwrap()).unwrap()).stack
}

#[test]
#[ignore = "needs root and loop devices"]
fn a_loop_device_is_followed_to_what_is_below_its_file() {
    if is_missing(&[Need::Root, Need::Loop, Need::Filesystem("ext4"), Need::Program("mkfs.ext4")]) {
        return;
    }
    let filesystem = LoopFilesystem::of("ext4", 32);
    let stack = stack_below(filesystem.path());
    assert_eq!((stack.devices[0].layer, stack.devices[0].is_leaf), (Layer::Loop, false), "{stack:?}");
    // Its image lies in the directory of temporary files: below it is what is below that.
    let below = stack_below(&std::env::temp_dir());
    assert_eq!((stack.bottom, &stack.devices[1..]), (below.bottom, &below.devices[..]));
    let desk = Desk::new();
    for user in [User::Tester, User::Nobody] {
        let mut command = desk.barrow(user, ["info"]);
        let said = Finished::of(command.arg(filesystem.path())).expect_code(0).stdout;
        for device in &stack.devices {
            assert!(said.contains(&format!("  {}: ", device.name)), "{} is not named in\n{said}", device.name);
        }
        assert!(said.lines().all(|line| line.chars().count() <= 80), "{said}");
    }
}

/// Another file has the name of the image for a while.
#[test]
#[ignore = "needs root and loop devices"]
fn a_file_that_hides_the_image_is_not_taken_for_it() {
    if is_missing(&[Need::Root, Need::Loop, Need::Filesystem("ext4"), Need::Program("mkfs.ext4")]) {
        return;
    }
    let filesystem = LoopFilesystem::of("ext4", 32);
    let directory = File::open(filesystem.path()).unwrap();
    let mount = mount_of(&directory).unwrap();
    let home = filesystem.path().parent().unwrap();
    system("mount", &["-t", "tmpfs", "hides", &home.to_string_lossy()]);
    std::fs::write(home.join("image"), "another").unwrap();
    let found = find(&Roots::of_this_machine(), &mount);
    system("umount", &[&home.to_string_lossy()]);
    assert_eq!(found.stack.bottom, Bottom::Unknown, "{:?}", found.chain);
    assert_eq!(stack_below(filesystem.path()).bottom, Bottom::Devices);
}

#[test]
#[ignore = "needs root and loop devices"]
fn what_is_written_is_counted_on_every_device() {
    if is_missing(&[Need::Root, Need::Loop, Need::Filesystem("ext4"), Need::Program("mkfs.ext4")]) {
        return;
    }
    const WRITTEN: usize = 8 << 20;
    let filesystem = LoopFilesystem::of("ext4", 32);
    let found = find(&Roots::of_this_machine(), &mount_of(&File::open(filesystem.path()).unwrap()).unwrap());
    let reader = TrafficReader::open(&found);
    let before = reader.read().unwrap();
    let mut file = File::create(filesystem.path().join("file")).unwrap();
    file.write_all(&vec![0x5a; WRITTEN]).unwrap();
    file.sync_all().unwrap();
    let after = reader.read().unwrap();
    for ((device, before), after) in found.stack.devices.iter().zip(&before).zip(&after) {
        let moved = after.since(before);
        println!("{}: {moved:?}", device.name);
        assert!(!device.is_counted || moved.written_bytes >= WRITTEN as u64, "{}: {moved:?}", device.name);
    }
}
