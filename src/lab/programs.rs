//! The programs of a filesystem: what makes it, tells its version and features, and checks it.

use super::storage::Storage;
use super::variant::{Variant, Words};
use super::words::{one_line, put_in, without_paths};
use crate::model::making::MOST_FEATURES;
use crate::sys::command::{self, CommandError, Printed};
use crate::target::ground::GroundError;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// The longest that making or checking a filesystem may take: on a large disk, an hour.
const LONG: Duration = Duration::from_secs(3600);
/// The longest that a question may take.
const SHORT: Duration = Duration::from_secs(60);
/// The longest version that is kept.
const MOST_VERSION: usize = 200;

/// The programs of a variant, on its storage.
#[derive(Debug, Clone, Copy)]
pub struct Programs<'a> {
    /// Whose programs they are.
    pub variant: &'a Variant,
    /// On what they work.
    pub storage: &'a Storage,
    /// What ends them early.
    pub stop: &'a AtomicBool,
}

impl Programs<'_> {
    fn run(&self, words: &Words, limit: Duration) -> Result<Printed, CommandError> {
        command::program(&put_in(words, self.storage.devices(), self.storage.place()), limit, self.stop)
    }

    /// What a program could not do, in its own words.
    fn failed(&self, words: &Words, error: &CommandError) -> String {
        without_paths(&format!("{}: {error}", one_line(words)), self.storage.devices(), self.storage.place())
    }

    /// Makes the filesystem. Gives the time that it took.
    ///
    /// # Errors
    /// With the words of the program; when the run is to stop.
    pub fn make(&self) -> Result<Duration, GroundError> {
        let begun = Instant::now();
        match self.run(&self.variant.mkfs, LONG) {
            Ok(_) => Ok(begun.elapsed()),
            Err(CommandError::Stopped) => Err(GroundError::Stopped),
            Err(error) => {
                let advice = match error {
                    CommandError::NotStarted(_) => "see whether it is installed and may be started",
                    CommandError::Failed { .. } | CommandError::TooLong(_) | CommandError::Stopped => {
                        "another --size or other words for mkfs may suit it, unless the disk below is full or gone"
                    }
                };
                Err(GroundError::Changed(format!("{}; nothing was mounted; {advice}", self.failed(&self.variant.mkfs, &error))))
            }
        }
    }

    /// What the program that makes it says of its version; `None` where it says nothing.
    #[must_use]
    pub fn version(&self) -> Option<String> {
        if self.variant.version.is_empty() {
            return None;
        }
        first_line(&self.run(&self.variant.version, SHORT).ok()?)
    }

    /// What its own tool names as its features; nothing where none can be asked. It must be mounted.
    #[must_use]
    pub fn features(&self) -> Vec<String> {
        let Some(features) = &self.variant.features else { return Vec::new() };
        let printed = self.run(&features.words, SHORT).map(|printed| printed.output).unwrap_or_default();
        let mut found = (features.read)(&printed);
        found.truncate(MOST_FEATURES);
        found
    }

    /// Checks the filesystem, which must not be mounted: the time that it took, and what was found wrong. `None` where nothing checks it,
    /// or the run is to stop.
    #[must_use]
    pub fn check(&self) -> Option<(Duration, Option<String>)> {
        if self.variant.check.is_empty() {
            return None;
        }
        let begun = Instant::now();
        let words = match self.run(&self.variant.check, LONG) {
            Ok(_) => None,
            Err(CommandError::Stopped) => return None,
            Err(error) => Some(self.failed(&self.variant.check, &error)),
        };
        Some((begun.elapsed(), words))
    }
}

/// The first line with something in it, of results or else of errors: programs tell their version in either way.
fn first_line(printed: &Printed) -> Option<String> {
    let mut lines = printed.output.lines().chain(printed.errors.lines()).map(str::trim);
    lines.find(|line| !line.is_empty()).map(|line| line.chars().take(MOST_VERSION).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_the_first_line_with_something_in_it() {
        let of = |output: &str, errors: &str| first_line(&Printed { output: output.to_owned(), errors: errors.to_owned() });
        assert_eq!(of("", "\n mke2fs 1.47.0 (5-Feb-2023)\n\tUsing EXT2FS Library\n").as_deref(), Some("mke2fs 1.47.0 (5-Feb-2023)"));
        assert_eq!(of("mkfs.xfs version 6.1.0\n", "x").as_deref(), Some("mkfs.xfs version 6.1.0"));
        assert_eq!(of(" \n", ""), None);
        assert_eq!(of(&"x".repeat(900), "").map(|line| line.len()), Some(MOST_VERSION));
    }
}
