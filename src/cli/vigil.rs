//! The vigil: waits for a batch, and gives it up when nothing moves any more or a phase does not end in its time.

use super::pulse::{Pulse, Sign};
use crate::model::record::Status;
use crate::sys::threads::{switches_without, this_thread};
use crate::target::below::Below;
use crate::target::ground::Counters;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

/// How often it is looked whether anything moves.
const LOOK: Duration = Duration::from_millis(500);
/// How much longer than allowed a phase may take whose call does not return: it hears only between calls that its time is over.
const GRACE: Duration = Duration::from_secs(10);

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
    moved: Instant,
}

/// What was seen at the last look.
#[derive(Debug, Default, PartialEq, Eq)]
struct Seen {
    sign: Sign,
    switches: u64,
    counters: Option<Counters>,
}

impl<'a> Vigil<'a> {
    /// Over a batch that a thread does.
    pub fn of(pulse: &'a Pulse, below: Vec<Below>, thread: i32, bounds: Bounds) -> Self {
        Self { pulse, below, thread, bounds, seen: Seen::default(), moved: Instant::now() }
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
        if self.has_moved() {
            self.moved = Instant::now();
        }
        let reason = || format!("nothing moved for {} s", most.as_secs());
        (self.moved.elapsed() >= most).then(|| GivenUp { status: Status::Hung, reason: reason() })
    }

    /// Whether anything moved since the last look. The counters are read only where nothing else tells.
    fn has_moved(&mut self) -> bool {
        let sign = self.pulse.sign();
        if sign != self.seen.sign {
            self.seen.sign = sign;
            return true;
        }
        // While a clock runs the thread of the batch only tells how far the workers are.
        let mut idle = vec![this_thread()];
        idle.extend(self.pulse.phase_ns().map(|_| self.thread));
        let below = self.pulse.target().and_then(|target| self.below.get(target));
        let seen = Seen { sign, switches: switches_without(&idle), counters: below.map(Below::counters) };
        let has_moved = seen != self.seen;
        self.seen = seen;
        has_moved
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
    fn what_is_heard_is_a_movement() {
        let pulse = Pulse::default();
        let mut vigil = vigil(&pulse, Duration::from_secs(1));
        pulse.kept();
        assert!(vigil.has_moved());
        pulse.kept();
        assert!(vigil.has_moved());
    }
}
