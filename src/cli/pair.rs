//! A `KEY=VALUE` of the command line, and how many of them a run file keeps.

use super::exit::usage;
use crate::model::printable::MOST_LABEL;
use crate::model::record::MOST_TAGS;

/// The two parts, without the blanks around them.
///
/// # Errors
/// When there is no `=` or nothing before it.
pub fn key_value(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.trim().is_empty() => Ok((key.trim().to_owned(), value.trim().to_owned())),
        _ => Err("write it as KEY=VALUE".to_owned()),
    }
}

/// Refuses more tags than a run can have.
///
/// # Errors
/// When they are too many or too long, as a usage error.
pub fn check_tags(tags: &[(String, String)]) -> anyhow::Result<()> {
    if tags.len() > MOST_TAGS {
        return Err(usage(format!("--tag: {} tags are more than the {MOST_TAGS} that a run can have", tags.len())));
    }
    check_length("--tag", tags.iter().map(|(key, value)| key.len() + value.len()).sum())
}

/// Refuses more of an option than a run file keeps; the length in bytes.
///
/// # Errors
/// When it is too long, as a usage error.
pub fn check_length(option: &str, length: usize) -> anyhow::Result<()> {
    if length > MOST_LABEL {
        return Err(usage(format!("{option}: {length} bytes are more than the {} KiB that a run file keeps of it", MOST_LABEL >> 10)));
    }
    Ok(())
}
