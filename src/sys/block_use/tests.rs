//! What uses devices of other machines: captured trees, changed where a test needs it.

use super::*;
use crate::sys::stack::tree::Tree;
use std::os::unix::fs::symlink;

/// What uses a device, in words.
#[track_caller]
fn used(tree: &Tree, number: &str) -> Vec<String> {
    uses(&tree.roots, number).unwrap().iter().map(Used::to_string).collect()
}

/// The tree of a disk with two partitions, on which this is mounted.
fn disk(mountinfo: &str) -> Tree {
    let tree = Tree::of("partition");
    fs::write(tree.path("proc/self/mountinfo"), mountinfo).unwrap();
    tree
}

const NOTHING: [&str; 0] = [];

#[test]
fn a_mounted_partition_stops_itself_and_its_disk_but_not_its_sibling() {
    let tree = Tree::of("partition");
    assert_eq!(used(&tree, "8:1"), ["it is mounted at /"]);
    assert_eq!(used(&tree, "8:0"), ["its partition sda1 is mounted at /"]);
    assert_eq!(used(&tree, "8:2"), NOTHING);
}

#[test]
fn a_mounted_disk_stops_its_partitions() {
    let tree = disk("1 0 8:0 / /srv/my\\040data rw - ext4 /dev/sda rw\n2 1 8:0 /x /mnt rw - ext4 /dev/sda rw\n");
    assert_eq!(used(&tree, "8:0"), ["it is mounted at /srv/my data", "it is mounted at /mnt"]);
    assert_eq!(used(&tree, "8:2"), ["its disk sda is mounted at /srv/my data", "its disk sda is mounted at /mnt"]);
}

#[test]
fn a_partition_on_the_same_blocks_matters() {
    let tree = Tree::of("partition");
    tree.add("sys/dev/block/8:1/start = 2048\nsys/dev/block/8:2/start = 1026048");
    assert_eq!(used(&tree, "8:2"), NOTHING);
    fs::write(tree.path("sys/dev/block/8:2/start"), "1026047\n").unwrap();
    assert_eq!(used(&tree, "8:2"), ["sda1, which lies on the same blocks, is mounted at /"]);
}

#[test]
fn what_only_another_namespace_sees_is_found() {
    let tree = disk("1 0 0:20 / / rw - tmpfs none rw\n");
    tree.add(
        "proc/self/ns/mnt -> mnt:[1]\nproc/41/ns/mnt -> mnt:[1]\nproc/41/mountinfo = 7 1 8:2 / /never/read rw - ext4 /dev/sda2 rw\n\
         proc/42/ns/mnt -> mnt:[2]\nproc/42/comm = my\u{1b}shell\nproc/42/mountinfo = 7 1 8:1 / /private rw - ext4 /dev/sda1 rw\n\
         proc/43/ns/mnt -> mnt:[2]\nproc/43/mountinfo = 7 1 8:1 / /private rw - ext4 /dev/sda1 rw",
    );
    assert_eq!(used(&tree, "8:1"), ["it is mounted at /private, as process 42 (my?shell) sees it"]);
    assert_eq!(used(&tree, "8:2"), NOTHING);
    tree.add("proc/self/mountinfo = 2 1 8:1 / /here rw - ext4 /dev/sda1 rw");
    assert_eq!(used(&tree, "8:1"), ["it is mounted at /here"], "what is seen here is not told again");
}

#[test]
fn a_process_whose_namespace_is_hidden_is_asked_all_the_same() {
    let tree = disk("1 0 0:20 / / rw - tmpfs none rw\n");
    tree.add("proc/44/mountinfo = 7 1 8:1 / /private rw - ext4 /dev/sda1 rw\nproc/45/comm = gone");
    assert_eq!(used(&tree, "8:1"), ["it is mounted at /private, as process 44 () sees it"]);
}

#[test]
fn swap_is_found_by_its_name() {
    let tree = disk("");
    tree.add("proc/swaps = Filename\tType\tSize\tUsed\tPriority\nproc/swaps = /dev/my\\040swap partition\t8188\t0\t-2\ndev/my swap = 8:2");
    tree.add("proc/swaps = /var/swapfile file\t8188\t0\t-3");
    assert_eq!(used(&tree, "8:2"), ["it is used as swap"]);
    assert_eq!(used(&tree, "8:0"), ["its partition sda2 is used as swap"]);
    assert_eq!(used(&tree, "8:1"), NOTHING);
}

#[test]
fn what_stands_on_a_device_holds_it() {
    let tree = Tree::of("lvm-on-luks");
    fs::write(tree.path("proc/self/mountinfo"), "").unwrap();
    symlink_to(&tree, "sys/dev/block/8:3/holders/dm-0", "sys/devices/virtual/block/dm-0");
    symlink_to(&tree, "sys/dev/block/253:0/holders/dm-1", "sys/devices/virtual/block/dm-1");
    assert_eq!(used(&tree, "8:3"), ["it is held by dm-0 (sda3_crypt, encrypted)"]);
    assert_eq!(used(&tree, "8:0"), ["its partition sda3 is held by dm-0 (sda3_crypt, encrypted)"]);
    assert_eq!(used(&tree, "253:0"), ["it is held by dm-1 (vg0-root, LVM)"]);
    assert_eq!(used(&tree, "253:1"), NOTHING, "a volume is not stopped by what it stands on itself");
}

fn symlink_to(tree: &Tree, from: &str, to: &str) {
    let from = tree.path(from);
    fs::create_dir_all(from.parent().unwrap()).unwrap();
    symlink(tree.path(to), from).unwrap();
}

#[test]
fn a_device_given_to_bcache_is_held() {
    let tree = disk("");
    fs::create_dir(tree.path("sys/dev/block/8:2/bcache")).unwrap();
    assert_eq!(used(&tree, "8:2"), ["it is held by bcache"]);
}

#[test]
fn a_mount_of_btrfs_uses_all_its_devices() {
    let tree = Tree::of("btrfs");
    assert_eq!(used(&tree, "8:1"), ["it is mounted at /"]);
    assert_eq!(used(&tree, "8:17"), ["it is mounted at /"]);
    fs::write(tree.path("proc/self/mountinfo"), "").unwrap();
    assert_eq!(used(&tree, "8:17"), ["it is one of the devices of a mounted btrfs"]);
    assert_eq!(used(&tree, "8:16"), ["its partition sdb1 is one of the devices of a mounted btrfs"]);
}

#[test]
fn an_external_log_is_used_too() {
    assert_eq!(used(&Tree::of("nvme"), "8:1"), ["it is mounted at /"]);
}

#[test]
fn a_loop_device_does_not_hide_what_it_stands_on() {
    let tree = Tree::of("partition-of-loop");
    assert_eq!(used(&tree, "8:0"), ["it is held by loop0"]);
    assert_eq!(used(&tree, "7:0"), ["its partition loop0p1 is mounted at /mnt/image"]);
    fs::write(tree.path("proc/self/mountinfo"), "1 0 8:0 / / rw - ext4 /dev/sda rw\n").unwrap();
    let expected = ["sda, on which it stands, is mounted at /"];
    assert_eq!((used(&tree, "7:0"), used(&tree, "259:0")), (expected.map(str::to_owned).into(), expected.map(str::to_owned).into()));
    fs::remove_file(tree.path("dev/sda")).unwrap();
    tree.add("sys/class/block/sda -> ../../dev/block/8:0");
    assert_eq!(used(&tree, "7:0"), expected, "by the kernel's name where the node is hidden");
}

#[test]
fn whoever_can_write_to_it_is_named_but_not_this_process() {
    let tree = disk("");
    tree.add("dev/sda = 8:0\nproc/77/comm = qemu\nproc/77/fd/3 -> /dev/sda\nproc/77/fdinfo/3 = flags:\t0100002");
    tree.add("proc/78/comm = udevd\nproc/78/fd/5 -> /dev/sda\nproc/78/fdinfo/5 = flags:\t0100000\nproc/78/fd/0 -> /dev/null");
    assert_eq!(used(&tree, "8:0"), ["it is open for writing in process 77 (qemu)"]);
    assert_eq!(used(&tree, "8:2"), ["its disk sda is open for writing in process 77 (qemu)"]);
    let openers: Vec<u32> = opened_by(&tree.roots, "8:0").iter().map(|process| process.id).collect();
    assert_eq!(openers, [77, 78]);
    fs::rename(tree.path("proc/self/mountinfo"), tree.path("proc/77/mountinfo")).unwrap();
    fs::remove_dir(tree.path("proc/self")).unwrap();
    symlink("77", tree.path("proc/self")).unwrap();
    assert_eq!(used(&tree, "8:0"), NOTHING);
}

#[test]
fn what_cannot_be_read_is_an_error_and_not_free() {
    let tree = Tree::of("partition");
    assert_eq!(uses(&tree.roots, "9:9").unwrap_err().kind(), io::ErrorKind::NotFound);
    fs::remove_file(tree.path("proc/self/mountinfo")).unwrap();
    assert!(uses(&tree.roots, "8:2").unwrap_err().to_string().contains("proc/self/mountinfo"));
}

#[test]
fn unreadable_swaps_are_an_error() {
    let tree = Tree::of("partition");
    fs::create_dir(tree.path("proc/swaps")).unwrap();
    assert!(uses(&tree.roots, "8:2").unwrap_err().to_string().contains("proc/swaps"));
}
