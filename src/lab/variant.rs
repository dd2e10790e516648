//! One of the things that are compared: a filesystem, how it is made and mounted, and on what.

use super::recipe::FeatureReader;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// What a filesystem is to be made on.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ground {
    /// A file that barrow makes and removes.
    Image {
        /// The directory in which it lies.
        directory: PathBuf,
        /// Its size.
        bytes: u64,
        /// Variants with the same directory, size and number share one file, and so lie on the same blocks.
        number: usize,
    },
    /// Block devices of the user's, whose content is lost.
    Devices(Vec<PathBuf>),
}

/// A program with its words. `{device}` stands for the device, `{devices}` for all of them (as words of their own), `{mounted}` for the
/// place where it is mounted.
pub type Words = Vec<String>;

/// What asks a filesystem for its features.
#[derive(Debug, Clone)]
pub struct Features {
    /// The program, with `{device}` or `{mounted}`.
    pub words: Words,
    /// How its answer is read.
    pub read: FeatureReader,
}

/// A filesystem that is made, mounted and measured in each round.
#[derive(Debug, Clone)]
pub struct Variant {
    /// Its name in every report.
    pub label: String,
    /// Its type as mount(8) is told: `ext4`, `ntfs-3g`.
    pub kind: String,
    /// On what it is made.
    pub ground: Ground,
    /// How it is made.
    pub mkfs: Words,
    /// What tells the version of the program that makes it; empty where nothing does.
    pub version: Words,
    /// The mount options that the user wished: `defaults`, `noatime,compress=zstd:3`.
    pub mount_options: String,
    /// Those that it has in any case, so that numbers are true; may be empty.
    pub fixed_mount_options: String,
    /// What checks it without changing it; empty where nothing does, or it is not wished.
    pub check: Words,
    /// What asks for its features; `None` where nothing does.
    pub features: Option<Features>,
    /// What the user noted of it.
    pub tags: BTreeMap<String, String>,
}
