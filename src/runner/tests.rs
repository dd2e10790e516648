mod commands;
mod drafts;
mod evidence;
mod links;
mod small_files;
mod times;
mod trees;

use super::*;
use crate::model::flag::Flag;
use crate::model::machine::{Filesystem, FilesystemClass};
use crate::model::plan::Circumstances;
use crate::model::profile::Profile;
use crate::model::record::Status;
use crate::phases::{Generation, Origin, Stamps};
use crate::rng::GENERATOR;
use crate::target::ground::Site;
use crate::target::pretend::PretendTarget;
use crate::target::pretend_call::Operation;
use crate::target::pretend_ground::PretendGround;
use crate::target::pretend_trick::Trick;
use std::sync::Arc;

const CALL_NS: u64 = 10_000;

/// What was heard, as lines.
#[derive(Default)]
struct Heard(Vec<String>);

impl Observer for Heard {
    fn run_started(&mut self, standing: Standing<'_>) {
        self.0.push(format!("run {} {}/{}", standing.label, standing.round, standing.rounds));
    }
    fn run_not_begun(&mut self, _: Standing<'_>, reason: &str) {
        self.0.push(format!("not begun {reason}"));
    }
    fn filling(&mut self, _standing: Standing<'_>, done: u64, of: u64) {
        self.0.push(format!("filling {done} of {of}"));
    }
    fn phase_started(&mut self, _standing: Standing<'_>, phase: Phase) {
        self.0.push(format!("start {}", phase.name()));
    }
    fn phase_finished(&mut self, _standing: Standing<'_>, record: &PhaseRecord) {
        self.0.push(format!("end {} {}", record.name.name(), record.status.name()));
    }
    fn run_finished(&mut self) {}
    fn left_behind(&mut self, what: &str) {
        self.0.push(format!("left {what}"));
    }
}

fn plan(changes: &[(&str, &str)]) -> Plan {
    let small = [("file_size", "64k"), ("chunk_size", "8k"), ("seeks", "10"), ("seek_seconds", "0"), ("files", "20"), ("runs", "1")];
    let changes: Vec<_> = small.iter().chain(changes).map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    let profile = Profile::named("quick", 0).unwrap().changed(&changes, 0).unwrap();
    Plan::of(&profile, GENERATOR, Circumstances::WITHOUT_DROPS).unwrap()
}

fn pretended() -> Arc<PretendTarget> {
    Arc::new(PretendTarget::costing(|_| CALL_NS))
}

fn place_on(label: &str, target: &Arc<PretendTarget>) -> Place {
    let filesystem = Filesystem {
        kind: "pretendfs".to_owned(),
        class: FilesystemClass::Block,
        mount_options: "rw".to_owned(),
        size_bytes: 1 << 30,
        free_bytes: 1 << 30,
        used_bytes: None,
        free_files: None,
    };
    let ground = PretendGround::of(Arc::clone(target)).on(Site { filesystem, ..Site::default() });
    Place::of(label.to_owned(), Box::new(ground))
}

fn batch_of(plan: Plan) -> Batch {
    let rounds = u32::try_from(plan.settings.runs).unwrap();
    Batch { identity: Identity(42), plan, rounds, tags: BTreeMap::new(), machine: Machine::default() }
}

/// Does a whole batch on pretended places; gives the records and what was heard.
fn done(plan: Plan, targets: &[(&str, &Arc<PretendTarget>)]) -> (Vec<RunRecord>, Vec<String>) {
    let mut places: Vec<Place> = targets.iter().map(|(label, target)| place_on(label, target)).collect();
    let mut runs = Vec::new();
    let mut heard = Heard::default();
    let mut keep = |run: RunRecord| runs.push(run);
    let interrupted = AtomicBool::new(false);
    let meter = Arc::clone(targets[0].1);
    let mut listeners = Listeners { observer: &mut heard, keep: &mut keep };
    run_batch(&batch_of(plan), &mut places, meter.as_ref(), &interrupted, &mut listeners).unwrap();
    (runs, heard.0)
}

/// One run that plays a trick; gives its record.
fn tricked(plan: Plan, operation: Operation, nth: u64, trick: Trick) -> RunRecord {
    let target = pretended();
    target.play(operation, nth, trick);
    done(plan, &[("a", &target)]).0.remove(0)
}

fn phase(run: &RunRecord, phase: Phase) -> &PhaseRecord {
    run.phase(phase).unwrap()
}

#[test]
fn every_phase_is_done_in_order_and_counted() {
    let target = pretended();
    let (runs, heard) = done(plan(&[]), &[("a", &target)]);
    let run = &runs[0];
    assert!(run.complete);
    assert_eq!(run.phases.iter().map(|record| record.name).collect::<Vec<_>>(), Phase::STANDARD);
    let work: Vec<u64> = run.phases.iter().map(|record| record.counted().unwrap().work).collect();
    assert_eq!(work, [65536, 65536, 65536, 10, 20, 20, 20, 20, 20, 20]);
    assert_eq!(heard.len(), 1 + 2 * Phase::STANDARD.len());
    assert_eq!(heard[1..3], ["start block_write", "end block_write ok"]);
    assert!(target.entries().is_empty());
}

/// The calls that are the work, and not its preparation.
const WORK: [Operation; 6] = [Operation::Create, Operation::Write, Operation::Read, Operation::Sync, Operation::Status, Operation::Unlink];

/// The log of a whole run pins names, sizes, orders and offsets: a change of it is a change of the generator.
#[test]
fn the_operations_of_each_profile_are_pinned() {
    let pins = [
        ("quick", 0x37f6_07dc_5865_0374_u64),
        ("std", 0x37f6_07dc_5865_0374),
        ("full", 0x37f6_07dc_5865_0374),
        ("bonnie", 0x661a_8b6b_c5a7_ac5c),
    ];
    let mut found = Vec::new();
    for (name, _) in pins {
        let profile = Profile::named(name, 8 << 30).unwrap();
        let mut changes: Vec<(String, String)> =
            [("file_size", "256k"), ("seeks", "16"), ("seek_seconds", "0"), ("files", "40"), ("runs", "1")]
                .map(|(key, value)| (key.to_owned(), value.to_owned()))
                .into();
        if name != "bonnie" {
            changes.push(("chunk_size".to_owned(), "16k".to_owned()));
        }
        // One seeker, so that the log has one order.
        changes.push(("seekers".to_owned(), "1".to_owned()));
        let profile = profile.changed(&changes, 0).unwrap();
        let target = pretended();
        done(Plan::of(&profile, GENERATOR, Circumstances::WITHOUT_DROPS).unwrap(), &[("a", &target)]);
        let log: String = target.log().iter().filter(|call| WORK.contains(&call.operation)).map(|call| format!("{call}\n")).collect();
        found.push((name, hash64(log.as_bytes())));
    }
    assert_eq!(found, pins, "{found:#x?}");
}

#[test]
fn equal_work_has_an_equal_id_and_another_seed_another_one() {
    assert_eq!(workload_id(&plan(&[])), workload_id(&plan(&[("runs", "9")])));
    assert_ne!(workload_id(&plan(&[])), workload_id(&plan(&[("seed", "2")])));
    assert_ne!(workload_id(&plan(&[])), workload_id(&plan(&[("files", "21")])));
    let std = Plan::of(&Profile::named("std", 0).unwrap(), GENERATOR, Circumstances::USUAL).unwrap();
    assert_eq!(workload_id(&std).to_string(), "ec98df1399596813");
}

#[test]
fn workers_and_seekers_share_the_work() {
    let changes = [("workers", "3"), ("seekers", "4"), ("dirs", "2"), ("max_size", "3000"), ("seeks", "16")];
    let (runs, _) = done(plan(&changes), &[("a", &pretended())]);
    assert!(runs[0].complete, "{:?}", runs[0].phases);
    let work: Vec<u64> = runs[0].phases.iter().map(|record| record.counted().unwrap().work).collect();
    assert_eq!(work, [65536, 65536, 65536, 16, 20, 20, 20, 20, 20, 20]);
}

#[test]
fn a_full_disk_fails_one_phase_and_not_the_run() {
    let run = tricked(plan(&[]), Operation::Write, 5, Trick::Fail(28));
    assert!(!run.complete);
    let write = phase(&run, Phase::BlockWrite);
    assert_eq!(write.status, Status::Failed);
    assert_eq!(write.reason.as_deref(), Some("write chunk 4 of 8 of block.0 at byte 32768: no space left on device"));
    assert_eq!(phase(&run, Phase::Rewrite).status, Status::Skipped);
    assert_eq!(phase(&run, Phase::BlockRead).reason.as_deref(), Some("needs rewrite, which has no result"));
    assert_eq!(phase(&run, Phase::SeqCreate).status, Status::Ok);
}

#[test]
fn an_error_of_a_flush_fails_the_phase() {
    for nth in 1..=2 {
        let run = tricked(plan(&[("files", "0")]), Operation::Sync, nth, Trick::Fail(5));
        let failed = if nth == 1 { Phase::BlockWrite } else { Phase::Rewrite };
        let reason = phase(&run, failed).reason.as_deref().unwrap_or_default();
        assert_eq!(reason, "flush block.0: input/output error");
    }
    let run = tricked(plan(&[("file_size", "0")]), Operation::Flush, 3, Trick::Fail(5));
    assert_eq!(phase(&run, Phase::SeqCreate).reason.as_deref(), Some("flush the filesystem: input/output error"));
    assert_eq!(phase(&run, Phase::SeqDelete).status, Status::Skipped);
    assert_eq!(phase(&run, Phase::RandomDelete).status, Status::Ok);
}

#[test]
fn short_transfers_are_finished_and_short_files_are_errors() {
    assert!(tricked(plan(&[]), Operation::Write, 3, Trick::Short(100)).complete);
    assert!(tricked(plan(&[]), Operation::Read, 3, Trick::Short(100)).complete);
    let run = tricked(plan(&[]), Operation::Read, 3, Trick::Short(0));
    assert_eq!(phase(&run, Phase::Rewrite).reason.as_deref(), Some("read chunk 2 of 8 of block.0 at byte 16384: the file ends before"));
}

#[test]
fn stale_data_fails_the_phase_by_its_kind() {
    // The rewrite makes 8 reads; the next one is the first of the block read.
    let two_files = [("workers", "2"), ("file_size", "128k")];
    let cases = [
        (9, &[][..], Trick::Zeros, "are zeros where data was written"),
        (9, &[], Trick::FirstVersion, "is what was there before the rewrite (stale data)"),
        (9, &[], Trick::Bytes(vec![7; 8192]), "is data that barrow did not write"),
        (17, &two_files, Trick::OtherFile("block.1".to_owned()), "is the data of another file"),
    ];
    for (nth, changes, trick, words) in cases {
        let trick = match trick {
            // Which of two files is read first is the threads' affair, so both are answered from the other.
            Trick::OtherFile(_) => {
                let target = pretended();
                for nth in 17..=32 {
                    target.play(Operation::Read, nth, Trick::OtherFile("block.1".to_owned()));
                }
                let run = done(plan(changes), &[("a", &target)]).0.remove(0);
                let reason = phase(&run, Phase::BlockRead).reason.clone().unwrap_or_default();
                assert!(reason.ends_with(words), "{reason}");
                continue;
            }
            other => other,
        };
        let run = tricked(plan(changes), Operation::Read, nth, trick);
        let read = phase(&run, Phase::BlockRead);
        assert_eq!(read.status, Status::Failed);
        let reason = read.reason.as_deref().unwrap_or_default();
        assert!(reason.starts_with("read chunk 0 of 8 of block.0: at byte ") && reason.ends_with(words), "{reason}");
        assert!(read.result.is_none());
    }
}

#[test]
fn mixed_data_is_read_as_it_was_written_and_has_another_id() {
    let mixed = [("compressible", "40"), ("dedupe", "50")];
    for changes in [&mixed[..1], &mixed[1..], &mixed] {
        let more = [("workers", "2"), ("min_size", "100"), ("max_size", "9000"), ("seek_rewrite_percent", "50")];
        let plan = plan(&[changes, &more].concat());
        let (runs, _) = done(plan.clone(), &[("a", &pretended())]);
        assert!(runs[0].complete, "{changes:?}: {:?}", runs[0].phases);
        assert_ne!(workload_id(&plan), workload_id(&self::plan(&more)));
    }
}

/// A duplicate that kept the content of before the rewrite is as stale as any block; with `dedupe = 100` there are no others.
#[test]
fn duplicates_are_in_the_file_and_a_lost_rewrite_of_one_is_found() {
    let target = pretended();
    done(plan(&[("dedupe", "50"), ("file_size", "2m"), ("chunk_size", "64k")]), &[("a", &target)]);
    let file = target.contents("block.0").unwrap();
    let blocks: std::collections::BTreeSet<&[u8]> = file.chunks(4096).collect();
    assert_eq!(blocks.len(), 256 + 64, "256 of 512 blocks are copies of 64");
    let run = tricked(plan(&[("dedupe", "100")]), Operation::Read, 9, Trick::FirstVersion);
    let reason = phase(&run, Phase::BlockRead).reason.clone().unwrap_or_default();
    assert_eq!(reason, "read chunk 0 of 8 of block.0: at byte 0 of the file is what was there before the rewrite (stale data)");
}

#[test]
fn the_last_runs_data_is_known_again() {
    let earlier = Stamps { nonce: 0x1234, earlier: Vec::new() };
    let mut block = vec![0; 8192];
    earlier.of(Origin { file: 0, generation: Generation::Rewritten }).mark(&mut block, 0);
    let target = pretended();
    target.play(Operation::Read, 9, Trick::Bytes(block));
    let mut place = place_on("a", &target);
    place.earlier.push(0x1234);
    let interrupted = AtomicBool::new(false);
    let batch = batch_of(plan(&[]));
    let turn = run::Turn { batch: &batch, round: 2, order: 1, target: 1, nonce: 99 };
    let (record, _) = run::run(&turn, &mut place, target.as_ref(), &interrupted, &mut Heard::default());
    let reason = phase(&record, Phase::BlockRead).reason.clone().unwrap_or_default();
    assert!(reason.ends_with("is the data of an earlier run (stale data)"), "{reason}");
}

#[test]
fn a_sized_file_that_lies_fails_the_stat() {
    let sized = plan(&[("file_size", "0"), ("min_size", "5000"), ("max_size", "5000")]);
    let run = tricked(sized.clone(), Operation::Read, 1, Trick::Zeros);
    let reason = phase(&run, Phase::SeqStat).reason.clone().unwrap_or_default();
    assert!(
        reason.starts_with("read file 0 of 20, sequential.0.0/0000000000") && reason.ends_with("are zeros where data was written"),
        "{reason}"
    );
    // The first write is that of the probe of the flush.
    let run = tricked(sized, Operation::Write, 2, Trick::Short(0));
    assert_eq!(phase(&run, Phase::SeqCreate).status, Status::Failed);
}

#[test]
fn where_syncfs_is_not_heard_every_file_is_flushed() {
    let target = Arc::new(PretendTarget::costing(|_| CALL_NS).flushed_by_file());
    let (runs, _) = done(plan(&[("file_size", "0")]), &[("a", &target)]);
    assert!(runs[0].complete);
    let syncs: Vec<String> = target.log().iter().filter(|call| call.operation == Operation::Sync).map(|call| call.name.clone()).collect();
    // The probe; then 20 files and their directory for each create, the directory for each delete.
    assert_eq!(syncs.len(), 1 + 2 * (20 + 1) + 2);
    let create = phase(&runs[0], Phase::SeqCreate).counted().unwrap();
    assert!(create.elapsed_ns >= create.acknowledged_ns.unwrap() + 61 * CALL_NS);
}

#[test]
fn rounds_are_interleaved_and_their_order_is_recorded() {
    let (a, b, c) = (pretended(), pretended(), pretended());
    let (runs, _) = done(plan(&[("runs", "8")]), &[("a", &a), ("b", &b), ("c", &c)]);
    assert_eq!(runs.len(), 24);
    let mut orders = std::collections::BTreeSet::new();
    for (index, round) in runs.chunks(3).enumerate() {
        let mut labels: Vec<&str> = round.iter().map(|run| run.label.as_str()).collect();
        orders.insert(labels.join(""));
        labels.sort_unstable();
        assert_eq!(labels, ["a", "b", "c"]);
        assert!(round.iter().all(|run| run.round as usize == index + 1));
        assert!(round.iter().all(|run| run.label == ["a", "b", "c"][run.target as usize - 1]));
        assert_eq!(round.iter().map(|run| run.order).collect::<Vec<_>>(), [1, 2, 3]);
    }
    assert!(orders.len() > 1, "the order is shuffled");
}

#[test]
fn left_out_phases_are_recorded_as_skipped() {
    let (runs, _) = done(plan(&[("file_size", "0")]), &[("a", &pretended())]);
    assert!(runs[0].complete);
    let write = phase(&runs[0], Phase::BlockWrite);
    assert_eq!((write.status, write.reason.as_deref()), (Status::Skipped, Some("file_size = 0")));
}

#[test]
fn a_stop_keeps_what_is_finished() {
    let target = pretended();
    let mut places = [place_on("a", &target)];
    let mut runs = Vec::new();
    let interrupted = AtomicBool::new(false);
    struct StopAt<'a>(&'a AtomicBool);
    impl Observer for StopAt<'_> {
        fn run_started(&mut self, _: Standing<'_>) {}
        fn run_not_begun(&mut self, _: Standing<'_>, _: &str) {}
        fn phase_started(&mut self, _: Standing<'_>, phase: Phase) {
            if phase == Phase::BlockRead {
                self.0.store(true, Ordering::Relaxed);
            }
        }
        fn phase_finished(&mut self, _: Standing<'_>, _: &PhaseRecord) {}
        fn run_finished(&mut self) {}
        fn left_behind(&mut self, _: &str) {}
    }
    let mut keep = |run: RunRecord| runs.push(run);
    let mut observer = StopAt(&interrupted);
    let mut listeners = Listeners { observer: &mut observer, keep: &mut keep };
    let batch = batch_of(plan(&[("runs", "3")]));
    let outcome = run_batch(&batch, &mut places, target.as_ref(), &interrupted, &mut listeners).unwrap();
    assert_eq!((outcome.runs, outcome.interrupted, outcome.failed), (1, true, false));
    assert!(!runs[0].complete);
    assert_eq!(phase(&runs[0], Phase::Rewrite).status, Status::Ok);
    assert_eq!(phase(&runs[0], Phase::BlockRead).reason.as_deref(), Some("the run was stopped in it"));
    assert_eq!(phase(&runs[0], Phase::SeqCreate).reason.as_deref(), Some("the run was stopped before it"));
    assert!(target.entries().is_empty());
}
