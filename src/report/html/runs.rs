//! The values of every run, up to as many as a page can bear.

use super::cells::Target;
use super::page::{RunPhase, RunRow, RunValue, Runs};
use crate::model::phase::Phase;
use crate::model::series::Series;
use crate::model::summary::PhaseSummary;
use crate::report::figures::{NO_FIGURE, run_figures};
use crate::report::lines::join_and;
use crate::report::{Section, facts};
use crate::stats::Oddness;
use crate::units::with_thousands;

/// More values than these only the run file has.
const MOST_VALUES: usize = 2000;

/// The values; `None` where no target has more than one run, whose values the other tables have.
pub fn runs(section: &Section<'_>, targets: &[Target]) -> Option<Runs> {
    let measured = section.measured();
    let most = measured.iter().filter_map(|(place, _)| section.series.get(*place)).map(|series| series.runs.len()).max()?;
    if most < 2 {
        return None;
    }
    let count: usize = measured.iter().map(|(_, summary)| summary.recorded).sum();
    if count > MOST_VALUES {
        let count = with_thousands(count as f64, 0);
        let note = format!("They are {count}, too many for a page: the run file has them, and barrow report -f csv makes a table of them.");
        return Some(Runs { note, most, phases: Vec::new() });
    }
    let is_one_batch = section.series.iter().all(|series| Some(series.batch) == section.series.first().map(|first| first.batch));
    let together = is_one_batch && section.series.len() > 1 && facts::has_order(section);
    let order = if together { " In each round every target ran once, in shuffled order." } else { "" };
    let phases = section.phases.iter().filter_map(|phase| run_phase(section, *phase, targets)).collect();
    Some(Runs { note: format!("In the order of the rounds.{order}"), most, phases })
}

fn run_phase(section: &Section<'_>, phase: Phase, targets: &[Target]) -> Option<RunPhase> {
    let rows = section.rows(phase);
    let (unit, size) = phase.row().unit.rate();
    let row = |(place, summary): &(usize, &PhaseSummary)| Some(run_row(section.series.get(*place)?, summary, targets.get(*place)?, size));
    let rows: Vec<RunRow> = rows.iter().filter_map(row).collect();
    (!rows.is_empty()).then(|| RunPhase { title: phase.row().title, unit, rows })
}

fn run_row(series: &Series<'_>, summary: &PhaseSummary, target: &Target, size: f64) -> RunRow {
    let rates: Vec<Option<f64>> = series.runs.iter().map(|run| run.phase(summary.phase)?.rate().filter(|rate| rate.is_finite())).collect();
    let known: Vec<f64> = rates.iter().copied().flatten().collect();
    let mut figures = summary.rate.map(|rate| run_figures(&known, &rate, size)).unwrap_or_default().into_iter();
    // The places of outliers are those among the runs that have a rate.
    let places: Vec<usize> = rates.iter().enumerate().filter(|(_, rate)| rate.is_some()).map(|(place, _)| place).collect();
    let odd: Vec<usize> = Oddness::of(&known).outliers.iter().filter_map(|outlier| places.get(outlier.index).copied()).collect();
    let values = rates.iter().enumerate().map(|(place, rate)| RunValue {
        figure: rate.and_then(|_| figures.next()).unwrap_or_else(|| NO_FIGURE.to_owned()),
        is_odd: odd.contains(&place),
    });
    RunRow { target: target.clone(), values: values.collect(), odd: odd_in_words(&odd) }
}

/// `outlier: run 4`, `outliers: runs 1 and 4`.
fn odd_in_words(places: &[usize]) -> String {
    let runs: Vec<String> = places.iter().map(|place| (place + 1).to_string()).collect();
    match runs.len() {
        0 => String::new(),
        1 => format!("outlier: run {}", join_and(&runs)),
        _ => format!("outliers: runs {}", join_and(&runs)),
    }
}
