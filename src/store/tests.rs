use super::*;
use crate::model::phase::Phase;
use crate::model::record::PhaseRecord;
use crate::model::sample;
use proptest::prelude::*;

fn run(label: &str) -> RunRecord {
    sample::run(label, 1)
}

fn in_a_directory() -> (tempfile::TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("runs.jsonl");
    (directory, path)
}

fn loaded_from(path: &Path, bytes: &[u8]) -> Loaded {
    load_from(path, bytes).unwrap()
}

fn labels(loaded: &Loaded) -> Vec<&str> {
    loaded.runs.iter().map(|run| run.label.as_str()).collect()
}

#[test]
fn what_is_appended_is_loaded() {
    let (_directory, path) = in_a_directory();
    let mut file = RunFile::open(&path).unwrap();
    for label in ["a", "b|<\"',\n\u{1b}\u{202e}漢字", ""] {
        file.append(&run(label)).unwrap();
    }
    let loaded = load(&path).unwrap();
    assert_eq!(loaded.runs, ["a", "b|<\"',\n\u{1b}\u{202e}漢字", ""].map(run));
    assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), 3);
}

#[test]
fn after_a_torn_tail_a_new_line_begins() {
    let (_directory, path) = in_a_directory();
    RunFile::open(&path).unwrap().append(&run("a")).unwrap();
    let whole = fs::read(&path).unwrap();
    fs::write(&path, [&whole[..], &whole[..whole.len() / 2]].concat()).unwrap();
    RunFile::open(&path).unwrap().append(&run("b")).unwrap();
    let loaded = load(&path).unwrap();
    assert_eq!(labels(&loaded), ["a", "b"]);
    assert_eq!(loaded.bad.len(), 1);
    assert_eq!(loaded.bad[0].line, 2);
    assert!(loaded.bad[0].to_string().contains("runs.jsonl:2: the line is torn"), "{}", loaded.bad[0]);
}

#[test]
fn files_can_be_joined() {
    let (_directory, path) = in_a_directory();
    RunFile::open(&path).unwrap().append(&run("a")).unwrap();
    let bytes = fs::read(&path).unwrap();
    let loaded = loaded_from(&path, &[&bytes[..], b"\n", &bytes[..]].concat());
    assert_eq!((labels(&loaded), loaded.bad.len()), (vec!["a", "a"], 0));
}

#[test]
fn many_lines_are_read_in_their_order_with_the_numbers_of_the_bad_ones() {
    let mut text = Vec::new();
    for number in 1..=300 {
        match number % 100 {
            7 => text.extend(b"nonsense\n"),
            8 => text.extend(b"  \n"),
            _ => text.extend(format!("{}\n", serde_json::to_string(&run(&number.to_string())).unwrap()).into_bytes()),
        }
    }
    let loaded = loaded_from(Path::new("x"), &text);
    let expected: Vec<String> =
        (1..=300).filter(|number| ![7, 8].contains(&(number % 100))).map(|number: i32| number.to_string()).collect();
    assert_eq!(labels(&loaded), expected);
    assert_eq!(loaded.bad.iter().map(|bad| bad.line).collect::<Vec<_>>(), [7, 107, 207]);
}

#[test]
fn a_newer_form_is_refused_and_unknown_fields_are_not() {
    let (_directory, path) = in_a_directory();
    let line = serde_json::to_string(&run("a")).unwrap();
    let newer = line.replacen("\"schema\":1", "\"schema\":2", 1);
    let more = line.replacen("\"schema\":1", "\"schema\":1,\"later\":{\"x\":[1]}", 1);
    let loaded = loaded_from(&path, format!("{newer}\n{more}\n").as_bytes());
    assert_eq!(labels(&loaded), ["a"]);
    assert!(loaded.bad[0].problem.contains("schema 2, this one reads up to 1"), "{}", loaded.bad[0]);
}

#[test]
fn an_empty_file_says_so() {
    let loaded = loaded_from(Path::new("x"), b"");
    assert_eq!(loaded.bad[0].to_string(), "x:1: the file holds no runs; `barrow run` appends to it");
    assert!(matches!(load(Path::new("/nonexistent/x")), Err(StoreError::Call { verb: "opened", .. })));
    assert!(matches!(load(Path::new("/")), Err(StoreError::NotAFile { what: "a directory", .. })));
}

#[test]
fn what_is_no_run_file_is_not_written_to() {
    let (directory, path) = in_a_directory();
    fs::write(&path, "# my notes\n").unwrap();
    let error = RunFile::open(&path).unwrap_err();
    assert!(error.to_string().contains("nothing was written to it"), "{error}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "# my notes\n");
    assert!(matches!(RunFile::open(directory.path()), Err(StoreError::NotAFile { .. })));
    assert!(matches!(RunFile::open(Path::new("/dev/null")), Err(StoreError::NotAFile { what: "a device", .. })));
    assert!(RunFile::open(&directory.path().join("none/x")).is_err());
}

#[test]
fn runs_are_not_written_through_links_nor_to_what_has_other_names() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let (directory, path) = in_a_directory();
    let theirs = directory.path().join("theirs");
    RunFile::open(&theirs).unwrap().append(&run("a")).unwrap();
    let before = fs::read(&theirs).unwrap();
    symlink(&theirs, &path).unwrap();
    let error = RunFile::open(&path).unwrap_err();
    assert!(error.to_string().contains("is a symbolic link") && error.to_string().contains("name the file that it leads to"), "{error}");
    fs::remove_file(&path).unwrap();
    fs::hard_link(&theirs, &path).unwrap();
    fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o1777)).unwrap();
    let error = RunFile::open(&path).unwrap_err();
    assert!(error.to_string().contains("has 2 names (hard links)"), "{error}");
    // Put there between two runs.
    fs::remove_file(&path).unwrap();
    let mut file = RunFile::open(&path).unwrap();
    file.append(&run("b")).unwrap();
    fs::remove_file(&path).unwrap();
    symlink(&theirs, &path).unwrap();
    assert!(matches!(file.append(&run("c")), Err(StoreError::Link { .. })));
    assert_eq!(fs::read(&theirs).unwrap(), before);
    // To read through a link harms nobody.
    assert_eq!(load(&path).unwrap().runs.len(), 1);
}

#[test]
fn what_is_kept_open_goes_on_until_it_is_removed() {
    let (directory, path) = in_a_directory();
    let mut file = RunFile::open(&path).unwrap();
    file.keep_open().unwrap();
    file.append(&run("a")).unwrap();
    let moved = directory.path().join("moved");
    fs::rename(&path, &moved).unwrap();
    file.append(&run("b")).unwrap();
    assert_eq!(labels(&load(&moved).unwrap()), ["a", "b"]);
    // Nobody would ever read a file without a name.
    fs::remove_file(&moved).unwrap();
    file.append(&run("c")).unwrap();
    assert_eq!(labels(&load(&path).unwrap()), ["c"]);
    // Nor does it stay locked.
    RunFile::open(&path).unwrap().append(&run("d")).unwrap();
    file.append(&run("e")).unwrap();
    assert_eq!(labels(&load(&path).unwrap()), ["c", "d", "e"]);
}

#[test]
fn a_file_that_was_not_used_goes() {
    let (_directory, path) = in_a_directory();
    RunFile::open(&path).unwrap().remove_if_unused().unwrap();
    assert!(!path.exists());
    fs::write(&path, "").unwrap();
    RunFile::open(&path).unwrap().remove_if_unused().unwrap();
    assert!(path.exists(), "it was there before");
    let mut file = RunFile::open(&path).unwrap();
    file.append(&run("a")).unwrap();
    file.remove_if_unused().unwrap();
    assert!(path.exists());
}

#[test]
fn two_that_append_lose_nothing() {
    let (_directory, path) = in_a_directory();
    thread::scope(|scope| {
        for writer in 0..4 {
            let path = &path;
            scope.spawn(move || {
                let mut file = RunFile::open(path).unwrap();
                (0..25).for_each(|index| file.append(&run(&format!("{writer} {index}"))).unwrap());
            });
        }
    });
    let loaded = load(&path).unwrap();
    assert_eq!((loaded.runs.len(), loaded.bad.len()), (100, 0));
}

#[test]
fn a_failed_phase_is_kept_with_its_reason() {
    let (_directory, path) = in_a_directory();
    let failed = RunRecord { phases: vec![PhaseRecord::failed(Phase::BlockWrite, "because")], complete: false, ..run("a") };
    RunFile::open(&path).unwrap().append(&failed).unwrap();
    assert_eq!(load(&path).unwrap().runs, [failed]);
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_named(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let loaded = loaded_from(Path::new("x"), &bytes);
        prop_assert!(loaded.runs.is_empty());
    }

    #[test]
    fn a_run_file_cut_anywhere_keeps_its_whole_lines(cut in 0.0_f64..1.0) {
        let line = serde_json::to_string(&run("a")).unwrap() + "\n";
        let three = line.repeat(3);
        let at = (three.len() as f64 * cut) as usize;
        let loaded = loaded_from(Path::new("x"), &three.as_bytes()[..at]);
        let whole = at / line.len();
        prop_assert!(loaded.runs.len() == whole || loaded.runs.len() == whole + 1);
        prop_assert!(loaded.bad.len() <= 1);
    }
}
