//! The crew: threads that wait at a gate, do the timed work together, and read the meter when the last one is done.

use crate::phases::{Flush, Job, PhaseError, Stop, Tally, Timed, Work};
use crate::sys::meter::{Meter, Reading, difference};
use crate::target::Target;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Barrier, Mutex, PoisonError};
use std::thread;

/// What was measured from the release of the workers to the end of the last one and its flush.
pub struct Measured<'t> {
    /// What each worker counted.
    pub tallies: Vec<Tally<'t>>,
    /// Nanoseconds from release to end.
    pub elapsed_ns: u64,
    /// What was used meanwhile.
    pub used: Reading,
}

/// The moment at which everything was done.
#[derive(Clone, Copy)]
struct End {
    clock_ns: u64,
    reading: Reading,
}

/// What the threads of a crew share.
struct Shared<'s, 't> {
    target: &'t dyn Target,
    meter: &'s dyn Meter,
    stop: &'t Stop<'t>,
    /// Everybody is there.
    ready: Barrier,
    /// The meter was read: go.
    go: Barrier,
    start_ns: AtomicU64,
    working: AtomicUsize,
    flush: Mutex<Option<Flush<'t>>>,
    end: Mutex<Option<End>>,
}

/// Does the timed part of a phase, each worker in a thread of its own.
///
/// # Errors
/// The first worker's error that is no mere stop; or that of the flush.
pub fn work<'t>(timed: Timed<'t>, job: Job<'t>, meter: &dyn Meter) -> Result<Measured<'t>, PhaseError> {
    let shared = Shared {
        target: job.target,
        meter,
        stop: job.stop,
        ready: Barrier::new(timed.workers.len() + 1),
        go: Barrier::new(timed.workers.len() + 1),
        start_ns: AtomicU64::new(0),
        working: AtomicUsize::new(timed.workers.len()),
        flush: Mutex::new(timed.flush),
        end: Mutex::new(None),
    };
    // Works and tallies outlive the threads, so that nothing large is freed inside the clock.
    let mut workers = timed.workers;
    let mut results = Vec::with_capacity(workers.len());
    let before = thread::scope(|scope| {
        let threads: Vec<_> = workers.iter_mut().map(|(work, tally)| scope.spawn(|| do_share(&shared, work, tally))).collect();
        shared.ready.wait();
        let before = meter.read();
        shared.start_ns.store(job.target.now_ns(), Ordering::SeqCst);
        shared.go.wait();
        for thread in threads {
            results.push(thread.join().unwrap_or_else(panicked));
        }
        before
    });
    let start_ns = shared.start_ns.load(Ordering::SeqCst);
    let end = *shared.end.lock().unwrap_or_else(PoisonError::into_inner);
    first_error(results)?;
    let end = end.ok_or(PhaseError::Stopped)?;
    Ok(Measured {
        tallies: workers.into_iter().map(|(_, tally)| tally).collect(),
        elapsed_ns: end.clock_ns.saturating_sub(start_ns),
        used: difference(&before, &end.reading),
    })
}

fn do_share<'t>(shared: &Shared<'_, 't>, work: &mut Work<'t>, tally: &mut Tally<'t>) -> Result<(), PhaseError> {
    shared.ready.wait();
    shared.go.wait();
    tally.start(shared.start_ns.load(Ordering::SeqCst));
    let mut result = work(tally);
    if result.is_err() {
        shared.stop.failed.store(true, Ordering::Relaxed);
    }
    let is_last = shared.working.fetch_sub(1, Ordering::AcqRel) == 1;
    if is_last && result.is_ok() && !shared.stop.failed.load(Ordering::Relaxed) {
        if let Some(flush) = shared.flush.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
            result = flush();
        }
        let end = End { clock_ns: shared.target.now_ns(), reading: shared.meter.read() };
        *shared.end.lock().unwrap_or_else(PoisonError::into_inner) = Some(end);
    }
    result
}

fn panicked(_: Box<dyn std::any::Any + Send>) -> Result<(), PhaseError> {
    Err(PhaseError::Call { doing: "work".to_owned(), source: std::io::Error::other("a fault in barrow itself; please report it") })
}

/// The error that spoiled the phase: the others only stopped because of it.
fn first_error(results: Vec<Result<(), PhaseError>>) -> Result<(), PhaseError> {
    let mut stopped = Ok(());
    for result in results {
        match result {
            Ok(()) => {}
            Err(PhaseError::Stopped) => stopped = Err(PhaseError::Stopped),
            Err(error) => return Err(error),
        }
    }
    stopped
}
