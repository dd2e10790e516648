//! `barrow clean` on what a killed lab left: its images, what is mounted from them here, and what others still use.

use super::device::system;
use super::driver::wait_until;
use super::lab_ground::{Bench, Guest, device_on, image_in, is_whole, variant};
use crate::allocation::is_alone;
use barrow::lab::Lab;
use barrow::lab::clean::clean;
use barrow::sys::loop_device::standing_on;
use barrow::sys::random::random_u64;
use barrow::target::clean::Found;
use barrow::target::ground::Ground;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

/// The directory for the images of the child.
const DIRECTORY: &str = "BARROW_LAB_DIRECTORY";
const READY: &str = "the lab is there";

/// Holds a lab until it is killed.
#[test]
#[ignore = "needs a process of its own: started by the other tests of this file"]
fn alone_in_its_process() {
    let (true, Some(directory)) = (is_alone(), std::env::var_os(DIRECTORY)) else { return };
    let variants = [variant(Path::new(&directory), "ext4", 64)];
    let lab = Lab::begin(&variants, random_u64().unwrap(), Arc::default(), &mut |_| ()).unwrap();
    let mut ground = lab.ground(&variants[0]).unwrap();
    println!("{:?}", ground.take(1 << 32, 1));
    println!("{READY}");
    loop {
        std::thread::park();
    }
}

/// A process that has a filesystem of its lab mounted, where only it sees it.
fn lab_holder(bench: &Bench) -> Guest {
    let this = std::env::current_exe().unwrap();
    let mut command = Command::new("unshare");
    command.args(["--mount", "--propagation", "private"]).arg(this);
    command.args(["--exact", "real::lab_clean::alone_in_its_process", "--ignored", "--nocapture", "--test-threads=1"]);
    command.env("BARROW_ALONE", "1").env(DIRECTORY, bench.path()).stdin(Stdio::null()).stdout(Stdio::piped());
    let mut guest = Guest(command.spawn().unwrap());
    let mut said = Vec::new();
    for line in BufReader::new(guest.0.stdout.take().unwrap()).lines() {
        said.push(line.unwrap());
        if said.last().is_some_and(|line| line == READY) {
            return guest;
        }
    }
    panic!("it ended before: {said:?}");
}

fn home_of(image: &Path) -> PathBuf {
    image.parent().unwrap().to_owned()
}

fn cleaned(bench: &Bench) -> Vec<(PathBuf, Found)> {
    clean(&bench.path().canonicalize().unwrap()).unwrap()
}

#[test]
#[ignore = "needs root, loop"]
fn a_killed_lab_leaves_only_what_clean_removes() {
    let Some(bench) = Bench::new(&["mkfs.ext4", "unshare"]) else { return };
    let holder = lab_holder(&bench);
    let image = image_in(bench.path());
    assert!(is_whole(&image));
    device_on(&image);
    assert_eq!(cleaned(&bench), [(home_of(&image), Found::Live)]);
    drop(holder);
    assert_eq!(cleaned(&bench), [(home_of(&image), Found::Removed)]);
    assert_eq!(cleaned(&bench), []);
    bench.assert_nothing_left();
}

#[test]
#[ignore = "needs root, loop"]
fn what_is_mounted_here_from_a_dead_lab_is_unmounted() {
    let Some(bench) = Bench::new(&["mkfs.ext4", "unshare"]) else { return };
    let place = tempfile::tempdir().unwrap();
    let holder = lab_holder(&bench);
    let image = image_in(bench.path());
    let path = place.path().to_string_lossy();
    system("mount", &["-t", "ext4", &device_on(&image), &path]);
    system("mount", &["--bind", &path, &path]);
    drop(holder);
    // It would go by itself if nothing were mounted.
    assert_eq!(standing_on(&image).len(), 1);
    assert_eq!(cleaned(&bench), [(home_of(&image), Found::Removed)]);
    bench.assert_nothing_left();
    assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 0);
}

#[test]
#[ignore = "needs root, loop"]
fn what_is_mounted_elsewhere_from_a_dead_lab_stays_and_is_named() {
    let Some(bench) = Bench::new(&["mkfs.ext4", "unshare"]) else { return };
    let place = tempfile::tempdir().unwrap();
    let holder = lab_holder(&bench);
    let image = image_in(bench.path());
    let script = format!("mount -t ext4 {} {} && exec sleep 600", device_on(&image), place.path().display());
    let guest = Guest::of(Command::new("unshare").args(["--mount", "--propagation", "private", "sh", "-c", &script]));
    guest.wait_until_it_is("sleep");
    drop(holder);
    let found = cleaned(&bench);
    let who = format!("process {} (sleep)", guest.0.id());
    assert!(matches!(&found[..], [(_, Found::Left(reasons))] if reasons.len() == 1 && reasons[0].contains(&who)), "{found:?}");
    assert!(is_whole(&image));
    drop(guest);
    wait_until("it is removed", || cleaned(&bench) == [(home_of(&image), Found::Removed)]);
    bench.assert_nothing_left();
}
