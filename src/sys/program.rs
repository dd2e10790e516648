//! The program itself in memory: what it runs is read from its disk before a clock starts, not when it is first needed inside one.

use nix::sys::mman::{MmapAdvise, madvise, mlock};
use std::ffi::c_void;
use std::fs;
use std::ptr::NonNull;

/// Reads the code and the constants of the program and its libraries into memory, and locks them there where the limit of locked memory
/// allows it. Without this, code that a phase needs for the first time, or that the kernel took away meanwhile, is read from the disk
/// inside its clock and counted as what the phase read. Advice only: what cannot be done is not. It takes no addresses, and in a control
/// group with limited memory no more than the room that is asked for the program before a batch begins.
pub fn keep_in_memory() {
    let maps = fs::read_to_string("/proc/self/maps").unwrap_or_default();
    for (start, length) in maps.lines().filter_map(mapped_file) {
        if let Some(start) = NonNull::new(start as *mut c_void) {
            keep(start, length);
        }
    }
}

fn keep(start: NonNull<c_void>, length: usize) {
    // SAFETY: locking changes nothing of what is mapped; what is no longer mapped gives an error.
    #[allow(unsafe_code)]
    let is_locked = unsafe { mlock(start, length) }.is_ok();
    if !is_locked {
        // SAFETY: this reads pages of a mapping in and changes none of them; what is no longer mapped gives an error.
        #[allow(unsafe_code)]
        let _ = unsafe { madvise(start, length, MmapAdvise::MADV_POPULATE_READ) };
    }
}

/// Address and length in bytes of a line of /proc/self/maps, if it is a part of a file that can be read and not written: `55e0-55f0 r-xp
/// 00001000 08:01 131 /usr/bin/barrow` (proc_pid_maps(5)).
fn mapped_file(line: &str) -> Option<(usize, usize)> {
    let mut fields = line.split_ascii_whitespace();
    let (start, end) = fields.next()?.split_once('-')?;
    let (rights, _offset, _device, inode) = (fields.next()?, fields.next()?, fields.next()?, fields.next()?);
    if inode == "0" || !rights.starts_with("r-") {
        return None;
    }
    let (start, end) = (usize::from_str_radix(start, 16).ok()?, usize::from_str_radix(end, 16).ok()?);
    Some((start, end.checked_sub(start)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_read_from_files_is_meant() {
        assert_eq!(mapped_file("1000-3000 r-xp 00001000 08:01 131   /usr/bin/my barrow"), Some((0x1000, 0x2000)));
        assert_eq!(mapped_file("1000-3000 r--p 00001000 08:01 131 /usr/bin/barrow"), Some((0x1000, 0x2000)));
        for other in [
            "1000-3000 rw-p 00001000 08:01 131 /usr/bin/barrow",
            "1000-3000 ---p 00001000 08:01 131 /lib/libc.so.6",
            "1000-3000 r-xp 00000000 00:00 0 [vdso]",
            "3000-1000 r-xp 00001000 08:01 131 /x",
            "r-xp",
            "",
        ] {
            assert_eq!(mapped_file(other), None, "{other}");
        }
    }

    #[test]
    fn this_program_is_mapped_from_a_file() {
        keep_in_memory();
        let maps = fs::read_to_string("/proc/self/maps").unwrap();
        assert!(maps.lines().filter_map(mapped_file).count() > 1, "{maps}");
    }
}
