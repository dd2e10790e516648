//! How the figures of each layout but the first are read, in sentences made from what occurs.

use super::legend::{Cases, cases, cpu_remarks, reported};
use super::lines::{capitalised, join_and};
use super::places::taken_together;
use super::table::Columns;
use super::table::ranking::{Rank, RankedPhase, Ranking};
use super::{Section, facts};
use crate::model::label::{CacheLabel, Durability};
use crate::model::phase::Phase;
use crate::model::summary::PhaseSummary;
use crate::stats::Interval;

/// Of the layout `targets`; `columns` tells which CPU is shown. Empty when nothing was measured.
pub fn targets(section: &Section<'_>, columns: &Columns) -> String {
    let Some(cases) = cases(section) else { return String::new() };
    let cell = match (cases.n, cases.interval) {
        (1, _) => "the rate of 1 run".to_owned(),
        (_, Interval::Ci95) => format!("median; its {}", cases.range),
        (_, Interval::Range | Interval::Values) => format!("median; {}", cases.range),
    };
    let cpu = match (columns.cpu_own, columns.cpu_system) {
        (true, true) => "; CPU own/sys (barrow, the whole machine), where 100 % is one core",
        (true, false) => "; CPU of the program that measured, where 100 % is one core",
        (false, true) => "; CPU of the whole machine, where 100 % is one core",
        (false, false) => "",
    };
    let mut sentences = vec![format!("Each cell: {cell}{cpu}.")];
    sentences.extend(cases.elsewhere);
    if !cpu.is_empty() {
        sentences.extend(cpu_remarks(section, columns));
    }
    sentences.extend([flushed(section), cold(section), reported(section)].into_iter().flatten());
    sentences.join(" ")
}

/// Of the layout `ranking`. Empty when nothing was measured.
pub fn ranking(section: &Section<'_>, ranking: &Ranking) -> String {
    let Some(cases) = cases(section) else { return String::new() };
    let rows = || ranking.phases.iter().flat_map(|phase| &phase.rows);
    let is_pooled = section.series.iter().any(|series| series.batches > 1);
    let ratio = if is_pooled {
        "; × = ratio of the median to the best's, since batches were pooled"
    } else if rows().any(|row| row.ratio.ends_with('×')) {
        "; × = ratio to the best (Hodges-Lehmann: the middle of the ratios of every pair of runs, not the quotient of the medians)"
    } else {
        ""
    };
    let mut sentences = vec![format!("Best first. {}{ratio}.", median_and_range(&cases))];
    sentences.extend(cases.elsewhere);
    if let Some(shared) = rows().map(|row| row.rank).find(|rank| matches!(rank, Rank::Shared(_))) {
        sentences.push(format!("{} is not resolved from the first of that rank.", shared.text()));
    }
    if ranking.phases.iter().any(|phase| phase.has_too_few) {
        sentences.push("With fewer than 5 runs a target nothing is resolved: the order is that of the medians.".to_owned());
    }
    if rows().any(|row| row.rank == Rank::Unlike) {
        sentences.push("– is not ranked: its cache or durability label is not that of the best.".to_owned());
    }
    if ranking.phases.iter().any(is_device_before_memory) {
        sentences.push("The best is the fastest figure of a device, where there is one.".to_owned());
    }
    sentences.extend([flushed(section), cold(section), reported(section)].into_iter().flatten());
    sentences.join(" ")
}

fn is_device_before_memory(phase: &RankedPhase) -> bool {
    let is_from_memory = |is_meant: fn(Rank) -> bool| phase.rows.iter().any(|row| is_meant(row.rank) && row.row.is_from_memory);
    is_from_memory(|rank| rank == Rank::Unlike) && !is_from_memory(|rank| rank == Rank::First(1))
}

/// Of the bars of a ranking.
pub fn bar(section: &Section<'_>) -> String {
    let what = match cases(section).map(|cases| (cases.n, cases.interval)) {
        None => return String::new(),
        Some((1, _)) => return "Bar from zero.".to_owned(),
        Some((_, Interval::Ci95)) => "interval",
        Some((_, Interval::Range | Interval::Values)) => "range",
    };
    format!("Bar from zero: # up to the low end of the {what}, = the {what}.")
}

/// Of the layout `bonnie`: what its columns are, and what differs from the program that they are of. Empty when nothing was measured.
pub fn bonnie(section: &Section<'_>, columns: &Columns) -> String {
    let Some(cases) = cases(section) else { return String::new() };
    let below = match cases.n {
        1 => String::new(),
        2 => "; below them both runs, in per cent from the median".to_owned(),
        _ => format!("; below them the {}, in per cent from the median", cases.range),
    };
    let rates = if cases.n == 1 { "the rates of 1 run".to_owned() } else { format!("medians of {} runs", cases.n) };
    let form = if facts::is_reported(section) { "The form of Bonnie++" } else { "The form of Bonnie++ with the numbers of barrow" };
    let mut sentences = vec![format!("{form}: {rates}{below}.")];
    sentences.extend(cases.elsewhere);
    sentences.push("K is KiB; files are counted in units of 1024.".to_owned());
    if columns.cpu_own {
        sentences.push("%CP is the CPU of the program that measured, where 100 % is one core.".to_owned());
    }
    sentences.extend([flushed(section), cold(section), reported(section)].into_iter().flatten());
    if columns.latency_max {
        sentences.push("Latency is that of the longest operation.".to_owned());
    }
    let difference = if facts::is_reported(section) {
        "What Bonnie++ marks with +++++ is short."
    } else {
        "Unlike in Bonnie++, a short phase keeps its number, and nothing is measured by single characters."
    };
    sentences.push(difference.to_owned());
    sentences.join(" ")
}

fn median_and_range(cases: &Cases) -> String {
    match (cases.n, cases.interval) {
        (1, _) => "The rate of 1 run".to_owned(),
        (_, Interval::Ci95) => format!("Median and its {}", cases.range),
        (_, Interval::Range) => format!("Median and {}", cases.range),
        (n, Interval::Values) => format!("Median and both values of {n} runs"),
    }
}

/// `Block write, rewrite, create and delete include the flush.`
fn flushed(section: &Section<'_>) -> Option<String> {
    let is_flushed = |summary: &PhaseSummary| summary.durable.iter().any(|label| *label != Durability::Acknowledged);
    let names = names_of(section, is_flushed);
    let include = if names.len() == 1 { "includes" } else { "include" };
    (!names.is_empty()).then(|| format!("{} {include} the flush.", capitalised(&join_and(&names))))
}

/// What reads are without a mark.
fn cold(section: &Section<'_>) -> Option<String> {
    let is_cold = |summary: &PhaseSummary| !summary.phase.row().writes && summary.cache.contains(&CacheLabel::Cold);
    let names = names_of(section, is_cold);
    let are = if names.len() == 1 { "is" } else { "are" };
    (!names.is_empty()).then(|| format!("{} {are} cold unless noted: {}.", capitalised(&join_and(&names)), CacheLabel::Cold.legend()))
}

fn names_of(section: &Section<'_>, is_meant: impl Fn(&PhaseSummary) -> bool) -> Vec<String> {
    let mut phases: Vec<Phase> = section
        .measured()
        .into_iter()
        .map(|(_, summary)| summary)
        .filter(|summary| is_meant(summary))
        .map(|summary| summary.phase)
        .collect();
    phases.dedup();
    taken_together(&phases)
}
