//! The plan of the command line: the same as that of a file, from names of filesystems and mount options.

use super::asked::{filesystem_name, mount_options};
use super::plan::{Entry, Fault, Ground, Images, LabPlan, Place, Placed, PlanError, USUAL_MOUNT};
use std::collections::BTreeMap;

/// The plan that compares some filesystems, each with each of some mount options (with `defaults`, when there are none), on images.
///
/// # Errors
/// When a name or an option cannot be one.
pub fn plan_of(filesystems: &[String], mounts: &[String]) -> Result<LabPlan, PlanError> {
    let filesystems = filesystems.iter().map(|name| checked("--fs", name, filesystem_name)).collect::<Result<Vec<_>, _>>()?;
    let mounts = mounts.iter().map(|text| checked("--mount", text, mount_options)).collect::<Result<Vec<_>, _>>()?;
    let entry = Entry {
        place: Place::Options,
        label: None,
        filesystems: filesystems.into_iter().map(|value| Placed { value, place: Place::Options }).collect(),
        mounts: if mounts.is_empty() { vec![USUAL_MOUNT.to_owned()] } else { mounts },
        mkfs: Vec::new(),
        tags: BTreeMap::new(),
        ground: Ground::Image { directory: None, bytes: None },
        is_checked: true,
    };
    Ok(LabPlan {
        profile: None,
        changes: Vec::new(),
        tags: BTreeMap::new(),
        image_bytes: None,
        directory: None,
        images: Images::Shared,
        is_filled: false,
        entries: vec![entry],
    })
}

fn checked(option: &str, text: &str, check: fn(&str) -> Result<String, String>) -> Result<String, PlanError> {
    check(text).map_err(|problem| PlanError { place: Place::Options, fault: Fault::Unfit(format!("{option} {text}: {problem}")) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(filesystems: &[&str], mounts: &[&str]) -> Result<LabPlan, String> {
        let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        plan_of(&owned(filesystems), &owned(mounts)).map_err(|error| error.to_string())
    }

    #[test]
    fn options_are_one_entry() {
        let plan_made = plan(&["ext4", "xfs"], &["defaults", "noatime"]).unwrap();
        let [entry] = plan_made.entries.as_slice() else { panic!("{plan_made:?}") };
        assert_eq!((entry.filesystems.len(), entry.mounts.as_slice()), (2, &["defaults".to_owned(), "noatime".to_owned()][..]));
        assert_eq!(plan(&["ext4"], &[]).unwrap().entries[0].mounts, ["defaults"]);
        assert!(plan(&["ext4", ""], &[]).unwrap_err().starts_with("--fs : a filesystem is one word"));
        assert!(plan(&["ext4"], &["ro"]).unwrap_err().starts_with("--mount ro: the mount option ro"));
    }
}
