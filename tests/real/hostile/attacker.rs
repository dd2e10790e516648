//! Another user who can write in the directory that is measured, and swaps, renames and plants there as fast as he can.

use nix::fcntl::{AT_FDCWD, RenameFlags, renameat2};
use nix::sys::stat::{Mode, SFlag, mknod};
use nix::unistd::mkfifo;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// His number, and that of his group.
pub const ATTACKER: u32 = 4242;
/// Trees in the directory itself that belong to root.
pub const SIBLINGS: [(&str, u32); 2] = [("results", 0o755), ("closed results", 0o700)];

/// The things that he has ready, each in a directory of his own, made by root where only root can make them.
pub struct Arsenal {
    /// In the directory that is attacked, since a directory of root's can only be renamed there.
    baits: Vec<PathBuf>,
    /// To be put in the place of a run file.
    pub run_files: Vec<PathBuf>,
}

impl Arsenal {
    /// Puts baits into the directory that is attacked: links to trees of others, and a directory of his own with traps; and things to
    /// be taken for a run file into another one.
    pub fn of(directory: &Path, home: &Path, victims: &Path) -> Self {
        fs::create_dir(home).unwrap();
        chown(home, Some(ATTACKER), Some(ATTACKER)).unwrap();
        let mut baits = Vec::new();
        for tree in ["tree", "closed tree", "nobody's tree"] {
            let bait = directory.join(format!("link to {tree}"));
            symlink(victims.join(tree), &bait).unwrap();
            baits.push(bait);
        }
        baits.push(trap(&directory.join("trap"), victims));
        baits.extend(SIBLINGS.map(|(sibling, _)| directory.join(sibling)));
        let path = |name: &str| home.join(name);
        for (name, goal) in [("link to runs", "runs"), ("link to empty", "empty"), ("link to nothing", "nothing"), ("link to tree", "tree")]
        {
            symlink(victims.join(goal), path(&format!("file: {name}"))).unwrap();
        }
        fs::hard_link(victims.join("runs"), path("file: runs")).unwrap();
        fs::hard_link(victims.join("empty"), path("file: empty")).unwrap();
        mkfifo(&path("file: pipe"), Mode::S_IRWXU).unwrap();
        device(&path("file: device"));
        fs::create_dir(path("file: directory")).unwrap();
        fs::write(path("file: notes"), "# notes\n").unwrap();
        fs::write(path("file: own"), "").unwrap();
        for name in ["file: pipe", "file: notes", "file: own"] {
            chown(path(name), Some(ATTACKER), Some(ATTACKER)).unwrap();
        }
        let entries = fs::read_dir(home).unwrap().map(|entry| entry.unwrap().path());
        let is_run_file = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().starts_with("file: ");
        Self { baits, run_files: entries.filter(is_run_file).collect() }
    }
}

fn device(path: &Path) {
    mknod(path, SFlag::S_IFCHR, Mode::S_IRWXU, nix::sys::stat::makedev(1, 3)).unwrap();
}

/// A directory of his own in the form of barrow's, in which every name is something else.
fn trap(path: &Path, victims: &Path) -> PathBuf {
    fs::create_dir(path).unwrap();
    fs::hard_link(victims.join("empty"), path.join("marker")).unwrap();
    symlink(victims.join("tree/block.0"), path.join("block.0")).unwrap();
    fs::hard_link(victims.join("runs"), path.join("block.1")).unwrap();
    mkfifo(&path.join("block.2"), Mode::S_IRWXU).unwrap();
    device(&path.join("block.3"));
    symlink(victims.join("tree/sequential.0.0"), path.join("sequential.0.0")).unwrap();
    symlink(victims.join("tree/random.0.0"), path.join("random.0.0")).unwrap();
    chown(path, Some(ATTACKER), Some(ATTACKER)).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o700)).unwrap();
    path.to_owned()
}

/// What he has done so far.
#[derive(Default)]
pub struct Deeds {
    pub swaps: AtomicU64,
    pub renames: AtomicU64,
    pub plants: AtomicU64,
    pub run_files: AtomicU64,
}

/// Makes this thread, and no other one, his; only root's can be.
pub fn become_attacker() {
    // SAFETY: the calls take integers and a null pointer with the length 0; made directly, they change this thread alone.
    #[allow(unsafe_code)]
    unsafe {
        assert_eq!(libc::syscall(libc::SYS_setgroups, 0, std::ptr::null::<libc::gid_t>()), 0);
        assert_eq!(libc::syscall(libc::SYS_setresgid, ATTACKER, ATTACKER, ATTACKER), 0);
        assert_eq!(libc::syscall(libc::SYS_setresuid, ATTACKER, ATTACKER, ATTACKER), 0);
    }
}

fn exchange(a: &Path, b: &Path) -> bool {
    renameat2(AT_FDCWD, a, AT_FDCWD, b, RenameFlags::RENAME_EXCHANGE).is_ok()
}

/// Attacks a directory until the end, but not while there is peace.
pub fn attack(directory: &Path, arsenal: &Arsenal, deeds: &Deeds, peace: &AtomicBool, end: &AtomicBool) {
    let count = |counter: &AtomicU64, is_done: bool| {
        counter.fetch_add(u64::from(is_done), Ordering::Relaxed);
    };
    let mut turn = 0_usize;
    while !end.load(Ordering::Relaxed) {
        turn += 1;
        // Between any two system calls of barrow's, in the course of many turns.
        std::thread::sleep(Duration::from_micros(100 + (turn as u64 * 37) % 400));
        if peace.load(Ordering::Relaxed) {
            continue;
        }
        if turn.is_multiple_of(70) {
            let file = &arsenal.run_files[turn / 70 % arsenal.run_files.len()];
            let goal = directory.join("barrow.jsonl");
            let is_done = exchange(&goal, file) || renameat2(AT_FDCWD, file, AT_FDCWD, &goal, RenameFlags::RENAME_NOREPLACE).is_ok();
            count(&deeds.run_files, is_done);
        }
        let Some(scratch) = scratch_in(directory) else { continue };
        let hold = Duration::from_micros(turn as u64 * 101 % 1000);
        // A directory that is taken away for good ends a run, one that is put back does not.
        if turn.is_multiple_of(32) {
            let is_done = fs::rename(&scratch, directory.join(format!("away {turn}"))).is_ok();
            count(&deeds.renames, is_done);
            // Something else of that name.
            let planted = match turn / 32 % 3 {
                0 => mkfifo(&scratch, Mode::S_IRWXU).is_ok(),
                1 => fs::create_dir(&scratch).and_then(|()| fs::write(scratch.join("block.0"), "his")).is_ok(),
                _ => symlink("..", &scratch).is_ok(),
            };
            count(&deeds.plants, planted);
            continue;
        }
        let goal = &arsenal.baits[turn % arsenal.baits.len()];
        let is_done = exchange(&scratch, goal);
        std::thread::sleep(hold);
        if is_done {
            exchange(&scratch, goal);
        }
        count(&deeds.swaps, is_done);
    }
}

/// A directory of another user's that has the name of a scratch directory.
fn scratch_in(directory: &Path) -> Option<PathBuf> {
    let mut entries = fs::read_dir(directory).ok()?.flatten();
    let scratch = entries.find(|entry| {
        let is_named_so = entry.file_name().to_string_lossy().starts_with(".barrow-");
        is_named_so && entry.metadata().is_ok_and(|status| status.is_dir() && status.uid() != ATTACKER)
    });
    scratch.map(|entry| entry.path())
}
