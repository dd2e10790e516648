//! A plain directory as ground: a scratch directory in it for each run; caches are emptied by advice, by dropping them where the
//! rights suffice, and by a command of the user's.

use super::below::Below;
use super::emptying::{empty_scratch, remove_empty_scratch};
use super::ground::{Cold, Counters, Ground, GroundError, Site, plain_error};
use super::marker;
use super::real::RealTarget;
use super::scratch::{marker_words, scratch_name};
use super::{Access, Target, read_exact};
use crate::model::identity::Identity;
use crate::model::machine::FilesystemClass;
use crate::model::plan::{CacheState, DropCaches};
use crate::model::record::Preparation;
use crate::model::settings::Io;
use crate::model::stack::Stack;
use crate::sys::caches::{DropError, Dropper};
use crate::sys::command::{self, CommandError};
use crate::sys::living::SignOfLife;
use crate::sys::{files, process};
use std::ffi::{CStr, CString, OsStr};
use std::fs::File;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// Tries to evict a file: the advice skips pages that are still being written.
const EVICTIONS: u32 = 3;
/// Tries to make a scratch directory beside somebody who cleans up.
const MOST_TRIES: u32 = 20;
/// The longest that the user's command may take.
const COMMAND_LIMIT: Duration = Duration::from_secs(600);
/// Bytes that are read at a time to warm a file.
const WARMING_BYTES: usize = 1 << 20;

/// A directory that the user named.
#[derive(Debug)]
pub struct PlainGround {
    path: PathBuf,
    directory: File,
    site: Site,
    stop: Arc<AtomicBool>,
    taken: Option<Scratch>,
    below: Below,
    dropper: Arc<Dropper>,
    /// A scratch directory that is out of reach, or could not be used nor removed, and why.
    lost: Option<String>,
}

#[derive(Debug)]
struct Scratch {
    name: CString,
    nonce: u64,
    place: PathBuf,
    directory: File,
    /// Locked while it lives, so that nobody takes the scratch directory for a dead one's.
    marker: Option<File>,
    target: RealTarget,
}

impl PlainGround {
    /// The ground of an open directory, which lies at `path`.
    #[must_use]
    pub fn of(directory: File, path: PathBuf, site: Site) -> Self {
        let dropper = Arc::new(Dropper::of_this_process());
        Self { path, directory, site, stop: Arc::default(), taken: None, below: Below::default(), dropper, lost: None }
    }

    /// The same, whose user's command ends early when this becomes true.
    #[must_use]
    pub fn stopped_by(mut self, stop: Arc<AtomicBool>) -> Self {
        self.stop = stop;
        self
    }

    /// The same, where somebody else than this process drops the system's caches.
    #[must_use]
    pub fn dropping_by(mut self, dropper: Arc<Dropper>) -> Self {
        self.dropper = dropper;
        self
    }

    fn path_of(&self, name: &CStr) -> PathBuf {
        self.path.join(OsStr::from_bytes(name.to_bytes()))
    }

    fn make_scratch(&mut self, nonce: u64, batch: u64) -> Result<Scratch, GroundError> {
        let name = scratch_name(nonce);
        let mut tries = 0;
        loop {
            tries += 1;
            files::make_directory(&self.directory, &name).map_err(failed("make", &name))?;
            let made = self.open_scratch(&name, nonce, |directory| mark(directory, nonce, batch));
            if made.is_err() {
                self.take_away(&name);
            }
            match made {
                // A `barrow clean` that came before the lock took it for a dead run's.
                Err(GroundError::Call { source, .. }) if tries < MOST_TRIES && was_cleaned(&source) => {}
                other => return other,
            }
        }
    }

    /// Removes a scratch directory that was made, but could not be used. Only an empty one goes: nobody else's files can be lost.
    fn take_away(&mut self, name: &CStr) {
        match files::remove_directory(&self.directory, name) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                self.lost = Some(format!("{}: {}", self.path_of(name).display(), plain_error(&error)));
            }
            Ok(()) | Err(_) => self.lost = None,
        }
    }

    fn open_scratch(&self, name: &CStr, nonce: u64, look_or_make: impl FnOnce(&File) -> io::Result<File>) -> Result<Scratch, GroundError> {
        let directory = files::open_directory(&self.directory, name).map_err(failed("open", name))?;
        let status = files::status_of(&directory).map_err(failed("look at", name))?;
        // Filesystems without modes of their own (vfat, ntfs) show others; the owner is what an intruder cannot have.
        if status.owner != process::effective_user() {
            return Err(GroundError::Changed(format!("{} is no longer the directory that barrow made", name.to_string_lossy())));
        }
        let again = directory.try_clone().map_err(failed("open", name))?;
        // The last that can fail: an empty directory can be removed again.
        let marker = look_or_make(&directory).map_err(failed("mark", name))?;
        Ok(Scratch {
            name: name.to_owned(),
            nonce,
            place: self.path_of(name),
            directory,
            marker: Some(marker),
            target: RealTarget::of(again, self.site.filesystem.class),
        })
    }

    /// Removes a scratch directory with everything that barrow made in it. Names what is left and why.
    fn remove(&self, scratch: &Scratch) -> Vec<String> {
        let mut left = empty_scratch(&scratch.directory, &scratch.place);
        if left.is_empty() {
            left.extend(remove_empty_scratch(&self.directory, &scratch.name, &scratch.directory, &scratch.place));
        }
        left
    }

    /// Runs the user's command, which may unmount the filesystem. Gives the nanoseconds that it took.
    fn run_command(&mut self, command: &str) -> Result<u64, GroundError> {
        let (path, stop) = (self.path.clone(), Arc::clone(&self.stop));
        self.away(|| {
            let begun = Instant::now();
            match command::run(command, &path, COMMAND_LIMIT, &stop) {
                Ok(()) => Ok(begun.elapsed().as_nanos() as u64),
                Err(CommandError::Stopped) => Err(GroundError::Stopped),
                Err(error) => Err(GroundError::Changed(format!("the command of --prepare: {error}"))),
            }
        })
    }

    /// Does something while nothing is open on the filesystem, which so may be unmounted; then takes the scratch directory again,
    /// whatever was done.
    ///
    /// # Errors
    /// As what is done; when the scratch directory is not there again after it.
    pub fn away<T>(&mut self, act: impl FnOnce() -> Result<T, GroundError>) -> Result<T, GroundError> {
        let Some(scratch) = self.taken.take() else {
            return Err(GroundError::Changed("no scratch directory was made".to_owned()));
        };
        let (name, nonce, place) = (scratch.name.clone(), scratch.nonce, scratch.place.clone());
        // Without the lock on its marker the scratch directory would look like a dead run's.
        let _sign = SignOfLife::show(nonce);
        drop(scratch);
        self.let_go()?;
        let done = act();
        let again = self.take_again(&name, nonce).inspect_err(|error| self.lost = Some(format!("{}: {error}", place.display())));
        // Why something was not done also tells why the directory is not there.
        let done = done?;
        again.map(|()| done)
    }

    /// Keeps nothing open on the filesystem but the root of all, in place of the directory.
    fn let_go(&mut self) -> Result<(), GroundError> {
        self.directory = files::open_directory_path(Path::new("/")).map_err(failed("leave", c"that is measured"))?;
        Ok(())
    }

    fn take_again(&mut self, name: &CStr, nonce: u64) -> Result<(), GroundError> {
        self.directory = files::open_directory_path(&self.path).map_err(failed("come back to", name))?;
        self.taken = Some(self.open_scratch(name, nonce, |directory| marker::find(directory, nonce))?);
        self.below = Below::of(&self.directory);
        Ok(())
    }
}

/// A failed call on the scratch directory.
fn failed(verb: &str, name: &CStr) -> impl FnOnce(io::Error) -> GroundError {
    let doing = format!("{verb} the directory {}", name.to_string_lossy());
    move |source| GroundError::Call { doing, source }
}

/// A failed call on a block file, which was to be made cold or warm.
fn cold_failed(verb: &str, name: &CStr) -> impl FnOnce(io::Error) -> GroundError {
    let doing = format!("{verb} {} before the phase", name.to_string_lossy());
    move |source| GroundError::Call { doing, source }
}

/// Whether a call failed because somebody removed what had just been made, or was about to.
fn was_cleaned(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::WouldBlock)
}

/// Marks the directory that was just made. Where others can change names, it may be another one: that holds something, or its owner
/// is another one.
fn mark(directory: &File, nonce: u64, batch: u64) -> io::Result<File> {
    if !files::is_empty(directory)? {
        return Err(io::Error::other("somebody put another one in its place"));
    }
    files::make_private(directory)?;
    marker::write(directory, &marker_words(env!("CARGO_PKG_VERSION"), Identity(batch), Identity(nonce)))
}

impl Ground for PlainGround {
    fn take(&mut self, nonce: u64, batch: u64) -> Result<(), GroundError> {
        self.taken = Some(self.make_scratch(nonce, batch)?);
        self.below = Below::of(&self.directory);
        Ok(())
    }

    fn target(&self) -> Result<&dyn Target, GroundError> {
        match &self.taken {
            Some(scratch) => Ok(&scratch.target),
            None => Err(GroundError::Changed("the scratch directory is out of reach".to_owned())),
        }
    }

    fn make_cold(&mut self, cold: &Cold<'_>) -> Result<Preparation, GroundError> {
        let target = self.target()?;
        target.flush().map_err(|source| GroundError::Call { doing: "flush before the phase".to_owned(), source })?;
        let mut preparation = Preparation { flushed: true, ..Preparation::default() };
        match cold.circumstances.cache {
            CacheState::Warm => {
                preparation.warmed = true;
                for file in cold.files {
                    warm(target, file).map_err(cold_failed("warm", file))?;
                }
            }
            CacheState::Cold => {
                for file in cold.files {
                    preparation.evicted |= evict(target, file).map_err(cold_failed("flush", file))?;
                }
                drop_caches(cold.circumstances.drop_caches, &self.dropper, &mut preparation);
                if let Some(command) = &cold.circumstances.prepare {
                    preparation.command_ns = Some(self.run_command(command)?);
                }
            }
        }
        Ok(preparation)
    }

    fn give_back(&mut self) -> Vec<String> {
        let mut left: Vec<String> = self.lost.take().into_iter().collect();
        let Some(mut scratch) = self.taken.take() else {
            return left;
        };
        if self.site.filesystem.class == FilesystemClass::Fuse {
            // libfuse hides an open file that is removed under another name, which keeps its directory from being removed.
            scratch.marker = None;
        }
        let mut refused = self.remove(&scratch);
        if !refused.is_empty() {
            // A server that has just lost a handle, or hides a file that is still open, may do it now.
            refused = self.remove(&scratch);
        }
        left.extend(refused);
        left
    }

    fn site(&self) -> &Site {
        &self.site
    }

    fn stack(&self) -> &Stack {
        self.below.stack()
    }

    fn counters(&self) -> Counters {
        self.below.counters()
    }

    fn wait(&self, time: Duration) {
        std::thread::sleep(time);
    }

    fn place_of(&self, nonce: u64) -> String {
        self.path_of(&scratch_name(nonce)).display().to_string()
    }

    fn directory(&self) -> String {
        self.path.display().to_string()
    }

    fn scratch(&self) -> Option<String> {
        self.taken.as_ref().map(|scratch| scratch.place.display().to_string())
    }
}

/// Drops the system's caches where that is wished and allowed, and notes what was done.
pub(super) fn drop_caches(wish: DropCaches, dropper: &Dropper, preparation: &mut Preparation) {
    let hindrance = match wish {
        DropCaches::Never => Some("--drop-caches never".to_owned()),
        DropCaches::Auto => match dropper.drop_caches() {
            Ok(drops) => {
                preparation.drops = drops;
                None
            }
            Err(DropError::NotAllowed(reason)) => Some(reason),
            Err(DropError::Failed(error)) => Some(format!("caches cannot be dropped: {}", plain_error(&error))),
        },
    };
    preparation.hindrance = hindrance;
}

/// Reads a file from start to end, so that it lies in memory.
fn warm(target: &dyn Target, name: &CStr) -> io::Result<()> {
    let size = target.status(target.root(), name)?;
    let file = target.open(target.root(), name, Access::Read, Io::Buffered)?;
    let mut buffer = vec![0; WARMING_BYTES];
    let mut offset = 0;
    while offset < size {
        let length = (size - offset).min(WARMING_BYTES as u64) as usize;
        read_exact(target, &file, &mut buffer[..length], offset)?;
        offset += length as u64;
    }
    Ok(())
}

/// Evicts a file until nothing of it is in memory; whether the advice was taken at all. Proof is the residency that is read later.
///
/// # Errors
/// When the file's data cannot be flushed, which is never only a hindrance.
fn evict(target: &dyn Target, name: &CStr) -> io::Result<bool> {
    let Ok(file) = target.open(target.root(), name, Access::Read, Io::Buffered) else {
        return Ok(false);
    };
    for _ in 0..EVICTIONS {
        target.sync(&file)?;
        if target.evict(&file).is_err() {
            return Ok(false);
        }
        if target.residency(&file).is_ok_and(|residency| residency.resident_pages == 0) {
            break;
        }
    }
    Ok(true)
}

impl Drop for PlainGround {
    fn drop(&mut self) {
        // On a panic there is nobody left to tell what could not be removed; `barrow clean` finds it.
        let _ = self.give_back();
    }
}
