//! A real directory: every operation is one system call.

use super::{Access, FlushMethod, Handle, ProgramRun, Residency, Target};
use crate::model::machine::FilesystemClass;
use crate::model::settings::Io;
use crate::sys::extents::mapping_of;
use crate::sys::{changes, files, residency, user_program};
use std::ffi::{CStr, CString};
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::time::Instant;

/// A real directory.
#[derive(Debug)]
pub struct RealTarget {
    root: Handle,
    class: FilesystemClass,
    origin: Instant,
}

impl RealTarget {
    /// The target of an open directory.
    #[must_use]
    pub fn of(directory: File, class: FilesystemClass) -> Self {
        Self { root: Handle::Real(directory), class, origin: Instant::now() }
    }
}

/// A handle of another kind of target is a fault of the program, answered as an invalid argument.
fn file_of(handle: &Handle) -> io::Result<&File> {
    match handle {
        Handle::Real(file) => Ok(file),
        Handle::Pretend(_) => Err(foreign_handle()),
    }
}

fn foreign_handle() -> io::Error {
    io::ErrorKind::InvalidInput.into()
}

impl Target for RealTarget {
    fn now_ns(&self) -> u64 {
        self.origin.elapsed().as_nanos() as u64
    }

    fn flush_method(&self) -> FlushMethod {
        match self.class {
            FilesystemClass::Fuse => FlushMethod::EachFile,
            FilesystemClass::Block
            | FilesystemClass::Memory
            | FilesystemClass::Network
            | FilesystemClass::Zfs
            | FilesystemClass::Overlay
            | FilesystemClass::Other => FlushMethod::WholeFilesystem,
        }
    }

    fn root(&self) -> &Handle {
        &self.root
    }

    fn make_directory(&self, directory: &Handle, name: &CStr) -> io::Result<()> {
        files::make_directory(file_of(directory)?, name)
    }

    fn open_directory(&self, directory: &Handle, name: &CStr) -> io::Result<Handle> {
        files::open_directory(file_of(directory)?, name).map(Handle::Real)
    }

    fn remove_directory(&self, directory: &Handle, name: &CStr) -> io::Result<()> {
        files::remove_directory(file_of(directory)?, name)
    }

    fn rename(&self, from: &Handle, name: &CStr, to: &Handle, new_name: &CStr) -> io::Result<()> {
        changes::rename(file_of(from)?, name, file_of(to)?, new_name)
    }

    fn open(&self, directory: &Handle, name: &CStr, access: Access, io: Io) -> io::Result<Handle> {
        files::open_file(file_of(directory)?, name, access, io == Io::Direct).map(Handle::Real)
    }

    fn read(&self, file: &Handle, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        file_of(file)?.read_at(buffer, offset)
    }

    fn write(&self, file: &Handle, bytes: &[u8], offset: u64) -> io::Result<usize> {
        file_of(file)?.write_at(bytes, offset)
    }

    fn advise_random(&self, file: &Handle) -> io::Result<()> {
        files::advise_random(file_of(file)?)
    }

    fn sync(&self, handle: &Handle) -> io::Result<()> {
        files::sync_file(file_of(handle)?)
    }

    fn flush(&self) -> io::Result<()> {
        files::sync_filesystem(file_of(&self.root)?)
    }

    fn close(&self, handle: Handle) -> io::Result<()> {
        match handle {
            Handle::Real(file) => files::close(file),
            Handle::Pretend(_) => Err(foreign_handle()),
        }
    }

    fn status(&self, directory: &Handle, name: &CStr) -> io::Result<u64> {
        files::status_at(file_of(directory)?, name).map(|status| status.size)
    }

    fn status_open(&self, handle: &Handle) -> io::Result<u64> {
        files::status_of(file_of(handle)?).map(|status| status.size)
    }

    fn set_length(&self, file: &Handle, bytes: u64) -> io::Result<()> {
        changes::set_length(file_of(file)?, bytes)
    }

    fn set_times(&self, handle: &Handle) -> io::Result<()> {
        changes::set_times(file_of(handle)?)
    }

    fn lock(&self, file: &Handle, offset: u64, bytes: u64) -> io::Result<()> {
        changes::lock(file_of(file)?, offset, bytes)
    }

    fn unlock(&self, file: &Handle, offset: u64, bytes: u64) -> io::Result<()> {
        changes::unlock(file_of(file)?, offset, bytes)
    }

    fn free_bytes(&self) -> io::Result<u64> {
        changes::free_bytes(file_of(&self.root)?)
    }

    fn extents(&self, file: &Handle) -> io::Result<u64> {
        mapping_of(file_of(file)?).map(|mapping| mapping.pieces)
    }

    fn status_through(&self, directory: &Handle, name: &CStr) -> io::Result<u64> {
        files::status_through(file_of(directory)?, name).map(|status| status.size)
    }

    fn make_hard_link(&self, directory: &Handle, file: &CStr, name: &CStr) -> io::Result<()> {
        files::make_hard_link(file_of(directory)?, file, name)
    }

    fn make_symbolic_link(&self, directory: &Handle, file: &CStr, name: &CStr) -> io::Result<()> {
        files::make_symbolic_link(file_of(directory)?, file, name)
    }

    fn unlink(&self, directory: &Handle, name: &CStr) -> io::Result<()> {
        files::unlink(file_of(directory)?, name)
    }

    fn list(&self, directory: &Handle) -> io::Result<Vec<CString>> {
        let entries = files::list(file_of(directory)?, usize::MAX)?;
        Ok(entries.into_iter().map(|(name, _)| name).collect())
    }

    fn run_program(&self, directory: &Handle, command: &[String], go_on: &mut dyn FnMut() -> bool) -> io::Result<ProgramRun> {
        user_program::run(file_of(directory)?, command, go_on)
    }

    fn evict(&self, file: &Handle) -> io::Result<()> {
        files::advise_forget(file_of(file)?)
    }

    fn residency(&self, file: &Handle) -> io::Result<Residency> {
        residency::residency(file_of(file)?, self.class == FilesystemClass::Overlay)
    }
}
