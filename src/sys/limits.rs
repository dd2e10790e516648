//! Limits of the process.

use nix::sys::resource::{Resource, getrlimit, setrlimit};

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
