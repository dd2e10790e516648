//! The panels that bars and runs share: one per unit and kind, with median, range, words and a sentence in each row.

use super::axis::Axis;
use super::doubt;
use super::model::{Column, Figure, Group, Holds, Mark, Panel, Row, Tone, Weight};
use crate::model::phase::{Group as PhaseGroup, Phase};
use crate::model::series::Series;
use crate::model::summary::PhaseSummary;
use crate::report::Section;
use crate::report::figures::{NO_FIGURE, RateFigures, rate_figure, rate_figures};
use crate::report::table;
use crate::stats::{Interval, Spread};
use crate::units::rounded_size;

/// More targets than these are not drawn: nobody could tell them apart, and the tables have them.
pub const MOST_TARGETS: usize = 100;

/// What a chart draws of a phase of a series.
pub struct Drawn {
    /// In the unit of the heading.
    pub marks: Vec<Mark>,
    /// The values of single runs, for the sentence; empty where they are not drawn.
    pub runs: String,
}

/// Which of some phases share a panel, in order: block, seek, create and delete, stat.
pub fn kinds(all: &[Phase]) -> Vec<(String, Vec<Phase>)> {
    let mut kinds: Vec<(String, Vec<Phase>)> = Vec::new();
    for phase in all {
        let kind = kind_of(*phase);
        match kinds.iter_mut().find(|(name, _)| *name == kind) {
            Some((_, phases)) => phases.push(*phase),
            None => kinds.push((kind, vec![*phase])),
        }
    }
    for (_, phases) in &mut kinds {
        let is_of_sets = |phase: &Phase| matches!(phase.row().group, PhaseGroup::Sequential | PhaseGroup::Random);
        if phases.iter().all(is_of_sets) {
            let verbs: Vec<&str> = phases.iter().map(|phase| verb(*phase)).collect();
            phases.sort_by_key(|phase| verbs.iter().position(|other| *other == verb(*phase)));
        }
    }
    kinds
}

fn kind_of(phase: Phase) -> String {
    let name = match (phase.row().group, phase.row().writes) {
        (PhaseGroup::Transfer, _) => return transfers_of(phase),
        (PhaseGroup::Small, _) => "Small files",
        (PhaseGroup::Sync, _) => "Flushed writes",
        (PhaseGroup::Server, _) => "File server",
        (PhaseGroup::Tree, _) => "Tree",
        (PhaseGroup::Large, _) => "Large files",
        (PhaseGroup::Device, _) => "Device",
        (PhaseGroup::Command, _) => "Programs",
        (PhaseGroup::Block, _) => "Block phases",
        (PhaseGroup::Seek, _) => "Random seek",
        (PhaseGroup::Character, _) => "Character phases",
        (PhaseGroup::Sequential | PhaseGroup::Random, true) => "Create and delete",
        (PhaseGroup::Sequential | PhaseGroup::Random, false) => "Stat",
    };
    name.to_owned()
}

/// Small and large transfers would hide each other in one panel.
fn transfers_of(phase: Phase) -> String {
    match phase {
        Phase::Transfer(transfer) => format!("Transfers of {}", rounded_size(u64::from(transfer.bytes))),
        other => other.row().title.to_owned(),
    }
}

/// The last word of the title, so that the two orders of a file set stand side by side.
fn verb(phase: Phase) -> &'static str {
    phase.row().title.rsplit(' ').next().unwrap_or_default()
}

/// The figures beside the panels: the median and, where any row has one, its range.
pub fn columns(section: &Section<'_>) -> Vec<Column> {
    let range = table::columns(section).range;
    let figure = if range.is_some() { "median" } else { "1 run" };
    let median = Column { heading: figure.to_owned(), holds: Holds::Numbers, is_in_narrow: true };
    let range = range.map(|heading| Column { heading, holds: Holds::Ranges, is_in_narrow: false });
    std::iter::once(median).chain(range).collect()
}

/// The panels of a section. `axis` gets the values that are drawn in a panel, in the unit of its heading; `drawn` gets that axis.
pub fn panels(
    section: &Section<'_>,
    values: impl Fn(&Series<'_>, &PhaseSummary) -> Vec<f64>,
    axis: impl Fn(&[f64]) -> Axis,
    drawn: impl Fn(&Series<'_>, &PhaseSummary, &Axis) -> Drawn,
) -> Vec<Panel> {
    let mut panels = Vec::new();
    for (kind, phases) in kinds(&section.phases) {
        let shown: Vec<(Phase, Vec<(usize, &PhaseSummary)>)> = phases.iter().map(|phase| (*phase, rows(section, *phase))).collect();
        let shown: Vec<_> = shown.into_iter().filter(|(_, rows)| !rows.is_empty()).collect();
        let Some((first, _)) = shown.first() else { continue };
        let (unit, size) = first.row().unit.rate();
        let places = shown.iter().flat_map(|(_, rows)| rows.iter().copied());
        let all: Vec<f64> = places
            .filter_map(|(place, summary)| Some(values(section.series.get(place)?, summary)))
            .flatten()
            .map(|value| value / size)
            .collect();
        let axis = axis(&all);
        let row = |(place, summary): &(usize, &PhaseSummary)| {
            let series = section.series.get(*place)?;
            Some(row(series, Tone::of(*place, section.series.len()), summary, &axis, &drawn(series, summary, &axis)))
        };
        let is_alone = shown.len() == 1;
        let heading = if is_alone { first.row().title.to_owned() } else { kind };
        let groups = shown.iter().map(|(phase, rows)| Group {
            heading: (!is_alone).then(|| phase.row().title.to_owned()),
            note: String::new(),
            rows: rows.iter().filter_map(row).collect(),
        });
        let groups = groups.collect();
        let unit = format!("{unit}{}", axis.remark());
        panels.push(Panel { heading, unit, groups, axis });
    }
    panels
}

/// The rows of a phase, of the first [`MOST_TARGETS`] series.
pub fn rows<'s>(section: &'s Section<'_>, phase: Phase) -> Vec<(usize, &'s PhaseSummary)> {
    section.rows(phase).into_iter().filter(|(place, _)| *place < MOST_TARGETS).collect()
}

fn row(series: &Series<'_>, tone: Tone, summary: &PhaseSummary, axis: &Axis, drawn: &Drawn) -> Row {
    let (unit, size) = summary.phase.row().unit.rate();
    let none = RateFigures { median: NO_FIGURE.to_owned(), ..RateFigures::default() };
    let figures = summary.rate.map_or(none, |rate| rate_figures(&rate, size));
    let mut words = vec![doubt::in_row(summary), lost_marks(series, summary, size, axis)];
    words.retain(|part| !part.is_empty());
    Row {
        label: series.name.clone(),
        tone,
        marks: drawn.marks.clone(),
        is_grey: false,
        verdict: None,
        words: words.join(", "),
        title: sentence(series, summary, unit, &figures, &drawn.runs),
        figures: vec![
            Figure::Number { value: figures.median, unit: String::new(), weight: Weight::Strong },
            Figure::Range { low: figures.low, high: figures.high },
        ],
    }
}

/// What the axis cannot hold, in words: `0 is not on the scale`.
fn lost_marks(series: &Series<'_>, summary: &PhaseSummary, size: f64, axis: &Axis) -> String {
    let Some(rate) = summary.rate else { return String::new() };
    let mut lost: Vec<f64> = [rate.low, rate.median, rate.high].into_iter().filter(|rate| !axis.holds(rate / size)).collect();
    lost.extend(rates(series, summary.phase).into_iter().filter(|rate| !axis.holds(rate / size)));
    lost.sort_by(f64::total_cmp);
    lost.dedup();
    match lost.as_slice() {
        [] => String::new(),
        [one] => format!("{} not drawn", rate_figure(*one, size)),
        [first, .., last] => format!("{} to {} not drawn", rate_figure(*first, size), rate_figure(*last, size)),
    }
}

/// The finite rates of a phase, in the order of the runs.
fn rates(series: &Series<'_>, phase: Phase) -> Vec<f64> {
    series.runs.iter().filter_map(|run| run.phase(phase)?.rate()).filter(|rate| rate.is_finite()).collect()
}

/// `Block write, ext4: median 499.4 MiB/s, 95 % CI 490.8 – 508.6, 6 runs; durable`.
fn sentence(series: &Series<'_>, summary: &PhaseSummary, unit: &str, figures: &RateFigures, runs: &str) -> String {
    let about = format!("{}, {}", summary.phase.row().title, series.name);
    let words = doubt::in_sentence(summary);
    let value = match summary.rate {
        None => format!("{about}: no figure"),
        Some(Spread { n: 1, .. }) => format!("{about}: {} {unit}, 1 run", figures.median),
        Some(rate) => {
            let range = range_name(rate.interval);
            format!("{about}: median {} {unit}, {range} {} – {}, {} runs", figures.median, figures.low, figures.high, rate.n)
        }
    };
    let runs = if runs.is_empty() { String::new() } else { format!(": {runs}") };
    let words = if words.is_empty() { words } else { format!("; {words}") };
    format!("{value}{runs}{words}")
}

/// The name of a range in the sentence of a row.
pub fn range_name(interval: Interval) -> &'static str {
    match interval {
        Interval::Values => "values",
        Interval::Range => "range",
        Interval::Ci95 => "95 % CI",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_two_orders_stand_side_by_side() {
        let all = kinds(Phase::BONNIE);
        let names: Vec<(&str, Vec<&str>)> =
            all.iter().map(|(kind, phases)| (kind.as_str(), phases.iter().map(|phase| phase.name()).collect())).collect();
        assert_eq!(names[0], ("Block phases", vec!["block_write", "rewrite", "block_read"]));
        assert_eq!(names[2], ("Create and delete", vec!["seq_create", "random_create", "seq_delete", "random_delete"]));
        assert_eq!(names[3], ("Stat", vec!["seq_stat", "random_stat"]));
        assert_eq!(names.iter().map(|(_, phases)| phases.len()).sum::<usize>(), Phase::BONNIE.len());
    }
}
