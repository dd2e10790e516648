//! A markup: how the parts of a document are written down in it.

use super::document::{Grid, Item, Part, documents};
use super::{Rendering, Report};

/// How parts are written, each as lines without their ends. A markup escapes every text itself.
pub trait Markup {
    /// A heading.
    fn heading(&self, text: &str) -> Vec<String>;
    /// Sentences that follow each other.
    fn paragraph(&self, sentences: &[String]) -> Vec<String>;
    /// A list.
    fn list(&self, items: &[Item]) -> Vec<String>;
    /// A table that has rows.
    fn grid(&self, grid: &Grid) -> Vec<String>;

    /// Lines that stand as they are, in a fixed width.
    fn verbatim(&self, lines: &[String]) -> Vec<String>;
}

/// A report in a markup, with a blank line between its parts.
pub fn written(markup: &impl Markup, report: &Report<'_>) -> Rendering {
    let parts = documents(report).into_iter().flatten();
    let parts = parts.map(|part| match part {
        Part::Heading(text) => markup.heading(&text),
        Part::Paragraph(sentences) => markup.paragraph(&sentences),
        Part::List(items) => markup.list(&items),
        Part::Grid(grid) => markup.grid(&grid),
        Part::Verbatim(lines) => markup.verbatim(&lines),
    });
    let text_of = |lines: Vec<String>| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
    parts.map(text_of).collect::<Vec<_>>().join("\n").into()
}

#[cfg(test)]
mod tests;
