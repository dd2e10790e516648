//! Tests of the importer of tables: printed by Bonnie++'s rules and read back, in the shapes in which people pasted them.

use super::*;
use crate::import::Reading;
use crate::import::text::lines;
use crate::model::flag::Flag;
use crate::model::phase::Phase;
use crate::model::record::PhaseResult;
use proptest::prelude::*;

const OUTPUT: &str = "------Sequential Output------ --Sequential Input- --Random-";
const PHASES: &str = "-Per Chr- --Block-- -Rewrite- -Per Chr- --Block-- --Seeks--";
const CREATE: &str = "------Sequential Create------ --------Random Create--------";
const FILES: &str = "-Create-- --Read--- -Delete-- -Create-- --Read--- -Delete--";
const KIB: &str = "K/sec %CP K/sec %CP K/sec %CP K/sec %CP K/sec %CP  /sec %CP";
const PLAIN: &str = " /sec %CP  /sec %CP  /sec %CP  /sec %CP  /sec %CP  /sec %CP";
const NAMES: [&str; 12] = [
    "putc",
    "put_block",
    "rewrite",
    "getc",
    "get_block",
    "seeks",
    "seq_create",
    "seq_stat",
    "seq_del",
    "ran_create",
    "ran_stat",
    "ran_del",
];

fn found(text: &str) -> Found {
    BonnieTable.import(&lines(text.as_bytes()))
}

/// Rate, CPU and latency of the columns.
#[derive(Debug, Clone)]
struct Known {
    version: &'static str,
    name: String,
    size: String,
    files: String,
    figures: Vec<Option<[String; 3]>>,
}

impl Known {
    fn is_late(&self) -> bool {
        !self.version.starts_with("1.0")
    }

    fn row(&self, start: usize, before: &str) -> String {
        let figure = |figure: &Option<[String; 3]>| {
            let [rate, cpu, _] = figure.clone().unwrap_or_default();
            format!(" {rate:>5} {cpu:>3}")
        };
        format!("{before}{}\n", self.figures[start..start + 6].iter().map(figure).collect::<String>())
    }

    fn latencies(&self, start: usize) -> String {
        let latency = |figure: &Option<[String; 3]>| format!(" {:>9}", figure.clone().unwrap_or_default()[2]);
        format!("Latency          {}\n", self.figures[start..start + 6].iter().map(latency).collect::<String>())
    }

    /// As DoReport of bon_time.cpp prints it.
    fn print(&self) -> String {
        let version = format!("Version {:>5}       ", self.version);
        let is_newest = self.version.starts_with("2.");
        let (over, units) = if is_newest { ("Name:Size etc       ", PLAIN) } else { ("Machine        Size ", KIB) };
        let blank = " ".repeat(20);
        let concurrency = if self.is_late() && !is_newest { "Concurrency   1     " } else { &blank };
        let mut text = format!("{version}{OUTPUT}\n{concurrency}{PHASES}\n{over}{units}\n");
        text += &self.row(0, &format!("{:<width$.width$} {}", self.name, self.size, width = 18 - self.size.len()));
        if self.is_late() {
            text += &self.latencies(0);
            text += &format!("{version}{CREATE}\n{:<19.19} {FILES}\n", self.name);
        } else {
            text += &format!("{blank}{CREATE}\n{blank}{FILES}\n");
        }
        let over = if self.files.contains(':') { "files:max:min       " } else { "              files " };
        text += &format!("{over}{PLAIN}\n{}", self.row(6, &format!("{:>19}", self.files)));
        if self.is_late() { text + &self.latencies(6) } else { text }
    }

    fn values(&self) -> Vec<(String, String)> {
        let named = NAMES.iter().zip(&self.figures).filter_map(|(name, figure)| Some((name, figure.as_ref()?)));
        let of = |(name, [rate, cpu, latency]): (&&str, &[String; 3])| {
            [((*name).to_string(), rate.clone()), (format!("{name}_cpu"), cpu.clone()), (format!("{name}_latency"), latency.clone())]
        };
        let mut values: Vec<_> = named.flat_map(of).filter(|(_, text)| !text.is_empty()).collect();
        values.sort();
        values
    }
}

fn values_of(reading: &Reading) -> Vec<(String, String)> {
    let is_figure = |name: &str| name != "file_size" && name != "num_files";
    let mut values: Vec<_> = reading.imported.values.iter().filter(|(name, _)| is_figure(name)).cloned().collect();
    values.sort();
    values
}

fn figure(letters: bool, is_seeks: bool, is_late: bool) -> BoxedStrategy<[String; 3]> {
    let rate = if is_seeks {
        prop_oneof![
            (0..9999_u32).prop_map(|tenths| format!("{:.1}", f64::from(tenths) / 10.0)),
            (1000..99999_u32).prop_map(|rate| rate.to_string())
        ]
        .boxed()
    } else if letters {
        prop_oneof![
            (0..9999_u32).prop_map(|rate| format!("{rate}k")),
            (10.0..99.9).prop_map(|rate: f64| format!("{rate:.1}m")),
            (100..999_u32).prop_map(|rate| format!("{rate}m")),
            (1.0..9.9).prop_map(|rate: f64| format!("{rate:.1}g")),
        ]
        .boxed()
    } else {
        (0..9_999_999_u32).prop_map(|rate| rate.to_string()).boxed()
    };
    let known = (rate, 0..400_u32).prop_map(|(rate, cpu)| [rate, cpu.to_string()]);
    let pair = prop_oneof![3 => known, 1 => Just(["+++++".to_owned(), "+++".to_owned()])];
    let latency = prop_oneof![
        (1..99999_u32).prop_map(|us| format!("{us}us")),
        (100..99999_u32).prop_map(|ms| format!("{ms}ms")),
        (100..999_u32).prop_map(|s| format!("{s}s"))
    ];
    (pair, latency).prop_map(move |([rate, cpu], latency)| [rate, cpu, if is_late { latency } else { String::new() }]).boxed()
}

fn known() -> impl Strategy<Value = Known> {
    let version = prop::sample::select(vec!["1.00f", "1.03", "1.03e", "1.93c", "1.96", "1.97", "1.97.3", "2.00", "2.00a"]);
    let work = (
        prop::sample::select(vec!["2G", "300M:512", "63808M", "64G:4k"]),
        prop::sample::select(vec!["16", "20:250000:0/1000", "16:link", "1024:100:1"]),
    );
    (version, "[a-z](-?[a-z0-9.]){0,16}", work, any::<bool>()).prop_flat_map(|(version, name, (size, files), is_fast)| {
        let is_late = !version.starts_with("1.0");
        let of = move |place: usize| {
            let letters = version.starts_with("2.") && place < 6;
            figure(letters, place == 5, is_late).prop_map(move |figure| (!(is_fast && (place == 0 || place == 3))).then_some(figure))
        };
        let figures: Vec<_> = (0..12).map(of).collect();
        figures.prop_map(move |figures| Known { version, name: name.clone(), size: size.to_owned(), files: files.to_owned(), figures })
    })
}

/// Blanks as tabulators where they end at a stop of eight columns.
fn tabulated(line: &str) -> String {
    let parts = line.as_bytes().chunks(8).map(|part| String::from_utf8_lossy(part).into_owned());
    let tab = |part: String| if part.len() == 8 && part.ends_with("  ") { format!("{}\t", part.trim_end()) } else { part };
    parts.map(tab).collect()
}

fn collapsed(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn each_line(text: &str, change: impl Fn(&str) -> String) -> String {
    text.lines().map(|line| change(line) + "\n").collect()
}

proptest! {
    #[test]
    fn what_bonnie_prints_is_read_back(known in known()) {
        let text = known.print();
        let pasted = [
            text.clone(),
            each_line(&text, |line| format!("> > {line}")),
            each_line(&text, |line| format!("# {line}")),
            each_line(&text, |line| format!("| {line} |")),
            each_line(&text, |line| format!("    {line}   ")),
            each_line(&text, |line| format!("{line}\r\n")),
            each_line(&text, |line| line.replace(' ', "\u{a0}")),
            each_line(&text, tabulated),
            each_line(&text, |line| line.replace("--", "\u{2013}").replace("---", "\u{2014}")),
            format!("Here are they:\n\n[code]{text}[/code]\n\nWhat do you think of 100 12?\n"),
            format!("```text\n{}```\n", text.trim_end().to_owned() + "\n"),
        ];
        for text in &pasted {
            let found = found(text);
            prop_assert_eq!(&found.problems, &vec![], "{}", text);
            prop_assert_eq!(found.readings.len(), 1, "{}", text);
            prop_assert_eq!(values_of(&found.readings[0]), known.values(), "{}", text);
            let imported = &found.readings[0].imported;
            prop_assert_eq!(&imported.program, &format!("bonnie++ {}", known.version));
            prop_assert_eq!(imported.parameter("file_size"), known.size.split(':').next());
            prop_assert_eq!(imported.parameter("io_chunk_size"), known.size.split(':').nth(1));
            prop_assert_eq!(imported.parameter("num_files"), known.files.split(':').next());
            let label = &found.readings[0].label;
            prop_assert!(known.name.starts_with(label.as_str()) && (known.name.len() < 8 || label.len() >= 8), "{label}");
        }
    }

    #[test]
    fn one_blank_in_place_of_several_loses_nothing_and_guesses_nothing(known in known()) {
        let found = found(&each_line(&known.print(), collapsed));
        let whole = known.figures[0].is_some() || known.is_late();
        if whole {
            prop_assert_eq!(&found.problems, &vec![]);
            prop_assert_eq!(found.readings.len(), 1);
            prop_assert_eq!(values_of(&found.readings[0]), known.values());
        }
        for value in found.readings.iter().flat_map(values_of) {
            prop_assert!(known.values().contains(&value), "{value:?}");
        }
    }

    #[test]
    fn a_cut_table_says_nothing_that_the_whole_does_not(known in known(), is_collapsed in any::<bool>(), ends in prop::collection::vec(any::<prop::sample::Index>(), 12)) {
        let text = if is_collapsed { each_line(&known.print(), collapsed) } else { known.print() };
        for end in ends {
            let end = end.index(text.len());
            for value in found(&text[..end]).readings.iter().flat_map(values_of) {
                prop_assert!(known.values().contains(&value), "{value:?} of {}", &text[..end]);
            }
        }
    }

    #[test]
    fn any_text_is_read_without_a_panic(text in "([ 0-9+:/kmgMGu.%|>#\\[\\]<*\n\té-]|Version|1\\.97|-Sequential Output-|-Sequential Create-|K/sec %CP|Latency| /sec %CP|host){0,120}") {
        let found = found(&text);
        prop_assert!(found.readings.len() <= text.lines().count());
    }
}

const HEAD_103: &str = "\
Version  1.03       ------Sequential Output------ --Sequential Input- --Random-
                    -Per Chr- --Block-- -Rewrite- -Per Chr- --Block-- --Seeks--
Machine        Size K/sec %CP K/sec %CP K/sec %CP K/sec %CP K/sec %CP  /sec %CP
";

#[test]
fn lines_that_a_mail_program_broke_are_one() {
    let text = "\
Version  1.03       ------Sequential Output------ --Sequential Input-\u{20}
--Random-
                    -Per Chr- --Block-- -Rewrite- -Per Chr- --Block--\u{20}
--Seeks--
Machine        Size K/sec %CP K/sec %CP K/sec %CP K/sec %CP K/sec %CP\u{20}
/sec %CP
host           4G 50317  99 232444  54 109507  25 52287  98 329821  29\u{20}
1169   2
                    ------Sequential Create------ --------Random\u{20}
Create--------
                    -Create-- --Read--- -Delete-- -Create-- --Read---\u{20}
-Delete--
              files  /sec %CP  /sec %CP  /sec %CP  /sec %CP  /sec %CP\u{20}
/sec %CP
                 16   104   1 +++++ +++    87   1   103   1 +++++ +++\u{20}
100   1
";
    let found = found(text);
    assert_eq!((found.readings.len(), found.problems.len()), (1, 0), "{found:?}");
    let imported = &found.readings[0].imported;
    assert_eq!((imported.value("seeks"), imported.value("seeks_cpu"), imported.value("ran_del")), (Some("1169"), Some("2"), Some("100")));
    assert_eq!(found.lines.len(), text.lines().count(), "every line is known");
}

#[test]
fn rows_of_several_machines_are_matched_by_name_and_order() {
    let text = format!(
        "{HEAD_103}\
can (v2)       300M  4054  57  5121   2  3549   3  5942  91 10195   3 442.2   4
can (v3)       300M  5965  82  7861   3  2739   2  5437  82  9316   3 675.5   6
can (v3)       300M  4721  66  2654   1   641   0  5454  74  5017   0 690.2   7
                ------Sequential Create------ --------Random Create--------
                -Create-- --Read--- -Delete-- -Create-- --Read--- -Delete--
          files  /sec %CP  /sec %CP  /sec %CP  /sec %CP  /sec %CP /sec %CP
can (v3)    16  2104   9  5060  16  2102   8  2149   6  5789  10 1833   6
can (v3)    16  1666   7  4390  38  2103   8  1735   9  8859  17 2143   8
can (v2)    16    44   0  4316  19    80   0    46   0  4684   8 68   0
"
    );
    let found = found(&text);
    let pairs: Vec<_> =
        found.readings.iter().map(|run| [run.imported.value("putc"), run.imported.value("ran_del")].map(Option::unwrap)).collect();
    assert_eq!(pairs, [["4054", "68"], ["5965", "1833"], ["4721", "2143"]]);
    assert_eq!(found.readings.iter().map(|run| run.label.as_str()).collect::<Vec<_>>(), ["can (v2)", "can (v3)", "can (v3)"]);
    assert!(found.problems.is_empty());
}

#[test]
fn what_cannot_be_told_is_a_problem_with_its_line() {
    let heads = each_line(HEAD_103, collapsed);
    for (row, figures) in
        [("host 2G 83720 95 813061 95 1185231 100 84567 97 2828489 97", 10), ("host 2G 813061 95 1185231 100 2828489 97 1187 0", 8)]
    {
        let found = found(&format!("{heads}{row}\n"));
        assert_eq!(found.readings, vec![]);
        assert_eq!(found.problems[0].line, 4);
        assert!(found.problems[0].what.starts_with(&format!("{figures} figures stand where 12 belong")), "{found:?}");
    }
    let seeks = found(&format!("{heads}host 2G 813061 95 1185231 100 2828489 97 187.5 0\n"));
    assert_eq!(seeks.readings[0].imported.value("get_block"), Some("2828489"), "a point is only in seeks, so the row is whole");
    let headless = found(
        "-Per Chr- --Block-- -Rewrite-\nSize K/sec %CP K/sec %CP\n  4G 93865  99 312837  96 194487  23 102808  97 415501 21 +++++ +++\n",
    );
    assert_eq!((headless.readings.len(), headless.problems.len()), (0, 1), "{headless:?}");
    let bad = found(&format!("{HEAD_103}host             2G 83720  95 8x061  95 11852 100 84567  97 28284  97 118.7   0\n"));
    assert_eq!(bad.problems[0].what, "put_block is `8x061`, which is no figure; the rest of the row was taken");
    assert_eq!(bad.readings[0].phases.len(), 5);
}

#[test]
fn figures_that_ran_together_come_apart_only_where_it_is_certain() {
    let glued = found(&format!("{HEAD_103}host 2G ++++++++ 813k95 11852 100 84567 97 28284 97 118.7 0\n"));
    assert_eq!(glued.readings[0].imported.value("put_block_cpu"), Some("95"));
    let unclear = found(&format!("{HEAD_103}host 2G 8372095 813061 95 11852 100 84567 97 28284 97 118.7 0\n"));
    assert_eq!((unclear.readings.len(), unclear.problems.len()), (0, 1));
}

#[test]
fn file_rates_are_wrong_in_the_newest_tables_but_not_in_those_of_the_converter() {
    let files = "16 20480  32 20480  58 20480  48 20480  39 20480  56 20480  61\n";
    let native =
        format!("Version 2.00a       {CREATE}\nhost                {FILES}\n              files {PLAIN}\n                 {files}");
    let row = "host             2G  376k  99  1.4g  96  117m  14    0k +++  2.5g  95 533.8  62\n";
    let converted = format!(
        "Version     2.00a   {OUTPUT}\n                    {PHASES}\nName:Size etc       {PLAIN}\n{row}                    {CREATE}\n                    {FILES}\n      files:max:min {PLAIN}\nhost             {files}"
    );
    let rate = |text: &str, phase: Phase| {
        let found = found(text);
        let record = found.readings[0].phases.iter().find(|record| record.name == phase).cloned().unwrap();
        let Some(PhaseResult::Reported(reported)) = record.result else { panic!("no result") };
        (reported.rate, record.reason, record.flags)
    };
    assert_eq!(rate(&native, Phase::SeqCreate), (None, Some(super::super::bonnie::WRONG_RATE.to_owned()), vec![]));
    assert_eq!(rate(&converted, Phase::SeqCreate).0, Some(20480.0));
    assert_eq!(rate(&converted, Phase::CharRead), (None, Some(super::super::bonnie::TOO_SHORT.to_owned()), vec![]));
    assert_eq!(rate(&converted, Phase::RandomSeek).2, [Flag::Overcounted]);
}

#[test]
fn the_older_program_and_prose_are_left_alone() {
    let text = "\
              -------Sequential Output-------- ---Sequential Input-- --Random--
              -Per Char- --Block--- -Rewrite-- -Per Char- --Block--- --Seeks---
Machine    MB K/sec %CPU K/sec %CPU K/sec %CPU K/sec %CPU K/sec %CPU  /sec %CPU
         4096 16969 28.2  8098  7.5  7597  8.3 11760 18.6 15411 10.6  47.3  0.8
Sequential Output: Block: this is sequential writes like dd does.
";
    assert_eq!(found(text), Found::default());
}
