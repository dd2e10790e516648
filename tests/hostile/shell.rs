//! Nothing reaches a shell but the user's own `--prepare`; and what a command line holds is used as it is, or refused.

use super::say;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The only file that may start a shell, for the command of `--prepare`.
const STARTER: &str = "src/sys/command.rs";
/// The only file that may start another program, which a profile names; no shell looks at its words.
const WARDEN: &str = "src/sys/user_program/warden.rs";

/// Whether a file holds tests alone.
fn is_test(path: &Path) -> bool {
    path.ends_with("tests.rs") || path.components().any(|part| part.as_os_str() == "tests")
}

fn sources(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).expect("src can be read") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") && !is_test(&path) {
            found.push(path);
        }
    }
}

#[test]
fn only_the_command_of_the_user_is_run() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    sources(&root.join("src"), &mut files);
    let words = ["Command::new", "process::Command", "/bin/", "libc::exec", "execve(", "posix_spawn", "libc::system", "popen"];
    let mut starters = Vec::new();
    for path in files {
        let text = fs::read_to_string(&path).expect("a source can be read");
        let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
        let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
        if lines.into_iter().any(|line| words.iter().any(|word| line.contains(word))) {
            starters.push(path.strip_prefix(root).expect("below the root").display().to_string());
        }
    }
    // The page of a program explains its start in words.
    starters.retain(|path| path != "src/cli/explain/page.rs");
    starters.sort();
    assert_eq!(starters, [STARTER, WARDEN]);
    let warden = fs::read_to_string(root.join(WARDEN)).expect("a source can be read");
    assert!(!warden.contains("/bin/") && !warden.contains("\"sh\""), "a program is started without a shell");
    let code = fs::read_to_string(root.join(STARTER)).expect("a source can be read");
    assert_eq!(code.matches("Command::new(\"/bin/sh\")").count(), 1);
}

fn barrow(arguments: &[&[u8]]) -> (Option<i32>, String, String) {
    use std::os::unix::ffi::OsStrExt;
    let directory = tempfile::tempdir().expect("a directory");
    let arguments = arguments.iter().map(|argument| std::ffi::OsStr::from_bytes(argument));
    let done = Command::new(env!("CARGO_BIN_EXE_barrow")).args(arguments).current_dir(directory.path()).output().expect("barrow runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (done.status.code(), text(&done.stdout), text(&done.stderr))
}

/// Arguments that are no work: each ends with a message and a code of its own, never by a panic.
#[test]
fn hostile_arguments_are_refused_in_words() {
    let long = "x".repeat(100_000);
    let hostile: [&[u8]; 9] = [
        b"",
        b"=",
        b"\xff\xfe",
        b"\x1b[2J\x1b]0;x\x07",
        "\u{202e}\u{200b}".as_bytes(),
        b"$(touch x); `id`",
        b"a=b=c=",
        b"\n\r\t",
        long.as_bytes(),
    ];
    let options: [&[u8]; 9] = [b"--set", b"--tag", b"--profile", b"--pause", b"--seed", b"--runs", b"--workers", b"--output", b"--cache"];
    let mut count = 0;
    for argument in hostile {
        for option in options {
            let (code, _, words) = barrow(&[b"run", b"/nonexistent/directory", option, argument]);
            count += 1;
            assert!(matches!(code, Some(1 | 2)), "{code:?}: {words}");
            assert!(!words.is_empty() && !words.contains("panicked"), "{words}");
            let is_foreign = |letter: char| letter == '\u{1b}' || letter == '\u{202e}' || letter == '\u{7}';
            assert!(!words.contains(is_foreign), "{option:?} {words:?}");
        }
        let (code, out, words) = barrow(&[b"report", argument]);
        assert!(
            matches!(code, Some(1 | 2)) && out.is_empty() && !words.contains("panicked") && !words.contains('\u{1b}'),
            "{code:?} {words:?}"
        );
        let (code, _, words) = barrow(&[b"run", argument, b"/nonexistent/directory"]);
        assert!(matches!(code, Some(1 | 2)) && !words.contains("panicked") && !words.contains('\u{1b}'), "{code:?} {words:?}");
    }
    say(&format!("arguments: {count} refused in words"));
}
