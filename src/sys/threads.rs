//! The threads of this process: which one this is, and whether the others do anything.

use std::fs;

/// The number of the calling thread.
#[must_use]
pub fn this_thread() -> i32 {
    nix::unistd::gettid().as_raw()
}

/// How often the threads of this process gave up a processor or lost it so far, without those of some numbers. It stands still as long as
/// each of them waits for one and the same thing. 0 where /proc does not tell.
#[must_use]
pub fn switches_without(left_out: &[i32]) -> u64 {
    let Ok(threads) = fs::read_dir("/proc/self/task") else {
        return 0;
    };
    let numbers = threads.filter_map(|thread| thread.ok()?.file_name().to_str()?.parse::<i32>().ok());
    numbers.filter(|number| !left_out.contains(number)).map(switches_of).sum()
}

/// The same of one thread; one that has ended has none.
#[must_use]
pub fn switches_of(thread: i32) -> u64 {
    switches_in(&fs::read_to_string(format!("/proc/self/task/{thread}/status")).unwrap_or_default())
}

/// The sum of both kinds of switches in the text of /proc/PID/status.
fn switches_in(status: &str) -> u64 {
    let value = |line: &str| {
        line.strip_prefix("voluntary_ctxt_switches:")
            .or(line.strip_prefix("nonvoluntary_ctxt_switches:"))
            .map(str::trim)?
            .parse::<u64>()
            .ok()
    };
    status.lines().filter_map(value).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    #[test]
    fn both_kinds_are_summed() {
        assert_eq!(switches_in("Name:\tbarrow\nvoluntary_ctxt_switches:\t150\nnonvoluntary_ctxt_switches:\t5\n"), 155);
        assert_eq!(switches_in(""), 0);
    }

    #[test]
    fn a_thread_that_works_is_seen() {
        let (sender, receiver) = channel();
        let (to_thread, wakes) = channel::<()>();
        let thread = std::thread::spawn(move || {
            sender.send(this_thread()).unwrap();
            wakes.iter().for_each(|()| sender.send(0).unwrap());
        });
        let number = receiver.recv().unwrap();
        let before = switches_of(number);
        while switches_of(number) == before {
            to_thread.send(()).unwrap();
            receiver.recv().unwrap();
        }
        assert_ne!(number, this_thread());
        drop(to_thread);
        thread.join().unwrap();
    }
}
