//! CSV with a row per run, phase and kind of operation: how many, how many bytes, and how long one took.

use super::csv::{facts_of, fixed, microseconds, text_of};
use super::{Renderer, Rendering, Report};
use crate::model::aftermath::Kind;
use crate::model::kind_detail::KIND_DETAILS;
use crate::model::printable::{printable, printable_label};
use crate::model::record::{Counted, RunRecord};

/// The format `csv-operations`.
pub struct CsvOperations;

/// The columns. Never reordered or renamed: scripts rely on them.
const COLUMNS: [&str; 20] = [
    "label",
    "run",
    "round",
    "phase",
    "operation",
    "count",
    "bytes",
    "byte_rate",
    "average_us",
    "p50_us",
    "p99_us",
    "max_us",
    "profile",
    "workload_id",
    "batch",
    "filesystem",
    "mount_options",
    "device",
    "kernel",
    "tags",
];

impl Renderer for CsvOperations {
    fn name(&self) -> &'static str {
        "csv-operations"
    }

    fn extension(&self) -> &'static str {
        "csv"
    }

    fn purpose(&self) -> &'static str {
        "a row per run and kind of operation of a file server: count, bytes, latencies"
    }

    fn compares(&self) -> bool {
        false
    }

    fn render(&self, report: &Report<'_>) -> Rendering {
        text_of(&COLUMNS, report.records.iter().zip(1_usize..).flat_map(|(run, number)| rows(run, number))).into()
    }
}

fn rows(run: &RunRecord, number: usize) -> impl Iterator<Item = Vec<String>> + '_ {
    let facts = facts_of(run);
    let counted = run.phases.iter().filter_map(|record| Some((record.name, record.counted()?)));
    let kinds = counted.flat_map(|(phase, counted)| counted.kinds.iter().map(move |kind| (phase, counted, kind)));
    kinds.map(move |(phase, counted, kind)| {
        let before =
            [printable(&run.label), number.to_string(), run.round.to_string(), phase.name().to_owned(), printable_label(&kind.name)];
        [&before[..], &figures(kind, counted), &facts].concat()
    })
}

/// The cells from `count` to `max_us`; what does not apply is empty.
fn figures(kind: &Kind, counted: &Counted) -> [String; 7] {
    let detail = |name: &str| KIND_DETAILS.iter().find(|detail| detail.name == name).and_then(|detail| detail.of(kind, counted));
    let time = |nanoseconds: Option<f64>| nanoseconds.map(microseconds).unwrap_or_default();
    [
        kind.count.to_string(),
        kind.bytes.to_string(),
        fixed(detail("byte_rate"), 3),
        time(detail("average_ns")),
        time(kind.percentile_ns(0.5)),
        time(detail("p99_ns")),
        time(detail("max_ns")),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::phase::Phase;
    use crate::model::sample;

    #[test]
    fn a_kind_has_its_row_in_each_run() {
        let records: Vec<RunRecord> = (1..=2).map(|round| sample::of_phases("ext4", round, &[Phase::FileServer])).collect();
        let text = CsvOperations.render(&Report::of(&records)).text().unwrap().to_owned();
        let mut lines = text.lines();
        assert_eq!(lines.next().unwrap(), COLUMNS.join(","));
        let first = lines.next().unwrap();
        assert!(first.starts_with("ext4,1,1,file_server,close,12000,0,,2.478,"), "{first}");
        assert!(
            first.ends_with(",21.000,custom,000000000c057031,51ce77aa01020304,ext4,\"rw,relatime\",sda1 Samsung SSD 870,Linux 6.18.4,"),
            "{first}"
        );
        assert_eq!(text.lines().count(), 1 + 2 * 4);
        assert!(text.contains("\next4,2,2,file_server,read,9000,35100000,35100000.000,22.420,"), "{text}");
    }
}
