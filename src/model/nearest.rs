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
        names.into_iter().map(|name| (likeness(typed, name), name)).filter(|(likeness, _)| *likeness > 0.72).collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    scored.dedup_by(|a, b| a.1 == b.1);
    scored.into_iter().map(|(_, name)| name).take(3).collect()
}

/// Of a short word, in which one slip changes much, a single slip is likeness enough.
fn likeness(typed: &str, name: &str) -> f64 {
    let is_slip = typed.len() >= 3 && typed.len() <= 32 && strsim::osa_distance(typed, name) <= 1;
    strsim::jaro_winkler(typed, name).max(if is_slip { 0.9 } else { 0.0 })
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
        assert_eq!(nearest_names("xsf", ["ext4", "xfs"]), ["xfs"]);
        assert!(nearest_names("zzz", ["std", "quick"]).is_empty());
        assert_eq!(did_you_mean(&["a", "b"]), "; did you mean `a` or `b`?");
        assert_eq!(did_you_mean::<&str>(&[]), "");
    }
}
