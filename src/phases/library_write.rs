//! Library write: several threads at once make the small and large files of a library; then flush.

use super::content::Content;
use super::library::{Item, Library, Part, flush, memory_needed, open};
use super::tree::findings;
use super::tree::flushing::sync_change;
use super::{Job, Moved, PhaseError, Procedure, Survey, Tally, Timed, Work};
use crate::model::plan::Plan;
use crate::model::record::Counted;
use crate::model::settings::{Settings, SyncAt};
use crate::target::{Access, write_all};
use std::ffi::CString;

/// Makes the library.
#[derive(Debug)]
pub struct LibraryWrite;

impl Procedure for LibraryWrite {
    fn prepare<'t>(&self, job: Job<'t>, _survey: &Survey) -> Result<Timed<'t>, PhaseError> {
        let settings = &job.plan.settings;
        let library = Library::of(settings);
        let workers = (0..settings.library_threads()).map(|thread| work(job, library, thread));
        let timed = Timed::of(workers.collect());
        let (items, names): (Vec<Item>, _) = (library.items(Part::All).collect(), library.names(Part::All));
        Ok(timed.flushed_by(move || flush(job.target, &items)).followed_by(move || findings::of_files(job.target, &names)))
    }

    fn work_expected(&self, plan: &Plan) -> Option<u64> {
        Some(plan.settings.library().bytes)
    }

    fn moved(&self, plan: &Plan, _counted: &Counted) -> Moved {
        Moved { written: plan.settings.library().bytes, ..Moved::default() }
    }

    fn files_touched(&self, plan: &Plan) -> Vec<CString> {
        Library::of(&plan.settings).names(Part::All)
    }

    fn memory_needed(&self, settings: &Settings) -> u64 {
        memory_needed(settings)
    }
}

fn work(job: Job<'_>, library: Library, thread: u64) -> (Work<'_>, Tally<'_>) {
    let settings = &job.plan.settings;
    let items = library.share(thread);
    let tally = Tally::of_known(job, items.iter().map(|item| item.pieces(settings.chunk_size)).sum());
    let mut content = Content::of(settings, job.stamps.nonce, thread, settings.chunk_size as usize);
    let work = move |tally: &mut Tally<'_>| {
        items.iter().try_for_each(|item| write(job, library, item, &mut content, tally))?;
        tally.finish();
        Ok(())
    };
    (Box::new(work), tally)
}

/// Makes a file; its last piece counts when it is closed.
fn write(job: Job<'_>, library: Library, item: &Item, content: &mut Content, tally: &mut Tally<'_>) -> Result<(), PhaseError> {
    let (target, chunk_size) = (job.target, job.plan.settings.chunk_size);
    let file = open(target, item, Access::CreateNew)?;
    let marks = library.marks(job.stamps, item);
    let mut offset = 0;
    loop {
        let length = (item.size - offset).min(chunk_size);
        let bytes = content.next(&marks, offset, length as usize);
        write_all(target, &file, bytes, offset).map_err(|source| item.failed("write", Some(offset), source))?;
        offset += length;
        if offset == item.size {
            if job.plan.settings.sync == SyncAt::Every {
                target.sync(&file).map_err(|source| item.failed("flush", None, source))?;
            }
            target.close(file).and_then(|()| sync_change(job, None)).map_err(|source| item.failed("close", None, source))?;
            return tally.operation(length);
        }
        tally.operation(length)?;
    }
}
