//! Clients of a file server on real filesystems: what they count, with barrow's own mix and with Debian's loadfile of dbench.

use super::device::LoopFilesystem;
use super::driver::{Desk, Finished, User, listing, phase, scratches};
use super::need::{Need, is_missing};
use barrow::model::aftermath::Kind;
use barrow::model::phase::Phase;
use barrow::model::record::{Counted, PhaseResult, RunRecord, Status};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// Debian's loadfile, of the package dbench.
const CLIENT_TXT: &str = "/usr/share/dbench/client.txt";

/// What dbench calls the operations, and what barrow calls them: `OP_LATENCY` in child.c of dbench 4.0.
const NAMES: [(&str, &str); 17] = [
    ("NTCreateX", "create"),
    ("Close", "close"),
    ("Rename", "rename"),
    ("Unlink", "unlink"),
    ("QUERY_PATH_INFORMATION", "query_path"),
    ("QUERY_FILE_INFORMATION", "query_file"),
    ("QUERY_FS_INFORMATION", "query_filesystem"),
    ("SET_FILE_INFORMATION", "set_info"),
    ("FIND_FIRST", "find"),
    ("WriteX", "write"),
    ("ReadX", "read"),
    ("LockX", "lock"),
    ("UnlockX", "unlock"),
    ("Flush", "flush"),
    ("Mkdir", "mkdir"),
    ("Rmdir", "rmdir"),
    ("Deltree", "deltree"),
];

fn file_server(desk: &Desk, options: &[&str], target: &Path) -> Finished {
    let start = ["run", "-q", "--no-report", "-p", "fileserver", "-o"].map(OsStr::new);
    let file = desk.run_file();
    let arguments = start.into_iter().chain([file.as_os_str()]).chain(options.iter().map(OsStr::new)).chain([target.as_os_str()]);
    Finished::of(&mut desk.barrow(User::Tester, arguments))
}

fn counted(run: &RunRecord) -> &Counted {
    let record = phase(run, Phase::FileServer);
    assert_eq!(record.status, Status::Ok, "{:?}", record.reason);
    match record.result.as_ref() {
        Some(PhaseResult::Counted(counted)) => counted,
        other => panic!("{other:?}"),
    }
}

/// What every result of the phase has.
fn check(counted: &Counted) {
    let sum = |of: fn(&Kind) -> u64| counted.kinds.iter().map(of).sum::<u64>();
    assert_eq!((sum(|kind| kind.count), counted.operations, Some(sum(|kind| kind.bytes))), (counted.work, counted.work, counted.bytes));
    for kind in &counted.kinds {
        assert_eq!(kind.latency.total(), kind.count, "{}", kind.name);
        assert!(kind.max_ns > 0 && kind.average_ns().unwrap() <= kind.max_ns as f64, "{}", kind.name);
    }
}

/// Clients work for a second, each with one of these ways to flush.
fn a_second_on(kind: &'static str, mkfs: &'static str, ways: &[&str]) {
    if is_missing(&[Need::Root, Need::Loop, Need::Filesystem(kind), Need::Program(mkfs)]) {
        return;
    }
    let filesystem = LoopFilesystem::of(kind, 384);
    let desk = Desk::new();
    for (place, sync) in ways.iter().enumerate() {
        let sync = format!("sync={sync}");
        let runs = if place == 0 { "2" } else { "1" };
        let options = ["--runs", runs, "--set", "seconds=1", "--set", "warm_up=0", "--set", "clients=2", "--set", &sync];
        file_server(&desk, &options, filesystem.path()).expect_code(0);
        assert!(scratches(filesystem.path()).is_empty());
    }
    let runs = desk.runs();
    assert_eq!(runs.len(), ways.len() + 1);
    for run in &runs {
        let counted = counted(run);
        check(counted);
        assert!(counted.acknowledged_ns.unwrap() >= 1_000_000_000 && counted.elapsed_ns >= counted.acknowledged_ns.unwrap());
        println!("{kind}: {} operations, {:?} bytes in {} ms", counted.work, counted.bytes, counted.elapsed_ns / 1_000_000);
    }
    assert_eq!(runs[0].workload_id, runs[1].workload_id);
    assert!(runs[2..].iter().all(|run| run.workload_id != runs[0].workload_id));
}

#[test]
#[ignore = "needs root, loop devices"]
fn clients_work_on_ext4() {
    a_second_on("ext4", "mkfs.ext4", &["none", "open", "dirs"]);
}

#[test]
#[ignore = "needs root, loop devices"]
fn clients_work_on_xfs() {
    a_second_on("xfs", "mkfs.xfs", &["none"]);
}

#[test]
#[ignore = "needs root, loop devices"]
fn clients_work_on_btrfs() {
    a_second_on("btrfs", "mkfs.btrfs", &["none"]);
}

/// A target and a loadfile in it.
fn with_loadfile(bytes: &[u8]) -> (TempDir, String) {
    let target = tempfile::tempdir().unwrap();
    let file = target.path().join("load.txt");
    fs::write(&file, bytes).unwrap();
    let name = file.to_str().unwrap().to_owned();
    (target, name)
}

#[test]
#[ignore = "needs a directory on a disk"]
fn one_pass_of_the_own_mix_is_the_same_in_every_run() {
    let desk = Desk::new();
    let target = tempfile::tempdir().unwrap();
    file_server(&desk, &["--runs", "2", "--set", "seconds=0", "--set", "clients=3"], target.path()).expect_code(0);
    let runs = desk.runs();
    let counts = |run| counted(run).kinds.iter().map(|kind| (kind.name.clone(), kind.count, kind.bytes)).collect::<Vec<_>>();
    assert_eq!(counts(&runs[0]), counts(&runs[1]));
    assert!(runs.iter().all(|run| counted(run).work.is_multiple_of(3)));
}

#[test]
#[ignore = "needs a directory on a disk"]
fn what_cannot_be_replayed_is_refused_before_anything_is_written() {
    let good = "NTCreateX \"\\f\" 0x40 0x2 7 NT_STATUS_OK\nClose 7 NT_STATUS_OK\n";
    let cases: [(&[u8], &str); 5] = [
        (b"Mkdir \"\\..\\..\\x\" NT_STATUS_OK\n", "line 1: the name `\\..\\..\\x` may lead out of the target"),
        (b"Frobnicate 1 NT_STATUS_OK\n", "line 1: `Frobnicate` is no operation"),
        (b"QUERY_FS_INFORMATION 1 NT_STATUS_OK\n\xff\xfe\n", "line 2: is not text in UTF-8"),
        (b"QUERY_FS_INFORMATION 1 NT_STA", "line 1: ends without a status"),
        (&good.as_bytes()[..good.len() - 2], "is no status that barrow knows; is the file cut off?"),
    ];
    for (bytes, words) in cases {
        let (target, loadfile) = with_loadfile(bytes);
        let desk = Desk::new();
        file_server(&desk, &["--loadfile", &loadfile], target.path()).expect_code(2).expect_said(&[words]);
        assert_eq!(listing(target.path()).len(), 1);
        assert!(!desk.run_file().exists());
    }
    let (target, loadfile) = with_loadfile(good.as_bytes());
    let desk = Desk::new();
    let std = ["run", "-p", "std", "--loadfile", &loadfile, target.path().to_str().unwrap()];
    Finished::of(&mut desk.barrow(User::Tester, std)).expect_code(2).expect_said(&["is for file_server, and no phase of these is"]);
    file_server(&desk, &["--loadfile", "/nonexistent"], target.path()).expect_code(1).expect_said(&["loadfile /nonexistent: "]);
    file_server(&desk, &["--loadfile", "/dev/zero"], target.path()).expect_code(1).expect_said(&["is not a file"]);
}

/// The operations of a loadfile as dbench counts them: every line with an operation and a status, which is what its child.c takes for
/// one, but for the lines that only wait. Written apart from barrow's reader.
fn counted_by_lines(text: &str) -> BTreeMap<&'static str, u64> {
    let mut counts = BTreeMap::new();
    for line in text.lines() {
        let first = line.split(' ').next().unwrap_or_default();
        let is_whole = line.rsplit(' ').next().is_some_and(|status| status.starts_with("NT_STATUS_"));
        if let Some((_, name)) = NAMES.iter().find(|(name, _)| *name == first).filter(|_| is_whole) {
            *counts.entry(*name).or_default() += 1;
        }
    }
    counts
}

#[test]
#[ignore = "needs the loadfile of dbench"]
fn one_pass_of_debians_loadfile_does_what_dbench_does() {
    if is_missing(&[Need::File(CLIENT_TXT), Need::Root, Need::Filesystem("tmpfs")]) {
        return;
    }
    let expected = counted_by_lines(&fs::read_to_string(CLIENT_TXT).unwrap());
    assert!(expected.values().sum::<u64>() > 400_000, "{expected:?}");
    let memory = super::device::MemoryFilesystem::of("size=256m");
    let desk = Desk::new();
    let options = ["--runs", "1", "--set", "seconds=0", "--set", "clients=1", "--loadfile", CLIENT_TXT];
    file_server(&desk, &options, memory.path()).expect_code(0);
    let runs = desk.runs();
    let counted = counted(&runs[0]);
    check(counted);
    let found: BTreeMap<&str, u64> = counted.kinds.iter().map(|kind| (kind.name.as_str(), kind.count)).collect();
    assert_eq!(found, expected);
    println!("{} operations in {} ms", counted.work, counted.elapsed_ns / 1_000_000);
}
