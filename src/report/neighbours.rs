//! Characters and their neighbours: whether a character is markup depends on what stands beside it.

/// A character of a text, and where it stands.
#[derive(Debug, Clone, Copy)]
pub struct Letter {
    pub before: Option<char>,
    pub letter: char,
    pub after: Option<char>,
    /// Before it are only letters and digits, at least one, and a blank or nothing behind it: `1.`, `h2.`, `iv)`.
    pub ends_first_word: bool,
}

impl Letter {
    /// Whether it begins or ends the text.
    pub fn is_at_end(&self) -> bool {
        self.before.is_none() || self.after.is_none()
    }

    /// Whether it begins the text.
    pub fn is_first(&self) -> bool {
        self.before.is_none()
    }

    /// Whether a letter or a digit stands on both sides.
    pub fn is_in_word(&self) -> bool {
        let is_letter = |neighbour: Option<char>| neighbour.is_some_and(char::is_alphanumeric);
        is_letter(self.before) && is_letter(self.after)
    }

    /// Whether a blank stands on both sides.
    pub fn stands_alone(&self) -> bool {
        self.before == Some(' ') && self.after == Some(' ')
    }

    /// Whether the same character stands beside it.
    pub fn is_repeated(&self) -> bool {
        [self.before, self.after].contains(&Some(self.letter))
    }
}

/// A text, each character written as is told; blanks at its ends, which no reader keeps, are taken off.
pub fn rewritten(text: &str, mut write: impl FnMut(&Letter, &mut String)) -> String {
    let text = text.trim_matches(' ');
    let mut written = String::with_capacity(text.len());
    let mut before = None;
    let mut is_first_word = true;
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let after = letters.peek().copied();
        let ends_first_word = is_first_word && before.is_some() && matches!(after, None | Some(' '));
        write(&Letter { before, letter, after, ends_first_word }, &mut written);
        is_first_word &= letter.is_alphanumeric();
        before = Some(letter);
    }
    written
}

/// A text with every character that is markup as a numeric reference (`&#124;`), which stands for the character in HTML.
pub fn with_references(text: &str, is_markup: impl Fn(&Letter) -> bool) -> String {
    rewritten(text, |mark, written| {
        if is_markup(mark) {
            written.push_str(&format!("&#{};", u32::from(mark.letter)));
        } else {
            written.push(mark.letter);
        }
    })
}

/// A text of which every word that is not plain is quoted, together with such words beside it. `is_plain` is told whether the word
/// is the first.
pub fn with_quotes(text: &str, is_plain: impl Fn(&str, bool) -> bool, quoted: impl Fn(&str) -> String) -> String {
    let mut written: Vec<String> = Vec::new();
    let mut foreign: Vec<&str> = Vec::new();
    for (place, word) in text.trim_matches(' ').split(' ').enumerate() {
        if !is_plain(word, place == 0) {
            foreign.push(word);
            continue;
        }
        if !foreign.is_empty() {
            written.push(quoted(&std::mem::take(&mut foreign).join(" ")));
        }
        written.push(word.to_owned());
    }
    if !foreign.is_empty() {
        written.push(quoted(&foreign.join(" ")));
    }
    written.join(" ")
}

/// Whether a word has letters, digits, and of the signs of ASCII only some, of which no two stand side by side (but a sign behind a
/// bracket) and brackets open only at its beginning.
pub fn is_simple(word: &str, signs: &str) -> bool {
    let mut before = None;
    word.chars().all(|letter| {
        let is_sign = letter.is_ascii() && !letter.is_ascii_alphanumeric();
        let is_behind_sign = before.is_some_and(|before: char| before.is_ascii_punctuation() && before != ')');
        let is_opened_within = letter == '(' && before.is_some();
        before = Some(letter);
        !is_sign || (signs.contains(letter) && !is_behind_sign && !is_opened_within)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_know_their_neighbours() {
        let kept = |is_markup: fn(&Letter) -> bool| with_references(" a-b - --c- ", is_markup);
        assert_eq!(kept(|mark| mark.letter == '-' && mark.is_in_word()), "a&#45;b - --c-");
        assert_eq!(kept(|mark| mark.letter == '-' && mark.stands_alone()), "a-b &#45; --c-");
        assert_eq!(kept(|mark| mark.letter == '-' && mark.is_repeated()), "a-b - &#45;&#45;c-");
        assert_eq!(kept(Letter::is_at_end), "&#97;-b - --c&#45;");
        let ending = |text: &str| with_references(text, |mark| mark.letter == '.' && mark.ends_first_word);
        assert_eq!(
            (ending("1. a."), ending("h1."), ending("1.5 a."), ending(". a")),
            ("1&#46; a.".into(), "h1&#46;".into(), "1.5 a.".into(), ". a".into())
        );
    }

    #[test]
    fn foreign_words_are_quoted_together() {
        let quoted =
            |text: &str| with_quotes(text, |word, is_first| !(word.contains('*') || is_first && word == "-"), |text| format!("<{text}>"));
        assert_eq!(quoted("a *b c* d *e*"), "a <*b c*> d <*e*>");
        assert_eq!((quoted(""), quoted("*"), quoted("- -")), (String::new(), "<*>".to_owned(), "<-> -".to_owned()));
        let simple = ["", "a", "(rw,relatime),", "fc-v669", "漢字", "%"].map(|word| is_simple(word, "(),-%"));
        let other = ["a--b", "Intel(R)", "a*b", "((", "a,-"].map(|word| is_simple(word, "(),-%"));
        assert_eq!((simple, other), ([true; 6], [false; 5]));
    }
}
