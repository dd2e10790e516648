//! The marks on a result that could mislead: too fast to be true, disturbed, put off, coarse. None of them removes a value.

use super::labels::{Footing, OTHERS_BYTES, is_flushed, was_moving};
use crate::model::costs::Costs;
use crate::model::evidence::Evidence;
use crate::model::flag::{Flag, SHORT_NANOSECONDS};
use crate::model::label::CacheLabel;
use crate::model::machine::FilesystemClass;
use crate::model::phase::{Group, Phase, Reads, Unit};
use crate::model::record::Counted;
use crate::model::settings::{Io, Settings};

/// A cold read that is faster than this share of what memory allows came from a cache (Gregg's sanity check).
const NEAR_MEMORY: f64 = 0.5;
/// A rotating disk answers at most so many random reads a second, one at a time.
const ROTATING_SEEKS: f64 = 1000.0;
/// Less than this share of incompressible data reached the device, or was read from it.
const REDUCED: f64 = 0.9;
const REDUCED_READ: f64 = 0.95;
/// Others used more than this share of a core.
const BUSY: f64 = 0.2;
/// In ticks of 10 ms less is nothing.
const LEAST_BUSY_NS: u64 = 100_000_000;
/// The share of the layers below that wrote beyond what the device above them wrote.
const OTHERS_WRITE: f64 = 0.1;
/// The hypervisor gave away more than this share of the time.
const STOLEN: f64 = 0.02;
/// Work after the clock is put off when it took at least this share of the phase, and moved or computed at least so much.
const LATER: f64 = 0.05;
const LATER_BYTES: u64 = 1 << 20;
const LATER_BUSY_MS: u64 = 50;
/// A clock is coarse when its step is more than this share of an operation.
const COARSE: f64 = 0.1;
/// A step that no usual clock has.
const COARSE_NS: u64 = 1000;

/// A phase that went well, and what is known around it.
pub struct Facts<'a> {
    /// Which one.
    pub phase: Phase,
    /// What it was to do.
    pub settings: &'a Settings,
    /// What it stood on.
    pub footing: Footing<'a>,
    /// What was counted.
    pub counted: &'a Counted,
    /// What was seen.
    pub evidence: &'a Evidence,
    /// Its cache label.
    pub cache: Option<CacheLabel>,
    /// What barrow costs here.
    pub costs: &'a Costs,
    /// Bytes of data that it read and wrote.
    pub read_bytes: u64,
    /// See above.
    pub written_bytes: u64,
}

/// Every mark of a phase, in the order of the list.
pub fn flags(facts: &Facts<'_>) -> Vec<Flag> {
    let marks = [
        (Flag::Short, facts.counted.elapsed_ns < SHORT_NANOSECONDS),
        (Flag::Batched, facts.counted.latency_batch > 1),
        (Flag::NearMemory, facts.is_near_memory()),
        (Flag::BeyondDevice, facts.is_beyond_device()),
        (Flag::NoFlush, facts.lacks_flush()),
        (Flag::Reduced, facts.is_reduced()),
        (Flag::OthersIo, facts.has_others_io()),
        (Flag::Busy, facts.is_busy()),
        (Flag::Stolen, facts.is_stolen()),
        (Flag::Suspended, facts.evidence.surroundings.suspended_ms > 0),
        (Flag::NotSteady, facts.is_unsteady()),
        (Flag::Later, facts.is_put_off()),
        (Flag::CoarseClock, facts.has_coarse_clock()),
    ];
    marks.into_iter().filter(|(_, is_so)| *is_so).map(|(flag, _)| flag).collect()
}

impl Facts<'_> {
    fn seconds(&self) -> f64 {
        self.counted.elapsed_ns as f64 / 1e9
    }

    fn threads(&self) -> u64 {
        self.settings.threads(self.phase)
    }

    fn reads_data_from_device(&self) -> bool {
        self.phase.row().reads == Reads::Data && self.cache.is_some_and(CacheLabel::is_device_figure)
    }

    fn is_near_memory(&self) -> bool {
        let Some(ceiling) = self.costs.memory_bytes_per_second else { return false };
        // Direct transfers are not copied, so memory does not bound them.
        let is_copied = self.settings.io_of(self.phase) == Io::Buffered;
        let rate = self.read_bytes as f64 / self.seconds();
        is_copied && self.reads_data_from_device() && rate >= NEAR_MEMORY * ceiling as f64 * self.threads() as f64
    }

    fn is_beyond_device(&self) -> bool {
        let rotates = self.footing.stack.devices.iter().any(|device| device.rotational == Some(true));
        let seeks = self.counted.work as f64 / self.seconds() / self.threads() as f64;
        self.phase.row().unit == Unit::Seeks && self.reads_data_from_device() && rotates && seeks > ROTATING_SEEKS
    }

    fn lacks_flush(&self) -> bool {
        self.phase.row().writes && is_flushed(self.footing.stack, self.evidence) == Some(false)
    }

    /// Data that cannot be compressed or shared moved in fewer bytes than it has.
    fn is_reduced(&self) -> bool {
        let Some(leaves) = self.footing.leaves(self.evidence) else { return false };
        let is_large = |bytes: u64| bytes >= OTHERS_BYTES;
        // What clients of a file server write is often gone, or written again, before it would have been written to the device.
        let is_plain = self.settings.has_plain_data() && self.phase.row().group != Group::Server;
        let shrank_writing =
            self.phase.row().writes && is_large(self.written_bytes) && (leaves.written_bytes as f64) < REDUCED * self.written_bytes as f64;
        let shrank_reading = self.cache == Some(CacheLabel::Cold)
            && self.phase.row().reads == Reads::Data
            && is_large(self.read_bytes)
            && self.evidence.own_read_bytes.is_some_and(|own| (own as f64) < REDUCED_READ * self.read_bytes as f64);
        is_plain && (shrank_writing || shrank_reading)
    }

    fn has_others_io(&self) -> bool {
        let Some(leaves) = self.footing.leaves(self.evidence) else { return false };
        let own = self.evidence.own_read_bytes.filter(|_| self.footing.class == FilesystemClass::Block);
        let reads = own.is_some_and(|own| self.footing.others_read(&leaves, own));
        let was_moving = self.evidence.before.is_some_and(|before| was_moving(&before));
        reads || was_moving || self.others_write(leaves.written_bytes)
    }

    /// Whether the leaves below another device wrote more than it gave them: their own filesystem's journal apart.
    fn others_write(&self, leaf_bytes: u64) -> bool {
        let above = self.footing.stack.devices.iter().zip(&self.evidence.devices).find(|(device, _)| !device.is_leaf);
        let leaves = self.footing.stack.leaves().count();
        let Some((_, above)) = above.filter(|_| leaves == 1) else { return false };
        let others = leaf_bytes.saturating_sub(above.written_bytes);
        others > OTHERS_BYTES && others as f64 > OTHERS_WRITE * leaf_bytes as f64
    }

    fn is_busy(&self) -> bool {
        let was_busy = self.evidence.before.is_some_and(|before| {
            let busy_ms = before.others_busy_ms.unwrap_or(0);
            !before.is_quiet && busy_ms as f64 > BUSY * before.elapsed_ms as f64
        });
        // Kernel threads that work for the phase have no user time, but the server of a FUSE filesystem has.
        let others_ns = self.counted.others_user_ns.filter(|_| self.footing.class != FilesystemClass::Fuse).unwrap_or(0);
        was_busy || (others_ns >= LEAST_BUSY_NS && others_ns as f64 > BUSY * self.counted.elapsed_ns as f64)
    }

    fn is_stolen(&self) -> bool {
        let stolen_ms = self.evidence.surroundings.stolen_ms.unwrap_or(0);
        // Two ticks of 10 ms are nothing.
        stolen_ms > 20 && stolen_ms as f64 / 1e3 > STOLEN * self.seconds()
    }

    /// Of a phase under a second a trend says more of the machine than of the work; and the rate over a device is to differ by place.
    fn is_unsteady(&self) -> bool {
        let is_long = self.counted.elapsed_ns >= SHORT_NANOSECONDS;
        is_long && self.phase != Phase::DeviceSweep && self.counted.steadiness().is_some_and(|steadiness| !steadiness.is_steady)
    }

    /// Whether work went on after the clock had stopped, on a machine that was quiet before.
    fn is_put_off(&self) -> bool {
        let was_quiet = self.evidence.before.is_some_and(|before| before.is_quiet);
        self.evidence.settle.is_some_and(|settle| {
            let is_much = settle.moved_bytes >= LATER_BYTES || settle.others_busy_ms.unwrap_or(0) >= LATER_BUSY_MS;
            was_quiet && is_much && settle.elapsed_ms as f64 / 1e3 > LATER * self.seconds()
        })
    }

    fn has_coarse_clock(&self) -> bool {
        let operations = self.counted.operations.max(1) as f64 / self.threads() as f64;
        let each_ns = self.counted.elapsed_ns as f64 / operations;
        self.costs.clock_step_ns > COARSE_NS && self.costs.clock_step_ns as f64 > COARSE * each_ns
    }
}

#[cfg(test)]
mod tests;
