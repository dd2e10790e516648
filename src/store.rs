//! Run files: JSON Lines, one run a line, appended and flushed the moment the run ends; nothing that was measured is ever lost.

use crate::model::record::{RunRecord, SCHEMA};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A run file that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A call failed.
    #[error("{}: cannot be {verb}: {}", path.display(), plain(error))]
    Call {
        /// The run file.
        path: PathBuf,
        /// `opened`, `read`, `locked`, `written`.
        verb: &'static str,
        /// What the system said.
        error: io::Error,
    },
    /// Another program has it locked.
    #[error("{}: another program has it locked, and did not let go in {} s", path.display(), LOCK_PATIENCE.as_secs())]
    Locked {
        /// The run file.
        path: PathBuf,
    },
    /// It is no file that lines can be appended to.
    #[error("{}: is {what}, not a run file", path.display())]
    NotAFile {
        /// The path.
        path: PathBuf,
        /// What it is.
        what: &'static str,
    },
    /// Its first line is no run that this barrow could have written.
    #[error("{}: is not a run file (line 1 {problem}); nothing was written to it", path.display())]
    NotRuns {
        /// The path.
        path: PathBuf,
        /// What is wrong with its first line.
        problem: String,
    },
    /// A run that cannot be written as a line.
    #[error("a run cannot be written as a line: {0}")]
    NotALine(serde_json::Error),
}

/// How long another program may keep a run file locked.
const LOCK_PATIENCE: Duration = Duration::from_secs(10);
/// How often it is tried again meanwhile.
const LOCK_TRY: Duration = Duration::from_millis(20);
/// Tries to open a file that others remove.
const MOST_TRIES: u32 = 20;

/// The system's words for an error, without its number: `no space left on device`.
fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or_default();
    let mut letters = text.chars();
    letters.next().map(|first| first.to_lowercase().collect::<String>() + letters.as_str()).unwrap_or_default()
}

/// A line of a run file that holds no run that can be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}:{line}: {problem}", path.display())]
pub struct BadLine {
    /// The run file.
    pub path: PathBuf,
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub problem: String,
}

/// What a run file holds.
#[derive(Debug, Default, PartialEq)]
pub struct Loaded {
    /// The runs, in the order of the lines.
    pub runs: Vec<RunRecord>,
    /// The lines that could not be read.
    pub bad: Vec<BadLine>,
}

/// A run file that lines are appended to.
#[derive(Debug)]
pub struct RunFile {
    path: PathBuf,
    /// Where the file truly lies, by device and inode, when this barrow made it and has not written to it yet.
    made: Option<(PathBuf, u64, u64)>,
}

impl RunFile {
    /// Makes sure that runs can be appended to a file: opens it (makes it, if need be), locks it for a moment and looks at its
    /// first line.
    ///
    /// # Errors
    /// When it cannot be opened, locked or written, is no regular file, or holds something else than runs.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        if let Ok(metadata) = fs::metadata(path)
            && let Some(what) = what_else(&metadata.file_type())
        {
            return Err(StoreError::NotAFile { path: path.to_owned(), what });
        }
        let mut file = Self { path: path.to_owned(), made: None };
        let handle = match OpenOptions::new().read(true).append(true).open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let handle = file.open_to_append()?;
                let metadata = handle.metadata().map_err(|error| file.failed("read", error))?;
                let place = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
                file.made = Some((place, metadata.dev(), metadata.ino()));
                handle
            }
            other => other.map_err(|error| file.failed("opened", error))?,
        };
        match file.probe(handle) {
            Ok(()) => Ok(file),
            Err(error) => {
                file.remove_if_unused();
                Err(error)
            }
        }
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
    fn probe(&self, mut handle: File) -> Result<(), StoreError> {
        self.lock(&handle)?;
        let mut start = Vec::new();
        let read = handle.seek(SeekFrom::Start(0)).and_then(|_| (&mut handle).take(FIRST_LINE_MOST).read_to_end(&mut start));
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
        let mut line = line_of(run)?;
        let mut file = self.open_locked()?;
        if ends_in_a_torn_line(&mut file).map_err(|error| self.failed("read", error))? {
            line.insert(0, b'\n');
        }
        let length = file.metadata().map_err(|error| self.failed("read", error))?.len();
        let written = file.write_all(&line).and_then(|()| file.sync_all());
        if let Err(error) = written {
            // Half a line is worth nothing, and whoever reads the file should not have to wonder.
            let _ = file.set_len(length);
            return Err(self.failed("written", error));
        }
        self.made = None;
        Ok(())
    }

    /// Removes the file again when it was made by [`RunFile::open`] and nothing was appended, by anybody.
    pub fn remove_if_unused(&mut self) {
        let Some((place, device, inode)) = self.made.take() else {
            return;
        };
        let Ok(handle) = File::open(&place) else {
            return;
        };
        let is_locked = handle.try_lock().is_ok();
        let is_the_one = handle.metadata().is_ok_and(|file| file.dev() == device && file.ino() == inode && file.len() == 0);
        if is_locked && is_the_one {
            // An empty file is all that would be left behind.
            let _ = fs::remove_file(&place);
        }
    }

    fn open_to_append(&self) -> Result<File, StoreError> {
        OpenOptions::new().read(true).append(true).create(true).open(&self.path).map_err(|error| self.failed("opened", error))
    }

    /// Opens the file and locks it. Whoever had it locked meanwhile may have removed it, because it was still unused to him: a run that
    /// is appended to it then would be lost.
    fn open_locked(&self) -> Result<File, StoreError> {
        let mut tries = 0;
        loop {
            tries += 1;
            let file = self.open_to_append()?;
            self.lock(&file)?;
            let links = file.metadata().map_err(|error| self.failed("read", error))?.nlink();
            let is_there = links > 0 && fs::symlink_metadata(&self.path).is_ok();
            if is_there || tries == MOST_TRIES {
                return Ok(file);
            }
        }
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

    fn failed(&self, verb: &'static str, error: io::Error) -> StoreError {
        StoreError::Call { path: self.path.clone(), verb, error }
    }
}

/// A run as a line of a run file, ended.
///
/// # Errors
/// When it cannot be written as JSON.
pub fn line_of(run: &RunRecord) -> Result<Vec<u8>, StoreError> {
    let mut line = serde_json::to_vec(run).map_err(StoreError::NotALine)?;
    line.push(b'\n');
    Ok(line)
}

/// Longer than any first line.
const FIRST_LINE_MOST: u64 = 4 << 20;

fn what_else(kind: &fs::FileType) -> Option<&'static str> {
    if kind.is_file() {
        None
    } else if kind.is_dir() {
        Some("a directory")
    } else if kind.is_fifo() {
        Some("a pipe")
    } else if kind.is_socket() {
        Some("a socket")
    } else {
        Some("a device")
    }
}

/// Whether a file holds runs already, so that nothing else should be written over it.
#[must_use]
pub fn holds_runs(path: &Path) -> bool {
    let mut start = Vec::new();
    let is_file = fs::metadata(path).is_ok_and(|metadata| metadata.is_file());
    let read = is_file && File::open(path).is_ok_and(|file| file.take(FIRST_LINE_MOST).read_to_end(&mut start).is_ok());
    read && first_line(&start).is_some_and(|line| is_torn_start(&start, line) || serde_json::from_slice::<Form>(line).is_ok())
}

fn first_line(start: &[u8]) -> Option<&[u8]> {
    start.split(|byte| *byte == b'\n').find(|line| !line.is_empty())
}

fn is_torn_start(start: &[u8], line: &[u8]) -> bool {
    !start.contains(&b'\n') && line.starts_with(b"{\"schema\":")
}

/// Why the start of a file is not the start of a run file; `None` for an empty one, and for one whose only line is torn.
fn first_line_problem(start: &[u8]) -> Option<String> {
    let first = first_line(start)?;
    if is_torn_start(start, first) {
        return None;
    }
    match serde_json::from_slice::<Form>(first) {
        Ok(form) if form.schema > SCHEMA => Some(newer(form.schema)),
        Ok(_) => None,
        Err(_) => Some("is not a run".to_owned()),
    }
}

fn newer(schema: u32) -> String {
    format!("was written by a newer barrow (schema {schema}, this one reads up to {SCHEMA}): use that one to read it")
}

fn ends_in_a_torn_line(file: &mut File) -> io::Result<bool> {
    if file.seek(SeekFrom::End(0))? == 0 {
        return Ok(false);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last != *b"\n")
}

/// What every version of the form has.
#[derive(serde::Deserialize)]
struct Form {
    schema: u32,
}

/// Reads every run of a file (or of a pipe); lines that cannot be read are named, and the rest is kept.
///
/// # Errors
/// When the file cannot be read at all.
pub fn load(path: &Path) -> Result<Loaded, StoreError> {
    let failed = |verb, error| StoreError::Call { path: path.to_owned(), verb, error };
    let kind = fs::metadata(path).map_err(|error| failed("opened", error))?.file_type();
    match what_else(&kind) {
        None | Some("a pipe") => {}
        Some(what) => return Err(StoreError::NotAFile { path: path.to_owned(), what }),
    }
    let file = File::open(path).map_err(|error| failed("opened", error))?;
    load_from(path, BufReader::with_capacity(1 << 20, file)).map_err(|error| failed("read", error))
}

/// Reads every run of the text of a run file, line by line; `path` is for messages. A file without a single run is named once.
///
/// # Errors
/// When it cannot be read.
pub fn load_from(path: &Path, mut text: impl BufRead) -> io::Result<Loaded> {
    let mut loaded = Loaded::default();
    let bad = |line, problem: &str| BadLine { path: path.to_owned(), line, problem: problem.to_owned() };
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        if text.read_until(b'\n', &mut line)? == 0 {
            break;
        }
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        match parse_line(line.strip_suffix(b"\n").unwrap_or(&line)) {
            Ok(run) => loaded.runs.push(run),
            Err(problem) => loaded.bad.push(bad(number, &problem)),
        }
    }
    if loaded.runs.is_empty() {
        match loaded.bad.len() {
            0 => loaded.bad.push(bad(1, "the file holds no runs; `barrow run` appends to it")),
            1 => {}
            lines => {
                loaded.bad.truncate(1);
                loaded.bad[0].problem += &format!("; nor is any of the {} other lines: this is not a run file", lines - 1);
            }
        }
    }
    Ok(loaded)
}

fn parse_line(line: &[u8]) -> Result<RunRecord, String> {
    match serde_json::from_slice::<RunRecord>(line) {
        Ok(run) if run.schema > SCHEMA => Err(newer(run.schema)),
        Ok(run) => Ok(run),
        Err(error) => Err(line_problem(line, &error)),
    }
}

/// What is wrong with a line that could not be read as a run.
fn line_problem(line: &[u8], error: &serde_json::Error) -> String {
    if error.is_eof() {
        return "the line is torn: it ends in the middle of a run, which is lost".to_owned();
    }
    match serde_json::from_slice::<Form>(line) {
        Ok(form) if form.schema > SCHEMA => newer(form.schema),
        Ok(form) => format!("is not a run of schema {}: {error}", form.schema),
        Err(_) => "is not a run".to_owned(),
    }
}

#[cfg(test)]
mod tests;
