//! Which phases a run does, in which order.

use crate::model::phase::{Group, MOST_PHASES, Phase};
use serde::{Deserialize, Serialize};

/// The phases of a run in their order; each at most once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<Phase>", into = "Vec<Phase>")]
pub struct PhaseList(Vec<Phase>);

/// A list that no run can have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PhaseListError {
    /// There are too many.
    #[error("there are over {MOST_PHASES} phases")]
    TooMany,
    /// A phase stands in it twice.
    #[error("{0} stands there twice; give each a name of its own (`name = \"…\"` in its [[phase]])")]
    Twice(&'static str),
    /// Only another program does it.
    #[error("barrow has no {0}: it moves no single characters")]
    Foreign(&'static str),
}

impl Default for PhaseList {
    fn default() -> Self {
        Self(Phase::STANDARD.to_vec())
    }
}

impl std::ops::Deref for PhaseList {
    type Target = [Phase];

    fn deref(&self) -> &[Phase] {
        &self.0
    }
}

impl TryFrom<Vec<Phase>> for PhaseList {
    type Error = PhaseListError;

    fn try_from(phases: Vec<Phase>) -> Result<Self, PhaseListError> {
        if phases.len() > MOST_PHASES {
            return Err(PhaseListError::TooMany);
        }
        for (place, phase) in phases.iter().enumerate() {
            if phases[..place].contains(phase) {
                return Err(PhaseListError::Twice(phase.name()));
            }
            if phase.row().group == Group::Character {
                return Err(PhaseListError::Foreign(phase.name()));
            }
        }
        Ok(Self(phases))
    }
}

impl From<PhaseList> for Vec<Phase> {
    fn from(list: PhaseList) -> Self {
        list.0
    }
}

/// The list of a text, `block_write,block_read`, or `standard`.
///
/// # Errors
/// When a name is none, or the list is none that a run can have.
pub fn read(text: &str, _ram_bytes: u64) -> Result<PhaseList, String> {
    if text.trim() == STANDARD {
        return Ok(PhaseList::default());
    }
    let phases: Result<Vec<Phase>, String> =
        text.split(',').map(|name| Phase::named(name.trim()).map_err(|error| error.to_string())).collect();
    PhaseList::try_from(phases?).map_err(|error| error.to_string())
}

/// The word for the phases that a run does where nothing else is said.
const STANDARD: &str = "standard";

/// The text that [`read`] reads.
#[must_use]
pub fn show(list: PhaseList) -> String {
    if list == PhaseList::default() {
        return STANDARD.to_owned();
    }
    list.iter().map(|phase| phase.name()).collect::<Vec<_>>().join(",")
}

impl PhaseList {
    /// The place of a phase; `None` where it is not done.
    #[must_use]
    pub fn place(&self, phase: Phase) -> Option<usize> {
        self.iter().position(|other| *other == phase)
    }

    /// The last of some phases that is done before another one.
    #[must_use]
    pub fn last_before(&self, phase: Phase, of: &[Phase]) -> Option<Phase> {
        let before = &self[..self.place(phase).unwrap_or(self.len())];
        before.iter().rev().find(|other| of.contains(other)).copied()
    }

    /// Whether any phase is of a group.
    #[must_use]
    pub fn has(&self, group: Group) -> bool {
        self.iter().any(|phase| phase.row().group == group)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_read_as_it_is_shown() {
        assert_eq!((show(PhaseList::default()).as_str(), read("standard", 0)), ("standard", Ok(PhaseList::default())));
        let list = read("block_write, random_read_4k_4w,command:build", 0).unwrap();
        assert_eq!(show(list.clone()), "block_write,random_read_4k_4w,command:build");
        assert_eq!(read(&show(list.clone()), 0), Ok(list));
    }

    #[test]
    fn what_no_run_can_do_is_refused() {
        for (text, words) in [("block_write,block_write", "twice"), ("char_read", "single characters"), ("", "no phase"), ("a,b", "`a`")] {
            let error = read(text, 0).unwrap_err();
            assert!(error.contains(words), "{text}: {error}");
        }
    }

    #[test]
    fn the_last_before_another_is_found() {
        let list = read("block_write,block_read", 0).unwrap();
        let makers = [Phase::BlockWrite, Phase::Rewrite];
        assert_eq!(list.last_before(Phase::BlockRead, &makers), Some(Phase::BlockWrite));
        assert_eq!(PhaseList::default().last_before(Phase::BlockRead, &makers), Some(Phase::Rewrite));
        assert_eq!(list.last_before(Phase::BlockWrite, &makers), None);
    }
}
