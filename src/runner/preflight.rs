//! Preflight: what would make a batch fail, found before the first byte is measured, with the numbers.

use crate::model::machine::{Filesystem, FilesystemClass};
use crate::model::settings::Settings;
use crate::sys::mounts::copies_on_write;
use crate::units::rounded_size;

/// Space to spare, in per cent of what a run needs.
const SPARE_PERCENT: u64 = 5;
/// Descriptors that barrow needs beside those of directories and seekers.
const OTHER_DESCRIPTORS: u64 = 64;
/// Files beside the file set: scratch directory, marker, block files.
const OTHER_FILES: u64 = 8;

/// Why a batch must not begin.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Too few bytes.
    #[error(
        "needs {} free ({why}), has {}; take a smaller file, as in --set file_size=…, or another target",
        rounded_size(*needed),
        rounded_size(*free)
    )]
    Space {
        /// Bytes that a run needs.
        needed: u64,
        /// Bytes that are free.
        free: u64,
        /// How that number came about.
        why: String,
    },
    /// Too few inodes.
    #[error("needs {needed} free inodes, has {free}; take fewer files, as in --set files=…, or another target")]
    Inodes {
        /// Inodes that a run needs.
        needed: u64,
        /// Inodes that are free.
        free: u64,
    },
    /// Too few open files.
    #[error("needs {needed} open files, the limit is {limit}; take fewer dirs, workers or seekers, or raise `ulimit -n`")]
    OpenFiles {
        /// Descriptors that a run needs.
        needed: u64,
        /// The limit of the process.
        limit: u64,
    },
    /// The files would lie in memory and leave too little of it.
    #[error("{kind} lies in memory: a file of {} would take most of the machine's {}; take a smaller one", rounded_size(*size), rounded_size(*ram))]
    Memory {
        /// The filesystem type.
        kind: String,
        /// Bytes that a run needs.
        size: u64,
        /// The machine's memory in bytes.
        ram: u64,
    },
}

/// Bytes that must be free for a run, and how that came about.
fn space_needed(settings: &Settings, kind: &str) -> (u64, String) {
    let files = settings.most_bytes();
    let (bytes, twice) = if copies_on_write(kind) {
        (files.saturating_mul(2), format!("twice the files, since {kind} writes changed data to a new place, "))
    } else {
        (files, "the files ".to_owned())
    };
    (bytes.saturating_add(bytes / 100 * SPARE_PERCENT), format!("{twice}and {SPARE_PERCENT} % to spare"))
}

/// Finds everything that would make a run of these settings fail on this filesystem.
#[must_use]
pub fn refusals(settings: &Settings, filesystem: &Filesystem, ram_bytes: Option<u64>, open_files: u64) -> Vec<Refusal> {
    let mut found = Vec::new();
    let (needed, why) = space_needed(settings, &filesystem.kind);
    if needed > filesystem.free_bytes {
        found.push(Refusal::Space { needed, free: filesystem.free_bytes, why });
    }
    let inodes = settings.files.saturating_add(settings.dirs * settings.workers).saturating_add(settings.workers + OTHER_FILES);
    if let Some(free) = filesystem.free_files
        && inodes > free
    {
        found.push(Refusal::Inodes { needed: inodes, free });
    }
    let descriptors = (settings.dirs * settings.workers).max(settings.seekers * settings.workers) + OTHER_DESCRIPTORS;
    if descriptors > open_files {
        found.push(Refusal::OpenFiles { needed: descriptors, limit: open_files });
    }
    if let (FilesystemClass::Memory, Some(ram)) = (filesystem.class, ram_bytes)
        && settings.most_bytes() > ram / 2
    {
        found.push(Refusal::Memory { kind: filesystem.kind.clone(), size: settings.most_bytes(), ram });
    }
    found
}

/// What the user should know before the batch begins, though it may.
#[must_use]
pub fn cautions(filesystem: &Filesystem) -> Vec<String> {
    let kind = &filesystem.kind;
    match filesystem.class {
        FilesystemClass::Memory => vec![format!("{kind} lies in memory: every number is one of memory, not of a device")],
        FilesystemClass::Fuse => vec![format!("{kind} is served by a process: where its data came from cannot be told")],
        FilesystemClass::Network => vec![format!("{kind} is on a server, whose cache cannot be seen from here")],
        FilesystemClass::Overlay => vec![format!("{kind} lies on another filesystem, which decides what is measured")],
        FilesystemClass::Zfs => vec![format!("{kind} has a cache of its own, which cannot be emptied from here")],
        FilesystemClass::Block => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filesystem(kind: &str, free_bytes: u64) -> Filesystem {
        Filesystem {
            kind: kind.to_owned(),
            class: crate::sys::mounts::class_of(kind),
            mount_options: String::new(),
            size_bytes: 1 << 40,
            free_bytes,
            free_files: Some(5000),
        }
    }

    fn settings() -> Settings {
        Settings { file_size: 1 << 30, files: 4096, ..Settings::default() }
    }

    #[test]
    fn space_is_counted_twice_where_data_is_copied() {
        let free = (1 << 30) + (60 << 20);
        assert_eq!(refusals(&settings(), &filesystem("ext4", free), None, 1024), []);
        let refusal = refusals(&settings(), &filesystem("btrfs", free), None, 1024);
        assert!(refusal[0].to_string().starts_with("needs 2.1 GiB free (twice the files"), "{}", refusal[0]);
        assert!(refusal[0].to_string().contains("has 1.06 GiB"), "{}", refusal[0]);
    }

    #[test]
    fn inodes_and_descriptors_are_counted() {
        let many = Settings { files: 5000, ..settings() };
        assert!(matches!(refusals(&many, &filesystem("ext4", 1 << 40), None, 1024)[..], [Refusal::Inodes { free: 5000, .. }]));
        let unlimited = Filesystem { free_files: None, ..filesystem("btrfs", 1 << 40) };
        assert_eq!(refusals(&many, &unlimited, None, 1024), []);
        let wide = Settings { dirs: 1000, files: 1000, ..settings() };
        assert!(matches!(refusals(&wide, &filesystem("ext4", 1 << 40), None, 1024)[..], [Refusal::OpenFiles { limit: 1024, .. }]));
    }

    #[test]
    fn a_file_in_memory_must_leave_room() {
        let tmpfs = filesystem("tmpfs", 1 << 40);
        assert_eq!(refusals(&settings(), &tmpfs, Some(4 << 30), 1024), []);
        assert!(matches!(refusals(&settings(), &tmpfs, Some(1 << 30), 1024)[..], [Refusal::Memory { .. }]));
        assert_eq!(cautions(&tmpfs).len(), 1);
        assert!(cautions(&filesystem("ext4", 0)).is_empty());
    }
}
