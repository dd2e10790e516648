//! Small flushed writes: append to a new file, each write on stable storage before the next one begins.

use super::block_file::{BlockFile, BlockFiles};
use super::content::Content;
use super::procedure::memory_of_threads;
use super::stamp::Generation;
use super::{Job, Moved, PhaseError, Procedure, Survey, Tally, Timed, Work};
use crate::model::plan::Plan;
use crate::model::record::Counted;
use crate::model::settings::{DSYNC_WRITE_BYTES, FSYNC_WRITE_BYTES, Io, Settings, SyncAt};
use crate::target::Access;
use crate::target::scratch::WorkFile;

/// The numbers of these files for stamps begin here, above those of block files and transfer files.
const FIRST_NUMBER: u64 = 2 << 32;

/// What brings each write to stable storage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FlushedBy {
    /// The write itself, to a file that is open with `O_DSYNC`.
    DataSync,
    /// An fsync after it.
    Fsync,
}

impl FlushedBy {
    /// Bytes of a write.
    const fn bytes(self) -> u64 {
        match self {
            Self::DataSync => DSYNC_WRITE_BYTES,
            Self::Fsync => FSYNC_WRITE_BYTES,
        }
    }

    const fn access(self) -> Access {
        match self {
            Self::DataSync => Access::CreateNewDataSync,
            Self::Fsync => Access::CreateNew,
        }
    }

    /// The file that is written; through the page cache whatever `io` says: 512 bytes are fewer than direct I/O takes on many devices.
    fn file(self, settings: &Settings) -> BlockFile {
        let (number, sync) = match self {
            Self::DataSync => (0, SyncAt::End),
            Self::Fsync => (1, SyncAt::Every),
        };
        BlockFile {
            name: WorkFile::Sync.name(number),
            number: FIRST_NUMBER + number,
            chunk_size: self.bytes() as usize,
            chunks: settings.sync_writes,
            io: Io::Buffered,
            sync,
        }
    }
}

/// Writes one after the other, each flushed.
#[derive(Debug)]
pub struct SyncWrite(pub FlushedBy);

impl Procedure for SyncWrite {
    fn prepare<'t>(&self, job: Job<'t>, _survey: &Survey) -> Result<Timed<'t>, PhaseError> {
        let file = self.0.file(&job.plan.settings);
        let files = BlockFiles::of_files(job, vec![file.clone()]);
        let mut content = Content::of(&job.plan.settings, job.stamps.nonce, file.number, file.chunk_size);
        // Before the clock, so that the first latency is that of a write and not of a new file.
        let mut handle = Some(files.open(&file, self.0.access())?);
        let tally = Tally::of_known(job, file.chunks);
        let work = move |tally: &mut Tally<'_>| {
            let Some(handle) = handle.take() else { return Ok(()) };
            let marks = files.marks(&file, Generation::Written);
            for write in 0..file.chunks {
                let offset = write * file.chunk_size as u64;
                files.write(&file, &handle, content.next(&marks, offset, file.chunk_size), offset)?;
                tally.bytes += file.chunk_size as u64;
                tally.operation(1)?;
            }
            tally.finish();
            files.sync_and_close(&file, handle)
        };
        Ok(Timed::of(vec![(Box::new(work) as Work<'_>, tally)]))
    }

    fn work_expected(&self, plan: &Plan) -> Option<u64> {
        Some(plan.settings.sync_writes)
    }

    fn moved(&self, _plan: &Plan, counted: &Counted) -> Moved {
        Moved { written: counted.work * self.0.bytes(), ..Moved::default() }
    }

    fn memory_needed(&self, settings: &Settings) -> u64 {
        memory_of_threads(settings, 1, self.0.bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::phase::Phase;
    use crate::phases::transfer::tests::{done, plan};
    use crate::target::pretend::PretendTarget;
    use crate::target::pretend_call::Operation;
    use crate::target::pretend_trick::Trick;

    #[test]
    fn each_write_is_flushed_by_itself() {
        let plan = plan("dsync_write,fsync_write", &[("sync_writes", "3")]);
        let target = PretendTarget::costing(|call| if call.operation == Operation::Sync { 100 } else { 10 });
        let dsync = done(Phase::DsyncWrite, &plan, &target).unwrap();
        let fsync = done(Phase::FsyncWrite, &plan, &target).unwrap();
        let log: Vec<String> = target.log().iter().map(ToString::to_string).collect();
        let expected = [
            "Create sync.0",
            "Write sync.0 0+512",
            "Write sync.0 512+512",
            "Write sync.0 1024+512",
            "Sync sync.0",
            "Close sync.0",
            "Create sync.1",
            "Write sync.1 0+4096",
            "Sync sync.1",
            "Write sync.1 4096+4096",
            "Sync sync.1",
            "Write sync.1 8192+4096",
            "Sync sync.1",
            "Sync sync.1",
            "Close sync.1",
        ];
        assert_eq!(log, expected);
        let counts = |tally: &Tally<'_>| (tally.work, tally.operations, tally.bytes, tally.acknowledged_ns, tally.latency_max_ns);
        assert_eq!(counts(&dsync[0]), (3, 3, 3 * 512, 30, 10));
        assert_eq!(counts(&fsync[0]), (3, 3, 3 * 4096, 330, 110));
    }

    #[test]
    fn a_flush_that_fails_is_named_with_its_place() {
        let plan = plan("fsync_write", &[("sync_writes", "3")]);
        let target = PretendTarget::costing(|_| 1);
        target.play(Operation::Sync, 2, Trick::Fail(libc::EIO));
        let error = done(Phase::FsyncWrite, &plan, &target).err().unwrap().to_string();
        assert!(error.starts_with("flush chunk 1 of 3 of sync.1 at byte 4096: "), "{error}");
    }
}
