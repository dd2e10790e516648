//! THE TABLE: the figures of a section as data, without any layout; each text and markup format is a drawing of it.

pub mod ranking;
pub mod targets;

use super::Section;
use super::figures::{NO_FIGURE, RateFigures, acknowledged_figure, cpu_figure, latency_figure, rate_figures};
use crate::model::flag::Flag;
use crate::model::label::{CacheLabel, Durability};
use crate::model::likeness;
use crate::model::phase::{Group, Phase};
use crate::model::record::Status;
use crate::model::summary::{Missing, PhaseSummary};
use crate::stats::{Interval, Spread};

/// The figures of a section.
pub struct Table {
    pub columns: Columns,
    pub blocks: Vec<Block>,
}

/// Which columns have an entry, and the name of the one that depends on the data.
pub struct Columns {
    /// The name of the range: `95 % CI`; `None` where no series has one.
    pub range: Option<String>,
    pub acknowledged: bool,
    pub cpu_own: bool,
    pub cpu_system: bool,
    /// Whether a phase was too short for the machine's CPU to be told.
    pub hides_system: bool,
    pub p50: bool,
    pub p99: bool,
    /// The longest operation.
    pub latency_max: bool,
    pub words: bool,
    /// Whether any of the words is of a cache or of durability.
    pub labels: bool,
}

impl Columns {
    /// Whether the longest operation is all that is known of latencies, so that it takes the place of the percentile.
    pub const fn has_longest_only(&self) -> bool {
        self.latency_max && !self.p99
    }

    /// What heads the words and flags where there is room.
    pub const fn words_title(&self) -> &'static str {
        if self.labels { "Cache, flags" } else { "Flags" }
    }
}

/// Phases that stand together.
pub struct Block {
    pub phases: Vec<PhaseRows>,
}

/// A phase with a row a series.
pub struct PhaseRows {
    pub phase: Phase,
    /// `Block write, MiB/s`.
    pub heading: String,
    pub rows: Vec<Row>,
}

/// A series in a phase. What does not apply is empty.
pub struct Row {
    pub label: String,
    /// The median with its ends, [`NO_FIGURE`] where there is none.
    pub rate: RateFigures,
    pub acknowledged: String,
    pub cpu_own: String,
    pub cpu_system: String,
    pub p50: String,
    pub p99: String,
    pub latency_max: String,
    /// Durability of a phase that writes, cache label of one that reads; or why there is no figure.
    pub words: Vec<String>,
    /// Whether the rate is no figure of a device.
    pub is_from_memory: bool,
    pub flags: Vec<Flag>,
}

/// The table of a section.
pub fn table(section: &Section<'_>) -> Table {
    let mut blocks: Vec<(Group, Block)> = Vec::new();
    for phase in &section.phases {
        let summaries = section.rows(*phase);
        if summaries.is_empty() {
            continue;
        }
        let (_, unit) = phase.row().unit.rate();
        let rows = summaries.iter().filter_map(|(place, summary)| Some(row(&section.series.get(*place)?.name, summary, unit))).collect();
        let phase_rows = PhaseRows { phase: *phase, heading: heading(*phase), rows };
        // In the order in which they were done: a group that comes again, behind another one, is a block of its own.
        match blocks.last_mut().filter(|(group, _)| *group == phase.row().group) {
            Some((_, block)) => block.phases.push(phase_rows),
            None => blocks.push((phase.row().group, Block { phases: vec![phase_rows] })),
        }
    }
    Table { columns: columns(section), blocks: blocks.into_iter().map(|(_, block)| block).collect() }
}

/// `Block write, MiB/s`.
pub fn heading(phase: Phase) -> String {
    format!("{}, {}", phase.row().title, phase.row().unit.rate().0)
}

/// The columns of a section's table, without its rows.
pub fn columns(section: &Section<'_>) -> Columns {
    let measured: Vec<&PhaseSummary> = section.measured().into_iter().map(|(_, summary)| summary).collect();
    let any = |has: fn(&PhaseSummary) -> bool| measured.iter().any(|summary| has(summary));
    Columns {
        range: range_heading(&measured),
        acknowledged: any(|summary| summary.acknowledged.is_some()),
        cpu_own: any(|summary| summary.cpu_own.is_some()),
        cpu_system: any(|summary| summary.cpu_system.is_some()),
        hides_system: any(|summary| summary.cpu_system.is_some() && !has_system_cpu(summary)),
        p50: any(|summary| summary.p50_ns.is_some()),
        p99: any(|summary| summary.p99_ns.is_some()),
        latency_max: any(|summary| summary.latency_max_ns.is_some()),
        labels: any(|summary| !summary.cache.is_empty() || !summary.durable.is_empty()),
        words: measured.is_empty() || any(|summary| !words(summary).is_empty() || !summary.flags.is_empty()),
    }
}

/// The name of the ranges, when they are all of one kind.
fn range_heading(measured: &[&PhaseSummary]) -> Option<String> {
    let rates: Vec<Spread> = measured.iter().filter_map(|summary| summary.rate).filter(|rate| rate.n > 1).collect();
    let first = rates.first()?;
    let is_one_kind = rates.iter().all(|rate| rate.interval == first.interval);
    let is_one_count = rates.iter().all(|rate| rate.n == first.n);
    let heading = match first.interval {
        _ if !is_one_kind => "range".to_owned(),
        Interval::Ci95 => "95 % CI".to_owned(),
        Interval::Range if is_one_count => format!("range of {} runs", first.n),
        Interval::Range => "range".to_owned(),
        Interval::Values => "both of 2 runs".to_owned(),
    };
    Some(heading)
}

/// The row of a summary. `unit` is the number of work units in one of the unit that it is written in.
fn row(label: &str, summary: &PhaseSummary, unit: f64) -> Row {
    let median_of =
        |spread: &Option<Spread>, written: &dyn Fn(f64) -> String| spread.map(|spread| written(spread.median)).unwrap_or_default();
    let no_rate = RateFigures { median: NO_FIGURE.to_owned(), ..RateFigures::default() };
    Row {
        label: label.to_owned(),
        rate: summary.rate.map_or(no_rate, |rate| rate_figures(&rate, unit)),
        acknowledged: acknowledged(summary, unit),
        cpu_own: median_of(&summary.cpu_own, &cpu_figure),
        cpu_system: if has_system_cpu(summary) { median_of(&summary.cpu_system, &cpu_figure) } else { NO_FIGURE.to_owned() },
        p50: median_of(&summary.p50_ns, &latency_figure),
        p99: median_of(&summary.p99_ns, &latency_figure),
        latency_max: median_of(&summary.latency_max_ns, &latency_figure),
        words: words(summary),
        is_from_memory: is_from_memory(summary),
        flags: summary.flags.clone(),
    }
}

fn acknowledged(summary: &PhaseSummary, unit: f64) -> String {
    match (summary.acknowledged, summary.rate) {
        (Some(acknowledged), Some(rate)) => acknowledged_figure(acknowledged.median, &rate, unit),
        _ => String::new(),
    }
}

/// The machine's CPU is counted in ticks of 10 ms: over fewer than ten of them it says nothing.
const LEAST_NANOSECONDS_FOR_TICKS: f64 = 1e8;

/// Whether the machine's CPU can be told.
pub fn has_system_cpu(summary: &PhaseSummary) -> bool {
    summary.elapsed_ns.is_none_or(|elapsed| elapsed.median >= LEAST_NANOSECONDS_FOR_TICKS)
}

/// The word for a phase that was too short in every run, or in some of them, for another program to give a rate.
pub const SHORT: &str = "short";

/// The words of the last column: durability where the phase writes, else the cache labels; how it ended where it has no figure.
pub fn words(summary: &PhaseSummary) -> Vec<String> {
    match (summary.n, summary.failures.is_empty(), summary.skips.is_empty()) {
        (0, false, _) => ends(&summary.failures).iter().map(|status| status.name().to_owned()).collect(),
        (0, true, false) => vec!["skipped".to_owned()],
        (0, true, true) if summary.recorded > 0 && summary.too_short() == summary.recorded => vec![SHORT.to_owned()],
        (0, true, true) => Vec::new(),
        _ if summary.too_short() > 0 => vec![format!("{SHORT} {} of {}", summary.too_short(), summary.recorded)],
        _ if summary.phase.row().writes => summary.durable.iter().map(|label| label.word().to_owned()).collect(),
        _ => cache_words(&summary.cache),
    }
}

/// Whether a rate is no figure of a device, by what it read or by what it wrote to.
pub fn is_from_memory(summary: &PhaseSummary) -> bool {
    likeness::is_from_memory(summary.phase, &summary.cache) || summary.durable.contains(&Durability::Acknowledged)
}

/// How a phase ended in some runs, each way once.
pub fn ends(missing: &[Missing]) -> Vec<Status> {
    let mut ends: Vec<Status> = Vec::new();
    for one in missing {
        if !ends.contains(&one.status) {
            ends.push(one.status);
        }
    }
    ends
}

/// The words of some cache labels; the shares of `mixed` are taken together: `mixed 8–12%`.
pub fn cache_words(labels: &[CacheLabel]) -> Vec<String> {
    let shares: Vec<u8> =
        labels.iter().filter_map(|label| if let CacheLabel::Mixed(share) = label { Some(*share) } else { None }).collect();
    let mixed = match (shares.iter().min(), shares.iter().max()) {
        (Some(least), Some(most)) if least != most => format!("mixed {least}–{most}%"),
        (Some(only), _) => CacheLabel::Mixed(*only).to_string(),
        (None, _) => String::new(),
    };
    let mut words: Vec<String> =
        labels.iter().map(|label| if matches!(label, CacheLabel::Mixed(_)) { mixed.clone() } else { label.to_string() }).collect();
    words.dedup();
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::record::{PhaseRecord, RunRecord};
    use crate::model::sample;
    use crate::report::Report;

    fn table_of(records: &[RunRecord]) -> Table {
        table(&Report::of(records).sections[0])
    }

    #[test]
    fn phases_stand_in_four_blocks_with_a_row_a_series() {
        let table = table_of(&[sample::run("ext4", 1), sample::run("xfs", 1)]);
        let headings: Vec<Vec<&str>> =
            table.blocks.iter().map(|block| block.phases.iter().map(|phase| phase.heading.as_str()).collect()).collect();
        assert_eq!(headings[0], ["Block write, MiB/s", "Rewrite, MiB/s", "Block read, MiB/s"]);
        assert_eq!(headings[1], ["Random seek, seeks/s"]);
        assert_eq!((headings[2].len(), headings[3].len()), (3, 3));
        let row = &table.blocks[0].phases[0].rows[1];
        assert_eq!((row.label.as_str(), row.rate.median.as_str(), row.rate.low.as_str()), ("xfs", "500", ""));
        assert_eq!((row.acknowledged.as_str(), row.cpu_own.as_str(), row.cpu_system.as_str()), ("625", "16", "40"));
        assert_eq!((row.p99.as_str(), row.words.join(" ").as_str()), ("42 µs", "durable"));
        assert_eq!(table.columns.range, None);
    }

    #[test]
    fn the_range_is_named_by_its_kind() {
        let heading = |n: u32| table_of(&(1..=n).map(|round| sample::run("a", round)).collect::<Vec<_>>()).columns.range;
        assert_eq!(heading(2).unwrap(), "both of 2 runs");
        assert_eq!(heading(3).unwrap(), "range of 3 runs");
        assert_eq!(heading(6).unwrap(), "95 % CI");
        let mut records: Vec<RunRecord> = (1..=6).map(|round| sample::run("a", round)).collect();
        records.extend((1..=3).map(|round| sample::run("b", round)));
        assert_eq!(table_of(&records).columns.range.unwrap(), "range");
    }

    #[test]
    fn a_phase_without_a_figure_says_why() {
        let mut records = [sample::run("a", 1), sample::run("b", 1)];
        *sample::phase_mut(&mut records[0], Phase::Rewrite) = PhaseRecord::failed(Phase::Rewrite, "no space");
        records
            .iter_mut()
            .for_each(|run| *sample::phase_mut(run, Phase::RandomSeek) = PhaseRecord::skipped(Phase::RandomSeek, "seeks = 0"));
        let table = table_of(&records);
        let row = &table.blocks[0].phases[1].rows[0];
        assert_eq!((row.rate.median.as_str(), row.words.join(" ").as_str(), row.p99.as_str()), ("–", "failed", ""));
        assert_eq!(table.blocks.len(), 3, "a phase that every target skipped is not in the table");
    }

    #[test]
    fn shares_are_taken_together() {
        let labels = [CacheLabel::Cold, CacheLabel::Mixed(8), CacheLabel::Mixed(12), CacheLabel::Cached];
        assert_eq!(cache_words(&labels), ["cold", "mixed 8–12%", "cached"]);
        assert_eq!(cache_words(&[CacheLabel::Mixed(8)]), ["mixed 8%"]);
    }
}
