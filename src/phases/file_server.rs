//! File server: clients replay a loadfile, each in a directory of its own, for some seconds or once; then everything is flushed.

mod client;
mod directories;
mod home;

use super::file_set::flush_filesystem;
use super::procedure::memory_of_threads;
use super::{Job, Moved, PhaseError, Procedure, Survey, Tally, Timed, Work};
use crate::model::loadfile::{KINDS, Loadfile};
use crate::model::plan::Plan;
use crate::model::record::Counted;
use crate::model::settings::Settings;
use crate::target::FlushMethod;
use client::Client;
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;

const NS_PER_SECOND: u64 = 1_000_000_000;
/// Bytes of what a client keeps of a name or a handle.
const PLACE_BYTES: u64 = 16;

/// Clients replay the mix of calls of a file server.
#[derive(Debug)]
pub struct FileServer;

impl Procedure for FileServer {
    fn prepare<'t>(&self, job: Job<'t>, _survey: &Survey) -> Result<Timed<'t>, PhaseError> {
        let settings = &job.plan.settings;
        let unknown = || PhaseError::Call { doing: "replay the loadfile".to_owned(), source: io::Error::other("its content is not known") };
        let loadfile = settings.loadfile.content().ok_or_else(unknown)?;
        if settings.seconds > 0 && settings.warm_up > 0 {
            warm_up(job, &loadfile)?;
        }
        let clients = make_clients(job, &loadfile)?;
        let workers = clients.into_iter().map(|client| worker(job, client, settings.seconds)).collect();
        let flush = move || match job.target.flush_method() {
            FlushMethod::WholeFilesystem => flush_filesystem(job.target),
            FlushMethod::EachFile => home::flush_each(job.target, settings.clients),
        };
        Ok(Timed::of(workers).flushed_by(flush))
    }

    fn work_expected(&self, plan: &Plan) -> Option<u64> {
        let settings = &plan.settings;
        let each = settings.loadfile.content()?.operations().len() as u64;
        (settings.seconds == 0).then(|| settings.clients.saturating_mul(each))
    }

    fn moved(&self, _plan: &Plan, counted: &Counted) -> Moved {
        let of = |name| counted.kinds.iter().find(|kind| kind.name == name).map_or(0, |kind| kind.bytes);
        Moved { read: of("read"), written: of("write"), ..Moved::default() }
    }

    fn memory_needed(&self, settings: &Settings) -> u64 {
        let Some(loadfile) = settings.loadfile.content() else { return 0 };
        let each = (loadfile.names() as u64 + loadfile.needs().handles) * PLACE_BYTES;
        let threads = memory_of_threads(settings, settings.clients, loadfile.needs().transfer);
        threads.saturating_add(settings.clients.saturating_mul(each)).saturating_add(loadfile.memory())
    }
}

/// Makes the directories of all clients, and flushes them.
fn make_clients<'t>(job: Job<'t>, loadfile: &Arc<Loadfile>) -> Result<Vec<Client<'t>>, PhaseError> {
    let clients = job.plan.settings.clients;
    (0..clients).try_for_each(|number| home::make(job.target, number))?;
    flush_filesystem(job.target)?;
    Ok((0..clients).map(|number| Client::of(job, loadfile.clone(), number)).collect())
}

/// The work of a client, which is timed and counted by kinds.
fn worker<'t>(job: Job<'t>, mut client: Client<'t>, seconds: u64) -> (Work<'t>, Tally<'t>) {
    let work = move |tally: &mut Tally<'t>| {
        replay(&mut client, tally, seconds)?;
        tally.finish();
        Ok(())
    };
    (Box::new(work), Tally::of_kinds(job, KINDS))
}

/// Replays pass by pass until so many seconds are over; 0 means one pass.
fn replay<'t>(client: &mut Client<'t>, tally: &mut Tally<'t>, seconds: u64) -> Result<(), PhaseError> {
    let loadfile = client.loadfile();
    let end_ns = seconds.saturating_mul(NS_PER_SECOND);
    loop {
        for operation in loadfile.operations() {
            let bytes = client.replay(operation)?;
            tally.operation_of(operation.action.kind(), bytes)?;
            if seconds > 0 && tally.elapsed_ns() >= end_ns {
                return Ok(());
            }
        }
        if seconds == 0 {
            return Ok(());
        }
    }
}

/// Replays for a while off the clock, and removes what that made, so that the clock starts with new directories.
fn warm_up(job: Job<'_>, loadfile: &Arc<Loadfile>) -> Result<(), PhaseError> {
    let mut clients = make_clients(job, loadfile)?;
    let start_ns = job.target.now_ns();
    let results: Vec<Result<(), PhaseError>> = thread::scope(|scope| {
        let threads: Vec<_> = clients.iter_mut().map(|client| scope.spawn(move || warm_up_one(job, client, start_ns))).collect();
        let faulty =
            || PhaseError::Call { doing: "warm up".to_owned(), source: io::Error::other("a fault in barrow itself; please report it") };
        threads.into_iter().map(|thread| thread.join().unwrap_or_else(|_| Err(faulty()))).collect()
    });
    drop(clients);
    // The clients that only stopped did so because of the one that failed.
    let is_failure = |result: &Result<(), PhaseError>| !matches!(result, Ok(()) | Err(PhaseError::Stopped));
    let (failures, others): (Vec<_>, Vec<_>) = results.into_iter().partition(is_failure);
    failures.into_iter().chain(others).collect::<Result<(), _>>()?;
    (0..job.plan.settings.clients).try_for_each(|number| home::remove(job.target, number))
}

fn warm_up_one<'t>(job: Job<'t>, client: &mut Client<'t>, start_ns: u64) -> Result<(), PhaseError> {
    let mut tally = Tally::of_unknown(job);
    tally.start(start_ns);
    let result = replay(client, &mut tally, job.plan.settings.warm_up);
    if result.is_err() {
        job.stop.failed.store(true, Ordering::Relaxed);
    }
    result
}

#[cfg(test)]
mod tests;
