//! What must stay untouched: trees of others whose names are those of barrow, watched through handles wherever they are moved to.

use std::collections::BTreeMap;
use std::fs::{self, File, FileTimes};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// So long ago that any reading moves the time of access, also on a filesystem that is mounted with relatime.
const LONG_AGO: Duration = Duration::from_secs(10 * 86_400);

/// A tree, with all that is known of it at some moment.
pub struct Victim {
    name: &'static str,
    handle: File,
    before: BTreeMap<PathBuf, String>,
}

/// Makes a directory full of files that are named like barrow's, which belong to some user.
pub fn plant_tree(path: &Path, owner: u32, mode: u32) {
    let put = |name: &str, content: &str| fs::write(path.join(name), content).unwrap();
    fs::create_dir(path).unwrap();
    put("marker", "my diary\n");
    put("barrow.jsonl", "");
    put("notes.txt", "kept\n");
    (0..3).for_each(|worker| put(&format!("block.{worker}"), "precious"));
    for directory in ["sequential.0.0", "random.0.0"] {
        fs::create_dir(path.join(directory)).unwrap();
        (0..20).for_each(|file| put(&format!("{directory}/{file:010x}"), "precious"));
    }
    for entry in walk(path) {
        chown(&entry, Some(owner), Some(owner)).unwrap();
    }
    chown(path, Some(owner), Some(owner)).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

impl Victim {
    /// Begins to watch a tree or a file, when everything was planted.
    pub fn watch(name: &'static str, path: &Path) -> Self {
        let handle = File::open(path).unwrap();
        let then = SystemTime::now() - LONG_AGO;
        let contents = contents(&handle);
        age(&handle, then);
        let mut before = looks(&handle);
        // To look at a directory is to read it.
        age(&handle, then);
        before.iter_mut().for_each(|(path, look)| *look += &contents[path]);
        Self { name, handle, before }
    }

    /// Fails when anything has changed: names, contents, owners, modes, links, times of change and of access.
    pub fn assert_untouched(&self) {
        // First the times: to compare contents is to read them.
        let mut after = looks(&self.handle);
        let contents = contents(&self.handle);
        after.iter_mut().for_each(|(path, look)| *look += contents.get(path).map_or("", String::as_str));
        assert_eq!(after, self.before, "{} was touched", self.name);
    }

    /// Entries that are watched.
    pub fn entries(&self) -> usize {
        self.before.len()
    }
}

/// Fails when reading a file leaves no trace here, so that nothing could be proven.
pub fn assert_reading_is_seen(directory: &Path) {
    let path = directory.join("control");
    fs::write(&path, "read me").unwrap();
    let control = Victim::watch("control", &path);
    let before = looks(&control.handle);
    fs::read(&path).unwrap();
    assert_ne!(looks(&control.handle), before);
}

fn age(handle: &File, then: SystemTime) {
    let place = PathBuf::from(format!("/proc/self/fd/{}", handle.as_raw_fd()));
    for entry in walk(&place).into_iter().chain([place]) {
        let file = File::open(&entry).unwrap();
        file.set_times(FileTimes::new().set_accessed(then).set_modified(then)).unwrap();
    }
}

/// All paths below a directory; none below a file.
fn walk(top: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut waiting = vec![top.to_owned()];
    while let Some(next) = waiting.pop() {
        let entries = fs::read_dir(&next).into_iter().flatten();
        for path in entries.map(|entry| entry.unwrap().path()) {
            if fs::symlink_metadata(&path).unwrap().is_dir() {
                waiting.push(path.clone());
            }
            found.push(path);
        }
    }
    found
}

/// What is known of a tree without reading the files in it; a directory's time of access is taken before it is listed.
fn looks(handle: &File) -> BTreeMap<PathBuf, String> {
    let top = PathBuf::from(format!("/proc/self/fd/{}", handle.as_raw_fd()));
    let mut found = BTreeMap::new();
    let mut waiting = vec![top.clone()];
    while let Some(next) = waiting.pop() {
        // The handle itself is a link in /proc.
        let status = if next == top { fs::metadata(&next) } else { fs::symlink_metadata(&next) }.unwrap();
        let times = format!("{}.{} {}.{}", status.mtime(), status.mtime_nsec(), status.atime(), status.atime_nsec());
        let look = format!("{:o} {} {} {} {} {times} ", status.mode(), status.uid(), status.gid(), status.nlink(), status.size());
        found.insert(next.strip_prefix(&top).unwrap().to_owned(), look);
        if status.is_dir() {
            waiting.extend(fs::read_dir(&next).unwrap().map(|entry| entry.unwrap().path()));
        }
    }
    found
}

fn contents(handle: &File) -> BTreeMap<PathBuf, String> {
    let top = PathBuf::from(format!("/proc/self/fd/{}", handle.as_raw_fd()));
    let read = |path: &PathBuf| fs::read_to_string(path).unwrap_or_default();
    let entries = walk(&top).into_iter().chain([top.clone()]);
    entries.map(|path| (path.strip_prefix(&top).unwrap().to_owned(), read(&path))).collect()
}
