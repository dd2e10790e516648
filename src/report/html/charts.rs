//! The charts of a part, each with its sentence and how it is read.

use super::page::ChartInPage;
use crate::report::chart::{CHARTS, ChartKind, operations};
use crate::report::lines::unbroken;
use crate::report::ratios::found;
use crate::report::svg::in_page;
use crate::report::{Section, facts, findings, sweep, verdicts};

/// What the page says of a kind of chart, and when it shows it.
struct InPage {
    kind: &'static str,
    link: &'static str,
    heading: fn(&Section<'_>) -> String,
    finding: fn(&Section<'_>) -> Option<String>,
    is_shown: fn(&Section<'_>) -> bool,
}

/// From so many runs on, every run is worth a dot.
const LEAST_FOR_RUNS: usize = 3;

/// The charts of the page in their order; `history` is drawn only where it is asked for.
const IN_PAGE: &[InPage] = &[
    InPage { kind: "bars", link: "Rates", heading: |_| "Rates".to_owned(), finding: findings::widest_gap, is_shown: |_| true },
    InPage {
        kind: "runs",
        link: "Runs",
        heading: |_| "Every run".to_owned(),
        finding: findings::widest_range,
        is_shown: |section| section.measured().iter().any(|(_, summary)| summary.n >= LEAST_FOR_RUNS),
    },
    InPage {
        kind: "ratio",
        link: "Ratio",
        heading: |section| format!("Ratio to {}", baseline(section).unwrap_or_default()),
        finding: |section| Some(verdicts::sentences(section).join(" ")),
        is_shown: |section| section.comparison.as_ref().is_some_and(|comparison| found(section, comparison).next().is_some()),
    },
    InPage {
        kind: "cpu",
        link: "CPU",
        heading: |_| "CPU".to_owned(),
        finding: findings::highest_cpu,
        is_shown: |section| section.measured().iter().any(|(_, summary)| summary.cpu_own.or(summary.cpu_system).is_some()),
    },
    InPage {
        kind: "latency",
        link: "Latency",
        heading: |_| "Latency".to_owned(),
        finding: findings::slowest_operation,
        is_shown: |section| section.measured().iter().any(|(_, summary)| summary.latency_max_ns.is_some()),
    },
    InPage {
        kind: "sweep",
        link: "Sweep",
        heading: |_| "Rate by position".to_owned(),
        finding: |section| Some(sweep::sentences(section).join(" ")),
        is_shown: |section| !sweep::sentences(section).is_empty(),
    },
    InPage {
        kind: "operations",
        link: "Kinds",
        heading: |_| "Kinds of operations".to_owned(),
        finding: findings::slowest_kind,
        is_shown: operations::is_known,
    },
    InPage { kind: "trend", link: "Trend", heading: |_| "Within a phase".to_owned(), finding: findings::steadiness, is_shown: |_| true },
];

fn baseline<'s>(section: &'s Section<'_>) -> Option<&'s str> {
    Some(section.series.get(section.comparison.as_ref()?.baseline)?.name.as_str())
}

/// The charts of a section, whose ratios are those of `compared`. `id` begins their ids.
pub fn charts(section: &Section<'_>, compared: &Section<'_>, id: &str) -> Vec<ChartInPage> {
    if section.measured().is_empty() {
        return Vec::new();
    }
    let section_of = |chart: &InPage| if chart.kind == "ratio" { compared } else { section };
    let shown = IN_PAGE.iter().filter(|chart| (chart.is_shown)(section_of(chart)));
    shown.filter_map(|chart| drawn(section_of(chart), chart, CHARTS.iter().find(|kind| kind.name == chart.kind)?, id)).collect()
}

fn drawn(section: &Section<'_>, in_page_as: &InPage, kind: &ChartKind, id: &str) -> Option<ChartInPage> {
    let chart = kind.of(section);
    let [wide, narrow] = in_page(&chart, &format!("{id}{}", kind.name));
    let extent = format!(" {}.", facts::extent(section));
    (!chart.drawing.is_empty()).then(|| ChartInPage {
        id: kind.name,
        link: in_page_as.link,
        heading: (in_page_as.heading)(section),
        finding: unbroken(&(in_page_as.finding)(section).unwrap_or_default()),
        // How much was run stands in the head of the page.
        how: unbroken(&chart.reading.replace(&extent, "")),
        wide,
        narrow,
    })
}
