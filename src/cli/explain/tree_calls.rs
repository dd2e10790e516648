//! The calls of the phases of source trees and libraries, by what is done in all with directories, files and pieces of files.

use super::calls::{Call, Calls, Step};
use crate::model::phase::Phase;
use crate::model::settings::{Settings, SyncAt};
use crate::model::size_law::{LIBRARY, SOURCE_TREE};
use crate::phases::copied_directories;
use crate::target::FlushMethod;
use crate::target::pretend_call::Operation;
use crate::units::with_thousands;

const CREATE: &str = "O_RDWR|O_CREAT|O_EXCL";
const READ: &str = "O_RDONLY";

/// The calls of one of these phases.
pub fn tree_calls(phase: Phase, settings: &Settings, flush: FlushMethod) -> Calls {
    let tree = Tree { directories: settings.tree().directories, files: settings.tree_files };
    let copied = Tree { directories: copied_directories(settings), files: settings.copied_tree_files() };
    match phase {
        Phase::TreeUnpack => Calls { work: unpacked(settings, tree), finish: flushed(flush, tree), ..Calls::default() },
        Phase::TreeCopy => {
            Calls { survey: evicted(copied), work: tree_copied(settings, copied), finish: flushed(flush, copied), ..Calls::default() }
        }
        Phase::TreeSearch => Calls { survey: evicted(tree), work: searched(tree), ..Calls::default() },
        Phase::TreePrune => Calls { work: deleted(settings, copied, 0), finish: flushed_root(flush), ..Calls::default() },
        Phase::TreeDelete => {
            let is_done =
                |phase| settings.leaves_out(phase).is_none() && settings.phases.last_before(Phase::TreeDelete, &[phase]).is_some();
            let library = if is_done(Phase::LibraryWrite) { settings.library_files } else { 0 };
            let copies = if is_done(Phase::LargeCopy) { settings.large_copies().files } else { 0 };
            let is_there = is_done(Phase::TreeCopy) && !is_done(Phase::TreePrune);
            let left = if is_there { tree.with(copied) } else { tree };
            Calls { work: deleted(settings, left, library + copies), finish: flushed_root(flush), ..Calls::default() }
        }
        Phase::LibraryWrite => Calls {
            work: [
                times(settings.library_files, vec![file("\"library.0\"", Operation::Create, CREATE)]),
                pieces(settings, settings.library_files, &[transfer(Operation::Write, settings.chunk_size)]),
                times(settings.library_files, closed(settings, "target")),
            ]
            .concat(),
            finish: flushed(flush, Tree { directories: 0, files: settings.library_files }),
            ..Calls::default()
        },
        Phase::LibraryRead => Calls {
            work: [
                times(settings.library_files, vec![file("\"library.0\"", Operation::Open, READ)]),
                pieces(settings, settings.library_files, &[transfer(Operation::Read, settings.chunk_size)]),
                times(settings.library_files, vec![on("file", Operation::Close)]),
            ]
            .concat(),
            ..Calls::default()
        },
        Phase::LargeCopy => {
            let files = settings.large_copies().files;
            let each = [transfer(Operation::Read, settings.chunk_size), transfer(Operation::Write, settings.chunk_size)];
            let opened = vec![file("\"library.0\"", Operation::Open, READ), file("\"large.0\"", Operation::Create, CREATE)];
            let work = [times(files, opened), pieces(settings, files, &each), times(files, closed_both(settings, "target"))].concat();
            Calls { work, finish: flushed(flush, Tree { directories: 0, files }), ..Calls::default() }
        }
        _ => Calls::default(),
    }
}

/// The files whose residency is looked at before the clock, by how many there are.
pub fn residency(phase: Phase, settings: &Settings) -> Vec<Step> {
    let files = match phase {
        Phase::LibraryRead => settings.library_files,
        Phase::LargeCopy => settings.large_copies().files,
        _ => return Vec::new(),
    };
    times(files, vec![file("\"library.0\"", Operation::Open, READ), on("file", Operation::Residency)])
}

/// Directories with files in them.
#[derive(Clone, Copy)]
struct Tree {
    directories: u64,
    files: u64,
}

impl Tree {
    const fn with(self, other: Self) -> Self {
        Self { directories: self.directories + other.directories, files: self.files + other.files }
    }
}

/// What will be read is taken out of memory, as far as that follows advice.
fn evicted(tree: Tree) -> Vec<Step> {
    let each = vec![file("\"NAME\"", Operation::Open, READ), on("file", Operation::Evict), on("file", Operation::Close)];
    [
        each_directory(tree, vec![on("\"NAME\"", Operation::OpenDirectory)]),
        vec![Step::Times(tree.files, Some(format!("for each of {} files", counted(tree.files))), each)],
        left(tree, vec![on("directory", Operation::Close)]),
    ]
    .concat()
}

fn unpacked(settings: &Settings, tree: Tree) -> Vec<Step> {
    let made = synced(settings, on("\"NAME\"", Operation::MakeDirectory), "directory");
    let created = vec![file("\"NAME\"", Operation::Create, CREATE), transfer(Operation::Write, SOURCE_TREE.most())];
    [
        each_directory(tree, [made, vec![on("\"NAME\"", Operation::OpenDirectory)]].concat()),
        each_file(tree, [created, closed(settings, "directory")].concat()),
        left(tree, vec![on("directory", Operation::Close)]),
    ]
    .concat()
}

fn tree_copied(settings: &Settings, tree: Tree) -> Vec<Step> {
    let made = synced(settings, on("\"NAME\"", Operation::MakeDirectory), "directory");
    let opened = on("\"NAME\"", Operation::OpenDirectory);
    let created = vec![file("\"NAME\"", Operation::Create, CREATE), transfer(Operation::Write, SOURCE_TREE.most())];
    [
        each_directory(tree, [vec![opened.clone()], made, vec![opened]].concat()),
        each_file(tree, [read_whole(), created, closed(settings, "directory")].concat()),
        left(tree, vec![on("directory", Operation::Close), on("directory", Operation::Close)]),
    ]
    .concat()
}

fn searched(tree: Tree) -> Vec<Step> {
    [
        each_directory(tree, vec![on("\"NAME\"", Operation::OpenDirectory)]),
        each_file(tree, read_whole()),
        left(tree, vec![on("directory", Operation::Close)]),
    ]
    .concat()
}

fn deleted(settings: &Settings, tree: Tree, others: u64) -> Vec<Step> {
    let removed = synced(settings, on("\"NAME\"", Operation::RemoveDirectory), "directory");
    let unlinked = synced(settings, on("\"NAME\"", Operation::Unlink), "directory");
    let others = if others == 0 { Vec::new() } else { times(others, unlinked.clone()) };
    [
        each_directory(tree, vec![on("\"NAME\"", Operation::OpenDirectory)]),
        each_file(tree, unlinked),
        left(tree, [vec![on("directory", Operation::Close)], removed].concat()),
        others,
    ]
    .concat()
}

fn read_whole() -> Vec<Step> {
    vec![file("\"NAME\"", Operation::Open, READ), transfer(Operation::Read, SOURCE_TREE.most()), on("file", Operation::Close)]
}

fn each_directory(tree: Tree, steps: Vec<Step>) -> Vec<Step> {
    vec![Step::Times(tree.directories, Some(format!("for each of {} directories, before its files", counted(tree.directories))), steps)]
}

fn each_file(tree: Tree, steps: Vec<Step>) -> Vec<Step> {
    vec![Step::Times(tree.files, Some(format!("for each of {} files, whole in one transfer", counted(tree.files))), steps)]
}

fn left(tree: Tree, steps: Vec<Step>) -> Vec<Step> {
    vec![Step::Times(tree.directories, Some("for each directory, when all in it is done".to_owned()), steps)]
}

/// Transfers of all pieces of the largest files of the library.
fn pieces(settings: &Settings, files: u64, steps: &[Step]) -> Vec<Step> {
    let first = settings.library_files - files;
    let sizes = (first..settings.library_files).map(|place| LIBRARY.size(place, settings.library_files));
    let count = sizes.map(|size| size.div_ceil(settings.chunk_size)).sum();
    vec![Step::Times(count, Some(format!("for each of the {} pieces of these files", counted(count))), steps.to_vec())]
}

fn counted(count: u64) -> String {
    with_thousands(count as f64, 0)
}

/// A file is closed, flushed before where the plan wants that.
fn closed(settings: &Settings, directory: &'static str) -> Vec<Step> {
    match settings.sync {
        SyncAt::End | SyncAt::Open | SyncAt::Dirs => vec![on("file", Operation::Close)],
        SyncAt::Every => vec![on("file", Operation::Sync), on("file", Operation::Close), on(directory, Operation::Sync)],
    }
}

fn closed_both(settings: &Settings, directory: &'static str) -> Vec<Step> {
    [vec![on("file", Operation::Close)], closed(settings, directory)].concat()
}

fn synced(settings: &Settings, step: Step, object: &'static str) -> Vec<Step> {
    match settings.sync {
        SyncAt::End | SyncAt::Open | SyncAt::Dirs => vec![step],
        SyncAt::Every => vec![step, on(object, Operation::Sync)],
    }
}

fn flushed(flush: FlushMethod, made: Tree) -> Vec<Step> {
    if flush == FlushMethod::WholeFilesystem {
        return vec![on("target", Operation::Flush)];
    }
    let directories = |steps| if made.directories == 0 { Vec::new() } else { times(made.directories, steps) };
    [
        directories(vec![on("\"NAME\"", Operation::OpenDirectory)]),
        times(made.files, vec![file("\"NAME\"", Operation::Open, "O_RDWR"), on("file", Operation::Sync), on("file", Operation::Close)]),
        directories(vec![on("directory", Operation::Sync), on("directory", Operation::Close)]),
        vec![on("target", Operation::Sync)],
    ]
    .concat()
}

fn flushed_root(flush: FlushMethod) -> Vec<Step> {
    vec![on("target", if flush == FlushMethod::WholeFilesystem { Operation::Flush } else { Operation::Sync })]
}

fn times(count: u64, steps: Vec<Step>) -> Vec<Step> {
    vec![Step::Times(count, None, steps)]
}

fn on(object: &'static str, operation: Operation) -> Step {
    Step::Call(Call { operation, object, flags: String::new(), length: None })
}

fn file(object: &'static str, operation: Operation, flags: &str) -> Step {
    Step::Call(Call { operation, object, flags: flags.to_owned(), length: None })
}

fn transfer(operation: Operation, length: u64) -> Step {
    Step::Call(Call { operation, object: "file", flags: String::new(), length: Some(length) })
}
