//! From blocks to runs: which row of the second block belongs to which of the first, and what they say together.

use super::block::{Block, Told};
use super::row::{Half, Texts};
use crate::import::bonnie::{BLOCK_COLUMNS, Column, FILE_COLUMNS, Texts as Stood, Version};
use crate::import::bonnie_work::{file_set, parameters};
use crate::import::{Problem, Reading};
use crate::model::imported::Imported;
use crate::model::record::PhaseRecord;

/// The first version that prints a heading with its version over both blocks.
const WITH_TWO_VERSIONS: u32 = 190;

/// The columns that a name and its size share; a blank stands between them.
const NAME_AND_SIZE: usize = 18;

/// The most seekers of `-c`; a greater number in its place is one of seeks, as `bon_csv2txt` puts it there.
const MOST_CONCURRENCY: u32 = 200;

/// The most rows that are looked at for the name of another, so that a table of any length takes no time.
const MOST_COMPARED: usize = 1000;

/// The rows of one run.
#[derive(Debug, Clone, Copy, Default)]
struct Run<'b> {
    blocks: Option<(&'b Block, &'b Told)>,
    files: Option<(&'b Block, &'b Told)>,
}

/// The runs of blocks, in the order of their lines, and what could not be read of them.
pub fn runs(blocks: &[Block]) -> (Vec<Reading>, Vec<Problem>) {
    let mut readings = Vec::new();
    let mut problems = Vec::new();
    let mut rest = blocks;
    while let Some((first, more)) = rest.split_first() {
        let second = more.first().filter(|second| belongs(first, second));
        let runs = match (first.half, second) {
            (Half::Blocks, Some(second)) => matched(first, second),
            (Half::Blocks, None) => first.rows.iter().map(|row| Run { blocks: Some((first, row)), files: None }).collect(),
            (Half::Files, _) => first.rows.iter().map(|row| Run { blocks: None, files: Some((first, row)) }).collect(),
        };
        match first.version.as_ref().or_else(|| second.and_then(|second| second.version.as_ref())) {
            Some(version) => readings.extend(runs.iter().filter_map(|run| run.reading(version, &mut problems))),
            None => problems.extend(first.rows.first().map(|row| without_version(row.line))),
        }
        problems.extend([Some(first), second].into_iter().flatten().filter_map(without_rows));
        rest = if second.is_some() { more.get(1..).unwrap_or_default() } else { more };
    }
    (readings, problems)
}

fn without_version(line: u64) -> Problem {
    let what = "no heading with a version of Bonnie++ stands directly above these figures: they were not taken".to_owned();
    Problem { line, what }
}

/// A heading of Bonnie++ that has no figures; one of another program that looks like it has no version and no `%CP`.
fn without_rows(block: &Block) -> Option<Problem> {
    let is_own = block.version.is_some() || block.over_names.is_some();
    let what = "a heading of Bonnie++ without figures that can be read below it".to_owned();
    (is_own && block.rows.is_empty() && !block.has_other_rows).then_some(Problem { line: block.line, what })
}

/// Whether a block is the second one of the table that another begins.
fn belongs(first: &Block, second: &Block) -> bool {
    let is_second = first.half == Half::Blocks && second.half == Half::Files && second.follows;
    let number = first.version.as_ref().map_or(0, Version::number);
    is_second && (second.version.is_none() || (number >= WITH_TWO_VERSIONS && first.version == second.version))
}

/// The runs of a table, each row of files with the first row of blocks that has its name and none yet. A row of one block without one in
/// the other is a run too.
fn matched<'b>(first: &'b Block, second: &'b Block) -> Vec<Run<'b>> {
    let mut runs: Vec<Run<'b>> = first.rows.iter().map(|row| Run { blocks: Some((first, row)), files: None }).collect();
    let is_alone = first.rows.len() == 1 && second.rows.len() == 1;
    let is_nameless = second.name.is_empty() && second.rows.iter().all(|row| row.name.is_empty()) && first.rows.len() == second.rows.len();
    let mut matched = 0;
    for row in &second.rows {
        matched += runs.iter().skip(matched).take_while(|run| run.files.is_some()).count();
        let name = if row.name.is_empty() { &second.name } else { &row.name };
        let fits = |run: &&mut Run<'b>| {
            let is_named = |told: &Told| is_alone || is_nameless || is_one_name(told, row, name);
            run.files.is_none() && run.blocks.is_some_and(|(_, told)| is_named(told))
        };
        match runs.iter_mut().skip(matched).take(MOST_COMPARED).find(fits) {
            Some(run) => run.files = Some((second, row)),
            None => runs.push(Run { blocks: None, files: Some((second, row)) }),
        }
    }
    runs
}

/// Whether two names are one, each cut to the room that its size leaves; the name of a heading has more room.
fn is_one_name(told: &Told, files: &Told, name: &str) -> bool {
    let is_cut = |name: &str, row: &Told| name.len() + 1 + row.work.len() >= NAME_AND_SIZE;
    told.name == name || (is_cut(&told.name, told) && name.starts_with(&told.name)) || (is_cut(name, files) && told.name.starts_with(name))
}

impl Run<'_> {
    /// What the rows say; `None` where no figure can be read.
    fn reading(&self, version: &Version, problems: &mut Vec<Problem>) -> Option<Reading> {
        let halves = [(Half::Blocks, self.blocks), (Half::Files, self.files)];
        let halves = halves.into_iter().filter_map(|(half, rows)| rows.map(|(block, told)| (half, block, told)));
        let mut phases = Vec::new();
        let (mut values, mut latencies) = (self.packed(), Vec::new());
        for (half, block, told) in halves {
            for (place, column) in columns(half).into_iter().enumerate() {
                let stood = stood(told, place);
                values.extend([value(column, "", stood.rate), value(column, "_cpu", stood.cpu)].into_iter().flatten());
                latencies.extend(value(column, "_latency", stood.latency));
                match record(column, stood, version, self.prints_wrong_rates(block, half, version)) {
                    Ok(record) => phases.extend(record),
                    Err(what) => problems.push(Problem { line: told.line, what: format!("{what}; the rest of the row was taken") }),
                }
            }
        }
        values.append(&mut latencies);
        let imported = Imported {
            program: format!("bonnie++ {}", version.text()),
            form: "table".to_owned(),
            line: self.line()?,
            parameters: parameters(&self.parameters()),
            values,
        };
        (!phases.is_empty()).then(|| Reading { label: self.label(), imported, phases })
    }

    /// The first line that is of this run alone: the heading where it has one row.
    fn line(&self) -> Option<u64> {
        let (block, told) = self.blocks.or(self.files)?;
        Some(if block.rows.len() == 1 { block.line } else { told.line })
    }

    /// The name, from the place that cuts it least.
    fn label(&self) -> String {
        let of_blocks = self.blocks.map(|(_, told)| told.name.as_str()).unwrap_or_default();
        let of_files = self.files.map(|(block, told)| if told.name.is_empty() { block.name.as_str() } else { told.name.as_str() });
        let longer = of_files.filter(|name| name.starts_with(of_blocks));
        longer.unwrap_or(of_blocks).to_owned()
    }

    /// Whether `bon_csv2txt` made the table: Bonnie++ has its version over the second block too.
    fn is_converted(&self) -> bool {
        let is_marked = |rows: Option<(&Block, &Told)>| rows.is_some_and(|(block, _)| block.is_converted);
        let is_without = self.files.is_some_and(|(block, _)| block.version.is_none());
        let is_late =
            self.blocks.is_some_and(|(block, _)| block.version.as_ref().is_some_and(|version| version.number() >= WITH_TWO_VERSIONS));
        is_marked(self.blocks) || is_marked(self.files) || (is_late && is_without)
    }

    /// Whether the rates of files are those that 1.98 to 2.00a print; `bon_csv2txt` has them from the CSV, where they are right,
    /// and never has a version over the second block.
    fn prints_wrong_rates(&self, block: &Block, half: Half, version: &Version) -> bool {
        let is_marked = self.blocks.is_some_and(|(first, _)| first.is_converted) && block.version.is_none();
        let is_of_converter = is_marked && block.over_names.as_ref().is_some_and(|text| text.starts_with("files:max:min"));
        half == Half::Files && version.prints_wrong_file_rates() && !is_of_converter
    }

    fn parameters(&self) -> Vec<(&'static str, &str)> {
        let concurrency = self.blocks.map(|(block, _)| ("concurrency", block.concurrency.as_str()));
        let size = self.blocks.map(|(_, told)| size(&told.work, self.is_converted())).unwrap_or_default();
        let files = self.files.map(|(_, told)| files(&told.work, self.is_converted())).unwrap_or_default();
        concurrency.into_iter().filter(|(_, text)| !text.is_empty()).chain(size).chain(files).collect()
    }

    /// What is packed, as it stood; what is not packed is a parameter as it stood.
    fn packed(&self) -> Vec<(String, String)> {
        let texts = [("file_size", self.blocks), ("num_files", self.files)].into_iter();
        let texts = texts.filter_map(|(name, rows)| rows.map(|(_, told)| (name, told.work.as_str())));
        texts.filter(|(_, text)| text.contains([':', '/'])).map(|(name, text)| (name.to_owned(), text.to_owned())).collect()
    }
}

/// What is packed with the size: 2.00 has `size:chunk:concurrency:seeks:seekers`, `bon_csv2txt` leaves the concurrency out.
fn size(text: &str, is_converted: bool) -> Vec<(&'static str, &str)> {
    const NAMES: [&str; 5] = ["file_size", "io_chunk_size", "concurrency", "io_seeks", "seek_proc_count"];
    let is_seeks = |part: &str| part.parse::<u32>().is_ok_and(|number| number > MOST_CONCURRENCY);
    let is_without_concurrency = is_converted || text.split(':').nth(2).is_some_and(is_seeks);
    let names = NAMES.into_iter().filter(|name| !is_without_concurrency || *name != "concurrency");
    names.zip(text.split(':')).collect()
}

/// What is packed with the count of files. `bon_csv2txt` puts colons between all and leaves out what is empty, so that the parts behind
/// the first can be told apart only where all four are there; else they stay together.
fn files(text: &str, is_converted: bool) -> Vec<(&'static str, &str)> {
    match (is_converted && !text.contains('/'), text.split(':').count()) {
        (true, 4) => ["num_files", "max_size", "min_size", "num_dirs"].into_iter().zip(text.split(':')).collect(),
        (true, 2 | 3) => vec![("num_files", text)],
        _ => file_set(text).to_vec(),
    }
}

const fn columns(half: Half) -> [Column; 6] {
    match half {
        Half::Blocks => BLOCK_COLUMNS,
        Half::Files => FILE_COLUMNS,
    }
}

/// What stood in a column.
fn stood(told: &Told, place: usize) -> Stood<'_> {
    Stood { rate: at(&told.figures.rates, place), cpu: at(&told.figures.cpus, place), latency: at(&told.latencies, place) }
}

fn at(texts: &Texts, place: usize) -> &str {
    texts.get(place).map(String::as_str).unwrap_or_default()
}

fn value(column: Column, what: &str, text: &str) -> Option<(String, String)> {
    (!text.is_empty()).then(|| (format!("{}{what}", column.name), text.to_owned()))
}

/// `bon_csv2txt` 2.00a writes `0k` for a rate that was `+++++`; its share of CPU, which stays `+++`, tells it from a rate of nothing.
fn record(column: Column, stood: Stood<'_>, version: &Version, rate_is_wrong: bool) -> Result<Option<PhaseRecord>, String> {
    let is_too_short = stood.rate == "0k" && stood.cpu == "+++";
    let rate = if is_too_short { "+++++" } else { stood.rate };
    column.record(Stood { rate, ..stood }, version, rate_is_wrong)
}
