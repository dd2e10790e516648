//! The table as lines: medians under each other by the decimal point, ranges by the dash, widths from the content.

use super::slots::Slots;
use crate::report::lines::{COLUMNS, blanks, left, right, width, wrap};
use crate::report::table::{Columns, Row, Table};

/// The most columns of the last column; what is longer is broken at its slashes.
const MOST_WORDS: usize = 15;

/// A column of figures.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Column {
    Median,
    Range,
    Acknowledged,
    OwnCpu,
    SystemCpu,
    P99,
    Longest,
}

/// A row whose cells are written and aligned within their phase.
struct Line {
    label: String,
    /// A cell per column of figures.
    cells: Vec<String>,
    /// The last column, broken into lines.
    words: Vec<String>,
}

/// What the lines of a table are made of.
enum Part {
    Heading(String),
    Row(Line),
    Blank,
}

/// The measures that all lines share.
struct Measures {
    label: usize,
    figures: Vec<usize>,
    /// Blanks before each column of figures.
    gaps: Vec<usize>,
    /// Whether the last column stands beside the figures; else on lines of its own.
    has_words_beside: bool,
}

/// The lines of a table; none when it has no rows.
pub fn lines(table: &Table) -> Vec<String> {
    let columns = columns(&table.columns);
    let parts = parts(table, &columns);
    if parts.is_empty() {
        return Vec::new();
    }
    let titles: Vec<String> = columns.iter().map(|column| column.title(&table.columns)).collect();
    let measures = Measures::of(&columns, &titles, &parts);
    let mut lines = Vec::new();
    if let Some(last_cpu) = columns.iter().rposition(|column| matches!(column, Column::OwnCpu | Column::SystemCpu)) {
        // In the middle above `own sys`.
        lines.push(right("CPU %", measures.end_of(last_cpu) - usize::from(table.columns.cpu_own && table.columns.cpu_system)));
    }
    lines.push(measures.line("", &titles, if table.columns.words && measures.has_words_beside { words_title(&table.columns) } else { "" }));
    for part in &parts {
        match part {
            Part::Heading(heading) => lines.push(heading.clone()),
            Part::Row(line) => lines.extend(row_lines(line, &measures)),
            Part::Blank => lines.push(String::new()),
        }
    }
    lines
}

fn columns(occurring: &Columns) -> Vec<Column> {
    let all = [
        (true, Column::Median),
        (occurring.range.is_some(), Column::Range),
        (occurring.acknowledged, Column::Acknowledged),
        (occurring.cpu_own, Column::OwnCpu),
        (occurring.cpu_system, Column::SystemCpu),
        (occurring.p99, Column::P99),
        (occurring.has_longest_only(), Column::Longest),
    ];
    all.into_iter().filter(|(occurs, _)| *occurs).map(|(_, column)| column).collect()
}

impl Column {
    fn title(self, occurring: &Columns) -> String {
        match self {
            Self::Median => "median".to_owned(),
            Self::Range => occurring.range.clone().unwrap_or_default(),
            Self::Acknowledged => "ack.".to_owned(),
            Self::OwnCpu => "own".to_owned(),
            Self::SystemCpu => "sys".to_owned(),
            Self::P99 => "p99".to_owned(),
            Self::Longest => "max".to_owned(),
        }
    }

    /// Blanks before the column: one where it belongs to the one before.
    fn gap(self, before: Option<Self>) -> usize {
        if self == Self::SystemCpu && before == Some(Self::OwnCpu) { 1 } else { 2 }
    }
}

/// Phases of a block follow each other; a blank line parts the blocks.
fn parts(table: &Table, columns: &[Column]) -> Vec<Part> {
    let mut parts = Vec::new();
    for block in &table.blocks {
        if !parts.is_empty() {
            parts.push(Part::Blank);
        }
        for phase in &block.phases {
            let slots = Slots::of(phase.rows.iter().map(|row| &row.rate));
            parts.push(Part::Heading(phase.heading.clone()));
            parts.extend(phase.rows.iter().map(|row| Part::Row(line(row, &slots, columns))));
        }
    }
    parts
}

fn line(row: &Row, slots: &Slots, columns: &[Column]) -> Line {
    let cells = columns.iter().map(|column| cell(row, slots, *column)).collect();
    Line { label: row.label.clone(), cells, words: words_lines(row) }
}

fn cell(row: &Row, slots: &Slots, column: Column) -> String {
    match column {
        Column::Median => slots.median(&row.rate),
        Column::Range => slots.range(&row.rate),
        Column::Acknowledged => row.acknowledged.clone(),
        Column::OwnCpu => row.cpu_own.clone(),
        Column::SystemCpu => row.cpu_system.clone(),
        Column::P99 => row.p99.clone(),
        Column::Longest => row.latency_max.clone(),
    }
}

/// The words joined by slashes, then the letters of the flags; as few lines of [`MOST_WORDS`] columns as hold them.
fn words_lines(row: &Row) -> Vec<String> {
    let letters: String = row.flags.iter().map(|flag| flag.letter()).collect();
    let whole = format!("{} {letters}", row.words.join("/"));
    let mut lines: Vec<String> = Vec::new();
    for piece in whole.trim().split_inclusive('/') {
        match lines.last_mut() {
            Some(line) if width(line) + width(piece) <= MOST_WORDS => line.push_str(piece),
            Some(_) | None => lines.push(piece.to_owned()),
        }
    }
    lines
}

/// Blanks before the last column.
const WORDS_GAP: usize = 2;

/// The heading of the last column, which of runs of another program holds no word of caches.
const WORDS_TITLE: &str = "cache";

const fn words_title(columns: &Columns) -> &'static str {
    if columns.labels { WORDS_TITLE } else { "flags" }
}

impl Measures {
    /// The widths of the content. Where a line would be too long, labels stand on lines of their own; where even that is not
    /// enough, so do the words.
    fn of(columns: &[Column], titles: &[String], parts: &[Part]) -> Self {
        let rows: Vec<&Line> = parts.iter().filter_map(|part| if let Part::Row(line) = part { Some(line) } else { None }).collect();
        let widest = |at: usize| rows.iter().filter_map(|line| line.cells.get(at)).map(|cell| width(cell)).max().unwrap_or(0);
        let figures: Vec<usize> = titles.iter().enumerate().map(|(at, title)| widest(at).max(width(title))).collect();
        let before = std::iter::once(None).chain(columns.iter().copied().map(Some));
        let gaps: Vec<usize> = columns.iter().zip(before).map(|(column, before)| column.gap(before)).collect();
        let mut measures = Self { label: 0, figures, gaps, has_words_beside: true };
        let longest = rows.iter().flat_map(|line| &line.words).map(|word| width(word)).max().unwrap_or(0);
        let mut words = WORDS_GAP + longest.max(width(WORDS_TITLE));
        if measures.end() + words > COLUMNS {
            measures.has_words_beside = false;
            words = 0;
        }
        if measures.end() > COLUMNS {
            measures.gaps.fill(1);
        }
        let room = COLUMNS.saturating_sub(measures.end() + words);
        measures.label = rows.iter().map(|line| width(&line.label)).filter(|label| *label <= room).max().unwrap_or(0);
        measures
    }

    /// The columns up to the end of the figures.
    fn end(&self) -> usize {
        self.end_of(self.figures.len().saturating_sub(1))
    }

    /// The columns up to the end of a column of figures.
    fn end_of(&self, column: usize) -> usize {
        1 + self.label + self.figures.iter().zip(&self.gaps).take(column + 1).map(|(figure, gap)| figure + gap).sum::<usize>()
    }

    fn line(&self, label: &str, cells: &[String], words: &str) -> String {
        let cells = cells.iter().zip(self.figures.iter().zip(&self.gaps));
        let figures: String = cells.map(|(cell, (columns, gap))| format!("{}{}", blanks(*gap), right(cell, *columns))).collect();
        format!(" {}{figures}{}{words}", left(label, self.label), blanks(WORDS_GAP))
    }
}

fn row_lines(line: &Line, measures: &Measures) -> Vec<String> {
    let mut lines = Vec::new();
    let mut label = line.label.as_str();
    if width(label) > measures.label {
        lines.extend(wrap(label, " ", "   "));
        label = "";
    }
    let mut words = line.words.iter().map(String::as_str);
    let beside = if measures.has_words_beside { words.next().unwrap_or_default() } else { "" };
    lines.push(measures.line(label, &line.cells, beside));
    if measures.has_words_beside {
        let no_cells = vec![String::new(); line.cells.len()];
        lines.extend(words.map(|word| measures.line("", &no_cells, word)));
    } else {
        lines.extend(words.map(|word| format!("   {word}")));
    }
    lines
}
