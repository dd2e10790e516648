//! `barrow device`: the rates of block devices themselves, which are only read.

mod named;

use super::batch::{batch, reported, run_file, take_back, until_stopped};
use super::conduct::ConductArguments;
use super::exit::{Exit, usage};
use super::interrupt::Interrupt;
use super::measure::{Conduct, Stand, measure};
use super::output::say;
use super::refusals::{check_process, limits};
use super::work::KeptArguments;
use crate::model::device_places::places;
use crate::model::machine::{Filesystem, FilesystemClass};
use crate::model::plan::{Circumstances, Plan};
use crate::model::profile::Profile;
use crate::rng::GENERATOR;
use crate::runner::Place;
use crate::runner::preflight::{general_cautions, process};
use crate::sys::caches::Dropper;
use crate::sys::machine::ram_bytes;
use crate::target::below::Below;
use crate::target::device_ground::DeviceGround;
use crate::target::ground::Site;
use clap::Args;
use named::Named;
use std::ffi::OsString;
use std::ops::Range;
use std::sync::Arc;

/// The profile that is done.
const PROFILE: &str = "device";
/// Its keys that may be changed: no other decides anything here.
const KEYS: [&str; 6] = ["chunk_size", "place_size", "sweep_places", "sweep_size", "runs", "scale"];
/// Places of the curve: one a slice of the trend.
const SWEEP_PLACES: &str = "64";

/// What `barrow device` takes.
#[derive(Debug, Args)]
pub struct DeviceArguments {
    /// Block devices to read, each with a name if you like
    #[arg(value_name = "DEV|LABEL=DEV", required = true)]
    devices: Vec<OsString>,
    /// Also read 64 places from the first byte to the last: the curve by position
    #[arg(long)]
    sweep: bool,
    #[command(flatten)]
    kept: KeptArguments,
    #[command(flatten)]
    conduct: ConductArguments,
}

/// Does what `barrow device` is asked for.
///
/// # Errors
/// When nothing could be measured; as a usage error when the command line is wrong.
pub fn device(arguments: &DeviceArguments) -> anyhow::Result<Exit> {
    arguments.conduct.check()?;
    arguments.kept.check()?;
    let plan = plan(arguments)?;
    until_stopped(|interrupt| measured(arguments, plan, interrupt))
}

/// What each run does.
fn plan(arguments: &DeviceArguments) -> anyhow::Result<Plan> {
    let KeptArguments { changes, .. } = &arguments.kept;
    if let Some((other, _)) = changes.iter().find(|(key, _)| !KEYS.contains(&key.as_str())) {
        return Err(usage(format!("--set {other}: decides nothing about a device; the keys here are {}", KEYS.join(", "))));
    }
    let changes: Vec<(String, String)> = changes.iter().cloned().chain(arguments.kept.runs()).collect();
    let profile = profile(arguments.sweep, &changes)?;
    let ConductArguments { pause, max_phase_seconds, .. } = arguments.conduct;
    let circumstances = Circumstances { pause_ms: pause, max_phase_seconds: max_phase_seconds.unwrap_or(0), ..Circumstances::USUAL };
    Plan::of(&profile, GENERATOR, circumstances).map_err(usage)
}

/// The profile, with its curve or without, and with some keys changed.
///
/// # Errors
/// As a usage error when a key is wrong.
pub fn profile(is_swept: bool, changes: &[(String, String)]) -> anyhow::Result<Profile> {
    let sweep = is_swept.then(|| ("sweep_places".to_owned(), SWEEP_PLACES.to_owned()));
    let changes: Vec<(String, String)> = sweep.into_iter().chain(changes.iter().cloned()).collect();
    Profile::named(PROFILE, 0).map_err(usage)?.changed(&changes, 0).map_err(usage)
}

fn measured(arguments: &DeviceArguments, plan: Plan, interrupt: &Arc<Interrupt>) -> anyhow::Result<Exit> {
    let DeviceArguments { devices, kept, conduct, .. } = arguments;
    interrupt.attend()?;
    let dropper = Arc::new(Dropper::of_this_process());
    let devices = named::find(devices, &plan.settings)?;
    let refused: Vec<String> = process::refused_calls().map(|refusal| refusal.to_string()).into_iter().collect();
    anyhow::ensure!(refused.is_empty(), "{}", refused.join("\n        "));
    check_process(&plan)?;
    if !conduct.quiet {
        general_cautions(&plan, &limits(ram_bytes()), dropper.hindrance()).iter().for_each(|caution| say(&format!("barrow: {caution}")));
        for device in &devices {
            let head = format!("{} ({})", device.label, device.path.display());
            device.cautions(dropper.hindrance()).iter().for_each(|caution| say(&format!("barrow: {head}: {caution}")));
        }
    }
    let mut file = run_file(Some(&kept.output), None)?;
    let tags = kept.tags.iter().cloned().collect();
    let batch = batch(plan, tags, conduct.hostname).inspect_err(|_| take_back(&mut file))?;
    let stands = devices.into_iter().map(|device| stand(device, &batch.plan, &dropper)).collect();
    let way = Conduct { quiet: conduct.quiet, bounds: conduct.bounds(), told: Box::new(|_| ()) };
    reported(measure(batch, stands, file, way, interrupt)?, &kept.output, conduct)
}

/// A device as a place, on which there is no filesystem.
fn stand(device: Named, plan: &Plan, dropper: &Arc<Dropper>) -> Stand {
    let Named { label, node, number, bytes, recorded, direct_io, .. } = device;
    let filesystem = Filesystem { class: FilesystemClass::Block, ..Filesystem::default() };
    let site = Site { filesystem, device: recorded, direct_io };
    let mut read: Vec<Range<u64>> = plan.settings.phases.iter().flat_map(|phase| places(*phase, &plan.settings, bytes)).collect();
    // Buffered and direct phases read the same places.
    read.sort_by_key(|place| (place.start, place.end));
    read.dedup();
    let below = Below::of_device(&number);
    let ground = DeviceGround::of(node, number, site, read, Arc::clone(dropper));
    Stand { place: Place::of(label, Box::new(ground)), below }
}
