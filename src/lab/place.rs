//! The place where a filesystem is mounted: mounted, unmounted, and said who keeps it from being unmounted.

use super::storage::Storage;
use super::variant::Variant;
use super::words::{joined_options, without_paths};
use crate::sys::command::{self, CommandError};
use crate::sys::mounting::{unmount, unmount_when_unused};
use crate::sys::mounts::{self, Mount};
use crate::sys::{files, users};
use crate::target::ground::{GroundError, plain_error};
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The longest that mounting may take: a journal may have to be read.
const MOUNT_LIMIT: Duration = Duration::from_secs(600);
/// How long a place may be in use when it is to be unmounted.
const PATIENCE: Duration = Duration::from_secs(10);
const LOOK: Duration = Duration::from_millis(10);

/// Where a variant is mounted, and how.
#[derive(Debug)]
pub struct Place {
    storage: Arc<Storage>,
    kind: String,
    options: String,
    /// The number of the filesystem that is mounted, by which its other mounts are known; `None` when none is.
    mounted: Option<String>,
}

impl Place {
    /// The place of a variant, where nothing is mounted yet.
    #[must_use]
    pub fn of(variant: &Variant, storage: Arc<Storage>) -> Self {
        let options = joined_options(&variant.fixed_mount_options, &variant.mount_options);
        Self { storage, kind: variant.kind.clone(), options, mounted: None }
    }

    /// Its path.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.storage.place()
    }

    /// Whether something is mounted there.
    #[must_use]
    pub const fn is_mounted(&self) -> bool {
        self.mounted.is_some()
    }

    /// Mounts. Gives the time that it took.
    ///
    /// # Errors
    /// With the words of mount(8); when the run is to stop.
    pub fn mount(&mut self, stop: &AtomicBool) -> Result<Duration, GroundError> {
        if stop.load(Ordering::Relaxed) {
            return Err(GroundError::Stopped);
        }
        let device = self.storage.devices().first().map(|device| device.to_string_lossy().into_owned()).unwrap_or_default();
        let place = self.path().to_string_lossy().into_owned();
        let words = ["mount", "-t", &self.kind, "-o", &self.options, &device, &place].map(str::to_owned);
        let begun = Instant::now();
        let done = command::program(&words, MOUNT_LIMIT, stop);
        let took = begun.elapsed();
        // It may have been mounted before the program was ended, so it is looked at in any case.
        let seen = self.seen();
        self.mounted = seen.as_ref().ok().map(|mount| mount.device_number.clone());
        match done {
            Err(CommandError::Stopped) => Err(GroundError::Stopped),
            Err(error @ CommandError::NotStarted(_)) => Err(GroundError::Changed(format!("mount: {error}; it belongs to util-linux"))),
            Err(error @ (CommandError::Failed { .. } | CommandError::TooLong(_))) => {
                Err(GroundError::Changed(self.refused(&error.to_string())))
            }
            Ok(_) => seen.map(|_| took).map_err(|error| GroundError::Changed(self.refused(&plain_error(&error)))),
        }
    }

    fn refused(&self, why: &str) -> String {
        let why = without_paths(why, self.storage.devices(), self.path());
        let why = why.trim_end_matches('.');
        format!(
            "mount -t {} -o {} {{device}}: {why}; nothing stays mounted; see whether this kernel takes these mount options, and whether you may mount here (a container may not)",
            self.kind, self.options
        )
    }

    /// What is mounted at the place itself.
    fn seen(&self) -> io::Result<Mount> {
        let mount = mounts::mount_of(&files::open_directory_path(self.path())?)?;
        if mount.mount_point == self.path() { Ok(mount) } else { Err(io::Error::other("it ended well, but nothing is mounted there")) }
    }

    /// The directory of the filesystem that was mounted, open.
    ///
    /// # Errors
    /// When it cannot be opened, or something else is there by now: whoever has the rights can unmount it, and what lies below is the
    /// user's.
    pub fn directory(&self) -> io::Result<File> {
        let directory = files::open_directory_path(self.path())?;
        let mount = mounts::mount_of(&directory)?;
        let is_ours = mount.mount_point == self.path() && Some(&mount.device_number) == self.mounted.as_ref();
        if is_ours { Ok(directory) } else { Err(io::Error::other("somebody unmounted it meanwhile")) }
    }

    /// Unmounts the filesystem wherever this process sees it, and waits until its devices are free: a process that serves it may write
    /// for a moment. Gives the time that it took.
    ///
    /// # Errors
    /// Who uses it, when that does not change for ten seconds; then it stays mounted.
    pub fn unmount(&mut self) -> Result<Duration, GroundError> {
        let begun = Instant::now();
        while let Err(error) = self.unmount_once() {
            if error.kind() != io::ErrorKind::ResourceBusy || begun.elapsed() > PATIENCE {
                return Err(GroundError::Changed(format!("unmount {}: {}{}", self.storage.name(), plain_error(&error), self.users())));
            }
            std::thread::sleep(LOOK);
        }
        self.mounted = None;
        self.storage.wait_until_free()?;
        Ok(begun.elapsed())
    }

    fn unmount_once(&self) -> io::Result<()> {
        // What covers a place comes after what it covers; what others mounted below it keeps it busy too.
        for mount in mounts::all()?.iter().rev().filter(|mount| self.is_ours(mount)) {
            match unmount(&mount.mount_point) {
                // It went with another one.
                Err(error) if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::NotFound) => {}
                other => other?,
            }
        }
        Ok(())
    }

    fn is_ours(&self, mount: &Mount) -> bool {
        mount.mount_point.starts_with(self.path()) || self.mounted.as_ref() == Some(&mount.device_number)
    }

    fn users(&self) -> String {
        let users: Vec<String> = users::of_path(self.path()).iter().map(ToString::to_string).collect();
        if users.is_empty() { String::new() } else { format!("; it is used by {}, which must end or leave it", users.join(", ")) }
    }

    /// Takes what is mounted out of sight, though it is still used; the kernel unmounts it when it is not. Says so.
    pub fn abandon(&mut self) -> String {
        let users = self.users();
        let all = mounts::all().unwrap_or_default();
        for mount in all.iter().rev().filter(|mount| self.is_ours(mount)) {
            // One that is not there any more need not be taken away.
            let _ = unmount_when_unused(&mount.mount_point);
        }
        self.mounted = None;
        format!("{}: in use, so it is unmounted only when nobody uses it any more{users}", self.path().display())
    }
}
