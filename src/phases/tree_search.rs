//! Tree search: read every file of the tree, check it, and count how often a string of bytes stands in it.

use super::pool::Buffer;
use super::tree::needle::{Search, times};
use super::tree::walk::{Visitor, Way};
use super::tree::warmth::make_ready;
use super::tree::{Branch, Copied, LARGEST, Leaf, Tree, memory_needed, tree_of};
use super::{Job, Moved, PhaseError, Procedure, Survey, Tally, Timed};
use crate::model::plan::Plan;
use crate::model::record::Counted;
use crate::model::settings::{Io, Settings};
use crate::target::{Access, Handle, read_exact};

/// Searches the tree.
#[derive(Debug)]
pub struct TreeSearch;

impl Procedure for TreeSearch {
    fn survey(&self, job: Job<'_>) -> Result<Survey, PhaseError> {
        make_ready(job, &tree_of(job, Copied::Original))
    }

    fn prepare<'t>(&self, job: Job<'t>, _survey: &Survey) -> Result<Timed<'t>, PhaseError> {
        let tree = tree_of(job, Copied::Original);
        let tally = Tally::of_known(job, (tree.branches().len() + tree.leaves().len()) as u64);
        let mut buffer = Buffer::of(LARGEST);
        let search = Search::new();
        let mut way = Way::new();
        let work = move |tally: &mut Tally<'t>| {
            way.through(&tree, &mut Searcher { job, tree: &tree, search: &search, buffer: buffer.bytes(), tally })?;
            tally.finish();
            Ok(())
        };
        Ok(Timed::of(vec![(Box::new(work), tally)]))
    }

    fn work_expected(&self, plan: &Plan) -> Option<u64> {
        Some(plan.settings.tree_files)
    }

    fn moved(&self, plan: &Plan, _counted: &Counted) -> Moved {
        let bytes = plan.settings.tree().bytes;
        Moved { read: bytes, checked: bytes, ..Moved::default() }
    }

    fn memory_needed(&self, settings: &Settings) -> u64 {
        memory_needed(settings)
    }
}

struct Searcher<'w, 't> {
    job: Job<'t>,
    tree: &'w Tree,
    search: &'w Search,
    buffer: &'w mut [u8],
    tally: &'w mut Tally<'t>,
}

impl Visitor for Searcher<'_, '_> {
    type Open = Handle;

    fn enter(&mut self, branch: &Branch, parent: Option<&Handle>) -> Result<Handle, PhaseError> {
        let open = self.tree.open(self.job.target, branch, parent)?;
        self.tally.operation(0)?;
        Ok(open)
    }

    fn visit(&mut self, leaf: &Leaf, directory: &Handle) -> Result<(), PhaseError> {
        let (tree, target) = (self.tree, self.job.target);
        let file = target.open(directory, leaf.name(), Access::Read, Io::Buffered).map_err(|source| tree.failed("open", leaf, source))?;
        let bytes = &mut self.buffer[..leaf.size()];
        read_exact(target, &file, bytes, 0).map_err(|source| tree.failed("read", leaf, source))?;
        let (found, expected) = (self.search.count(bytes), times(leaf));
        tree.check(self.job.stamps, leaf, bytes)?;
        if found != expected {
            return Err(PhaseError::Miscounted { doing: tree.doing("search", leaf), found, expected });
        }
        target.close(file).map_err(|source| tree.failed("close", leaf, source))?;
        self.tally.bytes += leaf.size() as u64;
        self.tally.operation(1)
    }

    fn leave(&mut self, branch: &Branch, open: Handle, _parent: Option<&Handle>) -> Result<(), PhaseError> {
        self.job.target.close(open).map_err(|source| self.tree.branch_failed("close", branch, source))
    }
}
