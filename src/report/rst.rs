//! reStructuredText as docutils reads it: a table of which each row is a line.

use super::document::{Grid, Item};
use super::markup::{Markup, written};
use super::neighbours::{Letter, rewritten};
use super::padding::padded;
use super::{Renderer, Rendering, Report};

/// The format `rst`.
pub struct Rst;

impl Renderer for Rst {
    fn name(&self) -> &'static str {
        "rst"
    }

    fn extension(&self) -> &'static str {
        "rst"
    }

    fn purpose(&self) -> &'static str {
        "documents in reStructuredText"
    }

    fn lays_out(&self) -> bool {
        true
    }

    fn render(&self, report: &Report<'_>) -> Rendering {
        written(self, report)
    }
}

impl Markup for Rst {
    /// Outside of the order of sections, so that it can be pasted under any heading.
    fn heading(&self, text: &str) -> Vec<String> {
        vec![format!(".. rubric:: {}", escaped(text))]
    }

    fn paragraph(&self, sentences: &[String]) -> Vec<String> {
        sentences.iter().map(|sentence| escaped(sentence)).collect()
    }

    fn list(&self, items: &[Item]) -> Vec<String> {
        let written = |item: &Item| match item {
            Item::Text(text) => escaped(text),
            Item::Code(text) => code(text),
        };
        items.iter().map(|item| format!("- {}", written(item))).collect()
    }

    fn grid(&self, grid: &Grid) -> Vec<String> {
        let opening = [".. csv-table::", "   :header-rows: 1", "   :widths: auto", "   :delim: |", ""];
        let rows = padded(&grid.sides(), &grid.cells(escaped, |text| format!("**{text}**")));
        let line = |cells: &Vec<String>| cells.iter().map(|cell| quoted(cell)).collect::<Vec<_>>().join("| ");
        let rows = rows.iter().map(|cells| format!("   {}", line(cells)).trim_end().to_owned());
        opening.into_iter().map(str::to_owned).chain(rows).collect()
    }

    fn verbatim(&self, lines: &[String]) -> Vec<String> {
        let indented = lines.iter().map(|line| format!("   {line}").trim_end().to_owned());
        ["::".to_owned(), String::new()].into_iter().chain(indented).collect()
    }
}

/// A cell with the sign between cells in it stands between quotes, with its own quotes doubled and no blank behind the last.
fn quoted(cell: &str) -> String {
    if cell.contains(['|', '"']) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { format!("{cell} ") }
}

/// Text in a fixed width. Between its usual marks it can have no backtick.
fn code(text: &str) -> String {
    let text = text.trim_matches(' ');
    if text.contains('`') { format!(":literal:`{}`", escaped(text)) } else { format!("``{text}``") }
}

/// Text that docutils shows as it is, at the beginning of a line too.
fn escaped(text: &str) -> String {
    rewritten(text, |mark, written| {
        // A line of backslashes alone would be a rule; an escaped blank is nothing.
        if mark.is_first() && mark.letter == '\\' {
            written.push_str("\\ ");
        }
        if is_markup(mark) {
            written.push('\\');
        }
        written.push(mark.letter);
    })
}

fn is_markup(mark: &Letter) -> bool {
    match mark.letter {
        '*' | '`' | '|' | '\\' | '@' | '[' | ']' => true,
        '_' => !mark.is_in_word(),
        // A link, a field, a block that follows.
        ':' => mark.is_at_end() || mark.after != Some(' '),
        '.' | ')' => mark.is_first() || mark.ends_first_word,
        letter => mark.is_first() && !letter.is_alphanumeric(),
    }
}
