//! The importer of the tables of 80 columns that Bonnie++ prints, as people pasted them.

mod block;
mod form;
mod marks;
#[cfg(test)]
mod marred;
mod row;
mod runs;
#[cfg(test)]
mod tests;

use super::{Found, Importer, Line};

/// Tables of Bonnie++ 1.00 to 2.00a, and those that `bon_csv2txt` makes of its CSV.
pub struct BonnieTable;

impl Importer for BonnieTable {
    fn name(&self) -> &'static str {
        "table"
    }

    fn sniff(&self, lines: &[Line]) -> bool {
        lines.iter().any(|line| line.text.contains("%CP") || line.text.contains("%cp"))
    }

    fn import(&self, lines: &[Line]) -> Found {
        let found = block::blocks(lines);
        let (readings, problems) = runs::runs(&found.blocks);
        let mut lines = found.lines;
        lines.extend(problems.iter().map(|problem| problem.line));
        let mut problems: Vec<_> = found.problems.into_iter().chain(problems).collect();
        problems.sort();
        Found { readings, problems, lines }
    }
}
