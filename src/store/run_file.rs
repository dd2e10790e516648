//! A run file that lines are appended to, one at a time, whole or not at all.

use super::{LINE_MOST, LOCK_PATIENCE, StoreError, first_line_problem, line_of};
use crate::model::record::RunRecord;
use crate::sys::append::{self, AppendError, Made};
use std::fs::{File, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How often a lock is tried again while another program has it.
const LOCK_TRY: Duration = Duration::from_millis(20);

/// A run file that lines are appended to.
#[derive(Debug)]
pub struct RunFile {
    path: PathBuf,
    /// The file, when this barrow made it and has not written to it yet.
    made: Option<Made>,
    /// Kept open, where it could not be opened again.
    kept: Option<File>,
}

/// Tries to find a run file that nobody removes at this moment.
const MOST_TRIES: u32 = 3;

impl RunFile {
    /// Makes sure that runs can be appended to a file: opens it (makes it, if need be), locks it for a moment and looks at its
    /// first line.
    ///
    /// # Errors
    /// When it cannot be opened, locked or written, is a link or no regular file, may be somebody's other file, or holds something
    /// else than runs.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let mut file = Self { path: path.to_owned(), made: None, kept: None };
        let (handle, made) = append::open_to_append(path).map_err(|error| file.not_opened(error))?;
        file.made = made;
        match file.probe(&handle) {
            Ok(()) => Ok(file),
            Err(error) => {
                // The error that matters is the one above; an empty file is all that would be left behind.
                let _ = file.remove_if_unused();
                Err(error)
            }
        }
    }

    /// Makes a file that only its owner may read, and keeps it open.
    ///
    /// # Errors
    /// When it cannot be made, or anything of its name is there.
    pub fn make_private(path: &Path) -> Result<Self, StoreError> {
        let mut file = Self { path: path.to_owned(), made: None, kept: None };
        let (handle, made) = append::make_private(path).map_err(|error| file.not_opened(error))?;
        (file.made, file.kept) = (Some(made), Some(handle));
        Ok(file)
    }

    /// Keeps it open from here on, for whoever is about to give up the rights to open it again.
    ///
    /// # Errors
    /// As [`RunFile::open`].
    pub fn keep_open(&mut self) -> Result<(), StoreError> {
        self.kept = Some(append::open_to_append(&self.path).map_err(|error| self.not_opened(error))?.0);
        Ok(())
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether this made the file, and nothing was appended yet.
    #[must_use]
    pub const fn is_unused(&self) -> bool {
        self.made.is_some()
    }

    /// Looks whether the start of the file is that of a run file.
    fn probe(&self, mut handle: &File) -> Result<(), StoreError> {
        self.lock(handle)?;
        let mut start = Vec::new();
        let read = handle.seek(SeekFrom::Start(0)).and_then(|_| handle.take(LINE_MOST).read_to_end(&mut start));
        read.map_err(|error| self.failed("read", error))?;
        match first_line_problem(&start) {
            None => Ok(()),
            Some(problem) => Err(StoreError::NotRuns { path: self.path.clone(), problem }),
        }
    }

    /// Appends one run and flushes it to stable storage. After a torn tail it begins a new line.
    ///
    /// # Errors
    /// When it cannot be written in full.
    pub fn append(&mut self, run: &RunRecord) -> Result<(), StoreError> {
        self.append_lines(line_of(run)?)
    }

    /// Appends lines that [`line_of`] made, all or none, and flushes them to stable storage. After a torn tail they begin a new line.
    ///
    /// # Errors
    /// When they cannot be written in full.
    pub fn append_lines(&mut self, mut lines: Vec<u8>) -> Result<(), StoreError> {
        let file = self.open_locked()?;
        let written = self.write_lines(&file, &mut lines);
        // What is kept open would stay locked.
        let _ = file.unlock();
        written?;
        self.made = None;
        Ok(())
    }

    fn write_lines(&self, mut file: &File, lines: &mut Vec<u8>) -> Result<(), StoreError> {
        if ends_in_a_torn_line(file).map_err(|error| self.failed("read", error))? {
            lines.insert(0, b'\n');
        }
        let length = file.metadata().map_err(|error| self.failed("read", error))?.len();
        let written = file.write_all(lines).and_then(|()| file.sync_all());
        written.map_err(|error| {
            // Half a line is worth nothing, and whoever reads the file should not have to wonder.
            let _ = file.set_len(length);
            self.failed("written", error)
        })
    }

    /// Removes the file again when it was made by [`RunFile::open`] and nothing was appended, by anybody.
    ///
    /// # Errors
    /// When it could not be removed: who gave up the rights to do so leaves it.
    pub fn remove_if_unused(&mut self) -> io::Result<()> {
        self.made.take().map_or(Ok(()), |made| made.remove_if_empty())
    }

    /// The file, locked and with a name: what somebody has removed meanwhile would be lost with all its lines.
    fn open_locked(&self) -> Result<File, StoreError> {
        let mut file = match &self.kept {
            Some(kept) => kept.try_clone().map_err(|error| self.failed("opened", error))?,
            None => self.open_again()?,
        };
        for _ in 0..MOST_TRIES {
            self.lock(&file)?;
            if file.metadata().map_err(|error| self.failed("read", error))?.nlink() > 0 {
                break;
            }
            let _ = file.unlock();
            file = self.open_again()?;
        }
        self.lock(&file)?;
        Ok(file)
    }

    fn open_again(&self) -> Result<File, StoreError> {
        Ok(append::open_to_append(&self.path).map_err(|error| self.not_opened(error))?.0)
    }

    fn lock(&self, file: &File) -> Result<(), StoreError> {
        let begun = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(()),
                // A filesystem without locks: single lines appended at once do not mix.
                Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => return Ok(()),
                Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(TryLockError::Error(error)) => return Err(self.failed("locked", error)),
                Err(TryLockError::WouldBlock) if begun.elapsed() > LOCK_PATIENCE => {
                    return Err(StoreError::Locked { path: self.path.clone() });
                }
                Err(TryLockError::WouldBlock) => std::thread::sleep(LOCK_TRY),
            }
        }
    }

    fn not_opened(&self, error: AppendError) -> StoreError {
        let path = self.path.clone();
        match error {
            AppendError::Call(error) => StoreError::Call { path, verb: "opened", error },
            AppendError::Link => StoreError::Link { path },
            AppendError::NotAFile(what) => StoreError::NotAFile { path, what },
            AppendError::OtherNames(names) => StoreError::OtherNames { path, names },
        }
    }

    fn failed(&self, verb: &'static str, error: io::Error) -> StoreError {
        StoreError::Call { path: self.path.clone(), verb, error }
    }
}

fn ends_in_a_torn_line(mut file: &File) -> io::Result<bool> {
    if file.seek(SeekFrom::End(0))? == 0 {
        return Ok(false);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last != *b"\n")
}
