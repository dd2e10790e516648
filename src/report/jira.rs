//! Wiki markup as Jira and Confluence read it in their text mode.

use super::document::{Grid, Item};
use super::markup::{Markup, written};
use super::neighbours::{Letter, with_references};
use super::padding::padded;
use super::{Renderer, Rendering, Report};

/// The format `jira`.
pub struct Jira;

impl Renderer for Jira {
    fn name(&self) -> &'static str {
        "jira"
    }

    fn extension(&self) -> &'static str {
        "jira"
    }

    fn purpose(&self) -> &'static str {
        "an issue of Jira, or a page of Confluence, in wiki markup"
    }

    fn lays_out(&self) -> bool {
        true
    }

    fn render(&self, report: &Report<'_>) -> Rendering {
        written(self, report)
    }
}

impl Markup for Jira {
    fn heading(&self, text: &str) -> Vec<String> {
        vec![format!("h3. {}", escaped(text))]
    }

    fn paragraph(&self, sentences: &[String]) -> Vec<String> {
        sentences.iter().map(|sentence| escaped(sentence)).collect()
    }

    fn list(&self, items: &[Item]) -> Vec<String> {
        let written = |item: &Item| match item {
            Item::Text(text) => escaped(text),
            Item::Code(text) => format!("{{{{{}}}}}", escaped(text)),
        };
        items.iter().map(|item| format!("* {}", written(item))).collect()
    }

    /// An empty cell needs a blank, which every cell has.
    fn grid(&self, grid: &Grid) -> Vec<String> {
        let rows = padded(&grid.sides(), &grid.cells(escaped, |text| format!("*{text}*")));
        let line = |mark: &str, cells: &[String]| format!("{mark} {} {mark}", cells.join(&format!(" {mark} ")));
        rows.iter().enumerate().map(|(place, cells)| line(if place == 0 { "||" } else { "|" }, cells)).collect()
    }

    /// The block ends at the mark of its beginning: a blank is put into one that stands in a line.
    fn verbatim(&self, lines: &[String]) -> Vec<String> {
        let mark = "{noformat}".to_owned();
        let safe = lines.iter().map(|line| line.replace(&mark, "{ noformat}"));
        std::iter::once(mark.clone()).chain(safe).chain([mark.clone()]).collect()
    }
}

/// What Jira makes pictures of, between brackets.
const PICTURES: [&str; 8] = ["(x)", "(i)", "(y)", "(n)", "(on)", "(off)", "(flag)", "(flagoff)"];

/// Text that Jira shows as it is, at the beginning of a line too.
fn escaped(text: &str) -> String {
    let has_picture = PICTURES.iter().any(|picture| text.contains(picture));
    let is_markup = |mark: &Letter| match mark.letter {
        '&' | '<' | '>' | '*' | '^' | '~' | '{' | '}' | '[' | ']' | '!' | '|' | '\\' | '#' | '?' | '@' | '"' | '\'' => true,
        '_' | '+' => !mark.is_in_word(),
        '-' => mark.is_at_end() || !(mark.is_in_word() || mark.stands_alone()),
        '(' => has_picture || mark.after.is_some_and(|after| !after.is_alphanumeric()),
        // `:)`, `;)`, `:P` and `http://`.
        ':' | ';' => mark.after.is_some_and(|after| after != ' ' && !after.is_ascii_digit()),
        '.' => mark.ends_first_word && mark.after.is_some(),
        _ => false,
    };
    with_references(text, is_markup)
}
