//! A `KEY=VALUE` of the command line.

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
