//! Plain facts of the machine, the filesystem and the device below a target; none of them names a host, a user or a server.

use super::bounded::at_most;
use crate::units::rounded_size;
use serde::{Deserialize, Serialize};

/// What is known of the machine; `None` where the kernel did not say.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// The kernel's name and release: `Linux 6.18.4`.
    pub kernel: Option<String>,
    /// The processor architecture: `x86_64`.
    pub architecture: Option<String>,
    /// The processor's model name.
    pub cpu_model: Option<String>,
    /// Processors that barrow may run on.
    pub cpus: Option<u32>,
    /// Memory of the machine in bytes.
    pub ram_bytes: Option<u64>,
    /// The frequency governor of the first processor: `performance`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub governor: Option<String>,
    /// The least memory limit of the control groups that barrow ran in, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_limit_bytes: Option<u64>,
    /// What barrow ran in: `virtual machine`, `container`, or both.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "at_most::<16, _, _>")]
    pub inside: Vec<String>,
    /// Whether free memory goes back to the host of the virtual machine: whoever next needs much of it pays for getting it again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub memory_goes_back: bool,
    /// When the kernel begins to write back, and when it makes writers wait.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dirty: Option<DirtyLimits>,
    /// Whether barrow ran with the rights of root.
    pub root: bool,
    /// The host's name, only with `--hostname`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hostname: Option<String>,
}

/// The kernel's limits of unwritten data (`vm.dirty_*`): those in bytes where they are set, else per cent of available memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct DirtyLimits {
    /// From here on the kernel writes back, in per cent of available memory (`dirty_background_ratio`).
    pub background_percent: u64,
    /// From here on writers wait, in per cent of available memory (`dirty_ratio`).
    pub percent: u64,
    /// The same as the first in bytes (`dirty_background_bytes`); 0 where the per cent holds.
    pub background_bytes: u64,
    /// The same as the second in bytes (`dirty_bytes`); 0 where the per cent holds.
    pub bytes: u64,
}

impl DirtyLimits {
    /// `from 10 %, writers wait from 20 %`, in bytes where these are set.
    #[must_use]
    pub fn in_words(self) -> String {
        let limit = |bytes: u64, percent: u64| if bytes > 0 { rounded_size(bytes) } else { format!("{percent} %") };
        let (background, wait) = (limit(self.background_bytes, self.background_percent), limit(self.bytes, self.percent));
        format!("from {background}, writers wait from {wait}")
    }
}

/// How a filesystem keeps its data, which decides what its evidence is worth.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FilesystemClass {
    /// On block devices, behind the page cache.
    Block,
    /// In memory.
    Memory,
    /// On a server.
    Network,
    /// Served by a process of this machine.
    Fuse,
    /// ZFS: its own cache beside the page cache.
    Zfs,
    /// On top of another filesystem.
    Overlay,
    /// None of these, as far as is known: neither a block device nor a server was found.
    #[default]
    Other,
}

/// What is known of the filesystem below a target.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Filesystem {
    /// The type as the kernel names it: `ext4`.
    pub kind: String,
    /// How it keeps its data.
    pub class: FilesystemClass,
    /// Mount options as the kernel reports them, in its order, with paths and addresses left out.
    pub mount_options: String,
    /// Size in bytes.
    pub size_bytes: u64,
    /// Bytes that this user could still write when the batch began.
    pub free_bytes: u64,
    /// Bytes in use when the batch began; space that is kept for root is neither used nor free.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub used_bytes: Option<u64>,
    /// Files that could still be made when the batch began; `None` where the filesystem sets no limit.
    pub free_files: Option<u64>,
}

impl Filesystem {
    /// How full it was, in per cent of what this user could use of it, as df(1) counts.
    #[must_use]
    pub fn fill_percent(&self) -> Option<f64> {
        let used = self.used_bytes?;
        let whole = used.saturating_add(self.free_bytes);
        (whole > 0).then(|| used as f64 * 100.0 / whole as f64)
    }

    /// Bytes that are free for this user when so many per cent of what he could use are used; `None` where that is not known.
    #[must_use]
    pub fn free_when_filled(&self, percent: u64) -> Option<u64> {
        let whole = u128::from(self.used_bytes?) + u128::from(self.free_bytes);
        u64::try_from(whole * u128::from(100_u64.saturating_sub(percent)) / 100).ok()
    }
}

/// What is known of the block device below a filesystem.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Device {
    /// The kernel's name: `sda1`, `loop0`.
    pub name: Option<String>,
    /// The model, as the device says.
    pub model: Option<String>,
    /// Size in bytes.
    pub size_bytes: Option<u64>,
    /// Whether the kernel takes it for a rotating disk.
    pub rotational: Option<bool>,
    /// The I/O scheduler in use: `none`, `mq-deadline`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scheduler: Option<String>,
    /// Readahead in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_ahead_bytes: Option<u64>,
    /// How the kernel takes the device's own write cache: `write back` (it must be flushed) or `write through`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write_cache: Option<String>,
}

/// How direct I/O must be aligned on a filesystem, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct DirectIo {
    /// Of buffers in memory.
    pub memory_alignment: u64,
    /// Of offsets and lengths in a file.
    pub offset_alignment: u64,
    /// How that is known.
    pub source: AlignmentSource,
}

/// How the alignment of direct I/O is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AlignmentSource {
    /// The filesystem said so (statx(2), `STATX_DIOALIGN`).
    Statx,
    /// It did not say, and one aligned transfer went well.
    Trial,
}

/// What became of direct I/O that was asked for, by what the page cache held afterwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ObtainedIo {
    /// Transfers passed the page cache.
    Direct,
    /// They went through the page cache all the same.
    Buffered,
    /// It cannot be told.
    Unknown,
}

impl ObtainedIo {
    /// The word in CSV.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Direct => "direct",
            Self::Buffered => "buffered",
            Self::Unknown => "unknown",
        }
    }
}
