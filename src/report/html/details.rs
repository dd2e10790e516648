//! The details in the page: a row a target under its phase or kind, a column a number, its range beside it.

use super::cells::{Number, Target, Word};
use super::page::{FigureCell, FigureHead, FigurePhase, FigureRow, Figures, LegendEntry};
use crate::report::Section;
use crate::report::details::{Block, Cell, Column, Details, Row, details};
use crate::report::figures::NO_FIGURE;
use crate::report::legend::Entry;

/// Whether a section has any.
pub fn has_tables(section: &Section<'_>) -> bool {
    !details(section).is_empty()
}

/// The tables.
pub fn tables(section: &Section<'_>, targets: &[Target]) -> Vec<Figures> {
    details(section).iter().map(|details| table(details, targets)).collect()
}

fn table(details: &Details, targets: &[Target]) -> Figures {
    let name = FigureHead { class: "tg", kind: "text", name: if details.is_compact { details.subject } else { "Target" }.to_owned() };
    let columns = details.columns.iter().map(|column| FigureHead {
        class: "dt",
        kind: if column.is_words { "text" } else { "number" },
        name: column.heading(),
    });
    Figures {
        id: details.id,
        link: details.link,
        heading: details.heading.to_owned(),
        note: details.statement(),
        slot: "",
        heads: std::iter::once(name).chain(columns).collect(),
        has_words: false,
        phases: details.blocks.iter().map(|block| phase(details, block, targets)).collect(),
    }
}

fn phase(details: &Details, block: &Block, targets: &[Target]) -> FigurePhase {
    let rows = block.rows.iter().filter_map(|row| {
        let target = targets.get(row.place)?;
        // Of one target the phases are told apart, and it has no switch.
        let target = if details.is_compact {
            Target { name: row.label.as_str().into(), has_colour: false, ..target.clone() }
        } else {
            target.clone()
        };
        Some(FigureRow { target, cells: cells(details, row), words: Vec::new() })
    });
    // Sorting needs a line above the rows.
    let title =
        if details.is_compact { targets.first().map(|target| target.name.to_string()).unwrap_or_default() } else { block.heading.clone() };
    FigurePhase { title: title.into(), unit: "", rows: rows.collect() }
}

fn cells(details: &Details, row: &Row) -> Vec<FigureCell> {
    let cell = |(column, cell): (&Column, &Cell)| FigureCell {
        class: "dt",
        key: cell.key.filter(|key| key.is_finite()),
        label: column.title.into(),
        figure: Number::whole(&cell.figures.median),
        unit: if cell.key.is_some() { column.unit.to_owned() } else { String::new() },
        range: if cell.figures.low.is_empty() { String::new() } else { format!("{} – {}", cell.figures.low, cell.figures.high) },
        is_strong: cell.figures.median != NO_FIGURE,
    };
    details.columns.iter().zip(&row.cells).map(cell).collect()
}

/// The name of each table, and what its columns are.
pub fn legend(section: &Section<'_>) -> Vec<(&'static str, Vec<LegendEntry>)> {
    let entry = |entry: Entry| LegendEntry { word: Word::plain(entry.word), meaning: entry.meaning };
    details(section).iter().map(|details| (details.link, details.legend().into_iter().map(entry).collect())).collect()
}
