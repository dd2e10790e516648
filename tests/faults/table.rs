//! The table of what was asserted: a row for a phase, a kind of call and a fault; columns for the first, the middle and the last call.

use barrow::model::phase::Phase;
use std::fmt;

/// What becomes of the phase in which a fault is met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It has no number, but an error.
    Fails,
    /// It has its number: nothing is lost by the fault.
    Stands,
    /// It has its number; those that read what it wrote fail.
    FoundIn(&'static [Phase]),
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fails => f.write_str("fails"),
            Self::Stands => f.write_str("stands"),
            Self::FoundIn(phases) => write!(f, "found in {}", phases.iter().map(|phase| phase.name()).collect::<Vec<_>>().join(", ")),
        }
    }
}

/// Which of the calls of a kind: one alone is the first, two are the first and the last.
pub fn first_middle_last<T: Copy>(calls: &[T]) -> [Option<T>; 3] {
    let middle = calls.len() / 2;
    let at = |place: usize| calls.get(place).copied();
    [at(0), at(middle).filter(|_| calls.len() > 2), at(calls.len().saturating_sub(1)).filter(|_| calls.len() > 1)]
}

/// What was asserted so far.
#[derive(Debug, Default)]
pub struct Table {
    rows: Vec<(String, String, String, [Option<String>; 3])>,
}

impl Table {
    /// Adds a row.
    pub fn add(&mut self, phase: &str, call: &str, fault: &str, cells: [Option<String>; 3]) {
        self.rows.push((phase.to_owned(), call.to_owned(), fault.to_owned(), cells));
    }

    /// How many cells there are.
    pub fn cells(&self) -> usize {
        self.rows.iter().map(|(_, _, _, cells)| cells.iter().flatten().count()).sum()
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:<14} {:<17} {:<11} {:<22} {:<22} last", "phase", "call", "fault", "first", "middle")?;
        for (phase, call, fault, cells) in &self.rows {
            let [first, middle, last] = cells.each_ref().map(|cell| cell.as_deref().unwrap_or("-"));
            writeln!(f, "{phase:<14} {call:<17} {fault:<11} {first:<22} {middle:<22} {last}")?;
        }
        write!(f, "{} rows, {} cells", self.rows.len(), self.cells())
    }
}
