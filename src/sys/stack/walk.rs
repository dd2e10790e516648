//! The way down from a mount, each device once, until nothing more is below.

use super::block::{self, Below};
use super::{Found, Link, Roots, Sight, Thing};
use crate::model::machine::FilesystemClass;
use crate::model::stack::{Bottom, Stack};
use crate::sys::mounts::{Mount, named_class, parse_mount};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// No machine stacks more; what seems to runs in a circle.
const DEEPEST: usize = 32;

/// What the kernel writes behind the path of a file that has lost its name.
const DELETED: &[u8] = b" (deleted)";

/// The entry in /sys of the device at a path such as `/dev/sda1`. In a container its node may be missing: the kernel's name in it will do.
pub fn device_at(roots: &Roots, path: &str) -> Option<PathBuf> {
    let name = path.strip_prefix("/dev/")?;
    let entry = match (roots.look)(Path::new(path)) {
        Sight::Device(number) => roots.sys.join("dev/block").join(number),
        Sight::Missing | Sight::Hidden if !name.contains('/') => roots.sys.join("class/block").join(name),
        Sight::Missing | Sight::Hidden | Sight::Place(_) => return None,
    };
    entry.exists().then_some(entry)
}

/// The way so far.
pub struct Walk<'r> {
    roots: &'r Roots,
    mounts: Vec<Mount>,
    found: Found,
    /// What each branch ended on.
    ends: Vec<Bottom>,
    /// The mounts from the first down to here.
    way: Vec<u64>,
    /// Every mount that was gone through.
    passed: Vec<u64>,
}

impl<'r> Walk<'r> {
    /// Reads the mounts.
    pub fn begin(roots: &'r Roots) -> Self {
        let text = fs::read(roots.proc.join("self/mountinfo")).unwrap_or_default();
        Self::among(roots, String::from_utf8_lossy(&text).lines().filter_map(parse_mount).collect())
    }

    /// A way among these mounts.
    pub fn among(roots: &'r Roots, mounts: Vec<Mount>) -> Self {
        Self { roots, mounts, found: Found::default(), ends: Vec::new(), way: Vec::new(), passed: Vec::new() }
    }

    /// Goes down from a mount.
    pub fn of(mut self, mount: &Mount) -> Found {
        self.mount(mount, 0);
        self.ended()
    }

    /// Goes down from the block device with a number.
    pub fn of_device(mut self, number: &str) -> Found {
        self.device(&self.roots.sys.join("dev/block").join(number), 0);
        self.ended()
    }

    fn ended(mut self) -> Found {
        let first = self.ends.first().copied().unwrap_or_default();
        let bottom = if self.ends.iter().all(|end| *end == first) { first } else { Bottom::Unknown };
        self.found.stack = Stack { bottom, devices: std::mem::take(&mut self.found.stack.devices) };
        self.found
    }

    fn link(&mut self, depth: usize, thing: Thing) {
        self.found.chain.push(Link { depth, thing });
    }

    fn end(&mut self, depth: usize, bottom: Bottom, thing: Thing) {
        self.ends.push(bottom);
        self.link(depth, thing);
    }

    fn unknown(&mut self, depth: usize, reason: impl Into<String>) {
        self.end(depth, Bottom::Unknown, Thing::Unknown { reason: reason.into() });
    }

    fn mount(&mut self, mount: &Mount, depth: usize) {
        self.link(depth, Thing::Mount { mount_point: mount.mount_point.clone(), kind: mount.kind.clone() });
        if self.way.contains(&mount.id) || depth > DEEPEST {
            return self.unknown(depth + 1, "it seems to stand on itself");
        }
        if self.passed.contains(&mount.id) {
            return;
        }
        self.way.push(mount.id);
        self.passed.push(mount.id);
        self.below_mount(mount, depth + 1);
        self.way.pop();
    }

    fn below_mount(&mut self, mount: &Mount, depth: usize) {
        match named_class(&mount.kind) {
            Some(FilesystemClass::Memory) => self.end(depth, Bottom::Memory, Thing::Memory),
            Some(FilesystemClass::Network) => self.end(depth, Bottom::Server, Thing::Server),
            Some(FilesystemClass::Zfs) => self.unknown(depth, "ZFS does not tell the kernel which devices it is on"),
            // A process serves it, but from the block device that the mount names.
            Some(FilesystemClass::Fuse) if mount.kind == "fuseblk" => self.devices(mount, depth),
            Some(FilesystemClass::Fuse) => self.end(depth, Bottom::Process, Thing::Process),
            Some(FilesystemClass::Overlay) => self.overlay(mount, depth),
            Some(FilesystemClass::Block | FilesystemClass::Other) | None => self.devices(mount, depth),
        }
    }

    /// What is written to an overlay goes to its upper directory.
    fn overlay(&mut self, mount: &Mount, depth: usize) {
        let upper = mount.options.iter().find_map(|option| option.strip_prefix("upperdir="));
        match upper.map(Path::new) {
            None => self.unknown(depth, "it names no upper directory"),
            Some(upper) if !upper.is_absolute() => self.unknown(depth, "the path of its upper directory begins nowhere"),
            Some(upper) => self.path(upper, depth),
        }
    }

    /// Goes on with the mount that holds a path.
    fn path(&mut self, path: &Path, depth: usize) {
        let by_id = match (self.roots.look)(path) {
            Sight::Device(number) => return self.device(&self.roots.sys.join("dev/block").join(number), depth),
            Sight::Missing => return self.unknown(depth, format!("{} is not seen from here", path.display())),
            Sight::Place(id) => id,
            Sight::Hidden => None,
        };
        let holder = by_id.and_then(|id| self.mounts.iter().find(|mount| mount.id == id)).or_else(|| self.holder(path)).cloned();
        match holder {
            Some(mount) => self.mount(&mount, depth),
            None => self.unknown(depth, format!("no mount holds {}", path.display())),
        }
    }

    /// The mount with the longest mount point that the path begins with; of equal ones the last, which covers the others.
    fn holder(&self, path: &Path) -> Option<&Mount> {
        let holders = self.mounts.iter().filter(|mount| path.starts_with(&mount.mount_point));
        holders.max_by_key(|mount| mount.mount_point.components().count())
    }

    fn devices(&mut self, mount: &Mount, depth: usize) {
        let entries = self.entries(mount);
        if entries.is_empty() {
            return self.unknown(depth, "it names no block device");
        }
        for entry in entries {
            self.device(&entry, depth);
        }
    }

    /// The entries in /sys of the devices of a mount.
    pub fn entries(&self, mount: &Mount) -> Vec<PathBuf> {
        let own = self.roots.sys.join("dev/block").join(&mount.device_number);
        let sources: Vec<PathBuf> = match mount.kind.as_str() {
            // All of its devices, in one text.
            "bcachefs" => mount.source.split(':').filter_map(|source| device_at(self.roots, source)).collect(),
            _ if own.exists() => std::iter::once(own).collect(),
            _ => device_at(self.roots, &mount.source).into_iter().collect(),
        };
        if mount.kind == "btrfs" {
            let members = sources.first().and_then(|source| self.btrfs_members(source));
            return members.unwrap_or_default();
        }
        let further = ["logdev=", "rtdev="].iter().filter_map(|key| mount.options.iter().find_map(|option| option.strip_prefix(key)));
        sources.into_iter().chain(further.filter_map(|source| device_at(self.roots, source))).collect()
    }

    /// All devices of the btrfs that has this one. Its mounts have device numbers of their own, and name one device only.
    fn btrfs_members(&self, member: &Path) -> Option<Vec<PathBuf>> {
        let member = member.canonicalize().ok()?;
        let filesystems = fs::read_dir(self.roots.sys.join("fs/btrfs")).ok()?;
        filesystems.filter_map(Result::ok).find_map(|filesystem| {
            let entries = fs::read_dir(filesystem.path().join("devices")).ok()?;
            let mut members: Vec<PathBuf> = entries.filter_map(|entry| entry.ok()?.path().canonicalize().ok()).collect();
            members.sort();
            members.contains(&member).then_some(members)
        })
    }

    fn device(&mut self, entry: &Path, depth: usize) {
        let Ok(place) = entry.canonicalize() else {
            return self.unknown(depth, format!("{} is not in /sys", block::name_of(entry)));
        };
        if self.found.entries.contains(&place) {
            return self.link(depth, Thing::Again { name: block::name_of(&place) });
        }
        let facts = block::facts_of(&place);
        self.found.stack.devices.push(block::recorded(&place, &facts));
        self.found.entries.push(place.clone());
        self.link(depth, Thing::Device(Box::new(facts)));
        if depth > DEEPEST {
            return self.unknown(depth + 1, "it seems to stand on itself");
        }
        self.below_device(&place, depth + 1);
    }

    fn below_device(&mut self, place: &Path, depth: usize) {
        match block::below(place) {
            Below::Nothing => {
                self.ends.push(Bottom::Devices);
                if let Some(disk) = block::disk_of(place) {
                    // Named for people: its bytes are others' too.
                    self.link(depth, Thing::Device(Box::new(block::facts_of(disk))));
                }
            }
            Below::Memory => self.end(depth, Bottom::Memory, Thing::Memory),
            Below::Devices(members) => members.iter().for_each(|member| self.device(member, depth)),
            Below::File(path) => self.file(&block::name_of(place), &path, depth),
            Below::Hidden => self.unknown(depth, "it does not tell what it stands on"),
        }
    }

    /// Goes on below the file of a loop device.
    fn file(&mut self, device: &str, path: &Path, depth: usize) {
        let shortened = path.as_os_str().as_bytes().strip_suffix(DELETED).map(|bytes| Path::new(OsStr::from_bytes(bytes)));
        // A file may truly have such a name.
        let deleted = shortened.filter(|_| (self.roots.look)(path) == Sight::Missing);
        let shown = deleted.unwrap_or(path);
        self.link(depth, Thing::File { path: shown.to_owned(), is_deleted: deleted.is_some() });
        match deleted {
            // The directory that has its name now may be another one.
            Some(_) => self.unknown(depth + 1, "a file without a name can lie anywhere"),
            None if (self.roots.stands_on)(device, shown) == Some(false) => {
                self.unknown(depth + 1, "another file has this name by now");
            }
            None => self.path(shown, depth + 1),
        }
    }
}
