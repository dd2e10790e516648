//! What was done to the caches before a phase.

use serde::{Deserialize, Serialize};

/// What was done to the caches before a phase; must be equal for two results to be compared.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Preparation {
    /// The filesystem was flushed, off the clock.
    pub flushed: bool,
    /// The block files were evicted from the page cache.
    pub evicted: bool,
    /// How often the system's caches were dropped.
    pub drops: u32,
    /// The block files were read on purpose, so that the phase begins warm.
    #[serde(default)]
    pub warmed: bool,
    /// The filesystem was unmounted and mounted again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub remounted: bool,
    /// Nanoseconds that the user's command took, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command_ns: Option<u64>,
    /// Why no cache could be dropped, where it was wished.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hindrance: Option<String>,
}
