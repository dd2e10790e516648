//! Reports in the markups of wikis, trackers and forums: with their own marks taken out, nothing of the markup is left.

use std::ops::RangeInclusive;

/// The marks that barrow writes in a format, what quotes text, and the characters that are markup anywhere else.
struct Markup {
    own: &'static [&'static str],
    quotes: &'static [(&'static str, &'static str)],
    marks: &'static str,
}

fn markup(format: &str) -> Markup {
    let table = |own, marks| Markup { own, quotes: &[], marks };
    match format {
        "mediawiki" => table(&["{| class=\"wikitable\"", "|}", "|-", "||", "|", "'''", "<code>", "</code>", "<pre>", "</pre>"], "<>[]{}|"),
        "dokuwiki" => Markup {
            own: &["**", "''", ":::", "^", "|", "  * "],
            quotes: &[("==== ", " ===="), ("%%", "%%"), ("<nowiki>", "</nowiki>")],
            marks: "<>[]{}^|*~\\",
        },
        "trac" => {
            Markup { own: &["'''", "||=", "=||", "||", "===", " * "], quotes: &[("`", "`"), ("{{{", "}}}")], marks: "[]{}|!*#^~`@<>" }
        }
        "jira" => table(&["{{", "}}", "||", "|", "*"], "[]{}\\!^~?<>"),
        "textile" => {
            Markup { own: &["|_<.", "|_>.", "|>.", "|/", "|", "*"], quotes: &[("<code>", "</code>"), ("@", "@")], marks: "[]{}\\!^~?@<>\"" }
        }
        "rst" => Markup { own: &["**", "|"], quotes: &[("``", "``"), ("\\", "")], marks: "`|*" },
        "org" => Markup { own: &["{}", "|", "***", "*", "<l>", "<r>", "~", "\u{200b}"], quotes: &[("~", "~")], marks: "<>|*~^_$" },
        "asciidoc" => table(
            &["[discrete]", "[subs=specialchars]", "[%header%autowidth,cols=\"", "*\"]", "|===", "<|", ">|", "+<|", "**", "``", "* "],
            "[]{}|*`^~\\<>\"$",
        ),
        "bbcode-table" => table(
            &[
                "[code]",
                "[/code]",
                "[b]",
                "[/b]",
                "[list]",
                "[/list]",
                "[*]",
                "[font=monospace]",
                "[/font]",
                "[table]",
                "[/table]",
                "[tr]",
                "[/tr]",
                "[th]",
                "[/th]",
                "[td]",
                "[/td]",
                "[right]",
                "[/right]",
            ],
            "[]",
        ),
        other => panic!("no marks are known for the format {other}"),
    }
}

/// A line without what is quoted and without the format's own marks.
fn rest(line: &str, markup: &Markup) -> String {
    let mut rest = String::new();
    let mut line = line;
    'letters: while let Some(letter) = line.chars().next() {
        for (opening, closing) in markup.quotes {
            let Some(behind) = line.strip_prefix(opening) else { continue };
            if closing.is_empty() {
                line = behind.get(behind.chars().next().map_or(0, char::len_utf8)..).unwrap_or_default();
                continue 'letters;
            }
            if let Some((_, behind)) = behind.split_once(closing) {
                line = behind;
                continue 'letters;
            }
        }
        if let Some(behind) = markup.own.iter().find_map(|own| line.strip_prefix(own)) {
            line = behind;
            continue;
        }
        rest.push(letter);
        line = &line[letter.len_utf8()..];
    }
    rest
}

/// The lines before and behind a block of code. A block of reStructuredText ends where a line is not indented.
fn block(format: &str) -> (&'static str, &'static str) {
    match format {
        "mediawiki" | "textile" => ("<pre>", "</pre>"),
        "dokuwiki" => ("<code>", "</code>"),
        "trac" => ("{{{", "}}}"),
        "jira" => ("{noformat}", "{noformat}"),
        "rst" => ("::", ""),
        "org" => ("#+begin_example", "#+end_example"),
        "asciidoc" => ("....", "...."),
        "bbcode-table" => ("[code]", "[/code]"),
        other => panic!("no block of code is known for the format {other}"),
    }
}

/// A text without its blocks of code; fails unless they are as many as may be, each closed, and none holds what would close it.
#[track_caller]
pub fn without_blocks(format: &str, text: &str, blocks: RangeInclusive<usize>) -> String {
    let (opening, closing) = block(format);
    let mut outside = String::new();
    let mut lines = text.lines().peekable();
    let mut found = 0;
    while let Some(line) = lines.next() {
        if line != opening {
            outside += &format!("{line}\n");
            continue;
        }
        found += 1;
        if closing.is_empty() {
            while lines.next_if(|line| line.is_empty() || line.starts_with("   ")).is_some() {}
            continue;
        }
        let inside: Vec<&str> = lines.by_ref().take_while(|line| *line != closing).collect();
        assert!(!inside.is_empty() && inside.iter().all(|line| !line.contains(closing)), "{format}: {closing} in {inside:?}");
    }
    assert!(blocks.contains(&found), "{format}: {found} blocks of {blocks:?}: {text}");
    outside
}

/// Fails where a text has more markup than barrow writes.
#[track_caller]
pub fn check(format: &str, text: &str) {
    let markup = markup(format);
    for line in text.lines() {
        // The role of reStructuredText for a fixed width holds escaped text between its two marks.
        let line = match line.split_once(":literal:`") {
            Some((before, inside)) if format == "rst" => format!("{before}{}", inside.strip_suffix('`').unwrap_or(inside)),
            Some(_) | None => line.to_owned(),
        };
        let rest = rest(&line, &markup);
        assert!(!rest.contains(|letter| markup.marks.contains(letter)), "{format}: {rest:?} of {line:?}");
    }
}
