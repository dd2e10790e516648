//! Emptying a home: what stands on its images is unmounted and detached, what the lab made goes, through handles; all else stays and is
//! named.

use super::home::{EntryName, entry_name};
use crate::sys::files::{self, EntryKind};
use crate::sys::loop_device::{detach, standing_on};
use crate::sys::mounting::unmount;
use crate::sys::mounts::{self, Mount};
use crate::sys::stack::backing::stands_on;
use crate::sys::users;
use crate::target::emptying::{NOT_OURS, note};
use crate::target::ground::plain_error;
use crate::target::scratch::MARKER;
use std::ffi::{CStr, CString, OsStr};
use std::fs::File;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long the kernel may take to let go of a device: the mounts of a process that was killed go some time after it.
const PATIENCE: Duration = Duration::from_secs(10);
const LOOK: Duration = Duration::from_millis(10);

/// Removes everything that the lab makes from an open home, which lies at `place`, the marker last. Names what is left and why.
#[must_use]
pub fn empty_home(home: &File, place: &Path) -> Vec<String> {
    let mut left = Vec::new();
    let entries = match files::list(home, usize::MAX) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return left,
        Err(error) => return vec![format!("{}: cannot be listed: {}", place.display(), plain_error(&error))],
    };
    let all = |wanted: EntryName, kind: EntryKind| {
        entries.iter().filter(move |entry| (entry_name(&entry.0), entry.1) == (Some(wanted), kind)).map(|entry| &entry.0)
    };
    // Where nothing is mounted here it goes: what a process left mounted there in a view of its own goes with it, and with that what
    // holds the image. What cannot go yet is tried again below.
    for name in all(EntryName::Place, EntryKind::Directory) {
        let _ = files::remove_directory(home, name);
    }
    for name in all(EntryName::Image, EntryKind::File) {
        if let Err(reason) = remove_image(home, name, &path_of(place, name)) {
            left.push(format!("{}: {reason}", path_of(place, name).display()));
        }
    }
    for name in all(EntryName::Place, EntryKind::Directory) {
        note(&mut left, &path_of(place, name), files::remove_directory(home, name));
    }
    for (name, kind) in &entries {
        let is_known = matches!(
            (entry_name(name), kind),
            (Some(EntryName::Marker | EntryName::Image), EntryKind::File) | (Some(EntryName::Place), EntryKind::Directory)
        );
        if !is_known {
            left.push(format!("{}: {NOT_OURS}", path_of(place, name).display()));
        }
    }
    if left.is_empty() {
        note(&mut left, &path_of(place, MARKER), files::unlink(home, MARKER));
    }
    left
}

fn path_of(place: &Path, name: &CStr) -> PathBuf {
    place.join(OsStr::from_bytes(name.to_bytes()))
}

/// Removes an image, once nothing stands on it any more.
fn remove_image(home: &File, name: &CString, path: &Path) -> Result<(), String> {
    let status = files::status_at(home, name).map_err(|error| plain_error(&error))?;
    if status.kind != EntryKind::File || status.links > 1 {
        return Err(NOT_OURS.to_owned());
    }
    release(path)?;
    match files::unlink(home, name) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(plain_error(&error)),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Unmounts what this process sees mounted from an image, and detaches the loop devices that stand on it.
///
/// # Errors
/// Who still uses it, in words, and what to do.
fn release(image: &Path) -> Result<(), String> {
    // The kernel names files by their path without links.
    let image = image.canonicalize().map_err(|error| plain_error(&error))?;
    let begun = Instant::now();
    loop {
        // A name alone may be that of another file, in a view of files of its own.
        let devices: Vec<String> = standing_on(&image).into_iter().filter(|name| stands_on(name, &image) != Some(false)).collect();
        let Some(device) = devices.first() else { return Ok(()) };
        let done = unmount_all(device).and_then(|()| detach(device));
        let is_forbidden = done.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::PermissionDenied);
        if is_forbidden || begun.elapsed() > PATIENCE {
            return Err(still_in_use(device, done.err()));
        }
        std::thread::sleep(LOOK);
    }
}

fn still_in_use(device: &str, error: Option<io::Error>) -> String {
    if let Some(process) = users::of_mounts_elsewhere(|mount| is_of(mount, device)).first() {
        return format!("/dev/{device} stands on it and is mounted where only {process} and its like see it; end that, then clean again");
    }
    let why = error.map(|error| format!(" ({})", plain_error(&error))).unwrap_or_default();
    let mut users = users::of_path(&Path::new("/dev").join(device));
    let places = mounts::all().unwrap_or_default().into_iter().filter(|mount| is_of(mount, device));
    users.extend(places.flat_map(|mount| users::of_path(&mount.mount_point)));
    let by = users.first().map(|user| format!(" by {user}")).unwrap_or_default();
    format!("/dev/{device} stands on it and is in use{by}{why}; end what uses it, then clean again")
}

/// Whether something is mounted from a loop device.
fn is_of(mount: &Mount, device: &str) -> bool {
    // Not by its number: a filesystem on several devices has one of its own.
    mount.source.strip_prefix("/dev/") == Some(device)
}

fn unmount_all(device: &str) -> io::Result<()> {
    // What covers a place comes after what it covers.
    for mount in mounts::all()?.into_iter().rev().filter(|mount| is_of(mount, device)) {
        unmount(&mount.mount_point)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn what_a_lab_makes_goes_and_all_else_stays() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path();
        let elsewhere = tempfile::NamedTempFile::new().unwrap();
        for name in ["marker", "image.0", "image.1"] {
            fs::write(path.join(name), "x").unwrap();
        }
        fs::create_dir(path.join("mounted.0")).unwrap();
        fs::write(path.join("thesis.tex"), "kept").unwrap();
        symlink(elsewhere.path(), path.join("image.2")).unwrap();
        fs::hard_link(elsewhere.path(), path.join("image.3")).unwrap();
        fs::create_dir(path.join("mounted.1")).unwrap();
        fs::write(path.join("mounted.1/notes"), "kept").unwrap();
        let open = files::open_directory_path(path).unwrap();
        let left = empty_home(&open, path);
        assert_eq!(left.len(), 4, "{left:?}");
        let names = ["thesis.tex: not made by barrow", "image.2: not made by barrow", "image.3: not made by barrow", "mounted.1: "];
        assert!(names.iter().all(|name| left.iter().any(|reason| reason.contains(name))), "{left:?}");
        let mut kept: Vec<String> = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        kept.sort();
        assert_eq!(kept, ["image.2", "image.3", "marker", "mounted.1", "thesis.tex"]);
        assert!(elsewhere.path().exists());
    }

    #[test]
    fn a_mount_is_known_by_its_device() {
        let of = |source: &str| mounts::parse_mount(&format!("1 2 7:3 / /x rw - ext4 {source} rw")).unwrap();
        assert!(is_of(&of("/dev/loop3"), "loop3"));
        assert!(!is_of(&of("/dev/loop31"), "loop3") && !is_of(&of("loop3"), "loop3"));
    }
}
