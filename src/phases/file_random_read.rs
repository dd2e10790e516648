//! File random read: as file read, on another tenth of the files and in a random order.

use super::file_set::{self, Order, Tenth};
use super::{Job, Moved, PhaseError, Procedure, Survey, Timed, file_read};
use crate::model::phase::Phase;
use crate::model::plan::Plan;
use crate::model::record::Counted;
use crate::model::settings::Settings;

/// Reads another tenth of the files of a set.
#[derive(Debug)]
pub struct FileRandomRead;

impl Procedure for FileRandomRead {
    fn prepare<'t>(&self, job: Job<'t>, _survey: &Survey) -> Result<Timed<'t>, PhaseError> {
        file_read::prepare(job, Phase::FileRandomRead, Tenth::ReadAtRandom, Order::Shuffled("file_random_read order"))
    }

    fn work_expected(&self, plan: &Plan) -> Option<u64> {
        Some(Tenth::ReadAtRandom.count(plan.settings.files))
    }

    fn moved(&self, plan: &Plan, counted: &Counted) -> Moved {
        file_read::moved(plan, counted)
    }

    fn memory_needed(&self, settings: &Settings) -> u64 {
        file_set::memory_needed(settings)
    }
}
