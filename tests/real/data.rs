//! What is written is what was asked for: a compressing filesystem saves the share that is zeros, and direct I/O is aligned as the
//! filesystem wishes.

use super::device::{DeviceLock, LoopFilesystem, MemoryFilesystem, Recipe};
use super::driver::{Desk, Finished, User, scratches};
use super::need::{Need, is_missing};
use barrow::model::machine::{AlignmentSource, FilesystemClass};
use barrow::model::phase::Phase;
use barrow::model::plan::{Circumstances, Plan};
use barrow::model::profile::Profile;
use barrow::phases::{self, Job, Stamps, Stop, Survey};
use barrow::rng::GENERATOR;
use barrow::sys::direct::Answer;
use barrow::sys::files::open_directory_path;
use barrow::target::Target;
use barrow::target::direct::ask;
use barrow::target::real::RealTarget;
use std::fs::File;
use std::path::Path;
use std::sync::atomic::AtomicBool;

const FILE_MIB: u64 = 256;

/// A plan of one block file with these changes.
fn plan(changes: &[(&str, &str)]) -> Plan {
    let size = format!("{FILE_MIB}m");
    let all = [("file_size", size.as_str()), ("files", "0")];
    let changes: Vec<_> = all.iter().chain(changes).map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    let profile = Profile::named("quick", 0).unwrap().changed(&changes, 0).unwrap();
    Plan::of(&profile, GENERATOR, Circumstances::WITHOUT_DROPS).unwrap()
}

/// Does one phase, without a clock.
fn do_phase(phase: Phase, plan: &Plan, target: &dyn Target) {
    let (interrupted, stamps) = (AtomicBool::new(false), Stamps { nonce: 7, earlier: Vec::new() });
    let stop = Stop::of(&interrupted);
    let job = Job { plan, target, stamps: &stamps, stop: &stop };
    let mut timed = phases::prepare(phase, job, &Survey::new()).unwrap();
    for (work, tally) in &mut timed.workers {
        tally.start(target.now_ns());
        work(tally).unwrap();
    }
    target.flush().unwrap();
}

/// The share of the bytes of a phase that reached the device, in per cent.
fn share_on_device(filesystem: &LoopFilesystem, phase: Phase, plan: &Plan, target: &dyn Target) -> f64 {
    let before = filesystem.traffic().written;
    do_phase(phase, plan, target);
    (filesystem.traffic().written - before) as f64 * 100.0 / (FILE_MIB << 20) as f64
}

#[test]
#[ignore = "needs root, loop devices"]
fn a_compressing_filesystem_writes_the_share_that_is_not_compressible() {
    if is_missing(&[Need::Root, Need::Loop, Need::Filesystem("btrfs"), Need::Program("mkfs.btrfs")]) {
        return;
    }
    let filesystem = LoopFilesystem::made(&Recipe { mount: "compress=zstd", ..Recipe::of("btrfs", 4 * FILE_MIB) });
    let target = RealTarget::of(open_directory_path(filesystem.path()).unwrap(), FilesystemClass::Block);
    // zstd takes each piece of 128 KiB to 51 %, which is 52 % in whole blocks. Before, btrfs looks at 16 bytes of each 256 and so at every
    // stamp, which makes some pieces seem random: about one in seven is left as it is.
    for (compressible, least, most) in [("0", 97.0, 110.0), ("50", 50.0, 72.0), ("100", 0.5, 15.0)] {
        // Duplicates stand further apart than btrfs looks, so they are no easier to compress.
        for dedupe in ["0", "50"] {
            let plan = plan(&[("compressible", compressible), ("dedupe", dedupe)]);
            for phase in [Phase::BlockWrite, Phase::Rewrite] {
                let share = share_on_device(&filesystem, phase, &plan, &target);
                println!("compressible {compressible:>3}, dedupe {dedupe:>2}: {share:5.1} % of {} on the device", phase.name());
                assert!((least..most).contains(&share), "{share} % is not in {least} to {most}");
            }
            do_phase(Phase::BlockRead, &plan, &target);
            std::fs::remove_file(filesystem.path().join("block.0")).unwrap();
            target.flush().unwrap();
        }
    }
}

/// What a filesystem says to direct I/O.
fn asked(directory: &Path) -> Answer {
    ask(&File::open(directory).unwrap(), directory, FilesystemClass::Other).unwrap()
}

/// One run with direct I/O, whose record says how that was aligned.
fn direct_run(directory: &Path) -> Option<AlignmentSource> {
    let Answer::Takes(found) = asked(directory) else { return None };
    println!("{}: {found:?}", directory.display());
    assert!(found.memory_alignment <= 4096 && found.offset_alignment <= 4096, "{found:?}");
    let desk = Desk::new();
    let settings = "file_size=64m files=16 max_size=3000 seeks=100 seek_seconds=0";
    Finished::of(desk.run(User::Tester, settings, &["--runs", "1", "--io", "direct"]).arg(directory)).expect_code(0);
    let runs = desk.runs();
    assert_eq!(runs[0].direct_io, Some(found));
    assert!(runs[0].complete);
    // The least that goes is what was found, and nothing less.
    let least = found.offset_alignment;
    let sizes = format!("file_size=1m files=0 seeks=10 seek_seconds=0 chunk_size={least} seek_size={least}");
    Finished::of(desk.run(User::Tester, &sizes, &["--runs", "1", "--io", "direct"]).arg(directory)).expect_code(0);
    if least > 512 {
        let sizes = "file_size=1m files=0 seek_size=512";
        let refused = Finished::of(desk.run(User::Tester, sizes, &["--runs", "1", "--io", "direct"]).arg(directory)).expect_code(1);
        refused.expect_said(&["seek_size = 512 is not a multiple of ", "--io buffered"]);
        assert!(scratches(directory).is_empty());
    }
    assert_eq!(std::fs::read_dir(directory).unwrap().filter(|entry| hidden(entry.as_ref().unwrap())).count(), 0);
    Some(found.source)
}

fn hidden(entry: &std::fs::DirEntry) -> bool {
    entry.file_name().to_string_lossy().starts_with(".barrow")
}

fn direct_on_a_device(kind: &'static str, mkfs: &'static str) {
    if is_missing(&[Need::Root, Need::Loop, Need::Filesystem(kind), Need::Program(mkfs)]) {
        return;
    }
    let filesystem = LoopFilesystem::of(kind, 384);
    let source = direct_run(filesystem.path()).unwrap_or_else(|| panic!("{kind} takes direct I/O"));
    if kind == "ext4" || kind == "xfs" {
        // Both tell since Linux 6.1.
        let old = barrow::sys::machine::this_machine(false).kernel.is_some_and(|kernel| is_before_6_1(&kernel));
        assert!(source == AlignmentSource::Statx || old, "{kind}");
    }
}

/// Whether `Linux 5.15.0` is older than 6.1.
fn is_before_6_1(kernel: &str) -> bool {
    let mut numbers = kernel.trim_start_matches("Linux ").split('.').map(|part| part.parse::<u32>().unwrap_or(0));
    (numbers.next(), numbers.next()) < (Some(6), Some(1))
}

#[test]
#[ignore = "needs root, loop devices"]
fn direct_io_is_aligned_on_ext4() {
    direct_on_a_device("ext4", "mkfs.ext4");
}

#[test]
#[ignore = "needs root, loop devices"]
fn direct_io_is_aligned_on_xfs() {
    direct_on_a_device("xfs", "mkfs.xfs");
}

#[test]
#[ignore = "needs root, loop devices"]
fn direct_io_is_aligned_on_btrfs() {
    direct_on_a_device("btrfs", "mkfs.btrfs");
}

#[test]
#[ignore = "needs root"]
fn direct_io_is_taken_in_memory() {
    if is_missing(&[Need::Root]) {
        return;
    }
    let _lock = DeviceLock::take();
    let filesystem = MemoryFilesystem::of("size=256m");
    // Older kernels refuse it there, which is said before anything is measured.
    if direct_run(filesystem.path()).is_none() {
        let desk = Desk::new();
        let refused = Finished::of(desk.run(User::Tester, "file_size=1m files=0", &["--io", "direct"]).arg(filesystem.path()));
        refused.expect_code(1).expect_said(&["takes no direct I/O", "--io buffered"]);
    }
}

/// ext4 with all data in its journal opens a file with `O_DIRECT`, but says by statx(2) that it takes no direct I/O.
#[test]
#[ignore = "needs root, loop devices"]
fn a_filesystem_without_direct_io_is_refused_before_anything_is_measured() {
    if is_missing(&[Need::Root, Need::Loop, Need::Filesystem("ext4"), Need::Program("mkfs.ext4")]) {
        return;
    }
    let filesystem = LoopFilesystem::made(&Recipe { mount: "data=journal", ..Recipe::of("ext4", 384) });
    let answer = asked(filesystem.path());
    println!("ext4 with data=journal: {answer:?}");
    assert!(matches!(answer, Answer::Refuses(_)), "{answer:?}");
    let desk = Desk::new();
    let refused = Finished::of(desk.run(User::Tester, "file_size=1m files=0", &["--io", "direct"]).arg(filesystem.path()));
    refused.expect_code(1).expect_said(&["this filesystem takes no direct I/O (", "--io buffered"]);
    assert!(desk.runs().is_empty() && scratches(filesystem.path()).is_empty());
}
