//! The layout `targets` as a grid: a row of medians a target, its ranges in the row below, a column a phase.

use super::{Cell, Grid, Side, median, name_cell, range};
use crate::report::Section;
use crate::report::lines::capitalised;
use crate::report::marks::marks;
use crate::report::table::targets::{PhaseColumn, targets};
use crate::report::table::{Columns, Row, heading};

/// The grid of a section.
pub fn grid(section: &Section<'_>, columns: &Columns) -> Grid {
    let targets = targets(section);
    let phases: Vec<&PhaseColumn> = targets.groups.iter().flat_map(|group| &group.columns).collect();
    let first = [("Target".to_owned(), Side::Left)];
    let names = columns.range.iter().map(|_| (String::new(), Side::Left));
    let heads = first.into_iter().chain(names).chain(phases.iter().map(|column| (heading(column.phase), Side::Right)));
    let rows = targets.labels.iter().enumerate().filter(|_| !phases.is_empty()).flat_map(|(place, label)| {
        let cells: Vec<&Row> = phases.iter().filter_map(|column| column.cells.get(place)).collect();
        let medians = cells.iter().map(|row| marked(row)).collect::<Vec<Cell>>();
        match columns.range.as_deref() {
            None => vec![std::iter::once(Cell::of(label)).chain(medians).collect()],
            Some(name) => {
                let ranges = cells.iter().map(|row| Cell::of(range(row)));
                let row = |line: usize, what: &str| [name_cell(label, line, 2), Cell::of(what)];
                vec![row(0, "Median").into_iter().chain(medians).collect(), row(1, &capitalised(name)).into_iter().chain(ranges).collect()]
            }
        }
    });
    Grid { heads: heads.collect(), rows: rows.collect() }
}

/// The median with its marks behind it.
fn marked(row: &Row) -> Cell {
    let cell = median(row);
    Cell { text: format!("{} {}", cell.text, marks(&row.flags, row.is_from_memory)).trim_end().to_owned(), ..cell }
}
