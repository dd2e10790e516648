//! `barrow bonnie` as scripts call it: options, what goes to stdout and what to stderr, exit codes, and that nothing is left.

use crate::cli::Work;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Output};

/// The least work, on the directory `place`.
const SMALL: [&str; 7] = ["bonnie", "--drop-caches=never", "-s1", "-n1", "-r0", "-d", "place"];

fn desk() -> Work {
    let work = Work::new();
    fs::create_dir(work.path("place")).expect("a directory");
    work
}

fn bonnie(work: &Work, more: &[&str]) -> Output {
    work.barrow(SMALL.iter().chain(more))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("text")
}

/// Nothing is left in the directory, and no run file beside it.
fn expect_clean(work: &Work) {
    assert_eq!(fs::read_dir(work.path("place")).expect("a directory").count(), 0);
    assert!(!work.path("barrow.jsonl").exists());
}

fn fields(line: &str) -> Vec<&str> {
    line.split(',').collect()
}

#[test]
fn quiet_has_the_row_alone_on_stdout() {
    let work = desk();
    let done = bonnie(&work, &["-qf", "-m", "box", "-x", "-1"]);
    let (stdout, stderr) = (text(&done.stdout), text(&done.stderr));
    assert_eq!(done.status.code(), Some(0), "{stderr}");
    assert_eq!(stdout.lines().count(), 1, "{stdout}");
    let row = fields(stdout.trim_end());
    assert_eq!((row.len(), row[0], row[2], row[5], row[21]), (50, "1.98", "box", "1M", "1"), "{stdout}");
    assert_eq!(row[7], "128", "the seeks that were done: {stdout}");
    assert!(row[9..11].iter().chain(&row[15..17]).all(|field| field.is_empty()), "no single characters: {stdout}");
    assert!(stderr.contains("Sequential Output") && stderr.contains("box"), "{stderr}");
    assert!(!stderr.contains("block_write") && !stderr.contains("nothing is moved by") && !stderr.contains("as root"), "{stderr}");
    expect_clean(&work);
}

#[test]
fn without_quiet_text_and_row_are_on_stdout() {
    let work = desk();
    let done = bonnie(&work, &["-m", "box"]);
    let (stdout, stderr) = (text(&done.stdout), text(&done.stderr));
    assert_eq!(done.status.code(), Some(0), "{stderr}");
    let last = stdout.lines().last().unwrap_or_default();
    assert!(stdout.contains("Sequential Output") && fields(last).len() == 50 && fields(last)[2] == "box", "{stdout}");
    assert_eq!(stdout.lines().filter(|line| fields(line).len() == 50).count(), 1);
    assert!(stdout.lines().filter(|line| fields(line).len() < 50).all(|line| line.chars().count() <= 80), "{stdout}");
    assert!(stderr.contains("block_write") && stderr.contains("single characters"), "{stderr}");
    assert!(stderr.contains("seeks: 128 instead of 8,192"), "{stderr}");
    expect_clean(&work);
}

#[test]
fn several_runs_are_rows_under_a_header() {
    let work = desk();
    let done = bonnie(&work, &["-qf", "-x", "2", "-m", "a,b"]);
    let stdout = text(&done.stdout);
    let lines: Vec<&str> = stdout.lines().collect();
    assert_eq!((done.status.code(), lines.len()), (Some(0), 3), "{stdout}");
    assert!(lines[0].starts_with("format_version,") && lines.iter().all(|line| fields(line).len() == 50), "{stdout}");
    assert_eq!(text(&bonnie(&work, &["-qfx1"]).stdout).lines().count(), 1);
    let none = bonnie(&work, &["-x0"]);
    assert_eq!((none.status.code(), none.stdout.len(), none.stderr.len()), (Some(0), 0, 0));
    expect_clean(&work);
}

/// The host's name stands in the row, as Bonnie++ has it, and in no run file; a name that was given stands in both.
#[test]
fn a_run_file_has_no_name_that_was_not_given() {
    let work = desk();
    let host = nix::sys::utsname::uname().expect("a name").nodename().to_string_lossy().into_owned();
    let label = |more: &[&str]| {
        let done = bonnie(&work, &[&["-qf", "-s0", "--output", "kept.jsonl"], more].concat());
        assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
        let kept = fs::read_to_string(work.path("kept.jsonl")).expect("a run file");
        let last: serde_json::Value = serde_json::from_str(kept.lines().last().unwrap_or_default()).expect("a run");
        let printed = fields(text(&done.stdout).trim_end())[2].to_owned();
        (printed, last["label"].as_str().unwrap_or_default().to_owned(), last["machine"]["hostname"].is_null())
    };
    let (printed, kept, is_nameless) = label(&[]);
    assert_eq!((printed.as_str(), is_nameless), (host.as_str(), true));
    assert_ne!(kept, host);
    assert_eq!(label(&["-m", "box"]), ("box".to_owned(), "box".to_owned(), true));
}

#[test]
fn links_threads_and_flushes_are_done() {
    let work = desk();
    for (more, largest) in [(&["-n1:-1::3"][..], "link"), (&["-n", "1:-2::3", "-c2"], "symlink"), (&["-n1:2000:100:2:512"], "2000")] {
        let done = bonnie(&work, &[&["-qfs0"], more].concat());
        let stdout = text(&done.stdout);
        assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
        let row = fields(stdout.trim_end());
        assert_eq!(row[22], largest, "{stdout}");
        assert!(row[26..38].iter().all(|field| !field.is_empty()), "{stdout}");
    }
    let done = bonnie(&work, &["-qfbn0", "-c2"]);
    assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
    let said = text(&done.stderr);
    assert!(said.contains("-b: fsync after every write") && said.contains("-c 2: 2 threads"), "{said}");
    expect_clean(&work);
}

#[test]
fn what_cannot_be_done_is_said_with_its_exit_code() {
    let work = desk();
    for (more, code, words) in [
        (&["-k"][..], 2, "unexpected argument '-k'"),
        (&["-s", "8x"], 2, "-s 8x: "),
        (&["-n1:1:2"], 2, "min_size"),
        (&["-p3"], 2, "-p: barrow serves no semaphores"),
        (&["-ys"], 2, "-y: barrow serves no semaphores"),
        (&["-Zfile"], 2, "-Z: barrow takes no file"),
        (&["-d", "nowhere"], 1, "nowhere: there is no such directory"),
        (&["-s", "900t"], 1, "in `barrow bonnie` -s"),
        (&["-u", "nobody-of-this-name"], 2, "-u nobody-of-this-name: there is no user"),
    ] {
        let done = bonnie(&work, more);
        let said = text(&done.stderr);
        assert_eq!((done.status.code(), done.stdout.len()), (Some(code), 0), "{more:?}: {said}");
        assert!(said.contains(words), "{more:?}: {said}");
        assert!(code != 2 || !said.contains("instead of"), "{more:?}: of a plan that is refused nothing is said: {said}");
    }
    expect_clean(&work);
}

/// The script is one that calls Bonnie++; nothing in it knows of barrow.
#[test]
fn a_script_that_calls_bonnie_works_unchanged() {
    let work = desk();
    let wrapper = work.path("bonnie++");
    fs::write(&wrapper, format!("#!/bin/sh\nexec '{}' bonnie \"$@\"\n", env!("CARGO_BIN_EXE_barrow"))).expect("a file");
    fs::set_permissions(&wrapper, fs::Permissions::from_mode(0o755)).expect("a mode");
    let script = "for host in one two; do bonnie++ -q -d place -u \"$(id -u)\" -s 1:8k -n 1 -r 0 -f -b -m $host >> out.csv 2>/dev/null || exit 9; done\n\
                  bonnie++ -q -x 2 -d place -s 0 -n 1 -r 0 -f -m three | while IFS=, read -r a b name rest; do echo \"$name\" >> names; done\n";
    let path = format!("{}:/usr/bin:/bin", work.0.path().display());
    let done = Command::new("/bin/sh").args(["-c", script]).current_dir(work.0.path()).env("PATH", path).output().expect("a shell");
    assert_eq!(done.status.code(), Some(0), "{done:?}");
    let rows = fs::read_to_string(work.path("out.csv")).expect("rows");
    let names: Vec<&str> = rows.lines().map(|row| fields(row)[2]).collect();
    assert_eq!(names, ["one", "two"]);
    assert_eq!(fs::read_to_string(work.path("names")).expect("names"), "name\nthree\nthree\n");
    expect_clean(&work);
}

#[test]
fn help_is_at_most_80_columns_wide() {
    for option in ["-h", "--help"] {
        let help = text(&Work::new().barrow(["bonnie", option]).stdout);
        assert!(help.contains("barrow bonnie [-qbD] [-d DIR]"), "{help}");
        assert!(help.lines().all(|line| line.chars().count() <= 80), "{help}");
    }
    assert!(text(&Work::new().barrow(["bonnie", "--version"]).stdout).contains(env!("CARGO_PKG_VERSION")));
}
