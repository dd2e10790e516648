//! CSV with a row per run and phase of what the format `csv` has no column for: bytes, transfers a second, space, extents, programs.

use super::csv::{facts_of, fixed, seconds};
use super::{Renderer, Rendering, Report};
use crate::model::detail::{DETAILS, has_details};
use crate::model::printable::printable;
use crate::model::record::{PhaseRecord, RunRecord};

/// The format `csv-details`.
pub struct CsvDetails;

/// The columns. Never reordered or renamed: scripts rely on them.
const COLUMNS: [&str; 29] = [
    "label",
    "run",
    "round",
    "phase",
    "unit",
    "status",
    "work",
    "operations",
    "elapsed_s",
    "rate",
    "bytes",
    "byte_rate",
    "operation_rate",
    "cpu_s",
    "free_bytes",
    "files",
    "extents",
    "exit",
    "signal",
    "output_bytes",
    "left_processes",
    "profile",
    "workload_id",
    "batch",
    "filesystem",
    "mount_options",
    "device",
    "kernel",
    "tags",
];

impl Renderer for CsvDetails {
    fn name(&self) -> &'static str {
        "csv-details"
    }

    fn extension(&self) -> &'static str {
        "csv"
    }

    fn purpose(&self) -> &'static str {
        "a row per run and phase: bytes, transfers a second, free space, extents, exit status"
    }

    fn compares(&self) -> bool {
        false
    }

    fn render(&self, report: &Report<'_>) -> Rendering {
        let runs = report.records.iter().zip(1_usize..).filter(|(run, _)| run.phases.iter().any(has_details));
        super::csv::text_of(&COLUMNS, runs.flat_map(|(run, number)| rows(run, number))).into()
    }
}

fn rows(run: &RunRecord, number: usize) -> impl Iterator<Item = Vec<String>> + '_ {
    let facts = facts_of(run);
    run.phases.iter().map(move |record| {
        let row = record.name.row();
        let before = [printable(&run.label), number.to_string(), run.round.to_string(), row.name.to_owned(), row.unit.name().to_owned()];
        [&before[..], &counted_cells(record), &found_cells(record), &facts].concat()
    })
}

/// The cells from `status` to `cpu_s`; what is not known is empty.
fn counted_cells(record: &PhaseRecord) -> [String; 9] {
    let counted = record.counted();
    let detail = |name: &str, decimals: usize| {
        let detail = DETAILS.iter().find(|detail| detail.name == name);
        fixed(detail.and_then(|detail| detail.of(record)), decimals)
    };
    [
        record.status.name().to_owned(),
        counted.map(|counted| counted.work.to_string()).unwrap_or_default(),
        counted.map(|counted| counted.operations.to_string()).unwrap_or_default(),
        counted.map(|counted| seconds(counted.elapsed_ns)).unwrap_or_default(),
        fixed(record.rate(), 3),
        counted.and_then(|counted| counted.bytes).map(|bytes| bytes.to_string()).unwrap_or_default(),
        detail("byte_rate", 3),
        detail("operation_rate", 3),
        detail("cpu_s", 6),
    ]
}

/// The cells from `free_bytes` to `left_processes`.
fn found_cells(record: &PhaseRecord) -> [String; 7] {
    let text = |number: Option<u64>| number.map(|number| number.to_string()).unwrap_or_default();
    let program = record.after.program.as_ref();
    let status = |number: Option<i32>| number.map(|number| number.to_string()).unwrap_or_default();
    [
        text(record.after.free_bytes),
        text(record.after.files),
        text(record.after.extents),
        status(program.and_then(|program| program.exit)),
        status(program.and_then(|program| program.signal)),
        text(program.map(|program| program.output_bytes)),
        text(program.map(|program| program.left_processes)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::sample;

    fn text(records: &[RunRecord]) -> String {
        CsvDetails.render(&Report::of(records)).text().unwrap().to_owned()
    }

    #[test]
    fn a_phase_has_its_row_with_every_cell() {
        let run =
            sample::of_phases("ext4", 2, &[sample::phases_of("tree"), sample::phases_of("blocks"), sample::phases_of("commands")].concat());
        let text = text(&[run]);
        assert_eq!(text.lines().next().unwrap(), COLUMNS.join(","));
        let line = |start: &str| text.lines().find(|line| line.starts_with(start)).unwrap();
        let facts = "custom,000000000c057031,51ce77aa01020304,ext4,\"rw,relatime\",sda1 Samsung SSD 870,Linux 6.18.4,";
        let tree =
            "ext4,1,2,tree_unpack,files,ok,50000,100,1.000000000,50000.000,209715200,209715200.000,,0.160000,39728447488,200,214,,,,,";
        assert_eq!(line("ext4,1,2,tree_unpack"), format!("{tree}{facts}"));
        assert!(line("ext4,1,2,random_read_4k_4w").contains(",524288000.000,,524288000.000,100.000,,,,,"), "{text}");
        assert!(line("ext4,1,2,command:build").contains(",programs,ok,1,100,83.000000000,0.012,,,,0.160000,,,,0,,120,0,custom,"), "{text}");
    }

    #[test]
    fn runs_without_details_have_no_row() {
        assert_eq!(text(&[sample::run("ext4", 1)]).lines().count(), 1);
    }
}
