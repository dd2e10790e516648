//! Which series is the baseline, and whether the others may be compared with it at all.

use super::comparison::Comparison;
use super::gathered::distinct;
use super::lines::join_and;
use super::{Report, Section};
use crate::model::likeness::{Difference, unlike};
use crate::model::nearest::{did_you_mean, nearest_names};
use crate::model::printable::printable;
use crate::model::series::Series;
use std::collections::HashMap;

/// Why nothing is compared.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BaselineError {
    /// No series is called so.
    #[error("there is no series `{name}` to compare with{}; the series are {}", did_you_mean(nearest), listed(names))]
    None {
        /// What was asked for, printable.
        name: String,
        /// Series with a similar name.
        nearest: Vec<String>,
        /// The names of all.
        names: Vec<String>,
    },
    /// Several series of a table are called so.
    #[error("{} series are called `{name}`; name one of them: {}", names.len(), listed(names))]
    Several {
        /// What was asked for, printable.
        name: String,
        /// The names that tell them apart.
        names: Vec<String>,
    },
    /// Some series are unlike the baseline.
    #[error("unlike runs are not compared: {}; --where leaves runs out, --force prints all side by side without ratios", in_words(pairs))]
    Unlike {
        /// Each unlike series with the baseline and in what they differ.
        pairs: Vec<(String, String, Vec<Difference>)>,
    },
}

/// More names or pairs than these are not listed.
const MOST_LISTED: usize = 12;

fn listed(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().take(MOST_LISTED).map(|name| format!("`{name}`")).collect();
    let more = names.len().saturating_sub(MOST_LISTED);
    if more > 0 { format!("{} and {more} more", quoted.join(", ")) } else { join_and(&quoted) }
}

fn in_words(pairs: &[(String, String, Vec<Difference>)]) -> String {
    let words = |(other, baseline, differences): &(String, String, Vec<Difference>)| {
        let differences: Vec<String> = differences.iter().map(ToString::to_string).collect();
        format!("`{baseline}` and `{other}` differ in {}", differences.join(", "))
    };
    let mut listed: Vec<String> = pairs.iter().take(MOST_LISTED).map(words).collect();
    let more = pairs.len().saturating_sub(MOST_LISTED);
    listed.extend((more > 0).then(|| format!("{more} more differ from it")));
    listed.join("; ")
}

/// Puts every series of a report beside its baseline. Each group has its own; a workload too, where each has a series of the name.
/// Gives back the groups that have none, which stay without ratios.
///
/// # Errors
/// When no series, or several of a table, are called so; when some are unlike it, unless that is forced: then they have no ratio.
pub fn compare(report: &mut Report<'_>, name: &str, is_forced: bool) -> Result<Vec<String>, BaselineError> {
    let mut found: Vec<Option<usize>> = Vec::new();
    for section in &report.sections {
        found.push(place_of(section, name)?);
    }
    if found.iter().all(Option::is_none) {
        let names = distinct(report.sections.iter().flat_map(|section| &section.series).map(|one| one.name.clone()));
        let nearest = nearest_names(name, names.iter().map(String::as_str)).into_iter().map(str::to_owned).collect();
        return Err(BaselineError::None { name: printable(name), nearest, names });
    }
    let pairs = unlike_pairs(report, &found);
    if !pairs.is_empty() && !is_forced {
        return Err(BaselineError::Unlike { pairs });
    }
    let mut without = Vec::new();
    for (section, place) in report.sections.iter_mut().zip(found) {
        match place {
            Some(place) => section.comparison = Some(Comparison::of(section, place)),
            None => without.extend(section.group.clone()),
        }
    }
    without.dedup();
    Ok(without)
}

/// Every series that is unlike the baseline of its group.
fn unlike_pairs(report: &Report<'_>, found: &[Option<usize>]) -> Vec<(String, String, Vec<Difference>)> {
    let mut baselines: HashMap<&Option<String>, &Series<'_>> = HashMap::new();
    for (section, place) in report.sections.iter().zip(found) {
        if let Some(series) = place.and_then(|place| section.series.get(place)) {
            baselines.entry(&section.group).or_insert(series);
        }
    }
    let mut pairs = Vec::new();
    for (section, place) in report.sections.iter().zip(found) {
        let own = place.and_then(|place| section.series.get(place));
        let of_group = || baselines.get(&section.group).copied();
        let Some(baseline) = own.or_else(of_group) else { continue };
        for series in &section.series {
            let differences = unlike(baseline, series);
            if !differences.is_empty() {
                pairs.push((series.name.clone(), baseline.name.clone(), differences));
            }
        }
    }
    pairs
}

/// The place of the series that is called so: by its name in the report, by its label, or by label and batch (`ext4@7f3a`, `@7f3a`).
fn place_of(section: &Section<'_>, name: &str) -> Result<Option<usize>, BaselineError> {
    let places = |is_it: &dyn Fn(&Series<'_>) -> bool| -> Vec<usize> {
        section.series.iter().enumerate().filter(|(_, series)| is_it(series)).map(|(place, _)| place).collect()
    };
    let ways =
        [places(&|series| series.name == name), places(&|series| series.first.label == name), places(&|series| is_batch(series, name))];
    let found = ways.into_iter().find(|places| !places.is_empty()).unwrap_or_default();
    match found.as_slice() {
        [] => Ok(None),
        [only] => Ok(Some(*only)),
        several => {
            let names = several.iter().filter_map(|place| section.series.get(*place)).map(|series| series.name.clone()).collect();
            Err(BaselineError::Several { name: printable(name), names })
        }
    }
}

/// Whether a series has the label before the last `@`, or any where there is none, and its batch begins with the digits behind it.
fn is_batch(series: &Series<'_>, name: &str) -> bool {
    let Some((label, digits)) = name.rsplit_once('@') else { return false };
    let label = label.trim_end();
    let is_label = label.is_empty() || series.first.label == label;
    is_label && !digits.is_empty() && series.batch.to_string().starts_with(&digits.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::fact::Key;
    use crate::model::identity::Identity;
    use crate::model::record::RunRecord;
    use crate::model::sample;
    use crate::report::Arrangement;

    fn run(label: &str, batch: u64) -> RunRecord {
        RunRecord { batch: Identity(batch), ..sample::run(label, 1) }
    }

    fn compared(records: &[RunRecord], name: &str) -> Result<Vec<Option<usize>>, String> {
        let mut report = Report::of(records);
        compare(&mut report, name, false).map_err(|error| error.to_string())?;
        Ok(report.sections.iter().map(|section| section.comparison.as_ref().map(|comparison| comparison.baseline)).collect())
    }

    #[test]
    fn a_baseline_is_found_by_name_label_and_batch() {
        let records = [run("ext4", 0x1234_0000_0000_0000), run("xfs", 0x1234_0000_0000_0000), run("ext4", 0x5678_0000_0000_0000)];
        assert_eq!(compared(&records, "xfs"), Ok(vec![Some(1)]));
        assert_eq!(compared(&records, "ext4@5678"), Ok(vec![Some(2)]));
        assert_eq!(compared(&records, "ext4 @123400"), Ok(vec![Some(0)]));
        assert_eq!(compared(&records, "@5678"), Ok(vec![Some(2)]));
        let error = compared(&records, "ext4").unwrap_err();
        assert_eq!(error, "2 series are called `ext4`; name one of them: `ext4 @123400` and `ext4 @567800`");
        let error = compared(&records, "xsf").unwrap_err();
        assert!(error.contains("no series `xsf`") && error.contains("did you mean `xfs`?"), "{error}");
        assert!(compared(&records, "@").unwrap_err().contains("the series are `ext4 @123400`, "));
    }

    #[test]
    fn unlike_runs_are_refused_by_name_of_what_differs() {
        let mut other = run("xfs", 2);
        other.workload_id = Identity(9);
        other.profile = "quick/1".to_owned();
        let records = [run("ext4", 1), other];
        let error = compared(&records, "ext4").unwrap_err();
        assert!(error.starts_with("unlike runs are not compared: `ext4` and `xfs` differ in profile: std/1 and quick/1"), "{error}");
        let mut report = Report::arranged(&records, &Arrangement { is_mixed: true, ..Arrangement::default() });
        assert_eq!(compare(&mut report, "ext4", true), Ok(Vec::new()));
        assert_eq!(report.sections.len(), 1);
    }

    #[test]
    fn each_workload_may_have_its_own_baseline() {
        let other = |label: &str| RunRecord { workload_id: Identity(9), ..run(label, 2) };
        let records = [run("ext4", 1), run("xfs", 1), other("xfs"), other("ext4")];
        assert_eq!(compared(&records, "ext4"), Ok(vec![Some(0), Some(1)]));
    }

    #[test]
    fn a_group_without_the_baseline_is_named() {
        let mut records = [run("ext4", 1), run("xfs", 1), run("xfs", 2)];
        records[2].machine.kernel = Some("Linux 7.0".to_owned());
        let group_by = Some(Key::named("kernel", &records).unwrap());
        let mut report = Report::arranged(&records, &Arrangement { group_by, ..Arrangement::default() });
        assert_eq!(compare(&mut report, "ext4", false), Ok(vec!["kernel=Linux 7.0".to_owned()]));
        assert!(report.sections[1].comparison.is_none());
    }
}
