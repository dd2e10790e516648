//! The chart `cpu`: what did it cost? Own and system CPU of every phase, a panel a target, on equal axes.

use super::axis::Axis;
use super::model::{Chart, Drawing, Group, Key, Mark, Panel, Row, Tone};
use super::{ChartKind, caption, doubt, rates};
use crate::model::flag::Flag;
use crate::model::phase::{Group as PhaseGroup, Phase};
use crate::model::series::Series;
use crate::model::summary::PhaseSummary;
use crate::report::Section;
use crate::report::figures::cpu_figure;
use crate::report::table::{self, columns};
use crate::stats::Spread;

/// The kind.
pub const CPU: ChartKind = ChartKind { name: "cpu", purpose: "what did it cost? own and system CPU", chart };

/// A whole core.
const ONE_CORE: f64 = 100.0;

fn chart(section: &Section<'_>) -> Chart {
    let shown: Vec<Phase> = section.phases.iter().copied().filter(|phase| !section.rows(*phase).is_empty()).collect();
    let drawn = section.summaries.iter().take(rates::MOST_TARGETS);
    let spreads = drawn.flatten().flat_map(|summary| [summary.cpu_own, machine(summary)]).flatten();
    let values: Vec<f64> = spreads.flat_map(|spread| [spread.median, spread.high]).chain([ONE_CORE]).collect();
    let axis = Axis { suffix: " %", reference: Some(ONE_CORE), ..Axis::from_zero(&values) };
    let series = section.series.iter().zip(&section.summaries).enumerate().take(rates::MOST_TARGETS);
    let panel = |(place, (series, summaries)): (usize, (&Series<'_>, &Vec<PhaseSummary>))| Panel {
        heading: series.name.clone(),
        unit: String::new(),
        axis: axis.clone(),
        groups: groups(series, Tone::of(place, section.series.len()), summaries, &shown),
    };
    Chart {
        kind: CPU.name,
        title: if columns(section).cpu_system { "CPU time: own, and the whole machine’s" } else { "CPU time" }.to_owned(),
        reading: reading(section),
        keys: keys(section),
        columns: Vec::new(),
        drawing: Drawing::Beside(if shown.is_empty() { Vec::new() } else { series.map(panel).collect() }),
        footnote: caption::footnote(section),
    }
}

fn groups(series: &Series<'_>, tone: Tone, summaries: &[PhaseSummary], shown: &[Phase]) -> Vec<Group> {
    let mut groups: Vec<(PhaseGroup, Group)> = Vec::new();
    for summary in summaries.iter().filter(|summary| shown.contains(&summary.phase)) {
        let row = row(series, tone, summary);
        let group = summary.phase.row().group;
        match groups.iter_mut().find(|(other, _)| *other == group) {
            Some((_, known)) => known.rows.push(row),
            None => groups.push((group, Group { heading: None, note: String::new(), rows: vec![row] })),
        }
    }
    groups.into_iter().map(|(_, group)| group).collect()
}

fn row(series: &Series<'_>, tone: Tone, summary: &PhaseSummary) -> Row {
    let is_hollow = doubt::fill(summary) != super::model::Fill::Solid;
    // A figure that is known to be too high is said, not drawn.
    let is_overcounted = summary.flags.contains(&Flag::Overcounted);
    let (own, system) = (summary.cpu_own.filter(|own| is_drawable(own) && !is_overcounted), machine(summary).filter(is_drawable));
    let mut marks = Vec::new();
    if let (Some(own), Some(system)) = (own, system) {
        marks.push(Mark::Link { from: own.median, to: system.median });
    }
    let halos = [own, system].into_iter().flatten().filter(|spread| spread.n > 1);
    marks.extend(halos.map(|spread| Mark::Halo { from: spread.low, to: spread.high }));
    marks.extend(own.map(|spread| Mark::Disc { at: spread.median, is_hollow }));
    marks.extend(system.map(|spread| Mark::Diamond { at: spread.median, is_hollow }));
    let overcounted = is_overcounted.then(|| Flag::Overcounted.word().to_owned());
    let words = [doubt::in_sentence(summary)].into_iter().chain(overcounted).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(", ");
    let values = [("own", summary.cpu_own), ("system", machine(summary))];
    let known: Vec<String> = values.into_iter().filter_map(|(name, spread)| Some(format!("{name} {}", in_words(&spread?)))).collect();
    let about = format!("{}, {}", summary.phase.row().title, series.name);
    let value = if known.is_empty() { "CPU not known".to_owned() } else { format!("CPU {}", known.join(", ")) };
    Row {
        label: summary.phase.row().title.to_owned(),
        tone,
        words: if marks.is_empty() { nothing(summary) } else { String::new() },
        marks,
        is_grey: false,
        figures: Vec::new(),
        verdict: None,
        title: if words.is_empty() { format!("{about}: {value}") } else { format!("{about}: {value}; {words}") },
    }
}

/// The machine's CPU, where it was counted for long enough to say something.
fn machine(summary: &PhaseSummary) -> Option<Spread> {
    summary.cpu_system.filter(|_| table::has_system_cpu(summary))
}

fn is_drawable(spread: &Spread) -> bool {
    spread.low >= 0.0
}

/// Why there is no mark.
fn nothing(summary: &PhaseSummary) -> String {
    if summary.flags.contains(&Flag::Overcounted) {
        format!("– {}", Flag::Overcounted.word())
    } else if summary.n > 0 {
        "– not known".to_owned()
    } else {
        format!("– {}", doubt::in_row(summary))
    }
}

/// `16 % (15 – 16)`.
fn in_words(spread: &Spread) -> String {
    let median = cpu_figure(spread.median);
    if spread.n == 1 { format!("{median} %") } else { format!("{median} % ({} – {})", cpu_figure(spread.low), cpu_figure(spread.high)) }
}

fn keys(section: &Section<'_>) -> Vec<Key> {
    let is_reported = section.measured().iter().any(|(_, summary)| summary.reported);
    let own = if is_reported { "own: the program that measured" } else { "own: barrow itself" };
    let range = columns(section).range.map(|range| format!("shading: {range}; ")).unwrap_or_default();
    let system = Key { mark: Some(Mark::Diamond { at: 0.0, is_hollow: false }), text: "system: the whole machine".to_owned() };
    let keys = [
        Some(Key { mark: Some(Mark::Disc { at: 0.0, is_hollow: false }), text: own.to_owned() }),
        columns(section).cpu_system.then_some(system),
        Some(Key { mark: None, text: format!("{range}{ONE_CORE} % is one core") }),
    ];
    keys.into_iter().flatten().collect()
}

fn reading(section: &Section<'_>) -> String {
    let over = if caption::has_range(section) { ", median over the runs" } else { "" };
    let mut sentences = vec![format!("Per cent of one core{over}.")];
    if columns(section).cpu_system {
        sentences.push("The gap between the two is work the kernel did for the filesystem, or other processes.".to_owned());
    }
    if section.measured().iter().any(|(_, summary)| doubt::fill(summary) != super::model::Fill::Solid) {
        sentences.push("Hollow: no figure of the device, or under 1 s.".to_owned());
    }
    caption::reading(section, sentences)
}
