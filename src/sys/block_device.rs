//! A block device that somebody names by a path: which one it is, its facts, and how it is opened for oneself alone.

use super::mounts::read_device;
use super::stack::block::{disk_of, name_of};
use super::stack::{Roots, Sight};
use crate::model::machine::Device;
use crate::model::printable::printable;
use crate::units::rounded_size;
use nix::sys::stat::{major, minor};
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Seek, SeekFrom};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// What /sys tells of a block device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockDevice {
    /// The kernel's name: `sda1`.
    pub name: String,
    /// The number of the disk that it is a partition of.
    pub disk: Option<String>,
    /// Its size in bytes: 0 for a drive without a medium, or a loop device without a file.
    pub bytes: u64,
    /// Whether the kernel refuses to write to it.
    pub is_read_only: bool,
    /// Whether its disk is one that is plugged and unplugged.
    pub is_removable: bool,
    /// The model of its disk.
    pub model: Option<String>,
    /// The names of its partitions, in the order of their numbers.
    pub partitions: Vec<String>,
}

/// For people, so that they see whether they mean this one: `sda, EXAMPLE HDD 4000, 932 GiB`.
impl fmt::Display for BlockDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let model = self.model.as_deref().map(|model| format!("{}, ", printable(model))).unwrap_or_default();
        let removable = if self.is_removable { ", removable" } else { "" };
        write!(f, "{}, {model}{}{removable}", self.name, rounded_size(self.bytes))
    }
}

/// The directory in /sys of the device with this number, `major:minor`.
pub(super) fn entry_of(roots: &Roots, number: &str) -> io::Result<PathBuf> {
    let entry = roots.sys.join("dev/block").join(number);
    entry.canonicalize().map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", entry.display())))
}

/// The directories of the partitions of a disk, in the order of their numbers.
pub(super) fn partitions_of(disk: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(disk).into_iter().flatten().flatten().map(|entry| entry.path());
    let numbered = entries.filter_map(|place| Some((read(&place, "partition")?.parse::<u32>().ok()?, place)));
    let mut partitions: Vec<(u32, PathBuf)> = numbered.collect();
    partitions.sort();
    partitions.into_iter().map(|(_, place)| place).collect()
}

fn read(place: &Path, name: &str) -> Option<String> {
    fs::read_to_string(place.join(name)).ok().map(|text| text.trim().to_owned())
}

/// The number, `major:minor`, of the block device at a path, behind symbolic links too; else what lies there.
///
/// # Errors
/// What lies there instead.
pub fn number_at(roots: &Roots, path: &Path) -> Result<String, Sight> {
    match (roots.look)(path) {
        Sight::Device(number) => Ok(number),
        other @ (Sight::Place(_) | Sight::Missing | Sight::Hidden) => Err(other),
    }
}

/// The facts of the device with a number, `major:minor`.
///
/// # Errors
/// When /sys does not list it, or does not tell its size, or whether it may be written to.
pub fn facts_of(roots: &Roots, number: &str) -> io::Result<BlockDevice> {
    let place = entry_of(roots, number)?;
    let untold = |what: &str| io::Error::other(format!("{} does not tell {what}", place.display()));
    let disk = disk_of(&place);
    let facts = read_device(&place);
    Ok(BlockDevice {
        name: name_of(&place),
        disk: disk.and_then(|disk| read(disk, "dev")),
        bytes: facts.size_bytes.ok_or_else(|| untold("the size"))?,
        is_read_only: read(&place, "ro").ok_or_else(|| untold("whether it may be written to"))? != "0",
        is_removable: read(disk.unwrap_or(&place), "removable").is_some_and(|text| text == "1"),
        model: facts.model,
        partitions: partitions_of(&place).iter().map(|partition| name_of(partition)).collect(),
    })
}

/// The kernel's own node of a device, `/dev/sda1`, which only root can move: what leads to a device by another name may lead elsewhere the
/// next time.
///
/// # Errors
/// When /sys does not list the device, or its node is missing or another device's.
pub fn node_of(roots: &Roots, number: &str) -> io::Result<PathBuf> {
    // /sys writes `!` for the `/` of names such as `cciss/c0d0`.
    let node = Path::new("/dev").join(name_of(&entry_of(roots, number)?).replace('!', "/"));
    match number_at(roots, &node) {
        Ok(found) if found == number => Ok(node),
        Ok(_) | Err(_) => Err(io::Error::other(format!("{} is not the node of the device {number}", node.display()))),
    }
}

/// Whether the device with a number, `major:minor`, is at a path and nobody holds it: opens it for this process alone for a moment
/// (`O_EXCL`, open(2)), and only to read, so that nothing can be written, and nobody is told that something was. Symbolic links in the
/// path are followed once.
///
/// # Errors
/// `ResourceBusy` when somebody else holds it, or a filesystem on it or its partitions is mounted, in whatever namespace; when it is no
/// block device, another one is at the path, or the rights are missing.
pub fn probe_exclusively(path: &Path, number: &str) -> io::Result<()> {
    let found = number_of(&open_alone(path)?)?;
    if found == number { Ok(()) } else { Err(io::Error::other(format!("it is device {found} now, and was {number}"))) }
}

fn open_alone(path: &Path) -> io::Result<File> {
    let node = path.canonicalize()?;
    // A pipe would wait for another process, and for some other devices opening alone does something.
    if !node.symlink_metadata()?.file_type().is_block_device() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no block device"));
    }
    File::options().read(true).custom_flags(libc::O_EXCL | libc::O_NOFOLLOW).open(node)
}

/// The number, `major:minor`, of an open block device.
///
/// # Errors
/// As fstat(2); when it is no block device.
pub fn number_of(device: &File) -> io::Result<String> {
    let facts = device.metadata()?;
    if !facts.file_type().is_block_device() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no block device"));
    }
    Ok(format!("{}:{}", major(facts.rdev()), minor(facts.rdev())))
}

/// The size of an open block device in bytes, of which fstat(2) says nothing.
///
/// # Errors
/// As lseek(2).
pub fn size_of(mut device: &File) -> io::Result<u64> {
    device.seek(SeekFrom::End(0))
}

/// What is recorded of the device with a number, `major:minor`.
#[must_use]
pub fn recorded(roots: &Roots, number: &str) -> Device {
    entry_of(roots, number).map(|place| read_device(&place)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::stack::tree::Tree;

    #[test]
    fn a_disk_tells_its_partitions_and_a_partition_its_disk() {
        let tree = Tree::of("partition");
        tree.add("sys/dev/block/8:0/ro = 0\nsys/dev/block/8:0/removable = 1\nsys/dev/block/8:2/ro = 1");
        let disk = facts_of(&tree.roots, "8:0").unwrap();
        assert_eq!((disk.name.as_str(), disk.disk, disk.partitions), ("sda", None, vec!["sda1".to_owned(), "sda2".to_owned()]));
        assert_eq!((disk.bytes, disk.is_read_only, disk.is_removable), (1_953_525_168 * 512, false, true));
        let partition = facts_of(&tree.roots, "8:2").unwrap();
        assert_eq!((partition.name.as_str(), partition.disk.as_deref()), ("sda2", Some("8:0")));
        assert_eq!((partition.bytes, partition.is_read_only, partition.is_removable), (1_024_000 * 512, true, true));
        assert_eq!(partition.to_string(), "sda2, EXAMPLE HDD 4000, 500 MiB, removable");
        assert_eq!((partition.model.as_deref(), partition.partitions), (Some("EXAMPLE HDD 4000"), Vec::new()));
    }

    #[test]
    fn what_is_not_told_is_an_error() {
        let tree = Tree::of("partition");
        assert!(facts_of(&tree.roots, "8:1").unwrap_err().to_string().contains("whether it may be written to"));
        assert_eq!(facts_of(&tree.roots, "9:9").unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn only_block_devices_are_opened() {
        let roots = Roots::of_this_machine();
        for other in ["/dev/null", "/proc/self/mountinfo", "/proc"] {
            assert!(matches!(number_at(&roots, Path::new(other)), Err(Sight::Place(_))), "{other}");
            assert_eq!(probe_exclusively(Path::new(other), "1:3").unwrap_err().kind(), io::ErrorKind::InvalidInput, "{other}");
        }
        assert_eq!(number_at(&roots, Path::new("/no/such/device")), Err(Sight::Missing));
    }
}
