//! Library read: several threads at once read whole files of a library in a random order, each file once.

use super::library::{Item, Library, Part, memory_needed, open};
use super::pool::Buffer;
use super::{Job, Moved, PhaseError, Procedure, Survey, Tally, Timed, Work};
use crate::model::plan::Plan;
use crate::model::record::Counted;
use crate::model::settings::Settings;
use crate::rng::Stream;
use crate::target::Access;
use std::ffi::CString;

/// Reads the library.
#[derive(Debug)]
pub struct LibraryRead;

impl Procedure for LibraryRead {
    fn prepare<'t>(&self, job: Job<'t>, _survey: &Survey) -> Result<Timed<'t>, PhaseError> {
        let settings = &job.plan.settings;
        let library = Library::of(settings);
        Ok(Timed::of((0..settings.library_threads()).map(|thread| work(job, library, thread)).collect()))
    }

    fn work_expected(&self, plan: &Plan) -> Option<u64> {
        Some(plan.settings.library().bytes)
    }

    fn moved(&self, plan: &Plan, _counted: &Counted) -> Moved {
        let bytes = plan.settings.library().bytes;
        Moved { read: bytes, checked: bytes, ..Moved::default() }
    }

    fn files_read(&self, plan: &Plan) -> Vec<CString> {
        Library::of(&plan.settings).names(Part::All)
    }

    fn memory_needed(&self, settings: &Settings) -> u64 {
        memory_needed(settings)
    }
}

fn work(job: Job<'_>, library: Library, thread: u64) -> (Work<'_>, Tally<'_>) {
    let settings = &job.plan.settings;
    let mut items = library.share(thread);
    Stream::of(settings.seed, &format!("order of library reader {thread}")).shuffle(&mut items);
    let tally = Tally::of_known(job, items.iter().map(|item| item.pieces(settings.chunk_size)).sum());
    let mut buffer = Buffer::of(settings.chunk_size as usize);
    let work = move |tally: &mut Tally<'_>| {
        items.iter().try_for_each(|item| read(job, library, item, buffer.bytes(), tally))?;
        tally.finish();
        Ok(())
    };
    (Box::new(work), tally)
}

/// Reads a file from start to end; its last piece counts when it is closed.
fn read(job: Job<'_>, library: Library, item: &Item, buffer: &mut [u8], tally: &mut Tally<'_>) -> Result<(), PhaseError> {
    let file = open(job.target, item, Access::Read)?;
    let mut offset = 0;
    loop {
        let length = (item.size - offset).min(buffer.len() as u64);
        library.read(job, item, &file, &mut buffer[..length as usize], offset)?;
        offset += length;
        if offset == item.size {
            job.target.close(file).map_err(|source| item.failed("close", None, source))?;
            return tally.operation(length);
        }
        tally.operation(length)?;
    }
}
