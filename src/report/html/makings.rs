//! The filesystems as made: a row a quantity, the median and range of each target.

use super::cells::{Number, Target, Word, slot};
use super::page::{LegendEntry, Summary, SummaryCell, SummaryRow};
use super::summary::form;
use crate::report::figures::{NO_FIGURE, RateFigures};
use crate::report::makings::{Column, HEADING, Makings, makings};
use crate::report::{Section, checks};

/// The table; `None` where no filesystem was made.
pub fn table(section: &Section<'_>, targets: &[Target]) -> Option<Summary> {
    let makings = makings(section)?;
    let kinds = makings.columns.chunk_by(|one, other| one.quantity.kind == other.quantity.kind);
    Some(Summary {
        id: "made",
        heading: HEADING,
        rows: "Quantity",
        note: makings.statement(),
        form: form(targets),
        slot: slot(makings.columns.iter().flat_map(|column| &column.cells).map(|figures| figures.median.as_str())),
        groups: kinds.map(|columns| columns.iter().map(|column| row(section, &makings, column, targets)).collect()).collect(),
    })
}

/// What each row of it is; empty where there is none.
pub fn legend(section: &Section<'_>) -> Vec<LegendEntry> {
    let entries = makings(section).map(|makings| makings.legend()).unwrap_or_default();
    entries.into_iter().map(|entry| LegendEntry { word: Word::plain(entry.word), meaning: entry.meaning }).collect()
}

fn row(section: &Section<'_>, makings: &Makings, column: &Column, targets: &[Target]) -> SummaryRow {
    let unknown = RateFigures { median: NO_FIGURE.to_owned(), ..RateFigures::default() };
    let cell = |(place, target): (usize, &Target)| {
        let figures = makings.places.binary_search(&place).ok().and_then(|made| column.cells.get(made)).unwrap_or(&unknown);
        SummaryCell {
            target: target.clone(),
            is_doubtful: figures.median == NO_FIGURE,
            median: Number::of(&figures.median),
            range: if figures.low.is_empty() { String::new() } else { format!("{} – {}", figures.low, figures.high) },
            chips: chips(section, column, place),
        }
    };
    SummaryRow { title: column.quantity.title, unit: column.unit, cells: targets.iter().enumerate().map(cell).collect() }
}

/// A check that found faults is marked beside its time.
fn chips(section: &Section<'_>, column: &Column, place: usize) -> Vec<Word> {
    let is_faulty = column.quantity.name == "check_s" && section.series.get(place).is_some_and(|series| checks::has_faults(&series.runs));
    is_faulty.then(|| Word::marked("faults found".to_owned())).into_iter().collect()
}
