//! Block read: read each block file from start to end and check it.

use super::block_file::{self, BlockFiles};
use super::pool::Buffer;
use super::{Job, Moved, PhaseError, Procedure, Survey, Tally, Timed};
use crate::model::phase::Phase;
use crate::model::plan::Plan;
use crate::model::record::Counted;
use crate::model::settings::Settings;
use crate::target::Access;
use std::ffi::CString;

/// Reads each block file.
#[derive(Debug)]
pub struct BlockRead;

impl Procedure for BlockRead {
    fn prepare<'t>(&self, job: Job<'t>, _survey: &Survey) -> Result<Timed<'t>, PhaseError> {
        let generation = block_file::generation_before(Phase::BlockRead, &job.plan.settings);
        Ok(BlockFiles::timed(job, |files, file| {
            let mut buffer = Buffer::of(file.chunk_size);
            move |tally: &mut Tally<'_>| {
                let handle = files.open(&file, Access::Read)?;
                for chunk in 0..file.chunks {
                    files.read(&file, &handle, buffer.bytes(), chunk * file.chunk_size as u64, generation)?;
                    tally.operation(file.chunk_size as u64)?;
                }
                tally.finish();
                files.close(&file, handle)
            }
        }))
    }

    fn work_expected(&self, plan: &Plan) -> Option<u64> {
        Some(plan.settings.file_size)
    }

    fn moved(&self, plan: &Plan, _counted: &Counted) -> Moved {
        let bytes = plan.settings.file_size;
        Moved { read: bytes, checked: bytes, ..Moved::default() }
    }

    fn files_read(&self, plan: &Plan) -> Vec<CString> {
        block_file::names(&plan.settings)
    }

    fn memory_needed(&self, settings: &Settings) -> u64 {
        block_file::memory_needed(settings)
    }
}
