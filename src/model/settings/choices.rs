//! The keys whose values are words: what can be chosen, and how it is written.

use serde::{Deserialize, Serialize};

/// A key whose value is one of a few words.
pub trait Choice: Copy + PartialEq + 'static {
    /// Every value with its word.
    const WORDS: &'static [(&'static str, Self)];
}

/// How block files are read and written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Io {
    /// Through the page cache.
    Buffered,
    /// Past the page cache, with `O_DIRECT`.
    Direct,
}

/// The order of sequential stat and delete.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SequentialOrder {
    /// In index order, the order in which the files were made.
    Index,
    /// In the order in which the directory lists them, as Bonnie++ does.
    Readdir,
}

/// What the entries of a file set are. Links lead to the first entry of their own directory, which is an empty file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Links {
    /// Files.
    #[default]
    None,
    /// Hard links: more names of that file.
    Hard,
    /// Symbolic links to it.
    Symbolic,
}

/// When what is written is flushed to stable storage.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SyncAt {
    /// At the end of a phase.
    #[default]
    End,
    /// After every write to a block file, every file that is made and every entry that is made or removed; and at the end.
    Every,
    /// In every write of a file server's clients, whose files are open with `O_SYNC`; and at the end.
    Open,
    /// Directories after every change that a file server's clients make in them; and at the end.
    Dirs,
}

impl Choice for Io {
    const WORDS: &'static [(&'static str, Self)] = &[("buffered", Self::Buffered), ("direct", Self::Direct)];
}

impl Choice for SequentialOrder {
    const WORDS: &'static [(&'static str, Self)] = &[("index", Self::Index), ("readdir", Self::Readdir)];
}

impl Choice for Links {
    const WORDS: &'static [(&'static str, Self)] = &[("none", Self::None), ("hard", Self::Hard), ("symbolic", Self::Symbolic)];
}

impl Choice for SyncAt {
    const WORDS: &'static [(&'static str, Self)] =
        &[("end", Self::End), ("every", Self::Every), ("open", Self::Open), ("dirs", Self::Dirs)];
}

impl Io {
    /// The word in a profile and in reports.
    #[must_use]
    pub fn name(self) -> String {
        word(self)
    }
}

/// The value of a word.
///
/// # Errors
/// Names every word when it is none of them.
pub fn named<T: Choice>(text: &str, _ram_bytes: u64) -> Result<T, String> {
    let found = T::WORDS.iter().find(|(word, _)| *word == text.trim());
    let words = || T::WORDS.iter().map(|(word, _)| *word).collect::<Vec<_>>().join(", ");
    found.map(|(_, value)| *value).ok_or_else(|| format!("`{text}` is none of {}", words()))
}

/// The word that people use of a file server for [`SyncAt::End`].
const NO_SYNC: &str = "none";

/// The value of a word for when is flushed; `none` is another word for the end alone.
///
/// # Errors
/// As [`named`].
pub fn read_sync(text: &str, ram_bytes: u64) -> Result<SyncAt, String> {
    if text.trim() == NO_SYNC { Ok(SyncAt::End) } else { named(text, ram_bytes) }
}

/// The word of a value in a profile and in reports.
#[must_use]
pub fn word<T: Choice>(value: T) -> String {
    T::WORDS.iter().find(|(_, choice)| *choice == value).map(|(word, _)| (*word).to_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn are_read_as_they_are_written<T: Choice + std::fmt::Debug>() {
        for (text, value) in T::WORDS {
            assert_eq!((named::<T>(text, 0), word(*value)), (Ok(*value), (*text).to_owned()));
        }
    }

    #[test]
    fn words_are_read_as_they_are_written() {
        are_read_as_they_are_written::<Io>();
        are_read_as_they_are_written::<SequentialOrder>();
        are_read_as_they_are_written::<Links>();
        are_read_as_they_are_written::<SyncAt>();
        assert_eq!(read_sync("none", 0), Ok(SyncAt::End));
        assert_eq!(named::<Links>("soft", 0), Err("`soft` is none of none, hard, symbolic".to_owned()));
    }
}
