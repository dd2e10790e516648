//! Random seek: read at the places of a permutation, each once, and write some of them back changed.

use super::block_file::{self, BlockFile, BlockFiles, share};
use super::error::PhaseError;
use super::pool::Buffer;
use super::procedure::memory_of_threads;
use super::stamp::Generation;
use super::{Job, Moved, Procedure, Survey, Tally, Timed, Work};
use crate::model::phase::Phase;
use crate::model::plan::Plan;
use crate::model::record::Counted;
use crate::model::settings::Settings;
use crate::rng::Permutation;
use crate::target::{Access, Handle};
use std::ffi::CString;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Which places are met, in which order, and when it is enough. The seekers draw numbered tickets.
#[derive(Debug)]
struct Tickets {
    next: AtomicU64,
    seekers: u64,
    places: Permutation,
    place_count: u64,
    seek_size: u64,
    chunk_size: u64,
    chunks: u64,
    workers: u64,
    least: u64,
    least_ns: u64,
    rewrite_percent: u64,
}

impl Tickets {
    fn of(settings: &Settings) -> Self {
        let place_count = settings.file_size / settings.seek_size;
        Self {
            next: AtomicU64::new(0),
            seekers: settings.seekers,
            places: Permutation::of(place_count, settings.seed, "random_seek places"),
            place_count,
            seek_size: settings.seek_size,
            chunk_size: settings.chunk_size,
            chunks: settings.file_size / settings.chunk_size,
            workers: settings.workers,
            least: settings.seeks.min(place_count),
            least_ns: settings.seek_seconds.saturating_mul(1_000_000_000),
            rewrite_percent: settings.seek_rewrite_percent,
        }
    }

    /// A ticket of one's own. One seeker alone needs no locked instruction for it.
    fn take(&self) -> u64 {
        if self.seekers > 1 {
            return self.next.fetch_add(1, Ordering::Relaxed);
        }
        let ticket = self.next.load(Ordering::Relaxed);
        self.next.store(ticket + 1, Ordering::Relaxed);
        ticket
    }

    /// The next ticket; `None` when enough was done.
    fn draw(&self, elapsed_ns: u64) -> Option<u64> {
        let ticket = self.take();
        let is_enough = ticket >= self.place_count || (ticket >= self.least && elapsed_ns >= self.least_ns);
        (!is_enough).then_some(ticket)
    }

    /// The file of a ticket's place, and the offset in it in bytes.
    fn place(&self, ticket: u64) -> (usize, u64) {
        let offset = self.places.at(ticket) * self.seek_size;
        if self.workers == 1 {
            return (0, offset);
        }
        let chunk = offset / self.chunk_size;
        let (each, more) = (self.chunks / self.workers, self.chunks % self.workers);
        let in_larger = (each + 1) * more;
        let file = if chunk < in_larger { chunk / (each + 1) } else { more + (chunk - in_larger) / each };
        (file as usize, offset - share(self.chunks, file, self.workers).start * self.chunk_size)
    }

    /// Whether the place of a ticket is changed and written back: evenly spread, whatever the place.
    const fn is_rewritten(&self, ticket: u64) -> bool {
        (ticket + 1) * self.rewrite_percent / 100 > ticket * self.rewrite_percent / 100
    }
}

/// Reads at random places.
#[derive(Debug)]
pub struct RandomSeek;

impl Procedure for RandomSeek {
    fn prepare<'t>(&self, job: Job<'t>, _survey: &Survey) -> Result<Timed<'t>, PhaseError> {
        prepare(job)
    }

    fn work_expected(&self, plan: &Plan) -> Option<u64> {
        (plan.settings.seek_seconds == 0).then_some(plan.settings.seeks)
    }

    fn moved(&self, plan: &Plan, counted: &Counted) -> Moved {
        let read = counted.work * plan.settings.seek_size;
        let written = counted.work * plan.settings.seek_rewrite_percent / 100 * plan.settings.seek_size;
        Moved { read, written, checked: read }
    }

    fn files_read(&self, plan: &Plan) -> Vec<CString> {
        block_file::names(&plan.settings)
    }

    fn memory_needed(&self, settings: &Settings) -> u64 {
        memory_of_threads(settings, settings.seekers, settings.seek_size)
    }
}

/// Opens every file for every seeker, with readahead off.
fn prepare(job: Job<'_>) -> Result<Timed<'_>, PhaseError> {
    let settings = &job.plan.settings;
    let tickets = Arc::new(Tickets::of(settings));
    let generation = block_file::generation_before(Phase::RandomSeek, settings);
    let files = BlockFiles::of(job);
    let access = if settings.seek_rewrite_percent > 0 { Access::ReadWrite } else { Access::Read };
    let mut workers = Vec::new();
    for _ in 0..settings.seekers {
        let mut handles = files.files.iter().map(|file| open(job, &files, file, access)).collect::<Result<Vec<_>, _>>()?;
        let (files, tickets) = (files.clone(), Arc::clone(&tickets));
        let mut buffer = Buffer::of(settings.seek_size as usize);
        let work = move |tally: &mut Tally<'_>| {
            while let Some(ticket) = tickets.draw(tally.elapsed_ns()) {
                seek(&files, &handles, &tickets, ticket, buffer.bytes(), generation)?;
                tally.operation(1)?;
            }
            tally.finish();
            if access == Access::Read {
                return Ok(());
            }
            // What was written back is flushed inside the clock, as every write.
            let mut closing = files.files.iter().zip(handles.drain(..));
            closing.try_for_each(|(file, handle)| files.sync_and_close(file, handle))
        };
        workers.push((Box::new(work) as Work<'_>, Tally::of_unknown(job)));
    }
    Ok(Timed::of(workers))
}

fn open(job: Job<'_>, files: &BlockFiles<'_>, file: &BlockFile, access: Access) -> Result<Handle, PhaseError> {
    let handle = files.open(file, access)?;
    job.target.advise_random(&handle).map_err(|source| file.failed("turn readahead off for", source))?;
    Ok(handle)
}

fn seek(
    files: &BlockFiles<'_>,
    handles: &[Handle],
    tickets: &Tickets,
    ticket: u64,
    buffer: &mut [u8],
    generation: Generation,
) -> Result<(), PhaseError> {
    let (number, offset) = tickets.place(ticket);
    let (file, handle) = (&files.files[number], &handles[number]);
    files.read(file, handle, buffer, offset, generation)?;
    if tickets.is_rewritten(ticket) {
        files.marks(file, Generation::SeekWritten).mark(buffer, offset);
        files.write(file, handle, buffer, offset)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn tickets(workers: u64, percent: u64) -> Tickets {
        let settings = Settings {
            file_size: 100 * 8192,
            chunk_size: 8192,
            seek_size: 4096,
            seeks: 50,
            workers,
            seek_rewrite_percent: percent,
            ..Settings::default()
        };
        Tickets::of(&settings)
    }

    #[test]
    fn every_place_of_every_file_is_met_once() {
        for workers in [1, 3, 7, 100] {
            let tickets = tickets(workers, 0);
            let places: BTreeSet<(usize, u64)> = (0..200).map(|ticket| tickets.place(ticket)).collect();
            assert_eq!(places.len(), 200);
            for (file, offset) in places {
                let share = share(100, file as u64, workers);
                assert!(offset < (share.end - share.start) * 8192, "{workers} workers: {offset} of file {file}");
            }
        }
    }

    #[test]
    fn a_tenth_is_rewritten() {
        let tickets = tickets(1, 10);
        assert_eq!((0..200).filter(|ticket| tickets.is_rewritten(*ticket)).count(), 20);
        assert!(!self::tickets(1, 0).is_rewritten(0));
    }

    #[test]
    fn enough_is_both_counts_and_never_more_than_all() {
        let exact = tickets(1, 0);
        assert_eq!((0..300).filter(|_| exact.draw(0).is_some()).count(), 50);
        let timed = Tickets { least_ns: 10, ..tickets(1, 0) };
        assert_eq!((0..300).filter(|_| timed.draw(9).is_some()).count(), 200);
        let late = Tickets { least_ns: 10, ..tickets(1, 0) };
        assert_eq!((0..300).filter(|_| late.draw(10).is_some()).count(), 50);
    }
}
