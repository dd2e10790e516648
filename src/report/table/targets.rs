//! The table turned round: a row a target, a column a phase, as data without any layout.

use super::{Row, row};
use crate::model::phase::{Group, Phase, Unit};
use crate::model::summary::PhaseSummary;
use crate::report::Section;
use crate::report::figures::{RateFigures, narrow_rate_figures, rate_figures};
use crate::stats::Spread;
use crate::units::rounded_size;

/// The figures of a section, column by column.
pub struct Targets {
    /// The names of the series, a row each.
    pub labels: Vec<String>,
    pub groups: Vec<GroupColumns>,
}

/// Phases of a group.
pub struct GroupColumns {
    pub group: Group,
    /// The unit of every rate in it: `MiB/s`, `1000 files/s`.
    pub unit: String,
    pub columns: Vec<PhaseColumn>,
}

/// A phase with a cell a series, in the order of the labels.
pub struct PhaseColumn {
    pub phase: Phase,
    /// Its name under that of its group: `create`; of seeks their size, `4 KiB`.
    pub head: String,
    pub cells: Vec<Row>,
}

/// What the rates of a group are given in: its name, and how many of the usual unit of the group are in one.
struct Scale {
    unit: String,
    many: f64,
    figures: fn(&Spread, f64) -> RateFigures,
}

impl Scale {
    fn usual(section: &Section<'_>, group: Group) -> Self {
        Self { unit: usual_unit(section, group).to_owned(), many: 1.0, figures: rate_figures }
    }
}

/// From this rate on, seeks and files are given in thousands where there is little room.
const LEAST_IN_THOUSANDS: f64 = 10_000.0;

/// The columns in the units of the table.
pub fn targets(section: &Section<'_>) -> Targets {
    in_scales(section, |group| Scale::usual(section, group))
}

/// The columns where there is little room: fewer digits, and a group with large numbers of seeks or files has them in thousands.
pub fn narrow_targets(section: &Section<'_>) -> Targets {
    in_scales(section, |group| {
        let (unit, many) = match has_large_numbers(section, group) {
            true => (format!("1000 {}", usual_unit(section, group)), 1000.0),
            false => (usual_unit(section, group).to_owned(), 1.0),
        };
        Scale { unit, many, figures: narrow_rate_figures }
    })
}

/// The columns in the units of Bonnie++, whose K is a KiB.
pub fn bonnie_targets(section: &Section<'_>) -> Targets {
    in_scales(section, |group| match group {
        Group::Block | Group::Character => Scale { unit: "K/sec".to_owned(), many: 1.0 / 1024.0, figures: rate_figures },
        Group::Seek
        | Group::Sequential
        | Group::Random
        | Group::Small
        | Group::Sync
        | Group::Transfer
        | Group::Server
        | Group::Tree
        | Group::Large
        | Group::Device
        | Group::Command => Scale { unit: "/sec".to_owned(), many: 1.0, figures: rate_figures },
    })
}

fn usual_unit(section: &Section<'_>, group: Group) -> &'static str {
    section.phases.iter().find(|phase| phase.row().group == group).map_or("", |phase| phase.row().unit.rate().0)
}

fn has_large_numbers(section: &Section<'_>, group: Group) -> bool {
    let is_counted = |phase: Phase| phase.row().group == group && phase.row().unit != Unit::Bytes;
    let measured = section.measured().into_iter().filter(|(_, summary)| is_counted(summary.phase));
    measured.filter_map(|(_, summary)| summary.rate).any(|rate| rate.high >= LEAST_IN_THOUSANDS)
}

fn in_scales(section: &Section<'_>, scale_of: impl Fn(Group) -> Scale) -> Targets {
    let mut groups: Vec<GroupColumns> = Vec::new();
    for phase in &section.phases {
        let summaries = section.rows(*phase);
        if summaries.is_empty() {
            continue;
        }
        let group = phase.row().group;
        let scale = scale_of(group);
        let (_, unit) = phase.row().unit.rate();
        let cell = |(place, summary): &(usize, &PhaseSummary)| {
            let usual = row(&name_of(section, *place), summary, unit * scale.many);
            match summary.rate {
                Some(rate) => Row { rate: (scale.figures)(&rate, unit * scale.many), ..usual },
                None => usual,
            }
        };
        let cells = summaries.iter().map(cell).collect();
        let column = PhaseColumn { phase: *phase, head: head(section, *phase), cells };
        match groups.iter_mut().find(|other| other.group == group) {
            Some(known) => known.columns.push(column),
            None => groups.push(GroupColumns { group, unit: scale.unit, columns: vec![column] }),
        }
    }
    Targets { labels: section.series.iter().map(|series| series.name.clone()).collect(), groups }
}

/// The last word of the title; for seeks their size, where all series have one.
fn head(section: &Section<'_>, phase: Phase) -> String {
    match phase.row().group {
        Group::Block | Group::Seek | Group::Sequential | Group::Random | Group::Character => {}
        // Of these the last word alone does not tell them apart.
        Group::Small | Group::Sync | Group::Transfer | Group::Server | Group::Tree | Group::Large | Group::Device | Group::Command => {
            return phase.row().title.to_owned();
        }
    }
    let mut sizes: Vec<u64> =
        section.series.iter().map(|series| series.first.settings().map_or(0, |settings| settings.seek_size)).collect();
    sizes.dedup();
    match sizes.as_slice() {
        [size] if *size > 0 && phase == Phase::RandomSeek => rounded_size(*size),
        _ => phase.row().title.rsplit(' ').next().unwrap_or_default().to_lowercase(),
    }
}

fn name_of(section: &Section<'_>, place: usize) -> String {
    section.series.get(place).map(|series| series.name.clone()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::record::{PhaseRecord, RunRecord};
    use crate::model::sample;
    use crate::report::Report;
    use crate::report::table::table;

    fn rates(rates: &[(&str, f64)]) -> Vec<RunRecord> {
        let run = |(label, rate): &(&str, f64)| {
            let mut run = sample::run(label, 1);
            sample::set_rate(&mut run, Phase::RandomSeek, *rate);
            run
        };
        rates.iter().map(run).collect()
    }

    #[test]
    fn each_cell_is_the_row_of_the_table() {
        let mut records = rates(&[("ext4", 120.0), ("xfs", 31_822.0)]);
        *sample::phase_mut(&mut records[1], Phase::Rewrite) = PhaseRecord::failed(Phase::Rewrite, "no space");
        let report = Report::of(&records);
        let targets = targets(&report.sections[0]);
        assert_eq!(targets.labels, ["ext4", "xfs"]);
        let columns: Vec<&PhaseColumn> = targets.groups.iter().flat_map(|group| &group.columns).collect();
        let table = table(&report.sections[0]);
        let phases: Vec<_> = table.blocks.iter().flat_map(|block| &block.phases).collect();
        assert_eq!((columns.len(), phases.len()), (10, 10));
        for (column, phase) in columns.iter().zip(phases) {
            let figures =
                |rows: &[Row]| rows.iter().map(|row| (row.label.clone(), row.rate.clone(), row.flags.clone())).collect::<Vec<_>>();
            assert_eq!(figures(&column.cells), figures(&phase.rows));
        }
    }

    #[test]
    fn large_numbers_are_given_in_thousands_where_there_is_little_room() {
        let figures = |records: &[RunRecord]| {
            let targets = narrow_targets(&Report::of(records).sections[0]);
            let seeks = targets.groups.into_iter().find(|group| group.group == Group::Seek).unwrap();
            (seeks.unit, seeks.columns[0].cells.iter().map(|cell| cell.rate.median.clone()).collect::<Vec<_>>())
        };
        assert_eq!(figures(&rates(&[("ext4", 120.0), ("xfs", 31_822.0)])), ("1000 seeks/s".into(), vec!["0.120".into(), "31.8".into()]));
        assert_eq!(figures(&rates(&[("ext4", 120.0), ("xfs", 9_980.0)])), ("seeks/s".into(), vec!["120".into(), "9,980".into()]));
    }
}
