//! File rewrite: open each file of a tenth of a set in a random order, cut it to nothing, write it anew with another size and close it;
//! then flush.

use super::entry::Entry;
use super::error::PhaseError;
use super::file_set::{self, FileSet, Order, Part, Tenth, flush_filesystem};
use super::file_writer::{FileWriter, flush_file};
use super::{Job, Moved, Procedure, Survey, Timed};
use crate::model::plan::Plan;
use crate::model::record::Counted;
use crate::model::settings::{Io, Settings};
use crate::target::scratch::FileSetKind;
use crate::target::{Access, FlushMethod, Handle};

/// Writes a tenth of the files of a set anew.
#[derive(Debug)]
pub struct FileRewrite;

impl Procedure for FileRewrite {
    fn prepare<'t>(&self, job: Job<'t>, _survey: &Survey) -> Result<Timed<'t>, PhaseError> {
        let target = job.target;
        let set = FileSet::of(&job.plan.settings, FileSetKind::Sequential).rewritten();
        let parts = set.parts_of(Tenth::Rewritten, target, Order::Shuffled("file_rewrite order"))?;
        let rewrite = |(worker, part): (u64, Part)| {
            let mut writer = FileWriter::of(job, set, worker);
            set.work(job, part, move |directory, entry| writer.write_and_close(emptied(job, set, directory, entry)?, entry))
        };
        let workers = (0..).zip(parts.iter().cloned()).map(rewrite).collect();
        let flush = move || match target.flush_method() {
            FlushMethod::WholeFilesystem => flush_filesystem(target),
            // No name was made or removed, so that the directories have nothing to flush.
            FlushMethod::EachFile => parts.iter().try_for_each(|part| {
                part.entries.iter().try_for_each(|entry| flush_file(target, set, part.directory_of(set, entry), entry))
            }),
        };
        Ok(Timed::of(workers).flushed_by(flush))
    }

    fn work_expected(&self, plan: &Plan) -> Option<u64> {
        Some(Tenth::Rewritten.count(plan.settings.files))
    }

    fn moved(&self, plan: &Plan, counted: &Counted) -> Moved {
        let read = file_set::least_metadata(plan, counted.work);
        Moved { read, written: counted.bytes.unwrap_or(0), ..Moved::default() }
    }

    fn memory_needed(&self, settings: &Settings) -> u64 {
        file_set::memory_needed(settings)
    }
}

/// Opens a file and cuts it to nothing, as a program does that saves a document under its own name.
fn emptied(job: Job<'_>, set: FileSet, directory: &Handle, entry: &Entry) -> Result<Handle, PhaseError> {
    let opened = job.target.open(directory, entry.name(), Access::ReadWrite, Io::Buffered);
    let file = opened.map_err(|source| set.failed("open", entry, source))?;
    job.target.set_length(&file, 0).map_err(|source| set.failed("truncate", entry, source))?;
    Ok(file)
}
