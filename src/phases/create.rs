//! Create: make each file of a set (and write it, when it has content) and close it, or make a link; then flush.

use super::content::Content;
use super::entry::Entry;
use super::error::PhaseError;
use super::file_set::{self, FileSet, Part, flush_filesystem};
use super::links::{LinkSet, Nature, explained};
use super::{Job, Moved, Procedure, Survey, Timed};
use crate::model::plan::Plan;
use crate::model::record::Counted;
use crate::model::settings::{Io, Settings, SyncAt};
use crate::target::scratch::FileSetKind;
use crate::target::{Access, FlushMethod, Handle, Target, write_all};

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

    fn moved(&self, plan: &Plan, _counted: &Counted) -> Moved {
        Moved { written: plan.settings.file_set_bytes(), ..Moved::default() }
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

/// Makes files, with content where they have any. They are small, so they go through the page cache whatever `io` says.
struct Maker<'t> {
    job: Job<'t>,
    set: FileSet,
    chunk_size: usize,
    content: Option<Content>,
    links: LinkSet,
}

impl<'t> Maker<'t> {
    fn of(job: Job<'t>, set: FileSet, worker: u64, links: LinkSet) -> Self {
        let settings = &job.plan.settings;
        let chunk_size = settings.file_transfer() as usize;
        let content = (chunk_size > 0).then(|| Content::of(settings, job.stamps.nonce, worker, chunk_size));
        Self { job, set, chunk_size, content, links }
    }

    fn make(&mut self, directory: &Handle, entry: &Entry) -> Result<(), PhaseError> {
        let (set, target) = (self.set, self.job.target);
        match self.links.nature(entry) {
            Nature::File => self.make_file(directory, entry)?,
            Nature::HardLink(file) => {
                let linked = target.make_hard_link(directory, file.name(), entry.name());
                linked.map_err(|source| set.failed("make the hard link", entry, explained(source, "hard links")))?;
            }
            Nature::SymbolicLink(file) => {
                let linked = target.make_symbolic_link(directory, file.name(), entry.name());
                linked.map_err(|source| set.failed("make the symbolic link", entry, explained(source, "symbolic links")))?;
            }
        }
        set.sync_change(self.job, directory, entry)
    }

    fn make_file(&mut self, directory: &Handle, entry: &Entry) -> Result<(), PhaseError> {
        let target = self.job.target;
        let opened = target.open(directory, entry.name(), Access::CreateNew, Io::Buffered);
        let file = opened.map_err(|source| self.set.failed("create", entry, source))?;
        if let Some(content) = &mut self.content {
            let marks = self.set.marks(self.job.stamps, entry.number);
            let size = self.set.size(entry.number);
            let mut offset = 0;
            while offset < size {
                let length = (size - offset).min(self.chunk_size as u64) as usize;
                let bytes = content.next(&marks, offset, length);
                write_all(target, &file, bytes, offset).map_err(|source| self.set.transfer_failed("write", entry, offset, source))?;
                offset += bytes.len() as u64;
            }
        }
        if self.job.plan.settings.sync == SyncAt::Every {
            target.sync(&file).map_err(|source| self.set.failed("flush", entry, source))?;
        }
        target.close(file).map_err(|source| self.set.failed("close", entry, source))
    }
}

fn flush_each(target: &dyn Target, set: FileSet, part: &Part) -> Result<(), PhaseError> {
    let links = set.links(&part.entries);
    // A link has nothing to flush but its name, which is the directory's.
    for entry in part.entries.iter().filter(|entry| matches!(links.nature(entry), Nature::File)) {
        let file = target.open(part.directory_of(set, entry), entry.name(), Access::ReadWrite, Io::Buffered);
        let flushed = file.and_then(|file| target.sync(&file).and_then(|()| target.close(file)));
        flushed.map_err(|source| set.failed("flush", entry, source))?;
    }
    set.flush_directories(target, part)
}
