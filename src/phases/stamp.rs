//! Stamps: a number every 512 bytes that says which run wrote it, to which file, where, and for the how manyth time.

use super::duplicates::{Duplicates, ORIGINALS, ORIGINALS_FILE};
use super::error::WrongData;
use crate::model::settings::BLOCK_BYTES;
use crate::rng::mix64;

/// Distance of two stamps in bytes.
pub const STAMP_SPACING: usize = 512;
/// One stamp of each of these many bytes is checked on reading.
const CHECK_SPACING: usize = 4096;
const STAMP_BYTES: usize = 8;

/// For the how manyth time a place was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Generation {
    /// Written once.
    Written = 1,
    /// Written, then rewritten.
    Rewritten = 2,
    /// Changed by a random seek.
    SeekWritten = 3,
}

impl Generation {
    /// All, oldest first.
    const ALL: [Self; 3] = [Self::Written, Self::Rewritten, Self::SeekWritten];
}

/// What marks the data of a run as its own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stamps {
    /// The run's random number.
    pub nonce: u64,
    /// Those of earlier runs of the same batch.
    pub earlier: Vec<u64>,
}

/// Which file was written, and for the how manyth time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Origin {
    /// A number of the file, different for every file of a run.
    pub file: u64,
    /// For the how manyth time.
    pub generation: Generation,
}

/// The stamps of one file in one generation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamper {
    key: u64,
}

impl Stamper {
    /// For a run and an origin.
    #[must_use]
    pub const fn of(nonce: u64, origin: Origin) -> Self {
        Self { key: mix64(nonce ^ mix64((origin.file << 8) | origin.generation as u64)) }
    }

    /// The stamp at an offset, which is a multiple of [`STAMP_SPACING`].
    #[inline]
    const fn at(self, offset: u64) -> u64 {
        mix64(self.key ^ (offset / STAMP_SPACING as u64))
    }

    /// Puts a stamp every 512 bytes of a buffer that stands at an offset of the file (a multiple of 512).
    #[inline]
    pub fn mark(self, bytes: &mut [u8], offset: u64) {
        let mut place = offset;
        for sector in bytes.chunks_mut(STAMP_SPACING) {
            if let Some(room) = sector.first_chunk_mut::<STAMP_BYTES>() {
                *room = self.at(place).to_le_bytes();
            }
            place += STAMP_SPACING as u64;
        }
    }

    /// Checks one stamp in each 4 KiB of a buffer; gives the place in the buffer of the first that is wrong.
    #[inline]
    #[must_use]
    pub fn first_wrong(self, bytes: &[u8], offset: u64) -> Option<usize> {
        for (index, block) in bytes.chunks(CHECK_SPACING).enumerate() {
            let start = index * CHECK_SPACING;
            let stamps = block.len() / STAMP_SPACING;
            // Another one of the eight in each block, so that in the long run every sector is looked at.
            let chosen = if stamps == 0 { 0 } else { ((offset / CHECK_SPACING as u64) as usize + index) % stamps };
            let place = start + chosen * STAMP_SPACING;
            if let Some(found) = bytes[place..].first_chunk::<STAMP_BYTES>()
                && u64::from_le_bytes(*found) != self.at(offset + place as u64)
            {
                return Some(place);
            }
        }
        None
    }
}

impl Stamps {
    /// The stamps of one file in one generation.
    #[must_use]
    pub const fn of(&self, origin: Origin) -> Stamper {
        Stamper::of(self.nonce, origin)
    }

    /// Finds out what a wrong block is: `found` stood at `offset` where `expected` should have been. `files` are the numbers of
    /// this run's files with their sizes in bytes. A duplicate that stands where another file or place has the same one is right.
    #[must_use]
    pub fn explain(
        &self,
        found: [u8; STAMP_BYTES],
        offset: u64,
        expected: Origin,
        duplicates: Duplicates,
        files: &[(u64, u64)],
    ) -> WrongData {
        let found = u64::from_le_bytes(found);
        let file = expected.file;
        let (expected, offset) = duplicates.source(expected, offset);
        if found == 0 {
            return WrongData::Zeros;
        }
        let earlier = |generation: Generation| self.of(Origin { generation, ..expected }).at(offset) == found;
        if Generation::ALL.into_iter().filter(|generation| *generation < expected.generation).any(earlier) {
            return WrongData::BeforeRewrite;
        }
        let of_run = |nonce: u64| {
            Generation::ALL.into_iter().any(|generation| Stamper::of(nonce, Origin { generation, ..expected }).at(offset) == found)
        };
        if self.earlier.iter().copied().any(of_run) {
            return WrongData::EarlierRun;
        }
        if duplicates.are_any()
            && let Some(place) = self.place_of(found, ORIGINALS_FILE, ORIGINALS * BLOCK_BYTES)
        {
            return WrongData::Original(place / BLOCK_BYTES);
        }
        for (other, size) in files {
            match self.place_of(found, *other, *size) {
                Some(place) if *other == file => return WrongData::OtherPlace(place),
                Some(_) => return WrongData::OtherFile,
                None => {}
            }
        }
        WrongData::Foreign
    }

    /// Where in a file of this run a stamp belongs, in any generation.
    fn place_of(&self, found: u64, file: u64, size: u64) -> Option<u64> {
        Generation::ALL.into_iter().find_map(|generation| {
            let stamper = self.of(Origin { file, generation });
            (0..size).step_by(STAMP_SPACING).find(|place| stamper.at(*place) == found)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ORIGIN: Origin = Origin { file: 3, generation: Generation::Rewritten };

    fn marked(stamper: Stamper, offset: u64) -> Vec<u8> {
        let mut bytes = vec![0xaa; 16 * 1024];
        stamper.mark(&mut bytes, offset);
        bytes
    }

    #[test]
    fn what_was_marked_is_right() {
        let stamps = Stamps { nonce: 7, earlier: Vec::new() };
        let bytes = marked(stamps.of(ORIGIN), 8192);
        assert_eq!(stamps.of(ORIGIN).first_wrong(&bytes, 8192), None);
        assert_eq!(stamps.of(ORIGIN).first_wrong(&bytes[..512], 8192), None);
        assert!(stamps.of(ORIGIN).first_wrong(&bytes, 4096).is_some());
        assert_eq!(stamps.of(ORIGIN).first_wrong(&[0; 7], 0), None);
    }

    #[test]
    fn one_wrong_block_of_4_kib_is_found() {
        let stamps = Stamps { nonce: 7, earlier: Vec::new() };
        for block in 0..4 {
            let mut bytes = marked(stamps.of(ORIGIN), 0);
            bytes[block * 4096..(block + 1) * 4096].fill(0);
            let place = stamps.of(ORIGIN).first_wrong(&bytes, 0).unwrap();
            assert_eq!(place / 4096, block);
        }
    }

    #[test]
    fn each_kind_of_wrong_block_is_named() {
        let stamps = Stamps { nonce: 7, earlier: vec![5, 6] };
        let files = [(3, 1 << 20), (4, 1 << 20)];
        let stamp = |nonce, file, generation, offset| Stamper::of(nonce, Origin { file, generation }).at(offset).to_le_bytes();
        let cases = [
            ([0; 8], WrongData::Zeros),
            (stamp(7, 3, Generation::Written, 4096), WrongData::BeforeRewrite),
            (stamp(6, 3, Generation::Rewritten, 4096), WrongData::EarlierRun),
            (stamp(5, 3, Generation::Written, 4096), WrongData::EarlierRun),
            (stamp(7, 4, Generation::Rewritten, 4096), WrongData::OtherFile),
            (stamp(7, 4, Generation::Written, 512), WrongData::OtherFile),
            (stamp(7, 3, Generation::Rewritten, 8192), WrongData::OtherPlace(8192)),
            (stamp(9, 3, Generation::Rewritten, 4096), WrongData::Foreign),
        ];
        for (found, kind) in cases {
            assert_eq!(stamps.explain(found, 4096, ORIGIN, Duplicates::default(), &files), kind);
        }
    }
}
