//! The layout `ranking` as a grid: the targets of each phase, best first, the phase named on its first row.

use super::{Cell, Grid, Side, median, name_cell, range, words_and_flags};
use crate::report::lines::capitalised;
use crate::report::table::Columns;
use crate::report::table::ranking::{RankedRow, Ranking};

/// The grid of a ranking.
pub fn grid(ranking: &Ranking, columns: &Columns) -> Grid {
    let heads = [
        Some(("Phase".to_owned(), Side::Left)),
        Some(("Rank".to_owned(), Side::Left)),
        Some(("Target".to_owned(), Side::Left)),
        Some(("Median".to_owned(), Side::Right)),
        columns.range.as_deref().map(|range| (capitalised(range), Side::Right)),
        Some(("Ratio".to_owned(), Side::Right)),
        columns.words.then(|| ("Cache, flags".to_owned(), Side::Left)),
    ];
    let rows = ranking.phases.iter().flat_map(|phase| {
        let rows = phase.rows.iter().enumerate();
        rows.map(|(place, ranked)| cells(name_cell(&phase.heading, place, phase.rows.len()), ranked, columns))
    });
    Grid { heads: heads.into_iter().flatten().collect(), rows: rows.collect() }
}

fn cells(heading: Cell, ranked: &RankedRow, columns: &Columns) -> Vec<Cell> {
    let row = &ranked.row;
    let all = [
        Some(heading),
        Some(Cell::of(ranked.rank.text())),
        Some(Cell::of(row.label.clone())),
        Some(median(row)),
        columns.range.is_some().then(|| Cell::of(range(row))),
        Some(Cell::of(ranked.ratio.clone())),
        columns.words.then(|| Cell::of(words_and_flags(row))),
    ];
    all.into_iter().flatten().collect()
}
