//! Starts barrow as a child process, alone in its environment, and looks at what it says, keeps and leaves.

pub use super::outcome::{cache_label, listing, phase, phases_with, scratches};
use barrow::model::record::RunRecord;
use nix::sys::signal::{SigHandler, Signal, kill};
use nix::unistd::Pid;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The number of the user and the group that own nothing.
const NOBODY: u32 = 65534;
/// Longer than anything that is waited for takes, on any machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// Who runs barrow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum User {
    /// Who runs the tests.
    Tester,
    /// Somebody without rights; only root can be somebody else.
    Nobody,
}

/// A directory beside the targets, for run files and for a copy of barrow that everybody can start.
pub struct Desk {
    home: TempDir,
}

impl Desk {
    /// A new one.
    pub fn new() -> Self {
        let home = tempfile::Builder::new().prefix("barrow-desk-").tempdir().unwrap();
        fs::set_permissions(home.path(), fs::Permissions::from_mode(0o1777)).unwrap();
        Self { home }
    }

    /// A path in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    /// The run file that [`Desk::run`] names to barrow.
    pub fn run_file(&self) -> PathBuf {
        self.path("runs.jsonl")
    }

    /// barrow with some arguments.
    pub fn barrow<A: AsRef<OsStr>>(&self, user: User, arguments: impl IntoIterator<Item = A>) -> Command {
        let mut command = alone(self.program(user));
        command.args(arguments).current_dir(self.home.path());
        if user == User::Nobody {
            command.uid(NOBODY).gid(NOBODY);
        }
        command
    }

    /// The build directory may be closed to other users, so they start a copy.
    fn program(&self, user: User) -> PathBuf {
        let built = PathBuf::from(env!("CARGO_BIN_EXE_barrow"));
        if user == User::Tester {
            return built;
        }
        let copy = self.path("barrow");
        if !copy.exists() {
            // Copied by a child: a file that this process had open for writing would be handed on to the children that other
            // tests start meanwhile, and could not be started until they are there (ETXTBSY).
            let copied = Finished::of(alone("/bin/cp").arg(built).arg(&copy));
            assert!(copied.status.success(), "barrow was not copied: {}", copied.stderr);
        }
        copy
    }

    /// `barrow run -p quick` with these settings and options, and the targets last; the runs go to [`Desk::run_file`].
    pub fn run(&self, user: User, settings: &str, rest: &[&str]) -> Command {
        let mut command = self.barrow(user, ["run", "-p", "quick", "-o"]);
        command.arg(self.run_file());
        for setting in settings.split_whitespace() {
            command.args(["--set", setting]);
        }
        command.args(rest);
        command
    }

    /// The runs of the run file, which must all be readable; none when there is no file, or an empty one.
    pub fn runs(&self) -> Vec<RunRecord> {
        if fs::metadata(self.run_file()).map_or(0, |metadata| metadata.len()) == 0 {
            return Vec::new();
        }
        let loaded = barrow::store::load(&self.run_file()).unwrap();
        assert_eq!(loaded.bad, [], "lines of the run file cannot be read");
        loaded.runs
    }
}

/// A program without environment and input, whose words are read.
pub fn alone(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.env_clear().stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // Tests that were started by nohup or in the background ignore signals, and so would their children.
    // SAFETY: between fork and exec only signal(2) is called, which is safe there.
    #[allow(unsafe_code)]
    unsafe {
        command.pre_exec(|| {
            for signal in [Signal::SIGHUP, Signal::SIGINT, Signal::SIGTERM] {
                nix::sys::signal::signal(signal, SigHandler::SigDfl)?;
            }
            Ok(())
        });
    }
    command
}

/// The same command, started by a shell that does something first.
pub fn through_shell(first: &str, command: &Command) -> Command {
    let mut shell = alone("/bin/sh");
    shell.args(["-c", &format!("{first}; exec \"$0\" \"$@\"")]).arg(command.get_program()).args(command.get_args());
    shell
}

/// The same command, which goes before all others where that is allowed: how late a busy machine wakes it is not measured then.
pub fn ahead_of_others(command: &Command) -> Command {
    through_shell("chrt --fifo --pid 1 $$ || true", command)
}

/// How a call of barrow ended.
#[derive(Debug)]
pub struct Finished {
    /// Exit code or signal.
    pub status: ExitStatus,
    /// What it printed.
    pub stdout: String,
    /// What it said.
    pub stderr: String,
}

impl Finished {
    /// Waits for a command's end.
    pub fn of(command: &mut Command) -> Self {
        Running::start(command).finish()
    }

    /// Fails unless it ended with this code.
    pub fn expect_code(self, code: i32) -> Self {
        assert_eq!(self.status.code(), Some(code), "{}\nstdout:\n{}\nstderr:\n{}", self.status, self.stdout, self.stderr);
        self
    }

    /// Fails unless this signal ended it.
    pub fn expect_signal(self, signal: Signal) -> Self {
        let number = signal as i32;
        assert_eq!(self.status.signal(), Some(number), "{}\nstdout:\n{}\nstderr:\n{}", self.status, self.stdout, self.stderr);
        self
    }

    /// Fails unless it said all of these words on stderr.
    pub fn expect_said(self, words: &[&str]) -> Self {
        for word in words {
            assert!(self.stderr.contains(word), "`{word}` was not said:\n{}", self.stderr);
        }
        self
    }
}

/// A child process that is being watched; killed when dropped before its end.
pub struct Running {
    child: Child,
    lines: Box<dyn BufRead + Send>,
    said: String,
}

impl Running {
    /// Starts a command whose stdout and stderr are piped.
    pub fn start(command: &mut Command) -> Self {
        let mut child = command.spawn().unwrap();
        let stderr = OwnedFd::from(child.stderr.take().unwrap());
        Self::of(child, stderr)
    }

    /// A child whose words come from somewhere else than a pipe of its own.
    pub fn of(child: Child, words: OwnedFd) -> Self {
        Self { child, lines: Box::new(BufReader::new(File::from(words))), said: String::new() }
    }

    /// Starts a command whose stderr goes elsewhere.
    pub fn start_silently(command: &mut Command) -> Self {
        Self { child: command.spawn().unwrap(), lines: Box::new(std::io::empty()), said: String::new() }
    }

    /// Whether it has ended, though nobody has waited for it yet.
    pub fn has_ended(&self) -> bool {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.pid())).unwrap();
        stat.rsplit(") ").next().is_some_and(|rest| rest.starts_with('Z'))
    }

    /// Its process number.
    pub fn pid(&self) -> Pid {
        Pid::from_raw(self.child.id() as i32)
    }

    /// What it said so far.
    pub fn said(&self) -> &str {
        &self.said
    }

    /// Listens no longer: what its words go through is closed.
    pub fn close_words(&mut self) {
        self.lines = Box::new(std::io::empty());
    }

    /// The same for its results.
    pub fn close_results(&mut self) {
        drop(self.child.stdout.take());
    }

    /// Sends it a signal.
    pub fn signal(&self, signal: Signal) {
        kill(self.pid(), signal).unwrap();
    }

    /// Halts all of its threads, and waits until they stand still, or have ended.
    pub fn pause(&self) {
        self.signal(Signal::SIGSTOP);
        let tasks = format!("/proc/{}/task", self.pid());
        wait_until("all threads stand still", || {
            let threads = fs::read_dir(&tasks).into_iter().flatten().flatten();
            let states = threads.filter_map(|thread| fs::read_to_string(thread.path().join("stat")).ok());
            states.into_iter().all(|stat| stat.rsplit(") ").next().is_some_and(|rest| rest.starts_with(['T', 'Z', 'X'])))
        });
    }

    /// Lets it go on.
    pub fn resume(&self) {
        self.signal(Signal::SIGCONT);
    }

    /// Waits until it says a line with all of these words.
    ///
    /// # Panics
    /// When it ends before.
    pub fn wait_for_line(&mut self, words: &[&str]) {
        while !has_all(&self.next_line(words), words) {}
    }

    /// Waits for the next line, in which these words may be.
    fn next_line(&mut self, words: &[&str]) -> String {
        let mut line = String::new();
        let length = self.lines.read_line(&mut line).unwrap();
        assert!(length > 0, "{words:?} never came; it said:\n{}", self.said);
        self.said += &line;
        line
    }

    /// Waits until it says a line with all of these words, or for its end, and takes its time before each line: who cannot go on
    /// before his line is read goes slowly.
    pub fn wait_slowly(&mut self, words: &[&str], pace: Duration) {
        let mut line = String::new();
        while self.lines.read_line(&mut line).unwrap() > 0 {
            self.said += &line;
            if has_all(&line, words) {
                return;
            }
            line.clear();
            std::thread::sleep(pace);
        }
    }

    /// Sends it a signal again and again until it says a line with all of these words: one that follows at once counts as the same.
    pub fn signal_until_line(&mut self, signal: Signal, words: &[&str]) {
        let pid = self.pid();
        let is_said = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let said = OnDrop(&is_said);
            scope.spawn(|| {
                while !is_said.load(Ordering::Relaxed) {
                    // It may have ended already.
                    let _ = kill(pid, signal);
                    std::thread::sleep(Duration::from_millis(20));
                }
            });
            self.wait_for_line(words);
            drop(said);
        });
    }

    /// Waits until one of its threads is in a system call of this number.
    pub fn wait_for_call(&self, number: libc::c_long) {
        let tasks = format!("/proc/{}/task", self.pid());
        wait_until("a thread is in the call", || {
            let threads = fs::read_dir(&tasks).into_iter().flatten().flatten();
            let calls = threads.filter_map(|thread| fs::read_to_string(thread.path().join("syscall")).ok());
            calls.into_iter().any(|call| call.split(' ').next() == Some(&number.to_string()))
        });
    }

    /// Waits for its end.
    pub fn finish(mut self) -> Finished {
        let stdout = self.child.stdout.take();
        let reader = std::thread::spawn(move || {
            let mut text = String::new();
            stdout.map(|mut stdout| stdout.read_to_string(&mut text).unwrap());
            text
        });
        // By lines: a short read would cut a packet of a pipe that has them.
        while self.lines.read_line(&mut self.said).unwrap() > 0 {}
        let status = self.child.wait().unwrap();
        Finished { status, stdout: reader.join().unwrap(), stderr: std::mem::take(&mut self.said) }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It has ended, where the test went well.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A directory with something in it, in memory where there is such a place: flushes of a busy device would take most of the time.
pub fn quick_target() -> TempDir {
    let mut builder = tempfile::Builder::new();
    let target = builder.prefix("barrow-target-").tempdir_in("/dev/shm").or_else(|_| builder.tempdir()).unwrap();
    fs::write(target.path().join("somebody's file"), "kept").unwrap();
    target
}

/// Whether a line has all of these words.
pub fn has_all(line: &str, words: &[&str]) -> bool {
    words.iter().all(|word| line.contains(word))
}

/// Says that something is over, also when a test fails: who waits for it would wait for ever.
pub struct OnDrop<'a>(pub &'a AtomicBool);

impl Drop for OnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Waits until something is so.
///
/// # Panics
/// When it does not become so in two minutes.
pub fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < PATIENCE, "waited in vain: {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Waits until a run makes its sequential files in a directory, which is soon after its seek phase.
pub fn wait_for_files(running: &mut Running, directory: &Path) {
    running.wait_for_line(&["random_seek"]);
    wait_until("files are made", || {
        let made = scratches(directory).pop().map(|scratch| scratch.join("sequential.0.0"));
        made.is_some_and(|made| fs::read_dir(made).is_ok_and(|mut entries| entries.next().is_some()))
    });
}
