//! What is mounted in any mount namespace that /proc shows, by the devices below.

use super::{Taken, Use, unread};
use crate::sys::mounts::{Mount, parse_mount};
use crate::sys::processes::{Process, processes};
use crate::sys::stack::{Roots, devices_of};
use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::PathBuf;

/// Every device that a mount is on. What this process sees mounted is not told again for others.
///
/// # Errors
/// When this process' own mounts cannot be read. Those of another one may be hidden, or gone by now; what is mounted there only is
/// then still found by opening the device exclusively.
pub fn everything(roots: &Roots) -> io::Result<Vec<Taken>> {
    let own = roots.proc.join("self");
    let path = own.join("mountinfo");
    let text = fs::read(&path).map_err(|error| unread(&path, &error))?;
    let mut taken = taken_by(roots, &text, None);
    let seen: HashSet<PathBuf> = taken.iter().map(|one| one.place.clone()).collect();
    let mut namespaces: HashSet<PathBuf> = fs::read_link(own.join("ns/mnt")).into_iter().collect();
    for (id, directory) in processes(&roots.proc) {
        let is_new = fs::read_link(directory.join("ns/mnt")).map_or(true, |namespace| namespaces.insert(namespace));
        let text = if is_new { fs::read(directory.join("mountinfo")).ok() } else { None };
        if let Some(text) = text {
            let process = Process::of(id, &directory);
            taken.extend(taken_by(roots, &text, Some(&process)).into_iter().filter(|one| !seen.contains(&one.place)));
        }
    }
    Ok(taken)
}

fn taken_by(roots: &Roots, text: &[u8], process: Option<&Process>) -> Vec<Taken> {
    let text = String::from_utf8_lossy(text);
    let of_mount = |mount: Mount| {
        let places = devices_of(roots, &mount);
        places.into_iter().map(move |place| {
            let how = Use::Mounted { mount_point: mount.mount_point.clone(), seen_by: process.cloned() };
            Taken { place, how }
        })
    };
    text.lines().filter_map(parse_mount).flat_map(of_mount).collect()
}
