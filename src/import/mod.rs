//! What other programs reported, read into runs: `trait Importer`, one file an importer, one line in [`IMPORTERS`].

pub mod bonnie;
pub mod bonnie_csv;
pub mod bonnie_table;
pub mod bonnie_work;
mod once;
pub mod text;

use crate::model::costs::Costs;
use crate::model::identity::Identity;
use crate::model::imported::Imported;
use crate::model::machine::{Device, Filesystem, Machine};
use crate::model::printable::MOST_LABEL;
use crate::model::record::{PhaseRecord, RunRecord, SCHEMA};
use crate::model::stack::Stack;
use crate::rng::hash64;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A line of a text: without the marks of mail, with the number that it has in its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// The number in the file, from 1; of the first of several that were one line before a mail program broke it.
    pub number: u64,
    /// What stands there.
    pub text: String,
    /// Whether the file goes on behind it. A file that does not end its last line may have been cut in the middle of it.
    pub is_ended: bool,
}

/// One run as an importer read it.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// What the program called the machine, as it stood; may be empty.
    pub label: String,
    /// Where it was read and what was said of the work.
    pub imported: Imported,
    /// The phases that have a value, in the order of the catalogue.
    pub phases: Vec<PhaseRecord>,
}

/// A line that holds something of the importer's which it cannot read, whole or in part.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// The number of the line, from 1.
    pub line: u64,
    /// What is wrong, and what became of the rest of the line.
    pub what: String,
}

/// What an importer found in a text.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Found {
    /// The runs, in the order of their lines.
    pub readings: Vec<Reading>,
    /// What could not be read.
    pub problems: Vec<Problem>,
    /// The numbers of all lines that the importer knows as its own: figures, headings, and those with a problem.
    pub lines: BTreeSet<u64>,
}

/// Reads the reports of one program in one form.
pub trait Importer: Sync {
    /// The name of the form: `CSV`, `table`.
    fn name(&self) -> &'static str;

    /// Whether a text may hold something of this form; cheap, and never wrong when it says no.
    fn sniff(&self, lines: &[Line]) -> bool;

    /// Reads every run that the lines hold. What is not of this form is left to others.
    fn import(&self, lines: &[Line]) -> Found;
}

/// Every importer.
pub const IMPORTERS: &[&dyn Importer] = &[&bonnie_csv::BonnieCsv, &bonnie_table::BonnieTable];

/// What a file holds.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Outcome {
    /// The runs, in the order of their lines.
    pub records: Vec<RunRecord>,
    /// What could not be read of lines that an importer knows, in the order of the lines.
    pub problems: Vec<Problem>,
    /// The lines that are not blank and that no importer knows: the first and the last number of each stretch, and how many it has.
    pub unread: Vec<Stretch>,
}

/// Lines that stand together, but for blank ones and those that a mail program broke off them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stretch {
    /// The number of the first, from 1.
    pub first: u64,
    /// The number of the last.
    pub last: u64,
    /// How many they are, without blank ones.
    pub lines: u64,
}

/// Reads a file with every importer that knows something in it. All runs get the label, where one is given.
#[must_use]
pub fn read(content: &[u8], label: Option<&str>) -> Outcome {
    let lines = text::lines(content);
    let mut all = Found::default();
    for found in IMPORTERS.iter().filter(|importer| importer.sniff(&lines)).map(|importer| importer.import(&lines)) {
        all.readings.extend(found.readings);
        all.problems.extend(found.problems);
        all.lines.extend(found.lines);
    }
    all.readings.sort_by_key(|reading| reading.imported.line);
    all.readings = once::once(all.readings);
    for reading in &mut all.readings {
        if let Some(label) = label {
            label.clone_into(&mut reading.label);
        }
    }
    let (readings, too_long): (Vec<_>, Vec<_>) = all.readings.into_iter().partition(|reading| reading.label.len() <= MOST_LABEL);
    all.problems.extend(too_long.iter().map(|reading| Problem { line: reading.imported.line, what: too_long_a_name(&reading.label) }));
    all.problems.sort();
    let unread = unread(&lines, &all.lines);
    Outcome { records: records_of(readings), problems: all.problems, unread }
}

fn too_long_a_name(name: &str) -> String {
    format!("the name has {} bytes, more than the {} KiB that a run file keeps of it; the run is left out", name.len(), MOST_LABEL >> 10)
}

fn unread(lines: &[Line], known: &BTreeSet<u64>) -> Vec<Stretch> {
    let mut unread: Vec<Stretch> = Vec::new();
    for part in lines.chunk_by(|one, other| known.contains(&one.number) == known.contains(&other.number)) {
        let (Some(first), Some(last)) = (part.first(), part.last()) else { continue };
        if !known.contains(&first.number) {
            unread.push(Stretch { first: first.number, last: last.number, lines: part.len() as u64 });
        }
    }
    unread
}

/// The records of the readings of one file. The file is their batch: what it holds was not measured together with anything else.
/// Batch and nonces come from what stands there alone: a file that is read again, has grown meanwhile, or is quoted in another one, gives
/// the same runs the same numbers, so that nothing is counted twice.
#[must_use]
pub fn records_of(readings: Vec<Reading>) -> Vec<RunRecord> {
    let batch = Identity(readings.first().map_or(0, |first| hash64(told(first).as_bytes())));
    let mut times: HashMap<u64, u32> = HashMap::new();
    let mut targets: HashMap<String, u32> = HashMap::new();
    let mut rounds: HashMap<(String, Identity), u32> = HashMap::new();
    let record = |reading: Reading| {
        let next = targets.len() as u32 + 1;
        let target = *targets.entry(reading.label.clone()).or_insert(next);
        let workload_id = Identity(hash64(reading.imported.canonical().as_bytes()));
        let round = rounds.entry((reading.label.clone(), workload_id)).or_default();
        *round += 1;
        // Runs of which all is equal are told apart by their order.
        let number = hash64(told(&reading).as_bytes());
        let time = times.entry(number).or_default();
        *time += 1;
        let nonce = Identity(hash64(format!("{number:016x} {time}").as_bytes()));
        record_of([batch, nonce, workload_id], target, *round, reading)
    };
    readings.into_iter().map(record).collect()
}

/// All that a text tells of a run, whatever stands around it.
fn told(reading: &Reading) -> String {
    let texts = reading.imported.parameters.iter().chain(&reading.imported.values).map(|(name, text)| format!("{name}={text}\n"));
    format!("{}\n{}\n{}", reading.imported.program, reading.label, texts.collect::<String>())
}

fn record_of([batch, nonce, workload_id]: [Identity; 3], target: u32, round: u32, reading: Reading) -> RunRecord {
    let Reading { label, imported, phases } = reading;
    RunRecord {
        schema: SCHEMA,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        batch,
        nonce,
        label,
        target,
        tags: BTreeMap::new(),
        round,
        order: 0,
        profile: profile_of(&imported),
        workload_id,
        plan: None,
        making: None,
        imported: Some(imported),
        machine: Machine::default(),
        filesystem: Filesystem::default(),
        device: Device::default(),
        stack: Stack::default(),
        costs: Costs::default(),
        direct_io: None,
        phases,
        started: String::new(),
        finished: String::new(),
        complete: true,
    }
}

/// `bonnie++ 1.97, 80G`; without a block file the count of files, as it stood: `bonnie++ 1.96, 60 × 1024 files`.
fn profile_of(imported: &Imported) -> String {
    let of = |name: &str| imported.parameter(name).filter(|text| !text.is_empty());
    let files = || of("num_files").map(|count| format!("{count} × 1024 files"));
    let size = of("file_size").map(str::to_owned).or_else(files);
    std::iter::once(imported.program.clone()).chain(size).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(label: &str, line: u64, file_size: &str) -> Reading {
        let imported = Imported {
            program: "bonnie++ 1.97".to_owned(),
            form: "CSV".to_owned(),
            line,
            parameters: vec![("file_size".to_owned(), file_size.to_owned()), ("num_files".to_owned(), "16".to_owned())],
            ..Imported::default()
        };
        Reading { label: label.to_owned(), imported, phases: Vec::new() }
    }

    #[test]
    fn a_file_is_a_batch_and_equal_work_of_a_label_its_rounds() {
        let records = records_of(vec![reading("a", 1, "80G"), reading("b", 2, "80G"), reading("a", 3, "80G"), reading("a", 4, "8G")]);
        let found: Vec<(u32, u32)> = records.iter().map(|run| (run.target, run.round)).collect();
        assert_eq!(found, [(1, 1), (2, 1), (1, 2), (1, 1)]);
        assert_eq!(records[0].workload_id, records[1].workload_id);
        assert_ne!(records[0].workload_id, records[3].workload_id);
        assert_eq!(records.iter().map(|run| run.nonce).collect::<BTreeSet<_>>().len(), 4);
        assert!(records.iter().all(|run| run.batch == records[0].batch && run.plan.is_none()));
        assert_eq!(records[0].profile, "bonnie++ 1.97, 80G");
        assert_eq!(records_of(vec![reading("a", 1, "80G")])[0], records[0], "read again it is the same run");
        assert_eq!(records_of(vec![reading("a", 1, "")])[0].profile, "bonnie++ 1.97, 16 × 1024 files");
    }

    #[test]
    fn a_file_that_has_grown_gives_the_same_runs_again() {
        let line = |seeks: u32| format!("host,2G,1,2,3,4,5,6,7,8,9,10,{seeks}.5,12,16,1,2,3,4,5,6,7,8,9,10,11,12\n");
        let [two, four] = [2, 4].map(|count| read((1..=count).map(line).collect::<String>().as_bytes(), None).records);
        assert_eq!((two.len(), four.len()), (2, 4));
        assert_eq!(two, four[..2]);
        let quoted = read(format!("> {}> {}", line(4), line(1)).as_bytes(), None).records;
        assert_eq!([quoted[0].nonce, quoted[1].nonce], [four[3].nonce, four[0].nonce], "told again elsewhere it is the same run");
    }

    #[test]
    fn lines_that_nobody_knows_are_told_by_stretches() {
        let text = "hello\n\nworld\nhost,2G,1,2,3,4,5,6,7,8,9,10,11.5,12,16,1,2,3,4,5,6,7,8,9,10,11,12\nend\n";
        let outcome = read(text.as_bytes(), Some("a"));
        assert_eq!((outcome.records.len(), outcome.problems.len()), (1, 0));
        assert_eq!(outcome.records[0].label, "a");
        assert_eq!(outcome.unread, [Stretch { first: 1, last: 3, lines: 2 }, Stretch { first: 5, last: 5, lines: 1 }]);
        assert_eq!(read(b"", None), Outcome::default());
    }
}
