//! Filesystems made for one test: on a loop device over an image that is written in full, with limits of its own; and in memory.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// The four rules of the block controller; they lie in its root group, so that every flush is under them.
const RULES: [&str; 4] = ["read_bps", "write_bps", "read_iops", "write_iops"];

const SYSTEM_PATH: &str = "/usr/sbin:/usr/bin:/sbin:/bin";

/// Runs a program of the system and returns what it prints.
///
/// # Panics
/// When it fails, with what it says.
pub fn system(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).env("PATH", SYSTEM_PATH).env("LC_ALL", "C").output();
    let output = output.unwrap_or_else(|error| panic!("{program}: {error}"));
    assert!(output.status.success(), "{program} {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

/// Held by each test that uses devices: limits, drops of the system's caches and flushes of one would disturb the other, in this
/// process or another one.
pub struct DeviceLock(File);

impl DeviceLock {
    /// Waits until nobody else holds it.
    pub fn take() -> Self {
        let path = std::env::temp_dir().join("barrow-device-tests.lock");
        let file = File::options().create(true).append(true).open(&path).unwrap();
        file.lock().unwrap();
        Self(file)
    }
}

impl Drop for DeviceLock {
    fn drop(&mut self) {
        // The descriptor is closed at once in any case.
        let _ = self.0.unlock();
    }
}

/// How a filesystem on a loop device is made.
#[derive(Debug, Clone, Copy)]
pub struct Recipe<'a> {
    /// Its type.
    pub kind: &'static str,
    /// Its size.
    pub size_mib: u64,
    /// More options for mkfs.
    pub mkfs: &'a [&'a str],
    /// How it is mounted.
    pub mount: &'a str,
    /// The directory in which the image lies; that of temporary files, where none is named.
    pub below: Option<&'a Path>,
    /// Whether the loop device passes the page cache of the filesystem that holds the image.
    pub is_direct: bool,
}

impl Recipe<'_> {
    /// The usual one.
    pub const fn of(kind: &'static str, size_mib: u64) -> Self {
        Self { kind, size_mib, mkfs: &[], mount: "defaults", below: None, is_direct: true }
    }
}

/// What a device did since it is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Traffic {
    /// Bytes.
    pub read: u64,
    /// Bytes.
    pub written: u64,
}

impl Traffic {
    /// Reads a line of `/sys/block/*/stat`: the third and the seventh number are sectors of 512 bytes.
    pub fn of(line: &str) -> Self {
        let numbers: Vec<u64> = line.split_whitespace().map(|number| number.parse().unwrap()).collect();
        Self { read: 512 * numbers[2], written: 512 * numbers[6] }
    }

    /// What was done since an earlier moment.
    pub const fn since(self, earlier: Self) -> Self {
        Self { read: self.read - earlier.read, written: self.written - earlier.written }
    }
}

/// A filesystem on a loop device. Gone, with its limits, when dropped.
pub struct LoopFilesystem {
    kind: &'static str,
    number: String,
    image: PathBuf,
    mount_point: PathBuf,
    _home: TempDir,
    _lock: DeviceLock,
}

impl LoopFilesystem {
    /// Makes one of so many MiB.
    pub fn of(kind: &'static str, size_mib: u64) -> Self {
        Self::with_options(kind, size_mib, &[])
    }

    /// Makes one of so many MiB, with more options for mkfs.
    pub fn with_options(kind: &'static str, size_mib: u64, mkfs_options: &[&str]) -> Self {
        Self::made(&Recipe { mkfs: mkfs_options, ..Recipe::of(kind, size_mib) })
    }

    /// Makes one on two images of so many MiB, the second of which lies in a directory.
    pub fn of_two(kind: &'static str, size_mib: u64, second: &Path, mkfs_options: &[&str]) -> Self {
        let image = second.join("second image");
        write_in_full(&image, size_mib);
        let attached = Attached::of(&image, true);
        // It goes with the mount too, once it is part of it.
        Self::made(&Recipe { mkfs: &[mkfs_options, &[attached.0.as_str()]].concat(), ..Recipe::of(kind, size_mib) })
    }

    /// Makes one by a recipe.
    pub fn made(recipe: &Recipe<'_>) -> Self {
        let lock = DeviceLock::take();
        let kind = recipe.kind;
        let usual = std::env::temp_dir();
        let home = tempfile::Builder::new().prefix("barrow-loop-").tempdir_in(recipe.below.unwrap_or(&usual)).unwrap();
        let (image, mount_point) = (home.path().join("image"), home.path().join("mounted"));
        fs::create_dir(&mount_point).unwrap();
        // Other users pass through to what is mounted.
        fs::set_permissions(home.path(), fs::Permissions::from_mode(0o711)).unwrap();
        write_in_full(&image, recipe.size_mib);
        let attached = Attached::of(&image, recipe.is_direct);
        let device = attached.0.as_str();
        let number = fs::read_to_string(format!("/sys/block/{}/dev", device.trim_start_matches("/dev/"))).unwrap().trim().to_owned();
        let filesystem = Self { kind, number, image, mount_point, _home: home, _lock: lock };
        filesystem.lift_limits();
        make(kind, device, recipe.mkfs);
        let options = if kind == "btrfs" { format!("nodiscard,{}", recipe.mount) } else { recipe.mount.to_owned() };
        system("mount", &["-t", kind, "-o", &options, device, &filesystem.mount_point.to_string_lossy()]);
        // From here on the device goes with the mount.
        drop(attached);
        // Whoever runs barrow may write here.
        fs::set_permissions(filesystem.path(), fs::Permissions::from_mode(0o1777)).unwrap();
        filesystem
    }

    /// Where it is mounted.
    pub fn path(&self) -> &Path {
        &self.mount_point
    }

    /// Its type.
    pub const fn kind(&self) -> &'static str {
        self.kind
    }

    /// Limits what is read from the device to so many bytes a second.
    pub fn limit_read(&self, bytes_per_second: u64) {
        self.set_rule("read_bps", bytes_per_second).unwrap();
    }

    /// Limits what is written to the device to so many bytes a second.
    pub fn limit_write(&self, bytes_per_second: u64) {
        self.set_rule("write_bps", bytes_per_second).unwrap();
    }

    /// Limits reads of the device, of whatever size, to so many a second.
    pub fn limit_read_operations(&self, operations_per_second: u64) {
        self.set_rule("read_iops", operations_per_second).unwrap();
    }

    /// Takes every limit away; what waits for one goes on at once.
    pub fn lift_limits(&self) {
        for rule in RULES {
            // A machine without the controller has no limits to lift.
            let _ = self.set_rule(rule, 0);
        }
    }

    fn set_rule(&self, rule: &str, value: u64) -> io::Result<()> {
        fs::write(format!("/sys/fs/cgroup/blkio/blkio.throttle.{rule}_device"), format!("{} {value}", self.number))
    }

    /// The file in which the kernel counts what the device does.
    pub fn statistics(&self) -> PathBuf {
        PathBuf::from(format!("/sys/dev/block/{}/stat", self.number))
    }

    /// What the device did so far.
    pub fn traffic(&self) -> Traffic {
        Traffic::of(&fs::read_to_string(self.statistics()).unwrap())
    }

    /// Fails when the image has a hole, into which a first write would go faster than to the device.
    pub fn assert_no_hole(&self) {
        let image = fs::metadata(&self.image).unwrap();
        assert!(image.blocks() * 512 >= image.len(), "{}: {} of {} bytes are allocated", self.kind, image.blocks() * 512, image.len());
    }

    /// Cuts the image off below the mounted filesystem: what was on its disk and not in memory is gone.
    pub fn lose_blocks(&self) {
        system("sync", &["-f", &self.mount_point.to_string_lossy()]);
        File::options().write(true).open(&self.image).unwrap().set_len(1 << 20).unwrap();
    }

    /// Mounts it again so that nothing can be written.
    pub fn remount_read_only(&self) {
        system("mount", &["-o", "remount,ro", &self.mount_point.to_string_lossy()]);
    }
}

impl Drop for LoopFilesystem {
    fn drop(&mut self) {
        self.lift_limits();
        unmount(&self.mount_point);
    }
}

/// Takes a mount away, even one that is still in use; there may be none, where making it failed.
fn unmount(mount_point: &Path) {
    let _ = Command::new("umount").arg(mount_point).stderr(Stdio::null()).status();
    let _ = Command::new("umount").arg("-l").arg(mount_point).stderr(Stdio::null()).status();
}

/// Writes every byte of an image: an allocated but unwritten one answers reads without its disk.
fn write_in_full(image: &Path, size_mib: u64) {
    system("dd", &["if=/dev/zero", &format!("of={}", image.display()), "bs=1M", &format!("count={size_mib}"), "conv=fsync", "status=none"]);
}

/// An image that is attached to a loop device, until nothing is mounted there any more.
struct Attached(String);

impl Attached {
    /// Attaches with direct I/O, so that the image is not cached a second time, where its filesystem can do that and it is wished.
    fn of(image: &Path, is_direct: bool) -> Self {
        let image = image.to_string_lossy();
        let with = |more: &[&str]| {
            let arguments = [&["--find", "--show"], more, &[&image]].concat();
            let output = Command::new("losetup").args(&arguments).env("PATH", SYSTEM_PATH).output().unwrap();
            output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
        };
        let direct = is_direct.then(|| with(&["--direct-io=on"])).flatten();
        Self(direct.or_else(|| with(&["--direct-io=off"])).expect("losetup attaches no image"))
    }
}

impl Drop for Attached {
    fn drop(&mut self) {
        // While it is mounted, this only marks it to go with the mount.
        let _ = Command::new("losetup").args(["-d", &self.0]).env("PATH", SYSTEM_PATH).status();
    }
}

/// Makes a filesystem without discarding, which would punch holes into the image.
fn make(kind: &str, device: &str, more: &[&str]) {
    let options: &[&str] = match kind {
        "ext4" => &["-q", "-F", "-m", "0", "-E", "lazy_itable_init=0,lazy_journal_init=0,nodiscard"],
        "xfs" | "btrfs" => &["-q", "-f", "-K"],
        other => panic!("no recipe for {other}"),
    };
    system(&format!("mkfs.{kind}"), &[options, more, &[device]].concat());
}

/// A filesystem in memory. Gone when dropped.
pub struct MemoryFilesystem {
    home: TempDir,
}

impl MemoryFilesystem {
    /// Mounts one with these options of tmpfs(5).
    pub fn of(options: &str) -> Self {
        let home = tempfile::Builder::new().prefix("barrow-memory-").tempdir().unwrap();
        system("mount", &["-t", "tmpfs", "-o", &format!("{options},mode=1777"), "barrow-test", &home.path().to_string_lossy()]);
        Self { home }
    }

    /// Where it is mounted.
    pub fn path(&self) -> &Path {
        self.home.path()
    }
}

impl Drop for MemoryFilesystem {
    fn drop(&mut self) {
        unmount(self.home.path());
    }
}

/// An overlay whose upper layer lies in a directory. Gone when dropped.
pub struct OverlayFilesystem {
    home: TempDir,
}

impl OverlayFilesystem {
    /// Mounts one with its layers in `below`, with more options.
    pub fn on(below: &Path, more: &str) -> Self {
        let home = tempfile::Builder::new().prefix("barrow-overlay-").tempdir().unwrap();
        let layer = |name: &str| {
            let path = below.join(name);
            fs::create_dir(&path).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o1777)).unwrap();
            path.display().to_string()
        };
        let options = format!("lowerdir={},upperdir={},workdir={}{more}", layer("lower"), layer("upper"), layer("work"));
        system("mount", &["-t", "overlay", "-o", &options, "overlay", &home.path().to_string_lossy()]);
        Self { home }
    }

    /// Where it is mounted.
    pub fn path(&self) -> &Path {
        self.home.path()
    }
}

impl Drop for OverlayFilesystem {
    fn drop(&mut self) {
        unmount(self.home.path());
    }
}

/// A directory or a file that is seen in another place too. Gone when dropped.
pub struct Bound(PathBuf);

impl Bound {
    /// Shows something in a place of its kind.
    pub fn on(place: &Path, what: &Path) -> Self {
        system("mount", &["--bind", &what.to_string_lossy(), &place.to_string_lossy()]);
        Self(place.to_owned())
    }
}

impl Drop for Bound {
    fn drop(&mut self) {
        unmount(&self.0);
    }
}
