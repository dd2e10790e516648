//! Dropping the system's caches, where the rights suffice.

use std::fs;
use std::io;

/// At least two drops: ext4 keeps inode tables pinned until the first one has freed the inodes.
const LEAST_DROPS: u32 = 2;
/// By then what is left is in use.
const MOST_DROPS: u32 = 6;
/// A drop that freed less made no difference.
const NO_DIFFERENCE_KIB: u64 = 1024;

/// Drops page cache, dentries and inodes of the whole system, again until it makes no difference. Returns how often.
///
/// # Errors
/// As opening or writing /proc/sys/vm/drop_caches: without the rights, `EACCES`.
pub fn drop_system_caches() -> io::Result<u32> {
    let mut before = cached_kib();
    for drop in 1..=MOST_DROPS {
        fs::write("/proc/sys/vm/drop_caches", "3")?;
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

/// Buffers, page cache and reclaimable slabs of the text of /proc/meminfo, in KiB.
fn cached_in(meminfo: &str) -> Option<u64> {
    ["Buffers:", "Cached:", "SReclaimable:"]
        .iter()
        .map(|name| {
            let line = meminfo.lines().find(|line| line.starts_with(name))?;
            line.split_whitespace().nth(1)?.parse::<u64>().ok()
        })
        .sum()
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
