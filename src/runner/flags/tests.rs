use super::*;
use crate::model::evidence::{Surroundings, Watch};
use crate::model::sample;
use crate::model::stack::{Bottom, Layer, Stack, StackDevice, Traffic};

const GIB: u64 = 1 << 30;

/// A block read of a GiB in two seconds on a disk, from which nothing is wrong.
struct Case {
    phase: Phase,
    settings: Settings,
    stack: Stack,
    class: FilesystemClass,
    counted: Counted,
    evidence: Evidence,
    cache: Option<CacheLabel>,
    costs: Costs,
    read_bytes: u64,
    written_bytes: u64,
}

impl Case {
    fn of(phase: Phase) -> Self {
        let mut run = sample::run("ext4", 1);
        let mut counted = sample::counted_mut(&mut run, phase).clone();
        counted.elapsed_ns = 2_000_000_000;
        let device = StackDevice {
            name: "sda".to_owned(),
            layer: Layer::Disk,
            is_leaf: true,
            is_counted: true,
            write_cache: Some("write back".to_owned()),
            rotational: Some(false),
            direct_io: None,
        };
        let row = phase.row();
        let (read_bytes, written_bytes) = (if row.writes { 0 } else { GIB }, if row.writes { GIB } else { 0 });
        let traffic = Traffic { reads: 1, read_bytes, writes: 1, written_bytes, flushes: Some(1), ..Traffic::default() };
        let before = Watch { elapsed_ms: 50, is_quiet: true, moved_bytes: 0, others_busy_ms: Some(0) };
        let evidence = Evidence {
            resident_before: Some(0.0),
            own_read_bytes: Some(read_bytes),
            own_written_bytes: Some(written_bytes),
            devices: vec![traffic],
            before: Some(before),
            ..Evidence::default()
        };
        let cache = (!row.writes).then_some(CacheLabel::Cold);
        let costs = Costs { clock_ns: 30, clock_step_ns: 1, memory_bytes_per_second: Some(8 * GIB), ..Costs::default() };
        let stack = Stack { bottom: Bottom::Devices, devices: vec![device] };
        let settings = run.settings().unwrap().clone();
        Self { phase, settings, stack, class: FilesystemClass::Block, counted, evidence, cache, costs, read_bytes, written_bytes }
    }

    fn flags(&self) -> Vec<Flag> {
        let footing = Footing { class: self.class, stack: &self.stack, has_moved: true, flush_is_heard: true };
        flags(&Facts {
            phase: self.phase,
            settings: &self.settings,
            footing,
            counted: &self.counted,
            evidence: &self.evidence,
            cache: self.cache,
            costs: &self.costs,
            read_bytes: self.read_bytes,
            written_bytes: self.written_bytes,
        })
    }
}

/// The flags of a case of the phase after a change.
fn changed(phase: Phase, change: impl FnOnce(&mut Case)) -> Vec<Flag> {
    let mut case = Case::of(phase);
    assert_eq!(case.flags(), [], "nothing is wrong before the change");
    change(&mut case);
    case.flags()
}

#[test]
fn times_that_are_short_or_shared_are_marked() {
    assert_eq!(changed(Phase::BlockRead, |case| case.counted.elapsed_ns = 999_999_999), [Flag::Short]);
    assert_eq!(changed(Phase::SeqStat, |case| case.counted.latency_batch = 16), [Flag::Batched]);
}

#[test]
fn what_is_too_fast_for_memory_or_device_is_marked() {
    assert_eq!(changed(Phase::BlockRead, |case| case.costs.memory_bytes_per_second = Some(GIB)), [Flag::NearMemory]);
    let cached = |case: &mut Case| {
        case.costs.memory_bytes_per_second = Some(GIB);
        case.cache = Some(CacheLabel::Cached);
    };
    assert_eq!(changed(Phase::BlockRead, cached), []);
    let seeks = |rotational, work| {
        changed(Phase::RandomSeek, |case| {
            case.stack.devices[0].rotational = Some(rotational);
            case.counted.work = work;
        })
    };
    assert_eq!(seeks(true, 2001), [Flag::BeyondDevice]);
    assert_eq!((seeks(true, 2000), seeks(false, 1_000_000)), (vec![], vec![]));
}

#[test]
fn what_did_not_reach_the_device_is_marked() {
    assert_eq!(changed(Phase::BlockWrite, |case| case.evidence.devices[0].flushes = Some(0)), [Flag::NoFlush]);
    assert_eq!(changed(Phase::BlockWrite, |case| case.evidence.devices[0].written_bytes = GIB / 10 * 8), [Flag::Reduced]);
    assert_eq!(changed(Phase::BlockRead, |case| case.evidence.own_read_bytes = Some(GIB / 10 * 9)), [Flag::Reduced, Flag::OthersIo]);
}

#[test]
fn others_are_marked() {
    let loud = Watch { elapsed_ms: 1050, is_quiet: false, moved_bytes: 100 << 20, others_busy_ms: Some(0) };
    assert_eq!(changed(Phase::BlockWrite, |case| case.evidence.before = Some(loud)), [Flag::OthersIo]);
    assert_eq!(changed(Phase::BlockRead, |case| case.evidence.devices[0].read_bytes = GIB + GIB / 10), [Flag::OthersIo]);
    let busy = Watch { elapsed_ms: 1000, is_quiet: false, moved_bytes: 0, others_busy_ms: Some(300) };
    assert_eq!(changed(Phase::BlockWrite, |case| case.evidence.before = Some(busy)), [Flag::Busy]);
    assert_eq!(changed(Phase::BlockWrite, |case| case.counted.others_user_ns = Some(500_000_000)), [Flag::Busy]);
    let served = |case: &mut Case| {
        case.counted.others_user_ns = Some(500_000_000);
        case.class = FilesystemClass::Fuse;
    };
    assert_eq!(changed(Phase::BlockWrite, served), []);
    let around = |surroundings: Surroundings| changed(Phase::BlockRead, |case| case.evidence.surroundings = surroundings);
    assert_eq!(around(Surroundings { stolen_ms: Some(50), ..Surroundings::default() }), [Flag::Stolen]);
    assert_eq!(around(Surroundings { suspended_ms: 5000, ..Surroundings::default() }), [Flag::Suspended]);
}

#[test]
fn others_who_write_below_a_loop_device_are_marked() {
    let below = |others: u64| {
        changed(Phase::BlockWrite, |case| {
            case.stack.devices.insert(0, StackDevice { layer: Layer::Loop, is_leaf: false, ..case.stack.devices[0].clone() });
            case.evidence.devices.insert(0, case.evidence.devices[0]);
            case.evidence.devices[1].written_bytes += others;
        })
    };
    assert_eq!(below(200 << 20), [Flag::OthersIo]);
    assert_eq!(below(20 << 20), []);
}

#[test]
fn work_that_was_put_off_is_marked() {
    let settle = |elapsed_ms, moved_bytes, busy_ms| {
        let watch = Watch { elapsed_ms, is_quiet: true, moved_bytes, others_busy_ms: Some(busy_ms) };
        changed(Phase::SeqDelete, |case| case.evidence.settle = Some(watch))
    };
    assert_eq!(settle(500, 30 << 20, 0), [Flag::Later]);
    assert_eq!(settle(500, 0, 400), [Flag::Later]);
    assert_eq!(settle(50, 0, 0), []);
    assert_eq!(settle(90, 30 << 20, 0), [], "a trifle of two seconds");
}

#[test]
fn a_clock_of_ten_milliseconds_is_marked() {
    assert_eq!(changed(Phase::RandomSeek, |case| case.costs.clock_step_ns = 10_000_000), [Flag::CoarseClock]);
    assert_eq!(changed(Phase::RandomSeek, |case| case.costs.clock_step_ns = 300), []);
}

#[test]
fn a_trend_is_marked_but_that_over_a_device_is_its_shape() {
    use crate::model::slices::Slices;
    let slower = |case: &mut Case| {
        let elapsed_ns: Vec<u64> = (0..64).map(|place| 10_000_000 + place * 1_000_000).collect();
        case.counted.elapsed_ns = elapsed_ns.iter().sum();
        case.counted.operations = 64;
        case.counted.slices = Some(Slices { operations_each: 1, elapsed_ns });
    };
    assert_eq!(changed(Phase::BlockRead, slower), [Flag::NotSteady]);
    let of_device = |case: &mut Case| {
        slower(case);
        case.phase = Phase::DeviceSweep;
    };
    assert_eq!(changed(Phase::BlockRead, of_device), []);
}
