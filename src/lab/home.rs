//! The home of a lab: one directory in each that the user named, with the images, the places where they are mounted, and a marker.

use super::emptying::empty_home;
use super::error::LabError;
use crate::model::identity::Identity;
use crate::sys::files::{self, Access};
use crate::sys::process::effective_user;
use crate::target::emptying::remove_empty_scratch;
use crate::target::marker;
use std::ffi::{CStr, CString, OsStr};
use std::fs::File;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

const PREFIX: &str = ".barrow-lab-";
/// Tries to make a home beside somebody who cleans up.
const MOST_TRIES: u32 = 20;

/// What an entry of a home is, by its name alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryName {
    /// The marker.
    Marker,
    /// An image.
    Image,
    /// A directory in which something is mounted.
    Place,
}

/// The name of the home of a batch: `.barrow-lab-` and eight hexadecimal digits of its number.
#[must_use]
pub fn home_name(batch: u64) -> CString {
    plain_name(format!("{PREFIX}{:08x}", batch >> 32))
}

/// Whether a name is one that [`home_name`] makes.
#[must_use]
pub fn is_home_name(name: &CStr) -> bool {
    let is_hex = |digit: &u8| matches!(digit, b'0'..=b'9' | b'a'..=b'f');
    let rest = name.to_bytes().strip_prefix(PREFIX.as_bytes());
    rest.is_some_and(|digits| digits.len() == 8 && digits.iter().all(is_hex))
}

/// What an entry of a home may be by its name; `None` when barrow makes no such name.
#[must_use]
pub fn entry_name(name: &CStr) -> Option<EntryName> {
    if name == crate::target::scratch::MARKER {
        return Some(EntryName::Marker);
    }
    let (word, number) = name.to_str().ok()?.split_once('.')?;
    let is_number = !number.is_empty() && number.len() <= 6 && number.bytes().all(|byte| byte.is_ascii_digit());
    match word {
        "image" if is_number => Some(EntryName::Image),
        "mounted" if is_number => Some(EntryName::Place),
        _ => None,
    }
}

/// What the marker of a home says. It is told from a run's by its third word.
#[must_use]
pub fn marker_words(version: &str, batch: Identity) -> String {
    format!("barrow {version} lab {batch}\n")
}

/// The batch whose lab wrote a marker; `None` when no lab did.
#[must_use]
pub fn marker_batch(words: &str) -> Option<u64> {
    let words: Vec<&str> = words.split_whitespace().collect();
    match words[..] {
        ["barrow", _, "lab", batch] => Identity::try_from(batch.to_owned()).ok().map(|batch| batch.0),
        _ => None,
    }
}

fn plain_name(name: String) -> CString {
    // Formatted numbers and fixed words have no zero byte.
    CString::new(name).unwrap_or_default()
}

/// A home that this process made. It has to be taken away by [`Home::remove`].
#[derive(Debug)]
pub struct Home {
    /// The directory of the user's, as he named it.
    shown: PathBuf,
    parent: File,
    name: CString,
    /// Its path as the kernel tells it of what is mounted there.
    path: PathBuf,
    directory: File,
    /// Locked while the lab lives, so that nobody takes the home for a dead one's.
    _marker: File,
    images: usize,
    places: usize,
}

impl Home {
    /// Makes the home of a batch in an open directory, which the user named so.
    ///
    /// # Errors
    /// When it cannot be made or marked.
    pub fn make(parent: File, shown: &Path, batch: u64) -> Result<Self, LabError> {
        let failed = |error| LabError::Home { directory: shown.to_owned(), error };
        let name = home_name(batch);
        let whole = shown.canonicalize().map_err(failed)?;
        let (directory, marker) = make_marked(&parent, &name, batch).map_err(failed)?;
        let path = whole.join(OsStr::from_bytes(name.to_bytes()));
        Ok(Self { shown: shown.to_owned(), parent, name, path, directory, _marker: marker, images: 0, places: 0 })
    }

    /// The directory of the user's that it lies in, as he named it.
    #[must_use]
    pub fn shown_directory(&self) -> &Path {
        &self.shown
    }

    /// Its path, for messages.
    #[must_use]
    pub fn shown(&self) -> PathBuf {
        self.shown.join(OsStr::from_bytes(self.name.to_bytes()))
    }

    /// Makes an empty file for the next image; gives its path too.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn make_image(&mut self) -> Result<(File, PathBuf), LabError> {
        let name = format!("image.{}", self.images);
        self.images += 1;
        let path = self.path.join(&name);
        match files::open_file(&self.directory, &plain_name(name), Access::CreateNew, false) {
            Ok(file) => Ok((file, path)),
            Err(error) => Err(LabError::Image { path, error }),
        }
    }

    /// Makes the next directory to mount something in; gives its path.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn make_place(&mut self) -> Result<PathBuf, LabError> {
        let name = format!("mounted.{}", self.places);
        self.places += 1;
        let path = self.path.join(&name);
        let made = files::make_directory(&self.directory, &plain_name(name));
        made.map_err(|error| LabError::Home { directory: self.shown.clone(), error })?;
        Ok(path)
    }

    /// Removes it with everything in it. Names what could not be removed, and why.
    #[must_use]
    pub fn remove(&self) -> Vec<String> {
        let mut left = empty_home(&self.directory, &self.path);
        if left.is_empty() {
            left.extend(remove_empty_scratch(&self.parent, &self.name, &self.directory, &self.path));
        }
        left
    }
}

fn make_marked(parent: &File, name: &CStr, batch: u64) -> io::Result<(File, File)> {
    let mut tries = 0;
    loop {
        tries += 1;
        files::make_directory(parent, name)?;
        match open_marked(parent, name, batch) {
            Ok(made) => return Ok(made),
            Err(error) => {
                // Only an empty one goes: nobody else's files can be lost. The error that matters is the one above.
                let _ = files::remove_directory(parent, name);
                // A `barrow clean` that came before the lock took it for a dead one's.
                let was_cleaned = matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::WouldBlock);
                if !was_cleaned || tries == MOST_TRIES {
                    return Err(error);
                }
            }
        }
    }
}

fn open_marked(parent: &File, name: &CStr, batch: u64) -> io::Result<(File, File)> {
    let directory = files::open_directory(parent, name)?;
    // Where others can change names, it may be another one by now.
    if files::status_of(&directory)?.owner != effective_user() || !files::is_empty(&directory)? {
        return Err(io::Error::other("somebody put another directory in its place"));
    }
    files::make_private(&directory)?;
    let marker = marker::write(&directory, &marker_words(env!("CARGO_PKG_VERSION"), Identity(batch)))?;
    Ok((directory, marker))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::scratch;
    use proptest::prelude::*;
    use std::os::unix::fs::PermissionsExt;

    fn name(text: &str) -> CString {
        CString::new(text).unwrap()
    }

    #[test]
    fn names_of_homes_are_known_again_and_no_others() {
        assert!(is_home_name(&home_name(0)) && is_home_name(&home_name(u64::MAX)));
        for other in [".barrow-lab-", ".barrow-lab-0123456", ".barrow-lab-0123456G", ".barrow-lab-012345678", ".barrow-01234567"] {
            assert!(!is_home_name(&name(other)), "{other}");
        }
        assert!(!scratch::is_scratch_name(&home_name(7)) && !is_home_name(&scratch::scratch_name(7)));
    }

    #[test]
    fn names_of_entries_are_known_again_and_no_others() {
        assert_eq!(entry_name(c"marker"), Some(EntryName::Marker));
        assert_eq!(entry_name(c"image.12"), Some(EntryName::Image));
        assert_eq!(entry_name(c"mounted.0"), Some(EntryName::Place));
        for other in ["image", "image.", "image.x", "image.1.2", "image.1234567", "mounted.+1", "images.1", "..", ""] {
            assert_eq!(entry_name(&name(other)), None, "{other}");
        }
    }

    #[test]
    fn a_marker_names_its_batch_and_is_no_run() {
        assert_eq!(marker_words("1", Identity(0)).len() as u64, scratch::MARKER_LEAST);
        let words = marker_words("0.1.0", Identity(9));
        assert_eq!((marker_batch(&words), scratch::marker_nonce(&words)), (Some(9), None));
        assert_eq!(marker_batch(&scratch::marker_words("0.1.0", Identity(1), Identity(9))), None);
    }

    #[test]
    fn a_home_is_private_and_goes_with_all_it_has() {
        let place = tempfile::tempdir().unwrap();
        let open = || files::open_directory_path(place.path()).unwrap();
        let mut home = Home::make(open(), place.path(), 7 << 32).unwrap();
        assert_eq!(std::fs::metadata(home.shown()).unwrap().permissions().mode() & 0o777, 0o700);
        let (_, first) = home.make_image().unwrap();
        let (_, second) = home.make_image().unwrap();
        assert!(first.ends_with("image.0") && second.ends_with("image.1") && second.exists());
        assert!(home.make_place().unwrap().is_dir());
        // Two batches of one number do not share a home.
        assert!(matches!(Home::make(open(), place.path(), 7 << 32), Err(LabError::Home { .. })));
        assert_eq!(home.remove(), [""; 0]);
        assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 0);
    }

    proptest! {
        #[test]
        fn any_marker_is_read_or_refused(words in "[ -~]{0,80}") {
            let _ = marker_batch(&words);
        }
    }
}
