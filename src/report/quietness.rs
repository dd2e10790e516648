//! One sentence where the machine was not quiet: how many figures others disturbed, and by how much at the most.

use super::Section;
use super::lines::join_and;
use crate::model::flag::Flag;
use crate::model::record::{Counted, PhaseRecord, RunRecord};
use crate::units::with_thousands;

/// The marks of what others did.
const OTHERS: [Flag; 3] = [Flag::Busy, Flag::OthersIo, Flag::Stolen];
/// From one disturbed figure in so many on it is said at the top; fewer are told by their marks.
const ONE_IN: usize = 3;
const MIB: f64 = 1_048_576.0;

/// The sentence; `None` when few figures were disturbed.
pub fn sentence(section: &Section<'_>) -> Option<String> {
    let measured = section.measured();
    let disturbed = measured.iter().filter(|(_, summary)| OTHERS.iter().any(|flag| summary.flags.contains(flag))).count();
    if disturbed == 0 || disturbed * ONE_IN < measured.len() {
        return None;
    }
    let parts: Vec<String> = [cores(section), device(section), stolen(section)].into_iter().flatten().collect();
    let by = if parts.is_empty() { String::new() } else { format!(" ({})", join_and(&parts)) };
    Some(format!(
        "The machine was not quiet: others disturbed {disturbed} of {} figures{by}. Measure again before you publish.",
        measured.len()
    ))
}

/// The largest of something over the phases with a mark, in every run.
fn largest(section: &Section<'_>, flag: Flag, of: impl Fn(&RunRecord, &PhaseRecord, &Counted) -> Option<f64>) -> Option<f64> {
    let runs = section.series.iter().flat_map(|series| series.runs.iter());
    let values = runs.flat_map(|run| {
        let marked = run.phases.iter().filter(|record| record.flags.contains(&flag));
        marked.filter_map(|record| of(run, record, record.counted()?)).collect::<Vec<f64>>()
    });
    values.filter(|value| value.is_finite()).reduce(f64::max)
}

fn cores(section: &Section<'_>) -> Option<String> {
    let cores = largest(section, Flag::Busy, |run, record, counted| {
        // Counted in ticks of 10 ms: over a few of them more cores than there are can seem busy.
        let most = run.machine.cpus.map_or(f64::INFINITY, f64::from);
        let meanwhile = Some((counted.others_user_ns? as f64 / counted.elapsed_ns as f64).min(most));
        let before = record.evidence.before.and_then(|before| Some(before.others_busy_ms? as f64 / before.elapsed_ms as f64));
        meanwhile.into_iter().chain(before).filter(|share| share.is_finite()).map(|share| share.min(most)).reduce(f64::max)
    });
    cores.map(|cores| format!("programs used up to {cores:.1} cores"))
}

fn device(section: &Section<'_>) -> Option<String> {
    let rate = largest(section, Flag::OthersIo, |run, record, counted| {
        let leaves = run.stack.leaf_traffic(&record.evidence.devices)?;
        let others = leaves.read_bytes.saturating_sub(record.evidence.own_read_bytes?);
        let meanwhile = others as f64 / (counted.elapsed_ns as f64 / 1e9);
        let before = record.evidence.before.map_or(0.0, |before| before.moved_bytes as f64 / (before.elapsed_ms as f64 / 1e3));
        Some(meanwhile.max(before) / MIB)
    });
    rate.filter(|rate| *rate >= 1.0).map(|rate| format!("moved up to {} MiB/s on the device", with_thousands(rate, 0)))
}

fn stolen(section: &Section<'_>) -> Option<String> {
    let share = largest(section, Flag::Stolen, |_, record, counted| {
        Some(record.evidence.surroundings.stolen_ms? as f64 * 1e6 / counted.elapsed_ns as f64)
    });
    share.map(|share| format!("took up to {:.0} % of a core away", share * 100.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::evidence::{Surroundings, Watch};
    use crate::model::phase::Phase;
    use crate::model::sample;
    use crate::report::Report;

    fn said(run: &RunRecord) -> Option<String> {
        sentence(&Report::of(std::slice::from_ref(run)).sections[0])
    }

    #[test]
    fn a_loud_machine_is_told_at_the_top() {
        let mut run = sample::run("ext4", 1);
        assert_eq!(said(&run), None);
        for phase in [Phase::BlockWrite, Phase::Rewrite, Phase::BlockRead] {
            sample::phase_mut(&mut run, phase).flags = vec![Flag::Busy];
            sample::counted_mut(&mut run, phase).others_user_ns = Some(1_300_000_000);
        }
        assert_eq!(said(&run), None, "three of ten are few");
        let seek = sample::phase_mut(&mut run, Phase::RandomSeek);
        seek.flags = vec![Flag::Stolen];
        seek.evidence.surroundings = Surroundings { stolen_ms: Some(250), ..Surroundings::default() };
        let expected = "The machine was not quiet: others disturbed 4 of 10 figures (programs used up to 1.3 cores and took up to 25 % \
            of a core away). Measure again before you publish.";
        assert_eq!(said(&run).unwrap(), expected);
    }

    #[test]
    fn what_cannot_be_told_is_left_out() {
        let mut run = sample::run("ext4", 1);
        for phase in Phase::STANDARD {
            let record = sample::phase_mut(&mut run, *phase);
            record.flags = vec![Flag::OthersIo, Flag::Busy];
            record.evidence.before = Some(Watch { elapsed_ms: 0, is_quiet: false, moved_bytes: 5, others_busy_ms: Some(0) });
        }
        let expected = "The machine was not quiet: others disturbed 10 of 10 figures. Measure again before you publish.";
        assert_eq!(said(&run).unwrap(), expected);
    }
}
