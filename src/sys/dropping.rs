//! A small child that stays root when its parent gives up its rights, and does one thing for it: it drops the system's caches.
//!
//! It knows two requests of one byte, drop and quit, and takes no path or other word from anybody. It has no descriptor but its socket,
//! the open /proc/sys/vm/drop_caches and one that tells of its parent's end, no capability, and a session of its own, and it ends with
//! its parent, however that ends.

use super::caches::{DROP_ALL, DROP_FILE};
use super::privileges::forget_capabilities;
use nix::sys::wait::waitpid;
use nix::unistd::{ForkResult, Pid, fork};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;

const DROP: u8 = b'd';
const QUIT: u8 = b'q';
/// The descriptors of the child.
const SOCKET: RawFd = 0;
const CACHES: RawFd = 1;
const PARENT: RawFd = 2;
const FIRST_OTHER: libc::c_uint = 3;

/// The child, from its parent's side. It ends when this is dropped.
#[derive(Debug)]
pub struct DroppingChild {
    socket: UnixStream,
    child: Pid,
}

impl DroppingChild {
    /// Starts it. Must be called before any thread is started, and as root.
    ///
    /// # Errors
    /// When this process may not write to /proc/sys/vm/drop_caches, or have a child.
    pub fn start() -> io::Result<Self> {
        let caches = File::options().write(true).open(DROP_FILE)?;
        let (ours, theirs) = UnixStream::pair()?;
        let parent = handle_of_this_process();
        // SAFETY: no other thread is there yet, so no lock can be held for ever in the child; it only makes system calls and does not
        // return.
        #[allow(unsafe_code)]
        match unsafe { fork() }? {
            ForkResult::Parent { child } => Ok(Self { socket: ours, child }),
            ForkResult::Child => serve(theirs.as_raw_fd(), caches.as_raw_fd(), parent.as_ref().map(AsRawFd::as_raw_fd)),
        }
    }

    /// Has it drop page cache, dentries and inodes once.
    ///
    /// # Errors
    /// As writing to /proc/sys/vm/drop_caches; or when the child is gone.
    pub fn drop_once(&mut self) -> io::Result<()> {
        let mut answer = [0; 4];
        let asked = self.socket.write_all(&[DROP]).and_then(|()| self.socket.read_exact(&mut answer));
        asked.map_err(|_| io::Error::other("the child that drops them has ended"))?;
        match i32::from_ne_bytes(answer) {
            0 => Ok(()),
            number => Err(io::Error::from_raw_os_error(number)),
        }
    }
}

impl Drop for DroppingChild {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.socket.write_all(&[QUIT]);
        while waitpid(self.child, None) == Err(nix::errno::Errno::EINTR) {}
    }
}

/// What becomes readable when this process ends; `None` on kernels before 5.3, where only the end of the socket tells of it.
fn handle_of_this_process() -> Option<OwnedFd> {
    // SAFETY: the call takes two integers, and no memory.
    #[allow(unsafe_code)]
    let handle = unsafe { libc::syscall(libc::SYS_pidfd_open, nix::unistd::getpid().as_raw(), 0) };
    let handle = RawFd::try_from(handle).ok().filter(|handle| *handle >= 0)?;
    // SAFETY: the descriptor is new and nobody else's.
    #[allow(unsafe_code)]
    Some(unsafe { OwnedFd::from_raw_fd(handle) })
}

/// What the child does until its end. It owns the copies of all descriptors that a fork leaves it, and closes them itself.
fn serve(socket: RawFd, caches: RawFd, parent: Option<RawFd>) -> ! {
    leave_the_terminal();
    // The numbers that are given up here are those of the standard streams; Rust's start sees to it that none of ours has them.
    // SAFETY: the calls take integers, and no memory; nothing in this process uses a descriptor by another name from here on.
    #[allow(unsafe_code)]
    unsafe {
        libc::dup2(socket, SOCKET);
        libc::dup2(caches, CACHES);
        match parent {
            Some(parent) => libc::dup2(parent, PARENT),
            None => libc::close(PARENT),
        };
    }
    close_all_others();
    if forget_capabilities().is_err() {
        end();
    }
    while wait_for_request(parent.is_some()) {
        let Some(answer) = answer() else { break };
        let answer = answer.to_ne_bytes();
        // SAFETY: the buffer lives through the call.
        #[allow(unsafe_code)]
        let written = unsafe { libc::write(SOCKET, answer.as_ptr().cast(), answer.len()) };
        if written != 4 {
            break;
        }
    }
    end()
}

fn end() -> ! {
    // SAFETY: nothing is left to be done at this process' end: what is in memory is a copy of the parent's.
    #[allow(unsafe_code)]
    unsafe {
        libc::_exit(0)
    }
}

/// What is typed at the terminal, and its end, are for the parent; and no directory is kept busy.
fn leave_the_terminal() {
    // SAFETY: all zeros is a value of a set of signals, which lives through the calls; the texts end with a zero byte.
    #[allow(unsafe_code)]
    unsafe {
        let mut all: libc::sigset_t = std::mem::zeroed();
        libc::sigfillset(&raw mut all);
        libc::sigprocmask(libc::SIG_SETMASK, &raw const all, std::ptr::null_mut());
        libc::setsid();
        libc::chdir(c"/".as_ptr());
        libc::prctl(libc::PR_SET_NAME, c"barrow-caches".as_ptr());
        libc::prctl(libc::PR_SET_DUMPABLE, 0, 0, 0, 0);
        libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    }
}

fn close_all_others() {
    // SAFETY: the calls take integers, and no memory; nobody in this process uses these descriptors any more.
    #[allow(unsafe_code)]
    unsafe {
        if libc::syscall(libc::SYS_close_range, FIRST_OTHER, libc::c_uint::MAX, 0) == 0 {
            return;
        }
        // Kernels before 5.9.
        let most = RawFd::try_from(libc::sysconf(libc::_SC_OPEN_MAX)).unwrap_or(RawFd::MAX);
        for descriptor in (FIRST_OTHER as RawFd)..most {
            libc::close(descriptor);
        }
    }
}

/// Waits for a request; false when the parent has ended or its socket is closed.
fn wait_for_request(has_parent: bool) -> bool {
    // A negative number is passed over (poll(2)).
    let parent = if has_parent { PARENT } else { -1 };
    let mut waited = [SOCKET, parent].map(|fd| libc::pollfd { fd, events: libc::POLLIN, revents: 0 });
    loop {
        // SAFETY: the two descriptions live through the call.
        #[allow(unsafe_code)]
        let ready = unsafe { libc::poll(waited.as_mut_ptr(), 2, -1) };
        if ready > 0 {
            return waited[1].revents == 0;
        }
        if ready < 0 && io::Error::last_os_error().raw_os_error() != Some(libc::EINTR) {
            return false;
        }
    }
}

/// Does what is asked; the number of its error, 0 where there was none. `None` when there is nothing more to do.
fn answer() -> Option<i32> {
    let mut request = 0_u8;
    // SAFETY: the one byte lives through the call.
    #[allow(unsafe_code)]
    let read = unsafe { libc::read(SOCKET, (&raw mut request).cast(), 1) };
    if read != 1 || request != DROP {
        return None;
    }
    // SAFETY: the word lives through the call.
    #[allow(unsafe_code)]
    let written = unsafe { libc::pwrite(CACHES, DROP_ALL.as_ptr().cast(), DROP_ALL.len(), 0) };
    if written >= 0 { Some(0) } else { io::Error::last_os_error().raw_os_error() }
}
