//! One sentence before a chart: what it shows, by fixed rules.

use super::Section;
use super::evidence::Quarters;
use super::figures::{cpu_figure, latency_figure, rate_figures};
use super::places::{in_sentence, in_words};
use super::table::has_system_cpu;
use crate::model::flag::Flag;
use crate::model::kind_detail::{KIND_DETAILS, kinds_of};
use crate::model::label::{CacheLabel, Durability};
use crate::model::phase::Phase;
use crate::model::printable::printable_label;
use crate::model::record::PhaseRecord;
use crate::model::summary::PhaseSummary;
use crate::stats::Spread;

/// Two targets in a phase, and how many times the slower one the faster is.
struct Gap<'s> {
    phase: Phase,
    faster: (usize, &'s Spread),
    slower: (usize, &'s Spread),
    ratio: f64,
}

/// The widest gap between two targets that may be compared: of equal labels, and with ranges that do not overlap. `None` where no
/// two targets may be compared.
pub fn widest_gap(section: &Section<'_>) -> Option<String> {
    let gaps: Vec<Gap<'_>> = section.phases.iter().flat_map(|phase| gaps(section, *phase)).collect();
    if gaps.is_empty() {
        return None;
    }
    let apart = gaps.iter().filter(|gap| gap.faster.1.low > gap.slower.1.high);
    let Some(widest) = apart.reduce(|one, other| if other.ratio > one.ratio { other } else { one }) else {
        return Some("No gap between two targets is wider than the ranges of their runs.".to_owned());
    };
    let (unit, size) = widest.phase.row().unit.rate();
    let name = |place: usize| section.series.get(place).map_or("", |series| series.name.as_str());
    let ((faster, fast), (slower, slow)) = (widest.faster, widest.slower);
    let (fast, slow) = (rate_figures(fast, size).median, rate_figures(slow, size).median);
    Some(format!("Widest gap: {}, {} {fast} against {} {slow} {unit}.", in_sentence(widest.phase), name(faster), name(slower)))
}

/// The gap within each set of targets with equal labels in a phase.
fn gaps<'s>(section: &'s Section<'_>, phase: Phase) -> Vec<Gap<'s>> {
    type Labels<'s> = (&'s [CacheLabel], &'s [Durability]);
    let mut alike: Vec<(Labels<'s>, Vec<(usize, &'s Spread)>)> = Vec::new();
    for (place, summary) in section.rows(phase) {
        let Some(rate) = summary.rate.as_ref() else { continue };
        let labels = (summary.cache.as_slice(), summary.durable.as_slice());
        match alike.iter_mut().find(|(other, _)| *other == labels) {
            Some((_, rates)) => rates.push((place, rate)),
            None => alike.push((labels, vec![(place, rate)])),
        }
    }
    let gap = |rates: &Vec<(usize, &'s Spread)>| {
        let by_median = |one: &&(usize, &Spread), other: &&(usize, &Spread)| one.1.median.total_cmp(&other.1.median);
        let (faster, slower) = (*rates.iter().max_by(by_median)?, *rates.iter().min_by(by_median)?);
        let is_ratio = rates.len() > 1 && slower.1.median > 0.0;
        is_ratio.then(|| Gap { phase, faster, slower, ratio: faster.1.median / slower.1.median })
    };
    alike.iter().filter_map(|(_, rates)| gap(rates)).collect()
}

/// The widest range as a share of its median.
pub fn widest_range(section: &Section<'_>) -> Option<String> {
    let width = |rate: &Spread| (rate.high - rate.low) / rate.median;
    let (place, summary, rate) = greatest(section, |summary| summary.rate.filter(|rate| rate.n > 2 && rate.median > 0.0), width)?;
    let (unit, size) = summary.phase.row().unit.rate();
    let figures = rate_figures(&rate, size);
    let place = in_words(section, &[(place, summary.phase)]);
    Some(format!("Widest range: {place}, {} – {} {unit}.", figures.low, figures.high))
}

/// The highest load of the machine, and what barrow itself had of it.
pub fn highest_cpu(section: &Section<'_>) -> Option<String> {
    let system = |summary: &PhaseSummary| summary.cpu_system.filter(|_| has_system_cpu(summary));
    let median = |spread: &Spread| spread.median;
    let (place, summary, system) = greatest(section, system, median)?;
    let own = summary.cpu_own.map(|own| format!(", own {} %", cpu_figure(own.median))).unwrap_or_default();
    let place = in_words(section, &[(place, summary.phase)]);
    Some(format!("Highest: {place}, system {} % of a core{own}.", cpu_figure(system.median)))
}

/// The summary whose spread has the greatest of something; the first of equals.
fn greatest<'s>(
    section: &'s Section<'_>,
    spread: impl Fn(&PhaseSummary) -> Option<Spread>,
    of: impl Fn(&Spread) -> f64,
) -> Option<(usize, &'s PhaseSummary, Spread)> {
    let all = section.measured().into_iter().filter_map(|(place, summary)| Some((place, summary, spread(summary)?)));
    let numbers = all.filter(|(_, _, spread)| of(spread).is_finite());
    numbers.reduce(|one, other| if of(&other.2) > of(&one.2) { other } else { one })
}

/// The slowest single operation of all runs.
pub fn slowest_operation(section: &Section<'_>) -> Option<String> {
    let (place, summary, slowest) = greatest(section, |summary| summary.latency_max_ns, |longest| longest.max)?;
    let place = in_words(section, &[(place, summary.phase)]);
    Some(format!("Slowest single operation: {}, {place}.", latency_figure(slowest.max)))
}

/// The kind of operation that takes longest on average, of all targets.
pub fn slowest_kind(section: &Section<'_>) -> Option<String> {
    let average = KIND_DETAILS.iter().find(|detail| detail.name == "average_ns")?;
    let mut slowest: Option<(f64, &str, usize)> = None;
    for (place, summary) in section.measured() {
        let Some(series) = section.series.get(place) else { continue };
        for kind in kinds_of(&section.series, summary.phase) {
            let Some(spread) = average.over(series, summary.phase, kind, summary.rate) else { continue };
            if slowest.is_none_or(|(longest, _, _)| spread.median > longest) {
                slowest = Some((spread.median, kind, place));
            }
        }
    }
    let (longest, kind, place) = slowest?;
    let series = section.series.get(place)?;
    Some(format!("Slowest kind on average: {} on {}, {}.", printable_label(kind), series.name, latency_figure(longest)))
}

/// More phases than these are counted, not named.
const MOST_UNSTEADY: usize = 3;

/// The phases that were not steady, those that changed most first, with their first and last quarter; or that all were.
pub fn steadiness(section: &Section<'_>) -> Option<String> {
    let moved = section.measured().into_iter().filter(|(_, summary)| summary.flags.contains(&Flag::NotSteady));
    let moved = moved.filter_map(|(place, summary)| Some((place, summary.phase, Quarters::of(section.series.get(place)?, summary.phase)?)));
    let mut moved: Vec<(usize, Phase, Quarters)> = moved.collect();
    moved.sort_by(|one, other| other.2.change().total_cmp(&one.2.change()));
    if !moved.is_empty() {
        let named = moved.iter().take(MOST_UNSTEADY).map(|(place, phase, quarters)| {
            let ([first, last], unit) = (quarters.figures(), quarters.unit);
            format!("{}, {first} {unit} in the first quarter, {last} in the last", in_words(section, &[(*place, *phase)]))
        });
        let named = named.collect::<Vec<_>>().join("; ");
        let more = moved.len().saturating_sub(MOST_UNSTEADY);
        let more = if more > 0 { format!("; and {more} more") } else { String::new() };
        return Some(format!("Not steady: {named}{more}."));
    }
    let mut counted = section.series.iter().flat_map(|series| &series.runs).flat_map(|run| &run.phases).filter_map(PhaseRecord::counted);
    counted.any(|counted| counted.steadiness().is_some()).then(|| "Steady: every phase kept its rate.".to_owned())
}
