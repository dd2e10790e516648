//! How one phase is done: what must be known before, what is on the clock, and what it moves.

use super::{Job, PhaseError, Survey, Timed};
use crate::model::plan::Plan;
use crate::model::record::Counted;
use crate::model::settings::Settings;
use std::ffi::CString;

/// Bytes of data that a phase moved.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Moved {
    /// That it read from files, or for metadata must at least have read.
    pub read: u64,
    /// That it wrote to files.
    pub written: u64,
    /// That it checked on the clock.
    pub checked: u64,
}

/// How one phase is done.
pub trait Procedure {
    /// Learns what it must know of the target before that goes cold, and evicts, or warms, files that are not in the root.
    ///
    /// # Errors
    /// When a directory cannot be listed, or a file not be opened.
    fn survey(&self, _job: Job<'_>) -> Result<Survey, PhaseError> {
        Ok(Survey::new())
    }

    /// Makes everything that it needs, off the clock.
    ///
    /// # Errors
    /// When a file or directory cannot be made or opened.
    fn prepare<'t>(&self, job: Job<'t>, survey: &Survey) -> Result<Timed<'t>, PhaseError>;

    /// Its work in its unit, where that is known before.
    fn work_expected(&self, plan: &Plan) -> Option<u64>;

    /// What it moved; from the plan where that decides it, else from what was counted.
    fn moved(&self, plan: &Plan, counted: &Counted) -> Moved;

    /// The files in the root that are evicted before it, and whose residency tells where its data came from.
    fn files_read(&self, _plan: &Plan) -> Vec<CString> {
        Vec::new()
    }

    /// The files in the root whose residency tells whether direct I/O was had: those that are read, and those that were written.
    fn files_touched(&self, plan: &Plan) -> Vec<CString> {
        self.files_read(plan)
    }

    /// Bytes of memory that it needs for names, buffers and threads.
    fn memory_needed(&self, settings: &Settings) -> u64;
}

/// What the buffers and stacks of so many threads take, each with transfers of so many bytes.
#[must_use]
pub const fn memory_of_threads(settings: &Settings, threads: u64, transfer_bytes: u64) -> u64 {
    /// The random pool, and the stack that a thread may touch.
    const WORKER_BYTES: u64 = 2 << 20;
    // Data that is not plain is put together in a second buffer.
    let buffers = if settings.has_plain_data() { transfer_bytes } else { transfer_bytes.saturating_mul(2) };
    threads.saturating_mul(buffers.saturating_add(WORKER_BYTES))
}
