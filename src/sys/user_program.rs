//! Programs of the user's: run in a directory, watched with everything that they start, and ended as a whole.

mod family;
mod file;
mod warden;

pub use file::hindrance;

use super::limits::first_open_files;
use super::meter::usage_of;
use super::words::Words;
use crate::model::aftermath::{MOST_OUTPUT, ProgramEnd};
use crate::model::printable::printable;
use crate::model::usage::Usage;
use family::{Relative, descendants};
use nix::errno::Errno;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, PipeReader};
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::{Duration, Instant};
use warden::{News, Orders, Texts};

/// How often it is asked whether a program may go on.
const ASK: Duration = Duration::from_millis(100);
/// What is about to end by itself, as the last of a pipeline, is not left running.
const JUST_ENDING: Duration = Duration::from_millis(100);
/// How long what is asked to end may take before it is ended.
const POLITE: Duration = Duration::from_secs(2);
/// How often it is looked what is still there.
const LOOK: Duration = Duration::from_millis(20);
/// Where a process cannot be seen or must not be ended it is waited for no longer.
const OUT_OF_REACH: Duration = Duration::from_secs(3);

/// How a program ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProgramRun {
    /// With which status, and what it said.
    pub end: ProgramEnd,
    /// What it and everything that it started used.
    pub usage: Usage,
    /// Whether it was ended because it was not to go on.
    pub was_ended: bool,
}

/// The warden of the program that runs now; 0 while none does.
static WARDEN: AtomicI32 = AtomicI32::new(0);

/// Runs a program, without any shell, with a directory as its working directory and `PWD`, no input, and the environment and the limit of
/// open files that this process was started with. Waits until it has ended with everything that it started: what it leaves running is
/// asked to end (SIGTERM), and two seconds later ended. `go_on` is asked ten times a second; when it says no all of it is ended so.
///
/// # Errors
/// When it cannot be started, as execve(2) says; when nobody can watch it.
pub fn run(directory: &File, command: &[String], go_on: &mut dyn FnMut() -> bool) -> io::Result<ProgramRun> {
    if command.is_empty() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let (input, (heard, output), (news, told)) = (File::open("/dev/null")?, io::pipe()?, io::pipe()?);
    let orders = Orders {
        words: Texts::of(command.iter().map(String::as_bytes))?,
        environment: environment(directory)?,
        directory: directory.as_raw_fd(),
        input: input.as_raw_fd(),
        output: output.as_raw_fd(),
        news: told.as_raw_fd(),
        open_files: first_open_files(),
    };
    let words = Words::of(Some(heard), MOST_OUTPUT)?;
    let mut watch = Watch { warden: warden::start(&orders)?, news };
    WARDEN.store(watch.warden.as_raw(), Ordering::SeqCst);
    // Only the program has these now: their end is its end.
    drop((output, told));
    let seen = watch.over(go_on).inspect_err(|_| watch.dismiss());
    let usage = watch.wait();
    WARDEN.store(0, Ordering::SeqCst);
    let Seen { news, left_processes, was_ended } = seen?;
    let status = match news {
        News::NotStarted(number) => return Err(io::Error::from_raw_os_error(number)),
        News::Ended(status) => ExitStatus::from_raw(status),
    };
    let (last, output_bytes) = words.last();
    let end = ProgramEnd { exit: status.code(), signal: status.signal(), output_bytes, output: text_of(&last), left_processes };
    Ok(ProgramRun { end, usage: usage?, was_ended })
}

/// The environment of this process with the directory as `PWD`, where that can be told.
fn environment(directory: &File) -> io::Result<Texts> {
    let place = fs::read_link(format!("/proc/self/fd/{}", directory.as_raw_fd())).ok().filter(|place| place.is_absolute());
    let own = std::env::vars_os().filter(|(name, _)| name != "PWD");
    let all = own.chain(place.map(|place| (OsString::from("PWD"), place.into_os_string())));
    Texts::of(all.map(|(name, value)| [name.into_vec(), vec![b'='], value.into_vec()].concat()))
}

/// The end of an output as text, each of its lines printable, at most [`MOST_OUTPUT`] bytes.
fn text_of(last: &[u8]) -> String {
    // Its beginning may be the rest of a letter.
    let rest = last.iter().take(3).take_while(|byte| **byte & 0xc0 == 0x80).count();
    let text = String::from_utf8_lossy(&last[rest..]).replace('\t', " ");
    let text = text.lines().map(|line| printable(line.trim_end())).collect::<Vec<_>>().join("\n");
    let surplus = text.len().saturating_sub(MOST_OUTPUT);
    let from = (surplus..=text.len()).find(|place| text.is_char_boundary(*place)).unwrap_or(text.len());
    text[from..].trim_end().to_owned()
}

/// What was seen of a program.
struct Seen {
    news: News,
    left_processes: u64,
    was_ended: bool,
}

/// Who watches a program.
struct Watch {
    warden: Pid,
    news: PipeReader,
}

impl Watch {
    /// Watches the program until it and everything that it left has ended.
    fn over(&mut self, go_on: &mut dyn FnMut() -> bool) -> io::Result<Seen> {
        let mut was_ended = false;
        while !self.has_news(ASK)? {
            if !go_on() {
                was_ended = true;
                self.end_all()?;
                break;
            }
        }
        let Some(news) = News::read(&mut self.news)? else {
            return Err(io::Error::other("what watches over it was ended"));
        };
        let left_processes = if was_ended || self.has_closed(JUST_ENDING)? { 0 } else { self.end_all()? };
        Ok(Seen { news, left_processes, was_ended })
    }

    /// Ends everything that lives below the warden; tells how many processes that were.
    fn end_all(&mut self) -> io::Result<u64> {
        let left = descendants(self.warden.as_raw());
        signal_all(&left, Signal::SIGTERM);
        let begun = Instant::now();
        while !self.has_closed(LOOK)? {
            let rest = descendants(self.warden.as_raw());
            let is_time = begun.elapsed() > POLITE;
            let are_ended = is_time && signal_all(&rest, Signal::SIGKILL);
            if begun.elapsed() > OUT_OF_REACH && !are_ended {
                self.dismiss();
            }
            if begun.elapsed() > 2 * OUT_OF_REACH {
                // Whatever became of the warden, the run goes on.
                let _ = kill(self.warden, Signal::SIGKILL);
            }
        }
        Ok(left.len() as u64)
    }

    /// Has the warden end the group of the program, and itself.
    fn dismiss(&self) {
        // It may have ended already, or the program may have stopped it.
        let _ = kill(self.warden, Signal::SIGTERM);
        let _ = kill(self.warden, Signal::SIGCONT);
    }

    /// Whether there are news, or the warden has ended; waits so long for it.
    fn has_news(&self, most: Duration) -> io::Result<bool> {
        Ok(self.poll(libc::POLLIN, most)? != 0)
    }

    /// Whether the warden has ended; waits so long for it.
    fn has_closed(&self, most: Duration) -> io::Result<bool> {
        Ok(self.poll(0, most)? & libc::POLLHUP != 0)
    }

    fn poll(&self, events: i16, most: Duration) -> io::Result<i16> {
        let mut asked = libc::pollfd { fd: self.news.as_raw_fd(), events, revents: 0 };
        // SAFETY: the description lives through the call.
        #[allow(unsafe_code)]
        let ready = unsafe { libc::poll(&raw mut asked, 1, i32::try_from(most.as_millis()).unwrap_or(i32::MAX)) };
        match Errno::result(ready) {
            Ok(_) => Ok(asked.revents),
            Err(Errno::EINTR) => Ok(0),
            Err(error) => Err(error.into()),
        }
    }

    /// Waits for the end of the warden; tells what it and all of its children used, and theirs.
    fn wait(&self) -> io::Result<Usage> {
        // SAFETY: all zeros is a value of plain numbers.
        #[allow(unsafe_code)]
        let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
        loop {
            // SAFETY: the numbers live through the call, and the status is not asked for.
            #[allow(unsafe_code)]
            let ended = unsafe { libc::wait4(self.warden.as_raw(), std::ptr::null_mut(), 0, &raw mut usage) };
            match Errno::result(ended) {
                Ok(_) => return Ok(usage_of(&usage)),
                Err(Errno::EINTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}

/// Sends all of them a signal; whether any of them could be reached.
fn signal_all(relatives: &[Relative], signal: Signal) -> bool {
    // All of them, whether the first was reached or not.
    let reached: Vec<&Relative> = relatives.iter().filter(|relative| kill(Pid::from_raw(relative.id), signal).is_ok()).collect();
    !reached.is_empty()
}

/// How the program that runs now stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It computes, or rests by its own wish.
    Lives,
    /// Some of it waits for the kernel; ticks that all of it has used of a processor so far.
    WaitsForKernel(u64),
}

/// How the program of the user's that this process runs now stands; `None` while none runs.
#[must_use]
pub fn standing() -> Option<Standing> {
    let warden = WARDEN.load(Ordering::SeqCst);
    if warden == 0 {
        return None;
    }
    let all = descendants(warden);
    let is_held_up = all.iter().any(Relative::waits_for_kernel);
    let ticks = all.iter().map(Relative::ticks).sum();
    Some(if is_held_up { Standing::WaitsForKernel(ticks) } else { Standing::Lives })
}

#[cfg(test)]
mod tests;
