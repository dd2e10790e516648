//! The details in 80 columns: a line of medians a row, its ranges below; columns that have no room beside the others stand in a part of
//! their own.

use super::makings::explained;
use super::slots::Slots;
use crate::report::Section;
use crate::report::details::{Block, Column, Details, Row, details};
use crate::report::figures::RateFigures;
use crate::report::lines::{COLUMNS, blanks, left, right, width, wrap};

/// Blanks between two columns.
const GAP: usize = 2;

/// The tables, each with what explains it.
pub fn paragraphs(section: &Section<'_>) -> Vec<Vec<String>> {
    details(section).iter().flat_map(|details| [lines(details), legend(details)]).collect()
}

fn lines(details: &Details) -> Vec<String> {
    let mut lines = vec![details.heading.to_owned()];
    let label = label_width(details);
    for columns in parts(&widths(details), label) {
        lines.push(String::new());
        lines.extend(part_lines(details, label, &columns));
    }
    lines
}

/// Longer names stand on lines of their own.
const MOST_LABEL: usize = 24;

/// What the names of the rows take beside the figures; under the name of a block they are set in.
fn label_width(details: &Details) -> usize {
    let labels = details.blocks.iter().flat_map(|block| &block.rows).map(|row| width(&row.label));
    labels.filter(|label| *label <= MOST_LABEL).max().unwrap_or(0) + usize::from(!details.is_compact)
}

/// The width of each column.
fn widths(details: &Details) -> Vec<usize> {
    let widest = |(place, column): (usize, &Column)| {
        let cells = details.blocks.iter().flat_map(|block| {
            let slots = slots(details, block);
            let cell = |row: &Row| {
                row.cells.get(place).map(|cell| width(&median(&cell.figures, slots.get(place))).max(width(&range(&cell.figures))))
            };
            block.rows.iter().filter_map(cell).collect::<Vec<usize>>()
        });
        cells.max().unwrap_or(0).max(width(&column.heading()))
    };
    details.columns.iter().enumerate().map(widest).collect()
}

/// Where the decimal points of each column stand in a block; nowhere in a column whose cells have units of their own.
fn slots(details: &Details, block: &Block) -> Vec<Option<Slots>> {
    let of_column = |(place, column): (usize, &Column)| {
        let cells: Vec<&RateFigures> = block.rows.iter().filter_map(|row| Some(&row.cells.get(place)?.figures)).collect();
        (!column.is_alone && !column.is_words).then(|| Slots::of(cells.into_iter()))
    };
    details.columns.iter().enumerate().map(of_column).collect()
}

fn median(figures: &RateFigures, slots: Option<&Option<Slots>>) -> String {
    slots.and_then(Option::as_ref).map_or_else(|| figures.median.clone(), |slots| slots.median(figures))
}

fn range(figures: &RateFigures) -> String {
    if figures.low.is_empty() { String::new() } else { format!("{}–{}", figures.low, figures.high) }
}

/// Columns by their places and widths, as many beside each other and beside the names as a line holds; at least one.
fn parts(widths: &[usize], label: usize) -> Vec<Vec<(usize, usize)>> {
    let mut parts: Vec<Vec<(usize, usize)>> = Vec::new();
    let mut used = COLUMNS;
    for (place, width) in widths.iter().copied().enumerate() {
        match parts.last_mut() {
            Some(part) if used + GAP + width <= COLUMNS => {
                part.push((place, width));
                used += GAP + width;
            }
            _ => {
                parts.push(vec![(place, width)]);
                used = label + GAP + width;
            }
        }
    }
    parts
}

fn part_lines(details: &Details, label: usize, columns: &[(usize, usize)]) -> Vec<String> {
    let heads = columns.iter().filter_map(|(place, width)| Some((details.columns.get(*place)?.heading(), *width)));
    let mut lines = vec![line("", label, heads)];
    for block in &details.blocks {
        lines.extend(block_lines(block, label, columns, &slots(details, block)));
    }
    lines
}

fn block_lines(block: &Block, label: usize, columns: &[(usize, usize)], slots: &[Option<Slots>]) -> Vec<String> {
    let heading = if block.heading.is_empty() { Vec::new() } else { wrap(&block.heading, "", "  ") };
    let indent = if block.heading.is_empty() { "" } else { " " };
    heading.into_iter().chain(block.rows.iter().flat_map(|row| row_lines(row, indent, label, columns, slots))).collect()
}

/// The name, where it has no room beside the figures; the medians; the ranges, where there are any.
fn row_lines(row: &Row, indent: &str, label: usize, columns: &[(usize, usize)], slots: &[Option<Slots>]) -> Vec<String> {
    let name = format!("{indent}{}", row.label);
    let is_beside = width(&name) <= label;
    let mut lines = if is_beside { Vec::new() } else { wrap(&row.label, indent, &format!("{indent}  ")) };
    let cells = || columns.iter().filter_map(|(place, width)| Some((*place, &row.cells.get(*place)?.figures, *width)));
    let medians = cells().map(|(place, figures, width)| (median(figures, slots.get(place)), width));
    lines.push(line(if is_beside { &name } else { "" }, label, medians));
    if cells().any(|(_, figures, _)| !figures.low.is_empty()) {
        lines.push(line("", label, cells().map(|(_, figures, width)| (range(figures), width))));
    }
    lines
}

/// A name and cells that end at the edges of their columns.
fn line(name: &str, label: usize, cells: impl Iterator<Item = (String, usize)>) -> String {
    let cells: String = cells.map(|(cell, width)| format!("{}{}", blanks(GAP), right(&cell, width))).collect();
    format!("{}{cells}", left(name, label))
}

fn legend(details: &Details) -> Vec<String> {
    explained(&details.statement(), &details.legend())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::record::RunRecord;
    use crate::model::sample;
    use crate::report::Report;
    use crate::report::text::text;

    fn records(labels: &[&str], runs: u32, kind: &str) -> Vec<RunRecord> {
        let phases = sample::phases_of(kind);
        let one = |round| labels.iter().map(|label| sample::of_phases(label, round, &phases)).collect::<Vec<_>>();
        (1..=runs).flat_map(one).collect()
    }

    fn table_of(records: &[RunRecord]) -> String {
        let tables = paragraphs(&Report::of(records).sections[0]);
        tables[0].iter().map(|line| format!("{}\n", line.trim_end())).collect()
    }

    #[test]
    fn a_series_has_its_medians_in_a_line_and_its_ranges_below() {
        let mut records = records(&["ext4", "xfs"], 3, "sync");
        records.iter_mut().for_each(|run| run.phases.truncate(2));
        let expected = "Each phase in detail

         Time, s  Data, MiB/s         IOPS    p50    p99    Max
O_DSYNC write
 ext4       1.00        30.00        100.0  42 µs  42 µs  50 µs
       1.00–1.00  30.00–30.00  100.0–100.0
 xfs        1.00        30.00        100.0  42 µs  42 µs  50 µs
       1.00–1.00  30.00–30.00  100.0–100.0
fsync write
 ext4       1.00        30.00        100.0  42 µs  42 µs  50 µs
       1.00–1.00  30.00–30.00  100.0–100.0
 xfs        1.00        30.00        100.0  42 µs  42 µs  50 µs
       1.00–1.00  30.00–30.00  100.0–100.0
";
        assert_eq!(table_of(&records), expected);
    }

    #[test]
    fn one_series_of_one_run_has_a_line_a_phase() {
        let expected = "Each phase in detail

                   Time, s  CPU, s  Exit
Command configure     83.0   0.160     0
Command build         83.0   0.160     0
Command test          83.0   0.160     0
";
        assert_eq!(table_of(&records(&["ext4"], 1, "commands")), expected);
    }

    #[test]
    fn columns_without_room_stand_in_a_part_of_their_own() {
        assert_eq!(parts(&[30, 30, 30, 90], 10), [vec![(0, 30), (1, 30)], vec![(2, 30)], vec![(3, 90)]]);
    }

    #[test]
    fn no_line_is_over_80_columns() {
        let labels = ["ext4", "a_label_of_sixty_characters_without_a_single_blank_in_it_at_all", "漢字漢字漢字漢字漢字", "<&>\u{1b}[31m"];
        for kind in ["small files", "sync", "blocks", "file server", "tree", "commands"] {
            for records in [records(&labels, 3, kind), records(&labels[1..2], 6, kind), records(&labels[..1], 1, kind)] {
                let text = text(&Report::of(&records));
                assert!(text.contains("\nEach phase in detail\n"), "{text}");
                assert!(text.lines().all(|line| width(line) <= COLUMNS && !line.chars().any(char::is_control)), "{text}");
            }
        }
    }
}
