//! The texts of /proc and /sys: read or refused.
#![no_main]

use barrow::sys::{around, caches, machine, meter, mounts, traffic};
use libfuzzer_sys::fuzz_target;
use std::path::Path;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    for mount in text.lines().filter_map(mounts::parse_mount) {
        let shown = mounts::public_options(&mount.options);
        assert!(shown.len() <= text.len() * 4);
        let _ = mounts::class_of(&mount.kind, false);
        let _ = traffic::parse_mountstats(&text, &mount.mount_point);
    }
    let _ = traffic::parse_mountstats(&text, Path::new("/"));
    let _ = (traffic::parse_stat(&text), traffic::parse_arcstats(&text));
    let _ = (meter::machine_ticks(bytes), meter::peak_kib(bytes));
    let _ = (around::some_total_ns(&text), around::cancelled_bytes(&text));
    let _ = (machine::cpu_model_in(&text), caches::cached_in(&text));
    for name in machine::limit_files(&text) {
        assert!(name.starts_with("/sys/fs/cgroup"));
    }
});
