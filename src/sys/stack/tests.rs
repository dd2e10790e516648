//! Chains of captured trees: each file of tests/trees is made in a temporary directory, and read as if it were the machine's.

use super::tree::Tree;
use super::*;
use crate::model::stack::{Bottom, StackDevice};
use crate::sys::mounts::parse_mount;
use crate::sys::traffic::TrafficReader;
use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;

impl Tree {
    fn mount(&self, line: usize) -> Mount {
        let text = fs::read_to_string(self.home.path().join("proc/self/mountinfo")).unwrap();
        text.lines().nth(line).and_then(parse_mount).unwrap()
    }

    fn found(&self, line: usize) -> Found {
        let found = find(&self.roots, &self.mount(line));
        let names: Vec<String> = found.entries.iter().map(|entry| block::name_of(entry)).collect();
        let devices: Vec<&str> = found.stack.devices.iter().map(|device| device.name.as_str()).collect();
        assert_eq!(devices, names, "a device and its directory stand at the same place");
        found
    }
}

/// The chain of the first mount of a tree, and what it ends on.
fn chain(name: &str) -> (Vec<String>, Bottom) {
    shown(&Tree::of(name).found(0))
}

fn shown(found: &Found) -> (Vec<String>, Bottom) {
    let line = |link: &Link| format!("{}{}", "  ".repeat(link.depth), words(&link.thing, &found.stack.devices));
    (found.chain.iter().map(line).collect(), found.stack.bottom)
}

fn words(thing: &Thing, devices: &[StackDevice]) -> String {
    match thing {
        Thing::Mount { mount_point, kind } => format!("{kind} {}", mount_point.display()),
        Thing::File { path, is_deleted } => format!("file {}{}", path.display(), if *is_deleted { ", deleted" } else { "" }),
        Thing::Device(device) => {
            let name = device.facts.name.as_deref().unwrap();
            let is_leaf = devices.iter().any(|one| one.name == name && one.is_leaf);
            let title = device.title.as_ref().map(|title| format!(" ({title})")).unwrap_or_default();
            format!("{name} {:?}{title}{}", device.layer, if is_leaf { " leaf" } else { "" })
        }
        Thing::Again { name } => format!("{name} again"),
        Thing::Memory => "memory".to_owned(),
        Thing::Server => "server".to_owned(),
        Thing::Process => "process".to_owned(),
        Thing::Unknown { reason } => format!("? {reason}"),
    }
}

#[track_caller]
fn assert_chain(name: &str, expected: &[&str], bottom: Bottom) {
    assert_eq!(chain(name), (expected.iter().map(|line| (*line).to_owned()).collect(), bottom), "{name}");
}

#[test]
fn a_partition_is_the_leaf_and_its_disk_is_named_for_people() {
    assert_chain("partition", &["ext4 /", "  sda1 Partition leaf", "    sda Disk"], Bottom::Devices);
    let found = Tree::of("partition").found(0);
    let expected = StackDevice {
        name: "sda1".to_owned(),
        layer: Layer::Partition,
        is_leaf: true,
        is_counted: true,
        write_cache: Some("write back".to_owned()),
        rotational: Some(true),
        direct_io: None,
    };
    assert_eq!(found.stack.devices, [expected]);
    let Thing::Device(partition) = &found.chain[1].thing else { panic!("{:?}", found.chain[1]) };
    assert_eq!((partition.facts.size_bytes, partition.facts.scheduler.as_deref()), (Some(1_024_000 * 512), Some("mq-deadline")));
}

#[test]
fn bytes_are_those_of_the_partition_and_flushes_those_of_its_disk() {
    let tree = Tree::of("partition");
    let traffic = TrafficReader::open(&tree.found(0)).read().unwrap();
    assert_eq!((traffic.len(), traffic[0].read_bytes, traffic[0].written_bytes, traffic[0].flushes), (1, 8 * 512, 16 * 512, Some(3)));
    assert_eq!(tree.found(0).stack.leaf_traffic(&traffic), Some(traffic[0]));
}

#[test]
fn a_disk_without_partitions_is_a_leaf() {
    assert_chain("nvme-plain", &["xfs /data", "  nvme0n1 Disk leaf"], Bottom::Devices);
}

#[test]
fn an_external_log_is_a_second_branch() {
    let expected = ["xfs /", "  nvme0n1p2 Partition leaf", "    nvme0n1 Disk", "  sda1 Partition leaf", "    sda Disk"];
    assert_chain("nvme", &expected, Bottom::Devices);
}

#[test]
fn mapped_devices_tell_what_they_are() {
    let expected = [
        "ext4 /",
        "  dm-1 Mapper (vg0-root, LVM)",
        "    dm-0 Mapper (sda3_crypt, encrypted)",
        "      sda3 Partition leaf",
        "        sda Disk",
    ];
    assert_chain("lvm-on-luks", &expected, Bottom::Devices);
}

#[test]
fn a_raid_stands_on_each_member() {
    let expected =
        ["ext4 /", "  md0 Raid (raid1)", "    sda1 Partition leaf", "      sda Disk", "    sdb1 Partition leaf", "      sdb Disk"];
    assert_chain("raid1", &expected, Bottom::Devices);
}

#[test]
fn a_cache_device_stands_on_the_disk_and_the_cache() {
    let expected = ["ext4 /srv", "  bcache0 Bcache", "    sda Disk leaf", "    sdb1 Partition leaf", "      sdb Disk"];
    assert_chain("bcache", &expected, Bottom::Devices);
}

#[test]
fn a_loop_device_stands_on_the_mount_of_its_file() {
    let below = ["    ext4 /", "      sda1 Partition leaf", "        sda Disk"].map(|line| format!("  {line}"));
    let top = ["ext4 /mnt/image", "  loop0 Loop", "    file /var/lib/images/disk.img"];
    let expected: Vec<&str> = top.into_iter().chain(below.iter().map(String::as_str)).collect();
    assert_chain("loop-buffered", &expected, Bottom::Devices);
    let direct: Vec<Option<bool>> =
        ["loop-buffered", "loop-direct"].iter().map(|name| Tree::of(name).found(0).stack.devices[0].direct_io).collect();
    assert_eq!(direct, [Some(false), Some(true)]);
}

#[test]
fn a_file_that_lost_its_name_can_lie_anywhere() {
    let (lines, bottom) = chain("loop-direct");
    assert_eq!(lines[2], "    file /var/lib/images/disk.img, deleted");
    assert_eq!((lines[3].as_str(), bottom), ("      ? a file without a name can lie anywhere", Bottom::Unknown));
}

#[test]
fn a_file_that_is_not_the_device_s_is_not_followed() {
    let mut tree = Tree::of("loop-buffered");
    tree.roots.stands_on = Box::new(|device, _| Some(device != "loop0"));
    let (lines, bottom) = shown(&tree.found(0));
    assert_eq!((lines[3].as_str(), bottom), ("      ? another file has this name by now", Bottom::Unknown));
    tree.roots.stands_on = Box::new(|_, _| Some(true));
    assert_ne!(tree.found(0).stack.bottom, Bottom::Unknown);
}

#[test]
fn a_file_that_only_a_host_sees_is_unknown() {
    let expected =
        ["ext4 /mnt/image", "  loop0 Loop", "    file /host/images/disk.img", "      ? /host/images/disk.img is not seen from here"];
    assert_chain("loop-unseen", &expected, Bottom::Unknown);
    assert!(!Tree::of("loop-unseen").found(0).stack.devices[0].is_leaf);
}

#[test]
fn a_loop_device_on_memory_has_no_leaf() {
    let expected = ["ext4 /mnt/image", "  loop0 Loop", "    file /run/images/disk.img", "      tmpfs /run/images", "        memory"];
    assert_chain("loop-on-memory", &expected, Bottom::Memory);
    assert_eq!(Tree::of("loop-on-memory").found(0).stack.leaves().count(), 0);
}

#[test]
fn a_partition_of_what_stands_on_more_is_no_leaf() {
    let expected = ["ext4 /mnt/image", "  loop0p1 Partition", "    loop0 Loop", "      file /dev/sda", "        sda Disk leaf"];
    assert_chain("partition-of-loop", &expected, Bottom::Devices);
}

#[test]
fn a_btrfs_stands_on_all_its_devices() {
    let expected = ["btrfs /", "  sda1 Partition leaf", "    sda Disk", "  sdb1 Partition leaf", "    sdb Disk"];
    assert_chain("btrfs", &expected, Bottom::Devices);
}

#[test]
fn an_overlay_stands_on_the_mount_of_its_upper_directory() {
    let merged = "overlay /var/lib/docker/overlay2/0a1b/merged";
    assert_chain("overlay", &[merged, "  ext4 /", "    sda1 Partition leaf", "      sda Disk"], Bottom::Devices);
}

#[test]
fn an_overlay_that_cannot_be_followed_is_unknown() {
    let missing = "  ? /var/lib/docker/overlay2/0a1b/diff is not seen from here";
    assert_chain("overlay-inside", &["overlay /", missing], Bottom::Unknown);
    let tree = Tree::of("overlay-itself");
    let (lines, bottom) = shown(&tree.found(0));
    assert_eq!((lines[2].as_str(), lines.len(), bottom), ("    ? it seems to stand on itself", 3, Bottom::Unknown));
    let (lines, bottom) = shown(&tree.found(1));
    assert_eq!((lines[1].as_str(), bottom), ("  ? the path of its upper directory begins nowhere", Bottom::Unknown));
}

#[test]
fn what_is_on_no_device_says_what_it_is_on() {
    assert_chain("tmpfs", &["tmpfs /dev/shm", "  memory"], Bottom::Memory);
    assert_chain("nfs", &["nfs4 /mnt/nfs", "  server"], Bottom::Server);
    assert_chain("cifs", &["cifs /mnt/share", "  server"], Bottom::Server);
    assert_chain("sshfs", &["fuse.sshfs /mnt/ssh", "  process"], Bottom::Process);
    assert_chain("zfs", &["zfs /tank", "  ? ZFS does not tell the kernel which devices it is on"], Bottom::Unknown);
}

#[test]
fn a_process_may_stand_on_a_device() {
    assert_chain("ntfs", &["fuseblk /media/windows", "  sdb1 Partition leaf", "    sdb Disk"], Bottom::Devices);
}

#[test]
fn what_is_not_counted_is_known() {
    let tree = Tree::of("uncounted");
    let found = tree.found(0);
    assert!(!found.stack.devices[0].is_counted);
    let traffic = TrafficReader::open(&found).read().unwrap();
    assert_eq!(found.stack.leaf_traffic(&traffic), None);
}

#[test]
fn blanks_and_signs_in_mount_points_are_followed() {
    let tree = Tree::of("blanks");
    let expected = ["overlay /mnt/merged", r"  ext4 /mnt/my old\disk", "    sda1 Partition leaf", "      sda Disk"];
    assert_eq!(shown(&tree.found(1)), (expected.map(str::to_owned).into(), Bottom::Devices));
    assert_eq!(shown(&tree.found(0)).0[0], r"ext4 /mnt/my old\disk");
    assert_eq!(shown(&tree.found(2)), (vec!["rootfs /".to_owned(), "  ? it names no block device".to_owned()], Bottom::Unknown));
}

#[test]
fn memory_that_looks_like_a_disk_is_memory_and_half_of_it_is_unknown() {
    let tree = Tree::of("memory-disk");
    let expected = ["ext4 /", "  zram0 Memory leaf", "    memory"];
    assert_eq!(shown(&tree.found(0)), (expected.map(str::to_owned).into(), Bottom::Memory));
    let (lines, bottom) = shown(&tree.found(1));
    assert_eq!(lines[1..], ["  md0 Raid (raid1)", "    sda Disk leaf", "    zram0 Memory leaf", "      memory"]);
    assert_eq!(bottom, Bottom::Unknown);
    assert_eq!(tree.found(1).stack.devices.len(), 3, "the devices are listed all the same");
}

#[test]
fn what_is_reached_twice_is_listed_once() {
    let found = Tree::of("raid-on-loops").found(0);
    let names: Vec<&str> = found.stack.devices.iter().map(|device| device.name.as_str()).collect();
    assert_eq!(names, ["md0", "loop0", "sda1", "loop1"]);
    assert_eq!(found.stack.bottom, Bottom::Devices);
}

#[test]
fn a_device_that_is_gone_makes_the_traffic_unknown() {
    let tree = Tree::of("raid1");
    let found = tree.found(0);
    assert_eq!(TrafficReader::open(&found).read().map(|traffic| traffic.len()), Some(3));
    fs::remove_dir_all(&found.entries[2]).unwrap();
    assert_eq!(TrafficReader::open(&found).read(), None);
}

#[test]
fn a_tree_that_is_empty_is_unknown() {
    let home = tempfile::tempdir().unwrap();
    let roots = Roots {
        proc: home.path().to_owned(),
        sys: home.path().to_owned(),
        look: Box::new(|_| Sight::Hidden),
        stands_on: Box::new(|_, _| None),
    };
    let mount = parse_mount("1 0 8:1 / / rw - ext4 /dev/sda1 rw").unwrap();
    let (lines, bottom) = shown(&find(&roots, &mount));
    assert_eq!((lines[1].as_str(), bottom), ("  ? it names no block device", Bottom::Unknown));
}

#[test]
fn names_that_are_no_text_are_kept() {
    let tree = Tree::of("loop-buffered");
    let entry = tree.found(0).entries[0].clone();
    fs::write(entry.join("loop/backing_file"), b"/var/\xff.img\n").unwrap();
    let path = PathBuf::from(OsString::from_vec(b"/var/\xff.img".to_vec()));
    assert_eq!(tree.found(0).chain[2].thing, Thing::File { path, is_deleted: false });
}

#[test]
fn this_machine_can_be_looked_at() {
    assert_eq!(look(Path::new("/nowhere/at/all")), Sight::Missing);
    assert!(matches!(look(Path::new("/proc/self/mountinfo")), Sight::Place(_)));
    let directory = File::open(".").unwrap();
    let found = find(&Roots::of_this_machine(), &crate::sys::mounts::mount_of(&directory).unwrap());
    assert!(matches!(found.chain[0].thing, Thing::Mount { .. }));
    assert_eq!(found.entries.len(), found.stack.devices.len());
}
