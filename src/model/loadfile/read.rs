//! Reading: from the lines of a loadfile to operations with numbered names and handles.

use super::error::{LoadfileError, Problem};
use super::fields::{self, Line, number};
use super::names::{Names, Naming, Node};
use super::operation::{Action, Opening, Operation};
use super::{MOST_BYTES, rehearsal::MOST_HANDLES};
use std::collections::HashMap;

/// The bit of an open's options that asks for a directory (`FILE_DIRECTORY_FILE`, MS-SMB 2.2.4.9).
const FOR_A_DIRECTORY: u64 = 1;
/// Bytes of one transfer at the most; SMB has 64 KiB, its second version 8 MiB.
const MOST_TRANSFER: u64 = 16 << 20;
/// The offset of a transfer at the most: files larger than this are none of a file server's mix.
const MOST_OFFSET: u64 = 1 << 40;
/// Locks may lie anywhere.
const MOST_LOCK: u64 = 1 << 62;

/// The operations of a text and their names.
pub fn operations(text: &[u8]) -> Result<(Vec<Operation>, Names), LoadfileError> {
    if text.len() > MOST_BYTES {
        return Err(LoadfileError::TooLong);
    }
    let mut reader = Reader { names: Naming::new(), open: HashMap::new(), free: Vec::new(), next: 0 };
    let mut operations = Vec::new();
    for (line, words) in fields::lines(text) {
        let wrong = |problem| LoadfileError::Line { line, problem };
        let Some(words) = words.and_then(fields::line).map_err(wrong)? else { continue };
        if let Some(action) = reader.action(&words, line).map_err(wrong)? {
            operations.push(Operation { line, fails: words.fails, action });
        }
    }
    if operations.is_empty() {
        return Err(LoadfileError::Empty);
    }
    if let Some((handle, (_, line))) = reader.open.iter().min_by_key(|(_, (_, line))| *line) {
        return Err(LoadfileError::Line { line: *line, problem: Problem::NeverClosed(*handle) });
    }
    operations.shrink_to_fit();
    Ok((operations, reader.names.done()))
}

/// What is known while lines are read.
struct Reader {
    names: Naming,
    /// The place and the line of each open handle.
    open: HashMap<u64, (u16, u32)>,
    free: Vec<u16>,
    next: u16,
}

impl Reader {
    /// What a line does; `None` where it only waits, since barrow replays as fast as it can.
    fn action(&mut self, line: &Line<'_>, line_number: u32) -> Result<Option<Action>, Problem> {
        let action = match line.operation {
            "NTCreateX" => {
                let [name, options, disposition, handle] = values("NTCreateX", line)?;
                let opening = opening(number(options, u64::from(u32::MAX))?, number(disposition, 5)?)?;
                let node = self.names.node(name)?;
                let handle = number(handle, u64::from(u32::MAX))?;
                let handle = if line.fails { None } else { Some(self.open(handle, line_number)?) };
                Action::Create { node, handle, opening }
            }
            "Close" => {
                let [handle] = values("Close", line)?;
                Action::Close(self.close(handle)?)
            }
            "Rename" => {
                let [from, to] = values("Rename", line)?;
                Action::Rename { from: self.names.node(from)?, to: self.names.node(to)? }
            }
            "Unlink" => {
                let [name, _attributes] = values("Unlink", line)?;
                Action::Unlink(self.names.node(name)?)
            }
            "Deltree" => Action::RemoveTree(self.only_name("Deltree", line)?),
            "Rmdir" => Action::RemoveDirectory(self.only_name("Rmdir", line)?),
            "Mkdir" => Action::MakeDirectory(self.only_name("Mkdir", line)?),
            "QUERY_PATH_INFORMATION" => {
                let [name, _level] = values("QUERY_PATH_INFORMATION", line)?;
                Action::QueryPath(self.names.node(name)?)
            }
            "QUERY_FILE_INFORMATION" => {
                let [handle, _level] = values("QUERY_FILE_INFORMATION", line)?;
                Action::QueryFile(self.handle(handle)?)
            }
            "QUERY_FS_INFORMATION" => {
                let [_level] = values("QUERY_FS_INFORMATION", line)?;
                Action::QueryFilesystem
            }
            "SET_FILE_INFORMATION" => {
                let [handle, _level] = values("SET_FILE_INFORMATION", line)?;
                Action::SetInfo(self.handle(handle)?)
            }
            "FIND_FIRST" => {
                let [name, _level, _most, _count] = values("FIND_FIRST", line)?;
                // The marks that dbench takes for those of a pattern.
                Action::Find { node: self.names.node(name)?, is_pattern: name.contains(['<', '>', '*', '?', '"']) }
            }
            "WriteX" => self.write(line)?,
            "ReadX" => {
                let [handle, offset, bytes, given] = values("ReadX", line)?;
                let [bytes, given] = [number(bytes, MOST_TRANSFER)?, number(given, MOST_TRANSFER)?].map(|bytes| bytes as u32);
                Action::Read { handle: self.handle(handle)?, offset: number(offset, MOST_OFFSET)?, bytes, given }
            }
            "LockX" => {
                let (handle, offset, bytes) = self.span("LockX", line)?;
                Action::Lock { handle, offset, bytes }
            }
            "UnlockX" => {
                let (handle, offset, bytes) = self.span("UnlockX", line)?;
                Action::Unlock { handle, offset, bytes }
            }
            "Flush" => {
                let [handle] = values("Flush", line)?;
                Action::Flush(self.handle(handle)?)
            }
            "Sleep" => {
                let [microseconds] = values("Sleep", line)?;
                number(microseconds, u64::from(u32::MAX))?;
                return Ok(None);
            }
            other => return Err(Problem::UnknownOperation(other.to_owned())),
        };
        Ok(Some(action))
    }

    fn write(&self, line: &Line<'_>) -> Result<Action, Problem> {
        let [handle, offset, bytes, taken] = values("WriteX", line)?;
        let [bytes, taken] = [number(bytes, MOST_TRANSFER)?, number(taken, MOST_TRANSFER)?];
        if bytes != taken {
            return Err(Problem::PartialWrite { bytes, taken });
        }
        Ok(Action::Write { handle: self.handle(handle)?, offset: number(offset, MOST_OFFSET)?, bytes: bytes as u32 })
    }

    /// The handle and the bytes of a lock.
    fn span(&self, operation: &'static str, line: &Line<'_>) -> Result<(u16, u64, u32), Problem> {
        let [handle, offset, bytes] = values(operation, line)?;
        Ok((self.handle(handle)?, number(offset, MOST_LOCK)?, number(bytes, u64::from(u32::MAX))? as u32))
    }

    /// The name of an operation that has nothing else.
    fn only_name(&mut self, operation: &'static str, line: &Line<'_>) -> Result<Node, Problem> {
        let [name] = values(operation, line)?;
        self.names.node(name)
    }

    /// Gives a handle a place.
    fn open(&mut self, handle: u64, line: u32) -> Result<u16, Problem> {
        if let Some((_, since)) = self.open.get(&handle) {
            return Err(Problem::OpenTwice { handle, since: *since });
        }
        let place = match self.free.pop() {
            Some(place) => place,
            None if usize::from(self.next) < MOST_HANDLES => {
                self.next += 1;
                self.next - 1
            }
            None => return Err(Problem::TooMuch("is one open handle too many")),
        };
        self.open.insert(handle, (place, line));
        Ok(place)
    }

    /// The place of an open handle.
    fn handle(&self, text: &str) -> Result<u16, Problem> {
        let handle = number(text, u64::from(u32::MAX))?;
        self.open.get(&handle).map(|(place, _)| *place).ok_or(Problem::NotOpen(handle))
    }

    /// The place of a handle, which is free again.
    fn close(&mut self, text: &str) -> Result<u16, Problem> {
        let place = self.handle(text)?;
        self.open.remove(&number(text, u64::from(u32::MAX))?);
        self.free.push(place);
        Ok(place)
    }
}

/// What an open makes, by its options and its disposition (MS-SMB 2.2.4.9), and as dbench does it: what is to be replaced or made only
/// where it is missing (0 and 3) must be there.
fn opening(options: u64, disposition: u64) -> Result<Opening, Problem> {
    if options & FOR_A_DIRECTORY != 0 {
        return Ok(Opening::Directory);
    }
    match disposition {
        0 | 1 | 3 => Ok(Opening::Existing),
        2 => Ok(Opening::Make),
        4 | 5 => Ok(Opening::Empty),
        _ => Err(Problem::Unreplayable("has another disposition than 0 to 5")),
    }
}

/// The values of a line, which must be so many.
fn values<'a, const COUNT: usize>(operation: &'static str, line: &Line<'a>) -> Result<[&'a str; COUNT], Problem> {
    let found = line.values.len();
    <[&str; COUNT]>::try_from(line.values.as_slice()).map_err(|_| Problem::WrongCount { operation, expected: COUNT, found })
}
