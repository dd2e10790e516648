//! The names of everything that barrow makes below a target, so that nothing else is ever removed.

use crate::model::identity::Identity;
use std::ffi::{CStr, CString};

/// The file in a scratch directory that says whose it is, locked while the run lives.
pub const MARKER: &CStr = c"marker";

/// Bytes of the shortest marker that was written to its end: that of a lab, of a version of one letter.
pub const MARKER_LEAST: u64 = 30;
/// Longer than any marker.
pub const MARKER_MOST: u64 = 256;

/// Length of the number in a file's name, in hexadecimal digits.
pub const FILE_NUMBER_DIGITS: usize = 10;
/// The most random characters beside it.
pub const FILE_SUFFIX_MOST: usize = 12;

/// Which of the two file sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FileSetKind {
    /// Names in index order.
    Sequential,
    /// Names in random order.
    Random,
}

impl FileSetKind {
    /// The word in directory names and messages.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sequential => "sequential",
            Self::Random => "random",
        }
    }
}

/// What an entry of a scratch directory is, by its name alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryName {
    /// The marker.
    Marker,
    /// The block file of a worker.
    BlockFile,
    /// A file of another phase.
    WorkFile(WorkFile),
    /// A directory in which everything is a phase's.
    WorkDirectory(WorkDirectory),
    /// A directory of a file set.
    SetDirectory,
}

/// Files in the root that are no block files, by the phases that make them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WorkFile {
    /// Of small flushed writes.
    Sync,
    /// Of transfers.
    Transfer,
    /// Large files that are copied.
    Large,
    /// Files of a library.
    Library,
    /// Files that fill the filesystem before the phases.
    Fill,
}

/// Directories of the root in which everything belongs to a phase, whatever its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WorkDirectory {
    /// Of the clients of a file server.
    Server,
    /// A source tree.
    Tree,
    /// Of the user's programs.
    Command,
}

impl WorkFile {
    const ALL: [Self; 5] = [Self::Sync, Self::Transfer, Self::Large, Self::Library, Self::Fill];

    const fn word(self) -> &'static str {
        match self {
            Self::Sync => "sync",
            Self::Transfer => "transfer",
            Self::Large => "large",
            Self::Library => "library",
            Self::Fill => "fill",
        }
    }

    /// The name of one of them: `transfer.3`.
    #[must_use]
    pub fn name(self, number: u64) -> CString {
        plain_name(format!("{}.{number}", self.word()))
    }
}

impl WorkDirectory {
    const ALL: [Self; 3] = [Self::Server, Self::Tree, Self::Command];

    const fn word(self) -> &'static str {
        match self {
            Self::Server => "server",
            Self::Tree => "tree",
            Self::Command => "command",
        }
    }

    /// The name of one of them: `tree.0`.
    #[must_use]
    pub fn name(self, number: u64) -> CString {
        plain_name(format!("{}.{number}", self.word()))
    }
}

/// The name of the scratch directory of a run: `.barrow-` and eight hexadecimal digits of its nonce.
#[must_use]
pub fn scratch_name(nonce: u64) -> CString {
    plain_name(format!(".barrow-{:08x}", nonce >> 32))
}

/// Whether a name is one that [`scratch_name`] makes.
#[must_use]
pub fn is_scratch_name(name: &CStr) -> bool {
    name.to_bytes().strip_prefix(b".barrow-").is_some_and(|digits| digits.len() == 8 && digits.iter().all(|digit| is_hex(*digit)))
}

/// What the name of a report begins with until it is whole; some letters and digits follow.
pub const REPORT_PREFIX: &str = ".barrow-report-";
/// How many.
pub const REPORT_LETTERS: usize = 6;

/// Whether a name is that of a report that is not whole yet.
#[must_use]
pub fn is_report_name(name: &CStr) -> bool {
    let rest = name.to_bytes().strip_prefix(REPORT_PREFIX.as_bytes());
    rest.is_some_and(|rest| rest.len() == REPORT_LETTERS && rest.iter().all(u8::is_ascii_alphanumeric))
}

/// What the marker of a run says.
#[must_use]
pub fn marker_words(version: &str, batch: Identity, nonce: Identity) -> String {
    format!("barrow {version} batch {batch} nonce {nonce}\n")
}

/// The nonce of the run that wrote a marker; `None` when no barrow wrote it.
#[must_use]
pub fn marker_nonce(words: &str) -> Option<u64> {
    let words: Vec<&str> = words.split_whitespace().collect();
    match words[..] {
        ["barrow", _, "batch", batch, "nonce", nonce] => {
            Identity::try_from(batch.to_owned()).ok()?;
            Identity::try_from(nonce.to_owned()).ok().map(|nonce| nonce.0)
        }
        _ => None,
    }
}

/// The name of the block file of a worker.
#[must_use]
pub fn block_file_name(worker: u64) -> CString {
    plain_name(format!("block.{worker}"))
}

/// The name of a directory of a worker's files.
#[must_use]
pub fn set_directory_name(kind: FileSetKind, worker: u64, directory: u64) -> CString {
    plain_name(format!("{}.{worker}.{directory}", kind.name()))
}

fn plain_name(name: String) -> CString {
    // Formatted numbers and fixed words have no zero byte.
    CString::new(name).unwrap_or_default()
}

/// What an entry of a scratch directory may be by its name; `None` when barrow makes no such name.
#[must_use]
pub fn entry_name(name: &CStr) -> Option<EntryName> {
    if name == MARKER {
        return Some(EntryName::Marker);
    }
    let mut parts = name.to_bytes().split(|byte| *byte == b'.');
    let first = parts.next()?;
    let numbers: Vec<&[u8]> = parts.collect();
    let are_numbers = numbers.iter().all(|number| !number.is_empty() && number.len() <= 10 && number.iter().all(u8::is_ascii_digit));
    let work_file = WorkFile::ALL.into_iter().find(|file| file.word().as_bytes() == first).map(EntryName::WorkFile);
    let work_directory =
        WorkDirectory::ALL.into_iter().find(|directory| directory.word().as_bytes() == first).map(EntryName::WorkDirectory);
    match (first, numbers.len(), are_numbers) {
        (b"block", 1, true) => Some(EntryName::BlockFile),
        (_, 1, true) => work_file.or(work_directory),
        (b"sequential" | b"random", 2, true) => Some(EntryName::SetDirectory),
        _ => None,
    }
}

/// Whether a name is one of a file of a file set: ten hexadecimal digits, and up to twelve letters or digits before or after them.
#[must_use]
pub fn is_set_file_name(name: &CStr) -> bool {
    let bytes = name.to_bytes();
    let Some(rest) = bytes.len().checked_sub(FILE_NUMBER_DIGITS).filter(|rest| *rest <= FILE_SUFFIX_MOST) else {
        return false;
    };
    let is_number = |part: &[u8]| part.iter().all(|byte| is_hex(*byte));
    let is_suffix = |part: &[u8]| part.iter().all(u8::is_ascii_alphanumeric);
    (is_number(&bytes[..FILE_NUMBER_DIGITS]) && is_suffix(&bytes[FILE_NUMBER_DIGITS..]))
        || (is_suffix(&bytes[..rest]) && is_number(&bytes[rest..]))
}

const fn is_hex(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'a'..=b'f')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> CString {
        CString::new(text).unwrap()
    }

    #[test]
    fn what_barrow_makes_is_known_again() {
        assert!(is_scratch_name(&scratch_name(u64::MAX)));
        assert!(is_scratch_name(&scratch_name(0)));
        assert!(is_report_name(&name(".barrow-report-aZ0123")));
        assert_eq!(entry_name(MARKER), Some(EntryName::Marker));
        assert_eq!(entry_name(&block_file_name(1023)), Some(EntryName::BlockFile));
        assert_eq!(entry_name(&WorkFile::Library.name(7)), Some(EntryName::WorkFile(WorkFile::Library)));
        assert_eq!(entry_name(&WorkDirectory::Tree.name(0)), Some(EntryName::WorkDirectory(WorkDirectory::Tree)));
        assert_eq!(entry_name(&set_directory_name(FileSetKind::Sequential, 0, 99_999)), Some(EntryName::SetDirectory));
        assert_eq!(entry_name(&set_directory_name(FileSetKind::Random, 3, 0)), Some(EntryName::SetDirectory));
        for file in ["0000000000", "00000000ffAz0123456789", "Az012345678900000000ff", "z00000000ff"] {
            assert!(is_set_file_name(&name(file)), "{file}");
        }
    }

    #[test]
    fn a_marker_names_its_run() {
        let words = marker_words("0.1.0", Identity(7), Identity(0xabcd_0123_0000_0001));
        assert_eq!(marker_nonce(&words), Some(0xabcd_0123_0000_0001));
        for other in ["", "my diary", "barrow 0.1.0 batch x nonce y", "barrow 0.1.0 batch 0000000000000007 nonce 12"] {
            assert_eq!(marker_nonce(other), None, "{other}");
        }
    }

    #[test]
    fn nothing_else_is() {
        for other in [".barrow-report-", ".barrow-report-abcde", ".barrow-report-abcdefg", ".barrow-report-abcd.f", "barrow-report-abcdef"]
        {
            assert!(!is_report_name(&name(other)), "{other}");
        }
        for other in [".barrow-", ".barrow-0123456", ".barrow-0123456G", ".barrow-012345678", "barrow-01234567", ".barrow-ABCDEF01"] {
            assert!(!is_scratch_name(&name(other)), "{other}");
        }
        for other in ["", "block", "block.", "block.x", "block.1.2", "random.1", "sequential.1.", "markers", "..", "block.99999999999"] {
            assert_eq!(entry_name(&name(other)), None, "{other}");
        }
        for other in ["", "000000000", "00000000ff_", "0000000gff", "00000000ff1234567890123", "notes.txt"] {
            assert!(!is_set_file_name(&name(other)), "{other}");
        }
    }
}
