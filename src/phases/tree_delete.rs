//! Tree delete: delete the tree with everything in it, the copy where it is still there, the library and the large files; then flush.

use super::library::{Library, Part};
use super::tree::flushing::{flush_removal, sync_change};
use super::tree::removing::Remover;
use super::tree::walk::Way;
use super::tree::{Copied, Tree, findings, least_metadata, memory_needed, tree_of};
use super::{Job, Moved, PhaseError, Procedure, Survey, Tally, Timed};
use crate::model::phase::Phase;
use crate::model::plan::Plan;
use crate::model::record::Counted;
use crate::model::settings::Settings;
use std::ffi::CString;

/// Deletes everything.
#[derive(Debug)]
pub struct TreeDelete;

impl Procedure for TreeDelete {
    fn prepare<'t>(&self, job: Job<'t>, _survey: &Survey) -> Result<Timed<'t>, PhaseError> {
        let (trees, files) = what_is_left(job);
        let of_trees: usize = trees.iter().map(|tree| tree.branches().len() + tree.leaves().len()).sum();
        let tally = Tally::of_known(job, (of_trees + files.len()) as u64);
        let mut way = Way::new();
        let work = move |tally: &mut Tally<'t>| {
            for tree in &trees {
                way.through(tree, &mut Remover { job, tree, tally })?;
            }
            for name in &files {
                remove(job, name)?;
                tally.operation(1)?;
            }
            tally.finish();
            Ok(())
        };
        let timed = Timed::of(vec![(Box::new(work), tally)]).flushed_by(move || flush_removal(job.target));
        Ok(timed.followed_by(move || findings::free(job.target)))
    }

    fn work_expected(&self, plan: &Plan) -> Option<u64> {
        let settings = &plan.settings;
        let left = |phase, files| if is_done_before(settings, phase) { files } else { 0 };
        let copy = if is_done_before(settings, Phase::TreePrune) { 0 } else { left(Phase::TreeCopy, settings.copied_tree_files()) };
        let library = left(Phase::LibraryWrite, settings.library_files) + left(Phase::LargeCopy, settings.large_copies().files);
        Some(left(Phase::TreeUnpack, settings.tree_files) + copy + library)
    }

    fn moved(&self, _plan: &Plan, counted: &Counted) -> Moved {
        least_metadata(counted.operations)
    }

    fn memory_needed(&self, settings: &Settings) -> u64 {
        memory_needed(settings)
    }
}

/// Whether a phase is done before this one.
fn is_done_before(settings: &Settings, phase: Phase) -> bool {
    settings.leaves_out(phase).is_none() && settings.phases.last_before(Phase::TreeDelete, &[phase]).is_some()
}

/// What earlier phases of the plan have made and not removed.
fn what_is_left(job: Job<'_>) -> (Vec<Tree>, Vec<CString>) {
    let settings = &job.plan.settings;
    let mut trees = vec![tree_of(job, Copied::Original)];
    if is_done_before(settings, Phase::TreeCopy) && !is_done_before(settings, Phase::TreePrune) {
        trees.push(tree_of(job, Copied::Copy));
    }
    let library = Library::of(settings);
    let mut files = Vec::new();
    for (phase, part) in [(Phase::LibraryWrite, Part::All), (Phase::LargeCopy, Part::Copies)] {
        if is_done_before(settings, phase) {
            files.extend(library.names(part));
        }
    }
    (trees, files)
}

fn remove(job: Job<'_>, name: &CString) -> Result<(), PhaseError> {
    let removed = job.target.unlink(job.target.root(), name).and_then(|()| sync_change(job, None));
    removed.map_err(|source| PhaseError::Call { doing: format!("delete {}", name.to_string_lossy()), source })
}
