//! What a reader must know to read the table: which range it is, what the columns, words and letters mean. Only what occurs.

use super::lines::join_and;
use super::places::{Place, in_words};
use super::table::Columns;
use super::{Section, facts};
use crate::model::flag::Flag;
use crate::model::label::{CacheLabel, Durability};
use crate::model::phase::Phase;
use crate::model::summary::PhaseSummary;
use crate::stats::{Interval, Spread};

/// A word or letter and what it means.
pub struct Entry {
    pub word: String,
    pub meaning: String,
}

/// The sentences on range and columns; empty when nothing was measured.
pub fn statement(section: &Section<'_>, columns: &Columns) -> String {
    let mut sentences = ranges(section);
    if columns.cpu_own || columns.cpu_system {
        let runs_programs = section.phases.iter().any(|phase| matches!(phase, Phase::Command(_)));
        let meanings = match (columns.cpu_own, columns.cpu_system) {
            (true, true) if runs_programs => "own = barrow and the programs that it ran, sys = the whole machine",
            (true, true) => "own = barrow, sys = the whole machine",
            (true, false) => "own = the program that measured",
            (false, _) => "sys = the whole machine",
        };
        sentences.push(format!("CPU: 100 % is one core; {meanings}."));
    }
    sentences.extend(cpu_remarks(section, columns));
    if columns.acknowledged {
        sentences.push("ack. = rate up to the last call, before the flush.".to_owned());
    }
    if columns.p99 {
        sentences.push("p99 = 99th percentile of one operation.".to_owned());
    }
    if columns.has_longest_only() {
        sentences.push("max = the longest operation.".to_owned());
    }
    sentences.extend(reported(section));
    sentences.join(" ")
}

/// What must be said of the machine's CPU beside that of the process.
pub fn cpu_remarks(section: &Section<'_>, columns: &Columns) -> Vec<String> {
    let mut sentences = Vec::new();
    let is_under = |summary: &PhaseSummary| summary.cpu_system.zip(summary.cpu_own).is_some_and(|(system, own)| system.median < own.median);
    if columns.cpu_own && columns.cpu_system && section.measured().iter().any(|(_, summary)| is_under(summary)) {
        sentences.push("sys is counted in ticks, so it can lie under own.".to_owned());
    }
    if columns.hides_system {
        sentences.push("sys is not shown where it was counted for under 0.1 s.".to_owned());
    }
    sentences
}

/// Said where a rate is not barrow's own.
pub fn reported(section: &Section<'_>) -> Option<String> {
    let is_reported = section.measured().iter().any(|(_, summary)| summary.reported);
    let programs: Vec<String> = facts::programs(section).into_iter().filter(|program| !program.starts_with("barrow ")).collect();
    let who = if programs.is_empty() { "another program".to_owned() } else { join_and(&programs) };
    let unflushed = if programs.iter().any(|program| program.starts_with(UNFLUSHED)) {
        " Bonnie++ 1.0x closes files without a flush: what it wrote may be in memory still."
    } else {
        ""
    };
    is_reported.then(|| format!("Rates as {who} reported them: not known are time, and whether reads came from a cache.{unflushed}"))
}

/// The versions of Bonnie++ that stop the clock before anything is flushed begin so.
const UNFLUSHED: &str = "bonnie++ 1.0";

/// How many runs there are and what is made of them: first the case of most rows, then the others with their places.
pub fn ranges(section: &Section<'_>) -> Vec<String> {
    cases(section).map(|cases| std::iter::once(cases.whole).chain(cases.elsewhere).collect()).unwrap_or_default()
}

/// How many runs there are and what is made of them.
pub struct Cases {
    /// The runs of a series and what their ends are, in the case of most rows.
    pub n: usize,
    pub interval: Interval,
    /// `95 % CI over 6 runs`.
    pub range: String,
    /// The case of most rows as a sentence.
    whole: String,
    /// The others with their places, as a sentence.
    pub elsewhere: Option<String>,
}

/// The cases of a section; `None` when nothing was measured.
pub fn cases(section: &Section<'_>) -> Option<Cases> {
    let mut cases: Vec<(Spread, usize, Vec<Place>)> = Vec::new();
    for (place, summary) in section.measured() {
        let Some(rate) = summary.rate else { continue };
        match cases.iter_mut().find(|(other, batches, _)| (other.n, other.interval, *batches) == (rate.n, rate.interval, summary.batches)) {
            Some((_, _, places)) => places.push((place, summary.phase)),
            None => cases.push((rate, summary.batches, vec![(place, summary.phase)])),
        }
    }
    cases.sort_by_key(|(rate, _, places)| (std::cmp::Reverse(places.len()), std::cmp::Reverse(rate.n)));
    let mut cases = cases.iter();
    let (most, batches, _) = cases.next()?;
    let others: Vec<String> =
        cases.map(|(rate, batches, places)| format!("{} ({})", range_name(rate, *batches), in_words(section, places))).collect();
    Some(Cases {
        n: most.n,
        interval: most.interval,
        range: range_name(most, *batches),
        whole: whole_sentence(most, *batches),
        elsewhere: (!others.is_empty()).then(|| format!("Elsewhere: {}.", others.join("; "))),
    })
}

fn whole_sentence(rate: &Spread, batches: usize) -> String {
    match (rate.n, rate.interval) {
        (1, _) => "1 run: no range.".to_owned(),
        (n, Interval::Ci95) => format!("Median and its 95 % confidence interval over {n} runs (order statistics)."),
        (n, Interval::Range) if batches > 1 => format!("Median and range of {n} runs of {batches} batches, which were not run in turns."),
        (n, Interval::Range) => format!("Median and range of {n} runs."),
        (n, Interval::Values) => format!("Median and both values of {n} runs."),
    }
}

fn range_name(rate: &Spread, batches: usize) -> String {
    match (rate.n, rate.interval) {
        (1, _) => "1 run, no range".to_owned(),
        (n, Interval::Ci95) => format!("95 % CI over {n} runs"),
        (n, Interval::Range) if batches > 1 => format!("range of {n} runs of {batches} batches"),
        (n, Interval::Range) => format!("range of {n} runs"),
        (n, Interval::Values) => format!("both of {n} runs"),
    }
}

/// The words of the last column, durability first.
pub fn words(section: &Section<'_>) -> Vec<Entry> {
    let measured = section.measured();
    let mut durable: Vec<Durability> = measured.iter().flat_map(|(_, summary)| summary.durable.iter().copied()).collect();
    durable.sort();
    durable.dedup();
    let shown = measured.iter().filter(|(_, summary)| !summary.phase.row().writes);
    let mut cache: Vec<CacheLabel> = shown.flat_map(|(_, summary)| summary.cache.iter().copied()).collect();
    cache.sort();
    cache.dedup_by_key(|label| label.word());
    let durable = durable.iter().map(|label| Entry { word: label.word().to_owned(), meaning: label.legend().to_owned() });
    let cache = cache.iter().map(|label| Entry { word: label.word().to_owned(), meaning: label.legend().to_owned() });
    durable.chain(cache).collect()
}

/// The letters of the flags, each with the places where it stands.
pub fn flags(section: &Section<'_>) -> Vec<Entry> {
    let entry = |(flag, places): (Flag, Vec<Place>)| Entry {
        word: flag.letter().to_string(),
        meaning: format!("{} ({})", flag.legend(), in_words(section, &places)),
    };
    flag_places(section).into_iter().map(entry).collect()
}

/// The flags that occur, each with its places.
pub fn flag_places(section: &Section<'_>) -> Vec<(Flag, Vec<Place>)> {
    let measured = section.measured();
    let mut flags: Vec<Flag> = measured.iter().flat_map(|(_, summary)| summary.flags.iter().copied()).collect();
    flags.sort();
    flags.dedup();
    let places = |flag: Flag| {
        let flagged = measured.iter().filter(|(_, summary)| summary.flags.contains(&flag));
        flagged.map(|(place, summary)| (*place, summary.phase)).collect()
    };
    flags.into_iter().map(|flag| (flag, places(flag))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::phase::Phase;
    use crate::model::record::{PhaseRecord, RunRecord};
    use crate::model::sample;
    use crate::report::Report;
    use crate::report::table::table;

    fn statement_of(records: &[RunRecord]) -> String {
        let report = Report::of(records);
        statement(&report.sections[0], &table(&report.sections[0]).columns)
    }

    fn runs(label: &str, count: u32) -> Vec<RunRecord> {
        (1..=count).map(|round| sample::run(label, round)).collect()
    }

    #[test]
    fn the_range_is_named_with_its_runs() {
        let cases = [
            (1, "1 run: no range."),
            (2, "both values of 2 runs."),
            (3, "Median and range of 3 runs."),
            (6, "interval over 6 runs (order"),
        ];
        for (count, expected) in cases {
            assert!(statement_of(&runs("a", count)).contains(expected), "{count}");
        }
    }

    #[test]
    fn other_numbers_of_runs_are_named_with_their_places() {
        let mut records = runs("a", 6);
        records.extend(runs("b", 2));
        *sample::phase_mut(&mut records[0], Phase::Rewrite) = PhaseRecord::failed(Phase::Rewrite, "no space");
        let statement = statement_of(&records);
        let expected = "Median and both values of 2 runs. Elsewhere: 95 % CI over 6 runs (a, every phase but rewrite); \
            range of 5 runs (a, rewrite). CPU";
        assert!(statement.starts_with(expected), "{statement}");
    }

    #[test]
    fn only_words_and_flags_that_occur_are_explained() {
        let mut records = runs("a", 1);
        sample::phase_mut(&mut records[0], Phase::SeqStat).flags = vec![Flag::Short];
        let report = Report::of(&records);
        let words: Vec<String> = words(&report.sections[0]).into_iter().map(|entry| entry.word).collect();
        assert_eq!(words, ["durable", "cold", "cached"]);
        let flags = flags(&report.sections[0]);
        assert_eq!(flags.len(), 1);
        assert!(flags[0].word == "s" && flags[0].meaning.ends_with("(seq. stat)"), "{}", flags[0].meaning);
    }
}
