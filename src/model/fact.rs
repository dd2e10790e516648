//! THE FACTS: what a run is known by, each with the name that selects and groups by it. A fact is a row in [`FACTS`].

use super::machine::{DirtyLimits, Filesystem};
use super::making::Making;
use super::nearest::{did_you_mean, nearest_names};
use super::plan::{CacheState, DropCaches};
use super::printable::{printable, printable_label};
use super::record::RunRecord;
use crate::units::rounded_size;
use std::collections::BTreeSet;

/// A fact of a run.
#[derive(Debug)]
pub struct Fact {
    /// The name on the command line.
    pub name: &'static str,
    /// The name in a report.
    pub title: &'static str,
    /// What it is a fact of.
    pub kind: FactKind,
    of: fn(&RunRecord) -> Option<String>,
}

/// What a fact is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FactKind {
    /// Which run it is.
    Identity,
    /// The machine.
    Machine,
    /// What lies below the target.
    Target,
    /// What was done around the phases.
    Circumstances,
}

macro_rules! facts {
    ($($kind:ident $name:literal $title:literal $of:expr;)*) => {
        /// Every fact, in the order of a report.
        pub const FACTS: &[Fact] = &[$(Fact { name: $name, title: $title, kind: FactKind::$kind, of: $of },)*];
    };
}

facts! {
    Identity      "label"         "label"          |run| Some(printable_label(&run.label));
    Identity      "batch"         "batch"          |run| Some(run.batch.to_string());
    Identity      "profile"       "profile"        |run| known(&run.profile);
    Identity      "workload"      "workload"       |run| Some(run.workload_id.to_string());
    Identity      "date"          "date"           |run| known(run.started.get(..10).unwrap_or_default());
    Machine       "barrow"        "version"         |run| known(&run.version).filter(|_| run.imported.is_none());
    Machine       "host"          "host"           |run| run.machine.hostname.clone();
    Machine       "kernel"        "kernel"         |run| run.machine.kernel.clone();
    Machine       "architecture"  "architecture"   |run| run.machine.architecture.clone();
    Machine       "cpu"           "CPU"            |run| run.machine.cpu_model.clone();
    Machine       "cpus"          "CPUs"           |run| run.machine.cpus.map(|cpus| cpus.to_string());
    Machine       "ram"           "RAM"            |run| run.machine.ram_bytes.map(rounded_size);
    Machine       "memory_limit"  "memory limit"   |run| run.machine.memory_limit_bytes.map(rounded_size);
    Machine       "governor"      "governor"       |run| run.machine.governor.clone();
    Machine       "inside"        "inside"         |run| known(&run.machine.inside.join(", "));
    Machine       "writeback"     "writeback"      |run| run.machine.dirty.map(DirtyLimits::in_words);
    Machine       "rights"        "rights"         rights;
    Target        "filesystem"    "filesystem"     |run| known(&run.filesystem.kind);
    Target        "mount"         "mount options"  |run| known(&run.filesystem.mount_options);
    Target        "size"          "size"           |run| (run.filesystem.size_bytes > 0).then(|| rounded_size(run.filesystem.size_bytes));
    Target        "fill"          "fill"           |run| fill(&run.filesystem);
    Target        "device"        "device"         |run| run.device.name.clone();
    Target        "model"         "model"          |run| run.device.model.clone();
    Target        "device_size"   "device size"    |run| run.device.size_bytes.map(rounded_size);
    Target        "rotational"    "rotating"       |run| run.device.rotational.map(|is| if is { "yes" } else { "no" }.to_owned());
    Target        "scheduler"     "scheduler"      |run| run.device.scheduler.clone();
    Target        "readahead"     "readahead"      |run| run.device.read_ahead_bytes.map(rounded_size);
    Target        "write_cache"   "write cache"    |run| run.device.write_cache.clone();
    Target        "below"         "below"          below;
    Target        "storage"       "storage"        |run| run.making.as_ref().map(Making::storage_in_words);
    Target        "mkfs"          "made by"        |run| known(&run.making.as_ref()?.mkfs);
    Target        "mkfs_version"  "mkfs version"   |run| known(run.making.as_ref()?.mkfs_version.as_deref()?);
    Target        "features"      "features"       |run| known(&run.making.as_ref()?.features.join(LIST_GAP));
    Circumstances "cache"         "cache"          |run| run.circumstances().map(|around| cache_state(around.cache).to_owned());
    Circumstances "drop_caches"   "drop caches"    |run| run.circumstances().map(|around| drop_caches(around.drop_caches).to_owned());
    Circumstances "prepare"       "prepare"        |run| run.circumstances().map(|around| around.prepare.clone().unwrap_or_else(|| "none".to_owned()));
    Circumstances "pause"         "pause"          |run| run.circumstances().map(|around| pause(around.pause_ms));
}

/// The facts that are long lists.
const LONG_LISTS: [&str; 1] = ["features"];

/// What stands between the items of a long list.
pub const LIST_GAP: &str = ", ";

impl Fact {
    /// What it is of a run, printable; `None` where it is not known.
    #[must_use]
    pub fn of(&self, run: &RunRecord) -> Option<String> {
        (self.of)(run).map(|value| printable(&value))
    }

    /// Whether it is a list, joined by [`LIST_GAP`], so long that only those items are worth reading in which two runs differ.
    #[must_use]
    pub fn is_long_list(&self) -> bool {
        LONG_LISTS.contains(&self.name)
    }
}

fn known(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

/// Only of barrow's own runs it is known.
fn rights(run: &RunRecord) -> Option<String> {
    run.plan.is_some().then(|| if run.machine.root { "root" } else { "not root" }.to_owned())
}

fn fill(filesystem: &Filesystem) -> Option<String> {
    filesystem.fill_percent().map(|percent| format!("{percent:.0} %"))
}

/// What lies below all other devices.
fn below(run: &RunRecord) -> Option<String> {
    let leaves: Vec<&str> = run.stack.leaves().map(|leaf| leaf.name.as_str()).collect();
    known(&leaves.join(", "))
}

fn pause(milliseconds: u64) -> String {
    if milliseconds == 0 { "none".to_owned() } else { format!("{milliseconds} ms") }
}

const fn cache_state(state: CacheState) -> &'static str {
    match state {
        CacheState::Cold => "cold",
        CacheState::Warm => "warm",
    }
}

const fn drop_caches(drops: DropCaches) -> &'static str {
    match drops {
        DropCaches::Auto => "auto",
        DropCaches::Never => "never",
    }
}

/// A key that runs are selected or grouped by: a tag, or a fact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key(String);

/// There is neither a tag nor a fact of that name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{name}` is neither a tag of these runs nor a fact{}; the tags are {}; the facts are {}",
    did_you_mean(nearest),
    listed(tags),
    listed(facts)
)]
pub struct UnknownKey {
    /// What was typed, printable.
    pub name: String,
    /// Similar names.
    pub nearest: Vec<String>,
    /// The tags of the runs, printable.
    pub tags: Vec<String>,
    /// Every fact.
    pub facts: Vec<String>,
}

/// More names than these are not listed.
const MOST_LISTED: usize = 40;

fn listed(names: &[String]) -> String {
    match names {
        [] => "none".to_owned(),
        names if names.len() > MOST_LISTED => format!("{} and {} more", names[..MOST_LISTED].join(", "), names.len() - MOST_LISTED),
        names => names.join(", "),
    }
}

impl Key {
    /// The key of a name, where some run has such a tag or there is such a fact.
    ///
    /// # Errors
    /// Names what is alike, and all tags and facts, when there is none.
    pub fn named(name: &str, runs: &[RunRecord]) -> Result<Self, UnknownKey> {
        let is_fact = FACTS.iter().any(|fact| fact.name == name);
        if is_fact || runs.iter().any(|run| run.tags.contains_key(name)) {
            return Ok(Self(name.to_owned()));
        }
        let tags: BTreeSet<&str> = runs.iter().flat_map(|run| run.tags.keys()).map(String::as_str).collect();
        let facts = FACTS.iter().map(|fact| fact.name);
        let nearest = nearest_names(name, tags.iter().copied().chain(facts.clone()));
        Err(UnknownKey {
            name: printable(name),
            nearest: nearest.into_iter().map(printable).collect(),
            tags: tags.into_iter().map(printable).collect(),
            facts: facts.map(str::to_owned).collect(),
        })
    }

    /// The name, printable.
    #[must_use]
    pub fn name(&self) -> String {
        printable(&self.0)
    }

    /// What it is of a run, printable: the tag where the run has one of the name, else the fact. `None` where neither is known.
    #[must_use]
    pub fn of(&self, run: &RunRecord) -> Option<String> {
        let fact = || FACTS.iter().find(|fact| fact.name == self.0).and_then(|fact| fact.of(run));
        run.tags.get(&self.0).map(|value| printable(value)).or_else(fact)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::sample;

    #[test]
    fn names_are_unique_and_every_fact_of_a_usual_run_is_known_or_not_there() {
        let names: BTreeSet<&str> = FACTS.iter().map(|fact| fact.name).collect();
        assert_eq!(names.len(), FACTS.len());
        let run = sample::run("ext4", 1);
        let of = |name: &str| Key::named(name, &[]).unwrap().of(&run);
        assert_eq!(of("kernel").as_deref(), Some("Linux 6.18.4"));
        assert_eq!(of("mount").as_deref(), Some("rw,relatime"));
        assert_eq!(of("fill").as_deref(), Some("10 %"));
        assert_eq!(of("rights").as_deref(), Some("not root"));
        assert_eq!((of("cache").as_deref(), of("pause").as_deref(), of("governor")), (Some("cold"), Some("none"), None));
    }

    #[test]
    fn how_a_filesystem_was_made_is_known_where_it_was_made() {
        let names = ["storage", "mkfs", "mkfs_version", "features"];
        let of = |run: &RunRecord| names.map(|name| Key::named(name, &[]).unwrap().of(run));
        assert_eq!(of(&sample::run("ext4", 1)), [None, None, None, None]);
        let expected = [
            "image of 2 GiB, written in full",
            "mkfs.ext4 -q -F {device}",
            "mke2fs 1.47.0 (5-Feb-2023)",
            "has_journal, extent, 64bit, block size 4096",
        ];
        assert_eq!(of(&sample::made("ext4", 1)), expected.map(|text| Some(text.to_owned())));
        assert!(LONG_LISTS.iter().all(|name| FACTS.iter().any(|fact| fact.name == *name && fact.is_long_list())));
    }

    #[test]
    fn a_tag_goes_before_a_fact() {
        let mut run = sample::run("ext4", 1);
        run.tags.insert("kernel".to_owned(), "old\n".to_owned());
        run.tags.insert("raid".to_owned(), "10".to_owned());
        let runs = [run];
        assert_eq!(Key::named("kernel", &runs).unwrap().of(&runs[0]).as_deref(), Some("old?"));
        assert_eq!(Key::named("raid", &runs).unwrap().of(&runs[0]).as_deref(), Some("10"));
        let error = Key::named("rade", &runs).unwrap_err().to_string();
        assert!(error.contains("did you mean `raid`") && error.contains("the tags are kernel, raid"), "{error}");
    }
}
