//! Commands: the user's, run by the shell, and programs of the system; watched, and ended when they take too long or the run is to stop.

use super::words::Words;
use nix::sys::prctl::set_pdeathsig;
use nix::sys::signal::{Signal, killpg};
use nix::unistd::{Pid, getpid, getppid};
use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How often a command is looked at while it runs: at first so often that the time that it takes is known to a twentieth.
const OFTEN: Duration = Duration::from_micros(500);
const SELDOM: Duration = Duration::from_millis(20);
/// Letters of what a command said on stderr that a message repeats: some programs say first what is wrong, others last.
const WORDS: usize = 400;
/// The last bytes of what a program says on stderr that are kept.
const SAID: usize = 1 << 16;
/// The last bytes of what a program prints that are kept.
const PRINTED: usize = 1 << 20;
/// Where programs for root lie: not every way to become root has them in its path.
const ROOTS_PROGRAMS: &str = "/usr/local/sbin:/usr/sbin:/sbin";

/// Why a command did not do its work.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    /// The shell could not be started, or nobody could listen to it.
    #[error("it cannot be started: {0}")]
    NotStarted(io::Error),
    /// It ended with another status than 0.
    #[error("it ended with {status}{}", said(words))]
    Failed {
        /// Status or signal, in words.
        status: String,
        /// The first and the last of what it said on stderr.
        words: String,
    },
    /// It took too long, and was ended.
    #[error("it took over {0} s and was ended")]
    TooLong(u64),
    /// The run is to stop, so it was ended.
    #[error("it was ended because the run is to stop")]
    Stopped,
}

/// What a program that did its work printed; of much, the end.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Printed {
    /// On standard output, at most a MiB.
    pub output: String,
    /// On standard error, at most 64 KiB.
    pub errors: String,
}

fn said(words: &str) -> String {
    if words.is_empty() { String::new() } else { format!(" and said: {words}") }
}

/// Runs a command by `sh -c` in a directory, with `BARROW_TARGET` set to it, and waits for its end: at most `limit`, and no longer
/// than until `stop` becomes true. It runs in a process group of its own, which is ended as a whole. When the calling thread ends (with
/// a process that is killed), the kernel ends the shell.
///
/// # Errors
/// When it cannot be started, ends with another status than 0, or had to be ended.
pub fn run(command: &str, target: &Path, limit: Duration, stop: &AtomicBool) -> Result<(), CommandError> {
    let mut shell = Command::new("/bin/sh");
    shell.arg("-c").arg(command).env("BARROW_TARGET", target).stdout(Stdio::null());
    watched(shell, limit, stop).map(drop)
}

/// Runs a program directly, without any shell: the first word is its name or path, looked for where root's programs lie too. Waits as
/// [`run`] does, and gives what it printed.
///
/// # Errors
/// As [`run`].
pub fn program(words: &[String], limit: Duration, stop: &AtomicBool) -> Result<Printed, CommandError> {
    let Some((name, arguments)) = words.split_first() else {
        return Err(CommandError::NotStarted(io::ErrorKind::InvalidInput.into()));
    };
    let mut command = Command::new(name);
    command.args(arguments).env("PATH", search_path()).env("LC_ALL", "C").stdout(Stdio::piped());
    watched(command, limit, stop)
}

/// Where programs are looked for.
#[must_use]
pub fn search_path() -> OsString {
    let mut path = std::env::var_os("PATH").unwrap_or_else(|| OsString::from("/usr/local/bin:/usr/bin:/bin"));
    path.push(":");
    path.push(ROOTS_PROGRAMS);
    path
}

fn watched(mut command: Command, limit: Duration, stop: &AtomicBool) -> Result<Printed, CommandError> {
    command.stdin(Stdio::null()).stderr(Stdio::piped()).process_group(0);
    let barrow = getpid();
    // SAFETY: between fork and exec only prctl(2) and getppid(2) are called, which are safe there.
    #[allow(unsafe_code)]
    unsafe {
        command.pre_exec(move || end_with(barrow));
    }
    let mut child = command.spawn().map_err(CommandError::NotStarted)?;
    let begun = Instant::now();
    // Reads what it says while it runs: a full pipe would stop it.
    let heard = Words::of(child.stderr.take(), SAID).and_then(|words| Ok((words, Words::of(child.stdout.take(), PRINTED)?)));
    let (words, printed) = match heard {
        Ok(heard) => heard,
        Err(error) => {
            end(&mut child);
            return Err(CommandError::NotStarted(error));
        }
    };
    loop {
        match child.try_wait().map_err(CommandError::NotStarted)? {
            Some(status) if status.success() => return Ok(Printed { output: printed.text(), errors: words.text() }),
            Some(status) => {
                return Err(CommandError::Failed { status: status.to_string(), words: in_short(&words) });
            }
            None if stop.load(Ordering::Relaxed) => {
                end(&mut child);
                return Err(CommandError::Stopped);
            }
            None if begun.elapsed() > limit => {
                end(&mut child);
                return Err(CommandError::TooLong(limit.as_secs()));
            }
            None => nap(begun),
        }
    }
}

fn nap(begun: Instant) {
    std::thread::sleep((begun.elapsed() / 20).clamp(OFTEN, SELDOM));
}

/// Asks the kernel to end this process when its parent ends; an error when that one has ended already.
fn end_with(parent: Pid) -> io::Result<()> {
    set_pdeathsig(Signal::SIGKILL)?;
    if getppid() == parent { Ok(()) } else { Err(io::ErrorKind::Interrupted.into()) }
}

fn end(child: &mut Child) {
    if let Ok(group) = i32::try_from(child.id()) {
        // It may have ended by itself just now.
        let _ = killpg(Pid::from_raw(group), Signal::SIGKILL);
    }
    let _ = child.wait();
}

/// What it said as one line; of much, the first and the last.
fn in_short(words: &Words) -> String {
    shortened(&words.text().split_whitespace().collect::<Vec<_>>().join(" "))
}

/// At most [`WORDS`] letters of a text, and what stands for the rest.
fn shortened(text: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    if letters.len() <= WORDS {
        return text.to_owned();
    }
    let (first, last) = (&letters[..WORDS / 2], &letters[letters.len() - WORDS / 2..]);
    format!("{} … {}", first.iter().collect::<String>().trim_end(), last.iter().collect::<String>().trim_start())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said_by(command: &str, limit: Duration, stop: bool) -> String {
        match run(command, Path::new("/tmp"), limit, &AtomicBool::new(stop)) {
            Ok(()) => "fine".to_owned(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn a_command_is_told_apart_by_how_it_ends() {
        let long = Duration::from_secs(60);
        assert_eq!(said_by("true", long, false), "fine");
        assert_eq!(said_by("test \"$BARROW_TARGET\" = /tmp", long, false), "fine");
        assert_eq!(said_by("echo no such pool >&2; exit 3", long, false), "it ended with exit status: 3 and said: no such pool");
        assert!(said_by("no-such-command-here", long, false).contains("exit status: 127"));
        assert_eq!(said_by("sleep 600", Duration::ZERO, false), "it took over 0 s and was ended");
        assert_eq!(said_by("sleep 600", long, true), "it was ended because the run is to stop");
    }

    #[test]
    fn a_program_takes_its_words_as_they_are() {
        let of = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            program(&words, Duration::from_secs(60), &AtomicBool::new(false))
        };
        assert_eq!(of(&["printf", "%s,", "a b", "$HOME", ";"]).unwrap().output, "a b,$HOME,;,");
        assert!(matches!(of(&["no-such-program-here"]), Err(CommandError::NotStarted(_))));
        assert!(matches!(of(&[]), Err(CommandError::NotStarted(_))));
        assert_eq!(of(&["ls", "--no-such-option"]).unwrap_err().to_string().split(':').next(), Some("it ended with exit status"));
    }

    #[test]
    fn of_many_words_the_first_and_the_last_are_told() {
        assert_eq!(shortened("too small"), "too small");
        let long = shortened(&format!("too small {} the end", "üsage ".repeat(200)));
        assert!(
            long.starts_with("too small üsage") && long.contains(" … ") && long.ends_with("the end") && long.chars().count() <= WORDS + 3,
            "{long}"
        );
    }

    #[test]
    fn what_a_command_leaves_running_holds_nobody_up() {
        let begun = Instant::now();
        let words = said_by("echo begun >&2; sleep 30 & exit 3", Duration::from_secs(60), false);
        assert_eq!(words, "it ended with exit status: 3 and said: begun");
        assert!(begun.elapsed() < Duration::from_secs(20));
    }

    #[test]
    fn a_command_that_says_much_does_not_stop() {
        assert_eq!(said_by("head -c 300000 /dev/zero >&2", Duration::from_secs(60), false), "fine");
    }
}
