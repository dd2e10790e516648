//! What the runs of a series say together about one phase.

use super::flag::Flag;
use super::imported::TOO_SHORT;
use super::label::{CacheLabel, Durability};
use super::machine::ObtainedIo;
use super::phase::{Phase, Unit};
use super::record::{Counted, PhaseRecord, PhaseResult, Status};
use super::series::Series;
use crate::stats::{Oddness, Spread};

/// A run that has no number for a phase.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Missing {
    /// The round of the run, from 1.
    pub run: u32,
    /// How the phase ended there.
    pub status: Status,
    /// Why, as it was recorded; empty when it was not.
    pub reason: String,
}

/// One phase over the runs of a series. Spreads are over the runs that have a rate.
#[derive(Debug, Clone, PartialEq)]
pub struct PhaseSummary {
    /// The phase.
    pub phase: Phase,
    /// Runs that have a rate.
    pub n: usize,
    /// Runs that hold the phase, with a rate or without.
    pub recorded: usize,
    /// The batches that the runs of the series are of.
    pub batches: usize,
    /// Work per second, in the phase's unit. `None` when `n` is 0.
    pub rate: Option<Spread>,
    /// Nanoseconds of the clock.
    pub elapsed_ns: Option<Spread>,
    /// Work per second up to the last acknowledged operation.
    pub acknowledged: Option<Spread>,
    /// CPU of the process in per cent of one core.
    pub cpu_own: Option<Spread>,
    /// CPU of the whole machine in per cent of one core.
    pub cpu_system: Option<Spread>,
    /// Nanoseconds of the process's CPU for a GiB; `None` for phases of another unit.
    pub cpu_ns_per_gib: Option<Spread>,
    /// Nanoseconds of the process's CPU for 1000 seeks or files; `None` for phases of bytes.
    pub cpu_ns_per_1000: Option<Spread>,
    /// The share of the time that barrow's own work took, in per cent.
    pub tool_percent: Option<Spread>,
    /// The median of the latencies of a run, in nanoseconds.
    pub p50_ns: Option<Spread>,
    /// The 99th percentile of the latencies in nanoseconds.
    pub p99_ns: Option<Spread>,
    /// The longest operation of a run, in nanoseconds.
    pub latency_max_ns: Option<Spread>,
    /// The cache labels that occurred, each once, in the order of the closed list.
    pub cache: Vec<CacheLabel>,
    /// The durability labels that occurred, each once, in the order of the closed list.
    pub durable: Vec<Durability>,
    /// What became of direct I/O that was asked for, each once.
    pub io: Vec<ObtainedIo>,
    /// The flags of any run, and of the runs together, each once.
    pub flags: Vec<Flag>,
    /// The runs in which it failed, in one way or another.
    pub failures: Vec<Missing>,
    /// The runs in which it was skipped.
    pub skips: Vec<Missing>,
    /// The runs in which it ended well, but no rate is known; of many runs that were too short for one, the others are the slower ones.
    pub unrated: Vec<Missing>,
    /// Whether any number is as another program reported it.
    pub reported: bool,
}

impl PhaseSummary {
    /// The summary of a phase over the runs of a series.
    #[must_use]
    pub fn of(series: &Series<'_>, phase: Phase) -> Self {
        let held: Vec<(u32, &PhaseRecord)> = series.runs.iter().filter_map(|run| Some((run.round, run.phase(phase)?))).collect();
        let rated: Vec<&PhaseRecord> =
            held.iter().map(|(_, record)| *record).filter(|record| record.rate().is_some_and(f64::is_finite)).collect();
        let rates: Vec<f64> = rated.iter().filter_map(|record| record.rate()).collect();
        // Another program may have said how long an operation took, but no rate.
        let numbered: Vec<&PhaseRecord> = held.iter().map(|(_, record)| *record).filter(|record| record.number().is_some()).collect();
        // Odd beside runs of its own batch: another batch may differ for good reasons.
        // Where the fast runs gave no rate, the others are no sample of all.
        let is_cut_off = held.iter().any(|(_, record)| record.reason.as_deref() == Some(TOO_SHORT));
        let oddness = if series.batches > 1 || is_cut_off { Oddness::default() } else { Oddness::of(&rates) };
        // Runs that drift are no sample of one thing, nor are those of several batches: their range is no interval of it.
        let is_no_sample = oddness.drift.is_some() || series.batches > 1 || is_cut_off;
        let rate = if is_no_sample { Spread::with_range(&rates) } else { Spread::of(&rates) };
        // A program is one operation: how long it took is its time, and no percentile.
        let has_latencies = phase.row().unit != Unit::Programs;
        let timed: Vec<&PhaseRecord> = if has_latencies { rated.clone() } else { Vec::new() };
        Self {
            phase,
            n: rate.map_or(0, |rate| rate.n),
            recorded: held.len(),
            batches: series.batches,
            rate,
            elapsed_ns: spread_counted(&rated, |counted| Some(counted.elapsed_ns as f64)),
            acknowledged: spread_counted(&rated, Counted::acknowledged_rate),
            cpu_own: spread(&rated, PhaseRecord::cpu_own_percent),
            cpu_system: spread_counted(&rated, Counted::cpu_system_percent),
            cpu_ns_per_gib: spread_counted(&rated, |counted| counted.cpu_ns_per_gib(phase.row().unit)),
            cpu_ns_per_1000: spread_counted(&rated, |counted| counted.cpu_ns_per_1000_operations(phase.row().unit)),
            tool_percent: spread_counted(&rated, Counted::tool_percent),
            p50_ns: spread_counted(&timed, |counted| counted.latency_percentile_ns(0.5)),
            p99_ns: spread_counted(&timed, |counted| counted.latency_percentile_ns(0.99)),
            latency_max_ns: spread(if has_latencies { &numbered } else { &[] }, PhaseRecord::latency_max_ns),
            cache: distinct(rated.iter().filter_map(|record| record.cache)),
            durable: distinct(rated.iter().filter_map(|record| record.durable)),
            io: distinct(rated.iter().filter_map(|record| record.io)),
            flags: distinct(rated.iter().flat_map(|record| record.flags.iter().copied()).chain(odd_flags(&oddness))),
            failures: missing(&held, |record| record.status.is_failure()),
            skips: missing(&held, |record| record.status == Status::Skipped),
            unrated: missing(&held, |record| record.status == Status::Ok && !record.rate().is_some_and(f64::is_finite)),
            reported: numbered.iter().any(|record| matches!(record.result, Some(PhaseResult::Reported(_)))),
        }
    }

    /// The runs in which another program found it too short to give a rate.
    #[must_use]
    pub fn too_short(&self) -> usize {
        self.unrated.iter().filter(|one| one.reason == TOO_SHORT).count()
    }

    /// Why the phase was skipped, when it was skipped in every run that holds it; the reason of the first.
    #[must_use]
    pub fn skipped(&self) -> Option<&str> {
        let first = self.skips.first()?;
        (self.skips.len() == self.recorded).then_some(first.reason.as_str())
    }
}

/// The marks that only several runs together can have.
fn odd_flags(oddness: &Oddness) -> impl Iterator<Item = Flag> {
    let marks = [
        (Flag::Outlier, !oddness.outliers.is_empty()),
        (Flag::FirstSlow, oddness.slow_first.is_some()),
        (Flag::Drift, oddness.drift.is_some()),
    ];
    marks.into_iter().filter(|(_, is_so)| *is_so).map(|(flag, _)| flag)
}

fn spread(records: &[&PhaseRecord], value: impl Fn(&PhaseRecord) -> Option<f64>) -> Option<Spread> {
    let values: Vec<f64> = records.iter().filter_map(|record| value(record)).collect();
    Spread::of(&values)
}

fn spread_counted(records: &[&PhaseRecord], value: impl Fn(&Counted) -> Option<f64>) -> Option<Spread> {
    spread(records, |record| record.counted().and_then(&value))
}

fn distinct<T: Ord>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut list: Vec<T> = items.collect();
    list.sort();
    list.dedup();
    list
}

fn missing(held: &[(u32, &PhaseRecord)], is_meant: impl Fn(&PhaseRecord) -> bool) -> Vec<Missing> {
    held.iter()
        .filter(|(_, record)| is_meant(record))
        .map(|(run, record)| Missing { run: *run, status: record.status, reason: record.reason.clone().unwrap_or_default() })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::record::{Reported, RunRecord};
    use crate::model::sample;
    use crate::model::series::Pooling;
    use crate::stats::Interval;

    fn summary_of(records: &[RunRecord], phase: Phase) -> PhaseSummary {
        let series = Series::of(records, Pooling::Apart);
        assert_eq!(series.len(), 1);
        PhaseSummary::of(&series[0], phase)
    }

    #[test]
    fn spreads_are_over_the_runs() {
        let records: Vec<RunRecord> = (1..=6)
            .map(|round| {
                let mut run = sample::run("ext4", round);
                sample::set_rate(&mut run, Phase::SeqStat, 1000.0 + f64::from(round));
                run
            })
            .collect();
        let summary = summary_of(&records, Phase::SeqStat);
        let rate = summary.rate.unwrap();
        assert_eq!((summary.n, summary.recorded, rate.interval), (6, 6, Interval::Ci95));
        assert!((rate.median - 1003.5).abs() < 0.01, "{rate:?}");
        assert_eq!(summary.acknowledged, None);
        assert!(summary.cpu_own.is_some() && summary.cpu_system.is_some() && summary.p99_ns.is_some());
        assert_eq!((summary.p50_ns.unwrap().n, summary.latency_max_ns.unwrap().median), (6, 50_000.0));
        // 0.16 s of CPU for a million files.
        assert_eq!(summary.cpu_ns_per_1000.unwrap().median, 160e3);
        assert_eq!((summary.cpu_ns_per_gib, summary.tool_percent), (None, None));
        assert_eq!((summary.cache, summary.durable), (vec![CacheLabel::Cached], vec![]));
    }

    #[test]
    fn labels_and_flags_are_those_that_occurred() {
        let mut records = vec![sample::run("ext4", 1), sample::run("ext4", 2), sample::run("ext4", 3)];
        let labels = [CacheLabel::Mixed(40), CacheLabel::Cold, CacheLabel::Mixed(40)];
        for (run, label) in records.iter_mut().zip(labels) {
            sample::phase_mut(run, Phase::BlockRead).cache = Some(label);
        }
        sample::phase_mut(&mut records[1], Phase::BlockRead).flags = vec![Flag::Batched];
        sample::phase_mut(&mut records[2], Phase::BlockRead).flags = vec![Flag::Batched, Flag::Short];
        let summary = summary_of(&records, Phase::BlockRead);
        assert_eq!(summary.cache, [CacheLabel::Cold, CacheLabel::Mixed(40)]);
        assert_eq!(summary.flags, [Flag::Short, Flag::Batched]);
    }

    #[test]
    fn runs_without_a_number_are_named() {
        let mut records = vec![sample::run("ext4", 1), sample::run("ext4", 2)];
        *sample::phase_mut(&mut records[1], Phase::Rewrite) = PhaseRecord::failed(Phase::Rewrite, "no space");
        for run in &mut records {
            *sample::phase_mut(run, Phase::SeqStat) = PhaseRecord::skipped(Phase::SeqStat, "files = 0");
        }
        let rewrite = summary_of(&records, Phase::Rewrite);
        assert_eq!((rewrite.n, rewrite.failures), (1, vec![Missing { run: 2, status: Status::Failed, reason: "no space".to_owned() }]));
        let stat = summary_of(&records, Phase::SeqStat);
        assert_eq!((stat.n, stat.skipped()), (0, Some("files = 0")));
        records[0].phases.clear();
        records[1].phases.clear();
        let absent = summary_of(&records, Phase::SeqStat);
        assert_eq!((absent.n, absent.recorded, absent.skipped()), (0, 0, None));
    }

    #[test]
    fn a_reported_number_has_nothing_invented() {
        let mut run = sample::run("old", 1);
        let reported = Reported { rate: Some(5e8), cpu_percent: Some(12.0), latency_max_ns: Some(7) };
        sample::phase_mut(&mut run, Phase::BlockWrite).result = Some(PhaseResult::Reported(reported));
        let summary = summary_of(&[run], Phase::BlockWrite);
        assert!(summary.reported);
        assert_eq!((summary.rate.unwrap().median, summary.cpu_own.unwrap().median), (5e8, 12.0));
        assert_eq!((summary.acknowledged, summary.cpu_system, summary.p50_ns, summary.p99_ns), (None, None, None, None));
        assert_eq!(summary.latency_max_ns.unwrap().median, 7.0);
    }

    #[test]
    fn runs_that_were_too_short_are_counted_and_keep_their_latency() {
        let mut records: Vec<RunRecord> = (1..=9).map(|round| sample::imported("old", round)).collect();
        for run in &mut records[..4] {
            let short = Reported { rate: None, cpu_percent: None, latency_max_ns: Some(7) };
            let record = sample::phase_mut(run, Phase::SeqStat);
            record.result = Some(PhaseResult::Reported(short));
            record.reason = Some(TOO_SHORT.to_owned());
        }
        let summary = summary_of(&records, Phase::SeqStat);
        assert_eq!((summary.n, summary.recorded, summary.too_short(), summary.reported), (5, 9, 4, true));
        assert_eq!((summary.latency_max_ns.unwrap().n, summary.latency_max_ns.unwrap().min), (9, 7.0));
        assert_eq!(summary.unrated.iter().map(|one| one.run).collect::<Vec<_>>(), [1, 2, 3, 4]);
        let all_short = summary_of(&records[..4], Phase::SeqStat);
        assert_eq!((all_short.n, all_short.too_short(), all_short.reported), (0, 4, true));
    }
}
