//! A phase's timed loop beside a raw loop of the same system calls, on the same buffers, offsets and names, in one directory.
//!
//! What is told is the processor time of the one thread that works: in a filesystem in memory nothing waits, so that this is the time
//! by the clock on a machine without other work, and stays so on one with it.

use crate::model::phase::{Phase, Unit};
use crate::model::plan::{Circumstances, Plan};
use crate::model::profile::Profile;
use crate::model::settings::{Settings, SettingsError};
use crate::phases::{self, Buffer, Job, POOL_BYTES, PhaseError, Stamps, Stop, Survey, starts};
use crate::rng::{GENERATOR, Permutation, Stream};
use crate::sys::meter::thread_time;
use crate::sys::raw::{self, FileCall};
use crate::sys::{files, files::Access};
use crate::target::Target;
use crate::target::ground::plain_error;
use crate::target::scratch::{FileSetKind, block_file_name, set_directory_name};
use std::ffi::{CStr, CString};
use std::fs::File;
use std::io;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Why nothing could be compared.
#[derive(Debug, thiserror::Error)]
pub enum YardstickError {
    /// The settings do not go together.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// barrow's own loop failed.
    #[error(transparent)]
    Phase(#[from] PhaseError),
    /// The raw loop failed.
    #[error("the raw loop: {}", plain_error(.0))]
    Raw(#[from] io::Error),
    /// It has no raw loop.
    #[error("{} has no raw loop", .0.name())]
    NoLoop(Phase),
}

/// Where both loops work.
#[derive(Clone, Copy)]
pub struct Bench<'a> {
    /// An empty directory.
    pub target: &'a dyn Target,
    /// The same.
    pub root: &'a File,
    /// Ends barrow's loop with [`PhaseError::Stopped`] when it becomes true.
    pub interrupted: &'a AtomicBool,
}

/// Both loops of a phase, with one worker.
pub struct Yardstick<'a> {
    bench: Bench<'a>,
    phase: Phase,
    plan: Plan,
    stamps: Stamps,
    block_file: CString,
    set_directory: CString,
    /// The names of the sequential files in index order.
    names: Vec<CString>,
}

impl<'a> Yardstick<'a> {
    /// For a phase with the sizes and counts of some settings (one worker, one seeker, one directory). A phase of files makes them all
    /// once, to learn their names.
    ///
    /// # Errors
    /// When the settings do not go together, or the files cannot be made.
    pub fn of(phase: Phase, settings: Settings, bench: Bench<'a>) -> Result<Self, YardstickError> {
        let profile = Profile { name: "yardstick".to_owned(), purpose: String::new(), settings };
        let mut yardstick = Self {
            bench,
            phase,
            plan: Plan::of(&profile, GENERATOR, Circumstances::WITHOUT_DROPS)?,
            stamps: Stamps { nonce: 7, earlier: Vec::new() },
            block_file: block_file_name(0),
            set_directory: set_directory_name(FileSetKind::Sequential, 0, 0),
            names: Vec::new(),
        };
        if phase.row().unit == Unit::Files {
            yardstick.names = yardstick.learn_names()?;
        }
        Ok(yardstick)
    }

    /// Operations of one pass.
    #[must_use]
    pub fn operations(&self) -> u64 {
        let settings = &self.plan.settings;
        match self.phase.row().unit {
            Unit::Bytes => settings.file_size / settings.chunk_size,
            Unit::Seeks => settings.seeks.min(settings.file_size / settings.seek_size),
            Unit::Files | Unit::Writes | Unit::Operations | Unit::Programs => settings.files,
        }
    }

    /// The time of so many passes of barrow's loop: the timed part of the phase as the runner does it, but for the flush of a file set.
    ///
    /// # Errors
    /// As the phase; stopped when the user asks for it.
    pub fn barrow(&self, passes: usize) -> Result<Duration, YardstickError> {
        let pass = |_| {
            self.make_ready()?;
            self.do_phase(self.phase)
        };
        (0..passes).map(pass).sum()
    }

    /// The time of so many passes of the raw loop.
    ///
    /// # Errors
    /// As its calls, and as the phases that make what it works on.
    pub fn raw(&self, passes: usize) -> Result<Duration, YardstickError> {
        let pass = |_| {
            self.make_ready()?;
            self.raw_pass()
        };
        (0..passes).map(pass).sum()
    }

    /// Removes all that the passes have made.
    pub fn clear(&self) {
        self.remove(Phase::BlockWrite);
        self.remove(Phase::SeqCreate);
    }

    /// Makes the sequential files once, and lists them: in order of their names they are in index order.
    fn learn_names(&self) -> Result<Vec<CString>, YardstickError> {
        self.remove(Phase::SeqCreate);
        self.do_phase(Phase::SeqCreate)?;
        let mut names = self.bench.target.list(&self.bench.target.open_directory(self.bench.target.root(), &self.set_directory)?)?;
        self.remove(Phase::SeqCreate);
        names.sort_unstable();
        Ok(names)
    }

    fn remove(&self, phase: Phase) {
        phases::remove_files(phase, self.job(&Stop::of(self.bench.interrupted)));
    }

    const fn job<'j>(&'j self, stop: &'j Stop<'j>) -> Job<'j> {
        Job { plan: &self.plan, target: self.bench.target, stamps: &self.stamps, stop }
    }

    /// Makes what a pass works on, unless it is there from the pass before.
    fn make_ready(&self) -> Result<(), YardstickError> {
        let target = self.bench.target;
        match self.phase {
            Phase::BlockWrite => self.remove(Phase::BlockWrite),
            Phase::Rewrite => {
                self.remove(Phase::BlockWrite);
                self.do_phase(Phase::BlockWrite)?;
            }
            Phase::BlockRead | Phase::RandomSeek => {
                if target.status(target.root(), &self.block_file).is_err() {
                    self.do_phase(Phase::BlockWrite)?;
                    self.do_phase(Phase::Rewrite)?;
                }
            }
            Phase::SeqCreate => self.remove(Phase::SeqCreate),
            Phase::SeqStat => {
                if target.open_directory(target.root(), &self.set_directory).is_err() {
                    self.do_phase(Phase::SeqCreate)?;
                }
            }
            Phase::SeqDelete => {
                self.remove(Phase::SeqCreate);
                self.do_phase(Phase::SeqCreate)?;
            }
            _ => return Err(YardstickError::NoLoop(self.phase)),
        }
        Ok(())
    }

    fn do_phase(&self, phase: Phase) -> Result<Duration, YardstickError> {
        let stop = Stop::of(self.bench.interrupted);
        let mut timed = phases::prepare(phase, self.job(&stop), &Survey::new())?;
        let mut taken = Duration::ZERO;
        for (work, tally) in &mut timed.workers {
            let start = thread_time()?;
            tally.start(self.bench.target.now_ns());
            work(tally)?;
            taken += thread_time()? - start;
        }
        Ok(taken)
    }

    fn raw_pass(&self) -> Result<Duration, YardstickError> {
        let (root, name) = (self.bench.root, self.block_file.as_c_str());
        let chunk_size = self.plan.settings.chunk_size as usize;
        match self.phase {
            Phase::BlockWrite => self.raw_write(),
            Phase::Rewrite => Ok(raw::rewrite(root, name, Buffer::of(chunk_size).bytes(), self.offsets())?),
            Phase::BlockRead => Ok(raw::read(root, name, Buffer::of(chunk_size).bytes(), self.offsets())?),
            Phase::RandomSeek => self.raw_seek(),
            Phase::SeqCreate => {
                self.bench.target.make_directory(self.bench.target.root(), &self.set_directory)?;
                self.raw_files(FileCall::Create)
            }
            Phase::SeqStat => self.raw_files(FileCall::Stat),
            Phase::SeqDelete => self.raw_files(FileCall::Delete),
            _ => Err(YardstickError::NoLoop(self.phase)),
        }
    }

    fn offsets(&self) -> impl Iterator<Item = u64> {
        (0..self.plan.settings.file_size).step_by(self.plan.settings.chunk_size as usize)
    }

    fn raw_write(&self) -> Result<Duration, YardstickError> {
        let length = self.plan.settings.chunk_size as usize;
        let mut pool = Buffer::of(POOL_BYTES + length);
        let bytes = pool.bytes();
        Stream::of(self.stamps.nonce, "pool").fill(bytes);
        let bytes = &*bytes;
        let slices = self.offsets().zip(starts()).map(|(_, start)| &bytes[start..start + length]);
        Ok(raw::write(self.bench.root, &self.block_file, slices)?)
    }

    /// Its offsets are in a table made before, which barrow must not have: a permutation of any size takes no memory.
    fn raw_seek(&self) -> Result<Duration, YardstickError> {
        let settings = &self.plan.settings;
        let permutation = Permutation::of(settings.file_size / settings.seek_size, settings.seed, "random_seek places");
        let offsets: Vec<u64> = (0..self.operations()).map(|seek| permutation.at(seek) * settings.seek_size).collect();
        let mut buffer = Buffer::of(settings.seek_size as usize);
        let file = files::open_file(self.bench.root, &self.block_file, Access::Read, false)?;
        files::advise_random(&file)?;
        Ok(raw::seek(&file, buffer.bytes(), offsets.into_iter())?)
    }

    /// The names lie one after the other in memory, as barrow's do.
    fn raw_files(&self, call: FileCall) -> Result<Duration, YardstickError> {
        let directory = files::open_directory(self.bench.root, &self.set_directory)?;
        let together: Vec<u8> = self.names.iter().flat_map(|name| name.as_bytes_with_nul()).copied().collect();
        let parts = together.split_inclusive(|byte| *byte == 0);
        let names: Vec<&CStr> = parts.filter_map(|name| CStr::from_bytes_with_nul(name).ok()).collect();
        Ok(raw::files(&directory, &names, call)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::machine::FilesystemClass;
    use crate::target::real::RealTarget;
    use std::sync::atomic::Ordering;

    const PHASES: [Phase; 7] =
        [Phase::BlockWrite, Phase::Rewrite, Phase::BlockRead, Phase::RandomSeek, Phase::SeqCreate, Phase::SeqStat, Phase::SeqDelete];

    fn with_bench(test: impl FnOnce(Bench<'_>, &AtomicBool)) {
        let place = tempfile::tempdir().unwrap();
        let root = File::open(place.path()).unwrap();
        let target = RealTarget::of(root.try_clone().unwrap(), FilesystemClass::Other);
        let interrupted = AtomicBool::new(false);
        test(Bench { target: &target, root: &root, interrupted: &interrupted }, &interrupted);
        assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 0, "something is left");
    }

    fn small() -> Settings {
        Settings { file_size: 64 << 10, chunk_size: 8 << 10, seeks: 5, files: 10, ..Settings::default() }
    }

    #[test]
    fn both_loops_go_on_where_the_other_ended() {
        with_bench(|bench, _| {
            for (phase, operations) in PHASES.into_iter().zip([8, 8, 8, 5, 10, 10, 10]) {
                let yardstick = Yardstick::of(phase, small(), bench).unwrap();
                assert_eq!(yardstick.operations(), operations);
                for _ in 0..2 {
                    yardstick.raw(2).unwrap();
                    yardstick.barrow(2).unwrap();
                }
                yardstick.clear();
            }
        });
    }

    #[test]
    fn a_wish_to_stop_is_heard_and_what_has_no_loop_says_so() {
        with_bench(|bench, interrupted| {
            assert!(matches!(
                Yardstick::of(Phase::RandomStat, small(), bench).unwrap().raw(1),
                Err(YardstickError::NoLoop(Phase::RandomStat))
            ));
            let yardstick = Yardstick::of(Phase::BlockWrite, small(), bench).unwrap();
            interrupted.store(true, Ordering::Relaxed);
            assert!(matches!(yardstick.barrow(1), Err(YardstickError::Phase(PhaseError::Stopped))));
            yardstick.clear();
        });
    }
}
