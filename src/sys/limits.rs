//! Limits of the process.

use nix::sys::resource::{Resource, getrlimit, setrlimit};

/// The limit of the process' address space in bytes; `None` where there is none.
#[must_use]
pub fn address_space() -> Option<u64> {
    getrlimit(Resource::RLIMIT_AS).ok().map(|(soft, _)| soft).filter(|soft| *soft != libc::RLIM_INFINITY)
}

/// Files that the process may have open at once, when it has raised that number as far as it may.
#[must_use]
pub fn most_open_files() -> Option<u64> {
    getrlimit(Resource::RLIMIT_NOFILE).ok().map(|(_, hard)| hard)
}

/// Raises the number of open files to what the system allows, and tells it.
#[must_use]
pub fn raise_open_files() -> u64 {
    let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_NOFILE) else {
        return 1024;
    };
    match setrlimit(Resource::RLIMIT_NOFILE, hard, hard) {
        Ok(()) => hard,
        Err(_) => soft,
    }
}
