//! Tests of the details: which table a section has, which columns and rows, how the ends are named.

use super::*;
use crate::model::aftermath::ProgramEnd;
use crate::model::phase::Phase;
use crate::model::record::{PhaseRecord, RunRecord};
use crate::model::sample;
use crate::report::Report;

fn of(records: &[RunRecord]) -> Vec<Details> {
    details(&Report::of(records).sections[0])
}

fn records(labels: &[&str], runs: u32, kind: &str) -> Vec<RunRecord> {
    let phases = sample::phases_of(kind);
    let one = |round| labels.iter().map(|label| sample::of_phases(label, round, &phases)).collect::<Vec<_>>();
    (1..=runs).flat_map(one).collect()
}

fn headings(details: &Details) -> Vec<String> {
    details.columns.iter().map(Column::heading).collect()
}

fn medians(row: &Row) -> Vec<&str> {
    row.cells.iter().map(|cell| cell.figures.median.as_str()).collect()
}

#[test]
fn old_profiles_have_no_details() {
    assert!(of(&[sample::run("ext4", 1)]).is_empty());
    assert!(of(&[sample::imported("old", 1)]).is_empty());
}

#[test]
fn a_kind_of_profile_has_the_columns_that_it_asks_for() {
    let columns = |kind: &str| headings(&of(&records(&["ext4"], 1, kind))[0]);
    assert_eq!(columns("small files"), ["Time, s", "CPU, s", "Data, MiB/s"]);
    assert_eq!(columns("sync"), ["Time, s", "Data, MiB/s", "IOPS", "p50", "p99", "Max"]);
    assert_eq!(columns("blocks"), ["Data, MiB/s", "IOPS", "p50", "p99", "Max"]);
    assert_eq!(columns("file server"), ["Time, s", "CPU, s", "Data, MiB/s"]);
    assert_eq!(columns("tree"), ["Time, s", "CPU, s", "Data, MiB/s", "Free, GiB", "Extents"]);
    assert_eq!(columns("commands"), ["Time, s", "CPU, s", "Exit"]);
}

#[test]
fn several_series_have_a_block_a_phase_and_one_has_one_block() {
    let several = &of(&records(&["ext4", "xfs"], 1, "small files"))[0];
    assert_eq!((several.blocks.len(), several.blocks[0].heading.as_str(), several.is_compact), (5, "Seq. create", false));
    let labels: Vec<&str> = several.blocks[0].rows.iter().map(|row| row.label.as_str()).collect();
    assert_eq!(labels, ["ext4", "xfs"]);
    let one = &of(&records(&["ext4"], 1, "small files"))[0];
    assert_eq!((one.blocks.len(), one.blocks[0].heading.as_str(), one.is_compact), (1, "", true));
    let labels: Vec<&str> = one.blocks[0].rows.iter().map(|row| row.label.as_str()).collect();
    assert_eq!(labels, ["Seq. create", "File rewrite", "File read", "File random read", "Seq. delete"]);
    assert_eq!(medians(&one.blocks[0].rows[0]), ["1.00", "0.160", "30.0"]);
}

#[test]
fn what_is_missing_has_a_dash_and_what_does_not_apply_nothing() {
    let mut records = records(&["ext4", "xfs"], 1, "tree");
    *sample::phase_mut(&mut records[1], Phase::TreeCopy) = PhaseRecord::failed(Phase::TreeCopy, "no space left on device");
    let details = &of(&records)[0];
    let block = |heading: &str| details.blocks.iter().find(|block| block.heading == heading).unwrap();
    assert_eq!(medians(&block("Tree copy").rows[1]), ["–", "–", "–", "–", "–"]);
    assert_eq!(medians(&block("Tree prune").rows[0]), ["1.00", "0.160", "", "37.0", ""]);
}

#[test]
fn a_program_says_how_it_ended_in_each_way_that_occurred() {
    let mut records = records(&["ext4"], 3, "commands");
    let build = Phase::named("command:build").unwrap();
    let failed = PhaseRecord::failed(build, "exit status 2");
    *sample::phase_mut(&mut records[1], build) = failed;
    sample::phase_mut(&mut records[1], build).after.program =
        Some(ProgramEnd { exit: Some(2), left_processes: 3, ..ProgramEnd::default() });
    let details = &of(&records)[0];
    assert_eq!(medians(&details.blocks[0].rows[1]), ["83.0", "0.160", "3", "0, 2"]);
    assert_eq!(details.statement(), "Each cell: median; range of the runs that have it (of 6 or more: 95 % CI).");
}

#[test]
fn a_kind_has_its_count_and_its_times() {
    let all = of(&records(&["ext4"], 3, "file server"));
    let kinds = &all[1];
    assert_eq!((kinds.id, kinds.subject, all.len()), ("kinds", "Operation", 2));
    assert_eq!(headings(kinds), ["Count", "Average, ms", "p99, ms", "Max, ms", "Data, MiB/s"]);
    let rows = &kinds.blocks[0].rows;
    assert_eq!((rows[0].label.as_str(), medians(&rows[0])), ("close", vec!["12,000", "0.0025", "0.021", "0.021", ""]));
    assert_eq!(medians(&rows[3])[..2], ["500", "3.9"]);
    assert_eq!(kinds.statement(), "Each cell: median; range of 3 runs.");
}

#[test]
fn a_kind_that_a_series_lacks_has_dashes_there() {
    let mut records = records(&["ext4", "xfs"], 1, "file server");
    sample::counted_mut(&mut records[0], Phase::FileServer).kinds.remove(0);
    let kinds = &of(&records)[1];
    // The order is that of first appearance: the first series has no close.
    assert_eq!(kinds.blocks[3].heading, "close");
    assert_eq!(medians(&kinds.blocks[3].rows[0])[..4], ["–", "–", "–", "–"]);
}

#[test]
fn latencies_are_medians_alone_and_said_to_be() {
    let details = &of(&records(&["ext4"], 6, "sync"))[0];
    assert_eq!(details.statement(), "Each cell: median; 95 % CI over 6 runs. p50, p99 and Max are medians alone.");
    assert_eq!(of(&records(&["ext4"], 1, "sync"))[0].statement(), "Each cell: the value of 1 run.");
    assert_eq!(details.legend().len(), 6);
}
