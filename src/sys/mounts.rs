//! The mount below a path: its filesystem, options and device. Pure functions over the text of /proc/self/mountinfo, and the few
//! calls that find the right line of it.

use super::stack::{self, Roots};
use crate::model::machine::{Device, Filesystem, FilesystemClass};
use nix::sys::stat::stat;
use nix::sys::statfs::{TMPFS_MAGIC, fstatfs};
use nix::sys::statvfs::fstatvfs;
use std::collections::HashSet;
use std::ffi::{CStr, OsString};
use std::fs::{self, File};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

/// One line of /proc/self/mountinfo.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mount {
    /// The mount's number.
    pub id: u64,
    /// The device number, `major:minor`.
    pub device_number: String,
    /// Where it is mounted.
    pub mount_point: PathBuf,
    /// The filesystem type.
    pub kind: String,
    /// What is mounted: a device, a server's path, a name.
    pub source: String,
    /// The mount's options, then those of the filesystem, in the kernel's order, each once.
    pub options: Vec<String>,
}

/// Reads one line of mountinfo (proc_pid_mountinfo(5)); `None` when it does not follow the form.
#[must_use]
pub fn parse_mount(line: &str) -> Option<Mount> {
    let (left, right) = line.split_once(" - ")?;
    let mut left = left.split(' ');
    let id = left.next()?.parse().ok()?;
    let device_number = left.nth(1)?.to_owned();
    let mount_point = PathBuf::from(OsString::from_vec(unescape(left.nth(1)?)));
    let mount_options = left.next()?;
    let mut right = right.split(' ');
    let kind = String::from_utf8_lossy(&unescape(right.next()?)).into_owned();
    let source = String::from_utf8_lossy(&unescape(right.next()?)).into_owned();
    let mut options: Vec<String> = Vec::new();
    let mut known = HashSet::new();
    for option in mount_options.split(',').chain(right.next().unwrap_or_default().split(',')).filter(|option| !option.is_empty()) {
        let option = String::from_utf8_lossy(&unescape(option)).into_owned();
        if known.insert(option.clone()) {
            options.push(option);
        }
    }
    Some(Mount { id, device_number, mount_point, kind, source, options })
}

/// Undoes the kernel's escapes: `\040` and other octal numbers of three digits.
pub(super) fn unescape(text: &str) -> Vec<u8> {
    let bytes = text.as_bytes();
    let mut plain = Vec::with_capacity(bytes.len());
    let mut place = 0;
    while let Some(byte) = bytes.get(place) {
        let digits = (*byte == b'\\').then(|| bytes.get(place + 1..place + 4)).flatten();
        let value = digits.and_then(octal_value);
        match value {
            Some(value) => {
                plain.push(value);
                place += 4;
            }
            None => {
                plain.push(*byte);
                place += 1;
            }
        }
    }
    plain
}

/// The byte of three octal digits; `from_str_radix` alone would take a sign for one of them.
fn octal_value(digits: &[u8]) -> Option<u8> {
    let are_digits = digits.iter().all(|digit| (b'0'..=b'7').contains(digit));
    let text = are_digits.then(|| std::str::from_utf8(digits).ok()).flatten()?;
    u8::from_str_radix(text, 8).ok()
}

/// The class of a filesystem of a type, with or without a block device below: one that is not known for something else keeps its
/// data on block devices only where there are some.
#[must_use]
pub fn class_of(kind: &str, has_device: bool) -> FilesystemClass {
    let without_name = if has_device { FilesystemClass::Block } else { FilesystemClass::Other };
    named_class(kind).unwrap_or(without_name)
}

/// The class that a filesystem type has by its name alone; `None` where its devices decide.
pub(super) fn named_class(kind: &str) -> Option<FilesystemClass> {
    match kind {
        "tmpfs" | "ramfs" | "devtmpfs" | "hugetlbfs" => Some(FilesystemClass::Memory),
        "nfs" | "nfs4" | "cifs" | "smb3" | "smbfs" | "9p" | "ceph" | "afs" | "ncpfs" | "glusterfs" | "lustre" | "beegfs" | "virtiofs"
        | "orangefs" => Some(FilesystemClass::Network),
        "zfs" => Some(FilesystemClass::Zfs),
        "overlay" | "aufs" | "unionfs" | "ecryptfs" => Some(FilesystemClass::Overlay),
        other if other == "fuse" || other.starts_with("fuse.") || other == "fuseblk" => Some(FilesystemClass::Fuse),
        _ => None,
    }
}

/// Whether the kernel says that a filesystem lies in memory, whatever its type is called (linux/magic.h).
fn is_in_memory(directory: &File) -> bool {
    const RAMFS: u32 = 0x8584_58f6;
    // The type of the field differs between architectures; the magic numbers have 32 bits.
    let magic = fstatfs(directory).map(|facts| facts.filesystem_type().0 as u32);
    magic.is_ok_and(|magic| magic == RAMFS || magic == TMPFS_MAGIC.0 as u32)
}

/// Whether a filesystem writes changed data to a new place, so that a rewrite needs the space twice.
#[must_use]
pub fn copies_on_write(kind: &str) -> bool {
    matches!(kind, "btrfs" | "zfs" | "bcachefs" | "nilfs2" | "f2fs")
}

/// Options without what tells on the host: values that are paths or addresses, and names of users.
#[must_use]
pub fn public_options(options: &[String]) -> String {
    const PRIVATE: [&str; 9] = ["addr", "clientaddr", "mountaddr", "username", "domain", "source", "mon_addr", "name", "ip"];
    let shown = options.iter().map(|option| match option.split_once('=') {
        Some((key, value)) if value.contains('/') || PRIVATE.contains(&key) => format!("{key}=…"),
        _ => option.clone(),
    });
    shown.collect::<Vec<_>>().join(",")
}

/// Everything that this process sees mounted; what covers a place comes after what it covers.
///
/// # Errors
/// When /proc/self/mountinfo cannot be read.
pub fn all() -> io::Result<Vec<Mount>> {
    let unread = |error: io::Error| {
        io::Error::new(error.kind(), format!("/proc/self/mountinfo cannot be read ({}); is /proc mounted?", error.kind()))
    };
    let text = fs::read("/proc/self/mountinfo").map_err(unread)?;
    Ok(String::from_utf8_lossy(&text).lines().filter_map(parse_mount).collect())
}

/// The mount that a directory lies on.
///
/// # Errors
/// When /proc/self/mountinfo cannot be read, or does not list it.
pub fn mount_of(directory: &File) -> io::Result<Mount> {
    let wanted = mount_id(directory)?;
    let mount = all()?.into_iter().find(|mount| mount.id == wanted);
    mount.ok_or_else(|| io::Error::other(format!("/proc/self/mountinfo does not list mount {wanted}")))
}

/// The number of the mount that an open file lies on, since device numbers do not tell (btrfs): of statx(2), else of /proc, where a
/// sandbox refuses that call or the kernel is older than 5.8.
///
/// # Errors
/// As statx(2), where /proc does not tell it either.
pub fn mount_id(file: &File) -> io::Result<u64> {
    mount_id_by_statx(file).or_else(|error| mount_id_by_proc(file).ok_or(error))
}

fn mount_id_by_proc(file: &File) -> Option<u64> {
    mount_id_in(&fs::read_to_string(format!("/proc/self/fdinfo/{}", file.as_raw_fd())).ok()?)
}

/// The number of the line `mnt_id:` in the text of a file of /proc/self/fdinfo (proc_pid_fdinfo(5)).
fn mount_id_in(fdinfo: &str) -> Option<u64> {
    fdinfo.lines().find_map(|line| line.strip_prefix("mnt_id:"))?.trim().parse().ok()
}

fn mount_id_by_statx(file: &File) -> io::Result<u64> {
    const EMPTY_PATH: &CStr = c"";
    // SAFETY: `statx` is plain data, for which all zeros is a value.
    #[allow(unsafe_code)]
    let mut answer: libc::statx = unsafe { std::mem::zeroed() };
    // SAFETY: the path ends with a zero byte and `answer` lives through the call.
    #[allow(unsafe_code)]
    let result = unsafe { libc::statx(file.as_raw_fd(), EMPTY_PATH.as_ptr(), libc::AT_EMPTY_PATH, libc::STATX_MNT_ID, &raw mut answer) };
    if result != 0 {
        return Err(io::Error::last_os_error());
    }
    if answer.stx_mask & libc::STATX_MNT_ID == 0 {
        return Err(io::Error::other("the kernel does not tell the mount of a file (Linux 5.8 does)"));
    }
    Ok(answer.stx_mnt_id)
}

/// The facts of the filesystem that a directory lies on.
///
/// # Errors
/// As fstatvfs(3).
pub fn filesystem_of(directory: &File, mount: &Mount) -> io::Result<Filesystem> {
    let space = fstatvfs(directory)?;
    let fragment = space.fragment_size();
    // A filesystem that sets no limit (btrfs) says that it has no files at all.
    let limits_files = space.files() > 0;
    let has_device = !stack::find(&Roots::of_this_machine(), mount).stack.devices.is_empty();
    let class = if is_in_memory(directory) { FilesystemClass::Memory } else { class_of(&mount.kind, has_device) };
    Ok(Filesystem {
        kind: mount.kind.clone(),
        class,
        mount_options: public_options(&mount.options),
        size_bytes: space.blocks().saturating_mul(fragment),
        free_bytes: space.blocks_available().saturating_mul(fragment),
        used_bytes: Some(space.blocks().saturating_sub(space.blocks_free()).saturating_mul(fragment)),
        free_files: limits_files.then(|| space.files_available()),
    })
}

/// What the kernel tells of the block device that a mount names. Everything stays unknown when there is none.
#[must_use]
pub fn device_of(mount: &Mount) -> Device {
    let own = PathBuf::from("/sys/dev/block").join(&mount.device_number);
    let entry = if own.exists() { Some(own) } else { source_entry(&mount.source) };
    entry.map(|entry| read_device(&entry)).unwrap_or_default()
}

/// The entry in /sys of a source such as `/dev/sda1`: btrfs mounts have a device number of their own.
fn source_entry(source: &str) -> Option<PathBuf> {
    let status = source.starts_with("/dev/").then(|| stat(Path::new(source)).ok()).flatten()?;
    let (major, minor) = (nix::sys::stat::major(status.st_rdev), nix::sys::stat::minor(status.st_rdev));
    let entry = PathBuf::from(format!("/sys/dev/block/{major}:{minor}"));
    entry.exists().then_some(entry)
}

/// The facts of a block device from its entry in /sys; a partition asks the disk that holds it.
pub(super) fn read_device(entry: &Path) -> Device {
    let Ok(place) = entry.canonicalize() else {
        return Device::default();
    };
    let disk = if place.join("partition").exists() { place.parent().unwrap_or(&place).to_owned() } else { place.clone() };
    let read = |path: PathBuf| fs::read_to_string(path).ok().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
    Device {
        name: place.file_name().map(|name| name.to_string_lossy().into_owned()),
        model: read(disk.join("device/model")),
        size_bytes: read(place.join("size")).and_then(|sectors| sectors.parse::<u64>().ok()).and_then(|sectors| sectors.checked_mul(512)),
        rotational: read(disk.join("queue/rotational")).map(|text| text == "1"),
        scheduler: read(disk.join("queue/scheduler")).map(|text| chosen(&text).to_owned()),
        read_ahead_bytes: read(disk.join("queue/read_ahead_kb"))
            .and_then(|kib| kib.parse::<u64>().ok())
            .and_then(|kib| kib.checked_mul(1024)),
        write_cache: read(disk.join("queue/write_cache")),
    }
}

/// The choice in brackets, as in `none [mq-deadline] kyber`; the whole where there are no brackets.
fn chosen(choices: &str) -> &str {
    choices.split_once('[').and_then(|(_, rest)| rest.split_once(']')).map_or(choices, |(chosen, _)| chosen)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const LINE: &str = r"36 35 98:0 /mnt1 /mnt/a\040b\134c rw,noatime master:1 - ext3 /dev/root rw,errors=continue";

    #[test]
    fn a_line_of_the_manual_is_read() {
        let mount = parse_mount(LINE).unwrap();
        assert_eq!(mount.id, 36);
        assert_eq!(mount.device_number, "98:0");
        assert_eq!(mount.mount_point, Path::new(r"/mnt/a b\c"));
        assert_eq!((mount.kind.as_str(), mount.source.as_str()), ("ext3", "/dev/root"));
        assert_eq!(mount.options, ["rw", "noatime", "errors=continue"]);
    }

    #[test]
    fn optional_fields_may_be_absent_or_many() {
        let none = "1 2 0:3 / /x rw - tmpfs none rw,size=1k";
        assert_eq!(parse_mount(none).unwrap().options, ["rw", "size=1k"]);
        let many = "1 2 0:3 / /x rw shared:1 master:2 propagate_from:3 - tmpfs none rw";
        assert_eq!(parse_mount(many).unwrap().kind, "tmpfs");
        assert_eq!(parse_mount("1 2 0:3 / /x rw tmpfs none rw"), None);
        assert_eq!(parse_mount(""), None);
    }

    #[test]
    fn both_ways_tell_the_same_mount() {
        let file = File::open("/proc/self").unwrap();
        assert_eq!(mount_id_by_proc(&file), Some(mount_id_by_statx(&file).unwrap()));
        assert_eq!(mount_id_in("pos:\t0\nflags:\t0100000\nmnt_id:\t29\nino:\t4\n"), Some(29));
        assert_eq!(mount_id_in("pos:\t0\n"), None);
    }

    #[test]
    fn options_tell_nothing_of_the_host() {
        let options: Vec<String> =
            ["rw", "lowerdir=/home/me", "addr=10.0.0.1", "compress=zstd:3", "username=me", "vers=4.2"].map(str::to_owned).into();
        assert_eq!(public_options(&options), "rw,lowerdir=…,addr=…,compress=zstd:3,username=…,vers=4.2");
    }

    #[test]
    fn classes_follow_the_type() {
        assert_eq!(class_of("ext4", true), FilesystemClass::Block);
        assert_eq!(class_of("newfs", true), FilesystemClass::Block);
        assert_eq!(class_of("newfs", false), FilesystemClass::Other);
        assert_eq!(class_of("fuse.sshfs", true), FilesystemClass::Fuse);
        assert_eq!(class_of("fuseblk", true), FilesystemClass::Fuse);
        assert_eq!(class_of("virtiofs", true), FilesystemClass::Network);
        assert_eq!(class_of("nfs4", true), FilesystemClass::Network);
        assert_eq!(class_of("tmpfs", true), FilesystemClass::Memory);
    }

    #[test]
    fn the_scheduler_in_use_stands_in_brackets() {
        assert_eq!(chosen("none [mq-deadline] kyber"), "mq-deadline");
        assert_eq!(chosen("none"), "none");
    }

    #[test]
    fn this_directory_lies_on_a_mount() {
        let directory = File::open(".").unwrap();
        let mount = mount_of(&directory).unwrap();
        let here = std::env::current_dir().unwrap();
        assert!(here.starts_with(&mount.mount_point), "{} on {}", here.display(), mount.mount_point.display());
        assert!(filesystem_of(&directory, &mount).unwrap().size_bytes > 0);
    }

    proptest! {
        #[test]
        fn any_line_is_read_or_refused(line in "[ -~]{0,80}") {
            let _ = parse_mount(&line);
        }

        #[test]
        fn any_escape_is_undone(text in r"[a\\0-9]{0,20}") {
            prop_assert!(unescape(&text).len() <= text.len());
        }
    }
}
