//! What the lab is asked for, by a plan file or by options: as it was written, before anything is looked up or multiplied.

use super::variant::Words;
use crate::model::settings::SettingsError;
use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

/// Where something stands that was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// Among the options of the command line.
    Options,
    /// In a plan file.
    File {
        /// The file as it was named.
        name: String,
        /// The line, from 1.
        line: usize,
        /// The character in it, from 1.
        column: usize,
    },
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Options => f.write_str("the command line"),
            Self::File { name, line, column } => write!(f, "{name}, line {line}, column {column}"),
        }
    }
}

/// Something with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placed<T> {
    /// What stands there.
    pub value: T,
    /// Where.
    pub place: Place,
}

/// How images are shared by the variants that stand on images of one directory and size.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Images {
    /// All stand on one image, which is formatted anew for each run: on the same blocks.
    #[default]
    Shared,
    /// Each has its own.
    Own,
}

impl Images {
    /// Every way, by its word.
    pub const ALL: [(&'static str, Self); 2] = [("shared", Self::Shared), ("own", Self::Own)];

    /// The way of a word.
    #[must_use]
    pub fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|(name, _)| *name == word).map(|(_, images)| images)
    }
}

/// What variants are to be made on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ground {
    /// An image; what is not said is as the plan says for all.
    Image {
        /// The directory in which it lies.
        directory: Option<PathBuf>,
        /// Its size in bytes.
        bytes: Option<u64>,
    },
    /// Block devices.
    Devices(Vec<PathBuf>),
}

/// A command as it was written, and its words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    /// The text.
    pub text: String,
    /// Its words.
    pub words: Words,
}

/// Variants that are asked for together: one for each combination of the values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Where it begins.
    pub place: Place,
    /// Their name, or the beginning of it.
    pub label: Option<String>,
    /// Filesystems by name, at least one.
    pub filesystems: Vec<Placed<String>>,
    /// Mount options, at least one text of them.
    pub mounts: Vec<String>,
    /// Commands that make it; none for the usual one.
    pub mkfs: Vec<Placed<Template>>,
    /// What the user noted, with at least one value each.
    pub tags: BTreeMap<String, Vec<String>>,
    /// On what they are made.
    pub ground: Ground,
    /// Whether they are checked after each run.
    pub is_checked: bool,
}

/// Everything that was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabPlan {
    /// The name or file of the profile, if one was named.
    pub profile: Option<Placed<String>>,
    /// Keys of the profile that are changed, `runs` among them.
    pub changes: Vec<(String, String)>,
    /// What was noted for all.
    pub tags: BTreeMap<String, String>,
    /// Bytes of an image that has no size of its own.
    pub image_bytes: Option<u64>,
    /// The directory of an image that has none of its own.
    pub directory: Option<PathBuf>,
    /// How images are shared.
    pub images: Images,
    /// Whether each filesystem is filled at the end of its run.
    pub is_filled: bool,
    /// The variants, before they are multiplied.
    pub entries: Vec<Entry>,
}

/// Bytes of an image where nothing says how large it is to be.
pub const USUAL_IMAGE_BYTES: u64 = 8 << 30;
/// Image sizes are multiples of so many bytes: those of a page, and of the largest sectors that are common.
pub const IMAGE_UNIT: u64 = 4096;
/// The mount options where none are named.
pub const USUAL_MOUNT: &str = "defaults";

/// A plan that cannot be followed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{fault}", head(place))]
pub struct PlanError {
    /// Where.
    pub place: Place,
    /// What is wrong there.
    pub fault: Fault,
}

fn head(place: &Place) -> String {
    match place {
        Place::Options => String::new(),
        Place::File { .. } => format!("{place}: "),
    }
}

/// What is wrong with a plan.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The text is longer than that of any plan.
    #[error("the plan is over {0} KiB long, which no plan is")]
    TooLong(usize),
    /// The text is not TOML.
    #[error("{0}")]
    NotToml(String),
    /// There is no such key.
    #[error("{0}")]
    UnknownKey(String),
    /// A value is of another kind than its key.
    #[error("{key} is of the kind {found}: expected {expected}")]
    WrongKind {
        /// The key.
        key: String,
        /// What it takes.
        expected: &'static str,
        /// What was written.
        found: &'static str,
    },
    /// A value does not fit, or not together with others.
    #[error("{0}")]
    Unfit(String),
    /// A key of the profile, or its value, is wrong.
    #[error("{0}")]
    Setting(SettingsError),
    /// Two variants have one name.
    #[error("two variants have the name `{label}`{}: give each a label of its own", elsewhere(first))]
    LabelTwice {
        /// The name, printable.
        label: String,
        /// Where the first of them stands, where that is another place.
        first: Option<Place>,
    },
}

fn elsewhere(first: &Option<Place>) -> String {
    first.as_ref().map(|place| format!(" (the first stands at {place})")).unwrap_or_default()
}
