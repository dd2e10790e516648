//! The transfer files are written whole, off the clock, before the first phase that works on them.

use super::super::block_file::{BlockFile, BlockFiles};
use super::super::content::Content;
use super::super::{Job, PhaseError};
use super::{FIRST_NUMBER, GENERATION};
use crate::model::settings::SyncAt;
use crate::target::Access;

/// Bytes of one write.
const PIECE: u64 = 1 << 20;

/// Makes each file that is not there in its whole size.
///
/// # Errors
/// When a file cannot be made, or the run is to stop.
pub fn lay_out(job: Job<'_>, files: &BlockFiles<'_>) -> Result<(), PhaseError> {
    let start_ns = job.target.now_ns();
    let mut content = None;
    for file in &files.files {
        match job.target.status(job.target.root(), &file.name) {
            Ok(size) if size == file.size() => continue,
            // What a phase before left half made.
            Ok(_) => job.target.unlink(job.target.root(), &file.name).map_err(|source| file.failed("remove", source))?,
            Err(_) => {}
        }
        let content = content.get_or_insert_with(|| Content::of(&job.plan.settings, job.stamps.nonce, FIRST_NUMBER, PIECE as usize));
        // Nobody measures it, so that one flush at its end is enough.
        let file = BlockFile { sync: SyncAt::End, ..file.clone() };
        write_whole(job, files, &file, content, start_ns)?;
    }
    Ok(())
}

fn write_whole(job: Job<'_>, files: &BlockFiles<'_>, file: &BlockFile, content: &mut Content, start_ns: u64) -> Result<(), PhaseError> {
    let handle = files.open(file, Access::CreateNew)?;
    let marks = files.marks(file, GENERATION);
    let mut offset = 0;
    while offset < file.size() {
        let length = (file.size() - offset).min(PIECE);
        files.write(file, &handle, content.next(&marks, offset, length as usize), offset)?;
        job.stop.check(job.target.now_ns() - start_ns)?;
        offset += length;
    }
    files.sync_and_close(file, handle)
}
