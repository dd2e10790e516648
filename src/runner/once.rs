//! One phase of a run: a rest, cold caches, a quiet machine, the timed work, and a watch on what goes on behind it; then its record.

use super::crew::{self, Measured, Watch as Progress};
use super::flags::{Facts, flags};
use super::labels::{Footing, cache_label, durability, obtained_io};
use super::quiet::{Patience, Scene};
use crate::model::aftermath::{Aftermath, Kind};
use crate::model::costs::Costs;
use crate::model::evidence::Evidence;
use crate::model::histogram::Histogram;
use crate::model::label::Durability;
use crate::model::machine::FilesystemClass;
use crate::model::phase::{Group, Phase, TransferOrder};
use crate::model::plan::Plan;
use crate::model::record::{Counted, PhaseRecord, PhaseResult, Preparation, Status};
use crate::model::slices::SliceClock;
use crate::model::stack::Stack;
use crate::phases::{self, Job, Moved, PhaseError, ProgramFault, Stamps, Stop, Tally};
use crate::sys::meter::Meter;
use crate::target::ground::{Cold, Ground, GroundError};
use crate::target::{Access, Target};
use std::ffi::CString;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Bytes of the blocks that getrusage(2) counts.
const USAGE_BLOCK_BYTES: u64 = 512;
/// How long a rest goes on before it is looked whether the run is to stop.
const NAP: Duration = Duration::from_millis(50);

/// What the phases of a run learn for those after them.
pub struct Course {
    /// How the filesystem keeps its data.
    pub class: FilesystemClass,
    /// What barrow costs here.
    pub costs: Costs,
    /// Whether the leaves moved with a durable write.
    pub has_moved: bool,
    /// Whether a flush is known to do something: a block phase was durable, or the probe.
    pub flush_is_heard: bool,
    /// The devices below when the run began, which its record shows.
    pub stack: Stack,
    /// How much waiting there was.
    pub patience: Patience,
    /// When the run began, on the target's clock.
    pub start_ns: u64,
}

/// A phase that is to be done once.
pub struct Once<'a> {
    /// Which one.
    pub phase: Phase,
    /// What is to be done.
    pub plan: &'a Plan,
    /// What marks the data.
    pub stamps: &'a Stamps,
    /// Where.
    pub ground: &'a mut dyn Ground,
    /// What is read around it.
    pub meter: &'a dyn Meter,
    /// Whether the run is to stop.
    pub interrupted: &'a AtomicBool,
    /// What the run has learned.
    pub course: &'a mut Course,
}

impl Once<'_> {
    /// Does it, and says how it went.
    pub fn record(&mut self, progress: Progress<'_>) -> PhaseRecord {
        let stop = Stop::of(self.interrupted).within(self.plan.circumstances.max_phase_seconds);
        match self.do_it(&stop, progress) {
            Ok(done) => self.labelled(done),
            Err(Spoilt::Phase(PhaseError::Stopped) | Spoilt::Ground(GroundError::Stopped)) => {
                PhaseRecord::skipped(self.phase, "the run was stopped in it")
            }
            Err(Spoilt::Phase(error @ PhaseError::OutOfTime { .. })) => {
                PhaseRecord::without_result(self.phase, Status::Truncated, error.to_string())
            }
            Err(Spoilt::Phase(PhaseError::Program(fault))) => {
                let ProgramFault { reason, status, end } = *fault;
                let after = Aftermath { program: Some(end), ..Aftermath::default() };
                PhaseRecord { after, ..PhaseRecord::without_result(self.phase, status, reason) }
            }
            Err(Spoilt::Ground(error)) => PhaseRecord::failed(self.phase, error.to_string()),
            Err(Spoilt::Phase(error)) => PhaseRecord::failed(self.phase, error.to_string()),
        }
    }

    fn do_it(&mut self, stop: &Stop<'_>, progress: Progress<'_>) -> Result<Done, Spoilt> {
        self.rest()?;
        let procedure = phases::procedure(self.phase);
        let survey = procedure.survey(self.job(stop)?)?;
        let read = procedure.files_read(self.plan);
        let preparation = self.make_ready(&read)?;
        let before = self.watch()?;
        let job = self.job(stop)?;
        let resident_before = resident_share(job.target, &read);
        let mut timed = procedure.prepare(job, &survey)?;
        let after = timed.after.take();
        let (counters, around) = (self.ground.counters(), self.meter.around());
        let measured = crew::work(timed, job, self.meter, progress)?;
        stop.check_time(measured.elapsed_ns)?;
        let (counters, around) = (self.ground.counters().since(&counters), self.meter.around().since(&around));
        let resident_after = resident_share(job.target, &procedure.files_touched(self.plan));
        let counted = counted(self.phase, &measured);
        let usage = counted.usage;
        // Off the clock, but before anybody else changes what was made.
        let after = after.map(|look| look()).unwrap_or_default();
        // Who stops the run here has the result all the same.
        let settle = if self.phase.row().writes { self.watch().ok() } else { None };
        let evidence = Evidence {
            resident_before,
            resident_after,
            own_read_bytes: Some(usage.blocks_in * USAGE_BLOCK_BYTES),
            own_written_bytes: Some(usage.blocks_out * USAGE_BLOCK_BYTES),
            cancelled_bytes: around.cancelled_bytes.filter(|bytes| *bytes > 0),
            devices: counters.devices.unwrap_or_default(),
            arc: counters.arc,
            server: counters.server,
            surroundings: around.surroundings(),
            before: Some(before),
            settle,
        };
        Ok(Done { counted, preparation, after, evidence })
    }

    fn watch(&mut self) -> Result<crate::model::evidence::Watch, GroundError> {
        let scene = Scene { ground: &*self.ground, meter: self.meter, interrupted: self.interrupted, run_start_ns: self.course.start_ns };
        scene.watch(&mut self.course.patience)
    }

    /// Rests as long as the user wished, but no longer than until the run is to stop.
    fn rest(&self) -> Result<(), PhaseError> {
        let end = Instant::now() + Duration::from_millis(self.plan.circumstances.pause_ms);
        while let Some(left) = end.checked_duration_since(Instant::now()).filter(|left| !left.is_zero()) {
            if self.interrupted.load(Ordering::Relaxed) {
                return Err(PhaseError::Stopped);
            }
            std::thread::sleep(left.min(NAP));
        }
        Ok(())
    }

    fn job<'j>(&'j self, stop: &'j Stop<'j>) -> Result<Job<'j>, GroundError> {
        Ok(Job { plan: self.plan, target: self.ground.target()?, stamps: self.stamps, stop })
    }

    /// Flushes what earlier phases left, and empties the caches of what this one will read.
    fn make_ready(&mut self, files: &[CString]) -> Result<Preparation, GroundError> {
        if self.phase.starts_cold() {
            return self.ground.make_cold(&Cold { phase: self.phase, files, circumstances: &self.plan.circumstances });
        }
        let flushed = self.ground.target()?.flush();
        flushed.map_err(|source| GroundError::Call { doing: "flush before the phase".to_owned(), source })?;
        Ok(Preparation { flushed: true, ..Preparation::default() })
    }

    /// Removes files that no later phase uses, so that they take no space and no time from the next. A phase that could not be done may
    /// have been the last that would have used those of an earlier one.
    pub fn remove_files_of(&self, record: &PhaseRecord) {
        let stop = Stop::of(self.interrupted);
        let are_useless = phases::is_last_of_its_files(self.phase, self.plan)
            || (record.status != Status::Ok && phases::needs(self.phase, self.plan).is_none());
        if are_useless && let Ok(job) = self.job(&stop) {
            phases::remove_files(self.phase, job);
        }
    }

    /// The record of a phase that went well, with its labels and marks.
    fn labelled(&mut self, done: Done) -> PhaseRecord {
        let Done { mut counted, preparation, after, evidence } = done;
        let (phase, settings) = (self.phase, &self.plan.settings);
        let stack = self.ground.stack().clone();
        let Moved { read: read_bytes, written: written_bytes, checked } = phases::procedure(phase).moved(self.plan, &counted);
        let tool_ns = self.course.costs.of_phase(clock_readings(&counted), written_bytes, checked);
        // Workers do it at the same time.
        counted.tool_ns = Some(tool_ns / settings.threads(phase).max(1));
        // Behind a user's command another device may lie: what was proven of the first is not of this one.
        let is_same = stack == self.course.stack;
        let is_block = phase.row().group.moves_large_files();
        let mut footing = Footing {
            class: self.course.class,
            stack: &stack,
            has_moved: self.course.has_moved && is_same,
            flush_is_heard: (self.course.flush_is_heard && is_same) || is_block,
        };
        let unique_bytes = settings.unique_bytes(written_bytes);
        footing.has_moved |= phase.row().writes && footing.moved_with(&evidence, unique_bytes);
        // What is named by its number needs no write to show that it is the right one.
        footing.has_moved |= phase.row().group == Group::Device;
        let durable = durability(phase, &footing, &evidence, unique_bytes);
        self.course.has_moved = footing.has_moved;
        self.course.flush_is_heard =
            if is_block && phase.row().writes { durable == Some(Durability::Durable) } else { self.course.flush_is_heard && is_same };
        let transfers = is_in_no_order(phase).then_some(counted.operations);
        let cache = cache_label(phase, &footing, &evidence, read_bytes, transfers);
        let costs = &self.course.costs;
        let facts = Facts { phase, settings, footing, counted: &counted, evidence: &evidence, cache, costs, read_bytes, written_bytes };
        PhaseRecord {
            name: phase,
            status: Status::Ok,
            reason: None,
            preparation,
            after,
            cache,
            durable,
            io: obtained_io(phase, settings.io_of(phase), &evidence),
            flags: flags(&facts),
            // The counts of other devices than those of the record would be misread.
            evidence: if is_same { evidence } else { Evidence { devices: Vec::new(), ..evidence } },
            result: Some(PhaseResult::Counted(Box::new(counted))),
        }
    }
}

/// Whether each transfer of a phase is a request of its own: of those in order, readahead makes fewer.
fn is_in_no_order(phase: Phase) -> bool {
    match phase {
        Phase::RandomSeek => true,
        Phase::Transfer(transfer) => transfer.order == TransferOrder::Random,
        _ => false,
    }
}

/// How often the clock was read between the start and the end of a phase.
fn clock_readings(counted: &Counted) -> u64 {
    counted.operations / u64::from(counted.latency_batch.max(1)) + 1
}

/// What spoils a phase.
enum Spoilt {
    Ground(GroundError),
    Phase(PhaseError),
}

impl From<GroundError> for Spoilt {
    fn from(error: GroundError) -> Self {
        Self::Ground(error)
    }
}

impl From<PhaseError> for Spoilt {
    fn from(error: PhaseError) -> Self {
        Self::Phase(error)
    }
}

/// A phase that went well.
struct Done {
    counted: Counted,
    preparation: Preparation,
    after: Aftermath,
    evidence: Evidence,
}

/// Puts together what the workers counted.
fn counted(phase: Phase, measured: &Measured<'_>) -> Counted {
    let tallies = &measured.tallies;
    let mut latency = Histogram::default();
    tallies.iter().for_each(|tally| latency.add(&tally.latency));
    let slices: Vec<SliceClock> = tallies.iter().map(|tally| tally.slices.clone()).collect();
    let largest = |value: fn(&Tally<'_>) -> u64| tallies.iter().map(value).max().unwrap_or(0);
    let usage = tallies.iter().fold(measured.used.usage, |usage, tally| usage.with(&tally.children));
    let bytes: u64 = tallies.iter().map(|tally| tally.bytes).sum();
    Counted {
        work: tallies.iter().map(|tally| tally.work).sum(),
        operations: tallies.iter().map(|tally| tally.operations).sum(),
        elapsed_ns: measured.elapsed_ns,
        acknowledged_ns: phase.row().writes.then(|| largest(|tally| tally.acknowledged_ns)),
        usage,
        system_busy_ns: measured.used.system_busy_ns(),
        others_user_ns: measured.used.machine.map(|machine| machine.user_ns.saturating_sub(usage.user_ns)),
        tool_ns: None,
        latency: latency.trimmed(),
        latency_max_ns: largest(|tally| tally.latency_max_ns),
        latency_batch: u32::try_from(largest(|tally| tally.latency_batch)).unwrap_or(u32::MAX),
        slices: SliceClock::together(&slices),
        bytes: (bytes > 0).then_some(bytes),
        kinds: together(tallies),
    }
}

/// The kinds of operations of all workers, those of which there were none left out.
fn together(tallies: &[Tally<'_>]) -> Vec<Kind> {
    let mut kinds: Vec<Kind> = tallies.first().map(|tally| tally.kinds.clone()).unwrap_or_default();
    for tally in tallies.iter().skip(1) {
        kinds.iter_mut().zip(&tally.kinds).for_each(|(kind, other)| kind.add(other));
    }
    kinds.retain(|kind| kind.count > 0);
    kinds.into_iter().map(|kind| Kind { latency: kind.latency.trimmed(), ..kind }).collect()
}

/// The share of some files that is in memory; `None` when there are none, or the system does not tell.
fn resident_share(target: &dyn Target, files: &[CString]) -> Option<f64> {
    let (mut resident, mut pages) = (0, 0);
    for name in files {
        let file = target.open(target.root(), name, Access::Read, crate::model::settings::Io::Buffered).ok()?;
        let residency = target.residency(&file).ok()?;
        resident += residency.resident_pages;
        pages += residency.pages;
    }
    // Four digits: more would only make the line of a run longer.
    (pages > 0).then(|| (resident as f64 / pages as f64 * 1e4).round() / 1e4)
}
