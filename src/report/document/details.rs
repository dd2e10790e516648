//! The details as grids: a row a series under its phase or kind, a column a number, its range in brackets behind it.

use super::{Cell, Grid, Item, Part, Side, name_cell};
use crate::report::Section;
use crate::report::details::{Block, Details, Row, details};
use crate::report::figures::RateFigures;

/// The tables, each with its heading and what explains it.
pub fn parts(section: &Section<'_>) -> Vec<Part> {
    let of = |details: &Details| [Part::Heading(details.heading.to_owned()), Part::Grid(grid(details)), Part::List(explained(details))];
    details(section).iter().flat_map(of).collect()
}

fn grid(details: &Details) -> Grid {
    let names = [Some(details.subject), (!details.is_compact).then_some("Target")];
    let names = names.into_iter().flatten().map(|name| (name.to_owned(), Side::Left));
    let heads = names.chain(details.columns.iter().map(|column| (column.heading(), Side::Right)));
    Grid { heads: heads.collect(), rows: details.blocks.iter().flat_map(rows).collect() }
}

fn rows(block: &Block) -> Vec<Vec<Cell>> {
    let row = |(place, row): (usize, &Row)| {
        let name = (!block.heading.is_empty()).then(|| name_cell(&block.heading, place, block.rows.len()));
        let cells = row.cells.iter().map(|cell| Cell::of(written(&cell.figures)));
        name.into_iter().chain([Cell::of(row.label.as_str())]).chain(cells).collect()
    };
    block.rows.iter().enumerate().map(row).collect()
}

/// `499.4 (490.8 – 508.6)`.
fn written(figures: &RateFigures) -> String {
    if figures.low.is_empty() { figures.median.clone() } else { format!("{} ({} – {})", figures.median, figures.low, figures.high) }
}

/// How the cells are read, then what each column is.
fn explained(details: &Details) -> Vec<Item> {
    let columns: Vec<String> = details.legend().iter().map(|entry| format!("{}: {}.", entry.word, entry.meaning)).collect();
    [details.statement(), columns.join(" ")].map(Item::Text).to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::record::RunRecord;
    use crate::model::sample;
    use crate::report::Report;

    fn grids(labels: &[&str], runs: u32, kind: &str) -> Vec<Grid> {
        let phases = sample::phases_of(kind);
        let records: Vec<RunRecord> = (1..=runs)
            .flat_map(|round| labels.iter().map(move |label| (*label, round)))
            .map(|(label, round)| sample::of_phases(label, round, &phases))
            .collect();
        let parts = parts(&Report::of(&records).sections[0]);
        parts.into_iter().filter_map(|part| if let Part::Grid(grid) = part { Some(grid) } else { None }).collect()
    }

    fn texts(cells: &[Cell]) -> Vec<&str> {
        cells.iter().map(|cell| cell.text.as_str()).collect()
    }

    #[test]
    fn a_series_has_its_row_under_the_name_of_the_phase() {
        let grids = grids(&["ext4", "xfs"], 3, "small files");
        let heads: Vec<&str> = grids[0].heads.iter().map(|(head, _)| head.as_str()).collect();
        assert_eq!(heads, ["Phase", "Target", "Time, s", "CPU, s", "Data, MiB/s"]);
        assert_eq!(
            texts(&grids[0].rows[0]),
            ["Seq. create", "ext4", "1.00 (1.00 – 1.00)", "0.160 (0.160 – 0.160)", "30.00 (30.00 – 30.00)"]
        );
        assert_eq!((texts(&grids[0].rows[1])[1], grids[0].rows[0][0].rows, grids[0].rows[1][0].rows), ("xfs", 2, 0));
        assert!(grids[0].rows.iter().all(|row| row.len() == grids[0].heads.len()));
    }

    #[test]
    fn one_series_has_a_row_a_phase_and_a_row_a_kind() {
        let grids = grids(&["ext4"], 1, "file server");
        assert_eq!(grids.len(), 2);
        assert_eq!(texts(&grids[0].rows[0]), ["File server", "1.00", "0.160", "90.0"]);
        let heads: Vec<&str> = grids[1].heads.iter().map(|(head, _)| head.as_str()).collect();
        assert_eq!(heads, ["Operation", "Count", "Average, ms", "p99, ms", "Max, ms", "Data, MiB/s"]);
        let names: Vec<&str> = grids[1].rows.iter().map(|row| row[0].text.as_str()).collect();
        assert_eq!(names, ["close", "read", "write", "flush"]);
    }
}
