//! `barrow clean`: removes what a killed run or lab left, and names what it leaves.

use super::exit::Exit;
use super::output::{print, say};
use super::user;
use crate::lab::clean::clean as clean_labs;
use crate::target::clean::{Found, clean as clean_directory};
use anyhow::Context;
use clap::Args;
use std::path::PathBuf;

/// What `barrow clean` takes.
#[derive(Debug, Args)]
pub struct CleanArguments {
    /// The directory that was measured, or that held the images of a lab
    #[arg(value_name = "DIR")]
    directory: PathBuf,
    /// As root: clean with this user's rights alone, as `barrow run --user` measured
    #[arg(long, value_name = "NAME[:GROUP]")]
    user: Option<String>,
}

/// Removes the scratch directories of dead runs and the homes of dead labs.
///
/// # Errors
/// When the directory cannot be opened or listed; as a usage error when nobody can become the user.
pub fn clean(arguments: &CleanArguments) -> anyhow::Result<Exit> {
    if let Some(wanted) = user::wanted("--user", arguments.user.as_deref())? {
        wanted.give_up_the_rest()?;
    }
    let shown = arguments.directory.display();
    let both = clean_directory(&arguments.directory).and_then(|runs| Ok((runs, clean_labs(&arguments.directory)?)));
    let (mut found, labs) = both.with_context(|| format!("{shown}: cannot be looked through"))?;
    found.extend(labs);
    if found.is_empty() {
        print(&format!("{shown}: nothing of barrow's\n"))?;
    }
    let mut exit = Exit::Fine;
    for (place, what) in found {
        match what {
            Found::Removed => print(&format!("removed {}\n", place.display()))?,
            Found::Live => print(&format!("left {}: a running barrow uses it\n", place.display()))?,
            Found::Left(reasons) => {
                reasons.iter().for_each(|reason| say(&format!("barrow: left {reason}")));
                exit = Exit::Failed;
            }
        }
    }
    Ok(exit)
}
