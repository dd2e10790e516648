//! File read: open each file of a tenth of a set in index order, ask for its size, read all of it and close it.

use super::file_reader::FileReader;
use super::file_set::{self, FileSet, Order, Tenth};
use super::{Job, Moved, PhaseError, Procedure, Survey, Timed};
use crate::model::phase::Phase;
use crate::model::plan::Plan;
use crate::model::record::Counted;
use crate::model::settings::Settings;
use crate::target::scratch::FileSetKind;

/// Reads a tenth of the files of a set.
#[derive(Debug)]
pub struct FileRead;

impl Procedure for FileRead {
    fn prepare<'t>(&self, job: Job<'t>, _survey: &Survey) -> Result<Timed<'t>, PhaseError> {
        prepare(job, Phase::FileRead, Tenth::Read, Order::Index)
    }

    fn work_expected(&self, plan: &Plan) -> Option<u64> {
        Some(Tenth::Read.count(plan.settings.files))
    }

    fn moved(&self, plan: &Plan, counted: &Counted) -> Moved {
        moved(plan, counted)
    }

    fn memory_needed(&self, settings: &Settings) -> u64 {
        file_set::memory_needed(settings)
    }
}

/// Makes the names in their order and opens the directories, for a phase that reads a tenth of the files.
///
/// # Errors
/// When a directory cannot be opened.
pub fn prepare(job: Job<'_>, phase: Phase, tenth: Tenth, order: Order) -> Result<Timed<'_>, PhaseError> {
    let target = job.target;
    let set = FileSet::of(&job.plan.settings, FileSetKind::Sequential).met_by(phase, &job.plan.settings);
    let read = |part| {
        let mut reader = FileReader::of(job, set);
        set.work(job, part, move |directory, entry| {
            let file = reader.open(directory, entry)?;
            let size = target.status_open(&file).map_err(|source| set.failed("stat", entry, source))?;
            reader.check_size(size, entry)?;
            reader.read_and_close(file, entry, size)
        })
    };
    Ok(Timed::of(set.parts_of(tenth, target, order)?.into_iter().map(read).collect()))
}

/// What reading whole files moved. A cold read takes whole pages or blocks of them; their bytes are what it takes at the least.
#[must_use]
pub fn moved(plan: &Plan, counted: &Counted) -> Moved {
    let bytes = counted.bytes.unwrap_or(0);
    let read = file_set::least_metadata(plan, counted.work).max(plan.settings.unique_bytes(bytes));
    Moved { read, checked: bytes, ..Moved::default() }
}
