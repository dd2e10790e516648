//! Stat: ask for the status of each file of a set, through symbolic links; a file with content is read and checked too, as Bonnie++ does.

use super::entry::Entry;
use super::error::PhaseError;
use super::file_reader::FileReader;
use super::file_set::{self, FileSet, Order};
use super::{Job, Moved, Procedure, Survey, Timed, file_read};
use crate::model::phase::Phase;
use crate::model::plan::Plan;
use crate::model::record::Counted;
use crate::model::settings::{Links, Settings};
use crate::target::Handle;
use crate::target::scratch::FileSetKind;

/// Asks for the status of the files of a set, and reads them.
#[derive(Debug)]
pub struct Stat(pub FileSetKind);

impl Procedure for Stat {
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
        file_read::moved(plan, counted)
    }

    fn memory_needed(&self, settings: &Settings) -> u64 {
        file_set::memory_needed(settings)
    }
}

/// Makes the names in their order and opens the directories.
fn prepare<'t>(job: Job<'t>, kind: FileSetKind, survey: &Survey) -> Result<Timed<'t>, PhaseError> {
    let settings = &job.plan.settings;
    let (phase, order) = match kind {
        FileSetKind::Sequential => (Phase::SeqStat, Order::Index),
        FileSetKind::Random => (Phase::RandomStat, Order::Shuffled("random_stat order")),
    };
    let set = FileSet::of(settings, kind).met_by(phase, settings);
    let stat = |part| {
        let mut visitor = Visitor { job, set, reader: FileReader::of(job, set) };
        set.work(job, part, move |directory, entry| visitor.visit(directory, entry))
    };
    Ok(Timed::of(set.parts(job.target, order, survey)?.into_iter().map(stat).collect()))
}

struct Visitor<'t> {
    job: Job<'t>,
    set: FileSet,
    reader: FileReader<'t>,
}

impl Visitor<'_> {
    /// Gives the bytes that were read.
    fn visit(&mut self, directory: &Handle, entry: &Entry) -> Result<u64, PhaseError> {
        let target = self.job.target;
        let status = match self.job.plan.settings.links {
            Links::None | Links::Hard => target.status(directory, entry.name()),
            Links::Symbolic => target.status_through(directory, entry.name()),
        };
        let size = status.map_err(|source| self.set.failed("stat", entry, source))?;
        self.reader.check_size(size, entry)?;
        if size == 0 {
            return Ok(0);
        }
        let file = self.reader.open(directory, entry)?;
        self.reader.read_and_close(file, entry, size)
    }
}
