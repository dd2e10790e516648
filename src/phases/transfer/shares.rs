//! Which transfers each worker does, in which order, and in which file each of them is.

use super::super::block_file::share;
use crate::model::phase::{Transfer, TransferOrder};
use crate::model::settings::Settings;
use crate::rng::Permutation;

/// Bytes of each file: whole units, as evenly as they can be shared.
#[must_use]
pub fn file_sizes(settings: &Settings) -> Vec<u64> {
    let (files, unit) = (settings.transfer_files(), settings.transfer_unit());
    let size = |file| {
        let share = share(settings.file_size / unit, file, files);
        (share.end - share.start) * unit
    };
    (0..files).map(size).collect()
}

/// A piece of a file that a worker has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// The place of the file among all.
    pub file: usize,
    /// Where it begins in the file in bytes.
    start: u64,
    /// The transfers of the worker before it.
    first: u64,
}

/// What one worker does.
#[derive(Debug, Clone)]
pub struct Share {
    /// The pieces of files that it has, one behind the other.
    pub parts: Vec<Part>,
    /// Transfers that fit into them.
    places: u64,
    /// Transfers that it does at least.
    least: u64,
    /// Nanoseconds that it takes at least.
    least_ns: u64,
    bytes: u64,
    /// The order of the places; `None` from start to end.
    order: Option<Permutation>,
}

impl Share {
    /// The share of a worker: where there are as many workers as files, each has a file of its own.
    #[must_use]
    pub fn of(settings: &Settings, transfer: Transfer, worker: u64) -> Self {
        let (bytes, workers) = (u64::from(transfer.bytes), u64::from(transfer.workers));
        let unit = settings.transfer_unit();
        let units = share(settings.file_size / unit, worker, workers);
        let (start, end) = (units.start * unit, units.end * unit);
        let mut parts = Vec::new();
        let mut file_start = 0;
        for (file, size) in file_sizes(settings).into_iter().enumerate() {
            let (from, to) = (start.max(file_start), end.min(file_start + size));
            if from < to {
                parts.push(Part { file, start: from - file_start, first: (from - start) / bytes });
            }
            file_start += size;
        }
        let places = (end - start) / bytes;
        let least = match settings.transfers {
            0 => places,
            transfers => {
                let share = share(transfers, worker, workers);
                (share.end - share.start).min(places)
            }
        };
        let order = match transfer.order {
            TransferOrder::Sequential => None,
            TransferOrder::Random => Some(Permutation::of(places, settings.seed, &format!("transfer places of worker {worker}"))),
        };
        let least_ns = settings.transfer_seconds.saturating_mul(1_000_000_000);
        Self { parts, places, least, least_ns, bytes, order }
    }

    /// How many transfers it does, where that does not depend on their speed.
    #[must_use]
    pub fn known(&self) -> Option<u64> {
        (self.least_ns == 0 || self.least == self.places).then_some(self.least)
    }

    /// Whether another one follows so many, after so many nanoseconds: no place is met twice.
    #[inline]
    #[must_use]
    pub const fn goes_on(&self, done: u64, elapsed_ns: u64) -> bool {
        done < self.places && (done < self.least || elapsed_ns < self.least_ns)
    }

    /// The place of a transfer among the parts, and its offset in the file of that part in bytes.
    #[inline]
    #[must_use]
    pub fn place(&self, transfer: u64) -> (usize, u64) {
        let place = self.order.map_or(transfer, |order| order.at(transfer));
        // Most workers have one part.
        let part = if self.parts.len() == 1 { 0 } else { self.parts.partition_point(|part| part.first <= place) - 1 };
        let of_part = self.parts[part];
        (part, of_part.start + (place - of_part.first) * self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::phase::Phase;
    use crate::phases::transfer::tests::plan;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn share_of(settings: &Settings, place: usize, worker: u64) -> Share {
        let Phase::Transfer(transfer) = settings.phases[place] else { panic!("no transfer") };
        Share::of(settings, transfer, worker)
    }

    #[test]
    fn as_many_workers_as_files_have_one_each() {
        let settings = plan("seq_write_4k_1w,random_read_4k_3w", &[("file_size", "40k")]).settings;
        assert_eq!(file_sizes(&settings), [16384, 12288, 12288]);
        let alone = share_of(&settings, 0, 0);
        assert_eq!(
            alone.parts.iter().map(|part| (part.file, part.start, part.first)).collect::<Vec<_>>(),
            [(0, 0, 0), (1, 0, 4), (2, 0, 7)]
        );
        let places: Vec<(usize, u64)> = (0..10).map(|transfer| alone.place(transfer)).collect();
        assert_eq!(places[3..8], [(0, 12288), (1, 0), (1, 4096), (1, 8192), (2, 0)]);
        for worker in 0..3 {
            let share = share_of(&settings, 1, worker);
            assert_eq!((share.parts.len(), share.parts[0].file as u64, share.parts[0].start), (1, worker, 0));
        }
    }

    #[test]
    fn the_least_is_shared_and_never_more_than_there_is() {
        let of = |transfers| {
            let settings = plan("random_read_4k_3w", &[("file_size", "48k"), ("transfers", transfers)]).settings;
            (0..3).map(|worker| share_of(&settings, 0, worker).least).collect::<Vec<_>>()
        };
        assert_eq!((of("0"), of("5"), of("1000")), (vec![4, 4, 4], vec![2, 2, 1], vec![4, 4, 4]));
    }

    proptest! {
        #[test]
        fn every_place_of_every_file_is_met_once(files in 1_u64..9, workers in 1_u64..9, units in 9_u64..60, is_random: bool) {
            let order = if is_random { "random" } else { "seq" };
            let phases = format!("{order}_read_4k_{workers}w,seq_read_8k_{files}w");
            let file_size = (8192 * units).to_string();
            // Names are of one phase each.
            let settings = plan(&phases, &[("file_size", &file_size)]).settings;
            let sizes = file_sizes(&settings);
            let mut met = BTreeSet::new();
            for worker in 0..workers {
                let share = share_of(&settings, 0, worker);
                for transfer in 0..share.places {
                    let (part, offset) = share.place(transfer);
                    let file = share.parts[part].file;
                    prop_assert!(offset + 4096 <= sizes[file]);
                    prop_assert!(met.insert((file, offset)));
                }
            }
            prop_assert_eq!(met.len() as u64, 2 * units);
        }
    }
}
