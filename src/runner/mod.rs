//! Rounds × targets × phases: takes grounds, reads the meter around what is timed, and gives a record for each run.

mod crew;
mod filling;
mod flags;
mod labels;
mod once;
pub mod preflight;
mod probe;
mod quiet;
mod run;
pub mod yardstick;

use crate::model::identity::Identity;
use crate::model::machine::Machine;
use crate::model::phase::Phase;
use crate::model::plan::Plan;
use crate::model::record::{PhaseRecord, RunRecord};
use crate::rng::{Stream, hash64};
use crate::sys::meter::Meter;
use crate::target::ground::Ground;
pub use run::broken_off;
use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

/// One call of barrow: a plan, done so often on each place.
#[derive(Debug, Clone)]
pub struct Batch {
    /// Its name.
    pub identity: Identity,
    /// What each run does.
    pub plan: Plan,
    /// How often.
    pub rounds: u32,
    /// What the user noted.
    pub tags: BTreeMap<String, String>,
    /// The machine.
    pub machine: Machine,
}

/// A target with its name and its ground.
pub struct Place {
    /// The target's name in every report.
    pub label: String,
    /// What the user noted of it alone, beside the tags of the batch.
    pub tags: BTreeMap<String, String>,
    /// What it stands on.
    pub ground: Box<dyn Ground>,
    /// The nonces of the runs that were done here.
    pub earlier: Vec<u64>,
}

impl Place {
    /// A place on which nothing was done yet.
    #[must_use]
    pub fn of(label: String, ground: Box<dyn Ground>) -> Self {
        Self { label, tags: BTreeMap::new(), ground, earlier: Vec::new() }
    }
}

/// Where a run stands in its batch.
#[derive(Debug, Clone, Copy)]
pub struct Standing<'a> {
    /// The target's name.
    pub label: &'a str,
    /// The directory that the user named.
    pub directory: &'a str,
    /// Where its files lie; `None` when it could not be made.
    pub scratch: Option<&'a str>,
    /// The round, from 1.
    pub round: u32,
    /// How many rounds there are.
    pub rounds: u32,
}

/// How far a phase is.
#[derive(Debug, Clone, Copy)]
pub struct Working {
    /// Which one.
    pub phase: Phase,
    /// Work done so far, in the phase's unit.
    pub done: u64,
    /// The whole work, where it is known before.
    pub expected: Option<u64>,
    /// Nanoseconds since its clock started.
    pub elapsed_ns: u64,
}

/// Hears of what happens.
pub trait Observer {
    /// The run as far as it has come: its phases that have ended, whatever else becomes of it. Told before it begins, when one of its
    /// phases has ended, and before its files are removed.
    fn run_so_far(&mut self, _draft: &RunRecord) {}
    /// A run begins, and makes this place for its files.
    fn run_begins(&mut self, _place: &str) {}
    /// A run has begun.
    fn run_started(&mut self, standing: Standing<'_>);
    /// A run could not begin.
    fn run_not_begun(&mut self, standing: Standing<'_>, reason: &str);
    /// The filesystem is being filled before the phases: so many bytes are written, of so many.
    fn filling(&mut self, _standing: Standing<'_>, _done: u64, _of: u64) {}
    /// A phase begins.
    fn phase_started(&mut self, standing: Standing<'_>, phase: Phase);
    /// A phase goes on; told twice a second by the thread that waits for the workers.
    fn phase_goes_on(&mut self, _standing: Standing<'_>, _working: Working) {}
    /// A phase has ended, well or not.
    fn phase_finished(&mut self, standing: Standing<'_>, record: &PhaseRecord);
    /// A run has ended, and its files are removed.
    fn run_finished(&mut self);
    /// Something could not be removed.
    fn left_behind(&mut self, what: &str);
}

/// Why a batch ended before all its runs were done: the kernel has no randomness.
#[derive(Debug, thiserror::Error)]
#[error("no random numbers from the kernel: {0}")]
pub struct BatchError(io::Error);

/// How a batch went.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Runs that were recorded.
    pub runs: u32,
    /// Whether a phase of one of them failed, or something was left behind.
    pub failed: bool,
    /// Whether it was stopped by the user.
    pub interrupted: bool,
}

/// What hears and keeps the results of a batch.
pub struct Listeners<'a> {
    /// Hears of progress.
    pub observer: &'a mut dyn Observer,
    /// Keeps a run when it ends.
    pub keep: &'a mut dyn FnMut(RunRecord),
}

/// The id of the work of a plan: equal ids mean equal work.
#[must_use]
pub fn workload_id(plan: &Plan) -> Identity {
    Identity(hash64(plan.canonical().as_bytes()))
}

/// Does every run of a batch: round by round, in each round every place once, in an order drawn from the batch's number.
///
/// # Errors
/// When the kernel has no randomness; what was kept before stays kept.
pub fn run_batch(
    batch: &Batch,
    places: &mut [Place],
    meter: &dyn Meter,
    interrupted: &AtomicBool,
    listeners: &mut Listeners<'_>,
) -> Result<Outcome, BatchError> {
    crate::sys::program::keep_in_memory();
    let mut outcome = Outcome::default();
    for round in 1..=batch.rounds {
        let order = order_of_round(batch.identity, round, places.len());
        for (order, place) in (1..).zip(order) {
            if interrupted.load(Ordering::Relaxed) {
                outcome.interrupted = true;
                return Ok(outcome);
            }
            let nonce = crate::sys::random::random_u64().map_err(BatchError)?;
            let turn = run::Turn { batch, round, order, target: place as u32 + 1, nonce };
            let (record, left) = run::run(&turn, &mut places[place], meter, interrupted, listeners.observer);
            places[place].earlier.push(nonce);
            outcome.runs += 1;
            outcome.failed |= left || record.phases.iter().any(|phase| phase.status.is_failure());
            (listeners.keep)(record);
        }
    }
    outcome.interrupted = interrupted.load(Ordering::Relaxed);
    Ok(outcome)
}

fn order_of_round(batch: Identity, round: u32, places: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..places).collect();
    Stream::of(batch.0, &format!("order of round {round}")).shuffle(&mut order);
    order
}

#[cfg(test)]
mod tests;
