//! A command of the user's: run by the shell, watched, and ended when it takes too long or the run is to stop.

use nix::sys::prctl::set_pdeathsig;
use nix::sys::signal::{Signal, killpg};
use nix::unistd::{Pid, getpid, getppid};
use std::io::{self, Read};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How often a command is looked at while it runs.
const LOOK: Duration = Duration::from_millis(20);
/// The last bytes of what a command said on stderr that a message repeats.
const WORDS: usize = 400;
/// How long they are waited for when the command has ended.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// Why a command did not do its work.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    /// The shell could not be started, or nobody could listen to it.
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
/// than until `stop` becomes true. It runs in a process group of its own, which is ended as a whole. When the calling thread ends (with
/// a process that is killed), the kernel ends the shell.
///
/// # Errors
/// When it cannot be started, ends with another status than 0, or had to be ended.
pub fn run(command: &str, target: &Path, limit: Duration, stop: &AtomicBool) -> Result<(), CommandError> {
    let mut shell = Command::new("/bin/sh");
    shell.arg("-c").arg(command).env("BARROW_TARGET", target).process_group(0);
    shell.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let barrow = getpid();
    // SAFETY: between fork and exec only prctl(2) and getppid(2) are called, which are safe there.
    #[allow(unsafe_code)]
    unsafe {
        shell.pre_exec(move || end_with(barrow));
    }
    let mut child = shell.spawn().map_err(CommandError::NotStarted)?;
    let begun = Instant::now();
    // Reads what it says while it runs: a full pipe would stop it.
    let words = match Words::of(child.stderr.take()) {
        Ok(words) => words,
        Err(error) => {
            end(&mut child);
            return Err(CommandError::NotStarted(error));
        }
    };
    loop {
        match child.try_wait().map_err(CommandError::NotStarted)? {
            Some(status) if status.success() => return Ok(()),
            Some(status) => {
                return Err(CommandError::Failed { status: status.to_string(), words: words.last() });
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

/// What a command says on stderr, read by a thread of its own while it runs.
struct Words {
    kept: Arc<Mutex<Vec<u8>>>,
    reader: Option<JoinHandle<()>>,
}

impl Words {
    /// Fails where no thread can be started.
    fn of(stderr: Option<ChildStderr>) -> io::Result<Self> {
        let kept: Arc<Mutex<Vec<u8>>> = Arc::default();
        let shared = Arc::clone(&kept);
        let read = |mut stderr: ChildStderr| std::thread::Builder::new().spawn(move || keep_last(&mut stderr, &shared));
        Ok(Self { kept, reader: stderr.map(read).transpose()? })
    }

    /// The last of it, as one line. What the command left running may keep the pipe open, so nobody waits for its end for long.
    fn last(&self) -> String {
        let begun = Instant::now();
        while self.reader.as_ref().is_some_and(|reader| !reader.is_finished()) && begun.elapsed() < LAST_WORDS {
            std::thread::sleep(LOOK);
        }
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&kept).split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

fn keep_last(stderr: &mut impl Read, kept: &Mutex<Vec<u8>>) {
    let mut piece = [0; 1024];
    while let Ok(length @ 1..) = stderr.read(&mut piece) {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend_from_slice(&piece[..length]);
        let surplus = kept.len().saturating_sub(WORDS);
        kept.drain(..surplus);
    }
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
