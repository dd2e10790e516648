//! The summary: the median and range of each target in each phase, and what is doubtful about it.

use super::cells::{Number, Target, Word, slot};
use super::page::{Summary, SummaryCell, SummaryRow};
use crate::report::Section;
use crate::report::chart::doubt;
use crate::report::chart::model::Fill;
use crate::report::legend;
use crate::report::table::{PhaseRows, Row, Table};

/// More targets than these do not fit beside each other, nor do longer names.
const MOST_COLUMNS: usize = 4;
const LONGEST_NAME: usize = 22;

/// More targets than these nobody compares at a glance; the table of all figures has them.
const MOST_TARGETS: usize = 100;

/// The summary; `None` where nothing was measured or there are too many targets.
pub fn summary(section: &Section<'_>, table: &Table, targets: &[Target]) -> Option<Summary> {
    if section.measured().is_empty() || targets.len() > MOST_TARGETS {
        return None;
    }
    let rows = table.blocks.iter().flat_map(|block| &block.phases).flat_map(|phase| &phase.rows);
    Some(Summary {
        id: "summary",
        heading: "Summary",
        rows: "Phase",
        note: note(section),
        form: form(targets),
        slot: slot(rows.map(|row| row.rate.median.as_str())),
        groups: table.blocks.iter().map(|block| block.phases.iter().map(|phase| row(section, phase, targets)).collect()).collect(),
    })
}

/// The classes of a table with a column for each of some targets.
pub fn form(targets: &[Target]) -> &'static str {
    let is_long = targets.iter().any(|target| target.name.chars().count() > LONGEST_NAME);
    match targets.len() {
        _ if is_long => "list",
        MOST_COLUMNS => "grid four",
        count if count > MOST_COLUMNS => "list",
        _ => "grid",
    }
}

fn note(section: &Section<'_>) -> String {
    let mut sentences = legend::ranges(section);
    let measured = section.measured();
    let is_doubtful = measured.iter().any(|(_, summary)| doubt::fill(summary) != Fill::Solid);
    sentences.extend(
        is_doubtful.then(|| "Grey figures are no figures of the device: from memory (dashed mark) or from a phase under 1 s.".to_owned()),
    );
    sentences.join(" ")
}

fn row(section: &Section<'_>, phase: &PhaseRows, targets: &[Target]) -> SummaryRow {
    let (unit, _) = phase.phase.row().unit.rate();
    let summaries = section.rows(phase.phase).into_iter().map(|(_, summary)| summary);
    let cells = phase.rows.iter().zip(summaries).zip(targets).map(|((row, summary), target)| SummaryCell {
        target: target.clone(),
        is_doubtful: doubt::fill(summary) != Fill::Solid,
        median: Number::of(&row.rate.median),
        range: range(row),
        chips: doubt::doubts(summary).into_iter().map(Word::marked).collect(),
    });
    SummaryRow { title: phase.phase.row().title, unit, cells: cells.collect() }
}

/// `490.8 – 508.6`; empty where there is none.
pub fn range(row: &Row) -> String {
    if row.rate.low.is_empty() { String::new() } else { format!("{} – {}", row.rate.low, row.rate.high) }
}
