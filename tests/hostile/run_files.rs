//! Run files: any line is read or named; what was read is written and read again as it is; every record has its reports.

use super::documents::{Choice, changed, choices, full, places, read, scrambled, short, values};
use super::markup::check_reports;
use super::say;
use barrow::model::phase::{MOST_PHASES, Phase};
use barrow::model::record::RunRecord;
use barrow::store::{Loaded, line_of, load_from};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::OnceLock;

fn loaded(bytes: &[u8]) -> Loaded {
    load_from(Path::new("x"), bytes).expect("memory is read")
}

fn problem(line: &str) -> String {
    let loaded = loaded(line.as_bytes());
    assert!(loaded.runs.is_empty(), "{line}");
    loaded.bad[0].problem.clone()
}

#[track_caller]
fn assert_reads_back(run: &RunRecord) {
    let line = line_of(run).expect("a run is a line");
    let again = loaded(&line);
    // Equal records are compared; where they differ, their lines show it in less space.
    let lines: Vec<String> = again.runs.iter().filter_map(|run| serde_json::to_string(run).ok()).collect();
    assert!(again.runs == std::slice::from_ref(run), "{}\n{lines:?}\n{:?}", String::from_utf8_lossy(&line), again.bad);
}

#[test]
fn any_value_at_any_place_is_read_back_as_it_is_or_refused() {
    let mut counts = [0, 0];
    for document in [short(0, 1), short(1, 1)] {
        for pointer in places(&document) {
            for value in values() {
                let run = read(&changed(&document, &pointer, &value));
                counts[usize::from(run.is_some())] += 1;
                run.iter().for_each(assert_reads_back);
            }
        }
    }
    say(&format!("run file: {} values at a place refused, {} read and read back", counts[0], counts[1]));
    assert!(counts[0] > 2000 && counts[1] > 1500, "{counts:?}");
}

#[test]
fn a_line_is_refused_for_its_reason() {
    let line = full(0).to_string();
    let twice = line.replacen('{', "{\"label\":\"\",", 1);
    assert!(problem(&twice).starts_with("is not a run of schema 1: duplicate field `label`"), "{}", problem(&twice));
    let newer = line.replacen("\"schema\":1,", "\"schema\":4294967295,", 1);
    assert!(problem(&newer).contains("newer barrow (schema 4294967295"), "{}", problem(&newer));
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(problem(&deep), "is not a run");
    let deep_inside = line.replacen('{', &format!("{{\"later\":{deep},"), 1);
    assert_eq!(loaded(deep_inside.as_bytes()).runs.len(), 1, "what is not known is passed over, however deep it is");
    assert_eq!(problem("{\"schema\":1e999}"), "is not a run");
    assert_eq!(problem("\0"), "is not a run");
    let many = changed(&full(0), "/phases", &json!(vec![json!({"name": "rewrite", "status": "ok"}); 10_000])).to_string();
    assert!(problem(&many).contains(&format!("expected a list of at most {} items", MOST_PHASES)), "{}", problem(&many));
    let tags: serde_json::Map<String, Value> = (0..257).map(|number| (number.to_string(), json!(""))).collect();
    let tags = changed(&full(0), "/tags", &tags.into()).to_string();
    assert!(problem(&tags).contains("expected a map of at most 256 texts"), "{}", problem(&tags));
    let features = changed(&full(0), "/making/features", &json!(vec![""; 129])).to_string();
    assert!(problem(&features).contains("expected a list of at most 128 items"), "{}", problem(&features));
    let slices = changed(&full(0), "/phases/0/result/counted/slices/elapsed", &json!(vec![1; 65])).to_string();
    assert!(problem(&slices).contains("expected a list of at most 64 items"), "{}", problem(&slices));
    let not_text: Vec<u8> = line.replacen("words", "\u{1}", 1).bytes().map(|byte| if byte == 1 { 0xff } else { byte }).collect();
    assert_eq!(loaded(&not_text).bad.len(), 1);
}

#[test]
fn a_gigantic_line_is_named_and_what_follows_is_read() {
    let line = full(0).to_string();
    let gigantic = format!("{}\n{line}\n{}", "x".repeat(5 << 20), "{".repeat(9 << 20));
    let loaded = loaded(gigantic.as_bytes());
    assert_eq!(loaded.runs.len(), 1);
    let named: Vec<String> = loaded.bad.iter().map(ToString::to_string).collect();
    assert_eq!(named, ["x:1: is over 4 MiB long: no run is", "x:3: is over 4 MiB long: no run is"]);
}

#[test]
fn of_very_many_bad_lines_the_first_are_named_and_the_others_counted() {
    let line = full(0).to_string();
    let loaded = loaded(format!("{line}\n{}", "x\n".repeat(5000)).as_bytes());
    assert_eq!((loaded.runs.len(), loaded.bad.len()), (1, 100));
    assert_eq!(loaded.bad[0].to_string(), "x:2: is not a run");
    assert_eq!(loaded.bad[99].to_string(), "x:101: is not a run; nor can 4900 lines after it be read");
    let only_bad = load_from(Path::new("x"), "x\n".repeat(5000).as_bytes()).expect("memory is read").bad;
    assert_eq!(only_bad.len(), 1);
    assert!(
        only_bad[0]
            .problem
            .ends_with("nor is any of the 4999 other lines: this is not a run file (`barrow import` reads what Bonnie++ printed)"),
        "{}",
        only_bad[0]
    );
}

#[test]
fn a_phase_that_did_not_end_well_has_no_number_whatever_the_file_says() {
    for status in ["failed", "skipped"] {
        let run = read(&changed(&full(0), "/phases/0/status", &json!(status))).expect("a record");
        assert_eq!((run.phases[0].rate(), run.phases[0].cpu_own_percent()), (None, None));
        assert!(run.phases[1].rate().is_some());
        check_reports(&[run]);
    }
}

#[test]
fn a_phase_that_stands_twice_and_a_run_without_phases_have_their_reports() {
    let twice = changed(&full(0), "/phases/1", &full(0)["phases"][0]);
    let none = changed(&full(0), "/phases", &json!([]));
    let runs: Vec<RunRecord> = [twice, none].iter().filter_map(read).collect();
    assert_eq!(runs.len(), 2);
    check_reports(&runs);
    check_reports(&runs[1..]);
}

/// Reports of a record in which one number alone is at one of its ends, for each number.
fn check_each_number_alone(document: &Value) {
    let mut count = 0;
    for (pointer, fitting) in choices(document) {
        let is_end = |value: &&Value| value.as_f64().is_some_and(|number| number == 0.0 || number.abs() > 1e18 || number.abs() < 1e-300);
        for value in fitting.iter().filter(is_end) {
            let runs: Vec<RunRecord> = [document, &changed(document, &pointer, value)].into_iter().filter_map(read).collect();
            check_reports(&runs);
            count += 1;
        }
    }
    say(&format!("reports: {count} records with one number at an end"));
    assert!(count > 200, "{count}");
}

// The smallest changes first; two tests, so that they can run side by side.
#[test]
fn each_number_alone_at_its_ends_has_its_reports() {
    check_each_number_alone(&short(0, 2));
}

#[test]
fn each_number_of_another_run_alone_at_its_ends_has_its_reports() {
    check_each_number_alone(&short(1, 2));
}

/// Reports of runs in which one value in so many is another one.
fn check_scrambled(seed: u64, runs: usize, one_in: u64, variant: usize, are_alike: bool) {
    use rand_xoshiro::rand_core::{Rng, SeedableRng};
    let mut stream = rand_xoshiro::SplitMix64::seed_from_u64(seed);
    let mut draw = || stream.next_u64();
    let document = full(variant);
    let choices = choices_of(variant);
    let mut runs: Vec<RunRecord> = (0..runs).filter_map(|_| read(&scrambled(&document, choices, one_in, &mut draw))).collect();
    if are_alike {
        // One series: what must be equal is.
        let first = runs.first().cloned();
        for (run, first) in runs.iter_mut().zip(first.iter().cycle()) {
            (run.label, run.batch, run.workload_id, run.plan, run.schema) =
                (first.label.clone(), first.batch, first.workload_id, first.plan.clone(), first.schema);
        }
    }
    runs.iter().for_each(assert_reads_back);
    check_reports(&runs);
}

/// A draw in which the heading of the last column is wider than every word in it, and the figures leave no room.
#[test]
fn a_heading_wider_than_its_words_has_its_room() {
    check_scrambled(10_978_115_883_698_795_273, 3, 2, 1, false);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn any_records_have_their_reports(
        seed: u64,
        runs in 1_usize..8,
        one_in in prop_oneof![Just(2_u64), Just(8), Just(60)],
        variant in 0_usize..2,
        are_alike: bool,
    ) {
        check_scrambled(seed, runs, one_in, variant, are_alike);
    }

    #[test]
    fn a_damaged_line_is_read_or_named(places in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6), cut: prop::sample::Index) {
        let mut line = full(0).to_string().into_bytes();
        for (place, byte) in places {
            let place = place.index(line.len());
            line[place] = byte;
        }
        line.truncate(cut.index(line.len() * 2) + 1);
        let lines = line.split(|byte| *byte == b'\n').count();
        let loaded = loaded(&line);
        prop_assert!(loaded.runs.len() + loaded.bad.len() <= lines.max(1));
        loaded.runs.iter().for_each(assert_reads_back);
    }
}

/// The choices of a full record: those of its first phase are those of all. Found once, since each is tried.
fn choices_of(variant: usize) -> &'static [Choice] {
    static FOUND: [OnceLock<Vec<Choice>>; 2] = [const { OnceLock::new() }; 2];
    FOUND[variant].get_or_init(|| {
        let of_phase = |(pointer, fitting): Choice| {
            let phases = if pointer.starts_with("/phases/0") { Phase::STANDARD.len() } else { 1 };
            (0..phases).map(move |place| (pointer.replacen("/phases/0", &format!("/phases/{place}"), 1), fitting.clone()))
        };
        choices(&short(variant, 1)).into_iter().flat_map(of_phase).collect()
    })
}
