//! What the checks of the filesystems found when a run was over, and which were not checked.

use super::Section;
use super::gathered::gathered;
use super::places::series_in_words;
use crate::model::making::Making;
use crate::model::printable::printable;
use crate::model::record::RunRecord;

/// A sentence for each fault that a check found: `The check found faults on ext4 (run 2): inode 12 has a wrong count.`
pub fn faults(section: &Section<'_>) -> Vec<String> {
    sentences(section, true, |names, words| format!("The check found faults on {names}: {words}."))
}

/// A sentence for each reason why a filesystem was not checked.
pub fn unchecked(section: &Section<'_>) -> Vec<String> {
    sentences(section, false, |names, words| format!("Not checked: {names}: {words}."))
}

/// Whether a check found faults after any of some runs.
pub fn has_faults(runs: &[&RunRecord]) -> bool {
    runs.iter().any(|run| words_of(run, true).is_some())
}

/// The words of a check that found faults, or, where there was none, why.
fn words_of(run: &RunRecord, is_checked: bool) -> Option<String> {
    let has_words = |making: &&Making| making.check_ns.is_some() == is_checked;
    let words = run.making.as_ref().filter(has_words)?.check_words.as_deref()?;
    Some(printable(words.trim().trim_end_matches('.')))
}

fn sentences(section: &Section<'_>, is_checked: bool, said: impl Fn(String, &str) -> String) -> Vec<String> {
    let found = section.series.iter().enumerate().flat_map(|(place, series)| {
        let runs = series.runs.iter().filter_map(|run| Some((words_of(run, is_checked)?, run.round)));
        runs.map(move |(words, round)| (words, (place, round))).collect::<Vec<_>>()
    });
    gathered(found).iter().map(|(words, places)| said(names(section, places), words)).collect()
}

/// `ext4 (run 2)`, `ext4 and xfs`; the rounds stand only behind one name that has other runs too.
fn names(section: &Section<'_>, places: &[(usize, u32)]) -> String {
    let mut series: Vec<usize> = places.iter().map(|(place, _)| *place).collect();
    series.dedup();
    let names = series_in_words(section, &series);
    let [only] = series.as_slice() else { return names };
    let runs = section.series.get(*only).map_or(0, |series| series.runs.len());
    match places {
        [(_, round)] if runs > 1 => format!("{names} (run {round})"),
        many if many.len() < runs => format!("{names} ({} of {runs} runs)", many.len()),
        _ => names,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::sample;
    use crate::report::{Report, renderer_named};

    fn records() -> Vec<RunRecord> {
        (1..=3).flat_map(|round| ["ext4", "xfs"].map(|label| sample::made(label, round))).collect()
    }

    fn find(run: &mut RunRecord, words: &str) {
        run.making.as_mut().unwrap().check_words = Some(words.to_owned());
    }

    #[test]
    fn what_a_check_found_is_said_with_its_run_in_every_text() {
        let mut records = records();
        assert!(faults(&Report::of(&records).sections[0]).is_empty());
        find(&mut records[2], "inode 12:\nwrong count.");
        let expected = "The check found faults on ext4 (run 2): inode 12:?wrong count.";
        assert_eq!(faults(&Report::of(&records).sections[0]), [expected]);
        for format in ["text", "markdown", "html"] {
            let rendering = renderer_named(format).unwrap().render(&Report::of(&records));
            let text = rendering.text().unwrap().replace(['\n', '\u{a0}'], " ");
            assert!(text.contains("The check found faults on ext4 (run 2): inode 12"), "{format}: {text}");
        }
        find(&mut records[0], "inode 12:\nwrong count.");
        assert_eq!(faults(&Report::of(&records).sections[0]), [expected.replace("run 2", "2 of 3 runs")]);
        find(&mut records[1], "inode 12:\nwrong count");
        assert_eq!(faults(&Report::of(&records).sections[0]), [expected.replace("ext4 (run 2)", "every target")]);
        assert!(has_faults(&[&records[1]]) && !has_faults(&[&records[3]]));
    }

    #[test]
    fn what_was_not_checked_is_said_with_the_reason() {
        let mut records = records();
        for run in records.iter_mut().filter(|run| run.label == "xfs") {
            run.making.as_mut().unwrap().check_ns = None;
            find(run, "xfs_repair is missing");
        }
        let report = Report::of(&records);
        assert_eq!(unchecked(&report.sections[0]), ["Not checked: xfs: xfs_repair is missing."]);
        assert!(faults(&report.sections[0]).is_empty());
        let text = renderer_named("text").unwrap().render(&report).text().unwrap().to_owned();
        assert!(text.contains("Not checked: xfs: xfs_repair is missing."), "{text}");
    }
}
