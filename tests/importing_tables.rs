//! The tables that people pasted, against a reading of their words that shares no code with the importer, and against `bon_csv2txt`.

use crate::real::need::{Need, is_missing};
use barrow::import::{Found, IMPORTERS, Importer, Reading, read, text};
use barrow::model::record::PhaseResult;
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

const BLOCKS: [&str; 6] = ["putc", "put_block", "rewrite", "getc", "get_block", "seeks"];
const FILES: [&str; 6] = ["seq_create", "seq_stat", "seq_del", "ran_create", "ran_stat", "ran_del"];

const PHASES: [&str; 12] = [
    "char_write",
    "block_write",
    "rewrite",
    "char_read",
    "block_read",
    "random_seek",
    "seq_create",
    "seq_stat",
    "seq_delete",
    "random_create",
    "random_stat",
    "random_delete",
];

fn data() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/bonnie-tables")
}

fn importer() -> &'static dyn Importer {
    *IMPORTERS.iter().find(|importer| importer.name() == "table").expect("the importer of tables")
}

fn found(content: &[u8]) -> Found {
    importer().import(&text::lines(content))
}

/// Label, version and parameters of runs, and how many are alike in these.
type Runs = (&'static str, &'static str, &'static str, usize);

/// Each file with its runs.
const RUNS: &[(&str, &[Runs])] = &[
    ("blog_103d_tmpfs_files_only.txt", &[("", "1.03d", "num_files=20 max_size=250000 min_size=0 num_dirs=1000", 2)]),
    ("btrfs_200a_bogus_files.txt", &[("debian0", "2.00a", "file_size=7501M num_files=20 max_size=384100 min_size=384100 num_dirs=20", 2)]),
    ("ec2_103e_overflow.txt", &[("raid0", "1.03e", "file_size=2G num_files=16", 1)]),
    ("forum_197_csv2txt.txt", &[("cb35", "1.97", "file_size=7624M num_files=16", 1)]),
    ("linuxmm_196_quoted.txt", &[("server3", "1.96", "num_files=60 max_size=32 min_size=32", 1)]),
    (
        "lkml_103_5runs_reiser4_ext3.txt",
        &[("v4.128M", "1.03", "file_size=1G num_files=10", 5), ("ext3.128M", "1.03", "file_size=1G num_files=10", 5)],
    ),
    ("uclinux_194.txt", &[("blackfin", "1.94", "concurrency=1 file_size=300M num_files=16", 1)]),
    ("wsl2_200a_zero_rates.txt", &[("HOST-A", "2.00a", "file_size=63G num_files=16", 1)]),
];

#[test]
fn every_table_is_a_run_with_the_work_that_stood_there() {
    assert_eq!(RUNS.len(), fs::read_dir(data()).expect("the data").count());
    for (file, runs) in RUNS {
        let found = found(&fs::read(data().join(file)).expect(file));
        assert_eq!(found.problems, [], "{file}");
        let mut readings = found.readings.iter();
        for (label, version, parameters, count) in *runs {
            for reading in readings.by_ref().take(*count) {
                let said: Vec<String> = reading.imported.parameters.iter().map(|(name, text)| format!("{name}={text}")).collect();
                let expected = (*label, format!("bonnie++ {version}"), (*parameters).to_owned());
                assert_eq!((reading.label.as_str(), reading.imported.program.clone(), said.join(" ")), expected, "{file}");
            }
        }
        assert_eq!(readings.count(), 0, "{file}");
    }
}

fn is_figure(word: &str) -> bool {
    word.starts_with(|first: char| first.is_ascii_digit() || first == '+') && !word.contains([',', ':'])
}

/// The figures of a text in the order of its lines: of the rows of blocks, which have a size in capital letters, and of those of files.
fn words_of_rows(text: &str) -> [Vec<String>; 2] {
    let mut rows = [Vec::new(), Vec::new()];
    let mut last = 0;
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().filter(|word| *word != ">").collect();
        if words.first() == Some(&"Latency") {
            rows[last].extend(words[1..].iter().map(|word| (*word).to_owned()));
        } else if words.len() > 12 && words[words.len() - 12..].iter().all(|word| is_figure(word)) {
            last = usize::from(!words[words.len() - 13].ends_with(['M', 'G']));
            rows[last].extend(words[words.len() - 12..].iter().map(|word| (*word).to_owned()));
        }
    }
    rows
}

/// What a run has of one block: rates and CPU in turn, then latencies.
fn figures_of(reading: &Reading, names: [&str; 6]) -> Vec<String> {
    let rates = names.iter().flat_map(|name| [(*name).to_owned(), format!("{name}_cpu")]);
    let all = rates.chain(names.iter().map(|name| format!("{name}_latency")));
    all.filter_map(|name| reading.imported.value(&name).map(str::to_owned)).collect()
}

#[test]
fn no_value_is_lost_or_invented() {
    for (file, _) in RUNS {
        let content = fs::read_to_string(data().join(file)).expect(file);
        let found = found(content.as_bytes());
        let [blocks, files] = words_of_rows(&content);
        assert!(blocks.len() + files.len() >= 12, "{file}");
        let of = |names| found.readings.iter().flat_map(|reading| figures_of(reading, names)).collect::<Vec<_>>();
        assert_eq!((of(BLOCKS), of(FILES)), (blocks, files), "{file}");
        let packed = |name: &str| name == "file_size" || name == "num_files";
        let others = found.readings.iter().flat_map(|reading| &reading.imported.values).filter(|(name, text)| {
            let column = name.trim_end_matches("_cpu").trim_end_matches("_latency");
            let is_known = BLOCKS.contains(&column) || FILES.contains(&column) || (packed(name) && content.contains(text.as_str()));
            !is_known
        });
        assert_eq!(others.count(), 0, "{file}");
    }
}

/// A rate of a table in the units of a phase.
fn rate(text: &str, is_bytes: bool) -> Option<f64> {
    let digits: f64 = text.trim_end_matches(['k', 'm', 'g']).parse().ok()?;
    let power = match text.chars().next_back() {
        Some('m') => 2,
        Some('g') => 3,
        _ => 1,
    };
    Some(if is_bytes { digits * 1024_f64.powi(power) } else { digits })
}

#[test]
fn figures_say_what_stood_there_and_wrong_rates_of_files_nothing() {
    for (file, _) in RUNS {
        for reading in found(&fs::read(data().join(file)).expect(file)).readings {
            let is_wrong = reading.imported.program.contains(" 2.00a");
            for (place, name) in BLOCKS.iter().chain(&FILES).enumerate() {
                let Some(text) = reading.imported.value(name) else { continue };
                let record = reading.phases.iter().find(|record| record.name.row().name == PHASES[place]).expect(name);
                let Some(PhaseResult::Reported(reported)) = &record.result else { panic!("{file}: {name}") };
                let expected = rate(text, place < 5).filter(|_| place < 6 || !is_wrong);
                assert_eq!(reported.rate, expected, "{file}: {name}");
                assert_eq!(record.reason.is_some(), expected.is_none(), "{file}: {name}");
                let share = reading.imported.value(&format!("{name}_cpu")).and_then(|text| text.parse().ok());
                assert_eq!(reported.cpu_percent, share, "{file}: {name}");
                let longest = reading.imported.value(&format!("{name}_latency")).map(|text| {
                    let (digits, factor) =
                        text.strip_suffix("us").map_or_else(|| (&text[..text.len() - 2], 1_000_000), |digits| (digits, 1000));
                    digits.parse::<u64>().expect("whole numbers") * factor
                });
                assert_eq!(reported.latency_max_ns, longest, "{file}: {name}");
            }
        }
    }
}

#[test]
fn a_file_cut_at_any_byte_says_nothing_that_the_whole_does_not() {
    for (file, _) in RUNS {
        let content = fs::read(data().join(file)).expect(file);
        let whole = found(&content).readings;
        for end in 0..content.len() {
            for (place, reading) in found(&content[..end]).readings.iter().enumerate() {
                let other = whole.get(place).unwrap_or_else(|| panic!("{file} cut at {end}: a run too many"));
                let is_said = |value: &(String, String)| other.imported.values.contains(value);
                assert!(reading.imported.values.iter().all(is_said), "{file} cut at {end}: {:?}", reading.imported.values);
            }
        }
    }
}

#[test]
fn a_run_told_as_a_table_and_as_csv_counts_once() {
    for file in ["ec2_103e_overflow.txt", "linuxmm_196_quoted.txt"] {
        let outcome = read(&fs::read(data().join(file)).expect(file), None);
        let forms: Vec<String> = outcome.records.into_iter().filter_map(|run| run.imported).map(|imported| imported.form).collect();
        assert_eq!((forms, outcome.problems), (vec!["CSV".to_owned()], vec![]), "{file}");
    }
}

fn converted(csv: &str) -> String {
    let mut converter = Command::new("bon_csv2txt").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("bon_csv2txt");
    converter.stdin.take().expect("its input").write_all(csv.as_bytes()).expect("its input");
    String::from_utf8(converter.wait_with_output().expect("its output").stdout).expect("text")
}

#[test]
#[ignore = "needs bon_csv2txt of the package bonnie++"]
fn what_bonnies_own_converter_makes_of_csv_is_read_back() {
    if is_missing(&[Need::Program("bon_csv2txt")]) {
        return;
    }
    let path = data().join("../bonnie-csv/linux_nfs_200.csv");
    let csv = fs::read_to_string(path).expect("the data")
        + "1.98,2.00a,fast,1,7,4G,,8192,5,,,1234,5,+++++,+++,,,99999,7,12.5,300,16,1000,100,,3,1,2,3,4,5,6,7,8,9,10,11,12,,5us,6us,,7us,8us,1us,1us,1us,1us,1us,1us\n";
    let found = found(converted(&csv).as_bytes());
    assert_eq!((found.readings.len(), found.problems), (3, vec![]));
    for (line, reading) in csv.lines().zip(&found.readings) {
        let fields: Vec<&str> = line.split(',').collect();
        assert_eq!(reading.label, fields[2]);
        for (place, name) in BLOCKS.iter().chain(&FILES).enumerate() {
            let at = if place < 6 { 9 + 2 * place } else { 26 + 2 * (place - 6) };
            let said = |what: &str| reading.imported.value(&format!("{name}{what}")).unwrap_or_default();
            assert_eq!((said("_cpu"), said("_latency")), (fields[at + 1], fields[38 + place]), "{name} of {line}");
            match (said(""), fields[at]) {
                // The converter reads pluses as nothing.
                (said, "+++++") => assert!(said == "+++++" || said == "0k", "{name} of {line}"),
                (said, exact) if place < 5 && !exact.is_empty() => {
                    let (said, exact) = (rate(said, true).expect("a rate") / 1024.0, exact.parse::<f64>().expect("a rate"));
                    assert!((said / exact - 1.0).abs() < 0.05, "{name} of {line}");
                }
                (said, exact) => assert_eq!(said, exact, "{name} of {line}"),
            }
            let Some(PhaseResult::Reported(reported)) =
                reading.phases.iter().find(|record| record.name.row().name == PHASES[place]).and_then(|record| record.result.as_ref())
            else {
                assert_eq!(fields[at], "", "{name} of {line}");
                continue;
            };
            assert_eq!(reported.rate.is_some(), fields[at].parse::<f64>().is_ok(), "{name} of {line}");
        }
    }
    let sizes: Vec<_> =
        found.readings.iter().map(|reading| ["file_size", "io_seeks", "num_dirs"].map(|name| reading.imported.parameter(name))).collect();
    let expected = [[Some("63808M"), Some("8192"), None], [Some("126G"), Some("8192"), None], [Some("4G"), Some("8192"), Some("3")]];
    assert_eq!(sizes, expected);
}
