//! Block write: make each block file, write it from start to end, flush and close it.

use super::block_file::{self, BlockFiles};
use super::content::Content;
use super::stamp::Generation;
use super::{Job, Moved, PhaseError, Procedure, Survey, Tally, Timed};
use crate::model::plan::Plan;
use crate::model::record::Counted;
use crate::model::settings::Settings;
use crate::target::Access;
use std::ffi::CString;

/// Writes each block file.
#[derive(Debug)]
pub struct BlockWrite;

impl Procedure for BlockWrite {
    fn prepare<'t>(&self, job: Job<'t>, _survey: &Survey) -> Result<Timed<'t>, PhaseError> {
        Ok(BlockFiles::timed(job, |files, file| {
            let mut content = Content::of(&job.plan.settings, job.stamps.nonce, file.number, file.chunk_size);
            move |tally: &mut Tally<'_>| {
                let handle = files.open(&file, Access::CreateNew)?;
                let marks = files.marks(&file, Generation::Written);
                for chunk in 0..file.chunks {
                    let offset = chunk * file.chunk_size as u64;
                    files.write(&file, &handle, content.next(&marks, offset, file.chunk_size), offset)?;
                    tally.operation(file.chunk_size as u64)?;
                }
                tally.finish();
                files.sync_and_close(&file, handle)
            }
        }))
    }

    fn work_expected(&self, plan: &Plan) -> Option<u64> {
        Some(plan.settings.file_size)
    }

    fn moved(&self, plan: &Plan, _counted: &Counted) -> Moved {
        let bytes = plan.settings.file_size;
        Moved { written: bytes, ..Moved::default() }
    }

    fn files_touched(&self, plan: &Plan) -> Vec<CString> {
        block_file::names(&plan.settings)
    }

    fn memory_needed(&self, settings: &Settings) -> u64 {
        block_file::memory_needed(settings)
    }
}
