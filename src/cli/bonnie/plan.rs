//! From Bonnie++'s options to a plan: the profile `bonnie/1` with what differs, and what has to be said of the difference.

use super::BonnieArguments;
use super::sizes::{Largest, MIB, block_file, file_set};
use crate::cli::exit::usage;
use crate::model::plan::{Circumstances, DropCaches, Plan};
use crate::model::profile::Profile;
use crate::model::settings::Settings;
use crate::rng::GENERATOR;
use crate::units::{exact_size, rounded_size, with_thousands};

/// MiB of the file where nothing says how large it is to be.
const LEAST_MIB: u64 = 300;
/// Bytes of a transfer into a small file, as Bonnie++ has it whatever the chunks of the large one are.
const FILE_CHUNK: u64 = 8192;

/// What the options ask for.
#[derive(Debug)]
pub struct Wish {
    /// What each run does.
    pub plan: Plan,
    /// What is done in another way than Bonnie++ does it, a line each.
    pub differences: Vec<String>,
    /// What Bonnie++ would refuse, a line each.
    pub cautions: Vec<String>,
}

/// The changes of a profile, in the order of the options.
type Changes = Vec<(String, String)>;

fn change(changes: &mut Changes, key: &str, value: String) {
    changes.push((key.to_owned(), value));
}

/// The plan of some options, on a machine with this memory.
///
/// # Errors
/// As a usage error when a value cannot be read, or values do not go together.
pub fn wish(arguments: &BonnieArguments, machine_bytes: Option<u64>, is_root: bool) -> anyhow::Result<Wish> {
    let mut differences = Vec::new();
    let ram_bytes = ram_bytes(arguments, machine_bytes)?;
    let mut changes = Changes::new();
    block_file_changes(arguments, ram_bytes, &mut changes, &mut differences)?;
    let base = base(&changes, ram_bytes)?;
    file_set_changes(arguments, &changes, &base, &mut differences)?.into_iter().for_each(|one| changes.push(one));
    other_changes(arguments, &mut changes, &mut differences);
    let profile = base.changed(&changes, ram_bytes.unwrap_or(0)).map_err(usage)?;
    let drop_caches = if arguments.drop_caches == "never" { DropCaches::Never } else { DropCaches::Auto };
    let plan = Plan::of(&profile, GENERATOR, Circumstances { drop_caches, ..Circumstances::USUAL }).map_err(usage)?;
    differences.extend(fewer_seeks(&plan.settings));
    differences.extend(characters(arguments, &plan.settings));
    let cautions = cautions(arguments, &plan.settings, ram_bytes, is_root);
    Ok(Wish { plan, differences, cautions })
}

/// The memory that `-r` says, in bytes, else the machine's.
fn ram_bytes(arguments: &BonnieArguments, machine_bytes: Option<u64>) -> anyhow::Result<Option<u64>> {
    let Some(text) = &arguments.ram else { return Ok(machine_bytes) };
    let bytes = text.parse::<u64>().ok().and_then(|mib| mib.checked_mul(MIB));
    bytes.map(Some).ok_or_else(|| usage(format!("-r {text}: write the memory as a number of MiB")))
}

/// The profile that is changed. Where the size of the file is said, that of the memory does not matter.
fn base(changes: &Changes, ram_bytes: Option<u64>) -> anyhow::Result<Profile> {
    let is_said = changes.iter().any(|(key, _)| key == "file_size");
    let ram_bytes = ram_bytes.filter(|bytes| *bytes > 0).or(is_said.then_some(MIB)).unwrap_or(0);
    Profile::named("bonnie", ram_bytes).map_err(usage)
}

fn block_file_changes(
    arguments: &BonnieArguments,
    ram_bytes: Option<u64>,
    changes: &mut Changes,
    differences: &mut Vec<String>,
) -> anyhow::Result<()> {
    let Some(text) = &arguments.file else {
        if arguments.ram.is_some() {
            change(changes, "file_size", exact_size(usual_file_size(ram_bytes.unwrap_or(0))));
        }
        return Ok(());
    };
    let file = block_file(text).map_err(|problem| usage(format!("-s {text}: {problem}")))?;
    if file.has_idle_k {
        differences.push(format!("-s {text}: as in Bonnie++, `k` says nothing: the file has {}", rounded_size(file.file_size)));
    }
    change(changes, "file_size", exact_size(file.file_size));
    if let Some(bytes) = file.chunk_size {
        change(changes, "chunk_size", exact_size(bytes));
        change(changes, "seek_size", exact_size(bytes));
    }
    for (key, value) in [("seeks", file.seeks), ("seekers", file.seekers)] {
        value.into_iter().for_each(|value| change(changes, key, value.to_string()));
    }
    Ok(())
}

/// What Bonnie++ takes for a memory: twice that, rounded up to whole GiB from half a GiB on, and 300 MiB at the least.
fn usual_file_size(ram_bytes: u64) -> u64 {
    const GIB: u64 = 1 << 30;
    let twice = ram_bytes.saturating_mul(2);
    let is_rounded = twice % GIB > GIB / 2;
    let twice = if is_rounded { twice.checked_next_multiple_of(GIB).unwrap_or(twice) } else { twice };
    twice.max(LEAST_MIB * MIB)
}

fn file_set_changes(
    arguments: &BonnieArguments,
    before: &Changes,
    base: &Profile,
    differences: &mut Vec<String>,
) -> anyhow::Result<Changes> {
    let mut changes = Changes::new();
    let Some(text) = &arguments.files else { return Ok(changes) };
    let set = file_set(text).map_err(|problem| usage(format!("-n {text}: {problem}")))?;
    if set.has_idle_k {
        let files = with_thousands(set.files as f64, 0);
        differences.push(format!("-n {text}: as in Bonnie++, `k` says nothing: there are {files} files"));
    }
    change(&mut changes, "files", set.files.to_string());
    match set.largest {
        None => {}
        Some(Largest::HardLinks) => change(&mut changes, "links", "hard".to_owned()),
        Some(Largest::SymbolicLinks) => change(&mut changes, "links", "symbolic".to_owned()),
        Some(Largest::Bytes(bytes)) => {
            change(&mut changes, "max_size", exact_size(bytes));
            change(&mut changes, "min_size", exact_size(set.min_size.unwrap_or(0)));
            let chunk_size = set.chunk_size.unwrap_or(FILE_CHUNK);
            let usual = before
                .iter()
                .find(|(key, _)| key == "chunk_size")
                .map_or_else(|| exact_size(base.settings.chunk_size), |(_, value)| value.clone());
            if bytes > 0 && exact_size(chunk_size) != usual {
                change(&mut changes, "file_chunk_size", exact_size(chunk_size));
            }
        }
    }
    set.dirs.into_iter().for_each(|dirs| change(&mut changes, "dirs", dirs.max(1).to_string()));
    Ok(changes)
}

fn other_changes(arguments: &BonnieArguments, changes: &mut Changes, differences: &mut Vec<String>) {
    if let Some(count) = &arguments.concurrency {
        change(changes, "workers", count.clone());
        if count != "1" {
            differences.push(format!("-c {count}: {count} threads share the work; Bonnie++ only prints the number"));
        }
    }
    if arguments.sync {
        change(changes, "sync", "every".to_owned());
        differences.push("-b: fsync after every write; Bonnie++ leaves out those of the block phases".to_owned());
    }
    if arguments.direct {
        change(changes, "io", "direct".to_owned());
        differences.push("-D: direct I/O in all block phases; Bonnie++ has it in the first only".to_owned());
    }
    for (key, value) in [("seed", arguments.seed.as_deref()), ("runs", arguments.runs())] {
        value.iter().for_each(|value| change(changes, key, (*value).to_owned()));
    }
}

/// Each place of the file is met once at the most.
fn fewer_seeks(settings: &Settings) -> Option<String> {
    let places = settings.file_size / settings.seek_size;
    let [places_shown, seeks] = [places, settings.seeks].map(|count| with_thousands(count as f64, 0));
    (settings.file_size > 0 && settings.seeks > places)
        .then(|| format!("seeks: {places_shown} instead of {seeks}, since each chunk of the file is met once at the most"))
}

/// Said once, unless `-f` shows that it is known.
fn characters(arguments: &BonnieArguments, settings: &Settings) -> Option<String> {
    let is_known = matches!(arguments.fast.as_deref(), Some("" | "0"));
    (settings.file_size > 0 && !is_known).then(|| "nothing is moved by single characters: those fields are empty, as with -f".to_owned())
}

fn cautions(arguments: &BonnieArguments, settings: &Settings, ram_bytes: Option<u64>, is_root: bool) -> Vec<String> {
    let least = ram_bytes.unwrap_or(0).saturating_mul(2);
    let is_small = settings.file_size > 0 && settings.file_size < least;
    let small = is_small.then(|| {
        let size = rounded_size(settings.file_size);
        format!("{size} is less than twice the memory, which Bonnie++ refuses; here the file is put out of memory before it is read")
    });
    let is_bold = is_root && arguments.user.is_none();
    let bold = is_bold.then(|| "measuring as root, which Bonnie++ refuses; -u NAME measures with that user's rights alone".to_owned());
    bold.into_iter().chain(small).collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::arguments;
    use super::*;

    const RAM: Option<u64> = Some(24 << 30);

    fn wished(words: &[&str]) -> Result<Wish, String> {
        wish(&arguments(words), RAM, false).map_err(|error| error.to_string())
    }

    fn name(words: &[&str]) -> String {
        wished(words).unwrap().plan.profile
    }

    #[test]
    fn the_name_says_what_differs_from_the_profile() {
        assert_eq!(name(&[]), "bonnie/1@48g");
        assert_eq!(name(&["-s8g"]), "bonnie/1+file_size=8g");
        assert_eq!(name(&["-s", "8g:8k:8192:5", "-n16:0:0:1"]), "bonnie/1+file_size=8g");
        assert_eq!(
            name(&["-s", "1g:64k:100:3", "-n", "1:20000:10:4:4k"]),
            "bonnie/1+file_size=1g+chunk_size=64k+seek_size=64k+seeks=100+seekers=3+files=1024+min_size=10+max_size=20000+dirs=4+file_chunk_size=4k"
        );
        assert_eq!(
            name(&["-s1g:64k", "-n1:100"]),
            "bonnie/1+file_size=1g+chunk_size=64k+seek_size=64k+files=1024+max_size=100+file_chunk_size=8k"
        );
        assert_eq!(name(&["-r", "0"]), "bonnie/1+file_size=300m");
        assert_eq!(name(&["-r", "100"]), "bonnie/1+file_size=300m");
        assert_eq!(name(&["-r", "900"]), "bonnie/1@2g");
        assert_eq!(name(&["-r", "600"]), "bonnie/1+file_size=1200m");
        assert_eq!(
            name(&["-n1:-2::3", "-qfbD", "-c4", "-z", "7"]),
            "bonnie/1@48g+files=1024+dirs=3+workers=4+io=direct+seed=7+links=symbolic+sync=every"
        );
    }

    #[test]
    fn what_is_done_otherwise_is_said_once() {
        let said = |words: &[&str]| wished(words).unwrap().differences.join("\n");
        assert_eq!(said(&["-f"]), "");
        assert_eq!(said(&["-s0"]), "");
        assert!(said(&[]).contains("single characters") && said(&["-f20"]).contains("single characters"));
        assert!(said(&["-fs1"]).starts_with("seeks: 128 instead of 8,192"));
        for (option, words) in
            [("-c4", "4 threads"), ("-b", "every write"), ("-D", "all block phases"), ("-s16k", "16 MiB"), ("-n1k", "1,024")]
        {
            assert!(said(&[option]).contains(words), "{option}");
        }
        assert_eq!(said(&["-f", "-c1"]), "");
    }

    #[test]
    fn what_would_be_refused_is_a_caution() {
        let cautions = |words: &[&str]| wish(&arguments(words), RAM, true).unwrap().cautions.len();
        assert_eq!([cautions(&["-s1g"]), cautions(&["-s1g", "-u", "root"]), cautions(&["-r0", "-s1g", "-uroot"])], [2, 1, 0]);
        assert_eq!(cautions(&["-s64g", "-uroot"]), 0);
    }

    #[test]
    fn what_cannot_be_is_said() {
        for (words, said) in [
            (["-s", "8x"], "-s 8x: "),
            (["-s", "1g:1000"], "chunk_size: 1000 is not a multiple"),
            (["-n", "1:100:200"], "min_size: "),
            (["-c", "0"], "workers: 0 is not in 1 to"),
            (["-z", "x"], "seed = x: "),
            (["-r", "x"], "-r x: "),
            (["-s", "1g:8k:0"], "seeks = 0"),
        ] {
            let error = wished(&words).unwrap_err();
            assert!(error.contains(said), "{words:?}: {error}");
        }
        assert!(wish(&arguments(&[]), None, false).unwrap_err().to_string().contains("memory is not known"));
        assert!(wish(&arguments(&["-s1g"]), None, false).is_ok());
    }
}
