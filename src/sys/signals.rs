//! Signals that ask barrow to stop, and those that must not end it.

use nix::sys::signal::{SigHandler, Signal as NixSignal, signal};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::io;

/// The signals that ask barrow to stop, as iterator: blocks until the next one comes.
#[derive(Debug)]
pub struct StopSignals(Signals);

impl StopSignals {
    /// Listens to SIGINT, SIGTERM and SIGHUP, but not to those that were ignored when barrow began (nohup, background jobs).
    ///
    /// # Errors
    /// As sigaction(2).
    pub fn listen() -> io::Result<Self> {
        let wanted = [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|number| !is_ignored(*number));
        Ok(Self(Signals::new(wanted)?))
    }

    /// The next signal's number; blocks until it comes.
    pub fn wait(&mut self) -> Option<i32> {
        self.0.forever().next()
    }
}

/// The name of a signal: `SIGINT`.
#[must_use]
pub fn signal_name(number: i32) -> &'static str {
    NixSignal::try_from(number).map_or("a signal", NixSignal::as_str)
}

fn is_ignored(number: i32) -> bool {
    // SAFETY: `sigaction` is plain data, for which all zeros is a value.
    #[allow(unsafe_code)]
    let mut current: libc::sigaction = unsafe { std::mem::zeroed() };
    // SAFETY: a null new action changes nothing; `current` lives through the call.
    #[allow(unsafe_code)]
    let result = unsafe { libc::sigaction(number, std::ptr::null(), &raw mut current) };
    result == 0 && current.sa_sigaction == libc::SIG_IGN
}

/// Turns a file over the size limit (SIGXFSZ) into an error of the write, so that one phase fails and not the process.
pub fn survive_file_size_limit() {
    // SAFETY: ignoring a signal runs no handler of ours.
    #[allow(unsafe_code)]
    let _ = unsafe { signal(NixSignal::SIGXFSZ, SigHandler::SigIgn) };
}
