//! Rows of Bonnie++'s CSV: every field in its place, whatever was measured.

use super::*;
use crate::model::phase::Phase;
use crate::model::record::Reported;
use crate::model::sample;
use crate::model::series::Pooling;
use proptest::prelude::*;

/// The fields of a line by the names of the header.
fn fields(line: &str) -> HashMap<String, String> {
    let (names, header) = (line.split(',').collect::<Vec<_>>(), header());
    assert_eq!(names.len(), 50, "{line}");
    assert_eq!(header.split(',').count(), 50);
    header.split(',').map(str::to_owned).zip(names.into_iter().map(str::to_owned)).collect()
}

#[test]
fn a_run_of_barrow_is_a_line_of_fifty_fields() {
    let mut run = sample::run("ext4, old\n\"x\"", 1);
    sample::set_rate(&mut run, Phase::RandomSeek, 123.46);
    sample::counted_mut(&mut run, Phase::SeqStat).elapsed_ns = 499_999_999;
    sample::counted_mut(&mut run, Phase::BlockWrite).latency_max_ns = 226_999_999;
    sample::counted_mut(&mut run, Phase::SeqDelete).latency_max_ns = 123_456_789_012;
    *sample::phase_mut(&mut run, Phase::Rewrite) = PhaseRecord::failed(Phase::Rewrite, "no space");
    let expected = "1.98,barrow-0.1.0,ext4; old?'x',1,1,4G,1m,1000000,1,,,512000,16,,,,,512000,16,123.5,0,\
        64,,,,,50000,16,+++++,+++,50000,16,50000,16,50000,16,50000,16,,226ms,,,50us,50us,50us,50us,123s,50us,50us,50us";
    assert_eq!(line(&run), expected);
}

#[test]
fn the_header_has_the_names_in_the_order_of_the_data() {
    let names = header();
    assert!(
        names.starts_with("format_version,bonnie_version,name,concurrency,seed,file_size,io_chunk_size,io_seeks,seek_proc_count,putc,")
    );
    assert!(names.contains(",seeks,seeks_cpu,num_files,max_size,min_size,file_chunk_size,num_dirs,seq_create,seq_create_cpu,"));
    assert!(names.ends_with(",ran_del,ran_del_cpu,putc_latency,put_block_latency,rewrite_latency,getc_latency,get_block_latency,seeks_latency,seq_create_latency,seq_stat_latency,seq_del_latency,ran_create_latency,ran_stat_latency,ran_del_latency"));
    let unique: std::collections::BTreeSet<&str> = names.split(',').collect();
    assert_eq!(unique.len(), 50);
}

#[test]
fn work_is_written_as_bonnie_writes_it() {
    let mut run = sample::run("a", 1);
    let written = |run: &RunRecord| {
        let fields = fields(&line(run));
        ["file_size", "io_chunk_size", "io_seeks", "seek_proc_count", "num_files", "max_size", "min_size", "file_chunk_size", "num_dirs"]
            .map(|name| fields[name].clone())
            .join(" ")
    };
    let settings = &mut run.plan.as_mut().unwrap().settings;
    (settings.file_size, settings.chunk_size, settings.seeks, settings.seekers) = (3 << 40, 8192, 8192, 5);
    (settings.files, settings.max_size, settings.min_size, settings.dirs) = (20_000, 250_000, 0, 1000);
    assert_eq!(written(&run), "3072G 8k 30000 5 19.53125 250000 0  1000");
    run.plan.as_mut().unwrap().settings.file_size = 300 << 20;
    run.plan.as_mut().unwrap().settings.files = 0;
    assert_eq!(written(&run), "300M 8k 30000 5     ");
    run.plan.as_mut().unwrap().settings.file_size = 0;
    assert_eq!(written(&run), "        ");
}

#[test]
fn latencies_and_seeks_change_their_form_where_bonnie_changes_it() {
    let latencies = [(0.0, "0us"), (99_999_000.0, "99999us"), (99_999_001.0, "99ms"), (99_999_999_000.0, "99999ms")];
    for (nanoseconds, expected) in latencies.into_iter().chain([(99_999_999_001.0, "99s"), (6.25e11, "625s")]) {
        assert_eq!(latency_field(nanoseconds), expected);
    }
    for (rate, expected) in [(0.04, "0.0"), (999.94, "999.9"), (1000.0, "1000"), (31_822.6, "31823")] {
        assert_eq!(rate_field(Phase::RandomSeek, rate), expected);
    }
    assert_eq!(rate_field(Phase::SeqCreate, 999.99), "999");
    assert_eq!(rate_field(Phase::BlockWrite, 1024.0 * 7.99), "7");
}

#[test]
fn figures_of_others_stand_as_they_stood() {
    let mut run = sample::imported("SERVER", 1);
    let imported = run.imported.as_mut().unwrap();
    let texts = [
        ("bonnie_version", "1.97"),
        ("seed", "1442285956"),
        ("put_block", "512000"),
        ("put_block_cpu", "007"),
        ("put_block_latency", "0us"),
        ("rewrite", "500m"),
        ("seq_stat", "+++++"),
        ("seq_stat_cpu", "+++"),
        ("seq_create", "16384"),
        ("ran_create", "=1,2"),
    ];
    imported.values = texts.map(|(name, text)| (name.to_owned(), text.to_owned())).into();
    for phase in [Phase::SeqStat, Phase::SeqCreate] {
        let none = Reported { rate: None, cpu_percent: None, latency_max_ns: None };
        sample::phase_mut(&mut run, phase).result = Some(PhaseResult::Reported(none));
    }
    let fields = fields(&line(&run));
    let field = |name: &str| fields[name].as_str();
    assert_eq!(
        ["format_version", "bonnie_version", "seed", "file_size", "num_files"].map(field),
        ["1.98", "1.97", "1442285956", "80G", "16"]
    );
    assert_eq!(["put_block", "put_block_cpu", "put_block_latency"].map(field), ["512000", "007", "0us"]);
    assert_eq!(["rewrite", "seq_stat", "seq_stat_cpu"].map(field), ["512000", "+++++", "+++"]);
    assert_eq!(field("seq_create"), "", "a rate that is known to be wrong is not given on");
    assert_eq!(field("ran_create"), "50000");
}

#[test]
fn a_label_names_its_line_unless_two_series_share_it() {
    let mut records = [sample::run("ext4", 1), sample::run("ext4", 1), sample::run("xfs", 1)];
    records[1].batch = crate::model::identity::Identity(7);
    let report = Report::of(&records);
    let text = BonnieCsv.render(&report).text().unwrap().to_owned();
    let names: Vec<&str> = text.lines().map(|line| line.split(',').nth(2).unwrap()).collect();
    assert_eq!(names, ["ext4 @51ce77", "ext4 @000000", "xfs"]);
    assert_eq!(crate::model::series::Series::of(&records, Pooling::Apart).len(), 3);
}

proptest! {
    #[test]
    fn any_run_is_fifty_fields_without_controls(label in any::<String>(), rate in any::<f64>(), latency in any::<u64>(), texts in prop::collection::vec(any::<String>(), 4)) {
        let mut run = sample::imported(&label, 1);
        let reported = Reported { rate: Some(rate), cpu_percent: Some(rate), latency_max_ns: Some(latency) };
        sample::phase_mut(&mut run, Phase::BlockWrite).result = Some(PhaseResult::Reported(reported));
        let imported = run.imported.as_mut().unwrap();
        imported.parameters = ["file_size", "max_size"].into_iter().zip(&texts).map(|(name, text)| (name.to_owned(), text.clone())).collect();
        imported.values = ["put_block", "bonnie_version"].into_iter().zip(&texts[2..]).map(|(name, text)| (name.to_owned(), text.clone())).collect();
        let line = line(&run);
        prop_assert_eq!(line.split(',').count(), 50);
        prop_assert!(!line.chars().any(char::is_control) && !line.contains('"'));
        prop_assert_eq!(printable(&line), line);
    }
}
