//! Changes of open files and of names, as a file server makes them.

use nix::fcntl::{FcntlArg, fcntl, renameat};
use nix::sys::stat::futimens;
use nix::sys::statvfs::fstatvfs;
use nix::sys::time::TimeSpec;
use std::ffi::CStr;
use std::fs::File;
use std::io;

/// Gives an entry of a directory another name, in the same or another directory.
///
/// # Errors
/// As renameat(2).
pub fn rename(from: &File, name: &CStr, to: &File, new_name: &CStr) -> io::Result<()> {
    Ok(renameat(from, name, to, new_name)?)
}

/// Makes an open file so many bytes long.
///
/// # Errors
/// As ftruncate(2).
pub fn set_length(file: &File, bytes: u64) -> io::Result<()> {
    file.set_len(bytes)
}

/// Sets the times of an open file to now.
///
/// # Errors
/// As futimens(3).
pub fn set_times(file: &File) -> io::Result<()> {
    Ok(futimens(file, &TimeSpec::UTIME_NOW, &TimeSpec::UTIME_NOW)?)
}

/// Locks bytes of an open file for this descriptor alone.
///
/// # Errors
/// As fcntl(2) with `F_OFD_SETLK`: `EAGAIN` where another one holds them.
pub fn lock(file: &File, offset: u64, bytes: u64) -> io::Result<()> {
    set_lock(file, offset, bytes, libc::F_WRLCK as libc::c_short)
}

/// Unlocks them.
///
/// # Errors
/// As fcntl(2) with `F_OFD_SETLK`.
pub fn unlock(file: &File, offset: u64, bytes: u64) -> io::Result<()> {
    set_lock(file, offset, bytes, libc::F_UNLCK as libc::c_short)
}

fn set_lock(file: &File, offset: u64, bytes: u64, kind: libc::c_short) -> io::Result<()> {
    let place = |value: u64| i64::try_from(value).map_err(|_| io::Error::from(io::ErrorKind::InvalidInput));
    let lock =
        libc::flock { l_type: kind, l_whence: libc::SEEK_SET as libc::c_short, l_start: place(offset)?, l_len: place(bytes)?, l_pid: 0 };
    fcntl(file, FcntlArg::F_OFD_SETLK(&lock))?;
    Ok(())
}

/// Bytes that are free for everybody on the filesystem of an open file.
///
/// # Errors
/// As fstatvfs(3).
pub fn free_bytes(file: &File) -> io::Result<u64> {
    let space = fstatvfs(file)?;
    Ok(space.blocks_available().saturating_mul(space.fragment_size()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::files::{self, Access};

    #[test]
    fn a_file_is_changed_as_it_is_said() {
        let place = tempfile::tempdir().unwrap();
        let directory = files::open_directory_path(place.path()).unwrap();
        let file = files::open_file(&directory, c"a", Access::CreateNewSync, false).unwrap();
        set_length(&file, 777).unwrap();
        set_times(&file).unwrap();
        rename(&directory, c"a", &directory, c"b").unwrap();
        assert_eq!(files::status_at(&directory, c"b").unwrap().size, 777);
        assert!(free_bytes(&file).unwrap() > 0);
        let other = files::open_file(&directory, c"b", Access::ReadWrite, false).unwrap();
        lock(&file, 10, 20).unwrap();
        assert_eq!(lock(&other, 29, 1).unwrap_err().kind(), io::ErrorKind::WouldBlock);
        lock(&other, 30, 1).unwrap();
        unlock(&file, 10, 20).unwrap();
        lock(&other, 10, 20).unwrap();
    }
}
