//! The gallery: what every renderer makes of the sample run files in reports/ is checked in, and compared here. `BLESS=1` rewrites it;
//! a missing or a stray file fails.

use barrow::model::record::RunRecord;
use barrow::report::baseline::compare;
use barrow::report::chart::{CHARTS, ChartChoice};
use barrow::report::layout::Layout;
use barrow::report::{RENDERERS, Renderer, Rendering, Report};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

fn gallery() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("reports")
}

/// The sample run files, by their names without the ending.
fn samples() -> Vec<(String, PathBuf)> {
    let entries = fs::read_dir(gallery()).expect("reports/ can be read").map(|entry| entry.expect("an entry").path());
    let mut samples: Vec<(String, PathBuf)> = entries
        .filter(|path| path.extension().is_some_and(|extension| extension == "jsonl"))
        .map(|path| (path.file_stem().expect("a name").to_string_lossy().into_owned(), path))
        .collect();
    samples.sort();
    samples
}

/// The formats that the gallery shows in every layout: the others that lay out make the same document or the same lines.
const LAID_OUT: [&str; 2] = ["text", "markdown"];

/// The samples that are there to be compared, with their baselines.
const COMPARED: [(&str, &str); 2] = [("bonnie-two-configurations", "iSCSI_L2_80G"), ("mount-option", "scratch data=ordered")];

/// What the gallery should hold of a comparison: every text that compares, and the chart of ratios.
fn compared(name: &str, baseline: &str, runs: &[RunRecord]) -> BTreeMap<String, Vec<u8>> {
    let mut report = Report::of(runs);
    compare(&mut report, baseline, false).expect("runs that are like");
    let texts = RENDERERS.iter().filter(|renderer| renderer.compares());
    let files = texts.map(|renderer| (format!("{name}.{}", renderer.extension()), renderer.render(&report)));
    files.filter(|(_, made)| made.text().is_some()).map(|(file, made)| (file, made.bytes().to_vec())).collect()
}

/// The samples that are there for their workloads: what people paste and draw of them. How each format writes a table is in the others.
const WORKLOADS: [&str; 8] = ["blocks", "command", "device", "fileserver", "mail", "smallfiles", "sync", "tree"];

/// The charts that only such samples have something for.
const OF_WORKLOADS: [&str; 2] = ["operations", "sweep"];

/// The formats of those samples.
const PASTED: [&str; 5] = ["text", "markdown", "html", DETAILS, OPERATIONS];

/// What the gallery should hold of a workload: some formats, and the chart that is drawn where none is asked for, in both widths.
fn workload(name: &str, runs: &[RunRecord]) -> BTreeMap<String, Vec<u8>> {
    let is_meant = |renderer: &&&dyn Renderer| PASTED.contains(&renderer.name()) && applies(renderer.name(), runs);
    let texts = RENDERERS.iter().filter(is_meant).map(|renderer| {
        let file = format!("{name}.{}{}", kind_of_csv(renderer.name()), renderer.extension());
        (file, renderer.render(&Report::of(runs)))
    });
    let pictures = [false, true].into_iter().filter_map(|narrow| {
        let report = Report { chart: ChartChoice { kind: None, narrow }, ..Report::of(runs) };
        let svg = RENDERERS.iter().find(|renderer| renderer.name() == "svg")?;
        Some((format!("{name}{}.svg", if narrow { "-narrow" } else { "" }), svg.render(&report)))
    });
    texts.chain(pictures).map(|(file, made)| (file, made.bytes().to_vec())).collect()
}

/// The format that has rows only of filesystems that were made for their runs.
const MAKING: &str = "csv-making";

/// The formats that have rows only of phases with more than a rate, and of those with kinds of operations.
const DETAILS: &str = "csv-details";
const OPERATIONS: &str = "csv-operations";

/// Whether any phase of some runs has more than a rate: what the reports of the first profiles have no column for.
fn has_details(runs: &[RunRecord]) -> bool {
    runs.iter().flat_map(|run| &run.phases).any(barrow::model::detail::has_details)
}

/// Whether any phase of some runs has kinds of operations.
fn has_kinds(runs: &[RunRecord]) -> bool {
    runs.iter().flat_map(|run| &run.phases).filter_map(|record| record.counted()).any(|counted| !counted.kinds.is_empty())
}

/// Whether a format has anything to say of some runs.
fn applies(format: &str, runs: &[RunRecord]) -> bool {
    match format {
        MAKING => runs.iter().any(|run| run.making.is_some()),
        DETAILS => has_details(runs),
        OPERATIONS => has_kinds(runs),
        _ => true,
    }
}

/// What tells the files of formats with one ending apart.
fn kind_of_csv(format: &str) -> &'static str {
    match format {
        "csv-summary" => "summary.",
        "bonnie-csv" => "lines-of-bonnie.",
        MAKING => "making.",
        DETAILS => "details.",
        OPERATIONS => "operations.",
        _ => "",
    }
}

/// What the gallery should hold: every sample in every format, two formats in every layout, and every chart of it in both widths. Of
/// pictures only one: they are large, and what they show is the drawing that is there as text.
fn renderings() -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for (name, path) in samples() {
        let loaded = barrow::store::load(&path).expect("a run file");
        assert!(loaded.bad.is_empty(), "{:?}", loaded.bad);
        if let Some((_, baseline)) = COMPARED.iter().find(|(compared, _)| *compared == name) {
            files.extend(compared(&name, baseline, &loaded.runs));
            continue;
        }
        if WORKLOADS.contains(&name.as_str()) {
            files.extend(workload(&name, &loaded.runs));
            continue;
        }
        let report = Report::of(&loaded.runs);
        for renderer in RENDERERS.iter().filter(|renderer| !renderer.draws() && applies(renderer.name(), &loaded.runs)) {
            let file = format!("{name}.{}{}", kind_of_csv(renderer.name()), renderer.extension());
            files.insert(file, renderer.render(&report).bytes().to_vec());
        }
        for renderer in RENDERERS.iter().filter(|renderer| LAID_OUT.contains(&renderer.name())) {
            for layout in Layout::ALL.into_iter().filter(|layout| *layout != Layout::default()) {
                let report = Report { layout, ..Report::of(&loaded.runs) };
                files.insert(format!("{name}.{}.{}", layout.name(), renderer.extension()), renderer.render(&report).bytes().to_vec());
            }
        }
        for renderer in RENDERERS.iter().filter(|renderer| renderer.draws()) {
            let usual = renderer.render(&report);
            if matches!(usual, Rendering::Picture(_)) {
                files.insert(format!("{name}.{}", renderer.extension()), usual.bytes().to_vec());
                continue;
            }
            for chart in CHARTS.iter().filter(|chart| !OF_WORKLOADS.contains(&chart.name)) {
                for narrow in [false, true] {
                    let width = if narrow { "-narrow" } else { "" };
                    let report = Report { chart: ChartChoice { kind: Some(*chart), narrow }, ..Report::of(&loaded.runs) };
                    files.insert(
                        format!("{name}-{}{width}.{}", chart.name, renderer.extension()),
                        renderer.render(&report).bytes().to_vec(),
                    );
                }
            }
        }
    }
    files
}

#[test]
fn the_gallery_is_what_the_renderers_make() {
    let expected = renderings();
    assert!(!expected.is_empty(), "there are samples");
    if std::env::var_os("BLESS").is_some() {
        for (name, text) in &expected {
            fs::write(gallery().join(name), text).expect("the gallery can be written");
        }
    }
    for (name, text) in &expected {
        let found = fs::read(gallery().join(name)).unwrap_or_else(|error| panic!("reports/{name}: {error}; BLESS=1 makes it"));
        assert!(found == *text, "reports/{name} is no longer what barrow makes; look at the difference, then BLESS=1 renews it");
    }
    for entry in fs::read_dir(gallery()).expect("reports/ can be read") {
        let name = entry.expect("an entry").file_name().to_string_lossy().into_owned();
        let is_known = expected.contains_key(&name) || name.ends_with(".jsonl") || name == "README.md";
        assert!(is_known, "reports/{name} is made from no sample");
    }
}
