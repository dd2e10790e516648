//! Charts as SVG, drawn through plotters: for pages, posts and print; dark where the reader's surroundings are dark.

mod backend;
mod beside;
mod canvas;
mod columns;
mod curves;
mod elements;
mod figures;
mod form;
mod letters;
mod marks;
mod palette;
mod plots;
mod sheet;
mod stacked;
mod track;

use super::chart::kind_for;
use super::chart::model::Chart;
use super::{Renderer, Rendering, Report};
pub use backend::escaped;
pub use palette::{TARGETS, classes, variables};

/// The format `svg`: one file with a chart a workload, of the kind that the report asks for, else of the kind that suits the data.
pub struct Svg;

impl Renderer for Svg {
    fn name(&self) -> &'static str {
        "svg"
    }

    fn extension(&self) -> &'static str {
        "svg"
    }

    fn purpose(&self) -> &'static str {
        "a chart with the range of every rate, for pages and posts"
    }

    fn draws(&self) -> bool {
        true
    }

    fn render(&self, report: &Report<'_>) -> Rendering {
        drawing(report).into()
    }
}

/// The charts of a report as one SVG file.
pub fn drawing(report: &Report<'_>) -> String {
    // One kind for the whole file: the first workload decides.
    let kind = report.chart.kind.or_else(|| Some(kind_for(report.sections.first()?)));
    let charts: Vec<_> = report.sections.iter().filter_map(|section| Some(kind?.of(section))).collect();
    sheet::document(&charts, &super::several("chart", &report.sections), form_of(report))
}

/// An SVG file in the form of the report that only says something.
pub fn notice(report: &Report<'_>, title: &str, sentence: &str) -> String {
    sheet::notice(title, sentence, form_of(report))
}

fn form_of(report: &Report<'_>) -> &'static form::Form {
    if report.chart.narrow { &form::NARROW } else { &form::WIDE }
}

/// A chart to stand in a page, for wide screens and for phones. `id` begins all ids in it; its colours are the page's.
pub fn in_page(chart: &Chart, id: &str) -> [String; 2] {
    [form::WIDE, form::NARROW].map(|form| sheet::inline(chart, &form.without_margin(), id))
}

#[cfg(test)]
mod tests;
