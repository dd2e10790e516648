//! The document: what every markup says, part by part and in one order. A format only writes the parts down in its own way.

mod compared;
mod details;
mod makings;
mod ranking;
mod targets;

#[cfg(test)]
mod tests;

use super::figures::NO_FIGURE;
use super::layout::Layout;
use super::legend::{flags, statement, words};
use super::lines::capitalised;
use super::makings::{HEADING, Makings, makings};
use super::table::{Columns, Row, Table, columns, table};
use super::{Report, Section, bonnie, checks, direct_io, facts, limits, marks, quietness, remarks, statements, sweep, verdicts};

/// To which side the cells of a column lean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    Left,
    Right,
}

/// A part of a document. No text in it is escaped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    Heading(String),
    /// Sentences that follow each other, a line each where the markup has lines.
    Paragraph(Vec<String>),
    List(Vec<Item>),
    Grid(Grid),
    /// Lines that stand as they are, in a fixed width.
    Verbatim(Vec<String>),
}

/// An item of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item {
    Text(String),
    /// Shown letter by letter, in a fixed width.
    Code(String),
}

/// A table of cells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grid {
    pub heads: Vec<(String, Side)>,
    /// A cell a head.
    pub rows: Vec<Vec<Cell>>,
}

/// A cell of a [`Grid`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell {
    pub text: String,
    /// What the reader looks for first.
    pub is_strong: bool,
    /// The rows that it stands for: 1, or more for a name that is written once; 0 where the cell above stands for this row too.
    pub rows: usize,
}

impl Grid {
    /// A table without rows, which is left out.
    fn empty() -> Self {
        Self { heads: Vec::new(), rows: Vec::new() }
    }

    /// To which side each column leans.
    pub fn sides(&self) -> Vec<Side> {
        self.heads.iter().map(|(_, side)| *side).collect()
    }

    /// The heads and the rows as a markup writes them: every text escaped, and the strong ones marked.
    pub fn cells(&self, escaped: impl Fn(&str) -> String, strong: impl Fn(&str) -> String) -> Vec<Vec<String>> {
        let heads = self.heads.iter().map(|(head, _)| escaped(head)).collect();
        let rows = self.rows.iter().map(|cells| cells.iter().map(|cell| cell.written(&escaped, &strong)).collect());
        std::iter::once(heads).chain(rows).collect()
    }
}

impl Cell {
    /// The text as a markup writes it. An empty one is never marked.
    pub fn written(&self, escaped: impl Fn(&str) -> String, strong: impl Fn(&str) -> String) -> String {
        let text = escaped(&self.text);
        if self.is_strong && !text.is_empty() { strong(&text) } else { text }
    }

    /// A cell of one row.
    pub fn of(text: impl Into<String>) -> Self {
        Self { text: text.into(), is_strong: false, rows: 1 }
    }
}

/// The first cell of a row that shares its name with others: the name on the first of them, nothing on the rest.
fn name_cell(name: &str, place: usize, rows: usize) -> Cell {
    if place == 0 { Cell { rows, ..Cell::of(name) } } else { Cell { rows: 0, ..Cell::of("") } }
}

/// The documents of a report, one after another: unlike work stands apart, and the reader is told.
pub fn documents(report: &Report<'_>) -> Vec<Vec<Part>> {
    let said = |text: String| vec![Part::Paragraph(vec![text])];
    let sections = report.sections.iter().map(|section| of_section(section, report.layout));
    match report.sections.len() {
        0 => vec![said("No runs.".to_owned())],
        1 => sections.collect(),
        _ => std::iter::once(said(super::several("table", &report.sections))).chain(sections).collect(),
    }
}

fn of_section(section: &Section<'_>, layout: Layout) -> Vec<Part> {
    let (figures, explained) = figures(section, layout);
    let makings = makings(section);
    let before = [
        Part::Heading(facts::title(section).join(", ")),
        Part::Paragraph(
            [limits::sentence(section), quietness::sentence(section)].into_iter().flatten().chain(checks::faults(section)).collect(),
        ),
        Part::Paragraph(verdicts::sentences(section).into_iter().chain(verdicts::difference(section)).collect()),
        fact_list(facts::lines(section)),
        Part::Grid(compared::ratios_of(section)),
        figures,
    ];
    let behind = [
        Part::Heading(makings.as_ref().map(|_| HEADING.to_owned()).unwrap_or_default()),
        Part::Grid(makings.as_ref().map_or_else(Grid::empty, makings::grid)),
        Part::List(makings.as_ref().map(made_explained).unwrap_or_default()),
        Part::Grid(compared::differences_of(section)),
        Part::Paragraph(remarks::nothing_measured(section).into_iter().collect()),
        Part::List(notes(section, explained)),
    ];
    before.into_iter().chain(details::parts(section)).chain(behind).filter(|part| !part.is_empty()).collect()
}

impl Part {
    fn is_empty(&self) -> bool {
        match self {
            Self::Heading(text) => text.is_empty(),
            Self::Paragraph(sentences) => sentences.is_empty(),
            Self::List(items) => items.is_empty(),
            Self::Grid(grid) => grid.rows.is_empty(),
            Self::Verbatim(lines) => lines.is_empty(),
        }
    }
}

/// One fact is a paragraph, several are a list.
fn fact_list(facts: Vec<String>) -> Part {
    if facts.len() == 1 { Part::Paragraph(facts) } else { Part::List(facts.into_iter().map(Item::Text).collect()) }
}

/// The figures in a layout, and what explains them: how they are read, then words and marks.
fn figures(section: &Section<'_>, layout: Layout) -> (Part, [String; 2]) {
    match layout {
        Layout::Phases => {
            let table = table(section);
            (Part::Grid(grid(&table)), [statement(section, &table.columns), words_and_flags_explained(section)])
        }
        Layout::Targets => {
            // A row for CPU too would bury the rates; the first layout has it.
            let columns = Columns { cpu_own: false, cpu_system: false, ..columns(section) };
            (Part::Grid(targets::grid(section, &columns)), [statements::targets(section, &columns), marks::sentences(section).join(" ")])
        }
        Layout::Ranking => {
            let ranking = super::table::ranking::ranking(section);
            let grid = ranking::grid(&ranking, &columns(section));
            (Part::Grid(grid), [statements::ranking(section, &ranking), words_and_flags_explained(section)])
        }
        Layout::Bonnie => {
            let explained = marks::sentences_in_words(section).join(" ");
            (Part::Verbatim(bonnie::lines(section)), [statements::bonnie(section, &columns(section)), explained])
        }
    }
}

fn words_and_flags_explained(section: &Section<'_>) -> String {
    let words = words(section).into_iter().map(|entry| format!("{}: {}.", entry.word, entry.meaning));
    let flags = flags(section).into_iter().map(|entry| format!("{}.", entry.meaning));
    words.chain(flags).collect::<Vec<_>>().join(" ")
}

/// How the cells of the filesystems as made are read, then what each column is.
fn made_explained(makings: &Makings) -> Vec<Item> {
    let columns = makings.legend().into_iter().map(|entry| format!("{}: {}.", entry.word, entry.meaning));
    std::iter::once(makings.statement()).chain(columns).map(Item::Text).collect()
}

/// What a reader must know, an item each: what explains the figures, what is missing, the parameters.
fn notes(section: &Section<'_>, [read, explained]: [String; 2]) -> Vec<Item> {
    let missing = remarks::missing(section);
    let missing = if missing.is_empty() { String::new() } else { format!("Without a rate: {}.", missing.join("; ")) };
    let sentences = [
        verdicts::meaning(section).join(" "),
        read,
        explained,
        remarks::reads_from_memory(section).join(" "),
        direct_io::sentences(section).join(" "),
        remarks::remounted(section).join(" "),
        checks::unchecked(section).join(" "),
        sweep::sentences(section).join(" "),
        remarks::own_share(section).unwrap_or_default(),
        missing,
    ];
    let mut items: Vec<Item> = sentences.into_iter().filter(|text| !text.is_empty()).map(Item::Text).collect();
    items.push(Item::Code(facts::parameters(section).join(" ")));
    items.push(Item::Text(remarks::workload(section)));
    items
}

/// The table model as a grid: a row per phase and target, the phase named on its first row.
fn grid(table: &Table) -> Grid {
    let phases = table.blocks.iter().flat_map(|block| &block.phases);
    let rows = phases.flat_map(|phase| {
        phase.rows.iter().enumerate().map(|(place, row)| {
            let heading = name_cell(&phase.heading, place, phase.rows.len());
            cells(heading, row, &table.columns)
        })
    });
    Grid { heads: heads(&table.columns), rows: rows.collect() }
}

fn heads(columns: &Columns) -> Vec<(String, Side)> {
    let all = [
        Some(("Phase".to_owned(), Side::Left)),
        Some(("Target".to_owned(), Side::Left)),
        Some(("Median".to_owned(), Side::Right)),
        columns.range.as_deref().map(|range| (capitalised(range), Side::Right)),
        columns.acknowledged.then(|| ("Ack.".to_owned(), Side::Right)),
        cpu_head(columns).map(|head| (head.to_owned(), Side::Right)),
        columns.p99.then(|| ("p99".to_owned(), Side::Right)),
        columns.has_longest_only().then(|| ("Max".to_owned(), Side::Right)),
        columns.words.then(|| (columns.words_title().to_owned(), Side::Left)),
    ];
    all.into_iter().flatten().collect()
}

fn cpu_head(columns: &Columns) -> Option<&'static str> {
    match (columns.cpu_own, columns.cpu_system) {
        (true, true) => Some("CPU % own / sys"),
        (true, false) => Some("CPU % own"),
        (false, true) => Some("CPU % sys"),
        (false, false) => None,
    }
}

fn cells(heading: Cell, row: &Row, columns: &Columns) -> Vec<Cell> {
    let cpu = || match (columns.cpu_own, columns.cpu_system) {
        (true, true) => [row.cpu_own.as_str(), row.cpu_system.as_str()].map(or_dash).join(" / "),
        (true, false) => row.cpu_own.clone(),
        (false, _) => row.cpu_system.clone(),
    };
    let has_cpu = !(row.cpu_own.is_empty() && row.cpu_system.is_empty());
    let all = [
        Some(heading),
        Some(Cell::of(row.label.clone())),
        Some(median(row)),
        columns.range.is_some().then(|| Cell::of(range(row))),
        columns.acknowledged.then(|| Cell::of(row.acknowledged.clone())),
        cpu_head(columns).map(|_| Cell::of(if has_cpu { cpu() } else { String::new() })),
        columns.p99.then(|| Cell::of(row.p99.clone())),
        columns.has_longest_only().then(|| Cell::of(row.latency_max.clone())),
        columns.words.then(|| Cell::of(words_and_flags(row))),
    ];
    all.into_iter().flatten().collect()
}

/// The median, strong where it is a figure.
fn median(row: &Row) -> Cell {
    let is_figure = row.rate.median.starts_with(|first: char| first.is_ascii_digit());
    Cell { is_strong: is_figure, ..Cell::of(row.rate.median.clone()) }
}

fn range(row: &Row) -> String {
    if row.rate.low.is_empty() { String::new() } else { format!("{} – {}", row.rate.low, row.rate.high) }
}

/// One of two figures in a cell may be unknown.
fn or_dash(figure: &str) -> &str {
    if figure.is_empty() { NO_FIGURE } else { figure }
}

/// The words of the cache column, then the flags in words: `cached, short`.
fn words_and_flags(row: &Row) -> String {
    let words = row.words.join("/");
    let parts = std::iter::once(words.as_str()).filter(|words| !words.is_empty()).chain(row.flags.iter().map(|flag| flag.word()));
    parts.collect::<Vec<_>>().join(", ")
}
