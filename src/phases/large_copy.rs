//! Large copy: read the largest files of a library, which have half of its bytes, and write them anew; then flush.

use super::library::{Item, Library, Part, flush, open};
use super::pool::Buffer;
use super::procedure::memory_of_threads;
use super::tree::findings;
use super::tree::flushing::sync_change;
use super::{Job, Moved, PhaseError, Procedure, Survey, Tally, Timed};
use crate::model::plan::Plan;
use crate::model::record::Counted;
use crate::model::settings::{Settings, SyncAt};
use crate::target::{Access, write_all};
use std::ffi::CString;

/// Copies large files.
#[derive(Debug)]
pub struct LargeCopy;

impl Procedure for LargeCopy {
    fn prepare<'t>(&self, job: Job<'t>, _survey: &Survey) -> Result<Timed<'t>, PhaseError> {
        let settings = &job.plan.settings;
        let library = Library::of(settings);
        let pairs: Vec<(Item, Item)> = library.items(Part::Larger).zip(library.items(Part::Copies)).collect();
        let tally = Tally::of_known(job, pairs.iter().map(|(item, _)| item.pieces(settings.chunk_size)).sum());
        let mut buffer = Buffer::of(settings.chunk_size as usize);
        let work = move |tally: &mut Tally<'t>| {
            pairs.iter().try_for_each(|(from, to)| copy(job, library, (from, to), buffer.bytes(), tally))?;
            tally.finish();
            Ok(())
        };
        let (made, names): (Vec<Item>, _) = (library.items(Part::Copies).collect(), library.names(Part::Copies));
        let timed = Timed::of(vec![(Box::new(work), tally)]).flushed_by(move || flush(job.target, &made));
        Ok(timed.followed_by(move || findings::of_files(job.target, &names)))
    }

    fn work_expected(&self, plan: &Plan) -> Option<u64> {
        Some(plan.settings.large_copies().bytes)
    }

    fn moved(&self, plan: &Plan, _counted: &Counted) -> Moved {
        let bytes = plan.settings.large_copies().bytes;
        Moved { read: bytes, written: bytes, checked: bytes }
    }

    fn files_read(&self, plan: &Plan) -> Vec<CString> {
        Library::of(&plan.settings).names(Part::Larger)
    }

    fn memory_needed(&self, settings: &Settings) -> u64 {
        memory_of_threads(settings, 1, settings.chunk_size)
    }
}

/// Copies a file piece by piece; the last one counts when both are closed.
fn copy(job: Job<'_>, library: Library, (from, to): (&Item, &Item), buffer: &mut [u8], tally: &mut Tally<'_>) -> Result<(), PhaseError> {
    let target = job.target;
    let (source, copy) = (open(target, from, Access::Read)?, open(target, to, Access::CreateNew)?);
    let mut offset = 0;
    loop {
        let length = (from.size - offset).min(buffer.len() as u64);
        let piece = &mut buffer[..length as usize];
        library.read(job, from, &source, piece, offset)?;
        write_all(target, &copy, piece, offset).map_err(|source| to.failed("write", Some(offset), source))?;
        offset += length;
        if offset == from.size {
            if job.plan.settings.sync == SyncAt::Every {
                target.sync(&copy).map_err(|source| to.failed("flush", None, source))?;
            }
            target.close(source).map_err(|source| from.failed("close", None, source))?;
            target.close(copy).and_then(|()| sync_change(job, None)).map_err(|source| to.failed("close", None, source))?;
            return tally.operation(length);
        }
        tally.operation(length)?;
    }
}
