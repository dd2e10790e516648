//! How long it will still take, from what this batch has shown so far, and from nothing else.

use crate::model::phase::Phase;
use crate::model::plan::Plan;
use std::collections::BTreeMap;

/// Seconds that are left, or that the least of it will take.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Left {
    /// The seconds.
    pub seconds: f64,
    /// Whether some of what is left has shown no speed yet, so that it may take longer.
    pub is_at_least: bool,
}

/// What a batch has shown of its speed.
#[derive(Debug, Clone)]
pub struct Estimate {
    plan: Plan,
    targets: usize,
    rounds: u32,
    /// Seconds of the last time that a target did a phase.
    seconds: BTreeMap<(String, Phase), f64>,
    /// How many runs each target has begun, and how far the last one is.
    begun: BTreeMap<String, (u32, Option<Phase>)>,
}

impl Estimate {
    /// Of a batch that has shown nothing yet.
    #[must_use]
    pub const fn of(plan: Plan, targets: usize) -> Self {
        let rounds = plan.settings.runs as u32;
        Self { plan, targets, rounds, seconds: BTreeMap::new(), begun: BTreeMap::new() }
    }

    /// A target begins a run.
    pub fn begin(&mut self, label: &str, round: u32) {
        self.begun.insert(label.to_owned(), (round, None));
    }

    /// A target has ended a phase after so many seconds; `None` when the phase has no result.
    pub fn ended(&mut self, label: &str, phase: Phase, seconds: Option<f64>) {
        if let Some((_, last)) = self.begun.get_mut(label) {
            *last = Some(phase);
        }
        if let Some(seconds) = seconds {
            self.seconds.insert((label.to_owned(), phase), seconds);
        }
    }

    /// What one phase will take on a target: what it took the last time; before, what it must take at least.
    fn of_phase(&self, label: &str, phase: Phase) -> Left {
        if self.plan.skips(phase).is_some() {
            return Left { seconds: 0.0, is_at_least: false };
        }
        if let Some(seconds) = self.seconds.get(&(label.to_owned(), phase)) {
            return Left { seconds: *seconds, is_at_least: false };
        }
        let least = match phase {
            // It writes the same bytes again, and reads them too.
            Phase::Rewrite => self.seconds.get(&(label.to_owned(), Phase::BlockWrite)).copied().unwrap_or(0.0),
            Phase::RandomSeek => self.plan.settings.seek_seconds as f64,
            Phase::FileServer if self.plan.settings.seconds > 0 => (self.plan.settings.seconds + self.plan.settings.warm_up) as f64,
            _ => 0.0,
        };
        Left { seconds: least, is_at_least: true }
    }

    /// What is left of the whole batch; `None` as long as nothing was shown.
    #[must_use]
    pub fn whole(&self) -> Option<Left> {
        if self.seconds.is_empty() {
            return None;
        }
        let mut whole = Left { seconds: 0.0, is_at_least: self.begun.len() < self.targets };
        for (label, (round, last)) in &self.begun {
            let later = f64::from(self.rounds.saturating_sub(*round));
            for (at, phase) in self.plan.settings.phases.iter().enumerate() {
                let left = self.of_phase(label, *phase);
                let is_still_to_come = last.is_none_or(|last| self.plan.settings.phases.place(last).is_none_or(|last| at > last));
                whole.seconds += left.seconds * (later + f64::from(u8::from(is_still_to_come)));
                whole.is_at_least |= left.is_at_least;
            }
        }
        Some(whole)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::plan::Circumstances;
    use crate::model::profile::Profile;

    fn estimate(targets: usize) -> Estimate {
        let changes = [("files".to_owned(), "0".to_owned()), ("runs".to_owned(), "3".to_owned())];
        let profile = Profile::named("quick", 0).unwrap().changed(&changes, 0).unwrap();
        Estimate::of(Plan::of(&profile, 1, Circumstances::USUAL).unwrap(), targets)
    }

    #[test]
    fn nothing_is_made_up() {
        let mut estimate = estimate(1);
        assert_eq!(estimate.whole(), None);
        estimate.begin("a", 1);
        assert_eq!(estimate.whole(), None);
        estimate.ended("a", Phase::BlockWrite, Some(10.0));
        // One run: 10 s rewrite at least and 3 s of seeks; two more with 10 s of writing each beside.
        assert_eq!(estimate.whole(), Some(Left { seconds: 13.0 + 2.0 * 23.0, is_at_least: true }));
    }

    #[test]
    fn what_was_shown_counts_for_later_runs() {
        let mut estimate = estimate(1);
        estimate.begin("a", 1);
        for (phase, seconds) in [(Phase::BlockWrite, 10.0), (Phase::Rewrite, 20.0), (Phase::BlockRead, 5.0), (Phase::RandomSeek, 3.0)] {
            estimate.ended("a", phase, Some(seconds));
        }
        assert_eq!(estimate.whole(), Some(Left { seconds: 76.0, is_at_least: false }));
        estimate.begin("a", 2);
        estimate.ended("a", Phase::BlockWrite, Some(8.0));
        assert_eq!(estimate.whole(), Some(Left { seconds: 28.0 + 36.0, is_at_least: false }));
    }

    #[test]
    fn targets_that_have_not_begun_make_it_at_least() {
        let mut estimate = estimate(2);
        estimate.begin("a", 3);
        for phase in Phase::STANDARD {
            estimate.ended("a", *phase, Some(1.0));
        }
        assert_eq!(estimate.whole(), Some(Left { seconds: 0.0, is_at_least: true }));
    }
}
