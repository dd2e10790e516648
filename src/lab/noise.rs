//! Bytes that no filesystem can keep in less space than they take: no zeros, nothing to compress, no block twice.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// A stream of them.
#[derive(Debug)]
pub struct Noise(Xoshiro256PlusPlus);

impl Noise {
    /// The stream of a seed: xoshiro256++ (Blackman and Vigna).
    #[must_use]
    pub fn of(seed: u64) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    /// Fills a buffer with what comes next.
    pub fn fill(&mut self, buffer: &mut [u8]) {
        self.0.fill_bytes(buffer);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn no_block_is_zero_or_comes_twice() {
        let (mut noise, mut buffer) = (Noise::of(1), vec![0; 1 << 20]);
        let mut blocks = HashSet::new();
        for _ in 0..3 {
            noise.fill(&mut buffer);
            assert!(buffer.chunks(4096).all(|block| blocks.insert(block.to_vec())));
        }
        assert!(!blocks.contains(&vec![0; 4096]));
        let mut other = vec![0; 4096];
        Noise::of(2).fill(&mut other);
        assert!(!blocks.contains(&other));
    }
}
