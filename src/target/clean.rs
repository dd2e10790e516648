//! Removing what killed barrows left, scratch directories above all: what barrow made, through handles, and nothing else.

use super::emptying::{empty_scratch, remove_empty_scratch};
use super::ground::plain_error;
use super::marker;
use super::scratch::{MARKER, is_report_name, is_scratch_name, marker_nonce, scratch_name};
use crate::sys::files::{self, Access, EntryKind, Status};
use crate::sys::living::is_living;
use crate::sys::process::effective_user;
use std::ffi::{CStr, CString};
use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

const FOREIGN_MARKER: &str = "its marker is not barrow's, so barrow did not make it";

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

/// A kind of directory that barrow makes, marks and removes.
#[derive(Debug, Clone, Copy)]
pub struct Kind {
    /// The number that the words of a marker name; `None` when they are not of this kind.
    pub number: fn(&str) -> Option<u64>,
    /// The name of the directory with this number.
    pub name: fn(u64) -> CString,
    /// Removes everything that barrow makes in an open one, which lies at a path, the marker last; names what is left and why.
    pub empty: fn(&File, &Path) -> Vec<String>,
}

/// Scratch directories.
const SCRATCH: Kind = Kind { number: marker_nonce, name: scratch_name, empty: empty_scratch };

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
            clean_directory(&SCRATCH, &parent, &name, &place)
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
        let lives = marker::open(&scratch).is_ok_and(|mut marker| match marker.try_lock() {
            Ok(()) => marker::read(&mut marker).is_ok_and(|words| marker_nonce(&words).is_some_and(is_living)),
            Err(error) => matches!(error, TryLockError::WouldBlock),
        });
        if lives { live += 1 } else { dead += 1 }
    }
    Ok((live, dead))
}

/// Why a thing of the name of such a directory is none that this user's barrow made.
fn stranger(status: &Status) -> Option<&'static str> {
    if status.kind != EntryKind::Directory {
        Some("is not a directory, so barrow did not make it")
    } else if status.owner != effective_user() {
        Some("belongs to another user, who can clean it (root as that one: --user)")
    } else if status.mode & 0o777 != 0o700 {
        Some("its mode is not 0700, so barrow did not make it")
    } else {
        None
    }
}

/// What one look at something with a name of barrow's led to.
enum Looked {
    /// This became of it.
    At(Found),
    /// It went by itself: whoever used it has ended meanwhile.
    Gone,
    /// That one did something with it meanwhile, so that this went wrong.
    Changed(String),
}

/// Looks so often before what went wrong is told: a run that begins, or ends, does so once or twice.
const MOST_LOOKS: u32 = 8;

/// Removes a directory of a kind, which has a name of that kind; `None` when it went by itself.
#[must_use]
pub fn clean_directory(kind: &Kind, parent: &File, name: &CStr, place: &Path) -> Option<Found> {
    let mut reason = String::new();
    for _ in 0..MOST_LOOKS {
        match look(kind, parent, name, place) {
            Looked::At(found) => return Some(found),
            Looked::Gone => return None,
            Looked::Changed(why) => reason = why,
        }
    }
    Some(Found::Left(vec![format!("{}: {reason}", place.display())]))
}

fn look(kind: &Kind, parent: &File, name: &CStr, place: &Path) -> Looked {
    let left = |reason: &str| Looked::At(Found::Left(vec![format!("{}: {reason}", place.display())]));
    match files::status_at(parent, name).map(|status| stranger(&status)) {
        Ok(Some(reason)) => return left(reason),
        Ok(None) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Looked::Gone,
        Err(error) => return left(&plain_error(&error)),
    }
    let scratch = match files::open_directory(parent, name) {
        Ok(scratch) => scratch,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Looked::Gone,
        Err(error) => return left(&format!("cannot be opened: {}", plain_error(&error))),
    };
    // Once more of what is open: another one may have its name by now.
    match files::status_of(&scratch).map(|status| stranger(&status)) {
        Ok(Some(reason)) => return left(reason),
        Ok(None) => {}
        Err(error) => return left(&plain_error(&error)),
    }
    let mut marker = match marker::open(&scratch) {
        Ok(marker) => marker,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return remove_unmarked(parent, name, &scratch, place),
        Err(error) if error.kind() == io::ErrorKind::Other => return left(FOREIGN_MARKER),
        Err(error) => return left(&format!("its marker cannot be opened: {}", plain_error(&error))),
    };
    match marker.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Looked::At(Found::Live),
        Err(TryLockError::Error(error)) => return left(&format!("its marker cannot be locked: {}", plain_error(&error))),
    }
    let mark = whose(kind, &scratch, &mut marker, name);
    // A run that ends removes its marker; one that begins does so, and makes it again, when it does not get the lock.
    if files::status_of(&marker).is_ok_and(|status| status.links == 0) {
        return Looked::Changed("its marker was removed".to_owned());
    }
    match mark {
        Ok(Mark::Dead) => remove_marked(kind, parent, name, &scratch, place),
        Ok(Mark::Living) => Looked::At(Found::Live),
        Ok(Mark::Foreign) => left(FOREIGN_MARKER),
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

/// Whether the marker names the number that named the directory. Who was killed before he could write his marker has left an empty one,
/// and nothing else.
fn whose(kind: &Kind, scratch: &File, marker: &mut File, name: &CStr) -> io::Result<Mark> {
    if files::status_of(marker)?.size == 0 {
        return Ok(if files::list(scratch, 2)?.len() == 1 { Mark::Dead } else { Mark::Foreign });
    }
    Ok(match (kind.number)(&marker::read(marker)?) {
        Some(number) if (kind.name)(number).as_c_str() != name => Mark::Foreign,
        Some(number) if is_living(number) => Mark::Living,
        Some(_) => Mark::Dead,
        None => Mark::Foreign,
    })
}

fn remove_marked(kind: &Kind, parent: &File, name: &CStr, scratch: &File, place: &Path) -> Looked {
    let reasons = (kind.empty)(scratch, place);
    if !reasons.is_empty() {
        return Looked::At(Found::Left(reasons));
    }
    match remove_empty_scratch(parent, name, scratch, place) {
        None => Looked::At(Found::Removed),
        // A run that had made it just now has made it again.
        Some(reason) if !files::is_empty(scratch).unwrap_or(true) => Looked::Changed(reason),
        Some(reason) => Looked::At(Found::Left(vec![reason])),
    }
}

/// A run that was killed between making its directory and marking it, or while it removed it, leaves an empty one.
fn remove_unmarked(parent: &File, name: &CStr, scratch: &File, place: &Path) -> Looked {
    let left = |reason: &str| Looked::At(Found::Left(vec![format!("{}: {reason}", place.display())]));
    match files::remove_directory(parent, name) {
        Ok(()) => Looked::At(Found::Removed),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Looked::Gone,
        Err(error) if error.kind() != io::ErrorKind::DirectoryNotEmpty => left(&plain_error(&error)),
        // A run has put its marker there just now, or has been there and gone; another one's files stay.
        Err(_) => match files::list(scratch, 1) {
            Ok(entries) if !entries.is_empty() && files::status_at(scratch, MARKER).is_err() => {
                left("has no marker and is not empty, so barrow did not make it")
            }
            Ok(_) | Err(_) => Looked::Changed("is being made or removed".to_owned()),
        },
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
