//! Columns of figures beside each other, in blocks of as many as a line holds: a line of medians a target, its ranges and CPU below.

use crate::report::figures::RateFigures;
use crate::report::lines::{COLUMNS, left, right, width, wrap};
use crate::report::text::slots::Slots;

/// The most columns from one figure to the next, unless the figures need more.
const MOST_PITCH: usize = 14;

/// The least blanks between two figures.
const LEAST_GAP: usize = 2;

/// A column, its cells written.
pub struct Column {
    /// `Block, MiB/s`; the same in all columns that stand together.
    pub title: String,
    pub head: String,
    pub cells: Vec<Cell>,
}

/// A target in a column.
pub struct Cell {
    /// With the blanks that put its decimal point under the others.
    pub median: String,
    pub marks: String,
    pub range: String,
    pub cpu: String,
}

impl Cell {
    /// A figure with its ends, by the slots of its column.
    pub fn of(rate: &RateFigures, slots: &Slots) -> Self {
        let range = if rate.low.is_empty() { String::new() } else { format!("{}–{}", rate.low, rate.high) };
        Self { median: slots.median(rate), marks: String::new(), range, cpu: String::new() }
    }
}

/// The lines of all targets, a blank line between blocks of columns; `parts` never share a block.
pub fn blocks(parts: Vec<Vec<Column>>, labels: &[String]) -> Vec<String> {
    let mut lines = Vec::new();
    for columns in parts {
        let mut rest = columns.as_slice();
        while !rest.is_empty() {
            let (block, more) = rest.split_at(most_beside(rest));
            if !lines.is_empty() {
                lines.push(String::new());
            }
            lines.extend(block_lines(block, labels));
            rest = more;
        }
    }
    lines
}

/// How many columns have room beside each other: at least one.
fn most_beside(columns: &[Column]) -> usize {
    let fits = |count: &usize| columns.get(..*count).is_some_and(|columns| Measures::least(columns).end(columns.len()) <= COLUMNS);
    (1..=columns.len()).rev().find(fits).unwrap_or(1)
}

/// The measures that the columns of a block share.
struct Measures {
    /// The columns of the labels.
    label: usize,
    /// Blanks behind the label, beside which a median may be as wide as its range.
    lead: usize,
    /// From the end of one figure to the end of the next.
    pitch: usize,
    /// From the end of a figure to where the next may begin; marks stand in it.
    gap: usize,
    /// The widest marks.
    marks: usize,
}

impl Measures {
    /// The measures without labels and without more blanks than must be.
    fn least(columns: &[Column]) -> Self {
        let cells = || columns.iter().flat_map(|column| &column.cells);
        let median = cells().map(|cell| width(&cell.median)).max().unwrap_or(0);
        let others = cells().flat_map(|cell| [width(&cell.range), width(&cell.cpu)]).max().unwrap_or(0);
        let heads = columns.iter().map(|column| width(&column.head)).max().unwrap_or(0);
        let marks = cells().map(|cell| width(&cell.marks)).max().unwrap_or(0);
        let figure = median.max(others).max(heads);
        // Marks may reach over the next column where the medians leave it free.
        let gap = LEAST_GAP.max((marks + 1).saturating_sub(figure - median));
        let titles = columns.iter().map(|column| (width(&column.title) + 1).div_ceil(count_of(columns, &column.title))).max();
        let lead = LEAST_GAP.saturating_sub(figure - median);
        Self { label: 0, lead, pitch: (figure + gap).max(titles.unwrap_or(0)), gap, marks }
    }

    /// With the labels that have room, and the columns spread over the line.
    fn of(columns: &[Column], labels: &[String]) -> Self {
        let least = Self::least(columns);
        let room = COLUMNS.saturating_sub(least.end(columns.len()));
        let label = labels.iter().map(|label| width(label)).filter(|label| *label <= room).max().unwrap_or(0);
        let free = (COLUMNS + least.gap).saturating_sub(label + least.lead + least.marks);
        let pitch = least.pitch.max(MOST_PITCH.min(free / columns.len().max(1)));
        Self { label, pitch, ..least }
    }

    /// Where a group of columns begins that stands behind so many columns.
    fn start_of(&self, column: usize) -> usize {
        self.label + self.lead + column * self.pitch
    }

    /// Where the figures of a column end.
    fn edge(&self, column: usize) -> usize {
        self.start_of(column + 1) - self.gap
    }

    /// Where so many columns end with their marks.
    fn end(&self, columns: usize) -> usize {
        self.edge(columns.saturating_sub(1)) + self.marks
    }

    /// A line of cells that end at the edges of their columns, each with what stands behind it.
    fn line<'c>(&self, label: &str, cells: impl Iterator<Item = (&'c str, &'c str)>) -> String {
        let mut line = left(label, self.label);
        for (column, (cell, behind)) in cells.enumerate() {
            let room = self.edge(column).saturating_sub(width(&line));
            line = format!("{line}{}{behind}", right(cell, room));
        }
        line
    }
}

fn count_of(columns: &[Column], title: &str) -> usize {
    columns.iter().filter(|column| column.title == title).count().max(1)
}

fn block_lines(columns: &[Column], labels: &[String]) -> Vec<String> {
    let measures = Measures::of(columns, labels);
    let mut lines = vec![titles(columns, &measures), measures.line("", columns.iter().map(|column| (column.head.as_str(), "")))];
    for (place, label) in labels.iter().enumerate() {
        let cells: Vec<&Cell> = columns.iter().filter_map(|column| column.cells.get(place)).collect();
        let is_beside = width(label) <= measures.label;
        if !is_beside {
            lines.extend(wrap(label, "", "  "));
        }
        let medians = cells.iter().map(|cell| (cell.median.as_str(), cell.marks.as_str()));
        lines.push(measures.line(if is_beside { label } else { "" }, medians));
        for of in [(|cell: &Cell| cell.range.as_str()) as fn(&Cell) -> &str, |cell: &Cell| cell.cpu.as_str()] {
            if cells.iter().any(|cell| !of(cell).is_empty()) {
                lines.push(measures.line("", cells.iter().map(|cell| (of(cell), ""))));
            }
        }
    }
    lines
}

/// The names of the groups over their columns, with dashes to both sides where there is room.
fn titles(columns: &[Column], measures: &Measures) -> String {
    let mut line = String::new();
    let mut start = 0;
    for group in columns.chunk_by(|one, other| one.title == other.title) {
        let (begin, edge) = (measures.start_of(start) + measures.gap, measures.edge(start + group.len() - 1));
        let title = group.first().map(|column| column.title.as_str()).unwrap_or_default();
        let room = edge.saturating_sub(begin);
        let (text, end) = match room.checked_sub(width(title) + 2) {
            Some(dashes @ 2..) => {
                let before = dashes / 2;
                (format!("{} {title} {}", "-".repeat(before), "-".repeat(dashes - before)), edge)
            }
            _ if width(title) <= room => (title.to_owned(), edge),
            _ => (title.to_owned(), (edge + measures.gap).min(COLUMNS)),
        };
        line = format!("{line}{}", right(&text, end.saturating_sub(width(&line))));
        start += group.len();
    }
    line
}
