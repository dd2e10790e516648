//! Block write: make each block file, write it from start to end, flush and close it.

use super::block_file::BlockFiles;
use super::pool::Pool;
use super::stamp::Generation;
use super::{Job, Tally, Timed};
use crate::target::Access;

/// Makes the data of each worker.
pub fn prepare(job: Job<'_>) -> Timed<'_> {
    BlockFiles::timed(job, |files, file| {
        let mut pool = Pool::of(job.stamps.nonce, file.number, file.chunk_size);
        move |tally: &mut Tally<'_>| {
            let handle = files.open(&file, Access::CreateNew)?;
            let stamper = files.stamper(&file, Generation::Written);
            for chunk in 0..file.chunks {
                let offset = chunk * file.chunk_size as u64;
                let bytes = pool.slice(file.chunk_size);
                stamper.mark(bytes, offset);
                files.write(&file, &handle, bytes, offset)?;
                tally.operation(file.chunk_size as u64)?;
            }
            tally.finish();
            files.sync_and_close(&file, handle)
        }
    })
}
