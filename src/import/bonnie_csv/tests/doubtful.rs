//! Lines whose fields are not where they seem to be, and lines that only look like those.

use super::*;

#[test]
fn the_version_tells_the_form_and_not_the_count_of_fields() {
    let line = "1.91a,1.91a,host35,300M,64k,392659,0,1163951,0,214567,82,288795,0,1353044,0,4.9,0,1,symlink,,,10,194679,0,1205808,97,1495478,0,409981,26,1558041,0,";
    let found = outcome(line);
    assert!(found.problems[0].what.starts_with("the line is cut: 33 of 46 fields"), "{:?}", found.problems);
    assert_eq!(reported(&found.records[0], Phase::SeqCreate).rate, Some(194_679.0));
    let latest = without(USUAL, &[3, 4]).replacen("1.97,1.97", "1.90f,1.90f", 1);
    assert!(problem(&latest).contains("46 fields, where bonnie++ 1.90f has 45"));
}

#[test]
fn a_field_too_many_before_empty_ones_is_not_swallowed() {
    let figures = "h,1,1922695792,300M,,,731683,24,461474,9,1,2,3,4,5,6,138.9,5";
    for (versions, count) in [("1.97,1.97", 49), ("1.96,1.96", 49), ("1.98,1.98", 51)] {
        let line = format!("{versions},{figures}");
        let line = format!("{line}{}", ",".repeat(count - line.split(',').count()));
        assert!(problem(&line).contains("nothing of the line is read"), "{line}");
    }
    let line = format!("host,2G,5,10874,85,52615,35,18392,12,12760,90,48394,9,103.9,0{}", ",".repeat(13));
    assert!(problem(&line).ends_with(SHIFTED));
}

#[test]
fn a_field_missing_inside_a_whole_line_moves_nothing() {
    let seeks = USUAL.replacen("1.97,1.97", "1.98,2.00a", 1).replacen("64k,", "64k,8192,5,", 1);
    for (line, latencies) in [(USUAL.to_owned(), 36..48), (USUAL.replace("1.97", "1.96"), 36..48), (seeks, 38..50)] {
        for place in latencies {
            let found = outcome(&without(&line, &[place]));
            assert!(found.records.len() == 1 && found.problems.len() == 2, "{:?}", found.problems);
            let known = |record: &PhaseRecord| reported(&found.records[0], record.name).latency_max_ns;
            assert_eq!(found.records[0].phases.iter().find_map(known), None);
            assert_eq!(reported(&found.records[0], Phase::RandomDelete).rate, Some(30_726.0));
        }
    }
    for place in 2..27 {
        assert!(problem(&without(PACKED, &[place])).contains("nothing of the line is read"), "{place}");
    }
    assert!(problem(&with(PACKED, 16, "131679")).contains("seq_create_cpu is `131679`, which is no share of CPU"));
}

#[test]
fn files_alone_are_a_run_in_each_form() {
    let line = "1.90,1.90,host95,,,,,,,,,,,,,,,1,,,,1725891,0,1121493,27,1,2,3,4,5,6,7,8";
    let own = run(line);
    assert_eq!((own.label.as_str(), own.phases.len(), reported(&own, Phase::SeqCreate).rate), ("host95", 6, Some(1_725_891.0)));
    let latencies = ",".repeat(6) + ",1us,2us,3us,4us,5us,6us";
    for line in [line.replace("1.90", "1.90f"), line.replace("1.90", "1.91a").replacen(",1,,,,", ",1,,,,,", 1)] {
        assert_eq!(run(&(line + &latencies)).phases.len(), 6);
    }
}

#[test]
fn what_barrow_wrote_of_older_runs_is_read() {
    let first = run(PACKED);
    let again = run(&crate::report::bonnie_csv::line(&first));
    assert_eq!((&again.phases, again.label.as_str(), again.imported.unwrap().program.as_str()), (&first.phases, "host", "bonnie++ 1.0x"));
    let files = format!("1.98,1.03d{},16,,,,,13055,93,+++++,+++,15189,87,12872,95,+++++,+++,20590,99{}", ",".repeat(19), ",".repeat(12));
    let run = run(&files);
    assert_eq!((run.phases.len(), reported(&run, Phase::SeqCreate).rate), (6, Some(13_055.0)));
}

#[test]
fn a_comma_in_a_quoted_name_is_of_the_name() {
    for (quoted, name) in [("\"a,b\"", "a,b"), ("\"a \"\"b\"\",5\"", "a \"b\",5")] {
        assert_eq!(run(&with(USUAL, 2, quoted)).label, name);
        assert_eq!(run(&with(PACKED, 0, quoted)).label, name);
    }
}

#[test]
fn a_name_that_a_run_file_does_not_keep_is_named() {
    let long = "x".repeat((64 << 10) + 1);
    for line in [with(USUAL, 2, &long), with(PACKED, 0, &long)] {
        assert!(problem(&line).starts_with("the name has 65537 bytes, more than the 64 KiB"));
        let labelled = read(format!("{line}\n").as_bytes(), Some("a"));
        assert_eq!((labelled.records.len(), labelled.problems.len()), (1, 0));
    }
}
