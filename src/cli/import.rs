//! `barrow import`: from what other programs printed to a run file.

use super::exit::{Exit, usage};
use super::keep::say_left;
use super::output::say;
use super::pair::{check_length, check_tags, key_value};
use crate::import::{IMPORTERS, Outcome, Stretch, read};
use crate::model::identity::Identity;
use crate::model::record::RunRecord;
use crate::model::series::{Pooling, Series};
use crate::store::{self, LINE_MOST, RunFile, holds_runs, line_of};
use crate::target::ground::plain_error;
use anyhow::Context;
use clap::Args;
use std::collections::{BTreeMap, HashSet};
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// What `barrow import` takes.
#[derive(Debug, Args)]
pub struct ImportArguments {
    /// Files with what Bonnie++ printed, and with anything else around it; - is stdin
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// The run file, which is appended to
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// The label of all these runs, instead of the name that Bonnie++ gave the machine
    #[arg(long, value_name = "NAME", value_parser = label)]
    label: Option<String>,
    /// Note something with every run, as in raid=10
    #[arg(long = "tag", value_name = "KEY=VALUE", value_parser = key_value)]
    tags: Vec<(String, String)>,
}

fn label(text: &str) -> Result<String, String> {
    if text.trim().is_empty() { Err("a label is not empty".to_owned()) } else { Ok(text.to_owned()) }
}

/// The most bytes of one file: it is held in memory while it is read.
const MOST_BYTES: u64 = 1 << 30;
/// So many lines of a file that cannot be read are named one by one.
const MOST_NAMED: usize = 100;
/// So many stretches of lines that nobody knows are named.
const MOST_STRETCHES: usize = 8;

/// What became of all files.
#[derive(Default)]
struct Imports {
    runs: Vec<RunRecord>,
    /// Runs that the run file holds already.
    repeats: usize,
    /// Whether something that looks like another program's could not be read.
    failed: bool,
}

/// Reads the files and appends their runs to the run file.
///
/// # Errors
/// When the run file cannot be written, or is none; as a usage error when the command line is wrong.
pub fn import(arguments: &ImportArguments) -> anyhow::Result<Exit> {
    if arguments.output == Path::new("-") {
        return Err(usage("-o -: a run file is appended to, so it needs a name"));
    }
    check_tags(&arguments.tags)?;
    check_length("--label", arguments.label.as_ref().map_or(0, String::len))?;
    if let Some(path) = arguments.files.iter().find(|path| is_same(path, &arguments.output)) {
        return Err(usage(format!("{}: is the run file that is written to; name another one with -o FILE", path.display())));
    }
    let held = held(&arguments.output)?;
    let imports = gather(arguments, held);
    // Made only now, so that nobody who is tired of waiting leaves an empty one behind.
    let mut file = open(&arguments.output)?;
    let done = keep(arguments, &mut file, imports);
    file.remove_if_unused().unwrap_or_else(|error| say_left(file.path(), &error));
    done
}

fn open(path: &Path) -> anyhow::Result<RunFile> {
    RunFile::open(path).context("name another run file with -o FILE")
}

/// The nonces of the runs that the run file holds, if there is one; before anything is read, so that it is known in time
/// when it is none that can be written.
fn held(path: &Path) -> anyhow::Result<HashSet<Identity>> {
    if fs::symlink_metadata(path).is_err() {
        return Ok(HashSet::new());
    }
    open(path)?;
    Ok(store::load(path)?.runs.iter().map(|run| run.nonce).collect())
}

/// Whether two paths lead to one file.
fn is_same(path: &Path, other: &Path) -> bool {
    let numbers = |path: &Path| fs::metadata(path).map(|metadata| (metadata.dev(), metadata.ino()));
    numbers(path).ok().zip(numbers(other).ok()).is_some_and(|(one, other)| one == other)
}

/// The runs of all files that the run file does not hold yet; says what could not be read.
fn gather(arguments: &ImportArguments, mut known: HashSet<Identity>) -> Imports {
    let mut imports = Imports::default();
    for path in &arguments.files {
        let shown = if path == Path::new("-") { "stdin".to_owned() } else { path.display().to_string() };
        let content = match content(path) {
            Ok(content) => content,
            Err(error) => {
                say(&format!("barrow: {shown}: cannot be read: {error}"));
                imports.failed = true;
                continue;
            }
        };
        let outcome = read(&content, arguments.label.as_deref());
        imports.failed |= !outcome.problems.is_empty() || outcome.records.is_empty();
        say_what_was_not_read(&shown, path, &outcome);
        for run in outcome.records {
            if known.insert(run.nonce) {
                imports.runs.push(RunRecord { tags: arguments.tags.iter().cloned().collect::<BTreeMap<_, _>>(), ..run });
            } else {
                imports.repeats += 1;
            }
        }
    }
    imports
}

/// Everything that a file or stdin holds.
fn content(path: &Path) -> Result<Vec<u8>, String> {
    let words = |error: io::Error| plain_error(&error);
    let mut content = Vec::new();
    let read = if path == Path::new("-") {
        io::stdin().lock().take(MOST_BYTES + 1).read_to_end(&mut content)
    } else {
        File::open(path).map_err(words)?.take(MOST_BYTES + 1).read_to_end(&mut content)
    };
    read.map_err(words)?;
    if content.len() as u64 > MOST_BYTES {
        return Err(format!("over {} MiB are too much for one file; split it between two lines", MOST_BYTES >> 20));
    }
    Ok(content)
}

/// Names each line that could not be read, and says of how many nothing is known.
fn say_what_was_not_read(shown: &str, path: &Path, outcome: &Outcome) {
    for problem in outcome.problems.iter().take(MOST_NAMED) {
        say(&format!("barrow: {shown}:{}: {}", problem.line, problem.what));
    }
    if let Some(more) = outcome.problems.len().checked_sub(MOST_NAMED).filter(|more| *more > 0) {
        say(&format!("barrow: {shown}: so it is with {more} more"));
    }
    if outcome.records.is_empty() && outcome.problems.is_empty() {
        let forms: Vec<&str> = IMPORTERS.iter().map(|importer| importer.name()).collect();
        let what = if holds_runs(path) {
            "holds runs already; `barrow report` reads it, and `cat` puts run files together".to_owned()
        } else {
            format!("holds nothing that Bonnie++ prints ({})", forms.join(", "))
        };
        say(&format!("barrow: {shown}: {what}"));
    } else if !outcome.unread.is_empty() {
        say(&format!("barrow: {shown}: {}", words_of_unread(&outcome.unread)));
    }
}

/// `14 lines are nothing of Bonnie++'s (1-9, 12-16)`.
fn words_of_unread(unread: &[Stretch]) -> String {
    let one = |stretch: &Stretch| match stretch {
        Stretch { first, last, .. } if first == last => first.to_string(),
        Stretch { first, last, .. } => format!("{first}-{last}"),
    };
    let mut places: Vec<String> = unread.iter().take(MOST_STRETCHES).map(one).collect();
    if unread.len() > MOST_STRETCHES {
        places.push("…".to_owned());
    }
    let places = places.join(", ");
    match unread.iter().map(|stretch| stretch.lines).sum() {
        1_u64 => format!("1 line is nothing of Bonnie++'s ({places})"),
        lines => format!("{lines} lines are nothing of Bonnie++'s ({places})"),
    }
}

/// Writes the runs, all or none, and says how many they are.
fn keep(arguments: &ImportArguments, file: &mut RunFile, mut imports: Imports) -> anyhow::Result<Exit> {
    let shown = arguments.output.display();
    let lines = lines(&mut imports)?;
    if !lines.is_empty() {
        file.append_lines(lines)?;
    }
    let plural = |count: usize, one: &str, many: &str| format!("{count} {}", if count == 1 { one } else { many });
    if imports.repeats > 0 {
        say(&format!("barrow: {} in {shown} already", plural(imports.repeats, "run is", "runs are")));
    }
    if !imports.runs.is_empty() {
        let runs = plural(imports.runs.len(), "run", "runs");
        let series = plural(Series::of(&imports.runs, Pooling::Apart).len(), "series", "series");
        let verb = if imports.runs.len() == 1 { "is" } else { "are" };
        say(&format!("barrow: {runs} of {series} {verb} in {shown}; `barrow report {shown}` makes reports and charts of them"));
    } else if imports.repeats == 0 {
        say(&format!("barrow: no run was read; nothing was written to {shown}"));
        return Ok(Exit::Failed);
    }
    Ok(if imports.failed { Exit::Failed } else { Exit::Fine })
}

/// The lines of the run file. A run that would be too long a line to be read again, by its name, is left out and named.
fn lines(imports: &mut Imports) -> anyhow::Result<Vec<u8>> {
    let mut lines = Vec::new();
    let mut kept = Vec::with_capacity(imports.runs.len());
    for run in std::mem::take(&mut imports.runs) {
        let line = line_of(&run)?;
        if line.len() as u64 > LINE_MOST {
            let number = run.imported.as_ref().map_or(0, |imported| imported.line);
            say(&format!("barrow: the run of line {number} is too long for a run file, which holds {} MiB a line", LINE_MOST >> 20));
            imports.failed = true;
            continue;
        }
        lines.extend(line);
        kept.push(run);
    }
    imports.runs = kept;
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_are_not_known_are_told_in_one_sentence() {
        let stretch = |first, last, lines| Stretch { first, last, lines };
        assert_eq!(words_of_unread(&[stretch(1, 9, 9), stretch(12, 16, 5)]), "14 lines are nothing of Bonnie++'s (1-9, 12-16)");
        assert_eq!(words_of_unread(&[stretch(3, 3, 1)]), "1 line is nothing of Bonnie++'s (3)");
        let many: Vec<Stretch> = (0..20).map(|place| stretch(place * 2 + 1, place * 2 + 1, 1)).collect();
        assert_eq!(words_of_unread(&many), "20 lines are nothing of Bonnie++'s (1, 3, 5, 7, 9, 11, 13, 15, …)");
    }
}
