//! What barrow's own timed loops cost: each phase on tmpfs against a raw loop of the same system calls on the same buffers, offsets
//! and names, without stamps, clock and histogram. Fails when the exact 95 % interval of a ratio lies wholly under its bound.
//!
//! What is compared is the processor time of the one thread that works: on tmpfs nothing waits, so that this is the time by the clock
//! on a machine without other work, and stays so on one with it.
//!
//! `cargo bench` measures; `cargo bench -- --test` and `cargo test --benches` only run each loop once, small.
#![allow(clippy::print_stdout)] // A bench is a program of its own: printing is how it tells.

use anyhow::{Context, ensure};
use barrow::model::machine::FilesystemClass;
use barrow::model::phase::{Phase, Unit};
use barrow::model::plan::{Circumstances, Plan};
use barrow::model::profile::Profile;
use barrow::model::settings::Settings;
use barrow::phases::{self, Job, Stamps, Stop, Survey};
use barrow::rng::{GENERATOR, Permutation, Stream};
use barrow::stats::Spread;
use barrow::target::Target;
use barrow::target::real::RealTarget;
use nix::fcntl::{AtFlags, OFlag, PosixFadviseAdvice, openat, posix_fadvise};
use nix::sys::stat::{Mode, fstatat};
use nix::unistd::{UnlinkatFlags, close, fsync, unlinkat};
use std::ffi::{CStr, CString};
use std::fs::File;
use std::io::{Error, ErrorKind};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Pairs of one barrow and one raw measurement; their order changes from pair to pair.
const PAIRS: usize = 31;
/// Each measurement repeats its pass until the first raw one took so long.
const LEAST_TIME: Duration = Duration::from_millis(80);
/// The file that barrow makes for its first worker, and the directory of its sequential files.
const BLOCK_FILE: &CStr = c"block.0";
const SET_DIRECTORY: &CStr = c"sequential.0.0";
/// What the buffers of barrow are like (`src/phases/pool.rs`): a pool of 1 MiB, slices at rotating aligned starts.
const POOL_BYTES: usize = 1 << 20;
const ALIGNMENT: usize = 4096;
const STEP: usize = 37 * ALIGNMENT;

/// A phase with its sizes, and the ratio that it must reach.
struct Case {
    name: &'static str,
    phase: Phase,
    chunk_size: u64,
    bound: f64,
}

const CASES: [Case; 10] = [
    Case { name: "block_write, 1 MiB", phase: Phase::BlockWrite, chunk_size: 1 << 20, bound: 0.95 },
    Case { name: "block_write, 8 KiB", phase: Phase::BlockWrite, chunk_size: 8 << 10, bound: 0.95 },
    Case { name: "rewrite, 1 MiB", phase: Phase::Rewrite, chunk_size: 1 << 20, bound: 0.95 },
    // A checked read as below, and a write.
    Case { name: "rewrite, 8 KiB", phase: Phase::Rewrite, chunk_size: 8 << 10, bound: 0.92 },
    Case { name: "block_read, 1 MiB", phase: Phase::BlockRead, chunk_size: 1 << 20, bound: 0.95 },
    Case { name: "block_read, 8 KiB", phase: Phase::BlockRead, chunk_size: 8 << 10, bound: 0.92 },
    Case { name: "random_seek, 4 KiB", phase: Phase::RandomSeek, chunk_size: 1 << 20, bound: 0.93 },
    Case { name: "seq_create", phase: Phase::SeqCreate, chunk_size: 1 << 20, bound: 0.95 },
    Case { name: "seq_stat", phase: Phase::SeqStat, chunk_size: 1 << 20, bound: 0.95 },
    Case { name: "seq_delete", phase: Phase::SeqDelete, chunk_size: 1 << 20, bound: 0.95 },
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    let has = |wanted: &str| arguments.iter().any(|argument| argument == wanted);
    let is_smoke = !has("--bench") || has("--test");
    let wanted: Vec<&String> = arguments.iter().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let chosen = CASES.iter().filter(|case| wanted.is_empty() || wanted.iter().any(|name| case.name.contains(name.as_str())));
    println!("Rate of barrow's loop / rate of a raw loop of the same system calls, on tmpfs, one worker.");
    println!("{:<20} {:>8} {:>18} {:>6} {:>14}", "phase", "median", "95 % interval", "bound", "raw, ns each");
    let mut is_fine = true;
    for case in chosen {
        match compare(case, is_smoke) {
            Ok(Compared { spread, raw_ns }) => {
                let is_met = spread.high >= case.bound;
                let verdict = if is_smoke || is_met { "" } else { "MISSED" };
                let interval = format!("{:.3} to {:.3}", spread.low, spread.high);
                println!("{:<20} {:>8.3} {interval:>18} {:>6.2} {raw_ns:>14.0}  {verdict}", case.name, spread.median, case.bound);
                is_fine &= is_smoke || is_met;
            }
            Err(error) => {
                println!("{:<20} failed: {error:#}", case.name);
                is_fine = false;
            }
        }
    }
    if is_fine { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// What came out of all pairs of a case.
struct Compared {
    /// Of the ratios of the pairs.
    spread: Spread,
    /// Nanoseconds of one operation of the raw loop, in the first pass.
    raw_ns: f64,
}

/// Measures all pairs of a case.
fn compare(case: &Case, is_smoke: bool) -> anyhow::Result<Compared> {
    let shared_memory = Path::new("/dev/shm");
    let parent = if shared_memory.is_dir() { shared_memory.to_owned() } else { std::env::temp_dir() };
    let directory = tempfile::tempdir_in(parent)?;
    let bench = Bench::of(case, directory.path(), is_smoke)?;
    bench.raw(1)?;
    let first = bench.raw(1)?;
    let passes = if is_smoke { 1 } else { (LEAST_TIME.as_nanos() / first.as_nanos().max(1)) as usize + 1 };
    let mut ratios = Vec::new();
    for pair in 0..if is_smoke { 1 } else { PAIRS } {
        let (barrow, raw) = if pair % 2 == 0 {
            let barrow = bench.barrow(passes)?;
            (barrow, bench.raw(passes)?)
        } else {
            let raw = bench.raw(passes)?;
            (bench.barrow(passes)?, raw)
        };
        ratios.push(raw.as_secs_f64() / barrow.as_secs_f64());
    }
    let raw_ns = first.as_nanos() as f64 / bench.operations() as f64;
    Ok(Compared { spread: Spread::of(&ratios).context("no ratio")?, raw_ns })
}

/// Both loops of a case, in one directory.
struct Bench {
    phase: Phase,
    plan: Plan,
    target: RealTarget,
    root: File,
    stamps: Stamps,
    interrupted: AtomicBool,
    /// The names of the sequential files in index order, one after the other in memory.
    names: Vec<[u8; 24]>,
}

impl Bench {
    fn of(case: &Case, directory: &Path, is_smoke: bool) -> anyhow::Result<Self> {
        let settings = Settings {
            file_size: if is_smoke { 4 << 20 } else { 256 << 20 },
            chunk_size: case.chunk_size,
            seeks: if is_smoke { 100 } else { 65_536 },
            files: if is_smoke { 100 } else { 50_000 },
            ..Settings::default()
        };
        let profile = Profile { name: "overhead".to_owned(), purpose: String::new(), settings };
        let mut bench = Self {
            phase: case.phase,
            plan: Plan::of(&profile, GENERATOR, Circumstances::WITHOUT_DROPS)?,
            target: RealTarget::of(File::open(directory)?, FilesystemClass::Memory),
            root: File::open(directory)?,
            stamps: Stamps { nonce: 7, earlier: Vec::new() },
            interrupted: AtomicBool::new(false),
            names: Vec::new(),
        };
        bench.names = bench.learn_names()?;
        Ok(bench)
    }

    /// Makes the sequential files once, and lists them: in order of their names they are in index order.
    fn learn_names(&self) -> anyhow::Result<Vec<[u8; 24]>> {
        self.do_phase(Phase::SeqCreate)?;
        let listed = self.target.list(&self.target.open_directory(SET_DIRECTORY)?)?;
        self.remove(Phase::SeqCreate);
        let in_place = |name: &CString| {
            let mut place = [0; 24];
            place[..name.as_bytes().len()].copy_from_slice(name.as_bytes());
            place
        };
        let mut names: Vec<[u8; 24]> = listed.iter().map(in_place).collect();
        names.sort_unstable();
        ensure!(names.len() as u64 == self.plan.settings.files, "{} files were made", names.len());
        Ok(names)
    }

    fn stop(&self) -> Stop<'_> {
        Stop::of(&self.interrupted)
    }

    fn job<'j>(&'j self, stop: &'j Stop<'j>) -> Job<'j> {
        Job { plan: &self.plan, target: &self.target, stamps: &self.stamps, stop }
    }

    fn remove(&self, phase: Phase) {
        phases::remove_files(phase, self.job(&self.stop()));
    }

    /// Makes what a pass works on, unless it is there from the pass before.
    fn make_ready(&self) -> anyhow::Result<()> {
        match self.phase {
            Phase::BlockWrite => self.remove(Phase::BlockWrite),
            Phase::Rewrite => {
                self.remove(Phase::BlockWrite);
                self.do_phase(Phase::BlockWrite)?;
            }
            Phase::BlockRead | Phase::RandomSeek => {
                if self.target.status(self.target.root(), BLOCK_FILE).is_err() {
                    self.do_phase(Phase::BlockWrite)?;
                    self.do_phase(Phase::Rewrite)?;
                }
            }
            Phase::SeqCreate => self.remove(Phase::SeqCreate),
            Phase::SeqStat => {
                if self.target.open_directory(SET_DIRECTORY).is_err() {
                    self.do_phase(Phase::SeqCreate)?;
                }
            }
            _ => {
                self.remove(Phase::SeqCreate);
                self.do_phase(Phase::SeqCreate)?;
            }
        }
        Ok(())
    }

    /// Does the timed part of a phase as the runner does, but for the flush, and tells how long it took.
    fn do_phase(&self, phase: Phase) -> anyhow::Result<Duration> {
        let stop = self.stop();
        let mut timed = phases::prepare(phase, self.job(&stop), &Survey::new())?;
        let mut taken = Duration::ZERO;
        for (work, tally) in &mut timed.workers {
            let start = thread_time()?;
            tally.start(self.target.now_ns());
            work(tally)?;
            taken += thread_time()? - start;
        }
        Ok(taken)
    }

    fn barrow(&self, passes: usize) -> anyhow::Result<Duration> {
        let pass = |_| {
            self.make_ready()?;
            self.do_phase(self.phase)
        };
        (0..passes).map(pass).sum()
    }

    fn raw(&self, passes: usize) -> anyhow::Result<Duration> {
        let pass = |_| {
            self.make_ready()?;
            if self.phase == Phase::SeqCreate {
                self.target.make_directory(SET_DIRECTORY)?;
            }
            self.raw_pass()
        };
        (0..passes).map(pass).sum()
    }

    fn raw_pass(&self) -> anyhow::Result<Duration> {
        match self.phase {
            Phase::BlockWrite => self.raw_write(),
            Phase::Rewrite => self.raw_rewrite(),
            Phase::BlockRead => self.raw_read(),
            Phase::RandomSeek => self.raw_seek(),
            phase => self.raw_files(phase),
        }
    }

    fn open(&self, flags: OFlag) -> nix::Result<File> {
        Ok(File::from(openat(&self.root, BLOCK_FILE, flags | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC, Mode::S_IRUSR | Mode::S_IWUSR)?))
    }

    fn operations(&self) -> u64 {
        let settings = &self.plan.settings;
        match self.phase.row().unit {
            Unit::Bytes => settings.file_size / settings.chunk_size,
            Unit::Seeks => settings.seeks.min(settings.file_size / settings.seek_size),
            Unit::Files => settings.files,
        }
    }

    fn offsets(&self) -> impl Iterator<Item = u64> {
        (0..self.plan.settings.file_size).step_by(self.plan.settings.chunk_size as usize)
    }

    fn raw_write(&self) -> anyhow::Result<Duration> {
        let length = self.plan.settings.chunk_size as usize;
        let (mut pool, first) = aligned(POOL_BYTES + length);
        Stream::of(7, "pool").fill(&mut pool[first..first + POOL_BYTES + length]);
        let mut next = 0;
        let start = thread_time()?;
        let file = self.open(OFlag::O_RDWR | OFlag::O_CREAT | OFlag::O_EXCL)?;
        for offset in self.offsets() {
            let slice = &pool[first + next..first + next + length];
            next = (next + STEP) % POOL_BYTES;
            whole(file.write_at(slice, offset)?, length)?;
        }
        fsync(&file)?;
        close(file)?;
        Ok(thread_time()? - start)
    }

    fn raw_rewrite(&self) -> anyhow::Result<Duration> {
        let length = self.plan.settings.chunk_size as usize;
        let (mut bytes, first) = aligned(length);
        let start = thread_time()?;
        let file = self.open(OFlag::O_RDWR)?;
        for offset in self.offsets() {
            let buffer = &mut bytes[first..first + length];
            whole(file.read_at(buffer, offset)?, length)?;
            whole(file.write_at(buffer, offset)?, length)?;
        }
        fsync(&file)?;
        close(file)?;
        Ok(thread_time()? - start)
    }

    fn raw_read(&self) -> anyhow::Result<Duration> {
        let length = self.plan.settings.chunk_size as usize;
        let (mut bytes, first) = aligned(length);
        let start = thread_time()?;
        let file = self.open(OFlag::O_RDONLY)?;
        for offset in self.offsets() {
            whole(file.read_at(&mut bytes[first..first + length], offset)?, length)?;
        }
        close(file)?;
        Ok(thread_time()? - start)
    }

    /// Its offsets are in a table made before, which barrow must not have: a permutation of any size takes no memory.
    fn raw_seek(&self) -> anyhow::Result<Duration> {
        let settings = &self.plan.settings;
        let length = settings.seek_size as usize;
        let places = settings.file_size / settings.seek_size;
        let permutation = Permutation::of(places, settings.seed, "random_seek places");
        let offsets: Vec<u64> = (0..settings.seeks.min(places)).map(|seek| permutation.at(seek) * settings.seek_size).collect();
        let (mut bytes, first) = aligned(length);
        let file = self.open(OFlag::O_RDONLY)?;
        posix_fadvise(&file, 0, 0, PosixFadviseAdvice::POSIX_FADV_RANDOM)?;
        let start = thread_time()?;
        for offset in offsets {
            whole(file.read_at(&mut bytes[first..first + length], offset)?, length)?;
        }
        Ok(thread_time()? - start)
    }

    fn raw_files(&self, phase: Phase) -> anyhow::Result<Duration> {
        let directory = openat(&self.root, SET_DIRECTORY, OFlag::O_RDONLY | OFlag::O_DIRECTORY | OFlag::O_CLOEXEC, Mode::empty())?;
        let names: Vec<&CStr> = self.names.iter().map(|name| CStr::from_bytes_until_nul(name)).collect::<Result<_, _>>()?;
        let flags = OFlag::O_RDWR | OFlag::O_CREAT | OFlag::O_EXCL | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
        let mode = Mode::S_IRUSR | Mode::S_IWUSR;
        let start = thread_time()?;
        for name in names {
            match phase {
                Phase::SeqCreate => close(openat(&directory, name, flags, mode)?)?,
                Phase::SeqStat => drop(fstatat(&directory, name, AtFlags::AT_SYMLINK_NOFOLLOW)?),
                _ => unlinkat(&directory, name, UnlinkatFlags::NoRemoveDir)?,
            }
        }
        Ok(thread_time()? - start)
    }
}

/// What this thread has used of a processor, in the program and in the kernel. getrusage(2) tells it only as of the last tick.
fn thread_time() -> Result<Duration, Error> {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call writes to `time`, which lives through it, and to nothing else.
    #[allow(unsafe_code)]
    let result = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    if result != 0 {
        return Err(Error::last_os_error());
    }
    Ok(Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0)))
}

/// Zeros for `length` bytes from the first aligned place, which is given too.
fn aligned(length: usize) -> (Vec<u8>, usize) {
    let bytes = vec![0; length + ALIGNMENT];
    let first = bytes.as_ptr().align_offset(ALIGNMENT).min(ALIGNMENT);
    (bytes, first)
}

fn whole(count: usize, length: usize) -> Result<(), Error> {
    if count == length { Ok(()) } else { Err(ErrorKind::UnexpectedEof.into()) }
}
