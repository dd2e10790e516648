//! `barrow lab` before anything is made: what it takes, what it refuses and where, and what it says that it would do.

use crate::cli::{Work, ended};
use std::fs;

/// Writes a plan and asks what would be done.
fn printed(work: &Work, plan: &str, more: &[&str]) -> std::process::Output {
    fs::write(work.path("plan.toml"), plan).expect("a file");
    work.barrow(["lab", "plan.toml", "--print-plan"].iter().chain(more))
}

const PLAN: &str = r#"
profile = "quick"
runs = 4
size = "2g"
set = { file_size = "512m" }

[[variant]]
fs = ["ext4", "xfs"]
mount = ["defaults", "noatime"]
tags = { host = "here" }

[[variant]]
label = "odd names ' in it"
fs = "btrfs"
mount = "compress=zstd:3"
mkfs = "mkfs.btrfs -q -f -K -L 'a b' -m raid1 -d raid1 {devices}"
devices = ["/dev/no-such-x", "/dev/no-such-y"]
check = false

[[variant]]
fs = "strangefs"
mkfs = "mkfs.strangefs --with-an-option-that-is-long --and-another-one-that-is-long {device}"
size = "1g"
"#;

const PAGE: &str = "\
barrow lab: 6 filesystems × 4 runs of quick/1+file_size=512m

ext4 defaults
  on      image of 2 GiB in ., shared with 3 others
  mkfs    mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0,nodiscard
          {device}
  mount   -t ext4 -o defaults
  check   e2fsck -f -n {device}
  tags    host=here
";

#[test]
fn what_would_be_done_is_shown_in_80_columns() {
    let work = Work::new();
    let stdout = ended(&printed(&work, PLAN, &[]), 0, &["strangefs: mkfs.strangefs is missing", "; it is left out"]);
    assert_eq!(&stdout[..PAGE.len().min(stdout.len())], PAGE, "{stdout}");
    for line in [
        "xfs noatime",
        "odd names ' in it",
        "  on      /dev/no-such-x and /dev/no-such-y, whose content is lost: --destroy",
        "  mkfs    mkfs.btrfs -q -f -K -L 'a b' -m raid1 -d raid1 {devices}",
        "  mount   -t btrfs -o nodiscard,compress=zstd:3",
        "  check   none",
        "  on      image of 1 GiB in .",
        "Space: 3.03 GiB in . for 2 images, written in full.",
        "How long it takes is not known before the first run has shown it.",
    ] {
        assert!(stdout.lines().any(|found| found == line), "{line}\n{stdout}");
    }
    assert!(stdout.contains("4 rounds, each with one run of each in shuffled order"), "{stdout}");
    assert!(stdout.lines().all(|line| line.chars().count() <= 80), "{stdout}");
}

#[test]
fn options_and_plans_say_the_same() {
    let work = Work::new();
    let by_options = ["lab", "--fs", "ext2,ext4", "--mount", "defaults", "--mount", "noatime", "--size=1g", "-p", "quick", "--print-plan"];
    let by_options = ended(&work.barrow(by_options), 0, &[]);
    let plan = "[[variant]]\nfs = [\"ext2\", \"ext4\"]\nmount = [\"defaults\", \"noatime\"]\n";
    let by_plan = ended(&printed(&work, plan, &["--size=1g", "-p", "quick"]), 0, &[]);
    assert_eq!(by_options, by_plan);
    assert!(by_options.contains("barrow lab: 4 filesystems × 3 runs of quick/1\n"), "{by_options}");
    // What the command line says goes before the plan.
    let over = ["-p", "std", "-n", "2", "--size", "1g", "--images=own", "--fill", "--no-check", "--set", "files=8"];
    let stdout = ended(&printed(&work, PLAN, &over), 0, &[]);
    assert!(stdout.starts_with("barrow lab: 6 filesystems × 2 runs of std/1+file_size=512m+files=8\n"), "{stdout}");
    assert!(stdout.contains("image of 1 GiB in .\n") && !stdout.contains("shared") && !stdout.contains("e2fsck"), "{stdout}");
    assert!(stdout.contains("each is filled once its files are gone") && stdout.contains("5.05 GiB in . for 5 images"), "{stdout}");
}

#[test]
fn wrong_use_is_refused_by_name() {
    let work = Work::new();
    fs::write(work.path("plan.toml"), PLAN).expect("a file");
    let cases: [(&[&str], &[&str]); 14] = [
        (&[], &["name filesystems, as in --fs ext4,xfs,btrfs, or a plan file"]),
        (&["plan.toml", "--fs", "ext4"], &["cannot be used with"]),
        (&["--fs", "ext4,etx3"], &["there is no filesystem `etx3`; did you mean `ext3`"]),
        (&["--fs", "ext4,ext4"], &["two variants have the name `ext4`"]),
        (&["--fs", "ext4,"], &["--fs : a filesystem is one word"]),
        (&["--fs", "ext4", "--mount", "bind"], &["--mount bind: the mount option bind would"]),
        (&["--mount", "noatime"], &["--fs"]),
        (&["--fs", "ext4", "--size", "0"], &["an image of no size"]),
        (&["--fs", "xfs", "--size", "100m"], &["xfs needs 300m at least, but its image has 100m"]),
        (&["--fs", "ext4", "--destroy", "/dev/x"], &["--destroy /dev/x: no variant stands on a device"]),
        (&["--fs", "ext4", "--wipe"], &["--wipe: no variant stands on a device"]),
        (&["--fs", "ext4", "--images", "none"], &["shared", "own"]),
        (&["--fs", "ext4", "-p", "qiuck"], &["did you mean `quick`"]),
        (&["--fs", "ext4", "-o", "-"], &["needs a name"]),
    ];
    for (arguments, said) in cases {
        ended(&work.barrow(["lab"].iter().chain(arguments)), 2, said);
    }
    ended(&work.barrow(["lab", "none.toml"]), 1, &["plan none.toml: no such file"]);
    ended(&work.barrow(["lab", "."]), 1, &["plan .: is not a file"]);
    fs::write(work.path("latin.toml"), b"dir = \"caf\xe9\"").expect("a file");
    ended(&work.barrow(["lab", "latin.toml"]), 1, &["plan latin.toml: is not text in UTF-8"]);
}

/// Every fault of a plan has a line of its own in the tests beside its reader; here is what a user sees of some.
#[test]
fn a_bad_plan_is_refused_with_its_line() {
    let work = Work::new();
    let one = "[[variant]]\nfs = \"ext4\"\n";
    for (plan, said) in [
        (format!("sise = \"8g\"\n{one}"), "plan.toml, line 1, column 1: a plan has no key `sise`; did you mean `size`?"),
        (format!("{one}mount = 3\n"), "plan.toml, line 3, column 9: mount is of the kind integer: expected a text in quotes, or a list"),
        (format!("{one}\n{one}"), "plan.toml, line 4, column 1: two variants have the name `ext4` (the first stands at plan.toml, line 1"),
        (format!("{one}mount = []\n"), "plan.toml, line 3, column 9: mount: the list is empty"),
        (format!("{one}devices = [\"/dev/x\", \"/dev/x\"]\n"), "plan.toml, line 3, column 22: /dev/x: the device is named twice"),
        (format!("{one}mkfs = \"mkfs.ext4\"\n"), "plan.toml, line 3, column 8: mkfs = \"mkfs.ext4\": the command must have {device}"),
        (format!("{one}size = 0\n"), "plan.toml, line 3, column 8: size = 0: an image of no size"),
        (format!("profile = \"qiuck\"\n{one}"), "plan.toml, line 1, column 11: there is no profile `qiuck`; did you mean `quick`"),
        (format!("set = {{ flies = 3 }}\n{one}"), "plan.toml, line 1, column 17: there is no key `flies`; did you mean `files`"),
        ("[[variant]\n".to_owned(), "plan.toml, line 1, column "),
        (format!("#{}\n{one}", "x".repeat(70_000)), "plan.toml, line 1, column 1: the plan is over 64 KiB long"),
    ] {
        ended(&printed(&work, &plan, &[]), 2, &[said]);
    }
}

#[test]
fn hostile_names_are_shown_and_move_nothing() {
    let work = Work::new();
    let long = "x".repeat(300);
    let plan = format!(
        "dir = \"a\\nb\"\n[[variant]]\nfs = \"ext4\"\nlabel = \"\\u001b[31m\\u202e{long} 漢字\"\ntags = {{ \"k\\n\" = \"v\\u0007\" }}\n\
         [[variant]]\nfs = \"xfs\"\ndevice = \"/dev/\\u001b[2J\"\n"
    );
    let stdout = ended(&printed(&work, &plan, &[]), 0, &[]);
    assert!(!stdout.contains(['\u{1b}', '\u{202e}', '\u{7}']), "{stdout:?}");
    assert!(stdout.lines().all(|line| unicode_width::UnicodeWidthStr::width(line) <= 80), "{stdout}");
    assert!(stdout.contains("a?b") && stdout.contains("漢字") && stdout.contains("  tags    k=v?\n"), "{stdout}");
}

#[test]
fn a_dry_run_names_everything_that_is_in_the_way() {
    let work = Work::new();
    let arguments = ["lab", "--fs", "ext4,btrfs", "--size", "4000t", "--set", "file_size=5000t", "--dry-run"];
    let said = words(&work.barrow(arguments));
    if !is_root() {
        assert!(said.contains("only root can make, mount and unmount filesystems"), "{said}");
    }
    // Where the programs are there, the space is not.
    assert!(said.contains("images need 3.95 PiB, but ") || said.contains(" is missing: install "), "{said}");
    let missing = words(&work.barrow(["lab", "--fs", "ext4", "--dir", "none", "--dry-run"]));
    assert!(
        missing.contains("none: the directory for images cannot be used: no such file or directory")
            || missing.contains(" is missing: install "),
        "{missing}"
    );
    assert_eq!(fs::read_dir(work.path(".")).expect("a directory").count(), 0);
}

/// What was said on stderr of something that failed.
fn words(output: &std::process::Output) -> String {
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn is_root() -> bool {
    nix::unistd::geteuid().is_root()
}
