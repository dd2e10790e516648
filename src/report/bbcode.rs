//! The text of 80 columns in a block of code, which every forum of BBCode shows in a fixed width.

use super::text::text;
use super::{Renderer, Rendering, Report};

/// The format `bbcode`.
pub struct BbCode;

impl Renderer for BbCode {
    fn name(&self) -> &'static str {
        "bbcode"
    }

    fn extension(&self) -> &'static str {
        "bbcode"
    }

    fn purpose(&self) -> &'static str {
        "the text as code, for a post in a forum"
    }

    fn lays_out(&self) -> bool {
        true
    }

    fn render(&self, report: &Report<'_>) -> Rendering {
        format!("[code]\n{}[/code]\n", inert(&text(report))).into()
    }
}

/// Marks of the block itself, which would end it or open another. BBCode has no escape, so `(` stands in for their `[`: it is as wide.
fn inert(text: &str) -> String {
    let is_mark =
        |rest: &str| ["[code", "[/code"].iter().any(|mark| rest.get(..mark.len()).is_some_and(|tag| tag.eq_ignore_ascii_case(mark)));
    let letters = text.char_indices();
    letters.map(|(place, letter)| if letter == '[' && text.get(place..).is_some_and(is_mark) { '(' } else { letter }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_ends_the_block() {
        assert_eq!(inert("a [b] [/code] [CODE=x] [/Code\n[cod"), "a [b] (/code] (CODE=x] (/Code\n[cod");
    }
}
