//! The table ranked: the series of each phase, best first, with the ratio to the best, as data without any layout.

use super::{Row, heading, is_from_memory, row};
use crate::model::phase::Phase;
use crate::model::series::Series;
use crate::model::summary::PhaseSummary;
use crate::report::Section;
use crate::report::comparison::{Beside, NoVerdict, beside_in};
use crate::report::figures::{NO_FIGURE, ratio_figures};
use crate::stats::Verdict;

/// The phases of a section, each ranked by itself.
pub struct Ranking {
    pub phases: Vec<RankedPhase>,
}

/// A phase with a row a series, best first.
pub struct RankedPhase {
    /// `Block write, MiB/s`.
    pub heading: String,
    pub rows: Vec<RankedRow>,
    /// Whether two of its series have too few runs for a verdict.
    pub has_too_few: bool,
}

/// A series in a phase.
pub struct RankedRow {
    pub rank: Rank,
    pub row: Row,
    /// The ratio to the best: `best`, `0.99 ×`; [`NO_FIGURE`] where the two are not alike; empty without a figure.
    pub ratio: String,
    /// The ends of the range, or the one rate itself, as shares of the greatest end in the phase: 0 to 1.
    pub low: f64,
    pub high: f64,
}

/// The place of a series in a phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rank {
    /// The first of a rank, by its number.
    First(usize),
    /// Not resolved from the first of the rank of this number.
    Shared(usize),
    /// Not ranked: its cache or durability label is not that of the best.
    Unlike,
    /// It has no figure.
    Missing,
}

impl Rank {
    /// As it is written: `1`, `1=`, [`NO_FIGURE`]; empty without a figure.
    pub fn text(self) -> String {
        match self {
            Self::First(number) => number.to_string(),
            Self::Shared(number) => format!("{number}="),
            Self::Unlike => NO_FIGURE.to_owned(),
            Self::Missing => String::new(),
        }
    }
}

/// The ranking of a section.
pub fn ranking(section: &Section<'_>) -> Ranking {
    let phases = section.phases.iter().map(|phase| (*phase, entries(section, *phase))).filter(|(_, entries)| !entries.is_empty());
    Ranking { phases: phases.map(|(phase, entries)| ranked(phase, &entries)).collect() }
}

/// A series with its summary of the phase.
#[derive(Clone, Copy)]
struct Entry<'s> {
    series: &'s Series<'s>,
    summary: &'s PhaseSummary,
}

impl Entry<'_> {
    fn median(&self) -> f64 {
        self.summary.rate.map_or(0.0, |rate| rate.median)
    }

    fn beside(&self, other: &Entry<'_>) -> Beside {
        beside_in(self.summary.phase, (other.series, other.summary), (self.series, self.summary))
    }
}

fn entries<'s>(section: &'s Section<'_>, phase: Phase) -> Vec<Entry<'s>> {
    let entry = |(place, summary)| Some(Entry { series: section.series.get(place)?, summary });
    section.rows(phase).into_iter().filter_map(entry).collect()
}

/// The best is the fastest of those that are figures of a device, where there are such: memory is no contestant of a disk.
fn ranked(phase: Phase, entries: &[Entry<'_>]) -> RankedPhase {
    let (mut rated, missing): (Vec<Entry<'_>>, Vec<Entry<'_>>) = entries.iter().partition(|entry| entry.summary.rate.is_some());
    rated.sort_by(|one, other| other.median().total_cmp(&one.median()));
    let best = rated.iter().find(|entry| !is_from_memory(entry.summary)).or(rated.first()).copied();
    let scale = scale(entries);
    let (mut unlike, mut alike) = (Vec::new(), Vec::new());
    let mut has_too_few = false;
    for entry in rated {
        match best.map(|best| entry.beside(&best)) {
            Some(Beside::NoVerdict(NoVerdict::Labels(_) | NoVerdict::Unlike(_) | NoVerdict::Work)) | None => {
                unlike.push(ranked_row(&entry, Rank::Unlike, NO_FIGURE.to_owned(), scale));
            }
            Some(beside) => {
                has_too_few |= matches!(beside, Beside::Against { verdict: Verdict::TooFew, .. });
                alike.push((entry, ratio(&beside)));
            }
        }
    }
    let ranks = ranks(&alike.iter().map(|(entry, _)| *entry).collect::<Vec<_>>());
    let mut rows = alike.into_iter().zip(ranks).map(|((entry, ratio), rank)| ranked_row(&entry, rank, ratio, scale)).collect::<Vec<_>>();
    has_too_few &= rows.len() > 1;
    if let Some(first) = rows.first_mut() {
        first.ratio = "best".to_owned();
    }
    rows.extend(unlike);
    rows.extend(missing.iter().map(|entry| ranked_row(entry, Rank::Missing, String::new(), scale)));
    RankedPhase { heading: heading(phase), rows, has_too_few }
}

/// The ranks of some series, fastest first. A rank is shared until a series is resolved from the first of it.
fn ranks(alike: &[Entry<'_>]) -> Vec<Rank> {
    let mut first: Option<(usize, Entry<'_>)> = None;
    let mut ranks = Vec::new();
    for (number, entry) in (1..).zip(alike) {
        match first.filter(|(_, leader)| !is_resolved(&entry.beside(leader))) {
            Some((shared, _)) => ranks.push(Rank::Shared(shared)),
            None => {
                first = Some((number, *entry));
                ranks.push(Rank::First(number));
            }
        }
    }
    ranks
}

fn is_resolved(beside: &Beside) -> bool {
    matches!(beside, Beside::Against { verdict, .. } if verdict.is_difference())
}

/// The greatest end of a phase.
fn scale(entries: &[Entry<'_>]) -> f64 {
    entries.iter().filter_map(|entry| entry.summary.rate).map(|rate| rate.high).fold(0.0, f64::max)
}

fn ranked_row(entry: &Entry<'_>, rank: Rank, ratio: String, scale: f64) -> RankedRow {
    let share = |value: Option<f64>| value.filter(|_| scale > 0.0).map_or(0.0, |value| (value / scale).clamp(0.0, 1.0));
    let (_, unit) = entry.summary.phase.row().unit.rate();
    RankedRow {
        rank,
        row: row(&entry.series.name, entry.summary, unit),
        ratio,
        low: share(entry.summary.rate.map(|rate| rate.low)),
        high: share(entry.summary.rate.map(|rate| rate.high)),
    }
}

/// `0.99 ×`; [`NO_FIGURE`] where no ratio can be made.
fn ratio(beside: &Beside) -> String {
    match beside {
        Beside::Against { ratio, .. } => format!("{} ×", ratio_figures(ratio.ratio, ratio.low, ratio.high).median),
        Beside::Pooled(ratio) => format!("{} ×", ratio_figures(*ratio, *ratio, *ratio).median),
        Beside::Baseline | Beside::NoVerdict(_) => NO_FIGURE.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::label::{CacheLabel, Durability};
    use crate::model::record::{PhaseRecord, RunRecord};
    use crate::model::sample;
    use crate::report::Report;
    use crate::stats::Ratio;
    use proptest::prelude::*;

    fn runs(targets: &[(&str, &[f64])]) -> Vec<RunRecord> {
        let run = |label: &str, round: u32, rate: f64| {
            let mut run = sample::run(label, round);
            run.phases.retain(|record| record.name == Phase::BlockRead);
            sample::set_rate(&mut run, Phase::BlockRead, rate);
            run
        };
        targets.iter().flat_map(|(label, rates)| (1..).zip(*rates).map(|(round, rate)| run(label, round, *rate))).collect()
    }

    fn ranked(records: &[RunRecord]) -> RankedPhase {
        ranking(&Report::of(records).sections[0]).phases.remove(0)
    }

    fn told(phase: &RankedPhase) -> Vec<String> {
        phase.rows.iter().map(|row| format!("{} {} {}", row.rank.text(), row.row.label, row.ratio)).collect()
    }

    const SLOW: &[f64] = &[400.0, 401.0, 402.0, 403.0, 404.0, 405.0];
    const FAST: &[f64] = &[500.0, 501.0, 502.0, 503.0, 504.0, 505.0];
    const AS_FAST: &[f64] = &[501.0, 502.0, 503.0, 504.0, 505.0, 506.0];

    #[test]
    fn a_rank_is_shared_unless_resolved_from_its_first() {
        let phase = ranked(&runs(&[("btrfs", SLOW), ("ext4", FAST), ("xfs", AS_FAST)]));
        assert_eq!(told(&phase), ["1 xfs best", "1= ext4 1.00 ×", "3 btrfs 0.80 ×"]);
        assert!(!phase.has_too_few && phase.heading == "Block read, MiB/s");
        let [xfs, _, btrfs] = phase.rows.as_slice() else { panic!("three rows") };
        assert!((xfs.high - 1.0).abs() < 1e-9 && xfs.low < xfs.high && (btrfs.high - 405.0 / 506.0).abs() < 1e-6);
    }

    #[test]
    fn what_is_not_alike_is_not_ranked_and_what_failed_comes_last() {
        let mut records = runs(&[("none", &[1.0]), ("tmpfs", FAST), ("btrfs", SLOW), ("ext4", FAST), ("memory", SLOW)]);
        *sample::phase_mut(&mut records[0], Phase::BlockRead) = PhaseRecord::failed(Phase::BlockRead, "no space");
        for run in records.iter_mut().filter(|run| ["tmpfs", "memory"].contains(&run.label.as_str())) {
            sample::phase_mut(run, Phase::BlockRead).cache = Some(CacheLabel::Memory);
        }
        let phase = ranked(&records);
        // A filesystem in memory is as fast, but no contestant of a disk.
        assert_eq!(told(&phase), ["1 ext4 best", "2 btrfs 0.80 ×", "– tmpfs –", "– memory –", " none "]);
        assert_eq!(phase.rows[4].row.words, ["failed"]);
        let memory_alone = ranked(&records[7..].iter().filter(|run| run.label == "memory").cloned().collect::<Vec<_>>());
        assert_eq!(told(&memory_alone), ["1 memory best"]);
    }

    #[test]
    fn durability_labels_are_compared_too() {
        let mut records = [sample::run("tmpfs", 1), sample::run("ext4", 1)];
        sample::phase_mut(&mut records[0], Phase::BlockWrite).durable = Some(Durability::Acknowledged);
        assert_eq!(told(&ranked(&records)), ["1 ext4 best", "– tmpfs –"]);
    }

    #[test]
    fn too_few_runs_resolve_nothing() {
        let phase = ranked(&runs(&[("slow", &SLOW[..4]), ("fast", FAST)]));
        assert_eq!(told(&phase), ["1 fast best", "1= slow 0.80 ×"]);
        assert!(phase.has_too_few);
        assert!(!ranked(&runs(&[("alone", &SLOW[..1])])).has_too_few);
    }

    #[test]
    fn only_failed_runs_are_in_no_ranking_of_skipped_phases() {
        let mut records = runs(&[("a", &[1.0]), ("b", &[1.0])]);
        records.iter_mut().for_each(|run| *sample::phase_mut(run, Phase::BlockRead) = PhaseRecord::failed(Phase::BlockRead, "no space"));
        assert_eq!(told(&ranked(&records)), [" a ", " b "]);
        records
            .iter_mut()
            .for_each(|run| *sample::phase_mut(run, Phase::BlockRead) = PhaseRecord::skipped(Phase::BlockRead, "file_size = 0"));
        assert!(ranking(&Report::of(&records).sections[0]).phases.is_empty());
    }

    proptest! {
        #[test]
        fn ranks_ascend_and_only_the_unresolved_share_one(
            targets in prop::collection::vec((prop::collection::vec(0.9..1.1_f64, 1..8), 100.0..130.0_f64), 1..8)
        ) {
            let rates: Vec<Vec<f64>> = targets.iter().map(|(noise, rate)| noise.iter().map(|noise| noise * rate).collect()).collect();
            let labels: Vec<String> = (0..rates.len()).map(|number| format!("t{number}")).collect();
            let named: Vec<(&str, &[f64])> = labels.iter().zip(&rates).map(|(label, rates)| (label.as_str(), rates.as_slice())).collect();
            let records = runs(&named);
            let phase = ranked(&records);
            prop_assert_eq!(phase.rows.len(), rates.len());
            let measured = |row: &RankedRow| -> Vec<f64> {
                records.iter().filter(|run| run.label == row.row.label).map(|run| run.phases[0].rate().unwrap()).collect()
            };
            let is_resolved = |one: &RankedRow, other: &RankedRow| {
                Ratio::of(&measured(one), &measured(other)).unwrap().verdict().is_difference()
            };
            let mut first = &phase.rows[0];
            prop_assert_eq!(first.rank, Rank::First(1));
            for (place, row) in (1..).zip(&phase.rows) {
                match row.rank {
                    Rank::First(number) => {
                        prop_assert_eq!(number, place);
                        prop_assert!(place == 1 || is_resolved(first, row));
                        first = row;
                    }
                    Rank::Shared(number) => {
                        prop_assert_eq!(Rank::First(number), first.rank);
                        prop_assert!(!is_resolved(first, row));
                    }
                    other => prop_assert!(false, "{:?}", other),
                }
                prop_assert!(0.0 < row.low && row.low <= row.high && row.high <= 1.0);
            }
        }
    }
}
