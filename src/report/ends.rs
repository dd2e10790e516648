//! What the ends of the ranges in a table are, in words.

use super::gathered::distinct;
use crate::stats::{Interval, Spread};

/// What the ends are, where they are all of one kind: `range of 3 runs`; `None` where no cell has a range.
pub fn range<'s>(spreads: impl Iterator<Item = &'s Spread>) -> Option<String> {
    let kinds = distinct(spreads.filter(|spread| spread.n > 1).map(|spread| (spread.n, spread.interval)));
    match kinds.as_slice() {
        [] => None,
        [(n, Interval::Ci95)] => Some(format!("95 % CI over {n} runs")),
        [(n, Interval::Range)] => Some(format!("range of {n} runs")),
        [(_, Interval::Values)] => Some("both of 2 runs".to_owned()),
        _ => Some("range of the runs that have it (of 6 or more: 95 % CI)".to_owned()),
    }
}

/// How a cell is read: `Each cell: median; range of 3 runs.`
pub fn statement(range: Option<&str>) -> String {
    match range {
        Some(range) => format!("Each cell: median; {range}."),
        None => "Each cell: the value of 1 run.".to_owned(),
    }
}
