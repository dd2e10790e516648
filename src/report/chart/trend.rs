//! The chart `trend`: was it steady? The rate over the slices of a phase, a small plot a phase and target.

use super::axis::Axis;
use super::model::{Chart, Drawing, Tone};
use super::plots::{Place, Plot, PlotColumn, PlotRow, Plots, Point, Shape};
use super::{ChartKind, caption, doubt, rates};
use crate::model::flag::{Flag, SHORT_NANOSECONDS};
use crate::model::phase::{Group, Phase};
use crate::model::record::Counted;
use crate::model::series::Series;
use crate::model::summary::PhaseSummary;
use crate::report::Section;
use crate::report::figures::rate_figure;
use crate::stats::Spread;

/// The kind.
pub const TREND: ChartKind = ChartKind { name: "trend", purpose: "was it steady? the rate within a phase", chart };

/// Fewer parts than these are no trend.
const LEAST_PARTS: usize = 4;

fn chart(section: &Section<'_>) -> Chart {
    let phases: Vec<Phase> = section.phases.iter().copied().filter(|phase| is_shown(section, *phase)).collect();
    let drawn: Vec<(Phase, Vec<Trend>)> = phases.iter().map(|phase| (*phase, trends(section, *phase))).collect();
    let columns = section.series.iter().take(rates::MOST_TARGETS).enumerate().map(|(place, series)| PlotColumn {
        heading: series.name.clone(),
        tone: Tone::of(place, section.series.len()),
        places: [(0.0, "start"), (1.0, "end of the work")].map(|(along, name)| Place { along, lines: vec![name.to_owned()] }).into(),
        plots: drawn.iter().filter_map(|(_, trends)| trends.get(place)).map(Trend::plot).collect(),
    });
    let columns = if phases.is_empty() { Vec::new() } else { columns.collect() };
    Chart {
        kind: TREND.name,
        title: "Within a phase".to_owned(),
        reading: reading(section, &drawn),
        keys: Vec::new(),
        columns: Vec::new(),
        drawing: Drawing::Plots(Plots { rows: drawn.iter().map(row).collect(), columns, below: String::new(), is_tall: false }),
        footnote: caption::footnote(section),
    }
}

/// Phases that move large files, and seeks, that took long enough to have a trend, and every phase that was not steady.
fn is_shown(section: &Section<'_>, phase: Phase) -> bool {
    let is_long = |summary: &PhaseSummary| summary.elapsed_ns.is_some_and(|elapsed| elapsed.median >= SHORT_NANOSECONDS as f64);
    let is_large = match phase.row().group {
        Group::Block | Group::Seek => true,
        // Some of these have no operations of equal work, which a trend is made of.
        group => group.moves_large_files() && section.series.iter().any(|series| !counted(series, phase).is_empty()),
    };
    rates::rows(section, phase).iter().any(|(_, summary)| (is_large && is_long(summary)) || summary.flags.contains(&Flag::NotSteady))
}

/// What is drawn of a phase of a target; rates are in the unit of the heading.
struct Trend {
    /// The rates of the parts, each over the runs.
    parts: Vec<Spread>,
    words: String,
    title: String,
}

fn trends(section: &Section<'_>, phase: Phase) -> Vec<Trend> {
    let rows = rates::rows(section, phase);
    rows.into_iter().filter_map(|(place, summary)| Some(Trend::of(section.series.get(place)?, summary))).collect()
}

/// The scale of a row is that of all its plots.
fn row((phase, trends): &(Phase, Vec<Trend>)) -> PlotRow {
    let values: Vec<f64> = trends.iter().flat_map(|trend| &trend.parts).map(|part| part.max).collect();
    let (unit, _) = phase.row().unit.rate();
    PlotRow { heading: phase.row().title.to_owned(), unit: unit.to_owned(), axis: Axis::from_zero(&values) }
}

/// What a run counted in a phase, where it has slices.
fn counted<'s>(series: &'s Series<'_>, phase: Phase) -> Vec<&'s Counted> {
    let records = series.runs.iter().filter_map(|run| run.phase(phase)?.counted());
    records.filter(|counted| counted.slices.is_some() && counted.rate().is_some()).collect()
}

/// Work of a heading's unit that an operation does.
fn work_each(counted: &Counted, size: f64) -> f64 {
    counted.work as f64 / counted.operations.max(1) as f64 / size
}

/// The rates of the equal parts of a phase, run by run. There are as many parts as every run has slices; but half as many, as often
/// as a part took no time in some run, as with readahead.
fn rates_of_parts(runs: &[&Counted], size: f64) -> Vec<Vec<f64>> {
    let slices = runs.iter().filter_map(|counted| Some(counted.slices.as_ref()?.elapsed_ns.len()));
    let mut parts = slices.min().unwrap_or(0);
    while parts >= LEAST_PARTS {
        let of_run = |counted: &&Counted| {
            let rates = counted.slices.as_ref()?.rates(counted.operations, parts)?;
            Some(rates.into_iter().map(|rate| rate * work_each(counted, size)).collect::<Vec<f64>>())
        };
        if let Some(rates) = runs.iter().map(of_run).collect::<Option<Vec<_>>>() {
            return rates;
        }
        parts /= 2;
    }
    Vec::new()
}

impl Trend {
    fn of(series: &Series<'_>, summary: &PhaseSummary) -> Self {
        let (unit, size) = summary.phase.row().unit.rate();
        let runs = counted(series, summary.phase);
        let rates = rates_of_parts(&runs, size);
        let count = rates.first().map_or(0, Vec::len);
        let of_part = |place: usize| Spread::of(&rates.iter().filter_map(|run| run.get(place).copied()).collect::<Vec<_>>());
        let parts: Vec<Spread> = (0..count).filter_map(of_part).collect();
        let words = if parts.is_empty() { nothing(summary) } else { unsteady(&runs, summary, size) };
        let title = sentence(series, summary, unit, &parts, &words);
        Self { parts, words, title }
    }

    fn plot(&self) -> Plot {
        let count = self.parts.len() as f64;
        let point = |(place, part): (usize, &Spread)| Point {
            along: (place as f64 + 0.5) / count,
            at: part.median,
            low: part.min,
            high: part.max,
            is_hollow: false,
            title: String::new(),
        };
        let pieces = if self.parts.is_empty() { Vec::new() } else { vec![self.parts.iter().enumerate().map(point).collect()] };
        Plot { shape: Shape::Line, pieces, end: String::new(), words: self.words.clone(), title: self.title.clone() }
    }
}

fn nothing(summary: &PhaseSummary) -> String {
    if summary.n > 0 { "– no slices".to_owned() } else { format!("– {}", doubt::in_row(summary)) }
}

/// The rates of the first and the last quarter of a run that was not steady, in the unit of the heading.
pub fn quarters(counted: &Counted, size: f64) -> Option<(f64, f64)> {
    let steadiness = counted.steadiness().filter(|steadiness| !steadiness.is_steady)?;
    let mean = counted.slices.as_ref()?.rates(counted.operations, 1)?.first().copied()? * work_each(counted, size);
    Some((steadiness.first_quarter * mean, steadiness.last_quarter * mean))
}

/// `not steady: 527 → 372`, the rates of the first and the last quarter: of the runs that were not steady, the medians.
fn unsteady(runs: &[&Counted], summary: &PhaseSummary, size: f64) -> String {
    if !summary.flags.contains(&Flag::NotSteady) {
        return String::new();
    }
    let (first, last): (Vec<f64>, Vec<f64>) = runs.iter().filter_map(|counted| quarters(counted, size)).unzip();
    let of = if first.len() == runs.len() { String::new() } else { format!(" ({}/{})", first.len(), runs.len()) };
    match (Spread::of(&first), Spread::of(&last)) {
        (Some(first), Some(last)) => {
            format!("{}{of}: {} → {}", Flag::NotSteady.word(), rate_figure(first.median, 1.0), rate_figure(last.median, 1.0))
        }
        _ => Flag::NotSteady.word().to_owned(),
    }
}

/// `Block write, ext4: rate over 64 slices, median of 6 runs from 480 to 531 MiB/s, lowest 455, highest 560; not steady: 527 → 372`.
fn sentence(series: &Series<'_>, summary: &PhaseSummary, unit: &str, parts: &[Spread], words: &str) -> String {
    let about = format!("{}, {}", summary.phase.row().title, series.name);
    let least = |value: fn(&Spread) -> f64| rate_figure(parts.iter().map(value).fold(f64::INFINITY, f64::min), 1.0);
    let greatest = |value: fn(&Spread) -> f64| rate_figure(parts.iter().map(value).fold(0.0, f64::max), 1.0);
    let (low, high) = (least(|part| part.median), greatest(|part| part.median));
    let value = match parts.first() {
        None => "no trend".to_owned(),
        Some(Spread { n: 1, .. }) => format!("rate over {} slices from {low} to {high} {unit}, 1 run", parts.len()),
        Some(Spread { n, .. }) => {
            let (lowest, highest) = (least(|part| part.min), greatest(|part| part.max));
            let over = format!("rate over {} slices, median of {n} runs from {low} to {high} {unit}", parts.len());
            format!("{over}, lowest {lowest}, highest {highest}")
        }
    };
    let words = words.trim_start_matches("– ");
    if words.is_empty() { format!("{about}: {value}") } else { format!("{about}: {value}; {words}") }
}

fn reading(section: &Section<'_>, drawn: &[(Phase, Vec<Trend>)]) -> String {
    if drawn.is_empty() && !section.measured().is_empty() {
        let short = "No trend: no block or seek phase took 1 s, and none was not steady.".to_owned();
        return caption::reading(section, vec![short]);
    }
    let trends = || drawn.iter().flat_map(|(_, trends)| trends);
    let counts = trends().map(|trend| trend.parts.len()).filter(|count| *count > 0);
    let (least, most) = counts.fold((usize::MAX, 0), |(least, most), count| (least.min(count), most.max(count)));
    let slices = match (least, most) {
        (_, 0) => "slices".to_owned(),
        (least, most) if least == most => format!("{most} slices"),
        (least, most) => format!("{least} – {most} slices"),
    };
    let mut sentences = vec![format!("Rate over {slices} of equal work, without the flush behind them.")];
    if trends().flat_map(|trend| &trend.parts).any(|part| part.n > 1) {
        sentences.push("Line: median of the runs. Shading: lowest to highest run.".to_owned());
    }
    sentences.push("One scale in each row, from zero.".to_owned());
    let is_said = |start: &str| trends().any(|trend| trend.words.starts_with(start));
    if is_said("not steady (") {
        sentences.push("Not steady (in so many of the runs): rate of their first and last quarter.".to_owned());
    } else if is_said(Flag::NotSteady.word()) {
        sentences.push("Not steady: rate of the first and the last quarter.".to_owned());
    }
    caption::reading(section, sentences)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::record::RunRecord;
    use crate::model::sample;
    use crate::model::slices::Slices;
    use crate::report::Report;

    fn plots_of(records: &[RunRecord]) -> (Chart, Plots) {
        let chart = chart(&Report::of(records).sections[0]);
        let Drawing::Plots(plots) = chart.drawing.clone() else { panic!("no plots") };
        (chart, plots)
    }

    /// A run whose block read has these slices of 1 MiB, in milliseconds.
    fn with_slices(label: &str, round: u32, milliseconds: &[u64]) -> RunRecord {
        let mut run = sample::run(label, round);
        run.phases.retain(|record| record.name == Phase::BlockRead);
        let counted = sample::counted_mut(&mut run, Phase::BlockRead);
        let elapsed_ns: Vec<u64> = milliseconds.iter().map(|elapsed| elapsed * 1_000_000).collect();
        counted.work = milliseconds.len() as u64 * (1 << 20);
        counted.operations = milliseconds.len() as u64;
        counted.elapsed_ns = elapsed_ns.iter().sum::<u64>().max(1);
        counted.slices = Some(Slices { operations_each: 1, elapsed_ns });
        run
    }

    #[test]
    fn the_line_is_the_median_and_the_shading_all_runs() {
        let records =
            [with_slices("a", 1, &[200, 500, 100, 400]), with_slices("a", 2, &[250, 500, 125, 400]), with_slices("a", 3, &[500; 4])];
        let (chart, plots) = plots_of(&records);
        let piece = &plots.columns[0].plots[0].pieces[0];
        let drawn: Vec<[f64; 3]> =
            piece.iter().map(|point| [point.low, point.at, point.high].map(|rate| (rate * 1e6).round() / 1e6)).collect();
        assert_eq!(drawn, [[2.0, 4.0, 5.0], [2.0, 2.0, 2.0], [2.0, 8.0, 10.0], [2.0, 2.5, 2.5]]);
        assert_eq!(piece.iter().map(|point| point.along).collect::<Vec<_>>(), [0.125, 0.375, 0.625, 0.875]);
        assert_eq!((plots.rows[0].unit.as_str(), plots.rows[0].axis.high), ("MiB/s", 10.0));
        let title = &plots.columns[0].plots[0].title;
        assert_eq!(title, "Block read, a: rate over 4 slices, median of 3 runs from 2.00 to 8.00 MiB/s, lowest 2.00, highest 10.0");
        assert!(chart.reading.starts_with("Rate over 4 slices of equal work"), "{}", chart.reading);
    }

    #[test]
    fn runs_of_unequal_slices_have_equal_parts() {
        let records = [with_slices("a", 1, &[250; 8]), with_slices("a", 2, &[500; 5])];
        let (_, plots) = plots_of(&records);
        let piece = &plots.columns[0].plots[0].pieces[0];
        assert_eq!(piece.len(), 5);
        assert!(piece.iter().all(|point| (point.low - 2.0).abs() < 1e-9 && (point.high - 4.0).abs() < 1e-9), "{piece:?}");
        // Slices that took no time are taken together with others.
        let (_, plots) = plots_of(&[with_slices("a", 1, &[500, 0, 500, 0, 500, 0, 500, 0])]);
        let piece = &plots.columns[0].plots[0].pieces[0];
        assert!(piece.len() == 4 && piece.iter().all(|point| (point.at - 4.0).abs() < 1e-9), "{piece:?}");
    }

    #[test]
    fn what_was_not_steady_says_from_where_to_where() {
        let milliseconds: Vec<u64> = (0..64).map(|place| 20 + u64::from(place >= 32) * 40 + place % 3).collect();
        let mut records = [with_slices("a", 1, &milliseconds), with_slices("a", 2, &[50; 64]), with_slices("b", 1, &[5; 64])];
        sample::phase_mut(&mut records[0], Phase::BlockRead).flags = vec![Flag::NotSteady];
        let (chart, plots) = plots_of(&records);
        assert_eq!(plots.columns[0].plots[0].words, "not steady (1/2): 47.8 → 16.4");
        assert_eq!(plots.columns[1].plots[0].words, "", "short, but drawn beside the other");
        assert!(chart.reading.contains("Not steady (in so many"), "{}", chart.reading);
    }

    #[test]
    fn phases_of_under_a_second_are_left_out_with_words() {
        let (chart, plots) = plots_of(&[with_slices("a", 1, &[10; 64])]);
        assert!(plots.rows.is_empty() && plots.columns.is_empty());
        assert!(chart.reading.starts_with("No trend: no block or seek phase took 1 s"), "{}", chart.reading);
    }

    #[test]
    fn what_has_no_slices_says_so() {
        let records = [with_slices("a", 1, &[500; 3]), sample::run("b", 1)];
        let (_, plots) = plots_of(&records);
        assert_eq!(plots.columns[0].plots[2].words, "– no slices", "three slices are no trend");
        assert_eq!(plots.columns[1].plots.iter().map(|plot| plot.words.as_str()).collect::<Vec<_>>(), ["– no slices"; 4]);
        assert_eq!(plots.columns[0].plots[0].title, "Block write, a: no trend; not in the run file");
        assert_eq!(plots.columns[1].plots[1].title, "Rewrite, b: no trend; no slices");
    }
}
