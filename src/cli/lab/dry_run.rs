//! `barrow lab --dry-run`: what is in the way of a plan, of rights, programs, space and size, all of it at once.

use super::super::exit::Exit;
use super::super::output::{print, say};
use super::super::refusals::limits;
use super::making::{too_small, tried};
use crate::lab::devices;
use crate::lab::needed_space::{Space, shortages, wanted};
use crate::lab::resolve::Resolved;
use crate::lab::variant::{Ground, Variant};
use crate::model::plan::Plan;
use crate::sys::mounting::mount_in_private;
use crate::sys::process::is_root;
use crate::sys::random::random_u64;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What hands out loop devices.
const LOOP_CONTROL: &str = "/dev/loop-control";

/// Says everything that is in the way, and ends as what it would be fails or not.
///
/// # Errors
/// When stdout takes no words.
pub fn dry_run(resolved: &Resolved, plan: &Plan, ram: Option<u64>, destroy: &[PathBuf], is_wiped: bool) -> anyhow::Result<Exit> {
    let variants = resolved.possible();
    let rights = (!is_root()).then(|| "only root can make, mount and unmount filesystems; start it with sudo".to_owned());
    let loops = (!wanted(&variants).is_empty() && !Path::new(LOOP_CONTROL).exists())
        .then(|| format!("images need loop devices, but there is no {LOOP_CONTROL}; `modprobe loop` may bring it"));
    let missing = resolved.missing.iter().map(|missing| format!("{}: {}", missing.label, missing.words));
    let hindrances: Vec<String> = rights
        .into_iter()
        .chain(loops)
        .chain(missing)
        .chain(space_hindrances(&wanted(&variants)))
        .chain(size_and_device_hindrances(&variants, plan, ram, destroy, is_wiped))
        .collect();
    let hindrances = if is_root() && hindrances.is_empty() { trial_hindrances(&variants, plan, ram) } else { hindrances };
    if hindrances.is_empty() {
        print("nothing is in the way\n")?;
        return Ok(Exit::Fine);
    }
    hindrances.iter().for_each(|hindrance| say(&format!("barrow: {hindrance}")));
    Ok(Exit::Failed)
}

/// Directories that lack the space for their images.
fn space_hindrances(spaces: &[Space]) -> Vec<String> {
    match shortages(spaces) {
        Ok(shortages) => shortages.iter().map(ToString::to_string).collect(),
        Err(error) => vec![error.to_string()],
    }
}

/// What is in the way of devices, and of the work on everything that is there.
fn size_and_device_hindrances(variants: &[Variant], plan: &Plan, ram: Option<u64>, destroy: &[PathBuf], is_wiped: bool) -> Vec<String> {
    let (devices, mut hindrances) = match devices::check(&devices::wanted_by(variants), destroy, is_wiped) {
        Ok(devices) => (devices, Vec::new()),
        Err(refusals) => (Vec::new(), refusals.iter().map(ToString::to_string).collect::<Vec<_>>()),
    };
    let is_known = |variant: &&Variant| hindrances.is_empty() || matches!(variant.ground, Ground::Image { .. });
    let sizes: Vec<String> = variants.iter().filter(is_known).flat_map(|variant| too_small(variant, &devices, plan, ram)).collect();
    hindrances.extend(sizes);
    hindrances
}

/// What is in the way once the filesystems are made, on images to which nothing is written.
fn trial_hindrances(variants: &[Variant], plan: &Plan, ram: Option<u64>) -> Vec<String> {
    let tried =
        mount_in_private().map_err(Into::into).and_then(|()| tried(variants, random_u64()?, plan, &limits(ram), false, &Arc::default()));
    tried.err().map(|error| format!("{error:#}")).into_iter().collect()
}
