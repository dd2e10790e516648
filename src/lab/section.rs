//! A table of a plan file: its values by their keys and kinds, and the place of each for messages.

use super::plan::{Fault, Place, Placed, PlanError};
use crate::model::nearest::{did_you_mean, nearest_names};
use crate::model::printable::printable;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A key that a table may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlanKey {
    /// Its name.
    pub name: &'static str,
    /// The kind of its value, in words.
    pub kind: &'static str,
}

/// The text of a plan file.
#[derive(Debug, Clone, Copy)]
pub struct Source<'s> {
    /// The file as it was named.
    pub name: &'s str,
    /// All of it.
    pub text: &'s str,
}

impl Source<'_> {
    /// The place of a byte of the text.
    #[must_use]
    pub fn place(&self, offset: usize) -> Place {
        let before = self.text.get(..offset).unwrap_or(self.text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        Place::File { name: self.name.to_owned(), line, column }
    }

    /// What is wrong at a byte of the text.
    #[must_use]
    pub fn error(&self, offset: usize, fault: Fault) -> PlanError {
        PlanError { place: self.place(offset), fault }
    }
}

/// A table with the keys that it may have.
#[derive(Debug, Clone, Copy)]
pub struct Section<'a> {
    source: &'a Source<'a>,
    table: &'a DeTable<'a>,
}

type Value<'i> = Spanned<DeValue<'i>>;

impl<'a> Section<'a> {
    /// A table, called `what` in messages.
    ///
    /// # Errors
    /// When it has a key that it may not have: the first in the text is named, with the nearest that there are.
    pub fn of(source: &'a Source<'a>, what: &str, keys: &'static [PlanKey], table: &'a DeTable<'a>) -> Result<Self, PlanError> {
        let is_unknown = |key: &str| keys.iter().all(|known| known.name != key);
        let unknown = table.keys().filter(|key| is_unknown(key.get_ref())).min_by_key(|key| key.span().start);
        if let Some(key) = unknown {
            let names = || keys.iter().map(|known| known.name);
            let nearest = did_you_mean(&nearest_names(key.get_ref(), names()));
            let shown = printable(key.get_ref());
            let words = format!("a {what} has no key `{shown}`{nearest}; the keys are {}", names().collect::<Vec<_>>().join(", "));
            return Err(source.error(key.span().start, Fault::UnknownKey(words)));
        }
        Ok(Self { source, table })
    }

    /// The value of a key, if it is there.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&'a Value<'a>> {
        self.table.iter().find(|(name, _)| name.get_ref() == key).map(|(_, value)| value)
    }

    /// What is wrong at a byte of the text.
    #[must_use]
    pub fn error_at(&self, offset: usize, fault: Fault) -> PlanError {
        self.source.error(offset, fault)
    }

    /// What is wrong with a value.
    #[must_use]
    pub fn error(&self, value: &Value<'_>, fault: Fault) -> PlanError {
        self.error_at(value.span().start, fault)
    }

    /// A value that does not fit.
    #[must_use]
    pub fn unfit(&self, value: &Value<'_>, problem: String) -> PlanError {
        self.error(value, Fault::Unfit(problem))
    }

    /// A value of another kind than its key.
    #[must_use]
    pub fn wrong_kind(&self, key: &str, value: &Value<'_>, expected: &'static str) -> PlanError {
        self.error(value, Fault::WrongKind { key: key.to_owned(), expected, found: value.get_ref().type_str() })
    }

    /// A text that is not empty.
    ///
    /// # Errors
    /// When it is none.
    pub fn text(&self, key: &str, value: &Value<'_>) -> Result<Placed<String>, PlanError> {
        let text = value.get_ref().as_str().ok_or_else(|| self.wrong_kind(key, value, "a text in quotes"))?;
        if text.trim().is_empty() {
            return Err(self.unfit(value, format!("{key}: the text is empty")));
        }
        Ok(Placed { value: text.to_owned(), place: self.source.place(value.span().start) })
    }

    /// A list of texts, none of them empty, one at least.
    ///
    /// # Errors
    /// When it is none.
    pub fn list(&self, key: &str, value: &Value<'_>) -> Result<Vec<Placed<String>>, PlanError> {
        let items = value.get_ref().as_array().ok_or_else(|| self.wrong_kind(key, value, "a list of texts in quotes"))?;
        if items.is_empty() {
            return Err(self.unfit(value, format!("{key}: the list is empty")));
        }
        items.iter().map(|item| self.text(key, item)).collect()
    }

    /// A text, or a list of them.
    ///
    /// # Errors
    /// When it is neither.
    pub fn texts(&self, key: &str, value: &Value<'_>) -> Result<Vec<Placed<String>>, PlanError> {
        match value.get_ref() {
            DeValue::Array(_) => self.list(key, value),
            DeValue::String(_) => Ok(vec![self.text(key, value)?]),
            DeValue::Integer(_) | DeValue::Float(_) | DeValue::Boolean(_) | DeValue::Datetime(_) | DeValue::Table(_) => {
                Err(self.wrong_kind(key, value, "a text in quotes, or a list of them"))
            }
        }
    }

    /// A text or a whole number, as text.
    ///
    /// # Errors
    /// When it is neither.
    pub fn plain(&self, key: &str, value: &Value<'_>, expected: &'static str) -> Result<String, PlanError> {
        match value.get_ref() {
            DeValue::String(_) => Ok(self.text(key, value)?.value),
            DeValue::Integer(_) => Ok(self.integer(key, value, expected)?.to_string()),
            DeValue::Float(_) | DeValue::Boolean(_) | DeValue::Datetime(_) | DeValue::Array(_) | DeValue::Table(_) => {
                Err(self.wrong_kind(key, value, expected))
            }
        }
    }

    /// A whole number that is not negative.
    ///
    /// # Errors
    /// When it is none.
    pub fn whole_number(&self, key: &str, value: &Value<'_>) -> Result<u64, PlanError> {
        let number = self.integer(key, value, "a whole number")?;
        u64::try_from(number).map_err(|_| self.unfit(value, format!("{key} = {number}: it is not a whole number from 0 on")))
    }

    fn integer(&self, key: &str, value: &Value<'_>, expected: &'static str) -> Result<i128, PlanError> {
        let written = value.get_ref().as_integer().ok_or_else(|| self.wrong_kind(key, value, expected))?;
        let too_large = |_| self.unfit(value, format!("{key}: the number is too large"));
        i128::from_str_radix(written.as_str(), written.radix()).map_err(too_large)
    }

    /// Yes or no.
    ///
    /// # Errors
    /// When it is neither.
    pub fn flag(&self, key: &str, value: &Value<'_>) -> Result<bool, PlanError> {
        value.get_ref().as_bool().ok_or_else(|| self.wrong_kind(key, value, "true or false"))
    }

    /// A table.
    ///
    /// # Errors
    /// When it is none.
    pub fn table<'v, 'i>(&self, key: &str, value: &'v Value<'i>) -> Result<&'v DeTable<'i>, PlanError> {
        value.get_ref().as_table().ok_or_else(|| self.wrong_kind(key, value, "a table, as in { key = \"value\" }"))
    }
}
