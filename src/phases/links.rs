//! Links: which entries of a file set are links, and to which file. Each leads to the first entry of its own directory, so that a symbolic
//! link is right whichever directory it lies in.

use super::entry::Entry;
use crate::model::settings::Links;
use std::io;

/// What the entries of one worker are.
#[derive(Debug, Clone)]
pub struct LinkSet {
    kind: Links,
    /// The first entry of each directory, in the order of the directories that the numbers meet.
    firsts: Vec<Entry>,
}

/// What an entry is.
#[derive(Debug, Clone, Copy)]
pub enum Nature {
    /// A file.
    File,
    /// Another name of this file.
    HardLink(Entry),
    /// A symbolic link to this file.
    SymbolicLink(Entry),
}

impl LinkSet {
    /// Of the entries of a worker in index order, which are dealt to so many directories in turn.
    #[must_use]
    pub fn of(kind: Links, dirs: u64, entries: &[Entry]) -> Self {
        let firsts = match kind {
            Links::None => Vec::new(),
            Links::Hard | Links::Symbolic => entries.iter().take(dirs as usize).copied().collect(),
        };
        Self { kind, firsts }
    }

    /// What an entry is.
    #[inline]
    #[must_use]
    pub fn nature(&self, entry: &Entry) -> Nature {
        let Some(start) = self.firsts.first() else { return Nature::File };
        let place = entry.number.saturating_sub(start.number) as usize;
        let first = self.firsts.get(place % self.firsts.len()).filter(|_| place >= self.firsts.len());
        match (self.kind, first) {
            (Links::None, _) | (_, None) => Nature::File,
            (Links::Hard, Some(first)) => Nature::HardLink(*first),
            (Links::Symbolic, Some(first)) => Nature::SymbolicLink(*first),
        }
    }
}

/// What the system said of a link, in words where it means that the filesystem has none (link(2), symlink(2)).
#[cold]
#[must_use]
pub fn explained(error: io::Error, words: &'static str) -> io::Error {
    match error.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::Unsupported => io::Error::other(format!("the filesystem has no {words}")),
        _ => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::scratch::FileSetKind;

    #[test]
    fn each_link_leads_to_the_first_of_its_directory() {
        let dirs = 3;
        for start in [0, 7] {
            let entries: Vec<Entry> = (start..start + 20).map(|number| Entry::of(FileSetKind::Sequential, 1, number)).collect();
            let links = LinkSet::of(Links::Symbolic, dirs, &entries);
            for (place, entry) in entries.iter().enumerate() {
                match links.nature(entry) {
                    Nature::File => assert!(place < 3),
                    Nature::SymbolicLink(first) => {
                        assert!(place >= 3 && (first.number - start) < 3);
                        assert_eq!(u64::from(first.number) % dirs, u64::from(entry.number) % dirs, "they lie in one directory");
                    }
                    Nature::HardLink(_) => panic!("a hard link"),
                }
            }
            assert!(entries.iter().all(|entry| matches!(LinkSet::of(Links::None, dirs, &entries).nature(entry), Nature::File)));
        }
    }
}
