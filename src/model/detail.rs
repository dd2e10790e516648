//! THE DETAILS: what is told of a phase beside its rate, as data; rows of the catalogue choose none, the record's own counts do.

use super::aftermath::{Aftermath, ProgramEnd};
use super::phase::{Group, Phase, Unit};
use super::record::{Counted, PhaseRecord};
use super::series::Series;
use crate::stats::{Interval, Spread};

/// A number of a phase beside its rate.
#[derive(Debug)]
pub struct Detail {
    /// The name in the formats for programs, with its unit where it has one: `elapsed_s`, `free_bytes`.
    pub name: &'static str,
    /// What it is counted in.
    pub kind: DetailKind,
    /// What heads it in a table: `Time`.
    pub title: &'static str,
    /// What it is, in a line.
    pub meaning: &'static str,
    of: fn(&PhaseRecord) -> Option<f64>,
}

/// What a detail is counted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DetailKind {
    /// Seconds.
    Time,
    /// Bytes a second.
    ByteRate,
    /// Operations a second.
    OperationRate,
    /// Nanoseconds of one operation.
    Latency,
    /// Bytes that are free.
    Free,
    /// Pieces of a file.
    Extents,
    /// Whole things that are counted.
    Count,
}

impl DetailKind {
    /// The unit in the formats for programs.
    #[must_use]
    pub const fn unit(self) -> &'static str {
        match self {
            Self::Time => "seconds",
            Self::ByteRate => "bytes/s",
            Self::OperationRate => "operations/s",
            Self::Latency => "nanoseconds",
            Self::Free => "bytes",
            Self::Extents => "extents",
            Self::Count => "count",
        }
    }
}

macro_rules! details {
    ($($kind:ident $name:literal $title:literal $meaning:literal $of:expr;)*) => {
        /// Every detail, in the order of a report.
        pub const DETAILS: &[Detail] =
            &[$(Detail { name: $name, kind: DetailKind::$kind, title: $title, meaning: $meaning, of: $of },)*];
    };
}

details! {
    Time          "elapsed_s"      "Time"        "from the start to the end, flush included"              |record| Some(seconds_of(record)?.elapsed_ns as f64 / 1e9);
    Time          "cpu_s"          "CPU"         "CPU of barrow, and of the programs that it ran"         |record| Some(cpu_seconds(whole(record)?));
    ByteRate      "byte_rate"      "Data"        "bytes of data moved, over the whole time"                byte_rate;
    OperationRate "operation_rate" "IOPS"        "transfers or writes a second, over the whole time"               operation_rate;
    Latency       "p50_ns"         "p50"         "half of the operations took no longer"                  |record| latency(record, Some(0.5));
    Latency       "p99_ns"         "p99"         "99 of 100 operations took no longer"                    |record| latency(record, Some(0.99));
    Latency       "max_ns"         "Max"         "the longest operation"                                  |record| latency(record, None);
    Free          "free_bytes"     "Free"        "free for everybody when it was done"                    |record| done(record)?.free_bytes.map(|bytes| bytes as f64);
    Extents       "extents"        "Extents"     "pieces of a file that do not touch, on average"         |record| done(record)?.extents_per_file();
    Count         "left_processes" "Left"        "processes that the program left running, and that were ended" |record| left(record.after.program.as_ref()?);
}

/// Whether the operations of a phase are all of one kind and size, so that how long one takes and how many there are in a second is
/// what people ask for.
fn has_like_operations(record: &PhaseRecord) -> bool {
    matches!(record.name.row().group, Group::Transfer | Group::Sync | Group::Device)
}

/// What a phase counted, unless its time says no more than its rate.
fn seconds_of(record: &PhaseRecord) -> Option<&Counted> {
    record.counted().filter(|_| !matches!(record.name.row().group, Group::Transfer | Group::Device))
}

/// What a phase counted that is asked for as a whole: of like operations the CPU for a GiB or a thousand says more.
fn whole(record: &PhaseRecord) -> Option<&Counted> {
    record.counted().filter(|_| !has_like_operations(record))
}

/// Seconds of processors that the process and its children used.
fn cpu_seconds(counted: &Counted) -> f64 {
    counted.usage.user_ns.saturating_add(counted.usage.system_ns) as f64 / 1e9
}

/// Bytes a second, whether they are the work of the phase or were counted beside it.
fn byte_rate(record: &PhaseRecord) -> Option<f64> {
    let counted = record.counted()?;
    match record.name.row().unit {
        Unit::Bytes => counted.rate(),
        Unit::Seeks | Unit::Files | Unit::Writes | Unit::Operations | Unit::Programs => counted.byte_rate(),
    }
}

/// Operations a second, of like ones.
fn operation_rate(record: &PhaseRecord) -> Option<f64> {
    record.counted().filter(|_| has_like_operations(record))?.operation_rate()
}

/// A percentile of one operation in nanoseconds, or the longest, of like ones.
fn latency(record: &PhaseRecord, share: Option<f64>) -> Option<f64> {
    let counted = record.counted().filter(|_| has_like_operations(record))?;
    match share {
        Some(share) => counted.latency_percentile_ns(share),
        None => record.latency_max_ns(),
    }
}

/// What was found behind a phase that ended well.
fn done(record: &PhaseRecord) -> Option<&Aftermath> {
    record.counted().map(|_| &record.after)
}

/// None is worth no column.
fn left(program: &ProgramEnd) -> Option<f64> {
    (program.left_processes > 0).then_some(program.left_processes as f64)
}

impl Detail {
    /// What it was in a phase of a run, in its unit; `None` where it was not measured or does not apply.
    #[must_use]
    pub fn of(&self, record: &PhaseRecord) -> Option<f64> {
        (self.of)(record).filter(|value| value.is_finite())
    }

    /// Its spread over the runs of a series that have it; of runs whose rates are no sample of one thing (`rate` has a range and no
    /// interval) their range. `None` where no run has it.
    #[must_use]
    pub fn over(&self, series: &Series<'_>, phase: Phase, rate: Option<Spread>) -> Option<Spread> {
        let values: Vec<f64> = series.runs.iter().filter_map(|run| self.of(run.phase(phase)?)).collect();
        spread(&values, rate)
    }
}

/// The spread of some values of a phase, with an interval only where the rates have one.
#[must_use]
pub fn spread(values: &[f64], rate: Option<Spread>) -> Option<Spread> {
    let is_no_sample = rate.is_some_and(|rate| rate.interval == Interval::Range);
    if is_no_sample { Spread::with_range(values) } else { Spread::of(values) }
}

/// Whether there is more to tell of a phase than its rate: of those of the first reports all is in their tables.
#[must_use]
pub fn has_details(record: &PhaseRecord) -> bool {
    let is_of_group = match record.name.row().group {
        Group::Block | Group::Seek | Group::Sequential | Group::Random | Group::Character => false,
        Group::Small | Group::Sync | Group::Transfer | Group::Server | Group::Tree | Group::Large | Group::Device | Group::Command => true,
    };
    is_of_group || record.counted().is_some_and(|counted| counted.bytes.is_some())
}

/// How a program ended, in a word: its exit status, `signal 9`, or `not started`.
#[must_use]
pub fn end_in_words(program: &ProgramEnd) -> String {
    match (program.exit, program.signal) {
        (_, Some(signal)) => format!("signal {signal}"),
        (Some(exit), None) => exit.to_string(),
        (None, None) => "not started".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::sample;
    use crate::model::series::Pooling;
    use std::collections::BTreeSet;

    fn of(name: &str, record: &PhaseRecord) -> Option<f64> {
        DETAILS.iter().find(|detail| detail.name == name).unwrap().of(record)
    }

    fn phase(name: &str) -> Phase {
        Phase::named(name).unwrap()
    }

    #[test]
    fn each_has_a_name_and_a_title_of_its_own() {
        let names: BTreeSet<&str> = DETAILS.iter().map(|detail| detail.name).collect();
        let titles: BTreeSet<&str> = DETAILS.iter().map(|detail| detail.title).collect();
        assert_eq!((names.len(), titles.len()), (DETAILS.len(), DETAILS.len()));
    }

    #[test]
    fn bytes_are_the_work_or_stand_beside_it() {
        let mut run = sample::of_phases("ext4", 1, &[Phase::FileRead, phase("random_read_4k_1w")]);
        assert_eq!(of("byte_rate", sample::phase_mut(&mut run, phase("random_read_4k_1w"))), Some(500.0 * 1024.0 * 1024.0));
        sample::counted_mut(&mut run, Phase::FileRead).bytes = None;
        assert_eq!(of("byte_rate", sample::phase_mut(&mut run, Phase::FileRead)), None);
        sample::counted_mut(&mut run, Phase::FileRead).bytes = Some(7 << 20);
        assert_eq!(of("byte_rate", sample::phase_mut(&mut run, Phase::FileRead)), Some(f64::from(7 << 20)));
    }

    #[test]
    fn operations_a_second_are_told_of_transfers_alone() {
        let mut run = sample::of_phases("ext4", 1, &[Phase::FileRead, phase("random_read_4k_1w")]);
        assert_eq!(of("operation_rate", sample::phase_mut(&mut run, Phase::FileRead)), None);
        assert_eq!(of("operation_rate", sample::phase_mut(&mut run, phase("random_read_4k_1w"))), Some(100.0));
    }

    #[test]
    fn a_program_has_an_end_and_no_latency() {
        let build = phase("command:build");
        let mut run = sample::of_phases("ext4", 1, &[build]);
        let record = sample::phase_mut(&mut run, build);
        assert_eq!((of("p99_ns", record), of("max_ns", record), of("left_processes", record)), (None, None, None));
        let mut end = record.after.program.clone().unwrap();
        assert_eq!(end_in_words(&end), "0");
        end.signal = Some(9);
        assert_eq!(end_in_words(&end), "signal 9");
        assert_eq!(end_in_words(&ProgramEnd::default()), "not started");
        end.left_processes = 2;
        record.after.program = Some(end);
        assert_eq!(of("left_processes", record), Some(2.0));
    }

    #[test]
    fn what_failed_has_no_details_but_its_end() {
        let mut run = sample::of_phases("ext4", 1, &[Phase::TreeUnpack]);
        let record = sample::phase_mut(&mut run, Phase::TreeUnpack);
        assert!(of("free_bytes", record).is_some() && has_details(record));
        record.status = crate::model::record::Status::Failed;
        assert!(DETAILS.iter().all(|detail| detail.of(record).is_none()));
    }

    #[test]
    fn the_ends_are_an_interval_only_where_those_of_the_rates_are() {
        let records: Vec<_> = (1..=6).map(|round| sample::of_phases("ext4", round, &[Phase::TreeUnpack])).collect();
        let series = &Series::of(&records, Pooling::Apart)[0];
        let rates = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        let interval = |rate| DETAILS[0].over(series, Phase::TreeUnpack, rate).unwrap().interval;
        assert_eq!((interval(Spread::of(&rates)), interval(Spread::with_range(&rates))), (Interval::Ci95, Interval::Range));
    }

    #[test]
    fn the_first_phases_have_details_only_where_their_files_have_content() {
        let mut run = sample::run("ext4", 1);
        assert!(!run.phases.iter().any(has_details));
        sample::counted_mut(&mut run, Phase::SeqCreate).bytes = Some(1);
        assert!(run.phases.iter().any(has_details));
    }
}
