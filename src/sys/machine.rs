//! The facts of the machine that anyone may read.

use super::process::is_root;
use crate::model::machine::{DirtyLimits, Machine};
use nix::unistd::{SysconfVar, sysconf};
use std::fs;
use std::path::{Path, PathBuf};

/// What is known of this machine; the host's name only when it is wanted.
#[must_use]
pub fn this_machine(with_hostname: bool) -> Machine {
    let names = nix::sys::utsname::uname().ok();
    let name = |field: &std::ffi::OsStr| field.to_string_lossy().into_owned();
    Machine {
        kernel: names.as_ref().map(|names| format!("{} {}", name(names.sysname()), name(names.release()))),
        architecture: names.as_ref().map(|names| name(names.machine())),
        cpu_model: fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| cpu_model_in(&text)),
        cpus: std::thread::available_parallelism().ok().and_then(|count| u32::try_from(count.get()).ok()),
        ram_bytes: ram_bytes(),
        governor: read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
        memory_limit_bytes: memory_limit(),
        inside: inside(),
        memory_goes_back: memory_goes_back(Path::new("/sys/bus/virtio/devices")),
        dirty: dirty_limits(),
        root: is_root(),
        hostname: if with_hostname { host_name() } else { None },
    }
}

/// The name of this host.
#[must_use]
pub fn host_name() -> Option<String> {
    let names = nix::sys::utsname::uname().ok()?;
    Some(names.nodename().to_string_lossy().into_owned())
}

fn read(path: &str) -> Option<String> {
    fs::read_to_string(path).ok().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
}

fn read_number(path: &str) -> Option<u64> {
    read(path)?.parse().ok()
}

fn dirty_limits() -> Option<DirtyLimits> {
    Some(DirtyLimits {
        background_percent: read_number("/proc/sys/vm/dirty_background_ratio")?,
        percent: read_number("/proc/sys/vm/dirty_ratio")?,
        background_bytes: read_number("/proc/sys/vm/dirty_background_bytes")?,
        bytes: read_number("/proc/sys/vm/dirty_bytes")?,
    })
}

/// What this process runs in, as far as it can be seen from inside.
fn inside() -> Vec<String> {
    let is_virtual = read("/proc/cpuinfo").is_some_and(|text| text.split_whitespace().any(|word| word == "hypervisor"));
    let marks = ["/.dockerenv", "/run/.containerenv", "/run/systemd/container"];
    let is_contained = marks.iter().any(|mark| fs::exists(mark).unwrap_or(false));
    let found = [(is_virtual, "virtual machine"), (is_contained, "container")];
    found.into_iter().filter(|(is_so, _)| *is_so).map(|(_, name)| name.to_owned()).collect()
}

/// Whether a balloon device reports free pages to the host, which then takes them away (virtio 1.2, 5.5.3: VIRTIO_BALLOON_F_REPORTING).
fn memory_goes_back(devices: &Path) -> bool {
    const BALLOON: &str = "0x0005";
    const REPORTING: usize = 5;
    let Ok(entries) = fs::read_dir(devices) else { return false };
    let read = |path: PathBuf| fs::read_to_string(path).unwrap_or_default();
    entries.flatten().map(|entry| entry.path()).any(|device| {
        let is_balloon = read(device.join("device")).trim() == BALLOON;
        // A digit a feature, from the first on.
        is_balloon && read(device.join("features")).as_bytes().get(REPORTING) == Some(&b'1')
    })
}

/// The least memory limit of the control groups of this process, of both versions; `None` where none is below the memory.
#[must_use]
pub fn memory_limit() -> Option<u64> {
    let groups = read("/proc/self/cgroup")?;
    let limits = limit_files(&groups).filter_map(|path| read_number(&path));
    limits.min().filter(|limit| ram_bytes().is_none_or(|ram| *limit < ram))
}

/// The files that limit memory for the groups of /proc/self/cgroup (cgroups(7)), from each group up to the root, in the places where
/// both versions are usually mounted. One after the other: of a deep group all names together would be long.
pub fn limit_files(groups: &str) -> impl Iterator<Item = String> {
    groups.lines().filter_map(limit_places).flat_map(|(roots, name, path)| {
        Path::new(path).ancestors().flat_map(move |group| {
            let group = group.to_string_lossy().trim_end_matches('/').to_owned();
            roots.iter().map(move |root| format!("{root}{group}/{name}"))
        })
    })
}

/// Where the hierarchy of a line of /proc/self/cgroup is usually mounted, the name of its file of the limit, and the path of the group;
/// `None` for one that does not limit memory.
fn limit_places(line: &str) -> Option<(&'static [&'static str], &'static str, &str)> {
    let mut fields = line.splitn(3, ':').skip(1);
    let (controllers, path) = (fields.next()?, fields.next()?);
    match controllers {
        "" => Some((&["/sys/fs/cgroup", "/sys/fs/cgroup/unified"], "memory.max", path)),
        list if list.split(',').any(|controller| controller == "memory") => {
            Some((&["/sys/fs/cgroup/memory"], "memory.limit_in_bytes", path))
        }
        _ => None,
    }
}

/// The memory of this machine in bytes.
#[must_use]
pub fn ram_bytes() -> Option<u64> {
    let value = |variable| sysconf(variable).ok().flatten().and_then(|value| u64::try_from(value).ok());
    value(SysconfVar::_PHYS_PAGES)?.checked_mul(value(SysconfVar::PAGE_SIZE)?)
}

/// The model name in the text of /proc/cpuinfo: `model name` on x86, `Model` or `Hardware` on ARM boards; `None` where none
/// of them is there.
#[must_use]
pub fn cpu_model_in(cpuinfo: &str) -> Option<String> {
    ["model name", "Model", "Hardware", "cpu model", "cpu"].iter().find_map(|wanted| {
        let line = cpuinfo.lines().find(|line| line.split(':').next().map(str::trim) == Some(wanted))?;
        let value = line.split_once(':')?.1.trim();
        (!value.is_empty()).then(|| value.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cpu_model_is_found() {
        assert_eq!(cpu_model_in("processor\t: 0\nmodel\t\t: 85\nmodel name\t: Example 9000\n").as_deref(), Some("Example 9000"));
        assert_eq!(cpu_model_in("processor\t: 0\n"), None);
    }

    #[test]
    fn a_host_that_takes_free_memory_back_is_found() {
        let devices = tempfile::tempdir().unwrap();
        let add = |name: &str, kind: &str, features: &str| {
            let device = devices.path().join(name);
            fs::create_dir(&device).unwrap();
            fs::write(device.join("device"), format!("{kind}\n")).unwrap();
            fs::write(device.join("features"), format!("{features}\n")).unwrap();
        };
        assert!(!memory_goes_back(&devices.path().join("missing")));
        add("virtio0", "0x0002", "11111111");
        add("virtio1", "0x0005", "11111011");
        assert!(!memory_goes_back(devices.path()));
        add("virtio2", "0x0005", "00000100");
        assert!(memory_goes_back(devices.path()));
    }

    #[test]
    fn memory_limits_of_both_versions_are_looked_for_up_to_the_root() {
        let files: Vec<String> = limit_files("4:memory,cpu:/a/b\n1:cpu:/x\n0::/c\n").collect();
        let expected = [
            "/sys/fs/cgroup/memory/a/b/memory.limit_in_bytes",
            "/sys/fs/cgroup/memory/a/memory.limit_in_bytes",
            "/sys/fs/cgroup/memory/memory.limit_in_bytes",
            "/sys/fs/cgroup/c/memory.max",
            "/sys/fs/cgroup/unified/c/memory.max",
            "/sys/fs/cgroup/memory.max",
            "/sys/fs/cgroup/unified/memory.max",
        ];
        assert_eq!(files, expected);
        assert_eq!(limit_files("nonsense").count(), 0);
    }

    #[test]
    fn this_machine_has_a_kernel_and_memory() {
        let machine = this_machine(false);
        assert!(machine.kernel.is_some_and(|kernel| kernel.starts_with("Linux ")));
        assert!(machine.ram_bytes.is_some_and(|bytes| bytes > 64 << 20));
        assert_eq!(machine.hostname, None);
    }
}
