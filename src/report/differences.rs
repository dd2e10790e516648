//! What differs between the series of a section beside the target itself, and what all share: the facts of their surroundings.

use super::Section;
use crate::model::fact::{FACTS, Fact, FactKind};
use crate::model::printable::printable;
use crate::model::record::RunRecord;
use crate::model::series::Series;
use std::collections::{BTreeSet, HashMap};

/// A fact in which the series differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Varied {
    /// `mount options`, `tag kernel`.
    pub title: String,
    /// Each value once, with the places of the series that have it, in the order of the series.
    pub values: Vec<(Vec<usize>, String)>,
}

/// A fact that all series share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shared {
    /// `kernel`.
    pub title: String,
    /// What it is a fact of.
    pub kind: FactKind,
    pub value: String,
}

/// The facts of the surroundings that differ, and only those.
pub fn varied(section: &Section<'_>) -> Vec<Varied> {
    titled_values(section).into_iter().filter_map(|(title, _, values)| in_values(&values).map(|values| Varied { title, values })).collect()
}

/// The facts of the surroundings that all share.
pub fn shared(section: &Section<'_>) -> Vec<Shared> {
    let single = |(title, kind, values): (String, FactKind, Vec<Option<String>>)| {
        let (first, rest) = values.split_first()?;
        let value = first.clone().filter(|_| rest.iter().all(|other| other == first))?;
        Some(Shared { title, kind, value })
    };
    titled_values(section).into_iter().filter_map(single).collect()
}

/// Each fact with its value in every series.
fn titled_values(section: &Section<'_>) -> Vec<(String, FactKind, Vec<Option<String>>)> {
    let of_all = |value: &dyn Fn(&RunRecord) -> Option<String>| section.series.iter().map(|one| in_series(one, value)).collect::<Vec<_>>();
    let environment = FACTS.iter().filter(|fact| fact.kind != FactKind::Identity);
    let facts = environment.map(|fact: &Fact| (fact.title.to_owned(), fact.kind, of_all(&|run| fact.of(run))));
    let keys: BTreeSet<&String> = section.series.iter().flat_map(|one| one.first.tags.keys()).collect();
    let are_many = keys.len() > MOST_KEYS;
    let together = are_many.then(|| ("tags".to_owned(), FactKind::Circumstances, of_all(&all_tags)));
    let tags = keys.into_iter().filter(|_| !are_many).map(|key| {
        let values = of_all(&|run| run.tags.get(key).map(|value| printable(value)));
        (format!("tag {}", printable(key)), FactKind::Circumstances, values)
    });
    facts.chain(tags).chain(together).collect()
}

/// More tags than these are not taken apart: each would be a row, with a value of every series.
const MOST_KEYS: usize = 64;

/// All tags of a run as one value.
pub fn all_tags(run: &RunRecord) -> Option<String> {
    let tags: Vec<String> = run.tags.iter().map(|(key, value)| format!("{}={}", printable(key), printable(value))).collect();
    (!tags.is_empty()).then(|| tags.join(" "))
}

/// The value of a series: that of its first run, or of several batches each value once.
pub fn in_series(series: &Series<'_>, value: &dyn Fn(&RunRecord) -> Option<String>) -> Option<String> {
    if series.batches == 1 {
        return value(series.first);
    }
    let values: BTreeSet<String> = series.runs.iter().filter_map(|run| value(run)).collect();
    (!values.is_empty()).then(|| values.into_iter().collect::<Vec<_>>().join(" / "))
}

/// The different values with the places that have them; `None` where there is only one.
fn in_values(values: &[Option<String>]) -> Option<Vec<(Vec<usize>, String)>> {
    let mut found: Vec<(Vec<usize>, &Option<String>)> = Vec::new();
    let mut known: HashMap<&Option<String>, usize> = HashMap::new();
    for (place, value) in values.iter().enumerate() {
        let entry = *known.entry(value).or_insert(found.len());
        match found.get_mut(entry) {
            Some((places, _)) => places.push(place),
            None => found.push((vec![place], value)),
        }
    }
    let said = |value: &Option<String>| value.clone().unwrap_or_else(|| "not known".to_owned());
    (found.len() > 1).then(|| found.into_iter().map(|(places, value)| (places, said(value))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::identity::Identity;
    use crate::model::sample;
    use crate::report::Report;

    #[test]
    fn only_what_differs_is_listed() {
        let mut records = [sample::run("before", 1), sample::run("after", 1)];
        records[1].batch = Identity(7);
        for run in &mut records {
            run.filesystem.kind = "ext4".to_owned();
        }
        records[1].filesystem.mount_options = "rw,noatime".to_owned();
        let report = Report::of(&records);
        let expected = Varied {
            title: "mount options".to_owned(),
            values: vec![(vec![0], "rw,relatime".to_owned()), (vec![1], "rw,noatime".to_owned())],
        };
        assert_eq!(varied(&report.sections[0]), [expected]);
        let shared = shared(&report.sections[0]);
        assert!(shared.iter().any(|fact| fact.title == "kernel" && fact.value == "Linux 6.18.4"), "{shared:?}");
        assert!(!shared.iter().any(|fact| fact.title == "mount options"));
    }

    #[test]
    fn what_one_does_not_know_differs_and_equal_values_are_named_once() {
        let mut records = ["a", "b", "c"].map(|label| sample::run(label, 1));
        for run in &mut records {
            run.filesystem.kind = "ext4".to_owned();
        }
        records[1].machine.governor = Some("performance".to_owned());
        records[1].tags.insert("raid".to_owned(), "10".to_owned());
        let report = Report::of(&records);
        let two = |value: &str| vec![(vec![0, 2], "not known".to_owned()), (vec![1], value.to_owned())];
        let expected = [("governor", "performance"), ("tag raid", "10")];
        assert_eq!(varied(&report.sections[0]), expected.map(|(title, value)| Varied { title: title.to_owned(), values: two(value) }));
    }
}
