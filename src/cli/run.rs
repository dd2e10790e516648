//! `barrow run`: from the command line to a batch, its run file and its report.

use super::exit::{Exit, usage};
use super::interrupt::Interrupt;
use super::output::{print, say};
use super::places::{self, Named};
use super::profiles;
use super::progress::Progress;
use crate::model::identity::Identity;
use crate::model::plan::{DropCaches, Plan};
use crate::model::printable::printable;
use crate::model::profile::DEFAULT_PROFILE;
use crate::model::record::RunRecord;
use crate::report::{Report, renderer_named};
use crate::rng::GENERATOR;
use crate::runner::{Batch, Listeners, Outcome, Place, preflight, run_batch};
use crate::store::RunFile;
use crate::sys::limits::raise_open_files;
use crate::sys::machine::{ram_bytes, this_machine};
use crate::sys::meter::ProcessMeter;
use crate::sys::random::random_u64;
use crate::target::plain::PlainGround;
use anyhow::Context;
use clap::Args;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

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
    #[arg(short = 'n', long, value_name = "N")]
    runs: Option<String>,
    /// The run file, which is appended to
    #[arg(short, long, value_name = "FILE", default_value = "barrow.jsonl")]
    output: PathBuf,
    /// Change a key of the profile, as in file_size=8g
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = key_value)]
    changes: Vec<(String, String)>,
    /// Another seed of names, sizes and orders
    #[arg(long, value_name = "N")]
    seed: Option<String>,
    /// Threads that share the work
    #[arg(long, value_name = "N")]
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
    /// Keep the host's name in the record
    #[arg(long)]
    hostname: bool,
    /// Show the built-in profiles and end
    #[arg(long)]
    list_profiles: bool,
    /// End without the report
    #[arg(long)]
    no_report: bool,
    /// Say only what went wrong
    #[arg(short, long)]
    quiet: bool,
}

fn key_value(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.trim().is_empty() => Ok((key.trim().to_owned(), value.trim().to_owned())),
        _ => Err("write it as KEY=VALUE".to_owned()),
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
    let plan = plan(arguments, ram.unwrap_or(0))?;
    let named = places::open(&arguments.targets)?;
    check(&plan, &named, ram)?;
    let mut file = RunFile::open(&arguments.output).context("name another run file with -o FILE")?;
    let measured = measure(arguments, plan, named, &mut file);
    file.remove_if_unused();
    let measured = measured?;
    if !arguments.no_report && !measured.runs.is_empty() {
        print(&renderer_named("text").map_err(usage)?.render(&Report::of(&measured.runs)))?;
    }
    Ok(match measured.signal {
        Some(number) => Exit::Signal(number),
        None if measured.outcome.failed => Exit::Failed,
        None => Exit::Fine,
    })
}

/// The plan of the profile with what the options change in it.
fn plan(arguments: &RunArguments, ram: u64) -> anyhow::Result<Plan> {
    let profile = profiles::find(&arguments.profile, ram)?;
    let options = [("seed", &arguments.seed), ("workers", &arguments.workers), ("io", &arguments.io), ("runs", &arguments.runs)];
    let given = options.into_iter().filter_map(|(key, value)| value.clone().map(|value| (key.to_owned(), value)));
    let changes: Vec<(String, String)> = arguments.changes.iter().cloned().chain(given).collect();
    let profile = profile.changed(&changes, ram).map_err(usage)?;
    let drop_caches = if arguments.drop_caches == "never" { DropCaches::Never } else { DropCaches::Auto };
    Plan::of(&profile, GENERATOR, drop_caches).map_err(usage)
}

/// Refuses what would fail later, and says what the user should know.
fn check(plan: &Plan, named: &[Named], ram: Option<u64>) -> anyhow::Result<()> {
    let open_files = raise_open_files();
    let mut refused = Vec::new();
    for target in named {
        let head = format!("{} ({})", printable(&target.label), target.path.display());
        for refusal in preflight::refusals(&plan.settings, &target.filesystem, ram, open_files) {
            refused.push(format!("{head}: {refusal}"));
        }
        for caution in preflight::cautions(&target.filesystem) {
            say(&format!("barrow: {head}: {caution}"));
        }
    }
    anyhow::ensure!(refused.is_empty(), "{}", refused.join("\n        "));
    Ok(())
}

/// What was measured.
struct Measured {
    outcome: Outcome,
    runs: Vec<RunRecord>,
    /// The signal that asked to stop.
    signal: Option<i32>,
}

/// Does the batch; each run is in the run file the moment it ends.
fn measure(arguments: &RunArguments, plan: Plan, named: Vec<Named>, file: &mut RunFile) -> anyhow::Result<Measured> {
    let interrupt = Interrupt::listen()?;
    let batch = Batch {
        identity: Identity(random_u64()?),
        rounds: u32::try_from(plan.settings.runs).map_err(|_| usage("runs: too many"))?,
        plan,
        tags: arguments.tags.iter().cloned().collect::<BTreeMap<_, _>>(),
        machine: this_machine(arguments.hostname),
    };
    let mut places: Vec<Place> = named.into_iter().map(place).collect();
    let mut runs = Vec::new();
    let mut progress = Progress::of(interrupt.clone(), arguments.quiet);
    let mut keep = |run: &RunRecord| {
        runs.push(run.clone());
        file.append(run).map_err(|error| error.to_string())
    };
    let mut listeners = Listeners { observer: &mut progress, keep: &mut keep };
    let outcome = run_batch(&batch, &mut places, &ProcessMeter::open(), interrupt.flag(), &mut listeners)?;
    Ok(Measured { outcome, runs, signal: interrupt.signal() })
}

fn place(named: Named) -> Place {
    let ground = PlainGround::of(named.directory, named.path, named.filesystem.class);
    Place::of(named.label, Box::new(ground), named.filesystem, named.device)
}
