//! A scale: a profile with fewer files and smaller large files, for a place or a time that is too small for the whole.

use super::Settings;
use std::fmt;

/// Millionths of the whole: from one to all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scale(u64);

const WHOLE: u64 = 1_000_000;
/// Of a per cent.
const A_PERCENT: u64 = WHOLE / 100;
/// Large files stay a multiple of it, so that chunks of the usual sizes fit.
const MIB: u64 = 1 << 20;

impl Scale {
    /// `1%`, `0.25%`, `100%`.
    ///
    /// # Errors
    /// In words.
    pub fn parse(text: &str) -> Result<Self, String> {
        let problem = || format!("`{text}` is no scale: a number from 0.0001% to 100%, as in 1%");
        let number = text.trim().strip_suffix('%').ok_or_else(problem)?;
        let (whole, part) = number.split_once('.').unwrap_or((number, ""));
        let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if whole.is_empty() || whole.len() > 3 || part.len() > 4 || !are_digits(whole) || !are_digits(part) {
            return Err(problem());
        }
        let part: u64 = format!("{part:0<4}").parse().map_err(|_| problem())?;
        let millionths = whole.parse::<u64>().map_err(|_| problem())? * A_PERCENT + part;
        if (1..=WHOLE).contains(&millionths) { Ok(Self(millionths)) } else { Err(problem()) }
    }

    /// Whether it shrinks nothing.
    #[must_use]
    pub const fn is_whole(self) -> bool {
        self.0 == WHOLE
    }

    /// So much of a count, at least one where there is any.
    #[must_use]
    pub fn of_count(self, count: u64) -> u64 {
        let part = u128::from(count) * u128::from(self.0) / u128::from(WHOLE);
        u64::try_from(part).unwrap_or(u64::MAX).max(count.min(1))
    }

    /// So much of a size in whole MiB, at least one where there is any; smaller sizes stay as they are.
    #[must_use]
    pub fn of_size(self, bytes: u64) -> u64 {
        if bytes <= MIB { bytes } else { (self.of_count(bytes) / MIB * MIB).max(MIB) }
    }
}

impl fmt::Display for Scale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, part) = (self.0 / A_PERCENT, self.0 % A_PERCENT);
        let part = format!("{part:04}");
        match part.trim_end_matches('0') {
            "" => write!(f, "{whole}%"),
            part => write!(f, "{whole}.{part}%"),
        }
    }
}

impl Settings {
    /// The settings with fewer files and smaller large files; the sizes of small files, transfers and times stay.
    #[must_use]
    pub fn scaled(&self, scale: Scale) -> Self {
        Self {
            file_size: scale.of_size(self.file_size),
            files: scale.of_count(self.files),
            place_size: scale.of_size(self.place_size),
            sweep_size: scale.of_size(self.sweep_size),
            tree_files: scale.of_count(self.tree_files),
            library_files: scale.of_count(self.library_files),
            ..self.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scale_is_read_as_it_is_shown() {
        for text in ["1%", "0.25%", "100%", "0.0001%", "33.3%"] {
            assert_eq!(Scale::parse(text).unwrap().to_string(), text);
        }
        for other in ["", "1", "%", "0%", "100.1%", "101%", "-1%", "1e2%", "0.00001%", "1.%x"] {
            assert!(Scale::parse(other).is_err(), "{other}");
        }
    }

    #[test]
    fn counts_and_sizes_shrink_together_and_never_to_nothing() {
        let scale = Scale::parse("1%").unwrap();
        assert_eq!((scale.of_count(2_048_000), scale.of_count(3), scale.of_count(0)), (20_480, 1, 0));
        assert_eq!((scale.of_size(4 << 30), scale.of_size(5 << 20), scale.of_size(4096), scale.of_size(0)), (40 << 20, MIB, 4096, 0));
    }
}
