use super::*;
use crate::import::{Outcome, read};
use crate::model::flag::Flag;
use crate::model::phase::{Phase, Unit};
use crate::model::record::{PhaseResult, Reported, RunRecord};
use proptest::prelude::*;
use std::path::PathBuf;

mod doubtful;

const USUAL: &str = "1.97,1.97,host,1,1466787633,8196M,64k,630,94,112045,16,37432,5,2084,98,80393,4,950.7,9,16,100,5,,3,29005,66,+++++,+++,30628,57,26771,36,+++++,+++,30726,56,12352us,1034ms,2232ms,5020us,45519us,12s,612us,667us,735us,66us,32us,63us";
const PACKED: &str = "host,2G:64k,10874,85,52615,35,18392,12,12760,90,48394,9,103.9,0,20:250000:0/1000,13055,93,+++++,+++,15189,87,12872,95,+++++,+++,20590,99";

fn outcome(text: &str) -> Outcome {
    read(format!("{text}\n").as_bytes(), None)
}

#[track_caller]
fn run(line: &str) -> RunRecord {
    let mut outcome = outcome(line);
    assert_eq!((outcome.records.len(), &outcome.problems, &outcome.unread), (1, &vec![], &vec![]), "{line}");
    outcome.records.remove(0)
}

#[track_caller]
fn problem(line: &str) -> String {
    let outcome = outcome(line);
    assert_eq!((outcome.records, outcome.problems.len()), (vec![], 1), "{line}");
    outcome.problems[0].what.clone()
}

fn reported(run: &RunRecord, phase: Phase) -> Reported {
    match run.phase(phase).and_then(|record| record.result.clone()) {
        Some(PhaseResult::Reported(reported)) => reported,
        other => panic!("{}: {other:?}", phase.name()),
    }
}

fn texts(pairs: &[(String, String)]) -> String {
    pairs.iter().map(|(name, text)| format!("{name}={text}")).collect::<Vec<_>>().join(" ")
}

fn without(line: &str, places: &[usize]) -> String {
    line.split(',').enumerate().filter(|(place, _)| !places.contains(place)).map(|(_, text)| text).collect::<Vec<_>>().join(",")
}

fn with(line: &str, place: usize, text: &str) -> String {
    line.split(',').enumerate().map(|(other, old)| if other == place { text } else { old }).collect::<Vec<_>>().join(",")
}

#[test]
fn a_line_of_each_form_says_the_same() {
    let seeks = USUAL.replacen("1.97,1.97", "1.98,2.00a", 1).replacen("64k,", "64k,8192,5,", 1);
    let early = without(USUAL, &[3, 4]).replacen("1.97,1.97", "1.91,1.91", 1);
    let earlier = without(&early, &[20]).replacen("1.91,1.91", "1.90f,1.90f", 1);
    for (line, program) in [
        (USUAL.to_owned(), "bonnie++ 1.97"),
        (USUAL.replace("1.97,1.97", "1.93c,1.94"), "bonnie++ 1.94"),
        (seeks, "bonnie++ 2.00a"),
        (early, "bonnie++ 1.91"),
        (earlier, "bonnie++ 1.90f"),
    ] {
        let run = run(&line);
        let imported = run.imported.clone().unwrap();
        assert_eq!((imported.program.as_str(), imported.form.as_str(), imported.line), (program, "CSV", 1));
        assert_eq!((run.label.as_str(), run.phases.len()), ("host", 12), "{line}");
        assert!(run.phases.windows(2).all(|pair| pair[0].name < pair[1].name));
        let seeks = Reported { rate: Some(950.7), cpu_percent: Some(9.0), latency_max_ns: Some(12_000_000_000) };
        assert_eq!(reported(&run, Phase::RandomSeek), seeks, "{line}");
        assert_eq!(run.phase(Phase::RandomSeek).unwrap().flags, [Flag::Overcounted]);
        let delete = Reported { rate: Some(30_726.0), cpu_percent: Some(56.0), latency_max_ns: Some(63_000) };
        assert_eq!(reported(&run, Phase::RandomDelete), delete, "{line}");
        let parameters = texts(&imported.parameters);
        assert!(parameters.ends_with("num_files=16 max_size=100 min_size=5 num_dirs=3"), "{parameters}");
        assert!(parameters.contains("file_size=8196M io_chunk_size=64k"), "{parameters}");
        assert_eq!(parameters.contains("concurrency=1"), !program.contains("1.9") || program > "bonnie++ 1.92", "{parameters}");
        assert_eq!(parameters.contains("io_seeks=8192 seek_proc_count=5"), program == "bonnie++ 2.00a", "{parameters}");
    }
}

#[test]
fn a_line_of_1_0x_is_unpacked() {
    let run = run(PACKED);
    let imported = run.imported.clone().unwrap();
    assert_eq!(imported.program, "bonnie++ 1.0x");
    assert_eq!(texts(&imported.parameters), "file_size=2G io_chunk_size=64k num_files=20 max_size=250000 min_size=0 num_dirs=1000");
    assert_eq!((imported.value("num_files"), imported.value("file_size")), (Some("20:250000:0/1000"), Some("2G:64k")));
    assert_eq!(reported(&run, Phase::CharWrite).rate, Some(10_874.0 * 1024.0));
    assert!(run.phase(Phase::RandomSeek).unwrap().flags.is_empty());
    assert_eq!((run.profile.as_str(), run.label.as_str()), ("bonnie++ 1.0x, 2G", "host"));
}

#[test]
fn a_missing_comma_of_1_96_is_put_back() {
    let line = "1.96,1.96,h,1,1374655110,,,,,,,,,,,,,,60,32,32,,2,1702,14,2025,12,1332,4,1873,16,2047,13,1266,3,,,,,,,3874ms,6645ms,8659ms,505ms,7257ms,9627ms";
    let whole = line.replacen(",60,", ",,60,", 1).replace("1.96", "1.97");
    let (moved, whole) = (run(line), run(&whole));
    assert_eq!((moved.phases.len(), &moved.phases), (6, &whole.phases));
    assert_eq!(moved.imported.unwrap().parameters, whole.imported.unwrap().parameters);
}

#[test]
fn what_stands_around_a_line_or_its_figures_changes_nothing() {
    let figures = |line: &str| run(line).phases;
    let quoted = USUAL.split(',').map(|text| format!("\"{text}\"")).collect::<Vec<_>>().join(",");
    let spaced = USUAL.replace(',', " , ");
    for line in [
        quoted,
        spaced,
        format!("  {USUAL}  "),
        format!("\"{USUAL}\""),
        format!("{USUAL},"),
        format!("{USUAL}\\"),
        format!("> > {USUAL}\r"),
        format!("[code]{USUAL}[/code]"),
        format!("2014-01-02 log: {USUAL} | tee x"),
        format!("\u{feff}{USUAL}"),
        USUAL.replace("112045", "**112045**").replace("37432", "[b]37432[/b]"),
    ] {
        assert!(figures(&line) == figures(USUAL), "{line}");
    }
    for line in [format!("echo {PACKED} | bon_csv2html > x.html"), format!("{PACKED}\\"), format!("`{PACKED}`"), format!("{PACKED},")] {
        assert!(run(&line).phases == figures(PACKED) && run(&line).label == "host", "{line}");
    }
}

#[test]
fn names_are_kept_as_they_stand() {
    let long = "x".repeat(64 << 10);
    for name in ["", "a.b-c_(d)", "a b", "\u{1b}[31m", "1.97", "16G", "größe", "a;b|c", &long] {
        assert_eq!(run(&with(USUAL, 2, name)).label, name);
        assert_eq!(run(&with(PACKED, 0, name)).label, name);
    }
}

#[test]
fn a_comma_in_a_name_is_named_and_nothing_guessed() {
    for name in ["a,b", "a,5", "a,16G", "a,b,c", "1.97,1.97"] {
        let what = problem(&with(USUAL, 2, name));
        assert!(what.ends_with(SHIFTED), "{what}");
        let cut: Vec<String> = with(USUAL, 2, name).split(',').take(48).map(str::to_owned).collect();
        assert!(problem(&cut.join(",")).contains("nothing of the line is read"), "{name}");
        let what = problem(&with(PACKED, 0, name));
        assert!(what.ends_with(SHIFTED), "{what}");
    }
}

#[test]
fn a_cut_line_is_read_up_to_its_doubtful_last_field() {
    let cut: Vec<&str> = PACKED.split(',').take(25).collect();
    let first = outcome(&cut.join(","));
    assert_eq!(first.problems.len(), 1);
    assert_eq!(
        first.problems[0].what,
        "the line is cut: 25 of 27 fields; what stands before the last one is read, that (`+++`) may be cut itself and is not"
    );
    let run = &first.records[0];
    assert_eq!(run.phases.len(), 11);
    assert_eq!(reported(run, Phase::RandomCreate), Reported { rate: Some(12_872.0), cpu_percent: Some(95.0), latency_max_ns: None });
    for (count, line) in [(48, USUAL.replacen("1.97,1.97", "1.98,2.00", 1).replacen("64k,", "64k,8192,5,", 1)), (27, USUAL.to_owned())] {
        let cut: Vec<&str> = line.split(',').take(count).collect();
        let found = read(format!("{}\n", cut.join(",")).as_bytes(), None);
        assert!(
            found.records.len() == 1 && found.problems.iter().any(|problem| problem.what.starts_with("the line is cut")),
            "{:?}",
            found.problems
        );
    }
    let none = read(b"1.97,1.97,host,1,1466787633,8196", None);
    assert_eq!((none.records.len(), none.problems.len()), (0, 2));
    assert_eq!(none.problems[0].what, "no figure of the line can be used");
}

#[test]
fn a_line_that_was_broken_is_joined() {
    for (line, place) in [(USUAL, 72), (USUAL, 73), (PACKED, 72), (PACKED, 80)] {
        let (one, other) = line.split_at(place);
        for text in [format!("> {one}\n> {other}"), format!("{one}\\\n      {other}"), format!("{one}\n{}\n{}", &other[..30], &other[30..])]
        {
            let found = outcome(&text);
            assert!(found.records.len() == 1 && found.problems.is_empty() && found.unread.is_empty(), "{text} {:?}", found.problems);
            assert!(found.records[0].phases == run(line).phases, "{text}");
        }
    }
    let found = outcome(&format!("{}\n12,13\n{USUAL}", &PACKED[..72]));
    assert_eq!((found.records.len(), found.problems.len(), found.unread.len()), (2, 1, 1), "what does not make it whole is not of it");
}

#[test]
fn a_run_that_is_told_twice_counts_once() {
    let records = |text: &str| outcome(text).records.len();
    assert_eq!(records(&format!("{USUAL}\n{USUAL}\necho \"{USUAL}\" | bon_csv2html > x.html")), 1);
    assert_eq!(records(&format!("{PACKED}\necho {PACKED} | bon_csv2html")), 1);
    assert_eq!(records(&format!("{PACKED}\n{PACKED}")), 2, "equal figures without a seed may be of two runs");
    assert_eq!(records(&format!("{USUAL}\n{}", USUAL.replace("63us", "64us"))), 2);
}

#[test]
fn a_field_gone_from_the_middle_is_no_cut_line() {
    assert!(problem(&without(USUAL, &[12])).contains("nothing of the line is read"));
}

#[test]
fn the_last_number_of_a_file_that_does_not_end_is_doubtful() {
    let outcome = read(PACKED.as_bytes(), None);
    assert_eq!(reported(&outcome.records[0], Phase::RandomDelete).cpu_percent, None);
    assert!(outcome.problems[0].what.contains("(`99`)"), "{:?}", outcome.problems);
    assert_eq!(read(USUAL.as_bytes(), None).problems, [], "a latency is whole when its unit is there");
}

#[test]
fn a_field_that_is_no_figure_leaves_its_phase_out() {
    let found = outcome(&with(USUAL, 11, "3x"));
    assert_eq!(found.problems, [Problem { line: 1, what: "rewrite is `3x`, which is no figure; that phase is left out".to_owned() }]);
    assert_eq!((found.records[0].phases.len(), found.records[0].phase(Phase::Rewrite)), (11, None));
    let long = outcome(&with(USUAL, 11, &"é".repeat(1_000_000)));
    assert!(long.problems[0].what.len() < 200);
}

#[test]
fn headings_are_passed_over_wherever_they_stand() {
    let text = format!("name,file_size,putc,putc_cpu\n{PACKED}\nformat_version,bonnie_version,name,x\n{USUAL}\nbonnie (END)");
    let outcome = outcome(&text);
    assert_eq!((outcome.records.len(), outcome.problems.len(), outcome.unread.len()), (2, 0, 1));
    assert_eq!(outcome.unread[0].first, 5);
}

#[test]
fn a_later_form_is_named() {
    let what = problem(&USUAL.replacen("1.97,1.97", "2.10,2.10", 1));
    assert_eq!(what, "form 2.10 of Bonnie++'s CSV is newer than those that barrow reads; nothing of the line is read");
}

fn data() -> Vec<(PathBuf, Vec<u8>)> {
    let directory = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/bonnie-csv");
    let paths = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let files: Vec<_> = paths.filter(|path| path.extension().is_some_and(|end| end == "csv")).collect();
    assert!(files.len() >= 20);
    files.into_iter().map(|path| (path.clone(), std::fs::read(path).unwrap())).collect()
}

/// Checks that each value of a part is that of the whole, or unknown.
fn assert_part(part: &RunRecord, whole: &RunRecord, place: &str) {
    assert!(part.label == whole.label && part.profile == whole.profile || part.profile.len() < whole.profile.len(), "{place}");
    let (known, all) = (part.imported.clone().unwrap(), whole.imported.clone().unwrap());
    assert!(known.parameters.iter().all(|pair| all.parameters.contains(pair)), "{place}");
    assert!(known.values.iter().all(|pair| all.values.contains(pair)), "{place}");
    for record in &part.phases {
        let (part, whole) = (reported(part, record.name), reported(whole, record.name));
        assert!(part.rate.is_none() || part.rate == whole.rate, "{place}");
        assert!(part.cpu_percent.is_none() || part.cpu_percent == whole.cpu_percent, "{place}");
        assert!(part.latency_max_ns.is_none() || part.latency_max_ns == whole.latency_max_ns, "{place}");
    }
}

#[test]
fn a_file_cut_at_any_byte_says_nothing_that_the_whole_does_not() {
    for (path, content) in data() {
        let whole = read(&content, None).records;
        let by_line = |line: u64| whole.iter().find(|run| run.imported.as_ref().unwrap().line == line);
        // A cut line is read with the whole one before it: what stands further up does not change what they say.
        let (mut before, mut begin) = (0, 0);
        for (number, line) in (0..).zip(content.split_inclusive(|byte| *byte == b'\n')) {
            for end in begin..=begin + line.len() {
                for run in read(&content[before..end], None).records {
                    let number = run.imported.as_ref().unwrap().line + u64::saturating_sub(number, 1);
                    assert_part(&run, by_line(number).unwrap(), &format!("{}:{end}", path.display()));
                }
            }
            (before, begin) = (begin, begin + line.len());
        }
    }
}

/// A rate, a CPU and a latency as Bonnie++ writes them, with what they say in its units and microseconds.
fn figure() -> impl Strategy<Value = (String, String, String, Reported)> {
    let known = (0_u32..10_000_000, 0_u32..1000, 1_u64..100_000).prop_map(|(rate, cpu, latency)| {
        let reported = Reported { rate: Some(f64::from(rate)), cpu_percent: Some(f64::from(cpu)), latency_max_ns: Some(latency * 1000) };
        (rate.to_string(), cpu.to_string(), format!("{latency}us"), reported)
    });
    let short = Just(("+++++".to_owned(), "+++".to_owned(), String::new(), Reported::default()));
    prop_oneof![known, short]
}

proptest! {
    #[test]
    fn any_bytes_are_read_without_a_panic(content in prop::collection::vec(any::<u8>(), 0..300)) {
        let outcome = read(&content, None);
        prop_assert!(outcome.records.iter().all(|run| !run.phases.is_empty()));
    }

    #[test]
    fn texts_that_are_nearly_bonnies_are_read_without_a_panic(
        parts in prop::collection::vec(prop::sample::select(vec![
            "1.97", "1.96", "1.98", "2.00a", "1.90", ",", ",", ",", "host", "16G", "1", "+++++", "+++", "12us", "\n", "=", ">", "é", "\"", "[b]", "99.9", "64k", " ", "echo ", "bon_csv2html", ",,,,,,,,,,",
        ]), 0..120)
    ) {
        let outcome = read(parts.concat().as_bytes(), None);
        prop_assert!(outcome.records.iter().all(|run| !run.phases.is_empty() && run.plan.is_none()));
    }

    #[test]
    fn a_line_of_known_values_says_them(
        figures in prop::collection::vec(figure(), 12),
        form in prop::sample::select(vec![
            Form::Packed, Form::Early { latencies: false, file_chunk: false }, Form::Early { latencies: true, file_chunk: false },
            Form::Early { latencies: true, file_chunk: true }, Form::Usual, Form::Seeks,
        ]),
        name in "[ -+--~]{0,30}",
    ) {
        let name = name.trim().trim_matches(['"', '`', '[', '<', '>', '|', '&']);
        prop_assume!(!name.contains("echo ") && !is_heading(&format!("{name},1")) && name.trim() == name && !name.contains('='));
        let has_latencies = !matches!(form, Form::Packed | Form::Early { latencies: false, .. });
        let (before, files) = match form {
            Form::Packed => (format!("{name},2G"), "16"),
            Form::Early { file_chunk: false, .. } => (format!("{0},{0},{name},2G,", if has_latencies { "1.90f" } else { "1.90" }), "16,,,"),
            Form::Early { .. } => (format!("1.91,1.91,{name},2G,"), "16,,,,"),
            Form::Usual | Form::Shifted => (format!("1.97,1.97,{name},1,77,2G,"), "16,,,,"),
            Form::Seeks => (format!("1.98,2.00,{name},1,77,2G,,8192,5"), "16,,,,"),
        };
        let pairs: Vec<String> = figures.iter().map(|(rate, cpu, _, _)| format!("{rate},{cpu}")).collect();
        let latencies: Vec<&str> = figures.iter().map(|(_, _, latency, _)| latency.as_str()).collect();
        let mut line = format!("{before},{},{files},{}", pairs[..6].join(","), pairs[6..].join(","));
        if has_latencies {
            line = format!("{line},{}", latencies.join(","));
        }
        let run = run(&line);
        prop_assert_eq!(&run.label, name);
        let columns = super::super::bonnie::BLOCK_COLUMNS.iter().chain(&super::super::bonnie::FILE_COLUMNS);
        for (column, (_, _, _, expected)) in columns.zip(&figures) {
            let factor = if column.phase.row().unit == Unit::Bytes { 1024.0 } else { 1.0 };
            let expected = Reported {
                rate: expected.rate.map(|rate| rate * factor),
                latency_max_ns: expected.latency_max_ns.filter(|_| has_latencies),
                ..expected.clone()
            };
            prop_assert_eq!(reported(&run, column.phase), expected, "{}", column.name);
        }
    }
}
