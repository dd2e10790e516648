//! Sets of links, and flushes after every change, on a pretended target.

use super::*;

/// How often each kind of call was made on entries of a set.
fn counts(target: &PretendTarget, set: &str) -> BTreeMap<Operation, usize> {
    let mut found = BTreeMap::new();
    for call in target.log().iter().filter(|call| call.name.starts_with(set)) {
        *found.entry(call.operation).or_default() += 1;
    }
    found
}

#[test]
fn the_first_of_each_directory_is_a_file_and_the_others_are_links() {
    for (links, operation, status) in
        [("hard", Operation::HardLink, Operation::Status), ("symbolic", Operation::SymbolicLink, Operation::StatusThrough)]
    {
        let target = pretended();
        let (runs, _) = done(plan(&[("links", links), ("files", "50"), ("dirs", "3"), ("workers", "2")]), &[("a", &target)]);
        assert!(runs[0].complete, "{links}: {:?}", runs[0].phases);
        assert!(target.entries().is_empty(), "{links}");
        for set in ["sequential.", "random."] {
            let counts = counts(&target, set);
            let count = |operation| counts.get(&operation).copied().unwrap_or(0);
            assert_eq!([count(Operation::Create), count(operation), count(status), count(Operation::Unlink)], [6, 44, 50, 50], "{links}");
        }
    }
}

/// The calls from the first to the last of one kind, as kinds.
fn kinds_between(target: &PretendTarget, edge: Operation, name: &str) -> Vec<Operation> {
    let log = target.log();
    let is_edge = |call: &crate::target::pretend_call::Call| call.operation == edge && call.name.starts_with(name);
    let (start, end) = (log.iter().position(is_edge).unwrap(), log.iter().rposition(is_edge).unwrap());
    log[start..=end].iter().map(|call| call.operation).collect()
}

#[test]
fn with_sync_every_each_write_and_each_change_is_flushed() {
    let target = pretended();
    let more = [("sync", "every"), ("seek_rewrite_percent", "100"), ("max_size", "100"), ("min_size", "100"), ("files", "4")];
    let (runs, _) = done(plan(&more), &[("a", &target)]);
    assert!(runs[0].complete, "{:?}", runs[0].phases);
    let log = target.log();
    let writes = log.iter().enumerate().filter(|(_, call)| call.operation == Operation::Write && call.name == "block.0");
    let followed: Vec<bool> = writes.map(|(place, _)| log[place + 1].operation == Operation::Sync).collect();
    assert_eq!(
        (followed.len(), followed.iter().all(|is_so| *is_so)),
        (8 + 8 + 10, true),
        "8 chunks written and rewritten, and all 10 seeks"
    );
    let one = [Operation::Create, Operation::Write, Operation::Sync, Operation::Close, Operation::Sync];
    assert_eq!(kinds_between(&target, Operation::Create, "sequential."), [one.repeat(3), vec![Operation::Create]].concat());
    let one = [Operation::Unlink, Operation::Sync];
    assert_eq!(kinds_between(&target, Operation::Unlink, "random."), [one.repeat(3), vec![Operation::Unlink]].concat());
}

#[test]
fn a_small_file_is_written_and_read_in_its_own_transfers() {
    let target = pretended();
    let more = [("file_chunk_size", "512"), ("max_size", "1300"), ("min_size", "1300"), ("files", "2")];
    assert!(done(plan(&more), &[("a", &target)]).0[0].complete);
    let spans = |operation| {
        let of_set = |call: &&crate::target::pretend_call::Call| call.operation == operation && call.name.starts_with("sequential.");
        target.log().iter().filter(of_set).filter_map(|call| call.span).collect::<Vec<_>>()
    };
    let one = [(0, 512), (512, 512), (1024, 276)];
    assert_eq!((spans(Operation::Write), spans(Operation::Read)), (one.repeat(2), one.repeat(2)));
}

#[test]
fn a_filesystem_without_links_fails_the_phase_by_name() {
    for (links, operation, words) in [("hard", Operation::HardLink, "hard"), ("symbolic", Operation::SymbolicLink, "symbolic")] {
        let run = tricked(plan(&[("links", links)]), operation, 1, Trick::Fail(libc::EPERM));
        let create = phase(&run, Phase::SeqCreate);
        let reason = create.reason.clone().unwrap_or_default();
        assert_eq!(create.status, Status::Failed);
        assert!(reason.starts_with(&format!("make the {words} link file 1 of 20, sequential.0.0/")), "{reason}");
        assert!(reason.ends_with(&format!(": the filesystem has no {words} links")), "{reason}");
        assert_eq!(phase(&run, Phase::SeqStat).status, Status::Skipped);
    }
    let run = tricked(plan(&[("links", "hard")]), Operation::HardLink, 5, Trick::Fail(libc::EMLINK));
    let reason = phase(&run, Phase::SeqCreate).reason.clone().unwrap_or_default();
    assert!(reason.ends_with(": too many links"), "{reason}");
}

#[test]
fn links_are_other_work() {
    let id = |changes: &[(&str, &str)]| workload_id(&plan(changes));
    let ids: std::collections::BTreeSet<_> =
        [id(&[]), id(&[("links", "hard")]), id(&[("links", "symbolic")]), id(&[("sync", "every")]), id(&[("file_chunk_size", "4k")])]
            .into();
    assert_eq!(ids.len(), 5);
    assert_eq!(id(&[("links", "none"), ("sync", "end"), ("file_chunk_size", "0")]), id(&[]));
}
