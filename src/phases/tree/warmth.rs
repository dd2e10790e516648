//! What is in memory of the files of a tree before a phase reads them: nothing, as far as the system follows advice, or all on purpose.

use super::walk::{Visitor, Way};
use super::{Branch, LARGEST, Leaf, Tree};
use crate::model::plan::CacheState;
use crate::model::settings::Io;
use crate::phases::{Job, PhaseError, Survey};
use crate::target::{Access, Handle, Target, read_exact};

/// Asks the system to forget each file, or reads each where a warm start is wished. Files that are not in the root are out of reach of
/// those who make caches cold.
///
/// # Errors
/// Names what cannot be opened or read.
pub fn make_ready(job: Job<'_>, tree: &Tree) -> Result<Survey, PhaseError> {
    let buffer = match job.plan.circumstances.cache {
        CacheState::Cold => Vec::new(),
        CacheState::Warm => vec![0; LARGEST],
    };
    Way::new().through(tree, &mut Readier { target: job.target, tree, cache: job.plan.circumstances.cache, buffer })?;
    Ok(Survey::new())
}

struct Readier<'w, 't> {
    target: &'t dyn Target,
    tree: &'w Tree,
    cache: CacheState,
    buffer: Vec<u8>,
}

impl Visitor for Readier<'_, '_> {
    type Open = Handle;

    fn enter(&mut self, branch: &Branch, parent: Option<&Handle>) -> Result<Handle, PhaseError> {
        self.tree.open(self.target, branch, parent)
    }

    fn visit(&mut self, leaf: &Leaf, directory: &Handle) -> Result<(), PhaseError> {
        let (tree, target) = (self.tree, self.target);
        let file = target.open(directory, leaf.name(), Access::Read, Io::Buffered).map_err(|source| tree.failed("open", leaf, source))?;
        match self.cache {
            // Who does not take the advice leaves what is in memory to the evidence.
            CacheState::Cold => drop(target.evict(&file)),
            CacheState::Warm => {
                let read = read_exact(target, &file, &mut self.buffer[..leaf.size()], 0);
                read.map_err(|source| tree.failed("read", leaf, source))?;
            }
        }
        target.close(file).map_err(|source| tree.failed("close", leaf, source))
    }

    fn leave(&mut self, branch: &Branch, open: Handle, _parent: Option<&Handle>) -> Result<(), PhaseError> {
        self.target.close(open).map_err(|source| self.tree.branch_failed("close", branch, source))
    }
}
