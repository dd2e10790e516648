//! Which field of a line of Bonnie++'s CSV is what: each form that it had from 1.00 to 2.00a.

use crate::import::bonnie::{BLOCK_COLUMNS, Column, FILE_COLUMNS, Version, shown};
use crate::import::bonnie_work::{is_chunk_size, is_file_size, is_number};

/// A form of the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// 1.00 to 1.04: 27 fields, no version.
    Packed,
    /// 1.90 to 1.92a: without concurrency and seed, from 1.90f with latencies, from 1.91a with the chunk of files.
    Early {
        /// Whether it has the twelve latencies.
        latencies: bool,
        /// Whether it has the chunk of files.
        file_chunk: bool,
    },
    /// 1.92b to 1.97: 48 fields.
    Usual,
    /// 1.92b to 1.96 without a block file: a comma is missing, so that from the count of files on all stand one place before theirs.
    Shifted,
    /// 1.98 to 2.00a: two fields more, the count of seeks and of seekers.
    Seeks,
}

/// A line whose form is not one of these.
#[derive(Debug, PartialEq, Eq)]
pub struct UnknownForm(pub String);

impl Form {
    /// The form of a line that names its own (`None`: a line without versions), by what stands in its fields.
    ///
    /// # Errors
    /// When it is of a later form.
    pub fn of(format: Option<&Version>, fields: &[&str]) -> Result<Self, UnknownForm> {
        let Some(format) = format else { return Ok(Self::Packed) };
        let at = |place: usize| fields.get(place).copied().unwrap_or_default();
        match format.number() {
            // The count of fields says nothing of the form: a line may be cut.
            190 => Ok(Self::Early { latencies: format.release() >= "f", file_chunk: false }),
            191 => Ok(Self::Early { latencies: true, file_chunk: true }),
            192 if format.release() == "a" || format.release().is_empty() && !is_number(at(3)) => {
                Ok(Self::Early { latencies: true, file_chunk: true })
            }
            ..197 if at(5).is_empty() && at(17).is_empty() && !at(18).is_empty() => Ok(Self::Shifted),
            ..198 => Ok(Self::Usual),
            198 => Ok(Self::Seeks),
            _ => Err(UnknownForm(format!("form {} of Bonnie++'s CSV is newer than those that barrow reads", format.text()))),
        }
    }
}

/// Where the figures of a phase stand; `None` where the form has none.
#[derive(Debug, Clone, Copy, Default)]
pub struct Places {
    /// The rate.
    pub rate: Option<usize>,
    /// The share of CPU.
    pub cpu: Option<usize>,
    /// The longest operation.
    pub latency: Option<usize>,
}

/// The fields of a form.
#[derive(Debug)]
pub struct Layout {
    /// The name of each, of Bonnie++'s own heading, in the order of the data.
    pub names: Vec<String>,
    /// Every phase with its places.
    pub columns: Vec<(Column, Places)>,
}

impl Layout {
    /// The layout of a form.
    #[must_use]
    pub fn of(form: Form) -> Self {
        let mut names: Vec<String> = before_figures(form).iter().map(|name| (*name).to_owned()).collect();
        names.extend(rates(&BLOCK_COLUMNS));
        if form == Form::Shifted {
            // One of twelve empty fields is not there; which one makes no difference.
            names.pop();
        }
        names.extend(file_set(form).iter().map(|name| (*name).to_owned()));
        names.extend(rates(&FILE_COLUMNS));
        if has_latencies(form) {
            names.extend(BLOCK_COLUMNS.iter().chain(&FILE_COLUMNS).map(|column| latency_name(*column)));
        }
        let columns = BLOCK_COLUMNS.iter().chain(&FILE_COLUMNS).map(|column| (*column, places(&names, *column))).collect();
        Self { names, columns }
    }

    /// The place of a field by its name.
    #[must_use]
    pub fn place(&self, name: &str) -> Option<usize> {
        place(&self.names, name)
    }
}

fn place(names: &[String], name: &str) -> Option<usize> {
    names.iter().position(|other| other == name)
}

fn places(names: &[String], column: Column) -> Places {
    let at = |name: &str| place(names, name);
    Places { rate: at(column.name), cpu: at(&cpu_name(column)), latency: at(&latency_name(column)) }
}

fn cpu_name(column: Column) -> String {
    format!("{}_cpu", column.name)
}

fn latency_name(column: Column) -> String {
    format!("{}_latency", column.name)
}

fn rates(columns: &[Column]) -> impl Iterator<Item = String> {
    columns.iter().flat_map(|column| [column.name.to_owned(), cpu_name(*column)])
}

const fn before_figures(form: Form) -> &'static [&'static str] {
    match form {
        Form::Packed => &["name", "file_size"],
        Form::Early { .. } => &["format_version", "bonnie_version", "name", "file_size", "io_chunk_size"],
        Form::Usual | Form::Shifted => &["format_version", "bonnie_version", "name", "concurrency", "seed", "file_size", "io_chunk_size"],
        Form::Seeks => &[
            "format_version",
            "bonnie_version",
            "name",
            "concurrency",
            "seed",
            "file_size",
            "io_chunk_size",
            "io_seeks",
            "seek_proc_count",
        ],
    }
}

/// The heading has the last two the other way round; the data have always had them so.
const fn file_set(form: Form) -> &'static [&'static str] {
    match form {
        Form::Packed => &["num_files"],
        Form::Early { file_chunk: false, .. } => &["num_files", "max_size", "min_size", "num_dirs"],
        Form::Early { file_chunk: true, .. } | Form::Usual | Form::Shifted | Form::Seeks => {
            &["num_files", "max_size", "min_size", "file_chunk_size", "num_dirs"]
        }
    }
}

const fn has_latencies(form: Form) -> bool {
    match form {
        Form::Packed => false,
        Form::Early { latencies, .. } => latencies,
        Form::Usual | Form::Shifted | Form::Seeks => true,
    }
}

/// Whether the fields before the figures are what belongs there. Names the first that is not: a comma in the name moves all behind it.
///
/// # Errors
/// The name of the field and what stands in it.
pub fn check(layout: &Layout, fields: &[&str]) -> Result<(), String> {
    let is_count: fn(&str) -> bool = |text| text.is_empty() || is_number(text);
    let is_size: fn(&str) -> bool = |text| text.is_empty() || is_file_size(text);
    let is_chunk: fn(&str) -> bool = is_chunk_size;
    let expected = [
        ("concurrency", is_count),
        ("file_size", is_size),
        ("io_chunk_size", is_chunk),
        ("io_seeks", is_count),
        ("seek_proc_count", is_count),
    ];
    for (name, is_right) in expected {
        let found = layout.place(name).and_then(|place| fields.get(place)).copied().unwrap_or_default();
        if !is_right(found) {
            return Err(format!("`{}` stands where {name} belongs", shown(found)));
        }
    }
    // No figure ends as a size does.
    let behind = fields.iter().enumerate().filter(|(place, _)| Some(*place) > layout.place("file_size"));
    match behind.map(|(_, text)| text).find(|text| is_file_size(text)) {
        Some(text) => Err(format!("`{}` stands where a figure belongs", shown(text))),
        None => Ok(()),
    }
}

/// The most that a share of CPU can be: many seekers, each charged with the CPU of all, reach some thousands.
const MOST_CPU: f64 = 99_999.0;
/// The most of a phase that is none of seeks, where a field may be missing.
const MOST_USUAL_CPU: f64 = 999.0;

/// The first share of CPU that is too large for one, with the name of its field.
#[must_use]
pub fn impossible_cpu(layout: &Layout, fields: &[&str]) -> Option<String> {
    let mut shares = layout.columns.iter().filter_map(|(column, places)| Some((column, *fields.get(places.cpu?)?)));
    let (column, text) = shares.find(|(_, text)| text.parse().is_ok_and(|share: f64| share > MOST_CPU))?;
    Some(format!("{} is `{}`, which is no share of CPU", cpu_name(*column), shown(text)))
}

/// Whether each rate and each share of CPU is of its kind: where a field is missing, they change places.
#[must_use]
pub fn alternates(layout: &Layout, fields: &[&str]) -> bool {
    let at = |place: Option<usize>| place.and_then(|place| fields.get(place)).copied().unwrap_or_default();
    layout.columns.iter().all(|(column, places)| {
        let (rate, cpu, is_seeks) = (at(places.rate), at(places.cpu), column.name == "seeks");
        let is_rate = rate != "+++" && (is_seeks || !rate.contains('.'));
        let is_share = cpu != "+++++" && !cpu.contains('.') && (is_seeks || !cpu.parse().is_ok_and(|share: f64| share > MOST_USUAL_CPU));
        is_rate && is_share && (!rate.is_empty() || cpu.is_empty())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_form_has_its_count_of_fields() {
        let early = |latencies, file_chunk| Form::Early { latencies, file_chunk };
        for (form, count) in [
            (Form::Packed, 27),
            (early(false, false), 33),
            (early(true, false), 45),
            (early(true, true), 46),
            (Form::Shifted, 47),
            (Form::Usual, 48),
            (Form::Seeks, 50),
        ] {
            let layout = Layout::of(form);
            assert_eq!(layout.names.len(), count, "{form:?}");
            assert_eq!(layout.columns.len(), 12);
        }
        let seeks = Layout::of(Form::Seeks);
        assert_eq!((seeks.place("putc"), seeks.place("num_files"), seeks.place("num_dirs")), (Some(9), Some(21), Some(25)));
        assert_eq!(
            (seeks.place("seq_create"), seeks.place("putc_latency"), seeks.place("ran_del_latency")),
            (Some(26), Some(38), Some(49))
        );
        assert_eq!((Layout::of(Form::Usual).place("num_files"), Layout::of(Form::Shifted).place("num_files")), (Some(19), Some(18)));
    }
}
