//! A filesystem of the tests' own (FUSE): it lies in memory, takes as long as it is told for each operation, meets faults where they are
//! planned, and keeps a log of what reached it. The process of the test serves it, so that only child processes may open files on it.

mod fault;
mod hang;
mod schedule;
mod server;
mod tree;

pub use fault::{Fault, Planned};
pub use schedule::{Delays, Operation, Step, TimedStep};

use fuser::{BackgroundSession, Config, MountOption};
use schedule::Schedule;
use server::Server;
use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tempfile::TempDir;
use tree::Tree;

/// What the filesystem is like.
#[derive(Debug, Clone, Copy, Default)]
pub struct Behaviour {
    /// Every read and write reaches the server (FOPEN_DIRECT_IO); else reads are answered from the page cache where they can be.
    pub passes_page_cache: bool,
    /// `O_DIRECT` is refused at open with `EINVAL`.
    pub refuses_direct_io: bool,
    /// While one operation hangs, others are answered; else the whole filesystem stands still then.
    pub goes_on_in_a_hang: bool,
    /// How long the operations take.
    pub delays: Delays,
}

/// Operations that are answered at the same time where a hang is not to stop the others.
const THREADS: usize = 8;

/// A mounted filesystem that this process serves. Gone when dropped, even while a client still has files open on it.
pub struct FuseFilesystem {
    schedule: Arc<Schedule>,
    tree: Arc<Mutex<Tree>>,
    session: Option<BackgroundSession>,
    home: TempDir,
}

impl FuseFilesystem {
    /// Mounts an empty one.
    pub fn of(behaviour: Behaviour) -> Self {
        let home = tempfile::Builder::new().prefix("barrow-fuse-").tempdir().unwrap();
        let (schedule, tree) = (Arc::new(Schedule::of(behaviour.delays)), Arc::new(Mutex::new(Tree::new())));
        let mut config = Config::default();
        config.n_threads = Some(if behaviour.goes_on_in_a_hang { THREADS } else { 1 });
        let server = Server::of(behaviour, Arc::clone(&schedule), Arc::clone(&tree));
        config.mount_options = vec![MountOption::FSName("barrow-test".to_owned())];
        let session = fuser::spawn_mount(server, home.path(), &config).unwrap();
        Self { schedule, tree, session: Some(session), home }
    }

    /// Where it is mounted, for a child process.
    pub fn path(&self) -> &Path {
        self.home.path()
    }

    /// What reached it so far, in order.
    pub fn log(&self) -> Vec<Step> {
        self.schedule.log()
    }

    /// The same, with the times of each.
    pub fn timed_log(&self) -> Vec<TimedStep> {
        self.schedule.timed_log()
    }

    /// Plans one more fault. Where several befall one operation, the first counts.
    pub fn plan(&self, planned: Planned) {
        self.schedule.plan(planned);
    }

    /// What met a fault so far, in order.
    pub fn befallen(&self) -> Vec<Step> {
        self.schedule.befallen()
    }

    /// Waits until an operation hangs.
    ///
    /// # Panics
    /// When none does in two minutes.
    pub fn wait_for_hang(&self) {
        self.schedule.gate.wait_for_hang();
    }

    /// Lets everything that hangs go on; nothing hangs any more.
    pub fn release(&self) {
        self.schedule.gate.open();
    }

    /// Ends the connection: whatever hangs fails with `ECONNABORTED`, and every later call with `ENOTCONN`. The mount stays as long as it
    /// is in use.
    pub fn abort(&self) {
        self.unmount(libc::MNT_FORCE);
        self.release();
    }

    fn unmount(&self, how: libc::c_int) {
        let path = CString::new(self.home.path().as_os_str().as_bytes()).unwrap_or_default();
        // SAFETY: the path is a string that ends in a zero byte and lives until the call is over.
        #[allow(unsafe_code)]
        unsafe {
            libc::umount2(path.as_ptr(), how);
        }
    }

    /// The names in its root. They are read in memory: this process must not open what it serves.
    pub fn root_names(&self) -> Vec<String> {
        locked(&self.tree).root_names()
    }

    /// The names of all files on it.
    pub fn file_names(&self) -> Vec<String> {
        locked(&self.tree).file_names()
    }
}

impl Drop for FuseFilesystem {
    fn drop(&mut self) {
        // Who hangs would wait for ever, and who serves with it.
        self.release();
        // Taken out of sight at once, whatever is still open: the umount of fuser gives up then.
        self.unmount(libc::MNT_DETACH);
        drop(self.session.take());
    }
}

/// What another thread left behind when it panicked is good enough to go on with.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
