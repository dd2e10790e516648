//! The tricks that a pretended directory plays: which, and at which calls.

use super::pretend_call::Operation;
use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// What a call does instead of its duty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trick {
    /// Fails with this error number.
    Fail(i32),
    /// Transfers only this many bytes.
    Short(usize),
    /// Reads zeros.
    Zeros,
    /// Reads what was there when the file was first written.
    FirstVersion,
    /// Reads the same place of another file, named as in [`super::pretend_call::Call::name`].
    OtherFile(String),
    /// Reads these bytes.
    Bytes(Vec<u8>),
    /// Says that everything was written, and keeps nothing of it.
    Lost,
    /// Does its duty, and takes this much longer.
    Delay(Duration),
    /// Does its duty once it is let go.
    Hang,
}

/// The tricks that are still to come, and how many calls of each kind there were.
#[derive(Debug, Default)]
pub struct Tricks {
    once: BTreeMap<(Operation, u64), Trick>,
    lasting: BTreeMap<Operation, (u64, Trick)>,
    counts: BTreeMap<Operation, u64>,
}

impl Tricks {
    /// Plays a trick at the `nth` call of a kind, counted from 1.
    pub fn play(&mut self, operation: Operation, nth: u64, trick: Trick) {
        self.once.insert((operation, nth), trick);
    }

    /// Plays a trick at the `nth` call of a kind and at every later one.
    pub fn play_from(&mut self, operation: Operation, nth: u64, trick: Trick) {
        self.lasting.insert(operation, (nth, trick));
    }

    /// Counts a call, and gives the trick that is to be played at it.
    pub fn next(&mut self, operation: Operation) -> Option<Trick> {
        let count = self.counts.entry(operation).or_default();
        *count += 1;
        let nth = *count;
        let lasting = self.lasting.get(&operation).filter(|(first, _)| nth >= *first).map(|(_, trick)| trick);
        self.once.get(&(operation, nth)).or(lasting).cloned()
    }
}

/// Where calls hang until they are let go.
#[derive(Debug, Default)]
pub struct Gate {
    is_open: Mutex<bool>,
    is_changed: Condvar,
}

impl Gate {
    /// Waits until the gate is open.
    pub fn pass(&self) {
        let mut is_open = self.is_open.lock().unwrap_or_else(PoisonError::into_inner);
        while !*is_open {
            is_open = self.is_changed.wait(is_open).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Opens the gate for good.
    pub fn open(&self) {
        *self.is_open.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.is_changed.notify_all();
    }
}
