//! A block device as a target of one file, which can only be read: whatever else is asked for is refused before the system hears of it.

use super::{Access, FlushMethod, Handle, ProgramRun, Residency, Target};
use crate::model::machine::DirectIo;
use crate::model::settings::Io;
use crate::sys::block_device::{number_of, size_of};
use crate::sys::{direct, files, residency};
use std::ffi::{CStr, CString};
use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::Instant;

/// The name under which the device stands in its target.
pub const DEVICE: &CStr = c"device";

/// A block device, by its node.
#[derive(Debug)]
pub struct DeviceTarget {
    /// The directory of the node.
    root: Handle,
    node: CString,
    number: String,
    /// The places of which it is told how much is in memory.
    places: Vec<Range<u64>>,
    /// Open from start to end: when nobody holds a device the kernel forgets what it kept of it in memory, which would then prove nothing.
    held: Handle,
    origin: Instant,
}

impl DeviceTarget {
    /// The device with a number, `major:minor`, at its node.
    ///
    /// # Errors
    /// When it cannot be opened to be read, as openat(2); when another device is at the node.
    pub fn of(node: &Path, number: &str, places: Vec<Range<u64>>) -> io::Result<Self> {
        let (Some(directory), Some(name)) = (node.parent(), node.file_name()) else {
            return Err(io::ErrorKind::InvalidInput.into());
        };
        let directory = files::open_directory_path(directory)?;
        let name = CString::new(name.as_bytes())?;
        let held = Handle::Real(opened(&directory, &name, number, Io::Buffered)?);
        let root = Handle::Real(directory);
        Ok(Self { root, node: name, number: number.to_owned(), places, held, origin: Instant::now() })
    }

    /// The handle that stays open, for everything that is no measurement.
    #[must_use]
    pub const fn held(&self) -> &Handle {
        &self.held
    }

    /// How direct I/O must be aligned on it, where the kernel tells.
    #[must_use]
    pub fn direct_io(&self) -> Option<DirectIo> {
        let opened = opened(file_of(&self.root).ok()?, &self.node, &self.number, Io::Direct).ok()?;
        direct::told(&opened)
    }

    fn check_name(&self, directory: &Handle, name: &CStr) -> io::Result<()> {
        let is_root = std::ptr::eq(directory, &raw const self.root);
        if is_root && name == DEVICE { Ok(()) } else { Err(io::ErrorKind::NotFound.into()) }
    }
}

/// Opens the device to read it, and nothing else in its place.
fn opened(directory: &File, node: &CStr, number: &str, io: Io) -> io::Result<File> {
    let device = files::open_file(directory, node, Access::Read, io == Io::Direct)?;
    let found = number_of(&device)?;
    if found == number { Ok(device) } else { Err(io::Error::other(format!("it is device {found} now, and was {number}"))) }
}

fn file_of(handle: &Handle) -> io::Result<&File> {
    match handle {
        Handle::Real(file) => Ok(file),
        Handle::Pretend(_) => Err(io::ErrorKind::InvalidInput.into()),
    }
}

/// What would change something is not done.
fn refused<T>() -> io::Result<T> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "a device is only read"))
}

impl Target for DeviceTarget {
    fn now_ns(&self) -> u64 {
        self.origin.elapsed().as_nanos() as u64
    }

    fn flush_method(&self) -> FlushMethod {
        FlushMethod::EachFile
    }

    fn root(&self) -> &Handle {
        &self.root
    }

    fn make_directory(&self, _directory: &Handle, _name: &CStr) -> io::Result<()> {
        refused()
    }

    fn open_directory(&self, _directory: &Handle, _name: &CStr) -> io::Result<Handle> {
        refused()
    }

    fn remove_directory(&self, _directory: &Handle, _name: &CStr) -> io::Result<()> {
        refused()
    }

    fn rename(&self, _from: &Handle, _name: &CStr, _to: &Handle, _new_name: &CStr) -> io::Result<()> {
        refused()
    }

    fn open(&self, directory: &Handle, name: &CStr, access: Access, io: Io) -> io::Result<Handle> {
        self.check_name(directory, name)?;
        match access {
            Access::Read => opened(file_of(&self.root)?, &self.node, &self.number, io).map(Handle::Real),
            Access::ReadWrite | Access::ReadWriteSync | Access::CreateNew | Access::CreateNewDataSync | Access::CreateNewSync => refused(),
        }
    }

    fn read(&self, file: &Handle, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        file_of(file)?.read_at(buffer, offset)
    }

    fn write(&self, _file: &Handle, _bytes: &[u8], _offset: u64) -> io::Result<usize> {
        refused()
    }

    fn advise_random(&self, file: &Handle) -> io::Result<()> {
        files::advise_random(file_of(file)?)
    }

    fn sync(&self, _handle: &Handle) -> io::Result<()> {
        refused()
    }

    fn flush(&self) -> io::Result<()> {
        refused()
    }

    fn close(&self, handle: Handle) -> io::Result<()> {
        match handle {
            Handle::Real(file) => files::close(file),
            Handle::Pretend(_) => Err(io::ErrorKind::InvalidInput.into()),
        }
    }

    fn status(&self, directory: &Handle, name: &CStr) -> io::Result<u64> {
        self.check_name(directory, name)?;
        self.status_open(&self.held)
    }

    fn status_open(&self, handle: &Handle) -> io::Result<u64> {
        size_of(file_of(handle)?)
    }

    fn set_length(&self, _file: &Handle, _bytes: u64) -> io::Result<()> {
        refused()
    }

    fn set_times(&self, _handle: &Handle) -> io::Result<()> {
        refused()
    }

    fn lock(&self, _file: &Handle, _offset: u64, _bytes: u64) -> io::Result<()> {
        refused()
    }

    fn unlock(&self, _file: &Handle, _offset: u64, _bytes: u64) -> io::Result<()> {
        refused()
    }

    fn free_bytes(&self) -> io::Result<u64> {
        refused()
    }

    fn extents(&self, _file: &Handle) -> io::Result<u64> {
        refused()
    }

    fn status_through(&self, directory: &Handle, name: &CStr) -> io::Result<u64> {
        self.status(directory, name)
    }

    fn make_hard_link(&self, _directory: &Handle, _file: &CStr, _name: &CStr) -> io::Result<()> {
        refused()
    }

    fn make_symbolic_link(&self, _directory: &Handle, _file: &CStr, _name: &CStr) -> io::Result<()> {
        refused()
    }

    fn unlink(&self, _directory: &Handle, _name: &CStr) -> io::Result<()> {
        refused()
    }

    fn list(&self, _directory: &Handle) -> io::Result<Vec<CString>> {
        refused()
    }

    fn run_program(&self, _: &Handle, _: &[String], _: &mut dyn FnMut() -> bool) -> io::Result<ProgramRun> {
        refused()
    }

    fn evict(&self, file: &Handle) -> io::Result<()> {
        files::advise_forget(file_of(file)?)
    }

    /// Of the place of which the greatest share is in memory: a phase reads one of them, or many.
    fn residency(&self, file: &Handle) -> io::Result<Residency> {
        let mut most = Residency::default();
        for place in &self.places {
            let found = residency::residency_of_part(file_of(file)?, place)?;
            if most.pages == 0 || found.resident_pages * most.pages > most.resident_pages * found.pages {
                most = found;
            }
        }
        Ok(most)
    }
}
