//! What calls alone do not tell of a phase: its purpose, what is made and emptied before it, what is checked, what its labels mean.

use crate::model::label::{CacheLabel, Durability};
use crate::model::phase::{Direction, Group, Phase, Reads, Transfer, TransferOrder};
use crate::model::printable::printable;
use crate::model::settings::{Links, SequentialOrder, Settings};

/// What the phase is, in a sentence.
pub const fn purpose(phase: Phase) -> &'static str {
    match phase {
        Phase::BlockWrite => "make a file, write it from start to end, flush it. Rate: bytes written by time, flush included.",
        Phase::Rewrite => {
            "read each chunk of that file, change all its stamps, write it back in place, flush. \
             Each byte counts once, though it is read and written."
        }
        Phase::BlockRead => "read that file from start to end.",
        Phase::RandomSeek => "read at the places of a fixed permutation of that file, each place once. Then the file is removed.",
        Phase::SeqCreate => "make the files of a set in the order of their names, then flush.",
        Phase::SeqStat => "ask for the status of each file of that set in the same order.",
        Phase::SeqDelete => "remove each file of that set in the same order, then flush.",
        Phase::RandomCreate => "make the files of a second set, whose names are in no order, then flush.",
        Phase::RandomStat => "ask for the status of each file of that set in a fixed permutation.",
        Phase::RandomDelete => "remove each file of that set in another fixed permutation, then flush.",
        Phase::Command(_) => {
            "run a program of yours in a directory that all programs of the run share, wait for it and for everything that it starts, \
             then flush. Rate: times an hour; time and CPU are those of all of it."
        }
        Phase::DsyncWrite => {
            "append 512 bytes at a time to a new file that is open with O_DSYNC: each write returns when it is on stable storage."
        }
        Phase::FsyncWrite => "append 4 KiB at a time to a new file, with an fsync after each write.",
        Phase::Transfer(transfer) => transfer_purpose(transfer),
        Phase::FileRewrite => {
            "open each file of a tenth of that set in a random order, cut it to nothing, write it anew with another size, then flush. \
             Every tenth file by rank of size (rank 0, 10, 20 …; of n files the one of rank r has min_size + (max_size − min_size) · r / \
             (n − 1) bytes, rounded down, and chance deals the ranks). Each takes the size of the one half of them further, from the \
             last on to the first: so no file keeps its size, unless the sizes lie under 3 bytes apart, and the sum stays."
        }
        Phase::FileRead => {
            "open each file of a tenth of that set in the order of the names, ask for its size, read all of it: the files of the ranks r \
             for which (r + ⌊r / 10⌋) mod 10 is 1. A tenth of them were rewritten, where file_rewrite stands before."
        }
        Phase::FileRandomRead => "as file_read, in a random order, on the tenth for which (r + ⌊r / 10⌋) mod 10 is 2.",
        Phase::TreeUnpack => "make the directories and files of a source tree in the order of an archive, from memory, then flush.",
        Phase::TreeCopy => "read the first half of the files of that tree and write them into a second one, then flush.",
        Phase::TreeSearch => "read every file of that tree and count a string of 17 bytes, which stands in every eighth of them.",
        Phase::TreePrune => "delete the second tree with everything in it, then flush.",
        Phase::LibraryWrite => "up to 5 threads at once make the files of a library, 8 KiB to 32 MiB each, then flush.",
        Phase::LibraryRead => "up to 5 threads at once read whole files of that library in a random order, each file once.",
        Phase::LargeCopy => {
            "read the largest files of that library, which have half of its bytes, and write copies of them, then flush. \
             Each byte counts once, though it is read and written."
        }
        Phase::TreeDelete => "delete the tree with everything in it, the library and the copies, then flush.",
        Phase::CharWrite | Phase::CharRead => "move single characters. Only other programs do that; barrow reads their numbers.",
        Phase::DeviceStart => "read a device from its first byte on, through the page cache. Nothing is written to it.",
        Phase::DeviceMiddle => "read a device in its middle, through the page cache.",
        Phase::DeviceEnd => "read a device up to its last whole chunk, through the page cache.",
        Phase::DirectStart => "read a device from its first byte on, past the page cache.",
        Phase::DirectMiddle => "read a device in its middle, past the page cache.",
        Phase::DirectEnd => "read a device up to its last whole chunk, past the page cache.",
        Phase::DeviceSweep => {
            "read places of equal distance from the first byte of a device to the last, past the page cache. Each is a slice of the trend, \
             the way to it included: the curve by position."
        }
        Phase::FileServer => {
            "clients replay the calls of a file server, each in a directory of its own, then everything is flushed. Rate: operations of the loadfile by time, flush included; calls and latencies by kinds."
        }
    }
}

const fn transfer_purpose(transfer: Transfer) -> &'static str {
    match (transfer.order, transfer.direction) {
        (TransferOrder::Sequential, Direction::Read) => {
            "read the transfer files from start to end. Each worker waits for one transfer before it begins the next (queue depth 1)."
        }
        (TransferOrder::Sequential, Direction::Write) => {
            "write over the transfer files from start to end, then flush. Each worker waits for one transfer before it begins the next \
             (queue depth 1)."
        }
        (TransferOrder::Random, Direction::Read) => {
            "read at the places of a fixed permutation of each worker's share, each place once. Each worker waits for one transfer before \
             it begins the next (queue depth 1)."
        }
        (TransferOrder::Random, Direction::Write) => {
            "write at the places of a fixed permutation of each worker's share, each place once, then flush. Each worker waits for one \
             transfer before it begins the next (queue depth 1)."
        }
    }
}

/// How the target is brought to a known state, a sentence each.
pub fn made_ready(phase: Phase) -> Vec<&'static str> {
    const FLUSH: &str = "syncfs(target): what earlier phases left is flushed";
    const DROP: &str = "as root (with --user by a child that stays root), unless --drop-caches never: `3` is written to /proc/sys/vm/drop_caches, at least twice and until it \
        makes no difference";
    const PREPARE: &str = "with --prepare: the user's command is run, with nothing of barrow's open on the filesystem";
    const REMOUNT: &str = "in a lab: the filesystem is unmounted and mounted again";
    const QUIET: &str = "then it is watched until the devices below and the processors are quiet: 50 ms at the least, 3 s at the most, \
        and all of it together at most a tenth of the run";
    if phase.row().group == Group::Device {
        return vec![
            "the device is open to be read from the start of the run to its end, so that the kernel keeps what it has of it in memory",
            "fadvise64(POSIX_FADV_DONTNEED) and cachestat are repeated until nothing of its places is in the page cache, three times at \
             most; what others wrote and is not on it yet is left alone",
            "as root: `3` is written to /proc/sys/vm/drop_caches, at least twice and until it makes no difference",
            QUIET,
            "then proof: how much of its places is in the page cache",
        ];
    }
    match phase.row().reads {
        Reads::Nothing => vec![FLUSH, QUIET],
        Reads::Data if phase.row().group == Group::Tree => vec![
            "with --cache warm, instead of that: each file of the tree is read from start to end, and nothing is emptied below",
            FLUSH,
            DROP,
            PREPARE,
            REMOUNT,
            QUIET,
        ],
        Reads::Data if phase.row().group == Group::Command => vec![
            FLUSH,
            DROP,
            PREPARE,
            "with --cache warm, neither of the two",
            REMOUNT,
            "without root nothing is evicted: the program begins with whatever is in memory",
            QUIET,
        ],
        Reads::Data => vec![
            FLUSH,
            "each file that it reads is opened and fsync, fadvise64(POSIX_FADV_DONTNEED) and cachestat repeated until none of it is in the page \
             cache, three times at most",
            DROP,
            PREPARE,
            "with --cache warm, instead of the three above: each file that it reads is read from start to end",
            REMOUNT,
            QUIET,
            "then proof: how much of the file is in the page cache (mincore on overlayfs and on kernels without cachestat)",
        ],
        Reads::Metadata => vec![
            FLUSH,
            DROP,
            PREPARE,
            "with --cache warm, neither of the two",
            REMOUNT,
            "without root nothing evicts names, inodes and small files: they are answered from memory",
            QUIET,
        ],
    }
}

/// What is made in memory before the clock.
pub const fn made(phase: Phase) -> &'static str {
    match phase {
        Phase::BlockWrite => {
            "in memory: 1 MiB of random data a worker, from which each chunk takes another slice; all threads are started and wait at a gate"
        }
        Phase::Rewrite | Phase::BlockRead => "in memory: buffers; all threads are started and wait at a gate",
        Phase::RandomSeek => "in memory: the key of the permutation; all seekers are started and wait at a gate",
        Phase::DsyncWrite | Phase::FsyncWrite => "in memory: 1 MiB of random data; the thread is started and waits at a gate",
        Phase::Transfer(Transfer { direction: Direction::Write, .. }) => {
            "in memory: 1 MiB of random data a worker, from which each transfer takes another slice; all threads are started and wait at a gate"
        }
        Phase::Transfer(Transfer { direction: Direction::Read, .. }) => "in memory: buffers; all threads are started and wait at a gate",
        Phase::SeqCreate | Phase::RandomCreate => {
            "in memory: all names, and random data for files with content; all threads wait at a gate"
        }
        Phase::FileRewrite => "in memory: the names of a tenth in their order, and random data; all threads wait at a gate",
        Phase::FileRead | Phase::FileRandomRead => "in memory: the names of a tenth in their order; all threads wait at a gate",
        Phase::SeqStat | Phase::SeqDelete | Phase::RandomStat | Phase::RandomDelete => {
            "in memory: all names in their order; all threads wait at a gate"
        }
        Phase::TreeUnpack => "in memory: all names, and 2 MB of random data, from which each file takes another slice",
        Phase::TreeCopy | Phase::TreeSearch => "in memory: all names, and a buffer that holds the largest file",
        Phase::TreePrune | Phase::TreeDelete => "in memory: all names in their order",
        Phase::LibraryWrite => {
            "in memory: all names, and 1 MiB of random data a thread, from which each piece takes another slice; all threads wait at a gate"
        }
        Phase::LibraryRead | Phase::LargeCopy => "in memory: all names, and buffers; all threads wait at a gate",
        Phase::DeviceStart
        | Phase::DeviceMiddle
        | Phase::DeviceEnd
        | Phase::DirectStart
        | Phase::DirectMiddle
        | Phase::DirectEnd
        | Phase::DeviceSweep => "in memory: the places and a buffer; the thread is started and waits at a gate",
        Phase::FileServer => {
            "in memory: the loadfile as a table, random data and a buffer a client; with warm_up the clients have done the same so long in directories that were removed and made anew; all threads wait at a gate"
        }
        Phase::Command(_) => {
            "a warden is between barrow and the program: what loses its parent becomes the warden's child (PR_SET_CHILD_SUBREAPER), and no \
             other process is ever waited for or ended"
        }
        _ => "nothing",
    }
}

/// What the entries of a phase's file set are, where they are not all files.
pub fn links(phase: Phase, settings: &Settings) -> Option<&'static str> {
    let is_of_files = matches!(phase.row().group, Group::Sequential | Group::Random);
    match settings.links {
        Links::None => None,
        Links::Hard => Some("links: FIRST, the first name of each directory, is an empty file, the others are hard links to it"),
        Links::Symbolic => {
            Some("links: FIRST, the first name of each directory, is an empty file, the others are symbolic links to it; stat follows them")
        }
    }
    .filter(|_| is_of_files)
}

/// How the data that a phase writes anew differs from random and unique, a sentence each.
pub fn data(phase: Phase, settings: &Settings) -> Vec<String> {
    let is_new = match phase {
        Phase::BlockWrite | Phase::FsyncWrite | Phase::Transfer(Transfer { direction: Direction::Write, .. }) => true,
        Phase::TreeUnpack | Phase::LibraryWrite => true,
        Phase::SeqCreate | Phase::RandomCreate | Phase::FileRewrite => settings.max_size > 0,
        _ => false,
    };
    let (zeros, copies) = (settings.compressible, settings.dedupe);
    let compressible = format!("compressible: the last {zeros} % of each 4 KiB of that are zeros, apart from the stamps");
    let dedupe = format!("dedupe: {copies} of 100 blocks of 4 KiB are copies of 64 blocks of the run; they are put in on the clock");
    if let Phase::Command(name) = phase {
        let command = settings.commands.iter().find(|command| command.name == name.short());
        return command.map(|command| format!("the program: {}", printable(&command.command.join(" ")))).into_iter().collect();
    }
    let said = [(zeros > 0, compressible), (copies > 0, dedupe)];
    said.into_iter().filter(|(is_said, _)| is_new && *is_said).map(|(_, sentence)| sentence).collect()
}

/// How the calls of a page are to be read.
pub const READING: &str = "calls as Linux on x86-64 has them; `target` is the scratch directory; each openat and \
    openat2 has O_NOFOLLOW|O_CLOEXEC too, and openat2 RESOLVE_NO_XDEV";

/// The same of the phases of a device.
pub const READING_A_DEVICE: &str = "calls as Linux on x86-64 has them; `target` is the directory of the device's node and \"device\" its \
    name; openat has O_NOFOLLOW|O_CLOEXEC too";

/// What stands above the calls behind the last operation.
pub fn finish_heading(phase: Phase) -> &'static str {
    if phase.row().writes { "acknowledged: the rate `ack.` ends here, the clock runs on" } else { "then, still on the clock" }
}

/// What is measured, and when; and whether that is so of devices too.
const MEASURED: [(&str, bool); 5] = [
    ("getrusage and /proc/stat are read just before the start and just after the stop", true),
    (
        "around them what every device below moved (/sys/dev/block/*/stat), steal, pressure and suspension: the labels and flags come of \
         these and of residency",
        true,
    ),
    ("a run without block files first writes 1 MiB and flushes it, off the clock, to see whether a flush reaches the devices", false),
    ("after a phase that writes it is watched, as before it, until its device and the processors are quiet: `deferred work`", false),
    ("the clock is read after each operation; after each 16 where the first 1,024 took under 2 µs each", true),
];

/// What of it is so of a phase: a device is not written to, before or after.
pub fn measured(phase: Phase) -> Vec<&'static str> {
    let is_device = phase.row().group == Group::Device;
    MEASURED.iter().filter(|(_, is_of_devices)| *is_of_devices || !is_device).map(|(sentence, _)| *sentence).collect()
}

/// Where the calls of such filesystems stand.
pub const ON_FUSE: &str = "on FUSE (virtiofs apart), where nobody hears of syncfs";

/// What the labels are there.
pub fn fuse_labels(phase: Phase) -> &'static str {
    match (phase.row().writes, phase.starts_cold()) {
        (true, false) => "durability is `durable?`: what the serving process does with a flush is its business",
        (true, true) => "durability is `durable?`, the cache label `unknown`: what the serving process does cannot be seen",
        (false, _) => "the cache label is `unknown`: what the serving process keeps in memory cannot be seen",
    }
}

/// What spoils the phase by name instead of being counted.
pub fn checked(phase: Phase, settings: &Settings) -> Vec<&'static str> {
    const STAMPS: &str = "in each 4 KiB that is read, one of the stamps of 512 bytes: run, file, place and generation. Zeros, a stale \
        block, a lost rewrite or another file's block fail the phase. This is on the clock";
    const TRANSFER_STAMPS: &str = "in each 4 KiB that is read, one of the stamps of 512 bytes: run, file and place. Zeros, or another \
        run's, file's or place's block fail the phase; which of the writes of a place it was is not told. This is on the clock";
    const FLUSH: &str = "an error of a flush or a close fails the phase";
    let has_content = settings.max_size > 0;
    let has_symbolic_links = settings.links == Links::Symbolic;
    match phase {
        Phase::BlockWrite => vec!["the file did not exist (O_EXCL); every write was taken whole", FLUSH],
        Phase::Rewrite => vec![STAMPS, FLUSH],
        Phase::BlockRead => vec![STAMPS],
        Phase::DsyncWrite | Phase::FsyncWrite => vec!["the file did not exist (O_EXCL); every write was taken whole", FLUSH],
        Phase::Transfer(transfer) => match transfer.direction {
            Direction::Write => vec!["every write was taken whole", FLUSH],
            Direction::Read => vec![TRANSFER_STAMPS],
        },
        Phase::RandomSeek if settings.seek_rewrite_percent > 0 => vec![STAMPS, FLUSH],
        Phase::RandomSeek => vec![STAMPS],
        Phase::SeqCreate | Phase::RandomCreate => vec!["no file existed (O_EXCL)", FLUSH],
        Phase::SeqStat if settings.sequential_order == SequentialOrder::Readdir && !has_content => {
            vec!["each name that was listed is one of this run; each size is the one that was written"]
        }
        Phase::SeqStat | Phase::RandomStat if has_content => vec!["each size is the one that was written", STAMPS],
        Phase::SeqStat | Phase::RandomStat if has_symbolic_links => vec!["each link leads to an empty file"],
        Phase::SeqStat | Phase::RandomStat => vec!["each size is the one that was written"],
        Phase::SeqDelete | Phase::RandomDelete => vec!["each file was there", FLUSH],
        Phase::Command(_) => vec![
            "its exit status is 0: else the phase fails, with the last line that it said; programs behind it are skipped",
            "what it leaves running is ended and counted: SIGTERM, two seconds later SIGKILL. This is on the clock",
            FLUSH,
        ],
        Phase::FileRewrite => vec!["each file was there; every write was taken whole", FLUSH],
        Phase::FileRead | Phase::FileRandomRead => vec!["each size is the one that was written last", STAMPS],
        Phase::TreeUnpack | Phase::LibraryWrite => vec!["no file existed (O_EXCL)", FLUSH],
        Phase::TreeCopy | Phase::LargeCopy => vec![STAMPS, "no copy existed (O_EXCL)", FLUSH],
        Phase::TreeSearch => vec!["each file has the string as often as it was written into it: once, or not at all", STAMPS],
        Phase::LibraryRead => vec![STAMPS],
        Phase::TreePrune | Phase::TreeDelete => vec!["each file was there, and no directory held another one", FLUSH],
        phase if phase.row().group == Group::Device => {
            vec!["every read came whole, and from the same device as before; what was read is not barrow's, so nothing else is checked"]
        }
        Phase::FileServer => vec![
            "each operation fails where the loadfile says so, and nowhere else; each read gives as many bytes as it says. Else the phase fails with the line of the loadfile",
            FLUSH,
        ],
        _ => Vec::new(),
    }
}

/// The words that can stand beside the number, with their meaning.
pub fn labels(phase: Phase) -> Vec<(&'static str, &'static str)> {
    let durable = [Durability::Durable, Durability::Uncertain, Durability::Acknowledged].map(|label| (label.word(), label.legend()));
    let cache = [
        CacheLabel::Cold,
        CacheLabel::ColdUnproven,
        CacheLabel::ColdHere,
        CacheLabel::Mixed(0),
        CacheLabel::Cached,
        CacheLabel::CachedBelow,
        CacheLabel::Memory,
        CacheLabel::Unknown,
    ]
    .map(|label| (label.word(), label.legend()));
    let mut labels = Vec::new();
    if phase.row().writes {
        labels.extend(durable);
    }
    if phase.row().group == Group::Command {
        // Nobody knows what a program had to read.
        labels.extend(cache.into_iter().filter(|(word, _)| [CacheLabel::Memory.word(), CacheLabel::Unknown.word()].contains(word)));
    } else if phase.starts_cold() {
        labels.extend(cache);
    }
    labels
}
