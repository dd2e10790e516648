//! Wiki text as MediaWiki reads it: a table of class `wikitable`, the phase in one cell for all its targets.

use super::document::{Cell, Grid, Item, Side};
use super::markup::{Markup, written};
use super::neighbours::{Letter, with_references};
use super::{Renderer, Rendering, Report};

/// The format `mediawiki`.
pub struct MediaWiki;

impl Renderer for MediaWiki {
    fn name(&self) -> &'static str {
        "mediawiki"
    }

    fn extension(&self) -> &'static str {
        "mediawiki"
    }

    fn purpose(&self) -> &'static str {
        "a page of Wikipedia and other wikis of MediaWiki"
    }

    fn lays_out(&self) -> bool {
        true
    }

    fn render(&self, report: &Report<'_>) -> Rendering {
        written(self, report)
    }
}

impl Markup for MediaWiki {
    fn heading(&self, text: &str) -> Vec<String> {
        vec![format!("=== {} ===", escaped(text))]
    }

    fn paragraph(&self, sentences: &[String]) -> Vec<String> {
        sentences.iter().map(|sentence| escaped(sentence)).collect()
    }

    fn list(&self, items: &[Item]) -> Vec<String> {
        let written = |item: &Item| match item {
            Item::Text(text) => escaped(text),
            Item::Code(text) => format!("<code>{}</code>", escaped(text)),
        };
        items.iter().map(|item| format!("* {}", written(item))).collect()
    }

    fn grid(&self, grid: &Grid) -> Vec<String> {
        let mut lines = vec![r#"{| class="wikitable" style="text-align:right;white-space:nowrap""#.to_owned()];
        lines.extend(grid.heads.iter().map(|(head, side)| format!("! scope=\"col\"{} | {}", leaning(*side), escaped(head))));
        for cells in &grid.rows {
            lines.push("|-".to_owned());
            lines.extend(row(cells, &grid.sides()));
        }
        lines.push("|}".to_owned());
        lines
    }

    fn verbatim(&self, lines: &[String]) -> Vec<String> {
        let safe = lines.iter().map(|line| preformatted(line));
        std::iter::once("<pre>".to_owned()).chain(safe).chain(["</pre>".to_owned()]).collect()
    }
}

/// The table leans to the right and keeps a number and its unit in one line; a cell of words says that it does not.
fn leaning(side: Side) -> &'static str {
    match side {
        Side::Left => " style=\"text-align:left;white-space:normal\"",
        Side::Right => "",
    }
}

/// The first cell, a head, then the others; those that lean to the right share a line. A blank stands behind each `|`, else a
/// number below zero would be the mark of a row.
fn row(cells: &[Cell], sides: &[Side]) -> Vec<String> {
    let mut lines = Vec::new();
    let mut figures: Vec<String> = Vec::new();
    for (place, (cell, side)) in cells.iter().zip(sides).enumerate() {
        let text = cell.written(escaped, |text| format!("'''{text}'''"));
        if place > 0 && *side == Side::Right {
            figures.push(text);
            continue;
        }
        lines.extend(of_figures(&mut figures));
        match (place, cell.rows) {
            (_, 0) => {}
            (0, 1) => lines.push(format!("! scope=\"row\"{} | {text}", leaning(*side))),
            (0, rows) => lines.push(format!("! scope=\"rowgroup\" rowspan=\"{rows}\"{} | {text}", leaning(*side))),
            (_, _) => lines.push(format!("|{} | {text}", leaning(*side))),
        }
    }
    lines.extend(of_figures(&mut figures));
    lines
}

fn of_figures(figures: &mut Vec<String>) -> Option<String> {
    let cells = std::mem::take(figures);
    (!cells.is_empty()).then(|| format!("| {}", cells.join(" || ")))
}

/// What begins a link without brackets, in lower case.
const LINKS: [&str; 12] = ["//", "bitcoin:", "geo:", "magnet:", "mailto:", "news:", "sip:", "sips:", "sms:", "tel:", "urn:", "xmpp:"];

/// Words that older wikis link together with the number behind them.
const BOOKS: [&str; 3] = ["ISBN ", "PMID ", "RFC "];

/// Text that MediaWiki shows as it is, at the beginning of a line too.
fn escaped(text: &str) -> String {
    let small = text.to_lowercase();
    let has_link = LINKS.iter().any(|link| small.contains(link)) || BOOKS.iter().any(|book| text.contains(book));
    let is_markup = |mark: &Letter| match mark.letter {
        '&' | '<' | '>' | '[' | ']' | '{' | '}' | '|' => true,
        // Two quotes are italics, three tildes a signature, two underscores a switch as in `__TOC__`, two `!` a new head.
        '\'' | '~' | '_' | '!' | '=' => mark.is_at_end() || mark.is_repeated(),
        ':' => mark.is_first() || has_link,
        '*' | '#' | ';' | '-' | '+' => mark.is_first(),
        '0'..='9' => has_link && mark.before == Some(' '),
        _ => false,
    };
    with_references(text, is_markup)
}

/// A line of a block in a fixed width, whose blanks all count.
fn preformatted(line: &str) -> String {
    line.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
