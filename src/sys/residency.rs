//! How much of a file lies in the page cache: cachestat(2), else mincore(2).

use nix::sys::mman::{MapFlags, ProtFlags, mmap, munmap};
use std::fs::File;
use std::io;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::os::fd::AsRawFd;

/// Pages of a file in the page cache.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Residency {
    /// Pages in the page cache.
    pub resident_pages: u64,
    /// Pages of the file.
    pub pages: u64,
}

/// cachestat(2) is 451 on every architecture; libc has no name for it.
const SYS_CACHESTAT: libc::c_long = 451;

#[repr(C)]
#[derive(Default)]
struct CachestatRange {
    offset: u64,
    length: u64,
}

#[repr(C)]
#[derive(Default)]
struct Cachestat {
    cached: u64,
    dirty: u64,
    writeback: u64,
    evicted: u64,
    recently_evicted: u64,
}

/// Which pages of a file are in the page cache. `by_mapping` asks mincore(2) at once: on overlayfs cachestat(2) sees nothing.
///
/// # Errors
/// When neither call is to be had.
pub fn residency(file: &File, by_mapping: bool) -> io::Result<Residency> {
    let size = file.metadata()?.len();
    let page = page_size();
    let pages = size.div_ceil(page);
    if pages == 0 {
        return Ok(Residency::default());
    }
    let resident_pages = if by_mapping {
        mapped_pages(file, &(0..size), page)?
    } else {
        cached_pages(file, &CachestatRange::default()).or_else(|_| mapped_pages(file, &(0..size), page))?
    };
    Ok(Residency { resident_pages: resident_pages.min(pages), pages })
}

/// The same of a part of a file or block device (which has no size by fstat(2)), from and to bytes that are multiples of a page.
///
/// # Errors
/// When neither call is to be had.
pub fn residency_of_part(file: &File, part: &Range<u64>) -> io::Result<Residency> {
    let (page, length) = (page_size(), part.end.saturating_sub(part.start));
    if length == 0 {
        return Ok(Residency::default());
    }
    let pages = length.div_ceil(page);
    let range = CachestatRange { offset: part.start, length };
    let resident_pages = cached_pages(file, &range).or_else(|_| mapped_pages(file, part, page))?;
    Ok(Residency { resident_pages: resident_pages.min(pages), pages })
}

/// Whether cachestat(2) is to be had (Linux 6.5; a sandbox may forbid it): asked of no file, where it is, it says that there is none.
#[must_use]
pub fn has_cachestat() -> bool {
    let range = CachestatRange::default();
    let mut answer = Cachestat::default();
    // SAFETY: both structures have the layout of linux/mman.h and live through the call; -1 is no descriptor.
    #[allow(unsafe_code)]
    let result = unsafe { libc::syscall(SYS_CACHESTAT, -1, &raw const range, &raw mut answer, 0_u32) };
    result != 0 && io::Error::last_os_error().raw_os_error() == Some(libc::EBADF)
}

fn page_size() -> u64 {
    let size = nix::unistd::sysconf(nix::unistd::SysconfVar::PAGE_SIZE).ok().flatten();
    size.and_then(|size| u64::try_from(size).ok()).filter(|size| *size > 0).unwrap_or(4096)
}

/// A length of 0 means to the end of the file.
fn cached_pages(file: &File, range: &CachestatRange) -> io::Result<u64> {
    let mut answer = Cachestat::default();
    // SAFETY: both structures have the layout of linux/mman.h and live through the call; flags must be 0.
    #[allow(unsafe_code)]
    let result = unsafe { libc::syscall(SYS_CACHESTAT, file.as_raw_fd(), std::ptr::from_ref(range), &raw mut answer, 0_u32) };
    if result == 0 { Ok(answer.cached) } else { Err(io::Error::last_os_error()) }
}

fn mapped_pages(file: &File, part: &Range<u64>, page: u64) -> io::Result<u64> {
    /// Mapped at a time: a process whose address space is limited has room for so much.
    const WINDOW: u64 = 64 << 20;
    let mut resident = 0;
    let mut offset = part.start;
    while offset < part.end {
        let length = WINDOW.min(part.end - offset);
        resident += mapped_pages_of_window(file, offset, length, page)?;
        offset += length;
    }
    Ok(resident)
}

fn mapped_pages_of_window(file: &File, offset: u64, length: u64, page: u64) -> io::Result<u64> {
    let too_large = || io::Error::from(io::ErrorKind::InvalidInput);
    let bytes = usize::try_from(length).ok().and_then(NonZeroUsize::new).ok_or_else(too_large)?;
    let offset = i64::try_from(offset).map_err(|_| too_large())?;
    let mut pages = vec![0_u8; bytes.get().div_ceil(page as usize)];
    // SAFETY: a new private mapping of our own, which nothing reads through; it touches no other memory.
    #[allow(unsafe_code)]
    let start = unsafe { mmap(None, bytes, ProtFlags::PROT_READ, MapFlags::MAP_SHARED, file, offset) }?;
    // SAFETY: `start` to `start + bytes` is mapped, and `pages` has one byte for each page of it.
    #[allow(unsafe_code)]
    let result = unsafe { libc::mincore(start.as_ptr(), bytes.get(), pages.as_mut_ptr()) };
    let error = io::Error::last_os_error();
    // SAFETY: the mapping was made above and is used by nobody.
    #[allow(unsafe_code)]
    unsafe { munmap(start, bytes.get()) }?;
    if result != 0 {
        return Err(error);
    }
    Ok(pages.iter().filter(|page| **page & 1 == 1).count() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn a_file_just_written_is_resident_by_both_calls() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&vec![1; 64 * page_size() as usize]).unwrap();
        let by_mapping = residency(&file, true).unwrap();
        assert_eq!(by_mapping, Residency { resident_pages: 64, pages: 64 });
        // Where the temporary directory lies on overlayfs, cachestat sees nothing.
        assert!(residency(&file, false).unwrap().resident_pages <= 64);
    }

    #[test]
    fn an_empty_file_has_no_pages() {
        assert_eq!(residency(&tempfile::tempfile().unwrap(), false).unwrap(), Residency::default());
    }
}
