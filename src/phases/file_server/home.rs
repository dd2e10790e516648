//! The directories of the clients: made, emptied, and flushed file by file where the filesystem hears of no other flush.

use crate::model::settings::Io;
use crate::phases::PhaseError;
use crate::target::scratch::WorkDirectory;
use crate::target::{Access, Handle, Target};
use std::ffi::{CStr, CString};
use std::io;

/// The name of a client's own directory.
pub fn name(client: u64) -> CString {
    WorkDirectory::Server.name(client)
}

fn failed(verb: &str, client: u64) -> impl FnOnce(io::Error) -> PhaseError {
    let doing = format!("{verb} the directory {}", name(client).to_string_lossy());
    |source| PhaseError::Call { doing, source }
}

/// Makes a client's directory.
///
/// # Errors
/// Names it.
pub fn make(target: &dyn Target, client: u64) -> Result<(), PhaseError> {
    target.make_directory(target.root(), &name(client)).map_err(failed("make", client))
}

/// Removes it with everything in it.
///
/// # Errors
/// Names it.
pub fn remove(target: &dyn Target, client: u64) -> Result<(), PhaseError> {
    remove_tree(target, target.root(), &name(client)).map_err(failed("remove", client))
}

/// Removes a directory of another one with everything in it.
///
/// # Errors
/// As the system says.
pub fn remove_tree(target: &dyn Target, parent: &Handle, name: &CStr) -> io::Result<()> {
    let directory = target.open_directory(parent, name)?;
    for entry in target.list(&directory)? {
        match target.unlink(&directory, &entry) {
            Ok(()) => {}
            Err(error) if matches!(error.kind(), io::ErrorKind::IsADirectory | io::ErrorKind::PermissionDenied) => {
                remove_tree(target, &directory, &entry)?;
            }
            Err(error) => return Err(error),
        }
    }
    target.close(directory)?;
    target.remove_directory(parent, name)
}

/// Flushes every file and directory of all clients.
///
/// # Errors
/// Names the client's directory.
pub fn flush_each(target: &dyn Target, clients: u64) -> Result<(), PhaseError> {
    (0..clients).try_for_each(|client| flush_tree(target, target.root(), &name(client)).map_err(failed("flush", client)))
}

fn flush_tree(target: &dyn Target, parent: &Handle, name: &CStr) -> io::Result<()> {
    let directory = target.open_directory(parent, name)?;
    for entry in target.list(&directory)? {
        match flush_tree(target, &directory, &entry) {
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
                let file = target.open(&directory, &entry, Access::ReadWrite, Io::Buffered)?;
                target.sync(&file)?;
                target.close(file)?;
            }
            other => other?,
        }
    }
    target.sync(&directory)?;
    target.close(directory)
}
