//! What differs between the series of a section beside the target itself, and what all share: the facts of their surroundings.

use super::Section;
use crate::model::fact::{FACTS, Fact, FactKind, LIST_GAP};
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
    let found = titled_values(section).into_iter().filter_map(|titled| {
        let values = in_values(&titled.values)?;
        let values = if titled.fact.is_some_and(Fact::is_long_list) { unshared_items(values) } else { values };
        Some(Varied { title: titled.title, values })
    });
    found.collect()
}

/// More items than these of a long list are counted: two filesystems of other types have hardly one in common.
const MOST_ITEMS: usize = 8;

/// Of long lists the items that not all values have.
fn unshared_items(values: Vec<(Vec<usize>, String)>) -> Vec<(Vec<usize>, String)> {
    let lists: Vec<BTreeSet<&str>> = values.iter().map(|(_, value)| value.split(LIST_GAP).collect()).collect();
    let is_shared = |item: &str| lists.iter().all(|list| list.contains(item));
    let of = |value: &str| {
        let items: Vec<&str> = value.split(LIST_GAP).filter(|item| !is_shared(item)).collect();
        match items.len() {
            0 => "none of these".to_owned(),
            count if count > MOST_ITEMS => format!("{} and {} more", items[..MOST_ITEMS].join(LIST_GAP), count - MOST_ITEMS),
            _ => items.join(LIST_GAP),
        }
    };
    values.iter().map(|(places, value)| (places.clone(), of(value))).collect()
}

/// The facts of the surroundings that all share.
pub fn shared(section: &Section<'_>) -> Vec<Shared> {
    let single = |titled: Titled| {
        let (first, rest) = titled.values.split_first()?;
        let value = first.clone().filter(|_| rest.iter().all(|other| other == first))?;
        Some(Shared { title: titled.title, kind: titled.kind, value })
    };
    titled_values(section).into_iter().filter_map(single).collect()
}

/// A fact with its value in every series.
struct Titled {
    title: String,
    kind: FactKind,
    /// `None` for tags.
    fact: Option<&'static Fact>,
    values: Vec<Option<String>>,
}

/// Each fact with its value in every series.
fn titled_values(section: &Section<'_>) -> Vec<Titled> {
    let of_all = |value: &dyn Fn(&RunRecord) -> Option<String>| section.series.iter().map(|one| in_series(one, value)).collect::<Vec<_>>();
    let environment = FACTS.iter().filter(|fact| fact.kind != FactKind::Identity);
    let facts = environment.map(|fact| Titled {
        title: fact.title.to_owned(),
        kind: fact.kind,
        fact: Some(fact),
        values: of_all(&|run| fact.of(run)),
    });
    let of_tags = |title: String, values: Vec<Option<String>>| Titled { title, kind: FactKind::Circumstances, fact: None, values };
    let keys: BTreeSet<&String> = section.series.iter().flat_map(|one| one.first.tags.keys()).collect();
    let are_many = keys.len() > MOST_KEYS;
    let together = are_many.then(|| of_tags("tags".to_owned(), of_all(&all_tags)));
    let tags = keys
        .into_iter()
        .filter(|_| !are_many)
        .map(|key| of_tags(format!("tag {}", printable(key)), of_all(&|run| run.tags.get(key).map(|value| printable(value)))));
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

    /// Two made filesystems that differ as `change` says.
    fn varied_by(change: impl Fn(&mut RunRecord)) -> Vec<Varied> {
        let mut records = [sample::made("before", 1), sample::made("after", 1)];
        records.iter_mut().for_each(|run| run.filesystem.kind = "ext4".to_owned());
        change(&mut records[1]);
        varied(&Report::of(&records).sections[0])
    }

    #[test]
    fn of_two_variants_with_other_mount_options_these_alone_differ() {
        let found = varied_by(|run| {
            run.filesystem.mount_options = "rw,noatime".to_owned();
            run.making.as_mut().unwrap().mount_options = "noatime".to_owned();
        });
        assert_eq!(found.iter().map(|fact| fact.title.as_str()).collect::<Vec<_>>(), ["mount options"]);
    }

    #[test]
    fn of_features_only_those_are_told_that_not_all_have() {
        let values = |features: &[&str]| {
            let features: Vec<String> = features.iter().map(|feature| (*feature).to_owned()).collect();
            let found = varied_by(|run| run.making.as_mut().unwrap().features.clone_from(&features));
            let [fact] = &found[..] else { panic!("{found:?}") };
            assert_eq!(fact.title, "features");
            fact.values.iter().map(|(_, value)| value.clone()).collect::<Vec<_>>()
        };
        assert_eq!(values(&["has_journal", "extent", "block size 4096"]), ["64bit", "none of these"]);
        assert_eq!(values(&["has_journal", "extent", "64bit", "block size 1024"]), ["block size 4096", "block size 1024"]);
        let many: Vec<String> = (0..30).map(|number| format!("crc={number}")).collect();
        let many = values(&many.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(many[1], "crc=0, crc=1, crc=2, crc=3, crc=4, crc=5, crc=6, crc=7 and 22 more");
        assert_eq!(values(&[]), ["has_journal, extent, 64bit, block size 4096", "not known"]);
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
