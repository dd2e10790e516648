//! Tests of the layouts of the text, line by line.

use super::*;
use crate::model::flag::Flag;
use crate::model::imported::TOO_SHORT;
use crate::model::phase::Phase;
use crate::model::record::{PhaseRecord, PhaseResult, Reported, RunRecord};
use crate::model::sample;

/// The lines of the figures: those between the first sentence and what explains them.
fn figures_of(records: &[RunRecord], layout: Layout) -> Vec<String> {
    let (lines, _, _) = figures(&Report::of(records).sections[0], layout);
    lines.iter().map(|line| line.trim_end().to_owned()).collect()
}

/// Six runs of three targets, as in the example that is the target of the look.
fn example() -> Vec<RunRecord> {
    let targets = [
        ("ext4", [499.0, 490.8, 508.6, 495.0, 499.8, 505.0], [60_600.0, 58_600.0, 62_000.0, 60_000.0, 60_800.0, 61_000.0]),
        ("xfs", [503.2, 499.6, 506.3, 500.1, 503.4, 505.9], [52_500.0, 51_200.0, 54_400.0, 52_000.0, 52_700.0, 53_900.0]),
        ("btrfs (zstd:3)", [449.0, 436.0, 467.0, 440.0, 451.0, 460.0], [41_700.0, 40_900.0, 43_600.0, 41_000.0, 41_900.0, 42_000.0]),
    ];
    let mut records = Vec::new();
    for (label, block_write, seq_create) in targets {
        for (round, (block, create)) in (1..).zip(block_write.into_iter().zip(seq_create)) {
            let mut run = sample::run(label, round);
            sample::set_rate(&mut run, Phase::BlockWrite, block);
            sample::set_rate(&mut run, Phase::SeqCreate, create);
            if label.starts_with("btrfs") {
                sample::phase_mut(&mut run, Phase::BlockWrite).flags = vec![Flag::NotSteady];
            }
            sample::phase_mut(&mut run, Phase::SeqStat).flags = vec![Flag::Short];
            records.push(run);
        }
    }
    records
}

/// The first lines of a text.
fn first(lines: &[String], count: usize) -> String {
    lines.iter().take(count).map(|line| format!("{line}\n")).collect()
}

#[test]
fn targets_stand_as_in_the_example() {
    let lines = figures_of(&example(), Layout::Targets);
    let expected = "                ------------ Block, MiB/s ------------    1000 seeks/s
                     write       rewrite          read         4 KiB
ext4                   499           500           500          30.0
                   491–509       500–500       500–500     30.0–30.0
                    16/40%        16/40%        16/40%        16/40%
xfs                    503           500           500          30.0
                   500–506       500–500       500–500     30.0–30.0
                    16/40%        16/40%        16/40%        16/40%
btrfs (zstd:3)         450n          500           500          30.0
                   436–467       500–500       500–500     30.0–30.0
                    16/40%        16/40%        16/40%        16/40%

                - Sequential, 1000 files/s --    --- Random, 1000 files/s ----
                 create       stat     delete     create       stat     delete
ext4               60.7       50.0s*     50.0       50.0       50.0*      50.0
              58.6–62.0  50.0–50.0  50.0–50.0  50.0–50.0  50.0–50.0  50.0–50.0
";
    assert_eq!(first(&lines, 16), expected, "{}", lines.join("\n"));
}

#[test]
fn a_ranking_stands_as_in_the_example() {
    let lines = figures_of(&example(), Layout::Ranking);
    let expected = "\
Block write, MiB/s
 1  xfs              503.3    499.6 – 506.3    best    ########################=
 1= ext4             499.4    490.8 – 508.6  0.99 ×    ########################=
 3  btrfs (zstd:3)   450        436 – 467    0.89 × n  #####################==
";
    assert_eq!(first(&lines, 4), expected, "{}", lines.join("\n"));
}

#[test]
fn bonnie_stands_as_bonnie_prints_it() {
    let lines = figures_of(&example(), Layout::Bonnie);
    let expected = "\
barrow 0.1.0      -------Sequential Output------- --Sequential Input-- --Random-
                  -Per Chr- --Block--- -Rewrite-- -Per Chr- --Block--- --Seeks--
Machine      Size K/sec %CP  K/sec %CP  K/sec %CP K/sec %CP  K/sec %CP  /sec %CP
ext4           4G           511400  16 512000  16           512000  16 30000  16
                                -2/+2%     -0/+0%               -0/+0%    -0/+0%
Latency                           50us       50us                 50us      50us
";
    assert_eq!(first(&lines, 6), expected, "{}", lines.join("\n"));
    let files = "\
barrow 0.1.0        ------Sequential Create------ --------Random Create--------
                    -Create-- --Read--- -Delete-- -Create-- --Read--- -Delete--
files:max:min        /sec %CP  /sec %CP  /sec %CP  /sec %CP  /sec %CP  /sec %CP
ext4             64 60700   1 50000  16 50000  16 50000  16 50000  16 50000  16
";
    assert_eq!(first(&lines[12..], 4), files, "{}", lines.join("\n"));
    let long = figures_of(&[sample::run(&"long ".repeat(6), 1)], Layout::Bonnie);
    assert!(long[3..5] == ["long long long long long long".to_owned(), format!("{}4G{}", " ".repeat(15), &long[4][17..])], "{long:?}");
}

#[test]
fn what_every_target_skipped_is_no_column_and_in_the_form_of_bonnie_an_empty_one() {
    let mut run = sample::run("ext4", 1);
    *sample::phase_mut(&mut run, Phase::Rewrite) = PhaseRecord::skipped(Phase::Rewrite, "left out");
    run.phases.truncate(3);
    let records = [run];
    assert_eq!(figures_of(&records, Layout::Targets)[1].split_whitespace().collect::<Vec<_>>(), ["write", "read"]);
    let bonnie = figures_of(&records, Layout::Bonnie);
    assert_eq!(bonnie.len(), 5, "{bonnie:?}");
    assert_eq!(bonnie[3].split_whitespace().collect::<Vec<_>>(), ["ext4", "4G", "512000", "16", "512000", "16"]);
}

#[test]
fn what_has_no_figure_has_a_dash_and_in_a_ranking_its_word() {
    let mut records = [sample::run("ext4", 1), sample::run("xfs", 1)];
    records.iter_mut().for_each(|run| run.phases.truncate(2));
    *sample::phase_mut(&mut records[1], Phase::Rewrite) = PhaseRecord::failed(Phase::Rewrite, "no space");
    let ranking = figures_of(&records, Layout::Ranking);
    assert_eq!(ranking.last().unwrap(), "    xfs     –  failed", "{}", ranking.join("\n"));
    let targets = figures_of(&records, Layout::Targets);
    assert_eq!(targets[targets.len() - 2].split_whitespace().collect::<Vec<_>>(), ["xfs", "500", "–"], "{}", targets.join("\n"));
}

#[test]
fn what_bonnie_itself_measured_fills_its_form() {
    let mut run = sample::imported("server", 1);
    let short = PhaseResult::Reported(Reported { rate: None, cpu_percent: None, latency_max_ns: Some(27_000_000) });
    let stat = sample::phase_mut(&mut run, Phase::SeqStat);
    (stat.result, stat.reason) = (Some(short), Some(TOO_SHORT.to_owned()));
    let parameters = &mut run.imported.as_mut().unwrap().parameters;
    parameters
        .extend([("max_size", "250000"), ("min_size", "0"), ("num_dirs", "1000")].map(|(name, text)| (name.to_owned(), text.to_owned())));
    let lines = figures_of(&[run], Layout::Bonnie);
    let expected = "\
Version 1.97    -------Sequential Output-------- ---Sequential Input-- --Random-
                -Per Chr-- --Block--- -Rewrite-- -Per Chr-- --Block--- --Seeks--
Machine    Size  K/sec %CP  K/sec %CP  K/sec %CP  K/sec %CP  K/sec %CP  /sec %CP
server      80G 512000  16 512000  16 512000  16 512000  16 512000  16 30000  16
Latency               50us       50us       50us       50us       50us      50us
Version 1.97        ------Sequential Create------ --------Random Create--------
";
    assert_eq!(first(&lines, 6), expected, "{}", lines.join("\n"));
    assert_eq!(
        lines[8..10].iter().map(|line| line.split_whitespace().take(5).collect::<Vec<_>>().join(" ")).collect::<Vec<_>>(),
        ["server", "16:250000:0/1000 50000 16 short 50000"]
    );
}
