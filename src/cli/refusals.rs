//! What a batch cannot do on its targets: refused before anything is measured, with everything that the user should know.

use super::output::say;
use super::places::Named;
use crate::model::plan::Plan;
use crate::model::settings::{Io, Settings};
use crate::runner::preflight::direct_io::{self, DirectRefusal};
use crate::runner::preflight::{self, Limits, Refusal, process};
use crate::sys::limits::{address_space, raise_open_files};
use crate::sys::machine::memory_limit;
use crate::target::clean::others_in;
use crate::target::direct;
use std::os::unix::fs::MetadataExt;

/// Refuses what would fail later, and says what the user should know.
///
/// # Errors
/// Names everything that is in the way, at every target.
pub fn check(plan: &Plan, named: &mut [Named], ram: Option<u64>, no_drops: Option<&str>, quiet: bool) -> anyhow::Result<()> {
    let limits = limits(ram);
    caution(plan, &limits, no_drops, quiet);
    for (first, second) in same_directories(named) {
        say(&format!("barrow: {first} and {second} are the same directory"));
    }
    let mut refused: Vec<String> = Vec::new();
    for target in named {
        let head = format!("{} ({})", target.label, target.path.display());
        refused.extend(refusals_of(plan, target, &head, "", &limits, quiet));
    }
    refused.extend(process_refusals(plan));
    anyhow::ensure!(refused.is_empty(), "{}", refused.join("\n        "));
    Ok(())
}

/// Names what this process cannot do, wherever it is: calls that are refused, programs of the profile that cannot be started.
pub fn process_refusals(plan: &Plan) -> Vec<String> {
    process::refused_calls().into_iter().chain(process::missing_programs(plan)).map(|refusal| refusal.to_string()).collect()
}

/// What this process may have.
pub fn limits(ram: Option<u64>) -> Limits {
    Limits { ram_bytes: ram, group_bytes: memory_limit(), address_bytes: address_space(), open_files: raise_open_files() }
}

/// Says what the user should know of the machine and of his own rights; `no_drops` says why nobody can drop the system's caches.
pub fn caution(plan: &Plan, limits: &Limits, no_drops: Option<&str>, quiet: bool) {
    for caution in preflight::general_cautions(plan, limits, no_drops).iter().filter(|_| !quiet) {
        say(&format!("barrow: {caution}"));
    }
}

/// Names what is in the way at one target, behind `head`, and says what the user should know of it. Where the space is too small
/// `space_advice` says what else to do.
pub fn refusals_of(plan: &Plan, target: &mut Named, head: &str, space_advice: &str, limits: &Limits, quiet: bool) -> Vec<String> {
    let mut refused = Vec::new();
    let filesystem = preflight::filled(&target.filesystem, plan.circumstances.fill_percent).unwrap_or_else(|refusal| {
        refused.push(format!("{head}: {refusal}"));
        target.filesystem.clone()
    });
    for refusal in preflight::refusals(&plan.settings, &filesystem, limits) {
        let advice = if matches!(refusal, Refusal::Space { .. }) { space_advice } else { "" };
        refused.push(format!("{head}: {refusal}{advice}"));
    }
    for refusal in direct_refusals(&plan.settings, target) {
        refused.push(format!("{head}: {refusal}"));
    }
    let cautions = preflight::cautions(&plan.settings, &filesystem, limits);
    for caution in cautions.iter().filter(|_| !quiet).chain(&others(target)) {
        say(&format!("barrow: {head}: {caution}"));
    }
    refused
}

/// Refuses what this process lacks of threads and memory: found by trying, with the rights that it will measure with.
///
/// # Errors
/// When it lacks any.
pub fn check_process(plan: &Plan) -> anyhow::Result<()> {
    process::scarcity(plan).map_or(Ok(()), |scarcity| Err(scarcity.into()))
}

/// Finds out how direct I/O must be aligned on a target, where it was asked for, and what is in its way.
fn direct_refusals(settings: &Settings, target: &mut Named) -> Vec<DirectRefusal> {
    if settings.io == Io::Buffered || settings.file_size == 0 {
        return Vec::new();
    }
    match direct_io::alignment(settings, direct::ask(&target.directory, &target.path, target.filesystem.class)) {
        Ok(found) => {
            target.direct_io = Some(found);
            Vec::new()
        }
        Err(refused) => refused,
    }
}

/// The names of targets that are one and the same directory, in pairs.
fn same_directories(named: &[Named]) -> Vec<(&str, &str)> {
    let place = |target: &Named| target.directory.metadata().map(|metadata| (metadata.dev(), metadata.ino())).ok();
    let mut pairs = Vec::new();
    for (index, second) in named.iter().enumerate() {
        let first = named[..index].iter().find(|first| place(first).is_some() && place(first) == place(second));
        pairs.extend(first.map(|first| (first.label.as_str(), second.label.as_str())));
    }
    pairs
}

/// What other runs have in a target: a living one spoils both results, a dead one's files take space.
fn others(target: &Named) -> Vec<String> {
    // Advice only: a directory that cannot be listed fails by name when its scratch directory is made.
    let (live, dead) = others_in(&target.directory).unwrap_or_default();
    let shown = target.path.display();
    let live = (live > 0).then(|| "another barrow measures here at this moment: the results of both are spoiled".to_owned());
    let dead = (dead > 0).then(|| format!("a killed run has left files here; `barrow clean {shown}` removes them"));
    live.into_iter().chain(dead).collect()
}
