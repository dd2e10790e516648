//! Other people's files: whatever a hostile user does in the directory that is measured, barrow touches nothing that is not its own.

mod attacker;
mod victims;

use super::device::MemoryFilesystem;
use super::driver::{Desk, Finished, OnDrop, Running, User, alone, listing, scratches, through_shell, wait_for_files};
use super::need::{Need, is_missing};
use super::signals::{LONG, target};
use attacker::{Arsenal, Deeds, SIBLINGS, attack, become_attacker};
use barrow::model::machine::FilesystemClass;
use barrow::model::settings::Io;
use barrow::sys::files;
use barrow::target::ground::{Ground, Site};
use barrow::target::plain::PlainGround;
use barrow::target::scratch::{FileSetKind, block_file_name, set_directory_name};
use barrow::target::{Access, Target, read_exact, write_all};
use nix::sys::signal::Signal;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, lchown, symlink};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use victims::{Victim, assert_reading_is_seen, plant_tree};

/// How long the race lasts, unless this variable says another number of seconds.
const RACE: (&str, u64) = ("BARROW_RACE_SECONDS", 20);
const SETTINGS: &str = "file_size=256k chunk_size=64k files=20 seeks=20 seek_seconds=0";
const NOBODY: u32 = 65534;

fn private_with(umask: &str) {
    let desk = Desk::new();
    let target = target(&desk);
    let mut command = desk.run(User::Tester, LONG, &["--runs", "1"]);
    let mut running = Running::start(&mut through_shell(&format!("umask {umask}"), command.arg(&target)));
    wait_for_files(&mut running, &target);
    running.pause();
    let scratch = scratches(&target).pop().unwrap();
    let modes: Vec<(PathBuf, u32)> = listing(&scratch)
        .into_keys()
        .chain([scratch])
        .map(|path| {
            let mode = fs::symlink_metadata(&path).unwrap().mode();
            (path, mode)
        })
        .collect();
    assert!(modes.len() > 3, "{modes:?}");
    for (path, mode) in modes {
        let expected = if path.is_dir() { 0o40700 } else { 0o100_600 };
        assert_eq!(mode, expected, "{} with umask {umask}: {mode:o}", path.display());
    }
    running.resume();
    running.signal(Signal::SIGTERM);
    running.finish().expect_signal(Signal::SIGTERM);
    assert!(scratches(&target).is_empty());
    let expected = 0o666 & !u32::from_str_radix(umask, 8).unwrap() | 0o600;
    assert_eq!(fs::metadata(desk.run_file()).unwrap().mode() & 0o777, expected);
}

#[test]
fn scratch_files_are_nobody_elses_with_any_umask() {
    ["0", "0777"].into_iter().for_each(private_with);
}

#[test]
#[ignore = "needs root"]
fn a_report_is_not_written_through_another_users_link() {
    if is_missing(&[Need::Root]) {
        return;
    }
    let desk = Desk::new();
    let (theirs, link) = (desk.path("theirs"), desk.path("report.txt"));
    fs::write(&theirs, "precious").unwrap();
    fs::write(desk.run_file(), one_run(&desk)).unwrap();
    symlink(&theirs, &link).unwrap();
    let mut command = desk.barrow(User::Tester, ["report", "runs.jsonl", "-o", "report.txt"]);
    lchown(&link, Some(NOBODY), Some(NOBODY)).unwrap();
    Finished::of(&mut command).expect_code(1).expect_said(&["report.txt: is a symbolic link of another user's"]);
    assert_eq!(fs::read_to_string(&theirs).unwrap(), "precious");
    lchown(&link, Some(0), Some(0)).unwrap();
    Finished::of(&mut command).expect_code(0);
    assert!(link.is_symlink() && fs::read_to_string(&theirs).unwrap().contains("Block write"));
}

/// A place where two directories are measured: one in which anybody may change names, and one in which only a file's owner may.
struct Arena {
    memory: MemoryFilesystem,
    victims: Vec<Victim>,
}

impl Arena {
    fn new(desk: &Desk) -> Self {
        let memory = MemoryFilesystem::of("size=512m,relatime");
        let trees = memory.path().join("victims");
        fs::create_dir(&trees).unwrap();
        for (name, owner, mode) in [("tree", 0, 0o755), ("closed tree", 0, 0o700), ("nobody's tree", NOBODY, 0o755)] {
            plant_tree(&trees.join(name), owner, mode);
        }
        fs::write(trees.join("runs"), one_run(desk)).unwrap();
        fs::write(trees.join("empty"), "").unwrap();
        for (name, mode) in [("open", 0o777), ("sticky", 0o1777)] {
            let directory = memory.path().join(name);
            fs::create_dir(&directory).unwrap();
            for (sibling, mode) in SIBLINGS {
                plant_tree(&directory.join(sibling), 0, mode);
            }
            fs::set_permissions(&directory, fs::Permissions::from_mode(mode)).unwrap();
        }
        Self { memory, victims: Vec::new() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.memory.path().join(name)
    }

    /// Everything is in its place: from here on nothing may change.
    fn watch(&mut self) {
        self.victims.push(Victim::watch("what others have", &self.path("victims")));
        for directory in ["open", "sticky"] {
            for (sibling, _) in SIBLINGS {
                self.victims.push(Victim::watch(sibling, &self.path(directory).join(sibling)));
            }
        }
    }
}

/// The text of a true run file.
fn one_run(desk: &Desk) -> String {
    let place = desk.path("before");
    fs::create_dir(&place).unwrap();
    Finished::of(desk.run(User::Tester, SETTINGS, &["--runs", "1", "--no-report", "--drop-caches", "never"]).arg(&place)).expect_code(0);
    let text = fs::read_to_string(desk.run_file()).unwrap();
    fs::remove_file(desk.run_file()).unwrap();
    text
}

/// How often something came out.
type Outcomes = BTreeMap<String, u32>;

/// What a call of barrow came to, by what it said.
fn outcome(who: &str, finished: &Finished) -> String {
    let said = |words: &[&str]| words.iter().any(|word| finished.stderr.contains(word));
    let what = match finished.status.code() {
        Some(0) => "done",
        Some(1) if said(&["symbolic link", "hard links", "not a run file", "somebody makes and removes it"]) => "refused the run file",
        Some(1) if said(&["could not begin"]) => "refused the directory by name",
        Some(1) if said(&["somebody renamed it; it is empty now"]) => "done, named what was renamed",
        Some(1) if said(&["barrow: left ", "could not remove"]) => "left something and named it",
        Some(1) if !finished.stderr.is_empty() => "failed by name",
        _ => panic!("{who}: {}\n{}\n{}", finished.status, finished.stdout, finished.stderr),
    };
    format!("{who}: {what}")
}

/// Measures and cleans one directory again and again until the end. Where only root can change names, root plants each of the files that
/// are not for barrow to write to before it begins.
fn defend(desk: &Desk, directory: &Path, planted: Option<&Arsenal>, peace: &AtomicBool, end: Instant) -> Outcomes {
    let mut outcomes = Outcomes::new();
    let outside = desk.path(&format!("{}.jsonl", directory.file_name().unwrap().to_string_lossy()));
    for turn in 0_u32.. {
        if Instant::now() > end {
            return outcomes;
        }
        // Now and then nobody disturbs, so that it is known that these runs can be done at all.
        peace.store(turn.is_multiple_of(5), Ordering::Relaxed);
        let mut words = vec!["120".into(), env!("CARGO_BIN_EXE_barrow").to_owned()];
        let who = if turn % 4 == 3 {
            words.extend(["clean".to_owned(), directory.display().to_string()]);
            "clean"
        } else {
            words.extend("run -p quick --runs 1 --no-report --drop-caches never".split(' ').map(str::to_owned));
            words.extend(SETTINGS.split(' ').flat_map(|setting| ["--set".to_owned(), setting.to_owned()]));
            // In the directory itself another file may stand for it.
            if (planted.is_none() && turn % 4 != 1) || turn.is_multiple_of(5) {
                words.extend(["-o".to_owned(), outside.display().to_string()]);
            }
            if turn % 3 == 1 {
                words.extend(["--user".to_owned(), NOBODY.to_string()]);
            }
            if turn % 3 == 1 { "run as nobody" } else { "run as root" }
        };
        let plant = planted.map(|arsenal| &arsenal.run_files[turn as usize % arsenal.run_files.len()]);
        let place = directory.join("barrow.jsonl");
        plant.inspect(|plant| fs::rename(plant, &place).unwrap());
        let finished =
            Finished::of(alone("timeout").args(words).env("PATH", "/usr/bin:/bin").env("TMPDIR", desk.path("")).current_dir(directory));
        // What it has made there himself, the attacker may have taken away.
        plant.inspect(|plant| drop(fs::rename(&place, plant)));
        let name = outcome(if turn.is_multiple_of(5) { "in peace" } else { who }, &finished);
        *outcomes.entry(name).or_default() += 1;
    }
    outcomes
}

/// Takes a scratch directory, makes files in it and gives it back, as a run does, but without what takes a run its time: so the moments
/// between its making, its opening and its removal are met thousands of times.
fn take_and_give_back(directory: &Path, end: Instant) -> Outcomes {
    let mut outcomes = Outcomes::new();
    for nonce in 1_u64.. {
        if Instant::now() > end {
            return outcomes;
        }
        // The other tests need the processors too.
        std::thread::sleep(Duration::from_micros(700));
        let open = files::open_directory_path(directory).unwrap();
        let mut ground = PlainGround::of(open, directory.to_owned(), Site::of_class(FilesystemClass::Memory));
        // The first half of it names the directory.
        let taken = ground.take(nonce << 32, 1);
        let used = taken.is_ok().then(|| make_files(ground.target().unwrap()));
        let left = ground.give_back();
        let what = match (used, left.is_empty()) {
            (None, _) => "not taken",
            (Some(Err(error)), _) => panic!("in its own directory: {error}"),
            (Some(Ok(())), true) => "taken and given back",
            // At the end all of these must be empty.
            (Some(Ok(())), false) => "taken and emptied, named what was renamed",
        };
        *outcomes.entry(format!("scratch directory: {what}")).or_default() += 1;
    }
    outcomes
}

/// Makes a file and a directory with a file, and reads them.
fn make_files(target: &dyn Target) -> std::io::Result<()> {
    let (block, set) = (block_file_name(0), set_directory_name(FileSetKind::Sequential, 0, 0));
    let file = target.open(target.root(), &block, Access::CreateNew, Io::Buffered)?;
    write_all(target, &file, b"own", 0)?;
    target.make_directory(target.root(), &set)?;
    let directory = target.open_directory(target.root(), &set)?;
    target.close(target.open(&directory, c"0000000000", Access::CreateNew, Io::Buffered)?)?;
    let mut content = [0; 3];
    read_exact(target, &target.open(target.root(), &block, Access::Read, Io::Buffered)?, &mut content, 0)?;
    if content == *b"own" { Ok(()) } else { Err(std::io::Error::other("another file's content")) }
}

/// What barrow left in a directory, wherever the attacker has moved it: nothing but empty directories.
fn assert_nothing_of_barrows(directory: &Path) {
    for entry in fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()) {
        let status = fs::symlink_metadata(&entry).unwrap();
        let is_sibling = SIBLINGS.iter().any(|(name, _)| entry.ends_with(name));
        if status.is_dir() && [0, NOBODY].contains(&status.uid()) && !is_sibling {
            assert!(listing(&entry).is_empty(), "{}: {:?}", entry.display(), listing(&entry));
        }
    }
}

#[test]
#[ignore = "needs root"]
fn a_hostile_user_who_races_it_reaches_nothing_of_others() {
    if is_missing(&[Need::Root]) {
        return;
    }
    let seconds = std::env::var(RACE.0).map_or(RACE.1, |text| text.parse().unwrap());
    let desk = Desk::new();
    let mut arena = Arena::new(&desk);
    assert_reading_is_seen(arena.memory.path());
    let directories = ["open", "sticky"].map(|name| arena.path(name));
    let arsenals =
        ["open", "sticky"].map(|name| Arsenal::of(&arena.path(name), &arena.path(&format!("arsenal for {name}")), &arena.path("victims")));
    arena.watch();
    let (deeds, peace, end) = ([Deeds::default(), Deeds::default()], [const { AtomicBool::new(true) }; 2], AtomicBool::new(false));
    let over = Instant::now() + Duration::from_secs(seconds);
    let outcomes = std::thread::scope(|scope| {
        let over_for_attackers = OnDrop(&end);
        for (index, directory) in directories.iter().enumerate() {
            let (arsenal, deeds, peace, end) = (&arsenals[index], &deeds[index], &peace[index], &end);
            scope.spawn(move || {
                become_attacker();
                attack(directory, arsenal, deeds, peace, end);
            });
        }
        let taker = scope.spawn(|| take_and_give_back(&directories[0], over));
        let duels: Vec<_> = [None, Some(&arsenals[1])]
            .into_iter()
            .enumerate()
            .map(|(index, planted)| {
                let (desk, directory, peace) = (&desk, &directories[index], &peace[index]);
                scope.spawn(move || defend(desk, directory, planted, peace, over))
            })
            .collect();
        let outcomes: Vec<_> = duels.into_iter().map(|duel| duel.join()).collect();
        let taken = taker.join();
        drop(over_for_attackers);
        let mut outcomes: Vec<Outcomes> = outcomes.into_iter().map(Result::unwrap).collect();
        outcomes[0].extend(taken.unwrap());
        outcomes
    });
    for ((directory, deeds), outcomes) in directories.iter().zip(&deeds).zip(&outcomes) {
        let counts = [&deeds.swaps, &deeds.renames, &deeds.plants, &deeds.run_files].map(|count| count.load(Ordering::Relaxed));
        let name = directory.file_name().unwrap().to_string_lossy();
        println!("{name}: {} swaps, {} renames, {} plants, {} run files", counts[0], counts[1], counts[2], counts[3]);
        outcomes.iter().for_each(|(outcome, count)| println!("  {count:4}  {outcome}"));
        assert!(outcomes.contains_key("in peace: done"), "nothing was ever measured in {name}");
        let sought = if name == "sticky" { "refused the run file" } else { "scratch directory: taken and emptied, named what was renamed" };
        assert!(outcomes.keys().any(|outcome| outcome.ends_with(sought)), "never {sought} in {name}");
        assert!(name == "sticky" || counts.iter().all(|count| *count > 0), "the attacker did nothing: {counts:?}");
        assert_nothing_of_barrows(directory);
    }
    println!("{} entries of others watched for {seconds} s", arena.victims.iter().map(Victim::entries).sum::<usize>());
    arena.victims.iter().for_each(Victim::assert_untouched);
    assert!(!arena.path("victims/nothing").exists());
}
