//! The directories of a client, each kept open from its first use until it is removed: names are looked up in their directory, never
//! as paths, so that nothing in a loadfile can lead out of the client's own directory.

use super::home;
use crate::model::loadfile::{Loadfile, Node};
use crate::target::{Handle, Target};
use std::ffi::{CStr, CString};
use std::io;

/// The client's own directory in the loadfile.
const ROOT: Node = 0;

/// What is open of a client's directories.
pub struct Directories {
    /// The name of the client's own.
    home: CString,
    open: Vec<Option<Handle>>,
}

impl Directories {
    /// Of a client, none of them open.
    pub fn of(loadfile: &Loadfile, client: u64) -> Self {
        Self { home: home::name(client), open: (0..loadfile.names()).map(|_| None).collect() }
    }

    /// The directory that a name lies in, and its last part. Opens the directories on the way that are not open yet.
    ///
    /// # Errors
    /// As the system says, `NotFound` where a directory on the way is not there.
    pub fn place_of<'a>(&'a mut self, target: &'a dyn Target, loadfile: &'a Loadfile, node: Node) -> io::Result<(&'a Handle, &'a CStr)> {
        if node == ROOT {
            return Ok((target.root(), &self.home));
        }
        let name = loadfile.name(node);
        self.open(target, loadfile, name.parent)?;
        Ok((self.handle(name.parent)?, name.last()))
    }

    /// The directory that a name lies in, which is open.
    ///
    /// # Errors
    /// When it is not.
    pub fn parent_of<'a>(&'a self, target: &'a dyn Target, loadfile: &Loadfile, node: Node) -> io::Result<&'a Handle> {
        if node == ROOT { Ok(target.root()) } else { self.handle(loadfile.name(node).parent) }
    }

    fn handle(&self, node: Node) -> io::Result<&Handle> {
        self.open[node as usize].as_ref().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// Opens a directory and those above it.
    fn open(&mut self, target: &dyn Target, loadfile: &Loadfile, node: Node) -> io::Result<()> {
        if self.open[node as usize].is_some() {
            return Ok(());
        }
        let handle = {
            let (parent, name) = self.place_of(target, loadfile, node)?;
            target.open_directory(parent, name)?
        };
        self.open[node as usize] = Some(handle);
        Ok(())
    }

    /// Closes a directory that is to be removed, and those below it.
    pub fn forget(&mut self, loadfile: &Loadfile, directory: Node) {
        // A name is numbered behind the directory that it lies in.
        for node in directory..self.open.len() as Node {
            if self.open[node as usize].is_some() && loadfile.lies_in(node, directory) {
                self.open[node as usize] = None;
            }
        }
    }
}
