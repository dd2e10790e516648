//! The README is still true: the report in it is the one in the gallery, its files exist, and its commands are understood.

use std::fs;
use std::path::Path;
use std::process::Command;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn readme() -> String {
    fs::read_to_string(root().join("README.md")).expect("the README")
}

#[test]
fn the_report_in_it_is_the_one_in_the_gallery() {
    let report = fs::read_to_string(root().join("reports/three-filesystems.txt")).expect("the gallery");
    assert!(readme().contains(&format!("```text\n{report}```")), "copy reports/three-filesystems.txt into README.md");
}

#[test]
fn what_it_links_to_exists() {
    let readme = readme();
    let links: Vec<&str> = readme.split("](").skip(1).filter_map(|rest| rest.split(')').next()).collect();
    assert!(links.len() >= 3, "{links:?}");
    for link in links {
        assert!(root().join(link).exists(), "{link}");
    }
}

/// The options of every `barrow …` line in it, tried with `--help` behind: clap reads the whole line before it helps.
#[test]
fn its_commands_are_understood() {
    let readme = readme();
    let blocks = readme.split("```sh\n").skip(1).filter_map(|rest| rest.split("```").next());
    let lines: Vec<&str> = blocks.flat_map(str::lines).map(|line| line.trim_start_matches("sudo ")).collect();
    let commands: Vec<&str> = lines.into_iter().filter_map(|line| line.strip_prefix("barrow ")).collect();
    assert!(commands.len() >= 10, "{commands:?}");
    // Some write what they print to a file.
    let directory = tempfile::tempdir().expect("a directory");
    for command in commands {
        let words = format!("\"$0\" {} --help", command.split('#').next().unwrap_or_default());
        let done = Command::new("/bin/sh")
            .args(["-c", &words, env!("CARGO_BIN_EXE_barrow")])
            .current_dir(&directory)
            .output()
            .expect("barrow runs");
        assert!(done.status.success(), "barrow {command}: {}", String::from_utf8_lossy(&done.stderr));
    }
}

#[test]
fn its_plans_are_read() {
    let readme = readme();
    let plans: Vec<&str> = readme.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(!plans.is_empty());
    for plan in plans {
        let read = barrow::lab::plan_file::read("README.md", plan, 0).unwrap_or_else(|error| panic!("{error}"));
        barrow::lab::resolve::resolve(&read, &barrow::lab::system::System::default()).unwrap_or_else(|error| panic!("{error}"));
    }
}
