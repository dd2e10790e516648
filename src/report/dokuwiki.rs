//! Wiki text as DokuWiki reads it: a table padded to columns, `:::` where the phase of the row above goes on.

use super::document::{Grid, Item, Side};
use super::markup::{Markup, written};
use super::neighbours::{is_simple, with_quotes};
use super::padding::padded;
use super::{Renderer, Rendering, Report};

/// The format `dokuwiki`.
pub struct DokuWiki;

impl Renderer for DokuWiki {
    fn name(&self) -> &'static str {
        "dokuwiki"
    }

    fn extension(&self) -> &'static str {
        "dokuwiki"
    }

    fn purpose(&self) -> &'static str {
        "a page of DokuWiki"
    }

    fn lays_out(&self) -> bool {
        true
    }

    fn render(&self, report: &Report<'_>) -> Rendering {
        written(self, report)
    }
}

impl Markup for DokuWiki {
    /// The text between the marks is no markup to DokuWiki, but `=` at its ends would be taken off: then it is a bold line.
    fn heading(&self, text: &str) -> Vec<String> {
        let text = text.trim_matches(' ');
        vec![if text.starts_with('=') || text.ends_with('=') { strong(&escaped(text)) } else { format!("==== {text} ====") }]
    }

    fn paragraph(&self, sentences: &[String]) -> Vec<String> {
        sentences.iter().map(|sentence| escaped(sentence)).collect()
    }

    fn list(&self, items: &[Item]) -> Vec<String> {
        let written = |item: &Item| match item {
            Item::Text(text) => escaped(text),
            Item::Code(text) => format!("''{}''", quoted(text)),
        };
        items.iter().map(|item| format!("  * {}", written(item))).collect()
    }

    /// Two blanks before a text lean it to the right, two behind it to the left.
    fn grid(&self, grid: &Grid) -> Vec<String> {
        let mut rows = grid.cells(escaped, strong);
        for (texts, cells) in rows.iter_mut().skip(1).zip(&grid.rows) {
            for (text, cell) in texts.iter_mut().zip(cells) {
                if cell.rows == 0 {
                    ":::".clone_into(text);
                }
            }
        }
        let spaced = |mark: &str, cells: &[String]| {
            let cells = cells.iter().zip(grid.sides()).map(|(cell, side)| match side {
                Side::Left => format!("{mark} {cell}  "),
                Side::Right => format!("{mark}  {cell} "),
            });
            format!("{}{mark}", cells.collect::<String>())
        };
        let rows = padded(&grid.sides(), &rows);
        rows.iter().enumerate().map(|(place, cells)| spaced(if place == 0 { "^" } else { "|" }, cells)).collect()
    }

    /// The block ends at the first mark of its end, so the mark is one that the lines have not. Where they have both, a blank is put
    /// into the second.
    fn verbatim(&self, lines: &[String]) -> Vec<String> {
        let has = |end: &str| lines.iter().any(|line| line.contains(end));
        let name = if has("</code>") { "file" } else { "code" };
        let safe = lines.iter().map(|line| if name == "file" { line.replace("</file>", "< /file>") } else { line.clone() });
        std::iter::once(format!("<{name}>")).chain(safe).chain([format!("</{name}>")]).collect()
    }
}

fn strong(text: &str) -> String {
    format!("**{text}**")
}

/// Words that DokuWiki makes a picture of, and the marks of trade that it puts together.
const PICTURES: [&str; 8] = ["LOL", "FIXME", "DELETEME", "8-O", "8-o", "(c)", "(r)", "(tm)"];

/// Text that DokuWiki shows as it is: words with anything that could be markup are quoted.
fn escaped(text: &str) -> String {
    with_quotes(text, |word, _| is_plain(word), quoted)
}

fn is_plain(word: &str) -> bool {
    let small = word.to_lowercase();
    let has_address = ["www.", "ftp."].iter().any(|name| small.contains(name));
    is_simple(word, ".,:;()/%+'-=_?!") && !has_address && !has_product(word) && !PICTURES.iter().any(|picture| word.contains(picture))
}

/// Whether a word is like `640x480`, which gets another sign for its `x`.
fn has_product(word: &str) -> bool {
    let is_digit = |letter: Option<char>| letter.is_some_and(|letter| letter.is_ascii_digit());
    word.match_indices(['x', 'X']).any(|(place, _)| {
        let (before, after) = word.split_at(place);
        is_digit(before.chars().next_back()) && is_digit(after.chars().nth(1))
    })
}

/// Text between marks that make it no markup; there are two kinds, for either can stand in the text.
fn quoted(text: &str) -> String {
    const END: &str = "</nowiki>";
    if !(text.contains("%%") || text.starts_with('%') || text.ends_with('%')) {
        return format!("%%{text}%%");
    }
    let parts = text.split(END).map(|part| if part.is_empty() { String::new() } else { format!("<nowiki>{part}{END}") });
    parts.collect::<Vec<_>>().join(&format!("%%{END}%%"))
}
