//! Marks beside a figure where there is no room for words, and the sentences that say what stands behind them.

use super::Section;
use super::legend::flags;
use super::places::{Place, in_words};
use super::table::{cache_words, is_from_memory};
use crate::model::flag::Flag;
use crate::model::label::{CacheLabel, Durability};
use crate::model::summary::PhaseSummary;

/// The mark of a rate that is no figure of a device.
pub const FROM_MEMORY: &str = "*";

/// The marks of a figure: a letter a flag, then [`FROM_MEMORY`].
pub fn marks(flags: &[Flag], is_from_memory: bool) -> String {
    let letters = flags.iter().map(|flag| flag.letter());
    letters.chain(FROM_MEMORY.chars().filter(|_| is_from_memory)).collect()
}

/// A label that is not what a reader expects of a figure, with its places.
pub struct Doubt {
    /// The word, with the shares of `mixed`.
    pub word: String,
    pub meaning: &'static str,
    /// Whether it makes [`FROM_MEMORY`].
    pub is_from_memory: bool,
    pub places: Vec<Place>,
}

impl Doubt {
    /// `cached: answered from memory: not a device figure (seq. stat, every target).`
    pub fn sentence(&self, section: &Section<'_>) -> String {
        format!("{}: {} ({}).", self.word, self.meaning, in_words(section, &self.places))
    }
}

/// Every label but `durable` and `cold` that stands behind a figure, durability first.
pub fn doubts(section: &Section<'_>) -> Vec<Doubt> {
    let durable = Durability::ALL.iter().filter(|label| **label != Durability::Durable).map(|label| Doubt {
        word: label.word().to_owned(),
        meaning: label.legend(),
        is_from_memory: *label == Durability::Acknowledged,
        places: places(section, |summary| summary.durable.contains(label)),
    });
    let cache = CacheLabel::ALL.iter().filter(|label| **label != CacheLabel::Cold).map(|label| Doubt {
        word: cache_words(&occurring(section, *label)).join("/"),
        meaning: label.legend(),
        is_from_memory: !label.is_device_figure(),
        places: places(section, |summary| speaks_of_the_rate(summary) && has(summary, *label)),
    });
    durable.chain(cache).filter(|doubt| !doubt.places.is_empty()).collect()
}

/// Whether the cache label is one of the rate: where a phase writes it is so only if the label makes the rate doubtful.
fn speaks_of_the_rate(summary: &PhaseSummary) -> bool {
    !summary.phase.row().writes || is_from_memory(summary)
}

fn has(summary: &PhaseSummary, label: CacheLabel) -> bool {
    summary.cache.iter().any(|other| other.word() == label.word())
}

/// The labels of a word in their order, each once.
fn occurring(section: &Section<'_>, label: CacheLabel) -> Vec<CacheLabel> {
    let measured = section.measured();
    let spoken = measured.iter().filter(|(_, summary)| speaks_of_the_rate(summary));
    let mut labels: Vec<CacheLabel> = spoken.flat_map(|(_, summary)| summary.cache.iter().copied()).collect();
    labels.retain(|other| other.word() == label.word());
    labels.sort();
    labels.dedup();
    labels
}

fn places(section: &Section<'_>, is_meant: impl Fn(&PhaseSummary) -> bool) -> Vec<Place> {
    let measured = section.measured().into_iter().filter(|(_, summary)| is_meant(summary));
    measured.map(|(place, summary)| (place, summary.phase)).collect()
}

/// What the marks mean that occur, a sentence each; then the labels that make no mark.
pub fn sentences(section: &Section<'_>) -> Vec<String> {
    let doubts = doubts(section);
    let (marked, others): (Vec<&Doubt>, Vec<&Doubt>) = doubts.iter().partition(|doubt| doubt.is_from_memory);
    let marked = marked.iter().map(|doubt| format!("{FROM_MEMORY} {}", doubt.sentence(section)));
    let occurs = |flag: &&Flag| section.measured().iter().any(|(_, summary)| summary.flags.contains(flag));
    let flags = Flag::ALL.iter().filter(occurs).map(|flag| format!("{} {}.", flag.letter(), flag.legend()));
    marked.chain(flags).chain(others.iter().map(|doubt| doubt.sentence(section))).collect()
}

/// The same where no marks stand beside the figures: every word with its places.
pub fn sentences_in_words(section: &Section<'_>) -> Vec<String> {
    let doubts = doubts(section);
    let flags = flags(section).into_iter().map(|entry| format!("{}.", entry.meaning));
    doubts.iter().map(|doubt| doubt.sentence(section)).chain(flags).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::phase::Phase;
    use crate::model::sample;
    use crate::report::Report;
    use crate::report::table::{Row, table};

    #[test]
    fn marks_are_letters_and_a_star_and_all_are_explained() {
        let mut records = [sample::run("ext4", 1), sample::run("tmpfs", 1)];
        sample::phase_mut(&mut records[0], Phase::SeqStat).flags = vec![Flag::Short];
        sample::phase_mut(&mut records[1], Phase::BlockWrite).durable = Some(Durability::Acknowledged);
        sample::phase_mut(&mut records[0], Phase::BlockRead).cache = Some(CacheLabel::ColdUnproven);
        for (run, share) in records.iter_mut().zip([8, 12]) {
            sample::phase_mut(run, Phase::RandomStat).cache = Some(CacheLabel::Mixed(share));
        }
        let report = Report::of(&records);
        let table = table(&report.sections[0]);
        let rows: Vec<&Row> = table.blocks.iter().flat_map(|block| &block.phases).flat_map(|phase| &phase.rows).collect();
        let found: Vec<String> = rows.iter().map(|row| marks(&row.flags, row.is_from_memory)).filter(|marks| !marks.is_empty()).collect();
        assert_eq!(found, ["*", "s*", "*", "*", "*"]);
        let expected = [
            "* acknowledged: taken over by the system only: there is no device to flush to (tmpfs, block write).",
            "* mixed 8–12%: the share that came from storage, the rest from memory (random stat, every target).",
            "* cached: answered from memory: not a device figure (seq. stat, every target).",
            "s short: the phase took under 1 s: rate and CPU are coarse.",
            "cold?: the page cache was empty; that the device answered is not proven (ext4, block read).",
        ];
        assert_eq!(sentences(&report.sections[0]), expected);
    }

    #[test]
    fn a_rewrite_that_read_from_memory_has_the_mark_and_a_delete_has_not() {
        let mut run = sample::run("ext4", 1);
        run.phases.retain(|record| [Phase::Rewrite, Phase::SeqDelete].contains(&record.name));
        let said = |run: &_| sentences(&Report::of(std::slice::from_ref(run)).sections[0]);
        assert!(said(&run).is_empty());
        sample::phase_mut(&mut run, Phase::Rewrite).cache = Some(CacheLabel::Cached);
        assert_eq!(said(&run), ["* cached: answered from memory: not a device figure (rewrite)."]);
    }
}
