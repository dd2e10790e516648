//! What the things below a filesystem moved, by their own counters: block devices, the cache of ZFS, an NFS server.

use super::mounts::unescape;
use super::stack::Found;
use crate::model::evidence::{ArcTraffic, ServerTraffic};
use crate::model::stack::{Layer, StackDevice, Traffic};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// Sectors of the counters have this many bytes, whatever those of the device have (Linux, Documentation/block/stat.rst).
const SECTOR: u64 = 512;

/// Reads the counters of the devices of a stack. They stay open: another device that takes the name of one that has gone is not
/// mistaken for it.
#[derive(Debug)]
pub struct TrafficReader {
    devices: Vec<Option<Counters>>,
}

/// The counters of one device.
#[derive(Debug)]
struct Counters {
    own: File,
    /// The disk of a partition, which alone counts flushes.
    disk: Option<File>,
    /// Whether transfers are counted (`queue/iostats`), where they were when this was opened: that can be turned off at any time.
    is_counted: Option<File>,
}

impl Counters {
    fn open(entry: &Path, device: &StackDevice) -> io::Result<Self> {
        let disk = match device.layer {
            Layer::Partition => entry.parent(),
            Layer::Disk | Layer::Mapper | Layer::Raid | Layer::Bcache | Layer::Loop | Layer::Memory => None,
        };
        let queue = disk.unwrap_or(entry).join("queue/iostats");
        let is_counted = device.is_counted.then(|| File::open(queue)).transpose()?;
        let disk = disk.map(|disk| File::open(disk.join("stat"))).transpose()?;
        Ok(Self { own: File::open(entry.join("stat"))?, disk, is_counted })
    }

    fn read(&self) -> Option<Traffic> {
        if self.is_counted.as_ref().is_some_and(|iostats| !says_yes(iostats)) {
            return None;
        }
        let own = read_stat(&self.own)?;
        match &self.disk {
            None => Some(own),
            Some(disk) => Some(Traffic { flushes: read_stat(disk)?.flushes, ..own }),
        }
    }
}

fn says_yes(iostats: &File) -> bool {
    let mut digit = [0];
    iostats.read_at(&mut digit, 0).is_ok_and(|length| length == 1) && digit == *b"1"
}

fn read_stat(file: &File) -> Option<Traffic> {
    // 17 numbers of at most 20 digits, each with a blank.
    let mut text = [0; 512];
    let length = file.read_at(&mut text, 0).ok()?;
    parse_stat(std::str::from_utf8(&text[..length]).ok()?)
}

impl TrafficReader {
    /// Opens the counters of the devices that were found.
    #[must_use]
    pub fn open(found: &Found) -> Self {
        let devices = found.stack.devices.iter().zip(&found.entries);
        Self { devices: devices.map(|(device, entry)| Counters::open(entry, device).ok()).collect() }
    }

    /// What each device moved since the machine was started, in the order of the stack; nothing where the stack has no devices. `None`
    /// when one of them does not tell, counts no longer, or is gone.
    #[must_use]
    pub fn read(&self) -> Option<Vec<Traffic>> {
        self.devices.iter().map(|device| device.as_ref()?.read()).collect()
    }
}

/// Reads the counters of /sys/block/*/stat: 11 numbers, 15 since Linux 4.18 (discards), 17 since 5.5 (flushes). `None` when it is
/// something else.
#[must_use]
pub fn parse_stat(text: &str) -> Option<Traffic> {
    let numbers: Option<Vec<u64>> = text.split_ascii_whitespace().map(|word| word.parse().ok()).collect();
    let numbers = numbers?;
    let is_known_form = matches!(numbers.len(), 11 | 15) || numbers.len() >= 17;
    let bytes = |place: usize| numbers.get(place).copied().unwrap_or(0).checked_mul(SECTOR);
    if !is_known_form {
        return None;
    }
    Some(Traffic {
        reads: *numbers.first()?,
        read_bytes: bytes(2)?,
        writes: *numbers.get(4)?,
        written_bytes: bytes(6)?,
        discarded_bytes: bytes(13)?,
        flushes: numbers.get(15).copied(),
    })
}

/// What the cache of ZFS answered since its module was loaded; `None` where there is none.
#[must_use]
pub fn arc_traffic() -> Option<ArcTraffic> {
    parse_arcstats(&fs::read_to_string("/proc/spl/kstat/zfs/arcstats").ok()?)
}

/// Reads hits and misses in the text of arcstats: lines of name, type and value.
#[must_use]
pub fn parse_arcstats(text: &str) -> Option<ArcTraffic> {
    let value = |wanted: &str| {
        text.lines().find_map(|line| {
            let mut words = line.split_ascii_whitespace();
            let is_wanted = words.next() == Some(wanted);
            is_wanted.then(|| words.nth(1)?.parse().ok()).flatten()
        })
    };
    Some(ArcTraffic { hits: value("hits")?, misses: value("misses")? })
}

/// What was read from and written to the server of the NFS mount at a mount point, since it was mounted; `None` where there is none.
#[must_use]
pub fn server_traffic(mount_point: &Path) -> Option<ServerTraffic> {
    parse_mountstats(&String::from_utf8_lossy(&fs::read("/proc/self/mountstats").ok()?), mount_point)
}

/// Reads the line `bytes:` of a mount in the text of mountstats; of several on one mount point the last, which covers the others.
/// Its fifth and sixth numbers are what went over the wire (Linux, fs/nfs/iostat.h).
#[must_use]
pub fn parse_mountstats(text: &str, mount_point: &Path) -> Option<ServerTraffic> {
    let mut found = None;
    let mut is_here = false;
    for line in text.lines() {
        if let Some(point) = mount_point_of(line) {
            is_here = point == mount_point;
            found = if is_here { None } else { found };
        } else if let (true, Some(numbers)) = (is_here, line.trim_start().strip_prefix("bytes:")) {
            found = server_bytes(numbers);
        }
    }
    found
}

/// The mount point of a line that begins a mount: `device SOURCE mounted on POINT with fstype KIND`.
fn mount_point_of(line: &str) -> Option<PathBuf> {
    let (_, rest) = line.strip_prefix("device ").or(line.strip_prefix("no device "))?.split_once("mounted on ")?;
    let (point, _) = rest.split_once(" with fstype ")?;
    Some(PathBuf::from(OsString::from_vec(unescape(point))))
}

fn server_bytes(numbers: &str) -> Option<ServerTraffic> {
    let mut numbers = numbers.split_ascii_whitespace().skip(4);
    Some(ServerTraffic { read_bytes: numbers.next()?.parse().ok()?, written_bytes: numbers.next()?.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::stack::{Bottom, Stack, StackDevice};
    use proptest::prelude::*;

    const ELEVEN: &str = "  1406735   103885 105082892   320944   126754   459383 120022003   903971        0   223808  1238112";

    #[test]
    fn stat_is_read_in_its_three_forms() {
        let eleven = Traffic {
            reads: 1_406_735,
            read_bytes: 105_082_892 * 512,
            writes: 126_754,
            written_bytes: 120_022_003 * 512,
            discarded_bytes: 0,
            flushes: None,
        };
        assert_eq!(parse_stat(ELEVEN), Some(eleven));
        let fifteen = format!("{ELEVEN} 113 0 494035440 184315");
        assert_eq!(parse_stat(&fifteen), Some(Traffic { discarded_bytes: 494_035_440 * 512, ..eleven }));
        let seventeen = format!("{fifteen} 65004 23424\n");
        assert_eq!(parse_stat(&seventeen), Some(Traffic { discarded_bytes: 494_035_440 * 512, flushes: Some(65004), ..eleven }));
        assert_eq!(parse_stat(&format!("{seventeen} 1 2")), parse_stat(&seventeen), "what later kernels add changes nothing");
    }

    #[test]
    fn what_is_no_stat_is_not_0() {
        for text in
            ["", "1 2 3", &format!("{ELEVEN} 1"), &ELEVEN.replace("103885", "x"), &ELEVEN.replace("105082892", &u64::MAX.to_string())]
        {
            assert_eq!(parse_stat(text), None, "{text}");
        }
    }

    fn device(name: &str, layer: Layer) -> StackDevice {
        StackDevice { name: name.to_owned(), layer, is_leaf: true, is_counted: true, write_cache: None, rotational: None, direct_io: None }
    }

    #[test]
    fn a_partition_has_its_own_bytes_and_the_flushes_of_its_disk() {
        let home = tempfile::tempdir().unwrap();
        let part = home.path().join("sda/sda1");
        fs::create_dir_all(&part).unwrap();
        fs::write(home.path().join("sda/stat"), "9 0 90 0 9 0 90 0 0 0 0 0 0 0 0 7 0\n").unwrap();
        fs::write(part.join("stat"), "1 0 2 0 3 0 4 0 0 0 0 0 0 5 0 0 0\n").unwrap();
        let iostats = home.path().join("sda/queue/iostats");
        fs::create_dir(home.path().join("sda/queue")).unwrap();
        fs::write(&iostats, "1\n").unwrap();
        let stack = Stack { bottom: Bottom::Devices, devices: vec![device("sda1", Layer::Partition), device("sda", Layer::Disk)] };
        let found = Found { stack, entries: vec![part.clone(), home.path().join("sda")], chain: Vec::new() };
        let reader = TrafficReader::open(&found);
        let read = reader.read().unwrap();
        assert_eq!((read[0].read_bytes, read[0].written_bytes, read[0].discarded_bytes), (1024, 2048, 2560));
        assert_eq!((read[0].flushes, read[1].flushes, read[1].reads), (Some(7), Some(7), 9));
        fs::write(part.join("stat"), "2 0 4 0 3 0 4 0 0 0 0 0 0 5 0 0 0\n").unwrap();
        assert_eq!(reader.read().unwrap()[0].since(&read[0]).read_bytes, 1024, "it is read anew each time");
        fs::write(&iostats, "0\n").unwrap();
        assert_eq!(reader.read(), None, "it counts no longer");
        fs::write(&iostats, "1\n").unwrap();
        fs::write(part.join("stat"), "gone\n").unwrap();
        assert_eq!(reader.read(), None);
        fs::remove_file(part.join("stat")).unwrap();
        assert_eq!(TrafficReader::open(&found).read(), None);
        assert_eq!(TrafficReader::open(&Found::default()).read(), Some(Vec::new()));
    }

    #[test]
    fn the_cache_of_zfs_counts_hits_and_misses() {
        let text = "13 1 0x01 147 39984 4166 9\nname                            type data\nhits                            4    812\n\
                    demand_data_hits                4    7\nmisses                          4    34\n";
        assert_eq!(parse_arcstats(text), Some(ArcTraffic { hits: 812, misses: 34 }));
        assert_eq!(parse_arcstats("name type data\nhits 4 1\n"), None);
    }

    const MOUNTS: &str = "device proc mounted on /proc with fstype proc\n\
        device example:/export mounted on /mnt/a\\040b with fstype nfs4 statvers=1.1\n\
        \topts:\trw,vers=4.2\n\tage:\t5\n\tbytes:\t1 2 3 4 500 600 7 8\n\
        device example:/other mounted on /mnt/c with fstype nfs4 statvers=1.1\n\tbytes:\t1 2 3 4 5 6 7 8\n";

    #[test]
    fn a_server_is_counted_by_its_mount_point() {
        let of = |point: &str| parse_mountstats(MOUNTS, Path::new(point));
        assert_eq!(of("/mnt/a b"), Some(ServerTraffic { read_bytes: 500, written_bytes: 600 }));
        assert_eq!(of("/mnt/c"), Some(ServerTraffic { read_bytes: 5, written_bytes: 6 }));
        assert_eq!(of("/proc"), None);
        let covered = format!("{MOUNTS}device tmpfs mounted on /mnt/c with fstype tmpfs\n");
        assert_eq!(parse_mountstats(&covered, Path::new("/mnt/c")), None);
    }

    proptest! {
        #[test]
        fn any_stat_is_read_whole_or_refused(numbers in prop::collection::vec(any::<u32>(), 0..20)) {
            let text = numbers.iter().map(u32::to_string).collect::<Vec<_>>().join(" ");
            let read = parse_stat(&text);
            prop_assert_eq!(read.is_some(), matches!(numbers.len(), 11 | 15 | 17..));
            if let Some(read) = read {
                prop_assert_eq!(read.read_bytes, u64::from(numbers[2]) * 512);
                prop_assert_eq!(read.flushes, numbers.get(15).map(|flushes| u64::from(*flushes)));
            }
        }

        #[test]
        fn any_text_is_read_or_refused(text in "(device |no device |bytes:|hits|mounted on |with fstype |[ \\\\0-9a-z/\n\t]){0,20}") {
            let _ = (parse_stat(&text), parse_arcstats(&text), parse_mountstats(&text, Path::new("/a")));
        }
    }
}
