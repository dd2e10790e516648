//! Kills of what is no run: of `barrow clean` itself, of a report, of the question about direct I/O, and of a run whose command runs.

use super::driver::{Desk, Finished, OnDrop, Running, User, alone, listing, quick_target, scratches, wait_until};
use super::need::{Need, is_missing};
use super::traced::{Traced, moments};
use barrow::model::machine::FilesystemClass;
use barrow::target::clean::{Found, clean};
use barrow::target::ground::{Ground, Site};
use barrow::target::plain::PlainGround;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

/// Runs that begin beside a clean.
const BEGINNINGS: u64 = 3000;
const TINY: &str = "file_size=16k chunk_size=4k seeks=2 seek_seconds=0 files=4";

fn cleaned(desk: &Desk, directory: &Path) -> Finished {
    Finished::of(desk.barrow(User::Tester, ["clean"]).arg(directory))
}

/// A command that strace(1) disturbs, as its words say.
fn disturbed(words: &[&str], command: &Command) -> Command {
    let mut strace = alone("/usr/bin/strace");
    strace.args(["-f", "-o", "/dev/null"]).args(words).arg(command.get_program()).args(command.get_args());
    strace
}

/// From the making of a scratch directory to the lock on its marker there are some calls: cleaning goes on beside many runs that begin
/// and end.
#[test]
fn clean_leaves_runs_that_begin_alone() {
    let home = quick_target();
    let target = home.path();
    let before = listing(target);
    let mut ground = PlainGround::of(File::open(target).unwrap(), target.to_owned(), Site::of_class(FilesystemClass::Other));
    let is_over = AtomicBool::new(false);
    let (live, removed) = std::thread::scope(|scope| {
        let over = OnDrop(&is_over);
        let cleaner = scope.spawn(|| {
            let (mut live, mut removed) = (0, 0);
            while !is_over.load(Ordering::Relaxed) {
                for (place, what) in clean(target).unwrap() {
                    match what {
                        Found::Live => live += 1,
                        // Its run had not locked it yet, and makes it again.
                        Found::Removed => removed += 1,
                        Found::Left(reasons) => panic!("{}: {reasons:?}", place.display()),
                    }
                }
            }
            (live, removed)
        });
        for nonce in 0..BEGINNINGS {
            ground.take(nonce << 32, 1).unwrap();
            assert!(target.join(format!(".barrow-{nonce:08x}/marker")).exists(), "a living run's directory was removed");
            assert_eq!(ground.give_back(), [""; 0]);
        }
        drop(over);
        cleaner.join().unwrap()
    });
    assert_eq!(listing(target), before);
    assert!(live > 0, "it was never looked at");
    println!("clean beside {BEGINNINGS} runs that begin: left a living one alone {live} times, came before its lock {removed} times");
}

#[test]
#[ignore = "needs strace"]
fn a_killed_clean_is_finished_by_the_next() {
    if is_missing(&[Need::Program("strace")]) {
        return;
    }
    let desk = Desk::new();
    let home = quick_target();
    let target = home.path();
    let before = listing(target);
    let mut traced = Traced::start(&desk, target, &[]);
    let middle = moments().into_iter().find(|moment| moment.name == "middle of seq_create").unwrap();
    traced.reach(&middle);
    traced.signal(Signal::SIGKILL);
    traced.finish().expect_signal(Signal::SIGKILL);
    let mut command = desk.barrow(User::Tester, ["clean"]);
    command.arg(target);
    let mut kills = 0;
    loop {
        // Some files, and at the last the directories and the marker.
        let nth = if kills < 5 { 10 } else { 2 };
        let words = ["-e", "trace=unlinkat", "-e", &format!("inject=unlinkat:signal=SIGKILL:when={nth}")];
        let finished = Finished::of(&mut disturbed(&words, &command));
        if finished.status.code().is_some() {
            finished.expect_code(0);
            break;
        }
        finished.expect_signal(Signal::SIGKILL);
        kills += 1;
    }
    assert!(kills > 10, "{kills}");
    cleaned(&desk, target).expect_code(0);
    assert_eq!(listing(target), before);
    println!("SIGKILL of clean: {kills} times, each gone on with by the next; the directory is as before the run");
}

#[test]
#[ignore = "needs strace"]
fn what_a_killed_report_left_is_removed() {
    if is_missing(&[Need::Program("strace")]) {
        return;
    }
    let desk = Desk::new();
    let home = quick_target();
    let target = home.path();
    Finished::of(desk.run(User::Tester, TINY, &["--runs", "1", "--drop-caches", "never"]).arg(target)).expect_code(0);
    let report = target.join("report.txt");
    fs::write(&report, "the old one").unwrap();
    let before = listing(target);
    let mut command = desk.barrow(User::Tester, ["report", "-o"]);
    command.arg(&report).arg(desk.run_file());
    for signal in ["SIGKILL", "SIGTERM"] {
        let words = ["-e", "trace=fsync", "-e", &format!("inject=fsync:signal={signal}:when=1")];
        Finished::of(&mut disturbed(&words, &command)).expect_signal(signal.parse().unwrap());
        assert_eq!(scratches(target).len(), 1);
        assert_eq!(fs::read_to_string(&report).unwrap(), "the old one");
        let cleaned = cleaned(&desk, target).expect_code(0);
        assert!(cleaned.stdout.contains("removed ") && cleaned.stdout.contains("/.barrow-report-"), "{}", cleaned.stdout);
        assert_eq!(listing(target), before);
    }
}

#[test]
fn what_only_looks_like_a_half_report_stays() {
    let desk = Desk::new();
    let home = quick_target();
    let target = home.path();
    let name = |letters: &str| target.join(format!(".barrow-report-{letters}"));
    symlink(desk.path("nowhere"), name("aaaaaa")).unwrap();
    fs::create_dir(name("bbbbbb")).unwrap();
    fs::write(name("cccccc"), "two names").unwrap();
    fs::hard_link(name("cccccc"), target.join("the other name")).unwrap();
    fs::write(name("toolong"), "kept").unwrap();
    let writer = File::create(name("dddddd")).unwrap();
    writer.lock().unwrap();
    let before = listing(target);
    let left = cleaned(&desk, target).expect_code(1);
    let left = left.expect_said(&[
        ".barrow-report-aaaaaa: ",
        ".barrow-report-bbbbbb: is no plain file",
        ".barrow-report-cccccc: is no plain file",
    ]);
    assert_eq!(left.stdout, format!("left {}: a running barrow uses it\n", name("dddddd").display()));
    assert_eq!(listing(target), before);
}

/// Where there are no files without a name, the question about direct I/O is asked in a scratch directory.
#[test]
#[ignore = "needs strace"]
fn a_killed_question_about_direct_io_leaves_what_clean_knows() {
    if is_missing(&[Need::Program("strace")]) {
        return;
    }
    let desk = Desk::new();
    let home = quick_target();
    let target = home.path();
    let before = listing(target);
    let mut command = desk.run(User::Tester, TINY, &["--runs", "1", "--drop-caches", "never", "--io", "direct"]);
    command.arg(target);
    let path = target.to_string_lossy().into_owned();
    // Only calls on the target itself count: it is opened, and then opens a file without a name.
    let nameless = ["-P", &path, "-e", "trace=openat,mkdirat,unlinkat", "-e"];
    for (call, left) in [("mkdirat", None), ("unlinkat", Some(1))] {
        let words = ["inject=openat:error=EOPNOTSUPP:when=2", "-e", &format!("inject={call}:signal=SIGKILL:when=1")];
        Finished::of(&mut disturbed(&[&nameless[..], &words[..]].concat(), &command)).expect_signal(Signal::SIGKILL);
        assert!(left.is_none_or(|left| scratches(target).len() == left));
        assert!(!desk.run_file().exists(), "it had come further");
        cleaned(&desk, target).expect_code(0);
        assert_eq!(listing(target), before);
    }
}

/// A file that a command of the user's writes its number to.
fn number_in(path: &Path) -> Pid {
    let mut number = None;
    wait_until("the command runs", || {
        number = fs::read_to_string(path).ok().and_then(|text| text.strip_suffix('\n')?.parse().ok());
        number.is_some()
    });
    Pid::from_raw(number.unwrap())
}

/// Whether a process is no more; one that nobody has fetched yet does nothing.
fn is_gone(process: Pid) -> bool {
    match fs::read_to_string(format!("/proc/{process}/stat")) {
        Ok(stat) => stat.rsplit(") ").next().is_some_and(|rest| rest.starts_with('Z')),
        Err(_) => true,
    }
}

/// A run in whose second phase the user's command runs; gives the numbers of the shell and of what it started.
fn run_with_a_command(desk: &Desk, target: &Path) -> (Running, [Pid; 2]) {
    let (shell, child): (PathBuf, PathBuf) = (desk.path("shell"), desk.path("child"));
    let command = format!("sleep 600 & echo $! > {}; echo $$ > {}; wait", child.display(), shell.display());
    let options = ["--runs", "1", "--drop-caches", "never", "--prepare", &command];
    let running = Running::start(desk.run(User::Tester, TINY, &options).arg(target).env("PATH", "/usr/bin:/bin"));
    let numbers = [number_in(&shell), number_in(&child)];
    (running, numbers)
}

#[test]
fn a_signal_while_the_command_runs_ends_the_command_too() {
    for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP, Signal::SIGKILL] {
        let desk = Desk::new();
        let home = quick_target();
        let target = home.path();
        let before = listing(target);
        let (running, [shell, child]) = run_with_a_command(&desk, target);
        let living = scratches(target).pop().unwrap();
        let beside = cleaned(&desk, target).expect_code(0);
        assert_eq!(beside.stdout, format!("left {}: a running barrow uses it\n", living.display()));
        running.signal(signal);
        running.finish().expect_signal(signal);
        wait_until("the shell is gone", || is_gone(shell));
        if signal == Signal::SIGKILL {
            // Nobody is there to end what the shell had started.
            kill(child, Signal::SIGKILL).unwrap();
            assert!(cleaned(&desk, target).expect_code(0).stdout.starts_with("removed "));
        } else {
            wait_until("what it started is gone", || is_gone(child));
            assert_eq!(desk.runs().len(), 1);
        }
        assert_eq!(listing(target), before);
    }
}

/// While the command runs nothing is locked, so that it may unmount the filesystem; the scratch directory is known to be in use all
/// the same.
#[test]
fn clean_leaves_a_run_whose_command_runs_alone() {
    let desk = Desk::new();
    let home = quick_target();
    let target = home.path();
    let options = ["--runs", "3", "--drop-caches", "never", "--no-report", "--prepare", "true"];
    let mut command = desk.run(User::Tester, TINY, &options);
    command.arg(target).env("PATH", "/usr/bin:/bin");
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let over = OnDrop(&is_over);
        let cleaner = scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                let found = clean(target).unwrap();
                assert!(!found.iter().any(|(_, what)| matches!(what, Found::Left(_))), "{found:?}");
            }
        });
        let finished = Finished::of(&mut command);
        drop(over);
        cleaner.join().unwrap();
        finished.expect_code(0);
    });
    assert!(desk.runs().len() == 3 && desk.runs().iter().all(|run| run.complete));
}
