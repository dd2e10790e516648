//! How files lie on the filesystem that was made, how much of it they take, and how much there is when it is filled.

use super::noise::Noise;
use crate::model::making::Layout;
use crate::model::settings::Io;
use crate::sys::extents::mapping_of;
use crate::sys::files::{self, Access};
use crate::sys::mounts::{filesystem_of, mount_of};
use crate::sys::random::random_u64;
use crate::target::{Handle, Target};
use std::ffi::CStr;
use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::sync::atomic::{AtomicBool, Ordering};

const FILL_NAME: &CStr = c"fill";
/// Bytes that are written at once to fill it, and the least: the last block may be smaller than the first.
const FILL_CHUNK: usize = 1 << 20;
const FILL_LEAST: usize = 512;

/// Bytes of a filesystem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Space {
    /// In use.
    pub used: Option<u64>,
    /// Free for everybody.
    pub free: u64,
}

/// The space of the filesystem of a directory; `None` where it does not tell.
#[must_use]
pub fn space_of(directory: &File) -> Option<Space> {
    let filesystem = filesystem_of(directory, &mount_of(directory).ok()?).ok()?;
    Some(Space { used: filesystem.used_bytes, free: filesystem.free_bytes })
}

/// How a file of a target lies on its device; `None` where the filesystem does not tell.
#[must_use]
pub fn layout_of(target: &dyn Target, name: &CStr) -> Option<Layout> {
    match target.open(target.root(), name, Access::Read, Io::Buffered).ok()? {
        Handle::Real(file) => layout(&file).ok(),
        Handle::Pretend(_) => None,
    }
}

fn layout(file: &File) -> io::Result<Layout> {
    let mapping = mapping_of(file)?;
    Ok(Layout { extents: mapping.pieces, bytes: mapping.mapped_bytes, block_bytes: file.metadata()?.blksize() })
}

/// What a filesystem held when it was filled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Filled {
    /// Bytes of the one file that filled it.
    pub bytes: u64,
    /// Bytes that were free for everybody then.
    pub free: Option<u64>,
}

/// Fills the filesystem of a directory with one file, and removes that again. `None` when `stop` becomes true before the end.
///
/// # Errors
/// When the file cannot be made, or writing it ends with something else than the lack of space.
pub fn fill(directory: &File, stop: &AtomicBool) -> io::Result<Option<Filled>> {
    let file = files::open_file(directory, FILL_NAME, Access::CreateNew, false)?;
    let filled = fill_file(&file, stop).map(|bytes| bytes.map(|bytes| Filled { bytes, free: space_of(directory).map(|space| space.free) }));
    drop(file);
    let removed = files::unlink(directory, FILL_NAME);
    filled.and_then(|filled| removed.map(|()| filled))
}

fn fill_file(mut file: &File, stop: &AtomicBool) -> io::Result<Option<u64>> {
    // Incompressible, so that the bytes are those that it truly holds.
    let mut noise = Noise::of(random_u64()?);
    let mut chunk = vec![0; FILL_CHUNK];
    let (mut bytes, mut length) = (0_u64, FILL_CHUNK);
    while !stop.load(Ordering::Relaxed) {
        noise.fill(&mut chunk[..length]);
        match file.write(&chunk[..length]) {
            Ok(count) => bytes += count as u64,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if is_full(&error) && length > FILL_LEAST => length /= 2,
            Err(error) if is_full(&error) => {
                // What was taken on trust may find no space now.
                return match file.sync_all() {
                    Err(error) if !is_full(&error) => Err(error),
                    Ok(()) | Err(_) => Ok(Some(bytes)),
                };
            }
            Err(error) => return Err(error),
        }
    }
    Ok(None)
}

fn is_full(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filesystem_tells_its_space() {
        let space = space_of(&File::open(std::env::temp_dir()).unwrap()).unwrap();
        assert!(space.used.is_some());
    }

    #[test]
    fn filling_ends_when_it_is_to_stop_and_leaves_nothing() {
        let place = tempfile::tempdir().unwrap();
        assert_eq!(fill(&File::open(place.path()).unwrap(), &AtomicBool::new(true)).unwrap(), None);
        assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 0);
    }
}
