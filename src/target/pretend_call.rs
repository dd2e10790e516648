//! The calls on a pretended directory, as they are logged.

use std::fmt;

/// A kind of call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operation {
    /// [`super::Target::make_directory`].
    MakeDirectory,
    /// [`super::Target::open_directory`].
    OpenDirectory,
    /// [`super::Target::remove_directory`].
    RemoveDirectory,
    /// [`super::Target::open`] of a new file.
    Create,
    /// [`super::Target::open`] of an existing file.
    Open,
    /// [`super::Target::read`].
    Read,
    /// [`super::Target::write`].
    Write,
    /// [`super::Target::advise_random`].
    AdviseRandom,
    /// [`super::Target::sync`].
    Sync,
    /// [`super::Target::flush`].
    Flush,
    /// [`super::Target::close`].
    Close,
    /// [`super::Target::status`].
    Status,
    /// [`super::Target::rename`], logged with the new name behind ` > `.
    Rename,
    /// [`super::Target::status_open`].
    StatusOpen,
    /// [`super::Target::set_length`].
    SetLength,
    /// [`super::Target::set_times`].
    SetTimes,
    /// [`super::Target::lock`].
    Lock,
    /// [`super::Target::unlock`].
    Unlock,
    /// [`super::Target::free_bytes`].
    FreeBytes,
    /// [`super::Target::extents`].
    Extents,
    /// [`super::Target::status_through`].
    StatusThrough,
    /// [`super::Target::make_hard_link`].
    HardLink,
    /// [`super::Target::make_symbolic_link`].
    SymbolicLink,
    /// [`super::Target::unlink`].
    Unlink,
    /// [`super::Target::list`].
    List,
    /// [`super::Target::run_program`], logged with its words behind the directory: `command.0: make -j4`.
    RunProgram,
    /// [`super::Target::evict`].
    Evict,
    /// [`super::Target::residency`].
    Residency,
}

/// One call as it was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// Its kind.
    pub operation: Operation,
    /// The entry that it names, with its directory: `sequential.0.0/0000000000`.
    pub name: String,
    /// Offset and length in bytes, for reads, writes and locks.
    pub span: Option<(u64, usize)>,
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} {}", self.operation, self.name)?;
        match self.span {
            Some((offset, length)) => write!(f, " {offset}+{length}"),
            None => Ok(()),
        }
    }
}
