//! `barrow run`: from the command line to a batch, its run file and its report.

use super::batch::{Order, done, reported, until_stopped};
use super::conduct::{ConductArguments, fill_percent};
use super::exit::{Exit, usage};
use super::interrupt::Interrupt;
use super::loadfile;
use super::output::print;
use super::pair::check_length;
use super::places;
use super::profiles;
use super::user;
use super::work::{WorkArguments, plan};
use crate::model::plan::{CacheState, Circumstances, DropCaches};
use crate::model::profile::DEFAULT_PROFILE;
use crate::sys::machine::ram_bytes;
use clap::Args;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

/// What `barrow run` takes.
#[derive(Debug, Args)]
pub struct RunArguments {
    /// Directories to measure, each with a name if you like; the current one when none is given
    #[arg(value_name = "DIR|LABEL=DIR")]
    targets: Vec<OsString>,
    #[command(flatten)]
    work: WorkArguments,
    /// Whether root's right to drop the system's caches is used
    #[arg(long, value_name = "WHEN", default_value = "auto", value_parser = ["auto", "never"])]
    drop_caches: String,
    /// Begin phases that read cold, or warm on purpose
    #[arg(long, value_name = "STATE", default_value = "cold", value_parser = ["cold", "warm"])]
    cache: String,
    /// Run this by the shell before each cold phase, off the clock; with --user, as that user
    #[arg(long, value_name = "COMMAND")]
    prepare: Option<String>,
    /// Before the phases fill the filesystem, as in 90%, with files that go when the run ends; 95% at the most
    #[arg(long, value_name = "PCT", value_parser = fill_percent)]
    fill: Option<u64>,
    /// As root: measure with this user's rights alone. All others are given up before the first write; a child keeps the one to drop caches. The run file stays yours
    #[arg(long, value_name = "NAME[:GROUP]")]
    user: Option<String>,
    /// Show the built-in profiles and end
    #[arg(long)]
    list_profiles: bool,
    /// Let each client of file_server replay this loadfile of dbench (its client.txt)
    #[arg(long, value_name = "FILE")]
    loadfile: Option<PathBuf>,
    #[command(flatten)]
    conduct: ConductArguments,
}

/// Does what `barrow run` is asked for.
///
/// # Errors
/// When nothing could be measured; as a usage error when the command line is wrong.
pub fn run(arguments: &RunArguments) -> anyhow::Result<Exit> {
    let ram = ram_bytes();
    if arguments.list_profiles {
        print(&profiles::list(ram.unwrap_or(0)))?;
        return Ok(Exit::Fine);
    }
    check_prepare(arguments)?;
    arguments.conduct.check()?;
    arguments.work.kept.check()?;
    until_stopped(|interrupt| measured(arguments, ram, interrupt))
}

fn measured(arguments: &RunArguments, ram: Option<u64>, interrupt: &Arc<Interrupt>) -> anyhow::Result<Exit> {
    let RunArguments { work, conduct, .. } = arguments;
    let profile = work.profile.as_deref().unwrap_or(DEFAULT_PROFILE);
    let loadfile = arguments.loadfile.as_deref().map(loadfile::read).transpose()?;
    let order = Order {
        plan: plan(profile, &work.changes(), loadfile, ram, circumstances(arguments))?,
        wanted: user::wanted("--user", arguments.user.as_deref())?,
        open: &|| places::open(&arguments.targets),
        output: Some(&work.kept.output),
        tags: work.kept.tags.iter().cloned().collect(),
        hostname: conduct.hostname,
        quiet: conduct.quiet,
        bounds: conduct.bounds(),
        told: Box::new(|_| ()),
    };
    reported(done(order, ram, interrupt)?, &work.kept.output, conduct)
}

/// Refuses a command that would have no effect, or none that anybody could mean.
fn check_prepare(arguments: &RunArguments) -> anyhow::Result<()> {
    let Some(command) = &arguments.prepare else { return Ok(()) };
    if command.trim().is_empty() {
        return Err(usage("--prepare: the command is empty"));
    }
    if arguments.cache == "warm" {
        return Err(usage("--prepare runs before cold phases, and with --cache warm there are none"));
    }
    check_length("--prepare", command.len())
}

fn circumstances(arguments: &RunArguments) -> Circumstances {
    Circumstances {
        cache: if arguments.cache == "warm" { CacheState::Warm } else { CacheState::Cold },
        drop_caches: if arguments.drop_caches == "never" { DropCaches::Never } else { DropCaches::Auto },
        prepare: arguments.prepare.clone(),
        pause_ms: arguments.conduct.pause,
        fill_percent: arguments.fill.unwrap_or(0),
        max_phase_seconds: arguments.conduct.max_phase_seconds.unwrap_or(0),
    }
}
