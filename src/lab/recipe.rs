//! THE FILESYSTEMS that the lab can make: for each how it is made, mounted, checked and asked for its features. A filesystem is a row.

mod readers;

use readers::{btrfs_features, ext_features, f2fs_features, jfs_features, nilfs_features, ntfs_features, xfs_features};

/// Reads the answer of a filesystem's own tool: its features and sizes in words, without names, ids and dates.
pub type FeatureReader = fn(&str) -> Vec<String>;

/// What gives a filesystem to programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Driver {
    /// The kernel, under this name.
    Kernel(&'static str),
    /// A process (FUSE): the name for mount(8), the program that it starts, and the package that has it.
    Process {
        /// The name for mount(8).
        kind: &'static str,
        /// The program.
        program: &'static str,
        /// The package, in Debian and its kin.
        package: &'static str,
    },
}

impl Driver {
    /// The name for mount(8).
    #[must_use]
    pub const fn kind(self) -> &'static str {
        match self {
            Self::Kernel(kind) | Self::Process { kind, .. } => kind,
        }
    }
}

/// A program of the system as template: words with `{device}`, `{devices}` or `{mounted}` among them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tool {
    /// The words.
    pub words: &'static str,
    /// The package that has it, in Debian and its kin.
    pub package: &'static str,
}

impl Tool {
    /// The program.
    #[must_use]
    pub fn program(self) -> &'static str {
        self.words.split(' ').next().unwrap_or_default()
    }
}

/// How a filesystem is made and handled.
#[derive(Debug, Clone, Copy)]
pub struct Recipe {
    /// Its name.
    pub name: &'static str,
    /// What makes it: with its usual options, but without discards (which would punch holes into an image) and without work that is
    /// put off until it is mounted (which would fall into the measurement).
    pub mkfs: Tool,
    /// What tells the version of that program; empty where nothing does.
    pub version: &'static str,
    /// What gives it to programs, the best first.
    pub drivers: &'static [Driver],
    /// Mount options that it has in any case, so that numbers are true; may be empty.
    pub mount_options: &'static str,
    /// What checks it without changing it.
    pub check: Option<Tool>,
    /// What tells its features, and how the answer is read.
    pub features: Option<(Tool, FeatureReader)>,
    /// Bytes of the least device that it can be made on.
    pub least_bytes: u64,
}

const MIB: u64 = 1 << 20;

const fn e2fsprogs(words: &'static str) -> Tool {
    Tool { words, package: "e2fsprogs" }
}

/// What ext2, ext3 and ext4 have in common.
const EXT: Recipe = Recipe {
    name: "ext4",
    mkfs: e2fsprogs("mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0,nodiscard {device}"),
    version: "mkfs.ext4 -V",
    drivers: &[Driver::Kernel("ext4")],
    mount_options: "",
    check: Some(e2fsprogs("e2fsck -f -n {device}")),
    features: Some((e2fsprogs("dumpe2fs -h {device}"), ext_features)),
    least_bytes: 2 * MIB,
};

/// Every filesystem, in the order in which they are listed. The least sizes were found by trying, with the versions of Debian 12.
pub const RECIPES: &[Recipe] = &[
    Recipe {
        name: "ext2",
        mkfs: e2fsprogs("mkfs.ext2 -q -F -E lazy_itable_init=0,nodiscard {device}"),
        version: "mkfs.ext2 -V",
        drivers: &[Driver::Kernel("ext2")],
        least_bytes: MIB,
        ..EXT
    },
    Recipe {
        name: "ext3",
        mkfs: e2fsprogs("mkfs.ext3 -q -F -E lazy_itable_init=0,lazy_journal_init=0,nodiscard {device}"),
        version: "mkfs.ext3 -V",
        drivers: &[Driver::Kernel("ext3")],
        ..EXT
    },
    EXT,
    Recipe {
        name: "xfs",
        mkfs: Tool { words: "mkfs.xfs -q -f -K {device}", package: "xfsprogs" },
        version: "mkfs.xfs -V",
        drivers: &[Driver::Kernel("xfs")],
        mount_options: "",
        check: Some(Tool { words: "xfs_repair -n {device}", package: "xfsprogs" }),
        features: Some((Tool { words: "xfs_info {mounted}", package: "xfsprogs" }, xfs_features)),
        least_bytes: 300 * MIB,
    },
    Recipe {
        name: "btrfs",
        mkfs: Tool { words: "mkfs.btrfs -q -f -K {devices}", package: "btrfs-progs" },
        version: "mkfs.btrfs --version",
        drivers: &[Driver::Kernel("btrfs")],
        // It discards what is deleted unless it is told not to.
        mount_options: "nodiscard",
        check: Some(Tool { words: "btrfs check --readonly {device}", package: "btrfs-progs" }),
        features: Some((Tool { words: "btrfs inspect-internal dump-super {device}", package: "btrfs-progs" }, btrfs_features)),
        least_bytes: 109 * MIB,
    },
    Recipe {
        name: "f2fs",
        mkfs: Tool { words: "mkfs.f2fs -q -f -t 0 {device}", package: "f2fs-tools" },
        version: "mkfs.f2fs -V",
        drivers: &[Driver::Kernel("f2fs")],
        // It discards what is deleted unless it is told not to.
        mount_options: "nodiscard",
        check: Some(Tool { words: "fsck.f2fs --dry-run {device}", package: "f2fs-tools" }),
        features: Some((Tool { words: "dump.f2fs -d 1 {device}", package: "f2fs-tools" }, f2fs_features)),
        least_bytes: 52 * MIB,
    },
    Recipe {
        name: "jfs",
        mkfs: Tool { words: "mkfs.jfs -q {device}", package: "jfsutils" },
        version: "mkfs.jfs -V",
        drivers: &[Driver::Kernel("jfs")],
        mount_options: "",
        check: Some(Tool { words: "fsck.jfs -n {device}", package: "jfsutils" }),
        features: Some((Tool { words: "jfs_tune -l {device}", package: "jfsutils" }, jfs_features)),
        least_bytes: 16 * MIB,
    },
    Recipe {
        name: "nilfs2",
        mkfs: Tool { words: "mkfs.nilfs2 -q -f -K {device}", package: "nilfs-tools" },
        version: "mkfs.nilfs2 -V",
        drivers: &[Driver::Kernel("nilfs2")],
        // Its mount helper starts a cleaner, which would keep it busy when it is to be unmounted.
        mount_options: "nogc",
        // Nothing checks it.
        check: None,
        features: Some((Tool { words: "nilfs-tune -l {device}", package: "nilfs-tools" }, nilfs_features)),
        least_bytes: 129 * MIB,
    },
    Recipe {
        name: "vfat",
        // -I: on the whole of a device, without partitions.
        mkfs: Tool { words: "mkfs.vfat -I {device}", package: "dosfstools" },
        version: "mkfs.vfat --help",
        drivers: &[Driver::Kernel("vfat")],
        mount_options: "",
        check: Some(Tool { words: "fsck.vfat -n {device}", package: "dosfstools" }),
        // What tells them takes it for damaged while it is mounted.
        features: None,
        least_bytes: MIB,
    },
    Recipe {
        name: "exfat",
        mkfs: Tool { words: "mkfs.exfat {device}", package: "exfatprogs" },
        // Its programs end with an error when they are asked.
        version: "",
        drivers: &[Driver::Kernel("exfat"), Driver::Process { kind: "exfat-fuse", program: "mount.exfat-fuse", package: "exfat-fuse" }],
        mount_options: "",
        check: Some(Tool { words: "fsck.exfat -n {device}", package: "exfatprogs" }),
        // What tells them wants the device for itself, and so not while it is mounted.
        features: None,
        least_bytes: 4 * MIB,
    },
    Recipe {
        name: "ntfs",
        // -f: without writing zeros to the whole of the device.
        mkfs: Tool { words: "mkfs.ntfs -q -F -f {device}", package: "ntfs-3g" },
        version: "mkfs.ntfs -V",
        drivers: &[Driver::Kernel("ntfs3"), Driver::Process { kind: "ntfs-3g", program: "mount.ntfs-3g", package: "ntfs-3g" }],
        mount_options: "",
        check: Some(Tool { words: "ntfsfix -n {device}", package: "ntfs-3g" }),
        features: Some((Tool { words: "ntfsinfo -m -f {device}", package: "ntfs-3g" }, ntfs_features)),
        least_bytes: 2 * MIB,
    },
];

/// The filesystem of a name, and what may give it to programs. It has its own name, with every driver, and the names of its drivers,
/// each with that one alone: `ntfs` is given by whichever is there, `ntfs-3g` by FUSE.
#[must_use]
pub fn named(name: &str) -> Option<(&'static Recipe, &'static [Driver])> {
    let of_driver = |recipe: &'static Recipe| {
        let driver = recipe.drivers.iter().find(|driver| driver.kind() == name)?;
        Some((recipe, std::slice::from_ref(driver)))
    };
    let whole = RECIPES.iter().find(|recipe| recipe.name == name).map(|recipe| (recipe, recipe.drivers));
    whole.or_else(|| RECIPES.iter().find_map(of_driver))
}

/// Every name that [`named`] knows.
#[must_use]
pub fn names() -> Vec<&'static str> {
    let mut names: Vec<&str> = RECIPES.iter().map(|recipe| recipe.name).collect();
    for kind in RECIPES.iter().flat_map(|recipe| recipe.drivers).map(|driver| driver.kind()) {
        if !names.contains(&kind) {
            names.push(kind);
        }
    }
    names
}

/// The package that has a program which makes a filesystem of the catalogue.
#[must_use]
pub fn package_of(program: &str) -> Option<&'static str> {
    RECIPES.iter().find(|recipe| recipe.mkfs.program() == program).map(|recipe| recipe.mkfs.package)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_can_be_asked_for_and_names_its_device() {
        assert_eq!(
            names(),
            ["ext2", "ext3", "ext4", "xfs", "btrfs", "f2fs", "jfs", "nilfs2", "vfat", "exfat", "ntfs", "exfat-fuse", "ntfs3", "ntfs-3g"]
        );
        for recipe in RECIPES {
            assert_eq!(named(recipe.name).unwrap().0.name, recipe.name);
            let is_there = |words: &str| words.split(' ').any(|word| ["{device}", "{devices}", "{mounted}"].contains(&word));
            assert!(is_there(recipe.mkfs.words) && !recipe.mkfs.words.contains("{mounted}"), "{}", recipe.name);
            let others = recipe.check.iter().copied().chain(recipe.features.map(|(tool, _)| tool));
            others.for_each(|tool| assert!(is_there(tool.words), "{}: {}", recipe.name, tool.words));
        }
    }

    #[test]
    fn the_name_of_a_driver_chooses_it() {
        let (recipe, drivers) = named("ntfs-3g").unwrap();
        assert_eq!((recipe.name, drivers.len(), drivers[0].kind()), ("ntfs", 1, "ntfs-3g"));
        assert_eq!(named("ntfs").unwrap().1.len(), 2);
        assert!(named("ntfs-4g").is_none() && named("").is_none());
        assert_eq!((package_of("mkfs.jfs"), package_of("mkfs.zfs")), (Some("jfsutils"), None));
    }
}
