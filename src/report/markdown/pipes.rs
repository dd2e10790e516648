//! A table of pipes: cells padded to the widest of their column, so that the text is a table to the eye too.

use crate::report::document::Side;
use crate::report::lines::{left, right, width};

/// Cells of a wider column are not padded: a long label must not make every line long.
const MOST_PADDED: usize = 40;

/// The lines of a table: a head, and rows of a cell a head, all escaped.
pub fn lines(heads: Vec<(String, Side)>, rows: Vec<Vec<String>>) -> Vec<String> {
    let pipes = Pipes { heads, rows };
    let widths: Vec<usize> = (0..pipes.heads.len()).map(|column| pipes.width_of(column)).collect();
    let rules = pipes.heads.iter().zip(&widths).map(|((_, side), width)| match side {
        Side::Left => format!(":{}", "-".repeat(width + 1)),
        Side::Right => format!("{}:", "-".repeat(width + 1)),
    });
    let rule = format!("|{}|", rules.collect::<Vec<_>>().join("|"));
    let names: Vec<String> = pipes.heads.iter().map(|(name, _)| name.clone()).collect();
    let rows = pipes.rows.iter().map(|cells| pipes.line(cells, &widths));
    [pipes.line(&names, &widths), rule].into_iter().chain(rows).collect()
}

struct Pipes {
    heads: Vec<(String, Side)>,
    rows: Vec<Vec<String>>,
}

impl Pipes {
    fn width_of(&self, column: usize) -> usize {
        let cells = self.rows.iter().filter_map(|cells| cells.get(column)).map(|cell| width(cell));
        let head = self.heads.get(column).map_or(0, |(name, _)| width(name));
        cells.filter(|columns| *columns <= MOST_PADDED).chain([head]).max().unwrap_or(0)
    }

    fn line(&self, cells: &[String], widths: &[usize]) -> String {
        let padded = cells.iter().zip(&self.heads).zip(widths).map(|((cell, (_, side)), width)| match side {
            Side::Left => left(cell, *width),
            Side::Right => right(cell, *width),
        });
        format!("| {} |", padded.collect::<Vec<_>>().join(" | "))
    }
}
