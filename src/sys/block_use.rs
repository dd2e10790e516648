//! What uses a block device: itself, its partitions, its disk, and what it stands on. Pure over the trees of /proc and /sys.

mod mounted;
mod opened;

#[cfg(test)]
mod tests;

use super::block_device::{entry_of, partitions_of};
use super::mounts::unescape;
use super::processes::Process;
use super::stack::block::{self, Below};
use super::stack::{Roots, Sight, device_at};
use crate::model::printable::printable;
use crate::model::stack::Layer;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// No machine stacks more devices.
const DEEPEST: usize = 32;

/// How a device is used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Use {
    /// A filesystem on it is mounted.
    Mounted {
        /// Where.
        mount_point: PathBuf,
        /// A process that sees it there, where this one does not.
        seen_by: Option<Process>,
    },
    /// The kernel puts memory away to it.
    Swap,
    /// Another device, or a driver, stands on it.
    Held {
        /// The kernel's name, and what it is called besides: `dm-0 (vg0-root, LVM)`.
        by: String,
    },
    /// A btrfs that is mounted somewhere has it among its devices.
    Btrfs,
    /// A process has it open to write to it.
    Opened(Process),
}

impl fmt::Display for Use {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mounted { mount_point, seen_by } => {
                write!(f, "mounted at {}", printable(&mount_point.to_string_lossy()))?;
                seen_by.as_ref().map_or(Ok(()), |process| write!(f, ", as {process} sees it"))
            }
            Self::Swap => f.write_str("used as swap"),
            Self::Held { by } => write!(f, "held by {}", printable(by)),
            Self::Btrfs => f.write_str("one of the devices of a mounted btrfs"),
            Self::Opened(process) => write!(f, "open for writing in {process}"),
        }
    }
}

/// Which device it is that is used, seen from the one that was asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The device itself.
    Itself,
    /// A partition of it.
    Partition,
    /// The disk that it is a partition of.
    Disk,
    /// Another partition of that disk, which lies on the same blocks.
    Overlapping,
    /// A device that it stands on.
    Below,
}

/// A device in use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Used {
    /// Which one, seen from the device that was asked about.
    pub part: Part,
    /// The kernel's name of it.
    pub name: String,
    /// How it is used.
    pub how: Use,
}

impl fmt::Display for Used {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { part, name, how } = self;
        match part {
            Part::Itself => write!(f, "it is {how}"),
            Part::Partition => write!(f, "its partition {name} is {how}"),
            Part::Disk => write!(f, "its disk {name} is {how}"),
            Part::Overlapping => write!(f, "{name}, which lies on the same blocks, is {how}"),
            Part::Below => write!(f, "{name}, on which it stands, is {how}"),
        }
    }
}

/// A device, by its directory in /sys, and one way in which it is used.
struct Taken {
    place: PathBuf,
    how: Use,
}

/// Everything that uses a device, its partitions, its disk, and a device on which it stands as a loop device. The number is
/// `major:minor`. A partition that is used does not stop another one of the same disk. Who holds a device in ways that /proc and /sys
/// do not show is only known by opening it exclusively.
///
/// # Errors
/// When /sys does not list the device, or what is mounted and swapped to cannot be read: then nobody knows that it is free.
pub fn uses(roots: &Roots, number: &str) -> io::Result<Vec<Used>> {
    let place = entry_of(roots, number)?;
    let taken = everything_taken(roots)?;
    let mut found = of_family(&taken, &place, None);
    found.extend(below(roots, &taken, &place, 0));
    Ok(found)
}

/// Every process that has a device open, in whatever way, as far as /proc shows it.
#[must_use]
pub fn opened_by(roots: &Roots, number: &str) -> Vec<Process> {
    let place = entry_of(roots, number).ok();
    let opened = opened::everything(roots).into_iter().filter(|opened| Some(&opened.place) == place.as_ref());
    let mut processes: Vec<Process> = opened.map(|opened| opened.process).collect();
    processes.dedup();
    processes
}

fn everything_taken(roots: &Roots) -> io::Result<Vec<Taken>> {
    let mut taken = mounted::everything(roots)?;
    taken.extend(swaps(roots)?);
    taken.extend(loops(roots)?);
    let btrfs = btrfs_devices(roots)?.into_iter().filter(|place| !taken.iter().any(|one| one.place == *place)).collect::<Vec<_>>();
    taken.extend(btrfs.into_iter().map(|place| Taken { place, how: Use::Btrfs }));
    let opened = opened::everything(roots).into_iter().filter(|opened| opened.is_for_writing);
    taken.extend(opened.map(|opened| Taken { place: opened.place, how: Use::Opened(opened.process) }));
    Ok(taken)
}

/// The entries of a directory of /proc or /sys; none where this kernel has no such directory.
fn entries(directory: &Path) -> io::Result<Vec<PathBuf>> {
    match fs::read_dir(directory) {
        Ok(entries) => Ok(entries.filter_map(|entry| Some(entry.ok()?.path())).collect()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(unread(directory, &error)),
    }
}

fn unread(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

/// The devices of /proc/swaps (proc_swaps(5)). A file in use as swap lies on a filesystem, which is mounted.
fn swaps(roots: &Roots) -> io::Result<Vec<Taken>> {
    let path = roots.proc.join("swaps");
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        // This kernel has no swap.
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(unread(&path, &error)),
    };
    let names = text.lines().skip(1).filter_map(|line| line.split_whitespace().next());
    let places = names.filter_map(|name| device_at(roots, &String::from_utf8_lossy(&unescape(name))));
    Ok(places.map(|place| Taken { place, how: Use::Swap }).collect())
}

/// The block devices below loop devices: a loop device does not hold what it stands on.
fn loops(roots: &Roots) -> io::Result<Vec<Taken>> {
    let taken = |entry: PathBuf| {
        let upper = entry.canonicalize().ok()?;
        let place = device_below(roots, &upper)?;
        Some(Taken { place, how: Use::Held { by: block::name_of(&upper) } })
    };
    Ok(entries(&roots.sys.join("dev/block"))?.into_iter().filter_map(taken).collect())
}

/// The block device that stands for the file of a loop device.
fn device_below(roots: &Roots, place: &Path) -> Option<PathBuf> {
    if block::layer_of(place) != Layer::Loop {
        return None;
    }
    match block::below(place) {
        Below::File(path) => match (roots.look)(&path) {
            Sight::Device(number) => entry_of(roots, &number).ok(),
            Sight::Missing | Sight::Hidden => device_at(roots, path.to_str()?),
            Sight::Place(_) => None,
        },
        Below::Nothing | Below::Memory | Below::Devices(_) | Below::Hidden => None,
    }
}

/// The devices of every btrfs that is mounted, whoever sees it.
fn btrfs_devices(roots: &Roots) -> io::Result<Vec<PathBuf>> {
    let mut devices = Vec::new();
    for filesystem in entries(&roots.sys.join("fs/btrfs"))? {
        devices.extend(entries(&filesystem.join("devices"))?.iter().filter_map(|entry| entry.canonicalize().ok()));
    }
    Ok(devices)
}

/// What uses a device and those that share blocks with it, but for one loop device that is known to stand on it.
fn of_family(taken: &[Taken], place: &Path, except: Option<&str>) -> Vec<Used> {
    let mut found = Vec::new();
    for (part, place) in family(place) {
        let name = block::name_of(&place);
        let hows = taken.iter().filter(|one| one.place == place).map(|one| one.how.clone()).chain(holders(&place));
        let hows = hows.filter(|how| except.is_none_or(|upper| *how != Use::Held { by: upper.to_owned() }));
        found.extend(hows.map(|how| Used { part, name: name.clone(), how }));
    }
    found
}

/// What uses the block device below a loop device, however deep that one lies. What other devices stand on is claimed by them, so that
/// nobody else can use it, and is shared among the volumes of a group.
fn below(roots: &Roots, taken: &[Taken], place: &Path, depth: usize) -> Vec<Used> {
    if depth > DEEPEST {
        return Vec::new();
    }
    if let Some(device) = device_below(roots, place) {
        let own = of_family(taken, &device, Some(&block::name_of(place))).into_iter().map(|used| Used { part: Part::Below, ..used });
        return own.chain(below(roots, taken, &device, depth + 1)).collect();
    }
    match block::below(place) {
        Below::Devices(members) => {
            let members = members.iter().filter_map(|member| member.canonicalize().ok());
            members.flat_map(|member| below(roots, taken, &member, depth + 1)).collect()
        }
        Below::Nothing | Below::Memory | Below::File(_) | Below::Hidden => Vec::new(),
    }
}

/// A device and all that share blocks with it: a disk and its partitions, a partition and its disk.
fn family(place: &Path) -> Vec<(Part, PathBuf)> {
    let itself = (Part::Itself, place.to_owned());
    let others = match block::disk_of(place) {
        None => partitions_of(place).into_iter().map(|partition| (Part::Partition, partition)).collect(),
        Some(disk) => {
            let siblings = partitions_of(disk).into_iter().filter(|sibling| sibling != place && overlap(sibling, place));
            std::iter::once((Part::Disk, disk.to_owned())).chain(siblings.map(|sibling| (Part::Overlapping, sibling))).collect::<Vec<_>>()
        }
    };
    std::iter::once(itself).chain(others).collect()
}

/// Whether two partitions of a disk have blocks in common, as an extended one and those in it may.
fn overlap(one: &Path, other: &Path) -> bool {
    let range = |place: &Path| {
        let number = |name: &str| fs::read_to_string(place.join(name)).ok()?.trim().parse::<u64>().ok();
        let start = number("start")?;
        Some(start..start.saturating_add(number("size")?))
    };
    range(one).zip(range(other)).is_some_and(|(one, other)| one.start < other.end && other.start < one.end)
}

/// What stands on a device by its own word: mapped devices, RAIDs, caches.
fn holders(place: &Path) -> Vec<Use> {
    let mut above: Vec<PathBuf> = entries(&place.join("holders")).unwrap_or_default();
    above.sort();
    let named = |entry: &PathBuf| {
        let name = block::name_of(entry);
        let title = entry.canonicalize().ok().and_then(|place| block::facts_of(&place).title);
        Use::Held { by: title.map_or_else(|| name.clone(), |title| format!("{name} ({title})")) }
    };
    // A device that was given to bcache, before a cache device stands on it. One that bcache made has such a directory too.
    let is_given = place.join("bcache").exists() && block::layer_of(place) != Layer::Bcache && above.is_empty();
    above.iter().map(named).chain(is_given.then(|| Use::Held { by: "bcache".to_owned() })).collect()
}
