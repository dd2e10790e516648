//! One client: it makes the calls that dbench makes for each line of a loadfile, and checks that they end as the loadfile says.

use super::directories::Directories;
use super::home;
use crate::model::loadfile::{Action, KINDS, Loadfile, Node, Opening, Operation};
use crate::model::settings::{Io, SyncAt};
use crate::phases::pool::{Buffer, Pool};
use crate::phases::{Job, PhaseError};
use crate::target::{Access, Handle, Target, write_all};
use std::io::{self, ErrorKind};
use std::sync::Arc;

/// How the calls fail that a loadfile expects to fail: all other errors are none that a file server could mean.
const REFUSALS: [ErrorKind; 5] =
    [ErrorKind::NotFound, ErrorKind::NotADirectory, ErrorKind::IsADirectory, ErrorKind::AlreadyExists, ErrorKind::DirectoryNotEmpty];

/// A client with what it has open.
pub struct Client<'t> {
    target: &'t dyn Target,
    sync: SyncAt,
    number: u64,
    loadfile: Arc<Loadfile>,
    directories: Directories,
    open: Vec<Option<Handle>>,
    pool: Pool,
    buffer: Buffer,
}

impl<'t> Client<'t> {
    /// One with its data and buffers, whose directory is there and empty.
    pub fn of(job: Job<'t>, loadfile: Arc<Loadfile>, number: u64) -> Self {
        let needs = loadfile.needs();
        let longest = needs.transfer as usize;
        Self {
            target: job.target,
            sync: job.plan.settings.sync,
            number,
            directories: Directories::of(&loadfile, number),
            open: (0..needs.handles).map(|_| None).collect(),
            pool: Pool::of(job.stamps.nonce, number, longest),
            buffer: Buffer::of(longest),
            loadfile,
        }
    }

    /// What it replays.
    pub fn loadfile(&self) -> Arc<Loadfile> {
        self.loadfile.clone()
    }

    /// Does one operation; tells how many bytes were read or written.
    ///
    /// # Errors
    /// Names the line whose operation failed or, where that was to fail, did not.
    #[inline]
    pub fn replay(&mut self, operation: &Operation) -> Result<u64, PhaseError> {
        match (self.calls(&operation.action), operation.fails) {
            (Ok(bytes), false) => Ok(bytes),
            (Err(error), true) if REFUSALS.contains(&error.kind()) => Ok(0),
            // Whether a pattern finds anything does not matter.
            (Ok(bytes), true) if matches!(operation.action, Action::Find { is_pattern: true, .. }) => Ok(bytes),
            (Ok(_), true) => Err(self.failed(operation, io::Error::other("did not fail, as the loadfile says that it does"))),
            (Err(source), _) => Err(self.failed(operation, source)),
        }
    }

    #[cold]
    fn failed(&self, operation: &Operation, source: io::Error) -> PhaseError {
        let named = match operation.action {
            Action::Create { node, .. }
            | Action::Unlink(node)
            | Action::QueryPath(node)
            | Action::Find { node, .. }
            | Action::MakeDirectory(node)
            | Action::RemoveDirectory(node)
            | Action::RemoveTree(node)
            | Action::Rename { from: node, .. } => format!(" {}", self.loadfile.path(node)),
            Action::Read { offset, bytes, .. } | Action::Write { offset, bytes, .. } => format!(" {bytes} bytes at byte {offset}"),
            Action::Close(_)
            | Action::QueryFile(_)
            | Action::QueryFilesystem
            | Action::SetInfo(_)
            | Action::Lock { .. }
            | Action::Unlock { .. }
            | Action::Flush(_) => String::new(),
        };
        let directory = home::name(self.number);
        let kind = KINDS[operation.action.kind()];
        let doing = format!("replay line {} of the loadfile in {}: {kind}{named}", operation.line, directory.to_string_lossy());
        PhaseError::Call { doing, source }
    }

    fn calls(&mut self, action: &Action) -> io::Result<u64> {
        match *action {
            Action::Create { node, handle, opening } => self.create(node, handle, opening)?,
            Action::Close(handle) => {
                let handle = self.open[usize::from(handle)].take().ok_or_else(not_open)?;
                self.target.close(handle)?;
            }
            Action::Rename { from, to } => self.rename(from, to)?,
            Action::Unlink(node) => {
                self.resolve(node)?;
                let (directory, name) = self.directories.place_of(self.target, &self.loadfile, node)?;
                self.target.unlink(directory, name)?;
                self.sync_directory_of(node)?;
            }
            Action::QueryPath(node) => return if self.resolve(node)? { Ok(0) } else { Err(ErrorKind::NotFound.into()) },
            Action::QueryFile(handle) => drop(self.target.status_open(self.handle(handle)?)?),
            Action::QueryFilesystem => drop(self.target.free_bytes()?),
            Action::SetInfo(handle) => {
                let handle = self.handle(handle)?;
                self.target.status_open(handle)?;
                self.target.set_times(handle)?;
            }
            Action::Find { node, is_pattern } => self.find(node, is_pattern)?,
            Action::Write { handle, offset, bytes } => {
                let handle = self.open[usize::from(handle)].as_ref().ok_or_else(not_open)?;
                write_all(self.target, handle, self.pool.slice(bytes as usize), offset)?;
                return Ok(u64::from(bytes));
            }
            Action::Read { handle, offset, bytes, given } => return self.read(handle, offset, bytes as usize, given as usize),
            Action::Lock { handle, offset, bytes } => self.target.lock(self.handle(handle)?, offset, u64::from(bytes))?,
            Action::Unlock { handle, offset, bytes } => self.target.unlock(self.handle(handle)?, offset, u64::from(bytes))?,
            Action::Flush(handle) => self.target.sync(self.handle(handle)?)?,
            Action::MakeDirectory(node) => {
                self.resolve(node)?;
                self.make_directory(node)?;
            }
            Action::RemoveDirectory(node) => {
                self.resolve(node)?;
                self.directories.forget(&self.loadfile, node);
                let (parent, name) = self.directories.place_of(self.target, &self.loadfile, node)?;
                self.target.remove_directory(parent, name)?;
                self.sync_directory_of(node)?;
            }
            Action::RemoveTree(node) => self.remove_tree(node)?,
        }
        Ok(0)
    }

    fn handle(&self, handle: u16) -> io::Result<&Handle> {
        self.open[usize::from(handle)].as_ref().ok_or_else(not_open)
    }

    /// Looks for a name as a server does whose clients do not tell capitals from small letters: by the name as it is, and where nothing
    /// has it, in the list of the directory. Tells whether it is there.
    fn resolve(&mut self, node: Node) -> io::Result<bool> {
        let (directory, name) = match self.directories.place_of(self.target, &self.loadfile, node) {
            Ok(place) => place,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(error),
        };
        match self.target.status(directory, name) {
            Ok(_) => Ok(true),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                self.target.list(directory)?;
                Ok(false)
            }
            Err(error) => Err(error),
        }
    }

    fn create(&mut self, node: Node, handle: Option<u16>, opening: Opening) -> io::Result<()> {
        let is_there = self.resolve(node)?;
        if opening == Opening::Directory && !is_there {
            self.make_directory(node)?;
        }
        let (directory, name) = self.directories.place_of(self.target, &self.loadfile, node)?;
        let (existing, new) = match self.sync {
            SyncAt::Open => (Access::ReadWriteSync, Access::CreateNewSync),
            SyncAt::End | SyncAt::Every | SyncAt::Dirs => (Access::ReadWrite, Access::CreateNew),
        };
        let makes = !is_there && matches!(opening, Opening::Make | Opening::Empty);
        let opened = match opening {
            Opening::Directory => self.target.open_directory(directory, name),
            Opening::Existing | Opening::Make | Opening::Empty => {
                match self.target.open(directory, name, if makes { new } else { existing }, Io::Buffered) {
                    Err(error) if error.kind() == ErrorKind::IsADirectory => self.target.open_directory(directory, name),
                    opened => opened,
                }
            }
        }?;
        if opening == Opening::Empty && is_there {
            self.target.set_length(&opened, 0)?;
        }
        match handle {
            Some(handle) => self.open[usize::from(handle)] = Some(opened),
            None => self.target.close(opened)?,
        }
        if makes { self.sync_directory_of(node) } else { Ok(()) }
    }

    /// One that is there stays.
    fn make_directory(&mut self, node: Node) -> io::Result<()> {
        let (parent, name) = self.directories.place_of(self.target, &self.loadfile, node)?;
        match self.target.make_directory(parent, name) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
            Err(error) => Err(error),
            Ok(()) => self.sync_directory_of(node),
        }
    }

    fn rename(&mut self, from: Node, to: Node) -> io::Result<()> {
        self.resolve(from)?;
        self.resolve(to)?;
        // Both directories are open now, as far as they are there.
        let old = self.directories.parent_of(self.target, &self.loadfile, from)?;
        let new = self.directories.parent_of(self.target, &self.loadfile, to)?;
        self.target.rename(old, self.loadfile.name(from).last(), new, self.loadfile.name(to).last())?;
        self.sync_directory_of(to)
    }

    fn find(&mut self, node: Node, is_pattern: bool) -> io::Result<()> {
        let is_there = self.resolve(node)?;
        if !is_pattern {
            return if is_there { Ok(()) } else { Err(ErrorKind::NotFound.into()) };
        }
        let (directory, _) = self.directories.place_of(self.target, &self.loadfile, node)?;
        self.target.list(directory).map(drop)
    }

    /// Reads as far as the file goes, which must be as far as the loadfile says.
    fn read(&mut self, handle: u16, offset: u64, bytes: usize, given: usize) -> io::Result<u64> {
        let handle = self.open[usize::from(handle)].as_ref().ok_or_else(not_open)?;
        let buffer = &mut self.buffer.bytes()[..bytes];
        let mut done = 0;
        loop {
            match self.target.read(handle, &mut buffer[done..], offset + done as u64) {
                Ok(count) => {
                    done += count;
                    if count == 0 || done >= given {
                        break;
                    }
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        if done == given { Ok(done as u64) } else { Err(io::Error::other(format!("gave {done} bytes, and {given} were written there"))) }
    }

    /// What is not there needs not be removed.
    fn remove_tree(&mut self, node: Node) -> io::Result<()> {
        if !self.is_there(node)? {
            return Ok(());
        }
        self.directories.forget(&self.loadfile, node);
        let (parent, name) = self.directories.place_of(self.target, &self.loadfile, node)?;
        home::remove_tree(self.target, parent, name)?;
        self.sync_directory_of(node)
    }

    fn is_there(&mut self, node: Node) -> io::Result<bool> {
        let place = self.directories.place_of(self.target, &self.loadfile, node);
        match place.and_then(|(directory, name)| self.target.status(directory, name)) {
            Ok(_) => Ok(true),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Flushes the directory in which a name was made or removed, where the plan wants that.
    fn sync_directory_of(&self, node: Node) -> io::Result<()> {
        match self.sync {
            SyncAt::Dirs => self.target.sync(self.directories.parent_of(self.target, &self.loadfile, node)?),
            SyncAt::End | SyncAt::Every | SyncAt::Open => Ok(()),
        }
    }
}

#[cold]
fn not_open() -> io::Error {
    io::Error::other("the handle is not open")
}
