//! How a report is cited, and the command line that repeats the measurement.

use super::page::Cite;
use crate::model::plan::{CacheState, DropCaches, Plan};
use crate::model::printable::printable;
use crate::model::settings::Io;
use crate::report::gathered::distinct;
use crate::report::{Section, facts};

/// More targets than these are not written out in a command line.
const MOST_TARGETS: usize = 24;

/// Both, for a section.
pub fn cite(section: &Section<'_>) -> Cite {
    let parameters = facts::parameters(section);
    let split = |text: &String| text.split_once('=').map(|(key, value)| (key.to_owned(), value.to_owned()));
    Cite {
        citation: citation(section),
        command: command(section).unwrap_or_default(),
        parameters: parameters.iter().filter_map(split).collect(),
    }
}

/// `barrow 0.1.0, std/1, 3 targets × 6 runs, interleaved, 2026-11-30; workload 7f3a91c2e05d4b18; Linux 6.18.4`.
fn citation(section: &Section<'_>) -> String {
    let kernels = distinct(section.series.iter().filter_map(|series| series.first.machine.kernel.as_deref().map(printable)));
    let kernels = if kernels.is_empty() { String::new() } else { format!("; {}", kernels.join(" / ")) };
    format!("{}; workload {}{kernels}.", facts::title(section).join(", "), section.workload_id)
}

/// The command line, with `DIR` for each directory; `None` where another program measured, the plans are not one, or a filesystem was
/// made for the run: how it was to be made is not all of it in the record.
fn command(section: &Section<'_>) -> Option<String> {
    let first = section.series.first()?.first;
    let is_one_plan = section.series.iter().all(|series| series.first.plan == first.plan);
    let is_made = section.series.iter().any(|series| series.first.making.is_some());
    if !is_one_plan || is_made || section.series.len() > MOST_TARGETS {
        return None;
    }
    let mut words = vec!["barrow".to_owned(), "run".to_owned()];
    words.extend(plan_words(&first.profile, first.plan.as_ref()?));
    let mut labels = distinct(section.series.iter().map(|series| series.label.clone()));
    labels.iter_mut().for_each(|label| *label = quoted(&format!("{label}=DIR")));
    Some(words.into_iter().chain(labels).collect::<Vec<_>>().join(" "))
}

/// The options that make the plan of a run.
fn plan_words(profile: &str, plan: &Plan) -> Vec<String> {
    let (settings, circumstances) = (&plan.settings, &plan.circumstances);
    let mut changes = profile.split('+');
    // `full/1@48g` is the profile on a machine of that memory.
    let name = changes.next().and_then(|name| name.split('@').next()).unwrap_or_default();
    let mut words = vec!["-p".to_owned(), quoted(name), "-n".to_owned(), settings.runs.to_string()];
    let mut option = |name: &str, value: &str| words.extend([name.to_owned(), quoted(value)]);
    changes.for_each(|change| option("--set", change));
    if settings.io == Io::Direct && !profile.contains("+io=") {
        option("--io", "direct");
    }
    if circumstances.cache == CacheState::Warm {
        option("--cache", "warm");
    }
    if circumstances.drop_caches == DropCaches::Never {
        option("--drop-caches", "never");
    }
    if let Some(command) = &circumstances.prepare {
        option("--prepare", command);
    }
    if circumstances.pause_ms > 0 {
        option("--pause", &format!("{}ms", circumstances.pause_ms));
    }
    if circumstances.max_phase_seconds > 0 {
        option("--max-phase-seconds", &circumstances.max_phase_seconds.to_string());
    }
    if circumstances.fill_percent > 0 {
        option("--fill", &format!("{}%", circumstances.fill_percent));
    }
    words
}

/// A word as a shell reads it back.
fn quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "_-./:=,@%".contains(letter);
    let word = printable(word);
    if !word.is_empty() && word.chars().all(is_plain) { word } else { format!("'{}'", word.replace('\'', "'\\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::plan::Circumstances;
    use crate::model::record::RunRecord;
    use crate::model::sample;
    use crate::report::Report;

    fn command_of(records: &[RunRecord]) -> Option<String> {
        command(&Report::of(records).sections[0])
    }

    #[test]
    fn the_command_line_repeats_the_plan() {
        let mut records = [sample::run("ext4", 1), sample::run("btrfs (zstd:3)", 1)];
        assert_eq!(command_of(&records).unwrap(), "barrow run -p std/1 -n 6 ext4=DIR 'btrfs (zstd:3)=DIR'");
        for run in &mut records {
            run.profile = "full/1@48g+file_size=8g+seed=3".to_owned();
            run.plan.as_mut().unwrap().circumstances =
                Circumstances { prepare: Some("it's".to_owned()), pause_ms: 5, ..Circumstances::WITHOUT_DROPS };
        }
        let expected = "barrow run -p full/1 -n 6 --set file_size=8g --set seed=3 --drop-caches never --prepare 'it'\\''s' --pause 5ms ext4=DIR 'btrfs (zstd:3)=DIR'";
        assert_eq!(command_of(&records).unwrap(), expected);
        records[1].plan.as_mut().unwrap().circumstances = Circumstances::USUAL;
        assert_eq!(command_of(&records), None, "two plans are no one command line");
        assert_eq!(command_of(&[sample::made("ext4", 1)]), None, "a made filesystem has no directory");
    }

    #[test]
    fn a_shell_reads_the_word_back() {
        assert_eq!(
            (quoted("std/1"), quoted("a b"), quoted("$(x)"), quoted("")),
            ("std/1".into(), "'a b'".into(), "'$(x)'".into(), "''".into())
        );
    }
}
