//! The first sentence of a report: what limited each phase, by fixed rules.

use super::Section;
use super::lines::{capitalised, join_and};
use super::places::{Place, Shared, series_in_words, shared, taken_together};
use crate::model::flag::Flag;
use crate::model::label::CacheLabel;
use crate::model::phase::Phase;
use crate::model::series::Series;
use crate::model::settings::Settings;
use crate::model::summary::PhaseSummary;

/// Two thirds of a core, in per cent: from there on a worker has hardly waited for anything else.
const BUSY_PERCENT: f64 = 200.0 / 3.0;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Limit {
    Core,
    Memory,
}

/// The sentence; `None` when no rule gives one.
pub fn sentence(section: &Section<'_>) -> Option<String> {
    let settings = section.series.first()?.first.settings()?;
    let clauses: Vec<String> =
        [Limit::Core, Limit::Memory].into_iter().filter_map(|limit| clause(section, limit, &places_of(section, limit, settings))).collect();
    (!clauses.is_empty()).then(|| format!("{}.", capitalised(&clauses.join("; "))))
}

fn places_of(section: &Section<'_>, limit: Limit, settings: &Settings) -> Vec<Place> {
    let measured = section.measured().into_iter().filter(|(_, summary)| limit_of(summary, settings) == Some(limit));
    measured.map(|(place, summary)| (place, summary.phase)).collect()
}

/// `one CPU core limited create, on xfs also delete`, or `create on ext4, delete on xfs`; `None` without places.
fn clause(section: &Section<'_>, limit: Limit, places: &[Place]) -> Option<String> {
    let is_everywhere = |group: &Shared| {
        let measured = section.measured();
        group.phases.iter().all(|phase| measured.iter().filter(|(_, summary)| summary.phase == *phase).count() == group.series.len())
    };
    let (everywhere, mut elsewhere): (Vec<Shared>, Vec<Shared>) = shared(section, places).into_iter().partition(is_everywhere);
    let mut phases: Vec<Phase> = everywhere.into_iter().flat_map(|group| group.phases).collect();
    phases.sort_by_key(|phase| section.phases.iter().position(|other| other == phase));
    elsewhere.sort_by_key(|group| std::cmp::Reverse(group.series.len()));
    let on = |group: &Shared| series_in_words(section, &group.series);
    let names = |group: &Shared| join_and(&taken_together(&group.phases));
    if !phases.is_empty() {
        let also = elsewhere.iter().map(|group| format!(", on {} also {}", on(group), names(group)));
        return Some(std::iter::once(said(limit, section, &phases)).chain(also).collect());
    }
    let (first, others) = elsewhere.split_first()?;
    let begin = format!("{} on {}", said(limit, section, &first.phases), on(first));
    Some(std::iter::once(begin).chain(others.iter().map(|group| format!(", {} on {}", names(group), on(group)))).collect())
}

fn said(limit: Limit, section: &Section<'_>, phases: &[Phase]) -> String {
    let names = taken_together(phases);
    let has_many_threads =
        |series: &Series<'_>| phases.iter().any(|phase| series.first.settings().is_some_and(|settings| settings.threads(*phase) > 1));
    match limit {
        Limit::Core if section.series.iter().any(has_many_threads) => format!("one CPU core per worker limited {}", join_and(&names)),
        Limit::Core => format!("one CPU core limited {}", join_and(&names)),
        Limit::Memory if names.len() == 1 => format!("{} was answered from memory", join_and(&names)),
        Limit::Memory => format!("{} were answered from memory", join_and(&names)),
    }
}

fn limit_of(summary: &PhaseSummary, settings: &Settings) -> Option<Limit> {
    let is_memory = |label: &CacheLabel| matches!(label, CacheLabel::Cached | CacheLabel::CachedBelow | CacheLabel::Memory);
    // The label of a phase that writes is that of its reads alone: what limited it may still be the device.
    if !summary.phase.row().writes && !summary.cache.is_empty() && summary.cache.iter().all(is_memory) {
        return Some(Limit::Memory);
    }
    let threads = settings.threads(summary.phase) as f64;
    let own = summary.cpu_own?.median;
    // On a busy machine a worker may have had no core to itself.
    let is_told = !summary.reported && !summary.flags.contains(&Flag::Busy);
    (is_told && own >= BUSY_PERCENT * threads).then_some(Limit::Core)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::record::RunRecord;
    use crate::model::sample;
    use crate::report::Report;

    fn said(records: &[RunRecord]) -> Option<String> {
        sentence(&Report::of(records).sections[0])
    }

    fn busy(run: &mut RunRecord, phases: &[Phase], percent: u64) {
        for phase in phases {
            let counted = sample::counted_mut(run, *phase);
            counted.usage.user_ns = 0;
            counted.usage.system_ns = counted.elapsed_ns / 100 * percent;
        }
    }

    #[test]
    fn memory_and_core_are_named() {
        let mut run = sample::run("ext4", 1);
        assert_eq!(said(std::slice::from_ref(&run)).unwrap(), "Stat was answered from memory.");
        busy(&mut run, &[Phase::SeqCreate, Phase::RandomCreate, Phase::SeqDelete, Phase::SeqStat], 90);
        let sentence = said(std::slice::from_ref(&run)).unwrap();
        assert_eq!(sentence, "One CPU core limited create and seq. delete; stat was answered from memory.");
    }

    #[test]
    fn where_targets_differ_they_are_named() {
        let mut records = [sample::run("ext4", 1), sample::run("xfs", 1)];
        busy(&mut records[1], &[Phase::BlockWrite, Phase::SeqCreate], 70);
        busy(&mut records[0], &[Phase::SeqCreate], 70);
        sample::phase_mut(&mut records[1], Phase::RandomStat).cache = Some(CacheLabel::Cold);
        let sentence = said(&records).unwrap();
        let expected = "One CPU core limited seq. create, on xfs also block write; \
            seq. stat was answered from memory, on ext4 also random stat.";
        assert_eq!(sentence, expected);
    }

    #[test]
    fn where_targets_share_nothing_each_is_named() {
        let mut records = [sample::run("ext4", 1), sample::run("xfs", 1)];
        busy(&mut records[1], &[Phase::BlockWrite, Phase::Rewrite], 70);
        busy(&mut records[0], &[Phase::SeqCreate], 70);
        let sentence = said(&records).unwrap();
        let expected = "One CPU core limited block write and rewrite on xfs, seq. create on ext4; stat was answered from memory.";
        assert_eq!(sentence, expected);
    }

    #[test]
    fn no_rule_no_sentence() {
        let mut run = sample::run("ext4", 1);
        for phase in [Phase::SeqStat, Phase::RandomStat] {
            sample::phase_mut(&mut run, phase).cache = Some(CacheLabel::Cold);
        }
        busy(&mut run, &[Phase::BlockWrite], 66);
        assert_eq!(said(std::slice::from_ref(&run)), None);
        run.plan.as_mut().unwrap().settings.workers = 4;
        busy(&mut run, &[Phase::BlockWrite], 266);
        assert_eq!(said(std::slice::from_ref(&run)), None);
        busy(&mut run, &[Phase::BlockWrite], 267);
        assert_eq!(said(std::slice::from_ref(&run)).unwrap(), "One CPU core per worker limited block write.");
    }
}
