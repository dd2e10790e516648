//! What the keys of source trees and libraries come to: files, directories and bytes.

use super::Settings;
use crate::model::phase::Phase;
use crate::model::size_law::{LIBRARY, SOURCE_TREE};

/// The most files of a tree or a library: each has a name, and its size is reckoned before a run.
pub const MOST_TREE_FILES: u64 = 4_000_000;
/// Files of a directory of a tree on average.
const FILES_A_DIRECTORY: u64 = 15;
/// Threads that write and read a library at once.
const LIBRARY_THREADS: u64 = 5;

/// Files, directories and bytes of a collection.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Collection {
    /// Its files.
    pub files: u64,
    /// Its directories.
    pub directories: u64,
    /// Bytes of its files, at the most where that is not fixed.
    pub bytes: u64,
}

impl Collection {
    const fn with(self, other: Self) -> Self {
        Self {
            files: self.files.saturating_add(other.files),
            directories: self.directories.saturating_add(other.directories),
            bytes: self.bytes.saturating_add(other.bytes),
        }
    }

    /// At least as much of each.
    fn or(self, other: Self) -> Self {
        Self {
            files: self.files.max(other.files),
            directories: self.directories.max(other.directories),
            bytes: self.bytes.max(other.bytes),
        }
    }
}

impl Settings {
    /// The source tree.
    #[must_use]
    pub fn tree(&self) -> Collection {
        let directories = self.tree_files.div_ceil(FILES_A_DIRECTORY);
        Collection { files: self.tree_files, directories, bytes: SOURCE_TREE.sum(self.tree_files) }
    }

    /// What is copied of the tree: the first half of its files. Their bytes are known to the generator alone.
    #[must_use]
    pub const fn copied_tree_files(&self) -> u64 {
        self.tree_files.div_ceil(2)
    }

    /// The library.
    #[must_use]
    pub fn library(&self) -> Collection {
        Collection { files: self.library_files, directories: 0, bytes: LIBRARY.sum(self.library_files) }
    }

    /// What is copied of the library: as few of its largest files as have half of its bytes.
    #[must_use]
    pub fn large_copies(&self) -> Collection {
        let (files, bytes) = LIBRARY.larger_half(self.library_files);
        Collection { files, directories: 0, bytes }
    }

    /// Threads that write and read the library at once; not more than it has files.
    #[must_use]
    pub fn library_threads(&self) -> u64 {
        self.library_files.clamp(1, LIBRARY_THREADS)
    }

    /// Everything that tree and library take at once, at the most. The copies of the tree go before the library is made.
    #[must_use]
    pub fn tree_at_most(&self) -> Collection {
        let done = |phase: Phase| self.phases.contains(&phase) && self.leaves_out(phase).is_none();
        let taken = |phase: Phase, collection: Collection| if done(phase) { collection } else { Collection::default() };
        let tree = self.tree();
        let copies = taken(Phase::TreeCopy, Collection { files: self.copied_tree_files(), ..tree });
        let library = taken(Phase::LibraryWrite, self.library()).with(taken(Phase::LargeCopy, self.large_copies()));
        let pruned_before = self.phases.place(Phase::TreePrune) < self.phases.place(Phase::LibraryWrite);
        let beside = if pruned_before && done(Phase::TreePrune) { copies.or(library) } else { copies.with(library) };
        taken(Phase::TreeUnpack, tree).with(beside)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::profile::Profile;

    #[test]
    fn the_profile_takes_what_it_says() {
        let settings = Profile::named("tree/1", 0).unwrap().settings;
        let (tree, library, large) = (settings.tree(), settings.library(), settings.large_copies());
        assert_eq!((tree.files, tree.directories), (24_000, 1600));
        let most = settings.tree_at_most();
        assert_eq!(most.bytes, tree.bytes + library.bytes + large.bytes);
        assert_eq!((most.files, most.directories), (36_000, 3200), "the copies of the tree are more files than the library");
        let without = Settings { library_files: 0, ..settings.clone() };
        assert_eq!(without.tree_at_most().bytes, 2 * tree.bytes);
        assert_eq!(Settings { tree_files: 0, ..settings.clone() }.tree_at_most().bytes, library.bytes + large.bytes);
        assert_eq!(Settings { library_files: 3, ..settings }.library_threads(), 3);
    }
}
