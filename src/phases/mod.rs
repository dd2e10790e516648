//! How each phase does its work: `prepare` makes names, buffers and orders, and only what it returns is on the clock.

mod block_file;
mod block_read;
mod block_write;
mod content;
mod cost;
mod create;
mod delete;
mod duplicates;
mod entry;
mod error;
mod file_set;
mod links;
mod pool;
mod random_seek;
mod rewrite;
mod stamp;
mod stat;
mod tally;

pub use cost::costs;
pub use error::{PhaseError, WrongData};
pub use pool::ALIGNMENT as BUFFER_ALIGNMENT;
pub use pool::{Buffer, POOL_BYTES, starts};
pub use stamp::{Generation, Origin, Stamps};
pub use tally::{Stop, Tally};

use crate::model::phase::{Group, Phase};
use crate::model::plan::Plan;
use crate::model::settings::{Links, Settings};
use crate::target::Target;
use crate::target::scratch::{FileSetKind, block_file_name};
use std::ffi::CString;

/// What a phase is prepared from.
#[derive(Clone, Copy)]
pub struct Job<'t> {
    /// What is to be done.
    pub plan: &'t Plan,
    /// Where.
    pub target: &'t dyn Target,
    /// What marks the data as this run's.
    pub stamps: &'t Stamps,
    /// Why it may end early.
    pub stop: &'t Stop<'t>,
}

/// What must be learned from the target before it goes cold: the listings of a file set's directories, by worker and directory.
/// Empty where the phase knows its names.
pub type Survey = Vec<Vec<Vec<CString>>>;

/// The work of one worker: it does all of it and counts on the tally.
pub type Work<'t> = Box<dyn FnMut(&mut Tally<'t>) -> Result<(), PhaseError> + Send + 't>;

/// A flush after the last worker, inside the clock.
pub type Flush<'t> = Box<dyn FnMut() -> Result<(), PhaseError> + Send + 't>;

/// The timed part of a phase: everything that it needs was made before.
pub struct Timed<'t> {
    /// One work and one tally a worker.
    pub workers: Vec<(Work<'t>, Tally<'t>)>,
    /// What is flushed when the last worker is done.
    pub flush: Option<Flush<'t>>,
}

/// Learns what a phase must know of the target before it goes cold.
///
/// # Errors
/// When a directory cannot be listed.
pub fn survey(phase: Phase, job: Job<'_>) -> Result<Survey, PhaseError> {
    match phase {
        Phase::SeqStat | Phase::SeqDelete => file_set::survey(job, FileSetKind::Sequential),
        Phase::BlockWrite
        | Phase::Rewrite
        | Phase::BlockRead
        | Phase::RandomSeek
        | Phase::SeqCreate
        | Phase::RandomCreate
        | Phase::RandomStat
        | Phase::RandomDelete
        | Phase::CharWrite
        | Phase::CharRead => Ok(Survey::new()),
    }
}

/// Makes everything that a phase needs, off the clock.
///
/// # Errors
/// When a file or directory cannot be made or opened.
pub fn prepare<'t>(phase: Phase, job: Job<'t>, survey: &Survey) -> Result<Timed<'t>, PhaseError> {
    match phase {
        Phase::BlockWrite => Ok(block_write::prepare(job)),
        Phase::Rewrite => Ok(rewrite::prepare(job)),
        Phase::BlockRead => Ok(block_read::prepare(job)),
        Phase::RandomSeek => random_seek::prepare(job),
        Phase::SeqCreate => create::prepare(job, FileSetKind::Sequential),
        Phase::SeqStat => stat::prepare(job, FileSetKind::Sequential, survey),
        Phase::SeqDelete => delete::prepare(job, FileSetKind::Sequential, survey),
        Phase::RandomCreate => create::prepare(job, FileSetKind::Random),
        Phase::RandomStat => stat::prepare(job, FileSetKind::Random, survey),
        Phase::RandomDelete => delete::prepare(job, FileSetKind::Random, survey),
        Phase::CharWrite | Phase::CharRead => Ok(Timed { workers: Vec::new(), flush: None }),
    }
}

/// The phase whose result a phase needs.
#[must_use]
pub const fn needs(phase: Phase) -> Option<Phase> {
    match phase {
        Phase::BlockWrite | Phase::SeqCreate | Phase::RandomCreate | Phase::CharWrite | Phase::CharRead => None,
        Phase::Rewrite => Some(Phase::BlockWrite),
        Phase::BlockRead | Phase::RandomSeek => Some(Phase::Rewrite),
        Phase::SeqStat | Phase::SeqDelete => Some(Phase::SeqCreate),
        Phase::RandomStat | Phase::RandomDelete => Some(Phase::RandomCreate),
    }
}

/// The work of a phase in its unit, where it is known before.
#[must_use]
pub const fn work_expected(phase: Phase, plan: &Plan) -> Option<u64> {
    match phase {
        Phase::BlockWrite | Phase::Rewrite | Phase::BlockRead => Some(plan.settings.file_size),
        Phase::RandomSeek if plan.settings.seek_seconds > 0 => None,
        Phase::RandomSeek => Some(plan.settings.seeks),
        Phase::SeqCreate | Phase::SeqStat | Phase::SeqDelete | Phase::RandomCreate | Phase::RandomStat | Phase::RandomDelete => {
            Some(plan.settings.files)
        }
        Phase::CharWrite | Phase::CharRead => Some(0),
    }
}

/// Bytes that a phase reads from files, 0 for one that reads none; each file counts its least inode for metadata, each hard link, which
/// has none of its own, its least directory entry.
#[must_use]
pub fn bytes_read(phase: Phase, plan: &Plan, operations: u64) -> u64 {
    /// The smallest inode of the common filesystems: what a cold stat must at least have read.
    const LEAST_INODE: u64 = 128;
    /// A name of ten letters and the number of an inode.
    const LEAST_ENTRY: u64 = 16;
    match phase {
        Phase::BlockWrite | Phase::SeqCreate | Phase::RandomCreate | Phase::CharWrite | Phase::CharRead => 0,
        Phase::Rewrite | Phase::BlockRead => plan.settings.file_size,
        Phase::RandomSeek => operations * plan.settings.seek_size,
        Phase::SeqStat | Phase::SeqDelete | Phase::RandomStat | Phase::RandomDelete => match plan.settings.links {
            Links::None | Links::Symbolic => operations * LEAST_INODE,
            Links::Hard => operations * LEAST_ENTRY,
        },
    }
}

/// Bytes of data that a phase writes to files.
#[must_use]
pub fn bytes_written(phase: Phase, plan: &Plan, operations: u64) -> u64 {
    match phase {
        Phase::BlockWrite | Phase::Rewrite => plan.settings.file_size,
        Phase::RandomSeek => operations * plan.settings.seek_rewrite_percent / 100 * plan.settings.seek_size,
        Phase::SeqCreate | Phase::RandomCreate => plan.settings.file_set_bytes(),
        Phase::BlockRead
        | Phase::SeqStat
        | Phase::SeqDelete
        | Phase::RandomStat
        | Phase::RandomDelete
        | Phase::CharWrite
        | Phase::CharRead => 0,
    }
}

/// Bytes of data that a phase checks on the clock.
#[must_use]
pub fn bytes_checked(phase: Phase, plan: &Plan, operations: u64) -> u64 {
    match phase {
        Phase::BlockWrite
        | Phase::SeqCreate
        | Phase::RandomCreate
        | Phase::SeqDelete
        | Phase::RandomDelete
        | Phase::CharWrite
        | Phase::CharRead => 0,
        Phase::Rewrite | Phase::BlockRead => plan.settings.file_size,
        Phase::RandomSeek => operations * plan.settings.seek_size,
        Phase::SeqStat | Phase::RandomStat => plan.settings.file_set_bytes(),
    }
}

/// Bytes of memory that the largest phase of some settings needs for names, buffers and threads.
#[must_use]
pub const fn memory_needed(settings: &Settings) -> u64 {
    /// A name and its number.
    const ENTRY_BYTES: u64 = size_of::<entry::Entry>() as u64;
    /// The random pool, and the stack that a thread may touch.
    const WORKER_BYTES: u64 = 2 << 20;
    let names = settings.files.saturating_mul(ENTRY_BYTES);
    let chunk_size = if settings.file_chunk_size > settings.chunk_size { settings.file_chunk_size } else { settings.chunk_size };
    // Data that is not plain is put together in a second buffer.
    let chunks = if settings.has_plain_data() { chunk_size } else { chunk_size.saturating_mul(2) };
    let buffers = settings.workers.saturating_mul(chunks.saturating_add(WORKER_BYTES));
    let seek_buffers = settings.seekers.saturating_mul(settings.seek_size.saturating_add(WORKER_BYTES));
    names.saturating_add(buffers).saturating_add(seek_buffers)
}

/// The files whose residency tells where a phase's data came from.
#[must_use]
pub fn files_read(phase: Phase, plan: &Plan) -> Vec<CString> {
    match phase {
        Phase::Rewrite | Phase::BlockRead | Phase::RandomSeek => (0..plan.settings.workers).map(block_file_name).collect(),
        Phase::BlockWrite
        | Phase::SeqCreate
        | Phase::SeqStat
        | Phase::SeqDelete
        | Phase::RandomCreate
        | Phase::RandomStat
        | Phase::RandomDelete
        | Phase::CharWrite
        | Phase::CharRead => Vec::new(),
    }
}

/// The files whose residency tells whether direct I/O was had: those that are read, and those that were written.
#[must_use]
pub fn files_touched(phase: Phase, plan: &Plan) -> Vec<CString> {
    match phase {
        Phase::BlockWrite => files_read(Phase::Rewrite, plan),
        other => files_read(other, plan),
    }
}

/// Whether no later phase of the plan uses the files of this one, so that they can go.
#[must_use]
pub const fn is_last_of_its_files(phase: Phase) -> bool {
    match phase {
        Phase::RandomSeek | Phase::SeqDelete | Phase::RandomDelete => true,
        Phase::BlockWrite
        | Phase::Rewrite
        | Phase::BlockRead
        | Phase::SeqCreate
        | Phase::SeqStat
        | Phase::RandomCreate
        | Phase::RandomStat
        | Phase::CharWrite
        | Phase::CharRead => false,
    }
}

/// Removes the files that a phase and those before it made, off the clock. What cannot be removed is left to the end of the run,
/// which names it.
pub fn remove_files(phase: Phase, job: Job<'_>) {
    match phase.row().group {
        Group::Block | Group::Seek => block_file::remove(job),
        Group::Sequential => file_set::remove(job, FileSetKind::Sequential),
        Group::Random => file_set::remove(job, FileSetKind::Random),
        Group::Character => {}
    }
}
