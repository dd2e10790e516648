//! Whether a file is truly the one below a loop device: a name alone may lead to another one by now.

use std::fs::File;
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Asks a loop device for its file (linux/loop.h).
const LOOP_GET_STATUS64: libc::c_ulong = 0x4c05;

/// The answer, of which the first two numbers are of interest (`struct loop_info64`).
#[repr(C)]
struct LoopInfo {
    device: u64,
    inode: u64,
    rest: [u64; 27],
}

/// Whether a loop device such as `loop0` stands on the file at a path; `None` where the rights to ask are missing.
pub fn stands_on(name: &str, path: &Path) -> Option<bool> {
    let device = File::open(Path::new("/dev").join(name)).ok()?;
    let mut info = LoopInfo { device: 0, inode: 0, rest: [0; 27] };
    // SAFETY: the kernel writes a `struct loop_info64`, which has 232 bytes, as `info` has, and which lives through the call.
    #[allow(unsafe_code)]
    let result = unsafe { libc::ioctl(device.as_raw_fd(), LOOP_GET_STATUS64 as _, &raw mut info) };
    let file = path.metadata().ok()?;
    // Both numbers of devices have the same form where the major number is below 4096 (huge_encode_dev, makedev(3)).
    (result == 0).then(|| (info.device, info.inode) == (file.dev(), file.ino()))
}

/// Whether parts of a file were never written, so that they are read from nowhere; `None` where the file cannot be looked at.
#[must_use]
pub fn has_holes(path: &Path) -> Option<bool> {
    /// Bytes of the blocks that stat(2) counts.
    const BLOCK: u64 = 512;
    let file = path.metadata().ok()?;
    Some(file.blocks().saturating_mul(BLOCK) < file.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_has_the_size_that_the_kernel_writes() {
        assert_eq!(size_of::<LoopInfo>(), 232);
        assert_eq!(stands_on("no-such-device", Path::new("/")), None);
    }
}
