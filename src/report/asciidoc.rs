//! AsciiDoc: the phase in one cell for all its targets.

use super::document::{Cell, Grid, Item, Side};
use super::markup::{Markup, written};
use super::neighbours::{Letter, with_references};
use super::{Renderer, Rendering, Report};

/// The format `asciidoc`.
pub struct AsciiDoc;

impl Renderer for AsciiDoc {
    fn name(&self) -> &'static str {
        "asciidoc"
    }

    fn extension(&self) -> &'static str {
        "adoc"
    }

    fn purpose(&self) -> &'static str {
        "documents in AsciiDoc"
    }

    fn lays_out(&self) -> bool {
        true
    }

    fn render(&self, report: &Report<'_>) -> Rendering {
        written(self, report)
    }
}

impl Markup for AsciiDoc {
    /// Outside of the order of sections, so that it can be pasted under any heading.
    fn heading(&self, text: &str) -> Vec<String> {
        vec!["[discrete]".to_owned(), format!("=== {}", escaped(text))]
    }

    fn paragraph(&self, sentences: &[String]) -> Vec<String> {
        sentences.iter().map(|sentence| escaped(sentence)).collect()
    }

    fn list(&self, items: &[Item]) -> Vec<String> {
        let written = |item: &Item| match item {
            Item::Text(text) => escaped(text),
            Item::Code(text) => format!("``{}``", escaped(text)),
        };
        items.iter().map(|item| format!("* {}", written(item))).collect()
    }

    fn grid(&self, grid: &Grid) -> Vec<String> {
        let options = format!("[%header%autowidth,cols=\"{}*\"]", grid.heads.len());
        let heads: String = grid.heads.iter().map(|(head, side)| format!("{}| {} ", leaning(*side), escaped(head))).collect();
        let of_row = |cells: &Vec<Cell>| cells.iter().zip(grid.sides()).filter_map(|(cell, side)| of_cell(cell, side)).collect();
        let rows = grid.rows.iter().map(of_row);
        let lines = [options, "|===".to_owned(), heads].into_iter().chain(rows).chain(["|===".to_owned()]);
        lines.map(|line| line.trim_end().to_owned()).collect()
    }

    /// The fence is longer than any line of dots in the block. Lines that would be orders to the reader begin with a backslash.
    fn verbatim(&self, lines: &[String]) -> Vec<String> {
        let dots = lines.iter().filter(|line| line.chars().all(|letter| letter == '.')).map(String::len).max().unwrap_or(0);
        let fence = ".".repeat(dots.max(3) + 1);
        let safe = lines.iter().map(|line| if is_order(line) { format!("\\{line}") } else { line.clone() });
        let opening = ["[subs=specialchars]".to_owned(), fence.clone()];
        opening.into_iter().chain(safe).chain([fence.clone()]).collect()
    }
}

/// Whether a line is for the first pass over the text, which knows no blocks.
fn is_order(line: &str) -> bool {
    let line = line.trim_start_matches('\\');
    ["include::", "ifdef::", "ifndef::", "ifeval::", "endif::"].iter().any(|order| line.starts_with(order))
}

/// Every cell says to which side it leans: what is said of a column goes wrong in rows where a cell above stands for the first.
fn leaning(side: Side) -> &'static str {
    match side {
        Side::Left => "<",
        Side::Right => ">",
    }
}

/// A cell with the mark before it; none where the cell above stands for this row too.
fn of_cell(cell: &Cell, side: Side) -> Option<String> {
    let text = cell.written(escaped, |text| format!("**{text}**"));
    match cell.rows {
        0 => None,
        1 => Some(format!("{}| {text} ", leaning(side))),
        rows => Some(format!(".{rows}+{}| {text} ", leaning(side))),
    }
}

/// What makes a box of a paragraph that it begins.
const BOXES: [&str; 5] = ["NOTE:", "TIP:", "IMPORTANT:", "WARNING:", "CAUTION:"];

/// Text that AsciiDoc shows as it is, at the beginning of a line too.
fn escaped(text: &str) -> String {
    let is_box = BOXES.iter().any(|name| text.trim_start_matches(' ').starts_with(name));
    let is_markup = |mark: &Letter| match mark.letter {
        '&' | '<' | '>' | '[' | ']' | '{' | '}' | '|' | '*' | '`' | '#' | '^' | '~' | '+' | '\\' | '"' | '@' | '$' => true,
        '_' => mark.is_repeated() || !mark.is_in_word(),
        '-' | '=' | '/' | '!' | '%' | ',' => mark.is_at_end() || mark.is_repeated(),
        '\'' => mark.is_at_end() || mark.is_repeated() || mark.is_in_word(),
        // `((index))`, `(C)`.
        '(' | ')' => mark.is_repeated() || mark.ends_first_word || mark.after.is_some_and(|after| "CRT".contains(after)),
        '.' => mark.is_first() || mark.is_repeated() || (mark.ends_first_word && mark.after.is_some()),
        ':' | ';' => mark.is_first() || mark.is_repeated() || mark.after == Some('/') || is_box,
        _ => false,
    };
    with_references(text, is_markup)
}
