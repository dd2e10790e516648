//! What is told of a phase beside its rate in the document: of a run what was counted and found, of a series each number over its runs.

use super::finite;
use super::run::microseconds;
use super::summary::SpreadForm;
use crate::model::aftermath::{Kind, ProgramEnd};
use crate::model::detail::{DETAILS, Detail, has_details};
use crate::model::kind_detail::{KIND_DETAILS, KindDetail, kinds_of};
use crate::model::phase::Phase;
use crate::model::printable::printable;
use crate::model::record::{Counted, PhaseRecord};
use crate::model::series::Series;
use crate::stats::Spread;
use serde::Serialize;

/// What was counted and found in a phase of a run; only what there is.
#[derive(Serialize)]
pub struct RunDetails {
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    byte_rate: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    operation_rate: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    free_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    files: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    extents: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    program: Option<ProgramForm>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    kinds: Vec<KindForm>,
}

/// How a program ended.
#[derive(Serialize)]
struct ProgramForm {
    #[serde(skip_serializing_if = "Option::is_none")]
    exit: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    signal: Option<i32>,
    output_bytes: u64,
    output: String,
    left_processes: u64,
}

/// A kind of operation in a run.
#[derive(Serialize)]
struct KindForm {
    kind: String,
    count: u64,
    bytes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    byte_rate: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    average_us: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    p50_us: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    p99_us: Option<f64>,
    max_us: f64,
}

/// A number over the runs of a series.
#[derive(Serialize)]
pub struct DetailForm {
    detail: &'static str,
    unit: &'static str,
    #[serde(flatten)]
    spread: SpreadForm,
}

/// A kind of operation over the runs of a series.
#[derive(Serialize)]
pub struct KindSummary {
    kind: String,
    details: Vec<DetailForm>,
}

impl RunDetails {
    /// Those of a phase.
    pub fn of(record: &PhaseRecord) -> Self {
        let rate = |name: &str| DETAILS.iter().find(|detail| detail.name == name && has_details(record))?.of(record);
        Self {
            bytes: record.counted().and_then(|counted| counted.bytes),
            byte_rate: rate("byte_rate"),
            operation_rate: rate("operation_rate"),
            free_bytes: record.after.free_bytes,
            files: record.after.files,
            extents: record.after.extents,
            program: record.after.program.as_ref().map(ProgramForm::of),
            kinds: record
                .counted()
                .map(|counted| counted.kinds.iter().map(|kind| KindForm::of(kind, counted)).collect())
                .unwrap_or_default(),
        }
    }
}

impl ProgramForm {
    fn of(program: &ProgramEnd) -> Self {
        Self {
            exit: program.exit,
            signal: program.signal,
            output_bytes: program.output_bytes,
            // Lines stay lines; a document has its own way to write what a terminal must not see.
            output: program.output.split('\n').map(printable).collect::<Vec<_>>().join("\n"),
            left_processes: program.left_processes,
        }
    }
}

impl KindForm {
    fn of(kind: &Kind, counted: &Counted) -> Self {
        let detail = |name: &str| KIND_DETAILS.iter().find(|detail| detail.name == name).and_then(|detail| detail.of(kind, counted));
        Self {
            kind: printable(&kind.name),
            count: kind.count,
            bytes: kind.bytes,
            byte_rate: detail("byte_rate"),
            average_us: finite(kind.average_ns()).map(microseconds),
            p50_us: finite(kind.percentile_ns(0.5)).map(microseconds),
            p99_us: finite(kind.percentile_ns(0.99)).map(microseconds),
            max_us: microseconds(kind.max_ns as f64),
        }
    }
}

impl DetailForm {
    /// The numbers of a phase that any run of a series has, where there is more to tell than its rate.
    pub fn all(series: &Series<'_>, phase: Phase, rate: Option<Spread>) -> Vec<Self> {
        let has_more = series.runs.iter().filter_map(|run| run.phase(phase)).any(has_details);
        let form = |detail: &Detail| {
            let spread = SpreadForm::of(&detail.over(series, phase, rate)?);
            Some(Self { detail: detail.name, unit: detail.kind.unit(), spread })
        };
        if has_more { DETAILS.iter().filter_map(form).collect() } else { Vec::new() }
    }

    fn of_kind(detail: &KindDetail, series: &Series<'_>, phase: Phase, kind: &str, rate: Option<Spread>) -> Option<Self> {
        let spread = SpreadForm::of(&detail.over(series, phase, kind, rate)?);
        Some(Self { detail: detail.name, unit: detail.kind.unit(), spread })
    }
}

impl KindSummary {
    /// The kinds of a phase that any run of a series has.
    pub fn all(series: &Series<'_>, phase: Phase, rate: Option<Spread>) -> Vec<Self> {
        let details =
            |kind: &str| KIND_DETAILS.iter().filter_map(|detail| DetailForm::of_kind(detail, series, phase, kind, rate)).collect();
        let kinds = kinds_of(std::slice::from_ref(series), phase);
        kinds.into_iter().map(|kind| Self { kind: printable(kind), details: details(kind) }).collect()
    }
}
