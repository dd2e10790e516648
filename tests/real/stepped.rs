//! barrow in steps: it runs for a moment at a time, and is looked at while it stands still, so that something can be done to it in the
//! middle of a phase.

use super::driver::{Desk, Finished, Running, scratches, wait_until};
use barrow::model::phase::Phase;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// How long it runs at a time.
const STEP: Duration = Duration::from_millis(2);
/// Shares of a phase's work that are its middle.
const MIDDLE: std::ops::Range<f64> = 0.2..0.9;

/// The work of a run, every part of which can be seen from outside.
#[derive(Debug, Clone, Copy)]
pub struct Work {
    /// Bytes of the block file.
    pub file_bytes: u64,
    /// Seeks, each of 4096 bytes.
    pub seeks: u64,
    /// Files of a set.
    pub files: u64,
    /// Bytes of each of them.
    pub small_bytes: u64,
}

impl Work {
    /// As settings of a profile.
    pub fn settings(&self) -> String {
        let Self { file_bytes, seeks, files, small_bytes } = self;
        format!(
            "file_size={file_bytes} chunk_size=64k seek_size=4k seeks={seeks} seek_seconds=0 files={files} min_size={small_bytes} max_size={small_bytes}"
        )
    }
}

/// What a process has read and written so far, in bytes (/proc/PID/io).
#[derive(Debug, Clone, Copy)]
struct Transferred {
    read: u64,
    written: u64,
}

/// A barrow that runs in steps.
pub struct Stepped {
    running: Running,
    words: PathBuf,
    transferred: Transferred,
}

impl Stepped {
    /// Starts a command, whose words go to a file of the desk.
    pub fn start(command: &mut Command, desk: &Desk) -> Self {
        let words = desk.path("words");
        command.stderr(File::create(&words).unwrap());
        let running = Running::start_silently(command);
        running.pause();
        Self { running, words, transferred: Transferred { read: 0, written: 0 } }
    }

    fn said(&self) -> String {
        fs::read_to_string(&self.words).unwrap()
    }

    fn has_said(&self, phase: Phase) -> bool {
        self.said().contains(&format!("  {} ", phase.name()))
    }

    /// Lets it run for a moment.
    fn step(&self) {
        self.running.resume();
        std::thread::sleep(STEP);
        self.running.pause();
    }

    /// What it has transferred so far; nothing any more when it has ended.
    fn look(&self) -> Option<Transferred> {
        let text = fs::read_to_string(format!("/proc/{}/io", self.running.pid())).ok()?;
        let value = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)?.trim().parse().ok());
        Some(Transferred { read: value("rchar:")?, written: value("wchar:")? })
    }

    /// Lets it run until it has said something; it stands still then.
    pub fn stop_when_said(&self, words: &str) {
        while !self.said().contains(words) {
            assert!(!self.running.has_ended(), "`{words}` never came; it said:\n{}", self.said());
            self.step();
        }
    }

    /// Lets it run until a phase goes on, and no longer: it stands still then. Tells the share of the work that is done; `None` when the
    /// phase was skipped, or over before it could be stopped.
    pub fn stop_in(&mut self, phase: Phase, work: &Work, directory: &Path) -> Option<f64> {
        let before = Phase::STANDARD.iter().copied().take_while(|other| *other != phase).last();
        while before.is_some_and(|before| !self.has_said(before)) && !self.running.has_ended() {
            self.step();
        }
        self.transferred = self.look()?;
        while !self.has_said(phase) && !self.running.has_ended() {
            match self.share(phase, work, directory) {
                Some(share) if MIDDLE.contains(&share) => return Some(share),
                Some(share) if share >= MIDDLE.end => return None,
                Some(_) | None => self.step(),
            }
        }
        None
    }

    /// How much of a phase's work is done, as far as it can be seen.
    fn share(&self, phase: Phase, work: &Work, directory: &Path) -> Option<f64> {
        let scratch = scratches(directory).pop()?;
        let now = self.look()?;
        let (read, written) = (now.read - self.transferred.read, now.written - self.transferred.written);
        let files = |set: &str| fs::read_dir(scratch.join(set)).map(|entries| entries.count() as u64).ok();
        let set = |phase: Phase| if phase <= Phase::SeqDelete { "sequential.0.0" } else { "random.0.0" };
        let (done, all) = match phase {
            Phase::BlockWrite => (fs::metadata(scratch.join("block.0")).ok()?.len(), work.file_bytes),
            Phase::Rewrite => (written, work.file_bytes),
            Phase::BlockRead => (read, work.file_bytes),
            Phase::RandomSeek => (read, work.seeks * 4096),
            Phase::SeqCreate | Phase::RandomCreate => (files(set(phase))?, work.files),
            Phase::SeqStat | Phase::RandomStat => (read, work.files * work.small_bytes),
            Phase::SeqDelete | Phase::RandomDelete => (work.files - files(set(phase))?, work.files),
            _ => return None,
        };
        Some(done as f64 / all as f64)
    }

    /// Lets it run until a phase has ended; it stands still then.
    pub fn go_on_until_said(&self, phase: Phase) {
        self.running.resume();
        wait_until("the phase ends", || self.has_said(phase) || self.running.has_ended());
        self.running.pause();
    }

    /// Lets it run to its end.
    pub fn finish(self) -> Finished {
        self.running.resume();
        let words = self.words;
        let ended = self.running.finish();
        Finished { stderr: fs::read_to_string(words).unwrap(), ..ended }
    }
}
