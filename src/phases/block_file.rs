//! The block files: one a worker, and how their chunks are shared, read and checked.

use super::duplicates::{Duplicates, Marks};
use super::error::PhaseError;
use super::procedure::memory_of_threads;
use super::stamp::{Generation, Origin, Stamps};
use super::{Job, Tally, Timed, Work};
use crate::model::phase::Phase;
use crate::model::settings::{Io, Settings, SyncAt};
use crate::target::scratch::block_file_name;
use crate::target::{Access, Handle, Target, read_exact, write_all};
use std::ffi::CString;
use std::io;
use std::ops::Range;

/// The share of one worker in things numbered from 0: the first workers have one more where they do not divide.
#[must_use]
pub fn share(total: u64, worker: u64, workers: u64) -> Range<u64> {
    let (each, more) = (total / workers, total % workers);
    let start = worker * each + worker.min(more);
    start..start + each + u64::from(worker < more)
}

/// The block file of one worker.
#[derive(Debug, Clone)]
pub struct BlockFile {
    /// Its name in the root.
    pub name: CString,
    /// Its number for stamps, which no other file of the run has: of block files the worker's.
    pub number: u64,
    /// Bytes of a chunk.
    pub chunk_size: usize,
    /// Its chunks.
    pub chunks: u64,
    /// How it is opened.
    pub io: Io,
    /// When it is flushed.
    pub sync: SyncAt,
}

/// All block files of a run, and what marks their data.
#[derive(Debug, Clone)]
pub struct BlockFiles<'t> {
    target: &'t dyn Target,
    stamps: &'t Stamps,
    duplicates: Duplicates,
    /// One a worker.
    pub files: Vec<BlockFile>,
}

impl std::fmt::Debug for dyn Target + '_ {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a target")
    }
}

impl<'t> BlockFiles<'t> {
    /// The files of all workers.
    #[must_use]
    pub fn of(job: Job<'t>) -> Self {
        let settings: &Settings = &job.plan.settings;
        let chunks = settings.file_size / settings.chunk_size;
        let file = |worker| {
            let share = share(chunks, worker, settings.workers);
            BlockFile {
                name: block_file_name(worker),
                number: worker,
                chunk_size: settings.chunk_size as usize,
                chunks: share.end - share.start,
                io: settings.io,
                sync: settings.sync,
            }
        };
        Self::of_files(job, (0..settings.workers).map(file).collect())
    }

    /// Other files in the root that are read and written as these.
    #[must_use]
    pub fn of_files(job: Job<'t>, files: Vec<BlockFile>) -> Self {
        Self { target: job.target, stamps: job.stamps, duplicates: Duplicates::of(&job.plan.settings), files }
    }

    /// The timed part of a phase in which each worker goes through its own file once: `work_of` makes a worker's buffers and gives
    /// its work.
    pub fn timed<W>(job: Job<'t>, work_of: impl Fn(Self, BlockFile) -> W) -> Timed<'t>
    where
        W: FnMut(&mut Tally<'t>) -> Result<(), PhaseError> + Send + 't,
    {
        let files = Self::of(job);
        let workers = files.files.iter().map(|file| {
            let work: Work<'t> = Box::new(work_of(files.clone(), file.clone()));
            (work, Tally::of_known(job, file.chunks))
        });
        Timed::of(workers.collect())
    }

    /// What stamps a file in a generation.
    #[must_use]
    pub const fn marks(&self, file: &BlockFile, generation: Generation) -> Marks {
        Marks::of(self.stamps, Origin { file: file.number, generation }, self.duplicates)
    }

    /// Opens or makes a file.
    ///
    /// # Errors
    /// Names the file.
    pub fn open(&self, file: &BlockFile, access: Access) -> Result<Handle, PhaseError> {
        self.target.open(self.target.root(), &file.name, access, file.io).map_err(|source| file.failed("open", source))
    }

    /// Flushes a file and closes it.
    ///
    /// # Errors
    /// Names the file.
    pub fn sync_and_close(&self, file: &BlockFile, handle: Handle) -> Result<(), PhaseError> {
        self.target.sync(&handle).map_err(|source| file.failed("flush", source))?;
        self.close(file, handle)
    }

    /// Closes a file.
    ///
    /// # Errors
    /// Names the file.
    pub fn close(&self, file: &BlockFile, handle: Handle) -> Result<(), PhaseError> {
        self.target.close(handle).map_err(|source| file.failed("close", source))
    }

    /// Writes at an offset, and flushes where the plan wants that after every write.
    ///
    /// # Errors
    /// Names the place.
    #[inline]
    pub fn write(&self, file: &BlockFile, handle: &Handle, bytes: &[u8], offset: u64) -> Result<(), PhaseError> {
        write_all(self.target, handle, bytes, offset).map_err(|source| file.place_failed("write", offset, bytes.len(), source))?;
        match file.sync {
            SyncAt::End | SyncAt::Open | SyncAt::Dirs => Ok(()),
            SyncAt::Every => self.target.sync(handle).map_err(|source| file.place_failed("flush", offset, bytes.len(), source)),
        }
    }

    /// Reads at an offset and checks that what is read was written there in this generation.
    ///
    /// # Errors
    /// Names the place, and what stood there instead.
    #[inline]
    pub fn read(
        &self,
        file: &BlockFile,
        handle: &Handle,
        buffer: &mut [u8],
        offset: u64,
        generation: Generation,
    ) -> Result<(), PhaseError> {
        read_exact(self.target, handle, buffer, offset).map_err(|source| file.place_failed("read", offset, buffer.len(), source))?;
        match self.marks(file, generation).first_wrong(buffer, offset) {
            None => Ok(()),
            Some(place) => Err(self.wrong_data(file, buffer, place, offset, generation)),
        }
    }

    #[cold]
    fn wrong_data(&self, file: &BlockFile, buffer: &[u8], place: usize, offset: u64, generation: Generation) -> PhaseError {
        let found = buffer[place..].first_chunk().copied().unwrap_or_default();
        let files: Vec<(u64, u64)> = self.files.iter().map(|file| (file.number, file.size())).collect();
        let at = offset + place as u64;
        let found = self.stamps.explain(found, at, Origin { file: file.number, generation }, self.duplicates, &files);
        PhaseError::WrongData { doing: file.place("read", offset, buffer.len()), offset: at, found }
    }
}

impl BlockFile {
    /// Its size in bytes.
    #[must_use]
    pub const fn size(&self) -> u64 {
        self.chunks * self.chunk_size as u64
    }

    /// `write chunk 81920 of 131072 of block.0`; transfers of another size are numbered in their own size.
    fn place(&self, verb: &str, offset: u64, length: usize) -> String {
        let thing = if length == self.chunk_size { "chunk" } else { "place" };
        let length = length.max(1) as u64;
        format!("{verb} {thing} {} of {} of {}", offset / length, self.size() / length, self.name.to_string_lossy())
    }

    #[cold]
    fn place_failed(&self, verb: &str, offset: u64, length: usize, source: io::Error) -> PhaseError {
        PhaseError::Call { doing: format!("{} at byte {offset}", self.place(verb, offset, length)), source }
    }

    /// A failed call on the file as a whole: `open block.0`.
    #[cold]
    #[must_use]
    pub fn failed(&self, verb: &str, source: io::Error) -> PhaseError {
        PhaseError::Call { doing: format!("{verb} {}", self.name.to_string_lossy()), source }
    }
}

/// The names of the block files of some settings.
#[must_use]
pub fn names(settings: &Settings) -> Vec<CString> {
    (0..settings.workers).map(block_file_name).collect()
}

/// The generation of the data when the last phase before `phase` was done that writes the files from start to end.
#[must_use]
pub fn generation_before(phase: Phase, settings: &Settings) -> Generation {
    match settings.phases.last_before(phase, &[Phase::BlockWrite, Phase::Rewrite]) {
        Some(Phase::BlockWrite) => Generation::Written,
        Some(_) | None => Generation::Rewritten,
    }
}

/// Bytes of memory of one thread a file.
#[must_use]
pub const fn memory_needed(settings: &Settings) -> u64 {
    memory_of_threads(settings, settings.workers, settings.chunk_size)
}

/// Removes the block files, off the clock.
pub fn remove(job: Job<'_>) {
    for file in BlockFiles::of(job).files {
        // What is left here is named when the run gives its ground back.
        let _ = job.target.unlink(job.target.root(), &file.name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn shares_are_whole_and_even(total in 0_u64..10_000, workers in 1_u64..100) {
            let shares: Vec<Range<u64>> = (0..workers).map(|worker| share(total, worker, workers)).collect();
            prop_assert_eq!(shares[0].start, 0);
            prop_assert_eq!(shares[shares.len() - 1].end, total);
            prop_assert!(shares.windows(2).all(|pair| pair[0].end == pair[1].start));
            prop_assert!(shares.iter().all(|share| share.end - share.start <= total / workers + 1));
        }
    }
}
