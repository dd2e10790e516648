//! The ground of a variant: a filesystem is made for each run, mounted, unmounted and mounted again before what starts cold, and taken
//! away when the run ends.

use super::occupancy::{fill, layout_of, space_of};
use super::place::Place;
use super::programs::Programs;
use super::storage::Storage;
use super::variant::Variant;
use super::words::one_line;
use crate::model::machine::{DirectIo, FilesystemClass};
use crate::model::making::Making;
use crate::model::phase::Phase;
use crate::model::plan::CacheState;
use crate::model::record::Preparation;
use crate::model::stack::Stack;
use crate::sys::caches::Dropper;
use crate::sys::{files, mounts};
use crate::target::Target;
use crate::target::below::Below;
use crate::target::ground::{Cold, Counters, Ground, GroundError, Site, plain_error};
use crate::target::plain::PlainGround;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// What is seen of a filesystem that was made only to be looked at.
#[derive(Debug)]
pub struct Rehearsed<'a> {
    /// Its directory, open. No copy of it may be kept: it would keep it from being unmounted.
    pub directory: &'a File,
    /// The path to it.
    pub path: &'a Path,
    /// What is known of it.
    pub site: &'a Site,
    /// The devices below it, which outlast it.
    pub below: Below,
}

/// A variant on its storage.
#[derive(Debug)]
pub struct LabGround {
    variant: Variant,
    storage: Arc<Storage>,
    stop: Arc<AtomicBool>,
    place: Place,
    dropper: Arc<Dropper>,
    direct_io: Option<DirectIo>,
    is_filling: bool,
    /// The filesystem that was made, as a directory like any other.
    inner: Option<PlainGround>,
    site: Site,
    /// The devices below, where no filesystem is made.
    no_stack: Stack,
    /// What was learned of the programs of the variant, once.
    known: Option<Known>,
    making: Option<Making>,
    fault: Option<String>,
}

/// What does not change from run to run.
#[derive(Debug, Clone)]
struct Known {
    version: Option<String>,
    features: Vec<String>,
}

impl LabGround {
    /// The ground of a variant; `stop` ends its programs early, but never an unmounting.
    #[must_use]
    pub fn of(variant: Variant, storage: Arc<Storage>, stop: Arc<AtomicBool>) -> Self {
        Self {
            place: Place::of(&variant, Arc::clone(&storage)),
            variant,
            storage,
            stop,
            dropper: Arc::new(Dropper::of_this_process()),
            direct_io: None,
            is_filling: false,
            inner: None,
            site: Site::default(),
            no_stack: Stack::default(),
            known: None,
            making: None,
            fault: None,
        }
    }

    /// The same, where somebody else than this process drops the system's caches.
    #[must_use]
    pub fn dropping_by(mut self, dropper: Arc<Dropper>) -> Self {
        self.dropper = dropper;
        self
    }

    /// The same, where direct I/O must be aligned so.
    #[must_use]
    pub fn with_direct_io(mut self, direct_io: Option<DirectIo>) -> Self {
        self.direct_io = direct_io;
        self
    }

    /// The same, and whether the filesystem is filled at the end of each run, to see how much it holds.
    #[must_use]
    pub fn filling(mut self, is_filling: bool) -> Self {
        self.is_filling = is_filling;
        self
    }

    /// Makes and mounts the filesystem once to look at it, and unmounts it again, so that whatever is refused is refused before anything
    /// is measured.
    ///
    /// # Errors
    /// When it cannot be made, mounted or unmounted.
    pub fn rehearse<T>(&mut self, look: impl FnOnce(Rehearsed<'_>) -> T) -> Result<T, GroundError> {
        let looked = self.make().map(|directory| {
            let below = Below::of(&directory);
            look(Rehearsed { directory: &directory, path: self.place.path(), site: &self.site, below })
        });
        let unmounted = self.unmount();
        let looked = looked?;
        unmounted.map(|_| looked)
    }

    fn programs(&self) -> Programs<'_> {
        Programs { variant: &self.variant, storage: &self.storage, stop: &self.stop }
    }

    /// Makes the filesystem and mounts it; gives its directory.
    fn make(&mut self) -> Result<File, GroundError> {
        (self.making, self.fault) = (None, None);
        if self.stop.load(Ordering::Relaxed) {
            return Err(GroundError::Stopped);
        }
        let version = match &self.known {
            Some(known) => known.version.clone(),
            None => self.programs().version(),
        };
        let mut making = self.unmade(version);
        self.making = Some(making.clone());
        self.storage.claim()?;
        making.mkfs_ns = Some(nanoseconds(self.programs().make()?));
        self.making = Some(making.clone());
        making.mount_ns = Some(nanoseconds(self.place.mount(&self.stop)?));
        let failed = |source| GroundError::Call { doing: "look at the filesystem that was made".to_owned(), source };
        let directory = files::open_directory_path(self.place.path()).map_err(failed)?;
        let mount = mounts::mount_of(&directory).map_err(failed)?;
        let filesystem = mounts::filesystem_of(&directory, &mount).map_err(failed)?;
        if filesystem.class == FilesystemClass::Memory {
            let why =
                format!("{} lies in memory and not on the device that mkfs was given; name a filesystem of block devices", filesystem.kind);
            return Err(GroundError::Changed(why));
        }
        (making.used_new_bytes, making.free_new_bytes) = (filesystem.used_bytes, Some(filesystem.free_bytes));
        self.site = Site { filesystem, device: mounts::device_of(&mount), direct_io: self.direct_io };
        if self.known.is_none() {
            self.known = Some(Known { version: making.mkfs_version.clone(), features: self.programs().features() });
        }
        making.features = self.known.as_ref().map(|known| known.features.clone()).unwrap_or_default();
        self.making = Some(making);
        Ok(directory)
    }

    /// What is known before anything is done.
    fn unmade(&self, version: Option<String>) -> Making {
        let asked = &self.variant.mount_options;
        Making {
            storage: self.storage.kind(),
            storage_bytes: self.storage.bytes(),
            mkfs: one_line(&self.variant.mkfs),
            mkfs_version: version,
            mount_options: if asked.is_empty() { "defaults".to_owned() } else { asked.clone() },
            features: self.known.as_ref().map(|known| known.features.clone()).unwrap_or_default(),
            mkfs_ns: None,
            mount_ns: None,
            unmount_ns: None,
            check_ns: None,
            check_words: None,
            used_new_bytes: None,
            free_new_bytes: None,
            free_written_bytes: None,
            file_set_bytes: None,
            fill_bytes: None,
            free_filled_bytes: None,
            written: None,
            rewritten: None,
        }
    }

    fn unmount(&mut self) -> Result<Option<Duration>, GroundError> {
        if self.place.is_mounted() { self.place.unmount().map(Some) } else { Ok(None) }
    }

    /// Notes what the files of the phases before take, and how they lie, before the first phase that changes it.
    fn look_at_files(&mut self, cold: &Cold<'_>) {
        let (Some(inner), Some(making)) = (&self.inner, &mut self.making) else { return };
        let Ok(target) = inner.target() else { return };
        // What is still under way would not be counted; that it cannot be flushed is told when it is made cold.
        let _ = target.flush();
        let space = || self.place.directory().ok().and_then(|directory| space_of(&directory));
        let layout = || cold.files.first().and_then(|name| layout_of(target, name));
        match cold.phase {
            Phase::Rewrite => {
                making.free_written_bytes = space().map(|space| space.free);
                making.written = layout();
            }
            Phase::BlockRead => making.rewritten = layout(),
            Phase::SeqStat => {
                let used = space().and_then(|space| space.used);
                making.file_set_bytes = used.zip(making.used_new_bytes).map(|(now, new)| now.saturating_sub(new));
            }
            // Only these have files behind them that a lab tells of.
            _ => {}
        }
    }

    /// Fills the filesystem where that is wished, once its files are gone.
    fn fill(&mut self) {
        if !self.is_filling || !self.place.is_mounted() {
            return;
        }
        let Ok(directory) = self.place.directory() else { return };
        // A file that cannot get so large fills nothing: then it is not known how much there is.
        if let (Ok(Some(filled)), Some(making)) = (fill(&directory, &self.stop), &mut self.making) {
            (making.fill_bytes, making.free_filled_bytes) = (Some(filled.bytes), filled.free);
        }
    }

    /// Checks the filesystem that was unmounted, and the storage below it.
    fn check(&mut self) {
        let checked = if self.stop.load(Ordering::Relaxed) { None } else { self.programs().check() };
        if let (Some((took, words)), Some(making)) = (checked, &mut self.making) {
            (making.check_ns, making.check_words) = (Some(nanoseconds(took)), words);
        }
    }
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

impl Ground for LabGround {
    fn take(&mut self, nonce: u64, batch: u64) -> Result<(), GroundError> {
        let made = self.make().and_then(|directory| {
            let inner = PlainGround::of(directory, self.place.path().to_owned(), self.site.clone());
            let mut inner = inner.stopped_by(Arc::clone(&self.stop)).dropping_by(Arc::clone(&self.dropper));
            inner.take(nonce, batch)?;
            self.inner = Some(inner);
            Ok(())
        });
        made.map_err(|error| match self.unmount() {
            Ok(_) => error,
            // It is named again when it is given back.
            Err(left) => GroundError::Changed(format!("{error}; then: {left}")),
        })
    }

    fn target(&self) -> Result<&dyn Target, GroundError> {
        match &self.inner {
            Some(inner) => inner.target(),
            None => Err(GroundError::Changed("no filesystem was made".to_owned())),
        }
    }

    fn make_cold(&mut self, cold: &Cold<'_>) -> Result<Preparation, GroundError> {
        self.look_at_files(cold);
        let Some(inner) = &mut self.inner else { return Err(GroundError::Changed("no filesystem was made".to_owned())) };
        let mut preparation = inner.make_cold(cold)?;
        match cold.circumstances.cache {
            CacheState::Warm => {}
            CacheState::Cold => {
                let (place, stop) = (&mut self.place, &self.stop);
                inner.away(|| {
                    place.unmount()?;
                    place.mount(stop).map(drop)
                })?;
                preparation.remounted = true;
            }
        }
        Ok(preparation)
    }

    fn site(&self) -> &Site {
        &self.site
    }

    fn stack(&self) -> &Stack {
        self.inner.as_ref().map_or(&self.no_stack, PlainGround::stack)
    }

    fn counters(&self) -> Counters {
        self.inner.as_ref().map(PlainGround::counters).unwrap_or_default()
    }

    fn wait(&self, time: Duration) {
        std::thread::sleep(time);
    }

    fn give_back(&mut self) -> Vec<String> {
        let was_taken = self.inner.is_some();
        if let Some(mut inner) = self.inner.take() {
            // What it cannot remove goes with the filesystem.
            let _ = inner.give_back();
        }
        // What was measured below an unmounted filesystem was not measured on it.
        let gone = if was_taken { self.place.directory().err() } else { None };
        if was_taken {
            self.fill();
        }
        match self.unmount() {
            Ok(took) => {
                if let (Some(took), Some(making)) = (took, &mut self.making) {
                    making.unmount_ns = Some(nanoseconds(took));
                }
                if took.is_some() {
                    self.check();
                }
            }
            Err(_) if self.place.is_mounted() => return vec![self.place.abandon()],
            Err(error) => return vec![format!("{}: {error}", self.storage.home().display())],
        }
        if was_taken {
            let gone = gone.map(|error| format!("the filesystem was not there at the end: {}", plain_error(&error)));
            self.fault = gone.or_else(|| self.storage.hole());
        }
        Vec::new()
    }

    fn making(&self) -> Option<Making> {
        self.making.clone()
    }

    fn fault(&self) -> Option<String> {
        self.fault.clone()
    }

    fn place_of(&self, _nonce: u64) -> String {
        self.storage.home().display().to_string()
    }

    fn directory(&self) -> String {
        self.storage.directory().display().to_string()
    }

    fn scratch(&self) -> Option<String> {
        self.inner.is_some().then(|| self.place_of(0))
    }
}

impl Drop for LabGround {
    fn drop(&mut self) {
        // On a panic there is nobody left to tell what could not be unmounted; the mounts go with this process.
        let _ = self.give_back();
    }
}
