//! Marks on a result that could mislead: a word, a letter for 80-column text, and the sentence of the legend. One row a mark.

use serde::{Deserialize, Serialize};

/// A phase under this time is flagged short: /proc/stat ticks are 10 ms, 1 % of it.
pub const SHORT_NANOSECONDS: u64 = 1_000_000_000;

macro_rules! flags {
    ($($(#[$doc:meta])* $variant:ident $word:literal $letter:literal $legend:literal;)*) => {
        /// A mark on a result; it never removes the value.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum Flag { $($(#[$doc])* #[serde(rename = $word)] $variant,)* }

        impl Flag {
            /// Every mark, in the order in which they are listed.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// The word in run files, CSV, wikis and charts.
            #[must_use]
            pub const fn word(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }

            /// The letter beside a number in 80-column text.
            #[must_use]
            pub const fn letter(self) -> char {
                match self { $(Self::$variant => $letter,)* }
            }

            /// What it means.
            #[must_use]
            pub const fn meaning(self) -> &'static str {
                match self { $(Self::$variant => $legend,)* }
            }

            /// The word and what it means, for the legend.
            #[must_use]
            pub const fn legend(self) -> &'static str {
                match self { $(Self::$variant => concat!($word, ": ", $legend),)* }
            }
        }
    };
}

flags! {
    /// The phase took less than [`SHORT_NANOSECONDS`].
    Short        "short"          's' "the phase took under 1 s: rate and CPU are coarse";
    /// One clock reading served several operations.
    Batched      "batched"        'b' "operations under 2 µs: p99 is of means of 16, the clock was read once for each 16";
    /// Over half as fast as memory allows.
    NearMemory   "near memory"    'm' "over half as fast as this machine's memory: likely a cache below";
    /// Faster than the device's kind can be.
    BeyondDevice "beyond device"  'd' "more seeks than a rotating disk can do: a cache below, or the kernel is wrong about it";
    /// The device has a cache of its own, and no flush reached it.
    NoFlush      "no flush"       'f' "no flush reached the device, whose own cache may hold the data";
    /// Incompressible data moved in fewer bytes than it has.
    Reduced      "reduced"        'c' "fewer bytes moved than the data has: something compresses, shares or lies";
    /// Somebody else read or wrote on the device.
    OthersIo     "others' I/O"    'o' "somebody else used the device before or meanwhile";
    /// Other programs kept processors busy.
    Busy         "busy machine"   'u' "other programs used over 20 % of a core before or meanwhile";
    /// The hypervisor gave time to others.
    Stolen       "stolen time"    't' "the hypervisor gave over 2 % of the time to others";
    /// The machine was suspended.
    Suspended    "suspended"      'z' "the machine was suspended meanwhile, which the clock does not count";
    /// The rate changed within the phase.
    NotSteady    "not steady"     'n' "the rate changed within the phase: it depends on how much is done";
    /// Work went on after the clock had stopped.
    Later        "deferred work"  'w' "the device or the kernel worked on after the clock had stopped";
    /// The clock moves in steps that are no small part of an operation.
    CoarseClock  "coarse clock"   'k' "the clock moves in large steps: latencies mean little";
    /// The CPU time of the whole process was counted once for each thread.
    Overcounted  "CPU over-counted" 'p' "Bonnie++ 1.9x and 2.00 count the CPU of seeks once for each seeker: it is up to as many times too high";
    /// One of the runs is far from the others.
    Outlier      "outlier"        'x' "a run is over ten times as far from the median as is usual here";
    /// The first run is slower than all others.
    FirstSlow    "first run slow" 'i' "the first run is over 10 % slower than every other";
    /// The rate drifts from run to run.
    Drift        "drift"          'r' "the rate changes from run to run, so its range is no interval";
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn words_and_letters_tell_the_marks_apart() {
        let words: BTreeSet<&str> = Flag::ALL.iter().map(|flag| flag.word()).collect();
        let letters: BTreeSet<char> = Flag::ALL.iter().map(|flag| flag.letter()).collect();
        assert_eq!((words.len(), letters.len()), (Flag::ALL.len(), Flag::ALL.len()));
        // They stand as a list in one cell of CSV.
        assert!(words.iter().all(|word| !word.contains([';', ','])));
    }
}
