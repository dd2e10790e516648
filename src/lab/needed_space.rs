//! The space that the images of some variants take.

use super::error::LabError;
use super::variant::{Ground, Variant};
use crate::sys::files;
use crate::sys::mounts::{filesystem_of, mount_of};
use crate::units::rounded_size;
use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

/// The images in one directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Space {
    /// The directory.
    pub directory: PathBuf,
    /// How many images there are.
    pub images: usize,
    /// Bytes of all of them.
    pub bytes: u64,
}

/// The space that variants take, by the directories of their images: what several stand on counts once.
#[must_use]
pub fn wanted(variants: &[Variant]) -> Vec<Space> {
    let mut images: BTreeMap<(&PathBuf, usize), u64> = BTreeMap::new();
    for variant in variants {
        match &variant.ground {
            Ground::Image { directory, bytes, number } => {
                images.insert((directory, *number), *bytes);
            }
            Ground::Devices(_) => {}
        }
    }
    let mut spaces: Vec<Space> = Vec::new();
    for ((directory, _), bytes) in images {
        match spaces.last_mut().filter(|space| space.directory == *directory) {
            Some(space) => {
                space.images += 1;
                space.bytes = space.bytes.saturating_add(bytes);
            }
            None => spaces.push(Space { directory: directory.clone(), images: 1, bytes }),
        }
    }
    spaces
}

/// Bytes that images of so many bytes need free: one per cent more, since their filesystem writes of them too.
#[must_use]
pub const fn with_spare(bytes: u64) -> u64 {
    bytes.saturating_add(bytes / 100)
}

/// Directories of one filesystem that together lack the space for their images.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shortage {
    /// The directories.
    pub directories: Vec<PathBuf>,
    /// Bytes that must be free.
    pub needed: u64,
    /// Bytes that are.
    pub free: u64,
}

impl fmt::Display for Shortage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let directories: Vec<String> = self.directories.iter().map(|directory| directory.display().to_string()).collect();
        let (needed, free) = (rounded_size(self.needed), rounded_size(self.free));
        write!(
            f,
            "{}: images need {needed}, but {free} are free; make them smaller by --size, or name another --dir",
            directories.join(", ")
        )
    }
}

/// Where the space for images is too small, filesystem by filesystem.
///
/// # Errors
/// When a directory cannot be opened, or does not tell how much is free.
pub fn shortages(spaces: &[Space]) -> Result<Vec<Shortage>, LabError> {
    let mut needs: Vec<(u64, Shortage)> = Vec::new();
    for space in spaces {
        let failed = |error| LabError::Directory { directory: space.directory.clone(), error };
        let opened = files::open_directory_path(&space.directory).map_err(failed)?;
        let (device, _) = files::status_of(&opened).map_err(failed)?.number();
        let mount = mount_of(&opened).map_err(failed)?;
        let free = filesystem_of(&opened, &mount).map_err(failed)?.free_bytes;
        let needed = with_spare(space.bytes);
        match needs.iter_mut().find(|(known, _)| *known == device) {
            Some((_, need)) => {
                need.directories.push(space.directory.clone());
                need.needed = need.needed.saturating_add(needed);
            }
            None => needs.push((device, Shortage { directories: vec![space.directory.clone()], needed, free })),
        }
    }
    Ok(needs.into_iter().map(|(_, need)| need).filter(|need| need.needed > need.free).collect())
}

#[cfg(test)]
mod tests {
    use super::super::plan_options::plan_of;
    use super::super::resolve::resolve;
    use super::super::system::System;
    use super::*;
    use crate::lab::plan::Images;

    fn spaces(images: Images) -> Vec<(usize, u64)> {
        let plan = plan_of(&["ext4", "xfs", "btrfs"].map(str::to_owned), &[]).unwrap();
        let plan = crate::lab::plan::LabPlan { images, image_bytes: Some(1 << 30), ..plan };
        let variants = resolve(&plan, &System::default()).unwrap().variants;
        wanted(&variants).iter().map(|space| (space.images, space.bytes)).collect()
    }

    #[test]
    fn what_is_shared_counts_once() {
        assert_eq!(spaces(Images::Shared), [(1, 1 << 30)]);
        assert_eq!(spaces(Images::Own), [(3, 3 << 30)]);
        assert_eq!(wanted(&[]), []);
        assert_eq!((with_spare(1000), with_spare(u64::MAX)), (1010, u64::MAX));
    }
}
