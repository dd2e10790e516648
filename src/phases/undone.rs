//! Phases that barrow never does.

use super::{Job, Moved, PhaseError, Procedure, Survey, Timed};
use crate::model::plan::Plan;
use crate::model::record::Counted;
use crate::model::settings::Settings;
use std::io;

/// A phase that is only read from other programs' reports.
#[derive(Debug)]
pub struct Undone;

impl Procedure for Undone {
    fn prepare<'t>(&self, _job: Job<'t>, _survey: &Survey) -> Result<Timed<'t>, PhaseError> {
        Err(PhaseError::Call { doing: "begin".to_owned(), source: io::Error::other("barrow does no such phase") })
    }

    fn work_expected(&self, _plan: &Plan) -> Option<u64> {
        None
    }

    fn moved(&self, _plan: &Plan, _counted: &Counted) -> Moved {
        Moved::default()
    }

    fn memory_needed(&self, _settings: &Settings) -> u64 {
        0
    }
}
