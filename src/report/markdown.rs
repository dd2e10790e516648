//! Markdown as GitHub reads it: facts, what limited the run, a table with a row per phase and target, legend and parameters as a list.

mod escape;
mod pipes;

#[cfg(test)]
mod tests;

use super::document::{Grid, Item};
use super::markup::{Markup, written};
use super::{Renderer, Rendering, Report};
use escape::{code, escaped, escaped_line, fenced};

/// The format `markdown`.
pub struct Markdown;

impl Renderer for Markdown {
    fn name(&self) -> &'static str {
        "markdown"
    }

    fn extension(&self) -> &'static str {
        "md"
    }

    fn purpose(&self) -> &'static str {
        "tables for GitHub, GitLab and other readers of Markdown"
    }

    fn lays_out(&self) -> bool {
        true
    }

    fn render(&self, report: &Report<'_>) -> Rendering {
        written(self, report)
    }
}

impl Markup for Markdown {
    fn heading(&self, text: &str) -> Vec<String> {
        vec![format!("### {}", escaped(text))]
    }

    fn paragraph(&self, sentences: &[String]) -> Vec<String> {
        sentences.iter().map(|sentence| escaped_line(sentence)).collect()
    }

    fn list(&self, items: &[Item]) -> Vec<String> {
        let written = |item: &Item| match item {
            Item::Text(text) => escaped_line(text),
            Item::Code(text) => code(text),
        };
        items.iter().map(|item| format!("- {}", written(item))).collect()
    }

    fn grid(&self, grid: &Grid) -> Vec<String> {
        pipes::lines(&grid.sides(), &grid.cells(escaped, |text| format!("**{text}**")))
    }

    fn verbatim(&self, lines: &[String]) -> Vec<String> {
        fenced(lines)
    }
}
