//! The names that users give their programs.

use super::dynamic::{kept, row_of};
use super::{Group, Reads, Row, Unit};

/// The name of a user's program, printable and short.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CommandName(&'static str);

/// The most letters of a name.
const MOST_LETTERS: usize = 24;

/// A name that no program can have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CommandNameError {
    /// It is empty, too long, or has other letters.
    #[error("`{0}` names no command: up to {MOST_LETTERS} letters, digits, `-`, `_` and `.`")]
    Letters(String),
    /// There are thousands of names already.
    #[error("there are too many names of commands")]
    TooMany,
}

impl CommandName {
    /// What its name in records begins with.
    pub const PREFIX: &'static str = "command:";

    /// A name without that.
    ///
    /// # Errors
    /// When no command can have it.
    pub fn of(name: &str) -> Result<Self, CommandNameError> {
        let is_letter = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.');
        if name.is_empty() || name.len() > MOST_LETTERS || !name.chars().all(is_letter) {
            return Err(CommandNameError::Letters(name.chars().take(2 * MOST_LETTERS).collect()));
        }
        let make = |name| Row {
            name,
            title: kept(format!("Command {}", &name[Self::PREFIX.len()..])),
            unit: Unit::Programs,
            group: Group::Command,
            reads: Reads::Data,
            writes: true,
        };
        let row = row_of(&format!("{}{name}", Self::PREFIX), make).ok_or(CommandNameError::TooMany)?;
        Ok(Self(row.name))
    }

    /// Without `command:`.
    #[must_use]
    pub fn short(self) -> &'static str {
        &self.0[Self::PREFIX.len()..]
    }

    /// Its row of the catalogue.
    #[must_use]
    pub fn row(self) -> &'static Row {
        const NO_ROOM: &Row =
            &Row { name: "command:", title: "Command", unit: Unit::Programs, group: Group::Command, reads: Reads::Data, writes: true };
        // It was made with its name.
        row_of(self.0, |_| *NO_ROOM).unwrap_or(NO_ROOM)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_short_and_printable() {
        let build = CommandName::of("build-1").unwrap();
        assert_eq!((build.row().name, build.row().title, build.short()), ("command:build-1", "Command build-1", "build-1"));
        for other in ["", "a b", "ä", "a/b", "a,b", "abcdefghijklmnopqrstuvwxyz"] {
            assert!(CommandName::of(other).is_err(), "{other}");
        }
    }
}
