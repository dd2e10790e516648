//! THE CATALOGUE: one row a phase, in the order in which reports show them; phases with parameters in their names ([`Transfer`],
//! [`CommandName`]) have rows that are made from these.

mod command_name;
mod dynamic;
mod transfer;

pub use command_name::{CommandName, CommandNameError};
pub use transfer::{Direction, Transfer, TransferOrder};

use serde::{Deserialize, Serialize};

/// What a phase counts as its work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Unit {
    /// Bytes of files or of a device.
    Bytes,
    /// Random seeks, each with one transfer.
    Seeks,
    /// Files of a file set.
    Files,
    /// Writes, each flushed by itself.
    Writes,
    /// Operations of a mix of several kinds.
    Operations,
    /// Whole programs of the user's.
    Programs,
}

impl Unit {
    /// The name in CSV: `bytes`, `seeks`, `files`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bytes => "bytes",
            Self::Seeks => "seeks",
            Self::Files => "files",
            Self::Writes => "writes",
            Self::Operations => "operations",
            Self::Programs => "programs",
        }
    }

    /// The unit of its rate in tables, and how many of the unit per second are one of it.
    #[must_use]
    pub const fn rate(self) -> (&'static str, f64) {
        match self {
            Self::Bytes => ("MiB/s", 1_048_576.0),
            Self::Seeks => ("seeks/s", 1.0),
            Self::Files => ("files/s", 1.0),
            Self::Writes => ("writes/s", 1.0),
            Self::Operations => ("operations/s", 1.0),
            // Programs run for seconds to hours: a rate by the second would be all zeros.
            Self::Programs => ("times/h", 1.0 / 3600.0),
        }
    }
}

/// Which phases stand together in a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Group {
    /// Sequential transfers in a block file.
    Block,
    /// Random transfers in a block file.
    Seek,
    /// A file set in index order.
    Sequential,
    /// A file set in random order.
    Random,
    /// Transfers of single characters, which only other programs do.
    Character,
    /// Reads and rewrites of small files.
    Small,
    /// Small writes, each flushed by itself.
    Sync,
    /// Transfers of one size in one order.
    Transfer,
    /// Clients of a file server.
    Server,
    /// A tree of many small files.
    Tree,
    /// Large files beside that tree.
    Large,
    /// A device itself, without a filesystem.
    Device,
    /// The user's own programs.
    Command,
}

/// The files that phases share: what one makes, the next reads, and the last removes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Files {
    /// A block file a worker.
    Block,
    /// The file set whose names are in index order.
    Sequential,
    /// The file set with random names.
    Random,
    /// The one file that is written in small flushed writes.
    Sync,
    /// A file a worker for transfers.
    Transfer,
    /// The directories of the clients.
    Server,
    /// The source tree and the large files beside it.
    Tree,
    /// None: a device.
    Device,
    /// What the user's programs make.
    Command,
}

impl Files {
    /// All.
    pub const ALL: &[Self] =
        &[Self::Block, Self::Sequential, Self::Random, Self::Sync, Self::Transfer, Self::Server, Self::Tree, Self::Device, Self::Command];
}

impl Group {
    /// The files that its phases work on; `None` for what barrow never does.
    #[must_use]
    pub const fn files(self) -> Option<Files> {
        match self {
            Self::Block | Self::Seek => Some(Files::Block),
            Self::Sequential | Self::Small => Some(Files::Sequential),
            Self::Random => Some(Files::Random),
            Self::Sync => Some(Files::Sync),
            Self::Transfer => Some(Files::Transfer),
            Self::Server => Some(Files::Server),
            Self::Tree | Self::Large => Some(Files::Tree),
            Self::Device => Some(Files::Device),
            Self::Command => Some(Files::Command),
            Self::Character => None,
        }
    }

    /// Whether its phases move the data of large files, which shows whether a flush reaches the devices.
    #[must_use]
    pub const fn moves_large_files(self) -> bool {
        matches!(self, Self::Block | Self::Transfer | Self::Large)
    }
}

/// What a phase reads, which decides how it is made cold and how its cache label is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reads {
    /// Nothing that an earlier phase left in a cache.
    Nothing,
    /// The data of files.
    Data,
    /// Directory entries and inodes, and what small files hold: only who reads it learns whether it is in memory.
    Metadata,
}

/// One row of the catalogue.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// The name in records, CSV and messages.
    pub name: &'static str,
    /// The name in a heading.
    pub title: &'static str,
    /// What is counted.
    pub unit: Unit,
    /// Where it stands in a report.
    pub group: Group,
    /// What it reads.
    pub reads: Reads,
    /// Whether it changes the filesystem, so that its clock contains a flush.
    pub writes: bool,
}

macro_rules! phases {
    ($($(#[$doc:meta])* $variant:ident $name:literal $title:literal $unit:ident $group:ident $reads:ident $writes:literal;)*) => {
        /// A phase of a run. In records it stands by its name.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "&'static str")]
        pub enum Phase {
            $($(#[$doc])* $variant,)*
            /// Transfers of one size in one order by some workers, as its name says: `random_read_4k_4w`.
            Transfer(Transfer),
            /// A program of the user's, by the name that he gave it: `command:build`.
            Command(CommandName),
        }

        impl Phase {
            /// Every phase with a row of its own, in the order of reports.
            pub const CATALOGUE: &[Self] = &[$(Self::$variant,)*];

            /// Its row.
            #[must_use]
            pub fn row(self) -> &'static Row {
                match self {
                    $(Self::$variant => &Row {
                        name: $name, title: $title, unit: Unit::$unit, group: Group::$group, reads: Reads::$reads, writes: $writes,
                    },)*
                    Self::Transfer(transfer) => transfer.row(),
                    Self::Command(name) => name.row(),
                }
            }
        }
    };
}

phases! {
    /// Writes each block file from start to end and flushes it.
    BlockWrite     "block_write"      "Block write"      Bytes Block      Nothing  true;
    /// Reads each chunk, changes it and writes it back, and flushes.
    Rewrite        "rewrite"          "Rewrite"          Bytes Block      Data     true;
    /// Reads each block file from start to end.
    BlockRead      "block_read"       "Block read"       Bytes Block      Data     false;
    /// Reads at the places of a permutation.
    RandomSeek     "random_seek"      "Random seek"      Seeks Seek       Data     false;
    /// Makes the files of a set whose names are in index order.
    SeqCreate      "seq_create"       "Seq. create"      Files Sequential Nothing  true;
    /// Asks for the status of each file in index order (and reads it, when it has content).
    SeqStat        "seq_stat"         "Seq. stat"        Files Sequential Metadata false;
    /// Deletes each file in index order.
    SeqDelete      "seq_delete"       "Seq. delete"      Files Sequential Metadata true;
    /// Makes the files of a set with random names.
    RandomCreate   "random_create"    "Random create"    Files Random     Nothing  true;
    /// Asks for the status of each file in a random order.
    RandomStat     "random_stat"      "Random stat"      Files Random     Metadata false;
    /// Deletes each file in another random order.
    RandomDelete   "random_delete"    "Random delete"    Files Random     Metadata true;
    /// Writes the file character by character, as Bonnie++'s `putc`; never run by barrow.
    CharWrite      "char_write"       "Char. write"      Bytes Character  Nothing  true;
    /// Reads the file character by character, as Bonnie++'s `getc`; never run by barrow.
    CharRead       "char_read"        "Char. read"       Bytes Character  Data     false;
    /// Writes a tenth of the files of a set anew, with other sizes, in a random order.
    FileRewrite    "file_rewrite"     "File rewrite"     Files Small      Metadata true;
    /// Reads a tenth of the files of a set in index order.
    FileRead       "file_read"        "File read"        Files Small      Metadata false;
    /// Reads another tenth in a random order.
    FileRandomRead "file_random_read" "File random read" Files Small      Metadata false;
    /// Writes small blocks to a file that is open with `O_DSYNC`.
    DsyncWrite     "dsync_write"      "O_DSYNC write"    Writes Sync      Nothing  true;
    /// Writes blocks to a file, with an fsync after each.
    FsyncWrite     "fsync_write"      "fsync write"      Writes Sync      Nothing  true;
    /// Clients replay the mix of calls of a file server.
    FileServer     "file_server"      "File server"      Operations Server Nothing true;
    /// Makes a source tree from memory, as an archive is unpacked.
    TreeUnpack     "tree_unpack"      "Tree unpack"      Files Tree       Nothing  true;
    /// Copies some directories of the tree.
    TreeCopy       "tree_copy"        "Tree copy"        Files Tree       Data     true;
    /// Searches every file of the tree for a string of bytes.
    TreeSearch     "tree_search"      "Tree search"      Files Tree       Data     false;
    /// Deletes the directories that were copied.
    TreePrune      "tree_prune"       "Tree prune"       Files Tree       Metadata true;
    /// Several writers at once make the large and small files of a library.
    LibraryWrite   "library_write"    "Library write"    Bytes Large      Nothing  true;
    /// Several readers at once read whole files of the library at random.
    LibraryRead    "library_read"     "Library read"     Bytes Large      Data     false;
    /// Copies the largest files of the library, which have half of its bytes.
    LargeCopy      "large_copy"       "Large copy"       Bytes Large      Data     true;
    /// Deletes everything that is left.
    TreeDelete     "tree_delete"      "Tree delete"      Files Tree       Metadata true;
    /// Reads a device through the page cache at its start.
    DeviceStart    "device_start"     "Device start"     Bytes Device     Data     false;
    /// The same in its middle.
    DeviceMiddle   "device_middle"    "Device middle"    Bytes Device     Data     false;
    /// The same at its end.
    DeviceEnd      "device_end"       "Device end"       Bytes Device     Data     false;
    /// Reads a device by direct I/O at its start.
    DirectStart    "direct_start"     "Direct start"     Bytes Device     Data     false;
    /// The same in its middle.
    DirectMiddle   "direct_middle"    "Direct middle"    Bytes Device     Data     false;
    /// The same at its end.
    DirectEnd      "direct_end"       "Direct end"       Bytes Device     Data     false;
    /// Reads places from the start to the end of a device by direct I/O.
    DeviceSweep    "device_sweep"     "Device sweep"     Bytes Device     Data     false;
}

/// The phases of which one must have been done before another, since they make what it works on; none where it needs nothing.
#[must_use]
pub fn needed_before(phase: Phase) -> &'static [Phase] {
    match phase {
        Phase::Rewrite => &[Phase::BlockWrite],
        Phase::BlockRead | Phase::RandomSeek => &[Phase::BlockWrite, Phase::Rewrite],
        Phase::SeqStat | Phase::FileRead | Phase::FileRandomRead => &[Phase::SeqCreate, Phase::FileRewrite],
        Phase::SeqDelete | Phase::FileRewrite => &[Phase::SeqCreate],
        Phase::RandomStat | Phase::RandomDelete => &[Phase::RandomCreate],
        Phase::TreeCopy | Phase::TreeSearch => &[Phase::TreeUnpack],
        Phase::TreePrune => &[Phase::TreeCopy],
        Phase::LibraryRead | Phase::LargeCopy => &[Phase::LibraryWrite],
        Phase::TreeDelete => &[Phase::TreeUnpack, Phase::LibraryWrite, Phase::LargeCopy],
        Phase::BlockWrite
        | Phase::SeqCreate
        | Phase::RandomCreate
        | Phase::CharWrite
        | Phase::CharRead
        | Phase::DsyncWrite
        | Phase::FsyncWrite
        | Phase::FileServer
        | Phase::TreeUnpack
        | Phase::LibraryWrite
        | Phase::DeviceStart
        | Phase::DeviceMiddle
        | Phase::DeviceEnd
        | Phase::DirectStart
        | Phase::DirectMiddle
        | Phase::DirectEnd
        | Phase::DeviceSweep
        | Phase::Transfer(_)
        | Phase::Command(_) => &[],
    }
}

/// The most phases of a run.
pub const MOST_PHASES: usize = 64;

/// Why a text names no phase.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PhaseNameError {
    /// There is no such phase.
    #[error("there is no phase `{0}`")]
    Unknown(String),
    /// A name of a command that cannot be one.
    #[error(transparent)]
    Command(#[from] CommandNameError),
}

impl Phase {
    /// The phases of a run whose profile names none, in their order.
    pub const STANDARD: &[Self] = Self::CATALOGUE.split_at(Self::CHARACTER_AT).0;
    /// The phases that Bonnie++ has.
    pub const BONNIE: &[Self] = Self::CATALOGUE.split_at(Self::CHARACTER_AT + 2).0;
    /// Where those stand in the catalogue that barrow never runs.
    const CHARACTER_AT: usize = 10;

    /// The phase of a name.
    ///
    /// # Errors
    /// When there is none.
    pub fn named(name: &str) -> Result<Self, PhaseNameError> {
        if let Some(phase) = Self::CATALOGUE.iter().copied().find(|phase| phase.name() == name) {
            return Ok(phase);
        }
        if let Some(command) = name.strip_prefix(CommandName::PREFIX) {
            return Ok(Self::Command(CommandName::of(command)?));
        }
        Transfer::named(name).map(Self::Transfer).ok_or_else(|| PhaseNameError::Unknown(name.to_owned()))
    }

    /// The name in records, CSV and messages: `block_write`.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Whether caches are emptied before it.
    #[must_use]
    pub fn starts_cold(self) -> bool {
        !matches!(self.row().reads, Reads::Nothing)
    }
}

impl TryFrom<String> for Phase {
    type Error = PhaseNameError;

    fn try_from(name: String) -> Result<Self, PhaseNameError> {
        Self::named(&name)
    }
}

impl From<Phase> for &'static str {
    fn from(phase: Phase) -> Self {
        phase.name()
    }
}

#[cfg(test)]
mod tests;
