//! A loop device: a file of another filesystem as a block device, for as long as somebody holds it.

use std::fs::{self, File};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// What hands out loop devices.
const CONTROL: &str = "/dev/loop-control";
/// Asks for a loop device that is free (linux/loop.h).
const LOOP_CTL_GET_FREE: libc::c_ulong = 0x4c82;
/// Takes a loop device its file: at once, or as soon as nobody holds the device any more.
const LOOP_CLR_FD: libc::c_ulong = 0x4c01;
/// Gives a loop device its file and its ways in one step (Linux 5.8).
const LOOP_CONFIGURE: libc::c_ulong = 0x4c0a;
/// The device lets go of its file when nobody holds it any more: also when whoever attached it was killed.
const LO_FLAGS_AUTOCLEAR: u32 = 4;
/// The device passes the page cache of the filesystem that holds its file.
const LO_FLAGS_DIRECT_IO: u32 = 16;
/// Other programs may take the device that was free just now.
const MOST_TRIES: u32 = 64;

/// `struct loop_info64`.
#[repr(C)]
struct LoopInfo {
    device: u64,
    inode: u64,
    raw_device: u64,
    offset: u64,
    size_limit: u64,
    number: u32,
    encrypt_type: u32,
    encrypt_key_size: u32,
    flags: u32,
    file_name: [u8; 64],
    crypt_name: [u8; 64],
    encrypt_key: [u8; 32],
    init: [u64; 2],
}

/// `struct loop_config`.
#[repr(C)]
struct LoopConfig {
    file: u32,
    block_size: u32,
    info: LoopInfo,
    reserved: [u64; 8],
}

/// An attached loop device. The kernel detaches it when this is dropped, or its process ends, and nothing is mounted from it.
#[derive(Debug)]
pub struct LoopDevice {
    /// Held open: the last one to let go detaches it.
    _held: File,
    name: String,
}

impl LoopDevice {
    /// Attaches a file to a device that is free: with direct I/O where the filesystem that holds it can do that, and without discards,
    /// which would punch holes into the file.
    ///
    /// # Errors
    /// When there are no loop devices, the rights are missing, or the discards cannot be turned off.
    pub fn attach(file: &File, path: &Path) -> io::Result<Self> {
        let control = open_control()?;
        let mut tries = 0;
        loop {
            tries += 1;
            // SAFETY: this call takes no argument and gives a number.
            #[allow(unsafe_code)]
            let number = unsafe { libc::ioctl(control.as_raw_fd(), LOOP_CTL_GET_FREE as _) };
            if number < 0 {
                return Err(named(CONTROL, &io::Error::last_os_error()));
            }
            let name = format!("loop{number}");
            let node = format!("/dev/{name}");
            let device = File::options().read(true).write(true).open(&node).map_err(|error| unopened(&node, number, &error))?;
            match configure(&device, file, path) {
                Ok(()) => {
                    turn_off_discards(&name)?;
                    return Ok(Self { _held: device, name });
                }
                Err(error) if error.raw_os_error() == Some(libc::EBUSY) && tries < MOST_TRIES => {}
                Err(error) => return Err(named(&node, &error)),
            }
        }
    }

    /// The kernel's name: `loop0`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its node: `/dev/loop0`.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        Path::new("/dev").join(&self.name)
    }
}

/// Checks that loop devices can be had, before anything is done that needs them.
///
/// # Errors
/// When there are none, or the rights are missing.
pub fn check_available() -> io::Result<()> {
    open_control().map(drop)
}

fn open_control() -> io::Result<File> {
    File::options().read(true).write(true).open(CONTROL).map_err(|error| named(CONTROL, &error))
}

/// The names of the loop devices that stand on the file at a path, as the kernel tells it: also one that has lost its name.
#[must_use]
pub fn standing_on(path: &Path) -> Vec<String> {
    let deleted = [path.as_os_str().as_bytes(), b" (deleted)"].concat();
    let entries = fs::read_dir("/sys/block").into_iter().flatten().flatten();
    let stands = |entry: &fs::DirEntry| {
        let text = fs::read(entry.path().join("loop/backing_file")).unwrap_or_default();
        let told = text.strip_suffix(b"\n").unwrap_or(&text);
        told == path.as_os_str().as_bytes() || told == deleted
    };
    let mut names: Vec<String> = entries.filter(stands).map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// Detaches a loop device, by its name, whoever attached it; while somebody holds it, the kernel only notes it.
///
/// # Errors
/// When it cannot be opened, or the rights are missing.
pub fn detach(name: &str) -> io::Result<()> {
    let node = format!("/dev/{name}");
    let device = File::open(&node).map_err(|error| named(&node, &error))?;
    // SAFETY: this call takes no argument.
    #[allow(unsafe_code)]
    let result = unsafe { libc::ioctl(device.as_raw_fd(), LOOP_CLR_FD as _, 0) };
    let error = io::Error::last_os_error();
    // It has no file any more: somebody was quicker.
    if result == 0 || error.raw_os_error() == Some(libc::ENXIO) { Ok(()) } else { Err(named(&node, &error)) }
}

/// A node that cannot be opened: a container may have been given the control of loop devices, but not all of their nodes.
fn unopened(node: &str, number: i32, error: &io::Error) -> io::Error {
    if error.kind() == io::ErrorKind::NotFound {
        let advice = format!("{node} is missing, though the kernel has this device; make it with `mknod {node} b 7 {number}`");
        return io::Error::new(error.kind(), advice);
    }
    named(node, error)
}

fn named(what: &str, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{what}: {error}"))
}

/// Gives a free device its file, past the page cache where that can be.
fn configure(device: &File, file: &File, path: &Path) -> io::Result<()> {
    match configure_with(device, file, path, LO_FLAGS_AUTOCLEAR | LO_FLAGS_DIRECT_IO) {
        // The filesystem of the file takes no direct I/O.
        Err(error) if error.raw_os_error() == Some(libc::EINVAL) => configure_with(device, file, path, LO_FLAGS_AUTOCLEAR),
        configured => configured,
    }
}

fn configure_with(device: &File, file: &File, path: &Path, flags: u32) -> io::Result<()> {
    // SAFETY: `LoopConfig` is plain data, for which all zeros is a value.
    #[allow(unsafe_code)]
    let mut config: LoopConfig = unsafe { std::mem::zeroed() };
    config.file = file.as_raw_fd().unsigned_abs();
    config.info.flags = flags;
    // For people who list loop devices; the last byte stays zero.
    let length = config.info.file_name.len() - 1;
    for (kept, byte) in config.info.file_name[..length].iter_mut().zip(path.as_os_str().as_bytes()) {
        *kept = *byte;
    }
    // SAFETY: the kernel reads a `struct loop_config`, which has 304 bytes, as `config` has, and which lives through the call.
    #[allow(unsafe_code)]
    let result = unsafe { libc::ioctl(device.as_raw_fd(), LOOP_CONFIGURE as _, &raw const config) };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// A discard would punch a hole into the file, into which the next write is quicker than to the disk.
fn turn_off_discards(name: &str) -> io::Result<()> {
    let knob = format!("/sys/block/{name}/queue/discard_max_bytes");
    fs::write(&knob, "0").map_err(|error| named(&knob, &error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_forms_have_the_sizes_that_the_kernel_reads() {
        assert_eq!((size_of::<LoopInfo>(), size_of::<LoopConfig>()), (232, 304));
    }

    #[test]
    fn no_device_stands_on_a_file_that_is_not_there() {
        assert_eq!(standing_on(Path::new("/no/such/image")), Vec::<String>::new());
    }
}
