//! What a filesystem is made on: an image with its loop device, or devices of the user's. Variants of equal ground share one.

use super::devices;
use super::error::LabError;
use super::image;
use crate::model::making;
use crate::sys::block_device::{facts_of, number_at, probe_exclusively};
use crate::sys::loop_device::LoopDevice;
use crate::sys::stack::Roots;
use crate::sys::users;
use crate::target::ground::{GroundError, plain_error};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long a process that serves a filesystem may write after it was unmounted.
const PATIENCE: Duration = Duration::from_secs(30);
const LOOK: Duration = Duration::from_millis(5);

/// Number and bytes of a device.
fn looked_at(path: &Path) -> Result<(String, u64), LabError> {
    let roots = Roots::of_this_machine();
    let number = number_at(&roots, path).map_err(|_| io::Error::from(io::ErrorKind::NotFound));
    let looked = number.and_then(|number| facts_of(&roots, &number).map(|facts| (number, facts.bytes)));
    looked.map_err(|error| LabError::Device { path: path.to_owned(), error })
}

/// What filesystems are made on, and the place where they are mounted.
#[derive(Debug)]
pub struct Storage {
    devices: Vec<PathBuf>,
    /// Which device each of them was, `major:minor`.
    numbers: Vec<String>,
    bytes: u64,
    image: Option<Image>,
    /// The directory of the user's, as he named it.
    directory: PathBuf,
    home: PathBuf,
    place: PathBuf,
}

#[derive(Debug)]
struct Image {
    file: File,
    /// Whether every byte was written, so that a hole is a fault.
    is_full: bool,
    /// Attached until the lab ends.
    device: Mutex<Option<LoopDevice>>,
}

/// Where a storage is and is mounted.
#[derive(Debug)]
pub struct Whereabouts {
    /// The directory of the user's, as he named it.
    pub directory: PathBuf,
    /// The home in it.
    pub home: PathBuf,
    /// The place in the home where it is mounted, as the kernel tells it.
    pub place: PathBuf,
}

impl Storage {
    /// An image that has so many bytes, and whether every one of them was written.
    ///
    /// # Errors
    /// When no loop device can be had.
    pub fn of_image(file: File, path: &Path, bytes: u64, is_full: bool, whereabouts: Whereabouts) -> Result<Self, LabError> {
        let device = LoopDevice::attach(&file, path).map_err(|error| LabError::Loop { path: path.to_owned(), error })?;
        let (number, _) = looked_at(&device.path())?;
        let devices = vec![device.path()];
        let image = Image { file, is_full, device: Mutex::new(Some(device)) };
        Ok(Self { image: Some(image), ..Self::plain(devices, vec![number], bytes, whereabouts) })
    }

    /// Devices of the user's.
    ///
    /// # Errors
    /// When one of them cannot be opened, or is in use.
    pub fn of_devices(devices: &[PathBuf], whereabouts: Whereabouts) -> Result<Self, LabError> {
        let (mut numbers, mut bytes) = (Vec::new(), 0_u64);
        for path in devices {
            let (number, size) = looked_at(path)?;
            probe_exclusively(path, &number).map_err(|error| LabError::Device { path: path.clone(), error })?;
            numbers.push(number);
            bytes = bytes.saturating_add(size);
        }
        Ok(Self::plain(devices.to_vec(), numbers, bytes, whereabouts))
    }

    fn plain(devices: Vec<PathBuf>, numbers: Vec<String>, bytes: u64, whereabouts: Whereabouts) -> Self {
        let Whereabouts { directory, home, place } = whereabouts;
        Self { devices, numbers, bytes, image: None, directory, home, place }
    }

    /// The devices, the first of which is mounted.
    #[must_use]
    pub fn devices(&self) -> &[PathBuf] {
        &self.devices
    }

    /// The kernel's name for the first device: that of the user's may have its serial number.
    #[must_use]
    pub fn name(&self) -> String {
        let real = self.devices.first().map(|device| device.canonicalize().unwrap_or_else(|_| device.clone()));
        real.unwrap_or_default().display().to_string()
    }

    /// What it is, for a record.
    #[must_use]
    pub const fn kind(&self) -> making::Storage {
        match (&self.image, self.devices.len()) {
            (Some(_), _) => making::Storage::Image,
            (None, 0 | 1) => making::Storage::Device,
            (None, _) => making::Storage::Devices,
        }
    }

    /// Bytes, all devices together.
    #[must_use]
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The directory of the user's that `barrow clean` is to be told, as he named it.
    #[must_use]
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The home of the lab in it.
    #[must_use]
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// Where it is mounted, as the kernel tells it.
    #[must_use]
    pub fn place(&self) -> &Path {
        &self.place
    }

    /// Makes sure, right before a filesystem is made, that nobody uses the devices and that an image is whole.
    ///
    /// # Errors
    /// Who uses them, or what is wrong with the image.
    pub fn claim(&self) -> Result<(), GroundError> {
        if let Some(hole) = self.hole() {
            return Err(GroundError::Changed(format!("no filesystem was made: {hole}")));
        }
        for (device, number) in self.devices.iter().zip(&self.numbers) {
            // mkfs must open it by itself.
            match self.image {
                Some(_) => probe_exclusively(device, number).map_err(|error| self.in_use(device, &error))?,
                None => devices::recheck(device, number).map_err(|refusal| GroundError::Changed(refusal.to_string()))?,
            }
        }
        Ok(())
    }

    /// Waits until nobody uses the devices.
    ///
    /// # Errors
    /// Who uses them, when that does not change.
    pub fn wait_until_free(&self) -> Result<(), GroundError> {
        let begun = Instant::now();
        for (device, number) in self.devices.iter().zip(&self.numbers) {
            while let Err(error) = probe_exclusively(device, number) {
                if error.kind() != io::ErrorKind::ResourceBusy || begun.elapsed() > PATIENCE {
                    return Err(self.in_use(device, &error));
                }
                std::thread::sleep(LOOK);
            }
        }
        Ok(())
    }

    fn in_use(&self, device: &Path, error: &io::Error) -> GroundError {
        // Mounts name the device that links lead to.
        let real = device.canonicalize().unwrap_or_else(|_| device.to_owned());
        let elsewhere = users::of_mounts_elsewhere(|mount| Path::new(&mount.source) == real);
        let mut users = if elsewhere.is_empty() { users::of_path(&real) } else { elsewhere };
        // The lab holds its loop devices, which keeps nobody from mounting them.
        users.retain(|user| user.id != std::process::id());
        let names: Vec<String> = users.iter().map(ToString::to_string).collect();
        let by = if names.is_empty() { String::new() } else { format!("; it is used by {}, which must end or leave it", names.join(", ")) };
        GroundError::Changed(format!("open {} for this run alone: {}{by}", real.display(), plain_error(error)))
    }

    /// What of an image is no longer on the disk below; `None` when all is, or it is none.
    #[must_use]
    pub fn hole(&self) -> Option<String> {
        let image = self.image.as_ref().filter(|image| image.is_full)?;
        match image::hole_in(&image.file, self.bytes) {
            Ok(hole) => hole,
            Err(error) => Some(format!("the image cannot be looked at: {}", plain_error(&error))),
        }
    }

    /// Lets go of the loop device, which the kernel detaches when nothing is mounted from it.
    pub fn detach(&self) {
        if let Some(image) = &self.image {
            drop(image.device.lock().unwrap_or_else(PoisonError::into_inner).take());
        }
    }
}
