//! `barrow device` on loop devices: their rates are those of a limit, they are never opened to be written, and what cannot be read says so.

use super::device::{DeviceLock, system};
use super::driver::{Desk, Finished, Running, User, alone, phase, wait_until};
use super::need::{Need, is_missing};
use barrow::model::machine::ObtainedIo;
use barrow::model::phase::Phase;
use barrow::model::record::{RunRecord, Status};
use barrow::sys::loop_device::LoopDevice;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

const NEEDS: [Need; 2] = [Need::Root, Need::Loop];
const MIB: u64 = 1 << 20;
const BUFFERED: [Phase; 3] = [Phase::DeviceStart, Phase::DeviceMiddle, Phase::DeviceEnd];
const DIRECT: [Phase; 4] = [Phase::DirectStart, Phase::DirectMiddle, Phase::DirectEnd, Phase::DeviceSweep];

/// A loop device on an image that is written in full. Gone, with its limit, when dropped.
struct Disk {
    device: LoopDevice,
    home: TempDir,
    _lock: DeviceLock,
}

impl Disk {
    fn of(mib: u64) -> Self {
        let lock = DeviceLock::take();
        let home = tempfile::Builder::new().prefix("barrow-rates-").tempdir().unwrap();
        let path = home.path().join("image");
        let image = File::options().create_new(true).read(true).write(true).open(&path).unwrap();
        let piece = vec![0x5a; MIB as usize];
        (0..mib).for_each(|_| (&image).write_all(&piece).unwrap());
        image.sync_all().unwrap();
        let disk = Self { device: LoopDevice::attach(&image, &path).unwrap(), home, _lock: lock };
        disk.limit(0);
        disk
    }

    fn image(&self) -> PathBuf {
        self.home.path().join("image")
    }

    fn name(&self) -> String {
        self.device.path().display().to_string()
    }

    /// What /sys tells of it.
    fn said(&self, name: &str) -> String {
        fs::read_to_string(format!("/sys/block/{}/{name}", self.device.name())).unwrap().trim().to_owned()
    }

    /// Limits what is read to so many bytes a second; 0 takes the limit away.
    fn limit(&self, bytes_per_second: u64) {
        // A machine without the controller has no limit to take away.
        let rule = "/sys/fs/cgroup/blkio/blkio.throttle.read_bps_device";
        let set = fs::write(rule, format!("{} {bytes_per_second}", self.said("dev")));
        assert!(set.is_ok() || bytes_per_second == 0, "{set:?}");
    }

    /// Requests that wrote to it, also when it stood on another file: the fifth number.
    fn writes(&self) -> u64 {
        self.said("stat").split_whitespace().nth(4).unwrap().parse().unwrap()
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        self.limit(0);
    }
}

/// `barrow device` with these settings, and a run file of the desk.
fn command(desk: &Desk, settings: &str, rest: &[&str]) -> Command {
    let mut command = desk.barrow(User::Tester, ["device", "-o"]);
    command.arg(desk.run_file());
    settings.split_whitespace().for_each(|setting| {
        command.args(["--set", setting]);
    });
    command.args(rest);
    command
}

fn seconds(run: &RunRecord, which: Phase) -> f64 {
    let record = phase(run, which);
    record.counted().unwrap_or_else(|| panic!("{}: {:?}", which.name(), record.reason)).elapsed_ns as f64 / 1e9
}

/// How far a time may be off, either way: 2 % and what the limit lets through in advance.
const SHARE_OFF: f64 = 0.02;
const SECONDS_OFF: f64 = 0.25;
/// A busy machine can spoil a measurement; an error of barrow's is in every one.
const ATTEMPTS: u32 = 3;

#[test]
#[ignore = "needs root, loop devices"]
fn rates_of_a_limited_device_are_those_of_the_limit() {
    if is_missing(&[&NEEDS[..], &[Need::Throttle]].concat()) {
        return;
    }
    let (limit, disk) = (20_000_000, Disk::of(48));
    disk.limit(limit);
    let truth = (16 * MIB) as f64 / limit as f64;
    let is_true = |run: &RunRecord, which: &Phase| {
        let off = seconds(run, *which) - truth;
        println!("{:<14} off by {off:+.3} of {truth:.3} s, {:?}", which.name(), phase(run, *which).cache);
        off.abs() <= SHARE_OFF * truth + SECONDS_OFF
    };
    let done = |_| {
        let desk = Desk::new();
        let settings = "place_size=16m sweep_places=16 sweep_size=1m runs=1";
        Finished::of(&mut command(&desk, settings, &["--no-report", &disk.name()])).expect_code(0);
        let run = desk.runs().remove(0);
        for which in BUFFERED.iter().chain(&DIRECT) {
            let record = phase(&run, *which);
            assert_eq!(record.counted().unwrap().work, 16 * MIB);
            assert_eq!(record.evidence.resident_before, Some(0.0), "{}", which.name());
            assert_eq!(record.io, DIRECT.contains(which).then_some(ObtainedIo::Direct), "{}", which.name());
            assert!(record.cache.is_some_and(|label| label.is_device_figure()), "{}: {:?}", which.name(), record.cache);
        }
        assert_eq!(phase(&run, Phase::DeviceSweep).counted().unwrap().slices.as_ref().unwrap().elapsed_ns.len(), 16);
        BUFFERED.iter().chain(&DIRECT).filter(|which| !is_true(&run, which)).count() == 0
    };
    assert!((0..ATTEMPTS).any(done), "times are untrue, {ATTEMPTS} times");
}

#[test]
#[ignore = "needs root, loop devices, strace"]
fn a_device_is_never_opened_to_be_written() {
    if is_missing(&[&NEEDS[..], &[Need::Program("strace")]].concat()) {
        return;
    }
    let (disk, desk) = (Disk::of(6), Desk::new());
    let (list, written_before) = (desk.path("opened"), disk.writes());
    let barrow = command(&desk, "place_size=1m sweep_places=4 sweep_size=1m runs=1", &["-q", "--no-report", &disk.name()]);
    let mut strace = alone("/usr/bin/strace");
    strace.args(["-f", "-y", "-e", "trace=open,openat,openat2,write,pwrite64,writev,fsync,fdatasync,syncfs,ioctl", "-o"]).arg(&list);
    strace.arg(barrow.get_program()).args(barrow.get_args());
    Finished::of(&mut strace).expect_code(0);
    let calls = fs::read_to_string(&list).unwrap();
    let node = disk.device.name();
    let of_device = |call: &&str| call.contains(&format!("\"{node}\"")) || call.contains(&format!("/dev/{node}"));
    let calls: Vec<&str> = calls.lines().filter(of_device).collect();
    let opened: Vec<&&str> = calls.iter().filter(|call| call.contains("open") && !call.contains(" resumed>")).collect();
    assert!(opened.iter().any(|call| call.contains("O_DIRECT")), "{opened:#?}");
    assert!(opened.iter().all(|call| call.contains("O_RDONLY") || call.contains("O_PATH")), "{opened:#?}");
    let written: Vec<&&str> = calls.iter().filter(|call| call.contains("write") || call.contains("sync")).collect();
    assert!(written.is_empty(), "{written:#?}");
    assert_eq!(disk.writes(), written_before);
    assert!(fs::read(disk.image()).unwrap().iter().all(|byte| *byte == 0x5a), "the image has changed");
}

#[test]
#[ignore = "needs root, loop devices"]
fn a_mounted_device_is_read_and_reported_with_its_curve() {
    if is_missing(&[&NEEDS[..], &[Need::Filesystem("ext4"), Need::Program("mkfs.ext4")]].concat()) {
        return;
    }
    let (disk, desk) = (Disk::of(16), Desk::new());
    let place = desk.path("mounted");
    fs::create_dir(&place).unwrap();
    system("mkfs.ext4", &["-q", "-F", &disk.name()]);
    system("mount", &["-o", "ro", &disk.name(), &place.display().to_string()]);
    let finished = Finished::of(&mut command(&desk, "place_size=2m sweep_size=64k chunk_size=64k", &["--sweep", &disk.name()]));
    system("umount", &[&place.display().to_string()]);
    let finished = finished.expect_code(0).expect_said(&[&format!("it is mounted at {}", place.display())]);
    let runs = desk.runs();
    assert_eq!((runs.len(), runs[0].label.as_str(), runs[0].phases.len()), (3, disk.device.name(), 7));
    assert!(runs.iter().all(|run| run.complete && run.filesystem.kind.is_empty() && run.device.size_bytes == Some(16 * MIB)));
    for said in ["Device start", "Direct end", "Device sweep", "Device sweep over 64 places of 16 MiB, MiB/s: highest", "range of 3 runs"] {
        assert!(finished.stdout.contains(said), "`{said}` is not in the report:\n{}", finished.stdout);
    }
    let picture = Finished::of(&mut desk.barrow(User::Tester, ["report", "-f", "svg", &desk.run_file().display().to_string()]));
    let picture = picture.expect_code(0).stdout;
    assert!(picture.contains("Rate over") && picture.contains("16 MiB</text>"), "{picture}");
}

#[test]
#[ignore = "needs root, loop devices"]
fn a_device_that_goes_away_fails_its_phases_with_the_reason() {
    if is_missing(&[&NEEDS[..], &[Need::Throttle]].concat()) {
        return;
    }
    let (disk, desk) = (Disk::of(12), Desk::new());
    disk.limit(4_000_000);
    let mut running = Running::start(&mut command(&desk, "place_size=4m runs=1", &["--no-report", &disk.name()]));
    running.wait_for_line(&["device_start"]);
    File::options().write(true).open(disk.image()).unwrap().set_len(0).unwrap();
    disk.limit(0);
    running.finish().expect_code(1).expect_said(&["device_end", "read the device at byte"]);
    let run = desk.runs().remove(0);
    let last = phase(&run, Phase::DirectEnd);
    assert_eq!(last.status, Status::Failed);
    assert!(last.reason.as_deref().is_some_and(|reason| reason.contains("input/output error")), "{:?}", last.reason);
}

#[test]
#[ignore = "needs root, loop devices"]
fn what_cannot_be_read_is_refused_before_anything_is_made() {
    if is_missing(&NEEDS) {
        return;
    }
    let (disk, desk) = (Disk::of(4), Desk::new());
    let refused = |devices: &[&str], words: &[&str]| {
        Finished::of(&mut command(&desk, "place_size=1m", devices)).expect_said(words);
        assert!(!Path::new(&desk.run_file()).exists(), "{devices:?}");
    };
    let name = disk.name();
    refused(&[&name, &name], &["are the same device"]);
    refused(&["--set", "place_size=2m", &name], &["has 4 MiB, and the places that are read need 6 MiB", "--set place_size=1m"]);
    refused(&["--sweep", &name], &["need 1 GiB", "too small to be measured in such chunks"]);
    refused(&[&disk.image().display().to_string()], &["is no block device"]);
    let link = desk.path("link");
    std::os::unix::fs::symlink(disk.device.path(), &link).unwrap();
    let size = format!("/sys/block/{}/size", disk.device.name());
    drop(disk);
    let _lock = DeviceLock::take();
    wait_until("the device has no file any more", || fs::read_to_string(&size).is_ok_and(|size| size.trim() == "0"));
    refused(&[&link.display().to_string()], &["has 0 bytes"]);
}
