//! barrow needs little memory: its names and orders are small, its data is one pool a worker.

use super::device::{DeviceLock, MemoryFilesystem};
use super::driver::{Desk, Finished, User, through_shell};
use super::need::{Need, is_missing};
use barrow::model::phase::Phase;

const MIB: u64 = 1 << 20;

/// The largest resident set of a run in bytes, as of its last phase. A shell starts it: getrusage(2) of a process begins with what its
/// parent had, and tests have much.
fn peak_of_run(filesystem: &MemoryFilesystem, arguments: &[&str]) -> u64 {
    let desk = Desk::new();
    let mut command = desk.barrow(User::Tester, ["run", "--runs", "1", "-o"]);
    command.arg(desk.run_file()).args(arguments).arg(filesystem.path());
    Finished::of(&mut through_shell("\"$0\" \"$@\" && exit", &command)).expect_code(0);
    let runs = desk.runs();
    let peaks = runs[0].phases.iter().filter_map(|record| record.counted()).map(|counted| counted.usage.max_resident_bytes);
    let peak = peaks.max().unwrap();
    println!("{arguments:?}: {} MiB resident at most", peak / MIB);
    assert!(runs[0].complete && peak > MIB);
    let created = runs[0].phase(Phase::SeqCreate).and_then(|record| record.counted()).map(|counted| counted.work);
    assert_eq!(created, Some(runs[0].settings().unwrap().files));
    peak
}

#[test]
#[ignore = "needs root"]
fn a_million_files_need_under_150_mib() {
    if is_missing(&[Need::Root]) {
        return;
    }
    let _lock = DeviceLock::take();
    let filesystem = MemoryFilesystem::of("size=1g,nr_inodes=1100000");
    let peak = peak_of_run(&filesystem, &["--set", "file_size=0", "--set", "files=1000000"]);
    assert!(peak < 150 * MIB, "{peak} bytes");
}

#[test]
#[ignore = "needs root"]
fn the_standard_profile_needs_under_64_mib() {
    if is_missing(&[Need::Root, Need::Memory(10 << 30)]) {
        return;
    }
    let _lock = DeviceLock::take();
    let filesystem = MemoryFilesystem::of("size=5g");
    let peak = peak_of_run(&filesystem, &["-p", "std", "--set", "seek_seconds=1"]);
    assert!(peak < 64 * MIB, "{peak} bytes");
}
