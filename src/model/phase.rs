//! THE CATALOGUE: one row a phase, in the order in which a run does them; at the end what only other programs do.

use serde::{Deserialize, Serialize};

/// What a phase counts as its work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Unit {
    /// Bytes of a block file.
    Bytes,
    /// Random seeks, each with one transfer.
    Seeks,
    /// Files of a file set.
    Files,
}

impl Unit {
    /// The name in CSV: `bytes`, `seeks`, `files`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bytes => "bytes",
            Self::Seeks => "seeks",
            Self::Files => "files",
        }
    }

    /// The rate unit in a heading and the number of work units in one of it.
    #[must_use]
    pub const fn rate(self) -> (&'static str, f64) {
        match self {
            Self::Bytes => ("MiB/s", 1_048_576.0),
            Self::Seeks => ("seeks/s", 1.0),
            Self::Files => ("files/s", 1.0),
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
}

/// What a phase reads, which decides how it is made cold and how its cache label is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reads {
    /// Nothing that an earlier phase left in a cache.
    Nothing,
    /// The data of the block files.
    Data,
    /// Directory entries and inodes.
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
        /// A phase of a run, in the order in which reports show them.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum Phase { $($(#[$doc])* $variant,)* }

        impl Phase {
            /// Every phase, in the order of reports.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// The row of the catalogue.
            #[must_use]
            pub const fn row(self) -> &'static Row {
                match self {
                    $(Self::$variant => &Row {
                        name: $name, title: $title, unit: Unit::$unit, group: Group::$group, reads: Reads::$reads, writes: $writes,
                    },)*
                }
            }
        }
    };
}

phases! {
    /// Writes each block file from start to end and flushes it.
    BlockWrite   "block_write"   "Block write"   Bytes Block      Nothing  true;
    /// Reads each chunk, changes it and writes it back, and flushes.
    Rewrite      "rewrite"       "Rewrite"       Bytes Block      Data     true;
    /// Reads each block file from start to end.
    BlockRead    "block_read"    "Block read"    Bytes Block      Data     false;
    /// Reads at the places of a permutation.
    RandomSeek   "random_seek"   "Random seek"   Seeks Seek       Data     false;
    /// Makes the files of a set whose names are in index order.
    SeqCreate    "seq_create"    "Seq. create"   Files Sequential Nothing  true;
    /// Asks for the status of each file in index order (and reads it, when it has content).
    SeqStat      "seq_stat"      "Seq. stat"     Files Sequential Metadata false;
    /// Deletes each file in index order.
    SeqDelete    "seq_delete"    "Seq. delete"   Files Sequential Metadata true;
    /// Makes the files of a set with random names.
    RandomCreate "random_create" "Random create" Files Random     Nothing  true;
    /// Asks for the status of each file in a random order.
    RandomStat   "random_stat"   "Random stat"   Files Random     Metadata false;
    /// Deletes each file in another random order.
    RandomDelete "random_delete" "Random delete" Files Random     Metadata true;
    /// Writes the file character by character, as Bonnie++'s `putc`; never run by barrow.
    CharWrite    "char_write"    "Char. write"   Bytes Character  Nothing  true;
    /// Reads the file character by character, as Bonnie++'s `getc`; never run by barrow.
    CharRead     "char_read"     "Char. read"    Bytes Character  Data     false;
}

impl Phase {
    /// The phases that barrow runs, in the order in which a run does them. The others stand in imported records only.
    pub const OWN: &[Self] = Self::ALL.split_at(Self::CharWrite as usize).0;

    /// The name in records, CSV and messages: `block_write`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.row().name
    }

    /// Whether caches are emptied before it.
    #[must_use]
    pub const fn starts_cold(self) -> bool {
        !matches!(self.row().reads, Reads::Nothing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_in_the_catalogue_is_the_name_in_the_record() {
        for phase in Phase::ALL {
            assert_eq!(serde_json::to_string(phase).unwrap(), format!("\"{}\"", phase.name()));
        }
    }

    #[test]
    fn what_only_other_programs_do_stands_at_the_end() {
        let others = &Phase::ALL[Phase::OWN.len()..];
        assert_eq!(Phase::OWN.len(), 10);
        assert!(others.iter().all(|phase| phase.row().group == Group::Character));
        assert!(Phase::OWN.iter().all(|phase| phase.row().group != Group::Character));
    }
}
