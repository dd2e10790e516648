//! The lab: filesystems that are made for each run, mounted in a private place, measured like any directory, and taken away again.

mod asked;
pub mod clean;
pub mod devices;
pub mod emptying;
pub mod error;
pub mod ground;
pub mod home;
pub mod image;
pub mod matrix;
pub mod needed_space;
pub mod noise;
pub mod occupancy;
pub mod place;
pub mod plan;
pub mod plan_file;
pub mod plan_options;
pub mod programs;
pub mod recipe;
pub mod resolve;
mod section;
pub mod storage;
pub mod system;
pub mod variant;
pub mod words;

pub use error::LabError;
pub use ground::{LabGround, Rehearsed};

use crate::sys::files;
use crate::sys::loop_device::check_available;
use home::{Home, home_name};
use needed_space::{shortages, wanted};
use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use storage::{Storage, Whereabouts};
use variant::{Ground, Variant};

/// How far the images are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Preparing {
    /// Which image is being written, from 1.
    pub image: usize,
    /// How many there are.
    pub images: usize,
    /// Bytes of it that are written.
    pub done: u64,
    /// Its bytes.
    pub bytes: u64,
}

/// How an image comes to its size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Substance {
    /// Nothing is written: for a filesystem that is only looked at.
    Sparse,
    /// Every byte is written: for one that is measured.
    Full,
}

/// What filesystems are made on, for as long as a batch takes. Everything that it made goes with it.
#[derive(Debug)]
pub struct Lab {
    homes: Vec<Home>,
    storages: BTreeMap<Ground, Arc<Storage>>,
    stop: Arc<AtomicBool>,
    is_over: bool,
}

impl Lab {
    /// Makes the homes, writes every image in full, which takes as long as the disk takes, and attaches them to loop devices. Before the
    /// first image is written, the space for all of them is looked for. The process should see its mounts alone
    /// ([`crate::sys::mounting::mount_in_private`]). `heard` is told how far it is.
    ///
    /// # Errors
    /// When one of it cannot be done, or `stop` becomes true; then nothing is left, or it is named.
    pub fn begin(variants: &[Variant], batch: u64, stop: Arc<AtomicBool>, heard: &mut dyn FnMut(Preparing)) -> Result<Self, LabError> {
        Self::built(variants, batch, Substance::Full, stop, heard)
    }

    /// The same with images to which nothing is written, which takes no time and no space: what is made on them can be looked at, and
    /// measures nothing true.
    ///
    /// # Errors
    /// As [`Lab::begin`].
    pub fn on_trial(variants: &[Variant], batch: u64, stop: Arc<AtomicBool>) -> Result<Self, LabError> {
        Self::built(variants, batch, Substance::Sparse, stop, &mut |_| ())
    }

    fn built(
        variants: &[Variant],
        batch: u64,
        substance: Substance,
        stop: Arc<AtomicBool>,
        heard: &mut dyn FnMut(Preparing),
    ) -> Result<Self, LabError> {
        let mut lab = Self { homes: Vec::new(), storages: BTreeMap::new(), stop, is_over: false };
        let Err(error) = lab.build(variants, batch, substance, heard) else { return Ok(lab) };
        let left = lab.take_away();
        Err(if left.is_empty() { error } else { LabError::Left { error: Box::new(error), left } })
    }

    fn build(&mut self, variants: &[Variant], batch: u64, substance: Substance, heard: &mut dyn FnMut(Preparing)) -> Result<(), LabError> {
        let mut grounds: Vec<&Ground> = variants.iter().map(|variant| &variant.ground).collect();
        grounds.sort();
        grounds.dedup();
        let sites = sites_of(&grounds)?;
        if let Some(site) = sites.iter().find(|site| site.grounds.iter().any(|ground| matches!(ground, Ground::Image { .. }))) {
            check_available().map_err(|error| LabError::Loop { path: site.shown.clone(), error })?;
        }
        let shortages = shortages(&wanted(variants))?;
        if !shortages.is_empty() {
            return Err(LabError::NoSpace(shortages));
        }
        let images = grounds.iter().filter(|ground| matches!(ground, Ground::Image { .. })).count();
        let mut image = 0;
        for site in sites {
            let home = Home::make(site.open, &site.shown, batch)?;
            // From here on it is taken away, whatever happens.
            self.homes.push(home);
            let Some(home) = self.homes.last_mut() else { continue };
            for ground in site.grounds {
                image += usize::from(matches!(ground, Ground::Image { .. }));
                let mut tell = |done, bytes| heard(Preparing { image, images, done, bytes });
                let storage = storage_of(ground, substance, home, &self.stop, &mut tell)?;
                self.storages.insert(ground.clone(), Arc::new(storage));
            }
        }
        Ok(())
    }

    /// The ground of a variant; `None` of one that the lab was not begun with.
    #[must_use]
    pub fn ground(&self, variant: &Variant) -> Option<LabGround> {
        let storage = self.storages.get(&variant.ground)?;
        Some(LabGround::of(variant.clone(), Arc::clone(storage), Arc::clone(&self.stop)))
    }

    /// Leaves everything as it is, where a filesystem hangs: for `barrow clean`. Loop devices and mounts go with the process.
    pub fn leave(mut self) {
        self.is_over = true;
    }

    /// Detaches the loop devices and removes everything. Names what could not be removed, and why.
    #[must_use]
    pub fn end(mut self) -> Vec<String> {
        self.take_away()
    }

    fn take_away(&mut self) -> Vec<String> {
        if std::mem::replace(&mut self.is_over, true) {
            return Vec::new();
        }
        self.storages.values().for_each(|storage| storage.detach());
        self.homes.iter().flat_map(Home::remove).collect()
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        // On a panic there is nobody left to tell what could not be removed; `barrow clean` finds it.
        let _ = self.take_away();
    }
}

/// What would be left if the process ended while there is a lab of this batch, for `barrow clean` on the directory that holds it.
#[must_use]
pub fn homes_of(variants: &[Variant], batch: u64) -> Vec<String> {
    let mut homes: Vec<String> = variants.iter().map(|variant| home_in(&directory_of(&variant.ground), batch)).collect();
    homes.sort();
    homes.dedup();
    homes
}

fn home_in(directory: &Path, batch: u64) -> String {
    directory.join(home_name(batch).to_string_lossy().as_ref()).display().to_string()
}

/// The directory for the home of a ground. Devices need only a place to be mounted, which lies among temporary files.
fn directory_of(ground: &Ground) -> PathBuf {
    match ground {
        Ground::Image { directory, .. } => directory.clone(),
        Ground::Devices(_) => std::env::temp_dir(),
    }
}

/// A directory in which a home is to be, and what is to be in it.
struct Site<'a> {
    shown: PathBuf,
    open: File,
    /// What tells it from others, however it is called.
    number: (u64, u64),
    grounds: Vec<&'a Ground>,
}

/// The directories of all grounds, each once.
fn sites_of<'a>(grounds: &[&'a Ground]) -> Result<Vec<Site<'a>>, LabError> {
    let mut sites: Vec<Site<'a>> = Vec::new();
    for ground in grounds {
        let shown = directory_of(ground);
        let failed = |error| LabError::Directory { directory: shown.clone(), error };
        let open = files::open_directory_path(&shown).map_err(failed)?;
        files::check_writable(&open).map_err(failed)?;
        if shown.canonicalize().is_ok_and(|place| place.to_str().is_none()) {
            let why = "its path is not UTF-8, so that mkfs and mount could not be told of it; name another directory";
            return Err(failed(std::io::Error::other(why)));
        }
        let number = files::status_of(&open).map_err(failed)?.number();
        match sites.iter_mut().find(|site| site.number == number) {
            Some(site) => site.grounds.push(ground),
            None => sites.push(Site { shown, open, number, grounds: vec![ground] }),
        }
    }
    Ok(sites)
}

fn storage_of(
    ground: &Ground,
    substance: Substance,
    home: &mut Home,
    stop: &AtomicBool,
    tell: &mut dyn FnMut(u64, u64),
) -> Result<Storage, LabError> {
    let (directory, shown) = (home.shown_directory().to_owned(), home.shown());
    let whereabouts = Whereabouts { directory, home: shown, place: home.make_place()? };
    match ground {
        Ground::Devices(devices) => Storage::of_devices(devices, whereabouts),
        Ground::Image { bytes, .. } => {
            let (file, path) = home.make_image()?;
            match substance {
                Substance::Sparse => file.set_len(*bytes).map_err(|error| LabError::Image { path: path.clone(), error })?,
                Substance::Full => write_image(&file, &path, *bytes, stop, tell)?,
            }
            Storage::of_image(file, &path, *bytes, substance == Substance::Full, whereabouts)
        }
    }
}

fn write_image(file: &File, path: &Path, bytes: u64, stop: &AtomicBool, tell: &mut dyn FnMut(u64, u64)) -> Result<(), LabError> {
    let failed = |error| LabError::Image { path: path.to_owned(), error };
    tell(0, bytes);
    if !image::write(file, bytes, stop, &mut |done| tell(done, bytes)).map_err(failed)? {
        return Err(LabError::Stopped);
    }
    match image::hole_in(file, bytes).map_err(failed)? {
        None => Ok(()),
        Some(reason) => Err(LabError::Hole { path: path.to_owned(), reason }),
    }
}
