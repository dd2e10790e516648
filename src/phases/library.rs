//! A library: files from small to large in the root, which several threads share, and copies of the large ones.

use super::Job;
use super::duplicates::{Duplicates, Marks};
use super::error::PhaseError;
use super::file_set::flush_filesystem;
use super::procedure::memory_of_threads;
use super::stamp::{Generation, Origin, Stamps};
use crate::model::settings::{Io, Settings};
use crate::model::size_law::LIBRARY;
use crate::rng::Permutation;
use crate::target::scratch::WorkFile;
use crate::target::{Access, FlushMethod, Handle, Target, read_exact};
use std::ffi::CString;
use std::io;

/// The files of the library are numbered in stamps from here.
const FIRST_NUMBER: u64 = 6 << 40;

/// Which files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The library.
    All,
    /// Its largest files, which are copied.
    Larger,
    /// Their copies.
    Copies,
}

/// A file of the library.
#[derive(Debug, Clone)]
pub struct Item {
    /// Its number in the library.
    pub number: u64,
    /// Its bytes.
    pub size: u64,
    name: CString,
}

impl Item {
    /// Calls that move it in pieces of a length.
    #[must_use]
    pub const fn pieces(&self, length: u64) -> u64 {
        self.size.div_ceil(length)
    }

    /// What is being done to it: `write library.17 at byte 1048576`.
    #[cold]
    #[must_use]
    pub fn failed(&self, verb: &str, offset: Option<u64>, source: io::Error) -> PhaseError {
        PhaseError::Call { doing: self.doing(verb, offset), source }
    }

    #[cold]
    fn doing(&self, verb: &str, offset: Option<u64>) -> String {
        let at = offset.map(|offset| format!(" at byte {offset}")).unwrap_or_default();
        format!("{verb} {}{at}", self.name.to_string_lossy())
    }
}

/// The library of some settings.
#[derive(Debug, Clone, Copy)]
pub struct Library {
    files: u64,
    threads: u64,
    larger: u64,
    duplicates: Duplicates,
    places: Permutation,
}

impl Library {
    /// That of some settings.
    #[must_use]
    pub fn of(settings: &Settings) -> Self {
        Self {
            files: settings.library_files,
            threads: settings.library_threads(),
            larger: settings.large_copies().files,
            duplicates: Duplicates::of(settings),
            places: Permutation::of(settings.library_files.max(1), settings.seed, "sizes of a library"),
        }
    }

    /// Some of its files in the order of their numbers, by their names in the library or as copies.
    pub fn items(self, part: Part) -> impl Iterator<Item = Item> {
        let kind = match part {
            Part::All | Part::Larger => WorkFile::Library,
            Part::Copies => WorkFile::Large,
        };
        let is_meant = move |number: &u64| part == Part::All || self.is_large(*number);
        (0..self.files).filter(is_meant).map(move |number| Item { number, size: self.size(number), name: kind.name(number) })
    }

    /// The names of some of its files.
    #[must_use]
    pub fn names(self, part: Part) -> Vec<CString> {
        self.items(part).map(|item| item.name).collect()
    }

    /// The share of one of the threads that write or read it, in the order of their numbers: of each size every thread has as many.
    #[must_use]
    pub fn share(self, thread: u64) -> Vec<Item> {
        self.items(Part::All).filter(|item| self.thread_of(item.number) == thread).collect()
    }

    fn size(self, number: u64) -> u64 {
        LIBRARY.size(self.places.at(number), self.files)
    }

    fn is_large(self, number: u64) -> bool {
        self.places.at(number) >= self.files - self.larger
    }

    /// Files are dealt in the order of their sizes, forwards and backwards in turn, so that the shares have about as many bytes.
    fn thread_of(self, number: u64) -> u64 {
        let place = self.places.at(number);
        let (turn, thread) = (place / self.threads, place % self.threads);
        if turn.is_multiple_of(2) { thread } else { self.threads - 1 - thread }
    }

    /// What stamps a file; a copy has the stamps of what was copied.
    #[must_use]
    pub const fn marks(&self, stamps: &Stamps, item: &Item) -> Marks {
        Marks::of(stamps, origin(item), self.duplicates)
    }

    /// Reads a piece of a file, and checks it.
    ///
    /// # Errors
    /// Names the place, and what stood there instead of what was written.
    #[inline]
    pub fn read(&self, job: Job<'_>, item: &Item, file: &Handle, buffer: &mut [u8], offset: u64) -> Result<(), PhaseError> {
        read_exact(job.target, file, buffer, offset).map_err(|source| item.failed("read", Some(offset), source))?;
        match self.marks(job.stamps, item).first_wrong(buffer, offset) {
            None => Ok(()),
            Some(place) => Err(self.wrong_data(job.stamps, item, buffer, offset, place)),
        }
    }

    #[cold]
    fn wrong_data(&self, stamps: &Stamps, item: &Item, buffer: &[u8], offset: u64, place: usize) -> PhaseError {
        let found = buffer[place..].first_chunk().copied().unwrap_or_default();
        let files: Vec<(u64, u64)> = self.items(Part::All).map(|item| (FIRST_NUMBER | item.number, item.size)).collect();
        let at = offset + place as u64;
        let found = stamps.explain(found, at, origin(item), self.duplicates, &files);
        PhaseError::WrongData { doing: item.doing("read", None), offset: at, found }
    }
}

/// Which file of a run it is in the stamps.
const fn origin(item: &Item) -> Origin {
    Origin { file: FIRST_NUMBER | item.number, generation: Generation::Written }
}

/// Opens or makes a file, through the page cache whatever `io` says: few sizes suit direct I/O.
///
/// # Errors
/// Names the file.
#[inline]
pub fn open(target: &dyn Target, item: &Item, access: Access) -> Result<Handle, PhaseError> {
    let verb = if access.makes() { "create" } else { "open" };
    target.open(target.root(), &item.name, access, Io::Buffered).map_err(|source| item.failed(verb, None, source))
}

/// Flushes files of the root that were made, however their filesystem must be flushed.
///
/// # Errors
/// Names what could not be flushed.
pub fn flush(target: &dyn Target, items: &[Item]) -> Result<(), PhaseError> {
    match target.flush_method() {
        FlushMethod::WholeFilesystem => flush_filesystem(target),
        FlushMethod::EachFile => {
            for item in items {
                let file = open(target, item, Access::ReadWrite)?;
                let flushed = target.sync(&file).and_then(|()| target.close(file));
                flushed.map_err(|source| item.failed("flush", None, source))?;
            }
            let flushed = target.sync(target.root());
            flushed.map_err(|source| PhaseError::Call { doing: "flush the directory of the run".to_owned(), source })
        }
    }
}

/// Bytes of memory for the names, and the buffers of all threads.
#[must_use]
pub fn memory_needed(settings: &Settings) -> u64 {
    /// An item, and the name that lies elsewhere.
    const ITEM_BYTES: u64 = size_of::<Item>() as u64 + 32;
    let items = settings.library_files.saturating_mul(2 * ITEM_BYTES);
    items.saturating_add(memory_of_threads(settings, settings.library_threads(), settings.chunk_size))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(seed: u64) -> Settings {
        Settings { library_files: 220, seed, ..Settings::default() }
    }

    #[test]
    fn every_thread_has_as_many_bytes() {
        for seed in [1, 9] {
            let library = Library::of(&settings(seed));
            let bytes: Vec<u64> = (0..5).map(|thread| library.share(thread).iter().map(|item| item.size).sum()).collect();
            assert_eq!(bytes.iter().sum::<u64>(), LIBRARY.sum(220));
            let (least, most) = (bytes.iter().min().unwrap(), bytes.iter().max().unwrap());
            assert!((*most as f64) < 1.1 * *least as f64, "{bytes:?}");
        }
    }

    #[test]
    fn the_copies_are_the_largest_files() {
        let library = Library::of(&settings(1));
        let (larger, copies): (Vec<Item>, Vec<Item>) = (library.items(Part::Larger).collect(), library.items(Part::Copies).collect());
        assert_eq!(larger.iter().map(|item| item.size).sum::<u64>(), settings(1).large_copies().bytes);
        let least = larger.iter().map(|item| item.size).min().unwrap();
        assert_eq!(library.items(Part::All).filter(|item| item.size >= least).count(), larger.len());
        let number = larger[0].number;
        assert_eq!((copies[0].number, copies[0].size), (number, larger[0].size));
        assert_eq!((&larger[0].name, &copies[0].name), (&WorkFile::Library.name(number), &WorkFile::Large.name(number)));
    }
}
