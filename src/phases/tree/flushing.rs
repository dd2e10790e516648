//! Flushing a tree file by file, where the filesystem never hears of a flush of the whole.

use super::walk::{Visitor, Way};
use super::{Branch, Leaf, Tree};
use crate::model::settings::{Io, SyncAt};
use crate::phases::file_set::flush_filesystem;
use crate::phases::{Job, PhaseError};
use crate::target::{Access, FlushMethod, Handle, Target};

/// Flushes a tree that was made, however its filesystem must be flushed; `way` was made before the clock started.
///
/// # Errors
/// Names what could not be flushed.
pub fn flush(target: &dyn Target, tree: &Tree, way: &mut Way<Handle>) -> Result<(), PhaseError> {
    match target.flush_method() {
        FlushMethod::WholeFilesystem => flush_filesystem(target),
        FlushMethod::EachFile => way.through(tree, &mut Flusher { target, tree }),
    }
}

/// Flushes what was removed from the root.
///
/// # Errors
/// Says what could not be flushed.
pub fn flush_removal(target: &dyn Target) -> Result<(), PhaseError> {
    match target.flush_method() {
        FlushMethod::WholeFilesystem => flush_filesystem(target),
        FlushMethod::EachFile => target.sync(target.root()).map_err(root_failed),
    }
}

/// Flushes a directory in which an entry was made or removed, where the plan wants that after every change; the root where it is none.
///
/// # Errors
/// As the system says.
#[inline]
pub fn sync_change(job: Job<'_>, directory: Option<&Handle>) -> std::io::Result<()> {
    match job.plan.settings.sync {
        SyncAt::End | SyncAt::Open | SyncAt::Dirs => Ok(()),
        SyncAt::Every => job.target.sync(directory.unwrap_or(job.target.root())),
    }
}

#[cold]
fn root_failed(source: std::io::Error) -> PhaseError {
    PhaseError::Call { doing: "flush the directory of the run".to_owned(), source }
}

struct Flusher<'t> {
    target: &'t dyn Target,
    tree: &'t Tree,
}

impl Visitor for Flusher<'_> {
    type Open = Handle;

    fn enter(&mut self, branch: &Branch, parent: Option<&Handle>) -> Result<Handle, PhaseError> {
        self.tree.open(self.target, branch, parent)
    }

    fn visit(&mut self, leaf: &Leaf, directory: &Handle) -> Result<(), PhaseError> {
        let file = self.target.open(directory, leaf.name(), Access::ReadWrite, Io::Buffered);
        let flushed = file.and_then(|file| self.target.sync(&file).and_then(|()| self.target.close(file)));
        flushed.map_err(|source| self.tree.failed("flush", leaf, source))
    }

    fn leave(&mut self, branch: &Branch, open: Handle, parent: Option<&Handle>) -> Result<(), PhaseError> {
        let flushed = self.target.sync(&open).and_then(|()| self.target.close(open));
        flushed.map_err(|source| self.tree.branch_failed("flush", branch, source))?;
        // The name of the tree itself lies in the root.
        if parent.is_none() { self.target.sync(self.target.root()).map_err(root_failed) } else { Ok(()) }
    }
}
