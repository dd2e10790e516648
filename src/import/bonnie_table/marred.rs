//! Tests of tables with marks, words and cuts that are none of Bonnie++'s: no value may stand in a wrong place.

use super::*;
use crate::import::text::lines;
use proptest::prelude::*;

const REAL: &str = include_str!("../../../tests/data/bonnie-tables/uclinux_194.txt");
const BOGUS: &str = include_str!("../../../tests/data/bonnie-tables/btrfs_200a_bogus_files.txt");
const ROW: &str = "16   233  99  6543 100  3690  89   235  99  6907 100   825  98";

fn found(text: &str) -> Found {
    BonnieTable.import(&lines(text.as_bytes()))
}

fn values(found: &Found) -> Vec<(String, String)> {
    found.readings.iter().flat_map(|run| run.imported.values.clone()).collect()
}

#[test]
fn a_word_behind_or_before_a_row_never_moves_a_figure() {
    let known = values(&found(REAL));
    assert!(known.contains(&("seq_create".to_owned(), "233".to_owned())));
    for mark in [" *", " 1", " \u{2502}", " #", " x", " (tmpfs)", " 99%", " <- slow"] {
        let marred = found(&REAL.replace(ROW, &format!("{ROW}{mark}")));
        assert!(values(&marred).iter().all(|value| known.contains(value)), "{mark}: {marred:?}");
        assert!(values(&marred).len() == known.len() || !marred.problems.is_empty(), "{mark}");
    }
}

#[test]
fn a_mark_at_the_ends_of_all_lines_is_none_of_the_table() {
    for mark in ["\"", "'", "\u{2502}", "*", "#"] {
        let ended: String = REAL.trim_end().lines().map(|line| format!("{line}{mark}\n")).collect();
        assert_eq!(values(&found(&ended)), values(&found(REAL)), "{mark}");
    }
    let boxed: String = REAL.trim_end().lines().map(|line| format!("\u{2502} {line:<80} \u{2502}\n")).collect();
    assert_eq!(values(&found(&boxed)), values(&found(REAL)));
}

#[test]
fn tabulators_make_no_table_of_the_converter() {
    let part: Vec<&str> = BOGUS.lines().skip(2).take(10).map(str::trim).collect();
    let mut text = part.join("\n");
    while text.contains("   ") {
        text = text.replace("   ", "  ");
    }
    let text = text.replace("  ", "\t") + "\n";
    let found = found(&text);
    let has_rate = |record: &crate::model::record::PhaseRecord| format!("{record:?}").contains("20480.0");
    assert!(!found.readings.iter().flat_map(|run| &run.phases).any(has_rate), "{found:?}");
}

#[test]
fn a_table_cut_at_its_right_says_so() {
    let cut: String = REAL.lines().map(|line| line.chars().take(70).collect::<String>() + "\n").collect();
    assert!(found(&cut).problems.iter().any(|problem| problem.what.contains("cut")), "{:?}", found(&cut));
}

#[test]
fn a_broken_row_of_four_columns_is_not_told_by_count() {
    let text = "\
Version  1.03       ------Sequential Output------ --Sequential Input- --Random-
                    -Per Chr- --Block-- -Rewrite- -Per Chr- --Block-- --Seeks--
Machine        Size K/sec %CP K/sec %CP K/sec %CP K/sec %CP K/sec %CP  /sec %CP
host             2G 50317  99 23244  54                     32982  29
442.2   4
";
    let found = found(text);
    assert!(found.readings.is_empty());
    assert!(found.problems.iter().any(|problem| problem.line == 4 && problem.what.contains("none was taken")), "{found:?}");
}

proptest! {
    #[test]
    fn a_word_at_a_row_yields_no_value_that_the_table_has_not(word in "[a-z0-9*#%+.:]{1,6}", at in 0..10_usize, is_before in any::<bool>()) {
        let known = values(&found(REAL));
        let mark = |(place, line): (usize, &str)| match (place == at, is_before) {
            (true, true) => format!("{word} {line}\n"),
            (true, false) => format!("{line} {word}\n"),
            _ => format!("{line}\n"),
        };
        let marred: String = REAL.lines().enumerate().map(mark).collect();
        for value in values(&found(&marred)) {
            prop_assert!(known.contains(&value), "{value:?} of {marred}");
        }
    }
}
