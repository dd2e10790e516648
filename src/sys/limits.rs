//! Limits of the process: what it may have, and whether threads and memory can truly be had.

use nix::sys::resource::{Resource, getrlimit, setrlimit};
use std::hint::black_box;
use std::io;
use std::sync::{Mutex, OnceLock};
use std::thread;

/// The limit of the process' address space in bytes; `None` where there is none.
#[must_use]
pub fn address_space() -> Option<u64> {
    getrlimit(Resource::RLIMIT_AS).ok().map(|(soft, _)| soft).filter(|soft| *soft != libc::RLIM_INFINITY)
}

/// Lets all threads allocate from one heap where the address space is limited: the C library would give each thread a heap of its own,
/// which takes 64 MiB of addresses however little is in it (`M_ARENA_MAX`, mallopt(3)). To be called before there are threads.
pub fn share_one_heap_if_limited() {
    #[cfg(target_env = "gnu")]
    if address_space().is_some() {
        // SAFETY: this sets a number that the allocator reads; no other thread allocates yet.
        #[allow(unsafe_code)]
        let _ = unsafe { libc::mallopt(libc::M_ARENA_MAX, 1) };
    }
}

/// Files that the process may have open at once, when it has raised that number as far as it may.
#[must_use]
pub fn most_open_files() -> Option<u64> {
    getrlimit(Resource::RLIMIT_NOFILE).ok().map(|(_, hard)| hard)
}

/// How many files this process might have open when it began, before it raised that number, and how many it could have asked for.
static FIRST_OPEN_FILES: OnceLock<(u64, u64)> = OnceLock::new();

/// How many files this process might have open when it began, and how many it could have asked for: programs that it starts are to have
/// the same. `None` where it never raised the number.
#[must_use]
pub fn first_open_files() -> Option<(u64, u64)> {
    FIRST_OPEN_FILES.get().copied()
}

/// Raises the number of open files to what the system allows, and tells it.
#[must_use]
pub fn raise_open_files() -> u64 {
    let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_NOFILE) else {
        return 1024;
    };
    FIRST_OPEN_FILES.get_or_init(|| (soft, hard));
    match setrlimit(Resource::RLIMIT_NOFILE, hard, hard) {
        Ok(()) => hard,
        Err(_) => soft,
    }
}

/// What the system does not give.
#[derive(Debug)]
pub enum Scarcity {
    /// A thread more than so many.
    Threads {
        /// How many could be started.
        started: u64,
        /// What the system said to the next one.
        source: io::Error,
    },
    /// So much memory beside the threads' own.
    Memory,
}

/// Starts so many threads at once, which do nothing, reserves so many bytes beside them without touching these, and lets all of it go
/// again: what fails here would fail later, in the middle of a run. It depends on limits of processes, of memory and of control
/// groups, and on what else the user has started.
///
/// # Errors
/// When it cannot be had.
pub fn try_out(threads: u64, bytes: u64) -> Result<(), Scarcity> {
    let gate = Mutex::new(());
    thread::scope(|scope| {
        // No thread passes before the end of this scope, on whatever way it ends.
        let _closed = gate.lock();
        for started in 0..threads {
            let spawned = thread::Builder::new().spawn_scoped(scope, || drop(gate.lock()));
            spawned.map_err(|source| Scarcity::Threads { started, source })?;
        }
        let mut room: Vec<u8> = Vec::new();
        let reserved = usize::try_from(bytes).is_ok_and(|bytes| room.try_reserve_exact(bytes).is_ok());
        // Memory that nobody looks at may be left out by the compiler.
        black_box(&mut room);
        if reserved { Ok(()) } else { Err(Scarcity::Memory) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_threads_and_bytes_can_be_had_and_no_machine_has_all_addresses() {
        assert!(try_out(3, 1 << 20).is_ok());
        assert!(matches!(try_out(1, u64::MAX), Err(Scarcity::Memory)));
        assert!(matches!(try_out(0, 1 << 60), Err(Scarcity::Memory)));
    }
}
