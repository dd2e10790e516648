//! The chart `ratio`: better than the baseline? How many times the baseline each series is, with its interval, around 1.

use super::axis::Axis;
use super::model::{Arrow, Chart, Column, Drawing, Figure, Fill, Group, Holds, Mark, Panel, Row, Tone, Verdict as Word, Weight};
use super::{ChartKind, caption, doubt, rates};
use crate::model::phase::Phase;
use crate::model::series::Series;
use crate::model::summary::PhaseSummary;
use crate::report::Section;
use crate::report::comparison::{Beside, Comparison};
use crate::report::figures::{NO_FIGURE, rate_figures};
use crate::report::ratios;
use crate::stats::{Interval, Ratio, Verdict};

/// The kind.
pub const RATIO: ChartKind = ChartKind { name: "ratio", purpose: "better than the baseline? ratios with their interval", chart };

/// Within these ratios two rates are the same.
const BAND: (f64, f64) = (0.95, 1.05);

/// Compared with the baseline of the section, and without one with its first series.
fn chart(section: &Section<'_>) -> Chart {
    let first;
    let comparison = match &section.comparison {
        Some(comparison) => comparison,
        None => {
            first = Comparison::of(section, 0);
            &first
        }
    };
    let name = section.series.get(comparison.baseline).map_or(String::new(), |series| series.name.clone());
    let range = ratios::range_heading(section, comparison);
    let drawn = Drawn { section, comparison, name: &name, range };
    let has_others = section.series.len() > 1;
    Chart {
        kind: RATIO.name,
        title: format!("Against {name}"),
        reading: drawn.reading(has_others),
        keys: Vec::new(),
        columns: drawn.columns(),
        drawing: Drawing::Stacked(if has_others { drawn.panel().into_iter().collect() } else { Vec::new() }),
        footnote: caption::footnote(section),
    }
}

/// What the chart is made from.
struct Drawn<'s, 'a> {
    section: &'s Section<'a>,
    comparison: &'s Comparison,
    /// The name of the baseline.
    name: &'s str,
    /// The heading of the intervals; `None` where there is none.
    range: Option<String>,
}

impl Drawn<'_, '_> {
    fn columns(&self) -> Vec<Column> {
        let column = |heading: &str, holds, is_in_narrow| Column { heading: heading.to_owned(), holds, is_in_narrow };
        let range = self.range.as_ref().map(|heading| column(heading, Holds::Ranges, false));
        let median = column("median", Holds::Numbers, false);
        std::iter::once(column("ratio", Holds::Numbers, true)).chain(range).chain([median]).collect()
    }

    /// The series beside the baseline in a phase.
    fn others(&self, phase: Phase) -> Vec<(usize, &PhaseSummary, &Beside)> {
        let rows = rates::rows(self.section, phase).into_iter().filter(|(place, _)| *place != self.comparison.baseline);
        rows.map(|(place, summary)| (place, summary, self.comparison.beside(place, phase))).collect()
    }

    fn all(&self) -> impl Iterator<Item = (usize, &PhaseSummary, &Beside)> {
        self.section.phases.iter().flat_map(|phase| self.others(*phase))
    }

    fn panel(&self) -> Option<Panel> {
        let values: Vec<f64> = self
            .all()
            .flat_map(|(_, _, beside)| match beside {
                Beside::Against { ratio, .. } => vec![ratio.low, ratio.ratio, ratio.high],
                Beside::Pooled(ratio) => vec![*ratio],
                Beside::Baseline | Beside::NoVerdict(_) => Vec::new(),
            })
            .collect();
        let axis = Axis::of_ratios(&values, BAND);
        let groups: Vec<Group> = self.section.phases.iter().filter_map(|phase| self.group(*phase, &axis)).collect();
        let unit = "log scale, right of 1 is faster".to_owned();
        (!groups.is_empty()).then(|| Panel { heading: format!("Ratio to {}", self.name), unit, axis, groups })
    }

    fn baseline(&self, phase: Phase) -> Option<&PhaseSummary> {
        self.section.summaries.get(self.comparison.baseline)?.iter().find(|summary| summary.phase == phase)
    }

    fn group(&self, phase: Phase, axis: &Axis) -> Option<Group> {
        let (unit, size) = phase.row().unit.rate();
        let baseline = self.baseline(phase)?;
        let row = |(place, summary, beside): (usize, &PhaseSummary, &Beside)| {
            let series = self.section.series.get(place)?;
            Some(self.row(series, Tone::of(place, self.section.series.len()), (baseline, summary), beside, axis))
        };
        let rows: Vec<Row> = self.others(phase).into_iter().filter_map(row).collect();
        let note = match baseline.rate {
            Some(rate) => format!("{} {unit}", rate_figures(&rate, size).median),
            None => doubt::in_row(baseline),
        };
        (!rows.is_empty()).then(|| Group { heading: Some(phase.row().title.to_owned()), note, rows })
    }

    fn row(&self, series: &Series<'_>, tone: Tone, (ours, theirs): (&PhaseSummary, &PhaseSummary), beside: &Beside, axis: &Axis) -> Row {
        let is_hollow = [ours, theirs].iter().any(|summary| doubt::fill(summary) != Fill::Solid);
        let is_resolved = is_resolved(beside);
        let number = |value: String, is_strong| Figure::Number {
            value,
            unit: String::new(),
            weight: if is_strong { Weight::Strong } else { Weight::Quiet },
        };
        let (unit, size) = theirs.phase.row().unit.rate();
        let ratio = ratios::figures(beside);
        let median = theirs.rate.map_or_else(|| NO_FIGURE.to_owned(), |rate| rate_figures(&rate, size).median);
        let range = self.range.as_ref().map(|_| Figure::Range { low: ratio.low, high: ratio.high });
        let words = match beside {
            Beside::NoVerdict(_) if theirs.n == 0 => doubt::in_row(theirs),
            Beside::NoVerdict(reason) => reason.words(),
            Beside::Baseline | Beside::Against { .. } | Beside::Pooled(_) => String::new(),
        };
        Row {
            label: series.name.clone(),
            tone,
            marks: marks(beside, is_hollow, axis),
            is_grey: !is_resolved,
            title: self.sentence(series, theirs, beside, &format!("{median} {unit}")),
            figures: std::iter::once(number(ratio.median, is_resolved)).chain(range).chain([number(median, false)]).collect(),
            verdict: word(beside),
            words,
        }
    }

    /// `Block write, xfs: 1.01 times ext4, 95 % CI 0.99 – 1.02; same within 5 %; median 503.3 MiB/s, durable`.
    fn sentence(&self, series: &Series<'_>, summary: &PhaseSummary, beside: &Beside, median: &str) -> String {
        let about = format!("{}, {}", summary.phase.row().title, series.name);
        let figures = ratios::figures(beside);
        let value = match beside {
            Beside::Against { ratio: Ratio { interval: Interval::Values, .. }, .. } | Beside::Pooled(_) => {
                format!("{} times {}", figures.median, self.name)
            }
            Beside::Against { ratio, .. } => {
                let range = rates::range_name(ratio.interval);
                format!("{} times {}, {range} {} – {}", figures.median, self.name, figures.low, figures.high)
            }
            Beside::Baseline | Beside::NoVerdict(_) => "no ratio".to_owned(),
        };
        let doubts = doubt::in_sentence(summary);
        let own = if summary.n == 0 {
            doubts
        } else if doubts.is_empty() {
            format!("median {median}")
        } else {
            format!("median {median}, {doubts}")
        };
        format!("{about}: {value}; {}; {own}", beside.words())
    }

    fn reading(&self, has_others: bool) -> String {
        let section = self.section;
        if !has_others {
            return caption::reading(section, vec!["There is one series, and nothing to compare with it.".to_owned()]);
        }
        let any = |is_meant: fn(&Beside) -> bool| self.all().any(|(_, _, beside)| is_meant(beside));
        let ratios = || self.all().filter_map(|(_, _, beside)| if let Beside::Against { ratio, .. } = beside { Some(ratio) } else { None });
        let mut sentences = vec!["Dot: ratio to the baseline, whose median stands by the phase.".to_owned()];
        if any(|beside| matches!(beside, Beside::Against { .. })) {
            sentences = vec!["Dot: Hodges-Lehmann ratio to the baseline, whose median stands by the phase.".to_owned()];
        }
        let has = |interval| ratios().any(|ratio| ratio.interval == interval);
        match (has(Interval::Ci95), has(Interval::Range)) {
            (true, true) => sentences.push("Line: exact 95 % interval, of few runs the range of the ratios.".to_owned()),
            (true, false) => sentences.push("Line: exact 95 % interval.".to_owned()),
            (false, true) => sentences.push("Line: range of the ratios.".to_owned()),
            (false, false) => {}
        }
        if any(|beside| !is_resolved(beside) && beside.ratio().is_some()) {
            sentences.push("Grey: not resolved, the same within 5 %, or without a verdict.".to_owned());
        }
        let is_hollow = |summary: &PhaseSummary| doubt::fill(summary) != Fill::Solid;
        let pairs = || self.all().filter(|(_, _, beside)| beside.ratio().is_some());
        if pairs().any(|(_, summary, _)| is_hollow(summary) || self.baseline(summary.phase).is_some_and(is_hollow)) {
            sentences.push("Hollow: no figure of the device, or under 1 s.".to_owned());
        }
        caption::reading(section, sentences)
    }
}

fn is_resolved(beside: &Beside) -> bool {
    matches!(beside, Beside::Against { verdict, .. } if verdict.is_difference())
}

fn marks(beside: &Beside, is_hollow: bool, axis: &Axis) -> Vec<Mark> {
    let interval = match beside {
        Beside::Against { ratio, .. } if ratio.interval != Interval::Values => Some(Mark::Interval { from: ratio.low, to: ratio.high }),
        Beside::Baseline | Beside::Against { .. } | Beside::Pooled(_) | Beside::NoVerdict(_) => None,
    };
    let dot = beside.ratio().filter(|ratio| axis.holds(*ratio)).map(|at| Mark::Disc { at, is_hollow });
    interval.into_iter().chain(dot).collect()
}

/// The word behind a ratio.
fn word(beside: &Beside) -> Option<Word> {
    let arrow = match beside {
        Beside::Against { verdict: Verdict::Faster, .. } => Some(Arrow::Up),
        Beside::Against { verdict: Verdict::Slower, .. } => Some(Arrow::Down),
        Beside::Against { verdict: Verdict::Same | Verdict::NotResolved | Verdict::TooFew, .. } | Beside::Pooled(_) => None,
        Beside::Baseline | Beside::NoVerdict(_) => return None,
    };
    Some(Word { arrow, text: beside.words() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::flag::Flag;
    use crate::model::label::CacheLabel;
    use crate::model::record::RunRecord;
    use crate::model::sample;
    use crate::report::Report;
    use crate::report::baseline::compare;

    fn records(factors: &[f64], runs: u32) -> Vec<RunRecord> {
        let mut records = Vec::new();
        for round in 1..=runs {
            for (label, factor) in ["ext4", "xfs", "btrfs"].iter().zip(factors) {
                let mut run = sample::run(label, round);
                for phase in Phase::STANDARD {
                    sample::set_rate(&mut run, *phase, factor * (100.0 + f64::from(round)));
                }
                records.push(run);
            }
        }
        records
    }

    fn chart_of(records: &[RunRecord]) -> Chart {
        chart(&Report::of(records).sections[0])
    }

    fn rows(chart: &Chart) -> Vec<Row> {
        chart.drawing.panels().iter().flat_map(|panel| &panel.groups).flat_map(|group| group.rows.clone()).collect()
    }

    #[test]
    fn the_first_series_is_the_baseline_where_none_is_named() {
        let records = records(&[1.0, 1.2, 0.8], 6);
        let chart = chart_of(&records);
        assert_eq!((chart.title.as_str(), chart.drawing.panels()[0].heading.as_str()), ("Against ext4", "Ratio to ext4"));
        let first = &rows(&chart)[0];
        assert_eq!(first.title, "Block write, xfs: 1.20 times ext4, 95 % CI 1.16 – 1.24; faster; median 124.2 MiB/s, durable");
        assert_eq!(first.verdict, Some(Word { arrow: Some(Arrow::Up), text: "faster".to_owned() }));
        assert_eq!(rows(&chart)[1].verdict.as_ref().unwrap().arrow, Some(Arrow::Down));
        assert_eq!(chart.drawing.panels()[0].groups[0].note, "103.5 MiB/s");
        assert_eq!(rows(&chart).len(), 20);
        let mut report = Report::of(&records);
        compare(&mut report, "btrfs", false).unwrap();
        assert_eq!(chart_named_by(&report), "ratio");
        assert_eq!(super::chart(&report.sections[0]).title, "Against btrfs");
    }

    fn chart_named_by(report: &Report<'_>) -> &'static str {
        super::super::kind_for(&report.sections[0]).name
    }

    #[test]
    fn every_ratio_lies_on_the_axis_around_one() {
        let chart = chart_of(&records(&[1.0, 40.0, 0.003], 3));
        let axis = &chart.drawing.panels()[0].axis;
        for most in [3, 4] {
            let ticks = axis.ticks(most);
            assert!(ticks.at.iter().any(|(at, label)| *at == 1.0 && label == "1×"), "{ticks:?}");
            for mark in rows(&chart).into_iter().flat_map(|row| row.marks) {
                let ends = match mark {
                    Mark::Interval { from, to } => [from, to],
                    Mark::Disc { at, .. } => [at, at],
                    other => panic!("{other:?}"),
                };
                assert!(ends.iter().all(|end| (ticks.low..=ticks.high).contains(end)), "{mark:?} {ticks:?}");
            }
        }
        assert!(rows(&chart).iter().all(|row| row.is_grey && row.verdict.as_ref().unwrap().text == "too few runs"));
    }

    #[test]
    fn doubt_and_missing_verdicts_are_drawn_and_said() {
        let mut records = records(&[1.0, 1.0], 6);
        for run in &mut records {
            sample::phase_mut(run, Phase::BlockRead).flags = if run.label == "ext4" { vec![Flag::Short] } else { Vec::new() };
            if run.label == "xfs" {
                sample::phase_mut(run, Phase::SeqStat).cache = Some(CacheLabel::Cold);
                run.phases.retain(|record| record.name != Phase::Rewrite);
            }
        }
        let chart = chart_of(&records);
        let found = |title: &str| rows(&chart).into_iter().find(|row| row.title.starts_with(title)).unwrap();
        assert!(matches!(found("Block read").marks[1], Mark::Disc { is_hollow: true, .. }), "the baseline was short");
        assert!(found("Block write").is_grey && found("Block write").verdict.unwrap().text == "same within 5 %");
        let stat = found("Seq. stat");
        assert_eq!((stat.words.as_str(), stat.marks.len(), stat.verdict), ("cached, cold", 0, None));
        assert_eq!(found("Rewrite").title, "Rewrite, xfs: no ratio; no verdict: no figure; not in the run file");
    }

    #[test]
    fn one_series_has_nothing_to_be_compared_with() {
        let chart = chart_of(&[sample::run("ext4", 1)]);
        assert!(chart.drawing.panels().is_empty());
        assert!(chart.reading.starts_with("There is one series, and nothing to compare with it."), "{}", chart.reading);
    }
}
