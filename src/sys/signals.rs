//! Signals that ask barrow to stop, and those that must not end it.

use nix::sys::signal::{SigHandler, Signal as NixSignal, signal};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::unregister;
use signal_hook::{SigId, flag};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Whether a signal has asked barrow to stop, and which: set the moment it comes, before anybody can be told.
#[derive(Debug, Default)]
pub struct Asked {
    wanted: Arc<AtomicBool>,
    number: Arc<AtomicUsize>,
}

impl Asked {
    /// What becomes true.
    #[must_use]
    pub const fn flag(&self) -> &Arc<AtomicBool> {
        &self.wanted
    }

    /// The number of the last signal that asked.
    #[must_use]
    pub fn signal(&self) -> Option<i32> {
        let is_wanted = self.wanted.load(Ordering::SeqCst);
        is_wanted.then(|| i32::try_from(self.number.load(Ordering::SeqCst)).unwrap_or(SIGTERM))
    }
}

/// The signals that ask barrow to stop, as iterator: blocks until the next one comes.
#[derive(Debug)]
pub struct StopSignals {
    signals: Signals,
    /// What ends the process at a second signal as long as nobody attends to them.
    unattended: Vec<SigId>,
}

impl StopSignals {
    /// Listens to SIGINT, SIGTERM and SIGHUP, but not to those that were ignored when barrow began (nohup, background jobs).
    ///
    /// # Errors
    /// As sigaction(2).
    pub fn listen(asked: &Asked) -> io::Result<Self> {
        let wanted: Vec<i32> = [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|number| !is_ignored(*number)).collect();
        let (mut unattended, came) = (Vec::new(), Arc::new(AtomicBool::new(false)));
        for number in &wanted {
            unattended.push(flag::register_conditional_default(*number, Arc::clone(&came))?);
            unattended.push(flag::register(*number, Arc::clone(&came))?);
            flag::register_usize(*number, Arc::clone(&asked.number), *number as usize)?;
            flag::register(*number, Arc::clone(&asked.wanted))?;
        }
        Ok(Self { signals: Signals::new(wanted)?, unattended })
    }

    /// From here on a second signal does not end the process by itself.
    pub fn attend(&mut self) {
        for registered in self.unattended.drain(..) {
            unregister(registered);
        }
    }

    /// The next signal's number; blocks until it comes.
    pub fn wait(&mut self) -> Option<i32> {
        self.signals.forever().next()
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
