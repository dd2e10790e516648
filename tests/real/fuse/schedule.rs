//! What is to happen at each operation: it is written down, and takes its time.

use super::locked;
use nix::sys::prctl::set_timerslack;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// An operation that a client sees the end of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// A new file.
    Create,
    /// A read of so many bytes at the most, as one request.
    Read(u32),
    /// A write of so many bytes, as one request.
    Write(u32),
    /// A flush of a file.
    SyncFile,
    /// A flush of a directory.
    SyncDirectory,
    /// The removal of a file.
    Unlink,
}

/// One operation on one file or directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// Which.
    pub operation: Operation,
    /// The name of the directory that it lies in; empty for the root, and for what lies there.
    pub directory: String,
    /// Its own name.
    pub name: String,
}

/// How long operations take at the least.
#[derive(Debug, Clone, Copy, Default)]
pub struct Delays {
    /// A read.
    pub read: Duration,
    /// A write.
    pub write: Duration,
    /// A flush of a file or a directory.
    pub sync: Duration,
}

impl Delays {
    const fn of(&self, operation: Operation) -> Duration {
        match operation {
            Operation::Read(_) => self.read,
            Operation::Write(_) => self.write,
            Operation::SyncFile | Operation::SyncDirectory => self.sync,
            Operation::Create | Operation::Unlink => Duration::ZERO,
        }
    }
}

/// The delays, and the log of what happened. Faults will have their place here.
#[derive(Debug)]
pub struct Schedule {
    delays: Delays,
    log: Mutex<Vec<Step>>,
}

impl Schedule {
    /// With an empty log.
    pub const fn of(delays: Delays) -> Self {
        Self { delays, log: Mutex::new(Vec::new()) }
    }

    /// A step: written down, then waited for. `start` is when its request came.
    pub fn pass(&self, start: Instant, step: Step) {
        come_first();
        let delay = self.delays.of(step.operation);
        locked(&self.log).push(step);
        wait_until(start + delay);
    }

    /// The steps so far.
    pub fn log(&self) -> Vec<Step> {
        locked(&self.log).clone()
    }
}

/// A sleep ends late by about this much; the rest is waited for awake.
const AWAKE: Duration = Duration::from_micros(150);

/// Waits until a moment, as exactly as can be.
fn wait_until(end: Instant) {
    let left = end.saturating_duration_since(Instant::now());
    if left > AWAKE {
        // By default the kernel adds up to 50 µs to a sleep. Where that cannot be changed, delays are a little longer.
        let _ = set_timerslack(1);
        std::thread::sleep(left - AWAKE);
    }
    while Instant::now() < end {
        std::hint::spin_loop();
    }
}

/// Lets the thread that serves go before all others, so that a busy machine wakes it in time. Without the right to it, delays are longer.
fn come_first() {
    let first = libc::sched_param { sched_priority: 1 };
    // SAFETY: the structure lives until the call is over; 0 is the calling thread.
    #[allow(unsafe_code)]
    unsafe {
        libc::sched_setscheduler(0, libc::SCHED_FIFO, &raw const first);
    }
}
