//! What the system says that the process used over a phase.

use super::evidence::is_zero;
use serde::{Deserialize, Serialize};

/// Differences of getrusage(2) for the whole process, all threads, over a phase.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Nanoseconds of CPU in user mode.
    pub user_ns: u64,
    /// Nanoseconds of CPU in the kernel.
    pub system_ns: u64,
    /// The largest resident set so far, in bytes (not a difference).
    pub max_resident_bytes: u64,
    /// Page faults without I/O.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub minor_faults: u64,
    /// Page faults with I/O.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub major_faults: u64,
    /// Blocks of 512 bytes that storage read for the process.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub blocks_in: u64,
    /// Blocks of 512 bytes that storage wrote for the process.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub blocks_out: u64,
    /// Context switches because the process waited.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub voluntary_switches: u64,
    /// Context switches because its time was up.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub involuntary_switches: u64,
}

impl Usage {
    /// This and what others used beside it.
    #[must_use]
    pub fn with(self, other: &Self) -> Self {
        Self {
            user_ns: self.user_ns + other.user_ns,
            system_ns: self.system_ns + other.system_ns,
            max_resident_bytes: self.max_resident_bytes.max(other.max_resident_bytes),
            minor_faults: self.minor_faults + other.minor_faults,
            major_faults: self.major_faults + other.major_faults,
            blocks_in: self.blocks_in + other.blocks_in,
            blocks_out: self.blocks_out + other.blocks_out,
            voluntary_switches: self.voluntary_switches + other.voluntary_switches,
            involuntary_switches: self.involuntary_switches + other.involuntary_switches,
        }
    }
}
