//! What a flag rests on, in figures: how a rate moved within a phase, which run is far from the others.

use super::Section;
use super::chart::trend::quarters;
use super::figures::{rate_figure, run_figures};
use super::lines::join_and;
use super::places::{Place, in_words as places_in_words};
use crate::model::flag::Flag;
use crate::model::phase::Phase;
use crate::model::series::Series;
use crate::stats::{Oddness, Spread};

/// Of more places than these the figures are not listed.
const MOST_LISTED: usize = 6;

/// Each place with its figures: `xfs, random delete, run 4: 31,200 files/s`; `None` for flags without, and for many places.
pub fn in_words(section: &Section<'_>, flag: Flag, places: &[Place]) -> Option<String> {
    if places.len() > MOST_LISTED {
        return None;
    }
    let words = places.iter().map(|(place, phase)| {
        let figures = of_flag(section.series.get(*place)?, flag, *phase)?;
        Some(format!("{}{figures}", places_in_words(section, &[(*place, *phase)])))
    });
    words.collect::<Option<Vec<String>>>().map(|words| words.join("; "))
}

fn of_flag(series: &Series<'_>, flag: Flag, phase: Phase) -> Option<String> {
    match flag {
        Flag::NotSteady => {
            let quarters = Quarters::of(series, phase)?;
            let [first, last] = quarters.figures();
            Some(format!(": first quarter {first}, last quarter {last} {}", quarters.unit))
        }
        Flag::Outlier => outliers(series, phase),
        _ => None,
    }
}

fn outliers(series: &Series<'_>, phase: Phase) -> Option<String> {
    let (unit, size) = phase.row().unit.rate();
    let rated = series.runs.iter().enumerate().filter_map(|(place, run)| Some((place + 1, run.phase(phase)?.rate()?)));
    let rated: Vec<(usize, f64)> = rated.filter(|(_, rate)| rate.is_finite()).collect();
    let rates: Vec<f64> = rated.iter().map(|(_, rate)| *rate).collect();
    let figures = run_figures(&rates, &Spread::of(&rates)?, size);
    let odd =
        Oddness::of(&rates).outliers.into_iter().filter_map(|outlier| Some((rated.get(outlier.index)?.0, figures.get(outlier.index)?)));
    let odd: Vec<String> = odd.map(|(run, figure)| format!("run {run}: {figure} {unit}")).collect();
    (!odd.is_empty()).then(|| format!(", {}", join_and(&odd)))
}

/// The rates of the first and the last quarter of a phase.
pub struct Quarters {
    first: f64,
    last: f64,
    pub unit: &'static str,
}

impl Quarters {
    /// The medians over the runs that were not steady; `None` where all were.
    pub fn of(series: &Series<'_>, phase: Phase) -> Option<Self> {
        let (unit, size) = phase.row().unit.rate();
        let counted = series.runs.iter().filter_map(|run| run.phase(phase)?.counted());
        let (first, last): (Vec<f64>, Vec<f64>) = counted.filter_map(|counted| quarters(counted, size)).unzip();
        let median = |rates: &[f64]| Some(Spread::of(rates)?.median);
        Some(Self { first: median(&first)?, last: median(&last)?, unit })
    }

    /// Both as figures.
    pub fn figures(&self) -> [String; 2] {
        [self.first, self.last].map(|rate| rate_figure(rate, 1.0))
    }

    /// How many times the lesser the greater is.
    pub fn change(&self) -> f64 {
        self.first.max(self.last) / self.first.min(self.last)
    }
}
