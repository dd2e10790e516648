//! Where the bytes of a phase came from and whether they reached the device: two closed lists of words.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Where a phase was served from, by evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum CacheLabel {
    /// From storage, proven.
    Cold,
    /// The page cache was proven empty; the device is not identified, or others used it meanwhile.
    ColdUnproven,
    /// This machine's cache was empty; what a server cached is unknown.
    ColdHere,
    /// This many per cent came from storage, the rest from memory.
    Mixed(u8),
    /// From this machine's memory.
    Cached,
    /// The page cache was empty, but a cache below it answered.
    CachedBelow,
    /// The filesystem lies in memory.
    Memory,
    /// No proof either way.
    Unknown,
}

impl CacheLabel {
    /// Every label, as an example of each, in the order of the list.
    pub const ALL: [Self; 8] =
        [Self::Cold, Self::ColdUnproven, Self::ColdHere, Self::Mixed(40), Self::Cached, Self::CachedBelow, Self::Memory, Self::Unknown];

    /// Whether the rate is a figure of the storage device, as far as is known.
    #[must_use]
    pub const fn is_device_figure(self) -> bool {
        match self {
            Self::Cold | Self::ColdUnproven | Self::ColdHere => true,
            Self::Mixed(_) | Self::Cached | Self::CachedBelow | Self::Memory | Self::Unknown => false,
        }
    }

    /// The word without its share: `mixed` for every [`CacheLabel::Mixed`].
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Cold => "cold",
            Self::ColdUnproven => "cold?",
            Self::ColdHere => "cold here",
            Self::Mixed(_) => "mixed",
            Self::Cached => "cached",
            Self::CachedBelow => "cached below",
            Self::Memory => "memory",
            Self::Unknown => "unknown",
        }
    }

    /// What it means, for the legend.
    #[must_use]
    pub const fn legend(self) -> &'static str {
        match self {
            Self::Cold => "not in the page cache before, then read from storage by barrow itself",
            Self::ColdUnproven => "the page cache was empty; that the device answered is not proven",
            Self::ColdHere => "not in this machine's memory; the server's cache is unknown",
            Self::Mixed(_) => "the share that came from storage, the rest from memory",
            Self::Cached => "answered from memory: not a device figure",
            Self::CachedBelow => "answered by a cache below the page cache: not a device figure",
            Self::Memory => "the filesystem lies in memory: there is no device",
            Self::Unknown => "no proof whether memory or a device answered",
        }
    }
}

impl fmt::Display for CacheLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mixed(percent) => write!(f, "mixed {percent}%"),
            other => f.write_str(other.word()),
        }
    }
}

/// A label that is not on the closed list.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no label that this barrow knows")]
pub struct LabelError(String);

impl TryFrom<String> for CacheLabel {
    type Error = LabelError;

    fn try_from(text: String) -> Result<Self, LabelError> {
        let plain = [Self::Cold, Self::ColdUnproven, Self::ColdHere, Self::Cached, Self::CachedBelow, Self::Memory, Self::Unknown];
        if let Some(label) = plain.into_iter().find(|label| label.word() == text) {
            return Ok(label);
        }
        let share = text.strip_prefix("mixed ").and_then(|rest| rest.strip_suffix('%'));
        match share.and_then(|digits| digits.parse::<u8>().ok()) {
            Some(percent) if percent <= 100 => Ok(Self::Mixed(percent)),
            _ => Err(LabelError(text)),
        }
    }
}

impl From<CacheLabel> for String {
    fn from(label: CacheLabel) -> Self {
        label.to_string()
    }
}

/// Whether what a phase changed was on stable storage when its clock stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Durability {
    /// Flushed inside the clock, on a filesystem whose flush reaches the device.
    #[serde(rename = "durable")]
    Durable,
    /// Flushed inside the clock; whether that reaches stable storage is not known.
    #[serde(rename = "durable?")]
    Uncertain,
    /// Only taken over by the system: there was nothing to flush to.
    #[serde(rename = "acknowledged")]
    Acknowledged,
}

impl Durability {
    /// Every label, in the order of the list.
    pub const ALL: [Self; 3] = [Self::Durable, Self::Uncertain, Self::Acknowledged];

    /// The word in every report.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Durable => "durable",
            Self::Uncertain => "durable?",
            Self::Acknowledged => "acknowledged",
        }
    }

    /// What it means, for the legend.
    #[must_use]
    pub const fn legend(self) -> &'static str {
        match self {
            Self::Durable => "flushed to the device inside the clock",
            Self::Uncertain => "flushed inside the clock; whether that is stable storage is not known",
            Self::Acknowledged => "taken over by the system only: there is no device to flush to",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_read_back() {
        for label in [CacheLabel::Cold, CacheLabel::ColdUnproven, CacheLabel::ColdHere, CacheLabel::Mixed(42), CacheLabel::Cached] {
            assert_eq!(CacheLabel::try_from(label.to_string()), Ok(label));
        }
        for text in ["", "Cold", "mixed", "mixed 101%", "mixed -1%", "mixed 5"] {
            assert!(CacheLabel::try_from(text.to_owned()).is_err(), "{text}");
        }
    }

    #[test]
    fn durability_is_stored_as_its_word() {
        for label in [Durability::Durable, Durability::Uncertain, Durability::Acknowledged] {
            assert_eq!(serde_json::to_string(&label).unwrap(), format!("\"{}\"", label.word()));
        }
    }
}
