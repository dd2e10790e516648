//! Textile as Redmine reads it: the phase in one cell for all its targets.

use super::document::{Cell, Grid, Item, Side};
use super::markup::{Markup, written};
use super::neighbours::{Letter, with_references};
use super::{Renderer, Rendering, Report};

/// The format `textile`.
pub struct Textile;

impl Renderer for Textile {
    fn name(&self) -> &'static str {
        "textile"
    }

    fn extension(&self) -> &'static str {
        "textile"
    }

    fn purpose(&self) -> &'static str {
        "an issue or a page of Redmine in Textile"
    }

    fn lays_out(&self) -> bool {
        true
    }

    fn render(&self, report: &Report<'_>) -> Rendering {
        written(self, report)
    }
}

impl Markup for Textile {
    fn heading(&self, text: &str) -> Vec<String> {
        vec![format!("h3. {}", escaped(text))]
    }

    fn paragraph(&self, sentences: &[String]) -> Vec<String> {
        sentences.iter().map(|sentence| escaped(sentence)).collect()
    }

    fn list(&self, items: &[Item]) -> Vec<String> {
        let written = |item: &Item| match item {
            Item::Text(text) => escaped(text),
            Item::Code(text) => code(text),
        };
        items.iter().map(|item| format!("* {}", written(item))).collect()
    }

    fn grid(&self, grid: &Grid) -> Vec<String> {
        let head = grid.heads.iter().map(|(head, side)| match side {
            Side::Left => format!("|_<. {} ", escaped(head)),
            Side::Right => format!("|_>. {} ", escaped(head)),
        });
        let rows = grid.rows.iter().map(|cells| {
            let cells = cells.iter().zip(grid.sides()).filter_map(|(cell, side)| of_cell(cell, side));
            format!("{}|", cells.collect::<String>())
        });
        std::iter::once(format!("{}|", head.collect::<String>())).chain(rows).collect()
    }

    /// The block ends at the first mark of its end: a blank is put into one that stands in a line.
    fn verbatim(&self, lines: &[String]) -> Vec<String> {
        let safe = lines.iter().map(|line| line.replace("</pre>", "< /pre>"));
        std::iter::once("<pre>".to_owned()).chain(safe).chain(["</pre>".to_owned()]).collect()
    }
}

/// A cell with the mark before it; none where the cell above stands for this row too.
fn of_cell(cell: &Cell, side: Side) -> Option<String> {
    let text = cell.written(escaped, |text| format!("*{text}*"));
    match (cell.rows, side) {
        (0, _) => None,
        (1, Side::Left) => Some(format!("| {text} ")),
        (1, Side::Right) => Some(format!("|>. {text} ")),
        (rows, _) => Some(format!("|/{rows}. {text} ")),
    }
}

/// Text in a fixed width, where it lacks one of the marks of its end.
fn code(text: &str) -> String {
    let text = text.trim_matches(' ');
    match (text.contains('@'), text.contains("</code>")) {
        (false, _) => format!("@{text}@"),
        (true, false) => format!("<code>{text}</code>"),
        (true, true) => escaped(text),
    }
}

/// Text that Textile shows as it is, at the beginning of a line too.
fn escaped(text: &str) -> String {
    let is_markup = |mark: &Letter| match mark.letter {
        '&' | '<' | '>' | '|' | '*' | '_' | '@' | '^' | '~' | '{' | '}' | '[' | ']' | '\\' | '#' | '`' | '"' | '\'' | '!' | '?' => true,
        '%' => mark.before != Some(' ') || mark.after.is_some_and(|after| after != ' '),
        '-' | '+' => mark.is_at_end() || !mark.is_in_word(),
        '=' => mark.is_at_end() || mark.is_repeated(),
        '.' => mark.is_first() || mark.is_repeated() || (mark.ends_first_word && mark.after.is_some()),
        // `(c)`, `CPU(explained)`.
        '(' => mark.before != Some(' ') || mark.after.is_some_and(|after| "CRTcrt".contains(after)),
        ':' | ';' => mark.is_first() || mark.after.is_some_and(|after| !after.is_alphanumeric() && after != ' '),
        'x' | 'X' => is_product(mark),
        _ => false,
    };
    with_references(text, is_markup)
}

/// Whether an `x` stands between numbers, which would make another sign of it.
fn is_product(mark: &Letter) -> bool {
    let is_number = |neighbour: Option<char>| neighbour.is_some_and(|letter| letter == ' ' || letter.is_ascii_digit());
    is_number(mark.before) && is_number(mark.after)
}
