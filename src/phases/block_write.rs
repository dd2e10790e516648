//! Block write: make each block file, write it from start to end, flush and close it.

use super::block_file::BlockFiles;
use super::content::Content;
use super::stamp::Generation;
use super::{Job, Tally, Timed};
use crate::target::Access;

/// Makes the data of each worker.
pub fn prepare(job: Job<'_>) -> Timed<'_> {
    BlockFiles::timed(job, |files, file| {
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
    })
}
