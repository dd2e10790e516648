//! The way through a tree: into each directory, to its files, into the directories in it, and out again. Only those on the way are open.

use super::{Branch, Leaf, MOST_DEPTH, Tree};
use crate::phases::PhaseError;

/// What is done on the way.
pub trait Visitor {
    /// What is open of a directory.
    type Open;

    /// Comes into a directory; `parent` is what is open of the one that it lies in, nothing for the tree itself.
    ///
    /// # Errors
    /// Names the directory.
    fn enter(&mut self, branch: &Branch, parent: Option<&Self::Open>) -> Result<Self::Open, PhaseError>;

    /// Comes to a file.
    ///
    /// # Errors
    /// Names the file.
    fn visit(&mut self, leaf: &Leaf, directory: &Self::Open) -> Result<(), PhaseError>;

    /// Leaves a directory, from which nothing more is to be done.
    ///
    /// # Errors
    /// Names the directory.
    fn leave(&mut self, branch: &Branch, open: Self::Open, parent: Option<&Self::Open>) -> Result<(), PhaseError>;
}

/// The directories that are open on the way, made before the clock starts.
#[derive(Debug)]
pub struct Way<O>(Vec<(usize, O)>);

impl<O> Way<O> {
    /// One on which no directory is open.
    #[must_use]
    pub fn new() -> Self {
        Self(Vec::with_capacity(MOST_DEPTH))
    }

    /// Goes through the whole tree once.
    ///
    /// # Errors
    /// The first of the visitor's.
    pub fn through<V: Visitor<Open = O>>(&mut self, tree: &Tree, visitor: &mut V) -> Result<(), PhaseError> {
        self.0.clear();
        for (number, branch) in tree.branches().iter().enumerate() {
            self.back_to(branch.depth, tree, visitor)?;
            let open = visitor.enter(branch, self.0.last().map(|(_, open)| open))?;
            for leaf in &tree.leaves()[branch.files.clone()] {
                visitor.visit(leaf, &open)?;
            }
            self.0.push((number, open));
        }
        self.back_to(0, tree, visitor)
    }

    /// Leaves directories until so many are open.
    fn back_to<V: Visitor<Open = O>>(&mut self, depth: usize, tree: &Tree, visitor: &mut V) -> Result<(), PhaseError> {
        while self.0.len() > depth
            && let Some((number, open)) = self.0.pop()
        {
            visitor.leave(&tree.branches()[number], open, self.0.last().map(|(_, open)| open))?;
        }
        Ok(())
    }
}
