//! The string of bytes that is searched: where the generator puts it, and how it is found.

use super::Leaf;
use crate::rng::mix_all;

/// What is searched. In random data it occurs by chance once in 2^136 places.
pub const NEEDLE: &[u8; 17] = b"barrow looks here";
/// It stands in one of so many files.
const EVERY: u64 = 8;
/// Distance of the stamps, which it must not touch, and their length.
const SECTOR: u64 = 512;
const STAMP: u64 = 8;

/// How often the string stands in a file.
#[must_use]
pub fn times(leaf: &Leaf) -> u64 {
    u64::from(place(leaf).is_some())
}

/// Where the string stands in a file; `None` where it does not.
#[must_use]
pub fn place(leaf: &Leaf) -> Option<usize> {
    let length = NEEDLE.len() as u64;
    let (number, size) = (leaf.number(), leaf.size() as u64);
    if number % EVERY != EVERY / 2 || size < STAMP + length {
        return None;
    }
    // In a whole sector, or in the one that the file begins with.
    let sector = mix_all(&[number, size]) % (size / SECTOR).max(1);
    let room = (size - sector * SECTOR).min(SECTOR) - STAMP - length;
    let within = STAMP + mix_all(&[size, number]) % (room + 1);
    Some((sector * SECTOR + within) as usize)
}

/// Puts the string into the data of a file and gives what stood there, which [`take_out`] puts back: it must not stay in a pool of
/// random data out of which other files are made.
#[inline]
pub fn put_in(bytes: &mut [u8], place: usize) -> [u8; NEEDLE.len()] {
    let room = &mut bytes[place..place + NEEDLE.len()];
    let mut stood = [0; NEEDLE.len()];
    stood.copy_from_slice(room);
    room.copy_from_slice(NEEDLE);
    stood
}

/// Puts back what stood there.
#[inline]
pub fn take_out(bytes: &mut [u8], place: usize, stood: &[u8; NEEDLE.len()]) {
    bytes[place..place + NEEDLE.len()].copy_from_slice(stood);
}

/// Finds the string, by what its last byte lets one skip (Horspool, Software: Practice and Experience 10, 1980).
#[derive(Debug)]
pub struct Search {
    skips: [usize; 256],
}

impl Search {
    /// For [`NEEDLE`].
    #[must_use]
    pub fn new() -> Self {
        let mut skips = [NEEDLE.len(); 256];
        for (place, byte) in NEEDLE[..NEEDLE.len() - 1].iter().enumerate() {
            skips[usize::from(*byte)] = NEEDLE.len() - 1 - place;
        }
        Self { skips }
    }

    /// How often it stands in some bytes.
    #[must_use]
    pub fn count(&self, bytes: &[u8]) -> u64 {
        let mut found = 0;
        let mut start = 0;
        while let Some(window) = bytes.get(start..start + NEEDLE.len()) {
            if window == NEEDLE {
                found += 1;
            }
            start += self.skips[usize::from(window[NEEDLE.len() - 1])];
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::settings::Settings;
    use crate::phases::tree::{Copied, Tree};
    use proptest::prelude::*;

    #[test]
    fn the_tree_of_the_profile_has_the_string_in_an_eighth_of_its_files() {
        for seed in [1, 2] {
            let tree = Tree::of(&Settings { tree_files: 24_000, seed, ..Settings::default() }, Copied::Original);
            let places: Vec<(usize, usize)> = tree.leaves().iter().filter_map(|leaf| Some((place(leaf)?, leaf.size()))).collect();
            assert!((2980..=3000).contains(&places.len()), "{}", places.len());
            for (place, size) in places {
                assert!(place + NEEDLE.len() <= size && place % 512 >= 8 && place % 512 + NEEDLE.len() <= 512, "{place} of {size}");
            }
        }
    }

    proptest! {
        #[test]
        fn it_is_found_as_often_as_it_stands_there(filling in prop::collection::vec(prop::sample::select(&NEEDLE[..]), 0..200), places in prop::collection::vec(0_usize..200, 0..4)) {
            let mut bytes = filling;
            for place in places {
                bytes.splice(place.min(bytes.len())..place.min(bytes.len()), *NEEDLE);
            }
            let naive = bytes.windows(NEEDLE.len()).filter(|window| window == NEEDLE).count() as u64;
            prop_assert_eq!(Search::new().count(&bytes), naive);
        }

        #[test]
        fn what_stood_there_is_put_back(bytes: [u8; 64], place in 0_usize..47) {
            let mut changed = bytes;
            let stood = put_in(&mut changed, place);
            prop_assert_eq!(&changed[place..place + 17], &NEEDLE[..]);
            take_out(&mut changed, place, &stood);
            prop_assert_eq!(changed, bytes);
        }
    }
}
