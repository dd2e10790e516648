//! Reads of a device: its places one after the other, each from start to end, through the page cache or past it. What is read is
//! somebody else's data, so nothing is checked but that it comes whole.

use super::pool::Buffer;
use super::procedure::memory_of_threads;
use super::{Job, Moved, PhaseError, Procedure, Survey, Tally, Timed, Work};
use crate::model::device_places::places;
use crate::model::phase::Phase;
use crate::model::plan::Plan;
use crate::model::record::Counted;
use crate::model::settings::Settings;
use crate::target::device::DEVICE;
use crate::target::{Access, read_exact};
use std::ffi::CString;
use std::io;

/// Reads of a device in this phase.
#[derive(Debug)]
pub struct DeviceRead(pub Phase);

impl DeviceRead {
    fn bytes(&self, settings: &Settings) -> u64 {
        match self.0 {
            Phase::DeviceSweep => settings.sweep_places.saturating_mul(settings.sweep_size),
            _ => settings.place_size,
        }
    }

    /// Of the curve each place is a slice.
    fn tally<'t>(&self, job: Job<'t>) -> Tally<'t> {
        let settings = &job.plan.settings;
        match self.0 {
            Phase::DeviceSweep => Tally::of_slices(job, settings.sweep_size / settings.chunk_size),
            _ => Tally::of_known(job, settings.place_size / settings.chunk_size),
        }
    }
}

fn failed(doing: &str) -> impl FnOnce(io::Error) -> PhaseError {
    let doing = doing.to_owned();
    move |source| PhaseError::Call { doing, source }
}

impl Procedure for DeviceRead {
    fn prepare<'t>(&self, job: Job<'t>, _survey: &Survey) -> Result<Timed<'t>, PhaseError> {
        let (target, settings) = (job.target, &job.plan.settings);
        let bytes = target.status(target.root(), DEVICE).map_err(failed("ask the device for its size"))?;
        let places = places(self.0, settings, bytes);
        if places.is_empty() {
            return Err(failed("find the places to read")(io::Error::other(format!("the device has only {bytes} bytes by now"))));
        }
        let (io, chunk_size) = (settings.io_of(self.0), settings.chunk_size);
        let mut buffer = Buffer::of(chunk_size as usize);
        let work: Work<'t> = Box::new(move |tally| {
            let device = target.open(target.root(), DEVICE, Access::Read, io).map_err(failed("open the device"))?;
            for place in &places {
                for offset in place.clone().step_by(chunk_size as usize) {
                    let read = read_exact(target, &device, buffer.bytes(), offset);
                    read.map_err(|source| place_failed(offset, bytes, source))?;
                    tally.operation(chunk_size)?;
                }
            }
            tally.finish();
            target.close(device).map_err(failed("close the device"))
        });
        Ok(Timed::of(vec![(work, self.tally(job))]))
    }

    fn work_expected(&self, plan: &Plan) -> Option<u64> {
        Some(self.bytes(&plan.settings))
    }

    fn moved(&self, plan: &Plan, _counted: &Counted) -> Moved {
        Moved { read: self.bytes(&plan.settings), ..Moved::default() }
    }

    fn files_read(&self, _plan: &Plan) -> Vec<CString> {
        vec![DEVICE.to_owned()]
    }

    fn memory_needed(&self, settings: &Settings) -> u64 {
        memory_of_threads(settings, 1, settings.chunk_size)
    }
}

#[cold]
fn place_failed(offset: u64, bytes: u64, source: io::Error) -> PhaseError {
    let doing = format!("read the device at byte {offset} of {bytes}");
    // Where a device ends all of a sudden, it was taken away or is another one.
    let source = match source.kind() {
        io::ErrorKind::UnexpectedEof => io::Error::other("the device ends before; was it taken away?"),
        _ => source,
    };
    PhaseError::Call { doing, source }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::device_places;
    use crate::model::plan::{Circumstances, Plan};
    use crate::model::profile::Profile;
    use crate::model::settings::Io;
    use crate::phases::{Stamps, Stop};
    use crate::target::Target;
    use crate::target::pretend::PretendTarget;
    use crate::target::pretend_call::{Call, Operation};
    use std::sync::atomic::AtomicBool;

    const CHUNK: u64 = 4096;
    const DEVICE_BYTES: u64 = 64 * CHUNK + 100;

    fn plan() -> Plan {
        let changes = [("chunk_size", "4k"), ("place_size", "12k"), ("sweep_places", "4"), ("sweep_size", "8k")];
        let changes = changes.map(|(key, value)| (key.to_owned(), value.to_owned()));
        Plan::of(&Profile::named("device", 0).unwrap().changed(&changes, 0).unwrap(), 1, Circumstances::WITHOUT_DROPS).unwrap()
    }

    fn device(target: &PretendTarget, bytes: u64) {
        let made = target.open(target.root(), DEVICE, Access::CreateNew, Io::Buffered).unwrap();
        target.set_length(&made, bytes).unwrap();
        target.close(made).unwrap();
    }

    /// Does a phase, and gives what was counted and the calls on the clock.
    fn done(phase: Phase, target: &PretendTarget) -> Result<(u64, Vec<u64>, Vec<Call>), PhaseError> {
        let interrupted = AtomicBool::new(false);
        let (stop, plan, stamps) = (Stop::of(&interrupted), plan(), Stamps::default());
        let job = Job { plan: &plan, target, stamps: &stamps, stop: &stop };
        let mut timed = DeviceRead(phase).prepare(job, &Survey::new())?;
        let start = target.log().len();
        assert_eq!(timed.workers.len(), 1);
        let (work, tally) = &mut timed.workers[0];
        tally.start(target.now_ns());
        work(tally)?;
        let slices = crate::model::slices::SliceClock::together(std::slice::from_ref(&tally.slices)).unwrap().elapsed_ns;
        Ok((tally.work, slices, target.log()[start..].to_vec()))
    }

    fn offsets(calls: &[Call]) -> Vec<u64> {
        let reads = calls.iter().filter(|call| call.operation == Operation::Read);
        reads
            .map(|call| call.span.map(|(offset, length)| (offset, length as u64)).unwrap())
            .map(|(offset, length)| {
                assert_eq!(length, CHUNK);
                offset / CHUNK
            })
            .collect()
    }

    #[test]
    fn each_place_is_read_once_from_start_to_end_and_nothing_else_is_done() {
        let target = PretendTarget::costing(|_| 1000);
        device(&target, DEVICE_BYTES);
        for (phase, chunks) in [
            (Phase::DeviceStart, vec![0, 1, 2]),
            (Phase::DirectMiddle, vec![30, 31, 32]),
            (Phase::DirectEnd, vec![61, 62, 63]),
            (Phase::DeviceSweep, vec![0, 1, 20, 21, 41, 42, 62, 63]),
        ] {
            let (work, slices, calls) = done(phase, &target).unwrap();
            assert_eq!(offsets(&calls), chunks, "{}", phase.name());
            assert_eq!(work, chunks.len() as u64 * CHUNK);
            let ends = [&calls[0], &calls[calls.len() - 1]].map(|call| call.operation);
            assert_eq!((ends, calls.len()), ([Operation::Open, Operation::Close], chunks.len() + 2), "{}", phase.name());
            if phase == Phase::DeviceSweep {
                assert_eq!(slices.len(), 4, "a slice a place");
            }
        }
    }

    #[test]
    fn a_slice_is_as_slow_as_its_place() {
        // Twice as slow from the middle on.
        let cost = |call: &Call| if call.span.is_some_and(|(offset, _)| offset >= 32 * CHUNK) { 2_000_000 } else { 1_000_000 };
        let target = PretendTarget::costing(cost);
        device(&target, DEVICE_BYTES);
        let (_, slices, _) = done(Phase::DeviceSweep, &target).unwrap();
        // The first has the open too.
        assert_eq!(slices, [3_000_000, 2_000_000, 4_000_000, 4_000_000]);
    }

    #[test]
    fn a_device_that_has_shrunk_or_ends_fails_with_words() {
        let target = PretendTarget::costing(|_| 1);
        device(&target, device_places::least_bytes(&plan().settings) - 1);
        let error = done(Phase::DeviceEnd, &target).unwrap_err().to_string();
        assert!(error.contains("the device has only 36863 bytes by now"), "{error}");
        let gone = PretendTarget::costing(|_| 1);
        let error = done(Phase::DeviceEnd, &gone).unwrap_err().to_string();
        assert!(error.starts_with("ask the device for its size: "), "{error}");
        let error = place_failed(4096, 8192, io::ErrorKind::UnexpectedEof.into()).to_string();
        assert_eq!(error, "read the device at byte 4096 of 8192: the device ends before; was it taken away?");
    }
}
