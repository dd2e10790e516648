//! A table of pipes: a head, a rule that says to which side the cells lean, and the rows.

use crate::report::document::Side;
use crate::report::padding::{padded, widths};

/// The lines of a table of escaped cells; the first row is the head.
pub fn lines(sides: &[Side], rows: &[Vec<String>]) -> Vec<String> {
    let rules = sides.iter().zip(widths(rows)).map(|(side, width)| match side {
        Side::Left => format!(":{}", "-".repeat(width + 1)),
        Side::Right => format!("{}:", "-".repeat(width + 1)),
    });
    let rule = format!("|{}|", rules.collect::<Vec<_>>().join("|"));
    let mut lines: Vec<String> = padded(sides, rows).iter().map(|cells| format!("| {} |", cells.join(" | "))).collect();
    lines.insert(1.min(lines.len()), rule);
    lines
}
