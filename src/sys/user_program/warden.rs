//! The warden: a small process between barrow and a program of the user's. Whatever the program leaves behind becomes its child, and
//! nobody else is; so nothing else is ever waited for or ended, and what all of them used is what the kernel says that the warden used.
//!
//! It makes system calls only, since it is a copy of a process that had other threads. It ends when it has no child any more. When
//! barrow ends before it, it ends the program's process group and itself.

use nix::sys::signal::{SigHandler, Signal, signal};
use nix::unistd::{ForkResult, Pid, fork, getpid};
use std::ffi::{CString, c_char};
use std::io::{self, Read};
use std::os::fd::RawFd;
use std::sync::atomic::{AtomicI32, Ordering};

/// The descriptors of the warden: nothing, the news to barrow, nothing.
const NEWS: RawFd = 1;
const FIRST_OTHER: libc::c_uint = 3;
/// What a shell ends with where a program cannot be started (POSIX).
const NOT_FOUND: i32 = 127;

/// The number of the program, which is that of its process group too; 0 while there is none. In the warden alone.
static PROGRAM: AtomicI32 = AtomicI32::new(0);

/// What the warden tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum News {
    /// The program could not be started, for a reason with this number.
    NotStarted(i32),
    /// It has ended with this status (wait(2)).
    Ended(i32),
}

const NOT_STARTED: i32 = 1;
const ENDED: i32 = 2;

impl News {
    /// Reads the next one; `None` when there is none, since the warden has ended.
    ///
    /// # Errors
    /// As read(2).
    pub fn read(from: &mut impl Read) -> io::Result<Option<Self>> {
        let mut bytes = [0; 8];
        match from.read_exact(&mut bytes) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
            other => other?,
        }
        let number = |from: usize| i32::from_ne_bytes([bytes[from], bytes[from + 1], bytes[from + 2], bytes[from + 3]]);
        match number(0) {
            NOT_STARTED => Ok(Some(Self::NotStarted(number(4)))),
            _ => Ok(Some(Self::Ended(number(4)))),
        }
    }
}

/// Texts as execve(2) takes them.
pub struct Texts {
    pointers: Vec<*const c_char>,
    _texts: Vec<CString>,
}

impl Texts {
    /// Of some texts.
    ///
    /// # Errors
    /// When one holds a zero byte.
    pub fn of<T: Into<Vec<u8>>>(texts: impl IntoIterator<Item = T>) -> io::Result<Self> {
        let texts: Vec<CString> = texts.into_iter().map(CString::new).collect::<Result<_, _>>()?;
        let pointers = texts.iter().map(|text| text.as_ptr()).chain([std::ptr::null()]).collect();
        Ok(Self { pointers, _texts: texts })
    }

    const fn as_ptr(&self) -> *const *const c_char {
        self.pointers.as_ptr()
    }
}

/// What a warden is to start.
pub struct Orders {
    /// The program and its arguments; never empty.
    pub words: Texts,
    /// Its environment.
    pub environment: Texts,
    /// Its working directory.
    pub directory: RawFd,
    /// Its input.
    pub input: RawFd,
    /// Its output and its errors.
    pub output: RawFd,
    /// Where the news go.
    pub news: RawFd,
    /// How many files it may have open, and how many it may ask for.
    pub open_files: Option<(u64, u64)>,
}

/// Starts a warden, and it the program. Gives its number.
///
/// # Errors
/// As fork(2).
pub fn start(orders: &Orders) -> io::Result<Pid> {
    let barrow = getpid();
    // SAFETY: the child only makes system calls, with what was made before, and does not return.
    #[allow(unsafe_code)]
    match unsafe { fork() }? {
        ForkResult::Parent { child } => Ok(child),
        ForkResult::Child => guard(orders, barrow),
    }
}

/// What the warden does until its end.
fn guard(orders: &Orders, barrow: Pid) -> ! {
    set_blocked(true);
    take_the_post(barrow);
    // SAFETY: as of the warden itself.
    #[allow(unsafe_code)]
    match unsafe { libc::fork() } {
        0 => become_program(orders),
        -1 => tell(orders.news, NOT_STARTED, errno()),
        program => {
            PROGRAM.store(program, Ordering::SeqCst);
            keep_news_only(orders);
            listen_to_the_end_of_barrow();
            wait_for_all(program);
        }
    }
    leave(0)
}

/// What is typed at the terminal is for barrow; what loses its parent below comes here; and barrow's end is a signal.
fn take_the_post(barrow: Pid) {
    // SAFETY: the calls take integers and a text that ends with a zero byte.
    #[allow(unsafe_code)]
    unsafe {
        libc::setpgid(0, 0);
        libc::prctl(libc::PR_SET_NAME, c"barrow-warden".as_ptr());
        libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGTERM, 0, 0, 0);
        libc::signal(libc::SIGCHLD, libc::SIG_DFL);
        if libc::getppid() != barrow.as_raw() {
            leave(0);
        }
    }
}

fn become_program(orders: &Orders) -> ! {
    // SAFETY: the calls take integers, and texts and a limit that live through them.
    #[allow(unsafe_code)]
    unsafe {
        libc::setpgid(0, 0);
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL, 0, 0, 0);
        // barrow has turned these off for itself.
        libc::signal(libc::SIGPIPE, libc::SIG_DFL);
        libc::signal(libc::SIGXFSZ, libc::SIG_DFL);
        if let Some((soft, hard)) = orders.open_files {
            let limit = libc::rlimit { rlim_cur: soft, rlim_max: hard };
            libc::setrlimit(libc::RLIMIT_NOFILE, &raw const limit);
        }
        let is_ready = libc::fchdir(orders.directory) == 0
            && libc::dup2(orders.input, 0) == 0
            && libc::dup2(orders.output, 1) == 1
            && libc::dup2(orders.output, 2) == 2;
        set_blocked(false);
        if is_ready {
            // All other descriptors are closed by it.
            libc::execvpe(*orders.words.as_ptr(), orders.words.as_ptr(), orders.environment.as_ptr());
        }
    }
    tell(orders.news, NOT_STARTED, errno());
    leave(NOT_FOUND)
}

/// Every descriptor that the warden keeps would be kept from its end: the program's output, barrow's locks, the filesystem itself.
fn keep_news_only(orders: &Orders) {
    // SAFETY: the calls take integers and a text; nobody in this process uses the other descriptors.
    #[allow(unsafe_code)]
    unsafe {
        libc::chdir(c"/".as_ptr());
        libc::dup2(orders.input, 0);
        libc::dup2(orders.news, NEWS);
        libc::dup2(orders.input, 2);
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

fn listen_to_the_end_of_barrow() {
    // SAFETY: the handler makes system calls only; the set of signals lives through the calls.
    #[allow(unsafe_code)]
    unsafe {
        let _ = signal(Signal::SIGTERM, SigHandler::Handler(end_program));
        let mut heard: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut heard);
        libc::sigaddset(&raw mut heard, libc::SIGTERM);
        libc::sigprocmask(libc::SIG_UNBLOCK, &raw const heard, std::ptr::null_mut());
    }
}

extern "C" fn end_program(_signal: libc::c_int) {
    let program = PROGRAM.load(Ordering::SeqCst);
    if program > 1 {
        // SAFETY: the call takes integers.
        #[allow(unsafe_code)]
        unsafe {
            libc::kill(-program, libc::SIGKILL);
        }
    }
    leave(1)
}

/// Waits for the program and for everything that it leaves behind.
fn wait_for_all(program: libc::pid_t) {
    loop {
        let mut status = 0;
        // SAFETY: the status lives through the call.
        #[allow(unsafe_code)]
        let ended = unsafe { libc::waitpid(-1, &raw mut status, 0) };
        match ended {
            -1 if errno() == libc::EINTR => {}
            -1 => return,
            _ if ended == program => {
                PROGRAM.store(0, Ordering::SeqCst);
                tell(NEWS, ENDED, status);
            }
            _ => {}
        }
    }
}

/// Tells barrow something; so short a text goes through a pipe whole.
fn tell(news: RawFd, kind: i32, number: i32) {
    let words = [kind, number];
    // SAFETY: the two numbers live through the call.
    #[allow(unsafe_code)]
    unsafe {
        libc::write(news, words.as_ptr().cast(), size_of_val(&words));
    }
}

/// Blocks all signals, or none.
fn set_blocked(are_blocked: bool) {
    // SAFETY: all zeros is a value of a set of signals, which lives through the calls.
    #[allow(unsafe_code)]
    unsafe {
        let mut set: libc::sigset_t = std::mem::zeroed();
        if are_blocked {
            libc::sigfillset(&raw mut set);
        } else {
            libc::sigemptyset(&raw mut set);
        }
        libc::sigprocmask(libc::SIG_SETMASK, &raw const set, std::ptr::null_mut());
    }
}

fn errno() -> i32 {
    nix::errno::Errno::last_raw()
}

fn leave(code: i32) -> ! {
    // SAFETY: nothing is left to be done at this process' end: what is in memory is a copy of barrow's.
    #[allow(unsafe_code)]
    unsafe {
        libc::_exit(code)
    }
}
