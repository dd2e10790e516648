//! Delete: remove the name of each file of a set; then flush.

use super::error::PhaseError;
use super::file_set::{FileSet, Order, flush_filesystem};
use super::{Job, Survey, Timed};
use crate::target::FlushMethod;
use crate::target::scratch::FileSetKind;

/// Makes the names in their order and opens the directories.
pub fn prepare<'t>(job: Job<'t>, kind: FileSetKind, survey: &Survey) -> Result<Timed<'t>, PhaseError> {
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
            set.sync_change(job, directory, entry)
        })
    };
    let workers = parts.iter().cloned().map(delete).collect();
    let flush = move || match target.flush_method() {
        FlushMethod::WholeFilesystem => flush_filesystem(target),
        FlushMethod::EachFile => parts.iter().try_for_each(|part| set.flush_directories(target, part)),
    };
    Ok(Timed { workers, flush: Some(Box::new(flush)) })
}
