//! Transfers: each worker reads or writes at places of its own share, one transfer after the other, so that one is under way at a time.

mod layout;
mod shares;

use super::block_file::{BlockFile, BlockFiles};
use super::content::Content;
use super::pool::Buffer;
use super::procedure::memory_of_threads;
use super::stamp::Generation;
use super::{Job, Moved, PhaseError, Procedure, Survey, Tally, Timed, Work};
use crate::model::phase::{Direction, Phase, Transfer, TransferOrder};
use crate::model::plan::Plan;
use crate::model::record::Counted;
use crate::model::settings::Settings;
use crate::target::scratch::WorkFile;
use crate::target::{Access, Handle};
use shares::{Share, file_sizes};
use std::ffi::CString;

/// The numbers of these files for stamps begin here, above those of block files.
const FIRST_NUMBER: u64 = 1 << 32;
/// Each phase has so many pools of random data: one a worker.
const POOLS_OF_PHASE: u64 = 1 << 16;

/// The generation of all data: which places a phase wrote depends on its speed, so that no later one could know of others.
const GENERATION: Generation = Generation::Written;

/// Reads or writes in transfers of one size.
#[derive(Debug)]
pub struct TransferPhase(pub Transfer);

/// The files that all transfer phases share, with the chunks that these transfers make of them.
fn files_of(job: Job<'_>, transfer: Transfer) -> BlockFiles<'_> {
    let settings = &job.plan.settings;
    let file = |(number, size): (u64, u64)| BlockFile {
        name: WorkFile::Transfer.name(number),
        number: FIRST_NUMBER + number,
        chunk_size: transfer.bytes as usize,
        chunks: size / u64::from(transfer.bytes),
        io: settings.io,
        sync: settings.sync,
    };
    BlockFiles::of_files(job, (0..).zip(file_sizes(settings)).map(file).collect())
}

fn names(settings: &Settings) -> Vec<CString> {
    (0..settings.transfer_files()).map(|number| WorkFile::Transfer.name(number)).collect()
}

impl Procedure for TransferPhase {
    /// Files that no phase before has made are made here, so that every phase finds whole files, and has them as cold as any.
    fn survey(&self, job: Job<'_>) -> Result<Survey, PhaseError> {
        layout::lay_out(job, &files_of(job, self.0))?;
        Ok(Survey::new())
    }

    fn prepare<'t>(&self, job: Job<'t>, _survey: &Survey) -> Result<Timed<'t>, PhaseError> {
        let files = files_of(job, self.0);
        let workers = (0..u64::from(self.0.workers)).map(|worker| self.worker(job, &files, worker));
        Ok(Timed::of(workers.collect::<Result<_, _>>()?))
    }

    fn work_expected(&self, plan: &Plan) -> Option<u64> {
        let bytes = |worker| Share::of(&plan.settings, self.0, worker).known().map(|transfers| transfers * u64::from(self.0.bytes));
        (0..u64::from(self.0.workers)).map(bytes).sum()
    }

    fn moved(&self, _plan: &Plan, counted: &Counted) -> Moved {
        match self.0.direction {
            Direction::Read => Moved { read: counted.work, checked: counted.work, ..Moved::default() },
            Direction::Write => Moved { written: counted.work, ..Moved::default() },
        }
    }

    fn files_read(&self, plan: &Plan) -> Vec<CString> {
        match self.0.direction {
            Direction::Read => names(&plan.settings),
            Direction::Write => Vec::new(),
        }
    }

    fn files_touched(&self, plan: &Plan) -> Vec<CString> {
        names(&plan.settings)
    }

    fn memory_needed(&self, settings: &Settings) -> u64 {
        memory_of_threads(settings, u64::from(self.0.workers), u64::from(self.0.bytes))
    }
}

impl TransferPhase {
    /// Opens what a worker has a part of, and gives its work.
    fn worker<'t>(&self, job: Job<'t>, files: &BlockFiles<'t>, worker: u64) -> Result<(Work<'t>, Tally<'t>), PhaseError> {
        let share = Share::of(&job.plan.settings, self.0, worker);
        let handles = share.parts.iter().map(|part| self.open(job, files, &files.files[part.file])).collect::<Result<Vec<_>, _>>()?;
        let tally = share.known().map_or_else(|| Tally::of_unknown(job), |transfers| Tally::of_known(job, transfers));
        let length = self.0.bytes as usize;
        let work: Work<'t> = match self.0.direction {
            Direction::Read => Box::new(reading(files.clone(), share, handles, length)),
            Direction::Write => {
                let settings = &job.plan.settings;
                let place = settings.phases.place(Phase::Transfer(self.0)).unwrap_or(0) as u64;
                let pool = FIRST_NUMBER + (place + 1) * POOLS_OF_PHASE + worker;
                let content = Content::of(settings, job.stamps.nonce, pool, length);
                Box::new(writing(files.clone(), share, handles, length, content))
            }
        };
        Ok((work, tally))
    }

    fn open(&self, job: Job<'_>, files: &BlockFiles<'_>, file: &BlockFile) -> Result<Handle, PhaseError> {
        let access = match self.0.direction {
            Direction::Read => Access::Read,
            Direction::Write => Access::ReadWrite,
        };
        let handle = files.open(file, access)?;
        match self.0.order {
            TransferOrder::Sequential => {}
            TransferOrder::Random => {
                job.target.advise_random(&handle).map_err(|source| file.failed("turn readahead off for", source))?;
            }
        }
        Ok(handle)
    }
}

/// Reads and checks until it is enough.
fn reading<'t>(
    files: BlockFiles<'t>,
    share: Share,
    handles: Vec<Handle>,
    length: usize,
) -> impl FnMut(&mut Tally<'t>) -> Result<(), PhaseError> + Send + 't {
    let mut buffer = Buffer::of(length);
    move |tally| {
        let mut done = 0;
        while share.goes_on(done, tally.elapsed_ns()) {
            let (part, offset) = share.place(done);
            files.read(&files.files[share.parts[part].file], &handles[part], buffer.bytes(), offset, GENERATION)?;
            tally.operation(length as u64)?;
            done += 1;
        }
        tally.finish();
        Ok(())
    }
}

/// Writes until it is enough, then flushes and closes.
fn writing<'t>(
    files: BlockFiles<'t>,
    share: Share,
    mut handles: Vec<Handle>,
    length: usize,
    mut content: Content,
) -> impl FnMut(&mut Tally<'t>) -> Result<(), PhaseError> + Send + 't {
    let marks: Vec<_> = files.files.iter().map(|file| files.marks(file, GENERATION)).collect();
    move |tally| {
        let mut done = 0;
        while share.goes_on(done, tally.elapsed_ns()) {
            let (part, offset) = share.place(done);
            let file = share.parts[part].file;
            files.write(&files.files[file], &handles[part], content.next(&marks[file], offset, length), offset)?;
            tally.operation(length as u64)?;
            done += 1;
        }
        tally.finish();
        let mut closing = share.parts.iter().zip(handles.drain(..));
        closing.try_for_each(|(part, handle)| files.sync_and_close(&files.files[part.file], handle))
    }
}

#[cfg(test)]
pub mod tests;
