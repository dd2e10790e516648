//! `barrow check`: what barrow itself costs on this machine.

mod compare;
mod words;

use super::exit::Exit;
use super::interrupt::Interrupt;
use super::output::{print, say};
use crate::model::machine::FilesystemClass;
use crate::phases;
use crate::runner::yardstick::Bench;
use crate::sys::random::random_u64;
use crate::sys::{ceiling, files, mounts};
use crate::target::Handle;
use crate::target::ground::{Ground, Site, plain_error};
use crate::target::plain::PlainGround;
use crate::target::real::RealTarget;
use anyhow::{Context, bail};
use clap::Args;
use compare::Compared;
use std::fs::File;
use std::path::{Path, PathBuf};

/// What `barrow check` takes: nothing.
#[derive(Debug, Args)]
pub struct CheckArguments {}

/// Measures barrow itself and prints what came out.
///
/// # Errors
/// When a loop fails, or something had to be left.
pub fn check(_arguments: &CheckArguments) -> anyhow::Result<Exit> {
    let interrupt = Interrupt::listen()?;
    interrupt.attend()?;
    let root = files::open_directory_path(Path::new("/")).context("/: cannot be opened")?;
    let mut costs = phases::costs(&RealTarget::of(root, FilesystemClass::Other));
    match ceiling::memory_read_rate() {
        Ok(rate) => costs.memory_bytes_per_second = Some(rate),
        Err(error) => say(&format!("barrow: the memory ceiling is not known: {}", plain_error(&error))),
    }
    print(&words::costs(&costs))?;
    let compared = match place_in_memory() {
        Some((path, directory)) => compare_in(&path, directory, &interrupt)?,
        None => {
            print("\nNo directory in memory can be written, so barrow's loops were not compared.\n")?;
            Vec::new()
        }
    };
    if let Some(number) = interrupt.signal() {
        return Ok(Exit::Signal(number));
    }
    print(&words::verdict(&costs, &compared))?;
    Ok(Exit::Fine)
}

/// The first directory that lies in memory and can be written.
fn place_in_memory() -> Option<(PathBuf, File)> {
    let own = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
    let places = [Some(PathBuf::from("/dev/shm")), own, Some(std::env::temp_dir())];
    places.into_iter().flatten().find_map(|path| {
        let directory = files::open_directory_path(&path).ok()?;
        files::check_writable(&directory).ok()?;
        let mount = mounts::mount_of(&directory).ok()?;
        let class = mounts::filesystem_of(&directory, &mount).ok()?.class;
        (class == FilesystemClass::Memory).then_some((path, directory))
    })
}

/// Compares all loops in a scratch directory, which is removed whatever happens.
fn compare_in(path: &Path, directory: File, interrupt: &Interrupt) -> anyhow::Result<Vec<Compared>> {
    let shown = path.display();
    let (nonce, batch) = (random_u64()?, random_u64()?);
    let mut ground = PlainGround::of(directory, path.to_owned(), Site::of_class(FilesystemClass::Memory));
    ground.take(nonce, batch).with_context(|| format!("{shown}: no scratch directory"))?;
    interrupt.set_place(ground.scratch());
    let compared = compare_on(&ground, path, interrupt);
    let left = ground.give_back();
    interrupt.set_place(None);
    anyhow::ensure!(left.is_empty(), "left behind: {}", left.join(", "));
    compared.with_context(|| format!("{shown}: the loops cannot be compared"))
}

/// Prints a line a loop as it is done, so that nobody waits before an empty screen.
fn compare_on(ground: &PlainGround, path: &Path, interrupt: &Interrupt) -> anyhow::Result<Vec<Compared>> {
    let target = ground.target()?;
    // By its handle: its name may lead elsewhere by now.
    let Handle::Real(root) = target.root() else { bail!("no real directory") };
    let bench = Bench { target, root, interrupted: interrupt.flag() };
    print(&words::heading(&path.display().to_string()))?;
    let mut all = Vec::new();
    for case in compare::CASES {
        let Some(compared) = compare::compare(case, bench)? else { break };
        print(&words::line(&compared))?;
        all.push(compared);
    }
    Ok(all)
}
