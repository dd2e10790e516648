//! A run in the document: what was counted in each phase, under the names and in the units of the format csv.

use super::details::RunDetails;
use super::making::MakingForm;
use super::{Each, finite, known, tags};
use crate::model::phase::Phase;
use crate::model::printable::printable;
use crate::model::record::{Counted, PhaseRecord, PhaseResult, Reported, RunRecord};
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;

/// A run, written as [`RunFields`].
pub struct RunForm<'a> {
    pub run: &'a RunRecord,
}

#[derive(Serialize)]
struct RunFields<P: Serialize> {
    nonce: String,
    batch: String,
    round: u32,
    order: u32,
    tags: BTreeMap<String, String>,
    started: Option<String>,
    finished: Option<String>,
    complete: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    making: Option<MakingForm>,
    phases: P,
}

impl Serialize for RunForm<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let run = self.run;
        let fields = RunFields {
            nonce: run.nonce.to_string(),
            batch: run.batch.to_string(),
            round: run.round,
            order: run.order,
            tags: tags(&run.tags),
            started: known(&run.started),
            finished: known(&run.finished),
            complete: run.complete,
            making: run.making.as_ref().map(MakingForm::of),
            phases: Each(|| run.phases.iter().map(PhaseForm::of)),
        };
        fields.serialize(serializer)
    }
}

/// A phase of a run.
#[derive(Serialize)]
struct PhaseForm {
    phase: &'static str,
    unit: &'static str,
    status: &'static str,
    reason: Option<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    remounted: bool,
    #[serde(flatten)]
    figures: Figures,
    cache: Option<String>,
    durable: Option<&'static str>,
    io_obtained: Option<&'static str>,
    flags: Vec<&'static str>,
    #[serde(flatten)]
    details: RunDetails,
}

/// The figures of a phase; all null where it has no number.
#[derive(Default, Serialize)]
struct Figures {
    is_reported: bool,
    work: Option<u64>,
    operations: Option<u64>,
    elapsed_s: Option<f64>,
    rate: Option<f64>,
    ack_s: Option<f64>,
    ack_rate: Option<f64>,
    cpu_own_pct: Option<f64>,
    cpu_system_pct: Option<f64>,
    p50_us: Option<f64>,
    p99_us: Option<f64>,
    max_us: Option<f64>,
    cpu_user_seconds: Option<f64>,
    cpu_system_seconds: Option<f64>,
    cpu_seconds_per_gib: Option<f64>,
    cpu_seconds_per_1000: Option<f64>,
    tool_percent: Option<f64>,
}

impl PhaseForm {
    fn of(record: &PhaseRecord) -> Self {
        let row = record.name.row();
        Self {
            phase: row.name,
            unit: row.unit.name(),
            status: record.status.name(),
            reason: record.reason.as_deref().map(printable),
            remounted: record.preparation.remounted,
            figures: match record.number() {
                None => Figures::default(),
                Some(PhaseResult::Counted(counted)) => Figures::counted(counted, record.name),
                Some(PhaseResult::Reported(reported)) => Figures::reported(reported),
            },
            cache: record.cache.map(|label| label.to_string()),
            durable: record.durable.map(|label| label.word()),
            io_obtained: record.io.map(|io| io.word()),
            flags: record.flags.iter().map(|flag| flag.word()).collect(),
            details: RunDetails::of(record),
        }
    }
}

impl Figures {
    fn counted(counted: &Counted, phase: Phase) -> Self {
        let unit = phase.row().unit;
        let split = counted.cpu_split_ns();
        Self {
            is_reported: false,
            work: Some(counted.work),
            operations: Some(counted.operations),
            elapsed_s: Some(seconds(counted.elapsed_ns as f64)),
            rate: finite(counted.rate()),
            ack_s: counted.acknowledged_ns.map(|ns| seconds(ns as f64)),
            ack_rate: finite(counted.acknowledged_rate()),
            cpu_own_pct: finite(counted.cpu_own_percent()),
            cpu_system_pct: finite(counted.cpu_system_percent()),
            p50_us: finite(counted.latency_percentile_ns(0.5)).map(microseconds),
            p99_us: finite(counted.latency_percentile_ns(0.99)).map(microseconds),
            max_us: Some(microseconds(counted.latency_max_ns as f64)),
            cpu_user_seconds: split.map(|(user_ns, _)| seconds(user_ns as f64)),
            cpu_system_seconds: split.map(|(_, system_ns)| seconds(system_ns as f64)),
            cpu_seconds_per_gib: finite(counted.cpu_ns_per_gib(unit)).map(seconds),
            cpu_seconds_per_1000: finite(counted.cpu_ns_per_1000_operations(unit)).map(seconds),
            tool_percent: finite(counted.tool_percent()),
        }
    }

    fn reported(reported: &Reported) -> Self {
        Self {
            is_reported: true,
            rate: finite(reported.rate),
            cpu_own_pct: finite(reported.cpu_percent),
            max_us: reported.latency_max_ns.map(|ns| microseconds(ns as f64)),
            ..Self::default()
        }
    }
}

/// Nanoseconds as seconds.
pub fn seconds(nanoseconds: f64) -> f64 {
    nanoseconds / 1e9
}

/// Nanoseconds as microseconds.
pub fn microseconds(nanoseconds: f64) -> f64 {
    nanoseconds / 1e3
}
