//! What a phase works on: a directory's operations, real or pretended, and the ground that such a directory stands on.

pub mod below;
pub mod clean;
pub mod device;
pub mod device_ground;
pub mod direct;
pub mod emptying;
pub mod ground;
pub mod marker;
pub mod plain;
pub mod pretend;
pub mod pretend_call;
pub mod pretend_ground;
pub mod pretend_meter;
pub mod pretend_storage;
pub mod pretend_trick;
pub mod real;
mod removal;
pub mod scratch;

pub use crate::sys::files::Access;
pub use crate::sys::name::ShortName;
pub use crate::sys::residency::Residency;
pub use crate::sys::signals::signal_name;
pub use crate::sys::user_program::ProgramRun;

use crate::model::settings::Io;
use std::ffi::{CStr, CString};
use std::fs::File;
use std::io;

/// A file or directory that a target has open; closed when dropped.
#[derive(Debug)]
pub enum Handle {
    /// Of a real directory.
    Real(File),
    /// Of a pretended one: the number of the file or directory.
    Pretend(usize),
}

/// How the flush of a target reaches its files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FlushMethod {
    /// One call flushes the whole filesystem.
    WholeFilesystem,
    /// The filesystem never hears of that call: every file and directory is flushed by itself.
    EachFile,
}

/// The operations of a directory. All names are of entries of the directory that is handed over, never paths. Nothing here
/// allocates but [`Target::list`] and [`Target::run_program`], and failing calls give the system's own error.
pub trait Target: Sync {
    /// Nanoseconds since some fixed moment, never running backwards.
    fn now_ns(&self) -> u64;

    /// How its flush reaches its files.
    fn flush_method(&self) -> FlushMethod;

    /// The directory itself.
    fn root(&self) -> &Handle;

    /// Makes a directory in another one.
    ///
    /// # Errors
    /// As the system says; so for all below.
    fn make_directory(&self, directory: &Handle, name: &CStr) -> io::Result<()>;

    /// Opens a directory of another one. What is mounted there is somebody else's, and never entered.
    ///
    /// # Errors
    /// `CrossesDevices` where something is mounted there; else as the system says.
    fn open_directory(&self, directory: &Handle, name: &CStr) -> io::Result<Handle>;

    /// Removes an empty directory of another one.
    ///
    /// # Errors
    /// As the system says.
    fn remove_directory(&self, directory: &Handle, name: &CStr) -> io::Result<()>;

    /// Gives an entry of a directory another name, in the same or another directory; what had that name is gone.
    ///
    /// # Errors
    /// As the system says.
    fn rename(&self, from: &Handle, name: &CStr, to: &Handle, new_name: &CStr) -> io::Result<()>;

    /// Opens a file, or makes it.
    ///
    /// # Errors
    /// As the system says.
    fn open(&self, directory: &Handle, name: &CStr, access: Access, io: Io) -> io::Result<Handle>;

    /// Reads at an offset; tells how much, which is 0 at the end of the file.
    ///
    /// # Errors
    /// As the system says.
    fn read(&self, file: &Handle, buffer: &mut [u8], offset: u64) -> io::Result<usize>;

    /// Writes at an offset; tells how much.
    ///
    /// # Errors
    /// As the system says.
    fn write(&self, file: &Handle, bytes: &[u8], offset: u64) -> io::Result<usize>;

    /// Tells that a file will be read at random places.
    ///
    /// # Errors
    /// As the system says.
    fn advise_random(&self, file: &Handle) -> io::Result<()>;

    /// Flushes one file or directory to stable storage.
    ///
    /// # Errors
    /// As the system says.
    fn sync(&self, handle: &Handle) -> io::Result<()>;

    /// Flushes the whole filesystem to stable storage.
    ///
    /// # Errors
    /// As the system says.
    fn flush(&self) -> io::Result<()>;

    /// Closes, and tells what the filesystem has to say about it.
    ///
    /// # Errors
    /// As the system says.
    fn close(&self, handle: Handle) -> io::Result<()>;

    /// Asks for the status of an entry; gives its size in bytes.
    ///
    /// # Errors
    /// As the system says.
    fn status(&self, directory: &Handle, name: &CStr) -> io::Result<u64>;

    /// Asks for the status of an open file or directory; gives its size in bytes.
    ///
    /// # Errors
    /// As the system says.
    fn status_open(&self, handle: &Handle) -> io::Result<u64>;

    /// Makes an open file so many bytes long.
    ///
    /// # Errors
    /// As the system says.
    fn set_length(&self, file: &Handle, bytes: u64) -> io::Result<()>;

    /// Sets the times of an open file or directory to now.
    ///
    /// # Errors
    /// As the system says.
    fn set_times(&self, handle: &Handle) -> io::Result<()>;

    /// Locks bytes of an open file for this handle alone, without waiting for others.
    ///
    /// # Errors
    /// As the system says, `WouldBlock` where another handle holds them.
    fn lock(&self, file: &Handle, offset: u64, bytes: u64) -> io::Result<()>;

    /// Unlocks them.
    ///
    /// # Errors
    /// As the system says.
    fn unlock(&self, file: &Handle, offset: u64, bytes: u64) -> io::Result<()>;

    /// Asks for the status of the filesystem; gives the bytes that are free for everybody.
    ///
    /// # Errors
    /// As the system says.
    fn free_bytes(&self) -> io::Result<u64>;

    /// How many pieces of an open file do not touch on its device.
    ///
    /// # Errors
    /// As the system says, also where the filesystem does not tell.
    fn extents(&self, file: &Handle) -> io::Result<u64>;

    /// Asks for the status of what an entry leads to, through a symbolic link; gives its size in bytes.
    ///
    /// # Errors
    /// As the system says.
    fn status_through(&self, directory: &Handle, name: &CStr) -> io::Result<u64>;

    /// Gives a file of a directory a second name there.
    ///
    /// # Errors
    /// As the system says.
    fn make_hard_link(&self, directory: &Handle, file: &CStr, name: &CStr) -> io::Result<()>;

    /// Makes a symbolic link to a file of the same directory.
    ///
    /// # Errors
    /// As the system says.
    fn make_symbolic_link(&self, directory: &Handle, file: &CStr, name: &CStr) -> io::Result<()>;

    /// Removes a file's name.
    ///
    /// # Errors
    /// As the system says.
    fn unlink(&self, directory: &Handle, name: &CStr) -> io::Result<()>;

    /// The names in a directory, in the order in which it lists them.
    ///
    /// # Errors
    /// As the system says.
    fn list(&self, directory: &Handle) -> io::Result<Vec<CString>>;

    /// Runs a program with a directory as its working directory, and waits until it has ended with everything that it started; of what it
    /// leaves running nothing goes on. `go_on` is asked now and then, and once it says no all of it is ended.
    ///
    /// # Errors
    /// As the system says where it cannot be started.
    fn run_program(&self, directory: &Handle, command: &[String], go_on: &mut dyn FnMut() -> bool) -> io::Result<ProgramRun>;

    /// Asks the system to forget what it keeps of a file in memory.
    ///
    /// # Errors
    /// As the system says.
    fn evict(&self, file: &Handle) -> io::Result<()>;

    /// How much of a file the system keeps in memory.
    ///
    /// # Errors
    /// As the system says.
    fn residency(&self, file: &Handle) -> io::Result<Residency>;
}

/// Writes all bytes at an offset, in as many calls as it takes.
///
/// # Errors
/// As [`Target::write`]; `WriteZero` when nothing is taken.
#[inline]
pub fn write_all(target: &dyn Target, file: &Handle, bytes: &[u8], offset: u64) -> io::Result<()> {
    let mut done = 0;
    while done < bytes.len() {
        match target.write(file, &bytes[done..], offset + done as u64) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(count) => done += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Fills a buffer from an offset, in as many calls as it takes.
///
/// # Errors
/// As [`Target::read`]; `UnexpectedEof` when the file ends before.
#[inline]
pub fn read_exact(target: &dyn Target, file: &Handle, buffer: &mut [u8], offset: u64) -> io::Result<()> {
    let mut done = 0;
    while done < buffer.len() {
        match target.read(file, &mut buffer[done..], offset + done as u64) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(count) => done += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
