//! `barrow clean`: what a killed run left goes, what a living run uses and what barrow did not make stays and is named.

use super::device::{Bound, MemoryFilesystem};
use super::driver::{Desk, Finished, Running, User, listing, scratches, wait_for_files};
use super::need::{Need, is_missing};
use super::signals::{LONG, target};
use barrow::model::identity::Identity;
use barrow::target::scratch::{marker_words, scratch_name};
use nix::sys::signal::Signal;
use nix::sys::stat::Mode;
use nix::unistd::mkfifo;
use std::fs;
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::path::{Path, PathBuf};

/// A run that was killed while it made files, in a directory with something else in it; gives what it left.
fn killed_run(desk: &Desk, directory: &Path) -> PathBuf {
    let mut running = Running::start(desk.run(User::Tester, LONG, &[]).arg(directory));
    wait_for_files(&mut running, directory);
    running.signal(Signal::SIGKILL);
    running.finish().expect_signal(Signal::SIGKILL);
    scratches(directory).pop().unwrap()
}

fn clean(desk: &Desk, user: User, directory: &Path) -> Finished {
    Finished::of(desk.barrow(user, ["clean"]).arg(directory))
}

/// A directory with the mode and name of a scratch directory.
fn look_alike(directory: &Path, name: &str, mode: u32) -> PathBuf {
    let path = directory.join(name);
    fs::create_dir(&path).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    path
}

#[test]
fn what_a_killed_run_left_is_removed() {
    let desk = Desk::new();
    let target = target(&desk);
    fs::write(target.join("notes.txt"), "kept").unwrap();
    let before = listing(&target);
    let left = killed_run(&desk, &target);
    let cleaned = clean(&desk, User::Tester, &target).expect_code(0);
    assert_eq!(cleaned.stdout, format!("removed {}\n", left.display()));
    assert_eq!(listing(&target), before);
    let again = clean(&desk, User::Tester, &target).expect_code(0);
    assert!(again.stdout.contains("nothing of barrow's"), "{}", again.stdout);
}

#[test]
fn what_barrow_did_not_make_stays_and_is_named() {
    let desk = Desk::new();
    let target = target(&desk);
    let open = look_alike(&target, ".barrow-00000001", 0o755);
    fs::write(open.join("marker"), "").unwrap();
    let unmarked = look_alike(&target, ".barrow-00000002", 0o700);
    fs::write(unmarked.join("block.0"), "kept").unwrap();
    let elsewhere = look_alike(&target, "elsewhere", 0o700);
    fs::write(elsewhere.join("marker"), "").unwrap();
    fs::write(elsewhere.join("block.0"), "kept").unwrap();
    symlink(&elsewhere, target.join(".barrow-00000000")).unwrap();
    fs::write(target.join(".barrow-00000003"), "a file").unwrap();
    look_alike(&target, ".barrow-notes", 0o700);
    let before = listing(&target);
    let cleaned = clean(&desk, User::Tester, &target).expect_code(1);
    let named = [
        ".barrow-00000000: is not a directory",
        ".barrow-00000001: its mode",
        ".barrow-00000002: has no marker",
        ".barrow-00000003: is not a directory",
    ];
    let cleaned = cleaned.expect_said(&named);
    assert_eq!(cleaned.stdout, "");
    assert_eq!(listing(&target), before);
}

/// A scratch directory that a killed run could have left, but for what is put into it then.
fn forged(directory: &Path, number: u64) -> PathBuf {
    let nonce = number << 32 | 1;
    let path = look_alike(directory, scratch_name(nonce).to_str().unwrap(), 0o700);
    fs::write(path.join("marker"), marker_words("0.1.0", Identity(1), Identity(nonce))).unwrap();
    path
}

#[test]
fn what_has_other_names_or_is_no_file_stays_and_is_named() {
    let desk = Desk::new();
    let target = target(&desk);
    let elsewhere = desk.path("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    let precious = elsewhere.join("0000000000");
    fs::write(&precious, "precious").unwrap();
    fs::hard_link(&precious, forged(&target, 1).join("block.0")).unwrap();
    mkfifo(&forged(&target, 2).join("block.0"), Mode::S_IRWXU).unwrap();
    symlink(&precious, forged(&target, 3).join("block.0")).unwrap();
    symlink(&elsewhere, forged(&target, 4).join("sequential.0.0")).unwrap();
    let set = forged(&target, 5).join("random.0.0");
    fs::create_dir(&set).unwrap();
    fs::hard_link(&precious, set.join("0000000000")).unwrap();
    // Markers that are something else; the second one is as barrow writes it, but has another name too.
    let markers = [6, 7, 8, 9].map(|number| forged(&target, number).join("marker"));
    fs::rename(&markers[0], elsewhere.join("marker")).unwrap();
    symlink(elsewhere.join("marker"), &markers[0]).unwrap();
    fs::hard_link(&markers[1], elsewhere.join("other marker")).unwrap();
    fs::remove_file(&markers[2]).unwrap();
    mkfifo(&markers[2], Mode::S_IRWXU).unwrap();
    fs::write(&markers[3], fs::read_to_string(&markers[3]).unwrap() + &" ".repeat(300)).unwrap();
    // Nothing of barrow's has such a name.
    look_alike(&target, ".BARROW-0000000A", 0o700);
    let before = (listing(&target), listing(&elsewhere));
    let cleaned = clean(&desk, User::Tester, &target).expect_code(1);
    for number in 1..=4 {
        assert!(cleaned.stderr.contains(&format!(".barrow-0000000{number}/")), "{}", cleaned.stderr);
    }
    assert_eq!(cleaned.stderr.matches(": not made by barrow").count(), 5, "{}", cleaned.stderr);
    assert_eq!(cleaned.stderr.matches("its marker is not barrow's").count(), 4, "{}", cleaned.stderr);
    assert_eq!(cleaned.stderr.lines().count(), 9, "{}", cleaned.stderr);
    assert_eq!((listing(&target), listing(&elsewhere)), before);
}

#[test]
#[ignore = "needs root"]
fn what_is_mounted_in_it_stays_and_is_named() {
    if is_missing(&[Need::Root]) {
        return;
    }
    let desk = Desk::new();
    let memory = MemoryFilesystem::of("size=8m");
    let target = target(&desk);
    let (set, file) = (forged(&target, 1).join("sequential.0.0"), forged(&target, 2).join("block.0"));
    fs::create_dir(&set).unwrap();
    fs::write(&file, "").unwrap();
    let (their_set, their_file) = (memory.path().join("0000000000"), memory.path().join("0000000001"));
    fs::write(&their_set, "precious").unwrap();
    fs::write(&their_file, "precious").unwrap();
    let _mounts = [Bound::on(&set, memory.path()), Bound::on(&file, &their_file)];
    let words = ["sequential.0.0: another filesystem is mounted there", "block.0: "];
    clean(&desk, User::Tester, &target).expect_code(1).expect_said(&words);
    for path in [their_set, their_file, set.join("0000000000"), file] {
        assert_eq!(fs::read_to_string(&path).unwrap(), "precious", "{}", path.display());
    }
}

#[test]
fn a_stranger_among_what_was_left_stays_and_is_named() {
    let desk = Desk::new();
    let target = target(&desk);
    let left = killed_run(&desk, &target);
    fs::write(left.join("thesis.tex"), "kept").unwrap();
    symlink(desk.path("nowhere"), left.join("sequential.0.0/00000000ff")).unwrap_or_default();
    symlink(desk.path("nowhere"), left.join("random.0.0")).unwrap();
    let cleaned = clean(&desk, User::Tester, &target).expect_code(1);
    let cleaned = cleaned.expect_said(&["thesis.tex: not made by barrow", "random.0.0: not made by barrow"]);
    assert_eq!(cleaned.stdout, "");
    assert_eq!(fs::read(left.join("thesis.tex")).unwrap(), b"kept");
    assert!(left.join("marker").exists() && !left.join("block.0").exists());
    assert!(left.join("random.0.0").is_symlink());
}

#[test]
fn a_living_run_is_left_alone_and_named() {
    let desk = Desk::new();
    let target = target(&desk);
    let mut running = Running::start(desk.run(User::Tester, LONG, &[]).arg(&target));
    wait_for_files(&mut running, &target);
    running.pause();
    let living = scratches(&target).pop().unwrap();
    let before = listing(&target);
    let cleaned = clean(&desk, User::Tester, &target).expect_code(0);
    assert_eq!(cleaned.stdout, format!("left {}: a running barrow uses it\n", living.display()));
    assert_eq!(listing(&target), before);
    running.resume();
    running.signal(Signal::SIGTERM);
    running.finish().expect_signal(Signal::SIGTERM);
    assert!(scratches(&target).is_empty());
}

#[test]
#[ignore = "needs root"]
fn what_belongs_to_another_user_stays_and_is_named() {
    if is_missing(&[Need::Root]) {
        return;
    }
    let desk = Desk::new();
    let target = target(&desk);
    let left = killed_run(&desk, &target);
    for path in [left.clone(), left.join("marker")] {
        chown(path, Some(65534), Some(65534)).unwrap();
    }
    let before = listing(&target);
    let cleaned = clean(&desk, User::Tester, &target).expect_code(1).expect_said(&["belongs to another user"]);
    assert_eq!(cleaned.stdout, "");
    assert_eq!(listing(&target), before);
    chown(&left, Some(0), Some(0)).unwrap();
    clean(&desk, User::Nobody, &target).expect_code(1).expect_said(&["belongs to another user"]);
    assert_eq!(scratches(&target), [left]);
}
