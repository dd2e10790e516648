//! Run files: JSON Lines, one run a line, appended and flushed the moment the run ends; nothing that was measured is ever lost.

use crate::model::record::{RunRecord, SCHEMA};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

/// A run file that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A call failed.
    #[error("{}: cannot be {verb}: {source}", path.display())]
    Call {
        /// The run file.
        path: PathBuf,
        /// `opened`, `read`, `locked`, `written`.
        verb: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// It is no file that lines can be appended to.
    #[error("{}: is {what}, not a run file", path.display())]
    NotAFile {
        /// The path.
        path: PathBuf,
        /// What it is.
        what: &'static str,
    },
    /// Its first line is no run.
    #[error("{}: is not a run file (line 1: {problem}); nothing was written to it", path.display())]
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
    is_new: bool,
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
        let is_new = !path.exists();
        let file = Self { path: path.to_owned(), is_new };
        let mut handle = file.open_to_append()?;
        file.locked(&handle)?;
        let mut start = Vec::new();
        let read = handle.seek(SeekFrom::Start(0)).and_then(|_| (&mut handle).take(FIRST_LINE_MOST).read_to_end(&mut start));
        read.map_err(|source| file.failed("read", source))?;
        match first_line_problem(&start) {
            None => Ok(file),
            Some(problem) => Err(StoreError::NotRuns { path: path.to_owned(), problem }),
        }
    }

    /// Appends one run and flushes it to stable storage. After a torn tail it begins a new line.
    ///
    /// # Errors
    /// When it cannot be written in full.
    pub fn append(&mut self, run: &RunRecord) -> Result<(), StoreError> {
        let mut line = serde_json::to_vec(run).map_err(StoreError::NotALine)?;
        line.push(b'\n');
        let mut file = self.open_to_append()?;
        self.locked(&file)?;
        if ends_in_a_torn_line(&mut file).map_err(|source| self.failed("read", source))? {
            line.insert(0, b'\n');
        }
        let length = file.metadata().map_err(|source| self.failed("read", source))?.len();
        let written = file.write_all(&line).and_then(|()| file.sync_all());
        if let Err(source) = written {
            // Half a line is worth nothing, and whoever reads the file should not have to wonder.
            let _ = file.set_len(length);
            return Err(self.failed("written", source));
        }
        self.is_new = false;
        Ok(())
    }

    /// Removes the file again when it was made by [`RunFile::open`] and nothing was appended.
    pub fn remove_if_unused(self) {
        if self.is_new && fs::metadata(&self.path).is_ok_and(|metadata| metadata.len() == 0) {
            // An empty file is all that would be left behind.
            let _ = fs::remove_file(&self.path);
        }
    }

    fn open_to_append(&self) -> Result<File, StoreError> {
        OpenOptions::new().read(true).append(true).create(true).open(&self.path).map_err(|source| self.failed("opened", source))
    }

    fn locked(&self, file: &File) -> Result<(), StoreError> {
        match file.lock() {
            Ok(()) => Ok(()),
            // A filesystem without locks: single lines appended at once do not mix.
            Err(error) if error.kind() == io::ErrorKind::Unsupported => Ok(()),
            Err(source) => Err(self.failed("locked", source)),
        }
    }

    fn failed(&self, verb: &'static str, source: io::Error) -> StoreError {
        StoreError::Call { path: self.path.clone(), verb, source }
    }
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

/// Why the start of a file is not the start of a run file; `None` for an empty one, and for one whose only line is torn.
fn first_line_problem(start: &[u8]) -> Option<String> {
    let first = start.split(|byte| *byte == b'\n').find(|line| !line.is_empty())?;
    let is_torn = !start.contains(&b'\n');
    if is_torn && first.starts_with(b"{\"schema\":") {
        return None;
    }
    match serde_json::from_slice::<Form>(first) {
        Ok(_) => None,
        Err(error) => Some(error.to_string()),
    }
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

/// Reads every run of a file; lines that cannot be read are named, and the rest is kept.
///
/// # Errors
/// When the file cannot be read at all.
pub fn load(path: &Path) -> Result<Loaded, StoreError> {
    let failed = |verb, source| StoreError::Call { path: path.to_owned(), verb, source };
    let metadata = fs::metadata(path).map_err(|source| failed("opened", source))?;
    if metadata.is_dir() {
        return Err(StoreError::NotAFile { path: path.to_owned(), what: "a directory" });
    }
    let bytes = fs::read(path).map_err(|source| failed("read", source))?;
    Ok(load_bytes(path, &bytes))
}

/// Reads every run of the bytes of a run file; `path` is for messages.
#[must_use]
pub fn load_bytes(path: &Path, bytes: &[u8]) -> Loaded {
    let mut loaded = Loaded::default();
    let has_torn_tail = !bytes.ends_with(b"\n");
    let lines: Vec<&[u8]> = bytes.strip_suffix(b"\n").unwrap_or(bytes).split(|byte| *byte == b'\n').collect();
    for (index, line) in lines.iter().enumerate() {
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let is_tail = has_torn_tail && index + 1 == lines.len();
        match parse_line(line, is_tail) {
            Ok(run) => loaded.runs.push(run),
            Err(problem) => loaded.bad.push(BadLine { path: path.to_owned(), line: index + 1, problem }),
        }
    }
    if loaded.runs.is_empty() && loaded.bad.is_empty() {
        let problem = "the file holds no runs; `barrow run` appends to it".to_owned();
        loaded.bad.push(BadLine { path: path.to_owned(), line: 1, problem });
    }
    loaded
}

fn parse_line(line: &[u8], is_tail: bool) -> Result<RunRecord, String> {
    let form: Form = match serde_json::from_slice(line) {
        Ok(form) => form,
        Err(error) if error.is_eof() && is_tail => {
            return Err("the line is torn: it ends in the middle of a run, which is lost; the rest was read".to_owned());
        }
        Err(error) if error.is_eof() => return Err("the line is torn: it ends in the middle of a run; the rest was read".to_owned()),
        Err(error) => return Err(format!("is not a run: {error}")),
    };
    if form.schema > SCHEMA {
        let needed = form.schema;
        return Err(format!("was written by a newer barrow (schema {needed}, this one reads up to {SCHEMA}): use that one to read it"));
    }
    serde_json::from_slice(line).map_err(|error| format!("is not a run of schema {}: {error}", form.schema))
}

#[cfg(test)]
mod tests;
