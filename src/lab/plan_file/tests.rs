use super::*;
use proptest::prelude::*;

const WHOLE: &str = r#"
profile = "quick"
runs = 3
set = { file_size = "256m", files = 1_000 }
size = "2g"
dir = "/var/tmp"
images = "own"
fill = true
tags = { host = "a", shelf = 3 }

[[variant]]
label = "big"
fs = ["ext4", "xfs"]
mount = ["defaults", "noatime"]
tags = { raid = ["10", "6"], lvm = "yes" }
check = false
size = 4_294_967_296
dir = "other"

[[variant]]
fs = "btrfs"
devices = ["/dev/x", "/dev/y"]
mkfs = 'mkfs.btrfs -L "a b" {devices}'

[[variant]]
fs = "xfs"
device = "/dev/x"
"#;

fn read_text(text: &str) -> Result<LabPlan, String> {
    read("p.toml", text, 0).map_err(|error| error.to_string())
}

#[test]
fn every_key_is_read() {
    let plan = read_text(WHOLE).unwrap();
    let profile = plan.profile.unwrap();
    assert_eq!((profile.value.as_str(), profile.place.to_string().as_str()), ("quick", "p.toml, line 2, column 11"));
    let changes: Vec<(&str, &str)> = plan.changes.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
    assert_eq!(changes, [("file_size", "256m"), ("files", "1000"), ("runs", "3")]);
    assert_eq!(
        (plan.image_bytes, plan.directory, plan.images, plan.is_filled),
        (Some(2 << 30), Some("/var/tmp".into()), Images::Own, true)
    );
    assert_eq!((plan.tags["host"].as_str(), plan.tags["shelf"].as_str()), ("a", "3"));
    let [big, btrfs, xfs] = plan.entries.as_slice() else { panic!("{:?}", plan.entries) };
    assert_eq!((big.label.as_deref(), big.is_checked, big.filesystems.len()), (Some("big"), false, 2));
    assert_eq!(big.filesystems[1].place.to_string(), "p.toml, line 13, column 15");
    assert_eq!((big.place.to_string().as_str(), big.mounts[1].as_str()), ("p.toml, line 11, column 1", "noatime"));
    assert_eq!(
        (big.tags["raid"].as_slice(), big.tags["lvm"].as_slice()),
        (&["10".to_owned(), "6".to_owned()][..], &["yes".to_owned()][..])
    );
    assert_eq!(big.ground, Ground::Image { directory: Some("other".into()), bytes: Some(4 << 30) });
    assert_eq!((btrfs.label.as_deref(), btrfs.is_checked, btrfs.mounts.as_slice()), (None, true, &["defaults".to_owned()][..]));
    assert_eq!(btrfs.mkfs[0].value.words, ["mkfs.btrfs", "-L", "a b", "{devices}"]);
    assert_eq!(btrfs.ground, Ground::Devices(vec!["/dev/x".into(), "/dev/y".into()]));
    assert_eq!(xfs.ground, Ground::Devices(vec!["/dev/x".into()]));
}

#[test]
fn the_least_plan_is_two_lines() {
    let plan = read_text("[[variant]]\nfs = \"ext4\"\n").unwrap();
    assert_eq!((plan.images, plan.is_filled, plan.entries.len(), plan.profile), (Images::Shared, false, 1, None));
}

/// A variant with something in it.
fn variant(line: &str) -> String {
    format!("[[variant]]\nfs = \"ext4\"\n{line}\n")
}

#[test]
fn every_fault_is_named_with_its_line() {
    let below = "[[variant]]\nfs = \"ext4\"\n";
    for (text, said) in [
        (String::new(), "line 1, column 1: the plan has no [[variant]]"),
        ("variant = []\n".to_owned(), "line 1, column 11: variant: the list is empty"),
        ("variant = 3\n".to_owned(), "line 1, column 11: variant is of the kind integer"),
        ("variant = [3]\n".to_owned(), "line 1, column 12: variant is of the kind integer"),
        ("[variant]\nfs = \"ext4\"\n".to_owned(), "line 1, column 1: variant is of the kind table"),
        ("runs = = 3\n".to_owned(), "line 1, column 8: "),
        (format!("rnus = 3\n{below}"), "line 1, column 1: a plan has no key `rnus`; did you mean `runs`?; the keys are profile, runs"),
        (format!("runs = 0\n{below}"), "line 1, column 8: runs = 0"),
        (format!("runs = -1\n{below}"), "line 1, column 8: runs = -1: it is not a whole number"),
        (format!("runs = \"3\"\n{below}"), "line 1, column 8: runs is of the kind string: expected a whole number"),
        (format!("runs = 1.5\n{below}"), "runs is of the kind float"),
        (format!("size = \"0\"\n{below}"), "line 1, column 8: size = 0: an image of no size"),
        (format!("size = \"8x\"\n{below}"), "line 1, column 8: size = 8x: `8x` is not a size"),
        (format!("size = \"5000\"\n{below}"), "a multiple of 4096"),
        (format!("size = \"16383p\"\n{below}"), "is not a size"),
        (format!("size = \"9999999t\"\n{below}"), "no file is so large"),
        (format!("size = true\n{below}"), "size is of the kind boolean"),
        (format!("images = \"both\"\n{below}"), "line 1, column 10: images = both: it is none of shared, own"),
        (format!("fill = \"yes\"\n{below}"), "line 1, column 8: fill is of the kind string: expected true or false"),
        (format!("profile = \" \"\n{below}"), "line 1, column 11: profile: the text is empty"),
        (format!("dir = \"a\\u0000b\"\n{below}"), "line 1, column 7: dir: a path has no such character"),
        (format!("tags = 3\n{below}"), "line 1, column 8: tags is of the kind integer: expected a table"),
        (format!("tags = {{a = [\"b\"]}}\n{below}"), "line 1, column 13: tags.a is of the kind array"),
        (format!("tags = {{\"\" = \"b\"}}\n{below}"), "line 1, column 9: tags: the name of a tag is empty"),
        (format!("set = {{seks = 3}}\n{below}"), "line 1, column 15: there is no key `seks`; did you mean `seeks`"),
        (format!("set = {{seeks = 3, files = \"x\"}}\n{below}"), "line 1, column 27: files = x: `x` is not a whole number"),
        (format!("set = {{files = 0.5}}\n{below}"), "line 1, column 16: files is of the kind float"),
        ("[[variant]]\nlabel = \"a\"\n".to_owned(), "line 1, column 1: the variant has no fs"),
        ("[[variant]]\nfs = []\n".to_owned(), "line 2, column 6: fs: the list is empty"),
        ("[[variant]]\nfs = [\"ext4\", 3]\n".to_owned(), "line 2, column 15: fs is of the kind integer"),
        ("[[variant]]\nfs = \"../x\"\n".to_owned(), "line 2, column 6: fs = \"../x\": a filesystem is one word"),
        (variant("lable = \"x\""), "line 3, column 1: a variant has no key `lable`; did you mean `label`?"),
        (variant("\"\\u202e\" = \"x\""), "line 3, column 1: a variant has no key `?`"),
        (variant("label = \"\""), "line 3, column 9: label: the text is empty"),
        (variant("mount = [\"defaults\", \"\"]"), "line 3, column 22: mount: the text is empty"),
        (variant("mount = \"remount,rw\""), "line 3, column 9: mount = \"remount,rw\": the mount option remount would"),
        (variant("mkfs = \"mkfs.ext4 -q\""), "line 3, column 8: mkfs = \"mkfs.ext4 -q\": the command must have {device}"),
        (variant("mkfs = \"mkfs.ext4 '{device}\""), "a quotation mark or backslash without an end"),
        (variant("check = 1"), "line 3, column 9: check is of the kind integer"),
        (variant("tags = {a = []}"), "line 3, column 13: tags.a: the list is empty"),
        (variant("device = [\"/dev/x\"]"), "line 3, column 10: device is of the kind array"),
        (variant("devices = \"/dev/x\""), "line 3, column 11: devices is of the kind string"),
        (variant("devices = []"), "line 3, column 11: devices: the list is empty"),
        (variant("devices = [\"/dev/x\", \"/dev/x\"]"), "line 3, column 22: /dev/x: the device is named twice"),
        (variant("device = \"/dev/x\"\ndevices = [\"/dev/y\"]"), "line 4, column 11: device and devices"),
        (variant("device = \"/dev/x\"\nsize = \"1g\""), "line 4, column 8: size belongs to an image"),
        (variant("device = \"/dev/x\"\ndir = \".\""), "line 4, column 7: dir belongs to an image"),
        (
            "[[variant]]\nfs = [\"ext3\", \"ext4\"]\nmkfs = \"mkfs.ext4 {device}\"\n".to_owned(),
            "line 3, column 8: mkfs: the command makes one",
        ),
        (format!("{below}runs = 3\n"), "line 3, column 1: a variant has no key `runs`"),
        (format!("{below}check = true\ncheck = true\n"), "line 4, column 1: duplicate key"),
    ] {
        let error = read_text(&text).unwrap_err();
        assert!(error.starts_with("p.toml, line ") && error.contains(said), "{text}\n{error}\n{said}");
        assert_eq!(error.lines().count(), 1, "{error}");
    }
}

#[test]
fn a_text_that_is_too_long_or_too_deep_is_refused() {
    assert!(read_text(&"#".repeat(MOST_BYTES + 1)).unwrap_err().contains("is over 64 KiB long"));
    for deep in [format!("variant = {}{}", "[".repeat(10_000), "]".repeat(10_000)), format!("{}a = 1", "a.".repeat(10_000))] {
        assert!(read_text(&deep).is_err());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_read_or_refused(text in ".{0,80}", cuts in prop::collection::vec((0..WHOLE.len(), 0..WHOLE.len(), "[\\x20-\\x7e\n]{0,6}"), 0..4)) {
        let _ = read_text(&text);
        let mut mixed = WHOLE.to_owned();
        for (from, to, put) in cuts {
            let (from, to) = (from.min(to).min(mixed.len()), to.max(from).min(mixed.len()));
            mixed.replace_range(from..to.min(from + 8), &put);
        }
        if let Err(error) = read_text(&mixed) {
            prop_assert!(error.starts_with("p.toml, line "), "{error}");
        }
    }

    #[test]
    fn every_place_is_in_the_text(text in "(\n|é|a|\r){0,20}", offset in 0..40_usize) {
        let place = Source { name: "x", text: &text }.place(offset);
        let Place::File { line, column, .. } = place else { panic!("{place:?}") };
        let lines: Vec<&str> = text.split('\n').collect();
        prop_assert!(line <= lines.len() && column <= lines[line - 1].chars().count() + 1, "{line} {column}");
    }
}
