//! The chart `latency`: what does one operation feel? The median, the 99th percentile and the longest operation of every phase.

use super::axis::Axis;
use super::model::{Chart, Column, Drawing, Figure, Fill, Group, Holds, Key, Mark, Panel, Row, Tone, Weight};
use super::{ChartKind, caption, doubt, rates};
use crate::model::flag::Flag;
use crate::model::phase::Phase;
use crate::model::series::Series;
use crate::model::summary::PhaseSummary;
use crate::report::Section;
use crate::report::figures::{NO_FIGURE, latency_figure};
use crate::report::lines::join_and;
use crate::report::places;
use crate::report::table;
use crate::stats::Spread;

/// The kind.
pub const LATENCY: ChartKind = ChartKind { name: "latency", purpose: "what does one operation feel? p50, p99 and the longest", chart };

fn chart(section: &Section<'_>) -> Chart {
    let (known, unknown): (Vec<Phase>, Vec<Phase>) =
        section.phases.iter().copied().filter(|phase| !section.rows(*phase).is_empty()).partition(|phase| is_known(section, *phase));
    let spreads = known.iter().flat_map(|phase| rates::rows(section, *phase)).flat_map(|(_, summary)| spreads(summary)).flatten();
    let values: Vec<f64> = spreads.flat_map(|spread| [spread.low, spread.median, spread.high]).collect();
    let axis = Axis::of_durations(&values);
    let groups: Vec<Group> = known.iter().map(|phase| group(section, *phase, &axis)).collect();
    let panel = Panel { heading: "One operation".to_owned(), unit: "log scale".to_owned(), axis, groups };
    Chart {
        kind: LATENCY.name,
        title: "Latency of one operation".to_owned(),
        reading: reading(section, &unknown),
        keys: if known.is_empty() { Vec::new() } else { keys(section) },
        columns: columns(section),
        drawing: Drawing::Stacked(if known.is_empty() { Vec::new() } else { vec![panel] }),
        footnote: caption::footnote(section),
    }
}

/// Whether any target has a latency of a phase.
fn is_known(section: &Section<'_>, phase: Phase) -> bool {
    rates::rows(section, phase).iter().any(|(_, summary)| spreads(summary).iter().any(Option::is_some))
}

/// Median, 99th percentile and longest, each over the runs.
fn spreads(summary: &PhaseSummary) -> [Option<Spread>; 3] {
    [summary.p50_ns, summary.p99_ns, summary.latency_max_ns]
}

fn columns(section: &Section<'_>) -> Vec<Column> {
    let column = |heading: &str, is_in_narrow| Column { heading: heading.to_owned(), holds: Holds::Numbers, is_in_narrow };
    match has_longest_only(section) {
        true => vec![column("max", true)],
        false => vec![column("p50", false), column("p99", true), column("max", false)],
    }
}

/// Whether another program measured, and said of latencies the longest one only.
fn has_longest_only(section: &Section<'_>) -> bool {
    table::columns(section).has_longest_only()
}

fn group(section: &Section<'_>, phase: Phase, axis: &Axis) -> Group {
    let has_longest_only = has_longest_only(section);
    let row = |(place, summary): &(usize, &PhaseSummary)| {
        Some(row(section.series.get(*place)?, Tone::of(*place, section.series.len()), summary, axis, has_longest_only))
    };
    let rows = rates::rows(section, phase).iter().filter_map(row).collect();
    Group { heading: Some(phase.row().title.to_owned()), note: String::new(), rows }
}

fn row(series: &Series<'_>, tone: Tone, summary: &PhaseSummary, axis: &Axis, has_longest_only: bool) -> Row {
    let [p50, p99, max] = spreads(summary);
    let figures = [(p50, Weight::Quiet), (p99, Weight::Strong), (max, Weight::Quiet)];
    // The columns are the last ones of these.
    let hidden = if has_longest_only { 2 } else { 0 };
    Row {
        label: series.name.clone(),
        tone,
        marks: marks(spreads(summary), doubt::fill(summary) != Fill::Solid, axis),
        is_grey: false,
        figures: figures.into_iter().skip(hidden).map(|(spread, weight)| figure(spread, weight)).collect(),
        verdict: None,
        words: words(summary, axis),
        title: sentence(series, summary),
    }
}

/// The marks of three spreads, of which the last is the longest operation: joined, each with its range, from the first to the last.
pub fn marks(spreads: [Option<Spread>; 3], is_hollow: bool, axis: &Axis) -> Vec<Mark> {
    let [p50, p99, max] = spreads.map(|spread| spread.filter(|spread| axis.holds(spread.median)));
    let all = || [p50, p99, max].into_iter().flatten();
    let mut marks = Vec::new();
    if let (Some(first), Some(last)) = (all().next(), all().next_back()) {
        marks.push(Mark::Link { from: first.median, to: last.median });
    }
    let low = |spread: &Spread| if axis.holds(spread.low) { spread.low } else { spread.median };
    marks.extend(all().filter(|spread| spread.n > 1).map(|spread| Mark::Halo { from: low(&spread), to: spread.high }));
    marks.extend(p50.map(|spread| Mark::Disc { at: spread.median, is_hollow }));
    marks.extend(p99.map(|spread| Mark::Diamond { at: spread.median, is_hollow }));
    marks.extend(max.map(|spread| Mark::Post { at: spread.median }));
    marks
}

/// `9.8` and `ms`.
pub fn figure(spread: Option<Spread>, weight: Weight) -> Figure {
    let Some(spread) = spread else { return Figure::Number { value: NO_FIGURE.to_owned(), unit: String::new(), weight } };
    let text = latency_figure(spread.median);
    let (value, unit) = text.rsplit_once(' ').unwrap_or((&text, ""));
    Figure::Number { value: value.to_owned(), unit: unit.to_owned(), weight }
}

/// Why there is nothing, or what must be known of the values.
fn words(summary: &PhaseSummary, axis: &Axis) -> String {
    let values: Vec<Spread> = spreads(summary).into_iter().flatten().collect();
    if values.is_empty() {
        return if summary.n > 0 { "not known".to_owned() } else { doubt::in_row(summary) };
    }
    let lost = values.iter().find(|spread| !axis.holds(spread.median));
    let lost = lost.map(|spread| format!("{} not drawn", latency_figure(spread.median)));
    let about_latency = [Flag::Batched, Flag::CoarseClock];
    let flags = summary.flags.iter().filter(|flag| about_latency.contains(flag)).map(|flag| flag.word().to_owned());
    flags.chain(lost).collect::<Vec<_>>().join(", ")
}

/// `Block write, ext4: p50 310 µs, p99 9.8 ms (8.9 ms – 11 ms), max 230 ms (180 ms – 320 ms); durable`.
fn sentence(series: &Series<'_>, summary: &PhaseSummary) -> String {
    let about = format!("{}, {}", summary.phase.row().title, series.name);
    let known: Vec<String> = ["p50", "p99", "max"]
        .into_iter()
        .zip(spreads(summary))
        .filter_map(|(name, spread)| Some(format!("{name} {}", in_words(&spread?))))
        .collect();
    let value = if known.is_empty() { "latency not known".to_owned() } else { known.join(", ") };
    let doubts = doubt::in_sentence(summary);
    let batched = summary.flags.contains(&Flag::Batched).then(|| Flag::Batched.word().to_owned());
    let words: Vec<String> = std::iter::once(doubts).chain(batched).filter(|word| !word.is_empty()).collect();
    if words.is_empty() { format!("{about}: {value}") } else { format!("{about}: {value}; {}", words.join(", ")) }
}

/// `9.8 ms (8.9 ms – 11 ms)`.
pub fn in_words(spread: &Spread) -> String {
    let median = latency_figure(spread.median);
    if spread.n == 1 { median } else { format!("{median} ({} – {})", latency_figure(spread.low), latency_figure(spread.high)) }
}

fn keys(section: &Section<'_>) -> Vec<Key> {
    let mark = |mark: Mark, text: &str| Key { mark: Some(mark), text: text.to_owned() };
    let range = table::columns(section).range.map(|range| Key { mark: None, text: format!("shading: {range}") });
    let marks = [
        mark(Mark::Disc { at: 0.0, is_hollow: false }, "p50"),
        mark(Mark::Diamond { at: 0.0, is_hollow: false }, "p99"),
        mark(Mark::Post { at: 0.0 }, "max"),
    ];
    let hidden = if has_longest_only(section) { 2 } else { 0 };
    marks.into_iter().skip(hidden).chain(range).collect()
}

fn reading(section: &Section<'_>, unknown: &[Phase]) -> String {
    let over = if caption::has_range(section) { ", each the median over the runs" } else { "" };
    let mut sentences = vec![match has_longest_only(section) {
        true => format!("The longest operation of a phase{}.", over.replace("each ", "")),
        false => format!("Median, 99th percentile and longest operation of a phase{over}."),
    }];
    let measured = section.measured();
    let drawn = || measured.iter().filter(|(_, summary)| !unknown.contains(&summary.phase));
    if drawn().any(|(_, summary)| doubt::fill(summary) != Fill::Solid) {
        sentences.push("Hollow: no figure of the device, or under 1 s.".to_owned());
    }
    if drawn().any(|(_, summary)| summary.flags.contains(&Flag::Batched)) {
        sentences.push("Batched: the clock was read once for each 16 operations, so these are of means.".to_owned());
    }
    if !unknown.is_empty() {
        let phases: Vec<String> = unknown.iter().map(|phase| places::in_sentence(*phase)).collect();
        sentences.push(format!("Not known of {}.", join_and(&phases)));
    }
    caption::reading(section, sentences)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::histogram::Histogram;
    use crate::model::record::{PhaseRecord, PhaseResult, Reported, RunRecord};
    use crate::model::sample;
    use crate::report::Report;

    fn chart_of(records: &[RunRecord]) -> Chart {
        chart(&Report::of(records).sections[0])
    }

    fn row_of(chart: &Chart, title: &str) -> Row {
        let rows = chart.drawing.panels().iter().flat_map(|panel| &panel.groups).flat_map(|group| &group.rows);
        rows.clone().find(|row| row.title.starts_with(title)).unwrap_or_else(|| panic!("no {title}")).clone()
    }

    fn with_latency(round: u32, longest: u64) -> RunRecord {
        let mut run = sample::run("ext4", round);
        let counted = sample::counted_mut(&mut run, Phase::BlockWrite);
        counted.latency = Histogram::default();
        counted.latency.record(310_000, 95);
        counted.latency.record(9_800_000, 5);
        counted.latency_max_ns = longest;
        run
    }

    #[test]
    fn a_row_has_three_marks_and_three_figures() {
        let chart = chart_of(&[with_latency(1, 230_000_000), with_latency(2, 180_000_000), with_latency(3, 320_000_000)]);
        let row = row_of(&chart, "Block write");
        assert!(row.title.ends_with(", max 230 ms (180 ms – 320 ms); durable"), "{}", row.title);
        let at = |mark: &Mark| match mark {
            Mark::Disc { at, .. } | Mark::Diamond { at, .. } | Mark::Post { at } => Some(*at),
            _ => None,
        };
        let places: Vec<f64> = row.marks.iter().filter_map(at).collect();
        let [p50, p99, max] = places[..] else { panic!("{:?}", row.marks) };
        assert!((p50 / 310e3 - 1.0).abs() < 0.04 && (p99 / 9.8e6 - 1.0).abs() < 0.04 && max == 230e6, "{places:?}");
        let Figure::Number { value, unit, weight } = &row.figures[2] else { panic!("{:?}", row.figures) };
        assert_eq!((value.as_str(), unit.as_str(), *weight), ("230", "ms", Weight::Quiet));
        assert!(matches!(row.figures[1], Figure::Number { weight: Weight::Strong, .. }));
        assert_eq!(chart.columns.iter().filter(|column| column.is_in_narrow).count(), 1);
    }

    #[test]
    fn the_panel_holds_every_value() {
        let chart = chart_of(&[with_latency(1, 230_000_000), with_latency(2, 1)]);
        let axis = &chart.drawing.panels()[0].axis;
        let ticks = axis.ticks(4);
        for mark in row_of(&chart, "Block write").marks {
            let ends = match mark {
                Mark::Link { from, to } | Mark::Halo { from, to } => [from, to],
                Mark::Disc { at, .. } | Mark::Diamond { at, .. } | Mark::Post { at } => [at, at],
                other => panic!("{other:?}"),
            };
            assert!(ends.iter().all(|end| (ticks.low..=ticks.high).contains(end)), "{mark:?} {ticks:?}");
        }
    }

    #[test]
    fn phases_without_latency_are_left_out_with_words() {
        let mut records = [sample::run("a", 1), sample::run("b", 1)];
        for run in &mut records {
            sample::counted_mut(run, Phase::RandomSeek).latency = Histogram::default();
        }
        sample::counted_mut(&mut records[1], Phase::SeqStat).latency = Histogram::default();
        *sample::phase_mut(&mut records[0], Phase::Rewrite) = PhaseRecord::failed(Phase::Rewrite, "io");
        sample::phase_mut(&mut records[0], Phase::SeqStat).flags = vec![Flag::Batched];
        let chart = chart_of(&records);
        assert!(chart.reading.contains("Not known of random seek."), "{}", chart.reading);
        assert!(chart.reading.contains("Batched: the clock"), "{}", chart.reading);
        assert_eq!(chart.drawing.panels()[0].groups.len(), 9);
        assert_eq!(row_of(&chart, "Seq. stat, b").words, "not known");
        assert_eq!(row_of(&chart, "Seq. stat, b").title, "Seq. stat, b: latency not known; cached");
        assert_eq!(row_of(&chart, "Seq. stat, a").words, "batched");
        assert_eq!(row_of(&chart, "Rewrite, a").words, "failed");
    }

    #[test]
    fn what_another_program_reported_has_its_longest_alone() {
        let mut run = sample::run("old", 1);
        for phase in Phase::STANDARD {
            let reported =
                Reported { rate: Some(1e6), cpu_percent: None, latency_max_ns: (*phase == Phase::BlockRead).then_some(5_000_000) };
            sample::phase_mut(&mut run, *phase).result = Some(PhaseResult::Reported(reported));
        }
        let chart = chart_of(std::slice::from_ref(&run));
        let row = row_of(&chart, "Block read");
        assert_eq!(row.title, "Block read, old: max 5.0 ms; cold");
        assert_eq!(chart.drawing.panels()[0].groups.len(), 1);
        for phase in Phase::STANDARD {
            sample::phase_mut(&mut run, *phase).result = Some(PhaseResult::Reported(Reported { rate: Some(1e6), ..Reported::default() }));
        }
        let chart = chart_of(&[run]);
        assert!(chart.drawing.panels().is_empty() && chart.keys.is_empty() && chart.reading.contains("Not known of block write, "));
    }
}
