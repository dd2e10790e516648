//! What was seen around a phase beside its own work: where its bytes came from, what the devices below moved, what the machine did else.

use super::stack::Traffic;
use serde::{Deserialize, Serialize};

/// What is known of where the bytes of a phase came from and went to. `None` means not known.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// Share (0 to 1) of the block files in the page cache just before the clock started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resident_before: Option<f64>,
    /// The same just after it stopped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resident_after: Option<f64>,
    /// Bytes that this process made storage read (`ru_inblock` × 512).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own_read_bytes: Option<u64>,
    /// Bytes that this process made storage write (`ru_oublock` × 512).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own_written_bytes: Option<u64>,
    /// Bytes of these that never reached storage, since they were deleted before (`cancelled_write_bytes` of /proc/self/io).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cancelled_bytes: Option<u64>,
    /// What the devices below moved, from just before the clock started until just after it stopped; in the order of the run's stack.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub devices: Vec<Traffic>,
    /// What the cache of ZFS answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arc: Option<ArcTraffic>,
    /// What was read from and written to the server (`bytes:` of /proc/self/mountstats: NFS).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<ServerTraffic>,
    /// What else the machine did.
    #[serde(default)]
    pub surroundings: Surroundings,
    /// The wait for a quiet machine before the phase.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Watch>,
    /// What went on after the clock had stopped, until it was quiet: work that was put off. Only after phases that write.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settle: Option<Watch>,
}

/// What the cache of ZFS answered (/proc/spl/kstat/zfs/arcstats), over a phase.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArcTraffic {
    /// Blocks that were in the cache.
    pub hits: u64,
    /// Blocks that were not.
    pub misses: u64,
}

/// What a network mount moved, over a phase.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerTraffic {
    /// Bytes that the server sent.
    pub read_bytes: u64,
    /// Bytes that were sent to the server.
    pub written_bytes: u64,
}

/// What else the machine did while a phase was on the clock, in milliseconds; `None` where the kernel does not say.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Surroundings {
    /// That the hypervisor gave to others, of all processors together (steal of /proc/stat).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stolen_ms: Option<u64>,
    /// That the machine was suspended (CLOCK_BOOTTIME moved on, CLOCK_MONOTONIC did not).
    #[serde(skip_serializing_if = "is_zero")]
    pub suspended_ms: u64,
    /// That some task waited for a processor, for I/O and for memory (`some` of /proc/pressure/cpu, io and memory).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pressure_ms: Option<[u64; 3]>,
}

/// A time in which barrow only watched: before a phase until nothing moved, or after one until its work was done. A run file keeps it
/// as a list of these, in this order.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "StoredWatch", into = "StoredWatch")]
pub struct Watch {
    /// Milliseconds that were watched.
    pub elapsed_ms: u64,
    /// Whether it was quiet at the end, or had to be left as it was.
    pub is_quiet: bool,
    /// Bytes that the leaves read, wrote and discarded meanwhile.
    pub moved_bytes: u64,
    /// Milliseconds that processors were busy meanwhile with something that was not barrow; `None` where that is not known.
    pub others_busy_ms: Option<u64>,
}

/// As a run file keeps it: two of them for most phases must fit a line.
type StoredWatch = (u64, bool, u64, Option<u64>);

impl From<StoredWatch> for Watch {
    fn from((elapsed_ms, is_quiet, moved_bytes, others_busy_ms): StoredWatch) -> Self {
        Self { elapsed_ms, is_quiet, moved_bytes, others_busy_ms }
    }
}

impl From<Watch> for StoredWatch {
    fn from(watch: Watch) -> Self {
        (watch.elapsed_ms, watch.is_quiet, watch.moved_bytes, watch.others_busy_ms)
    }
}

/// For numbers that a run file leaves out when there is nothing to say.
#[allow(clippy::trivially_copy_pass_by_ref, reason = "the form that serde asks for")]
pub(super) const fn is_zero(number: &u64) -> bool {
    *number == 0
}
