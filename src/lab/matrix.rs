//! Variants that are asked for together, multiplied: one for each combination of the values, with a name that says what varies.

use super::plan::{Entry, Placed, Template};
use super::variant::Words;
use std::collections::BTreeMap;

/// One combination of the values of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Combination<'p> {
    /// Where it was asked for.
    pub entry: &'p Entry,
    /// Its name: that of the entry (or of the filesystem), and the values that vary.
    pub label: String,
    /// The filesystem.
    pub filesystem: &'p Placed<String>,
    /// The mount options.
    pub mount: &'p str,
    /// The command that makes it; `None` for the usual one.
    pub mkfs: Option<&'p Placed<Template>>,
    /// What the user noted.
    pub tags: BTreeMap<String, String>,
}

/// How many combinations an entry has.
#[must_use]
pub fn count(entry: &Entry) -> usize {
    let tags = entry.tags.values().map(Vec::len);
    let factors = [entry.filesystems.len(), entry.mounts.len(), entry.mkfs.len().max(1)];
    factors.into_iter().chain(tags).fold(1, usize::saturating_mul)
}

/// Every combination, the last value changing first. [`count`] says how many there will be.
#[must_use]
pub fn combinations(entry: &Entry) -> Vec<Combination<'_>> {
    let commands: Vec<Option<&Placed<Template>>> = if entry.mkfs.is_empty() { vec![None] } else { entry.mkfs.iter().map(Some).collect() };
    let all_tags = tag_sets(entry);
    let mut found = Vec::new();
    for filesystem in &entry.filesystems {
        for mount in &entry.mounts {
            for mkfs in &commands {
                for tags in &all_tags {
                    let label = label(entry, &filesystem.value, mount, *mkfs, tags);
                    found.push(Combination { entry, label, filesystem, mount, mkfs: *mkfs, tags: tags.clone() });
                }
            }
        }
    }
    found
}

fn tag_sets(entry: &Entry) -> Vec<BTreeMap<String, String>> {
    let mut sets = vec![BTreeMap::new()];
    for (key, values) in &entry.tags {
        let with = |set: &BTreeMap<String, String>, value: &String| {
            let mut set = set.clone();
            set.insert(key.clone(), value.clone());
            set
        };
        sets = sets.iter().flat_map(|set| values.iter().map(|value| with(set, value)).collect::<Vec<_>>()).collect();
    }
    sets
}

fn label(entry: &Entry, filesystem: &str, mount: &str, mkfs: Option<&Placed<Template>>, tags: &BTreeMap<String, String>) -> String {
    let mut parts = vec![entry.label.clone().unwrap_or_else(|| filesystem.to_owned())];
    if entry.label.is_some() && entry.filesystems.len() > 1 {
        parts.push(filesystem.to_owned());
    }
    if entry.mounts.len() > 1 {
        parts.push(mount.to_owned());
    }
    parts.extend(mkfs.filter(|_| entry.mkfs.len() > 1).map(|mkfs| own_words(&mkfs.value, entry)).filter(|words| !words.is_empty()));
    let varying = tags.iter().filter(|(key, _)| entry.tags.get(*key).is_some_and(|values| values.len() > 1));
    parts.extend(varying.map(|(key, value)| format!("{key}={value}")));
    parts.join(" ")
}

/// The words of a command that not all commands of its entry have.
fn own_words(template: &Template, entry: &Entry) -> String {
    let is_common = |word: &&String| entry.mkfs.iter().all(|other| other.value.words.contains(word));
    let own: Words = template.words.iter().filter(|word| !is_common(word)).cloned().collect();
    own.join(" ")
}

#[cfg(test)]
mod tests {
    use super::super::asked::template;
    use super::super::plan::{Ground, Place};
    use super::*;

    fn placed<T>(value: T) -> Placed<T> {
        Placed { value, place: Place::Options }
    }

    fn entry(label: Option<&str>, filesystems: &[&str], mounts: &[&str], mkfs: &[&str], tags: &[(&str, &[&str])]) -> Entry {
        let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        Entry {
            place: Place::Options,
            label: label.map(str::to_owned),
            filesystems: owned(filesystems).into_iter().map(placed).collect(),
            mounts: owned(mounts),
            mkfs: mkfs.iter().map(|text| placed(template(text).unwrap())).collect(),
            tags: tags.iter().map(|(key, values)| ((*key).to_owned(), owned(values))).collect(),
            ground: Ground::Image { directory: None, bytes: None },
            is_checked: true,
        }
    }

    fn labels(entry: &Entry) -> Vec<String> {
        let found = combinations(entry);
        assert_eq!(found.len(), count(entry));
        found.into_iter().map(|one| one.label).collect()
    }

    #[test]
    fn a_name_says_what_varies_and_nothing_else() {
        assert_eq!(labels(&entry(None, &["ext4"], &["noatime"], &[], &[("raid", &["10"])])), ["ext4"]);
        assert_eq!(labels(&entry(None, &["ext4", "xfs"], &["defaults"], &[], &[])), ["ext4", "xfs"]);
        assert_eq!(labels(&entry(None, &["ext4"], &["defaults", "noatime"], &[], &[])), ["ext4 defaults", "ext4 noatime"]);
        assert_eq!(labels(&entry(Some("big"), &["ext4", "xfs"], &["defaults"], &[], &[])), ["big ext4", "big xfs"]);
        let matrix = entry(None, &["ext4", "xfs"], &["defaults", "noatime"], &[], &[]);
        assert_eq!(labels(&matrix), ["ext4 defaults", "ext4 noatime", "xfs defaults", "xfs noatime"]);
        let tags = entry(Some("x"), &["btrfs"], &["defaults"], &[], &[("a", &["1", "2"]), ("b", &["3"]), ("c", &["4", "5"])]);
        assert_eq!(labels(&tags), ["x a=1 c=4", "x a=1 c=5", "x a=2 c=4", "x a=2 c=5"]);
        let commands = ["mkfs.ext4 -q {device}", "mkfs.ext4 -q -O ^has_journal {device}"];
        assert_eq!(labels(&entry(None, &["ext4"], &["defaults"], &commands, &[])), ["ext4", "ext4 -O ^has_journal"]);
    }

    #[test]
    fn a_product_without_end_is_counted_and_not_made() {
        let many: Vec<&str> = vec!["x"; 100];
        let tags: Vec<(String, Vec<&str>)> = (0..20).map(|number| (number.to_string(), many.clone())).collect();
        let tags: Vec<(&str, &[&str])> = tags.iter().map(|(key, values)| (key.as_str(), values.as_slice())).collect();
        assert_eq!(count(&entry(None, &many, &many, &[], &tags)), usize::MAX);
    }
}
