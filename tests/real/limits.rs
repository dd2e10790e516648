//! Limits of processes, users, control groups and sandboxes: barrow measures all the same, or refuses before it has measured anything,
//! with the reason and what to do.

use super::device::MemoryFilesystem;
use super::driver::{Desk, Finished, User, alone, scratches, through_shell};
use super::need::{Need, is_missing};
use super::sandbox::{CACHESTAT, refusing, sandboxed};
use barrow::model::label::{CacheLabel, Durability};
use barrow::model::phase::Phase;
use barrow::model::record::{RunRecord, Status};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

const WORK: &str = "file_size=1m chunk_size=64k seeks=20 seek_seconds=0 files=20";
/// Rows that are tried at the same time: most of each is waiting for a quiet machine.
const AT_ONCE: usize = 4;

/// How barrow must end under a limit.
enum Ends {
    /// Every phase has its number.
    Works,
    /// So too, and the record says so much and no more.
    WorksWith(fn(&RunRecord)),
    /// Exit 1 with these words, and nothing was measured or made.
    Refuses(Vec<String>),
    /// Exit 1 with these words, and the run is kept.
    Keeps(&'static str),
}

fn refuses(words: &[&str]) -> Ends {
    Ends::Refuses(words.iter().map(|word| (*word).to_owned()).collect())
}

/// A limit, and how barrow is started under it.
struct Limit {
    name: String,
    start: Box<dyn Fn(&Desk) -> Command + Sync>,
    ends: Ends,
}

/// A limit that a shell sets before it becomes barrow.
fn by_shell(name: &str, first: impl Into<String>, settings: &'static str, ends: Ends) -> Limit {
    let first = first.into();
    let start = move |desk: &Desk| through_shell(&first, &measuring(desk, settings, &target(desk)));
    Limit { name: name.to_owned(), start: Box::new(start), ends }
}

/// A limit for a user of its own, whose processes nobody else counts with; `before` are programs that set it.
fn for_user(name: &str, user: u32, before: &'static str, settings: &'static str, ends: Ends) -> Limit {
    let start = move |desk: &Desk| {
        let mut command = desk.run(User::Nobody, &format!("{WORK} {settings}"), &["--runs", "1"]);
        command.arg(target(desk));
        through_shell(&format!("exec setpriv --reuid={user} --regid={user} --clear-groups {before} \"$0\" \"$@\""), &command)
    };
    Limit { name: name.to_owned(), start: Box::new(start), ends }
}

/// The directory that is measured, which everybody may write to.
fn target(desk: &Desk) -> PathBuf {
    let target = desk.path("target");
    fs::create_dir_all(&target).unwrap();
    fs::set_permissions(&target, fs::Permissions::from_mode(0o777)).unwrap();
    target
}

fn measuring(desk: &Desk, settings: &str, target: &Path) -> Command {
    let mut command = desk.run(User::Tester, &format!("{WORK} {settings}"), &["--runs", "1"]);
    command.arg(target);
    command
}

/// The addresses that the program takes to start at all, in MiB: what the system maps of its file differs by build.
fn mib_to_start() -> u64 {
    let starts = |mib: &u64| {
        let shell = format!("ulimit -c 0; ulimit -v {}; exec \"$0\" --version", mib * 1024);
        Command::new("sh").args(["-c", &shell, env!("CARGO_BIN_EXE_barrow")]).output().unwrap().status.success()
    };
    (1..256).find(starts).expect("the program starts with 256 MiB of addresses")
}

/// Tries a limit and tells how it ended.
fn outcome(limit: &Limit) -> String {
    let desk = Desk::new();
    let mut command = (limit.start)(&desk);
    let finished = Finished::of(command.current_dir(desk.path("")));
    let left = scratches(&target(&desk));
    assert!(left.is_empty(), "{}: {left:?}\n{}", limit.name, finished.stderr);
    let seen = format!("{}: {}\n{}\n{}", limit.name, finished.status, finished.stderr, finished.stdout);
    match &limit.ends {
        Ends::Refuses(words) => {
            assert_eq!(finished.status.code(), Some(1), "{seen}");
            assert!(words.iter().all(|word| finished.stderr.contains(word)), "{words:?} not said by {seen}");
            assert!(!desk.run_file().exists() && finished.stdout.is_empty(), "{seen}");
            format!("refuses: {}", finished.stderr.lines().last().unwrap_or_default())
        }
        Ends::Works | Ends::WorksWith(_) | Ends::Keeps(_) => {
            let words = if let Ends::Keeps(words) = limit.ends { words } else { "" };
            assert_eq!(finished.status.code(), Some(i32::from(!words.is_empty())), "{seen}");
            assert!(finished.stderr.contains(words), "`{words}` not said by {seen}");
            let run = desk.runs().pop().unwrap_or_else(|| panic!("no run: {seen}"));
            let are_measured = run.phases.iter().all(|record| record.status == Status::Ok && record.rate().is_some());
            assert!(run.complete && are_measured && run.phases.len() == Phase::STANDARD.len(), "{seen}");
            if let Ends::WorksWith(check) = limit.ends {
                check(&run);
            }
            if words.is_empty() { "works".to_owned() } else { format!("works, and says: {words}") }
        }
    }
}

/// Tries all, some at the same time, and prints a line for each.
fn try_all(limits: &[Limit]) {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some(limit) = limits.get(next.fetch_add(1, Ordering::Relaxed)) {
                    println!("{:<34} {}", limit.name, outcome(limit));
                }
            });
        }
    });
    println!("{} limits", limits.len());
}

/// Nothing is called cold or durable whose devices are not seen.
fn proves_nothing(run: &RunRecord) {
    for record in &run.phases {
        assert!(matches!(record.cache, None | Some(CacheLabel::ColdUnproven | CacheLabel::Unknown | CacheLabel::Memory)), "{record:?}");
        assert!(record.durable != Some(Durability::Durable), "{record:?}");
    }
}

fn tells_why_no_caches_were_dropped(run: &RunRecord) {
    let record = run.phase(Phase::BlockRead).unwrap();
    let why = record.preparation.hindrance.as_deref().unwrap_or_default();
    assert!(why.starts_with("caches cannot be dropped: "), "{why}");
}

#[test]
#[ignore = "needs root"]
fn limits_of_the_process() {
    if is_missing(&[Need::Root, Need::Program("setpriv"), Need::Program("prlimit")]) {
        return;
    }
    try_all(&[
        by_shell("64 open files", "ulimit -n 64", "", Ends::Works),
        by_shell("64 open files, 80 directories", "ulimit -n 64", "dirs=80 files=80", refuses(&["needs 112 open files", "ulimit -n"])),
        by_shell("256 MiB of addresses", "ulimit -v 262144", "", Ends::Works),
        by_shell("256 MiB, 8 workers, 8 seekers", "ulimit -v 262144", "workers=8 seekers=8", Ends::Works),
        by_shell("64 MiB, 16 seekers", "ulimit -v 65536", "seekers=16", refuses(&["which the system does not give", "ulimit -v"])),
        by_shell("64 MiB, 64 seekers", "ulimit -v 65536", "seekers=64", refuses(&["of memory for itself", "may have 64 MiB"])),
        by_shell(
            "addresses to start and 9 MiB",
            format!("ulimit -v {}", (mib_to_start() + 9) * 1024),
            "",
            refuses(&["of memory for itself", "take fewer"]),
        ),
        for_user("no memory may be locked", 42_001, "prlimit --memlock=0", "", Ends::Works),
        for_user("1 thread", 42_002, "prlimit --nproc=1", "", refuses(&["no thread can listen to signals", "ulimit -u"])),
        for_user("4 threads", 42_003, "prlimit --nproc=4", "", Ends::Works),
        for_user(
            "4 threads, 4 workers",
            42_004,
            "prlimit --nproc=4",
            "workers=4",
            refuses(&["needs 5 more threads, and only 2", "ulimit -u"]),
        ),
    ]);
}

#[test]
#[ignore = "needs root"]
fn what_a_process_is_started_with() {
    if is_missing(&[Need::Root, Need::Program("setpriv")]) {
        return;
    }
    let mask = |name, user, before, ends| for_user(name, user, before, "", ends);
    let gone = "mkdir gone && cd gone && rmdir ../gone";
    let here = |desk: &Desk| through_shell("mkdir gone && cd gone && rmdir ../gone", &measuring(desk, "", Path::new(".")));
    let default_file = |desk: &Desk| {
        let command = desk.barrow(User::Tester, ["run", "-p", "quick"]);
        let mut shell = through_shell("mkdir gone && cd gone && rmdir ../gone", &command);
        shell.arg(target(desk));
        shell
    };
    let limit = |name: &str, start: Box<dyn Fn(&Desk) -> Command + Sync>, ends| Limit { name: name.to_owned(), start, ends };
    try_all(&[
        mask("umask 0777", 42_005, "sh -c 'umask 0777; exec \"$0\" \"$@\"'", Ends::Works),
        mask("umask 0", 42_006, "sh -c 'umask 0; exec \"$0\" \"$@\"'", Ends::Works),
        by_shell("stdin closed", "exec <&-", "", Ends::Works),
        by_shell("stdout closed", "exec >&-", "", Ends::Works),
        by_shell("stderr closed", "exec 2>&-", "", Ends::Works),
        by_shell("all three closed", "exec <&- >&- 2>&-", "", Ends::Works),
        by_shell("stdout on a full disk", "exec >/dev/full", "", Ends::Keeps("stdout takes no report: no space left on device")),
        by_shell("stderr on a full disk", "exec 2>/dev/full", "", Ends::Works),
        by_shell("no place for temporary files", "export TMPDIR=/nowhere", "", Ends::Works),
        by_shell("current directory removed", gone, "", Ends::Works),
        limit("removed directory to measure", Box::new(here), refuses(&[".: the directory was removed; change to one that is there"])),
        limit("run file in a removed directory", Box::new(default_file), refuses(&["name another run file with -o FILE", "barrow.jsonl"])),
    ]);
}

/// A control group of its own, whose memory is limited. Gone when dropped.
struct MemoryGroup(PathBuf);

impl MemoryGroup {
    const CONTROLLER: &str = "/sys/fs/cgroup/memory";

    fn of(name: &str, mib: u64) -> Self {
        let group = Path::new(Self::CONTROLLER).join(format!("barrow-{}-{name}", std::process::id()));
        fs::create_dir(&group).unwrap();
        fs::write(group.join("memory.limit_in_bytes"), (mib << 20).to_string()).unwrap();
        Self(group)
    }

    fn enclosing(&self, command: &Command) -> Command {
        through_shell(&format!("echo $$ > {}/cgroup.procs", self.0.display()), command)
    }
}

impl Drop for MemoryGroup {
    fn drop(&mut self) {
        // What ended just now is counted for a moment longer.
        let begun = std::time::Instant::now();
        while fs::remove_dir(&self.0).is_err() && begun.elapsed().as_secs() < 10 {
            std::thread::yield_now();
        }
    }
}

#[test]
#[ignore = "needs root"]
fn memory_of_a_control_group() {
    if is_missing(&[Need::Root, Need::MemoryGroups]) {
        return;
    }
    let (file, memory, program) = (MemoryGroup::of("a", 128), MemoryGroup::of("b", 128), MemoryGroup::of("c", 8));
    let tmpfs = MemoryFilesystem::of("size=1g");
    let place = tmpfs.path().to_owned();
    let limit = |name: &str, start: Box<dyn Fn(&Desk) -> Command + Sync>, ends| Limit { name: name.to_owned(), start, ends };
    let large = move |desk: &Desk| file.enclosing(&measuring(desk, "file_size=160m chunk_size=1m", &target(desk)));
    let in_memory = move |desk: &Desk| memory.enclosing(&measuring(desk, "file_size=96m chunk_size=1m", &place));
    let small = move |desk: &Desk| program.enclosing(&measuring(desk, "", &target(desk)));
    let is_known = |run: &RunRecord| assert_eq!(run.machine.memory_limit_bytes, Some(128 << 20));
    try_all(&[
        limit("128 MiB, a file of 160 MiB", Box::new(large), Ends::WorksWith(is_known)),
        limit("128 MiB, 96 MiB on tmpfs", Box::new(in_memory), refuses(&["tmpfs lies in memory", "of the 128 MiB that there is"])),
        limit("8 MiB", Box::new(small), refuses(&["of memory for itself", "may have 8 MiB"])),
    ]);
    assert!(scratches(tmpfs.path()).is_empty());
}

/// The same in a sandbox, whose `options` are bubblewrap's.
fn in_sandbox(name: &str, options: &'static str, ends: Ends) -> Limit {
    let start = move |desk: &Desk| sandboxed(&measuring(desk, "", &target(desk)), options, None);
    Limit { name: name.to_owned(), start: Box::new(start), ends }
}

#[test]
#[ignore = "needs root, bwrap"]
fn what_a_system_hides() {
    if is_missing(&[Need::Root, Need::Program("bwrap"), Need::Program("setpriv")]) {
        return;
    }
    let hidden = |desk: &Desk| {
        let command = measuring(desk, "", &target(desk));
        let mut apart = alone("/usr/bin/unshare");
        let shell = through_shell("mount -t proc -o hidepid=2 proc /proc", &command);
        apart.args(["-m", "--propagation", "private"]).arg(shell.get_program()).args(shell.get_args());
        apart
    };
    try_all(&[
        in_sandbox("no /sys", "--tmpfs /sys", Ends::WorksWith(proves_nothing)),
        in_sandbox("read-only /proc", "--ro-bind /proc /proc", Ends::WorksWith(tells_why_no_caches_were_dropped)),
        in_sandbox("no /proc", "--tmpfs /proc", refuses(&["its mount is not known", "is /proc mounted?"])),
        Limit { name: "/proc with hidepid=2".to_owned(), start: Box::new(hidden), ends: Ends::Works },
    ]);
}

/// A system call that a filter refuses with an error.
fn without_call(name: &str, call: libc::c_long, error: i32, ends: Ends) -> Limit {
    let start = move |desk: &Desk| {
        let filter = desk.path("filter");
        fs::write(&filter, refusing(&[call], error)).unwrap();
        sandboxed(&measuring(desk, "", &target(desk)), "--seccomp 9", Some(&filter))
    };
    let why = if error == libc::EPERM { "EPERM" } else { "ENOSYS" };
    Limit { name: format!("{name} gives {why}"), start: Box::new(start), ends }
}

#[test]
#[ignore = "needs root, bwrap"]
fn calls_that_a_sandbox_refuses() {
    if is_missing(&[Need::Root, Need::Program("bwrap")]) {
        return;
    }
    let needed = [
        ("fsync", libc::SYS_fsync),
        ("syncfs", libc::SYS_syncfs),
        ("pwrite64", libc::SYS_pwrite64),
        ("flock", libc::SYS_flock),
        ("fchmod", libc::SYS_fchmod),
        ("fcntl", libc::SYS_fcntl),
        ("mkdirat", libc::SYS_mkdirat),
        ("unlinkat", libc::SYS_unlinkat),
        ("getdents64", libc::SYS_getdents64),
        ("ftruncate", libc::SYS_ftruncate),
        ("getrusage", libc::SYS_getrusage),
        ("fadvise64", libc::SYS_fadvise64),
    ];
    let not_needed = [
        ("cachestat", CACHESTAT),
        ("openat2", libc::SYS_openat2),
        ("statx", libc::SYS_statx),
        ("io_uring_setup", libc::SYS_io_uring_setup),
        ("sched_getaffinity", libc::SYS_sched_getaffinity),
        ("sched_setscheduler", libc::SYS_sched_setscheduler),
        ("prctl", libc::SYS_prctl),
        ("mlock", libc::SYS_mlock),
        ("madvise", libc::SYS_madvise),
        ("ioctl", libc::SYS_ioctl),
        ("memfd_create", libc::SYS_memfd_create),
        ("getrandom", libc::SYS_getrandom),
        ("prlimit64", libc::SYS_prlimit64),
    ];
    let mut limits = Vec::new();
    for error in [libc::EPERM, libc::ENOSYS] {
        for (name, call) in needed {
            let said = format!("the system refuses a call to this process ({name}), without which nothing can be measured");
            limits.push(without_call(name, call, error, Ends::Refuses(vec![said, "allow it, or run barrow outside".to_owned()])));
        }
        limits.extend(not_needed.map(|(name, call)| without_call(name, call, error, Ends::Works)));
    }
    // The C library goes on without it only where the kernel does not have it.
    limits.push(without_call("clone3", libc::SYS_clone3, libc::ENOSYS, Ends::Works));
    limits.push(without_call("clone3", libc::SYS_clone3, libc::EPERM, refuses(&["no thread can listen to signals", "not permitted"])));
    try_all(&limits);
}
