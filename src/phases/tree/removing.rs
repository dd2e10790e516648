//! Removing a tree whose names are known: the files of each directory, the directories in it, then itself.

use super::flushing::sync_change;
use super::walk::Visitor;
use super::{Branch, Leaf, Tree};
use crate::phases::{Job, PhaseError, Tally};
use crate::target::Handle;

/// Removes what it visits; each file and each directory is an operation.
pub struct Remover<'w, 't> {
    /// What is to be done.
    pub job: Job<'t>,
    /// What is removed.
    pub tree: &'w Tree,
    /// What counts it.
    pub tally: &'w mut Tally<'t>,
}

impl Visitor for Remover<'_, '_> {
    type Open = Handle;

    fn enter(&mut self, branch: &Branch, parent: Option<&Handle>) -> Result<Handle, PhaseError> {
        self.tree.open(self.job.target, branch, parent)
    }

    fn visit(&mut self, leaf: &Leaf, directory: &Handle) -> Result<(), PhaseError> {
        let removed = self.job.target.unlink(directory, leaf.name()).and_then(|()| sync_change(self.job, Some(directory)));
        removed.map_err(|source| self.tree.failed("delete", leaf, source))?;
        self.tally.operation(1)
    }

    fn leave(&mut self, branch: &Branch, open: Handle, parent: Option<&Handle>) -> Result<(), PhaseError> {
        let target = self.job.target;
        let name = self.tree.name_of(branch, parent);
        let removed = target.close(open).and_then(|()| target.remove_directory(parent.unwrap_or(target.root()), name));
        let removed = removed.and_then(|()| sync_change(self.job, parent));
        removed.map_err(|source| self.tree.branch_failed("delete", branch, source))?;
        // A directory is no file, but takes its time.
        self.tally.operation(0)
    }
}
