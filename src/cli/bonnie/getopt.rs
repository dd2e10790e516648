//! The words of a command line as getopt(3) reads them, which is how scripts call Bonnie++: letters together, values with or without a
//! space.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

/// What follows the letter of an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Nothing.
    Flag,
    /// A value: the rest of the word, else the next word.
    Value,
    /// A number, if the rest of the word begins with one.
    Number,
}

/// The same words with each option in a word of its own, its value behind `=`, as clap takes it. The letters and what follows them are
/// those of the command. What is no option with one dash stays as it is.
pub fn separated(command: &clap::Command, words: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let kinds: BTreeMap<u8, Kind> = command.get_arguments().filter_map(kind).collect();
    let (mut found, mut words) = (Vec::new(), words);
    while let Some(word) = words.next() {
        match word.as_bytes() {
            [b'-', letters @ ..] if letters.first().is_some_and(|letter| *letter != b'-') => {
                split(letters, &kinds, &mut words, &mut found);
            }
            _ => found.push(word),
        }
    }
    found
}

fn kind(argument: &clap::Arg) -> Option<(u8, Kind)> {
    let letter = u8::try_from(argument.get_short()?).ok()?;
    let kind = match (argument.get_action().takes_values(), argument.is_require_equals_set()) {
        (false, _) => Kind::Flag,
        (true, true) => Kind::Number,
        (true, false) => Kind::Value,
    };
    Some((letter, kind))
}

/// Takes the letters of a word apart. What is behind a letter that is no option stays with it.
fn split(letters: &[u8], kinds: &BTreeMap<u8, Kind>, words: &mut impl Iterator<Item = OsString>, found: &mut Vec<OsString>) {
    let mut rest = letters;
    while let [letter, behind @ ..] = rest {
        rest = behind;
        match kinds.get(letter) {
            Some(Kind::Flag) => found.push(option(*letter, None)),
            Some(Kind::Number) if !behind.first().is_some_and(|first| first.is_ascii_digit() || *first == b'=') => {
                found.push(option(*letter, None));
            }
            Some(Kind::Number) => {
                found.push(option(*letter, Some(behind.strip_prefix(b"=").unwrap_or(behind))));
                return;
            }
            Some(Kind::Value) if behind.is_empty() => {
                let next = words.next();
                found.push(option(*letter, next.as_deref().map(OsStr::as_bytes)));
            }
            Some(Kind::Value) => {
                found.push(option(*letter, Some(behind)));
                return;
            }
            None => {
                found.push(OsString::from_vec([b"-", &[*letter], behind].concat()));
                return;
            }
        }
    }
}

fn option(letter: u8, value: Option<&[u8]>) -> OsString {
    let value = value.map(|value| [b"=", value].concat()).unwrap_or_default();
    OsString::from_vec([&[b'-', letter], &value[..]].concat())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Arg, ArgAction, Command};
    use proptest::prelude::*;

    fn command() -> Command {
        let flag = |name: &'static str| Arg::new(name).short(name.chars().next()).action(ArgAction::SetTrue);
        let number = Arg::new("f").short('f').num_args(0..=1).require_equals(true);
        Command::new("test").args([flag("q"), flag("b"), number, Arg::new("s").short('s')])
    }

    fn read(words: &[&str]) -> Vec<String> {
        let found = separated(&command(), words.iter().map(OsString::from));
        found.into_iter().map(|word| word.to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn words_are_read_as_getopt_reads_them() {
        assert_eq!(read(&["-qfb", "-s8g"]), ["-q", "-f", "-b", "-s=8g"]);
        assert_eq!(read(&["-qs", "-1", "-f20", "-b"]), ["-q", "-s=-1", "-f=20", "-b"]);
        assert_eq!(read(&["-bf20", "-s=x", "-s", ""]), ["-b", "-f=20", "-s==x", "-s="]);
        assert_eq!(read(&["-f", "64", "-f=64", "--help", "-", "--"]), ["-f", "64", "-f=64", "--help", "-", "--"]);
        assert_eq!(read(&["-qkb", "-s"]), ["-q", "-kb", "-s"]);
    }

    proptest! {
        #[test]
        fn any_words_are_read(words in proptest::collection::vec(any::<Vec<u8>>(), 0..6)) {
            let words: Vec<OsString> = words.into_iter().map(OsString::from_vec).collect();
            let found = separated(&command(), words.iter().cloned());
            let length = |words: &[OsString]| words.iter().map(|word| word.len()).sum::<usize>();
            prop_assert!(length(&found) <= 3 * length(&words));
        }
    }
}
