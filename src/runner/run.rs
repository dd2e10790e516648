//! One run: a place is taken, each phase is made cold, prepared, timed and recorded, and the place is given back whatever happens.

use super::labels::Footing;
use super::once::{Course, Once};
use super::probe::flush_is_heard;
use super::quiet::Patience;
use super::{Batch, Observer, Place, Standing, Working, workload_id};
use crate::model::costs::Costs;
use crate::model::identity::Identity;
use crate::model::phase::Phase;
use crate::model::plan::Plan;
use crate::model::record::{PhaseRecord, RunRecord, SCHEMA, Status};
use crate::phases::{self, Stamps};
use crate::sys::meter::Meter;
use crate::target::ground::GroundError;
use chrono::{SecondsFormat, Utc};
use std::sync::atomic::{AtomicBool, Ordering};

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
    let mut course = course_of(place, &turn.batch.plan, meter);
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
                let ground = place.ground.as_mut();
                let mut once = Once { phase: *phase, plan, stamps: &stamps, ground, meter, interrupted, course: &mut course };
                let expected = phases::work_expected(*phase, plan);
                let mut watch = |done, elapsed_ns| {
                    observer.phase_goes_on(standing, Working { phase: *phase, done, expected, elapsed_ns });
                };
                let record = once.record(&mut watch);
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
    (record_of(turn, place, course, started, phases), !left.is_empty())
}

fn now() -> String {
    Utc::now().to_rfc3339_opts(SecondsFormat::Secs, true)
}

/// What is known of a run before its first phase.
fn course_of(place: &Place, plan: &Plan, meter: &dyn Meter) -> Course {
    let target = place.ground.target().ok();
    let costs = target.map(phases::costs).unwrap_or_default();
    let costs = Costs { memory_bytes_per_second: meter.memory_read_rate(), ..costs };
    let start_ns = target.map_or(0, |target| target.now_ns());
    let stack = place.ground.stack().clone();
    let footing = Footing { class: place.filesystem.class, stack: &stack, has_moved: false, flush_is_heard: false };
    // With block files they show it.
    let flush_is_heard = plan.settings.file_size == 0 && flush_is_heard(place.ground.as_ref(), &footing);
    Course {
        class: place.filesystem.class,
        costs,
        flush_is_heard,
        stack,
        has_moved: false,
        patience: Patience::of(&plan.settings),
        start_ns,
    }
}

fn record_of(turn: &Turn<'_>, place: &Place, course: Course, started: String, phases: Vec<PhaseRecord>) -> RunRecord {
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
        stack: course.stack,
        costs: course.costs,
        direct_io: place.direct_io,
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
