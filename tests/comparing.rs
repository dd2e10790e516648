//! Comparison as a user asks for it: baselines, selection, groups and pools of real runs, and what is refused by name.

use crate::cli::{Work, ended};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// The runs of the gallery: three targets of six runs each.
fn runs() -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("reports/three-filesystems.jsonl");
    let text = fs::read_to_string(path).expect("the sample");
    text.lines().map(|line| serde_json::from_str(line).expect("a run")).collect()
}

fn with(name: &str, runs: &[Value]) -> Work {
    let work = Work::new();
    let text: String = runs.iter().map(|run| format!("{run}\n")).collect();
    fs::write(work.path(name), text).expect("a run file");
    work
}

/// The same runs once more, as another batch.
fn again(runs: &[Value], batch: &str, change: impl Fn(&mut Value)) -> Vec<Value> {
    let mut copies = runs.to_vec();
    for run in &mut copies {
        run["batch"] = batch.into();
        change(run);
    }
    copies
}

#[track_caller]
fn check_width(text: &str) {
    use unicode_width::UnicodeWidthStr;
    for line in text.lines() {
        assert!(line.width() <= 80, "{line}");
    }
}

#[test]
fn a_baseline_gives_ratios_and_says_in_words_what_they_mean() {
    let work = with("barrow.jsonl", &runs());
    let text = ended(&work.barrow(["report", "--baseline", "ext4"]), 0, &[]);
    check_width(&text);
    let flowing = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for said in [
        "btrfs against ext4: faster in block write (2.12 ×, 95 % CI 1.65 – 3.56), slower in 4 ",
        "The surroundings differ in filesystem, mount options, size, fill and device.",
        "ext4 430 1 ni baseline xfs 410 1.05 0.76 – 1.79",
        "Two identical targets would show one false difference in about 1 of 12 such tables.",
        "What differs filesystem ext4 ext4 xfs xfs",
    ] {
        assert!(flowing.contains(said), "{said}\n{text}");
    }
    let markdown = ended(&work.barrow(["report", "--baseline", "ext4", "-f", "markdown"]), 0, &[]);
    assert!(markdown.contains("| **2.12** | 1.65 – 3.56 | **faster**"), "{markdown}");
    assert!(markdown.contains("| What differs "), "{markdown}");
}

#[test]
fn a_baseline_that_is_not_there_is_refused_with_the_nearest() {
    let work = with("barrow.jsonl", &runs());
    let said = ["--baseline: there is no series `xsf` to compare with; did you mean `xfs`?; the series are `ext4`, `xfs` and `btrfs`"];
    assert_eq!(ended(&work.barrow(["report", "--baseline", "xsf"]), 2, &said), "");
    let twice = [runs(), again(&runs(), "00000000000000aa", |_| {})].concat();
    let work = with("barrow.jsonl", &twice);
    let output = work.barrow(["report", "--baseline", "ext4"]);
    assert_eq!(ended(&output, 2, &["2 series are called `ext4`; name one of them: `ext4 @"]), "");
    ended(&work.barrow(["report", "--baseline", "ext4@00000000000000aa"]), 0, &[]);
}

#[test]
fn unlike_runs_are_refused_naming_each_difference_and_force_prints_them() {
    let mut all = runs();
    for run in all.iter_mut().filter(|run| run["label"] == "xfs") {
        run["workload_id"] = "00000000000000bb".into();
        run["plan"]["settings"]["file_size"] = (2_u64 << 30).into();
        run["plan"]["circumstances"]["drop_caches"] = "never".into();
    }
    let work = with("barrow.jsonl", &all);
    let said = ["unlike runs are not compared: `ext4` and `xfs` differ in file_size: 1g and 2g", "drop_caches: auto and never", "--force"];
    assert_eq!(ended(&work.barrow(["report", "--baseline", "ext4"]), 1, &said), "");
    let text = ended(&work.barrow(["report", "--baseline", "ext4", "--force"]), 0, &[]);
    check_width(&text);
    assert_eq!(text.matches("no verdict: other work").count(), 10, "{text}");
    assert!(text.contains("no verdict in 10 of 10 phases"), "{text}");
    // Without them the rest is compared.
    ended(&work.barrow(["report", "--baseline", "ext4", "--where", "label=ext4", "--where", "label=btrfs"]), 0, &[]);
}

#[test]
fn runs_are_selected_by_tags_labels_and_facts() {
    let tagged = again(&runs(), "00000000000000cc", |run| run["tags"] = serde_json::json!({"kernel": "new"}));
    let work = with("barrow.jsonl", &[runs(), tagged].concat());
    let labels = |conditions: &[&str]| -> Vec<String> {
        let arguments = conditions.iter().flat_map(|condition| ["--where", condition]);
        let csv = ended(&work.barrow(["report", "-f", "csv-summary"].into_iter().chain(arguments)), 0, &[]);
        let mut labels: Vec<String> = csv.lines().skip(1).filter_map(|line| line.split(',').next()).map(str::to_owned).collect();
        labels.dedup();
        labels
    };
    assert_eq!(labels(&["kernel=new", "label=xfs"]), ["xfs"]);
    assert_eq!(labels(&["filesystem=xfs", "filesystem=ext4"]).len(), 4);
    ended(&work.barrow(["report", "--where", "kernal=new"]), 2, &["`kernal` is neither a tag", "did you mean `kernel`?"]);
    ended(&work.barrow(["report", "--where", "kernel=nwe"]), 2, &["no run has kernel=nwe; did you mean `new`?"]);
    ended(&work.barrow(["report", "--where", "kernel"]), 2, &["write it as KEY=VALUE"]);
}

#[test]
fn batches_are_named_by_their_tags_grouped_by_them_and_pooled() {
    let old = again(&runs(), "00000000000000dd", |run| run["tags"] = serde_json::json!({"step": "old"}));
    let new = again(&runs(), "00000000000000ee", |run| run["tags"] = serde_json::json!({"step": "new"}));
    let work = with("barrow.jsonl", &[old, new].concat());
    let text = ended(&work.barrow(["report", "--baseline", "ext4 step=old", "--where", "label=ext4"]), 0, &[]);
    assert!(text.contains("ext4 step=new against ext4 step=old: "), "{text}");
    assert!(text.contains("The surroundings differ in tag step."), "{text}");
    let grouped = ended(&work.barrow(["report", "--group-by", "step", "--baseline", "ext4"]), 0, &[]);
    check_width(&grouped);
    assert!(grouped.starts_with("2 tables, by step.\n"), "{grouped}");
    assert_eq!(grouped.matches("xfs against ext4: ").count(), 2, "{grouped}");
    let pooled = ended(&work.barrow(["report", "--pool"]), 0, &[]);
    check_width(&pooled);
    assert!(pooled.contains("3 targets × 12 runs, 2 batches pooled"), "{pooled}");
    assert!(pooled.contains("Median and range of 12 runs of 2 batches, which were not run in turns."), "{pooled}");
    assert!(!pooled.contains("95 % CI") && !pooled.contains("confidence"), "{pooled}");
    let compared = ended(&work.barrow(["report", "--pool", "--baseline", "ext4"]), 0, &[]);
    assert!(compared.contains("pooled, so without a verdict, in 10 of 10 phases"), "{compared}");
}

#[test]
fn an_ending_that_is_a_slip_is_refused_and_a_replaced_report_keeps_its_rights() {
    use std::os::unix::fs::PermissionsExt;
    let work = with("barrow.jsonl", &runs());
    let said = ["x.pgn: no format has files that end in `pgn`; did you mean `png`?"];
    ended(&work.barrow(["report", "-o", "x.pgn"]), 2, &said);
    assert!(!work.path("x.pgn").exists());
    ended(&work.barrow(["report", "--chart", "runs", "-o", "a.txt"]), 2, &["--chart is for formats that draw"]);
    ended(&work.barrow(["report", "-o", "a.log"]), 0, &[]);
    let path = work.path("mine.txt");
    fs::write(&path, "old").expect("a file");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("its owner's");
    ended(&work.barrow(["report", "-o", "mine.txt"]), 0, &[]);
    assert_eq!(fs::metadata(&path).expect("the report").permissions().mode() & 0o777, 0o600);
    ended(&work.barrow(["report", "-f", "md"]), 0, &[]);
}
