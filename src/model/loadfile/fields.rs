//! The fields of a line: an operation, its values, and the status that it ends with.

use super::error::Problem;

/// Fields of the longest line that dbench reads.
const MOST_FIELDS: usize = 19;
/// Bytes of the longest line.
const MOST_LINE: usize = 4096;

/// The statuses of operations that fail. What ends with another one is taken for a line that is cut off.
const FAILING: [&str; 14] = [
    "OBJECT_NAME_NOT_FOUND",
    "OBJECT_PATH_NOT_FOUND",
    "OBJECT_NAME_COLLISION",
    "OBJECT_NAME_INVALID",
    "OBJECT_PATH_SYNTAX_BAD",
    "NO_SUCH_FILE",
    "NO_MORE_FILES",
    "NOT_A_DIRECTORY",
    "FILE_IS_A_DIRECTORY",
    "DIRECTORY_NOT_EMPTY",
    "ACCESS_DENIED",
    "SHARING_VIOLATION",
    "FILE_LOCK_CONFLICT",
    "LOCK_NOT_GRANTED",
];

/// A line that says something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line<'a> {
    /// The operation.
    pub operation: &'a str,
    /// Its values, without quotes.
    pub values: Vec<&'a str>,
    /// Whether it is to fail.
    pub fails: bool,
}

/// The fields of a line; `None` for an empty one and for a comment.
pub fn line(text: &str) -> Result<Option<Line<'_>>, Problem> {
    if text.len() > MOST_LINE {
        return Err(Problem::TooMuch("is longer than any line"));
    }
    if text.trim_start().is_empty() || text.trim_start().starts_with('#') {
        return Ok(None);
    }
    let mut fields = split(text)?;
    if fields[0].starts_with("SMB") {
        return Err(Problem::OldVersion);
    }
    // The moment at which the operation was recorded.
    if fields[0].starts_with(|letter: char| letter.is_ascii_digit()) && fields.len() > 1 {
        fields.remove(0);
    }
    if fields.len() < 2 {
        return Err(Problem::NoStatus);
    }
    let fails = status(fields.pop().unwrap_or_default())?;
    Ok(Some(Line { operation: fields[0], values: fields.split_off(1), fails }))
}

/// Whether an operation of this status fails.
fn status(text: &str) -> Result<bool, Problem> {
    if let Some(name) = text.strip_prefix("NT_STATUS_") {
        return match name {
            "OK" => Ok(false),
            name if FAILING.contains(&name) => Ok(true),
            _ => Err(Problem::UnknownStatus(text.to_owned())),
        };
    }
    match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).map(|status| status != 0).map_err(|_| Problem::UnknownStatus(text.to_owned())),
        None => Err(Problem::NoStatus),
    }
}

/// Fields between blanks; blanks in quotes belong to a field.
fn split(text: &str) -> Result<Vec<&str>, Problem> {
    let mut fields = Vec::with_capacity(8);
    let mut rest = text.trim();
    while !rest.is_empty() {
        if fields.len() == MOST_FIELDS {
            return Err(Problem::TooMuch("has more fields than any line"));
        }
        let (field, after) = match rest.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').ok_or(Problem::OpenQuote)?,
            None => rest.split_once([' ', '\t']).unwrap_or((rest, "")),
        };
        fields.push(field);
        rest = after.trim_start();
    }
    Ok(fields)
}

/// A number as C reads it: decimal, hexadecimal behind `0x`, octal behind `0`.
pub fn number(text: &str, most: u64) -> Result<u64, Problem> {
    let (digits, radix) = match (text.strip_prefix("0x"), text.strip_prefix('0')) {
        (Some(digits), _) => (digits, 16),
        (None, Some(digits)) if !digits.is_empty() => (digits, 8),
        _ => (text, 10),
    };
    let is_plain = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let value = u64::from_str_radix(digits, radix).ok().filter(|value| is_plain && *value <= most);
    value.ok_or_else(|| Problem::BadNumber { text: text.to_owned(), most })
}

/// The lines of a text with their numbers.
pub fn lines(text: &[u8]) -> impl Iterator<Item = (u32, Result<&str, Problem>)> {
    let numbered = (1..).zip(text.split(|byte| *byte == b'\n'));
    numbered.map(|(number, line)| (number, std::str::from_utf8(line).map_err(|_| Problem::NotText)))
}
