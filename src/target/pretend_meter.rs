//! The meter of a pretended directory: what its calls cost on the pretended clock.

use super::pretend::PretendTarget;
use crate::model::usage::Usage;
use crate::sys::around::Around;
use crate::sys::meter::{MachineTime, Meter, Reading};

/// What the calls on a pretended directory took and made storage do.
pub(super) struct Counts {
    /// Nanoseconds that calls took, without the time that only passed.
    pub busy_ns: u64,
    /// Bytes that were read from storage.
    pub read_bytes: u64,
    /// Bytes that were written.
    pub written_bytes: u64,
}

/// The meter of a pretended target: of each nanosecond that its calls take a quarter is user and an eighth system time of the process,
/// and one and a half processors of the machine are busy.
impl Meter for PretendTarget {
    fn read(&self) -> Reading {
        let counts = self.counts();
        let usage = Usage {
            user_ns: counts.busy_ns / 4,
            system_ns: counts.busy_ns / 8,
            blocks_in: counts.read_bytes / 512,
            blocks_out: counts.written_bytes / 512,
            ..Usage::default()
        };
        let machine = MachineTime { busy_ns: counts.busy_ns + counts.busy_ns / 2, user_ns: counts.busy_ns / 4, stolen_ns: 0 };
        Reading { usage, machine: Some(machine) }
    }

    fn memory_read_rate(&self) -> Option<u64> {
        None
    }

    fn around(&self) -> Around {
        Around::default()
    }
}
