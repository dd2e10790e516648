//! The source tree: its directories, files, sizes and names, all made before the clock starts.

pub mod findings;
pub mod flushing;
pub mod needle;
pub mod removing;
pub mod walk;
pub mod warmth;

use super::duplicates::{Duplicates, Marks};
use super::entry::Entry;
use super::error::{PhaseError, WrongData};
use super::procedure::memory_of_threads;
use super::stamp::{Generation, Origin, Stamps};
use super::{Job, Moved};
use crate::model::plan::Plan;
use crate::model::settings::Settings;
use crate::model::size_law::{SOURCE_TREE, SizeLaw};
use crate::rng::{Permutation, Stream, hash64, mix_all};
use crate::target::scratch::{FileSetKind, WorkDirectory};
use crate::target::{Handle, ShortName, Target};
use flushing::sync_change;
use std::ffi::CStr;
use std::io;
use std::ops::Range;
use std::sync::Arc;

/// Directories below each other at the most, the tree's own one included: as deep as source trees are.
pub const MOST_DEPTH: usize = 10;
/// The files of the tree are numbered in stamps from here.
const FIRST_NUMBER: u64 = 5 << 40;
/// How many files a directory has in relation to others: many have a few, a few have many.
const CROWDS: SizeLaw = SizeLaw::of(&[(0, 1), (300_000, 3), (500_000, 8), (800_000, 22), (950_000, 50), (990_000, 110), (1_000_000, 300)]);

/// Which of the two trees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Copied {
    /// The one that was unpacked.
    Original,
    /// Its copy.
    Copy,
}

/// A directory of the tree.
#[derive(Debug, Clone)]
pub struct Branch {
    name: ShortName,
    /// How many directories of the tree it lies in; 0 for the tree itself.
    pub depth: usize,
    /// The numbers of its files.
    pub files: Range<usize>,
}

/// A file of the tree.
#[derive(Debug, Clone, Copy)]
pub struct Leaf {
    entry: Entry,
    size: u32,
}

/// The tree, or the first part of it: each directory stands before its files, and these before the directories in it, as archives have
/// them.
#[derive(Debug, Clone)]
pub struct Tree {
    /// The name of the directory that all others lie in.
    root: ShortName,
    branches: Arc<[Branch]>,
    leaves: Arc<[Leaf]>,
    duplicates: Duplicates,
}

impl Leaf {
    /// Its name in its directory.
    #[inline]
    #[must_use]
    pub fn name(&self) -> &CStr {
        self.entry.name()
    }

    /// Its number in the tree.
    #[inline]
    #[must_use]
    pub const fn number(&self) -> u64 {
        self.entry.number as u64
    }

    /// Its bytes, of which one call writes or reads all.
    #[inline]
    #[must_use]
    pub const fn size(&self) -> usize {
        self.size as usize
    }
}

impl Tree {
    /// The tree of some settings, or its copy: the first half of the files with their directories.
    #[must_use]
    pub fn of(settings: &Settings, copied: Copied) -> Self {
        let branches = branches(settings);
        let files = match copied {
            Copied::Original => settings.tree_files,
            Copied::Copy => settings.copied_tree_files(),
        } as usize;
        // Directories stand before their files, so that those of the first files are the first directories.
        let reaching = branches.iter().take_while(|branch| branch.files.start < files || branch.depth == 0);
        let reaching = reaching.map(|branch| Branch { files: branch.files.start..branch.files.end.min(files), ..branch.clone() });
        Self {
            root: root_name(copied),
            branches: reaching.collect(),
            leaves: leaves(settings, files),
            duplicates: Duplicates::of(settings),
        }
    }

    /// Its directories, the tree itself first.
    #[must_use]
    pub fn branches(&self) -> &[Branch] {
        &self.branches
    }

    /// Its files.
    #[must_use]
    pub fn leaves(&self) -> &[Leaf] {
        &self.leaves
    }

    /// Bytes of its files.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.leaves.iter().map(|leaf| u64::from(leaf.size)).sum()
    }

    /// The same files as a part of the other tree.
    #[must_use]
    pub fn named_as(self, copied: Copied) -> Self {
        Self { root: root_name(copied), ..self }
    }

    /// Makes a directory in what is open of the one that it lies in (the root, for the tree itself), and opens it.
    ///
    /// # Errors
    /// Names the directory.
    pub fn make(&self, job: Job<'_>, branch: &Branch, parent: Option<&Handle>) -> Result<Handle, PhaseError> {
        let (target, name) = (job.target, self.name_of(branch, parent));
        let made = target.make_directory(parent.unwrap_or(target.root()), name).and_then(|()| sync_change(job, parent));
        made.map_err(|source| self.branch_failed("make", branch, source))?;
        self.open(target, branch, parent)
    }

    /// Opens a directory of what is open of the one that it lies in (the root, for the tree itself).
    ///
    /// # Errors
    /// Names the directory.
    #[inline]
    pub fn open(&self, target: &dyn Target, branch: &Branch, parent: Option<&Handle>) -> Result<Handle, PhaseError> {
        let opened = target.open_directory(parent.unwrap_or(target.root()), self.name_of(branch, parent));
        opened.map_err(|source| self.branch_failed("open", branch, source))
    }

    /// The name of a directory in the one that it lies in.
    #[inline]
    #[must_use]
    pub fn name_of<'a, O>(&'a self, branch: &'a Branch, parent: Option<O>) -> &'a CStr {
        if parent.is_none() { self.root_name() } else { branch.name.as_c_str() }
    }

    /// Its name in the root.
    #[inline]
    #[must_use]
    pub fn root_name(&self) -> &CStr {
        self.root.as_c_str()
    }

    /// What stamps a file; a copy has the stamps of what was copied.
    #[inline]
    #[must_use]
    pub fn marks(&self, stamps: &Stamps, leaf: &Leaf) -> Marks {
        Marks::of(stamps, origin(leaf.number()), self.duplicates)
    }

    /// A failed call on a directory: `make directory 12 of 1600 of tree.0, d000b`.
    #[cold]
    #[must_use]
    pub fn branch_failed(&self, verb: &str, branch: &Branch, source: io::Error) -> PhaseError {
        let number = self.branches.iter().position(|other| other.files.start == branch.files.start && other.depth == branch.depth);
        let (number, all) = (number.unwrap_or_default(), self.branches.len());
        let (root, name) = (self.root_name().to_string_lossy(), branch.name.as_c_str().to_string_lossy());
        PhaseError::Call { doing: format!("{verb} directory {number} of {all} of {root}, {name}"), source }
    }

    /// What is being done to a file: `write file 17 of 24000 of tree.0, 0000000011xyz`.
    #[cold]
    #[must_use]
    pub fn doing(&self, verb: &str, leaf: &Leaf) -> String {
        let (number, all, root) = (leaf.number(), self.leaves.len(), self.root_name().to_string_lossy());
        format!("{verb} file {number} of {all} of {root}, {}", leaf.name().to_string_lossy())
    }

    /// A failed call on a file.
    #[cold]
    #[must_use]
    pub fn failed(&self, verb: &str, leaf: &Leaf, source: io::Error) -> PhaseError {
        PhaseError::Call { doing: self.doing(verb, leaf), source }
    }

    /// Checks what was read of a file from its start.
    ///
    /// # Errors
    /// [`PhaseError::WrongData`] with the place, and what stood there instead.
    #[inline]
    pub fn check(&self, stamps: &Stamps, leaf: &Leaf, bytes: &[u8]) -> Result<(), PhaseError> {
        match self.marks(stamps, leaf).first_wrong(bytes, 0) {
            None => Ok(()),
            Some(place) => Err(self.wrong_data(stamps, leaf, bytes, place)),
        }
    }

    #[cold]
    fn wrong_data(&self, stamps: &Stamps, leaf: &Leaf, bytes: &[u8], place: usize) -> PhaseError {
        let found = bytes[place..].first_chunk().copied().unwrap_or_default();
        let files: Vec<(u64, u64)> = self.leaves.iter().map(|leaf| (FIRST_NUMBER | leaf.number(), u64::from(leaf.size))).collect();
        let found: WrongData = stamps.explain(found, place as u64, origin(leaf.number()), self.duplicates, &files);
        PhaseError::WrongData { doing: self.doing("read", leaf), offset: place as u64, found }
    }
}

/// The name of a tree in the root.
fn root_name(copied: Copied) -> ShortName {
    let number = match copied {
        Copied::Original => 0,
        Copied::Copy => 1,
    };
    // A word and a digit are short.
    ShortName::of(WorkDirectory::Tree.name(number).to_bytes()).expect("a short name")
}

/// Which file of a run it is in the stamps.
const fn origin(number: u64) -> Origin {
    Origin { file: FIRST_NUMBER | number, generation: Generation::Written }
}

/// The directories of a tree in the order of an archive. Each lies in the last one before it that is less deep by one.
fn branches(settings: &Settings) -> Vec<Branch> {
    let (files, count) = (settings.tree_files, settings.tree().directories);
    let mut depths = Stream::of(settings.seed, "depths of a tree");
    let crowds = Permutation::of(count.max(1), settings.seed, "crowds of a tree");
    let crowd = |number| CROWDS.size(crowds.at(number), count);
    let all: u64 = (0..count).map(crowd).sum();
    let mut branches = Vec::with_capacity(count as usize);
    let (mut before, mut depth, mut start) = (0, 0, 0);
    for number in 0..count {
        if number > 0 {
            depth = next_depth(&mut depths, depth);
        }
        before += crowd(number);
        let end = (u128::from(files) * u128::from(before) / u128::from(all)) as usize;
        branches.push(Branch { name: branch_name(number), depth, files: start..end });
        start = end;
    }
    branches
}

/// The depth of the directory behind one of a depth: the larger of two draws, so that trees are about four deep on average.
fn next_depth(depths: &mut Stream, depth: usize) -> usize {
    let most = (depth + 1).min(MOST_DEPTH - 1) as u64;
    1 + depths.below(most).max(depths.below(most)) as usize
}

/// `d004f`.
fn branch_name(number: u64) -> ShortName {
    // A letter and at most sixteen digits are short.
    ShortName::of(format!("d{number:04x}").as_bytes()).expect("a short name")
}

/// The first files of a tree with their sizes, which are dealt by a permutation.
fn leaves(settings: &Settings, files: usize) -> Arc<[Leaf]> {
    let all = settings.tree_files;
    let sizes = Permutation::of(all.max(1), settings.seed, "sizes of a tree");
    let names = mix_all(&[settings.seed, hash64(b"names of a tree")]);
    let leaf = |number: u64| Leaf {
        entry: Entry::of(FileSetKind::Sequential, names, number as u32),
        size: SOURCE_TREE.size(sizes.at(number), all) as u32,
    };
    (0..files as u64).map(leaf).collect()
}

/// Bytes of data that are copied of the tree.
#[must_use]
pub fn copied_bytes(plan: &Plan) -> u64 {
    Tree::of(&plan.settings, Copied::Copy).bytes()
}

/// Directories that are copied of the tree: those that its first half of the files lie in.
#[must_use]
pub fn copied_directories(settings: &Settings) -> u64 {
    if settings.tree_files == 0 { 0 } else { Tree::of(settings, Copied::Copy).branches().len() as u64 }
}

/// What must at least be read to find so many files and directories.
#[must_use]
pub const fn least_metadata(entries: u64) -> Moved {
    /// The smallest inode of the common filesystems.
    const LEAST_INODE: u64 = 128;
    Moved { read: entries * LEAST_INODE, written: 0, checked: 0 }
}

/// Bytes of memory for the names of tree and copy, and the buffers of one thread.
#[must_use]
pub const fn memory_needed(settings: &Settings) -> u64 {
    let leaves = settings.tree_files.saturating_mul(2 * size_of::<Leaf>() as u64);
    let branches = settings.tree_files.saturating_mul(size_of::<Branch>() as u64);
    leaves.saturating_add(branches).saturating_add(memory_of_threads(settings, 1, SOURCE_TREE.most()))
}

/// The largest file of a tree, as a length of buffers.
pub const LARGEST: usize = SOURCE_TREE.most() as usize;

/// The tree that a job works on.
#[must_use]
pub fn tree_of(job: Job<'_>, copied: Copied) -> Tree {
    Tree::of(&job.plan.settings, copied)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn settings(tree_files: u64, seed: u64) -> Settings {
        Settings { tree_files, seed, ..Settings::default() }
    }

    #[test]
    fn the_tree_of_the_profile_is_as_trees_are() {
        let tree = Tree::of(&settings(24_000, 1), Copied::Original);
        assert_eq!((tree.branches().len(), tree.leaves().len()), (1600, 24_000));
        assert_eq!(tree.bytes(), SOURCE_TREE.sum(24_000));
        let depths: Vec<usize> = tree.branches().iter().map(|branch| branch.depth).collect();
        let average = depths.iter().sum::<usize>() as f64 / 1600.0;
        assert!((3.0..5.5).contains(&average), "{average} directories deep");
        let most = tree.branches().iter().map(|branch| branch.files.len()).max().unwrap();
        assert!((50..500).contains(&most), "{most} files in a directory");
        let copy = Tree::of(&settings(24_000, 1), Copied::Copy);
        assert_eq!(copy.leaves().len(), 12_000);
        let share = copy.bytes() as f64 / tree.bytes() as f64;
        assert!((0.45..0.55).contains(&share), "{share} of the bytes");
        assert_eq!((tree.root_name(), copy.root_name()), (c"tree.0", c"tree.1"));
    }

    proptest! {
        #[test]
        fn every_tree_is_whole(files in 1_u64..3000, seed: u64) {
            for copied in [Copied::Original, Copied::Copy] {
                let tree = Tree::of(&settings(files, seed), copied);
                let expected = if copied == Copied::Copy { files.div_ceil(2) } else { files };
                prop_assert_eq!(tree.leaves().len() as u64, expected);
                prop_assert_eq!(tree.branches()[0].depth, 0);
                prop_assert!(tree.branches()[1..].iter().all(|branch| (1..MOST_DEPTH).contains(&branch.depth)));
                prop_assert!(tree.branches().windows(2).all(|pair| pair[1].depth <= pair[0].depth + 1));
                prop_assert!(tree.branches().windows(2).all(|pair| pair[1].files.start == pair[0].files.end));
                prop_assert_eq!(tree.branches()[tree.branches().len() - 1].files.end as u64, expected);
                let names: BTreeSet<&CStr> = tree.leaves().iter().map(Leaf::name).collect();
                prop_assert_eq!(names.len() as u64, expected);
            }
        }

        #[test]
        fn every_seed_has_the_same_sum_of_sizes(seed: u64) {
            prop_assert_eq!(Tree::of(&settings(777, seed), Copied::Original).bytes(), SOURCE_TREE.sum(777));
        }
    }
}
