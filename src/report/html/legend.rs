//! What the words and flags of a part mean, where they stand and by what evidence; and what must be said beside the tables.

use super::cells::Word;
use super::page::{Legend, LegendEntry};
use super::{details, makings};
use crate::model::flag::Flag;
use crate::report::places::{Place, in_words};
use crate::report::{Section, checks, direct_io, evidence, legend, remarks, sweep};

/// The legend of a section.
pub fn legend(section: &Section<'_>) -> Legend {
    let word = |entry: legend::Entry| LegendEntry { word: Word::of_cache(entry.word), meaning: entry.meaning };
    let flags = legend::flag_places(section).into_iter().map(|(flag, places)| entry(section, flag, &places));
    let sentences = [
        remarks::reads_from_memory(section),
        direct_io::sentences(section),
        remarks::remounted(section),
        checks::unchecked(section),
        sweep::sentences(section),
    ];
    Legend {
        words: legend::words(section).into_iter().map(word).collect(),
        flags: flags.collect(),
        made: makings::legend(section),
        details: details::legend(section),
        remarks: sentences.into_iter().flatten().chain(remarks::own_share(section)).chain([remarks::workload(section)]).collect(),
    }
}

fn entry(section: &Section<'_>, flag: Flag, places: &[Place]) -> LegendEntry {
    let evidence = evidence::in_words(section, flag, places);
    let here = evidence.unwrap_or_else(|| in_words(section, places));
    LegendEntry { word: Word::marked(flag.word().to_owned()), meaning: format!("{}. Here: {here}.", flag.meaning()) }
}
