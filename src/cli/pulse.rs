//! The pulse of a batch: how far its run has come, and whether anything still moves; read by the thread that waits for the batch.

use crate::model::phase::Phase;
use crate::model::record::{PhaseRecord, RunRecord, Status};
use crate::runner::{Observer, Standing, Working, broken_off};
use std::path::Path;
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
    /// Whether its record is being written.
    is_kept: bool,
    /// Whether somebody is being told, who may not listen: a terminal that was halted is no filesystem that hangs.
    is_telling: bool,
    /// Whether the batch was given up: what its thread still hears is nobody's concern.
    is_given_up: bool,
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
    /// Whether its record was being written.
    pub is_kept: bool,
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

    /// Notes that the record of the run is being written.
    pub fn keeps(&self) {
        self.heard(|beat| beat.is_kept = true);
    }

    /// Notes that the run is kept: nothing of it can be lost any more.
    pub fn kept(&self) {
        self.heard(|beat| (beat.draft, beat.is_kept) = (None, false));
    }

    /// Does something that waits for whoever is told.
    pub fn telling(&self, tell: impl FnOnce()) {
        self.beat().is_telling = true;
        tell();
        self.beat().is_telling = false;
    }

    /// Whether the batch waits for somebody who is being told.
    pub fn is_telling(&self) -> bool {
        self.beat().is_telling
    }

    /// Notes that the batch is given up.
    pub fn give_up(&self) {
        self.beat().is_given_up = true;
    }

    /// Whether it was.
    pub fn is_given_up(&self) -> bool {
        self.beat().is_given_up
    }

    /// The run as it is when it is broken off now, with how its phase ended and why; `None` between runs.
    pub fn broken_off(&self, status: Status, reason: &str) -> Option<Broken> {
        let beat = self.beat().clone();
        let record = broken_off(beat.draft?, beat.phase.map(|phase| (phase, status)), reason);
        Some(Broken { record, directory: beat.directory, scratch: beat.scratch, phase: beat.phase, is_kept: beat.is_kept })
    }
}

/// Passes on what is heard, and notes it.
pub struct Listener<O> {
    /// Who hears it too.
    pub inner: O,
    /// Where it is noted.
    pub pulse: Arc<Pulse>,
}

impl<O: Observer> Listener<O> {
    /// Tells whoever else hears, unless the batch was given up.
    fn tell(&mut self, tell: impl FnOnce(&mut O)) {
        if self.pulse.is_given_up() {
            return;
        }
        self.pulse.telling(|| tell(&mut self.inner));
    }
}

impl<O: Observer> Observer for Listener<O> {
    fn run_so_far(&mut self, draft: &RunRecord) {
        // No other run is begun: nobody would name what the end of the process leaves of it.
        while self.pulse.is_given_up() && draft.phases.is_empty() {
            std::thread::park();
        }
        self.pulse.heard(|beat| {
            beat.draft = Some(draft.clone());
            (beat.phase, beat.working) = (None, None);
        });
    }

    fn run_begins(&mut self, place: &str) {
        self.pulse.heard(|beat| {
            beat.directory = Path::new(place).parent().map(|directory| directory.display().to_string()).unwrap_or_default();
            beat.scratch = Some(place.to_owned());
        });
        self.tell(|inner| inner.run_begins(place));
    }

    fn run_started(&mut self, standing: Standing<'_>) {
        self.pulse.heard(|beat| {
            // Where nothing is made, nothing was told before.
            if beat.scratch.is_none() {
                beat.directory = standing.directory.to_owned();
            }
        });
        self.tell(|inner| inner.run_started(standing));
    }

    fn run_not_begun(&mut self, standing: Standing<'_>, reason: &str) {
        self.tell(|inner| inner.run_not_begun(standing, reason));
    }

    fn phase_started(&mut self, standing: Standing<'_>, phase: Phase) {
        self.pulse.heard(|beat| beat.phase = Some(phase));
        self.tell(|inner| inner.phase_started(standing, phase));
    }

    fn phase_goes_on(&mut self, standing: Standing<'_>, working: Working) {
        // Told by a clock, whether anything moves or not.
        self.pulse.beat().working = Some(working);
        self.tell(|inner| inner.phase_goes_on(standing, working));
    }

    fn phase_finished(&mut self, standing: Standing<'_>, record: &PhaseRecord) {
        self.tell(|inner| inner.phase_finished(standing, record));
    }

    fn run_finished(&mut self) {
        self.pulse.heard(|beat| beat.scratch = None);
        self.tell(Observer::run_finished);
    }

    fn left_behind(&mut self, what: &str) {
        self.tell(|inner| inner.left_behind(what));
    }
}
