//! Which block devices are meant, under which names, and what is known of them; nothing is opened but to be read.

use crate::cli::exit::usage;
use crate::cli::places::split;
use crate::model::device_places::least_bytes;
use crate::model::machine::{Device, DirectIo};
use crate::model::printable::printable;
use crate::model::settings::Settings;
use crate::model::stack::{Bottom, Layer};
use crate::sys::block_device::{BlockDevice, facts_of, node_of, number_at, recorded};
use crate::sys::block_use::uses;
use crate::sys::stack::backing::has_holes;
use crate::sys::stack::{Found, Roots, Sight, Thing, find_below};
use crate::target::device::DeviceTarget;
use crate::target::ground::plain_error;
use crate::units::{exact_size, rounded_size};
use anyhow::bail;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

/// A device that is to be read.
#[derive(Debug)]
pub struct Named {
    /// Its name in every report.
    pub label: String,
    /// The path as it was typed.
    pub path: PathBuf,
    /// The kernel's own node of it: a link could lead elsewhere by the time it is opened.
    pub node: PathBuf,
    /// Which one it is, `major:minor`.
    pub number: String,
    /// Its size.
    pub bytes: u64,
    /// What is recorded of it.
    pub recorded: Device,
    /// How direct I/O must be aligned on it, where the kernel tells.
    pub direct_io: Option<DirectIo>,
}

/// The devices of the arguments.
///
/// # Errors
/// When one is missing, is no block device, is too small or may not be read; as a usage error when two have the same name, or are one.
pub fn find(arguments: &[OsString], settings: &Settings) -> anyhow::Result<Vec<Named>> {
    let roots = Roots::of_this_machine();
    let mut found: Vec<Named> = Vec::new();
    for argument in arguments {
        let (label, path) = split(argument);
        let device = one(&roots, label, path, settings)?;
        if let Some(other) = found.iter().find(|other| other.number == device.number) {
            let (one, two) = (other.path.display(), device.path.display());
            return Err(usage(format!("{one} and {two} are the same device: name it once")));
        }
        if found.iter().any(|other| printable(&other.label) == printable(&device.label)) {
            let name = printable(&device.label);
            return Err(usage(format!("two devices have the name `{name}`: give each its own, as in a=/dev/X b=/dev/Y")));
        }
        found.push(device);
    }
    Ok(found)
}

fn one(roots: &Roots, label: Option<String>, path: PathBuf, settings: &Settings) -> anyhow::Result<Named> {
    let shown = path.display().to_string();
    if label.as_ref().is_some_and(|label| label.trim().is_empty()) {
        return Err(usage(format!("{shown}: the name before `=` is empty")));
    }
    let number = number_at(roots, &path).or_else(|sight| bail!("{shown}: {}", no_device(&path, &sight)))?;
    let facts = facts_of(roots, &number).map_err(|error| anyhow::anyhow!("{shown}: is not known: {}", plain_error(&error)))?;
    if facts.bytes == 0 {
        bail!("{shown}: has 0 bytes: a drive without a medium, or a loop device without a file; name another one");
    }
    let node = node_of(roots, &number).map_err(|error| anyhow::anyhow!("{shown}: {}", plain_error(&error)))?;
    let opened = DeviceTarget::of(&node, &number, Vec::new()).or_else(|error| bail!("{shown}: {}", not_opened(&error)))?;
    let direct_io = opened.direct_io();
    if let Some(problem) = unfit(&facts, direct_io, settings) {
        bail!("{shown}: {problem}");
    }
    let label = label.unwrap_or_else(|| facts.name.clone());
    Ok(Named { label, path, node, bytes: facts.bytes, recorded: recorded(roots, &number), direct_io, number })
}

/// What is there instead of a device, and what to do.
fn no_device(path: &Path, sight: &Sight) -> String {
    match sight {
        Sight::Missing => "there is nothing of this name; `lsblk` lists the devices, which are named as in /dev/sda".to_owned(),
        Sight::Hidden => "it may not be looked at; run barrow as root".to_owned(),
        Sight::Place(_) | Sight::Device(_) if path.is_dir() => {
            format!("is a directory, and no block device; `barrow run {}` measures it", path.display())
        }
        Sight::Place(_) | Sight::Device(_) => "is no block device; `lsblk` lists the devices".to_owned(),
    }
}

fn not_opened(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::PermissionDenied => "may not be read; run barrow as root, or as a member of its group, often `disk`".to_owned(),
        _ => format!("cannot be opened to be read: {}", plain_error(error)),
    }
}

/// Why the work does not fit on a device. The work is fixed: places never shrink by themselves.
fn unfit(facts: &BlockDevice, direct_io: Option<DirectIo>, settings: &Settings) -> Option<String> {
    let chunk_size = settings.chunk_size;
    if let Some(direct_io) = direct_io.filter(|direct_io| !chunk_size.is_multiple_of(direct_io.offset_alignment)) {
        let alignment = exact_size(direct_io.offset_alignment);
        return Some(format!("chunk_size = {} is not a multiple of {alignment}, in which it is read directly", exact_size(chunk_size)));
    }
    let least = least_bytes(settings);
    if facts.bytes >= least {
        return None;
    }
    let whole_chunks = |count: u64| facts.bytes / count.max(1) / chunk_size * chunk_size;
    let smaller =
        [("place_size", settings.place_size, whole_chunks(3)), ("sweep_size", settings.sweep_size, whole_chunks(settings.sweep_places))];
    let is_used = |key: &str| key == "place_size" || settings.sweep_places > 0;
    let changes: Vec<String> = smaller
        .iter()
        .filter(|(key, size, most)| is_used(key) && size > most)
        .map(|(key, _, most)| format!("--set {key}={}", exact_size(*most)))
        .collect();
    let advice = if smaller.iter().any(|(key, _, most)| is_used(key) && *most == 0) {
        "it is too small to be measured in such chunks".to_owned()
    } else {
        format!("read less of it, as in {}", changes.join(" "))
    };
    Some(format!("has {}, and the places that are read need {}; {advice}", rounded_size(facts.bytes), rounded_size(least)))
}

impl Named {
    /// What the user should know of it before it is read; `no_drops` says why nobody can drop the system's caches.
    pub fn cautions(&self, no_drops: Option<&str>) -> Vec<String> {
        let roots = Roots::of_this_machine();
        // Advice only: what is not known is not said.
        let used = uses(&roots, &self.number).unwrap_or_default();
        let mut said: Vec<String> =
            used.iter().map(|used| format!("{used}: what others read and write there slows what is measured")).collect();
        said.extend(below_cautions(&find_below(&roots, &self.number), no_drops));
        said
    }
}

/// The same of what it stands on.
fn below_cautions(found: &Found, no_drops: Option<&str>) -> Vec<String> {
    let mut said = Vec::new();
    let files = found.chain.iter().filter_map(|link| match &link.thing {
        Thing::File { path, is_deleted: false } => Some(path),
        _ => None,
    });
    if files.into_iter().any(|path| has_holes(path) == Some(true)) {
        said.push("the file below it has holes: what was never written is read from nowhere, faster than any device".to_owned());
    }
    if found.stack.bottom == Bottom::Memory {
        said.push("it lies in memory: every number is one of memory, not of a device".to_owned());
    }
    let is_loop = found.stack.devices.first().is_some_and(|device| device.layer == Layer::Loop);
    said.extend(no_drops.filter(|_| is_loop).map(|reason| format!("{reason}: what is in memory of the file below it is not evicted")));
    said
}
