//! A run that a text tells twice, as Bonnie++ does by printing the table and then the line of CSV, counts once.

use super::bonnie::{BLOCK_COLUMNS, Column, FILE_COLUMNS, Version, WRONG_RATE};
use super::bonnie_csv::BonnieCsv;
use super::bonnie_table::BonnieTable;
use super::{Importer, Reading};
use crate::model::imported::Imported;
use std::collections::{BTreeSet, HashMap, VecDeque};

/// The columns that a table gives to a name with its size, but for the blank between them.
const NAME_AND_SIZE: usize = 17;

/// The most lines of CSV with which a table is compared, so that many equal ones take no time.
const MOST_COMPARED: usize = 64;

/// The shares of CPU by which the lines are found that a table may be told again by.
const SHARES: usize = 3;

/// Readings in the order of their lines, without those that tell a run again. Of a table and a line of CSV that agree, the line is kept,
/// as its figures are exact; the table, where the line is cut and lacks figures. Several are matched in their order, each once.
#[must_use]
pub fn once(readings: Vec<Reading>) -> Vec<Reading> {
    let mut lines: HashMap<Vec<&str>, VecDeque<usize>> = HashMap::new();
    for (place, reading) in readings.iter().enumerate().filter(|(_, reading)| is_of(reading, &BonnieCsv)) {
        lines.entry(shares(&reading.imported)).or_default().push_back(place);
    }
    let mut dropped = BTreeSet::new();
    for (place, table) in readings.iter().enumerate().filter(|(_, reading)| is_of(reading, &BonnieTable)) {
        let Some(candidates) = lines.get_mut(&shares(&table.imported)) else { continue };
        let told = |place: &usize| readings.get(*place).and_then(|csv| repeated(table, csv));
        let found = candidates.iter().take(MOST_COMPARED).enumerate().find_map(|(at, csv)| told(csv).map(|repeated| (at, *csv, repeated)));
        if let Some((at, csv, repeated)) = found {
            candidates.remove(at);
            dropped.insert(match repeated {
                Repeated::Table => place,
                Repeated::Csv => csv,
            });
        }
    }
    readings.into_iter().enumerate().filter(|(place, _)| !dropped.contains(place)).map(|(_, reading)| reading).collect()
}

fn is_of(reading: &Reading, importer: &dyn Importer) -> bool {
    reading.imported.form == importer.name()
}

fn columns() -> impl Iterator<Item = Column> {
    BLOCK_COLUMNS.into_iter().chain(FILE_COLUMNS)
}

/// The first shares of CPU that stood there.
fn shares(imported: &Imported) -> Vec<&str> {
    columns().filter_map(|column| imported.value(&format!("{}_cpu", column.name))).take(SHARES).collect()
}

/// Which of the two says nothing that the other does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Repeated {
    Table,
    Csv,
}

/// What one of the two only repeats; `None` where they are not of one run, or each has figures that the other lacks.
fn repeated(table: &Reading, csv: &Reading) -> Option<Repeated> {
    let is_one = is_one_program(&table.imported, &csv.imported) && is_one_name(table, csv) && is_one_work(&table.imported, &csv.imported);
    let stood: Vec<Stood> = columns().flat_map(|column| stood(column, table, csv)).flatten().filter(|_| is_one).collect();
    let is_all = |agrees: fn(&Stood) -> bool| !stood.is_empty() && stood.iter().all(agrees);
    if is_all(|stood| matches!(stood, Stood::Alike | Stood::CsvOnly | Stood::WrongInTable)) {
        Some(Repeated::Table)
    } else {
        is_all(|stood| matches!(stood, Stood::Alike | Stood::TableOnly)).then_some(Repeated::Csv)
    }
}

/// Where a figure stood, and whether both say the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stood {
    Alike,
    Unlike,
    TableOnly,
    CsvOnly,
    /// The table has a rate of files that is none.
    WrongInTable,
}

/// Rate, CPU and latency of a column; `None` for what stood in neither.
fn stood(column: Column, table: &Reading, csv: &Reading) -> [Option<Stood>; 3] {
    let is_wrong = table.phases.iter().any(|phase| phase.name == column.phase && phase.reason.as_deref() == Some(WRONG_RATE));
    ["", "_cpu", "_latency"].map(|what| {
        let name = format!("{}{what}", column.name);
        match (table.imported.value(&name), csv.imported.value(&name)) {
            (None, None) => None,
            (Some(_), Some(_)) if is_wrong && what.is_empty() => Some(Stood::WrongInTable),
            (Some(one), Some(other)) if is_alike(one, other) => Some(Stood::Alike),
            (Some(_), Some(_)) => Some(Stood::Unlike),
            (Some(_), None) => Some(Stood::TableOnly),
            (None, Some(_)) => Some(Stood::CsvOnly),
        }
    })
}

/// A figure of a table against that of CSV: equal but for what the table rounds. Seeks from 1000 on have no decimal there, rates of 1.98
/// and later a letter for their unit; for a rate that was too short `bon_csv2txt` writes `0k`.
fn is_alike(table: &str, csv: &str) -> bool {
    // CSV has the marks of Markdown still that stood around a figure.
    let csv = csv.trim_matches(['*', '_', '`', '\\', '"', '\'']);
    let (digits, unit) = match table.char_indices().next_back() {
        Some((end, 'k')) => (table.get(..end).unwrap_or_default(), 1.0),
        Some((end, 'm')) => (table.get(..end).unwrap_or_default(), 1024.0),
        Some((end, 'g')) => (table.get(..end).unwrap_or_default(), 1024.0 * 1024.0),
        _ => (table, 1.0),
    };
    let half = if digits.contains('.') { 0.05 } else { 0.5 };
    let is_near = match (digits.parse::<f64>(), csv.parse::<f64>()) {
        // CSV cuts the decimals that the table rounds, so that it may be lower by one of its own.
        (Ok(rounded), Ok(exact)) if unit > 1.0 => (rounded - exact / unit).abs() <= half + 1.0 / unit,
        (Ok(rounded), Ok(exact)) => csv.contains('.') && !table.contains('.') && (rounded - exact).abs() <= half + 0.05,
        _ => false,
    };
    table == csv || table.strip_suffix('k') == Some(csv) || is_near || (table == "0k" && csv == "+++++")
}

/// Whether the versions are one; the line of 1.00 to 1.04 has none.
fn is_one_program(table: &Imported, csv: &Imported) -> bool {
    let is_early = || table.program.split(' ').next_back().and_then(Version::parse).is_some_and(|version| !version.overcounts_seek_cpu());
    table.program == csv.program || (csv.program.ends_with(" 1.0x") && is_early())
}

/// Whether the names are one; a table cuts its name to the room that the size leaves.
fn is_one_name(table: &Reading, csv: &Reading) -> bool {
    let size = table.imported.value("file_size").or_else(|| table.imported.parameter("file_size")).unwrap_or_default();
    let is_cut = table.label.is_empty() || table.label.len() + size.len() >= NAME_AND_SIZE;
    table.label == csv.label || (is_cut && csv.label.starts_with(&table.label))
}

/// Whether both say the same of the work where both say it.
fn is_one_work(table: &Imported, csv: &Imported) -> bool {
    table.parameters.iter().all(|(name, text)| csv.parameter(name).is_none_or(|other| other == text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::read;

    const TABLE: &str = "\
Version 1.03e       ------Sequential Output------ --Sequential Input- --Random-
                    -Per Chr- --Block-- -Rewrite- -Per Chr- --Block-- --Seeks--
Machine        Size K/sec %CP K/sec %CP K/sec %CP K/sec %CP K/sec %CP  /sec %CP
host             2G 83720  95 83061  95 18523 100 84567  97 28489  97  1187   0
";
    const LINE: &str = "host,2G,83720,95,83061,95,18523,100,84567,97,28489,97,1187.5,0,,,,,,,,,,,,,\n";

    fn forms(text: &str) -> Vec<(String, u64)> {
        let records = read(text.as_bytes(), None).records;
        records.into_iter().filter_map(|run| run.imported).map(|imported| (imported.form, imported.line)).collect()
    }

    fn csv(line: u64) -> (String, u64) {
        ("CSV".to_owned(), line)
    }

    fn table(line: u64) -> (String, u64) {
        ("table".to_owned(), line)
    }

    #[test]
    fn a_run_told_twice_counts_once_with_the_exact_figures() {
        assert_eq!(forms(&format!("{TABLE}{LINE}")), [csv(5)]);
        assert_eq!(forms(&format!("{LINE}{TABLE}")), [csv(1)]);
        assert_eq!(forms(&format!("{TABLE}{TABLE}{LINE}{LINE}")), [csv(9), csv(10)], "each once");
        assert_eq!(forms(&format!("{TABLE}{TABLE}{LINE}")), [table(5), csv(9)], "the first table is told again");
    }

    #[test]
    fn runs_that_do_not_agree_both_stay() {
        for (from, to) in [("83720", "83721"), (",2G", ",4G"), ("host", "most"), ("1187.5", "1189.5"), (",100,", ",99,")] {
            let other = LINE.replace(from, to);
            assert_eq!(forms(&format!("{TABLE}{other}")), [table(1), csv(5)], "{to}");
        }
    }

    #[test]
    fn the_table_stays_where_the_line_is_cut() {
        let cut = "host,2G,83720,95,83061,95,18523,100,84567,97,284\n";
        assert_eq!(forms(&format!("{TABLE}{cut}")), [table(1)]);
    }

    #[test]
    fn what_the_table_rounds_is_alike() {
        for (table, csv) in [
            ("1187", "1187.5"),
            ("540k", "540"),
            ("728m", "745124"),
            ("1.1g", "1203968"),
            ("0k", "+++++"),
            ("15.8m", "16179"),
            ("+++", "+++\\"),
        ] {
            assert!(is_alike(table, csv), "{table} {csv}");
        }
        for (table, csv) in
            [("1187", "1188.7"), ("540k", "541"), ("728m", "746800"), ("1.1g", "1303968"), ("+++++", "12"), ("12", "13"), ("", "")]
        {
            assert_eq!(is_alike(table, csv), table == csv, "{table} {csv}");
        }
    }
}
