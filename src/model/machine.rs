//! Plain facts of the machine, the filesystem and the device below a target; none of them names a host, a user or a server.

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
    /// Whether barrow ran with the rights of root.
    pub root: bool,
    /// The host's name, only with `--hostname`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hostname: Option<String>,
}

/// How a filesystem keeps its data, which decides what its evidence is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
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
}

/// What is known of the filesystem below a target.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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
    /// Files that could still be made when the batch began; `None` where the filesystem sets no limit.
    pub free_files: Option<u64>,
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
}
