//! Emptying a scratch directory: what barrow makes goes, through handles; everything else stays and is named.

use super::ground::plain_error;
use super::marker;
use super::removal::remove_tree;
use super::scratch::{EntryName, MARKER, entry_name, is_set_file_name};
use crate::sys::files::{self, EntryKind, Status};
use std::collections::BTreeMap;
use std::ffi::{CStr, CString};
use std::fs::File;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::path::Path;

/// Names read at a time: a directory of a million files is removed in passes.
const NAMES_A_PASS: usize = 16_384;

/// Removes everything that barrow makes from an open scratch directory, the marker last. Names what is left and why.
#[must_use]
pub fn empty_scratch(scratch: &File, place: &Path) -> Vec<String> {
    let mut left = Vec::new();
    let entries = match files::list(scratch, usize::MAX) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return left,
        Err(error) => return vec![format!("{}: cannot be listed: {}", place.display(), plain_error(&error))],
    };
    for (name, kind) in &entries {
        let path = place.join(name.to_string_lossy().as_ref());
        match (entry_name(name), kind) {
            (Some(EntryName::Marker), EntryKind::File) => {}
            (Some(EntryName::BlockFile | EntryName::WorkFile(_)), EntryKind::File) => note(&mut left, &path, remove_file(scratch, name)),
            (Some(EntryName::WorkDirectory(_)), EntryKind::Directory) => remove_tree(scratch, name, &path, &mut left),
            (Some(EntryName::SetDirectory), EntryKind::Directory) => empty_set_directory(scratch, name, &path, &mut left),
            _ => left.push(format!("{}: {NOT_OURS}", path.display())),
        }
    }
    let has_marker = entries.iter().any(|(name, kind)| name.as_c_str() == MARKER && *kind == EntryKind::File);
    if left.is_empty() && has_marker {
        note(&mut left, &place.join("marker"), files::unlink(scratch, MARKER));
    }
    left
}

/// What is said of what barrow does not make.
pub const NOT_OURS: &str = "not made by barrow";

/// Removes a file that barrow may have made: it gives none a second name, but for those of a set.
fn remove_file(directory: &File, name: &CStr) -> io::Result<()> {
    remove_if(directory, name, |status| status.kind == EntryKind::File && status.links <= 1)
}

/// Removes a file of a set. Those with several names are empty: nothing is lost with one of them.
fn remove_set_file(directory: &File, name: &CStr) -> io::Result<()> {
    remove_if(directory, name, |status| status.kind == EntryKind::File && (status.links <= 1 || status.size == 0))
}

/// Removes a symbolic link of a set: it leads to a file of its own directory.
fn remove_set_link(directory: &File, name: &CStr) -> io::Result<()> {
    let goal = CString::new(files::read_link(directory, name)?.into_vec()).unwrap_or_default();
    remove_if(directory, name, |status| status.kind == EntryKind::SymbolicLink && is_set_file_name(&goal))
}

fn remove_if(directory: &File, name: &CStr, is_ours: impl FnOnce(&Status) -> bool) -> io::Result<()> {
    if !is_ours(&files::status_at(directory, name)?) {
        return Err(io::Error::other(NOT_OURS));
    }
    files::unlink(directory, name)
}

/// Removes a scratch directory that was emptied, if it still has its name. Tells what is left, and why.
#[must_use]
pub fn remove_empty_scratch(parent: &File, name: &CStr, scratch: &File, place: &Path) -> Option<String> {
    let removed = if leads_to(parent, name, scratch) { files::remove_directory(parent, name) } else { Err(io::ErrorKind::NotFound.into()) };
    match removed {
        Ok(()) => None,
        Err(error) if error.kind() == io::ErrorKind::NotFound || !leads_to(parent, name, scratch) => {
            let is_somewhere = marker::still_there(scratch).is_ok();
            is_somewhere.then(|| format!("{}: somebody renamed it; it is empty now", place.display()))
        }
        Err(error) => Some(format!("{}: {}", place.display(), plain_error(&error))),
    }
}

/// Whether a name is that of an open directory; taken for so where neither can be looked at.
fn leads_to(parent: &File, name: &CStr, directory: &File) -> bool {
    match (files::status_at(parent, name), files::status_of(directory)) {
        (Ok(named), Ok(open)) => named.number() == open.number(),
        (Err(_), _) | (_, Err(_)) => true,
    }
}

/// Notes what could not be removed, and why; what is not there any more needs no note.
pub fn note(left: &mut Vec<String>, path: &Path, result: io::Result<()>) {
    if let Err(error) = result
        && error.kind() != io::ErrorKind::NotFound
    {
        left.push(format!("{}: {}", path.display(), plain_error(&error)));
    }
}

fn empty_set_directory(scratch: &File, name: &CStr, path: &Path, left: &mut Vec<String>) {
    let directory = match files::open_directory(scratch, name) {
        Ok(directory) => directory,
        Err(error) => return note(left, path, Err(error)),
    };
    match empty_of_files(&directory, path, NAMES_A_PASS) {
        Err(error) => note(left, path, Err(error)),
        Ok(refused) => match &refused[..] {
            [] => note(left, path, files::remove_directory(scratch, name)),
            [one] => left.push(one.clone()),
            // One line for a directory: a dead filesystem would fill the screen with names.
            [first, rest @ ..] => left.push(format!("{first}, and {} more in this directory", rest.len())),
        },
    }
}

/// Removes the files of a set from their open directory, pass by pass, as long as there are others than those that are refused. Names
/// those and why.
fn empty_of_files(directory: &File, path: &Path, names_a_pass: usize) -> io::Result<Vec<String>> {
    let mut refused: BTreeMap<CString, String> = BTreeMap::new();
    loop {
        let mut entries = files::list(directory, names_a_pass + refused.len())?;
        entries.retain(|(file, _)| !refused.contains_key(file));
        let mut left = Vec::new();
        for (file, kind) in &entries {
            let file_path = path.join(file.to_string_lossy().as_ref());
            match kind {
                EntryKind::File if is_set_file_name(file) => note(&mut left, &file_path, remove_set_file(directory, file)),
                EntryKind::SymbolicLink if is_set_file_name(file) => note(&mut left, &file_path, remove_set_link(directory, file)),
                _ => left.push(format!("{}: {NOT_OURS}", file_path.display())),
            }
            refused.extend(left.pop().map(|reason| (file.clone(), reason)));
        }
        // Where nothing at all can be removed, another pass would not do better.
        if entries.iter().all(|(file, _)| refused.contains_key(file)) {
            return Ok(refused.into_values().collect());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever stands in the first pass, the files of all later ones go.
    #[test]
    fn what_is_refused_keeps_no_other_file() {
        let place = tempfile::tempdir().unwrap();
        for number in 0..40 {
            std::fs::write(place.path().join(format!("{number:010x}")), "").unwrap();
        }
        // Directories with names of files cannot be removed as files.
        for number in 100..103 {
            std::fs::create_dir(place.path().join(format!("{number:010x}"))).unwrap();
        }
        let directory = files::open_directory_path(place.path()).unwrap();
        for names_a_pass in [4, 100] {
            let refused = empty_of_files(&directory, place.path(), names_a_pass).unwrap();
            assert_eq!(refused.len(), 3, "{refused:?}");
            assert!(refused[0].ends_with("0000000064: not made by barrow"), "{}", refused[0]);
            assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 3);
        }
    }
}
