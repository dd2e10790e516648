//! Which programs and which filesystems are there, and the package that would bring what is not.

use super::recipe::{Driver, package_of};
use crate::sys::command::search_path;
use crate::sys::kernel_filesystems::KernelFilesystems;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// What a system has for the lab to use.
#[derive(Debug, Clone, Default)]
pub struct System {
    /// The directories in which programs lie.
    pub places: Vec<PathBuf>,
    /// The filesystems of its kernel.
    pub kernel: KernelFilesystems,
}

impl System {
    /// This one.
    #[must_use]
    pub fn of_this_machine() -> Self {
        Self { places: std::env::split_paths(&search_path()).collect(), kernel: KernelFilesystems::of_this_machine() }
    }

    /// Whether a program is there: by its name, or by its path where it has a `/`.
    #[must_use]
    pub fn has_program(&self, name: &str) -> bool {
        if name.contains('/') {
            return is_program(Path::new(name));
        }
        !name.is_empty() && self.places.iter().any(|place| is_program(&place.join(name)))
    }

    /// What is in the way of a program, in words; `None` when it is there.
    #[must_use]
    pub fn lacks_program(&self, name: &str, package: Option<&str>) -> Option<String> {
        (!self.has_program(name)).then(|| match package.or_else(|| package_of(name)) {
            Some(package) => format!("{name} is missing: install {package}"),
            None => format!("{name} is missing"),
        })
    }

    /// The first of some drivers that is there; else what each would need, in words.
    ///
    /// # Errors
    /// The words, when none is there.
    pub fn driver(&self, drivers: &[Driver]) -> Result<Driver, String> {
        let mut lacks = Vec::new();
        for driver in drivers {
            match self.lacks_driver(*driver) {
                None => return Ok(*driver),
                Some(words) => lacks.push(words),
            }
        }
        Err(lacks.join(" and "))
    }

    fn lacks_driver(&self, driver: Driver) -> Option<String> {
        match driver {
            Driver::Kernel(kind) => (!self.kernel.has(kind)).then(|| format!("this kernel has no {kind}")),
            Driver::Process { program, package, .. } => {
                let no_fuse = (!self.kernel.has("fuseblk")).then(|| "this kernel has no FUSE for block devices".to_owned());
                no_fuse.or_else(|| self.lacks_program(program, Some(package)))
            }
        }
    }

    /// What is in the way of a filesystem that is not in the catalogue: the kernel may have it, or mount(8) a program for it.
    #[must_use]
    pub fn lacks_filesystem(&self, kind: &str) -> Option<String> {
        let program = format!("mount.{kind}");
        let is_there = self.kernel.has(kind) || self.has_program(&program);
        (!is_there).then(|| format!("this kernel has no {kind}, and there is no {program}"))
    }
}

fn is_program(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::super::recipe::named;
    use super::*;
    use std::fs;

    /// A system with some programs and filesystems.
    fn system(programs: &[&str], present: &str) -> (tempfile::TempDir, System) {
        let place = tempfile::tempdir().unwrap();
        for program in programs {
            let path = place.path().join(program);
            fs::write(&path, "").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        let kernel = KernelFilesystems::of_texts(present, &[], "");
        let system = System { places: vec![PathBuf::from("/no/where"), place.path().to_owned()], kernel };
        (place, system)
    }

    fn driver(system: &System, name: &str) -> Result<&'static str, String> {
        system.driver(named(name).unwrap().1).map(Driver::kind)
    }

    #[test]
    fn the_best_driver_that_is_there_is_taken() {
        let (_place, both) = system(&["mount.ntfs-3g", "mount.exfat-fuse"], "\tntfs3\n\tfuseblk\n");
        assert_eq!(driver(&both, "ntfs"), Ok("ntfs3"));
        assert_eq!(driver(&both, "ntfs-3g"), Ok("ntfs-3g"));
        assert_eq!(driver(&both, "exfat"), Ok("exfat-fuse"));
        let (_place, neither) = system(&[], "\tfuseblk\n");
        assert_eq!(driver(&neither, "jfs"), Err("this kernel has no jfs".to_owned()));
        assert_eq!(
            driver(&neither, "exfat"),
            Err("this kernel has no exfat and mount.exfat-fuse is missing: install exfat-fuse".to_owned())
        );
        let (_place, no_fuse) = system(&["mount.ntfs-3g"], "");
        assert_eq!(driver(&no_fuse, "ntfs-3g"), Err("this kernel has no FUSE for block devices".to_owned()));
    }

    #[test]
    fn what_is_missing_is_named_with_its_package() {
        let (place, system) = system(&["mkfs.ext4", "mount.zfs"], "\text4\n");
        assert_eq!(system.lacks_program("mkfs.ext4", None), None);
        assert_eq!(system.lacks_program("mkfs.jfs", None), Some("mkfs.jfs is missing: install jfsutils".to_owned()));
        assert_eq!(system.lacks_program("mkfs.zfs", None), Some("mkfs.zfs is missing".to_owned()));
        assert_eq!(system.lacks_filesystem("zfs"), None);
        assert!(system.lacks_filesystem("udf").unwrap().contains("no mount.udf"));
        // What cannot be executed is no program, nor is a directory.
        fs::write(place.path().join("notes"), "").unwrap();
        assert!(!system.has_program("notes") && !system.has_program("") && !system.has_program("/tmp"));
        assert!(system.has_program(&place.path().join("mkfs.ext4").to_string_lossy()));
    }
}
