//! How a phase ended.

use serde::{Deserialize, Serialize};

/// How a phase ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It has a result.
    Ok,
    /// An error spoiled it: it has no number.
    Failed,
    /// It took longer than the user allowed (`--max-phase-seconds`), and was ended: it has no number.
    Truncated,
    /// Nothing moved for so long that barrow gave it up: it has no number.
    Hung,
    /// It was not done.
    Skipped,
}

impl Status {
    /// The word in CSV.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Failed => "failed",
            Self::Truncated => "truncated",
            Self::Hung => "hung",
            Self::Skipped => "skipped",
        }
    }

    /// Whether it was begun and has no result for a reason that nobody wished.
    #[must_use]
    pub const fn is_failure(self) -> bool {
        match self {
            Self::Failed | Self::Truncated | Self::Hung => true,
            Self::Ok | Self::Skipped => false,
        }
    }
}
