use super::*;
use std::path::Path;

/// Runs a line of the shell in a directory.
fn shell(directory: &Path, line: &str) -> ProgramRun {
    started(directory, &["/bin/sh", "-c", line], &mut || true).unwrap()
}

fn started(directory: &Path, words: &[&str], go_on: &mut dyn FnMut() -> bool) -> io::Result<ProgramRun> {
    let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    run(&File::open(directory).unwrap(), &words, go_on)
}

/// Whether a process lives whose number stands in a file.
fn lives(file: &Path) -> bool {
    let id = fs::read_to_string(file).unwrap();
    fs::read_to_string(format!("/proc/{}/stat", id.trim())).is_ok_and(|stat| !stat.contains(") Z "))
}

#[test]
fn a_program_runs_in_its_directory_and_says_what_it_says() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().canonicalize().unwrap();
    let ran = shell(&path, "pwd; printenv PWD; echo wrong >&2; cat; printf '\\033[1mbold'; echo > here");
    let expected = format!("{0}\n{0}\nwrong\n?[1mbold", path.display());
    assert_eq!((ran.end.exit, ran.end.signal, ran.end.output), (Some(0), None, expected));
    assert_eq!(ran.end.output_bytes, 2 * (path.as_os_str().len() as u64 + 1) + 6 + 8);
    assert!(path.join("here").exists() && !ran.was_ended);
}

#[test]
fn the_end_of_a_program_is_told_as_it_was() {
    let place = tempfile::tempdir().unwrap();
    let of = |line: &str| {
        let end = shell(place.path(), line).end;
        (end.exit, end.signal)
    };
    assert_eq!(of("exit 3"), (Some(3), None));
    assert_eq!(of("kill -USR1 $$"), (None, Some(10)));
    // What barrow turns off for itself is on for programs.
    assert_eq!(of("kill -PIPE $$"), (None, Some(13)));
    assert_eq!(of("kill -XFSZ $$"), (None, Some(25)));
}

#[test]
fn what_cannot_be_started_says_why() {
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("plain"), "no program").unwrap();
    let kind = |words: &[&str]| started(place.path(), words, &mut || true).unwrap_err().kind();
    assert_eq!(kind(&["no-such-program-here"]), io::ErrorKind::NotFound);
    assert_eq!(kind(&["/no/such/program"]), io::ErrorKind::NotFound);
    assert_eq!(kind(&["./plain"]), io::ErrorKind::PermissionDenied);
    assert_eq!(kind(&[]), io::ErrorKind::InvalidInput);
    assert_eq!(kind(&["/bin/true", "a\0b"]), io::ErrorKind::InvalidInput);
}

#[test]
fn of_much_output_the_end_is_kept() {
    let place = tempfile::tempdir().unwrap();
    let end = shell(place.path(), "yes ü | head -c 3000000; echo; echo the end").end;
    assert_eq!(end.output_bytes, 3_000_000 + 1 + 8);
    assert!(
        end.output.len() <= MOST_OUTPUT && end.output.ends_with("ü\n\nthe end") && end.output.starts_with(['\n', 'ü']),
        "{}",
        end.output
    );
}

#[test]
fn no_output_is_too_odd() {
    for bytes in [&b"\xff\xfe\xfd"[..], b"\x80\x80\x80\x80", b"\r\n\t\r\n", b"", &[0xff; MOST_OUTPUT], b"\xe2\x80\xaeabc\0"] {
        let text = text_of(bytes);
        assert!(text.len() <= MOST_OUTPUT && !text.contains(['\0', '\r', '\u{202e}']), "{bytes:?}: {text}");
    }
}

/// Burns so many milliseconds of a processor in a shell of its own: how many it was is told by `times`.
const BURN: &str = "i=0; while [ $i -lt 40000 ]; do i=$((i+1)); done";

#[test]
fn what_children_and_orphans_use_is_counted() {
    let place = tempfile::tempdir().unwrap();
    let used = |line: &str| {
        let usage = shell(place.path(), line).usage;
        usage.user_ns + usage.system_ns
    };
    let one = used(BURN);
    assert!(one > 1_000_000, "{one}");
    // A child, its child, and one whose parent has ended before it: of the last it is only waited for what it writes.
    let three = used(&format!("mkfifo done; ({BURN}; sh -c '{BURN}'); ((({BURN}; echo > done) & exit) ); cat done"));
    let ratio = three as f64 / one as f64;
    assert!(ratio > 1.8 && ratio < 6.0, "{one} ns and {three} ns");
}

#[test]
fn what_is_left_running_is_ended_and_nobody_else() {
    let place = tempfile::tempdir().unwrap();
    let mut other = std::process::Command::new("/bin/sleep").arg("600").spawn().unwrap();
    let line = "sleep 600 & echo $! > one; (setsid sh -c 'trap \"\" TERM; echo $$ > two.new; mv two.new two; while :; do sleep 1; done' \
                > /dev/null 2>&1 &) ; while [ ! -e two ]; do sleep 0.01; done";
    let ran = shell(place.path(), line);
    assert_eq!(ran.end.exit, Some(0));
    assert!((2..=3).contains(&ran.end.left_processes), "{:?}", ran.end);
    assert!(!lives(&place.path().join("one")) && !lives(&place.path().join("two")));
    assert!(other.try_wait().unwrap().is_none(), "another child was ended");
    other.kill().unwrap();
    other.wait().unwrap();
}

#[test]
fn a_program_that_is_not_to_go_on_is_ended_with_its_children() {
    let place = tempfile::tempdir().unwrap();
    let is_there = || place.path().join("two").exists();
    let words = ["/bin/sh", "-c", "trap '' TERM; sleep 600 & echo $! > one; echo > two; wait; while :; do sleep 600; done"];
    let ran = started(place.path(), &words, &mut || !is_there()).unwrap();
    assert!(ran.was_ended);
    assert_eq!((ran.end.exit, ran.end.signal, ran.end.left_processes), (None, Some(9), 0));
    assert!(!lives(&place.path().join("one")));
}

#[test]
fn while_a_program_rests_it_lives() {
    let place = tempfile::tempdir().unwrap();
    let mut seen = Vec::new();
    started(place.path(), &["/bin/sleep", "0.3"], &mut || {
        seen.push(standing());
        true
    })
    .unwrap();
    // Tests beside this one run programs too.
    assert!(seen.contains(&Some(Standing::Lives)), "{seen:?}");
}
