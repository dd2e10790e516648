//! Exit codes: 0 fine, 1 something failed, 2 the command line is wrong; ended by signal N: that signal again.

use super::output;
use crate::sys::process::end_by_signal;
use std::fmt;
use std::process::ExitCode;

/// How the process is to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// All is well.
    Fine,
    /// Something failed; what did not is reported.
    Failed,
    /// The command line is wrong.
    Usage,
    /// The user asked to stop, with this signal.
    Signal(i32),
}

impl Exit {
    /// The same, where something failed beside what is told.
    pub const fn or_failed(self) -> Self {
        match self {
            Self::Fine | Self::Failed => Self::Failed,
            Self::Usage => Self::Usage,
            Self::Signal(number) => Self::Signal(number),
        }
    }

    /// The code for the shell. A signal has none of its own: [`end`] raises it.
    pub fn code(self) -> ExitCode {
        match self {
            Self::Fine => ExitCode::SUCCESS,
            Self::Failed => ExitCode::from(1),
            Self::Usage => ExitCode::from(2),
            Self::Signal(number) => ExitCode::from(128_u8.wrapping_add(u8::try_from(number).unwrap_or(0))),
        }
    }
}

/// A command line that cannot be followed.
#[derive(Debug)]
pub struct UsageError(pub String);

impl fmt::Display for UsageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for UsageError {}

/// Marks an error as one of the command line.
pub fn usage(error: impl fmt::Display) -> anyhow::Error {
    UsageError(error.to_string()).into()
}

/// Prints an error once, and tells how the process is to end.
pub fn end(done: anyhow::Result<Exit>) -> ExitCode {
    let exit = match done {
        Ok(exit) => exit,
        Err(error) => {
            output::say(&format!("barrow: {error:#}"));
            if error.is::<UsageError>() { Exit::Usage } else { Exit::Failed }
        }
    };
    if let Exit::Signal(number) = exit {
        end_by_signal(number);
    }
    exit.code()
}
