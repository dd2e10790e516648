//! Tests of the catalogue: names are of one phase each, and stand for it in records.

use super::*;
use std::collections::BTreeSet;

#[test]
fn a_phase_stands_by_its_name_in_records() {
    let more = ["seq_write_4k_1w", "random_read_1m_4w", "command:build"].map(|name| Phase::named(name).unwrap());
    for phase in Phase::CATALOGUE.iter().copied().chain(more) {
        let text = serde_json::to_string(&phase).unwrap();
        assert_eq!(text, format!("\"{}\"", phase.name()));
        assert_eq!(serde_json::from_str::<Phase>(&text).unwrap(), phase);
    }
    assert!(serde_json::from_str::<Phase>("\"nonsense\"").is_err());
}

#[test]
fn names_and_titles_are_of_one_phase_each() {
    let names: BTreeSet<&str> = Phase::CATALOGUE.iter().map(|phase| phase.name()).collect();
    let titles: BTreeSet<&str> = Phase::CATALOGUE.iter().map(|phase| phase.row().title).collect();
    assert_eq!((names.len(), titles.len()), (Phase::CATALOGUE.len(), Phase::CATALOGUE.len()));
}

#[test]
fn the_standard_phases_are_the_ten_of_bonnie() {
    assert_eq!(Phase::STANDARD.len(), 10);
    assert_eq!(Phase::CATALOGUE[Phase::CHARACTER_AT], Phase::CharWrite);
    assert!(Phase::STANDARD.iter().all(|phase| phase.row().group != Group::Character));
}
