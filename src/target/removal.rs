//! Removing a directory in which everything belongs to a phase, whatever it is named: nothing beyond it, no link followed, no mount
//! entered.

use super::emptying::note;
use crate::sys::files::{self, EntryKind};
use std::collections::BTreeSet;
use std::ffi::{CStr, CString};
use std::fs::File;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Names read at a time.
const NAMES_A_PASS: usize = 16_384;
/// Directories below each other at the most, each of which takes a descriptor.
const MOST_DEPTH: usize = 400;

/// Removes a directory of another one with everything in it. Notes what is left and why.
pub fn remove_tree(parent: &File, name: &CStr, path: &Path, left: &mut Vec<String>) {
    remove_below(parent, name, path, MOST_DEPTH, left);
}

fn remove_below(parent: &File, name: &CStr, path: &Path, depth: usize, left: &mut Vec<String>) {
    let directory = match open_owned(parent, name) {
        Ok(directory) => directory,
        Err(error) => return note(left, path, Err(error)),
    };
    if depth == 0 {
        left.push(format!("{}: lies over {MOST_DEPTH} directories deep", path.display()));
        return;
    }
    let before = left.len();
    empty(&directory, path, depth, left);
    if left.len() == before {
        note(left, path, files::remove_directory(parent, name));
    }
}

/// Opens a directory; one whose owner may not read it is made his again, as a program of the user's may have left it.
fn open_owned(parent: &File, name: &CStr) -> io::Result<File> {
    let opened = files::open_directory(parent, name);
    match opened {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            files::make_private_at(parent, name)?;
            files::open_directory(parent, name)
        }
        other => other,
    }
}

/// Removes the entries pass by pass, as long as there are others than those that are refused.
fn empty(directory: &File, path: &Path, depth: usize, left: &mut Vec<String>) {
    let mut refused: BTreeSet<CString> = BTreeSet::new();
    let mut was_made_private = false;
    loop {
        let mut entries = match files::list(directory, NAMES_A_PASS + refused.len()) {
            Ok(entries) => entries,
            Err(error) => return note(left, path, Err(error)),
        };
        entries.retain(|(name, _)| !refused.contains(name));
        if entries.is_empty() {
            return;
        }
        for (name, kind) in entries {
            let entry_path = path.join(std::ffi::OsStr::from_bytes(name.to_bytes()));
            let before = left.len();
            match kind {
                EntryKind::Directory => remove_below(directory, &name, &entry_path, depth - 1, left),
                EntryKind::File | EntryKind::Pipe | EntryKind::SymbolicLink | EntryKind::Other => {
                    unlink(directory, &name, &entry_path, &mut was_made_private, left);
                }
            }
            if left.len() > before {
                refused.insert(name);
            }
        }
    }
}

fn unlink(directory: &File, name: &CStr, path: &Path, was_made_private: &mut bool, left: &mut Vec<String>) {
    let mut removed = files::unlink(directory, name);
    let is_denied = removed.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::PermissionDenied);
    if is_denied && !*was_made_private {
        // A directory that its owner may not write to, as some programs leave them.
        *was_made_private = true;
        removed = files::make_private(directory).and_then(|()| files::unlink(directory, name));
    }
    note(left, path, removed);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::path::PathBuf;

    #[test]
    fn everything_inside_goes_and_nothing_outside() {
        let place = tempfile::tempdir().unwrap();
        let (inside, outside) = (place.path().join("inside"), place.path().join("outside"));
        std::fs::create_dir_all(inside.join("a/b/c")).unwrap();
        std::fs::create_dir(&outside).unwrap();
        std::fs::write(outside.join("kept"), "kept").unwrap();
        symlink(&outside, inside.join("a/link")).unwrap();
        symlink("nowhere", inside.join("dangling")).unwrap();
        std::fs::write(inside.join("a/b/c/my file"), "x").unwrap();
        std::fs::hard_link(outside.join("kept"), inside.join("a/second name")).unwrap();
        for sealed in ["a/b/c", "a/b"] {
            std::fs::set_permissions(inside.join(sealed), std::fs::Permissions::from_mode(0o500)).unwrap();
        }
        let parent = files::open_directory_path(place.path()).unwrap();
        let mut left = Vec::new();
        remove_tree(&parent, c"inside", &inside, &mut left);
        assert_eq!(left, Vec::<String>::new());
        assert!(!inside.exists());
        assert_eq!(std::fs::read_to_string(outside.join("kept")).unwrap(), "kept");
    }

    #[test]
    fn what_lies_too_deep_is_named() {
        let place = tempfile::tempdir().unwrap();
        let deep: PathBuf = std::iter::repeat_n("d", 5).collect();
        std::fs::create_dir_all(place.path().join(deep)).unwrap();
        let parent = files::open_directory_path(place.path()).unwrap();
        let mut left = Vec::new();
        remove_below(&parent, c"d", &place.path().join("d"), 3, &mut left);
        assert_eq!(left.len(), 1, "{left:?}");
        assert!(left[0].ends_with("directories deep"), "{left:?}");
        left.clear();
        remove_tree(&parent, c"d", &place.path().join("d"), &mut left);
        assert_eq!((left.len(), place.path().join("d").exists()), (0, false));
    }
}
