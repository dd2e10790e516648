use super::*;
use proptest::prelude::*;

fn read(text: &str) -> Result<Loadfile, LoadfileError> {
    Loadfile::of_text(text.as_bytes())
}

fn refusal(text: &str) -> String {
    read(text).map(|loadfile| format!("{:?}", loadfile.operations())).unwrap_err().to_string()
}

const SMALL: &str = "# a comment\n\
    Mkdir \"\\clients\" NT_STATUS_OK\r\n\
    NTCreateX \"\\clients\\a b\" 0x40 0x2 7 NT_STATUS_OK\n\
    0.25 WriteX 7 10 100 100 0x00000000\n\
    ReadX 7 100 20 10 NT_STATUS_OK\n\
    Sleep 1000 NT_STATUS_OK\n\
    Close 7 NT_STATUS_OK\n\
    QUERY_PATH_INFORMATION \"\\clients\\other\" 1004 NT_STATUS_OBJECT_NAME_NOT_FOUND\n\
    Deltree \"\\clients\" NT_STATUS_OK";

#[test]
fn a_loadfile_is_read_and_rehearsed() {
    let loadfile = read(SMALL).unwrap();
    let kinds: Vec<&str> = loadfile.operations().iter().map(|operation| KINDS[operation.action.kind()]).collect();
    assert_eq!(kinds, ["mkdir", "create", "write", "read", "close", "query_path", "deltree"]);
    assert_eq!(loadfile.operations()[5].line, 8);
    assert_eq!(loadfile.path(2), "\\clients\\a b");
    assert_eq!(*loadfile.needs(), Needs { inodes: 3, bytes: 110, transfer: 100, handles: 1, directories: 2 });
}

#[test]
fn what_cannot_be_replayed_is_refused_with_its_line_and_what_to_do() {
    let open = "NTCreateX \"\\f\" 0x40 0x2 7 NT_STATUS_OK\n";
    for (text, words) in [
        ("\n\nFrobnicate 1 NT_STATUS_OK", "line 3: `Frobnicate` is no operation of dbench 4; remove"),
        ("Close 7 NT_STATUS_OK", "line 1: handle 7 is not open here; mend"),
        ("Close x NT_STATUS_OK", "`x` is no number"),
        ("Close -1 NT_STATUS_OK", "`-1` is no number"),
        ("Close +1 NT_STATUS_OK", "`+1` is no number"),
        ("Close 99999999999999999999999 NT_STATUS_OK", "is no number"),
        ("Close 7", "line 1: ends without a status"),
        ("Clo", "line 1: ends without a status"),
        ("Close 7 NT_STATUS_O", "`NT_STATUS_O` is no status that barrow knows; is the file cut off?"),
        ("Close 7 8 NT_STATUS_OK", "Close takes 1 values and a status, and there are 2"),
        ("Mkdir \"\\a NT_STATUS_OK", "a quote does not end; is the file cut off?"),
        ("Mkdir \"\\a\\..\\..\\b\" NT_STATUS_OK", "may lead out of the target"),
        ("Mkdir \"\\.\" NT_STATUS_OK", "may lead out of the target"),
        ("Mkdir \"/etc/passwd\" NT_STATUS_OK", "does not begin with one backslash"),
        ("Mkdir \"\\\\server\\share\" NT_STATUS_OK", "has an empty part"),
        ("Mkdir \"\\..\" NT_STATUS_OK", "may lead out"),
        ("Mkdir \"\\a/../b\" NT_STATUS_OK", "holds a slash"),
        ("Mkdir \"\\C:\\x\" NT_STATUS_OK", "names a drive"),
        ("Mkdir \"C:\\x\" NT_STATUS_OK", "does not begin with one backslash"),
        ("Mkdir \"\\a\0b\" NT_STATUS_OK", "holds a zero byte"),
        ("SMBopenX 1 2", "is of dbench 1"),
        ("", "holds no operation"),
        ("# nothing\n\n", "holds no operation"),
        (open, "line 1: opens handle 7, which no line closes; is the file cut off?"),
        (&format!("{open}{open}"), "line 2: handle 7 is open since line 1"),
        (&format!("{open}WriteX 7 0 5 4 NT_STATUS_OK\n"), "writes 5 bytes, of which only 4 are taken"),
        (&format!("{open}WriteX 7 0 99999999999 5 NT_STATUS_OK\n"), "is no number from 0 to 16777216"),
        (&format!("{open}ReadX 7 0 5 5 NT_STATUS_OK\nClose 7 NT_STATUS_OK"), "line 2: would read 0 bytes, and the loadfile says 5"),
        ("Unlink \"\\f\" 0x6 NT_STATUS_OK", "line 1: would fail (there is no such file or directory)"),
        ("QUERY_FS_INFORMATION 1 NT_STATUS_ACCESS_DENIED", "line 1: would not fail, and the loadfile says that it does"),
        ("Mkdir \"\\a\" NT_STATUS_OK\nRename \"\\a\" \"\\b\" NT_STATUS_OK", "renames a directory, which barrow does not replay"),
        ("Deltree \"\\\" NT_STATUS_OK", "removes the client's own directory"),
        (
            "QUERY_PATH_INFORMATION \"\\a\" 1 NT_STATUS_NO_SUCH_FILE\nMkdir \"\\a\" NT_STATUS_OK",
            "line 1: in a second pass would not fail, and the loadfile says that it does",
        ),
    ] {
        let error = refusal(text);
        assert!(error.contains(words), "{text:?}: {error}");
    }
    assert_eq!(
        Loadfile::of_text(b"Close 7 NT_STATUS_OK\n\xff").unwrap_err().to_string(),
        "line 1: handle 7 is not open here; mend the line or the one that opens it"
    );
    assert!(Loadfile::of_text(b"# x\n\xff\xfe\n").unwrap_err().to_string().starts_with("line 2: is not text in UTF-8"));
    assert_eq!(Loadfile::of_text(&vec![b'\n'; MOST_BYTES + 1]).unwrap_err(), LoadfileError::TooLong);
}

#[test]
fn a_find_of_a_pattern_may_end_either_way() {
    let text = |status| format!("FIND_FIRST \"\\*.txt\" 260 1366 0 NT_STATUS_{status}");
    assert!(read(&text("OK")).is_ok() && read(&text("NO_SUCH_FILE")).is_ok());
    assert!(refusal("FIND_FIRST \"\\a\\*\" 260 1366 0 NT_STATUS_OK").contains("the directory that it lies in is not there"));
}

#[test]
fn what_is_only_open_still_takes_its_space() {
    let text = "NTCreateX \"\\f\" 0x40 0x2 7 NT_STATUS_OK\nWriteX 7 0 100 100 NT_STATUS_OK\nUnlink \"\\f\" 0x6 NT_STATUS_OK\n\
        NTCreateX \"\\f\" 0x40 0x2 8 NT_STATUS_OK\nWriteX 8 0 50 50 NT_STATUS_OK\nReadX 7 0 200 100 NT_STATUS_OK\n\
        Close 7 NT_STATUS_OK\nClose 8 NT_STATUS_OK\nUnlink \"\\f\" 0x6 NT_STATUS_OK\n";
    let needs = *read(text).unwrap().needs();
    assert_eq!((needs.inodes, needs.bytes, needs.handles), (3, 150, 2));
}

#[test]
fn the_built_in_mix_can_be_replayed_and_never_changes() {
    let text = mix::text();
    let loadfile = read(&text).unwrap();
    let mut counts = [0; KINDS.len()];
    loadfile.operations().iter().for_each(|operation| counts[operation.action.kind()] += 1);
    let named: Vec<(&str, u32)> = KINDS.into_iter().zip(counts).filter(|(_, count)| *count > 0).collect();
    // A change here is another mix, which needs another version of the profile.
    let expected = [
        ("create", 361),
        ("close", 287),
        ("rename", 60),
        ("unlink", 60),
        ("query_path", 870),
        ("query_file", 160),
        ("query_filesystem", 178),
        ("set_info", 30),
        ("find", 178),
        ("write", 423),
        ("read", 869),
        ("lock", 42),
        ("unlock", 42),
        ("flush", 67),
        ("mkdir", 1),
        ("deltree", 2),
    ];
    assert_eq!(named, expected);
    let Needs { inodes, bytes, transfer, handles, directories } = *loadfile.needs();
    assert_eq!((inodes, transfer, handles, directories), (71, 65_536, 3, 8));
    assert!((8 << 20..16 << 20).contains(&bytes), "{bytes}");
    // Whatever the counts hide: the text itself.
    let sum = text.bytes().fold(0_u32, |sum, byte| sum.wrapping_mul(31).wrapping_add(u32::from(byte)));
    assert_eq!((text.lines().count(), sum), (3630, 3_503_478_838));
}

#[test]
fn a_choice_is_read_as_it_is_shown() {
    let read = LoadfileChoice::of_read(0xabc, std::sync::Arc::new(read(SMALL).unwrap()));
    assert_eq!((read.to_string().as_str(), LoadfileChoice::default().to_string().as_str()), ("dbench-0000000000000abc", "built-in"));
    assert_eq!(named("dbench-0000000000000abc", 0), Ok(read.clone()));
    assert!(named("dbench-0000000000000abc", 0).unwrap().content().is_none());
    assert!(read.content().is_some() && LoadfileChoice::default().content().is_some());
    for other in ["", "client.txt", "dbench-", "dbench-+000000000000abc", "dbench-abc"] {
        assert!(named(other, 0).is_err(), "{other}");
    }
}

proptest! {
    #[test]
    fn no_bytes_make_the_reader_panic(bytes: Vec<u8>) {
        let _ = Loadfile::of_text(&bytes);
    }

    #[test]
    fn a_loadfile_cut_anywhere_is_refused_or_whole(cut in 0_usize..SMALL.len()) {
        let cut = &SMALL[..cut];
        if let Ok(loadfile) = read(cut) {
            let last = cut.trim_end().lines().last().unwrap_or_default();
            prop_assert!(SMALL.lines().any(|line| line.trim_end() == last), "{last}");
            prop_assert!(!loadfile.operations().is_empty());
        }
    }

    #[test]
    fn lines_of_known_words_never_panic(lines in prop::collection::vec(("[A-Z_a-zX]{4,12}|NTCreateX|Close|WriteX|Deltree|Rmdir|Rename|Unlink", "(\"[^\"\n]{0,6}\"| [0-9x]{1,4}|\\\\a){0,5}", "(NT_STATUS_OK|0x0|)"), 0..12)) {
        let text: String = lines.iter().map(|(operation, values, status)| format!("{operation} {values} {status}\n")).collect();
        let _ = read(&text);
    }
}
