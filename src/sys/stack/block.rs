//! One block device by its directory in /sys (Linux, Documentation/ABI/stable/sysfs-block): what it is, and what it stands on.

use super::DeviceFacts;
use crate::model::stack::{Layer, StackDevice};
use crate::sys::mounts::read_device;
use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

/// What a block device stands on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Below {
    /// Nothing that this kernel can see.
    Nothing,
    /// Memory of this machine.
    Memory,
    /// Other block devices, by their directories.
    Devices(Vec<PathBuf>),
    /// A file, by the path that the kernel tells.
    File(PathBuf),
    /// It must stand on something, which is not told.
    Hidden,
}

/// The kernel's name of a device.
pub fn name_of(place: &Path) -> String {
    place.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// The disk that a partition is a part of; `None` for what is no partition.
pub fn disk_of(place: &Path) -> Option<&Path> {
    place.join("partition").exists().then(|| place.parent()).flatten()
}

fn read(path: &Path) -> Option<String> {
    fs::read_to_string(path).ok().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// Whether a name is a word and a number: `ram0`, `bcache12`.
fn is_numbered(name: &str, word: &str) -> bool {
    name.strip_prefix(word).is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// What kind of device it is: by the directory that its driver makes, else by its name.
pub fn layer_of(place: &Path) -> Layer {
    let name = name_of(place);
    if place.join("partition").exists() {
        Layer::Partition
    } else if place.join("dm").exists() {
        Layer::Mapper
    } else if place.join("md").exists() {
        Layer::Raid
    } else if is_numbered(&name, "bcache") {
        // The devices below have a directory `bcache` too.
        Layer::Bcache
    } else if is_numbered(&name, "loop") {
        Layer::Loop
    } else if is_numbered(&name, "zram") || is_numbered(&name, "ram") {
        Layer::Memory
    } else {
        Layer::Disk
    }
}

/// What a device stands on.
pub fn below(place: &Path) -> Below {
    match layer_of(place) {
        Layer::Partition => match disk_of(place) {
            Some(disk) if below(disk) != Below::Nothing => Below::Devices(vec![disk.to_owned()]),
            Some(_) | None => Below::Nothing,
        },
        Layer::Loop => backing_file(place).map_or(Below::Hidden, Below::File),
        Layer::Memory => memory(place),
        Layer::Mapper | Layer::Raid | Layer::Bcache => members(place).map_or(Below::Hidden, Below::Devices),
        Layer::Disk => members(place).map_or(Below::Nothing, Below::Devices),
    }
}

/// A compressed disk in memory can put pages away to a device (`backing_dev`); what it then stands on is both.
fn memory(place: &Path) -> Below {
    match read(&place.join("backing_dev")) {
        Some(device) if device != "none" => Below::Hidden,
        Some(_) | None => Below::Memory,
    }
}

/// The devices below, in the order of their names; `None` where there are none.
fn members(place: &Path) -> Option<Vec<PathBuf>> {
    let entries = fs::read_dir(place.join("slaves")).ok()?;
    let mut members: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    members.sort();
    (!members.is_empty()).then_some(members)
}

/// The file of a loop device: its path, as bytes, and one line feed.
fn backing_file(place: &Path) -> Option<PathBuf> {
    let mut text = fs::read(place.join("loop/backing_file")).ok()?;
    if text.last() == Some(&b'\n') {
        text.pop();
    }
    (!text.is_empty()).then(|| PathBuf::from(OsString::from_vec(text)))
}

/// What is known of a device.
pub fn facts_of(place: &Path) -> DeviceFacts {
    let layer = layer_of(place);
    let queue = disk_of(place).unwrap_or(place).join("queue");
    DeviceFacts {
        layer,
        title: title(place, layer),
        facts: read_device(place),
        is_counted: read(&queue.join("iostats")).as_deref() == Some("1"),
        direct_io: (layer == Layer::Loop).then(|| read(&place.join("loop/dio"))).flatten().map(|text| text == "1"),
    }
}

/// The same as it is recorded.
pub fn recorded(place: &Path, facts: &DeviceFacts) -> StackDevice {
    let is_leaf = match below(place) {
        Below::Nothing | Below::Memory => true,
        Below::Devices(_) | Below::File(_) | Below::Hidden => false,
    };
    StackDevice {
        name: name_of(place),
        layer: facts.layer,
        is_leaf,
        is_counted: facts.is_counted,
        write_cache: facts.facts.write_cache.clone(),
        rotational: facts.facts.rotational,
        direct_io: facts.direct_io,
    }
}

fn title(place: &Path, layer: Layer) -> Option<String> {
    match layer {
        Layer::Mapper => {
            let name = read(&place.join("dm/name"))?;
            let kind = read(&place.join("dm/uuid")).and_then(|uuid| mapped_kind(&uuid));
            Some(kind.map_or_else(|| name.clone(), |kind| format!("{name}, {kind}")))
        }
        Layer::Raid => read(&place.join("md/level")),
        Layer::Disk | Layer::Partition | Layer::Bcache | Layer::Loop | Layer::Memory => None,
    }
}

/// Who made a mapped device: the word before the first `-` of its id, as in `CRYPT-LUKS2-…`.
fn mapped_kind(uuid: &str) -> Option<&'static str> {
    match uuid.split_once('-')?.0 {
        "LVM" => Some("LVM"),
        "CRYPT" => Some("encrypted"),
        "mpath" => Some("multipath"),
        _ => None,
    }
}
