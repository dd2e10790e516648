//! Files that lines are appended to, in directories that others may be able to change: never through a link, never to a pipe or a
//! device, and never to a file that somebody else has given a second name.

use super::files::{EntryKind, Status, open_private, status_of};
use nix::errno::Errno;
use nix::fcntl::{OFlag, open, openat};
use nix::sys::stat::Mode;
use nix::unistd::{UnlinkatFlags, geteuid, unlinkat};
use std::ffi::{CString, OsStr};
use std::fs::File;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The usual mode, from which the umask takes.
const USUAL_MODE: Mode = Mode::from_bits_truncate(0o666);
const WRITABLE_BY_OTHERS: u32 = 0o022;
/// Tries to open a file beside somebody who makes and removes it all the time.
const MOST_TRIES: u32 = 20;

/// Why a file is not one to append to.
#[derive(Debug, thiserror::Error)]
pub enum AppendError {
    /// A call failed.
    #[error("{0}")]
    Call(#[from] io::Error),
    /// Its last part is a symbolic link.
    #[error("is a symbolic link")]
    Link,
    /// It is no regular file.
    #[error("is {0}")]
    NotAFile(&'static str),
    /// It has several names, in a directory that others can change: they may have linked it there.
    #[error("has {0} names")]
    OtherNames(u64),
}

impl From<Errno> for AppendError {
    fn from(error: Errno) -> Self {
        Self::Call(error.into())
    }
}

/// A file that this process made, by what it is and not only by its path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Made {
    directory: PathBuf,
    directory_number: (u64, u64),
    name: CString,
    number: (u64, u64),
}

/// The directory of a path, open only to find names in, and the name there.
fn split(path: &Path) -> Result<(File, CString, &Path), AppendError> {
    let is_directory = AppendError::NotAFile("a directory");
    let name = match path.file_name() {
        Some(name) if !path.as_os_str().as_bytes().ends_with(b"/") => name,
        _ => return Err(is_directory),
    };
    let parent = path.parent().filter(|parent| *parent != OsStr::new("")).unwrap_or_else(|| Path::new("."));
    let directory = open(parent, OFlag::O_PATH | OFlag::O_DIRECTORY | OFlag::O_CLOEXEC, Mode::empty())?;
    let name = CString::new(name.as_bytes()).map_err(|_| AppendError::Call(io::ErrorKind::InvalidInput.into()))?;
    Ok((File::from(directory), name, parent))
}

/// Opens a file to append to it and to read it, or makes it; tells what was made. The directories of the path may be links, its last
/// part may not.
///
/// # Errors
/// When it cannot be opened, or is not a file that it is safe to append to.
pub fn open_to_append(path: &Path) -> Result<(File, Option<Made>), AppendError> {
    let (directory, name, parent) = split(path)?;
    let flags = OFlag::O_RDWR | OFlag::O_APPEND | OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK | OFlag::O_NOCTTY | OFlag::O_CLOEXEC;
    for _ in 0..MOST_TRIES {
        match openat(&directory, name.as_c_str(), flags, Mode::empty()) {
            Ok(file) => return checked(File::from(file), &directory).map(|file| (file, None)),
            Err(Errno::EINTR) => continue,
            Err(Errno::ELOOP) => return Err(AppendError::Link),
            Err(Errno::EISDIR) => return Err(AppendError::NotAFile("a directory")),
            Err(Errno::ENXIO) => return Err(AppendError::NotAFile("a socket or a device that is not there")),
            Err(Errno::ENOENT) => {}
            Err(error) => return Err(error.into()),
        }
        // Exclusively: where it is there by now, it must be looked at like any other.
        match openat(&directory, name.as_c_str(), flags | OFlag::O_CREAT | OFlag::O_EXCL, USUAL_MODE) {
            Ok(file) => return made(File::from(file), &directory, name, parent).map(|(file, made)| (file, Some(made))),
            Err(Errno::EINTR | Errno::EEXIST) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(AppendError::Call(io::Error::other("somebody makes and removes it all the time")))
}

/// Makes a file that only its owner may read, to append to it.
///
/// # Errors
/// When it cannot be made, and when anything of this name is there.
pub fn make_private(path: &Path) -> Result<(File, Made), AppendError> {
    let (directory, name, parent) = split(path)?;
    let file = open_private(&directory, &name)?;
    made(file, &directory, name, parent)
}

fn made(file: File, directory: &File, name: CString, parent: &Path) -> Result<(File, Made), AppendError> {
    let number = status_of(&file)?.number();
    let made = Made { directory: parent.canonicalize()?, directory_number: status_of(directory)?.number(), name, number };
    Ok((file, made))
}

fn checked(file: File, directory: &File) -> Result<File, AppendError> {
    let status = status_of(&file)?;
    match status.kind {
        EntryKind::File => {}
        EntryKind::Directory => return Err(AppendError::NotAFile("a directory")),
        EntryKind::Pipe => return Err(AppendError::NotAFile("a pipe")),
        EntryKind::SymbolicLink => return Err(AppendError::NotAFile("a symbolic link")),
        EntryKind::Other => return Err(AppendError::NotAFile("a device")),
    }
    if status.links > 1 && can_be_changed_by_others(&status_of(directory)?) {
        return Err(AppendError::OtherNames(status.links));
    }
    Ok(file)
}

/// Whether somebody beside this user and root can make names in a directory.
fn can_be_changed_by_others(directory: &Status) -> bool {
    let is_ours = directory.owner == geteuid().as_raw() || directory.owner == 0;
    !is_ours || directory.mode & WRITABLE_BY_OTHERS != 0
}

impl Made {
    /// Removes the file, if it is still where it was made and empty, and nobody has locked it.
    ///
    /// # Errors
    /// When it is not so, or it cannot be removed.
    pub fn remove_if_empty(&self) -> io::Result<()> {
        let changed = || io::Error::other("it is no longer what was made");
        let flags = OFlag::O_PATH | OFlag::O_DIRECTORY | OFlag::O_CLOEXEC;
        let directory = File::from(open(&self.directory, flags, Mode::empty())?);
        if status_of(&directory)?.number() != self.directory_number {
            return Err(changed());
        }
        let flags = OFlag::O_RDONLY | OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK | OFlag::O_NOCTTY | OFlag::O_CLOEXEC;
        let file = File::from(openat(&directory, self.name.as_c_str(), flags, Mode::empty())?);
        file.try_lock().map_err(io::Error::from)?;
        let status = status_of(&file)?;
        if status.number() != self.number || status.size > 0 {
            return Err(changed());
        }
        Ok(unlinkat(&directory, self.name.as_c_str(), UnlinkatFlags::NoRemoveDir)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn words(path: &Path) -> String {
        open_to_append(path).map_or_else(|error| error.to_string(), |_| "fine".to_owned())
    }

    #[test]
    fn only_a_file_of_its_own_is_appended_to() {
        let home = tempfile::tempdir().unwrap();
        let path = |name: &str| home.path().join(name);
        fs::write(path("file"), "").unwrap();
        symlink(path("file"), path("link")).unwrap();
        symlink(path("nothing"), path("dangling")).unwrap();
        nix::unistd::mkfifo(&path("pipe"), Mode::S_IRWXU).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(path("socket")).unwrap();
        let expected = [
            ("file", "fine"),
            ("new", "fine"),
            ("link", "is a symbolic link"),
            ("dangling", "is a symbolic link"),
            ("pipe", "is a pipe"),
            ("socket", "is a socket or a device that is not there"),
            (".", "is a directory"),
            ("new/", "is a directory"),
        ];
        for (name, said) in expected {
            assert_eq!(words(&path(name)), said, "{name}");
        }
        assert_eq!(words(Path::new("/dev/null")), "is a device");
        assert!(!path("nothing").exists());
    }

    #[test]
    fn a_second_name_matters_where_others_can_make_one() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("file");
        fs::write(&path, "").unwrap();
        fs::hard_link(&path, home.path().join("other")).unwrap();
        for (mode, said) in [(0o700, "fine"), (0o755, "fine"), (0o1777, "has 2 names"), (0o775, "has 2 names")] {
            fs::set_permissions(home.path(), fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(words(&path), said, "{mode:o}");
        }
    }

    #[test]
    fn a_private_file_is_new_and_nobody_elses() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("file");
        let (file, made) = make_private(&path).unwrap();
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        assert!(make_private(&path).is_err());
        symlink(home.path().join("nothing"), home.path().join("link")).unwrap();
        assert!(make_private(&home.path().join("link")).is_err());
        made.remove_if_empty().unwrap();
        assert!(!path.exists());
    }

    #[test]
    fn only_what_was_made_is_removed() {
        let home = tempfile::tempdir().unwrap();
        let (directory, path) = (home.path().join("directory"), home.path().join("directory/file"));
        fs::create_dir(&directory).unwrap();
        let made = open_to_append(&path).unwrap().1.unwrap();
        // Another file in its place, then another directory.
        fs::rename(&path, directory.join("kept")).unwrap();
        fs::write(&path, "").unwrap();
        assert!(made.remove_if_empty().is_err() && path.exists());
        fs::rename(&directory, home.path().join("away")).unwrap();
        fs::create_dir(&directory).unwrap();
        fs::rename(home.path().join("away/kept"), &path).unwrap();
        assert!(made.remove_if_empty().is_err() && path.exists());
        // Back in its place, but with something in it.
        fs::remove_dir_all(home.path().join("away")).unwrap();
        let made = Made { directory_number: status_of(&File::open(&directory).unwrap()).unwrap().number(), ..made };
        fs::write(&path, "something").unwrap();
        assert!(made.remove_if_empty().is_err() && path.exists());
        fs::write(&path, "").unwrap();
        made.remove_if_empty().unwrap();
        assert!(!path.exists());
    }
}
