//! What is to happen at each operation: it is written down, meets the fault that is planned for it, and takes its time.

use super::fault::{Fault, Planned};
use super::hang::Gate;
use super::locked;
use fuser::Errno;
use nix::sys::prctl::set_timerslack;
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// A kind of operation that a client waits for the end of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operation {
    /// The question whether a name is there, and what it names.
    Lookup,
    /// The question for what stat(2) says of something known.
    Attributes,
    /// A change of mode, owner, size or times.
    ChangeAttributes,
    /// A new directory.
    MakeDirectory,
    /// The removal of a directory.
    RemoveDirectory,
    /// A directory is opened.
    OpenDirectory,
    /// A part of the list of a directory.
    List,
    /// A new file.
    Create,
    /// A file that is there is opened.
    Open,
    /// A read, as one request.
    Read,
    /// A write, as one request.
    Write,
    /// A descriptor of a file is closed.
    Close,
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
    /// Where a read or write begins in its file, in bytes; 0 for everything else.
    pub offset: u64,
    /// Bytes that are to be read at the most, or written; 0 for everything else.
    pub size: u32,
    /// The name of the directory that it lies in; empty for the root, and for what lies there.
    pub directory: String,
    /// Its own name.
    pub name: String,
}

/// A step, and when it was here.
#[derive(Debug, Clone)]
pub struct TimedStep {
    /// What was done.
    pub step: Step,
    /// When its request was read.
    pub arrived: Instant,
    /// When its answer was given; none while it is still here.
    pub answered: Option<Instant>,
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
            Operation::Read => self.read,
            Operation::Write => self.write,
            Operation::SyncFile | Operation::SyncDirectory => self.sync,
            Operation::Lookup
            | Operation::Attributes
            | Operation::ChangeAttributes
            | Operation::MakeDirectory
            | Operation::RemoveDirectory
            | Operation::OpenDirectory
            | Operation::List
            | Operation::Create
            | Operation::Open
            | Operation::Close
            | Operation::Unlink => Duration::ZERO,
        }
    }
}

/// What happened so far, and what is still to come.
#[derive(Debug, Default)]
struct Course {
    log: Vec<TimedStep>,
    counts: BTreeMap<Operation, u64>,
    /// How many scratch directories barrow has made, and the counts since the last one.
    round: u64,
    round_counts: BTreeMap<Operation, u64>,
    planned: Vec<Planned>,
    befallen: Vec<Step>,
}

/// The delays, the faults, and the log of what happened.
#[derive(Debug, Default)]
pub struct Schedule {
    delays: Delays,
    course: Mutex<Course>,
    /// Where operations hang.
    pub gate: Gate,
}

impl Schedule {
    /// With an empty log.
    pub fn of(delays: Delays) -> Self {
        Self { delays, ..Self::default() }
    }

    /// A step: written down, done unless a fault keeps it from being done, and over when its time is. `start` is when its request came;
    /// the work hears of a fault of its data.
    pub fn pass<T>(&self, start: Instant, step: Step, work: impl FnOnce(Option<Fault>) -> Result<T, Errno>) -> Result<T, Errno> {
        come_first();
        let delay = self.delays.of(step.operation);
        let (place, fault) = self.meet(start, step);
        let done = self.spend(start, delay, fault, work);
        locked(&self.course).log[place].answered = Some(Instant::now());
        done
    }

    /// Does the work of a step as its fault allows, and takes its time.
    fn spend<T>(
        &self,
        start: Instant,
        delay: Duration,
        fault: Option<Fault>,
        work: impl FnOnce(Option<Fault>) -> Result<T, Errno>,
    ) -> Result<T, Errno> {
        let mut more = Duration::ZERO;
        match fault {
            Some(Fault::Error(number)) => return Err(Errno::from_i32(number)),
            Some(Fault::Hang) => self.gate.hang(),
            Some(Fault::Delay(longer)) => more = longer,
            Some(Fault::Short(_) | Fault::Zeros | Fault::Stale | Fault::Foreign | Fault::Lost) | None => {}
        }
        let done = work(fault);
        wait_until(start + delay + more);
        done
    }

    /// Writes a step down, and finds the fault that befalls it; with its place in the log.
    fn meet(&self, arrived: Instant, step: Step) -> (usize, Option<Fault>) {
        let mut course = locked(&self.course);
        let operation = step.operation;
        if operation == Operation::MakeDirectory && step.name.starts_with(".barrow-") {
            course.round += 1;
            course.round_counts.clear();
        }
        let (since_mount, round, in_round) = (next(&mut course.counts, operation), course.round, next(&mut course.round_counts, operation));
        let mut planned = course.planned.iter();
        let found = planned.find(|planned| planned.befalls(operation, since_mount, round, in_round)).map(|planned| planned.fault);
        if found.is_some() {
            course.befallen.push(step.clone());
        }
        course.log.push(TimedStep { step, arrived, answered: None });
        (course.log.len() - 1, found)
    }

    /// Plans one more fault.
    pub fn plan(&self, planned: Planned) {
        locked(&self.course).planned.push(planned);
    }

    /// The steps so far.
    pub fn log(&self) -> Vec<Step> {
        locked(&self.course).log.iter().map(|timed| timed.step.clone()).collect()
    }

    /// The steps so far, with their times.
    pub fn timed_log(&self) -> Vec<TimedStep> {
        locked(&self.course).log.clone()
    }

    /// The steps that met a fault so far.
    pub fn befallen(&self) -> Vec<Step> {
        locked(&self.course).befallen.clone()
    }
}

/// Counts one more of a kind.
fn next(counts: &mut BTreeMap<Operation, u64>, operation: Operation) -> u64 {
    let count = counts.entry(operation).or_default();
    *count += 1;
    *count
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
