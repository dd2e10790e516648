//! An image: a file, every byte of which is written before a filesystem is made on it, and which must not lose one of them.

use super::noise::Noise;
use crate::sys::extents::mapping_of;
use crate::sys::files;
use crate::sys::random::random_u64;
use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::sync::atomic::{AtomicBool, Ordering};

/// Bytes that are written at once.
const CHUNK: usize = 4 << 20;
/// Bytes after which what was written is flushed: who stops need not wait for all of it, and the progress is true.
const FLUSH_EVERY: u64 = 256 << 20;

/// Writes an image in full and flushes it; `heard` is told the bytes that are done. Gives false when `stop` became true before the end.
///
/// It is written with noise: where the filesystem below compresses, finds zeros or keeps equal blocks once, anything else would leave
/// holes, and the first write into a hole is an allocation below, not a write to the disk.
///
/// # Errors
/// As write(2) and fsync(2).
pub fn write(mut file: &File, bytes: u64, stop: &AtomicBool, heard: &mut dyn FnMut(u64)) -> io::Result<bool> {
    let mut noise = Noise::of(random_u64()?);
    let mut chunk = vec![0; CHUNK];
    let (mut done, mut flushed) = (0, 0);
    while done < bytes {
        if stop.load(Ordering::Relaxed) {
            return Ok(false);
        }
        let length = (bytes - done).min(CHUNK as u64) as usize;
        noise.fill(&mut chunk[..length]);
        file.write_all(&chunk[..length])?;
        done += length as u64;
        if done - flushed >= FLUSH_EVERY {
            file.sync_data()?;
            flushed = done;
        }
        heard(done);
    }
    file.sync_all()?;
    // Memory is for what is measured. Advice only: an image that stays there costs nothing but that.
    let _ = files::advise_forget(file);
    Ok(!stop.load(Ordering::Relaxed))
}

/// What of an image has no place of its own on the filesystem below, in words; `None` when every byte has one.
///
/// # Errors
/// When it cannot be looked at.
pub fn hole_in(file: &File, bytes: u64) -> io::Result<Option<String>> {
    let status = file.metadata()?;
    if status.len() < bytes {
        return Ok(Some(format!("the image has {} of its {bytes} bytes: somebody cut it off", status.len())));
    }
    Ok(match mapping_of(file) {
        Ok(mapping) => hole_in_mapping(mapping.mapped_bytes, mapping.unwritten_bytes, bytes),
        // Where the filesystem does not tell (tmpfs, ZFS).
        Err(_) => hole_in_blocks(status.blocks().saturating_mul(512), bytes),
    })
}

fn hole_in_mapping(mapped: u64, unwritten: u64, bytes: u64) -> Option<String> {
    let written = mapped.saturating_sub(unwritten);
    (written < bytes).then(|| {
        format!(
            "the image has a hole: {written} of its {bytes} bytes are written on the filesystem below, so that writes into it need not \
             reach the disk; something discards or trims it"
        )
    })
}

fn hole_in_blocks(allocated: u64, bytes: u64) -> Option<String> {
    (allocated < bytes).then(|| {
        format!(
            "the image has a hole: the filesystem below keeps {allocated} bytes for its {bytes}; something discards or trims it, or that \
             filesystem compresses: then turn this off for the directory, or name another one by --dir"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_written_and_told() {
        let file = tempfile::tempfile().unwrap();
        let bytes = CHUNK as u64 * 2 + 4096;
        let mut told = Vec::new();
        assert!(write(&file, bytes, &AtomicBool::new(false), &mut |done| told.push(done)).unwrap());
        assert_eq!(told, [CHUNK as u64, 2 * CHUNK as u64, bytes]);
        assert_eq!(file.metadata().unwrap().len(), bytes);
        assert_eq!(hole_in(&file, bytes).unwrap(), None);
        assert!(hole_in(&file, bytes + 1).unwrap().unwrap().contains("cut it off"));
    }

    #[test]
    fn a_file_that_was_only_made_long_has_a_hole() {
        let file = tempfile::tempfile().unwrap();
        file.set_len(1 << 20).unwrap();
        assert!(hole_in(&file, 1 << 20).unwrap().unwrap().contains("has a hole"));
    }

    #[test]
    fn what_is_allocated_but_not_written_is_a_hole() {
        assert_eq!(hole_in_mapping(8192, 0, 8192), None);
        assert!(hole_in_mapping(8192, 4096, 8192).is_some());
        assert_eq!(hole_in_blocks(8192 + 512, 8192), None);
        assert!(hole_in_blocks(4096, 8192).is_some());
    }

    #[test]
    fn it_stops_when_it_is_to() {
        let file = tempfile::tempfile().unwrap();
        let stop = AtomicBool::new(false);
        let finished = write(&file, 8 * CHUNK as u64, &stop, &mut |_| stop.store(true, Ordering::Relaxed)).unwrap();
        assert!(!finished);
        assert_eq!(file.metadata().unwrap().len(), CHUNK as u64);
    }
}
