//! The data of a worker: a random pool, out of which each chunk takes another slice.

use crate::rng::Stream;

/// Bytes of the random pool that slices start in.
pub const POOL_BYTES: usize = 1 << 20;
/// Slices and buffers start at multiples of this, which suits direct I/O nearly everywhere; where not, it is refused before.
pub const ALIGNMENT: usize = 4096;
/// Steps between the starts of two slices: odd, so that all 256 starts are met before one comes again.
const STEP: usize = 37 * ALIGNMENT;

/// Where slices start in a pool, one after the other, for ever.
pub fn starts() -> impl Iterator<Item = usize> {
    std::iter::successors(Some(0), |start| Some((start + STEP) % POOL_BYTES))
}

/// A buffer whose start is aligned for direct I/O.
#[derive(Debug)]
pub struct Buffer {
    bytes: Vec<u8>,
    start: usize,
    length: usize,
}

impl Buffer {
    /// A buffer of zeros.
    #[must_use]
    pub fn of(length: usize) -> Self {
        let bytes = vec![0; length + ALIGNMENT];
        let start = bytes.as_ptr().align_offset(ALIGNMENT).min(ALIGNMENT);
        Self { bytes, start, length }
    }

    /// The bytes.
    #[inline]
    pub fn bytes(&mut self) -> &mut [u8] {
        &mut self.bytes[self.start..self.start + self.length]
    }
}

/// Incompressible data: a random pool and the longest slice beyond it.
#[derive(Debug)]
pub struct Pool {
    buffer: Buffer,
    next: usize,
}

impl Pool {
    /// The pool of a worker for slices of at most `longest` bytes.
    #[must_use]
    pub fn of(nonce: u64, worker: u64, longest: usize) -> Self {
        let mut buffer = Buffer::of(POOL_BYTES + longest);
        Stream::of(nonce ^ worker.rotate_left(32), "pool").fill(buffer.bytes());
        Self { buffer, next: 0 }
    }

    /// The next slice; its stamps may be changed, since stamps are as random as the rest.
    #[inline]
    pub fn slice(&mut self, length: usize) -> &mut [u8] {
        let start = self.next;
        self.next = (self.next + STEP) % POOL_BYTES;
        &mut self.buffer.bytes()[start..start + length]
    }

    /// Changes each whole block of 4096 bytes, in which slices start.
    pub fn each_block(&mut self, change: impl FnMut(&mut [u8])) {
        self.buffer.bytes().chunks_exact_mut(ALIGNMENT).for_each(change);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn slices_are_aligned_and_rotate() {
        let mut pool = Pool::of(1, 0, 8192);
        let starts: BTreeSet<usize> = (0..256).map(|_| pool.slice(8192).as_ptr() as usize).collect();
        assert_eq!(starts.len(), 256);
        assert!(starts.iter().all(|start| start % ALIGNMENT == 0));
    }

    #[test]
    fn slices_start_where_it_is_told() {
        let mut pool = Pool::of(1, 0, 8192);
        let first = pool.slice(8192).as_ptr() as usize;
        for start in starts().skip(1).take(300) {
            assert_eq!(pool.slice(8192).as_ptr() as usize - first, start);
        }
    }

    #[test]
    fn data_cannot_be_compressed() {
        let mut pool = Pool::of(1, 0, 8192);
        let mut counts = [0_u32; 256];
        for byte in pool.slice(8192) {
            counts[usize::from(*byte)] += 1;
        }
        assert!(counts.iter().all(|count| *count < 80), "a byte value stands out");
    }

    #[test]
    fn workers_have_different_data() {
        assert_ne!(Pool::of(1, 0, 512).slice(512), Pool::of(1, 1, 512).slice(512));
    }
}
