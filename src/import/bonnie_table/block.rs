//! The blocks of pasted tables: a heading with the rows of figures below it.

use super::form::{Form, Word, form, plain, quote_of, unquoted};
use super::marks::unmarked;
use super::row::{COLUMNS, Figures, Half, Latencies, Row, Texts, is_latency, row};
use crate::import::bonnie::Version;
use crate::import::{Line, Problem};
use std::collections::BTreeSet;

/// Whether `bon_csv2txt` printed what stands before a heading: it gives ten columns to the version and three blanks; Bonnie++ itself
/// prints seven. With tabulators it is not certain.
fn is_of_converter(line: &str, before: &str) -> bool {
    let version = before.split_whitespace().next_back().unwrap_or_default();
    !line.contains('\t') && before.ends_with(&format!("Version{version:>10}   "))
}

/// A row whose figures are told apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    /// The number of its line.
    pub line: u64,
    /// The name of the machine on it; may be empty.
    pub name: String,
    /// The size of the file, or the count of files, with what is packed with it.
    pub work: String,
    /// The figures.
    pub figures: Figures,
    /// The longest operations.
    pub latencies: Texts,
}

/// A heading and its rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// Which of the two.
    pub half: Half,
    /// The number of the first line of its heading.
    pub line: u64,
    /// The version on its heading.
    pub version: Option<Version>,
    /// Whether the heading is one of `bon_csv2txt`, which writes tables from CSV.
    pub is_converted: bool,
    /// What stood behind `Concurrency`.
    pub concurrency: String,
    /// The name of the machine on the heading of files.
    pub name: String,
    /// What stands over the names; nothing where the heading ended before.
    pub over_names: Option<String>,
    /// Whether nothing else stood between this and the block before.
    pub follows: bool,
    /// The rows.
    pub rows: Vec<Told>,
    /// Whether there is a row whose figures cannot be told apart.
    pub has_other_rows: bool,
    /// Where the heading has its figures begin.
    start: Option<usize>,
    /// How many columns its last line is over.
    columns: usize,
    /// The lines of the heading.
    heading: Vec<u64>,
}

/// What was found in a text.
#[derive(Debug, Default)]
pub struct Blocks {
    /// The blocks in their order; some may have no row.
    pub blocks: Vec<Block>,
    /// What could not be told.
    pub problems: Vec<Problem>,
    /// The numbers of the lines that belong to a block.
    pub lines: BTreeSet<u64>,
}

/// A row that may go on on the next line.
struct Pending {
    line: u64,
    row: Row,
    latencies: Option<(u64, Latencies)>,
}

#[derive(Default)]
struct Reader {
    found: Blocks,
    quote: String,
    pending: Option<Pending>,
    /// Whether rows of the last block may come.
    is_open: bool,
}

/// The blocks of a text.
pub fn blocks(lines: &[Line]) -> Blocks {
    let mut reader = Reader::default();
    let texts = unmarked(lines.iter().map(|line| plain(&line.text)).collect());
    for (line, text) in lines.iter().zip(texts) {
        if let Form::Output { before } | Form::Create { before } = form(&text) {
            reader.quote = quote_of(&before);
        }
        let form = form(&unquoted(text, &reader.quote));
        reader.take(line, form);
    }
    reader.end_row();
    reader.found
}

impl Reader {
    fn take(&mut self, line: &Line, form: Form) {
        let raw = line.text.as_str();
        let Line { number: line, is_ended, .. } = *line;
        match form {
            Form::Empty => {}
            Form::Output { before } => self.begin(Half::Blocks, line, &before, is_of_converter(raw, &before)),
            Form::Create { before } => self.begin(Half::Files, line, &before, is_of_converter(raw, &before)),
            Form::Phases { before } => {
                self.heading(Half::Blocks, line, |block| block.concurrency = concurrency(&before));
            }
            Form::Files { before } => {
                self.heading(Half::Files, line, |block| before.trim().clone_into(&mut block.name));
            }
            Form::Units { before, start, columns } => self.open(line, before.trim(), start, columns),
            Form::Rest => self.claim(line),
            Form::Latency(words) => self.latency(line, &words),
            Form::Other(words) => self.other(line, is_ended, &words),
        }
    }

    /// A new block.
    fn begin(&mut self, half: Half, line: u64, before: &str, is_converted: bool) {
        self.end_row();
        let version = before.split_whitespace().filter_map(Version::parse).next_back();
        let follows = self.is_open;
        self.is_open = false;
        self.found.blocks.push(Block {
            half,
            line,
            is_converted: version.is_some() && is_converted,
            version,
            concurrency: String::new(),
            name: String::new(),
            over_names: None,
            follows,
            rows: Vec::new(),
            has_other_rows: false,
            start: None,
            columns: 0,
            heading: vec![line],
        });
    }

    /// A further line of a heading; begins a block where the line before it is missing.
    fn heading(&mut self, half: Half, line: u64, set: impl Fn(&mut Block)) {
        if self.found.blocks.last().is_none_or(|block| block.half != half || block.over_names.is_some()) {
            self.begin(half, line, "", false);
        }
        if let Some(block) = self.found.blocks.last_mut() {
            block.heading.push(line);
            set(block);
        }
    }

    /// The last line of a heading.
    fn open(&mut self, line: u64, over_names: &str, start: Option<usize>, columns: usize) {
        self.end_row();
        if let Some(block) = self.found.blocks.last_mut() {
            block.over_names = Some(over_names.to_owned());
            block.start = start;
            block.columns = columns;
            self.is_open = true;
            self.found.lines.extend(block.heading.iter().copied().chain([line]));
        }
    }

    fn claim(&mut self, line: u64) {
        match self.found.blocks.last_mut() {
            Some(_) if self.is_open => {
                self.found.lines.insert(line);
            }
            Some(block) => block.heading.push(line),
            None => {}
        }
    }

    fn latency(&mut self, line: u64, words: &[Word]) {
        let latencies = Latencies::of(words);
        match &mut self.pending {
            Some(pending) if pending.latencies.is_none() && latencies.count() > 0 => {
                pending.latencies = Some((line, latencies));
                self.found.lines.insert(line);
            }
            _ if self.is_open && latencies.count() > 0 => self.problem(line, "latencies without a row of figures above them".to_owned()),
            _ => {}
        }
    }

    fn other(&mut self, line: u64, is_ended: bool, words: &[Word]) {
        if self.goes_on(line, is_ended, words) {
            return;
        }
        self.end_row();
        let Some(block) = self.found.blocks.last().filter(|_| self.is_open) else { return };
        match row(block.half, words) {
            Some(row) => {
                self.found.lines.insert(line);
                self.pending = Some(Pending { line, row: row.ending(is_ended), latencies: None });
            }
            None => self.is_open = false,
        }
    }

    /// Adds a line that is the rest of the one before to it.
    fn goes_on(&mut self, line: u64, is_ended: bool, words: &[Word]) -> bool {
        let Some(pending) = &mut self.pending else { return false };
        let goes_on = match &mut pending.latencies {
            Some((_, latencies)) => latencies.joined(words).map(|joined| *latencies = joined).is_some(),
            None => pending.row.joined(words).map(|joined| pending.row = joined.ending(is_ended)).is_some(),
        };
        if goes_on {
            self.found.lines.insert(line);
        }
        goes_on
    }

    /// Tells the figures of the row that may not go on any more.
    fn end_row(&mut self) {
        let Some(Pending { line, row, latencies }) = self.pending.take() else { return };
        let Some(block) = self.found.blocks.last_mut() else { return };
        let mut problems = Vec::new();
        match row.figures(block.half, block.start, latencies.as_ref().map(|(_, latencies)| latencies.count())) {
            Ok(figures) => {
                if figures.is_cut {
                    problems.push((line, "the row is cut: its last figure was not taken".to_owned()));
                }
                if !figures.is_cut && block.columns < COLUMNS && figures.rates.last().is_some_and(String::is_empty) {
                    problems.push((line, "the heading is cut: the columns right of its end are cut away".to_owned()));
                }
                let latencies = latencies.map(|(line, latencies)| latencies_of(line, &latencies, block.start, &figures, &mut problems));
                let latencies = latencies.unwrap_or_default();
                block.rows.push(Told { line, name: row.name, work: row.work, figures, latencies });
            }
            Err(what) => {
                block.has_other_rows = true;
                problems.push((line, what));
            }
        }
        for (line, what) in problems {
            self.problem(line, what);
        }
    }

    fn problem(&mut self, line: u64, what: String) {
        self.found.lines.insert(line);
        self.found.problems.push(Problem { line, what });
    }
}

/// The latencies in their columns, without those that are none.
fn latencies_of(line: u64, latencies: &Latencies, start: Option<usize>, figures: &Figures, problems: &mut Vec<(u64, String)>) -> Texts {
    let mut texts = latencies.columns(start, &figures.rates).unwrap_or_else(|what| {
        problems.push((line, what));
        Texts::default()
    });
    for text in texts.iter_mut().filter(|text| !text.is_empty() && !is_latency(text)) {
        problems.push((line, format!("`{text}` is no latency: it was not taken")));
        text.clear();
    }
    texts
}

/// The number behind `Concurrency`.
fn concurrency(before: &str) -> String {
    let mut words = before.split_whitespace();
    let is_named = words.any(|word| word.eq_ignore_ascii_case("concurrency"));
    words.next().filter(|text| is_named && text.bytes().all(|byte| byte.is_ascii_digit())).unwrap_or_default().to_owned()
}
