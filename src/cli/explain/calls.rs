//! The calls of each phase as data, from the settings of a profile; a test holds them against the log of a pretended target.

mod small;
mod transfers;

use super::server;
use super::tree_calls::{self, tree_calls};
use crate::model::phase::{Files, Group, Phase};
use crate::model::settings::{Io, Links, SequentialOrder, Settings, SyncAt};
use crate::phases::Tenth;
use crate::target::FlushMethod;
use crate::target::pretend_call::Operation;
use crate::target::scratch::FileSetKind;
use crate::units::with_thousands;

/// A step of a phase.
#[derive(Debug, Clone)]
pub enum Step {
    /// A call.
    Call(Call),
    /// Steps that are done so often: the count, and how it is said where that is more than a number.
    Times(u64, Option<String>, Vec<Self>),
    /// Steps that are done in so many per cent of the turns.
    Percent(u64, Vec<Self>),
}

/// A system call.
#[derive(Debug, Clone)]
pub struct Call {
    /// What it does to the target.
    pub operation: Operation,
    /// On what, in the words of the manual: `file`, `"block.0"`.
    pub object: &'static str,
    /// Flags of an open.
    pub flags: String,
    /// Bytes of a read or write, at the most.
    pub length: Option<u64>,
}

/// What a phase does, part by part.
#[derive(Debug, Default)]
pub struct Calls {
    /// Off the clock, before the caches are emptied.
    pub survey: Vec<Step>,
    /// Off the clock, after that.
    pub prepare: Vec<Step>,
    /// On the clock, up to the last acknowledged call.
    pub work: Vec<Step>,
    /// On the clock, after that.
    pub finish: Vec<Step>,
}

/// The calls of a phase.
pub fn calls(phase: Phase, settings: &Settings, flush: FlushMethod) -> Calls {
    match phase {
        Phase::BlockWrite => Calls {
            work: block_work(settings, "O_RDWR|O_CREAT|O_EXCL", &synced(settings, write(settings.chunk_size), "file")),
            finish: each_worker(settings, vec![on("file", Operation::Sync), close()]),
            ..Calls::default()
        },
        Phase::Rewrite => Calls {
            work: block_work(
                settings,
                "O_RDWR",
                &[vec![read(settings.chunk_size)], synced(settings, write(settings.chunk_size), "file")].concat(),
            ),
            finish: each_worker(settings, vec![on("file", Operation::Sync), close()]),
            ..Calls::default()
        },
        Phase::BlockRead => Calls {
            work: block_work(settings, "O_RDONLY", &[read(settings.chunk_size)]),
            finish: each_worker(settings, vec![close()]),
            ..Calls::default()
        },
        Phase::RandomSeek => random_seek(settings),
        Phase::SeqCreate => create(settings, FileSetKind::Sequential, flush),
        Phase::SeqStat => Calls { survey: survey(settings), ..stat(settings, FileSetKind::Sequential) },
        Phase::SeqDelete => Calls { survey: survey(settings), ..delete(settings, FileSetKind::Sequential, flush) },
        Phase::RandomCreate => create(settings, FileSetKind::Random, flush),
        Phase::RandomStat => stat(settings, FileSetKind::Random),
        Phase::RandomDelete => delete(settings, FileSetKind::Random, flush),
        Phase::Command(_) => program(phase, settings),
        Phase::DsyncWrite => transfers::dsync_write(settings),
        Phase::FsyncWrite => transfers::fsync_write(settings),
        Phase::Transfer(transfer) => transfers::transfers(transfer, settings),
        Phase::FileRewrite => small::rewrite(settings, flush),
        Phase::FileRead => small::read_whole(settings, Tenth::Read),
        Phase::FileRandomRead => small::read_whole(settings, Tenth::ReadAtRandom),
        Phase::TreeUnpack
        | Phase::TreeCopy
        | Phase::TreeSearch
        | Phase::TreePrune
        | Phase::LibraryWrite
        | Phase::LibraryRead
        | Phase::LargeCopy
        | Phase::TreeDelete => tree_calls(phase, settings, flush),
        Phase::DeviceStart | Phase::DeviceMiddle | Phase::DeviceEnd => device(settings, 1, settings.place_size, "O_RDONLY"),
        Phase::DirectStart | Phase::DirectMiddle | Phase::DirectEnd => device(settings, 1, settings.place_size, "O_RDONLY|O_DIRECT"),
        Phase::DeviceSweep => device(settings, settings.sweep_places, settings.sweep_size, "O_RDONLY|O_DIRECT"),
        Phase::FileServer => server::calls(settings, flush),
        _ => Calls::default(),
    }
}

/// Reads of so many places of a device, each of so many bytes; the size is asked for off the clock.
fn device(settings: &Settings, places: u64, bytes: u64, flags: &str) -> Calls {
    let place = times(bytes / settings.chunk_size, vec![read(settings.chunk_size)]);
    Calls {
        prepare: vec![on(DEVICE, Operation::Status)],
        work: [vec![open(DEVICE, Operation::Open, flags)], times(places, place)].concat(),
        finish: vec![close()],
        ..Calls::default()
    }
}

/// A device as it is named among the calls.
pub const DEVICE: &str = "\"device\"";

/// The calls that look at what a phase reads the data of, before and after its clock: a device, which is open all the time, or files.
pub fn residency(phase: Phase, settings: &Settings) -> Vec<Step> {
    let (name, files) = match phase.row().group.files() {
        Some(Files::Device) => return vec![on("file", Operation::Residency)],
        Some(Files::Tree) => return tree_calls::residency(phase, settings),
        Some(Files::Transfer) => ("\"transfer.0\"", settings.transfer_files()),
        _ => ("\"block.0\"", settings.workers),
    };
    times(files, vec![open(name, Operation::Open, "O_RDONLY"), on("file", Operation::Residency)])
}

fn on(object: &'static str, operation: Operation) -> Step {
    Step::Call(Call { operation, object, flags: String::new(), length: None })
}

fn close() -> Step {
    on("file", Operation::Close)
}

fn open(object: &'static str, operation: Operation, flags: &str) -> Step {
    Step::Call(Call { operation, object, flags: flags.to_owned(), length: None })
}

fn read(length: u64) -> Step {
    Step::Call(Call { operation: Operation::Read, object: "file", flags: String::new(), length: Some(length) })
}

fn write(length: u64) -> Step {
    Step::Call(Call { operation: Operation::Write, object: "file", flags: String::new(), length: Some(length) })
}

/// Steps so often; as they are, where that is once.
fn times(count: u64, steps: Vec<Step>) -> Vec<Step> {
    if count == 1 { steps } else { vec![Step::Times(count, None, steps)] }
}

fn each_worker(settings: &Settings, steps: Vec<Step>) -> Vec<Step> {
    if settings.workers == 1 {
        return steps;
    }
    vec![Step::Times(settings.workers, Some(format!("each of {} workers at once", settings.workers)), steps)]
}

fn with_direct(settings: &Settings, flags: &str) -> String {
    if settings.io == Io::Direct { format!("{flags}|O_DIRECT") } else { flags.to_owned() }
}

fn block_work(settings: &Settings, flags: &str, each: &[Step]) -> Vec<Step> {
    let operation = if flags.contains("O_CREAT") { Operation::Create } else { Operation::Open };
    let chunks = settings.file_size / settings.chunk_size / settings.workers;
    let mut steps = vec![open("\"block.0\"", operation, &with_direct(settings, flags))];
    steps.extend(times(chunks, each.to_vec()));
    each_worker(settings, steps)
}

fn random_seek(settings: &Settings) -> Calls {
    let is_rewriting = settings.seek_rewrite_percent > 0;
    let flags = with_direct(settings, if is_rewriting { "O_RDWR" } else { "O_RDONLY" });
    let places = settings.file_size / settings.seek_size;
    let least = settings.seeks.min(places);
    let said = match settings.seek_seconds {
        0 => None,
        seconds => {
            let [least, places] = [least, places].map(|count| with_thousands(count as f64, 0));
            Some(format!("at least {least} times and for {seconds} s, at most {places} times"))
        }
    };
    let mut each = vec![read(settings.seek_size)];
    if is_rewriting {
        each.push(Step::Percent(settings.seek_rewrite_percent, synced(settings, write(settings.seek_size), "file")));
    }
    let descriptors = settings.seekers * settings.workers;
    let finish = if is_rewriting { times(descriptors, vec![on("file", Operation::Sync), close()]) } else { Vec::new() };
    Calls {
        prepare: times(descriptors, vec![open("\"block.0\"", Operation::Open, &flags), on("file", Operation::AdviseRandom)]),
        work: vec![Step::Times(least, said, each)],
        finish,
        ..Calls::default()
    }
}

/// A program of the user's; the first of a run makes the directory for all.
fn program(phase: Phase, settings: &Settings) -> Calls {
    if !settings.phases.contains(&phase) {
        return Calls::default();
    }
    let is_first = settings.phases.iter().find(|other| other.row().group == Group::Command) == Some(&phase);
    let made = [on("\"command.0\"", Operation::MakeDirectory), on("target", Operation::Flush)];
    let opened = on("\"command.0\"", Operation::OpenDirectory);
    Calls {
        prepare: made.into_iter().filter(|_| is_first).chain([opened]).collect(),
        work: vec![on("program, arguments, environment", Operation::RunProgram)],
        finish: vec![on("target", Operation::Flush)],
        ..Calls::default()
    }
}

/// Steps that are done for one worker after the other.
fn for_workers(settings: &Settings, steps: Vec<Step>) -> Vec<Step> {
    if settings.workers == 1 {
        return steps;
    }
    vec![Step::Times(settings.workers, Some(format!("for each of {} workers", settings.workers)), steps)]
}

/// The first directory of a file set, as it is named.
const fn named(kind: FileSetKind) -> &'static str {
    match kind {
        FileSetKind::Sequential => "\"sequential.0.0\"",
        FileSetKind::Random => "\"random.0.0\"",
    }
}

fn directories_opened(settings: &Settings, kind: FileSetKind) -> Vec<Step> {
    times(settings.dirs, vec![on(named(kind), Operation::OpenDirectory)])
}

fn open_directories(settings: &Settings, kind: FileSetKind) -> Vec<Step> {
    for_workers(settings, directories_opened(settings, kind))
}

/// Bonnie++'s order is that of the listing, which must be known before.
fn survey(settings: &Settings) -> Vec<Step> {
    match settings.sequential_order {
        SequentialOrder::Index => Vec::new(),
        SequentialOrder::Readdir => {
            let listed = times(settings.dirs, vec![on("directory", Operation::List)]);
            for_workers(settings, [directories_opened(settings, FileSetKind::Sequential), listed].concat())
        }
    }
}

/// Transfers of the content of a file of the largest size; none for empty files.
fn content(settings: &Settings, transfer: fn(u64) -> Step) -> Vec<Step> {
    let most = settings.file_transfer();
    if most == 0 { Vec::new() } else { times(settings.max_size.div_ceil(most), vec![transfer(most)]) }
}

fn create(settings: &Settings, kind: FileSetKind, flush: FlushMethod) -> Calls {
    let made = times(settings.dirs, vec![on(named(kind), Operation::MakeDirectory)]);
    let made = for_workers(settings, [made, directories_opened(settings, kind)].concat());
    let finish = match flush {
        FlushMethod::WholeFilesystem => vec![on("target", Operation::Flush)],
        FlushMethod::EachFile => [vec![each_file_flushed(settings.files_that_are_no_links())], flush_directories(settings)].concat(),
    };
    Calls { prepare: [made, vec![on("target", Operation::Flush)]].concat(), work: made_entries(settings), finish, ..Calls::default() }
}

/// So many files, flushed one by one.
fn each_file_flushed(files: u64) -> Step {
    Step::Times(files, None, vec![open("\"NAME\"", Operation::Open, "O_RDWR"), on("file", Operation::Sync), close()])
}

/// A call, and the flush that the plan wants after it.
fn synced(settings: &Settings, step: Step, object: &'static str) -> Vec<Step> {
    match settings.sync {
        SyncAt::End | SyncAt::Open | SyncAt::Dirs => vec![step],
        SyncAt::Every => vec![step, on(object, Operation::Sync)],
    }
}

/// The entries of a file set: files, or a few of them and then links.
fn made_entries(settings: &Settings) -> Vec<Step> {
    let file_synced = match settings.sync {
        SyncAt::End | SyncAt::Open | SyncAt::Dirs => Vec::new(),
        SyncAt::Every => vec![on("file", Operation::Sync)],
    };
    let created = vec![open("\"NAME\"", Operation::Create, "O_RDWR|O_CREAT|O_EXCL")];
    let file = [created, content(settings, write), file_synced, synced(settings, close(), "directory")].concat();
    let files = settings.files_that_are_no_links();
    let links = |operation| Step::Times(settings.files - files, None, synced(settings, on("\"NAME\"", operation), "directory"));
    let files = Step::Times(files, None, file);
    match settings.links {
        Links::None => vec![files],
        Links::Hard => vec![files, links(Operation::HardLink)],
        Links::Symbolic => vec![files, links(Operation::SymbolicLink)],
    }
}

fn flush_directories(settings: &Settings) -> Vec<Step> {
    for_workers(settings, times(settings.dirs, vec![on("directory", Operation::Sync)]))
}

fn stat(settings: &Settings, kind: FileSetKind) -> Calls {
    let status = match settings.links {
        Links::None | Links::Hard => Operation::Status,
        Links::Symbolic => Operation::StatusThrough,
    };
    let mut each = vec![on("\"NAME\"", status)];
    if settings.max_size > 0 {
        each.push(open("\"NAME\"", Operation::Open, "O_RDONLY"));
        each.extend(content(settings, read));
        each.push(close());
    }
    Calls { prepare: open_directories(settings, kind), work: vec![Step::Times(settings.files, None, each)], ..Calls::default() }
}

fn delete(settings: &Settings, kind: FileSetKind, flush: FlushMethod) -> Calls {
    Calls {
        prepare: open_directories(settings, kind),
        work: vec![Step::Times(settings.files, None, synced(settings, on("\"NAME\"", Operation::Unlink), "directory"))],
        finish: match flush {
            FlushMethod::WholeFilesystem => vec![on("target", Operation::Flush)],
            FlushMethod::EachFile => flush_directories(settings),
        },
        ..Calls::default()
    }
}
