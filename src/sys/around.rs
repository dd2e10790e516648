//! What the machine did beside barrow, since some fixed moment: stolen time, pressure, suspension; and writes that were taken back.

use crate::model::evidence::Surroundings;
use nix::time::{ClockId, clock_gettime};
use std::fs;
use std::time::Duration;

/// Two of these, before and after, say what happened in between.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Around {
    /// What the machine did.
    pub surroundings: Surroundings,
    /// Bytes that this process had written to memory and deleted before they reached storage.
    pub cancelled_bytes: Option<u64>,
}

impl Around {
    /// Reads everything; what cannot be read stays unknown. `stolen_ns` comes from the meter, which has /proc/stat open.
    #[must_use]
    pub fn now(stolen_ns: Option<u64>) -> Self {
        let pressure = |what: &str| fs::read_to_string(format!("/proc/pressure/{what}")).ok().and_then(|text| some_total_ns(&text));
        Self {
            surroundings: Surroundings {
                stolen_ns,
                suspended_ns: suspended_ns(),
                cpu_pressure_ns: pressure("cpu"),
                io_pressure_ns: pressure("io"),
                memory_pressure_ns: pressure("memory"),
            },
            cancelled_bytes: fs::read_to_string("/proc/self/io").ok().and_then(|text| cancelled_bytes(&text)),
        }
    }

    /// What happened between two of them.
    #[must_use]
    pub fn since(&self, before: &Self) -> Self {
        let (a, b) = (&before.surroundings, &self.surroundings);
        Self {
            surroundings: Surroundings {
                stolen_ns: grown(a.stolen_ns, b.stolen_ns),
                suspended_ns: grown(a.suspended_ns, b.suspended_ns).map(|grown_ns| if grown_ns < NO_SUSPENSION_NS { 0 } else { grown_ns }),
                cpu_pressure_ns: grown(a.cpu_pressure_ns, b.cpu_pressure_ns),
                io_pressure_ns: grown(a.io_pressure_ns, b.io_pressure_ns),
                memory_pressure_ns: grown(a.memory_pressure_ns, b.memory_pressure_ns),
            },
            cancelled_bytes: grown(before.cancelled_bytes, self.cancelled_bytes),
        }
    }
}

fn grown(before: Option<u64>, after: Option<u64>) -> Option<u64> {
    before.zip(after).map(|(before, after)| after.saturating_sub(before))
}

/// The two clocks are read one after the other, so a difference that grew by less is none.
const NO_SUSPENSION_NS: u64 = 100_000_000;

/// Nanoseconds that the machine was suspended since it started: what the one clock counts and the other does not.
fn suspended_ns() -> Option<u64> {
    let of = |clock| clock_gettime(clock).ok().map(Duration::from);
    let (monotonic, boottime) = (of(ClockId::CLOCK_MONOTONIC)?, of(ClockId::CLOCK_BOOTTIME)?);
    Some(boottime.saturating_sub(monotonic).as_nanos() as u64)
}

/// The time in which some task was held up, from a file of /proc/pressure, which counts microseconds (Documentation/accounting/psi.rst).
fn some_total_ns(text: &str) -> Option<u64> {
    let line = text.lines().find(|line| line.starts_with("some "))?;
    let total = line.split(' ').find_map(|field| field.strip_prefix("total="))?;
    total.parse::<u64>().ok()?.checked_mul(1000)
}

/// `cancelled_write_bytes` of /proc/self/io (proc_pid_io(5)).
fn cancelled_bytes(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("cancelled_write_bytes:"))?;
    line.trim().parse::<i64>().ok().and_then(|bytes| u64::try_from(bytes).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pressure_counts_microseconds_in_which_some_task_waited() {
        let text = "some avg10=0.00 avg60=0.00 avg300=0.00 total=123456\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=7\n";
        assert_eq!(some_total_ns(text), Some(123_456_000));
        assert_eq!(some_total_ns("full avg10=0.00 total=7\n"), None);
        assert_eq!(some_total_ns(""), None);
    }

    #[test]
    fn writes_that_were_taken_back_are_found() {
        assert_eq!(cancelled_bytes("rchar: 1\nwrite_bytes: 9\ncancelled_write_bytes: 4096\n"), Some(4096));
        assert_eq!(cancelled_bytes("cancelled_write_bytes: -4096\n"), None);
        assert_eq!(cancelled_bytes("rchar: 1\n"), None);
    }

    #[test]
    fn what_is_unknown_on_one_side_is_unknown() {
        let known = Around { cancelled_bytes: Some(7), ..Around::default() };
        assert_eq!(known.since(&Around::default()).cancelled_bytes, None);
        assert_eq!(known.since(&known).cancelled_bytes, Some(0));
    }

    #[test]
    fn the_machine_was_not_suspended_between_two_readings() {
        let before = Around::now(None);
        assert_eq!(Around::now(None).since(&before).surroundings.suspended_ns, Some(0));
    }
}
