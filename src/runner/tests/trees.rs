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
    let directories = plan.settings.tree().directories + crate::phases::copied_directories(&plan.settings);
    let directories = directories as usize;
    assert_eq!((counts[&Operation::MakeDirectory], counts[&Operation::RemoveDirectory]), (directories, directories));
}

/// A change of it is a change of the generator. One file of a library has one thread, so that the log has one order.
#[test]
fn the_operations_of_the_profile_are_pinned() {
    let target = pretended();
    done(tree_plan(&[("library_files", "1")]), &[("a", &target)]);
    let log: String = target.log().iter().filter(|call| WORK.contains(&call.operation)).map(|call| format!("{call}\n")).collect();
    assert_eq!(hash64(log.as_bytes()), 0x0803_55e1_7699_bb6b, "{log}");
}

/// One run of a fixed number, so that its data is known.
fn known_run(target: &Arc<PretendTarget>) -> RunRecord {
    let batch = batch_of(tree_plan(&[]));
    let turn = run::Turn { batch: &batch, round: 1, order: 1, target: 1, nonce: 99 };
    run::run(&turn, &mut place_on("a", target), target.as_ref(), &AtomicBool::new(false), &mut Heard::default()).0
}

#[test]
fn what_is_not_found_as_it_was_written_fails_the_search() {
    let target = pretended();
    assert!(known_run(&target).complete);
    // The copy reads 15 files; the fifth file is the first with the string.
    let nth = 15 + 5;
    let read = target.log().into_iter().filter(|call| call.operation == Operation::Read).nth(nth - 1).unwrap();
    let mut bytes = target.contents(&read.name).unwrap();
    let place = bytes.windows(17).position(|window| window == b"barrow looks here").unwrap();
    bytes[place] = b'B';
    let cases = [
        (Trick::Bytes(bytes), "found 0 of the 1 places with the string that was written"),
        (Trick::Zeros, "are zeros where data was written"),
    ];
    for (trick, words) in cases {
        let target = pretended();
        target.play(Operation::Read, nth as u64, trick);
        let run = known_run(&target);
        let reason = phase(&run, Phase::TreeSearch).reason.clone().unwrap_or_default();
        assert!(reason.contains("file 4 of 30 of tree.0, ") && reason.ends_with(words), "{reason}");
        assert!(target.entries().is_empty());
    }
}

#[test]
fn a_full_disk_fails_what_needs_it_and_what_builds_on_it() {
    // The first write is that of the probe.
    let run = tricked(tree_plan(&[]), Operation::Write, 1 + 30, Trick::Fail(28));
    let reason = |name| phase(&run, name).reason.clone().unwrap_or_default();
    assert!(reason(Phase::TreeUnpack).starts_with("write file 29 of 30 of tree.0, "), "{}", reason(Phase::TreeUnpack));
    assert!(reason(Phase::TreeUnpack).ends_with(": no space left on device"));
    assert_eq!(reason(Phase::TreeSearch), "needs tree_unpack, which has no result");
    assert_eq!(phase(&run, Phase::LibraryRead).status, Status::Ok);
    let run = tricked(tree_plan(&[("library_files", "1")]), Operation::Write, 1 + 30 + 15 + 1, Trick::Fail(28));
    let reason = |name| phase(&run, name).reason.clone().unwrap_or_default();
    assert_eq!(reason(Phase::LibraryWrite), "write library.0 at byte 0: no space left on device");
    assert_eq!(reason(Phase::TreeDelete), "needs large_copy, which has no result");
}

#[test]
fn a_filesystem_is_filled_before_the_phases() {
    let target = pretended();
    let mut plan = tree_plan(&[("tree_files", "5"), ("library_files", "0")]);
    plan.circumstances.fill_percent = 90;
    let batch = batch_of(plan);
    let turn = run::Turn { batch: &batch, round: 1, order: 1, target: 1, nonce: 99 };
    let site = |used_bytes| {
        // Of a terabyte, which is what the target has, a tenth less two and a half MiB are to be left.
        let filesystem = Filesystem { class: FilesystemClass::Block, free_bytes: (5 << 19) * 10, used_bytes, ..Filesystem::default() };
        Site { filesystem, ..Site::default() }
    };
    let ground = PretendGround::of(Arc::clone(&target)).on(site(Some(0)));
    let mut place = Place::of("a".to_owned(), Box::new(ground));
    target.play(Operation::Write, 3, Trick::Fail(28));
    let mut heard = Heard::default();
    let (record, _) = run::run(&turn, &mut place, target.as_ref(), &AtomicBool::new(false), &mut heard);
    let bytes = (1_u64 << 40) - (5 << 19);
    assert_eq!(heard.0[1..3], [format!("filling 0 of {bytes}"), format!("filling 1048576 of {bytes}")]);
    assert_eq!(record.phases[0].reason.as_deref(), Some("fill the filesystem to 90 %: no space left on device"));
    let writes: Vec<String> = target.log().iter().filter(|call| call.operation == Operation::Write).map(ToString::to_string).collect();
    assert_eq!(writes[..2], ["Write fill.0 0+1048576", "Write fill.0 1048576+1048576"]);
    let mut place = Place::of("a".to_owned(), Box::new(PretendGround::of(Arc::clone(&target)).on(site(None))));
    let (record, _) = run::run(&turn, &mut place, target.as_ref(), &AtomicBool::new(false), &mut Heard::default());
    assert!(record.phases[0].reason.as_deref().unwrap_or_default().contains("not known how full"), "{:?}", record.phases[0].reason);
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
