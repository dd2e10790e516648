//! How the content of one file of a set is written and flushed, whichever phase does it.

use super::Job;
use super::content::Content;
use super::entry::Entry;
use super::error::PhaseError;
use super::file_set::FileSet;
use crate::model::settings::{Io, SyncAt};
use crate::target::{Access, Handle, Target, write_all};

/// Writes files of a set with what a worker has of data. They are small, so they go through the page cache whatever `io` says.
pub struct FileWriter<'t> {
    job: Job<'t>,
    set: FileSet,
    transfer: usize,
    /// None for empty files.
    content: Option<Content>,
}

impl<'t> FileWriter<'t> {
    /// For a worker, who writes the files as they stand in `set`.
    #[must_use]
    pub fn of(job: Job<'t>, set: FileSet, worker: u64) -> Self {
        let settings = &job.plan.settings;
        let transfer = settings.file_transfer() as usize;
        let content = (transfer > 0).then(|| Content::of(settings, job.stamps.nonce, worker, transfer));
        Self { job, set, transfer, content }
    }

    /// Writes the whole content of a file that is open and empty, flushes it where the plan wants that of every file, and closes it.
    /// Gives the bytes that were written.
    ///
    /// # Errors
    /// Names the file, and the place in it.
    pub fn write_and_close(&mut self, file: Handle, entry: &Entry) -> Result<u64, PhaseError> {
        let (set, target) = (self.set, self.job.target);
        let mut written = 0;
        if let Some(content) = &mut self.content {
            let marks = set.marks(self.job.stamps, entry.number);
            let size = set.size(entry.number);
            while written < size {
                let length = (size - written).min(self.transfer as u64) as usize;
                let bytes = content.next(&marks, written, length);
                write_all(target, &file, bytes, written).map_err(|source| set.transfer_failed("write", entry, written, source))?;
                written += bytes.len() as u64;
            }
        }
        if self.job.plan.settings.sync == SyncAt::Every {
            target.sync(&file).map_err(|source| set.failed("flush", entry, source))?;
        }
        target.close(file).map_err(|source| set.failed("close", entry, source))?;
        Ok(written)
    }
}

/// Flushes one file by itself.
///
/// # Errors
/// Names the file.
pub fn flush_file(target: &dyn Target, set: FileSet, directory: &Handle, entry: &Entry) -> Result<(), PhaseError> {
    let file = target.open(directory, entry.name(), Access::ReadWrite, Io::Buffered);
    let flushed = file.and_then(|file| target.sync(&file).and_then(|()| target.close(file)));
    flushed.map_err(|source| set.failed("flush", entry, source))
}
