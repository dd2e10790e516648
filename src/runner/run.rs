//! One run: a place is taken, each phase is made cold, prepared, timed and recorded, and the place is given back whatever happens.

use super::crew::{self, Measured, Watch};
use super::labels::{cache_label, durability};
use super::{Batch, Observer, Place, Standing, Working, workload_id};
use crate::model::costs::Costs;
use crate::model::evidence::Evidence;
use crate::model::flag::{Flag, SHORT_NANOSECONDS};
use crate::model::histogram::Histogram;
use crate::model::identity::Identity;
use crate::model::label::CacheLabel;
use crate::model::machine::FilesystemClass;
use crate::model::phase::Phase;
use crate::model::plan::Plan;
use crate::model::record::{Counted, PhaseRecord, PhaseResult, Preparation, RunRecord, SCHEMA, Status};
use crate::model::slices::SliceClock;
use crate::model::stack::Stack;
use crate::phases::{self, Job, PhaseError, Stamps, Stop};
use crate::sys::meter::Meter;
use crate::target::ground::{Cold, Ground, GroundError};
use crate::target::{Access, Target};
use chrono::{SecondsFormat, Utc};
use std::ffi::CString;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Bytes of the blocks that getrusage(2) counts.
const USAGE_BLOCK_BYTES: u64 = 512;
/// How long a rest goes on before it is looked whether the run is to stop.
const NAP: Duration = Duration::from_millis(50);

/// Which run of the batch it is.
pub struct Turn<'a> {
    /// The batch.
    pub batch: &'a Batch,
    /// The round, from 1.
    pub round: u32,
    /// The place in the order of the round, from 1.
    pub order: u32,
    /// The place of the target on the command line, from 1.
    pub target: u32,
    /// The run's random number.
    pub nonce: u64,
}

/// Does one run. Gives its record, and whether something could not be removed.
pub fn run(
    turn: &Turn<'_>,
    place: &mut Place,
    meter: &dyn Meter,
    interrupted: &AtomicBool,
    observer: &mut dyn Observer,
) -> (RunRecord, bool) {
    let started = now();
    let taken = place.ground.take(turn.nonce, turn.batch.identity.0);
    let (directory, scratch) = (place.ground.directory(), place.ground.scratch());
    let standing =
        Standing { label: &place.label, directory: &directory, scratch: scratch.as_deref(), round: turn.round, rounds: turn.batch.rounds };
    match &taken {
        Ok(()) => observer.run_started(standing),
        Err(error) => observer.run_not_begun(standing, &error.to_string()),
    }
    let stamps = Stamps { nonce: turn.nonce, earlier: place.earlier.clone() };
    let mut phases: Vec<PhaseRecord> = Vec::with_capacity(Phase::ALL.len());
    for phase in Phase::ALL {
        let record = match hindrance(*phase, &turn.batch.plan, &phases, taken.as_ref().err(), interrupted) {
            Some(record) => {
                if taken.is_ok() && turn.batch.plan.skips(*phase).is_none() {
                    observer.phase_finished(standing, &record);
                }
                record
            }
            None => {
                observer.phase_started(standing, *phase);
                let plan = &turn.batch.plan;
                let mut once = Once { phase: *phase, plan, stamps: &stamps, ground: place.ground.as_mut(), meter, interrupted };
                let expected = phases::work_expected(*phase, plan);
                let mut watch = |done, elapsed_ns| {
                    observer.phase_goes_on(standing, Working { phase: *phase, done, expected, elapsed_ns });
                };
                let record = once.record(place.filesystem.class, &mut watch);
                once.remove_files_of(&record);
                observer.phase_finished(standing, &record);
                record
            }
        };
        phases.push(record);
    }
    let left = place.ground.give_back();
    left.iter().for_each(|what| observer.left_behind(what));
    observer.run_finished();
    (record_of(turn, place, started, phases), !left.is_empty())
}

fn now() -> String {
    Utc::now().to_rfc3339_opts(SecondsFormat::Secs, true)
}

fn record_of(turn: &Turn<'_>, place: &Place, started: String, phases: Vec<PhaseRecord>) -> RunRecord {
    let batch = turn.batch;
    let is_done = |record: &PhaseRecord| record.status == Status::Ok || batch.plan.skips(record.name).is_some();
    RunRecord {
        schema: SCHEMA,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        batch: batch.identity,
        nonce: Identity(turn.nonce),
        label: place.label.clone(),
        target: turn.target,
        tags: batch.tags.clone(),
        round: turn.round,
        order: turn.order,
        profile: batch.plan.profile.clone(),
        workload_id: workload_id(&batch.plan),
        plan: batch.plan.clone(),
        machine: batch.machine.clone(),
        filesystem: place.filesystem.clone(),
        device: place.device.clone(),
        stack: Stack::default(),
        costs: Costs::default(),
        direct_io: None,
        complete: phases.iter().all(is_done),
        phases,
        started,
        finished: now(),
    }
}

/// The record of a phase that is not done, with the reason; `None` when nothing is in its way.
fn hindrance(
    phase: Phase,
    plan: &Plan,
    before: &[PhaseRecord],
    not_taken: Option<&GroundError>,
    interrupted: &AtomicBool,
) -> Option<PhaseRecord> {
    if let Some(reason) = plan.skips(phase) {
        return Some(PhaseRecord::skipped(phase, reason));
    }
    if let Some(error) = not_taken {
        return Some(PhaseRecord::failed(phase, error.to_string()));
    }
    if interrupted.load(Ordering::Relaxed) {
        return Some(PhaseRecord::skipped(phase, "the run was stopped before it"));
    }
    let needed = phases::needs(phase)?;
    let is_there = before.iter().any(|record| record.name == needed && record.status == Status::Ok);
    (!is_there).then(|| PhaseRecord::skipped(phase, format!("needs {}, which has no result", needed.name())))
}

/// A phase that is to be done once.
struct Once<'a> {
    phase: Phase,
    plan: &'a Plan,
    stamps: &'a Stamps,
    ground: &'a mut dyn Ground,
    meter: &'a dyn Meter,
    interrupted: &'a AtomicBool,
}

impl Once<'_> {
    /// Does it, and says how it went.
    fn record(&mut self, class: FilesystemClass, watch: Watch<'_>) -> PhaseRecord {
        let stop = Stop::of(self.interrupted);
        match self.do_it(&stop, watch) {
            Ok(done) => done.record(self.phase, self.plan, class),
            Err(Spoilt::Phase(PhaseError::Stopped) | Spoilt::Ground(GroundError::Stopped)) => {
                PhaseRecord::skipped(self.phase, "the run was stopped in it")
            }
            Err(Spoilt::Ground(error)) => PhaseRecord::failed(self.phase, error.to_string()),
            Err(Spoilt::Phase(error)) => PhaseRecord::failed(self.phase, error.to_string()),
        }
    }

    fn do_it(&mut self, stop: &Stop<'_>, watch: Watch<'_>) -> Result<Done, Spoilt> {
        self.rest()?;
        let survey = phases::survey(self.phase, self.job(stop)?)?;
        let files = phases::files_read(self.phase, self.plan);
        let preparation = self.make_ready(&files)?;
        let job = self.job(stop)?;
        let resident_before = resident_share(job.target, &files);
        let timed = phases::prepare(self.phase, job, &survey)?;
        let measured = crew::work(timed, job, self.meter, watch)?;
        let evidence = Evidence {
            resident_before,
            resident_after: resident_share(job.target, &files),
            own_read_bytes: Some(measured.used.usage.blocks_in * USAGE_BLOCK_BYTES),
            own_written_bytes: Some(measured.used.usage.blocks_out * USAGE_BLOCK_BYTES),
            ..Evidence::default()
        };
        Ok(Done { counted: counted(self.phase, &measured), preparation, evidence })
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
            return self.ground.make_cold(&Cold { files, circumstances: &self.plan.circumstances });
        }
        let flushed = self.ground.target()?.flush();
        flushed.map_err(|source| GroundError::Call { doing: "flush before the phase".to_owned(), source })?;
        Ok(Preparation { flushed: true, ..Preparation::default() })
    }

    /// Removes files that no later phase uses, so that they take no space and no time from the next.
    fn remove_files_of(&self, record: &PhaseRecord) {
        let stop = Stop::of(self.interrupted);
        let are_useless = phases::is_last_of_its_files(self.phase) || (record.status != Status::Ok && phases::needs(self.phase).is_none());
        if are_useless && let Ok(job) = self.job(&stop) {
            phases::remove_files(self.phase, job);
        }
    }
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
    evidence: Evidence,
}

impl Done {
    fn record(self, phase: Phase, plan: &Plan, class: FilesystemClass) -> PhaseRecord {
        let bytes = phases::bytes_read(phase, plan, self.counted.work);
        let cache: Option<CacheLabel> = cache_label(phase, class, &self.evidence, bytes);
        let flags = [
            (self.counted.elapsed_ns < SHORT_NANOSECONDS).then_some(Flag::Short),
            (self.counted.latency_batch > 1).then_some(Flag::Batched),
        ];
        PhaseRecord {
            name: phase,
            status: Status::Ok,
            reason: None,
            preparation: self.preparation,
            cache,
            durable: durability(phase, class),
            io: None,
            flags: flags.into_iter().flatten().collect(),
            evidence: self.evidence,
            result: Some(PhaseResult::Counted(Box::new(self.counted))),
        }
    }
}

/// Puts together what the workers counted.
fn counted(phase: Phase, measured: &Measured<'_>) -> Counted {
    let tallies = &measured.tallies;
    let mut latency = Histogram::default();
    tallies.iter().for_each(|tally| latency.add(&tally.latency));
    let slices: Vec<SliceClock> = tallies.iter().map(|tally| tally.slices.clone()).collect();
    let largest = |value: fn(&phases::Tally<'_>) -> u64| tallies.iter().map(value).max().unwrap_or(0);
    Counted {
        work: tallies.iter().map(|tally| tally.work).sum(),
        operations: tallies.iter().map(|tally| tally.operations).sum(),
        elapsed_ns: measured.elapsed_ns,
        acknowledged_ns: phase.row().writes.then(|| largest(|tally| tally.acknowledged_ns)),
        usage: measured.used.usage,
        system_busy_ns: measured.used.system_busy_ns,
        tool_ns: None,
        latency,
        latency_max_ns: largest(|tally| tally.latency_max_ns),
        latency_batch: u32::try_from(largest(|tally| tally.latency_batch)).unwrap_or(u32::MAX),
        slices: SliceClock::together(&slices),
    }
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
    (pages > 0).then(|| resident as f64 / pages as f64)
}
