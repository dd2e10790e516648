//! Tree copy: read the first half of the files of the tree and write them into a second one; then flush.

use super::pool::Buffer;
use super::tree::flushing::{flush, sync_change};
use super::tree::walk::{Visitor, Way};
use super::tree::warmth::make_ready;
use super::tree::{Branch, Copied, LARGEST, Leaf, Tree, copied_bytes, findings, memory_needed, tree_of};
use super::{Job, Moved, PhaseError, Procedure, Survey, Tally, Timed};
use crate::model::plan::Plan;
use crate::model::record::Counted;
use crate::model::settings::{Io, Settings, SyncAt};
use crate::target::{Access, Handle, read_exact, write_all};

/// Copies a part of the tree.
#[derive(Debug)]
pub struct TreeCopy;

impl Procedure for TreeCopy {
    fn survey(&self, job: Job<'_>) -> Result<Survey, PhaseError> {
        make_ready(job, &tree_of(job, Copied::Copy).named_as(Copied::Original))
    }

    fn prepare<'t>(&self, job: Job<'t>, _survey: &Survey) -> Result<Timed<'t>, PhaseError> {
        let copy = tree_of(job, Copied::Copy);
        let original = copy.clone().named_as(Copied::Original);
        let (made, looked_at) = (copy.clone(), copy.clone());
        let tally = Tally::of_known(job, (copy.branches().len() + copy.leaves().len()) as u64);
        let mut buffer = Buffer::of(LARGEST);
        let mut way = Way::new();
        let work = move |tally: &mut Tally<'t>| {
            way.through(&copy, &mut Copier { job, original: &original, copy: &copy, buffer: buffer.bytes(), tally })?;
            tally.finish();
            Ok(())
        };
        let mut way_back = Way::new();
        let timed = Timed::of(vec![(Box::new(work), tally)]).flushed_by(move || flush(job.target, &made, &mut way_back));
        Ok(timed.followed_by(move || findings::of_tree(job.target, &looked_at)))
    }

    fn work_expected(&self, plan: &Plan) -> Option<u64> {
        Some(plan.settings.copied_tree_files())
    }

    fn moved(&self, plan: &Plan, _counted: &Counted) -> Moved {
        let bytes = copied_bytes(plan);
        Moved { read: bytes, written: bytes, checked: bytes }
    }

    fn memory_needed(&self, settings: &Settings) -> u64 {
        memory_needed(settings)
    }
}

/// A directory that is copied, and its copy.
struct Both {
    from: Handle,
    to: Handle,
}

struct Copier<'w, 't> {
    job: Job<'t>,
    original: &'w Tree,
    copy: &'w Tree,
    buffer: &'w mut [u8],
    tally: &'w mut Tally<'t>,
}

impl Copier<'_, '_> {
    /// Reads a file in one piece, and checks it.
    fn read(&mut self, leaf: &Leaf, from: &Handle) -> Result<(), PhaseError> {
        let (tree, target) = (self.original, self.job.target);
        let file = target.open(from, leaf.name(), Access::Read, Io::Buffered).map_err(|source| tree.failed("open", leaf, source))?;
        let bytes = &mut self.buffer[..leaf.size()];
        read_exact(target, &file, bytes, 0).map_err(|source| tree.failed("read", leaf, source))?;
        tree.check(self.job.stamps, leaf, bytes)?;
        target.close(file).map_err(|source| tree.failed("close", leaf, source))
    }

    fn write(&self, leaf: &Leaf, to: &Handle) -> Result<(), PhaseError> {
        let (tree, target) = (self.copy, self.job.target);
        let file = target.open(to, leaf.name(), Access::CreateNew, Io::Buffered).map_err(|source| tree.failed("create", leaf, source))?;
        write_all(target, &file, &self.buffer[..leaf.size()], 0).map_err(|source| tree.failed("write", leaf, source))?;
        if self.job.plan.settings.sync == SyncAt::Every {
            target.sync(&file).map_err(|source| tree.failed("flush", leaf, source))?;
        }
        let closed = target.close(file).and_then(|()| sync_change(self.job, Some(to)));
        closed.map_err(|source| tree.failed("close", leaf, source))
    }
}

impl Visitor for Copier<'_, '_> {
    type Open = Both;

    fn enter(&mut self, branch: &Branch, parent: Option<&Both>) -> Result<Both, PhaseError> {
        let from = self.original.open(self.job.target, branch, parent.map(|both| &both.from))?;
        let to = self.copy.make(self.job, branch, parent.map(|both| &both.to))?;
        self.tally.operation(0)?;
        Ok(Both { from, to })
    }

    fn visit(&mut self, leaf: &Leaf, directory: &Both) -> Result<(), PhaseError> {
        self.read(leaf, &directory.from)?;
        self.write(leaf, &directory.to)?;
        self.tally.bytes += leaf.size() as u64;
        self.tally.operation(1)
    }

    fn leave(&mut self, branch: &Branch, open: Both, _parent: Option<&Both>) -> Result<(), PhaseError> {
        let target = self.job.target;
        target.close(open.from).map_err(|source| self.original.branch_failed("close", branch, source))?;
        target.close(open.to).map_err(|source| self.copy.branch_failed("close", branch, source))
    }
}
