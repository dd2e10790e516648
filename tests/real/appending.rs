//! Several barrows and one run file: nothing is lost, also when one of them is killed in between.

use super::driver::{Desk, Finished, Running, User, wait_until};
use super::signals::target;
use barrow::model::identity::Identity;
use barrow::store::{RunFile, load};
use nix::sys::signal::Signal;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::Path;

const SMALL: &str = "file_size=0 files=20";
const RUNS: u32 = 6;

#[test]
fn several_barrows_and_one_run_file_lose_nothing() {
    let desk = Desk::new();
    let start = |number: usize| {
        let target = desk.path(&format!("target {number}"));
        fs::create_dir(&target).unwrap();
        let options = ["--runs", &RUNS.to_string(), "--drop-caches", "never", "--no-report"];
        Running::start(desk.run(User::Tester, SMALL, &options).arg(target))
    };
    let mut running: Vec<Running> = (0..4).map(start).collect();
    let mut killed = running.pop().unwrap();
    killed.wait_for_line(&[" 3/", "random_delete"]);
    killed.signal(Signal::SIGKILL);
    killed.finish().expect_signal(Signal::SIGKILL);
    for living in running {
        living.finish().expect_code(0);
    }
    let loaded = load(&desk.run_file()).unwrap();
    let mut rounds: BTreeMap<Identity, Vec<u32>> = BTreeMap::new();
    for run in &loaded.runs {
        rounds.entry(run.batch).or_default().push(run.round);
    }
    let all: Vec<u32> = (1..=RUNS).collect();
    assert_eq!(rounds.values().filter(|rounds| **rounds == all).count(), 3, "{rounds:?}");
    // The fourth has what was finished when it was killed; the line that it was writing then may be torn.
    let fourth = rounds.values().find(|rounds| **rounds != all).unwrap();
    assert!(fourth.len() >= 2 && all.starts_with(fourth), "{fourth:?}");
    assert!(loaded.bad.len() <= 1, "{:?}", loaded.bad);
    println!("4 barrows, one run file, one killed: {} lines, {} torn", loaded.runs.len(), loaded.bad.len());
}

/// How often this process has a file open.
fn times_open(path: &Path) -> usize {
    let open = fs::read_dir("/proc/self/fd").unwrap().filter_map(|entry| fs::read_link(entry.unwrap().path()).ok());
    open.filter(|place| place == path).count()
}

/// Another barrow that found its new run file unused removes it while this one waits to write to it.
#[test]
fn a_run_file_that_goes_while_it_is_locked_is_made_again() {
    let desk = Desk::new();
    Finished::of(desk.run(User::Tester, SMALL, &["--runs", "1"]).arg(target(&desk))).expect_code(0);
    let run = desk.runs().pop().unwrap();
    let path = desk.path("new.jsonl");
    let mut file = RunFile::open(&path).unwrap();
    let other = File::open(&path).unwrap();
    other.lock().unwrap();
    std::thread::scope(|scope| {
        let appending = scope.spawn(|| file.append(&run));
        wait_until("it waits for the lock", || times_open(&path) == 2);
        fs::remove_file(&path).unwrap();
        drop(other);
        appending.join().unwrap().unwrap();
    });
    assert_eq!(load(&path).unwrap().runs, [run]);
}
