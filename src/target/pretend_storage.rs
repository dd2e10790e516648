//! What lies below a pretended directory: a device that counts what it moves, and a process that is charged for it.

use super::pretend_call::{Call, Operation};
use crate::model::stack::Traffic;

/// The size of the blocks that a process is charged in, and of an entry in some journal.
const BLOCK: u64 = 512;

/// How the pretended storage answers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Storage {
    /// Share (0 to 1) of every file that is in memory.
    pub resident_share: f64,
    /// Bytes that the device reads for each byte that is read from storage: 0 where a cache below answers.
    pub device_reads: f64,
    /// Bytes that the device writes for each byte that is flushed.
    pub device_writes: f64,
    /// Whether a flush reaches the device.
    pub hears_flush: bool,
    /// Whether the process is charged with what storage does for it (FUSE does not).
    pub charges: bool,
    /// Bytes that a status reads.
    pub status_bytes: u64,
}

impl Default for Storage {
    fn default() -> Self {
        Self { resident_share: 0.0, device_reads: 1.0, device_writes: 1.0, hears_flush: true, charges: true, status_bytes: 0 }
    }
}

/// The storage and what it counted.
#[derive(Debug, Default)]
pub struct Counting {
    /// How it answers.
    pub storage: Storage,
    /// Bytes that are written and not yet flushed.
    dirty_bytes: u64,
    /// Bytes that the process made storage read.
    pub own_read_bytes: u64,
    /// Bytes that the process made storage write.
    pub own_written_bytes: u64,
    /// What the device moved.
    pub traffic: Traffic,
    /// Waits in which somebody else writes, and how many bytes.
    pub disturbance: (u64, u64),
}

impl Counting {
    /// What a call makes storage do.
    pub fn account(&mut self, call: &Call) {
        let length = call.span.map_or(0, |(_, length)| length);
        match call.operation {
            Operation::Read => self.read(length),
            Operation::Write => self.write(length),
            Operation::Status | Operation::StatusThrough => self.look_up(),
            Operation::Create | Operation::HardLink | Operation::SymbolicLink | Operation::Rename => self.change_entry(),
            Operation::Unlink => {
                self.look_up();
                self.change_entry();
            }
            Operation::Sync | Operation::Flush => self.flush(),
            Operation::MakeDirectory
            | Operation::OpenDirectory
            | Operation::RemoveDirectory
            | Operation::Open
            | Operation::AdviseRandom
            | Operation::Close
            | Operation::StatusOpen
            | Operation::SetLength
            | Operation::SetTimes
            | Operation::Lock
            | Operation::Unlock
            | Operation::FreeBytes
            | Operation::Extents
            | Operation::List
            | Operation::RunProgram
            | Operation::Evict
            | Operation::Residency => {}
        }
    }
    /// So many bytes of a file were read.
    fn read(&mut self, bytes: usize) {
        self.fetch((bytes as f64 * (1.0 - self.storage.resident_share)) as u64);
    }

    /// The status of a file was asked for, or its entry removed.
    fn look_up(&mut self) {
        self.fetch(self.storage.status_bytes);
    }

    fn fetch(&mut self, bytes: u64) {
        self.own_read_bytes += self.charged(bytes);
        self.traffic.reads += u64::from(bytes > 0);
        self.traffic.read_bytes += (bytes as f64 * self.storage.device_reads) as u64;
    }

    /// So many bytes of a file were written.
    fn write(&mut self, bytes: usize) {
        self.own_written_bytes += self.charged(bytes as u64);
        self.dirty_bytes += bytes as u64;
    }

    /// An entry was made or removed.
    const fn change_entry(&mut self) {
        self.dirty_bytes += BLOCK;
    }

    /// Everything is flushed.
    fn flush(&mut self) {
        self.traffic.writes += u64::from(self.dirty_bytes > 0);
        self.traffic.written_bytes += (self.dirty_bytes as f64 * self.storage.device_writes) as u64;
        self.traffic.flushes = self.traffic.flushes.map(|flushes| flushes + u64::from(self.storage.hears_flush));
        self.dirty_bytes = 0;
    }

    /// Time passes, in which somebody else may write.
    pub const fn wait(&mut self) {
        let (waits, bytes) = self.disturbance;
        if waits > 0 {
            self.disturbance.0 = waits - 1;
            self.traffic.writes += 1;
            self.traffic.written_bytes += bytes;
        }
    }

    fn charged(&self, bytes: u64) -> u64 {
        if self.storage.charges { bytes.div_ceil(BLOCK) * BLOCK } else { 0 }
    }
}
