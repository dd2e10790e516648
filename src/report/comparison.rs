//! THE COMPARISON: every series of a section beside its baseline, phase by phase, and what may be said of it.

use super::Section;
use crate::model::likeness::{Difference, unlike, unlike_in_phase, unlike_labels};
use crate::model::phase::Phase;
use crate::model::record::PhaseRecord;
use crate::model::series::Series;
use crate::model::summary::PhaseSummary;
use crate::stats::{Ratio, Verdict};

/// The series of a section beside one of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// The place of the baseline among the series.
    pub baseline: usize,
    /// The phases of the section.
    phases: Vec<Phase>,
    /// Per series, a phase in their order.
    beside: Vec<Vec<Beside>>,
}

/// A phase of a series beside that of its baseline.
#[derive(Debug, Clone, PartialEq)]
pub enum Beside {
    /// It is the baseline.
    Baseline,
    /// How many times the baseline it is, and what may be said of that.
    Against {
        /// The ratio with its interval.
        ratio: Ratio,
        /// The word.
        verdict: Verdict,
    },
    /// Batches were pooled: the ratio of the medians alone, since runs that were not interleaved bear no interval.
    Pooled(f64),
    /// Nothing may be said.
    NoVerdict(NoVerdict),
}

/// Why nothing is said of a phase beside its baseline.
#[derive(Debug, Clone, PartialEq)]
pub enum NoVerdict {
    /// A side has no figure, or one of which no ratio can be made.
    NoFigure,
    /// A run has a rate of which no ratio can be made: 0, or as good as 0 beside the others.
    NoRatio,
    /// The figures are not of the same kind: their cache or durability labels differ.
    Labels(Difference),
    /// The phase was not done in the same way.
    Unlike(Difference),
    /// The work is another one.
    Work,
}

impl NoVerdict {
    /// What stands behind `no verdict: `.
    #[must_use]
    pub fn words(&self) -> String {
        match self {
            Self::NoFigure => "no figure".to_owned(),
            Self::NoRatio => "no ratio to a rate of 0".to_owned(),
            Self::Labels(difference) => format!("{}, {}", difference.baseline, difference.other),
            Self::Unlike(difference) => format!("{} {}, {}", difference.what, difference.baseline, difference.other),
            Self::Work => "other work".to_owned(),
        }
    }
}

impl Beside {
    /// The words of a report: `baseline`, `faster`, `no verdict: cold, cached`.
    #[must_use]
    pub fn words(&self) -> String {
        match self {
            Self::Baseline => "baseline".to_owned(),
            Self::Against { verdict, .. } => verdict.name().to_owned(),
            Self::Pooled(_) => "pooled".to_owned(),
            Self::NoVerdict(reason) => format!("no verdict: {}", reason.words()),
        }
    }

    /// The ratio, where there is one.
    #[must_use]
    pub fn ratio(&self) -> Option<f64> {
        match self {
            Self::Against { ratio, .. } => Some(ratio.ratio),
            Self::Pooled(ratio) => Some(*ratio),
            Self::Baseline | Self::NoVerdict(_) => None,
        }
    }
}

impl Comparison {
    /// Every series of a section beside the one at a place.
    #[must_use]
    pub fn of(section: &Section<'_>, baseline: usize) -> Self {
        let first = section.series.get(baseline).zip(section.summaries.get(baseline));
        let places = section.series.iter().zip(&section.summaries).enumerate();
        let beside = places.map(|(place, other)| match first {
            Some(_) if place == baseline => vec![Beside::Baseline; section.phases.len()],
            Some(first) => against(&section.phases, first, other),
            None => vec![Beside::NoVerdict(NoVerdict::NoFigure); section.phases.len()],
        });
        Self { baseline, phases: section.phases.clone(), beside: beside.collect() }
    }

    /// A phase of the series at a place.
    #[must_use]
    pub fn beside(&self, series: usize, phase: Phase) -> &Beside {
        let phases = self.beside.get(series).into_iter().flatten();
        let found = phases.zip(&self.phases).find(|(_, other)| **other == phase).map(|(beside, _)| beside);
        found.unwrap_or(&Beside::NoVerdict(NoVerdict::NoFigure))
    }
}

type Summarised<'s, 'a> = (&'s Series<'a>, &'s Vec<PhaseSummary>);

fn against(phases: &[Phase], baseline: Summarised<'_, '_>, other: Summarised<'_, '_>) -> Vec<Beside> {
    if !unlike(baseline.0, other.0).is_empty() {
        return vec![Beside::NoVerdict(NoVerdict::Work); phases.len()];
    }
    let phases = phases.iter().zip(baseline.1.iter().zip(other.1));
    phases.map(|(phase, summaries)| phase_against(*phase, (baseline.0, summaries.0), (other.0, summaries.1))).collect()
}

/// A phase of one series beside that of another.
#[must_use]
pub fn beside_in(phase: Phase, baseline: (&Series<'_>, &PhaseSummary), other: (&Series<'_>, &PhaseSummary)) -> Beside {
    if unlike(baseline.0, other.0).is_empty() { phase_against(phase, baseline, other) } else { Beside::NoVerdict(NoVerdict::Work) }
}

fn phase_against(phase: Phase, baseline: (&Series<'_>, &PhaseSummary), other: (&Series<'_>, &PhaseSummary)) -> Beside {
    let (Some(ours), Some(theirs)) = (baseline.1.rate, other.1.rate) else { return Beside::NoVerdict(NoVerdict::NoFigure) };
    if let Some(difference) = unlike_labels(baseline.1, other.1) {
        return Beside::NoVerdict(NoVerdict::Labels(difference));
    }
    if let Some(difference) = unlike_in_phase(baseline.0, other.0, phase).into_iter().next() {
        return Beside::NoVerdict(NoVerdict::Unlike(difference));
    }
    let Some(ratio) = Ratio::of(&rates(baseline.0, phase), &rates(other.0, phase)) else {
        return Beside::NoVerdict(NoVerdict::NoRatio);
    };
    if baseline.0.batches.max(other.0.batches) > 1 {
        return Beside::Pooled(theirs.median / ours.median);
    }
    Beside::Against { verdict: ratio.verdict(), ratio }
}

/// The finite rates of the runs of a series.
fn rates(series: &Series<'_>, phase: Phase) -> Vec<f64> {
    let records = series.runs.iter().filter_map(|run| run.phase(phase));
    records.filter_map(PhaseRecord::rate).filter(|rate| rate.is_finite()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::identity::Identity;
    use crate::model::label::CacheLabel;
    use crate::model::record::RunRecord;
    use crate::model::sample;
    use crate::model::series::Pooling;
    use crate::report::{Arrangement, Report};

    fn runs(label: &str, count: u32, rate: f64) -> Vec<RunRecord> {
        let run = |round: u32| {
            let mut run = sample::run(label, round);
            for phase in Phase::STANDARD {
                sample::set_rate(&mut run, *phase, rate * (1.0 + 0.001 * f64::from(round)));
            }
            run
        };
        (1..=count).map(run).collect()
    }

    fn beside(records: &[RunRecord], arrangement: &Arrangement, phase: Phase) -> Beside {
        let report = Report::arranged(records, arrangement);
        Comparison::of(&report.sections[0], 0).beside(1, phase).clone()
    }

    #[test]
    fn a_series_is_so_many_times_its_baseline() {
        let records = [runs("a", 6, 100.0), runs("b", 6, 120.0)].concat();
        let Beside::Against { ratio, verdict } = beside(&records, &Arrangement::default(), Phase::BlockRead) else { panic!("no ratio") };
        assert!((ratio.ratio - 1.2).abs() < 0.01 && ratio.low > 1.19 && ratio.high < 1.21, "{ratio:?}");
        assert_eq!(verdict, Verdict::Faster);
        let report = Report::of(&records);
        assert_eq!(Comparison::of(&report.sections[0], 1).beside(1, Phase::Rewrite), &Beside::Baseline);
    }

    #[test]
    fn no_word_stands_where_labels_or_ways_differ() {
        let mut records = [runs("a", 6, 100.0), runs("b", 6, 120.0)].concat();
        for run in &mut records[6..] {
            sample::phase_mut(run, Phase::SeqStat).cache = Some(CacheLabel::Cold);
            sample::phase_mut(run, Phase::RandomSeek).preparation.drops = 1;
        }
        let words = |phase| beside(&records, &Arrangement::default(), phase).words();
        assert_eq!(words(Phase::SeqStat), "no verdict: cached, cold");
        assert_eq!(words(Phase::RandomSeek), "no verdict: caches as they were, dropped");
        assert_eq!(words(Phase::BlockRead), "faster");
    }

    #[test]
    fn other_work_and_missing_figures_have_no_ratio() {
        let mut records = [runs("a", 6, 100.0), runs("b", 6, 120.0)].concat();
        for run in &mut records[6..] {
            run.phases.retain(|record| record.name != Phase::Rewrite);
        }
        assert_eq!(beside(&records, &Arrangement::default(), Phase::Rewrite), Beside::NoVerdict(NoVerdict::NoFigure));
        records.iter_mut().skip(6).for_each(|run| run.workload_id = Identity(9));
        let mixed = Arrangement { is_mixed: true, ..Arrangement::default() };
        assert_eq!(beside(&records, &mixed, Phase::BlockRead), Beside::NoVerdict(NoVerdict::Work));
    }

    #[test]
    fn a_rate_of_0_allows_no_ratio_and_is_a_figure_all_the_same() {
        let mut records = [runs("a", 6, 100.0), runs("b", 6, 120.0)].concat();
        sample::counted_mut(&mut records[7], Phase::BlockRead).work = 0;
        assert_eq!(beside(&records, &Arrangement::default(), Phase::BlockRead).words(), "no verdict: no ratio to a rate of 0");
    }

    #[test]
    fn pooled_batches_have_a_ratio_and_no_interval() {
        let mut records = [runs("a", 6, 100.0), runs("b", 6, 120.0)].concat();
        records[0].batch = Identity(1);
        let pooled = Arrangement { pooling: Pooling::Pooled, ..Arrangement::default() };
        let Beside::Pooled(ratio) = beside(&records, &pooled, Phase::BlockRead) else { panic!("an interval") };
        assert!((ratio - 1.2).abs() < 0.01);
    }
}
