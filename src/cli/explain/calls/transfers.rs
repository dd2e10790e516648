//! The calls of transfers and of small flushed writes.

use super::{Calls, Step, close, on, open, read, synced, times, with_direct, write};
use crate::model::phase::{Direction, Phase, Transfer, TransferOrder};
use crate::model::settings::{DSYNC_WRITE_BYTES, FSYNC_WRITE_BYTES, Settings};
use crate::target::pretend_call::Operation;
use crate::units::with_thousands;

const FILE: &str = "\"transfer.0\"";
/// Bytes of one write when the files are made.
const PIECE: u64 = 1 << 20;

/// Of `dsync_write`.
pub fn dsync_write(settings: &Settings) -> Calls {
    Calls {
        prepare: vec![open("\"sync.0\"", Operation::Create, "O_RDWR|O_CREAT|O_EXCL|O_DSYNC")],
        work: times(settings.sync_writes, vec![write(DSYNC_WRITE_BYTES)]),
        finish: flushed_and_closed(),
        ..Calls::default()
    }
}

/// Of `fsync_write`.
pub fn fsync_write(settings: &Settings) -> Calls {
    Calls {
        prepare: vec![open("\"sync.1\"", Operation::Create, "O_RDWR|O_CREAT|O_EXCL")],
        work: times(settings.sync_writes, vec![write(FSYNC_WRITE_BYTES), on("file", Operation::Sync)]),
        finish: flushed_and_closed(),
        ..Calls::default()
    }
}

fn flushed_and_closed() -> Vec<Step> {
    vec![on("file", Operation::Sync), close()]
}

/// Of a phase of transfers.
pub fn transfers(transfer: Transfer, settings: &Settings) -> Calls {
    let parts = settings.transfer_parts(transfer);
    let (access, each) = match transfer.direction {
        Direction::Write => ("O_RDWR", synced(settings, write(u64::from(transfer.bytes)), "file")),
        Direction::Read => ("O_RDONLY", vec![read(u64::from(transfer.bytes))]),
    };
    let mut opened = vec![open(FILE, Operation::Open, &with_direct(settings, access))];
    match transfer.order {
        TransferOrder::Sequential => {}
        TransferOrder::Random => opened.push(on("file", Operation::AdviseRandom)),
    }
    Calls {
        survey: found_or_made(transfer, settings),
        prepare: times(parts, opened),
        work: work(transfer, settings, each),
        finish: match transfer.direction {
            Direction::Write => times(parts, flushed_and_closed()),
            Direction::Read => Vec::new(),
        },
    }
}

/// The first phase of transfers makes the files, the others find them.
fn found_or_made(transfer: Transfer, settings: &Settings) -> Vec<Step> {
    let mut steps = vec![on(FILE, Operation::Status)];
    let is_first = settings.all_transfers().next() == Some(transfer) || settings.phases.place(Phase::Transfer(transfer)).is_none();
    if is_first {
        // The first file is the largest.
        let bytes = (settings.file_size / settings.transfer_unit()).div_ceil(settings.transfer_files().max(1)) * settings.transfer_unit();
        steps.push(open(FILE, Operation::Create, &with_direct(settings, "O_RDWR|O_CREAT|O_EXCL")));
        steps.extend(times(bytes.div_ceil(PIECE), vec![write(bytes.min(PIECE))]));
        steps.extend(flushed_and_closed());
    }
    times(settings.transfer_files(), steps)
}

fn work(transfer: Transfer, settings: &Settings, each: Vec<Step>) -> Vec<Step> {
    let workers = u64::from(transfer.workers);
    let unit = settings.transfer_unit();
    let places = settings.file_size / unit / workers * unit / u64::from(transfer.bytes);
    let least = if settings.transfers == 0 { places } else { settings.transfers.div_ceil(workers).min(places) };
    let said = (settings.transfer_seconds > 0 && least < places).then(|| {
        let [least, places] = [least, places].map(|count| with_thousands(count as f64, 0));
        format!("at least {least} times and for {} s, at most {places} times", settings.transfer_seconds)
    });
    let of_worker = vec![Step::Times(least, said, each)];
    if workers == 1 { of_worker } else { vec![Step::Times(workers, Some(format!("each of {workers} workers at once")), of_worker)] }
}
