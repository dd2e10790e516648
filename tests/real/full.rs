//! A filesystem that somebody else fills while a phase runs: what needs space fails by name and has no number, all else goes on.

use super::device::{LoopFilesystem, MemoryFilesystem, system};
use super::driver::{Desk, Finished, User, scratches};
use super::need::{Need, is_missing};
use super::stepped::{Stepped, Work};
use barrow::model::phase::Phase;
use barrow::model::record::{PhaseRecord, RunRecord, Status};
use nix::fcntl::{FallocateFlags, fallocate};
use std::fs::{self, File};
use std::path::{Path, PathBuf};

const FULL: &str = "no space left on device";
/// Every file has a block of its own, so that reading and writing them can be watched.
const WORK: Work = Work { file_bytes: 24 << 20, seeks: 2000, files: 600, small_bytes: 4096 };
/// Files without content; they take a moment even in memory.
const MANY: Work = Work { file_bytes: 64 << 10, seeks: 1, files: 3000, small_bytes: 0 };
/// A phase that was over before it could be filled is tried again in the next run.
const MOST_RUNS: usize = 20;

/// What somebody else takes of a filesystem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Taken {
    /// Every block.
    Space,
    /// Every inode.
    Inodes,
    /// Both.
    All,
}

/// What somebody else has on the filesystem.
pub struct Others {
    large: PathBuf,
    many: PathBuf,
}

impl Others {
    /// More files than any of the test's filesystems has inodes for; where inodes are made as they are needed, the space ends that.
    const MOST_FILES: u32 = 5000;

    /// Somebody who has nothing yet.
    pub fn on(filesystem: &Path) -> Self {
        let others = Self { large: filesystem.join("somebody's large file"), many: filesystem.join("somebody's many files") };
        File::create(&others.large).unwrap();
        fs::create_dir(&others.many).unwrap();
        others
    }

    /// Takes what there is.
    pub fn fill(&self, what: Taken) {
        if what != Taken::Space {
            // One that cannot be made is the sign that all are taken.
            let _ = (0..Self::MOST_FILES).try_for_each(|number| File::create(self.many.join(number.to_string())).map(drop));
        }
        if what == Taken::Inodes {
            return;
        }
        let file = File::options().write(true).open(&self.large).unwrap();
        let mut bytes = 0;
        // What was removed just before may become free only with the next flush.
        while fill_up(&file, bytes) > bytes {
            bytes = file.metadata().unwrap().len() as i64;
            nix::unistd::syncfs(&file).unwrap();
        }
    }

    /// Gives everything back, and sees that it is free again.
    pub fn leave(&self) {
        File::options().write(true).open(&self.large).unwrap().set_len(0).unwrap();
        for file in fs::read_dir(&self.many).unwrap() {
            fs::remove_file(file.unwrap().path()).unwrap();
        }
        nix::unistd::syncfs(File::open(&self.many).unwrap()).unwrap();
    }
}

/// Lengthens a file until no block is left, and tells its length in bytes.
fn fill_up(file: &File, mut length: i64) -> i64 {
    let mut piece = 64 << 20;
    while piece >= 4096 {
        match fallocate(file, FallocateFlags::empty(), length, piece) {
            Ok(()) => length += piece,
            Err(_) => piece /= 2,
        }
    }
    length
}

/// How a phase must end on a filesystem that runs full while it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Must {
    Fail,
    Pass,
    /// The filesystem decides: one that writes changes to a new place needs space to remove something.
    EitherByName,
}

fn must(kind: &str, phase: Phase) -> Must {
    let copies = kind == "btrfs";
    match phase {
        Phase::BlockWrite | Phase::SeqCreate | Phase::RandomCreate => Must::Fail,
        Phase::Rewrite if copies => Must::Fail,
        Phase::SeqDelete | Phase::RandomDelete if copies => Must::EitherByName,
        Phase::Rewrite
        | Phase::BlockRead
        | Phase::RandomSeek
        | Phase::SeqStat
        | Phase::SeqDelete
        | Phase::RandomStat
        | Phase::RandomDelete => Must::Pass,
        other => unreachable!("{}", other.name()),
    }
}

/// How a phase ended; fails where it has both a number and a fault, or neither, or does not say why.
fn outcome(record: &PhaseRecord, reason_of_failure: &str) -> String {
    let reason = record.reason.as_deref().unwrap_or_default();
    match record.status {
        Status::Ok => assert!(record.rate().is_some() && record.reason.is_none(), "{record:?}"),
        Status::Failed => {
            assert!(record.result.is_none() && record.rate().is_none(), "a number was spoiled: {record:?}");
            assert!(reason.ends_with(reason_of_failure) && reason.contains(": "), "{}: {reason}", record.name.name());
            return format!("failed: {reason}");
        }
        Status::Skipped => assert!(record.result.is_none() && reason.starts_with("needs "), "{record:?}"),
        Status::Truncated | Status::Hung => panic!("{record:?}"),
    }
    "has its number".to_owned()
}

/// Fails unless a run is recorded as it went: each fault by name on stderr, marked, told by the exit code, and nothing left.
fn check_run(run: &RunRecord, said: &str, code: Option<i32>, filesystem: &Path, reason: &str) {
    run.phases.iter().for_each(|record| drop(outcome(record, reason)));
    let failed: Vec<&str> = run.phases.iter().filter(|record| record.status == Status::Failed).map(|record| record.name.name()).collect();
    assert!(failed.iter().all(|name| said.contains(&format!("{name} on {}: ", filesystem.display()))), "{failed:?} not said:\n{said}");
    assert_eq!(run.complete, run.phases.iter().all(|record| record.status == Status::Ok));
    assert_eq!(code, Some(i32::from(!failed.is_empty())), "{said}");
    assert!(scratches(filesystem).is_empty(), "{said}");
}

/// Fills a filesystem while each of some phases runs, in as many runs as that takes, and gives it back between them.
fn fill_in(kind: &str, filesystem: &Path, phases: &[Phase], work: &Work, what: impl Fn(Phase) -> Taken) {
    let others = Others::on(filesystem);
    let mut waiting = phases.to_vec();
    let mut runs = 0;
    while !waiting.is_empty() {
        runs += 1;
        assert!(runs <= MOST_RUNS, "{kind}: never in the middle of {waiting:?}");
        let desk = Desk::new();
        let mut stepped =
            Stepped::start(desk.run(User::Tester, &work.settings(), &["--runs", "1", "--pause", "100ms"]).arg(filesystem), &desk);
        let mut filled = Vec::new();
        for phase in waiting.clone() {
            let Some(share) = stepped.stop_in(phase, work, filesystem) else { continue };
            others.fill(what(phase));
            stepped.go_on_until_said(phase);
            others.leave();
            filled.push((phase, share));
        }
        let ended = stepped.finish();
        let run = desk.runs().remove(0);
        check_run(&run, &ended.stderr, ended.status.code(), filesystem, FULL);
        for (phase, share) in filled {
            let record = run.phase(phase).unwrap();
            match must(kind, phase) {
                Must::Fail => assert_eq!(record.status, Status::Failed, "{kind} {record:?}"),
                Must::Pass => assert_eq!(record.status, Status::Ok, "{kind} {record:?}"),
                Must::EitherByName => assert_ne!(record.status, Status::Skipped, "{kind} {record:?}"),
            }
            println!("{kind:<5}  {:<13}  full at {:>2.0} %  {}", phase.name(), share * 100.0, outcome(record, FULL));
            waiting.retain(|other| *other != phase);
        }
    }
    println!("{kind:<5}  {} phases in {runs} runs", phases.len());
}

fn fill_in_every_phase(kind: &'static str, mkfs: &'static str, size_mib: u64, options: &[&str]) {
    if is_missing(&[Need::Root, Need::Loop, Need::Filesystem(kind), Need::Program(mkfs)]) {
        return;
    }
    let filesystem = LoopFilesystem::with_options(kind, size_mib, options);
    // It has as many inodes as it has space, and takes long to find that there is none.
    let has_inodes = kind != "btrfs";
    fill_in(kind, filesystem.path(), Phase::STANDARD, &WORK, |phase| {
        if phase > Phase::RandomSeek && has_inodes { Taken::All } else { Taken::Space }
    });
}

#[test]
#[ignore = "needs root, loop devices"]
fn ext4_runs_full_in_every_phase() {
    fill_in_every_phase("ext4", "mkfs.ext4", 128, &["-N", "2000"]);
}

/// Its last write is cut short before the error comes.
#[test]
#[ignore = "needs root, loop devices"]
fn xfs_runs_full_in_every_phase() {
    fill_in_every_phase("xfs", "mkfs.xfs", 300, &[]);
}

#[test]
#[ignore = "needs root, loop devices"]
fn btrfs_runs_full_in_every_phase() {
    fill_in_every_phase("btrfs", "mkfs.btrfs", 200, &[]);
}

/// There is space for everything: only the inodes are gone.
#[test]
#[ignore = "needs root, loop devices"]
fn inodes_run_out_while_files_are_made() {
    if is_missing(&[Need::Root, Need::Loop, Need::Filesystem("ext4"), Need::Program("mkfs.ext4")]) {
        return;
    }
    let (ext4, tmpfs) = (LoopFilesystem::with_options("ext4", 64, &["-N", "5000"]), MemoryFilesystem::of("size=1g,nr_inodes=5000"));
    for (kind, filesystem) in [("ext4", ext4.path()), ("tmpfs", tmpfs.path())] {
        fill_in(kind, filesystem, &[Phase::SeqCreate, Phase::RandomCreate], &MANY, |_| Taken::Inodes);
    }
}

/// Its free space says nothing of what a user may have of it.
#[test]
#[ignore = "needs root, loop devices"]
fn a_quota_that_is_used_up_fails_one_phase() {
    if is_missing(&[Need::Root, Need::Loop, Need::Filesystem("btrfs"), Need::Program("mkfs.btrfs")]) {
        return;
    }
    let filesystem = LoopFilesystem::of("btrfs", 200);
    let subvolume = filesystem.path().join("limited");
    let (whole, part) = (filesystem.path().to_string_lossy(), subvolume.to_string_lossy());
    for words in [&["quota", "enable", &whole][..], &["subvolume", "create", &part], &["qgroup", "limit", "8M", &part]] {
        system("btrfs", words);
    }
    let desk = Desk::new();
    let finished = Finished::of(desk.run(User::Tester, &WORK.settings(), &["--runs", "1"]).arg(&subvolume));
    let run = desk.runs().remove(0);
    let used_up = "disk quota exceeded";
    check_run(&run, &finished.stderr, finished.status.code(), &subvolume, used_up);
    println!("quota  block_write    {}", outcome(run.phase(Phase::BlockWrite).unwrap(), used_up));
    assert_eq!(run.phase(Phase::BlockWrite).unwrap().status, Status::Failed);
    assert_eq!(run.phase(Phase::SeqStat).unwrap().status, Status::Ok);
}
