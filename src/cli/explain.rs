//! `barrow explain`: the system calls behind a number, in order, with what is on the clock.

mod calls;
mod keys;
mod page;
mod server;
mod tree_calls;
mod words;

#[cfg(test)]
mod tests;

use super::device;
use super::exit::{Exit, usage};
use super::output::print;
use super::profiles;
use crate::model::nearest::{did_you_mean, nearest_names};
use crate::model::phase::{Group, Phase};
use crate::model::printable::printable;
use crate::model::profile::{DEFAULT_PROFILE, Profile};
use crate::sys::machine::ram_bytes;
use clap::Args;

/// What `barrow explain` takes.
#[derive(Debug, Args)]
pub struct ExplainArguments {
    /// The phase, as in block_write; all, a line each, when none is given
    #[arg(value_name = "PHASE")]
    phase: Option<String>,
    /// The work whose sizes and counts are shown; std, or that of a device's phases, when not given
    #[arg(short, long, value_name = "NAME|FILE")]
    profile: Option<String>,
}

/// Prints the list of phases, or the page of one.
///
/// # Errors
/// As a usage error when there is no such phase or profile.
pub fn explain(arguments: &ExplainArguments) -> anyhow::Result<Exit> {
    let phase = arguments.phase.as_deref().map(phase_named).transpose()?;
    let profile = match (&arguments.profile, phase) {
        (None, Some(phase)) if phase.row().group == Group::Device => device::profile(phase == Phase::DeviceSweep, &[])?,
        (None, Some(phase)) => profile_with(phase)?,
        (name, None) | (name @ Some(_), Some(_)) => profiles::find(name.as_deref().unwrap_or(DEFAULT_PROFILE), ram_bytes().unwrap_or(0))?,
    };
    let text = match phase {
        None => page::list(&profile),
        Some(phase) => page::page(phase, &profile),
    };
    print(&text)?;
    Ok(Exit::Fine)
}

/// The usual profile, or where that has not the phase, the first that has.
fn profile_with(phase: Phase) -> anyhow::Result<Profile> {
    let ram_bytes = ram_bytes().unwrap_or(0);
    let usual = profiles::find(DEFAULT_PROFILE, ram_bytes)?;
    if usual.settings.phases.contains(&phase) {
        return Ok(usual);
    }
    let other = Profile::built_in(ram_bytes).into_iter().find(|profile| profile.settings.phases.contains(&phase));
    Ok(other.unwrap_or(usual))
}

fn phase_named(name: &str) -> anyhow::Result<Phase> {
    let own = |phase: &&Phase| phase.row().group != Group::Character;
    let names = || Phase::CATALOGUE.iter().filter(own).map(|phase| phase.name());
    let found = Phase::named(name).ok().filter(|phase| own(&phase));
    found.ok_or_else(|| {
        let nearest = nearest_names(name, names());
        let all = names().collect::<Vec<_>>().join(", ");
        usage(format!("there is no phase `{}`{}; the phases are {all}", printable(name), did_you_mean(&nearest)))
    })
}
