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
                match remove_tree(target, &directory, &entry) {
                    // A file that may not be removed, and no directory.
                    Err(inner) if inner.kind() == io::ErrorKind::NotADirectory => return Err(error),
                    other => other?,
                }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::pretend::PretendTarget;
    use crate::target::pretend_call::Operation;
    use crate::target::pretend_trick::Trick;

    #[test]
    fn a_file_that_may_not_be_removed_is_told_as_that() {
        let target = PretendTarget::costing(|_| 1);
        make(&target, 0).unwrap();
        let directory = target.open_directory(target.root(), &name(0)).unwrap();
        target.make_directory(&directory, c"below").unwrap();
        let below = target.open_directory(&directory, c"below").unwrap();
        target.open(&below, c"file", Access::CreateNew, Io::Buffered).unwrap();
        // EACCES; the first is the try on the directory.
        target.play(Operation::Unlink, 2, Trick::Fail(13));
        let error = remove_tree(&target, target.root(), &name(0)).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::PermissionDenied, "{error}");
        remove(&target, 0).unwrap();
        assert!(target.entries().is_empty());
    }
}
