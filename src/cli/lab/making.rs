//! A lab from its plan to its runs: everything is made and looked at once, then measured in rounds, and taken away whatever happens.

use super::super::batch::{batch, run_file, take_back};
use super::super::interrupt::Interrupt;
use super::super::measure::{Conduct, Measured, Stand, measure};
use super::super::output::say;
use super::super::places::Named;
use super::super::refusals::{caution, check_process, limits, process_refusals, refusals_of};
use super::super::vigil::Bounds;
use super::writing::Writing;
use crate::lab::devices::{self, Device};
use crate::lab::variant::{Ground, Variant};
use crate::lab::{Lab, LabGround, Rehearsed, homes_of};
use crate::model::machine::{DirectIo, Filesystem};
use crate::model::plan::Plan;
use crate::runner::preflight::{self, Limits, Refusal};
use crate::runner::{Batch, Place};
use crate::sys::caches::Dropper;
use crate::sys::random::random_u64;
use crate::target::below::Below;
use anyhow::Context;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What is to be made and measured.
pub struct Task<'a> {
    /// The filesystems.
    pub variants: Vec<Variant>,
    /// What each run does.
    pub plan: Plan,
    /// What the user noted of all.
    pub tags: BTreeMap<String, String>,
    /// Whether each filesystem is filled at the end of its run.
    pub is_filled: bool,
    /// The devices that may be destroyed.
    pub destroy: &'a [PathBuf],
    /// Also where something is on them.
    pub is_wiped: bool,
    /// The run file.
    pub output: &'a Path,
    /// Whether the host's name is recorded.
    pub hostname: bool,
    /// Whether only what went wrong is said.
    pub quiet: bool,
    /// When it is given up.
    pub bounds: Bounds,
    /// The machine's memory in bytes.
    pub ram: Option<u64>,
}

/// Does it all. Whatever happens, nothing that was made is left, or it is named.
///
/// # Errors
/// When nothing could be measured.
pub fn done(task: Task<'_>, interrupt: &Arc<Interrupt>) -> anyhow::Result<Measured> {
    let devices = checked_devices(&task)?;
    let task = Task { variants: devices::on_nodes(task.variants, &devices), ..task };
    interrupt.attend()?;
    let limits = limits(task.ram);
    let dropper = Arc::new(Dropper::of_this_process());
    caution(&task.plan, &limits, dropper.hindrance(), task.quiet);
    let number = random_u64().context("no random numbers from the kernel")?;
    let mut file = run_file(Some(task.output), None)?;
    interrupt.set_homes(homes_of(&task.variants, number));
    let tried = tried(&task.variants, number, &task.plan, &limits, task.quiet, &interrupt.shared_flag());
    let made = tried
        .and_then(|()| begun(&task, &devices, interrupt))
        .and_then(|(lab, batch)| Ok((stands(&task, &lab, &limits, &dropper)?, lab, batch)));
    let (stands, lab, batch) = made.inspect_err(|_| {
        take_back(&mut file);
        interrupt.set_homes(Vec::new());
    })?;
    let conduct = Conduct { quiet: task.quiet, bounds: task.bounds, told: Box::new(|_| ()) };
    let measured = measure(batch, stands, file, conduct, interrupt)?;
    Ok(ended(lab, measured, interrupt))
}

/// The devices of the user's that are used, each of which may be.
fn checked_devices(task: &Task<'_>) -> anyhow::Result<Vec<Device>> {
    let reasons = match devices::check(&devices::wanted_by(&task.variants), task.destroy, task.is_wiped) {
        Ok(devices) => {
            let reasons: Vec<String> =
                task.variants.iter().flat_map(|variant| too_small(variant, &devices, &task.plan, task.ram)).collect();
            if reasons.is_empty() {
                return Ok(devices);
            }
            reasons
        }
        Err(refusals) => refusals.iter().map(ToString::to_string).collect(),
    };
    anyhow::bail!("{}", reasons.join("\n        "))
}

/// Makes each filesystem that is to lie on an image on one to which nothing was written, and looks at it: what would fail is refused
/// before hours go into images and runs. `number` names its home.
///
/// # Errors
/// Everything that is in the way, of every filesystem.
pub fn tried(variants: &[Variant], number: u64, plan: &Plan, limits: &Limits, quiet: bool, stop: &Arc<AtomicBool>) -> anyhow::Result<()> {
    let on_images: Vec<Variant> = variants.iter().filter(|variant| matches!(variant.ground, Ground::Image { .. })).cloned().collect();
    let lab = Lab::on_trial(&on_images, number, Arc::clone(stop))?;
    let mut refused = Vec::new();
    for variant in &on_images {
        let mut ground = ground_of(&lab, variant)?;
        match looked_at(plan, variant, &mut ground, limits, quiet) {
            Err(error) => refused.push(format!("{}: {error:#}", variant.label)),
            Ok(looked) => refused.extend(looked.refusals),
        }
    }
    refused.extend(lab.end().into_iter().map(|left| format!("could not remove {left}")));
    anyhow::ensure!(!stop.load(Ordering::Relaxed), "stopped while the filesystems were tried");
    anyhow::ensure!(refused.is_empty(), "{}", refused.join("\n        "));
    Ok(())
}

/// What is in the way of the work on what a variant stands on, which is as large as its filesystem at the most: seen before anything is
/// made.
pub fn too_small(variant: &Variant, devices: &[Device], plan: &Plan, ram: Option<u64>) -> Vec<String> {
    let bytes = match &variant.ground {
        Ground::Image { bytes, .. } => *bytes,
        Ground::Devices(paths) => {
            let sizes = paths.iter().filter_map(|path| devices.iter().find(|device| device.path == *path)).map(|device| device.facts.bytes);
            sizes.fold(0, u64::saturating_add)
        }
    };
    let made =
        Filesystem { kind: variant.kind.clone(), size_bytes: bytes, free_bytes: bytes, used_bytes: Some(0), ..Filesystem::default() };
    // Where it cannot be filled is found when it is made.
    let made = preflight::filled(&made, plan.circumstances.fill_percent).unwrap_or(made);
    let words = |refusal: &Refusal| {
        let advice = if matches!(refusal, Refusal::Space { .. }) { size_advice(variant) } else { "" };
        format!("{}: {refusal}{advice}", variant.label)
    };
    preflight::refusals(&plan.settings, &made, &limits(ram)).iter().map(words).collect()
}

/// What else to do where the space is too small.
pub const fn size_advice(variant: &Variant) -> &'static str {
    match variant.ground {
        Ground::Image { .. } => "; or make the image larger by --size",
        Ground::Devices(_) => "",
    }
}

/// The batch, and its lab with everything in it that takes long to make.
fn begun(task: &Task<'_>, devices: &[Device], interrupt: &Arc<Interrupt>) -> anyhow::Result<(Lab, Batch)> {
    check_process(&task.plan)?;
    let refused = process_refusals(&task.plan);
    anyhow::ensure!(refused.is_empty(), "{}", refused.join("\n        "));
    let batch = batch(task.plan.clone(), task.tags.clone(), task.hostname)?;
    let number = batch.identity.0;
    // As long as images are written a signal that ends the process at once leaves them.
    interrupt.set_homes(homes_of(&task.variants, number));
    let stop = interrupt.shared_flag();
    let mut writing = Writing::of(task.quiet);
    let lab = Lab::begin(&task.variants, number, Arc::clone(&stop), &mut |preparing| writing.goes_on(preparing));
    writing.ends();
    let lab = lab?;
    // Only now nothing else is in the way.
    if task.is_wiped {
        wipe(devices, &stop)?;
    }
    Ok((lab, batch))
}

/// Wipes each device once, whatever it is called.
fn wipe(devices: &[Device], stop: &AtomicBool) -> anyhow::Result<()> {
    let mut wiped: Vec<&str> = Vec::new();
    for device in devices {
        if !wiped.contains(&device.number.as_str()) {
            devices::wipe(&device.node, &device.number, stop)?;
            wiped.push(&device.number);
        }
    }
    Ok(())
}

/// A place for each variant. Each is made once to be looked at, so that what would fail is refused before anything is measured.
fn stands(task: &Task<'_>, lab: &Lab, limits: &Limits, dropper: &Arc<Dropper>) -> anyhow::Result<Vec<Stand>> {
    let (mut stands, mut refused) = (Vec::new(), Vec::new());
    for variant in &task.variants {
        let mut ground = ground_of(lab, variant)?.dropping_by(Arc::clone(dropper)).filling(task.is_filled);
        match looked_at(&task.plan, variant, &mut ground, limits, true) {
            Err(error) => refused.push(format!("{}: {error:#}", variant.label)),
            Ok(Looked { refusals, .. }) if !refusals.is_empty() => refused.extend(refusals),
            Ok(Looked { direct_io, below, .. }) => {
                let place = Place::of(variant.label.clone(), Box::new(ground.with_direct_io(direct_io)));
                stands.push(Stand { place: Place { tags: variant.tags.clone(), ..place }, below });
            }
        }
    }
    anyhow::ensure!(refused.is_empty(), "{}", refused.join("\n        "));
    Ok(stands)
}

/// A lab has the ground of every variant that it was begun with.
fn ground_of(lab: &Lab, variant: &Variant) -> anyhow::Result<LabGround> {
    lab.ground(variant)
        .with_context(|| format!("{}: the lab has nothing to make it on, a fault in barrow itself; please report it", variant.label))
}

/// What was seen of a filesystem that was made to be looked at.
struct Looked {
    refusals: Vec<String>,
    direct_io: Option<DirectIo>,
    below: Below,
}

fn looked_at(plan: &Plan, variant: &Variant, ground: &mut LabGround, limits: &Limits, quiet: bool) -> anyhow::Result<Looked> {
    let look = |rehearsed: Rehearsed<'_>| {
        let mut named = Named {
            label: variant.label.clone(),
            path: rehearsed.path.to_owned(),
            directory: rehearsed.directory.try_clone()?,
            filesystem: rehearsed.site.filesystem.clone(),
            device: rehearsed.site.device.clone(),
            direct_io: None,
        };
        let refusals = refusals_of(plan, &mut named, &variant.label, size_advice(variant), limits, quiet);
        Ok::<_, std::io::Error>(Looked { refusals, direct_io: named.direct_io, below: rehearsed.below })
    };
    Ok(ground.rehearse(look)??)
}

/// Takes the lab away, and names what is left of it.
fn ended(lab: Lab, mut measured: Measured, interrupt: &Interrupt) -> Measured {
    if measured.is_given_up {
        // What hangs would hang here too. What is left was named when it was given up.
        lab.leave();
        return measured;
    }
    let left = lab.end();
    interrupt.set_homes(Vec::new());
    left.iter().for_each(|left| say(&format!("barrow: could not remove {left} (`barrow clean` on its directory tries again)")));
    if let (false, Ok(outcome)) = (left.is_empty(), &mut measured.outcome) {
        outcome.failed = true;
    }
    measured
}
