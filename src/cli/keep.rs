//! Keeping runs: in the run file, where there is one, the moment they end; where that cannot be written, in a second place; else on stderr.

use super::output::say;
use crate::model::identity::Identity;
use crate::model::record::RunRecord;
use crate::store::{RunFile, StoreError, line_of};
use crate::target::ground::plain_error;
use std::path::{Path, PathBuf};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Where temporary files lie when the environment names no place, or one that cannot be used.
const USUAL_PLACE: &str = "/tmp";

/// Keeps the runs of a batch.
#[derive(Debug)]
pub struct Keeper {
    path: PathBuf,
    writer: Mutex<Writer>,
    second: Arc<Mutex<SecondPlaces>>,
    runs: Mutex<Vec<RunRecord>>,
}

#[derive(Debug)]
struct Writer {
    /// `None` where runs are only told.
    file: Option<RunFile>,
    /// The run that was written last.
    last: Option<Identity>,
}

/// Where runs go that the run file did not take.
#[derive(Debug)]
struct SecondPlaces {
    places: Vec<SecondPlace>,
    /// The run that was kept last.
    last: Option<Identity>,
    /// Runs that are in no file.
    lost: usize,
}

/// A file of one batch, in a directory of temporary files.
#[derive(Debug)]
struct SecondPlace {
    path: PathBuf,
    /// Once it was needed.
    file: Option<RunFile>,
    /// Runs that are in it.
    kept: usize,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Keeper {
    /// Keeps in a run file; without one only for the report.
    pub fn of(file: Option<RunFile>, batch: Identity) -> Self {
        let places = second_paths(std::env::var_os("TMPDIR").map(PathBuf::from), batch);
        let places = places.into_iter().map(|path| SecondPlace { path, file: None, kept: 0 }).collect();
        let second = Arc::new(Mutex::new(SecondPlaces { places, last: None, lost: 0 }));
        let path = file.as_ref().map(|file| file.path().to_owned()).unwrap_or_default();
        Self { path, writer: Mutex::new(Writer { file, last: None }), second, runs: Mutex::default() }
    }

    /// Keeps one run, unless it is kept already.
    pub fn keep(&self, run: RunRecord) {
        self.write(&run);
        self.count(run);
    }

    /// Adds a run to those of the report; each only once, as it was when it was kept first.
    fn count(&self, run: RunRecord) {
        let mut runs = lock(&self.runs);
        if runs.iter().all(|kept| kept.nonce != run.nonce) {
            runs.push(run);
        }
    }

    fn write(&self, run: &RunRecord) {
        let mut writer = lock(&self.writer);
        if writer.last == Some(run.nonce) {
            return;
        }
        writer.last = Some(run.nonce);
        if let Some(Err(error)) = writer.file.as_mut().map(|file| file.append(run)) {
            say(&format!("barrow: {error}"));
            lock(&self.second).keep(run);
        }
    }

    /// Keeps a run that was broken off where a filesystem does not answer: where the run file does not take it in this time, in the second
    /// place; where that does not either, on stderr. Tells whether the run file took it.
    pub fn rescue(self: &Arc<Self>, run: RunRecord, most: Duration) -> bool {
        self.count(run.clone());
        let (keeper, first_run) = (Arc::clone(self), run.clone());
        let (second, second_run) = (Arc::clone(&self.second), run.clone());
        if is_done_within(most, move || keeper.write(&first_run)) {
            return true;
        }
        say(&format!("barrow: the run file did not take the run in {} s", most.as_secs()));
        if !is_done_within(most, move || lock(&second).keep(&second_run)) {
            say_line(&run);
        }
        false
    }

    /// The runs that were kept, and whether all of them are in the run file; says once more which are not, and what to do about it. Removes
    /// run files that were made for nothing, unless a filesystem does not answer any more, which may be theirs.
    pub fn end(&self, answers: bool) -> (Vec<RunRecord>, bool) {
        let runs = std::mem::take(&mut *lock(&self.runs));
        // Held by whoever still waits for a file to answer, if anybody.
        let is_written = self.writer.try_lock().is_ok_and(|mut writer| {
            if let Some(file) = writer.file.as_mut().filter(|file| file.is_unused()) {
                let removed = if answers { file.remove_if_unused() } else { Err(std::io::ErrorKind::TimedOut.into()) };
                removed.unwrap_or_else(|error| say_left(&self.path, &error));
            }
            true
        });
        let is_whole = self.second.try_lock().is_ok_and(|mut second| second.end(&self.path, runs.len()));
        (runs, is_written && is_whole)
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

impl SecondPlaces {
    fn keep(&mut self, run: &RunRecord) {
        if self.last.replace(run.nonce) == Some(run.nonce) {
            return;
        }
        let name = format!("run {} of {}", run.round, run.label);
        for place in &mut self.places {
            match place.append(run) {
                Ok(()) => return say(&format!("barrow: {name} was kept in {} instead", place.path.display())),
                Err(error) => say(&format!("barrow: {error}")),
            }
        }
        self.lost += 1;
        say_line(run);
    }

    /// Says what lies where; whether nothing does.
    fn end(&mut self, run_file: &Path, all: usize) -> bool {
        let run_file = run_file.display();
        for place in &mut self.places {
            let (kept, path) = (place.kept, place.path.display());
            if kept > 0 {
                say(&format!(
                    "barrow: {kept} of {all} runs are not in {run_file} but in {path}; when it can be written again: cat {path} >> {run_file}"
                ));
            } else if let Some(file) = &mut place.file {
                file.remove_if_unused().unwrap_or_else(|error| say_left(&place.path, &error));
            }
        }
        if self.lost > 0 {
            say(&format!("barrow: {} of {all} runs are in no file: keep the lines above that begin with {{\"schema\":", self.lost));
        }
        self.lost == 0 && self.places.iter().all(|place| place.kept == 0)
    }
}

impl SecondPlace {
    /// The directory of temporary files is everybody's: nothing that is there already is written to, and what is made is for nobody else.
    fn append(&mut self, run: &RunRecord) -> Result<(), StoreError> {
        let file = match self.file.take() {
            Some(file) => self.file.insert(file),
            None => self.file.insert(RunFile::make_private(&self.path)?),
        };
        file.append(run)?;
        self.kept += 1;
        Ok(())
    }
}

/// Where runs are kept that the run file does not take: a file named by the batch in the directory of temporary files that the environment
/// names, and in the usual one.
fn second_paths(named: Option<PathBuf>, batch: Identity) -> Vec<PathBuf> {
    let named = named.filter(|named| !named.as_os_str().is_empty() && named != Path::new(USUAL_PLACE));
    let places = named.into_iter().chain([PathBuf::from(USUAL_PLACE)]);
    places.map(|place| place.join(format!("barrow-{batch}.jsonl"))).collect()
}

/// Says that an empty run file stays, and why.
pub fn say_left(path: &Path, error: &std::io::Error) {
    say(&format!("barrow: left behind: the empty {}: {}", path.display(), plain_error(error)));
}

fn say_line(run: &RunRecord) {
    let line = line_of(run).map(|line| String::from_utf8_lossy(&line).trim_end().to_owned()).unwrap_or_default();
    say(&format!("barrow: run {} of {} is in no file; this is the run, a line of a run file:\n{line}", run.round, run.label));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_that_is_named_comes_before_the_usual_one() {
        let places = |named: Option<&str>| second_paths(named.map(PathBuf::from), Identity(7));
        let usual = PathBuf::from("/tmp/barrow-0000000000000007.jsonl");
        for named in [None, Some(""), Some("/tmp")] {
            assert_eq!(places(named), std::slice::from_ref(&usual), "{named:?}");
        }
        assert_eq!(places(Some("/var/tmp")), [PathBuf::from("/var/tmp/barrow-0000000000000007.jsonl"), usual]);
    }
}
