//! Lines of at most 80 columns: display width, padding, wrapping.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The most columns of a line.
pub const COLUMNS: usize = 80;

/// The columns that a text takes on a terminal.
pub fn width(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

/// Blanks before the text, up to a width.
pub fn right(text: &str, columns: usize) -> String {
    format!("{}{text}", blanks(columns.saturating_sub(width(text))))
}

/// Blanks behind the text, up to a width.
pub fn left(text: &str, columns: usize) -> String {
    format!("{text}{}", blanks(columns.saturating_sub(width(text))))
}

/// Figures with blanks behind them, so that set to the right their decimal points stand under each other.
pub fn by_point(figures: &[&str]) -> Vec<String> {
    let fraction = |figure: &str| figure.find('.').map_or(0, |point| figure.len() - point);
    let widest = figures.iter().map(|figure| fraction(figure)).max().unwrap_or(0);
    figures.iter().map(|figure| format!("{figure}{}", blanks(widest - fraction(figure)))).collect()
}

/// So many blanks.
pub fn blanks(count: usize) -> String {
    " ".repeat(count)
}

/// Breaks a text into lines of at most [`COLUMNS`] columns, at blanks where it can (but not between a number and its unit), else
/// behind a `,` `/` or `+`, else anywhere. `first` begins the first line, `next` each further one.
pub fn wrap(text: &str, first: &str, next: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = first.to_owned();
    let mut is_empty = true;
    for word in words(text) {
        let gap = if is_empty { "" } else { " " };
        if width(&line) + width(gap) + width(&word) <= COLUMNS {
            line = format!("{line}{gap}{word}");
            is_empty = false;
            continue;
        }
        if !is_empty {
            lines.push(std::mem::replace(&mut line, next.to_owned()));
        }
        let mut rest = word.as_str();
        while let Some(end) = break_before(rest, COLUMNS.saturating_sub(width(&line))) {
            let (part, more) = rest.split_at(end);
            line.push_str(part);
            lines.push(std::mem::replace(&mut line, next.to_owned()));
            rest = more;
        }
        line.push_str(rest);
        is_empty = rest.is_empty();
    }
    if !is_empty {
        lines.push(line);
    }
    lines
}

/// The longest unit that stays beside its number.
const MOST_UNIT: usize = 5;

/// The words of a text; a number and the short word behind it are one.
fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        match words.last_mut() {
            Some(number) if is_number(number) && width(word) <= MOST_UNIT => *number = format!("{number} {word}"),
            Some(_) | None => words.push(word.to_owned()),
        }
    }
    words
}

/// The text with no break between a number and its unit, for readers that break lines themselves.
pub fn unbroken(text: &str) -> String {
    words(text).iter().map(|word| word.replace(' ', "\u{a0}")).collect::<Vec<_>>().join(" ")
}

fn is_number(word: &str) -> bool {
    word.ends_with(|c: char| c.is_ascii_digit()) && word.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | ',' | '('))
}

/// Joins parts by `gap`, a new line where the next part would not fit; parts that are too long themselves are wrapped.
pub fn packed(parts: &[String], gap: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for part in parts {
        match lines.last_mut() {
            Some(line) if width(line) + width(gap) + width(part) <= COLUMNS => *line = format!("{line}{gap}{part}"),
            Some(_) | None => lines.extend(wrap(part, "", "")),
        }
    }
    lines
}

/// Where to break a word that is too long: the byte behind the last sign at which it may break within some columns, else the last
/// byte within them; at least one character. `None` when it is not too long. Looks no further than where it is.
fn break_before(word: &str, columns: usize) -> Option<usize> {
    let mut taken = 0;
    let mut at_sign = None;
    for (start, character) in word.char_indices() {
        taken += most_columns(character);
        if taken > columns && start > 0 {
            return Some(at_sign.unwrap_or(start));
        }
        if matches!(character, ',' | '/' | '+') {
            at_sign = Some(start + character.len_utf8());
        }
    }
    None
}

/// The columns that a character takes, at the most: it may join with its neighbours, and the mark of an emoji may widen what is
/// before it.
fn most_columns(character: char) -> usize {
    if character == '\u{fe0f}' { 1 } else { character.width().unwrap_or(1) }
}

/// Joins names as in a sentence: `a`, `a and b`, `a, b and c`.
pub fn join_and(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [only] => only.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

/// The text with its first letter in upper case.
pub fn capitalised(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn words_are_wrapped() {
        let text = "a ".repeat(50);
        let lines = wrap(&text, "x: ", "   ");
        assert_eq!(lines.len(), 2);
        assert_eq!(width(&lines[0]), 80);
        assert!(lines[1].starts_with("   a"));
        assert!(wrap("", "x", "y").is_empty());
    }

    #[test]
    fn a_number_keeps_its_unit() {
        let text = format!("{} 100 % of a core", "x".repeat(76));
        assert_eq!(wrap(&text, "", ""), ["x".repeat(76), "100 % of a core".to_owned()]);
        assert_eq!(packed(&["x".repeat(70), "y".repeat(8), "z".to_owned()], "   "), ["x".repeat(70), format!("{}   z", "y".repeat(8))]);
    }

    #[test]
    fn long_words_break_at_a_sign() {
        let options = "rw,relatime,".repeat(10);
        let lines = wrap(&options, "", "  ");
        assert_eq!(lines.len(), 2);
        assert!(lines[0].ends_with(',') && lines[1].starts_with("  r"), "{lines:?}");
        assert_eq!(wrap(&"漢".repeat(50), "", ""), ["漢".repeat(40), "漢".repeat(10)]);
    }

    #[test]
    fn decimal_points_stand_under_each_other() {
        assert_eq!(by_point(&["499.4", "450", "–", "1.25"]), ["499.4 ", "450   ", "–   ", "1.25"]);
    }

    #[test]
    fn names_are_joined_as_in_a_sentence() {
        let names = ["a", "b", "c"].map(str::to_owned);
        assert_eq!((join_and(&names[..1]), join_and(&names[..2]), join_and(&names)), ("a".into(), "a and b".into(), "a, b and c".into()));
        assert_eq!(capitalised("one core"), "One core");
    }

    #[test]
    fn very_long_words_are_wrapped_in_one_pass() {
        // A million letters, and a million marks on one letter: each would take hours if every line looked at all that is left.
        let lines = wrap(&"x".repeat(1 << 20), "", "");
        assert_eq!((lines.len(), lines[0].len()), ((1 << 20) / 80 + 1, 80));
        assert_eq!(wrap(&format!("{}e{}", "x".repeat(80), "\u{301}".repeat(1 << 20)), "", "").len(), 2);
        assert_eq!(wrap(&"❤\u{fe0f}".repeat(60), "", "").iter().map(|line| width(line)).collect::<Vec<_>>(), [80, 40]);
    }

    proptest! {
        #[test]
        fn no_line_is_too_long(text in ".{0,300}", first in " {0,30}", next in " {0,30}") {
            let printable = crate::model::printable::printable(&text);
            for line in wrap(&printable, &first, &next) {
                prop_assert!(width(&line) <= COLUMNS, "{line}");
            }
        }
    }
}
