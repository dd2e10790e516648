//! Labels, durability and counts of whole runs on storage that answers in a known way.

use super::*;
use crate::model::label::{CacheLabel, Durability};
use crate::model::settings::Io;
use crate::target::device::DEVICE;
use crate::target::pretend_storage::Storage;
use crate::target::{Access, Target};

/// The record of a run on storage that answers so.
fn run_on(storage: Storage, plan: Plan) -> RunRecord {
    let target = pretended();
    target.set_storage(storage);
    done(plan, &[("a", &target)]).0.remove(0)
}

#[test]
fn labels_follow_the_evidence() {
    let cache = |run: &RunRecord, which| phase(run, which).cache.map(|label| label.to_string());
    let honest = run_on(Storage { status_bytes: 512, ..Storage::default() }, plan(&[]));
    assert_eq!(cache(&honest, Phase::BlockWrite), None);
    for which in [Phase::Rewrite, Phase::BlockRead, Phase::RandomSeek, Phase::SeqStat, Phase::RandomDelete] {
        assert_eq!(cache(&honest, which).as_deref(), Some("cold"), "{which:?}");
    }
    assert_eq!(phase(&honest, Phase::BlockWrite).durable, Some(Durability::Durable));
    assert_eq!(phase(&honest, Phase::BlockRead).durable, None);
    let resident = run_on(Storage { resident_share: 1.0, ..Storage::default() }, plan(&[]));
    assert_eq!(cache(&resident, Phase::BlockRead).as_deref(), Some("cached"));
    assert_eq!(cache(&resident, Phase::SeqStat).as_deref(), Some("cached"));
    assert_eq!(phase(&resident, Phase::BlockRead).evidence.resident_before, Some(1.0));
    let half = run_on(Storage { resident_share: 0.5, ..Storage::default() }, plan(&[]));
    assert_eq!(cache(&half, Phase::RandomSeek).as_deref(), Some("mixed 50%"));
    let below = run_on(Storage { device_reads: 0.0, status_bytes: 512, ..Storage::default() }, plan(&[]));
    assert_eq!(cache(&below, Phase::BlockRead).as_deref(), Some("cached below"));
    assert_eq!(cache(&below, Phase::SeqDelete).as_deref(), Some("cached below"));
    let uncharged = run_on(Storage { charges: false, ..Storage::default() }, plan(&[]));
    assert_eq!(cache(&uncharged, Phase::BlockRead).as_deref(), Some("unknown"));
}

#[test]
fn durability_follows_the_evidence() {
    let deaf = run_on(Storage { hears_flush: false, ..Storage::default() }, plan(&[]));
    assert_eq!(phase(&deaf, Phase::BlockWrite).durable, Some(Durability::Uncertain));
    assert!(phase(&deaf, Phase::SeqCreate).flags.contains(&Flag::NoFlush));
    let nowhere = run_on(Storage { device_writes: 0.0, ..Storage::default() }, plan(&[]));
    assert_eq!(phase(&nowhere, Phase::Rewrite).durable, Some(Durability::Uncertain));
    // Its leaves never moved, so they prove nothing of reads either.
    assert_eq!(phase(&nowhere, Phase::BlockRead).cache, Some(CacheLabel::ColdUnproven));
}

#[test]
fn what_the_devices_moved_is_recorded() {
    let run = run_on(Storage::default(), plan(&[]));
    let moved = |which| phase(&run, which).evidence.devices[0];
    // The file has an entry in some journal.
    assert_eq!((moved(Phase::BlockWrite).written_bytes, moved(Phase::BlockWrite).flushes), (65536 + 512, Some(1)));
    assert_eq!((moved(Phase::Rewrite).read_bytes, moved(Phase::Rewrite).written_bytes), (65536, 65536));
    assert_eq!((moved(Phase::RandomSeek).reads, moved(Phase::RandomSeek).read_bytes), (10, 40960));
    assert_eq!(phase(&run, Phase::BlockRead).evidence.own_read_bytes, Some(65536));
    assert_eq!(run.stack.devices[0].name, "pretended0");
    let watches = |which| (phase(&run, which).evidence.before.is_some(), phase(&run, which).evidence.settle.is_some());
    assert_eq!((watches(Phase::SeqDelete), watches(Phase::SeqStat)), ((true, true), (true, false)));
}

#[test]
fn a_device_is_read_cold_without_a_write_that_proves_it() {
    let changes = [("chunk_size", "4k"), ("place_size", "12k"), ("sweep_places", "4"), ("sweep_size", "8k"), ("runs", "1")];
    let changes = changes.map(|(key, value)| (key.to_owned(), value.to_owned()));
    let profile = Profile::named("device", 0).unwrap().changed(&changes, 0).unwrap();
    let plan = Plan::of(&profile, GENERATOR, Circumstances::WITHOUT_DROPS).unwrap();
    let run_on = |storage| {
        let target = pretended();
        let device = target.open(target.root(), DEVICE, Access::CreateNew, Io::Buffered).unwrap();
        target.set_length(&device, 64 << 10).unwrap();
        target.set_storage(storage);
        let log = target.log().len();
        let (mut runs, heard) = done(plan.clone(), &[("a", &target)]);
        let written = target.log()[log..].iter().filter(|call| matches!(call.operation, Operation::Create | Operation::Write)).count();
        assert_eq!(written, 0, "{heard:?}");
        runs.remove(0)
    };
    let honest = run_on(Storage::default());
    assert!(honest.complete);
    for record in &honest.phases {
        assert_eq!(record.cache, Some(CacheLabel::Cold), "{}", record.name.name());
        let is_direct = plan.settings.io_of(record.name) == Io::Direct;
        assert_eq!(record.io.is_some(), is_direct, "{}", record.name.name());
    }
    let below = run_on(Storage { device_reads: 0.0, ..Storage::default() });
    assert_eq!(phase(&below, Phase::DeviceSweep).cache, Some(CacheLabel::CachedBelow));
}
