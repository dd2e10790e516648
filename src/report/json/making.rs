//! How the filesystems were made in the document: a run's own, and each quantity over the runs of a series.

use super::summary::SpreadForm;
use super::{finite, known};
use crate::model::making::{Layout, Making, Storage};
use crate::model::printable::printable;
use crate::model::quantity::{QUANTITIES, Quantity};
use crate::model::series::Series;
use serde::Serialize;

/// How the filesystem of a run was made, and what that took.
#[derive(Serialize)]
pub struct MakingForm {
    storage: Storage,
    storage_bytes: u64,
    mkfs: String,
    mkfs_version: Option<String>,
    mount_options: String,
    features: Vec<String>,
    mkfs_s: Option<f64>,
    mount_s: Option<f64>,
    unmount_s: Option<f64>,
    check_s: Option<f64>,
    check_words: Option<String>,
    used_new_bytes: Option<u64>,
    free_new_bytes: Option<u64>,
    free_written_bytes: Option<u64>,
    file_set_bytes: Option<u64>,
    fill_bytes: Option<u64>,
    free_filled_bytes: Option<u64>,
    written: Option<LayoutForm>,
    rewritten: Option<LayoutForm>,
}

/// How a file lay.
#[derive(Serialize)]
struct LayoutForm {
    extents: u64,
    bytes: u64,
    block_bytes: u64,
    score: Option<f64>,
}

impl MakingForm {
    /// How the filesystem of a run was made.
    pub fn of(making: &Making) -> Self {
        let seconds = |nanoseconds: Option<u64>| nanoseconds.map(|nanoseconds| nanoseconds as f64 / 1e9);
        Self {
            storage: making.storage,
            storage_bytes: making.storage_bytes,
            mkfs: printable(&making.mkfs),
            mkfs_version: making.mkfs_version.as_deref().and_then(known),
            mount_options: printable(&making.mount_options),
            features: making.features.iter().map(|feature| printable(feature)).collect(),
            mkfs_s: seconds(making.mkfs_ns),
            mount_s: seconds(making.mount_ns),
            unmount_s: seconds(making.unmount_ns),
            check_s: seconds(making.check_ns),
            check_words: making.check_words.as_deref().map(printable),
            used_new_bytes: making.used_new_bytes,
            free_new_bytes: making.free_new_bytes,
            free_written_bytes: making.free_written_bytes,
            file_set_bytes: making.file_set_bytes,
            fill_bytes: making.fill_bytes,
            free_filled_bytes: making.free_filled_bytes,
            written: making.written.map(LayoutForm::of),
            rewritten: making.rewritten.map(LayoutForm::of),
        }
    }
}

impl LayoutForm {
    fn of(layout: Layout) -> Self {
        Self { extents: layout.extents, bytes: layout.bytes, block_bytes: layout.block_bytes, score: finite(layout.score()) }
    }
}

/// A quantity over the runs of a series.
#[derive(Serialize)]
pub struct QuantityForm {
    quantity: &'static str,
    unit: &'static str,
    #[serde(flatten)]
    spread: SpreadForm,
}

impl QuantityForm {
    /// Those of a series that any of its runs has.
    pub fn all(series: &Series<'_>) -> Vec<Self> {
        let form = |quantity: &Quantity| {
            let spread = SpreadForm::of(&quantity.over(series)?);
            Some(Self { quantity: quantity.name, unit: quantity.kind.unit(), spread })
        };
        QUANTITIES.iter().filter_map(form).collect()
    }
}
