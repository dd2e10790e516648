//! What is told of each kind of operation of a phase, as data.

use super::aftermath::Kind;
use super::detail::{DetailKind, spread};
use super::phase::Phase;
use super::record::Counted;
use super::series::Series;
use crate::stats::Spread;

/// A number of a kind of operation.
#[derive(Debug)]
pub struct KindDetail {
    /// The name in the formats for programs, with its unit where it has one: `average_ns`.
    pub name: &'static str,
    /// What it is counted in.
    pub kind: DetailKind,
    /// What heads it in a table: `Average`.
    pub title: &'static str,
    /// What it is, in a line.
    pub meaning: &'static str,
    of: fn(&Kind, &Counted) -> Option<f64>,
}

macro_rules! kind_details {
    ($($kind:ident $name:literal $title:literal $meaning:literal $of:expr;)*) => {
        /// Every one, in the order of a report.
        pub const KIND_DETAILS: &[KindDetail] =
            &[$(KindDetail { name: $name, kind: DetailKind::$kind, title: $title, meaning: $meaning, of: $of },)*];
    };
}

kind_details! {
    Count    "count"      "Count"   "operations of this kind in the timed part of a run" |kind, _| Some(kind.count as f64);
    Latency  "average_ns" "Average" "what one of them took on average"                   |kind, _| kind.average_ns();
    Latency  "p99_ns"     "p99"     "99 of 100 of them took no longer"                   |kind, _| kind.percentile_ns(0.99);
    Latency  "max_ns"     "Max"     "the longest of them"                                |kind, _| (kind.count > 0).then_some(kind.max_ns as f64);
    ByteRate "byte_rate"  "Data"    "bytes that they moved, over the whole time"         byte_rate;
}

/// Bytes a second of the phase's time; `None` where the kind moves none.
fn byte_rate(kind: &Kind, counted: &Counted) -> Option<f64> {
    (kind.bytes > 0 && counted.elapsed_ns > 0).then(|| kind.bytes as f64 * 1e9 / counted.elapsed_ns as f64)
}

impl KindDetail {
    /// What it was of a kind in a phase that counted this; `None` where it does not apply.
    #[must_use]
    pub fn of(&self, kind: &Kind, counted: &Counted) -> Option<f64> {
        (self.of)(kind, counted).filter(|value| value.is_finite())
    }

    /// Its spread over the runs of a series that have it, as [`spread`] makes it. `None` where no run has it.
    #[must_use]
    pub fn over(&self, series: &Series<'_>, phase: Phase, kind: &str, rate: Option<Spread>) -> Option<Spread> {
        let of_run = |counted: &Counted| self.of(counted.kinds.iter().find(|one| one.name == kind)?, counted);
        let values: Vec<f64> = series.runs.iter().filter_map(|run| of_run(run.phase(phase)?.counted()?)).collect();
        spread(&values, rate)
    }
}

/// The names of the kinds that any run of some series has in a phase, in the order in which they appear first.
#[must_use]
pub fn kinds_of<'s>(series: &'s [Series<'_>], phase: Phase) -> Vec<&'s str> {
    let counted = series.iter().flat_map(|one| &one.runs).filter_map(|run| run.phase(phase)?.counted());
    let mut names: Vec<&'s str> = Vec::new();
    for kind in counted.flat_map(|counted| &counted.kinds) {
        if !names.contains(&kind.name.as_str()) {
            names.push(&kind.name);
        }
    }
    names
}
