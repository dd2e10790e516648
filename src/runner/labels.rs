//! The words that say what a number is worth, from evidence alone: where a phase was served from, whether its changes are on stable
//! storage, and whether direct I/O was had. Missing proof is never `cold` and never `durable`.

use crate::model::evidence::{Evidence, Watch};
use crate::model::label::{CacheLabel, Durability};
use crate::model::machine::{FilesystemClass, ObtainedIo};
use crate::model::phase::{Group, Phase, Reads};
use crate::model::settings::Io;
use crate::model::stack::{Bottom, Layer, Stack, StackDevice, Traffic};

/// At most this share is as good as none.
const NONE: f64 = 0.01;
/// At most this share came from elsewhere when all else came from here.
const LITTLE: f64 = 0.05;
/// At least this share is as good as all.
const ALL: f64 = 0.95;
/// The leaves read less than this share of what the process made storage read: a cache between them answered; from [`ALL`] on, none.
const BELOW: f64 = 0.5;
/// Of the bytes of a durable write, the share that a device must have moved to be the right one (zeros shrink to 1/28 on btrfs).
const MOVED: f64 = 1.0 / 32.0;
/// The leaves read more than this share beyond the process, and more than so many bytes: somebody else reads too.
const OTHERS_SHARE: f64 = 0.05;
/// Where the file of a loop device is read through a page cache, its readahead is as much.
const READAHEAD_SHARE: f64 = 0.5;
/// Metadata and readahead of others stay under this.
pub const OTHERS_BYTES: u64 = 8 << 20;
/// The least share of incompressible data that must have reached the device for it to be durable.
const DURABLE: f64 = 0.5;

/// What a run stands on, as far as it decides what its evidence is worth.
#[derive(Debug, Clone, Copy)]
pub struct Footing<'a> {
    /// How the filesystem keeps its data.
    pub class: FilesystemClass,
    /// The devices below.
    pub stack: &'a Stack,
    /// Whether the leaves moved with an earlier durable write of the same run.
    pub has_moved: bool,
    /// Whether a flush of this run is known to do something: a journal writes and flushes by itself every few seconds, so that the
    /// devices alone do not tell it of phases that write names only.
    pub flush_is_heard: bool,
}

impl Footing<'_> {
    /// What the leaves moved in a phase; `None` where that is not counted.
    pub fn leaves(&self, evidence: &Evidence) -> Option<Traffic> {
        self.stack.leaf_traffic(&evidence.devices)
    }

    /// The same, where the leaves are known to be those of this filesystem.
    fn known_leaves(&self, evidence: &Evidence) -> Option<Traffic> {
        self.leaves(evidence).filter(|_| self.has_moved)
    }

    /// Whether residency says what of a file is in memory: of FUSE and ZFS it says what the kernel keeps, and they have caches of
    /// their own.
    const fn shows_residency(&self) -> bool {
        match self.class {
            FilesystemClass::Block | FilesystemClass::Overlay | FilesystemClass::Network => true,
            FilesystemClass::Memory | FilesystemClass::Fuse | FilesystemClass::Zfs | FilesystemClass::Other => false,
        }
    }

    /// Whether something between the filesystem and the leaves could answer in their place.
    fn has_layers(&self) -> bool {
        self.stack.devices.iter().any(|device| !device.is_leaf) || self.class == FilesystemClass::Overlay
    }

    /// Whether the leaves read much more than the process made them read.
    pub fn others_read(&self, leaves: &Traffic, own_read_bytes: u64) -> bool {
        let others = leaves.read_bytes.saturating_sub(own_read_bytes);
        let reads_ahead = self.stack.devices.iter().any(|device| device.direct_io == Some(false));
        let share = if reads_ahead { READAHEAD_SHARE } else { OTHERS_SHARE };
        others > OTHERS_BYTES && others as f64 > share * leaves.read_bytes as f64
    }

    /// Whether somebody else reads, or moved the devices before and did not become quiet: then bytes of the leaves may be theirs.
    fn is_disturbed(&self, evidence: &Evidence, leaves: &Traffic) -> bool {
        let others_moved = evidence.before.is_some_and(|before| was_moving(&before));
        others_moved || evidence.own_read_bytes.is_some_and(|own| self.others_read(leaves, own))
    }

    /// Requests that the devices at the top read, each for one transfer that no cache answered.
    fn requests(&self, evidence: &Evidence) -> Option<u64> {
        let leaves = self.known_leaves(evidence)?;
        let top = evidence.devices.first()?;
        Some(top.reads.max(leaves.reads))
    }

    /// Whether the leaves moved with a durable write of so many bytes (0: only names were written).
    pub fn moved_with(&self, evidence: &Evidence, bytes: u64) -> bool {
        self.leaves(evidence).is_some_and(|leaves| leaves.written_bytes > 0 && leaves.written_bytes as f64 >= MOVED * bytes as f64)
    }
}

/// The shares of the bytes of a phase that came from here and there.
struct Shares {
    /// What the process made storage read.
    own: f64,
    /// What the leaves read; `None` where they are not known.
    leaf: Option<f64>,
    /// Whether the leaves read much more than that: somebody else reads too.
    has_others: bool,
}

impl Shares {
    fn of(footing: &Footing<'_>, evidence: &Evidence, bytes: u64) -> Option<Self> {
        let own_bytes = evidence.own_read_bytes?;
        let share = |part: u64| part as f64 / bytes.max(1) as f64;
        let leaves = footing.known_leaves(evidence);
        let has_others = leaves.is_some_and(|leaves| footing.is_disturbed(evidence, &leaves));
        Some(Self { own: share(own_bytes), leaf: leaves.map(|leaves| share(leaves.read_bytes)), has_others })
    }

    /// The share from the device, for `mixed`.
    fn mixed(&self) -> CacheLabel {
        let share = self.leaf.map_or(self.own, |leaf| leaf.min(self.own)) * 100.0;
        CacheLabel::Mixed(share.round().clamp(1.0, 99.0) as u8)
    }
}

/// Whether others moved the devices before a phase and went on: a MiB a second, but no single log line.
pub fn was_moving(before: &Watch) -> bool {
    let moving = (before.elapsed_ms * 1000).max(256 << 10);
    !before.is_quiet && before.moved_bytes >= moving
}

/// The cache label of a phase that read `bytes` bytes (0 where that is not known; for metadata: the least that a cold one must read) in `transfers` transfers, where
/// each is one request of the device unless a cache answers it; `None` for a phase that reads nothing.
pub fn cache_label(phase: Phase, footing: &Footing<'_>, evidence: &Evidence, bytes: u64, transfers: Option<u64>) -> Option<CacheLabel> {
    let label = match phase.row().reads {
        Reads::Nothing => return None,
        Reads::Data | Reads::Metadata if footing.class == FilesystemClass::Memory => memory_label(evidence),
        // What a program had to read is its own affair: what it read says nothing of what it did not have to.
        Reads::Data if bytes == 0 => CacheLabel::Unknown,
        Reads::Data => {
            let shares = Shares::of(footing, evidence, bytes);
            let label = shares.map_or(CacheLabel::Unknown, |shares| data_label(footing, evidence, &shares));
            with_requests(label, footing, evidence, transfers)
        }
        Reads::Metadata => Shares::of(footing, evidence, bytes).map_or(CacheLabel::Unknown, |shares| metadata_label(footing, &shares)),
    };
    Some(label)
}

/// A filesystem in memory can be swapped out: then the label is not known.
fn memory_label(evidence: &Evidence) -> CacheLabel {
    let is_resident = evidence.resident_before.is_none_or(|resident| resident >= ALL);
    let is_read = evidence.own_read_bytes.is_none_or(|bytes| bytes > 0);
    if is_resident && !is_read { CacheLabel::Memory } else { CacheLabel::Unknown }
}

fn data_label(footing: &Footing<'_>, evidence: &Evidence, shares: &Shares) -> CacheLabel {
    match evidence.resident_before.filter(|_| footing.shows_residency()) {
        Some(resident) if resident >= ALL && shares.own <= LITTLE => CacheLabel::Cached,
        // Nothing was in memory, and nothing was read: holes, data in the inode, or counters that are off.
        Some(resident) if resident <= NONE && shares.own <= NONE => CacheLabel::Unknown,
        Some(resident) if resident <= NONE => cold_label(footing, shares),
        Some(_) => shares.mixed(),
        None => without_residency(shares),
    }
}

/// What is called cold cannot have been read in far fewer requests than transfers: the others were answered by what those had brought
/// into memory (blocks or extents that are larger than a transfer).
fn with_requests(label: CacheLabel, footing: &Footing<'_>, evidence: &Evidence, transfers: Option<u64>) -> CacheLabel {
    let share = transfers.zip(footing.requests(evidence)).map(|(transfers, requests)| requests as f64 / transfers.max(1) as f64);
    match share {
        Some(share) if share < ALL && label.is_device_figure() => CacheLabel::Mixed((share * 100.0).round().clamp(1.0, 99.0) as u8),
        Some(_) | None => label,
    }
}

/// The label of data that was not in the page cache and that the process made storage read.
fn cold_label(footing: &Footing<'_>, shares: &Shares) -> CacheLabel {
    match (footing.stack.bottom, shares.leaf) {
        (Bottom::Memory, _) => CacheLabel::Memory,
        (Bottom::Server, _) => CacheLabel::ColdHere,
        (Bottom::Devices, Some(leaf)) if leaf < BELOW * shares.own.min(1.0) => CacheLabel::CachedBelow,
        // The leaves' bytes may be somebody else's, and a layer above them a cache.
        (Bottom::Devices, Some(_)) if footing.has_layers() && shares.has_others => CacheLabel::ColdUnproven,
        (Bottom::Devices, Some(leaf)) if leaf < ALL * shares.own.min(1.0) => shares.mixed(),
        (Bottom::Devices, Some(_)) => CacheLabel::Cold,
        (Bottom::Devices | Bottom::Process | Bottom::Unknown, _) => CacheLabel::ColdUnproven,
    }
}

/// Where residency says nothing, only both counters together prove anything.
fn without_residency(shares: &Shares) -> CacheLabel {
    match shares.leaf {
        Some(leaf) if shares.own >= ALL && leaf >= ALL && !shares.has_others => CacheLabel::Cold,
        Some(_) | None => CacheLabel::Unknown,
    }
}

/// Names and inodes have no residency: what the process made storage read is immune to others, and what the leaves read to caches
/// below, so that both must agree.
fn metadata_label(footing: &Footing<'_>, shares: &Shares) -> CacheLabel {
    let ends_on_devices = footing.stack.bottom == Bottom::Devices;
    let Some(leaf) = shares.leaf.filter(|_| footing.shows_residency() && ends_on_devices) else {
        return if footing.stack.bottom == Bottom::Memory && footing.shows_residency() { CacheLabel::Memory } else { CacheLabel::Unknown };
    };
    match shares.own {
        own if own <= NONE => CacheLabel::Cached,
        own if leaf < BELOW * own.min(1.0) => CacheLabel::CachedBelow,
        own if own >= ALL && leaf >= ALL && footing.has_layers() && shares.has_others => CacheLabel::ColdUnproven,
        own if own >= ALL && leaf >= ALL => CacheLabel::Cold,
        _ => shares.mixed(),
    }
}

/// Whether what a phase changed was on stable storage when its clock stopped; `None` for a phase that changes nothing. `data_bytes` are
/// the bytes that cannot be compressed or shared and that it must have written.
pub fn durability(phase: Phase, footing: &Footing<'_>, evidence: &Evidence, data_bytes: u64) -> Option<Durability> {
    if !phase.row().writes {
        return None;
    }
    if footing.stack.bottom == Bottom::Memory {
        return Some(Durability::Acknowledged);
    }
    let is_written = |leaves: Traffic| leaves.writes > 0 && leaves.written_bytes as f64 >= DURABLE * data_bytes as f64;
    let is_proven = footing.stack.bottom == Bottom::Devices
        && footing.flush_is_heard
        && footing.leaves(evidence).is_some_and(is_written)
        && is_flushed(footing.stack, evidence) == Some(true);
    Some(if is_proven { Durability::Durable } else { Durability::Uncertain })
}

/// Whether a flush reached every device that has a cache of its own to flush; `None` where that is not counted. Loop devices count
/// too: below them others flush the same disk. Devices that only pass requests on (RAID, device mapper) do not count flushes.
pub fn is_flushed(stack: &Stack, evidence: &Evidence) -> Option<bool> {
    if evidence.devices.len() != stack.devices.len() {
        return None;
    }
    let counts_flushes = |device: &StackDevice| device.is_leaf || device.layer == Layer::Loop;
    let asked = stack.devices.iter().zip(&evidence.devices).filter(|(device, _)| counts_flushes(device));
    let mut all = true;
    for (device, traffic) in asked {
        // A device that writes through has nothing to flush, and one that did not write either.
        let needs_flush = device.write_cache.as_deref() != Some("write through") && traffic.writes > 0;
        all &= !needs_flush || traffic.flushes? > 0;
    }
    Some(all)
}

/// What became of direct I/O that was asked for; `None` where it was not.
pub fn obtained_io(phase: Phase, asked: Io, evidence: &Evidence) -> Option<ObtainedIo> {
    let is_block_file = matches!(phase.row().group, Group::Block | Group::Seek | Group::Transfer | Group::Device);
    if asked == Io::Buffered || !is_block_file {
        return None;
    }
    Some(match evidence.resident_after {
        Some(resident) if resident <= LITTLE => ObtainedIo::Direct,
        Some(_) => ObtainedIo::Buffered,
        None => ObtainedIo::Unknown,
    })
}

#[cfg(test)]
mod tests;
