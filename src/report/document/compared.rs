//! The tables of a comparison: the ratios, and what differs around the series.

use super::{Cell, Grid, Side, name_cell};
use crate::report::Section;
use crate::report::differences::varied;
use crate::report::lines::{capitalised, join_and};
use crate::report::ratios::ratios;

/// The ratios as a grid; without rows where there is no baseline.
pub fn ratios_of(section: &Section<'_>) -> Grid {
    let Some(table) = ratios(section) else { return Grid::empty() };
    let range = table.range.clone();
    let heads = [
        Some(("Phase".to_owned(), Side::Left)),
        Some(("Target".to_owned(), Side::Left)),
        Some(("Median".to_owned(), Side::Right)),
        Some(("Ratio".to_owned(), Side::Right)),
        range.clone().map(|range| (capitalised(&range), Side::Right)),
        Some(("Verdict".to_owned(), Side::Left)),
    ];
    let rows = table.phases.into_iter().flat_map(|phase| {
        let count = phase.rows.len();
        let has_range = range.is_some();
        phase.rows.into_iter().enumerate().map(move |(place, row)| {
            let heading = name_cell(&phase.heading, place, count);
            let range = if row.ratio.low.is_empty() { String::new() } else { format!("{} – {}", row.ratio.low, row.ratio.high) };
            let cells = [
                Some(heading),
                Some(Cell::of(row.label)),
                Some(Cell::of(row.median)),
                Some(Cell { is_strong: row.is_resolved, ..Cell::of(row.ratio.median) }),
                has_range.then(|| Cell::of(range)),
                Some(Cell { is_strong: row.is_resolved, ..Cell::of(row.verdict) }),
            ];
            cells.into_iter().flatten().collect()
        })
    });
    Grid { heads: heads.into_iter().flatten().collect(), rows: rows.collect() }
}

/// What differs around the series as a grid; without rows where there is no baseline or nothing differs.
pub fn differences_of(section: &Section<'_>) -> Grid {
    let facts = if section.comparison.is_some() { varied(section) } else { Vec::new() };
    let names = |places: &[usize]| {
        let names: Vec<String> = places.iter().filter_map(|place| section.series.get(*place)).map(|one| one.name.clone()).collect();
        join_and(&names)
    };
    let rows = facts.iter().flat_map(|fact| {
        fact.values.iter().enumerate().map(|(place, (places, value))| {
            let title = if place == 0 {
                Cell { rows: fact.values.len(), ..Cell::of(fact.title.clone()) }
            } else {
                Cell { rows: 0, ..Cell::of("") }
            };
            vec![title, Cell::of(names(places)), Cell::of(value.clone())]
        })
    });
    let heads = ["What differs", "Target", "Value"].map(|head| (head.to_owned(), Side::Left));
    Grid { heads: heads.to_vec(), rows: rows.collect() }
}
