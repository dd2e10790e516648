//! `barrow bonnie` beside Bonnie++ itself: the same files, bytes and seeks for the same options, and rows that its own tools read.

use super::driver::{Finished, alone};
use super::need::{Need, is_missing};
use std::path::Path;
use std::process::Command;

/// What a program did to the files below a directory.
#[derive(Debug, PartialEq, Eq)]
struct Deeds {
    /// Bytes read from the large file, and written to it.
    moved: [u64; 2],
    /// Small files made, asked for and removed.
    files: [usize; 3],
}

/// Runs a program under strace(1) and adds up what it did. The large file is the one that is read and written in chunks.
fn deeds(program: &mut Command, large: &str) -> Deeds {
    let desk = tempfile::tempdir().unwrap();
    let log = desk.path().join("calls");
    let mut strace = alone("/usr/bin/strace");
    strace.args(["-f", "-y", "-s", "0", "-e", "trace=read,write,pread64,pwrite64,openat,stat,newfstatat,unlink,unlinkat", "-o"]).arg(&log);
    // It looks for the program where the shell of root would.
    strace.env("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
    strace.arg(program.get_program()).args(program.get_args());
    Finished::of(&mut strace).expect_code(0);
    let calls = String::from_utf8_lossy(&std::fs::read(&log).unwrap()).into_owned();
    let is_of_large = |line: &str| line.split(',').next().is_some_and(|first| first.contains(large));
    let result = |line: &str| line.rsplit("= ").next().and_then(|count| count.parse::<u64>().ok()).unwrap_or(0);
    let named = |line: &str, names: &[&str]| names.iter().any(|name| line.contains(&format!(" {name}(")));
    let moved = |names: [&str; 2]| calls.lines().filter(|line| is_of_large(line) && named(line, &names)).map(result).sum();
    // Names of small files have ten hexadecimal digits at one end.
    let is_small = |line: &str| {
        let name = line.split('"').nth(1).unwrap_or_default().rsplit('/').next().unwrap_or_default();
        let is_number =
            |part: Option<&str>| part.is_some_and(|part| part.bytes().all(|byte| byte.is_ascii_hexdigit()) && part.starts_with("0000"));
        is_number(name.get(..10)) || is_number(name.len().checked_sub(10).and_then(|start| name.get(start..)))
    };
    let is_done = |line: &&str| line.ends_with("= 0") || line.contains("O_CREAT");
    let files = |names: [&str; 2], with: &str| {
        calls.lines().filter(|line| is_small(line) && named(line, &names) && line.contains(with)).filter(is_done).count()
    };
    Deeds {
        moved: [moved(["read", "pread64"]), moved(["write", "pwrite64"])],
        files: [files(["openat", "creat"], "O_CREAT"), files(["stat", "newfstatat"], ""), files(["unlink", "unlinkat"], "")],
    }
}

fn with_options(mut program: Command, directory: &Path) -> Command {
    program.arg("-d").arg(directory).args(["-q", "-f", "-u", "root", "-s", "16:8k:500:1", "-n", "1:0:0:2", "-r", "8", "-m", "box"]);
    program
}

fn barrow() -> Command {
    let mut barrow = Command::new(env!("CARGO_BIN_EXE_barrow"));
    barrow.args(["bonnie", "--drop-caches=never"]);
    barrow
}

#[test]
#[ignore = "needs root, bonnie++, strace"]
fn the_same_options_are_the_same_work() {
    if is_missing(&[Need::Root, Need::Program("bonnie++"), Need::Program("strace")]) {
        return;
    }
    let place = tempfile::tempdir().unwrap();
    let theirs = deeds(&mut with_options(Command::new("bonnie++"), place.path()), "/Bonnie.");
    let ours = deeds(&mut with_options(barrow(), place.path()), "/block.0");
    println!("theirs {theirs:?}, ours {ours:?}");
    // Write, rewrite, read; 500 seeks, of which each tenth is written back.
    let chunk = 8192;
    assert_eq!(ours.moved, [(2 * 2048 + 500) * chunk, (2 * 2048 + 50) * chunk]);
    assert_eq!((ours.moved[0], ours.files), (theirs.moved[0], theirs.files));
    // Bonnie++ draws which seeks are written back, one in ten on average.
    let written_back = (theirs.moved[1] / chunk).saturating_sub(2 * 2048);
    assert!((10..=120).contains(&written_back), "{written_back} of 500 seeks");
}

#[test]
#[ignore = "needs root, bonnie++"]
fn both_end_with_a_code_that_a_script_understands() {
    if is_missing(&[Need::Root, Need::Program("bonnie++")]) {
        return;
    }
    let place = tempfile::tempdir().unwrap();
    let place = place.path().to_string_lossy().into_owned();
    let small = ["-q", "-f", "-u", "root", "-s", "1", "-n", "0", "-r", "0", "-d", &place];
    for (options, is_fine) in [(&small[..], true), (&["-k"], false), (&["-f", "64"], false), (&["-d", "/nowhere", "-u", "root"], false)] {
        let code = |mut program: Command| program.args(options).output().unwrap().status.code();
        let (ours, theirs) = (code(barrow()), code(Command::new("bonnie++")));
        assert_eq!((ours == Some(0), theirs == Some(0)), (is_fine, is_fine), "{options:?}: {ours:?}, {theirs:?}");
    }
}

#[test]
#[ignore = "needs bonnie++"]
fn its_own_tools_show_the_row() {
    if is_missing(&[Need::Program("bon_csv2html"), Need::Program("bon_csv2txt")]) {
        return;
    }
    let place = tempfile::tempdir().unwrap();
    let done = barrow().args(["-q", "-f", "-s1", "-n1", "-r0", "-m", "box", "-d"]).arg(place.path()).output().unwrap();
    let row = place.path().join("row");
    std::fs::write(&row, &done.stdout).unwrap();
    for tool in ["bon_csv2html", "bon_csv2txt"] {
        let shown = Command::new(tool).stdin(std::fs::File::open(&row).unwrap()).output().unwrap();
        assert!(shown.status.success() && shown.stderr.is_empty(), "{tool}: {shown:?}");
        assert!(String::from_utf8_lossy(&shown.stdout).contains("box"), "{tool}");
    }
}
