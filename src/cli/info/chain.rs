//! The chain of `barrow info`: what stands on what, and where data may be kept on the way.

use super::Facts;
use super::page::{row, safe_wrap};
use crate::model::machine::{Device, FilesystemClass};
use crate::model::stack::{Bottom, Layer, StackDevice};
use crate::report::lines::blanks;
use crate::sys::stack::{DeviceFacts, Found, Link, Thing};
use crate::units::rounded_size;

/// A deep chain is not indented further, so that its words have room.
const DEEPEST_INDENT: usize = 30;

/// The chain, each thing indented below what stands on it. The filesystem itself is named above.
pub fn chain_lines(found: &Found) -> Vec<String> {
    let below = found.chain.iter().filter(|link| link.depth > 0);
    below.flat_map(|link| link_lines(found, link)).collect()
}

fn link_lines(found: &Found, link: &Link) -> Vec<String> {
    let indent = (2 * link.depth).min(DEEPEST_INDENT);
    let text = match &link.thing {
        Thing::Mount { mount_point, kind } => format!("{kind}, mounted on {}", mount_point.display()),
        Thing::File { path, is_deleted: false } => format!("the file {}", path.display()),
        Thing::File { path, is_deleted: true } => format!("the file {}, which has lost its name", path.display()),
        Thing::Device(device) => device_words(device, is_divided(found, link)),
        Thing::Again { name } => format!("{name}, as above"),
        Thing::Memory => "memory of this machine".to_owned(),
        Thing::Server => "a server".to_owned(),
        Thing::Process => "a process of this machine".to_owned(),
        Thing::Unknown { reason } => format!("not found: {reason}"),
    };
    safe_wrap(&text, &blanks(indent), &blanks(indent + 4))
}

/// Whether the next thing is the disk of this partition, which then shows what belongs to the disk.
fn is_divided(found: &Found, link: &Link) -> bool {
    let place = found.chain.iter().position(|other| std::ptr::eq(other, link));
    let next = place.and_then(|place| found.chain.get(place + 1));
    next.is_some_and(|next| next.depth == link.depth + 1 && matches!(next.thing, Thing::Device(_)))
}

fn device_words(device: &DeviceFacts, is_divided: bool) -> String {
    let facts = &device.facts;
    let name = facts.name.as_deref().unwrap_or("a device");
    let title = device.title.as_ref().map(|title| format!(" ({title})")).unwrap_or_default();
    let mut words = vec![format!("{name}: {}{title}", layer_words(device.layer))];
    words.extend(facts.size_bytes.map(rounded_size));
    if device.layer != Layer::Partition || !is_divided {
        words.extend(queue_words(facts));
        words.push(if device.is_counted { "iostats on" } else { "iostats off" }.to_owned());
    }
    words.extend(device.direct_io.map(|is_on| format!("direct I/O to its file {}", if is_on { "on" } else { "off" })));
    words.join(", ")
}

fn queue_words(facts: &Device) -> Vec<String> {
    let turning = facts.rotational.map(|is_so| if is_so { "the kernel says rotating" } else { "the kernel says not rotating" });
    let words = [
        facts.model.clone(),
        turning.map(str::to_owned),
        facts.scheduler.as_ref().map(|scheduler| format!("scheduler {scheduler}")),
        facts.read_ahead_bytes.map(|bytes| format!("readahead {}", rounded_size(bytes))),
        facts.write_cache.as_ref().map(|cache| format!("write cache {cache}")),
    ];
    words.into_iter().flatten().collect()
}

const fn layer_words(layer: Layer) -> &'static str {
    match layer {
        Layer::Disk => "disk",
        Layer::Partition => "partition",
        Layer::Mapper => "device mapper",
        Layer::Raid => "software RAID",
        Layer::Bcache => "cache device",
        Layer::Loop => "loop device",
        Layer::Memory => "disk in memory",
    }
}

/// Where data may be kept between barrow and the bottom, from above.
pub fn cache_lines(facts: &Facts) -> Vec<String> {
    let mut lines = own_cache(facts);
    lines.extend(facts.found.stack.devices.iter().filter_map(layer_cache).flat_map(|(name, text)| row(&name, &text)));
    if is_below_a_host(facts) {
        lines.extend(row("the host", "of this virtual machine may cache below its disks, which cannot be seen"));
    }
    lines
}

/// Whether what looks like devices here belongs to the host of a virtual machine.
pub fn is_below_a_host(facts: &Facts) -> bool {
    let ends_on_devices = match facts.found.stack.bottom {
        Bottom::Devices => true,
        Bottom::Unknown => !facts.found.stack.devices.is_empty(),
        Bottom::Memory | Bottom::Server | Bottom::Process => false,
    };
    ends_on_devices && facts.machine.inside.iter().any(|place| place == "virtual machine")
}

/// The caches that the class of the filesystem brings.
fn own_cache(facts: &Facts) -> Vec<String> {
    let page_cache = || row("page cache", "of this machine");
    match facts.filesystem.class {
        FilesystemClass::Block | FilesystemClass::Overlay | FilesystemClass::Other => page_cache(),
        FilesystemClass::Memory => row("page cache", "holds the data themselves: there is nothing below"),
        FilesystemClass::Network => [page_cache(), row("the server", "has caches of its own, which cannot be seen")].concat(),
        FilesystemClass::Fuse => [page_cache(), row("the process", "may keep what it likes, which cannot be seen")].concat(),
        FilesystemClass::Zfs => {
            let seen = if facts.has_arc { "counts what it answers" } else { "is not seen from here" };
            row("ARC", &format!("the cache of ZFS {seen}"))
        }
    }
}

fn layer_cache(device: &StackDevice) -> Option<(String, String)> {
    let text = match (device.layer, device.direct_io, device.write_cache.as_deref()) {
        (Layer::Loop, Some(true), _) => return None,
        (Layer::Loop, Some(false), _) => "goes through the page cache of the filesystem that holds its file".to_owned(),
        (Layer::Loop, None, _) => "does not say whether it passes the page cache below".to_owned(),
        (Layer::Bcache, _, _) => "keeps a part of its data on a faster device".to_owned(),
        (Layer::Disk | Layer::Partition, _, Some("write back")) => "the device's own, which must be flushed".to_owned(),
        (Layer::Disk | Layer::Partition, _, Some(_)) => "the device's own, if any, needs no flush, says the kernel".to_owned(),
        (Layer::Disk | Layer::Partition, _, None) => "the device's own, of which the kernel tells nothing".to_owned(),
        (Layer::Mapper | Layer::Raid | Layer::Memory, _, _) => return None,
    };
    Some((device.name.clone(), text))
}

/// Whether everything ends on devices whose transfers the kernel counts.
pub fn is_counted_to_the_bottom(found: &Found) -> bool {
    found.stack.bottom == Bottom::Devices && found.stack.leaves().all(|leaf| leaf.is_counted)
}
