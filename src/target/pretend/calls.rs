//! What a pretended directory does when it is called: each call is logged, moves the clock, and may fail.

use super::PretendTarget;
use crate::model::aftermath::ProgramEnd;
use crate::model::settings::Io;
use crate::target::pretend_call::Operation;
use crate::target::pretend_trick::Trick;
use crate::target::{Access, FlushMethod, Handle, ProgramRun, Residency, Target};
use std::ffi::{CStr, CString};
use std::io;

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

    fn make_directory(&self, directory: &Handle, name: &CStr) -> io::Result<()> {
        let (parent, path) = self.path_of(directory, name)?;
        self.call(Operation::MakeDirectory, path.clone(), None)?;
        self.add(parent, name, path, true).map(drop)
    }

    fn open_directory(&self, directory: &Handle, name: &CStr) -> io::Result<Handle> {
        let (parent, path) = self.path_of(directory, name)?;
        self.call(Operation::OpenDirectory, path, None)?;
        let number = self.find(parent, name)?;
        if !self.state().nodes[number].is_directory {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        Ok(Handle::Pretend(number))
    }

    fn remove_directory(&self, directory: &Handle, name: &CStr) -> io::Result<()> {
        let (parent, path) = self.path_of(directory, name)?;
        self.call(Operation::RemoveDirectory, path, None)?;
        let number = self.find(parent, name)?;
        let mut state = self.state();
        if !state.nodes[number].is_directory {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        if state.entries.keys().any(|(parent, _)| *parent == number) {
            return Err(io::ErrorKind::DirectoryNotEmpty.into());
        }
        state.entries.remove(&(parent, name.to_owned()));
        Ok(())
    }

    fn rename(&self, from: &Handle, name: &CStr, to: &Handle, new_name: &CStr) -> io::Result<()> {
        let ((parent, path), (new_parent, new_path)) = (self.path_of(from, name)?, self.path_of(to, new_name)?);
        self.call(Operation::Rename, format!("{path} > {new_path}"), None)?;
        let number = self.find(parent, name)?;
        let mut state = self.state();
        state.entries.remove(&(parent, name.to_owned()));
        state.entries.insert((new_parent, new_name.to_owned()), number);
        state.nodes[number].name = new_path;
        Ok(())
    }

    fn open(&self, directory: &Handle, name: &CStr, access: Access, _io: Io) -> io::Result<Handle> {
        let (parent, path) = self.path_of(directory, name)?;
        let operation = if access.makes() { Operation::Create } else { Operation::Open };
        self.call(operation, path.clone(), None)?;
        let number = if access.makes() { self.add(parent, name, path, false)? } else { self.find(parent, name)? };
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

    fn status_open(&self, handle: &Handle) -> io::Result<u64> {
        let (number, name) = self.name_of(handle)?;
        self.call(Operation::StatusOpen, name, None)?;
        Ok(self.state().nodes[number].data.len() as u64)
    }

    fn set_length(&self, file: &Handle, bytes: u64) -> io::Result<()> {
        let (number, name) = self.name_of(file)?;
        self.call(Operation::SetLength, name, None)?;
        self.state().nodes[number].data.resize(bytes as usize, 0);
        Ok(())
    }

    fn set_times(&self, handle: &Handle) -> io::Result<()> {
        let (_, name) = self.name_of(handle)?;
        self.call(Operation::SetTimes, name, None).map(drop)
    }

    fn lock(&self, file: &Handle, offset: u64, bytes: u64) -> io::Result<()> {
        let (_, name) = self.name_of(file)?;
        self.call(Operation::Lock, name, Some((offset, bytes as usize))).map(drop)
    }

    fn unlock(&self, file: &Handle, offset: u64, bytes: u64) -> io::Result<()> {
        let (_, name) = self.name_of(file)?;
        self.call(Operation::Unlock, name, Some((offset, bytes as usize))).map(drop)
    }

    /// Of a terabyte, what no file takes.
    fn free_bytes(&self) -> io::Result<u64> {
        self.call(Operation::FreeBytes, String::new(), None)?;
        let state = self.state();
        let taken: usize = state.entries.values().map(|number| state.nodes[*number].data.len()).sum();
        Ok((1 << 40) - taken as u64)
    }

    /// Every file with data lies in one piece.
    fn extents(&self, file: &Handle) -> io::Result<u64> {
        let (number, name) = self.name_of(file)?;
        self.call(Operation::Extents, name, None)?;
        Ok(u64::from(!self.state().nodes[number].data.is_empty()))
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
        let number = self.find(parent, name)?;
        if self.state().nodes[number].is_directory {
            return Err(io::ErrorKind::IsADirectory.into());
        }
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

    /// It ends as the script says, or well; and while time passes it is asked once whether it may go on.
    fn run_program(&self, directory: &Handle, command: &[String], go_on: &mut dyn FnMut() -> bool) -> io::Result<ProgramRun> {
        let (_, name) = self.name_of(directory)?;
        self.call(Operation::RunProgram, format!("{name}: {}", command.join(" ")), None)?;
        let was_ended = !go_on();
        let scripted = self.state().programs.pop_front();
        let well = || ProgramRun { end: ProgramEnd { exit: Some(0), ..ProgramEnd::default() }, ..ProgramRun::default() };
        Ok(ProgramRun { was_ended, ..scripted.unwrap_or_else(well) })
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
