use super::*;
use crate::model::plan::Circumstances;
use crate::model::profile::Profile;
use crate::phases::{Stamps, Stop, prepare, procedure};
use crate::rng::GENERATOR;
use crate::target::pretend::PretendTarget;
use crate::target::pretend_call::Operation;
use crate::target::pretend_trick::Trick;
use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

/// The quick profile with these phases and no timed part.
pub fn plan(phases: &str, changes: &[(&str, &str)]) -> Plan {
    let first = [("phases", phases), ("file_size", "64k"), ("chunk_size", "4k"), ("files", "0")];
    let changes: Vec<_> = first.iter().chain(changes).map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    let profile = Profile::named("quick", 0).unwrap().changed(&changes, 0).unwrap();
    Plan::of(&profile, GENERATOR, Circumstances::WITHOUT_DROPS).unwrap()
}

/// Does a phase, one worker after the other, and gives their tallies.
pub fn done<'t>(phase: Phase, plan: &'t Plan, target: &'t PretendTarget) -> Result<Vec<Tally<'t>>, PhaseError> {
    let interrupted: &'static AtomicBool = Box::leak(Box::default());
    let stop = Box::leak(Box::new(Stop::of(interrupted)));
    let stamps = Box::leak(Box::new(Stamps { nonce: 7, earlier: Vec::new() }));
    let job = Job { plan, target, stamps, stop };
    let survey = procedure(phase).survey(job)?;
    let timed = prepare(phase, job, &survey)?;
    let mut tallies = Vec::new();
    for (mut work, mut tally) in timed.workers {
        tally.start(crate::target::Target::now_ns(target));
        work(&mut tally)?;
        tallies.push(tally);
    }
    Ok(tallies)
}

/// A target with a call log, on whose clock each call takes 10 ns.
fn target() -> PretendTarget {
    PretendTarget::costing(|_| 10)
}

fn phase(name: &str) -> Phase {
    Phase::named(name).unwrap()
}

fn log(target: &PretendTarget, start: usize) -> Vec<String> {
    target.log()[start..].iter().map(ToString::to_string).collect()
}

#[test]
fn the_first_phase_makes_the_files_and_every_phase_goes_through_them() {
    let plan = plan("seq_write_16k_1w,seq_read_16k_2w", &[]);
    let target = target();
    let tallies = done(phase("seq_write_16k_1w"), &plan, &target).unwrap();
    let made = ["Status transfer.0", "Create transfer.0", "Write transfer.0 0+32768", "Sync transfer.0", "Close transfer.0"];
    let made = made.iter().map(|line| (*line).to_owned()).chain(made.iter().map(|line| line.replace("er.0", "er.1")));
    let written = [
        "Open transfer.0",
        "Open transfer.1",
        "Write transfer.0 0+16384",
        "Write transfer.0 16384+16384",
        "Write transfer.1 0+16384",
        "Write transfer.1 16384+16384",
        "Sync transfer.0",
        "Close transfer.0",
        "Sync transfer.1",
        "Close transfer.1",
    ];
    assert_eq!(log(&target, 0), made.chain(written.map(str::to_owned)).collect::<Vec<_>>());
    assert_eq!((tallies[0].work, tallies[0].operations, tallies[0].acknowledged_ns), (65536, 4, 40));

    let start = target.log().len();
    let tallies = done(phase("seq_read_16k_2w"), &plan, &target).unwrap();
    let expected = [
        "Status transfer.0",
        "Status transfer.1",
        "Open transfer.0",
        "Open transfer.1",
        "Read transfer.0 0+16384",
        "Read transfer.0 16384+16384",
        "Read transfer.1 0+16384",
        "Read transfer.1 16384+16384",
    ];
    assert_eq!(log(&target, start), expected);
    assert_eq!(tallies.iter().map(|tally| tally.work).collect::<Vec<_>>(), [32768, 32768]);
}

#[test]
fn random_transfers_meet_each_place_once_without_readahead() {
    let plan = plan("random_write_4k_1w,random_read_4k_1w", &[]);
    let target = target();
    done(phase("random_write_4k_1w"), &plan, &target).unwrap();
    let start = target.log().len();
    done(phase("random_read_4k_1w"), &plan, &target).unwrap();
    let log = target.log();
    let operations: Vec<Operation> = log[start..start + 3].iter().map(|call| call.operation).collect();
    assert_eq!(operations, [Operation::Status, Operation::Open, Operation::AdviseRandom]);
    let offsets: Vec<u64> = log[start + 3..].iter().filter_map(|call| call.span.map(|(offset, _)| offset)).collect();
    assert_eq!(offsets.iter().copied().collect::<BTreeSet<_>>(), (0..16).map(|place| place * 4096).collect());
    assert!(!offsets.is_sorted(), "{offsets:?}");
}

#[test]
fn enough_is_both_counts() {
    for (transfers, seconds, expected) in [("3", "0", 3), ("3", "1", 5), ("9", "1", 9), ("0", "0", 16), ("3", "100", 16)] {
        let plan = plan("random_read_4k_1w", &[("transfers", transfers), ("transfer_seconds", seconds)]);
        let target = PretendTarget::costing(|call| if call.operation == Operation::Read { 200_000_000 } else { 1 });
        let tallies = done(phase("random_read_4k_1w"), &plan, &target).unwrap();
        assert_eq!(tallies[0].operations, expected, "{transfers} transfers and {seconds} s");
        let known = TransferPhase(Transfer::named("random_read_4k_1w").unwrap()).work_expected(&plan);
        assert_eq!(known.is_none(), seconds != "0", "{transfers} transfers and {seconds} s: {known:?}");
    }
}

#[test]
fn data_that_never_came_is_found() {
    let plan = plan("seq_read_4k_1w", &[]);
    for (trick, words) in [
        (Trick::Zeros, "read chunk 2 of 16 of transfer.0: at byte 9216 of the file are zeros"),
        (Trick::Bytes(vec![1; 4096]), "data that barrow did not write"),
    ] {
        let target = target();
        target.play(Operation::Read, 3, trick);
        let error = done(phase("seq_read_4k_1w"), &plan, &target).err().unwrap().to_string();
        assert!(error.contains(words), "{error}");
    }
    let lost = target();
    lost.play(Operation::Write, 1, Trick::Lost);
    assert!(done(phase("seq_read_4k_1w"), &plan, &lost).is_err());
}

#[test]
fn a_file_that_was_left_half_made_is_made_again() {
    let plan = plan("seq_read_4k_1w", &[("file_size", "3m")]);
    let target = target();
    target.play(Operation::Write, 2, Trick::Fail(libc::EIO));
    let error = done(phase("seq_read_4k_1w"), &plan, &target).err().unwrap().to_string();
    assert!(error.starts_with("write place 1 of 3 of transfer.0 at byte 1048576: "), "{error}");
    assert_eq!(done(phase("seq_read_4k_1w"), &plan, &target).unwrap()[0].work, 3 << 20);
}

#[test]
fn what_was_written_at_some_places_is_right_for_every_reader() {
    let plan = plan(
        "random_write_4k_2w,seq_write_16k_1w,random_read_16k_1w,seq_read_4k_2w",
        &[("transfers", "2"), ("compressible", "50"), ("dedupe", "50")],
    );
    let target = target();
    for phase in plan.settings.phases.iter() {
        let operations: u64 = done(*phase, &plan, &target).unwrap().iter().map(|tally| tally.operations).sum();
        assert_eq!(operations, 2, "{}", phase.name());
    }
}

#[test]
fn a_run_that_is_to_stop_makes_no_more() {
    let plan = plan("seq_read_4k_1w", &[("file_size", "3m")]);
    let target = target();
    let interrupted = AtomicBool::new(true);
    let (stop, stamps) = (Stop::of(&interrupted), Stamps::default());
    let job = Job { plan: &plan, target: &target, stamps: &stamps, stop: &stop };
    assert!(matches!(procedure(phase("seq_read_4k_1w")).survey(job), Err(PhaseError::Stopped)));
    assert_eq!(target.log().iter().filter(|call| call.operation == Operation::Write).count(), 1);
}
