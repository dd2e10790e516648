//! A plan: what one run is to do, complete and checked; stored with every result.

use super::phase::{Group, Phase};
use super::profile::Profile;
use super::settings::{KEYS, Settings, SettingsError};
use serde::{Deserialize, Serialize};

/// Whether root's right to drop the system's caches is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DropCaches {
    /// Before every cold phase, where the rights suffice.
    Auto,
    /// Never.
    Never,
}

/// What one run is to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// The name of the profile, with what was changed in it.
    pub profile: String,
    /// The settings of the work.
    pub settings: Settings,
    /// The number of the generator of streams and permutations ([`crate::rng`] names it).
    pub generator: u32,
    /// Whether caches are dropped.
    pub drop_caches: DropCaches,
}

impl Plan {
    /// The plan of a profile.
    ///
    /// # Errors
    /// When the settings do not go together.
    pub fn of(profile: &Profile, generator: u32, drop_caches: DropCaches) -> Result<Self, SettingsError> {
        profile.settings.check()?;
        Ok(Self { profile: profile.name.clone(), settings: profile.settings.clone(), generator, drop_caches })
    }

    /// Why a phase of the catalogue is left out of this plan; `None` when it is done.
    #[must_use]
    pub fn skips(&self, phase: Phase) -> Option<&'static str> {
        match phase.row().group {
            Group::Block | Group::Seek if self.settings.file_size == 0 => Some("file_size = 0"),
            Group::Sequential | Group::Random if self.settings.files == 0 => Some("files = 0"),
            Group::Block | Group::Seek | Group::Sequential | Group::Random => None,
        }
    }

    /// The work as canonical text: the generator and each work key with its value, a line each. Equal text means equal work.
    #[must_use]
    pub fn canonical(&self) -> String {
        let keys = KEYS.iter().filter(|key| key.is_work).map(|key| format!("{}={}\n", key.name, key.show(&self.settings)));
        format!("generator={}\n{}", self.generator, keys.collect::<String>())
    }

    /// The parameters as a person reads them, each `key=value`.
    #[must_use]
    pub fn parameters(&self) -> Vec<String> {
        KEYS.iter().map(|key| format!("{}={}", key.name, key.show(&self.settings))).collect()
    }
}
