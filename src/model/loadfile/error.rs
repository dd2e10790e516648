//! Why a loadfile cannot be replayed: where, what, and what to do.

use super::MOST_BYTES;
use crate::model::printable::printable;

/// A loadfile that cannot be replayed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LoadfileError {
    /// It is longer than any.
    #[error("is over {} MiB long; cut it into passes of fewer operations", MOST_BYTES >> 20)]
    TooLong,
    /// There is nothing to do in it.
    #[error("holds no operation; name a loadfile of dbench, as its client.txt")]
    Empty,
    /// A line.
    #[error("line {line}: {problem}")]
    Line {
        /// Its number, from 1.
        line: u32,
        /// What is wrong with it.
        problem: Problem,
    },
}

/// What is wrong with a line of a loadfile.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// No text.
    #[error("is not text in UTF-8; a loadfile of dbench is")]
    NotText,
    /// Too many bytes or names.
    #[error("{0}; barrow replays no such loadfile")]
    TooMuch(&'static str),
    /// The end of the line is missing.
    #[error("ends without a status (NT_STATUS_… or 0x…); is the file cut off? Take a whole copy")]
    NoStatus,
    /// A status that is none.
    #[error("`{}` is no status that barrow knows; is the file cut off? Take a whole copy", printable(.0))]
    UnknownStatus(String),
    /// Of the first version of dbench.
    #[error("is of dbench 1, whose loadfiles have other operations; take one of dbench 3 or 4")]
    OldVersion,
    /// An operation that dbench does not have.
    #[error("`{}` is no operation of dbench 4; remove the line, or take a loadfile of dbench 3 or 4", printable(.0))]
    UnknownOperation(String),
    /// Too few or too many words.
    #[error("{operation} takes {expected} values and a status, and there are {found}; mend the line")]
    WrongCount {
        /// The operation.
        operation: &'static str,
        /// How many it takes.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// A quote that does not end.
    #[error("a quote does not end; is the file cut off? Take a whole copy")]
    OpenQuote,
    /// A number that is none, or too large.
    #[error("`{}` is no number from 0 to {most}; mend the line", printable(text))]
    BadNumber {
        /// What was written.
        text: String,
        /// The largest that is taken.
        most: u64,
    },
    /// A name that may lead out of the target, or that no file can have.
    #[error("the name `{}` {why}; only names as in \\clients\\client1\\file are replayed", printable(name))]
    BadName {
        /// The name.
        name: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// A handle that is not open.
    #[error("handle {0} is not open here; mend the line or the one that opens it")]
    NotOpen(u64),
    /// A handle that is open already.
    #[error("handle {handle} is open since line {since}; close it before it is used again")]
    OpenTwice {
        /// The handle.
        handle: u64,
        /// The line that opened it.
        since: u32,
    },
    /// A handle that stays open.
    #[error("opens handle {0}, which no line closes; is the file cut off? Take a whole copy, or close it")]
    NeverClosed(u64),
    /// It would fail.
    #[error("would fail ({0}), and the loadfile says that it does not; the lines before it must make what it needs")]
    WouldFail(&'static str),
    /// It would not fail.
    #[error("would not fail, and the loadfile says that it does; the lines before it leave what it must not find")]
    WouldSucceed,
    /// A read of another length.
    #[error("would read {found} bytes, and the loadfile says {given}; the lines before it must write what it reads")]
    OtherLength {
        /// The bytes that there would be.
        found: u64,
        /// The bytes of the loadfile.
        given: u64,
    },
    /// A write of another length.
    #[error("writes {bytes} bytes, of which only {taken} are taken; barrow replays whole writes only")]
    PartialWrite {
        /// The bytes that are written.
        bytes: u64,
        /// Those that were.
        taken: u64,
    },
    /// What barrow does not replay.
    #[error("{0}, which barrow does not replay; remove the line")]
    Unreplayable(&'static str),
    /// The same in a second pass.
    #[error("in a second pass {0}; let the loadfile begin or end with a Deltree of what it makes")]
    SecondPass(Box<Self>),
    /// The tree grows with each pass.
    #[error("leaves other files after a second pass than after the first; let the loadfile end with a Deltree of what it makes")]
    Growing,
}
