//! Tests of the record: what is derived, and that a phase reads back.

use super::*;

fn counted() -> Counted {
    Counted {
        work: 1000,
        operations: 10,
        elapsed_ns: 2_000_000_000,
        acknowledged_ns: Some(500_000_000),
        usage: Usage { user_ns: 100_000_000, system_ns: 400_000_000, ..Usage::default() },
        system_busy_ns: Some(3_000_000_000),
        others_user_ns: None,
        tool_ns: None,
        latency: Histogram::default(),
        latency_max_ns: 7,
        latency_batch: 1,
        slices: None,
        bytes: None,
        kinds: Vec::new(),
    }
}

#[test]
fn rates_and_percents_are_derived() {
    let counted = counted();
    assert_eq!(counted.rate(), Some(500.0));
    assert_eq!(counted.acknowledged_rate(), Some(2000.0));
    assert_eq!(counted.cpu_own_percent(), Some(25.0));
    assert_eq!(counted.cpu_system_percent(), Some(150.0));
    assert_eq!(counted.latency_percentile_ns(0.5), None);
}

#[test]
fn no_time_has_no_rate() {
    let counted = Counted { elapsed_ns: 0, ..counted() };
    assert_eq!(counted.rate(), None);
    assert_eq!(counted.cpu_own_percent(), None);
}

#[test]
fn a_phase_record_reads_back_and_ignores_unknown_fields() {
    let record = PhaseRecord {
        status: Status::Ok,
        reason: None,
        result: Some(PhaseResult::Counted(Box::new(counted()))),
        cache: Some(CacheLabel::Mixed(3)),
        durable: Some(Durability::Uncertain),
        flags: vec![Flag::Short],
        ..PhaseRecord::skipped(Phase::Rewrite, "")
    };
    let text = serde_json::to_string(&record).unwrap();
    assert_eq!(serde_json::from_str::<PhaseRecord>(&text).unwrap(), record);
    let with_more = text.replacen('{', "{\"from_the_future\":1,", 1);
    assert_eq!(serde_json::from_str::<PhaseRecord>(&with_more).unwrap(), record);
}
