//! The same work done by fio(1) and bonnie++(8) moves the same bytes at the same rate.
//!
//! All three take turns on one device. None is fast because the machine is quiet just then: a difference counts when the ranges of four
//! rounds lie apart.

use super::device::{LoopFilesystem, Traffic, system};
use super::driver::{Desk, Finished, Running, User, ahead_of_others, alone, phase};
use super::need::{Need, is_missing};
use barrow::model::phase::Phase;
use barrow::model::record::RunRecord;

/// MiB of the file that fio and barrow write and read.
const FIO_MIB: u64 = 256;
/// MiB of the file that bonnie++ and barrow write.
const BONNIE_MIB: u64 = 384;
/// Bytes a second that the device takes and gives. Bonnie++ says nothing of what takes less than half a second, and fio reads at less than
/// half of its speed as soon as anybody else works, while barrow does not: its second process and the device's worker share a core then.
/// The limit lets up to two tenths of a second through in advance, so that rates can lie above it.
const LIMIT: u64 = 480_000_000;
/// Seeks, and bytes of one.
const SEEKS: u64 = 2000;
const SEEK: u64 = 4096;
/// How often everybody has a turn.
const ROUNDS: usize = 4;
/// How often that is tried. A busy machine can keep two ranges apart; a difference between the programs does every time.
const ATTEMPTS: u32 = 4;
/// How far apart the ranges of two rates may lie on a device that is limited: it lets up to two tenths of a second through in advance, of
/// phases that take five or more.
const LIMITED_SHARE_OFF: f64 = 0.25;
/// How far the bytes of the same work may lie apart.
const BYTES_SHARE_OFF: f64 = 0.01;

/// What a program did in one phase.
#[derive(Debug, Clone, Copy)]
struct Outcome {
    /// Work a second, as it says.
    rate: f64,
    /// Bytes that the device moved, as the kernel says.
    moved: u64,
}

/// The outcomes of one phase, a round each, of barrow and of another program.
#[derive(Default)]
struct Match {
    ours: Vec<Outcome>,
    theirs: Vec<Outcome>,
}

/// The least and the greatest.
fn range(values: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    (values.clone().fold(f64::INFINITY, f64::min), values.fold(f64::NEG_INFINITY, f64::max))
}

fn bytes_range(outcomes: &[Outcome]) -> (f64, f64) {
    range(outcomes.iter().map(|outcome| outcome.moved as f64))
}

fn rate_range(outcomes: &[Outcome]) -> (f64, f64) {
    range(outcomes.iter().map(|outcome| outcome.rate))
}

impl Match {
    /// Says what is not the same; everything is shown. `unit` is what one of the rate's unit is shown as, `share_off` how far apart the
    /// ranges of the rates may lie.
    fn differences(&self, name: &str, peer: &str, unit: f64, share_off: f64) -> Vec<String> {
        assert_eq!((self.ours.len(), self.theirs.len()), (ROUNDS, ROUNDS));
        let (ours, theirs) = (rate_range(&self.ours), rate_range(&self.theirs));
        let (our_bytes, their_bytes) = (bytes_range(&self.ours), bytes_range(&self.theirs));
        for (who, rate, bytes) in [("barrow", ours, our_bytes), (peer, theirs, their_bytes)] {
            println!("{name:<12} {who:<9} {:9.2} to {:9.2} a second, {:11} to {:11} bytes", rate.0 / unit, rate.1 / unit, bytes.0, bytes.1);
        }
        let mut found = Vec::new();
        if (our_bytes.1 - their_bytes.0).max(their_bytes.1 - our_bytes.0) > BYTES_SHARE_OFF * their_bytes.0 {
            found.push(format!("{name}: {our_bytes:?} bytes were moved, {their_bytes:?} by {peer}"));
        }
        let apart = 1.0 + share_off;
        if ours.0 > theirs.1 * apart || theirs.0 > ours.1 * apart {
            found.push(format!("{name}: a rate of {ours:?}, {theirs:?} by {peer}"));
        }
        found
    }
}

/// An ext4 on a limited device, whose first files, of so many MiB, have come and gone.
fn used_filesystem(mib: u64) -> LoopFilesystem {
    let filesystem = LoopFilesystem::of("ext4", 900);
    let path = filesystem.path().join("first use");
    std::fs::write(&path, vec![0x5a; (mib as usize) << 20]).unwrap();
    system("sync", &["-f", &path.to_string_lossy()]);
    std::fs::remove_file(path).unwrap();
    settle(&filesystem);
    filesystem.limit_write(LIMIT);
    filesystem.limit_read(LIMIT);
    filesystem
}

/// Nothing of one's turn is left to the next one's.
fn settle(filesystem: &LoopFilesystem) {
    system("sync", &["-f", &filesystem.path().to_string_lossy()]);
}

fn one_run(desk: &Desk) -> RunRecord {
    let mut runs = desk.runs();
    assert_eq!(runs.len(), 1);
    runs.remove(0)
}

fn rate(run: &RunRecord, which: Phase) -> f64 {
    phase(run, which).rate().unwrap_or_else(|| panic!("{} has no rate", which.name()))
}

/// barrow's block phases, as cold as fio's: the file is evicted and no more. Caches of the whole machine that were dropped would slow down
/// whoever comes next, where a hypervisor takes free memory away. It tells the kernel's counts just before each phase that reads.
fn barrow_cold(filesystem: &LoopFilesystem) -> [Outcome; 3] {
    let desk = Desk::new();
    let settings = format!("file_size={FIO_MIB}m seek_size={SEEK} seeks={SEEKS} seek_seconds=0 files=0");
    let prepare = format!("cat {} >> {}", filesystem.statistics().display(), desk.path("moments").display());
    let before = filesystem.traffic();
    let options = ["--runs", "1", "--no-report", "--drop-caches", "never", "--prepare", &prepare];
    let mut command = desk.run(User::Tester, &settings, &options);
    Finished::of(&mut ahead_of_others(command.arg(filesystem.path()))).expect_code(0);
    let after = filesystem.traffic();
    let moments = std::fs::read_to_string(desk.path("moments")).unwrap();
    let [rewrite, block_read, random_seek] = moments.lines().map(Traffic::of).collect::<Vec<_>>().try_into().unwrap();
    let run = one_run(&desk);
    println!("barrow rewrites {:.2} MB/s cold, {:?} moved", rate(&run, Phase::Rewrite) / 1e6, block_read.since(rewrite));
    [
        Outcome { rate: rate(&run, Phase::BlockWrite), moved: rewrite.written - before.written },
        Outcome { rate: rate(&run, Phase::BlockRead), moved: random_seek.read - block_read.read },
        Outcome { rate: rate(&run, Phase::RandomSeek), moved: after.read - random_seek.read },
    ]
}

/// One job of fio's on the file `peer`; `what` is `write` or `read`, `key` the number of it that is the rate.
fn fio(filesystem: &LoopFilesystem, options: &[&str], what: &str, key: &str) -> Outcome {
    let before = filesystem.traffic();
    let directory = format!("--directory={}", filesystem.path().display());
    let size = format!("--size={FIO_MIB}M");
    // The name is looked for in the directory that was named before it.
    let always = ["--name=peer", &directory, "--filename=peer", &size, "--ioengine=psync", "--output-format=json"];
    let finished = Finished::of(&mut ahead_of_others(alone("fio").args(always).args(options))).expect_code(0);
    let after = filesystem.traffic();
    let report: serde_json::Value = serde_json::from_str(&finished.stdout).unwrap();
    let rate = report["jobs"][0][what][key].as_f64().unwrap();
    let moved = if what == "write" { after.written - before.written } else { after.read - before.read };
    Outcome { rate, moved }
}

/// The data is what barrow's is: made before the clock starts, then changed a little for each write (`scramble_buffers`, a default). With
/// `refill_buffers` fio would make new data inside the clock. Reads are cold: by default fio evicts the file before each job.
fn fio_cold(filesystem: &LoopFilesystem) -> [Outcome; 3] {
    let some = format!("--io_size={}", SEEKS * SEEK);
    let outcomes = [
        fio(filesystem, &["--rw=write", "--bs=1M", "--end_fsync=1"], "write", "bw_bytes"),
        fio(filesystem, &["--rw=read", "--bs=1M"], "read", "bw_bytes"),
        fio(filesystem, &["--rw=randread", &format!("--bs={SEEK}"), &some], "read", "iops"),
    ];
    std::fs::remove_file(filesystem.path().join("peer")).unwrap();
    outcomes
}

#[test]
#[ignore = "needs root, loop devices, fio"]
fn fio_moves_the_same_bytes_at_the_same_rate() {
    if is_missing(&[Need::Root, Need::Loop, Need::Throttle, Need::Filesystem("ext4"), Need::Program("mkfs.ext4"), Need::Program("fio")]) {
        return;
    }
    let filesystem = used_filesystem(FIO_MIB);
    let mut differences = Vec::new();
    for _ in 0..ATTEMPTS {
        let mut matches: [Match; 3] = Default::default();
        for _ in 0..ROUNDS {
            settle(&filesystem);
            for (one, outcome) in matches.iter_mut().zip(barrow_cold(&filesystem)) {
                one.ours.push(outcome);
            }
            settle(&filesystem);
            for (one, outcome) in matches.iter_mut().zip(fio_cold(&filesystem)) {
                one.theirs.push(outcome);
            }
        }
        let names = [("block_write", 1e6), ("block_read", 1e6), ("random_seek", 1.0)];
        differences =
            names.iter().zip(&matches).flat_map(|((name, unit), one)| one.differences(name, "fio", *unit, LIMITED_SHARE_OFF)).collect();
        if differences.is_empty() {
            return;
        }
    }
    panic!("{differences:?}, {ATTEMPTS} times");
}

/// A write and a rewrite of the same file, and a read of it.
#[derive(Debug, Clone, Copy)]
struct Rewritten {
    /// Bytes a second of either.
    rates: [f64; 2],
    /// What the device moved in both together.
    moved: Traffic,
    /// The read, cold.
    read: Outcome,
}

/// barrow's write and rewrite in bonnie++'s chunks, warm: bonnie++ rewrites what it has just written, out of memory.
fn barrow_warm(filesystem: &LoopFilesystem) -> Rewritten {
    let desk = Desk::new();
    let settings = format!("file_size={BONNIE_MIB}m chunk_size=8k seek_size=8k seeks=1 seek_seconds=0 files=0");
    let before = filesystem.traffic();
    let mut command = desk.run(User::Tester, &settings, &["--runs", "1", "--no-report", "--cache", "warm"]);
    Finished::of(&mut ahead_of_others(command.arg(filesystem.path()))).expect_code(0);
    let moved = filesystem.traffic().since(before);
    let run = one_run(&desk);
    Rewritten { rates: [rate(&run, Phase::BlockWrite), rate(&run, Phase::Rewrite)], moved, read: barrow_reads(filesystem, &settings) }
}

/// barrow's read of another such file, which is evicted before.
fn barrow_reads(filesystem: &LoopFilesystem, settings: &str) -> Outcome {
    let desk = Desk::new();
    let mut command = desk.run(User::Tester, settings, &["--runs", "1", "--no-report", "--drop-caches", "never"]);
    Finished::of(&mut ahead_of_others(command.arg(filesystem.path()))).expect_code(0);
    let run = one_run(&desk);
    // The first device of the stack is the loop device itself.
    Outcome { rate: rate(&run, Phase::BlockRead), moved: phase(&run, Phase::BlockRead).evidence.devices[0].read_bytes }
}

/// The places of three rates, in KiB/s, in a line of bonnie++'s CSV.
const PUT_BLOCK: usize = 11;
const REWRITE: usize = 13;
const GET_BLOCK: usize = 17;

/// Takes the files of a directory out of the page cache; what was written to them is flushed.
fn evict(directory: &std::path::Path) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            let file = std::fs::File::open(path).unwrap();
            nix::fcntl::posix_fadvise(&file, 0, 0, nix::fcntl::PosixFadviseAdvice::POSIX_FADV_DONTNEED).unwrap();
        }
    }
}

/// bonnie++'s write and rewrite, warm, and its read. It reads what it has just written, out of memory, which is far too short for a
/// number: so its file is evicted at the moment when it begins to read. Seeks then are warm again, and have no number. `None` where the
/// file was evicted too late, so that it prints `+++++`.
fn bonnie_warm(filesystem: &LoopFilesystem) -> Option<Rewritten> {
    let before = filesystem.traffic();
    let mut bonnie = alone("bonnie++");
    bonnie.arg("-d").arg(filesystem.path()).args(["-u", "root", "-f", "-n", "0", "-m", "peer"]);
    bonnie.args(["-s", &format!("{BONNIE_MIB}:8k"), "-r", &(BONNIE_MIB / 2).to_string()]);
    let mut running = Running::start(&mut ahead_of_others(&bonnie));
    running.wait_for_line(&["Rewriting...done"]);
    let rewritten = filesystem.traffic();
    evict(filesystem.path());
    running.wait_for_line(&["Reading intelligently...done"]);
    let read = filesystem.traffic().since(rewritten).read;
    let finished = running.finish().expect_code(0);
    let fields: Vec<&str> = finished.stdout.lines().last().unwrap().split(',').collect();
    let rate = |place: usize| (!fields[place].contains('+')).then(|| 1024.0 * fields[place].parse::<f64>().unwrap());
    let moved = rewritten.since(before);
    Some(Rewritten { rates: [rate(PUT_BLOCK)?, rate(REWRITE)?], moved, read: Outcome { rate: rate(GET_BLOCK)?, moved: read } })
}

/// Rounds in which both wrote and rewrote what lay in memory. Somebody else may drop the caches of the machine: a round in which anybody
/// read from the device does not count, nor one in which bonnie++ had read much before its file was evicted. `None` when too few are left.
fn warm_rounds(filesystem: &LoopFilesystem) -> Option<Vec<(Rewritten, Rewritten)>> {
    let mut rounds = Vec::new();
    for _ in 0..3 * ROUNDS {
        settle(filesystem);
        let ours = barrow_warm(filesystem);
        settle(filesystem);
        let theirs = bonnie_warm(filesystem);
        println!("barrow {ours:?}, bonnie++ {theirs:?}");
        let Some(theirs) = theirs else { continue };
        let little = (BONNIE_MIB << 20) / 100;
        let was_warm = ours.moved.read.max(theirs.moved.read) < little;
        let was_late = theirs.read.moved + little < BONNIE_MIB << 20;
        if was_warm && !was_late {
            rounds.push((ours, theirs));
        }
        if rounds.len() == ROUNDS {
            return Some(rounds);
        }
    }
    println!("only {} of {} rounds count", rounds.len(), 3 * ROUNDS);
    None
}

#[test]
#[ignore = "needs root, loop devices, bonnie++"]
fn bonnie_moves_the_same_bytes_at_the_same_rate() {
    let programs = [Need::Program("mkfs.ext4"), Need::Program("bonnie++")];
    if is_missing(&[&[Need::Root, Need::Loop, Need::Throttle, Need::Filesystem("ext4")], programs.as_slice()].concat()) {
        return;
    }
    let filesystem = used_filesystem(BONNIE_MIB);
    let mut differences = Vec::new();
    for _ in 0..ATTEMPTS {
        let mut matches: [Match; 3] = Default::default();
        let Some(rounds) = warm_rounds(&filesystem) else {
            differences = vec!["too few rounds count".to_owned()];
            continue;
        };
        for (ours, theirs) in rounds {
            for (place, one) in matches[..2].iter_mut().enumerate() {
                one.ours.push(Outcome { rate: ours.rates[place], moved: ours.moved.written });
                one.theirs.push(Outcome { rate: theirs.rates[place], moved: theirs.moved.written });
            }
            matches[2].ours.push(ours.read);
            matches[2].theirs.push(theirs.read);
        }
        let names = ["block_write", "rewrite", "block_read"];
        differences =
            names.iter().zip(&matches).flat_map(|(name, one)| one.differences(name, "bonnie++", 1e6, LIMITED_SHARE_OFF)).collect();
        if differences.is_empty() {
            return;
        }
    }
    panic!("{differences:?}, {ATTEMPTS} times");
}
