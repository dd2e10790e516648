//! Stat: ask for the status of each file of a set, through symbolic links; a file with content is read and checked too, as Bonnie++ does.

use super::entry::Entry;
use super::error::PhaseError;
use super::file_set::{self, FileSet, Order};
use super::pool::Buffer;
use super::{Job, Moved, Procedure, Survey, Timed};
use crate::model::plan::Plan;
use crate::model::record::Counted;
use crate::model::settings::{Io, Links, Settings};
use crate::target::scratch::FileSetKind;
use crate::target::{Access, Handle, read_exact};
use std::io;

/// Asks for the status of the files of a set, and reads them.
#[derive(Debug)]
pub struct Stat(pub FileSetKind);

impl Procedure for Stat {
    fn survey(&self, job: Job<'_>) -> Result<Survey, PhaseError> {
        file_set::survey(job, self.0)
    }

    fn prepare<'t>(&self, job: Job<'t>, survey: &Survey) -> Result<Timed<'t>, PhaseError> {
        prepare(job, self.0, survey)
    }

    fn work_expected(&self, plan: &Plan) -> Option<u64> {
        Some(plan.settings.files)
    }

    fn moved(&self, plan: &Plan, counted: &Counted) -> Moved {
        Moved { read: file_set::least_metadata(plan, counted.work), checked: plan.settings.file_set_bytes(), ..Moved::default() }
    }

    fn memory_needed(&self, settings: &Settings) -> u64 {
        file_set::memory_needed(settings)
    }
}

/// Makes the names in their order and opens the directories.
fn prepare<'t>(job: Job<'t>, kind: FileSetKind, survey: &Survey) -> Result<Timed<'t>, PhaseError> {
    let settings = &job.plan.settings;
    let set = FileSet::of(settings, kind);
    let order = match kind {
        FileSetKind::Sequential => Order::Index,
        FileSetKind::Random => Order::Shuffled("random_stat order"),
    };
    let stat = |part| {
        let mut visitor = Visitor { job, set, buffer: Buffer::of(settings.file_transfer() as usize) };
        set.work(job, part, move |directory, entry| visitor.visit(directory, entry))
    };
    Ok(Timed::of(set.parts(job.target, order, survey)?.into_iter().map(stat).collect()))
}

struct Visitor<'t> {
    job: Job<'t>,
    set: FileSet,
    buffer: Buffer,
}

impl Visitor<'_> {
    fn visit(&mut self, directory: &Handle, entry: &Entry) -> Result<(), PhaseError> {
        let target = self.job.target;
        let status = match self.job.plan.settings.links {
            Links::None | Links::Hard => target.status(directory, entry.name()),
            Links::Symbolic => target.status_through(directory, entry.name()),
        };
        let size = status.map_err(|source| self.set.failed("stat", entry, source))?;
        let expected = self.set.size(entry.number);
        if size != expected {
            let source = io::Error::other(format!("it has {size} bytes, {expected} were written"));
            return Err(self.set.failed("stat", entry, source));
        }
        if size == 0 { Ok(()) } else { self.read(directory, entry, size) }
    }

    fn read(&mut self, directory: &Handle, entry: &Entry, size: u64) -> Result<(), PhaseError> {
        let (target, set) = (self.job.target, self.set);
        let opened = target.open(directory, entry.name(), Access::Read, Io::Buffered);
        let file = opened.map_err(|source| set.failed("open", entry, source))?;
        let marks = set.marks(self.job.stamps, entry.number);
        let mut offset = 0;
        while offset < size {
            let buffer = self.buffer.bytes();
            let length = (size - offset).min(buffer.len() as u64) as usize;
            let bytes = &mut buffer[..length];
            read_exact(target, &file, bytes, offset).map_err(|source| set.transfer_failed("read", entry, offset, source))?;
            if let Some(place) = marks.first_wrong(bytes, offset) {
                let found = bytes[place..].first_chunk().copied().unwrap_or_default();
                return Err(self.wrong_data(entry, found, offset + place as u64));
            }
            offset += length as u64;
        }
        target.close(file).map_err(|source| set.failed("close", entry, source))
    }

    #[cold]
    fn wrong_data(&self, entry: &Entry, found: [u8; 8], offset: u64) -> PhaseError {
        let set = self.set;
        let files: Vec<(u64, u64)> = (0..set.files() as u32).map(|number| (set.origin(number).file, set.size(number))).collect();
        let found = self.job.stamps.explain(found, offset, set.origin(entry.number), set.duplicates(), &files);
        PhaseError::WrongData { doing: set.doing("read", entry), offset, found }
    }
}
