//! The sizes of the files of a set, before and after a tenth of it was rewritten, and which files those tenths are. All of it follows
//! from the ranks of the sizes alone, so that each phase moves the same bytes for every seed.

use crate::model::settings::Settings;
use crate::rng::Permutation;
use crate::target::scratch::FileSetKind;

/// One part of so many.
const PARTS: u64 = 10;

/// A tenth of the files of a set, in which every size is as frequent as in the whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tenth {
    /// What is rewritten.
    Rewritten,
    /// What is read in order: a tenth of it is of the first one.
    Read,
    /// What is read in a random order: another tenth than that.
    ReadAtRandom,
}

impl Tenth {
    /// Whether the file of a rank belongs to it. Of ten ranks that follow each other one does.
    const fn has(self, rank: u64) -> bool {
        match self {
            Self::Rewritten => rank.is_multiple_of(PARTS),
            // Another one of each ten, so that each hundred ranks have one that was rewritten.
            Self::Read => (rank + rank / PARTS) % PARTS == 1,
            Self::ReadAtRandom => (rank + rank / PARTS) % PARTS == 2,
        }
    }

    /// How many of so many files belong to it.
    #[must_use]
    pub fn count(self, files: u64) -> u64 {
        let whole = files / PARTS;
        whole + (whole * PARTS..files).filter(|rank| self.has(*rank)).count() as u64
    }
}

/// The sizes of the files of a set.
#[derive(Debug, Clone, Copy)]
pub struct Sizes {
    files: u64,
    min_size: u64,
    max_size: u64,
    ranks: Permutation,
    are_rewritten: bool,
}

impl Sizes {
    /// Those of one of the two file sets of some settings, as it is made.
    #[must_use]
    pub fn of(settings: &Settings, kind: FileSetKind) -> Self {
        let Settings { files, min_size, max_size, seed, .. } = *settings;
        Self { files, min_size, max_size, ranks: Permutation::of(files.max(1), seed, kind.name()), are_rewritten: false }
    }

    /// The same when a tenth was rewritten.
    #[must_use]
    pub const fn rewritten(self) -> Self {
        Self { are_rewritten: true, ..self }
    }

    /// Whether a file was rewritten.
    #[must_use]
    pub fn was_rewritten(&self, number: u32) -> bool {
        self.are_rewritten && self.is_in(Tenth::Rewritten, number)
    }

    /// Whether a file belongs to a tenth.
    #[must_use]
    pub fn is_in(&self, tenth: Tenth, number: u32) -> bool {
        tenth.has(self.ranks.at(u64::from(number)))
    }

    /// Bytes of a file: the sizes are evenly spaced from the least to the largest, and dealt by a permutation, so that every seed
    /// has the same sum. Those that are rewritten change sizes among each other, so that the sum stays.
    #[must_use]
    pub fn size(&self, number: u32) -> u64 {
        if self.min_size == self.max_size || self.files < 2 {
            return self.max_size;
        }
        let rank = self.ranks.at(u64::from(number));
        let was_rewritten = self.are_rewritten && Tenth::Rewritten.has(rank);
        self.of_rank(if was_rewritten { self.rank_after(rank) } else { rank })
    }

    const fn of_rank(&self, rank: u64) -> u64 {
        let span = (self.max_size - self.min_size) as u128;
        self.min_size + (span * rank as u128 / (self.files - 1) as u128) as u64
    }

    /// Whose size a rewritten file takes: that of the rewritten file half of them further, beginning again at the least one.
    const fn rank_after(&self, rank: u64) -> u64 {
        let rewritten = self.files.div_ceil(PARTS);
        (rank / PARTS + rewritten / 2) % rewritten * PARTS
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TENTHS: [Tenth; 3] = [Tenth::Rewritten, Tenth::Read, Tenth::ReadAtRandom];

    fn sizes(files: u64, seed: u64) -> Sizes {
        Sizes::of(&Settings { files, seed, min_size: 10, max_size: 1000, ..Settings::default() }, FileSetKind::Random)
    }

    #[test]
    fn every_seed_has_the_same_sum_of_sizes() {
        let sum = |seed| (0..777).map(|number| sizes(777, seed).size(number)).sum::<u64>();
        assert_eq!(sum(1), sum(2));
        let most = Settings { files: 777, min_size: 10, max_size: 1000, ..Settings::default() }.file_set_bytes();
        assert!((most - 777..=most).contains(&sum(1)), "each size is rounded down to a byte");
        let sizes: Vec<u64> = (0..777).map(|number| sizes(777, 1).size(number)).collect();
        assert_eq!((sizes.iter().min(), sizes.iter().max()), (Some(&10), Some(&1000)));
    }

    proptest! {
        #[test]
        fn what_a_tenth_moves_is_the_same_for_every_seed(files in 20_u64..2000, seed: u64) {
            for tenth in TENTHS {
                for of in [|seed, files| sizes(files, seed), |seed, files| sizes(files, seed).rewritten()] {
                    let moved = |seed| -> Vec<u64> {
                        let sizes: Sizes = of(seed, files);
                        (0..files as u32).filter(|number| sizes.is_in(tenth, *number)).map(|number| sizes.size(number)).collect()
                    };
                    let (one, other) = (moved(1), moved(seed));
                    prop_assert_eq!((one.len() as u64, one.iter().sum::<u64>()), (other.len() as u64, other.iter().sum::<u64>()));
                    prop_assert_eq!(one.len() as u64, tenth.count(files));
                }
            }
        }

        #[test]
        fn a_rewrite_changes_the_size_of_each_file_of_its_tenth_and_no_sum(files in 20_u64..2000, seed: u64) {
            let (before, after) = (sizes(files, seed), sizes(files, seed).rewritten());
            for number in 0..files as u32 {
                prop_assert_eq!(before.size(number) != after.size(number), after.was_rewritten(number));
            }
            let sum = |sizes: Sizes| (0..files as u32).map(|number| sizes.size(number)).sum::<u64>();
            prop_assert_eq!(sum(before), sum(after));
        }
    }

    #[test]
    fn a_tenth_is_a_tenth_and_some_of_what_is_read_was_rewritten() {
        for tenth in TENTHS {
            assert_eq!((tenth.count(300_000), tenth.count(0)), (30_000, 0));
        }
        let both = |other: Tenth| (0..300_000).filter(|rank| Tenth::Rewritten.has(*rank) && other.has(*rank)).count();
        assert_eq!((both(Tenth::Read), both(Tenth::ReadAtRandom)), (3000, 3000));
        assert!(!(0..1000).any(|rank| Tenth::Read.has(rank) && Tenth::ReadAtRandom.has(rank)));
    }
}
