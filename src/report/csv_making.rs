//! CSV with a row per series and quantity of the filesystems as made: times, space, layout; for spreadsheets and plots.

use super::csv::{fixed, text_of};
use super::differences::{all_tags, in_series};
use super::{Renderer, Rendering, Report, Section, facts};
use crate::model::making::Making;
use crate::model::printable::printable;
use crate::model::quantity::{QUANTITIES, Quantity, QuantityKind};
use crate::model::record::RunRecord;
use crate::model::series::Series;
use crate::stats::Spread;

/// The format `csv-making`.
pub struct CsvMaking;

/// The columns. Never reordered or renamed: scripts rely on them.
const COLUMNS: [&str; 21] = [
    "label",
    "quantity",
    "unit",
    "n",
    "median",
    "low",
    "high",
    "interval",
    "min",
    "max",
    "storage",
    "mkfs",
    "mkfs_version",
    "asked_mount_options",
    "mount_options",
    "profile",
    "batch",
    "filesystem",
    "device",
    "kernel",
    "tags",
];

impl Renderer for CsvMaking {
    fn name(&self) -> &'static str {
        "csv-making"
    }

    fn extension(&self) -> &'static str {
        "csv"
    }

    fn purpose(&self) -> &'static str {
        "a row per series and quantity of the filesystems that a lab made"
    }

    fn compares(&self) -> bool {
        false
    }

    fn render(&self, report: &Report<'_>) -> Rendering {
        text_of(&COLUMNS, report.sections.iter().flat_map(rows)).into()
    }
}

fn rows<'a>(section: &'a Section<'_>) -> impl Iterator<Item = Vec<String>> + 'a {
    section.series.iter().flat_map(|series| {
        let facts = fact_cells(series);
        let measured = QUANTITIES.iter().filter_map(|quantity| Some((quantity, quantity.over(series)?)));
        measured.map(move |(quantity, spread)| [&figure_cells(series, quantity, &spread)[..], &facts].concat())
    })
}

fn figure_cells(series: &Series<'_>, quantity: &Quantity, spread: &Spread) -> [String; 10] {
    let decimals = match quantity.kind {
        QuantityKind::Time => 9,
        QuantityKind::Used | QuantityKind::Free => 0,
        QuantityKind::Extents => 1,
        QuantityKind::Score => 6,
    };
    let cell = |value: f64| fixed(Some(value), decimals);
    [
        series.label.clone(),
        quantity.name.to_owned(),
        quantity.kind.unit().to_owned(),
        spread.n.to_string(),
        cell(spread.median),
        cell(spread.low),
        cell(spread.high),
        spread.interval.name().to_owned(),
        cell(spread.min),
        cell(spread.max),
    ]
}

/// The cells that all quantities of a series share; what is not known is empty.
fn fact_cells(series: &Series<'_>) -> [String; 11] {
    let of = |value: &dyn Fn(&RunRecord) -> Option<String>| in_series(series, value).unwrap_or_default();
    let made = |value: &dyn Fn(&Making) -> Option<&str>| of(&|run| run.making.as_ref().and_then(value).map(printable));
    [
        of(&|run| run.making.as_ref().map(Making::storage_in_words)),
        made(&|making| Some(&making.mkfs)),
        made(&|making| making.mkfs_version.as_deref()),
        made(&|making| Some(&making.mount_options)),
        of(&|run| Some(printable(&run.filesystem.mount_options))),
        of(&|run| Some(printable(&run.profile))),
        of(&|run| Some(run.batch.to_string())),
        of(&|run| Some(printable(&run.filesystem.kind))),
        of(&|run| facts::device_cell(&run.device)),
        of(&|run| run.machine.kernel.as_deref().map(printable)),
        of(&all_tags),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::sample;

    fn text(records: &[RunRecord]) -> String {
        CsvMaking.render(&Report::of(records)).text().unwrap().to_owned()
    }

    #[test]
    fn a_quantity_has_its_row_with_every_cell() {
        let mut records: Vec<RunRecord> = (1..=3).map(|round| sample::made("ext4", round)).collect();
        records[2].making.as_mut().unwrap().mkfs_ns = Some(250_000_001);
        let text = text(&records);
        let mut lines = text.lines();
        assert_eq!(lines.next().unwrap(), COLUMNS.join(","));
        let expected = "ext4,mkfs_s,seconds,3,0.125000000,0.125000000,0.250000001,range,0.125000000,0.250000001,\"image of 2 GiB, written in full\",\
            mkfs.ext4 -q -F {device},mke2fs 1.47.0 (5-Feb-2023),defaults,\"rw,relatime\",std/1,51ce77aa01020304,ext4,sda1 Samsung SSD 870,\
            Linux 6.18.4,";
        assert_eq!(lines.next().unwrap(), expected);
        assert!(text.contains("\next4,score_written,share,3,0.999969,"), "{text}");
        assert_eq!(text.lines().count(), 1 + QUANTITIES.len());
    }

    #[test]
    fn what_was_not_made_or_not_measured_has_no_row() {
        let mut made = sample::made("xfs", 1);
        made.making.as_mut().unwrap().check_ns = None;
        let text = text(&[sample::run("ext4", 1), made]);
        assert!(!text.contains("\next4") && !text.contains("check_s"), "{text}");
        assert_eq!(text.lines().count(), QUANTITIES.len());
    }
}
