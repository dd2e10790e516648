//! The text of 80 columns in ASCII alone, for terminals and mail that know nothing else; the labels stay as they are.

use super::text::text;
use super::{Renderer, Rendering, Report};

/// The format `ascii`.
pub struct Ascii;

impl Renderer for Ascii {
    fn name(&self) -> &'static str {
        "ascii"
    }

    fn extension(&self) -> &'static str {
        "asc"
    }

    fn purpose(&self) -> &'static str {
        "the text in ASCII, but for the labels"
    }

    /// Each character of the text's own that is not ASCII has a stand-in of the same width (LOOK 7).
    fn lays_out(&self) -> bool {
        true
    }

    fn render(&self, report: &Report<'_>) -> Rendering {
        text(report).replace('–', "-").replace('×', "x").replace('µ', "u").replace('…', "~").into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::sample;

    #[test]
    fn it_is_the_text_line_by_line() {
        let records = [sample::run("ext4", 1), sample::run("ext4", 2), sample::run("ext4", 3)];
        let report = Report::of(&records);
        let (ascii, text) = (Ascii.render(&report).text().unwrap().to_owned(), text(&report));
        assert!(ascii.is_ascii() && !text.is_ascii());
        assert!(ascii.lines().zip(text.lines()).all(|(ascii, text)| ascii.chars().count() == text.chars().count()));
    }
}
