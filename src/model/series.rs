//! Series: the runs that are repetitions of one thing, and the name that tells a series from the others of its report.

use super::identity::Identity;
use super::plan::Circumstances;
use super::printable::printable_label;
use super::record::RunRecord;
use super::settings::Io;
use std::collections::HashMap;
use std::hash::Hash;

/// Runs of equal label, batch and facts that must be equal for two runs to be repetitions.
#[derive(Debug, Clone)]
pub struct Series<'a> {
    /// The name in a report: the label, and where two series of a workload share one, the batch behind it (`ext4 @7f3a91`).
    pub name: String,
    /// The label, printable.
    pub label: String,
    /// The batch of all its runs.
    pub batch: Identity,
    /// The first run; its facts are those of the series.
    pub first: &'a RunRecord,
    /// All runs, in the order of the records; never empty.
    pub runs: Vec<&'a RunRecord>,
}

/// What must be equal in all runs of a series.
#[derive(PartialEq, Eq, Hash)]
struct Key<'a> {
    label: &'a str,
    batch: Identity,
    schema: u32,
    workload_id: Identity,
    io: Io,
    generator: u32,
    circumstances: &'a Circumstances,
}

impl<'a> Key<'a> {
    fn of(run: &'a RunRecord) -> Self {
        Self {
            label: &run.label,
            batch: run.batch,
            schema: run.schema,
            workload_id: run.workload_id,
            io: run.plan.settings.io,
            generator: run.plan.generator,
            circumstances: &run.plan.circumstances,
        }
    }
}

impl<'a> Series<'a> {
    /// The series of some records: batches in the order in which they first appear, targets as they stood on the command line.
    #[must_use]
    pub fn of(records: &'a [RunRecord]) -> Vec<Self> {
        let mut places: HashMap<Key<'a>, usize> = HashMap::new();
        let mut series: Vec<Self> = Vec::new();
        for run in records {
            let place = *places.entry(Key::of(run)).or_insert(series.len());
            match series.get_mut(place) {
                Some(known) => known.runs.push(run),
                None => {
                    let label = printable_label(&run.label);
                    series.push(Self { name: label.clone(), label, batch: run.batch, first: run, runs: vec![run] });
                }
            }
        }
        let mut batches: HashMap<Identity, usize> = HashMap::new();
        for series in &series {
            let next = batches.len();
            batches.entry(series.batch).or_insert(next);
        }
        series.sort_by_key(|series| (batches.get(&series.batch).copied(), series.first.target));
        name_apart(&mut series);
        series
    }
}

/// Adds the first six digits of the batch to names that are shared, and the whole batch to those that are shared even so. Series
/// of different workloads stand in different tables and may share a name.
fn name_apart(series: &mut [Series<'_>]) {
    for batch_digits in [6, 16] {
        let mut counts: HashMap<(Identity, String), usize> = HashMap::new();
        for one in series.iter() {
            *counts.entry((one.first.workload_id, one.name.clone())).or_default() += 1;
        }
        for one in series.iter_mut() {
            if counts.get(&(one.first.workload_id, one.name.clone())).is_some_and(|count| *count > 1) {
                one.name = format!("{} @{:.batch_digits$}", one.label, one.batch.to_string());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::sample;

    fn run(label: &str, batch: u64) -> RunRecord {
        RunRecord { batch: Identity(batch), ..sample::run(label, 1) }
    }

    #[test]
    fn runs_of_one_label_and_batch_are_a_series() {
        let records = [run("xfs", 1), run("ext4", 1), run("ext4", 1), run("xfs", 1), run("xfs", 1)];
        let series = Series::of(&records);
        let found: Vec<(&str, usize)> = series.iter().map(|one| (one.name.as_str(), one.runs.len())).collect();
        assert_eq!(found, [("xfs", 3), ("ext4", 2)]);
        assert!(Series::of(&[]).is_empty());
    }

    #[test]
    fn equal_labels_are_told_apart_by_their_batch() {
        let records = [run("ext4", 0x1234_5678_9abc_def0), run("ext4", 0x2234_5678_9abc_def0), run("xfs", 0x2234_5678_9abc_def0)];
        let names: Vec<String> = Series::of(&records).into_iter().map(|one| one.name).collect();
        assert_eq!(names, ["ext4 @123456", "ext4 @223456", "xfs"]);
        let records = [run("", 0x1234_5678_9abc_def0), run("\n", 0x1234_5678_9abc_def1)];
        let names: Vec<String> = Series::of(&records).into_iter().map(|one| one.name).collect();
        assert_eq!(names, ["(no label) @123456789abcdef0", "(no label) @123456789abcdef1"]);
    }

    #[test]
    fn unlike_work_is_another_series() {
        let mut other = run("ext4", 1);
        other.workload_id = Identity(99);
        let records = [run("ext4", 1), other];
        let series = Series::of(&records);
        assert_eq!(series.len(), 2);
        assert!(series.iter().all(|one| one.name == "ext4"));
    }
}
