//! THE FILESYSTEMS AS MADE: what was measured of each beside the phases, as data without any layout; a column a quantity, a cell a series.

use super::figures::{NO_FIGURE, RateFigures, byte_unit, count_figures, narrow_rate_figures, rate_figures, share_figures};
use super::legend::Entry;
use super::{Section, ends};
use crate::model::quantity::{QUANTITIES, Quantity, QuantityKind};
use crate::model::series::Series;
use crate::stats::Spread;

/// What heads the table.
pub const HEADING: &str = "The filesystems as made";

/// The quantities of a section.
pub struct Makings {
    /// The series whose filesystems were made for their runs, by their places in the section.
    pub places: Vec<usize>,
    /// Their names.
    pub labels: Vec<String>,
    pub columns: Vec<Column>,
}

/// A quantity with a cell a series, in the order of the labels.
pub struct Column {
    pub quantity: &'static Quantity,
    /// `ms`, `MiB`; empty where it has none.
    pub unit: &'static str,
    pub cells: Vec<RateFigures>,
    spreads: Vec<Spread>,
}

/// The table; `None` where no filesystem was made, or nothing was measured of it.
pub fn makings(section: &Section<'_>) -> Option<Makings> {
    let is_made = |series: &Series<'_>| series.runs.iter().any(|run| run.making.is_some());
    let made: Vec<(usize, &Series<'_>)> = section.series.iter().enumerate().filter(|(_, series)| is_made(series)).collect();
    let spreads = QUANTITIES.iter().map(|quantity| (quantity, made.iter().map(|(_, series)| quantity.over(series)).collect::<Vec<_>>()));
    let occurring: Vec<(&'static Quantity, Vec<Option<Spread>>)> =
        spreads.filter(|(_, spreads)| spreads.iter().any(Option::is_some)).collect();
    let highest = |kind: QuantityKind| {
        let of_kind = occurring.iter().filter(|(quantity, _)| quantity.kind == kind).flat_map(|(_, spreads)| spreads.iter().flatten());
        of_kind.map(|spread| spread.high).fold(0.0, f64::max)
    };
    let columns: Vec<Column> = occurring.iter().map(|(quantity, spreads)| column(quantity, spreads, highest(quantity.kind))).collect();
    (!columns.is_empty()).then(|| Makings {
        places: made.iter().map(|(place, _)| *place).collect(),
        labels: made.iter().map(|(_, series)| series.name.clone()).collect(),
        columns,
    })
}

fn column(quantity: &'static Quantity, spreads: &[Option<Spread>], highest: f64) -> Column {
    let (unit, size) = unit_of(quantity.kind, highest);
    let figures = |spread: &Option<Spread>| match (spread, quantity.kind) {
        (None, _) => RateFigures { median: NO_FIGURE.to_owned(), ..RateFigures::default() },
        (Some(spread), QuantityKind::Time | QuantityKind::Used) => narrow_rate_figures(spread, size),
        (Some(spread), QuantityKind::Free) => rate_figures(spread, size),
        (Some(spread), QuantityKind::Extents) => count_figures(spread),
        (Some(spread), QuantityKind::Score) => share_figures(spread),
    };
    Column { quantity, unit, cells: spreads.iter().map(figures).collect(), spreads: spreads.iter().flatten().copied().collect() }
}

/// From so many seconds on, times are given in seconds.
const LEAST_SECONDS: f64 = 10.0;

/// The unit of all quantities of a kind, by the highest of them, and how many of its own units are in one.
fn unit_of(kind: QuantityKind, highest: f64) -> (&'static str, f64) {
    match kind {
        QuantityKind::Time if highest >= LEAST_SECONDS => ("s", 1.0),
        QuantityKind::Time => ("ms", 1e-3),
        QuantityKind::Used | QuantityKind::Free => byte_unit(highest),
        QuantityKind::Extents | QuantityKind::Score => ("", 1.0),
    }
}

impl Column {
    /// What stands over the columns of its kind: `Time, ms`.
    pub fn kind_title(&self) -> String {
        let name = match self.quantity.kind {
            QuantityKind::Time => "Time",
            QuantityKind::Used => "Used",
            QuantityKind::Free => "Free",
            QuantityKind::Extents => "Extents",
            QuantityKind::Score => "Layout score",
        };
        self.with_unit(name)
    }

    /// What heads it where it stands alone: `Used new, MiB`.
    pub fn title(&self) -> String {
        self.with_unit(self.quantity.title)
    }

    fn with_unit(&self, name: &str) -> String {
        if self.unit.is_empty() { name.to_owned() } else { format!("{name}, {}", self.unit) }
    }
}

impl Makings {
    /// What the ends of the ranges are, where they are all of one kind: `range of 3 runs`; `None` where no cell has a range.
    pub fn range(&self) -> Option<String> {
        ends::range(self.spreads())
    }

    /// How a cell is read: `Each cell: median; range of 3 runs.`
    pub fn statement(&self) -> String {
        ends::statement(self.range().as_deref())
    }

    /// What each column is.
    pub fn legend(&self) -> Vec<Entry> {
        let entry = |column: &Column| Entry { word: column.quantity.title.to_owned(), meaning: column.quantity.meaning.to_owned() };
        self.columns.iter().map(entry).collect()
    }

    fn spreads(&self) -> impl Iterator<Item = &Spread> {
        self.columns.iter().flat_map(|column| &column.spreads)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::record::RunRecord;
    use crate::model::sample;
    use crate::report::Report;

    fn of(records: &[RunRecord]) -> Option<Makings> {
        makings(&Report::of(records).sections[0])
    }

    #[test]
    fn filesystems_that_were_not_made_have_no_table_and_no_row() {
        assert!(of(&[sample::run("ext4", 1)]).is_none());
        let found = of(&[sample::run("ext4", 1), sample::made("xfs", 1)]).unwrap();
        assert_eq!((found.labels, found.places), (vec!["xfs".to_owned()], vec![1]));
    }

    #[test]
    fn a_kind_has_one_unit_by_its_highest_value() {
        let mut records = [sample::made("ext4", 1), sample::made("xfs", 1)];
        let heads = |records: &[RunRecord]| of(records).unwrap().columns.iter().map(Column::kind_title).collect::<Vec<_>>();
        let expected = [("Time, ms", 4), ("Used, MiB", 3), ("Free, MiB", 3), ("Extents", 2), ("Layout score", 2)];
        let expected: Vec<&str> = expected.iter().flat_map(|(title, count)| std::iter::repeat_n(*title, *count)).collect();
        assert_eq!(heads(&records), expected);
        let making = records[1].making.as_mut().unwrap();
        (making.mkfs_ns, making.free_new_bytes) = (Some(12_000_000_000), Some(900 << 30));
        let heads = heads(&records);
        assert_eq!((heads[0].as_str(), heads[7].as_str()), ("Time, s", "Free, GiB"));
        let medians: Vec<String> = of(&records).unwrap().columns[0].cells.iter().map(|cell| cell.median.clone()).collect();
        assert_eq!(medians, ["0.125", "12.0"]);
    }

    #[test]
    fn what_no_run_knows_has_no_column_and_what_one_lacks_a_dash() {
        let mut records = [sample::made("ext4", 1), sample::made("xfs", 1)];
        for run in &mut records {
            run.making.as_mut().unwrap().fill_bytes = None;
        }
        records[0].making.as_mut().unwrap().check_ns = None;
        let found = of(&records).unwrap();
        assert!(found.columns.iter().all(|column| column.quantity.name != "fill_bytes"));
        let check = found.columns.iter().find(|column| column.quantity.name == "check_s").unwrap();
        assert_eq!((check.cells[0].median.as_str(), check.cells[1].median.as_str()), ("–", "207"));
    }

    #[test]
    fn the_range_is_named_by_its_kind() {
        let range = |runs: u32| of(&(1..=runs).map(|round| sample::made("ext4", round)).collect::<Vec<_>>()).unwrap().range();
        assert_eq!(range(1), None);
        assert_eq!(range(2).unwrap(), "both of 2 runs");
        assert_eq!(range(3).unwrap(), "range of 3 runs");
        assert_eq!(range(6).unwrap(), "95 % CI over 6 runs");
        let mut records: Vec<RunRecord> = (1..=3).map(|round| sample::made("ext4", round)).collect();
        records[0].making.as_mut().unwrap().check_ns = None;
        let statement = of(&records).unwrap().statement();
        assert_eq!(statement, "Each cell: median; range of the runs that have it (of 6 or more: 95 % CI).");
    }
}
