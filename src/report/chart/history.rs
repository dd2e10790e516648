//! The chart `history`: did it change? One label over its batches, a point a batch, in the order of their dates.

use super::axis::Axis;
use super::model::{Chart, Drawing, Fill, Tone};
use super::plots::{Place, Plot, PlotColumn, PlotRow, Plots, Point, Shape};
use super::{ChartKind, caption, doubt, rates};
use crate::model::likeness::unlike;
use crate::model::phase::Phase;
use crate::model::printable::printable;
use crate::model::series::Series;
use crate::model::summary::PhaseSummary;
use crate::report::Section;
use crate::report::differences::{Varied, varied};
use crate::report::figures::{rate_figure, rate_figures};
use crate::report::lines::join_and;
use crate::stats::Spread;
use std::collections::HashMap;

/// The kind.
pub const HISTORY: ChartKind = ChartKind { name: "history", purpose: "did it change? one label over its batches", chart };

/// More names than these are counted.
const MOST_NAMED: usize = 3;

fn chart(section: &Section<'_>) -> Chart {
    let (several, single): (Vec<Label>, Vec<Label>) = labels(section).into_iter().partition(|label| label.places.len() > 1);
    let several: Vec<Label> = several.into_iter().take(rates::MOST_TARGETS).collect();
    let differing = differing(section, &several);
    let fact = differing.first().map(Below::of);
    let phases: Vec<Phase> = section.phases.iter().copied().filter(|phase| is_measured(section, *phase, &several)).collect();
    let columns = several.iter().enumerate().map(|(place, label)| PlotColumn {
        heading: if several.len() > 1 { label.name.clone() } else { String::new() },
        tone: Tone::of(place, several.len()),
        places: label.below(section, fact.as_ref()),
        plots: phases.iter().map(|phase| label.plot(section, *phase, fact.as_ref())).collect(),
    });
    let title = match several.as_slice() {
        [only] => format!("History of {}", only.name),
        _ => "History".to_owned(),
    };
    let rows = phases.iter().map(|phase| row(section, *phase, &several)).collect();
    Chart {
        kind: HISTORY.name,
        title,
        reading: reading(section, &several, &single, &differing),
        keys: Vec::new(),
        columns: Vec::new(),
        drawing: Drawing::Plots(Plots {
            rows,
            columns: if phases.is_empty() { Vec::new() } else { columns.collect() },
            below: fact.as_ref().map(|fact| fact.name.clone()).unwrap_or_default(),
            is_tall: false,
        }),
        footnote: caption::footnote(section),
    }
}

/// A label with its batches, as places among the series in the order of their dates.
struct Label {
    name: String,
    places: Vec<usize>,
}

/// Only like is joined: batches of a label that are unlike work, or began in another state of the caches, are labels of their own.
fn labels(section: &Section<'_>) -> Vec<Label> {
    let mut labels: Vec<Label> = Vec::new();
    let mut of_name: HashMap<&str, Vec<usize>> = HashMap::new();
    for (place, series) in section.series.iter().enumerate() {
        let known = of_name.entry(&series.label).or_default();
        let is_like = |number: &&usize| {
            let first = labels.get(**number).and_then(|label| section.series.get(*label.places.first()?));
            first.is_some_and(|first| unlike(first, series).is_empty())
        };
        match known.iter().find(is_like).copied().and_then(|number| labels.get_mut(number)) {
            Some(label) => label.places.push(place),
            None => {
                // Of several kinds of work under one label each has the name that tells it apart.
                let name = if known.is_empty() { &series.label } else { &series.name };
                known.push(labels.len());
                labels.push(Label { name: name.clone(), places: vec![place] });
            }
        }
    }
    for label in &mut labels {
        label.places.sort_by_key(|place| section.series.get(*place).map(|series| &series.first.started));
    }
    labels
}

/// A batch in a phase, where it has a figure that can be drawn.
fn summary<'s>(section: &'s Section<'_>, place: usize, phase: Phase) -> Option<(&'s PhaseSummary, Spread)> {
    let summary = section.summaries.get(place)?.iter().find(|summary| summary.phase == phase)?;
    let rate = summary.rate.filter(|rate| rate.low >= 0.0 && rate.high.is_finite())?;
    Some((summary, rate))
}

fn is_measured(section: &Section<'_>, phase: Phase, labels: &[Label]) -> bool {
    labels.iter().flat_map(|label| &label.places).any(|place| summary(section, *place, phase).is_some())
}

/// The scale of a row is that of all labels.
fn row(section: &Section<'_>, phase: Phase, labels: &[Label]) -> PlotRow {
    let (unit, size) = phase.row().unit.rate();
    let rates = labels.iter().flat_map(|label| &label.places).filter_map(|place| summary(section, *place, phase));
    let values: Vec<f64> = rates.map(|(_, rate)| rate.high / size).collect();
    PlotRow { heading: phase.row().title.to_owned(), unit: unit.to_owned(), axis: Axis::from_zero(&values) }
}

/// The facts that differ between batches of a label: what the user noted first, then in the order of reports.
fn differing(section: &Section<'_>, labels: &[Label]) -> Vec<Varied> {
    let differs = |fact: &Varied, label: &Label| {
        fact.values.iter().filter(|(places, _)| places.iter().any(|place| label.places.contains(place))).count() > 1
    };
    let mut facts: Vec<Varied> = varied(section).into_iter().filter(|fact| labels.iter().any(|label| differs(fact, label))).collect();
    facts.sort_by_key(|fact| !fact.title.starts_with("tag "));
    facts
}

/// The fact that stands below the points.
struct Below {
    /// `Linux`, `tag step`.
    name: String,
    /// The places of the series that have a value.
    values: Vec<(Vec<usize>, String)>,
}

impl Below {
    /// A word that begins all values is their name.
    fn of(fact: &Varied) -> Self {
        let split: Option<Vec<(&str, &str)>> = fact.values.iter().map(|(_, value)| value.split_once(' ')).collect();
        let first = split.as_ref().and_then(|values| values.first()).map(|(word, _)| *word);
        match (split, first) {
            (Some(values), Some(word)) if values.iter().all(|(other, _)| *other == word) => {
                let rest = fact.values.iter().zip(&values).map(|((places, _), (_, rest))| (places.clone(), (*rest).to_owned()));
                Self { name: word.to_owned(), values: rest.collect() }
            }
            _ => Self { name: fact.title.clone(), values: fact.values.clone() },
        }
    }

    fn value(&self, place: usize) -> &str {
        self.values.iter().find(|(places, _)| places.contains(&place)).map_or("", |(_, value)| value)
    }
}

impl Label {
    /// How far along a batch lies: batches stand at equal distances.
    fn along(&self, number: usize) -> f64 {
        number as f64 / (self.places.len() - 1).max(1) as f64
    }

    fn started<'s>(&self, section: &'s Section<'_>) -> Vec<&'s str> {
        self.places.iter().filter_map(|place| section.series.get(*place)).map(|series| series.first.started.as_str()).collect()
    }

    /// The fact and the date below each point.
    fn below(&self, section: &Section<'_>, fact: Option<&Below>) -> Vec<Place> {
        let dates = dates(&self.started(section));
        let places = self.places.iter().zip(dates).enumerate();
        let place = |(number, (place, dates)): (usize, (&usize, Vec<String>))| {
            let fact = fact.map(|fact| fact.value(*place).to_owned());
            Place { along: self.along(number), lines: fact.into_iter().chain(dates).collect() }
        };
        places.map(place).collect()
    }

    fn plot(&self, section: &Section<'_>, phase: Phase, fact: Option<&Below>) -> Plot {
        let (unit, size) = phase.row().unit.rate();
        let found: Vec<Option<(&PhaseSummary, Spread)>> = self.places.iter().map(|place| summary(section, *place, phase)).collect();
        let point = |(number, found): (usize, &Option<(&PhaseSummary, Spread)>)| {
            let (summary, rate) = (*found)?;
            let place = *self.places.get(number)?;
            Some(Point {
                along: self.along(number),
                at: rate.median / size,
                low: rate.low / size,
                high: rate.high / size,
                is_hollow: doubt::fill(summary) != Fill::Solid,
                title: sentence(section.series.get(place)?, summary, &rate, fact.map(|fact| (fact, place))),
            })
        };
        let points: Vec<Option<Point>> = found.iter().enumerate().map(point).collect();
        let missing = points.iter().filter(|point| point.is_none()).count();
        let figure = |rate: &Spread| rate_figures(rate, size).median;
        let end = found.last().copied().flatten().map(|(_, rate)| figure(&rate)).unwrap_or_default();
        let words = match missing {
            0 => String::new(),
            all if all == self.places.len() => "– no figure".to_owned(),
            some => format!("no figure in {some} of {} batches", self.places.len()),
        };
        let medians = || found.iter().flatten().map(|(_, rate)| rate.median);
        let (least, greatest) = (medians().fold(f64::INFINITY, f64::min), medians().fold(0.0, f64::max));
        let about = format!("{}, {}", phase.row().title, self.name);
        let range = format!(
            "medians of {} batches from {} to {} {unit}",
            found.len() - missing,
            rate_figure(least, size),
            rate_figure(greatest, size)
        );
        let value = if missing == found.len() { "no figure".to_owned() } else { range };
        let title = if missing == 0 { format!("{about}: {value}, the last {end}") } else { format!("{about}: {value}; {words}") };
        Plot {
            shape: Shape::Dots,
            pieces: points.split(Option::is_none).map(pieces).filter(|piece| !piece.is_empty()).collect(),
            end,
            words,
            title,
        }
    }
}

fn pieces(points: &[Option<Point>]) -> Vec<Point> {
    points.iter().flatten().cloned().collect()
}

/// `2025-12-04 10:00, Linux 6.12.8: 494.4 MiB/s, 95 % CI 490.0 – 499.3, 6 runs; durable`.
fn sentence(series: &Series<'_>, summary: &PhaseSummary, rate: &Spread, fact: Option<(&Below, usize)>) -> String {
    let (unit, size) = summary.phase.row().unit.rate();
    let figures = rate_figures(rate, size);
    let fact = fact.map(|(fact, place)| format!(", {} {}", fact.name, fact.value(place))).unwrap_or_default();
    let started = printable(&series.first.started.chars().take(16).collect::<String>()).replace('T', " ");
    let value = match rate.n {
        1 => format!("{} {unit}, 1 run", figures.median),
        n => format!("{} {unit}, {} {} – {}, {n} runs", figures.median, rates::range_name(rate.interval), figures.low, figures.high),
    };
    let words = doubt::in_sentence(summary);
    let words = if words.is_empty() { words } else { format!("; {words}") };
    format!("{started}{fact}: {value}{words}")
}

/// Dates as short as tell them apart, a line each: the month, the day, the time of the day, day and time.
fn dates(started: &[&str]) -> Vec<Vec<String>> {
    let part = |from: usize, count: usize| -> Vec<String> {
        started.iter().map(|text| printable(&text.chars().skip(from).take(count).collect::<String>())).collect()
    };
    let differ = |parts: &[String]| parts.iter().collect::<std::collections::HashSet<_>>().len() == parts.len();
    let (months, days, minutes, seconds) = (part(0, 7), part(0, 10), part(11, 5), part(11, 8));
    let lines = |parts: Vec<String>| parts.into_iter().map(|part| vec![part]).collect::<Vec<_>>();
    if differ(&months) {
        return lines(months);
    }
    if differ(&days) {
        return lines(days);
    }
    let both = |times: &[String]| -> Vec<String> { days.iter().zip(times).map(|(day, time)| format!("{day} {time}")).collect() };
    let times = if differ(&both(&minutes)) { minutes } else { seconds };
    let is_one_day = days.windows(2).all(|pair| pair.first() == pair.last());
    if is_one_day { lines(times) } else { times.into_iter().zip(days).map(|(time, day)| vec![day, time]).collect() }
}

fn reading(section: &Section<'_>, several: &[Label], single: &[Label], differing: &[Varied]) -> String {
    if several.is_empty() {
        let none = "No history: it takes several batches of one label, and each has one here.".to_owned();
        return caption::reading(section, vec![none]);
    }
    let mut sentences = vec!["Dot: median of a batch.".to_owned()];
    if let Some(range) = caption::range_in_words(section) {
        sentences.push(format!("Shading: {range}."));
    }
    sentences.push("Beside the last: its value.".to_owned());
    let titles: Vec<String> = differing.iter().map(|fact| fact.title.clone()).collect();
    match titles.as_slice() {
        [] => {}
        [only] => sentences.push(format!("Below: {only}, the one fact that differs.")),
        [first, others @ ..] => {
            sentences.push(format!("Below: {first}; {} differ{} too.", named(others, "facts"), if others.len() == 1 { "s" } else { "" }))
        }
    }
    if several.len() > 1 {
        sentences.push("One scale in each row, from zero.".to_owned());
    }
    if section.measured().iter().any(|(_, summary)| doubt::fill(summary) != Fill::Solid) {
        sentences.push("Hollow: no figure of the device, or under 1 s.".to_owned());
    }
    let names: Vec<String> = single.iter().map(|label| label.name.clone()).collect();
    if !names.is_empty() {
        let has = if names.len() == 1 { "has one batch and is" } else { "have one batch each and are" };
        sentences.push(format!("{} {has} left out.", named(&names, "labels")));
    }
    caption::reading(section, sentences)
}

/// `fill`, `fill and governor`, `5 other facts`.
fn named(names: &[String], what: &str) -> String {
    if names.len() <= MOST_NAMED { join_and(names) } else { format!("{} other {what}", names.len()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::identity::Identity;
    use crate::model::record::{PhaseRecord, RunRecord};
    use crate::model::sample;
    use crate::report::Report;

    /// Three runs of a batch on a day.
    fn batch(label: &str, number: u64, started: &str, rate: f64) -> Vec<RunRecord> {
        let run = |round: u32| {
            let mut run = RunRecord { batch: Identity(number), started: started.to_owned(), ..sample::run(label, round) };
            for phase in Phase::STANDARD {
                sample::set_rate(&mut run, *phase, rate + f64::from(round));
            }
            run
        };
        (1..=3).map(run).collect()
    }

    fn plots_of(records: &[RunRecord]) -> (Chart, Plots) {
        let chart = chart(&Report::of(records).sections[0]);
        let Drawing::Plots(plots) = chart.drawing.clone() else { panic!("no plots") };
        (chart, plots)
    }

    #[test]
    fn batches_stand_in_the_order_of_their_dates_with_the_fact_that_differs() {
        let mut records = [
            batch("ext4", 3, "2026-06-15T08:00:00Z", 120.0),
            batch("ext4", 1, "2025-12-04T10:00:00Z", 100.0),
            batch("ext4", 2, "2026-03-02T10:00:00Z", 110.0),
        ]
        .concat();
        for (run, kernel) in records.iter_mut().zip([15, 15, 15, 8, 8, 8, 12, 12, 12]) {
            run.machine.kernel = Some(format!("Linux 6.{kernel}.1"));
        }
        let (chart, plots) = plots_of(&records);
        assert_eq!((chart.title.as_str(), plots.below.as_str(), plots.rows.len()), ("History of ext4", "Linux", 10));
        assert!(chart.reading.contains("Below: kernel, the one fact that differs."), "{}", chart.reading);
        let column = &plots.columns[0];
        let places: Vec<(f64, String)> = column.places.iter().map(|place| (place.along, place.lines.join(" "))).collect();
        assert_eq!(
            places,
            [(0.0, "6.8.1 2025-12"), (0.5, "6.12.1 2026-03"), (1.0, "6.15.1 2026-06")].map(|(at, text)| (at, text.to_owned()))
        );
        let plot = &column.plots[0];
        let points: Vec<f64> = plot.pieces[0].iter().map(|point| point.at.round()).collect();
        assert_eq!((points, plot.end.as_str()), (vec![102.0, 112.0, 122.0], "122.0"));
        assert_eq!(plot.title, "Block write, ext4: medians of 3 batches from 102 to 122 MiB/s, the last 122.0");
        assert_eq!(plot.pieces[0][0].title, "2025-12-04 10:00, Linux 6.8.1: 102.0 MiB/s, range 101.0 – 103.0, 3 runs; durable");
        assert!(plot.pieces[0].iter().all(|point| plots.rows[0].axis.holds(point.low) && point.high <= plots.rows[0].axis.high));
    }

    #[test]
    fn labels_share_scales_and_those_of_one_batch_are_named() {
        let records = [
            batch("a", 1, "2026-06-15T08:00:00Z", 100.0),
            batch("b", 1, "2026-06-15T08:01:00Z", 900.0),
            batch("c", 1, "2026-06-15T08:02:00Z", 5.0),
            batch("a", 2, "2026-06-15T09:00:00Z", 110.0),
            batch("b", 2, "2026-06-16T09:01:00Z", 800.0),
        ]
        .concat();
        let (chart, plots) = plots_of(&records);
        assert_eq!((chart.title.as_str(), plots.columns.len(), plots.columns[1].heading.as_str()), ("History", 2, "b"));
        assert!(chart.reading.contains("c has one batch and is left out."), "{}", chart.reading);
        assert!((plots.rows[0].axis.high - 903.0).abs() < 0.1, "{:?}", plots.rows[0].axis);
        assert_eq!(plots.columns[0].places[1].lines, ["09:00"], "one day");
        assert_eq!(plots.columns[1].places[1].lines, ["2026-06-16"]);
    }

    #[test]
    fn what_is_missing_breaks_the_line_and_is_said() {
        let mut records: Vec<RunRecord> = (1..=4).flat_map(|number| batch("a", number, &format!("2026-06-1{number}"), 100.0)).collect();
        for run in records.iter_mut().filter(|run| run.batch == Identity(2)) {
            *sample::phase_mut(run, Phase::Rewrite) = PhaseRecord::failed(Phase::Rewrite, "io");
        }
        let (_, plots) = plots_of(&records);
        let plot = &plots.columns[0].plots[1];
        assert_eq!(plot.pieces.iter().map(Vec::len).collect::<Vec<_>>(), [1, 2]);
        assert_eq!(plot.words, "no figure in 1 of 4 batches");
        assert!(plot.title.ends_with("; no figure in 1 of 4 batches"), "{}", plot.title);
    }

    #[test]
    fn one_batch_is_no_history() {
        let (chart, plots) = plots_of(&batch("a", 1, "2026-06-15T08:00:00Z", 100.0));
        assert!(plots.columns.is_empty() && chart.reading.starts_with("No history: it takes several batches"), "{}", chart.reading);
    }

    #[test]
    fn dates_are_as_short_as_tell_them_apart() {
        let said = |started: &[&str]| dates(started).iter().map(|lines| lines.join("/")).collect::<Vec<_>>();
        assert_eq!(said(&["2026-06-15T08:00:00Z", "2026-07-15T08:00:00Z"]), ["2026-06", "2026-07"]);
        assert_eq!(said(&["2026-06-15T08:00:00Z", "2026-06-16T08:00:00Z"]), ["2026-06-15", "2026-06-16"]);
        assert_eq!(said(&["2026-06-15T08:00:00Z", "2026-06-15T08:01:00Z"]), ["08:00", "08:01"]);
        assert_eq!(said(&["2026-06-15T08:00:00Z", "2026-06-15T08:00:05Z"]), ["08:00:00", "08:00:05"]);
        let two = ["2026-06-15T08:00:00Z", "2026-06-15T09:00:00Z", "2026-06-16T08:00:00Z"];
        assert_eq!(said(&two), ["2026-06-15/08:00", "2026-06-15/09:00", "2026-06-16/08:00"]);
        assert_eq!(said(&["", "\u{1b}"]), ["", "?"]);
    }
}
