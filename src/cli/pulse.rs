//! The pulse of a batch: how far its run has come, and whether anything still moves; read by the thread that waits for the batch.

use crate::model::phase::Phase;
use crate::model::record::{PhaseRecord, RunRecord, Status};
use crate::runner::{Observer, Standing, Working, broken_off};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What is known of the run that goes on.
#[derive(Debug, Default, Clone)]
struct Beat {
    /// The run as far as it has come; `None` between runs.
    draft: Option<RunRecord>,
    /// The directory that is measured.
    directory: String,
    /// Where its files lie.
    scratch: Option<String>,
    /// The phase that has begun and not ended.
    phase: Option<Phase>,
    /// How far it is; only once its clock runs.
    working: Option<Working>,
    /// How often anything was heard.
    count: u64,
}

/// The pulse, for the threads that share it.
#[derive(Debug, Default)]
pub struct Pulse(Mutex<Beat>);

/// What stands still while nothing moves.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sign {
    /// How often anything was heard.
    count: u64,
    /// The work that the phase has done.
    done: u64,
}

/// A run that will not come to its end.
#[derive(Debug)]
pub struct Broken {
    /// The run, with what it has.
    pub record: RunRecord,
    /// Where it was.
    pub directory: String,
    /// What it may leave.
    pub scratch: Option<String>,
    /// The phase that did not end.
    pub phase: Option<Phase>,
}

impl Pulse {
    fn beat(&self) -> MutexGuard<'_, Beat> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn heard(&self, change: impl FnOnce(&mut Beat)) {
        let mut beat = self.beat();
        beat.count += 1;
        change(&mut beat);
    }

    /// What stands still while nothing moves.
    pub fn sign(&self) -> Sign {
        let beat = self.beat();
        Sign { count: beat.count, done: beat.working.map_or(0, |working| working.done) }
    }

    /// Nanoseconds that the clock of the phase runs; `None` while none does.
    pub fn phase_ns(&self) -> Option<u64> {
        self.beat().working.map(|working| working.elapsed_ns)
    }

    /// The place of the target on the command line, from 0; `None` between runs.
    pub fn target(&self) -> Option<usize> {
        self.beat().draft.as_ref().map(|draft| draft.target.saturating_sub(1) as usize)
    }

    /// Notes that the run is kept: nothing of it can be lost any more.
    pub fn kept(&self) {
        self.heard(|beat| beat.draft = None);
    }

    /// The run as it is when it is broken off now, with how its phase ended and why; `None` between runs.
    pub fn broken_off(&self, status: Status, reason: &str) -> Option<Broken> {
        let beat = self.beat().clone();
        let record = broken_off(beat.draft?, beat.phase.map(|phase| (phase, status)), reason);
        Some(Broken { record, directory: beat.directory, scratch: beat.scratch, phase: beat.phase })
    }
}

/// Passes on what is heard, and notes it.
pub struct Listener<O> {
    /// Who hears it too.
    pub inner: O,
    /// Where it is noted.
    pub pulse: Arc<Pulse>,
}

impl<O: Observer> Observer for Listener<O> {
    fn run_so_far(&mut self, draft: &RunRecord) {
        self.pulse.heard(|beat| {
            beat.draft = Some(draft.clone());
            (beat.phase, beat.working) = (None, None);
        });
    }

    fn run_begins(&mut self, place: &str) {
        self.pulse.heard(|beat| beat.scratch = Some(place.to_owned()));
        self.inner.run_begins(place);
    }

    fn run_started(&mut self, standing: Standing<'_>) {
        self.pulse.heard(|beat| {
            beat.directory = standing.directory.to_owned();
            beat.scratch = standing.scratch.map(str::to_owned);
        });
        self.inner.run_started(standing);
    }

    fn run_not_begun(&mut self, standing: Standing<'_>, reason: &str) {
        self.inner.run_not_begun(standing, reason);
    }

    fn phase_started(&mut self, standing: Standing<'_>, phase: Phase) {
        self.pulse.heard(|beat| beat.phase = Some(phase));
        self.inner.phase_started(standing, phase);
    }

    fn phase_goes_on(&mut self, standing: Standing<'_>, working: Working) {
        // Told by a clock, whether anything moves or not.
        self.pulse.beat().working = Some(working);
        self.inner.phase_goes_on(standing, working);
    }

    fn phase_finished(&mut self, standing: Standing<'_>, record: &PhaseRecord) {
        self.inner.phase_finished(standing, record);
    }

    fn run_finished(&mut self) {
        self.pulse.heard(|beat| beat.scratch = None);
        self.inner.run_finished();
    }

    fn left_behind(&mut self, what: &str) {
        self.inner.left_behind(what);
    }
}
