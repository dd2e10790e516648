//! The catalogue of filesystems, with the programs themselves: each that this machine has is made, mounted, asked, unmounted and checked;
//! of those that its kernel lacks, what can be is made and checked.

use super::device::{DeviceLock, system};
use super::need::{Need, is_missing};
use barrow::lab::recipe::{RECIPES, Recipe};
use barrow::lab::system::System;
use barrow::sys::loop_device::LoopDevice;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// An image on a loop device, and a place to mount it.
struct Bench {
    _directory: tempfile::TempDir,
    device: LoopDevice,
    mounted: PathBuf,
}

impl Bench {
    fn of(bytes: u64) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("image");
        let image = File::options().read(true).write(true).create_new(true).open(&path).unwrap();
        image.set_len(bytes).unwrap();
        let mounted = directory.path().join("mounted");
        std::fs::create_dir(&mounted).unwrap();
        let device = LoopDevice::attach(&image, &path).unwrap();
        Self { _directory: directory, device, mounted }
    }

    /// Runs the words of a recipe; gives what was printed.
    fn run(&self, words: &str) -> String {
        let put_in = |word: &str| match word {
            "{device}" | "{devices}" => self.device.path().display().to_string(),
            "{mounted}" => self.mounted.display().to_string(),
            other => other.to_owned(),
        };
        let words: Vec<String> = words.split(' ').map(put_in).collect();
        let arguments: Vec<&str> = words[1..].iter().map(String::as_str).collect();
        system(&words[0], &arguments)
    }

    /// What serves a filesystem (FUSE) lets go of the device a moment after it was unmounted.
    fn wait_until_free(&self) {
        let begun = Instant::now();
        while is_held(&self.device.path()) {
            assert!(begun.elapsed() < Duration::from_secs(20), "{} stays in use", self.device.name());
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        // It is mounted only where a test failed.
        let _ = barrow::sys::mounting::unmount(&self.mounted);
    }
}

fn is_held(device: &Path) -> bool {
    use std::os::unix::fs::OpenOptionsExt;
    File::options().read(true).custom_flags(libc::O_EXCL).open(device).is_err()
}

/// Makes, mounts, asks and checks; gives the features.
fn tried(recipe: &Recipe, kind: &str) -> Vec<String> {
    let bench = Bench::of(recipe.least_bytes.max(64 << 20));
    bench.run(recipe.mkfs.words);
    let options = if recipe.mount_options.is_empty() { "defaults" } else { recipe.mount_options };
    bench.run(&format!("mount -t {kind} -o {options} {{device}} {{mounted}}"));
    std::fs::write(bench.mounted.join("file"), vec![1; 1 << 20]).unwrap();
    let features = recipe.features.map(|(tool, read)| read(&bench.run(tool.words)));
    barrow::sys::mounting::unmount(&bench.mounted).unwrap();
    bench.wait_until_free();
    recipe.check.iter().for_each(|check| drop(bench.run(check.words)));
    features.unwrap_or_default()
}

#[test]
#[ignore = "needs root, loop devices"]
fn each_filesystem_of_the_catalogue_is_made_as_it_says() {
    if is_missing(&[Need::Root, Need::Loop, Need::Program("mkfs.ext4")]) {
        return;
    }
    let _lock = DeviceLock::take();
    let machine = System::of_this_machine();
    let mut done = Vec::new();
    for recipe in RECIPES {
        if let Some(lacking) = machine.lacks_program(recipe.mkfs.program(), Some(recipe.mkfs.package)) {
            println!("{}: {lacking}", recipe.name);
            continue;
        }
        if !recipe.version.is_empty() {
            let said = Bench::of(1 << 20).run(recipe.version);
            // Some tell it on stderr.
            println!("{}: {}", recipe.name, said.lines().next().unwrap_or_default());
        }
        match machine.driver(recipe.drivers) {
            Ok(driver) => {
                let features = tried(recipe, driver.kind());
                println!("{} by {}: {}", recipe.name, driver.kind(), features.join(", "));
                assert_eq!(features.is_empty(), recipe.features.is_none(), "{}", recipe.name);
            }
            Err(lacking) => {
                println!("{}: {lacking}", recipe.name);
                let bench = Bench::of(recipe.least_bytes.max(64 << 20));
                bench.run(recipe.mkfs.words);
                bench.wait_until_free();
                recipe.check.iter().for_each(|check| drop(bench.run(check.words)));
                // What needs no mounted filesystem can be asked all the same.
                let asked = recipe.features.filter(|(tool, _)| !tool.words.contains("{mounted}"));
                asked.iter().for_each(|(tool, read)| assert!(!read(&bench.run(tool.words)).is_empty(), "{}", recipe.name));
            }
        }
        done.push(recipe.name);
    }
    assert!(done.contains(&"ext4"), "{done:?}");
}

#[test]
#[ignore = "needs root, loop devices"]
fn the_least_sizes_are_enough() {
    if is_missing(&[Need::Root, Need::Loop, Need::Program("mkfs.ext4")]) {
        return;
    }
    let _lock = DeviceLock::take();
    let machine = System::of_this_machine();
    let there = RECIPES.iter().filter(|recipe| machine.has_program(recipe.mkfs.program()));
    for recipe in there {
        let bench = Bench::of(recipe.least_bytes);
        bench.run(recipe.mkfs.words);
    }
}
