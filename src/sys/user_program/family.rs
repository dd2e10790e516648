//! The processes that descend from another one, by what /proc says of each process' parent.

use crate::sys::processes::processes;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Where the kernel tells of processes.
const PROC: &str = "/proc";

/// A process that descends from another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Relative {
    /// Its number.
    pub id: i32,
    /// The number of its parent.
    parent: i32,
    /// The letter of its state: `R`, `S`, `D`, `Z`.
    state: u8,
    /// Ticks that it used of a processor so far.
    ticks: u64,
}

impl Relative {
    /// Whether it has ended, and only its parent does not know yet.
    #[must_use]
    pub const fn has_ended(&self) -> bool {
        matches!(self.state, b'Z' | b'X')
    }

    /// Whether it waits for the kernel, as for a device, and hears no signal meanwhile.
    #[must_use]
    pub const fn waits_for_kernel(&self) -> bool {
        self.state == b'D'
    }

    /// Ticks that it used of a processor so far.
    #[must_use]
    pub const fn ticks(&self) -> u64 {
        self.ticks
    }
}

/// The living descendants of a process, itself left out; none where /proc does not tell.
#[must_use]
pub fn descendants(ancestor: i32) -> Vec<Relative> {
    let texts = processes(Path::new(PROC)).into_iter().filter_map(|(id, directory)| {
        let text = fs::read(directory.join("stat")).ok()?;
        relative(i32::try_from(id).ok()?, &String::from_utf8_lossy(&text))
    });
    of_family(ancestor, &texts.collect::<Vec<_>>())
}

fn of_family(ancestor: i32, all: &[Relative]) -> Vec<Relative> {
    let mut family = BTreeSet::from([ancestor]);
    loop {
        // A child may have a smaller number than its parent, once the numbers have begun anew.
        let more: Vec<i32> = all.iter().filter(|one| family.contains(&one.parent) && !family.contains(&one.id)).map(|one| one.id).collect();
        if more.is_empty() {
            break;
        }
        family.extend(more);
    }
    all.iter().filter(|one| one.id != ancestor && family.contains(&one.id) && !one.has_ended()).copied().collect()
}

/// A process from the text of its /proc/PID/stat (proc_pid_stat(5)); `None` when that has another form. The name in it may hold anything.
fn relative(id: i32, stat: &str) -> Option<Relative> {
    let (_, rest) = stat.rsplit_once(')')?;
    let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
    let number = |place: usize| -> Option<u64> { fields.get(place)?.parse().ok() };
    Some(Relative {
        id,
        parent: fields.get(1)?.parse().ok()?,
        state: *fields.first()?.as_bytes().first()?,
        ticks: number(11)?.saturating_add(number(12)?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(id: i32, parent: i32, state: char) -> Relative {
        relative(id, &format!("{id} (a) b) {state} {parent} 1 1 0 -1 4194304 1 0 0 0 30 12 0 0 20 0 1 0 1 1 1")).unwrap()
    }

    #[test]
    fn a_process_is_read_whatever_its_name() {
        assert_eq!(one(7, 3, 'D'), Relative { id: 7, parent: 3, state: b'D', ticks: 42 });
        assert!(one(7, 3, 'D').waits_for_kernel() && one(7, 3, 'Z').has_ended());
        for other in ["", "7 (sh", "7 (sh) S", "7 (sh) S x 1 1 0 -1 4194304 1 0 0 0 30 12"] {
            assert_eq!(relative(7, other), None, "{other}");
        }
    }

    #[test]
    fn a_family_has_all_generations_and_nobody_else() {
        let all = [one(2, 9, 'S'), one(5, 1, 'S'), one(6, 5, 'R'), one(7, 6, 'Z'), one(8, 1, 'S'), one(9, 6, 'D')];
        let ids: Vec<i32> = of_family(5, &all).iter().map(|one| one.id).collect();
        assert_eq!(ids, [2, 6, 9]);
        assert_eq!(of_family(4, &all), []);
    }
}
