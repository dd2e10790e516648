//! The calls of the clients of a file server: those of one pass, as one client makes them on a pretended target, counted by kinds.

use super::calls::{Call, Calls, Step};
use crate::model::phase::Phase;
use crate::model::plan::{Circumstances, Plan};
use crate::model::settings::{Settings, SyncAt};
use crate::phases::{self, Job, PhaseError, Stamps, Stop, Survey};
use crate::rng::GENERATOR;
use crate::target::FlushMethod;
use crate::target::pretend::PretendTarget;
use crate::target::pretend_call::{Call as Made, Operation};
use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

/// The calls of `file_server`; none where its loadfile is not known.
pub fn calls(settings: &Settings, flush: FlushMethod) -> Calls {
    let Ok((pass, end)) = one_pass(settings, flush) else { return Calls::default() };
    let made = Step::Call(Call { operation: Operation::MakeDirectory, object: "\"server.0\"", flags: String::new(), length: None });
    let flushed = Step::Call(Call { operation: Operation::Flush, object: "target", flags: String::new(), length: None });
    let mut prepare = if settings.clients == 1 { vec![made] } else { vec![Step::Times(settings.clients, None, vec![made])] };
    prepare.push(flushed);
    let often = match settings.seconds {
        0 => "once".to_owned(),
        seconds => format!("again and again for {seconds} s"),
    };
    let said = format!("each of {} clients {often}, in the order of the loadfile", settings.clients);
    let work = vec![Step::Times(settings.clients, Some(said), counted(&pass, settings.sync))];
    let finish = counted(&end, settings.sync);
    let finish = if settings.clients == 1 || flush == FlushMethod::WholeFilesystem {
        finish
    } else {
        vec![Step::Times(settings.clients, Some(format!("for each of {} clients, as far as they are there", settings.clients)), finish)]
    };
    Calls { prepare, work, finish, ..Calls::default() }
}

/// What one client does in a pass, and what is flushed then.
fn one_pass(settings: &Settings, flush: FlushMethod) -> Result<(Vec<Made>, Vec<Made>), PhaseError> {
    let target = PretendTarget::costing(|_| 1);
    let target = if flush == FlushMethod::EachFile { target.flushed_by_file() } else { target };
    let settings = Settings { clients: 1, seconds: 0, ..settings.clone() };
    let plan = Plan { profile: String::new(), settings, generator: GENERATOR, circumstances: Circumstances::USUAL };
    let interrupted = AtomicBool::new(false);
    let stop = Stop::of(&interrupted);
    let stamps = Stamps::default();
    let job = Job { plan: &plan, target: &target, stamps: &stamps, stop: &stop };
    let mut timed = phases::prepare(Phase::FileServer, job, &Survey::new())?;
    let start = target.log().len();
    for (work, tally) in &mut timed.workers {
        work(tally)?;
    }
    let middle = target.log().len();
    if let Some(flush) = &mut timed.flush {
        flush()?;
    }
    let log = target.log();
    Ok((log[start..middle].to_vec(), log[middle..].to_vec()))
}

/// Calls by their kinds, each with how often it is made and the longest transfer.
fn counted(made: &[Made], sync: SyncAt) -> Vec<Step> {
    let mut counts: BTreeMap<Operation, (u64, Option<u64>)> = BTreeMap::new();
    for call in made {
        let (count, length) = counts.entry(call.operation).or_default();
        *count += 1;
        *length = (*length).max(call.span.map(|(_, length)| length as u64));
    }
    let step = |(operation, (count, length)): (Operation, (u64, Option<u64>))| {
        let call = Call { operation, object: object(operation), flags: flags(operation, sync), length };
        if count == 1 { Step::Call(call) } else { Step::Times(count, None, vec![Step::Call(call)]) }
    };
    counts.into_iter().map(step).collect()
}

/// On what a call is made, in the words of the manual.
const fn object(operation: Operation) -> &'static str {
    match operation {
        Operation::MakeDirectory
        | Operation::OpenDirectory
        | Operation::RemoveDirectory
        | Operation::Create
        | Operation::Open
        | Operation::Status
        | Operation::StatusThrough
        | Operation::HardLink
        | Operation::SymbolicLink
        | Operation::Rename
        | Operation::Unlink => "\"NAME\"",
        Operation::RunProgram => "PROGRAM",
        Operation::List => "directory",
        Operation::Flush | Operation::FreeBytes => "target",
        Operation::Read
        | Operation::Write
        | Operation::AdviseRandom
        | Operation::Sync
        | Operation::Close
        | Operation::StatusOpen
        | Operation::SetLength
        | Operation::SetTimes
        | Operation::Lock
        | Operation::Unlock
        | Operation::Extents
        | Operation::Evict
        | Operation::Residency => "file",
    }
}

/// Flags of an open of a file.
fn flags(operation: Operation, sync: SyncAt) -> String {
    let more = if sync == SyncAt::Open { "|O_SYNC" } else { "" };
    match operation {
        Operation::Create => format!("O_RDWR|O_CREAT|O_EXCL{more}"),
        Operation::Open => format!("O_RDWR{more}"),
        _ => String::new(),
    }
}
