//! What is doubtful about a row: the words beside it, and whether it is drawn hollow or hatched.

use super::model::Fill;
use crate::model::flag::Flag;
use crate::model::label::{CacheLabel, Durability};
use crate::model::likeness::is_from_memory;
use crate::model::phase::Reads;
use crate::model::record::PhaseRecord;
use crate::model::summary::PhaseSummary;
use crate::report::table::{cache_words, ends, words};

/// How the bar of a phase is filled: hatched is hollow too.
pub fn fill(summary: &PhaseSummary) -> Fill {
    if summary.flags.contains(&Flag::Short) {
        Fill::Hatched
    } else if is_from_memory(summary.phase, &summary.cache) {
        Fill::Hollow
    } else {
        Fill::Solid
    }
}

/// Whether the dot of one run is hollow.
pub fn is_doubtful(record: &PhaseRecord) -> bool {
    record.flags.contains(&Flag::Short) || is_from_memory(record.name, record.cache.as_slice())
}

/// The words in the row: whatever is not as it should be.
pub fn in_row(summary: &PhaseSummary) -> String {
    doubts(summary).join(", ")
}

/// Whatever is not as it should be, word by word.
pub fn doubts(summary: &PhaseSummary) -> Vec<String> {
    if summary.n == 0 {
        return vec![missing(summary)];
    }
    let is_fine = [CacheLabel::Cold.word(), Durability::Durable.word()];
    let mut doubts: Vec<String> = words(summary);
    let is_mixed = doubts.len() > 1;
    doubts.retain(|word| is_mixed || !is_fine.contains(&word.as_str()));
    let mut parts: Vec<String> = if doubts.is_empty() { Vec::new() } else { vec![doubts.join("/")] };
    if summary.phase.row().writes && is_from_memory(summary.phase, &summary.cache) {
        parts.push(format!("read {}", cache_words(&summary.cache).join("/")));
    }
    parts.extend(flags(summary));
    parts.extend(lost_runs(summary));
    parts
}

/// The words in the sentence of the row: all.
pub fn in_sentence(summary: &PhaseSummary) -> String {
    if summary.n == 0 {
        return missing(summary);
    }
    let mut parts = vec![words(summary).join("/")];
    if summary.phase.row().writes && summary.phase.row().reads == Reads::Data && !summary.cache.is_empty() {
        parts.push(format!("read {}", cache_words(&summary.cache).join("/")));
    }
    parts.extend(flags(summary));
    parts.extend(lost_runs(summary));
    parts.retain(|part| !part.is_empty());
    parts.join(", ")
}

fn flags(summary: &PhaseSummary) -> Vec<String> {
    // These are about latencies and CPU, which no chart of rates shows.
    summary.flags.iter().filter(|flag| !matches!(flag, Flag::Batched | Flag::Overcounted)).map(|flag| flag.word().to_owned()).collect()
}

/// The runs that have no number, when others have.
fn lost_runs(summary: &PhaseSummary) -> Vec<String> {
    let unexplained = summary.unrated.len() - summary.too_short();
    let failures = ends(&summary.failures).into_iter().map(|status| {
        let count = summary.failures.iter().filter(|one| one.status == status).count();
        (count, status.name())
    });
    let lost = failures.chain([(summary.skips.len(), "skipped"), (unexplained, "without a rate")]).filter(|(count, _)| *count > 0);
    lost.map(|(count, what)| format!("{count} run{} {what}", plural(count))).collect()
}

fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}

fn missing(summary: &PhaseSummary) -> String {
    let known = words(summary).join("/");
    match (known.is_empty(), summary.recorded) {
        (false, _) => known,
        (true, 0) => "not in the run file".to_owned(),
        (true, _) => "no rate".to_owned(),
    }
}
