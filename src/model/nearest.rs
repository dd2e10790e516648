//! Names nearest to what was typed, for messages.

use super::printable::printable;

/// The words that ask whether one of some names was meant; empty when there are none.
#[must_use]
pub fn did_you_mean<S: AsRef<str>>(nearest: &[S]) -> String {
    match nearest {
        [] => String::new(),
        names => format!("; did you mean {}?", names.iter().map(|name| format!("`{}`", name.as_ref())).collect::<Vec<_>>().join(" or ")),
    }
}

/// The names nearest to what was typed, best first, at most three; those of no likeness are left out.
#[must_use]
pub fn nearest_names<'a>(typed: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let mut scored: Vec<(f64, &str)> =
        names.into_iter().map(|name| (strsim::jaro_winkler(typed, name), name)).filter(|(likeness, _)| *likeness > 0.72).collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    scored.dedup_by(|a, b| a.1 == b.1);
    scored.into_iter().map(|(_, name)| name).take(3).collect()
}

/// There is nothing of that name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no {what} `{name}`{}; the {what}s are {}", did_you_mean(nearest), all.join(", "))]
pub struct UnknownName {
    /// What was named: `format`.
    pub what: &'static str,
    /// What was typed, printable.
    pub name: String,
    /// Similar names.
    pub nearest: Vec<&'static str>,
    /// All names.
    pub all: Vec<&'static str>,
}

impl UnknownName {
    /// What was typed instead of one of all names.
    pub fn of(what: &'static str, name: &str, all: impl IntoIterator<Item = &'static str>) -> Self {
        let all: Vec<&str> = all.into_iter().collect();
        Self { what, name: printable(name), nearest: nearest_names(name, all.iter().copied()), all }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_come_first_and_the_far_not_at_all() {
        assert_eq!(nearest_names("qiuck", ["std", "quick", "full"]), ["quick"]);
        assert_eq!(nearest_names("csv-sumary", ["text", "csv", "csv-summary"]), ["csv-summary", "csv"]);
        assert!(nearest_names("zzz", ["std", "quick"]).is_empty());
        assert_eq!(did_you_mean(&["a", "b"]), "; did you mean `a` or `b`?");
        assert_eq!(did_you_mean::<&str>(&[]), "");
    }
}
