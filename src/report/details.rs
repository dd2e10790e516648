//! THE DETAILS: tables of what is told beside the rates, as data without any layout: a block a phase or kind of operation, a row a series;
//! of one series a single block, a row a phase or kind.

mod operations;
mod phases;

use super::figures::{
    NO_FIGURE, RateFigures, byte_unit, count_figures, duration_figures, latency_figure, narrow_rate_figures, rate_figures,
};
use super::legend::Entry;
use super::lines::join_and;
use super::{Section, ends};
use crate::model::detail::DetailKind;
use crate::model::phase::Unit;
use crate::stats::Spread;

/// One of these tables.
pub struct Details {
    /// Its id in a page.
    pub id: &'static str,
    /// Its name in a list of links.
    pub link: &'static str,
    pub heading: &'static str,
    /// What its blocks are, or of one series its rows: `Phase`.
    pub subject: &'static str,
    /// Whether a row stands for a block, because there is one series.
    pub is_compact: bool,
    pub columns: Vec<Column>,
    pub blocks: Vec<Block>,
    spreads: Vec<Spread>,
}

/// A column.
pub struct Column {
    /// `Time`.
    pub title: &'static str,
    /// `s`; empty where it has none, or the cells say it.
    pub unit: &'static str,
    pub meaning: &'static str,
    /// Whether its cells are words.
    pub is_words: bool,
    /// Whether its cells are medians alone, each with its own unit.
    pub is_alone: bool,
}

/// Rows that stand together.
pub struct Block {
    /// Empty where there is one series.
    pub heading: String,
    pub rows: Vec<Row>,
}

/// A series, or of one series a phase or kind.
pub struct Row {
    /// The place of the series in the section.
    pub place: usize,
    pub label: String,
    /// A cell a column.
    pub cells: Vec<Cell>,
}

/// A figure.
#[derive(Clone, Default)]
pub struct Cell {
    /// All empty where it does not apply, [`NO_FIGURE`] where it is missing.
    pub figures: RateFigures,
    /// The number that it is sorted by.
    pub key: Option<f64>,
}

/// What a table is made of: a column with how it is written, and the values of each block.
struct Draft {
    id: &'static str,
    link: &'static str,
    heading: &'static str,
    subject: &'static str,
    columns: Vec<Written>,
    blocks: Vec<DraftBlock>,
}

/// A phase or kind with a row a series: its place, and a value a column.
struct DraftBlock {
    heading: String,
    rows: Vec<(usize, Vec<Value>)>,
}

/// A column and how its values are written.
struct Written {
    title: &'static str,
    meaning: &'static str,
    form: Form,
}

/// How values are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// A number of a kind.
    Number(DetailKind),
    /// Milliseconds of one operation, with their range: of the kinds of operations they are the headline.
    Milliseconds,
    /// As they are.
    Words,
}

/// A value of a series.
enum Value {
    Unknown,
    Spread(Spread),
    Words(String),
}

/// The tables that a section has; none where all that is told of it stands in the table of rates.
pub fn details(section: &Section<'_>) -> Vec<Details> {
    [phases::draft(section), operations::draft(section)].into_iter().flatten().filter_map(|draft| Details::of(section, draft)).collect()
}

impl Details {
    /// A table of a draft: columns without any value are left out. `None` where there are no others.
    fn of(section: &Section<'_>, draft: Draft) -> Option<Self> {
        let rows = || draft.blocks.iter().flat_map(|block| &block.rows);
        let is_known = |place: usize| rows().any(|(_, values)| values.get(place).is_some_and(Value::is_known));
        let known: Vec<(usize, &Written)> = draft.columns.iter().enumerate().filter(|(place, _)| is_known(*place)).collect();
        let highest = |place: usize| rows().filter_map(|(_, values)| values.get(place)?.high()).fold(0.0, f64::max);
        let scales: Vec<Scale> = known.iter().map(|(place, column)| Scale::of(column.form, highest(*place))).collect();
        let is_compact = section.series.len() == 1;
        let row = |block: &DraftBlock, place: usize, values: &[Value]| {
            let applies = |column: usize| block.rows.iter().any(|(_, values)| values.get(column).is_some_and(Value::is_known));
            let cell = |((column, written), scale): (&(usize, &Written), &Scale)| match values.get(*column) {
                Some(value) if value.is_known() || applies(*column) => scale.cell(written.form, value),
                Some(_) | None => Cell::default(),
            };
            let name = section.series.get(place).map(|series| series.name.clone()).unwrap_or_default();
            let label = if is_compact { block.heading.clone() } else { name };
            Row { place, label, cells: known.iter().zip(&scales).map(cell).collect() }
        };
        let block = |block: &DraftBlock| Block {
            heading: if is_compact { String::new() } else { block.heading.clone() },
            rows: block.rows.iter().map(|(place, values)| row(block, *place, values)).collect(),
        };
        let blocks: Vec<Block> = draft.blocks.iter().map(block).collect();
        let blocks = if is_compact { joined(blocks) } else { blocks };
        let ranged = known.iter().filter(|(_, column)| !column.form.is_alone());
        let spreads = ranged.flat_map(|(column, _)| rows().filter_map(|(_, values)| values.get(*column)?.spread())).collect();
        let columns = known.iter().zip(&scales).map(|((_, column), scale)| Column {
            title: column.title,
            unit: scale.unit,
            meaning: column.meaning,
            is_words: column.form == Form::Words,
            is_alone: column.form.is_alone(),
        });
        (!known.is_empty()).then(|| Self {
            id: draft.id,
            link: draft.link,
            heading: draft.heading,
            subject: draft.subject,
            is_compact,
            columns: columns.collect(),
            blocks,
            spreads,
        })
    }

    /// How a cell is read: `Each cell: median; range of 3 runs. p50 and p99 are medians alone.`
    pub fn statement(&self) -> String {
        let range = ends::range(self.spreads.iter());
        let statement = ends::statement(range.as_deref());
        let alone: Vec<String> = self.columns.iter().filter(|column| column.is_alone).map(|column| column.title.to_owned()).collect();
        match (range, alone.as_slice()) {
            (None, _) | (_, []) => statement,
            (Some(_), [only]) => format!("{statement} {only} is the median alone."),
            (Some(_), several) => format!("{statement} {} are medians alone.", join_and(several)),
        }
    }

    /// What each column is.
    pub fn legend(&self) -> Vec<Entry> {
        self.columns.iter().map(|column| Entry { word: column.title.to_owned(), meaning: column.meaning.to_owned() }).collect()
    }
}

/// The rows of all blocks in one.
fn joined(blocks: Vec<Block>) -> Vec<Block> {
    let rows: Vec<Row> = blocks.into_iter().flat_map(|block| block.rows).collect();
    if rows.is_empty() { Vec::new() } else { vec![Block { heading: String::new(), rows }] }
}

impl Column {
    /// What heads it: `Time, s`.
    pub fn heading(&self) -> String {
        if self.unit.is_empty() { self.title.to_owned() } else { format!("{}, {}", self.title, self.unit) }
    }
}

impl Form {
    /// Whether its cells are medians alone: of latencies the charts have the ranges.
    const fn is_alone(self) -> bool {
        matches!(self, Self::Number(DetailKind::Latency))
    }
}

impl Value {
    fn of(spread: Option<Spread>) -> Self {
        spread.map_or(Self::Unknown, Self::Spread)
    }

    const fn is_known(&self) -> bool {
        !matches!(self, Self::Unknown)
    }

    const fn spread(&self) -> Option<Spread> {
        match self {
            Self::Spread(spread) => Some(*spread),
            Self::Unknown | Self::Words(_) => None,
        }
    }

    fn high(&self) -> Option<f64> {
        self.spread().map(|spread| spread.high)
    }
}

/// The unit of a column, and how many of its values' own units are in one.
struct Scale {
    unit: &'static str,
    size: f64,
}

impl Scale {
    /// By the highest value of a column.
    fn of(form: Form, highest: f64) -> Self {
        let (unit, size) = match form {
            Form::Number(DetailKind::Time) => ("s", 1.0),
            Form::Number(DetailKind::ByteRate) => Unit::Bytes.rate(),
            Form::Number(DetailKind::Free) => byte_unit(highest),
            Form::Milliseconds => ("ms", 1e6),
            Form::Number(DetailKind::OperationRate | DetailKind::Latency | DetailKind::Extents | DetailKind::Count) | Form::Words => {
                ("", 1.0)
            }
        };
        Self { unit, size }
    }

    fn cell(&self, form: Form, value: &Value) -> Cell {
        let alone = |median: String| RateFigures { median, ..RateFigures::default() };
        match value {
            Value::Unknown => Cell { figures: alone(NO_FIGURE.to_owned()), key: None },
            Value::Words(words) => Cell { figures: alone(words.clone()), key: None },
            Value::Spread(spread) => {
                let figures = match form {
                    Form::Number(DetailKind::Latency) => alone(latency_figure(spread.median)),
                    Form::Number(DetailKind::Count) => count_figures(spread),
                    Form::Number(DetailKind::ByteRate | DetailKind::OperationRate) => rate_figures(spread, self.size),
                    Form::Number(DetailKind::Time | DetailKind::Extents | DetailKind::Free) | Form::Words => {
                        narrow_rate_figures(spread, self.size)
                    }
                    Form::Milliseconds => duration_figures(spread, self.size),
                };
                Cell { figures, key: Some(spread.median) }
            }
        }
    }
}

#[cfg(test)]
mod tests;
