//! Small files rewritten and read by tenths, on a pretended target.

use super::*;
use crate::model::label::{CacheLabel, Durability};
use crate::target::pretend_call::Call;
use crate::target::pretend_storage::Storage;

/// The plan of a profile with few files.
fn plan_of(profile: &str, changes: &[(&str, &str)]) -> Plan {
    let small = [("files", "40"), ("dirs", "3"), ("runs", "1")];
    let changes: Vec<_> = small.iter().chain(changes).map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    let profile = Profile::named(profile, 0).unwrap().changed(&changes, 0).unwrap();
    Plan::of(&profile, GENERATOR, Circumstances::WITHOUT_DROPS).unwrap()
}

fn run_of(plan: Plan, target: &Arc<PretendTarget>) -> RunRecord {
    done(plan, &[("a", target)]).0.remove(0)
}

/// The calls on files of the set.
fn on_files(target: &PretendTarget) -> Vec<Call> {
    target.log().into_iter().filter(|call| call.name.starts_with("sequential.") && call.name.contains('/')).collect()
}

/// The calls on files of the set between the flush after one phase and the next.
fn calls_of(target: &PretendTarget, edge: Operation) -> Vec<Call> {
    let calls = on_files(target);
    let of_edge = |call: &Call| call.operation == edge;
    let (start, end) = (calls.iter().position(of_edge).unwrap(), calls.iter().rposition(of_edge).unwrap());
    calls[start..=end].to_vec()
}

#[test]
fn the_operations_of_the_profiles_are_pinned() {
    let pins = [("smallfiles", 0x9dbe_051a_b5c7_1683_u64), ("mail", 0x08b9_c825_d8e6_feb3)];
    let found = pins.map(|(name, _)| {
        let target = pretended();
        assert!(run_of(plan_of(name, &[]), &target).complete, "{name}");
        let is_work = |call: &&Call| WORK.contains(&call.operation) || call.operation == Operation::SetLength;
        let log: String = target.log().iter().filter(is_work).map(|call| format!("{call}\n")).collect();
        (name, hash64(log.as_bytes()))
    });
    assert_eq!(found, pins, "{found:#x?}");
}

#[test]
fn each_phase_moves_its_tenth_and_says_how_many_bytes() {
    let target = pretended();
    let run = run_of(plan_of("smallfiles", &[("files", "1000")]), &target);
    assert!(run.complete, "{:?}", run.phases);
    let figures: Vec<(&str, u64, Option<u64>)> =
        run.phases.iter().map(|record| (record.name.name(), record.counted().unwrap().work, record.counted().unwrap().bytes)).collect();
    // Sums of min_size + (max_size - min_size) * rank / 999, each rounded down.
    let size = |rank: u64| 512 + 1024 * rank / 999;
    let after = |rank: u64| if rank.is_multiple_of(10) { size((rank / 10 + 50) % 100 * 10) } else { size(rank) };
    let read = |rest| (0..1000).filter(|rank| (rank + rank / 10) % 10 == rest).map(after).sum::<u64>();
    let expected = [
        ("seq_create", 1000, Some((0..1000).map(size).sum())),
        ("file_rewrite", 100, Some((0..100).map(|rank| after(10 * rank)).sum())),
        ("file_read", 100, Some(read(1))),
        ("file_random_read", 100, Some(read(2))),
        ("seq_delete", 1000, None),
    ];
    assert_eq!(figures, expected);
    assert!(target.entries().is_empty());
}

#[test]
fn a_file_is_opened_cut_written_and_closed_and_another_is_next() {
    let target = pretended();
    run_of(plan_of("smallfiles", &[]), &target);
    let calls = on_files(&target);
    let cuts: Vec<usize> = calls.iter().enumerate().filter(|(_, call)| call.operation == Operation::SetLength).map(|(at, _)| at).collect();
    assert_eq!(cuts.len(), 4);
    for at in &cuts {
        let one: Vec<Operation> = calls[at - 1..at + 3].iter().map(|call| call.operation).collect();
        assert_eq!(one, [Operation::Open, Operation::SetLength, Operation::Write, Operation::Close]);
        assert!(calls[at - 1..at + 3].iter().all(|call| call.name == calls[*at].name));
        let written = |call: &&Call| call.operation == Operation::Write && call.name == calls[*at].name;
        let spans: Vec<_> = calls.iter().filter(written).map(|call| call.span.unwrap()).collect();
        assert!(spans.len() == 2 && spans[0].1 != spans[1].1, "another size than before: {spans:?}");
    }
    let names: Vec<&str> = cuts.iter().map(|at| calls[*at].name.rsplit('/').next().unwrap()).collect();
    assert!(!names.is_sorted(), "{names:?}");
    let read: Vec<String> = calls_of(&target, Operation::Read)
        .iter()
        .filter(|call| call.operation == Operation::Read)
        .map(|call| call.name.rsplit('/').next().unwrap().to_owned())
        .collect();
    assert_eq!(read.len(), 8);
    assert!(read[..4].is_sorted() && !read[4..].is_sorted(), "{read:?}");
    assert!(read[..4].iter().all(|name| !read[4..].contains(name)), "another tenth: {read:?}");
}

/// Whoever reads knows what was rewritten before, and what was not yet.
#[test]
fn sizes_and_stamps_are_known_in_any_order_of_phases() {
    for phases in [
        "seq_create,file_read,file_rewrite,seq_stat,file_random_read,seq_delete",
        "seq_create,seq_stat,file_rewrite,seq_delete",
        "seq_create,random_create,file_rewrite,file_read,random_stat,seq_stat,random_delete,seq_delete",
    ] {
        for more in [&[][..], &[("workers", "3"), ("files", "200")], &[("dedupe", "50"), ("compressible", "40"), ("max_size", "9000")]] {
            let run = run_of(plan_of("smallfiles", &[&[("phases", phases)], more].concat()), &pretended());
            assert!(run.complete, "{phases}: {:?}", run.phases.iter().filter_map(|record| record.reason.clone()).collect::<Vec<_>>());
        }
    }
}

#[test]
fn a_lost_rewrite_is_found_by_its_size_and_by_its_stamps() {
    // All reads after the rewrite are answered by what the files held before; with more files than that some were rewritten.
    let files = ("files", "400");
    let target = pretended();
    target.play_from(Operation::Read, 1, Trick::FirstVersion);
    let same = [files, ("min_size", "900"), ("max_size", "900")];
    let run = run_of(plan_of("smallfiles", &same), &target);
    let reason = phase(&run, Phase::FileRead).reason.clone().unwrap_or_default();
    assert!(reason.ends_with("is what was there before the rewrite (stale data)"), "{reason}");
    let target = pretended();
    // The create makes 400 writes, and the probe of the flush one.
    target.play_from(Operation::Write, 402, Trick::Lost);
    let run = run_of(plan_of("smallfiles", &[files]), &target);
    let reason = phase(&run, Phase::FileRead).reason.clone().unwrap_or_default();
    assert!(reason.starts_with("stat file ") && reason.contains("it has 0 bytes, "), "{reason}");
}

#[test]
fn what_follows_a_rewrite_that_failed_is_skipped() {
    let run = tricked(plan_of("smallfiles", &[]), Operation::SetLength, 3, Trick::Fail(28));
    let reason = phase(&run, Phase::FileRewrite).reason.clone().unwrap_or_default();
    assert!(reason.starts_with("truncate file ") && reason.ends_with(": no space left on device"), "{reason}");
    assert_eq!(phase(&run, Phase::FileRead).reason.as_deref(), Some("needs file_rewrite, which has no result"));
    assert_eq!(phase(&run, Phase::SeqDelete).status, Status::Ok);
}

#[test]
fn where_syncfs_is_not_heard_each_rewritten_file_is_flushed() {
    let target = Arc::new(PretendTarget::costing(|_| CALL_NS).flushed_by_file());
    assert!(run_of(plan_of("smallfiles", &[]), &target).complete);
    let syncs = target.log().iter().filter(|call| call.operation == Operation::Sync).count();
    // The probe; 40 files in 3 directories, 4 rewritten files, 3 directories of which files were deleted.
    assert_eq!(syncs, 1 + 40 + 3 + 4 + 3);
}

#[test]
fn labels_of_small_files_follow_what_was_read() {
    let with = |storage: Storage| {
        let target = pretended();
        target.set_storage(storage);
        run_of(plan_of("smallfiles", &[]), &target)
    };
    let cache = |run: &RunRecord, which| phase(run, which).cache.map(|label| label.to_string());
    let cold = with(Storage { status_bytes: 512, ..Storage::default() });
    for which in [Phase::FileRead, Phase::FileRandomRead, Phase::SeqDelete] {
        assert_eq!(cache(&cold, which).as_deref(), Some("cold"), "{which:?}");
    }
    assert_eq!(phase(&cold, Phase::FileRewrite).durable, Some(Durability::Durable));
    assert_eq!(phase(&cold, Phase::FileRead).durable, None);
    let warm = with(Storage { resident_share: 1.0, ..Storage::default() });
    assert_eq!(phase(&warm, Phase::FileRead).cache, Some(CacheLabel::Cached));
    let below = with(Storage { device_reads: 0.0, ..Storage::default() });
    assert_eq!(phase(&below, Phase::FileRead).cache, Some(CacheLabel::CachedBelow));
}
