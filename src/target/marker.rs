//! The marker of a directory that barrow makes: written and locked while it is used, found again, and told from what others put in its
//! place.

use super::Access;
use super::scratch::{MARKER, MARKER_LEAST, MARKER_MOST, marker_nonce};
use crate::sys::files::{self, EntryKind, Status};
use std::fs::{File, TryLockError};
use std::io::{self, Read, Write};
use std::time::{Duration, Instant};

/// How long another barrow may look at a marker, and how often it is tried again meanwhile.
const LOCK_PATIENCE: Duration = Duration::from_secs(10);
const LOCK_TRY: Duration = Duration::from_millis(5);

/// Makes the marker of a new directory, which says some words, and locks it.
///
/// # Errors
/// When it cannot be made, or was removed before it was locked (`NotFound`).
pub fn write(directory: &File, words: &str) -> io::Result<File> {
    let mut marker = files::open_file(directory, MARKER, Access::CreateNew, false)?;
    let locked = marker.try_lock().map_err(io::Error::from).and_then(|()| still_there(&marker));
    let written = locked.and_then(|()| marker.write_all(words.as_bytes()));
    match written {
        Ok(()) => Ok(marker),
        Err(error) => {
            // The directory must be empty for its removal; the error that matters is the one above.
            let _ = files::unlink(directory, MARKER);
            Err(error)
        }
    }
}

/// An error when a file or directory was removed while it was open.
///
/// # Errors
/// `NotFound` in that case, else as fstat(2).
pub fn still_there(file: &File) -> io::Result<()> {
    if files::status_of(file)?.links > 0 { Ok(()) } else { Err(io::ErrorKind::NotFound.into()) }
}

/// Opens the marker of a scratch directory, but nothing that only has its name: neither opening nor reading that is harmless everywhere.
///
/// # Errors
/// When there is none (`NotFound`), or it is not a file of the form that barrow makes (`Other`); else as the system says.
pub fn open(scratch: &File) -> io::Result<File> {
    check(&files::status_at(scratch, MARKER)?)?;
    let marker = files::open_file(scratch, MARKER, Access::Read, false)?;
    // Another one may have taken its place.
    check(&files::status_of(&marker)?)?;
    Ok(marker)
}

fn check(status: &Status) -> io::Result<()> {
    let has_its_size = status.size == 0 || (MARKER_LEAST..=MARKER_MOST).contains(&status.size);
    let is_fine = status.kind == EntryKind::File && status.links <= 1 && has_its_size;
    if is_fine { Ok(()) } else { Err(io::Error::other("it is not a file that barrow makes")) }
}

/// What an open marker says.
///
/// # Errors
/// As read(2).
pub fn read(marker: &mut File) -> io::Result<String> {
    let mut words = Vec::new();
    marker.take(MARKER_MOST).read_to_end(&mut words)?;
    Ok(String::from_utf8_lossy(&words).into_owned())
}

/// The marker that a run wrote, locked again.
///
/// # Errors
/// When there is none, another program has it locked, or another run wrote it.
pub fn find(scratch: &File, nonce: u64) -> io::Result<File> {
    let mut marker = open(scratch)?;
    lock_again(&marker)?;
    if marker_nonce(&read(&mut marker)?) == Some(nonce) { Ok(marker) } else { Err(io::Error::other("the marker is another run's")) }
}

/// Locks a marker that others may have locked for a moment, to see whose it is.
fn lock_again(marker: &File) -> io::Result<()> {
    let begun = Instant::now();
    loop {
        match marker.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) if begun.elapsed() < LOCK_PATIENCE => std::thread::sleep(LOCK_TRY),
            Err(error) => return Err(error.into()),
        }
    }
}
