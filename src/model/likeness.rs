//! What must be equal before two series are compared: the same work done in the same way, by the same kind of evidence.

use super::label::CacheLabel;
use super::machine::ObtainedIo;
use super::phase::{Group, Phase, Reads};
use super::plan::Circumstances;
use super::printable::printable;
use super::record::{PhaseRecord, PhaseResult, RunRecord};
use super::series::Series;
use super::summary::PhaseSummary;
use std::collections::BTreeSet;
use std::fmt;

/// Something in which two series differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// What it is: `file_size`.
    pub what: String,
    /// What it is in the baseline, printable.
    pub baseline: String,
    /// What it is in the other series, printable.
    pub other: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} and {}", self.what, self.baseline, self.other)
    }
}

fn differing(what: &str, baseline: String, other: String) -> Option<Difference> {
    (baseline != other).then(|| Difference { what: what.to_owned(), baseline, other })
}

/// In what the work of two series differs; empty where it is the same, so that they may be compared.
#[must_use]
pub fn unlike(baseline: &Series<'_>, other: &Series<'_>) -> Vec<Difference> {
    let (one, two) = (baseline.first, other.first);
    let mut found: Vec<Difference> = Vec::new();
    found.extend(differing("schema", one.schema.to_string(), two.schema.to_string()));
    found.extend(differing("numbers", source(one).to_owned(), source(two).to_owned()));
    if one.workload_id != two.workload_id {
        found.extend(differing("profile", printable(&one.profile), printable(&two.profile)));
    }
    // What barrow set and what another program said have no names in common.
    if one.workload_id != two.workload_id && source(one) == source(two) {
        found.extend(settings(one, two));
        let generator = |run: &RunRecord| run.plan.as_ref().map_or_else(|| "none".to_owned(), |plan| plan.generator.to_string());
        found.extend(differing("generator", generator(one), generator(two)));
        if found.is_empty() {
            found.extend(differing("workload", one.workload_id.to_string(), two.workload_id.to_string()));
        }
    }
    found.extend(circumstances(one, two));
    found
}

/// The settings of the work that differ.
fn settings(one: &RunRecord, two: &RunRecord) -> Vec<Difference> {
    let (ours, theirs) = (one.parameters(), two.parameters());
    // How often the work is done does not change the work.
    let keys = ours.iter().chain(&theirs).map(|(key, _)| key).filter(|key| *key != "runs").collect::<BTreeSet<_>>();
    let value = |pairs: &[(String, String)], key: &str| {
        pairs.iter().find(|(other, _)| other == key).map_or_else(|| "not set".to_owned(), |(_, value)| printable(value))
    };
    keys.into_iter().filter_map(|key| differing(key, value(&ours, key), value(&theirs, key))).collect()
}

/// In which state of the caches was asked to begin. The command of `--prepare` itself may differ: it names the target's own mount.
fn circumstances(one: &RunRecord, two: &RunRecord) -> Vec<Difference> {
    let (Some(ours), Some(theirs)) = (one.circumstances(), two.circumstances()) else { return Vec::new() };
    let said = |around: &Circumstances, key: &str| {
        let value = around.parameters().into_iter().find(|(other, _)| *other == key).map(|(_, value)| printable(&value));
        value.unwrap_or_else(|| "cold".to_owned())
    };
    let prepared = |around: &Circumstances| if around.prepare.is_some() { "a command" } else { "no command" }.to_owned();
    let filled =
        |around: &Circumstances| if around.fill_percent > 0 { format!("{}%", around.fill_percent) } else { "as it was".to_owned() };
    let found = [
        differing("fill_to", filled(ours), filled(theirs)),
        differing("cache", said(ours, "cache"), said(theirs, "cache")),
        differing("drop_caches", said(ours, "drop_caches"), said(theirs, "drop_caches")),
        differing("prepare", prepared(ours), prepared(theirs)),
    ];
    found.into_iter().flatten().collect()
}

fn source(run: &RunRecord) -> &'static str {
    let is_reported = run.phases.iter().any(|record| matches!(record.result, Some(PhaseResult::Reported(_))));
    if is_reported { "as another program reported them" } else { "counted by barrow" }
}

/// In what a phase of two series of the same work differs: how its caches were prepared, what became of direct I/O.
#[must_use]
pub fn unlike_in_phase(baseline: &Series<'_>, other: &Series<'_>, phase: Phase) -> Vec<Difference> {
    let preparation = differing("caches", prepared(baseline, phase), prepared(other, phase));
    let io = differing("I/O", obtained(baseline, phase), obtained(other, phase));
    [preparation, io].into_iter().flatten().collect()
}

/// The runs of a series that have a number for the phase.
fn rated<'s>(series: &'s Series<'_>, phase: Phase) -> impl Iterator<Item = &'s PhaseRecord> {
    series.runs.iter().filter_map(move |run| run.phase(phase)).filter(|record| record.rate().is_some())
}

/// What was done to the caches before a phase, in words, each way once.
fn prepared(series: &Series<'_>, phase: Phase) -> String {
    let in_words = |record: &PhaseRecord| {
        let done = &record.preparation;
        let steps = [
            (done.remounted, "remounted"),
            (done.warmed, "warmed"),
            (done.drops > 0, "dropped"),
            (done.drops == 0 && done.evicted, "evicted"),
            (done.command_ns.is_some(), "prepared by command"),
        ];
        let words: Vec<&str> = steps.into_iter().filter(|(is_done, _)| *is_done).map(|(_, word)| word).collect();
        if words.is_empty() { "as they were".to_owned() } else { words.join(" and ") }
    };
    joined(rated(series, phase).map(in_words))
}

fn obtained(series: &Series<'_>, phase: Phase) -> String {
    joined(rated(series, phase).map(|record| record.io.map_or("buffered", ObtainedIo::word).to_owned()))
}

fn joined(words: impl Iterator<Item = String>) -> String {
    words.collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>().join("/")
}

/// Shares of a mixed label that lie so near each other, in points, are alike: the share itself is only known to about that.
const SHARE_POINTS: u8 = 5;

/// The labels of two summaries of a phase in words, where they differ; `None` where they are alike, so that a verdict may be given.
/// Durability counts for a phase that writes, the cache label for one that reads what it measures.
#[must_use]
pub fn unlike_labels(baseline: &PhaseSummary, other: &PhaseSummary) -> Option<Difference> {
    let durability = |summary: &PhaseSummary| summary.durable.iter().map(|label| label.word()).collect::<Vec<_>>().join("/");
    if let Some(found) = differing("durability", durability(baseline), durability(other)) {
        return Some(found);
    }
    if !is_told_by_its_cache(baseline.phase) || are_alike(&baseline.cache, &other.cache) {
        return None;
    }
    let words = |summary: &PhaseSummary| summary.cache.iter().map(ToString::to_string).collect::<Vec<_>>().join("/");
    differing("cache", words(baseline), words(other))
}

/// Whether the cache label of a phase speaks of the work that it measures: that of a create or delete speaks of a few directory blocks, and
/// a program's time is no figure of the device in any case.
#[must_use]
pub fn is_told_by_its_cache(phase: Phase) -> bool {
    let row = phase.row();
    row.group != Group::Command && (!row.writes || row.reads == Reads::Data)
}

/// Whether a cache label says that the rate of a phase is no figure of the device.
#[must_use]
pub fn is_from_memory(phase: Phase, cache: &[CacheLabel]) -> bool {
    is_told_by_its_cache(phase) && cache.iter().any(|label| !label.is_device_figure())
}

fn are_alike(one: &[CacheLabel], two: &[CacheLabel]) -> bool {
    let words = |labels: &[CacheLabel]| labels.iter().map(|label| label.word()).collect::<BTreeSet<_>>();
    let shares = |labels: &[CacheLabel]| {
        let shares = labels.iter().filter_map(|label| if let CacheLabel::Mixed(share) = label { Some(*share) } else { None });
        shares.fold((u8::MAX, 0), |(low, high), share| (low.min(share), high.max(share)))
    };
    let ((one_low, one_high), (two_low, two_high)) = (shares(one), shares(two));
    let is_near = one_low.abs_diff(two_low) <= SHARE_POINTS && one_high.abs_diff(two_high) <= SHARE_POINTS;
    words(one) == words(two) && is_near
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::identity::Identity;
    use crate::model::plan::DropCaches;
    use crate::model::record::Reported;
    use crate::model::sample;
    use crate::model::series::Pooling;

    fn differences(one: &RunRecord, two: &RunRecord) -> Vec<String> {
        let records = [RunRecord { batch: Identity(1), ..one.clone() }, RunRecord { batch: Identity(2), ..two.clone() }];
        let series = Series::of(&records, Pooling::Apart);
        unlike(&series[0], &series[1]).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn the_same_work_on_another_machine_is_like() {
        let one = sample::run("ext4", 1);
        let mut two = sample::run("xfs", 1);
        two.machine.kernel = Some("Linux 7.0".to_owned());
        two.plan.as_mut().unwrap().settings.runs = 3;
        assert_eq!(differences(&one, &two), Vec::<String>::new());
    }

    #[test]
    fn each_difference_of_the_work_is_named() {
        let one = sample::run("ext4", 1);
        let mut two = sample::run("xfs", 1);
        two.profile = "quick/1".to_owned();
        two.plan.as_mut().unwrap().settings.file_size = 1 << 30;
        two.workload_id = Identity(9);
        two.plan.as_mut().unwrap().circumstances.drop_caches = DropCaches::Never;
        assert_eq!(differences(&one, &two), ["profile: std/1 and quick/1", "file_size: 4g and 1g", "drop_caches: auto and never"]);
        let mut other = sample::run("ext4", 1);
        other.workload_id = Identity(9);
        assert_eq!(differences(&one, &other), ["workload: 7f3a91c2e05d4b18 and 0000000000000009"]);
        let mut imported = sample::run("ext4", 1);
        let reported = Reported { rate: Some(5e8), cpu_percent: None, latency_max_ns: None };
        sample::phase_mut(&mut imported, Phase::BlockWrite).result = Some(PhaseResult::Reported(reported));
        assert_eq!(differences(&one, &imported), ["numbers: counted by barrow and as another program reported them"]);
    }

    #[test]
    fn a_phase_is_unlike_where_its_caches_were_prepared_otherwise() {
        let mut records = [sample::run("ext4", 1), sample::run("xfs", 1)];
        sample::phase_mut(&mut records[1], Phase::SeqStat).preparation.drops = 2;
        let series = Series::of(&records, Pooling::Apart);
        assert_eq!(unlike_in_phase(&series[0], &series[1], Phase::BlockRead), []);
        let found = unlike_in_phase(&series[0], &series[1], Phase::SeqStat);
        assert_eq!(found[0].to_string(), "caches: as they were and dropped");
        // How often it was done is no difference, but a mount is one.
        sample::phase_mut(&mut records[0], Phase::SeqStat).preparation.drops = 3;
        let series = Series::of(&records, Pooling::Apart);
        assert_eq!(unlike_in_phase(&series[0], &series[1], Phase::SeqStat), []);
        sample::phase_mut(&mut records[0], Phase::SeqStat).preparation.remounted = true;
        let series = Series::of(&records, Pooling::Apart);
        let found = unlike_in_phase(&series[0], &series[1], Phase::SeqStat);
        assert_eq!(found[0].to_string(), "caches: remounted and dropped and dropped");
    }

    #[test]
    fn labels_are_unlike_by_their_words_and_by_far_shares() {
        let mut records = [sample::run("ext4", 1), sample::run("xfs", 1)];
        let mut found = |phase: Phase, one: CacheLabel, two: CacheLabel| {
            for (run, label) in records.iter_mut().zip([one, two]) {
                sample::phase_mut(run, phase).cache = Some(label);
            }
            let series = Series::of(&records, Pooling::Apart);
            let [one, two] = [0, 1].map(|place| PhaseSummary::of(&series[place], phase));
            unlike_labels(&one, &two).map(|difference| difference.to_string())
        };
        assert_eq!(found(Phase::BlockRead, CacheLabel::Cold, CacheLabel::Cold), None);
        assert_eq!(found(Phase::BlockRead, CacheLabel::Cold, CacheLabel::Cached).as_deref(), Some("cache: cold and cached"));
        assert_eq!(found(Phase::SeqStat, CacheLabel::Mixed(8), CacheLabel::Mixed(13)), None);
        assert_eq!(found(Phase::SeqStat, CacheLabel::Mixed(8), CacheLabel::Mixed(14)).as_deref(), Some("cache: mixed 8% and mixed 14%"));
        assert_eq!(found(Phase::SeqDelete, CacheLabel::Cold, CacheLabel::Cached), None, "a few directory blocks");
        assert_eq!(found(Phase::Rewrite, CacheLabel::Cold, CacheLabel::Cached).as_deref(), Some("cache: cold and cached"));
    }
}
