//! `barrow info`: what barrow sees below a directory, and what it can therefore prove there. It measures and writes nothing.

mod chain;
mod page;
mod proof;

#[cfg(test)]
mod tests;

use super::exit::Exit;
use super::output::print;
use super::places::open_to_look;
use crate::model::machine::{Filesystem, Machine};
use crate::sys::limits::most_open_files;
use crate::sys::machine::this_machine;
use crate::sys::mounts::{Mount, filesystem_of};
use crate::sys::residency::has_cachestat;
use crate::sys::stack::{Found, Roots, find};
use crate::sys::traffic::{arc_traffic, server_traffic};
use crate::target::ground::plain_error;
use clap::Args;
use std::fs::File;
use std::path::{Path, PathBuf};

/// What `barrow info` takes.
#[derive(Debug, Args)]
pub struct InfoArguments {
    /// The directory that is looked at
    #[arg(value_name = "DIR", default_value = ".")]
    directory: PathBuf,
}

/// Everything that is shown.
#[derive(Debug, Clone)]
struct Facts {
    /// The directory as it was typed.
    path: PathBuf,
    /// Where its filesystem is mounted.
    mount_point: PathBuf,
    filesystem: Filesystem,
    found: Found,
    machine: Machine,
    /// Files that barrow could have open at once.
    open_files: Option<u64>,
    /// Whether the kernel tells what of a file is in the page cache without mapping it.
    has_cachestat: bool,
    /// Whether the cache of ZFS counts what it answers.
    has_arc: bool,
    /// Whether the mount counts what its server sent.
    has_server_counts: bool,
}

/// Prints what lies below a directory.
///
/// # Errors
/// When it is missing, is no directory or cannot be opened.
pub fn info(arguments: &InfoArguments) -> anyhow::Result<Exit> {
    let (directory, mount) = open_to_look(&arguments.directory)?;
    print(&page::page(&facts(&arguments.directory, &directory, &mount)?))?;
    Ok(Exit::Fine)
}

fn facts(path: &Path, directory: &File, mount: &Mount) -> anyhow::Result<Facts> {
    let filesystem = filesystem_of(directory, mount)
        .map_err(|error| anyhow::anyhow!("{}: its size is not known: {}", path.display(), plain_error(&error)))?;
    Ok(Facts {
        path: path.to_owned(),
        mount_point: mount.mount_point.clone(),
        filesystem,
        found: find(&Roots::of_this_machine(), mount),
        machine: this_machine(false),
        open_files: most_open_files(),
        has_cachestat: has_cachestat(),
        has_arc: arc_traffic().is_some(),
        has_server_counts: server_traffic(&mount.mount_point).is_some(),
    })
}
