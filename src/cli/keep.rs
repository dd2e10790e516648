//! Keeping runs: in the run file the moment they end; where that cannot be written, in a second place; else on stderr.

use super::output::say;
use crate::model::identity::Identity;
use crate::model::record::RunRecord;
use crate::store::{RunFile, line_of};
use std::path::{Path, PathBuf};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Keeps the runs of a batch.
#[derive(Debug)]
pub struct Keeper {
    writer: Mutex<Writer>,
    second_path: PathBuf,
    runs: Mutex<Vec<RunRecord>>,
}

#[derive(Debug)]
struct Writer {
    file: RunFile,
    /// The run that was written last.
    last: Option<Identity>,
    /// Whether all of them are in the run file.
    is_whole: bool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Keeper {
    /// Keeps in a run file.
    pub fn of(file: RunFile, batch: Identity) -> Self {
        let second_path = std::env::temp_dir().join(format!("barrow-{batch}.jsonl"));
        Self { writer: Mutex::new(Writer { file, last: None, is_whole: true }), second_path, runs: Mutex::default() }
    }

    /// Keeps one run, unless it is kept already.
    pub fn keep(&self, run: RunRecord) {
        self.write(&run);
        lock(&self.runs).push(run);
    }

    fn write(&self, run: &RunRecord) {
        let mut writer = lock(&self.writer);
        if writer.last == Some(run.nonce) {
            return;
        }
        writer.last = Some(run.nonce);
        if let Err(error) = writer.file.append(run) {
            writer.is_whole = false;
            say(&format!("barrow: {error}"));
            write_elsewhere(&self.second_path, run);
        }
    }

    /// Keeps a run that was broken off where a filesystem does not answer: where the run file does not take it in this time, in the second
    /// place; where that does not either, on stderr.
    pub fn rescue(self: &Arc<Self>, run: RunRecord, most: Duration) {
        lock(&self.runs).push(run.clone());
        let (keeper, second_path, second_run) = (Arc::clone(self), self.second_path.clone(), run.clone());
        let first_run = run.clone();
        if is_done_within(most, move || keeper.write(&first_run)) {
            return;
        }
        say(&format!("barrow: the run file did not take the run in {} s", most.as_secs()));
        if !is_done_within(most, move || write_elsewhere(&second_path, &second_run)) {
            say_line(&run);
        }
    }

    /// The runs that were kept, and whether all of them are in the run file. Removes a run file that was made for nothing.
    pub fn end(&self) -> (Vec<RunRecord>, bool) {
        // Held by whoever still waits for the run file to answer, if anybody.
        let is_whole = self.writer.try_lock().is_ok_and(|mut writer| {
            writer.file.remove_if_unused();
            writer.is_whole
        });
        (std::mem::take(&mut *lock(&self.runs)), is_whole)
    }
}

/// Whether some work is done in this time; else it goes on by itself.
fn is_done_within(most: Duration, work: impl FnOnce() + Send + 'static) -> bool {
    let (sender, receiver) = channel();
    let thread = std::thread::Builder::new().spawn(move || {
        work();
        // Whoever waited may have gone.
        let _ = sender.send(());
    });
    thread.is_ok() && receiver.recv_timeout(most).is_ok()
}

fn write_elsewhere(path: &Path, run: &RunRecord) {
    let kept = RunFile::open(path).and_then(|mut file| {
        let kept = file.append(run);
        file.remove_if_unused();
        kept
    });
    match kept {
        Ok(()) => say(&format!("barrow: the run was kept in {} instead", path.display())),
        Err(error) => {
            say(&format!("barrow: {error}"));
            say_line(run);
        }
    }
}

fn say_line(run: &RunRecord) {
    let line = line_of(run).map(|line| String::from_utf8_lossy(&line).trim_end().to_owned()).unwrap_or_default();
    say(&format!("barrow: this is the run, a line of a run file:\n{line}"));
}
