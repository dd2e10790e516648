//! Series: the runs that are repetitions of one thing, and the name that tells a series from the others of its table.

use super::identity::Identity;
use super::plan::Circumstances;
use super::printable::{printable, printable_label};
use super::record::RunRecord;
use super::settings::Io;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::Hash;

/// Runs of equal label, batch and facts that must be equal for two runs to be repetitions.
#[derive(Debug, Clone)]
pub struct Series<'a> {
    /// The name in a report: the label, and where two series of a table share one, what tells them apart behind it: tags
    /// (`ext4 kernel=old`), else the batch (`ext4 @7f3a91`).
    pub name: String,
    /// The label, printable.
    pub label: String,
    /// The batch of its first run.
    pub batch: Identity,
    /// How many batches its runs are of; more than 1 only where batches are pooled.
    pub batches: usize,
    /// The first run; its facts are those of the series.
    pub first: &'a RunRecord,
    /// All runs, in the order of the records; never empty.
    pub runs: Vec<&'a RunRecord>,
}

/// Whether batches of a label stand apart.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Pooling {
    /// Each batch is a series of its own.
    #[default]
    Apart,
    /// The batches of a label are one series. They were not interleaved, so their range is no interval of anything.
    Pooled,
}

/// What must be equal in all runs of a series.
#[derive(PartialEq, Eq, Hash)]
struct Key<'a> {
    label: &'a str,
    batch: Option<Identity>,
    schema: u32,
    workload_id: Identity,
    io: Option<Io>,
    generator: Option<u32>,
    circumstances: Option<&'a Circumstances>,
}

impl<'a> Key<'a> {
    fn of(run: &'a RunRecord, pooling: Pooling) -> Self {
        Self {
            label: &run.label,
            batch: (pooling == Pooling::Apart).then_some(run.batch),
            schema: run.schema,
            workload_id: run.workload_id,
            io: run.settings().map(|settings| settings.io),
            generator: run.plan.as_ref().map(|plan| plan.generator),
            circumstances: run.circumstances(),
        }
    }
}

impl<'a> Series<'a> {
    /// The series of some records: batches in the order in which they first appear, targets as they stood on the command line. Their
    /// names are their labels: [`name_apart`] is for those that stand in one table.
    #[must_use]
    pub fn of(records: impl IntoIterator<Item = &'a RunRecord>, pooling: Pooling) -> Vec<Self> {
        let mut places: HashMap<Key<'a>, usize> = HashMap::new();
        let mut series: Vec<Self> = Vec::new();
        for run in records {
            let place = *places.entry(Key::of(run, pooling)).or_insert(series.len());
            match series.get_mut(place) {
                Some(known) => known.runs.push(run),
                None => {
                    let label = printable_label(&run.label);
                    series.push(Self { name: label.clone(), label, batch: run.batch, batches: 1, first: run, runs: vec![run] });
                }
            }
        }
        let mut batches: HashMap<Identity, usize> = HashMap::new();
        for series in &mut series {
            let next = batches.len();
            batches.entry(series.batch).or_insert(next);
            series.batches = series.runs.iter().map(|run| run.batch).collect::<HashSet<_>>().len();
        }
        series.sort_by_key(|series| (batches.get(&series.batch).copied(), series.first.target));
        series
    }
}

/// The longest addition to a name, in characters; what tells apart by more is left to the batch.
const MOST_ADDED: usize = 40;

/// Makes the names of the series of a table differ: where some share a label, each gets the one tag or parameter that tells them
/// apart, else all that differ, else the first six digits of its batch, else the whole batch.
pub fn name_apart(series: &mut [Series<'_>]) {
    let mut labels: HashMap<String, Vec<usize>> = HashMap::new();
    for (place, one) in series.iter().enumerate() {
        labels.entry(one.label.clone()).or_default().push(place);
    }
    for places in labels.into_values().filter(|places| places.len() > 1) {
        let members: Vec<&Series<'_>> = places.iter().filter_map(|place| series.get(*place)).collect();
        let additions = additions(&members);
        for (place, addition) in places.iter().zip(additions) {
            if let Some(one) = series.get_mut(*place) {
                one.name = format!("{} {addition}", one.label);
            }
        }
    }
    number_equals(series);
}

/// Names that are equal even so, as of labels that print alike, get a number.
fn number_equals(series: &mut [Series<'_>]) {
    let mut taken: HashSet<String> = HashSet::new();
    let mut counts: HashMap<String, usize> = HashMap::new();
    for one in series {
        let name = one.name.trim_end().to_owned();
        let count = counts.entry(name.clone()).or_default();
        loop {
            *count += 1;
            let numbered = if *count == 1 { name.clone() } else { format!("{name} ({count})") };
            if taken.insert(numbered.clone()) {
                one.name = numbered;
                break;
            }
        }
    }
}

/// What is added to the names of some series of one label.
fn additions(members: &[&Series<'_>]) -> Vec<String> {
    let pairs: Vec<Vec<(String, String)>> = members.iter().map(|one| distinguishing(one.first)).collect();
    let mut values: BTreeMap<&String, Vec<&String>> = BTreeMap::new();
    for (key, value) in pairs.iter().flatten() {
        values.entry(key).or_default().push(value);
    }
    let of_keys = |wanted: &HashSet<&String>| -> Vec<String> {
        let of_member = |pairs: &Vec<(String, String)>| {
            let shown = pairs.iter().filter(|(key, _)| wanted.contains(key)).map(|(key, value)| format!("{key}={value}"));
            shown.collect::<Vec<_>>().join(" ")
        };
        pairs.iter().map(of_member).collect()
    };
    // What some do not have cannot tell all apart: so few keys are tried, however many there are.
    let shared = values.iter().filter(|(_, values)| values.len() == members.len());
    let single = shared.map(|(key, _)| of_keys(&HashSet::from([*key])));
    let is_equal_in_all =
        |values: &Vec<&String>| values.len() == members.len() && values.windows(2).all(|pair| pair.first() == pair.last());
    let differing: HashSet<&String> = values.iter().filter(|(_, values)| !is_equal_in_all(values)).map(|(key, _)| *key).collect();
    let digits = |count: usize| members.iter().map(|one| format!("@{:.count$}", one.batch.to_string())).collect::<Vec<_>>();
    let all = single.chain(std::iter::once(of_keys(&differing)));
    all.into_iter()
        .find(|additions| tells_apart(additions))
        .unwrap_or_else(|| Some(digits(6)).filter(|six| are_unique(six)).unwrap_or_else(|| digits(16)))
}

fn are_unique(texts: &[String]) -> bool {
    texts.iter().collect::<HashSet<_>>().len() == texts.len()
}

fn tells_apart(additions: &[String]) -> bool {
    are_unique(additions) && additions.iter().all(|text| !text.is_empty() && text.chars().count() <= MOST_ADDED)
}

/// What may tell a run from others of its label: its tags, its profile, and what was done around its phases.
fn distinguishing(run: &RunRecord) -> Vec<(String, String)> {
    let around = run.circumstances().into_iter().flat_map(|circumstances| circumstances.parameters());
    let tags = run.tags.iter().map(|(key, value)| (printable(key), printable(value)));
    let profile = std::iter::once(("profile".to_owned(), printable(&run.profile)));
    tags.chain(profile).chain(around.map(|(key, value)| (key.to_owned(), printable(&value)))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::sample;

    fn run(label: &str, batch: u64) -> RunRecord {
        RunRecord { batch: Identity(batch), ..sample::run(label, 1) }
    }

    fn named(records: &[RunRecord]) -> Vec<Series<'_>> {
        let mut series = Series::of(records, Pooling::Apart);
        name_apart(&mut series);
        series
    }

    #[test]
    fn runs_of_one_label_and_batch_are_a_series() {
        let records = [run("xfs", 1), run("ext4", 1), run("ext4", 1), run("xfs", 1), run("xfs", 1)];
        let series = named(&records);
        let found: Vec<(&str, usize)> = series.iter().map(|one| (one.name.as_str(), one.runs.len())).collect();
        assert_eq!(found, [("xfs", 3), ("ext4", 2)]);
        assert!(named(&[]).is_empty());
    }

    #[test]
    fn equal_labels_are_told_apart_by_their_batch() {
        let records = [run("ext4", 0x1234_5678_9abc_def0), run("ext4", 0x2234_5678_9abc_def0), run("xfs", 0x2234_5678_9abc_def0)];
        let names: Vec<String> = named(&records).into_iter().map(|one| one.name).collect();
        assert_eq!(names, ["ext4 @123456", "ext4 @223456", "xfs"]);
        let records = [run("", 0x1234_5678_9abc_def0), run("\n", 0x1234_5678_9abc_def1)];
        let names: Vec<String> = named(&records).into_iter().map(|one| one.name).collect();
        assert_eq!(names, ["(no label) @123456789abcdef0", "(no label) @123456789abcdef1"]);
    }

    #[test]
    fn unlike_work_is_another_series() {
        let mut other = run("ext4", 1);
        other.workload_id = Identity(99);
        let records = [run("ext4", 1), other];
        let series = Series::of(&records, Pooling::Pooled);
        assert_eq!(series.len(), 2);
        assert!(series.iter().all(|one| one.name == "ext4"));
    }

    #[test]
    fn equal_labels_are_told_apart_by_the_one_tag_that_can() {
        let mut records = [run("ext4", 1), run("ext4", 2), run("xfs", 2)];
        records[0].tags = [("kernel", "old"), ("disk", "a")].map(|(key, value)| (key.to_owned(), value.to_owned())).into();
        records[1].tags = [("kernel", "new"), ("disk", "a")].map(|(key, value)| (key.to_owned(), value.to_owned())).into();
        let names = |records: &[RunRecord]| named(records).into_iter().map(|one| one.name).collect::<Vec<_>>();
        assert_eq!(names(&records), ["ext4 kernel=old", "ext4 kernel=new", "xfs"]);
        let mut third = records[1].clone();
        third.batch = Identity(3);
        third.tags.insert("disk".to_owned(), "b".to_owned());
        let three = [records[0].clone(), records[1].clone(), third.clone()];
        assert_eq!(names(&three), ["ext4 disk=a kernel=old", "ext4 disk=a kernel=new", "ext4 disk=b kernel=new"]);
        third.tags.insert("disk".to_owned(), "x".repeat(MOST_ADDED));
        assert!(names(&[records[0].clone(), records[1].clone(), third])[2].starts_with("ext4 @000000"));
    }

    #[test]
    fn names_that_print_alike_are_numbered() {
        let mut tagged = [run("ext4", 1), run("ext4", 2)];
        for (run, step) in tagged.iter_mut().zip(["1", "2"]) {
            run.tags.insert("step".to_owned(), step.to_owned());
        }
        let [one, two] = tagged;
        let records = [one, two, run("ext4 step=1", 3), run("\u{0}a", 4), run("\u{1}a", 4), run("xfs ", 5), run("xfs", 5)];
        let names: Vec<String> = named(&records).into_iter().map(|one| one.name).collect();
        assert_eq!(names.iter().collect::<HashSet<_>>().len(), records.len(), "{names:?}");
        assert_eq!(names[..3], ["ext4 step=1", "ext4 step=2", "ext4 step=1 (2)"]);
    }

    #[test]
    fn what_was_done_around_the_phases_tells_apart() {
        let mut warm = run("ext4", 1);
        warm.plan.as_mut().unwrap().circumstances.drop_caches = crate::model::plan::DropCaches::Never;
        let records = [run("ext4", 1), warm];
        let names: Vec<String> = named(&records).into_iter().map(|one| one.name).collect();
        assert_eq!(names, ["ext4 drop_caches=auto", "ext4 drop_caches=never"]);
    }

    #[test]
    fn pooled_batches_of_a_label_are_one_series() {
        let records = [run("ext4", 1), run("xfs", 1), run("ext4", 2), run("ext4", 3)];
        let series = Series::of(&records, Pooling::Pooled);
        let found: Vec<(&str, usize, usize)> = series.iter().map(|one| (one.name.as_str(), one.runs.len(), one.batches)).collect();
        assert_eq!(found, [("ext4", 3, 3), ("xfs", 1, 1)]);
    }
}
