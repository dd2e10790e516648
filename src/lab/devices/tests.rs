//! Devices of other machines that are refused, and those that are not; nothing of this machine is opened.

use super::*;
use crate::sys::stack::tree::Tree;
use std::sync::atomic::{AtomicUsize, Ordering};

fn nobody_holds_it(_: &Path, _: &str) -> io::Result<()> {
    Ok(())
}

fn nothing_is_on_it(_: &Path) -> Result<Vec<Signature>, SignatureError> {
    Ok(Vec::new())
}

/// A disk with one partition that is mounted, and one that is not.
fn eyes() -> (Eyes, Tree) {
    let tree = Tree::of("partition");
    tree.add("sys/dev/block/8:0/ro = 0\nsys/dev/block/8:1/ro = 0\nsys/dev/block/8:2/ro = 0");
    tree.add("dev/sda = 8:0\ndev/sda1 = 8:1\ndev/sda2 = 8:2\ndev/by-id/example -> ../sda2");
    (Eyes { roots: tree.more_roots(), probe: nobody_holds_it, patience: Duration::ZERO, content: nothing_is_on_it }, tree)
}

fn paths(names: &[&str]) -> Vec<PathBuf> {
    names.iter().map(PathBuf::from).collect()
}

fn refused(eyes: &Eyes, wanted: &[&[&str]], destroy: &[&str], wipe: bool) -> Vec<String> {
    let wanted: Vec<Vec<PathBuf>> = wanted.iter().map(|names| paths(names)).collect();
    let wanted: Vec<&[PathBuf]> = wanted.iter().map(Vec::as_slice).collect();
    eyes.check(&wanted, &paths(destroy), wipe).err().unwrap_or_default().iter().map(DeviceRefusal::to_string).collect()
}

#[track_caller]
fn assert_refused(eyes: &Eyes, wanted: &[&[&str]], destroy: &[&str], words: &[&str]) {
    for wipe in [false, true] {
        let refusals = refused(eyes, wanted, destroy, wipe);
        assert_eq!(refusals.len(), words.len(), "{refusals:?}");
        for (refusal, words) in refusals.iter().zip(words) {
            assert!(refusal.contains(words), "{refusal:?} does not say {words:?}");
        }
    }
}

#[test]
fn a_device_that_is_free_empty_and_named_twice_is_used() {
    let (eyes, _tree) = eyes();
    let wanted = paths(&["/dev/sda2"]);
    let devices = eyes.check(&[&wanted, &wanted], &wanted, false).unwrap();
    assert_eq!(devices.len(), 1, "variants may share it");
    assert_eq!((devices[0].path.as_path(), devices[0].number.as_str()), (Path::new("/dev/sda2"), "8:2"));
    let link = paths(&["/dev/by-id/example"]);
    assert_eq!(eyes.check(&[&link], &link, false).unwrap()[0].number, "8:2");
    assert_eq!(eyes.check(&[], &[], true).unwrap(), []);
}

#[test]
fn the_disk_of_a_mounted_partition_is_refused_whatever_is_said() {
    let (eyes, _tree) = eyes();
    assert_refused(&eyes, &[&["/dev/sda"]], &["/dev/sda"], &["/dev/sda: is in use: its partition sda1 is mounted at /;"]);
    assert_refused(&eyes, &[&["/dev/sda1"]], &["/dev/sda1"], &["/dev/sda1: is in use: it is mounted at /;"]);
    assert_refused(&eyes, &[&["/dev/sda1"]], &[], &["/dev/sda1: is in use: it is mounted at /;"]);
}

#[test]
fn it_must_be_repeated_in_the_same_letters() {
    let (eyes, _tree) = eyes();
    assert_refused(
        &eyes,
        &[&["/dev/sda2"]],
        &[],
        &["would be lost (sda2, EXAMPLE HDD 4000, 500 MiB); if that is meant, add `--destroy /dev/sda2`"],
    );
    for spelled in ["/dev/../dev/sda2", "/dev//sda2", "/dev/./sda2", "/dev/by-id/example"] {
        let words = format!("--destroy {spelled}: names the device of the plan, but not as the plan does: write `--destroy /dev/sda2`");
        assert_refused(&eyes, &[&["/dev/sda2"]], &[spelled], &[&words]);
    }
    assert_refused(&eyes, &[&["/dev/sda2"]], &["/dev/sda2", "/dev/sda"], &["--destroy /dev/sda: no variant"]);
    assert_refused(&eyes, &[], &["/dev/nothing"], &["--destroy /dev/nothing: no variant"]);
}

#[test]
fn one_device_is_not_two_of_a_variant_nor_a_part_of_another() {
    let (eyes, tree) = eyes();
    let twice = "is the same device as /dev/sda2 of the same variant";
    assert_refused(&eyes, &[&["/dev/sda2", "/dev/sda2"]], &["/dev/sda2"], &[twice]);
    assert_refused(&eyes, &[&["/dev/sda2", "/dev/by-id/example"]], &["/dev/sda2", "/dev/by-id/example"], &[twice]);
    fs::write(tree.path("proc/self/mountinfo"), "").unwrap();
    let wanted: [&[&str]; 2] = [&["/dev/sda"], &["/dev/sda2"]];
    let both = refused(&eyes, &wanted, &["/dev/sda", "/dev/sda2"], true);
    assert!(both.len() == 1 && both[0].contains("/dev/sda2: is a partition of /dev/sda, which is in the plan too"), "{both:?}");
    let only_disk = refused(&eyes, &[&["/dev/sda"]], &["/dev/sda"], false);
    assert_eq!(only_disk.len(), 1, "{only_disk:?}");
    assert!(only_disk[0].contains("on it partitions sda1, sda2; if all of it may be lost, add `--wipe`"), "{only_disk:?}");
    assert_eq!(refused(&eyes, &[&["/dev/sda"]], &["/dev/sda"], true), [""; 0]);
}

#[test]
fn what_is_no_device_to_write_to_is_refused() {
    let (eyes, tree) = eyes();
    tree.add("etc/fstab = text\ndev/sdz = 8:99");
    assert_refused(&eyes, &[&["/dev/nothing"]], &["/dev/nothing"], &["/dev/nothing: there is nothing of this name"]);
    assert_refused(&eyes, &[&["/etc/fstab"]], &["/etc/fstab"], &["and no block device"]);
    assert_refused(&eyes, &[&["sda2"]], &["sda2"], &["sda2: a device is named by its whole path"]);
    assert_refused(&eyes, &[&["/dev/sdz"]], &["/dev/sdz"], &["/dev/sdz: it cannot be told whether it is in use"]);
    fs::write(tree.path("sys/dev/block/8:2/ro"), "1\n").unwrap();
    assert_refused(&eyes, &[&["/dev/sda2"]], &["/dev/sda2"], &["/dev/sda2: is read-only"]);
    fs::write(tree.path("sys/dev/block/8:2/size"), "0\n").unwrap();
    assert_refused(&eyes, &[&["/dev/sda2"]], &["/dev/sda2"], &["/dev/sda2: has 0 bytes"]);
}

#[test]
fn what_nobody_names_is_found_by_opening() {
    let (mut eyes, tree) = eyes();
    tree.add("proc/78/comm = holder\nproc/78/fd/5 -> /dev/sda2\nproc/78/fdinfo/5 = flags:\t0100000");
    eyes.probe = |_, _| Err(io::ErrorKind::ResourceBusy.into());
    let words = "/dev/sda2: is in use: the kernel does not let it be opened exclusively (open in process 78 (holder));";
    assert_refused(&eyes, &[&["/dev/sda2"]], &["/dev/sda2"], &[words]);
    eyes.probe = |_, _| Err(io::ErrorKind::PermissionDenied.into());
    assert_refused(&eyes, &[&["/dev/sda2"]], &["/dev/sda2"], &["run barrow as root"]);
    eyes.probe = |_, _| Err(io::Error::other("no medium found"));
    assert_refused(&eyes, &[&["/dev/sda2"]], &["/dev/sda2"], &["cannot be told whether it is in use (no medium found)"]);
}

#[test]
fn what_only_has_it_open_for_a_moment_is_waited_for() {
    static LOOKS: AtomicUsize = AtomicUsize::new(0);
    let (mut eyes, tree) = eyes();
    eyes.patience = Duration::from_secs(60);
    eyes.probe = |_, _| if LOOKS.fetch_add(1, Ordering::Relaxed) < 2 { Err(io::ErrorKind::ResourceBusy.into()) } else { Ok(()) };
    assert!(eyes.recheck(Path::new("/dev/sda2"), "8:2").is_ok());
    assert_eq!(LOOKS.load(Ordering::Relaxed), 3);
    // A mount does not pass by itself.
    let begun = Instant::now();
    tree.add("proc/self/mountinfo = 9 1 8:2 / /mnt rw - ext4 /dev/sda2 rw");
    assert!(matches!(eyes.recheck(Path::new("/dev/sda2"), "8:2"), Err(DeviceRefusal::Used { .. })));
    assert!(begun.elapsed() < eyes.patience);
}

#[test]
fn what_is_on_it_is_shown_and_only_wiped_on_demand() {
    let (mut eyes, _tree) = eyes();
    eyes.content = |_| {
        let of = |kind: &str, label: Option<&str>| Signature { kind: kind.to_owned(), label: label.map(str::to_owned) };
        Ok(vec![of("ext4", Some("my \u{1b}[31mdata")), of("LVM2_member", None)])
    };
    let words = "/dev/sda2: is not empty (sda2, EXAMPLE HDD 4000, 500 MiB): on it ext4 `my ?[31mdata`, LVM2_member; if all of it";
    let refusals = refused(&eyes, &[&["/dev/sda2"]], &["/dev/sda2"], false);
    assert!(refusals.len() == 1 && refusals[0].starts_with(words), "{refusals:?}");
    assert_eq!(refused(&eyes, &[&["/dev/sda2"]], &["/dev/sda2"], true), [""; 0]);
    let both = refused(&eyes, &[&["/dev/sda2"]], &[], false);
    assert!(both.len() == 2 && both[0].contains("--destroy") && both[1].contains("--wipe"), "{both:?}");
}

#[test]
fn what_is_on_it_must_be_known() {
    let (mut eyes, _tree) = eyes();
    eyes.content = |_| Err(SignatureError::NoProgram(io::ErrorKind::NotFound.into()));
    assert_refused(&eyes, &[&["/dev/sda2"]], &["/dev/sda2"], &["install util-linux"]);
    eyes.content = |_| Err(SignatureError::Answer(serde_json::from_str::<u8>("").unwrap_err()));
    assert_eq!(refused(&eyes, &[&["/dev/sda2"]], &["/dev/sda2"], false).len(), 1);
    assert_eq!(refused(&eyes, &[&["/dev/sda2"]], &["/dev/sda2"], true), [""; 0]);
}

#[test]
fn a_path_that_leads_elsewhere_by_now_is_refused() {
    let (eyes, tree) = eyes();
    assert!(eyes.recheck(Path::new("/dev/by-id/example"), "8:2").is_ok());
    fs::remove_file(tree.path("dev/by-id/example")).unwrap();
    assert!(matches!(eyes.recheck(Path::new("/dev/by-id/example"), "8:2"), Err(DeviceRefusal::Moved { .. })));
    tree.add("dev/by-id/example -> ../sda1");
    assert!(matches!(eyes.recheck(Path::new("/dev/by-id/example"), "8:2"), Err(DeviceRefusal::Moved { .. })));
    assert!(matches!(eyes.recheck(Path::new("/dev/by-id/example"), "8:1"), Err(DeviceRefusal::Used { .. })));
}
