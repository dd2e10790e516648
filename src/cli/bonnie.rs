//! `barrow bonnie`: Bonnie++'s own command line, for scripts that call it; the work is that of `barrow run`.

mod getopt;
mod plan;
mod rows;
mod sizes;

use super::batch::{Order, done, say_kept, until_stopped};
use super::exit::{Exit, usage};
use super::interrupt::Interrupt;
use super::output::say;
use super::places;
use super::user;
use super::vigil::{Bounds, USUAL_PATIENCE};
use crate::sys::machine::{host_name, ram_bytes};
use crate::sys::privileges::{Account, AccountError};
use crate::sys::process::is_root;
use clap::{ArgAction, Args};
use plan::{Wish, wish};
use rows::{Rows, Shape};
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

/// What `barrow bonnie` takes: the options of Bonnie++ 2.00, and a few with long names.
#[derive(Debug, Args)]
#[command(
    version,
    args_override_self = true,
    disable_version_flag = true,
    override_usage = "barrow bonnie [-qbD] [-d DIR] [-s SIZE] [-n FILES] [OPTION]...",
    after_help = "Options are written as for Bonnie++: -qf, -s8g, -d /mnt. Without -x the text of\n80 columns and one line of CSV are printed; with -q the text goes to stderr."
)]
pub struct BonnieArguments {
    /// The directory to measure
    #[arg(short = 'd', value_name = "DIR", default_value = ".")]
    directory: PathBuf,
    /// The file: its form stands in the help, which no reader of links takes for one
    #[arg(
        short = 's',
        value_name = "SIZE",
        help = "The file, SIZE[:CHUNK[:SEEKS[:SEEKERS]]]: MiB, or with g or t behind it; 0 for none. Chunks in bytes, or with k. Without it the file is twice the memory"
    )]
    file: Option<String>,
    /// The small files: its form stands in the help, which no reader of links takes for one
    #[arg(
        short = 'n',
        value_name = "FILES",
        help = "The small files, NUM[:MAX[:MIN[:DIRS[:CHUNK]]]]: NUM times 1024, 0 for none; of MIN to MAX bytes; a MAX of -1 for hard, -2 for symbolic links"
    )]
    files: Option<String>,
    /// The name in the report; without it that of the host, which no run file keeps
    #[arg(short = 'm', value_name = "NAME")]
    name: Option<String>,
    /// The memory in MiB, of which the file takes twice as much where -s does not say
    #[arg(short = 'r', value_name = "MIB")]
    ram: Option<String>,
    /// Run N times, and print lines of CSV alone, each when its run ends; above 1 with a header
    #[arg(short = 'x', value_name = "N")]
    runs: Option<String>,
    /// As root: measure with this user's rights alone; -u root keeps all
    #[arg(short = 'u', value_name = "NAME[:GROUP]")]
    user: Option<String>,
    /// The group beside -u
    #[arg(short = 'g', value_name = "GROUP")]
    group: Option<String>,
    /// CSV alone on stdout, the text on stderr, and no progress
    #[arg(short = 'q')]
    quiet: bool,
    /// Say nothing of the tests by single characters, which are never run
    #[arg(short = 'f', value_name = "MIB", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    fast: Option<String>,
    /// fsync after every write, and after every file that is made or deleted
    #[arg(short = 'b')]
    sync: bool,
    /// Read and write the file past the page cache, in all its phases
    #[arg(short = 'D')]
    direct: bool,
    /// Threads that share the work
    #[arg(short = 'c', value_name = "N")]
    concurrency: Option<String>,
    /// The seed of names, sizes and orders; 1 without it
    #[arg(short = 'z', value_name = "SEED")]
    seed: Option<String>,
    /// Not taken: a file of random numbers; -z takes a seed
    #[arg(short = 'Z', value_name = "FILE")]
    random_file: Option<OsString>,
    /// Not taken: no semaphores are served; -c has several threads, `barrow run` several directories
    #[arg(short = 'p', value_name = "N")]
    semaphores: Option<OsString>,
    /// Not taken: see -p
    #[arg(short = 'y', value_name = "HOW")]
    synchronise: Option<OsString>,
    /// Taken and not heeded, as by Bonnie++
    #[arg(short = 'l', value_name = "ANY", hide = true)]
    idle: Option<OsString>,
    /// Keep the runs in this run file, which is appended to
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Whether root's right to drop the system's caches is used
    #[arg(long, value_name = "WHEN", default_value = "auto", value_parser = ["auto", "never"])]
    drop_caches: String,
    /// Print version
    #[arg(long, action = ArgAction::Version)]
    version: Option<bool>,
}

impl BonnieArguments {
    /// What `-x` says; -1 is what Bonnie++ takes it for where it is not given.
    fn runs(&self) -> Option<&str> {
        self.runs.as_deref().filter(|runs| *runs != "-1")
    }
}

/// The words of the command line as clap takes them: those of `barrow bonnie` as getopt(3) reads them.
pub fn words(command: &clap::Command, words: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut words = words;
    let mut found: Vec<OsString> = words.by_ref().take(2).collect();
    match command.find_subcommand("bonnie").filter(|_| found.get(1).is_some_and(|word| word == "bonnie")) {
        Some(bonnie) => found.extend(getopt::separated(bonnie, words)),
        None => found.extend(words),
    }
    found
}

/// Does what `barrow bonnie` is asked for.
///
/// # Errors
/// When nothing could be measured; as a usage error when the command line is wrong.
pub fn bonnie(arguments: &BonnieArguments) -> anyhow::Result<Exit> {
    refuse_what_is_not_taken(arguments)?;
    // As Bonnie++: no runs are no fault.
    if arguments.runs() == Some("0") {
        return Ok(Exit::Fine);
    }
    until_stopped(|interrupt| measured(arguments, interrupt))
}

fn refuse_what_is_not_taken(arguments: &BonnieArguments) -> anyhow::Result<()> {
    const TOGETHER: &str =
        "barrow serves no semaphores; -c N has N threads at once, and `barrow run a=DIR b=DIR` measures directories in turns";
    let refused = [
        (arguments.semaphores.is_some(), "-p", TOGETHER),
        (arguments.synchronise.is_some(), "-y", TOGETHER),
        (arguments.random_file.is_some(), "-Z", "barrow takes no file of random numbers; -z SEED repeats the same work"),
    ];
    match refused.iter().find(|(is_given, _, _)| *is_given) {
        Some((_, option, why)) => Err(usage(format!("{option}: {why}"))),
        None => Ok(()),
    }
}

fn measured(arguments: &BonnieArguments, interrupt: &Arc<Interrupt>) -> anyhow::Result<Exit> {
    let ram = ram_bytes();
    let Wish { plan, differences, cautions } = wish(arguments, ram, is_root())?;
    let wanted = user::wanted("-u", account(arguments)?.as_deref())?;
    let unless_quiet = cautions.iter().filter(|_| !arguments.quiet);
    differences.iter().chain(unless_quiet).for_each(|line| say(&format!("barrow: {line}")));
    // An empty name would be an empty field.
    let name = arguments.name.clone().filter(|name| !name.trim().is_empty());
    let shape = match plan.settings.runs {
        _ if arguments.runs().is_none() => Shape::TextAndRow { is_quiet: arguments.quiet },
        1 => Shape::Rows { has_header: false },
        _ => Shape::Rows { has_header: true },
    };
    let rows = Arc::new(Rows::of(shape, if name.is_some() { None } else { host_name() }));
    let told = Arc::clone(&rows);
    let order = Order {
        plan,
        wanted,
        open: &|| places::open_named(vec![(name.clone(), arguments.directory.clone())]),
        output: arguments.output.as_deref(),
        tags: std::collections::BTreeMap::new(),
        hostname: false,
        quiet: arguments.quiet,
        bounds: Bounds { hang_after: Some(USUAL_PATIENCE), phase: None },
        told: Box::new(move |run| told.ended(run)),
    };
    let measured = done(order, ram, interrupt)?;
    let are_printed = rows.finish(&measured.runs)?;
    if let Some(output) = arguments.output.as_deref().filter(|_| !arguments.quiet) {
        say_kept(&measured, output);
    }
    let exit = measured.exit()?;
    Ok(if are_printed { exit } else { Exit::Failed })
}

/// Who is wanted, as `NAME:GROUP`. A number that no user has is in the group of nobody (65534), as in Bonnie++.
fn account(arguments: &BonnieArguments) -> anyhow::Result<Option<String>> {
    const NO_GROUP: u32 = 65534;
    match (&arguments.user, &arguments.group) {
        (None, None) => Ok(None),
        (None, Some(group)) => Err(usage(format!("-g {group}: name a user too, as in -u NAME -g {group}"))),
        (Some(user), Some(group)) => {
            let user = user.split(':').next().unwrap_or_default();
            Ok(Some(format!("{user}:{group}")))
        }
        (Some(user), None) => Ok(Some(match Account::named(user) {
            Err(AccountError::GroupNeeded(number)) => format!("{number}:{NO_GROUP}"),
            Ok(_) | Err(_) => user.clone(),
        })),
    }
}

#[cfg(test)]
mod tests;
