//! Who this process is, and how it ends.

use nix::sys::signal::{SigHandler, Signal, raise, signal};
use nix::sys::stat::{Mode, umask};

/// The effective user's number.
#[must_use]
pub fn effective_user() -> u32 {
    nix::unistd::geteuid().as_raw()
}

/// Whether this process has the rights of root.
#[must_use]
pub fn is_root() -> bool {
    effective_user() == 0
}

/// Lets this process use the files that it makes, whatever umask it was started with: what that takes from others stays taken.
pub fn keep_own_rights() {
    // There is no way to ask for the umask but to set it; no other thread is there yet to make a file meanwhile.
    let taken = umask(Mode::S_IRWXG | Mode::S_IRWXO);
    umask(taken - Mode::S_IRWXU);
}

/// Ends this process by a signal, so that whoever started it sees which one. Returns only if the signal does not end it.
pub fn end_by_signal(number: i32) {
    let Ok(which) = Signal::try_from(number) else {
        return;
    };
    // SAFETY: the default action runs no handler of ours.
    #[allow(unsafe_code)]
    let restored = unsafe { signal(which, SigHandler::SigDfl) };
    if restored.is_ok() {
        let _ = raise(which);
    }
}
