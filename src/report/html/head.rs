//! What heads a part: its name made from the data, what was found, what limited it, and how much was run on what.

use super::page::Head;
use crate::model::printable::printable;
use crate::report::chart::caption::work;
use crate::report::lines::{join_and, unbroken};
use crate::report::{Section, checks, facts, findings, limits, quietness, remarks, verdicts};

/// The head of a section.
pub fn head(section: &Section<'_>) -> Head {
    let extent = facts::extent(section);
    let limits =
        [limits::sentence(section), quietness::sentence(section), remarks::nothing_measured(section), verdicts::difference(section)];
    let facts = [Some(extent.clone()), work(section), facts::machine(section)];
    let facts: Vec<String> = facts.into_iter().flatten().collect();
    Head {
        eye: facts::title(section).into_iter().filter(|part| *part != extent).collect(),
        title: match &section.group {
            Some(group) => format!("{group}: {}", title(section)),
            None => title(section),
        },
        finding: unbroken(&finding(section)),
        limits: limits.into_iter().flatten().chain(checks::faults(section)).map(|sentence| unbroken(&sentence)).collect(),
        facts: vec![unbroken(&format!("{}.", facts.join(". ")))],
    }
}

/// With a baseline what may be said of each target beside it, else the widest gap; empty where no rule gives a sentence.
fn finding(section: &Section<'_>) -> String {
    match verdicts::sentences(section) {
        verdicts if verdicts.is_empty() => findings::widest_gap(section).unwrap_or_default(),
        verdicts => verdicts.join(" "),
    }
}

/// More names than these, or longer ones, are counted instead.
const MOST_NAMES: usize = 6;
const LONGEST_NAMES: usize = 100;

/// `ext4, xfs and btrfs (zstd:3) on Samsung SSD 870`.
fn title(section: &Section<'_>) -> String {
    let names: Vec<String> = section.series.iter().map(|series| series.name.clone()).collect();
    let joined = join_and(&names);
    let length = joined.chars().count();
    let names = match names.len() {
        1 if length > LONGEST_NAMES => format!("{}…", joined.chars().take(LONGEST_NAMES).collect::<String>()),
        2.. if names.len() > MOST_NAMES || length > LONGEST_NAMES => format!("{} targets", names.len()),
        _ => joined,
    };
    match shared_device(section) {
        Some(device) => format!("{names} on {device}"),
        None => names,
    }
}

/// The model of the device below every target, else its name; `None` where they have not the same or it is not known.
fn shared_device(section: &Section<'_>) -> Option<String> {
    let devices = || section.series.iter().map(|series| &series.first.device);
    let first = devices().next()?;
    let is_shared = |has_same: &dyn Fn(&crate::model::machine::Device) -> bool| devices().all(has_same);
    let model = first.model.as_ref().filter(|model| is_shared(&|device| device.model.as_ref() == Some(model)));
    let name = first.name.as_ref().filter(|name| is_shared(&|device| device.name.as_ref() == Some(name)));
    model.or(name).map(|device| printable(device.trim()))
}
