//! Texts of a plan that become words of commands: checked, and split without any shell.

use super::plan::Template;

/// Mount options that would make mount(8) do something else than mount a filesystem that can be measured.
const OTHER_MOUNTS: [&str; 8] = ["ro", "bind", "rbind", "move", "remount", "loop", "make-shared", "noauto"];

/// Takes a text as mount options.
///
/// # Errors
/// What is wrong with it, in words.
pub fn mount_options(text: &str) -> Result<String, String> {
    if text.trim().is_empty() {
        return Err("the mount options are empty; write defaults where there are none".to_owned());
    }
    if text.contains(|letter: char| letter.is_whitespace() || letter.is_control()) {
        return Err("mount options are one word, joined by commas, as in noatime,compress=zstd:3".to_owned());
    }
    let other = text.split(',').find(|option| OTHER_MOUNTS.contains(&option.split('=').next().unwrap_or_default()));
    match other {
        Some(option) => Err(format!("the mount option {option} would mount something else, or nothing that can be written")),
        None => Ok(text.to_owned()),
    }
}

/// Takes a text as the name of a filesystem for mount(8).
///
/// # Errors
/// What is wrong with it, in words.
pub fn filesystem_name(text: &str) -> Result<String, String> {
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.' | '+');
    let begins = text.starts_with(|letter: char| letter.is_ascii_alphanumeric());
    if begins && text.chars().all(is_letter) {
        Ok(text.to_owned())
    } else {
        Err("a filesystem is one word of letters, digits, `-`, `_`, `.` and `+`, as in ext4".to_owned())
    }
}

/// Takes a text as a command that makes a filesystem: split into words as a shell would, but run by none, with `{device}` or `{devices}`
/// among them.
///
/// # Errors
/// What is wrong with it, in words.
pub fn template(text: &str) -> Result<Template, String> {
    if text.contains('\0') {
        return Err("the command has a character that none can have".to_owned());
    }
    let Some(words) = shlex::split(text) else {
        return Err("the command has a quotation mark or backslash without an end".to_owned());
    };
    if words.first().is_none_or(String::is_empty) {
        return Err("the command is empty".to_owned());
    }
    if words.iter().any(|word| word.contains("{devices}") && word != "{devices}") {
        return Err("{devices} becomes several words, so it must be a word of its own".to_owned());
    }
    let has_device = words.iter().skip(1).any(|word| word.contains("{device}") || word == "{devices}");
    if !has_device {
        return Err("the command must have {device}, or {devices}, where the device is to stand".to_owned());
    }
    Ok(Template { text: text.to_owned(), words })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn commands_are_split_as_by_a_shell_and_run_by_none() {
        let words = |text: &str| template(text).map(|template| template.words);
        assert_eq!(words("mkfs.x -L 'a b' $HOME;ls {device}").unwrap(), ["mkfs.x", "-L", "a b", "$HOME;ls", "{device}"]);
        assert_eq!(words("mkfs.x --on={device}").unwrap(), ["mkfs.x", "--on={device}"]);
        assert_eq!(words("mkfs.x {devices}").unwrap(), ["mkfs.x", "{devices}"]);
        for (text, said) in [
            ("", "is empty"),
            ("'' {device}", "is empty"),
            ("mkfs.x", "must have {device}"),
            ("mkfs.x # {device}", "must have {device}"),
            ("{device}", "must have {device}"),
            ("mkfs.x --on={devices}", "a word of its own"),
            ("mkfs.x 'a {device}", "without an end"),
            ("mkfs.x {device} \0", "a character"),
        ] {
            assert!(words(text).unwrap_err().contains(said), "{text}");
        }
    }

    #[test]
    fn what_would_mount_something_else_is_refused() {
        for text in ["defaults", "noatime,compress=zstd:3", "rw,nodiscard", "data=writeback", "subvol=a/b"] {
            assert_eq!(mount_options(text).as_deref(), Ok(text));
        }
        for text in ["", " ", "noatime ro", "noatime,ro", "bind", "loop=/dev/loop0", "a\nb"] {
            assert!(mount_options(text).is_err(), "{text:?}");
        }
        for text in ["", "-t", "ext4,xfs", "ext4 xfs", "../ext4", "ext4\n", "é"] {
            assert!(filesystem_name(text).is_err(), "{text:?}");
        }
        assert_eq!(filesystem_name("fuse.my_fs-2").as_deref(), Ok("fuse.my_fs-2"));
    }

    proptest! {
        #[test]
        fn any_text_is_taken_or_refused(text in "(mkfs|\\{devices?\\}| |'|\"|\\\\|#|.){0,12}") {
            let _ = (mount_options(&text), filesystem_name(&text));
            if let Ok(template) = template(&text) {
                prop_assert!(template.words.len() > 1);
            }
        }
    }
}
