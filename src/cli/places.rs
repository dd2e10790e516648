//! Which directories are meant, under which names, and what is known of them.

use super::exit::usage;
use crate::model::machine::{Device, DirectIo, Filesystem};
use crate::model::printable::printable;
use crate::model::profile::{Profile, ProfileError};
use crate::sys::files;
use crate::sys::mounts::{self, Mount};
use crate::target::ground::plain_error;
use anyhow::bail;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// A directory that is to be measured.
#[derive(Debug)]
pub struct Named {
    /// Its name in every report.
    pub label: String,
    /// The path as it was typed.
    pub path: PathBuf,
    /// The open directory.
    pub directory: File,
    /// Its filesystem.
    pub filesystem: Filesystem,
    /// The device below.
    pub device: Device,
    /// How direct I/O must be aligned there, once that was asked.
    pub direct_io: Option<DirectIo>,
}

/// The most bytes of a name: it stands in every line of every report.
const MOST_LABEL: usize = 4096;

/// What one argument says: a name, if any, and a path.
pub fn split(argument: &OsStr) -> (Option<String>, PathBuf) {
    let whole = (None, PathBuf::from(argument));
    let bytes = argument.as_bytes();
    if Path::new(argument).is_dir() || bytes.starts_with(b"/") || bytes.starts_with(b".") {
        return whole;
    }
    match bytes.iter().position(|byte| *byte == b'=') {
        None => whole,
        Some(place) => {
            let label = String::from_utf8_lossy(&bytes[..place]).into_owned();
            (Some(label), PathBuf::from(OsStr::from_bytes(&bytes[place + 1..])))
        }
    }
}

/// Opens the directories of the arguments (the current one, when there are none) and finds out about them.
///
/// # Errors
/// When one is missing, is no directory or cannot be written; as a usage error when two have the same name.
pub fn open(arguments: &[OsString]) -> anyhow::Result<Vec<Named>> {
    let here = [OsString::from(".")];
    let arguments = if arguments.is_empty() { &here[..] } else { arguments };
    open_named(arguments.iter().map(|argument| split(argument)).collect())
}

/// Opens directories, each with the name that it is to have, if any, and finds out about them.
///
/// # Errors
/// As [`open`].
pub fn open_named(asked: Vec<(Option<String>, PathBuf)>) -> anyhow::Result<Vec<Named>> {
    let mut found = Vec::new();
    for (label, path) in asked {
        if label.as_ref().is_some_and(|label| label.trim().is_empty()) {
            return Err(usage(format!("{}: the name before `=` is empty", path.display())));
        }
        if label.as_ref().is_some_and(|label| label.len() > MOST_LABEL) {
            return Err(usage(format!("{}: the name that is given to it is over {MOST_LABEL} bytes long", path.display())));
        }
        if path.as_os_str().is_empty() {
            let before = label.map(|label| format!("`{label}=`: ")).unwrap_or_default();
            return Err(usage(format!("{before}the name of the directory is empty")));
        }
        let (directory, mount) = open_one(&path)?;
        let filesystem = mounts::filesystem_of(&directory, &mount)
            .map_err(|error| anyhow::anyhow!("{}: its size is not known: {}", path.display(), plain_error(&error)))?;
        let device = mounts::device_of(&mount);
        found.push((label, Named { label: String::new(), path, directory, filesystem, device, direct_io: None }, mount));
    }
    let labels = labels(&found.iter().map(|(label, named, mount)| (label.clone(), named.path.as_path(), mount)).collect::<Vec<_>>());
    for (index, label) in labels.iter().enumerate() {
        if labels[..index].iter().any(|other| printable(other) == printable(label)) {
            return Err(usage(format!("two targets have the name `{}`: give each its own, as in a=DIR b=DIR", printable(label))));
        }
    }
    Ok(found.into_iter().zip(labels).map(|((_, named, _), label)| Named { label, ..named }).collect())
}

fn open_one(path: &Path) -> anyhow::Result<(File, Mount)> {
    let (directory, mount) = open_to_look(path)?;
    if let Err(error) = files::check_writable(&directory) {
        bail!("{}: cannot be written: {}", path.display(), plain_error(&error));
    }
    Ok((directory, mount))
}

/// Opens a directory and finds its mount; nobody needs to be able to write there.
///
/// # Errors
/// When it is missing, is no directory or cannot be opened, or its mount is not known.
pub fn open_to_look(path: &Path) -> anyhow::Result<(File, Mount)> {
    let shown = path.display();
    let directory = match files::open_directory_path(path) {
        Ok(directory) => directory,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => bail!("{shown}: there is no such directory{}", advice(path)),
        Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => bail!("{shown}: is not a directory"),
        Err(error) => bail!("{shown}: cannot be opened: {}", plain_error(&error)),
    };
    anyhow::ensure!(!files::is_removed(&directory), "{shown}: the directory was removed; change to one that is there, or name it");
    let mount =
        mounts::mount_of(&directory).map_err(|error| anyhow::anyhow!("{shown}: its mount is not known: {}", plain_error(&error)))?;
    Ok((directory, mount))
}

fn advice(path: &Path) -> String {
    let name = path.to_string_lossy();
    if name.contains('=') {
        " (a name before it must not begin with `/` or `.`)".to_owned()
    } else if !matches!(Profile::named(&name, 0), Err(ProfileError::Unknown { .. })) {
        format!("; the profile of that name is chosen with `-p {name}`")
    } else {
        String::new()
    }
}

/// The last part of a path: what is above it is nobody's business.
fn last_part(path: &Path) -> PathBuf {
    let whole = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    PathBuf::from(whole.file_name().unwrap_or(whole.as_os_str()))
}

/// The names of targets: as given; else the filesystem type; with the mount point, then with the last part of the path, then with the
/// place on the command line, where two would be equal.
fn labels(targets: &[(Option<String>, &Path, &Mount)]) -> Vec<String> {
    let given = |index: usize| targets[index].0.clone();
    let spellings: [&dyn Fn(usize) -> String; 4] = [
        &|index| targets[index].2.kind.clone(),
        &|index| format!("{} {}", targets[index].2.kind, targets[index].2.mount_point.display()),
        &|index| format!("{} {}", targets[index].2.kind, last_part(targets[index].1).display()),
        &|index| format!("{} {}", targets[index].2.kind, index + 1),
    ];
    let unnamed = || (0..targets.len()).filter(|index| given(*index).is_none());
    let is_clash = |spelling: &dyn Fn(usize) -> String, index: usize| {
        unnamed().any(|other| other != index && spelling(other) == spelling(index))
            || (0..targets.len()).any(|other| given(other).is_some_and(|name| name == spelling(index)))
    };
    let chosen = |index: usize| {
        let fitting = spellings.iter().find(|spelling| !is_clash(**spelling, index));
        fitting.map_or_else(|| spellings[3](index), |spelling| spelling(index))
    };
    (0..targets.len()).map(|index| given(index).unwrap_or_else(|| chosen(index))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_split_at_the_first_sign_unless_they_are_directories() {
        let cases = [
            ("a=/mnt/a", (Some("a"), "/mnt/a")),
            ("a=b=c", (Some("a"), "b=c")),
            ("/a=b", (None, "/a=b")),
            ("./a=b", (None, "./a=b")),
            ("nowhere", (None, "nowhere")),
        ];
        for (argument, (label, path)) in cases {
            assert_eq!(split(OsStr::new(argument)), (label.map(str::to_owned), PathBuf::from(path)), "{argument}");
        }
    }

    #[test]
    fn labels_tell_targets_apart() {
        let mount = |kind: &str, point: &str| Mount {
            id: 1,
            device_number: "1:1".to_owned(),
            mount_point: PathBuf::from(point),
            kind: kind.to_owned(),
            source: "none".to_owned(),
            options: Vec::new(),
        };
        let (a, b, c) = (mount("ext4", "/a"), mount("ext4", "/b"), mount("xfs", "/c"));
        let paths = [Path::new("/a/x"), Path::new("/b/x"), Path::new("/a/y"), Path::new("/a/z/x")];
        assert_eq!(labels(&[(None, paths[0], &a), (None, paths[1], &c)]), ["ext4", "xfs"]);
        assert_eq!(labels(&[(None, paths[0], &a), (None, paths[1], &b)]), ["ext4 /a", "ext4 /b"]);
        assert_eq!(labels(&[(None, paths[0], &a), (None, paths[2], &a)]), ["ext4 x", "ext4 y"]);
        assert_eq!(labels(&[(None, paths[0], &a), (None, paths[3], &a)]), ["ext4 1", "ext4 2"]);
        assert_eq!(labels(&[(Some("ext4".to_owned()), paths[0], &a), (None, paths[1], &b)]), ["ext4", "ext4 /b"]);
    }
}
