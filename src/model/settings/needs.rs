//! What the files of a run need at the most: bytes, blocks and inodes.

use super::{Links, Settings};
use crate::model::phase::Files;

/// Bytes of one write of `dsync_write`: those of `dd oflag=dsync bs=512 count=1000`, which people publish.
pub const DSYNC_WRITE_BYTES: u64 = 512;
/// Bytes of one write of `fsync_write`: a page, which databases flush.
pub const FSYNC_WRITE_BYTES: u64 = 4096;
/// A file of each kind of flushed writes.
const SYNC_FILES: u64 = 2;
/// The space that a small file takes at least on the common filesystems.
const ALLOCATION_BYTES: u64 = 4096;

impl Settings {
    /// Whether any phase that is done works on these files.
    #[must_use]
    pub fn uses(&self, files: Files) -> bool {
        self.phases.iter().any(|phase| self.leaves_out(*phase).is_none() && phase.row().group.files() == Some(files))
    }

    /// Bytes of one transfer of the content of files at the most; 0 where no file has content.
    #[must_use]
    pub fn file_transfer(&self) -> u64 {
        let chunk_size = if self.file_chunk_size > 0 { self.file_chunk_size } else { self.chunk_size };
        chunk_size.min(self.max_size)
    }

    /// The entries of a file set that are files, and not links to one: with links the first of each directory of each worker.
    #[must_use]
    pub fn files_that_are_no_links(&self) -> u64 {
        if self.links == Links::None {
            return self.files;
        }
        // The first workers have one more where they do not divide.
        let workers = self.workers.max(1);
        let (each, more) = (self.files / workers, self.files % workers);
        let firsts = |share: u64, workers: u64| share.min(self.dirs).saturating_mul(workers);
        firsts(each, workers - more).saturating_add(firsts(each + 1, more))
    }

    /// Bytes that a run has on disk at the most: those of one kind of files are removed before the next are made.
    #[must_use]
    pub fn most_bytes(&self) -> u64 {
        Files::ALL.iter().filter(|files| self.uses(**files)).map(|files| self.bytes_of(*files)).max().unwrap_or(0)
    }

    /// Bytes of one kind of files at the most.
    #[must_use]
    pub fn bytes_of(&self, files: Files) -> u64 {
        match files {
            Files::Block | Files::Transfer => self.file_size,
            Files::Sequential | Files::Random => self.file_set_bytes(),
            Files::Sync => self.sync_writes.saturating_mul(DSYNC_WRITE_BYTES + FSYNC_WRITE_BYTES),
            Files::Server => self.clients.saturating_mul(self.needs_of_client().bytes),
            Files::Tree => self.tree_at_most().bytes,
            Files::Device | Files::Command => 0,
        }
    }

    /// The space that the files of a run take at the most: small files take whole blocks.
    #[must_use]
    pub fn most_allocated_bytes(&self) -> u64 {
        let of = |files: &Files| {
            let small = if self.max_size > 0 { self.files.saturating_mul(ALLOCATION_BYTES) } else { 0 };
            match files {
                Files::Sequential | Files::Random => self.bytes_of(*files).saturating_add(small),
                Files::Sync => self.bytes_of(*files).saturating_add(SYNC_FILES * ALLOCATION_BYTES),
                Files::Server => self.bytes_of(*files).saturating_add(self.inodes_of(*files).saturating_mul(ALLOCATION_BYTES)),
                Files::Tree => {
                    let most = self.tree_at_most();
                    let entries = most.files.saturating_add(most.directories);
                    most.bytes.saturating_add(entries.saturating_mul(ALLOCATION_BYTES))
                }
                other => self.bytes_of(*other),
            }
        };
        Files::ALL.iter().filter(|files| self.uses(**files)).map(of).max().unwrap_or(0)
    }

    /// Files of one kind at the most, and directories, each of which takes an inode.
    #[must_use]
    pub fn inodes_of(&self, files: Files) -> u64 {
        let directories = self.dirs.saturating_mul(self.workers);
        match files {
            Files::Block => self.workers,
            Files::Sequential | Files::Random => directories.saturating_add(match self.links {
                Links::None | Links::Symbolic => self.files,
                Links::Hard => self.files_that_are_no_links(),
            }),
            Files::Sync => SYNC_FILES,
            Files::Transfer => self.transfer_files(),
            Files::Server => self.clients.saturating_mul(self.needs_of_client().inodes),
            Files::Tree => {
                let most = self.tree_at_most();
                most.files.saturating_add(most.directories)
            }
            Files::Device | Files::Command => 0,
        }
    }

    /// Inodes that a run takes at the most.
    #[must_use]
    pub fn most_inodes(&self) -> u64 {
        Files::ALL.iter().filter(|files| self.uses(**files)).map(|files| self.inodes_of(*files)).max().unwrap_or(0)
    }

    /// Files and directories that a run makes in all, and the bytes of data that it fills them with, each once.
    #[must_use]
    pub fn made_in_all(&self) -> (u64, u64) {
        let used = || Files::ALL.iter().filter(|files| self.uses(**files));
        let sum = |of: fn(&Self, Files) -> u64| used().map(|files| of(self, *files)).fold(0, u64::saturating_add);
        (sum(Self::inodes_of), sum(Self::bytes_of))
    }

    /// Bytes of a file set at the most: sizes are evenly spaced from `min_size` to `max_size`, each rounded down to a byte.
    #[must_use]
    pub fn file_set_bytes(&self) -> u64 {
        if self.files < 2 {
            return self.files.saturating_mul(self.max_size);
        }
        let twice = u128::from(self.files) * (u128::from(self.min_size) + u128::from(self.max_size));
        u64::try_from(twice / 2).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::phase::Phase;
    use crate::model::settings::PhaseList;

    #[test]
    fn what_a_run_makes_is_the_sum_of_its_files() {
        let set = |phases| {
            let phases = PhaseList::try_from(phases).unwrap();
            Settings { phases, files: 100, dirs: 3, min_size: 10, max_size: 20, ..Settings::default() }.made_in_all()
        };
        assert_eq!(set(vec![Phase::SeqCreate, Phase::FileRewrite]), (103, 1500));
        assert_eq!(set(Phase::STANDARD.to_vec()), (206, 3000));
    }

    #[test]
    fn with_links_the_first_of_each_directory_is_a_file() {
        let set = |files, dirs, workers, links| Settings { files, dirs, workers, links, ..Settings::default() }.files_that_are_no_links();
        assert_eq!(set(1000, 3, 2, Links::None), 1000);
        assert_eq!(set(1000, 3, 2, Links::Hard), 6);
        assert_eq!(set(7, 3, 3, Links::Symbolic), 3 + 2 + 2);
    }
}
