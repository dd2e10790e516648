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
            Phase::DeviceSweep => settings.sweep_places * settings.sweep_size,
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
