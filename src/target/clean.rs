//! Removing what killed barrows left, scratch directories above all: what barrow made, through handles, and nothing else.

use super::ground::plain_error;
use super::scratch::{EntryName, MARKER, entry_name, is_report_name, is_scratch_name, is_set_file_name, marker_nonce, scratch_name};
use crate::sys::files::{self, Access, EntryKind};
use crate::sys::living::is_living;
use crate::sys::mounts::mount_id;
use crate::sys::process::effective_user;
use std::collections::BTreeMap;
use std::ffi::{CStr, CString};
use std::fs::{File, TryLockError};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Names read at a time: a directory of a million files is removed in passes.
const NAMES_A_PASS: usize = 16_384;
/// Longer than any marker.
const MARKER_MOST: u64 = 256;

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
            (Some(EntryName::BlockFile), EntryKind::File) => note(&mut left, &path, files::unlink(scratch, name)),
            (Some(EntryName::SetDirectory), EntryKind::Directory) => empty_set_directory(scratch, name, &path, &mut left),
            _ => left.push(format!("{}: not made by barrow", path.display())),
        }
    }
    let has_marker = entries.iter().any(|(name, kind)| name.as_c_str() == MARKER && *kind == EntryKind::File);
    if left.is_empty() && has_marker {
        note(&mut left, &place.join("marker"), files::unlink(scratch, MARKER));
    }
    left
}

fn note(left: &mut Vec<String>, path: &Path, result: io::Result<()>) {
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
    if !lie_on_one_mount(scratch, &directory) {
        left.push(format!("{}: another filesystem is mounted there", path.display()));
        return;
    }
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
            if *kind == EntryKind::File && is_set_file_name(file) {
                note(&mut left, &file_path, files::unlink(directory, file));
            } else {
                left.push(format!("{}: not made by barrow", file_path.display()));
            }
            refused.extend(left.pop().map(|reason| (file.clone(), reason)));
        }
        // Where nothing at all can be removed, another pass would not do better.
        if entries.iter().all(|(file, _)| refused.contains_key(file)) {
            return Ok(refused.into_values().collect());
        }
    }
}

fn lie_on_one_mount(a: &File, b: &File) -> bool {
    match (mount_id(a), mount_id(b)) {
        (Ok(a), Ok(b)) => a == b,
        _ => false,
    }
}

/// What became of one thing with a name of barrow's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// It is gone.
    Removed,
    /// A barrow that lives uses it.
    Live,
    /// It was left, for these reasons.
    Left(Vec<String>),
}

/// Removes the scratch directories and half reports in a directory that nothing living uses. Gives each one's path and what became of it.
///
/// # Errors
/// When the directory itself cannot be opened or listed.
pub fn clean(directory: &Path) -> io::Result<Vec<(PathBuf, Found)>> {
    let parent = files::open_directory_path(directory)?;
    let mut found = Vec::new();
    for (name, _) in files::list(&parent, usize::MAX)? {
        let place = directory.join(name.to_string_lossy().as_ref());
        let what = if is_scratch_name(&name) {
            clean_scratch(&parent, &name, &place)
        } else if is_report_name(&name) {
            clean_report(&parent, &name, &place)
        } else {
            None
        };
        found.extend(what.map(|what| (place, what)));
    }
    found.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(found)
}

/// How many scratch directories of other runs lie in a directory: of runs that live, and of dead ones.
///
/// # Errors
/// When the directory cannot be listed.
pub fn others_in(parent: &File) -> io::Result<(usize, usize)> {
    let (mut live, mut dead) = (0, 0);
    let names = files::list(parent, usize::MAX)?.into_iter().map(|(name, _)| name);
    for name in names.filter(|name| is_scratch_name(name)) {
        let Ok(scratch) = files::open_directory(parent, &name) else {
            continue;
        };
        let lives = files::open_file(&scratch, MARKER, Access::Read, false).is_ok_and(|mut marker| match marker.try_lock() {
            Ok(()) => written_nonce(&mut marker).is_ok_and(|nonce| nonce.is_some_and(is_living)),
            Err(error) => matches!(error, TryLockError::WouldBlock),
        });
        if lives { live += 1 } else { dead += 1 }
    }
    Ok((live, dead))
}

/// What one look at something with a name of barrow's led to.
enum Looked {
    /// This became of it.
    At(Found),
    /// It went by itself: its run has ended meanwhile.
    Gone,
    /// Its run did something with it meanwhile, so that this went wrong.
    Changed(String),
}

/// Looks so often before what went wrong is told: a run that begins, or ends, does so once or twice.
const MOST_LOOKS: u32 = 8;

/// Removes a scratch directory; `None` when it went by itself.
fn clean_scratch(parent: &File, name: &CStr, place: &Path) -> Option<Found> {
    let mut reason = String::new();
    for _ in 0..MOST_LOOKS {
        match look(parent, name, place) {
            Looked::At(found) => return Some(found),
            Looked::Gone => return None,
            Looked::Changed(why) => reason = why,
        }
    }
    Some(Found::Left(vec![format!("{}: {reason}", place.display())]))
}

fn look(parent: &File, name: &CStr, place: &Path) -> Looked {
    let left = |reason: &str| Looked::At(Found::Left(vec![format!("{}: {reason}", place.display())]));
    match files::status_at(parent, name) {
        Ok(status) if status.kind != EntryKind::Directory => return left("is not a directory, so barrow did not make it"),
        Ok(status) if status.owner != effective_user() => return left("belongs to another user"),
        Ok(status) if status.mode & 0o777 != 0o700 => return left("its mode is not 0700, so barrow did not make it"),
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Looked::Gone,
        Err(error) => return left(&plain_error(&error)),
    }
    let scratch = match files::open_directory(parent, name) {
        Ok(scratch) => scratch,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Looked::Gone,
        Err(error) => return left(&format!("cannot be opened: {}", plain_error(&error))),
    };
    if !lie_on_one_mount(parent, &scratch) {
        return left("another filesystem is mounted there");
    }
    let mut marker = match files::open_file(&scratch, MARKER, Access::Read, false) {
        Ok(marker) => marker,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return remove_unmarked(parent, name, &scratch, place),
        Err(error) => return left(&format!("its marker cannot be opened: {}", plain_error(&error))),
    };
    if !files::status_of(&marker).is_ok_and(|status| status.kind == EntryKind::File) {
        return left("its marker is not a file");
    }
    match marker.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Looked::At(Found::Live),
        Err(TryLockError::Error(error)) => return left(&format!("its marker cannot be locked: {}", plain_error(&error))),
    }
    let mark = is_barrows(&scratch, &mut marker, name);
    // A run that ends removes its marker; one that begins does so, and makes it again, when it does not get the lock.
    if files::status_of(&marker).is_ok_and(|status| status.links == 0) {
        return Looked::Changed("its marker was removed".to_owned());
    }
    match mark {
        Ok(Mark::Dead) => remove_marked(parent, name, &scratch, place),
        Ok(Mark::Living) => Looked::At(Found::Live),
        Ok(Mark::Foreign) => left("its marker is not barrow's, so barrow did not make it"),
        Err(error) => left(&format!("its marker cannot be read: {}", plain_error(&error))),
    }
}

/// Whose a marker is.
enum Mark {
    /// A dead run's.
    Dead,
    /// A run's that lives, and has let go of it for its command.
    Living,
    /// Not barrow's.
    Foreign,
}

/// Whether the marker names the run whose nonce named the directory. A run that was killed before it could write its marker has left an
/// empty one, and nothing else.
fn is_barrows(scratch: &File, marker: &mut File, name: &CStr) -> io::Result<Mark> {
    if files::status_of(marker)?.size == 0 {
        return Ok(if files::list(scratch, 2)?.len() == 1 { Mark::Dead } else { Mark::Foreign });
    }
    Ok(match written_nonce(marker)? {
        Some(nonce) if scratch_name(nonce).as_c_str() != name => Mark::Foreign,
        Some(nonce) if is_living(nonce) => Mark::Living,
        Some(_) => Mark::Dead,
        None => Mark::Foreign,
    })
}

/// The nonce that a marker names; `None` when no barrow wrote it.
fn written_nonce(marker: &mut File) -> io::Result<Option<u64>> {
    let mut words = Vec::new();
    marker.take(MARKER_MOST).read_to_end(&mut words)?;
    Ok(marker_nonce(&String::from_utf8_lossy(&words)))
}

fn remove_marked(parent: &File, name: &CStr, scratch: &File, place: &Path) -> Looked {
    let reasons = empty_scratch(scratch, place);
    if !reasons.is_empty() {
        return Looked::At(Found::Left(reasons));
    }
    match files::remove_directory(parent, name) {
        Ok(()) => Looked::At(Found::Removed),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Looked::At(Found::Removed),
        // A run that had made it just now has made it again.
        Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => Looked::Changed(plain_error(&error)),
        Err(error) => Looked::At(Found::Left(vec![format!("{}: {}", place.display(), plain_error(&error))])),
    }
}

/// A run that was killed between making its directory and marking it, or while it removed it, leaves an empty one.
fn remove_unmarked(parent: &File, name: &CStr, scratch: &File, place: &Path) -> Looked {
    let left = |reason: &str| Looked::At(Found::Left(vec![format!("{}: {reason}", place.display())]));
    match files::remove_directory(parent, name) {
        Ok(()) => Looked::At(Found::Removed),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Looked::Gone,
        Err(error) if error.kind() != io::ErrorKind::DirectoryNotEmpty => left(&plain_error(&error)),
        Err(_) if files::status_at(scratch, MARKER).is_ok() => Looked::Changed("got its marker just now".to_owned()),
        Err(_) => left("has no marker and is not empty, so barrow did not make it"),
    }
}

/// Removes what a killed `barrow report` had not yet given its name; `None` when it got it meanwhile.
fn clean_report(parent: &File, name: &CStr, place: &Path) -> Option<Found> {
    let left = |reason: &str| Some(Found::Left(vec![format!("{}: {reason}", place.display())]));
    let file = match files::open_file(parent, name, Access::Read, false) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
        Err(error) => return left(&format!("cannot be opened: {}", plain_error(&error))),
    };
    match files::status_of(&file) {
        Ok(status) if status.kind != EntryKind::File || status.links > 1 => return left("is no plain file, so barrow did not make it"),
        Ok(status) if status.owner != effective_user() => return left("belongs to another user"),
        Ok(_) => {}
        Err(error) => return left(&plain_error(&error)),
    }
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Some(Found::Live),
        Err(TryLockError::Error(error)) => return left(&format!("cannot be locked: {}", plain_error(&error))),
    }
    match files::unlink(parent, name) {
        Ok(()) => Some(Found::Removed),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => left(&plain_error(&error)),
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
