//! The keys of a profile as data: how each is read from text, and shown.

use super::choices;
use super::loadfile;
use super::nearest_names;
use super::{LoadfileChoice, Settings, SettingsError};
use super::{command_line, phase_list};
use crate::units::{exact_size, parse_size};

/// One key of a profile.
pub struct Key {
    /// Its name.
    pub name: &'static str,
    /// What it sets, in a few words.
    pub meaning: &'static str,
    /// Whether it decides the work (and so is part of the workload id).
    pub is_work: bool,
    read: fn(&mut Settings, &str, u64) -> Result<(), String>,
    show: fn(&Settings) -> String,
}

fn size(text: &str, _ram_bytes: u64) -> Result<u64, String> {
    parse_size(text).map_err(|error| error.to_string())
}

/// A size, or a multiple of the machine's memory as in `2xram`, which is rounded up to whole GiB before it is multiplied.
fn size_or_ram(text: &str, ram_bytes: u64) -> Result<u64, String> {
    let Some(times) = text.trim().to_ascii_lowercase().strip_suffix("xram").map(str::to_owned) else {
        return size(text, ram_bytes);
    };
    let times: u64 = times.parse().map_err(|_| format!("`{text}` is no multiple of the memory: write it as in 2xram"))?;
    if ram_bytes == 0 {
        return Err("the size of the memory is not known here; write a size, as in 16g".to_owned());
    }
    ram_bytes.div_ceil(1 << 30).checked_mul(times).and_then(|gib| gib.checked_mul(1 << 30)).ok_or_else(|| format!("`{text}` is too large"))
}

fn count(text: &str, _ram_bytes: u64) -> Result<u64, String> {
    text.trim().replace('_', "").parse().map_err(|_| format!("`{text}` is not a whole number"))
}

macro_rules! keys {
    ($($name:ident $is_work:literal $meaning:literal $read:expr, $show:expr;)*) => {
        /// Every key, in the order in which parameters are printed.
        pub const KEYS: &[Key] = &[$(Key {
            name: stringify!($name),
            meaning: $meaning,
            is_work: $is_work,
            read: |settings, text, ram_bytes| {
                settings.$name = ($read)(text, ram_bytes)?;
                Ok(())
            },
            show: |settings| ($show)(settings.$name.clone()),
        },)*];
    };
}

keys! {
    file_size            true  "bytes of all block files, as in 4g or 2xram; 0: none" size_or_ram, exact_size;
    chunk_size           true  "bytes of one transfer" size, exact_size;
    seek_size            true  "bytes of one random transfer" size, exact_size;
    seeks                true  "random transfers at least" count, |value: u64| value.to_string();
    seek_seconds         true  "seconds of them at least; 0 means exactly `seeks`" count, |value: u64| value.to_string();
    seekers              true  "threads that seek at once" count, |value: u64| value.to_string();
    seek_rewrite_percent true  "of the random transfers, written back changed" count, |value: u64| value.to_string();
    files                true  "files of a file set; 0: none" count, |value: u64| value.to_string();
    min_size             true  "bytes of the smallest file" size, exact_size;
    max_size             true  "bytes of the largest file" size, exact_size;
    dirs                 true  "directories of each worker" count, |value: u64| value.to_string();
    workers              true  "threads that share the work" count, |value: u64| value.to_string();
    io                   true  "buffered or direct" choices::named, choices::word;
    sequential_order     true  "of stat and delete: index or readdir" choices::named, choices::word;
    seed                 true  "of names, sizes and orders" count, |value: u64| value.to_string();
    runs                 false "how often the whole is repeated" count, |value: u64| value.to_string();
    compressible         true  "per cent of each 4 KiB that are zeros" count, |value: u64| value.to_string();
    dedupe               true  "per cent of the 4 KiB blocks that are duplicates" count, |value: u64| value.to_string();
    file_chunk_size      true  "bytes of one transfer of a small file; 0: chunk_size" size, exact_size;
    links                true  "of the files of a set, to a first: none, hard, symbolic" choices::named, choices::word;
    sync                 true  "fsync: at the end, or after every write and change" choices::read_sync, choices::word;
    phases               true  "in their order, by names and commas; standard: the ten" phase_list::read, phase_list::show;
    commands             true  "programs of a profile's [[phase]]s, as JSON" command_line::read, command_line::show;
    sync_writes          true  "small flushed writes of each kind; 0: none" count, |value: u64| value.to_string();
    transfers            true  "of each transfer phase at least; 0: each place once" count, |value: u64| value.to_string();
    transfer_seconds     true  "seconds of them at least" count, |value: u64| value.to_string();
    clients              true  "of the file server at once" count, |value: u64| value.to_string();
    seconds              true  "of a timed part; 0: its work once" count, |value: u64| value.to_string();
    warm_up              true  "seconds of the same before, off the clock" count, |value: u64| value.to_string();
    loadfile             true  "what each client does: built-in, or --loadfile" loadfile::named, |value: LoadfileChoice| value.to_string();
    place_size           true  "bytes read at a device's start, middle and end; 0: none" size, exact_size;
    sweep_places         true  "places of the curve over a device, to 64; 0: none" count, |value: u64| value.to_string();
    sweep_size           true  "bytes read at each of them" size, exact_size;
    tree_files           true  "files of a source tree; 0: none" count, |value: u64| value.to_string();
    library_files        true  "files of a library, 8 KiB to 32 MiB each; 0: none" count, |value: u64| value.to_string();
}

/// The keys that came when workloads already had ids. As long as such a key has its default value it is named neither in the canonical
/// text of the work, so that the ids of older workloads stay what they are, nor among the parameters of a report.
const LATER_KEYS: &[&str] = &[
    "compressible",
    "dedupe",
    "file_chunk_size",
    "links",
    "sync",
    "phases",
    "commands",
    "sync_writes",
    "transfers",
    "transfer_seconds",
    "clients",
    "seconds",
    "warm_up",
    "loadfile",
    "place_size",
    "sweep_places",
    "sweep_size",
    "tree_files",
    "library_files",
];

impl Key {
    /// The key of a name.
    ///
    /// # Errors
    /// Names the nearest keys when there is none.
    pub fn named(name: &str) -> Result<&'static Self, SettingsError> {
        KEYS.iter().find(|key| key.name == name).ok_or_else(|| SettingsError::UnknownKey {
            key: name.to_owned(),
            nearest: nearest_names(name, KEYS.iter().map(|key| key.name)),
        })
    }

    /// Sets this key from text. `ram_bytes` is what `2xram` is a multiple of.
    ///
    /// # Errors
    /// When the text is not of the key's kind.
    pub fn set(&self, settings: &mut Settings, text: &str, ram_bytes: u64) -> Result<(), SettingsError> {
        (self.read)(settings, text, ram_bytes).map_err(|problem| SettingsError::BadValue {
            key: self.name,
            value: text.to_owned(),
            problem,
        })
    }

    /// The value as text that [`Key::set`] reads.
    #[must_use]
    pub fn show(&self, settings: &Settings) -> String {
        (self.show)(settings)
    }

    /// Whether the key is named with its value: always, but for those that came later and have their default value.
    #[must_use]
    pub fn is_named(&self, settings: &Settings) -> bool {
        !LATER_KEYS.contains(&self.name) || self.show(settings) != self.show(&Settings::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::settings::{Io, Links, SequentialOrder, SyncAt};

    const RAM: u64 = 23 << 30;

    #[test]
    fn every_key_reads_what_it_shows() {
        let settings = Settings {
            file_size: 3 << 30,
            io: Io::Direct,
            sequential_order: SequentialOrder::Readdir,
            compressible: 50,
            file_chunk_size: 512,
            links: Links::Symbolic,
            sync: SyncAt::Every,
            sync_writes: 7,
            transfers: 8,
            transfer_seconds: 9,
            ..Settings::default()
        };
        let mut copy = Settings::default();
        for key in KEYS {
            key.set(&mut copy, &key.show(&settings), RAM).unwrap();
        }
        assert_eq!(copy, settings);
    }

    #[test]
    fn multiples_of_the_memory_are_whole_gib() {
        let mut settings = Settings::default();
        Key::named("file_size").unwrap().set(&mut settings, "2xram", RAM + 1).unwrap();
        assert_eq!(settings.file_size, 48 << 30);
        assert!(Key::named("file_size").unwrap().set(&mut settings, "2xram", 0).is_err());
        assert!(Key::named("seeks").unwrap().set(&mut settings, "2xram", RAM).is_err());
    }

    #[test]
    fn an_unknown_key_names_the_nearest() {
        let error = Key::named("filesize").err().unwrap();
        assert!(error.to_string().contains("`file_size`"), "{error}");
        let error = Key::named("qqqq").err().unwrap();
        assert!(error.to_string().starts_with("there is no key `qqqq`; the keys are file_size, chunk_size, "), "{error}");
    }

    #[test]
    fn later_keys_are_named_once_they_say_something() {
        let settings = Settings { dedupe: 7, ..Settings::default() };
        let named = |key: &&Key| key.is_named(&settings);
        let names: Vec<&str> = KEYS.iter().filter(named).map(|key| key.name).collect();
        assert_eq!(names.len(), KEYS.len() - LATER_KEYS.len() + 1);
        assert!(names.contains(&"dedupe") && names.contains(&"files"), "{names:?}");
        assert!(LATER_KEYS.iter().all(|name| Key::named(name).is_ok()));
    }

    #[test]
    fn an_old_run_file_has_no_later_keys() {
        let mut old = serde_json::to_value(Settings::default()).unwrap();
        for name in LATER_KEYS {
            old.as_object_mut().unwrap().remove(*name);
        }
        assert_eq!(serde_json::from_value::<Settings>(old).unwrap(), Settings::default());
    }
}
