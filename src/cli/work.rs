//! Which work is done, and where its runs are kept: the options that `barrow run`, `barrow lab` and `barrow device` have in common.

use super::exit::usage;
use super::pair::{check_tags, key_value};
use super::profiles;
use super::report::USUAL_FILE;
use crate::model::loadfile::LoadfileChoice;
use crate::model::phase::{Files, Group, Phase};
use crate::model::plan::{Circumstances, Plan};
use crate::model::profile::Profile;
use crate::rng::GENERATOR;
use clap::Args;
use std::path::{Path, PathBuf};

/// Options of the work.
#[derive(Debug, Args)]
pub struct WorkArguments {
    /// The work: a built-in profile or a TOML file; std, when nothing names one
    #[arg(short, long, value_name = "NAME|FILE")]
    pub profile: Option<String>,
    #[command(flatten)]
    pub kept: KeptArguments,
    /// Another seed of names, sizes and orders
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    seed: Option<String>,
    /// Threads that share the work
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    workers: Option<String>,
    /// How block files are read and written: buffered or direct
    #[arg(long, value_name = "HOW")]
    io: Option<String>,
}

/// Options of what is kept: how many runs of what, and where.
#[derive(Debug, Args)]
pub struct KeptArguments {
    /// How often the whole is repeated; the profile says, when not given
    #[arg(short = 'n', long, value_name = "N", allow_negative_numbers = true)]
    runs: Option<String>,
    /// The run file, which is appended to
    #[arg(short, long, value_name = "FILE", default_value = USUAL_FILE)]
    pub output: PathBuf,
    /// Change a key of the profile, as in file_size=8g
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = key_value)]
    pub changes: Vec<(String, String)>,
    /// Note something with every run, as in raid=10
    #[arg(long = "tag", value_name = "KEY=VALUE", value_parser = key_value)]
    pub tags: Vec<(String, String)>,
}

impl KeptArguments {
    /// Refuses what no batch can do, before anything is looked at.
    ///
    /// # Errors
    /// As a usage error.
    pub fn check(&self) -> anyhow::Result<()> {
        if self.output == Path::new("-") {
            return Err(usage("-o -: a run file is appended to, so it needs a name"));
        }
        check_tags(&self.tags)
    }

    /// The number of runs as a change of the profile.
    pub fn runs(&self) -> Option<(String, String)> {
        self.runs.clone().map(|runs| ("runs".to_owned(), runs))
    }
}

impl WorkArguments {
    /// The keys of the profile that are changed, in the order in which they are to be.
    pub fn changes(&self) -> Vec<(String, String)> {
        let options = [("seed", &self.seed), ("workers", &self.workers), ("io", &self.io)];
        let given = options.into_iter().filter_map(|(key, value)| value.clone().map(|value| (key.to_owned(), value)));
        self.kept.changes.iter().cloned().chain(given).chain(self.kept.runs()).collect()
    }
}

/// The plan of a profile, by name or file, with some keys changed, and with a loadfile for its clients.
///
/// # Errors
/// When the profile cannot be found or read; as a usage error when it, or a key, is wrong.
pub fn plan(
    profile: &str,
    changes: &[(String, String)],
    loadfile: Option<LoadfileChoice>,
    ram: Option<u64>,
    circumstances: Circumstances,
) -> anyhow::Result<Plan> {
    let ram_bytes = ram.unwrap_or(0);
    let named = loadfile.iter().map(|loadfile| ("loadfile".to_owned(), loadfile.to_string()));
    let changes: Vec<(String, String)> = changes.iter().cloned().chain(named).collect();
    let mut profile = profiles::find(profile, ram_bytes)?.changed(&changes, ram_bytes).map_err(usage)?;
    // The name alone is in the changes.
    if let Some(loadfile) = loadfile {
        profile.settings.loadfile = loadfile;
    }
    // Before the plan: it would miss keys of a device.
    check_directory(&profile)?;
    let plan = Plan::of(&profile, GENERATOR, circumstances).map_err(usage)?;
    check_time(&plan)?;
    Ok(plan)
}

/// Refuses phases that are done on no directory.
fn check_directory(profile: &Profile) -> anyhow::Result<()> {
    match profile.settings.phases.first() {
        // What is mixed with others is told from them by the plan.
        Some(phase) if profile.settings.phases.iter().all(|phase| phase.row().group == Group::Device) => {
            Err(usage(format!("{} reads a device itself, and no directory: call `barrow device /dev/X`", phase.name())))
        }
        Some(_) | None => Ok(()),
    }
}

/// Refuses a limit of time in which the seek phase, one of transfers, or a timed part cannot end.
fn check_time(plan: &Plan) -> anyhow::Result<()> {
    let (most, least) = (plan.circumstances.max_phase_seconds, plan.settings.seconds.max(plan.settings.warm_up));
    if most > 0 && plan.settings.uses(Files::Server) && plan.settings.seconds > 0 && most <= least {
        return Err(usage(format!(
            "--max-phase-seconds {most}: the clients replay for {least} s, so the phase takes longer; allow more, or --set seconds=… and warm_up=…"
        )));
    }
    let (most, least) = (plan.circumstances.max_phase_seconds, plan.settings.seek_seconds);
    if most > 0 && plan.settings.file_size > 0 && most <= least {
        return Err(usage(format!(
            "--max-phase-seconds {most}: seek_seconds is {least}, so the seek phase takes longer; allow more, or --set seek_seconds=…"
        )));
    }
    let takes_time = |phase: &Phase| matches!(phase, Phase::Transfer(_)) && plan.skips(*phase).is_none();
    let least = plan.settings.transfer_seconds;
    if most > 0 && plan.settings.transfers > 0 && most <= least && plan.settings.phases.iter().any(takes_time) {
        return Err(usage(format!(
            "--max-phase-seconds {most}: transfer_seconds is {least}, so transfers take longer; allow more, or --set transfer_seconds=…"
        )));
    }
    Ok(())
}
