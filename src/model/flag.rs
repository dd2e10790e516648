//! Marks on a result that could mislead: a word, a letter for 80-column text, and the sentence of the legend.

use serde::{Deserialize, Serialize};

/// A mark on a result; it never removes the value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Flag {
    /// The phase took less than [`SHORT_NANOSECONDS`].
    Short,
    /// One clock reading served several operations.
    Batched,
}

/// A phase under this time is flagged short: /proc/stat ticks are 10 ms, 1 % of it.
pub const SHORT_NANOSECONDS: u64 = 1_000_000_000;

impl Flag {
    /// The word in CSV, wikis and charts.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Short => "short",
            Self::Batched => "batched",
        }
    }

    /// The letter beside a number in 80-column text.
    #[must_use]
    pub const fn letter(self) -> char {
        match self {
            Self::Short => 's',
            Self::Batched => 'b',
        }
    }

    /// What it means, for the legend.
    #[must_use]
    pub const fn legend(self) -> &'static str {
        match self {
            Self::Short => "short: the phase took under 1 s: rate and CPU are coarse",
            Self::Batched => "batched: operations under 2 µs: p99 is of means of 16, the clock was read once for each 16",
        }
    }
}
