//! The two blocks of 80 columns that Bonnie++ prints, with barrow's numbers; text and markup show the same lines.

use super::Section;
use super::facts;
use super::figures::NO_FIGURE;
use super::lines::{COLUMNS, left, right, width, wrap};
use super::table::targets::{Targets, bonnie_targets};
use super::table::{Row, SHORT};
use crate::model::imported::Imported;
use crate::model::phase::Phase;
use crate::model::printable::printable;
use crate::model::record::RunRecord;
use crate::model::settings::{Links, Settings};
use crate::units::exact_size;

/// The columns before the figures that Bonnie++ gives to name and size.
const MOST_NAME: usize = 19;

/// The columns before the figures that the size needs at least.
const LEAST_NAME: usize = 4;

/// The most characters of a rate, and where that does not fit; longer ones are written with a power of ten.
const MOST_RATE: [usize; 2] = [7, 5];

/// The most characters of a share of CPU.
const MOST_CPU: usize = 5;

/// A distance in per cent above this is written with a power of ten.
const MOST_PERCENT: f64 = 9999.0;

/// What stands before the longest operations.
const LATENCY: &str = "Latency";

/// One of the two blocks.
struct Form {
    /// What stands over some columns, and over how many.
    groups: &'static [(&'static str, usize)],
    /// The head of each column with the phase in it; those of single characters only Bonnie++ itself fills.
    columns: &'static [(&'static str, &'static str, Phase)],
    /// What stands over name and size.
    name: (&'static str, &'static str),
    /// The size of the work.
    size: fn(&RunRecord) -> String,
}

const BLOCK: Form = Form {
    groups: &[("------Sequential Output------", 3), ("--Sequential Input-", 2), ("--Random-", 1)],
    columns: &[
        ("-Per Chr-", "K/sec", Phase::CharWrite),
        ("--Block--", "K/sec", Phase::BlockWrite),
        ("-Rewrite-", "K/sec", Phase::Rewrite),
        ("-Per Chr-", "K/sec", Phase::CharRead),
        ("--Block--", "K/sec", Phase::BlockRead),
        ("--Seeks--", "/sec", Phase::RandomSeek),
    ],
    name: ("Machine", "Size"),
    size: block_size,
};

const FILES: Form = Form {
    groups: &[("------Sequential Create------", 3), ("--------Random Create--------", 3)],
    columns: &[
        ("-Create--", "/sec", Phase::SeqCreate),
        ("--Read---", "/sec", Phase::SeqStat),
        ("-Delete--", "/sec", Phase::SeqDelete),
        ("-Create--", "/sec", Phase::RandomCreate),
        ("--Read---", "/sec", Phase::RandomStat),
        ("-Delete--", "/sec", Phase::RandomDelete),
    ],
    name: ("files:max:min", ""),
    size: files_size,
};

/// `4G`, or what Bonnie++ said: `2G:64k`.
fn block_size(run: &RunRecord) -> String {
    match (&run.imported, run.settings()) {
        (Some(imported), _) => [said(imported, "file_size", ""), said(imported, "io_chunk_size", ":")].concat(),
        (None, Some(settings)) => exact_size(settings.file_size).to_uppercase(),
        (None, None) => String::new(),
    }
}

fn files_size(run: &RunRecord) -> String {
    match (&run.imported, run.settings()) {
        (Some(imported), _) => [("num_files", ""), ("max_size", ":"), ("min_size", ":"), ("num_dirs", "/")]
            .map(|(name, sign)| said(imported, name, sign))
            .concat(),
        (None, Some(settings)) => files(settings),
        (None, None) => String::new(),
    }
}

/// What was said behind its sign; empty where nothing was.
fn said(imported: &Imported, name: &str, sign: &str) -> String {
    let text = imported.parameter(name).filter(|text| !text.is_empty());
    text.map(|text| format!("{sign}{}", printable(text))).unwrap_or_default()
}

/// `64`, in units of 1024 files; `64:4096:0/4` with sizes and directories; `64:link` with links.
fn files(settings: &Settings) -> String {
    let count = settings.files as f64 / 1024.0;
    let count = if count.fract() == 0.0 { count.to_string() } else { format!("{count:.2}") };
    let sizes = match settings.links {
        Links::None if settings.max_size > 0 => format!(":{}:{}", settings.max_size, settings.min_size),
        Links::None => String::new(),
        Links::Hard => ":link".to_owned(),
        Links::Symbolic => ":symlink".to_owned(),
    };
    let dirs = if settings.dirs > 1 { format!("/{}", settings.dirs) } else { String::new() };
    format!("{count}{sizes}{dirs}")
}

/// The lines of a section; none when nothing was done.
pub fn lines(section: &Section<'_>) -> Vec<String> {
    let targets = bonnie_targets(section);
    let blocks = [BLOCK, FILES].into_iter().filter(|form| form.columns.iter().any(|(_, _, phase)| rows(&targets, *phase).is_some()));
    let version = facts::programs(section).into_iter().next().unwrap_or_default();
    // As Bonnie++ heads what it measured itself.
    let version = version.strip_prefix("bonnie++ ").map(|number| format!("Version {number}")).unwrap_or(version);
    blocks.flat_map(|form| block_lines(section, &targets, &form, &version)).collect()
}

/// The rows of a phase, a target each.
fn rows(targets: &Targets, phase: Phase) -> Option<&[Row]> {
    let columns = targets.groups.iter().flat_map(|group| &group.columns);
    columns.into_iter().find(|column| column.phase == phase).map(|column| column.cells.as_slice())
}

/// A target in a column.
#[derive(Clone, Default)]
struct Cell {
    rate: String,
    cpu: String,
    /// How far the ends of the range are from the median: `-2/+3%`.
    range: String,
    /// The longest operation.
    latency: String,
}

impl Cell {
    fn of(row: &Row, most_rate: usize) -> Self {
        let is_short = row.rate.median == NO_FIGURE && row.words == [SHORT];
        Self {
            rate: if is_short { SHORT.to_owned() } else { within(&row.rate.median, most_rate) },
            cpu: within(&row.cpu_own, MOST_CPU),
            range: distances(row),
            // One word, as there, for what reads these lines by words.
            latency: row.latency_max.replace(' ', "").replace('µ', "u"),
        }
    }
}

/// A number without commas; with a power of ten where it would be too wide.
fn within(figure: &str, most: usize) -> String {
    let plain = figure.replace(',', "");
    match plain.parse::<f64>() {
        Ok(number) if plain.len() > most => format!("{number:.0e}"),
        Ok(_) | Err(_) => plain,
    }
}

/// The ends of a range as distances from its median, rounded outward; empty where there is none.
fn distances(row: &Row) -> String {
    let number = |figure: &str| figure.replace(',', "").parse::<f64>().ok();
    match (number(&row.rate.low), number(&row.rate.median).filter(|median| *median > 0.0), number(&row.rate.high)) {
        (Some(low), Some(median), Some(high)) => {
            let down = ((1.0 - low / median) * 100.0).ceil();
            let up = ((high / median - 1.0) * 100.0).ceil();
            let up = if up > MOST_PERCENT { format!("{up:.0e}") } else { format!("{up:.0}") };
            format!("-{down:.0}/+{up}%")
        }
        _ => String::new(),
    }
}

/// The widths of a column; a blank stands before it.
struct Widths {
    rate: usize,
    cpu: usize,
    /// Of the whole column.
    whole: usize,
}

impl Widths {
    /// At least those of Bonnie++: 5 for the rate, 3 for the CPU.
    fn of(cells: &[Cell]) -> Self {
        let widest = |of: fn(&Cell) -> usize| cells.iter().map(of).max().unwrap_or(0);
        let (rate, cpu) = (widest(|cell| width(&cell.rate)).max(5), widest(|cell| width(&cell.cpu)).max(3));
        Self { rate, cpu, whole: widest(|cell| width(&cell.range).max(width(&cell.latency))).max(rate + 1 + cpu) }
    }

    fn line(&self, rate: &str, cpu: &str) -> String {
        format!(" {}", right(&format!("{} {}", right(rate, self.rate), right(cpu, self.cpu)), self.whole))
    }
}

fn block_lines(section: &Section<'_>, targets: &Targets, form: &Form, version: &str) -> Vec<String> {
    let of_rate = |most_rate: usize| {
        let cells = form.columns.iter().map(|(_, _, phase)| cells(rows(targets, *phase), targets.labels.len(), most_rate));
        let cells: Vec<Vec<Cell>> = cells.collect();
        let widths: Vec<Widths> = cells.iter().map(|cells| Widths::of(cells)).collect();
        let name = COLUMNS.saturating_sub(widths.iter().map(|widths| 1 + widths.whole).sum()).min(MOST_NAME);
        (cells, widths, name)
    };
    let [usual, narrow] = MOST_RATE;
    let (cells, widths, name) = Some(of_rate(usual)).filter(|(_, _, name)| *name >= LEAST_NAME).unwrap_or_else(|| of_rate(narrow));
    let mut lines = heads(form, &widths, name, version);
    for (place, series) in section.series.iter().enumerate() {
        let cells: Vec<Cell> = cells.iter().map(|cells| cells.get(place).cloned().unwrap_or_default()).collect();
        lines.extend(target_lines(&series.name, &(form.size)(series.first), &cells, &widths, name));
    }
    lines
}

/// A cell a target; empty ones in a column that barrow does not measure or that every target skipped.
fn cells(rows: Option<&[Row]>, targets: usize, most_rate: usize) -> Vec<Cell> {
    rows.map_or_else(|| vec![Cell::default(); targets], |rows| rows.iter().map(|row| Cell::of(row, most_rate)).collect())
}

fn heads(form: &Form, widths: &[Widths], name: usize, version: &str) -> Vec<String> {
    let mut groups = left(if width(version) <= name { version } else { "" }, name);
    let mut rest = widths;
    for (group, count) in form.groups {
        let (columns, more) = rest.split_at((*count).min(rest.len()));
        let room = columns.iter().map(|widths| 1 + widths.whole).sum::<usize>().saturating_sub(1);
        groups = format!("{groups} {}", with_dashes(group, room));
        rest = more;
    }
    let titles = form.columns.iter().zip(widths).map(|((title, _, _), widths)| format!(" {}", with_dashes(title, widths.whole)));
    let units = form.columns.iter().zip(widths).map(|((_, unit, _), widths)| widths.line(unit, "%CP"));
    let (what, size) = form.name;
    let named = format!("{what}{}", right(size, name.saturating_sub(width(what))));
    let named = if width(&named) <= name { left(&named, name) } else { right(size, name) };
    vec![groups, format!("{}{}", left("", name), titles.collect::<String>()), format!("{named}{}", units.collect::<String>())]
}

/// A heading of Bonnie++ with more dashes to both sides where its columns are wider.
fn with_dashes(heading: &str, columns: usize) -> String {
    let more = columns.saturating_sub(width(heading));
    format!("{}{heading}{}", "-".repeat(more / 2), "-".repeat(more - more / 2))
}

/// A line of figures and, where there are any, a line of ranges and one of latencies.
fn target_lines(label: &str, size: &str, cells: &[Cell], widths: &[Widths], name: usize) -> Vec<String> {
    let figures: String = cells.iter().zip(widths).map(|(cell, widths)| widths.line(&cell.rate, &cell.cpu)).collect();
    let mut lines = Vec::new();
    let first = match name.checked_sub(width(label) + 1 + width(size)) {
        Some(_) => format!("{label}{}", right(size, name - width(label))),
        None if width(size) <= name => {
            lines.extend(wrap(label, "", "  "));
            right(size, name)
        }
        None => {
            lines.extend(wrap(&format!("{label} {size}"), "", "  "));
            left("", name)
        }
    };
    lines.push(format!("{first}{figures}"));
    for (head, of) in [("", (|cell: &Cell| cell.range.clone()) as fn(&Cell) -> String), (LATENCY, |cell| cell.latency.clone())] {
        if cells.iter().any(|cell| !of(cell).is_empty()) {
            let texts = cells.iter().zip(widths).map(|(cell, widths)| format!(" {}", right(&of(cell), widths.whole)));
            let head = if width(head) <= name { head } else { "" };
            lines.push(format!("{}{}", left(head, name), texts.collect::<String>()));
        }
    }
    lines
}
