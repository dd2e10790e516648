//! A pretended directory in memory: logs every call, moves a pretended clock, and fails or lies on demand.

use super::pretend_call::{Call, Operation};
use super::pretend_meter::Counts;
use super::pretend_storage::{Counting, Storage};
use super::pretend_trick::{Gate, Trick, Tricks};
use super::{Access, FlushMethod, Handle, Residency, Target};
use crate::model::settings::Io;
use crate::model::stack::Traffic;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ffi::{CStr, CString};
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

#[derive(Debug, Default)]
struct Node {
    name: String,
    is_directory: bool,
    /// The file of its directory that a symbolic link says.
    leads_to: Option<CString>,
    data: Vec<u8>,
    first_version: Vec<u8>,
}

#[derive(Debug, Default)]
struct State {
    clock_ns: u64,
    nodes: Vec<Node>,
    entries: BTreeMap<(usize, CString), usize>,
    log: Vec<Call>,
    tricks: Tricks,
    /// Nanoseconds that calls took, without the time that only passed.
    busy_ns: u64,
    counting: Counting,
}

impl State {
    /// Gives a name to a file or directory.
    fn enter(&mut self, parent: usize, name: &CStr, number: usize) -> io::Result<()> {
        match self.entries.entry((parent, name.to_owned())) {
            Entry::Occupied(_) => Err(io::ErrorKind::AlreadyExists.into()),
            Entry::Vacant(place) => {
                place.insert(number);
                Ok(())
            }
        }
    }
}

/// Nanoseconds that a call takes.
type Cost = Box<dyn Fn(&Call) -> u64 + Send + Sync>;

/// A pretended directory.
pub struct PretendTarget {
    root: Handle,
    flush_method: FlushMethod,
    cost: Cost,
    state: Mutex<State>,
    gate: Gate,
    tick_ns: u64,
}

impl PretendTarget {
    /// An empty directory in which a call takes what `cost` says, in nanoseconds.
    #[must_use]
    pub fn costing(cost: impl Fn(&Call) -> u64 + Send + Sync + 'static) -> Self {
        let root = Node { is_directory: true, ..Node::default() };
        let mut state = State { nodes: vec![root], ..State::default() };
        state.counting.traffic.flushes = Some(0);
        let (cost, state): (Cost, _) = (Box::new(cost), Mutex::new(state));
        Self { root: Handle::Pretend(0), flush_method: FlushMethod::WholeFilesystem, cost, state, gate: Gate::default(), tick_ns: 0 }
    }

    /// The same, whose filesystem never hears of a flush.
    #[must_use]
    pub fn flushed_by_file(mut self) -> Self {
        self.flush_method = FlushMethod::EachFile;
        self
    }

    /// The same, whose clock goes on by so many nanoseconds whenever it is read, as a real one does. Else it stands still between calls.
    #[must_use]
    pub fn ticking(mut self, tick_ns: u64) -> Self {
        self.tick_ns = tick_ns;
        self
    }

    /// Plays a trick at the `nth` call of a kind, counted from 1.
    pub fn play(&self, operation: Operation, nth: u64, trick: Trick) {
        self.state().tricks.play(operation, nth, trick);
    }

    /// Plays a trick at the `nth` call of a kind and at every later one.
    pub fn play_from(&self, operation: Operation, nth: u64, trick: Trick) {
        self.state().tricks.play_from(operation, nth, trick);
    }

    /// Lets every call go that hangs, now and later.
    pub fn release(&self) {
        self.gate.open();
    }

    /// Says how storage answers from now on.
    pub fn set_storage(&self, storage: Storage) {
        self.state().counting.storage = storage;
    }

    /// Lets somebody else write so many bytes at each of the next waits.
    pub fn disturb(&self, waits: u64, bytes: u64) {
        self.state().counting.disturbance = (waits, bytes);
    }

    /// What its pretended device moved: what was read and is not resident, and what was written when it is flushed.
    #[must_use]
    pub fn traffic(&self) -> Traffic {
        self.state().counting.traffic
    }

    /// Lets time pass, in which nobody does anything unless [`PretendTarget::disturb`] said so.
    pub fn pass(&self, time: Duration) {
        let mut state = self.state();
        state.clock_ns += time.as_nanos() as u64;
        state.counting.wait();
    }

    /// Every call so far.
    #[must_use]
    pub fn log(&self) -> Vec<Call> {
        self.state().log.clone()
    }

    /// What a file holds, named as in [`Call::name`].
    #[must_use]
    pub fn contents(&self, name: &str) -> Option<Vec<u8>> {
        let state = self.state();
        state.nodes.iter().rev().find(|node| node.name == name && !node.is_directory).map(|node| node.data.clone())
    }

    /// The names of all entries that are there.
    #[must_use]
    pub fn entries(&self) -> Vec<String> {
        let state = self.state();
        state.entries.values().map(|node| state.nodes[*node].name.clone()).collect()
    }

    /// Removes every entry.
    pub fn clear(&self) {
        self.state().entries.clear();
    }

    /// What its calls took and made storage do.
    pub(super) fn counts(&self) -> Counts {
        let state = self.state();
        let Counting { own_read_bytes, own_written_bytes, .. } = state.counting;
        Counts { busy_ns: state.busy_ns, read_bytes: own_read_bytes, written_bytes: own_written_bytes }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Logs a call, lets its time pass, and tells the trick that is to be played.
    fn call(&self, operation: Operation, name: String, span: Option<(u64, usize)>) -> io::Result<Option<Trick>> {
        let call = Call { operation, name, span };
        let trick = {
            let mut state = self.state();
            let trick = state.tricks.next(operation);
            let more = if let Some(Trick::Delay(more)) = trick { more.as_nanos() as u64 } else { 0 };
            let cost = (self.cost)(&call) + more;
            state.clock_ns += cost;
            state.busy_ns += cost;
            state.counting.account(&call);
            state.log.push(call);
            trick
        };
        match trick {
            Some(Trick::Fail(error)) => return Err(io::Error::from_raw_os_error(error)),
            // Others go on meanwhile.
            Some(Trick::Hang) => self.gate.pass(),
            Some(_) | None => {}
        }
        Ok(trick)
    }

    fn name_of(&self, handle: &Handle) -> io::Result<(usize, String)> {
        let number = number_of(handle)?;
        Ok((number, self.state().nodes[number].name.clone()))
    }

    fn path_of(&self, directory: &Handle, name: &CStr) -> io::Result<(usize, String)> {
        let (number, parent) = self.name_of(directory)?;
        let name = name.to_string_lossy();
        Ok((number, if parent.is_empty() { name.into_owned() } else { format!("{parent}/{name}") }))
    }

    fn add(&self, parent: usize, name: &CStr, path: String, is_directory: bool) -> io::Result<usize> {
        let mut state = self.state();
        let number = state.nodes.len();
        state.enter(parent, name, number)?;
        state.nodes.push(Node { name: path, is_directory, ..Node::default() });
        Ok(number)
    }

    fn find(&self, parent: usize, name: &CStr) -> io::Result<usize> {
        self.state().entries.get(&(parent, name.to_owned())).copied().ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

fn number_of(handle: &Handle) -> io::Result<usize> {
    match handle {
        Handle::Pretend(number) => Ok(*number),
        Handle::Real(_) => Err(io::ErrorKind::InvalidInput.into()),
    }
}

impl Target for PretendTarget {
    fn now_ns(&self) -> u64 {
        let mut state = self.state();
        state.clock_ns += self.tick_ns;
        state.clock_ns
    }

    fn flush_method(&self) -> FlushMethod {
        self.flush_method
    }

    fn root(&self) -> &Handle {
        &self.root
    }

    fn make_directory(&self, name: &CStr) -> io::Result<()> {
        let path = name.to_string_lossy().into_owned();
        self.call(Operation::MakeDirectory, path.clone(), None)?;
        self.add(0, name, path, true).map(drop)
    }

    fn open_directory(&self, name: &CStr) -> io::Result<Handle> {
        self.call(Operation::OpenDirectory, name.to_string_lossy().into_owned(), None)?;
        self.find(0, name).map(Handle::Pretend)
    }

    fn remove_directory(&self, name: &CStr) -> io::Result<()> {
        self.call(Operation::RemoveDirectory, name.to_string_lossy().into_owned(), None)?;
        let number = self.find(0, name)?;
        let mut state = self.state();
        if state.entries.keys().any(|(parent, _)| *parent == number) {
            return Err(io::ErrorKind::DirectoryNotEmpty.into());
        }
        state.entries.remove(&(0, name.to_owned()));
        Ok(())
    }

    fn open(&self, directory: &Handle, name: &CStr, access: Access, _io: Io) -> io::Result<Handle> {
        let (parent, path) = self.path_of(directory, name)?;
        let operation = if access == Access::CreateNew { Operation::Create } else { Operation::Open };
        self.call(operation, path.clone(), None)?;
        let number = if access == Access::CreateNew { self.add(parent, name, path, false)? } else { self.find(parent, name)? };
        Ok(Handle::Pretend(number))
    }

    fn read(&self, file: &Handle, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let (number, name) = self.name_of(file)?;
        let trick = self.call(Operation::Read, name, Some((offset, buffer.len())))?;
        let state = self.state();
        let most = if let Some(Trick::Short(most)) = trick { most } else { buffer.len() };
        let data: &[u8] = match &trick {
            Some(Trick::Zeros) => {
                buffer.fill(0);
                return Ok(buffer.len());
            }
            Some(Trick::Bytes(bytes)) => {
                let count = bytes.len().min(buffer.len());
                buffer[..count].copy_from_slice(&bytes[..count]);
                return Ok(count);
            }
            Some(Trick::FirstVersion) => &state.nodes[number].first_version,
            Some(Trick::OtherFile(other)) => state.nodes.iter().find(|node| node.name == *other).map_or(&[], |node| &node.data),
            Some(Trick::Fail(_) | Trick::Short(_) | Trick::Lost | Trick::Delay(_) | Trick::Hang) | None => &state.nodes[number].data,
        };
        let rest = data.get(offset as usize..).unwrap_or(&[]);
        let count = rest.len().min(buffer.len()).min(most);
        buffer[..count].copy_from_slice(&rest[..count]);
        Ok(count)
    }

    fn write(&self, file: &Handle, bytes: &[u8], offset: u64) -> io::Result<usize> {
        let (number, name) = self.name_of(file)?;
        let trick = self.call(Operation::Write, name, Some((offset, bytes.len())))?;
        if trick == Some(Trick::Lost) {
            return Ok(bytes.len());
        }
        let count = if let Some(Trick::Short(most)) = trick { most.min(bytes.len()) } else { bytes.len() };
        let end = offset as usize + count;
        let mut state = self.state();
        let node = &mut state.nodes[number];
        if node.data.len() < end {
            node.data.resize(end, 0);
        }
        node.data[offset as usize..end].copy_from_slice(&bytes[..count]);
        if node.first_version.len() < end {
            let known = node.first_version.len();
            node.first_version.extend_from_slice(&node.data[known..end]);
        }
        Ok(count)
    }

    fn advise_random(&self, file: &Handle) -> io::Result<()> {
        let (_, name) = self.name_of(file)?;
        self.call(Operation::AdviseRandom, name, None).map(drop)
    }

    fn sync(&self, handle: &Handle) -> io::Result<()> {
        let (_, name) = self.name_of(handle)?;
        self.call(Operation::Sync, name, None).map(drop)
    }

    fn flush(&self) -> io::Result<()> {
        self.call(Operation::Flush, String::new(), None).map(drop)
    }

    fn close(&self, handle: Handle) -> io::Result<()> {
        let (_, name) = self.name_of(&handle)?;
        self.call(Operation::Close, name, None).map(drop)
    }

    fn status(&self, directory: &Handle, name: &CStr) -> io::Result<u64> {
        let (parent, path) = self.path_of(directory, name)?;
        self.call(Operation::Status, path, None)?;
        let number = self.find(parent, name)?;
        Ok(self.state().nodes[number].data.len() as u64)
    }

    fn status_through(&self, directory: &Handle, name: &CStr) -> io::Result<u64> {
        let (parent, path) = self.path_of(directory, name)?;
        self.call(Operation::StatusThrough, path, None)?;
        let state = self.state();
        let node = state.entries.get(&(parent, name.to_owned())).and_then(|number| state.nodes.get(*number));
        // A name that leads nowhere is as none, whichever of the two is missing.
        let led = node.and_then(|node| match &node.leads_to {
            Some(file) => state.entries.get(&(parent, file.clone())).and_then(|number| state.nodes.get(*number)),
            None => Some(node),
        });
        led.map(|node| node.data.len() as u64).ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn make_hard_link(&self, directory: &Handle, file: &CStr, name: &CStr) -> io::Result<()> {
        let (parent, path) = self.path_of(directory, name)?;
        self.call(Operation::HardLink, path, None)?;
        let number = self.find(parent, file)?;
        self.state().enter(parent, name, number)
    }

    fn make_symbolic_link(&self, directory: &Handle, file: &CStr, name: &CStr) -> io::Result<()> {
        let (parent, path) = self.path_of(directory, name)?;
        self.call(Operation::SymbolicLink, path.clone(), None)?;
        let number = self.add(parent, name, path, false)?;
        self.state().nodes[number].leads_to = Some(file.to_owned());
        Ok(())
    }

    fn unlink(&self, directory: &Handle, name: &CStr) -> io::Result<()> {
        let (parent, path) = self.path_of(directory, name)?;
        self.call(Operation::Unlink, path, None)?;
        self.find(parent, name)?;
        self.state().entries.remove(&(parent, name.to_owned()));
        Ok(())
    }

    /// Lists in the reverse order of names, so that no test takes the order for granted.
    fn list(&self, directory: &Handle) -> io::Result<Vec<CString>> {
        let (number, name) = self.name_of(directory)?;
        self.call(Operation::List, name, None)?;
        let state = self.state();
        Ok(state.entries.keys().rev().filter(|(parent, _)| *parent == number).map(|(_, name)| name.clone()).collect())
    }

    fn evict(&self, file: &Handle) -> io::Result<()> {
        let (_, name) = self.name_of(file)?;
        self.call(Operation::Evict, name, None).map(drop)
    }

    fn residency(&self, file: &Handle) -> io::Result<Residency> {
        let (number, name) = self.name_of(file)?;
        self.call(Operation::Residency, name, None)?;
        let state = self.state();
        let pages = state.nodes[number].data.len().div_ceil(4096) as u64;
        Ok(Residency { resident_pages: (pages as f64 * state.counting.storage.resident_share).round() as u64, pages })
    }
}
