//! One operation of a client, as plain data.

use super::names::Node;

/// The kinds of operations by their numbers ([`Action::kind`]), named as in the tables of reports.
pub const KINDS: [&str; 17] = [
    "create",
    "close",
    "rename",
    "unlink",
    "query_path",
    "query_file",
    "query_filesystem",
    "set_info",
    "find",
    "write",
    "read",
    "lock",
    "unlock",
    "flush",
    "mkdir",
    "rmdir",
    "deltree",
];

/// What an open makes of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Opening {
    /// Nothing: what has the name is opened.
    Existing,
    /// A file, where nothing has the name.
    Make,
    /// An empty file, whatever had the name.
    Empty,
    /// A directory, where nothing has the name.
    Directory,
}

/// What is done. Handles are places in a table of open files, from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Opens or makes a file or directory (`NTCreateX`); without a handle where that is to fail.
    Create {
        /// The name.
        node: Node,
        /// Its handle.
        handle: Option<u16>,
        /// What is made.
        opening: Opening,
    },
    /// Closes a handle.
    Close(u16),
    /// Gives a file another name.
    Rename {
        /// The old one.
        from: Node,
        /// The new one.
        to: Node,
    },
    /// Removes a file.
    Unlink(Node),
    /// Asks for the status of a name.
    QueryPath(Node),
    /// Asks for the status of a handle.
    QueryFile(u16),
    /// Asks for the status of the filesystem.
    QueryFilesystem,
    /// Sets the times of a handle.
    SetInfo(u16),
    /// Looks for names.
    Find {
        /// The name or pattern.
        node: Node,
        /// Whether it is a pattern, so that its directory is listed.
        is_pattern: bool,
    },
    /// Writes.
    Write {
        /// The handle.
        handle: u16,
        /// At which byte.
        offset: u64,
        /// How many.
        bytes: u32,
    },
    /// Reads.
    Read {
        /// The handle.
        handle: u16,
        /// At which byte.
        offset: u64,
        /// How many are asked for.
        bytes: u32,
        /// How many there are.
        given: u32,
    },
    /// Locks bytes of a file.
    Lock {
        /// The handle.
        handle: u16,
        /// From which byte.
        offset: u64,
        /// How many.
        bytes: u32,
    },
    /// Unlocks them.
    Unlock {
        /// The handle.
        handle: u16,
        /// From which byte.
        offset: u64,
        /// How many.
        bytes: u32,
    },
    /// Flushes a file to stable storage.
    Flush(u16),
    /// Makes a directory; one that is there stays.
    MakeDirectory(Node),
    /// Removes an empty directory.
    RemoveDirectory(Node),
    /// Removes a directory with everything in it, if it is there.
    RemoveTree(Node),
}

impl Action {
    /// The place of its kind in [`KINDS`].
    #[must_use]
    pub const fn kind(&self) -> usize {
        match self {
            Self::Create { .. } => 0,
            Self::Close(_) => 1,
            Self::Rename { .. } => 2,
            Self::Unlink(_) => 3,
            Self::QueryPath(_) => 4,
            Self::QueryFile(_) => 5,
            Self::QueryFilesystem => 6,
            Self::SetInfo(_) => 7,
            Self::Find { .. } => 8,
            Self::Write { .. } => 9,
            Self::Read { .. } => 10,
            Self::Lock { .. } => 11,
            Self::Unlock { .. } => 12,
            Self::Flush(_) => 13,
            Self::MakeDirectory(_) => 14,
            Self::RemoveDirectory(_) => 15,
            Self::RemoveTree(_) => 16,
        }
    }
}

/// One operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Operation {
    /// The line of the loadfile, from 1.
    pub line: u32,
    /// Whether it is to fail.
    pub fails: bool,
    /// What is done.
    pub action: Action,
}
