//! barrow under strace(1), whose words go through a pipe with room for one line: barrow stands still at the call that was read last.

use super::driver::{Desk, Finished, Running, User, alone, has_all};
use barrow::model::phase::Phase;
use nix::fcntl::OFlag;
use nix::sys::signal::{Signal, kill};
use nix::unistd::{Pid, pipe2};
use std::os::fd::AsRawFd;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Calls of each phase.
const CALLS: usize = 128;
/// So many in each phase: one worker, a call for each chunk, seek and file.
pub const SETTINGS: &str = "file_size=512k chunk_size=4k seeks=128 seek_seconds=0 files=128";
/// What is told of the calls.
const TRACED: &str = "trace=mkdirat,unlinkat,openat,newfstatat,pread64,pwrite64,fsync,flock,fadvise64,write,exit_group,clock_nanosleep";

/// barrow rests between its phases, until it is quiet, for longer than these small phases take: not here.
pub const SLEEPLESS: &str = "inject=clock_nanosleep:retval=0";

/// A moment of a run: when the n-th line with these words was read.
#[derive(Debug, Clone)]
pub struct Moment {
    /// What barrow does then.
    pub name: String,
    words: &'static [&'static str],
    nth: usize,
    /// Phases that are finished before it.
    pub finished: usize,
    /// Whether barrow is in a phase.
    pub is_in_phase: bool,
}

impl Moment {
    const fn of(name: String, words: &'static [&'static str], nth: usize, finished: usize) -> Self {
        Self { name, words, nth, finished, is_in_phase: false }
    }
}

/// Start and middle of a phase, which is the n-th one with such calls.
fn of_phase(phase: Phase, words: &'static [&'static str], earlier: usize) -> [Moment; 2] {
    let finished = Phase::STANDARD.iter().position(|other| *other == phase).unwrap();
    [("start", 3), ("middle", CALLS / 2)].map(|(part, nth)| {
        let name = format!("{part} of {}", phase.name());
        Moment { is_in_phase: true, ..Moment::of(name, words, earlier * CALLS + nth, finished) }
    })
}

/// The moments in the order in which they come.
pub fn moments() -> Vec<Moment> {
    let single = |name: &str, words, finished| [Moment::of(name.to_owned(), words, 1, finished)];
    [
        &single("scratch directory made", &["mkdirat(", "\".barrow-"], 0)[..],
        &single("marker locked", &["flock(", "/marker>"], 0),
        &of_phase(Phase::BlockWrite, &["pwrite64(", "/block.0>"], 0),
        &single("between block_write and rewrite", &["fadvise64(", "/block.0>"], 1),
        &of_phase(Phase::Rewrite, &["pread64(", "/block.0>"], 0),
        &of_phase(Phase::BlockRead, &["pread64(", "/block.0>"], 1),
        &of_phase(Phase::RandomSeek, &["pread64(", "/block.0>"], 2),
        &single("block file removed", &["unlinkat(", "\"block.0\""], 4),
        &single("directories made for seq_create", &["mkdirat(", "\"sequential.0.0\""], 4),
        &of_phase(Phase::SeqCreate, &["openat(", "/sequential.0.0>", "O_CREAT"], 0),
        &of_phase(Phase::SeqStat, &["newfstatat(", "/sequential.0.0>, \"0"], 0),
        &of_phase(Phase::SeqDelete, &["unlinkat(", "/sequential.0.0>"], 0),
        &single("between seq_delete and random_create", &["unlinkat(", "\"sequential.0.0\""], 7),
        &of_phase(Phase::RandomCreate, &["openat(", "/random.0.0>", "O_CREAT"], 0),
        &of_phase(Phase::RandomStat, &["newfstatat(", "/random.0.0>, \""], 0),
        &of_phase(Phase::RandomDelete, &["unlinkat(", "/random.0.0>"], 0),
        &single("cleaning: marker removed", &["unlinkat(", "\"marker\""], 10),
        &single("cleaning: scratch directory removed", &["unlinkat(", "\".barrow-"], 10),
        &single("run line written", &["write(", "/runs.jsonl>"], 10),
        &single("run line flushed", &["fsync(", "/runs.jsonl>"], 10),
    ]
    .concat()
}

/// barrow, held at each call.
pub struct Traced {
    running: Running,
    barrow: Pid,
}

impl Traced {
    /// Starts one run in a directory; `before` is put before barrow's name, as `nohup`.
    pub fn start(desk: &Desk, target: &Path, before: &[&str]) -> Self {
        let mut inner = desk.run(User::Tester, SETTINGS, &["--runs", "1", "--drop-caches", "never"]);
        Self::of(&["-y", "-s", "64", "-e", TRACED, "-e", SLEEPLESS], before, inner.arg(target))
    }

    /// Starts barrow under strace with these options.
    pub fn of(options: &[&str], before: &[&str], barrow: &Command) -> Self {
        let mut strace = alone("/usr/bin/strace");
        strace.args(["-f", "-q", "--seccomp-bpf", "-e", "signal=none"]).args(options);
        strace.args(["/bin/sh", "-c", "echo the process is $$ >&2; exec \"$@\"", "sh"]).args(before);
        strace.arg(barrow.get_program()).args(barrow.get_args());
        strace.current_dir(barrow.get_current_dir().unwrap());
        // Each write is a packet of its own, and there is room for one.
        let (words, writer) = pipe2(OFlag::O_CLOEXEC | OFlag::O_DIRECT).unwrap();
        // SAFETY: the descriptor is open, and only the size of its pipe is changed.
        #[allow(unsafe_code)]
        let size = unsafe { libc::fcntl(words.as_raw_fd(), libc::F_SETPIPE_SZ, 4096) };
        assert!(size > 0 && size <= 65536, "the pipe is no smaller");
        let child = strace.stderr(Stdio::from(writer)).spawn().unwrap();
        // The writer's end is the child's alone.
        drop(strace);
        let mut running = Running::of(child, words);
        running.wait_for_line(&["the process is "]);
        let number = running.said().rsplit("the process is ").next().and_then(|rest| rest.split_whitespace().next());
        let barrow = Pid::from_raw(number.unwrap().parse().unwrap());
        Self { running, barrow }
    }

    /// The number of barrow's process.
    pub const fn pid(&self) -> Pid {
        self.barrow
    }

    /// Lets it go on until it says a line with all of these words.
    pub fn wait_for_line(&mut self, words: &[&str]) {
        self.running.wait_for_line(words);
    }

    /// Lets it go on until a moment.
    pub fn reach(&mut self, moment: &Moment) {
        let seen = self.running.said().lines().filter(|line| has_all(line, moment.words)).count();
        assert!(seen < moment.nth || seen == 0, "{} came before", moment.name);
        (seen..moment.nth).for_each(|_| self.running.wait_for_line(moment.words));
    }

    /// Sends it a signal.
    pub fn signal(&self, signal: Signal) {
        kill(self.barrow, signal).unwrap();
    }

    /// Sends it a signal, and lets it go on slowly until it says these words; to its end when that comes before.
    pub fn signal_and_hear(&mut self, signal: Signal, words: &[&str], pace: Duration) {
        self.signal(signal);
        self.running.wait_slowly(words, pace);
    }

    /// Lets it go on to its end; strace ends as barrow does.
    pub fn finish(self) -> Finished {
        self.running.finish()
    }
}
