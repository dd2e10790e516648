//! The processes that have a block device open.

use crate::sys::processes::{Process, number_of, processes};
use crate::sys::stack::{Roots, device_at};
use std::fs;
use std::path::{Path, PathBuf};

/// A device that a process has open.
pub struct Opened {
    /// Its directory in /sys.
    pub place: PathBuf,
    /// The process.
    pub process: Process,
    /// Whether it can write to it.
    pub is_for_writing: bool,
}

/// Every open device of every other process whose descriptors may be looked at.
pub fn everything(roots: &Roots) -> Vec<Opened> {
    let own = fs::read_link(roots.proc.join("self")).ok().and_then(|path| number_of(&path));
    let others = processes(&roots.proc).into_iter().filter(|(id, _)| Some(*id) != own);
    others.flat_map(|(id, directory)| of_process(roots, id, &directory)).collect()
}

fn of_process(roots: &Roots, id: u32, directory: &Path) -> Vec<Opened> {
    let descriptors = fs::read_dir(directory.join("fd")).into_iter().flatten().flatten();
    let opened = |descriptor: fs::DirEntry| {
        // The name is enough: to ask the descriptor itself could wait for a server that is gone.
        let target = fs::read_link(descriptor.path()).ok()?;
        let place = device_at(roots, target.to_str()?)?;
        let facts = fs::read_to_string(directory.join("fdinfo").join(descriptor.file_name())).unwrap_or_default();
        Some(Opened { place, process: Process::of(id, directory), is_for_writing: is_for_writing(&facts) })
    };
    descriptors.filter_map(opened).collect()
}

/// Whether the flags of a descriptor (proc_pid_fdinfo(5), octal) allow writing. What tells no flags may write.
fn is_for_writing(facts: &str) -> bool {
    const ACCESS: u32 = 0o3;
    const READ_ONLY: u32 = 0;
    let flags = facts.lines().find_map(|line| line.strip_prefix("flags:")).and_then(|flags| u32::from_str_radix(flags.trim(), 8).ok());
    flags.is_none_or(|flags| flags & ACCESS != READ_ONLY)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_of_opening_stands_in_the_last_digit() {
        assert!(!is_for_writing("pos:\t0\nflags:\t02100000\nmnt_id:\t29\n"));
        assert!(is_for_writing("pos:\t0\nflags:\t02100002\n") && is_for_writing("flags:\t0100001\n"));
        assert!(is_for_writing("") && is_for_writing("flags:\tnone\n"));
    }
}
