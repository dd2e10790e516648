use super::super::plan_file;
use super::super::plan_options::plan_of;
use super::*;
use crate::sys::kernel_filesystems::KernelFilesystems;
use std::fs;
use std::os::unix::fs::PermissionsExt;

const KERNEL: &str = "\text2\n\text3\n\text4\n\txfs\n\tbtrfs\n\tfuseblk\n";
const PROGRAMS: [&str; 12] = [
    "mkfs.ext2",
    "mkfs.ext3",
    "mkfs.ext4",
    "e2fsck",
    "dumpe2fs",
    "mkfs.xfs",
    "xfs_repair",
    "xfs_info",
    "mkfs.btrfs",
    "btrfs",
    "mkfs.jfs",
    "mkfs.ntfs",
];

/// A system with these programs and filesystems.
fn system(programs: &[&str]) -> (tempfile::TempDir, System) {
    let place = tempfile::tempdir().unwrap();
    for program in programs {
        let path = place.path().join(program);
        fs::write(&path, "").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let system = System { places: vec![place.path().to_owned()], kernel: KernelFilesystems::of_texts(KERNEL, &[], "") };
    (place, system)
}

fn of_text(text: &str) -> Result<Resolved, String> {
    let (_place, system) = system(&PROGRAMS);
    let plan = plan_file::read("p", text, 0).map_err(|error| error.to_string())?;
    resolve(&plan, &system).map_err(|error| error.to_string())
}

fn labels(resolved: &Resolved) -> Vec<&str> {
    resolved.variants.iter().map(|variant| variant.label.as_str()).collect()
}

fn grounds(text: &str) -> Vec<Ground> {
    of_text(text).unwrap().variants.into_iter().map(|variant| variant.ground).collect()
}

fn image(directory: &str, mib: u64, number: usize) -> Ground {
    Ground::Image { directory: PathBuf::from(directory), bytes: mib << 20, number }
}

#[test]
fn a_filesystem_of_the_catalogue_has_everything() {
    let resolved = of_text("size = \"1g\"\n[[variant]]\nfs = \"btrfs\"\nmount = \"compress=zstd:3\"\ntags = {raid = \"no\"}\n").unwrap();
    let [variant] = resolved.variants.as_slice() else { panic!("{resolved:?}") };
    assert_eq!((variant.label.as_str(), variant.kind.as_str()), ("btrfs", "btrfs"));
    assert_eq!(variant.mkfs.join(" "), "mkfs.btrfs -q -f -K {devices}");
    assert_eq!(variant.version, ["mkfs.btrfs", "--version"]);
    assert_eq!((variant.mount_options.as_str(), variant.fixed_mount_options.as_str()), ("compress=zstd:3", "nodiscard"));
    assert_eq!(variant.check.join(" "), "btrfs check --readonly {device}");
    assert_eq!(variant.features.as_ref().unwrap().words[0], "btrfs");
    assert_eq!((variant.tags["raid"].as_str(), &variant.ground), ("no", &image(".", 1024, 0)));
    assert!(resolved.missing.is_empty() && resolved.possible().len() == 1);
}

#[test]
fn images_are_shared_by_directory_and_size() {
    let place = tempfile::tempdir().unwrap();
    let (place, other) = (place.path().display(), format!("{}/.", place.path().display()));
    let text = |images: &str| {
        format!(
            "images = \"{images}\"\ndir = \"{place}\"\nsize = \"512m\"\n[[variant]]\nfs = [\"ext4\", \"xfs\"]\n\
             [[variant]]\nfs = \"btrfs\"\nsize = \"1g\"\n[[variant]]\nfs = \"ext2\"\ndir = \"{other}\"\n"
        )
    };
    let directory = place.to_string();
    assert_eq!(
        grounds(&text("shared")),
        [image(&directory, 512, 0), image(&directory, 512, 0), image(&directory, 1024, 1), image(&directory, 512, 0)]
    );
    assert_eq!(
        grounds(&text("own")),
        [image(&directory, 512, 0), image(&directory, 512, 1), image(&directory, 1024, 2), image(&directory, 512, 3)]
    );
    assert_eq!(grounds("[[variant]]\nfs = \"ext4\"\n"), [image(".", 8192, 0)]);
}

#[test]
fn devices_are_as_they_were_named() {
    let text = "[[variant]]\nfs = \"btrfs\"\ndevices = [\"/dev/x\", \"/dev/disk/../y\"]\n[[variant]]\nfs = \"ext4\"\ndevice = \"/dev/x\"\n";
    let devices = |names: &[&str]| Ground::Devices(names.iter().map(PathBuf::from).collect());
    assert_eq!(grounds(text), [devices(&["/dev/x", "/dev/disk/../y"]), devices(&["/dev/x"])]);
    let error = of_text("[[variant]]\nfs = \"ext4\"\ndevices = [\"/dev/x\", \"/dev/y\"]\n").unwrap_err();
    assert!(error.starts_with("p, line 2, column 6: ext4 is made on one device, but devices names 2"), "{error}");
}

#[test]
fn a_command_of_the_users_own_is_taken_as_it_is() {
    let own = "[[variant]]\nfs = \"ext4\"\nmkfs = \"mkfs.ext4 -q -O ^has_journal {device}\"\ncheck = false\n";
    let resolved = of_text(own).unwrap();
    let variant = &resolved.variants[0];
    assert_eq!((variant.version.join(" ").as_str(), variant.check.len()), ("mkfs.ext4 -V", 0));
    // One that is not in the catalogue is neither checked nor asked.
    let resolved = of_text("[[variant]]\nfs = \"strangefs\"\nmkfs = \"mkfs.strange {device}\"\n").unwrap();
    let variant = &resolved.variants[0];
    assert_eq!((variant.kind.as_str(), variant.check.len(), variant.version.len()), ("strangefs", 0, 0));
    assert!(variant.features.is_none() && resolved.possible().is_empty());
    assert_eq!(resolved.missing[0].words, "mkfs.strange is missing; this kernel has no strangefs, and there is no mount.strangefs");
}

#[test]
fn what_is_missing_is_named_and_the_rest_goes_on() {
    let (_place, system) = system(&["mkfs.ext4", "dumpe2fs", "mkfs.ntfs"]);
    let plan = plan_of(&["ext4", "jfs", "ntfs", "xfs"].map(str::to_owned), &[]).unwrap();
    let resolved = resolve(&plan, &system).unwrap();
    let missing: Vec<String> = resolved.missing.iter().map(|missing| format!("{}: {}", missing.label, missing.words)).collect();
    assert_eq!(
        missing,
        [
            "ext4: not checked: e2fsck is missing: install e2fsprogs",
            "jfs: mkfs.jfs is missing: install jfsutils; this kernel has no jfs",
            "ntfs: this kernel has no ntfs3 and mount.ntfs-3g is missing: install ntfs-3g",
            "xfs: mkfs.xfs is missing: install xfsprogs",
        ]
    );
    assert_eq!(labels(&resolved), ["ext4", "jfs", "ntfs", "xfs"]);
    let [possible] = resolved.possible().try_into().unwrap();
    assert_eq!((possible.label.as_str(), possible.check.len()), ("ext4", 0));
    assert!(possible.features.is_some());
}

#[test]
fn what_no_system_can_do_is_refused_with_its_place() {
    let twice = "[[variant]]\nfs = \"ext4\"\n\n[[variant]]\nfs = \"ext4\"\n";
    for (text, said) in [
        ("[[variant]]\nfs = [\"xfs\", \"etx4\"]\n", "p, line 2, column 14: there is no filesystem `etx4`; did you mean `ext4`"),
        (twice, "p, line 4, column 1: two variants have the name `ext4` (the first stands at p, line 1, column 1): give each"),
        ("[[variant]]\nfs = [\"ext4\", \"ext4\"]\n", "p, line 1, column 1: two variants have the name `ext4`: give each"),
        ("[[variant]]\nfs = \"ext4\"\nlabel = \"a\\n\"\n[[variant]]\nfs = \"xfs\"\nlabel = \"a\\t\"\n", "have the name `a?`"),
        ("size = \"299m\"\n[[variant]]\nfs = \"xfs\"\n", "p, line 3, column 6: xfs needs 300m at least, but its image has 299m"),
        ("[[variant]]\nfs = \"ext4\"\ntags = {a = [\"x\", \"x\"]}\n", "two variants have the name `ext4 a=x`"),
    ] {
        let error = of_text(text).unwrap_err();
        assert!(error.contains(said), "{error}");
    }
    // With a command of one's own it may be smaller: the command says whether it can.
    assert!(of_text("size = \"16m\"\n[[variant]]\nfs = \"btrfs\"\nmkfs = \"mkfs.btrfs -q --mixed {device}\"\n").is_ok());
}

#[test]
fn too_much_is_refused_before_it_is_made() {
    let list = |count: usize, item: &dyn Fn(usize) -> String| (0..count).map(item).collect::<Vec<_>>().join(", ");
    let mounts = list(257, &|number| format!("\"commit={number}\""));
    let error = of_text(&format!("[[variant]]\nfs = \"ext4\"\nmount = [{mounts}]\n")).unwrap_err();
    assert!(error.contains("asks for 257 variants; 256 are the most"), "{error}");
    let tags = list(300, &|number| format!("t{number} = \"x\""));
    let error = of_text(&format!("tags = {{{tags}}}\n[[variant]]\nfs = \"ext4\"\n")).unwrap_err();
    assert!(error.contains("300 tags"), "{error}");
    let name = "x".repeat(5000);
    assert!(of_text(&format!("[[variant]]\nfs = \"ext4\"\nlabel = \"{name}\"\n")).unwrap_err().contains("4096 are the most"));
}
