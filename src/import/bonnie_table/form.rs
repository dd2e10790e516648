//! What a line of a pasted table is: a heading, a row of latencies, or something else; without the markup around it.

/// The longest line that is looked at; Bonnie++'s have 80 columns, and pastes a little before and behind.
const LONGEST: usize = 1000;

/// The columns from one stop of tabulators to the next.
const TAB: usize = 8;

/// The marks that quote a line or make it a comment.
const QUOTES: &[char] = &['>', '|', '#', '*', '/', '%', '!', ';', ':', '+'];

/// Tags of forums and of HTML that stand in and around pasted text.
const TAGS: &[&str] = &[
    "b", "i", "u", "s", "a", "p", "br", "li", "td", "tr", "tt", "em", "pre", "div", "code", "size", "font", "span", "color", "quote",
    "strong", "table", "plain", "noparse", "kbd", "samp", "mono",
];

/// A word of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// What stands there.
    pub text: String,
    /// The column behind it, from 0.
    pub end: usize,
}

/// What a line is. `before` is what stands on it before the heading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Form {
    /// Nothing but markup.
    Empty,
    /// `------Sequential Output------`, the first line of the first block.
    Output { before: String },
    /// `-Per Chr- --Block--`, the second.
    Phases { before: String },
    /// `------Sequential Create------`, the first line of the second block.
    Create { before: String },
    /// `-Create-- --Read---`, the second.
    Files { before: String },
    /// `K/sec %CP`, the third line of both.
    Units {
        /// What stands over the names: `Machine        Size`, `files:max:min`.
        before: String,
        /// The column before that of the first figures; `None` where a browser made one blank of several, so that places say nothing.
        start: Option<usize>,
        /// How many columns it is over.
        columns: usize,
    },
    /// The end of a heading that a mail program broke.
    Rest,
    /// `Latency`, with what stands behind.
    Latency(Vec<Word>),
    /// Any other line.
    Other(Vec<Word>),
}

/// A line without markup, with tabulators and all kinds of blanks as plain blanks, and all kinds of dashes as plain dashes.
pub fn plain(text: &str) -> String {
    if text.len() > LONGEST {
        return String::new();
    }
    let mut plain = String::with_capacity(text.len());
    let mut columns = 0;
    for character in without_tags(text).chars() {
        match character {
            '\t' => {
                let blanks = TAB - columns % TAB;
                plain.extend(std::iter::repeat_n(' ', blanks));
                columns += blanks;
                continue;
            }
            '\u{200b}' | '\u{feff}' | '\u{ad}' => continue,
            blank if blank.is_whitespace() => plain.push(' '),
            '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{2500}' => plain.push('-'),
            '\u{2502}' | '\u{2503}' | '\u{2551}' => plain.push('|'),
            other => plain.push(other),
        }
        columns += 1;
    }
    let end = plain.trim_end_matches(['\\', '|', ' ']).len();
    plain.truncate(end);
    plain
}

fn without_tags(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, tag)) = rest.find(['[', '<']).and_then(|at| rest.split_at_checked(at)) {
        kept.push_str(before);
        let (sign, behind) = tag.split_at_checked(tag_end(tag).unwrap_or(1)).unwrap_or((tag, ""));
        if sign.len() == 1 {
            kept.push_str(sign);
        }
        rest = behind;
    }
    kept + rest
}

/// The length of a tag that a text begins with.
fn tag_end(text: &str) -> Option<usize> {
    let close = if text.starts_with('[') { ']' } else { '>' };
    let end = text.find(close)?;
    let inner = text.get(1..end)?.trim_matches(['/', ' ']);
    let name = inner.split(['=', ' ', '/']).next()?.to_ascii_lowercase();
    TAGS.contains(&name.as_str()).then_some(end + 1)
}

/// The words of a plain line.
pub fn words(plain: &str) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut is_inside = false;
    for (column, character) in plain.chars().enumerate() {
        let is_blank = character == ' ';
        match words.last_mut().filter(|_| is_inside && !is_blank) {
            Some(word) => {
                word.text.push(character);
                word.end = column + 1;
            }
            None if is_blank => {}
            None => words.push(Word { text: character.to_string(), end: column + 1 }),
        }
        is_inside = !is_blank;
    }
    words
}

/// What a plain line is.
pub fn form(plain: &str) -> Form {
    let lower = plain.to_ascii_lowercase();
    let before = |heading: &str| lower.find(heading).and_then(|at| plain.get(..at)).map(str::to_owned);
    if let Some(before) = before("-sequential output-") {
        return Form::Output { before: before.trim_end_matches('-').to_owned() };
    }
    if let Some(before) = before("-sequential create-") {
        return Form::Create { before: before.trim_end_matches('-').to_owned() };
    }
    if let Some(before) = before("-per chr-") {
        return Form::Phases { before };
    }
    if let Some(before) = before("-create-").filter(|_| lower.contains("-read-")) {
        return Form::Files { before };
    }
    let words = words(plain);
    if let Some(units) = units(plain, &words) {
        return units;
    }
    match words.split_first() {
        None => Form::Empty,
        Some(_) if words.iter().all(|word| is_ruler(&word.text)) => Form::Empty,
        Some(_) if words.iter().all(|word| is_of_heading(&word.text)) => Form::Rest,
        Some((first, rest)) if first.text.eq_ignore_ascii_case("latency") => Form::Latency(rest.to_vec()),
        Some(_) => Form::Other(words),
    }
}

fn is_unit(word: &str) -> bool {
    word.eq_ignore_ascii_case("k/sec") || word.eq_ignore_ascii_case("/sec")
}

fn is_share(word: &str) -> bool {
    word.eq_ignore_ascii_case("%cp")
}

/// `K/sec %CP` at least twice; a single one may be the end of a broken line.
fn units(plain: &str, words: &[Word]) -> Option<Form> {
    /// The columns of a rate and its share with the blank before each: ` %5d %3d`.
    const WIDTH: usize = 10;
    let places: Vec<usize> = (1..words.len())
        .filter(|place| matches!(words.get(place - 1..=*place), Some([unit, share]) if is_unit(&unit.text) && is_share(&share.text)))
        .collect();
    let (first, _) = places.split_first().filter(|(_, more)| !more.is_empty())?;
    let (unit, share) = (words.get(first - 1)?, words.get(*first)?);
    let before = plain.chars().take(unit.end - unit.text.chars().count()).collect();
    let start = share.end.checked_sub(WIDTH).filter(|_| plain.trim_start().contains("  "));
    Some(Form::Units { before, start, columns: places.len() })
}

fn is_of_heading(word: &str) -> bool {
    const NAMES: &[&str] = &["random", "create", "read", "delete", "seeks", "input", "block", "rewrite"];
    let name = word.trim_matches('-').to_ascii_lowercase();
    is_unit(word) || is_share(word) || (name.len() < word.len() && NAMES.contains(&name.as_str()))
}

/// A line drawn of marks, or the fence of a block of code with its language.
fn is_ruler(word: &str) -> bool {
    let is_fence = word.strip_prefix("```").is_some_and(|name| name.chars().all(char::is_alphanumeric));
    is_fence || word.chars().all(|mark| matches!(mark, '-' | '=' | '_' | '~' | '>' | '|' | '#'))
}

/// The marks that a heading has before it, as what quotes its table; those of a line that only fills its columns with points are none.
pub fn quote_of(before: &str) -> String {
    before.chars().take_while(|mark| *mark == ' ' || QUOTES.contains(mark)).filter(|mark| *mark != ' ').collect()
}

/// A plain line with blanks in place of the marks that quote it; as it is where it has not all of them.
pub fn unquoted(plain: String, quote: &str) -> String {
    let mut wanted = quote.chars().peekable();
    let replace = |character: char| match wanted.next_if_eq(&character) {
        Some(_) => ' ',
        None => character,
    };
    let (before, rest) = plain.split_at(plain.find(|mark| mark != ' ' && !QUOTES.contains(&mark)).unwrap_or(plain.len()));
    let blanked: String = before.chars().map(replace).collect();
    if wanted.peek().is_none() { blanked + rest } else { plain }
}
