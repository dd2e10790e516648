//! What can spoil a phase: it then has no number, but a sentence that says where and why.

use super::command::ProgramFault;
use crate::target::ground::plain_error;
use std::fmt;
use std::io;

/// Why a phase has no result.
#[derive(Debug, thiserror::Error)]
pub enum PhaseError {
    /// A call failed.
    #[error("{doing}: {}", plain_error(source))]
    Call {
        /// What was being done, to what, with its place in the whole: `write chunk 81920 of 131072 of block.0 at byte 85899345920`.
        doing: String,
        /// What the system said.
        source: io::Error,
    },
    /// A block did not hold what this run wrote there.
    #[error("{doing}: at byte {offset} of the file {found}")]
    WrongData {
        /// What was being done.
        doing: String,
        /// Offset in the file in bytes.
        offset: u64,
        /// What was there instead.
        found: WrongData,
    },
    /// Something was not found as often as this run wrote it.
    #[error("{doing}: found {found} of the {expected} places with the string that was written")]
    Miscounted {
        /// What was being done, to what.
        doing: String,
        /// How often it was found.
        found: u64,
        /// How often it was written.
        expected: u64,
    },
    /// A program of the user's did not end well.
    #[error(transparent)]
    Program(#[from] Box<ProgramFault>),
    /// The run was asked to stop.
    #[error("stopped before the end")]
    Stopped,
    /// The phase took longer than the user allows.
    #[error("took over {seconds} s, which --max-phase-seconds allows")]
    OutOfTime {
        /// Seconds that it may take.
        seconds: u64,
    },
}

/// What a block held instead of what this run wrote there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WrongData {
    /// Zeros.
    Zeros,
    /// What this run had written there before it was rewritten.
    BeforeRewrite,
    /// What this run wrote at another place of the same file.
    OtherPlace(u64),
    /// What this run wrote to another file.
    OtherFile,
    /// A duplicate block that belongs elsewhere: the number of its original.
    Original(u64),
    /// What an earlier run of this batch wrote there.
    EarlierRun,
    /// Something that barrow knows nothing of.
    Foreign,
}

impl fmt::Display for WrongData {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Zeros => f.write_str("are zeros where data was written"),
            Self::BeforeRewrite => f.write_str("is what was there before the rewrite (stale data)"),
            Self::OtherPlace(offset) => write!(f, "is the data of byte {offset} of the same file"),
            Self::OtherFile => f.write_str("is the data of another file"),
            Self::Original(number) => write!(f, "is a copy of block {number} of those that are repeated, which belongs elsewhere"),
            Self::EarlierRun => f.write_str("is the data of an earlier run (stale data)"),
            Self::Foreign => f.write_str("is data that barrow did not write"),
        }
    }
}
