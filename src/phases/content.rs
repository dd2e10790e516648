//! What is written: slices of the random pool, stamped, with the zeros and the duplicate blocks that the profile asks for.

use super::duplicates::{Duplicates, Marks, ORIGINALS};
use super::pool::{Buffer, Pool};
use crate::model::settings::{BLOCK_BYTES, Settings};
use crate::rng::Stream;

const BLOCK: usize = BLOCK_BYTES as usize;
/// Zeros come in whole words of this many bytes.
const WORD: usize = 8;

/// Turns the end of a block into zeros: so many per cent of it, rounded down to whole words of 8 bytes.
fn end_with_zeros(block: &mut [u8], percent: u64) {
    let zeros = block.len() * percent as usize / 100 / WORD * WORD;
    let start = block.len() - zeros;
    block[start..].fill(0);
}

/// The data of a worker.
#[derive(Debug)]
pub struct Content {
    pool: Pool,
    /// Only where data is not plain, that is, neither all incompressible nor all unique.
    mix: Option<Mix>,
}

impl Content {
    /// The data of a worker of a run, for pieces of at most `longest` bytes.
    #[must_use]
    pub fn of(settings: &Settings, nonce: u64, worker: u64, longest: usize) -> Self {
        let mut pool = Pool::of(nonce, worker, longest);
        if settings.has_plain_data() {
            return Self { pool, mix: None };
        }
        // Pieces stand at whole blocks of file and pool, so these zeros cost nothing on the clock.
        pool.each_block(|block| end_with_zeros(block, settings.compressible));
        let mix = Mix::of(settings, nonce, pool.slice(longest));
        Self { pool, mix: Some(mix) }
    }

    /// The next piece of a file, stamped: `length` bytes for `offset`, which is a multiple of 512, and of 4096 where data is not plain.
    /// Whoever changes more of it than stamps puts back what stood there, since later pieces are made of it.
    #[inline]
    pub fn next(&mut self, marks: &Marks, offset: u64, length: usize) -> &mut [u8] {
        let fresh = self.pool.slice(length);
        match &mut self.mix {
            None => {
                marks.mark(fresh, offset);
                fresh
            }
            Some(mix) => mix.applied(fresh, marks, offset),
        }
    }
}

/// What is put into the data of the pool.
#[derive(Debug)]
struct Mix {
    compressible: u64,
    duplicates: Duplicates,
    /// The blocks that duplicates are made of, the same for every worker of a run.
    originals: Buffer,
    /// Where pieces are put together: in the pool the originals would stay behind.
    desk: Buffer,
}

impl Mix {
    fn of(settings: &Settings, nonce: u64, longest: &[u8]) -> Self {
        let mut originals = Buffer::of(ORIGINALS as usize * BLOCK);
        Stream::of(nonce, "duplicates").fill(originals.bytes());
        originals.bytes().chunks_mut(BLOCK).for_each(|block| end_with_zeros(block, settings.compressible));
        let mut desk = Buffer::of(longest.len());
        // Its pages are touched here, so that they need not be found on the clock.
        desk.bytes().copy_from_slice(longest);
        Self { compressible: settings.compressible, duplicates: Duplicates::of(settings), originals, desk }
    }

    fn applied<'a>(&'a mut self, fresh: &'a mut [u8], marks: &Marks, offset: u64) -> &'a mut [u8] {
        if !self.duplicates.are_any() && fresh.len().is_multiple_of(BLOCK) {
            marks.mark(fresh, offset);
            return fresh;
        }
        let originals = self.originals.bytes();
        let piece = &mut self.desk.bytes()[..fresh.len()];
        for (block, (to, from)) in (offset / BLOCK_BYTES..).zip(piece.chunks_mut(BLOCK).zip(fresh.chunks(BLOCK))) {
            let from = match marks.original(block) {
                None => from,
                Some(original) => &originals[original as usize * BLOCK..][..from.len()],
            };
            to.copy_from_slice(from);
            if to.len() < BLOCK {
                end_with_zeros(to, self.compressible);
            }
        }
        marks.mark(piece, offset);
        piece
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phases::stamp::{Generation, Origin, Stamps};
    use std::collections::BTreeMap;

    const CHUNK: usize = 8 * BLOCK;

    fn settings(compressible: u64, dedupe: u64) -> Settings {
        Settings { compressible, dedupe, ..Settings::default() }
    }

    /// A file of so many bytes, written in chunks.
    fn file(settings: &Settings, worker: u64, bytes: usize) -> Vec<u8> {
        let stamps = Stamps { nonce: 7, earlier: Vec::new() };
        let origin = Origin { file: worker, generation: Generation::Written };
        let marks = Marks::of(&stamps, origin, Duplicates::of(settings));
        let mut content = Content::of(settings, stamps.nonce, worker, CHUNK);
        let mut file = Vec::new();
        while file.len() < bytes {
            let length = CHUNK.min(bytes - file.len());
            let offset = file.len() as u64;
            file.extend_from_slice(content.next(&marks, offset, length));
        }
        for (index, chunk) in file.chunks(CHUNK).enumerate() {
            assert_eq!(marks.first_wrong(chunk, (index * CHUNK) as u64), None);
        }
        file
    }

    /// Bytes at the end of a block that are zeros, those of stamps left out.
    fn zeros_at_end(block: &[u8]) -> usize {
        let is_data = |place: &usize| place % 512 >= 8;
        (0..block.len()).rev().filter(is_data).take_while(|place| block[*place] == 0).count()
    }

    #[test]
    fn each_block_ends_with_its_share_of_zeros() {
        for (percent, bytes) in [(0, 0), (1, 40), (50, 2048), (75, 3072), (99, 4048), (100, 4096)] {
            for dedupe in [0, 30, 100] {
                let data_of = |range: std::ops::Range<usize>| range.filter(|place| place % 512 >= 8).count();
                let zeros = data_of(BLOCK - bytes..BLOCK);
                for block in file(&settings(percent, dedupe), 0, 40 * CHUNK).chunks(BLOCK) {
                    let found = zeros_at_end(block);
                    // What stands before the zeros is random, and a random byte may be a zero.
                    assert!((zeros..zeros + 4).contains(&found), "{percent} %: {found} zeros, not {zeros}");
                    let rest = block[..BLOCK - bytes].iter().filter(|byte| **byte == 0).count();
                    assert!(rest < 60, "{rest} zeros in the rest");
                }
            }
        }
    }

    #[test]
    fn a_block_that_is_no_whole_one_has_the_same_share() {
        for (size, zeros) in [(1000, 496), (100, 48), (5 * BLOCK + 3000, 1496)] {
            let file = file(&settings(50, 0), 0, size);
            let last = file.chunks(BLOCK).next_back().unwrap();
            let expected = (last.len() - zeros..last.len()).filter(|place| place % 512 >= 8).count();
            assert!((expected..expected + 4).contains(&zeros_at_end(last)), "{size}: {} of {expected}", zeros_at_end(last));
        }
    }

    #[test]
    fn the_share_of_equal_blocks_is_exact() {
        for (percent, compressible) in [(0, 0), (10, 0), (50, 40), (100, 0), (100, 100)] {
            let settings = settings(compressible, percent);
            let mut counts: BTreeMap<Vec<u8>, u64> = BTreeMap::new();
            // Two workers share the originals.
            for worker in 0..2 {
                for block in file(&settings, worker, 800 * BLOCK).chunks(BLOCK) {
                    *counts.entry(block.to_vec()).or_default() += 1;
                }
            }
            let equal: Vec<u64> = counts.values().copied().filter(|count| *count > 1).collect();
            assert_eq!(equal.iter().sum::<u64>(), 16 * percent, "{percent} %");
            assert_eq!(equal.len(), if percent == 0 { 0 } else { 64 });
        }
    }

    #[test]
    fn no_original_stays_behind_in_unique_blocks() {
        // Whole sectors without their stamps: an original that stayed in the pool would come again in a unique block.
        let file = file(&settings(0, 50), 0, 1200 * BLOCK);
        let mut seen = BTreeMap::new();
        for (block, bytes) in file.chunks(BLOCK).enumerate() {
            let is_duplicate = Duplicates::of(&settings(0, 50)).original(0, block as u64).is_some();
            assert_eq!(*seen.entry(bytes[8..512].to_vec()).or_insert(is_duplicate), is_duplicate, "block {block}");
        }
    }
}
