//! Tests of the grids of each layout: their numbers are those of the table.

use super::*;
use crate::model::phase::Phase;
use crate::model::record::RunRecord;
use crate::model::sample;
use crate::report::table::heading;
use crate::report::table::ranking::ranking;
use crate::report::table::targets::{Targets, narrow_targets, targets};
use crate::report::tests::hostile;
use proptest::prelude::*;

fn parts(records: &[RunRecord], layout: Layout) -> Vec<Part> {
    documents(&Report { layout, ..Report::of(records) }).remove(0)
}

fn grid_of(records: &[RunRecord], layout: Layout) -> Grid {
    let found = parts(records, layout).into_iter().find_map(|part| if let Part::Grid(grid) = part { Some(grid) } else { None });
    found.expect("a grid")
}

fn texts(cells: &[Cell]) -> Vec<&str> {
    cells.iter().map(|cell| cell.text.as_str()).collect()
}

fn few(records: &mut [RunRecord]) {
    records.iter_mut().for_each(|run| run.phases.retain(|record| [Phase::BlockWrite, Phase::SeqStat].contains(&record.name)));
}

#[test]
fn a_target_has_its_medians_in_a_row_and_its_ranges_below() {
    let mut records = [sample::run("ext4", 1), sample::run("xfs", 1), sample::run("ext4", 2), sample::run("xfs", 2)];
    few(&mut records);
    sample::set_rate(&mut records[2], Phase::BlockWrite, 520.0);
    let grid = grid_of(&records, Layout::Targets);
    let heads: Vec<&str> = grid.heads.iter().map(|(head, _)| head.as_str()).collect();
    assert_eq!(heads, ["Target", "", "Block write, MiB/s", "Seq. stat, files/s"]);
    assert_eq!(texts(&grid.rows[0]), ["ext4", "Median", "510", "50,000 *"]);
    assert_eq!(texts(&grid.rows[1]), ["", "Both of 2 runs", "500 – 520", "50,000 – 50,000"]);
    assert_eq!((grid.rows.len(), grid.rows[0][0].rows, grid.rows[1][0].rows), (4, 2, 0));
    assert!(grid.rows[0][2].is_strong && !grid.rows[1][2].is_strong);
}

#[test]
fn one_run_has_a_row_a_target() {
    let mut records = [sample::run("ext4", 1), sample::run("xfs", 1)];
    few(&mut records);
    let grid = grid_of(&records, Layout::Targets);
    assert_eq!(grid.rows.iter().map(|row| texts(row)).collect::<Vec<_>>(), [["ext4", "500", "50,000 *"], ["xfs", "500", "50,000 *"]]);
    let ranked = grid_of(&records, Layout::Ranking);
    let expected = [
        ["Block write, MiB/s", "1", "ext4", "500", "best", "durable"],
        ["", "1=", "xfs", "500", "1.00 ×", "durable"],
        ["Seq. stat, files/s", "1", "ext4", "50,000", "best", "cached"],
        ["", "1=", "xfs", "50,000", "1.00 ×", "cached"],
    ];
    assert_eq!(ranked.rows.iter().map(|row| texts(row)).collect::<Vec<_>>(), expected);
}

#[test]
fn the_form_of_bonnie_is_verbatim() {
    let parts = parts(&[sample::run("ext4", 1)], Layout::Bonnie);
    let lines = parts.iter().find_map(|part| if let Part::Verbatim(lines) = part { Some(lines) } else { None }).expect("lines");
    assert!(lines[0].contains("-Sequential Output-") && lines.iter().any(|line| line.starts_with("ext4")), "{lines:?}");
    assert!(!parts.iter().any(|part| matches!(part, Part::Grid(_))));
}

/// What a row says of a phase: heading, label, figures and words.
fn said(heading: &str, row: &Row) -> (String, String, String, String, String) {
    (heading.to_owned(), row.label.clone(), row.rate.median.clone(), range(row), words_and_flags(row))
}

/// The number that a figure shows.
fn number(figure: &str) -> Option<f64> {
    figure.replace(',', "").parse().ok()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn every_layout_has_the_figures_of_the_table(hostile in hostile()) {
        let records = hostile.records();
        for section in &Report::of(&records).sections {
            let table = table(section);
            let phases = || table.blocks.iter().flat_map(|block| &block.phases);
            let mut expected: Vec<_> = phases().flat_map(|phase| phase.rows.iter().map(|row| said(&phase.heading, row))).collect();
            let columns = |targets: Targets| targets.groups.into_iter().flat_map(|group| group.columns);
            let turned: Vec<_> = columns(targets(section))
                .flat_map(|column| column.cells.iter().map(|row| said(&heading(column.phase), row)).collect::<Vec<_>>())
                .collect();
            prop_assert_eq!(&turned, &expected);
            for (narrow, usual) in columns(narrow_targets(section)).zip(columns(targets(section))) {
                for (narrow, usual) in narrow.cells.iter().zip(&usual.cells) {
                    let ratio = number(&usual.rate.median).zip(number(&narrow.rate.median)).filter(|(usual, _)| *usual > 0.0);
                    let ratio = ratio.map_or(1.0, |(usual, narrow)| narrow / usual);
                    prop_assert!((ratio - 1.0).abs() < 0.06 || (ratio * 1000.0 - 1.0).abs() < 0.06, "{ratio}");
                    prop_assert_eq!((&narrow.words, &narrow.flags, &narrow.label), (&usual.words, &usual.flags, &usual.label));
                }
            }
            let ranking = ranking(section);
            let mut ranked: Vec<_> = ranking.phases.iter().flat_map(|phase| phase.rows.iter().map(|row| said(&phase.heading, &row.row))).collect();
            ranked.sort();
            expected.sort();
            prop_assert_eq!(ranked, expected);
        }
    }

    #[test]
    fn every_row_of_a_grid_has_a_cell_a_head(hostile in hostile()) {
        let records = hostile.records();
        for layout in Layout::ALL {
            for part in documents(&Report { layout, ..Report::of(&records) }).into_iter().flatten() {
                if let Part::Grid(grid) = part {
                    prop_assert!(grid.rows.iter().all(|row| row.len() == grid.heads.len()), "{}", layout.name());
                    // A name that is written once stands for the rows below it.
                    let covered: usize = grid.rows.iter().filter_map(|row| row.first()).map(|cell| cell.rows).sum();
                    prop_assert_eq!(covered, grid.rows.len());
                }
            }
        }
    }
}
