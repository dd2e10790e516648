//! The comparison in words: per series which phases differ from the baseline and by how much, and how sure that is.

use super::comparison::{Beside, Comparison};
use super::differences::varied;
use super::figures::{RateFigures, ratio_figures};
use super::lines::join_and;
use super::places::{in_sentence, taken_together};
use super::ratios::found;
use super::{Section, facts};
use crate::model::phase::Phase;
use crate::stats::{Interval, Ratio, Verdict};

/// More phases of one verdict than these are counted, not named.
const MOST_NAMED: usize = 3;

/// A sentence a series: `xfs against ext4: faster in rewrite (1.09 ×, 95 % CI 1.06 – 1.11), slower in 4 (0.76 – 0.91 ×), same within
/// 5 % in 3, not resolved in 2 of 10 phases.` None without a baseline.
pub fn sentences(section: &Section<'_>) -> Vec<String> {
    let Some(comparison) = &section.comparison else { return Vec::new() };
    let Some(baseline) = section.series.get(comparison.baseline) else { return Vec::new() };
    let shown: Vec<Phase> = section.phases.iter().copied().filter(|phase| !section.rows(*phase).is_empty()).collect();
    let others = section.series.iter().enumerate().filter(|(place, _)| *place != comparison.baseline);
    others.map(|(place, series)| format!("{} against {}: {}.", series.name, baseline.name, clauses(comparison, place, &shown))).collect()
}

/// A phase beside its baseline.
type Compared<'s> = (Phase, &'s Beside);

fn clauses(comparison: &Comparison, place: usize, shown: &[Phase]) -> String {
    let all: Vec<Compared<'_>> = shown.iter().map(|phase| (*phase, comparison.beside(place, *phase))).collect();
    let with = |wanted: Verdict| -> Vec<Compared<'_>> {
        let is_wanted = |beside: &Beside| matches!(beside, Beside::Against { verdict, .. } if *verdict == wanted);
        all.iter().filter(|(_, beside)| is_wanted(beside)).copied().collect()
    };
    let count = |is_meant: fn(&Beside) -> bool| all.iter().filter(|(_, beside)| is_meant(beside)).count();
    let pooled = count(|beside| matches!(beside, Beside::Pooled(_)));
    let none = count(|beside| matches!(beside, Beside::NoVerdict(_)));
    let too_few = with(Verdict::TooFew);
    let counted = [
        (with(Verdict::Same).len(), "same within 5 % in"),
        (with(Verdict::NotResolved).len(), "not resolved in"),
        (too_few.len(), "too few runs for a verdict in"),
        (pooled, "pooled, so without a verdict, in"),
        (none, "no verdict in"),
    ];
    let mut clauses: Vec<String> =
        [Verdict::Faster, Verdict::Slower].into_iter().filter_map(|verdict| differing(verdict, &with(verdict))).collect();
    clauses.extend(counted.into_iter().filter(|(count, _)| *count > 0).map(|(count, words)| format!("{words} {count}")));
    let last_is_named = clauses.last().is_some_and(|clause| clause.ends_with(')'));
    let all_phases = if all.len() == 1 { "1 phase".to_owned() } else { format!("{} phases", all.len()) };
    let end = if last_is_named { format!("; {all_phases} in all") } else { format!(" of {all_phases}") };
    format!("{}{end}", clauses.join(", "))
}

/// `faster in rewrite (1.09 ×, 95 % CI 1.06 – 1.11)`, or of many `slower in 4 (0.76 – 0.91 ×)`.
fn differing(verdict: Verdict, phases: &[Compared<'_>]) -> Option<String> {
    let ratios: Vec<(Phase, &Ratio)> = phases
        .iter()
        .filter_map(|(phase, beside)| if let Beside::Against { ratio, .. } = beside { Some((*phase, ratio)) } else { None })
        .collect();
    let words = match ratios.as_slice() {
        [] => return None,
        few if few.len() <= MOST_NAMED => join_and(&few.iter().map(|(phase, ratio)| with_interval(*phase, ratio)).collect::<Vec<_>>()),
        many => {
            let least = many.iter().map(|(_, ratio)| ratio.ratio).fold(f64::INFINITY, f64::min);
            let greatest = many.iter().map(|(_, ratio)| ratio.ratio).fold(0.0, f64::max);
            let all: Vec<Phase> = many.iter().map(|(phase, _)| *phase).collect();
            let names = join_and(&taken_together(&all));
            format!("{} ({names}: {} – {} ×)", many.len(), alone(least), alone(greatest))
        }
    };
    Some(format!("{} in {words}", verdict.name()))
}

fn with_interval(phase: Phase, ratio: &Ratio) -> String {
    let RateFigures { median, low, high } = ratio_figures(ratio.ratio, ratio.low, ratio.high);
    format!("{} ({median} ×, 95 % CI {low} – {high})", in_sentence(phase))
}

fn alone(ratio: f64) -> String {
    ratio_figures(ratio, ratio, ratio).median
}

/// In what the surroundings differ: `They differ in mount options and kernel.`; None without a baseline.
pub fn difference(section: &Section<'_>) -> Option<String> {
    section.comparison.as_ref()?;
    if section.series.len() < 2 {
        return None;
    }
    let titles: Vec<String> = varied(section).into_iter().map(|fact| fact.title).collect();
    // Of what another program measured no surroundings are known: that nothing differs would be more than is known.
    if titles.is_empty() && facts::is_reported(section) {
        return None;
    }
    let words = if titles.is_empty() { "nothing that barrow records".to_owned() } else { join_and(&titles) };
    Some(format!("The surroundings differ in {words}."))
}

/// What ratio, interval and words mean, and how often they are wrong; empty without a baseline.
pub fn meaning(section: &Section<'_>) -> Vec<String> {
    let Some(comparison) = &section.comparison else { return Vec::new() };
    let ratios: Vec<&Ratio> = found(section, comparison).map(|(_, _, ratio)| ratio).collect();
    let mut sentences = Vec::new();
    let has_interval = ratios.iter().any(|ratio| ratio.interval == Interval::Ci95);
    if has_interval {
        sentences.push("Ratio to the baseline, above 1 is faster: Hodges-Lehmann (the middle of the ratios of every pair of runs, not the quotient of the medians) with its exact Mann-Whitney 95 % interval.".to_owned());
        sentences.push(
            "faster, slower: p <= 0.01 and at least 5 %. same within 5 %: the whole interval lies in 0.95 – 1.05. not resolved: neither."
                .to_owned(),
        );
        sentences.push("Two identical targets would show one false difference in about 1 of 12 such tables.".to_owned());
    } else if !ratios.is_empty() {
        sentences.push("Ratio to the baseline, above 1 is faster: the middle of the ratios of every pair of runs.".to_owned());
    }
    if ratios.iter().any(|ratio| ratio.interval == Interval::Range) {
        sentences.push("With under 4 runs on a side the range of the ratios stands in place of the interval.".to_owned());
    }
    if ratios.iter().any(|ratio| ratio.verdict() == Verdict::TooFew) {
        sentences.push("A verdict needs 5 runs on each side.".to_owned());
    }
    let has = |is_meant: fn(&Beside) -> bool| {
        (0..section.series.len()).any(|place| section.phases.iter().any(|phase| is_meant(comparison.beside(place, *phase))))
    };
    if has(|beside| matches!(beside, Beside::Pooled(_))) {
        sentences
            .push("Pooled batches were not run in turns, so they have the ratio of their medians, no interval and no verdict.".to_owned());
    }
    if has(|beside| matches!(beside, Beside::NoVerdict(super::comparison::NoVerdict::Labels(_)))) {
        sentences.push("No verdict where cache or durability labels differ.".to_owned());
    }
    sentences
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::record::RunRecord;
    use crate::model::sample;
    use crate::report::Report;
    use crate::report::baseline::compare;

    fn records(factors: &[(Phase, f64)], runs: u32) -> Vec<RunRecord> {
        let mut records = Vec::new();
        for round in 1..=runs {
            for label in ["before", "after"] {
                let mut run = sample::run(label, round);
                run.filesystem.kind = "ext4".to_owned();
                for phase in Phase::STANDARD {
                    let factor = factors.iter().find(|(other, _)| other == phase && label == "after").map_or(1.0, |(_, factor)| *factor);
                    sample::set_rate(&mut run, *phase, factor * (100.0 + 0.1 * f64::from(round)));
                }
                if label == "after" {
                    run.filesystem.mount_options = "rw,noatime".to_owned();
                }
                records.push(run);
            }
        }
        records
    }

    fn said(records: &[RunRecord]) -> (Vec<String>, Option<String>) {
        let mut report = Report::of(records);
        compare(&mut report, "before", false).unwrap();
        (sentences(&report.sections[0]), difference(&report.sections[0]))
    }

    #[test]
    fn what_changed_is_named_with_its_interval() {
        let (sentences, difference) = said(&records(&[(Phase::SeqStat, 1.3), (Phase::Rewrite, 0.9)], 6));
        let expected = "after against before: faster in seq. stat (1.30 ×, 95 % CI 1.29 – 1.31), slower in rewrite (0.90 ×, 95 % CI \
            0.89 – 0.91), same within 5 % in 8 of 10 phases.";
        assert_eq!(sentences, [expected]);
        assert_eq!(difference.as_deref(), Some("The surroundings differ in mount options."));
    }

    #[test]
    fn many_phases_are_counted() {
        let phases = [Phase::SeqCreate, Phase::RandomCreate, Phase::BlockRead, Phase::SeqDelete];
        let factors: Vec<(Phase, f64)> = phases.into_iter().zip([0.5, 0.6, 0.7, 0.8]).collect();
        let (sentences, _) = said(&records(&factors, 6));
        let expected =
            "after against before: slower in 4 (block read, create and seq. delete: 0.50 – 0.80 ×), same within 5 % in 6 of 10 phases.";
        assert_eq!(sentences, [expected]);
    }

    #[test]
    fn too_few_runs_make_no_verdict() {
        let (sentences, _) = said(&records(&[], 3));
        assert_eq!(sentences, ["after against before: too few runs for a verdict in 10 of 10 phases."]);
    }
}
