use super::*;
use crate::model::stack::{Layer, StackDevice};

const BYTES: u64 = 100 << 20;

fn device(is_leaf: bool) -> StackDevice {
    let layer = if is_leaf { Layer::Disk } else { Layer::Loop };
    let write_cache = Some("write back".to_owned());
    StackDevice { name: "d".to_owned(), layer, is_leaf, is_counted: true, write_cache, rotational: None, direct_io: None }
}

fn disk() -> Stack {
    Stack { bottom: Bottom::Devices, devices: vec![device(true)] }
}

fn loop_on_disk() -> Stack {
    Stack { bottom: Bottom::Devices, devices: vec![device(false), device(true)] }
}

fn without_devices(bottom: Bottom) -> Stack {
    Stack { bottom, devices: Vec::new() }
}

/// What was seen: shares (0 to 1) in memory, made read by the process, and read by each device of the stack.
fn seen(resident: f64, own: f64, devices: &[f64]) -> Evidence {
    let bytes = |share: f64| (share * BYTES as f64) as u64;
    Evidence {
        resident_before: Some(resident),
        own_read_bytes: Some(bytes(own)),
        devices: devices.iter().map(|share| Traffic { read_bytes: bytes(*share), ..Traffic::default() }).collect(),
        ..Evidence::default()
    }
}

fn footing(class: FilesystemClass, stack: &Stack) -> Footing<'_> {
    Footing { class, stack, has_moved: true, flush_is_heard: true }
}

fn data(class: FilesystemClass, stack: &Stack, evidence: &Evidence) -> String {
    cache_label(Phase::BlockRead, &footing(class, stack), evidence, BYTES, None).unwrap().to_string()
}

fn names(class: FilesystemClass, stack: &Stack, evidence: &Evidence) -> String {
    cache_label(Phase::SeqStat, &footing(class, stack), evidence, BYTES, None).unwrap().to_string()
}

/// The rows of the pitfalls that were met on real systems (methodology 2.3), one after the other.
#[test]
fn data_is_labelled_as_the_evidence_says() {
    use FilesystemClass::{Block, Fuse, Memory, Network, Other, Overlay, Zfs};
    let (disk, stacked) = (disk(), loop_on_disk());
    let (memory, server, process, unknown) = (
        without_devices(Bottom::Memory),
        without_devices(Bottom::Server),
        without_devices(Bottom::Process),
        without_devices(Bottom::Unknown),
    );
    let cases = [
        ("on a disk, cold", Block, &disk, seen(0.0, 1.0, &[1.0]), "cold"),
        ("on a disk, warm", Block, &disk, seen(1.0, 0.0, &[0.0]), "cached"),
        ("half in memory", Block, &disk, seen(0.5, 0.52, &[0.52]), "mixed 52%"),
        ("half of it from a cache below", Block, &stacked, seen(0.3, 0.7, &[0.7, 0.4]), "mixed 40%"),
        ("the other half from a cache below", Block, &stacked, seen(0.0, 1.0, &[1.0, 0.53]), "mixed 53%"),
        ("a loop file that is cached below", Block, &stacked, seen(0.0, 1.0, &[1.0, 0.0]), "cached below"),
        ("a loop file past the cache", Block, &stacked, seen(0.0, 1.0, &[1.0, 1.0]), "cold"),
        ("a loop file whose disk others read", Block, &stacked, seen(0.0, 1.0, &[1.0, 1.7]), "cold?"),
        ("a disk that others read", Block, &disk, seen(0.0, 1.0, &[1.7]), "cold"),
        ("compressed", Block, &disk, seen(0.0, 0.04, &[0.04]), "cold"),
        ("holes", Block, &disk, seen(0.0, 0.0, &[0.0]), "unknown"),
        ("on an overlay, cold", Overlay, &disk, seen(0.0, 1.0, &[1.0]), "cold"),
        ("on an overlay, warm", Overlay, &disk, seen(1.0, 0.0, &[0.0]), "cached"),
        ("a loop file in memory", Block, &memory, seen(0.0, 1.0, &[]), "memory"),
        ("in memory", Memory, &memory, seen(1.0, 0.0, &[]), "memory"),
        ("in memory, swapped out", Memory, &memory, seen(0.2, 0.8, &[]), "unknown"),
        ("on a server", Network, &server, seen(0.0, 1.0, &[]), "cold here"),
        ("on a server, in this memory", Network, &server, seen(1.0, 0.0, &[]), "cached"),
        ("on a server that is not charged", Network, &server, seen(0.0, 0.0, &[]), "unknown"),
        ("served by a process", Fuse, &process, seen(0.0, 0.0, &[]), "unknown"),
        ("served by a process, in this memory", Fuse, &process, seen(1.0, 0.0, &[]), "unknown"),
        ("ZFS from its cache", Zfs, &unknown, seen(0.0, 0.0, &[]), "unknown"),
        ("ZFS whose devices are known", Zfs, &disk, seen(0.0, 1.0, &[1.0]), "cold"),
        ("nothing is known below", Block, &unknown, seen(0.0, 1.0, &[]), "cold?"),
        ("a filesystem of no known kind", Other, &unknown, seen(0.0, 1.0, &[]), "unknown"),
    ];
    for (name, class, stack, evidence, expected) in cases {
        assert_eq!(data(class, stack, &evidence), expected, "{name}");
    }
}

#[test]
fn missing_proof_is_never_cold() {
    let (uncounted, disk) = (Stack { devices: vec![StackDevice { is_counted: false, ..device(true) }], ..disk() }, disk());
    // The counters are off, or did not move with the run's own writes.
    assert_eq!(data(FilesystemClass::Block, &uncounted, &seen(0.0, 1.0, &[0.0])), "cold?");
    let unmoved = Footing { has_moved: false, ..footing(FilesystemClass::Block, &disk) };
    let label = |phase, evidence: &Evidence| cache_label(phase, &unmoved, evidence, BYTES, None).unwrap();
    assert_eq!(label(Phase::BlockRead, &seen(0.0, 1.0, &[0.0])), CacheLabel::ColdUnproven);
    assert_eq!(label(Phase::SeqStat, &seen(0.0, 1.0, &[1.0])), CacheLabel::Unknown);
    let nothing = Evidence::default();
    for phase in Phase::STANDARD {
        for class in [FilesystemClass::Block, FilesystemClass::Fuse, FilesystemClass::Zfs, FilesystemClass::Network, FilesystemClass::Other]
        {
            let label = cache_label(*phase, &footing(class, &disk), &nothing, BYTES, None);
            assert!(matches!(label, None | Some(CacheLabel::Unknown)), "{phase:?} {class:?} {label:?}");
        }
    }
    // Residency is not known (neither cachestat nor mincore): only both counters together prove it.
    let blind = |own, leaf| Evidence { resident_before: None, ..seen(0.0, own, &[leaf]) };
    assert_eq!(data(FilesystemClass::Block, &disk, &blind(1.0, 1.0)), "cold");
    assert_eq!(data(FilesystemClass::Block, &disk, &blind(0.9, 1.0)), "unknown");
}

#[test]
fn names_follow_what_was_read_whatever_was_done() {
    let (disk, stacked, memory) = (disk(), loop_on_disk(), without_devices(Bottom::Memory));
    let block = |own, leaf| names(FilesystemClass::Block, &disk, &seen(0.0, own, &[leaf]));
    assert_eq!(block(2.0, 2.3), "cold");
    assert_eq!(block(0.0, 0.0), "cached");
    // Others read meanwhile: the process did not.
    assert_eq!(block(0.0, 5.0), "cached");
    assert_eq!(block(0.4, 0.4), "mixed 40%");
    assert_eq!(names(FilesystemClass::Block, &stacked, &seen(0.0, 2.0, &[2.0, 0.0])), "cached below");
    assert_eq!(names(FilesystemClass::Block, &memory, &seen(0.0, 2.0, &[])), "memory");
    assert_eq!(names(FilesystemClass::Fuse, &disk, &seen(0.0, 0.0, &[0.0])), "unknown");
    assert_eq!(cache_label(Phase::SeqCreate, &footing(FilesystemClass::Block, &disk), &seen(0.0, 0.0, &[0.0]), BYTES, None), None);
}

/// Half a file on memory and half on a disk ends on neither.
#[test]
fn what_ends_on_several_things_is_proven_by_none() {
    let both = Stack { bottom: Bottom::Unknown, devices: vec![device(true)] };
    let wrote = Traffic { writes: 1, written_bytes: BYTES, flushes: Some(1), read_bytes: BYTES, ..Traffic::default() };
    let evidence = Evidence { devices: vec![wrote], ..seen(0.0, 1.0, &[1.0]) };
    assert_eq!(durability(Phase::BlockWrite, &footing(FilesystemClass::Block, &both), &evidence, BYTES), Some(Durability::Uncertain));
    assert_eq!(data(FilesystemClass::Block, &both, &evidence), "cold?");
    assert_eq!(names(FilesystemClass::Block, &both, &evidence), "unknown");
}

#[test]
fn others_who_were_there_before_spoil_the_proof_of_a_layer() {
    let loud = Watch { elapsed_ms: 1000, is_quiet: false, moved_bytes: 80 << 20, others_busy_ms: None };
    let beside = |stack: &Stack, devices: &[f64]| {
        let evidence = Evidence { before: Some(loud), ..seen(0.0, 1.0, devices) };
        (data(FilesystemClass::Block, stack, &evidence), names(FilesystemClass::Block, stack, &evidence))
    };
    assert_eq!(beside(&loop_on_disk(), &[1.0, 1.0]), ("cold?".to_owned(), "cold?".to_owned()));
    assert_eq!(beside(&disk(), &[1.0]), ("cold".to_owned(), "cold".to_owned()));
}

/// Blocks or extents that are larger than a transfer answer several of them.
#[test]
fn fewer_requests_than_transfers_are_no_cold_seeks() {
    let disk = disk();
    let of = |reads, transfers| {
        let traffic = Traffic { reads, read_bytes: BYTES, ..Traffic::default() };
        let evidence = Evidence { devices: vec![traffic], ..seen(0.0, 1.0, &[1.0]) };
        cache_label(Phase::RandomSeek, &footing(FilesystemClass::Block, &disk), &evidence, BYTES, transfers).unwrap().to_string()
    };
    assert_eq!(of(1000, Some(1000)), "cold");
    assert_eq!(of(125, Some(1000)), "mixed 13%");
    assert_eq!(of(125, None), "cold");
}

/// A journal's own commit writes and flushes, whatever becomes of barrow's flush.
#[test]
fn names_are_durable_only_where_a_flush_is_known_to_be_heard() {
    let disk = disk();
    let traffic = Traffic { writes: 9, written_bytes: 1 << 20, flushes: Some(2), ..Traffic::default() };
    let evidence = Evidence { devices: vec![traffic], ..Evidence::default() };
    let of = |flush_is_heard| {
        let footing = Footing { flush_is_heard, ..footing(FilesystemClass::Block, &disk) };
        durability(Phase::SeqCreate, &footing, &evidence, 0)
    };
    assert_eq!((of(true), of(false)), (Some(Durability::Durable), Some(Durability::Uncertain)));
}

#[test]
fn a_leaf_is_known_when_it_moved_with_a_durable_write() {
    let disk = disk();
    let wrote =
        |bytes| Evidence { devices: vec![Traffic { writes: 1, written_bytes: bytes, ..Traffic::default() }], ..Evidence::default() };
    let footing = footing(FilesystemClass::Block, &disk);
    assert!(footing.moved_with(&wrote(BYTES), BYTES));
    assert!(footing.moved_with(&wrote(BYTES / 28), BYTES));
    assert!(!footing.moved_with(&wrote(BYTES / 40), BYTES));
    assert!(!footing.moved_with(&wrote(0), 0));
    assert!(!footing.moved_with(&Evidence::default(), 0));
}

#[test]
fn durability_is_proven_by_the_device() {
    let disk = disk();
    let through = Stack { devices: vec![StackDevice { write_cache: Some("write through".to_owned()), ..device(true) }], ..disk.clone() };
    let wrote = |bytes, flushes| {
        let traffic = Traffic { writes: 1, written_bytes: bytes, flushes, ..Traffic::default() };
        Evidence { devices: vec![traffic], ..Evidence::default() }
    };
    let of = |stack: &Stack, evidence: &Evidence| durability(Phase::BlockWrite, &footing(FilesystemClass::Block, stack), evidence, BYTES);
    assert_eq!(of(&disk, &wrote(BYTES, Some(2))), Some(Durability::Durable));
    assert_eq!(of(&disk, &wrote(BYTES, Some(0))), Some(Durability::Uncertain), "no flush reached a cache that needs one");
    assert_eq!(of(&disk, &wrote(BYTES, None)), Some(Durability::Uncertain), "flushes are not counted");
    assert_eq!(of(&through, &wrote(BYTES, Some(0))), Some(Durability::Durable));
    assert_eq!(of(&disk, &wrote(BYTES / 3, Some(2))), Some(Durability::Uncertain), "most data is still elsewhere");
    assert_eq!(of(&disk, &Evidence::default()), Some(Durability::Uncertain));
    assert_eq!(of(&without_devices(Bottom::Memory), &Evidence::default()), Some(Durability::Acknowledged));
    assert_eq!(of(&without_devices(Bottom::Server), &Evidence::default()), Some(Durability::Uncertain));
    assert_eq!(of(&without_devices(Bottom::Process), &Evidence::default()), Some(Durability::Uncertain));
    assert_eq!(durability(Phase::BlockRead, &footing(FilesystemClass::Block, &disk), &Evidence::default(), 0), None);
}

#[test]
fn every_leaf_must_hear_the_flush() {
    let stack = Stack { bottom: Bottom::Devices, devices: vec![device(false), device(true), device(true)] };
    let traffic = |writes, flushes| Traffic { writes, flushes, ..Traffic::default() };
    let of = |devices: [Traffic; 3]| is_flushed(&stack, &Evidence { devices: devices.into(), ..Evidence::default() });
    assert_eq!(of([traffic(1, Some(2)), traffic(1, Some(1)), traffic(1, Some(1))]), Some(true));
    assert_eq!(of([traffic(1, Some(0)), traffic(1, Some(1)), traffic(1, Some(1))]), Some(false), "others flushed below the loop device");
    assert_eq!(of([traffic(1, Some(5)), traffic(1, Some(1)), traffic(1, Some(0))]), Some(false));
    assert_eq!(of([traffic(1, Some(5)), traffic(1, Some(1)), traffic(0, Some(0))]), Some(true), "it wrote nothing");
    assert_eq!(of([traffic(1, Some(5)), traffic(1, Some(1)), traffic(1, None)]), None);
    assert_eq!(is_flushed(&stack, &Evidence::default()), None);
}

#[test]
fn direct_io_was_had_when_nothing_stayed_in_the_page_cache() {
    let after = |resident| Evidence { resident_after: resident, ..Evidence::default() };
    let of = |phase, asked, resident| obtained_io(phase, asked, &after(resident));
    assert_eq!(of(Phase::BlockWrite, Io::Direct, Some(0.0)), Some(ObtainedIo::Direct));
    assert_eq!(of(Phase::BlockRead, Io::Direct, Some(1.0)), Some(ObtainedIo::Buffered));
    assert_eq!(of(Phase::RandomSeek, Io::Direct, None), Some(ObtainedIo::Unknown));
    assert_eq!(of(Phase::BlockRead, Io::Buffered, Some(1.0)), None);
    assert_eq!(of(Phase::SeqCreate, Io::Direct, None), None);
}

#[test]
fn what_a_program_reads_proves_nothing() {
    let (disk, phase) = (disk(), Phase::named("command:make").unwrap());
    let label = |class, evidence: &Evidence| cache_label(phase, &footing(class, &disk), evidence, 0, None).unwrap().to_string();
    for own in [0.0, 1.0] {
        let evidence = Evidence { resident_before: None, ..seen(0.0, own, &[own]) };
        assert_eq!(label(FilesystemClass::Block, &evidence), "unknown");
    }
    let evidence = Evidence { resident_before: None, ..seen(0.0, 0.0, &[]) };
    assert_eq!(label(FilesystemClass::Memory, &evidence), "memory");
}
