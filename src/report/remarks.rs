//! What must be said beside the table: what came from memory unseen, what failed, what could not be made cold.

use super::Section;
use super::gathered::{distinct, gathered};
use super::lines::{capitalised, join_and};
use super::places::{Place, Shared, in_sentence, in_words, series_in_words, shared, taken_together};
use super::table::cache_words;
use crate::model::imported::TOO_SHORT;
use crate::model::label::CacheLabel;
use crate::model::machine::FilesystemClass;
use crate::model::phase::{Phase, Reads};
use crate::model::printable::printable;
use crate::model::record::{RunRecord, Status};
use crate::model::summary::{Missing, PhaseSummary};

/// Phases that write and whose reads were no device figure: their last column shows durability, so this is said apart.
pub fn reads_from_memory(section: &Section<'_>) -> Vec<String> {
    let source = |summary: &PhaseSummary| {
        let doubtful: Vec<CacheLabel> = summary.cache.iter().copied().filter(|label| !label.is_device_figure()).collect();
        match doubtful.as_slice() {
            _ if !summary.phase.row().writes => None,
            [] => None,
            [CacheLabel::Memory] => Some(source_of(&doubtful).to_owned()),
            labels => Some(format!("{} ({})", source_of(labels), cache_words(labels).join("/"))),
        }
    };
    let measured = section.measured();
    let sources = gathered(measured.iter().filter_map(|(place, summary)| Some((source(summary)?, (*place, summary.phase)))));
    let mut sentences = Vec::new();
    for (source, places) in &sources {
        for group in shared(section, places) {
            let phases = capitalised(&join_and(&taken_together(&group.phases)));
            let series = if section.series.len() == 1 { String::new() } else { format!(": {}", series_in_words(section, &group.series)) };
            sentences.push(format!("{phases} read from {source}{series}."));
        }
    }
    sentences
}

fn source_of(labels: &[CacheLabel]) -> &'static str {
    let all = |is: fn(&CacheLabel) -> bool| labels.iter().all(is);
    if all(|label| matches!(label, CacheLabel::Cached | CacheLabel::CachedBelow | CacheLabel::Memory)) {
        "memory"
    } else if all(|label| matches!(label, CacheLabel::Unknown)) {
        "memory or a device, not known which"
    } else {
        "memory in part"
    }
}

/// Phases before which the filesystem was unmounted and mounted again.
pub fn remounted(section: &Section<'_>) -> Vec<String> {
    let places = |phase: &Phase| {
        let is_remounted =
            |run: &&RunRecord| run.phase(*phase).is_some_and(|record| record.counted().is_some() && record.preparation.remounted);
        let series = section.series.iter().enumerate().filter(move |(_, series)| series.runs.iter().any(is_remounted));
        series.map(|(place, _)| (place, *phase)).collect::<Vec<Place>>()
    };
    let places: Vec<Place> = section.phases.iter().flat_map(places).collect();
    let sentence = |group: &Shared| {
        let on = if group.series.len() == section.series.len() {
            String::new()
        } else {
            format!(" on {}", series_in_words(section, &group.series))
        };
        let phases = capitalised(&join_and(&taken_together(&group.phases)));
        format!("{phases}{on} began remounted: the filesystem was unmounted and mounted again before the clock started.")
    };
    shared(section, &places).iter().map(sentence).collect()
}

/// Phases of which barrow's own work took more than this, in per cent, are named: under it the share is less than what runs differ by.
const MOST_OWN_PERCENT: f64 = 5.0;

/// Where barrow's own work took much of the time, so that the figure is in part barrow's: by the medians of the runs.
pub fn own_share(section: &Section<'_>) -> Option<String> {
    let share = |place: usize, summary: &PhaseSummary| Some((place, summary.tool_percent?.median));
    let of_phase = |phase: &Phase| {
        let measured = section.measured().into_iter().filter(|(_, summary)| summary.phase == *phase);
        let shares: Vec<(usize, f64)> =
            measured.filter_map(|(place, summary)| share(place, summary)).filter(|(_, percent)| *percent > MOST_OWN_PERCENT).collect();
        (!shares.is_empty()).then(|| share_in_words(section, *phase, &shares))
    };
    let parts: Vec<String> = section.phases.iter().filter_map(of_phase).collect();
    (!parts.is_empty()).then(|| format!("barrow itself took {}.", join_and(&parts)))
}

/// `7 % of random seek (ext4)`, `7 to 12 % of random seek (every target)`.
fn share_in_words(section: &Section<'_>, phase: Phase, shares: &[(usize, f64)]) -> String {
    let percents = shares.iter().map(|(_, percent)| percent.round());
    let (low, high) = percents.fold((f64::INFINITY, 0.0_f64), |(low, high), percent| (low.min(percent), high.max(percent)));
    let range = if low < high { format!("{low} to {high}") } else { format!("{low}") };
    let places: Vec<usize> = shares.iter().map(|(place, _)| *place).collect();
    let series = if section.series.len() == 1 { String::new() } else { format!(" ({})", series_in_words(section, &places)) };
    format!("{range} % of {}{series}", in_sentence(phase))
}

/// What has no number, with the reason; equal reasons are taken together.
pub fn missing(section: &Section<'_>) -> Vec<String> {
    let of_phase = |phase: Phase| {
        let is_shown = section.shows(phase);
        let of_series = move |(place, summaries): (usize, &Vec<PhaseSummary>)| -> Vec<(String, Place)> {
            let cases = summaries.iter().filter(|summary| summary.phase == phase).flat_map(|summary| cases_of(summary, is_shown));
            cases.map(|case| (case, (place, phase))).collect()
        };
        section.summaries.iter().enumerate().flat_map(of_series)
    };
    let cases = gathered(section.phases.iter().copied().flat_map(of_phase));
    cases.iter().map(|(case, places)| format!("{}: {case}", in_words(section, places))).collect()
}

/// Each way in which a phase has no number in a series: status, runs and reason. `is_shown` says whether the table has the phase.
fn cases_of(summary: &PhaseSummary, is_shown: bool) -> Vec<String> {
    let mut cases = by_reason(&summary.failures, summary.recorded);
    cases.extend(by_reason(&summary.skips, summary.recorded));
    cases.extend(unrated(summary));
    if summary.recorded == 0 && is_shown {
        cases.push("not in the run file".to_owned());
    }
    cases
}

/// The runs that ended well without a rate, by their reasons: `too short … in 4 of 9 runs, so the median is of the slower ones`.
fn unrated(summary: &PhaseSummary) -> Vec<String> {
    let reasons = gathered(summary.unrated.iter().map(|one| (one.reason.as_str(), ())));
    let in_words = |(reason, runs): &(&str, Vec<()>)| match (*reason, runs.len()) {
        ("", count) => format!("no rate in {}", count_of_runs(count)),
        (reason, all) if all == summary.recorded => printable(reason),
        (TOO_SHORT, count) if summary.n > 0 => {
            format!("{TOO_SHORT} in {count} of {} runs, so the median is of the slower ones", summary.recorded)
        }
        (reason, count) => format!("{} in {count} of {} runs", printable(reason), summary.recorded),
    };
    reasons.iter().map(in_words).collect()
}

fn by_reason(missing: &[Missing], recorded: usize) -> Vec<String> {
    let reasons = gathered(missing.iter().map(|one| ((one.status, one.reason.as_str()), one.run.to_string())));
    let in_words = |((status, reason), runs): &((Status, &str), Vec<String>)| {
        let which = match runs.len() {
            all if all == recorded => String::new(),
            1 => format!(" in run {}", join_and(runs)),
            _ => format!(" in runs {}", join_and(runs)),
        };
        let reason = if reason.is_empty() { String::new() } else { format!(": {}", printable(reason)) };
        format!("{}{which}{reason}", status.name())
    };
    reasons.iter().map(in_words).collect()
}

fn count_of_runs(count: usize) -> String {
    if count == 1 { "1 run".to_owned() } else { format!("{count} runs") }
}

/// Why caches were not emptied as they might have been.
pub fn hindrances(section: &Section<'_>) -> Vec<String> {
    let causes = gathered(section.series.iter().enumerate().flat_map(|(place, series)| {
        let causes = distinct(series.runs.iter().flat_map(|run| hindrances_of(run)));
        causes.into_iter().map(move |cause| (cause, place))
    }));
    let in_words = |(cause, places): &(String, Vec<usize>)| match places.len() {
        all if all == section.series.len() => cause.clone(),
        _ => format!("{cause} ({})", series_in_words(section, places)),
    };
    causes.iter().map(in_words).collect()
}

fn hindrances_of(run: &RunRecord) -> Vec<String> {
    if run.filesystem.class == FilesystemClass::Memory {
        return Vec::new();
    }
    let counted = run.phases.iter().filter(|record| record.counted().is_some());
    let needs_root = |phase: Phase| phase.row().reads == Reads::Metadata;
    if !run.machine.root {
        // A child of barrow that stayed root may have dropped them.
        let is_hindered = counted.clone().any(|record| needs_root(record.name) && record.preparation.drops == 0);
        return if is_hindered { vec!["not root, so no dentry or inode could be evicted".to_owned()] } else { Vec::new() };
    }
    let hindrances = counted.filter_map(|record| record.preparation.hindrance.as_ref());
    distinct(hindrances.map(|hindrance| format!("caches were not dropped: {}", printable(hindrance))))
}

/// The last line: which work it was, and what hindered it.
pub fn workload(section: &Section<'_>) -> String {
    let mut workloads: Vec<String> = Vec::new();
    for series in &section.series {
        let workload = series.first.workload_id.to_string();
        if workloads.last() != Some(&workload) && !workloads.contains(&workload) {
            workloads.push(workload);
        }
    }
    let parts: Vec<String> = std::iter::once(format!("Workload {}", join_and(&workloads))).chain(hindrances(section)).collect();
    format!("{}.", parts.join("; "))
}

/// Said instead of range and legend where nothing was measured.
pub fn nothing_measured(section: &Section<'_>) -> Option<String> {
    section.measured().is_empty().then(|| "No phase has a figure.".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::record::PhaseRecord;
    use crate::model::sample;
    use crate::report::Report;

    #[test]
    fn reads_that_are_no_device_figure_are_named() {
        let mut records = [sample::run("ext4", 1), sample::run("xfs", 1)];
        sample::phase_mut(&mut records[0], Phase::Rewrite).cache = Some(CacheLabel::Cached);
        sample::phase_mut(&mut records[1], Phase::Rewrite).cache = Some(CacheLabel::Mixed(40));
        let remarks = reads_from_memory(&Report::of(&records).sections[0]);
        let expected = [
            "Rewrite read from memory (cached): ext4.",
            "Delete read from memory (cached): every target.",
            "Rewrite read from memory in part (mixed 40%): xfs.",
        ];
        assert_eq!(remarks, expected);
    }

    #[test]
    fn what_began_after_a_mount_is_named() {
        let mut records = [sample::made("ext4", 1), sample::made("xfs", 1)];
        let said = |records: &[RunRecord]| remounted(&Report::of(records).sections[0]);
        let how = "began remounted: the filesystem was unmounted and mounted again before the clock started.";
        assert_eq!(said(&records), [format!("Rewrite, block read, random seek, stat and delete {how}")]);
        for record in records[1].phases.iter_mut().filter(|record| record.name != Phase::BlockRead) {
            record.preparation.remounted = false;
        }
        assert_eq!(said(&records), [format!("Rewrite, random seek, stat and delete on ext4 {how}"), format!("Block read {how}")]);
        assert!(said(&[sample::run("ext4", 1)]).is_empty());
    }

    #[test]
    fn where_barrow_itself_took_much_it_says_so() {
        let mut records = [sample::run("ext4", 1), sample::run("xfs", 1)];
        let said = |records: &[RunRecord]| own_share(&Report::of(records).sections[0]);
        assert_eq!(said(&records), None);
        sample::counted_mut(&mut records[0], Phase::RandomSeek).tool_ns = Some(50_000_000);
        assert_eq!(said(&records), None, "5 % is not more than 5 %");
        sample::counted_mut(&mut records[0], Phase::RandomSeek).tool_ns = Some(70_000_000);
        assert_eq!(said(&records).unwrap(), "barrow itself took 7 % of random seek (ext4).");
        assert_eq!(said(&records[..1]).unwrap(), "barrow itself took 7 % of random seek.");
        sample::counted_mut(&mut records[1], Phase::RandomSeek).tool_ns = Some(123_000_000);
        sample::counted_mut(&mut records[1], Phase::BlockRead).tool_ns = Some(60_000_000);
        let both = "barrow itself took 6 % of block read (xfs) and 7 to 12 % of random seek (every target).";
        assert_eq!(said(&records).unwrap(), both);
        let text = crate::report::renderer_named("text").unwrap().render(&Report::of(&records)).text().unwrap().to_owned();
        assert!(text.replace('\n', " ").contains(both), "{text}");
        let markdown = crate::report::renderer_named("markdown").unwrap().render(&Report::of(&records)).text().unwrap().to_owned();
        assert!(markdown.contains(&format!("- {both}\n")), "{markdown}");
    }

    #[test]
    fn equal_reasons_are_taken_together() {
        let mut records: Vec<RunRecord> = (1..=3).map(|round| sample::run("xfs", round)).collect();
        for run in &mut records[1..] {
            *sample::phase_mut(run, Phase::BlockWrite) = PhaseRecord::failed(Phase::BlockWrite, "no space\nleft");
            for phase in [Phase::Rewrite, Phase::BlockRead] {
                *sample::phase_mut(run, phase) = PhaseRecord::skipped(phase, "block_write failed");
            }
        }
        for run in &mut records {
            *sample::phase_mut(run, Phase::RandomSeek) = PhaseRecord::failed(Phase::RandomSeek, "");
            *sample::phase_mut(run, Phase::SeqStat) = PhaseRecord::skipped(Phase::SeqStat, "files = 0");
        }
        let expected = [
            "block write: failed in runs 2 and 3: no space?left",
            "rewrite and block read: skipped in runs 2 and 3: block_write failed",
            "random seek: failed",
            "seq. stat: skipped: files = 0",
        ];
        assert_eq!(missing(&Report::of(&records).sections[0]), expected);
    }

    #[test]
    fn what_is_absent_or_without_time_is_said() {
        let mut records = [sample::run("ext4", 1), sample::run("xfs", 1)];
        records[0].phases.retain(|record| record.name != Phase::Rewrite);
        sample::counted_mut(&mut records[1], Phase::SeqStat).elapsed_ns = 0;
        let expected = ["ext4, rewrite: not in the run file", "xfs, seq. stat: no rate in 1 run"];
        assert_eq!(missing(&Report::of(&records).sections[0]), expected);
    }

    #[test]
    fn what_hindered_is_said_once() {
        let mut records = [sample::run("ext4", 1), sample::run("xfs", 1)];
        let said = |records: &[RunRecord]| workload(&Report::of(records).sections[0]);
        assert_eq!(said(&records), "Workload 7f3a91c2e05d4b18; not root, so no dentry or inode could be evicted.");
        records.iter_mut().for_each(|run| run.machine.root = true);
        assert_eq!(said(&records), "Workload 7f3a91c2e05d4b18.");
        for phase in [Phase::SeqStat, Phase::SeqDelete] {
            sample::phase_mut(&mut records[1], phase).preparation.hindrance = Some("read-only file system".to_owned());
        }
        assert_eq!(said(&records), "Workload 7f3a91c2e05d4b18; caches were not dropped: read-only file system (xfs).");
    }

    #[test]
    fn what_was_too_short_for_a_rate_is_counted() {
        let mut records: Vec<RunRecord> = (1..=9).map(|round| sample::imported("old", round)).collect();
        for (place, run) in records.iter_mut().enumerate() {
            for (phase, count, reason) in
                [(Phase::SeqStat, 4, TOO_SHORT), (Phase::RandomStat, 9, TOO_SHORT), (Phase::SeqCreate, 9, "wrong\n")]
            {
                let record = sample::phase_mut(run, phase);
                if place < count {
                    record.result = Some(crate::model::record::PhaseResult::Reported(crate::model::record::Reported::default()));
                    record.reason = Some(reason.to_owned());
                }
            }
        }
        let expected = [
            "seq. create: wrong?",
            "seq. stat: too short for a rate in Bonnie++'s form (+++++) in 4 of 9 runs, so the median is of the slower ones",
            "random stat: too short for a rate in Bonnie++'s form (+++++)",
        ];
        assert_eq!(missing(&Report::of(&records).sections[0]), expected);
    }
}
