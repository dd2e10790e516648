//! The devices below a mount: from its line in mountinfo down to the last thing that this kernel can see.

pub mod backing;
pub(super) mod block;
mod walk;

#[cfg(test)]
mod tests;
#[cfg(test)]
pub(crate) mod tree;

use super::mounts::{Mount, mount_id};
use crate::model::machine::Device;
use crate::model::stack::{Layer, Stack};
use nix::sys::stat::{major, minor};
use std::fmt;
use std::fs::File;
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// What asks whether a loop device, by its name, stands on the file at a path.
pub type Asked = Box<dyn Fn(&str, &Path) -> Option<bool>>;

/// Where the kernel tells of itself, so that the tree of another machine can be read as well.
pub struct Roots {
    /// What is mounted on /proc.
    pub proc: PathBuf,
    /// What is mounted on /sys.
    pub sys: PathBuf,
    /// What lies at a path outside of both: a device node, the file below a loop device, the upper directory of an overlay.
    pub look: Box<dyn Fn(&Path) -> Sight>,
    /// Whether a loop device stands on the file at a path; `None` where nobody says.
    pub stands_on: Asked,
}

impl Roots {
    /// Those of this machine.
    #[must_use]
    pub fn of_this_machine() -> Self {
        Self { proc: PathBuf::from("/proc"), sys: PathBuf::from("/sys"), look: Box::new(look), stands_on: Box::new(backing::stands_on) }
    }
}

impl fmt::Debug for Roots {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Roots").field("proc", &self.proc).field("sys", &self.sys).finish_non_exhaustive()
    }
}

/// What lies at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sight {
    /// A block device with this number, `major:minor`.
    Device(String),
    /// Something else, on the mount with this number where the kernel tells it.
    Place(Option<u64>),
    /// Nothing: from here the path leads nowhere (a container sees paths of its host).
    Missing,
    /// It is not known, since the rights do not suffice.
    Hidden,
}

fn look(path: &Path) -> Sight {
    // O_PATH needs no right on the file itself, and starts nothing that opening a device might.
    match File::options().read(true).custom_flags(libc::O_PATH).open(path) {
        Ok(file) => seen(&file).unwrap_or(Sight::Hidden),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Sight::Missing,
        Err(_) => Sight::Hidden,
    }
}

fn seen(file: &File) -> io::Result<Sight> {
    let facts = file.metadata()?;
    if facts.file_type().is_block_device() {
        return Ok(Sight::Device(format!("{}:{}", major(facts.rdev()), minor(facts.rdev()))));
    }
    Ok(Sight::Place(mount_id(file).ok()))
}

/// What lies below a mount.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Found {
    /// The devices. The leaf of a filesystem on a partition is the partition, since its bytes are the partition's alone.
    pub stack: Stack,
    /// The directory in /sys of each device of the stack, in the same order.
    pub entries: Vec<PathBuf>,
    /// What stands on what, for people: each thing, and below it, one deeper, what it stands on.
    pub chain: Vec<Link>,
}

/// One thing of a chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// How many things stand above it.
    pub depth: usize,
    /// What it is.
    pub thing: Thing,
}

/// What a filesystem can stand on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Thing {
    /// A filesystem.
    Mount {
        /// Where it is mounted.
        mount_point: PathBuf,
        /// The type as the kernel names it.
        kind: String,
    },
    /// A file that is used as a device.
    File {
        /// Its path as the kernel tells it.
        path: PathBuf,
        /// Whether it has lost its name.
        is_deleted: bool,
    },
    /// A block device.
    Device(Box<DeviceFacts>),
    /// A block device that was named before: what it stands on is not told again.
    Again {
        /// The kernel's name.
        name: String,
    },
    /// Memory of this machine.
    Memory,
    /// A server, or the host of a virtual machine that shares a directory.
    Server,
    /// A process that answers for a FUSE filesystem.
    Process,
    /// It was not found, and why.
    Unknown {
        /// In words.
        reason: String,
    },
}

/// What is known of a block device of a chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceFacts {
    /// What it is.
    pub layer: Layer,
    /// What it is called besides the kernel's name: the name and the kind of a mapped device, the level of a RAID.
    pub title: Option<String>,
    /// Its facts; of a partition, those of its disk but for name and size.
    pub facts: Device,
    /// Whether the kernel counts its transfers; a partition asks its disk.
    pub is_counted: bool,
    /// Whether a loop device passes the page cache of the filesystem that holds its file.
    pub direct_io: Option<bool>,
}

/// Finds what lies below a mount. What cannot be followed is named in the chain, and makes the bottom unknown.
#[must_use]
pub fn find(roots: &Roots, mount: &Mount) -> Found {
    walk::Walk::begin(roots).of(mount)
}

/// Finds what a block device is and what lies below it, by its number, `major:minor`.
#[must_use]
pub fn find_below(roots: &Roots, number: &str) -> Found {
    walk::Walk::begin(roots).of_device(number)
}

/// The directories in /sys of the devices that a mount names itself: of a btrfs all, of an xfs also that of its external log.
pub(super) fn devices_of(roots: &Roots, mount: &Mount) -> Vec<PathBuf> {
    let entries = walk::Walk::among(roots, Vec::new()).entries(mount);
    entries.iter().filter_map(|entry| entry.canonicalize().ok()).collect()
}

/// The directory in /sys of the block device at a path below /dev; `None` where there is none.
pub(super) fn device_at(roots: &Roots, path: &str) -> Option<PathBuf> {
    walk::device_at(roots, path)?.canonicalize().ok()
}
