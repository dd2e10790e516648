//! How the figures of a section are laid out in tables. A layout is a row in [`Layout::ALL`] and an arm in each match the compiler asks for.

use crate::model::nearest::UnknownName;

/// The layouts of tables.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Layout {
    /// A row a phase and target: every figure.
    #[default]
    Phases,
    /// A row a target, a column a phase.
    Targets,
    /// The targets of each phase, best first, with the ratio to the best.
    Ranking,
    /// The two blocks of 80 columns that Bonnie++ prints.
    Bonnie,
}

impl Layout {
    /// Every layout; the first is the default.
    pub const ALL: [Self; 4] = [Self::Phases, Self::Targets, Self::Ranking, Self::Bonnie];

    /// The name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Phases => "phases",
            Self::Targets => "targets",
            Self::Ranking => "ranking",
            Self::Bonnie => "bonnie",
        }
    }

    /// What it is for, in a few words.
    #[must_use]
    pub const fn purpose(self) -> &'static str {
        match self {
            Self::Phases => "a row a phase and target, with every figure",
            Self::Targets => "a row a target, a column a phase",
            Self::Ranking => "the targets of each phase, best first",
            Self::Bonnie => "the two blocks that Bonnie++ prints",
        }
    }

    /// The layout of a name.
    ///
    /// # Errors
    /// Suggests the nearest names and lists all when there is none.
    pub fn named(name: &str) -> Result<Self, UnknownName> {
        let found = Self::ALL.into_iter().find(|layout| layout.name() == name);
        found.ok_or_else(|| UnknownName::of("layout", name, Self::ALL.map(Self::name)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layouts_are_found_by_name() {
        for layout in Layout::ALL {
            assert_eq!(Layout::named(layout.name()), Ok(layout));
        }
        let error = Layout::named("rankin").unwrap_err().to_string();
        assert!(error.contains("did you mean `ranking`") && error.contains("phases, targets, ranking, bonnie"), "{error}");
    }
}
