//! The tests' own filesystem keeps its word: the fault that is planned comes at the call that it is planned for, and a hang ends when the
//! test says so, when the connection is aborted, and when the test fails.

use super::driver::{Finished, Running, alone};
use super::fuse::{Behaviour, Fault, FuseFilesystem, Operation, Planned};
use super::need::{Need, is_missing};
use std::process::Command;
use std::time::{Duration, Instant};

const NEEDS: [Need; 2] = [Need::Root, Need::Fuse];

/// A filesystem with one fault.
fn with_fault(operation: Operation, nth: u64, fault: Fault) -> FuseFilesystem {
    let filesystem = FuseFilesystem::of(Behaviour { passes_page_cache: true, goes_on_in_a_hang: true, ..Behaviour::default() });
    filesystem.plan(Planned { operation, round: None, nth, is_lasting: false, fault });
    filesystem
}

/// A client that does this in the root of a filesystem.
fn client(filesystem: &FuseFilesystem, script: &str) -> Command {
    let mut shell = alone("/bin/sh");
    shell.args(["-c", script]).current_dir("/").env("ROOT", filesystem.path());
    shell
}

/// One that writes two lines, of which the second hangs.
fn hanging(filesystem: &FuseFilesystem) -> Running {
    let running = Running::start(&mut client(filesystem, "echo one > $ROOT/file && echo two >> $ROOT/file && echo done"));
    filesystem.wait_for_hang();
    running
}

#[test]
#[ignore = "needs root, FUSE"]
fn a_hang_ends_when_it_is_released() {
    if is_missing(&NEEDS) {
        return;
    }
    let filesystem = with_fault(Operation::Write, 2, Fault::Hang);
    let running = hanging(&filesystem);
    // Others are answered meanwhile.
    let other = Finished::of(&mut client(&filesystem, "echo three > $ROOT/other && cat $ROOT/other"));
    assert_eq!((other.stdout.as_str(), other.stderr.as_str()), ("three\n", ""));
    filesystem.release();
    assert_eq!(running.finish().expect_code(0).stdout, "done\n");
    let befallen = filesystem.befallen();
    assert_eq!((befallen.len(), befallen[0].operation, befallen[0].name.as_str()), (1, Operation::Write, "file"));
}

#[test]
#[ignore = "needs root, FUSE"]
fn a_hang_ends_when_the_connection_is_aborted() {
    if is_missing(&NEEDS) {
        return;
    }
    // Nobody else is answered meanwhile.
    let filesystem = FuseFilesystem::of(Behaviour { passes_page_cache: true, ..Behaviour::default() });
    filesystem.plan(Planned { operation: Operation::Write, round: None, nth: 2, is_lasting: true, fault: Fault::Hang });
    let running = hanging(&filesystem);
    filesystem.abort();
    let finished = running.finish();
    assert!(!finished.status.success() && finished.stdout.is_empty(), "{finished:?}");
}

#[test]
#[ignore = "needs root, FUSE"]
fn a_hang_ends_when_the_test_fails() {
    if is_missing(&NEEDS) {
        return;
    }
    let (sender, receiver) = std::sync::mpsc::channel();
    let panicked = std::thread::spawn(move || {
        let filesystem = with_fault(Operation::Write, 2, Fault::Hang);
        sender.send(hanging(&filesystem)).unwrap();
        panic!("on purpose");
    });
    assert!(panicked.join().is_err());
    // Released, it goes on as far as it can on what is no longer mounted.
    let finished = receiver.recv().unwrap().finish();
    println!("{finished:?}");
}

/// Errors arrive as they are planned, and only where; a delay takes its time.
#[test]
#[ignore = "needs root, FUSE"]
fn faults_come_at_the_call_that_they_are_planned_for() {
    if is_missing(&NEEDS) {
        return;
    }
    let cases = [
        (Operation::Create, 2, libc::ENOSPC, "No space left on device"),
        (Operation::Write, 2, libc::EDQUOT, "Disk quota exceeded"),
        (Operation::MakeDirectory, 1, libc::EROFS, "Read-only file system"),
        // Where a name is looked up, the kernel asks a second time after ESTALE.
        (Operation::Write, 2, libc::ESTALE, "Stale file handle"),
        (Operation::Unlink, 1, libc::EPERM, "Operation not permitted"),
        (Operation::RemoveDirectory, 1, libc::EIO, "Input/output error"),
    ];
    let script = "cd $ROOT; for i in 1 2 3; do mkdir d$i; echo data | tee f$i > /dev/null; rm f$i; rmdir d$i; done";
    for (operation, nth, number, words) in cases {
        let filesystem = with_fault(operation, nth, Fault::Error(number));
        let finished = Finished::of(&mut client(&filesystem, script));
        assert!(finished.stderr.contains(words), "{operation:?}: {}", finished.stderr);
        assert_eq!(filesystem.befallen().len(), 1, "{operation:?}");
    }
    let long = Duration::from_millis(300);
    let filesystem = with_fault(Operation::Create, 3, Fault::Delay(long));
    let start = Instant::now();
    Finished::of(&mut client(&filesystem, script)).expect_code(0);
    assert!(start.elapsed() >= long);
    assert_eq!(filesystem.befallen()[0].name, "f3");
}
