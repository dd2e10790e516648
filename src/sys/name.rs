//! Names of a fixed room, made once and handed to system calls as they are.

use std::ffi::CStr;

/// The longest name and its zero byte, rounded up.
const ROOM: usize = 24;

/// A short name of a directory entry.
#[derive(Debug, Clone, Copy)]
pub struct ShortName {
    bytes: [u8; ROOM],
    length: u8,
}

impl ShortName {
    /// From its bytes; `None` when they are more than 23, or one of them is zero.
    #[must_use]
    pub fn of(name: &[u8]) -> Option<Self> {
        if name.len() >= ROOM || name.contains(&0) {
            return None;
        }
        let mut bytes = [0; ROOM];
        bytes[..name.len()].copy_from_slice(name);
        Some(Self { bytes, length: name.len() as u8 })
    }

    /// The name for a system call: no search for its end, which would cost in every operation on the clock.
    #[inline]
    #[must_use]
    pub fn as_c_str(&self) -> &CStr {
        let with_end = &self.bytes[..=usize::from(self.length)];
        // SAFETY: `of` is the only way to make one: the bytes before `length` are not zero, the one at `length` is.
        #[allow(unsafe_code)]
        unsafe {
            CStr::from_bytes_with_nul_unchecked(with_end)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_itself() {
        for name in [&b"a"[..], b"", b"0123456789abcdefABCDEFG"] {
            assert_eq!(ShortName::of(name).unwrap().as_c_str().to_bytes(), name);
        }
        assert!(ShortName::of(b"0123456789abcdefABCDEFGH").is_none());
        assert!(ShortName::of(b"a\0b").is_none());
    }
}
