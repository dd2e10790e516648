//! What lies below a filesystem: the block devices between a mount and the last thing that this kernel can see, and what they moved.

use serde::{Deserialize, Serialize};

/// What a filesystem ends on, as far as this kernel can see.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Bottom {
    /// Block devices: the leaves of the [`Stack`].
    Devices,
    /// Memory of this machine (a filesystem in memory, a loop file on one, a compressed RAM disk).
    Memory,
    /// A server.
    Server,
    /// A process of this machine (FUSE).
    Process,
    /// It was not found.
    #[default]
    Unknown,
}

/// What kind of block device it is, as far as it decides what lies below.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Layer {
    /// A whole disk, or what looks like one from here.
    Disk,
    /// A part of a disk.
    Partition,
    /// Made by the device mapper: LVM, encryption.
    Mapper,
    /// A software RAID (md).
    Raid,
    /// A cache device (bcache).
    Bcache,
    /// A file of another filesystem (loop).
    Loop,
    /// Memory that looks like a disk (zram, brd).
    Memory,
}

/// One block device of a stack.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StackDevice {
    /// The kernel's name: `sda1`, `loop0`.
    pub name: String,
    /// What it is.
    pub layer: Layer,
    /// Whether nothing that this kernel can see lies below it.
    pub is_leaf: bool,
    /// Whether the kernel counts its transfers (`queue/iostats`).
    pub is_counted: bool,
    /// How the kernel takes the device's own write cache (`write back`: it must be flushed), where it says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write_cache: Option<String>,
    /// Whether the kernel takes it for a rotating disk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotational: Option<bool>,
    /// Whether a loop device passes the page cache of the filesystem that holds its file (`loop/dio`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub direct_io: Option<bool>,
}

/// The block devices below a filesystem, from its own down to the leaves, each once.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stack {
    /// What it ends on.
    pub bottom: Bottom,
    /// The devices; empty where there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub devices: Vec<StackDevice>,
}

/// What a device moved, since some fixed moment or over a phase: /sys/dev/block/M:m/stat, whose sectors are always of 512 bytes
/// (Linux, Documentation/block/stat.rst). A run file keeps it as a list of these numbers, in this order.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Stored", into = "Stored")]
pub struct Traffic {
    /// Requests that read.
    pub reads: u64,
    /// Bytes that they read.
    pub read_bytes: u64,
    /// Requests that wrote.
    pub writes: u64,
    /// Bytes that they wrote.
    pub written_bytes: u64,
    /// Bytes that were discarded.
    pub discarded_bytes: u64,
    /// Flushes of the device's own cache; `None` where the kernel does not count them (before Linux 5.5; a partition asks its disk).
    pub flushes: Option<u64>,
}

/// As a run file keeps it: ten phases of some devices must fit a line.
type Stored = (u64, u64, u64, u64, u64, Option<u64>);

impl From<Stored> for Traffic {
    fn from((reads, read_bytes, writes, written_bytes, discarded_bytes, flushes): Stored) -> Self {
        Self { reads, read_bytes, writes, written_bytes, discarded_bytes, flushes }
    }
}

impl From<Traffic> for Stored {
    fn from(traffic: Traffic) -> Self {
        (traffic.reads, traffic.read_bytes, traffic.writes, traffic.written_bytes, traffic.discarded_bytes, traffic.flushes)
    }
}

impl Traffic {
    /// What was moved between two readings of the same device. A counter that wrapped or began anew gives 0.
    #[must_use]
    pub fn since(&self, before: &Self) -> Self {
        Self {
            reads: self.reads.saturating_sub(before.reads),
            read_bytes: self.read_bytes.saturating_sub(before.read_bytes),
            writes: self.writes.saturating_sub(before.writes),
            written_bytes: self.written_bytes.saturating_sub(before.written_bytes),
            discarded_bytes: self.discarded_bytes.saturating_sub(before.discarded_bytes),
            flushes: self.flushes.zip(before.flushes).map(|(after, before)| after.saturating_sub(before)),
        }
    }

    /// Two devices together; flushes are known only where both count them.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        Self {
            reads: self.reads.saturating_add(other.reads),
            read_bytes: self.read_bytes.saturating_add(other.read_bytes),
            writes: self.writes.saturating_add(other.writes),
            written_bytes: self.written_bytes.saturating_add(other.written_bytes),
            discarded_bytes: self.discarded_bytes.saturating_add(other.discarded_bytes),
            flushes: self.flushes.zip(other.flushes).map(|(one, other)| one.saturating_add(other)),
        }
    }

    /// Bytes of any kind.
    #[must_use]
    pub const fn moved_bytes(&self) -> u64 {
        self.read_bytes.saturating_add(self.written_bytes).saturating_add(self.discarded_bytes)
    }
}

impl Stack {
    /// The leaves together, out of what was counted for every device (in the order of [`Stack::devices`]); `None` where there is no
    /// leaf, or one is not counted.
    #[must_use]
    pub fn leaf_traffic(&self, counted: &[Traffic]) -> Option<Traffic> {
        if counted.len() != self.devices.len() {
            return None;
        }
        let mut leaves = self.devices.iter().zip(counted).filter(|(device, _)| device.is_leaf);
        if self.leaves().any(|leaf| !leaf.is_counted) {
            return None;
        }
        let (_, first) = leaves.next()?;
        Some(leaves.fold(*first, |sum, (_, traffic)| sum.plus(traffic)))
    }

    /// The devices below which there is nothing.
    pub fn leaves(&self) -> impl Iterator<Item = &StackDevice> {
        self.devices.iter().filter(|device| device.is_leaf)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(name: &str, is_leaf: bool) -> StackDevice {
        let layer = if is_leaf { Layer::Disk } else { Layer::Loop };
        StackDevice { name: name.to_owned(), layer, is_leaf, is_counted: true, write_cache: None, rotational: None, direct_io: None }
    }

    fn traffic(read_bytes: u64, flushes: Option<u64>) -> Traffic {
        Traffic { reads: 1, read_bytes, flushes, ..Traffic::default() }
    }

    #[test]
    fn leaves_are_summed_and_layers_above_are_not() {
        let devices = vec![device("loop0", false), device("sda", true), device("sdb", true)];
        let mut stack = Stack { bottom: Bottom::Devices, devices };
        let counted = [traffic(300, Some(9)), traffic(100, Some(1)), traffic(200, Some(2))];
        assert_eq!(stack.leaf_traffic(&counted).unwrap(), Traffic { reads: 2, ..traffic(300, Some(3)) });
        stack.devices[1].is_counted = false;
        assert_eq!(stack.leaf_traffic(&counted), None);
        assert_eq!(Stack::default().leaf_traffic(&[]), None);
    }

    #[test]
    fn differences_do_not_run_backwards() {
        let (before, after) = (traffic(500, Some(4)), traffic(700, Some(6)));
        assert_eq!(after.since(&before), Traffic { reads: 0, ..traffic(200, Some(2)) });
        assert_eq!(before.since(&after).read_bytes, 0);
        assert_eq!(after.since(&traffic(0, None)).flushes, None);
    }

    #[test]
    fn a_run_file_keeps_a_list_of_numbers() {
        let some = Traffic { written_bytes: 4096, writes: 1, flushes: Some(0), ..Traffic::default() };
        let text = serde_json::to_string(&some).unwrap();
        assert_eq!(text, "[0,0,1,4096,0,0]");
        assert_eq!(serde_json::from_str::<Traffic>(&text).unwrap(), some);
        assert_eq!(serde_json::to_string(&Traffic::default()).unwrap(), "[0,0,0,0,0,null]");
    }
}
