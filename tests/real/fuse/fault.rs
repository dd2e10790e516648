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
    /// The run of barrow in which it happens, from 1; the calls are counted from the making of its scratch directory then. Else they are
    /// counted since the filesystem was mounted.
    pub round: Option<u64>,
    /// Which of that kind, from 1.
    pub nth: u64,
    /// Whether every later call of that kind meets it too.
    pub is_lasting: bool,
    /// What happens.
    pub fault: Fault,
}

impl Planned {
    /// Whether it befalls a call of a kind: the `since_mount`-th, and the `in_round`-th of a round.
    pub fn befalls(&self, operation: Operation, since_mount: u64, round: u64, in_round: u64) -> bool {
        let nth = match self.round {
            None => since_mount,
            Some(planned) if planned == round => in_round,
            Some(_) => return false,
        };
        self.operation == operation && (nth == self.nth || (self.is_lasting && nth > self.nth))
    }
}
