//! Text that a reader of Markdown gives back as it was: nothing in a label or a reason becomes markup.

use crate::report::neighbours::rewritten;

/// Characters that mean something anywhere in a line of GitHub's Markdown; `$` begins mathematics there, `^` does in other readers.
const MARKUP: &[char] = &['\\', '`', '*', '_', '[', ']', '<', '>', '|', '~', '&', '$', '^'];

/// Text within a line or a cell. Blanks at its ends, which no reader keeps, are taken off. In an address that GitHub would make a link
/// of, it would show the backslashes of other marks, so that its own beginning is escaped too.
pub fn escaped(text: &str) -> String {
    let has_host = text.to_lowercase().contains("www.");
    rewritten(text, |mark, safe| {
        let is_address = (mark.letter == ':' && mark.after == Some('/')) || (mark.letter == '.' && has_host);
        if is_address || MARKUP.contains(&mark.letter) {
            safe.push('\\');
        }
        safe.push(mark.letter);
    })
}

/// Text that begins a line: what would make it a heading, a list item or a rule there is escaped too.
pub fn escaped_line(text: &str) -> String {
    let safe = escaped(text);
    let digits = safe.chars().take_while(char::is_ascii_digit).count();
    let mark = if safe.starts_with(['#', '+', '-', '=']) {
        Some(0)
    } else {
        (digits > 0 && safe[digits..].starts_with(['.', ')'])).then_some(digits)
    };
    match mark {
        Some(place) => format!("{}\\{}", &safe[..place], &safe[place..]),
        None => safe,
    }
}

/// Text in a code span. Its fence is longer than any row of backticks in it.
pub fn code(text: &str) -> String {
    let longest = text.split(|character| character != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    // The reader takes one blank off each end, where there is one at both.
    let is_at_edge = |mark: char| text.starts_with(mark) || text.ends_with(mark);
    let pad = if is_at_edge('`') || is_at_edge(' ') { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// Lines in a code block. Its fence is longer than any row of backticks in them.
pub fn fenced(lines: &[String]) -> Vec<String> {
    let rows = lines.iter().flat_map(|line| line.split(|character| character != '`'));
    let fence = "`".repeat(rows.map(str::len).max().unwrap_or(0).max(2) + 1);
    std::iter::once(&fence).chain(lines).chain([&fence]).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_is_escaped() {
        assert_eq!(escaped("a|b*c_ `d` [e] <f> ^g^ {h} +++++"), r"a\|b\*c\_ \`d\` \[e\] \<f\> \^g\^ {h} +++++");
        assert_eq!(escaped(" btrfs (zstd:3) "), "btrfs (zstd:3)");
        assert_eq!(escaped("http://a_b www.c.d e:f 1.5"), r"http\://a\_b www\.c\.d e:f 1\.5");
        assert_eq!(escaped_line("# no heading"), r"\# no heading");
        assert_eq!(escaped_line("12. no item"), r"12\. no item");
        assert_eq!(escaped_line("12 GiB"), "12 GiB");
    }

    #[test]
    fn code_holds_its_own_backticks() {
        assert_eq!(code("profile=std/1"), "`profile=std/1`");
        assert_eq!(code("a``b`"), "``` a``b` ```");
        assert_eq!(fenced(&["a ```` b".to_owned()]), ["`````", "a ```` b", "`````"]);
        assert_eq!(fenced(&["a".to_owned()]), ["```", "a", "```"]);
    }
}
