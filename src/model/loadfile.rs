//! Loadfiles: what a client of a file server does in one pass, as a compact table that is read and rehearsed before anything is written.

mod choice;
mod error;
mod fields;
mod mix;
mod names;
mod operation;
mod read;
mod rehearsal;

pub use choice::{LoadfileChoice, named};
pub use error::{LoadfileError, Problem};
pub use names::{Name, Node};
pub use operation::{Action, KINDS, Opening, Operation};
pub use rehearsal::Needs;

use names::Names;

/// The most bytes of a loadfile's text: dbench's own has 25 MiB, and each line takes memory for as long as the batch lasts.
pub const MOST_BYTES: usize = 64 << 20;

/// What a client does in one pass, in its order.
#[derive(Debug)]
pub struct Loadfile {
    operations: Box<[Operation]>,
    names: Names,
    needs: Needs,
}

impl Loadfile {
    /// Reads the text of a loadfile of dbench (versions 3 and 4) and rehearses two passes of it in memory.
    ///
    /// # Errors
    /// Names the line that barrow cannot replay, or that would not do what the loadfile says.
    pub fn of_text(text: &[u8]) -> Result<Self, LoadfileError> {
        let (operations, names) = read::operations(text)?;
        let needs = rehearsal::rehearse(&operations, &names)?;
        Ok(Self { operations: operations.into_boxed_slice(), names, needs })
    }

    /// The operations of one pass.
    #[must_use]
    pub fn operations(&self) -> &[Operation] {
        &self.operations
    }

    /// What a client needs at the most.
    #[must_use]
    pub const fn needs(&self) -> &Needs {
        &self.needs
    }

    /// How many names there are, with that of the client's own directory.
    #[must_use]
    pub fn names(&self) -> usize {
        self.names.len()
    }

    /// A name by its number.
    #[must_use]
    pub fn name(&self, node: Node) -> &Name {
        self.names.at(node)
    }

    /// A name with all directories above it, as it stands in the loadfile: `\clients\client1`.
    #[must_use]
    pub fn path(&self, node: Node) -> String {
        self.names.path(node)
    }

    /// Whether a name lies below a directory, or is it.
    #[must_use]
    pub fn lies_in(&self, node: Node, directory: Node) -> bool {
        self.names.lies_in(node, directory)
    }

    /// Bytes of memory that it takes itself.
    #[must_use]
    pub fn memory(&self) -> u64 {
        (size_of_val(&*self.operations) + self.names.memory()) as u64
    }
}

#[cfg(test)]
mod tests;
