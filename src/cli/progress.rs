//! What is seen of a run while it goes on: a line on stderr for each finished phase, and on a terminal a line that moves.

use super::estimate::{Estimate, Left};
use super::interrupt::Interrupt;
use super::output::say;
use crate::model::phase::Phase;
use crate::model::printable::printable;
use crate::model::record::{PhaseRecord, Status};
use crate::runner::{Observer, Standing, Working};
use crate::units::{clock_seconds, decimals_for, rounded_size, with_thousands};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::sync::Arc;

/// A batch that takes longer is worth a word about the quick profile.
const LONG_SECONDS: f64 = 1800.0;
const NANOSECONDS: f64 = 1e9;
/// Ten ticks of 10 ms.
const LEAST_FOR_TICKS_NS: u64 = 100_000_000;

/// Tells of a run on stderr.
pub struct Progress {
    interrupt: Arc<Interrupt>,
    quiet: bool,
    estimate: Estimate,
    has_warned: bool,
    /// Draws only when it is told to, by the thread that waits for the workers; and not at all where stderr is no terminal.
    line: ProgressBar,
}

impl Progress {
    /// Tells everything, or with `quiet` only what went wrong.
    pub fn of(interrupt: Arc<Interrupt>, quiet: bool, estimate: Estimate) -> Self {
        let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let line = ProgressBar::with_draw_target(None, target);
        if let Ok(style) = ProgressStyle::with_template("{wide_msg}") {
            line.set_style(style);
        }
        Self { interrupt, quiet, estimate, has_warned: false, line }
    }

    fn say(&self, line: &str) {
        self.line.suspend(|| say(line));
    }

    fn draw(&self, text: String) {
        self.line.set_message(text);
        self.line.tick();
    }

    fn warn_if_long(&mut self) {
        let left = self.estimate.whole().filter(|left| left.seconds > LONG_SECONDS);
        if let Some(left) = left
            && !self.has_warned
            && !self.quiet
        {
            self.has_warned = true;
            self.say(&format!("barrow: {}; `-p quick` measures in minutes, Ctrl-C reports what is finished", left_words(left)));
        }
    }
}

impl Observer for Progress {
    fn run_begins(&mut self, place: &str) {
        self.interrupt.set_place(Some(place.to_owned()));
    }

    fn run_started(&mut self, standing: Standing<'_>) {
        self.estimate.begin(standing.label, standing.round);
    }

    fn run_not_begun(&mut self, standing: Standing<'_>, reason: &str) {
        self.say(&format!("barrow: {} on {}: the run could not begin: {reason}", head(standing), standing.directory));
    }

    fn filling(&mut self, standing: Standing<'_>, done: u64, of: u64) {
        self.draw(format!("{}  {}", head(standing), filling_words(done, of)));
    }

    fn phase_started(&mut self, standing: Standing<'_>, phase: Phase) {
        self.draw(format!("{}  {} making ready", head(standing), phase.name()));
    }

    fn phase_goes_on(&mut self, standing: Standing<'_>, working: Working) {
        self.draw(format!("{}  {}", head(standing), working_words(working, self.estimate.whole())));
    }

    fn phase_finished(&mut self, standing: Standing<'_>, record: &PhaseRecord) {
        let seconds = record.counted().map(|counted| counted.elapsed_ns as f64 / NANOSECONDS);
        self.estimate.ended(standing.label, record.name, seconds);
        match record.status {
            Status::Ok | Status::Skipped if self.quiet => {}
            Status::Ok | Status::Skipped | Status::Failed | Status::Truncated | Status::Hung => self.say(&phase_line(standing, record)),
        }
        self.warn_if_long();
    }

    fn run_finished(&mut self) {
        self.interrupt.set_place(None);
        self.line.set_message("");
        self.line.finish_and_clear();
        self.line.reset();
    }

    fn left_behind(&mut self, what: &str) {
        self.say(&format!("barrow: could not remove {what} (`barrow clean` on its directory tries again)"));
    }
}

fn head(standing: Standing<'_>) -> String {
    format!("{} {}/{}", printable(standing.label), standing.round, standing.rounds)
}

/// `block_write 523 MiB/s, 45 %, 4.2 s left; at least 3 min 05 s left in all`
fn working_words(working: Working, whole: Option<Left>) -> String {
    let seconds = working.elapsed_ns as f64 / NANOSECONDS;
    let mut words = working.phase.name().to_owned();
    if working.done > 0 && seconds > 0.0 {
        words += &format!(" {}", rate_words(working.phase, working.done as f64 / seconds));
    }
    match working.expected {
        Some(expected) if working.done >= expected => words += ", flushing",
        Some(expected) if working.done > 0 => {
            let share = working.done as f64 / expected as f64;
            words += &format!(", {:.0} %, {} left", share * 100.0, clock_seconds(seconds / share - seconds));
        }
        Some(_) | None => words += &format!(", {}", clock_seconds(seconds)),
    }
    match whole {
        Some(left) => format!("{words}; {}", left_words(left)),
        None => words,
    }
}

/// `filling the filesystem: 25 % of 8 GiB`
fn filling_words(done: u64, of: u64) -> String {
    format!("filling the filesystem: {:.0} % of {}", done as f64 / of as f64 * 100.0, rounded_size(of))
}

fn left_words(left: Left) -> String {
    let at_least = if left.is_at_least { "at least " } else { "" };
    format!("{at_least}{} left in all", clock_seconds(left.seconds))
}

fn rate_words(phase: Phase, rate: f64) -> String {
    let (unit, scale) = phase.row().unit.rate();
    format!("{} {unit}", with_thousands(rate / scale, decimals_for(rate / scale, 3)))
}

/// `ext4 1/3  block_write   523 MiB/s in 1.96 s, CPU 16 % own, 40 % system, durable`
fn phase_line(standing: Standing<'_>, record: &PhaseRecord) -> String {
    let (head, name) = (head(standing), record.name.name());
    let reason = record.reason.as_deref().unwrap_or("no reason");
    match record.status {
        Status::Failed | Status::Truncated | Status::Hung => format!("{head}  {name} on {}: {reason}", standing.directory),
        Status::Skipped => format!("{head}  {name:<13} skipped: {reason}"),
        Status::Ok => format!("{head}  {name:<13} {}", result_words(record)),
    }
}

fn result_words(record: &PhaseRecord) -> String {
    let mut words = record.rate().map_or_else(|| "no rate".to_owned(), |rate| rate_words(record.name, rate));
    if let Some(counted) = record.counted() {
        words += &format!(" in {}", clock_seconds(counted.elapsed_ns as f64 / NANOSECONDS));
        // The machine's CPU is counted in ticks, which say nothing over a moment.
        let system = counted.cpu_system_percent().filter(|_| counted.elapsed_ns >= LEAST_FOR_TICKS_NS);
        let percents = [(counted.cpu_own_percent(), "own"), (system, "system")];
        let known = percents.iter().filter_map(|(percent, whose)| percent.map(|percent| format!("{percent:.0} % {whose}")));
        let known: Vec<String> = known.collect();
        if !known.is_empty() {
            words += &format!(", CPU {}", known.join(", "));
        }
    }
    if let Some(left) = record.after.program.as_ref().map(|program| program.left_processes).filter(|left| *left > 0) {
        words += &format!(", {left} left running and ended");
    }
    for word in [record.durable.map(|label| label.word().to_owned()), record.cache.map(|label| label.to_string())].into_iter().flatten() {
        words += &format!(", {word}");
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_moving_line_says_how_far_it_is() {
        let working = Working { phase: Phase::BlockWrite, done: 100 << 20, expected: Some(400 << 20), elapsed_ns: 2_000_000_000 };
        let left = Left { seconds: 185.0, is_at_least: true };
        let words = working_words(working, Some(left));
        assert_eq!(words, "block_write 50.0 MiB/s, 25 %, 6.00 s left; at least 3 min 05 s left in all");
        assert_eq!(working_words(Working { done: 400 << 20, ..working }, None), "block_write 200 MiB/s, flushing");
        assert_eq!(working_words(Working { done: 0, ..working }, None), "block_write, 2.00 s");
        let seek = Working { phase: Phase::RandomSeek, done: 5000, expected: None, elapsed_ns: 1_000_000_000 };
        assert_eq!(working_words(seek, None), "random_seek 5,000 seeks/s, 1.00 s");
        assert_eq!(filling_words(2 << 30, 8 << 30), "filling the filesystem: 25 % of 8 GiB");
    }
}
