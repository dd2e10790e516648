//! Wiki text as Trac reads it: a table padded to columns, words that could be markup in a fixed width.

use super::document::{Grid, Item, Side};
use super::markup::{Markup, written};
use super::neighbours::{is_simple, with_quotes};
use super::padding::padded;
use super::{Renderer, Rendering, Report};

/// The format `trac`.
pub struct Trac;

impl Renderer for Trac {
    fn name(&self) -> &'static str {
        "trac"
    }

    fn extension(&self) -> &'static str {
        "trac"
    }

    fn purpose(&self) -> &'static str {
        "a page or a ticket of Trac"
    }

    fn lays_out(&self) -> bool {
        true
    }

    fn render(&self, report: &Report<'_>) -> Rendering {
        written(self, report)
    }
}

impl Markup for Trac {
    fn heading(&self, text: &str) -> Vec<String> {
        vec![format!("=== {} ===", escaped(text))]
    }

    fn paragraph(&self, sentences: &[String]) -> Vec<String> {
        sentences.iter().map(|sentence| escaped(sentence)).collect()
    }

    fn list(&self, items: &[Item]) -> Vec<String> {
        let written = |item: &Item| match item {
            Item::Text(text) => escaped(text),
            Item::Code(text) => quoted(text),
        };
        items.iter().map(|item| format!(" * {}", written(item))).collect()
    }

    /// A blank before a text and none behind it lean it to the right, the other way round to the left.
    fn grid(&self, grid: &Grid) -> Vec<String> {
        let line = |opening: &str, closing: &str, cells: &[String]| {
            let cells = cells.iter().zip(grid.sides()).map(|(cell, side)| match side {
                Side::Left => format!("||{opening}{cell} {closing}"),
                Side::Right => format!("||{opening} {cell}{closing}"),
            });
            format!("{}||", cells.collect::<String>())
        };
        let rows = padded(&grid.sides(), &grid.cells(escaped, |text| format!("'''{text}'''")));
        let of_row = |(place, cells): (usize, &Vec<String>)| if place == 0 { line("=", "=", cells) } else { line("", "", cells) };
        rows.iter().enumerate().map(of_row).collect()
    }

    /// A line of `}}}` alone would end the block, and one that begins with `{{{` begin another in it: a blank is put into these.
    fn verbatim(&self, lines: &[String]) -> Vec<String> {
        let safe = lines.iter().map(|line| match line.trim() {
            "}}}" => line.replace("}}}", "}} }"),
            opening if opening.starts_with("{{{") => line.replacen("{{{", "{{ {", 1),
            _ => line.clone(),
        });
        ["{{{", "#!text"].map(str::to_owned).into_iter().chain(safe).chain(["}}}".to_owned()]).collect()
    }
}

/// What makes a link of the word behind its colon.
const LINKS: [&str; 24] = [
    "attachment",
    "browser",
    "bug",
    "changeset",
    "comment",
    "diff",
    "export",
    "htdocs",
    "http",
    "https",
    "issue",
    "log",
    "mailto",
    "milestone",
    "query",
    "raw-attachment",
    "report",
    "repos",
    "search",
    "source",
    "ticket",
    "timeline",
    "wiki",
    "peer",
];

/// Text that Trac shows as it is: words with anything that could be markup are quoted.
fn escaped(text: &str) -> String {
    with_quotes(text, is_plain, quoted)
}

fn is_plain(word: &str, is_first: bool) -> bool {
    is_simple(word, ".,:;()/%+'-=_?") && !(is_first && (word.starts_with(['-', '=']) || is_numeral(word))) && !is_link(word)
}

/// Whether a word begins an item of a list: `1.`, `a.`, `iv.`.
fn is_numeral(word: &str) -> bool {
    let Some(stem) = word.strip_suffix(['.', ')']) else { return false };
    stem.chars().count() == 1 || stem.chars().all(|letter| letter.is_numeric() || "ivxIVX".contains(letter))
}

/// Whether Trac makes a link of a word: a page (`CamelCase`), a revision (`r12`), a place (`ticket:1`).
fn is_link(word: &str) -> bool {
    let parts: Vec<&str> = word.split(|letter: char| !letter.is_alphanumeric()).collect();
    let is_revision = |part: &str| part.strip_prefix('r').is_some_and(|number| number.starts_with(|digit: char| digit.is_ascii_digit()));
    let has_place = || word.contains(':') && parts.iter().any(|part| LINKS.contains(&part.to_lowercase().as_str()));
    parts.iter().any(|part| is_page(part) || is_revision(part)) || has_place()
}

/// Whether a part of a word has two humps of an upper and a lower case letter or more.
fn is_page(part: &str) -> bool {
    let letters: Vec<char> = part.chars().collect();
    letters.windows(2).filter(|pair| matches!(pair, [first, second] if first.is_uppercase() && second.is_lowercase())).count() > 1
}

/// Text between marks that make it no markup; there are two kinds, for either can stand in the text.
fn quoted(text: &str) -> String {
    if !text.contains('`') {
        return format!("`{text}`");
    }
    if !text.contains("}}}") && !text.ends_with('}') {
        return format!("{{{{{{{text}}}}}}}");
    }
    let parts = text.split('`').map(|part| if part.is_empty() { String::new() } else { format!("`{part}`") });
    parts.collect::<Vec<_>>().join("{{{`}}}")
}
