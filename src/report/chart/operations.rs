//! The chart `operations`: what does each kind of operation take? The average, the 99th percentile and the longest of every kind.

use super::axis::Axis;
use super::model::{Chart, Column, Drawing, Fill, Group, Holds, Key, Mark, Panel, Row, Tone, Weight};
use super::{ChartKind, caption, doubt, latency, rates};
use crate::model::kind_detail::{KIND_DETAILS, kinds_of};
use crate::model::phase::Phase;
use crate::model::printable::printable_label;
use crate::model::series::Series;
use crate::model::summary::PhaseSummary;
use crate::report::figures::latency_figure;
use crate::report::{Section, table};
use crate::stats::Spread;

/// The kind.
pub const OPERATIONS: ChartKind =
    ChartKind { name: "operations", purpose: "what does each kind of operation take? average, p99 and the longest", chart };

/// What is drawn of a kind, by its names in the catalogue of kinds and in the chart.
const DRAWN: [(&str, &str); 3] = [("average_ns", "average"), ("p99_ns", "p99"), ("max_ns", "max")];

/// Whether a section has anything to draw.
pub fn is_known(section: &Section<'_>) -> bool {
    section.phases.iter().any(|phase| !kinds_of(&section.series, *phase).is_empty())
}

fn chart(section: &Section<'_>) -> Chart {
    let panels: Vec<Panel> = section.phases.iter().filter_map(|phase| panel(section, *phase)).collect();
    let is_drawn = !panels.is_empty();
    Chart {
        kind: OPERATIONS.name,
        title: "Kinds of operations".to_owned(),
        reading: reading(section, is_drawn),
        keys: if is_drawn { keys(section) } else { Vec::new() },
        columns: columns(),
        drawing: Drawing::Stacked(panels),
        footnote: caption::footnote(section),
    }
}

/// A phase with a group a kind; `None` where it has no kinds.
fn panel(section: &Section<'_>, phase: Phase) -> Option<Panel> {
    let kinds = kinds_of(&section.series, phase);
    let rows = rates::rows(section, phase);
    let spreads_of = |place: usize, summary: &PhaseSummary, kind: &str| Some(spreads(section.series.get(place)?, summary, kind));
    let all = kinds.iter().flat_map(|kind| rows.iter().filter_map(|(place, summary)| spreads_of(*place, summary, kind)));
    let values: Vec<f64> = all.flatten().flatten().flat_map(|spread| [spread.low, spread.median, spread.high]).collect();
    let axis = Axis::of_durations(&values);
    let group = |kind: &&str| {
        let row = |(place, summary): &(usize, &PhaseSummary)| {
            let series = section.series.get(*place)?;
            Some(row(series, Tone::of(*place, section.series.len()), summary, kind, &axis))
        };
        Group { heading: Some(printable_label(kind)), note: String::new(), rows: rows.iter().filter_map(row).collect() }
    };
    let groups: Vec<Group> = kinds.iter().map(group).collect();
    (!values.is_empty()).then(|| Panel { heading: phase.row().title.to_owned(), unit: "one operation, log scale".to_owned(), axis, groups })
}

/// The average, the 99th percentile and the longest of a kind, each over the runs.
fn spreads(series: &Series<'_>, summary: &PhaseSummary, kind: &str) -> [Option<Spread>; 3] {
    DRAWN.map(|(name, _)| KIND_DETAILS.iter().find(|detail| detail.name == name)?.over(series, summary.phase, kind, summary.rate))
}

fn row(series: &Series<'_>, tone: Tone, summary: &PhaseSummary, kind: &str, axis: &Axis) -> Row {
    let spreads = spreads(series, summary, kind);
    let weights = [Weight::Quiet, Weight::Strong, Weight::Quiet];
    let is_hollow = doubt::fill(summary) != Fill::Solid;
    Row {
        label: series.name.clone(),
        tone,
        marks: latency::marks(spreads, is_hollow, axis),
        is_grey: false,
        figures: spreads.into_iter().zip(weights).map(|(spread, weight)| latency::figure(spread, weight)).collect(),
        verdict: None,
        words: words(summary, &spreads, axis),
        title: sentence(series, summary, kind, &spreads),
    }
}

/// Why there is nothing, or what has no place on the axis.
fn words(summary: &PhaseSummary, spreads: &[Option<Spread>; 3], axis: &Axis) -> String {
    let known: Vec<&Spread> = spreads.iter().flatten().collect();
    match known.iter().find(|spread| !axis.holds(spread.median)) {
        _ if known.is_empty() && summary.n == 0 => doubt::in_row(summary),
        _ if known.is_empty() => "none".to_owned(),
        Some(lost) => format!("{} not drawn", latency_figure(lost.median)),
        None => String::new(),
    }
}

/// `close, ext4: average 2.4 µs, p99 20 µs (19 µs – 21 µs), max 230 µs; durable`.
fn sentence(series: &Series<'_>, summary: &PhaseSummary, kind: &str, spreads: &[Option<Spread>; 3]) -> String {
    let about = format!("{}, {}", printable_label(kind), series.name);
    let known: Vec<String> = DRAWN
        .iter()
        .zip(spreads)
        .filter_map(|((_, name), spread)| Some(format!("{name} {}", latency::in_words(spread.as_ref()?))))
        .collect();
    let value = if known.is_empty() { "none in any run".to_owned() } else { known.join(", ") };
    let doubts = doubt::in_sentence(summary);
    if doubts.is_empty() { format!("{about}: {value}") } else { format!("{about}: {value}; {doubts}") }
}

fn columns() -> Vec<Column> {
    let column = |(_, heading): (&str, &str)| Column { heading: heading.to_owned(), holds: Holds::Numbers, is_in_narrow: heading == "p99" };
    DRAWN.map(column).to_vec()
}

fn keys(section: &Section<'_>) -> Vec<Key> {
    let marks = [Mark::Disc { at: 0.0, is_hollow: false }, Mark::Diamond { at: 0.0, is_hollow: false }, Mark::Post { at: 0.0 }];
    let marks = marks.into_iter().zip(DRAWN).map(|(mark, (_, name))| Key { mark: Some(mark), text: name.to_owned() });
    let range = table::columns(section).range.map(|range| Key { mark: None, text: format!("shading: {range}") });
    marks.chain(range).collect()
}

fn reading(section: &Section<'_>, is_drawn: bool) -> String {
    let over = if caption::has_range(section) { ", each the median over the runs" } else { "" };
    let mut sentences = match is_drawn {
        true => vec![format!("Average, 99th percentile and longest operation of a kind{over}.")],
        false => vec!["No phase has several kinds of operations.".to_owned()],
    };
    if is_drawn && section.measured().iter().any(|(_, summary)| doubt::fill(summary) != Fill::Solid) {
        sentences.push("Hollow: no figure of the device, or under 1 s.".to_owned());
    }
    caption::reading(section, sentences)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::record::RunRecord;
    use crate::model::sample;
    use crate::report::Report;
    use crate::report::chart::kind_for;

    fn records(runs: u32) -> Vec<RunRecord> {
        (1..=runs).map(|round| sample::of_phases("ext4", round, &[Phase::FileServer])).collect()
    }

    #[test]
    fn a_kind_has_a_group_with_three_marks_and_three_figures() {
        let records = records(3);
        let report = Report::of(&records);
        assert_eq!(kind_for(&report.sections[0]).name, "operations");
        let chart = chart(&report.sections[0]);
        let panel = &chart.drawing.panels()[0];
        let names: Vec<&str> = panel.groups.iter().filter_map(|group| group.heading.as_deref()).collect();
        assert_eq!(names, ["close", "read", "write", "flush"]);
        let row = &panel.groups[0].rows[0];
        assert!(row.title.starts_with("close, ext4: average 2.5 µs (2.5 µs – 2.5 µs), p99 "), "{}", row.title);
        let places = row.marks.iter().filter(|mark| matches!(mark, Mark::Disc { .. } | Mark::Diamond { .. } | Mark::Post { .. })).count();
        assert_eq!((places, row.figures.len()), (3, 3));
        assert!(
            chart.reading.starts_with("Average, 99th percentile and longest operation of a kind, each the median"),
            "{}",
            chart.reading
        );
    }

    #[test]
    fn a_kind_that_a_series_has_none_of_says_so() {
        let mut records = [sample::of_phases("ext4", 1, &[Phase::FileServer]), sample::of_phases("xfs", 1, &[Phase::FileServer])];
        sample::counted_mut(&mut records[1], Phase::FileServer).kinds.pop();
        let chart = chart(&Report::of(&records).sections[0]);
        let row = &chart.drawing.panels()[0].groups[3].rows[1];
        assert_eq!((row.title.as_str(), row.words.as_str()), ("flush, xfs: none in any run; durable", "none"));
        assert!(row.marks.is_empty());
    }

    #[test]
    fn a_section_without_kinds_has_an_empty_chart() {
        let records = [sample::run("ext4", 1)];
        let report = Report::of(&records);
        assert!(!is_known(&report.sections[0]));
        let chart = chart(&report.sections[0]);
        assert!(chart.drawing.is_empty() && chart.reading.starts_with("No phase has several kinds of operations."), "{}", chart.reading);
    }
}
