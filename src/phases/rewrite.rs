//! Rewrite: read each chunk, check it, change every stamp and write it back; flush and close.

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
    })
}
