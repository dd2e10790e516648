//! The crew: threads that wait at a gate, do the timed work together, and read the meter when the last one is done.

use crate::phases::{Flush, Job, PhaseError, Stop, Tally, Timed, Work};
use crate::sys::meter::{Meter, Reading, difference};
use crate::target::Target;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{self, ScopedJoinHandle};
use std::time::Duration;

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
    gate: Gate,
    start_ns: AtomicU64,
    working: AtomicUsize,
    flush: Mutex<Option<Flush<'t>>>,
    end: Mutex<Option<End>>,
    /// Whether the last worker is done.
    done: Mutex<bool>,
    is_done: Condvar,
}

/// How often whoever watches is told of the progress.
const WATCH: Duration = Duration::from_millis(500);

/// Hears of the work done so far and the nanoseconds since the start, now and then.
pub type Watch<'w> = &'w mut dyn FnMut(u64, u64);

/// Does the timed part of a phase, each worker in a thread of its own.
///
/// # Errors
/// The first worker's error that is no mere stop; or that of the flush.
pub fn work<'t>(timed: Timed<'t>, job: Job<'t>, meter: &dyn Meter, watch: Watch<'_>) -> Result<Measured<'t>, PhaseError> {
    let shared = Shared {
        target: job.target,
        meter,
        stop: job.stop,
        gate: Gate::default(),
        start_ns: AtomicU64::new(0),
        working: AtomicUsize::new(timed.workers.len()),
        flush: Mutex::new(timed.flush),
        end: Mutex::new(None),
        done: Mutex::new(false),
        is_done: Condvar::new(),
    };
    let seen: Vec<Arc<AtomicU64>> = timed.workers.iter().map(|(_, tally)| tally.seen()).collect();
    // Works and tallies outlive the threads, so that nothing large is freed inside the clock.
    let mut workers = timed.workers;
    let mut results = Vec::with_capacity(workers.len());
    let before = thread::scope(|scope| {
        let mut threads = Vec::with_capacity(workers.len());
        for (work, tally) in &mut workers {
            let spawned = thread::Builder::new().spawn_scoped(scope, || do_share(&shared, work, tally));
            match spawned {
                Ok(thread) => threads.push(thread),
                Err(source) => {
                    shared.gate.open(Word::GoHome);
                    let doing = format!("start worker {} of {}", threads.len() + 1, seen.len());
                    return Err(PhaseError::Call { doing, source });
                }
            }
        }
        shared.gate.wait_for_arrivals(threads.len());
        let before = meter.read();
        shared.start_ns.store(job.target.now_ns(), Ordering::SeqCst);
        shared.gate.open(Word::Go);
        shared.watch_until_done(&seen, watch, || threads.iter().all(ScopedJoinHandle::is_finished));
        for thread in threads {
            results.push(thread.join().unwrap_or_else(panicked));
        }
        Ok(before)
    })?;
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

/// What the workers are told at the gate.
#[derive(Clone, Copy)]
enum Word {
    /// Everybody is there and the meter was read.
    Go,
    /// Not everybody could come: nothing is done.
    GoHome,
}

/// Where workers wait for each other. A barrier would wait for ever for a thread that could not be started.
#[derive(Default)]
struct Gate {
    arrived: Mutex<usize>,
    word: Mutex<Option<Word>>,
    is_changed: Condvar,
    is_open: Condvar,
}

impl Gate {
    /// Arrives, and waits for the word.
    fn wait(&self) -> Word {
        *self.arrived.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.is_changed.notify_all();
        let mut word = self.word.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            match *word {
                Some(word) => return word,
                None => word = self.is_open.wait(word).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }

    fn wait_for_arrivals(&self, count: usize) {
        let mut arrived = self.arrived.lock().unwrap_or_else(PoisonError::into_inner);
        while *arrived < count {
            arrived = self.is_changed.wait(arrived).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn open(&self, word: Word) {
        *self.word.lock().unwrap_or_else(PoisonError::into_inner) = Some(word);
        self.is_open.notify_all();
    }
}

impl Shared<'_, '_> {
    /// Waits for the last worker, and tells of the progress meanwhile. Threads that ended without a word (a panic) are noticed too.
    fn watch_until_done(&self, seen: &[Arc<AtomicU64>], watch: Watch<'_>, have_ended: impl Fn() -> bool) {
        let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        while !*done && !have_ended() {
            let (guard, timeout) = self.is_done.wait_timeout(done, WATCH).unwrap_or_else(PoisonError::into_inner);
            done = guard;
            if timeout.timed_out() {
                let work = seen.iter().map(|seen| seen.load(Ordering::Relaxed)).sum();
                watch(work, self.target.now_ns().saturating_sub(self.start_ns.load(Ordering::Relaxed)));
            }
        }
    }

    fn last_is_done(&self) {
        *self.done.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.is_done.notify_all();
    }
}

fn do_share<'t>(shared: &Shared<'_, 't>, work: &mut Work<'t>, tally: &mut Tally<'t>) -> Result<(), PhaseError> {
    match shared.gate.wait() {
        Word::Go => {}
        Word::GoHome => return Err(PhaseError::Stopped),
    }
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
    if is_last {
        shared.last_is_done();
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
