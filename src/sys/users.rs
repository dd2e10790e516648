//! Who keeps a filesystem from being unmounted: processes that have something of it open, and those that see it in mounts of their own.

use super::mounts::{Mount, parse_mount};
use super::processes::{Process, processes};
use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Where the kernel tells of processes.
const PROC: &str = "/proc";

/// The processes that have something at or below a path open, or as working directory, root or program, as far as the rights suffice to
/// see it.
#[must_use]
pub fn of_path(path: &Path) -> Vec<Process> {
    let all = processes(Path::new(PROC)).into_iter();
    all.filter(|(_, directory)| uses(directory, path)).map(|(id, directory)| Process::of(id, &directory)).collect()
}

/// One process of each other view of what is mounted where (mount_namespaces(7)) in which a mount of some kind is seen, as far as the
/// rights suffice to see it.
#[must_use]
pub fn of_mounts_elsewhere(is_meant: impl Fn(&Mount) -> bool) -> Vec<Process> {
    let view = |directory: &Path| fs::read_link(directory.join("ns/mnt")).ok();
    let mut known: HashSet<PathBuf> = view(&Path::new(PROC).join("self")).into_iter().collect();
    let is_new = |(_, directory): &(u32, PathBuf)| view(directory).is_some_and(|view| known.insert(view));
    let others: Vec<(u32, PathBuf)> = processes(Path::new(PROC)).into_iter().filter(is_new).collect();
    let sees = |(_, directory): &(u32, PathBuf)| {
        let text = fs::read(directory.join("mountinfo")).unwrap_or_default();
        String::from_utf8_lossy(&text).lines().filter_map(parse_mount).any(|mount| is_meant(&mount))
    };
    others.into_iter().filter(sees).map(|(id, directory)| Process::of(id, &directory)).collect()
}

fn uses(own: &Path, path: &Path) -> bool {
    let files = fs::read_dir(own.join("fd")).into_iter().flatten().flatten().map(|entry| entry.path());
    let links = ["cwd", "root", "exe"].into_iter().map(|name| own.join(name)).chain(files);
    // The text of the link alone: to follow it could wait for another filesystem for ever.
    links.filter_map(|link| fs::read_link(link).ok()).any(|goal| goal.starts_with(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_uses_what_it_has_open() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().canonicalize().unwrap();
        let is_this = |process: &Process| process.id == std::process::id();
        assert!(!of_path(&path).iter().any(is_this));
        let _open = fs::File::create(path.join("file")).unwrap();
        let found = of_path(&path);
        assert!(found.iter().any(is_this), "{found:?}");
        assert!(found[0].to_string().starts_with("process "), "{}", found[0]);
    }

    #[test]
    fn the_own_view_is_none_of_the_others() {
        assert!(!of_mounts_elsewhere(|_| true).iter().any(|process| process.id == std::process::id()));
    }
}
