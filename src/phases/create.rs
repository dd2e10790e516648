//! Create: make each file of a set (and write it, when it has content), close it; then flush.

use super::error::PhaseError;
use super::file_set::{Entry, FileSet, Order};
use super::pool::Pool;
use super::{Flush, Job, Tally, Timed, Work};
use crate::model::settings::Io;
use crate::target::scratch::FileSetKind;
use crate::target::{Access, FlushMethod, Handle, Target, write_all};
use std::sync::Arc;

/// Makes the names, the data and the directories, and flushes the directories.
pub fn prepare(job: Job<'_>, kind: FileSetKind) -> Result<Timed<'_>, PhaseError> {
    let settings = &job.plan.settings;
    let set = FileSet::of(settings, kind);
    let mut workers = Vec::new();
    let mut made = Vec::new();
    for worker in 0..settings.workers {
        set.make_directories(job.target, worker)?;
        let directories = set.open_directories(job.target, worker)?;
        let entries = set.entries(worker, Order::Index);
        made.push((Arc::clone(&directories), Arc::clone(&entries)));
        let mut maker = Maker { job, set, chunk_size: settings.chunk_size.min(settings.max_size) as usize, pool: None };
        if settings.max_size > 0 {
            maker.pool = Some(Pool::of(job.stamps.nonce, worker, maker.chunk_size));
        }
        let tally = Tally::of_known(job, entries.len() as u64);
        let work = move |tally: &mut Tally<'_>| {
            for entry in entries.iter() {
                maker.make(&directories[set.directory(entry.number)], entry)?;
                tally.operation(1)?;
            }
            tally.acknowledged();
            Ok(())
        };
        workers.push((Box::new(work) as Work<'_>, tally));
    }
    job.target.flush().map_err(|source| PhaseError::Call { doing: "flush the directories".to_owned(), source })?;
    Ok(Timed { workers, flush: Some(flush(job.target, set, made)) })
}

struct Maker<'t> {
    job: Job<'t>,
    set: FileSet,
    chunk_size: usize,
    pool: Option<Pool>,
}

impl Maker<'_> {
    fn make(&mut self, directory: &Handle, entry: &Entry) -> Result<(), PhaseError> {
        let target = self.job.target;
        let opened = target.open(directory, entry.name(), Access::CreateNew, Io::Buffered);
        let file = opened.map_err(|source| self.set.failed("create", entry, source))?;
        if let Some(pool) = &mut self.pool {
            let stamper = self.job.stamps.of(self.set.origin(entry.number));
            let size = self.set.size(entry.number);
            let mut offset = 0;
            while offset < size {
                let bytes = pool.slice((size - offset).min(self.chunk_size as u64) as usize);
                stamper.mark(bytes, offset);
                write_all(target, &file, bytes, offset).map_err(|source| self.set.failed("write", entry, source))?;
                offset += bytes.len() as u64;
            }
        }
        target.close(file).map_err(|source| self.set.failed("close", entry, source))
    }
}

/// A worker's open directories and its files.
type Made = (Arc<[Handle]>, Arc<[Entry]>);

fn flush(target: &dyn Target, set: FileSet, made: Vec<Made>) -> Flush<'_> {
    match target.flush_method() {
        FlushMethod::WholeFilesystem => {
            Box::new(move || target.flush().map_err(|source| PhaseError::Call { doing: "flush the filesystem".to_owned(), source }))
        }
        FlushMethod::EachFile => Box::new(move || made.iter().try_for_each(|made| flush_each(target, set, made))),
    }
}

fn flush_each(target: &dyn Target, set: FileSet, (directories, entries): &Made) -> Result<(), PhaseError> {
    for entry in entries.iter() {
        let directory = &directories[set.directory(entry.number)];
        let file = target.open(directory, entry.name(), Access::ReadWrite, Io::Buffered);
        let flushed = file.and_then(|file| target.sync(&file).and_then(|()| target.close(file)));
        flushed.map_err(|source| set.failed("flush", entry, source))?;
    }
    flush_directories(target, directories)
}

/// Flushes directories one by one.
pub fn flush_directories(target: &dyn Target, directories: &[Handle]) -> Result<(), PhaseError> {
    directories.iter().try_for_each(|directory| {
        target.sync(directory).map_err(|source| PhaseError::Call { doing: "flush a directory".to_owned(), source })
    })
}
