//! `--user`: every right of root is given up before anything is written, and what is measured is as true as root's.

use super::device::LoopFilesystem;
use super::driver::{Desk, Finished, Running, User, alone, cache_label, listing, phase, scratches, wait_for_files, wait_until};
use super::need::{Need, is_missing};
use super::signals::LONG;
use barrow::model::label::CacheLabel;
use barrow::model::phase::Phase;
use barrow::model::record::RunRecord;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};

const NOBODY: u32 = 65534;
const SMALL: &str = "file_size=1m chunk_size=64k files=40 seeks=50 seek_seconds=0";
const MEASURED: &str = "file_size=32m files=2048 seeks=500 seek_seconds=0";
const AS_NOBODY: [&str; 2] = ["--user", "65534:65534"];

/// A directory of nobody's on a desk.
fn target_of_nobody(desk: &Desk) -> PathBuf {
    let target = desk.path("target");
    fs::create_dir(&target).unwrap();
    chown(&target, Some(NOBODY), Some(NOBODY)).unwrap();
    target
}

/// The lines of a status file of /proc, by their first word.
fn status(path: &Path) -> BTreeMap<String, String> {
    let text = fs::read_to_string(path).unwrap();
    let pairs = text.lines().filter_map(|line| line.split_once(':'));
    pairs.map(|(key, value)| (key.to_owned(), value.split_whitespace().collect::<Vec<_>>().join(" "))).collect()
}

/// Fails unless a thread is nobody, for ever.
fn assert_is_nobody(thread: &Path) {
    let status = status(&thread.join("status"));
    let expected = [
        ("Uid", "65534 65534 65534 65534"),
        ("Gid", "65534 65534 65534 65534"),
        ("Groups", ""),
        ("CapInh", "0000000000000000"),
        ("CapPrm", "0000000000000000"),
        ("CapEff", "0000000000000000"),
        ("CapBnd", "0000000000000000"),
        ("CapAmb", "0000000000000000"),
        ("NoNewPrivs", "1"),
    ];
    for (key, value) in expected {
        assert_eq!(status[key], value, "{key} of {}", thread.display());
    }
}

/// The one child of a process.
fn child_of(parent: Pid) -> Pid {
    let path = format!("/proc/{parent}/task/{parent}/children");
    let children = fs::read_to_string(path).unwrap();
    let mut numbers = children.split_whitespace().map(|number| number.parse().unwrap());
    let child = Pid::from_raw(numbers.next().expect("a child"));
    assert_eq!(numbers.next(), None, "one child");
    child
}

/// Fails unless the child that drops caches is root with nothing to its rights but its one file, in a session of its own.
fn assert_can_only_drop(child: Pid) {
    let place = PathBuf::from(format!("/proc/{child}"));
    let status = status(&place.join("status"));
    assert_eq!((status["Name"].as_str(), status["Uid"].as_str()), ("barrow-caches", "0 0 0 0"));
    assert_eq!((status["CapEff"].as_str(), status["NoNewPrivs"].as_str()), ("0000000000000000", "1"));
    let open = fs::read_dir(place.join("fd")).unwrap().map(|entry| fs::read_link(entry.unwrap().path()).unwrap());
    let mut open: Vec<String> = open.map(|path| path.display().to_string()).collect();
    open.sort_unstable();
    assert_eq!(open.len(), 3, "{open:?}");
    assert!(open.contains(&"/proc/sys/vm/drop_caches".to_owned()) && open.contains(&"anon_inode:[pidfd]".to_owned()), "{open:?}");
    assert!(open.iter().any(|path| path.starts_with("socket:")), "{open:?}");
    assert_eq!(fs::read_link(place.join("cwd")).unwrap(), Path::new("/"));
    let session = fs::read_to_string(place.join("stat")).unwrap();
    assert_eq!(session.rsplit(") ").next().unwrap().split(' ').nth(3), Some(child.to_string().as_str()), "the session: {session}");
}

fn has_ended(process: Pid) -> bool {
    // One that nobody has waited for yet is there, but has no files any more.
    fs::read_to_string(format!("/proc/{process}/stat")).map_or(true, |stat| stat.contains(") Z "))
}

#[test]
#[ignore = "needs root"]
fn every_right_is_given_up_and_a_small_child_keeps_one() {
    if is_missing(&[Need::Root]) {
        return;
    }
    let desk = Desk::new();
    let target = target_of_nobody(&desk);
    let before = listing(&target);
    let options = [&AS_NOBODY[..], &["--runs", "1"]].concat();
    let mut running = Running::start(desk.run(User::Tester, LONG, &options).arg(&target));
    wait_for_files(&mut running, &target);
    running.pause();
    let threads: Vec<PathBuf> =
        fs::read_dir(format!("/proc/{}/task", running.pid())).unwrap().map(|thread| thread.unwrap().path()).collect();
    assert!(threads.len() > 1, "{threads:?}");
    threads.iter().for_each(|thread| assert_is_nobody(thread));
    let scratch = scratches(&target).pop().unwrap();
    for path in listing(&scratch).into_keys().chain([scratch.clone()]) {
        let status = fs::metadata(&path).unwrap();
        let mode = if status.is_dir() { 0o40700 } else { 0o100_600 };
        assert_eq!((status.uid(), status.gid(), status.mode()), (NOBODY, NOBODY, mode), "{}", path.display());
    }
    let child = child_of(running.pid());
    assert_can_only_drop(child);
    // What ends programs at a terminal does not end it; its parent's end does.
    for signal in [Signal::SIGINT, Signal::SIGHUP, Signal::SIGTERM, Signal::SIGQUIT] {
        kill(child, signal).unwrap();
    }
    assert!(!has_ended(child));
    running.signal(Signal::SIGKILL);
    running.finish().expect_signal(Signal::SIGKILL);
    wait_until("the child has ended", || has_ended(child));
    // What is left is nobody's, and only with nobody's rights it is removed.
    let clean = |more: &[&str]| Finished::of(desk.barrow(User::Tester, ["clean"]).args(more).arg(&target));
    clean(&[]).expect_code(1).expect_said(&["belongs to another user", "--user"]);
    let cleaned = clean(&AS_NOBODY).expect_code(0);
    assert_eq!(cleaned.stdout, format!("removed {}\n", scratch.display()));
    assert_eq!(listing(&target), before);
}

#[test]
#[ignore = "needs root"]
fn nothing_is_written_and_no_thread_started_before() {
    if is_missing(&[Need::Root, Need::Program("strace")]) {
        return;
    }
    let desk = Desk::new();
    let target = target_of_nobody(&desk);
    let log = desk.path("log");
    let run = desk.run(User::Tester, SMALL, &[&AS_NOBODY[..], &["--runs", "1", "--no-report", "--io", "direct"]].concat());
    let mut command = alone("/usr/bin/strace");
    command.args(["-f", "-e", "trace=setresuid,openat,mkdirat,unlinkat,clone3,clone,fork,vfork", "-o"]).arg(&log);
    Finished::of(command.arg(run.get_program()).args(run.get_args()).arg(&target)).expect_code(0);
    let text = fs::read_to_string(log).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let place = |words: &[&str]| lines.iter().position(|line| words.iter().all(|word| line.contains(word)));
    let given_up = place(&["setresuid(65534, 65534, 65534)"]).expect("the user is changed");
    assert!(place(&["CLONE_THREAD"]).expect("threads are started") > given_up, "{text}");
    assert!(place(&["mkdirat", ".barrow-"]).expect("a scratch directory is made") > given_up, "{text}");
    // The look at direct I/O makes a file for a moment, which is done with the user's rights for that time.
    let acting = place(&["setresuid(-1, 65534, -1)"]).expect("the user is taken for a while");
    let back = place(&["setresuid(-1, 0, -1)"]).expect("and given back");
    let made: Vec<usize> =
        (0..given_up).filter(|line| ["O_CREAT", "O_TMPFILE", "unlinkat"].iter().any(|word| lines[*line].contains(word))).collect();
    let (by_nobody, by_root): (Vec<usize>, Vec<usize>) = made.into_iter().partition(|line| acting < *line && *line < back);
    assert!(!by_nobody.is_empty(), "{text}");
    assert!(by_root.iter().all(|line| lines[*line].contains("runs.jsonl")) && by_root.len() == 1, "{text}");
}

fn measured(desk: &Desk, options: &[&str], target: &Path) -> RunRecord {
    let options = [options, &["--runs", "1", "--no-report"]].concat();
    Finished::of(desk.run(User::Tester, MEASURED, &options).arg(target)).expect_code(0);
    desk.runs().pop().unwrap()
}

#[test]
#[ignore = "needs root, loop devices"]
fn what_is_measured_so_has_the_labels_of_root() {
    if is_missing(&[Need::Root, Need::Loop, Need::Filesystem("ext4"), Need::Program("mkfs.ext4")]) {
        return;
    }
    let filesystem = LoopFilesystem::of("ext4", 128);
    let desk = Desk::new();
    let root = measured(&desk, &[], filesystem.path());
    let nobody = measured(&desk, &AS_NOBODY, filesystem.path());
    assert_eq!((root.machine.root, nobody.machine.root), (true, false));
    for which in Phase::STANDARD {
        let (theirs, ours) = (phase(&root, *which), phase(&nobody, *which));
        let name = which.name();
        assert_eq!(ours.durable, theirs.durable, "{name}");
        assert_eq!(ours.preparation.hindrance, None, "{name}");
        assert_eq!(ours.preparation.drops > 0, which.starts_cold(), "{name}");
        assert_eq!(ours.io, theirs.io, "{name}");
        let evidence = &ours.evidence;
        assert!(evidence.own_read_bytes.is_some() && evidence.own_written_bytes.is_some() && !evidence.devices.is_empty(), "{name}");
        assert!(ours.counted().is_some_and(|counted| counted.system_busy_ns.is_some() && counted.usage.max_resident_bytes > 0), "{name}");
    }
    for which in [Phase::Rewrite, Phase::BlockRead, Phase::RandomSeek] {
        assert_eq!(cache_label(phase(&root, which)), Some(CacheLabel::Cold), "{}", which.name());
        assert_eq!(cache_label(phase(&nobody, which)), Some(CacheLabel::Cold), "{}", which.name());
    }
    // Names and inodes come from the device, which nobody's own rights could not bring about.
    let stat = phase(&nobody, Phase::SeqStat);
    assert!(stat.cache != Some(CacheLabel::Cached) && stat.evidence.own_read_bytes > Some(0), "{:?} {:?}", stat.cache, stat.evidence);
}

#[test]
#[ignore = "needs root"]
fn without_the_child_the_label_says_why() {
    if is_missing(&[Need::Root]) {
        return;
    }
    let desk = Desk::new();
    let target = target_of_nobody(&desk);
    let run = desk.run(User::Tester, SMALL, &[&AS_NOBODY[..], &["--runs", "1"]].concat());
    // In a mount namespace of its own, in which the file cannot be written.
    let closed = "mount --bind /proc/sys/vm /proc/sys/vm && mount -o remount,bind,ro /proc/sys/vm && exec \"$0\" \"$@\"";
    let mut command = alone("/usr/bin/unshare");
    command.env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin").args(["-m", "--propagation", "private", "/bin/sh", "-c", closed]);
    let finished = Finished::of(command.arg(run.get_program()).args(run.get_args()).arg(&target)).expect_code(0);
    let reason = "not root, and no child that may drop them could be had: read-only file system";
    let finished = finished.expect_said(&[reason, "stat and delete are answered from memory"]);
    assert!(finished.stdout.contains("no dentry or inode could be evicted"), "{}", finished.stdout);
    let run = desk.runs().remove(0);
    for which in [Phase::BlockRead, Phase::SeqStat] {
        let preparation = &phase(&run, which).preparation;
        assert_eq!((preparation.drops, preparation.hindrance.as_deref()), (0, Some(reason)));
    }
}

#[test]
#[ignore = "needs root"]
fn the_run_file_stays_with_who_called() {
    if is_missing(&[Need::Root]) {
        return;
    }
    let desk = Desk::new();
    let target = target_of_nobody(&desk);
    let closed = desk.path("closed");
    fs::create_dir(&closed).unwrap();
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o700)).unwrap();
    let file = closed.join("runs.jsonl");
    let mut command = desk.barrow(User::Tester, ["run", "-p", "quick", "--runs", "2", "--no-report", "-o"]);
    command.arg(&file).args(SMALL.split(' ').flat_map(|setting| ["--set", setting])).args(AS_NOBODY);
    // Every command of the user's is nobody's too.
    Finished::of(command.args(["--prepare", "test $(id -u) = 65534 && test $(id -G) = 65534"]).arg(&target)).expect_code(0);
    let loaded = barrow::store::load(&file).unwrap();
    assert_eq!((loaded.runs.len(), loaded.bad.len()), (2, 0));
    assert!(loaded.runs.iter().all(|run| run.complete));
    assert_eq!(fs::metadata(&file).unwrap().uid(), 0);
}

#[test]
#[ignore = "needs root"]
fn a_run_file_that_was_removed_meanwhile_is_made_anew_or_kept_elsewhere() {
    if is_missing(&[Need::Root]) {
        return;
    }
    let desk = Desk::new();
    let target = target_of_nobody(&desk);
    let places = ["open", "closed"].map(|name| desk.path(name));
    for (place, mode) in places.iter().zip([0o777, 0o755]) {
        fs::create_dir(place).unwrap();
        fs::set_permissions(place, fs::Permissions::from_mode(mode)).unwrap();
        let file = place.join("runs.jsonl");
        let mut command = desk.barrow(User::Tester, ["run", "-p", "quick", "--runs", "1", "--no-report", "-o"]);
        command.arg(&file).args(SMALL.split(' ').flat_map(|setting| ["--set", setting])).args(AS_NOBODY).arg(&target);
        let mut running = Running::start(command.args(["--pause", "50ms"]).env("TMPDIR", desk.path("")));
        running.wait_for_line(&["random_create"]);
        fs::remove_file(&file).unwrap();
        let finished = running.finish();
        if mode == 0o777 {
            finished.expect_code(0);
            assert_eq!(fs::metadata(&file).unwrap().uid(), NOBODY);
            assert_eq!(barrow::store::load(&file).unwrap().runs.len(), 1);
        } else {
            let finished = finished.expect_code(1).expect_said(&["cannot be opened: permission denied", "run 1 of ext4 was kept in"]);
            let line = finished.stderr.lines().find_map(|line| line.strip_prefix("barrow: run 1 of ext4 was kept in ")).unwrap().to_owned();
            let second = PathBuf::from(line.trim_end_matches(" instead"));
            let status = fs::metadata(&second).unwrap();
            assert_eq!((status.uid(), status.mode()), (NOBODY, 0o100_600));
            assert_eq!(barrow::store::load(&second).unwrap().runs.len(), 1);
        }
    }
}

#[test]
#[ignore = "needs root"]
fn who_cannot_be_another_user_is_told_so() {
    if is_missing(&[Need::Root]) {
        return;
    }
    let desk = Desk::new();
    let target = desk.path("target");
    fs::create_dir(&target).unwrap();
    let closed = desk.path("closed");
    fs::create_dir(&closed).unwrap();
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o700)).unwrap();
    let cases: [(User, &str, &Path, i32, &[&str]); 8] = [
        (User::Tester, "no such user", &target, 2, &["--user no such user: there is no user"]),
        (User::Tester, "root:no such group", &target, 2, &["there is no group"]),
        (User::Tester, "4000000000", &target, 2, &["name a group too"]),
        (User::Tester, "root:65534", &target, 2, &["has all rights of root"]),
        (User::Nobody, "root", &target, 2, &["only root can become another user"]),
        (User::Nobody, "65534:0", &target, 2, &["only root can become another user"]),
        (User::Tester, "65534:65534", &target, 1, &["--user 65534:65534", "target: cannot be written: permission denied"]),
        (User::Tester, "65534:65534", &closed, 1, &["--user 65534:65534", "closed: cannot be opened: permission denied"]),
    ];
    for (caller, user, directory, code, words) in cases {
        let finished = Finished::of(desk.run(caller, SMALL, &["--user", user]).arg(directory));
        assert_eq!(finished.expect_code(code).expect_said(words).stdout, "");
        assert!(!desk.run_file().exists(), "--user {user}: a run file was left");
    }
    for (caller, user, words) in [(User::Tester, "root", &["no right is given up"][..]), (User::Nobody, "65534:65534", &[])] {
        fs::set_permissions(&target, fs::Permissions::from_mode(0o777)).unwrap();
        let finished = Finished::of(desk.run(caller, SMALL, &["--user", user, "--runs", "1", "--drop-caches", "never"]).arg(&target));
        finished.expect_code(0).expect_said(words);
        fs::remove_file(desk.run_file()).unwrap();
    }
}
