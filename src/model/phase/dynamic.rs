//! Rows that are made from a name: each is kept for as long as the program runs, once a name.

use super::Row;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// The most names of one program: no run has more than [`super::MOST_PHASES`], and no report needs so many.
const MOST_NAMES: usize = 512;

static ROWS: Mutex<BTreeMap<String, &'static Row>> = Mutex::new(BTreeMap::new());

/// The row of a name, made the first time it is asked for. `None` where there are too many names already.
pub fn row_of(name: &str, make: impl FnOnce(&'static str) -> Row) -> Option<&'static Row> {
    let mut rows = ROWS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(row) = rows.get(name) {
        return Some(row);
    }
    if rows.len() >= MOST_NAMES {
        return None;
    }
    let row: &'static Row = Box::leak(Box::new(make(kept(name.to_owned()))));
    rows.insert(name.to_owned(), row);
    Some(row)
}

/// A text that is kept for as long as the program runs.
pub fn kept(text: String) -> &'static str {
    Box::leak(text.into_boxed_str())
}
