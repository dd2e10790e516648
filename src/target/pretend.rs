//! A pretended directory in memory: logs every call, moves a pretended clock, and fails or lies on demand.

mod calls;

use super::pretend_call::{Call, Operation};
use super::pretend_meter::Counts;
use super::pretend_storage::{Counting, Storage};
use super::pretend_trick::{Gate, Trick, Tricks};
use super::{FlushMethod, Handle, ProgramRun};
use crate::model::stack::Traffic;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, VecDeque};
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
    /// How the next programs end.
    programs: VecDeque<ProgramRun>,
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

    /// Says how the next program ends for which nothing was said yet.
    pub fn script(&self, program: ProgramRun) {
        self.state().programs.push_back(program);
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
