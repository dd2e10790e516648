//! The lab's ground on real loop devices: what it makes, what it notes, what it refuses, and that nothing is left on any way out.

use super::device::{DeviceLock, MemoryFilesystem, system};
use super::driver::{listing, wait_until};
use super::need::{Need, is_missing};
use barrow::lab::variant::{Features, Ground as Storage, Variant};
use barrow::lab::{Lab, LabError, LabGround};
use barrow::model::making;
use barrow::model::phase::Phase;
use barrow::model::plan::Circumstances;
use barrow::model::record::Preparation;
use barrow::model::settings::Io;
use barrow::sys::loop_device::standing_on;
use barrow::sys::mounts;
use barrow::sys::random::random_u64;
use barrow::target::ground::{Cold, Ground, GroundError};
use barrow::target::scratch::{FileSetKind, block_file_name, set_directory_name};
use barrow::target::{Access, Target, write_all};
use std::collections::BTreeMap;
use std::ffi::CString;
use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tempfile::TempDir;

const MIB: u64 = 1 << 20;
const FILE_BYTES: u64 = 16 * MIB;
const FILES: usize = 600;
const SMALL_FILE_BYTES: usize = 4096;

/// A directory for images, which no other test of devices disturbs.
pub struct Bench {
    home: TempDir,
    _lock: DeviceLock,
}

impl Bench {
    /// A new one, with something in it; `None` where something is missing.
    pub fn new(programs: &[&'static str]) -> Option<Self> {
        let programs = programs.iter().map(|name| Need::Program(name));
        let needs: Vec<Need> = [Need::Root, Need::Loop].into_iter().chain(programs).collect();
        if is_missing(&needs) {
            return None;
        }
        let lock = DeviceLock::take();
        let home = tempfile::Builder::new().prefix("barrow-bench-").tempdir().unwrap();
        fs::write(home.path().join("somebody's file"), "kept").unwrap();
        Some(Self { home, _lock: lock })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.home.path()
    }

    /// A variant of so many MiB here.
    pub fn variant(&self, kind: &str, mib: u64) -> Variant {
        variant(self.path(), kind, mib)
    }

    /// Fails unless everything is as it was before.
    pub fn assert_nothing_left(&self) {
        assert_eq!(entries(self.path()), ["somebody's file"]);
        let mounts = mounts::all().unwrap();
        let left: Vec<_> = mounts.iter().filter(|mount| mount.mount_point.starts_with(self.path())).collect();
        assert!(left.is_empty(), "{left:?}");
        let backing = self.path().to_string_lossy().into_owned();
        let devices = fs::read_dir("/sys/block")
            .unwrap()
            .filter_map(|entry| fs::read_to_string(entry.unwrap().path().join("loop/backing_file")).ok());
        let left: Vec<String> = devices.filter(|file| file.starts_with(&backing)).collect();
        assert!(left.is_empty(), "{left:?}");
    }
}

fn entries(directory: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

/// A variant of so many MiB on an image in a directory.
pub fn variant(directory: &Path, kind: &str, mib: u64) -> Variant {
    let (mkfs, check, fixed) = match kind {
        "ext4" => ("mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0,nodiscard {device}", "e2fsck -f -n {device}", ""),
        "xfs" => ("mkfs.xfs -q -f -K {device}", "xfs_repair -n {device}", ""),
        "btrfs" => ("mkfs.btrfs -q -f -K {devices}", "btrfs check --readonly {device}", "nodiscard"),
        other => panic!("no words for {other}"),
    };
    let version = if kind == "btrfs" { "mkfs.btrfs --version".to_owned() } else { format!("mkfs.{kind} -V") };
    let features = Features { words: words("echo one {device}"), read: |text| text.split_whitespace().map(str::to_owned).collect() };
    Variant {
        label: kind.to_owned(),
        kind: kind.to_owned(),
        ground: Storage::Image { directory: directory.to_owned(), bytes: mib * MIB, number: 0 },
        mkfs: words(mkfs),
        version: words(&version),
        mount_options: "noatime".to_owned(),
        fixed_mount_options: fixed.to_owned(),
        check: words(check),
        features: Some(features),
        tags: BTreeMap::new(),
    }
}

/// A lab of some variants, each with its ground.
fn lab_of(variants: &[Variant]) -> (Lab, Vec<LabGround>) {
    let lab = Lab::begin(variants, random_u64().unwrap(), Arc::default(), &mut |_| ()).unwrap();
    let grounds = variants.iter().map(|variant| lab.ground(variant).unwrap()).collect();
    (lab, grounds)
}

fn take(ground: &mut LabGround) {
    ground.take(random_u64().unwrap(), 1).unwrap();
}

fn cold(ground: &mut LabGround, phase: Phase) -> Result<Preparation, GroundError> {
    let files = [block_file_name(0)];
    let files: &[CString] = if matches!(phase, Phase::SeqStat) { &[] } else { &files };
    ground.make_cold(&Cold { phase, files, circumstances: &Circumstances::WITHOUT_DROPS })
}

fn write_block_file(target: &dyn Target) {
    let file = target.open(target.root(), &block_file_name(0), Access::CreateNew, Io::Buffered).unwrap();
    let chunk = vec![7; MIB as usize];
    (0..FILE_BYTES / MIB).for_each(|number| write_all(target, &file, &chunk, number * MIB).unwrap());
    target.sync(&file).unwrap();
}

fn make_files(target: &dyn Target) {
    let name = set_directory_name(FileSetKind::Sequential, 0, 0);
    target.make_directory(target.root(), &name).unwrap();
    let directory = target.open_directory(target.root(), &name).unwrap();
    for number in 0..FILES {
        let name = CString::new(format!("{number:010x}")).unwrap();
        let file = target.open(&directory, &name, Access::CreateNew, Io::Buffered).unwrap();
        write_all(target, &file, &[7; SMALL_FILE_BYTES], 0).unwrap();
    }
    target.flush().unwrap();
}

/// The place where a ground is mounted.
fn mounted(bench: &Bench) -> PathBuf {
    let home = bench.path().canonicalize().unwrap();
    let mounts = mounts::all().unwrap();
    let mut here = mounts.into_iter().map(|mount| mount.mount_point).filter(|point| point.starts_with(&home));
    here.next().unwrap()
}

fn options_at(place: &Path) -> Vec<String> {
    mounts::all().unwrap().into_iter().find(|mount| mount.mount_point == place).unwrap().options
}

fn is_mounted(bench: &Bench) -> bool {
    let home = bench.path().canonicalize().unwrap();
    mounts::all().unwrap().iter().any(|mount| mount.mount_point.starts_with(&home))
}

/// The image of a lab that lives in a directory.
pub fn image_in(directory: &Path) -> PathBuf {
    let home = entries(directory).into_iter().find(|name| name.starts_with(".barrow-lab-")).unwrap();
    directory.canonicalize().unwrap().join(home).join("image.0")
}

/// A child that is ended with the test.
pub struct Guest(pub Child);

impl Guest {
    /// Starts it.
    pub fn of(command: &mut Command) -> Self {
        Self(command.stdin(Stdio::null()).stdout(Stdio::null()).spawn().unwrap())
    }

    /// Waits until its program is the one that was meant.
    pub fn wait_until_it_is(&self, program: &str) {
        let comm = format!("/proc/{}/comm", self.0.id());
        wait_until(program, || fs::read_to_string(&comm).is_ok_and(|name| name.trim() == program));
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn a_whole_run(kind: &str, mib: u64, programs: &[&'static str]) {
    let Some(bench) = Bench::new(programs) else { return };
    let variants = [bench.variant(kind, mib)];
    let mut heard = Vec::new();
    let lab = Lab::begin(&variants, random_u64().unwrap(), Arc::default(), &mut |preparing| heard.push(preparing)).unwrap();
    assert!(heard.iter().all(|step| (step.image, step.images, step.bytes) == (1, 1, mib * MIB)));
    assert!(heard.is_sorted_by_key(|step| step.done) && heard.last().unwrap().done == mib * MIB);
    let mut ground = lab.ground(&variants[0]).unwrap();
    let rehearsed = ground.rehearse(|seen| {
        assert!(seen.directory.metadata().unwrap().is_dir() && seen.path.is_dir());
        (seen.site.filesystem.kind.clone(), seen.below.stack().devices[0].name.clone())
    });
    let (told, device) = rehearsed.unwrap();
    assert!(told == kind && device.starts_with("loop"), "{told} on {device}");
    assert!(!is_mounted(&bench));
    for _ in 0..2 {
        take(&mut ground);
        assert_eq!(ground.site().filesystem.kind, kind);
        assert!(ground.site().filesystem.mount_options.contains("noatime"));
        assert!(ground.stack().devices[0].name.starts_with("loop"), "{:?}", ground.stack());
        write_block_file(ground.target().unwrap());
        // Goes only with the mount.
        let place = mounted(&bench);
        system("mount", &["-o", "remount,bind,noexec", &place.to_string_lossy()]);
        assert!(options_at(&place).contains(&"noexec".to_owned()));
        let preparation = cold(&mut ground, Phase::Rewrite).unwrap();
        assert!(!options_at(&place).contains(&"noexec".to_owned()), "it was not mounted again");
        assert!(preparation.remounted && preparation.flushed && preparation.evicted, "{preparation:?}");
        let target = ground.target().unwrap();
        let file = target.open(target.root(), &block_file_name(0), Access::Read, Io::Buffered).unwrap();
        assert_eq!(target.residency(&file).unwrap().resident_pages, 0);
        drop(file);
        cold(&mut ground, Phase::BlockRead).unwrap();
        let target = ground.target().unwrap();
        target.unlink(target.root(), &block_file_name(0)).unwrap();
        make_files(target);
        assert!(cold(&mut ground, Phase::SeqStat).unwrap().remounted);
        assert_eq!(ground.give_back(), [""; 0]);
        assert_eq!(ground.fault(), None);
        assert!(!is_mounted(&bench) && ground.target().is_err());
        let making = ground.making().unwrap();
        println!("{kind}: {making:?}");
        assert_eq!((making.storage_bytes, making.mount_options.as_str()), (mib * MIB, "noatime"));
        assert!(making.mkfs.contains("{device") && !making.mkfs.contains("/dev/"), "{}", making.mkfs);
        assert!(making.mkfs_version.as_ref().unwrap().contains(|letter: char| letter.is_ascii_digit()));
        assert_eq!(making.features.len(), 2);
        for time in [making.mkfs_ns, making.mount_ns, making.unmount_ns, making.check_ns] {
            assert!(time.unwrap() > 0);
        }
        assert_eq!(making.check_words, None);
        let free_new = making.free_new_bytes.unwrap();
        assert!(free_new > mib * MIB / 3 && free_new + making.used_new_bytes.unwrap() <= mib * MIB);
        assert!(making.free_written_bytes.unwrap() <= free_new - FILE_BYTES / 2);
        for layout in [making.written.unwrap(), making.rewritten.unwrap()] {
            assert!(layout.bytes >= FILE_BYTES && layout.extents > 0 && layout.block_bytes >= 512, "{layout:?}");
        }
        let taken = making.file_set_bytes.unwrap();
        assert!((FILES * SMALL_FILE_BYTES) as u64 <= taken && taken < FILE_BYTES, "{taken}");
    }
    drop(ground);
    assert_eq!(lab.end(), [""; 0]);
    bench.assert_nothing_left();
}

#[test]
#[ignore = "needs root, loop"]
fn a_run_on_ext4() {
    a_whole_run("ext4", 96, &["mkfs.ext4", "e2fsck"]);
}

#[test]
#[ignore = "needs root, loop"]
fn a_run_on_xfs() {
    a_whole_run("xfs", 320, &["mkfs.xfs", "xfs_repair"]);
}

#[test]
#[ignore = "needs root, loop"]
fn a_run_on_btrfs() {
    a_whole_run("btrfs", 256, &["mkfs.btrfs", "btrfs"]);
}

#[test]
#[ignore = "needs root, loop"]
fn variants_of_one_image_take_turns() {
    let Some(bench) = Bench::new(&["mkfs.ext4", "mkfs.btrfs"]) else { return };
    let (lab, mut grounds) = lab_of(&[bench.variant("ext4", 128), bench.variant("btrfs", 128)]);
    assert_eq!(entries(image_in(bench.path()).parent().unwrap()), ["image.0", "marker", "mounted.0"]);
    for _ in 0..2 {
        for (ground, kind) in grounds.iter_mut().zip(["ext4", "btrfs"]) {
            take(ground);
            assert_eq!(ground.site().filesystem.kind, kind);
            write_block_file(ground.target().unwrap());
            assert_eq!(ground.give_back(), [""; 0]);
            assert_eq!(ground.fault(), None);
        }
    }
    // The second cannot be made while the first is there.
    take(&mut grounds[0]);
    let refused = grounds[1].take(1, 1).unwrap_err().to_string();
    assert!(refused.contains("/dev/loop") && refused.contains("for this run alone"), "{refused}");
    assert!(grounds[0].target().is_ok());
    drop(grounds);
    assert_eq!(lab.end(), [""; 0]);
    bench.assert_nothing_left();
}

#[test]
#[ignore = "needs root, loop"]
fn what_mkfs_or_mount_refuses_is_said_in_their_words_and_leaves_nothing() {
    let Some(bench) = Bench::new(&["mkfs.xfs", "mkfs.ext4"]) else { return };
    let too_small = bench.variant("xfs", 100);
    let bad_option = Variant { mount_options: "no_such_option".to_owned(), ..bench.variant("ext4", 100) };
    let missing = Variant { mkfs: words("mkfs.no-such-thing {device}"), ..bench.variant("ext4", 100) };
    let (lab, mut grounds) = lab_of(&[too_small, bad_option, missing]);
    let expected = [
        ["mkfs.xfs -q -f -K {device}: it ended with", "said: Filesystem must be larger than 300MB", "nothing was mounted"],
        ["mount -t ext4 -o no_such_option {device}: it ended with", "{mounted}: wrong fs type, bad option", "nothing stays mounted"],
        ["mkfs.no-such-thing {device}: it cannot be started", "No such file", "nothing was mounted"],
    ];
    for (ground, expected) in grounds.iter_mut().zip(expected) {
        let rehearsed = ground.rehearse(|_| ()).unwrap_err().to_string();
        let taken = ground.take(1, 1).unwrap_err().to_string();
        for said in [rehearsed, taken] {
            println!("{said}");
            assert!(expected.iter().all(|words| said.contains(words)), "{said}");
            assert!(!said.contains(&*bench.path().to_string_lossy()), "the path above is told: {said}");
        }
        assert!(!is_mounted(&bench) && ground.target().is_err());
        assert_eq!(ground.give_back(), [""; 0]);
    }
    drop(grounds);
    assert_eq!(lab.end(), [""; 0]);
    bench.assert_nothing_left();
}

#[test]
#[ignore = "needs root, loop"]
fn a_busy_place_is_named_with_who_uses_it_and_let_go_of_in_the_end() {
    let Some(bench) = Bench::new(&["mkfs.ext4"]) else { return };
    let (lab, mut grounds) = lab_of(&[bench.variant("ext4", 64)]);
    let ground = &mut grounds[0];
    take(ground);
    write_block_file(ground.target().unwrap());
    let guest = Guest::of(Command::new("sleep").arg("600").current_dir(mounted(&bench)));
    guest.wait_until_it_is("sleep");
    let who = format!("process {} (sleep)", guest.0.id());
    let said = cold(ground, Phase::Rewrite).unwrap_err().to_string();
    assert!(said.contains("unmount /dev/loop") && said.contains(&who), "{said}");
    // Nothing else has changed: the run can go on.
    assert!(ground.target().unwrap().status(ground.target().unwrap().root(), &block_file_name(0)).is_ok());
    let left = ground.give_back();
    assert!(left.len() == 1 && left[0].contains(&who), "{left:?}");
    assert!(!is_mounted(&bench));
    let said = ground.take(1, 1).unwrap_err().to_string();
    assert!(said.contains("for this run alone"), "{said}");
    drop(guest);
    wait_until("the device is free", || ground.take(2, 1).is_ok());
    assert_eq!(ground.give_back(), [""; 0]);
    drop(grounds);
    assert_eq!(lab.end(), [""; 0]);
    bench.assert_nothing_left();
}

#[test]
#[ignore = "needs root, loop"]
fn what_others_mounted_of_it_goes_too() {
    let Some(bench) = Bench::new(&["mkfs.ext4"]) else { return };
    let elsewhere = tempfile::tempdir().unwrap();
    let (lab, mut grounds) = lab_of(&[bench.variant("ext4", 64)]);
    let ground = &mut grounds[0];
    take(ground);
    write_block_file(ground.target().unwrap());
    let place = mounted(&bench);
    system("mount", &["--bind", &place.to_string_lossy(), &elsewhere.path().to_string_lossy()]);
    let below = place.join("below");
    fs::create_dir(&below).unwrap();
    system("mount", &["-t", "tmpfs", "barrow-test", &below.to_string_lossy()]);
    assert!(cold(ground, Phase::Rewrite).unwrap().remounted);
    assert_eq!(entries(elsewhere.path()), [""; 0]);
    assert_eq!(ground.give_back(), [""; 0]);
    drop(grounds);
    assert_eq!(lab.end(), [""; 0]);
    bench.assert_nothing_left();
}

#[test]
#[ignore = "needs root, loop"]
fn a_hole_in_the_image_is_a_fault_and_the_next_run_does_not_begin() {
    let Some(bench) = Bench::new(&["mkfs.ext4", "fallocate"]) else { return };
    let (lab, mut grounds) = lab_of(&[bench.variant("ext4", 64)]);
    let ground = &mut grounds[0];
    take(ground);
    // Far from everything that the filesystem needs.
    system("fallocate", &["--punch-hole", "--offset", "40MiB", "--length", "1MiB", &image_in(bench.path()).to_string_lossy()]);
    assert_eq!(ground.give_back(), [""; 0]);
    let fault = ground.fault().unwrap();
    assert!(fault.contains("the image has a hole") && !fault.contains('/'), "{fault}");
    let refused = ground.take(1, 1).unwrap_err().to_string();
    assert!(refused.contains("the image has a hole"), "{refused}");
    assert_eq!(ground.give_back(), [""; 0]);
    drop(grounds);
    assert_eq!(lab.end(), [""; 0]);
    bench.assert_nothing_left();
}

#[test]
#[ignore = "needs root, loop"]
fn a_stop_while_images_are_written_leaves_nothing() {
    let Some(bench) = Bench::new(&[]) else { return };
    let stop = Arc::new(AtomicBool::new(false));
    let variants = [bench.variant("ext4", 64), Variant { ground: second_image(bench.path()), ..bench.variant("ext4", 64) }];
    let begun = Lab::begin(&variants, 1, Arc::clone(&stop), &mut |preparing| {
        stop.store(preparing.image == 2 && preparing.done > 0, Ordering::Relaxed);
    });
    assert!(matches!(begun, Err(LabError::Stopped)), "{begun:?}");
    bench.assert_nothing_left();
}

fn second_image(directory: &Path) -> Storage {
    Storage::Image { directory: directory.to_owned(), bytes: 64 * MIB, number: 1 }
}

/// A run that is to stop unmounts all the same.
#[test]
#[ignore = "needs root, loop"]
fn a_stop_keeps_nothing_mounted() {
    let Some(bench) = Bench::new(&["mkfs.ext4"]) else { return };
    let stop = Arc::new(AtomicBool::new(false));
    let variants = [bench.variant("ext4", 64)];
    let lab = Lab::begin(&variants, random_u64().unwrap(), Arc::clone(&stop), &mut |_| ()).unwrap();
    let mut ground = lab.ground(&variants[0]).unwrap().filling(true);
    take(&mut ground);
    write_block_file(ground.target().unwrap());
    stop.store(true, Ordering::Relaxed);
    // It is unmounted, and not mounted again.
    assert!(matches!(cold(&mut ground, Phase::Rewrite), Err(GroundError::Stopped)));
    assert_eq!(ground.give_back(), [""; 0]);
    assert!(!is_mounted(&bench));
    let making = ground.making().unwrap();
    assert_eq!((making.check_ns, making.fill_bytes), (None, None));
    assert!(matches!(ground.take(1, 1), Err(GroundError::Stopped)));
    drop(ground);
    assert_eq!(lab.end(), [""; 0]);
    bench.assert_nothing_left();
}

#[test]
#[ignore = "needs root, loop"]
fn images_that_do_not_fit_are_refused_before_any_is_written() {
    let Some(_lock) = Bench::new(&[]) else { return };
    let memory = MemoryFilesystem::of("size=100m");
    fs::write(memory.path().join("somebody's file"), "kept").unwrap();
    let before = listing(memory.path());
    let variants =
        [variant(memory.path(), "ext4", 64), Variant { ground: second_image(memory.path()), ..variant(memory.path(), "ext4", 64) }];
    let refused = Lab::begin(&variants, 1, Arc::default(), &mut |_| panic!("nothing is to be written")).unwrap_err();
    let words = refused.to_string();
    assert!(matches!(refused, LabError::NoSpace { .. }), "{words}");
    assert!(words.contains("129 MiB") && words.contains("100 MiB") && words.contains("--size"), "{words}");
    assert_eq!(listing(memory.path()), before);
}

#[test]
#[ignore = "needs root, loop"]
fn space_that_others_take_meanwhile_leaves_nothing() {
    let Some(_lock) = Bench::new(&[]) else { return };
    let memory = MemoryFilesystem::of("size=100m");
    let thief = memory.path().join("thief");
    let mut is_stolen = false;
    let begun = Lab::begin(&[variant(memory.path(), "ext4", 64)], 1, Arc::default(), &mut |_| {
        if !std::mem::replace(&mut is_stolen, true) {
            fs::write(&thief, vec![1; 60 * MIB as usize]).unwrap();
        }
    });
    let error = begun.unwrap_err();
    assert!(error.to_string().contains("no space left on device"), "{error}");
    assert_eq!(entries(memory.path()), ["thief"]);
}

#[test]
#[ignore = "needs root, loop"]
fn a_filesystem_is_filled_where_that_is_wished() {
    let Some(bench) = Bench::new(&["mkfs.ext4"]) else { return };
    let (lab, grounds) = lab_of(&[bench.variant("ext4", 64)]);
    let mut ground = grounds.into_iter().next().unwrap().filling(true);
    take(&mut ground);
    assert_eq!(ground.give_back(), [""; 0]);
    let making = ground.making().unwrap();
    let (filled, free) = (making.fill_bytes.unwrap(), making.free_filled_bytes.unwrap());
    assert!(filled > making.free_new_bytes.unwrap() / 2 && free < MIB, "{filled} filled, {free} free");
    assert_eq!(making.check_words, None);
    drop(ground);
    assert_eq!(lab.end(), [""; 0]);
    bench.assert_nothing_left();
}

/// The kernel names what is mounted by its path without links.
#[test]
#[ignore = "needs root, loop"]
fn a_directory_behind_a_link_is_the_same_directory() {
    let Some(bench) = Bench::new(&["mkfs.ext4"]) else { return };
    let elsewhere = tempfile::tempdir().unwrap();
    let link = elsewhere.path().join("link");
    symlink(bench.path(), &link).unwrap();
    let (lab, mut grounds) = lab_of(&[variant(&link, "ext4", 64), bench.variant("ext4", 32)]);
    assert_eq!(grounds[0].place_of(0), grounds[1].place_of(0));
    for ground in &mut grounds {
        take(ground);
        write_block_file(ground.target().unwrap());
        assert!(cold(ground, Phase::Rewrite).unwrap().remounted);
        assert_eq!(ground.give_back(), [""; 0]);
    }
    drop(grounds);
    assert_eq!(lab.end(), [""; 0]);
    bench.assert_nothing_left();
}

/// A loop device over a file, as one of the user's devices; detached when dropped.
struct Device(String);

impl Device {
    fn of_mib(bench: &Bench, name: &str, mib: u64) -> Self {
        let image = bench.path().join(name).to_string_lossy().into_owned();
        system("dd", &["if=/dev/urandom", &format!("of={image}"), "bs=1M", &format!("count={mib}"), "status=none"]);
        Self(system("losetup", &["--find", "--show", &image]))
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        system("losetup", &["--detach", &self.0]);
    }
}

#[test]
#[ignore = "needs root, loop"]
fn devices_of_the_users_are_used_and_left() {
    let Some(bench) = Bench::new(&["mkfs.btrfs", "losetup"]) else { return };
    let devices = [Device::of_mib(&bench, "first", 128), Device::of_mib(&bench, "second", 160)];
    let before = entries(bench.path());
    let paths = devices.iter().map(|device| PathBuf::from(&device.0)).collect();
    let both = Variant { ground: Storage::Devices(paths), ..bench.variant("btrfs", 0) };
    let (lab, mut grounds) = lab_of(&[both]);
    let home = PathBuf::from(grounds[0].place_of(0));
    assert!(home.is_dir() && home.starts_with(std::env::temp_dir()), "{}", home.display());
    let ground = &mut grounds[0];
    take(ground);
    write_block_file(ground.target().unwrap());
    assert!(cold(ground, Phase::Rewrite).unwrap().remounted);
    assert_eq!(ground.stack().devices.iter().filter(|device| device.name.starts_with("loop")).count(), 2, "{:?}", ground.stack());
    let refused = Lab::begin(&[Variant { label: "other".to_owned(), ..variant_on(&devices[1].0) }], 1, Arc::default(), &mut |_| ());
    assert!(matches!(refused, Err(LabError::Device { .. })), "{refused:?}");
    assert_eq!(ground.give_back(), [""; 0]);
    let making = ground.making().unwrap();
    assert_eq!((making.storage, making.storage_bytes, making.check_words), (making::Storage::Devices, 288 * MIB, None));
    drop(grounds);
    assert_eq!(lab.end(), [""; 0]);
    assert!(!home.exists());
    assert_eq!(entries(bench.path()), before);
}

fn variant_on(device: &str) -> Variant {
    Variant { ground: Storage::Devices(vec![PathBuf::from(device)]), ..variant(Path::new("/nowhere"), "ext4", 0) }
}

/// A process serves it, and may hold the device for a moment after it was unmounted.
#[test]
#[ignore = "needs root, loop, ntfs-3g"]
fn a_run_on_what_a_process_serves() {
    let Some(bench) = Bench::new(&["mkfs.ntfs", "mount.ntfs-3g"]) else { return };
    if is_missing(&[Need::Fuse]) {
        return;
    }
    let served = Variant { kind: "ntfs-3g".to_owned(), mkfs: words("mkfs.ntfs -q -F -f {device}"), ..bench.variant("ext4", 64) };
    let (lab, mut grounds) = lab_of(&[Variant { check: Vec::new(), version: Vec::new(), ..served }]);
    let ground = &mut grounds[0];
    for _ in 0..3 {
        take(ground);
        assert_eq!(ground.site().filesystem.kind, "fuseblk");
        write_block_file(ground.target().unwrap());
        assert!(cold(ground, Phase::Rewrite).unwrap().remounted);
        assert_eq!(ground.give_back(), [""; 0]);
        assert_eq!(ground.fault(), None);
    }
    drop(grounds);
    assert_eq!(lab.end(), [""; 0]);
    bench.assert_nothing_left();
}

/// The loop device that stands on an image.
pub fn device_on(image: &Path) -> String {
    let devices = standing_on(image);
    assert_eq!(devices.len(), 1, "{devices:?}");
    format!("/dev/{}", devices[0])
}

/// Whether a file has as many bytes on its disk as it is long.
pub fn is_whole(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    File::open(path).unwrap().metadata().is_ok_and(|facts| facts.blocks() * 512 >= facts.len())
}
