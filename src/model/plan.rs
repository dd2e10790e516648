//! A plan: what one run is to do, complete and checked; stored with every result.

use super::evidence::is_zero;
use super::phase::Phase;
use super::profile::Profile;
use super::settings::{KEYS, Key, Settings, SettingsError};
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

/// In which state of the caches phases that read begin.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CacheState {
    /// With caches emptied, as far as the rights go.
    #[default]
    Cold,
    /// With what they will read put into memory on purpose.
    Warm,
}

/// What is done around the phases of a run, beside the work: off every clock, but equal for runs that are compared.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Circumstances {
    /// In which state of the caches phases that read begin.
    #[serde(default)]
    pub cache: CacheState,
    /// Whether caches are dropped.
    pub drop_caches: DropCaches,
    /// A command of the user's that is run before each cold phase.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prepare: Option<String>,
    /// Milliseconds of rest before each phase.
    #[serde(default)]
    pub pause_ms: u64,
    /// Seconds after which a phase is ended without a result; 0 for no such limit.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub max_phase_seconds: u64,
    /// Per cent of the filesystem that are used when the phases begin; 0 as it is.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub fill_percent: u64,
}

/// The most per cent to which a filesystem is filled: some keep the last ones for themselves.
pub const MOST_FILL_PERCENT: u64 = 95;

impl Circumstances {
    /// Cold, dropping caches where the rights suffice, without a command or a rest.
    pub const USUAL: Self =
        Self { cache: CacheState::Cold, drop_caches: DropCaches::Auto, prepare: None, pause_ms: 0, max_phase_seconds: 0, fill_percent: 0 };

    /// As usual, but no cache of the system is dropped.
    pub const WITHOUT_DROPS: Self = Self { drop_caches: DropCaches::Never, ..Self::USUAL };

    /// What is said of them beside the parameters of the work, by name.
    #[must_use]
    pub fn parameters(&self) -> Vec<(&'static str, String)> {
        let drop_caches = match self.drop_caches {
            DropCaches::Auto => "auto",
            DropCaches::Never => "never",
        };
        let mut parameters = vec![("drop_caches", drop_caches.to_owned())];
        parameters.extend((self.cache == CacheState::Warm).then(|| ("cache", "warm".to_owned())));
        parameters.extend(self.prepare.iter().map(|command| ("prepare", command.clone())));
        parameters.extend((self.pause_ms > 0).then(|| ("pause", format!("{}ms", self.pause_ms))));
        parameters.extend((self.max_phase_seconds > 0).then(|| ("max_phase_seconds", self.max_phase_seconds.to_string())));
        parameters.extend((self.fill_percent > 0).then(|| ("fill_to", format!("{}%", self.fill_percent))));
        parameters
    }
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
    /// What is done around the work.
    pub circumstances: Circumstances,
}

impl Plan {
    /// The plan of a profile.
    ///
    /// # Errors
    /// When the settings do not go together.
    pub fn of(profile: &Profile, generator: u32, circumstances: Circumstances) -> Result<Self, SettingsError> {
        profile.settings.check()?;
        let filled = if circumstances.fill_percent > 0 { format!("+fill_to={}%", circumstances.fill_percent) } else { String::new() };
        Ok(Self { profile: format!("{}{filled}", profile.name), settings: profile.settings.clone(), generator, circumstances })
    }

    /// Why a phase is left out of this plan; `None` when it is done where it stands in the list.
    #[must_use]
    pub fn skips(&self, phase: Phase) -> Option<&'static str> {
        self.settings.leaves_out(phase)
    }

    /// The work as canonical text: the generator and each work key with its value, a line each. Equal text means equal work. Keys that
    /// came later are left out while they have their default value ([`super::settings::Key::is_named`]): work that could be asked for
    /// before has the text, and so the id, that it had then.
    #[must_use]
    pub fn canonical(&self) -> String {
        let keys = KEYS.iter().filter(|key| key.is_work && key.is_named(&self.settings));
        let keys = keys.map(|key| format!("{}={}\n", key.name, key.show(&self.settings)));
        // On a filesystem that was filled before, the same phases are other work.
        let filled = match self.circumstances.fill_percent {
            0 => String::new(),
            percent => format!("fill_to={percent}%\n"),
        };
        format!("generator={}\n{}{filled}", self.generator, keys.collect::<String>())
    }

    /// The parameters of the work, by name; later keys only where they say something, and where the phases are not the ten, no key
    /// that was left as it is.
    #[must_use]
    pub fn parameters(&self) -> Vec<(&'static str, String)> {
        let usual = Settings::default();
        let has_usual_phases = self.settings.phases == usual.phases;
        let says_something = |key: &&Key| has_usual_phases || !key.is_work || key.show(&self.settings) != key.show(&usual);
        let named = KEYS.iter().filter(|key| key.is_named(&self.settings)).filter(says_something);
        named.map(|key| (key.name, key.show(&self.settings))).collect()
    }
}
