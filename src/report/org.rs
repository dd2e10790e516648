//! Org as Emacs reads it.

use super::document::{Grid, Item, Side};
use super::markup::{Markup, written};
use super::neighbours::{Letter, rewritten};
use super::padding::{padded, widths};
use super::{Renderer, Rendering, Report};

/// The format `org`.
pub struct Org;

impl Renderer for Org {
    fn name(&self) -> &'static str {
        "org"
    }

    fn extension(&self) -> &'static str {
        "org"
    }

    fn purpose(&self) -> &'static str {
        "files of Org, the notebook of Emacs"
    }

    fn lays_out(&self) -> bool {
        true
    }

    fn render(&self, report: &Report<'_>) -> Rendering {
        written(self, report)
    }
}

impl Markup for Org {
    fn heading(&self, text: &str) -> Vec<String> {
        vec![format!("*** {}", escaped(text))]
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
        let leaning = grid.sides().into_iter().map(|side| match side {
            Side::Left => "<l>".to_owned(),
            Side::Right => "<r>".to_owned(),
        });
        let mut rows = grid.cells(escaped, |text| format!("*{text}*"));
        rows.insert(1.min(rows.len()), leaning.collect());
        let rule: Vec<String> = widths(&rows).iter().map(|width| "-".repeat(width + 2)).collect();
        let mut lines: Vec<String> = padded(&grid.sides(), &rows).iter().map(|cells| format!("| {} |", cells.join(" | "))).collect();
        lines.insert(2.min(lines.len()), format!("|{}|", rule.join("+")));
        lines
    }

    /// A comma before a line keeps it from being a heading or an order, and is taken off by the reader.
    fn verbatim(&self, lines: &[String]) -> Vec<String> {
        let is_markup = |line: &str| line.trim_start().trim_start_matches(',').starts_with(['*', '#']);
        let safe = lines.iter().map(|line| if is_markup(line) { format!(",{line}") } else { line.clone() });
        std::iter::once("#+begin_example".to_owned()).chain(safe).chain(["#+end_example".to_owned()]).collect()
    }
}

/// Keeps marks apart, as Org's manual tells; nobody sees it.
const BETWEEN: char = '\u{200b}';

/// Text in a fixed width.
fn code(text: &str) -> String {
    let text = text.trim_matches(' ');
    match [('~', "~"), ('=', "=")].iter().find(|(mark, _)| !text.contains(*mark)) {
        Some((_, mark)) => format!("{mark}{text}{mark}"),
        None => escaped(text),
    }
}

/// What begins a link without brackets, in lower case.
const LINKS: [&str; 12] = ["doi:", "elisp:", "file:", "ftp:", "help:", "http:", "https:", "id:", "info:", "mailto:", "news:", "shell:"];

/// Text that Org shows as it is, at the beginning of a line too.
fn escaped(text: &str) -> String {
    let small = text.to_lowercase();
    let has_link = LINKS.iter().any(|link| small.contains(link));
    rewritten(text, |mark, written| {
        let name = if mark.letter == ':' && has_link { Some("colon") } else { name(mark) };
        if let Some(name) = name {
            written.push_str(&format!("\\{name}{{}}"));
            return;
        }
        if mark.is_first() && !mark.letter.is_alphanumeric() {
            written.push(BETWEEN);
        }
        if matches!(mark.letter, '.' | ')' | ':') && mark.ends_first_word {
            written.push(BETWEEN);
        }
        written.push(mark.letter);
        if is_opening(mark) {
            written.push(BETWEEN);
        }
    })
}

/// The name of a mark, where it must be called by it.
fn name(mark: &Letter) -> Option<&'static str> {
    let is_bare = mark.is_in_word() || mark.stands_alone();
    match mark.letter {
        '|' => Some("vbar"),
        '_' => Some("under"),
        '^' => Some("asciicirc"),
        '<' => Some("lt"),
        '>' => Some("gt"),
        '$' => Some("dollar"),
        '&' => Some("amp"),
        '*' => Some("star"),
        '~' => Some("tilde"),
        '"' => Some("quot"),
        '+' if !is_bare => Some("plus"),
        '=' if !is_bare => Some("equal"),
        '/' if !is_bare => Some("slash"),
        _ => None,
    }
}

/// Whether a mark could open something together with what stands behind it: links, macros, dashes, `\name`, `[1/2]`, `[fn:1]`.
fn is_opening(mark: &Letter) -> bool {
    match mark.letter {
        '[' | '{' | '}' | '\\' | '@' | '#' => true,
        '%' => mark.is_repeated(),
        '-' | '.' => mark.after == Some(mark.letter),
        '(' => mark.is_repeated(),
        _ => false,
    }
}
