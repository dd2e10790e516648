//! Answers the kernel's requests.

use super::fault::Fault;
use super::schedule::{Operation, Schedule, Step};
use super::tree::{BLOCK, Kind, Rights, Tree};
use super::{Behaviour, locked};
use fuser::{
    BsdFileFlags, Errno, FileAttr, FileHandle, Filesystem, FopenFlags, Generation, INodeNo, LockOwner, OpenFlags, ReplyAttr, ReplyCreate,
    ReplyData, ReplyDirectory, ReplyEmpty, ReplyEntry, ReplyOpen, ReplyStatfs, ReplyWrite, Request, TimeOrNow, WriteFlags,
};
use std::ffi::OsStr;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

/// Nothing but data is cached: every question about a name reaches the server.
const NOT_KEPT: Duration = Duration::ZERO;
/// The size that is shown, in blocks and in files.
const BLOCKS: u64 = 1 << 20;

/// The filesystem as the kernel sees it.
pub struct Server {
    behaviour: Behaviour,
    schedule: Arc<Schedule>,
    tree: Arc<Mutex<Tree>>,
}

impl Server {
    /// One that shares its log and its files.
    pub const fn of(behaviour: Behaviour, schedule: Arc<Schedule>, tree: Arc<Mutex<Tree>>) -> Self {
        Self { behaviour, schedule, tree }
    }

    /// An operation on what has a number: written down, done, and answered when its time is over.
    fn step<T>(&self, operation: Operation, number: INodeNo, work: impl FnOnce(&mut Tree) -> Result<T, Errno>) -> Result<T, Errno> {
        self.transfer(operation, number, (0, 0), |tree, _| work(tree))
    }

    /// An operation on a name, whether something has it or not.
    fn step_below<T>(
        &self,
        operation: Operation,
        parent: INodeNo,
        name: &OsStr,
        work: impl FnOnce(&mut Tree) -> Result<T, Errno>,
    ) -> Result<T, Errno> {
        let start = Instant::now();
        let (_, directory) = locked(&self.tree).names(parent)?;
        let name = name.to_string_lossy().into_owned();
        self.schedule.pass(start, Step { operation, offset: 0, size: 0, directory, name }, |_| work(&mut locked(&self.tree)))
    }

    /// A read or write at an offset, of so many bytes.
    fn transfer<T>(
        &self,
        operation: Operation,
        number: INodeNo,
        (offset, size): (u64, u32),
        work: impl FnOnce(&mut Tree, Option<Fault>) -> Result<T, Errno>,
    ) -> Result<T, Errno> {
        let start = Instant::now();
        let (directory, name) = locked(&self.tree).names(number)?;
        let step = Step { operation, offset, size, directory, name };
        self.schedule.pass(start, step, |fault| work(&mut locked(&self.tree), fault))
    }

    /// How a file is opened; `EINVAL` for direct I/O that is refused.
    fn opened(&self, flags: i32) -> Result<FopenFlags, Errno> {
        if self.behaviour.refuses_direct_io && flags & libc::O_DIRECT != 0 {
            return Err(Errno::EINVAL);
        }
        Ok(if self.behaviour.passes_page_cache { FopenFlags::FOPEN_DIRECT_IO } else { FopenFlags::FOPEN_KEEP_CACHE })
    }
}

/// Makes something that belongs to who asks for it.
fn make(tree: &mut Tree, request: &Request, parent: INodeNo, name: &OsStr, kind: Kind, mode: u32) -> Result<FileAttr, Errno> {
    let number = tree.make(parent, name, kind, Rights { mode, owner: request.uid(), group: request.gid() })?;
    tree.attributes(number)
}

impl Filesystem for Server {
    fn lookup(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        let found = self.step_below(Operation::Lookup, parent, name, |tree| tree.attributes(tree.find(parent, name)?));
        match found {
            Ok(attributes) => reply.entry(&NOT_KEPT, &attributes, Generation(0)),
            Err(error) => reply.error(error),
        }
    }

    fn forget(&self, _: &Request, number: INodeNo, _: u64) {
        locked(&self.tree).forget(number);
    }

    fn getattr(&self, _: &Request, number: INodeNo, _: Option<FileHandle>, reply: ReplyAttr) {
        match self.step(Operation::Attributes, number, |tree| tree.attributes(number)) {
            Ok(attributes) => reply.attr(&NOT_KEPT, &attributes),
            Err(error) => reply.error(error),
        }
    }

    fn setattr(
        &self,
        _: &Request,
        number: INodeNo,
        mode: Option<u32>,
        _owner: Option<u32>,
        _group: Option<u32>,
        size: Option<u64>,
        _: Option<TimeOrNow>,
        _: Option<TimeOrNow>,
        _: Option<SystemTime>,
        _: Option<FileHandle>,
        _: Option<SystemTime>,
        _: Option<SystemTime>,
        _: Option<SystemTime>,
        _: Option<BsdFileFlags>,
        reply: ReplyAttr,
    ) {
        let changed = self.step(Operation::ChangeAttributes, number, |tree| {
            tree.change(number, mode, size)?;
            tree.attributes(number)
        });
        match changed {
            Ok(attributes) => reply.attr(&NOT_KEPT, &attributes),
            Err(error) => reply.error(error),
        }
    }

    fn mkdir(&self, request: &Request, parent: INodeNo, name: &OsStr, mode: u32, _: u32, reply: ReplyEntry) {
        let make = |tree: &mut Tree| make(tree, request, parent, name, Kind::Directory, mode);
        match self.step_below(Operation::MakeDirectory, parent, name, make) {
            Ok(attributes) => reply.entry(&NOT_KEPT, &attributes, Generation(0)),
            Err(error) => reply.error(error),
        }
    }

    fn unlink(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        answer(reply, self.step_below(Operation::Unlink, parent, name, |tree| tree.remove(parent, name, Kind::File)));
    }

    fn rmdir(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        answer(reply, self.step_below(Operation::RemoveDirectory, parent, name, |tree| tree.remove(parent, name, Kind::Directory)));
    }

    fn create(&self, request: &Request, parent: INodeNo, name: &OsStr, mode: u32, _: u32, flags: i32, reply: ReplyCreate) {
        let made = self.step_below(Operation::Create, parent, name, |tree| make(tree, request, parent, name, Kind::File, mode));
        // Where Linux refuses O_DIRECT to a new file, the file has been made all the same.
        match made.and_then(|attributes| Ok((attributes, self.opened(flags)?))) {
            Ok((attributes, how)) => reply.created(&NOT_KEPT, &attributes, Generation(0), FileHandle(0), how),
            Err(error) => reply.error(error),
        }
    }

    fn open(&self, _: &Request, number: INodeNo, flags: OpenFlags, reply: ReplyOpen) {
        match self.step(Operation::Open, number, |_| self.opened(flags.0)) {
            Ok(how) => reply.opened(FileHandle(0), how),
            Err(error) => reply.error(error),
        }
    }

    fn opendir(&self, _: &Request, number: INodeNo, _: OpenFlags, reply: ReplyOpen) {
        match self.step(Operation::OpenDirectory, number, |_| Ok(())) {
            Ok(()) => reply.opened(FileHandle(0), FopenFlags::empty()),
            Err(error) => reply.error(error),
        }
    }

    fn flush(&self, _: &Request, number: INodeNo, _: FileHandle, _: LockOwner, reply: ReplyEmpty) {
        answer(reply, self.step(Operation::Close, number, |_| Ok(())));
    }

    fn read(
        &self,
        _: &Request,
        number: INodeNo,
        _: FileHandle,
        offset: u64,
        size: u32,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyData,
    ) {
        match self.transfer(Operation::Read, number, (offset, size), |tree, fault| tree.read(number, offset, size, fault)) {
            Ok(bytes) => reply.data(&bytes),
            Err(error) => reply.error(error),
        }
    }

    fn write(
        &self,
        _: &Request,
        number: INodeNo,
        _: FileHandle,
        offset: u64,
        data: &[u8],
        _: WriteFlags,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyWrite,
    ) {
        let size = data.len() as u32;
        match self.transfer(Operation::Write, number, (offset, size), |tree, fault| tree.write(number, offset, data, fault)) {
            Ok(written) => reply.written(written),
            Err(error) => reply.error(error),
        }
    }

    fn fsync(&self, _: &Request, number: INodeNo, _: FileHandle, _: bool, reply: ReplyEmpty) {
        answer(reply, self.step(Operation::SyncFile, number, |_| Ok(())));
    }

    fn fsyncdir(&self, _: &Request, number: INodeNo, _: FileHandle, _: bool, reply: ReplyEmpty) {
        answer(reply, self.step(Operation::SyncDirectory, number, |_| Ok(())));
    }

    fn readdir(&self, _: &Request, number: INodeNo, _: FileHandle, offset: u64, mut reply: ReplyDirectory) {
        match self.step(Operation::List, number, |tree| tree.list(number)) {
            Ok(entries) => {
                let mut rest = (1..).zip(entries).skip(offset as usize);
                // True: the kernel's buffer is full, and it asks again behind what it has.
                let _ = rest.any(|(next, (number, kind, name))| reply.add(number, next, kind, name));
                reply.ok();
            }
            Err(error) => reply.error(error),
        }
    }

    fn statfs(&self, _: &Request, _: INodeNo, reply: ReplyStatfs) {
        reply.statfs(BLOCKS, BLOCKS, BLOCKS, BLOCKS, BLOCKS, BLOCK, 255, BLOCK);
    }
}

fn answer(reply: ReplyEmpty, done: Result<(), Errno>) {
    match done {
        Ok(()) => reply.ok(),
        Err(error) => reply.error(error),
    }
}
