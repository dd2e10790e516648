//! The words around a chart: which range it shows, how much was run, and the line at its foot.

use super::rates::MOST_TARGETS;
use crate::model::imported::Imported;
use crate::model::phase::Group;
use crate::model::printable::printable;
use crate::model::settings::Settings;
use crate::report::table::columns;
use crate::report::{Section, facts, quietness};
use crate::stats::Interval;
use crate::units::{rounded_size, with_thousands};

/// Whether any row has a range.
pub fn has_range(section: &Section<'_>) -> bool {
    columns(section).range.is_some()
}

/// The range as it is called within a sentence; `None` where no row has one.
pub fn range_in_words(section: &Section<'_>) -> Option<String> {
    let heading = columns(section).range?;
    Some(match heading.as_str() {
        "95 % CI" => "the 95 % confidence interval of the median".to_owned(),
        "both of 2 runs" => "the range of both runs".to_owned(),
        "range" if has_interval(section) => "the range (95 % CI from 6 runs on)".to_owned(),
        named => format!("the {named}"),
    })
}

/// Whether any row has enough runs for an interval.
fn has_interval(section: &Section<'_>) -> bool {
    section.measured().iter().any(|(_, summary)| summary.rate.is_some_and(|rate| rate.interval == Interval::Ci95))
}

/// How a chart is read, how much was run, and what was left out.
pub fn reading(section: &Section<'_>, mut sentences: Vec<String>) -> String {
    if section.measured().is_empty() {
        sentences = vec!["No phase has a figure.".to_owned()];
    }
    sentences.push(format!("{}.", facts::extent(section)));
    sentences.extend(quietness::sentence(section).map(|_| "The machine was not quiet: measure again before you publish.".to_owned()));
    let left_out = section.series.len().saturating_sub(MOST_TARGETS);
    if left_out > 0 {
        sentences
            .push(format!("The first {MOST_TARGETS} are drawn; the other {} stand in the tables.", with_thousands(left_out as f64, 0)));
    }
    sentences.join(" ")
}

/// `barrow 0.1.0 · std/1 · 4 GiB file, 1 MiB chunks, 4 KiB seeks, 65,536 empty files · Linux 6.18.4 · 2026-11-30 · workload 7f3a…`.
pub fn footnote(section: &Section<'_>) -> String {
    let (extent, dates) = (facts::extent(section), facts::dates(section));
    let mut parts: Vec<String> = facts::title(section).into_iter().filter(|part| *part != extent && *part != dates).collect();
    let date = (!dates.is_empty()).then_some(dates);
    let mut kernels: Vec<String> = section.series.iter().filter_map(|series| series.first.machine.kernel.clone()).collect();
    kernels.dedup();
    let kernel = match kernels.as_slice() {
        [] => None,
        [only] => Some(only.clone()),
        [first, ..] => Some(format!("{first} and others")),
    };
    parts.extend([work(section), kernel, date].into_iter().flatten());
    parts.push(format!("workload {}", section.workload_id));
    printable(&parts.join(" · "))
}

/// `4 GiB file, 1 MiB chunks, 4 KiB seeks, 65,536 empty files`, or what another program said of its work; `None` where nothing of it is known.
pub fn work(section: &Section<'_>) -> Option<String> {
    let first = section.series.first()?.first;
    let parts = match (&first.imported, first.settings()) {
        (Some(imported), _) => work_as_reported(imported),
        (None, Some(settings)) => work_of(settings),
        (None, None) => Vec::new(),
    };
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// What another program said of its work, in its own figures: `80G file`, `16 × 1024 files`.
fn work_as_reported(imported: &Imported) -> Vec<String> {
    let said = |name: &str| imported.parameter(name).filter(|text| !text.is_empty());
    let files = said("num_files").map(|count| format!("{count} × 1024 files"));
    let sizes = said("max_size").map(|most| format!("max_size {most}"));
    [said("file_size").map(|size| format!("{size} file")), said("io_chunk_size").map(|size| format!("{size} chunks")), files, sizes]
        .into_iter()
        .flatten()
        .collect()
}

fn work_of(settings: &Settings) -> Vec<String> {
    let mut parts = Vec::new();
    let has = |groups: &[Group]| groups.iter().any(|group| settings.phases.has(*group));
    if settings.file_size > 0 {
        let sizes = [
            (&[Group::Block, Group::Seek, Group::Transfer][..], settings.file_size, "file"),
            (&[Group::Block], settings.chunk_size, "chunks"),
            (&[Group::Seek], settings.seek_size, "seeks"),
        ];
        parts.extend(sizes.iter().filter(|(groups, ..)| has(groups)).map(|(_, bytes, what)| format!("{} {what}", rounded_size(*bytes))));
    }
    if settings.files > 0 && has(&[Group::Sequential, Group::Random, Group::Small]) {
        let size = match (settings.min_size, settings.max_size) {
            (_, 0) => "empty files".to_owned(),
            (least, most) if least == most => format!("files of {}", rounded_size(most)),
            (least, most) => format!("files of {} – {}", rounded_size(least), rounded_size(most)),
        };
        parts.push(format!("{} {size}", with_thousands(settings.files as f64, 0)));
    }
    parts
}
