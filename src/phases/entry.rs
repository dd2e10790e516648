//! The entries of file sets: their numbers and their names.

use crate::rng::{Stream, mix_all};
use crate::target::ShortName;
use crate::target::scratch::{FILE_NUMBER_DIGITS, FILE_SUFFIX_MOST, FileSetKind};
use std::ffi::CStr;

const SUFFIX_LETTERS: &[u8; 62] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/// A file by its name and number in the set.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    name: ShortName,
    /// Its number in the set, from 0.
    pub number: u32,
}

impl Entry {
    /// The name in its directory.
    #[inline]
    #[must_use]
    pub fn name(&self) -> &CStr {
        self.name.as_c_str()
    }

    /// A file of a set whose names are drawn from `names`: its number in ten hexadecimal digits, and up to twelve letters after
    /// (sequential) or before it (random).
    #[must_use]
    pub fn of(kind: FileSetKind, names: u64, number: u32) -> Self {
        let bits = mix_all(&[names, u64::from(number)]);
        let suffix_length = (bits % (FILE_SUFFIX_MOST as u64 + 1)) as usize;
        let mut letters = Stream::of(bits, "suffix");
        let mut name = [0; FILE_NUMBER_DIGITS + FILE_SUFFIX_MOST];
        let (number_at, suffix_at) = match kind {
            FileSetKind::Sequential => (0, FILE_NUMBER_DIGITS),
            FileSetKind::Random => (suffix_length, 0),
        };
        for letter in &mut name[suffix_at..suffix_at + suffix_length] {
            *letter = SUFFIX_LETTERS[letters.below(SUFFIX_LETTERS.len() as u64) as usize];
        }
        for (digit, place) in (number_at..number_at + FILE_NUMBER_DIGITS).enumerate() {
            let shift = 4 * (FILE_NUMBER_DIGITS - 1 - digit);
            name[place] = b"0123456789abcdef"[(u64::from(number) >> shift & 0xf) as usize];
        }
        // Letters and digits have no zero byte, and 22 of them fit.
        let name = ShortName::of(&name[..FILE_NUMBER_DIGITS + suffix_length]).expect("a short name");
        Self { name, number }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::scratch::is_set_file_name;
    use std::collections::BTreeSet;

    #[test]
    fn names_are_those_of_the_design() {
        let names = |kind| -> Vec<String> { (0..1000).map(|i| Entry::of(kind, 1, i).name().to_string_lossy().into_owned()).collect() };
        let sequential = names(FileSetKind::Sequential);
        assert!(sequential.is_sorted());
        assert!(sequential[255].starts_with("00000000ff"));
        let lengths: BTreeSet<usize> = sequential.iter().map(String::len).collect();
        assert_eq!(lengths, (10..=22).collect());
        assert!(names(FileSetKind::Random)[255].ends_with("00000000ff"));
        for kind in [FileSetKind::Sequential, FileSetKind::Random] {
            assert!((0..1000).all(|i| is_set_file_name(Entry::of(kind, 1, i).name())));
        }
    }
}
