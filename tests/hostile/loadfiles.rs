//! Loadfiles as nobody should hand them over: damaged, cut, far too long, or made to lead out of the target.

use super::say;
use barrow::model::loadfile::{Loadfile, LoadfileError, MOST_BYTES};
use proptest::prelude::*;

/// A name as it could stand in a loadfile.
fn name() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        Just("..".to_owned()),
        Just(".".to_owned()),
        Just("a".to_owned()),
        Just("b".to_owned()),
        Just("/etc".to_owned()),
        Just("a/../..".to_owned()),
        Just("C:".to_owned()),
        Just(String::new()),
        "[^\"\n]{0,5}",
    ];
    prop::collection::vec(part, 0..5).prop_map(|parts| format!("\"\\{}\"", parts.join("\\")))
}

/// A line that may be one.
fn line() -> impl Strategy<Value = String> {
    let number = || prop_oneof![0_u64..4, any::<u64>()].prop_map(|number| number.to_string());
    let handle = || (7_u64..10).prop_map(|handle| handle.to_string());
    let status = || prop_oneof![6 => Just("NT_STATUS_OK"), 1 => Just("NT_STATUS_OBJECT_NAME_NOT_FOUND"), 1 => Just("0x0"), 1 => Just("")];
    prop_oneof![
        (name(), handle(), 0_u8..7, status())
            .prop_map(|(name, handle, how, status)| format!("NTCreateX {name} 0x{} 0x{how} {handle} {status}\n", how % 2)),
        (handle(), status()).prop_map(|(handle, status)| format!("Close {handle} {status}\n")),
        (handle(), number(), number(), status())
            .prop_map(|(handle, offset, size, status)| format!("WriteX {handle} {offset} {size} {size} {status}\n")),
        (handle(), number(), number(), status())
            .prop_map(|(handle, offset, size, status)| format!("ReadX {handle} {offset} {size} {size} {status}\n")),
        (name(), name(), status()).prop_map(|(from, to, status)| format!("Rename {from} {to} {status}\n")),
        (prop::sample::select(vec!["Deltree", "Mkdir", "Rmdir"]), name(), status())
            .prop_map(|(what, name, status)| format!("{what} {name} {status}\n")),
        (name(), status()).prop_map(|(name, status)| format!("Unlink {name} 0x6 {status}\n")),
        "[^\n]{0,40}\n",
    ]
}

/// Checks that no name of a loadfile can lead anywhere but below the directory that it lies in.
fn check(loadfile: &Loadfile) {
    for node in 1..loadfile.names() as u32 {
        let name = loadfile.name(node);
        let last = name.last().to_bytes();
        assert!(name.parent < node && !last.is_empty() && last != b"." && last != b".." && !last.contains(&b'/'), "{last:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn any_loadfile_is_refused_or_stays_inside(lines in prop::collection::vec(line(), 0..12)) {
        match Loadfile::of_text(lines.concat().as_bytes()) {
            Ok(loadfile) => check(&loadfile),
            Err(error @ LoadfileError::Line { .. }) => prop_assert!(error.to_string().starts_with("line "), "{error}"),
            Err(LoadfileError::Empty | LoadfileError::TooLong) => {}
        }
    }
}

/// A good one of so many bytes at the least.
fn good(bytes: usize) -> String {
    let mut text = String::from("Mkdir \"\\d\" NT_STATUS_OK\n");
    let mut number = 0_u32;
    while text.len() < bytes {
        number += 1;
        let name = number % 1000;
        text += &format!(
            "NTCreateX \"\\d\\{name}\" 0x40 0x2 {number} NT_STATUS_OK\nWriteX {number} 0 4096 4096 NT_STATUS_OK\nReadX {number} 0 8192 4096 NT_STATUS_OK\nClose {number} NT_STATUS_OK\n"
        );
    }
    text + "Deltree \"\\d\" NT_STATUS_OK\n"
}

#[test]
fn a_long_loadfile_is_a_compact_table() {
    let text = good(26 << 20);
    let loadfile = Loadfile::of_text(text.as_bytes()).unwrap();
    say(&format!("{} bytes of text, {} operations, {} bytes of table", text.len(), loadfile.operations().len(), loadfile.memory()));
    assert!(loadfile.memory() < text.len() as u64 * 4 / 3);
    assert_eq!((loadfile.needs().inodes, loadfile.needs().handles), (1002, 1));
    let mut longer = text.into_bytes();
    longer.resize(MOST_BYTES + 1, b'\n');
    assert_eq!(Loadfile::of_text(&longer).unwrap_err(), LoadfileError::TooLong);
}

#[test]
fn a_loadfile_that_is_cut_is_refused_or_ends_with_a_line() {
    let text = good(600);
    let mut refused = 0;
    for cut in 0..text.len() {
        match Loadfile::of_text(&text.as_bytes()[..cut]) {
            Ok(_) => {
                let last = text[..cut].trim_end().lines().last().unwrap();
                assert!(text.lines().any(|line| line == last), "{last}");
            }
            Err(error) => {
                refused += 1;
                assert!(error.to_string().contains(';'), "says what to do: {error}");
            }
        }
    }
    assert!(refused > text.len() * 9 / 10, "{refused} of {}", text.len());
}

#[test]
fn too_many_names_and_too_deep_ones_are_refused() {
    let many: String = (0..70_000).map(|number| format!("Mkdir \"\\{number}\" 0x0\n")).collect();
    assert!(Loadfile::of_text(many.as_bytes()).unwrap_err().to_string().starts_with("line 65536: has more than 65,536 names; "));
    let deep = format!("Mkdir \"{}\" 0x0\n", "\\a".repeat(33));
    assert!(Loadfile::of_text(deep.as_bytes()).unwrap_err().to_string().contains("lies too deep"));
    let open: String = (1..5000).map(|handle| format!("NTCreateX \"\\f\" 0 2 {handle} 0x0\n")).collect();
    assert!(Loadfile::of_text(open.as_bytes()).unwrap_err().to_string().starts_with("line 4097: is one open handle too many"));
    let wide = format!("Close {} 0x0\n", "1 ".repeat(10_000));
    assert!(Loadfile::of_text(wide.as_bytes()).unwrap_err().to_string().starts_with("line 1: is longer than any line"));
}
