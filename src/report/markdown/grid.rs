//! A table of pipes: cells padded to the widest of their column, so that the text is a table to the eye too.

use crate::report::layout::{left, right, width};

/// To which side the cells of a column lean.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Side {
    Left,
    Right,
}

/// Cells of a wider column are not padded: a long label must not make every line long.
const MOST_PADDED: usize = 40;

/// A head and rows of cells, all escaped.
pub struct Grid {
    heads: Vec<(String, Side)>,
    rows: Vec<Vec<String>>,
}

impl Grid {
    /// A grid without rows.
    pub const fn of(heads: Vec<(String, Side)>) -> Self {
        Self { heads, rows: Vec::new() }
    }

    /// Adds a row, which has a cell a head.
    pub fn add(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// The lines; none where there is no row.
    pub fn lines(&self) -> Vec<String> {
        if self.rows.is_empty() {
            return Vec::new();
        }
        let widths: Vec<usize> = (0..self.heads.len()).map(|column| self.width_of(column)).collect();
        let rules = self.heads.iter().zip(&widths).map(|((_, side), width)| match side {
            Side::Left => format!(":{}", "-".repeat(width + 1)),
            Side::Right => format!("{}:", "-".repeat(width + 1)),
        });
        let rule = format!("|{}|", rules.collect::<Vec<_>>().join("|"));
        let names: Vec<String> = self.heads.iter().map(|(name, _)| name.clone()).collect();
        let rows = self.rows.iter().map(|cells| self.line(cells, &widths));
        [self.line(&names, &widths), rule].into_iter().chain(rows).collect()
    }

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
