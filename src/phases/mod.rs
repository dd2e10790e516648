//! How each phase does its work: `prepare` makes names, buffers and orders, and only what it returns is on the clock.

mod block_file;
mod block_read;
mod block_write;
mod command;
mod content;
mod cost;
mod create;
mod delete;
mod device_read;
mod duplicates;
mod entry;
mod error;
mod file_random_read;
mod file_read;
mod file_reader;
mod file_rewrite;
mod file_server;
mod file_set;
mod file_writer;
mod large_copy;
mod library;
mod library_read;
mod library_write;
mod links;
mod pool;
mod procedure;
mod random_seek;
mod rewrite;
mod stamp;
mod stat;
mod sync_write;
mod tally;
mod transfer;
mod tree;
mod tree_copy;
mod tree_delete;
mod tree_prune;
mod tree_search;
mod tree_unpack;
mod undone;
mod work_directory;

pub use command::ProgramFault;
pub use cost::costs;
pub use error::{PhaseError, WrongData};
pub use file_set::Tenth;
pub use pool::ALIGNMENT as BUFFER_ALIGNMENT;
pub use pool::{Buffer, POOL_BYTES, starts};
pub use procedure::{Moved, Procedure};
pub use stamp::{Generation, Origin, Stamps};
pub use tally::{Stop, Tally};
pub use tree::copied_directories;

use sync_write::FlushedBy;

use crate::model::aftermath::Aftermath;
use crate::model::phase::{Files, Group, Phase, needed_before};
use crate::model::plan::Plan;
use crate::model::settings::Settings;
use crate::target::Target;
use crate::target::scratch::{FileSetKind, WorkDirectory, WorkFile};
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

/// What is looked at when everything is done, off the clock.
pub type After<'t> = Box<dyn FnOnce() -> Aftermath + Send + 't>;

/// The timed part of a phase: everything that it needs was made before.
pub struct Timed<'t> {
    /// One work and one tally a worker.
    pub workers: Vec<(Work<'t>, Tally<'t>)>,
    /// What is flushed when the last worker is done.
    pub flush: Option<Flush<'t>>,
    /// What is looked at then.
    pub after: Option<After<'t>>,
}

impl<'t> Timed<'t> {
    /// Work after which nothing more is flushed or looked at.
    #[must_use]
    pub fn of(workers: Vec<(Work<'t>, Tally<'t>)>) -> Self {
        Self { workers, flush: None, after: None }
    }

    /// The same, with a flush of everything inside the clock.
    #[must_use]
    pub fn flushed_by(self, flush: impl FnMut() -> Result<(), PhaseError> + Send + 't) -> Self {
        Self { flush: Some(Box::new(flush)), ..self }
    }

    /// The same, after which something is looked at, off the clock.
    #[must_use]
    pub fn followed_by(self, after: impl FnOnce() -> Aftermath + Send + 't) -> Self {
        Self { after: Some(Box::new(after)), ..self }
    }
}

/// How a phase is done.
#[must_use]
pub fn procedure(phase: Phase) -> Box<dyn Procedure> {
    match phase {
        Phase::BlockWrite => Box::new(block_write::BlockWrite),
        Phase::Rewrite => Box::new(rewrite::Rewrite),
        Phase::BlockRead => Box::new(block_read::BlockRead),
        Phase::RandomSeek => Box::new(random_seek::RandomSeek),
        Phase::SeqCreate => Box::new(create::Create(FileSetKind::Sequential)),
        Phase::SeqStat => Box::new(stat::Stat(FileSetKind::Sequential)),
        Phase::SeqDelete => Box::new(delete::Delete(FileSetKind::Sequential)),
        Phase::RandomCreate => Box::new(create::Create(FileSetKind::Random)),
        Phase::RandomStat => Box::new(stat::Stat(FileSetKind::Random)),
        Phase::RandomDelete => Box::new(delete::Delete(FileSetKind::Random)),
        Phase::DsyncWrite => Box::new(sync_write::SyncWrite(FlushedBy::DataSync)),
        Phase::FsyncWrite => Box::new(sync_write::SyncWrite(FlushedBy::Fsync)),
        Phase::Transfer(transfer) => Box::new(transfer::TransferPhase(transfer)),
        Phase::FileServer => Box::new(file_server::FileServer),
        Phase::FileRewrite => Box::new(file_rewrite::FileRewrite),
        Phase::FileRead => Box::new(file_read::FileRead),
        Phase::FileRandomRead => Box::new(file_random_read::FileRandomRead),
        Phase::TreeUnpack => Box::new(tree_unpack::TreeUnpack),
        Phase::TreeCopy => Box::new(tree_copy::TreeCopy),
        Phase::TreeSearch => Box::new(tree_search::TreeSearch),
        Phase::TreePrune => Box::new(tree_prune::TreePrune),
        Phase::LibraryWrite => Box::new(library_write::LibraryWrite),
        Phase::LibraryRead => Box::new(library_read::LibraryRead),
        Phase::LargeCopy => Box::new(large_copy::LargeCopy),
        Phase::TreeDelete => Box::new(tree_delete::TreeDelete),
        Phase::DeviceStart
        | Phase::DeviceMiddle
        | Phase::DeviceEnd
        | Phase::DirectStart
        | Phase::DirectMiddle
        | Phase::DirectEnd
        | Phase::DeviceSweep => Box::new(device_read::DeviceRead(phase)),
        Phase::Command(name) => Box::new(command::Command(name)),
        Phase::CharWrite | Phase::CharRead => Box::new(undone::Undone),
    }
}

/// Makes everything that a phase needs, off the clock.
///
/// # Errors
/// When a file or directory cannot be made or opened.
pub fn prepare<'t>(phase: Phase, job: Job<'t>, survey: &Survey) -> Result<Timed<'t>, PhaseError> {
    procedure(phase).prepare(job, survey)
}

/// The phase of a plan whose result a phase needs: the last that made or changed its files, of those that are done. A program needs
/// what the one before it left.
#[must_use]
pub fn needs(phase: Phase, plan: &Plan) -> Option<Phase> {
    let phases = &plan.settings.phases;
    match phase {
        Phase::Command(_) => {
            let before = &phases[..phases.place(phase).unwrap_or(0)];
            before.iter().rev().find(|other| other.row().group == Group::Command).copied()
        }
        _ => {
            let makers: Vec<Phase> = needed_before(phase).iter().copied().filter(|maker| plan.skips(*maker).is_none()).collect();
            phases.last_before(phase, &makers)
        }
    }
}

/// Bytes of memory that the largest phase of some settings needs for names, buffers and threads.
#[must_use]
pub fn memory_needed(settings: &Settings) -> u64 {
    let done = settings.phases.iter().filter(|phase| settings.leaves_out(**phase).is_none());
    done.map(|phase| procedure(*phase).memory_needed(settings)).max().unwrap_or(0)
}

/// Whether no later phase of the plan uses the files of this one, so that they can go.
#[must_use]
pub fn is_last_of_its_files(phase: Phase, plan: &Plan) -> bool {
    let phases = &plan.settings.phases;
    let later = &phases[phases.place(phase).map_or(0, |place| place + 1)..];
    !later.iter().any(|other| other.row().group.files() == phase.row().group.files())
}

/// Removes the files that a phase and those before it made, off the clock. What cannot be removed is left to the end of the run,
/// which names it.
pub fn remove_files(phase: Phase, job: Job<'_>) {
    match phase.row().group.files() {
        Some(Files::Block) => block_file::remove(job),
        Some(Files::Sequential) => file_set::remove(job, FileSetKind::Sequential),
        Some(Files::Random) => file_set::remove(job, FileSetKind::Random),
        Some(Files::Sync) => work_directory::remove_files(job.target, WorkFile::Sync),
        Some(Files::Transfer) => work_directory::remove_files(job.target, WorkFile::Transfer),
        Some(Files::Server) => work_directory::remove(job.target, WorkDirectory::Server),
        Some(Files::Tree) => {
            work_directory::remove(job.target, WorkDirectory::Tree);
            work_directory::remove_files(job.target, WorkFile::Large);
            work_directory::remove_files(job.target, WorkFile::Library);
        }
        Some(Files::Command) => work_directory::remove(job.target, WorkDirectory::Command),
        Some(Files::Device) | None => {}
    }
}
