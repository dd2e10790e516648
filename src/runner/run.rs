//! One run: a place is taken, each phase is made cold, prepared, timed and recorded, and the place is given back whatever happens.

use super::filling::{Hears, fill};
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
use crate::model::stack::Stack;
use crate::phases::{self, Stamps};
use crate::sys::meter::Meter;
use crate::target::ground::{GroundError, Site};
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
    let mut record = begun(turn, place);
    observer.run_so_far(&record);
    let made = place.ground.place_of(turn.nonce);
    if !made.is_empty() {
        observer.run_begins(&made);
    }
    let taken = place.ground.take(turn.nonce, turn.batch.identity.0);
    // Only now it may be known.
    Site { filesystem: record.filesystem, device: record.device, direct_io: record.direct_io } = place.ground.site().clone();
    let (directory, scratch) = (place.ground.directory(), place.ground.scratch());
    let standing =
        Standing { label: &place.label, directory: &directory, scratch: scratch.as_deref(), round: turn.round, rounds: turn.batch.rounds };
    match &taken {
        Ok(()) => observer.run_started(standing),
        Err(error) => observer.run_not_begun(standing, &error.to_string()),
    }
    let plan = &turn.batch.plan;
    let fill_percent = plan.circumstances.fill_percent;
    let taken = match taken {
        Ok(()) if fill_percent > 0 => {
            let hears: Hears<'_> = &mut |done, of| observer.filling(standing, done, of);
            fill(place.ground.as_ref(), fill_percent, turn.nonce, interrupted, hears)
        }
        other => other,
    };
    let stamps = Stamps { nonce: turn.nonce, earlier: place.earlier.clone() };
    let mut course = course_of(place, plan, meter);
    (record.stack, record.costs) = (course.stack.clone(), course.costs);
    for phase in plan.settings.phases.iter().copied() {
        let mut once = Once { phase, plan, stamps: &stamps, ground: place.ground.as_mut(), meter, interrupted, course: &mut course };
        let (done, is_told) = match hindrance(phase, plan, &record.phases, taken.as_ref().err(), interrupted) {
            Some(hindered) => (hindered, taken.is_ok() && plan.skips(phase).is_none()),
            None => {
                observer.phase_started(standing, phase);
                let expected = phases::procedure(phase).work_expected(plan);
                let mut watch = |done, elapsed_ns| observer.phase_goes_on(standing, Working { phase, done, expected, elapsed_ns });
                (once.record(&mut watch), true)
            }
        };
        record.phases.push(done);
        if is_told {
            let done = &record.phases[record.phases.len() - 1];
            // Before anything is removed: that may hang, and the result must not be lost.
            observer.run_so_far(&record);
            once.remove_files_of(done);
            observer.phase_finished(standing, done);
        }
    }
    end(&mut record);
    observer.run_so_far(&record);
    let left = place.ground.give_back();
    record.making = place.ground.making();
    if let Some(fault) = place.ground.fault() {
        distrust(&mut record, &fault);
    }
    left.iter().for_each(|what| observer.left_behind(what));
    observer.run_finished();
    record.finished = now();
    (record, !left.is_empty())
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
    let footing = Footing { class: place.ground.site().filesystem.class, stack: &stack, has_moved: false, flush_is_heard: false };
    // With block files they show it.
    let flush_is_heard = writes(plan) && !begins_with_large_files(plan) && flush_is_heard(place.ground.as_ref(), &footing);
    Course {
        class: place.ground.site().filesystem.class,
        costs,
        flush_is_heard,
        stack,
        has_moved: false,
        patience: Patience::of(&plan.settings),
        start_ns,
    }
}

/// Whether any phase that is done writes; where none does, nothing must be written.
fn writes(plan: &Plan) -> bool {
    plan.settings.phases.iter().any(|phase| phase.row().writes && plan.skips(*phase).is_none())
}

/// Whether the first phase that is done writes large files.
fn begins_with_large_files(plan: &Plan) -> bool {
    let first = plan.settings.phases.iter().find(|phase| plan.skips(**phase).is_none());
    first.is_some_and(|phase| phase.row().group.moves_large_files() && phase.row().writes)
}

/// The record of a run that has no phases yet.
fn begun(turn: &Turn<'_>, place: &Place) -> RunRecord {
    let batch = turn.batch;
    let started = now();
    let site = place.ground.site().clone();
    RunRecord {
        schema: SCHEMA,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        batch: batch.identity,
        nonce: Identity(turn.nonce),
        label: place.label.clone(),
        target: turn.target,
        tags: batch.tags.iter().chain(&place.tags).map(|(key, value)| (key.clone(), value.clone())).collect(),
        round: turn.round,
        order: turn.order,
        profile: batch.plan.profile.clone(),
        workload_id: workload_id(&batch.plan),
        plan: Some(batch.plan.clone()),
        imported: None,
        machine: batch.machine.clone(),
        filesystem: site.filesystem,
        device: site.device,
        stack: Stack::default(),
        costs: Costs::default(),
        direct_io: site.direct_io,
        making: None,
        complete: false,
        phases: Vec::with_capacity(batch.plan.settings.phases.len()),
        finished: started.clone(),
        started,
    }
}

/// Notes that no phase comes any more.
fn end(record: &mut RunRecord) {
    let is_left_out = |phase: Phase| record.plan.as_ref().and_then(|plan| plan.skips(phase)).is_some();
    let is_done = |phase: &PhaseRecord| phase.status == Status::Ok || is_left_out(phase.name);
    record.complete = record.phases.iter().all(is_done);
    record.finished = now();
}

/// Takes the numbers of a run for none: they stay in its record, and count nowhere.
fn distrust(record: &mut RunRecord, fault: &str) {
    for phase in record.phases.iter_mut().filter(|phase| phase.status == Status::Ok) {
        phase.status = Status::Failed;
        phase.reason = Some(fault.to_owned());
    }
    end(record);
}

/// A run that ends where its draft ([`Observer::run_so_far`]) is: the phase that was not finished, if there is one, ended so and for this
/// reason; those after it are skipped.
#[must_use]
pub fn broken_off(mut draft: RunRecord, unfinished: Option<(Phase, Status)>, reason: &str) -> RunRecord {
    let phases = draft.plan.as_ref().map(|plan| plan.settings.phases.clone()).unwrap_or_default();
    for phase in phases.iter().copied().skip(draft.phases.len()) {
        let record = match (draft.plan.as_ref().and_then(|plan| plan.skips(phase)), unfinished) {
            (Some(reason), _) => PhaseRecord::skipped(phase, reason),
            (None, Some((broken, status))) if broken == phase => PhaseRecord::without_result(phase, status, reason.to_owned()),
            (None, Some(_)) => PhaseRecord::skipped(phase, "the run ended before it"),
            (None, None) => PhaseRecord::skipped(phase, format!("the run ended before it: {reason}")),
        };
        draft.phases.push(record);
    }
    end(&mut draft);
    draft
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
    let needed = phases::needs(phase, plan)?;
    let is_there = before.iter().any(|record| record.name == needed && record.status == Status::Ok);
    (!is_there).then(|| PhaseRecord::skipped(phase, format!("needs {}, which has no result", needed.name())))
}
