//! Profiles: named, versioned settings. The built-in ones are data, compiled in, and never changed once released.

use super::nearest::{did_you_mean, nearest_names};
use super::settings::{Key, Scale, Settings, SettingsError};

/// The built-in profiles, oldest version first.
const BUILT_IN: &[(&str, &str)] = &[
    ("quick/1", include_str!("../profiles/quick-1.toml")),
    ("std/1", include_str!("../profiles/std-1.toml")),
    ("full/1", include_str!("../profiles/full-1.toml")),
    ("bonnie/1", include_str!("../profiles/bonnie-1.toml")),
    ("sync/1", include_str!("../profiles/sync-1.toml")),
    ("blocks/1", include_str!("../profiles/blocks-1.toml")),
    ("fileserver/1", include_str!("../profiles/fileserver-1.toml")),
    ("device/1", include_str!("../profiles/device-1.toml")),
    ("smallfiles/1", include_str!("../profiles/smallfiles-1.toml")),
    ("mail/1", include_str!("../profiles/mail-1.toml")),
    ("tree/1", include_str!("../profiles/tree-1.toml")),
];

/// The most bytes of a profile's text, far more than any needs: the reader of TOML takes many times the memory of its text.
pub const MOST_BYTES: usize = 16 << 10;

/// The profile that is used when none is named.
pub const DEFAULT_PROFILE: &str = "std";

/// A named set of settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile {
    /// The name, with version and, where the size depends on the machine, the size: `std/1`, `full/1@48g`. Changed settings are
    /// part of it: `std/1+file_size=8g`.
    pub name: String,
    /// What it is for, in a few words.
    pub purpose: String,
    /// The settings.
    pub settings: Settings,
}

/// A profile that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProfileError {
    /// There is no built-in profile of that name.
    #[error("there is no profile `{name}`{}; `barrow run --list-profiles` shows all", did_you_mean(nearest))]
    Unknown {
        /// What was typed.
        name: String,
        /// Profiles with a similar name.
        nearest: Vec<&'static str>,
    },
    /// The text is longer than that of any profile.
    #[error("profile {name}: is over {} KiB long, which no profile is", MOST_BYTES >> 10)]
    TooLong {
        /// The profile's name or file.
        name: String,
    },
    /// The text is not TOML.
    #[error("profile {name}: {problem}")]
    NotToml {
        /// The profile's name or file.
        name: String,
        /// Where and why, in the words of the reader.
        problem: String,
    },
    /// A key is missing, unknown, or has a bad value.
    #[error("profile {name}: {source}")]
    Settings {
        /// The profile's name or file.
        name: String,
        /// What is wrong.
        source: SettingsError,
    },
}

impl Profile {
    /// Every built-in profile, with sizes for a machine with this memory.
    #[must_use]
    pub fn built_in(ram_bytes: u64) -> Vec<Self> {
        BUILT_IN.iter().filter_map(|(name, text)| Self::of_text(name, text, ram_bytes).ok()).collect()
    }

    /// A built-in profile by name; without a version the newest.
    ///
    /// # Errors
    /// Names the nearest when there is none; or when its size depends on a memory size that is not known.
    pub fn named(name: &str, ram_bytes: u64) -> Result<Self, ProfileError> {
        let found = BUILT_IN.iter().rev().find(|(full, _)| *full == name || full.split_once('/').is_some_and(|(short, _)| short == name));
        let (full, text) = found.ok_or_else(|| ProfileError::Unknown {
            name: name.to_owned(),
            nearest: nearest_names(name, BUILT_IN.iter().map(|(full, _)| full.split_once('/').map_or(*full, |(short, _)| short))),
        })?;
        Self::of_text(full, text, ram_bytes)
    }

    /// A profile from the text of a TOML file: `purpose` and the keys of [`super::settings::KEYS`].
    ///
    /// # Errors
    /// When the text is too long or not TOML, or a key is unknown or has a bad value.
    pub fn of_text(name: &str, text: &str, ram_bytes: u64) -> Result<Self, ProfileError> {
        if text.len() > MOST_BYTES {
            return Err(ProfileError::TooLong { name: name.to_owned() });
        }
        let not_toml = |problem: String| ProfileError::NotToml { name: name.to_owned(), problem };
        let wrong = |source| ProfileError::Settings { name: name.to_owned(), source };
        let table: toml::Table = text.parse().map_err(|error: toml::de::Error| not_toml(error.to_string().trim_end().to_owned()))?;
        let mut profile = Self { name: name.to_owned(), purpose: String::new(), settings: Settings::default() };
        for (key, value) in &table {
            if key == PHASE_TABLES {
                profile.settings.set_phases(value).map_err(not_toml)?;
                continue;
            }
            let value_text = match value {
                toml::Value::String(text) => text.clone(),
                toml::Value::Integer(number) => number.to_string(),
                toml::Value::Array(_) if key == "phases" => {
                    return Err(not_toml(
                        "tables of phases are written [[phase]], and a list is a text: phases = \"block_write,block_read\"".to_owned(),
                    ));
                }
                other => {
                    return Err(not_toml(format!(
                        "{key} is of the kind {}: expected a whole number or a text in quotes",
                        other.type_str()
                    )));
                }
            };
            if key == "purpose" {
                profile.purpose = value_text;
                continue;
            }
            let key = Key::named(key).map_err(wrong)?;
            key.set(&mut profile.settings, &value_text, ram_bytes).map_err(wrong)?;
            if key.name == "file_size" && value_text.to_ascii_lowercase().ends_with("xram") {
                profile.name = format!("{name}@{}", key.show(&profile.settings));
            }
        }
        Ok(profile)
    }

    /// The profile with some keys changed, in the order of the keys, named after what truly differs.
    ///
    /// # Errors
    /// When a key is unknown or has a bad value.
    pub fn changed(&self, changes: &[(String, String)], ram_bytes: u64) -> Result<Self, SettingsError> {
        let mut changed = self.clone();
        for (_, value) in changes.iter().filter(|(key, _)| key == SCALE) {
            changed = changed.scaled(value)?;
        }
        let unscaled = changed.clone();
        for (key, value) in changes.iter().filter(|(key, _)| key != SCALE) {
            Key::named(key)?.set(&mut changed.settings, value, ram_bytes)?;
        }
        for key in super::settings::KEYS.iter().filter(|key| key.is_work) {
            let value = key.show(&changed.settings);
            if value != key.show(&unscaled.settings) {
                if key.name == "file_size" {
                    // The size that the memory gave is no longer so.
                    changed.name = changed.name.split('@').next().unwrap_or_default().to_owned();
                }
                changed.name = format!("{}+{}={value}", changed.name, key.name);
            }
        }
        Ok(changed)
    }
}

/// The key that shrinks a profile.
const SCALE: &str = "scale";

/// The tables of a profile file that say its phases one by one.
const PHASE_TABLES: &str = "phase";

impl Profile {
    /// The profile with so many per cent of its files and of the bytes of its large files; it is another one, and its name says so.
    fn scaled(&self, percent: &str) -> Result<Self, SettingsError> {
        let scale = Scale::parse(percent).map_err(|problem| SettingsError::BadValue { key: SCALE, value: percent.to_owned(), problem })?;
        if scale.is_whole() {
            return Ok(self.clone());
        }
        let settings = self.settings.scaled(scale);
        if settings == self.settings {
            let problem = format!("nothing of {} shrinks: it has no count of files and no large files", self.name);
            return Err(SettingsError::BadValue { key: SCALE, value: percent.to_owned(), problem });
        }
        let name = format!("{}+{SCALE}={scale}", self.name.split('@').next().unwrap_or_default());
        Ok(Self { name, settings, ..self.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::phase::Phase;
    use crate::model::settings::{Io, PhaseList, SequentialOrder};

    const RAM: u64 = 24 << 30;

    #[test]
    fn the_built_in_profiles_are_those_of_the_design() {
        let profiles = Profile::built_in(RAM);
        assert_eq!(profiles.len(), BUILT_IN.len());
        let names: Vec<&str> = profiles.iter().map(|profile| profile.name.as_str()).collect();
        assert_eq!(
            names,
            [
                "quick/1",
                "std/1",
                "full/1@48g",
                "bonnie/1@48g",
                "sync/1",
                "blocks/1",
                "fileserver/1",
                "device/1",
                "smallfiles/1",
                "mail/1",
                "tree/1"
            ]
        );
        for profile in &profiles {
            assert_eq!(profile.settings.check(), Ok(()), "{}", profile.name);
            assert!(!profile.purpose.is_empty());
        }
        let quick = &profiles[0].settings;
        let expected = Settings { file_size: 1 << 30, seek_seconds: 3, files: 8192, runs: 3, ..Settings::default() };
        assert_eq!(*quick, expected);
        let std = &profiles[1].settings;
        assert_eq!(*std, Settings { file_size: 4 << 30, seek_seconds: 10, files: 65_536, runs: 6, ..Settings::default() });
        let full = &profiles[2].settings;
        assert_eq!(*full, Settings { file_size: 48 << 30, seek_seconds: 10, files: 131_072, runs: 6, ..Settings::default() });
        let bonnie = Settings {
            file_size: 48 << 30,
            chunk_size: 8192,
            seek_size: 8192,
            seeks: 8192,
            seek_seconds: 0,
            seekers: 5,
            seek_rewrite_percent: 10,
            files: 16_384,
            runs: 1,
            io: Io::Buffered,
            sequential_order: SequentialOrder::Readdir,
            ..Settings::default()
        };
        assert_eq!(profiles[3].settings, bonnie);
        let phases = PhaseList::try_from(vec![Phase::FileServer]).unwrap();
        let server = Settings { phases, clients: 4, seconds: 30, warm_up: 10, runs: 3, ..Settings::default() };
        assert_eq!(Profile::named("fileserver", RAM).unwrap().settings, server);
    }

    #[test]
    fn the_profiles_of_flushed_writes_and_of_transfers() {
        let sync = Profile::named("sync", RAM).unwrap().settings;
        let names: Vec<&str> = sync.phases.iter().map(|phase| phase.name()).collect();
        assert_eq!(names, ["dsync_write", "fsync_write", "block_write", "block_read"]);
        let expected =
            Settings { file_size: 1 << 30, sync_writes: 1000, io: Io::Direct, runs: 6, phases: sync.phases.clone(), ..Settings::default() };
        assert_eq!(sync, expected);
        let blocks = Profile::named("blocks", RAM).unwrap().settings;
        let mut names: Vec<String> = blocks.phases.iter().map(|phase| phase.name().to_owned()).collect();
        names.sort();
        let mut all = Vec::new();
        for order in ["random", "seq"] {
            for way in ["read", "write"] {
                all.extend(["1m_1w", "1m_4w", "4k_1w", "4k_4w"].map(|rest| format!("{order}_{way}_{rest}")));
            }
        }
        assert_eq!(names, all);
        let phases = blocks.phases.clone();
        let expected =
            Settings { file_size: 4 << 30, transfers: 4096, transfer_seconds: 10, io: Io::Direct, runs: 6, phases, ..Settings::default() };
        assert_eq!(blocks, expected);
    }

    #[test]
    fn a_short_name_is_the_newest_version() {
        assert_eq!(Profile::named("quick", RAM).unwrap().name, "quick/1");
        assert_eq!(Profile::named("quick/1", RAM).unwrap().name, "quick/1");
        let error = Profile::named("qiuck", RAM).unwrap_err();
        assert!(error.to_string().contains("did you mean `quick`"), "{error}");
        assert!(matches!(Profile::named("full", 0), Err(ProfileError::Settings { .. })));
    }

    #[test]
    fn changes_are_part_of_the_name() {
        let std = Profile::named("std", RAM).unwrap();
        let change = |list: &[(&str, &str)]| {
            let list: Vec<_> = list.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
            std.changed(&list, RAM).map(|profile| profile.name)
        };
        assert_eq!(change(&[("files", "2048"), ("file_size", "8g")]).unwrap(), "std/1+file_size=8g+files=2048");
        assert_eq!(change(&[("file_size", "4096m"), ("runs", "2")]).unwrap(), "std/1");
        assert!(change(&[("nonsense", "1")]).is_err());
        let bonnie = Profile::named("bonnie", RAM).unwrap();
        let changed = |key: &str, value: &str| bonnie.changed(&[(key.to_owned(), value.to_owned())], RAM).unwrap().name;
        assert_eq!(changed("file_size", "8g"), "bonnie/1+file_size=8g");
        assert_eq!(changed("links", "hard"), "bonnie/1@48g+links=hard");
    }

    #[test]
    fn a_scale_shrinks_counts_and_is_named() {
        let quick = Profile::named("quick", RAM).unwrap();
        let changed = |list: &[(&str, &str)]| {
            let list: Vec<_> = list.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
            quick.changed(&list, RAM)
        };
        let tenth = changed(&[("scale", "10%")]).unwrap();
        assert_eq!((tenth.name.as_str(), tenth.settings.files), ("quick/1+scale=10%", 819));
        assert_eq!(tenth.settings.file_size, 102 << 20);
        let both = changed(&[("files", "5"), ("scale", "10%")]).unwrap();
        assert_eq!((both.name.as_str(), both.settings.files), ("quick/1+scale=10%+files=5", 5));
        assert_eq!(changed(&[("scale", "100%")]).unwrap(), quick);
        assert!(changed(&[("scale", "0%")]).is_err() && changed(&[("scale", "200%")]).is_err() && changed(&[("scale", "x")]).is_err());
    }

    #[test]
    fn phases_can_be_said_one_by_one() {
        let text = "files = 5\n[[phase]]\nname = \"seq_create\"\n[[phase]]\ncommand = [\"/usr/bin/make\", \"-j4\"]\n[[phase]]\nname = \"again\"\ncommand = [\"make\"]\n";
        let settings = Profile::of_text("my.toml", text, RAM).unwrap().settings;
        let names: Vec<&str> = settings.phases.iter().map(|phase| phase.name()).collect();
        assert_eq!(names, ["seq_create", "command:make", "command:again"]);
        assert_eq!(settings.commands[0].command, ["/usr/bin/make", "-j4"]);
        assert_eq!(settings.check(), Ok(()));
        for (bad, words) in [
            ("[[phase]]\n", "neither a name nor a command"),
            ("[[phase]]\nname = \"nonsense\"\n", "`nonsense`"),
            ("[[phase]]\ncommand = \"make\"\n", "command"),
            ("[[phase]]\nname = \"a b\"\ncommand = [\"make\"]\n", "`a b`"),
            ("[[phase]]\ncommand = []\n", "no program"),
            ("[[phase]]\nother = 1\n", "`other`"),
            ("phase = 3\n", "[[phase]]"),
        ] {
            let error = Profile::of_text("my.toml", bad, RAM).unwrap_err().to_string();
            assert!(error.contains(words), "{bad}: {error}");
        }
    }

    #[test]
    fn a_bad_file_is_named_with_its_line() {
        let error = Profile::of_text("my.toml", "file_size = \"1g\"\nfiles = = 3\n", RAM).unwrap_err();
        assert!(error.to_string().contains("my.toml") && error.to_string().contains("line 2"), "{error}");
        let error = Profile::of_text("my.toml", "files = 1.5\n", RAM).unwrap_err();
        assert!(error.to_string().contains("files"), "{error}");
        let error = Profile::of_text("my.toml", "flies = 3\n", RAM).unwrap_err();
        assert!(error.to_string().contains("did you mean `files`"), "{error}");
    }
}
