//! Dropping the system's caches, where the rights suffice.

use super::dropping::DroppingChild;
use super::process::is_root;
use std::fs;
use std::io;
use std::sync::{Mutex, PoisonError};

/// At least two drops: ext4 keeps inode tables pinned until the first one has freed the inodes.
const LEAST_DROPS: u32 = 2;
/// By then what is left is in use.
const MOST_DROPS: u32 = 6;
/// A drop that freed less made no difference.
const NO_DIFFERENCE_KIB: u64 = 1024;

/// Where a word is written to drop caches (proc_sys_vm(5)).
pub(super) const DROP_FILE: &str = "/proc/sys/vm/drop_caches";
/// The word for page cache, dentries and inodes.
pub(super) const DROP_ALL: &[u8] = b"3";

/// Who drops the system's caches.
#[derive(Debug)]
pub enum Dropper {
    /// This process, which is root.
    Itself,
    /// A child that stayed root.
    Child(Mutex<DroppingChild>),
    /// Nobody may, for this reason.
    Nobody(String),
}

/// Why no caches were dropped.
#[derive(Debug, thiserror::Error)]
pub enum DropError {
    /// Nobody may.
    #[error("{0}")]
    NotAllowed(String),
    /// It failed.
    #[error("caches cannot be dropped: {0}")]
    Failed(#[from] io::Error),
}

impl Dropper {
    /// This process where it is root, else nobody.
    #[must_use]
    pub fn of_this_process() -> Self {
        if is_root() { Self::Itself } else { Self::Nobody("not root".to_owned()) }
    }

    /// A child that stays root when this process gives up its rights; nobody, where it cannot be. Must be called before any thread is
    /// started.
    #[must_use]
    pub fn of_a_child() -> Self {
        match DroppingChild::start() {
            Ok(child) => Self::Child(Mutex::new(child)),
            Err(error) => {
                let text = error.to_string().to_lowercase();
                let words = text.split(" (os error").next().unwrap_or_default();
                Self::Nobody(format!("not root, and no child that may drop them could be had: {words}"))
            }
        }
    }

    /// Why nobody drops caches; `None` where somebody does.
    #[must_use]
    pub fn hindrance(&self) -> Option<&str> {
        match self {
            Self::Itself | Self::Child(_) => None,
            Self::Nobody(reason) => Some(reason),
        }
    }

    /// Drops page cache, dentries and inodes of the whole system, again until it makes no difference. Returns how often.
    ///
    /// # Errors
    /// When nobody may, or as opening or writing /proc/sys/vm/drop_caches.
    pub fn drop_caches(&self) -> Result<u32, DropError> {
        match self {
            Self::Itself => Ok(drop_until_no_difference(|| fs::write(DROP_FILE, DROP_ALL))?),
            Self::Child(child) => {
                let mut child = child.lock().unwrap_or_else(PoisonError::into_inner);
                Ok(drop_until_no_difference(|| child.drop_once())?)
            }
            Self::Nobody(reason) => Err(DropError::NotAllowed(reason.clone())),
        }
    }
}

fn drop_until_no_difference(mut drop_once: impl FnMut() -> io::Result<()>) -> io::Result<u32> {
    let mut before = cached_kib();
    for drop in 1..=MOST_DROPS {
        drop_once()?;
        let after = cached_kib();
        let freed = before.zip(after).map_or(0, |(before, after)| before.saturating_sub(after));
        if drop >= LEAST_DROPS && freed < NO_DIFFERENCE_KIB {
            return Ok(drop);
        }
        before = after;
    }
    Ok(MOST_DROPS)
}

fn cached_kib() -> Option<u64> {
    cached_in(&fs::read_to_string("/proc/meminfo").ok()?)
}

/// Buffers, page cache and reclaimable slabs of the text of /proc/meminfo, in KiB; `None` where one is missing or they do not fit.
#[must_use]
pub fn cached_in(meminfo: &str) -> Option<u64> {
    ["Buffers:", "Cached:", "SReclaimable:"].iter().try_fold(0_u64, |sum, name| {
        let line = meminfo.lines().find(|line| line.starts_with(name))?;
        sum.checked_add(line.split_whitespace().nth(1)?.parse().ok()?)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_dropped_is_summed() {
        let text = "MemTotal: 100 kB\nBuffers: 1 kB\nCached: 20 kB\nSwapCached: 7 kB\nSReclaimable: 300 kB\n";
        assert_eq!(cached_in(text), Some(321));
        assert_eq!(cached_in("Buffers: 1 kB\n"), None);
    }
}
