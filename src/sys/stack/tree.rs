//! The /proc, /sys and /dev of another machine: each file of tests/trees is made in a temporary directory, and read as if it were this one's.

use super::{Roots, Sight};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A tree, which is gone when this is dropped.
pub struct Tree {
    /// The directory that stands for `/`.
    pub home: TempDir,
    /// Where the kernel of that machine tells of itself.
    pub roots: Roots,
}

impl Tree {
    /// One of tests/trees. A line `path = content` adds a line to a file, `path -> target` makes a link; `#` begins a remark.
    pub fn of(name: &str) -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/trees/{name}.txt"));
        let tree = Self::empty();
        tree.add(&fs::read_to_string(&path).unwrap());
        tree
    }

    fn empty() -> Self {
        let home = tempfile::tempdir().unwrap();
        let roots = roots_below(home.path());
        Self { home, roots }
    }

    /// The same roots once more, for somebody who keeps them.
    pub fn more_roots(&self) -> Roots {
        roots_below(self.home.path())
    }

    /// Adds lines of the same form.
    pub fn add(&self, lines: &str) {
        for line in lines.lines().filter(|line| !line.starts_with('#')) {
            let split = [" = ", " -> "].iter().filter_map(|sign| Some((line.find(sign)?, *sign))).min().expect(line);
            let (at, content) = (self.home.path().join(&line[..split.0]), &line[split.0 + split.1.len()..]);
            fs::create_dir_all(at.parent().unwrap()).unwrap();
            if split.1 == " -> " {
                symlink(content, at).unwrap();
            } else {
                let so_far = fs::read_to_string(&at).unwrap_or_default();
                fs::write(at, format!("{so_far}{content}\n")).unwrap();
            }
        }
    }

    /// The path of something of the tree on this machine.
    pub fn path(&self, below: &str) -> PathBuf {
        self.home.path().join(below)
    }
}

fn roots_below(home: &Path) -> Roots {
    let root = home.to_owned();
    let look = move |path: &Path| seen(&root, path);
    Roots { proc: home.join("proc"), sys: home.join("sys"), look: Box::new(look), stands_on: Box::new(|_, _| None) }
}

/// A file below `dev` stands for a device, and holds its number.
fn seen(root: &Path, path: &Path) -> Sight {
    // Nothing of the tree is where this process stands.
    let Ok(below) = path.strip_prefix("/") else {
        return Sight::Missing;
    };
    let at = root.join(below);
    match fs::read_to_string(&at) {
        Ok(number) if path.starts_with("/dev") => Sight::Device(number.trim().to_owned()),
        _ if at.exists() => Sight::Place(None),
        _ => Sight::Missing,
    }
}
