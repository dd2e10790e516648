//! What is found when a phase is done, off the clock.

use super::bounded::{at_most, text_at_most};
use super::histogram::Histogram;
use serde::{Deserialize, Serialize};

/// What is found when a phase is done; `None` where it was not looked for, or cannot be told.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Aftermath {
    /// Bytes that are free for everybody on the filesystem.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub free_bytes: Option<u64>,
    /// Files whose pieces were counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files: Option<u64>,
    /// Their pieces that do not touch, of all of them together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extents: Option<u64>,
    /// How the user's program ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<ProgramEnd>,
}

/// How a program ended, and what it said.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramEnd {
    /// Its exit status; `None` when a signal ended it, or it could not be started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit: Option<i32>,
    /// The number of the signal that ended it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
    /// Bytes that it wrote to its output and its errors.
    pub output_bytes: u64,
    /// The last of them, at most [`MOST_OUTPUT`] bytes, as text.
    #[serde(default, skip_serializing_if = "String::is_empty", deserialize_with = "text_at_most::<MOST_STORED_OUTPUT, _>")]
    pub output: String,
    /// Processes that it left running, which were ended.
    #[serde(default, skip_serializing_if = "super::evidence::is_zero")]
    pub left_processes: u64,
}

/// The most bytes of a program's output that a record keeps.
pub const MOST_OUTPUT: usize = 2048;
/// What these take at the most as text: a byte that is none takes three.
const MOST_STORED_OUTPUT: usize = 3 * MOST_OUTPUT;

/// The most kinds of operations of a phase.
pub const MOST_KINDS: usize = 32;

/// The most bytes of the name of a kind.
pub const MOST_NAME: usize = 32;

/// One kind of operation of a phase that has several.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Kind {
    /// Its name: `rename`, of at most [`MOST_NAME`] bytes.
    #[serde(deserialize_with = "text_at_most::<MOST_NAME, _>")]
    pub name: String,
    /// How many there were.
    pub count: u64,
    /// Bytes that they moved.
    #[serde(default, skip_serializing_if = "super::evidence::is_zero")]
    pub bytes: u64,
    /// Nanoseconds that they took together.
    pub total_ns: u64,
    /// The longest in nanoseconds.
    pub max_ns: u64,
    /// Their latencies.
    pub latency: Histogram,
}

impl Kind {
    /// A kind of which there was none yet.
    #[must_use]
    pub fn named(name: &str) -> Self {
        Self { name: name.to_owned(), ..Self::default() }
    }

    /// Counts one.
    pub fn count(&mut self, nanoseconds: u64, bytes: u64) {
        self.count += 1;
        self.bytes += bytes;
        self.total_ns += nanoseconds;
        self.max_ns = self.max_ns.max(nanoseconds);
        self.latency.record(nanoseconds, 1);
    }

    /// Counts all of another worker's.
    pub fn add(&mut self, other: &Self) {
        self.count += other.count;
        self.bytes += other.bytes;
        self.total_ns += other.total_ns;
        self.max_ns = self.max_ns.max(other.max_ns);
        self.latency.add(&other.latency);
    }

    /// Nanoseconds of one on average; `None` where there was none.
    #[must_use]
    pub fn average_ns(&self) -> Option<f64> {
        (self.count > 0).then(|| self.total_ns as f64 / self.count as f64)
    }

    /// A percentile of the latencies in nanoseconds, never above the longest one. `share` is 0 to 1.
    #[must_use]
    pub fn percentile_ns(&self, share: f64) -> Option<f64> {
        self.latency.percentile(share).map(|value| value.min(self.max_ns as f64))
    }
}

/// Kinds of a run file: a damaged line must not take far more memory than a good one.
pub(super) fn kinds<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<Kind>, D::Error> {
    at_most::<MOST_KINDS, D, Kind>(deserializer)
}

impl Aftermath {
    /// Whether nothing was found.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Pieces of a file on average; `None` where they were not counted.
    #[must_use]
    pub fn extents_per_file(&self) -> Option<f64> {
        let files = self.files.filter(|files| *files > 0)?;
        Some(self.extents? as f64 / files as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_of_several_workers_are_one() {
        let mut kind = Kind::named("close");
        assert_eq!((kind.average_ns(), kind.percentile_ns(0.99)), (None, None));
        kind.count(1000, 5);
        let mut other = Kind::named("close");
        other.count(3000, 7);
        kind.add(&other);
        assert_eq!((kind.count, kind.bytes, kind.max_ns, kind.average_ns()), (2, 12, 3000, Some(2000.0)));
        assert_eq!(kind.percentile_ns(1.0), Some(3000.0));
    }

    #[test]
    fn pieces_are_told_a_file() {
        let counted = Aftermath { files: Some(4), extents: Some(6), ..Aftermath::default() };
        assert_eq!(counted.extents_per_file(), Some(1.5));
        assert_eq!(Aftermath { files: Some(0), ..counted }.extents_per_file(), None);
        assert!(Aftermath::default().is_empty());
    }
}
