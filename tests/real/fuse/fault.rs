//! What goes wrong, and when: the n-th call of a kind fails, hangs, takes longer, or transfers something else than it should.

use super::schedule::Operation;
use std::time::Duration;

/// What a call does instead of its duty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// It does nothing, and fails with this error number.
    Error(i32),
    /// It is not answered until the test lets it go; then it does its duty.
    Hang,
    /// It does its duty, and takes this much longer.
    Delay(Duration),
    /// It reads or writes only so many bytes, at the most.
    Short(u32),
    /// It reads zeros.
    Zeros,
    /// It reads what was there before it was last written over.
    Stale,
    /// It reads what nobody wrote.
    Foreign,
    /// It says that everything was written, and keeps nothing of it.
    Lost,
}

/// A fault that is to come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Planned {
    /// The kind of call.
    pub operation: Operation,
    /// Which of that kind, counted from 1 since the filesystem was mounted.
    pub nth: u64,
    /// Whether every later call of that kind meets it too.
    pub is_lasting: bool,
    /// What happens.
    pub fault: Fault,
}

impl Planned {
    /// Whether it befalls the `nth` call of a kind.
    pub fn befalls(&self, operation: Operation, nth: u64) -> bool {
        self.operation == operation && (nth == self.nth || (self.is_lasting && nth > self.nth))
    }
}
