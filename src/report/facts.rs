//! The facts that a pasted table needs to stand alone: what was run, on which machine, on which filesystem.

use super::Section;
use super::gathered::{distinct, gathered};
use super::lines::join_and;
use crate::model::identity::Identity;
use crate::model::machine::{Device, Filesystem, FilesystemClass, Machine};
use crate::model::making::Making;
use crate::model::printable::printable;
use crate::model::record::RunRecord;
use crate::model::series::Series;
use crate::units::rounded_size;
use std::collections::{BTreeSet, HashSet};

/// What heads a section, part by part: `barrow 0.1.0`, `std/1`, `3 targets × 6 runs, interleaved`, `2026-11-30`; of another program
/// `bonnie++ 1.97, 80G`, `1 target × 72 runs`, `as reported`.
pub fn title(section: &Section<'_>) -> Vec<String> {
    let version = distinct(runs(section).filter_map(unnamed_program)).join(" and ");
    let profile = distinct(runs(section).map(|run| run.profile.as_str())).join(" and ");
    let group = section.group.clone().unwrap_or_default();
    let reported = if is_reported(section) { "as reported" } else { "" };
    [version, profile, group, extent(section), dates(section), reported.to_owned()]
        .into_iter()
        .map(|part| printable(&part))
        .filter(|part| !part.is_empty())
        .collect()
}

/// Whether every run of a section is as another program reported it.
pub fn is_reported(section: &Section<'_>) -> bool {
    runs(section).all(|run| run.imported.is_some())
}

/// What measured, each once: `barrow 0.1.0`, `bonnie++ 1.97`.
pub fn programs(section: &Section<'_>) -> Vec<String> {
    distinct(runs(section).map(program))
}

fn program(run: &RunRecord) -> String {
    run.imported.as_ref().map_or_else(|| format!("barrow {}", run.version), |imported| printable(&imported.program))
}

/// What measured, where the profile does not name it.
fn unnamed_program(run: &RunRecord) -> Option<String> {
    Some(program(run)).filter(|_| run.imported.as_ref().is_none_or(|imported| !run.profile.starts_with(&imported.program)))
}

fn runs<'a>(section: &'a Section<'_>) -> impl Iterator<Item = &'a RunRecord> {
    section.series.iter().flat_map(|series| series.runs.iter().copied())
}

/// How much was run: `3 targets × 6 runs, interleaved`.
pub fn extent(section: &Section<'_>) -> String {
    let batches: BTreeSet<Identity> = runs(section).map(|run| run.batch).collect();
    let is_pooled = section.series.iter().any(|series| series.batches > 1);
    let counts: Vec<usize> = section.series.iter().map(|series| series.runs.len()).collect();
    let (least, most) = (counts.iter().min().copied().unwrap_or(0), counts.iter().max().copied().unwrap_or(0));
    let runs = match (least, most) {
        (1, 1) => "1 run".to_owned(),
        (least, most) if least == most => format!("{most} runs"),
        _ => format!("{least} – {most} runs"),
    };
    let targets = match (section.series.len(), batches.len()) {
        (1, _) => "1 target".to_owned(),
        (count, _) if is_pooled => format!("{count} targets"),
        (count, 1) => format!("{count} targets"),
        (count, _) => format!("{count} series"),
    };
    let of_several_runs = gathered(section.series.iter().filter(|series| series.runs.len() > 1).map(|series| (series.batch, ())));
    let pooled = if is_pooled { " pooled" } else { "" };
    // The file is the batch of what another program measured.
    let noun = if is_reported(section) { "files" } else { "batches" };
    let batches_text = if batches.len() > 1 { format!(", {} {noun}{pooled}", batches.len()) } else { String::new() };
    // Only what is so of every batch is said.
    let is_interleaved =
        !of_several_runs.is_empty() && !is_pooled && has_order(section) && of_several_runs.iter().all(|(_, series)| series.len() > 1);
    let interleaved = if is_interleaved { ", interleaved" } else { "" };
    format!("{targets} × {runs}{batches_text}{interleaved}")
}

/// Whether it is known in which order the targets ran.
pub fn has_order(section: &Section<'_>) -> bool {
    runs(section).all(|run| run.order > 0)
}

/// The day of the first run, and of the last where it is another.
pub fn dates(section: &Section<'_>) -> String {
    let days: BTreeSet<String> =
        runs(section).map(|run| run.started.chars().take(10).collect()).filter(|day: &String| !day.is_empty()).collect();
    match (days.first(), days.last()) {
        (Some(first), Some(last)) if first != last => format!("{first} – {last}"),
        (Some(only), _) => only.clone(),
        (None, _) => String::new(),
    }
}

/// The facts of machine and targets, a line each: those that all share once, the others behind the names of their series.
pub fn lines(section: &Section<'_>) -> Vec<String> {
    let mut lines = machine_lines(section);
    lines.extend(per_fact(section, target_facts).into_iter().map(target_line));
    lines
}

/// The facts of the machine, where all targets share them.
pub fn machine(section: &Section<'_>) -> Option<String> {
    let facts = per_fact(section, |run| machine_facts(&run.machine));
    facts.into_iter().find(|fact| fact.is_shared_by_all).map(|fact| fact.fact)
}

/// The facts of the machines, a line each.
pub fn machine_lines(section: &Section<'_>) -> Vec<String> {
    per_fact(section, |run| machine_facts(&run.machine)).into_iter().map(machine_line).collect()
}

/// A fact and the series that share it.
struct SharedFact<'s, 'a> {
    series: Vec<&'s Series<'a>>,
    is_shared_by_all: bool,
    fact: String,
}

impl SharedFact<'_, '_> {
    /// `ext4 and xfs: ` and the fact.
    fn with_names(&self) -> String {
        let names: Vec<String> = self.series.iter().map(|series| series.name.clone()).collect();
        format!("{}: {}", join_and(&names), self.fact)
    }
}

fn per_fact<'s, 'a>(section: &'s Section<'a>, fact: impl Fn(&RunRecord) -> String) -> Vec<SharedFact<'s, 'a>> {
    let of_series = |series: &Series<'_>| match series.batches {
        1 => fact(series.first),
        // Of pooled batches each may have its own.
        _ => distinct(series.runs.iter().map(|run| fact(run))).join("; elsewhere "),
    };
    let groups = gathered(section.series.iter().map(|series| (of_series(series), series)));
    let is_shared_by_all = groups.len() == 1;
    let known = groups.into_iter().filter(|(fact, _)| !fact.is_empty());
    known.map(|(fact, series)| SharedFact { series, is_shared_by_all, fact }).collect()
}

fn machine_line(fact: SharedFact<'_, '_>) -> String {
    if fact.is_shared_by_all { fact.fact } else { fact.with_names() }
}

/// Whether a series is named by the device that it read, on which it used no filesystem.
fn is_device_alone(series: &Series<'_>) -> bool {
    series.first.filesystem.kind.is_empty() && series.first.device.name.as_ref() == Some(&series.name)
}

/// A label that is the filesystem's type, or the name of a device alone, is not said twice.
fn target_line(fact: SharedFact<'_, '_>) -> String {
    match fact.series.as_slice() {
        [only] if only.name == only.first.filesystem.kind || is_device_alone(only) => fact.fact,
        [_, _, ..] if fact.is_shared_by_all => format!("every target: {}", fact.fact),
        _ => fact.with_names(),
    }
}

fn machine_facts(machine: &Machine) -> String {
    let cpus = machine.cpus.map(|cpus| if cpus == 1 { "1 CPU".to_owned() } else { format!("{cpus} CPUs") });
    let cpus = match (&machine.cpu_model, cpus) {
        (Some(model), Some(cpus)) => Some(format!("{cpus} ({model})")),
        (model, cpus) => cpus.or(model.clone()),
    };
    let ram = machine.ram_bytes.map(|bytes| format!("{} RAM", rounded_size(bytes)));
    let kernel = match (&machine.kernel, &machine.architecture) {
        (Some(kernel), Some(architecture)) => Some(format!("{kernel} {architecture}")),
        (kernel, architecture) => kernel.clone().or(architecture.clone()),
    };
    let limit = machine.memory_limit_bytes.map(|bytes| format!("memory limit {}", rounded_size(bytes)));
    let governor = machine.governor.as_ref().map(|governor| format!("governor {governor}"));
    let inside = (!machine.inside.is_empty()).then(|| format!("in a {}", join_and(&machine.inside)));
    let goes_back = machine.memory_goes_back.then(|| "whose host takes free memory back".to_owned());
    let facts = [
        machine.hostname.clone(),
        kernel,
        cpus,
        governor,
        ram,
        limit,
        machine.dirty.map(|dirty| format!("writeback {}", dirty.in_words())),
        inside,
        goes_back,
    ];
    let facts: Vec<String> = facts.into_iter().flatten().collect();
    printable(&facts.join(", "))
}

fn target_facts(run: &RunRecord) -> String {
    let mut facts = filesystem_facts(&run.filesystem);
    facts.extend(Some(device_facts(&run.device)).filter(|device| !device.is_empty()));
    facts.extend(leaf_facts(run));
    facts.extend(run.making.as_ref().map(making_facts));
    let tags: Vec<String> = run.tags.iter().map(|(key, value)| format!("{key}={value}")).collect();
    if !tags.is_empty() {
        facts.push(format!("tags {}", tags.join(" ")));
    }
    printable(&facts.join(", "))
}

/// The facts of a filesystem; those that are empty or 0 (imported records) are left out.
fn filesystem_facts(filesystem: &Filesystem) -> Vec<String> {
    let size = match (filesystem.size_bytes, filesystem.fill_percent()) {
        (0, _) => String::new(),
        (size, Some(percent)) => format!("{} {percent:.0} % full", rounded_size(size)),
        (size, None) => rounded_size(size),
    };
    let class = match filesystem.class {
        FilesystemClass::Block | FilesystemClass::Zfs | FilesystemClass::Other => "",
        FilesystemClass::Memory => "in memory",
        FilesystemClass::Network => "on a server",
        FilesystemClass::Fuse => "by FUSE",
        FilesystemClass::Overlay => "on another filesystem",
    };
    let kind = match (filesystem.kind.as_str(), filesystem.mount_options.as_str()) {
        ("", options) => options.to_owned(),
        (kind, "") => kind.to_owned(),
        (kind, options) => format!("{kind} ({options})"),
    };
    [kind, size, class.to_owned()].into_iter().filter(|fact| !fact.is_empty()).collect()
}

fn device_facts(device: &Device) -> String {
    let size = device.size_bytes.map(rounded_size);
    let rotational = (device.rotational == Some(true)).then(|| "the kernel says rotating".to_owned());
    let scheduler = device.scheduler.as_ref().map(|scheduler| format!("scheduler {scheduler}"));
    let read_ahead = device.read_ahead_bytes.map(|bytes| format!("readahead {}", rounded_size(bytes)));
    let details = [device.model.clone(), size, rotational, scheduler, read_ahead, device.write_cache.clone()];
    let details: Vec<String> = details.into_iter().flatten().collect();
    match (&device.name, details.is_empty()) {
        (Some(name), true) => name.clone(),
        (Some(name), false) => format!("{name} ({})", details.join(", ")),
        (None, _) => details.join(", "),
    }
}

/// What lies below all other devices, where that is not the device that the mount names.
fn leaf_facts(run: &RunRecord) -> Option<String> {
    let leaves: Vec<String> = run.stack.leaves().map(|leaf| leaf.name.clone()).collect();
    let is_told = leaves.is_empty() || leaves.iter().map(Some).eq([run.device.name.as_ref()]);
    (!is_told).then(|| format!("on {}", join_and(&leaves)))
}

/// How a filesystem was made: `image of 2 GiB, written in full, made by mkfs.ext4 -q -F {device} (mke2fs …)`.
fn making_facts(making: &Making) -> String {
    let version = making.mkfs_version.as_deref().map(|version| format!(" ({version})")).unwrap_or_default();
    format!("{}, made by {}{version}", making.storage_in_words(), making.mkfs)
}

/// Name and model of the device in one cell; `None` when neither is known.
pub fn device_cell(device: &Device) -> Option<String> {
    let parts: Vec<&str> = [&device.name, &device.model].into_iter().flatten().map(String::as_str).collect();
    (!parts.is_empty()).then(|| printable(&parts.join(" ")))
}

/// The parameters of the plan, `key=value` each. Where the plans of a section differ in a value (none of them decides the work) all
/// stand there: `runs=6/3`.
pub fn parameters(section: &Section<'_>) -> Vec<String> {
    let Some(first) = section.series.first() else { return Vec::new() };
    let keys: HashSet<String> = plan_pairs(first.first).into_iter().map(|(key, _)| key).collect();
    let different = distinct(section.series.iter().flat_map(|series| plan_pairs(series.first)));
    let values = gathered(different.into_iter().filter(|(key, _)| keys.contains(key)));
    values.into_iter().map(|(key, values)| printable(&format!("{key}={}", values.join("/")))).collect()
}

fn plan_pairs(run: &RunRecord) -> Vec<(String, String)> {
    // What another program measured has no profile but what is said of its work.
    let profile = run.imported.is_none().then(|| ("profile".to_owned(), run.profile.clone()));
    let mut pairs: Vec<(String, String)> = profile.into_iter().collect();
    let around = run.circumstances().into_iter().flat_map(|circumstances| circumstances.parameters());
    pairs.extend(run.parameters().into_iter().chain(around.map(|(name, value)| (name.to_owned(), value))));
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::sample;
    use crate::model::series::Pooling;
    use crate::report::{Arrangement, Report};

    #[test]
    fn the_title_tells_how_much_was_run() {
        let mut records: Vec<RunRecord> = (1..=6).flat_map(|round| ["ext4", "xfs"].map(|label| sample::run(label, round))).collect();
        records[11].started = "2026-12-01T00:00:00Z".to_owned();
        let title_of = |records: &[RunRecord]| title(&Report::of(records).sections[0]);
        let whole = title_of(&records);
        assert_eq!(whole, ["barrow 0.1.0", "std/1", "2 targets × 6 runs, interleaved", "2026-11-30 – 2026-12-01"]);
        assert_eq!(title_of(&records[..2])[2], "2 targets × 1 run");
        assert_eq!(title_of(&records[..3])[2], "2 targets × 1 – 2 runs");
        records.iter_mut().skip(6).for_each(|run| run.batch = Identity(7));
        assert_eq!(title_of(&records)[2], "4 series × 3 runs, 2 batches, interleaved");
        records.retain(|run| run.batch != Identity(7) || run.label == "ext4");
        assert_eq!(title_of(&records)[2], "3 series × 3 runs, 2 batches", "one of the batches has a single target");
    }

    #[test]
    fn pooled_batches_have_the_facts_of_each() {
        let mut records = [sample::run("ext4", 1), sample::run("ext4", 1)];
        records[1].batch = Identity(7);
        for (run, step) in records.iter_mut().zip(["old", "new"]) {
            run.tags.insert("step".to_owned(), step.to_owned());
        }
        let pooled = Arrangement { pooling: Pooling::Pooled, ..Arrangement::default() };
        let report = Report::arranged(&records, &pooled);
        let facts = lines(&report.sections[0]).concat();
        assert!(facts.contains("tags step=old; elsewhere ") && facts.contains("tags step=new"), "{facts}");
        assert_eq!(title(&report.sections[0])[2], "1 target × 2 runs, 2 batches pooled");
    }

    #[test]
    fn facts_name_their_series_where_they_differ() {
        let mut records = [sample::run("ext4", 1), sample::run("xfs", 1)];
        let lines_of = |records: &[RunRecord]| lines(&Report::of(records).sections[0]);
        let facts = lines_of(&records);
        assert_eq!(facts[0], "Linux 6.18.4 x86_64, 4 CPUs, 16 GiB RAM");
        assert_eq!(facts[1], "ext4 (rw,relatime), 200 GiB 10 % full, sda1 (Samsung SSD 870, 931 GiB)");
        assert_eq!(facts.len(), 3);
        records[1].machine.kernel = None;
        records[1].machine.architecture = None;
        records[1].tags.insert("disk".to_owned(), "new".to_owned());
        let facts = lines_of(&records);
        assert_eq!(facts[1], "xfs: 4 CPUs, 16 GiB RAM");
        assert!(facts[3].ends_with("tags disk=new"), "{facts:?}");
    }

    #[test]
    fn how_a_filesystem_was_made_is_told() {
        let facts = lines(&Report::of(&[sample::made("ext4", 1)]).sections[0]);
        let expected = "image of 2 GiB, written in full, made by mkfs.ext4 -q -F {device} (mke2fs 1.47.0 (5-Feb-2023))";
        assert!(facts[1].ends_with(expected), "{facts:?}");
    }

    #[test]
    fn a_fact_of_all_targets_is_said_once() {
        let mut records = ["old", "new", "newer"].map(|label| sample::run(label, 1));
        records.iter_mut().for_each(|run| run.filesystem.kind = "ext4".to_owned());
        let facts = lines(&Report::of(&records).sections[0]);
        assert!(facts.len() == 2 && facts[1].starts_with("every target: ext4 (rw,relatime)"), "{facts:?}");
        records[2].filesystem.kind = "xfs".to_owned();
        let facts = lines(&Report::of(&records).sections[0]);
        assert!(facts[1].starts_with("old and new: ext4 (") && facts[2].starts_with("newer: xfs ("), "{facts:?}");
    }

    #[test]
    fn unknown_facts_are_left_out() {
        let mut run = sample::run("", 1);
        run.machine = Machine::default();
        run.device = Device::default();
        run.filesystem.mount_options.clear();
        run.filesystem.size_bytes = 0;
        assert!(lines(&Report::of(&[run]).sections[0]).is_empty());
    }

    #[test]
    fn plans_that_differ_show_both_values() {
        let mut records = [sample::run("ext4", 1), sample::run("xfs", 1)];
        records[1].plan.as_mut().unwrap().settings.runs = 3;
        let parameters = parameters(&Report::of(&records).sections[0]);
        assert_eq!(parameters[0], "profile=std/1");
        assert!(parameters.contains(&"runs=6/3".to_owned()), "{parameters:?}");
    }

    #[test]
    fn what_lies_below_is_told_where_it_is_another_device() {
        use crate::model::stack::{Bottom, Layer, Stack, StackDevice};
        let device = |name: &str, is_leaf| StackDevice {
            name: name.to_owned(),
            layer: Layer::Disk,
            is_leaf,
            is_counted: true,
            write_cache: None,
            rotational: None,
            direct_io: None,
        };
        let mut run = sample::run("ext4", 1);
        run.stack = Stack { bottom: Bottom::Devices, devices: vec![device("sda1", true)] };
        let said = |run: &RunRecord| lines(&Report::of(std::slice::from_ref(run)).sections[0]).join("\n");
        assert!(!said(&run).contains(" on sda1"), "{}", said(&run));
        run.stack.devices = vec![device("sda1", false), device("sdb", true), device("sdc", true)];
        assert!(said(&run).ends_with(", on sdb and sdc"), "{}", said(&run));
    }
}
