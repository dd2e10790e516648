//! The layout `ranking`: the targets of each phase, best first, with a bar of characters from zero.

use super::slots::Slots;
use crate::report::lines::{COLUMNS, blanks, left, right, width, wrap};
use crate::report::marks::marks;
use crate::report::table::ranking::{Rank, RankedPhase, RankedRow, Ranking};

/// The most columns of a bar.
const MOST_BAR: usize = 30;

/// With fewer columns a bar tells nothing, and there is none.
const LEAST_BAR: usize = 10;

/// A series in a phase, its cells written.
struct Line<'r> {
    rank: String,
    label: &'r str,
    median: String,
    range: String,
    ratio: &'r str,
    marks: String,
    /// Why there is no figure.
    words: String,
    row: &'r RankedRow,
}

/// The measures that all lines share.
struct Measures {
    rank: usize,
    label: usize,
    median: usize,
    range: usize,
    ratio: usize,
    marks: usize,
    /// Blanks before median, range and ratio.
    gap: usize,
    /// The columns of the bars; 0 where they have no room.
    bar: usize,
}

/// The lines of a ranking; none when it has no phases.
pub fn lines(ranking: &Ranking) -> Vec<String> {
    let phases: Vec<(&str, Vec<Line<'_>>)> = ranking.phases.iter().map(|phase| (phase.heading.as_str(), phase_lines(phase))).collect();
    let measures = Measures::of(&phases.iter().flat_map(|(_, lines)| lines).collect::<Vec<_>>());
    let mut lines = Vec::new();
    for (heading, rows) in &phases {
        lines.push((*heading).to_owned());
        lines.extend(rows.iter().flat_map(|line| measures.lines(line)));
    }
    lines
}

fn phase_lines(phase: &RankedPhase) -> Vec<Line<'_>> {
    let slots = Slots::of(phase.rows.iter().map(|ranked| &ranked.row.rate));
    phase.rows.iter().map(|ranked| line(ranked, &slots)).collect()
}

fn line<'r>(ranked: &'r RankedRow, slots: &Slots) -> Line<'r> {
    Line {
        rank: ranked.rank.text(),
        label: &ranked.row.label,
        median: slots.median(&ranked.row.rate),
        range: slots.range(&ranked.row.rate),
        ratio: &ranked.ratio,
        marks: marks(&ranked.row.flags, ranked.row.is_from_memory),
        words: if ranked.rank == Rank::Missing { ranked.row.words.join("/") } else { String::new() },
        row: ranked,
    }
}

impl Measures {
    /// The widths of the content. A label that leaves no room for a bar stands on a line of its own.
    fn of(lines: &[&Line<'_>]) -> Self {
        let widest = |of: fn(&Line<'_>) -> usize| lines.iter().map(|line| of(line)).max().unwrap_or(0);
        let mut measures = Self {
            // The mark of a shared rank stands behind the number.
            rank: widest(|line| width(line.rank.trim_end_matches('='))) + 1,
            label: 0,
            median: widest(|line| width(&line.median)),
            range: widest(|line| width(&line.range)),
            ratio: widest(|line| width(line.ratio)),
            marks: widest(|line| width(&line.marks)),
            gap: 2,
            bar: 0,
        };
        if measures.bar_start() > COLUMNS {
            measures.gap = 1;
        }
        let free = COLUMNS.saturating_sub(measures.bar_start());
        let room = free.saturating_sub(LEAST_BAR);
        measures.label = lines.iter().map(|line| width(line.label)).filter(|label| *label <= room).max().unwrap_or(0);
        let free = free.saturating_sub(measures.label);
        measures.bar = if free < LEAST_BAR { 0 } else { free.min(MOST_BAR) };
        measures
    }

    /// The columns up to the label.
    fn label_start(&self) -> usize {
        1 + self.rank + 1
    }

    fn bar_start(&self) -> usize {
        let range = if self.range == 0 { 0 } else { self.gap + self.range };
        self.label_start() + self.label + self.gap + self.median + range + self.gap + self.ratio + 1 + self.marks + 1
    }

    fn lines(&self, line: &Line<'_>) -> Vec<String> {
        let number = line.rank.trim_end_matches('=');
        let behind = if number == line.rank { " " } else { "=" };
        let rank = format!(" {}{behind} ", right(number, self.rank - 1));
        let figures = self.figures(line);
        let mut lines = if width(line.label) <= self.label {
            vec![format!("{rank}{}{figures}", left(line.label, self.label))]
        } else {
            let mut lines = wrap(line.label, &rank, &blanks(self.label_start() + 2));
            lines.push(format!("{}{figures}", blanks(self.label_start() + self.label)));
            lines
        };
        if let Some(last) = lines.last_mut() {
            let with_words = format!("{last}{}{}", blanks(self.gap), line.words);
            if width(&with_words) <= COLUMNS {
                *last = with_words;
            } else {
                lines.extend(wrap(&line.words, &blanks(self.label_start() + 2), &blanks(self.label_start() + 2)));
            }
        }
        lines
    }

    fn figures(&self, line: &Line<'_>) -> String {
        let gap = blanks(self.gap);
        let median = format!("{gap}{}", right(&line.median, self.median));
        if line.row.rank == Rank::Missing {
            return median;
        }
        let range = if self.range == 0 { String::new() } else { format!("{gap}{}", right(&line.range, self.range)) };
        let ratio = format!("{gap}{} {}", right(line.ratio, self.ratio), left(&line.marks, self.marks));
        format!("{median}{range}{ratio} {}", bar(line.row, self.bar))
    }
}

/// `###==`: to the low end of the range, and at least one column on to its high end; without a range to the rate.
fn bar(row: &RankedRow, columns: usize) -> String {
    let cells = |share: f64| (share * columns as f64).round() as usize;
    let end = if row.high > 0.0 { cells(row.high).max(1).min(columns) } else { 0 };
    let solid = if row.row.rate.low.is_empty() { end } else { cells(row.low).min(end.saturating_sub(1)) };
    format!("{}{}", "#".repeat(solid), "=".repeat(end - solid))
}
