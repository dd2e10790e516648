//! The keys of a profile: everything that decides which work a run does. One row a key.

mod checks;
mod choices;
mod command_line;
mod keys;
mod needs;
mod phase_list;
mod phase_tables;
mod scale;
mod server;
mod transfers;
mod tree;

pub use choices::{Io, Links, SequentialOrder, SyncAt};
pub use command_line::CommandLine;
pub use keys::{KEYS, Key};
pub use needs::{DSYNC_WRITE_BYTES, FSYNC_WRITE_BYTES};
pub use phase_list::{PhaseList, PhaseListError};
pub use scale::Scale;
pub use tree::Collection;

use super::bounded::at_most;
use super::evidence::is_zero;
use super::loadfile::{self, LoadfileChoice};
use super::nearest::{did_you_mean, nearest_names};
use super::phase::{Group, MOST_PHASES, Phase};
use serde::{Deserialize, Serialize};

/// Everything that decides which work a run does. Sizes are in bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// Bytes of all block files together; 0 leaves out the block and seek phases.
    pub file_size: u64,
    /// Bytes of one transfer of the block phases and, unless `file_chunk_size` says otherwise, of the content of files.
    pub chunk_size: u64,
    /// Bytes of one random transfer.
    pub seek_size: u64,
    /// Random transfers at least.
    pub seeks: u64,
    /// Seconds of random transfers at least; 0 means exactly `seeks`.
    pub seek_seconds: u64,
    /// Threads that seek at once.
    pub seekers: u64,
    /// Per cent of the random transfers that are changed and written back.
    pub seek_rewrite_percent: u64,
    /// Files of a file set; 0 leaves out the file phases.
    pub files: u64,
    /// Bytes of the smallest file.
    pub min_size: u64,
    /// Bytes of the largest file.
    pub max_size: u64,
    /// Directories that a worker's files are spread over.
    pub dirs: u64,
    /// Threads that share the work of every phase but the seeks.
    pub workers: u64,
    /// How block files are read and written.
    pub io: Io,
    /// The order of sequential stat and delete.
    pub sequential_order: SequentialOrder,
    /// The seed of sizes, names and orders.
    pub seed: u64,
    /// How often the whole is repeated; not part of the work.
    pub runs: u64,
    /// Per cent of each block of [`BLOCK_BYTES`] that are zeros; the stamps stay.
    #[serde(default)]
    pub compressible: u64,
    /// Per cent of the blocks of [`BLOCK_BYTES`] that are taken from a few fixed ones.
    #[serde(default)]
    pub dedupe: u64,
    /// Bytes of one transfer of the content of files; 0 means `chunk_size`.
    #[serde(default)]
    pub file_chunk_size: u64,
    /// What the entries of a file set are.
    #[serde(default)]
    pub links: Links,
    /// When what is written is flushed.
    #[serde(default)]
    pub sync: SyncAt,
    /// Which phases a run does, in which order.
    #[serde(default, skip_serializing_if = "is_standard")]
    pub phases: PhaseList,
    /// The programs that it runs in phases of their own.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "at_most::<MOST_PHASES, _, _>")]
    pub commands: Vec<CommandLine>,
    /// Writes of each phase of small flushed writes; 0 leaves these phases out.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub sync_writes: u64,
    /// Transfers of each phase of transfers at least, those of all workers together; 0 means each place once.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub transfers: u64,
    /// Seconds of each phase of transfers at least, where `transfers` says how many; no place is met twice.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub transfer_seconds: u64,
    /// Clients of the file server at once.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub clients: u64,
    /// Seconds of a timed part; 0 means its work once.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub seconds: u64,
    /// Seconds of the same before it, off the clock.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub warm_up: u64,
    /// What each client of the file server does.
    #[serde(default, skip_serializing_if = "LoadfileChoice::is_built_in")]
    pub loadfile: LoadfileChoice,
    /// Bytes that are read at the start, in the middle and at the end of a device; 0 leaves these phases out.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub place_size: u64,
    /// Places of the curve over a device; 0 leaves it out.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub sweep_places: u64,
    /// Bytes that are read at each of them.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub sweep_size: u64,
    /// Files of a source tree; 0 leaves out its phases.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub tree_files: u64,
    /// Files of a library, from small to large ones; 0 leaves out its phases.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub library_files: u64,
}

const fn one() -> u64 {
    1
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "the form that serde asks for")]
const fn is_one(value: &u64) -> bool {
    *value == 1
}

fn is_standard(list: &PhaseList) -> bool {
    *list == PhaseList::default()
}

/// Bytes of the blocks that `compressible` and `dedupe` are shares of: the block size of the common filesystems.
pub const BLOCK_BYTES: u64 = 4096;

impl Default for Settings {
    fn default() -> Self {
        Self {
            file_size: 0,
            chunk_size: 1 << 20,
            seek_size: 4096,
            seeks: 1000,
            seek_seconds: 0,
            seekers: 1,
            seek_rewrite_percent: 0,
            files: 0,
            min_size: 0,
            max_size: 0,
            dirs: 1,
            workers: 1,
            io: Io::Buffered,
            sequential_order: SequentialOrder::Index,
            seed: 1,
            runs: 6,
            compressible: 0,
            dedupe: 0,
            file_chunk_size: 0,
            links: Links::None,
            sync: SyncAt::End,
            phases: PhaseList::default(),
            commands: Vec::new(),
            sync_writes: 0,
            transfers: 0,
            transfer_seconds: 0,
            clients: 1,
            seconds: 0,
            warm_up: 0,
            loadfile: LoadfileChoice::default(),
            place_size: 0,
            sweep_places: 0,
            sweep_size: 0,
            tree_files: 0,
            library_files: 0,
        }
    }
}

impl Settings {
    /// Threads that share the work of a phase.
    #[must_use]
    pub fn threads(&self, phase: Phase) -> u64 {
        match (phase, phase.row().group) {
            (Phase::Transfer(transfer), _) => u64::from(transfer.workers),
            (_, Group::Seek) => self.seekers,
            (_, Group::Block | Group::Sequential | Group::Random | Group::Small | Group::Character) => self.workers,
            (Phase::LibraryWrite | Phase::LibraryRead, _) => self.library_threads(),
            (_, Group::Server) => self.clients,
            (_, Group::Transfer | Group::Sync | Group::Tree | Group::Large | Group::Device | Group::Command) => 1,
        }
    }

    /// How a phase reads and writes: of a device each phase says it, else the key `io`.
    #[must_use]
    pub fn io_of(&self, phase: Phase) -> Io {
        match phase {
            Phase::DeviceStart | Phase::DeviceMiddle | Phase::DeviceEnd => Io::Buffered,
            Phase::DirectStart | Phase::DirectMiddle | Phase::DirectEnd | Phase::DeviceSweep => Io::Direct,
            _ => self.io,
        }
    }

    /// Why a phase is left out; `None` when it is done where it stands in the list.
    #[must_use]
    pub fn leaves_out(&self, phase: Phase) -> Option<&'static str> {
        match phase.row().group {
            Group::Block | Group::Seek | Group::Transfer if self.file_size == 0 => Some("file_size = 0"),
            Group::Sequential | Group::Random | Group::Small if self.files == 0 => Some("files = 0"),
            Group::Sync if self.sync_writes == 0 => Some("sync_writes = 0"),
            Group::Tree if self.tree_files == 0 => Some("tree_files = 0"),
            Group::Large if self.library_files == 0 => Some("library_files = 0"),
            Group::Character => Some("barrow moves no single characters"),
            Group::Device if phase == Phase::DeviceSweep => (self.sweep_places == 0).then_some("sweep_places = 0"),
            Group::Device => (self.place_size == 0).then_some("place_size = 0"),
            Group::Block
            | Group::Seek
            | Group::Transfer
            | Group::Sequential
            | Group::Random
            | Group::Small
            | Group::Sync
            | Group::Server
            | Group::Tree
            | Group::Large
            | Group::Command => None,
        }
    }
}

/// Settings that make no run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SettingsError {
    /// There is no such key.
    #[error("there is no key `{key}`{}; the keys are {}", did_you_mean(nearest), KEYS.iter().map(|key| key.name).collect::<Vec<_>>().join(", "))]
    UnknownKey {
        /// What was written.
        key: String,
        /// Keys with a similar name.
        nearest: Vec<&'static str>,
    },
    /// A value is not of the key's kind.
    #[error("{key} = {value}: {problem}")]
    BadValue {
        /// The key.
        key: &'static str,
        /// What was written.
        value: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A key is out of its range, or does not go together with another one.
    #[error("{key}: {problem}")]
    Unfit {
        /// The key.
        key: &'static str,
        /// What is wrong with it, with the numbers.
        problem: String,
    },
}
