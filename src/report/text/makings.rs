//! The filesystems as made in 80 columns: times, then space, then how the test file lay; a line of medians and one of ranges a target.

use super::beside::{Cell, Column, blocks};
use super::slots::Slots;
use crate::model::quantity::QuantityKind;
use crate::report::Section;
use crate::report::legend::Entry;
use crate::report::lines::{blanks, left, width, wrap};
use crate::report::makings::{self, HEADING, Makings, makings};

/// The table, and what explains it; neither where no filesystem was made.
pub fn paragraphs(section: &Section<'_>) -> [Vec<String>; 2] {
    makings(section).map(|makings| [lines(&makings), legend(&makings)]).unwrap_or_default()
}

fn lines(makings: &Makings) -> Vec<String> {
    let (mut times, mut space, mut layout) = (Vec::new(), Vec::new(), Vec::new());
    for column in &makings.columns {
        let part = match column.quantity.kind {
            QuantityKind::Time => &mut times,
            QuantityKind::Used | QuantityKind::Free => &mut space,
            QuantityKind::Extents | QuantityKind::Score => &mut layout,
        };
        part.push(written(column));
    }
    let blocks = blocks(vec![times, space, layout], &makings.labels);
    [HEADING.to_owned(), String::new()].into_iter().chain(blocks).collect()
}

fn written(column: &makings::Column) -> Column {
    let slots = Slots::of(column.cells.iter());
    Column {
        title: column.kind_title(),
        head: column.quantity.head.to_owned(),
        cells: column.cells.iter().map(|figures| Cell::of(figures, &slots)).collect(),
    }
}

fn legend(makings: &Makings) -> Vec<String> {
    explained(&makings.statement(), &makings.legend())
}

/// How a cell is read, then what each column is.
pub fn explained(statement: &str, entries: &[Entry]) -> Vec<String> {
    let indent = entries.iter().map(|entry| width(&entry.word)).max().unwrap_or(0) + 4;
    let columns = entries
        .iter()
        .flat_map(|entry| wrap(&entry.meaning, &left(&format!("  {}", entry.word), indent), &blanks(indent)))
        .collect::<Vec<_>>();
    wrap(statement, "", "").into_iter().chain(columns).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::sample;
    use crate::report::Report;

    #[test]
    fn a_target_has_its_medians_in_a_line_and_its_ranges_below() {
        let mut records: Vec<_> =
            (1..=3).flat_map(|round| ["ext4", "btrfs compress=zstd:3"].map(|label| sample::made(label, round))).collect();
        for (place, run) in records.iter_mut().enumerate() {
            let making = run.making.as_mut().unwrap();
            (making.fill_bytes, making.free_filled_bytes) = (None, None);
            making.mkfs_ns = Some(100_000_000 + 7_000_000 * place as u64);
        }
        let [lines, legend] = paragraphs(&Report::of(&records).sections[0]);
        let text = lines.iter().map(|line| format!("{}\n", line.trim_end())).collect::<String>();
        let expected = "The filesystems as made

                       --------------------- Time, ms ---------------------
                             mkfs         mount       unmount         check
ext4                          114          12.3          31.0           207
                          100–128     12.3–12.3     31.0–31.0       207–207
btrfs compress=zstd:3         121          12.3          31.0           207
                          107–135     12.3–12.3     31.0–31.0       207–207

                       ------- Used, MiB --------    ------- Free, MiB --------
                               new       file set            new     with files
ext4                        0.0234           34.0          1,900          876.0
                     0.0234–0.0234      34.0–34.0    1,900–1,900    876.0–876.0
btrfs compress=zstd:3       0.0234           34.0          1,900          876.0
                     0.0234–0.0234      34.0–34.0    1,900–1,900    876.0–876.0

                       -------- Extents ---------    ------ Layout score ------
                           written      rewritten        written      rewritten
ext4                             9             12         0.9999         0.9999
                               9–9          12–12  0.9999–0.9999  0.9999–0.9999
btrfs compress=zstd:3            9             12         0.9999         0.9999
                               9–9          12–12  0.9999–0.9999  0.9999–0.9999
";
        assert_eq!(text, expected);
        assert!(lines.iter().chain(&legend).all(|line| width(line) <= 80), "{text}{legend:#?}");
        assert_eq!(legend[0], "Each cell: median; range of 3 runs.");
        assert_eq!(legend.len(), 1 + 12, "a line a column: {legend:#?}");
    }
}
