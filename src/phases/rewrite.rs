//! Rewrite: read each chunk, check it, change every stamp and write it back; flush and close.

use super::block_file::{self, BlockFiles};
use super::pool::Buffer;
use super::stamp::Generation;
use super::{Job, Moved, PhaseError, Procedure, Survey, Tally, Timed};
use crate::model::plan::Plan;
use crate::model::record::Counted;
use crate::model::settings::Settings;
use crate::target::Access;
use std::ffi::CString;

/// Reads, changes and writes back each block file.
#[derive(Debug)]
pub struct Rewrite;

impl Procedure for Rewrite {
    fn prepare<'t>(&self, job: Job<'t>, _survey: &Survey) -> Result<Timed<'t>, PhaseError> {
        Ok(BlockFiles::timed(job, |files, file| {
            let mut buffer = Buffer::of(file.chunk_size);
            move |tally: &mut Tally<'_>| {
                let handle = files.open(&file, Access::ReadWrite)?;
                let marks = files.marks(&file, Generation::Rewritten);
                for chunk in 0..file.chunks {
                    let offset = chunk * file.chunk_size as u64;
                    files.read(&file, &handle, buffer.bytes(), offset, Generation::Written)?;
                    marks.mark(buffer.bytes(), offset);
                    files.write(&file, &handle, buffer.bytes(), offset)?;
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
        Moved { read: bytes, written: bytes, checked: bytes }
    }

    fn files_read(&self, plan: &Plan) -> Vec<CString> {
        block_file::names(&plan.settings)
    }

    fn memory_needed(&self, settings: &Settings) -> u64 {
        block_file::memory_needed(settings)
    }
}
