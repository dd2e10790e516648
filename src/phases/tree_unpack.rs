//! Tree unpack: make the directories and files of a source tree in the order of an archive, from memory; then flush.

use super::content::Content;
use super::tree::flushing::{flush, sync_change};
use super::tree::walk::{Visitor, Way};
use super::tree::{Branch, Copied, LARGEST, Leaf, Tree, findings, memory_needed, needle, tree_of};
use super::{Job, Moved, PhaseError, Procedure, Survey, Tally, Timed};
use crate::model::plan::Plan;
use crate::model::record::Counted;
use crate::model::settings::{Io, Settings, SyncAt};
use crate::target::{Access, Handle, write_all};

/// Makes the tree.
#[derive(Debug)]
pub struct TreeUnpack;

impl Procedure for TreeUnpack {
    fn prepare<'t>(&self, job: Job<'t>, _survey: &Survey) -> Result<Timed<'t>, PhaseError> {
        let tree = tree_of(job, Copied::Original);
        let (made, looked_at) = (tree.clone(), tree.clone());
        let tally = Tally::of_known(job, (tree.branches().len() + tree.leaves().len()) as u64);
        let mut content = Content::of(&job.plan.settings, job.stamps.nonce, 0, LARGEST);
        let mut way = Way::new();
        let work = move |tally: &mut Tally<'t>| {
            way.through(&tree, &mut Unpacker { job, tree: &tree, content: &mut content, tally })?;
            tally.finish();
            Ok(())
        };
        let mut way_back = Way::new();
        let timed = Timed::of(vec![(Box::new(work), tally)]).flushed_by(move || flush(job.target, &made, &mut way_back));
        Ok(timed.followed_by(move || findings::of_tree(job.target, &looked_at)))
    }

    fn work_expected(&self, plan: &Plan) -> Option<u64> {
        Some(plan.settings.tree_files)
    }

    fn moved(&self, plan: &Plan, _counted: &Counted) -> Moved {
        Moved { written: plan.settings.tree().bytes, ..Moved::default() }
    }

    fn memory_needed(&self, settings: &Settings) -> u64 {
        memory_needed(settings)
    }
}

struct Unpacker<'w, 't> {
    job: Job<'t>,
    tree: &'w Tree,
    content: &'w mut Content,
    tally: &'w mut Tally<'t>,
}

impl Unpacker<'_, '_> {
    /// Writes a file in one piece, with the string that is searched later where it belongs.
    fn write(&mut self, leaf: &Leaf, file: &Handle) -> std::io::Result<()> {
        let bytes = self.content.next(&self.tree.marks(self.job.stamps, leaf), 0, leaf.size());
        match needle::place(leaf) {
            None => write_all(self.job.target, file, bytes, 0),
            Some(place) => {
                let stood = needle::put_in(bytes, place);
                let written = write_all(self.job.target, file, bytes, 0);
                needle::take_out(bytes, place, &stood);
                written
            }
        }
    }
}

impl Visitor for Unpacker<'_, '_> {
    type Open = Handle;

    fn enter(&mut self, branch: &Branch, parent: Option<&Handle>) -> Result<Handle, PhaseError> {
        let open = self.tree.make(self.job, branch, parent)?;
        self.tally.operation(0)?;
        Ok(open)
    }

    fn visit(&mut self, leaf: &Leaf, directory: &Handle) -> Result<(), PhaseError> {
        let (tree, target) = (self.tree, self.job.target);
        let file =
            target.open(directory, leaf.name(), Access::CreateNew, Io::Buffered).map_err(|source| tree.failed("create", leaf, source))?;
        self.write(leaf, &file).map_err(|source| tree.failed("write", leaf, source))?;
        if self.job.plan.settings.sync == SyncAt::Every {
            target.sync(&file).map_err(|source| tree.failed("flush", leaf, source))?;
        }
        let closed = target.close(file).and_then(|()| sync_change(self.job, Some(directory)));
        closed.map_err(|source| tree.failed("close", leaf, source))?;
        self.tally.bytes += leaf.size() as u64;
        self.tally.operation(1)
    }

    fn leave(&mut self, branch: &Branch, open: Handle, _parent: Option<&Handle>) -> Result<(), PhaseError> {
        self.job.target.close(open).map_err(|source| self.tree.branch_failed("close", branch, source))
    }
}
