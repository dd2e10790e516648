//! The order and the count of the operations of `tree/1`, and what spoils its phases.

use super::*;
use crate::target::pretend_call::Call;

fn tree_plan(changes: &[(&str, &str)]) -> Plan {
    let small = [("tree_files", "30"), ("library_files", "12"), ("runs", "1")];
    let changes: Vec<_> = small.iter().chain(changes).map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    let profile = Profile::named("tree", 0).unwrap().changed(&changes, 0).unwrap();
    Plan::of(&profile, GENERATOR, Circumstances::WITHOUT_DROPS).unwrap()
}

/// How often each kind of call was made.
fn counts(log: &[Call]) -> BTreeMap<Operation, usize> {
    let mut counts = BTreeMap::new();
    log.iter().for_each(|call| *counts.entry(call.operation).or_default() += 1);
    counts
}

#[test]
fn a_tree_is_made_copied_searched_and_deleted() {
    let target = pretended();
    let plan = tree_plan(&[]);
    let (runs, _) = done(plan.clone(), &[("a", &target)]);
    let run = &runs[0];
    assert!(run.complete, "{:#?}", run.phases);
    let (library, large) = (plan.settings.library(), plan.settings.large_copies());
    let work: Vec<(&str, u64)> = run.phases.iter().map(|record| (record.name.name(), record.counted().unwrap().work)).collect();
    assert_eq!(
        work,
        [
            ("tree_unpack", 30),
            ("tree_copy", 15),
            ("tree_search", 30),
            ("tree_prune", 15),
            ("library_write", library.bytes),
            ("library_read", library.bytes),
            ("large_copy", large.bytes),
            ("tree_delete", 30 + 12 + large.files)
        ]
    );
    let tree_bytes = plan.settings.tree().bytes;
    assert_eq!(phase(run, Phase::TreeUnpack).counted().unwrap().bytes, Some(tree_bytes));
    assert_eq!(phase(run, Phase::TreeSearch).counted().unwrap().bytes, Some(tree_bytes));
    assert!(target.entries().is_empty());
    for made in [Phase::TreeUnpack, Phase::TreeCopy, Phase::LibraryWrite, Phase::LargeCopy] {
        let after = &phase(run, made).after;
        assert_eq!(after.extents_per_file(), Some(1.0), "{}", made.name());
        assert!(after.free_bytes.is_some());
    }
    let free = |name: Phase| phase(run, name).after.free_bytes.unwrap();
    assert_eq!(free(Phase::TreeUnpack) - free(Phase::TreeCopy), free(Phase::TreePrune) - free(Phase::TreeCopy));
    assert_eq!(free(Phase::TreeDelete) - free(Phase::LargeCopy), tree_bytes + library.bytes + large.bytes);
    let counts = counts(&target.log());
    // The probe of the flush makes one more.
    assert_eq!(counts[&Operation::Create], 1 + 30 + 15 + 12 + large.files as usize);
    assert_eq!((counts[&Operation::MakeDirectory], counts[&Operation::RemoveDirectory]), (2 + 1, 2 + 1));
}

#[test]
fn left_out_parts_are_recorded_as_skipped() {
    for (changes, done_phases) in [(("library_files", "0"), 5), (("tree_files", "0"), 3)] {
        let target = pretended();
        let (runs, _) = done(tree_plan(&[changes]), &[("a", &target)]);
        assert!(runs[0].complete, "{:#?}", runs[0].phases);
        let ok = runs[0].phases.iter().filter(|record| record.status == Status::Ok).count();
        assert_eq!((ok, target.entries().len()), (done_phases, 0), "{changes:?}");
    }
}
