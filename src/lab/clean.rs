//! Removing what killed labs left: mounts that are seen here, loop devices, images and homes, and nothing else.

use super::emptying::empty_home;
use super::home::{home_name, is_home_name, marker_batch};
use crate::sys::files;
use crate::target::clean::{Found, Kind, clean_directory};
use std::io;
use std::path::{Path, PathBuf};

/// Homes of labs.
const HOME: Kind = Kind { number: marker_batch, name: home_name, empty: empty_home };

/// Removes the homes in a directory that no living lab uses. Gives each one's path and what became of it.
///
/// # Errors
/// When the directory itself cannot be opened or listed.
pub fn clean(directory: &Path) -> io::Result<Vec<(PathBuf, Found)>> {
    let parent = files::open_directory_path(directory)?;
    let mut found = Vec::new();
    for (name, _) in files::list(&parent, usize::MAX)?.into_iter().filter(|(name, _)| is_home_name(name)) {
        let place = directory.join(name.to_string_lossy().as_ref());
        found.extend(clean_directory(&HOME, &parent, &name, &place).map(|what| (place, what)));
    }
    found.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::home::{Home, marker_words};
    use crate::model::identity::Identity;
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn left_behind(directory: &Path, batch: u64, words: &str) -> PathBuf {
        let home = directory.join(home_name(batch).to_str().unwrap());
        fs::create_dir(&home).unwrap();
        fs::set_permissions(&home, fs::Permissions::from_mode(0o700)).unwrap();
        fs::create_dir(home.join("mounted.0")).unwrap();
        fs::write(home.join("image.0"), "an image").unwrap();
        fs::write(home.join("marker"), words).unwrap();
        home
    }

    #[test]
    fn a_dead_lab_goes_and_a_living_one_stays() {
        let directory = tempfile::tempdir().unwrap();
        let open = files::open_directory_path(directory.path()).unwrap();
        let living = Home::make(open, directory.path(), 1 << 32).unwrap();
        let dead = left_behind(directory.path(), 2 << 32, &marker_words("0.1.0", Identity(2 << 32)));
        let found = clean(directory.path()).unwrap();
        assert_eq!(found, [(living.shown(), Found::Live), (dead, Found::Removed)]);
        assert_eq!(living.remove(), [""; 0]);
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
    }

    #[test]
    fn what_no_lab_made_stays() {
        let directory = tempfile::tempdir().unwrap();
        let words = marker_words("0.1.0", Identity(7 << 32));
        // Another's number, a run's marker, and no words of barrow's.
        left_behind(directory.path(), 1 << 32, &words);
        left_behind(directory.path(), 2 << 32, "barrow 0.1.0 batch 0000000200000000 nonce 0000000200000000\n");
        left_behind(directory.path(), 3 << 32, "my diary, which is longer than a few words\n");
        let open = left_behind(directory.path(), 4 << 32, &marker_words("0.1.0", Identity(4 << 32)));
        fs::set_permissions(&open, fs::Permissions::from_mode(0o755)).unwrap();
        symlink(&open, directory.path().join(home_name(5 << 32).to_str().unwrap())).unwrap();
        let found = clean(directory.path()).unwrap();
        assert_eq!(found.len(), 5);
        assert!(found.iter().all(|(_, what)| matches!(what, Found::Left(_))), "{found:?}");
        for batch in 1..=4_u64 {
            let home = directory.path().join(home_name(batch << 32).to_str().unwrap());
            assert_eq!(fs::read_dir(home).unwrap().count(), 3);
        }
    }
}
