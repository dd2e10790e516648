//! Keeping runs: in the run file the moment they end; where that cannot be written, in a second place; else on stderr.

use super::output::say;
use crate::model::identity::Identity;
use crate::model::record::RunRecord;
use crate::store::{RunFile, line_of};
use std::path::PathBuf;

/// Keeps the runs of a batch.
pub struct Keeper {
    file: RunFile,
    second_path: PathBuf,
    /// Every run, for the report.
    pub runs: Vec<RunRecord>,
    /// Whether all of them are in the run file.
    pub is_whole: bool,
}

impl Keeper {
    /// Keeps in a run file.
    pub fn of(file: RunFile, batch: Identity) -> Self {
        let second_path = std::env::temp_dir().join(format!("barrow-{batch}.jsonl"));
        Self { file, second_path, runs: Vec::new(), is_whole: true }
    }

    /// Keeps one run.
    pub fn keep(&mut self, run: RunRecord) {
        if let Err(error) = self.file.append(&run) {
            self.is_whole = false;
            say(&format!("barrow: {error}"));
            self.keep_elsewhere(&run);
        }
        self.runs.push(run);
    }

    fn keep_elsewhere(&self, run: &RunRecord) {
        let kept = RunFile::open(&self.second_path).and_then(|mut file| {
            let kept = file.append(run);
            file.remove_if_unused();
            kept
        });
        match kept {
            Ok(()) => say(&format!("barrow: the run was kept in {} instead", self.second_path.display())),
            Err(error) => {
                let line = line_of(run).map(|line| String::from_utf8_lossy(&line).trim_end().to_owned()).unwrap_or_default();
                say(&format!("barrow: {error}; this is the run, a line of a run file:\n{line}"));
            }
        }
    }

    /// Ends; removes a run file that was made for nothing.
    pub fn end(self) -> Vec<RunRecord> {
        self.file.remove_if_unused();
        self.runs
    }
}
