//! Block devices of the user's, on which the lab may write only when nothing of value is lost: named twice, used by nobody, empty.

mod refusal;

#[cfg(test)]
mod tests;

pub use refusal::DeviceRefusal;

use super::variant::{Ground, Variant};
use crate::sys::block_device::{BlockDevice, facts_of, node_of, number_at, probe_exclusively};
use crate::sys::block_use::{opened_by, uses};
use crate::sys::signatures::{self, Signature, SignatureError, signatures_on};
use crate::sys::stack::{Roots, Sight};
use std::fs;
use std::io;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// How long a device may still be open somewhere when nothing uses it.
const PATIENCE: Duration = Duration::from_secs(2);
/// How often it is looked at meanwhile.
const LOOK: Duration = Duration::from_millis(50);

/// A device that may be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Device {
    /// As the user typed it, which may be a symbolic link.
    pub path: PathBuf,
    /// The kernel's own node of it, by which alone it is used: a link could lead elsewhere by then.
    pub node: PathBuf,
    /// Which one it is, `major:minor`.
    pub number: String,
    /// What /sys tells of it.
    pub facts: BlockDevice,
    /// What is on it, and is lost. For showing only: labels are never recorded.
    pub content: Vec<Signature>,
}

/// How a device is looked at; other machines can be looked at in tests.
struct Eyes {
    roots: Roots,
    /// Whether nobody holds it.
    probe: fn(&Path, &str) -> io::Result<()>,
    /// How long somebody who only looks in may take: programs open devices for a moment, and what serves a filesystem ends after it.
    patience: Duration,
    /// What is on it.
    content: fn(&Path) -> Result<Vec<Signature>, SignatureError>,
}

/// The devices that each variant is made on, for [`check`].
#[must_use]
pub fn wanted_by(variants: &[Variant]) -> Vec<&[PathBuf]> {
    let devices = variants.iter().filter_map(|variant| match &variant.ground {
        Ground::Devices(devices) => Some(devices.as_slice()),
        Ground::Image { .. } => None,
    });
    devices.collect()
}

/// Whether the devices that variants want may be used: each is also named, letter by letter, among those to destroy; nothing uses it, its
/// partitions or its disk; it can be written to; and it is empty, unless it is to be wiped. Several variants may share a device. Nothing
/// is written, and no device is opened for writing.
///
/// # Errors
/// Every reason against it, of all devices.
pub fn check(wanted: &[&[PathBuf]], destroy: &[PathBuf], wipe: bool) -> Result<Vec<Device>, Vec<DeviceRefusal>> {
    let eyes = Eyes::of_this_machine();
    let (mut settled, mut refusals) = (Vec::new(), Vec::new());
    for device in eyes.check(wanted, destroy, wipe)? {
        match eyes.settled(device, wipe) {
            Ok(device) => settled.push(device),
            Err(refusal) => refusals.push(refusal),
        }
    }
    if refusals.is_empty() { Ok(settled) } else { Err(refusals) }
}

/// The variants with the nodes of the devices that were checked in place of the paths that the user typed.
#[must_use]
pub fn on_nodes(variants: Vec<Variant>, devices: &[Device]) -> Vec<Variant> {
    let node =
        |path: PathBuf| devices.iter().find(|device| are_spelled_alike(&device.path, &path)).map_or(path, |device| device.node.clone());
    let settled = variants.into_iter().map(|variant| match variant.ground {
        Ground::Devices(paths) => Variant { ground: Ground::Devices(paths.into_iter().map(node).collect()), ..variant },
        Ground::Image { .. } => variant,
    });
    settled.collect()
}

/// Whether a device that was checked still is the same one and used by nobody. To be called right before each mkfs.
///
/// # Errors
/// When the path leads to another device, or something uses it by now.
pub fn recheck(path: &Path, number: &str) -> Result<(), DeviceRefusal> {
    Eyes::of_this_machine().recheck(path, number)
}

/// Wipes every signature on a device that was checked: what mkfs leaves of another filesystem, or of a RAID at the end of the device,
/// would make programs doubt what is on it. To be called before the first mkfs only.
///
/// # Errors
/// As [`recheck`]; when wipefs fails.
pub fn wipe(path: &Path, number: &str, stop: &AtomicBool) -> Result<(), DeviceRefusal> {
    recheck(path, number)?;
    signatures::wipe(path, stop).map_err(|error| DeviceRefusal::NotWiped { path: path.to_owned(), error })
}

/// Whether two paths are spelled alike; `Path` would take `/dev//sda` for `/dev/sda`.
fn are_spelled_alike(one: &Path, other: &Path) -> bool {
    one.as_os_str() == other.as_os_str()
}

impl Eyes {
    fn of_this_machine() -> Self {
        Self { roots: Roots::of_this_machine(), probe: probe_exclusively, patience: PATIENCE, content: signatures_on }
    }

    fn check(&self, wanted: &[&[PathBuf]], destroy: &[PathBuf], wipe: bool) -> Result<Vec<Device>, Vec<DeviceRefusal>> {
        let (mut devices, mut refusals) = (Vec::new(), Vec::new());
        let mut seen: Vec<&Path> = Vec::new();
        for path in wanted.iter().copied().flatten() {
            if seen.iter().any(|known| are_spelled_alike(known, path)) {
                continue;
            }
            seen.push(path);
            match self.look(path) {
                Err(refusal) => refusals.push(refusal),
                Ok((number, facts)) => match self.allowed(path, &number, &facts, destroy, wipe) {
                    Err(reasons) => refusals.extend(reasons),
                    Ok(content) => devices.push(Device { path: path.clone(), node: path.clone(), number, facts, content }),
                },
            }
        }
        refusals.extend(wanted.iter().filter_map(|variant| self.named_twice(variant)));
        refusals.extend(self.parts_of_each_other(&seen));
        refusals.extend(destroy.iter().filter_map(|path| self.not_planned(path, &seen)));
        if refusals.is_empty() { Ok(devices) } else { Err(refusals) }
    }

    /// The same by its node. Between the looks at a link it may have led elsewhere, so that its content is looked at once more.
    fn settled(&self, device: Device, wipe: bool) -> Result<Device, DeviceRefusal> {
        let node = node_of(&self.roots, &device.number).map_err(|error| DeviceRefusal::Unknown { path: device.path.clone(), error })?;
        let content = self.empty(&node, &device.facts, wipe)?;
        Ok(Device { node, content, ..device })
    }

    fn recheck(&self, path: &Path, number: &str) -> Result<(), DeviceRefusal> {
        match self.number(path) {
            Some(found) if found == number => self.used_by_nobody(path, number),
            Some(_) | None => Err(DeviceRefusal::Moved { path: path.to_owned() }),
        }
    }

    fn number(&self, path: &Path) -> Option<String> {
        number_at(&self.roots, path).ok()
    }

    /// Which device is at a path, where it is one that can be written to at all.
    fn look(&self, path: &Path) -> Result<(String, BlockDevice), DeviceRefusal> {
        let path = path.to_owned();
        if !path.is_absolute() {
            return Err(DeviceRefusal::Relative { path });
        }
        let number = match number_at(&self.roots, &path) {
            Ok(number) => number,
            Err(Sight::Missing) => return Err(DeviceRefusal::Missing { path }),
            Err(Sight::Hidden) => return Err(DeviceRefusal::Hidden { path }),
            Err(Sight::Place(_) | Sight::Device(_)) => return Err(DeviceRefusal::NoBlockDevice { kind: kind_of(&path), path }),
        };
        match facts_of(&self.roots, &number) {
            Err(error) => Err(DeviceRefusal::Unknown { path, error }),
            Ok(facts) => Ok((number, facts)),
        }
    }

    /// What is on a device that may be used; else everything that speaks against it. One that is in use is never advised to be destroyed.
    fn allowed(
        &self,
        path: &Path,
        number: &str,
        facts: &BlockDevice,
        destroy: &[PathBuf],
        wipe: bool,
    ) -> Result<Vec<Signature>, Vec<DeviceRefusal>> {
        self.writable(path, facts).and_then(|()| self.used_by_nobody(path, number)).map_err(|refusal| vec![refusal])?;
        let repeated = self.repeated(path, number, facts, destroy);
        let empty = self.empty(path, facts, wipe);
        match (repeated, empty) {
            (Ok(()), Ok(content)) => Ok(content),
            (repeated, empty) => Err(repeated.err().into_iter().chain(empty.err()).collect()),
        }
    }

    fn writable(&self, path: &Path, facts: &BlockDevice) -> Result<(), DeviceRefusal> {
        if facts.bytes == 0 {
            return Err(DeviceRefusal::Empty { path: path.to_owned() });
        }
        if facts.is_read_only {
            return Err(DeviceRefusal::ReadOnly { path: path.to_owned() });
        }
        Ok(())
    }

    /// Whether nothing uses a device, or ceases to within a moment.
    fn used_by_nobody(&self, path: &Path, number: &str) -> Result<(), DeviceRefusal> {
        let begun = Instant::now();
        loop {
            match self.used_now(path, number) {
                Err(refusal) if refusal.may_pass() && begun.elapsed() < self.patience => std::thread::sleep(LOOK),
                result => return result,
            }
        }
    }

    /// By what the kernel lists, which can be named; then by opening it, which finds the rest.
    fn used_now(&self, path: &Path, number: &str) -> Result<(), DeviceRefusal> {
        let used = uses(&self.roots, number).map_err(|error| DeviceRefusal::Unknown { path: path.to_owned(), error })?;
        if !used.is_empty() {
            return Err(DeviceRefusal::Used { path: path.to_owned(), used });
        }
        (self.probe)(path, number).map_err(|error| match error.kind() {
            io::ErrorKind::ResourceBusy => DeviceRefusal::Held { path: path.to_owned(), by: opened_by(&self.roots, number) },
            io::ErrorKind::PermissionDenied => DeviceRefusal::Hidden { path: path.to_owned() },
            _ => DeviceRefusal::Unknown { path: path.to_owned(), error },
        })
    }

    /// Whether the user has named the device a second time, in the same letters.
    fn repeated(&self, path: &Path, number: &str, facts: &BlockDevice, destroy: &[PathBuf]) -> Result<(), DeviceRefusal> {
        if destroy.iter().any(|repeated| are_spelled_alike(repeated, path)) {
            return Ok(());
        }
        let otherwise = destroy.iter().find(|repeated| self.number(repeated).as_deref() == Some(number));
        Err(match otherwise {
            Some(spelled) => DeviceRefusal::SpelledOtherwise { path: path.to_owned(), spelled: spelled.clone() },
            None => DeviceRefusal::NotRepeated { path: path.to_owned(), facts: Box::new(facts.clone()) },
        })
    }

    /// What is on a device, where it is empty or to be wiped.
    fn empty(&self, path: &Path, facts: &BlockDevice, wipe: bool) -> Result<Vec<Signature>, DeviceRefusal> {
        match (self.content)(path) {
            Ok(content) if wipe || (content.is_empty() && facts.partitions.is_empty()) => Ok(content),
            Ok(content) => Err(DeviceRefusal::Content { path: path.to_owned(), facts: Box::new(facts.clone()), content }),
            // Wiping needs the program too; what it would have told is lost in any case.
            Err(error @ (SignatureError::NoProgram(_) | SignatureError::Path)) => {
                Err(DeviceRefusal::ContentUnknown { path: path.to_owned(), error })
            }
            Err(SignatureError::Program(_) | SignatureError::Answer(_)) if wipe => Ok(Vec::new()),
            Err(error @ (SignatureError::Program(_) | SignatureError::Answer(_))) => {
                Err(DeviceRefusal::ContentUnknown { path: path.to_owned(), error })
            }
        }
    }

    /// The first device that a variant names a second time, by whatever path.
    fn named_twice(&self, variant: &[PathBuf]) -> Option<DeviceRefusal> {
        let is_same = |one: &Path, other: &Path| {
            are_spelled_alike(one, other) || self.number(one).is_some_and(|number| self.number(other) == Some(number))
        };
        variant.iter().enumerate().find_map(|(place, again)| {
            let first = variant[..place].iter().find(|first| is_same(first, again))?;
            Some(DeviceRefusal::NamedTwice { path: first.clone(), again: again.clone() })
        })
    }

    /// The first partition of the plan whose disk is in the plan too: making one takes the other away.
    fn parts_of_each_other(&self, paths: &[&Path]) -> Option<DeviceRefusal> {
        let numbered: Vec<(&Path, String)> = paths.iter().filter_map(|path| Some((*path, self.number(path)?))).collect();
        numbered.iter().find_map(|(partition, number)| {
            let disk_number = facts_of(&self.roots, number).ok()?.disk?;
            let (disk, _) = numbered.iter().find(|(_, other)| *other == disk_number)?;
            Some(DeviceRefusal::PartOfAnother { disk: disk.to_path_buf(), partition: partition.to_path_buf() })
        })
    }

    /// A device to destroy that no variant names, by whatever path.
    fn not_planned(&self, path: &Path, wanted: &[&Path]) -> Option<DeviceRefusal> {
        let number = self.number(path);
        let is_planned = |other: &&Path| are_spelled_alike(path, other) || (number.is_some() && self.number(other) == number);
        (!wanted.iter().any(is_planned)).then(|| DeviceRefusal::NotPlanned { path: path.to_owned() })
    }
}

/// What lies at a path that is no block device.
fn kind_of(path: &Path) -> &'static str {
    match fs::metadata(path).map(|facts| facts.file_type()) {
        Ok(kind) if kind.is_dir() => "a directory",
        Ok(kind) if kind.is_file() => "a regular file",
        Ok(kind) if kind.is_char_device() => "a character device",
        Ok(_) | Err(_) => "something else",
    }
}
