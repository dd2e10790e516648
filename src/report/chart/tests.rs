//! Tests of the charts as data: what is drawn, what is said, which kind the data ask for.

use super::model::{Chart, Figure, Fill, Mark, Row};
use super::*;
use crate::model::flag::Flag;
use crate::model::label::{CacheLabel, Durability};
use crate::model::record::{PhaseRecord, PhaseResult, Reported, RunRecord};
use crate::model::sample;
use crate::report::Report;

fn chart_of(kind: &str, records: &[RunRecord]) -> Chart {
    chart_named(kind).unwrap().of(&Report::of(records).sections[0])
}

fn rows(chart: &Chart) -> Vec<Row> {
    chart.drawing.panels().iter().flat_map(|panel| &panel.groups).flat_map(|group| group.rows.clone()).collect()
}

/// The first figure beside a row.
fn figure(row: &Row) -> &str {
    match &row.figures[0] {
        Figure::Number { value, .. } => value,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_history_joins_only_what_is_like() {
    let batch = |number: u64, is_warm: bool| {
        let mut run = RunRecord { batch: crate::model::identity::Identity(number), ..sample::run("ext4", 1) };
        run.started = format!("2026-11-{:02}T10:00:00Z", number + 10);
        if is_warm {
            run.plan.as_mut().unwrap().circumstances.cache = crate::model::plan::CacheState::Warm;
        }
        run
    };
    let reading = |records: &[RunRecord]| chart_of("history", records);
    let alike = reading(&[batch(1, false), batch(2, false)]);
    assert_eq!(alike.title, "History of ext4");
    let mixed = reading(&[batch(1, false), batch(2, true)]);
    assert!(mixed.reading.starts_with("No history"), "{}", mixed.reading);
}

fn runs(rates: &[f64]) -> Vec<RunRecord> {
    let run = |(round, rate): (u32, &f64)| {
        let mut run = sample::run("ext4", round);
        run.phases.retain(|record| record.name == Phase::BlockRead);
        sample::set_rate(&mut run, Phase::BlockRead, *rate);
        run
    };
    (1..).zip(rates).map(run).collect()
}

fn reported(rate: f64) -> RunRecord {
    let mut run = runs(&[1.0]).remove(0);
    let reported = Reported { rate: Some(rate * 1_048_576.0), cpu_percent: None, latency_max_ns: None };
    sample::phase_mut(&mut run, Phase::BlockRead).result = Some(PhaseResult::Reported(reported));
    run
}

#[test]
fn charts_are_found_by_name() {
    for kind in CHARTS {
        assert_eq!(chart_named(kind.name).unwrap().purpose, kind.purpose);
    }
    let error = chart_named("bar\n").err().unwrap();
    assert_eq!(
        error.to_string(),
        "there is no chart `bar?`; did you mean `bars`?; the charts are bars, runs, ratio, cpu, latency, operations, trend, history, sweep"
    );
}

#[test]
fn the_data_decide_which_chart_is_drawn() {
    let kind = |records: &[RunRecord]| kind_for(&Report::of(records).sections[0]).name;
    let mut far: Vec<RunRecord> = (1..=3).flat_map(|round| [sample::run("hdd", round), sample::run("ram", round)]).collect();
    assert_eq!(kind(&far), "bars");
    for run in far.iter_mut().filter(|run| run.label == "ram") {
        sample::set_rate(run, Phase::BlockRead, 20_000.0);
    }
    assert_eq!(kind(&far), "runs", "bars of 500 beside 20,000 are stubs");
    assert_eq!(kind(&far[..2]), "bars", "one run a target");
}

#[test]
fn panels_are_one_per_unit_and_kind() {
    let chart = chart_of("bars", &[sample::run("ext4", 1), sample::run("xfs", 1)]);
    let panels: Vec<(&str, &str, usize)> =
        chart.drawing.panels().iter().map(|panel| (panel.heading.as_str(), panel.unit.as_str(), panel.groups.len())).collect();
    let expected =
        [("Block phases", "MiB/s", 3), ("Random seek", "seeks/s", 1), ("Create and delete", "files/s", 4), ("Stat", "files/s", 2)];
    assert_eq!(panels, expected);
    assert_eq!(chart.drawing.panels()[1].groups[0].heading, None, "a panel of one phase has its name once");
    assert_eq!(chart.columns.iter().map(|column| column.heading.as_str()).collect::<Vec<_>>(), ["1 run"]);
}

#[test]
fn a_bar_has_its_range_and_its_sentence() {
    let chart = chart_of("bars", &runs(&[100.0, 110.0, 120.0]));
    let row = &rows(&chart)[0];
    assert_eq!(row.title, "Block read, ext4: median 110 MiB/s, range 100 – 120, 3 runs; cold");
    assert_eq!(row.words, "");
    let [Mark::Bar { to, end, fill: Fill::Solid }, Mark::PaleEnd { from, to: pale }, Mark::Tick { at }] = row.marks[..] else {
        panic!("{:?}", row.marks)
    };
    for (drawn, expected) in [(to, 100.0), (end, 120.0), (from, 100.0), (pale, 120.0), (at, 110.0)] {
        assert!((drawn - expected).abs() < 0.01, "{drawn} {expected}");
    }
}

#[test]
fn every_run_is_a_dot_and_is_said() {
    let chart = chart_of("runs", &runs(&[100.0, 110.0, 105.0, 90.0]));
    let row = &rows(&chart)[0];
    assert_eq!(row.marks.iter().filter(|mark| matches!(mark, Mark::Dot { .. })).count(), 4);
    assert!(row.title.contains("4 runs: 100, 110, 105, 90.0; cold"), "{}", row.title);
    assert!(
        chart.drawing.panels()[0].unit == "MiB/s, not from zero"
            && chart.reading.starts_with("Dot: one run. Shading: the range of 4 runs.")
    );
}

#[test]
fn doubt_is_drawn_and_said() {
    let mut records = [sample::run("ext4", 1), sample::run("ext4", 2)];
    for run in &mut records {
        sample::phase_mut(run, Phase::BlockRead).cache = Some(CacheLabel::Mixed(8));
        sample::phase_mut(run, Phase::Rewrite).cache = Some(CacheLabel::Cached);
        sample::phase_mut(run, Phase::BlockWrite).durable = Some(Durability::Acknowledged);
        sample::phase_mut(run, Phase::SeqStat).flags = vec![Flag::Short, Flag::Batched];
    }
    *sample::phase_mut(&mut records[1], Phase::RandomSeek) = PhaseRecord::failed(Phase::RandomSeek, "io");
    let chart = chart_of("bars", &records);
    let found = |title: &str| rows(&chart).into_iter().find(|row| row.title.starts_with(title)).unwrap();
    let fill = |row: &Row| if let Some(Mark::Bar { fill, .. }) = row.marks.first() { Some(*fill) } else { None };
    for (title, words, expected) in [
        ("Block write", "acknowledged", Fill::Solid),
        ("Rewrite", "read cached", Fill::Hollow),
        ("Block read", "mixed 8%", Fill::Hollow),
        ("Random seek", "1 run failed", Fill::Solid),
        ("Seq. stat", "cached, short", Fill::Hatched),
        ("Random stat", "cached", Fill::Hollow),
        ("Seq. delete", "", Fill::Solid),
    ] {
        let row = found(title);
        assert_eq!((row.words.as_str(), fill(&row)), (words, Some(expected)), "{title}");
    }
    let dots = rows(&chart_of("runs", &records)).into_iter().flat_map(|row| row.marks);
    let hollow = dots.filter(|mark| matches!(mark, Mark::Dot { is_hollow: true, .. })).count();
    assert_eq!(hollow, 8, "two runs of rewrite, block read and both stats");
}

#[test]
fn what_has_no_figure_says_why() {
    let mut records = [sample::run("a", 1), sample::run("b", 1), sample::run("c", 1)];
    records[0].phases.retain(|record| record.name != Phase::BlockRead);
    *sample::phase_mut(&mut records[1], Phase::BlockRead) = PhaseRecord::failed(Phase::BlockRead, "io");
    for kind in ["bars", "runs"] {
        let chart = chart_of(kind, &records);
        let read: Vec<Row> = rows(&chart).into_iter().filter(|row| row.title.starts_with("Block read")).collect();
        let said: Vec<(&str, &str)> = read.iter().map(|row| (figure(row), row.words.as_str())).collect();
        assert_eq!(said, [("–", "not in the run file"), ("–", "failed"), ("500", "")]);
        assert_eq!(read[1].title, "Block read, b: no figure; failed");
    }
    let cpu = rows(&chart_of("cpu", &records)).into_iter().filter(|row| row.title.starts_with("Block read")).collect::<Vec<_>>();
    assert_eq!((cpu[0].words.as_str(), cpu[1].words.as_str()), ("– not in the run file", "– failed"));
}

#[test]
fn what_has_no_place_on_the_axis_is_said() {
    let chart = chart_of("runs", &runs(&[0.0, 1.0, 100.0, 900.0]));
    assert_eq!(chart.drawing.panels()[0].unit, "MiB/s, log scale");
    assert_eq!(rows(&chart)[0].words, "first run slow, 0 not drawn");
    let chart = chart_of("bars", &[reported(-3.0), reported(5.0), reported(f64::NAN)]);
    assert_eq!(rows(&chart)[0].words, "1 run without a rate, -3.00 not drawn");
    let chart = chart_of("runs", &[reported(f64::INFINITY)]);
    assert_eq!((figure(&rows(&chart)[0]), rows(&chart)[0].words.as_str()), ("–", "no rate"));
}

#[test]
fn cpu_has_a_panel_a_target_on_equal_axes() {
    let mut records = [sample::run("ext4", 1), sample::run("xfs", 1)];
    sample::counted_mut(&mut records[1], Phase::SeqCreate).system_busy_ns = Some(3_000_000_000);
    let chart = chart_of("cpu", &records);
    assert_eq!(chart.drawing.panels().iter().map(|panel| panel.heading.as_str()).collect::<Vec<_>>(), ["ext4", "xfs"]);
    assert_eq!(chart.drawing.panels()[0].axis, chart.drawing.panels()[1].axis);
    assert!(chart.drawing.panels()[0].axis.high >= 300.0);
    assert_eq!(rows(&chart)[0].title, "Block write, ext4: CPU own 16 %, system 40 %; durable");
    let run = reported(5.0);
    let chart = chart_of("cpu", std::slice::from_ref(&run));
    assert_eq!((rows(&chart)[0].words.as_str(), chart.keys[0].text.as_str()), ("– not known", "own: the program that measured"));
}

#[test]
fn more_targets_than_can_be_told_apart_are_left_to_the_tables() {
    let records: Vec<RunRecord> = (0..150).map(|place| sample::run(&format!("t{place}"), 1)).collect();
    for kind in ["bars", "runs", "cpu", "latency"] {
        let chart = chart_of(kind, &records);
        assert_eq!(rows(&chart).len(), 1000, "{kind}");
        assert!(chart.reading.ends_with("The first 100 are drawn; the other 50 stand in the tables."), "{}", chart.reading);
    }
}

#[test]
fn the_foot_names_work_and_machine() {
    let chart = chart_of("bars", &[sample::run("ext4", 1)]);
    let expected = "barrow 0.1.0 · std/1 · 4 GiB file, 1 MiB chunks, 4 KiB seeks, 65,536 empty files · Linux 6.18.4 · 2026-11-30 · \
        workload 7f3a91c2e05d4b18";
    assert_eq!(chart.footnote, expected);
}
