//! The meter: what the process and the machine used so far. Two readings make a result.

use super::around::Around;
use super::ceiling;
use crate::model::usage::Usage;
use nix::sys::resource::{UsageWho, getrusage};
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::time::Duration;

/// What was used since some fixed moment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Reading {
    /// Use by this process, all threads.
    pub usage: Usage,
    /// What the processors of the machine did together; `None` where /proc/stat cannot be read.
    pub machine: Option<MachineTime>,
}

impl Reading {
    /// Nanoseconds that all processors were busy together.
    #[must_use]
    pub fn system_busy_ns(&self) -> Option<u64> {
        self.machine.map(|machine| machine.busy_ns)
    }
}

/// Nanoseconds of all processors together, counted in ticks (proc_stat(5)).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MachineTime {
    /// Busy: user, nice, system, irq and softirq.
    pub busy_ns: u64,
    /// Of these, spent in programs: user and nice. The kernel's own helpers have none.
    pub user_ns: u64,
    /// Given to others by the hypervisor.
    pub stolen_ns: u64,
}

/// Something that can be read before and after the timed part of a phase. Reading allocates nothing.
pub trait Meter: Sync {
    /// What was used so far.
    fn read(&self) -> Reading;

    /// Bytes a second at which memory is read here, at the most; measured anew, off the clock. `None` where it cannot be.
    fn memory_read_rate(&self) -> Option<u64>;

    /// What else the machine did so far; off the clock, since this one allocates.
    fn around(&self) -> Around;
}

/// The meter of this process: getrusage(2) and the first line of /proc/stat.
#[derive(Debug)]
pub struct ProcessMeter {
    stat: Option<File>,
    status: Option<File>,
    tick_ns: u64,
}

impl ProcessMeter {
    /// Opens what is read at each reading.
    #[must_use]
    pub fn open() -> Self {
        let ticks_per_second = nix::unistd::sysconf(nix::unistd::SysconfVar::CLK_TCK).ok().flatten();
        let ticks_per_second = ticks_per_second.and_then(|ticks| u64::try_from(ticks).ok()).filter(|ticks| *ticks > 0);
        Self {
            stat: File::open("/proc/stat").ok(),
            status: File::open("/proc/self/status").ok(),
            tick_ns: 1_000_000_000 / ticks_per_second.unwrap_or(100),
        }
    }

    /// The largest resident set of this program: that of getrusage(2) begins with the peak of the process that started it.
    fn max_resident_bytes(&self) -> Option<u64> {
        let mut text = [0_u8; 4096];
        let length = self.status.as_ref()?.read_at(&mut text, 0).ok()?;
        peak_kib(text.get(..length)?)?.checked_mul(1024)
    }

    fn machine_time(&self) -> Option<MachineTime> {
        let mut line = [0_u8; 256];
        let length = self.stat.as_ref()?.read_at(&mut line, 0).ok()?;
        let ticks = machine_ticks(line.get(..length)?)?;
        Some(MachineTime {
            busy_ns: ticks.busy_ns.checked_mul(self.tick_ns)?,
            user_ns: ticks.user_ns.checked_mul(self.tick_ns)?,
            stolen_ns: ticks.stolen_ns.checked_mul(self.tick_ns)?,
        })
    }
}

impl Meter for ProcessMeter {
    fn read(&self) -> Reading {
        let mut usage = usage();
        usage.max_resident_bytes = self.max_resident_bytes().unwrap_or(usage.max_resident_bytes);
        Reading { usage, machine: self.machine_time() }
    }

    fn memory_read_rate(&self) -> Option<u64> {
        ceiling::memory_read_rate().ok()
    }

    fn around(&self) -> Around {
        Around::now(self.machine_time().map(|machine| machine.stolen_ns))
    }
}

fn usage() -> Usage {
    getrusage(UsageWho::RUSAGE_SELF).map(|usage| usage_of(usage.as_ref())).unwrap_or_default()
}

/// What the kernel says that a process used, with its times in nanoseconds and its memory in bytes (getrusage(2)).
pub(super) fn usage_of(usage: &libc::rusage) -> Usage {
    let count = |value: i64| u64::try_from(value).unwrap_or(0);
    let nanoseconds = |time: libc::timeval| count(time.tv_sec) * 1_000_000_000 + count(time.tv_usec) * 1000;
    Usage {
        user_ns: nanoseconds(usage.ru_utime),
        system_ns: nanoseconds(usage.ru_stime),
        max_resident_bytes: count(usage.ru_maxrss) * 1024,
        minor_faults: count(usage.ru_minflt),
        major_faults: count(usage.ru_majflt),
        blocks_in: count(usage.ru_inblock),
        blocks_out: count(usage.ru_oublock),
        voluntary_switches: count(usage.ru_nvcsw),
        involuntary_switches: count(usage.ru_nivcsw),
    }
}

/// What this thread has used of a processor so far, in the program and in the kernel. getrusage(2) would tell a thread's only as of the
/// last tick.
///
/// # Errors
/// When the kernel has no such clock.
pub fn thread_time() -> io::Result<Duration> {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call writes to `time`, which lives through it, and to nothing else.
    #[allow(unsafe_code)]
    let result = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    if result != 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0)))
}

/// The `VmHWM` line of /proc/self/status (proc_pid_status(5)), in KiB; `None` where there is none.
#[must_use]
pub fn peak_kib(status: &[u8]) -> Option<u64> {
    let line = status.split(|byte| *byte == b'\n').find_map(|line| line.strip_prefix(b"VmHWM:"))?;
    std::str::from_utf8(line).ok()?.split_whitespace().next()?.parse().ok()
}

/// The ticks (not yet nanoseconds) of the `cpu` line of /proc/stat. Busy are user, nice, system, irq and softirq, not idle, iowait and
/// steal; guest time is already in user and nice (proc_stat(5)). `None` when it has another form, or does not fit in 64 bits.
#[must_use]
pub fn machine_ticks(stat: &[u8]) -> Option<MachineTime> {
    let line = stat.split(|byte| *byte == b'\n').next()?;
    let mut fields = line.split(|byte| *byte == b' ').filter(|field| !field.is_empty());
    if fields.next()? != b"cpu" {
        return None;
    }
    let mut next = || -> Option<u64> { std::str::from_utf8(fields.next()?).ok()?.parse().ok() };
    let (user, nice, system) = (next()?, next()?, next()?);
    let (_idle, _waiting) = (next()?, next()?);
    let (interrupts, soft_interrupts) = (next()?, next()?);
    // Kernels before 2.6.11 do not count what was stolen.
    let stolen_ns = next().unwrap_or(0);
    let user_ns = user.checked_add(nice)?;
    let busy_ns = [system, interrupts, soft_interrupts].into_iter().try_fold(user_ns, u64::checked_add)?;
    Some(MachineTime { busy_ns, user_ns, stolen_ns })
}

/// What was used between two readings.
#[must_use]
pub fn difference(before: &Reading, after: &Reading) -> Reading {
    let (a, b) = (&before.usage, &after.usage);
    Reading {
        usage: Usage {
            user_ns: b.user_ns.saturating_sub(a.user_ns),
            system_ns: b.system_ns.saturating_sub(a.system_ns),
            max_resident_bytes: b.max_resident_bytes,
            minor_faults: b.minor_faults.saturating_sub(a.minor_faults),
            major_faults: b.major_faults.saturating_sub(a.major_faults),
            blocks_in: b.blocks_in.saturating_sub(a.blocks_in),
            blocks_out: b.blocks_out.saturating_sub(a.blocks_out),
            voluntary_switches: b.voluntary_switches.saturating_sub(a.voluntary_switches),
            involuntary_switches: b.involuntary_switches.saturating_sub(a.involuntary_switches),
        },
        machine: before.machine.zip(after.machine).map(|(a, b)| MachineTime {
            busy_ns: b.busy_ns.saturating_sub(a.busy_ns),
            user_ns: b.user_ns.saturating_sub(a.user_ns),
            stolen_ns: b.stolen_ns.saturating_sub(a.stolen_ns),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn busy_is_neither_idle_nor_waiting_nor_stolen() {
        let ticks = machine_ticks(b"cpu  1 2 4 1000 2000 8 16 500 3 0\ncpu0 1 1\n").unwrap();
        assert_eq!(ticks, MachineTime { busy_ns: 31, user_ns: 3, stolen_ns: 500 });
        assert_eq!(machine_ticks(b"cpu  1 2 4 1000 2000 8 16\n").unwrap().stolen_ns, 0);
        assert_eq!(machine_ticks(b"cpu  1 2 4"), None);
        assert_eq!(machine_ticks(b"cpu0 1 2 4 1 1 1 1 1"), None);
        assert_eq!(machine_ticks(b""), None);
    }

    #[test]
    fn the_peak_of_memory_is_this_programs() {
        assert_eq!(peak_kib(b"Name:\tbarrow\nVmHWM:\t    8116 kB\nVmRSS:\t 1 kB\n"), Some(8116));
        assert_eq!(peak_kib(b"Name:\tbarrow\n"), None);
    }

    #[test]
    fn work_shows_on_the_meter() {
        let meter = ProcessMeter::open();
        let before = meter.read();
        let mut after = meter.read();
        // Spins until the meter has moved by a hundredth of a second of CPU.
        while after.usage.user_ns + after.usage.system_ns < before.usage.user_ns + before.usage.system_ns + 10_000_000 {
            after = meter.read();
        }
        let used = difference(&before, &after);
        assert!(used.usage.user_ns + used.usage.system_ns >= 10_000_000);
        assert!(used.usage.max_resident_bytes > 1 << 20);
    }

    /// Set in the process that burns: only there does nobody else use a processor.
    const BURNS: &str = "BARROW_TEST_BURNS";
    const BURNT: Duration = Duration::from_millis(400);
    /// What threads and readings cost beside what is burnt.
    const OVERHEAD: Duration = Duration::from_millis(4);

    /// Spins until this thread has used so much of a processor; tells how much it was.
    fn burn(amount: Duration) -> Duration {
        let start = thread_time().unwrap();
        loop {
            let used = thread_time().unwrap() - start;
            if used >= amount {
                return used;
            }
        }
    }

    /// The meter's difference lies within 2 per cent of what some threads burn.
    fn check_burners(threads: usize) {
        let meter = ProcessMeter::open();
        let before = meter.read();
        let burners: Vec<_> = (0..threads).map(|_| std::thread::spawn(|| burn(BURNT))).collect();
        let truth: Duration = burners.into_iter().map(|burner| burner.join().unwrap()).sum();
        let used = difference(&before, &meter.read()).usage;
        let seen = Duration::from_nanos(used.user_ns + used.system_ns);
        assert!(seen >= truth.mul_f64(0.98) && seen <= truth.mul_f64(1.02) + OVERHEAD, "{threads} threads burnt {truth:?}, seen {seen:?}");
    }

    #[test]
    fn the_meter_tells_what_was_burnt() {
        if std::env::var_os(BURNS).is_some() {
            check_burners(1);
            check_burners(2);
            return;
        }
        let name = "sys::meter::tests::the_meter_tells_what_was_burnt";
        let this = std::env::current_exe().unwrap();
        let burnt = std::process::Command::new(this).args(["--exact", name, "--test-threads=1"]).env(BURNS, "1").output().unwrap();
        let said = String::from_utf8_lossy(&burnt.stdout).into_owned();
        assert!(burnt.status.success() && said.contains("1 passed"), "{said}");
    }
}
