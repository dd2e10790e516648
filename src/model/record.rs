//! The record of one run: what was counted, under what circumstances. Rates are derived here and nowhere else.

use super::aftermath::{Aftermath, Kind, kinds};
use super::bounded::{at_most, texts_at_most};
use super::costs::Costs;
use super::evidence::Evidence;
use super::flag::Flag;
use super::histogram::Histogram;
use super::identity::Identity;
use super::imported::Imported;
use super::label::{CacheLabel, Durability};
use super::machine::{Device, DirectIo, Filesystem, Machine, ObtainedIo};
use super::making::Making;
use super::phase::{MOST_PHASES, Phase};
use super::plan::{Circumstances, Plan};
pub use super::preparation::Preparation;
use super::settings::Settings;
use super::slices::Slices;
use super::stack::Stack;
pub use super::status::Status;
use super::usage::Usage;
use crate::stats::Steadiness;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The version of the run file that this barrow writes; it reads this one and none newer.
pub const SCHEMA: u32 = 1;

/// The most tags of a run.
pub const MOST_TAGS: usize = 256;

/// One run: the whole profile once, on newly made files.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// The version of the form, [`SCHEMA`].
    pub schema: u32,
    /// The barrow that wrote it: `0.1.0`.
    pub version: String,
    /// Names the call of barrow that this run belongs to.
    pub batch: Identity,
    /// The random number of this run: scratch name, data, order of targets.
    pub nonce: Identity,
    /// The target's name.
    pub label: String,
    /// The target's place on the command line, from 1.
    #[serde(default)]
    pub target: u32,
    /// What the user noted with `--tag`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty", deserialize_with = "texts_at_most::<MOST_TAGS, _>")]
    pub tags: BTreeMap<String, String>,
    /// The round, from 1.
    pub round: u32,
    /// The place in the shuffled order of the round, from 1; 0 where nobody knows it.
    pub order: u32,
    /// The profile's name, with what was changed in it.
    pub profile: String,
    /// The hash of the canonical plan: equal ids mean equal work.
    pub workload_id: Identity,
    /// What was to be done; `None` where another program measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<Plan>,
    /// What is known of it where another program measured; `None` for barrow's own runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imported: Option<Imported>,
    /// The machine.
    pub machine: Machine,
    /// The filesystem of the target.
    pub filesystem: Filesystem,
    /// The block device below it.
    #[serde(default)]
    pub device: Device,
    /// All devices below it, down to the last that the kernel can see.
    #[serde(default)]
    pub stack: Stack,
    /// What barrow itself costs on this machine.
    #[serde(default)]
    pub costs: Costs,
    /// How direct I/O must be aligned there; only where it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub direct_io: Option<DirectIo>,
    /// How the filesystem was made; only where it was made for this run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub making: Option<Making>,
    /// A result a phase, in the order of the catalogue.
    #[serde(deserialize_with = "at_most::<MOST_PHASES, _, _>")]
    pub phases: Vec<PhaseRecord>,
    /// When the run began, RFC 3339, UTC, whole seconds; empty where another program measured and did not say.
    pub started: String,
    /// When it ended.
    pub finished: String,
    /// Whether every phase of the plan was done.
    pub complete: bool,
}

/// What became of one phase.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PhaseRecord {
    /// Which phase.
    pub name: Phase,
    /// How it ended.
    pub status: Status,
    /// Why it failed or was skipped, or why another program gave no rate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What was counted, when it ended well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<PhaseResult>,
    /// What was done to the caches before it.
    #[serde(default)]
    pub preparation: Preparation,
    /// What was found when it was done.
    #[serde(default, skip_serializing_if = "Aftermath::is_empty")]
    pub after: Aftermath,
    /// What is known of where its bytes came from.
    #[serde(default)]
    pub evidence: Evidence,
    /// Where it was served from; `None` for phases that read nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache: Option<CacheLabel>,
    /// Whether its changes reached stable storage; `None` for phases that change nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub durable: Option<Durability>,
    /// What became of the direct I/O that was asked for; `None` where none was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub io: Option<ObtainedIo>,
    /// Marks on the result.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "at_most::<{ Flag::ALL.len() }, _, _>")]
    pub flags: Vec<Flag>,
}

/// The number of a phase: counted by barrow, or as another program reported it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PhaseResult {
    /// Counted by barrow.
    Counted(Box<Counted>),
    /// As it stood in another program's report.
    Reported(Reported),
}

/// What barrow counted between the two meter readings of a phase.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Counted {
    /// Work done, in the phase's unit.
    pub work: u64,
    /// Timed operations.
    pub operations: u64,
    /// Nanoseconds from the start to the end, flush included.
    pub elapsed_ns: u64,
    /// Nanoseconds to the last acknowledged operation, before the flush; only for phases that change something.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acknowledged_ns: Option<u64>,
    /// What the process used.
    pub usage: Usage,
    /// Nanoseconds that all processors of the machine were busy together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system_busy_ns: Option<u64>,
    /// Nanoseconds that programs other than barrow spent in user mode meanwhile (in ticks: all user time less barrow's own).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub others_user_ns: Option<u64>,
    /// Nanoseconds that barrow's own work took of it: readings of the clock, data made and checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_ns: Option<u64>,
    /// Latencies of the operations.
    pub latency: Histogram,
    /// The longest one in nanoseconds (of a mean, where one clock reading served several operations).
    pub latency_max_ns: u64,
    /// Operations that one clock reading served, at the most.
    pub latency_batch: u32,
    /// The trend within the phase.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slices: Option<Slices>,
    /// Bytes of data that were moved, where the work is counted in something else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// The kinds of operations, where there are several.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "kinds")]
    pub kinds: Vec<Kind>,
}

/// A number as it stood in another program's report; work and time are not known.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Reported {
    /// Work per second, in the phase's unit.
    pub rate: Option<f64>,
    /// CPU in per cent, as that program counts it.
    pub cpu_percent: Option<f64>,
    /// The longest operation in nanoseconds.
    pub latency_max_ns: Option<u64>,
}

const NANOSECONDS: f64 = 1e9;

impl Counted {
    /// Work per second of elapsed time. `None` when no time passed.
    #[must_use]
    pub fn rate(&self) -> Option<f64> {
        per_second(self.work, self.elapsed_ns)
    }

    /// Operations per second of elapsed time. `None` when no time passed.
    #[must_use]
    pub fn operation_rate(&self) -> Option<f64> {
        per_second(self.operations, self.elapsed_ns)
    }

    /// Bytes of data per second of elapsed time, where the work is counted in something else.
    #[must_use]
    pub fn byte_rate(&self) -> Option<f64> {
        per_second(self.bytes?, self.elapsed_ns)
    }

    /// Work per second up to the last acknowledged operation.
    #[must_use]
    pub fn acknowledged_rate(&self) -> Option<f64> {
        per_second(self.work, self.acknowledged_ns?)
    }

    /// CPU of the process in per cent of one core.
    #[must_use]
    pub fn cpu_own_percent(&self) -> Option<f64> {
        percent(self.usage.user_ns.saturating_add(self.usage.system_ns), self.elapsed_ns)
    }

    /// CPU of the whole machine in per cent of one core.
    #[must_use]
    pub fn cpu_system_percent(&self) -> Option<f64> {
        percent(self.system_busy_ns?, self.elapsed_ns)
    }

    /// How steady it was; `None` where that cannot be told.
    #[must_use]
    pub fn steadiness(&self) -> Option<Steadiness> {
        self.slices.as_ref()?.steadiness(self.operations)
    }

    /// A percentile of the latencies in nanoseconds, never above the longest one. `share` is 0 to 1.
    #[must_use]
    pub fn latency_percentile_ns(&self, share: f64) -> Option<f64> {
        self.latency.percentile(share).map(|value| value.min(self.latency_max_ns as f64))
    }
}

fn per_second(work: u64, elapsed_ns: u64) -> Option<f64> {
    (elapsed_ns > 0).then(|| work as f64 * NANOSECONDS / elapsed_ns as f64)
}

fn percent(part_ns: u64, elapsed_ns: u64) -> Option<f64> {
    (elapsed_ns > 0).then(|| part_ns as f64 * 100.0 / elapsed_ns as f64)
}

impl PhaseRecord {
    /// A phase that was not done, and why.
    #[must_use]
    pub fn skipped(name: Phase, reason: impl Into<String>) -> Self {
        Self::without_result(name, Status::Skipped, reason.into())
    }

    /// A phase that an error spoiled.
    #[must_use]
    pub fn failed(name: Phase, reason: impl Into<String>) -> Self {
        Self::without_result(name, Status::Failed, reason.into())
    }

    /// A phase that has no result, how it ended, and why.
    #[must_use]
    pub fn without_result(name: Phase, status: Status, reason: String) -> Self {
        Self {
            name,
            status,
            reason: Some(reason),
            result: None,
            preparation: Preparation::default(),
            after: Aftermath::default(),
            evidence: Evidence::default(),
            cache: None,
            durable: None,
            io: None,
            flags: Vec::new(),
        }
    }

    /// The number of the phase. One that did not end well has none, whatever a run file from elsewhere says.
    #[must_use]
    pub fn number(&self) -> Option<&PhaseResult> {
        self.result.as_ref().filter(|_| self.status == Status::Ok)
    }

    /// What barrow counted, if it did.
    #[must_use]
    pub fn counted(&self) -> Option<&Counted> {
        match self.number() {
            Some(PhaseResult::Counted(counted)) => Some(counted),
            Some(PhaseResult::Reported(_)) | None => None,
        }
    }

    /// Work per second, counted or reported.
    #[must_use]
    pub fn rate(&self) -> Option<f64> {
        match self.number()? {
            PhaseResult::Counted(counted) => counted.rate(),
            PhaseResult::Reported(reported) => reported.rate,
        }
    }

    /// The longest operation in nanoseconds, counted or reported; `None` where no operation was timed.
    #[must_use]
    pub fn latency_max_ns(&self) -> Option<f64> {
        let longest = match self.number()? {
            PhaseResult::Counted(counted) => (counted.latency.total() > 0).then_some(counted.latency_max_ns),
            PhaseResult::Reported(reported) => reported.latency_max_ns,
        };
        longest.map(|nanoseconds| nanoseconds as f64)
    }

    /// CPU of the process in per cent of one core, counted or reported.
    #[must_use]
    pub fn cpu_own_percent(&self) -> Option<f64> {
        match self.number()? {
            PhaseResult::Counted(counted) => counted.cpu_own_percent(),
            PhaseResult::Reported(reported) => reported.cpu_percent,
        }
    }
}

impl RunRecord {
    /// The settings of the work; `None` where another program measured.
    #[must_use]
    pub fn settings(&self) -> Option<&Settings> {
        self.plan.as_ref().map(|plan| &plan.settings)
    }

    /// What was done around the work; `None` where another program measured.
    #[must_use]
    pub fn circumstances(&self) -> Option<&Circumstances> {
        self.plan.as_ref().map(|plan| &plan.circumstances)
    }

    /// What is known of the work, by name, in the order of a report: barrow's own settings, or what another program said.
    #[must_use]
    pub fn parameters(&self) -> Vec<(String, String)> {
        let own = self.plan.iter().flat_map(|plan| plan.parameters().into_iter().map(|(name, value)| (name.to_owned(), value)));
        own.chain(self.imported.iter().flat_map(|imported| imported.parameters.iter().cloned())).collect()
    }

    /// The record of a phase.
    #[must_use]
    pub fn phase(&self, phase: Phase) -> Option<&PhaseRecord> {
        self.phases.iter().find(|record| record.name == phase)
    }
}

#[cfg(test)]
mod tests;
