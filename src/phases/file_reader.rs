//! How the content of one file of a set is read and checked, whichever phase does it.

use super::Job;
use super::entry::Entry;
use super::error::PhaseError;
use super::file_set::FileSet;
use super::pool::Buffer;
use crate::model::settings::Io;
use crate::target::{Access, Handle, read_exact};
use std::io;

/// Reads files of a set, and checks that they are as they stand in it.
pub struct FileReader<'t> {
    job: Job<'t>,
    set: FileSet,
    buffer: Buffer,
}

impl<'t> FileReader<'t> {
    /// For files as they stand in `set`.
    #[must_use]
    pub fn of(job: Job<'t>, set: FileSet) -> Self {
        Self { job, set, buffer: Buffer::of(job.plan.settings.file_transfer() as usize) }
    }

    /// Opens a file.
    ///
    /// # Errors
    /// Names the file.
    pub fn open(&self, directory: &Handle, entry: &Entry) -> Result<Handle, PhaseError> {
        let opened = self.job.target.open(directory, entry.name(), Access::Read, Io::Buffered);
        opened.map_err(|source| self.set.failed("open", entry, source))
    }

    /// Checks the size that the system tells of a file.
    ///
    /// # Errors
    /// When another one was written.
    pub fn check_size(&self, size: u64, entry: &Entry) -> Result<(), PhaseError> {
        let expected = self.set.size(entry.number);
        if size == expected {
            return Ok(());
        }
        let source = io::Error::other(format!("it has {size} bytes, {expected} were written"));
        Err(self.set.failed("stat", entry, source))
    }

    /// Reads a whole file of so many bytes, checks it and closes it. Gives the bytes that were read.
    ///
    /// # Errors
    /// Names the file, and the place in it.
    pub fn read_and_close(&mut self, file: Handle, entry: &Entry, size: u64) -> Result<u64, PhaseError> {
        let (target, set) = (self.job.target, self.set);
        let marks = set.marks(self.job.stamps, entry.number);
        let mut offset = 0;
        while offset < size {
            let buffer = self.buffer.bytes();
            let length = (size - offset).min(buffer.len() as u64) as usize;
            let bytes = &mut buffer[..length];
            read_exact(target, &file, bytes, offset).map_err(|source| set.transfer_failed("read", entry, offset, source))?;
            if let Some(place) = marks.first_wrong(bytes, offset) {
                let found = bytes[place..].first_chunk().copied().unwrap_or_default();
                return Err(self.wrong_data(entry, found, offset + place as u64));
            }
            offset += length as u64;
        }
        target.close(file).map_err(|source| set.failed("close", entry, source))?;
        Ok(size)
    }

    #[cold]
    fn wrong_data(&self, entry: &Entry, found: [u8; 8], offset: u64) -> PhaseError {
        let set = self.set;
        let files: Vec<(u64, u64)> = (0..set.files() as u32).map(|number| (set.origin(number).file, set.size(number))).collect();
        let found = self.job.stamps.explain(found, offset, set.origin(entry.number), set.duplicates(), &files);
        PhaseError::WrongData { doing: set.doing("read", entry), offset, found }
    }
}
