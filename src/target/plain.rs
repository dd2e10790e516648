//! A plain directory as ground: a scratch directory in it for each run, caches emptied by advice and, for root, by dropping them.

use super::clean::empty_scratch;
use super::ground::{Cold, Ground, GroundError, plain_error};
use super::real::RealTarget;
use super::scratch::{MARKER, scratch_name};
use super::{Access, Target};
use crate::model::identity::Identity;
use crate::model::machine::FilesystemClass;
use crate::model::plan::DropCaches;
use crate::model::record::Preparation;
use crate::model::settings::Io;
use crate::sys::{caches, files, process};
use std::ffi::{CStr, CString, OsStr};
use std::fs::File;
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// Tries to evict a file: the advice skips pages that are still being written.
const EVICTIONS: u32 = 3;

/// A directory that the user named.
#[derive(Debug)]
pub struct PlainGround {
    path: PathBuf,
    directory: File,
    class: FilesystemClass,
    taken: Option<Scratch>,
}

#[derive(Debug)]
struct Scratch {
    name: CString,
    place: PathBuf,
    directory: File,
    /// Locked while it lives, so that nobody takes the scratch directory for a dead one's.
    _marker: File,
    target: RealTarget,
}

impl PlainGround {
    /// The ground of an open directory; `path` is for messages.
    #[must_use]
    pub const fn of(directory: File, path: PathBuf, class: FilesystemClass) -> Self {
        Self { path, directory, class, taken: None }
    }

    fn make_scratch(&self, nonce: u64, batch: u64) -> Result<Scratch, GroundError> {
        let name = scratch_name(nonce);
        files::make_directory(&self.directory, &name).map_err(failed("make", &name))?;
        let made = self.open_scratch(&name, nonce, batch);
        if made.is_err() {
            // Only an empty directory goes: nobody else's files can be lost.
            let _ = files::remove_directory(&self.directory, &name);
        }
        made
    }

    fn open_scratch(&self, name: &CStr, nonce: u64, batch: u64) -> Result<Scratch, GroundError> {
        let directory = files::open_directory(&self.directory, name).map_err(failed("open", name))?;
        let status = files::status_of(&directory).map_err(failed("look at", name))?;
        if status.owner != process::effective_user() || status.mode & 0o077 != 0 {
            return Err(GroundError::Changed(format!("{} is no longer the directory that barrow made", name.to_string_lossy())));
        }
        let marker = write_marker(&directory, nonce, batch).map_err(failed("mark", name))?;
        let again = directory.try_clone().map_err(failed("open", name))?;
        let place = self.path.join(OsStr::from_bytes(name.to_bytes()));
        Ok(Scratch { name: name.to_owned(), place, directory, _marker: marker, target: RealTarget::of(again, self.class) })
    }
}

/// A failed call on the scratch directory.
fn failed(verb: &str, name: &CStr) -> impl FnOnce(io::Error) -> GroundError {
    let doing = format!("{verb} the directory {}", name.to_string_lossy());
    move |source| GroundError::Call { doing, source }
}

fn write_marker(directory: &File, nonce: u64, batch: u64) -> io::Result<File> {
    let mut marker = files::open_file(directory, MARKER, Access::CreateNew, false)?;
    let written = marker
        .try_lock()
        .map_err(io::Error::from)
        .and_then(|()| writeln!(marker, "barrow {} batch {} nonce {}", env!("CARGO_PKG_VERSION"), Identity(batch), Identity(nonce)));
    match written {
        Ok(()) => Ok(marker),
        Err(error) => {
            // The directory must be empty for its removal; the error that matters is the one above.
            let _ = files::unlink(directory, MARKER);
            Err(error)
        }
    }
}

impl Ground for PlainGround {
    fn take(&mut self, nonce: u64, batch: u64) -> Result<(), GroundError> {
        self.taken = Some(self.make_scratch(nonce, batch)?);
        Ok(())
    }

    fn target(&self) -> Result<&dyn Target, GroundError> {
        match &self.taken {
            Some(scratch) => Ok(&scratch.target),
            None => Err(GroundError::Changed("no scratch directory was made".to_owned())),
        }
    }

    fn make_cold(&mut self, cold: &Cold<'_>) -> Result<Preparation, GroundError> {
        let target = self.target()?;
        target.flush().map_err(|source| GroundError::Call { doing: "flush before the phase".to_owned(), source })?;
        let mut preparation = Preparation { flushed: true, ..Preparation::default() };
        for file in cold.files {
            preparation.evicted |= evict(target, file);
        }
        match cold.drop_caches {
            DropCaches::Never => preparation.hindrance = Some("--drop-caches never".to_owned()),
            DropCaches::Auto if !process::is_root() => preparation.hindrance = Some("not root".to_owned()),
            DropCaches::Auto => match caches::drop_system_caches() {
                Ok(drops) => preparation.drops = drops,
                Err(error) => preparation.hindrance = Some(format!("caches cannot be dropped: {}", plain_error(&error))),
            },
        }
        Ok(preparation)
    }

    fn give_back(&mut self) -> Vec<String> {
        let Some(scratch) = self.taken.take() else {
            return Vec::new();
        };
        let mut left = empty_scratch(&scratch.directory, &scratch.place);
        if left.is_empty()
            && let Err(error) = files::remove_directory(&self.directory, &scratch.name)
            && error.kind() != io::ErrorKind::NotFound
        {
            left.push(format!("{}: {}", scratch.place.display(), plain_error(&error)));
        }
        left
    }

    fn directory(&self) -> String {
        self.path.display().to_string()
    }

    fn scratch(&self) -> Option<String> {
        self.taken.as_ref().map(|scratch| scratch.place.display().to_string())
    }
}

/// Evicts a file until nothing of it is in memory; whether the advice was taken at all. Proof is the residency that is read later.
fn evict(target: &dyn Target, name: &CString) -> bool {
    let Ok(file) = target.open(target.root(), name, Access::Read, Io::Buffered) else {
        return false;
    };
    for _ in 0..EVICTIONS {
        let asked = target.sync(&file).and_then(|()| target.evict(&file));
        if asked.is_err() {
            return false;
        }
        if target.residency(&file).is_ok_and(|residency| residency.resident_pages == 0) {
            break;
        }
    }
    true
}

impl Drop for PlainGround {
    fn drop(&mut self) {
        // On a panic there is nobody left to tell what could not be removed; `barrow clean` finds it.
        let _ = self.give_back();
    }
}
