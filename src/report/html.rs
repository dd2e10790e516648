//! The page: one file with the charts in it, for a browser and for print; nothing is fetched, and all of it stands there without scripts.

mod cells;
mod charts;
mod cite;
mod details;
mod environment;
pub mod escape;
mod figures;
mod head;
mod legend;
mod makings;
mod page;
mod ratios;
mod runs;
mod style;
mod summary;

use self::page::{Page, Part};
use super::comparison::Comparison;
use super::table::table;
use super::{Renderer, Rendering, Report, Section, remarks, several};
use askama::Template;

/// The format `html`.
pub struct Html;

impl Renderer for Html {
    fn name(&self) -> &'static str {
        "html"
    }

    fn extension(&self) -> &'static str {
        "html"
    }

    fn purpose(&self) -> &'static str {
        "one page with tables and charts, for a browser and for print"
    }

    fn render(&self, report: &Report<'_>) -> Rendering {
        let mut page = String::new();
        // Writing to memory does not fail.
        let written = page_of(report).render_into(&mut page);
        debug_assert!(written.is_ok(), "a page is written to memory");
        page.push('\n');
        page.into()
    }
}

fn page_of(report: &Report<'_>) -> Page {
    let count = report.sections.len();
    let parts: Vec<Part> = report.sections.iter().enumerate().map(|(place, section)| part(section, place, count)).collect();
    let (heading, lede) = match parts.as_slice() {
        [] => ("No runs".to_owned(), "There is nothing to report.".to_owned()),
        [only] => (only.head.title.clone(), String::new()),
        _ => {
            let said = several("table", &report.sections);
            let (heading, why) = said.split_once(". ").unwrap_or((said.trim_end_matches('.'), ""));
            (heading.to_owned(), why.to_owned())
        }
    };
    let most_targets = report.sections.iter().map(|section| section.series.len()).max().unwrap_or(0);
    Page {
        title: format!("{heading}: barrow"),
        version: env!("CARGO_PKG_VERSION"),
        style: style::style(most_targets, report.sections.iter().any(details::has_tables)),
        script: include_str!("html/script.js"),
        heading,
        lede,
        parts,
    }
}

/// What is made of a section, the `place`-th of so many.
fn part(section: &Section<'_>, place: usize, count: usize) -> Part {
    let (table, targets) = (table(section), cells::Target::all(section));
    let compared = compared(section);
    let ratios = ratios::ratio_table(compared.as_ref().unwrap_or(section), &targets);
    let is_alone = count == 1;
    let id = if is_alone { String::new() } else { format!("s{}-", place + 1) };
    Part {
        of_part: if is_alone { String::new() } else { format!(" of part {}", place + 1) },
        level: if is_alone { 1 } else { 2 },
        head: head::head(section),
        summary: summary::summary(section, &table, &targets),
        missing: remarks::missing(section),
        charts: charts::charts(section, compared.as_ref().unwrap_or(section), &id),
        tables: [figures::figures(section, &table, &targets), ratios]
            .into_iter()
            .flatten()
            .chain(details::tables(section, &targets))
            .collect(),
        made: makings::table(section, &targets),
        runs: runs::runs(section, &targets),
        environment: environment::environment(section),
        legend: legend::legend(section),
        cite: cite::cite(section),
        targets,
        id,
    }
}

/// Of more targets than these the ratios to the first would be too many to read, and of more runs too many to find.
const MOST_COMPARED: usize = 6;
const MOST_RUNS_COMPARED: usize = 100;

/// The section with its first series as the baseline, where none was asked for and there are few series of several runs.
fn compared<'a>(section: &Section<'a>) -> Option<Section<'a>> {
    let most_runs = section.series.iter().map(|series| series.runs.len()).max()?;
    let is_fit = (2..=MOST_COMPARED).contains(&section.series.len()) && (2..=MOST_RUNS_COMPARED).contains(&most_runs);
    (section.comparison.is_none() && is_fit).then(|| Section { comparison: Some(Comparison::of(section, 0)), ..section.clone() })
}

#[cfg(test)]
mod tests;
