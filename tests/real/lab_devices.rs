//! Which devices the lab takes and which it refuses, on real loop devices; of the machine's own disk only that it is refused.

use super::device::system;
use super::driver::alone;
use super::need::{Need, is_missing};
use barrow::lab::devices::{DeviceRefusal, check, recheck, wipe};
use barrow::sys::loop_device::LoopDevice;
use barrow::sys::mounts::mount_of;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Lines, Write};
use std::os::unix::fs::{OpenOptionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::AtomicBool;
use tempfile::TempDir;

/// What every test here needs.
const NEEDS: [Need; 4] = [Need::Root, Need::Loop, Need::Filesystem("ext4"), Need::Program("mkfs.ext4")];
/// Names the device that [`holder_in_its_process`] is to hold.
const HELD: &str = "BARROW_TEST_HELD";

/// A loop device on a file of its own, and a place to mount it. Gone when dropped.
struct Disk {
    device: LoopDevice,
    home: TempDir,
}

impl Disk {
    fn of(mib: u64) -> Self {
        let home = tempfile::Builder::new().prefix("barrow-disk-").tempdir().unwrap();
        let path = home.path().join("image");
        let image = File::options().create_new(true).read(true).write(true).open(&path).unwrap();
        image.set_len(mib << 20).unwrap();
        fs::create_dir(home.path().join("mounted")).unwrap();
        Self { device: LoopDevice::attach(&image, &path).unwrap(), home }
    }

    /// One with an ext4.
    fn made(mib: u64) -> Self {
        let disk = Self::of(mib);
        system("mkfs.ext4", &["-q", "-F", "-L", "precious", &disk.name()]);
        disk
    }

    fn path(&self) -> PathBuf {
        self.device.path()
    }

    fn name(&self) -> String {
        self.path().display().to_string()
    }

    fn number(&self) -> String {
        fs::read_to_string(format!("/sys/block/{}/dev", self.device.name())).unwrap().trim().to_owned()
    }

    fn place(&self) -> PathBuf {
        self.home.path().join("mounted")
    }

    fn mount(&self) -> Mounted {
        let place = self.place();
        system("mount", &[&self.name(), &place.display().to_string()]);
        Mounted(place)
    }

    /// What keeps it from being used, though all is said that can be said for it; empty when nothing does.
    fn refused(&self) -> String {
        refused(&[&[self.path()]], &[self.path()], true)
    }

    #[track_caller]
    fn assert_free(&self) {
        assert_eq!(self.refused(), "");
    }

    #[track_caller]
    fn assert_refused(&self, words: &str) {
        let said = self.refused();
        assert!(said.starts_with(&format!("{}: is in use: ", self.name())) && said.contains(words), "{said:?} does not say {words:?}");
        let again = recheck(&self.path(), &self.number()).unwrap_err().to_string();
        assert!(again.contains(words), "{again:?} does not say {words:?}");
        let wiped = wipe(&self.path(), &self.number(), &AtomicBool::new(false)).unwrap_err().to_string();
        assert!(wiped.contains(words), "{wiped:?} does not say {words:?}");
    }
}

/// A mount, which goes when dropped; it may be gone already.
struct Mounted(PathBuf);

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).stderr(Stdio::null()).status();
    }
}

/// All refusals, a line each.
fn refused(wanted: &[&[PathBuf]], destroy: &[PathBuf], wipe: bool) -> String {
    let refusals = check(wanted, destroy, wipe).err().unwrap_or_default();
    refusals.iter().map(DeviceRefusal::to_string).collect::<Vec<_>>().join("\n")
}

/// A child process that says when it is ready, and ends when it is let go of.
struct Helper {
    child: Child,
    input: Option<ChildStdin>,
    /// Kept, since it may say something more.
    _output: Lines<BufReader<ChildStdout>>,
}

impl Helper {
    /// Waits until the command has said `ready`.
    fn start(mut command: Command) -> Self {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap()).lines();
        let is_ready = output.by_ref().map_while(Result::ok).any(|line| line.ends_with("ready"));
        let helper = Self { input: child.stdin.take(), _output: output, child };
        assert!(is_ready, "the child process has ended");
        helper
    }

    fn shell(mut around: Command, script: &str, arguments: &[&str]) -> Self {
        around.args(["/bin/sh", "-ec", &format!("{script}; echo ready; read end"), "sh"]).args(arguments);
        Self::start(around)
    }
}

impl Drop for Helper {
    fn drop(&mut self) {
        // It reads the end of its input, and ends.
        drop(self.input.take());
        let _ = self.child.wait();
    }
}

/// The most important one: nothing that is said makes the disk of this machine a device for the lab. Only refusals are asked for here:
/// neither `check` nor `recheck` opens a device for writing.
/// A device that is open for this process alone.
fn held(path: &Path) -> std::io::Result<File> {
    File::options().read(true).write(true).custom_flags(libc::O_EXCL).open(path)
}

#[test]
#[ignore = "needs root"]
fn the_disk_of_the_machine_is_refused_whatever_is_said() {
    if is_missing(&[Need::Root]) {
        return;
    }
    let root = mount_of(&File::open("/").unwrap()).unwrap();
    let Ok(entry) = Path::new("/sys/dev/block").join(&root.device_number).canonicalize() else {
        eprintln!("skipped: / lies on no block device, but on {}", root.kind);
        return;
    };
    let disk = if entry.join("partition").exists() { entry.parent().unwrap() } else { &entry };
    for place in [&*entry, disk] {
        let node = Path::new("/dev").join(place.file_name().unwrap());
        if !node.exists() {
            eprintln!("skipped: there is no {}", node.display());
            continue;
        }
        let number = fs::read_to_string(place.join("dev")).unwrap().trim().to_owned();
        for wipe in [false, true] {
            for destroy in [vec![], vec![node.clone()]] {
                let said = refused(&[std::slice::from_ref(&node)], &destroy, wipe);
                assert!(said.starts_with(&format!("{}: is in use: ", node.display())) && said.contains(" mounted at /"), "{said}");
                assert!(!said.contains("--destroy") && !said.contains("--wipe"), "it advises what must not be done: {said}");
            }
        }
        assert!(matches!(recheck(&node, &number), Err(DeviceRefusal::Used { .. })));
    }
}

/// The same, with every file listed that is opened for it.
#[test]
#[ignore = "needs root, strace"]
fn to_be_refused_the_disk_of_the_machine_is_never_opened_for_writing() {
    if is_missing(&[Need::Root, Need::Program("strace")]) {
        return;
    }
    let home = tempfile::tempdir().unwrap();
    let list = home.path().join("opened");
    let mut strace = Command::new("strace");
    strace.args(["-f", "-e", "trace=open,openat,openat2", "-o"]).arg(&list).arg(std::env::current_exe().unwrap());
    strace.args(["--exact", "real::lab_devices::the_disk_of_the_machine_is_refused_whatever_is_said", "--ignored", "--nocapture"]);
    let done = strace.output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stdout));
    let opened = fs::read_to_string(&list).unwrap();
    let nodes: Vec<&str> = opened.lines().filter(|line| line.contains("\"/dev/") && !line.contains("\"/dev/null\"")).collect();
    assert!(nodes.iter().all(|line| line.contains("O_PATH")), "a device is opened: {nodes:#?}");
    assert!(!nodes.is_empty() || String::from_utf8_lossy(&done.stderr).contains("skipped"), "nothing was looked at");
}

#[test]
#[ignore = "needs root, loop devices"]
fn a_mounted_device_is_refused_and_free_again_afterwards() {
    if is_missing(&NEEDS) {
        return;
    }
    let disk = Disk::made(8);
    disk.assert_free();
    let mounted = disk.mount();
    disk.assert_refused(&format!("it is mounted at {}", disk.place().display()));
    // A busy one that is taken out of sight is still there.
    let open = File::open(disk.place()).unwrap();
    system("umount", &["-l", &disk.place().display().to_string()]);
    drop(mounted);
    disk.assert_refused("the kernel does not let it be opened exclusively");
    drop(open);
    disk.assert_free();
}

#[test]
#[ignore = "needs root, loop devices"]
fn a_device_that_only_another_namespace_has_mounted_is_refused() {
    if is_missing(&NEEDS) {
        return;
    }
    let disk = Disk::made(8);
    let mut unshare = alone("unshare");
    unshare.args(["-m", "--propagation", "private"]);
    let place = disk.place().display().to_string();
    let helper = Helper::shell(unshare, "mount \"$1\" \"$2\"", &[&disk.name(), &place]);
    disk.assert_refused(&format!("it is mounted at {place}, as process {} (sh) sees it", helper.child.id()));
    drop(helper);
    disk.assert_free();
}

#[test]
#[ignore = "needs root, loop devices"]
fn a_device_in_use_as_swap_is_refused() {
    if is_missing(&[Need::Root, Need::Loop, Need::Program("mkswap"), Need::Program("swapon")]) {
        return;
    }
    let disk = Disk::of(8);
    system("mkswap", &[&disk.name()]);
    let begun = Command::new("swapon").arg(disk.path()).env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin").output().unwrap();
    if !begun.status.success() {
        eprintln!("skipped: this kernel takes no loop device as swap: {}", String::from_utf8_lossy(&begun.stderr));
        return;
    }
    let said = refused(&[&[disk.path()]], &[disk.path()], true);
    let again = recheck(&disk.path(), &disk.number());
    system("swapoff", &[&disk.name()]);
    assert!(said.contains("it is used as swap"), "{said}");
    assert!(matches!(again, Err(DeviceRefusal::Used { .. })), "{again:?}");
    disk.assert_free();
}

/// Not a test by itself: holds a device exclusively, in a process of its own, until its input ends.
#[test]
#[ignore = "needs root, loop devices: run by another test"]
fn holder_in_its_process() {
    let Some(path) = std::env::var_os(HELD) else {
        return;
    };
    let held = held(Path::new(&path)).unwrap();
    println!("ready");
    std::io::stdout().flush().unwrap();
    let _ = std::io::stdin().read_line(&mut String::new());
    drop(held);
}

#[test]
#[ignore = "needs root, loop devices"]
fn a_device_that_another_process_holds_is_refused() {
    if is_missing(&NEEDS) {
        return;
    }
    let disk = Disk::of(8);
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "real::lab_devices::holder_in_its_process", "--ignored", "--nocapture"]).env(HELD, disk.path());
    let helper = Helper::start(command);
    disk.assert_refused(&format!("it is open for writing in process {} ", helper.child.id()));
    drop(helper);
    disk.assert_free();
    let held = held(&disk.path()).unwrap();
    disk.assert_refused("the kernel does not let it be opened exclusively");
    drop(held);
    disk.assert_free();
}

#[test]
#[ignore = "needs root, loop devices"]
fn every_device_of_a_mounted_btrfs_is_refused() {
    if is_missing(&[Need::Root, Need::Loop, Need::Filesystem("btrfs"), Need::Program("mkfs.btrfs")]) {
        return;
    }
    let disks = [Disk::of(128), Disk::of(128)];
    system("mkfs.btrfs", &["-q", "-f", "-K", &disks[0].name(), &disks[1].name()]);
    let mounted = disks[0].mount();
    for disk in &disks {
        disk.assert_refused(&format!("it is mounted at {}", disks[0].place().display()));
    }
    drop(mounted);
    disks.iter().for_each(Disk::assert_free);
}

#[test]
#[ignore = "needs root, loop devices"]
fn a_loop_device_on_a_device_stops_it() {
    if is_missing(&NEEDS) {
        return;
    }
    let disk = Disk::made(8);
    let below = File::options().read(true).write(true).open(disk.path()).unwrap();
    let upper = LoopDevice::attach(&below, &disk.path()).unwrap();
    drop(below);
    disk.assert_refused(&format!("it is held by {}", upper.name()));
    let wanted = [upper.path()];
    assert_eq!(refused(&[&wanted], &wanted, true), "", "the upper one may be used");
    let mounted = disk.mount();
    let said = refused(&[&wanted], &wanted, true);
    assert!(said.contains(&format!("{}, on which it stands, is mounted at", disk.device.name())), "{said}");
    drop(mounted);
}

#[test]
#[ignore = "needs root, loop devices"]
fn a_symbolic_link_is_followed_to_what_it_leads_to() {
    if is_missing(&NEEDS) {
        return;
    }
    let (disk, other) = (Disk::made(8), Disk::of(8));
    let link = disk.home.path().join("by-id");
    symlink(disk.path(), &link).unwrap();
    let wanted = [link.clone()];
    let mounted = disk.mount();
    assert!(refused(&[&wanted], &wanted, true).starts_with(&format!("{}: is in use: it is mounted at", link.display())));
    drop(mounted);
    let devices = check(&[&wanted], &wanted, true).unwrap();
    assert_eq!((devices[0].path.as_path(), devices[0].number.clone()), (link.as_path(), disk.number()));
    // In other letters than the plan.
    let said = refused(&[&wanted], &[disk.path()], true);
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(said.contains(&format!("write `--destroy {}`", link.display())), "{said}");
    // It leads elsewhere by now.
    fs::remove_file(&link).unwrap();
    symlink(other.path(), &link).unwrap();
    for moved in [recheck(&link, &disk.number()), wipe(&link, &disk.number(), &AtomicBool::new(false))] {
        assert!(matches!(moved, Err(DeviceRefusal::Moved { .. })), "{moved:?}");
    }
    recheck(&link, &other.number()).unwrap();
}

#[test]
#[ignore = "needs root, loop devices"]
fn a_device_is_named_once_in_a_variant_and_again_to_be_destroyed() {
    if is_missing(&NEEDS) {
        return;
    }
    let disk = Disk::of(8);
    let (link, path) = (disk.home.path().join("link"), disk.path());
    symlink(&path, &link).unwrap();
    let twice = format!("is the same device as {}", path.display());
    for variant in [[path.clone(), path.clone()], [path.clone(), link.clone()]] {
        let said = refused(&[&variant], &[path.clone(), link.clone()], true);
        assert!(said.lines().any(|line| line.contains(&twice)), "{said}");
    }
    let wanted = [path.clone()];
    let said = refused(&[&wanted], &[], true);
    assert!(said.contains(&format!("add `--destroy {}`", path.display())), "{said}");
    let crooked = PathBuf::from(format!("/dev/../dev/{}", disk.device.name()));
    let said = refused(&[&wanted], &[crooked], true);
    assert!(said.contains(&format!("write `--destroy {}`", path.display())), "{said}");
    let shared = check(&[&wanted, &wanted], &wanted, false).unwrap();
    assert_eq!((shared.len(), shared[0].facts.bytes, shared[0].content.len()), (1, 8 << 20, 0), "variants may share it");
}

#[test]
#[ignore = "needs root, loop devices"]
fn what_is_on_a_device_is_shown_and_wiped_when_asked() {
    if is_missing(&[NEEDS.as_slice(), &[Need::Program("mkfs.btrfs")]].concat()) {
        return;
    }
    let disk = Disk::of(128);
    // The signature of a btrfs lies behind what mkfs.ext4 writes.
    system("mkfs.btrfs", &["-q", "-f", "-K", "-L", "old", &disk.name()]);
    system("mkfs.ext4", &["-q", "-F", "-L", "precious", &disk.name()]);
    let wanted = [disk.path()];
    let said = refused(&[&wanted], &wanted, false);
    assert!(said.contains("on it ext4 `precious`") && said.contains("add `--wipe`"), "{said}");
    let devices = check(&[&wanted], &wanted, true).unwrap();
    assert!(devices[0].content.iter().any(|signature| signature.kind == "ext4"), "{:?}", devices[0].content);
    wipe(&devices[0].path, &devices[0].number, &AtomicBool::new(false)).unwrap();
    assert_eq!(check(&[&wanted], &wanted, false).unwrap()[0].content, []);
}

#[test]
#[ignore = "needs root, loop devices"]
fn a_device_that_is_mounted_after_the_check_is_not_taken() {
    if is_missing(&NEEDS) {
        return;
    }
    let disk = Disk::made(8);
    let wanted = [disk.path()];
    let device = check(&[&wanted], &wanted, true).unwrap().remove(0);
    recheck(&device.path, &device.number).unwrap();
    let mounted = disk.mount();
    assert!(matches!(recheck(&device.path, &device.number), Err(DeviceRefusal::Used { .. })));
    assert_eq!(held(&device.path).unwrap_err().kind(), std::io::ErrorKind::ResourceBusy);
    drop(mounted);
    recheck(&device.path, &device.number).unwrap();
    // What was mounted meanwhile is as it was.
    system("e2fsck", &["-f", "-n", &disk.name()]);
}

#[test]
#[ignore = "needs root, loop devices"]
fn a_read_only_device_is_refused() {
    if is_missing(&[NEEDS.as_slice(), &[Need::Program("blockdev")]].concat()) {
        return;
    }
    let disk = Disk::of(8);
    system("blockdev", &["--setro", &disk.name()]);
    assert!(disk.refused().contains("is read-only"), "{}", disk.refused());
    system("blockdev", &["--setrw", &disk.name()]);
    disk.assert_free();
}

#[test]
fn what_is_no_block_device_is_refused() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("file");
    fs::write(&file, "kept").unwrap();
    let kinds = [
        (file.clone(), "is a regular file, and no block device"),
        (home.path().to_owned(), "is a directory, and no block device"),
        (PathBuf::from("/dev/null"), "is a character device, and no block device"),
        (home.path().join("missing"), "there is nothing of this name"),
    ];
    for (path, words) in kinds {
        let wanted = [path.clone()];
        let said = refused(&[&wanted], &wanted, true);
        assert!(said.starts_with(&format!("{}: ", path.display())) && said.contains(words), "{said}");
    }
    assert_eq!(fs::read(&file).unwrap(), b"kept");
}
