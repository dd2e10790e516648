//! The chart `sweep`: where is a device fast? The rate by position, from the first byte to the last, a plot a device.

use super::axis::Axis;
use super::model::{Chart, Drawing, Tone};
use super::plots::{Place, Plot, PlotColumn, PlotRow, Plots, Point, Shape};
use super::{ChartKind, caption, doubt, rates};
use crate::model::phase::Phase;
use crate::model::series::Series;
use crate::report::Section;
use crate::report::sweep::{Sweep, SweptPlace};
use crate::units::rounded_size;

/// The kind.
pub const SWEEP: ChartKind = ChartKind { name: "sweep", purpose: "where is it fast? the rate over a device", chart };

/// Labels below a plot stand at so many equal steps.
const STEPS: u32 = 4;

/// Whether any series has a curve.
pub fn is_measured(section: &Section<'_>) -> bool {
    section.series.iter().any(|series| Sweep::of(series).is_some())
}

fn chart(section: &Section<'_>) -> Chart {
    let shown = section.series.iter().take(rates::MOST_TARGETS).enumerate();
    let drawn: Vec<(usize, &Series<'_>, Sweep)> = shown.filter_map(|(place, series)| Some((place, series, Sweep::of(series)?))).collect();
    let columns = drawn.iter().map(|(place, series, sweep)| PlotColumn {
        heading: if section.series.len() > 1 { series.name.clone() } else { String::new() },
        tone: Tone::of(*place, section.series.len()),
        places: positions(sweep),
        plots: vec![plot(section, *place, series, sweep)],
    });
    let title = match section.series.as_slice() {
        [only] => format!("Rate over {}", only.name),
        _ => "Rate over the devices".to_owned(),
    };
    Chart {
        kind: SWEEP.name,
        title,
        reading: reading(section, &drawn),
        keys: Vec::new(),
        columns: Vec::new(),
        drawing: Drawing::Plots(Plots {
            rows: if drawn.is_empty() { Vec::new() } else { vec![row(&drawn)] },
            columns: columns.collect(),
            below: "position".to_owned(),
            is_tall: true,
        }),
        footnote: caption::footnote(section),
    }
}

fn row(drawn: &[(usize, &Series<'_>, Sweep)]) -> PlotRow {
    let highest: Vec<f64> = drawn.iter().flat_map(|(_, _, sweep)| &sweep.places).map(|place| place.rate.max).collect();
    let row = Phase::DeviceSweep.row();
    PlotRow { heading: row.title.to_owned(), unit: row.unit.rate().0.to_owned(), axis: Axis::from_zero(&highest) }
}

/// From the start of the device to its end.
fn positions(sweep: &Sweep) -> Vec<Place> {
    let place = |step: u32| {
        let along = f64::from(step) / f64::from(STEPS);
        let at = sweep.device_bytes / u64::from(STEPS) * u64::from(step);
        let name = match step {
            0 => "0".to_owned(),
            STEPS => rounded_size(sweep.device_bytes),
            _ => rounded_size(at),
        };
        Place { along, lines: vec![name] }
    };
    (0..=STEPS).map(place).collect()
}

fn plot(section: &Section<'_>, place: usize, series: &Series<'_>, sweep: &Sweep) -> Plot {
    let point = |swept: &SweptPlace| Point {
        along: swept.at as f64 / sweep.device_bytes as f64,
        at: swept.rate.median,
        low: swept.rate.min,
        high: swept.rate.max,
        is_hollow: false,
        title: String::new(),
    };
    let summary = rates::rows(section, Phase::DeviceSweep).into_iter().find(|(other, _)| *other == place);
    let doubt = summary.map(|(_, summary)| doubt::in_row(summary)).filter(|words| !words.is_empty());
    // Where there is no room for all, the doubt is what must stand there.
    let words: Vec<String> = doubt.into_iter().chain([sweep.in_words()]).collect();
    let runs = match series.runs.len() {
        1 => "1 run".to_owned(),
        count => format!("median of {count} runs"),
    };
    let (unit, count) = (Phase::DeviceSweep.row().unit.rate().0, sweep.places.len());
    let title = format!("Device sweep, {}: rate at {count} places, {runs}, {unit}: {}", series.name, words.join("; "));
    Plot { shape: Shape::Line, pieces: vec![sweep.places.iter().map(point).collect()], end: String::new(), words: words.join("; "), title }
}

fn reading(section: &Section<'_>, drawn: &[(usize, &Series<'_>, Sweep)]) -> String {
    if drawn.is_empty() {
        let none = "No sweep: `barrow device --sweep` reads a device from its start to its end.".to_owned();
        return caption::reading(section, vec![none]);
    }
    let counts = drawn.iter().map(|(_, _, sweep)| sweep.places.len()).max().unwrap_or(0);
    let mut sentences = vec![format!("Rate at {counts} places from the first byte of the device to the last, read directly.")];
    if drawn.iter().flat_map(|(_, _, sweep)| &sweep.places).any(|place| place.rate.n > 1) {
        sentences.push("Line: median of the runs. Shading: lowest to highest run.".to_owned());
    }
    sentences.push("From zero.".to_owned());
    caption::reading(section, sentences)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::record::RunRecord;
    use crate::model::sample;
    use crate::report::Report;
    use crate::report::chart::kind_for;
    use crate::report::sweep::tests::swept;

    fn plots_of(records: &[RunRecord]) -> (Chart, Plots) {
        let chart = chart(&Report::of(records).sections[0]);
        let Drawing::Plots(plots) = chart.drawing.clone() else { panic!("no plots") };
        (chart, plots)
    }

    #[test]
    fn the_curve_lies_over_the_device() {
        let records: Vec<RunRecord> =
            (1..=3).flat_map(|round| ["sda", "sdb"].map(|label| swept(label, round, |place| 80 + place + u64::from(round)))).collect();
        let (chart, plots) = plots_of(&records);
        assert_eq!((plots.rows.len(), plots.columns.len()), (1, 2));
        let column = &plots.columns[0];
        let below: Vec<&str> = column.places.iter().map(|place| place.lines[0].as_str()).collect();
        assert_eq!(below, ["0", "256 GiB", "512 GiB", "768 GiB", "1 TiB"]);
        let points = &column.plots[0].pieces[0];
        assert_eq!(points.len(), 64);
        assert!(points[0].along < 1e-4 && points[63].along > 0.9999 && (points[32].along - 0.508).abs() < 0.01);
        assert!(points.windows(2).all(|pair| pair[0].at > pair[1].at && pair[0].low < pair[0].at && pair[0].at < pair[0].high));
        assert!(plots.rows[0].axis.low == 0.0 && plots.rows[0].axis.high > 190.0);
        assert!(column.plots[0].words.ends_with("highest 195 at 8 MiB, lowest 110 at 1024 GiB"), "{}", column.plots[0].words);
        assert!(chart.reading.contains("64 places"), "{}", chart.reading);
    }

    #[test]
    fn it_is_drawn_where_a_device_was_swept() {
        assert_eq!(kind_for(&Report::of(&[swept("sda", 1, |_| 80)]).sections[0]).name, "sweep");
        let (chart, plots) = plots_of(&[sample::run("ext4", 1)]);
        assert!(plots.rows.is_empty() && chart.reading.starts_with("No sweep"), "{}", chart.reading);
    }
}
