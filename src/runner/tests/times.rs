//! Times, rates, percents, percentiles and slices of whole runs on a pretended clock.

use super::*;

/// Every call takes ten microseconds on the pretended clock, so every time is known.
#[test]
fn times_and_percents_are_exact_on_a_pretended_clock() {
    let (runs, _) = done(plan(&[]), &[("a", &pretended())]);
    let counted = |which| phase(&runs[0], which).counted().unwrap();
    let write = counted(Phase::BlockWrite);
    // open, 8 writes | fsync, close
    assert_eq!((write.acknowledged_ns, write.elapsed_ns), (Some(9 * CALL_NS), 11 * CALL_NS));
    let rewrite = counted(Phase::Rewrite);
    assert_eq!((rewrite.acknowledged_ns, rewrite.elapsed_ns), (Some(17 * CALL_NS), 19 * CALL_NS));
    let read = counted(Phase::BlockRead);
    assert_eq!((read.acknowledged_ns, read.elapsed_ns), (None, 10 * CALL_NS));
    assert_eq!(counted(Phase::RandomSeek).elapsed_ns, 10 * CALL_NS);
    let create = counted(Phase::SeqCreate);
    assert_eq!((create.acknowledged_ns, create.elapsed_ns), (Some(40 * CALL_NS), 41 * CALL_NS));
    assert_eq!(counted(Phase::RandomStat).elapsed_ns, 20 * CALL_NS);
    let delete = counted(Phase::RandomDelete);
    assert_eq!((delete.acknowledged_ns, delete.elapsed_ns), (Some(20 * CALL_NS), 21 * CALL_NS));
    for record in &runs[0].phases {
        let counted = record.counted().unwrap();
        assert_eq!(counted.cpu_own_percent(), Some(37.5), "{:?}", record.name);
        assert_eq!(counted.cpu_system_percent(), Some(150.0), "{:?}", record.name);
        assert_eq!(counted.latency.total(), counted.operations);
        assert_eq!(record.flags, [Flag::Short]);
    }
    assert_eq!(write.slices.as_ref().unwrap().elapsed_ns, [2, 1, 1, 1, 1, 1, 1, 1].map(|calls| calls * CALL_NS));
}

/// One read in ten takes a hundred times as long: every percentile and slice is known.
#[test]
fn percentiles_and_slices_are_exact_on_a_pretended_clock() {
    let target = Arc::new(PretendTarget::costing(|call| match call.span {
        Some((offset, _)) if call.operation == Operation::Read && offset / 8192 % 10 == 9 => 100 * CALL_NS,
        _ => CALL_NS,
    }));
    let (runs, _) = done(plan(&[("file_size", "1600k"), ("files", "0")]), &[("a", &target)]);
    let read = phase(&runs[0], Phase::BlockRead).counted().unwrap();
    // 200 chunks, of which 20 are slow; and the open and the close.
    assert_eq!(read.elapsed_ns, (180 + 20 * 100 + 2) * CALL_NS);
    assert_eq!(read.rate(), Some(1_638_400.0 * 1e9 / 21_820_000.0));
    let near = |share: f64, expected: u64| {
        let found = read.latency_percentile_ns(share).unwrap();
        // Half a bucket of the histogram, of which an octave has 16.
        assert!((found / expected as f64 - 1.0).abs() <= 1.0 / 32.0, "{share}: {found}");
    };
    near(0.5, CALL_NS);
    near(0.895, CALL_NS);
    // The first operation contains the open.
    near(0.9, 2 * CALL_NS);
    near(0.91, 100 * CALL_NS);
    near(0.99, 100 * CALL_NS);
    assert_eq!(read.latency_max_ns, 100 * CALL_NS);
    let slices = read.slices.as_ref().unwrap();
    // 50 slices of 4 chunks: the first has the open too, and each slow chunk, 9, 19, 29 … , is in the slice of its number over 4.
    assert_eq!((slices.operations_each, slices.elapsed_ns.len()), (4, 50));
    let of =
        |slice: u64| (4 + u64::from(slice == 0) + 99 * (slice * 4..slice * 4 + 4).filter(|chunk| chunk % 10 == 9).count() as u64) * CALL_NS;
    assert_eq!(slices.elapsed_ns, (0..50).map(of).collect::<Vec<_>>());
}
