//! Text from outside (labels, tags, messages) made safe to print: nothing in it moves the cursor or turns the line around.

/// The most bytes of a label, of all tags together, and of a command: a run must stay a line that can be read again.
pub const MOST_LABEL: usize = 64 << 10;

/// Replaces by `?` each character that has no place of its own in a line: controls, line separators, marks that turn the direction
/// of writing, and characters of no width that are not part of a letter.
#[must_use]
pub fn printable(text: &str) -> String {
    text.chars().map(|character| if has_a_place(character) { character } else { '?' }).collect()
}

/// A label as it is printed: [`printable`], and `(no label)` for an empty one.
#[must_use]
pub fn printable_label(label: &str) -> String {
    if label.trim().is_empty() { "(no label)".to_owned() } else { printable(label) }
}

fn has_a_place(character: char) -> bool {
    let is_separator = matches!(character, '\u{2028}' | '\u{2029}');
    let is_direction = matches!(character, '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let is_invisible = matches!(
        character,
        '\u{00ad}' | '\u{034f}' | '\u{180e}' | '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{2065}' | '\u{206a}'..='\u{206f}'
            | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}'
    );
    !(character.is_control() || is_separator || is_direction || is_invisible)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_place_becomes_a_question_mark() {
        assert_eq!(printable("a\nb\tc\u{1b}[31m\u{7f}\u{85}"), "a?b?c?[31m??");
        assert_eq!(printable("\u{202e}cba\u{2066}\u{200f}\u{200b}\u{feff}\u{2028}"), "?cba?????");
        assert_eq!(printable("btrfs (zstd:3) – Größe 漢字 עברית é"), "btrfs (zstd:3) – Größe 漢字 עברית é");
    }

    #[test]
    fn an_empty_label_is_named() {
        assert_eq!(printable_label(""), "(no label)");
        assert_eq!(printable_label("  "), "(no label)");
        assert_eq!(printable_label("\n"), "(no label)");
        assert_eq!(printable_label("xfs"), "xfs");
    }
}
