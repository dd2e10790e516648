use super::*;
use clap::{CommandFactory, Parser};
use proptest::prelude::*;

#[derive(Debug, Parser)]
#[command(name = "bonnie")]
struct Alone {
    #[command(flatten)]
    arguments: BonnieArguments,
}

fn parsed(options: &[&str]) -> Result<BonnieArguments, clap::Error> {
    let given = getopt::separated(&Alone::command(), options.iter().map(OsString::from));
    Alone::try_parse_from(std::iter::once(OsString::from("bonnie")).chain(given)).map(|alone| alone.arguments)
}

/// The arguments of these words.
pub fn arguments(options: &[&str]) -> BonnieArguments {
    parsed(options).unwrap_or_else(|error| panic!("{options:?}: {error}"))
}

#[test]
fn options_are_taken_together_apart_and_more_than_once() {
    let taken = arguments(&["-qfbD", "-d/mnt", "-m", "-a host-", "-s8g", "-s", "4g", "-l9"]);
    assert!(taken.quiet && taken.sync && taken.direct);
    assert_eq!(taken.fast.as_deref(), Some(""));
    assert_eq!((taken.directory.as_path(), taken.name.as_deref()), (std::path::Path::new("/mnt"), Some("-a host-")));
    assert_eq!(taken.file.as_deref(), Some("4g"), "the last one counts");
    assert_eq!(arguments(&["-f20"]).fast.as_deref(), Some("20"));
    assert_eq!(arguments(&["-m="]).name.as_deref(), Some("="));
    assert_eq!(arguments(&["-m", ""]).name.as_deref(), Some(""));
    assert_eq!(arguments(&["-n", "-1"]).files.as_deref(), Some("-1"));
}

#[test]
fn what_is_no_option_is_refused() {
    for words in [&["-k"][..], &["-qk"], &["-f", "64"], &["dir"], &["-s"], &["--fast"]] {
        assert!(parsed(words).is_err(), "{words:?}");
    }
}

#[test]
fn what_is_not_taken_is_refused_with_words() {
    for (words, said) in [(&["-p3"][..], "-p: barrow serves no semaphores"), (&["-ys"], "-y: "), (&["-Z", "f"], "-Z: barrow takes no file")]
    {
        let error = bonnie(&arguments(words)).unwrap_err().to_string();
        assert!(error.starts_with(said), "{error}");
    }
}

#[test]
fn users_and_groups_are_put_together() {
    let account = |words: &[&str]| account(&arguments(words)).map_err(|error| error.to_string());
    assert_eq!(account(&[]), Ok(None));
    assert_eq!(account(&["-u", "root"]), Ok(Some("root".to_owned())));
    assert_eq!(account(&["-u", "a:b", "-g", "c"]), Ok(Some("a:c".to_owned())));
    assert_eq!(account(&["-u", "4123456789"]), Ok(Some("4123456789:65534".to_owned())));
    assert!(account(&["-g", "c"]).unwrap_err().starts_with("-g c: name a user too"));
}

#[test]
fn only_the_words_of_bonnie_are_taken_apart() {
    let command = crate::cli::command();
    let read = |line: &[&str]| words(&command, line.iter().map(OsString::from));
    assert_eq!(read(&["barrow", "bonnie", "-qf"]), ["barrow", "bonnie", "-q", "-f"]);
    assert_eq!(read(&["barrow", "run", "-qf"]), ["barrow", "run", "-qf"]);
    assert_eq!(read(&["barrow"]), ["barrow"]);
}

proptest! {
    #[test]
    fn any_words_are_taken_or_refused(options in proptest::collection::vec("-?[dcsnmrxugqfbDzZpyl]{0,3}[0-9gkmt:-]{0,8}|\\PC{0,8}", 0..6)) {
        let options: Vec<&str> = options.iter().map(String::as_str).collect();
        if let Ok(taken) = parsed(&options)
            && let Err(error) = wish(&taken, Some(1 << 30), false)
        {
            prop_assert!(!error.to_string().is_empty());
        }
    }
}
