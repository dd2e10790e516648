//! Whether a filesystem takes direct I/O, and how it must be aligned: by its own words, else by one transfer.

use crate::model::machine::{AlignmentSource, DirectIo};
use nix::errno::Errno;
use nix::fcntl::{OFlag, openat};
use nix::sys::stat::Mode;
use std::fs::File;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;

/// Bytes of the transfer that is tried where the filesystem does not say: the page size and block size nearly everywhere.
const TRIAL_BYTES: usize = 4096;
const PRIVATE_FILE: Mode = Mode::from_bits_truncate(0o600);

/// What a filesystem says to direct I/O.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// It takes it, aligned so.
    Takes(DirectIo),
    /// It takes none.
    Refuses(Refusal),
}

/// Where direct I/O was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// A file cannot be opened with `O_DIRECT`.
    Open,
    /// The filesystem says by statx(2) that its files take none.
    Statx,
    /// A file was opened, but an aligned transfer of 4096 bytes is an invalid argument.
    Transfer,
}

/// Makes a file without a name in a directory, open for direct I/O; `None` where there is no such thing: the filesystem has no files
/// without a name, or it refuses direct I/O.
///
/// # Errors
/// When no file can be made for another reason, as openat(2).
pub fn open_nameless(directory: &File) -> io::Result<Option<File>> {
    let flags = OFlag::O_RDWR | OFlag::O_CLOEXEC | OFlag::O_DIRECT | OFlag::O_TMPFILE;
    match openat(directory, c".", flags, PRIVATE_FILE) {
        Ok(file) => Ok(Some(File::from(file))),
        // An invalid argument can be either flag; the others say that there are no files without a name.
        Err(Errno::EINVAL | Errno::EOPNOTSUPP | Errno::EISDIR | Errno::ENOENT) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Asks the filesystem by an empty file of its own that is open for direct I/O.
///
/// # Errors
/// When the transfer that is tried fails for another reason than that it is direct, as pwrite(2).
pub fn ask(file: &File) -> io::Result<Answer> {
    match alignment_told(file) {
        Some((0, _) | (_, 0)) => Ok(Answer::Refuses(Refusal::Statx)),
        Some((memory_alignment, offset_alignment)) => {
            Ok(Answer::Takes(DirectIo { memory_alignment, offset_alignment, source: AlignmentSource::Statx }))
        }
        None => tried(transfer(file)),
    }
}

/// What one aligned transfer tells.
fn tried(transfer: io::Result<()>) -> io::Result<Answer> {
    let alignment = TRIAL_BYTES as u64;
    match transfer {
        Ok(()) => Ok(Answer::Takes(DirectIo { memory_alignment: alignment, offset_alignment: alignment, source: AlignmentSource::Trial })),
        Err(error) if is_invalid(&error) => Ok(Answer::Refuses(Refusal::Transfer)),
        Err(error) => Err(error),
    }
}

/// How direct I/O on an open file or device must be aligned, by its own words; `None` where nothing is told, or none is taken.
#[must_use]
pub fn told(file: &File) -> Option<DirectIo> {
    let (memory_alignment, offset_alignment) = alignment_told(file).filter(|told| told.0 > 0 && told.1 > 0)?;
    Some(DirectIo { memory_alignment, offset_alignment, source: AlignmentSource::Statx })
}

/// How the kernel refuses `O_DIRECT` and transfers that it cannot do.
#[must_use]
pub fn is_invalid(error: &io::Error) -> bool {
    error.raw_os_error() == Some(libc::EINVAL)
}

/// The alignment of memory and of offsets in bytes, as statx(2) tells it (Linux 6.1, some filesystems); both 0 where the file takes no
/// direct I/O; `None` where nothing is told.
fn alignment_told(file: &File) -> Option<(u64, u64)> {
    let mut answer = MaybeUninit::<libc::statx>::zeroed();
    // SAFETY: the descriptor is open, the path is an empty text, and the answer has the room that the call fills.
    #[allow(unsafe_code)]
    let result = unsafe { libc::statx(file.as_raw_fd(), c"".as_ptr(), libc::AT_EMPTY_PATH, libc::STATX_DIOALIGN, answer.as_mut_ptr()) };
    // SAFETY: a structure of integers, of which every bit was set to zero before the call.
    #[allow(unsafe_code)]
    let answer = unsafe { answer.assume_init() };
    let is_told = result == 0 && answer.stx_mask & libc::STATX_DIOALIGN != 0;
    is_told.then(|| (u64::from(answer.stx_dio_mem_align), u64::from(answer.stx_dio_offset_align)))
}

#[repr(align(4096))]
struct Page([u8; TRIAL_BYTES]);

/// Writes one page and reads it again.
fn transfer(file: &File) -> io::Result<()> {
    let written = Box::new(Page([0x5a; TRIAL_BYTES]));
    let mut read = Box::new(Page([0; TRIAL_BYTES]));
    file.write_all_at(&written.0, 0)?;
    file.read_exact_at(&mut read.0, 0)?;
    if read.0 == written.0 { Ok(()) } else { Err(io::Error::other("what was read is not what was written")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_invalid_argument_is_a_refusal() {
        assert!(matches!(tried(Ok(())).unwrap(), Answer::Takes(DirectIo { offset_alignment: 4096, source: AlignmentSource::Trial, .. })));
        assert_eq!(tried(Err(io::Error::from_raw_os_error(libc::EINVAL))).unwrap(), Answer::Refuses(Refusal::Transfer));
        let full = tried(Err(io::Error::from_raw_os_error(libc::ENOSPC)));
        assert_eq!(full.unwrap_err().raw_os_error(), Some(libc::ENOSPC));
    }

    #[test]
    fn a_missing_right_is_an_error_and_no_refusal() {
        // A directory of /proc takes no files at all.
        let proc = File::open("/proc/self/task").unwrap();
        assert!(!matches!(open_nameless(&proc), Ok(Some(_))));
    }
}
