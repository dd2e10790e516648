//! A phase over the runs of a series in the document: spreads, labels, and how it stands beside the baseline.

use super::details::{DetailForm, KindSummary};
use super::finite;
use super::run::{microseconds, seconds};
use crate::model::phase::Phase;
use crate::model::series::Series;
use crate::model::summary::PhaseSummary;
use crate::report::comparison::Beside;
use crate::stats::{Interval, Spread};
use serde::Serialize;

/// A phase over the runs of a series.
#[derive(Serialize)]
pub struct SummaryForm {
    phase: &'static str,
    unit: &'static str,
    n: usize,
    recorded: usize,
    is_reported: bool,
    rate: Option<SpreadForm>,
    elapsed_s: Option<MiddleForm>,
    ack_rate: Option<MiddleForm>,
    cpu_own_pct: Option<MiddleForm>,
    cpu_system_pct: Option<MiddleForm>,
    p99_us: Option<MiddleForm>,
    cpu_seconds_per_gib: Option<MiddleForm>,
    cpu_seconds_per_1000: Option<MiddleForm>,
    tool_percent: Option<MiddleForm>,
    cache: Vec<String>,
    durable: Vec<&'static str>,
    io_obtained: Vec<&'static str>,
    flags: Vec<&'static str>,
    against_baseline: Option<AgainstForm>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    details: Vec<DetailForm>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    kinds: Vec<KindSummary>,
}

/// A spread: the middle of the values, and two ends with what they are.
#[derive(Serialize)]
pub struct SpreadForm {
    n: usize,
    median: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
    interval: &'static str,
    min: Option<f64>,
    max: Option<f64>,
}

/// The middle of the values and their ends, as the format csv-summary has them of what is no rate.
#[derive(Serialize)]
struct MiddleForm {
    median: Option<f64>,
    min: Option<f64>,
    max: Option<f64>,
}

/// A phase beside that of the baseline.
#[derive(Serialize)]
struct AgainstForm {
    words: String,
    verdict: Option<&'static str>,
    ratio: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
    interval: Option<&'static str>,
    p: Option<f64>,
}

impl SummaryForm {
    /// A summary of a series, and how it stands beside the baseline where there is one.
    pub fn of(series: &Series<'_>, summary: &PhaseSummary, beside: Option<&Beside>) -> Self {
        let phase: Phase = summary.phase;
        let middle = |spread: Option<Spread>, unit: fn(f64) -> f64| spread.map(|spread| MiddleForm::of(&spread, unit));
        Self {
            phase: phase.name(),
            unit: phase.row().unit.name(),
            n: summary.n,
            recorded: summary.recorded,
            is_reported: summary.reported,
            rate: summary.rate.as_ref().map(SpreadForm::of),
            elapsed_s: middle(summary.elapsed_ns, seconds),
            ack_rate: middle(summary.acknowledged, as_it_is),
            cpu_own_pct: middle(summary.cpu_own, as_it_is),
            cpu_system_pct: middle(summary.cpu_system, as_it_is),
            p99_us: middle(summary.p99_ns, microseconds),
            cpu_seconds_per_gib: middle(summary.cpu_ns_per_gib, seconds),
            cpu_seconds_per_1000: middle(summary.cpu_ns_per_1000, seconds),
            tool_percent: middle(summary.tool_percent, as_it_is),
            cache: summary.cache.iter().map(ToString::to_string).collect(),
            durable: summary.durable.iter().map(|label| label.word()).collect(),
            io_obtained: summary.io.iter().map(|io| io.word()).collect(),
            flags: summary.flags.iter().map(|flag| flag.word()).collect(),
            against_baseline: beside.map(AgainstForm::of),
            details: DetailForm::all(series, phase, summary.rate),
            kinds: KindSummary::all(series, phase, summary.rate),
        }
    }
}

fn as_it_is(value: f64) -> f64 {
    value
}

impl SpreadForm {
    /// A spread in the unit of its values.
    pub fn of(spread: &Spread) -> Self {
        let known = |value: f64| finite(Some(value));
        Self {
            n: spread.n,
            median: known(spread.median),
            low: known(spread.low),
            high: known(spread.high),
            interval: spread.interval.name(),
            min: known(spread.min),
            max: known(spread.max),
        }
    }
}

impl MiddleForm {
    fn of(spread: &Spread, unit: fn(f64) -> f64) -> Self {
        let [median, min, max] = [spread.median, spread.min, spread.max].map(|value| finite(Some(unit(value))));
        Self { median, min, max }
    }
}

impl AgainstForm {
    fn of(beside: &Beside) -> Self {
        let words = beside.words();
        let alone = Self { words, verdict: None, ratio: finite(beside.ratio()), low: None, high: None, interval: None, p: None };
        match beside {
            Beside::Baseline | Beside::Pooled(_) | Beside::NoVerdict(_) => alone,
            Beside::Against { ratio, verdict } => Self {
                verdict: Some(verdict.name()),
                low: finite(Some(ratio.low)),
                high: finite(Some(ratio.high)),
                interval: Some(Interval::name(ratio.interval)),
                p: finite(Some(ratio.p)),
                ..alone
            },
        }
    }
}
