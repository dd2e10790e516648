//! The words of a program: devices and places put in, told to people and kept in records without them.

use super::variant::Words;
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// Stands for the first device.
const DEVICE: &str = "{device}";
/// Stands, as a word of its own, for every device.
const DEVICES: &str = "{devices}";
/// Stands for the place where it is mounted.
const MOUNTED: &str = "{mounted}";

/// The words with devices and the place where they are mounted put in.
#[must_use]
pub fn put_in(words: &[String], devices: &[PathBuf], mounted: &Path) -> Words {
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let device = devices.first().map(|device| text(device)).unwrap_or_default();
    let put_in_one = |word: &String| -> Words {
        if word == DEVICES {
            devices.iter().map(|device| text(device)).collect()
        } else {
            vec![word.replace(DEVICE, &device).replace(MOUNTED, &text(mounted))]
        }
    };
    words.iter().flat_map(put_in_one).collect()
}

/// The words as one line that a shell would read as the same words.
#[must_use]
pub fn one_line(words: &[String]) -> String {
    words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}

fn quoted(word: &str) -> Cow<'_, str> {
    // A shell would not take these braces for anything else, and a comma only between braces.
    let rest = [DEVICE, DEVICES, MOUNTED].iter().fold(word.to_owned(), |rest, name| rest.replace(name, ""));
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./:=,+@%".contains(letter);
    if !word.is_empty() && rest.chars().all(is_plain) {
        return Cow::Borrowed(word);
    }
    // What cannot be quoted has a zero byte, and no program can be given that.
    shlex::try_quote(word).unwrap_or(Cow::Borrowed(word))
}

/// What a program said, without paths that tell on the machine: of devices, whose names can have serial numbers, and of the place where
/// they are mounted.
#[must_use]
pub fn without_paths(text: &str, devices: &[PathBuf], mounted: &Path) -> String {
    let text = text.replace(mounted.to_string_lossy().as_ref(), MOUNTED);
    devices.iter().fold(text, |text, device| text.replace(device.to_string_lossy().as_ref(), DEVICE))
}

/// The options of mount(8): those that it has in any case, then those that were asked for.
#[must_use]
pub fn joined_options(fixed: &str, asked: &str) -> String {
    let given: Vec<&str> = [fixed, asked].into_iter().filter(|options| !options.is_empty()).collect();
    if given.is_empty() { "defaults".to_owned() } else { given.join(",") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn words(text: &str) -> Words {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn devices_and_places_are_put_in() {
        let devices = [PathBuf::from("/dev/a"), PathBuf::from("/dev/b")];
        let put = |text: &str| put_in(&words(text), &devices, Path::new("/m n")).join("|");
        assert_eq!(put("mkfs -q {device}"), "mkfs|-q|/dev/a");
        assert_eq!(put("mkfs {devices} -f"), "mkfs|/dev/a|/dev/b|-f");
        assert_eq!(put("info --on={mounted} {mounted}"), "info|--on=/m n|/m n");
        assert_eq!(put_in(&words("mkfs {device}"), &[], Path::new("/m")), ["mkfs", ""]);
    }

    #[test]
    fn a_line_is_read_back_as_the_same_words() {
        let usual = "mkfs.ext4 -E lazy_itable_init=0,nodiscard --on={device} {devices}";
        assert_eq!(one_line(&words(usual)), usual);
        assert_eq!(one_line(&["mkfs".to_owned(), "a b".to_owned(), "{devices}".to_owned()]), "mkfs 'a b' {devices}");
    }

    #[test]
    fn options_are_joined_where_there_are_some() {
        assert_eq!(joined_options("", "defaults"), "defaults");
        assert_eq!(joined_options("nodiscard", "noatime"), "nodiscard,noatime");
        assert_eq!(joined_options("nodiscard", ""), "nodiscard");
        assert_eq!(joined_options("", ""), "defaults");
    }

    #[test]
    fn paths_are_told_to_nobody() {
        let (devices, place) = ([PathBuf::from("/dev/disk/by-id/x-123")], Path::new("/home/me/.barrow-lab-1/mounted.0"));
        let said = "mount: /home/me/.barrow-lab-1/mounted.0: bad superblock on /dev/disk/by-id/x-123.";
        assert_eq!(without_paths(said, &devices, place), "mount: {mounted}: bad superblock on {device}.");
    }

    proptest! {
        #[test]
        fn any_words_stay_as_many(line in proptest::collection::vec("[ -~]{1,9}", 1..6)) {
            prop_assume!(!line.iter().any(|word| word.contains('{')));
            prop_assert_eq!(put_in(&line, &[PathBuf::from("/dev/a")], Path::new("/m")), line.clone());
            prop_assert_eq!(shlex::split(&one_line(&line)), Some(line));
        }
    }
}
