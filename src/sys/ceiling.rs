//! The memory ceiling: how fast a file that lies in memory is read, which no read from a device can exceed.

use super::machine::memory_limit;
use super::meter::thread_time;
use nix::sys::memfd::{MFdFlags, memfd_create};
use std::fs::File;
use std::hint::black_box;
use std::io;
use std::os::unix::fs::FileExt;
use std::time::Duration;

/// Bytes of the file: more than the caches of most processors hold for one core, and written in some hundredths of a second.
const FILE_BYTES: u64 = 64 << 20;
/// Bytes of a read, as in the profiles.
const READ_BYTES: usize = 1 << 20;
/// The file is read so often; the best counts, since other work can only slow it down.
const TRIES: usize = 3;

/// A process that may have less memory than this does not risk its life for the figure.
const LEAST_MEMORY: u64 = 8 * FILE_BYTES;

/// Bytes a second at which a file in memory (memfd_create(2)) is read in reads of 1 MiB, the best of three times, by the processor time
/// of this thread: nothing waits there, and other work on the machine must not make the ceiling too low. Nothing is left.
///
/// # Errors
/// When there is no such file, or too little memory for it.
pub fn memory_read_rate() -> io::Result<u64> {
    if memory_limit().is_some_and(|limit| limit < LEAST_MEMORY) {
        return Err(io::Error::new(io::ErrorKind::OutOfMemory, "the memory limit of the control group is too low to measure it"));
    }
    let file = File::from(memfd_create(c"barrow-ceiling", MFdFlags::MFD_CLOEXEC)?);
    let mut buffer = vec![0x5a; READ_BYTES];
    for offset in offsets() {
        file.write_all_at(&buffer, offset)?;
    }
    let mut best = Duration::MAX;
    for _ in 0..TRIES {
        let start = thread_time()?;
        for offset in offsets() {
            file.read_exact_at(black_box(&mut buffer), offset)?;
        }
        best = best.min(thread_time()?.saturating_sub(start));
    }
    Ok(rate(FILE_BYTES, best.as_nanos() as u64))
}

fn offsets() -> impl Iterator<Item = u64> {
    (0..FILE_BYTES).step_by(READ_BYTES)
}

/// Bytes a second; a time of 0 counts as a nanosecond.
fn rate(bytes: u64, elapsed_ns: u64) -> u64 {
    let rate = u128::from(bytes) * 1_000_000_000 / u128::from(elapsed_ns.max(1));
    u64::try_from(rate).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_bytes_by_time() {
        assert_eq!(rate(FILE_BYTES, 500_000_000), 128 << 20);
        assert_eq!(rate(1, 0), 1_000_000_000);
    }

    #[test]
    fn memory_has_a_ceiling_and_no_file_is_left() {
        let open_files = || {
            let entries = std::fs::read_dir("/proc/self/fd").unwrap().filter_map(|entry| std::fs::read_link(entry.ok()?.path()).ok());
            entries.filter(|link| link.to_string_lossy().contains("barrow-ceiling")).count()
        };
        // Slower than any memory, faster than no time at all.
        let rate = memory_read_rate().unwrap();
        assert!(rate > 1 << 20 && rate < 1 << 50, "{rate}");
        assert_eq!(open_files(), 0);
    }
}
