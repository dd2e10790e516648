//! THE TABLE OF RATIOS: every series of a section beside its baseline as plain texts; text and markup draw it.

use super::Section;
use super::comparison::{Beside, Comparison, NoVerdict};
use super::figures::{NO_FIGURE, RateFigures, rate_figures, ratio_figures};
use super::table::{cache_words, is_from_memory, words};
use crate::model::flag::Flag;
use crate::model::phase::Phase;
use crate::model::summary::PhaseSummary;
use crate::stats::{Interval, Ratio};

/// The ratios of a section.
pub struct Ratios {
    /// The name of the intervals: `95 % CI`; `None` where there is none.
    pub range: Option<String>,
    pub phases: Vec<PhaseRatios>,
}

/// A phase with a row a series.
pub struct PhaseRatios {
    pub phase: Phase,
    /// `Block write, MiB/s`.
    pub heading: String,
    pub rows: Vec<Row>,
}

/// A series beside its baseline in a phase. What does not apply is empty.
pub struct Row {
    pub label: String,
    /// The median of the rates.
    pub median: String,
    /// `1` of the baseline itself.
    pub ratio: RateFigures,
    pub verdict: String,
    /// Whether the verdict says that the two differ.
    pub is_resolved: bool,
    /// Whether the rate is no figure of a device.
    pub is_from_memory: bool,
    pub words: Vec<String>,
    pub flags: Vec<Flag>,
}

/// The table of ratios; `None` without a baseline.
pub fn ratios(section: &Section<'_>) -> Option<Ratios> {
    let comparison = section.comparison.as_ref()?;
    let shown = section.phases.iter().map(|phase| (*phase, section.rows(*phase))).filter(|(_, rows)| !rows.is_empty());
    let phases = shown.map(|(phase, rows)| {
        let (unit, _) = phase.row().unit.rate();
        let rows = rows.into_iter().filter_map(|(place, summary)| row(section, comparison, place, summary));
        PhaseRatios { phase, heading: format!("{}, {unit}", phase.row().title), rows: rows.collect() }
    });
    Some(Ratios { range: range_heading(section, comparison), phases: phases.collect() })
}

/// The ratios that have an interval, with their places.
pub fn found<'s>(section: &'s Section<'_>, comparison: &'s Comparison) -> impl Iterator<Item = (usize, Phase, &'s Ratio)> {
    let places = (0..section.series.len()).flat_map(|place| section.phases.iter().map(move |phase| (place, *phase)));
    places.filter_map(|(place, phase)| match comparison.beside(place, phase) {
        Beside::Against { ratio, .. } => Some((place, phase, ratio)),
        Beside::Baseline | Beside::Pooled(_) | Beside::NoVerdict(_) => None,
    })
}

/// What the intervals of the ratios are, as a heading: `95 % CI`; `None` where there is none.
pub fn range_heading(section: &Section<'_>, comparison: &Comparison) -> Option<String> {
    let intervals: Vec<Interval> =
        found(section, comparison).map(|(_, _, ratio)| ratio.interval).filter(|one| *one != Interval::Values).collect();
    let first = *intervals.first()?;
    let is_interval = first == Interval::Ci95 && intervals.iter().all(|one| *one == first);
    Some(if is_interval { "95 % CI" } else { "range" }.to_owned())
}

fn row(section: &Section<'_>, comparison: &Comparison, place: usize, summary: &PhaseSummary) -> Option<Row> {
    let beside = comparison.beside(place, summary.phase);
    let (_, unit) = summary.phase.row().unit.rate();
    let words = match summary.phase.row().writes {
        _ if summary.n == 0 => words(summary),
        true => Vec::new(),
        false => cache_words(&summary.cache),
    };
    Some(Row {
        label: section.series.get(place)?.name.clone(),
        median: summary.rate.map_or_else(|| NO_FIGURE.to_owned(), |rate| rate_figures(&rate, unit).median),
        ratio: if summary.rate.is_some() { figures(beside) } else { figures(&Beside::NoVerdict(NoVerdict::NoFigure)) },
        verdict: beside.words(),
        is_resolved: matches!(beside, Beside::Against { verdict, .. } if verdict.is_difference()),
        is_from_memory: is_from_memory(summary),
        words,
        flags: summary.flags.clone(),
    })
}

/// How many times the baseline, with its ends where it has any.
pub fn figures(beside: &Beside) -> RateFigures {
    let alone = |median: &str| RateFigures { median: median.to_owned(), ..RateFigures::default() };
    match beside {
        Beside::Baseline => alone("1"),
        Beside::Against { ratio, .. } => {
            let figures = ratio_figures(ratio.ratio, ratio.low, ratio.high);
            if ratio.interval == Interval::Values { alone(&figures.median) } else { figures }
        }
        Beside::Pooled(ratio) => alone(&ratio_figures(*ratio, *ratio, *ratio).median),
        Beside::NoVerdict(_) => alone(NO_FIGURE),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::label::CacheLabel;
    use crate::model::sample;
    use crate::report::Report;

    #[test]
    fn a_row_says_ratio_interval_and_word() {
        let mut records = Vec::new();
        for round in 1..=6 {
            for (label, factor) in [("ext4", 1.0), ("xfs", 1.2)] {
                let mut run = sample::run(label, round);
                for phase in Phase::STANDARD {
                    sample::set_rate(&mut run, *phase, factor * (100.0 + f64::from(round)));
                }
                records.push(run);
            }
        }
        for run in records.iter_mut().filter(|run| run.label == "xfs") {
            sample::phase_mut(run, Phase::SeqStat).cache = Some(CacheLabel::Cold);
        }
        let mut report = Report::of(&records);
        assert!(ratios(&report.sections[0]).is_none());
        crate::report::baseline::compare(&mut report, "ext4", false).unwrap();
        let table = ratios(&report.sections[0]).unwrap();
        assert_eq!(table.range.as_deref(), Some("95 % CI"));
        let [baseline, other] = &table.phases[0].rows[..] else { panic!("two rows") };
        assert_eq!((baseline.ratio.median.as_str(), baseline.verdict.as_str()), ("1", "baseline"));
        assert_eq!((other.ratio.median.as_str(), other.verdict.as_str(), other.is_resolved), ("1.20", "faster", true));
        let stat = table.phases.iter().find(|phase| phase.heading.starts_with("Seq. stat")).unwrap();
        assert_eq!((stat.rows[1].ratio.median.as_str(), stat.rows[1].verdict.as_str()), ("–", "no verdict: cached, cold"));
        assert!(stat.rows[0].is_from_memory && !stat.rows[1].is_from_memory);
    }
}
