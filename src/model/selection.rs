//! Which runs of a file are meant, by tags, labels and facts.

use super::fact::{Key, UnknownKey};
use super::nearest::{did_you_mean, nearest_names};
use super::printable::printable;
use super::record::RunRecord;
use std::collections::BTreeSet;

/// Conditions that a run must meet: each key must have one of the values that were named for it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    conditions: Vec<(Key, Vec<String>)>,
}

/// Why no run is selected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SelectionError {
    /// There is no such key.
    #[error(transparent)]
    Key(#[from] UnknownKey),
    /// No run has the value.
    #[error("no run has {key}={value}{}; its values are {}", did_you_mean(nearest), values.join(", "))]
    Value {
        /// The key.
        key: String,
        /// What was asked for, printable.
        value: String,
        /// Similar values.
        nearest: Vec<String>,
        /// The values that occur, at most some of them.
        values: Vec<String>,
    },
    /// Each value occurs, but no run has them all.
    #[error("no run meets all of the conditions together")]
    Together,
}

/// More values than these are not listed.
const MOST_LISTED: usize = 20;

impl Selection {
    /// The selection of some `key=value` pairs, of which those of one key are alternatives.
    ///
    /// # Errors
    /// When there is no such key, no run that has a value, or none that meets all.
    pub fn of(pairs: &[(String, String)], runs: &[RunRecord]) -> Result<Self, SelectionError> {
        let mut selection = Self::default();
        for (name, value) in pairs {
            let key = Key::named(name, runs)?;
            expect_value(&key, value, runs)?;
            match selection.conditions.iter_mut().find(|(other, _)| *other == key) {
                Some((_, values)) => values.push(printable(value)),
                None => selection.conditions.push((key, vec![printable(value)])),
            }
        }
        if runs.iter().any(|run| selection.holds(run)) { Ok(selection) } else { Err(SelectionError::Together) }
    }

    /// Whether a run is meant.
    #[must_use]
    pub fn holds(&self, run: &RunRecord) -> bool {
        self.conditions.iter().all(|(key, values)| key.of(run).is_some_and(|value| values.contains(&value)))
    }
}

fn expect_value(key: &Key, value: &str, runs: &[RunRecord]) -> Result<(), SelectionError> {
    let known: BTreeSet<String> = runs.iter().filter_map(|run| key.of(run)).collect();
    if known.contains(&printable(value)) {
        return Ok(());
    }
    let nearest = nearest_names(value, known.iter().map(String::as_str)).into_iter().map(str::to_owned).collect();
    let mut values: Vec<String> = known.iter().take(MOST_LISTED).cloned().collect();
    values.extend((known.len() > MOST_LISTED).then(|| format!("and {} more", known.len() - MOST_LISTED)));
    values.extend(known.is_empty().then(|| "none".to_owned()));
    Err(SelectionError::Value { key: key.name(), value: printable(value), nearest, values })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::sample;

    fn runs() -> [RunRecord; 3] {
        let mut runs = ["ext4", "xfs", "btrfs"].map(|label| sample::run(label, 1));
        runs[0].tags.insert("kernel".to_owned(), "old".to_owned());
        runs
    }

    fn selected(pairs: &[(&str, &str)]) -> Result<Vec<String>, String> {
        let runs = runs();
        let pairs: Vec<(String, String)> = pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        let selection = Selection::of(&pairs, &runs).map_err(|error| error.to_string())?;
        Ok(runs.iter().filter(|run| selection.holds(run)).map(|run| run.label.clone()).collect())
    }

    #[test]
    fn keys_are_met_together_and_values_of_one_are_alternatives() {
        let names = |names: &[&str]| Ok(names.iter().map(|name| (*name).to_owned()).collect());
        assert_eq!(selected(&[]), names(&["ext4", "xfs", "btrfs"]));
        assert_eq!(selected(&[("label", "xfs"), ("label", "btrfs")]), names(&["xfs", "btrfs"]));
        assert_eq!(selected(&[("label", "ext4"), ("kernel", "old")]), names(&["ext4"]));
        assert_eq!(selected(&[("label", "xfs"), ("kernel", "old")]), Err("no run meets all of the conditions together".to_owned()));
    }

    #[test]
    fn what_is_not_there_is_named_with_what_is() {
        let error = selected(&[("label", "xsf")]).unwrap_err();
        assert_eq!(error, "no run has label=xsf; did you mean `xfs`?; its values are btrfs, ext4, xfs");
        let error = selected(&[("governor", "performance")]).unwrap_err();
        assert_eq!(error, "no run has governor=performance; its values are none");
        let error = selected(&[("lable", "xfs")]).unwrap_err();
        assert!(error.starts_with("`lable` is neither a tag of these runs nor a fact; did you mean `label`?"), "{error}");
    }
}
