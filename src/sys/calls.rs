//! Whether the system calls that every run needs are to be had: a sandbox may refuse some of them (seccomp(2)).

use nix::errno::Errno;

/// A call that every run needs, with arguments with which it fails before it does anything.
struct Needed {
    name: &'static str,
    number: libc::c_long,
    first: libc::c_long,
    second: libc::c_long,
}

const fn on_no_file(name: &'static str, number: libc::c_long, second: libc::c_long) -> Needed {
    Needed { name, number, first: -1, second }
}

/// Without these nothing can be measured, counted, or removed again. The kernel answers that -1 is no descriptor, or 0 no address.
const NEEDED: [Needed; 12] = [
    on_no_file("fsync", libc::SYS_fsync, 0),
    on_no_file("syncfs", libc::SYS_syncfs, 0),
    on_no_file("pread64", libc::SYS_pread64, 0),
    on_no_file("pwrite64", libc::SYS_pwrite64, 0),
    on_no_file("flock", libc::SYS_flock, libc::LOCK_UN as libc::c_long),
    on_no_file("fchmod", libc::SYS_fchmod, 0o700),
    on_no_file("fcntl", libc::SYS_fcntl, libc::F_DUPFD_CLOEXEC as libc::c_long),
    on_no_file("mkdirat", libc::SYS_mkdirat, 0),
    on_no_file("unlinkat", libc::SYS_unlinkat, 0),
    on_no_file("getdents64", libc::SYS_getdents64, 0),
    on_no_file("ftruncate", libc::SYS_ftruncate, 0),
    Needed { name: "getrusage", number: libc::SYS_getrusage, first: libc::RUSAGE_SELF as libc::c_long, second: 0 },
];

/// The calls that every run needs and that are refused here, by their names in the manual.
#[must_use]
pub fn refused() -> Vec<&'static str> {
    let mut refused: Vec<&str> = NEEDED.iter().filter(|needed| is_refusal(answer(needed))).map(|needed| needed.name).collect();
    if is_refusal(answer_to_advice()) {
        refused.push("fadvise64");
    }
    refused
}

fn answer(needed: &Needed) -> Errno {
    let none: libc::c_long = 0;
    // SAFETY: every call of the table fails on its first two arguments, which are no descriptor and no address, and touches no memory.
    #[allow(unsafe_code)]
    let result = unsafe { libc::syscall(needed.number, needed.first, needed.second, none, none) };
    if result == -1 { Errno::last() } else { Errno::from_raw(0) }
}

/// Its number differs between architectures, and the C library knows it.
fn answer_to_advice() -> Errno {
    // SAFETY: -1 is no descriptor, and there are no addresses.
    #[allow(unsafe_code)]
    let result = unsafe { libc::posix_fadvise(-1, 0, 0, libc::POSIX_FADV_RANDOM) };
    Errno::from_raw(result)
}

/// How filters refuse calls, and how kernels say that they do not have one.
fn is_refusal(answer: Errno) -> bool {
    matches!(answer, Errno::EPERM | Errno::EACCES | Errno::ENOSYS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_call_fails_for_its_arguments_alone() {
        for needed in &NEEDED {
            let answer = answer(needed);
            assert!(matches!(answer, Errno::EBADF | Errno::EFAULT), "{}: {answer}", needed.name);
        }
        assert_eq!(answer_to_advice(), Errno::EBADF);
        assert_eq!(refused(), [""; 0]);
    }

    #[test]
    fn an_unknown_call_is_a_refusal() {
        assert!(is_refusal(answer(&on_no_file("none", 100_000, 0))));
        assert!(!is_refusal(Errno::EBADF) && !is_refusal(Errno::from_raw(0)));
    }
}
