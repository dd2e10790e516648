//! Files and directories of phases that have no file set: made, opened and removed through the target, off the clock.

use crate::target::scratch::{EntryName, WorkDirectory, WorkFile, entry_name};
use crate::target::{Handle, Target};
use std::ffi::CStr;

/// Directories below each other at the most.
const MOST_DEPTH: usize = 400;

/// Removes the files of a kind from the root. What cannot be removed is left to the end of the run, which names it.
pub fn remove_files(target: &dyn Target, kind: WorkFile) {
    for name in target.list(target.root()).unwrap_or_default() {
        if entry_name(&name) == Some(EntryName::WorkFile(kind)) {
            let _ = target.unlink(target.root(), &name);
        }
    }
}

/// Removes the directories of a kind from the root with everything in them. What cannot be removed is left to the end of the run.
pub fn remove(target: &dyn Target, kind: WorkDirectory) {
    for name in target.list(target.root()).unwrap_or_default() {
        if entry_name(&name) == Some(EntryName::WorkDirectory(kind)) {
            remove_below(target, target.root(), &name, MOST_DEPTH);
        }
    }
}

fn remove_below(target: &dyn Target, parent: &Handle, name: &CStr, depth: usize) {
    if depth > 0
        && let Ok(directory) = target.open_directory(parent, name)
    {
        for entry in target.list(&directory).unwrap_or_default() {
            if target.unlink(&directory, &entry).is_err() {
                remove_below(target, &directory, &entry, depth - 1);
            }
        }
    }
    // What is left here is named when the run gives its ground back.
    let _ = target.remove_directory(parent, name);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::settings::Io;
    use crate::target::Access;
    use crate::target::pretend::PretendTarget;

    #[test]
    fn a_tree_goes_with_everything_in_it() {
        let target = PretendTarget::costing(|_| 1);
        let name = WorkDirectory::Tree.name(0);
        target.make_directory(target.root(), &name).unwrap();
        let tree = target.open_directory(target.root(), &name).unwrap();
        target.make_directory(&tree, c"a").unwrap();
        let inner = target.open_directory(&tree, c"a").unwrap();
        target.open(&inner, c"file", Access::CreateNew, Io::Buffered).unwrap();
        target.open(target.root(), &WorkFile::Large.name(1), Access::CreateNew, Io::Buffered).unwrap();
        remove(&target, WorkDirectory::Server);
        remove_files(&target, WorkFile::Sync);
        assert_eq!(target.entries().len(), 4);
        remove(&target, WorkDirectory::Tree);
        assert_eq!(target.entries(), ["large.1"]);
        remove_files(&target, WorkFile::Large);
        assert!(target.entries().is_empty());
    }
}
