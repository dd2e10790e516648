//! `barrow run`: from the command line to a batch, its run file and its report.

use super::batch::{Order, done, say_kept, until_stopped};
use super::exit::{Exit, usage};
use super::interrupt::Interrupt;
use super::output::{print, print_report};
use super::pair::{check_length, check_tags, key_value};
use super::places;
use super::profiles;
use super::report::USUAL_FILE;
use super::user;
use super::vigil::Bounds;
use crate::model::plan::{CacheState, Circumstances, DropCaches, Plan};
use crate::model::profile::DEFAULT_PROFILE;
use crate::report::{Report, renderer_named};
use crate::rng::GENERATOR;
use crate::sys::machine::ram_bytes;
use crate::units::parse_milliseconds;
use clap::Args;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// What `barrow run` takes.
#[derive(Debug, Args)]
pub struct RunArguments {
    /// Directories to measure, each with a name if you like; the current one when none is given
    #[arg(value_name = "DIR|LABEL=DIR")]
    targets: Vec<OsString>,
    /// The work: a built-in profile or a TOML file
    #[arg(short, long, value_name = "NAME|FILE", default_value = DEFAULT_PROFILE)]
    profile: String,
    /// How often the whole is repeated; the profile says, when not given
    #[arg(short = 'n', long, value_name = "N", allow_negative_numbers = true)]
    runs: Option<String>,
    /// The run file, which is appended to
    #[arg(short, long, value_name = "FILE", default_value = USUAL_FILE)]
    output: PathBuf,
    /// Change a key of the profile, as in file_size=8g
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = key_value)]
    changes: Vec<(String, String)>,
    /// Another seed of names, sizes and orders
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    seed: Option<String>,
    /// Threads that share the work
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    workers: Option<String>,
    /// How block files are read and written: buffered or direct
    #[arg(long, value_name = "HOW")]
    io: Option<String>,
    /// Note something with every run, as in raid=10
    #[arg(long = "tag", value_name = "KEY=VALUE", value_parser = key_value)]
    tags: Vec<(String, String)>,
    /// Whether root's right to drop the system's caches is used
    #[arg(long, value_name = "WHEN", default_value = "auto", value_parser = ["auto", "never"])]
    drop_caches: String,
    /// Begin phases that read cold, or warm on purpose
    #[arg(long, value_name = "STATE", default_value = "cold", value_parser = ["cold", "warm"])]
    cache: String,
    /// Run this by the shell before each cold phase, off the clock; with --user, as that user
    #[arg(long, value_name = "COMMAND")]
    prepare: Option<String>,
    /// Rest before each phase, as in 30s, 500ms or 2m
    #[arg(long, value_name = "TIME", default_value = "0s", value_parser = milliseconds)]
    pause: u64,
    /// End a phase that takes longer; it then has no number
    #[arg(long, value_name = "N", value_parser = whole_seconds)]
    max_phase_seconds: Option<u64>,
    /// Give up when nothing moves for so long; 0s waits for ever
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = milliseconds)]
    hang_after: u64,
    /// As root: measure with this user's rights alone. All others are given up before the first write; a child keeps the one to drop caches. The run file stays yours
    #[arg(long, value_name = "NAME[:GROUP]")]
    user: Option<String>,
    /// Keep the host's name in the record
    #[arg(long)]
    hostname: bool,
    /// Show the built-in profiles and end
    #[arg(long)]
    list_profiles: bool,
    /// End without the report
    #[arg(long)]
    no_report: bool,
    /// Say only what went wrong while it runs; the report still comes
    #[arg(short, long)]
    quiet: bool,
}

fn milliseconds(text: &str) -> Result<u64, String> {
    parse_milliseconds(text).map_err(|error| error.to_string())
}

fn check_texts(arguments: &RunArguments) -> anyhow::Result<()> {
    check_tags(&arguments.tags)?;
    check_length("--prepare", arguments.prepare.as_ref().map_or(0, String::len))
}

fn whole_seconds(text: &str) -> Result<u64, String> {
    match text.parse() {
        Ok(0) => Err("0 seconds are no time; leave it out for no limit".to_owned()),
        Ok(seconds) => Ok(seconds),
        Err(_) => Err("write it as a number of seconds, as in 600".to_owned()),
    }
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
    if arguments.output == Path::new("-") {
        return Err(usage("-o -: a run file is appended to, so it needs a name"));
    }
    check_circumstances(arguments)?;
    check_texts(arguments)?;
    until_stopped(|interrupt| measured(arguments, ram, interrupt))
}

fn measured(arguments: &RunArguments, ram: Option<u64>, interrupt: &Arc<Interrupt>) -> anyhow::Result<Exit> {
    let plan = plan(arguments, ram.unwrap_or(0))?;
    check_time(&plan)?;
    let order = Order {
        plan,
        wanted: user::wanted("--user", arguments.user.as_deref())?,
        open: &|| places::open(&arguments.targets),
        output: Some(&arguments.output),
        tags: arguments.tags.iter().cloned().collect(),
        hostname: arguments.hostname,
        quiet: arguments.quiet,
        bounds: Bounds {
            hang_after: (arguments.hang_after > 0).then(|| Duration::from_millis(arguments.hang_after)),
            phase: arguments.max_phase_seconds.map(Duration::from_secs),
        },
        told: Box::new(|_| ()),
    };
    let measured = done(order, ram, interrupt)?;
    if !arguments.no_report && !measured.runs.is_empty() {
        print_report(&renderer_named("text").map_err(usage)?.render(&Report::of(&measured.runs)))?;
    }
    if !arguments.quiet {
        say_kept(&measured, &arguments.output);
    }
    measured.exit()
}

/// The plan of the profile with what the options change in it.
fn plan(arguments: &RunArguments, ram: u64) -> anyhow::Result<Plan> {
    let profile = profiles::find(&arguments.profile, ram)?;
    let options = [("seed", &arguments.seed), ("workers", &arguments.workers), ("io", &arguments.io), ("runs", &arguments.runs)];
    let given = options.into_iter().filter_map(|(key, value)| value.clone().map(|value| (key.to_owned(), value)));
    let changes: Vec<(String, String)> = arguments.changes.iter().cloned().chain(given).collect();
    let profile = profile.changed(&changes, ram).map_err(usage)?;
    Plan::of(&profile, GENERATOR, circumstances(arguments)).map_err(usage)
}

/// Refuses what would have no effect, or none that anybody could mean.
fn check_circumstances(arguments: &RunArguments) -> anyhow::Result<()> {
    if arguments.prepare.as_ref().is_some_and(|command| command.trim().is_empty()) {
        return Err(usage("--prepare: the command is empty"));
    }
    if arguments.prepare.is_some() && arguments.cache == "warm" {
        return Err(usage("--prepare runs before cold phases, and with --cache warm there are none"));
    }
    if (1..1000).contains(&arguments.hang_after) {
        return Err(usage("--hang-after: less than a second; 0s waits for ever"));
    }
    if arguments.pause > LONGEST_PAUSE_MS {
        return Err(usage("--pause: more than a day"));
    }
    Ok(())
}

/// Refuses a limit of time in which the seek phase cannot end.
fn check_time(plan: &Plan) -> anyhow::Result<()> {
    let (most, least) = (plan.circumstances.max_phase_seconds, plan.settings.seek_seconds);
    if most > 0 && plan.settings.file_size > 0 && most <= least {
        return Err(usage(format!(
            "--max-phase-seconds {most}: seek_seconds is {least}, so the seek phase takes longer; allow more, or --set seek_seconds=…"
        )));
    }
    Ok(())
}

/// A day.
const LONGEST_PAUSE_MS: u64 = 86_400_000;

fn circumstances(arguments: &RunArguments) -> Circumstances {
    Circumstances {
        cache: if arguments.cache == "warm" { CacheState::Warm } else { CacheState::Cold },
        drop_caches: if arguments.drop_caches == "never" { DropCaches::Never } else { DropCaches::Auto },
        prepare: arguments.prepare.clone(),
        pause_ms: arguments.pause,
        max_phase_seconds: arguments.max_phase_seconds.unwrap_or(0),
    }
}
