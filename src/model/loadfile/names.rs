//! The names of a loadfile, each once, with the directory that it lies in: nothing in it can lead out of the client's own directory.

use super::error::Problem;
use std::collections::HashMap;
use std::ffi::{CStr, CString};

/// The number of a name; 0 is the client's own directory.
pub type Node = u32;

/// The client's own directory.
pub const ROOT: Node = 0;
/// The most names: each has a place in the table of every client.
const MOST_NAMES: usize = 1 << 16;
/// Directories below each other at the most.
const MOST_DEPTH: usize = 32;
/// Bytes of the longest name of the common filesystems.
const MOST_NAME: usize = 255;

/// One name.
#[derive(Debug)]
pub struct Name {
    /// The directory that it lies in; the root lies in itself.
    pub parent: Node,
    /// The last part.
    name: CString,
}

impl Name {
    /// The last part, which is never a path.
    #[must_use]
    pub fn last(&self) -> &CStr {
        &self.name
    }
}

/// All names.
#[derive(Debug)]
pub struct Names {
    list: Vec<Name>,
}

impl Names {
    /// How many there are.
    pub const fn len(&self) -> usize {
        self.list.len()
    }

    /// One by its number.
    pub fn at(&self, node: Node) -> &Name {
        &self.list[node as usize]
    }

    /// Whether a name lies below another one, or is it.
    pub fn lies_in(&self, node: Node, directory: Node) -> bool {
        let mut at = node;
        while at != directory && at != ROOT {
            at = self.at(at).parent;
        }
        at == directory
    }

    /// A name with all directories above it.
    pub fn path(&self, node: Node) -> String {
        if node == ROOT {
            return "\\".to_owned();
        }
        let mut parts = Vec::new();
        let mut at = node;
        while at != ROOT {
            parts.push(self.at(at).last().to_string_lossy());
            at = self.at(at).parent;
        }
        parts.iter().rev().map(|part| format!("\\{part}")).collect()
    }

    /// Bytes of memory.
    pub fn memory(&self) -> usize {
        self.list.iter().map(|name| size_of::<Name>() + name.name.as_bytes_with_nul().len()).sum()
    }
}

/// Gives each name its number.
#[derive(Debug)]
pub struct Naming {
    list: Vec<Name>,
    known: HashMap<(Node, CString), Node>,
}

impl Naming {
    /// With the client's own directory alone.
    pub fn new() -> Self {
        Self { list: vec![Name { parent: ROOT, name: CString::default() }], known: HashMap::new() }
    }

    /// The number of a name as it stands in the loadfile: parts behind backslashes.
    pub fn node(&mut self, text: &str) -> Result<Node, Problem> {
        let bad = |why| Problem::BadName { name: text.to_owned(), why };
        let Some(rest) = text.strip_prefix('\\') else {
            return Err(bad("does not begin with one backslash"));
        };
        let rest = rest.strip_suffix('\\').unwrap_or(rest);
        if rest.is_empty() {
            return if text == "\\" { Ok(ROOT) } else { Err(bad("has an empty part")) };
        }
        if rest.as_bytes().get(1) == Some(&b':') {
            return Err(bad("names a drive"));
        }
        if rest.split('\\').count() > MOST_DEPTH {
            return Err(bad("lies too deep"));
        }
        rest.split('\\').try_fold(ROOT, |parent, part| {
            let why = match part {
                "" => "has an empty part",
                "." | ".." => "may lead out of the target",
                part if part.contains('/') => "holds a slash",
                part if part.len() > MOST_NAME => "has too long a part",
                part => return self.known_or_new(parent, part).map_err(|problem| problem.unwrap_or_else(|| bad("holds a zero byte"))),
            };
            Err(bad(why))
        })
    }

    fn known_or_new(&mut self, parent: Node, part: &str) -> Result<Node, Option<Problem>> {
        let name = CString::new(part).map_err(|_| None)?;
        if let Some(node) = self.known.get(&(parent, name.clone())) {
            return Ok(*node);
        }
        if self.list.len() == MOST_NAMES {
            return Err(Some(Problem::TooMuch("has more than 65,536 names")));
        }
        let node = self.list.len() as Node;
        self.known.insert((parent, name.clone()), node);
        self.list.push(Name { parent, name });
        Ok(node)
    }

    /// All names.
    pub fn done(self) -> Names {
        Names { list: self.list }
    }
}
