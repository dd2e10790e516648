//! The whole table on a pretended directory, where every call of barrow can meet every fault.

use super::table::{Outcome, Table, first_middle_last};
use super::{CHANGE_ERRORS, Fault, INTERRUPTED, LOOK_ERRORS, expect_reason, expect_statuses, in_threads, spoilt};
use barrow::model::identity::Identity;
use barrow::model::machine::{Filesystem, FilesystemClass, Machine};
use barrow::model::phase::Phase;
use barrow::model::plan::{Circumstances, Plan};
use barrow::model::profile::Profile;
use barrow::model::record::{PhaseRecord, RunRecord};
use barrow::rng::GENERATOR;
use barrow::runner::{Batch, Listeners, Observer, Place, Standing, Working, run_batch};
use barrow::target::ground::Site;
use barrow::target::pretend::PretendTarget;
use barrow::target::pretend_call::{Call, Operation};
use barrow::target::pretend_ground::PretendGround;
use barrow::target::pretend_trick::Trick;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

const CALL_NS: u64 = 10_000;
/// A clock that stands still is waited for.
const TICK_NS: u64 = 10;
const DELAY: Duration = Duration::from_secs(1);
const CHUNK: usize = 8192;
/// Runs at the same time.
const THREADS: usize = 2;

fn plan() -> Plan {
    // Every place is met by a seek; a file has two transfers.
    let changes = [
        ("file_size", "64k"),
        ("chunk_size", "8k"),
        ("seek_size", "4k"),
        ("seeks", "16"),
        ("seek_seconds", "0"),
        ("seek_rewrite_percent", "50"),
        ("files", "12"),
        ("min_size", "9000"),
        ("max_size", "9000"),
        ("runs", "1"),
    ];
    let changes = changes.map(|(key, value)| (key.to_owned(), value.to_owned()));
    let profile = Profile::named("quick", 0).unwrap().changed(&changes, 0).unwrap();
    Plan::of(&profile, GENERATOR, Circumstances::WITHOUT_DROPS).unwrap()
}

/// Notes which calls belong to which phase, and lets go what hangs.
struct Watcher {
    target: Arc<PretendTarget>,
    phases: Vec<Range<usize>>,
    goes_on: u32,
}

impl Observer for Watcher {
    fn run_started(&mut self, _: Standing<'_>) {}
    fn run_not_begun(&mut self, _: Standing<'_>, reason: &str) {
        panic!("{reason}");
    }
    fn phase_started(&mut self, _: Standing<'_>, _: Phase) {
        let start = self.target.log().len();
        self.phases.push(start..start);
    }
    fn phase_goes_on(&mut self, _: Standing<'_>, working: Working) {
        assert_eq!(working.phase, Phase::BlockRead);
        self.goes_on += 1;
        self.target.release();
    }
    fn phase_finished(&mut self, _: Standing<'_>, _: &PhaseRecord) {
        if let Some(calls) = self.phases.last_mut() {
            calls.end = self.target.log().len();
        }
    }
    fn run_finished(&mut self) {}
    fn left_behind(&mut self, what: &str) {
        panic!("left {what}");
    }
}

/// A directory, whose flush does or does not reach its files.
fn pretended(hears_flush: bool) -> Arc<PretendTarget> {
    let target = PretendTarget::costing(|_| CALL_NS).ticking(TICK_NS);
    Arc::new(if hears_flush { target } else { target.flushed_by_file() })
}

/// One run; and the calls of each phase, of those that were begun.
fn done(target: &Arc<PretendTarget>) -> (RunRecord, Watcher) {
    let filesystem = Filesystem {
        kind: "pretendfs".to_owned(),
        class: FilesystemClass::Block,
        mount_options: String::new(),
        size_bytes: 1 << 30,
        free_bytes: 1 << 30,
        used_bytes: None,
        free_files: None,
    };
    let ground = PretendGround::of(Arc::clone(target)).on(Site { filesystem, ..Site::default() });
    let mut places = [Place::of("a".to_owned(), Box::new(ground))];
    let batch = Batch { identity: Identity(1), plan: plan(), rounds: 1, tags: BTreeMap::new(), machine: Machine::default() };
    let mut runs = Vec::new();
    let mut keep = |run: RunRecord| runs.push(run);
    let mut watcher = Watcher { target: Arc::clone(target), phases: Vec::new(), goes_on: 0 };
    let mut listeners = Listeners { observer: &mut watcher, keep: &mut keep };
    run_batch(&batch, &mut places, target.as_ref(), &AtomicBool::new(false), &mut listeners).unwrap();
    (runs.remove(0), watcher)
}

/// Some calls of one kind in one phase, and what faults do to them.
struct Row {
    phase: Phase,
    operation: Operation,
    /// Which of the phase's calls of this kind, from 0; the others have rows of their own.
    calls: Range<usize>,
    faults: Vec<(Fault, Outcome)>,
}

const ALL: Range<usize> = 0..usize::MAX;

fn failing(faults: &[Fault]) -> Vec<(Fault, Outcome)> {
    faults.iter().map(|fault| (*fault, Outcome::Fails)).collect()
}

fn standing(faults: &[Fault]) -> Vec<(Fault, Outcome)> {
    faults.iter().map(|fault| (*fault, Outcome::Stands)).collect()
}

/// What faults do to a read whose data is checked.
fn of_reads(phase: Phase) -> Vec<(Fault, Outcome)> {
    let mut faults = failing(&LOOK_ERRORS);
    faults.extend(failing(&[Fault::Nothing, Fault::Zeros, Fault::Foreign]));
    if matches!(phase, Phase::BlockRead | Phase::RandomSeek) {
        // What was first written is right until it is rewritten.
        faults.push((Fault::Stale, Outcome::Fails));
    }
    faults.extend(standing(&[INTERRUPTED, Fault::Short, Fault::Delay]));
    faults
}

/// What faults do to a write.
fn of_writes(phase: Phase) -> Vec<(Fault, Outcome)> {
    let mut faults = failing(&CHANGE_ERRORS);
    faults.push((Fault::Nothing, Outcome::Fails));
    faults.extend(standing(&[INTERRUPTED, Fault::Short, Fault::Delay]));
    let readers: &[Phase] = match phase {
        Phase::BlockWrite => &[Phase::Rewrite],
        Phase::Rewrite => &[Phase::BlockRead, Phase::RandomSeek],
        Phase::SeqCreate => &[Phase::SeqStat],
        Phase::RandomCreate => &[Phase::RandomStat],
        // Nobody reads after the seeks.
        _ => return faults,
    };
    faults.push((Fault::Lost, Outcome::FoundIn(readers)));
    faults
}

/// The rows of the block phases.
fn block_rows() -> Vec<Row> {
    let row = |phase, operation, calls, faults| Row { phase, operation, calls, faults };
    let mut rows = Vec::new();
    for phase in [Phase::BlockWrite, Phase::Rewrite, Phase::BlockRead, Phase::RandomSeek] {
        rows.push(row(phase, Operation::Flush, ALL, failing(&CHANGE_ERRORS)));
        if phase == Phase::BlockWrite {
            rows.push(row(phase, Operation::Create, ALL, failing(&CHANGE_ERRORS)));
            // For the residency afterwards, which is then not known.
            rows.push(row(phase, Operation::Open, ALL, standing(&LOOK_ERRORS)));
        } else {
            rows.push(row(phase, Operation::Evict, ALL, failing(&LOOK_ERRORS)));
            // To evict; for the residency before; for the work; for the residency afterwards.
            for (call, outcome) in [(0, Outcome::Fails), (1, Outcome::Stands), (2, Outcome::Fails), (3, Outcome::Stands)] {
                rows.push(row(phase, Operation::Open, call..call + 1, LOOK_ERRORS.map(|fault| (fault, outcome)).to_vec()));
            }
            rows.push(row(phase, Operation::Read, ALL, of_reads(phase)));
        }
        rows.push(row(phase, Operation::Residency, ALL, standing(&LOOK_ERRORS)));
        if phase == Phase::RandomSeek {
            rows.push(row(phase, Operation::AdviseRandom, ALL, failing(&LOOK_ERRORS)));
            // Afterwards, in cleaning: once more at the end of the run.
            rows.push(row(phase, Operation::Unlink, ALL, standing(&CHANGE_ERRORS)));
        }
        if phase != Phase::BlockRead {
            rows.push(row(phase, Operation::Write, ALL, of_writes(phase)));
            rows.push(row(phase, Operation::Sync, ALL, failing(&CHANGE_ERRORS)));
        }
        rows.push(row(phase, Operation::Close, ALL, failing(&CHANGE_ERRORS)));
    }
    rows
}

/// The rows of one set of files on a filesystem that hears of a flush.
fn set_rows(create: Phase, stat: Phase, delete: Phase) -> Vec<Row> {
    let row = |phase, operation, faults| Row { phase, operation, calls: ALL, faults };
    let cleaning = |operation, calls| Row { phase: delete, operation, calls, faults: standing(&LOOK_ERRORS) };
    vec![
        row(create, Operation::Flush, failing(&CHANGE_ERRORS)),
        row(create, Operation::MakeDirectory, failing(&CHANGE_ERRORS)),
        row(create, Operation::OpenDirectory, failing(&LOOK_ERRORS)),
        row(create, Operation::Create, failing(&CHANGE_ERRORS)),
        row(create, Operation::Write, of_writes(create)),
        row(create, Operation::Close, failing(&CHANGE_ERRORS)),
        row(stat, Operation::Flush, failing(&CHANGE_ERRORS)),
        row(stat, Operation::OpenDirectory, failing(&LOOK_ERRORS)),
        row(stat, Operation::Status, failing(&LOOK_ERRORS)),
        row(stat, Operation::Open, failing(&LOOK_ERRORS)),
        row(stat, Operation::Read, of_reads(stat)),
        row(stat, Operation::Close, failing(&LOOK_ERRORS)),
        row(delete, Operation::Flush, failing(&CHANGE_ERRORS)),
        Row { phase: delete, operation: Operation::OpenDirectory, calls: 0..1, faults: failing(&LOOK_ERRORS) },
        row(delete, Operation::Unlink, failing(&CHANGE_ERRORS)),
        // Afterwards, in cleaning: once more at the end of the run.
        cleaning(Operation::OpenDirectory, 1..2),
        cleaning(Operation::List, ALL),
        cleaning(Operation::RemoveDirectory, ALL),
    ]
}

/// The rows that differ where every file and directory is flushed by itself.
fn rows_by_file(create: Phase, delete: Phase) -> Vec<Row> {
    let row = |phase, operation, calls, faults: &[Fault]| Row { phase, operation, calls, faults: failing(faults) };
    vec![
        row(create, Operation::Open, ALL, &LOOK_ERRORS),
        row(create, Operation::Sync, ALL, &CHANGE_ERRORS),
        // The first twelve are those of the files as they are made.
        row(create, Operation::Close, 12..usize::MAX, &CHANGE_ERRORS),
        row(delete, Operation::Sync, ALL, &CHANGE_ERRORS),
    ]
}

fn trick(fault: Fault) -> Trick {
    match fault {
        Fault::Error(number) => Trick::Fail(number),
        Fault::Short => Trick::Short(100),
        Fault::Nothing => Trick::Short(0),
        Fault::Zeros => Trick::Zeros,
        Fault::Stale => Trick::FirstVersion,
        Fault::Foreign => Trick::Bytes(vec![7; CHUNK]),
        Fault::Lost => Trick::Lost,
        Fault::Delay => Trick::Delay(DELAY),
    }
}

/// A run without faults, against which the others are held.
struct Clean {
    hears_flush: bool,
    run: RunRecord,
    log: Vec<Call>,
    phases: Vec<Range<usize>>,
}

impl Clean {
    fn run(hears_flush: bool) -> Self {
        let target = pretended(hears_flush);
        let (run, watcher) = done(&target);
        expect_statuses(&run, &[], "no fault");
        assert_eq!(watcher.phases.len(), Phase::STANDARD.len());
        Self { hears_flush, run, log: target.log(), phases: watcher.phases }
    }

    /// The places of a row's calls in the log.
    fn calls(&self, row: &Row) -> Vec<usize> {
        let phase = Phase::STANDARD.iter().position(|phase| *phase == row.phase).unwrap();
        let of_kind: Vec<usize> = self.phases[phase].clone().filter(|place| self.log[*place].operation == row.operation).collect();
        let end = row.calls.end.min(of_kind.len());
        of_kind.get(row.calls.start..end).unwrap_or_default().to_vec()
    }

    /// Lets one call meet a fault, and fails unless everything goes as it must.
    fn expect(&self, row: &Row, place: usize, fault: Fault, outcome: Outcome) {
        let call = &self.log[place];
        let case = format!("{} in {} at {call}", fault.name(), row.phase.name());
        let nth = self.log[..=place].iter().filter(|other| other.operation == call.operation).count() as u64;
        let target = pretended(self.hears_flush);
        target.play(call.operation, nth, trick(fault));
        let (run, _) = done(&target);
        assert_eq!(target.log().get(..=place), Some(&self.log[..=place]), "{case}: the fault was never met");
        assert_eq!(target.entries(), [] as [&str; 0], "{case}");
        expect_statuses(&run, &spoilt(row.phase, outcome), &case);
        let span = call.span.map(|(offset, length)| (offset, length as u64));
        match outcome {
            Outcome::Fails => expect_reason(&run, row.phase, &call.name, span, &fault.cause(call.operation == Operation::Read), &case),
            Outcome::FoundIn(phases) => phases.iter().for_each(|phase| expect_reason(&run, *phase, &call.name, None, "", &case)),
            Outcome::Stands if fault == Fault::Delay => {
                let elapsed = |run: &RunRecord| run.phase(row.phase).unwrap().counted().unwrap().elapsed_ns;
                let longer = elapsed(&run).saturating_sub(elapsed(&self.run));
                assert!(longer.abs_diff(DELAY.as_nanos() as u64) < CALL_NS, "{case}: {longer} ns longer");
            }
            Outcome::Stands => {}
        }
    }

    /// Goes through some rows, and notes what was asserted.
    fn expect_all(&self, rows: &[Row], table: &mut Table) {
        let mut cells = Vec::new();
        for row in rows {
            let calls = self.calls(row);
            assert!(!calls.is_empty(), "{} has no such {:?}", row.phase.name(), row.operation);
            let three = first_middle_last(&calls);
            for (fault, outcome) in &row.faults {
                cells.extend(three.iter().flatten().map(|place| (row, *place, *fault, *outcome)));
                let words = three.map(|place| place.map(|_| outcome.to_string()));
                table.add(row.phase.name(), &format!("{:?}", row.operation), &fault.name(), words);
            }
        }
        let wrong = in_threads(THREADS, &cells, |(row, place, fault, outcome)| self.expect(row, *place, *fault, *outcome));
        assert!(wrong.is_empty(), "{} of {} cells are wrong:\n{}", wrong.len(), cells.len(), wrong.join("\n"));
    }
}

#[test]
fn every_fault_in_every_phase_of_a_pretended_directory() {
    let mut table = Table::default();
    let mut rows = block_rows();
    rows.extend(set_rows(Phase::SeqCreate, Phase::SeqStat, Phase::SeqDelete));
    rows.extend(set_rows(Phase::RandomCreate, Phase::RandomStat, Phase::RandomDelete));
    Clean::run(true).expect_all(&rows, &mut table);
    let mut rows = rows_by_file(Phase::SeqCreate, Phase::SeqDelete);
    rows.extend(rows_by_file(Phase::RandomCreate, Phase::RandomDelete));
    Clean::run(false).expect_all(&rows, &mut table);
    println!("{table}");
    assert!(table.cells() > 500, "{} cells", table.cells());
}

/// Whoever watches hears of a phase whose call hangs; when the call is let go, the result stands.
#[test]
fn a_call_that_hangs_is_seen_and_waited_for() {
    let target = pretended(true);
    // The fourth chunk of the block read, after those of the rewrite.
    target.play(Operation::Read, 12, Trick::Hang);
    let (run, watcher) = done(&target);
    assert!(watcher.goes_on > 0);
    expect_statuses(&run, &[], "a hang");
}

/// A directory whose every write fails from some moment on fails every later phase that writes, each by name.
#[test]
fn a_fault_that_lasts_fails_every_phase_that_meets_it() {
    let target = pretended(true);
    target.play_from(Operation::Write, 12, Trick::Fail(libc::EROFS));
    let (run, _) = done(&target);
    expect_statuses(&run, &[Phase::Rewrite, Phase::SeqCreate, Phase::RandomCreate], "a lasting fault");
    assert_eq!(target.entries(), [] as [&str; 0]);
}
