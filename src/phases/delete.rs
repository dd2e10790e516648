//! Delete: remove the name of each file of a set; then flush.

use super::create::flush_directories;
use super::error::PhaseError;
use super::file_set::{FileSet, Order};
use super::{Flush, Job, Survey, Tally, Timed, Work};
use crate::target::scratch::FileSetKind;
use crate::target::{FlushMethod, Handle, Target};
use std::sync::Arc;

/// Makes the names in their order and opens the directories.
pub fn prepare<'t>(job: Job<'t>, kind: FileSetKind, survey: &Survey) -> Result<Timed<'t>, PhaseError> {
    let settings = &job.plan.settings;
    let set = FileSet::of(settings, kind);
    let order = match kind {
        FileSetKind::Sequential => Order::Index,
        FileSetKind::Random => Order::Shuffled("random_delete order"),
    };
    let mut workers = Vec::new();
    let mut all_directories = Vec::new();
    for worker in 0..settings.workers {
        let directories = set.open_directories(job.target, worker)?;
        all_directories.push(Arc::clone(&directories));
        let entries = set.entries_to_visit(worker, order, survey)?;
        let tally = Tally::of_known(job, entries.len() as u64);
        let target = job.target;
        let work = move |tally: &mut Tally<'_>| {
            for entry in entries.iter() {
                let directory = &directories[set.directory(entry.number)];
                target.unlink(directory, entry.name()).map_err(|source| set.failed("delete", entry, source))?;
                tally.operation(1)?;
            }
            tally.acknowledged();
            Ok(())
        };
        workers.push((Box::new(work) as Work<'_>, tally));
    }
    Ok(Timed { workers, flush: Some(flush(job.target, all_directories)) })
}

fn flush(target: &dyn Target, all_directories: Vec<Arc<[Handle]>>) -> Flush<'_> {
    match target.flush_method() {
        FlushMethod::WholeFilesystem => {
            Box::new(move || target.flush().map_err(|source| PhaseError::Call { doing: "flush the filesystem".to_owned(), source }))
        }
        FlushMethod::EachFile => {
            Box::new(move || all_directories.iter().try_for_each(|directories| flush_directories(target, directories)))
        }
    }
}
