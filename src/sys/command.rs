//! A command of the user's: run by the shell, watched, and ended when it takes too long or the run is to stop.

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use std::io::{self, Read};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How often a command is looked at while it runs.
const LOOK: Duration = Duration::from_millis(20);
/// The last bytes of what a command said on stderr that a message repeats.
const WORDS: u64 = 400;

/// Why a command did not do its work.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    /// The shell could not be started.
    #[error("the shell cannot be started: {0}")]
    NotStarted(io::Error),
    /// It ended with another status than 0.
    #[error("it ended with {status}{}", said(words))]
    Failed {
        /// Status or signal, in words.
        status: String,
        /// The last of what it said on stderr.
        words: String,
    },
    /// It took too long, and was ended.
    #[error("it took over {0} s and was ended")]
    TooLong(u64),
    /// The run is to stop, so it was ended.
    #[error("it was ended because the run is to stop")]
    Stopped,
}

fn said(words: &str) -> String {
    if words.is_empty() { String::new() } else { format!(" and said: {words}") }
}

/// Runs a command by `sh -c` in a directory, with `BARROW_TARGET` set to it, and waits for its end: at most `limit`, and no longer
/// than until `stop` becomes true. It runs in a process group of its own, which is ended as a whole.
///
/// # Errors
/// When it cannot be started, ends with another status than 0, or had to be ended.
pub fn run(command: &str, target: &Path, limit: Duration, stop: &AtomicBool) -> Result<(), CommandError> {
    let mut shell = Command::new("/bin/sh");
    shell.arg("-c").arg(command).env("BARROW_TARGET", target).process_group(0);
    shell.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = shell.spawn().map_err(CommandError::NotStarted)?;
    let begun = Instant::now();
    // Reads what it says while it runs: a full pipe would stop it.
    let words = child.stderr.take().map(|mut stderr| std::thread::spawn(move || last_words(&mut stderr)));
    loop {
        match child.try_wait().map_err(CommandError::NotStarted)? {
            Some(status) if status.success() => return Ok(()),
            Some(status) => {
                let words = words.and_then(|words| words.join().ok()).unwrap_or_default();
                return Err(CommandError::Failed { status: status.to_string(), words });
            }
            None if stop.load(Ordering::Relaxed) => {
                end(&mut child);
                return Err(CommandError::Stopped);
            }
            None if begun.elapsed() > limit => {
                end(&mut child);
                return Err(CommandError::TooLong(limit.as_secs()));
            }
            None => std::thread::sleep(LOOK),
        }
    }
}

fn end(child: &mut Child) {
    if let Ok(group) = i32::try_from(child.id()) {
        let _ = killpg(Pid::from_raw(group), Signal::SIGKILL);
    }
    let _ = child.wait();
}

fn last_words(stderr: &mut impl Read) -> String {
    let mut kept: Vec<u8> = Vec::new();
    let mut piece = [0; 1024];
    while let Ok(length @ 1..) = stderr.read(&mut piece) {
        kept.extend_from_slice(&piece[..length]);
        let surplus = kept.len().saturating_sub(WORDS as usize);
        kept.drain(..surplus);
    }
    String::from_utf8_lossy(&kept).split_whitespace().collect::<Vec<_>>().join(" ")
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
    fn a_command_that_says_much_does_not_stop() {
        assert_eq!(said_by("head -c 300000 /dev/zero >&2", Duration::from_secs(60), false), "fine");
    }
}
