//! Block read: read each block file from start to end and check it.

use super::block_file::BlockFiles;
use super::pool::Buffer;
use super::stamp::Generation;
use super::{Job, Tally, Timed};
use crate::target::Access;

/// Makes the buffer of each worker.
pub fn prepare(job: Job<'_>) -> Timed<'_> {
    BlockFiles::timed(job, |files, file| {
        let mut buffer = Buffer::of(file.chunk_size);
        move |tally: &mut Tally<'_>| {
            let handle = files.open(&file, Access::Read)?;
            for chunk in 0..file.chunks {
                files.read(&file, &handle, buffer.bytes(), chunk * file.chunk_size as u64, Generation::Rewritten)?;
                tally.operation(file.chunk_size as u64)?;
            }
            tally.finish();
            files.close(&file, handle)
        }
    })
}
