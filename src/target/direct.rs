//! Whether a directory takes direct I/O: asked by a file without a name, else by one in a scratch directory, which `barrow clean` knows.

use super::ground::{Ground, GroundError, Site};
use super::plain::PlainGround;
use super::scratch::block_file_name;
use super::{Access, Handle};
use crate::model::machine::FilesystemClass;
use crate::model::settings::Io;
use crate::sys::direct::{Answer, Refusal, ask as ask_file, is_invalid, open_nameless};
use crate::sys::random::random_u64;
use std::fs::File;
use std::io;
use std::path::Path;

/// Asks the filesystem of a directory that lies at `path`; nothing is left there.
///
/// # Errors
/// When no file can be made, the transfer that is tried fails for another reason than that it is direct, or something is left.
pub fn ask(directory: &File, path: &Path, class: FilesystemClass) -> io::Result<Answer> {
    match open_nameless(directory)? {
        Some(file) => ask_file(&file),
        None => ask_in_a_scratch(directory, path, class),
    }
}

/// Asks by a file with a name. Some filesystems make it even where they refuse to open it for direct I/O.
fn ask_in_a_scratch(directory: &File, path: &Path, class: FilesystemClass) -> io::Result<Answer> {
    let mut ground = PlainGround::of(directory.try_clone()?, path.to_owned(), Site::of_class(class));
    ground.take(random_u64()?, random_u64()?).map_err(plain)?;
    let answer = ask_on(&ground);
    match ground.give_back().first() {
        None => answer,
        Some(left) => Err(io::Error::other(format!("could not remove {left}"))),
    }
}

fn ask_on(ground: &PlainGround) -> io::Result<Answer> {
    let target = ground.target().map_err(plain)?;
    match target.open(target.root(), &block_file_name(0), Access::CreateNew, Io::Direct) {
        Ok(Handle::Real(file)) => ask_file(&file),
        Ok(Handle::Pretend(_)) => Err(io::ErrorKind::InvalidInput.into()),
        Err(error) if is_invalid(&error) => Ok(Answer::Refuses(Refusal::Open)),
        Err(error) => Err(error),
    }
}

fn plain(error: GroundError) -> io::Error {
    match error {
        GroundError::Call { source, .. } => source,
        other => io::Error::other(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_give_an_answer_and_leave_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let open = File::open(directory.path()).unwrap();
        let class = FilesystemClass::Block;
        let asked = [ask(&open, directory.path(), class), ask_in_a_scratch(&open, directory.path(), class)];
        for answer in asked {
            match answer.unwrap() {
                Answer::Takes(direct) => assert!(direct.offset_alignment.is_power_of_two() && direct.memory_alignment.is_power_of_two()),
                Answer::Refuses(_) => {}
            }
        }
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_missing_right_is_an_error_and_no_refusal() {
        // A directory of /proc takes no files at all.
        let proc = File::open("/proc").unwrap();
        assert!(ask(&proc, Path::new("/proc"), FilesystemClass::Other).is_err());
    }
}
