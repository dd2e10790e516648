//! Preflight: what would make a batch fail, found before the first byte is measured, with the numbers.

pub mod direct_io;
pub mod process;

use crate::model::machine::{Filesystem, FilesystemClass};
use crate::model::phase::Files;
use crate::model::plan::{CacheState, Plan};
use crate::model::settings::Settings;
use crate::phases::memory_needed;
use crate::sys::mounts::copies_on_write;
use crate::units::{rounded_size, with_thousands};
use process::PROGRAM_BYTES;

/// Space to spare, in per cent of what a run needs.
const SPARE_PERCENT: u64 = 5;
/// Descriptors that barrow needs beside those of directories and seekers.
const OTHER_DESCRIPTORS: u64 = 32;
/// Files beside those of phases: scratch directory, marker.
const OTHER_FILES: u64 = 8;

/// Why a batch must not begin.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Too few bytes.
    #[error(
        "needs {} free ({why}), has {}; take less (`--set scale=10%` or `file_size=…`, in `barrow bonnie` -s), or another target",
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
    /// It is to be filled, and cannot be.
    #[error("cannot be filled to {percent} %: {why}")]
    Filling {
        /// To how many per cent.
        percent: u64,
        /// Why not.
        why: String,
    },
    /// Too few inodes.
    #[error(
        "needs {needed} free inodes, has {free}; take fewer files (`--set scale=10%` or `files=…`, in `barrow bonnie` -n), or another target"
    )]
    Inodes {
        /// Inodes that a run needs.
        needed: u64,
        /// Inodes that are free.
        free: u64,
    },
    /// Too few open files.
    #[error("needs {needed} open files, the limit is {limit}; take fewer dirs, workers, seekers or clients, or raise `ulimit -n`")]
    OpenFiles {
        /// Descriptors that a run needs.
        needed: u64,
        /// The limit of the process.
        limit: u64,
    },
    /// The program, names and buffers would not fit in memory.
    #[error(
        "needs {} of memory for itself, names and buffers, may have {}; take fewer files, workers or seekers, or a smaller chunk_size",
        rounded_size(*needed),
        rounded_size(*available)
    )]
    WorkingMemory {
        /// Bytes that the largest phase needs.
        needed: u64,
        /// Bytes that the process may have.
        available: u64,
    },
    /// The files would lie in memory and leave too little of it.
    #[error(
        "{kind} lies in memory: a file of {} would take most of the {} that there is for it; take a smaller one",
        rounded_size(*size),
        rounded_size(*available)
    )]
    Memory {
        /// The filesystem type.
        kind: String,
        /// Bytes that a run needs.
        size: u64,
        /// The machine's memory in bytes, or what the control group allows of it.
        available: u64,
    },
}

/// Bytes that must be free for a run, and how that came about.
fn space_needed(settings: &Settings, kind: &str) -> (u64, String) {
    let files = settings.most_allocated_bytes();
    let (bytes, why) = match copies_on_write(kind) {
        // It gives up what was replaced in the middle of a rewrite, where there is no other way.
        true if kind == "btrfs" => (files.saturating_add(files / 2), format!("half more than the files, {}, ", new_place(kind))),
        true => (files.saturating_mul(2), format!("twice the files, {}, ", new_place(kind))),
        false => (files, "the files ".to_owned()),
    };
    (bytes.saturating_add(bytes / 100 * SPARE_PERCENT), format!("{why}and {SPARE_PERCENT} % to spare"))
}

fn new_place(kind: &str) -> String {
    format!("since {kind} writes changed data to a new place")
}

/// A filesystem as it will be once it is filled to so many per cent, where that is asked for (0: as it is).
///
/// # Errors
/// When it is fuller already, lies in memory, or does not tell how full it is.
pub fn filled(filesystem: &Filesystem, percent: u64) -> Result<Filesystem, Refusal> {
    if percent == 0 {
        return Ok(filesystem.clone());
    }
    let refused = |why: String| Err(Refusal::Filling { percent, why });
    let kind = &filesystem.kind;
    if filesystem.class == FilesystemClass::Memory {
        return refused(format!("{kind} lies in memory, which would be filled"));
    }
    match filesystem.free_when_filled(percent) {
        None => refused(format!("{kind} does not tell how full it is")),
        Some(free) if free > filesystem.free_bytes => {
            let now = filesystem.fill_percent().unwrap_or(100.0);
            refused(format!("{kind} is {now:.0} % full already; ask for more, or leave out --fill"))
        }
        Some(free) => {
            let used_bytes = filesystem.used_bytes.map(|used| used.saturating_add(filesystem.free_bytes - free));
            Ok(Filesystem { free_bytes: free, used_bytes, ..filesystem.clone() })
        }
    }
}

/// What the process may have.
#[derive(Debug, Clone, Copy, Default)]
pub struct Limits {
    /// The machine's memory in bytes.
    pub ram_bytes: Option<u64>,
    /// What the control groups allow of it in bytes: of the process' own and of what it writes to filesystems in memory.
    pub group_bytes: Option<u64>,
    /// The limit of the process' address space in bytes.
    pub address_bytes: Option<u64>,
    /// Open files.
    pub open_files: u64,
}

/// Finds everything that would make a run of these settings fail on this filesystem.
#[must_use]
pub fn refusals(settings: &Settings, filesystem: &Filesystem, limits: &Limits) -> Vec<Refusal> {
    let open_files = limits.open_files;
    let shared = [limits.ram_bytes, limits.group_bytes].into_iter().flatten().min();
    let mut found = Vec::new();
    let (needed, why) = space_needed(settings, &filesystem.kind);
    if needed > filesystem.free_bytes {
        found.push(Refusal::Space { needed, free: filesystem.free_bytes, why });
    }
    let inodes = settings.most_inodes().saturating_add(OTHER_FILES);
    if let Some(free) = filesystem.free_files
        && inodes > free
    {
        found.push(Refusal::Inodes { needed: inodes, free });
    }
    let of_transfers = settings.all_transfers().map(|transfer| settings.transfer_parts(transfer)).max().unwrap_or(0);
    let of_others = (settings.dirs * settings.workers).max(settings.seekers * settings.workers).max(settings.descriptors_of_clients());
    let descriptors = of_transfers.max(of_others).saturating_add(OTHER_DESCRIPTORS);
    if descriptors > open_files {
        found.push(Refusal::OpenFiles { needed: descriptors, limit: open_files });
    }
    let memory = memory_needed(settings).saturating_add(PROGRAM_BYTES);
    if let Some(available) = [shared, limits.address_bytes].into_iter().flatten().min()
        && memory > available / 10 * 9
    {
        found.push(Refusal::WorkingMemory { needed: memory, available });
    }
    if let (FilesystemClass::Memory, Some(available)) = (filesystem.class, shared)
        && settings.most_bytes() > available / 2
    {
        found.push(Refusal::Memory { kind: filesystem.kind.clone(), size: settings.most_bytes(), available });
    }
    found
}

/// A filesystem this full, in per cent, is slower than it would be empty.
const NEARLY_FULL: f64 = 90.0;

/// What the user should know of a target before the batch begins, though it may.
#[must_use]
pub fn cautions(settings: &Settings, filesystem: &Filesystem, limits: &Limits) -> Vec<String> {
    let kind = &filesystem.kind;
    let mut found = Vec::new();
    match filesystem.class {
        FilesystemClass::Memory => found.push(format!("{kind} lies in memory: every number is one of memory, not of a device")),
        FilesystemClass::Fuse => found.push(format!("{kind} is served by a process: where its data came from cannot be told")),
        FilesystemClass::Network => found.push(format!("{kind} is on a server, whose cache cannot be seen from here")),
        FilesystemClass::Overlay => found.push(format!("{kind} lies on another filesystem, which decides what is measured")),
        FilesystemClass::Zfs => found.push(format!("{kind} has a cache of its own, which cannot be emptied from here")),
        FilesystemClass::Other => {
            found.push(format!("{kind} stands on no device that the kernel tells: where data came from cannot be told"))
        }
        FilesystemClass::Block => {}
    }
    let keeps_its_own_cache = matches!(filesystem.class, FilesystemClass::Fuse | FilesystemClass::Network | FilesystemClass::Zfs);
    if let Some(ram) = limits.ram_bytes
        && keeps_its_own_cache
        && settings.file_size > 0
        && settings.file_size < ram.saturating_mul(2)
    {
        let size = rounded_size(settings.file_size);
        found.push(format!("{size} is less than twice the memory, so reads may come from a cache; `-p full` takes more"));
    }
    if let Some(percent) = filesystem.fill_percent().filter(|percent| *percent >= NEARLY_FULL) {
        found.push(format!("{kind} is {percent:.0} % full: an emptier one may be faster"));
    }
    if copies_on_write(kind) && settings.file_size > 0 && filesystem.free_bytes < settings.file_size.saturating_mul(2) {
        let (size, free) = (rounded_size(settings.file_size), rounded_size(filesystem.free_bytes));
        found.push(format!("{free} are free for a file of {size}: less than twice as much may slow the rewrite, {}", new_place(kind)));
    }
    if filesystem.mount_options.split(',').any(|option| option.contains("quota") && !option.starts_with("no")) {
        found.push("quotas are on: less may be free for you than for the filesystem".to_owned());
    }
    found
}

/// More bytes, or more files, at a time are worth a word before it begins: more than the default profile takes.
const MUCH_BYTES: u64 = 4 << 30;
const MANY_FILES: u64 = 100_000;

/// What a large run takes; `None` for a small one.
fn demands(plan: &Plan) -> Option<String> {
    let settings = &plan.settings;
    let (bytes, inodes) = (settings.most_allocated_bytes(), settings.most_inodes());
    if bytes <= MUCH_BYTES && inodes <= MANY_FILES {
        return None;
    }
    let (made, data) = settings.made_in_all();
    let [made, inodes] = [made, inodes].map(|count| with_thousands(count as f64, 0));
    let [data, bytes, memory] = [data, bytes, memory_needed(settings)].map(rounded_size);
    let runs = if settings.runs == 1 { "its run".to_owned() } else { format!("each of its {} runs", settings.runs) };
    Some(format!(
        "{} makes {made} files and directories with {data} of data in {runs}; at a time they take up to {bytes} and {inodes} inodes, \
         and barrow {memory} of memory for names and buffers",
        plan.profile
    ))
}

/// What the user should know of the machine and of his own rights; `no_drops` says why nobody can drop the system's caches.
#[must_use]
pub fn general_cautions(plan: &Plan, limits: &Limits, no_drops: Option<&str>) -> Vec<String> {
    let mut found: Vec<String> = demands(plan).into_iter().collect();
    if let Some(limit) = limits.group_bytes {
        found.push(format!("barrow may have {} of memory: writers wait earlier than they would without that limit", rounded_size(limit)));
    }
    if let Some(reason) = no_drops.filter(|_| plan.settings.files > 0 && plan.circumstances.cache == CacheState::Cold) {
        found.push(format!("{reason}: names and inodes cannot be evicted, so stat and delete are answered from memory"));
    }
    if let Some(reason) = no_drops.filter(|_| plan.settings.uses(Files::Command) && plan.circumstances.cache == CacheState::Cold) {
        found.push(format!("{reason}: your programs begin with whatever is in memory, since nobody can empty the caches before them"));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::plan::Circumstances;
    use crate::model::profile::Profile;

    fn filesystem(kind: &str, free_bytes: u64) -> Filesystem {
        Filesystem {
            kind: kind.to_owned(),
            class: crate::sys::mounts::class_of(kind, true),
            mount_options: String::new(),
            size_bytes: 1 << 40,
            free_bytes,
            free_files: Some(5000),
            used_bytes: None,
        }
    }

    fn limits(ram_bytes: Option<u64>) -> Limits {
        Limits { ram_bytes, group_bytes: None, address_bytes: None, open_files: 1024 }
    }

    #[test]
    fn small_files_take_whole_blocks() {
        let tiny = Settings { file_size: 0, files: 3000, min_size: 1, max_size: 1, ..Settings::default() };
        assert!(matches!(refusals(&tiny, &filesystem("ext4", 4 << 20), &limits(None))[..], [Refusal::Space { .. }]));
        let one = Settings { file_size: 0, files: 1, max_size: 6 << 20, ..Settings::default() };
        assert!(matches!(refusals(&one, &filesystem("ext4", 4 << 20), &limits(None))[..], [Refusal::Space { .. }]));
    }

    #[test]
    fn names_and_buffers_must_fit_in_memory() {
        let many = Settings { file_size: 0, files: 1 << 32, ..Settings::default() };
        let unlimited = Filesystem { free_files: None, ..filesystem("btrfs", 1 << 40) };
        assert!(matches!(refusals(&many, &unlimited, &limits(Some(16 << 30)))[..], [Refusal::WorkingMemory { .. }]));
        assert_eq!(refusals(&Settings { files: 1 << 20, ..many.clone() }, &unlimited, &limits(Some(16 << 30))), []);
        let low = Limits { address_bytes: Some(9 << 20), ..limits(Some(16 << 30)) };
        assert!(matches!(refusals(&Settings { files: 1, ..many }, &unlimited, &low)[..], [Refusal::WorkingMemory { .. }]));
    }

    fn settings() -> Settings {
        Settings { file_size: 1 << 30, files: 4096, ..Settings::default() }
    }

    #[test]
    fn more_space_is_needed_where_data_is_copied() {
        let free = (1 << 30) + (60 << 20);
        assert_eq!(refusals(&settings(), &filesystem("ext4", free), &limits(None)), []);
        for (kind, words) in [("btrfs", "needs 1.57 GiB free (half more than the files"), ("zfs", "needs 2.1 GiB free (twice the files")] {
            let refusal = refusals(&settings(), &filesystem(kind, free), &limits(None));
            assert!(refusal[0].to_string().starts_with(words), "{}", refusal[0]);
            assert!(refusal[0].to_string().contains("has 1.06 GiB"), "{}", refusal[0]);
        }
        // The images that people make for it: 8 GiB for files of 4.
        let some = filesystem("btrfs", 1_800 << 20);
        assert_eq!(refusals(&settings(), &some, &limits(None)), []);
        assert!(cautions(&settings(), &some, &limits(None))[0].contains("may slow the rewrite"));
    }

    #[test]
    fn what_is_to_be_filled_must_be_emptier_and_leave_room() {
        let half = Filesystem { used_bytes: Some(4 << 30), ..filesystem("ext4", 4 << 30) };
        assert_eq!(filled(&half, 0).as_ref(), Ok(&half));
        let full = filled(&half, 90).unwrap();
        assert_eq!((full.free_bytes / (1 << 20), full.fill_percent().map(f64::round)), (819, Some(90.0)));
        assert!(matches!(refusals(&settings(), &full, &limits(None))[..], [Refusal::Space { .. }]));
        assert_eq!(refusals(&settings(), &half, &limits(None)), []);
        let words = |filesystem: &Filesystem, percent| filled(filesystem, percent).unwrap_err().to_string();
        assert!(words(&half, 40).contains("ext4 is 50 % full already"), "{}", words(&half, 40));
        assert!(words(&filesystem("ext4", 1 << 30), 90).contains("does not tell"));
        assert!(words(&Filesystem { used_bytes: Some(0), ..filesystem("tmpfs", 1 << 30) }, 90).contains("lies in memory"));
    }

    #[test]
    fn inodes_and_descriptors_are_counted() {
        let many = Settings { files: 5000, ..settings() };
        assert!(matches!(refusals(&many, &filesystem("ext4", 1 << 40), &limits(None))[..], [Refusal::Inodes { free: 5000, .. }]));
        let unlimited = Filesystem { free_files: None, ..filesystem("btrfs", 1 << 40) };
        assert_eq!(refusals(&many, &unlimited, &limits(None)), []);
        let wide = Settings { dirs: 1000, files: 1000, ..settings() };
        assert!(matches!(refusals(&wide, &filesystem("ext4", 1 << 40), &limits(None))[..], [Refusal::OpenFiles { limit: 1024, .. }]));
    }

    #[test]
    fn a_file_in_memory_must_leave_room() {
        let tmpfs = filesystem("tmpfs", 1 << 40);
        assert_eq!(refusals(&settings(), &tmpfs, &limits(Some(4 << 30))), []);
        assert!(matches!(refusals(&settings(), &tmpfs, &limits(Some(1 << 30)))[..], [Refusal::Memory { .. }]));
        let grouped = Limits { group_bytes: Some(1 << 30), ..limits(Some(64 << 30)) };
        assert!(matches!(refusals(&settings(), &tmpfs, &grouped)[..], [Refusal::Memory { available: 0x4000_0000, .. }]));
        let addressed = Limits { address_bytes: Some(1 << 30), ..limits(Some(64 << 30)) };
        assert_eq!(refusals(&settings(), &tmpfs, &addressed), [], "a file of a filesystem takes no addresses");
        assert_eq!(cautions(&settings(), &tmpfs, &limits(None)).len(), 1);
        assert!(cautions(&settings(), &filesystem("ext4", 0), &limits(None)).is_empty());
    }

    #[test]
    fn what_a_large_run_takes_is_said_before() {
        let said = |name: &str, changes: &[(&str, &str)]| {
            let changes: Vec<_> = changes.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
            let profile = Profile::named(name, 8 << 30).unwrap().changed(&changes, 0).unwrap();
            demands(&Plan::of(&profile, 1, Circumstances::USUAL).unwrap())
        };
        let expected = "mail/1 makes 4,096,200 files and directories with 19.1 GiB of data in each of its 3 runs; at a time they take up to 17.3 \
                        GiB and 2,048,100 inodes, and barrow 65.5 MiB of memory for names and buffers";
        assert_eq!(said("mail", &[]).unwrap(), expected);
        assert!(said("smallfiles", &[("runs", "1")]).unwrap().contains("in its run; at a time they take up to"));
        assert_eq!([said("std", &[]), said("quick", &[]), said("mail", &[("scale", "1%")])], [None, None, None]);
        assert!(said("full", &[]).unwrap().starts_with("full/1@16g makes "));
    }

    #[test]
    fn what_costs_the_labels_is_said() {
        let words = |kind: &str, ram| cautions(&settings(), &filesystem(kind, 1 << 40), &limits(ram)).join(" | ");
        assert!(words("nfs4", Some(8 << 30)).contains("1 GiB is less than twice the memory"));
        assert!(!words("nfs4", Some(1 << 28)).contains("less than twice"));
        let full = Filesystem { used_bytes: Some(95 << 30), free_bytes: 5 << 30, ..filesystem("ext4", 0) };
        assert_eq!(cautions(&settings(), &full, &limits(None)), ["ext4 is 95 % full: an emptier one may be faster"]);
        let quota = Filesystem { mount_options: "rw,usrquota".to_owned(), ..filesystem("xfs", 1 << 40) };
        assert!(cautions(&settings(), &quota, &limits(None))[0].starts_with("quotas are on"));
    }
}
