//! Create: make each file of a set (and write it, when it has content) and close it, or make a link; then flush.

use super::entry::Entry;
use super::error::PhaseError;
use super::file_set::{self, FileSet, Part, flush_filesystem};
use super::file_writer::{FileWriter, flush_file};
use super::links::{LinkSet, Nature, explained};
use super::{Job, Moved, Procedure, Survey, Timed};
use crate::model::plan::Plan;
use crate::model::record::Counted;
use crate::model::settings::{Io, Settings};
use crate::target::scratch::FileSetKind;
use crate::target::{Access, FlushMethod, Handle, Target};

/// Makes the files of a set.
#[derive(Debug)]
pub struct Create(pub FileSetKind);

impl Procedure for Create {
    fn prepare<'t>(&self, job: Job<'t>, _survey: &Survey) -> Result<Timed<'t>, PhaseError> {
        prepare(job, self.0)
    }

    fn work_expected(&self, plan: &Plan) -> Option<u64> {
        Some(plan.settings.files)
    }

    fn moved(&self, _plan: &Plan, counted: &Counted) -> Moved {
        Moved { written: counted.bytes.unwrap_or(0), ..Moved::default() }
    }

    fn memory_needed(&self, settings: &Settings) -> u64 {
        file_set::memory_needed(settings)
    }
}

/// Makes the names, the data and the directories, and flushes the directories.
fn prepare(job: Job<'_>, kind: FileSetKind) -> Result<Timed<'_>, PhaseError> {
    let set = FileSet::of(&job.plan.settings, kind);
    let target = job.target;
    let parts = set.new_parts(target)?;
    flush_filesystem(target)?;
    let create = |(worker, part): (u64, Part)| {
        let mut maker = Maker::of(job, set, worker, set.links(&part.entries));
        set.work(job, part, move |directory, entry| maker.make(directory, entry))
    };
    let workers = (0..).zip(parts.iter().cloned()).map(create).collect();
    let flush = move || match target.flush_method() {
        FlushMethod::WholeFilesystem => flush_filesystem(target),
        FlushMethod::EachFile => parts.iter().try_for_each(|part| flush_each(target, set, part)),
    };
    Ok(Timed::of(workers).flushed_by(flush))
}

/// Makes files, with content where they have any, and links.
struct Maker<'t> {
    job: Job<'t>,
    set: FileSet,
    writer: FileWriter<'t>,
    links: LinkSet,
}

impl<'t> Maker<'t> {
    fn of(job: Job<'t>, set: FileSet, worker: u64, links: LinkSet) -> Self {
        Self { job, set, writer: FileWriter::of(job, set, worker), links }
    }

    /// Gives the bytes that were written.
    fn make(&mut self, directory: &Handle, entry: &Entry) -> Result<u64, PhaseError> {
        let (set, target) = (self.set, self.job.target);
        let mut written = 0;
        match self.links.nature(entry) {
            Nature::File => written = self.make_file(directory, entry)?,
            Nature::HardLink(file) => {
                let linked = target.make_hard_link(directory, file.name(), entry.name());
                linked.map_err(|source| set.failed("make the hard link", entry, explained(source, "hard links")))?;
            }
            Nature::SymbolicLink(file) => {
                let linked = target.make_symbolic_link(directory, file.name(), entry.name());
                linked.map_err(|source| set.failed("make the symbolic link", entry, explained(source, "symbolic links")))?;
            }
        }
        set.sync_change(self.job, directory, entry)?;
        Ok(written)
    }

    fn make_file(&mut self, directory: &Handle, entry: &Entry) -> Result<u64, PhaseError> {
        let opened = self.job.target.open(directory, entry.name(), Access::CreateNew, Io::Buffered);
        let file = opened.map_err(|source| self.set.failed("create", entry, source))?;
        self.writer.write_and_close(file, entry)
    }
}

fn flush_each(target: &dyn Target, set: FileSet, part: &Part) -> Result<(), PhaseError> {
    let links = set.links(&part.entries);
    // A link has nothing to flush but its name, which is the directory's.
    for entry in part.entries.iter().filter(|entry| matches!(links.nature(entry), Nature::File)) {
        flush_file(target, set, part.directory_of(set, entry), entry)?;
    }
    set.flush_directories(target, part)
}
