//! Tree prune: delete the directories that were copied, with everything in them; then flush.

use super::tree::flushing::flush_removal;
use super::tree::removing::Remover;
use super::tree::walk::Way;
use super::tree::{Copied, findings, least_metadata, memory_needed, tree_of};
use super::{Job, Moved, PhaseError, Procedure, Survey, Tally, Timed};
use crate::model::plan::Plan;
use crate::model::record::Counted;
use crate::model::settings::Settings;

/// Deletes the copy.
#[derive(Debug)]
pub struct TreePrune;

impl Procedure for TreePrune {
    fn prepare<'t>(&self, job: Job<'t>, _survey: &Survey) -> Result<Timed<'t>, PhaseError> {
        let tree = tree_of(job, Copied::Copy);
        let tally = Tally::of_known(job, (tree.branches().len() + tree.leaves().len()) as u64);
        let mut way = Way::new();
        let work = move |tally: &mut Tally<'t>| {
            way.through(&tree, &mut Remover { job, tree: &tree, tally })?;
            tally.finish();
            Ok(())
        };
        let timed = Timed::of(vec![(Box::new(work), tally)]).flushed_by(move || flush_removal(job.target));
        Ok(timed.followed_by(move || findings::free(job.target)))
    }

    fn work_expected(&self, plan: &Plan) -> Option<u64> {
        Some(plan.settings.copied_tree_files())
    }

    fn moved(&self, _plan: &Plan, counted: &Counted) -> Moved {
        least_metadata(counted.operations)
    }

    fn memory_needed(&self, settings: &Settings) -> u64 {
        memory_needed(settings)
    }
}
