//! Names the places of a table in words: `seq. stat and random stat, every target`.

use super::Section;
use super::lines::join_and;
use crate::model::phase::Phase;
use std::collections::BTreeSet;

/// A place in the table: a series, by its place in the section, and a phase.
pub type Place = (usize, Phase);

/// Phases that share a set of series, in the order of the table.
pub struct Shared {
    pub series: Vec<usize>,
    pub phases: Vec<Phase>,
}

/// Gathers places by the set of series that share a phase.
pub fn shared(section: &Section<'_>, places: &[Place]) -> Vec<Shared> {
    let mut groups: Vec<Shared> = Vec::new();
    for phase in &section.phases {
        let series: Vec<usize> = places.iter().filter(|(_, other)| other == phase).map(|(series, _)| *series).collect();
        if series.is_empty() {
            continue;
        }
        match groups.iter_mut().find(|group| group.series == series) {
            Some(group) => group.phases.push(*phase),
            None => groups.push(Shared { series, phases: vec![*phase] }),
        }
    }
    groups
}

/// The places in words, for the end of a sentence or brackets. The target is not named where there is only one.
pub fn in_words(section: &Section<'_>, places: &[Place]) -> String {
    let groups = shared(section, places);
    let words = groups.iter().map(|group| {
        let phases = phases_in_words(section, &group.phases);
        match group.series.len() {
            _ if section.series.len() == 1 => phases,
            all if all == section.series.len() => format!("{phases}, every target"),
            _ => format!("{}, {phases}", series_in_words(section, &group.series)),
        }
    });
    words.collect::<Vec<_>>().join("; ")
}

/// The names of some series: `ext4 and xfs`, `every target`, or of many `every target but tmpfs`.
pub fn series_in_words(section: &Section<'_>, series: &[usize]) -> String {
    let named: BTreeSet<usize> = series.iter().copied().filter(|place| *place < section.series.len()).collect();
    let is_other = |place: &usize| !named.contains(place);
    let names = |places: &mut dyn Iterator<Item = usize>| -> Vec<String> {
        places.filter_map(|place| Some(section.series.get(place)?.name.clone())).collect()
    };
    match (named.len(), section.series.len() - named.len()) {
        (2.., 0) => "every target".to_owned(),
        (3.., 1) => format!("every target but {}", names(&mut (0..section.series.len()).filter(is_other)).concat()),
        // Found by their places: many words of few series each do not look at every series each time.
        _ => join_and(&names(&mut named.iter().copied())),
    }
}

fn phases_in_words(section: &Section<'_>, phases: &[Phase]) -> String {
    let list = |phases: &[Phase]| join_and(&phases.iter().map(|phase| in_sentence(*phase)).collect::<Vec<_>>());
    if phases.len() < 2 {
        return list(phases);
    }
    let shown = section.phases.iter().copied().filter(|phase| section.shows(*phase));
    let (named, others): (Vec<Phase>, Vec<Phase>) = shown.partition(|phase| phases.contains(phase));
    match (named.len(), others.len()) {
        (2.., 0) => "every phase".to_owned(),
        (5.., 1..=2) => format!("every phase but {}", list(&others)),
        _ => list(phases),
    }
}

/// The name of a phase within a sentence: `block write`, `seq. stat`.
pub fn in_sentence(phase: Phase) -> String {
    let title = phase.row().title;
    let mut letters = title.chars();
    match (letters.next(), letters.next()) {
        // A name of letters in capitals stays as it is, and so do units.
        (Some(first), Some(second)) if second.is_lowercase() => first.to_lowercase().chain(title.chars().skip(1)).collect(),
        _ => title.to_owned(),
    }
}

/// The names of phases with the two orders of a file set taken together: `create and random delete` for seq. create, random create
/// and random delete.
pub fn taken_together(phases: &[Phase]) -> Vec<String> {
    let names: Vec<String> = phases.iter().map(|phase| in_sentence(*phase)).collect();
    let has = |name: String| names.contains(&name);
    let together = names.iter().filter_map(|name| {
        if let Some(verb) = name.strip_prefix("seq. ").filter(|verb| has(format!("random {verb}"))) {
            return Some(verb.to_owned());
        }
        let is_told = name.strip_prefix("random ").is_some_and(|verb| has(format!("seq. {verb}")));
        (!is_told).then(|| name.clone())
    });
    together.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::sample;
    use crate::report::Report;

    #[test]
    fn places_are_named() {
        let records = [sample::run("ext4", 1), sample::run("xfs", 1)];
        let report = Report::of(&records);
        let section = &report.sections[0];
        let everywhere = [(0, Phase::SeqStat), (1, Phase::SeqStat), (0, Phase::RandomStat), (1, Phase::RandomStat)];
        assert_eq!(in_words(section, &everywhere), "seq. stat and random stat, every target");
        let mixed = [(1, Phase::BlockRead), (0, Phase::SeqStat), (1, Phase::SeqStat)];
        assert_eq!(in_words(section, &mixed), "xfs, block read; seq. stat, every target");
        let whole: Vec<Place> = Phase::STANDARD.iter().map(|phase| (1, *phase)).collect();
        assert_eq!(in_words(section, &whole), "xfs, every phase");
        assert_eq!(in_words(section, &whole[1..]), "xfs, every phase but block write");
        let alone = Report::of(&records[..1]);
        assert_eq!(in_words(&alone.sections[0], &[(0, Phase::SeqStat)]), "seq. stat");
    }

    #[test]
    fn of_many_targets_the_exception_is_named() {
        let records = ["ext4", "xfs", "btrfs", "tmpfs"].map(|label| sample::run(label, 1));
        let report = Report::of(&records);
        let names = |places: &[usize]| series_in_words(&report.sections[0], places);
        assert_eq!(names(&[0, 1, 2, 3]), "every target");
        assert_eq!(names(&[0, 1, 2]), "every target but tmpfs");
        assert_eq!(names(&[1, 3]), "xfs and tmpfs");
        assert_eq!(in_words(&report.sections[0], &[(2, Phase::Rewrite)]), "btrfs, rewrite");
    }

    #[test]
    fn the_two_orders_are_taken_together() {
        let phases = [Phase::RandomSeek, Phase::SeqCreate, Phase::SeqStat, Phase::RandomCreate, Phase::RandomDelete];
        assert_eq!(taken_together(&phases), ["random seek", "create", "seq. stat", "random delete"]);
    }
}
