//! Whether the values of the keys are in range and go together.

use super::tree::MOST_TREE_FILES;
use super::{BLOCK_BYTES, DSYNC_WRITE_BYTES, Links, Settings, SettingsError};
use crate::model::phase::{Files, Group, Phase, needed_before};
use crate::model::slices::MOST_SLICES;
use crate::units::exact_size;

/// The most workers, seekers or directories: each is a thread or an open descriptor.
const MOST_THREADS: u64 = 1024;
const MOST_DIRS: u64 = 100_000;
/// A day of seeks.
const MOST_SEEK_SECONDS: u64 = 86_400;
/// Days of writes that are flushed one by one, on whatever device.
const MOST_SYNC_WRITES: u64 = 1 << 32;
/// More files than any profile has by far; names have ten hexadecimal digits.
const MOST_FILES: u64 = 1 << 32;
/// The distance of the stamps in the data, so the least unit of a block file; direct I/O may need a larger one, which only the
/// filesystem can tell.
const STAMP_SPACING: u64 = 512;
/// So many files have tenths that can be rewritten with other sizes, and read.
const LEAST_WITH_TENTHS: u64 = 20;

impl Settings {
    /// Checks that the values are in range and go together.
    ///
    /// # Errors
    /// The first key that does not fit, with the numbers.
    pub fn check(&self) -> Result<(), SettingsError> {
        let unfit = |key, problem| Err(SettingsError::Unfit { key, problem });
        if self.runs == 0 {
            return unfit("runs", "0 runs measure nothing; ask for at least 1".to_owned());
        }
        if self.phases.is_empty() {
            return unfit("phases", "no phase measures nothing".to_owned());
        }
        let left_out: Vec<&'static str> = self.phases.iter().filter_map(|phase| self.leaves_out(*phase)).collect();
        if left_out.len() == self.phases.len() {
            let mut reasons: Vec<&'static str> = Vec::new();
            left_out.into_iter().for_each(|reason| {
                if !reasons.contains(&reason) {
                    reasons.push(reason)
                }
            });
            let key = reasons.first().and_then(|reason| reason.split(' ').next()).unwrap_or("phases");
            return unfit(key, format!("{} leave nothing to measure", reasons.join(" and ")));
        }
        for (key, value, least, most) in [
            ("workers", self.workers, 1, MOST_THREADS),
            ("seekers", self.seekers, 1, MOST_THREADS),
            ("dirs", self.dirs, 1, MOST_DIRS),
            ("seek_rewrite_percent", self.seek_rewrite_percent, 0, 100),
            ("compressible", self.compressible, 0, 100),
            ("dedupe", self.dedupe, 0, 100),
            ("files", self.files, 0, MOST_FILES),
            ("seek_seconds", self.seek_seconds, 0, MOST_SEEK_SECONDS),
            ("transfer_seconds", self.transfer_seconds, 0, MOST_SEEK_SECONDS),
            ("sync_writes", self.sync_writes, 0, MOST_SYNC_WRITES),
            ("tree_files", self.tree_files, 0, MOST_TREE_FILES),
            ("library_files", self.library_files, 0, MOST_TREE_FILES),
        ] {
            if value < least || value > most {
                return unfit(key, format!("{value} is not in {least} to {most}"));
            }
        }
        self.check_block_file()?;
        self.check_transfers()?;
        self.check_sync_writes()?;
        self.check_file_set()?;
        self.check_order()?;
        self.check_server()?;
        self.check_device()?;
        self.check_commands()
    }

    /// Every phase stands behind one that makes its files.
    fn check_order(&self) -> Result<(), SettingsError> {
        for phase in self.phases.iter() {
            let makers = needed_before(*phase);
            if !makers.is_empty() && self.phases.last_before(*phase, makers).is_none() {
                let names: Vec<&str> = makers.iter().map(|maker| maker.name()).collect();
                let problem = format!("{} needs {} before it", phase.name(), names.join(" or "));
                return Err(SettingsError::Unfit { key: "phases", problem });
            }
            let remover = match phase.row().group {
                Group::Sequential | Group::Small => Some(Phase::SeqDelete),
                Group::Random => Some(Phase::RandomDelete),
                Group::Block
                | Group::Seek
                | Group::Character
                | Group::Sync
                | Group::Transfer
                | Group::Server
                | Group::Tree
                | Group::Large
                | Group::Device
                | Group::Command => None,
            };
            if let Some(remover) = remover.filter(|remover| self.phases.last_before(*phase, &[*remover]).is_some()) {
                let problem = format!("{} finds no files behind {}", phase.name(), remover.name());
                return Err(SettingsError::Unfit { key: "phases", problem });
            }
        }
        Ok(())
    }

    /// A device is read by itself, in whole chunks.
    fn check_device(&self) -> Result<(), SettingsError> {
        let unfit = |key, problem| Err(SettingsError::Unfit { key, problem });
        if !self.phases.has(Group::Device) {
            return Ok(());
        }
        if let Some(other) = self.phases.iter().find(|phase| phase.row().group != Group::Device) {
            return unfit("phases", format!("{} needs a filesystem, and the phases of a device stand alone", other.name()));
        }
        // Direct I/O goes in logical blocks, which are at most so large nearly everywhere.
        if !self.chunk_size.is_multiple_of(BLOCK_BYTES) {
            return unfit("chunk_size", format!("{} is not a multiple of 4k, in which devices are read", exact_size(self.chunk_size)));
        }
        let chunk_size = exact_size(self.chunk_size);
        for (key, value) in [("place_size", self.place_size), ("sweep_size", self.sweep_size)] {
            if !value.is_multiple_of(self.chunk_size) {
                return unfit(key, format!("{} is not a multiple of chunk_size = {chunk_size}", exact_size(value)));
            }
        }
        if self.sweep_places == 1 || self.sweep_places > MOST_SLICES as u64 {
            return unfit("sweep_places", format!("{} is not in 2 to {MOST_SLICES}, and not 0", self.sweep_places));
        }
        if self.sweep_places > 0 && self.sweep_size == 0 {
            return unfit("sweep_size", "0 bytes at each place measure nothing".to_owned());
        }
        Ok(())
    }

    /// Every phase that runs a program has one, and every program a phase.
    fn check_commands(&self) -> Result<(), SettingsError> {
        let unfit = |problem| Err(SettingsError::Unfit { key: "commands", problem });
        for phase in self.phases.iter() {
            if let Phase::Command(name) = phase
                && self.commands.iter().filter(|command| command.name == name.short()).count() != 1
            {
                return unfit(format!("{} needs one command of that name", phase.name()));
            }
        }
        for command in &self.commands {
            if let Err(problem) = command.check() {
                return unfit(problem);
            }
            if !self.phases.iter().any(|phase| matches!(phase, Phase::Command(name) if name.short() == command.name)) {
                return unfit(format!("{} has no phase", command.name));
            }
        }
        Ok(())
    }

    /// What every transfer must be a multiple of in bytes, and why where that is not so for all plans.
    pub(super) const fn least_transfer(&self) -> (u64, &'static str) {
        if self.has_plain_data() { (STAMP_SPACING, "") } else { (BLOCK_BYTES, " (the blocks of compressible and dedupe)") }
    }

    fn check_block_file(&self) -> Result<(), SettingsError> {
        let unfit = |key, problem| Err(SettingsError::Unfit { key, problem });
        let (unit, why) = self.least_transfer();
        for (key, value) in [("chunk_size", self.chunk_size), ("seek_size", self.seek_size)] {
            if value == 0 || !value.is_multiple_of(unit) || value > 1 << 30 {
                let problem = format!("{} is not a multiple of {unit} bytes up to 1g{why}", exact_size(value));
                return unfit(key, problem);
            }
        }
        if self.file_size == 0 || !self.uses(Files::Block) {
            return Ok(());
        }
        let file_size = exact_size(self.file_size);
        for (key, value) in [("chunk_size", self.chunk_size), ("seek_size", self.seek_size)] {
            if value > self.file_size {
                return unfit(key, format!("{} is larger than file_size = {file_size}", exact_size(value)));
            }
            if !self.file_size.is_multiple_of(value) {
                return unfit("file_size", format!("{file_size} is not a multiple of {key} = {}", exact_size(value)));
            }
        }
        if self.workers > 1 && !self.chunk_size.is_multiple_of(self.seek_size) {
            return unfit("seek_size", format!("with {} workers chunk_size must be a multiple of seek_size", self.workers));
        }
        if self.file_size / self.chunk_size < self.workers {
            return unfit("workers", format!("{} workers cannot share {} chunks", self.workers, self.file_size / self.chunk_size));
        }
        if self.seeks == 0 && self.seek_seconds == 0 {
            return unfit("seeks", "seeks = 0 and seek_seconds = 0 leave no seeks to do".to_owned());
        }
        Ok(())
    }

    /// Blocks of zeros or duplicates are larger than a write of `dsync_write`.
    fn check_sync_writes(&self) -> Result<(), SettingsError> {
        let (unit, why) = self.least_transfer();
        let is_done = self.phases.place(Phase::DsyncWrite).is_some() && self.leaves_out(Phase::DsyncWrite).is_none();
        if is_done && !DSYNC_WRITE_BYTES.is_multiple_of(unit) {
            let problem = format!("dsync_write writes {DSYNC_WRITE_BYTES} bytes, no multiple of {unit}{why}");
            return Err(SettingsError::Unfit { key: "phases", problem });
        }
        Ok(())
    }

    fn check_file_set(&self) -> Result<(), SettingsError> {
        let unfit = |key, problem| Err(SettingsError::Unfit { key, problem });
        if self.min_size > self.max_size {
            return unfit("min_size", format!("{} is larger than max_size = {}", exact_size(self.min_size), exact_size(self.max_size)));
        }
        if self.links != Links::None && self.max_size > 0 {
            return unfit("links", format!("they lead to empty files, and max_size is {}", exact_size(self.max_size)));
        }
        let (unit, why) = self.least_transfer();
        if !self.file_chunk_size.is_multiple_of(unit) || self.file_chunk_size > 1 << 30 {
            let problem = format!("{} is not a multiple of {unit} bytes up to 1g{why}", exact_size(self.file_chunk_size));
            return unfit("file_chunk_size", problem);
        }
        if self.files > 0 && self.files < self.workers {
            return unfit("workers", format!("{} workers cannot share {} files", self.workers, self.files));
        }
        if self.files > 0 && self.phases.has(Group::Small) {
            if self.files < LEAST_WITH_TENTHS {
                return unfit("files", format!("{} have no tenths to rewrite and read; take at least {LEAST_WITH_TENTHS}", self.files));
            }
            if self.links != Links::None {
                return unfit("links", "file_rewrite and file_read work on files, not on links".to_owned());
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::settings::{Io, PhaseList};

    #[test]
    fn what_does_not_go_together_is_named() {
        let good = Settings { file_size: 1 << 30, files: 1024, ..Settings::default() };
        assert_eq!(good.check(), Ok(()));
        let cases: [(&str, Settings); 15] = [
            ("runs", Settings { runs: 0, ..good.clone() }),
            ("chunk_size", Settings { chunk_size: 2 << 30, ..good.clone() }),
            ("chunk_size", Settings { chunk_size: 1000, ..good.clone() }),
            ("chunk_size", Settings { file_size: 1 << 19, ..good.clone() }),
            ("compressible", Settings { compressible: 101, ..good.clone() }),
            ("dedupe", Settings { dedupe: 101, ..good.clone() }),
            ("seek_size", Settings { seek_size: 512, compressible: 1, ..good.clone() }),
            ("chunk_size", Settings { chunk_size: 512, dedupe: 1, ..good.clone() }),
            ("min_size", Settings { min_size: 2, max_size: 1, ..good.clone() }),
            ("links", Settings { links: Links::Hard, max_size: 1, ..good.clone() }),
            ("file_chunk_size", Settings { file_chunk_size: 1000, ..good.clone() }),
            ("file_chunk_size", Settings { file_chunk_size: 2 << 30, ..good.clone() }),
            ("workers", Settings { workers: 2000, ..good.clone() }),
            ("workers", Settings { files: 1, workers: 2, ..good.clone() }),
            ("file_size", Settings { file_size: 0, files: 0, ..good.clone() }),
        ];
        for (key, settings) in cases {
            let error = settings.check().unwrap_err();
            assert!(error.to_string().starts_with(&format!("{key}: ")), "{key}: {error}");
        }
    }

    #[test]
    fn phases_that_find_no_files_are_refused() {
        let of = |phases: &str| PhaseList::try_from(phases.split(',').map(|name| Phase::named(name).unwrap()).collect::<Vec<_>>()).unwrap();
        let set = |phases, files, links| Settings { phases: of(phases), files, links, ..Settings::default() }.check();
        assert_eq!(set("seq_create,file_rewrite,file_read", 20, Links::None), Ok(()));
        for (phases, files, links, words) in [
            ("seq_create,seq_delete,file_read", 20, Links::None, "phases: file_read finds no files behind seq_delete"),
            ("random_create,random_delete,random_stat", 20, Links::None, "phases: random_stat finds no files behind random_delete"),
            ("file_rewrite", 20, Links::None, "phases: file_rewrite needs seq_create before it"),
            ("seq_create,file_read", 19, Links::None, "files: 19 have no tenths"),
            ("seq_create,file_rewrite", 20, Links::Hard, "links: file_rewrite and file_read work on files"),
        ] {
            let error = set(phases, files, links).unwrap_err().to_string();
            assert!(error.starts_with(words), "{error}");
        }
    }

    #[test]
    fn flushed_writes_and_transfers_need_their_files() {
        let phases = |names: [&str; 2]| names.map(|name| Phase::named(name).unwrap()).to_vec().try_into().unwrap();
        let sync = Settings { sync_writes: 10, phases: phases(["dsync_write", "fsync_write"]), ..Settings::default() };
        assert_eq!((sync.check(), sync.most_bytes(), sync.most_inodes()), (Ok(()), 10 * (512 + 4096), 2));
        assert_eq!(sync.most_allocated_bytes(), 10 * (512 + 4096) + 2 * 4096);
        let none = Settings { sync_writes: 0, ..sync.clone() };
        assert_eq!(none.check().unwrap_err().to_string(), "sync_writes: sync_writes = 0 leave nothing to measure");
        let mixed = Settings { compressible: 10, ..sync };
        assert!(mixed.check().unwrap_err().to_string().starts_with("phases: dsync_write writes 512 bytes"));
        let transfers = Settings { file_size: 1 << 20, phases: phases(["seq_read_4k_1w", "seq_read_4k_3w"]), ..Settings::default() };
        assert_eq!((transfers.check(), transfers.most_bytes(), transfers.most_inodes()), (Ok(()), 1 << 20, 3));
    }

    #[test]
    fn what_direct_io_needs_is_for_the_filesystem_to_say() {
        let small = Settings { file_size: 1 << 20, chunk_size: 512, seek_size: 512, io: Io::Direct, ..Settings::default() };
        assert_eq!(small.check(), Ok(()));
    }
}
