//! What came of a call of barrow: what it left in a directory, and what its runs say of their phases.

use barrow::model::flag::Flag;
use barrow::model::label::CacheLabel;
use barrow::model::phase::Phase;
use barrow::model::record::{PhaseRecord, RunRecord, Status};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Everything below a directory: path, type and mode, owner, size of files and time of change.
pub fn listing(directory: &Path) -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    let mut waiting = vec![directory.to_owned()];
    while let Some(next) = waiting.pop() {
        for entry in fs::read_dir(&next).unwrap() {
            let path = entry.unwrap().path();
            let status = fs::symlink_metadata(&path).unwrap();
            let size = if status.is_dir() { 0 } else { status.len() };
            found.insert(path.clone(), format!("{:o} {} {size} {}", status.mode(), status.uid(), status.mtime()));
            if status.is_dir() {
                waiting.push(path);
            }
        }
    }
    found
}

/// The scratch directories of barrow in a directory.
pub fn scratches(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let is_scratch = |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(".barrow-"));
    entries.filter(is_scratch).collect()
}

/// A phase of a run.
pub fn phase(run: &RunRecord, phase: Phase) -> &PhaseRecord {
    run.phase(phase).unwrap_or_else(|| panic!("no {}", phase.name()))
}

/// The cache label of a phase; one that is not cold only because others read the device of this machine meanwhile, which is marked,
/// counts as cold: the proof was rightly spoiled.
pub fn cache_label(record: &PhaseRecord) -> Option<CacheLabel> {
    let is_spoiled = record.cache == Some(CacheLabel::ColdUnproven) && record.flags.contains(&Flag::OthersIo);
    if is_spoiled { Some(CacheLabel::Cold) } else { record.cache }
}

/// The phases of a run with a status, by name.
pub fn phases_with(run: &RunRecord, status: Status) -> Vec<&'static str> {
    run.phases.iter().filter(|record| record.status == status).map(|record| record.name.name()).collect()
}
