//! Keeping runs: in the run file the moment they end; where that cannot be written, in a second place; else on stderr.

use super::output::say;
use crate::model::identity::Identity;
use crate::model::record::RunRecord;
use crate::store::{RunFile, StoreError, line_of};
use std::path::PathBuf;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Keeps the runs of a batch.
#[derive(Debug)]
pub struct Keeper {
    writer: Mutex<Writer>,
    second: Arc<Mutex<SecondPlace>>,
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

/// Where runs go that the run file did not take: one file a batch.
#[derive(Debug)]
struct SecondPlace {
    path: PathBuf,
    /// Once it was needed.
    file: Option<RunFile>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Keeper {
    /// Keeps in a run file.
    pub fn of(file: RunFile, batch: Identity) -> Self {
        let second = SecondPlace { path: std::env::temp_dir().join(format!("barrow-{batch}.jsonl")), file: None };
        let writer = Writer { file, last: None, is_whole: true };
        Self { writer: Mutex::new(writer), second: Arc::new(Mutex::new(second)), runs: Mutex::default() }
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
            lock(&self.second).keep(run);
        }
    }

    /// Keeps a run that was broken off where a filesystem does not answer: where the run file does not take it in this time, in the second
    /// place; where that does not either, on stderr.
    pub fn rescue(self: &Arc<Self>, run: RunRecord, most: Duration) {
        lock(&self.runs).push(run.clone());
        let (keeper, first_run) = (Arc::clone(self), run.clone());
        let (second, second_run) = (Arc::clone(&self.second), run.clone());
        if is_done_within(most, move || keeper.write(&first_run)) {
            return;
        }
        say(&format!("barrow: the run file did not take the run in {} s", most.as_secs()));
        if !is_done_within(most, move || lock(&second).keep(&second_run)) {
            say_line(&run);
        }
    }

    /// The runs that were kept, and whether all of them are in the run file. Removes run files that were made for nothing.
    pub fn end(&self) -> (Vec<RunRecord>, bool) {
        // Held by whoever still waits for the run file to answer, if anybody.
        let is_whole = self.writer.try_lock().is_ok_and(|mut writer| {
            writer.file.remove_if_unused();
            writer.is_whole
        });
        if let Ok(mut second) = self.second.try_lock()
            && let Some(file) = &mut second.file
        {
            file.remove_if_unused();
        }
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

impl SecondPlace {
    fn keep(&mut self, run: &RunRecord) {
        match self.file().and_then(|file| file.append(run)) {
            Ok(()) => say(&format!("barrow: the run was kept in {} instead", self.path.display())),
            Err(error) => {
                say(&format!("barrow: {error}"));
                say_line(run);
            }
        }
    }

    /// The directory of temporary files is everybody's: nothing that is there already is written to, and what is made is for nobody else.
    fn file(&mut self) -> Result<&mut RunFile, StoreError> {
        match self.file.take() {
            Some(file) => Ok(self.file.insert(file)),
            None => Ok(self.file.insert(RunFile::make_private(&self.path)?)),
        }
    }
}

fn say_line(run: &RunRecord) {
    let line = line_of(run).map(|line| String::from_utf8_lossy(&line).trim_end().to_owned()).unwrap_or_default();
    say(&format!("barrow: this is the run, a line of a run file:\n{line}"));
}
