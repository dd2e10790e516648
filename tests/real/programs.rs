//! Programs of the user's as phases: what they take, how they end, and that neither a process nor a file of theirs is left.

use super::device::{LoopFilesystem, MemoryFilesystem};
use super::driver::{Desk, Finished, Running, User, listing, phase, quick_target, scratches, wait_until};
use super::need::{Need, is_missing};
use barrow::model::aftermath::ProgramEnd;
use barrow::model::label::{CacheLabel, Durability};
use barrow::model::phase::Phase;
use barrow::model::record::{Counted, PhaseRecord, RunRecord, Status};
use nix::sys::signal::Signal;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

/// A profile of lines of the shell, by their names.
fn profile(desk: &Desk, lines: &[(&str, &str)]) -> String {
    let tables = lines.iter().map(|(name, line)| format!("[[phase]]\nname = \"{name}\"\ncommand = [\"/bin/sh\", \"-c\", '''{line}''']\n"));
    let path = desk.path("programs.toml");
    fs::write(&path, format!("runs = 1\n{}", tables.collect::<String>())).unwrap();
    path.to_string_lossy().into_owned()
}

/// `barrow run` of these lines, with options; the target is to follow.
fn command(desk: &Desk, lines: &[(&str, &str)], options: &[&str]) -> Command {
    let (profile, output) = (profile(desk, lines), desk.run_file());
    let mut command = desk.barrow(User::Tester, ["run", "-p", &profile, "-o", &output.to_string_lossy()]);
    command.args(options);
    command
}

/// The one run of these lines on a target, on which nothing may be left of it.
fn run_of(target: &Path, lines: &[(&str, &str)], options: &[&str], code: i32) -> (RunRecord, String) {
    let (desk, before) = (Desk::new(), listing(target));
    let finished = Finished::of(command(&desk, lines, options).arg(target)).expect_code(code);
    assert_eq!(listing(target), before, "{}", finished.stderr);
    let mut runs = desk.runs();
    assert_eq!(runs.len(), 1, "{}", finished.stderr);
    (runs.remove(0), finished.stderr)
}

fn named<'r>(run: &'r RunRecord, name: &str) -> &'r PhaseRecord {
    phase(run, Phase::named(&format!("command:{name}")).unwrap())
}

fn end<'r>(run: &'r RunRecord, name: &str) -> &'r ProgramEnd {
    named(run, name).after.program.as_ref().unwrap_or_else(|| panic!("{name}: {:?}", named(run, name)))
}

fn counted<'r>(run: &'r RunRecord, name: &str) -> &'r Counted {
    named(run, name).counted().unwrap_or_else(|| panic!("{name}: {:?}", named(run, name).reason))
}

/// Whether the process lives whose number stands in a file; whoever has it afterwards is not meant.
fn lives(id: &str) -> bool {
    fs::read_to_string(format!("/proc/{}/stat", id.trim())).is_ok_and(|stat| !stat.contains(") Z "))
}

/// What programs leave that is hard to remove, and what the next one must find.
const TREE: &str = "d=.; for i in 1 2 3 4 5 6 7 8; do for j in 1 2 3 4 5 6 7; do d=$d/d; done; mkdir -p $d; done; mkfifo pipe; ln -s / away; \
    mkdir -p sealed/inner; echo x > sealed/inner/file; chmod 0 sealed/inner/file; chmod 500 sealed/inner sealed; echo kept > seen";

#[test]
fn programs_share_a_directory_of_which_nothing_is_left() {
    let target = quick_target();
    let lines = [("make", TREE), ("see", "cat seen; sleep 600 & echo and a process"), ("block", "head -c 1000000 /dev/zero >&2")];
    let (run, said) = run_of(target.path(), &lines, &[], 0);
    assert!(run.complete);
    assert_eq!((end(&run, "make").exit, end(&run, "make").left_processes), (Some(0), 0));
    let see = end(&run, "see");
    assert_eq!((see.output.as_str(), see.left_processes), ("kept\nand a process", 1));
    assert!(said.contains("1 left running and ended"), "{said}");
    assert_eq!(end(&run, "block").output_bytes, 1_000_000);
    let counted = counted(&run, "see");
    assert_eq!((counted.work, counted.operations), (1, 1));
    assert!(counted.elapsed_ns >= counted.acknowledged_ns.unwrap());
}

#[test]
fn a_program_that_ends_badly_fails_and_those_behind_it_are_skipped() {
    let target = quick_target();
    for (line, reason) in
        [("echo one; echo the last line >&2; exit 7", "sh: exit status 7: the last line"), ("kill -SEGV $$", "sh: ended by SIGSEGV")]
    {
        let (run, said) = run_of(target.path(), &[("first", "true"), ("bad", line), ("last", "true")], &[], 1);
        assert_eq!((named(&run, "bad").status, named(&run, "bad").reason.as_deref()), (Status::Failed, Some(reason)));
        assert_eq!((named(&run, "first").status, named(&run, "last").status), (Status::Ok, Status::Skipped));
        assert!(said.contains(&format!("command:bad on {}: {reason}", target.path().display())), "{said}");
        assert!(end(&run, "bad").exit == Some(7) || end(&run, "bad").signal == Some(11));
    }
}

#[test]
fn a_program_that_is_not_there_is_refused_before_anything_is_measured() {
    let (desk, target) = (Desk::new(), quick_target());
    let path = desk.path("mine.toml");
    fs::write(&path, "[[phase]]\nname = \"block_write\"\n[[phase]]\ncommand = [\"/no/such/make\", \"-j4\"]\n").unwrap();
    let output = desk.run_file();
    let mut command =
        desk.barrow(User::Tester, ["run", "-p", &path.to_string_lossy(), "--set", "file_size=1m", "-o", &output.to_string_lossy()]);
    let finished = Finished::of(command.arg(target.path())).expect_code(1);
    finished.expect_said(&["command:make: /no/such/make cannot be started: no such file or directory"]);
    assert!(!output.exists());
}

#[test]
fn a_program_is_ended_in_time_and_a_rest_is_no_hang() {
    let target = quick_target();
    let lines = [("rest", "sleep 2.2"), ("long", "echo begun; trap '' TERM; while :; do sleep 1; done")];
    let (run, _) = run_of(target.path(), &lines, &["--hang-after", "1s", "--max-phase-seconds", "3"], 1);
    assert!(counted(&run, "rest").elapsed_ns > 2_200_000_000);
    let long = named(&run, "long");
    assert_eq!((long.status, long.reason.as_deref()), (Status::Truncated, Some("took over 3 s, which --max-phase-seconds allows: begun")));
    assert_eq!((end(&run, "long").signal, long.result.is_none()), (Some(9), true));
}

/// Starts a program that ignores most signals, and tells the number of one of its children.
fn resting(desk: &Desk, target: &Path) -> (Running, String) {
    let line = "trap '' TERM INT HUP; sleep 600 & echo $! > new; mv new child; wait; sleep 600";
    let running = Running::start(command(desk, &[("rest", line)], &[]).arg(target));
    let child = || scratches(target).pop().map(|scratch| scratch.join("command.0/child"));
    wait_until("the program runs", || child().is_some_and(|child| child.exists()));
    let number = fs::read_to_string(child().unwrap()).unwrap();
    assert!(lives(&number));
    (running, number)
}

#[test]
fn a_signal_to_barrow_ends_the_program_and_nothing_is_left() {
    let (desk, target) = (Desk::new(), quick_target());
    let before = listing(target.path());
    let (running, child) = resting(&desk, target.path());
    running.signal(Signal::SIGINT);
    running.finish().expect_signal(Signal::SIGINT);
    assert!(!lives(&child) && listing(target.path()) == before);
    assert_eq!(named(&desk.runs()[0], "rest").reason.as_deref(), Some("the run was stopped in it"));
}

#[test]
fn with_barrow_that_is_killed_its_program_ends() {
    let (desk, target) = (Desk::new(), quick_target());
    let (running, child) = resting(&desk, target.path());
    running.signal(Signal::SIGKILL);
    running.finish().expect_signal(Signal::SIGKILL);
    wait_until("the program has ended", || !lives(&child));
}

/// Burns a part of a second in a shell, which then says how much, in a line for itself and one for its children.
const BURN: &str = "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; times";

/// Seconds in a line of `times`: `0m0.120000s 0m0.010000s`.
fn burnt(line: &str) -> f64 {
    let seconds = |text: &str| -> Option<f64> {
        let (minutes, seconds) = text.strip_suffix('s')?.split_once('m')?;
        Some(minutes.parse::<f64>().ok()? * 60.0 + seconds.parse::<f64>().ok()?)
    };
    line.split(' ').map(|text| seconds(text).unwrap_or_else(|| panic!("{line}"))).sum()
}

#[test]
fn cpu_is_that_of_children_grandchildren_and_orphans() {
    let (desk, target) = (Desk::new(), quick_target());
    let script = desk.path("burn.sh");
    fs::write(&script, BURN).unwrap();
    let burn = format!("/bin/sh {}", script.display());
    // The orphan's parent has ended before it does; it is waited for through a pipe.
    let line = format!("{burn}; ( ( {burn}; true ); true ); mkfifo done; ( ( {burn}; echo > done ) & exit 0 ); read x < done");
    let (run, _) = run_of(target.path(), &[("burn", &line)], &[], 0);
    let lines: Vec<&str> = end(&run, "burn").output.lines().collect();
    assert_eq!(lines.len(), 6, "{lines:?}");
    let truth: f64 = lines.into_iter().map(burnt).sum();
    let usage = counted(&run, "burn").usage;
    let seen = (usage.user_ns + usage.system_ns) as f64 / 1e9;
    println!("three shells burnt {truth:.3} s, seen {seen:.3} s");
    // What starting shells takes, barrow's own share, and the hundredths in which some shells count.
    assert!(truth > 0.2 && seen > truth * 0.95 - 0.03 && seen < truth * 1.1 + 0.08, "{truth} s, seen {seen} s");
}

#[test]
#[ignore = "needs root"]
fn with_user_programs_are_that_users() {
    if is_missing(&[Need::Root]) {
        return;
    }
    let target = quick_target();
    fs::set_permissions(target.path(), fs::Permissions::from_mode(0o1777)).unwrap();
    // The child that drops caches outlives the first program.
    let (run, _) = run_of(target.path(), &[("who", "id -u; id -G"), ("again", "sleep 600 &")], &["--user", "65534:65534"], 0);
    assert_eq!(end(&run, "who").output, "65534\n65534");
    assert!(named(&run, "who").preparation.drops > 0 && named(&run, "again").preparation.drops > 0);
    assert_eq!(end(&run, "again").left_processes, 1);
}

#[test]
#[ignore = "needs root"]
fn a_program_that_fills_the_disk_fails_and_nothing_is_left() {
    if is_missing(&[Need::Root]) {
        return;
    }
    let memory = MemoryFilesystem::of("size=4m");
    let (run, _) = run_of(memory.path(), &[("fill", "head -c 8000000 /dev/zero > full")], &[], 1);
    let fill = named(&run, "fill");
    assert!(fill.reason.as_deref().is_some_and(|reason| reason.contains("No space left")), "{fill:?}");
}

/// How often it is measured at the most; a busy machine can spoil a measurement.
const ATTEMPTS: u32 = 3;
/// Bytes a second of the device, and bytes that a program writes to it.
const LIMIT: u64 = 20_000_000;
const WRITTEN: u64 = 20_000_000;

/// What a program writes is on the device when the clock stops, and the next one begins with empty caches.
fn on_a_device(kind: &'static str, mkfs: &'static str, size_mib: u64) {
    if is_missing(&[Need::Root, Need::Loop, Need::Throttle, Need::Filesystem(kind), Need::Program(mkfs)]) {
        return;
    }
    let filesystem = LoopFilesystem::of(kind, size_mib);
    // Another one that writes to the machine's disk meanwhile takes its time too.
    assert!((0..ATTEMPTS).any(|_| takes_its_time(kind, &filesystem)), "{kind}: times are untrue, {ATTEMPTS} times");
}

/// Whether the times of two runs are true.
fn takes_its_time(kind: &str, filesystem: &LoopFilesystem) -> bool {
    let desk = Desk::new();
    let write = format!("head -c {WRITTEN} /dev/zero > written");
    filesystem.limit_write(LIMIT);
    let lines = [("write", write.as_str()), ("read", "cat written > /dev/null")];
    Finished::of(command(&desk, &lines, &["--runs", "2"]).arg(filesystem.path())).expect_code(0);
    filesystem.lift_limits();
    let runs = desk.runs();
    assert_eq!(runs.len(), 2);
    let is_true = |run: &RunRecord| {
        let (write, read, counted) = (named(run, "write"), named(run, "read"), counted(run, "write"));
        let (truth, elapsed) = (WRITTEN as f64 / LIMIT as f64, counted.elapsed_ns as f64 / 1e9);
        let acknowledged = counted.acknowledged_ns.unwrap() as f64 / 1e9;
        println!("{kind}: {elapsed:.3} s, true {truth:.3} s behind the {acknowledged:.3} s of the program");
        let unknown = Some(CacheLabel::Unknown);
        assert_eq!((write.durable, write.cache, read.cache), (Some(Durability::Durable), unknown, unknown));
        assert!(write.preparation.drops > 0 && read.evidence.own_read_bytes >= Some(WRITTEN), "{read:?}");
        // A limit lets two tenths of a second through in advance; a busy machine may write back what the program has not ended with yet.
        elapsed > truth - 0.25 && elapsed < acknowledged + truth * 1.1 + 0.5
    };
    runs.iter().all(is_true)
}

#[test]
#[ignore = "needs root, loop devices"]
fn programs_on_a_limited_ext4_take_their_time() {
    on_a_device("ext4", "mkfs.ext4", 64);
}

#[test]
#[ignore = "needs root, loop devices"]
fn programs_on_a_limited_xfs_take_their_time() {
    on_a_device("xfs", "mkfs.xfs", 300);
}

#[test]
#[ignore = "needs root, loop devices"]
fn programs_on_a_limited_btrfs_take_their_time() {
    on_a_device("btrfs", "mkfs.btrfs", 128);
}

/// What a program mounts in its directory belongs to others: not a file of it goes, and when it is unmounted `clean` removes the rest.
#[test]
#[ignore = "needs root"]
fn what_a_program_mounts_is_left_alone() {
    if is_missing(&[Need::Root]) {
        return;
    }
    let (desk, target) = (Desk::new(), quick_target());
    let outside = desk.path("outside");
    fs::create_dir_all(outside.join("directory")).unwrap();
    fs::write(outside.join("directory/file"), "of somebody else").unwrap();
    let line = format!("mkdir -p a/mounted && mount --bind {} a/mounted", outside.display());
    let finished = Finished::of(command(&desk, &[("mount", &line)], &["-q", "--no-report"]).arg(target.path()));
    let scratch = scratches(target.path()).pop().unwrap_or_else(|| panic!("{}", finished.stderr));
    assert_eq!(fs::read_to_string(outside.join("directory/file")).unwrap(), "of somebody else");
    assert!(finished.stderr.contains("another filesystem is mounted there"), "{}", finished.stderr);
    let unmounted = Command::new("umount").arg(scratch.join("command.0/a/mounted")).status().unwrap();
    assert!(unmounted.success());
    Finished::of(&mut desk.barrow(User::Tester, ["clean".as_ref(), target.path().as_os_str()])).expect_code(0);
    assert!(scratches(target.path()).is_empty());
    assert_eq!(fs::read_to_string(outside.join("directory/file")).unwrap(), "of somebody else");
}

/// A program can stop what watches over it, but not the run.
#[test]
fn a_stopped_warden_stops_no_run() {
    let target = quick_target();
    let (run, said) = run_of(target.path(), &[("stop", "kill -STOP $PPID; exit 0")], &["--max-phase-seconds", "1", "-q", "--no-report"], 1);
    assert!(named(&run, "stop").counted().is_none(), "{said}");
}
