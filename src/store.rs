//! Run files: JSON Lines, one run a line, appended and flushed the moment the run ends; nothing that was measured is ever lost.

use crate::model::record::{RunRecord, SCHEMA};
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::num::NonZero;
use std::os::unix::fs::FileTypeExt;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

mod repeats;
mod run_file;

pub use repeats::take_out_repeats;
pub use run_file::RunFile;

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
    /// It is a link: whoever can write in its directory may have put it there.
    #[error("{}: is a symbolic link, which runs are never written through; name the file that it leads to, if that is meant", path.display())]
    Link {
        /// The path.
        path: PathBuf,
    },
    /// It has several names, in a directory where others can make them.
    #[error(
        "{}: has {names} names (hard links) and lies where others can make such, so it may be somebody's other file; remove this name",
        path.display()
    )]
    OtherNames {
        /// The path.
        path: PathBuf,
        /// How many.
        names: u64,
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

/// A run as a line of a run file, ended.
///
/// # Errors
/// When it cannot be written as JSON.
pub fn line_of(run: &RunRecord) -> Result<Vec<u8>, StoreError> {
    let mut line = serde_json::to_vec(run).map_err(StoreError::NotALine)?;
    line.push(b'\n');
    Ok(line)
}

/// The longest line that is read, in bytes: longer than any of a run of barrow's own by far.
pub const LINE_MOST: u64 = 4 << 20;

/// So many lines of a file that cannot be read are named one by one.
const MOST_NAMED: usize = 100;

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
    let read = is_file && File::open(path).is_ok_and(|file| file.take(LINE_MOST).read_to_end(&mut start).is_ok());
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

/// Reads every run of the text of a run file, line by line; `path` is for messages. A file without a single run is named once, and of
/// very many lines that cannot be read only the first, so that a file of another kind takes no memory of its own size.
///
/// # Errors
/// When it cannot be read.
pub fn load_from(path: &Path, mut text: impl BufRead) -> io::Result<Loaded> {
    let mut loaded = Loaded::default();
    let mut unnamed = 0_usize;
    let mut number = 0;
    loop {
        let block = next_block(&mut text, &mut number)?;
        if block.is_empty() {
            break;
        }
        for (line, parsed) in block.iter().zip(parsed(&block)) {
            match parsed {
                Ok(run) => loaded.runs.push(run),
                Err(problem) if loaded.bad.len() < MOST_NAMED => {
                    loaded.bad.push(BadLine { path: path.to_owned(), line: line.number, problem });
                }
                Err(_) => unnamed += 1,
            }
        }
    }
    say_what_is_not_named(path, &mut loaded, unnamed);
    Ok(loaded)
}

/// A line that is not blank.
struct Line {
    /// From 1.
    number: usize,
    /// Without its end.
    bytes: Vec<u8>,
    /// Whether it is all there: of too long a line only the beginning is.
    is_whole: bool,
}

impl Line {
    fn parse(&self) -> Result<RunRecord, String> {
        if self.is_whole { parse_line(&self.bytes) } else { Err(format!("is over {} MiB long: no run is", LINE_MOST >> 20)) }
    }
}

/// Bytes of lines that are read before they are parsed together.
const BLOCK: usize = 4 << 20;

/// Lines of a block, since of short ones what is found takes more memory than they do.
const MOST_LINES: usize = 256;

/// The next lines, until they are a block; empty at the end of the text. `number` counts the lines.
fn next_block(text: &mut impl BufRead, number: &mut usize) -> io::Result<Vec<Line>> {
    let mut block = Vec::new();
    let mut size = 0;
    while size < BLOCK && block.len() < MOST_LINES {
        let mut bytes = Vec::new();
        let Some(is_whole) = next_line(text, &mut bytes)? else { break };
        *number += 1;
        if is_whole && bytes.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        size += bytes.len();
        block.push(Line { number: *number, bytes, is_whole });
    }
    Ok(block)
}

/// Fewer lines than these are not worth a thread.
const LEAST_SHARED: usize = 32;

/// The lines of a block parsed, in their order: each processor takes a part.
fn parsed(block: &[Line]) -> Vec<Result<RunRecord, String>> {
    let all = |part: &[Line]| part.iter().map(Line::parse).collect::<Vec<_>>();
    let workers = if block.len() < LEAST_SHARED { 1 } else { thread::available_parallelism().map_or(1, NonZero::get) };
    let mut parts = block.chunks(block.len().div_ceil(workers).max(1));
    let own = parts.next().unwrap_or_default();
    thread::scope(|scope| {
        let started: Vec<_> = parts.map(|part| (part, thread::Builder::new().spawn_scoped(scope, move || all(part)))).collect();
        let mut results = all(own);
        for (part, worker) in started {
            results.extend(match worker {
                Ok(worker) => worker.join().unwrap_or_else(|panic| resume_unwind(panic)),
                // No thread is to be had: then one does it all.
                Err(_) => all(part),
            });
        }
        results
    })
}

/// Reads the next line without its end into `line`, and tells whether it is whole: of a longer one than [`LINE_MOST`] only the
/// beginning is kept. `None` at the end of the text.
fn next_line(text: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<Option<bool>> {
    line.clear();
    if text.by_ref().take(LINE_MOST).read_until(b'\n', line)? == 0 {
        return Ok(None);
    }
    let is_ended = line.pop_if(|last| *last == b'\n').is_some();
    let is_whole = is_ended || line.len() as u64 != LINE_MOST || text.skip_until(b'\n')? == 0;
    Ok(Some(is_whole))
}

/// Closes the list of the lines that cannot be read.
fn say_what_is_not_named(path: &Path, loaded: &mut Loaded, unnamed: usize) {
    let lines = loaded.bad.len() + unnamed;
    match loaded.bad.last_mut() {
        None if loaded.runs.is_empty() => {
            let problem = "the file holds no runs; `barrow run` appends to it".to_owned();
            loaded.bad.push(BadLine { path: path.to_owned(), line: 1, problem });
        }
        Some(_) if loaded.runs.is_empty() && lines > 1 => {
            loaded.bad.truncate(1);
            loaded.bad[0].problem += &format!(
                "; nor is any of the {} other lines: this is not a run file (`barrow import` reads what Bonnie++ printed)",
                lines - 1
            );
        }
        Some(last) if unnamed > 0 => last.problem += &format!("; nor can {unnamed} lines after it be read"),
        None | Some(_) => {}
    }
}

/// Barrow's own run has a plan, another program's tells where it was read.
const SOURCE: &str = "it must hold either `plan` or `imported`";

fn parse_line(line: &[u8]) -> Result<RunRecord, String> {
    match serde_json::from_slice::<RunRecord>(line) {
        Ok(run) if run.schema > SCHEMA => Err(newer(run.schema)),
        Ok(run) if run.plan.is_some() == run.imported.is_some() => Err(format!("is not a run of schema {}: {SOURCE}", run.schema)),
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
