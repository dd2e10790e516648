//! What became of direct I/O: asked for, and had or not.

use super::Section;
use super::places::{Place, in_words};
use crate::model::machine::ObtainedIo;
use crate::model::settings::Io;

/// The sentences on direct I/O; none where nobody asked for it.
pub fn sentences(section: &Section<'_>) -> Vec<String> {
    let with = |wanted: ObtainedIo| -> Vec<Place> {
        let measured = section.measured().into_iter().filter(|(_, summary)| summary.io.contains(&wanted));
        measured.map(|(place, summary)| (place, summary.phase)).collect()
    };
    let (direct, buffered, unknown) = (with(ObtainedIo::Direct), with(ObtainedIo::Buffered), with(ObtainedIo::Unknown));
    if buffered.is_empty() && unknown.is_empty() {
        // Phases of a device say by their names what they ask for.
        let is_asked = section.series.iter().any(|series| series.first.settings().is_some_and(|settings| settings.io == Io::Direct));
        let is_had = is_asked && !direct.is_empty();
        return if is_had { vec!["Direct I/O was asked for, and had in every block phase.".to_owned()] } else { Vec::new() };
    }
    let named = |places: &[Place], what: &str| {
        (!places.is_empty()).then(|| format!("Direct I/O was asked for, {what} ({}).", in_words(section, places)))
    };
    let cases = [
        named(&direct, "and had"),
        named(&buffered, "but data stayed in the page cache"),
        named(&unknown, "but whether it was had is not known"),
    ];
    cases.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::phase::Phase;
    use crate::model::sample;
    use crate::report::Report;

    #[test]
    fn what_was_asked_for_and_had_is_said() {
        let mut records = [sample::run("ext4", 1), sample::run("tmpfs", 1)];
        assert!(sentences(&Report::of(&records).sections[0]).is_empty());
        let block = [Phase::BlockWrite, Phase::Rewrite, Phase::BlockRead, Phase::RandomSeek];
        for run in &mut records {
            run.plan.as_mut().unwrap().settings.io = Io::Direct;
            for phase in block {
                sample::phase_mut(run, phase).io = Some(ObtainedIo::Direct);
            }
        }
        let said = sentences(&Report::of(&records).sections[0]);
        assert_eq!(said, ["Direct I/O was asked for, and had in every block phase."]);
        for phase in block {
            sample::phase_mut(&mut records[1], phase).io = Some(ObtainedIo::Buffered);
        }
        let said = sentences(&Report::of(&records).sections[0]);
        assert_eq!(said.len(), 2, "{said:?}");
        assert!(said[1].starts_with("Direct I/O was asked for, but data stayed in the page cache (tmpfs, block write"), "{}", said[1]);
    }
}
