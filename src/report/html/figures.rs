//! The table of every figure: a row a phase and target, with the columns that have an entry.

use super::cells::{Number, Target, Word, slot};
use super::page::{FigureCell, FigureHead, FigurePhase, FigureRow, Figures};
use super::summary::range;
use crate::model::summary::PhaseSummary;
use crate::report::figures::NO_FIGURE;
use crate::report::lines::capitalised;
use crate::report::table::{Columns, PhaseRows, Row, Table};
use crate::report::{Section, legend};
use crate::stats::Spread;

/// A column: its class, what it is called, and what of a row stands in it.
struct Column {
    class: &'static str,
    name: String,
    /// What stands before the figure where the heads are not shown.
    label: &'static str,
    figure: fn(&Row) -> String,
    key: fn(&PhaseSummary) -> Option<f64>,
}

/// The columns whose figures have a unit in the cell.
const HAVE_UNITS: [&str; 5] = ["co", "cs", "l1", "l2", "l3"];

/// The table; `None` where no phase was done.
pub fn figures(section: &Section<'_>, table: &Table, targets: &[Target]) -> Option<Figures> {
    let rows = || table.blocks.iter().flat_map(|block| &block.phases).flat_map(|phase| &phase.rows);
    rows().next()?;
    let columns = columns(table);
    Some(Figures {
        id: "figures",
        link: "Figures",
        heading: "All figures".to_owned(),
        note: legend::statement(section, &table.columns),
        slot: slot(rows().map(|row| row.rate.median.as_str())),
        heads: heads(&columns, &table.columns),
        has_words: table.columns.words,
        phases: table.blocks.iter().flat_map(|block| &block.phases).map(|phase| figure_phase(section, phase, targets, &columns)).collect(),
    })
}

fn columns(table: &Table) -> Vec<Column> {
    fn median(spread: Option<Spread>) -> Option<f64> {
        spread.map(|spread| spread.median)
    }
    let column = |class, name: &str, label, figure, key| Column { class, name: name.to_owned(), label, figure, key };
    let has = &table.columns;
    let all = [
        Some(column("md", "Median", "", |row| row.rate.median.clone(), |summary| median(summary.rate))),
        has.range
            .as_deref()
            .map(|name| column("ci", &capitalised(name), "", range, |summary| summary.rate.map(|rate| rate.high - rate.low))),
        has.acknowledged
            .then(|| column("ak", "Acknowledged", "acknowledged", |row| row.acknowledged.clone(), |summary| median(summary.acknowledged))),
        has.cpu_own.then(|| column("co", "CPU own", "CPU own", |row| per_cent(&row.cpu_own), |summary| median(summary.cpu_own))),
        has.cpu_system.then(|| column("cs", "CPU system", "system", |row| per_cent(&row.cpu_system), |summary| median(summary.cpu_system))),
        has.p50.then(|| column("l1", "p50", "p50", |row| row.p50.clone(), |summary| median(summary.p50_ns))),
        has.p99.then(|| column("l2", "p99", "p99", |row| row.p99.clone(), |summary| median(summary.p99_ns))),
        has.latency_max.then(|| column("l3", "Max", "max", |row| row.latency_max.clone(), |summary| median(summary.latency_max_ns))),
    ];
    all.into_iter().flatten().collect()
}

/// `16 %`; what is no number stays as it is.
fn per_cent(figure: &str) -> String {
    if figure.ends_with(|last: char| last.is_ascii_digit()) { format!("{figure} %") } else { figure.to_owned() }
}

fn heads(columns: &[Column], has: &Columns) -> Vec<FigureHead> {
    let target = FigureHead { class: "tg", kind: "text", name: "Target".to_owned() };
    let words = has.words.then(|| FigureHead { class: "fl", kind: "text", name: has.words_title().to_owned() });
    let figures = columns.iter().map(|column| FigureHead { class: column.class, kind: "number", name: column.name.clone() });
    std::iter::once(target).chain(figures).chain(words).collect()
}

fn figure_phase(section: &Section<'_>, phase: &PhaseRows, targets: &[Target], columns: &[Column]) -> FigurePhase {
    let (unit, _) = phase.phase.row().unit.rate();
    let summaries = section.rows(phase.phase).into_iter().map(|(_, summary)| summary);
    let rows = phase.rows.iter().zip(summaries).zip(targets).map(|((row, summary), target)| FigureRow {
        target: target.clone(),
        cells: columns.iter().map(|column| cell(column, row, summary)).collect(),
        words: words(row),
    });
    FigurePhase { title: phase.phase.row().title.into(), unit, rows: rows.collect() }
}

fn cell(column: &Column, row: &Row, summary: &PhaseSummary) -> FigureCell {
    let text = (column.figure)(row);
    // A latency and a share have their unit in the cell, quieter than the number; a range has blanks of its own.
    let (figure, unit) = match text.split_once(' ') {
        Some((figure, unit)) if column.class != "ci" => (figure, unit),
        // A dash keeps the room of the unit, or it would stand beside the numbers above.
        _ if text == NO_FIGURE && HAVE_UNITS.contains(&column.class) => (text.as_str(), "\u{a0}"),
        _ => (text.as_str(), ""),
    };
    let figure = if column.class == "md" { Number::of(figure) } else { Number::whole(figure) };
    let key = (column.key)(summary).filter(|key| key.is_finite());
    FigureCell {
        class: column.class,
        key,
        label: column.label.into(),
        figure,
        unit: unit.to_owned(),
        range: String::new(),
        is_strong: false,
    }
}

fn words(row: &Row) -> Vec<Word> {
    let words = row.words.iter().cloned().map(Word::of_cache);
    words.chain(row.flags.iter().map(|flag| Word::marked(flag.word().to_owned()))).collect()
}
