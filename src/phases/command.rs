//! The command phases: a program of the user's in a directory that all of them share, and then a flush, inside the clock.

use super::procedure::memory_of_threads;
use super::{Job, Moved, PhaseError, Procedure, Survey, Tally, Timed, Work, needs};
use crate::model::aftermath::{Aftermath, ProgramEnd};
use crate::model::phase::{CommandName, Phase};
use crate::model::plan::Plan;
use crate::model::printable::printable;
use crate::model::record::{Counted, Status};
use crate::model::settings::{CommandLine, Settings};
use crate::target::ground::plain_error;
use crate::target::scratch::WorkDirectory;
use crate::target::{Handle, ProgramRun, Target, signal_name};
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

/// Letters of the last line of a program's output that a reason repeats.
const MOST_LETTERS: usize = 200;

/// Runs one program of the profile.
#[derive(Debug)]
pub struct Command(pub CommandName);

/// A program that did not end well.
#[derive(Debug, thiserror::Error)]
#[error("{reason}")]
pub struct ProgramFault {
    /// How it ended, in words: `make: exit status 2: no rule to make target`.
    pub reason: String,
    /// What that makes of its phase.
    pub status: Status,
    /// How it ended, and what it said.
    pub end: ProgramEnd,
}

impl Procedure for Command {
    fn prepare<'t>(&self, job: Job<'t>, _survey: &Survey) -> Result<Timed<'t>, PhaseError> {
        let target = job.target;
        let command = words(self.0, &job.plan.settings);
        let is_first = needs(Phase::Command(self.0), job.plan).is_none();
        let directory = working_directory(target, is_first)?;
        let ended: Arc<Mutex<Option<ProgramEnd>>> = Arc::default();
        let told = Arc::clone(&ended);
        let work: Work<'t> = Box::new(move |tally| {
            let end = run(target, &directory, command, tally)?;
            tally.operation(1)?;
            tally.finish();
            *told.lock().unwrap_or_else(PoisonError::into_inner) = Some(end);
            Ok(())
        });
        let flush = move || target.flush().map_err(|source| PhaseError::Call { doing: "flush what the program wrote".to_owned(), source });
        let look = move || Aftermath { program: ended.lock().unwrap_or_else(PoisonError::into_inner).take(), ..Aftermath::default() };
        Ok(Timed::of(vec![(work, Tally::of_known(job, 1))]).flushed_by(flush).followed_by(look))
    }

    fn work_expected(&self, _plan: &Plan) -> Option<u64> {
        Some(1)
    }

    /// What a program reads and writes is its own affair: nothing is expected of it.
    fn moved(&self, _plan: &Plan, _counted: &Counted) -> Moved {
        Moved::default()
    }

    fn memory_needed(&self, settings: &Settings) -> u64 {
        memory_of_threads(settings, 1, 0)
    }
}

/// The program of a name and its arguments; a plan that was checked has it.
fn words(name: CommandName, settings: &Settings) -> &[String] {
    settings.commands.iter().find(|command| command.name == name.short()).map_or(&[], |command| &command.command)
}

/// The directory that all programs of a run share: made by the first, as the others find it.
fn working_directory(target: &dyn Target, is_first: bool) -> Result<Handle, PhaseError> {
    let name = WorkDirectory::Command.name(0);
    let failed = |verb: &str| {
        let doing = format!("{verb} the directory {}", name.to_string_lossy());
        move |source| PhaseError::Call { doing, source }
    };
    if is_first {
        target.make_directory(target.root(), &name).map_err(failed("make"))?;
        // Its name is not to be flushed on the clock.
        target.flush().map_err(failed("flush"))?;
    }
    target.open_directory(target.root(), &name).map_err(failed("open"))
}

/// Runs the program to its end, which must be a good one.
fn run(target: &dyn Target, directory: &Handle, command: &[String], tally: &mut Tally<'_>) -> Result<ProgramEnd, PhaseError> {
    let mut why = Ok(());
    let mut go_on = || {
        why = tally.may_go_on();
        why.is_ok()
    };
    let ran = target.run_program(directory, command, &mut go_on);
    let ran = ran.map_err(|error| not_started(command, &error))?;
    let ProgramRun { end, usage, was_ended } = ran;
    if was_ended {
        why.map_err(|why| with_end(why, end.clone()))?;
    }
    tally.children = usage;
    match complaint(&end) {
        None => Ok(end),
        Some(complaint) => Err(fault(Status::Failed, format!("{}: {complaint}{}", name_of(command), last_line(&end)), end)),
    }
}

fn fault(status: Status, reason: String, end: ProgramEnd) -> PhaseError {
    PhaseError::Program(Box::new(ProgramFault { reason, status, end }))
}

fn not_started(command: &[String], error: &io::Error) -> PhaseError {
    fault(Status::Failed, format!("{}: cannot be started: {}", name_of(command), plain_error(error)), ProgramEnd::default())
}

/// Why a program was ended, with what it had said by then.
fn with_end(why: PhaseError, end: ProgramEnd) -> PhaseError {
    match why {
        PhaseError::OutOfTime { .. } => fault(Status::Truncated, format!("{why}{}", last_line(&end)), end),
        other => other,
    }
}

/// The name of a program as messages have it.
fn name_of(command: &[String]) -> String {
    printable(&CommandLine::name_of(command))
}

/// What was wrong about an end; `None` where nothing was.
fn complaint(end: &ProgramEnd) -> Option<String> {
    match (end.exit, end.signal) {
        (Some(0), _) => None,
        (Some(status), _) => Some(format!("exit status {status}")),
        (None, Some(number)) => Some(format!("ended by {}", signal_name(number))),
        (None, None) => Some("nobody knows how it ended".to_owned()),
    }
}

/// The last line of what a program said, behind a colon.
fn last_line(end: &ProgramEnd) -> String {
    let line = end.output.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let line: String = line.trim().chars().take(MOST_LETTERS).collect();
    if line.is_empty() { line } else { format!(": {line}") }
}
