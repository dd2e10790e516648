//! `barrow lab`: filesystems made, mounted, measured and taken away, by a plan file or by a few options.

mod dry_run;
mod making;
mod page;
mod writing;

use super::batch::{reported, until_stopped};
use super::conduct::{ConductArguments, fill_percent};
use super::exit::{Exit, usage};
use super::output::{print, say};
use super::small_file;
use super::work::{self, WorkArguments};
use crate::lab::plan::{Images, LabPlan, Place};
use crate::lab::plan_file::{self, MOST_BYTES, image_size};
use crate::lab::plan_options::plan_of;
use crate::lab::resolve::{Resolved, resolve};
use crate::lab::system::System;
use crate::lab::variant::{Ground, Variant};
use crate::model::plan::{Circumstances, Plan};
use crate::model::profile::DEFAULT_PROFILE;
use crate::sys::machine::ram_bytes;
use crate::sys::mounting::mount_in_private;
use crate::sys::process::is_root;
use crate::target::ground::plain_error;
use anyhow::Context;
use clap::Args;
use making::Task;
use std::path::{Path, PathBuf};

/// What `barrow lab` takes.
#[derive(Debug, Args)]
pub struct LabArguments {
    /// What is compared: a plan file in TOML, as man/barrow-lab.5 describes it
    #[arg(value_name = "PLAN.toml", conflicts_with = "filesystems")]
    plan: Option<PathBuf>,
    /// The filesystems that are compared, as in ext4,xfs,btrfs
    #[arg(long = "fs", value_name = "NAME,...", value_delimiter = ',')]
    filesystems: Vec<String>,
    /// Their mount options; given twice, each filesystem is measured with both
    #[arg(long = "mount", value_name = "OPTIONS", requires = "filesystems")]
    mounts: Vec<String>,
    /// The size of the image on which each is made; 8g, when nothing says it
    #[arg(long, value_name = "SIZE", value_parser = image_size)]
    size: Option<u64>,
    /// The directory in which images lie; the current one, when nothing says it
    #[arg(long = "dir", value_name = "DIR")]
    directory: Option<PathBuf>,
    /// Whether filesystems share an image, on the same blocks, or have their own
    #[arg(long, value_name = "HOW", value_parser = Images::ALL.map(|(name, _)| name))]
    images: Option<String>,
    /// Fill each filesystem at the end of its run, to note what fits; with =PCT, as in --fill=90%, before its phases instead
    #[arg(long, value_name = "PCT", num_args = 0..=1, require_equals = true, default_missing_value = "end", value_parser = filling)]
    fill: Option<Filling>,
    /// Do not check the filesystems after their runs
    #[arg(long)]
    no_check: bool,
    /// Lose what is on a device that the plan names; for each such device once
    #[arg(long, value_name = "DEV")]
    destroy: Vec<PathBuf>,
    /// Also where something is on it, as far as can be seen
    #[arg(long)]
    wipe: bool,
    /// Show what would be done, and end
    #[arg(long)]
    print_plan: bool,
    /// Say what is missing, of rights, programs, space and devices, and end
    #[arg(long, conflicts_with = "print_plan")]
    dry_run: bool,
    #[command(flatten)]
    work: WorkArguments,
    #[command(flatten)]
    conduct: ConductArguments,
}

/// When filesystems are filled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Filling {
    /// When their phases are done.
    AtTheEnd,
    /// Before them, to so many per cent.
    Before(u64),
}

fn filling(text: &str) -> Result<Filling, String> {
    if text == "end" { Ok(Filling::AtTheEnd) } else { fill_percent(text).map(Filling::Before) }
}

/// Does what `barrow lab` is asked for.
///
/// # Errors
/// When nothing could be measured; as a usage error when the command line or the plan is wrong.
pub fn lab(arguments: &LabArguments) -> anyhow::Result<Exit> {
    arguments.conduct.check()?;
    arguments.work.kept.check()?;
    let ram = ram_bytes();
    let resolved = resolve(&asked(arguments, ram)?, &System::of_this_machine()).map_err(usage)?;
    check_destroy(arguments, &resolved.variants)?;
    let plan = plan(arguments, &resolved, ram)?;
    if arguments.print_plan {
        say_missing(&resolved);
        print(&page::page(&resolved, &plan))?;
        return Ok(Exit::Fine);
    }
    if arguments.dry_run {
        return dry_run::dry_run(&resolved, &plan, ram, &arguments.destroy, arguments.wipe);
    }
    say_missing(&resolved);
    let variants = resolved.possible();
    anyhow::ensure!(!variants.is_empty(), "nothing is left to measure: install what is missing, or name other filesystems");
    measured(arguments, &resolved, plan, ram)
}

/// What the plan file or the options ask for, and what further options change in that.
fn asked(arguments: &LabArguments, ram: Option<u64>) -> anyhow::Result<LabPlan> {
    let mut plan = match &arguments.plan {
        Some(path) => read(path, ram)?,
        None if arguments.filesystems.is_empty() => {
            return Err(usage("name filesystems, as in --fs ext4,xfs,btrfs, or a plan file"));
        }
        None => plan_of(&arguments.filesystems, &arguments.mounts).map_err(usage)?,
    };
    plan.image_bytes = arguments.size.or(plan.image_bytes);
    plan.directory = arguments.directory.clone().or(plan.directory);
    plan.images = arguments.images.as_deref().and_then(Images::named).unwrap_or(plan.images);
    plan.is_filled |= arguments.fill == Some(Filling::AtTheEnd);
    plan.tags.extend(arguments.work.kept.tags.iter().cloned());
    plan.changes.extend(arguments.work.changes());
    if arguments.no_check {
        plan.entries.iter_mut().for_each(|entry| entry.is_checked = false);
    }
    Ok(plan)
}

fn read(path: &Path, ram: Option<u64>) -> anyhow::Result<LabPlan> {
    let text = small_file::read("plan", path, MOST_BYTES)?;
    plan_file::read(&path.to_string_lossy(), &text, ram.unwrap_or(0)).map_err(usage)
}

/// What each run does.
fn plan(arguments: &LabArguments, resolved: &Resolved, ram: Option<u64>) -> anyhow::Result<Plan> {
    let ConductArguments { pause, max_phase_seconds, .. } = arguments.conduct;
    let fill_percent = if let Some(Filling::Before(percent)) = arguments.fill { percent } else { 0 };
    let max_phase_seconds = max_phase_seconds.unwrap_or(0);
    let circumstances = Circumstances { pause_ms: pause, max_phase_seconds, fill_percent, ..Circumstances::USUAL };
    let of = |profile: &str| work::plan(profile, &resolved.changes, None, ram, circumstances.clone());
    match (&arguments.work.profile, &resolved.profile) {
        (Some(profile), _) => of(profile),
        (None, None) => of(DEFAULT_PROFILE),
        (None, Some(profile)) => match &profile.place {
            Place::Options => of(&profile.value),
            place @ Place::File { .. } => of(&profile.value).with_context(|| place.to_string()),
        },
    }
}

/// What may be destroyed is said for devices alone.
fn check_destroy(arguments: &LabArguments, variants: &[Variant]) -> anyhow::Result<()> {
    let option = match (arguments.destroy.first(), arguments.wipe) {
        (Some(device), _) => format!("--destroy {}", device.display()),
        (None, true) => "--wipe".to_owned(),
        (None, false) => return Ok(()),
    };
    let has_device = variants.iter().any(|variant| matches!(variant.ground, Ground::Devices(_)));
    if has_device { Ok(()) } else { Err(usage(format!("{option}: no variant stands on a device; a plan file names devices"))) }
}

/// Says what the system lacks, and what follows from it.
fn say_missing(resolved: &Resolved) {
    for missing in &resolved.missing {
        let left_out = if missing.is_left_out { "; it is left out" } else { "" };
        say(&format!("barrow: {}: {}{left_out}", missing.label, missing.words));
    }
}

/// Makes, mounts, measures, takes away, and reports.
fn measured(arguments: &LabArguments, resolved: &Resolved, plan: Plan, ram: Option<u64>) -> anyhow::Result<Exit> {
    anyhow::ensure!(is_root(), "only root can make, mount and unmount filesystems; start it with sudo");
    // Before any other thread is started.
    mount_in_private().map_err(|error| {
        anyhow::anyhow!("mounts of its own cannot be made (unshare, mount): {}; is this a container?", plain_error(&error))
    })?;
    let conduct = &arguments.conduct;
    until_stopped(|interrupt| {
        let task = Task {
            variants: resolved.possible(),
            plan,
            tags: resolved.tags.clone(),
            is_filled: resolved.fill,
            destroy: &arguments.destroy,
            is_wiped: arguments.wipe,
            output: &arguments.work.kept.output,
            hostname: conduct.hostname,
            quiet: conduct.quiet,
            bounds: conduct.bounds(),
            ram,
        };
        let measured = making::done(task, interrupt)?;
        let is_whole = resolved.missing.iter().all(|missing| !missing.is_left_out);
        let exit = reported(measured, &arguments.work.kept.output, conduct)?;
        Ok(if is_whole { exit } else { exit.or_failed() })
    })
}
