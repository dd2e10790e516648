//! A table of BBCode, for forums that have one: XenForo, vBulletin, SMF.

use super::document::{Grid, Item, Side};
use super::markup::{Markup, written};
use super::{Renderer, Rendering, Report};

/// The format `bbcode-table`.
pub struct BbCodeTable;

impl Renderer for BbCodeTable {
    fn name(&self) -> &'static str {
        "bbcode-table"
    }

    fn extension(&self) -> &'static str {
        "bbtable"
    }

    fn purpose(&self) -> &'static str {
        "a table for forums that know [table]"
    }

    fn lays_out(&self) -> bool {
        true
    }

    fn render(&self, report: &Report<'_>) -> Rendering {
        written(self, report)
    }
}

impl Markup for BbCodeTable {
    fn heading(&self, text: &str) -> Vec<String> {
        vec![strong(&inert(text))]
    }

    fn paragraph(&self, sentences: &[String]) -> Vec<String> {
        sentences.iter().map(|sentence| inert(sentence)).collect()
    }

    fn list(&self, items: &[Item]) -> Vec<String> {
        let written = |item: &Item| match item {
            Item::Text(text) => inert(text),
            Item::Code(text) => format!("[font=monospace]{}[/font]", inert(text)),
        };
        let items = items.iter().map(|item| format!("[*]{}", written(item)));
        std::iter::once("[list]".to_owned()).chain(items).chain(["[/list]".to_owned()]).collect()
    }

    fn grid(&self, grid: &Grid) -> Vec<String> {
        let line = |tag: &str, cells: &[String]| {
            let cells = cells.iter().zip(grid.sides()).map(|(cell, side)| match side {
                Side::Right if !cell.is_empty() => format!("[{tag}][right]{cell}[/right][/{tag}]"),
                Side::Left | Side::Right => format!("[{tag}]{cell}[/{tag}]"),
            });
            format!("[tr]{}[/tr]", cells.collect::<String>())
        };
        let rows = grid.cells(inert, strong);
        let rows = rows.iter().enumerate().map(|(place, cells)| line(if place == 0 { "th" } else { "td" }, cells));
        std::iter::once("[table]".to_owned()).chain(rows).chain(["[/table]".to_owned()]).collect()
    }

    fn verbatim(&self, lines: &[String]) -> Vec<String> {
        let safe = lines.iter().map(|line| brackets_rounded(line));
        std::iter::once("[code]".to_owned()).chain(safe).chain(["[/code]".to_owned()]).collect()
    }
}

fn strong(text: &str) -> String {
    format!("[b]{text}[/b]")
}

/// Text without the marks of BBCode, which has no escape: round brackets stand in for `[` and `]`.
fn inert(text: &str) -> String {
    brackets_rounded(text.trim_matches(' '))
}

fn brackets_rounded(text: &str) -> String {
    text.replace('[', "(").replace(']', ")")
}
