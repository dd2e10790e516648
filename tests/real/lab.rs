//! `barrow lab` from the command line to its report, on loop devices: what comes out, and that nothing is left on any way out.

use super::device::{DeviceLock, MemoryFilesystem, system};
use super::driver::{Desk, Finished, Running, User, cache_label, listing, phase, phases_with, scratches, wait_until};
use super::need::{Need, is_missing};
use barrow::model::label::CacheLabel;
use barrow::model::making::Storage;
use barrow::model::phase::Phase;
use barrow::model::record::{RunRecord, Status};
use nix::sys::signal::Signal;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// Longer than the time in which a signal that came twice counts as one.
const NO_ECHO: Duration = Duration::from_millis(260);
/// Work that is done in a second on any of them.
const SETTINGS: [&str; 5] = ["file_size=24m", "files=200", "seeks=50", "seek_seconds=0", "chunk_size=1m"];

fn is_without(more: &[Need]) -> bool {
    is_missing(&[&[Need::Root, Need::Loop, Need::Filesystem("ext4"), Need::Program("mkfs.ext4")], more].concat())
}

/// `barrow lab -p quick` with the small work, its images in a directory.
fn lab(desk: &Desk, directory: &Path, rest: &[&str]) -> Command {
    let mut command = desk.barrow(User::Tester, ["lab", "-p", "quick", "-o"]);
    command.arg(desk.run_file()).arg("--dir").arg(directory);
    for setting in SETTINGS {
        command.args(["--set", setting]);
    }
    command.args(rest);
    command
}

/// The loop devices of this machine that stand on a file below a directory.
fn loops_below(directory: &Path) -> Vec<String> {
    let listed = system("losetup", &["--list", "--noheadings", "--output", "NAME,BACK-FILE"]);
    listed.lines().filter(|line| line.contains(&*directory.to_string_lossy())).map(str::to_owned).collect()
}

/// A directory for images, and how it was before.
struct Ground {
    directory: tempfile::TempDir,
    before: std::collections::BTreeMap<std::path::PathBuf, String>,
    _lock: DeviceLock,
}

impl Ground {
    fn new() -> Self {
        let lock = DeviceLock::take();
        let directory = tempfile::Builder::new().prefix("barrow-lab-test-").tempdir().unwrap();
        fs::write(directory.path().join("somebody's file"), "kept").unwrap();
        let before = listing(directory.path());
        Self { directory, before, _lock: lock }
    }

    fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Nothing is left of a lab: no mount, no loop device, no file. The kernel detaches devices a moment after their process has ended.
    fn assert_nothing_left(&self, when: &str) {
        wait_until("the loop devices are gone", || loops_below(self.path()).is_empty());
        assert_eq!(listing(self.path()), self.before, "{when}");
        let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap();
        assert!(!mounts.contains(&*self.path().to_string_lossy()), "{when}: {mounts}");
    }
}

fn filesystems_here() -> String {
    let all = [("ext2", "mkfs.ext2"), ("ext3", "mkfs.ext3"), ("ext4", "mkfs.ext4"), ("xfs", "mkfs.xfs"), ("btrfs", "mkfs.btrfs")];
    let here = all.iter().filter(|(kind, mkfs)| !is_missing(&[Need::Filesystem(kind), Need::Program(mkfs)]));
    here.map(|(kind, _)| *kind).collect::<Vec<_>>().join(",")
}

/// The run has its numbers, read after a mount, and tells how its filesystem was made.
fn check_run(run: &RunRecord) {
    let kind = run.filesystem.kind.as_str();
    assert!(run.complete, "{kind}: {:?}", phases_with(run, Status::Failed));
    for record in run.phases.iter().filter(|record| record.name.starts_cold()) {
        assert!(record.preparation.remounted, "{kind}: {}", record.name.name());
    }
    assert_eq!(cache_label(phase(run, Phase::BlockRead)), Some(CacheLabel::Cold), "{kind}: {:?}", phase(run, Phase::BlockRead));
    let making = run.making.as_ref().unwrap();
    assert_eq!((making.storage, making.storage_bytes), (Storage::Image, 320 << 20));
    assert!(making.mkfs.contains("{device}") || making.mkfs.contains("{devices}"), "{}", making.mkfs);
    for time in [making.mkfs_ns, making.mount_ns, making.unmount_ns, making.check_ns] {
        assert!(time.is_some_and(|time| time > 0), "{kind}: {making:?}");
    }
    assert_eq!(making.check_words, None, "{kind}");
    assert!(making.written.is_some_and(|layout| layout.bytes >= 24 << 20), "{kind}: {making:?}");
    assert!(!making.features.is_empty(), "{kind}");
    let text = serde_json::to_string(run).unwrap();
    assert!(!text.contains("barrow-lab-test-") && !text.contains(".barrow-lab-"), "a path above the mount point is recorded: {text}");
}

#[test]
#[ignore = "needs root, loop devices"]
fn filesystems_are_made_measured_compared_and_taken_away() {
    if is_without(&[]) {
        return;
    }
    let (desk, ground) = (Desk::new(), Ground::new());
    let kinds = filesystems_here();
    let finished = Finished::of(&mut lab(&desk, ground.path(), &["--fs", &kinds, "--size", "320m", "-n", "2", "--tag", "disk=test"]));
    let finished = finished.expect_code(0);
    ground.assert_nothing_left("after a whole batch");
    let runs = desk.runs();
    let names: Vec<&str> = kinds.split(',').collect();
    assert_eq!(runs.len(), 2 * names.len());
    for round in [1, 2] {
        let mut labels: Vec<&str> = runs.iter().filter(|run| run.round == round).map(|run| run.label.as_str()).collect();
        labels.sort_unstable();
        let mut expected = names.clone();
        expected.sort_unstable();
        assert_eq!(labels, expected, "each round has each once");
    }
    runs.iter().for_each(check_run);
    let devices: std::collections::BTreeSet<_> = runs.iter().map(|run| run.device.name.clone()).collect();
    assert_eq!(devices.len(), 1, "all stand on the same image: {devices:?}");
    assert!(names.iter().all(|name| finished.stdout.contains(name)), "{}", finished.stdout);
    for (format, sign) in [("svg", "<svg"), ("html", "<!DOCTYPE html>"), ("markdown", "|")] {
        let report = Finished::of(desk.barrow(User::Tester, ["report", "-f", format]).arg(desk.run_file())).expect_code(0);
        assert!(report.stdout.contains(sign), "{format}: {}", report.stdout);
    }
}

#[test]
#[ignore = "needs root, loop devices"]
fn two_mount_options_differ_in_nothing_else() {
    if is_without(&[]) {
        return;
    }
    let (desk, ground) = (Desk::new(), Ground::new());
    let arguments = ["--fs", "ext4", "--mount", "defaults", "--mount", "noatime", "--size", "128m", "-n", "1", "--no-report"];
    Finished::of(&mut lab(&desk, ground.path(), &arguments)).expect_code(0);
    ground.assert_nothing_left("after a whole batch");
    let report =
        Finished::of(desk.barrow(User::Tester, ["report", "--baseline", "ext4 defaults"]).arg(desk.run_file())).expect_code(0).stdout;
    let differs = report.split("What differs\n").nth(1).and_then(|rest| rest.split("\n\n").next()).unwrap_or_else(|| panic!("{report}"));
    let lines: Vec<&str> = differs.lines().collect();
    assert_eq!(lines.len(), 2, "{differs}");
    assert!(lines[0].contains("mount options") && lines[0].contains("relatime") && lines[1].contains("noatime"), "{differs}");
}

/// What barrow says when it is at some moment of a batch of two runs.
const MOMENTS: [&[&str]; 6] = [
    &["writing the image"],
    &["1/2", "block_write"],
    &["1/2", "random_seek"],
    &["1/2", "random_delete"],
    &["2/2", "block_read"],
    &["2/2", "random_delete"],
];

#[test]
#[ignore = "needs root, loop devices"]
fn a_signal_leaves_nothing_and_keeps_what_is_finished() {
    if is_without(&[]) {
        return;
    }
    let ground = Ground::new();
    for (signal, moments) in [(Signal::SIGINT, &MOMENTS[..]), (Signal::SIGTERM, &MOMENTS[..2])] {
        for moment in moments {
            let desk = Desk::new();
            let mut running = Running::start(&mut lab(&desk, ground.path(), &["--fs", "ext4", "--size", "96m", "-n", "2"]));
            running.wait_for_line(moment);
            running.signal(signal);
            let finished = running.finish().expect_signal(signal);
            ground.assert_nothing_left(&format!("{signal} at {moment:?}\n{}", finished.stderr));
            let had_begun = moment[0].ends_with("/2");
            assert_eq!(!desk.runs().is_empty(), had_begun, "{signal} at {moment:?}\n{}", finished.stderr);
        }
    }
}

#[test]
#[ignore = "needs root, loop devices"]
fn what_kill_9_leaves_is_cleaned_and_all_goes_well_again() {
    if is_without(&[]) {
        return;
    }
    let ground = Ground::new();
    let clean = |desk: &Desk| Finished::of(desk.barrow(User::Tester, ["clean"]).arg(ground.path())).expect_code(0).stdout;
    for moment in MOMENTS {
        let desk = Desk::new();
        let mut running = Running::start(&mut lab(&desk, ground.path(), &["--fs", "ext4", "--size", "96m", "-n", "2"]));
        running.wait_for_line(moment);
        assert!(clean(&desk).contains("a running barrow uses it"), "{moment:?}");
        running.signal(Signal::SIGKILL);
        running.finish().expect_signal(Signal::SIGKILL);
        assert_eq!(scratches(ground.path()).len(), 1, "{moment:?}");
        // What was mounted, and the device below, go with the process.
        wait_until("the loop devices are gone", || loops_below(ground.path()).is_empty());
        assert!(clean(&desk).contains("removed "), "{moment:?}");
        ground.assert_nothing_left(&format!("after clean, killed at {moment:?}"));
        assert!(clean(&desk).contains("nothing of barrow's"), "{moment:?}");
    }
    let desk = Desk::new();
    Finished::of(&mut lab(&desk, ground.path(), &["--fs", "ext4", "--size", "96m", "-n", "1"])).expect_code(0);
    assert_eq!(desk.runs().len(), 1);
}

#[test]
#[ignore = "needs root, loop devices"]
fn a_second_signal_names_what_is_left() {
    if is_without(&[]) {
        return;
    }
    let ground = Ground::new();
    for moment in &MOMENTS[..3] {
        let desk = Desk::new();
        let mut running = Running::start(&mut lab(&desk, ground.path(), &["--fs", "ext4", "--size", "96m", "-n", "2"]));
        running.wait_for_line(moment);
        running.signal(Signal::SIGINT);
        running.wait_for_line(&["SIGINT", "stopping"]);
        // It must not come to its end before the second one, which counts only some time after the first.
        running.pause();
        std::thread::sleep(NO_ECHO);
        running.signal(Signal::SIGINT);
        running.resume();
        let finished = running.finish().expect_signal(Signal::SIGINT);
        for place in scratches(ground.path()) {
            assert!(finished.stderr.contains(&*place.to_string_lossy()), "{moment:?}: {}", finished.stderr);
        }
        wait_until("the loop devices are gone", || loops_below(ground.path()).is_empty());
        Finished::of(desk.barrow(User::Tester, ["clean"]).arg(ground.path())).expect_code(0);
        ground.assert_nothing_left("after clean");
    }
}

#[test]
#[ignore = "needs root, loop devices"]
fn what_others_do_in_the_middle_leaves_nothing() {
    if is_without(&[Need::Program("nsenter")]) {
        return;
    }
    let (desk, ground) = (Desk::new(), Ground::new());
    let mut running = Running::start(&mut lab(&desk, ground.path(), &["--fs", "ext4", "--size", "96m", "-n", "2"]));
    running.wait_for_line(&["1/2", "block_write"]);
    let pid = running.pid().to_string();
    // Somebody looks in, and shows himself a part of it in another place.
    let place = tempfile::tempdir().unwrap();
    let shown = place.path().to_string_lossy().into_owned();
    // Between two phases nothing is mounted there for a moment.
    let script =
        format!("until mount --bind \"$(findmnt -rno TARGET | grep -m 1 barrow-lab-)\" '{shown}' && mountpoint -q '{shown}'; do :; done");
    let looked = Command::new("nsenter").args(["-t", &pid, "-m", "timeout", "60", "sh", "-c", &script]).output().unwrap();
    assert!(looked.status.success(), "{}", String::from_utf8_lossy(&looked.stderr));
    let finished = running.finish();
    ground.assert_nothing_left(&finished.stderr);
    assert!(!desk.runs().is_empty(), "{}", finished.stderr);
}

#[test]
#[ignore = "needs root, loop devices"]
fn what_cannot_be_done_is_said_with_its_words_and_leaves_nothing() {
    if is_without(&[Need::Filesystem("xfs"), Need::Program("mkfs.xfs")]) {
        return;
    }
    let ground = Ground::new();
    let cases: [(&[&str], &[&str]); 5] = [
        (&["--fs", "ext4", "--size", "900t"], &["images need", "are free", "--size", "--dir"]),
        (&["--fs", "xfs", "--size", "100m"], &["xfs needs 300m", "larger"]),
        (&["--fs", "ext4", "--mount", "no_such_option", "--size", "96m"], &["mount", "no_such_option"]),
        (&["--fs", "ext4", "--size", "32m"], &["ext4", "needs", "free"]),
        (&["--fs", "ext5"], &["ext5"]),
    ];
    for (arguments, words) in cases {
        let desk = Desk::new();
        let finished = Finished::of(&mut lab(&desk, ground.path(), arguments)).expect_said(words);
        assert!(matches!(finished.status.code(), Some(1 | 2)), "{arguments:?}: {}", finished.status);
        ground.assert_nothing_left(&format!("{arguments:?}"));
        assert!(!desk.run_file().exists(), "{arguments:?}: a run file was left");
    }
    let desk = Desk::new();
    let finished = Finished::of(desk.barrow(User::Nobody, ["lab", "--fs", "ext4"]).arg("--dir").arg("/tmp")).expect_code(1);
    finished.expect_said(&["only root", "sudo"]);
}

#[test]
#[ignore = "needs root, loop devices"]
fn a_full_filesystem_below_the_run_file_loses_no_run() {
    if is_without(&[Need::Filesystem("tmpfs")]) {
        return;
    }
    let (desk, ground) = (Desk::new(), Ground::new());
    let small = MemoryFilesystem::of("size=64k");
    let mut command = desk.barrow(User::Tester, ["lab", "-p", "quick", "-n", "2", "--fs", "ext4", "--size", "96m", "--no-report"]);
    for setting in SETTINGS {
        command.args(["--set", setting]);
    }
    command.arg("--dir").arg(ground.path()).arg("-o").arg(small.path().join("runs.jsonl")).env("TMPDIR", desk.path(""));
    let mut running = Running::start(&mut command);
    running.wait_for_line(&["1/2", "block_write"]);
    // Nothing more fits.
    let _ = fs::write(small.path().join("ballast"), vec![1; 1 << 20]);
    let finished = running.finish().expect_code(1);
    ground.assert_nothing_left(&finished.stderr);
    assert!(finished.stderr.contains("cat "), "{}", finished.stderr);
}

/// A loop device on a file of random bytes below a directory. Detached when dropped.
struct Disk(String);

impl Disk {
    fn of(directory: &Path, name: &str) -> Self {
        let image = directory.join(name).to_string_lossy().into_owned();
        system("dd", &["if=/dev/urandom", &format!("of={image}"), "bs=1M", "count=128", "status=none"]);
        Self(system("losetup", &["--find", "--show", &image]))
    }

    /// What wipefs(8) sees on it.
    fn content(&self) -> String {
        system("wipefs", &["--no-act", "--noheadings", "--output", "TYPE,UUID,LABEL", &self.0])
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        system("losetup", &["--detach", &self.0]);
    }
}

fn plan_on(desk: &Desk, text: &str) -> std::path::PathBuf {
    let path = desk.path("plan.toml");
    fs::write(&path, text).unwrap();
    path
}

#[test]
#[ignore = "needs root, loop devices"]
fn a_device_that_a_link_leads_to_later_is_left_alone() {
    if is_without(&[]) {
        return;
    }
    let (desk, ground) = (Desk::new(), Ground::new());
    let disks = tempfile::tempdir().unwrap();
    let (meant, other) = (Disk::of(disks.path(), "meant"), Disk::of(disks.path(), "other"));
    system("mkfs.ext4", &["-q", "-L", "PRECIOUS", &other.0]);
    let before = other.content();
    let (link, next) = (desk.path("disk"), desk.path("next"));
    let lead_to = |disk: &Disk| {
        std::os::unix::fs::symlink(&disk.0, &next).unwrap();
        fs::rename(&next, &link).unwrap();
    };
    lead_to(&meant);
    let plan = plan_on(&desk, &format!("[[variant]]\nfs = \"ext4\"\ndevice = \"{}\"\n", link.display()));
    let mut command = lab(&desk, ground.path(), &["-n", "3", "--wipe", "--no-report"]);
    command.arg(&plan).arg("--destroy").arg(&link);
    let mut running = Running::start(&mut command);
    running.wait_for_line(&["1/3", "block_write"]);
    lead_to(&other);
    running.finish().expect_code(0);
    assert_eq!(desk.runs().len(), 3);
    assert_eq!(other.content(), before);
    assert!(before.contains("PRECIOUS") && meant.content().contains("ext4"), "{before} / {}", meant.content());
    ground.assert_nothing_left("a device");
}

#[test]
#[ignore = "needs root, loop devices"]
fn nothing_is_wiped_where_something_else_is_in_the_way() {
    if is_without(&[Need::Filesystem("tmpfs")]) {
        return;
    }
    let (desk, ground) = (Desk::new(), Ground::new());
    let disks = tempfile::tempdir().unwrap();
    let disk = Disk::of(disks.path(), "disk");
    system("mkfs.ext4", &["-q", "-L", "KEEP", &disk.0]);
    let before = disk.content();
    let small = MemoryFilesystem::of("size=20m");
    let (device, images) = (&disk.0, small.path().display());
    let too_little_space = format!(
        "set = {{ file_size = \"8m\", files = 10 }}\n[[variant]]\nfs = \"ext4\"\ndevice = \"{device}\"\n[[variant]]\nfs = \"ext2\"\nsize = \"96m\"\ndir = \"{images}\"\n"
    );
    let too_small = format!("set = {{ file_size = \"4g\" }}\n[[variant]]\nfs = \"ext4\"\ndevice = \"{device}\"\n");
    for (text, words) in [(too_little_space, "images need"), (too_small, "needs 4.2 GiB free")] {
        let plan = plan_on(&desk, &text);
        let mut command = desk.barrow(User::Tester, ["lab", "-p", "quick", "--destroy", device, "--wipe", "-o"]);
        Finished::of(command.arg(desk.run_file()).arg(&plan)).expect_code(1).expect_said(&[words]);
        assert_eq!(disk.content(), before, "{words}");
    }
    ground.assert_nothing_left("refusals");
}

#[test]
#[ignore = "needs root, loop devices"]
fn what_is_measured_below_an_unmounted_filesystem_does_not_count() {
    if is_without(&[Need::Program("nsenter")]) {
        return;
    }
    let (desk, ground) = (Desk::new(), Ground::new());
    let mut running =
        Running::start(&mut lab(&desk, ground.path(), &["--fs", "ext4", "--size", "96m", "-n", "1", "--fill", "--no-report"]));
    running.wait_for_line(&["1/1", "random_stat"]);
    let place = scratches(ground.path()).remove(0).join("mounted.0");
    let pid = running.pid().to_string();
    // Between two phases nothing is mounted there for a moment.
    let script = format!("until umount -l '{}'; do :; done", place.display());
    Command::new("nsenter").args(["-t", &pid, "-m", "timeout", "60", "sh", "-c", &script]).output().unwrap();
    running.finish().expect_code(1);
    let runs = desk.runs();
    let making = runs[0].making.as_ref().unwrap();
    assert!(!runs[0].complete && making.fill_bytes.is_none(), "{making:?}");
    assert!(phases_with(&runs[0], Status::Ok).is_empty(), "{:?}", phases_with(&runs[0], Status::Ok));
    Finished::of(desk.barrow(User::Tester, ["clean"]).arg(ground.path()));
    ground.assert_nothing_left("an unmounted filesystem");
}

#[test]
#[ignore = "needs root, loop devices, ntfs-3g"]
fn a_killed_lab_of_a_served_filesystem_is_cleaned_at_once() {
    if is_without(&[Need::Program("mkfs.ntfs")]) {
        return;
    }
    let (desk, ground) = (Desk::new(), Ground::new());
    let mut running = Running::start(&mut lab(&desk, ground.path(), &["--fs", "ntfs", "--size", "96m", "-n", "1"]));
    running.wait_for_line(&["1/1", "block_write"]);
    running.signal(Signal::SIGKILL);
    running.finish().expect_signal(Signal::SIGKILL);
    // What serves it lives on in the view of the killed one.
    Finished::of(desk.barrow(User::Tester, ["clean"]).arg(ground.path())).expect_code(0);
    ground.assert_nothing_left("a served filesystem");
}
