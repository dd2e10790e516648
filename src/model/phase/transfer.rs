//! Transfers of one size in one order: phases whose name says what they do, `seq_write_4k_1w`.

use super::dynamic::{kept, row_of};
use super::{Group, Reads, Row, Unit};
use crate::units::{exact_size, parse_size, rounded_size};

/// In which order the transfers go through the files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TransferOrder {
    /// From start to end.
    Sequential,
    /// In a permutation, each place once.
    Random,
}

/// Which way the data goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Direction {
    /// To the files.
    Write,
    /// From the files.
    Read,
}

/// What a phase of transfers does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Transfer {
    /// In which order.
    pub order: TransferOrder,
    /// Which way.
    pub direction: Direction,
    /// Bytes of each transfer: a multiple of 512 from 512 to 1 GiB.
    pub bytes: u32,
    /// Threads at once, each on a file of its own: 1 to 1024.
    pub workers: u16,
}

/// The least transfer in bytes, which all are a multiple of: the sector of the oldest disks.
const LEAST_BYTES: u64 = 512;
const MOST_BYTES: u64 = 1 << 30;
const MOST_WORKERS: u16 = 1024;

impl Transfer {
    /// The transfers of a name; `None` where it is no such name in its one spelling.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let parts: Vec<&str> = name.split('_').collect();
        let [order, direction, bytes, workers] = parts[..] else { return None };
        let order = match order {
            "seq" => TransferOrder::Sequential,
            "random" => TransferOrder::Random,
            _ => return None,
        };
        let direction = match direction {
            "write" => Direction::Write,
            "read" => Direction::Read,
            _ => return None,
        };
        let bytes =
            parse_size(bytes).ok().filter(|bytes| (LEAST_BYTES..=MOST_BYTES).contains(bytes) && bytes.is_multiple_of(LEAST_BYTES))?;
        let workers = workers.strip_suffix('w')?.parse().ok().filter(|workers| (1..=MOST_WORKERS).contains(workers))?;
        let transfer = Self { order, direction, bytes: u32::try_from(bytes).ok()?, workers };
        // `4096` and `4k` would be two phases that do the same.
        (transfer.spelt() == name).then_some(transfer)
    }

    /// The name: `random_read_4k_4w`.
    fn spelt(self) -> String {
        let order = match self.order {
            TransferOrder::Sequential => "seq",
            TransferOrder::Random => "random",
        };
        let direction = match self.direction {
            Direction::Write => "write",
            Direction::Read => "read",
        };
        format!("{order}_{direction}_{}_{}w", exact_size(u64::from(self.bytes)), self.workers)
    }

    fn title(self) -> String {
        let order = match self.order {
            TransferOrder::Sequential => "Seq.",
            TransferOrder::Random => "Random",
        };
        let direction = match self.direction {
            Direction::Write => "write",
            Direction::Read => "read",
        };
        let many = if self.workers == 1 { String::new() } else { format!(" × {}", self.workers) };
        format!("{order} {direction} {}{many}", rounded_size(u64::from(self.bytes)))
    }

    /// Its row of the catalogue.
    #[must_use]
    pub fn row(self) -> &'static Row {
        const NO_ROOM: &Row =
            &Row { name: "transfer", title: "Transfer", unit: Unit::Bytes, group: Group::Transfer, reads: Reads::Data, writes: true };
        let reads = match self.direction {
            Direction::Write => Reads::Nothing,
            Direction::Read => Reads::Data,
        };
        let make = |name| Row {
            name,
            title: kept(self.title()),
            unit: Unit::Bytes,
            group: Group::Transfer,
            reads,
            writes: self.direction == Direction::Write,
        };
        row_of(&self.spelt(), make).unwrap_or(NO_ROOM)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_everything_and_has_one_spelling() {
        let transfer = Transfer::named("random_read_4k_4w").unwrap();
        let expected = Transfer { order: TransferOrder::Random, direction: Direction::Read, bytes: 4096, workers: 4 };
        assert_eq!(transfer, expected);
        assert_eq!((transfer.row().name, transfer.row().title), ("random_read_4k_4w", "Random read 4 KiB × 4"));
        assert_eq!(Transfer::named("seq_write_1m_1w").unwrap().row().title, "Seq. write 1 MiB");
        for other in
            ["random_read_4096_4w", "random_read_4k_0w", "random_read_100_1w", "random_read_2g_1w", "random_read_4k", "seq_read_4k_01w"]
        {
            assert_eq!(Transfer::named(other), None, "{other}");
        }
    }
}
