//! The table on a filesystem that the test serves: barrow itself, from its command line to its run file, with the kernel between.

use super::score::{Score, are_alike, plain_name};
use super::table::{Outcome, Table, first_middle_last};
use super::{CHANGE_ERRORS, Fault, INTERRUPTED, LOOK_ERRORS, expect_reason, expect_statuses, in_threads, spoilt};
use crate::real::device::DeviceLock;
use crate::real::driver::{Desk, Finished, User, phases_with};
use crate::real::fuse::{self, Behaviour, FuseFilesystem, Operation, Planned, Step};
use crate::real::need::{Need, is_missing};
use barrow::model::phase::Phase;
use barrow::model::record::{RunRecord, Status};
use std::time::Duration;

const NEEDS: [Need; 2] = [Need::Root, Need::Fuse];
/// A chunk is one request; every place is met by a seek, and every other one written back; a file is one transfer.
const SETTINGS: &str =
    "file_size=512k chunk_size=64k seek_size=32k seeks=16 seek_seconds=0 seek_rewrite_percent=50 files=5 min_size=5000 max_size=5000";
/// Runs that go on at the same time: mostly they wait for the machine to be quiet.
const THREADS: usize = 20;
/// Runs in one call of barrow, each with a fault of its own: a new process for each would take most of the time.
const ROUNDS: usize = 6;
const DELAY: Duration = Duration::from_millis(100);

fn filesystem() -> FuseFilesystem {
    FuseFilesystem::of(Behaviour { passes_page_cache: true, ..Behaviour::default() })
}

/// So many runs of barrow in one call, and the lines of its run file, which a report is made of.
fn run_on(filesystem: &FuseFilesystem, rounds: usize, code: i32, case: &str) -> (Vec<RunRecord>, Finished) {
    let desk = Desk::new();
    let mut command = desk.run(User::Tester, SETTINGS, &["--runs", &rounds.to_string(), "--drop-caches", "never"]);
    let finished = Finished::of(command.arg(filesystem.path()));
    assert_eq!(finished.status.code(), Some(code), "{case}: {}\n{}", finished.status, finished.stderr);
    let text = std::fs::read_to_string(desk.run_file()).unwrap();
    assert!(text.ends_with('\n') && text.lines().count() == rounds, "{case}: {text}");
    let report = Finished::of(desk.barrow(User::Tester, ["report", "-f", "csv"]).arg(desk.run_file()));
    assert!(report.status.success() && report.stdout.lines().count() > rounds, "{case}: {}", report.stderr);
    (desk.runs(), finished)
}

/// One cell: a call of a phase, and what happens to it.
#[derive(Debug, Clone, Copy)]
struct Cell {
    phase: Phase,
    place: usize,
    fault: Fault,
    outcome: Outcome,
}

/// A row: its cells, and its words in the table.
struct Row {
    phase: Phase,
    operation: Operation,
    fault: Fault,
    outcome: Outcome,
}

fn planned(step: &Step, round: Option<u64>, nth: u64, fault: Fault, is_lasting: bool) -> Planned {
    let fault = match fault {
        Fault::Error(number) => fuse::Fault::Error(number),
        Fault::Short => fuse::Fault::Short(1000),
        Fault::Nothing => fuse::Fault::Short(0),
        Fault::Zeros => fuse::Fault::Zeros,
        Fault::Stale => fuse::Fault::Stale,
        Fault::Foreign => fuse::Fault::Foreign,
        Fault::Lost => fuse::Fault::Lost,
        Fault::Delay => fuse::Fault::Delay(DELAY),
    };
    Planned { operation: step.operation, round, nth, is_lasting, fault }
}

/// What a step is about, as barrow names it.
fn entry_of(step: &Step) -> String {
    if step.directory.contains(".0.") { format!("{}/{}", step.directory, step.name) } else { step.name.clone() }
}

fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    let mut add = |phase, operation, faults: &[Fault], outcome| {
        rows.extend(faults.iter().map(|fault| Row { phase, operation, fault: *fault, outcome }));
    };
    for phase in Phase::STANDARD.iter().copied() {
        let is_create = matches!(phase, Phase::BlockWrite | Phase::SeqCreate | Phase::RandomCreate);
        let is_stat = matches!(phase, Phase::SeqStat | Phase::RandomStat);
        let is_delete = matches!(phase, Phase::SeqDelete | Phase::RandomDelete);
        let writes = is_create || matches!(phase, Phase::Rewrite | Phase::RandomSeek);
        let reads = is_stat || matches!(phase, Phase::Rewrite | Phase::BlockRead | Phase::RandomSeek);
        let is_set_create = is_create && phase != Phase::BlockWrite;
        // Where a name is looked up, the kernel asks again after ESTALE, and barrow after EINTR.
        let asked_again = [Fault::Error(libc::ESTALE), INTERRUPTED];
        let by_name = &CHANGE_ERRORS[..4];
        if is_set_create {
            add(phase, Operation::MakeDirectory, by_name, Outcome::Fails);
            add(phase, Operation::MakeDirectory, &asked_again, Outcome::Stands);
            add(phase, Operation::OpenDirectory, &LOOK_ERRORS[..1], Outcome::Fails);
            add(phase, Operation::SyncDirectory, &CHANGE_ERRORS, Outcome::Fails);
        }
        if is_create {
            add(phase, Operation::Create, by_name, Outcome::Fails);
            add(phase, Operation::Create, &asked_again, Outcome::Stands);
        }
        if is_set_create || reads {
            add(phase, Operation::Open, &LOOK_ERRORS[..1], Outcome::Fails);
            add(phase, Operation::Open, &asked_again, Outcome::Stands);
        }
        if is_stat {
            // After EIO the kernel asks again as well, but only for a name that it has not forgotten meanwhile.
            add(phase, Operation::Lookup, &asked_again, Outcome::Stands);
            add(phase, Operation::Attributes, &LOOK_ERRORS[..1], Outcome::Fails);
            add(phase, Operation::Attributes, &asked_again, Outcome::Stands);
        }
        if reads {
            add(phase, Operation::Read, &LOOK_ERRORS, Outcome::Fails);
            add(phase, Operation::Read, &[Fault::Nothing, Fault::Zeros, Fault::Foreign], Outcome::Fails);
            if matches!(phase, Phase::BlockRead | Phase::RandomSeek) {
                add(phase, Operation::Read, &[Fault::Stale], Outcome::Fails);
            }
            add(phase, Operation::Read, &[INTERRUPTED, Fault::Short, Fault::Delay], Outcome::Stands);
        }
        if writes {
            add(phase, Operation::Write, &CHANGE_ERRORS, Outcome::Fails);
            add(phase, Operation::Write, &[Fault::Nothing], Outcome::Fails);
            add(phase, Operation::Write, &[INTERRUPTED, Fault::Short, Fault::Delay], Outcome::Stands);
            if let Some(readers) = readers_of(phase) {
                add(phase, Operation::Write, &[Fault::Lost], Outcome::FoundIn(readers));
            }
            add(phase, Operation::SyncFile, &CHANGE_ERRORS, Outcome::Fails);
            add(phase, Operation::SyncFile, &[INTERRUPTED, Fault::Delay], Outcome::Stands);
        }
        if reads || writes {
            // An interrupted close cannot be made again: the descriptor is gone, and what it had to say with it.
            add(phase, Operation::Close, &[Fault::Error(libc::EIO), Fault::Error(libc::EDQUOT), INTERRUPTED], Outcome::Fails);
        }
        if is_delete {
            add(phase, Operation::Unlink, by_name, Outcome::Fails);
            add(phase, Operation::Unlink, &asked_again, Outcome::Stands);
            add(phase, Operation::SyncDirectory, &CHANGE_ERRORS, Outcome::Fails);
            add(phase, Operation::SyncDirectory, &[INTERRUPTED], Outcome::Stands);
        }
    }
    rows
}

/// The phases that read what a phase wrote.
fn readers_of(phase: Phase) -> Option<&'static [Phase]> {
    match phase {
        Phase::BlockWrite => Some(&[Phase::Rewrite]),
        Phase::Rewrite => Some(&[Phase::BlockRead, Phase::RandomSeek]),
        Phase::SeqCreate => Some(&[Phase::SeqStat]),
        Phase::RandomCreate => Some(&[Phase::RandomStat]),
        Phase::BlockRead | Phase::RandomSeek | Phase::SeqStat | Phase::SeqDelete | Phase::RandomStat | Phase::RandomDelete => None,
        _ => None,
    }
}

fn clean_run() -> Score {
    let filesystem = filesystem();
    let (runs, finished) = run_on(&filesystem, 1, 0, "no fault");
    expect_statuses(&runs[0], &[], "no fault");
    println!("{}", finished.stderr);
    Score { log: filesystem.log() }
}

/// Lets a call meet a fault in each of the runs of one call of barrow, and fails unless everything goes as it must.
fn expect_each(score: &Score, cells: &[Cell]) {
    let filesystem = filesystem();
    for (round, cell) in (1..).zip(cells) {
        filesystem.plan(planned(&score.log[cell.place], Some(round), score.nth_of_round(cell.place), cell.fault, false));
    }
    let fails = cells.iter().any(|cell| cell.outcome != Outcome::Stands);
    let (runs, finished) = run_on(&filesystem, cells.len(), i32::from(fails), &format!("{cells:?}"));
    let befallen = filesystem.befallen();
    assert_eq!(befallen.len(), cells.len(), "{cells:?}: met by {befallen:?}");
    assert_eq!(filesystem.root_names(), [] as [&str; 0], "{cells:?}: something is left");
    for ((cell, run), met) in cells.iter().zip(&runs).zip(&befallen) {
        expect(score, *cell, run, met);
        for phase in spoilt(cell.phase, cell.outcome) {
            let reason = run.phase(phase).and_then(|record| record.reason.as_deref()).unwrap_or_default();
            let said = format!("{}/{}  {} on {}: {reason}", run.round, cells.len(), phase.name(), filesystem.path().display());
            assert!(finished.stderr.contains(&said), "{cell:?}: `{said}` was not said:\n{}", finished.stderr);
        }
    }
}

/// Fails unless a run went as it must with the fault that a step met.
fn expect(score: &Score, cell: Cell, run: &RunRecord, met: &Step) {
    let step = &score.log[cell.place];
    let case = format!("{} in {} at {step:?}", cell.fault.name(), cell.phase.name());
    assert!(are_alike(met, step), "{case}: met by {met:?}");
    expect_statuses(run, &spoilt(cell.phase, cell.outcome), &case);
    let span = matches!(step.operation, Operation::Read | Operation::Write).then_some((step.offset, u64::from(step.size)));
    match cell.outcome {
        Outcome::Fails => {
            expect_reason(run, cell.phase, &entry_of(step), span, &cell.fault.cause(step.operation == Operation::Read), &case);
        }
        Outcome::FoundIn(phases) => phases.iter().for_each(|phase| expect_reason(run, *phase, &entry_of(step), None, "", &case)),
        Outcome::Stands if cell.fault == Fault::Delay => {
            let counted = run.phase(cell.phase).and_then(|record| record.counted()).expect("a result");
            assert!(u128::from(counted.elapsed_ns) >= DELAY.as_nanos(), "{case}: the delay is not in the time");
        }
        Outcome::Stands => {}
    }
}

#[test]
#[ignore = "needs root, FUSE"]
fn every_fault_in_every_phase_of_a_served_filesystem() {
    if is_missing(&NEEDS) {
        return;
    }
    // Tests that measure times are not to be disturbed.
    let _lock = DeviceLock::take();
    let score = clean_run();
    let mut table = Table::default();
    let mut cells = Vec::new();
    for row in rows() {
        let calls = score.calls(row.phase, row.operation);
        assert!(!calls.is_empty(), "{} has no {:?}", row.phase.name(), row.operation);
        let three = first_middle_last(&calls);
        cells.extend(three.into_iter().flatten().map(|place| Cell { phase: row.phase, place, fault: row.fault, outcome: row.outcome }));
        let words = three.map(|place| place.map(|_| row.outcome.to_string()));
        table.add(row.phase.name(), &format!("{:?}", row.operation), &row.fault.name(), words);
    }
    let calls: Vec<&[Cell]> = cells.chunks(ROUNDS).collect();
    let wrong = in_threads(THREADS, &calls, |cells| expect_each(&score, cells));
    assert!(wrong.is_empty(), "{} of {} calls of barrow are wrong:\n{}", wrong.len(), calls.len(), wrong.join("\n"));
    println!("{table}");
    assert_eq!(table.cells(), cells.len());
    assert!(cells.len() > 300, "{} cells", cells.len());
}

/// What becomes of a run whose place cannot be made, or not be removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Around {
    /// It does not begin: no phase has a number, and nothing is left.
    NotBegun,
    /// One phase fails, before its work.
    NotReady(Phase),
    /// Every number stands, and nothing is left: it is tried again.
    TriedAgain,
    /// Every number stands; what is left is named, and nothing else is left.
    Named,
}

/// One call before or behind the phases: which of its kind on that name, a fault, for how long, and what becomes of it.
struct Edge {
    operation: Operation,
    name: &'static str,
    /// From the end, where it is the last of its kind that counts.
    is_last: bool,
    fault: Fault,
    is_lasting: bool,
    around: Around,
}

fn edges() -> Vec<Edge> {
    let mut edges = Vec::new();
    for (operation, name) in [
        (Operation::MakeDirectory, "scratch"),
        (Operation::ChangeAttributes, "scratch"),
        (Operation::Create, "marker"),
        (Operation::Write, "marker"),
    ] {
        for fault in &CHANGE_ERRORS[..4] {
            edges.push(Edge { operation, name, is_last: false, fault: *fault, is_lasting: false, around: Around::NotBegun });
        }
    }
    // The block file is flushed before it is evicted: the first flush is that of the block write, the second one this.
    for fault in CHANGE_ERRORS {
        let around = Around::NotReady(Phase::Rewrite);
        edges.push(Edge { operation: Operation::SyncFile, name: "block.0", is_last: false, fault, is_lasting: false, around });
    }
    let cleaning = [
        (Operation::Unlink, "block.0"),
        (Operation::RemoveDirectory, "sequential.0.0"),
        (Operation::RemoveDirectory, "random.0.0"),
        (Operation::Unlink, "marker"),
        (Operation::RemoveDirectory, "scratch"),
    ];
    for (operation, name) in cleaning {
        for fault in [Fault::Error(libc::EIO), Fault::Error(libc::ESTALE), Fault::Error(libc::EROFS), INTERRUPTED] {
            edges.push(Edge { operation, name, is_last: true, fault, is_lasting: false, around: Around::TriedAgain });
        }
    }
    for (operation, name) in
        [(Operation::Unlink, "marker"), (Operation::RemoveDirectory, "random.0.0"), (Operation::RemoveDirectory, "scratch")]
    {
        for fault in [Fault::Error(libc::EIO), Fault::Error(libc::ESTALE), Fault::Error(libc::EROFS)] {
            edges.push(Edge { operation, name, is_last: true, fault, is_lasting: true, around: Around::Named });
        }
    }
    edges
}

fn expect_edge(score: &Score, edge: &Edge) {
    let calls = score.calls_on(edge.operation, edge.name);
    let place = match edge.around {
        Around::NotReady(_) => calls[1],
        Around::NotBegun | Around::TriedAgain | Around::Named => {
            if edge.is_last {
                calls[calls.len() - 1]
            } else {
                calls[0]
            }
        }
    };
    let step = &score.log[place];
    let case = format!("{} around the phases at {step:?}", edge.fault.name());
    let filesystem = filesystem();
    filesystem.plan(planned(step, None, score.nth(place), edge.fault, edge.is_lasting));
    let code = i32::from(edge.around != Around::TriedAgain);
    let (runs, finished) = run_on(&filesystem, 1, code, &case);
    let run = &runs[0];
    assert!(filesystem.befallen().first().is_some_and(|first| are_alike(first, step)), "{case}: never met");
    let cause = edge.fault.cause(false);
    match edge.around {
        Around::NotBegun => {
            assert_eq!(phases_with(run, Status::Failed).len(), Phase::STANDARD.len(), "{case}");
            expect_reason(run, Phase::BlockWrite, ".barrow-", None, &cause, &case);
            assert!(finished.stderr.contains("the run could not begin"), "{case}: {}", finished.stderr);
        }
        Around::NotReady(phase) => {
            expect_statuses(run, &[phase], &case);
            expect_reason(run, phase, &format!("flush {} before the phase", edge.name), None, &cause, &case);
        }
        Around::TriedAgain | Around::Named => expect_statuses(run, &[], &case),
    }
    if edge.around == Around::Named {
        let named = format!("{}: {cause}", entry_of(&filesystem.befallen()[0]));
        assert!(finished.stderr.contains("could not remove") && finished.stderr.contains(&named), "{case}: {named}:\n{}", finished.stderr);
        let left = filesystem.file_names();
        assert!(left.iter().all(|name| name == "marker"), "{case}: left {left:?}");
    } else {
        assert_eq!(filesystem.root_names(), [] as [&str; 0], "{case}: something is left");
    }
}

#[test]
#[ignore = "needs root, FUSE"]
fn faults_before_and_behind_the_phases_of_a_served_filesystem() {
    if is_missing(&NEEDS) {
        return;
    }
    let _lock = DeviceLock::take();
    let score = clean_run();
    let edges = edges();
    let wrong = in_threads(THREADS, &edges, |edge| expect_edge(&score, edge));
    assert!(wrong.is_empty(), "{} of {} cases are wrong:\n{}", wrong.len(), edges.len(), wrong.join("\n"));
    for edge in &edges {
        let times = if edge.is_lasting { "from then on" } else { "once" };
        println!(
            "{:<16} {:<15} {:<7} {times:<13} {:?}",
            format!("{:?}", edge.operation),
            plain_name(edge.name),
            edge.fault.name(),
            edge.around
        );
    }
    println!("{} cases", edges.len());
}
