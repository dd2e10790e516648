//! The rehearsal of a loadfile in memory: whether each operation would do what the loadfile says, and what a client needs at the most.

use super::error::{LoadfileError, Problem};
use super::names::{Names, Node, ROOT};
use super::operation::{Action, Opening, Operation};

/// The most handles that are open at once: each is a descriptor of every client.
pub const MOST_HANDLES: usize = 4096;

/// What a client needs at the most while it replays.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Needs {
    /// Files and directories at once, with its own directory and files that are only open.
    pub inodes: u64,
    /// Bytes of all files at once.
    pub bytes: u64,
    /// Bytes of the longest transfer.
    pub transfer: u64,
    /// Handles that are open at once.
    pub handles: u64,
    /// Directories that are there at once, each of which is kept open.
    pub directories: u64,
}

/// A file or directory of the rehearsal.
#[derive(Debug, Clone, Copy)]
struct Inode {
    /// Bytes of a file; `None` for a directory.
    size: Option<u64>,
    has_name: bool,
    opens: u32,
    /// Entries of a directory.
    entries: u32,
}

/// What is there in a moment of the rehearsal.
struct Stage<'l> {
    names: &'l Names,
    inodes: Vec<Inode>,
    free: Vec<u32>,
    /// What has a name, by the name.
    named: Vec<Option<u32>>,
    /// What is open, by the handle.
    open: Vec<Option<u32>>,
    now: Needs,
    most: Needs,
}

/// Why an operation fails.
type Failure = &'static str;

const NOT_THERE: Failure = "there is no such file or directory";
const NO_DIRECTORY: Failure = "the directory that it lies in is not there";
const NO_FILE: Failure = "it is a directory";
const IS_FILE: Failure = "it is a file";
const NOT_EMPTY: Failure = "the directory is not empty";

/// Rehearses two passes, so that it is known that each pass finds what the first one found.
pub fn rehearse(operations: &[Operation], names: &Names) -> Result<Needs, LoadfileError> {
    let mut stage = Stage {
        names,
        inodes: Vec::new(),
        free: Vec::new(),
        named: vec![None; names.len()],
        open: vec![None; MOST_HANDLES],
        now: Needs::default(),
        most: Needs::default(),
    };
    let root = stage.new_inode(None);
    stage.named[ROOT as usize] = Some(root);
    let in_line = |line, problem| LoadfileError::Line { line, problem };
    stage.pass(operations).map_err(|(line, problem)| in_line(line, problem))?;
    let first = stage.left();
    stage.pass(operations).map_err(|(line, problem)| in_line(line, Problem::SecondPass(Box::new(problem))))?;
    if stage.left() != first {
        return Err(in_line(operations.last().map_or(0, |last| last.line), Problem::Growing));
    }
    Ok(stage.most)
}

impl Stage<'_> {
    fn pass(&mut self, operations: &[Operation]) -> Result<(), (u32, Problem)> {
        for operation in operations {
            let done = self.operation(&operation.action).map_err(|problem| (operation.line, problem))?;
            match (done, operation.fails) {
                (Ok(()), false) | (Err(_), true) => {}
                // Whether a pattern finds anything decides no call, and dbench does not look at it either.
                (Ok(()), true) if matches!(operation.action, Action::Find { is_pattern: true, .. }) => {}
                (Err(failure), false) => return Err((operation.line, Problem::WouldFail(failure))),
                (Ok(()), true) => return Err((operation.line, Problem::WouldSucceed)),
            }
        }
        Ok(())
    }

    /// Names with what they are: equal lists are equal trees.
    fn left(&self) -> Vec<Option<Option<u64>>> {
        self.named.iter().map(|inode| inode.map(|inode| self.inodes[inode as usize].size)).collect()
    }

    /// Does an operation; tells whether it fails. An error is what barrow does not replay.
    fn operation(&mut self, action: &Action) -> Result<Result<(), Failure>, Problem> {
        let done = match *action {
            Action::Create { node, handle, opening } => self.create(node, handle, opening)?,
            Action::Close(handle) => {
                if let Some(inode) = self.open[usize::from(handle)].take() {
                    self.inodes[inode as usize].opens -= 1;
                    self.now.handles -= 1;
                    self.drop_if_gone(inode);
                }
                Ok(())
            }
            Action::Rename { from, to } => self.rename(from, to)?,
            Action::Unlink(node) => match self.size_of(node) {
                None => Err(NOT_THERE),
                Some(None) => Err(NO_FILE),
                Some(Some(_)) => {
                    self.take_name(node);
                    Ok(())
                }
            },
            Action::QueryPath(node) => self.size_of(node).map(drop).ok_or(NOT_THERE),
            Action::Find { node, is_pattern } => self.find(node, is_pattern),
            Action::Write { handle, offset, bytes } => {
                self.most.transfer = self.most.transfer.max(u64::from(bytes));
                self.write(handle, offset, u64::from(bytes))
            }
            Action::Read { handle, offset, bytes, given } => {
                self.most.transfer = self.most.transfer.max(u64::from(bytes));
                self.read(handle, offset, u64::from(bytes), u64::from(given))?
            }
            Action::QueryFile(_) | Action::QueryFilesystem | Action::SetInfo(_) | Action::Flush(_) => Ok(()),
            Action::Lock { handle, .. } | Action::Unlock { handle, .. } => self.file_size(handle).map(drop).ok_or(NO_FILE),
            Action::MakeDirectory(node) => match self.size_of(node) {
                Some(None) => Ok(()),
                Some(Some(_)) => Err(IS_FILE),
                None => self.add(node, None),
            },
            Action::RemoveDirectory(node) => self.remove_directory(node)?,
            Action::RemoveTree(node) => self.remove_tree(node)?,
        };
        Ok(done)
    }

    /// What has a name: the size of a file, `None` inside for a directory.
    fn size_of(&self, node: Node) -> Option<Option<u64>> {
        self.named[node as usize].map(|inode| self.inodes[inode as usize].size)
    }

    /// The size of an open file; `None` for a directory.
    fn file_size(&self, handle: u16) -> Option<u64> {
        self.open[usize::from(handle)].and_then(|inode| self.inodes[inode as usize].size)
    }

    fn new_inode(&mut self, size: Option<u64>) -> u32 {
        let inode = Inode { size, has_name: true, opens: 0, entries: 0 };
        self.now.inodes += 1;
        self.now.directories += u64::from(size.is_none());
        self.most.inodes = self.most.inodes.max(self.now.inodes);
        self.most.directories = self.most.directories.max(self.now.directories);
        match self.free.pop() {
            Some(place) => {
                self.inodes[place as usize] = inode;
                place
            }
            None => {
                self.inodes.push(inode);
                (self.inodes.len() - 1) as u32
            }
        }
    }

    fn drop_if_gone(&mut self, place: u32) {
        let inode = self.inodes[place as usize];
        if !inode.has_name && inode.opens == 0 {
            self.now.inodes -= 1;
            self.now.directories -= u64::from(inode.size.is_none());
            self.now.bytes -= inode.size.unwrap_or(0);
            self.free.push(place);
        }
    }

    fn entries_of_parent(&mut self, node: Node) -> Option<&mut u32> {
        let parent = self.named[self.names.at(node).parent as usize]?;
        let inode = &mut self.inodes[parent as usize];
        inode.size.is_none().then_some(&mut inode.entries)
    }

    /// Gives a name to something new.
    fn add(&mut self, node: Node, size: Option<u64>) -> Result<(), Failure> {
        *self.entries_of_parent(node).ok_or(NO_DIRECTORY)? += 1;
        let inode = self.new_inode(size);
        self.named[node as usize] = Some(inode);
        Ok(())
    }

    fn take_name(&mut self, node: Node) {
        if let Some(inode) = self.named[node as usize].take() {
            if let Some(entries) = self.entries_of_parent(node) {
                *entries -= 1;
            }
            self.inodes[inode as usize].has_name = false;
            self.drop_if_gone(inode);
        }
    }

    fn set_size(&mut self, inode: u32, size: u64) {
        let old = self.inodes[inode as usize].size.replace(size).unwrap_or(0);
        self.now.bytes = self.now.bytes + size - old;
        self.most.bytes = self.most.bytes.max(self.now.bytes);
    }

    fn create(&mut self, node: Node, handle: Option<u16>, opening: Opening) -> Result<Result<(), Failure>, Problem> {
        let made = match (opening, self.size_of(node)) {
            (Opening::Existing, None) => Err(NOT_THERE),
            (Opening::Directory, Some(Some(_))) => Err(IS_FILE),
            (Opening::Directory, None) => self.add(node, None),
            (Opening::Make | Opening::Empty, None) => self.add(node, Some(0)),
            // As open(2) answers to O_CREAT, without which dbench opens it as a directory in a second try.
            (Opening::Existing | Opening::Directory | Opening::Make | Opening::Empty, Some(None))
            | (Opening::Existing | Opening::Make, Some(Some(_))) => Ok(()),
            (Opening::Empty, Some(Some(_))) => {
                if let Some(inode) = self.named[node as usize] {
                    self.set_size(inode, 0);
                }
                Ok(())
            }
        };
        if let (Ok(()), Some(handle)) = (made, handle) {
            let inode = self.named[node as usize];
            self.open[usize::from(handle)] = inode;
            if let Some(inode) = inode {
                self.inodes[inode as usize].opens += 1;
            }
            self.now.handles += 1;
            self.most.handles = self.most.handles.max(self.now.handles);
        }
        Ok(made)
    }

    fn rename(&mut self, from: Node, to: Node) -> Result<Result<(), Failure>, Problem> {
        let is_directory = |stage: &Self, node| stage.size_of(node) == Some(None);
        if is_directory(self, from) {
            return Err(Problem::Unreplayable("renames a directory"));
        }
        if self.size_of(from).is_none() {
            return Ok(Err(NOT_THERE));
        }
        if is_directory(self, to) {
            return Ok(Err(NO_FILE));
        }
        if self.entries_of_parent(to).is_none() {
            return Ok(Err(NO_DIRECTORY));
        }
        if from != to {
            self.take_name(to);
            if let Some(entries) = self.entries_of_parent(from) {
                *entries -= 1;
            }
            if let Some(entries) = self.entries_of_parent(to) {
                *entries += 1;
            }
            self.named[to as usize] = self.named[from as usize].take();
        }
        Ok(Ok(()))
    }

    /// Whether the search of a directory finds anything; what is no pattern must be there.
    fn find(&self, node: Node, is_pattern: bool) -> Result<(), Failure> {
        if !is_pattern {
            return self.size_of(node).map(drop).ok_or(NOT_THERE);
        }
        if self.size_of(self.names.at(node).parent) != Some(None) {
            return Err(NO_DIRECTORY);
        }
        Ok(())
    }

    fn write(&mut self, handle: u16, offset: u64, bytes: u64) -> Result<(), Failure> {
        let size = self.file_size(handle).ok_or(NO_FILE)?;
        if let (Some(inode), true) = (self.open[usize::from(handle)], bytes > 0) {
            self.set_size(inode, size.max(offset + bytes));
        }
        Ok(())
    }

    fn read(&self, handle: u16, offset: u64, bytes: u64, given: u64) -> Result<Result<(), Failure>, Problem> {
        let Some(size) = self.file_size(handle) else { return Ok(Err(NO_FILE)) };
        let found = bytes.min(size.saturating_sub(offset));
        if found == given { Ok(Ok(())) } else { Err(Problem::OtherLength { found, given }) }
    }

    fn remove_directory(&mut self, node: Node) -> Result<Result<(), Failure>, Problem> {
        self.keep_root(node)?;
        let Some(inode) = self.named[node as usize].map(|inode| self.inodes[inode as usize]) else { return Ok(Err(NOT_THERE)) };
        if inode.size.is_some() {
            return Ok(Err(IS_FILE));
        }
        if inode.entries > 0 {
            return Ok(Err(NOT_EMPTY));
        }
        self.take_name(node);
        Ok(Ok(()))
    }

    /// What is not there needs not be removed, as with dbench.
    fn remove_tree(&mut self, node: Node) -> Result<Result<(), Failure>, Problem> {
        self.keep_root(node)?;
        match self.size_of(node) {
            None => return Ok(Ok(())),
            Some(Some(_)) => return Ok(Err(IS_FILE)),
            Some(None) => {}
        }
        let is_empty = self.named[node as usize].is_some_and(|inode| self.inodes[inode as usize].entries == 0);
        // A name is numbered behind the directory that it lies in, so what is inside goes first.
        for inside in (node..if is_empty { node + 1 } else { self.names.len() as Node }).rev() {
            if self.named[inside as usize].is_some() && self.names.lies_in(inside, node) {
                self.take_name(inside);
            }
        }
        Ok(Ok(()))
    }

    fn keep_root(&self, node: Node) -> Result<(), Problem> {
        if node == ROOT { Err(Problem::Unreplayable("removes the client's own directory")) } else { Ok(()) }
    }
}
