//! How a filesystem was made for a run, what that took, and what the files of the run took on it.

use super::bounded::at_most;
use crate::units::rounded_size;
use serde::{Deserialize, Serialize};

/// The most features of a filesystem that a run file keeps.
pub const MOST_FEATURES: usize = 128;

/// What a filesystem was made on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Storage {
    /// A file on another filesystem, every byte of which was written before, seen through a loop device.
    Image,
    /// A block device of the user's.
    Device,
    /// Several block devices of the user's.
    Devices,
}

/// How a filesystem was made for one run. Times are in nanoseconds; what could not be found out is `None`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Making {
    /// What it was made on.
    pub storage: Storage,
    /// Bytes of that, all devices together.
    pub storage_bytes: u64,
    /// The command that made it, with `{device}` in place of the device.
    pub mkfs: String,
    /// What the program that made it says of its version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mkfs_version: Option<String>,
    /// The mount options that were asked for: `defaults`, `noatime`.
    pub mount_options: String,
    /// What the filesystem's own tool names as its features and sizes, in its order: no names, ids or dates.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "at_most::<MOST_FEATURES, _, _>")]
    pub features: Vec<String>,
    /// Making it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mkfs_ns: Option<u64>,
    /// Mounting it for the first time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mount_ns: Option<u64>,
    /// Unmounting it when all files were removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unmount_ns: Option<u64>,
    /// Checking it after that, without changing it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check_ns: Option<u64>,
    /// What the check found wrong, or why there was none; `None` where all was well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check_words: Option<String>,
    /// Bytes in use when it was new.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub used_new_bytes: Option<u64>,
    /// Bytes free for everybody when it was new.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub free_new_bytes: Option<u64>,
    /// Bytes free for everybody while the block files lay on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub free_written_bytes: Option<u64>,
    /// Bytes that the sequential file set took, directories and inodes included, beyond what was in use when it was new.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_set_bytes: Option<u64>,
    /// Bytes of one file that filled it until there was no space; only where that was wished.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fill_bytes: Option<u64>,
    /// Bytes free for everybody when it was filled so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub free_filled_bytes: Option<u64>,
    /// How the first block file lay after it was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written: Option<Layout>,
    /// How it lay after it was rewritten.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rewritten: Option<Layout>,
}

impl Making {
    /// What it was made on, in words: `image of 2 GiB, written in full`.
    #[must_use]
    pub fn storage_in_words(&self) -> String {
        let size = rounded_size(self.storage_bytes);
        match self.storage {
            Storage::Image => format!("image of {size}, written in full"),
            Storage::Device => format!("device of {size}"),
            Storage::Devices => format!("devices of {size} together"),
        }
    }
}

/// How a file lies on its device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Layout {
    /// Pieces that do not touch.
    pub extents: u64,
    /// Bytes of it that have a place.
    pub bytes: u64,
    /// Bytes of a block of the filesystem.
    pub block_bytes: u64,
}

impl Layout {
    /// The share of its blocks that follow the one before, 0 to 1: the layout score of Smith and Seltzer (File System Aging, 1997),
    /// 1 − (extents − 1) / (blocks − 1). `None` for a file of less than two blocks.
    #[must_use]
    pub fn score(&self) -> Option<f64> {
        let blocks = self.bytes.checked_div(self.block_bytes)?;
        (blocks > 1).then(|| 1.0 - self.extents.saturating_sub(1) as f64 / (blocks - 1) as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_score_is_1_for_one_piece_and_0_for_single_blocks() {
        let layout = |extents| Layout { extents, bytes: 101 * 4096, block_bytes: 4096 };
        assert_eq!((layout(1).score(), layout(51).score(), layout(101).score()), (Some(1.0), Some(0.5), Some(0.0)));
        assert_eq!(Layout { bytes: 4096, ..layout(1) }.score(), None);
        assert_eq!(Layout { block_bytes: 0, ..layout(1) }.score(), None);
    }

    #[test]
    fn what_it_lies_on_is_said_with_its_size() {
        let on = |storage| Making { storage, ..crate::model::sample::making() }.storage_in_words();
        assert_eq!(on(Storage::Image), "image of 2 GiB, written in full");
        assert_eq!((on(Storage::Device), on(Storage::Devices)), ("device of 2 GiB".to_owned(), "devices of 2 GiB together".to_owned()));
    }

    #[test]
    fn a_run_file_need_not_hold_what_is_not_known() {
        let least = r#"{"storage":"image","storage_bytes":1,"mkfs":"mkfs.ext4 {device}","mount_options":"defaults"}"#;
        let making: Making = serde_json::from_str(least).unwrap();
        assert_eq!(serde_json::to_string(&making).unwrap(), least);
    }
}
