//! Where a file lies on its device: its extents, as the filesystem tells them (Linux, Documentation/filesystems/fiemap.rst).

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;

/// FS_IOC_FIEMAP (linux/fs.h): `_IOWR('f', 11, struct fiemap)`.
const FS_IOC_FIEMAP: libc::c_ulong = 0xc020_660b;
/// Flush the file first: what is not yet written has no place.
const FIEMAP_FLAG_SYNC: u32 = 1;
/// There is none behind it.
const FIEMAP_EXTENT_LAST: u32 = 1;
/// Allocated, but nothing was written there: reads give zeros without the device.
const FIEMAP_EXTENT_UNWRITTEN: u32 = 0x800;
/// Its data is stored otherwise (compressed), so that its length on the device is not told.
const FIEMAP_EXTENT_ENCODED: u32 = 8;
/// Extents that are asked for at once.
const AT_ONCE: usize = 256;

/// `struct fiemap_extent`.
#[repr(C)]
#[derive(Clone, Copy)]
struct RawExtent {
    logical: u64,
    physical: u64,
    length: u64,
    reserved: [u64; 2],
    flags: u32,
    more_reserved: [u32; 3],
}

/// `struct fiemap` with room for its answer.
#[repr(C)]
struct Request {
    start: u64,
    length: u64,
    flags: u32,
    mapped_extents: u32,
    extent_count: u32,
    reserved: u32,
    extents: [RawExtent; AT_ONCE],
}

/// How a file lies on its device.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Mapping {
    /// Pieces that do not touch: extents that follow each other on the device too count as one, as filefrag(8) counts.
    pub pieces: u64,
    /// Bytes of the file that have a place.
    pub mapped_bytes: u64,
    /// Of them, bytes to which nothing was written yet.
    pub unwritten_bytes: u64,
}

/// Finds how a file lies on its device; what was not yet written is flushed before.
///
/// # Errors
/// When the flush fails; `Unsupported` (or `EOPNOTSUPP`, `ENOTTY`) where the filesystem does not tell.
pub fn mapping_of(file: &File) -> io::Result<Mapping> {
    let mut mapping = Mapping::default();
    let mut end_before: Option<(u64, u64)> = None;
    let mut start = 0;
    loop {
        let (extents, is_last) = extents_from(file, start)?;
        for extent in &extents {
            let is_encoded = extent.flags & FIEMAP_EXTENT_ENCODED != 0;
            let touches = end_before == Some((extent.logical, extent.physical)) && !is_encoded;
            mapping.pieces += u64::from(!touches);
            mapping.mapped_bytes += extent.length;
            mapping.unwritten_bytes += if extent.flags & FIEMAP_EXTENT_UNWRITTEN != 0 { extent.length } else { 0 };
            end_before = Some((extent.logical + extent.length, extent.physical + extent.length));
        }
        match end_before {
            Some((end, _)) if !is_last && end > start => start = end,
            Some(_) | None => return Ok(mapping),
        }
    }
}

/// Some extents from a place of the file on, and whether the last of the file is among them.
fn extents_from(file: &File, start: u64) -> io::Result<(Vec<RawExtent>, bool)> {
    // SAFETY: `Request` is plain data, for which all zeros is a value.
    #[allow(unsafe_code)]
    let mut request: Box<Request> = Box::new(unsafe { std::mem::zeroed() });
    request.start = start;
    request.length = u64::MAX - start;
    request.flags = FIEMAP_FLAG_SYNC;
    request.extent_count = AT_ONCE as u32;
    // SAFETY: the kernel reads the head of the request and writes at most `extent_count` extents, for which it has room.
    #[allow(unsafe_code)]
    let result = unsafe { libc::ioctl(file.as_raw_fd(), FS_IOC_FIEMAP as _, &raw mut *request) };
    if result != 0 {
        return Err(io::Error::last_os_error());
    }
    let count = (request.mapped_extents as usize).min(AT_ONCE);
    let extents = request.extents[..count].to_vec();
    let is_last = extents.last().is_none_or(|extent| extent.flags & FIEMAP_EXTENT_LAST != 0);
    Ok((extents, is_last))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn the_forms_have_the_sizes_that_the_kernel_reads() {
        assert_eq!((size_of::<RawExtent>(), size_of::<Request>()), (56, 32 + 56 * AT_ONCE));
    }

    #[test]
    fn a_written_file_has_a_place_where_the_filesystem_tells() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&[7; 1 << 20]).unwrap();
        match mapping_of(&file) {
            Ok(mapping) => {
                assert!(mapping.pieces > 0 && mapping.mapped_bytes >= 1 << 20, "{mapping:?}");
                assert_eq!(mapping.unwritten_bytes, 0);
            }
            Err(error) => assert!(matches!(error.raw_os_error(), Some(libc::EOPNOTSUPP | libc::ENOTTY)), "{error}"),
        }
    }

    #[test]
    fn an_empty_file_has_none() {
        if let Ok(mapping) = mapping_of(&tempfile::tempfile().unwrap()) {
            assert_eq!(mapping, Mapping::default());
        }
    }
}
