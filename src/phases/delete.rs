//! Delete: remove the name of each file of a set; then flush.

use super::error::PhaseError;
use super::file_set::{self, FileSet, Order, flush_filesystem};
use super::{Job, Moved, Procedure, Survey, Timed};
use crate::model::plan::Plan;
use crate::model::record::Counted;
use crate::model::settings::Settings;
use crate::target::FlushMethod;
use crate::target::scratch::FileSetKind;

/// Deletes the files of a set.
#[derive(Debug)]
pub struct Delete(pub FileSetKind);

impl Procedure for Delete {
    fn survey(&self, job: Job<'_>) -> Result<Survey, PhaseError> {
        file_set::survey(job, self.0)
    }

    fn prepare<'t>(&self, job: Job<'t>, survey: &Survey) -> Result<Timed<'t>, PhaseError> {
        prepare(job, self.0, survey)
    }

    fn work_expected(&self, plan: &Plan) -> Option<u64> {
        Some(plan.settings.files)
    }

    fn moved(&self, plan: &Plan, counted: &Counted) -> Moved {
        Moved { read: file_set::least_metadata(plan, counted.work), ..Moved::default() }
    }

    fn memory_needed(&self, settings: &Settings) -> u64 {
        file_set::memory_needed(settings)
    }
}

/// Makes the names in their order and opens the directories.
fn prepare<'t>(job: Job<'t>, kind: FileSetKind, survey: &Survey) -> Result<Timed<'t>, PhaseError> {
    let set = FileSet::of(&job.plan.settings, kind);
    let order = match kind {
        FileSetKind::Sequential => Order::Index,
        FileSetKind::Random => Order::Shuffled("random_delete order"),
    };
    let target = job.target;
    let parts = set.parts(target, order, survey)?;
    let delete = |part| {
        set.work(job, part, move |directory, entry| {
            target.unlink(directory, entry.name()).map_err(|source| set.failed("delete", entry, source))?;
            set.sync_change(job, directory, entry)?;
            Ok(0)
        })
    };
    let workers = parts.iter().cloned().map(delete).collect();
    let flush = move || match target.flush_method() {
        FlushMethod::WholeFilesystem => flush_filesystem(target),
        FlushMethod::EachFile => parts.iter().try_for_each(|part| set.flush_directories(target, part)),
    };
    Ok(Timed::of(workers).flushed_by(flush))
}
