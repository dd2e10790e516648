//! THE QUANTITIES: what is measured of a filesystem that is made for each run, beside the phases. A quantity is a row in [`QUANTITIES`].

use super::making::{Layout, Making};
use super::series::Series;
use crate::stats::Spread;

/// Something that was measured of a filesystem as it was made.
#[derive(Debug)]
pub struct Quantity {
    /// The name for programs, with its unit where it has one: `mkfs_s`, `used_new_bytes`.
    pub name: &'static str,
    /// What it is counted in, and beside which others it stands.
    pub kind: QuantityKind,
    /// Its name under that of its kind: `new`.
    pub head: &'static str,
    /// Its name where it stands alone: `Used new`.
    pub title: &'static str,
    /// What it is, in a line.
    pub meaning: &'static str,
    of: fn(&Making) -> Option<f64>,
}

/// What a quantity is counted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuantityKind {
    /// Seconds that something took.
    Time,
    /// Bytes that something takes.
    Used,
    /// Bytes that are free for everybody.
    Free,
    /// Pieces of a file that do not touch.
    Extents,
    /// The share of a file's blocks that follow the one before, 0 to 1.
    Score,
}

macro_rules! quantities {
    ($($kind:ident $name:literal $head:literal $title:literal $meaning:literal $of:expr;)*) => {
        /// Every quantity, in the order of a report.
        pub const QUANTITIES: &[Quantity] =
            &[$(Quantity { name: $name, kind: QuantityKind::$kind, head: $head, title: $title, meaning: $meaning, of: $of },)*];
    };
}

quantities! {
    Time    "mkfs_s"              "mkfs"       "mkfs"                   "making it"                               |making| seconds(making.mkfs_ns);
    Time    "mount_s"             "mount"      "Mount"                  "mounting it for the first time"          |making| seconds(making.mount_ns);
    Time    "unmount_s"           "unmount"    "Unmount"                "unmounting it, all files removed"        |making| seconds(making.unmount_ns);
    Time    "check_s"             "check"      "Check"                  "checking it then, changing nothing"      |making| seconds(making.check_ns);
    Used    "used_new_bytes"      "new"        "Used new"               "in use when it was new"                  |making| bytes(making.used_new_bytes);
    Used    "file_set_bytes"      "file set"   "Used by file set"       "sequential file set, directories too"    |making| bytes(making.file_set_bytes);
    Used    "fill_bytes"          "filling"    "Used by filling"        "one file, until there was no space"      |making| bytes(making.fill_bytes);
    Free    "free_new_bytes"      "new"        "Free new"               "free when it was new"                    |making| bytes(making.free_new_bytes);
    Free    "free_written_bytes"  "with files" "Free with block files"  "free while the block files lay on it"    |making| bytes(making.free_written_bytes);
    Free    "free_filled_bytes"   "filled"     "Free when filled"       "still free when it was filled"           |making| bytes(making.free_filled_bytes);
    Extents "extents_written"     "written"    "Extents written"        "pieces of the first block file"          |making| extents(making.written);
    Extents "extents_rewritten"   "rewritten"  "Extents rewritten"      "its pieces after the rewrite"            |making| extents(making.rewritten);
    Score   "score_written"       "written"    "Layout score written"   "share of blocks in sequence (Smith and Seltzer 1997)" |making| score(making.written);
    Score   "score_rewritten"     "rewritten"  "Layout score rewritten" "after the rewrite; 1 is one piece, rounded down" |making| score(making.rewritten);
}

fn seconds(nanoseconds: Option<u64>) -> Option<f64> {
    nanoseconds.map(|nanoseconds| nanoseconds as f64 / 1e9)
}

fn bytes(bytes: Option<u64>) -> Option<f64> {
    bytes.map(|bytes| bytes as f64)
}

fn extents(layout: Option<Layout>) -> Option<f64> {
    layout.map(|layout| layout.extents as f64)
}

/// A file of more pieces than blocks has no score: one of the two is wrong.
fn score(layout: Option<Layout>) -> Option<f64> {
    layout?.score().filter(|score| (0.0..=1.0).contains(score))
}

impl Quantity {
    /// What it was in a run, in its unit; `None` where it was not measured.
    #[must_use]
    pub fn of(&self, making: &Making) -> Option<f64> {
        (self.of)(making)
    }

    /// Its spread over the runs of a series that have it; of several batches their range. `None` where no run has it.
    #[must_use]
    pub fn over(&self, series: &Series<'_>) -> Option<Spread> {
        let values: Vec<f64> = series.runs.iter().filter_map(|run| self.of(run.making.as_ref()?)).collect();
        if series.batches > 1 { Spread::with_range(&values) } else { Spread::of(&values) }
    }
}

impl QuantityKind {
    /// The unit in the formats for programs.
    #[must_use]
    pub const fn unit(self) -> &'static str {
        match self {
            Self::Time => "seconds",
            Self::Used | Self::Free => "bytes",
            Self::Extents => "extents",
            Self::Score => "share",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::sample;
    use crate::model::series::Pooling;
    use crate::stats::Interval;
    use std::collections::BTreeSet;

    #[test]
    fn each_quantity_of_a_full_making_is_known_and_in_its_unit() {
        let names: BTreeSet<&str> = QUANTITIES.iter().map(|quantity| quantity.name).collect();
        let titles: BTreeSet<&str> = QUANTITIES.iter().map(|quantity| quantity.title).collect();
        assert_eq!((names.len(), titles.len()), (QUANTITIES.len(), QUANTITIES.len()));
        let making = sample::making();
        let of = |name: &str| QUANTITIES.iter().find(|quantity| quantity.name == name).unwrap().of(&making);
        assert!(QUANTITIES.iter().all(|quantity| quantity.of(&making).is_some()));
        assert_eq!((of("mkfs_s"), of("used_new_bytes"), of("extents_written")), (Some(0.125), Some(24.0 * 1024.0), Some(9.0)));
    }

    #[test]
    fn a_score_that_cannot_be_is_not_known() {
        let mut making = sample::making();
        making.written = Some(Layout { extents: 3, bytes: 8192, block_bytes: 4096 });
        let score = QUANTITIES.iter().find(|quantity| quantity.name == "score_written").unwrap();
        assert_eq!(score.of(&making), None);
    }

    #[test]
    fn runs_have_a_spread_and_batches_a_range() {
        let mut records: Vec<_> = (1..=6).map(|round| sample::made("ext4", round)).collect();
        records[5].making.as_mut().unwrap().mkfs_ns = None;
        let mkfs = &QUANTITIES[0];
        let of = |pooling| mkfs.over(&Series::of(&records, pooling)[0]).unwrap();
        assert_eq!((of(Pooling::Apart).n, of(Pooling::Apart).interval), (5, Interval::Range));
        records[5].making.as_mut().unwrap().mkfs_ns = Some(1);
        let of = |pooling| mkfs.over(&Series::of(&records, pooling)[0]).unwrap();
        assert_eq!(of(Pooling::Apart).interval, Interval::Ci95);
        records[3].batch = crate::model::identity::Identity(9);
        assert_eq!(mkfs.over(&Series::of(&records, Pooling::Pooled)[0]).unwrap().interval, Interval::Range);
    }
}
