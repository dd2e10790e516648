//! The facts of the machine that anyone may read.

use super::process::is_root;
use crate::model::machine::Machine;
use nix::unistd::{SysconfVar, sysconf};
use std::fs;

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
        root: is_root(),
        hostname: names.filter(|_| with_hostname).map(|names| name(names.nodename())),
    }
}

/// The memory of this machine in bytes.
#[must_use]
pub fn ram_bytes() -> Option<u64> {
    let value = |variable| sysconf(variable).ok().flatten().and_then(|value| u64::try_from(value).ok());
    value(SysconfVar::_PHYS_PAGES)?.checked_mul(value(SysconfVar::PAGE_SIZE)?)
}

/// The model name in the text of /proc/cpuinfo: `model name` on x86, `Model` or `Hardware` on ARM boards.
fn cpu_model_in(cpuinfo: &str) -> Option<String> {
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
    fn this_machine_has_a_kernel_and_memory() {
        let machine = this_machine(false);
        assert!(machine.kernel.is_some_and(|kernel| kernel.starts_with("Linux ")));
        assert!(machine.ram_bytes.is_some_and(|bytes| bytes > 64 << 20));
        assert_eq!(machine.hostname, None);
    }
}
