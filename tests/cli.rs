//! The binary as a user meets it: arguments, messages, exit codes, what is written where, and that nothing is left.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A work that takes a moment.
const SMALL: [&str; 10] = [
    "-p",
    "quick",
    "--drop-caches=never",
    "--set=file_size=1m",
    "--set=chunk_size=64k",
    "--set=seeks=50",
    "--set=seek_seconds=0",
    "--set=files=40",
    "--runs=2",
    "-q",
];

/// A directory to work in.
pub struct Work(pub tempfile::TempDir);

impl Work {
    pub fn new() -> Self {
        Self(tempfile::tempdir().expect("a directory"))
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn directory(&self, name: &str) -> PathBuf {
        let path = self.path(name);
        fs::create_dir(&path).expect("a directory");
        path
    }

    fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_barrow"));
        command.env_clear().current_dir(self.0.path());
        command
    }

    pub fn barrow<S: AsRef<std::ffi::OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Output {
        self.command().args(arguments).output().expect("barrow runs")
    }

    /// Runs a small batch on a directory, with more arguments.
    pub fn small(&self, more: &[&str]) -> Output {
        self.barrow(["run"].iter().chain(&SMALL).chain(more))
    }

    fn entries(&self, name: &str) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(self.path(name))
            .expect("a directory")
            .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }
}

fn words(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap_or_else(|| panic!("ended by a signal: {output:?}"))
}

/// Checks the code and that stderr says these words; gives stdout.
#[track_caller]
pub fn ended(output: &Output, expected: i32, said: &[&str]) -> String {
    let stderr = words(&output.stderr);
    assert_eq!(code(output), expected, "stderr: {stderr}");
    for word in said {
        assert!(stderr.contains(word), "`{word}` is not in: {stderr}");
    }
    assert!(!stderr.contains("panicked"), "{stderr}");
    words(&output.stdout)
}

fn csv_rows(text: &str) -> Vec<Vec<String>> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    reader.records().map(|row| row.expect("a row").iter().map(str::to_owned).collect()).collect()
}

#[test]
fn a_run_ends_with_its_report_and_leaves_only_its_run_file() {
    let work = Work::new();
    work.directory("a");
    let stdout = ended(&work.small(&["a"]), 0, &[]);
    assert!(stdout.contains("Block write, MiB/s") && stdout.contains("Random delete, files/s"), "{stdout}");
    assert!(stdout.lines().all(|line| line.chars().count() <= 80), "{stdout}");
    assert_eq!(work.entries("a"), Vec::<String>::new());
    assert_eq!(work.entries("."), ["a", "barrow.jsonl"]);
    let lines = fs::read_to_string(work.path("barrow.jsonl")).expect("the run file");
    assert_eq!(lines.lines().count(), 2);
    for line in lines.lines() {
        assert!(line.len() < 16 * 1024, "{} bytes", line.len());
        let run: serde_json::Value = serde_json::from_str(line).expect("a run");
        assert_eq!(run["complete"], true);
        assert!(!line.contains(&*work.0.path().to_string_lossy()), "no path above the mount point is kept");
    }
}

#[test]
fn the_current_directory_is_measured_when_none_is_named() {
    let work = Work::new();
    ended(&work.small(&[]), 0, &[]);
    assert_eq!(work.entries("."), ["barrow.jsonl"]);
}

#[test]
fn two_targets_are_interleaved_and_reported_together() {
    let work = Work::new();
    work.directory("a");
    work.directory("b");
    ended(&work.small(&["x=a", "y=./a", "-o", "other.jsonl", "--no-report"]), 0, &["x and y are the same directory"]);
    ended(&work.small(&["x=a", "y=b", "-o", "runs.jsonl", "--no-report", "--tag", "raid=10", "--tag=note=a b"]), 0, &[]);
    let rows = csv_rows(&ended(&work.barrow(["report", "runs.jsonl", "-f", "csv"]), 0, &[]));
    assert_eq!(rows.len(), 2 * 2 * 10);
    let rounds: Vec<(&str, &str)> = rows.iter().step_by(10).map(|row| (row[2].as_str(), row[0].as_str())).collect();
    assert_eq!(rounds.iter().map(|(round, _)| *round).collect::<Vec<_>>(), ["1", "1", "2", "2"]);
    assert!(rows.iter().all(|row| row[24] == "ok" && row[36].contains("raid=10")));
    let summary = csv_rows(&ended(&work.barrow(["report", "runs.jsonl", "-f", "csv-summary"]), 0, &[]));
    assert_eq!(summary.len(), 2 * 10);
    assert!(summary.iter().flatten().all(|cell| !cell.is_empty()), "{summary:?}");
}

#[test]
fn csv_has_the_columns_that_were_promised() {
    let work = Work::new();
    ended(&work.small(&["--no-report"]), 0, &[]);
    let csv = ended(&work.barrow(["report", "-f", "csv"]), 0, &[]);
    assert_eq!(
        csv.lines().next(),
        Some(
            "label,run,round,phase,unit,work,elapsed_s,rate,ack_s,ack_rate,cpu_own_pct,cpu_system_pct,p50_us,p99_us,max_us,\
             cpu_user_seconds,cpu_system_seconds,cpu_seconds_per_gib,cpu_seconds_per_1000,tool_percent,cache,durable,\
             io_obtained,flags,status,profile,workload_id,seed,started,batch,filesystem,mount_options,device,kernel,io,workers,tags"
        )
    );
    let summary = ended(&work.barrow(["report", "-f", "csv-summary"]), 0, &[]);
    assert_eq!(
        summary.lines().next(),
        Some(
            "label,phase,unit,n,rate_median,rate_low,rate_high,interval,rate_min,rate_max,cpu_own_pct_median,cpu_own_pct_min,\
             cpu_own_pct_max,cpu_system_pct_median,cpu_system_pct_min,cpu_system_pct_max,p99_us_median,p99_us_min,p99_us_max,\
             cpu_seconds_per_gib_median,cpu_seconds_per_1000_median,cache,durable,\
             flags,profile,workload_id,batch,filesystem,device,kernel,tags"
        )
    );
    for row in csv_rows(&csv) {
        let number = |column: usize| row[column].parse::<f64>().expect("a number");
        assert!((number(5) / number(6) / number(7) - 1.0).abs() < 1e-3, "rate is work per second: {row:?}");
        assert_eq!(row[6].split('.').nth(1).map(str::len), Some(9), "{row:?}");
    }
}

#[test]
fn usage_errors_name_what_is_near_and_exit_2() {
    let work = Work::new();
    let cases: [(&[&str], &[&str]); 29] = [
        (&["run", "-p", "qiuck"], &["`qiuck`", "did you mean `quick`"]),
        (&["run", "-p", "zzzz"], &["`zzzz`", "--list-profiles"]),
        (&["run", "--set", "filesize=1g"], &["did you mean `file_size`"]),
        (&["run", "--set", "file_size"], &["KEY=VALUE"]),
        (&["run", "--set", "file_size=big"], &["`big` is not a size"]),
        (&["run", "--set", "chunk_size=8g"], &["chunk_size: 8g"]),
        (&["run", "--set", "file_size=1m", "--set", "chunk_size=2m"], &["2m is larger than file_size = 1m"]),
        (&["run", "--runs", "0"], &["runs: 0"]),
        (&["run", "--runs", "many"], &["`many` is not a whole number"]),
        (&["run", "--io", "dirct"], &["`dirct` is none of buffered, direct"]),
        (&["run", "--workers", "0"], &["workers: 0"]),
        (&["run", "a=.", "a=."], &["two targets have the name `a`"]),
        (&["run", "=."], &["the name before `=` is empty"]),
        (&["run", "a="], &["the name of the directory is empty"]),
        (&["run", "--seed", "-1"], &["`-1` is not a whole number"]),
        (&["run", "--set", "seek_seconds=18446744074"], &["seek_seconds: 18446744074 is not in 0 to 86400"]),
        (&["run", "--pause", "99999h"], &["--pause: more than a day"]),
        (&["run", "--prepare", " "], &["--prepare: the command is empty"]),
        (&["run", "--prepare", "true", "--cache", "warm"], &["with --cache warm there are none"]),
        (&["run", "--pause", "soon"], &["`soon` is not a time"]),
        (&["run", "-o", "-"], &["needs a name"]),
        (&["run", "-p", "device"], &["device_start reads a device itself", "`barrow device /dev/X`"]),
        (&["run", "--set", "phases=device_middle"], &["device_middle reads a device itself", "`barrow device /dev/X`"]),
        (&["run", "--set", "phases=block_write,device_start"], &["phases: block_write needs a filesystem"]),
        (&["device"], &["DEV|LABEL=DEV"]),
        (&["device", "--set", "file_size=1g", "/dev/null"], &["--set file_size: decides nothing about a device", "place_size"]),
        (&["report", "-f", "cvs"], &["cvs", "csv"]),
        (&["reprot"], &["report"]),
        (&["run", "--no-such"], &["--no-such"]),
    ];
    for (arguments, said) in cases {
        ended(&work.barrow(arguments), 2, said);
    }
    assert_eq!(work.entries("."), Vec::<String>::new());
}

#[test]
fn what_cannot_be_measured_is_refused_with_the_reason() {
    let work = Work::new();
    fs::write(work.path("file"), "x").expect("a file");
    ended(&work.barrow(["device", "/dev/null"]), 1, &["/dev/null: is no block device"]);
    ended(&work.barrow(["device", "."]), 1, &[".: is a directory", "`barrow run .` measures it"]);
    ended(&work.barrow(["device", "/no/such"]), 1, &["/no/such: there is nothing of this name; `lsblk`"]);
    let cases: [(&[&str], &[&str]); 5] = [
        (&["none"], &["none: there is no such directory"]),
        (&["a=none"], &["none: there is no such directory"]),
        (&["file"], &["file: is not a directory"]),
        (&["--set=file_size=4000t"], &["needs ", " free (", "has ", "file_size"]),
        (&["-o", "no/where/x.jsonl"], &["no/where/x.jsonl: cannot be opened", "-o FILE"]),
    ];
    for (arguments, said) in cases {
        ended(&work.small(arguments), 1, said);
    }
    assert_eq!(work.entries("."), ["file"]);
}

#[test]
fn a_run_file_that_is_something_else_is_left_alone() {
    let work = Work::new();
    fs::write(work.path("notes"), "my notes\n").expect("a file");
    ended(&work.small(&["-o", "notes"]), 1, &["notes: is not a run file", "nothing was written to it"]);
    assert_eq!(fs::read_to_string(work.path("notes")).expect("a file"), "my notes\n");
    ended(&work.barrow(["report", "notes"]), 1, &["notes:1: is not a run"]);
    ended(&work.barrow(["report"]), 1, &["barrow.jsonl: cannot be opened"]);
    fs::write(work.path("empty"), "").expect("a file");
    ended(&work.barrow(["report", "empty"]), 1, &["empty:1: the file holds no runs"]);
    ended(&work.barrow(["report", "."]), 1, &["is a directory"]);
}

#[test]
fn what_can_be_read_of_a_damaged_file_is_reported() {
    let work = Work::new();
    ended(&work.small(&["--no-report"]), 0, &[]);
    let good = fs::read_to_string(work.path("barrow.jsonl")).expect("the run file");
    let newer = good.lines().next().expect("a line").replacen("\"schema\":1", "\"schema\":9", 1);
    fs::write(work.path("barrow.jsonl"), format!("{good}{newer}\nnonsense\n{}", &good[..good.len() / 4])).expect("a file");
    let said =
        ["barrow.jsonl:3: was written by a newer barrow (schema 9", "barrow.jsonl:4: is not a run", "barrow.jsonl:5: the line is torn"];
    let stdout = ended(&work.barrow(["report"]), 1, &said);
    assert!(stdout.contains("Block write"), "{stdout}");
    ended(&work.small(&["--no-report"]), 0, &[]);
    let rows = csv_rows(&ended(&work.barrow(["report", "-f", "csv"]), 1, &[]));
    assert_eq!(rows.len(), 4 * 10, "a run after a torn line is kept");
}

#[test]
fn hostile_names_break_nothing() {
    let work = Work::new();
    let long = "x".repeat(200);
    let labels = ["a|b<\"c\",d'", "new\nline\ttab\u{1b}[31m", long.as_str(), "שלום עולם", "漢字仮名交じり文", "\u{202e}evil"];
    let targets: Vec<String> = labels.iter().map(|label| format!("{label}=.")).collect();
    let mut arguments = vec!["--runs=1"];
    arguments.extend(targets.iter().map(String::as_str));
    let one_run: Vec<&str> = SMALL.iter().copied().filter(|argument| *argument != "--runs=2").collect();
    let stdout = ended(&work.barrow(["run"].iter().chain(&one_run).chain(&arguments)), 0, &[]);
    assert!(!stdout.contains('\u{1b}') && !stdout.contains('\u{202e}'), "{stdout}");
    let rows = csv_rows(&ended(&work.barrow(["report", "-f", "csv"]), 0, &[]));
    assert_eq!(rows.len(), labels.len() * 10);
    assert!(rows.iter().any(|row| row[0] == labels[0]));
}

#[test]
fn paths_that_are_not_utf8_are_measured() {
    use std::os::unix::ffi::OsStrExt;
    let work = Work::new();
    let name = std::ffi::OsStr::from_bytes(b"caf\xe9");
    fs::create_dir(work.0.path().join(name)).expect("a directory");
    let mut arguments: Vec<&std::ffi::OsStr> = vec!["run".as_ref()];
    arguments.extend(SMALL.iter().map(|argument| -> &std::ffi::OsStr { argument.as_ref() }));
    arguments.push(name);
    ended(&work.barrow(arguments), 0, &[]);
}

#[test]
fn a_reader_that_closes_early_is_no_error() {
    let work = Work::new();
    ended(&work.small(&["--no-report"]), 0, &[]);
    for arguments in [&["report"][..], &["report", "-f", "csv"], &["--help"], &["run", "--list-profiles"]] {
        let mut child = work.command().args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("barrow runs");
        drop(child.stdout.take());
        let done = child.wait_with_output().expect("barrow ends");
        ended(&done, 0, &[]);
    }
}

#[test]
fn a_report_goes_to_a_file_whole_or_not_at_all() {
    let work = Work::new();
    ended(&work.small(&["--no-report"]), 0, &[]);
    let stdout = ended(&work.barrow(["report", "-o", "out.txt"]), 0, &[]);
    assert_eq!(stdout, "");
    assert!(fs::read_to_string(work.path("out.txt")).expect("the report").contains("Block write"));
    work.directory("dir");
    ended(&work.barrow(["report", "-o", "dir"]), 1, &["dir: is a directory"]);
    ended(&work.barrow(["report", "-o", "none/out.txt"]), 1, &["none/out.txt: cannot be written"]);
    assert_eq!(work.entries("."), ["barrow.jsonl", "dir", "out.txt"]);
}

#[test]
fn a_report_never_replaces_runs_and_follows_links() {
    use std::os::unix::fs::symlink;
    let work = Work::new();
    ended(&work.small(&["--no-report"]), 0, &[]);
    let runs = fs::read(work.path("barrow.jsonl")).expect("the run file");
    ended(&work.barrow(["report", "-o", "barrow.jsonl"]), 1, &["barrow.jsonl: holds runs"]);
    assert_eq!(fs::read(work.path("barrow.jsonl")).expect("the run file"), runs);
    fs::write(work.path("real.txt"), "old").expect("a file");
    symlink(work.path("real.txt"), work.path("link.txt")).expect("a link");
    ended(&work.barrow(["report", "-o", "link.txt"]), 0, &[]);
    assert!(work.path("link.txt").is_symlink());
    assert!(fs::read_to_string(work.path("real.txt")).expect("a file").contains("Block write"));
    let pipe = ended(&work.barrow(["report", "-o", "/dev/stdout"]), 0, &[]);
    assert!(pipe.contains("Block write"), "{pipe}");
}

/// A limit on the size of files lets the run file be made, and no line be written to it, nor to a second place.
#[test]
fn a_run_that_cannot_be_kept_anywhere_is_said() {
    let work = Work::new();
    let mut command = Command::new("/bin/sh");
    command.env_clear().env("TMPDIR", work.0.path()).current_dir(work.0.path());
    command.args(["-c", "ulimit -f 8; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_barrow"), "run"]);
    let done = command.args(SMALL).args(["--set=file_size=0", "--set=runs=1", "."]).output().expect("barrow runs");
    let stdout = ended(&done, 1, &["barrow.jsonl: cannot be written: file too large", "this is the run", "{\"schema\":1,"]);
    assert!(stdout.contains("Seq. create, files/s"), "{stdout}");
    assert_eq!(work.entries("."), Vec::<String>::new());
}

#[test]
fn alone_it_says_what_to_do_next() {
    let work = Work::new();
    ended(&work.barrow([""; 0]), 2, &["barrow run -p quick", "barrow --help"]);
}

#[test]
fn help_fits_80_columns() {
    let work = Work::new();
    for arguments in
        [&["--help"][..], &["run", "--help"], &["report", "--help"], &["clean", "--help"], &["lab", "--help"], &["run", "--list-profiles"]]
    {
        let stdout = ended(&work.barrow(arguments), 0, &[]);
        let widest = stdout.lines().map(|line| line.chars().count()).max().unwrap_or(0);
        assert!(widest <= 80, "{widest} columns:\n{stdout}");
        assert!(!stdout.contains('\u{1b}'));
    }
    assert!(ended(&work.barrow(["--version"]), 0, &[]).starts_with("barrow "));
}

#[test]
fn a_profile_of_ones_own_is_read_from_a_file() {
    let work = Work::new();
    fs::write(work.path("mine.toml"), "purpose = \"mine\"\nfile_size = \"256k\"\nchunk_size = \"64k\"\nseeks = 8\nruns = 1\n")
        .expect("a file");
    let stdout = ended(&work.barrow(["run", "-p", "mine.toml", "-q"]), 0, &[]);
    assert!(stdout.contains("mine") && stdout.contains("Block write"), "{stdout}");
    fs::write(work.path("bad.toml"), "flies = 3\n").expect("a file");
    ended(&work.barrow(["run", "-p", "bad.toml"]), 2, &["bad", "did you mean `files`"]);
    ended(&work.barrow(["run", "-p", "none.toml"]), 1, &["none.toml", "no such file"]);
}

#[test]
fn clean_finds_nothing_where_nothing_is() {
    let work = Work::new();
    let directory = work.directory("a");
    fs::write(directory.join("notes"), "x").expect("a file");
    let stdout = ended(&work.barrow(["clean", "a"]), 0, &[]);
    assert_eq!(stdout, "a: nothing of barrow's\n");
    assert_eq!(work.entries("a"), ["notes"]);
    ended(&work.barrow(["clean", "none"]), 1, &["none: cannot be looked through"]);
}

#[test]
fn clean_leaves_what_only_looks_like_barrows() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let work = Work::new();
    work.directory("a");
    work.directory("elsewhere");
    fs::write(work.path("elsewhere/marker"), "x").expect("a file");
    symlink(work.path("elsewhere"), work.path("a/.barrow-00000000")).expect("a link");
    for (name, mode) in [(".barrow-00000001", 0o755), (".barrow-00000002", 0o700), (".barrow-00000003", 0o700)] {
        let path = work.directory(&format!("a/{name}"));
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("a mode");
    }
    fs::write(work.path("a/.barrow-00000002/notes"), "mine").expect("a file");
    let marker = "barrow 0.1.0 batch 0000000000000001 nonce 0000000300000002\n";
    fs::write(work.path("a/.barrow-00000003/marker"), marker).expect("a file");
    fs::write(work.path("a/.barrow-00000003/notes"), "mine").expect("a file");
    // A diary that happens to be called marker, and files that look like barrow's beside it.
    let diary = work.directory("a/.barrow-00000004");
    fs::set_permissions(&diary, fs::Permissions::from_mode(0o700)).expect("a mode");
    fs::write(diary.join("marker"), "my diary").expect("a file");
    fs::write(diary.join("block.7"), "precious").expect("a file");
    let said = [
        "00004: its marker is not barrow's",
        ".barrow-00000000",
        ".barrow-00000001: its mode is not 0700",
        ".barrow-00000002: has no marker",
        "notes: not made by barrow",
    ];
    ended(&work.barrow(["clean", "a"]), 1, &said);
    assert_eq!(work.entries("a").len(), 5);
    assert_eq!(fs::read_to_string(diary.join("block.7")).expect("a file"), "precious");
    assert_eq!(work.entries("elsewhere"), ["marker"]);
    assert!(Path::new(&work.path("a/.barrow-00000003/notes")).exists());
}

#[test]
fn clean_removes_what_a_dead_run_left() {
    use std::os::unix::fs::PermissionsExt;
    let work = Work::new();
    work.directory("a");
    let scratch = work.directory("a/.barrow-0123abcd");
    fs::set_permissions(&scratch, fs::Permissions::from_mode(0o700)).expect("a mode");
    fs::create_dir(scratch.join("random.0.0")).expect("a directory");
    fs::write(scratch.join("marker"), "barrow 0.1.0 batch 0000000000000001 nonce 0123abcd00000002\n").expect("a file");
    for file in ["block.0", "random.0.0/Abc0000000001", "random.0.0/0000000002"] {
        fs::write(scratch.join(file), "x").expect("a file");
    }
    let stdout = ended(&work.barrow(["clean", "a"]), 0, &[]);
    assert_eq!(stdout, "removed a/.barrow-0123abcd\n");
    assert_eq!(work.entries("a"), Vec::<String>::new());
}
