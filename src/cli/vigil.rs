//! The vigil: waits for a batch, and gives it up when nothing moves any more or a phase does not end in its time.

use super::pulse::{Pulse, Sign};
use crate::model::record::Status;
use crate::model::stack::Traffic;
use crate::sys::threads::{switches_of, switches_without, this_thread};
use crate::sys::user_program::{Standing, standing};
use crate::target::below::Below;
use crate::target::ground::Counters;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

/// How often it is looked whether anything moves.
const LOOK: Duration = Duration::from_millis(500);
/// How often the thread of a batch wakes between two looks at the most while it waits for its workers.
const WAKES: u64 = 6;
/// The time between two looks counts for no more: where it was longer, the process itself was halted (SIGSTOP), and could not move.
const LONGEST_LOOK: Duration = Duration::from_secs(1);
/// How much longer than allowed a phase may take whose call does not return: it hears only between calls that its time is over.
const GRACE: Duration = Duration::from_secs(10);

/// How long nothing may move where nobody says how long.
pub const USUAL_PATIENCE: Duration = Duration::from_secs(600);

/// How long is waited.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// Nothing moves for so long; `None` to wait for ever.
    pub hang_after: Option<Duration>,
    /// A phase takes so long.
    pub phase: Option<Duration>,
}

/// A batch that was given up: how its phase ended, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GivenUp {
    /// How the phase ended.
    pub status: Status,
    /// Why.
    pub reason: String,
}

/// How the wait ended.
#[derive(Debug)]
pub enum Ended<T> {
    /// The batch is done.
    Done(T),
    /// The batch was given up; its thread is left as it is.
    GivenUp(GivenUp),
    /// Its thread panicked.
    Panicked,
}

/// What is watched.
pub struct Vigil<'a> {
    pulse: &'a Pulse,
    /// What lies below each target.
    below: Vec<Below>,
    /// The thread that does the batch.
    thread: i32,
    bounds: Bounds,
    seen: Seen,
    /// When it was looked last.
    looked: Instant,
    /// How long nothing has moved.
    still: Duration,
    /// How often the thread of the batch had given up a processor at the last look.
    of_batch: u64,
}

/// What was seen at the last look.
#[derive(Debug, Default, PartialEq, Eq)]
struct Seen {
    sign: Sign,
    switches: u64,
    below: Option<Traffic>,
    other: Option<Counters>,
}

impl<'a> Vigil<'a> {
    /// Over a batch that a thread does.
    pub fn of(pulse: &'a Pulse, below: Vec<Below>, thread: i32, bounds: Bounds) -> Self {
        Self { pulse, below, thread, bounds, seen: Seen::default(), looked: Instant::now(), still: Duration::ZERO, of_batch: 0 }
    }

    /// Waits until the batch says how it ended, or is given up.
    pub fn wait<T>(mut self, batch: &Receiver<T>) -> Ended<T> {
        loop {
            match batch.recv_timeout(LOOK) {
                Ok(done) => return Ended::Done(done),
                Err(RecvTimeoutError::Disconnected) => return Ended::Panicked,
                Err(RecvTimeoutError::Timeout) => {}
            }
            if let Some(given_up) = self.is_late().or_else(|| self.is_stuck()) {
                return Ended::GivenUp(given_up);
            }
        }
    }

    fn is_late(&self) -> Option<GivenUp> {
        let most = self.bounds.phase?;
        let elapsed = Duration::from_nanos(self.pulse.phase_ns()?);
        let reason = || format!("took over {} s, which --max-phase-seconds allows, and its last call does not return", most.as_secs());
        (elapsed > most + GRACE).then(|| GivenUp { status: Status::Truncated, reason: reason() })
    }

    fn is_stuck(&mut self) -> Option<GivenUp> {
        let most = self.bounds.hang_after?;
        let since = self.looked.elapsed();
        self.looked = Instant::now();
        self.still = if self.has_moved() { Duration::ZERO } else { self.still + since.min(LONGEST_LOOK) };
        let reason = || format!("nothing moved for {} s", most.as_secs());
        (self.still >= most).then(|| GivenUp { status: Status::Hung, reason: reason() })
    }

    /// Whether anything moved since the last look. The counters are read only where nothing else tells.
    fn has_moved(&mut self) -> bool {
        let sign = self.pulse.sign();
        if sign != self.seen.sign || self.pulse.is_telling() {
            self.seen.sign = sign;
            return true;
        }
        let of_workers = match standing() {
            // A program of the user's may rest for as long as it likes: only what waits for the kernel may wait for ever.
            Some(Standing::Lives) => return true,
            // Who watches over it wakes now and then.
            Some(Standing::WaitsForKernel(ticks)) => ticks,
            None => switches_without(&[this_thread(), self.thread]),
        };
        let (below, other) = self.moved_below();
        // While a clock runs the thread of the batch wakes to tell how far the workers are, and no more.
        let of_batch = switches_of(self.thread);
        let wakes = if self.pulse.phase_ns().is_some() { WAKES } else { 0 };
        let is_awake = of_batch > self.of_batch + wakes;
        self.of_batch = of_batch;
        let seen = Seen { sign, switches: of_workers, below, other };
        let has_moved = is_awake || seen != self.seen;
        self.seen = seen;
        has_moved
    }

    /// What the filesystem's own device moved so far: those further below may be others' too. Where there is none, what else is counted.
    fn moved_below(&self) -> (Option<Traffic>, Option<Counters>) {
        let Some(below) = self.pulse.target().and_then(|target| self.below.get(target)) else {
            return (None, None);
        };
        let counters = below.counters();
        match counters.devices.as_ref().and_then(|devices| devices.first()) {
            Some(own) => (Some(*own), None),
            None => (None, Some(counters)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    fn vigil(pulse: &Pulse, hang_after: Duration) -> Vigil<'_> {
        Vigil::of(pulse, Vec::new(), this_thread(), Bounds { hang_after: Some(hang_after), phase: None })
    }

    #[test]
    fn a_batch_that_ends_is_done() {
        let (sender, receiver) = channel();
        sender.send(7).unwrap();
        assert!(matches!(vigil(&Pulse::default(), Duration::ZERO).wait(&receiver), Ended::Done(7)));
        drop(sender);
        assert!(matches!(vigil(&Pulse::default(), Duration::ZERO).wait(&receiver), Ended::Panicked));
    }

    #[test]
    fn a_batch_that_stands_still_is_given_up() {
        let (_sender, receiver) = channel::<()>();
        let Ended::GivenUp(given_up) = vigil(&Pulse::default(), Duration::ZERO).wait(&receiver) else {
            panic!("it goes on");
        };
        assert_eq!(given_up, GivenUp { status: Status::Hung, reason: "nothing moved for 0 s".to_owned() });
    }

    #[test]
    fn a_process_that_was_halted_has_not_hung() {
        let pulse = Pulse::default();
        let mut vigil = vigil(&pulse, Duration::from_secs(30));
        vigil.looked = Instant::now().checked_sub(Duration::from_secs(3600)).unwrap_or_else(Instant::now);
        assert_eq!(vigil.is_stuck(), None);
        assert!(vigil.still <= LONGEST_LOOK);
    }

    #[test]
    fn what_is_heard_is_a_movement() {
        let pulse = Pulse::default();
        let mut vigil = vigil(&pulse, Duration::from_secs(1));
        pulse.kept();
        assert!(vigil.has_moved());
        pulse.kept();
        assert!(vigil.has_moved());
    }
}
