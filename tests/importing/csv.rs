//! Every field of every real line of CSV: split naively here, and compared with its record. Nothing lost, nothing invented.

use barrow::import::read;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The fields of a phase in the catalogue's name, and in Bonnie++'s.
const PHASES: [(&str, &str); 12] = [
    ("char_write", "putc"),
    ("block_write", "put_block"),
    ("rewrite", "rewrite"),
    ("char_read", "getc"),
    ("block_read", "get_block"),
    ("random_seek", "seeks"),
    ("seq_create", "seq_create"),
    ("seq_stat", "seq_stat"),
    ("seq_delete", "seq_del"),
    ("random_create", "ran_create"),
    ("random_stat", "ran_stat"),
    ("random_delete", "ran_del"),
];

const OLD: &str = "name,file_size,putc,putc_cpu,put_block,put_block_cpu,rewrite,rewrite_cpu,getc,getc_cpu,get_block,get_block_cpu,seeks,\
seeks_cpu,num_files,seq_create,seq_create_cpu,seq_stat,seq_stat_cpu,seq_del,seq_del_cpu,ran_create,ran_create_cpu,ran_stat,ran_stat_cpu,\
ran_del,ran_del_cpu";
const LATENCIES: &str = "putc_latency,put_block_latency,rewrite_latency,getc_latency,get_block_latency,seeks_latency,seq_create_latency,\
seq_stat_latency,seq_del_latency,ran_create_latency,ran_stat_latency,ran_del_latency";

/// The names of the fields of a line, by its count alone.
fn names(count: usize) -> Vec<String> {
    let before = "format_version,bonnie_version,name,concurrency,seed,file_size,io_chunk_size";
    let seeks = if count == 50 { ",io_seeks,seek_proc_count" } else { "" };
    let (block, files) =
        (&OLD["name,file_size,".len()..OLD.find(",num_files").expect("it is there")], OLD.split_once("num_files,").expect("it is there").1);
    // The first 47 fields of the faulty line lack an empty one before the count of files.
    let block = if count == 47 { block.trim_end_matches(",seeks_cpu") } else { block };
    let whole = match count {
        25 | 27 => OLD.to_owned(),
        _ => format!("{before}{seeks},{block},num_files,max_size,min_size,file_chunk_size,num_dirs,{files},{LATENCIES}"),
    };
    let names: Vec<String> = whole.split(',').map(str::to_owned).collect();
    assert!(count == 25 || names.len() == count, "{count}");
    names
}

/// The fields of a line by their names; of a cut one without the last.
fn fields(line: &str) -> BTreeMap<String, String> {
    let texts: Vec<&str> = line.split(',').collect();
    let certain = if texts.len() == 25 { 24 } else { texts.len() };
    let named = names(texts.len()).into_iter().zip(&texts[..certain]);
    named.filter(|(_, text)| !text.is_empty()).map(|(name, text)| (name, (*text).to_owned())).collect()
}

fn files() -> Vec<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/bonnie-csv");
    let mut files: Vec<PathBuf> = fs::read_dir(directory).expect("the data").map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "csv"));
    files.sort();
    files
}

fn microseconds(text: &str) -> f64 {
    for (unit, factor) in [("us", 1.0), ("ms", 1e3), ("s", 1e6)] {
        if let Some(digits) = text.strip_suffix(unit) {
            return digits.parse::<f64>().expect("digits") * factor;
        }
    }
    panic!("{text}");
}

/// Takes out the fields of the phases, each of which must be in the record as it stands in the line.
fn check_phases(record: &Value, fields: &mut BTreeMap<String, String>, place: &str) -> usize {
    let phases: BTreeMap<&str, &Value> =
        record["phases"].as_array().expect("a list").iter().map(|phase| (phase["name"].as_str().expect("a name"), phase)).collect();
    let (mut found, mut values) = (0, 0);
    for (phase, name) in PHASES {
        let texts = ["", "_cpu", "_latency"].map(|what| fields.remove(&format!("{name}{what}")));
        let Some(record) = phases.get(phase) else {
            assert!(texts.iter().all(Option::is_none), "{place}: {name} is lost");
            continue;
        };
        found += 1;
        assert!(texts.iter().any(Option::is_some), "{place}: {name} is invented");
        let reported = &record["result"]["reported"];
        let factor = if ["putc", "put_block", "rewrite", "getc", "get_block"].contains(&name) { 1024.0 } else { 1.0 };
        let known = |text: &Option<String>| text.clone().filter(|text| !text.starts_with('+'));
        let rate = known(&texts[0]).map(|text| text.parse::<f64>().expect("a rate") * factor);
        let cpu = known(&texts[1]).map(|text| text.parse::<f64>().expect("a CPU"));
        let latency = known(&texts[2]).map(|text| microseconds(&text) * 1000.0);
        assert_eq!(reported["rate"].as_f64(), rate, "{place}: {name}");
        assert_eq!(reported["cpu_percent"].as_f64(), cpu, "{place}: {name}_cpu");
        assert_eq!(reported["latency_max_ns"].as_f64(), latency, "{place}: {name}_latency");
        assert_eq!(record["reason"].is_null(), rate.is_some(), "{place}: {name}");
        let is_overcounted = record["flags"].to_string().contains("CPU over-counted");
        assert_eq!(is_overcounted, name == "seeks" && cpu.is_some() && record_is_threaded(fields), "{place}: {name}");
        values += texts.iter().flatten().count();
    }
    assert_eq!(found, phases.len(), "{place}: a phase is invented");
    values
}

fn record_is_threaded(fields: &BTreeMap<String, String>) -> bool {
    fields.contains_key("format_version")
}

/// Takes pairs of the record out of the fields of the line.
fn check_texts(record: &Value, list: &str, fields: &mut BTreeMap<String, String>, place: &str) -> usize {
    let pairs = record["imported"][list].as_array().cloned().unwrap_or_default();
    for pair in &pairs {
        let (name, text) = (pair[0].as_str().expect("a name"), pair[1].as_str().expect("a text"));
        assert_eq!(fields.remove(name).as_deref(), Some(text), "{place}: {name}");
    }
    pairs.len()
}

#[test]
fn every_field_of_every_real_line_is_in_its_record_and_nothing_else() {
    let (mut lines, mut values) = (0, 0);
    for path in files() {
        let content = fs::read_to_string(&path).expect("the data");
        let outcome = read(content.as_bytes(), None);
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        assert!(outcome.unread.is_empty(), "{name}");
        assert_eq!(outcome.problems.len(), usize::from(name.contains("short25")), "{name}: {:?}", outcome.problems);
        let mut records = outcome.records.iter();
        for (line, number) in content.lines().zip(1_u64..).filter(|(line, _)| !line.starts_with("name,")) {
            let place = format!("{name}:{number}");
            let record = serde_json::to_value(records.next().unwrap_or_else(|| panic!("{place}: is lost"))).expect("a record");
            let mut rest = fields(line);
            let version = rest.get("bonnie_version").cloned().unwrap_or_else(|| "1.0x".to_owned());
            assert_eq!(record["imported"]["program"], format!("bonnie++ {version}"), "{place}");
            assert_eq!(record["imported"]["line"], number, "{place}");
            assert_eq!(record["label"].as_str(), Some(rest.remove("name").unwrap_or_default().as_str()), "{place}");
            let mut all = rest.clone();
            values += check_phases(&record, &mut rest, &place);
            values += check_texts(&record, "parameters", &mut rest, &place);
            // What stood there is kept as it stood, figures included.
            check_texts(&record, "values", &mut all, &place);
            for name in rest.keys() {
                assert!(["format_version", "bonnie_version", "seed"].contains(&name.as_str()), "{place}: {name} is lost");
            }
            lines += 1;
        }
        assert_eq!(records.next(), None, "{name}: a run is invented");
    }
    assert!(lines >= 130 && values > 3500, "{lines} lines, {values} values");
}

#[test]
fn a_configuration_that_was_run_72_times_is_one_series() {
    let path = files().into_iter().find(|path| path.ends_with("cloud_v1.97_RAIDZ2_8C.csv")).expect("the data");
    let records = read(&fs::read(path).expect("the data"), None).records;
    assert_eq!(records.len(), 72);
    assert_eq!(records.iter().map(|run| run.round).collect::<Vec<_>>(), (1..=72).collect::<Vec<_>>());
    let report = barrow::report::Report::of(&records);
    assert_eq!(report.sections.iter().map(|section| section.series.len()).collect::<Vec<_>>(), [1]);
}
