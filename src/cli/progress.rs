//! What is seen of a run while it goes on: a line on stderr for each finished phase.

use super::interrupt::Interrupt;
use super::output::say;
use crate::model::phase::Phase;
use crate::model::printable::printable;
use crate::model::record::{PhaseRecord, Status};
use crate::runner::{Observer, Standing};
use crate::units::{clock_seconds, decimals_for, with_thousands};
use std::sync::Arc;

/// Tells of a run on stderr.
pub struct Progress {
    interrupt: Arc<Interrupt>,
    quiet: bool,
}

impl Progress {
    /// Tells everything, or with `quiet` only what went wrong.
    pub const fn of(interrupt: Arc<Interrupt>, quiet: bool) -> Self {
        Self { interrupt, quiet }
    }
}

impl Observer for Progress {
    fn run_started(&mut self, standing: Standing<'_>) {
        self.interrupt.set_place(standing.scratch.map(str::to_owned));
    }

    fn phase_started(&mut self, _standing: Standing<'_>, _phase: Phase) {}

    fn phase_finished(&mut self, standing: Standing<'_>, record: &PhaseRecord) {
        let line = phase_line(standing, record);
        match record.status {
            Status::Ok | Status::Skipped if self.quiet => {}
            Status::Ok | Status::Skipped | Status::Failed => say(&line),
        }
    }

    fn run_finished(&mut self) {
        self.interrupt.set_place(None);
    }

    fn left_behind(&mut self, what: &str) {
        say(&format!("barrow: could not remove {what}"));
    }
}

/// `ext4 1/3  block_write    523 MiB/s in 1.96 s, CPU 16 % own, 40 % system, durable`
fn phase_line(standing: Standing<'_>, record: &PhaseRecord) -> String {
    let name = record.name.name();
    let head = format!("{} {}/{}", printable(standing.label), standing.round, standing.rounds);
    match record.status {
        Status::Failed => {
            let reason = record.reason.as_deref().unwrap_or("no reason");
            format!("{head}  {name} on {}: {reason}", standing.directory)
        }
        Status::Skipped => format!("{head}  {name:<13} skipped: {}", record.reason.as_deref().unwrap_or("no reason")),
        Status::Ok => format!("{head}  {name:<13} {}", result_words(record)),
    }
}

fn result_words(record: &PhaseRecord) -> String {
    let (unit, scale) = record.name.row().unit.rate();
    let mut words = match record.rate() {
        Some(rate) => format!("{} {unit}", with_thousands(rate / scale, decimals_for(rate / scale, 3))),
        None => "no rate".to_owned(),
    };
    if let Some(counted) = record.counted() {
        words += &format!(" in {}", clock_seconds(counted.elapsed_ns as f64 / 1e9));
        let percents = [(counted.cpu_own_percent(), "own"), (counted.cpu_system_percent(), "system")];
        let known = percents.iter().filter_map(|(percent, whose)| percent.map(|percent| format!("{percent:.0} % {whose}")));
        let known: Vec<String> = known.collect();
        if !known.is_empty() {
            words += &format!(", CPU {}", known.join(", "));
        }
    }
    for word in [record.durable.map(|label| label.word().to_owned()), record.cache.map(|label| label.to_string())].into_iter().flatten() {
        words += &format!(", {word}");
    }
    words
}
