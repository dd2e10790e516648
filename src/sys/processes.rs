//! The processes of this machine, for people who look for what uses a thing.

use crate::model::printable::printable;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

/// A process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Process {
    /// Its number.
    pub id: u32,
    /// The name of its program, at most 15 bytes of it; empty where it has ended meanwhile.
    pub name: String,
}

impl Process {
    /// The process of a directory in /proc.
    #[must_use]
    pub fn of(id: u32, directory: &Path) -> Self {
        let name = fs::read(directory.join("comm")).unwrap_or_default();
        Self { id, name: String::from_utf8_lossy(&name).trim().to_owned() }
    }
}

impl fmt::Display for Process {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "process {} ({})", self.id, printable(&self.name))
    }
}

/// The numbers and directories of all processes below what is mounted as /proc, in the order of their numbers.
#[must_use]
pub fn processes(proc: &Path) -> Vec<(u32, PathBuf)> {
    let entries = fs::read_dir(proc).into_iter().flatten().flatten();
    let mut found: Vec<(u32, PathBuf)> = entries.filter_map(|entry| Some((number_of(&entry.path())?, entry.path()))).collect();
    found.sort();
    found
}

/// The number that a path such as `/proc/17` ends with.
#[must_use]
pub fn number_of(path: &Path) -> Option<u32> {
    path.file_name()?.to_str()?.parse().ok()
}
