//! The files and directories of the filesystem, in memory.

use super::fault::Fault;
use fuser::{Errno, FileAttr, FileType, INodeNo};
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::time::UNIX_EPOCH;

/// Bytes of a block.
pub const BLOCK: u32 = 4096;
/// Bytes by which a file's memory grows; pages that are not written to yet cost nothing. Moving a large file to a larger place would
/// take longer than a delay.
const ROOM: usize = 256 << 20;
/// What nobody wrote: this byte, over and over.
const FOREIGN: u8 = 7;

/// Who something belongs to, and what may be done with it.
#[derive(Debug, Clone, Copy)]
pub struct Rights {
    /// The permission bits.
    pub mode: u32,
    /// The user's number.
    pub owner: u32,
    /// The group's number.
    pub group: u32,
}

/// What a file holds, and what it held where it was written over.
#[derive(Debug, Default)]
struct Contents {
    bytes: Vec<u8>,
    before: Vec<u8>,
}

/// What something is.
#[derive(Debug)]
enum Body {
    File(Contents),
    Directory(BTreeMap<OsString, INodeNo>),
}

/// A file or a directory. Without a name once it was removed, until the kernel forgets it.
#[derive(Debug)]
struct Node {
    parent: INodeNo,
    name: OsString,
    is_named: bool,
    rights: Rights,
    body: Body,
}

/// Everything, by number.
#[derive(Debug)]
pub struct Tree {
    nodes: BTreeMap<u64, Node>,
    last: u64,
}

/// What is to be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// An empty file.
    File,
    /// An empty directory.
    Directory,
}

impl Tree {
    /// An empty root that everybody may write to.
    pub fn new() -> Self {
        let rights = Rights { mode: 0o1777, owner: 0, group: 0 };
        let body = Body::Directory(BTreeMap::new());
        let root = Node { parent: INodeNo::ROOT, name: OsString::new(), is_named: true, rights, body };
        Self { nodes: BTreeMap::from([(INodeNo::ROOT.0, root)]), last: INodeNo::ROOT.0 }
    }

    fn node(&self, number: INodeNo) -> Result<&Node, Errno> {
        self.nodes.get(&number.0).ok_or(Errno::ENOENT)
    }

    fn node_mut(&mut self, number: INodeNo) -> Result<&mut Node, Errno> {
        self.nodes.get_mut(&number.0).ok_or(Errno::ENOENT)
    }

    fn entries(&self, directory: INodeNo) -> Result<&BTreeMap<OsString, INodeNo>, Errno> {
        match &self.node(directory)?.body {
            Body::Directory(entries) => Ok(entries),
            Body::File(_) => Err(Errno::ENOTDIR),
        }
    }

    fn entries_mut(&mut self, directory: INodeNo) -> Result<&mut BTreeMap<OsString, INodeNo>, Errno> {
        match &mut self.node_mut(directory)?.body {
            Body::Directory(entries) => Ok(entries),
            Body::File(_) => Err(Errno::ENOTDIR),
        }
    }

    /// The number of what has a name.
    pub fn find(&self, directory: INodeNo, name: &OsStr) -> Result<INodeNo, Errno> {
        self.entries(directory)?.get(name).copied().ok_or(Errno::ENOENT)
    }

    /// Makes something that is not there yet.
    pub fn make(&mut self, directory: INodeNo, name: &OsStr, kind: Kind, rights: Rights) -> Result<INodeNo, Errno> {
        if self.entries(directory)?.contains_key(name) {
            return Err(Errno::EEXIST);
        }
        self.last += 1;
        let number = INodeNo(self.last);
        let body = match kind {
            Kind::File => Body::File(Contents::default()),
            Kind::Directory => Body::Directory(BTreeMap::new()),
        };
        self.nodes.insert(number.0, Node { parent: directory, name: name.to_owned(), is_named: true, rights, body });
        self.entries_mut(directory)?.insert(name.to_owned(), number);
        Ok(number)
    }

    /// Removes a name. What had it stays for those who have it open.
    pub fn remove(&mut self, directory: INodeNo, name: &OsStr, kind: Kind) -> Result<(), Errno> {
        let number = self.find(directory, name)?;
        let node = self.node_mut(number)?;
        match (&node.body, kind) {
            (Body::Directory(entries), Kind::Directory) if !entries.is_empty() => return Err(Errno::ENOTEMPTY),
            (Body::Directory(_), Kind::Directory) | (Body::File(_), Kind::File) => node.is_named = false,
            (Body::Directory(_), Kind::File) => return Err(Errno::EISDIR),
            (Body::File(_), Kind::Directory) => return Err(Errno::ENOTDIR),
        }
        self.entries_mut(directory)?.remove(name);
        Ok(())
    }

    /// The kernel knows a number no more: what has no name is gone.
    pub fn forget(&mut self, number: INodeNo) {
        if self.nodes.get(&number.0).is_some_and(|node| !node.is_named) {
            self.nodes.remove(&number.0);
        }
    }

    /// The names of the directory that something lies in, and of itself.
    pub fn names(&self, number: INodeNo) -> Result<(String, String), Errno> {
        let node = self.node(number)?;
        let directory = &self.node(node.parent)?.name;
        Ok((directory.to_string_lossy().into_owned(), node.name.to_string_lossy().into_owned()))
    }

    /// Bytes of a file from an offset; fewer at its end.
    pub fn read(&self, number: INodeNo, offset: u64, size: u32, fault: Option<Fault>) -> Result<Vec<u8>, Errno> {
        let Body::File(contents) = &self.node(number)?.body else {
            return Err(Errno::EISDIR);
        };
        let bytes = if fault == Some(Fault::Stale) { &contents.before } else { &contents.bytes };
        let start = bytes.len().min(offset as usize);
        let end = bytes.len().min(start + size as usize);
        let mut found = bytes[start..end].to_vec();
        match fault {
            Some(Fault::Short(most)) => found.truncate(most as usize),
            Some(Fault::Zeros) => found.fill(0),
            Some(Fault::Foreign) => found.fill(FOREIGN),
            Some(Fault::Error(_) | Fault::Hang | Fault::Delay(_) | Fault::Stale | Fault::Lost) | None => {}
        }
        Ok(found)
    }

    /// Writes into a file, which grows when it must. Gives how many bytes it says were written.
    pub fn write(&mut self, number: INodeNo, offset: u64, data: &[u8], fault: Option<Fault>) -> Result<u32, Errno> {
        let Body::File(Contents { bytes, before }) = &mut self.node_mut(number)?.body else {
            return Err(Errno::EISDIR);
        };
        let data = match fault {
            Some(Fault::Lost) => return Ok(data.len() as u32),
            Some(Fault::Short(most)) => &data[..data.len().min(most as usize)],
            Some(Fault::Error(_) | Fault::Hang | Fault::Delay(_) | Fault::Zeros | Fault::Stale | Fault::Foreign) | None => data,
        };
        let (start, end) = (offset as usize, offset as usize + data.len());
        if end > bytes.capacity() {
            bytes.reserve(ROOM);
        }
        if start < bytes.len() {
            let old = start..end.min(bytes.len());
            before.resize(before.len().max(old.end), 0);
            before[old.clone()].copy_from_slice(&bytes[old]);
        }
        bytes.resize(bytes.len().max(end), 0);
        bytes[start..end].copy_from_slice(data);
        Ok(data.len() as u32)
    }

    /// Changes mode and size, where asked for.
    pub fn change(&mut self, number: INodeNo, mode: Option<u32>, size: Option<u64>) -> Result<(), Errno> {
        let node = self.node_mut(number)?;
        node.rights.mode = mode.unwrap_or(node.rights.mode);
        if let (Body::File(contents), Some(size)) = (&mut node.body, size) {
            contents.bytes.resize(size as usize, 0);
        }
        Ok(())
    }

    /// What stat(2) says.
    pub fn attributes(&self, number: INodeNo) -> Result<FileAttr, Errno> {
        let node = self.node(number)?;
        let (kind, size) = match &node.body {
            Body::File(contents) => (FileType::RegularFile, contents.bytes.len() as u64),
            Body::Directory(_) => (FileType::Directory, 0),
        };
        Ok(FileAttr {
            ino: number,
            size,
            blocks: size.div_ceil(512),
            atime: UNIX_EPOCH,
            mtime: UNIX_EPOCH,
            ctime: UNIX_EPOCH,
            crtime: UNIX_EPOCH,
            kind,
            perm: (node.rights.mode & 0o7777) as u16,
            nlink: u32::from(node.is_named),
            uid: node.rights.owner,
            gid: node.rights.group,
            rdev: 0,
            blksize: BLOCK,
            flags: 0,
        })
    }

    /// What is in a directory.
    pub fn list(&self, directory: INodeNo) -> Result<Vec<(INodeNo, FileType, OsString)>, Errno> {
        let own = [(directory, FileType::Directory, ".".into()), (self.node(directory)?.parent, FileType::Directory, "..".into())];
        let entry = |(name, number): (&OsString, &INodeNo)| Ok((*number, self.attributes(*number)?.kind, name.clone()));
        own.into_iter().map(Ok).chain(self.entries(directory)?.iter().map(entry)).collect()
    }

    /// The names in the root.
    pub fn root_names(&self) -> Vec<String> {
        let entries = self.entries(INodeNo::ROOT).into_iter().flatten();
        entries.map(|(name, _)| name.to_string_lossy().into_owned()).collect()
    }

    /// The names of all files, wherever they lie.
    pub fn file_names(&self) -> Vec<String> {
        let named = self.nodes.values().filter(|node| node.is_named && matches!(node.body, Body::File(_)));
        named.map(|node| node.name.to_string_lossy().into_owned()).collect()
    }
}
