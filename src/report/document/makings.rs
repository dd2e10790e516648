//! The filesystems as made as a grid: a row of medians a target, its ranges in the row below, a column a quantity.

use super::{Cell, Grid, Side, name_cell};
use crate::report::figures::{NO_FIGURE, RateFigures};
use crate::report::makings::Makings;

/// The grid.
pub fn grid(makings: &Makings) -> Grid {
    let range = makings.range();
    let names = [Some("Target"), range.as_ref().map(|_| "")];
    let names = names.into_iter().flatten().map(|name| (name.to_owned(), Side::Left));
    let heads = names.chain(makings.columns.iter().map(|column| (column.title(), Side::Right)));
    let rows = makings.labels.iter().enumerate().flat_map(|(place, label)| {
        let cells: Vec<&RateFigures> = makings.columns.iter().filter_map(|column| column.cells.get(place)).collect();
        let medians = cells.iter().map(|figures| median(figures)).collect::<Vec<Cell>>();
        if range.is_none() {
            return vec![std::iter::once(Cell::of(label)).chain(medians).collect()];
        }
        let row = |line: usize, what: &str| [name_cell(label, line, 2), Cell::of(what)];
        let ranges = cells.iter().map(|figures| Cell::of(ends(figures)));
        vec![row(0, "Median").into_iter().chain(medians).collect::<Vec<Cell>>(), row(1, "Range").into_iter().chain(ranges).collect()]
    });
    Grid { heads: heads.collect(), rows: rows.collect() }
}

/// The median, strong where it is a figure.
fn median(figures: &RateFigures) -> Cell {
    Cell { is_strong: figures.median != NO_FIGURE, ..Cell::of(figures.median.clone()) }
}

fn ends(figures: &RateFigures) -> String {
    if figures.low.is_empty() { String::new() } else { format!("{} – {}", figures.low, figures.high) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::sample;
    use crate::report::Report;
    use crate::report::makings::makings;

    fn grid_of(runs: u32) -> Grid {
        let records: Vec<_> = (1..=runs).flat_map(|round| ["ext4", "xfs"].map(|label| sample::made(label, round))).collect();
        grid(&makings(&Report::of(&records).sections[0]).unwrap())
    }

    fn texts(cells: &[Cell]) -> Vec<&str> {
        cells.iter().take(4).map(|cell| cell.text.as_str()).collect()
    }

    #[test]
    fn a_target_has_its_medians_in_a_row_and_its_ranges_below() {
        let grid = grid_of(3);
        let heads: Vec<&str> = grid.heads.iter().take(4).map(|(head, _)| head.as_str()).collect();
        assert_eq!(heads, ["Target", "", "mkfs, ms", "Mount, ms"]);
        assert_eq!(texts(&grid.rows[0]), ["ext4", "Median", "125", "12.3"]);
        assert_eq!(texts(&grid.rows[1]), ["", "Range", "125 – 125", "12.3 – 12.3"]);
        assert_eq!((grid.rows.len(), grid.rows[0][0].rows, grid.rows[1][0].rows), (4, 2, 0));
        assert!(grid.rows.iter().all(|row| row.len() == grid.heads.len()));
    }

    #[test]
    fn one_run_has_a_row_a_target() {
        let grid = grid_of(1);
        assert_eq!(
            grid.rows.iter().map(|row| texts(row)).collect::<Vec<_>>(),
            [["ext4", "125", "12.3", "31.0"], ["xfs", "125", "12.3", "31.0"]]
        );
    }
}
