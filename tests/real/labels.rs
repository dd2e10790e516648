//! The labels are true on real filesystems: each is provoked on purpose, as root and as somebody else, and none comes from a name.

use super::device::{LoopFilesystem, MemoryFilesystem, OverlayFilesystem, Recipe};
use super::driver::{Desk, Finished, Running, User, cache_label, phase, scratches};
use super::need::{Need, is_missing};
use barrow::model::flag::Flag;
use barrow::model::label::{CacheLabel, Durability};
use barrow::model::phase::Phase;
use barrow::model::record::RunRecord;
use barrow::model::stack::Bottom;
use nix::sys::mman::{MapFlags, ProtFlags, mlock, mmap, munmap};
use std::fs::{self, File};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

/// Small, but enough that a label rests on more than a journal's blocks.
const WORK: &str = "file_size=64m seeks=400 seek_seconds=0 files=2048";
/// How often it is measured at the most: others who use the disk of this machine meanwhile rightly spoil a proof.
const ATTEMPTS: u32 = 6;

fn measured(path: &Path, user: User, options: &[&str]) -> RunRecord {
    let desk = Desk::new();
    let mut command = desk.run(user, WORK, &[&["--runs", "1", "-q"], options].concat());
    Finished::of(command.arg(path)).expect_code(0);
    desk.runs().remove(0)
}

/// The label of each phase that has one, and of each that writes: `block_read cold`, `seq_create durable`.
fn labels(run: &RunRecord) -> Vec<String> {
    let of = |which: &Phase| {
        let record = phase(run, *which);
        let cache = cache_label(record).map(|label| format!("{} {label}", which.name()));
        let durable = record.durable.map(|label| format!("{} {}", which.name(), label.word()));
        cache.into_iter().chain(durable)
    };
    Phase::STANDARD.iter().flat_map(of).collect()
}

/// Measures until all of these labels are given.
fn expect(path: &Path, user: User, options: &[&str], expected: &[&str]) -> RunRecord {
    let mut found = Vec::new();
    for _ in 0..ATTEMPTS {
        let run = measured(path, user, options);
        found = labels(&run);
        if expected.iter().all(|label| found.iter().any(|other| other == label)) {
            return run;
        }
    }
    panic!("{} as {user:?} with {options:?}: {expected:?} is not in {found:?}", path.display());
}

const COLD: [&str; 7] =
    ["rewrite cold", "block_read cold", "random_seek cold", "seq_stat cold", "seq_delete cold", "random_stat cold", "random_delete cold"];
const DURABLE: [&str; 6] = [
    "block_write durable",
    "rewrite durable",
    "seq_create durable",
    "seq_delete durable",
    "random_create durable",
    "random_delete durable",
];

/// Root empties every cache, somebody else those of data alone, and a warm start is seen to be one.
fn on_block_devices(recipe: &Recipe<'_>, mkfs: &'static str) {
    if is_missing(&[Need::Root, Need::Loop, Need::Filesystem(recipe.kind), Need::Program(mkfs)]) {
        return;
    }
    let filesystem = LoopFilesystem::made(recipe);
    let path = filesystem.path();
    expect(path, User::Tester, &[], &[&COLD[..], &DURABLE].concat());
    expect(path, User::Nobody, &[], &[&["rewrite cold", "block_read cold", "random_seek cold", "seq_stat cached"], &DURABLE[..]].concat());
    let warm = ["rewrite cached", "block_read cached", "random_seek cached", "seq_stat cached", "random_stat cached"];
    expect(path, User::Tester, &["--cache", "warm"], &[&warm, &DURABLE[..]].concat());
    let direct = expect(path, User::Tester, &["--io", "direct"], &COLD);
    assert_eq!(phase(&direct, Phase::BlockRead).evidence.resident_after, Some(0.0), "{}", recipe.kind);
}

#[test]
#[ignore = "needs root, loop devices"]
fn labels_on_ext4_are_true() {
    on_block_devices(&Recipe::of("ext4", 400), "mkfs.ext4");
}

#[test]
#[ignore = "needs root, loop devices"]
fn labels_on_xfs_are_true() {
    on_block_devices(&Recipe::of("xfs", 400), "mkfs.xfs");
}

#[test]
#[ignore = "needs root, loop devices"]
fn labels_on_btrfs_are_true() {
    on_block_devices(&Recipe::of("btrfs", 400), "mkfs.btrfs");
}

#[test]
#[ignore = "needs root, loop devices"]
fn labels_on_compressing_btrfs_are_true() {
    on_block_devices(&Recipe { mount: "compress=zstd", ..Recipe::of("btrfs", 400) }, "mkfs.btrfs");
}

const EXT4: [Need; 4] = [Need::Root, Need::Loop, Need::Filesystem("ext4"), Need::Program("mkfs.ext4")];

/// The page cache of the filesystem that holds the image answers, unless root empties it too.
#[test]
#[ignore = "needs root, loop devices"]
fn a_cache_below_is_found() {
    if is_missing(&EXT4) {
        return;
    }
    let filesystem = LoopFilesystem::made(&Recipe { is_direct: false, ..Recipe::of("ext4", 400) });
    let below = ["rewrite cached below", "block_read cached below", "random_seek cached below"];
    expect(filesystem.path(), User::Tester, &["--drop-caches", "never"], &below);
    expect(filesystem.path(), User::Nobody, &[], &below);
    expect(filesystem.path(), User::Tester, &[], &COLD);
}

/// Counting turned off for a device, and on again when dropped.
struct Uncounted(PathBuf);

impl Uncounted {
    fn device(name: &str) -> Self {
        let path = PathBuf::from(format!("/sys/block/{name}/queue/iostats"));
        fs::write(&path, "0").unwrap();
        Self(path)
    }
}

impl Drop for Uncounted {
    fn drop(&mut self) {
        let _ = fs::write(&self.0, "1");
    }
}

#[test]
#[ignore = "needs root, loop devices"]
fn what_is_not_counted_is_not_called_cached_below() {
    if is_missing(&EXT4) {
        return;
    }
    let filesystem = LoopFilesystem::made(&Recipe { is_direct: false, ..Recipe::of("ext4", 400) });
    let run = measured(filesystem.path(), User::Tester, &["--drop-caches", "never"]);
    let leaf = run.stack.leaves().next().unwrap().name.clone();
    let uncounted = Uncounted::device(&leaf);
    let doubtful = ["rewrite cold?", "block_read cold?", "random_seek cold?", "seq_stat unknown", "block_write durable?"];
    let run = expect(filesystem.path(), User::Tester, &["--drop-caches", "never"], &doubtful);
    assert!(!run.stack.leaves().next().unwrap().is_counted);
    drop(uncounted);
}

#[test]
#[ignore = "needs root"]
fn memory_is_found_out() {
    if is_missing(&[Need::Root]) {
        return;
    }
    let filesystem = MemoryFilesystem::of("size=200m");
    let memory = ["rewrite memory", "block_read memory", "random_seek memory", "seq_stat memory", "block_write acknowledged"];
    expect(filesystem.path(), User::Tester, &[], &memory);
    expect(filesystem.path(), User::Nobody, &[], &memory);
}

#[test]
#[ignore = "needs root, loop devices"]
fn memory_below_a_loop_device_is_found_out() {
    if is_missing(&EXT4) {
        return;
    }
    let memory = MemoryFilesystem::of("size=500m");
    let filesystem = LoopFilesystem::made(&Recipe { below: Some(memory.path()), ..Recipe::of("ext4", 400) });
    let expected = ["rewrite memory", "block_read memory", "random_seek memory", "block_write acknowledged", "seq_create acknowledged"];
    expect(filesystem.path(), User::Tester, &[], &expected);
    drop(filesystem);
}

#[test]
#[ignore = "needs root, loop devices"]
fn labels_on_an_overlay_are_true() {
    if is_missing(&[&EXT4[..], &[Need::Filesystem("overlay")]].concat()) {
        return;
    }
    let filesystem = LoopFilesystem::of("ext4", 400);
    let overlay = OverlayFilesystem::on(filesystem.path(), "");
    expect(overlay.path(), User::Tester, &[], &[&COLD[..3], &DURABLE].concat());
    expect(overlay.path(), User::Nobody, &[], &["block_read cold", "seq_stat cached"]);
    expect(overlay.path(), User::Tester, &["--cache", "warm"], &["rewrite cached", "block_read cached", "random_seek cached"]);
}

/// An overlay that is mounted so takes every flush and does nothing.
#[test]
#[ignore = "needs root, loop devices"]
fn a_flush_that_is_swallowed_is_not_called_durable() {
    if is_missing(&[&EXT4[..], &[Need::Filesystem("overlay")]].concat()) {
        return;
    }
    let filesystem = LoopFilesystem::of("ext4", 400);
    let overlay = OverlayFilesystem::on(filesystem.path(), ",volatile");
    expect(overlay.path(), User::Tester, &[], &["block_write durable?"]);
}

/// A journal writes and flushes every second by itself, which is no proof of anybody's flush.
#[test]
#[ignore = "needs root, loop devices"]
fn a_journal_is_not_taken_for_a_flush() {
    if is_missing(&[&EXT4[..], &[Need::Filesystem("overlay")]].concat()) {
        return;
    }
    let filesystem = LoopFilesystem::made(&Recipe { mount: "commit=1", mkfs: &["-N", "80000"], ..Recipe::of("ext4", 400) });
    let overlay = OverlayFilesystem::on(filesystem.path(), ",volatile");
    for size in ["file_size=0", "file_size=16m"] {
        let run = measured(overlay.path(), User::Tester, &["--set", size, "--set", "files=60000"]);
        for which in [Phase::SeqCreate, Phase::SeqDelete, Phase::RandomCreate, Phase::RandomDelete] {
            assert_eq!(phase(&run, which).durable, Some(Durability::Uncertain), "{size}, {}", which.name());
        }
    }
    // The same where flushes are heard, without a block phase that shows it.
    let run = measured(filesystem.path(), User::Tester, &["--set", "file_size=0"]);
    assert_eq!(phase(&run, Phase::SeqCreate).durable, Some(Durability::Durable));
}

/// Each page answers eight seeks.
#[test]
#[ignore = "needs root, loop devices"]
fn seeks_that_share_a_page_are_not_called_cold() {
    if is_missing(&EXT4) {
        return;
    }
    let filesystem = LoopFilesystem::of("ext4", 400);
    let run = measured(filesystem.path(), User::Tester, &["--set", "file_size=8m", "--set", "seek_size=512", "--set", "seeks=16384"]);
    let label = phase(&run, Phase::RandomSeek).cache.unwrap();
    assert!(matches!(label, CacheLabel::Mixed(10..=15)), "{label}: {:?}", phase(&run, Phase::RandomSeek).evidence);
}

/// Half of the data lies in memory: neither disk nor memory answers for the whole.
#[test]
#[ignore = "needs root, loop devices"]
fn a_filesystem_on_memory_and_a_disk_is_neither() {
    if is_missing(&[Need::Root, Need::Loop, Need::Filesystem("btrfs"), Need::Program("mkfs.btrfs")]) {
        return;
    }
    let memory = MemoryFilesystem::of("size=500m");
    let filesystem = LoopFilesystem::of_two("btrfs", 400, memory.path(), &["-d", "raid0", "-m", "single"]);
    let run = measured(filesystem.path(), User::Tester, &[]);
    assert_eq!(run.stack.bottom, Bottom::Unknown);
    for record in &run.phases {
        assert!(!matches!(record.durable, Some(Durability::Durable | Durability::Acknowledged)), "{record:?}");
        assert!(!matches!(record.cache, Some(CacheLabel::Cold | CacheLabel::Memory)), "{record:?}");
    }
}

#[test]
#[ignore = "needs root, loop devices"]
fn a_filesystem_without_barriers_is_not_called_durable() {
    if is_missing(&EXT4) {
        return;
    }
    let filesystem = LoopFilesystem::made(&Recipe { mount: "barrier=0", ..Recipe::of("ext4", 400) });
    let run = expect(filesystem.path(), User::Tester, &[], &["block_write durable?"]);
    assert!(phase(&run, Phase::BlockWrite).flags.contains(&Flag::NoFlush), "{:?}", phase(&run, Phase::BlockWrite).flags);
}

/// The first half of a file, locked into memory by this process until it is dropped.
struct Locked {
    start: std::ptr::NonNull<std::ffi::c_void>,
    bytes: NonZeroUsize,
}

impl Locked {
    #[allow(unsafe_code)]
    fn first_half_of(path: &Path) -> Self {
        let file = File::options().read(true).open(path).unwrap();
        let bytes = NonZeroUsize::new(file.metadata().unwrap().len() as usize / 2).unwrap();
        // SAFETY: a new shared mapping of a file, which is never read through.
        let start = unsafe { mmap(None, bytes, ProtFlags::PROT_READ, MapFlags::MAP_SHARED, &file, 0) }.unwrap();
        // SAFETY: the range was mapped just now.
        unsafe { mlock(start, bytes.get()) }.unwrap();
        Self { start, bytes }
    }
}

impl Drop for Locked {
    #[allow(unsafe_code)]
    fn drop(&mut self) {
        // SAFETY: it was mapped by `first_half_of`, and nothing else knows of it.
        unsafe { munmap(self.start, self.bytes.get()) }.unwrap();
    }
}

#[test]
#[ignore = "needs root, loop devices"]
fn half_a_file_in_memory_is_half_a_label() {
    if is_missing(&EXT4) {
        return;
    }
    let filesystem = LoopFilesystem::of("ext4", 400);
    let desk = Desk::new();
    let mut command = desk.run(User::Tester, WORK, &["--runs", "1", "--pause", "1s", "--set", "files=0"]);
    let mut running = Running::start(command.arg(filesystem.path()));
    running.wait_for_line(&["block_write"]);
    running.pause();
    let scratch = scratches(filesystem.path()).pop().unwrap();
    let locked = Locked::first_half_of(&scratch.join("block.0"));
    running.resume();
    running.finish().expect_code(0);
    drop(locked);
    let run = desk.runs().remove(0);
    for which in [Phase::Rewrite, Phase::BlockRead, Phase::RandomSeek] {
        let label = phase(&run, which).cache.unwrap();
        assert!(matches!(label, CacheLabel::Mixed(40..=60)), "{}: {label}", which.name());
    }
}
