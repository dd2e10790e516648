//! What a test needs of the machine: it looks for it, and skips with one line where it is missing. With `BARROW_NEED=all` a skip is a
//! failure, unless the machine can truly not have what is missing.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

/// Something that not every machine has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// The rights of root.
    Root,
    /// A program in a directory of the system.
    Program(&'static str),
    /// A file that a package brings, as a script that is in no directory of programs.
    File(&'static str),
    /// Python with the readers of markup that `.ci/run` puts into the directory that `BARROW_READERS` names.
    Readers,
    /// A filesystem that the kernel can mount.
    Filesystem(&'static str),
    /// Loop devices.
    Loop,
    /// Limits of bytes a second in the root group of the version 1 block controller.
    Throttle,
    /// Limits of memory in the version 1 controller.
    MemoryGroups,
    /// Filesystems that are served by a program (FUSE), without any program to help.
    Fuse,
    /// The packages of tests/page, below the directory that `BARROW_PAGE_MODULES` names.
    PageModules,
    /// So many bytes of memory.
    Memory(u64),
}

impl fmt::Display for Need {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root => f.write_str("root"),
            Self::Program(name) => write!(f, "the program {name}"),
            Self::File(path) => write!(f, "{path}"),
            Self::Readers => f.write_str("readers of markup in Python (BARROW_READERS, see .ci/run)"),
            Self::Filesystem(kind) => write!(f, "{kind} in the kernel"),
            Self::Loop => f.write_str("loop devices"),
            Self::Throttle => f.write_str("blkio limits (cgroup version 1)"),
            Self::MemoryGroups => f.write_str("memory limits (cgroup version 1)"),
            Self::Fuse => f.write_str("FUSE (/dev/fuse)"),
            Self::PageModules => f.write_str("the packages of tests/page (npm ci, BARROW_PAGE_MODULES)"),
            Self::Memory(bytes) => write!(f, "{} GiB of memory", bytes >> 30),
        }
    }
}

/// Where programs for root and for everybody lie; the tests' own PATH may lack the first two.
const PROGRAM_DIRECTORIES: [&str; 6] = ["/usr/sbin", "/sbin", "/usr/local/sbin", "/usr/bin", "/bin", "/usr/local/bin"];

impl Need {
    fn is_met(self) -> bool {
        match self {
            Self::Root => nix::unistd::geteuid().is_root(),
            Self::Program(name) => PROGRAM_DIRECTORIES.iter().any(|directory| Path::new(directory).join(name).is_file()),
            Self::File(path) => Path::new(path).is_file(),
            Self::Readers => python_with_readers().is_some(),
            Self::Filesystem(kind) => kernel_has(kind),
            Self::Loop => Path::new("/dev/loop-control").exists(),
            Self::Throttle => Path::new("/sys/fs/cgroup/blkio/blkio.throttle.read_bps_device").exists(),
            Self::MemoryGroups => Path::new("/sys/fs/cgroup/memory/memory.limit_in_bytes").exists(),
            Self::Fuse => fs::File::options().read(true).write(true).open("/dev/fuse").is_ok(),
            Self::PageModules => page_modules().is_some_and(|directory| directory.join("node_modules/playwright-core").is_dir()),
            Self::Memory(bytes) => barrow::sys::machine::ram_bytes().is_some_and(|ram| ram >= bytes),
        }
    }

    /// The list of what a machine can truly lack: its kernel or its size decides it, and no package brings it.
    const fn can_be_lacking_for_good(self) -> bool {
        match self {
            Self::Filesystem(_) | Self::Loop | Self::Throttle | Self::MemoryGroups | Self::Fuse | Self::Memory(_) => true,
            Self::Root | Self::Program(_) | Self::File(_) | Self::Readers | Self::PageModules => false,
        }
    }
}

/// The directory with the packages that look at pages.
pub fn page_modules() -> Option<PathBuf> {
    std::env::var_os("BARROW_PAGE_MODULES").map(PathBuf::from)
}

/// Whether the kernel has a filesystem, or has had it loaded by modprobe(8) just now.
fn kernel_has(kind: &str) -> bool {
    let is_listed = || {
        let list = fs::read_to_string("/proc/filesystems").unwrap_or_default();
        list.lines().any(|line| line.split_whitespace().last() == Some(kind))
    };
    // Where there is no modprobe, or no such module, the list stays as it was.
    is_listed() || (std::process::Command::new("modprobe").args(["-q", kind]).status().is_ok() && is_listed())
}

/// The Python of the directory that `BARROW_READERS` names.
pub fn python_with_readers() -> Option<PathBuf> {
    let python = PathBuf::from(std::env::var_os("BARROW_READERS")?).join("bin/python");
    python.is_file().then_some(python)
}

/// Whether something is missing, which is then told in one line.
///
/// # Panics
/// With `BARROW_NEED=all`, when what is missing could be had.
pub fn is_missing(needs: &[Need]) -> bool {
    let missing: Vec<Need> = needs.iter().copied().filter(|need| !need.is_met()).collect();
    if missing.is_empty() {
        return false;
    }
    let words = missing.iter().map(Need::to_string).collect::<Vec<_>>().join(", ");
    let are_all_needed = std::env::var_os("BARROW_NEED").is_some_and(|value| value == "all");
    // Where one thing cannot be had, the test cannot run, whatever else it needs.
    let is_fault = are_all_needed && !missing.iter().any(|need| need.can_be_lacking_for_good());
    assert!(!is_fault, "BARROW_NEED=all, and this test needs {words}");
    eprintln!("skipped: needs {words}");
    true
}
