//! Which filesystems the running kernel has, or can load as a module.

use nix::sys::utsname::uname;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The names of filesystems that a kernel has or can load.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KernelFilesystems(BTreeSet<String>);

impl KernelFilesystems {
    /// Of the running kernel. What cannot be read has no names.
    #[must_use]
    pub fn of_this_machine() -> Self {
        let read = |path: &Path| fs::read_to_string(path).unwrap_or_default();
        let release = uname().map(|names| names.release().to_owned()).unwrap_or_default();
        let modules = Path::new("/lib/modules").join(release);
        Self::of_texts(
            &read(Path::new("/proc/filesystems")),
            &[&read(&modules.join("modules.dep")), &read(&modules.join("modules.builtin"))],
            &read(&modules.join("modules.alias")),
        )
    }

    /// Of a kernel with these texts: what it has (`/proc/filesystems`), lists of modules (`modules.dep`, `modules.builtin`), and the
    /// names by which modules are asked for (`modules.alias`).
    #[must_use]
    pub fn of_texts(present: &str, modules: &[&str], aliases: &str) -> Self {
        let present = present.lines().filter_map(|line| line.split_whitespace().last());
        let modules = modules.iter().flat_map(|text| text.lines()).filter_map(module_name);
        let aliases = aliases.lines().filter_map(alias_name);
        Self(present.chain(modules).chain(aliases).map(str::to_owned).collect())
    }

    /// Whether it has a filesystem of this name.
    #[must_use]
    pub fn has(&self, kind: &str) -> bool {
        self.0.contains(kind)
    }
}

/// The name of a module of a filesystem: `jfs` of `kernel/fs/jfs/jfs.ko.xz: kernel/…`.
fn module_name(line: &str) -> Option<&str> {
    let path = line.split(':').next()?;
    path.contains("fs/").then_some(())?;
    path.rsplit('/').next()?.split_once(".ko").map(|(name, _)| name)
}

/// The filesystem that a module gives by another name than its own: `ext3` of `alias fs-ext3 ext4`.
fn alias_name(line: &str) -> Option<&str> {
    line.strip_prefix("alias fs-")?.split_whitespace().next()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_filesystem_is_there_or_can_be_loaded() {
        let present = "nodev\tproc\n\text3\n\text4\nnodev\tfuse\n\tfuseblk\n";
        let dependencies = "kernel/fs/jfs/jfs.ko.xz: kernel/fs/nls/nls_base.ko.xz\nkernel/fs/fat/vfat.ko: kernel/fs/fat/fat.ko\n\
                            kernel/drivers/net/dummy.ko:\nextra/fs/zfs.ko.zst:\n";
        let builtin = "kernel/fs/xfs/xfs.ko\n";
        let aliases = "# Aliases\nalias fs-ext2 ext4\nalias pci:v00001 dummy\n";
        let kernel = KernelFilesystems::of_texts(present, &[dependencies, builtin], aliases);
        for name in ["proc", "ext2", "ext3", "ext4", "fuseblk", "jfs", "vfat", "xfs", "zfs"] {
            assert!(kernel.has(name), "{name}");
        }
        for name in ["dummy", "nodev", "btrfs", "", "jfs.ko"] {
            assert!(!kernel.has(name), "{name}");
        }
    }

    #[test]
    fn this_kernel_has_some() {
        assert!(KernelFilesystems::of_this_machine().has("proc"));
    }

    proptest! {
        #[test]
        fn any_text_is_read(present in ".{0,80}", modules in "(.|\n){0,80}", aliases in "(alias fs-| |\n|.){0,40}") {
            let _ = KernelFilesystems::of_texts(&present, &[&modules], &aliases);
        }
    }
}
