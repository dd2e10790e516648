//! Raw loops of system calls with nothing around them, which barrow's own loops are held against.
//!
//! Each gives the processor time of the thread that works. They take names, offsets and buffers that were made before, and check
//! nothing but that a call moved all bytes.

use super::meter::thread_time;
use nix::fcntl::{AtFlags, OFlag, openat};
use nix::sys::stat::{Mode, fstatat};
use nix::unistd::{UnlinkatFlags, close, fsync, unlinkat};
use std::ffi::CStr;
use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::unix::fs::FileExt;
use std::time::Duration;

/// What a loop does with each file of a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileCall {
    /// Makes it and closes it.
    Create,
    /// Asks for its status.
    Stat,
    /// Removes its name.
    Delete,
}

fn open(directory: &File, name: &CStr, flags: OFlag) -> io::Result<File> {
    let flags = flags | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
    Ok(File::from(openat(directory, name, flags, Mode::S_IRUSR | Mode::S_IWUSR)?))
}

fn whole(count: usize, length: usize) -> io::Result<()> {
    if count == length { Ok(()) } else { Err(ErrorKind::UnexpectedEof.into()) }
}

/// Makes a file, writes slices to it one after the other, flushes and closes it.
///
/// # Errors
/// As the calls; `UnexpectedEof` for a short one. So for all below.
pub fn write<'b>(directory: &File, name: &CStr, slices: impl Iterator<Item = &'b [u8]>) -> io::Result<Duration> {
    let start = thread_time()?;
    let file = open(directory, name, OFlag::O_RDWR | OFlag::O_CREAT | OFlag::O_EXCL)?;
    let mut offset = 0;
    for slice in slices {
        whole(file.write_at(slice, offset)?, slice.len())?;
        offset += slice.len() as u64;
    }
    fsync(&file)?;
    close(file)?;
    Ok(thread_time()? - start)
}

/// Opens a file, reads at each offset and writes back what was read, flushes and closes it.
///
/// # Errors
/// As the calls.
pub fn rewrite(directory: &File, name: &CStr, buffer: &mut [u8], offsets: impl Iterator<Item = u64>) -> io::Result<Duration> {
    let start = thread_time()?;
    let file = open(directory, name, OFlag::O_RDWR)?;
    for offset in offsets {
        whole(file.read_at(buffer, offset)?, buffer.len())?;
        whole(file.write_at(buffer, offset)?, buffer.len())?;
    }
    fsync(&file)?;
    close(file)?;
    Ok(thread_time()? - start)
}

/// Opens a file, reads at each offset and closes it.
///
/// # Errors
/// As the calls.
pub fn read(directory: &File, name: &CStr, buffer: &mut [u8], offsets: impl Iterator<Item = u64>) -> io::Result<Duration> {
    let start = thread_time()?;
    let file = open(directory, name, OFlag::O_RDONLY)?;
    for offset in offsets {
        whole(file.read_at(buffer, offset)?, buffer.len())?;
    }
    close(file)?;
    Ok(thread_time()? - start)
}

/// Reads an open file at each offset.
///
/// # Errors
/// As the calls.
pub fn seek(file: &File, buffer: &mut [u8], offsets: impl Iterator<Item = u64>) -> io::Result<Duration> {
    let start = thread_time()?;
    for offset in offsets {
        whole(file.read_at(buffer, offset)?, buffer.len())?;
    }
    Ok(thread_time()? - start)
}

/// Makes a call for each name in a directory.
///
/// # Errors
/// As the calls.
pub fn files(directory: &File, names: &[&CStr], call: FileCall) -> io::Result<Duration> {
    let flags = OFlag::O_RDWR | OFlag::O_CREAT | OFlag::O_EXCL | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
    let mode = Mode::S_IRUSR | Mode::S_IWUSR;
    let start = thread_time()?;
    for name in names {
        match call {
            FileCall::Create => close(openat(directory, *name, flags, mode)?)?,
            FileCall::Stat => drop(fstatat(directory, *name, AtFlags::AT_SYMLINK_NOFOLLOW)?),
            FileCall::Delete => unlinkat(directory, *name, UnlinkatFlags::NoRemoveDir)?,
        }
    }
    Ok(thread_time()? - start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loops_do_what_they_say() {
        let place = tempfile::tempdir().unwrap();
        let directory = File::open(place.path()).unwrap();
        write(&directory, c"block", [&b"first"[..], &b"other"[..]].into_iter()).unwrap();
        assert_eq!(std::fs::read(place.path().join("block")).unwrap(), b"firstother");
        let mut buffer = [0; 5];
        read(&directory, c"block", &mut buffer, [0, 5].into_iter()).unwrap();
        assert_eq!(&buffer, b"other");
        seek(&File::open(place.path().join("block")).unwrap(), &mut buffer, [5, 0].into_iter()).unwrap();
        assert_eq!(&buffer, b"first");
        rewrite(&directory, c"block", &mut buffer, [0, 5].into_iter()).unwrap();
        assert_eq!(std::fs::read(place.path().join("block")).unwrap(), b"firstother");
        let short = read(&directory, c"block", &mut buffer, [6].into_iter()).unwrap_err();
        assert_eq!(short.kind(), ErrorKind::UnexpectedEof);
        for call in [FileCall::Create, FileCall::Stat, FileCall::Delete] {
            files(&directory, &[c"a", c"b"], call).unwrap();
            assert_eq!(place.path().join("b").exists(), call != FileCall::Delete);
        }
        assert_eq!(files(&directory, &[c"a"], FileCall::Stat).unwrap_err().kind(), ErrorKind::NotFound);
    }
}
