//! Which steps of a run on the tests' own filesystem belong to which phase: read off the log of a run without faults.

use crate::real::fuse::{Operation, Step};
use barrow::model::phase::Phase;
use std::ops::Range;

/// The log of a run without faults.
#[derive(Debug)]
pub struct Score {
    /// Every step.
    pub log: Vec<Step>,
}

impl Score {
    fn position(&self, from: usize, is_it: impl Fn(&Step) -> bool) -> usize {
        from + self.log[from..].iter().position(is_it).expect("the run took another course")
    }

    /// The steps from each opening of the block file to its close, of those that transfer something: a phase each.
    fn block_sessions(&self) -> Vec<Range<usize>> {
        let mut sessions = Vec::new();
        let (mut start, mut is_used) = (0, false);
        for (place, step) in self.log.iter().enumerate().filter(|(_, step)| step.name == "block.0") {
            match step.operation {
                Operation::Create | Operation::Open => (start, is_used) = (place, false),
                Operation::Read | Operation::Write => is_used = true,
                Operation::Close if is_used => sessions.push(start..place + 1),
                _ => {}
            }
        }
        assert_eq!(sessions.len(), 4, "the block phases took another course");
        sessions
    }

    /// The steps of the three phases of a set of files in one directory.
    fn set_windows(&self, set: &str) -> [Range<usize>; 3] {
        let made = self.position(0, |step| step.operation == Operation::MakeDirectory && step.name == set);
        let is_flush = |step: &Step| step.operation == Operation::SyncDirectory && step.name == set;
        let created = self.position(made, is_flush);
        let unlinked = self.position(created, |step| step.operation == Operation::Unlink && step.directory == set);
        let deleted = self.position(unlinked, is_flush);
        // The kernel looks each name up before it removes it.
        let asked = unlinked - usize::from(self.log[unlinked - 1].operation == Operation::Lookup);
        [made..created + 1, created + 1..asked, unlinked..deleted + 1]
    }

    /// The steps of one kind that are the work of a phase, in order; for the making of files also the making of their directory.
    pub fn calls(&self, phase: Phase, operation: Operation) -> Vec<usize> {
        let (window, set) = match phase {
            Phase::BlockWrite => (self.block_sessions()[0].clone(), None),
            Phase::Rewrite => (self.block_sessions()[1].clone(), None),
            Phase::BlockRead => (self.block_sessions()[2].clone(), None),
            Phase::RandomSeek => (self.block_sessions()[3].clone(), None),
            Phase::SeqCreate | Phase::SeqStat | Phase::SeqDelete => {
                let set = "sequential.0.0";
                (self.set_windows(set)[place_of(phase) - place_of(Phase::SeqCreate)].clone(), Some(set))
            }
            Phase::RandomCreate | Phase::RandomStat | Phase::RandomDelete => {
                let set = "random.0.0";
                (self.set_windows(set)[place_of(phase) - place_of(Phase::RandomCreate)].clone(), Some(set))
            }
            _ => return Vec::new(),
        };
        let is_of_phase = |step: &Step| match set {
            None => step.name == "block.0",
            // While the files are asked for, whatever concerns their directory makes the next phase ready.
            Some(set) => step.directory == set || (step.name == set && !matches!(phase, Phase::SeqStat | Phase::RandomStat)),
        };
        window.filter(|place| self.log[*place].operation == operation && is_of_phase(&self.log[*place])).collect()
    }

    /// The steps of one kind on a name, wherever they come.
    pub fn calls_on(&self, operation: Operation, name: &str) -> Vec<usize> {
        (0..self.log.len()).filter(|place| self.log[*place].operation == operation && plain_name(&self.log[*place].name) == name).collect()
    }

    /// For the how manyth time its kind comes at a step, counted from 1.
    pub fn nth(&self, place: usize) -> u64 {
        self.log[..=place].iter().filter(|step| step.operation == self.log[place].operation).count() as u64
    }

    /// The same, counted from the making of the scratch directory.
    pub fn nth_of_round(&self, place: usize) -> u64 {
        let start = self.position(0, |step| step.operation == Operation::MakeDirectory && plain_name(&step.name) == "scratch");
        self.log[start..=place].iter().filter(|step| step.operation == self.log[place].operation).count() as u64
    }
}

/// A name without the number that each run's scratch directory has.
pub fn plain_name(name: &str) -> &str {
    if name.starts_with(".barrow-") { "scratch" } else { name }
}

/// Whether two steps are the same one, of two runs.
pub fn are_alike(a: &Step, b: &Step) -> bool {
    let essence = |step: &Step| {
        let names = [&step.directory, &step.name].map(|name| plain_name(name).to_owned());
        (step.operation, step.offset, step.size, names)
    };
    essence(a) == essence(b)
}

/// The place of a phase in a run of the standard ones.
fn place_of(phase: Phase) -> usize {
    Phase::STANDARD.iter().position(|other| *other == phase).unwrap()
}
