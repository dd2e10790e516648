//! Operations on files through directory handles, never following a link; nothing here allocates but the listing.

use super::mounts::mount_id;
use nix::dir::{Dir, Type};
use nix::errno::Errno;
use nix::fcntl::{AT_FDCWD, AtFlags, OFlag, OpenHow, PosixFadviseAdvice, ResolveFlag, openat, openat2, posix_fadvise, readlinkat};
use nix::sys::stat::{FchmodatFlags, FileStat, Mode, SFlag, fchmod, fchmodat, fstat, fstatat, mkdirat};
use nix::unistd::{AccessFlags, UnlinkatFlags, faccessat, linkat, symlinkat, unlinkat};
use std::ffi::{CStr, CString, OsString};
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::path::Path;

const SCRATCH_FILE_MODE: Mode = Mode::from_bits_truncate(0o600);
const SCRATCH_DIRECTORY_MODE: Mode = Mode::from_bits_truncate(0o700);

/// What a file is opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// To read an existing file.
    Read,
    /// To read and write an existing file.
    ReadWrite,
    /// To write a file that must not exist yet.
    CreateNew,
    /// The same, where each write returns when its data is on stable storage (`O_DSYNC`).
    CreateNewDataSync,
    /// The same, where each write returns when its data and the file's metadata are on stable storage (`O_SYNC`).
    CreateNewSync,
    /// To read and write an existing file, with `O_SYNC`.
    ReadWriteSync,
}

impl Access {
    /// Whether the file must not exist yet.
    #[must_use]
    pub const fn makes(self) -> bool {
        match self {
            Self::CreateNew | Self::CreateNewDataSync | Self::CreateNewSync => true,
            Self::Read | Self::ReadWrite | Self::ReadWriteSync => false,
        }
    }
}

/// What a directory entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A pipe.
    Pipe,
    /// A symbolic link.
    SymbolicLink,
    /// A device or a socket.
    Other,
}

/// Who owns a file, what it is, and which one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Status {
    /// What it is.
    pub kind: EntryKind,
    /// The permission bits, 0 to 0o7777.
    pub mode: u32,
    /// The owner's number.
    pub owner: u32,
    /// How many names it has; 0 when it was removed while it was open.
    pub links: u64,
    /// Size in bytes.
    pub size: u64,
    /// The number of its filesystem.
    pub device: u64,
    /// Its own number there.
    pub inode: u64,
}

impl Status {
    /// What tells a file from every other one that is there at the same time.
    #[must_use]
    pub const fn number(&self) -> (u64, u64) {
        (self.device, self.inode)
    }
}

/// Makes a call again as long as a signal interrupts it.
fn retried<T>(mut call: impl FnMut() -> nix::Result<T>) -> io::Result<T> {
    loop {
        match call() {
            Err(Errno::EINTR) => {}
            other => return Ok(other?),
        }
    }
}

/// Opens a directory by path, following links as a user expects of a path that he typed.
///
/// # Errors
/// As open(2), `ENOTDIR` included.
pub fn open_directory_path(path: &Path) -> io::Result<File> {
    let flags = OFlag::O_RDONLY | OFlag::O_DIRECTORY | OFlag::O_CLOEXEC;
    retried(|| nix::fcntl::open(path, flags, Mode::empty())).map(File::from)
}

/// Checks that entries can be made in a directory.
///
/// # Errors
/// As faccessat(2): `EACCES` without the rights, `EROFS` on a read-only filesystem.
pub fn check_writable(directory: &File) -> io::Result<()> {
    let rights = AccessFlags::W_OK | AccessFlags::X_OK;
    retried(|| faccessat(directory, c".", rights, AtFlags::AT_EACCESS))
}

const BELOW: OFlag = OFlag::O_RDONLY.union(OFlag::O_DIRECTORY).union(OFlag::O_NOFOLLOW).union(OFlag::O_CLOEXEC);

/// Opens a directory below another one, never through a link and never into what is mounted there, which is somebody else's.
///
/// # Errors
/// `CrossesDevices` where something is mounted there; else as openat2(2).
pub fn open_directory(parent: &File, name: &CStr) -> io::Result<File> {
    let how = OpenHow::new().flags(BELOW).resolve(ResolveFlag::RESOLVE_NO_XDEV);
    let opened = retried(|| openat2(parent, name, how)).map(File::from);
    match opened.as_ref().err().and_then(io::Error::raw_os_error) {
        Some(libc::EXDEV) => Err(mounted_there()),
        // Older than Linux 5.6, or a sandbox that does not know the call.
        Some(libc::ENOSYS | libc::EPERM) => open_directory_and_look(parent, name),
        Some(_) | None => opened,
    }
}

fn open_directory_and_look(parent: &File, name: &CStr) -> io::Result<File> {
    let directory = File::from(retried(|| openat(parent, name, BELOW, Mode::empty()))?);
    if mount_id(parent)? == mount_id(&directory)? { Ok(directory) } else { Err(mounted_there()) }
}

fn mounted_there() -> io::Error {
    io::Error::new(io::ErrorKind::CrossesDevices, "another filesystem is mounted there")
}

/// Makes a directory that only its owner may enter.
///
/// # Errors
/// As mkdirat(2), `EEXIST` included.
pub fn make_directory(parent: &File, name: &CStr) -> io::Result<()> {
    retried(|| mkdirat(parent, name, SCRATCH_DIRECTORY_MODE))
}

/// Gives a directory the mode that only its owner may enter, whatever the umask made of it.
///
/// # Errors
/// As fchmod(2).
pub fn make_private(directory: &File) -> io::Result<()> {
    retried(|| fchmod(directory, SCRATCH_DIRECTORY_MODE))
}

/// The same for a directory by its name, never through a link.
///
/// # Errors
/// As fchmodat(2); `ENOTDIR` where a link or a file has the name.
pub fn make_private_at(parent: &File, name: &CStr) -> io::Result<()> {
    let flags = OFlag::O_PATH | OFlag::O_DIRECTORY | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
    let directory = File::from(retried(|| openat(parent, name, flags, Mode::empty()))?);
    // A descriptor of a path alone takes no fchmod(2), but its name in /proc does.
    let path = format!("/proc/self/fd/{}", directory.as_raw_fd());
    retried(|| fchmodat(AT_FDCWD, path.as_str(), SCRATCH_DIRECTORY_MODE, FchmodatFlags::FollowSymlink))
}

/// Opens or makes a file below a directory, never through a link, and never waiting for the other end of a pipe that somebody put in
/// its place.
///
/// # Errors
/// As openat(2).
pub fn open_file(parent: &File, name: &CStr, access: Access, direct: bool) -> io::Result<File> {
    let mut flags = OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC | OFlag::O_NONBLOCK | OFlag::O_NOCTTY;
    flags |= match access {
        Access::Read => OFlag::O_RDONLY,
        Access::ReadWrite => OFlag::O_RDWR,
        Access::ReadWriteSync => OFlag::O_RDWR | OFlag::O_SYNC,
        Access::CreateNew => OFlag::O_RDWR | OFlag::O_CREAT | OFlag::O_EXCL,
        Access::CreateNewDataSync => OFlag::O_RDWR | OFlag::O_CREAT | OFlag::O_EXCL | OFlag::O_DSYNC,
        Access::CreateNewSync => OFlag::O_RDWR | OFlag::O_CREAT | OFlag::O_EXCL | OFlag::O_SYNC,
    };
    flags.set(OFlag::O_DIRECT, direct);
    retried(|| openat(parent, name, flags, SCRATCH_FILE_MODE)).map(File::from)
}

/// Makes a file that only its owner may read, to append to it; nothing of its name may be there.
///
/// # Errors
/// As openat(2), `EEXIST` included.
pub fn open_private(parent: &File, name: &CStr) -> io::Result<File> {
    let flags = OFlag::O_RDWR | OFlag::O_APPEND | OFlag::O_CREAT | OFlag::O_EXCL | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
    retried(|| openat(parent, name, flags, SCRATCH_FILE_MODE)).map(File::from)
}

/// Closes a file and reports what the filesystem has to say about it.
///
/// # Errors
/// As close(2).
pub fn close(file: File) -> io::Result<()> {
    Ok(nix::unistd::close(file)?)
}

/// Flushes a file's data and metadata to its device.
///
/// # Errors
/// As fsync(2).
pub fn sync_file(file: &File) -> io::Result<()> {
    retried(|| nix::unistd::fsync(file))
}

/// Flushes the whole filesystem that a file lies on, and no other.
///
/// # Errors
/// As syncfs(2).
pub fn sync_filesystem(file: &File) -> io::Result<()> {
    retried(|| nix::unistd::syncfs(file))
}

/// Tells the kernel that a file will be read at random places: no readahead.
///
/// # Errors
/// As posix_fadvise(2).
pub fn advise_random(file: &File) -> io::Result<()> {
    retried(|| posix_fadvise(file, 0, 0, PosixFadviseAdvice::POSIX_FADV_RANDOM))
}

/// Asks the kernel to forget a file's clean pages. Advice only: prove it by residency.
///
/// # Errors
/// As posix_fadvise(2).
pub fn advise_forget(file: &File) -> io::Result<()> {
    retried(|| posix_fadvise(file, 0, 0, PosixFadviseAdvice::POSIX_FADV_DONTNEED))
}

/// The status of an entry of a directory, of a link itself.
///
/// # Errors
/// As fstatat(2).
pub fn status_at(parent: &File, name: &CStr) -> io::Result<Status> {
    Ok(status(&retried(|| fstatat(parent, name, AtFlags::AT_SYMLINK_NOFOLLOW))?))
}

/// The status of what an entry of a directory leads to, through links.
///
/// # Errors
/// As fstatat(2), `ENOENT` where a link leads nowhere.
pub fn status_through(parent: &File, name: &CStr) -> io::Result<Status> {
    Ok(status(&retried(|| fstatat(parent, name, AtFlags::empty()))?))
}

/// Gives a file a second name in its directory.
///
/// # Errors
/// As linkat(2), `EPERM` where the filesystem has no hard links.
pub fn make_hard_link(directory: &File, file: &CStr, name: &CStr) -> io::Result<()> {
    retried(|| linkat(directory, file, directory, name, AtFlags::empty()))
}

/// Makes a symbolic link to another entry of its directory.
///
/// # Errors
/// As symlinkat(2), `EPERM` where the filesystem has no symbolic links.
pub fn make_symbolic_link(directory: &File, file: &CStr, name: &CStr) -> io::Result<()> {
    retried(|| symlinkat(file, directory, name))
}

/// What a symbolic link says.
///
/// # Errors
/// As readlinkat(2), `EINVAL` for what is none.
pub fn read_link(parent: &File, name: &CStr) -> io::Result<OsString> {
    retried(|| readlinkat(parent, name))
}

/// The status of an open file.
///
/// # Errors
/// As fstat(2).
pub fn status_of(file: &File) -> io::Result<Status> {
    Ok(status(&retried(|| fstat(file))?))
}

/// Whether a directory was removed while it was open: it has no name any more, and /proc says so too, since some filesystems count no
/// names of directories that are there.
pub fn is_removed(directory: &File) -> bool {
    let has_no_name = status_of(directory).is_ok_and(|status| status.links == 0);
    has_no_name
        && std::fs::read_link(format!("/proc/self/fd/{}", directory.as_raw_fd()))
            .is_ok_and(|link| link.as_os_str().as_encoded_bytes().ends_with(b" (deleted)"))
}

fn status(stat: &FileStat) -> Status {
    let kind = match SFlag::from_bits_truncate(stat.st_mode) & SFlag::S_IFMT {
        SFlag::S_IFREG => EntryKind::File,
        SFlag::S_IFDIR => EntryKind::Directory,
        SFlag::S_IFIFO => EntryKind::Pipe,
        SFlag::S_IFLNK => EntryKind::SymbolicLink,
        _ => EntryKind::Other,
    };
    let size = u64::try_from(stat.st_size).unwrap_or(0);
    Status { kind, mode: stat.st_mode & 0o7777, owner: stat.st_uid, links: stat.st_nlink, size, device: stat.st_dev, inode: stat.st_ino }
}

/// Removes a file's name.
///
/// # Errors
/// As unlinkat(2).
pub fn unlink(parent: &File, name: &CStr) -> io::Result<()> {
    retried(|| unlinkat(parent, name, UnlinkatFlags::NoRemoveDir))
}

/// Removes an empty directory.
///
/// # Errors
/// As unlinkat(2) with `AT_REMOVEDIR`.
pub fn remove_directory(parent: &File, name: &CStr) -> io::Result<()> {
    retried(|| unlinkat(parent, name, UnlinkatFlags::RemoveDir))
}

/// The entries of a directory in the order in which it lists them, without `.` and `..`; at most `most` of them.
///
/// # Errors
/// As getdents(2), and fstatat(2) where the directory does not tell an entry's kind.
pub fn list(directory: &File, most: usize) -> io::Result<Vec<(CString, EntryKind)>> {
    loop {
        match list_once(directory, most) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            other => return other,
        }
    }
}

/// Whether a directory holds nothing. Where the owner may ask for that, the look leaves no trace in its times.
///
/// # Errors
/// As [`list`].
pub fn is_empty(directory: &File) -> io::Result<bool> {
    let flags = OFlag::O_RDONLY | OFlag::O_DIRECTORY | OFlag::O_CLOEXEC;
    let without_trace = retried(|| openat(directory, c".", flags | OFlag::O_NOATIME, Mode::empty()));
    let again = without_trace.or_else(|_| retried(|| openat(directory, c".", flags, Mode::empty())))?;
    for entry in Dir::from_fd(again)?.iter() {
        let name = entry?.file_name().to_owned();
        if name.as_c_str() != c"." && name.as_c_str() != c".." {
            return Ok(false);
        }
    }
    Ok(true)
}

fn list_once(directory: &File, most: usize) -> io::Result<Vec<(CString, EntryKind)>> {
    // A descriptor of its own, so that the position of the caller's is left alone.
    let flags = OFlag::O_RDONLY | OFlag::O_DIRECTORY | OFlag::O_CLOEXEC;
    let again = retried(|| openat(directory, c".", flags, Mode::empty()))?;
    let mut entries = Vec::new();
    for entry in Dir::from_fd(again)?.iter() {
        let entry = entry?;
        let name = entry.file_name();
        if name == c"." || name == c".." {
            continue;
        }
        let kind = match entry.file_type() {
            Some(Type::File) => EntryKind::File,
            Some(Type::Directory) => EntryKind::Directory,
            Some(Type::Fifo) => EntryKind::Pipe,
            Some(Type::Symlink) => EntryKind::SymbolicLink,
            Some(_) => EntryKind::Other,
            None => match status_at(directory, name) {
                Ok(status) => status.kind,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(error),
            },
        };
        entries.push((name.to_owned(), kind));
        if entries.len() == most {
            break;
        }
    }
    Ok(entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_mounted_is_not_entered() {
        let place = tempfile::tempdir().unwrap();
        std::fs::create_dir(place.path().join("own")).unwrap();
        let [own, root] = [place.path(), Path::new("/")].map(|path| open_directory_path(path).unwrap());
        for open in [open_directory, open_directory_and_look] {
            assert!(open(&own, c"own").is_ok());
            assert_eq!(open(&own, c"none").unwrap_err().kind(), io::ErrorKind::NotFound);
            // barrow refuses to run where /proc is not mounted.
            assert_eq!(open(&root, c"proc").unwrap_err().kind(), io::ErrorKind::CrossesDevices);
        }
    }
}
