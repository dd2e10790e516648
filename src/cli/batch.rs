//! A batch from its plan to its runs: what the commands that measure have in common.

use super::conduct::ConductArguments;
use super::exit::{Exit, usage};
use super::interrupt::Interrupt;
use super::keep::say_left;
use super::measure::{Conduct, Measured, Stand, Told, measure};
use super::output::{print_report, say};
use super::places::Named;
use super::refusals::{check, check_process};
use super::report::USUAL_FILE;
use super::user::{self, Wanted};
use super::vigil::Bounds;
use crate::model::identity::Identity;
use crate::model::plan::Plan;
use crate::report::{Report, renderer_named};
use crate::runner::Batch;
use crate::store::RunFile;
use crate::sys::machine::this_machine;
use crate::sys::random::random_u64;
use anyhow::Context;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// What is to be measured, and how.
pub struct Order<'a> {
    /// What each run does.
    pub plan: Plan,
    /// With whose rights, where not with the caller's.
    pub wanted: Option<Wanted>,
    /// Opens the targets; done with those rights.
    pub open: &'a dyn Fn() -> anyhow::Result<Vec<Named>>,
    /// The run file, if any.
    pub output: Option<&'a Path>,
    /// What the user noted.
    pub tags: BTreeMap<String, String>,
    /// Whether the host's name is recorded.
    pub hostname: bool,
    /// Whether only what went wrong is said.
    pub quiet: bool,
    /// When it is given up.
    pub bounds: Bounds,
    /// Who is told of each run.
    pub told: Told,
}

/// Does something that a signal stops, and then ends as signals wish.
///
/// # Errors
/// As it; and when signals cannot be listened to.
pub fn until_stopped(work: impl FnOnce(&Arc<Interrupt>) -> anyhow::Result<Exit>) -> anyhow::Result<Exit> {
    // Before anything is made that a signal could leave behind.
    let interrupt = Interrupt::listen()?;
    let done = work(&interrupt);
    let Some(number) = interrupt.signal() else {
        return done;
    };
    if let Err(error) = done {
        // The terminal may be gone: the signal says why.
        say(&format!("barrow: {error:#}"));
    }
    Ok(Exit::Signal(number))
}

/// Does a batch: looks at the targets, refuses what would fail, opens the run file, gives up rights, and measures.
///
/// # Errors
/// When nothing could be measured.
pub fn done(order: Order<'_>, ram: Option<u64>, interrupt: &Arc<Interrupt>) -> anyhow::Result<Measured> {
    let Order { plan, wanted, open, output, tags, hostname, quiet, bounds, told } = order;
    if wanted.is_none() {
        interrupt.attend()?;
    }
    let dropper = user::dropper(wanted.as_ref(), &plan.circumstances);
    let look = || -> anyhow::Result<Vec<Named>> {
        let mut named = open()?;
        check(&plan, &mut named, ram, dropper.hindrance(), quiet)?;
        Ok(named)
    };
    let named = match &wanted {
        Some(wanted) => wanted.acting(look)?,
        None => look()?,
    };
    let mut file = run_file(output, wanted.as_ref())?;
    // Rights are given up by now: what the process may do is what it will have, and threads may be started in any case.
    let ready = interrupt.attend().and_then(|()| check_process(&plan)).and_then(|()| batch(plan, tags, hostname));
    let batch = ready.inspect_err(|_| take_back(&mut file))?;
    let dropper = Arc::new(dropper);
    let stands = named.into_iter().map(|named| Stand::of(named, &dropper, interrupt)).collect();
    measure(batch, stands, file, Conduct { quiet, bounds, told }, interrupt)
}

/// A batch of a plan, with a number of its own.
///
/// # Errors
/// When the kernel has no randomness, or there are too many runs.
pub fn batch(plan: Plan, tags: BTreeMap<String, String>, hostname: bool) -> anyhow::Result<Batch> {
    Ok(Batch {
        identity: Identity(random_u64().context("no random numbers from the kernel")?),
        rounds: u32::try_from(plan.settings.runs).map_err(|_| usage("runs: too many"))?,
        plan,
        tags,
        machine: this_machine(hostname),
    })
}

/// Removes a run file that was made for nothing.
pub fn take_back(file: &mut Option<RunFile>) {
    if let Some(file) = file {
        file.remove_if_unused().unwrap_or_else(|error| say_left(file.path(), &error));
    }
}

/// Opens the run file with the rights of who called, and then gives up what is not wanted: the file stays the caller's, and is not
/// opened again.
///
/// # Errors
/// When it cannot be opened or is in use, or a right cannot be given up.
pub fn run_file(path: Option<&Path>, wanted: Option<&Wanted>) -> anyhow::Result<Option<RunFile>> {
    const ADVICE: &str = "name another run file with -o FILE";
    let mut file = path.map(RunFile::open).transpose().context(ADVICE)?;
    let Some(wanted) = wanted else { return Ok(file) };
    let kept = file.as_mut().map_or(Ok(()), RunFile::keep_open);
    if let Err(error) = kept.context(ADVICE).and_then(|()| wanted.give_up_the_rest()) {
        take_back(&mut file);
        return Err(error);
    }
    Ok(file)
}

/// Ends a batch: prints its report, says where its runs are, and tells how the process is to end.
///
/// # Errors
/// When the report cannot be printed; why the batch ended early, if it did.
pub fn reported(measured: Measured, file: &Path, conduct: &ConductArguments) -> anyhow::Result<Exit> {
    if !conduct.no_report && !measured.runs.is_empty() {
        print_report(&renderer_named("text").map_err(usage)?.render(&Report::of(&measured.runs)))?;
    }
    if !conduct.quiet {
        say_kept(&measured, file);
    }
    measured.exit()
}

/// Says where the runs are, once all of them are there.
pub fn say_kept(measured: &Measured, file: &Path) {
    let count = measured.runs.len();
    if measured.is_whole && count > 0 {
        let runs = if count == 1 { "1 run is".to_owned() } else { format!("{count} runs are") };
        let command = if file == Path::new(USUAL_FILE) { "barrow report".to_owned() } else { format!("barrow report {}", file.display()) };
        say(&format!("barrow: {runs} in {}; `{command}` makes other reports and charts of it", file.display()));
    }
}
