//! Texts of /proc and /sys: whatever stands there is read or refused; numbers at their ends do not overflow.

use barrow::sys::mounts::{class_of, parse_mount, public_options};
use barrow::sys::traffic::{parse_arcstats, parse_mountstats, parse_stat};
use barrow::sys::{around, caches, machine, meter};
use proptest::prelude::*;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// What the texts are made of: their own words, numbers at their ends, and what does not belong there.
const WORDS: [&str; 40] = [
    "cpu",
    "cpu0",
    "VmHWM:",
    "kB",
    "some",
    "full",
    "total=",
    "avg10=0.00",
    "cancelled_write_bytes:",
    "hits",
    "misses",
    "bytes:",
    "device",
    "no device",
    "mounted on",
    "with fstype",
    "nfs4",
    "-",
    " - ",
    "model name",
    ":",
    "0::/a/b",
    "4:memory,cpu:/a",
    "36 35 98:0 / /mnt rw",
    "18446744073709551615",
    "9223372036854775808",
    "-1",
    "0",
    "1",
    "+1",
    "0x10",
    "1e9",
    "\\040",
    "\\777",
    "\\+12",
    "\\",
    "\u{202e}",
    "\0",
    "/",
    "=",
];

fn text() -> impl Strategy<Value = String> {
    let word = prop_oneof![4 => prop::sample::select(&WORDS[..]).prop_map(str::to_owned), 1 => ".{0,8}", 1 => any::<u64>().prop_map(|n| n.to_string())];
    let gap = prop::sample::select(&["", " ", "\n", "\t", ",", "\r\n"][..]);
    prop::collection::vec((word, gap), 0..40).prop_map(|parts| parts.into_iter().map(|(word, gap)| word + gap).collect())
}

/// Has every reader of the room read it.
fn read_all(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for line in text.lines() {
        if let Some(mount) = parse_mount(line) {
            assert!(mount.options.iter().map(String::len).sum::<usize>() <= text.len() * 3);
            let _ = (public_options(&mount.options), class_of(&mount.kind, true));
            let _ = parse_mountstats(&text, &mount.mount_point);
        }
    }
    let _ = (parse_stat(&text), parse_arcstats(&text), parse_mountstats(&text, Path::new("/")));
    let _ = (meter::machine_ticks(bytes), meter::peak_kib(bytes));
    let _ = (around::some_total_ns(&text), around::cancelled_bytes(&text), machine::cpu_model_in(&text), caches::cached_in(&text));
    assert!(machine::limit_files(&text).all(|name| name.starts_with("/sys/fs/cgroup")));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn any_text_of_the_kernel_is_read_or_refused(text in text()) {
        read_all(text.as_bytes());
    }

    #[test]
    fn any_bytes_of_the_kernel_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        read_all(&bytes);
    }

    #[test]
    fn a_mount_reads_back(id: u64, point in "/[ -~]{0,20}", kind in "[a-z.]{1,9}", options in prop::collection::vec("[a-z=/]{1,9}", 1..6)) {
        let escaped = |text: &str| text.replace('\\', "\\134").replace(' ', "\\040");
        let line = format!("{id} 2 0:3 / {} {} shared:1 - {kind} none rw", escaped(&point), options.join(","));
        let mount = parse_mount(&line).expect("a mount");
        prop_assert_eq!((mount.id, mount.mount_point, mount.kind), (id, PathBuf::from(point), kind));
        prop_assert!(options.iter().all(|option| mount.options.contains(option)));
    }
}

#[test]
fn ticks_that_do_not_fit_are_unknown_and_no_overflow() {
    let most = u64::MAX.to_string();
    assert_eq!(meter::machine_ticks(format!("cpu  {most} 1 0 0 0 0 0 0\n").as_bytes()), None);
    assert_eq!(meter::machine_ticks(format!("cpu  1 2 {most} 0 0 0 0 0\n").as_bytes()), None);
    assert_eq!(meter::machine_ticks(b"cpu  1 2 4 1000 2000 8 16 500\n").map(|ticks| ticks.busy_ns), Some(31));
    assert_eq!(around::some_total_ns(&format!("some total={most}")), None);
    assert_eq!(caches::cached_in(&format!("Buffers: {most} kB\nCached: 1 kB\nSReclaimable: 0 kB\n")), None);
}

#[test]
fn a_sign_is_no_octal_digit_of_a_mount_point() {
    let mount = parse_mount("1 2 0:3 / /a\\+12\\040b rw - tmpfs none rw").expect("a mount");
    assert_eq!(mount.mount_point, Path::new("/a\\+12 b"));
}

/// Work that grew with the square of the length took minutes here; a long while is allowed for a busy machine.
#[test]
fn very_long_texts_are_read_without_a_hang() {
    let begun = Instant::now();
    let options: Vec<String> = (0..200_000).map(|number| format!("o{number}")).collect();
    let mount = parse_mount(&format!("1 2 0:3 / /x {} - tmpfs none rw", options.join(","))).expect("a mount");
    assert_eq!(mount.options.len(), options.len() + 1);
    read_all("a\n".repeat(200_000).as_bytes());
    read_all(format!("0::{}", "/a".repeat(2_000)).as_bytes());
    read_all("\\".repeat(1 << 20).as_bytes());
    read_all("some total=1 ".repeat(50_000).as_bytes());
    assert!(begun.elapsed().as_secs() < 60, "{:?}", begun.elapsed());
}
