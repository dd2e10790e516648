//! Cells padded to the widest of their column, so that the text of a table is a table to the eye too.

use super::document::Side;
use super::lines::{left, right, width};

/// Cells of a wider column are not padded: a long label must not make every line long.
const MOST_PADDED: usize = 40;

/// The columns' widths: that of the widest cell which is not too wide, and always that of the head, the first row.
pub fn widths(rows: &[Vec<String>]) -> Vec<usize> {
    let heads = rows.first().map(Vec::as_slice).unwrap_or_default();
    let of_column = |(column, head): (usize, &String)| {
        let cells = rows.iter().filter_map(|cells| cells.get(column)).map(|cell| width(cell));
        cells.filter(|columns| *columns <= MOST_PADDED).chain([width(head)]).max().unwrap_or(0)
    };
    heads.iter().enumerate().map(of_column).collect()
}

/// The cells of rows, padded; the first row is the head.
pub fn padded(sides: &[Side], rows: &[Vec<String>]) -> Vec<Vec<String>> {
    let widths = widths(rows);
    let pad = |((cell, side), width): ((&String, &Side), &usize)| match side {
        Side::Left => left(cell, *width),
        Side::Right => right(cell, *width),
    };
    rows.iter().map(|cells| cells.iter().zip(sides).zip(&widths).map(pad).collect()).collect()
}
