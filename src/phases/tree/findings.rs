//! What is looked at off the clock when files were made or removed: the free space, and how many pieces some of the files have.

use super::walk::{Visitor, Way};
use super::{Branch, Leaf, Tree};
use crate::model::aftermath::Aftermath;
use crate::model::settings::Io;
use crate::phases::PhaseError;
use crate::target::{Access, Handle, Target};
use std::ffi::CString;

/// Of a tree so many files are looked at, evenly spread over it.
const MOST_LOOKED_AT: usize = 1000;

/// What is left free.
#[must_use]
pub fn free(target: &dyn Target) -> Aftermath {
    Aftermath { free_bytes: target.free_bytes().ok(), ..Aftermath::default() }
}

/// What is left free, and the pieces of some of the files of a tree.
#[must_use]
pub fn of_tree(target: &dyn Target, tree: &Tree) -> Aftermath {
    let step = tree.leaves().len().div_ceil(MOST_LOOKED_AT).max(1) as u64;
    let mut counter = Counter { target, tree, step, files: 0, extents: 0 };
    let is_counted = Way::new().through(tree, &mut counter).is_ok();
    with_pieces(free(target), is_counted.then_some((counter.files, counter.extents)))
}

/// What is left free, and the pieces of some files in the root.
#[must_use]
pub fn of_files(target: &dyn Target, names: &[CString]) -> Aftermath {
    let pieces = |name: &CString| {
        let file = target.open(target.root(), name, Access::Read, Io::Buffered).ok()?;
        target.extents(&file).ok()
    };
    let extents: Option<u64> = names.iter().map(pieces).sum();
    with_pieces(free(target), extents.map(|extents| (names.len() as u64, extents)))
}

fn with_pieces(found: Aftermath, pieces: Option<(u64, u64)>) -> Aftermath {
    Aftermath { files: pieces.map(|(files, _)| files), extents: pieces.map(|(_, extents)| extents), ..found }
}

struct Counter<'t> {
    target: &'t dyn Target,
    tree: &'t Tree,
    step: u64,
    files: u64,
    extents: u64,
}

impl Visitor for Counter<'_> {
    type Open = Handle;

    fn enter(&mut self, branch: &Branch, parent: Option<&Handle>) -> Result<Handle, PhaseError> {
        self.tree.open(self.target, branch, parent)
    }

    fn visit(&mut self, leaf: &Leaf, directory: &Handle) -> Result<(), PhaseError> {
        if !leaf.number().is_multiple_of(self.step) {
            return Ok(());
        }
        let file = self.target.open(directory, leaf.name(), Access::Read, Io::Buffered);
        self.extents += file.and_then(|file| self.target.extents(&file)).map_err(|source| self.tree.failed("look at", leaf, source))?;
        self.files += 1;
        Ok(())
    }

    fn leave(&mut self, _branch: &Branch, _open: Handle, _parent: Option<&Handle>) -> Result<(), PhaseError> {
        Ok(())
    }
}
