//! Seeded streams and keyed permutations, stable for ever: the same seed gives the same work on every machine and day.
//!
//! What is here may never change its output: a change needs a new [`GENERATOR`] number, which is part of every workload id.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// The number of this generation of streams and permutations; part of every workload id.
pub const GENERATOR: u32 = 1;

/// Mixes 64 bits so that every input bit reaches every output bit; a bijection.
///
/// The finalizer of splitmix64 (Steele, Lea and Flood, OOPSLA 2014; constants of Stafford's variant 13).
#[inline]
#[must_use]
pub const fn mix64(value: u64) -> u64 {
    let z = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Mixes several numbers into one, order and count mattering.
#[must_use]
pub fn mix_all(values: &[u64]) -> u64 {
    values.iter().fold(mix64(values.len() as u64), |state, value| mix64(state ^ mix64(*value)))
}

/// A 64-bit hash of bytes: FNV-1a (Fowler, Noll, Vo) with a splitmix64 finalizer. For identities, not for secrets.
#[must_use]
pub fn hash64(bytes: &[u8]) -> u64 {
    mix64(bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)))
}

/// A stream of pseudo-random numbers: xoshiro256++ (Blackman and Vigna), seeded through splitmix64.
#[derive(Debug, Clone)]
pub struct Stream(Xoshiro256PlusPlus);

impl Stream {
    /// The stream of a seed for one named purpose, so that two purposes never share numbers.
    #[must_use]
    pub fn of(seed: u64, purpose: &str) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(mix_all(&[seed, hash64(purpose.as_bytes())])))
    }

    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number from 0 to `bound - 1` (0 when `bound` is 0), by Lemire's multiply-and-shift with rejection (ACM TOMACS 2019).
    pub fn below(&mut self, bound: u64) -> u64 {
        if bound == 0 {
            return 0;
        }
        let threshold = bound.wrapping_neg() % bound;
        loop {
            let product = u128::from(self.next_u64()) * u128::from(bound);
            if product as u64 >= threshold {
                return (product >> 64) as u64;
            }
        }
    }

    /// Fills a buffer with pseudo-random bytes.
    pub fn fill(&mut self, bytes: &mut [u8]) {
        self.0.fill_bytes(bytes);
    }

    /// Puts the items into a random order (Fisher and Yates, Durstenfeld's version).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let other = self.below(last as u64 + 1) as usize;
            items.swap(last, other);
        }
    }
}

/// A keyed permutation of 0 to `len - 1` that needs no table: a four-round Feistel network over the smallest even number of bits
/// that holds `len`, walking the cycle until the value is below `len` (Black and Rogaway, CT-RSA 2002).
#[derive(Debug, Clone, Copy)]
pub struct Permutation {
    len: u64,
    half_bits: u32,
    keys: [u64; 4],
}

impl Permutation {
    /// The permutation of `len` values for a seed and a named purpose.
    #[must_use]
    pub fn of(len: u64, seed: u64, purpose: &str) -> Self {
        let bits = 64 - len.saturating_sub(1).leading_zeros();
        let mut stream = Stream::of(seed, purpose);
        Self { len, half_bits: bits.div_ceil(2).max(1), keys: std::array::from_fn(|_| stream.next_u64()) }
    }

    /// Where `index` goes. `index` must be below `len`.
    #[inline]
    #[must_use]
    pub fn at(&self, index: u64) -> u64 {
        debug_assert!(index < self.len, "index {index} of a permutation of {}", self.len);
        let mut value = index;
        loop {
            value = self.network(value);
            if value < self.len {
                return value;
            }
        }
    }

    #[inline]
    fn network(&self, value: u64) -> u64 {
        let mask = (1_u64 << self.half_bits) - 1;
        let (mut left, mut right) = (value >> self.half_bits, value & mask);
        for key in self.keys {
            (left, right) = (right, left ^ (mix64(right ^ key) & mask));
        }
        (left << self.half_bits) | right
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// These numbers are the promise that generator 1 never changes.
    #[test]
    fn generator_1_is_pinned() {
        assert_eq!(GENERATOR, 1);
        let mut stream = Stream::of(1, "names");
        let first: Vec<u64> = (0..3).map(|_| stream.next_u64()).collect();
        let permutation = Permutation::of(1000, 1, "seek");
        let places: Vec<u64> = (0..5).map(|i| permutation.at(i)).collect();
        let mut shuffled: Vec<u32> = (0..8).collect();
        Stream::of(7, "order").shuffle(&mut shuffled);
        assert_eq!(
            format!("{first:x?} {places:?} {shuffled:?} {:x} {:x}", mix64(0), hash64(b"barrow")),
            concat!(
                "[f75f1c543ca1d279, f0d9e49be9288cca, 35504eccff522c88] [720, 737, 816, 471, 59] [5, 0, 4, 3, 2, 1, 7, 6] ",
                "e220a8397b1dcdaf b55ccf4280665099"
            )
        );
    }

    #[test]
    fn purposes_do_not_share_numbers() {
        assert_ne!(Stream::of(1, "a").next_u64(), Stream::of(1, "b").next_u64());
        assert_ne!(mix_all(&[1, 2]), mix_all(&[2, 1]));
        assert_ne!(mix_all(&[0]), mix_all(&[0, 0]));
    }

    #[test]
    fn below_is_even() {
        let mut stream = Stream::of(1, "even");
        let mut counts = [0_u32; 6];
        for _ in 0..60_000 {
            counts[stream.below(6) as usize] += 1;
        }
        assert!(counts.iter().all(|n| (9_500..10_500).contains(n)), "{counts:?}");
        assert_eq!(stream.below(0), 0);
    }

    proptest! {
        #[test]
        fn a_permutation_meets_each_value_once(len in 1_u64..5_000, seed: u64) {
            let permutation = Permutation::of(len, seed, "test");
            let mut seen = vec![false; len as usize];
            for i in 0..len {
                let place = permutation.at(i) as usize;
                prop_assert!(!seen[place]);
                seen[place] = true;
            }
        }

        #[test]
        fn a_large_permutation_stays_in_range(len in 1_u64..u64::MAX / 8, index: u64) {
            let permutation = Permutation::of(len, 1, "test");
            prop_assert!(permutation.at(index % len) < len);
        }
    }
}
