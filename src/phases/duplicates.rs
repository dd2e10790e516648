//! Duplicate blocks: which blocks of a file are taken from the few originals of a run, and the stamps of a file with such blocks.

use super::stamp::{Generation, Origin, Stamper, Stamps};
use crate::model::settings::{BLOCK_BYTES, Settings};

/// How many blocks a run has that duplicates are made of.
pub const ORIGINALS: u64 = 64;
/// The originals are stamped as one file of this number, which no real file has.
pub const ORIGINALS_FILE: u64 = 3 << 40;
/// Below this the numbers of the files of one set lie.
const SET_NUMBERS: u64 = 1 << 40;
const BLOCK: usize = BLOCK_BYTES as usize;

/// How many of the blocks of 4 KiB are duplicates, and which.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Duplicates {
    percent: u64,
}

impl Duplicates {
    /// Those of some settings.
    #[must_use]
    pub const fn of(settings: &Settings) -> Self {
        Self { percent: settings.dedupe }
    }

    /// Whether there are any.
    #[inline]
    #[must_use]
    pub const fn are_any(self) -> bool {
        self.percent > 0
    }

    /// The original of a block of a file; `None` where the block is unique. Duplicates are evenly spread and take the originals in
    /// turn. Each file of a set begins one block later in that pattern, so that the share holds for a set of small files too.
    #[must_use]
    pub const fn original(self, file: u64, block: u64) -> Option<u64> {
        let place = file % SET_NUMBERS + block;
        let before = place * self.percent / 100;
        if (place + 1) * self.percent / 100 > before { Some(before % ORIGINALS) } else { None }
    }

    /// Whose stamp stands at an offset of a file, and at which offset of that: the file itself, or the originals.
    #[must_use]
    pub const fn source(self, origin: Origin, offset: u64) -> (Origin, u64) {
        match self.original(origin.file, offset / BLOCK_BYTES) {
            None => (origin, offset),
            Some(original) => (Self::origin(origin.generation), original * BLOCK_BYTES + offset % BLOCK_BYTES),
        }
    }

    /// The originals in one generation.
    #[must_use]
    pub const fn origin(generation: Generation) -> Origin {
        Origin { file: ORIGINALS_FILE, generation }
    }
}

/// The stamps of one file in one generation, duplicates included.
#[derive(Debug, Clone, Copy)]
pub struct Marks {
    own: Stamper,
    originals: Stamper,
    file: u64,
    duplicates: Duplicates,
}

impl Marks {
    /// For a run, an origin and its duplicates.
    #[must_use]
    pub const fn of(stamps: &Stamps, origin: Origin, duplicates: Duplicates) -> Self {
        let own = stamps.of(origin);
        let originals = if duplicates.are_any() { stamps.of(Duplicates::origin(origin.generation)) } else { own };
        Self { own, originals, file: origin.file, duplicates }
    }

    /// The original of a block of the file.
    #[must_use]
    pub const fn original(&self, block: u64) -> Option<u64> {
        self.duplicates.original(self.file, block)
    }

    /// Puts a stamp every 512 bytes of a buffer that stands at an offset of the file: a multiple of 512, and of 4096 where there are
    /// duplicates.
    #[inline]
    pub fn mark(&self, bytes: &mut [u8], offset: u64) {
        if self.duplicates.are_any() {
            self.mark_blocks(bytes, offset);
        } else {
            self.own.mark(bytes, offset);
        }
    }

    /// Checks one stamp in each 4 KiB of a buffer; gives the place in the buffer of the first that is wrong.
    #[inline]
    #[must_use]
    pub fn first_wrong(&self, bytes: &[u8], offset: u64) -> Option<usize> {
        if self.duplicates.are_any() { self.first_wrong_of_blocks(bytes, offset) } else { self.own.first_wrong(bytes, offset) }
    }

    fn mark_blocks(&self, bytes: &mut [u8], offset: u64) {
        for (block, bytes) in (offset / BLOCK_BYTES..).zip(bytes.chunks_mut(BLOCK)) {
            let (stamper, place) = self.stamper_of(block);
            stamper.mark(bytes, place);
        }
    }

    fn first_wrong_of_blocks(&self, bytes: &[u8], offset: u64) -> Option<usize> {
        bytes.chunks(BLOCK).enumerate().find_map(|(index, bytes)| {
            let (stamper, place) = self.stamper_of(offset / BLOCK_BYTES + index as u64);
            stamper.first_wrong(bytes, place).map(|wrong| index * BLOCK + wrong)
        })
    }

    const fn stamper_of(&self, block: u64) -> (Stamper, u64) {
        match self.original(block) {
            None => (self.own, block * BLOCK_BYTES),
            Some(original) => (self.originals, original * BLOCK_BYTES),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phases::WrongData;
    use proptest::prelude::*;

    const STAMPS: Stamps = Stamps { nonce: 7, earlier: Vec::new() };
    const FILE: Origin = Origin { file: 0, generation: Generation::Rewritten };

    fn percent(percent: u64) -> Duplicates {
        Duplicates { percent }
    }

    proptest! {
        #[test]
        fn the_share_is_exact_in_a_file_and_in_a_set(share in 0_u64..=100, files in 1_u64..20) {
            let duplicates = percent(share);
            let in_file = (0..1000).filter(|block| duplicates.original(0, *block).is_some()).count() as u64;
            prop_assert_eq!(in_file, 10 * share);
            let in_set = (0..100 * files).filter(|file| duplicates.original((1 << 40) | *file, 0).is_some()).count() as u64;
            prop_assert_eq!(in_set, share * files);
        }
    }

    #[test]
    fn originals_are_taken_in_turn() {
        let taken: Vec<u64> = (0..400).filter_map(|block| percent(50).original(0, block)).collect();
        assert!(taken.iter().enumerate().all(|(index, original)| *original == index as u64 % ORIGINALS));
    }

    #[test]
    fn what_was_marked_is_right_and_equal_blocks_have_equal_stamps() {
        let marks = Marks::of(&STAMPS, FILE, percent(100));
        let mut bytes = vec![0; 65 * BLOCK];
        marks.mark(&mut bytes, 0);
        assert_eq!(marks.first_wrong(&bytes, 0), None);
        assert_eq!(bytes[..BLOCK], bytes[64 * BLOCK..]);
        assert_ne!(bytes[..BLOCK], bytes[BLOCK..2 * BLOCK]);
        for block in 0..65 {
            let mut bytes = bytes.clone();
            bytes[block * BLOCK..(block + 1) * BLOCK].fill(9);
            assert_eq!(marks.first_wrong(&bytes, 0).map(|place| place / BLOCK), Some(block));
        }
    }

    #[test]
    fn without_duplicates_the_stamps_are_those_of_the_file() {
        let (mut plain, mut marked) = (vec![0; 3 * BLOCK], vec![0; 3 * BLOCK]);
        STAMPS.of(FILE).mark(&mut plain, 512);
        Marks::of(&STAMPS, FILE, percent(0)).mark(&mut marked, 512);
        assert_eq!(plain, marked);
    }

    /// The stamp that a file in a generation has at an offset.
    fn stamp(stamps: &Stamps, origin: Origin, duplicates: Duplicates, offset: u64) -> [u8; 8] {
        let mut block = [0; BLOCK];
        Marks::of(stamps, origin, duplicates).mark(&mut block, offset);
        *block.first_chunk().unwrap()
    }

    #[test]
    fn each_kind_of_wrong_duplicate_is_named() {
        let files = [(0, 1 << 20), (1, 1 << 20)];
        let stamps = Stamps { earlier: vec![5], ..STAMPS };
        let written = Origin { generation: Generation::Written, ..FILE };
        let earlier = Stamps { nonce: 5, ..STAMPS };
        let half = percent(50);
        // Of each two blocks the second is a duplicate: block 1 of original 0, block 3 of original 1.
        let cases = [
            (4096, stamp(&stamps, written, half, 4096), WrongData::BeforeRewrite),
            (4096, stamp(&stamps, FILE, half, 3 * 4096), WrongData::Original(1)),
            (4096, stamp(&stamps, FILE, half, 0), WrongData::OtherPlace(0)),
            (4096, stamp(&stamps, Origin { file: 1, ..FILE }, percent(0), 0), WrongData::OtherFile),
            (4096, stamp(&earlier, FILE, half, 4096), WrongData::EarlierRun),
            (4096, [0; 8], WrongData::Zeros),
            (4096, [1; 8], WrongData::Foreign),
            (8192, stamp(&stamps, FILE, half, 3 * 4096), WrongData::Original(1)),
            (8192, stamp(&stamps, written, half, 8192), WrongData::BeforeRewrite),
        ];
        for (offset, found, kind) in cases {
            assert_eq!(stamps.explain(found, offset, FILE, half, &files), kind, "at {offset}");
        }
    }
}
