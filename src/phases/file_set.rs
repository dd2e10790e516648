//! File sets: their names, sizes, orders and directories, all made before the clock starts.

mod sizes;
mod tenth;

pub use sizes::Tenth;

use super::block_file::share;
use super::duplicates::{Duplicates, Marks};
use super::entry::Entry;
use super::error::PhaseError;
use super::links::LinkSet;
use super::procedure::memory_of_threads;
use super::stamp::{Generation, Origin, Stamps};
use super::{Job, Survey, Tally, Work};
use crate::model::phase::Phase;
use crate::model::plan::Plan;
use crate::model::settings::{Links, SequentialOrder, Settings, SyncAt};
use crate::rng::{Permutation, hash64, mix_all};
use crate::target::scratch::{FILE_NUMBER_DIGITS, FileSetKind, set_directory_name};
use crate::target::{Handle, Target};
use sizes::Sizes;
use std::ffi::{CStr, CString};
use std::io;
use std::sync::Arc;

/// In which order the files of a worker are met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// By their numbers.
    Index,
    /// In a permutation of this purpose.
    Shuffled(&'static str),
}

/// A worker's part of a file set: its open directories, and its files in the order in which they are to be met.
#[derive(Debug, Clone)]
pub struct Part {
    worker: u64,
    directories: Arc<[Handle]>,
    /// The files.
    pub entries: Arc<[Entry]>,
}

impl Part {
    /// The directory that a file of it lies in.
    #[inline]
    #[must_use]
    pub fn directory_of(&self, set: FileSet, entry: &Entry) -> &Handle {
        &self.directories[set.directory(entry.number)]
    }
}

/// A file set of a plan.
#[derive(Debug, Clone, Copy)]
pub struct FileSet {
    kind: FileSetKind,
    seed: u64,
    files: u64,
    dirs: u64,
    workers: u64,
    duplicates: Duplicates,
    links: Links,
    sizes: Sizes,
    names: u64,
}

impl FileSet {
    /// One of the two file sets of some settings, as it is made.
    #[must_use]
    pub fn of(settings: &Settings, kind: FileSetKind) -> Self {
        Self {
            kind,
            seed: settings.seed,
            files: settings.files,
            dirs: settings.dirs,
            workers: settings.workers,
            duplicates: Duplicates::of(settings),
            links: settings.links,
            sizes: Sizes::of(settings, kind),
            names: mix_all(&[settings.seed, hash64(kind.name().as_bytes())]),
        }
    }

    /// How many files it has.
    #[must_use]
    pub const fn files(&self) -> u64 {
        self.files
    }

    /// The same set as a phase meets it: with other sizes and generations where a rewrite stands before that phase.
    #[must_use]
    pub fn met_by(self, phase: Phase, settings: &Settings) -> Self {
        let is_rewritten = settings.phases.last_before(phase, &[Phase::FileRewrite]).is_some();
        if is_rewritten && self.kind == FileSetKind::Sequential { self.rewritten() } else { self }
    }

    /// The same set when a tenth of it was rewritten.
    #[must_use]
    pub const fn rewritten(self) -> Self {
        Self { sizes: self.sizes.rewritten(), ..self }
    }

    /// Bytes of a file.
    #[must_use]
    pub fn size(&self, number: u32) -> u64 {
        self.sizes.size(number)
    }

    /// Its duplicate blocks.
    #[must_use]
    pub const fn duplicates(&self) -> Duplicates {
        self.duplicates
    }

    /// What stamps a file.
    #[must_use]
    pub fn marks(&self, stamps: &Stamps, number: u32) -> Marks {
        Marks::of(stamps, self.origin(number), self.duplicates)
    }

    /// Which file it is in the stamps.
    #[must_use]
    pub fn origin(&self, number: u32) -> Origin {
        let set: u64 = match self.kind {
            FileSetKind::Sequential => 1,
            FileSetKind::Random => 2,
        };
        let generation = if self.sizes.was_rewritten(number) { Generation::Rewritten } else { Generation::Written };
        Origin { file: (set << 40) | u64::from(number), generation }
    }

    /// Which of its worker's directories a file lies in.
    #[inline]
    const fn directory(&self, number: u32) -> usize {
        (number as u64 % self.dirs) as usize
    }

    /// A file by its number.
    fn entry(&self, number: u32) -> Entry {
        Entry::of(self.kind, self.names, number)
    }

    /// What the entries of a worker are, which are handed over in index order.
    #[must_use]
    pub fn links(&self, entries: &[Entry]) -> LinkSet {
        LinkSet::of(self.links, self.dirs, entries)
    }

    /// The files of a worker, in the order in which they are to be met.
    fn entries(&self, worker: u64, order: Order) -> Arc<[Entry]> {
        let share = share(self.files, worker, self.workers);
        let length = share.end - share.start;
        match order {
            Order::Index => share.map(|number| self.entry(number as u32)).collect(),
            Order::Shuffled(purpose) => {
                let places = Permutation::of(length.max(1), self.seed, purpose);
                (0..length).map(|index| self.entry((share.start + places.at(index)) as u32)).collect()
            }
        }
    }

    /// The files of a worker in the order of the listings of its directories.
    ///
    /// # Errors
    /// When a name was listed that is no file of the set.
    fn listed_entries(&self, listings: &[Vec<CString>]) -> Result<Arc<[Entry]>, PhaseError> {
        let entry = |name: &CString| {
            let digits = name.to_bytes().get(..FILE_NUMBER_DIGITS).and_then(|digits| std::str::from_utf8(digits).ok());
            let number = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
            let entry = number.map(|number| self.entry(number)).filter(|entry| entry.name() == name.as_c_str());
            entry.ok_or_else(|| PhaseError::Call {
                doing: format!("list the files: {}", name.to_string_lossy()),
                source: io::Error::other("not a file of this run"),
            })
        };
        listings.iter().flatten().map(entry).collect()
    }

    /// The parts of all workers for stat and delete: as listed where the directories were listed, else in `order`.
    ///
    /// # Errors
    /// When a directory cannot be opened, or a name was listed that is no file of the set.
    pub fn parts(&self, target: &dyn Target, order: Order, survey: &Survey) -> Result<Vec<Part>, PhaseError> {
        let part = |worker| {
            let entries = match survey.get(worker as usize) {
                Some(listings) => self.listed_entries(listings)?,
                None => self.entries(worker, order),
            };
            Ok(Part { worker, directories: self.open_directories(target, worker)?, entries })
        };
        (0..self.workers).map(part).collect()
    }

    /// Makes the directories of all workers, and gives the parts for create.
    ///
    /// # Errors
    /// When a directory cannot be made or opened.
    pub fn new_parts(&self, target: &dyn Target) -> Result<Vec<Part>, PhaseError> {
        let part = |worker| {
            self.make_directories(target, worker)?;
            Ok(Part { worker, directories: self.open_directories(target, worker)?, entries: self.entries(worker, Order::Index) })
        };
        (0..self.workers).map(part).collect()
    }

    /// The names of a worker's directories.
    fn directory_names(&self, worker: u64) -> impl Iterator<Item = CString> {
        let kind = self.kind;
        (0..self.dirs).map(move |directory| set_directory_name(kind, worker, directory))
    }

    /// Makes a worker's directories.
    ///
    /// # Errors
    /// Names the directory.
    fn make_directories(&self, target: &dyn Target, worker: u64) -> Result<(), PhaseError> {
        self.directory_names(worker)
            .try_for_each(|name| target.make_directory(target.root(), &name).map_err(|source| directory_failed("make", &name, source)))
    }

    /// Opens a worker's directories.
    ///
    /// # Errors
    /// Names the directory.
    fn open_directories(&self, target: &dyn Target, worker: u64) -> Result<Arc<[Handle]>, PhaseError> {
        let open = |name: CString| target.open_directory(target.root(), &name).map_err(|source| directory_failed("open", &name, source));
        self.directory_names(worker).map(open).collect()
    }

    /// Lists a worker's directories.
    ///
    /// # Errors
    /// Names the directory.
    fn list_directories(&self, target: &dyn Target, worker: u64) -> Result<Vec<Vec<CString>>, PhaseError> {
        let directories = self.open_directories(target, worker)?;
        let named = self.directory_names(worker).zip(directories.iter());
        named.map(|(name, directory)| target.list(directory).map_err(|source| directory_failed("list", &name, source))).collect()
    }

    /// Flushes the directories of a part one by one.
    ///
    /// # Errors
    /// Names the directory.
    pub fn flush_directories(&self, target: &dyn Target, part: &Part) -> Result<(), PhaseError> {
        let mut named = self.directory_names(part.worker).zip(part.directories.iter());
        named.try_for_each(|(name, directory)| target.sync(directory).map_err(|source| directory_failed("flush", &name, source)))
    }

    /// Flushes the directory in which an entry was made or removed, where the plan wants that after every change.
    ///
    /// # Errors
    /// Names the entry.
    pub fn sync_change(&self, job: Job<'_>, directory: &Handle, entry: &Entry) -> Result<(), PhaseError> {
        match job.plan.settings.sync {
            SyncAt::End | SyncAt::Open | SyncAt::Dirs => Ok(()),
            SyncAt::Every => job.target.sync(directory).map_err(|source| self.failed("flush the directory of", entry, source)),
        }
    }

    /// The work of a worker that visits each file of its part once, with its tally; `visit` gives the bytes of data that it moved.
    pub fn work<'t>(
        self,
        job: Job<'t>,
        part: Part,
        mut visit: impl FnMut(&Handle, &Entry) -> Result<u64, PhaseError> + Send + 't,
    ) -> (Work<'t>, Tally<'t>) {
        let tally = Tally::of_known(job, part.entries.len() as u64);
        let work = move |tally: &mut Tally<'t>| {
            for entry in part.entries.iter() {
                tally.bytes += visit(part.directory_of(self, entry), entry)?;
                tally.operation(1)?;
            }
            tally.finish();
            Ok(())
        };
        (Box::new(work), tally)
    }

    /// A failed call on a file: `create file 17 of 8192, sequential.0.0/0000000011x`.
    #[cold]
    #[must_use]
    pub fn failed(&self, verb: &str, entry: &Entry, source: io::Error) -> PhaseError {
        PhaseError::Call { doing: self.doing(verb, entry), source }
    }

    /// A failed transfer at an offset of a file: `write file 17 of 8192, sequential.0.0/0000000011x, at byte 65536`.
    #[cold]
    #[must_use]
    pub fn transfer_failed(&self, verb: &str, entry: &Entry, offset: u64, source: io::Error) -> PhaseError {
        PhaseError::Call { doing: format!("{}, at byte {offset}", self.doing(verb, entry)), source }
    }

    /// What is being done to a file.
    #[must_use]
    pub fn doing(&self, verb: &str, entry: &Entry) -> String {
        let number = u64::from(entry.number);
        let worker = (0..self.workers).find(|worker| share(self.files, *worker, self.workers).contains(&number)).unwrap_or_default();
        let directory = set_directory_name(self.kind, worker, self.directory(entry.number) as u64);
        format!("{verb} file {number} of {}, {}/{}", self.files, directory.to_string_lossy(), entry.name().to_string_lossy())
    }
}

/// A failed call on a directory of a file set: `make the directory sequential.0.0`.
#[cold]
fn directory_failed(verb: &str, name: &CStr, source: io::Error) -> PhaseError {
    PhaseError::Call { doing: format!("{verb} the directory {}", name.to_string_lossy()), source }
}

/// Bytes that must at least have been read to look at so many entries: each file counts its least inode, each hard link, which has
/// none of its own, its least directory entry.
#[must_use]
pub const fn least_metadata(plan: &Plan, entries: u64) -> u64 {
    /// The smallest inode of the common filesystems: what a cold stat must at least have read.
    const LEAST_INODE: u64 = 128;
    /// A name of ten letters and the number of an inode.
    const LEAST_ENTRY: u64 = 16;
    match plan.settings.links {
        Links::None | Links::Symbolic => entries * LEAST_INODE,
        Links::Hard => entries * LEAST_ENTRY,
    }
}

/// Bytes of memory for the names of a file set and the threads that work on it.
#[must_use]
pub const fn memory_needed(settings: &Settings) -> u64 {
    /// A name and its number, kept once.
    const ENTRY_BYTES: u64 = size_of::<Entry>() as u64;
    /// A name as it is listed: in a list that may have twice the room, and its letters. Then it is put among the entries, whose list
    /// grows in the same way and is copied when it is whole.
    const LISTED_BYTES: u64 = 2 * size_of::<(CString, u64)>() as u64 + 32 + 2 * ENTRY_BYTES;
    let listed = if matches!(settings.sequential_order, SequentialOrder::Readdir) { LISTED_BYTES } else { 0 };
    let transfer = if settings.file_chunk_size > settings.chunk_size { settings.file_chunk_size } else { settings.chunk_size };
    settings.files.saturating_mul(ENTRY_BYTES + listed).saturating_add(memory_of_threads(settings, settings.workers, transfer))
}

/// Lists the directories of a file set whose order is that of its listings; nothing of the other one, whose names are random.
///
/// # Errors
/// When a directory cannot be listed.
pub fn survey(job: Job<'_>, kind: FileSetKind) -> Result<Survey, PhaseError> {
    let settings = &job.plan.settings;
    if kind == FileSetKind::Random || settings.sequential_order == SequentialOrder::Index {
        return Ok(Survey::new());
    }
    let set = FileSet::of(settings, kind);
    (0..settings.workers).map(|worker| set.list_directories(job.target, worker)).collect()
}

/// Flushes the whole filesystem of a target.
///
/// # Errors
/// When the flush fails.
pub fn flush_filesystem(target: &dyn Target) -> Result<(), PhaseError> {
    target.flush().map_err(|source| PhaseError::Call { doing: "flush the filesystem".to_owned(), source })
}

/// Removes what is left of a file set, with its directories, off the clock.
pub fn remove(job: Job<'_>, kind: FileSetKind) {
    let set = FileSet::of(&job.plan.settings, kind);
    for worker in 0..set.workers {
        for name in set.directory_names(worker) {
            // What is left here is named when the run gives its ground back.
            let Ok(directory) = job.target.open_directory(job.target.root(), &name) else {
                continue;
            };
            for file in job.target.list(&directory).unwrap_or_default() {
                let _ = job.target.unlink(&directory, &file);
            }
            let _ = job.target.remove_directory(job.target.root(), &name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn set(kind: FileSetKind, files: u64, seed: u64) -> FileSet {
        let settings = Settings { files, seed, min_size: 10, max_size: 1000, dirs: 3, workers: 2, ..Settings::default() };
        FileSet::of(&settings, kind)
    }

    proptest! {
        #[test]
        fn every_order_meets_each_file_once(files in 2_u64..500, seed: u64) {
            let set = set(FileSetKind::Random, files, seed);
            for order in [Order::Index, Order::Shuffled("a"), Order::Shuffled("b")] {
                let numbers: BTreeSet<u32> = (0..2).flat_map(|worker| set.entries(worker, order).to_vec()).map(|entry| entry.number).collect();
                prop_assert_eq!(numbers.len() as u64, files);
            }
        }
    }
}
