//! The numbers are right: a filesystem with a set delay for each operation says how long each phase must take, and its log says what
//! reached it.

use super::device::DeviceLock;
use super::driver::{Desk, Finished, Running, User, ahead_of_others, alone, phase};
use super::fuse::{Behaviour, Delays, FuseFilesystem, Operation, Step, TimedStep};
use super::need::{Need, is_missing};
use barrow::model::label::{CacheLabel, Durability};
use barrow::model::phase::Phase;
use barrow::model::record::{Counted, RunRecord};
use std::collections::BTreeSet;
use std::time::Duration;

const NEEDS: [Need; 2] = [Need::Root, Need::Fuse];

/// Bytes of a chunk: the kernel passes it on in one request.
const CHUNK: u32 = 128 << 10;
/// Bytes of a seek.
const SEEK: u32 = 4096;
/// How many chunks, and how many seeks.
const OPERATIONS: usize = 80;
/// Unlike each other, so that none can be taken for another one; and long beside the way to the server and back, which takes 0.8 ms on a
/// slow machine.
const DELAYS: Delays = Delays { read: Duration::from_millis(20), write: Duration::from_millis(16), sync: Duration::from_millis(300) };
/// How much longer operations may take than the delays: the way to the server and back, for each of them.
const WAYS_SHARE: f64 = 0.10;
/// How much longer a phase may take than from the server's first request to its last answer: the way there and back, once.
const EDGES_SECONDS: f64 = 0.010;
/// How often it is measured at the most: a busy machine wakes the server late. An error of barrow's is in every measurement.
const ATTEMPTS: u32 = 3;

fn seconds(nanoseconds: u64) -> f64 {
    nanoseconds as f64 / 1e9
}

fn counted(run: &RunRecord, which: Phase) -> &Counted {
    phase(run, which).counted().unwrap_or_else(|| panic!("{} has no counts: {:?}", which.name(), phase(run, which).reason))
}

/// Seconds until the last operation was acknowledged.
fn acknowledged(counted: &Counted) -> f64 {
    seconds(counted.acknowledged_ns.unwrap_or(counted.elapsed_ns))
}

/// Seconds that the flush took.
fn flush(counted: &Counted) -> f64 {
    seconds(counted.elapsed_ns) - acknowledged(counted)
}

/// One run on a filesystem.
fn measured(filesystem: &FuseFilesystem, settings: &str, options: &[&str]) -> RunRecord {
    let desk = Desk::new();
    let mut command = desk.run(User::Tester, settings, &[&["--runs", "1", "--no-report"], options].concat());
    Finished::of(&mut ahead_of_others(command.arg(filesystem.path()))).expect_code(0);
    let mut runs = desk.runs();
    assert_eq!(runs.len(), 1);
    runs.remove(0)
}

/// Whether a time is as long as it must be, and no longer than it may be; it is shown.
fn is_true(what: &str, found: f64, truth: f64, allowed: f64) -> bool {
    println!("{what:<30} {found:7.4} s, true {truth:7.4} s, {:+.2} % ({:+.2} ms)", (found / truth - 1.0) * 100.0, (found - truth) * 1e3);
    (truth..=truth + allowed).contains(&found)
}

/// A block phase as the server saw it.
struct Seen {
    phase: Phase,
    /// What it asked for in each round, with the size of each request.
    requests: &'static [(Operation, u32)],
    /// What each round takes at the least, in seconds.
    delay: f64,
}

/// The block phases in their order.
fn block_phases() -> [Seen; 4] {
    let [read, write] = [DELAYS.read, DELAYS.write].map(|delay| delay.as_secs_f64());
    let seen = |phase, requests, delay| Seen { phase, requests, delay };
    [
        seen(Phase::BlockWrite, &[(Operation::Write, CHUNK)], write),
        seen(Phase::Rewrite, &[(Operation::Read, CHUNK), (Operation::Write, CHUNK)], read + write),
        seen(Phase::BlockRead, &[(Operation::Read, CHUNK)], read),
        seen(Phase::RandomSeek, &[(Operation::Read, SEEK)], read),
    ]
}

/// Seconds from the first request of some steps to the answer to the last one, by the server's own clock.
fn seconds_served(steps: &[TimedStep]) -> f64 {
    let (first, last) = (steps.first().expect("there are steps"), steps.last().expect("there are steps"));
    last.answered.expect("the run is over").duration_since(first.arrived).as_secs_f64()
}

/// The times of the block phases that are neither what the delays say nor what the server's own clock says.
///
/// # Panics
/// When a chunk or a seek was not one request.
fn untrue_times(run: &RunRecord, log: Vec<TimedStep>) -> Vec<String> {
    let of_file = log.into_iter().filter(|timed| timed.step.name == "block.0");
    let (flushes, others): (Vec<_>, Vec<_>) = of_file.partition(|timed| timed.step.operation == Operation::SyncFile);
    let transfers: Vec<_> = others.into_iter().filter(|timed| timed.step.size > 0).collect();
    let mut transfers = transfers.as_slice();
    let mut wrong = Vec::new();
    for seen in block_phases() {
        let (name, counted) = (seen.phase.name(), counted(run, seen.phase));
        assert_eq!(counted.operations, OPERATIONS as u64, "{name}");
        let (own, rest) = transfers.split_at(OPERATIONS * seen.requests.len());
        transfers = rest;
        let asked = own.iter().map(|timed| (timed.step.operation, timed.step.size));
        assert!(asked.eq(seen.requests.iter().copied().cycle().take(own.len())), "{name}: a chunk or a seek was not one request");
        let truth = seen.delay * OPERATIONS as f64;
        let mut times = vec![
            (format!("{name}, by the delays"), acknowledged(counted), truth, WAYS_SHARE * truth),
            (format!("{name}, by the server"), acknowledged(counted), seconds_served(own), EDGES_SECONDS),
        ];
        if seen.phase.row().writes {
            let flushed = flushes.iter().find(|timed| Some(timed.arrived) > own.last().and_then(|last| last.answered));
            let flushed = flushed.expect("what was written was flushed");
            times.push((format!("flush of {name}"), flush(counted), seconds_served(std::slice::from_ref(flushed)), EDGES_SECONDS));
        }
        wrong.extend(
            times.into_iter().filter(|(what, found, truth, allowed)| !is_true(what, *found, *truth, *allowed)).map(|(what, ..)| what),
        );
    }
    assert!(transfers.is_empty(), "there was more than the phases say");
    wrong
}

/// A rate is one over the delay; what the flush takes is in the durable time and not in the acknowledged one.
#[test]
#[ignore = "needs root, FUSE"]
fn times_over_set_delays_are_true() {
    if is_missing(&NEEDS) {
        return;
    }
    let _lock = DeviceLock::take();
    let settings =
        format!("file_size={} chunk_size={CHUNK} seek_size={SEEK} seeks={OPERATIONS} seek_seconds=0 files=0", OPERATIONS as u32 * CHUNK);
    let mut wrong = Vec::new();
    for _ in 0..ATTEMPTS {
        let filesystem = FuseFilesystem::of(Behaviour { passes_page_cache: true, delays: DELAYS, ..Behaviour::default() });
        let run = measured(&filesystem, &settings, &[]);
        wrong = untrue_times(&run, filesystem.timed_log());
        if wrong.is_empty() {
            return;
        }
    }
    panic!("{wrong:?} are untrue, {ATTEMPTS} times");
}

const FILES: usize = 100;
const DIRECTORIES: usize = 3;

/// What changes a file set, or flushes it.
const CHANGES: [Operation; 4] = [Operation::Create, Operation::SyncFile, Operation::SyncDirectory, Operation::Unlink];

/// The changes of a file set, from its first file to its first removal, and from there on.
fn steps_of(log: &[Step], kind: &str) -> (Vec<Step>, Vec<Step>) {
    let is_of_set = |step: &&Step| CHANGES.contains(&step.operation) && (step.directory.starts_with(kind) || step.name.starts_with(kind));
    let steps: Vec<Step> = log.iter().filter(is_of_set).cloned().collect();
    let created = steps.iter().position(|step| step.operation == Operation::Create).expect("nothing was created");
    let removed = steps.iter().position(|step| step.operation == Operation::Unlink).expect("nothing was removed");
    (steps[created..removed].to_vec(), steps[removed..].to_vec())
}

/// The names that the next `count` steps of one operation are about, each another one.
fn next_names(steps: &mut impl Iterator<Item = Step>, operation: Operation, count: usize) -> BTreeSet<String> {
    let next: Vec<Step> = steps.take(count).collect();
    assert!(next.iter().all(|step| step.operation == operation), "{operation:?} of {count} is mixed with another operation");
    let names: BTreeSet<String> = next.into_iter().map(|step| format!("{}/{}", step.directory, step.name)).collect();
    assert_eq!(names.len(), count, "{operation:?}");
    names
}

/// Fails unless the files were created, then each of them and each directory was flushed, and nothing else.
fn expect_flushed_creation(steps: Vec<Step>, kind: &str) -> BTreeSet<String> {
    let mut steps = steps.into_iter();
    let created = next_names(&mut steps, Operation::Create, FILES);
    assert_eq!(next_names(&mut steps, Operation::SyncFile, FILES), created, "{kind}: files that were not flushed");
    next_names(&mut steps, Operation::SyncDirectory, DIRECTORIES);
    assert_eq!(steps.next(), None);
    created
}

/// Fails unless these files were removed, and each directory flushed then.
fn expect_flushed_removal(steps: Vec<Step>, created: &BTreeSet<String>) {
    let mut steps = steps.into_iter();
    assert_eq!(next_names(&mut steps, Operation::Unlink, FILES), *created);
    next_names(&mut steps, Operation::SyncDirectory, DIRECTORIES);
    assert_eq!(steps.next(), None);
}

/// A flush of the whole filesystem never reaches FUSE, so that each file and each directory is flushed there, inside the clock.
#[test]
#[ignore = "needs root, FUSE"]
fn each_file_and_directory_is_flushed_inside_the_clock() {
    if is_missing(&NEEDS) {
        return;
    }
    let _lock = DeviceLock::take();
    let sync = Duration::from_millis(5);
    let delays = Delays { sync, ..Delays::default() };
    let filesystem = FuseFilesystem::of(Behaviour { delays, ..Behaviour::default() });
    let run = measured(&filesystem, &format!("file_size=0 files={FILES} dirs={DIRECTORIES}"), &[]);
    let log = filesystem.log();
    for kind in ["sequential", "random"] {
        let (creation, removal) = steps_of(&log, kind);
        let created = expect_flushed_creation(creation, kind);
        expect_flushed_removal(removal, &created);
    }
    let (of_creation, of_removal) = (FILES + DIRECTORIES, DIRECTORIES);
    for (which, flushes) in [
        (Phase::SeqCreate, of_creation),
        (Phase::SeqDelete, of_removal),
        (Phase::RandomCreate, of_creation),
        (Phase::RandomDelete, of_removal),
    ] {
        let truth = sync.as_secs_f64() * flushes as f64;
        let found = flush(counted(&run, which));
        is_true(&format!("{flushes} flushes of {}", which.name()), found, truth, 0.0);
        assert!(found >= truth, "{}: a flush is not in the time", which.name());
    }
}

/// Fails where a run claims more than is known of a filesystem whose device nobody sees.
fn expect_modest_labels(run: &RunRecord) {
    for record in &run.phases {
        let name = record.name.name();
        println!("{name:<14} cache {:?}, durable {:?}", record.cache, record.durable);
        assert_eq!(record.evidence.own_read_bytes, Some(0), "{name}: reads of FUSE are charged now: labels can say more");
        match record.cache {
            None => assert_eq!(record.durable, Some(Durability::Uncertain), "{name}"),
            Some(label) => assert!(matches!(label, CacheLabel::Unknown | CacheLabel::ColdUnproven), "{name} is called {label}"),
        }
        assert!(matches!(record.durable, None | Some(Durability::Uncertain)), "{name} is called {:?}", record.durable);
    }
}

/// Bytes that reads of the block file asked the server for.
fn bytes_asked_for(log: &[Step]) -> u64 {
    let reads = log.iter().filter(|step| step.name == "block.0" && step.operation == Operation::Read);
    reads.map(|step| u64::from(step.size)).sum()
}

/// No byte that was read is charged to barrow there, and what a flush reaches is not known.
#[test]
#[ignore = "needs root, FUSE"]
fn labels_claim_only_what_is_known() {
    if is_missing(&NEEDS) {
        return;
    }
    let _lock = DeviceLock::take();
    for passes_page_cache in [false, true] {
        let filesystem = FuseFilesystem::of(Behaviour { passes_page_cache, ..Behaviour::default() });
        let run = measured(&filesystem, "file_size=8m seeks=100 seek_seconds=0 files=50", &[]);
        expect_modest_labels(&run);
        // Cold all the same: rewrite and block_read asked for every byte again, and each seek for its own.
        assert_eq!(bytes_asked_for(&filesystem.log()), 2 * (8 << 20) + 100 * u64::from(SEEK));
        assert_eq!(filesystem.root_names(), [] as [&str; 0]);
    }
}

#[test]
#[ignore = "needs root, FUSE"]
fn direct_io_that_is_refused_ends_by_name() {
    if is_missing(&NEEDS) {
        return;
    }
    let filesystem = FuseFilesystem::of(Behaviour { refuses_direct_io: true, ..Behaviour::default() });
    let desk = Desk::new();
    let settings = "file_size=8m seeks=100 seek_seconds=0 files=50";
    let mut command = desk.run(User::Tester, settings, &["--runs", "1", "--io", "direct"]);
    let finished = Finished::of(command.arg(filesystem.path())).expect_code(1);
    println!("{}", finished.stderr);
    assert!(finished.stderr.to_lowercase().contains("direct"), "direct I/O is not named:\n{}", finished.stderr);
    assert_eq!(filesystem.root_names(), [] as [&str; 0]);
}

/// A test that fails leaves no mount behind, though a child still has a file open there, and the child can end.
#[test]
#[ignore = "needs root, FUSE"]
fn a_panic_leaves_no_mount() {
    if is_missing(&NEEDS) {
        return;
    }
    let (sender, receiver) = std::sync::mpsc::channel();
    let panicked = std::thread::spawn(move || {
        let filesystem = FuseFilesystem::of(Behaviour::default());
        let mut shell = alone("/bin/sh");
        shell.args(["-c", "exec 3>\"$0\"; echo open >&2; exec sleep 600"]).arg(filesystem.path().join("held"));
        let mut client = Running::start(&mut shell);
        client.wait_for_line(&["open"]);
        assert_eq!(filesystem.root_names(), ["held"]);
        sender.send((client, filesystem.path().display().to_string())).unwrap();
        panic!("on purpose");
    });
    assert!(panicked.join().is_err());
    let (client, path) = receiver.recv().unwrap();
    let mounts = std::fs::read_to_string("/proc/self/mountinfo").unwrap();
    assert!(mounts.contains(" / ") && !mounts.contains(&path), "{path} is still mounted");
    assert!(!std::path::Path::new(&path).exists());
    drop(client);
}
