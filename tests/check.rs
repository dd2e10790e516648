//! `barrow check` as a user calls it: what it prints, and that it leaves nothing, also when it is stopped.

use crate::real::driver::alone;
use barrow::target::clean::others_in;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Command;

fn check() -> Command {
    // Tests that run in the background ignore the signal that is to stop it.
    let mut command = alone(env!("CARGO_BIN_EXE_barrow"));
    command.arg("check");
    command
}

/// Scratch directories in shared memory that no living run uses.
fn dead() -> usize {
    let place = Path::new("/dev/shm");
    if place.is_dir() { others_in(&File::open(place).expect("shared memory")).expect("a listing").1 } else { 0 }
}

#[test]
fn it_tells_what_barrow_costs_and_leaves_nothing_even_when_stopped() {
    let before = dead();
    let output = check().output().expect("barrow runs");
    let text = String::from_utf8(output.stdout).expect("text");
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    for wanted in ["clock  ", "making data  ", "checking data  ", "memory ceiling  ", "of this machine"] {
        assert!(text.contains(wanted), "no `{wanted}`:\n{text}");
    }
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    assert!(dead() <= before, "something is left");
    if text.contains("were not compared") {
        return;
    }
    assert!(text.contains("delete a file") && text.contains("of one of 10 µs"), "{text}");

    let mut running = check().spawn().expect("barrow runs");
    let lines = BufReader::new(running.stdout.take().expect("a pipe")).lines();
    for line in lines.map_while(Result::ok) {
        // By the end of this line the scratch directory is there, and the loops are at work.
        if line.contains("barrow/raw") {
            let process = Pid::from_raw(i32::try_from(running.id()).expect("a process"));
            kill(process, Signal::SIGINT).expect("a signal");
        }
    }
    let status = running.wait().expect("it ends");
    assert_eq!(status.signal(), Some(Signal::SIGINT as i32), "{status:?}");
    assert!(dead() <= before, "something is left");
}
