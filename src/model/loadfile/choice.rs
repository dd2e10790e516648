//! Which loadfile a run replays, as a key of the profile: by its name in records, with its content where it was read.

use super::{Loadfile, mix};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::{Arc, LazyLock};

/// The word for barrow's own mix.
const BUILT_IN: &str = "built-in";
/// What the name of one that was read begins with; 16 hexadecimal digits of a hash of its bytes follow.
const READ: &str = "dbench-";
const HASH_DIGITS: usize = 16;

static MIX: LazyLock<Option<Arc<Loadfile>>> = LazyLock::new(|| Loadfile::of_text(mix::text().as_bytes()).ok().map(Arc::new));

/// A loadfile by its name: `built-in`, or `dbench-` and a hash of the one that was read.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct LoadfileChoice {
    /// The hash of one that was read; `None` for barrow's own mix.
    hash: Option<u64>,
    content: Option<Arc<Loadfile>>,
}

impl LoadfileChoice {
    /// One that was read, with the hash of its bytes.
    #[must_use]
    pub fn of_read(hash: u64, loadfile: Arc<Loadfile>) -> Self {
        Self { hash: Some(hash), content: Some(loadfile) }
    }

    /// The operations; `None` for one of which only the name is known.
    #[must_use]
    pub fn content(&self) -> Option<Arc<Loadfile>> {
        if self.is_built_in() { MIX.clone() } else { self.content.clone() }
    }

    /// Whether it is barrow's own.
    #[must_use]
    pub const fn is_built_in(&self) -> bool {
        self.hash.is_none()
    }
}

impl PartialEq for LoadfileChoice {
    fn eq(&self, other: &Self) -> bool {
        self.hash == other.hash
    }
}

impl Eq for LoadfileChoice {}

impl fmt::Debug for LoadfileChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl fmt::Display for LoadfileChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.hash {
            None => f.write_str(BUILT_IN),
            Some(hash) => write!(f, "{READ}{hash:016x}"),
        }
    }
}

impl TryFrom<String> for LoadfileChoice {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        named(&name, 0)
    }
}

impl From<LoadfileChoice> for String {
    fn from(choice: LoadfileChoice) -> Self {
        choice.to_string()
    }
}

/// The choice of a name, without its content.
///
/// # Errors
/// In words, when it is none.
pub fn named(name: &str, _ram_bytes: u64) -> Result<LoadfileChoice, String> {
    if name == BUILT_IN {
        return Ok(LoadfileChoice::default());
    }
    let digits = name.strip_prefix(READ).filter(|digits| digits.len() == HASH_DIGITS && !digits.starts_with('+'));
    let hash = digits.and_then(|digits| u64::from_str_radix(digits, 16).ok());
    let hash = hash.ok_or_else(|| format!("`{name}` is not {BUILT_IN}; a loadfile is named with --loadfile FILE"))?;
    Ok(LoadfileChoice { hash: Some(hash), content: None })
}
