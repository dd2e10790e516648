//! The page of fixed facts: what is shown of each kind of filesystem, and what is claimed of it.

use super::page::page;
use super::proof::{Proof, proof};
use super::*;
use crate::model::machine::{Device, DirtyLimits, FilesystemClass};
use crate::model::stack::{Bottom, Layer, Stack, StackDevice};
use crate::report::lines::{COLUMNS, width};
use crate::sys::mounts::class_of;
use crate::sys::stack::{DeviceFacts, Link, Thing};

fn link(depth: usize, thing: Thing) -> Link {
    Link { depth, thing }
}

fn mount(kind: &str, point: &str) -> Thing {
    Thing::Mount { mount_point: PathBuf::from(point), kind: kind.to_owned() }
}

fn device(name: &str, layer: Layer, is_leaf: bool) -> (StackDevice, Thing) {
    let facts = Device {
        name: Some(name.to_owned()),
        model: (layer == Layer::Disk).then(|| "EXAMPLE SSD 870".to_owned()),
        size_bytes: Some(256 << 30),
        rotational: Some(false),
        scheduler: Some("none".to_owned()),
        read_ahead_bytes: Some(128 << 10),
        write_cache: Some("write back".to_owned()),
    };
    let direct_io = (layer == Layer::Loop).then_some(false);
    let recorded = StackDevice {
        name: name.to_owned(),
        layer,
        is_leaf,
        is_counted: true,
        write_cache: facts.write_cache.clone(),
        rotational: facts.rotational,
        direct_io,
    };
    (recorded, Thing::Device(Box::new(DeviceFacts { layer, title: None, facts, is_counted: true, direct_io })))
}

/// A filesystem of a type that ends on this, without devices.
fn facts(kind: &str, bottom: Bottom, end: Thing) -> Facts {
    let filesystem = Filesystem {
        kind: kind.to_owned(),
        class: class_of(kind, bottom == Bottom::Devices),
        mount_options: "rw,relatime".to_owned(),
        size_bytes: 100 << 30,
        free_bytes: 25 << 30,
        used_bytes: Some(75 << 30),
        free_files: Some(3_000_000),
    };
    let machine = Machine {
        ram_bytes: Some(16 << 30),
        memory_limit_bytes: Some(4 << 30),
        dirty: Some(DirtyLimits { background_percent: 10, percent: 20, background_bytes: 0, bytes: 256 << 20 }),
        ..Machine::default()
    };
    Facts {
        path: PathBuf::from("/mnt/data"),
        mount_point: PathBuf::from("/mnt"),
        filesystem,
        found: Found {
            stack: Stack { bottom, devices: Vec::new() },
            entries: Vec::new(),
            chain: vec![link(0, mount(kind, "/mnt")), link(1, end)],
        },
        machine,
        open_files: Some(1_048_576),
        has_cachestat: true,
        has_arc: false,
        has_server_counts: false,
    }
}

/// An ext4 on a loop device over a file on a partition.
fn on_loop() -> Facts {
    let (top, top_link) = device("loop0", Layer::Loop, false);
    let (leaf, leaf_link) = device("sda1", Layer::Partition, true);
    let (_, disk) = device("sda", Layer::Disk, true);
    let mut facts = facts("ext4", Bottom::Devices, top_link);
    let file = Thing::File { path: PathBuf::from("/images/one.img"), is_deleted: false };
    let below = [link(2, file), link(3, mount("xfs", "/")), link(4, leaf_link), link(5, disk)];
    facts.found.chain.extend(below);
    facts.found.stack.devices = vec![top, leaf];
    facts
}

#[test]
fn the_page_of_a_loop_device() {
    let expected = "\
/mnt/data
  filesystem  ext4, on block devices, behind the page cache
  mounted on  /mnt
  options     rw,relatime
  size        100 GiB, 25 GiB free, 75 % full, room for 3,000,000 more files

Below it
  loop0: loop device, 256 GiB, the kernel says not rotating, scheduler none,
      readahead 128 KiB, write cache write back, iostats on, direct I/O to its
      file off
    the file /images/one.img
      xfs, mounted on /
        sda1: partition, 256 GiB
          sda: disk, 256 GiB, EXAMPLE SSD 870, the kernel says not rotating,
              scheduler none, readahead 128 KiB, write cache write back, iostats
              on

Caches on the way
  page cache  of this machine
  loop0       goes through the page cache of the filesystem that holds its file
  sda1        the device's own, which must be flushed

Limits
  memory      16 GiB, of which the control group allows 4 GiB
  writeback   begins at 10 % of available memory, writers wait from 256 MiB
  open files  1,048,576
  rights      those of an ordinary user

barrow can prove here
  - that a block file is not in the page cache before it is read (cachestat)
  - how much sda1 moved, of everybody's transfers (iostats)
  - whether the page cache below loop0 answered: the devices at the bottom then
    moved nothing
  - that writes were flushed before the clock stopped (fsync, syncfs)

barrow cannot prove here
  - that stat and delete read from storage: only root can drop the caches of
    names and inodes
  - that a device keeps what it said it had flushed
";
    let made = page(&on_loop());
    // `inside` is left out of the expected text where nothing is known of it.
    let made: String = made.lines().filter(|line| !line.starts_with("  inside")).map(|line| format!("{line}\n")).collect();
    assert_eq!(made, expected, "\n{made}");
}

fn says(list: &[String], word: &str) -> bool {
    list.iter().any(|item| item.contains(word))
}

#[test]
fn what_can_be_proven_follows_from_counters_and_rights() {
    let mut facts = on_loop();
    facts.machine.root = true;
    facts.has_cachestat = false;
    facts.found.stack.devices[1].is_counted = false;
    let Proof { can, cannot } = proof(&facts);
    assert!(says(&can, "(mincore)") && says(&can, "root can drop"), "{can:?}");
    assert!(!says(&can, "sda1 moved") && says(&cannot, "sda1 moved: queue/iostats is off"), "{cannot:?}");
    assert!(says(&cannot, "whether the page cache below loop0 answered"), "{cannot:?}");
    assert!(!says(&cannot, "host"), "{cannot:?}");
    facts.machine.inside = vec!["virtual machine".to_owned()];
    assert!(says(&proof(&facts).cannot, "what the host of this virtual machine caches"));
    facts.found.stack.bottom = Bottom::Memory;
    let Proof { can, cannot } = proof(&facts);
    assert!(says(&cannot, "what it stands on is memory") && !says(&cannot, "host"), "{cannot:?}");
    assert!(!says(&can, "flushed") && !says(&can, "root can drop"), "{can:?}");
}

#[test]
fn each_class_says_what_it_cannot_prove() {
    let unknown = || Thing::Unknown { reason: "it does not say".to_owned() };
    let cases = [
        (facts("tmpfs", Bottom::Memory, Thing::Memory), "every number is one of memory"),
        (facts("nfs4", Bottom::Server, Thing::Server), "the server's cache"),
        (facts("fuse.sshfs", Bottom::Process, Thing::Process), "where bytes came from"),
        (facts("zfs", Bottom::Unknown, unknown()), "the cache of ZFS cannot be emptied"),
        (facts("overlay", Bottom::Unknown, unknown()), "not all of them were found"),
        (facts("newfs", Bottom::Unknown, unknown()), "neither a block device nor a server"),
    ];
    for (facts, expected) in cases {
        let Proof { can, cannot } = proof(&facts);
        assert!(says(&cannot, expected), "{}: {cannot:?}", facts.filesystem.kind);
        assert!(!says(&can, "moved"), "{}: {can:?}", facts.filesystem.kind);
        assert_eq!(says(&can, "flushed"), facts.filesystem.class == FilesystemClass::Zfs, "{}: {can:?}", facts.filesystem.kind);
        let has_page_cache = matches!(facts.filesystem.class, FilesystemClass::Network | FilesystemClass::Overlay);
        assert_eq!(says(&can, "not in the page cache"), has_page_cache, "{}: {can:?}", facts.filesystem.kind);
    }
}

#[test]
fn counters_of_servers_and_of_zfs_are_used_where_they_are() {
    let mut nfs = facts("nfs4", Bottom::Server, Thing::Server);
    assert!(!says(&proof(&nfs).can, "mountstats"));
    nfs.has_server_counts = true;
    assert!(says(&proof(&nfs).can, "mountstats"));
    let mut zfs = facts("zfs", Bottom::Unknown, Thing::Unknown { reason: String::new() });
    zfs.has_arc = true;
    assert!(says(&proof(&zfs).can, "arcstats") && page(&zfs).contains("the cache of ZFS counts what it answers"));
}

#[test]
fn hostile_names_stay_in_their_line_and_lines_are_short() {
    let mut facts = on_loop();
    let evil = format!("/a\n\u{1b}[31m\u{202e}{}漢字", "very long ".repeat(30));
    facts.path = PathBuf::from(&evil);
    facts.mount_point = PathBuf::from(&evil);
    facts.filesystem.kind.clone_from(&evil);
    facts.filesystem.mount_options.clone_from(&evil);
    facts.found.stack.devices[0].name.clone_from(&evil);
    let deep = (6..60).map(|depth| link(depth, mount(&evil, &evil)));
    facts.found.chain.extend(deep);
    facts.found.chain.push(link(60, Thing::Unknown { reason: evil.clone() }));
    let text = page(&facts);
    assert!(
        text.chars()
            .all(|character| character == '\n' || crate::model::printable::printable(&character.to_string()) != "?" || character == '?')
    );
    assert!(text.contains("/a??[31m?very"), "{text}");
    for line in text.lines() {
        assert!(width(line) <= COLUMNS && line.trim_end() == line, "{line:?}");
    }
}

#[test]
fn this_directory_has_a_page() {
    let path = Path::new(".");
    let (directory, mount) = open_to_look(path).unwrap();
    let text = page(&super::facts(path, &directory, &mount).unwrap());
    assert!(text.contains(&format!("  filesystem  {}, ", mount.kind)) && text.contains("\nBelow it\n"), "{text}");
    assert!(open_to_look(Path::new("/nowhere/at/all")).unwrap_err().to_string().contains("no such directory"));
    assert!(open_to_look(Path::new("/proc/self/mountinfo")).unwrap_err().to_string().contains("is not a directory"));
}
